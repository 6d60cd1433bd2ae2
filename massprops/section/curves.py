"""Plane curves that are integrated as what they are: `Polyline`, `EllipticArc`, `Bezier`, and `nurbs`, which gives Béziers.

To the integrals a curve is a polygon of chords, and slivers between chord and curve. The region swept from a reference r to a curve is
the polygon (r, chords) plus the signed slivers. Both go through the one kernel: a chord as the triangle (r, a, b), a sliver as the
triangles (s, x(t), x(t)) of measure ½ (x − s) × x′ dt, s the curve's start (of a whole ellipse, its centre), at the nodes of a
quadrature. Taking s and not r for the apex keeps the digits of a flat arc far from r.
"""

from __future__ import annotations

import functools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from massprops.errors import InvalidInput
from massprops.moments.arrays import Array, length, product
from massprops.moments.integrals import Moments, simplex_moments

# --- quadrature: Gauss-Legendre nodes, and the adaptive rule for integrands that are no polynomials ----------------------------------

#: Nodes per piece of an adaptive integral. Sixteen are exact to rounding for a quarter of a circle.
NODES = 16
#: Two halves and the whole must agree to this share of the integral; double precision itself is left a factor of ten.
AGREEMENT = 2e-15
#: Halvings of one curve: a cusp or a weight near zero is approached to 2⁻⁴⁰ of the parameter, and what is left is the error.
DEEPEST = 40


@functools.cache
def unit_rule(n: int) -> tuple[Array, Array]:
    """Nodes and weights on [0, 1]; exact for polynomials of degree 2n − 1. Shapes (n,)."""
    nodes, weights = np.polynomial.legendre.leggauss(n)
    return (1 + nodes) / 2, weights / 2


def pieces(integrand: Callable[[Array], Array], breaks: Array) -> tuple[Array, float]:
    """Break points between which `NODES` nodes integrate to rounding, and what may be missing.

    Parameters
    ----------
    integrand : callable
        t of shape (n,) to values of shape (m, n).
    breaks : ndarray, shape (k + 1,)
        Where to begin.

    Returns
    -------
    ndarray, shape (j + 1,), and float
        Finer break points; the largest absolute disagreement that was left, summed over the pieces.
    """
    nodes, weights = unit_rule(NODES)
    whole = _sums(integrand, breaks[:-1], breaks[1:], nodes, weights)
    size = np.abs(whole).sum(axis=1).max(initial=0.0)
    done, left = [breaks[:1]], 0.0
    low, high = breaks[:-1], breaks[1:]
    for depth in range(DEEPEST + 1):
        middle = (low + high) / 2
        first, second = (_sums(integrand, a, b, nodes, weights) for a, b in ((low, middle), (middle, high)))
        gap = np.abs(first + second - whole).max(axis=0)
        bad = gap > AGREEMENT * size
        if depth == DEEPEST or not bad.any():
            done.append(high)
            left += float(gap[bad].sum())
            break
        done.append(high[~bad])
        low, high = np.concatenate([low[bad], middle[bad]]), np.concatenate([middle[bad], high[bad]])
        whole = np.concatenate([first[:, bad], second[:, bad]], axis=1)
    return np.unique(np.concatenate(done)), left


def nodes_between(breaks: Array, n: int = NODES) -> tuple[Array, Array]:
    """Nodes and weights of the n-point rule on every piece, one after the other."""
    nodes, weights = unit_rule(n)
    width = np.diff(breaks)[:, np.newaxis]
    return (breaks[:-1, np.newaxis] + width * nodes).ravel(), (width * weights).ravel()


def _sums(integrand: Callable[[Array], Array], low: Array, high: Array, nodes: Array, weights: Array) -> Array:
    """Integrals over [low, high], shape (m, pieces)."""
    width = high - low
    t = low[:, np.newaxis] + width[:, np.newaxis] * nodes
    values = integrand(t.ravel()).reshape(-1, *t.shape)
    return np.asarray((values * weights).sum(axis=2) * width)


# --- what every curve is ---------------------------------------------------------------------------------------------------------------


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
        """Of several curves."""
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
    def rows(self) -> Array:
        """Points of which the first and the last are the ends, shape (n, 2)."""

    @property
    def start(self) -> Array:
        """First point, shape (2,)."""
        return np.asarray(self.rows[0])

    @property
    def end(self) -> Array:
        """Last point, shape (2,)."""
        return np.asarray(self.rows[-1])

    @abstractmethod
    def reversed(self) -> Curve:
        """The same points, run through backwards."""

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
        """What lies between the chords and the curve; nothing, for straight ones."""
        return Slivers.joined([])

    def moments(self, reference: ArrayLike) -> Moments:
        """Integrals of 1, x, x xᵀ over the signed region swept from `reference`, shape (2,), to the curve."""
        return swept_moments([self], reference)


def swept_moments(curves: Iterable[Curve], reference: ArrayLike) -> Moments:
    """Signed moments of the region swept from `reference` to curves; of a closed ring, those of its inside."""
    r = np.asarray(reference, dtype=np.float64)
    listed = list(curves)
    total = sum((polygon_moments(c.chords(), r) for c in listed[1:]), polygon_moments(listed[0].chords(), r))
    return total + sliver_moments(Slivers.joined([c.slivers() for c in listed]), r)


def polygon_moments(points: Array, reference: Array, *, closed: bool = False) -> Moments:
    """Of the triangles from `reference` to the edges between `points`, shape (n, 2); `closed`: and back to the first."""
    p = np.ascontiguousarray((points - reference).T)
    a, b = (p, np.roll(p, -1, axis=1)) if closed else (p[:, :-1], p[:, 1:])
    edge = b - a  # (a × (b − a)) and not a × b: the difference of neighbours is nearly exact
    return simplex_moments(np.stack([a, b]), (a[0] * edge[1] - a[1] * edge[0]) / 2, 2, reference)


def sliver_moments(slivers: Slivers, reference: Array) -> Moments:
    """Of the regions between curves and chords, about `reference`."""
    s = (slivers.apex - reference).T
    x = s + slivers.away.T
    return simplex_moments(np.stack([s, x, x]), slivers.measure, 2, reference)


def sweep(away: Array, speed: Array, weight: Array) -> Array:
    """½ away × speed dt at the nodes of a quadrature, shape (n,), of vectors (n, 2)."""
    return np.asarray((away[:, 0] * speed[:, 1] - away[:, 1] * speed[:, 0]) * weight / 2)


def affine(matrix: ArrayLike) -> tuple[Array, Array]:
    """A (2, 2) and t (2,) of [A | t], shape (2, 3)."""
    m = np.asarray(matrix, dtype=np.float64)
    return m[:, :2], m[:, 2]


def box(points: Array) -> Array:
    """Smallest and largest coordinates of points (n, 2), shape (2, 2)."""
    return np.array([points.min(axis=0), points.max(axis=0)])


@dataclass(frozen=True, eq=False)
class Polyline(Curve):
    """Points joined by straight edges, in their order: a line, a chain, or the whole of a ring.

    Attributes
    ----------
    points : array_like, shape (n, 2), n ≥ 1
        float64; kept bit for bit.
    """

    points: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", np.asarray(self.points, dtype=np.float64).reshape(-1, 2))

    @property
    def rows(self) -> Array:
        """The points."""
        return self.points

    def reversed(self) -> Polyline:
        """The same points in the opposite order."""
        return Polyline(self.points[::-1])

    def transformed(self, matrix: ArrayLike) -> Polyline:
        """The image under x ↦ A x + t, `matrix` = [A | t] of shape (2, 3)."""
        a, t = affine(matrix)
        return Polyline(product(self.points, a.T) + t)

    def chords(self) -> Array:
        """The points themselves."""
        return self.points

    def length(self) -> float:
        """Sum of the edges' lengths."""
        step = np.diff(self.points, axis=0)
        return float(np.hypot(step[:, 0], step[:, 1]).sum())

    def bounds(self) -> Array:
        """Smallest and largest coordinates, shape (2, 2)."""
        return self._bounds

    @functools.cached_property
    def _bounds(self) -> Array:
        return box(self.points)

    def flattened(self, tolerance: float) -> Array:  # noqa: ARG002  # straight edges need none
        """The points themselves."""
        return self.points


# --- arcs of circles and ellipses, as the images of the unit circle: x(t) = c + a cos t + b sin t ------------------------------------

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
        """The same points, run through backwards."""
        return EllipticArc(self.center, self.a, self.b, self.begin + self.sweep, -self.sweep, self.rows[::-1])

    def transformed(self, matrix: ArrayLike) -> EllipticArc:
        """The image under x ↦ A x + t, `matrix` = [A | t] of shape (2, 3); exact ends are carried along."""
        m, t = affine(matrix)
        center, a, b = (product(m, vector) for vector in (self.center, self.a, self.b))
        return EllipticArc(center + t, a, b, self.begin, self.sweep, product(self.rows, m.T) + t)

    def slivers(self) -> Slivers:
        """Between chord and arc: 16 nodes a quarter turn are exact to rounding."""
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
        breaks, _ = pieces(speed, np.linspace(min(self.sweep, 0.0), max(self.sweep, 0.0), n + 1))
        nodes, weight = nodes_between(breaks)
        return float((speed(nodes)[0] * weight).sum())

    def bounds(self) -> Array:
        """Smallest and largest coordinates of the arc, shape (2, 2)."""
        low, high = sorted((self.begin, self.begin + self.sweep))
        turning = np.arctan2(self.b, self.a)  # x′ = 0, and again half a turn on
        steps = np.arange(math.floor((low - math.pi) / math.pi), math.ceil((high + math.pi) / math.pi) + 1)
        angles = (turning[:, np.newaxis] + math.pi * steps).ravel()
        inside = angles[(angles > low) & (angles < high)]
        return box(np.vstack([self.rows, self._at(inside)]))

    def flattened(self, tolerance: float) -> Array:
        """Points whose chords stay within `tolerance`: a sagitta is at most R (1 − cos(step / 2)), R the larger half-axis."""
        size = length(np.append(self.a, self.b))
        step = 2 * math.acos(max(0.0, 1 - tolerance / size)) if size > tolerance else math.pi / 2
        n = max(2, math.ceil(abs(self.sweep) / min(max(step, 1e-6), math.pi / 4)))
        inner = self.start + self._chord(np.linspace(0.0, self.sweep, n + 1)[1:-1])
        return np.vstack([self.start, inner, self.end])

    @property
    def rows(self) -> Array:
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


# --- Bézier curves of any degree, polynomial or rational, and B-splines, cut at their knots into them ---------------------------------

_FINEST = 1 << 14  # chords of one curve, when flattened


@dataclass(frozen=True, eq=False)
class Bezier(Curve):
    """x(t) = Σ Bᵢ(t) wᵢ pᵢ / Σ Bᵢ(t) wᵢ for t from 0 to 1, Bᵢ the Bernstein polynomials of degree n.

    Attributes
    ----------
    control : array_like, shape (n + 1, 2), n ≥ 1
        pᵢ; two points are a line, three a parabola.
    weights : array_like, shape (n + 1,), optional
        wᵢ > 0; None where all are equal.
    """

    control: Array
    weights: Array | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "control", np.asarray(self.control, dtype=np.float64).reshape(-1, 2))
        if self.weights is not None:
            w = np.asarray(self.weights, dtype=np.float64)
            object.__setattr__(self, "weights", None if (w == w[0]).all() else w)

    @property
    def degree(self) -> int:
        """n."""
        return len(self.control) - 1

    @property
    def rows(self) -> Array:
        """The control points."""
        return self.control

    def reversed(self) -> Bezier:
        """The same points, run through backwards."""
        return Bezier(self.control[::-1], None if self.weights is None else self.weights[::-1])

    def transformed(self, matrix: ArrayLike) -> Bezier:
        """The image under x ↦ A x + t, `matrix` = [A | t] of shape (2, 3)."""
        a, t = affine(matrix)
        return Bezier(product(self.control, a.T) + t, self.weights)

    def slivers(self) -> Slivers:
        """Between chord and curve: exact nodes for a polynomial (its integrands have degree 4n − 2), adaptive ones for a rational one."""
        if self.degree == 1:
            return Slivers.joined([])
        if self.weights is None:
            t, weight = nodes_between(np.array([0.0, 1.0]), 2 * self.degree)
            return self._slivers(t, weight, 0.0)
        breaks, error = pieces(self._integrands, np.array([0.0, 1.0]))
        return self._slivers(*nodes_between(breaks, NODES), error)

    def length(self) -> float:
        """Arc length, by adaptive quadrature of the speed."""
        if self.degree == 1:
            return float(math.hypot(*(self.end - self.start)))
        breaks, _ = pieces(self._speed, np.linspace(0.0, 1.0, 5))
        t, weight = nodes_between(breaks)
        return float((self._speed(t)[0] * weight).sum())

    def bounds(self) -> Array:
        """Smallest and largest coordinates of the curve, shape (2, 2)."""
        turning = [t for axis in (0, 1) for t in self._turning(axis)]
        inner = self.along(np.array(turning))[0] + self.start if turning else self.control[:0]
        return box(np.vstack([self.start, self.end, inner]))

    def flattened(self, tolerance: float) -> Array:
        """Points whose chords stay within `tolerance`, as seen at the middle of every chord."""
        n = 4
        while True:
            points = self.along(np.linspace(0.0, 1.0, 2 * n + 1))[0]
            sagitta = np.abs(points[1::2] - (points[:-1:2] + points[2::2]) / 2).max()
            if sagitta <= tolerance or n >= _FINEST:
                return np.vstack([self.start, self.start + points[1:-1], self.end])
            n *= 2

    def _slivers(self, t: Array, weight: Array, error: float) -> Slivers:
        away, speed = self.along(t)
        return Slivers(np.broadcast_to(self.start, away.shape), away, sweep(away, speed, weight), error)

    def _integrands(self, t: Array) -> Array:
        """Those of the area and of the second moments, about the start, in the curve's own size: shape (4, n)."""
        away, speed = self.along(t)
        size = float(np.abs(self.control - self.start).max()) or 1.0
        x, y = away.T / size
        return np.asarray(sweep(away, speed, np.ones(1)) * np.array([np.ones_like(x), x * x, x * y, y * y]))

    def _speed(self, t: Array) -> Array:
        speed = self.along(t)[1]
        return np.hypot(speed[:, 0], speed[:, 1])[np.newaxis]

    def along(self, t: Array) -> tuple[Array, Array]:
        """x(t) − x(0) and x′(t) for t from 0 to 1, shapes (n, 2)."""
        points = self.control - self.start
        basis, slope = _bernstein(self.degree, t), _bernstein_slope(self.degree, t)
        if self.weights is None:
            return product(basis, points), product(slope, points)
        weighted = points * self.weights[:, np.newaxis]
        w, dw = product(basis, self.weights)[:, np.newaxis], product(slope, self.weights)[:, np.newaxis]
        x = product(basis, weighted) / w
        return x, (product(slope, weighted) - x * dw) / w

    def _turning(self, axis: int) -> list[float]:
        """Parameters inside (0, 1) where the coordinate stands still: roots of p′w − pw′."""
        values = self.control[:, axis] - self.start[axis]
        if self.weights is None:
            derivative = _power(values).deriv()
        else:
            p, w = _power(values * self.weights), _power(self.weights)
            derivative = p.deriv() * w - p * w.deriv()
        coefficients = derivative.coef
        big = np.abs(coefficients).max(initial=0.0)
        roots = np.polynomial.Polynomial(np.where(np.abs(coefficients) > 1e-15 * big, coefficients, 0.0)).trim().roots()
        # a double root comes out as a complex pair: its real part is as good a place to look as any
        near = [float(r.real) for r in np.atleast_1d(roots) if abs(r.imag) < 1e-6]
        return [t for t in near if 0 < t < 1]


def _bernstein(n: int, t: Array) -> Array:
    """Values of the n + 1 Bernstein polynomials, shape (len(t), n + 1)."""
    i = np.arange(n + 1)
    binomial = np.array([math.comb(n, k) for k in i], dtype=np.float64)
    t = t[:, np.newaxis]
    return np.asarray(binomial * t**i * (1 - t) ** (n - i))


def _bernstein_slope(n: int, t: Array) -> Array:
    """Derivatives of the Bernstein polynomials, shape (len(t), n + 1): n (Bᵢ₋₁ − Bᵢ) of degree n − 1."""
    lower = np.pad(_bernstein(n - 1, t), ((0, 0), (1, 1)))
    return np.asarray(n * (lower[:, :-1] - lower[:, 1:]))


def _power(values: Array) -> np.polynomial.Polynomial:
    """The polynomial with these Bernstein coefficients: its k-th coefficient is C(n, k) Δᵏ."""
    n, coefficients, row = len(values) - 1, [], values
    for k in range(n + 1):
        coefficients.append(math.comb(n, k) * row[0])
        row = np.diff(row)
    return np.polynomial.Polynomial(coefficients)


def nurbs(degree: int, knots: ArrayLike, control: ArrayLike, weights: ArrayLike | None = None) -> list[Bezier]:
    """The spline as Bézier curves end to end, the same curve to rounding: knots are inserted until each is `degree` fold.

    Parameters
    ----------
    degree : int
        p ≥ 1.
    knots : array_like, shape (n + p + 1,)
        Ascending; the curve runs from knot p to knot n. They need not be clamped.
    control : array_like, shape (n, 2)
        Control points.
    weights : array_like, shape (n,), optional
        Positive.

    Raises
    ------
    InvalidInput
        If the numbers of knots, points and weights do not fit together, knots descend, or a weight is not positive.
    """
    p, u, points = degree, np.asarray(knots, dtype=np.float64), np.asarray(control, dtype=np.float64).reshape(-1, 2)
    w = np.ones(len(points)) if weights is None else np.asarray(weights, dtype=np.float64)
    _check(p, u, points, w)
    homogeneous = np.column_stack([points * w[:, np.newaxis], w])
    inner = np.unique(u[(u >= u[p]) & (u <= u[len(points)])])
    for knot in inner:
        for _ in range(p - int(np.count_nonzero(u == knot))):
            u, homogeneous = _inserted(p, u, homogeneous, float(knot))
    return _pieces(p, u, homogeneous, inner)


def _check(p: int, u: Array, points: Array, w: Array) -> None:
    if p < 1 or len(points) < p + 1:
        raise InvalidInput(f"a spline of degree {p} has at least {p + 1} control points, got {len(points)}")
    if len(u) != len(points) + p + 1:
        raise InvalidInput(f"{len(points)} control points of degree {p} need {len(points) + p + 1} knots, got {len(u)}")
    if (np.diff(u) < 0).any() or u[p] >= u[len(points)]:
        raise InvalidInput("the knots of a spline must ascend")
    if len(w) != len(points) or not (w > 0).all():
        raise InvalidInput("a spline needs one positive weight for each control point")


def _inserted(p: int, u: Array, c: Array, knot: float) -> tuple[Array, Array]:
    """One knot more, the same curve (Boehm): between the control points i − 1 and i, in the share (knot − uᵢ) / (uᵢ₊ₚ − uᵢ)."""
    k = min(int(np.searchsorted(u, knot, side="right")) - 1, len(c) - 1)
    i = np.arange(k - p + 1, k + 1)
    span = u[i + p] - u[i]
    share = np.divide(knot - u[i], span, out=np.zeros(p), where=span > 0)[:, np.newaxis]
    new = (1 - share) * c[i - 1] + share * c[i]
    return np.insert(u, k + 1, knot), np.vstack([c[: k - p + 1], new, c[k:]])


def _pieces(p: int, u: Array, c: Array, inner: Array) -> list[Bezier]:
    """Control points i − p … i belong to the span that begins at the last knot i of each value."""
    found = []
    for low in inner[:-1]:
        i = int(np.searchsorted(u, low, side="right")) - 1
        piece = c[i - p : i + 1]
        found.append(Bezier(piece[:, :2] / piece[:, 2:], piece[:, 2]))
    return found
