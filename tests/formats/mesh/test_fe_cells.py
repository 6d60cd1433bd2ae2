"""Cells of finite elements: integrals over random cells in exact arithmetic, signs of Jacobians, and what bounds a group of cells.

Modules tested: `formats/mesh/fe_cells`, `formats/mesh/fe_patches`, `formats/mesh/fe_model`.
"""

from __future__ import annotations

import io
import random
from collections import defaultdict
from fractions import Fraction
from itertools import product
from math import factorial

import numpy as np
import pytest
from cases import each, raised, seeds

from massprops import measure
from massprops.errors import InvalidGeometry
from massprops.formats.mesh.fe_cells import KINDS
from massprops.formats.mesh.fe_model import CellBlock, CellGroup, Model, source_of_model
from massprops.mesh.source import InputFile, MeshFile, PartLabel

#: Polynomials in x, y, z: coefficients by exponents.
Polynomial = dict[tuple[int, int, int], Fraction]
ONE: Polynomial = {(0, 0, 0): Fraction(1)}


def linear(constant: int, *slopes: int) -> Polynomial:
    units = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
    return {(0, 0, 0): Fraction(constant), **{u: Fraction(s) for u, s in zip(units, slopes, strict=False) if s}}


def times(*factors: Polynomial) -> Polynomial:
    found = ONE
    for factor in factors:
        terms: Polynomial = defaultdict(Fraction)
        for (p, a), (q, b) in product(found.items(), factor.items()):
            terms[p[0] + q[0], p[1] + q[1], p[2] + q[2]] += a * b
        found = {p: a for p, a in terms.items() if a}
    return found


def plus(*terms: Polynomial) -> Polynomial:
    found: Polynomial = defaultdict(Fraction)
    for term in terms:
        for p, a in term.items():
            found[p] += a
    return dict(found)


def scaled(factor: Fraction | int, p: Polynomial) -> Polynomial:
    return {q: factor * a for q, a in p.items()}


def slope(p: Polynomial, axis: int) -> Polynomial:
    return {(*q[:axis], q[axis] - 1, *q[axis + 1 :]): a * q[axis] for q, a in p.items() if q[axis]}


def on_cube(p: Polynomial) -> Fraction:
    """∫ over [−1, 1]³."""
    return sum(
        (a * Fraction(8, (q[0] + 1) * (q[1] + 1) * (q[2] + 1)) for q, a in p.items() if not any(i % 2 for i in q)),
        Fraction(),
    )


def on_tetrahedron(p: Polynomial) -> Fraction:
    """∫ over x, y, z ≥ 0, x + y + z ≤ 1: a! b! c! / (a + b + c + 3)!"""
    return sum(
        (
            a * Fraction(factorial(i) * factorial(j) * factorial(k), factorial(i + j + k + 3))
            for (i, j, k), a in p.items()
        ),
        Fraction(),
    )


def on_wedge(p: Polynomial) -> Fraction:
    """∫ over the triangle x + y ≤ 1 times [−1, 1]."""
    return sum(
        (
            a * Fraction(factorial(i) * factorial(j), factorial(i + j + 2)) * Fraction(2, k + 1)
            for (i, j, k), a in p.items()
            if k % 2 == 0
        ),
        Fraction(),
    )


#: Corners of a cube, and the edges whose middles are nodes, as textbooks number them.
CUBE = [(-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1), (-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1)]
CUBE_EDGES = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)]
TET_EDGES = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]
WEDGE_EDGES = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)]
WEDGE = [(0, 0, -1), (1, 0, -1), (0, 1, -1), (0, 0, 1), (1, 0, 1), (0, 1, 1)]


def half(axis: int, sign: int) -> Polynomial:
    """1 + sign · x along an axis."""
    return linear(1, *(sign if i == axis else 0 for i in range(3)))


def cube_functions(quadratic: bool) -> list[Polynomial]:
    """Trilinear functions; or the serendipity family, from its closed form."""
    corners = []
    for c in CUBE:
        trilinear = scaled(Fraction(1, 8), times(*(half(i, c[i]) for i in range(3))))
        corners.append(times(trilinear, linear(-2, *c)) if quadratic else trilinear)
    if not quadratic:
        return corners
    middles = []
    for a, b in CUBE_EDGES:
        m = [(CUBE[a][i] + CUBE[b][i]) // 2 for i in range(3)]
        axis = m.index(0)
        others = [half(i, m[i]) for i in range(3) if i != axis]
        middles.append(scaled(Fraction(1, 4), times(half(axis, 1), half(axis, -1), *others)))
    return corners + middles


BARYCENTRIC = [linear(1, -1, -1, -1), linear(0, 1), linear(0, 0, 1), linear(0, 0, 0, 1)]
FLAT = [linear(1, -1, -1), linear(0, 1), linear(0, 0, 1)]


def tetrahedron_functions(quadratic: bool) -> list[Polynomial]:
    if not quadratic:
        return BARYCENTRIC
    corners = [times(b, plus(scaled(2, b), linear(-1))) for b in BARYCENTRIC]
    return corners + [scaled(4, times(BARYCENTRIC[a], BARYCENTRIC[b])) for a, b in TET_EDGES]


def wedge_functions(quadratic: bool) -> list[Polynomial]:
    ends = [half(2, -1), half(2, 1)]
    if not quadratic:
        return [scaled(Fraction(1, 2), times(b, e)) for e in ends for b in FLAT]
    bubble = times(*ends)
    corners = [
        scaled(Fraction(1, 2), times(b, plus(times(plus(scaled(2, b), linear(-1)), e), scaled(-1, bubble))))
        for e in ends
        for b in FLAT
    ]
    sides = [(e, a, b) for e in ends for a, b in [(0, 1), (1, 2), (2, 0)]]
    return corners + [scaled(2, times(FLAT[a], FLAT[b], e)) for e, a, b in sides] + [times(b, bubble) for b in FLAT]


ORACLES = {
    "tetra": (tetrahedron_functions(False), on_tetrahedron),
    "tetra10": (tetrahedron_functions(True), on_tetrahedron),
    "hexahedron": (cube_functions(False), on_cube),
    "hexahedron20": (cube_functions(True), on_cube),
    "wedge": (wedge_functions(False), on_wedge),
    "wedge15": (wedge_functions(True), on_wedge),
}


def reference_nodes(kind: str) -> list[tuple[Fraction, ...]]:
    corners, edges = {
        "tetra": ([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], TET_EDGES),
        "hexahedron": (CUBE, CUBE_EDGES),
        "wedge": (WEDGE, WEDGE_EDGES),
    }[kind.rstrip("0125")]
    middles = [tuple(Fraction(x + y, 2) for x, y in zip(corners[a], corners[b], strict=True)) for a, b in edges]
    return [*(tuple(map(Fraction, c)) for c in corners), *middles][: KINDS[kind].size]


def random_cell(kind: str, seed: int) -> list[tuple[Fraction, ...]]:
    """Nodes of a cell that is bent, sheared and far from the origin; multiples of 1/64, so that doubles hold them."""
    rng = random.Random(seed)  # noqa: S311  # no secret
    shear = [
        [Fraction(8), Fraction(rng.randint(-2, 2)), Fraction(1)],
        [Fraction(1), Fraction(7), Fraction(rng.randint(-2, 2))],
        [Fraction(-1), Fraction(2), Fraction(9)],
    ]
    nodes = []
    for x in reference_nodes(kind):
        at = [sum((a * b for a, b in zip(row, x, strict=True)), Fraction(rng.randint(-16, 16), 64)) for row in shear]
        nodes.append(tuple(a + s for a, s in zip(at, (40, -7, 11), strict=True)))
    return nodes


def oracle(kind: str, nodes: list[tuple[Fraction, ...]]) -> list[Fraction]:
    """Volume, ∫ x, ∫ y, ∫ z of a cell, by its map."""
    functions, integral = ORACLES[kind]
    x = [plus(*(scaled(p[i], n) for p, n in zip(nodes, functions, strict=True))) for i in range(3)]
    d = [[slope(x[i], axis) for axis in range(3)] for i in range(3)]
    cyclic = [((0, 1, 2), 1), ((1, 2, 0), 1), ((2, 0, 1), 1), ((0, 2, 1), -1), ((1, 0, 2), -1), ((2, 1, 0), -1)]
    det = plus(*(scaled(s, times(d[0][p[0]], d[1][p[1]], d[2][p[2]])) for p, s in cyclic))
    return [integral(times(det, q)) for q in (ONE, *x)]


def meshed(
    points: np.ndarray,
    *blocks: tuple[str, np.ndarray],
    labels: tuple[str, ...] = ("all",),
    of: list[np.ndarray] | None = None,
) -> MeshFile:
    """A model of cells of some kinds; `of` are the groups of the cells of each block."""
    groups = of or [np.zeros(len(cells), int) for _, cells in blocks]
    numbers = iter(range(1, 1 << 20))
    found = [
        CellBlock(KINDS[kind], np.asarray(cells), np.array([next(numbers) for _ in cells]), g)
        for (kind, cells), g in zip(blocks, groups, strict=True)
    ]
    model = Model(np.asarray(points, float), found, [CellGroup(PartLabel(n, n)) for n in labels], "ascii")
    return source_of_model(InputFile("model", io.BytesIO(), 0), model)


@each("kind", ORACLES)
@each("seed", seeds(2))
def test_a_random_cell_has_the_integrals_of_its_map(kind: str, seed: int) -> None:
    """The faces enclose what the determinant of the map integrates to: exactly, but for rounding."""
    nodes = random_cell(kind, seed)
    volume, *first = map(float, oracle(kind, nodes))
    mesh = meshed(np.array(nodes, float), (kind, np.arange(len(nodes))[np.newaxis]))
    assert (mesh.exact is None) == (kind == "tetra")
    found = measure(mesh)
    assert found.volume == pytest.approx(volume, rel=1e-12)
    assert found.center_of_mass == pytest.approx(np.array(first) / volume, rel=1e-12)
    assert found.grade == ("proved" if kind == "tetra" else "certified")


@each("seed", seeds(3))
def test_a_pyramid_is_a_cube_whose_upper_face_is_a_point(seed: int) -> None:
    cube = random_cell("hexahedron", seed)
    volume, *first = map(float, oracle("hexahedron", cube[:4] + [cube[4]] * 4))
    found = measure(meshed(np.array(cube[:5], float), ("pyramid", np.arange(5)[np.newaxis])))
    assert found.volume == pytest.approx(volume, rel=1e-12)
    assert found.center_of_mass == pytest.approx(np.array(first) / volume, rel=1e-12)


@each("kind", KINDS)
def test_shape_functions_are_one_at_their_node_and_add_up(kind: str) -> None:
    """And their slopes are those of the functions, by differences."""
    k = KINDS[kind]
    at, weights = k.rule(3)
    n, h = k.functions(at), 1e-6
    assert n.sum(axis=1) == pytest.approx(np.ones(len(at)), abs=1e-12)
    for axis, slopes in enumerate(k.slopes(at)):
        step = np.eye(at.shape[1])[axis] * h
        assert slopes == pytest.approx((k.functions(at + step) - k.functions(at - step)) / (2 * h), abs=1e-8)
    size = {"triangle": 1 / 2, "quad": 4, "tetra": 1 / 6, "wedge": 1 / 2, "pyramid": 4, "hexahedron": 8}
    assert weights.sum() == pytest.approx(size[k.shape])


def grid(n: int) -> tuple[np.ndarray, np.ndarray]:
    """A box of 2 × 3 × 5, cut into n³ hexahedra with nodes displaced inside it."""
    rng = np.random.default_rng(n)
    i = np.arange((n + 1) ** 3).reshape(n + 1, n + 1, n + 1)
    x = np.stack(np.meshgrid(*[np.arange(n + 1) / n] * 3, indexing="ij"), axis=-1)
    x[1:-1, 1:-1, 1:-1] += rng.uniform(-0.2, 0.2, (n - 1, n - 1, n - 1, 3)) / n
    corners = [i[a : n + a, b : n + b, c : n + c].ravel() for a, b, c in (np.array(CUBE) + 1) // 2]
    return x.reshape(-1, 3) * [2, 3, 5], np.stack(corners, axis=1)


#: A hexahedron as six tetrahedra round a diagonal.
TETS = [(0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6)]


def test_a_box_has_its_volume_however_it_is_cut() -> None:
    """Permuted cells, nodes of each cell for itself, and six tetrahedra in place of each hexahedron: faces inside cancel exactly."""
    points, cells = grid(3)
    order = np.random.default_rng(1).permutation(len(cells))
    tets = np.concatenate([cells[:, t] for t in TETS])
    apart = np.arange(cells.size).reshape(cells.shape)
    for kind, at, some in (
        ("hexahedron", points, cells),
        ("hexahedron", points, cells[order]),
        ("hexahedron", points[cells].reshape(-1, 3), apart),
        ("tetra", points, tets),
    ):
        mesh = meshed(at, (kind, some))
        found = measure(mesh)
        assert (found.volume, found.grade) == (pytest.approx(30, rel=1e-15), "proved")
        assert mesh.facets == 6 * 9 * 2
        assert found.center_of_mass == pytest.approx([1, 1.5, 2.5], rel=1e-15)


def test_groups_are_parts_with_the_faces_between_them() -> None:
    """Warped faces between two groups: each part has its own curved side, and both together are the box."""
    points, cells = grid(2)
    middle = points[cells].mean(axis=1)
    mesh = meshed(points, ("hexahedron", cells), labels=("low", "high"), of=[(middle[:, 2] > 2.5).astype(int)])
    found = measure(mesh, densities={"low": 1000, "high": 3000})
    volumes = {p.label.name: p.measurement.volume for p in found.parts}
    assert sum(volumes.values()) == pytest.approx(30, rel=1e-14)
    assert volumes["low"] != volumes["high"]
    assert found.mass == pytest.approx(1000 * volumes["low"] + 3000 * volumes["high"], rel=1e-14)
    assert found.grade == "certified"


def test_wedges_and_tetrahedra_may_be_written_as_hexahedra() -> None:
    """With nodes that are there twice, beside cells of their own kind: a box of a wedge as such, and of one as a hexahedron."""
    points, cells = grid(1)
    c = cells[0]
    split = [c[[0, 1, 2, 2, 4, 5, 6, 6]]], [c[[0, 2, 3, 4, 6, 7]]]
    for kinds, blocks in (
        (("hexahedron", "wedge"), split),
        (("hexahedron",), [[*split[0], c[[0, 2, 3, 3, 4, 6, 7, 7]]]]),
        (("hexahedron",), [[c[list(t)][[0, 1, 2, 2, 3, 3, 3, 3]] for t in TETS]]),
    ):
        mesh = meshed(points, *((kind, np.array(rows)) for kind, rows in zip(kinds, blocks, strict=True)))
        assert (mesh.facets, mesh.exact) == (12, None)
        found = measure(mesh)
        assert (found.volume, found.grade) == (pytest.approx(30, rel=1e-15), "proved")


def test_a_turned_or_tangled_cell_is_named() -> None:
    points, cells = grid(2)
    cells[3] = cells[3][[4, 5, 6, 7, 0, 1, 2, 3]]
    error = raised(InvalidGeometry, meshed, points, ("hexahedron", cells))
    assert (error.code, error.exit_code) == ("turned-cells", 4)
    assert "1 of 8 cells (hexahedron)" in error.text
    assert "1 turned inside out, 0 tangled or flat; the first is cell 4" in error.text
    points, cells = grid(2)
    cells[5] = cells[5][[1, 0, 2, 3, 4, 5, 6, 7]]
    assert (
        "0 turned inside out, 1 tangled or flat; the first is cell 6"
        in raised(InvalidGeometry, meshed, points, ("hexahedron", cells)).text
    )


def test_all_cells_turned_are_another_order_of_nodes() -> None:
    points, cells = grid(2)
    mesh = meshed(points, ("hexahedron", cells[:, [4, 5, 6, 7, 0, 1, 2, 3]]))
    assert [(f.code, f.severity) for f in mesh.findings] == [("turned-cells", "info")]
    assert measure(mesh).volume == pytest.approx(30, rel=1e-15)


def test_a_cell_that_is_there_twice_is_named() -> None:
    points, cells = grid(2)
    error = raised(InvalidGeometry, meshed, points, ("hexahedron", np.concatenate([cells, cells[2:3]])))
    assert (error.code, error.exit_code) == ("doubled-cells", 4)
    assert "2 cells share a face with another cell on the same side" in error.text
    assert "cells 3, 9" in error.text


def test_cells_that_overlap_or_do_not_meet_are_refused_by_the_surface() -> None:
    """A second box half inside the first one; and a slit: nodes that should be one are a thousandth of a side apart."""
    points, cells = grid(1)
    both = ("hexahedron", np.concatenate([cells, cells + 8]))
    two = meshed(np.concatenate([points, points + np.array([1, 0.5, 0.5])]), both)
    assert raised(InvalidGeometry, measure, two, repair="none").code == "overlapping-bodies"
    assert measure(two).grade == "repaired"
    slit = meshed(np.concatenate([points, points + np.array([2.001, 0, 0])]), both)
    assert [(f.code, f.value) for f in slit.findings] == [("near-nodes", 4)]


def test_a_curved_surface_converges_as_its_cells_say() -> None:
    """A quarter of a cylinder of two hexahedra of 20 nodes on the circle: parabolas in place of arcs, off by 2e-3; the law is exact.

    Area between a parabola through three points and its chord: 2/3 of chord times sagitta (Archimedes).
    """
    angles = np.array([0, np.pi / 8, np.pi / 4])
    ring = np.column_stack([np.cos(angles), np.sin(angles)])
    axis = np.zeros((1, 2))
    kind = "wedge15"
    p = np.concatenate([axis, ring[[0]], ring[[2]]])
    flat = [p[0], p[1], p[2], (p[0] + p[1]) / 2, ring[1], (p[2] + p[0]) / 2]
    at = (
        [(*q, z) for z in (0, 4) for q in flat[:3]]
        + [(*q, z) for z in (0, 4) for q in flat[3:]]
        + [(*q, 2) for q in flat[:3]]
    )
    nodes = np.array(at)[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]]
    chord, sagitta = 2 * np.sin(np.pi / 8), 1 - np.cos(np.pi / 8)
    area = np.sin(np.pi / 4) / 2 + 2 / 3 * chord * sagitta
    found = measure(meshed(nodes, (kind, np.arange(15)[np.newaxis])))
    assert found.volume == pytest.approx(4 * area, rel=1e-13)
    assert found.volume == pytest.approx(4 * np.pi / 8, rel=1e-3)
    assert found.uncertainty is not None
    assert found.uncertainty.volume == pytest.approx(0, abs=1e-12)
