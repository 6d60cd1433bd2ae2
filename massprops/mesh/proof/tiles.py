"""A surface cut into tiles of space, which are compared one by one: in little memory, and in several threads.

Space is halved where as many points are on one side as on the other, and so on: a tile is a box without its upper sides, and every point
is in one tile. Each facet is given to all tiles that its box meets. Where the boxes of two facets meet, the lowest corner of what both have
is in one tile, and both facets are in that tile. In any other tile that both are in, the corner comes before the tile along some axis, so
both boxes begin before it: such a pair is compared where no axis is in `before` of both. All facets at a point are in the point's tile, so
its edges are counted there, and pairs that have the point in common are compared there. Two facets of one edge are joined in the tile that
compares them, and a facet in several tiles joins their parts. The compiled core does all of this but joining parts; without it, surfaces
are compared in one piece.

Tests: `tests/mesh/test_tiles.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops.mesh.source import in_threads

Short = NDArray[np.int32]

#: Facets of a tile, about: half as many at least, and more where there are more than `MOST` tiles.
SIZE = 1 << 17
#: Tiles: each facet is looked up in all that it may meet, and each thread keeps a number for every point.
MOST = 256
#: Points that the halves are chosen by.
_SAMPLE = 1 << 14
#: Facets and points that one thread looks at.
_AT_ONCE = 1 << 19
#: The bit of a facet in several tiles, after those of three axes.
SEVERAL = 1 << 3


class FlattenedFacet(Exception):
    """A facet has a point twice."""


class Tile(NamedTuple):
    """The facets whose boxes meet a tile, ascending; the axes along which each begins before it, a bit for each, and `SEVERAL`; and what
    compares them, at most so many pairs.
    """

    facets: Short
    before: NDArray[np.uint8]
    compare: Callable[[int], Any]


def tiles(core: ModuleType, points: NDArray[np.floating], faces: Short, factor: float, jobs: int) -> Iterator[Tile]:
    """Tiles of a surface.

    Parameters
    ----------
    core : module
        The compiled core.
    points : ndarray, shape (V, 3)
        Vertices.
    faces : ndarray of int32, shape (F, 3)
        The corners of each facet.
    factor : float
        A power of two that makes all coordinates at most 1.
    jobs : int
        Threads that divide it.

    Raises
    ------
    FlattenedFacet
        If a facet has not three different corners.
    """
    tile, begin, order, before = divide(core, points, faces, jobs)
    free: list[Short] = []  # one for each thread

    def compare(number: int, own: slice, most: int) -> Any:
        try:
            place = free.pop()  # of a vertex in the tile
        except IndexError:  # all are in use
            place = np.full(len(points), -1, np.int32)
        facets = order[own].tobytes()
        found = core.meetings(points, faces, np.array(factor), facets, tile, number, place, before[own], most)
        free.append(place)
        return found

    for number in range(len(begin) - 1):
        own = slice(*begin[number : number + 2])
        if own.start < own.stop:
            yield Tile(order[own], before[own], partial(compare, number, own))


def divide(
    core: ModuleType, points: NDArray[np.floating], faces: Short, jobs: int = 1
) -> tuple[NDArray[np.uint16], NDArray[np.int64], Short, NDArray[np.uint8]]:
    """The tile of each point; where the facets of each tile begin among those of all, and these, each in all tiles that its box meets; and
    the bits of `Tile.before`.
    """
    axes, places = _halves(points, max(SIZE, len(faces) // MOST) / len(faces))
    tile, home = (np.empty(len(x), np.uint16) for x in (points, faces))  # home: of a facet with all corners in one tile

    def at_once(work: Callable[[slice], object], count: int) -> None:
        some = [slice(first, first + _AT_ONCE) for first in range(0, count, _AT_ONCE)]
        for _ in in_threads(lambda own, _: work(own), ((own, 0) for own in some), jobs):
            pass

    at_once(lambda own: core.divide(points[own], places, axes, tile[own]), len(points))
    following = np.zeros((-(-len(faces) // _AT_ONCE), len(axes)), np.int64)

    def divided(own: slice, *placing: Any) -> None:
        row = following[own.start // _AT_ONCE]
        if core.divide(points, places, axes, tile, faces[own], home[own], row, *placing):
            raise FlattenedFacet

    at_once(divided, len(faces))
    begin = np.append(0, following.sum(axis=0).cumsum())
    order, before = np.empty(begin[-1], np.int32), np.empty(begin[-1], np.uint8)
    following[:] = begin[:-1] + following.cumsum(axis=0) - following
    at_once(lambda own: divided(own, own.start, order, before), len(faces))
    return tile, begin, order, before


def _halves(points: NDArray[np.floating], share: float) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """The axis along which each half of space is halved again, and where: as `struct halves` of the compiled core has them.

    Each is halved where the points reach farthest, so that tiles have this share of them at most, where not too many are in one place.
    """
    count = 1 << max(0, int(np.ceil(-np.log2(share))))
    axes, places = np.zeros(count, np.uint8), np.zeros(count)
    inside = {1: points[:: -(-len(points) // _SAMPLE)].astype(np.float64)}
    for node in range(1, count):
        some = inside.pop(node)
        if len(some):
            axes[node] = axis = np.ptp(some, axis=0).argmax()
            along = some[:, axis]
            middle, last = np.partition(along, [len(along) // 2, -1])[[len(along) // 2, -1]]
            # one at least is before
            places[node] = middle if middle > along.min() else along[along > middle].min(initial=last)
        above = some[:, axes[node]] >= places[node]
        inside |= {2 * node: some[~above], 2 * node + 1: some[above]}
    return axes, places
