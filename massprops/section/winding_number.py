"""How often a ring goes round a point."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from massprops.moments.integrals import Array

#: Points times edges that are compared at a time: what stays in cache.
_BLOCK = 1 << 16


def winding(points: Array, ring: Array) -> NDArray[np.intp]:
    """Winding numbers of the closed polygon `ring` (n, 2) about `points` (m, 2), none of them on it: signed crossings of a ray along x."""
    rows = max(1, _BLOCK // len(ring))
    return np.concatenate([_winding(points[k : k + rows], ring) for k in range(0, len(points), rows)])


def _winding(points: Array, ring: Array) -> NDArray[np.intp]:
    above = ring[:, 1] > points[:, 1, np.newaxis]
    k, i = np.nonzero(above != np.roll(above, -1, axis=1))
    a, b, (x, y) = ring[i], ring[(i + 1) % len(ring)], points[k].T
    side = (b[:, 0] - a[:, 0]) * (y - a[:, 1]) - (x - a[:, 0]) * (b[:, 1] - a[:, 1])
    downward = above[k, i]
    through = (~downward & (side > 0)).astype(np.intp) - (downward & (side < 0))
    return np.bincount(k, weights=through, minlength=len(points)).astype(np.intp)
