"""Pairs of boxes that meet, by an implicit tree over boxes in Morton order.

Tests: `tests/mesh/test_proof.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from massprops.values import dataclass

Index = NDArray[np.signedinteger[Any]]
#: Coordinates of at most 1, shape (3, V).
Points = NDArray[np.float64]
#: Makes coordinates of at most 1 of those of the file, shape (n, 3).
Scaled = Callable[[NDArray[np.floating]], NDArray[np.float64]]
#: Boxes: lowest and highest coordinates, shape (2, 3, n); in the plane (2, 2, n).
Boxes = NDArray[Any]
#: Of pairs of nodes of a level, a ≤ b, those that hold no pair that is looked for.
ProvedApart = Callable[[int, Index, Index], NDArray[np.bool_]]

#: Pairs that are worked on at a time.
_BLOCK = 1 << 16
#: More pairs than there can be.
NO_LIMIT = 2**62


class TooManyPairs(Exception):
    """There are more pairs of boxes that meet than may be compared."""


@dataclass(frozen=True, eq=False)
class BoxTree:
    """Boxes in an order that keeps neighbours together, and the boxes round each 2, 4, 8 … of them.

    Attributes
    ----------
    order : ndarray of int, shape (n,)
        Which box stands in each place of the lowest level.
    levels : list of Boxes
        The boxes themselves first, then those round two of the level before, up to a single one.
    """

    order: Index
    levels: list[Boxes]

    @classmethod
    def over(cls, boxes: Boxes, order: Index | None = None) -> Self:
        """The tree over some boxes with coordinates of at most 1, one at least; in Morton order unless another one is given."""
        if order is None:
            order = along_a_curve(boxes)
        levels = [boxes[:, :, order]]
        while (count := levels[-1].shape[2]) > 1:
            low, high = levels[-1]
            if count % 2:  # nothing meets a box whose bounds are turned round
                none = np.full((len(low), 1), 2, dtype=boxes.dtype)
                low, high = np.concatenate([low, none], axis=1), np.concatenate([high, -none], axis=1)
                levels[-1] = np.array([low, high])
            levels.append(np.array([np.minimum(low[:, ::2], low[:, 1::2]), np.maximum(high[:, ::2], high[:, 1::2])]))
        return cls(order, levels)

    def pairs(self, most: int, settled: Sequence[ProvedApart] = ()) -> Iterator[tuple[Index, Index]]:
        """Blocks of pairs i ≠ j of boxes with a point in common, each pair once; TooManyPairs where there are more."""
        top, zero = len(self.levels) - 1, np.zeros(1, dtype=np.intp)
        for a, b in self._descend(top, zero, zero, settled):
            apart = a != b
            most -= int(np.count_nonzero(apart))
            if most < 0:
                raise TooManyPairs
            yield self.order[a[apart]], self.order[b[apart]]

    def _descend(self, level: int, a: Index, b: Index, settled: Sequence[ProvedApart]) -> Iterator[tuple[Index, Index]]:
        while level:
            if len(a) > _BLOCK:
                half = len(a) // 2
                yield from self._descend(level, a[:half], b[:half], settled)
                a, b = a[half:], b[half:]
                continue
            level -= 1
            a, b = _children(a, b)
            for low, high in zip(*self.levels[level], strict=True):
                meet = np.flatnonzero((low.take(a) <= high.take(b)) & (low.take(b) <= high.take(a)))
                a, b = a.take(meet), b.take(meet)
            for rule in settled:
                left = np.flatnonzero(~rule(level, a, b))
                a, b = a.take(left), b.take(left)
        yield a, b

    def meeting(self, boxes: Boxes, most: int, settled: ProvedApart | None = None) -> Iterator[tuple[Index, Index]]:
        """Blocks of pairs of one of these other boxes and one of the tree's that have a point in common; TooManyPairs where there are more.

        A rule that tells other boxes and nodes apart is asked at levels of which as many nodes were met as the tree has boxes.
        """
        count, left, met = boxes.shape[2], most, np.zeros(len(self.levels), dtype=np.intp)
        waiting = [(len(self.levels) - 1, np.arange(count), np.zeros(count, dtype=np.intp))]
        while waiting:
            level, query, node = waiting.pop()
            if len(query) > _BLOCK:
                half = len(query) // 2
                waiting += [(level, query[half:], node[half:]), (level, query[:half], node[:half])]
            elif level:
                level -= 1
                query, node = np.repeat(query, 2), np.stack([2 * node, 2 * node + 1], axis=1).reshape(-1)
                for (low, high), least, greatest in zip(self.levels[level].swapaxes(0, 1), *boxes, strict=True):
                    meet = np.flatnonzero(
                        (low.take(node) <= greatest.take(query)) & (least.take(query) <= high.take(node))
                    )
                    query, node = query.take(meet), node.take(meet)
                met[level] += len(query)
                if settled and met[level] > len(self.order):
                    rest = np.flatnonzero(~settled(level, query, node))
                    query, node = query.take(rest), node.take(rest)
                waiting.append((level, query, node))
            else:
                left -= len(query)
                if left < 0:
                    raise TooManyPairs
                yield query, self.order[node]


def overlapping_pairs(boxes: Sequence[NDArray[np.float64]], slack: float = 0.0) -> Iterator[tuple[int, int]]:
    """Pairs of a few boxes, shape (2, 3) each, with a point in common deeper than `slack` inside both, along their order in x."""
    low, high = np.reshape(boxes, (-1, 2, 3)).transpose(1, 0, 2)
    order = np.argsort(low[:, 0], kind="stable")
    low, high = low[order], high[order] - slack
    last = np.searchsorted(low[:, 0], high[:, 0], side="left")
    for i in range(len(order)):
        rest = slice(i + 1, last[i])
        meet = ((low[rest] < high[i]) & (low[i] < high[rest])).all(axis=1)
        yield from ((int(order[i]), int(order[j])) for j in i + 1 + np.flatnonzero(meet))


def along_a_curve(boxes: Boxes) -> Index:
    """The order of boxes along a curve that keeps neighbours together."""
    return np.argsort(_morton(boxes.mean(axis=0, dtype=np.float64).clip(-1, 1)), kind="stable")


def along_a_fine_curve(points: Points) -> Index:
    """The order of different points along such a curve, however close to each other some of them are."""
    order, group, before = np.arange(points.shape[1]), np.zeros(points.shape[1], dtype=np.intp), -1
    while group[-1] > before:
        before, begins = group[-1], np.flatnonzero(np.diff(group, prepend=-1))
        at = points[:, order]
        low, high = (f.reduceat(at, begins, axis=1) for f in (np.minimum, np.maximum))
        size = (high - low).max(axis=0)
        words = _morton((at - low[:, group]) / np.where(size > 0, size, 1)[group] * 1.75 - 1)
        within = np.lexsort([words, group])
        order, words = order[within], words[within]  # the groups are in order
        group = np.cumsum(np.append(False, (np.diff(words) != 0) | (np.diff(group) != 0)))
    return order


def meeting_boxes(boxes: Boxes, queries: Boxes, most: int) -> tuple[Index, Index]:
    """Pairs of one of the queries and one of the boxes that have a point in common; TooManyPairs where there are more."""
    if boxes.shape[2] * queries.shape[2] > _BLOCK:
        found = [*BoxTree.over(boxes).meeting(queries, most)]
        return np.concatenate([q for q, _ in found]), np.concatenate([b for _, b in found])
    low, high = queries[:, :, :, np.newaxis]  # a tree over a few boxes would take longer
    query, box = np.nonzero(((boxes[0][:, np.newaxis] <= high) & (low <= boxes[1][:, np.newaxis])).all(axis=0))
    if len(query) > most:
        raise TooManyPairs
    return query, box


def blocks(count: int, least: int = 256) -> Iterator[slice]:
    """Facets that are worked on at a time: few, so that they take little memory beside those of a small mesh."""
    step = min(max(least, count >> 6), 8192)
    return (slice(begin, begin + step) for begin in range(0, count, step))


def facet_boxes(points: Points, faces: Index) -> Boxes:
    """The boxes of facets, given by the numbers of their corners, shape (3, F): single precision, rounded outwards.

    The compiled core has the same boxes, so both compare the same pairs.
    """
    boxes, points = np.empty((2, 3, faces.shape[1]), dtype=np.float32), np.ascontiguousarray(points)
    for block in blocks(faces.shape[1]):
        a, b, c = (points.take(numbers, axis=1) for numbers in faces[:, block])
        boxes[0, :, block] = float_below(np.minimum(np.minimum(a, b), c))
        boxes[1, :, block] = -float_below(-np.maximum(np.maximum(a, b), c))
    return boxes


def float_below(x: Points) -> NDArray[np.float32]:
    """Less than x by one rounding of single precision at least."""
    return (x - (abs(x) * 2.0**-22 + 2.0**-126)).astype(np.float32)


def _children(a: Index, b: Index) -> tuple[Index, Index]:
    """Pairs of children of pairs of nodes; of a node with itself, each pair once."""
    left, right = 2 * np.repeat(a, 4), 2 * np.repeat(b, 4)
    left[2::4] += 1
    left[3::4] += 1
    right[1::4] += 1
    right[3::4] += 1
    once = np.flatnonzero(left <= right)
    return left.take(once), right.take(once)


def _morton(points: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Words that interleave the bits of the coordinates, shape (3, n) or (2, n), between −1 and 1."""
    words = ((points + 1) * 2.0**20).astype(np.uint64)
    for shift, mask in (
        (32, 0x1F00000000FFFF),
        (16, 0x1F0000FF0000FF),
        (8, 0x100F00F00F00F00F),
        (4, 0x10C30C30C30C30C3),
        (2, 0x1249249249249249),
    ):
        words = (words | words << np.uint64(shift)) & np.uint64(mask)
    words <<= np.arange(len(points), dtype=np.uint64)[:, np.newaxis]
    return np.asarray(np.bitwise_or.reduce(words))
