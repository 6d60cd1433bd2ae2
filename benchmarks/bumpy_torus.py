"""Meshes to measure: a bumpy torus without any symmetry, as binary STL, a row of quads at a time so that no size needs memory;
for 12 triangles, a box.

    python benchmarks/bumpy_torus.py 1000000 torus.stl
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from usage import words

RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def grid(triangles: int) -> tuple[int, int]:
    """Numbers of quads along the ring and around the tube, so that 2 · rows · columns is `triangles` or a little more."""
    rows = max(3, round((triangles / 4) ** 0.5))
    return rows, max(3, -(-triangles // (2 * rows)))


def row_of_points(i: int, rows: int, columns: int) -> np.ndarray:
    """Vertices around the tube at step i of the way around the ring, shape (columns, 3), metres."""
    u = 2 * np.pi * (i % rows) / rows
    v = 2 * np.pi * np.arange(columns) / columns
    bump = 0.03 + 0.004 * np.sin(3 * u + 1) * np.cos(2 * v) + 0.003 * np.sin(5 * v + u) + 0.002 * np.cos(u)
    radius = 0.1 + 0.01 * np.sin(2 * u) + bump * np.cos(v)
    height = bump * np.sin(v) + 0.008 * np.sin(u + 0.5)
    return np.stack([radius * np.cos(u) + 0.05, radius * np.sin(u) - 0.02, height + 0.01], axis=1).astype("<f4")


def write_stl(path: Path, triangles: int) -> int:
    """Write the mesh; the number of triangles is returned. Two rows of points are in memory at a time."""
    if triangles == 12:
        path.write_bytes(b"box".ljust(80) + np.uint32(12).tobytes() + box().tobytes())
        return 12
    rows, columns = grid(triangles)
    with path.open("wb") as stream:
        stream.write(b"bumpy torus".ljust(80) + np.uint32(2 * rows * columns).tobytes())
        for i in range(rows):
            a, b = row_of_points(i, rows, columns), row_of_points(i + 1, rows, columns)
            stream.write(_strip(a, b, np.roll(a, -1, axis=0), np.roll(b, -1, axis=0)).tobytes())
    return 2 * rows * columns


def box() -> np.ndarray:
    """A box of 12 triangles, away from the origin."""
    corner = np.array([[x, y, z] for x in (0.1, 0.2) for y in (0.1, 0.3) for z in (0.1, 0.4)], dtype="<f4")
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    facets = np.zeros(12, dtype=RECORD)
    facets["corners"] = corner[[t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]]
    return facets


def _strip(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Quads (a, b, d, c) as two triangles each, outward."""
    facets = np.zeros((len(a), 2), dtype=RECORD)
    facets["corners"][:, 0] = np.stack([a, b, d], axis=1)
    facets["corners"][:, 1] = np.stack([a, d, c], axis=1)
    return facets


if __name__ == "__main__":
    triangles, path = words(__doc__)
    print(write_stl(Path(path), int(triangles)), "triangles")
