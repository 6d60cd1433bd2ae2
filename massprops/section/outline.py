"""A closed ring, ready to be judged and summed.

Tests: `tests/section/test_crossings.py`.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from massprops.moments.arrays import product
from massprops.moments.integrals import Array, Moments
from massprops.section.curves import Polyline, Slivers, box, ring_moments, sliver_moments, stretches
from massprops.section.rings import Ring

#: How closely curves are flattened to see which rings meet, in sizes of the drawing; the finer one is used before anything is refused.
COARSE, FINE = 1e-4, 1e-7
#: Roundings that a moment can have suffered, in units of U and of the magnitude of its terms: those of a solid, which has more factors.
ROUNDINGS = 82


@dataclass(frozen=True, eq=False)
class Outline(Ring):
    """A ring whose curves close, in the units of the file.

    What is left between the end of one curve and the start of the next, and back to the first, is a straight edge.

    Attributes
    ----------
    joint : float
        Of an outline that was chained: a last point so close to the first is the same point.
    """

    joint: float = 0.0

    @classmethod
    def of(cls, ring: Ring) -> Outline:
        """Outline of a ring that the format closes."""
        return cls(**vars(ring))

    @functools.cached_property
    def corners(self) -> Array:
        """Vertices of the polygon of chords, as the file has them, shape (n, 2); the last may be the first."""
        if len(self.curves) == 1:
            return self.curves[0].chords()
        return np.concatenate([c.chords() for c in self.curves])

    @functools.cached_property
    def straight(self) -> bool:
        """Whether the ring is a polygon."""
        return all(isinstance(c, Polyline) for c in self.curves)

    @functools.cached_property
    def bounds(self) -> Array:
        """Smallest and largest coordinates, shape (2, 2)."""
        return box(np.concatenate([c.bounds() for c in self.curves]))

    @property
    def is_rounded(self) -> bool:
        """Whether corners of it are not those of the file, but computed from them."""
        return any(isinstance(c, Polyline) and c.is_rounded for c in self.curves)

    @functools.cached_property
    def slivers(self) -> Slivers:
        """Regions between the polygon and the curves."""
        return Slivers.joined([c.slivers() for c in self.curves if not isinstance(c, Polyline)])

    @functools.cached_property
    def _polygon_moments(self) -> tuple[Moments, float]:
        return ring_moments(self.corners, self.bounds.mean(axis=0))

    @functools.cached_property
    def own_moments(self) -> Moments:
        """Moments about the middle of its bounds, positive for a ring that runs counter-clockwise."""
        polygon, _ = self._polygon_moments
        return polygon if self.straight else polygon + sliver_moments(self.slivers, polygon.reference)

    def extent(self, direction: Array, origin: Array | None = None) -> Array:
        """Smallest and largest coordinate along a direction, shapes (2,), from `origin`; along x and y from 0 it is known."""
        for axis in (0, 1):
            if direction[axis] == 1.0 and origin is None:
                return np.asarray(self.bounds[:, axis])
        if origin is not None and self.straight:  # not the origin of the file: far from it digits are lost
            heights = (product(some - origin, direction) for some in stretches(self.corners))
            ends = np.array([(h.min(), h.max()) for h in heights])
            return np.array([ends[:, 0].min(), ends[:, 1].max()])
        start = 0.0 if origin is None else -float(product(direction, origin))
        line = np.array([[*direction, start], [0.0, 0.0, 0.0]])
        ranges = np.array([c.transformed(line).bounds()[:, 0] for c in self.curves])
        return np.array([ranges[:, 0].min(), ranges[:, 1].max()])

    def length(self) -> float:
        """Length of the curves and of the edges that close them."""
        ends = np.array([[c.start, c.end] for c in self.curves])
        step = np.roll(ends[:, 0], -1, axis=0) - ends[:, 1]
        return sum(c.length() for c in self.curves) + float(np.hypot(step[:, 0], step[:, 1]).sum())

    def terms(self) -> float:
        """Size of all terms of its area, products of a coordinate and an edge, x Δy − y Δx; an upper bound where there are curves."""
        return (
            self._polygon_moments[1] if self.straight else float(np.ptp(self.bounds, axis=0).sum()) * self.length() / 4
        )

    def flattened(self, tolerance: float) -> Array:
        """A polygon within `tolerance` of the ring, no point equal to the one before, shape (n, 2); for a polygon, itself."""
        return self._polygon if self.straight else self._flattened(tolerance)

    @functools.cached_property
    def _polygon(self) -> Array:
        return self._flattened(0.0)

    def _flattened(self, tolerance: float) -> Array:
        parts = [c.flattened(tolerance) for c in self.curves]
        # where a curve begins, the end of the one before is taken: they differ by rounding, if at all
        points = parts[0] if len(parts) == 1 else np.concatenate([parts[0], *(p[1:] for p in parts[1:])])
        if len(parts) > 1 and np.hypot(*(points[-1] - points[0])) <= self.joint:
            points = points[:-1]
        return distinct(points)


def distinct(points: Array) -> Array:
    """Points of a closed polygon that differ from the one before."""
    same = points[1:] == points[:-1]
    repeated = np.concatenate([[bool((points[0] == points[-1]).all())], same[:, 0] & same[:, 1]])
    return points[~repeated] if repeated.any() else points
