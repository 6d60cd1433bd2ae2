"""Welding: vertices on open edges that are nearer to each other than a tolerance become one."""

from __future__ import annotations

import numpy as np

from massprops.mesh.edge_defects import components
from massprops.mesh.repair.bounds import Bound, Step, moved_facets, place
from massprops.mesh.repair.indexed import IndexedMesh
from massprops.mesh.repair.neighbours import pairs_within

#: A weld is accepted where the length of open edges falls by this factor.
FALL = 10.0


def welded(mesh: IndexedMesh, tolerance: float, r: np.ndarray) -> tuple[IndexedMesh, list[Step]] | None:
    """The mesh with open vertices within `tolerance` joined at their mean; None where that does not help.

    Only vertices on open edges move. A cluster that is wider than twice the tolerance is a chain of vertices that are no copies of one,
    and then the tolerance is too large for this mesh.
    """
    edges = mesh.open_edges()
    used = np.unique(np.concatenate([edges.start, edges.end]))
    at = mesh.points[used]
    pairs = [(i[i < j], j[i < j]) for i, j in pairs_within(at, at, np.full(len(at), tolerance))]
    if not any(len(i) for i, _ in pairs):
        return None
    label = components(len(used), *(np.concatenate(ends) for ends in zip(*pairs, strict=True)))
    clusters, member = np.unique(label, return_inverse=True)
    size = np.bincount(member)
    middle = np.stack([np.bincount(member, weights=mesh.points[used, k]) / size for k in range(3)], axis=1)
    low, high = np.full((len(clusters), 3), np.inf), np.full((len(clusters), 3), -np.inf)
    np.minimum.at(low, member, mesh.points[used])
    np.maximum.at(high, member, mesh.points[used])
    if float(np.linalg.norm(high - low, axis=1).max()) > 2 * tolerance:
        return None
    joined = size[member] > 1
    points = mesh.points.copy()
    points[used[joined]] = middle[member[joined]]
    number = np.arange(len(points))
    number[used] = used[np.unique(member, return_index=True)[1]][member]
    faces = number[mesh.faces]
    changed = np.isin(mesh.faces, used[joined]).any(axis=1)
    bound = moved_facets(mesh.points[mesh.faces[changed]], points[mesh.faces[changed]], r)
    gap = np.zeros(len(points))
    gap[used] = np.linalg.norm(high - low, axis=1)[member]
    bound += _shifted_patches(mesh, gap, r)
    proper = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    result = IndexedMesh(points, faces[proper])
    before, after = mesh.length(edges), result.length(result.open_edges())
    if after * FALL > before:
        return None
    count = int(joined.sum())
    first = place(middle[member[joined][0]])
    return result, [Step("weld", count, first, bound, f"welded {count} vertices", tolerance)]


def _shifted_patches(mesh: IndexedMesh, gap: np.ndarray, r: np.ndarray) -> Bound:
    """What it changes if patches that nothing joined before were shifted as wholes: each by the widest gap at its rim.

    The largest patch is where it is: only relative shifts matter.
    """
    a, b, c = mesh.faces.T
    label = components(len(mesh.points), np.concatenate([a, b]), np.concatenate([b, c]))
    patches, of_facet = np.unique(label[a], return_inverse=True)
    if len(patches) == 1:
        return Bound.none()
    area = np.bincount(of_facet, weights=np.linalg.norm(mesh.normals(), axis=1) / 2)
    widest = np.zeros(len(patches))
    np.maximum.at(widest, np.repeat(of_facet, 3), gap[mesh.faces.reshape(-1)])
    widest[int(area.argmax())] = 0.0
    reach = np.zeros((len(patches), 3))
    np.maximum.at(reach, of_facet, np.abs(mesh.corners - r).max(axis=1))
    return Bound.at(widest * area, reach + widest[:, np.newaxis])
