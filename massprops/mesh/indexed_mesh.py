"""A triangle mesh in memory with numbered vertices: for repairs, walls and proofs.

Tests: `tests/mesh/test_repair_ladder.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from massprops import native
from massprops.mesh.boundary import KEYS, hash_positions
from massprops.mesh.connectivity import components
from massprops.mesh.source import Triangles, indexed_chunks
from massprops.moments.arrays import length
from massprops.moments.integrals import Array
from massprops.values import dataclass

Index = NDArray[np.intp]

#: Corners that are worked on at a time.
_BLOCK = 3 << 13


@dataclass(frozen=True, eq=False)
class OpenEdges:
    """Directed edges that nothing cancels: the boundary of the surface.

    Attributes
    ----------
    start, end : ndarray of int, shape (n,)
        Vertices; an edge that is left over k times is there k times. Every vertex has as many edges out as in.
    facet : ndarray of int, shape (n,)
        A facet that has the edge in this direction.
    """

    start: Index
    end: Index
    facet: Index

    def __len__(self) -> int:
        return len(self.start)


@dataclass(frozen=True, eq=False)
class SortedEdges:
    """Undirected edges in the order of their keys.

    Attributes
    ----------
    sign, facet : ndarray of int, shape (n,)
        Of the edges of all facets, in the order of the file: their directions, ±1, and the facets.
    order : ndarray of int, shape (n,)
        Which of those stands in each place; those with one key keep the order of the file.
    heads, count, key, net : ndarray of int, shape (m,)
        Of each undirected edge: the first of its places, how many there are, its key, and the sum of its directions.
    """

    sign: Index
    facet: Index
    order: Index
    heads: Index
    count: Index
    key: Index
    net: Index


@dataclass(frozen=True, eq=False)
class IndexedMesh:
    """Vertices `points`, shape (V, 3), in units of the file, and `faces`, shape (F, 3), counter-clockwise from outside."""

    points: Array
    faces: Index

    @classmethod
    def of(cls, mesh: Triangles) -> Self:
        """All triangles of a source; vertices are the same where their positions are equal as numbers, so −0 is 0."""
        corners = _gather(mesh)
        core = native.core()
        if core is None:
            return cls(*_number(corners.reshape(-1, 3) + np.float32(0)))
        numbers = np.empty(3 * len(corners), np.int64)
        first = np.frombuffer(core.vertices(corners, KEYS, numbers), np.int64)
        points = corners.reshape(-1, 3)[first].astype(np.float64) + 0.0
        return cls(points, numbers.reshape(-1, 3))

    @cached_property
    def corners(self) -> Array:
        """Triangles, shape (F, 3, 3) [facet, corner, xyz]."""
        return self.points.take(self.faces, axis=0)

    @property
    def size(self) -> float:
        """Diagonal of the bounds of the vertices that facets use."""
        used = np.zeros(len(self.points), dtype=bool)
        used[self.faces] = True
        return length(np.ptp(self.points[used], axis=0)) if used.any() else 0.0

    def normals(self) -> Array:
        """Twice the area vectors of the facets, shape (F, 3)."""
        a, b, c = self.corners.transpose(1, 0, 2)
        return np.cross(b - a, c - a)

    def proper(self) -> NDArray[np.bool_]:
        """Whether each facet has three different vertices."""
        a, b, c = self.faces.T
        return np.asarray((a != b) & (b != c) & (c != a))

    def parts(self) -> Index:
        """A number for the connected part of each facet: facets are connected where they share a vertex."""
        a, b, c = self.faces.T
        part: Index = components(len(self.points), np.concatenate([a, b]), np.concatenate([b, c]))[a]
        return part

    def area(self) -> float:
        """Area of the surface."""
        return float(np.linalg.norm(self.normals(), axis=1).sum() / 2)

    def volume(self) -> float:
        """Signed, about the middle of the vertices."""
        a, b, c = (self.corners - self.points.mean(axis=0)).transpose(1, 0, 2)
        return float((a * np.cross(b, c)).sum() / 6)

    def keeping(self, mask: NDArray[np.bool_]) -> Self:
        """Mesh of the facets whose entry in `mask` is true."""
        return type(self)(self.points, self.faces[mask])

    def turning(self, mask: NDArray[np.bool_]) -> Self:
        """Mesh in which the facets whose entry in `mask` is true are turned round; its edges need not be sorted again."""
        faces, edges = self.faces.copy(), self.sorted_edges
        faces[mask] = faces[mask][:, ::-1]
        result = type(self)(self.points, faces)
        if len(edges.sign) == faces.size:
            place, first = np.arange(faces.size), 3 * np.flatnonzero(mask)
            place[first], place[first + 1] = first + 1, first  # c b, b a, a c after a b, b c, c a
            sign, order = edges.sign[place], place[edges.order]
            sign[np.repeat(mask, 3)] *= -1
            net = np.add.reduceat(sign[order], edges.heads)
            vars(result)["sorted_edges"] = replace(edges, sign=sign, order=order, net=net)
        return result

    def with_area(self) -> Self:
        """Mesh without facets of zero area."""
        return self.keeping(np.linalg.norm(self.normals(), axis=1) > 0)

    def edges(self) -> tuple[Index, Index, Index]:
        """Undirected edges of the facets: keys, shape (3 F,), direction ±1, and facet; edges from a vertex to itself left out."""
        start, end = self.faces.reshape(-1), self.faces[:, [1, 2, 0]].reshape(-1)
        facet = np.repeat(np.arange(len(self.faces)), 3)
        proper = start != end
        start, end, facet = start[proper], end[proper], facet[proper]
        key = np.minimum(start, end) * len(self.points) + np.maximum(start, end)
        return key, np.where(start < end, 1, -1), facet

    @cached_property
    def sorted_edges(self) -> SortedEdges:
        """The undirected edges, sorted once for all that count them."""
        key, sign, facet = self.edges()
        order = np.argsort(key, kind="stable")
        ordered = key[order]
        heads = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(key) else np.empty(0, np.intp)
        net = np.add.reduceat(sign[order], heads) if len(key) else heads
        return SortedEdges(sign, facet, order, heads, np.diff(heads, append=len(key)), ordered[heads], net)

    def shared_edges(self) -> tuple[Index, Index, NDArray[np.bool_]]:
        """Edges of exactly two facets: the places of both in `edges` and the facets, shape (2, n) each; whether their directions differ."""
        edges = self.sorted_edges
        heads = edges.heads[edges.count == 2]
        places = np.stack([edges.order[heads], edges.order[heads + 1]])
        return places, edges.facet[places], edges.sign[places[0]] != edges.sign[places[1]]

    def open_edges(self) -> OpenEdges:
        """The boundary of the surface."""
        return self._open_edges

    @cached_property
    def _open_edges(self) -> OpenEdges:
        edges = self.sorted_edges
        bad = np.flatnonzero(edges.net)
        net, count = edges.net[bad], edges.count[bad]
        # the last facet that has the edge in the direction that is left over
        number = np.repeat(np.arange(len(bad)), count)
        places = edges.order[np.arange(len(number)) + np.repeat(edges.heads[bad] - np.cumsum(count) + count, count)]
        same = np.sign(net)[number] == edges.sign[places]
        owner = np.full(len(bad), -1)
        owner[number[same]] = edges.facet[places[same]]
        left = np.repeat(np.arange(len(bad)), np.abs(net))
        low, high = np.divmod(edges.key[bad][left], len(self.points))
        forward = net[left] > 0
        return OpenEdges(np.where(forward, low, high), np.where(forward, high, low), owner[left])

    def length(self, edges: OpenEdges) -> float:
        """Total length of some edges."""
        return float(np.linalg.norm(self.points[edges.end] - self.points[edges.start], axis=1).sum())

    def read_chunks(self) -> Callable[[], Iterator[NDArray[np.floating]]]:
        """Passes over the facets, for `Triangles`."""
        return indexed_chunks(self.points, self.faces)


def _gather(mesh: Triangles) -> NDArray[np.floating]:
    """All triangles, shape (F, 3, 3), without a second copy of them."""
    corners, first = np.empty((0, 3, 3), np.float32), 0
    for chunk in mesh.chunks():
        if not first or chunk.dtype.itemsize > corners.itemsize:
            corners, known = np.empty((mesh.facets, 3, 3), chunk.dtype), corners[:first]
            corners[:first] = known
        corners[first : first + len(chunk)] = chunk
        first += len(chunk)
    return corners[:first]  # parts that are left out are among the facets


def _number(corners: NDArray[np.floating]) -> tuple[Array, Index]:
    """The different ones of some positions, shape (n, 3), and the numbers of those of each facet in that list."""
    first, number = _first_and_number(_words(corners))
    points = corners[first]
    if not all(
        np.array_equal(points[number[i : i + _BLOCK]], corners[i : i + _BLOCK]) for i in range(0, len(corners), _BLOCK)
    ):  # two positions have one word, by an accident of 2⁻⁶⁴ for each two
        rows = np.ascontiguousarray(corners).view(np.dtype((np.void, 3 * corners.itemsize))).reshape(-1)
        first, number = _first_and_number(rows)
        points = corners[first]
    return points.astype(np.float64), number.reshape(-1, 3)


def _words(corners: NDArray[np.floating]) -> NDArray[np.uint64]:
    """A word for every position, shape (n,), the same where positions are; n is a multiple of three."""
    blocks = (corners[i : i + _BLOCK].reshape(-1, 3, 3).transpose(1, 2, 0) for i in range(0, len(corners), _BLOCK))
    return np.concatenate([hash_positions(block).T.reshape(-1) for block in blocks])


def _first_and_number(keys: NDArray[Any]) -> tuple[Index, Index]:
    """Where each different key is first, ascending, and for every key the number of its equal in that list."""
    order = keys.argsort()
    ordered = keys[order]
    begins = np.append(True, ordered[1:] != ordered[:-1])
    first = np.minimum.reduceat(order, np.flatnonzero(begins))
    rank = np.empty(len(first), dtype=np.intp)
    rank[first.argsort()] = np.arange(len(first))
    number = np.empty(len(keys), dtype=np.intp)
    number[order] = rank[np.cumsum(begins) - 1]
    first.sort()
    return first, number
