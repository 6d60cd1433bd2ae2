"""A surface cut into tiles of space, which are compared one by one: in little memory, and in several threads.

A slab is a number for a coordinate that does not fall as the coordinate grows. A tile is a box of slabs, and every point is in one tile.
Each facet is given to all tiles that its box meets. Where the boxes of two facets meet, the lowest corner of what they share is in one
tile, and both facets are in that tile. In any other tile that both are in, the corner comes before the tile along some axis, so both boxes
begin before it: each pair is compared once, where no axis is in `before` of both. All facets at a point are in the point's tile, so
its edges are counted there. Two facets of one edge are joined in the tile that compares them, and a facet in several tiles joins their
parts. A facet with all corners in one tile is in that tile alone.

Tests: `tests/mesh/test_tiles.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops.mesh.box_tree import Index, Points
from massprops.mesh.source import enumerate_chunks, in_threads, slices
from massprops.values import dataclass

Short = NDArray[np.int32]
#: Makes coordinates of at most 1 of those of the file, shape (n, 3).
Scaled = Callable[[NDArray[np.floating]], NDArray[np.float64]]
#: Slabs of points, or of the lowest and the highest corners of boxes, shape (n, 3).
Slabs = NDArray[np.uint8]

#: Facets of a tile, at most but where they are in one place.
SIZE = 1 << 17
#: Tiles, about: a facet of several is compared with the bounds of each.
MOST = 256
#: Slabs along an axis, in which there are about as many points; intervals that they are made of; points that these are chosen by.
_SLABS, _INTERVALS, _SAMPLE = 64, 1 << 16, 1 << 16
#: Facets that are worked on at a time.
_BLOCK = 1 << 14


@dataclass(frozen=True, eq=False)
class Facets:
    """Facets of one tile, or of a whole surface.

    Attributes
    ----------
    points : ndarray, shape (3, V)
        Coordinates of at most 1; the first `own` are in the tile.
    faces : ndarray of int, shape (3, F)
        The corners of each facet.
    before : ndarray of uint8, shape (F,), or None
        Along which axes the box of a facet begins before the tile, a bit for each.
    own : int
        None where all points are.
    """

    points: Points
    faces: Index
    before: NDArray[np.uint8] | None = None
    own: int | None = None


@dataclass(frozen=True, eq=False)
class Tile:
    """Facets of a surface whose boxes meet one box of slabs.

    Attributes
    ----------
    facets : ndarray of int32, shape (n,)
        Their numbers, ascending.
    cut : callable
        Makes them a surface of their own: the work that several tiles can do at a time.
    """

    facets: Short
    cut: Callable[[], Facets]


def tiles(
    core: ModuleType | None, points: NDArray[np.floating], faces: Short, scaled: Scaled, jobs: int = 1
) -> Iterator[Tile]:
    """Tiles of a surface.

    Parameters
    ----------
    core : module or None
        The compiled core, if it does the work.
    points : ndarray, shape (V, 3)
        Vertices.
    faces : ndarray of int32, shape (F, 3)
        The corners of each facet, three different ones.
    scaled : callable
        Makes coordinates of at most 1 of some vertices, by a power of two.
    jobs : int
        Threads that find the tiles.
    """
    slabs = _SlabTable(points, scaled)
    boxes = slabs.boxes(max(SIZE, len(faces) // MOST) / len(faces))
    numbers = np.empty((_SLABS,) * 3, np.uint16)
    for number, (low, high) in enumerate(boxes):
        numbers[tuple(map(slice, low, high))] = number
    factor = scaled(np.ones(1))
    core = core if factor < np.inf else None  # it multiplies
    tile, begin, order = (
        np.empty(len(points), np.uint16),
        np.empty(len(boxes) + 2, np.int64),
        np.empty(len(faces), np.int32),
    )
    if core is None:
        _divide(points, faces, slabs, numbers, tile, begin, order)
    else:
        places = np.concatenate([factor, slabs.places.reshape(-1)])
        core.divide(points, faces, places, slabs.tables, numbers, tile, begin, order)
    begins = _begins(points, faces, order[begin[-2] :], slabs, np.array(boxes), jobs)
    free: list[Short] = []  # one for each thread

    def cut(number: int, facets: Short, before: NDArray[np.uint8]) -> Facets:
        if core is None:
            used, own_places = np.unique(faces[facets], return_inverse=True)
            others = tile[used] != number
            first = np.argsort(others, kind="stable")  # the points of the tile come first
            own_corners = np.argsort(first)[own_places.reshape(-1, 3)]
            return Facets(scaled(points[used[first]]).T, own_corners.T, before, int(np.count_nonzero(~others)))
        try:
            place = free.pop()  # of a vertex in the tile
        except IndexError:  # all are in use
            place = np.full(len(points), -1, np.int32)
        corners, out = np.empty((len(facets), 3), np.int32), np.empty((3 * len(facets), 3))
        own, count = core.cut(points, faces, factor, facets.tobytes(), tile, number, place, corners, out)
        free.append(place)
        return Facets(out[:count].T, corners.T, before, own)

    for number in range(len(boxes)):
        own = order[begin[number] : begin[number + 1]]
        others = np.concatenate([np.empty(0, np.int32), *begins[number][0]])
        before = np.concatenate([np.empty(0, np.uint8), *begins[number][1]])
        begins[number] = ([], [])
        at = np.searchsorted(own, others)
        facets = np.insert(own, at, others)
        if len(facets):
            yield Tile(facets, partial(cut, number, facets, np.insert(np.zeros(len(own), np.uint8), at, before)))


def _divide(
    points: NDArray[np.floating],
    faces: Short,
    slabs: _SlabTable,
    numbers: NDArray[np.uint16],
    tile: NDArray[np.uint16],
    begin: Index,
    order: Short,
) -> None:
    """The tile of each point, and the facets in order of the tiles that have all their corners, then the others."""
    for first in range(0, len(points), _BLOCK):
        x, y, z = slabs.of(slabs.scaled(points[first : first + _BLOCK])).T
        tile[first : first + _BLOCK] = numbers[x, y, z]
    key = np.full(len(faces), len(begin) - 2, np.uint16)
    for first in range(0, len(faces), _BLOCK):
        a, b, c = tile[faces[first : first + _BLOCK]].T
        within = (a == b) & (a == c)
        key[first : first + _BLOCK][within] = a[within]
    order[:] = key.argsort(kind="stable")
    begin[:] = np.append(0, np.bincount(key, minlength=len(begin) - 1).cumsum())


class _SlabTable:
    """Slabs of coordinates, in which there are about as many points of a sample."""

    def __init__(self, points: NDArray[np.floating], scaled: Scaled) -> None:
        self.scaled = scaled
        low, high = (scaled(np.array([bound(column) for column in points.T])) for bound in (np.min, np.max))
        extent = high - low
        #: The lowest coordinates, and intervals per length.
        self.places = np.array([low, np.divide(_INTERVALS, extent, where=extent > 2.0**-900, out=np.zeros(3))])
        sample = scaled(points[:: -(-len(points) // _SAMPLE)])
        self.tables = np.empty((3, _INTERVALS), np.uint8)
        self.edges = np.empty((3, _SLABS + 1))
        for axis, numbers in enumerate(self._intervals(sample).T):
            count = np.bincount(numbers, minlength=_INTERVALS)
            self.tables[axis] = (count.cumsum() - count) * _SLABS // (len(sample) + 1)
            self.edges[axis] = np.searchsorted(self.tables[axis], np.arange(_SLABS + 1)) * extent[axis]

        x, y, z = self.of(sample).T.astype(np.int32)
        self._counts = np.bincount((x * _SLABS + y) * _SLABS + z, minlength=_SLABS**3).reshape((_SLABS,) * 3)

    def _intervals(self, coordinates: NDArray[np.float64]) -> NDArray[np.uint16]:
        within = (coordinates - self.places[0]) * self.places[1]
        return np.asarray(within.clip(0, _INTERVALS - 1).astype(np.uint16))

    def of(self, coordinates: NDArray[np.float64]) -> Slabs:
        """Slabs of coordinates of at most 1, shape (n, 3)."""
        intervals = self._intervals(coordinates)
        return np.stack([table.take(intervals[:, axis]) for axis, table in enumerate(self.tables)], axis=1)

    def boxes(self, share: float) -> list[tuple[list[int], list[int]]]:
        """Boxes of slabs, from the lowest to before the highest, with about this share of the points at most where they can be divided."""
        done, left = [], [([0, 0, 0], [_SLABS] * 3)]
        while left:
            low, high = left.pop()
            inside = self._counts[tuple(map(slice, low, high))]
            cut = _cut(inside, low, self) if inside.sum() > share * self._counts.sum() else None
            if cut is None:
                done.append((low, high))
                continue
            axis, at = cut
            left.append(([*low[:axis], at, *low[axis + 1 :]], high))
            left.append((low, [*high[:axis], at, *high[axis + 1 :]]))
        return done


def _cut(inside: Index, low: list[int], slabs: _SlabTable) -> tuple[int, int] | None:
    """The axis along which the points reach farthest, and the slab before which about half of them are; None where all are in one cell."""
    found, longest = None, -1.0
    for axis in range(3):
        along = inside.sum(axis=tuple({0, 1, 2} - {axis}))
        used = np.flatnonzero(along)
        first, last = int(used[0]), int(used[-1])
        length = slabs.edges[axis, low[axis] + last + 1] - slabs.edges[axis, low[axis] + first]
        if first < last and length > longest:
            before = along.cumsum()[first:last]
            found, longest = (axis, low[axis] + first + 1 + int(abs(2 * before - along.sum()).argmin())), length
    return found


def _begins(
    points: NDArray[np.floating], faces: Index, across: Short, slabs: _SlabTable, boxes: Index, jobs: int
) -> list[tuple[list[Short], list[NDArray[np.uint8]]]]:
    """Facets among some whose boxes meet each tile, and the axes along which they begin before it, a bit for each."""
    first, last = boxes.astype(np.uint8).transpose(1, 2, 0)[..., np.newaxis] - np.array([0, 1], np.uint8).reshape(
        2, 1, 1, 1
    )

    def meeting(some: Short, _: int) -> list[tuple[Any, ...]]:
        corners = slabs.scaled(points.take(faces.take(some, axis=0), axis=0))
        low, high = slabs.of(corners.min(axis=1)).T, slabs.of(corners.max(axis=1)).T
        meet = np.ones((len(boxes), len(some)), bool)
        for axis in range(3):
            meet &= (low[axis] <= last[axis]) & (first[axis] <= high[axis])
        number, facet = np.nonzero(meet)
        bits = sum(((low[k, facet] < boxes[number, 0, k]) << k).astype(np.uint8) for k in range(3))
        return [*_groups(number, some[facet], bits)]

    result: list[tuple[list[Short], list[NDArray[np.uint8]]]] = [([], []) for _ in boxes]
    for groups in in_threads(meeting, enumerate_chunks(slices(across, _BLOCK)), jobs):
        for tile, own, begins in groups:
            result[tile][0].append(own)
            result[tile][1].append(begins)
    return result


def _groups(number: Index, *values: NDArray[Any]) -> Iterator[tuple[Any, ...]]:
    """Numbers that ascend, each once, and the values of each."""
    starts = np.flatnonzero(np.append(True, number[1:] != number[:-1])[: len(number)])
    groups = (np.split(x, starts[1:]) for x in values)
    return zip(number[starts].tolist(), *groups, strict=False)
