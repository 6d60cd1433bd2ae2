"""Many facets round one corner that are known to be apart without a comparison of their pairs.

Tests: `tests/mesh/test_proof.py`.
"""

from __future__ import annotations

import numpy as np

from massprops.mesh.box_tree import Index, Points
from massprops.moments.signs import turn

#: Facets round a corner from which on it is a fan, and pairs within fans from which on it pays to look for them.
_LEAST, _WORTH = 24, 16384


def fans(points: Points, faces: Index) -> Index | None:
    """The first facet of the fan that each facet belongs to, or itself; None where there are no fans.

    Let o b c be the facets round a corner o, and d a direction. Where all signs [d, b − o, c − o] are positive, the edges b c are closed
    rings, and these turn round d once altogether, the projections of the facets along d cover the plane round o once: two facets
    have nothing in common but o and the edges at o that they share.
    """
    degree = np.bincount(faces.ravel(order="K"), minlength=points.shape[1])
    large = degree >= _LEAST
    if not large.any() or (degree[large] ** 2).sum() < 2 * _WORTH:
        return None
    corner, facet = np.nonzero(large[faces])
    hub = faces[corner, facet]
    order = hub.argsort(kind="stable")
    corner, facet, hub = corner[order], facet[order], hub[order]
    start, end = faces[corner - 2, facet], faces[corner - 1, facet]
    fan = np.cumsum(np.diff(hub, prepend=hub[0]) != 0)
    first = np.flatnonzero(np.diff(fan, prepend=-1))
    u, v = (points.take(x, axis=1) - points.take(hub, axis=1) for x in (start, end))
    with np.errstate(divide="ignore", invalid="ignore"):  # no sign of what is not a number is positive
        normal = np.cross(u, v, axis=0) / np.sqrt((u * u).sum(axis=0) * (v * v).sum(axis=0))
        direction = np.add.reduceat(normal, first, axis=1)[:, fan]
        ray = (u + 0.375 * (v - u))[:, first[fan]]
        before, after = turn(direction, ray, u), turn(direction, ray, v)
        fits = (turn(direction, u, v) == 1) & (abs(before * after) == 1)
    fits &= np.sort(hub * len(degree) + start) == np.sort(hub * len(degree) + end)
    turns = np.add.reduceat((before < after).astype(np.intp), first)  # how often the rings pass the ray
    sound = (np.logical_and.reduceat(fits, first) & (turns == 1))[fan]
    if not sound.any():
        return None
    chosen = np.flatnonzero(sound)
    chosen = chosen[degree[hub[chosen]].argsort(kind="stable")]
    hubs = np.full(faces.shape[1], -1)
    hubs[facet[chosen]] = hub[chosen]  # a facet of several fans belongs to the largest
    members = np.flatnonzero(hubs >= 0)[::-1]
    heads = np.empty(len(degree), dtype=np.intp)
    heads[hubs[members]] = members
    result = np.arange(faces.shape[1])
    result[members] = heads[hubs[members]]
    return result
