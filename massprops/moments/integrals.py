"""The integrals of a body up to second order, and the one kernel that sums them.

Over a simplex with vertices p_0 … p_k and measure m (mass, length, area, volume), with s = Σ p̃_i of the homogeneous
vertices p̃ = [p; 1],

    J = ∫ x̃ x̃ᵀ = m / ((k+1)(k+2)) · ( Σ p̃_i p̃_iᵀ + s sᵀ ) = [[second, first], [firstᵀ, measure]]

Points (k = 0), segments (1), triangles (2) and tetrahedra (3) are one function. A solid is the signed sum over the tetrahedra that
its boundary triangles make with a reference point, which, taken as the coordinate origin, contributes to `measure` alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from massprops.moments.arrays import Array as Array
from massprops.moments.arrays import ByValue, determinant, outer, product, sandwich, symmetric_eigen
from massprops.values import dataclass


@dataclass(frozen=True, eq=False)
class Moments(ByValue):
    """Integrals of 1, x and x xᵀ over a body in d dimensions (2 or 3), taken about a reference point.

    They know nothing of mass: units are those of the coordinates, to the power of d, d + 1 and d + 2.

    Attributes
    ----------
    measure : float
        ∫ 1: volume, area or length; signed.
    first : ndarray, shape (d,)
        ∫ (x − r), r the reference point.
    second : ndarray, shape (d, d)
        ∫ (x − r)(x − r)ᵀ.
    reference : ndarray, shape (d,)
        r, in the coordinates of the body.
    """

    measure: float
    first: Array
    second: Array
    reference: Array

    @classmethod
    def zero(cls, reference: ArrayLike) -> Self:
        """The moments of nothing, about `reference`."""
        r = np.asarray(reference, dtype=np.float64)
        return cls(0.0, np.zeros_like(r), np.zeros((len(r), len(r))), r)

    @property
    def centroid(self) -> Array:
        """Centre of the body, shape (d,): r + first / measure."""
        return self.reference + self.first / self.measure

    def about(self, point: ArrayLike) -> Self:
        """Moments about another point (parallel axes), shape of `point` (d,)."""
        return self._about(np.asarray(point, dtype=np.float64))

    def _about(self, point: Array) -> Self:
        d = self.reference - point
        cross = outer(self.first, d)
        second = self.second + cross + cross.T + self.measure * outer(d, d)
        return type(self)(self.measure, self.first + self.measure * d, second, point)

    def central_second(self) -> Array:
        """∫ (x − c)(x − c)ᵀ about the centroid c, shape (d, d): second − measure (c − r)(c − r)ᵀ."""
        # not first firstᵀ / measure: an eighth power of a length leaves double precision before a fifth does
        arm = self.first / self.measure
        return self.second - self.measure * outer(arm, arm)

    @property
    def box_edges(self) -> Array:
        """Edges, ascending, shape (3,), of the uniform box with the same spread: it is as large, however the body is turned."""
        squares = symmetric_eigen(self.central_second() * (12.0 / self.measure))[0]
        found: Array = np.sqrt(np.maximum(squares, 0.0))
        return found

    def recentred(self) -> Self:
        """Moments about the centroid, where `first` is zero."""
        return type(self)(self.measure, np.zeros_like(self.first), self.central_second(), self.centroid)

    def mapped(self, linear: ArrayLike, translation: ArrayLike) -> Self:
        """Moments of the image under x ↦ A x + t: J ↦ |det A| T J Tᵀ; `linear` (d, d), `translation` (d,).

        The absolute value, since a mirror image has the same positive volume as the body.
        """
        a = np.asarray(linear, dtype=np.float64)
        t = np.asarray(translation, dtype=np.float64)
        return self.moved(a, t).times(abs(determinant(a)))

    def moved(self, rotation: Array, translation: Array) -> Self:
        """Moments of the body under a rigid motion x ↦ R x + t: J ↦ T J Tᵀ, its measure to the bit."""
        return type(self)(
            self.measure,
            product(rotation, self.first),
            sandwich(rotation, self.second),
            product(rotation, self.reference) + translation,
        )

    def scaled(self, factor: float, dimension: int | None = None) -> Self:
        """Moments in coordinates multiplied by `factor` > 0, as in a change of the length unit.

        `dimension` is that of what was measured, if it is not that of the space: 2 for a sheet in space.
        """
        k = len(self.reference) if dimension is None else dimension
        return type(self)(
            self.measure * factor**k,
            self.first * factor ** (k + 1),
            self.second * factor ** (k + 2),
            self.reference * factor,
        )

    def times(self, factor: float) -> Self:
        """Every integral multiplied by `factor`, in the same place."""
        return type(self)(factor * self.measure, factor * self.first, factor * self.second, self.reference)

    def divided(self, copies: int) -> Self:
        """Moments of one of `copies` equal bodies in the same place."""
        return type(self)(self.measure / copies, self.first / copies, self.second / copies, self.reference)

    def __neg__(self) -> Self:
        return self.times(-1.0)

    def __add__(self, other: Moments) -> Self:
        if other.reference is not self.reference and not np.array_equal(other.reference, self.reference):
            other = other.about(self.reference)
        return type(self)(
            self.measure + other.measure, self.first + other.first, self.second + other.second, self.reference
        )

    def __sub__(self, other: Moments) -> Self:
        return self + (-other)


def simplex_moments(corners: Array, measure: Array, order: int, reference: ArrayLike) -> Moments:
    """Moments of n simplices of the same kind: the one kernel.

    Parameters
    ----------
    corners : ndarray, shape (q, d, n)
        Vertices relative to `reference`; a vertex at the reference itself is left out (q ≤ order + 1).
    measure : ndarray, shape (n,)
        Mass, length, area or volume of each simplex, signed.
    order : int
        k: 0 points, 1 segments, 2 triangles, 3 tetrahedra.
    reference : array_like, shape (d,)
        The point that `corners` are relative to.

    Returns
    -------
    Moments
        About `reference`.
    """
    return moments_of(simplex_sums(corners, [measure])[0], order, reference)


def simplex_sums(corners: Array, measures: Sequence[Array]) -> list[Array]:
    """Over simplices on the same vertices, for each of several measures m of them: Σ m, Σ m s, and the upper triangle of

    Σ m (Σ p_i p_iᵀ + s sᵀ), row by row; see `simplex_moments`. The triangles of a surface have an area, and volumes of their cones from
    the reference. Corners of shape (q, d, k, n) and measures of shape (k, n) give k columns of sums.
    """
    d = corners.shape[1]
    total = corners.sum(axis=0)
    sums = [np.empty((1 + d + d * (d + 1) // 2, *m.shape[:-1])) for m in measures]
    for found, m in zip(sums, measures, strict=True):
        found[0], found[1 : 1 + d] = m.sum(axis=-1), (total * m).sum(axis=-1)
    product = np.empty_like(total[0])  # one for all: what is in the processor's cache need not be fetched
    for at, (i, j) in enumerate(combinations_with_replacement(range(d), 2), 1 + d):
        terms = total[i] * total[j]
        for p in corners:
            terms += np.multiply(p[i], p[j], out=product)
        for found, measure in zip(sums, measures, strict=True):
            # ndarray.sum along a contiguous axis adds in pairs: its error grows with log n, a dot product's with n
            found[at] = np.multiply(terms, measure, out=product).sum(axis=-1)
    return [found + 0.0 for found in sums]  # whether a sum of zeros is −0.0 depends on how it is added up


#: Where the entries of a symmetric matrix are in its upper triangle, row by row.
_UPPER = {2: np.array([[0, 1], [1, 2]]), 3: np.array([[0, 1, 2], [1, 3, 4], [2, 4, 5]])}


def moments_of(sums: Array, order: int, reference: ArrayLike) -> Moments:
    """The moments of simplices of one order from their sums, as `simplex_sums` gives them."""
    r = np.asarray(reference, dtype=np.float64)
    d = len(r)
    second = sums[1 + d :].take(_UPPER[d]) / ((order + 1) * (order + 2))
    return Moments(float(sums[0]), sums[1 : 1 + d] / (order + 1), second, r)
