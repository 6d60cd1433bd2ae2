"""What is wrong with a surface that is not closed: edges, loops and places. Paid for only when the boundary certificate fails.

Vertices are told apart by the bits of their positions (their hashes), exactly as the certificate does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from massprops.boundary import hash_positions
from massprops.findings import Finding

Hashes = NDArray[np.uint64]
Index = NDArray[np.intp]
ReadChunks = Callable[[], Iterable[NDArray[np.floating]]]

_EDGE_KEY = np.uint64(0x9E37_79B9_7F4A_7C15)  # odd; any would do: the hashes are keyed already


@dataclass(frozen=True)
class Loop:
    """A connected set of bad edges: its number of edges, the middle and the diagonal of its bounding box (file units)."""

    edges: int
    center: tuple[float, float, float]
    width: float


@dataclass(frozen=True)
class Defect:
    """Edges that break one rule.

    Attributes
    ----------
    code : str
        `open-edges`, `inconsistent-winding` or `non-manifold-edges`.
    edges, total : int
        How many edges break the rule, of how many.
    loops : int
        In how many connected sets.
    largest : Loop
        The widest of them.
    """

    code: str
    edges: int
    total: int
    loops: int
    largest: Loop

    def finding(self, scale: float) -> Finding:
        """The defect as a finding, with places in metres; `scale` is the length unit of the file in metres."""
        where = tuple(x * scale for x in self.largest.center)
        place = ", ".join(f"{x:.3g}" for x in where)
        loops = "1 loop" if self.loops == 1 else f"{self.loops} loops"
        size = f"{self.largest.width * scale:.3g} m wide"
        position = f"{size}, near ({place}) m" if self.loops == 1 else f"the largest {size}, near ({place}) m"
        return Finding(
            self.code,
            "error",
            f"{self.edges} of {self.total} edges {_RULES[self.code]}, in {loops}, {position}",
            value=self.edges,
            limit=0,
            where=where,
        )


_RULES = {
    "open-edges": "belong to one face only",
    "inconsistent-winding": "are run through twice in the same direction, so neighbouring faces look opposite ways",
    "non-manifold-edges": "join three faces or more without cancelling",
}


@dataclass(frozen=True)
class _Edges:
    """Undirected edges: the first directed edge of each group, its count and its net direction."""

    first: Index
    count: Index
    net: Index


def diagnose(read_chunks: ReadChunks) -> list[Defect]:
    """Defects of a surface that is not closed, worst kind first; two passes over its triangles.

    Parameters
    ----------
    read_chunks : callable
        Starts a pass over chunks of shape (n, 3, 3).
    """
    facets = np.concatenate([hash_positions(_columns(c)).T for c in read_chunks()])
    start, end = facets.reshape(-1), np.roll(facets, -1, axis=1).reshape(-1)
    proper = np.flatnonzero(start != end)
    edges = _group(start, end, proper)
    bad = edges.net != 0
    kinds = {
        "open-edges": bad & (edges.count == 1),
        "inconsistent-winding": bad & (edges.count == 2),
        "non-manifold-edges": bad & (edges.count > 2),
    }
    return [
        _defect(code, edges.first[members], len(edges.first), start, end, read_chunks)
        for code, members in kinds.items()
        if members.any()
    ]


def _columns(corners: NDArray[np.floating]) -> NDArray[np.floating]:
    return corners.transpose(1, 2, 0)


def _group(start: Hashes, end: Hashes, proper: Index) -> _Edges:
    a, b = start[proper], end[proper]
    low, high = np.minimum(a, b), np.maximum(a, b)
    key = (low ^ (low >> np.uint64(32))) * _EDGE_KEY + high
    order = np.argsort(key, kind="stable")
    key = key[order]
    heads = np.flatnonzero(np.concatenate([np.ones(min(1, len(key)), dtype=bool), key[1:] != key[:-1]]))
    direction = np.where(a < b, 1, -1)[order]
    return _Edges(
        first=proper[order[heads]],
        count=np.diff(np.append(heads, len(key))),
        net=np.add.reduceat(direction, heads) if len(heads) else np.zeros(0, dtype=np.intp),
    )


def _defect(code: str, members: Index, total: int, start: Hashes, end: Hashes, read_chunks: ReadChunks) -> Defect:
    vertices, ends = np.unique(np.stack([start[members], end[members]]), return_inverse=True)
    labels = components(len(vertices), *ends.reshape(2, -1))
    positions = _end_points(members, read_chunks)  # (2, edges, 3)
    group = labels[ends.reshape(2, -1)]
    roots, group = np.unique(group, return_inverse=True)
    group = group.reshape(2, -1)
    low, high = np.full((len(roots), 3), np.inf), np.full((len(roots), 3), -np.inf)
    for side in (0, 1):
        np.minimum.at(low, group[side], positions[side])
        np.maximum.at(high, group[side], positions[side])
    widths = np.linalg.norm(high - low, axis=1)
    widest = int(np.argmax(widths))
    middle = (low[widest] + high[widest]) / 2
    count = int(np.count_nonzero(group[0] == widest))
    center = (float(middle[0]), float(middle[1]), float(middle[2]))
    return Defect(code, len(members), total, len(roots), Loop(count, center, float(widths[widest])))


def _end_points(members: Index, read_chunks: ReadChunks) -> NDArray[np.float64]:
    """Coordinates of both ends of directed edges (numbered facet by facet), shape (2, edges, 3)."""
    points = np.empty((2, len(members), 3))
    facet, corner = np.divmod(members, 3)
    begin = 0
    for chunk in read_chunks():
        here = np.flatnonzero((facet >= begin) & (facet < begin + len(chunk)))
        points[0, here] = chunk[facet[here] - begin, corner[here]]
        points[1, here] = chunk[facet[here] - begin, (corner[here] + 1) % 3]
        begin += len(chunk)
    return points


def components(count: int, u: Index, v: Index) -> Index:
    """Connected components of a graph with `count` nodes and edges u—v: a label for each node, equal within a component.

    Larger roots are hooked onto smaller ones and paths halved until nothing moves: some log(count) rounds of whole-array work.
    """
    labels = np.arange(count)
    while True:
        a, b = labels[u], labels[v]
        if np.array_equal(a, b):
            return labels
        np.minimum.at(labels, np.maximum(a, b), np.minimum(a, b))
        while not np.array_equal(labels, parents := labels[labels]):
            labels = parents
