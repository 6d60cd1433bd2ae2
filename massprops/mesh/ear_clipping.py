"""Ear clipping in exact arithmetic, for the few faces that no fan covers.

Coordinates are doubles, hence integers times a power of two; so is the Newell normal, and so are the coordinates in a plane
across it. Every decision is the sign of an integer, and no tolerance is needed. Doubles only tell which corners
are certainly far from an ear. A decision is taken again only after a cut that can change it: each corner is looked at a few times,
each time against all corners that are left, in numpy.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from massprops.moments.signs import integers

Doubles = NDArray[np.float64]
Point = tuple[int, ...]
Flat = tuple[int, int]

#: Forty roundings of numbers up to 1 lie behind a sign taken from doubles.
_MARGIN = 2e-14
#: Candidates looked at per corner before the rest is cut anyhow: good faces need two or three.
_PATIENCE = 50


def cut_ears(points: Doubles) -> tuple[list[list[int]], float]:
    """Triangles of one face, as numbers of its corners, and the area of those turned against the face.

    The area is zero if and only if the triangles cover the face once. It is not for faces that cross themselves; the
    triangles then still have the face's boundary, and their signed sum is the face's.

    Parameters
    ----------
    points : ndarray, shape (k, 3)
        Corners in order, finite doubles.

    Notes
    -----
    The two-ears theorem (Meisters 1975): a simple polygon of more than three corners has two ears that do not overlap; cutting one leaves
    a simple polygon. Ears here are proper triangles with no other corner in them or on their rim, so that corners on a straight
    side become corners of proper triangles too. Faces that touch themselves (a hole joined by a bridge) have ears in
    the same sense once a corner at the tip's own place blocks only where its sides lead into the ear.
    """
    triangles = _Ring(_flatten(points)).cut()
    return triangles, _turned_area(points, triangles)


def _flatten(points: Doubles) -> list[Flat]:
    """Exact integer coordinates in a plane across the Newell normal n, counter-clockwise seen against it.

    With u = n × e and w = n × u, u × w = |u|² n: turns in the plane have the sign that they have about n.
    """
    corners = _integers(points)
    normal = _newell(corners)
    if not any(normal):
        return [(0, 0)] * len(corners)
    axis = min(range(3), key=lambda i: abs(normal[i]))
    u = _cross(normal, tuple(int(i == axis) for i in range(3)))
    w = _cross(normal, u)
    return [(_dot(p, u), _dot(p, w)) for p in corners]


def _integers(points: Doubles) -> list[Point]:
    """Corners relative to the first, times one power of two."""
    corners = integers(points)
    return [tuple(corner) for corner in (corners - corners[0]).tolist()]


def _newell(corners: list[Point]) -> Point:
    areas = [_cross(p, q) for p, q in pairwise(corners)]
    return tuple(sum(parts) for parts in zip(*areas, strict=True))


def _cross(a: Point, b: Point) -> Point:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _dot(a: Point, b: Point) -> int:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _turned_area(points: Doubles, triangles: list[list[int]]) -> float:
    """Area, in the plane of the face, of the triangles that are turned against it; of all, where the face has no normal."""
    flat = _integers(points)
    normal = _newell(flat)
    turned = [t for t in triangles if _dot(_area(flat, t), normal) < 0 or not any(normal)]
    if not turned:
        return 0.0
    corners = points[np.array(turned)]
    with np.errstate(over="ignore", invalid="ignore"):  # of coordinates near 1e308
        areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        return float(np.sqrt((areas * areas).sum(axis=1)).sum() / 2)


def _area(corners: list[Point], triangle: list[int]) -> Point:
    a, b, c = (corners[i] for i in triangle)
    return _cross(tuple(x - y for x, y in zip(b, a, strict=True)), tuple(x - y for x, y in zip(c, a, strict=True)))


class _Ring:
    """What is left of a face: corners linked in a ring, counter-clockwise."""

    def __init__(self, points: list[Flat]) -> None:
        count = len(points)
        self.points = points
        self.rough = _rough(points)
        self.alive = np.ones(count, dtype=bool)
        self.before: list[int] = [count - 1, *range(count - 1)]
        self.after: list[int] = [*range(1, count), 0]
        self.left = count
        self.patience = _PATIENCE * count
        self.turns = [self.turn(self.before[i], i, self.after[i]) for i in range(count)]
        #: Whether each corner is an ear, as far as that is known and still holds; and the corners that one corner keeps from it.
        self.ears: list[bool | None] = [None] * count
        self.kept: dict[int, list[int]] = {}
        self.places: dict[Flat, list[int]] = {}
        for i, place in enumerate(points):
            self.places.setdefault(place, []).append(i)
        #: Corners by how bad a cut at them is; made when there is no ear for the first time. Some are out of date.
        self.worst: list[tuple[bool, int, int]] = []

    def cut(self) -> list[list[int]]:
        """Triangles, as numbers of corners."""
        triangles: list[list[int]] = []
        suspects = list(range(self.left))
        tip = 0
        while self.left > 3:
            ear = self.fold_among(suspects)
            ear = self.next_ear(tip) if ear is None else ear
            before, after = self.before[ear], self.after[ear]
            triangles.append([before, ear, after])
            self.remove(ear)
            suspects += [before, after]
            # The next corner but one: its neighbour would make a fan of slivers.
            tip = self.after[after]
        triangles.append([self.before[tip], tip, self.after[tip]])
        return triangles

    def remove(self, tip: int) -> None:
        before, after = self.before[tip], self.after[tip]
        self.after[before], self.before[after] = after, before
        self.alive[tip] = False
        self.left -= 1
        for i in self.kept.pop(tip, ()):
            self.ears[i] = None
        for i in (before, after):
            self.turns[i] = self.turn(self.before[i], i, self.after[i])
            for twin in self.places[self.points[i]]:  # sides of a corner count for others at its place
                self.ears[twin] = None
            if self.worst:
                heappush(self.worst, (self.turns[i] < 0, abs(self.turns[i]), i))

    def fold_among(self, suspects: list[int]) -> int | None:
        """A corner whose sides lie on one another: a spike, or a repeated corner. It encloses nothing.

        These go first: where two spikes meet, a corner between them looks convex and has no inside.
        """
        while suspects:
            tip = suspects.pop()
            if self.alive[tip] and self.folds(self.before[tip], tip, self.after[tip]):
                return tip
        return None

    def next_ear(self, tip: int) -> int:
        """The first ear from a corner on; where there is none, or the search has lasted too long, the least bad corner."""
        for _ in range(self.left):
            self.patience -= 1
            if self.patience < 0:
                break
            if self.is_ear(tip):
                return tip
            tip = self.after[tip]
        return self.least_bad(tip)

    def turn(self, a: int, b: int, c: int) -> int:
        """Twice the signed area of a triangle, up to a common positive factor."""
        (ax, ay), (bx, by), (cx, cy) = self.points[a], self.points[b], self.points[c]
        return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)

    def is_ear(self, tip: int) -> bool:
        known = self.ears[tip]
        if known is None:
            a, b, c = self.before[tip], tip, self.after[tip]
            known = self.turns[tip] > 0
            blocker = next((p for p in self.near(a, b, c) if self.blocks(p, a, b, c)), None) if known else None
            if blocker is not None:
                self.kept.setdefault(blocker, []).append(tip)
            known = self.ears[tip] = known and blocker is None
        return known

    def folds(self, a: int, b: int, c: int) -> bool:
        (ax, ay), (bx, by), (cx, cy) = self.points[a], self.points[b], self.points[c]
        return self.turns[b] == 0 and (ax - bx) * (cx - bx) + (ay - by) * (cy - by) >= 0

    def near(self, a: int, b: int, c: int) -> list[int]:
        """Other corners that are not certainly outside the triangle."""
        x, y = self.rough
        near: NDArray[np.bool_] = self.alive.copy()
        near[[a, b, c]] = False
        for p, q in ((a, b), (b, c), (c, a)):
            near &= (x[q] - x[p]) * (y - y[p]) - (y[q] - y[p]) * (x - x[p]) >= -_MARGIN
        return list(map(int, np.flatnonzero(near)))

    def blocks(self, p: int, a: int, b: int, c: int) -> bool:
        """Whether a corner lies in the ear or on its rim; at the place of one of its corners it does not count, unless it is at the tip
        and a side of it leads into the ear.
        """
        place = self.points[p]
        if place == self.points[b]:
            return any(self.turn(b, c, q) > 0 and self.turn(a, b, q) > 0 for q in (self.before[p], self.after[p]))
        if place in (self.points[a], self.points[c]):
            return False
        return self.turn(a, b, p) >= 0 and self.turn(b, c, p) >= 0 and self.turn(c, a, p) >= 0

    def least_bad(self, tip: int) -> int:
        """The corner to cut where there is no ear: a straight one, else a convex one, the smallest first."""
        if not self.worst:
            self.worst = [(self.turns[i] < 0, abs(self.turns[i]), i) for i in map(int, np.flatnonzero(self.alive))]
            heapify(self.worst)
        equal: list[tuple[bool, int, int]] = []
        while self.worst and (not equal or self.worst[0][:2] == equal[0][:2]):
            entry = heappop(self.worst)
            reflex, size, i = entry
            if self.alive[i] and (self.turns[i] < 0, abs(self.turns[i])) == (reflex, size) and entry not in equal[-1:]:
                equal.append(entry)
        found = min((i for _, _, i in equal), key=lambda i: (i - tip) % len(self.points))
        for entry in equal:
            heappush(self.worst, entry)
        return found


def _rough(points: list[Flat]) -> tuple[Doubles, Doubles]:
    """The coordinates as doubles up to 1 in size; each axis has a scale of its own, which turns no sign."""
    x, y = ([p[i] for p in points] for i in (0, 1))
    width, height = (max(map(abs, values)) or 1 for values in (x, y))
    return np.array([value / width for value in x]), np.array([value / height for value in y])
