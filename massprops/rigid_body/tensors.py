"""Inertia and second moment as 3×3 arrays, with leading axes for many bodies at once.

With S = ∫ρ r rᵀ and the inertia tensor I (Ixy = −∫ρ x y), both about the same point: I = tr(S) 1 − S and S = ½ tr(I) 1 − I.

Tests: `tests/rigid_body/test_nearest.py`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from massprops.moments.arrays import Array as Array


def second_of(inertia: Array) -> Array:
    """S = ½ tr(I) 1 − I, shape (…, 3, 3), about the same point.

    The larger neighbour is taken first: the difference of near-equals is exact, so a thin body keeps its thickness.
    """
    s = 0.0 - inertia  # not −0.0
    for i in range(3):
        a, b, c = (inertia[..., k % 3, k % 3] for k in (i, i + 1, i + 2))
        s[..., i, i] = 0.5 * ((np.maximum(b, c) - a) + np.minimum(b, c))
    return s


def inertia_of(second: Array) -> Array:
    """I = tr(S) 1 − S, shape (…, 3, 3), about the same point.

    Its diagonal as Syy + Szz: tr(S) − Sxx would cost a thin rod eleven digits.
    """
    inertia = 0.0 - second  # not −0.0
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        inertia[..., i, i] = second[..., j, j] + second[..., k, k]
    return inertia


@np.errstate(over="ignore", invalid="ignore")  # what is not finite is refused
def point_inertia(mass: ArrayLike, arm: Array) -> Array:
    """Inertia m (|r|² 1 − r rᵀ) of point masses seen from the other end of `arm`, shape (…, 3) → (…, 3, 3)."""
    m = np.asarray(mass, dtype=arm.dtype)
    if arm.ndim == 1:
        return inertia_of(m[..., None, None] * (arm[:, None] * arm))
    r = np.ascontiguousarray(np.moveaxis(arm, -1, 0))  # numpy is slow over short axes: they stand first
    return inertia_of(np.moveaxis(m * (r[:, None] * r), (0, 1), (-2, -1)))
