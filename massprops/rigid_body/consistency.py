"""Whether any distribution of mass has these parameters, and by which margins.

Tests: `tests/rigid_body/test_mass_properties.py`.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Literal

import numpy as np

from massprops.moments.arrays import Array, symmetric_eigen
from massprops.rigid_body.principal import fix_sign
from massprops.rigid_body.tensors import second_of
from massprops.values import dataclass

Rank = Literal["solid", "plate", "rod", "point"]

#: Eigenvalues of S about the centre of mass, relative to the largest in size: below it they are zero. A tensor summed,
#: moved and rotated in double precision is good to some 1e-15 of its largest entry; three digits are left for callers.
CONSISTENCY_TOLERANCE = 1e-12

#: Rounding of an inertia that was moved to the centre of mass, over m |c|²: a few sums of products in double precision.
MOVED = 2.0**-49


@dataclass(frozen=True)
class Consistency:
    """How far a body is from what no distribution of mass can be: one report for predicate, finding and message.

    All margins are relative and dimensionless, so that a watch and a ship are judged alike.

    Attributes
    ----------
    mass : float
        kg.
    moments : tuple of float
        Principal moments of inertia about the centre of mass, ascending, kg m².
    second_moments : tuple of float
        Eigenvalues of S about the centre of mass, ascending, kg m².
    smallest_axis : tuple of float
        Unit eigenvector of the first of them, in the axes of the body.
    """

    mass: float
    moments: tuple[float, float, float]
    second_moments: tuple[float, float, float]
    smallest_axis: tuple[float, float, float]

    @property
    def inertia_margin(self) -> float:
        """Smallest principal moment over the largest in size; negative: the inertia is not positive semi-definite."""
        return _ratio(self.moments[0], max(map(abs, self.moments)))

    @property
    def second_margin(self) -> float:
        """Smallest eigenvalue of S over the largest in size."""
        return _ratio(self.second_moments[0], max(map(abs, self.second_moments)))

    @property
    def pseudo_margin(self) -> float:
        """Smallest over largest eigenvalue of the pseudo-inertia in the body's own measures.

        Π = T diag(S, m) Tᵀ with T the shift to the centre of mass, so by Sylvester's law its signs are those of S and
        m; about a distant origin the eigenvalues themselves would only measure the distance.
        """
        return min(self.second_margin, math.copysign(1.0, self.mass) if self.mass else 0.0)

    @property
    def triangle_margin(self) -> float:
        """(λ₁ + λ₂ − λ₃) / λ₃ of the principal moments; λ₁ + λ₂ − λ₃ is twice the smallest eigenvalue of S."""
        return _ratio(2.0 * self.second_moments[0], max(map(abs, self.moments)))

    @property
    def mass_is_positive(self) -> bool:
        """Whether m > 0."""
        return self.mass > 0.0

    @property
    def inertia_is_semidefinite(self) -> bool:
        """Whether I ⪰ 0 about the centre of mass."""
        return self.inertia_margin >= -CONSISTENCY_TOLERANCE

    @property
    def second_is_semidefinite(self) -> bool:
        """Whether S ⪰ 0 about the centre of mass; equivalently I ⪰ 0 and the triangle inequality."""
        return self.second_margin >= -CONSISTENCY_TOLERANCE

    def is_rounded(self, stated: Array) -> bool:
        """Whether a defect is within the rounding of the digits of the tensor as it is `stated`, along whichever axes.

        Half a unit of the last digit in each of three moments: λ₁ + λ₂ − λ₃, twice the smallest eigenvalue of S, is off by 3/2 units.
        """
        (least, _, most), unit = self.second_moments, max(map(last_digit, stated.ravel().tolist()))
        return least < 0 and -least <= 0.75 * unit <= 0.075 * most

    @property
    def ok(self) -> bool:
        """Full physical consistency: some non-negative distribution of mass has these parameters."""
        return self.mass_is_positive and self.second_is_semidefinite

    @property
    def rank(self) -> int:
        """Number of directions in which the body extends: eigenvalues of S above `CONSISTENCY_TOLERANCE`."""
        limit = CONSISTENCY_TOLERANCE * max(map(abs, self.second_moments))
        return sum(s > limit for s in self.second_moments)

    @property
    def kind(self) -> Rank | None:
        """``solid``, ``plate``, ``rod`` or ``point``, by rank; None for what is no body."""
        kinds: tuple[Rank, ...] = ("point", "rod", "plate", "solid")
        return kinds[self.rank] if self.ok else None


def consistency_of(mass: float, inertia: Array, com: Array) -> Consistency:
    """The report on a mass, kg, a tensor about the centre of mass, shape (3, 3), kg m², and that centre, m.

    Where all negative extents are within the rounding that it costs to move an inertia from the origin to the centre of mass, they are 0:
    programs print -5.42101e-20 for the inertia of a point.
    """
    extents, columns = symmetric_eigen(second_of(inertia))
    x, y, z = _triple(extents)
    if 0 < -x <= MOVED * mass * float(com @ com):
        x, y, z = (max(s, 0.0) for s in (x, y, z))
    return Consistency(mass, (x + y, x + z, y + z), (x, y, z), _triple(fix_sign(columns[:, 0])))


def is_solid(second: Array) -> bool:
    """Whether S ⪰ 0 has rank 3 for certain, so that there is nothing to report: all leading minors are far above their rounding.

    The smallest eigenvalue is at least 4 det S / (tr S)², here above a billionth of the largest.
    """
    trace = float(second.trace())
    if not trace > 0:
        return False
    (a, b, c), (_, d, e), (_, _, f) = (second / trace).tolist()  # whose products neither overflow nor vanish
    minor = a * d - b * b
    det = a * (d * f - e * e) - b * (b * f - c * e) + c * (b * e - c * d)
    return bool(min(a, minor, det) > 1e-9)


def radii_of(mass: float, inertia: Array) -> Array | None:
    """Radii of gyration about axes through the centre of mass, shape (3,): see `MassProperties.radii_of_gyration`."""
    if mass == 0.0:
        return None
    squares = inertia.diagonal() / mass
    if squares.min() < -CONSISTENCY_TOLERANCE * np.abs(squares).max():
        return None
    radii: Array = np.sqrt(np.maximum(squares, 0.0))
    return radii


def last_digit(value: float) -> float:
    """One unit of the last digit of the shortest decimal; 0 of a zero, or of one with so many digits that none was rounded off."""
    digits = Decimal(repr(value)).normalize().as_tuple()
    if value == 0.0 or len(digits.digits) > 12 or not isinstance(digits.exponent, int):
        return 0.0
    return 10.0**digits.exponent


def _triple(values: Array) -> tuple[float, float, float]:
    x, y, z = values.tolist()
    return x, y, z


def _ratio(value: float, size: float) -> float:
    return value / size if size else 0.0
