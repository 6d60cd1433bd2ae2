"""Integrals whose digits are cut far below the rounding of doubles: their bounds are never exceeded, and nearly always zero."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import oracles
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import moved, rotated

from massprops.errors import InvalidGeometry
from massprops.exact import exact_moments
from massprops.extended import rounded_up, solid_moments

quick = settings(max_examples=60, deadline=None)
#: Sizes so different that digits are cut, with as many digits as a double has.
mixed = st.builds(math.ldexp, st.floats(-1, 1), st.integers(-400, 3))
corners = st.lists(mixed, min_size=12, max_size=12).map(lambda x: np.array(x).reshape(4, 3))
closed = corners.map(lambda p: p[np.array(oracles.TETRAHEDRON_FACES)])
apexes = st.tuples(mixed, mixed, mixed)


def exact_about(triangles, apex) -> oracles.ExactMoments:
    seen = [[[Fraction(x.item()) - Fraction(y) for x, y in zip(p, apex, strict=True)] for p in t] for t in triangles]
    return oracles.exact_moments(seen)


def largest(values) -> Fraction:
    return max(abs(x) for row in values for x in (row if isinstance(row, tuple) else (row,)))


def difference(a, b):
    return tuple(
        tuple(x - y for x, y in zip(p, q, strict=True)) if isinstance(p, tuple) else p - q
        for p, q in zip(a, b, strict=True)
    )


@quick
@given(closed, apexes)
def test_no_error_exceeds_its_bound(triangles, apex):
    ours, truth = solid_moments([triangles], apex), exact_about(triangles, apex)
    seen = ours.moments.seen_from(ours.apex)
    assert abs(seen.measure - truth.measure) <= ours.measure_error
    assert largest(difference(seen.first, truth.first)) <= ours.first_error
    assert largest(difference(seen.second, truth.second)) <= ours.second_error


@quick
@given(closed, apexes)
def test_no_error_of_what_is_derived_exceeds_its_bound(triangles, apex):
    ours, truth = solid_moments([triangles], apex), oracles.exact_moments(triangles)
    try:
        bound = ours.centroid_error()
    except InvalidGeometry:
        assert abs(truth.measure) <= 2 * ours.measure_error
        return
    assert largest(difference(ours.moments.centroid, oracles.centroid(truth))) <= bound
    assert (
        largest(difference(ours.moments.central_second(), oracles.central_second(truth))) <= ours.central_second_error()
    )


def test_bounds_are_small_and_not_idle():
    """One corner that needs digits far below the others: cut, seen to be cut, and off by less than 1e-34 of the size cubed."""
    triangles = rotated(oracles.tetrahedron())
    triangles[triangles == triangles.max()] = 1e-40 / 3
    ours, truth = solid_moments([triangles], (0, 0, 0)), oracles.exact_moments(triangles)
    off = abs(ours.moments.measure - truth.measure)
    assert not ours.exact
    assert 0 < off <= ours.measure_error < 1e-34 * 9**3
    assert ours.measure_error < ours.first_error < ours.second_error < 1e-34 * 9**5


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
    ours = solid_moments([triangles])
    assert ours.exact
    assert (ours.centroid_error(), ours.central_second_error()) == (0, 0)
    assert ours.moments == exact_moments([triangles])


def test_errors_add_up_over_chunks():
    triangles = rotated(oracles.tetrahedron())
    triangles[triangles == triangles.max()] = 1e-40 / 3
    once, twice = (solid_moments([triangles] * n, (0, 0, 0)) for n in (1, 2))
    assert twice.measure_error == 2 * once.measure_error
    assert twice.moments.measure == 2 * once.moments.measure


def test_a_volume_within_its_error_has_no_centre():
    flat = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 1e-60]])[np.array(oracles.TETRAHEDRON_FACES)]
    with pytest.raises(InvalidGeometry) as caught:
        solid_moments([flat]).centroid_error()
    assert str(caught.value) == "the solid has a volume of 0 within its error, so no centre"


@quick
@given(st.fractions(0, 1).map(lambda x: x / 3))
def test_a_rounded_bound_is_no_smaller(error):
    assert 0 <= rounded_up(error) - error <= Fraction(error) * Fraction(2) ** -52 + Fraction(2) ** -1074


@pytest.mark.parametrize(("places", "kept"), [(73, True), (76, False)])
def test_as_many_digits_are_kept_as_it_says(places, kept):
    # 53 digits of which the last counts, beside 1: 126 places and no more
    triangles = oracles.box((2**-53 - 1, 0, 0), (1, 1, math.ldexp(1 - 2**-53, -places)))
    assert solid_moments([triangles], (0, 0, 0)).exact is kept
