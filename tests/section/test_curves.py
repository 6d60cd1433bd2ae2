"""Curves are integrated as what they are: closed forms, rationals, and the laws of maps, joins and directions."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise

import numpy as np
import pytest
from cases import each, refused
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from oracles import bezier_loop_moments, ellipse_perimeter, floats, lee_polygon_moments

from massprops.errors import InvalidInput
from massprops.moments.arrays import sum_of
from massprops.moments.integrals import Moments
from massprops.moments.uncertainty import U
from massprops.section.curves import (
    Bezier,
    Curve,
    EllipticArc,
    Polyline,
    Slivers,
    box,
    nurbs,
    polygon_moments,
    ring_moments,
    sliver_moments,
)
from massprops.section.outline import ROUNDINGS

#: Sums of some 64 terms, each good to a few units in the last place.
FEW = 1e-14
#: What is promised of any curve: 1e-12 of the shape's size.
PROMISED = 1e-12

CURVES: dict[str, Curve] = {
    "polyline": Polyline([[1, 2], [4, 2.5], [3, 5], [0, 4]]),
    "circular arc": EllipticArc.circular([2, -1], 3, 0.4, 4.0),
    "clockwise arc": EllipticArc.circular([2, -1], 3, 0.4, -2.0),
    "circle": EllipticArc.circle([2, -1], 3),
    "elliptic arc": EllipticArc.elliptic([2, -1], [3, 1], 0.4, -1, 5),
    "bulge": EllipticArc.bulge([1, 2], [4, 3], -0.7),
    "parabola": Bezier([[1, 2], [4, -1], [5, 5]]),
    "cubic": Bezier([[1, 2], [7, -1], [-3, 4], [5, 5]]),
    "rational": Bezier([[1, 2], [7, -1], [-3, 4], [5, 5]], [1, 3, 0.5, 2]),
}
each_curve = pytest.mark.parametrize("curve", CURVES.values(), ids=CURVES.keys())


def flat(m: Moments) -> np.ndarray:
    """The six numbers about the origin."""
    m = m.about([0, 0])
    return np.array([m.measure, *m.first, *m.second.ravel()])


def swept_moments(curves: Iterable[Curve], reference: ArrayLike) -> Moments:
    """Of the signed region swept from a point to curves, of chords and slivers as outlines are; of a closed ring its inside."""
    r, curves = np.asarray(reference, dtype=np.float64), list(curves)
    chords = sum_of(polygon_moments(c.chords(), r) for c in curves)
    return chords + sliver_moments(Slivers.joined([c.slivers() for c in curves]), r)


def moments(curve: Curve, reference: ArrayLike) -> Moments:
    return swept_moments([curve], reference)


def close(got: Moments, want: Moments, tolerance: float = PROMISED) -> None:
    a, b = flat(got), flat(want)
    np.testing.assert_allclose(a, b, rtol=0, atol=tolerance * np.abs(b).max())


# --- closed forms ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("center", [(0, 0), (3, -4), (1e6, -2e6), (123456.789, 0.1)])
def test_a_circle_is_pi_r_squared_wherever_it_is(center: tuple[float, float]) -> None:
    # CAD drawings lie at map coordinates; the digits of a small circle must not be lost there
    r = 0.37
    m = swept_moments([EllipticArc.circle(center, r)], np.add(center, [r, 0]))
    assert m.measure == pytest.approx(math.pi * r**2, rel=FEW)
    np.testing.assert_allclose(m.central_second(), math.pi * r**4 / 4 * np.eye(2), rtol=0, atol=FEW * r**4)
    np.testing.assert_allclose(m.centroid, center, rtol=4e-16, atol=FEW * r)


def test_an_ellipse_has_its_closed_form_along_its_own_axes() -> None:
    a, b, turn = 5.0, 1.5, math.atan2(4, 3)
    m = moments(EllipticArc.elliptic([1, 2], [3, 4], b / a), [1, 2])
    axes = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    wanted = axes @ np.diag([math.pi * a**3 * b / 4, math.pi * a * b**3 / 4]) @ axes.T
    assert m.measure == pytest.approx(math.pi * a * b, rel=FEW)
    np.testing.assert_allclose(m.second, wanted, rtol=0, atol=FEW * wanted.max())


def test_a_half_disc_by_its_bulge() -> None:
    r = 2.0
    m = moments(EllipticArc.bulge([-r, 0], [r, 0], 1.0), [0, 0])  # counter-clockwise: below the chord
    assert m.measure == pytest.approx(math.pi * r**2 / 2, rel=FEW)
    np.testing.assert_allclose(m.centroid, [0, -4 * r / (3 * math.pi)], rtol=FEW, atol=FEW)
    about_x = (math.pi / 8 - 8 / (9 * math.pi)) * r**4
    np.testing.assert_allclose(m.central_second(), np.diag([math.pi / 8 * r**4, about_x]), rtol=FEW, atol=FEW * r**4)


@each("bulge", [3e-4, 1e-6, 1e-9, -1e-9, 1e-12])
def test_a_flat_arc_keeps_its_digits(bulge: float) -> None:
    # segment: chord² / 4 · (θ − sin θ) / (2 sin² θ/2); for a small bulge b: b c² / 3 · (1 + b²/5 + …)
    arc, chord = EllipticArc.bulge([1, 1], [4, 5], bulge), Polyline([[1, 1], [4, 5]])
    area = moments(arc, [2, 2]).measure - moments(chord, [2, 2]).measure
    wanted = 25 * bulge / 3 * (1 + 0.2 * bulge**2)
    assert area == pytest.approx(wanted, rel=PROMISED, abs=1e-15)  # the triangle beside it has ½
    assert arc.slivers().measure.sum() == pytest.approx(wanted, rel=PROMISED)


def test_a_bulge_keeps_the_points_of_the_file() -> None:
    arc = EllipticArc.bulge([0.1, 0.2], [0.7, 0.3], 0.3)
    assert (arc.start.tolist(), arc.end.tolist()) == ([0.1, 0.2], [0.7, 0.3])
    assert (arc.reversed().start.tolist(), arc.reversed().end.tolist()) == ([0.7, 0.3], [0.1, 0.2])


@each("degree", [2, 3, 4, 5, 7])
def test_bezier_curves_against_polynomials_in_rationals(degree: int) -> None:
    control = np.random.default_rng(degree).integers(-20, 20, (degree + 1, 2)) / 4
    m = moments(Bezier(control), control[0])
    assert np.abs(m.measure) > 0
    oracle = bezier_loop_moments(control)
    chord = moments(Polyline(control[[0, -1]]), control[0])
    got = flat(m - chord)
    want = np.array([floats(oracle.measure), *floats(oracle.first), *floats(oracle.second).ravel()])
    np.testing.assert_allclose(got, want, rtol=0, atol=PROMISED * np.abs(control).max() ** 4)


def test_a_rational_parabola_is_a_circle() -> None:
    k = math.sqrt(0.5)
    quarter = Bezier([[1, 0], [1, 1], [0, 1]], [1, k, 1])
    close(moments(quarter, [0, 0]), moments(EllipticArc.circular([0, 0], 1, 0, math.pi / 2), [0, 0]), FEW)
    assert quarter.length() == pytest.approx(math.pi / 2, rel=FEW)
    assert quarter.slivers().error == 0


def test_a_weight_near_nothing_is_integrated_all_the_same() -> None:
    # the curve hugs its chord but for a spike of speed: the fixed rule would miss it
    sharp = Bezier([[1, 0], [1, 1], [0, 1]], [1, 200, 1])
    wanted = 0.0
    t = np.linspace(0, 1, 2_000_001)
    w = (1 - t) ** 2 + 400 * t * (1 - t) + t**2
    x, y = ((1 - t) ** 2 + 400 * t * (1 - t)) / w, (400 * t * (1 - t) + t**2) / w
    wanted = float((x[:-1] * y[1:] - x[1:] * y[:-1]).sum() / 2)
    assert moments(sharp, [0, 0]).measure == pytest.approx(
        wanted, rel=1e-8
    )  # the polygon's error: (speed · step)² / 12


def test_a_spline_of_whole_circle_and_one_without_clamps() -> None:
    k = math.sqrt(0.5)
    corners = [[1, 0], [1, 1], [0, 1], [-1, 1], [-1, 0], [-1, -1], [0, -1], [1, -1], [1, 0]]
    circle = nurbs(2, [0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4], corners, [1, k] * 4 + [1])
    assert swept_moments(circle, [0, 0]).measure == pytest.approx(math.pi, rel=FEW)
    p = np.array([[0, 0], [1, 2], [3, 1], [4, 0], [5, 5]], dtype=float)
    pieces = nurbs(3, np.arange(9.0), p)  # uniform cubic: the textbook matrix
    assert len(pieces) == 2
    for k_, piece in enumerate(pieces):
        a, b, c, d = p[k_ : k_ + 4]
        wanted = [(a + 4 * b + c) / 6, (2 * b + c) / 3, (b + 2 * c) / 3, (b + 4 * c + d) / 6]
        np.testing.assert_allclose(piece.control, wanted, rtol=0, atol=1e-15)


def de_boor(p: int, u: np.ndarray, control: np.ndarray, weights: np.ndarray, t: float) -> np.ndarray:
    """The point at t by the recursion of Cox and de Boor, straight from the definition."""

    def basis(i: int, k: int) -> float:
        if k == 0:
            return float(u[i] <= t < u[i + 1])
        left = (t - u[i]) / (u[i + k] - u[i]) * basis(i, k - 1) if u[i + k] > u[i] else 0.0
        right = (u[i + k + 1] - t) / (u[i + k + 1] - u[i + 1]) * basis(i + 1, k - 1) if u[i + k + 1] > u[i + 1] else 0.0
        return left + right

    n = np.array([basis(i, p) for i in range(len(control))]) * weights
    return n @ control / n.sum()


@pytest.mark.parametrize("p", [1, 2, 3, 5])
def test_a_spline_runs_through_the_points_of_its_definition(p: int) -> None:
    rng = np.random.default_rng(p)
    n = p + 6
    control, weights = rng.normal(size=(n, 2)), rng.uniform(0.5, 2, n)
    u = np.sort(rng.integers(0, 6, n + p + 1)).astype(float)  # repeated knots, inner and outer
    u[: p + 1], u[n:] = -1.0, 7.0
    for k in range(p + 1, n - p):  # at most p fold inside
        u[k] = max(u[k], u[k - p] + 1 if k >= 2 * p + 1 else u[k])
    u[p + 1 : n] = np.sort(np.clip(u[p + 1 : n], -0.5, 6.5))
    knots = np.unique(u[(u >= u[p]) & (u <= u[n])])
    pieces = nurbs(p, u, control, weights)
    assert len(pieces) == len(knots) - 1
    for low, high, piece in zip(knots[:-1], knots[1:], pieces, strict=True):
        t = (low + high) / 2
        middle = piece.start + piece.along(np.array([0.5]))[0][0]
        np.testing.assert_allclose(middle, de_boor(p, u, control, weights, t), rtol=0, atol=1e-13)


@pytest.mark.parametrize("p", [1, 3, 5])
def test_the_pieces_of_a_long_spline_meet_to_the_bit(p: int) -> None:
    """It is cut in blocks, which end where the next ones begin; some knots are there twice."""
    rng = np.random.default_rng(p)
    u = np.sort(np.concatenate([rng.random(200), np.repeat(rng.random(8), min(p, 2))]))
    control = rng.normal(size=(len(u) - p - 1, 2))
    pieces, knots = nurbs(p, u, control), np.unique(u[p : len(control) + 1])
    assert len(pieces) == len(knots) - 1
    assert all((piece.end == following.start).all() for piece, following in pairwise(pieces))
    for low, high, piece in list(zip(knots[:-1], knots[1:], pieces, strict=True))[::9]:
        middle = piece.start + piece.along(np.array([0.5]))[0][0]
        of_definition = de_boor(p, u, control, np.ones(len(control)), (low + high) / 2)
        np.testing.assert_allclose(middle, of_definition, rtol=0, atol=1e-11)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((3, [0, 1], [[0, 0]]), "a spline of degree 3 has at least 4 control points, got 1"),
        ((1, [0, 1], [[0, 0], [1, 1]]), "2 control points of degree 1 need 4 knots, got 2"),
        ((1, [0, 1, 0, 1], [[0, 0], [1, 1]]), "the knots of a spline must ascend"),
        ((1, [0, 0, 1, 1], [[0, 0], [1, 1]], [1, 0]), "a spline needs one positive weight for each control point"),
    ],
)
def test_what_is_no_spline_is_refused(arguments: tuple, said: str) -> None:
    assert refused(InvalidInput, nurbs, *arguments) == said


# --- laws --------------------------------------------------------------------------------------------------------------

MAPS = {
    "motion": [[0.6, -0.8, 5], [0.8, 0.6, -2]],
    "mirror": [[1, 0, 0], [0, -1, 3]],
    "shear and stretch": [[2, 0.5, 1], [-0.3, 0.7, 100]],
}


@each_curve
@pytest.mark.parametrize("matrix", MAPS.values(), ids=MAPS.keys())
def test_map_then_measure_is_measure_then_map(curve: Curve, matrix: list[list[float]]) -> None:
    m = np.array(matrix)
    a, t = m[:, :2], m[:, 2]
    image = moments(curve, [0, 0]).mapped(a, t)
    image = image if np.linalg.det(a) > 0 else -image  # a mirror turns a curve round
    close(moments(curve.transformed(m), t), image)
    np.testing.assert_allclose(curve.transformed(m).start, a @ curve.start + t, rtol=0, atol=1e-12)
    np.testing.assert_allclose(curve.transformed(m).end, a @ curve.end + t, rtol=0, atol=1e-12)


@each_curve
def test_backwards_is_the_negative(curve: Curve) -> None:
    back = curve.reversed()
    close(moments(back, [1, 1]), -moments(curve, [1, 1]), FEW)
    assert (back.start.tolist(), back.end.tolist()) == (curve.end.tolist(), curve.start.tolist())
    assert back.length() == pytest.approx(curve.length(), rel=FEW)


@each_curve
def test_a_closed_curve_does_not_depend_on_the_reference(curve: Curve) -> None:
    loop = [curve, Polyline([curve.end, curve.start])]
    close(swept_moments(loop, [100, -50]), swept_moments(loop, curve.start), 1e-10)  # what 100 sizes cost: 100² ε


@each_curve
def test_flattened_points_close_in_on_the_curve(curve: Curve) -> None:
    # an independent road to the integrals: the area between polygon and curve shrinks with the tolerance
    loop = swept_moments([curve, Polyline([curve.end, curve.start])], curve.start)
    for tolerance in (1e-2, 1e-4, 1e-6):
        points = curve.flattened(tolerance)
        polygon = polygon_moments(points, curve.start, closed=True)
        assert abs(polygon.measure - loop.measure) <= tolerance * curve.length()
        np.testing.assert_array_equal(points[[0, -1]], [curve.start, curve.end])


@each_curve
def test_bounds_touch_the_curve_and_hold_it(curve: Curve) -> None:
    points = curve.flattened(1e-8)
    low, high = curve.bounds()
    slack = 1e-7
    assert (points >= low - 1e-14 * 10).all() and (points <= high + 1e-14 * 10).all()  # noqa: PT018
    np.testing.assert_allclose([points.min(axis=0), points.max(axis=0)], [low, high], rtol=0, atol=slack)


@each_curve
def test_the_length_is_the_limit_of_polygons(curve: Curve) -> None:
    step = np.diff(curve.flattened(1e-9), axis=0)
    length = float(np.hypot(*step.T).sum())
    assert length <= curve.length() * (1 + FEW)
    assert length == pytest.approx(curve.length(), rel=1e-7)


def test_the_perimeter_of_an_ellipse() -> None:
    assert EllipticArc.elliptic([0, 0], [3, 4], 0.3).length() == pytest.approx(ellipse_perimeter(5, 1.5), rel=FEW)
    assert EllipticArc.elliptic([0, 0], [0, 7], 0.01).length() == pytest.approx(
        ellipse_perimeter(7, 0.07), rel=PROMISED
    )


@given(st.floats(-6, 6), st.floats(-6.2, 6.2).filter(lambda s: abs(s) > 1e-3), st.floats(0.05, 0.95))
def test_two_pieces_make_the_whole_arc(begin: float, sweep: float, share: float) -> None:
    def arc(b: float, s: float) -> EllipticArc:
        return EllipticArc.elliptic([1, 2], [3, 1], 0.4, b, s)

    parts = [arc(begin, sweep * share), arc(begin + sweep * share, sweep * (1 - share))]
    whole = moments(arc(begin, sweep), [1, 2])
    # flat() compares with the largest number; what vanishes by symmetry has the size of the ellipse
    np.testing.assert_allclose(flat(swept_moments(parts, [1, 2])), flat(whole), rtol=0, atol=PROMISED * 30)


@given(st.lists(st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=3, max_size=12))
def test_polygons_against_lee(points: list[tuple[int, int]]) -> None:
    oracle = lee_polygon_moments(points)
    m = polygon_moments(np.array(points, dtype=float), np.array([3.0, -2.0]), closed=True)
    want = np.array([floats(oracle.measure), *floats(oracle.first), *floats(oracle.second).ravel()])
    np.testing.assert_allclose(flat(m), want, rtol=0, atol=1e-13 * 50**4)


@pytest.mark.parametrize("count", [128, 129, 191, 192, 8191, 8193, 20_000])
def test_long_rings_are_summed_within_the_rounding_of_their_terms(count: int) -> None:
    """Against rationals, far from the origin: runs that end with the ring, or before it; a comb's terms are as small as its teeth."""
    tooth = [(0, 0), (0.1, 40), (0.6, 41), (0.7, 1)]
    points = np.array(
        [(1e4 + k + x, y - 3e5) for k in range(count // 4) for x, y in tooth] + [(1e4, -3e5 - 1)] * (count % 4)
    )
    oracle, reference = lee_polygon_moments(points.tolist()), box(points).mean(axis=0)
    found, terms = ring_moments(points, reference)
    exact = floats(oracle.measure)
    reach = np.abs(points - reference).max(axis=0)
    off = ROUNDINGS * U * terms
    assert abs(found.measure - exact) <= off <= 1e-11 * abs(exact)
    about = found.about((0, 0))
    first, second = floats(oracle.first), floats(oracle.second)
    # and what the shift to the origin rounds
    assert (np.abs(about.first - first) <= off * reach + 8 * U * np.abs(first)).all()
    assert (np.abs(about.second - second) <= 4 * off * np.outer(reach, reach) + 16 * U * np.abs(second)).all()
