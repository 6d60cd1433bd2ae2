"""Seams: loops of open edges that run along each other, with a narrow gap between them, as the cells of a strip and what is left.

A rung is an edge between two vertices of the rims and the same edge back, so it changes no boundary. It cuts one loop in two, or joins two:
between each rung and the next is a cell of the strip across the gap, and the parts of the rims that are far apart are loops of
their own, mostly flat ones.

Tests: `tests/mesh/test_seams.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from massprops.mesh.connectivity import Index
from massprops.mesh.repair.neighbours import pairs_within
from massprops.moments.arrays import Array

#: The widest gap of a seam, in sizes of the body.
WIDEST = 0.01
#: Rims of a seam run in opposite directions by this cosine.
OPPOSITE = -0.5
#: Places on one rim are opposite only if they are farther apart along it than this many of the widest gaps: else they are one corner.
_APART = 4.0
#: Loops whose points are all nearer to their middle than this many of the widest gaps are holes.
HOLE = 3.0


Ring = tuple[Index, Index, float]


def through_wall(one: Array, other: Array, across: Array) -> NDArray[np.bool_]:
    """Whether facets with these normals of length 1 face away from each other, along the vectors from one to the other."""
    through = np.abs((one * across).sum(axis=-1)) > -OPPOSITE * np.linalg.norm(across, axis=-1)
    return np.asarray(through & ((one * other).sum(axis=-1) < OPPOSITE))


@dataclass(frozen=True, eq=False)
class Rims:
    """Edges of loops, one loop after the other: the vertex at which each begins, shape (n,), its facet, the edge after it, the number of
    its loop, whether this may be cut, and the unit normal of the facet.
    """

    start: Index
    facet: Index
    after: Index
    loop: Index
    is_long: NDArray[np.bool_]
    normal: Array

    def cut(self, points: Array, widest: float, faces: Index) -> list[Ring]:
        """Loops with all rungs: vertices, facets along them, −1 for rungs, and the gap, 0 of those that are no cell of a strip."""
        other, gap = self._across(points, widest)
        one = np.flatnonzero((other >= 0) & (other[other] == np.arange(len(other))))
        one = one[one < other[one]]
        one = one[~self._are_of_strips(one, other[one], faces, len(points))]
        two, count = other[one], len(self.start)
        start = np.concatenate([self.start, self.start[np.stack([one, two], axis=1).reshape(-1)]])
        facet = np.concatenate([self.facet, np.full(2 * len(one), -1)])
        gap = np.concatenate([gap, np.repeat(np.minimum(gap[one], gap[two]), 2)])
        after, before = self.after.tolist(), np.argsort(self.after).tolist()
        for there, a, b in zip(range(count, len(start), 2), one.tolist(), two.tolist(), strict=True):
            back = there + 1
            after += [b, a]
            after[before[a]], after[before[b]] = there, back
            before[a], before[b] = back, there
        found, used = list[Ring](), [False] * len(after)
        for first in range(len(after)):
            ring, edge = [], first
            while not used[edge]:
                used[edge] = True
                ring.append(edge)
                edge = after[edge]
            if len(ring) > 2:  # a rung and its way back
                width, p = float(gap[ring].max()), points[start[ring]] - points[start[ring[0]]]
                area = np.linalg.norm(np.cross(p, np.roll(p, -1, axis=0)).sum(axis=0)) / 2
                narrow = area <= width * np.linalg.norm(np.roll(p, -1, axis=0) - p, axis=1).sum() / 2 < np.inf
                found.append((start[ring], facet[ring], width if narrow and (facet[ring] < 0).any() else 0.0))
        return found

    def _are_of_strips(self, one: Index, other: Index, faces: Index, count: int) -> NDArray[np.bool_]:
        """Whether rungs are of two loops, or of one, of which half are edges of facets: these are a strip, and the loops its two rims."""
        ends = np.sort(np.stack([self.start[one], self.start[other]], axis=1), axis=1) @ [count, 1]
        sides = np.sort(np.stack([faces, np.roll(faces, 1, axis=1)], axis=2).reshape(-1, 2), axis=1) @ [count, 1]
        loops = np.sort(np.stack([self.loop[one], self.loop[other]], axis=1), axis=1) @ [len(self.start), 1]
        pair = np.unique(loops, return_inverse=True)[1]
        return np.asarray((np.bincount(pair, np.isin(ends, sides) - 0.5) >= 0)[pair])

    def _across(self, points: Array, widest: float) -> tuple[Index, Array]:
        """For each edge the one that begins opposite of its beginning, or −1, and how far the other rim is from there, or ∞."""
        a, b = points[self.start], points[self.start[self.after]]
        along = b - a
        length = np.linalg.norm(along, axis=1)
        at, whole = np.cumsum(length) - length, np.bincount(self.loop, weights=length)
        direction = along + along[np.argsort(self.after)]
        turn = np.linalg.norm(direction, axis=1)
        other, gap = np.full(len(length), -1), np.full(len(length), np.inf)
        use = np.flatnonzero(self.is_long)
        for i, j in pairs_within(a[use], (a[use] + b[use]) / 2, length[use] / 2 + widest):
            edge, own = use[i], use[j]
            arm = a[own] - a[edge]
            place = (arm * along[edge]).sum(axis=1) / np.maximum(length[edge] ** 2, 1e-300)
            share = np.clip(place, 0, 1)
            across = arm - share[:, np.newaxis] * along[edge]
            off = np.linalg.norm(across, axis=1)
            apart = np.abs(at[edge] + share * length[edge] - at[own])
            apart = np.minimum(apart, whole[self.loop[own]] - apart)
            near = (off <= widest) & ((self.loop[edge] != self.loop[own]) | (apart > _APART * widest))
            near &= (direction[own] * along[edge]).sum(axis=1) <= OPPOSITE * turn[own] * length[edge]
            near &= off < gap[own]
            # from one side of a plate to the other, if aslant: the gap is no seam, but its edge, or where it is cut
            straight = arm - place[:, np.newaxis] * along[edge]
            near &= ~through_wall(self.normal[own], self.normal[edge], straight)
            near &= (self.start[own] != self.start[edge]) & (self.start[own] != self.start[self.after[edge]])
            chosen = np.flatnonzero(near)[np.argsort(-off[near], kind="stable")]  # the nearest is written last
            gap[own[chosen]] = off[chosen]
            other[own[chosen]] = np.where(share < 0.5, edge, self.after[edge])[chosen]  # the nearer end
        return other, gap
