"""What one pass over the triangles of a surface gathers: additive over chunks, files and machines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from massprops.boundary import Boundary
from massprops.moments import Array, Moments, simplex_moments

Chunks = Iterable[NDArray[np.floating]]


@dataclass(frozen=True, eq=False)
class Surface:
    """Integrals over a triangulated surface and over the solid that it bounds, in the coordinates of the file.

    Attributes
    ----------
    facets : int
        Number of triangles.
    solid : Moments
        ∫ w, ∫ w x, ∫ w x xᵀ, w the winding number: the body's, if the surface is valid.
    area : float
        Of the surface.
    bounds : ndarray, shape (2, 3)
        Smallest and largest coordinates.
    boundary : Boundary
        Whether the surface is closed.
    """

    facets: int
    solid: Moments
    area: float
    bounds: Array
    boundary: Boundary

    @classmethod
    def of(cls, corners: NDArray[np.floating], reference: Array) -> Self:
        """Of one chunk of triangles, shape (n, 3, 3) [facet, corner, xyz], integrated about `reference`, shape (3,)."""
        bits = np.ascontiguousarray(corners.transpose(1, 2, 0))
        points = bits.astype(np.float64)
        bounds = np.array([points.min(axis=(0, 2)), points.max(axis=(0, 2))])
        a, b, c = points
        normal = _cross(
            b - a, c - a
        )  # twice the area vector; from the file's own coordinates, where differences are best
        points -= reference[:, np.newaxis]
        volume = (points[0] * normal).sum(axis=0) / 6
        return cls(
            facets=len(corners),
            solid=simplex_moments(points, volume, 3, reference),
            area=float(np.sqrt((normal * normal).sum(axis=0)).sum()) / 2,
            bounds=bounds,
            boundary=Boundary.of(bits),
        )

    def __add__(self, other: Surface) -> Self:
        return type(self)(
            self.facets + other.facets,
            self.solid + other.solid,
            self.area + other.area,
            np.array([np.minimum(self.bounds[0], other.bounds[0]), np.maximum(self.bounds[1], other.bounds[1])]),
            self.boundary + other.boundary,
        )


def shell_moments(corners: NDArray[np.floating], reference: Array) -> Moments:
    """Moments of the surface itself, an infinitely thin sheet: `measure` is its area. Corners (n, 3, 3), about `reference`."""
    points = np.ascontiguousarray(corners.transpose(1, 2, 0), dtype=np.float64)
    a, b, c = points
    normal = _cross(b - a, c - a)
    area = np.sqrt((normal * normal).sum(axis=0)) / 2
    return simplex_moments(points - reference[:, np.newaxis], area, 2, reference)


def vector_area(corners: NDArray[np.floating]) -> Array:
    """∫ n dA, shape (3,), over triangles (n, 3, 3): zero over a closed surface."""
    a, b, c = np.ascontiguousarray(corners.transpose(1, 2, 0), dtype=np.float64)
    return np.asarray(_cross(b - a, c - a).sum(axis=1) / 2)


def _cross(u: Array, v: Array) -> Array:
    """u × v of vectors in columns, shape (3, n)."""
    return np.stack([u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]])
