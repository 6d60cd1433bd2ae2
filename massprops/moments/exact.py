"""The integrals of a solid without any rounding, as fractions, and results that are rounded once.

A double is a rational number, and so is every integral over a solid with such corners; `exact_sums` adds them up in whole numbers.
What a body of known density or mass has, `MassProperties.from_exact_moments` rounds at the very end: each number is the double nearest to
the truth about the coordinates of the file. Principal moments and axes are roots and stay as accurate as their solver.

Costs, per triangle: half a microsecond for single-precision numbers of like size, one or two for double; more where coordinates of very
different size meet (1e-45 beside 1: five; 1e-300: eighty), and there `extended` cuts digits that do not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from massprops.errors import InvalidGeometry
from massprops.moments.exact_sums import COLUMNS, ROWS, ExactSums
from massprops.moments.integrals import Moments

Vector = tuple[Fraction, Fraction, Fraction]
Matrix = tuple[Vector, Vector, Vector]


@dataclass(frozen=True)
class ExactMoments:
    """∫1, ∫x, ∫x xᵀ over a solid about the origin of its coordinates, as exact rationals; units are those of the coordinates.

    Attributes
    ----------
    measure : Fraction
        Volume, signed.
    first : tuple of Fraction, shape (3,)
    second : tuple of tuples of Fraction, shape (3, 3)
    """

    measure: Fraction
    first: Vector
    second: Matrix

    @classmethod
    def from_integrals(cls, ten: Sequence[Fraction]) -> Self:
        """From ∫1, ∫x (3) and ∫x xᵀ (6: xx xy xz yy yz zz)."""
        xx, xy, xz, yy, yz, zz = ten[4:]
        return cls(ten[0], _vector(ten[1:4]), ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))

    def integrals(self) -> list[Fraction]:
        """∫1, ∫x (3) and ∫x xᵀ (6: xx xy xz yy yz zz)."""
        return [self.measure, *self.first, *(self.second[i][j] for i, j in zip(ROWS, COLUMNS, strict=True))]

    @property
    def centroid(self) -> Vector:
        """first / measure.

        Raises
        ------
        InvalidGeometry
            If the measure is zero.
        """
        if not self.measure:
            raise InvalidGeometry("the solid has a volume of exactly 0, so no centre", code="zero-volume")
        return _vector([x / self.measure for x in self.first])

    def central_second(self) -> Matrix:
        """∫ (x − c)(x − c)ᵀ about the centroid c."""
        return self.seen_from(self.centroid).second

    def central_inertia(self) -> Matrix:
        """Tensor about the centroid at unit density: Ixx = ∫ y² + z², Ixy = −∫ x y."""
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = self.central_second()
        return (yy + zz, -xy, -xz), (-xy, zz + xx, -yz), (-xz, -yz, xx + yy)

    def seen_from(self, point: Vector) -> Self:
        """The same body in coordinates that have their origin at `point`, and the same axes: parallel axes."""
        m, f, d = self.measure, self.first, [-x for x in point]
        six = (
            self.second[i][j] + f[i] * d[j] + d[i] * f[j] + m * d[i] * d[j] for i, j in zip(ROWS, COLUMNS, strict=True)
        )
        return self.from_integrals([m, *(f[i] + m * d[i] for i in range(3)), *six])

    def scaled(self, unit: Fraction) -> Self:
        """The same body in another unit of length: ``Fraction(1, 1000)`` takes millimetres to metres."""
        powers = (3, *[4] * 3, *[5] * 6)
        return self.from_integrals([x * unit**k for x, k in zip(self.integrals(), powers, strict=True)])

    def moved(self, rotation: ArrayLike, translation: ArrayLike) -> Self:
        """The body after x ↦ R x + t, the entries of R, shape (3, 3), and t, shape (3,), taken as the rationals that they are.

        A rotation in doubles is one but for its rounding; volume and mass are kept as they are, so the body is not scaled by det R.
        """
        r = [_rationals(row) for row in np.asarray(rotation, dtype=np.float64)]
        first = [_inner(row, self.first) for row in r]
        halfway = [[_inner(row, column) for column in self.second] for row in r]  # R S, since S is symmetric
        six = (_inner(halfway[i], r[j]) for i, j in zip(ROWS, COLUMNS, strict=True))
        turned = self.from_integrals([self.measure, *first, *six])
        return turned.seen_from(_vector([-x for x in _rationals(translation)]))

    def rounded(self) -> Moments:
        """The same integrals in doubles, each the nearest, about the double nearest to the centroid.

        About that point centre and central moments follow without loss: what is left of `first` is below the rounding of a coordinate.
        """
        reference = np.array([float(x) for x in self.centroid])
        ten = [float(x) for x in self.seen_from(_rationals(reference)).integrals()]
        second = np.empty((3, 3))
        second[ROWS, COLUMNS] = second[COLUMNS, ROWS] = ten[4:]
        return Moments(ten[0], np.array(ten[1:4]), second, reference)

    def __neg__(self) -> Self:
        return self.from_integrals([-x for x in self.integrals()])

    def __add__(self, other: ExactMoments) -> Self:
        return self.from_integrals([x + y for x, y in zip(self.integrals(), other.integrals(), strict=True)])


def exact_moments(chunks: Iterable[NDArray[np.floating]], apex: ArrayLike | None = None) -> ExactMoments:
    """Integrals over the solid inside a surface, of the coordinates as they are, about their origin.

    Parameters
    ----------
    chunks : iterable of ndarray, shape (n, 3, 3)
        Triangles [facet, corner, xyz], wound counter-clockwise seen from outside; float32 or float64, finite, of size below 2¹⁰²⁰.
    apex : array_like, shape (3,), optional
        Apex of the tetrahedra over the triangles; by default the first corner. If the surface is closed the result does not
        depend on it; if it is open, the result is that of the surface closed by triangles between its rim and the apex.
    """
    sums = ExactSums(apex)
    for chunk in chunks:
        sums.add(chunk)
    return about_origin(sums)


def about_origin(sums: ExactSums) -> ExactMoments:
    """What was summed about the apex, in the coordinates of the file."""
    moments = ExactMoments.from_integrals(sums.integrals())
    return moments if sums.apex is None else moments.seen_from(_vector([-x for x in _rationals(sums.apex)]))


def _rationals(values: ArrayLike) -> Vector:
    return _vector([Fraction(x) for x in np.asarray(values, dtype=np.float64).tolist()])


def _inner(u: Sequence[Fraction], v: Sequence[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(u, v, strict=True)), Fraction(0))


def _vector(values: Sequence[Fraction]) -> Vector:
    x, y, z = values
    return x, y, z
