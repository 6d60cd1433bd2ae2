"""Microseconds of CPU per facet of the proof on bodies that are hard for trees of boxes, at about 100,000 facets.

    python benchmarks/adversarial.py [facets]

None should be above 20.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from usage import words

from massprops.formats.mesh.arrays import from_object
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.mesh.proof.embedding import embedding_of

Mesh = tuple[np.ndarray, np.ndarray]
#: Off all axes.
TURN = np.linalg.qr(np.array([[3.0, 1, 2], [1, -4, 1], [2, 1, 5]]))[0]
TURN *= np.sign(np.linalg.det(TURN))
CORNERS = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)], dtype=float)
QUADS = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
BOX = np.array([t for a, b, c, d in QUADS for t in ((a, b, c), (a, c, d))])


def ring(sides: int) -> np.ndarray:
    angle = 2 * np.pi * np.arange(sides) / sides
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def prism(facets: int, *, centre: bool) -> Mesh:
    """A prism of very many sides, its caps cut from their centre or from a corner of their rim."""
    n = facets // 4
    i, j = np.arange(n), (np.arange(n) + 1) % n
    points = np.concatenate([np.column_stack([ring(n), np.full(n, z)]) for z in (0.0, 1.0)] + [[[0, 0, 0], [0, 0, 1]]])
    walls = [np.stack(x, axis=1) for x in ((i, j, j + n), (i, j + n, i + n))]
    if centre:
        caps = [np.stack([np.full(n, 2 * n), j, i], axis=1), np.stack([np.full(n, 2 * n + 1), i + n, j + n], axis=1)]
    else:
        i, j = i[1:-1], j[1:-1]
        caps = [np.stack([0 * i, j, i], axis=1), np.stack([0 * i + n, i + n, j + n], axis=1)]
    return points @ TURN, np.concatenate(walls + caps)


def double_cone(facets: int) -> Mesh:
    n = facets // 2
    i, j = np.arange(n), (np.arange(n) + 1) % n
    points = np.concatenate([np.column_stack([ring(n), np.zeros(n)]), [[0, 0, 1], [0, 0, -1]]])
    return points @ TURN, np.concatenate([np.stack(x, axis=1) for x in ((i, j, 0 * i + n), (j, i, 0 * i + n + 1))])


def boxes(low: np.ndarray, axes: np.ndarray, inward: np.ndarray | None = None) -> Mesh:
    """Boxes with these corners and edges, shapes (n, 3) and (n, 3, 3); some wound as cavities."""
    points = low[:, np.newaxis] + CORNERS @ axes
    faces = BOX + 8 * np.arange(len(low))[:, np.newaxis, np.newaxis]
    if inward is not None:
        faces[inward] = faces[inward][:, :, ::-1]
    return points.reshape(-1, 3), faces.reshape(-1, 3)


def comb(facets: int) -> Mesh:
    """Thin teeth side by side on one back: one body, extruded from a polygon."""
    n = facets // 24
    x = np.arange(2 * n) / (2 * n)
    outline = [
        np.column_stack([x, np.full(2 * n, y)]) for y in (-0.1, 0.0, 1.0)
    ]  # the back, its upper side, the ends of the teeth
    plane = np.concatenate(outline)
    a, tooth = np.arange(2 * n - 1), np.arange(0, 2 * n, 2)
    quads = [np.stack([a, a + 1, a + 1 + 2 * n, a + 2 * n], axis=1)]
    quads += [np.stack([tooth + 2 * n, tooth + 1 + 2 * n, tooth + 1 + 4 * n, tooth + 4 * n], axis=1)]
    flat = np.concatenate(quads)[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)
    edges = np.concatenate([flat[:, [0, 1]], flat[:, [1, 2]], flat[:, [2, 0]]])
    known = set(map(tuple, edges.tolist()))
    rim = np.array([e for e in known if e[::-1] not in known])
    m = len(plane)
    sides = [
        np.stack(x, axis=1) for x in ((rim[:, 0], rim[:, 1], rim[:, 1] + m), (rim[:, 0], rim[:, 1] + m, rim[:, 0] + m))
    ]
    points = np.concatenate([np.column_stack([plane, np.full(m, z)]) for z in (0.0, 0.3)])
    return points @ TURN, np.concatenate([flat[:, ::-1], flat + m, *sides])


def brush(facets: int) -> Mesh:
    """Long thin bristles in one direction, off all axes."""
    n = int((facets / 12) ** 0.5)
    at = np.stack(np.meshgrid(np.arange(n), np.arange(n), [0.0]), axis=-1).reshape(-1, 3)
    points, faces = boxes(at, np.broadcast_to(np.diag([0.5, 0.5, 4.0 * n]), (n * n, 3, 3)))
    return points @ TURN, faces


def nest(facets: int) -> Mesh:
    """Shells in each other, outward and inward in turn."""
    n = facets // 12
    size = 1 - 0.9 * np.arange(n) / n
    points, faces = boxes(
        -size[:, np.newaxis] / 2 * np.ones(3), size[:, np.newaxis, np.newaxis] * np.eye(3), np.arange(n) % 2 == 1
    )
    return points @ TURN, faces


def sierpinski(facets: int) -> Mesh:
    """Cavities with bodies in them: in every cube four halves of its size, down to some depth."""
    low, size, levels = np.zeros((1, 3)), 1.0, []
    for level in range(round(np.log(facets / 12) / np.log(4)) + 1):
        levels.append((low, size, level))
        size *= 0.4
        low = np.concatenate(
            [low + size * np.array(o) for o in ((0.2, 0.2, 0.2), (1.3, 1.3, 0.2), (1.3, 0.2, 1.3), (0.2, 1.3, 1.3))]
        )
    parts = [
        boxes(p, s * np.broadcast_to(np.eye(3), (len(p), 3, 3)), np.full(len(p), k % 2 == 1)) for p, s, k in levels
    ]
    first = np.cumsum([0, *(len(p) for p, _ in parts[:-1])])
    return np.concatenate([p for p, _ in parts]) @ TURN, np.concatenate(
        [f + k for (_, f), k in zip(parts, first, strict=True)]
    )


def needles(facets: int) -> Mesh:
    """Needles of all directions and sizes, from 1 to 1e-6, with their middles apart."""
    rng, n = np.random.default_rng(1), facets // 12
    size = 10.0 ** rng.uniform(-6, 0, n)
    axes = np.linalg.qr(rng.normal(size=(n, 3, 3)))[0]
    axes *= np.sign(np.linalg.det(axes))[:, np.newaxis, np.newaxis]
    at = (np.cumsum(4 * size) - 2 * size)[:, np.newaxis] * np.array([1.0, 0.0, 0.0]) - size[:, np.newaxis] * axes[
        :, 0
    ] / 2
    return boxes(at, axes * (size[:, np.newaxis] * [1.0, 0.01, 0.01])[:, :, np.newaxis])


BODIES: dict[str, Callable[[int], Mesh]] = {
    "caps cut from a corner": lambda n: prism(n, centre=False),
    "caps cut from the centre": lambda n: prism(n, centre=True),
    "double cone": double_cone,
    "comb": comb,
    "brush": brush,
    "nest of shells": nest,
    "Sierpinski-like nest": sierpinski,
    "needles of all sizes": needles,
}


def main(facets: str = "100000") -> None:
    print("| body | facets | outcome | µs per facet |\n|---|---:|---|---:|")
    for name, make in BODIES.items():
        points, faces = make(int(facets))
        source = from_object((points, faces))
        begin = time.process_time()
        found = embedding_of(IndexedMesh.of(source))
        taken = (time.process_time() - begin) / len(faces)
        print(f"| {name} | {len(faces):,} | {found.outcome} | {1e6 * taken:.1f} |", flush=True)


if __name__ == "__main__":
    main(*words(__doc__)[:1])
