"""Arcs of circles and ellipses, as the images of the unit circle: x(t) = c + a cos t + b sin t.

Tests: `tests/section/test_curves.py`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from massprops.moments.arrays import Array, length, product
from massprops.section.curves.base import Curve, Slivers, affine, box, sweep
from massprops.section.curves.quadrature import NODES, adaptive_breaks, nodes_between

TURN = 2 * math.pi


@dataclass(frozen=True, eq=False)
class EllipticArc(Curve):
    """x(t) = center + a cos t + b sin t for t from `begin` to `begin + sweep`.

    a and b are conjugate half-diameters, so every affine image of an arc is one; a circle has a = (r, 0), b = (0, r). Use the constructors
    `circle`, `circular`, `elliptic` and `bulge`.

    Attributes
    ----------
    center, a, b : array_like, shape (2,)
    begin, sweep : float
        Radians; a positive sweep turns from a towards b. |sweep| = 2π is a whole ellipse.
    ends : array_like, shape (2, 2), optional
        The end points where the file states them: they may differ from x(t) by rounding, and neighbours share them bit for bit.
    """

    center: Array
    a: Array
    b: Array
    begin: float
    sweep: float
    ends: Array | None = field(default=None)

    def __post_init__(self) -> None:
        for name in ("center", "a", "b"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=np.float64))
        if self.ends is None:
            first, last = self._at(self.begin), self._at(self.begin + self.sweep)
            object.__setattr__(self, "ends", np.array([first, first if self.whole else last]))
        object.__setattr__(self, "ends", np.asarray(self.ends, dtype=np.float64))

    @classmethod
    def circle(cls, center: ArrayLike, radius: float) -> Self:
        """A whole circle, counter-clockwise from its rightmost point."""
        return cls.circular(center, radius, 0.0, TURN)

    @classmethod
    def circular(cls, center: ArrayLike, radius: float, begin: float, sweep: float) -> Self:
        """An arc of a circle from the angle `begin` (radians from the x axis) over `sweep`, positive counter-clockwise."""
        return cls(np.asarray(center), np.array([radius, 0.0]), np.array([0.0, radius]), begin, sweep)

    @classmethod
    def elliptic(
        cls, center: ArrayLike, major: ArrayLike, ratio: float, begin: float = 0.0, sweep: float = TURN
    ) -> Self:
        """An arc of an ellipse: `major` half-axis (2,), minor/major `ratio`, eccentric angles counter-clockwise from `major`."""
        x, y = np.asarray(major, dtype=np.float64)
        return cls(np.asarray(center), np.array([x, y]), ratio * np.array([-y, x]), begin, sweep)

    @classmethod
    def bulge(cls, start: ArrayLike, end: ArrayLike, bulge: float) -> Self:
        """The circular arc between two distinct points, `bulge` = tan(sweep / 4), not 0: positive counter-clockwise, 1 a half circle."""
        p, q = np.asarray(start, dtype=np.float64), np.asarray(end, dtype=np.float64)
        half, left = (q - p) / 2, np.array([p[1] - q[1], q[0] - p[0]]) / 2
        # cot(sweep / 2) = (1 − bulge²) / (2 bulge): the centre, in half chords to the left of the middle
        from_start = half + left * ((1 - bulge) * (1 + bulge) / (2 * bulge))
        a = -from_start
        return cls(p + from_start, a, np.array([-a[1], a[0]]), 0.0, 4 * math.atan(bulge), np.array([p, q]))

    @property
    def whole(self) -> bool:
        """Whether the arc is a closed ellipse: its sweep is a turn but for the rounding of degrees."""
        return abs(abs(self.sweep) - TURN) <= 4 * TURN * float(np.finfo(np.float64).eps)

    @property
    def circular_radius(self) -> float | None:
        """The radius if this is a circle's arc to the last bits, else None."""
        aa, bb, ab = ((u * v).sum() for u, v in ((self.a, self.a), (self.b, self.b), (self.a, self.b)))
        return math.sqrt(aa) if max(abs(aa - bb), abs(ab)) <= 1e-15 * aa else None

    def reversed(self) -> EllipticArc:
        """Curve through the same points in the opposite direction."""
        return EllipticArc(
            self.center, self.a, self.b, self.begin + self.sweep, -self.sweep, self.defining_points[::-1]
        )

    def transformed(self, matrix: ArrayLike) -> EllipticArc:
        """The image under x ↦ A x + t, `matrix` = [A | t] of shape (2, 3); exact ends are carried along."""
        m, t = affine(matrix)
        center, a, b = (product(m, vector) for vector in (self.center, self.a, self.b))
        return EllipticArc(center + t, a, b, self.begin, self.sweep, product(self.defining_points, m.T) + t)

    def slivers(self) -> Slivers:
        """Slivers between chord and arc: 16 nodes a quarter turn are exact to rounding."""
        n = max(1, math.ceil(abs(self.sweep) / (math.pi / 2)))
        turned, weight = nodes_between(np.linspace(0.0, self.sweep, n + 1), NODES)
        # x(t) − x(begin) and x′ need no centre, so a flat arc of a huge circle keeps its digits; a whole one has only a centre
        apex = self.center if self.whole else self.start
        away = self._at(self.begin + turned, about=0.0) if self.whole else self._chord(turned)
        speed = self._derivative(self.begin + turned)
        return Slivers(np.broadcast_to(apex, away.shape), away, sweep(away, speed, weight))

    def length(self) -> float:
        """Radius times angle; of an ellipse by quadrature."""
        radius = self.circular_radius
        if radius is not None:
            return radius * abs(self.sweep)

        def speed(t: Array) -> Array:
            d = self._derivative(self.begin + t)
            return np.hypot(d[:, 0], d[:, 1])[np.newaxis]

        n = max(1, math.ceil(abs(self.sweep) / (math.pi / 4)))
        breaks, _ = adaptive_breaks(speed, np.linspace(min(self.sweep, 0.0), max(self.sweep, 0.0), n + 1))
        nodes, weight = nodes_between(breaks)
        return float((speed(nodes)[0] * weight).sum())

    def bounds(self) -> Array:
        """Smallest and largest coordinates of the arc, shape (2, 2)."""
        low, high = sorted((self.begin, self.begin + self.sweep))
        turning = np.arctan2(self.b, self.a)  # x′ = 0, and again half a turn on
        steps = np.arange(math.floor((low - math.pi) / math.pi), math.ceil((high + math.pi) / math.pi) + 1)
        angles = (turning[:, np.newaxis] + math.pi * steps).ravel()
        inside = angles[(angles > low) & (angles < high)]
        return box(np.vstack([self.defining_points, self._at(inside)]))

    def flattened(self, tolerance: float) -> Array:
        """Points whose chords stay within `tolerance`: a sagitta is at most R (1 − cos(step / 2)), R the larger half-axis."""
        size = length(np.append(self.a, self.b))
        step = 2 * math.acos(max(0.0, 1 - tolerance / size)) if size > tolerance else math.pi / 2
        n = max(2, math.ceil(abs(self.sweep) / min(max(step, 1e-6), math.pi / 4)))
        inner = self.start + self._chord(np.linspace(0.0, self.sweep, n + 1)[1:-1])
        return np.vstack([self.start, inner, self.end])

    @property
    def defining_points(self) -> Array:
        """The ends, shape (2, 2)."""
        assert self.ends is not None  # noqa: S101  # set in __post_init__
        return self.ends

    def _at(self, t: ArrayLike, about: ArrayLike | None = None) -> Array:
        """x(t); `about` takes the place of the centre."""
        t = np.asarray(t, dtype=np.float64)[..., np.newaxis]
        middle = self.center if about is None else np.asarray(about, dtype=np.float64)
        return np.asarray(middle + (self.a * np.cos(t) + self.b * np.sin(t)))

    def along(self, t: Array) -> tuple[Array, Array]:
        """x − start and its derivative for t from 0 to 1, the ends of the arc, shapes (n, 2)."""
        turned = self.sweep * t
        return self._chord(turned), self.sweep * self._derivative(self.begin + turned)

    def _chord(self, turned: Array) -> Array:
        """x(begin + turned) − x(begin) = 2 sin(turned/2) (b cos m − a sin m), m half-way between; shape (n, 2)."""
        half = turned[:, np.newaxis] / 2
        middle = self.begin + half
        return np.asarray(2 * np.sin(half) * (self.b * np.cos(middle) - self.a * np.sin(middle)))

    def _derivative(self, t: Array) -> Array:
        t = t[:, np.newaxis]
        return np.asarray(self.b * np.cos(t) - self.a * np.sin(t))
