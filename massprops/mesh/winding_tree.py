"""The generalized winding number of a surface of many facets, facet by facet only near them.

Outside of the convex hull of some facets they wind as a cone over their boundary does, whose apex is one of its points: together with the
reverse of that they are a closed surface within the hull (Jacobson and others 2013, ACM Transactions on Graphics 32: 33). So facets are
halved where they reach farthest, and so on; those of a half are summed only for points in the box around them.

Tests: `tests/mesh/test_winding_tree.py`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from massprops.mesh.connectivity import Index
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.moments.arrays import Array, length, winding_numbers
from massprops.values import dataclass

#: Pairs of a point and a facet that take no longer than to look for a boundary.
_FEW = 1 << 12
#: Facets that are not halved again.
_LEAST = 256
#: By this share of its diagonal a box is larger than what is in it, so that rounding puts no point on the cone.
_MARGIN = 1e-3

#: What tells the tree of a mesh, made when it is asked.
Tree = Callable[[], "WindingTree"]


@dataclass(frozen=True, eq=False)
class WindingTree:
    """Facets of a mesh, halves of halves one after another, and the places of the facets across their edges.

    Attributes
    ----------
    mesh : IndexedMesh
    order : ndarray of int, shape (F,)
        The facet in each place.
    across : ndarray of int, shape (F, 3)
        The place of the facet that has the edge the other way; −1 for edges of other than two facets.
    bounds : ndarray, shape (2, 3, F)
        The box of the facet in each place.
    """

    mesh: IndexedMesh
    order: Index
    across: Index
    bounds: Array

    @classmethod
    def of(cls, mesh: IndexedMesh) -> Self:
        """The tree of all facets."""
        a, b, c = mesh.corners.transpose(1, 2, 0)
        boxes = np.array([np.minimum(np.minimum(a, b), c), np.maximum(np.maximum(a, b), c)])
        order = _halved(boxes.mean(axis=0))
        place = np.empty(len(order), np.intp)
        place[order] = np.arange(len(order))
        edges, facets, opposite = mesh.shared_edges()
        across = np.full(3 * len(order), -1)
        across[edges[:, opposite]] = place[facets[::-1, opposite]]
        return cls(mesh, order, across.reshape(-1, 3)[order], boxes[:, :, order])

    @classmethod
    def later(cls, mesh: IndexedMesh) -> Callable[[], Self]:
        """Maker of the tree of all facets: when it is first asked for, and once."""
        return functools.cache(functools.partial(cls.of, mesh))

    def keeping(self, mask: NDArray[np.bool_]) -> Self:
        """The tree of the facets of the mesh whose entry in `mask` is true."""
        kept = mask[self.order]
        place = np.where(kept, np.cumsum(kept) - 1, -1)
        across = self.across[kept]
        across = np.where(across < 0, -1, place[across])
        return replace(self, order=self.order[kept], across=across, bounds=self.bounds[:, :, kept])

    def winding_numbers(self, points: Array) -> Array:
        """The winding number at points, shape (n, 3); on a facet, halfway."""
        found = np.zeros(len(points))
        waiting = [(0, len(self.order), np.arange(len(points)))]
        while waiting:
            first, end, some = waiting.pop()
            if len(some) * (end - first) > _FEW:
                low, high = self.bounds[0, :, first:end].min(axis=1), self.bounds[1, :, first:end].max(axis=1)
                room = _MARGIN * length(high - low)
                near = ((points[some] >= low - room) & (points[some] <= high + room)).all(axis=1)
                if not near.all():
                    cone, far = self._cone(first, end), some[~near]
                    few = cone if len(cone) < end - first else self.mesh.corners[self.order[first:end]]
                    found[far] += winding_numbers(points[far], few)
                    some = some[near]
            if len(some) * (end - first) > _FEW and end - first > 1:
                middle = (first + end) // 2
                waiting += [(first, middle, some), (middle, end, some)]
            elif len(some):
                found[some] += winding_numbers(points[some], self.mesh.corners[self.order[first:end]])
        return found

    def _cone(self, first: int, end: int) -> Array:
        """Triangles from one point of the boundary of some facets to all of it, shape (n, 3, 3)."""
        across = self.across[first:end]
        row, edge = np.nonzero((across < first) | (across >= end))
        faces, rows = self.mesh.faces[self.order[first + row]], np.arange(len(row))
        start, stop = faces[rows, edge], faces[rows, (edge + 1) % 3]
        return np.asarray(self.mesh.points[np.stack([np.broadcast_to(start[:1], start.shape), start, stop], axis=1)])


def _halved(points: Array) -> Index:
    """An order of points, shape (3, n), by halves, and halves of these, each cut where it is longest."""
    order, waiting = np.arange(points.shape[1]), [(0, points.shape[1])]
    while waiting:
        first, end = waiting.pop()
        if end - first > _LEAST:
            middle = (first + end) // 2
            at = points[:, order[first:end]]
            longest = at[np.ptp(at, axis=1).argmax()]
            order[first:end] = order[first:end][np.argpartition(longest, middle - first)]
            waiting += [(first, middle), (middle, end)]
    return order
