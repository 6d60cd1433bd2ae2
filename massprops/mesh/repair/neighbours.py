"""Points within a distance: by cells, without a tree."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from massprops.mesh.connectivity import Index
from massprops.moments.arrays import Array, expand_counts

#: More pairs than this are not compared: the distances are too large for these points.
MOST_PAIRS = 20_000_000
#: Pairs that are compared at a time.
_BATCH = 1 << 20
#: The smallest cells, in sizes.
_SMALLEST = 2.0**-50
#: Multipliers of the cells' x and y; cells that differ in z alone have successive words.
_MIXED = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 1], dtype=np.uint64)
#: The word of the cell 0, 0, 0: far from where words wrap round.
_ORIGIN = np.uint64(1 << 62)
#: The columns of cells around one, as changes of its word.
_COLUMNS = ((np.indices((3, 3)).reshape(2, 9).T - 1).astype(np.uint64) * _MIXED[:2]).sum(axis=1, dtype=np.uint64)


def pairs_within(points: Array, centers: Array, radii: Array) -> Iterator[tuple[Index, Index]]:
    """Batches of pairs (i, j) with |points[j] − centers[i]| ≤ radii[i]; none where more than `MOST_PAIRS` would have to be compared.

    The points are sorted into cells as wide as the radii, those between two powers of two together; a ball reaches into 27 cells, in nine
    columns.
    """
    if not len(points):
        return
    low = points.min(axis=0)
    # in units of about the size, so that no square leaves double precision
    unit = -int(np.frexp(np.ptp(points, axis=0).max())[1])
    points, centers, radii = np.ldexp(points - low, unit), np.ldexp(centers - low, unit), np.ldexp(radii, unit)
    level = np.ceil(np.log2(np.maximum(radii, _SMALLEST)))
    runs = []
    for k in np.unique(level):
        words = _words(points, k)
        order = np.argsort(words)
        words = words[order]
        own = np.flatnonzero(level == k)
        at = _words(centers[own], k)
        by_word = np.argsort(at)  # in this order the search is several times as fast
        own, at = own[by_word], at[by_word]
        for column in at + _COLUMNS[:, np.newaxis]:
            first = np.searchsorted(words, column - np.uint64(1), "left")
            count = np.searchsorted(words, column + np.uint64(1), "right") - first
            met = count > 0
            runs.append((order, own[met], first[met], count[met]))
    if sum(int(count.sum()) for *_, count in runs) > MOST_PAIRS:
        return
    for order, own, first, count in runs:
        for place, number in expand_counts(count, _BATCH):
            i, j = own[place], order[first[place] + number]
            near = ((points[j] - centers[i]) ** 2).sum(axis=1) <= radii[i] ** 2
            yield i[near], j[near]


def _words(points: Array, level: float) -> NDArray[np.uint64]:
    """A word for the cell of each point, shape (n,)."""
    cells = np.floor(np.ldexp(points, -int(level))).astype(np.int64).astype(np.uint64)
    return np.asarray((cells * _MIXED).sum(axis=1, dtype=np.uint64) + _ORIGIN)
