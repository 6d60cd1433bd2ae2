"""What is wrong with a surface that is not closed: edges, loops and places. Paid for only when the boundary certificate fails.

Vertices are distinguished by the bits of their positions (their hashes), exactly as the certificate does. Edges are counted in
shares of their keys, one pass over the triangles for each share, and only the bad ones are kept: memory grows with what is
wrong, up to a limit, and not with the file.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from massprops.findings import Finding, point_text
from massprops.mesh.boundary import hash_positions
from massprops.mesh.source import ReadChunks, numbered
from massprops.moments.arrays import length
from massprops.values import dataclass

Words = NDArray[np.uint64]
Index = NDArray[np.intp]
Doubles = NDArray[np.float64]

_ONE = np.uint64(1)
#: Directed edges that are counted in one pass: each takes eight bytes.
_SHARE = 1 << 24
#: Edges of one kind up to which their loops are counted: each costs some hundred bytes.
_MANY = 1_000_000


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
    loops : int or None
        In how many connected sets; None if there are too many edges to tell.
    largest : Loop
        The widest of them, of equal ones the first in the file; the first edge in the file if there are too many to tell.
    """

    code: str
    edges: int
    total: int
    loops: int | None
    largest: Loop

    def finding(self, scale: float) -> Finding:
        """The defect as a finding, with places in metres; `scale` is the length unit of the file in metres."""
        where = tuple(x * scale for x in self.largest.center)
        size = f"{self.largest.width * scale:.3g} m wide, near {point_text(where)}"
        message = f"{self.edges} of {self.total} edges {_RULES[self.code]}, {self._loops(size)}"
        return Finding(self.code, "error", message, self.edges, 0, where)

    def _loops(self, size: str) -> str:
        if self.loops is None:
            return f"in many loops, the first edge {size}"
        return f"in 1 loop, {size}" if self.loops == 1 else f"in {self.loops} loops, the largest {size}"


_RULES = {
    "open-edges": "belong to one face only",
    "inconsistent-winding": "are traversed twice in the same direction: adjacent faces have opposite orientation",
    "non-manifold-edges": "join three faces or more without cancelling",
}


@dataclass(frozen=True)
class _Located:
    """Bad edges where they are first traversed, in the order of the file: hashes (2, n) and coordinates (2, n, 3) of their ends."""

    kind: Index
    ends: Words
    points: Doubles


def diagnose(read_chunks: ReadChunks) -> list[Defect]:
    """Defects of a surface that is not closed, worst kind first; a few passes over its triangles.

    Parameters
    ----------
    read_chunks : callable
        Starts a pass over chunks of shape (n, 3, 3).
    """
    shares = max(1, -(-sum(3 * len(chunk) for chunk in read_chunks()) // _SHARE))
    total = 0
    number = dict.fromkeys(_RULES, 0)
    kept: dict[str, list[Words]] = {code: [] for code in _RULES}
    for edges, bad in _bad_edges(read_chunks, shares):
        total += edges
        for code, keys in bad.items():
            number[code] += len(keys)
            kept[code] = [*kept[code], keys] if number[code] <= _MANY else []
    few = {code: np.concatenate(keys) for code, keys in kept.items() if keys and number[code]}
    located = _locate(read_chunks, list(few.values()))
    defects = {code: _defect(code, total, located, kind) for kind, code in enumerate(few)}
    many = [code for code in _RULES if number[code] and code not in few]
    for code in many:
        defects[code] = Defect(code, number[code], total, None, _first_edge(read_chunks, shares, code))
    return [defects[code] for code in _RULES if code in defects]


def bad_edges(read_chunks: ReadChunks) -> dict[str, Doubles]:
    """The edges that break a rule, shape (n, 2, 3) of each code, in the order of the file: for pictures, all keys in memory."""
    keys = np.sort(np.concatenate([_proper_keys(chunk) for chunk in read_chunks()]))
    _, bad = _count(keys)
    located = _locate(read_chunks, list(bad.values()))
    return {code: located.points[:, located.kind == kind].swapaxes(0, 1) for kind, code in enumerate(bad)}


def _bad_edges(read_chunks: ReadChunks, shares: int) -> Iterator[tuple[int, dict[str, Words]]]:
    """For each share of the keys, how many undirected edges have one of these, and the bad ones by kind."""
    step = ((1 << 64) // shares + 2) & ~1  # even: both directions of an edge are in one share
    for share in range(shares):
        first, last = np.uint64(share * step), np.uint64(min((share + 1) * step, 1 << 64) - 1)
        pieces = (_proper_keys(chunk) for chunk in read_chunks())
        keys = np.concatenate([k if shares == 1 else k[(k >= first) & (k <= last)] for k in pieces])
        keys.sort()
        yield _count(keys)


def _count(keys: Words) -> tuple[int, dict[str, Words]]:
    """Undirected edges among sorted keys, and those that do not cancel, by kind."""
    edges = keys >> _ONE
    heads = np.flatnonzero(np.append(np.ones(min(1, len(edges)), dtype=bool), edges[1:] != edges[:-1]))
    if not len(heads):
        return 0, {}
    edges = edges[heads]
    count = np.diff(heads, append=len(keys))
    forward = np.add.reduceat(keys & _ONE, heads).astype(np.intp)
    bad = np.flatnonzero(2 * forward != count)
    edges, count = edges[bad], count[bad]
    kinds = zip(_RULES, (count == 1, count == 2, count > 2), strict=True)
    return len(heads), {code: edges[members] for code, members in kinds}


def _edge_keys(chunk: NDArray[np.floating]) -> tuple[Words, Words]:
    """Keys of a chunk's directed edges, edge k of facet i at [k, i], and the hashes of its corners; both of shape (3, n).

    The lowest bit of a key is the direction, the rest is that of the undirected edge: of the sum of two keyed hashes.
    """
    start = hash_positions(chunk.transpose(1, 2, 0))
    end = start[[1, 2, 0]]
    return ((start + end) | _ONE) ^ (start < end), start


def _proper_keys(chunk: NDArray[np.floating]) -> Words:
    """Keys of a chunk's directed edges, shape (m,), without those from a point to itself."""
    keys, start = _edge_keys(chunk)
    proper = start != start[[1, 2, 0]]
    return keys.reshape(-1) if proper.all() else keys[proper]


class _Sought:
    """Sorted keys of undirected edges that are looked for; a table of their lowest bits leaves most others out at once."""

    def __init__(self, edges: Words) -> None:
        self.edges = edges
        size = 1 << min(24, (64 * len(edges)).bit_length())
        self._mask, self._sieve = np.uint64(size - 1), np.zeros(size, dtype=bool)
        self._sieve[edges & self._mask] = True

    def among(self, keys: Words, start: Words) -> tuple[Index, Index]:
        """The directed edges of a chunk that are such, as 3 · facet + edge in rising order, and which of them each is."""
        edges = keys.reshape(-1) >> _ONE
        likely = np.flatnonzero(self._sieve[edges & self._mask])
        place = np.minimum(np.searchsorted(self.edges, edges[likely]), len(self.edges) - 1)
        edge, facet = np.divmod(likely, keys.shape[1])
        found = np.flatnonzero(
            (self.edges[place] == edges[likely]) & (start[edge, facet] != start[(edge + 1) % 3, facet])
        )
        numbers = (3 * facet + edge)[found]
        order = np.argsort(numbers)
        return numbers[order], place[found][order]


def _locate(read_chunks: ReadChunks, kinds: list[Words]) -> _Located:
    """One pass that finds edges of several kinds."""
    edges = np.concatenate([*kinds, np.empty(0, np.uint64)])
    order = np.argsort(edges)
    wanted, kind = edges[order], np.repeat(np.arange(len(kinds)), [len(k) for k in kinds])[order]
    sought, unseen = _Sought(wanted), np.ones(len(wanted), dtype=bool)
    ends, points = np.empty((2, len(wanted)), np.uint64), np.empty((2, len(wanted), 3))
    turn = np.empty(len(wanted), np.intp)
    for chunk, before in numbered(read_chunks() if len(wanted) else ()):
        keys, hashes = _edge_keys(chunk)
        numbers, place = sought.among(keys, hashes)
        place, first = np.unique(place, return_index=True)
        new = np.flatnonzero(unseen[place])
        place, directed = place[new], numbers[first[new]]
        facet, corner = np.divmod(directed, 3)
        for side, at in enumerate((corner, (corner + 1) % 3)):
            ends[side, place], points[side, place] = hashes[at, facet], chunk[facet, at]
        turn[place] = 3 * before + directed
        unseen[place] = False
    in_file = np.argsort(turn)
    return _Located(kind[in_file], ends[:, in_file], points[:, in_file])


def _defect(code: str, total: int, located: _Located, kind: int) -> Defect:
    members = np.flatnonzero(located.kind == kind)
    points = located.points[:, members]
    vertices, ends = np.unique(located.ends[:, members], return_inverse=True)
    ends = ends.reshape(2, -1)
    loop = components(len(vertices), *ends)[ends[0]]
    _, first, group = np.unique(loop, return_index=True, return_inverse=True)
    low, high = np.full((len(first), 3), np.inf), np.full((len(first), 3), -np.inf)
    for side in points:
        np.minimum.at(low, group, side)
        np.maximum.at(high, group, side)
    widths = np.linalg.norm(high - low, axis=1)
    # of equally wide ones the first in the file: the order of hashes is another in every process
    widest = int(np.lexsort((first, -widths))[0])
    return Defect(code, len(members), total, len(first), _loop(int((group == widest).sum()), low[widest], high[widest]))


def _loop(edges: int, low: Doubles, high: Doubles) -> Loop:
    x, y, z = ((low + high) / 2).tolist()
    return Loop(edges, (x, y, z), length(high - low))


def _first_edge(read_chunks: ReadChunks, shares: int, code: str) -> Loop:
    """The first edge in the file that is bad in this way, where there are too many to keep."""
    found = (bad[code] for _, bad in _bad_edges(read_chunks, shares) if len(bad.get(code, ())))
    _, ends = min((next(_matches(read_chunks, edges)) for edges in found), key=lambda first: first[0])
    return _loop(1, ends.min(axis=0), ends.max(axis=0))


def _matches(read_chunks: ReadChunks, wanted: Words) -> Iterator[tuple[int, Doubles]]:
    """Number and end points (2, 3) of the directed edges that are looked for, in the order of the file."""
    sought = _Sought(wanted)
    for chunk, before in numbered(read_chunks()):
        for directed in sought.among(*_edge_keys(chunk))[0].tolist():
            facet, corner = divmod(directed, 3)
            yield 3 * before + directed, chunk[facet, [corner, (corner + 1) % 3]].astype(np.float64)


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
