"""Plane curves as the integrals see them: a polygon of chords, and slivers between chord and curve.

The region swept from a reference r to a curve is the polygon (r, chords) plus the signed slivers. Both go through the one kernel: a
chord as the triangle (r, a, b), a sliver as the triangles (s, x(t), x(t)) of measure ½ (x − s) × x′ dt, s the curve's start (of a
whole ellipse, its centre), at the nodes of a quadrature. Taking s and not r for the apex keeps the digits of a flat arc far from r.

Tests: `tests/section/test_curves.py`.
"""

from __future__ import annotations

import functools
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from massprops.moments.arrays import Array, permutes_axes, product
from massprops.moments.integrals import Moments, simplex_moments, simplex_sums

#: Edges of a run, and runs that stay in the processor's cache; what the sums over triangles are multiples of.
_RUN, _RUNS, _SCALE = 64, 128, np.array([1, 3, 3, 12, 12, 12.0])


@dataclass(frozen=True, eq=False)
class Slivers:
    """Quadrature of the regions between curves and their chords.

    Attributes
    ----------
    apex, away : ndarray, shape (n, 2)
        s, and x(t) − s: kept apart, so that a small curve far from the origin keeps its digits.
    measure : ndarray, shape (n,)
        ½ (x − s) × x′ dt, signed: positive on the right of the chord, where a counter-clockwise ring bulges outward.
    error : float
        What the quadrature may have left out of the area, absolute.
    """

    apex: Array
    away: Array
    measure: Array
    error: float = 0.0

    @classmethod
    def joined(cls, parts: Sequence[Slivers]) -> Self:
        """Slivers of several curves."""
        if not parts:
            return cls(np.empty((0, 2)), np.empty((0, 2)), np.empty(0))
        apex, away, measure = (np.concatenate([getattr(p, k) for p in parts]) for k in ("apex", "away", "measure"))
        return cls(apex, away, measure, sum(p.error for p in parts))


class Curve(ABC):
    """A directed curve in the plane, in the units of its file; immutable.

    `start` and `end` are its exact end points, shape (2,): where curves meet, they are the same to the last bit if the file says so.
    """

    @property
    @abstractmethod
    def defining_points(self) -> Array:
        """Points as the file states them, shape (n, 2): the first and the last are the ends, those between need not be on the curve."""

    @property
    def start(self) -> Array:
        """First point, shape (2,)."""
        return np.asarray(self.defining_points[0])

    @property
    def end(self) -> Array:
        """Last point, shape (2,)."""
        return np.asarray(self.defining_points[-1])

    @abstractmethod
    def reversed(self) -> Curve:
        """Curve through the same points in the opposite direction."""

    @abstractmethod
    def transformed(self, matrix: ArrayLike) -> Curve:
        """The image under x ↦ A x + t, `matrix` = [A | t] of shape (2, 3)."""

    @abstractmethod
    def length(self) -> float:
        """Arc length."""

    @abstractmethod
    def bounds(self) -> Array:
        """Smallest and largest coordinates of the curve itself, shape (2, 2)."""

    @abstractmethod
    def flattened(self, tolerance: float) -> Array:
        """Points on the curve whose chords stay within `tolerance` of it, shape (n, 2), ends included: for topology only."""

    def chords(self) -> Array:
        """Vertices of the polygon that the slivers stand on, shape (n, 2), ends included."""
        return np.array([self.start, self.end])

    def slivers(self) -> Slivers:
        """Regions between the chords and the curve; none for a straight one."""
        return Slivers.joined([])


def polygon_moments(points: Array, reference: Array, *, closed: bool = False) -> Moments:
    """Moments of the triangles from `reference` to the edges between `points`, shape (n, 2); `closed`: and back to the first."""
    p = np.ascontiguousarray((points - reference).T)
    a, b = (p, np.roll(p, -1, axis=1)) if closed else (p[:, :-1], p[:, 1:])
    edge = b - a  # (a × (b − a)) and not a × b: the difference of neighbours is nearly exact
    return simplex_moments(np.stack([a, b]), (a[0] * edge[1] - a[1] * edge[0]) / 2, 2, reference)


def ring_moments(points: Array, reference: Array) -> tuple[Moments, float]:
    """Moments of a closed polygon, shape (n, 2), about `reference`; and the size of all terms that were added to its area.

    Runs of edges are closed by chords and summed about their first points, and the chords are a polygon again: edges that follow each other
    are near each other, so their terms are small.
    """
    found: list[tuple[float, ...]] = []
    terms = 0.0
    while len(points) > 2 * _RUN:
        closed = len(points) // _RUN * _RUN
        for begin in range(0, closed, _RUNS * _RUN):
            end = min(begin + _RUNS * _RUN, closed)
            p = points[begin : end + 1] if end < len(points) else np.concatenate([points[begin:], points[:1]])
            first = p[:-1:_RUN].T
            a, b = (x.T.reshape(2, -1, _RUN) - first[:, :, np.newaxis] for x in (p[:-1], p[1:]))
            edge = b - a
            one, other = a[0] * edge[1], a[1] * edge[0]
            terms += float((np.abs(one) + np.abs(other)).sum()) / 2
            sums = simplex_sums(np.stack([a, b]), [(one - other) / 2])[0]
            (m, x, y, xx, xy, yy), (u, v) = sums / _SCALE[:, np.newaxis], first - reference[:, np.newaxis]
            about = m, x + m * u, y + m * v, xx + 2 * u * x + m * u * u, xy + u * y + v * x + m * u * v
            found.append(tuple(float(each.sum()) for each in (*about, yy + 2 * v * y + m * v * v)))
        points = np.concatenate([points[:closed:_RUN], points[closed:]])
    chords, reach = polygon_moments(points, reference, closed=True), np.abs(points - reference).max(axis=0)
    terms += float((reach * np.abs(points - np.roll(points, 1, axis=0)).sum(axis=0)[::-1]).sum()) / 2
    if not found:
        return chords, terms
    m, x, y, xx, xy, yy = map(math.fsum, zip(*found, strict=True))
    return chords + Moments(m, np.array([x, y]), np.array([[xx, xy], [xy, yy]]), reference), terms


def sliver_moments(slivers: Slivers, reference: Array) -> Moments:
    """Moments of the regions between curves and chords, about `reference`."""
    s = (slivers.apex - reference).T
    x = s + slivers.away.T
    return simplex_moments(np.stack([s, x, x]), slivers.measure, 2, reference)


def sweep(away: Array, speed: Array, weight: Array) -> Array:
    """½ away × speed dt at the nodes of a quadrature, shape (n,), of vectors (n, 2)."""
    return np.asarray((away[:, 0] * speed[:, 1] - away[:, 1] * speed[:, 0]) * weight / 2)


def stretches(points: Array, more: int = 0) -> Iterator[Array]:
    """Stretches of points, shape (n, 2), that stay in the processor's cache, each with the first `more` points of the next one."""
    return (points[k : k + _RUNS * _RUN + more] for k in range(0, max(len(points) - more, 1), _RUNS * _RUN))


def affine(matrix: ArrayLike) -> tuple[Array, Array]:
    """A (2, 2) and t (2,) of [A | t], shape (2, 3)."""
    m = np.asarray(matrix, dtype=np.float64)
    return m[:, :2], m[:, 2]


def box(points: Array) -> Array:
    """Smallest and largest coordinates of points (n, 2), shape (2, 2)."""
    if whole := len(points) // (8 * _RUN) * 8 * _RUN:  # columns of many numbers, which processors compare at once
        rows = points[:whole].reshape(-1, 2 * _RUN)
        ends = (choose.reduce(rows, axis=0).reshape(_RUN, 2) for choose in (np.minimum, np.maximum))
        points = np.concatenate([*ends, points[whole:]])
    return np.array([points.min(axis=0), points.max(axis=0)])


@dataclass(frozen=True, eq=False)
class Polyline(Curve):
    """Points joined by straight edges, in their order: a line, a chain, or the whole of a ring.

    Attributes
    ----------
    points : array_like, shape (n, 2), n ≥ 1
        float64; kept bit for bit.
    is_rounded : bool
        Whether they are the points of the file after a transform or sums that can have rounded them.
    """

    points: Array
    is_rounded: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", np.asarray(self.points, dtype=np.float64).reshape(-1, 2))

    @property
    def defining_points(self) -> Array:
        """The points."""
        return self.points

    def reversed(self) -> Polyline:
        """Polyline through the same points in the opposite order."""
        return Polyline(self.points[::-1], self.is_rounded)

    def transformed(self, matrix: ArrayLike) -> Polyline:
        """The image under x ↦ A x + t, `matrix` = [A | t] of shape (2, 3)."""
        a, t = affine(matrix)
        return Polyline(product(self.points, a.T) + t, self.is_rounded or bool(t.any()) or not permutes_axes(a))

    def chords(self) -> Array:
        """The points themselves."""
        return self.points

    def length(self) -> float:
        """Sum of the edges' lengths."""
        steps = (np.diff(some, axis=0) for some in stretches(self.points, 1))
        return math.fsum(float(np.hypot(step[:, 0], step[:, 1]).sum()) for step in steps)

    def bounds(self) -> Array:
        """Smallest and largest coordinates, shape (2, 2)."""
        return self._bounds

    @functools.cached_property
    def _bounds(self) -> Array:
        return box(self.points)

    def flattened(self, tolerance: float) -> Array:  # noqa: ARG002  # straight edges need none
        """The points themselves."""
        return self.points
