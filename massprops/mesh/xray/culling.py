"""Which triangles can a line meet at all? Few of a fine mesh: the others are left out in single precision, with room for its error.

Each family of lines is seen along itself: points on a grid of fine square pixels. A table says of every pixel how large a square
from there on has no point; where a triangle's box lies in such a square in all three families, no line meets the triangle.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from massprops.mesh.xray.line_grid import Lattice
from massprops.moments.integrals import Array

Single = NDArray[np.float32]

#: Pixels along each side of the lattice.
PIXELS = 512

#: Larger squares are not looked for.
_LARGEST_SQUARE = 24

#: Room for rounding, in pixels. A coordinate has been rounded some ten times, each to 2⁻²⁴ of at most `PIXELS`: 3e-4 pixels.
_ROOM = 1 / 64

#: Finer lattices have a line in nearly every pixel or two.
_MOST_LINES = PIXELS // 8

#: The bound on rounding holds for bodies at most so many times their size away from the origin,
_FARTHEST = 1000
#: and of a size whose square or inverse does not leave single precision.
_SMALLEST, _LARGEST = 1e-18, 1e18


@dataclass(frozen=True, eq=False)
class Sieve:
    """Leaves out the triangles that no line of a lattice can meet.

    Attributes
    ----------
    center : ndarray, shape (3, 1)
        Near the middle of the body, file units: what is left of coordinates without it is small.
    linear : ndarray, shape (3, 3)
        From there to pixels along the axes of the lattice.
    low, high : ndarray, shape (3, 1)
        The centre in pixels, one more than it is, less and plus the room for rounding; `high` is one pixel farther.
    free : tuple of ndarray, shape ((PIXELS + 2)²,)
        Of each family and pixel, how many pixels a side the largest square without a line has, from there on to higher coordinates.
    """

    center: Single
    linear: Single
    low: Single
    high: Single
    free: tuple[NDArray[np.uint8], ...]

    @classmethod
    def over(cls, lattice: Lattice) -> Self | None:
        """The sieve for the bodies in a lattice; None if it would let everything through, or might lose something."""
        size = lattice.cell * lattice.lines
        middle = lattice.rotation.T @ (lattice.low + size / 2)
        if lattice.lines > _MOST_LINES or not (size.min() > _SMALLEST and size.max() < _LARGEST):
            return None
        if np.abs(middle).max() > _FARTHEST * size.min():
            return None
        center = middle.astype(np.float32)
        place = (lattice.rotation @ center - lattice.low) / size * PIXELS + 1
        return cls(
            center[:, np.newaxis],
            (lattice.rotation / size[:, np.newaxis] * PIXELS).astype(np.float32),
            (place - _ROOM).astype(np.float32)[:, np.newaxis],
            (place + _ROOM + 1).astype(np.float32)[:, np.newaxis],
            tuple(_free_squares(places / lattice.lines * PIXELS + 1) for places in lattice.places),
        )

    def kept(self, chunk: NDArray[np.floating]) -> NDArray[np.intp]:
        """The triangles, of shape (n, 3, 3), that a line may meet: their places in the chunk."""
        corners = np.ascontiguousarray(chunk.transpose(1, 2, 0))
        q = self.linear @ (corners - self.center).astype(np.float32, copy=False)
        low = (np.minimum(np.minimum(q[0], q[1]), q[2]) + self.low).astype(np.int32)
        high = (np.maximum(np.maximum(q[0], q[1]), q[2]) + self.high).astype(np.int32)
        size = np.minimum(high - low, 255).astype(np.uint8)
        row = low * _WIDTH
        near = np.zeros(len(chunk), dtype=np.bool_)
        for k, free in enumerate(self.free):
            u, v = (k + 1) % 3, (k + 2) % 3
            near |= free.take(row[u] + low[v], mode="clip") < np.maximum(size[u], size[v])
        return np.flatnonzero(near)


_WIDTH = PIXELS + 2


def _free_squares(places: Array) -> NDArray[np.uint8]:
    """See `Sieve.free`, of points in pixels, shape (2, n)."""
    row, column = places.astype(np.intp)
    taken = np.zeros((_WIDTH, _WIDTH), dtype=np.bool_)
    taken[row, column] = True
    free = np.zeros((_WIDTH, _WIDTH), dtype=np.uint8)
    for _ in range(_LARGEST_SQUARE):  # `taken`: there is a point in the square of one pixel more than `free`
        free += ~taken
        taken[:-1] |= taken[1:]
        taken[:, :-1] |= taken[:, 1:]
    return free.ravel()
