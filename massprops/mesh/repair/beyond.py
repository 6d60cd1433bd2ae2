"""Beyond a fill: how far the body can go on there, where its wall is cut, or where a flat lid can be a cut as well.

A wall that is cut can go on as far as the next material of its own body ahead, at most as far as the whole is long. A flat lid at
the end of a wall is the end of the body where its rim is an edge. Programs put no vertices where the body has no edge; where most vertices
are such ones, as of a mesh that was made even, a row of facets that is gone leaves the same rim.

Tests: `tests/mesh/test_beyond.py`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from massprops.mesh.connectivity import Index
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.mesh.winding_tree import Tree, WindingTree
from massprops.moments.arrays import Array, unit_vectors

#: How often the distance ahead of a place is doubled, and the points in each doubling: what is there can be thin.
_AHEAD, _BETWEEN = 10, 2
#: Cosine of the angle, and share of the size, by which facets are in one plane with a lid.
_IN_PLANE, _NEAR = 1 - 1e-4, 1e-3
#: Lids are of one plane within this share of these.
_SAME = 0.01
#: Largest share of a fill in what is left of its plane; of the fills in the area of a part.
_LITTLE, _SCRAP = 0.5, 1 / 3


def room(tree: WindingTree, at: Array, outward: Array, first: Array, most: float, sign: float) -> Array:
    """How far it is from points along unit vectors, shape (n, 3), to where a body goes on: at least `first`, at most `most`.

    `sign`: −1 for a body inside out, or a cavity.
    """
    ahead = np.minimum(first[:, np.newaxis] * 2.0 ** (np.arange(_AHEAD * _BETWEEN + 1) / _BETWEEN), most)
    points = at[:, np.newaxis] + ahead[..., np.newaxis] * outward[:, np.newaxis]
    low, high = tree.bounds[0].min(axis=1), tree.bounds[1].max(axis=1)
    inside = ((points > low) & (points < high)).all(axis=2)
    inside[inside] = sign * tree.winding_numbers(points[inside]) > 0.5
    return np.asarray(np.where(inside, ahead, most).min(axis=1))


def rooms(tree: Tree, mesh: IndexedMesh, facet: Index, center: Array, outward: Array, radius: Array) -> Array:
    """How far bodies, of which some facets are part, can go on beyond balls around their holes, shape (n,): see `room`.

    A part that was meshed evenly is a body of its own; others can be pieces of one.
    """
    part, size, found = mesh.parts(), mesh.size, np.full(len(facet), mesh.size)
    label = np.where(mesh.is_even[facet], part[facet], -1)
    for k in np.unique(label):
        of, own = np.flatnonzero(label == k), (part == k) | (k < 0)
        sign = -1.0 if np.linalg.det(mesh.points[mesh.faces[own]] - center[of[0]]).sum() < 0 else 1.0
        direction = sign * unit_vectors(outward[of])
        found[of] = room(tree().keeping(own), center[of], direction, radius[of], size, sign)
    return found


def lids_of_even_meshes(
    mesh: IndexedMesh, facet: Index, center: Array, outward: Array, flat: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Whether flat fills, along some facets, have more than half of what the file has of their plane, on a mesh that was made even."""
    lid = flat & (facet >= 0)
    if not lid.any():
        return lid
    lid[lid] = mesh.is_even[facet[lid]]
    area, unit = np.linalg.norm(outward, axis=1), unit_vectors(outward)
    normal, middle, part, near = mesh.normals(), mesh.corners.mean(axis=1), mesh.parts(), _NEAR * mesh.size
    by_part, label = np.argsort(part, kind="stable"), np.where(lid, part[facet], -1)
    for k in np.unique(label[lid]):
        first, end = np.searchsorted(part, (k, k + 1), sorter=by_part)
        own, left = by_part[first:end], np.flatnonzero(label == k)
        facing, at, weight = normal[own], middle[own], np.linalg.norm(normal[own], axis=1)
        while len(left):  # those of one plane together: a face can have thousands of holes
            i = left[area[left].argmax()]
            along = facing @ unit[i]
            is_in_plane = (along > _IN_PLANE * weight) & (np.abs((at - center[i]) @ unit[i]) < near)
            same = np.abs((center[left] - center[i]) @ unit[i]) < _SAME * near
            same &= unit[left] @ unit[i] > 1 - _SAME * (1 - _IN_PLANE)
            of, left = left[same | (left == i)], left[~same & (left != i)]
            lid[of] = _LITTLE * along[is_in_plane].sum() / 2 < area[of]
    return lid


def are_scraps(mesh: IndexedMesh, facet: Index, area: Array) -> NDArray[np.bool_]:
    """Whether the parts of which some facets are have fills of more than a third of their area, on a mesh that was made even: what is left
    does not tell their size.
    """
    part = mesh.parts()
    own = np.bincount(part, np.linalg.norm(mesh.normals(), axis=1) / 2)[part[facet]]
    filled = np.bincount(part[facet], area, part.max() + 1)[part[facet]]
    return np.asarray((filled > _SCRAP * own) & mesh.is_even[facet])
