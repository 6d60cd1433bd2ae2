"""Lattices of lines that are shot through a body: three families of parallel ones, along orthogonal axes in general position.

Tests: `tests/mesh/test_verdict.py`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Self

import numpy as np

from massprops.moments.arrays import Array, orthonormal
from massprops.values import dataclass

if TYPE_CHECKING:
    from random import Random

#: Lines of a family times the facets that each can meet: five times as many crossings, of 32 bytes. Bodies whose facets cover their box no
#: more often than `_OFTEN` have all their lines.
_MOST_MEETINGS, _OFTEN = 200_000, 8
#: How far the lines are turned away from the axes of the file, about, in radians.
_TILT = 0.1


@dataclass(frozen=True)
class Lattice:
    """Lattice of lines: three families of n × n parallel lines, along the axes of a rotated frame.

    Coordinates of the lattice are those of the rotated frame in units of its cells: the body lies in [0, n]³.

    Attributes
    ----------
    lines : int
        n: lines per side of each family.
    rotation : ndarray, shape (3, 3)
        Rows are the axes, in the coordinates of the file.
    low, cell : ndarray, shape (3,)
        Origin of the lattice along the axes, and the sizes of its cells, in file units.
    places : ndarray, shape (3, 2, n * n)
        Of each family k: coordinates along axes k + 1 and k + 2 (mod 3) of the line in every cell; the lines run along axis k.
    """

    lines: int
    rotation: Array
    low: Array
    cell: Array
    places: Array

    @classmethod
    def over(cls, bounds: Array, lines: int, seed: int, *, jittered: bool = True) -> Self:
        """A lattice over a box of shape (2, 3), in general position; the same seed gives the same lines.

        Jittered lines lie anywhere in their cells, independently; else all lie at the same place of their cells.
        """
        from random import Random  # imported lazily

        random = Random(seed)  # noqa: S311  # lines, not secrets
        # some degrees off the axes: general position, and a lattice hardly larger than the box of a flat or long body
        tilt = np.array([random.gauss(0, _TILT) for _ in range(9)]).reshape(3, 3)
        rotation = orthonormal((np.eye(3) + tilt).T).T * [-1, -1, 1]  # the Q of a QR factorisation, with its signs
        # sums in a fixed order, not products of matrices: the same lines on every processor
        half = (np.abs(rotation) * np.ptp(bounds, axis=0) / 2).sum(axis=1) * (1 + 1e-9)  # no vertex outside by rounding
        half = np.maximum(half, np.spacing(np.abs(bounds).max()))  # a part that is one point still has cells
        low = (rotation * bounds.mean(axis=0)).sum(axis=1) - half
        cells = np.stack(np.divmod(np.arange(lines * lines), lines))
        offset = _uniform(random, (3, 2, lines * lines if jittered else 1))
        return cls(lines, rotation, low, 2 * half / lines, cells + offset)

    @classmethod
    def affordable(cls, bounds: Array, area: float, lines: int, seed: int, *, jittered: bool = True) -> Self:
        """A lattice over a surface, of fewer lines where its facets lie on each other many times over, as in overlapping copies."""
        x, y, z = np.ptp(bounds, axis=0).tolist()
        layers = area / (2 * (x * y + y * z + z * x) or math.inf)
        if layers > max(_OFTEN, _MOST_MEETINGS / lines**2):
            lines = max(2 * int(math.sqrt(_MOST_MEETINGS / layers) / 2), 4)
        return cls.over(bounds, lines, seed, jittered=jittered)

    def coordinates(self, corners: Array) -> Array:
        """Lattice coordinates of corners, both of shape (3, 3, m) [corner, axis, facet].

        Written out, since a matrix product may round the same vertex differently in different places of an array.
        """
        x, y, z = corners[:, 0], corners[:, 1], corners[:, 2]
        q = np.empty_like(corners)
        for axis, (row, low, cell) in enumerate(zip(self.rotation, self.low, self.cell, strict=True)):
            out = q[:, axis]
            np.multiply(x, row[0] / cell, out=out)
            out += y * (row[1] / cell)
            out += z * (row[2] / cell)
            out -= low / cell
        return q

    def point(self, family: int, line: int, depth: float) -> tuple[float, float, float]:
        """The point at `depth` on a line, in file units."""
        q = np.empty(3)
        q[family] = depth
        q[[(family + 1) % 3, (family + 2) % 3]] = self.places[family, :, line]
        x, y, z = (self.rotation.T * (self.low + q * self.cell)).sum(axis=1).tolist()
        return x, y, z


def _uniform(random: Random, shape: tuple[int, ...]) -> Array:
    """Numbers in [0, 1), 53 random bits each.

    The standard library's generator is the same in all its versions, and importing numpy's takes as long as certifying a small body.
    """
    words = np.frombuffer(random.randbytes(8 * math.prod(shape)), dtype="<u8")
    return (words >> np.uint64(11)).astype(np.float64).reshape(shape) * 2.0**-53
