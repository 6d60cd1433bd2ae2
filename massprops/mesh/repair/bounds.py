"""Bounds of what a repair can have changed in the integrals, summed over the places where it was made.

Tests: `tests/mesh/test_repair_ladder.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from massprops.moments.integrals import Array, Moments
from massprops.moments.uncertainty import Spread


@dataclass(frozen=True, eq=False)
class Bound:
    """Upper bounds of what can be wrong in ∫ 1, ∫ |x − r| and ∫ |x − r||x − r|ᵀ about a point r."""

    volume: float
    first: Array
    second: Array

    @classmethod
    def none(cls) -> Self:
        """Nothing can be wrong."""
        return cls(0.0, np.zeros(3), np.zeros((3, 3)))

    @classmethod
    def at(cls, volumes: ArrayLike, reach: Array) -> Self:
        """Bound of regions of these volumes, shape (n,), that lie where |x − r| ≤ `reach`, shape (n, 3)."""
        v = np.asarray(volumes, dtype=np.float64)
        weighted = v[:, np.newaxis] * reach
        return cls(
            float(v.sum()),
            weighted.sum(axis=0),
            np.asarray((weighted[:, :, np.newaxis] * reach[:, np.newaxis]).sum(axis=0)),
        )

    def __add__(self, other: Bound) -> Self:
        return type(self)(self.volume + other.volume, self.first + other.first, self.second + other.second)

    def spread(self, solid: Moments, r: Array) -> Spread:
        """Bounds of volume, centroid and central second moments of the solid that was integrated."""
        about = solid.about(r)
        return Spread.from_moments(about, self.volume, self.first, self.second)


def moved_facets(before: Array, after: Array, r: Array) -> Bound:
    """Volume that moving the corners of triangles, shape (n, 3, 3), can have swept: displacement × area of each, to all orders.

    A facet whose corners move by at most d sweeps at most d times the largest area on the way, which is no more than the larger of
    both plus d times half the perimeter plus d².
    """
    step = np.linalg.norm(after - before, axis=2).max(axis=1)
    edges = np.linalg.norm(before - before[:, [1, 2, 0]], axis=2).sum(axis=1)
    area = np.maximum(_area(before), _area(after)) + step * edges / 2 + step * step
    reach = np.maximum(np.abs(before - r).max(axis=1), np.abs(after - r).max(axis=1))
    return Bound.at(step * area, reach)


def _area(corners: Array) -> Array:
    a, b, c = corners.transpose(1, 0, 2)
    return np.asarray(np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2)


@dataclass(frozen=True, eq=False)
class Step:
    """One repair step that changed something.

    Attributes
    ----------
    step : str
        ``drop``, ``flip``, ``weld``, ``split``, ``fill``.
    count : int
        How many facets, vertices, edges or loops it changed.
    where : tuple of float
        The place of the first of them, in units of the file.
    bound : Bound
        How far it can have moved the integrals from those of the true body.
    text : str
        What was done, for people: ``welded 412 vertices``.
    tolerance : float
        How far points were moved, or rims apart that were joined, in units of the file; 0 where none was.
    """

    step: str
    count: int
    where: tuple[float, float, float]
    bound: Bound
    text: str
    tolerance: float = 0.0


def place(point: Array | Sequence[float]) -> tuple[float, float, float]:
    """A point as a finding states it."""
    x, y, z = (float(c) for c in point)
    return x, y, z
