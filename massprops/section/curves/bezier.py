"""Bézier curves of any degree, polynomial or rational, and B-splines, cut at their knots into them.

Tests: `tests/section/test_curves.py`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from massprops.errors import InvalidInput
from massprops.moments.arrays import Array, product
from massprops.section.curves.base import Curve, Slivers, affine, box, sweep
from massprops.section.curves.quadrature import NODES, adaptive_breaks, nodes_between

#: Chords of one curve, when flattened, at most.
_FINEST = 1 << 14
#: Spans of a spline that are cut at a time, more than its degree.
_BLOCK = 64


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
    def defining_points(self) -> Array:
        """The control points."""
        return self.control

    def reversed(self) -> Bezier:
        """Curve through the same points in the opposite direction."""
        return Bezier(self.control[::-1], None if self.weights is None else self.weights[::-1])

    def transformed(self, matrix: ArrayLike) -> Bezier:
        """The image under x ↦ A x + t, `matrix` = [A | t] of shape (2, 3)."""
        a, t = affine(matrix)
        return Bezier(product(self.control, a.T) + t, self.weights)

    def slivers(self) -> Slivers:
        """Slivers between chord and curve: nodes are exact for polynomials (integrands of degree 4n − 2), adaptive for rational curves."""
        if self.degree == 1:
            return Slivers.joined([])
        if self.weights is None:
            t, weight = nodes_between(np.array([0.0, 1.0]), 2 * self.degree)
            return self._slivers(t, weight, 0.0)
        breaks, error = adaptive_breaks(self._integrands, np.array([0.0, 1.0]))
        return self._slivers(*nodes_between(breaks, NODES), error)

    def length(self) -> float:
        """Arc length, by adaptive quadrature of the speed."""
        if self.degree == 1:
            return float(math.hypot(*(self.end - self.start)))
        breaks, _ = adaptive_breaks(self._speed, np.linspace(0.0, 1.0, 5))
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
        """Integrands of the area and of the second moments, about the start, in the curve's own size: shape (4, n)."""
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
    blocks = (inner[k : k + _BLOCK + 1] for k in range(0, len(inner) - 1, _BLOCK))
    return [curve for block in blocks for curve in _curves_between(p, u, homogeneous, block)]


def _curves_between(p: int, u: Array, c: Array, inner: Array) -> list[Bezier]:
    """The spline from the first to the last of some successive knots: of a long one, each insertion copies a block alone.

    The ends are inserted first, far from each other, so that the next block has the same point there to the bit.
    """
    first, last = int(np.searchsorted(u, inner[0], "right")) - 1, int(np.searchsorted(u, inner[-1], "left"))
    u, c = u[first - p : last + p + 1], c[first - p : last]
    for knot in (inner[0], inner[-1], *inner[1:-1]):
        for _ in range(p - int(np.count_nonzero(u == knot))):
            u, c = _inserted(p, u, c, float(knot))
    return _pieces(p, u, c, inner)


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
    """Bézier curves of the spans: control points i − p … i belong to the one that begins at the last knot i of each value."""
    found = []
    for low in inner[:-1]:
        i = int(np.searchsorted(u, low, side="right")) - 1
        piece = c[i - p : i + 1]
        found.append(Bezier(piece[:, :2] / piece[:, 2:], piece[:, 2]))
    return found
