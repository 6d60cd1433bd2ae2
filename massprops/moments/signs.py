"""Signs of determinants of coordinates: by floating point where an error bound settles them, else in integers.

One code serves both. Arrays of floats give −1, 1, or NaN where rounding leaves the sign open or it is zero, so that every comparison
with it is false; arrays of integers, Python's or small ones in int64, give −1, 0 or 1.

Tests: `tests/mesh/test_proof.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Coordinates in columns: float64, for planes of at most 1, Python's integers in arrays of objects, or int64 that differ by less than 2³⁰.
Numbers = NDArray[Any]
#: −1.0, 0.0, 1.0, or NaN where it is open.
Signs = NDArray[np.float64]

#: Rounding of one operation, as a share.
HALF_ULP = 2.0**-53
#: Rounding of determinants of differences, as a share of the sum of their terms' sizes: Shewchuk 1997, "Adaptive precision
#: floating-point arithmetic and fast robust geometric predicates", ccwerrboundA and o3derrboundA.
_LINE_BOUND = (3 + 16 * HALF_ULP) * HALF_ULP
_PLANE_BOUND = (7 + 56 * HALF_ULP) * HALF_ULP
#: Bits of the lower half of a normal in int64.
_HALF = 31
_LOWER = 2**_HALF - 1
#: More than what products of numbers of at most 2 lose where they underflow.
UNDERFLOW = 2.0**-1000


def whole_numbers(points: NDArray[np.float64]) -> tuple[Numbers, int]:
    """Coordinates times 2ᵏ as Python's integers, which have no limit, and k."""
    mantissa, exponent = np.frexp(points)
    least = int(exponent[mantissa != 0].min(initial=0))
    shift = exponent.astype(np.int64) - least
    shift[mantissa == 0] = 0
    return np.asarray((mantissa * 2.0**53).astype(np.int64).astype(object) << shift.astype(object)), least - 53


def integers(points: NDArray[np.float64]) -> Numbers:
    """Coordinates times a power of two as integers, where the power does not matter."""
    return whole_numbers(points)[0]


def small_integers(points: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Coordinates of groups of points, shape (n, k, 3), times a power of two for each group and moved, as integers below 2³⁰; and which
    groups have such.
    """
    mantissa, exponent = np.frexp(points)
    whole = (mantissa * 2.0**53).astype(np.int64)
    last = np.where(whole, np.frexp((whole & -whole).astype(np.float64))[1] + exponent - 54, 2000).min(axis=(1, 2))
    fits = np.where(whole, exponent, -2000).max(axis=(1, 2)) - last < 62
    numbers = np.ldexp(points, np.where(fits, -last, -2000)[:, np.newaxis, np.newaxis]).astype(np.int64)
    numbers -= numbers.min(axis=1, keepdims=True)
    return numbers, fits & (numbers.max(axis=(1, 2)) < 2**30)


def side_of_line(a: Numbers, b: Numbers, c: Numbers) -> Signs:
    """On which side of the line from a to b lies c, two columns each: 1 where a, b, c turn counter-clockwise."""
    u, v = b - a, c - a
    left, right = u[0] * v[1], u[1] * v[0]
    return _signs(left - right, lambda: abs(left) + abs(right), _LINE_BOUND)


def side_of_plane(a: Numbers, b: Numbers, c: Numbers, d: Numbers) -> Signs:
    """On which side of the plane through a, b, c lies d, three columns each: the sign of det [b − a, c − a, d − a]."""
    return turn(b - a, c - a, d - a)


def turn(u: Numbers, v: Numbers, w: Numbers) -> Signs:
    """The sign of det [u, v, w] of differences of points."""
    yz, zy = u[1] * v[2], u[2] * v[1]
    zx, xz = u[2] * v[0], u[0] * v[2]
    xy, yx = u[0] * v[1], u[1] * v[0]
    normal = yz - zy, zx - xz, xy - yx
    if normal[0].dtype == np.int64:  # the upper half, and the lower one, which is not negative
        halves = [(x >> _HALF, x & _LOWER) for x in normal]
        upper, lower = (sum(x * half[k] for x, half in zip(w, halves, strict=True)) for k in (0, 1))
        upper += lower >> _HALF
        return _signs(np.where(upper, upper, lower & _LOWER), lambda: upper, 0)
    value = w[0] * normal[0] + w[1] * normal[1] + w[2] * normal[2]
    return _signs(
        value,
        lambda: abs(w[0]) * (abs(yz) + abs(zy)) + abs(w[1]) * (abs(zx) + abs(xz)) + abs(w[2]) * (abs(xy) + abs(yx)),
        _PLANE_BOUND,
    )


def _signs(value: Numbers, size: Callable[[], Numbers], share: float) -> Signs:
    if value.dtype != np.float64:
        return np.asarray((value > 0).astype(float) - (value < 0))
    return np.where(abs(value) > share * size() + UNDERFLOW, np.sign(value), np.nan)
