"""Where edges of rings meet that are not neighbours: exact verdicts, in a few nanoseconds per edge where nothing meets.

The edges, in the order of their rings, are the leaves of a tree of bounding boxes. Pairs of boxes that overlap are opened from the
root down; a stretch of edges that all run in one quadrant cannot meet itself, nor the next such stretch, so a smooth ring costs next
to nothing. Edges of overlapping boxes are judged by the signs of four orientations, each with its error bound; doubtful signs are
taken again in rationals.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Literal

import numpy as np

from massprops.mesh.box_tree import NO_LIMIT, BoxTree, ProvedApart
from massprops.moments.arrays import Array, Index
from massprops.moments.signs import side_of_line

CrossingKind = Literal["cross", "touch", "overlap"]

#: More rings than this, of fewer edges than that on the average, are searched in the order of the plane, not of the file.
_MANY, _SMALL = 64, 64


@dataclass(frozen=True)
class Contact:
    """Two edges that meet: which edges of which rings, how, and where.

    Attributes
    ----------
    rings, edges : tuple of int
        Edge i of a ring leads from its point i to the next.
    kind : {"cross", "touch", "overlap"}
        The insides of both edges share one point; an end point of one lies on the other; they share a stretch.
    where : tuple of float
        A shared point.
    """

    rings: tuple[int, int]
    edges: tuple[int, int]
    kind: CrossingKind
    where: tuple[float, float]


@dataclass(frozen=True, eq=False)
class Edges:
    """All edges of closed rings, in a row: from `a` to `b`, shapes (2, n)."""

    a: Array
    b: Array
    ring: Index
    first: Index

    @classmethod
    def of(cls, rings: Sequence[Array]) -> Edges:
        """Edges of rings of distinct neighbours, each of shape (k, 2), the first point not repeated."""
        sizes = np.array([len(r) for r in rings])
        a = np.concatenate(rings).T
        b = np.concatenate([np.roll(r, -1, axis=0) for r in rings]).T
        first = np.concatenate([[0], np.cumsum(sizes)])
        return cls(np.ascontiguousarray(a), np.ascontiguousarray(b), np.repeat(np.arange(len(rings)), sizes), first)

    def contact(self, i: int, j: int, kind: CrossingKind, where: tuple[float, float]) -> Contact:
        """Named by ring and number in it."""
        one, other = int(self.ring[i]), int(self.ring[j])
        return Contact((one, other), (i - int(self.first[one]), j - int(self.first[other])), kind, where)


def contacts(rings: Sequence[Array], most: int = 100) -> list[Contact]:
    """Pairs of edges that meet and are not neighbours in their ring, `most` of them at most, in the order of rings and edges.

    Parameters
    ----------
    rings : sequence of ndarray, shape (k, 2)
        Closed; no point is that before it, and the first is not repeated.
    most : int
        The search ends when so many are found.
    """
    edges = Edges.of(rings)
    found = islice((c for i, j in _candidates(edges) for c in _judged(edges, i, j)), most)
    return sorted(found, key=lambda c: (c.rings, c.edges))


def _candidates(edges: Edges) -> Iterator[tuple[Index, Index]]:
    """Pairs of edges whose boxes overlap, without neighbours: i < j.

    Boxes hold edges that follow each other in the file; of many small rings, which may be nested, edges near each other in the plane.
    """
    ends = np.stack([edges.a, edges.b])
    ends -= ends.min(axis=(0, 2))[:, np.newaxis]
    ends /= ends.max() or 1.0  # rounded, but in order: boxes that meet still do
    boxes, n = np.stack([ends.min(axis=0), ends.max(axis=0)]), len(edges.ring)
    in_file = n >= _SMALL * (len(edges.first) - 1) or len(edges.first) - 1 <= _MANY
    tree = BoxTree.over(boxes, np.arange(n) if in_file else None)
    for i, j in tree.pairs(NO_LIMIT, [_one_way(edges)] if in_file else ()):
        i, j = np.minimum(i, j), np.maximum(i, j)
        first, last = edges.first[edges.ring[i]], edges.first[edges.ring[i] + 1] - 1
        apart = (j > last) | ((j - i > 1) & ((i > first) | (j < last)))
        yield i[apart], j[apart]


def _one_way(edges: Edges) -> ProvedApart:
    """Whether the edges of two boxes that follow each other all run in one quadrant: such a stretch of a ring does not meet itself."""
    x, y = edges.b - edges.a
    sides = (x >= 0) & (y >= 0), (x >= 0) & (y <= 0), (x <= 0) & (y >= 0), (x <= 0) & (y <= 0)
    bits = np.packbits(sides, axis=0)[0]
    bits[edges.first[:-1]] = 0  # where a ring begins, nothing is said of the edges before
    levels = [bits]  # the quadrants that all edges of a box run in
    while len(bits) > 1:
        bits = np.bitwise_and.reduceat(bits, np.arange(0, len(bits), 2))
        levels.append(bits)
    return lambda level, i, j: (j - i <= 1) & ((levels[level][i] & levels[level][j]) != 0)


def _judged(edges: Edges, i: Index, j: Index) -> Iterator[Contact]:
    a, b, c, d = edges.a[:, i], edges.b[:, i], edges.a[:, j], edges.b[:, j]
    signs = [side_of_line(*corners) for corners in ((a, b, c), (a, b, d), (c, d, a), (c, d, b))]
    apart = (signs[0] * signs[1] == 1) | (signs[2] * signs[3] == 1)  # the whole of one edge lies beside the other
    for k in np.flatnonzero(~apart):
        verdict = _exactly(*(tuple(map(float, p[:, k])) for p in (a, b, c, d)))
        if verdict is not None:
            yield edges.contact(int(i[k]), int(j[k]), *verdict)


Point = tuple[Fraction, ...]


def _exactly(*corners: tuple[float, ...]) -> tuple[CrossingKind, tuple[float, float]] | None:
    a, b, c, d = (tuple(map(Fraction, p)) for p in corners)
    across = _cross(a, b, c), _cross(a, b, d), _cross(c, d, a), _cross(c, d, b)
    if across[0] == across[1] == 0:
        return _on_one_line(a, b, c, d)
    if across[0] * across[1] > 0 or across[2] * across[3] > 0:
        return None
    share = across[2] / (across[2] - across[3])
    where = tuple(p + share * (q - p) for p, q in zip(a, b, strict=True))
    kind: CrossingKind = "touch" if 0 in across else "cross"
    return kind, (float(where[0]), float(where[1]))


def _on_one_line(a: Point, b: Point, c: Point, d: Point) -> tuple[CrossingKind, tuple[float, float]] | None:
    low, high = max(min(a, b), min(c, d)), min(max(a, b), max(c, d))
    if low > high:
        return None
    kind: CrossingKind = "touch" if low == high else "overlap"
    return kind, (float((low[0] + high[0]) / 2), float((low[1] + high[1]) / 2))


def _cross(a: Point, b: Point, c: Point) -> Fraction:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
