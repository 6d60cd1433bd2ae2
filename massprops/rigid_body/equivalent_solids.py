"""The solid box and the solid ellipsoid that move as a body does, and how small the body can be."""

from __future__ import annotations

import math

from massprops.frames import Pose
from massprops.rigid_body.tensors import Array
from massprops.values import dataclass


@dataclass(frozen=True, eq=False)
class EquivalentBox:
    """A uniform solid box of the same mass, centre and inertia.

    Attributes
    ----------
    edges : ndarray, shape (3,)
        Full lengths along the axes of `pose`, m, descending: along the axis of the smallest moment first. Zero across a plate.
    pose : Pose
        X_FB: the middle of the box is the centre of mass; the columns of the rotation are the principal axes.
    """

    edges: Array
    pose: Pose


@dataclass(frozen=True, eq=False)
class EquivalentEllipsoid:
    """A uniform solid ellipsoid of the same mass, centre and inertia.

    Attributes
    ----------
    semi_axes : ndarray, shape (3,)
        Along the axes of `pose`, m, descending.
    pose : Pose
        X_FE: its centre is the centre of mass; the columns of the rotation are the principal axes.
    """

    semi_axes: Array
    pose: Pose


def minimum_length(variances: Array) -> float:
    """The least distance between the two points furthest apart of anything with these principal variances, m.

    `variances`, shape (3,), m²: eigenvalues of S_c / m. By Jung's theorem a set of diameter D in k dimensions lies in a ball
    of radius D √(k / (2k + 2)), and the mean square distance from the centre of mass is at most that from the middle of the
    ball. Applied to the body, its shadow on the plane of the two largest and on the line of the largest:

        D² ≥ 4 λ₁,   D² ≥ 3 (λ₁ + λ₂),   D² ≥ 8/3 (λ₁ + λ₂ + λ₃)

    with equality for a dumbbell, three and four equal masses at the corners of a regular triangle and tetrahedron. (Drake's
    CalcMinimumPhysicalLength, 2 √(λ₁ + λ₂ + λ₃), is the diagonal of the smallest box of such a body, and not such a bound: the
    tetrahedron is smaller.)
    """
    a, b, c = sorted(variances.tolist(), reverse=True)
    return math.sqrt(max(4.0 * a, 3.0 * (a + b), 8.0 / 3.0 * (a + b + c)))
