"""How often a ring goes round a point."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from massprops.moments.integrals import Array


def winding(points: Array, ring: Array) -> NDArray[np.intp]:
    """Winding numbers of the closed polygon `ring` (n, 2) about `points` (m, 2), none of them on it: signed crossings of a ray along x."""
    following = np.roll(ring, -1, axis=0)
    found = np.zeros(len(points), dtype=np.intp)
    for k, (x, y) in enumerate(points):
        above, next_above = ring[:, 1] > y, following[:, 1] > y
        through = np.flatnonzero(above != next_above)
        a, b = ring[through], following[through]
        side = (b[:, 0] - a[:, 0]) * (y - a[:, 1]) - (x - a[:, 0]) * (b[:, 1] - a[:, 1])
        upward = next_above[through]
        found[k] = np.count_nonzero(upward & (side > 0)) - np.count_nonzero(~upward & (side < 0))
    return found
