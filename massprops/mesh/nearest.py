"""Distances from points to triangles, and whether points lie inside a closed surface: by brute force, in blocks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from massprops.moments.arrays import Array, product

#: Pairs of a point and a triangle that are looked at together: some megabytes for each of the arrays.
_BLOCK = 1 << 18


def distances(points: Array, corners: Array) -> Array:
    """The distance of each point, shape (P, 3), from the nearest of the triangles, shape (F, 3, 3); shape (P,)."""
    rows = max(1, _BLOCK // len(corners))
    return np.concatenate([_distances(points[i : i + rows], corners) for i in range(0, len(points), rows)])


def _distances(points: Array, corners: Array) -> Array:
    a, b, c = corners.transpose(1, 0, 2)
    normal = np.cross(b - a, c - a)
    length = np.linalg.norm(normal, axis=1)
    proper = length > 0
    unit = np.divide(normal, length[:, None], out=np.zeros_like(normal), where=proper[:, None])
    height = product(points, unit.T) - (unit * a).sum(axis=1)
    inside = np.broadcast_to(proper, height.shape).copy()
    nearest = np.full(height.shape, np.inf)
    for p, q in ((a, b), (b, c), (c, a)):
        edge = q - p
        squared = np.maximum((edge * edge).sum(axis=1), np.finfo(float).tiny)
        along = np.clip((product(points, edge.T) - (p * edge).sum(axis=1)) / squared, 0, 1)
        arm = points[:, None] - p - along[:, :, None] * edge
        np.minimum(nearest, (arm * arm).sum(axis=2), out=nearest)
        outward = np.cross(edge, unit)
        inside &= product(points, outward.T) <= (outward * p).sum(axis=1)
    # over a triangle its plane is nearest, beside it one of its edges
    return np.asarray(np.where(inside, np.abs(height), np.sqrt(nearest)).min(axis=1))


def contained(points: Array, corners: Array) -> NDArray[np.bool_]:
    """Whether each point lies inside a closed surface: the solid angles of its triangles add up to 4π (van Oosterom and Strackee 1983)."""
    rows = max(1, _BLOCK // len(corners))
    return np.concatenate([_winding(points[i : i + rows], corners) > 0.5 for i in range(0, len(points), rows)])


def _winding(points: Array, corners: Array) -> Array:
    a, b, c = (corners[:, k] - points[:, None] for k in range(3))
    la, lb, lc = (np.sqrt((x * x).sum(axis=2)) for x in (a, b, c))
    triple = (a * np.cross(b, c)).sum(axis=2)
    below = la * lb * lc + (a * b).sum(axis=2) * lc + (b * c).sum(axis=2) * la + (c * a).sum(axis=2) * lb
    return np.asarray(np.arctan2(triple, below).sum(axis=1) / (2 * np.pi))
