"""The lines that pictures and pages draw of a body: boxes, principal axes, and the solids of equal inertia; all in metres."""

from __future__ import annotations

from typing import Literal

import numpy as np

from massprops.moments.arrays import Array, product
from massprops.rigid_body.mass_properties import MassProperties

#: Half the length of the drawn axes, as a share of half the diagonal of the bounds.
_REACH = 0.6


def box_edges(center: Array, halves: Array) -> list[Array]:
    """The twelve edges, shape (2, 3), of a box whose half edges are the columns of `halves`, shape (3, 3)."""
    signs = np.array([[2.0 * (i >> k & 1) - 1.0 for k in range(3)] for i in range(8)])
    corners = center + product(signs, halves.T)
    return [corners[[i, i | 1 << k]] for k in range(3) for i in range(8) if not i & 1 << k]


def bounds_edges(bounds: Array) -> list[Array]:
    """The edges of bounds, shape (2, 3)."""
    return box_edges(bounds.mean(axis=0), np.diag(bounds[1] - bounds[0]) / 2)


def axes_lines(body: MassProperties, radius: float) -> list[Array]:
    """The principal axes through the centre of mass, for a scene of this radius: half its diagonal."""
    return [body.com + _REACH * radius * np.outer([-1.0, 1.0], axis) for axis in body.principal().axes]


def equivalent_lines(body: MassProperties, shape: Literal["box", "ellipsoid"], segments: int) -> list[Array]:
    """The edges of the box of equal inertia, or three circles of the ellipsoid; none where no body has this inertia."""
    if not body.consistency().ok:
        return []
    if shape == "box":
        box = body.equivalent_box()
        return box_edges(box.pose.translation, box.pose.rotation * box.edges / 2)
    ellipsoid = body.equivalent_ellipsoid()
    turn = np.linspace(0.0, 2 * np.pi, segments + 1)
    circle = np.column_stack([np.zeros_like(turn), np.cos(turn), np.sin(turn)])
    axes = ellipsoid.pose.rotation * ellipsoid.semi_axes
    return [product(np.roll(circle, k, axis=1), axes.T) + ellipsoid.pose.translation for k in range(3)]
