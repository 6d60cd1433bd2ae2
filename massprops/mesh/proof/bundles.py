"""Long thin facets side by side, in bundles: known to be apart where the boxes round them are not."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from massprops.mesh.box_tree import Index, Points, ProvedApart, blocks, float_below

#: A bundle: the 2ᵏ facets below a node of this level k.
_LEVEL = 3
#: Facets from which on it pays to look at them; where there are fans always.
BUNDLES_FROM = 4096
#: How many times longer than wide one of two is, at least: else their boxes say as much.
_SLENDER = 4
#: More than rounding of a coordinate along an axis, as a share of the axis, and where that underflows.
_ROUNDING, _UNDERFLOW = 2.0**-40, 2.0**-1000


def bundles_apart(points: Points, faces: Index, order: Index) -> ProvedApart:
    """Whether all of one bundle lies beyond all of another along some axis; `order`: of the facets in the tree.

    A bundle lies in the hull of two boxes, round its corners at either end of a long edge. The axes: square to the edges of both, and
    from one's middle to the other's, square to either edge. The compiled core has the same.
    """
    low, high, slender = _bundles(points, faces, np.append(order, order[-1:].repeat(-len(order) % 8)).reshape(-1, 8).T)

    def settled(level: int, i: Index, j: Index) -> NDArray[np.bool_]:
        result = np.zeros(len(i), dtype=bool)
        if level != _LEVEL:
            return result
        pairs = np.flatnonzero(slender[i] | slender[j])
        for block in blocks(len(pairs), 2048):
            bounds = [
                [x.take(k, axis=2).astype(np.float64) for x in (low, high)] for k in (i[pairs[block]], j[pairs[block]])
            ]
            middles, sizes = [a + b for a, b in bounds], [b - a for a, b in bounds]  # twice what they are
            (u, v), (p, q) = (m[:, 1] - m[:, 0] for m in middles), (m[:, 0] + m[:, 1] for m in middles)
            for axis in (np.cross(u, v, axis=0), *((q - p) * _dot(e, e) - e * _dot(q - p, e) for e in (u, v))):
                at, reach = ([_dot(axis_, x) for x in own] for axis_, own in ((axis, middles), (abs(axis), sizes)))
                (one, first), (other, second) = (
                    ((m - s).min(axis=0), (m + s).max(axis=0)) for m, s in zip(at, reach, strict=True)
                )
                room = (abs(axis[0]) + abs(axis[1]) + abs(axis[2])) * _ROUNDING + _UNDERFLOW
                result[pairs[block]] |= (one - second > room) | (other - first > room)
        return result

    return settled


def _bundles(
    points: Points, faces: Index, facets: Index
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_]]:
    """Lowest and highest coordinates of both ends, shape (3, 2, n), rounded outwards, and which are slender; `facets`: in columns."""
    count = facets.shape[1]
    low, high = np.empty((2, 3, 2, count), dtype=np.float32)
    for block in blocks(count):
        corners = points.take(faces.take(facets[:, block], axis=1), axis=1)
        first = corners[:, :, 0]
        edges = first - np.roll(first, 1, axis=1)
        longest = _dot(edges, edges).argmax(axis=0)[np.newaxis, np.newaxis]
        edge, end = (np.take_along_axis(x, longest, axis=1)[:, :, np.newaxis] for x in (edges, first))
        far = _dot(end - corners, edge) < _dot(edge, edge) / 2
        for k, (own, least) in enumerate(((~far, end - edge), (far, end))):
            x = np.where(own, corners, least)
            low[:, k, block], high[:, k, block] = float_below(x.min(axis=(1, 2))), -float_below(-x.max(axis=(1, 2)))
    width = np.subtract(high, low, dtype=np.float64).max(axis=(0, 1))
    length = abs(np.diff(np.add(low, high, dtype=np.float64), axis=1)).max(axis=(0, 1)) / 2
    return low, high, length > _SLENDER * width


def _dot(a: Points, b: Points) -> Points:
    return np.asarray(a[0] * b[0] + a[1] * b[1] + a[2] * b[2])
