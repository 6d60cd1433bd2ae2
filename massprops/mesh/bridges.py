"""Polygons with holes as one ring: a hole is joined to what is round it by a bridge, an edge that is walked there and back.

Signs are those of whole numbers, as in `ear_clipping`, which cuts such rings. Every bridge is the shortest that meets no side.

Tests: `tests/mesh/test_bridges.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from massprops.mesh.ear_clipping import Flat, flatten
from massprops.moments.arrays import Array

#: Corners of a face with holes: the time grows with their cube.
MOST_CORNERS = 1000


def with_bridges(points: Array, sizes: Sequence[int]) -> list[int] | None:
    """The numbers of corners in one ring; None where no bridge can be, as to a hole that is outside.

    Parameters
    ----------
    points : ndarray, shape (k, 3)
        Corners of the outline, then of each hole, at most `MOST_CORNERS`.
    sizes : sequence of int
        How many corners each of these rings has.
    """
    places = flatten(points, sizes[0])
    ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
    ring, *holes = ([*range(end - size, end)] for end, size in zip(ends, sizes, strict=True))
    holes = [hole[::-1] if _area(places, hole) > 0 else hole for hole in holes]
    while holes:
        found = next(_bridges(points, places, ring, holes), None)
        if found is None:
            return None
        i, hole, j = found
        holes.remove(hole)
        touch = int(places[ring[i]] == places[hole[j]])  # then there is no bridge, and no corner twice in a row
        ring = [*ring[: i + 1], *hole[j + touch :], *hole[: j + 1], *ring[i + touch :]]
    return ring


def _area(places: list[Flat], ring: list[int]) -> int:
    """Twice the area, up to a positive factor; negative where it turns clockwise."""
    corners = [places[i] for i in ring]
    return sum(a[0] * b[1] - a[1] * b[0] for a, b in zip(corners, [*corners[1:], corners[0]], strict=True))


def _bridges(
    points: Array, places: list[Flat], ring: list[int], holes: list[list[int]]
) -> Iterator[tuple[int, list[int], int]]:
    """Bridges to holes, the shortest first: place in the ring, hole, place in the hole."""
    ends = [(hole, j) for hole in holes for j in range(len(hole))]
    sides = [side for other in (ring, *holes) for side in zip(other, [*other[1:], other[0]], strict=True)]
    apart = points[ring][:, None] - points[[hole[j] for hole, j in ends]]
    for pair in np.argsort((apart**2).sum(axis=2), axis=None, kind="stable").tolist():
        i, (hole, j) = pair // len(ends), ends[pair % len(ends)]
        a, b = places[ring[i]], places[hole[j]]
        between = _opens(places, ring, i, b) and _opens(places, hole, j, a)
        if between and not any(_meet(a, b, places[p], places[q]) for p, q in sides):
            yield i, hole, j


def _turn(a: Flat, b: Flat, c: Flat) -> int:
    """Twice the signed area of a triangle, up to a common positive factor."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _opens(places: list[Flat], ring: list[int], i: int, target: Flat) -> bool:
    """Whether the way from a corner to a place begins on the left of its sides."""
    before, tip, after = (places[ring[k % len(ring)]] for k in (i - 1, i, i + 1))
    if target == tip:
        return True
    left, right = _turn(before, tip, target) > 0, _turn(tip, after, target) > 0
    return left and right if _turn(before, tip, after) > 0 else left or right


def _meet(a: Flat, b: Flat, p: Flat, q: Flat) -> bool:
    """Whether a bridge has a point with a side in common that is not an end of both."""
    if a == b:
        return False
    for end, other in ((a, b), (b, a)):
        for own, rest in ((p, q), (q, p)):
            if end == own:  # then they meet elsewhere only if they go the same way
                ahead = (other[0] - end[0]) * (rest[0] - end[0]) + (other[1] - end[1]) * (rest[1] - end[1])
                return _turn(end, other, rest) == 0 and ahead > 0
    across = [_turn(a, b, p), _turn(a, b, q), _turn(p, q, a), _turn(p, q, b)]
    if any(across):
        return min(across[:2]) <= 0 <= max(across[:2]) and min(across[2:]) <= 0 <= max(across[2:])
    return all(min(a[k], b[k]) <= max(p[k], q[k]) and min(p[k], q[k]) <= max(a[k], b[k]) for k in (0, 1))
