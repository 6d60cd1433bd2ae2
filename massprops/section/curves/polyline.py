"""Straight edges."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from massprops.moments.arrays import product
from massprops.section.curves.base import Array, Curve, affine, box


@dataclass(frozen=True, eq=False)
class Polyline(Curve):
    """Points joined by straight edges, in their order: a line, a chain, or the whole of a ring.

    Attributes
    ----------
    points : array_like, shape (n, 2), n ≥ 1
        float64; kept bit for bit.
    """

    points: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", np.asarray(self.points, dtype=np.float64).reshape(-1, 2))

    @property
    def rows(self) -> Array:
        """The points."""
        return self.points

    def reversed(self) -> Polyline:
        """The same points in the opposite order."""
        return Polyline(self.points[::-1])

    def transformed(self, matrix: ArrayLike) -> Polyline:
        """The image under x ↦ A x + t, `matrix` = [A | t] of shape (2, 3)."""
        a, t = affine(matrix)
        return Polyline(product(self.points, a.T) + t)

    def chords(self) -> Array:
        """The points themselves."""
        return self.points

    def length(self) -> float:
        """Sum of the edges' lengths."""
        step = np.diff(self.points, axis=0)
        return float(np.hypot(step[:, 0], step[:, 1]).sum())

    def bounds(self) -> Array:
        """Smallest and largest coordinates, shape (2, 2)."""
        return self._bounds

    @functools.cached_property
    def _bounds(self) -> Array:
        return box(self.points)

    def flattened(self, tolerance: float) -> Array:  # noqa: ARG002  # straight edges need none
        """The points themselves."""
        return self.points
