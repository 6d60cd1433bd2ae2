"""The sums behind the integrals of a solid, in whole numbers: doubles are whole numbers times a power of two."""

from __future__ import annotations

import functools
import operator
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from massprops.moments.multiprecision import BITS, Limbs, carried, dot, product, split

#: Triangles whose limbs are in the processor's cache together; `dot` allows twice as many.
_BLOCK = 1024
_YZX, _ZXY = [1, 2, 0], [2, 0, 1]
#: Rows and columns of the six different entries of a symmetric matrix.
ROWS, COLUMNS = [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]
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
        for points in _blocks(chunk):
            if self.apex is None:
                self.apex = points[0, :, 0].copy()
            terms = _seen_from(self.apex, points)
            corners, unit = split(terms, self._limbs)
            self._sums[unit] = [x + y for x, y in zip(self._sums[unit], _sums(corners), strict=True)]
            if terms.any():
                self._cut[unit] += points.shape[-1]

    def integrals(self) -> list[Fraction]:
        """∫1, ∫x (3) and ∫x xᵀ (6: xx xy xz yy yz zz), x seen from the apex, of the coordinates as they were cut."""
        return [
            sum((found[k] * Fraction(2) ** (unit * degree) for unit, found in self._sums.items()), Fraction(0))
            / divisor
            for k, (degree, divisor) in enumerate(zip(DEGREES, _DIVISORS, strict=True))
        ]

    def errors(self) -> list[Fraction]:
        """By how much the cut can have changed each of the integrals; zero where nothing was cut."""
        return [sum((self._error(unit, n, degree) for unit, n in self._cut.items()), Fraction(0)) for degree in DEGREES]

    def _error(self, unit: int, facets: int, degree: int) -> Fraction:
        size = Fraction(2) ** (unit + BITS * (self._limbs or 0))
        off = Fraction(2) ** (unit + 1)  # a coordinate is the sum of two terms at most, each cut by less than a unit
        return _AMPLIFICATION * facets * off * size ** (degree - 1)


def _blocks(chunk: NDArray[np.floating]) -> Iterator[Limbs]:
    """Triangles as (3, 3, n) doubles [corner, xyz, facet], few enough for the cache."""
    for start in range(0, len(chunk), _BLOCK):
        yield np.ascontiguousarray(chunk[start : start + _BLOCK].transpose(1, 2, 0), dtype=np.float64)


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
    normal = carried(product(b[:, _YZX], c[:, _ZXY]) - product(b[:, _ZXY], c[:, _YZX]))
    determinant = carried(product(a, normal).sum(axis=1))
    squares = (product(p[:, ROWS], p[:, COLUMNS]) for p in (a, b, c, total))
    quadratic = carried(functools.reduce(operator.iadd, squares))
    one = np.ones((1, 1, corners.shape[-1]))
    return [*dot(determinant, one), *dot(determinant, total), *dot(determinant, quadratic)]
