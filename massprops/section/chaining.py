"""Loose pieces, joined where their ends meet.

Tests: `tests/formats/section/test_dxf.py`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from massprops.moments.arrays import Array, Index
from massprops.section.curves import Curve
from massprops.section.outline import Outline
from massprops.section.rings import Ring


def chain_pieces(pieces: Sequence[Ring], tolerance: float) -> tuple[list[Outline], list[Ring], float]:
    """Pieces joined at ends that are within `tolerance` of each other, layer by layer, in the order of the file.

    Returns
    -------
    tuple
        Outlines that close within the tolerance, every chain that does not, and the largest gap that was closed. A chain has the width
        that all its pieces have.
    """
    loops: list[Outline] = []
    loose: list[Ring] = []
    widest = 0.0
    for layer in dict.fromkeys(p.layer for p in pieces):
        for chain, place, width in _chains([p for p in pieces if p.layer == layer], tolerance):
            # between each curve's end and the next one's start; the last: back to the first
            steps = np.array([c.start for c in [*chain[1:], chain[0]]]) - np.array([c.end for c in chain])
            gaps = np.hypot(steps[:, 0], steps[:, 1]).tolist()
            if gaps[-1] <= tolerance:
                loops.append(Outline(tuple(chain), place, layer=layer, width=width, joint=tolerance))
                widest = max(widest, *gaps)
            else:
                loose.append(Ring(tuple(chain), place, "open", layer, width=width))
    return loops, loose, widest


def _chains(pieces: Sequence[Ring], tolerance: float) -> Iterator[tuple[list[Curve], str, float]]:
    """Curves end to end, the place of the first and the width of all, by walks from piece to piece.

    A walk begins at a loose end where there is one, so that a chain is found whole.
    """
    ends = np.array([[p.curves[0].start, p.curves[-1].end] for p in pieces])
    node = _nodes(ends.reshape(-1, 2), tolerance).reshape(-1, 2).tolist()
    at: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for i, pair in enumerate(node):
        for side, n in enumerate(pair):
            at[n].append((i, side))
    unused = set(range(len(pieces)))
    beginnings = [entry for n in sorted(at) if len(at[n]) % 2 for entry in at[n]]
    for first, side in [*beginnings, *((i, 0) for i in range(len(pieces)))]:
        step = (first, side) if first in unused else None
        curves: list[Curve] = []
        widths: set[float] = set()
        while step is not None:  # from piece to unused piece, until back at the beginning or at a loose end
            i, begin = step
            unused.remove(i)
            widths.add(pieces[i].width)
            curves += pieces[i].curves if begin == 0 else [c.reversed() for c in reversed(pieces[i].curves)]
            here = node[i][1 - begin]
            following = (entry for entry in at[here] if entry[0] in unused)
            step = None if here == node[first][side] else next(following, None)
        if curves:
            yield curves, pieces[first].place, widths.pop() if len(widths) == 1 else 0.0


def _nodes(points: Array, tolerance: float) -> Index:
    """A number for each point, the same for points within `tolerance`: neighbours are looked for along x."""
    order = np.argsort(points[:, 0], kind="stable")
    x = points[order, 0]
    parent = list(range(len(points)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = i = parent[parent[i]]
        return i

    last = np.searchsorted(x, x + tolerance, side="right")
    for k, end in enumerate(last.tolist()):
        near = order[k + 1 : end]
        gap = points[near] - points[order[k]]
        for j in near[np.hypot(gap[:, 0], gap[:, 1]) <= tolerance].tolist():
            parent[root(j)] = root(int(order[k]))
    return np.array([root(i) for i in range(len(points))])
