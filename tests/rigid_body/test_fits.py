"""What lies inside is never said to lie outside; what is said to lie outside does."""

from __future__ import annotations

import math

import numpy as np
import pytest
from cases import each, refused
from hypothesis import given
from hypothesis import strategies as st

from massprops.errors import InvalidInput
from massprops.frames import Pose
from massprops.rigid_body import shapes
from massprops.rigid_body.fits import box_findings, ellipsoid_findings, sphere_findings
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.plausibility import implausible_density, implausible_size

numbers = st.floats(-10, 10)
shares = st.floats(0, 1)
angles = st.floats(-3.1, 3.1)
triples = st.tuples(numbers, numbers, numbers)
sizes = st.tuples(*[st.floats(0.01, 10)] * 3)
poses = st.builds(lambda xyz, rpy: Pose.from_xyz_rpy(xyz, rpy), triples, st.tuples(angles, angles, angles))
inside = st.lists(st.tuples(st.floats(0.1, 10), shares, shares, shares), min_size=1, max_size=6)
# faces and corners are where the conditions are equalities
touching = st.lists(st.tuples(st.floats(0.1, 10), *[st.sampled_from([0.0, 1.0])] * 3), min_size=1, max_size=6)


def codes(findings):
    return [(f.code, f.severity) for f in findings]


SPREAD, CENTRE = ("spread-outside-bounds", "error"), ("com-outside-bounds", "error")


@given(inside | touching, triples, sizes, poses)
def test_mass_in_a_box_is_never_said_to_be_outside(cloud, corner, size, pose):
    table = np.array(cloud)
    points = np.array(corner) + table[:, 1:] * size
    body = MassProperties.from_point_masses(table[:, 0], pose.apply(points))
    assert box_findings(body, corner, np.array(corner) + size, pose) == []


@given(inside, sizes, poses)
def test_mass_in_an_ellipsoid_is_never_said_to_be_outside(cloud, size, pose):
    table = np.array(cloud)
    directions = 2 * table[:, 1:] - 1
    unit = directions / np.maximum(np.linalg.norm(directions, axis=1), 1.0)[:, None]  # some on the surface
    body = MassProperties.from_point_masses(table[:, 0], pose.apply(unit * size))
    assert ellipsoid_findings(body, size, pose) == []


@each("turn", [0.3, 0.7, 1.1])
@each("distance", [0.0, 10.0, 1e5])
@each("weights", [[1, 0, 0, 1e-9, 0, 0], [1, 0, 0, 1, 0, 0]])
@each("size", [[1.0, 0.01, 0.01], [1.0, 1.0, 0.01]])
def test_rounding_is_no_finding(size, weights, distance, turn):
    # its ends touch, and it was turned, and moved by up to ten million times its thickness
    pose = Pose.from_xyz_rpy([distance, -distance, 2 * distance], [turn, 0.4, turn])
    ends = np.array([s * e for s in (1, -1) for e in np.diag(size)])
    body = MassProperties.from_point_masses(weights, ends).transformed(pose)
    assert ellipsoid_findings(body, size, pose) == []
    assert box_findings(body, -np.array(size), size, pose) == []


@each(("share", "found"), [(1 + 1e-11, [CENTRE]), (1 + 3e-13, []), (1 - 1e-11, [])])
def test_a_centre_is_outside_by_more_than_rounding(share, found):
    """Of a thin ellipsoid in its shortest direction: by more than 1e-12 of it."""
    assert (
        codes(ellipsoid_findings(MassProperties.from_point_masses([1], [[0, 0, 0.01 * share]]), [1, 1, 0.01])) == found
    )


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_solid_box_needs_a_box_of_at_least_its_edges_over_root_three(axis):
    # x²/12 ≤ (x'/2)²: all its mass on two opposite faces
    body, half = shapes.box(2, 3, 5, mass=1.0), np.array([1, 1.5, 2.5])
    for share, expected in ((0.999, [SPREAD]), (1.001, [])):
        shrunk = half.copy()
        shrunk[axis] *= share / math.sqrt(3)
        found = box_findings(body, -shrunk, shrunk)
        assert codes(found) == expected
        assert all("xyz"[axis] in f.message for f in found)


def test_a_solid_ellipsoid_needs_an_ellipsoid_of_at_least_root_three_fifths_of_its_size():
    # 3 a²/5 summed over the axes is 1 for a scale of √(3/5)
    body, size = shapes.ellipsoid(2, 3, 5, mass=1.0), np.array([2, 3, 5])
    for share, expected in ((0.999, [SPREAD]), (1.001, [])):
        assert codes(ellipsoid_findings(body, size * math.sqrt(3 / 5) * share)) == expected


def test_a_ball_is_an_ellipsoid_wherever_it_is():
    # the mean square distance of a cube of edge 2 from its centre is 1
    cube = shapes.box(2, 2, 2, mass=3.0).translated([4, 5, 6])
    assert sphere_findings(cube, 1.001, [4, 5, 6]) == []
    assert codes(sphere_findings(cube, 0.999, [4, 5, 6])) == [SPREAD]
    # 0.5 off: 1.25
    assert sphere_findings(cube, math.sqrt(1.25) + 1e-3, [4, 5, 6.5]) == []
    assert codes(sphere_findings(cube, math.sqrt(1.25) - 1e-3, [4, 5, 6.5])) == [SPREAD]
    assert codes(sphere_findings(cube, 1.0)) == [CENTRE]


def test_a_body_near_a_corner_cannot_lean_away_from_it():
    # centre (0.1, 0.1) in the unit square: a covariance of −0.05 would need points with x y < 0
    body = MassProperties.from_second_moment(1.0, [0.1, 0.1, 0.5], [[0.05, -0.05, 0], [-0.05, 0.05, 0], [0, 0, 0]])
    found = box_findings(body, [0, 0, 0], [1, 1, 1])
    assert codes(found) == [SPREAD]
    assert found[0].message == (
        "the product of inertia in xy is too large for the bounds: the mean of (x − 0) (y − 0) over the mass is -0.04 m², and "
        "inside the bounds both are positive"
    )
    # the other way it may lean: (0.1, 0.1) is the mean of nine masses at (0, 0) and one at (1, 1)
    leaning = MassProperties.from_second_moment(1.0, [0.1, 0.1, 0.5], [[0.05, 0.05, 0], [0.05, 0.05, 0], [0, 0, 0]])
    assert box_findings(leaning, [0, 0, 0], [1, 1, 1]) == []


@each(("i", "j"), [(0, 1), (0, 2), (1, 2)])
@each("corner", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_every_corner_of_every_plane_is_watched(i, j, corner):
    com, second = np.full(3, 0.5), np.zeros((3, 3))
    com[i], com[j] = (0.1 if c == 0 else 0.9 for c in corner)
    away = -0.05 if corner[0] == corner[1] else 0.05
    second[i, i] = second[j, j] = 0.05
    second[i, j] = second[j, i] = away
    assert codes(box_findings(MassProperties.from_second_moment(1.0, com, second), [0] * 3, [1] * 3)) == [SPREAD]
    second[i, j] = second[j, i] = -away
    assert box_findings(MassProperties.from_second_moment(1.0, com, second), [0] * 3, [1] * 3) == []


def test_every_axis_tells_its_own_numbers():
    body = shapes.sphere(1.0, mass=2.0).translated([0, 3, 0])
    found = box_findings(body, [-1, -1, -1], [1, 1, 1])
    assert [f.message for f in found] == ["the centre of mass is outside the bounds in y: 3 m is not in [-1, 1] m"]
    assert (found[0].value, found[0].limit, found[0].where) == (3.0, 1.0, (0.0, 3.0, 0.0))
    found = box_findings(shapes.rod(4.0, mass=2.0), [-1, -1, -0.5], [1, 1, 1])
    assert [f.message for f in found] == [
        (
            "the mass is spread too far for the bounds in z: 1.1547 m about its centre (root mean square), and at most 0.707107 m "
            "is possible between -0.5 m and 1 m with the centre at 0 m"
        )
    ]
    assert found[0].limit == pytest.approx(math.sqrt(0.5))
    assert [f.message for f in ellipsoid_findings(body, [1, 2, 1])] == [
        "the centre of mass is outside the ellipsoid: Σ (xᵢ / aᵢ)² is 2.25 there, above 1"
    ]
    assert [f.message for f in ellipsoid_findings(shapes.rod(4.0, mass=2.0), [1, 1, 1])] == [
        "the mass is spread too far for the ellipsoid: the mean of Σ (xᵢ / aᵢ)² over it is 1.33333, above 1"
    ]


def test_a_plate_fits_a_flat_box():
    assert box_findings(shapes.plate(2, 3, mass=1.0), [-1, -1.5, 0], [1, 1.5, 0]) == []


def test_nothing_is_said_of_a_hole():
    hole = -shapes.box(2, 3, 5, mass=1.0)
    assert box_findings(hole, [0, 0, 0], [1, 1, 1]) == []
    assert sphere_findings(hole, 0.1) == []


def test_what_is_made_has_a_plausible_density_and_size():
    """From foams of 20 kg/m³ to osmium, of 22 590; from what a watch has, 0.2 mm, to 10 m."""
    for limits, found in (
        ((20.0, 22590.0), implausible_density),
        ((2e-4, 10.0), lambda size: implausible_size(size, None, "m")),
    ):
        assert [found(x) for x in limits] == [[], []]
        assert [len(found(x)) for x in (limits[0] * 0.999, limits[1] * 1.11)] == [1, 1]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda b: box_findings(b, [0, 2, 0], [1, 1, 1]), "lower corner is above the upper in y: 2.0 m and 1.0 m"),
        (lambda b: box_findings(b, [0, 0], [1, 1, 1]), "lower must have shape (3,), got (2,)"),
        (lambda b: ellipsoid_findings(b, [1, 0, 1]), "semi-axis must be positive, got 0.0 m"),
    ],
)
def test_what_is_no_container_is_refused(make, message):
    assert refused(InvalidInput, make, shapes.sphere(1.0, mass=1.0)) == message
