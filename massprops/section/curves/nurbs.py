"""B-splines, polynomial or rational, cut at their knots into Bézier curves."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from massprops.errors import InvalidInput
from massprops.section.curves.base import Array
from massprops.section.curves.bezier import Bezier


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
