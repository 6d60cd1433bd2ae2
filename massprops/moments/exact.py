"""The integrals of a solid without any rounding, as fractions, and results that are rounded once.

A double is a whole number times a power of two, and every integral over a solid with such corners is a rational number; `ExactSums` adds
them up in whole numbers. What a body of known density or mass has, `MassProperties.from_exact_moments` rounds at the very end: each
number is the double nearest to the truth about the coordinates of the file. Principal moments and axes are roots and stay as accurate
as their solver.

Costs, per triangle: half a microsecond for single-precision numbers of like size, one or two for double; more where coordinates of very
different size meet (1e-45 beside 1: five; 1e-300: eighty), and there `solid_moments` cuts digits that do not matter: it keeps 126 binary
places below the largest coordinate, and bounds what was cut off. Nearly always nothing is: then the result is exact, and the bound zero.
Centroid and central moments are computed in fractions and rounded once, so nothing cancels. Double-double arithmetic would do the same
job with 106 digits, a rounding in every operation and a bound that grows with every one; in whole numbers the exact result costs no more.

Whole numbers of any length, thousands at a time, in arrays of doubles.

A number is Σ limbs[k] · 2^(21 k), its limbs along the first axis of an array, the least significant first. Limbs are doubles with
whole values: of size 2²⁰ at most, so that a product of two has 40 bits, and 2¹³ of them add up without a rounding. So every sum is
exact in any order, with or without fused multiplication, and numpy and BLAS do all of the work.
"""

from __future__ import annotations

import functools
import math
import operator
from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from massprops.errors import InvalidGeometry
from massprops.moments.integrals import Moments
from massprops.moments.signs import whole_numbers
from massprops.moments.uncertainty import Spread
from massprops.values import dataclass

Limbs = NDArray[np.float64]

BITS = 21
_BASE = 2.0**BITS


def split(terms: Limbs, most: int | None = None) -> tuple[Limbs, int]:
    """The sums of doubles along the first axis as limbs, and the exponent of their unit: Σ limbs[k] · 2^(21 k + exponent).

    Parameters
    ----------
    terms : ndarray, shape (t, …), t ≤ 4
        Finite; changed by the call.
    most : int, optional
        Limbs to keep, counted from the largest term of all. What lies below is cut off, and stays in `terms`; with None nothing does.

    Returns
    -------
    limbs : ndarray, shape (L, …)
        L as small as the terms allow, at least one.
    exponent : int
    """
    exponent = math.frexp(float(np.abs(terms).max(initial=0)))[1]
    found: list[Limbs] = []
    while terms.any() and len(found) != most:
        exponent -= BITS
        limb = np.trunc(np.ldexp(terms, -exponent))
        terms -= np.ldexp(limb, exponent)
        found.append(limb.sum(axis=0))
    return carry_limbs(np.array(found[::-1]) if found else np.zeros_like(terms[:1])), exponent


def carry_limbs(limbs: Limbs) -> Limbs:
    """Limbs of size 2²⁰ at most of the same numbers, from limbs of size below 2⁵²."""
    done: list[Limbs] = []
    carry = np.zeros_like(limbs[0])
    for limb in limbs:
        carry = _moved_up(limb + carry, done)
    while carry.any():
        carry = _moved_up(carry, done)
    while len(done) > 1 and not done[-1].any():
        done.pop()
    return np.array(done)


def _moved_up(limb: Limbs, done: list[Limbs]) -> Limbs:
    """Puts the limb's own part on `done` and gives back what belongs to the next."""
    carry = np.rint(limb / _BASE)
    done.append(limb - carry * _BASE)
    return carry


def product(u: Limbs, v: Limbs) -> Limbs:
    """Products of numbers, shapes (L, …) and (M, …) to (L + M − 1, …); the limbs want carrying."""
    limbs = np.zeros((len(u) + len(v) - 1, *np.broadcast_shapes(u.shape[1:], v.shape[1:])))
    for k, limb in enumerate(u):
        limbs[k : k + len(v)] += limb * v
    return limbs


def dot(u: Limbs, v: Limbs) -> list[int]:
    """Σ u v over n numbers, for each of m rows of v: shapes (L, n) and (M, m, n), n ≤ 2¹¹, limbs of size 3 · 2²⁰ at most in v."""
    m = v.shape[1]
    table = (u @ v.reshape(-1, v.shape[-1]).T).astype(np.int64).reshape(len(u), len(v), m)
    limbs = np.zeros((len(u) + len(v) - 1, m), dtype=np.int64)
    for k, row in enumerate(table):
        limbs[k : k + len(v)] += row
    return [sum(limb << BITS * k for k, limb in enumerate(column)) for column in limbs.T.tolist()]


#: Triangles whose limbs are in the processor's cache together; `dot` allows twice as many.
_BLOCK = 1024
_YZX, _ZXY = [1, 2, 0], [2, 0, 1]
#: Rows and columns of the six different entries of a symmetric matrix.
ROWS, COLUMNS = [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]
#: Where they stand behind the three first moments, shape (3, 3).
_ENTRIES = np.array([[3, 4, 5], [4, 6, 7], [5, 7, 8]])
#: Degrees in the coordinates of what is summed: ∫1, ∫x (3) and ∫x xᵀ (6).
DEGREES = (3, *[4] * 3, *[5] * 6)
#: And what the sums are multiples of: k!, see `moments`.
_DIVISORS = (6, *[24] * 3, *[120] * 6)
#: A monomial of degree k with factors up to M that are each off by δ is off by (M + δ)ᵏ − Mᵏ, k Mᵏ⁻¹ δ but for a millionth. The
#: determinant has 6 monomials, its product with s = a + b + c 18, that with a aᵀ + b bᵀ + c cᵀ + s sᵀ 72; and
#: 6 · 3 / 6 = 18 · 4 / 24 = 72 · 5 / 120 = 3.
_AMPLIFICATION = Fraction("3.01")


class ExactSums:
    """Integrals over the tetrahedra that triangles make with one point, gathered chunk by chunk.

    Parameters
    ----------
    apex : array_like, shape (3,), optional
        That point; by default the first corner of all.
    limbs : int, optional
        Cut coordinates, seen from the apex, to 21 binary digits times this, counted from the largest of a thousand triangles. By
        default all digits count.
    """

    def __init__(self, apex: ArrayLike | None = None, limbs: int | None = None) -> None:
        self.apex = None if apex is None else np.array(apex, dtype=np.float64)
        self._limbs = limbs
        self._sums: dict[int, list[int]] = defaultdict(lambda: [0] * 10)
        self._cut: dict[int, int] = defaultdict(int)

    def add(self, chunk: NDArray[np.floating]) -> None:
        """Triangles, shape (n, 3, 3) [facet, corner, xyz], float32 or float64, finite, of size below 2¹⁰²⁰."""
        for start in range(0, len(chunk), _BLOCK):
            # as (3, 3, n) doubles [corner, xyz, facet]
            points = np.ascontiguousarray(chunk[start : start + _BLOCK].transpose(1, 2, 0), dtype=np.float64)
            if self.apex is None:
                self.apex = points[0, :, 0].copy()
            terms = _seen_from(self.apex, points)
            corners, unit = split(terms, self._limbs)
            self._sums[unit] = [x + y for x, y in zip(self._sums[unit], _sums(corners), strict=True)]
            if terms.any():
                self._cut[unit] += points.shape[-1]

    def moments(self) -> ExactMoments:
        """Moments about the apex, of the coordinates as they were cut."""
        measure, *rest = (
            sum((found[k] * Fraction(2) ** (unit * degree) for unit, found in self._sums.items()), Fraction(0))
            / divisor
            for k, (degree, divisor) in enumerate(zip(DEGREES, _DIVISORS, strict=True))
        )
        apex = rationals(_ORIGIN if self.apex is None else self.apex)
        return ExactMoments(measure, np.array(rest[:3]), np.array(rest)[_ENTRIES], apex)

    def errors(self) -> list[Fraction]:
        """By how much the cut can have changed each of the integrals; zero where nothing was cut."""
        return [sum((self._error(unit, n, degree) for unit, n in self._cut.items()), Fraction(0)) for degree in DEGREES]

    def _error(self, unit: int, facets: int, degree: int) -> Fraction:
        size = Fraction(2) ** (unit + BITS * (self._limbs or 0))
        off = Fraction(2) ** (unit + 1)  # a coordinate is the sum of two terms at most, each cut by less than a unit
        return _AMPLIFICATION * facets * off * size ** (degree - 1)


def _seen_from(apex: Limbs, points: Limbs) -> Limbs:
    """The differences, and where they are rounded their errors, shape (1 or 2, 3, 3, n); TwoDiff (Knuth, TAOCP 4.2.2)."""
    origin = apex[:, np.newaxis]
    arms = points - origin
    back = arms - points
    errors = (points - (arms - back)) - (origin + back)
    return np.stack([arms, errors]) if errors.any() else arms[np.newaxis]


def _sums(corners: Limbs) -> list[int]:
    """Per tetrahedron the determinant, times s = a + b + c, times a aᵀ + b bᵀ + c cᵀ + s sᵀ; corners (L, 3, 3, n)."""
    a, b, c = corners.transpose(1, 0, 2, 3)
    total = a + b + c
    normal = carry_limbs(product(b[:, _YZX], c[:, _ZXY]) - product(b[:, _ZXY], c[:, _YZX]))
    determinant = carry_limbs(product(a, normal).sum(axis=1))
    squares = (product(p[:, ROWS], p[:, COLUMNS]) for p in (a, b, c, total))
    quadratic = carry_limbs(functools.reduce(operator.iadd, squares))
    one = np.ones((1, 1, corners.shape[-1]))
    return [*dot(determinant, one), *dot(determinant, total), *dot(determinant, quadratic)]


_ORIGIN = np.zeros(3)


def rationals(values: ArrayLike) -> NDArray[Any]:
    """The rationals that numbers are: fractions in an array of the same shape."""
    return np.asarray(np.frompyfunc(Fraction, 1, 1)(values))


@dataclass(frozen=True, eq=False)
class ExactMoments(Moments):
    """Moments without rounding: the measure, signed, is a Fraction, and the arrays hold fractions."""

    measure: Fraction  # type: ignore[assignment]  # exact, where that of the base is rounded
    first: NDArray[Any]
    second: NDArray[Any]
    reference: NDArray[Any]

    @property
    def centroid(self) -> NDArray[Any]:
        """reference + first / measure.

        Raises
        ------
        InvalidGeometry
            If the measure is zero.
        """
        if not self.measure:
            raise InvalidGeometry("the solid has a volume of exactly 0, so no centre", code="zero-volume")
        return super().centroid

    def central_inertia(self) -> NDArray[Any]:
        """Tensor about the centroid at unit density: Ixx = ∫ y² + z², Ixy = −∫ x y."""
        second = self.central_second()
        return np.asarray(second.trace() * np.eye(3, dtype=np.intp) - second)

    def about(self, point: ArrayLike) -> Self:
        """Moments about another point, whose coordinates count as the rationals that they are."""
        return self._about(rationals(point))

    def times(self, factor: float | Fraction) -> Self:
        """Every integral times a factor, which is taken as the rational that it is."""
        return super().times(Fraction(factor))  # type: ignore[arg-type]  # no float, and exact

    def scaled(self, factor: float | Fraction, dimension: int | None = None) -> Self:
        """Moments in another unit of length: ``Fraction(1, 1000)`` takes millimetres to metres."""
        return super().scaled(Fraction(factor), dimension)  # type: ignore[arg-type]  # no float, and exact

    def moved(self, rotation: ArrayLike, translation: ArrayLike) -> Self:
        """The body after x ↦ R x + t, the entries of R, shape (d, d), and t, shape (d,), taken as the rationals that they are.

        A rotation in doubles is one but for its rounding; volume and mass are kept as they are, so the body is not scaled by det R.
        """
        return super().moved(rationals(rotation), rationals(translation))

    def in_doubles(self) -> Moments:
        """Each number rounded to the nearest double."""
        arrays = (x.astype(np.float64) for x in (self.first, self.second, self.reference))
        return Moments(float(self.measure), *arrays)

    def rounded(self) -> Moments:
        """Moments in doubles, each the nearest, about the double nearest to the centroid.

        About that point centre and central moments follow without loss: what is left of `first` is below the rounding of a coordinate.
        """
        return self.about(self.centroid.astype(np.float64)).in_doubles()


def polygon_moments(points: NDArray[np.float64]) -> ExactMoments:
    """Exact moments of a closed polygon, shape (n, 2), about the origin; the area is negative if it turns clockwise.

    Steger (1996), "On the calculation of arbitrary moments of polygons".
    """
    p, exponent = whole_numbers(points.T)
    q = np.roll(p, -1, axis=1)
    total, cross, unit = p + q, p[0] * q[1] - q[0] * p[1], Fraction(2) ** exponent
    second = sum(((x[:, np.newaxis] * x) * cross).sum(axis=2) for x in (p, q, total))
    measure, first = Fraction(int(cross.sum()), 2) * unit**2, (total * cross).sum(axis=1) * (unit**3 / 6)
    return ExactMoments(measure, first, second * (unit**4 / 24), rationals(_ORIGIN[:2]))


def exact_moments(chunks: Iterable[NDArray[np.floating]], apex: ArrayLike | None = None) -> ExactMoments:
    """Integrals over the solid inside a surface, of the coordinates as they are, about their origin.

    Parameters
    ----------
    chunks : iterable of ndarray, shape (n, 3, 3)
        Triangles [facet, corner, xyz], wound counter-clockwise seen from outside; float32 or float64, finite, of size below 2¹⁰²⁰.
    apex : array_like, shape (3,), optional
        Apex of the tetrahedra over the triangles; by default the first corner. If the surface is closed the result does not
        depend on it; if it is open, the result is that of the surface closed by triangles between its rim and the apex.

    Returns
    -------
    ExactMoments
        Fractions, in the unit of the coordinates.
    """
    return _gathered(chunks, apex).moments().about(_ORIGIN)


def _gathered(chunks: Iterable[NDArray[np.floating]], apex: ArrayLike | None, limbs: int | None = None) -> ExactSums:
    sums = ExactSums(apex, limbs)
    for chunk in chunks:
        sums.add(chunk)
    return sums


#: 126 binary digits: doubles keep all of theirs, 53, where the smallest coordinate seen from the apex is above 2⁻⁷³ (1e-22) of the
#: largest, floats where it is above 2⁻¹⁰² (2e-31).
LIMBS = 6


def solid_moments(
    chunks: Iterable[NDArray[np.floating]], apex: ArrayLike | None = None
) -> tuple[ExactMoments, Spread | None]:
    """Integrals over the solid inside a surface, and what cut digits can have changed; None where none were cut.

    Parameters as in `massprops.moments.exact.exact_moments`; the moments are exact, of the coordinates as they were cut.

    Returns
    -------
    ExactMoments, and Spread or None
        In the unit of the coordinates.

    Raises
    ------
    InvalidGeometry
        If the volume is zero within its error, so that there is no centroid.
    """
    sums = _gathered(chunks, apex, LIMBS)
    seen, errors = sums.moments(), sums.errors()
    moments = seen.about(_ORIGIN)
    if abs(moments.measure) <= errors[0]:
        raise InvalidGeometry("the solid has a volume of 0 within its error, so no centre", code="zero-volume")
    if not any(errors):
        return moments, None
    volume, first, second = (float(errors[k]) for k in (0, 1, 4))
    return moments, Spread.from_moments(seen.in_doubles(), volume, np.full(3, first), np.full((3, 3), second))
