"""Connected parts of a surface, and how each lies among the others."""

from __future__ import annotations

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
    reversed_facets,
    rotated,
    winding_number,
)

from massprops.formats.mesh.arrays import from_soup
from massprops.mesh.components import LabelledMesh, SurfacePart, count_bodies, describe, label_facets
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


def place(part: SurfacePart) -> tuple[bool, bool, int | None]:
    return part.outward, part.simple, part.ambient


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


def test_a_common_corner_joins():
    at_a_corner = np.concatenate([box((0, 0, 0), (1, 1, 1)), box((1, 1, 1), (2, 2, 2))])
    assert set(labels_of(at_a_corner)) == {0}
    assert set(labels_of(np.concatenate([box(), moved(box(), (1, 1, 1 + 1e-9))]))) == {0, 1}  # bit for bit


def test_every_corner_joins_every_corner():
    facet = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    for mine in range(3):
        for its in range(3):
            other = moved(facet, (5, 5, 5))
            other[its] = facet[mine]
            assert labels_of(np.stack([facet, other])) == [0, 0]


def test_long_chains_are_one_part():
    # A winding row of cubes in random order: a label has far to go.
    cells = [(i, (i // 7) % 2, 0) for i in range(60)] + [(7 * i, 0, 0) for i in range(8)]
    cells += [(7 * i, 1, 0) for i in range(8)]
    facets = np.random.default_rng(3).permutation(polycube(cells)[0])
    assert set(labels_of(facets)) == {0}


def test_zero_has_no_sign():
    upper, lower = box((0, 0, 0), (1, 1, 1)), box((0, 0, -1), (1, 1, 0))
    lower[lower == 0] = -0.0
    assert set(labels_of(np.concatenate([upper, lower]))) == {0}


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


IN_THE_OPEN = (True, True, 0)


@each(
    ("bodies", "places"),
    [
        ([OUTER, INNER, APART], [IN_THE_OPEN, (True, True, 1), IN_THE_OPEN]),
        ([OUTER, reversed_facets(INNER)], [IN_THE_OPEN, (False, True, 1)]),  # a cavity looks inward
        ([OUTER, reversed_facets(APART)], [IN_THE_OPEN, (False, True, 0)]),  # a body that is inside out
        ([OUTER, reversed_facets(box((0, 1, 1), (2, 3, 4)))], [IN_THE_OPEN, (False, True, 1)]),  # it touches the wall
        # where bodies touch, one is left before, at, or after the other is entered, as rounding likes
        ([OUTER, box((4, 0, 0), (6, 5, 6))], [IN_THE_OPEN]),  # common corners join them
        ([OUTER, box((4, 1, 1), (5, 2, 3))], [IN_THE_OPEN] * 2),
        ([OUTER, box((3, 5, 0), (9, 6, 6))], [IN_THE_OPEN] * 2),
    ],
)
def test_how_bodies_lie_among_each_other(bodies, places):
    assert [place(p) for p in parts_of(*bodies)] == places


def test_bodies_in_bodies_in_bodies():
    nested = [box([k] * 3, [20 - k] * 3) for k in (0, 2, 4, 6)]
    assert [p.ambient for p in parts_of(*nested)] == [0, 1, 2, 3]
    assert [p.ambient for p in parts_of(nested[0], reversed_facets(nested[1]), nested[2])] == [0, 1, 0]


def test_bodies_that_cross_lie_nowhere():
    assert [p.ambient for p in parts_of(OUTER, moved(OUTER, (2, 2, 2)))] == [None, None]


def test_a_part_that_overlaps_itself_is_not_simple():
    # Two boxes that share a corner bit for bit and reach into each other.
    a, b = box((0, 0, 0), (4, 4, 4)), box((0, 0, 0), (2, 2, 9))
    (part,) = parts_of(a, b)
    assert (part.outward, part.simple) == (True, False)


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
    assert [place(part) for part in found] == [(True, True, 0), (True, True, 1)]
