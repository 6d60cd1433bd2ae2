"""Principal moments and axes of inertia, and the factor that they make.

Tests: `tests/rigid_body/test_mass_properties.py`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from massprops.moments.arrays import Array, ByValue, symmetric_eigen
from massprops.values import dataclass

#: Principal moments closer than this, relative to the largest, are equal: coordinates in single precision (6e-8) move
#: moments by some 1e-7, so the axes of a smaller difference say nothing about the body.
EQUAL_MOMENTS_TOLERANCE = 1e-6
_TIE = 1e-9  # components of an axis this close in size share the maximum, whatever rounding made of them


@dataclass(frozen=True, eq=False)
class Principal(ByValue):
    """Principal moments and axes of inertia about the centre of mass.

    Attributes
    ----------
    moments : ndarray, shape (3,)
        kg m², ascending.
    axes : ndarray, shape (3, 3)
        Row i is the unit axis of moment i, in the axes of the body. Right-handed; the largest component of the first
        two rows is positive.
    arbitrary : tuple of bool
        True for an axis whose moment equals another's within `EQUAL_MOMENTS_TOLERANCE`: any direction in their
        common plane (or space) serves as well.
    """

    moments: Array
    axes: Array
    arbitrary: tuple[bool, bool, bool]

    @property
    def distinct(self) -> bool:
        """Whether all three axes are properties of the body."""
        return not any(self.arbitrary)


class Factor(NamedTuple):
    """F with F Fᵀ = I_c, and the number of its columns.

    Attributes
    ----------
    matrix : ndarray, shape (3, rank)
        Columns √λᵢ aᵢ, λᵢ the principal moments above zero, descending, aᵢ their axes; √kg m.
    rank : int
        3 for a solid or a plate, 2 for a rod, 0 for a point (1 only for a tensor that breaks the triangle inequality).
    """

    matrix: Array
    rank: int


def principal_of(inertia: Array) -> Principal:
    """Principal moments and axes of a symmetric tensor, shape (3, 3), about the centre of mass."""
    moments, columns = symmetric_eigen(inertia)
    first, second = fix_sign(columns[:, 0]), fix_sign(columns[:, 1])
    (a, b, c), (x, y, z) = first.tolist(), second.tolist()  # `np.cross` of two vectors takes twenty times as long
    axes = np.array([[a, b, c], [x, y, z], [b * z - c * y, c * x - a * z, a * y - b * x]]) + 0.0  # no −0.0
    for array in (moments, axes):
        array.setflags(write=False)
    least, middle, most = moments.tolist()
    limit = EQUAL_MOMENTS_TOLERANCE * max(abs(least), abs(most))
    low, high = middle - least <= limit, most - middle <= limit
    return Principal(moments, axes, (low, low or high, high))


def factor_of(principal: Principal, tolerance: float) -> Factor:
    """√λᵢ aᵢ as columns, of the moments above `tolerance` times the largest, descending."""
    rank = int((principal.moments > tolerance * principal.moments[2]).sum())
    rows = np.sqrt(np.maximum(principal.moments, 0.0))[:, None] * principal.axes
    columns: Array = rows[::-1][:rank].T.copy()
    columns.setflags(write=False)
    return Factor(columns, rank)


def fix_sign(axis: Array) -> Array:
    """`axis` or its opposite: the first of its largest components is positive."""
    components = axis.tolist()
    least = max(map(abs, components)) * (1.0 - _TIE)
    leading = next(x for x in components if abs(x) >= least)
    return axis * math.copysign(1.0, leading) + 0.0  # + 0.0: no −0.0
