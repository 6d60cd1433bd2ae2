"""T-junctions: a vertex lies on the edge of another facet, so that the edge and its two halves do not cancel."""

from __future__ import annotations

import numpy as np

from massprops.mesh.repair.bounds import Bound, Step, place
from massprops.mesh.repair.indexed import Index, IndexedMesh
from massprops.mesh.repair.neighbours import pairs_within

#: A facet has one of its edges split in a round.
_ROUNDS = 6
_FALL = 2.0


def split(mesh: IndexedMesh, tolerance: float, r: np.ndarray) -> tuple[IndexedMesh, list[Step]] | None:
    """The mesh with every open edge split at the open vertices within `tolerance` of it; None where that does not help."""
    before = mesh.length(mesh.open_edges())
    bound, count, where = Bound.none(), 0, (0.0, 0.0, 0.0)
    result = mesh
    for _ in range(_ROUNDS):
        found = _one_round(result, tolerance, r)
        if found is None:
            break
        result, edges, first, off = found
        bound, count, where = bound + off, count + edges, first if count == 0 else where
    if not count or result.length(result.open_edges()) * _FALL > before:
        return None
    return result, [Step("split", count, where, bound, f"split {count} edges at vertices that lie on them")]


def _one_round(
    mesh: IndexedMesh, tolerance: float, r: np.ndarray
) -> tuple[IndexedMesh, int, tuple[float, float, float], Bound] | None:
    open_edges = mesh.open_edges()
    if not len(open_edges):
        return None
    edge, vertex, along, off = _on_edges(mesh, open_edges.start, open_edges.end, tolerance)
    # one edge of each facet: the first that has something on it
    _, first = np.unique(open_edges.facet[edge], return_index=True)
    chosen = np.isin(edge, edge[first])
    edge, vertex, along, off = edge[chosen], vertex[chosen], along[chosen], off[chosen]
    if not len(edge):
        return None
    order = np.lexsort((along, edge))
    edge, vertex, off = edge[order], vertex[order], off[order]
    start = np.append(True, edge[1:] != edge[:-1])
    last = np.append(start[1:], True)
    a, b, facet = open_edges.start[edge], open_edges.end[edge], open_edges.facet[edge]
    apex = mesh.faces[facet].sum(axis=1) - a - b
    # facets (a, p1, c), (p1, p2, c) …, (pk, b, c): one that ends at each vertex, and the last that begins at the last vertex
    before = np.where(start, a, np.roll(vertex, 1))
    pieces = np.concatenate(
        [np.stack([before, vertex, apex], axis=1), np.stack([vertex[last], b[last], apex[last]], axis=1)]
    )
    corners = mesh.corners[facet[start]]
    widest = np.maximum.reduceat(off, np.flatnonzero(start))
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2
    bound = Bound.at(widest * area, np.abs(corners - r).max(axis=1) + widest[:, np.newaxis])
    keep = np.ones(len(mesh.faces), dtype=bool)
    keep[facet] = False
    result = IndexedMesh(mesh.points, np.concatenate([mesh.faces[keep], pieces]))
    return result, int(start.sum()), place(mesh.points[vertex[0]]), bound


def _on_edges(
    mesh: IndexedMesh, start: Index, end: Index, tolerance: float
) -> tuple[Index, Index, np.ndarray, np.ndarray]:
    """Pairs of an edge and an open vertex on it: edge, vertex, the place along the edge, and the distance from it."""
    used = np.unique(np.concatenate([start, end]))
    points = mesh.points[used]
    a, b = mesh.points[start], mesh.points[end]
    length = np.linalg.norm(b - a, axis=1)
    unit = (b - a) / np.maximum(length, np.finfo(float).tiny)[:, np.newaxis]
    found = [(np.empty(0, np.intp), np.empty(0, np.intp), np.empty(0), np.empty(0))]
    for edge, vertex in pairs_within(points, (a + b) / 2, length / 2 + tolerance):
        arm = points[vertex] - a[edge]
        along = (arm * unit[edge]).sum(axis=1)
        off = np.linalg.norm(arm - along[:, np.newaxis] * unit[edge], axis=1)
        inside = (off <= tolerance) & (along > tolerance) & (along < length[edge] - tolerance)
        inside &= (used[vertex] != start[edge]) & (used[vertex] != end[edge])
        found.append((edge[inside], used[vertex[inside]], along[inside], off[inside]))
    edge, vertex, along, off = (np.concatenate(values) for values in zip(*found, strict=True))
    return edge, vertex, along, off
