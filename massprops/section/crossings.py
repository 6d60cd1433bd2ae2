"""Contacts of edges of rings that are not neighbours: exact verdicts, in a few nanoseconds per edge where nothing meets.

Eight edges that follow each other are a leaf of a tree of bounding boxes. Pairs of boxes that overlap are opened from the root down; a
stretch of edges that all run in one quadrant cannot meet itself, nor the next such stretch, so a smooth ring costs next to nothing. Leaves
whose boxes overlap may lie beside each other along the chord of one, as in rings in each other. Edges of overlapping boxes are judged by
the signs of four orientations, each with its error bound; doubtful signs are taken again in rationals.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from massprops.mesh.box_tree import NO_LIMIT, BoxTree, ProvedApart
from massprops.moments.arrays import Array, Index
from massprops.moments.signs import HALF_ULP, side_of_line

CrossingKind = Literal["cross", "touch", "overlap"]

#: More rings than this, of fewer edges than that on the average, are searched in the order of the plane, not of the file.
_MANY, _SMALL = 64, 64
#: Edges of a leaf, a power of two, and edges that stay in the processor's cache.
_LEAF, _BLOCK = 8, 8192
#: Edges whose bits have this value in common (`Edges.boxes`) run in one quadrant.
_ONE_WAY = np.array([bool(bits & 3 and bits & 12) for bits in range(16)])

Words8 = NDArray[np.uint8]


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
    """Edges of closed rings, each from a point to the next.

    Attributes
    ----------
    points : ndarray, shape (2, n + 1)
        The rings in a row, the first point of each repeated at its end.
    first : ndarray of int, shape (r + 1,)
        Where each ring begins, and n + 1.
    """

    points: Array
    first: Index

    @classmethod
    def of(cls, rings: Sequence[Array]) -> Edges:
        """Edges of rings of distinct neighbours, each of shape (k, 2), the first point not repeated."""
        first = np.concatenate([[0], np.cumsum([len(r) + 1 for r in rings])])
        points = np.empty((2, first[-1]))
        for ring, begin, end in zip(rings, first.tolist(), first[1:].tolist(), strict=False):
            points[:, begin : end - 1], points[:, end - 1] = ring.T, ring[0]
        return cls(points, first)

    def __len__(self) -> int:
        """Number of places: the edges, and the steps from one ring to the next, which are none."""
        return int(self.points.shape[1]) - 1

    def boxes(self, begin: int, end: int) -> tuple[Array, Words8]:
        """Boxes of edges, shape (2, 2, k), and in bits which way they run along both axes: up, down or both.

        Nothing meets the boxes between two rings and behind the last one.
        """
        boxes, ways = np.empty((2, 2, end - begin)), np.zeros(end - begin, dtype=np.uint8)
        boxes[0], boxes[1] = np.inf, -np.inf
        b = self.points[:, begin + 1 : end + 1]
        a = self.points[:, begin : begin + b.shape[1]]
        np.minimum(a, b, out=boxes[0, :, : b.shape[1]])
        np.maximum(a, b, out=boxes[1, :, : b.shape[1]])
        up, down = (a <= b).view(np.uint8), (a >= b).view(np.uint8)
        ways[: b.shape[1]] = up[0] + 2 * down[0] + 4 * up[1] + 8 * down[1]
        gaps = self.first[slice(*np.searchsorted(self.first[:-1], [begin + 1, end + 1]))] - 1 - begin
        boxes[0, :, gaps], boxes[1, :, gaps], ways[gaps] = np.inf, -np.inf, 0
        return boxes, ways

    def distant(self, i: Index, j: Index) -> tuple[Index, Index]:
        """Pairs i < j of edges that are no neighbours in their ring, of some pairs of places."""
        i, j = i[j < len(self)], j[j < len(self)]
        (begin, end), (_, last) = (
            (self.first[ring - 1], self.first[ring] - 2)
            for ring in (np.searchsorted(self.first, k, side="right") for k in (i, j))
        )
        kept = (i <= end) & (j <= last) & (j - i > 1) & ((i > begin) | (j != end))
        return i[kept], j[kept]

    def unparted(self, one: Index, other: Index) -> tuple[Index, Index]:
        """Pairs of leaves of which not all points of the second lie on one side of the first, seen along its chord."""
        places = np.arange(_LEAF + 1)[:, np.newaxis]
        mine, its = (self.points.take(_LEAF * leaf + places, axis=1, mode="clip") for leaf in (one, other))
        x, y = mine[:, -1] - mine[:, 0]
        (low, high), (lowest, highest) = (
            (h.min(axis=0), h.max(axis=0)) for h in (p[1] * x - p[0] * y for p in (mine, its))
        )
        rounding = 8 * HALF_ULP * self.largest * (np.abs(x) + np.abs(y))
        left = np.flatnonzero((lowest <= high + rounding) & (low <= highest + rounding))
        return one[left], other[left]

    @functools.cached_property
    def largest(self) -> float:
        """Largest coordinate, without its sign."""
        return float(max(self.points.max(), -self.points.min()))

    def contact(self, i: int, j: int, kind: CrossingKind, where: tuple[float, float]) -> Contact:
        """Contact of two edges by their places, named by ring and number in it."""
        one, other = (np.searchsorted(self.first, [i, j], side="right") - 1).tolist()
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
    in_file = len(rings) <= _MANY or len(edges) > _SMALL * len(rings)
    candidates = _in_the_file(edges) if in_file else _in_the_plane(edges)
    found = islice((c for pairs in candidates for c in _judged(edges, *edges.distant(*pairs))), most)
    return sorted(found, key=lambda c: (c.rings, c.edges))


def _in_the_plane(edges: Edges) -> Iterator[tuple[Index, Index]]:
    """Pairs of edges whose boxes overlap, by a tree of those near each other in the plane."""
    boxes, ways = edges.boxes(0, len(edges))
    k = np.flatnonzero(ways)
    for i, j in BoxTree.over(_scaled(boxes[:, :, k])).pairs(NO_LIMIT):
        yield np.minimum(k[i], k[j]), np.maximum(k[i], k[j])


def _in_the_file(edges: Edges) -> Iterator[tuple[Index, Index]]:
    """Pairs of edges whose boxes overlap, by a tree of leaves: edges that follow each other.

    Edges of one leaf and the next are compared in place, unless both run in one quadrant.
    """
    leaves = -(-len(edges) // _LEAF)
    boxes, ways = np.empty((2, 2, leaves)), np.empty(leaves, dtype=np.uint8)
    for begin in range(0, len(edges), _BLOCK):
        own, way = edges.boxes(begin, begin + _BLOCK + 2 * _LEAF)
        low, high, way = _in_leaves(own[0], np.minimum), _in_leaves(own[1], np.maximum), _in_leaves(way, np.bitwise_and)
        some = slice(begin // _LEAF, min((begin + _BLOCK) // _LEAF, leaves))
        size = some.stop - some.start
        boxes[0, :, some], boxes[1, :, some], ways[some] = low[:, :size], high[:, :size], way[:size]
        if not _ONE_WAY[way[:size] & way[1 : size + 1]].all():
            yield _near(begin, *own)
    tree = BoxTree.over(_scaled(boxes), np.arange(leaves))
    for one, other in tree.pairs(NO_LIMIT, [_one_way(ways)]):
        for k in range(0, len(one), _BLOCK // _LEAF):
            met = edges.unparted(one[k : k + _BLOCK // _LEAF], other[k : k + _BLOCK // _LEAF])
            i, j = (_LEAF * leaf[:, np.newaxis] + np.arange(_LEAF) for leaf in met)
            (a, b), (c, d) = ([edges.points.take(x + end, axis=1, mode="clip") for end in (0, 1)] for x in (i, j))
            low, high = np.minimum(a, b)[..., np.newaxis], np.maximum(a, b)[..., np.newaxis]
            meet = (low <= np.maximum(c, d)[:, :, np.newaxis]) & (np.minimum(c, d)[:, :, np.newaxis] <= high)
            pair = np.flatnonzero(meet[0] & meet[1])  # of a leaf, an edge of the first, an edge of the second
            yield i.ravel()[pair // _LEAF], j[pair // _LEAF**2, pair % _LEAF]


def _near(begin: int, low: Array, high: Array) -> tuple[Index, Index]:
    """Pairs of edges of one leaf, or of two that follow each other, whose boxes overlap."""
    found = []
    for lag in range(2, 2 * _LEAF):
        there = slice(lag, lag + _BLOCK)
        x, y = (low[:, :_BLOCK] <= high[:, there]) & (low[:, there] <= high[:, :_BLOCK])
        i = begin + np.flatnonzero(x & y)
        found.append(i[(i + lag) // _LEAF - i // _LEAF <= 1])
    lags = np.repeat(np.arange(2, 2 * _LEAF), [len(i) for i in found])
    return (one := np.concatenate(found)), one + lags


def _in_leaves(values: NDArray[Any], choose: Callable[..., NDArray[Any]]) -> NDArray[Any]:
    """One value for all edges of a leaf."""
    for _ in range(_LEAF.bit_length() - 1):
        values = choose(values[..., ::2], values[..., 1::2])
    return values


def _scaled(boxes: Array) -> Array:
    """Boxes with coordinates of at most 1: rounded, but in order, so boxes that meet still do."""
    boxes -= boxes[0].min(axis=1)[:, np.newaxis]
    boxes /= boxes[1].max() or 1.0
    return boxes


def _one_way(ways: Words8) -> ProvedApart:
    """Whether the edges of two nodes that follow each other all run in one quadrant: such a stretch does not meet itself.

    Leaves that follow each other have been compared.
    """
    levels = [ways]
    while len(ways) > 1:
        ways = np.bitwise_and.reduceat(ways, np.arange(0, len(ways), 2))
        levels.append(ways)
    return lambda level, i, j: (j - i <= 1) & ((level == 0) | _ONE_WAY[levels[level][i] & levels[level][j]])


def _judged(edges: Edges, i: Index, j: Index) -> Iterator[Contact]:
    for _ in range(2):  # the whole of one edge may lie beside the other
        a, b, c, d = (edges.points.take(k, axis=1) for k in (i, i + 1, j, j + 1))
        left = np.flatnonzero(~(side_of_line(a, b, c) * side_of_line(a, b, d) == 1))
        i, j = j[left], i[left]
    for one, other in zip(i.tolist(), j.tolist(), strict=True):
        verdict = _exact_contact(*(tuple(edges.points[:, k].tolist()) for k in (one, one + 1, other, other + 1)))
        if verdict is not None:
            yield edges.contact(one, other, *verdict)


Point = tuple[Fraction, ...]


def _exact_contact(*corners: tuple[float, ...]) -> tuple[CrossingKind, tuple[float, float]] | None:
    """Kind and place of the contact of the edges a b and c d, in rationals; None where they do not meet."""
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
