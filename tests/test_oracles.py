"""The oracles against each other: an answer that two independent ways agree on is one to hold the program to."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import oracles
import pytest
from hypothesis import given
from hypothesis import strategies as st

L_SHAPE = [(0, 0), (5, 0), (5, 1), (2, 1), (2, 4), (0, 3)]
BODIES = {
    "tetrahedron": oracles.tetrahedron(),
    "box": oracles.box((1, 2, 3), (4, 6, 8)),
    "bumpy torus": oracles.bumpy_torus(),
    "generic body": oracles.generic_body(),
    "star": oracles.star_body([1 + 0.3 * (k * 7 % 5) for k in range(14)]),
    "L prism": oracles.prism(L_SHAPE, 2.5),
    "polycube": oracles.polycube([(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1), (5, 5, 5)])[0],
    "double cone": oracles.revolved([(0.0, -1.0), (2.0, 0.0), (0.0, 3.0)], 7),
    "revolved ring": oracles.revolved([(2.0, 0.0), (3.0, 0.0), (2.5, 1.0)], 5),
}
each_body = pytest.mark.parametrize("triangles", BODIES.values(), ids=BODIES.keys())
small = st.integers(-20, 20)
cells = st.sets(st.tuples(*[st.integers(-2, 2)] * 3), min_size=1, max_size=8)


# --- the bodies are what they say ------------------------------------------------------------------------------------


@each_body
def test_every_edge_of_a_body_is_cancelled_bit_for_bit(triangles):
    balance = Counter()
    for triangle in triangles.tolist():
        corners = [tuple(point) for point in triangle]
        for a, b in pairwise([*corners, corners[0]]):
            balance[a, b] += 1
            balance[b, a] -= 1
    assert set(balance.values()) == {0}


@each_body
def test_bodies_are_wound_outward_and_have_no_facet_without_area(triangles):
    a, b, c = (triangles[:, k] for k in range(3))
    assert oracles.exact_moments(triangles).volume > 0
    assert np.linalg.norm(np.cross(b - a, c - a), axis=1).min() > 0


def test_the_generic_body_has_six_different_tensor_entries_and_no_zero():
    entries = oracles.floats(oracles.exact_body(oracles.generic_body()).inertia)[np.triu_indices(3)]
    gaps = np.diff(np.sort(np.abs(entries)))
    assert min(*gaps, *np.abs(entries)) > 0.01 * np.abs(entries).max()


def test_an_indexed_body_is_the_same_triangles():
    vertices, faces = oracles.indexed(oracles.generic_body())
    assert np.array_equal(vertices[faces], oracles.generic_body())
    assert len(np.unique(vertices, axis=0)) == len(vertices)


# --- one body, several ways ------------------------------------------------------------------------------------------


def test_the_tetrahedron_has_the_published_numbers():
    body = oracles.exact_body(oracles.tetrahedron())
    (_, xy, xz), (_, _, yz), _ = body.inertia
    assert body.volume == oracles.TETRAHEDRON_VOLUME == Fraction(181, 6)
    assert (
        (xy, xz, yz) == oracles.TETRAHEDRON_PRODUCTS == (Fraction(15023, 480), Fraction(-1991, 80), Fraction(4163, 240))
    )


def test_origin_simplices_and_the_textbook_tetrahedron_agree():
    assert oracles.exact_body(oracles.tetrahedron()) == oracles.tetrahedron_central(oracles.TETRAHEDRON)


@each_body
def test_origin_simplices_and_lee_agree_to_the_last_digit(triangles):
    assert oracles.exact_moments(triangles) == oracles.lee_moments(triangles)


@given(st.lists(st.tuples(*[st.tuples(small, small, small)] * 3), min_size=1, max_size=4))
def test_lee_agrees_on_any_triangle_closed_over_the_origin(triangles):
    # Lee's volume is the flux of (x, 0, 0), the cones' that of (x, y, z)/3: equal for closed surfaces alone. Closing
    # each triangle with its three edges' triangles to the origin must make them equal.
    o = (0, 0, 0)
    closed = [t for a, b, c in triangles for t in ((a, b, c), (b, a, o), (c, b, o), (a, c, o))]
    assert oracles.lee_moments(closed) == oracles.exact_moments(closed) == oracles.exact_moments(triangles)


@given(cells)
def test_polycubes_by_addition_and_by_their_boundary_agree(some_cells):
    triangles, added = oracles.polycube(some_cells)
    assert oracles.exact_moments(triangles) == added


@given(st.tuples(small, small, small), st.tuples(*[st.integers(1, 30)] * 3))
def test_boxes_by_facets_and_by_closed_form_agree(corner, size):
    body = oracles.exact_moments(oracles.box(corner, [c + s for c, s in zip(corner, size, strict=True)]))
    form = oracles.box_form(*map(Fraction, size))
    assert body.volume == form.volume
    assert oracles.centroid(body) == tuple(c + half for c, half in zip(corner, form.centroid, strict=True))
    assert oracles.central_second(body) == tuple(
        tuple(form.second[i] if i == j else Fraction(0) for j in range(3)) for i in range(3)
    )


def test_a_box_of_cubes_is_a_box():
    size = (2, 3, 4)
    _, added = oracles.polycube(product(*map(range, size)))
    assert added == oracles.exact_moments(oracles.box((0, 0, 0), size))


def test_prisms_by_facets_and_by_their_section_agree():
    section = oracles.lee_polygon_moments(L_SHAPE)
    assert oracles.exact_moments(oracles.prism(L_SHAPE, 2.5)) == oracles.extruded_moments(section, 0, 2.5)
    assert oracles.exact_moments(oracles.moved(oracles.prism(L_SHAPE, 2.5), (0, 0, -7))) == oracles.extruded_moments(
        section, -7, -4.5
    )


# --- laws of the sums ------------------------------------------------------------------------------------------------


def test_monomials_over_the_unit_simplex():
    # By repeated integration: ∫∫∫ 1 = 1/6; ∫∫∫ x = 1/24; ∫∫∫ x² = 1/60; ∫∫∫ xy = 1/120; in the plane ∫∫ xy = 1/24.
    solid = [oracles.simplex_monomial(*p) for p in ((0, 0, 0), (1, 0, 0), (0, 0, 2), (1, 1, 0))]
    assert solid == [Fraction(1, n) for n in (6, 24, 60, 120)]
    assert oracles.simplex_monomial(1, 1) == Fraction(1, 24)


def test_reversing_every_facet_negates_the_moments():
    assert oracles.exact_moments(oracles.reversed_facets(oracles.generic_body())) == -oracles.exact_moments(
        oracles.generic_body()
    )


@given(st.tuples(*[st.integers(-(10**6), 10**6)] * 3))
def test_moving_an_integer_body_moves_only_the_centroid(offset):
    body = oracles.tetrahedron()
    near, far = oracles.exact_body(body), oracles.exact_body(oracles.moved(body, offset))
    assert (far.volume, far.inertia) == (near.volume, near.inertia)
    assert far.centroid == tuple(c + t for c, t in zip(near.centroid, offset, strict=True))


def test_rotations_are_exactly_orthogonal_and_right_handed():
    r = np.array(oracles.rotation(), dtype=object)
    assert (r @ r.T == np.eye(3, dtype=int)).all()
    assert (np.cross(r[0], r[1]) == r[2]).all()


def test_rotated_and_mapped_bodies_have_rotated_moments():
    # Coordinates of the rotated body round at 2⁻⁵³ · 13 and the tensor's entries at a few of those: 1e-14 in all.
    body, turned = oracles.exact_body(oracles.bumpy_torus()), oracles.exact_body(oracles.rotated(oracles.bumpy_torus()))
    r = oracles.floats(oracles.rotation())
    expected = r @ oracles.floats(body.inertia) @ r.T
    assert np.abs(oracles.floats(turned.inertia) - expected).max() < 1e-14 * np.abs(expected).max()


def test_an_exact_shear_and_scaling_keeps_to_the_affine_law():
    # Small integers: no rounding. det A = 8, so V' = 8 V and S' = 8 A S Aᵀ about the origin.
    a = np.array([[2, 4, 0], [0, 2, -2], [0, 0, 2]])
    before, after = (
        oracles.exact_moments(oracles.tetrahedron()),
        oracles.exact_moments(oracles.mapped(oracles.tetrahedron(), a)),
    )
    exact = a.astype(object)
    assert after.volume == 8 * before.volume
    assert (np.array(after.second) == 8 * exact @ np.array(before.second) @ exact.T).all()


# --- polygons --------------------------------------------------------------------------------------------------------


rings = st.lists(st.tuples(small, small), min_size=3, max_size=8)


@given(rings)
def test_polygon_sums_of_lee_and_of_origin_triangles_agree(ring):
    assert oracles.lee_polygon_moments(ring) == oracles.exact_moments(oracles.edges(ring))


def test_a_rectangle_has_the_moments_of_every_handbook():
    # b h, b h³/12 about x and b³ h/12 about y, through the centroid.
    b, h = 6, 4
    rectangle = oracles.lee_polygon_moments([(1, 2), (1 + b, 2), (1 + b, 2 + h), (1, 2 + h)])
    assert rectangle.area == b * h
    assert oracles.centroid(rectangle) == (4, 4)
    assert oracles.central_second(rectangle) == ((Fraction(b**3 * h, 12), 0), (0, Fraction(b * h**3, 12)))


def test_a_right_triangle_has_the_product_of_every_handbook():
    # Legs b along x and h along y: ∫xy about the centroid is −b² h² / 72.
    triangle = oracles.lee_polygon_moments([(0, 0), (6, 0), (0, 4)])
    assert oracles.central_second(triangle)[0][1] == -Fraction(6**2 * 4**2, 72)


def test_a_clockwise_ring_is_a_hole():
    outer, hole = [(0, 0), (6, 0), (6, 5), (0, 5)], [(1, 1), (2, 4), (5, 2)]
    assert oracles.lee_polygon_moments(outer, hole) == oracles.lee_polygon_moments(outer) - oracles.lee_polygon_moments(
        hole[::-1]
    )


# --- closed forms, as limits of polyhedra ----------------------------------------------------------------------------


def limit(coarse: oracles.ExactMoments, fine: oracles.ExactMoments) -> oracles.ClosedForm:
    """Richardson's limit of two facettings, the second twice as fine: errors fall with the square."""
    both = [_numbers(moments) for moments in (coarse, fine)]
    volume, *rest = (4 * both[1] - both[0]) / 3
    return oracles.ClosedForm(volume, tuple(rest[:3]), tuple(rest[3:]))


def _numbers(moments: oracles.ExactMoments) -> np.ndarray:
    second = oracles.central_second(moments)
    return oracles.floats((moments.volume, *oracles.centroid(moments), *(second[k][k] for k in range(3))))


def _cylinder(n: int) -> np.ndarray:
    return oracles.moved(oracles.prism(oracles.regular_polygon(n, 1.5), 2.0), (0, 0, -1))


def _cone(n: int) -> np.ndarray:
    return oracles.revolved([(0.0, 0.0), (1.5, 0.0), (0.0, 2.0)], n)


def _sphere(n: int) -> np.ndarray:
    half = [(float(np.sin(a)) * 1.5, float(-np.cos(a)) * 1.5) for a in np.linspace(0, np.pi, n // 2 + 1)[1:-1]]
    return oracles.revolved([(0.0, -1.5), *half, (0.0, 1.5)], n)


def _torus(n: int) -> np.ndarray:
    return oracles.revolved([(3 + x, y) for x, y in oracles.regular_polygon(n, 0.8)], n)


@pytest.mark.parametrize(
    ("body", "form"),
    [
        (_cylinder, oracles.cylinder_form(1.5, 2.0)),
        (_cone, oracles.cone_form(1.5, 2.0)),
        (_sphere, oracles.sphere_form(1.5)),
        (_torus, oracles.torus_form(3.0, 0.8)),
    ],
    ids=["cylinder", "cone", "sphere", "torus"],
)
def test_facetted_bodies_tend_to_the_closed_form(body, form):
    # The limit leaves the next term of the series: x⁴/480 for an area, x = 2π/18, so 3e-5, and some ten times that for
    # second moments. A wrong coefficient is off by several per cent.
    measured = limit(oracles.exact_moments(body(18)), oracles.exact_moments(body(36)))
    assert measured.volume == pytest.approx(form.volume, rel=1e-3)
    assert measured.centroid == pytest.approx(form.centroid, abs=1e-3)
    assert measured.second == pytest.approx(form.second, rel=1e-3)


def test_a_sum_and_a_difference_of_moments_are_each_others_inverse():
    a, b = oracles.exact_moments(oracles.tetrahedron()), oracles.exact_moments(oracles.box())
    assert a + b - b == a
    assert oracles.central(a + b).volume == a.volume + 1


@pytest.mark.parametrize(
    ("point", "times"), [((0.5, 0.5, 0.5), 1), ((1.5, 0.5, 0.5), 2), ((2.5, 0.5, 0.5), 1), ((9, 9, 9), 0)]
)
def test_winding_numbers_count_the_boxes_around_a_point(point, times):
    boxes = np.concatenate([oracles.box((0, 0, 0), (2, 1, 1)), oracles.box((1, 0, 0), (3, 1, 1))])
    assert oracles.winding_number(boxes, point) == pytest.approx(times, abs=1e-12)  # two dozen arctangents
    assert oracles.winding_number(oracles.reversed_facets(boxes), point) == pytest.approx(-times, abs=1e-12)


def test_two_ways_to_count_tetrahedra_around_a_point_agree():
    random = np.random.default_rng(5)
    tetrahedra = random.integers(-4, 5, (12, 4, 3))
    facets = np.concatenate([oracles.tetrahedron_facets(t) for t in tetrahedra])
    points = random.uniform(-4, 4, (50, 3))
    counts = [oracles.times_inside(tetrahedra, p.tolist()) for p in points]
    assert [oracles.winding_number(facets, p) for p in points] == pytest.approx(counts, abs=1e-9)
    assert {-1, 0, 1} <= set(counts)
