"""The oracles against each other: an answer that two independent ways agree on is one to hold the program to."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import pairwise

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


# --- one body, several ways ------------------------------------------------------------------------------------------


def test_the_tetrahedron_has_the_published_numbers():
    body = oracles.exact_body(oracles.tetrahedron())
    (_, xy, xz), (_, _, yz), _ = body.inertia
    assert body.volume == oracles.TETRAHEDRON_VOLUME == Fraction(181, 6)
    assert (
        (xy, xz, yz) == oracles.TETRAHEDRON_PRODUCTS == (Fraction(15023, 480), Fraction(-1991, 80), Fraction(4163, 240))
    )


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


def test_prisms_by_facets_and_by_their_section_agree():
    section = oracles.lee_polygon_moments(L_SHAPE)
    assert oracles.exact_moments(oracles.prism(L_SHAPE, 2.5)) == oracles.extruded_moments(section, 0, 2.5)
    assert oracles.exact_moments(oracles.moved(oracles.prism(L_SHAPE, 2.5), (0, 0, -7))) == oracles.extruded_moments(
        section, -7, -4.5
    )


# --- laws of the sums ------------------------------------------------------------------------------------------------


def test_rotations_are_exactly_orthogonal_and_right_handed():
    r = np.array(oracles.rotation(), dtype=object)
    assert (r @ r.T == np.eye(3, dtype=int)).all()
    assert (np.cross(r[0], r[1]) == r[2]).all()


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


# --- closed forms, as limits of polyhedra ----------------------------------------------------------------------------


def test_two_ways_to_count_tetrahedra_around_a_point_agree():
    random = np.random.default_rng(5)
    tetrahedra = random.integers(-4, 5, (12, 4, 3))
    facets = np.concatenate([oracles.tetrahedron_facets(t) for t in tetrahedra])
    points = random.uniform(-4, 4, (50, 3))
    counts = [oracles.times_inside(tetrahedra, p.tolist()) for p in points]
    assert [oracles.winding_number(facets, p) for p in points] == pytest.approx(counts, abs=1e-9)
    assert {-1, 0, 1} <= set(counts)
