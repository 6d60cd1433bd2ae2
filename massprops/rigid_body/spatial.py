"""Six-dimensional inertia, twists and momenta, and how they move from frame to frame.

A twist is the velocity of a body: (v, ω) with v that of the body's point at the origin of the frame. The order of its two halves is
another in every textbook, so it is named wherever six numbers meet: "linear-first" (v, ω), as KSL and Pinocchio have it, or
"angular-first" (ω, v), as Featherstone and Drake have it. A momentum (p, L) is ordered alike, L about the origin.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from massprops.errors import InvalidInput, require_type
from massprops.frames import Pose, finite_array
from massprops.moments.arrays import Array, cross_matrix, product
from massprops.rigid_body.tensors import point_inertia

TwistOrder = Literal["linear-first", "angular-first"]

#: How far the blocks of a 6×6 matrix may be from a spatial inertia, relative to the largest entry of the block: what
#: double-precision products leave is 1e-15, and three digits are left for callers.
STRUCTURE_TOLERANCE = 1e-12


def spatial_inertia(mass: float, arm: ArrayLike, inertia: ArrayLike, order: TwistOrder = "linear-first") -> Array:
    """M with momentum = M · twist, shape (6, 6): [[m 1, −m [c]×], [m [c]×, I_c − m [c]×[c]×]], linear first.

    Parameters
    ----------
    mass : float
        kg.
    arm : array_like, shape (3,)
        c, from the point that twists and momenta refer to, to the centre of mass; m.
    inertia : array_like, shape (3, 3)
        I_c about the centre of mass, kg m².
    order : {"linear-first", "angular-first"}
        Order of twists and momenta.

    Returns
    -------
    ndarray, shape (6, 6)
        kg, kg m and kg m².
    """
    m, c = np.zeros((6, 6)), finite_array(arm, (3,), "arm")
    m[:3, :3] = mass * np.eye(3)
    m[3:, :3] = mass * cross_matrix(c)
    m[:3, 3:] = m[3:, :3].T
    m[3:, 3:] = finite_array(inertia, (3, 3), "inertia") + point_inertia(mass, c)
    return _reordered(m, order)


def parts_of(
    matrix: ArrayLike, order: TwistOrder = "linear-first", precision: float = 0.0
) -> tuple[float, Array, Array]:
    """Mass, arm and central inertia of a spatial inertia: the reverse of `spatial_inertia`.

    `precision` is the unit roundoff of the numbers, where that is not double precision.

    Returns
    -------
    float, ndarray of shape (3,), ndarray of shape (3, 3)
        kg, m, kg m².

    Raises
    ------
    InvalidInput
        If it is not 6×6 and finite, or its blocks are not those of a rigid body: m 1, m [c]× and its transpose; or m = 0.
    """
    m = _reordered(finite_array(matrix, (6, 6), "spatial inertia"), order)
    mass, coupling = float(m[0, 0]), 0.5 * (m[3:, :3] + m[:3, 3:].T)
    tolerance = max(STRUCTURE_TOLERANCE, 16 * precision)
    _check_block(m[:3, :3], mass * np.eye(3), tolerance, "the mass block is not m times the identity")
    _check_block(m[3:, :3], m[:3, 3:].T, tolerance, "the coupling blocks are not transposes of each other")
    _check_block(coupling, -coupling.T, tolerance, "the coupling block is not m [c]×, which is antisymmetric")
    if mass == 0.0:
        what = "spatial inertia has a mass of 0.0 kg, so its centre of mass is undefined"
        raise InvalidInput(what, code="non-positive-mass")
    first = 0.5 * (coupling[[2, 0, 1], [1, 2, 0]] - coupling[[1, 2, 0], [2, 0, 1]])
    arm = first / mass
    return mass, arm, m[3:, 3:] - point_inertia(mass, arm)


def adjoint(pose: Pose, order: TwistOrder = "linear-first") -> Array:
    """Ad of X_AB, shape (6, 6): takes a twist seen from frame B to the same twist seen from frame A.

    [[R, [p]× R], [0, R]], linear first.
    """
    return _reordered(coadjoint(pose, "angular-first"), order)


def coadjoint(pose: Pose, order: TwistOrder = "linear-first") -> Array:
    """Ad* of X_AB, shape (6, 6): takes a momentum (or a wrench) seen from frame B to frame A; the inverse transpose of `adjoint`.

    [[R, 0], [[p]× R, R]], linear first. A spatial inertia moves by M_A = Ad*(X_AB) M_B Ad(X_AB)⁻¹ = Ad* M_B Ad*ᵀ.
    """
    require_type(pose, Pose, "pose", "a massprops.Pose")
    co = np.zeros((6, 6))
    co[:3, :3] = co[3:, 3:] = pose.rotation
    co[3:, :3] = product(cross_matrix(pose.translation), pose.rotation)
    return _reordered(co, order)


def halves(six: ArrayLike, order: TwistOrder, name: str = "twist") -> tuple[Array, Array]:
    """The linear and the angular half, shape (3,) each, of six numbers in a named order."""
    v = finite_array(six, (6,), name)
    return (v[3:], v[:3]) if _angular_first(order) else (v[:3], v[3:])


def joined(linear: Array, angular: Array, order: TwistOrder) -> Array:
    """Six numbers in a named order, from their halves."""
    return np.concatenate([angular, linear] if _angular_first(order) else [linear, angular])


def _reordered(matrix: Array, order: TwistOrder) -> Array:
    """Linear-first to `order`, or back: exchanging the halves is its own inverse."""
    return np.roll(matrix, (3, 3), axis=(0, 1)) if _angular_first(order) else matrix


def _angular_first(order: str) -> bool:
    if order not in ("linear-first", "angular-first"):
        raise InvalidInput(f"order of a twist must be 'linear-first' or 'angular-first', got {order!r}")
    return order == "angular-first"


def _check_block(actual: Array, expected: Array, tolerance: float, complaint: str) -> None:
    off = float(np.abs(actual - expected).max())
    size = float(max(np.abs(actual).max(), np.abs(expected).max()))
    if off > tolerance * size:
        what = f"spatial inertia: {complaint}, by {off / size:.3g} of its largest entry"
        raise InvalidInput(what, hint="check the order: linear-first or angular-first")
