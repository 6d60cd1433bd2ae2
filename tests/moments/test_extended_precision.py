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
from massprops.moments.exact import ExactMoments, exact_moments
from massprops.moments.exact_sums import DEGREES
from massprops.moments.extended_precision import ExtendedMoments, rounded_up, solid_moments

quick = settings(max_examples=60, deadline=None)
#: Sizes so different that digits are cut, with as many digits as a double has.
mixed = st.builds(math.ldexp, st.floats(-1, 1), st.integers(-400, 3))
corners = st.lists(mixed, min_size=12, max_size=12).map(lambda x: np.array(x).reshape(4, 3))
closed = corners.map(lambda p: p[np.array(oracles.TETRAHEDRON_FACES)])
share = st.fractions(0, Fraction(1, 2), max_denominator=100)
small = st.fractions(-3, 3, max_denominator=100)
ten = st.lists(small, min_size=10, max_size=10).filter(lambda values: values[0])
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
@given(
    ten,
    st.tuples(share, share, share),
    st.lists(st.sampled_from((-1, 1)), min_size=10, max_size=10),
    st.tuples(small, small, small),
)
def test_no_error_of_what_is_derived_exceeds_its_bound(values, errors, signs, apex):
    """The worst that can be: every integral off by all of its error, whatever the signs, and the errors not small."""
    seen = ExactMoments.from_integrals(values)
    e = (errors[0] * abs(values[0]), errors[1], errors[2])
    truth = ExactMoments.from_integrals(
        [x + sign * e[degree - 3] for x, sign, degree in zip(values, signs, DEGREES, strict=True)]
    )
    ours = ExtendedMoments(seen.seen_from(tuple(-x for x in apex)), apex, *e)
    assert largest(difference(seen.centroid, truth.centroid)) <= ours.centroid_error()
    assert largest(difference(seen.central_second(), truth.central_second())) <= ours.central_second_error()


@quick
@given(closed, apexes, st.integers(-60, 60))
def test_bounds_grow_with_the_body_as_the_integrals_do(triangles, apex, power):
    # a power of two changes no digit, so what is cut is the same
    once, scaled = (
        solid_moments([triangles], apex),
        solid_moments([triangles * 2.0**power], np.array(apex) * 2.0**power),
    )
    errors = once.measure_error, once.first_error, once.second_error
    grown = tuple(error * Fraction(2) ** (power * degree) for error, degree in zip(errors, (3, 4, 5), strict=True))
    assert (scaled.measure_error, scaled.first_error, scaled.second_error) == grown


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
    assert 0 <= Fraction(rounded_up(error)) - error <= Fraction(error) * Fraction(2) ** -52 + Fraction(2) ** -1074


@pytest.mark.parametrize(("places", "kept"), [(72, True), (73, False)])
def test_as_many_digits_are_kept_as_it_says(places, kept):
    # 53 digits, the first of which stands a little below 2^-places, beside 1, which stands at 2^0: 126 places and no more
    triangles = oracles.box((2**-53 - 1, 0, 0), (1, 1, math.ldexp(1 - 2**-53, -places)))
    assert solid_moments([triangles], (0, 0, 0)).exact is kept
