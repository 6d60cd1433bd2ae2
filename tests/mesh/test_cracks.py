"""Cracks: rims of different vertices along one slit are joined, and walls that are cut are not taken for whole.

Module tested: `mesh/repair/cracks`.
"""

from __future__ import annotations

from collections import Counter

import damage
import numpy as np
import pytest
from cases import each, seeds

from massprops import InvalidGeometry, measure
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.mesh.repair.cracks import cells_of, shortest_triangulation
from massprops.mesh.repair.seams import WIDEST
from massprops.mesh.winding_tree import WindingTree


def diagonals(points: np.ndarray, loop: tuple[int, ...]) -> float:
    """Length of the shortest diagonals that triangulate a loop: all triangulations, by the triangle on its first edge."""
    if len(loop) < 4:
        return 0.0
    a, b = loop[0], loop[-1]
    return min(
        diagonals(points, loop[: k + 1])
        + diagonals(points, loop[k:])
        + sum(
            float(np.linalg.norm(points[loop[k]] - points[e]))
            for e, step in ((a, k), (b, len(loop) - 1 - k))
            if step > 1
        )
        for k in range(1, len(loop) - 1)
    )


@each("count", range(4, 10))
def test_the_diagonals_are_the_shortest_of_all(count: int) -> None:
    """Each triangulation of a small loop is tried."""
    points = np.random.default_rng(count).normal(size=(count, 3))
    tri = shortest_triangulation(points)
    assert len(tri) == count - 2
    assert (np.diff(tri) > 0).all()
    sides = np.sort(tri[:, [0, 1, 1, 2, 0, 2]].reshape(-1, 2))
    sides, used = np.unique(sides, axis=0, return_counts=True)
    assert used.tolist() == [2 if 1 < b - a < count - 1 else 1 for a, b in sides]
    found = np.linalg.norm(np.diff(points[sides[used == 2]], axis=1), axis=2).sum()
    assert found == pytest.approx(diagonals(points, tuple(range(count))))


def keyhole(width: float, sides: int, teeth: int) -> tuple[IndexedMesh, np.ndarray]:
    """A round hole with a long slit, whose lower rim has more vertices, in a flat sheet, and the vertices of its loop."""
    angle = np.linspace(0.3, 2 * np.pi - 0.3, sides)
    ring = np.stack([np.cos(angle) - 1, np.sin(angle)], axis=1) * 0.1
    start = np.array([0.0, width / 2])
    lower = np.stack([np.linspace(0, 0.9, teeth), np.full(teeth, -width / 2)], axis=1)
    loop = np.concatenate([lower, [[1.0, 0.0], [0.5, width / 2], start], ring])
    after, middle = np.roll(loop, -1, axis=0), len(loop)
    outward = np.stack([(after - loop)[:, 1], (loop - after)[:, 0]], axis=1)
    points = np.zeros((2 * middle, 3))
    points[:, :2] = np.concatenate([loop, (loop + after) / 2 + outward])
    i = np.arange(middle)
    return IndexedMesh(points, np.stack([i, (i + 1) % middle, i + middle], axis=1)), i


def area(points: np.ndarray) -> float:
    """Area of a polygon."""
    return float(np.linalg.norm(np.cross(points, np.roll(points, -1, axis=0)).sum(axis=0)) / 2)


@each("seed", range(8))
def test_cells_and_what_is_left_are_the_loop(seed: int) -> None:
    """Edges that two of them have in common cancel, the others are those of the loop; the cells are as wide as the slit."""
    rng = np.random.default_rng(seed)
    sides = int(rng.integers(8, 30))
    mesh, loop = keyhole(width := 10 ** rng.uniform(-3, -2.2), sides, rng.integers(4, 20))
    cells = cells_of(mesh, loop, loop, lambda: WindingTree.of(mesh))
    edges: Counter[tuple[int, int]] = Counter()
    for vertices, *_ in cells:
        for a, b in zip(vertices.tolist(), np.roll(vertices, -1).tolist(), strict=True):
            edges[a, b] += 1
            edges[b, a] -= 1
    count = len(loop)
    assert {e for e, n in edges.items() if n > 0} == {(k, (k + 1) % count) for k in range(count)}
    assert max(gap for _, _, gap, _ in cells) <= WIDEST * mesh.size
    narrow, left = (sum(area(mesh.points[c[0]]) for c in cells if (c[2] > 0) == n) for n in (True, False))
    round_hole = area(mesh.points[loop[-sides:]])
    assert narrow > 0.3 * width
    assert left == pytest.approx(round_hole, rel=0.15)
    assert not any(depth for *_, depth in cells)


def slit(gap: float, rng: np.random.Generator) -> tuple[np.ndarray, float]:
    """A box that is slit across three faces, sheared and turned, and its volume: one rim is wavy in its faces, the other one has no vertex
    but on the edges of the box.
    """
    t = damage.box_mesh(np.zeros(3), np.ones(3))
    for _ in range(4):
        t = damage.quarter(t)
    on = (t[:, :, 1] == 0.5) & (t[:, :, 0] > 0.1)
    far, on_edge = t[:, :, 1].mean(axis=1) > 0.5, np.isin(t[:, :, 0], (0.125, 1)) & np.isin(t[:, :, 2], (0, 1))
    moved, is_lid = on & ~on_edge, np.isin(t[:, :, 2], (0, 1))
    waves = gap * np.sin(rng.uniform(20, 60) * (t[..., 0] + t[..., 2]) + rng.uniform(0, 6))
    t[..., 1] += np.where(moved & ~far[:, np.newaxis], waves, 0)
    coarse = moved & far[:, np.newaxis]
    t[..., 0], t[..., 2] = np.where(coarse & is_lid, 0.125, t[..., 0]), np.where(coarse & ~is_lid, 0, t[..., 2])
    linear = np.linalg.qr(rng.normal(size=(3, 3)))[0] @ np.diag(rng.uniform(0.5, 1.5, 3))
    linear[:, 0] *= np.sign(np.linalg.det(linear))
    return t @ linear.T, float(np.linalg.det(linear))


@each("seed", seeds(6))
def test_a_slit_with_rims_of_different_vertices_is_joined(seed: int) -> None:
    """All facets lie in the faces of a box, so its volume is exact; with one cone over the slit it was refused."""
    rng = np.random.default_rng(seed)
    triangles, volume = slit(10 ** rng.uniform(-3.5, -2.5), rng)
    found = measure(triangles, repair="full", units="m")
    assert abs(found.volume - volume) <= found.uncertainty.volume <= 0.1 * volume


@each("seed", seeds(7))
def test_a_wall_goes_on_to_what_is_ahead_of_it(seed: int) -> None:
    """The end of a thin plate is gone, and ahead of it is a rib. Where its rims had vertices nearer to each other than the widest
    seam, they were joined aslant, which left nothing open; and a rib half as thick as it is far away was overlooked. A slanted rib is
    farther away along the plate than straight ahead of a slanted end.
    """
    rng = np.random.default_rng(seed)
    thickness, width, ahead = rng.uniform(0.004, 0.008), rng.uniform(0.2, 0.4), 10 ** rng.uniform(-0.8, -0.3)
    slant = np.radians(rng.uniform(0, 55))
    plate = damage.box_mesh(np.array([0, -width / 2, 0]), np.array([1, width / 2, thickness]))
    for _ in range(4):
        plate = damage.quarter(plate)
    left = plate[(plate[:, :, 0] < 1).any(axis=1)]
    rib = damage.box_mesh(np.array([1 + ahead, -0.5, -0.3]), np.array([1 + 1.5 * ahead / np.cos(slant), 0.5, 0.3]))
    for part, angle in ((left, slant / 2), (rib, slant)):
        part[..., 0] += np.tan(angle) * part[..., 1]
    found = measure(damage.placed(np.concatenate([left, rib]), rng), repair="full", units="m", max_uncertainty="90%")
    (bound,) = (step.bound for step in found.repairs if step.step == "fill")
    assert 1 <= bound / (thickness * width * ahead) <= 2 * 1.5


@each("seed", seeds(7))
def test_a_thin_plate_that_is_cut_off_is_not_taken_for_whole(seed: int) -> None:
    """The cut is as narrow as a crack and flat: the plate was repaired to half of its volume, ± 0."""
    rng = np.random.default_rng(seed)
    plate = damage.box_mesh(np.zeros(3), np.array([1, rng.uniform(0.4, 1), 10 ** rng.uniform(-2.8, -2.1)]))
    for _ in range(4):
        plate = damage.quarter(plate)
    left = plate[plate[:, :, 0].max(axis=1) <= rng.choice([0.5, 0.625, 0.75])]
    with pytest.raises(InvalidGeometry, match=r"of the volume open|missing"):
        measure(damage.placed(left, rng), repair="full", units="m")


@each("seed", seeds(6))
def test_both_sides_of_a_plate_that_is_cut_are_not_welded(seed: int) -> None:
    """It is thinner than the widest weld: a plate that lacked a part was closed along the cut, and its ± was too small."""
    rng = np.random.default_rng(seed)
    sides = np.array([1, rng.uniform(0.4, 1), 10 ** rng.uniform(-3.3, -3.0)])
    plate = damage.box_mesh(np.zeros(3), sides)
    for _ in range(4):
        plate = damage.quarter(plate)
    middle = plate.mean(axis=1)
    left = plate[middle[:, 0] + rng.uniform(0, 0.4) * middle[:, 1] < rng.uniform(0.5, 0.8)]
    try:
        found = measure(left, repair="full", units="m", max_uncertainty="40%")
    except InvalidGeometry:
        return
    assert abs(found.volume - float(np.prod(sides))) <= found.uncertainty.volume
