"""Physical consistency as constraints of a convex solver: matrices that the ten numbers of a body multiply.

With φ = (m, m c, the inertia about the origin of the frame) the pseudo-inertia is linear, Π(φ) = Σ φ_k A_k, and a distribution of mass with
these numbers exists if and only if Π(φ) ⪰ 0 (Wensing, Kim and Slotine 2018, IEEE Robotics and Automation Letters 3(1)). Only
orders of ten numbers with the first moment m c and the inertia about the origin are linear: ``pinocchio`` (by default) and ``spatial-v2``.

What is known of the shape are linear inequalities g · φ ≥ 0: a function that is nowhere negative inside has no negative integral over
the mass.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from massprops.errors import InvalidInput, require_count
from massprops.frames import Pose, finite_array
from massprops.moments.arrays import Array, product
from massprops.rigid_body.ten_vectors import LAYOUTS, layout, tensor_of
from massprops.rigid_body.tensors import second_of
from massprops.units import positive


def pseudo_inertia(order: str = "pinocchio") -> Array:
    """A_k with Π(φ) = Σ φ_k A_k, shape (10, 4, 4), for ten numbers in the order of a tool.

    Returns
    -------
    ndarray, shape (10, 4, 4)
        A_k, each symmetric.

    Raises
    ------
    InvalidInput
        If there is no such order, or Π is not linear in its numbers.

    Examples
    --------
    >>> phi = [2.0, 0, 0, 6, 22, 0, 23, 0, 0, 6]
    >>> np.tensordot(phi, pseudo_inertia(), 1).diagonal()  # ∫ρx², ∫ρy², ∫ρz², m
    array([ 3.5,  2.5, 19.5,  2. ])
    """
    chosen = layout(order)
    if chosen.about != "origin" or chosen.first != "moment":
        linear = ", ".join(n for n, known in LAYOUTS.items() if (known.about, known.first) == ("origin", "moment"))
        what = f"the pseudo-inertia is not linear in ten numbers of the order {order!r}"
        raise InvalidInput(what, argument="order", hint=f"use {linear}")
    matrices, unit = np.zeros((10, 4, 4)), np.eye(10)
    matrices[:, 3, 3] = unit[0]
    matrices[:, 3, :3] = matrices[:, :3, 3] = unit[:, 1:4]
    matrices[:, :3, :3] = second_of(tensor_of(unit[:, 4:], chosen.triangle))
    return matrices


def of_bodies(count: int, order: str = "pinocchio") -> Array:
    """Matrices for several bodies, φ one after the other, as blocks: shape (10 n, 4 n, 4 n)."""
    count = require_count(count, "count", 1000)
    blocks, one = np.zeros((count, 10, count, 4, count, 4)), pseudo_inertia(order)
    for i in range(count):
        blocks[i, :, i, :, i] = one
    return blocks.reshape(10 * count, 4 * count, 4 * count)


def in_ellipsoid(semi_axes: ArrayLike, pose: Pose | None = None, order: str = "pinocchio") -> Array:
    """g with g · φ ≥ 0 for mass inside an ellipsoid, shape (1, 10): ∫ρ (1 − Σ (xᵢ / aᵢ)²) ≥ 0.

    Together with Π ⪰ 0 it is sufficient, too: some density inside has these numbers.

    Parameters
    ----------
    semi_axes : array_like, shape (3,)
        m, positive.
    pose : Pose
        X_FE of the ellipsoid's frame, its middle the origin, in the body's; the same frame by default.
    order : str
        See `pseudo_inertia`.

    Returns
    -------
    ndarray, shape (1, 10)
        g.
    """
    a = [positive(x, "semi-axis", "m") for x in finite_array(semi_axes, (3,), "semi-axes").tolist()]
    return _integrals([np.diag([*(-1 / (x * x) for x in a), 1.0])], pose, order)


def in_box(lower: ArrayLike, upper: ArrayLike, pose: Pose | None = None, order: str = "pinocchio") -> Array:
    """g with g · φ ≥ 0 for mass inside a box, shape (15, 10): integrals of the products of the distances to two of its faces.

    They are necessary, not sufficient.

    Parameters
    ----------
    lower, upper : array_like, shape (3,)
        Smallest and largest coordinates in the frame of the box, m.
    pose : Pose
        X_FB of the box's frame in the body's; the same frame by default.
    order : str
        See `pseudo_inertia`.

    Returns
    -------
    ndarray, shape (15, 10)
        g, one row for each pair of distances.
    """
    low, high = finite_array(lower, (3,), "lower"), finite_array(upper, (3,), "upper")
    if (low > high).any():
        raise InvalidInput(f"a lower corner is above the upper one: {low.tolist()} m and {high.tolist()} m")
    near, far = np.eye(3, 4), -np.eye(3, 4)  # distances to the lower and the upper faces, of (x, y, z, 1)
    near[:, 3], far[:, 3] = -low, high
    pairs = combinations([*near, *far], 2)
    return _integrals([(np.outer(p, q) + np.outer(q, p)) / 2 for p, q in pairs], pose, order)


def _integrals(forms: list[Array], pose: Pose | None, order: str) -> Array:
    """∫ρ x̃ᵀ Q x̃ = tr(Q Π) as rows of φ, of quadratic forms (4, 4) in the frame of `pose`."""
    into = np.eye(4) if pose is None else pose.inverse().matrix
    moved = np.stack([product(product(into.T, q), into) for q in forms])
    rows: Array = np.einsum("nij,kij->nk", moved, pseudo_inertia(order))
    return rows
