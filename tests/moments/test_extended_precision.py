"""Integrals whose digits are cut far below the rounding of doubles: their bounds are never exceeded, and nearly always zero."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import oracles
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import moved, rotated

from massprops.errors import InvalidGeometry
from massprops.moments.exact import DEGREES, LIMBS, ExactSums, exact_moments, solid_moments

#: Sizes so different that digits are cut, with as many digits as a double has.
mixed = st.builds(math.ldexp, st.floats(-1, 1), st.integers(-400, 3))
corners = st.lists(mixed, min_size=12, max_size=12).map(lambda x: np.array(x).reshape(4, 3))
closed = corners.map(lambda p: p[np.array(oracles.TETRAHEDRON_FACES)])
apexes = st.tuples(mixed, mixed, mixed)


def exact_about(triangles, apex) -> oracles.ExactMoments:
    seen = [[[Fraction(x.item()) - Fraction(y) for x, y in zip(p, apex, strict=True)] for p in t] for t in triangles]
    return oracles.exact_moments(seen)


def largest_difference(a, b) -> Fraction:
    return np.abs(np.subtract(a, b)).max()


def cut_sums(triangles, apex, copies=1) -> ExactSums:
    sums = ExactSums(apex, LIMBS)
    for _ in range(copies):
        sums.add(triangles)
    return sums


@given(closed, apexes)
def test_no_error_exceeds_its_bound(triangles, apex):
    sums, truth = cut_sums(triangles, apex), exact_about(triangles, apex)
    seen = sums.moments()
    volume, first, *_, second = sums.errors()
    assert abs(seen.measure - truth.measure) <= volume
    assert largest_difference(seen.first, truth.first) <= first
    assert largest_difference(seen.second, truth.second) <= second


@given(closed, apexes)
def test_no_error_of_what_is_derived_exceeds_its_bound(triangles, apex):
    truth = oracles.exact_moments(triangles)
    try:
        ours, cut = solid_moments([triangles], apex)
    except InvalidGeometry:
        assert abs(truth.measure) <= 2 * cut_sums(triangles, apex).errors()[0]
        return
    off = (
        [0, 0, 0]
        if cut is None
        else [Fraction(cut.volume), *(Fraction(float(x.max())) for x in (cut.center, cut.second))]
    )
    assert abs(ours.measure - truth.measure) <= off[0]
    assert largest_difference(ours.centroid, oracles.centroid(truth)) <= off[1]
    assert largest_difference(ours.central_second(), oracles.central_second(truth)) <= off[2]


@given(closed, apexes, st.integers(-60, 60))
def test_bounds_grow_with_the_body_as_the_integrals_do(triangles, apex, power):
    # a power of two changes no digit, so what is cut is the same
    once, scaled = cut_sums(triangles, apex), cut_sums(triangles * 2.0**power, np.array(apex) * 2.0**power)
    grown = [error * Fraction(2) ** (power * degree) for error, degree in zip(once.errors(), DEGREES, strict=True)]
    assert scaled.errors() == grown


def with_a_tiny_coordinate() -> np.ndarray:
    triangles = rotated(oracles.tetrahedron())
    triangles[triangles == triangles.max()] = 1e-40 / 3
    return triangles


def test_bounds_are_small_and_not_idle():
    """One corner that needs digits far below the others: cut, seen to be cut, and off by less than 1e-34 of the size cubed."""
    triangles = with_a_tiny_coordinate()
    (ours, cut), truth = solid_moments([triangles], (0, 0, 0)), oracles.exact_moments(triangles)
    off = abs(ours.measure - truth.measure)
    assert cut is not None
    assert 0 < off <= Fraction(cut.volume) < 1e-34 * 9**3
    assert 0 < cut.center.max() < 1e-34 * 9
    assert 0 < cut.second.max() < 1e-34 * 9**5


@pytest.mark.parametrize(
    "triangles",
    [
        oracles.bumpy_torus(16, 12).astype(np.float32),
        moved(rotated(oracles.box((0, 0, 0), (1e-3, 1e-3, 1000))), (1e9, -2e9, 3e9)),
        rotated(oracles.box((0, 0, 0), (1, 1, 1e-6))) * 1e-50,
        np.where(
            oracles.tetrahedron() == 0, 1.2246467991473532e-16, oracles.tetrahedron()
        ),  # sin π as exporters write it
    ],
)
def test_ordinary_bodies_are_exact(triangles):
    assert solid_moments([triangles]) == (exact_moments([triangles]), None)


def test_errors_add_up_over_chunks():
    once, twice = (cut_sums(with_a_tiny_coordinate(), (0, 0, 0), n) for n in (1, 2))
    assert twice.errors() == [2 * error for error in once.errors()]
    assert twice.moments() == once.moments() + once.moments()


def test_a_volume_within_its_error_has_no_centre():
    flat = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 1e-60]])[np.array(oracles.TETRAHEDRON_FACES)]
    with pytest.raises(InvalidGeometry) as caught:
        solid_moments([flat])
    assert str(caught.value) == "the solid has a volume of 0 within its error, so no centre"


@pytest.mark.parametrize(("places", "kept"), [(72, True), (73, False)])
def test_as_many_digits_are_kept_as_it_says(places, kept):
    # 53 digits, the first of which stands a little below 2^-places, beside 1, which stands at 2^0: 126 places and no more
    triangles = oracles.box((2**-53 - 1, 0, 0), (1, 1, math.ldexp(1 - 2**-53, -places)))
    assert (solid_moments([triangles], (0, 0, 0))[1] is None) is kept
