"""Cracks: loops of open edges, cut into the triangles between sides that run along each other, and what is left.

A loop is triangulated with the shortest diagonals (Klincsek 1980, Annals of Discrete Mathematics 9: 121). Triangles that are lower than the
widest gap of a seam, between rims of opposite directions, are cells of a strip. Between facets that face away from each other such a
triangle is where a wall is cut: it can go on to the next material ahead, which can be slanted, at most as far as the body is long.

Tests: `tests/mesh/test_cracks.py`.
"""

from __future__ import annotations

import numpy as np

from massprops.mesh.connectivity import Index, components
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.mesh.repair.beyond import room
from massprops.mesh.repair.seams import OPPOSITE, WIDEST, through_wall
from massprops.mesh.winding_tree import Tree
from massprops.moments.arrays import Array, unit_vectors

#: The vertices of a loop, the facets along it (−1: none), the gap of a cell of a strip, and how far a wall can go on from it.
Cell = tuple[Index, Index, float, float]
#: Loops of more edges are left as they are: the time grows with the cube of their number.
MOST_EDGES = 300
#: A wall reaches so many times as far as it is straight ahead where what is ahead is at up to 70 degrees to it.
_SLANTED = 2.0


def cells_of(mesh: IndexedMesh, vertices: Index, facets: Index, tree: Tree | None) -> list[Cell]:
    """A loop of more than three edges as the cells of its cracks, and the loops that are left; `tree`: of the mesh.

    A cell needs a neighbour: a single narrow triangle is a tooth of a jagged rim.
    """
    p, n, widest = mesh.points[vertices], len(vertices), WIDEST * mesh.size
    tri, along = shortest_triangulation(p), np.roll(p, -1, axis=0) - p
    side = tri, np.roll(tri, -1, axis=1)
    rim = (side[0] + 1) % n == side[1]
    direction = unit_vectors(along + np.roll(along, 1, axis=0))
    opposite = np.einsum("tik,tjk->tij", direction[tri], direction[tri]).min(axis=(1, 2)) <= OPPOSITE
    across = _altitude(p[tri])
    height = np.linalg.norm(across, axis=1)
    narrow = opposite & (height <= widest)
    keys = np.sort(np.stack(side, axis=2).reshape(-1, 2), axis=1) @ [n, 1]
    order = np.argsort(keys, kind="stable")
    at = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    one, other = order[at] // 3, order[at + 1] // 3  # triangles on both sides of a diagonal
    beside = np.zeros(len(tri), dtype=bool)
    both = narrow[one] & narrow[other]
    beside[one[both]] = beside[other[both]] = True
    narrow &= beside
    if not narrow.any():
        return [(vertices, facets, 0.0, 0.0)]
    normal = np.where(facets[:, np.newaxis] < 0, 0.0, unit_vectors(mesh.normals(facets)))
    depth = np.where(narrow & _cuts(tri, normal, across), mesh.size, 0.0)
    cut = np.flatnonzero(depth)
    depth[cut] = _room(tree, mesh, p[tri[cut]], 2 * height[cut] + widest / 10)
    cells: list[Cell] = [
        (vertices[tri[i]], np.where(rim[i], facets[tri[i]], -1), max(float(height[i]), 1e-12 * widest), float(depth[i]))
        for i in np.flatnonzero(narrow)
    ]
    both = ~narrow[one] & ~narrow[other]
    left = components(len(tri), one[both], other[both])
    for label in np.unique(left[~narrow]):
        corners = np.unique(tri[left == label])  # of a part of a triangulated loop, in the order of the loop
        cells.append((vertices[corners], facets[corners], 0.0, 0.0))
    return cells


def shortest_triangulation(p: Array) -> Index:
    """Triangles of a loop, shape (n − 2, 3), in its order: those whose diagonals are shortest together."""
    n = len(p)
    apart = np.linalg.norm(p[:, np.newaxis] - p, axis=2)
    best, split = np.zeros((n, n)), np.zeros((n, n), dtype=np.intp)
    for span in range(2, n):
        first = np.arange(n - span)
        middle = first[:, np.newaxis] + np.arange(1, span)
        total = best[first[:, np.newaxis], middle] + best[middle, (first + span)[:, np.newaxis]]
        least = total.argmin(axis=1)
        best[first, first + span] = total[first, least] + apart[first, first + span]
        split[first, first + span] = first + 1 + least
    found, todo = [], [(0, n - 1)]
    while todo:
        i, j = todo.pop()
        if j - i > 1:
            k = int(split[i, j])
            found.append((i, k, j))
            todo += [(i, k), (k, j)]
    return np.array(found)


def _cuts(tri: Index, normal: Array, across: Array) -> np.ndarray:
    """Whether facets at the corners of triangles face away from each other, along the triangles' lowest heights."""
    around = np.concatenate([normal[tri], np.roll(normal, 1, axis=0)[tri]], axis=1)  # of both edges at a corner
    found = through_wall(around[:, :, np.newaxis], around[:, np.newaxis], across[:, np.newaxis, np.newaxis])
    return np.asarray(found.any(axis=(1, 2)))


def _room(tree: Tree | None, mesh: IndexedMesh, corners: Array, first: Array) -> Array:
    """How far a wall can reach from triangles, outward: twice the way to where the body goes on, at least `first`, at most its size."""
    if tree is None or not len(corners):
        return np.full(len(corners), mesh.size)
    a, b, c = corners.transpose(1, 0, 2)
    sign = -1.0 if mesh.volume() < 0 else 1.0
    outward = -sign * unit_vectors(np.cross(b - a, c - a))  # loops run against the facets that close them
    far = room(tree(), corners.mean(axis=1), outward, first, mesh.size, sign)
    return np.asarray(np.minimum(_SLANTED * far, mesh.size))


def _altitude(corners: Array) -> Array:
    """The vectors from the longest sides of triangles, shape (m, 3, 3), to the corners opposite of them."""
    sides = np.roll(corners, -1, axis=1) - corners
    row, longest = np.arange(len(corners)), np.linalg.norm(sides, axis=2).argmax(axis=1)
    along, arm = unit_vectors(sides[row, longest]), corners[row, (longest + 2) % 3] - corners[row, longest]
    return np.asarray(arm - (arm * along).sum(axis=1, keepdims=True) * along)
