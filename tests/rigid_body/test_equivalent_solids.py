"""Equivalent boxes and ellipsoids move as the body does; nothing is shorter than the minimum length."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from massprops.errors import InvalidInput
from massprops.frames import Pose
from massprops.rigid_body import shapes
from massprops.rigid_body.mass_properties import MassProperties

# Square roots of differences of moments, each good to 1e-16 of the largest, for aspects of up to 10
ROUNDING = 1e-12

numbers = st.floats(-10, 10)
clouds = st.lists(st.tuples(st.floats(0.5, 2), numbers, numbers, numbers), min_size=4, max_size=9)


def assert_same(one, other):
    size = max(np.abs(other.inertia).max(), 1e-300)
    assert one.mass == pytest.approx(other.mass, rel=1e-15)
    np.testing.assert_allclose(one.com, other.com, rtol=0, atol=ROUNDING * (1 + np.abs(other.com).max()))
    np.testing.assert_allclose(one.inertia, other.inertia, rtol=0, atol=ROUNDING * size)


@given(clouds)
def test_equivalents_have_the_mass_centre_and_inertia_of_the_body(cloud):
    table = np.array(cloud)
    body = MassProperties.from_point_masses(table[:, 0], table[:, 1:])
    box, ellipsoid = body.equivalent_box(), body.equivalent_ellipsoid()
    if box.edges.min() > 1e-3:  # a plate has no box of positive thickness
        assert_same(shapes.box(*box.edges, mass=body.mass).transformed(box.pose), body)
        assert_same(shapes.ellipsoid(*ellipsoid.semi_axes, mass=body.mass).transformed(ellipsoid.pose), body)


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        # gz-math, MassMatrix3_TEST.cc (corpus/truth/gz_math_inertial.json, equivalent_box), mass 12: xx yy zz xy xz yz
        ((97, 82, 17, 0, 0, 0), (1, 4, 9)),
        ((82, 17, 97, 0, 0, 0), (1, 4, 9)),
        ((49.5, 49.5, 97, -32.5, 0, 0), (1, 4, 9)),
        ((2, 2, 2, 0, 0, 0), (1, 1, 1)),
    ],
)
def test_boxes_published_by_gz_math(entries, expected):
    body = MassProperties.from_ten_vector([12, 0, 0, 0, *entries], "mjcf")
    np.testing.assert_allclose(sorted(body.equivalent_box().edges), expected, rtol=1e-14)


def test_the_box_lies_along_the_principal_axes():
    # the first case of gz-math: 1 along x, 4 along y, 9 along z; edges descend, so z comes first
    box = MassProperties(12.0, [5, 6, 7], np.diag([97.0, 82.0, 17.0])).equivalent_box()
    np.testing.assert_allclose(box.edges, [9, 4, 1], rtol=1e-14)
    np.testing.assert_allclose(np.abs(box.pose.rotation), [[0, 0, 1], [0, 1, 0], [1, 0, 0]], atol=1e-15)
    assert box.pose.translation.tolist() == [5, 6, 7]


def test_thin_bodies_have_thin_equivalents():
    rod = shapes.rod(2.0, mass=3.0).transformed(Pose.from_xyz_rpy(rpy=[0.3, 0.4, 0.5]))
    # exactly zero: the root of a rounding of 1e-16 would be a thickness of 1e-8
    assert rod.equivalent_box().edges.tolist() == [pytest.approx(2, rel=1e-14), 0, 0]
    plate = shapes.plate(2.0, 3.0, mass=3.0).transformed(Pose.from_xyz_rpy(rpy=[0.3, 0.4, 0.5]))
    assert plate.equivalent_box().edges.tolist() == [pytest.approx(3, rel=1e-14), pytest.approx(2, rel=1e-14), 0]
    assert shapes.point(mass=1.0).equivalent_ellipsoid().semi_axes.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        # gz-math: must be refused
        (
            lambda: MassProperties.from_ten_vector([1, 0, 0, 0, 2, 2, 2.0, -1, 0, -1], "mjcf").equivalent_box(),
            (
                "no body has a mass of 1.0 kg and principal moments 0.5857864376269055, 2.0, 3.414213562373096 kg m², so it "
                "has no equivalent box"
            ),
        ),
        (
            lambda: MassProperties(1.0, [0, 0, 0], np.diag([1.0, 2, 4])).equivalent_ellipsoid(),
            "no body has a mass of 1.0 kg and principal moments 1.0, 2.0, 4.0 kg m², so it has no equivalent ellipsoid",
        ),
        (
            lambda: MassProperties(-1.0, [0, 0, 0], np.diag([1.0, 2, 2])).minimum_length,
            "no body has a mass of -1.0 kg and principal moments 1.0, 2.0, 2.0 kg m², so it has no minimum length",
        ),
    ],
)
def test_what_is_no_body_has_no_equivalent(make, message):
    with pytest.raises(InvalidInput) as caught:
        make()
    # the principal moments are irrational in the first case: their last digit is the eigensolver's
    told, expected = (text.split("moments") for text in (str(caught.value), message))
    assert told[0] == expected[0]
    assert told[1].split(" kg m²")[1] == expected[1].split(" kg m²")[1]
    moments = [[float(v) for v in text.split(" kg m²")[0].split(", ")] for text in (told[1], expected[1])]
    assert moments[0] == pytest.approx(moments[1], rel=1e-14)


# ---- minimum length -------------------------------------------------------------------------------------------------

#: n equal masses, all a distance of 1 apart: the bodies that are no longer than their moments demand.
SIMPLICES = [
    [[0, 0, 0], [1, 0, 0]],
    [[0, 0, 0], [1, 0, 0], [0.5, math.sqrt(3) / 2, 0]],
    [[0, 0, 0], [1, 0, 0], [0.5, math.sqrt(3) / 2, 0], [0.5, math.sqrt(3) / 6, math.sqrt(2 / 3)]],
]


@pytest.mark.parametrize("corners", SIMPLICES)
def test_the_bound_is_attained(corners):
    body = MassProperties.from_point_masses(np.ones(len(corners)), corners)
    turned = body.transformed(Pose.from_xyz_rpy([1, 2, 3], [0.3, 0.4, 0.5]))
    assert turned.minimum_length == pytest.approx(1.0, rel=1e-14)


@given(clouds)
def test_no_body_is_shorter_than_its_minimum_length(cloud):
    table = np.array(cloud)
    points = table[:, 1:]
    longest = max(math.dist(p, q) for p, q in itertools.combinations(points, 2))
    body = MassProperties.from_point_masses(table[:, 0], points)
    assert body.minimum_length <= longest * (1 + 1e-12) + 1e-12
