"""Inertials of which only some numbers are stated, completed from colliders as OpenUSD's `ComputeMassProperties` does.

Mass, centre, moments and principal axes count each by itself, of a body and of each of its colliders. A centre that is stated moves the
tensor that is computed by parallel axes; moments that are stated stand about the axes that are computed, and axes that are stated turn the
moments that are computed, in the order in which OpenUSD's Jacobi rotations leave them.

https://github.com/PixarAnimationStudios/OpenUSD: ``pxr/usd/usdPhysics/rigidBodyAPI.cpp`` and ``massProperties.h``.

Tests: `tests/formats/robot/test_usd_masses.py`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from massprops.moments.arrays import Array, product, sandwich
from massprops.rigid_body.mass_properties import MassProperties

#: Jacobi rotations that OpenUSD makes at most.
_ROTATIONS = 24
#: Off the diagonal, of the largest entry: rounding, by which the axes of a tensor that has no order of its own are not to be turned.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class PartialInertial:
    """The numbers that are stated of a body or a collider; None for others.

    Attributes
    ----------
    mass : float or None
        kg.
    com : ndarray, shape (3,), or None
        In the frame of the link, m.
    moments : ndarray, shape (3,), or None
        kg m².
    axes : ndarray, shape (3, 3), or None
        Rotation from the principal axes to those of `rotation`.
    tensor : ndarray, shape (3, 3), or None
        In the axes of the link, in place of moments and axes, kg m².
    rotation : ndarray, shape (3, 3)
        R_LC: of the frame of the collider in that of the link.
    """

    mass: float | None = None
    com: Array | None = None
    moments: Array | None = None
    axes: Array | None = None
    tensor: Array | None = None
    rotation: Array = field(default_factory=lambda: np.eye(3))

    @property
    def states_nothing(self) -> bool:
        """Whether none of the numbers is stated."""
        return all(x is None for x in (self.mass, self.com, self.moments, self.axes, self.tensor))

    def complete_collider(self, computed: MassProperties) -> MassProperties:
        """The numbers of a collider, those that are not stated as they are computed from its geometry."""
        if self.moments is None and self.axes is None and self.com is None:
            return computed
        own = sandwich(self.rotation.T, computed.inertia) if self.moments is None else np.diag(self.moments)
        tensor = sandwich(product(self.rotation, np.eye(3) if self.axes is None else self.axes), own)
        if self.com is None:
            return MassProperties(computed.mass, computed.com, tensor)
        moved = MassProperties(computed.mass, computed.com, tensor)
        about = tensor if self.moments is not None else moved.inertia_about(self.com)
        return MassProperties(computed.mass, self.com, about)

    def complete_body(self, total: MassProperties) -> MassProperties:
        """The numbers of a body, those that are not stated as they are computed from all of its colliders."""
        if self.mass is not None:
            total = total.scaled_to_mass(self.mass)
        if self.com is not None:
            total = MassProperties(total.mass, self.com, total.inertia_about(self.com))
        tensor = self.tensor
        if tensor is None and (self.moments is not None or self.axes is not None):
            moments, axes = mass_space(total.inertia)
            own = moments if self.moments is None else self.moments
            tensor = sandwich(axes if self.axes is None else self.axes, np.diag(own))
        return total if tensor is None else MassProperties(total.mass, total.com, tensor)


def mass_space(tensor: Array) -> tuple[Array, Array]:
    """Moments, shape (3,), and axes as columns, (3, 3), in the order of OpenUSD: that of the axes from which they are turned."""
    axes = np.eye(3)
    turned = tensor
    for _ in range(_ROTATIONS):
        off = np.abs([turned[1, 2], turned[0, 2], turned[0, 1]])
        a = 0 if off[0] > off[1] and off[0] > off[2] else 1 if off[1] > off[2] else 2
        p, q = (a + 1) % 3, (a + 2) % 3
        half = float(turned[p, p] - turned[q, q])
        entry = float(turned[p, q])
        if abs(entry) <= _ROUNDING * np.abs(tensor).max() or abs(half) > 2e6 * abs(2.0 * entry):
            break
        cotangent = half / (2.0 * entry)
        tangent = math.copysign(1.0, cotangent) / (abs(cotangent) + math.hypot(cotangent, 1.0))
        c = 1.0 / math.hypot(tangent, 1.0)
        s = tangent * c
        turn = np.eye(3)
        turn[p, p] = turn[q, q] = c
        turn[p, q], turn[q, p] = -s, s
        axes = product(axes, turn)
        turned = sandwich(axes.T, tensor)
    return turned.diagonal().copy(), axes
