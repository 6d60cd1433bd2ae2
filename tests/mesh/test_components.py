"""Connected parts of a surface, and how each lies among the others."""

from __future__ import annotations

import itertools
from functools import partial

import numpy as np
import pytest
from cases import each
from oracles import (
    box,
    bumpy_torus,
    exact_moments,
    floats,
    generic_body,
    moved,
    polycube,
    prism,
    reversed_facets,
    rotated,
    tetrahedron_facets,
    winding_number,
)

from massprops.formats.mesh.arrays import from_soup
from massprops.mesh.components import LabelledMesh, SurfacePart, count_bodies, describe, label_facets, roles
from massprops.mesh.source import Triangles
from massprops.mesh.xray.line_crossings import Crossings, xray
from massprops.mesh.xray.line_grid import Lattice

OUTER, INNER = box((0, 0, 0), (4, 5, 6)), box((1, 1, 1), (2, 3, 4))
APART = box((10, 0, 0), (12, 2, 2))


def labels_of(triangles, size=None) -> list[int]:
    triangles = np.asarray(triangles)
    size = size or len(triangles)
    chunks = partial(map, lambda i: triangles[i : i + size], range(0, len(triangles), size))
    return label_facets(Triangles("a.stl", len(triangles), chunks)).tolist()


def parts_of(*bodies, seed=1, lines=30, depth_tolerance=1e-9) -> list[SurfacePart]:
    triangles = rotated(np.concatenate(bodies))
    bounds = np.array([triangles.min(axis=(0, 1)), triangles.max(axis=(0, 1))])
    lattice = Lattice.over(bounds, lines, seed)
    source = from_soup(triangles)
    return describe(xray(source, lattice), label_facets(source), lattice, depth_tolerance)


def role(part: SurfacePart) -> tuple[bool, set[int]]:
    return part.outward, set(part.around)


def test_bodies_are_counted_and_cavities_are_not() -> None:
    inner = reversed_facets(INNER)
    for parts, number in (([OUTER], 1), ([OUTER, APART], 2), ([OUTER, inner], 1), ([inner, APART, OUTER], 2)):
        assert count_bodies(from_soup(np.concatenate(parts))) == number


# --- labels ----------------------------------------------------------------------------------------------------------


def test_parts_are_numbered_in_the_order_of_the_file():
    assert labels_of(np.concatenate([OUTER, INNER, APART])) == [0] * 12 + [1] * 12 + [2] * 12
    mixed = np.stack([APART, OUTER], axis=1).reshape(-1, 3, 3)
    assert labels_of(mixed) == [0, 1] * 12


@pytest.mark.parametrize("size", [1, 5, 1000])
def test_borders_of_chunks_change_no_label(size):
    body = np.concatenate([generic_body(), moved(generic_body(), (50, 0, 0))])
    assert labels_of(body, size) == labels_of(body)
    # a ring, a box and its cavity, twice
    assert sorted(set(labels_of(body))) == [0, 1, 2, 3, 4, 5]


@each("signs", list(itertools.product((1, -1), repeat=3)))
@each("seed", range(4))
def test_bodies_in_contact_are_shells_of_their_own_in_any_order(signs, seed):
    # a common face, edge and vertex; no two of them overlap, so it does not matter who wrote which facet
    bodies = box((0, 0, 0), (2, 2, 2)), box((2, 0, 0), (3, 2, 2)), box((3, 2, 0), (4, 3, 2)), box((4, 3, 2), (5, 5, 5))
    facets = np.concatenate([b if s > 0 else reversed_facets(b) for b, s in zip(bodies, (*signs, 1), strict=True)])
    order = np.random.default_rng(seed).permutation(len(facets))
    labels = np.array(labels_of(facets[order]))
    volumes = sorted(abs(exact_moments(facets[order][labels == k]).measure) for k in set(labels))
    # two that are inside out and touch in an edge: what is between them could as well be the body
    assert volumes == [2, 4, 6, 8] or (signs[1:] == (-1, -1) and volumes == [6, 6, 8])


def test_runs_of_the_file_that_are_closed_are_shells_where_bodies_overlap():
    a, b = (tetrahedron_facets([[0, 0, 0], [4, 0, 0], [0, 4, 0], tip]) for tip in ([0, 0, 4], [3, 3, 4]))
    for other in (b, reversed_facets(b)):  # with a face in common, the same way and there and back
        assert labels_of(np.concatenate([a, other])) == [0] * 4 + [1] * 4


def test_long_chains_are_one_part():
    # A winding row of cubes in random order: a label has far to go.
    cells = [(i, (i // 7) % 2, 0) for i in range(60)] + [(7 * i, 0, 0) for i in range(9)]
    cells += [(7 * i, 1, 0) for i in range(9)]
    facets = np.random.default_rng(3).permutation(polycube(cells)[0])
    assert set(labels_of(facets)) == {0}


def test_zero_has_no_sign():
    facets = box((0, 0, 0), (1, 1, 1))
    facets[6:][facets[6:] == 0] = -0.0
    assert set(labels_of(facets)) == {0}


# --- sums ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wanted", [[0], [1], [0, 2], [0, 1, 2]])
def test_what_some_parts_gather_is_what_they_gather_alone(wanted):
    bodies = [OUTER, reversed_facets(INNER), APART]
    triangles = np.concatenate(bodies)
    members = np.isin(np.arange(3), wanted)
    chunks = [triangles[:20], triangles[20:25], triangles[25:]]
    mesh = Triangles("a.stl", len(triangles), lambda: iter(chunks))
    found = LabelledMesh(mesh, np.repeat(np.arange(3), 12), np.array([1.0, 2, 3])).surface(members)
    exact = exact_moments(np.concatenate([bodies[i] for i in wanted]))
    # integers below 12, whose moments about (1, 2, 3) are rational with small denominators: a few roundings
    assert found.solid.measure == pytest.approx(float(exact.measure), rel=1e-14)
    np.testing.assert_allclose(found.solid.about([0, 0, 0]).second, floats(exact.second), rtol=1e-13)
    assert found.facets == 12 * len(wanted)


# --- places ----------------------------------------------------------------------------------------------------------


IN_THE_OPEN = (True, set())


@each(
    ("bodies", "places"),
    [
        ([OUTER, INNER, APART], [IN_THE_OPEN, (True, {0}), IN_THE_OPEN]),
        ([OUTER, reversed_facets(INNER)], [IN_THE_OPEN, (False, {0})]),  # a cavity looks inward
        ([OUTER, reversed_facets(APART)], [IN_THE_OPEN, (False, set())]),  # a body that is inside out
        ([OUTER, reversed_facets(box((0, 1, 1), (2, 3, 4)))], [IN_THE_OPEN, (False, {0})]),  # it touches the wall
        # where bodies touch, one is left before, at, or after the other is entered, as rounding likes
        ([OUTER, reversed_facets(box((4, 0, 0), (6, 5, 6)))], [IN_THE_OPEN, (False, set())]),
        ([OUTER, box((4, 1, 1), (5, 2, 3))], [IN_THE_OPEN] * 2),
        ([OUTER, box((3, 5, 0), (9, 6, 6))], [IN_THE_OPEN] * 2),
    ],
)
def test_how_bodies_lie_among_each_other(bodies, places):
    assert [role(p) for p in parts_of(*bodies)] == places


def test_bodies_in_bodies_in_bodies():
    nested = [box([k] * 3, [20 - k] * 3) for k in (0, 2, 4, 6)]
    turned = [reversed_facets(body) for body in nested]
    for bodies, found in (
        (nested, "body nested nested nested"),
        ([nested[0], turned[1], nested[2], turned[3]], "body cavity body cavity"),
        ([turned[0], nested[1], turned[2], nested[3]], "body cavity body cavity"),  # all of it inside out
        ([nested[0], turned[1], turned[2]], "body cavity nested"),  # inside out in the void, or void itself
        ([nested[0], moved(turned[0], (20, 0, 0)), moved(nested[1], (20, 0, 0))], "body body cavity"),
    ):
        parts = parts_of(*bodies)
        assert [len(p.around) for p in parts][: len(found.split()) - 1] in ([0, 1, 2], [0, 1], [0, 0])
        assert " ".join(roles(parts)[p.label][0] for p in parts) == found


def test_bodies_that_cross_lie_nowhere():
    assert [role(p) for p in parts_of(OUTER, moved(OUTER, (2, 2, 2)))] == [IN_THE_OPEN] * 2
    assert [role(p) for p in parts_of(OUTER, OUTER)] == [IN_THE_OPEN] * 2  # nor do copies lie in each other


def test_what_two_bodies_in_contact_have_around_it_is_a_cavity():
    across = reversed_facets(box((3, 1, 1), (5, 2, 2)))
    parts = parts_of(OUTER, box((4, 0, 0), (8, 5, 6)), across, box((20, 0, 0), (21, 1, 1)))
    assert [roles(parts)[p.label] for p in parts] == [("body", 1), ("body", 1), ("cavity", -1), ("body", 1)]


def test_a_figure_of_eight_is_tangled():
    eight = prism([(0, 3), (4, 0), (4, 4), (0, 0)], 2, fan=True)
    assert [p.tangled for p in parts_of(eight, OUTER)] == [True, False]


@each("seed", range(5))
def test_the_point_inside_a_part_is_inside_it(seed):
    bodies = [bumpy_torus(), box((0.5, -0.5, -4), (1, 0.5, 5)), reversed_facets(moved(0.3 * bumpy_torus(), (9, 9, 9)))]
    for body, part in zip(bodies, parts_of(*bodies, seed=seed), strict=True):
        assert abs(winding_number(rotated(body), part.inside)) == pytest.approx(1, abs=1e-9)


def test_a_part_that_no_line_meets_is_not_described():
    speck = moved(1e-6 * box(), (5, 5, 5))
    assert [p.label for p in parts_of(OUTER, speck, APART)] == [0, 2]


def test_parts_are_described_where_no_line_of_a_family_meets_them() -> None:
    # a needle: the X-ray is three families of parallel lines, and one of them may pass beside it
    triangles = np.concatenate([OUTER, INNER])
    source = from_soup(triangles)
    lattice = Lattice.over(np.array([triangles.min(axis=(0, 1)), triangles.max(axis=(0, 1))]), 30, 1)
    none = Crossings(*(np.empty(0, kind) for kind in (np.intp, float, np.int8, np.intp)))
    families = [none, *xray(source, lattice)[1:]]
    found = describe(families, label_facets(source), lattice, 1e-9)
    assert [role(part) for part in found] == [IN_THE_OPEN, (True, {0})]
