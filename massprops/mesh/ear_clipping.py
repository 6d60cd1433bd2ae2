"""Ear clipping in exact arithmetic, for the few faces that no fan covers.

Coordinates are doubles, hence integers times a power of two; so is the Newell normal, and so are the coordinates in a plane
across it. Every decision is the sign of an integer, and no tolerance is needed.

Tests: `tests/mesh/test_triangulation.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from massprops.moments.arrays import Array
from massprops.moments.signs import integers

#: Exact coordinates in the plane of a face.
Flat = tuple[int, int]
Triangle = tuple[int, int, int]


class PlaneRing:
    """Corners of one face, linked in a ring from which ears are cut, counter-clockwise seen against the Newell normal.

    The two-ears theorem (Meisters 1975): a simple polygon of more than three corners has two ears that do not overlap; cutting one leaves
    a simple polygon. Ears here are proper triangles with no other corner in them or on their rim, so that corners on a straight
    side become corners of proper triangles too. Only concave and straight corners are compared with an ear: if any corner is in it, so
    is the one of them that is nearest to the tip, and the sides of that one lead away from the tip.
    Faces that touch themselves (a hole joined by a bridge) have ears in the same sense once a corner at the tip's own place
    blocks only where its sides lead into the ear.

    Attributes
    ----------
    concave : set of int
        Numbers of the corners that are concave or straight: the time is their number times that of all corners.
    """

    def __init__(self, points: Array) -> None:
        """PlaneRing of all corners in order, shape (k, 3), finite."""
        self._points = flatten(points)
        numbers = range(len(points))
        self._before, self._after = [numbers[i - 1] for i in numbers], [*numbers[1:], 0]
        self._turns = [self._turn(self._before[i], i, self._after[i]) for i in numbers]
        self.concave = {i for i in numbers if self._turns[i] <= 0}
        self._left = set(numbers)
        self._at: dict[Flat, list[int]] = {}
        for i, place in enumerate(self._points):
            self._at.setdefault(place, []).append(i)
        #: A corner that is known to lie in the triangle of another, as long as the neighbours of that one stay.
        self._blocker: dict[int, int] = {}

    def cut(self) -> Iterator[Triangle]:
        """Triangles as numbers of corners; those of a face that crosses itself have its boundary and its signed area."""
        tip, suspects = 0, list(range(len(self._points)))
        for _ in range(len(self._points) - 3):
            ear = self._fold_among(suspects)
            ear = self._next_ear(tip) if ear is None else ear
            before, after = self._before[ear], self._after[ear]
            yield before, ear, after
            self._remove(ear)
            suspects += [before, after]
            # the next corner but one: its neighbour would make a fan of slivers
            tip = self._after[after]
        yield self._before[tip], tip, self._after[tip]

    def is_turned(self, triangle: Triangle) -> bool:
        """Whether a triangle is turned against the face, or the face has no normal."""
        return self._turn(*triangle) < 0 or len(self._at) == 1

    def _remove(self, tip: int) -> None:
        before, after = self._before[tip], self._after[tip]
        self._after[before], self._before[after] = after, before
        self._left.discard(tip)
        self.concave.discard(tip)
        for i in (before, after):
            self._turns[i] = self._turn(self._before[i], i, self._after[i])
            self._blocker.pop(i, None)
            (self.concave.add if self._turns[i] <= 0 else self.concave.discard)(i)

    def _fold_among(self, suspects: list[int]) -> int | None:
        """A corner whose sides lie on one another: a spike, or a repeated corner. It encloses nothing.

        These go first: where two spikes meet, a corner between them looks convex and has no inside.
        """
        while suspects:
            tip = suspects.pop()
            (ax, ay), (bx, by), (cx, cy) = (self._points[i] for i in (self._before[tip], tip, self._after[tip]))
            if tip in self._left and self._turns[tip] == 0 and (ax - bx) * (cx - bx) + (ay - by) * (cy - by) >= 0:
                return tip
        return None

    def _next_ear(self, tip: int) -> int:
        """The first ear from a corner on; where there is none, a straight corner, else a convex one, the smallest first."""
        ear = next(filter(self._is_ear, self._from(tip)), None)
        return min(self._from(tip), key=lambda i: (self._turns[i] < 0, abs(self._turns[i]))) if ear is None else ear

    def _from(self, tip: int) -> Iterator[int]:
        """All corners that are left, from one on."""
        yield tip
        corner = self._after[tip]
        while corner != tip:
            yield corner
            corner = self._after[corner]

    def _turn(self, a: int, b: int, c: int) -> int:
        """Twice the signed area of a triangle, up to a common positive factor."""
        (ax, ay), (bx, by), (cx, cy) = self._points[a], self._points[b], self._points[c]
        return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)

    def _is_ear(self, tip: int) -> bool:
        if self._turns[tip] <= 0 or self._blocker.get(tip) in self._left:
            return False
        triangle = a, b, c = self._before[tip], tip, self._after[tip]
        corners = [self._points[i] for i in triangle]
        (left, right), (low, high) = ((min(x), max(x)) for x in zip(*corners, strict=True))
        for p in self.concave:
            x, y = place = self._points[p]
            if not (left <= x <= right and low <= y <= high) or place in corners:
                continue
            if self._turn(a, b, p) >= 0 and self._turn(b, c, p) >= 0 and self._turn(c, a, p) >= 0:
                self._blocker[tip] = p
                return False
        sides = (
            q for p in self._at[corners[1]] if p in self._left and p != tip for q in (self._before[p], self._after[p])
        )
        return not any(self._turn(b, c, q) > 0 and self._turn(a, b, q) > 0 for q in sides)


def flatten(points: Array, outline: int | None = None) -> list[Flat]:
    """Exact integer coordinates in a plane across the Newell normal n, counter-clockwise seen against it; all (0, 0) where n is zero.

    The first `outline` points are the ring that has the normal, by default all.
    With u = n × e and w = n × u, u × w = |u|² n: turns in the plane have the sign that they have about n.
    """
    corners = integers(points)
    corners = corners - corners[0]
    ring = corners[:outline]
    normal = np.cross(ring[:-1], ring[1:]).sum(axis=0)
    u = _cross(normal, np.eye(3, dtype=int).astype(object)[np.abs(normal).argmin()])
    return list(zip((corners @ u).tolist(), (corners @ _cross(normal, u)).tolist(), strict=True))


def _cross(u: Any, v: Any) -> Any:
    """u × v of whole numbers of any length, shape (3,): `numpy.cross` of numpy 1.26 takes them for 64 bits."""
    return np.array([u[i - 2] * v[i - 1] - u[i - 1] * v[i - 2] for i in range(3)], dtype=object)
