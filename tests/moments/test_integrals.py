"""One kernel for points, wires, sheets and solids, and the algebra of what it returns.

Answers are exact: monomials over the unit simplex integrate to a! b! c! / (a + b + c + k)!, multiplied out in rationals; where
inputs are small integers, sums of them are exact in doubles too, and only the divisions round.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from cases import each
from hypothesis import given
from hypothesis import strategies as st
from oracles import (
    TETRAHEDRON,
    rational,
    simplex_monomial,
)

from massprops.moments.integrals import Moments, moments_of, simplex_moments, simplex_sums

EPSILON = 2.0**-53
#: Sums of small integers are exact: what rounds is the measure given (once), one product and one division.
FEW = 4 * EPSILON

whole = st.integers(-20, 20)


def exact_simplex(points, measure: Fraction):
    """∫1, ∫x, ∫x xᵀ over a simplex of k + 1 points in d dimensions, from the monomials in barycentric coordinates.

    x = Σ uᵢ pᵢ; the average of uᵢ uⱼ over the simplex is k! (1 + [i = j]) / (k + 2)!.
    """
    k, d = len(points) - 1, len(points[0])
    unit = simplex_monomial(*[0] * k) if k else Fraction(1)
    linear = simplex_monomial(1, *[0] * (k - 1)) / unit if k else Fraction(1)
    square = simplex_monomial(2, *[0] * (k - 1)) / unit if k else Fraction(1)
    mixed = square / 2
    first = [measure * linear * sum(rational(p[a]) for p in points) for a in range(d)]
    pairs = list(product(range(k + 1), repeat=2))
    second = [
        [
            measure
            * sum((square if i == j else mixed) * rational(points[i][a]) * rational(points[j][b]) for i, j in pairs)
            for b in range(d)
        ]
        for a in range(d)
    ]
    return measure, first, second


def exact_sum(simplices, measures):
    """Of many simplices, as arrays of correctly rounded doubles: measure, first, second."""
    parts = [exact_simplex(s, rational(m)) for s, m in zip(simplices, measures, strict=True)]
    d = range(len(parts[0][1]))
    measure = sum(p[0] for p in parts)
    first = [sum(p[1][a] for p in parts) for a in d]
    second = [[sum(p[2][a][b] for p in parts) for b in d] for a in d]
    return float(measure), np.array(first, dtype=float), np.array(second, dtype=float)


def columns(simplices) -> np.ndarray:
    """(n, q, d) as the kernel wants it: (q, d, n)."""
    return np.ascontiguousarray(np.asarray(simplices, dtype=float).transpose(1, 2, 0))


def simplices_of(k: int, d: int):
    points = st.lists(st.tuples(*[whole] * d), min_size=k + 1, max_size=k + 1)
    return st.lists(st.tuples(points, st.integers(-9, 9)), min_size=1, max_size=5)


# --- the kernel ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("k", "d"), [(k, d) for d in (2, 3) for k in range(d + 1)])
@given(st.data())
def test_every_kind_of_simplex_has_the_moments_of_exact_integration(k, d, data):
    drawn = data.draw(simplices_of(k, d))
    simplices, measures = [s for s, _ in drawn], [float(m) for _, m in drawn]
    got = simplex_moments(columns(simplices), np.array(measures), k, np.zeros(d))
    measure, first, second = exact_sum(simplices, measures)
    assert got.measure == measure  # a sum of small integers
    assert got.first == pytest.approx(first, rel=FEW, abs=0)
    assert got.second == pytest.approx(second, rel=FEW, abs=0)


@pytest.mark.parametrize(("k", "d"), [(1, 2), (2, 2), (1, 3), (2, 3), (3, 3)])
@given(st.data())
def test_a_corner_at_the_reference_may_be_left_out(k, d, data):
    drawn = data.draw(simplices_of(k - 1, d))
    rest, measures = np.array([s for s, _ in drawn], dtype=float), np.array([float(m) for _, m in drawn])
    whole_simplices = np.concatenate([rest, np.zeros((len(rest), 1, d))], axis=1)
    short = simplex_moments(columns(rest), measures, k, np.zeros(d))
    full = simplex_moments(columns(whole_simplices), measures, k, np.zeros(d))
    assert short.first.tolist() == full.first.tolist()
    assert short.second.tolist() == full.second.tolist()


def test_the_kernel_leaves_its_input_alone():
    corners, measure = columns([TETRAHEDRON]), np.array([181 / 6])
    before = corners.copy(), measure.copy()
    simplex_moments(corners, measure, 3, np.zeros(3))
    assert np.array_equal(corners, before[0])
    assert np.array_equal(measure, before[1])


def test_kinds_on_the_same_corners_are_as_if_alone():
    corners, measures = columns([TETRAHEDRON, TETRAHEDRON[::-1]]), [np.array([2.0, -3.0]), np.array([0.5, 7.0])]
    together = simplex_sums(corners, measures)
    for got, measure, order in zip(together, measures, (3, 2), strict=True):
        alone = simplex_moments(corners, measure, order, np.ones(3))
        assert_equal(moments_of(got, order, np.ones(3)), alone, roundings=0)


def test_many_terms_cost_no_more_digits_than_one():
    # The same triangle 2²⁰ times, of measure 1/10: pairwise sums are off by log₂ n roundings, running ones by thousands.
    n = 1 << 20
    corner = np.array([[0.1, 0.2, 0.7]])
    corners = np.broadcast_to(corner[:, :, None], (1, 3, n))
    got = simplex_moments(corners, np.full(n, 0.1), 0, np.zeros(3))
    exact = float(n * rational(0.1) * rational(0.7) * rational(0.7))
    assert got.second[2, 2] == pytest.approx(exact, rel=24 * EPSILON, abs=0)


# --- the algebra -----------------------------------------------------------------------------------------------------


def moments_about(reference, simplices=(TETRAHEDRON,), measures=(3.0,), k=3) -> Moments:
    r = np.array(reference, dtype=float)
    return simplex_moments(columns(np.asarray(simplices, dtype=float) - r), np.array(measures), k, r)


def assert_equal(one: Moments, other: Moments, *, roundings: int) -> None:
    """Same reference, and entries within `roundings` of the largest of their kind."""
    assert one.reference.tolist() == other.reference.tolist()
    assert one.measure == pytest.approx(other.measure, rel=roundings * EPSILON, abs=0)
    for a, b in ((one.first, other.first), (one.second, other.second)):
        assert np.abs(a - b).max() <= roundings * EPSILON * max(np.abs(b).max(), np.abs(a).max(), 1.0)


@given(st.tuples(whole, whole, whole), st.tuples(whole, whole, whole))
def test_parallel_axes_agree_with_integrating_about_the_other_point(here, there):
    # Entries up to 3 · 40²: what cancels on the way is no larger than a few of these.
    moved, direct = moments_about(here).about(there), moments_about(there)
    assert moved.reference.tolist() == list(map(float, there))
    assert moved.measure == direct.measure
    assert np.abs(moved.first - direct.first).max() <= 3 * 40 * 8 * EPSILON
    assert np.abs(moved.second - direct.second).max() <= 3 * 40**2 * 16 * EPSILON


@given(st.tuples(whole, whole, whole))
def test_the_centroid_and_the_central_moments_know_no_reference(here):
    p = np.array([[Fraction(x) for x in q] for q in TETRAHEDRON])
    c = p.sum(axis=0) / 4
    arms = p - c
    exact = 3 * (arms.T @ arms) / 20  # the textbook tetrahedron, V/20 Σ (pᵢ − c)(pᵢ − c)ᵀ
    got = moments_about(here)
    assert np.abs(got.centroid - c.astype(float)).max() <= 4 * EPSILON * 40
    assert np.abs(got.central_second() - exact.astype(float)).max() <= 3 * 40**2 * 8 * EPSILON


@each("power", [-160, -140, 0, 140, 160])
def test_the_central_moments_of_huge_and_tiny_bodies_keep_every_bit(power):
    # Sizes of 1e±48: fifth powers are doubles, eighth powers (first firstᵀ) are not.
    s = 2.0**power
    unit = moments_about((0, 0, 0))
    scaled = unit.scaled(s)
    assert scaled.central_second().tolist() == (s**5 * unit.central_second()).tolist()
    assert scaled.centroid.tolist() == (s * unit.centroid).tolist()


def test_the_central_moments_are_symmetric_to_the_last_bit():
    central = moments_about((0.1, 0.7, -0.3)).central_second()
    assert central.tolist() == central.T.tolist()


@given(st.tuples(whole, whole, whole), st.tuples(whole, whole, whole))
def test_a_sum_is_about_the_first_point_whatever_the_second_is_about(here, there):
    a, b = moments_about(here), moments_about(there, [TETRAHEDRON[::-1]], [5.0])
    total = a + b
    assert total.reference.tolist() == list(map(float, here))
    both = moments_about(here, [TETRAHEDRON, TETRAHEDRON[::-1]], [3.0, 5.0])
    assert total.measure == both.measure == 8.0
    assert np.abs(total.first - both.first).max() <= 8 * 40 * 8 * EPSILON
    assert np.abs(total.second - both.second).max() <= 8 * 40**2 * 16 * EPSILON


def test_adding_nothing_changes_nothing_and_taking_itself_away_leaves_nothing():
    body = moments_about((1, 2, 3))
    assert_equal(body + Moments.zero((1, 2, 3)), body, roundings=0)
    gone = body - body
    assert (gone.measure, gone.first.tolist(), gone.second.tolist()) == (0.0, [0.0] * 3, [[0.0] * 3] * 3)


def test_the_opposite_negates_all_but_the_reference():
    body = moments_about((1, 2, 3))
    hole = -body
    assert hole.measure == -3.0
    assert hole.first.tolist() == (-body.first).tolist()
    assert hole.second.tolist() == (-body.second).tolist()
    assert hole.reference.tolist() == [1.0, 2.0, 3.0]
    assert hole.centroid.tolist() == body.centroid.tolist()


@given(
    st.lists(st.integers(-4, 4), min_size=9, max_size=9), st.tuples(whole, whole, whole), st.tuples(whole, whole, whole)
)
def test_a_map_of_the_moments_is_the_moments_of_the_mapped_body(entries, offset, here):
    a = np.array(entries, dtype=float).reshape(3, 3)
    det = abs(round(float(np.linalg.det(a))))
    image = np.array(TETRAHEDRON) @ a.T + np.array(offset)
    expected = moments_about(a @ np.array(here) + np.array(offset), [image], [3.0 * det])
    got = moments_about(here).mapped(a, offset)
    # det of integers up to 4 is below 6 · 4³ and rounds a few times, absolutely; arms are below 40 · 4 · 3.
    slack = 3 * 6 * 4**3 * 64 * EPSILON
    assert got.reference.tolist() == expected.reference.tolist()
    assert abs(got.measure - expected.measure) <= slack
    assert np.abs(got.first - expected.first).max() <= slack * 480
    assert np.abs(got.second - expected.second).max() <= slack * 480**2


@each(("dimension", "power"), [(None, 3), (3, 3), (2, 2), (1, 1), (0, 0)])
def test_scaling_goes_with_the_dimension_of_what_was_measured(dimension, power):
    # A power of two: no rounding. A sheet in space goes with the square, a point with nothing.
    body, s = moments_about((1, 2, 3)), 4.0
    scaled = body.scaled(s, dimension)
    assert scaled.measure == s**power * body.measure
    assert scaled.first.tolist() == (s ** (power + 1) * body.first).tolist()
    assert scaled.second.tolist() == (s ** (power + 2) * body.second).tolist()
    assert scaled.reference.tolist() == [4.0, 8.0, 12.0]


def test_a_polygon_scales_with_the_square_by_itself():
    square = simplex_moments(columns([[(1, 0), (0, 1)]]), np.array([0.5]), 2, np.zeros(2))
    assert square.scaled(2.0).measure == 2.0


def test_moments_are_equal_by_value():
    # an equality of arrays has no truth value: `==` would raise where somebody only looks a body up in a list
    body = moments_about((0, 0, 0))
    assert body in [moments_about((1, 0, 0)), moments_about((0, 0, 0))]
    assert body not in [moments_about((1, 0, 0))]
    assert len({body, moments_about((0, 0, 0))}) == 1


def generic() -> Moments:
    """Of the tetrahedron with three distinct products, about a point away from it."""
    corners = np.ascontiguousarray(np.asarray(TETRAHEDRON, dtype=float)[:, :, np.newaxis])
    reference = np.array([1.0, -2.0, 4.0])
    return simplex_moments(corners - reference[:, np.newaxis], np.array([181 / 6]), 3, reference)


def test_one_of_several_equal_bodies_has_its_share_of_every_integral():
    body = generic()
    one = (body + body + body).divided(3)
    assert one.measure == pytest.approx(body.measure, rel=FEW)
    np.testing.assert_allclose(one.first, body.first, rtol=FEW)
    np.testing.assert_allclose(one.second, body.second, rtol=FEW)
    np.testing.assert_array_equal(one.reference, body.reference)


def test_a_rigid_motion_moves_the_corners():
    """Moments of the moved body are those of the moved corners: a turn about an axis without symmetry, and a translation."""
    c, s = 0.6, 0.8
    turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    shift = np.array([10.0, -20.0, 30.0])
    body = generic()
    moved = body.moved(turn, shift)
    corners = np.asarray(TETRAHEDRON, dtype=float) @ turn.T + shift
    expected = simplex_moments((corners - moved.reference)[:, :, np.newaxis], np.array([181 / 6]), 3, moved.reference)
    assert moved.measure == body.measure
    np.testing.assert_allclose(moved.reference, turn @ body.reference + shift, rtol=FEW)
    np.testing.assert_allclose(moved.first, expected.first, rtol=0, atol=1e-13 * np.abs(expected.first).max())
    np.testing.assert_allclose(moved.second, expected.second, rtol=0, atol=1e-13 * np.abs(expected.second).max())
