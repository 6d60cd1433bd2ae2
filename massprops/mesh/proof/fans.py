"""Many facets round one corner that are known to be apart without a comparison of their pairs.

Tests: `tests/mesh/test_proof.py`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from massprops.mesh.box_tree import Index
from massprops.mesh.proof.tiles import Scaled
from massprops.mesh.source import slices
from massprops.moments.signs import turn

#: Facets round a corner from which on it is a fan, and pairs within fans from which on it pays to look for them.
_LEAST, _WORTH = 24, 16384
#: Facets that are worked on at a time, at least.
_BLOCK = 1 << 16


def fans(points: NDArray[np.floating], faces: Index, scaled: Scaled) -> Index | None:
    """The first facet of the fan that each facet belongs to, or itself, of points (V, 3) and faces (F, 3); None where there are no fans.

    Let o b c be the facets round a corner o, and d a direction. Where all signs [d, b − o, c − o] are positive, the edges b c are closed
    rings, and these turn round d once altogether, the projections of the facets along d cover the plane round o once: two facets
    have nothing in common but o and the edges at o that they share.
    """
    degree = np.zeros(len(points), np.int32)
    for some in slices(faces, max(_BLOCK, len(faces) // 16)):  # in little memory
        first = some.min(initial=len(points))
        count = np.bincount((some - first).reshape(-1))
        degree[first : first + len(count)] += count.astype(np.int32)
    large = degree >= _LEAST
    if not large.any() or (degree[large].astype(np.int64) ** 2).sum() < 2 * _WORTH:
        return None
    facet, corner = np.nonzero(large[faces])
    hub = faces[facet, corner]
    order = hub.argsort(kind="stable")
    corner, facet, hub = corner[order], facet[order], hub[order]
    start, end = faces[facet, corner - 2], faces[facet, corner - 1]
    fan = np.cumsum(np.diff(hub, prepend=hub[0]) != 0)
    first = np.flatnonzero(np.diff(fan, prepend=-1))
    u, v = (scaled(points.take(x, axis=0)).T - scaled(points.take(hub, axis=0)).T for x in (start, end))
    with np.errstate(divide="ignore", invalid="ignore"):  # no sign of what is not a number is positive
        normal = np.cross(u, v, axis=0) / np.sqrt((u * u).sum(axis=0) * (v * v).sum(axis=0))
        direction = np.add.reduceat(normal, first, axis=1)[:, fan]
        ray = (u + 0.375 * (v - u))[:, first[fan]]
        before, after = turn(direction, ray, u), turn(direction, ray, v)
        fits = (turn(direction, u, v) == 1) & (abs(before * after) == 1)
    wide = np.int64(len(degree))
    fits &= np.sort(hub * wide + start) == np.sort(hub * wide + end)
    turns = np.add.reduceat((before < after).astype(np.intp), first)  # how often the rings pass the ray
    sound = (np.logical_and.reduceat(fits, first) & (turns == 1))[fan]
    if not sound.any():
        return None
    chosen = np.flatnonzero(sound)
    chosen = chosen[degree[hub[chosen]].argsort(kind="stable")]
    hubs = np.full(len(faces), -1, np.int32)
    hubs[facet[chosen]] = hub[chosen]  # a facet of several fans belongs to the largest
    members = np.flatnonzero(hubs >= 0)[::-1]
    heads = np.empty(len(degree), np.int32)
    heads[hubs[members]] = members
    result = np.arange(len(faces), dtype=np.int32)
    result[members] = heads[hubs[members]]
    return result
