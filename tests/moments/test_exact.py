"""Integrals without rounding, and results rounded once: equal to the oracles' fractions, bit for bit."""

from __future__ import annotations

from fractions import Fraction
from itertools import product as pairs

import numpy as np
import oracles
import pytest
from cases import each, refused
from hypothesis import given
from hypothesis import strategies as st
from oracles import TETRAHEDRON_PRODUCTS, TETRAHEDRON_VOLUME, floats, moved, rotated

from massprops.errors import InvalidGeometry, InvalidInput
from massprops.moments import exact
from massprops.moments.exact import ExactMoments, exact_moments
from massprops.moments.integrals import Moments
from massprops.rigid_body.mass_properties import MassProperties

#: Fifth powers of these are far outside the range of doubles; nothing in whole numbers minds.
coordinates = st.floats(-1e200, 1e200, allow_subnormal=True)
soups = st.lists(st.lists(coordinates, min_size=9, max_size=9), min_size=1, max_size=5).map(
    lambda rows: np.array(rows).reshape(-1, 3, 3)
)
singles = st.lists(
    st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=9, max_size=9), min_size=1, max_size=5
).map(lambda rows: np.array(rows, dtype=np.float32).reshape(-1, 3, 3))
near = st.floats(-2, 2)
tetrahedra = st.lists(near, min_size=12, max_size=12).map(
    lambda x: np.array(x).reshape(4, 3)[np.array(oracles.TETRAHEDRON_FACES)]
)
ORIGIN = (0.0, 0.0, 0.0)

PLATE = rotated(oracles.box((0, 0, 0), (1, 1, 1e-6)))
ROD = rotated(oracles.box((0, 0, 0), (1e-3, 1e-3, 1000)), (3, -2, 5, 1))
#: Name to triangles: what costs ordinary summation its digits.
HARD = {
    f"{name}, {sizes:g} sizes off": moved(body, sizes * size * np.array([0.8, -0.5, 0.3]))
    for name, body, size in (("plate", PLATE, 1), ("rod", ROD, 1000), ("tetrahedron", oracles.tetrahedron(), 9))
    for sizes in (0, 1e3, 1e6)
}
HARD |= {f"{name}, float32": body.astype(np.float32) for name, body in list(HARD.items())[:7:3]}
HARD |= {f"plate × {size:g}": PLATE * size for size in (1e-50, 1e50)}
each_hard = pytest.mark.parametrize("triangles", HARD.values(), ids=HARD)


def same(ours: ExactMoments, theirs: oracles.ExactMoments, point=ORIGIN) -> bool:
    """About a point, by default the origin; every number a fraction."""
    seen = ours.about(point)
    numbers = [seen.measure, *seen.first, *seen.second.ravel()]
    assert all(isinstance(x, Fraction) for x in numbers)
    return numbers == [theirs.measure, *theirs.first, *(x for row in theirs.second for x in row)]


# --- the integrals ---------------------------------------------------------------------------------------------------


def test_the_first_oracle():
    ours = exact_moments([oracles.tetrahedron()])
    tensor = ours.central_inertia()
    assert ours.measure == TETRAHEDRON_VOLUME
    assert (tensor[0][1], tensor[0][2], tensor[1][2]) == TETRAHEDRON_PRODUCTS


@given(st.one_of(soups, singles))
def test_any_triangles_make_the_tetrahedra_that_they_make_with_the_origin(triangles):
    assert same(exact_moments([triangles], ORIGIN), oracles.exact_moments(triangles))


@given(soups, st.tuples(coordinates, coordinates, coordinates))
def test_an_open_surface_is_closed_at_the_apex(triangles, apex):
    r = [Fraction(x) for x in apex]
    seen = [[[Fraction(x.item()) - y for x, y in zip(p, r, strict=True)] for p in t] for t in triangles]
    assert same(exact_moments([triangles], apex), oracles.exact_moments(seen), apex)


@each_hard
def test_a_closed_body_measures_as_exact_arithmetic_says(triangles):
    assert same(exact_moments([triangles]), oracles.exact_moments(triangles))


@given(tetrahedra, st.tuples(near, near, near))
def test_over_a_closed_surface_the_apex_changes_nothing(triangles, apex):
    assert exact_moments([triangles], apex) == exact_moments([triangles])


def test_chunks_and_blocks_add_up():
    # 3,072 facets are three blocks in one chunk; the last chunk is short
    triangles = rotated(oracles.bumpy_torus(48, 32)).astype(np.float32)
    whole = exact_moments([triangles])
    assert same(whole, oracles.exact_moments(triangles))
    assert exact_moments([triangles[:700], triangles[700:3000], triangles[3000:]]) == whole
    apex = (0.25, 3.0, -7.0)
    assert exact_moments([triangles[:700]], apex) + exact_moments([triangles[700:]], apex) == whole


def test_the_sums_of_a_block_have_room():
    # the bound of `dot`: limbs of 2²⁰, of sums of three corners 3 · 2²⁰; beyond 2⁵³ doubles are no longer all whole numbers
    assert exact._BLOCK * 2**20 * 3 * 2**20 <= 2**53


def test_nothing_measures_nothing():
    nothing = exact_moments([])
    assert [nothing.measure, *nothing.first, *nothing.second.ravel()] == [0] * 13
    assert refused(InvalidGeometry, nothing.rounded) == "the solid has a volume of exactly 0, so no centre"


# --- what is made of them --------------------------------------------------------------------------------------------


@each_hard
def test_properties_are_rounded_once(triangles):
    density = Fraction("2700.1")
    body = oracles.exact_body(triangles)
    ours = MassProperties.from_exact_moments(exact_moments([triangles]), density=density)
    assert ours.mass == float(density * body.volume)
    assert ours.com.tolist() == floats(body.centroid).tolist()
    assert ours.inertia.tolist() == [[float(density * x) for x in row] for row in body.inertia]


def test_a_mass_makes_the_density():
    body = oracles.exact_body(oracles.tetrahedron())
    ours = MassProperties.from_exact_moments(exact_moments([oracles.tetrahedron()]), mass=0.1)
    assert ours.mass == 0.1
    assert ours.inertia.tolist() == [[float(Fraction(0.1) / body.volume * x) for x in row] for row in body.inertia]


@each_hard
def test_ordinary_doubles_about_the_centroid_keep_every_digit(triangles):
    """What the rest of the program computes from `rounded` is right to a few roundings, each entry by itself."""
    body = oracles.exact_body(triangles)
    moments = exact_moments([triangles]).rounded()
    properties = MassProperties.from_moments(moments, density=1.0)
    expected = floats(body.inertia)
    assert isinstance(moments, Moments)
    assert moments.measure == float(body.volume)
    seen = exact_moments([triangles]).about(moments.reference)
    assert moments.reference.tolist() == floats(body.centroid).tolist()
    assert moments.first.tolist() == floats(seen.first).tolist()
    assert moments.second.tolist() == floats(seen.second).tolist()
    # half an ulp of the centroid, of `second`, of a sum of two of them, and of the product with the density
    assert np.abs(properties.com - floats(body.centroid)).max() <= 2**-52 * np.abs(floats(body.centroid)).max()
    assert (np.abs(properties.inertia - expected) <= 4 * 2**-53 * np.abs(expected)).all()


def test_a_unit_of_length_is_exact():
    triangles = rotated(oracles.tetrahedron())
    inch = Fraction(254, 10000)
    in_metres = [[[Fraction(x.item()) * inch for x in p] for p in t] for t in triangles]
    assert same(exact_moments([triangles]).scaled(inch), oracles.exact_moments(in_metres))


@given(tetrahedra, st.tuples(*[near] * 3))
def test_a_moved_body_is_that_of_the_moved_corners(triangles, t):
    r = floats(oracles.rotation(5, 1, -3, 2))
    image = [
        [
            [sum(Fraction(r[i, k].item()) * Fraction(p[k].item()) for k in range(3)) + Fraction(t[i]) for i in range(3)]
            for p in f
        ]
        for f in triangles
    ]
    # in doubles no matrix is quite a rotation: the image of the corners is larger by its determinant
    larger = oracles.determinant([[Fraction(x) for x in row] for row in r.tolist()])
    ours, theirs = exact_moments([triangles]).moved(r, t).about(ORIGIN), oracles.exact_moments(image)
    assert ours.measure * larger == theirs.measure
    assert all(x * larger == y for x, y in zip(ours.first, theirs.first, strict=True))
    assert all(ours.second[i][j] * larger == theirs.second[i][j] for i, j in pairs(range(3), repeat=2))


@each(
    ("given", "message"),
    [
        ({}, "expected one of density and mass, got neither"),
        ({"density": 1, "mass": 1}, "expected one of density and mass, got both"),
        ({"density": Fraction(-1, 2)}, "density must be positive, got Fraction(-1, 2) kg/m³"),
        ({"mass": 0.0}, "mass must be positive, got 0.0 kg"),
        ({"mass": float("nan")}, "mass must be finite, got nan kg"),
        ({"mass": float("inf")}, "mass must be finite, got inf kg"),
    ],
)
def test_bad_densities_and_masses_are_refused(given, message):
    with pytest.raises(InvalidInput) as caught:
        MassProperties.from_exact_moments(exact_moments([oracles.tetrahedron()]), **given)
    assert str(caught.value) == message
