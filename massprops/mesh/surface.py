"""Sums over the triangles of a surface, from one pass: additive over chunks, files and machines.

Tests: `tests/mesh/test_boundary.py`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from types import ModuleType
from typing import Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from massprops import native
from massprops.mesh import boundary
from massprops.mesh.boundary import Boundary
from massprops.mesh.source import SUMMED, Chunk, IndexedFacets, corners_of, for_core, slices
from massprops.moments.arrays import Array, length
from massprops.moments.integrals import Moments, moments_of, simplex_moments, simplex_sums
from massprops.moments.uncertainty import Magnitude, term_sizes
from massprops.values import dataclass

Chunks = Iterable[NDArray[np.floating]]

#: A closed surface encloses nothing if its volume is below this share of area × size: the rounding of a sum of cancelling
#: terms of that magnitude, with room for a thousand ulps.
ZERO_VOLUME = 1e-13


@dataclass(frozen=True, eq=False)
class Surface:
    """Integrals over a triangulated surface and over the solid that it bounds, in the coordinates of the file.

    Attributes
    ----------
    facets : int
        Number of triangles.
    sums : ndarray, shape (21,)
        As `simplex_sums` gives them, of the solid and of the sheet, and `term_sizes`.
    reference : ndarray, shape (3,)
        The point that they are about.
    bounds : ndarray, shape (2, 3)
        Smallest and largest coordinates.
    boundary : Boundary
        Whether the surface is closed.
    """

    facets: int
    sums: Array
    reference: Array
    bounds: Array
    boundary: Boundary

    @cached_property
    def solid(self) -> Moments:
        """∫ w, ∫ w x, ∫ w x xᵀ, w the winding number: the body's, if the surface is valid."""
        return moments_of(self.sums[:10], 3, self.reference)

    @cached_property
    def sheet(self) -> Moments:
        """Integrals over the surface itself: what a shift of it by δ can change is δ ∫ |q| dA. Its measure is the area."""
        return moments_of(self.sums[10:20], 2, self.reference)

    @property
    def magnitude(self) -> Magnitude:
        """Magnitude of the terms of `solid`."""
        return Magnitude.within(float(self.sums[20]) / 6, np.abs(self.bounds - self.reference).max(axis=0))

    def flipped(self) -> Self:
        """Sums of the surface with every triangle turned round."""
        return replace(self, sums=np.concatenate([-self.sums[:10], self.sums[10:]]))

    @property
    def seed(self) -> int:
        """A number that depends on all integrals, to the bit: the same file is always seen along the same lines.

        Lines that follow from less can be computed before a surface is finished, and an overlap be hidden between them. Whoever adds one
        changes the volume, the area and their moments; but the number is not cryptographic: a surface can be built on purpose to have
        the integrals of another, rounding and all.
        """
        import hashlib  # imported lazily: a proof asks for no lines

        known = np.concatenate([self.sums, self.reference, *self.bounds, [self.facets]])
        return int.from_bytes(hashlib.sha256(known.tobytes()).digest(), "little")

    @property
    def encloses(self) -> bool:
        """Whether there is a volume: more than rounding can have left of nothing."""
        size = length(np.ptp(self.bounds, axis=0))
        return abs(self.solid.measure) > ZERO_VOLUME * self.sheet.measure * size

    @classmethod
    def of(cls, chunk: Chunk, reference: Array) -> Self:
        """Sums over one chunk of triangles, shape (n, 3, 3) [facet, corner, xyz], or their numbers, about `reference`, shape (3,)."""
        if core := native.core():
            return cls._compiled(core, chunk, reference)
        corners = corners_of(chunk)
        if len(corners) > SUMMED:
            return total(cls.of(part, reference) for part in slices(corners, SUMMED))
        bits = np.ascontiguousarray(corners.transpose(1, 2, 0))
        points = bits.astype(np.float64)
        bounds = np.array([points.min(axis=(0, 2)), points.max(axis=(0, 2))]) + 0.0
        e1, e2 = points[1] - points[0], points[2] - points[0]  # of the file's own coordinates: best, or exact
        normal = _cross(e1, e2)  # twice the area vector
        points -= reference[:, np.newaxis]
        volume, area = (points[0] * normal).sum(axis=0) / 6, np.sqrt((normal * normal).sum(axis=0)) / 2
        sums = np.concatenate([*simplex_sums(points, (volume, area)), [term_sizes(points[0], e1, e2)]])
        return cls(len(corners), sums, reference, bounds, Boundary.of(bits))

    @classmethod
    def _compiled(cls, core: ModuleType, chunk: Chunk, reference: Array) -> Self:
        """Sums by the compiled core, equal to the bit: `massprops/native/surface.c`."""
        points, numbers = for_core(chunk)
        hashes = chunk.hashes() if isinstance(chunk, IndexedFacets) and chunk.hashes else None
        gathered, words = core.surface(points, reference, boundary.KEYS, numbers, hashes)
        s = np.frombuffer(gathered) + 0.0
        return cls(len(chunk), s[:21], reference, s[21:].reshape(2, 3), Boundary(words))

    def __add__(self, other: Surface) -> Self:
        """Sums over both; they are about the same point."""
        return type(self)(
            self.facets + other.facets,
            self.sums + other.sums,
            self.reference,
            np.array([np.minimum(self.bounds[0], other.bounds[0]), np.maximum(self.bounds[1], other.bounds[1])]),
            self.boundary + other.boundary,
        )


S = TypeVar("S", bound=Surface)


def total(parts: Iterable[S]) -> S:
    """The sum of one part or more, added in pairs: rounding grows with the logarithm of their number, and not with the order of work."""
    pending: list[tuple[int, S]] = []
    for part in parts:
        level = 0
        while pending and pending[-1][0] == level:
            part = pending.pop()[1] + part
            level += 1
        pending.append((level, part))
    result = pending.pop()[1]
    while pending:
        result = pending.pop()[1] + result
    return result


def shell_moments(corners: NDArray[np.floating], reference: Array) -> Moments:
    """Moments of the surface itself, an infinitely thin sheet: `measure` is its area. Corners (n, 3, 3), about `reference`."""
    points = np.ascontiguousarray(corners.transpose(1, 2, 0), dtype=np.float64)
    a, b, c = points
    normal = _cross(b - a, c - a)
    area = np.sqrt((normal * normal).sum(axis=0)) / 2
    return simplex_moments(points - reference[:, np.newaxis], area, 2, reference)


def _cross(u: Array, v: Array) -> Array:
    """u × v of vectors in columns, shape (3, n)."""
    return np.stack([u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]])
