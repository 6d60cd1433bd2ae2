"""A triangle mesh in memory with numbered vertices: for repairs, walls and proofs.

Tests: `tests/mesh/test_repair_ladder.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from types import ModuleType
from typing import Any, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from massprops import native
from massprops.mesh.boundary import KEYS, hash_positions
from massprops.mesh.connectivity import Index, components
from massprops.mesh.source import IndexedChunks, Triangles, indexed_chunks, slices
from massprops.moments.arrays import length, symmetric_eigens, unit_vectors
from massprops.moments.integrals import Array
from massprops.values import dataclass

Short = NDArray[np.int32]

#: A vertex is needless if all facets around it have a direction in common, within the root of this.
_NEEDLESS = 1e-6
#: Facets around a vertex lie in one plane if the mean of their directions is longer.
_FLAT = 1 - 1e-4


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
    """Undirected edges, sorted by their lower and their higher vertex; those from a vertex to itself are left out.

    Attributes
    ----------
    order : ndarray of int32, shape (n,)
        Which edge stands in each place: edge k of facet f is number 3 f + k; those of one pair of vertices keep the order of the file.
    heads, count, net : ndarray of int32, shape (m,)
        Of each undirected edge: the first of its places, how many there are, and the sum of their directions, ±1.
    """

    order: Short
    heads: Short
    count: Short
    net: Short

    def split(self, kept: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], Index, Index]:
        """Whether the facet of each place is kept, shape (n,); the places of the others, and the undirected edges that these belong to."""
        mask = kept.take(self.order // np.int32(3))
        places = np.flatnonzero(~mask)
        return mask, places, np.searchsorted(self.heads, places.astype(np.int32), side="right") - 1


@dataclass(frozen=True, eq=False)
class NumberedFacets:
    """Vertices `points`, shape (V, 3), in units of the file, and `faces`, shape (F, 3), counter-clockwise from outside.

    The points are in single precision where those of the source are: half of the memory.
    """

    points: NDArray[np.floating]
    faces: Index

    def proper(self) -> NDArray[np.bool_]:
        """Whether each facet has three different vertices."""
        a, b, c = self.faces.T
        return np.asarray((a != b) & (b != c) & (c != a))

    def in_double(self) -> tuple[Array, Index]:
        """Points in double precision, in the order in which the facets name them, and faces: the same from whichever format."""
        numbers, points = self.faces.reshape(-1), self.points.astype(np.float64, copy=False)
        first = np.empty(len(points), np.int32)
        first[numbers[::-1]] = np.arange(len(numbers), dtype=np.int32)[::-1]  # of equal ones the last is written last
        if (first[1:] > first[:-1]).all():
            return points, self.faces
        order = np.argsort(first)
        rank = np.empty(len(order), np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        return points.take(order, axis=0), rank.take(self.faces)

    @classmethod
    def of(cls, mesh: Triangles) -> Self:
        """All triangles of a source."""
        source, core = mesh.read_chunks, native.core()
        if isinstance(source, IndexedChunks) and len(source.points) < mesh.facets:
            return cls._of_points(source, mesh.facets)
        if core is None:
            points, numbers = _number(_gather(mesh).reshape(-1, 3))
            return cls(points, numbers.reshape(-1, 3))
        vertices, faces, first = _Vertices(core, mesh.facets // 2), np.empty((mesh.facets, 3), np.int32), 0
        for chunk in mesh.chunks():
            vertices.number(np.ascontiguousarray(chunk).reshape(-1, 3), faces[first : first + len(chunk)].reshape(-1))
            first += len(chunk)
        return cls(vertices.points(), faces[:first])  # parts that are left out are among the facets

    @classmethod
    def as_read(cls, mesh: Triangles, bounds: Array, least: int) -> Self | None:
        """All triangles with the numbers that their source has: equal points may have several, and some be of no facet; None where it has
        none, or at most `least` triangles, or not all of its points lie within the bounds of these.
        """
        source = mesh.read_chunks
        if not (isinstance(source, IndexedChunks) and max(least, len(source.points)) < mesh.facets):
            return None
        points = np.require(source.points, requirements=["C", "A"])
        within = points.min() == bounds.min() and points.max() == bounds.max()
        return cls(points, _corners(source, mesh.facets)) if within else None

    @classmethod
    def _of_points(cls, source: IndexedChunks, facets: int) -> Self:
        """Facets with numbered points: equal points are found once and not for each facet, and those of no facet are left out."""
        faces = _corners(source, facets)
        points, number = _number(source.points)
        if len(points) < len(number):
            number.take(faces, out=faces, mode="clip")  # in place, as none is out of bounds
        used = np.zeros(len(points), bool)
        used[faces] = True
        if not used.all():
            points = points[used]
            np.cumsum(used, dtype=np.int32).take(faces, out=faces, mode="clip")
            faces -= 1
        return cls(points, faces)


@dataclass(frozen=True, eq=False)
class IndexedMesh(NumberedFacets):
    """Mesh in double precision, with what repairs and walls ask of it; vertices are in the order in which the facets name them."""

    points: Array

    @classmethod
    def of(cls, mesh: Triangles) -> Self:
        """All triangles of a source; vertices are the same where their positions are equal as numbers, so −0 is 0."""
        return cls(*NumberedFacets.of(mesh).in_double())

    @cached_property
    def corners(self) -> Array:
        """Triangles, shape (F, 3, 3) [facet, corner, xyz]."""
        return self.points.take(self.faces, axis=0)

    def middle(self, facet: int) -> Array:
        """The centre of a facet, shape (3,)."""
        return np.asarray(self.points[self.faces[facet]].mean(axis=0))

    @cached_property
    def size(self) -> float:
        """Diagonal of the bounds of the vertices that facets use."""
        used = np.zeros(len(self.points), dtype=bool)
        used[self.faces] = True
        return length(np.ptp(self.points.T.compress(used, axis=1), axis=1)) if used.any() else 0.0

    def normals(self, of: Index | None = None) -> Array:
        """Twice the area vectors of all facets or of some, shape (F, 3)."""
        faces = self.faces if of is None else self.faces[of]
        corners = (self.points.take(some.T, axis=0) for some in slices(faces))
        return np.concatenate([np.empty((0, 3)), *(np.cross(b - a, c - a) for a, b, c in corners)])

    def parts(self) -> Index:
        """A number for the connected part of each facet: facets are connected where they share a vertex."""
        return self._parts

    @cached_property
    def _parts(self) -> Index:
        a, b, c = self.faces.T
        part: Index = components(len(self.points), np.concatenate([a, b]), np.concatenate([b, c]))[a]
        return part

    def pieces(self) -> Index:
        """The first facet of the piece of each facet: those are connected across edges of exactly two facets."""
        _, (one, other), _ = self.shared_edges()
        return components(len(self.faces), one, other)

    @cached_property
    def area(self) -> float:
        """Area of the surface."""
        columns, total = np.ascontiguousarray(self.points.T), 0.0
        for faces in slices(self.faces):
            a, b, c = (columns.take(corner, axis=1) for corner in faces.T)
            (x, y, z), (u, v, w) = b - a, c - a
            total += float(np.sqrt((y * w - z * v) ** 2 + (z * u - x * w) ** 2 + (x * v - y * u) ** 2).sum())
        return total / 2

    @cached_property
    def is_even(self) -> NDArray[np.bool_]:
        """Whether each facet is of a part that was meshed evenly, shape (F,): most vertices within it lie in a flat face, or on a straight
        line of a wall or an edge, where nothing needs them.
        """
        corner, count, part = self.faces.reshape(-1), len(self.points), self.parts()
        unit = unit_vectors(self.normals())
        square = np.zeros((count, 3, 3))
        for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)):
            square[:, i, j] = square[:, j, i] = np.bincount(corner, np.repeat(unit[:, i] * unit[:, j], 3), count)
        inner, of = np.bincount(corner, minlength=count) > 0, np.zeros(count, np.intp)
        of[corner] = np.repeat(part, 3)
        inner[self.open_edges().start] = False
        needless = symmetric_eigens(square[inner])[0][:, 0] < _NEEDLESS
        share = np.bincount(of[inner], needless - 0.5, count)
        return np.asarray(share[part] > 0)

    @cached_property
    def flat_vertices(self) -> NDArray[np.bool_]:
        """Vertices on open edges within flat faces where something begins, as a bore, or none: where as many lie in flat faces elsewhere.

        Programs put no others there, but those that make even meshes.
        """
        rims, others = self._in_flat_faces
        return rims if others < rims.sum() else np.zeros_like(rims)

    @property
    def flat_rims(self) -> NDArray[np.bool_]:
        """Whether a vertex lies on an open edge within a flat face, shape (points,)."""
        return self._in_flat_faces[0]

    @cached_property
    def _in_flat_faces(self) -> tuple[NDArray[np.bool_], int]:
        """Whether a vertex lies on an open edge within a flat face, and how many others lie within one."""
        corner, count = self.faces.reshape(-1), len(self.points)
        unit, n = unit_vectors(self.normals()), np.bincount(corner, minlength=count)
        along = [np.bincount(corner, np.repeat(unit[:, k], 3), count) for k in range(3)]
        flat = (n > 0) & (np.linalg.norm(along, axis=0) > _FLAT * n)
        is_open = np.bincount(self.open_edges().start, minlength=count) > 0
        return flat & is_open, int((flat & ~is_open).sum())

    def volume(self) -> float:
        """Signed, about the middle of the vertices."""
        return self._volume

    @cached_property
    def _volume(self) -> float:
        a, b, c = (self.corners - self.points.mean(axis=0)).transpose(1, 0, 2)
        return float((a * np.cross(b, c)).sum() / 6)

    def keeping(self, mask: NDArray[np.bool_]) -> Self:
        """Mesh of the facets whose entry in `mask` is true; its edges need not be sorted again."""
        result = type(self)(self.points, self.faces[mask])
        if (edges := vars(self).get("sorted_edges")) is not None and mask.any():
            left_out = np.cumsum(~mask, dtype=np.int32)
            kept, places, owner = edges.split(mask)
            net, count = edges.net.copy(), edges.count.copy()
            np.subtract.at(net, owner, self._directions(edges.order[places]))
            np.subtract.at(count, owner, 1)
            net, count = net[count > 0], count[count > 0]
            order = edges.order[kept]
            order -= 3 * left_out[order // 3]
            vars(result)["sorted_edges"] = SortedEdges(order, np.cumsum(count, dtype=np.int32) - count, count, net)
        return result

    def turning(self, mask: NDArray[np.bool_]) -> Self:
        """Mesh in which the facets whose entry in `mask` is true are turned round; its edges need not be sorted again."""
        faces, edges = self.faces.copy(), self.sorted_edges
        faces[mask] = faces[mask][:, ::-1]
        result = type(self)(self.points, faces)
        _, places, owner = edges.split(~mask)
        order, net, edge = edges.order.copy(), edges.net.copy(), edges.order[places]
        order[places] = edge + np.array([1, -1, 0], np.int32)[edge % 3]  # c b, b a, a c after a b, b c, c a
        np.subtract.at(net, owner, 2 * self._directions(edge))
        vars(result)["sorted_edges"] = replace(edges, order=order, net=net)
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
        key = np.minimum(start, end, dtype=np.int64)
        key *= len(self.points)
        key += np.maximum(start, end)
        return key, np.where(start < end, 1, -1), facet

    @cached_property
    def sorted_edges(self) -> SortedEdges:
        """The undirected edges, sorted once for all that count them."""
        key = self._edge_keys().reshape(-1)
        place, bits = np.flatnonzero(key >= 0), len(key).bit_length()
        key = key[place] if len(place) < len(key) else key
        order = np.empty(len(place), np.int32)
        if 2 * len(self.points).bit_length() + bits < 64:  # a sort of words is several times as fast as one of places
            key <<= bits
            key |= place
            key.sort()
            np.bitwise_and(key, (1 << bits) - 1, out=order, casting="unsafe")
            key >>= bits
        else:
            rank = np.argsort(key, kind="stable")
            key, order[:] = key[rank], place[rank]
        heads = np.flatnonzero(np.append(True, key[1:] != key[:-1])[: len(key)]).astype(np.int32)
        return SortedEdges(order, heads, np.diff(heads, append=np.int32(len(key))), self._net(order, heads))

    def _edge_keys(self) -> Index:
        """A number for the two vertices of each edge, shape (F, 3); −1 where they are the same."""
        keys = np.empty(self.faces.shape, np.int64)
        for start, key in zip(slices(self.faces), slices(keys), strict=True):
            end = start[:, [1, 2, 0]]
            np.minimum(start, end, out=key)
            key *= len(self.points)
            key += np.maximum(start, end)
            key[start == end] = -1
        return keys

    def _net(self, order: Short, heads: Short) -> Short:
        if not len(heads):
            return heads
        a, b, c = self.faces.T
        sign = np.where(np.stack([a < b, b < c, c < a], axis=1).reshape(-1), np.int8(1), np.int8(-1))
        return np.add.reduceat(sign[order], heads, dtype=np.int32)

    def _directions(self, edge: Short) -> Short:
        """1 for edges, given by their numbers, that go from the lower to the higher vertex, else −1."""
        start, end = self.ends(edge)
        return np.where(start < end, np.int32(1), np.int32(-1))

    def ends(self, edge: NDArray[np.integer[Any]]) -> tuple[Index, Index]:
        """The vertices from which and to which edges go, given by their numbers: edge k of facet f is 3 f + k."""
        vertices = self.faces.reshape(-1)
        return vertices[edge], vertices[edge + np.where(edge % 3 == 2, -2, 1)]

    def shared_edges(self) -> tuple[Short, Short, NDArray[np.bool_]]:
        """Edges of exactly two facets: their numbers and the facets, shape (2, n) each; whether their directions differ."""
        edges = self.sorted_edges
        chosen = edges.count == 2
        heads = edges.heads[chosen]
        both: Short = np.stack([edges.order[heads], edges.order[heads + 1]])
        return both, np.floor_divide(both, 3, dtype=np.int32), edges.net[chosen] == 0

    def open_edges(self) -> OpenEdges:
        """The boundary of the surface."""
        return self._open_edges

    @cached_property
    def _open_edges(self) -> OpenEdges:
        edges = self.sorted_edges
        bad = np.flatnonzero(edges.net)
        net, count = edges.net[bad], edges.count[bad]
        number = np.repeat(np.arange(len(bad)), count)
        places = edges.order[np.arange(len(number)) + np.repeat(edges.heads[bad] - np.cumsum(count) + count, count)]
        start, end = self.ends(places)
        same = np.flatnonzero((start < end) == (net > 0)[number])
        owner = np.full(len(bad), -1)
        owner[number[same]] = places[same]  # the last that has the direction that is left over
        left = np.repeat(owner, np.abs(net))
        return OpenEdges(*self.ends(left), left // 3)

    def length(self, edges: OpenEdges) -> float:
        """Total length of some edges."""
        return float(np.linalg.norm(self.points[edges.end] - self.points[edges.start], axis=1).sum())

    def read_chunks(self) -> Callable[[], Iterator[NDArray[np.floating]]]:
        """Passes over the facets, for `Triangles`."""
        return indexed_chunks(self.points, self.faces)


class _Vertices:
    """Different positions in the order in which they come, and a table of their numbers: `massprops/native/vertices.c`."""

    def __init__(self, core: ModuleType, room: int) -> None:
        self._core = core
        self._clear(room, np.float32)

    def _clear(self, room: int, kind: DTypeLike) -> None:
        """Make an empty table, with room for `room` positions of a type, and for some more."""
        self._count, places = 0, 1 << (2 * room + 96).bit_length()
        self._table = np.full(places, -1, np.int32).view(np.uint32)
        self._known = np.empty((places // 2, 3), kind)

    def number(self, positions: NDArray[np.floating], numbers: Short) -> None:
        """Fill in the numbers of some positions, shape (n, 3)."""
        if positions.itemsize > self._known.itemsize:
            self._move(len(self._known) // 2, positions.dtype)
        positions, done = positions.astype(self._known.dtype, copy=False), 0
        while done < len(positions):
            given = positions[done:], KEYS, numbers[done:]
            self._count, more = self._core.vertices(*given, self._known, self._table, self._count)
            done += more
            if done < len(positions):
                self._move(len(self._known), self._known.dtype)

    def _move(self, room: int, kind: DTypeLike) -> None:
        known = self._known[: self._count].astype(kind)
        del self._table, self._known
        self._clear(room, kind)
        self.number(known, np.empty(len(known), np.int32))

    def points(self) -> NDArray[np.floating]:
        """The positions, shape (V, 3), without the room for more; nothing can be numbered after that."""
        del self._table
        self._known.resize((self._count, 3), refcheck=False)  # in place
        self._known += self._known.dtype.type(0)  # −0 is 0
        return self._known


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


def _corners(source: IndexedChunks, facets: int) -> Short:
    """The numbers of the corners of all triangles, shape (F, 3)."""
    faces, first = np.empty((facets, 3), np.int32), 0
    for numbers in source.read_numbers():
        faces[first : first + len(numbers)] = numbers
        first += len(numbers)
    return faces[:first]  # parts that are left out are among the facets


def _number(positions: NDArray[np.floating]) -> tuple[NDArray[np.floating], Short]:
    """The different ones of some positions, shape (n, 3), in the order in which they come, and of each its number among these."""
    if (core := native.core()) is not None:
        vertices, number = _Vertices(core, len(positions)), np.empty(len(positions), np.int32)
        vertices.number(np.ascontiguousarray(positions), number)
        return vertices.points(), number
    positions = positions + positions.dtype.type(0)  # −0 is 0
    first, number = _first_and_number(np.concatenate([hash_positions(p.T[np.newaxis])[0] for p in slices(positions)]))
    points = positions[first]
    if not all(map(np.array_equal, slices(points[number]), slices(positions))):  # by an accident of 2⁻⁶⁴ for each two
        first, number = _first_and_number(positions.view(np.dtype((np.void, 3 * positions.itemsize))).reshape(-1))
        points = positions[first]
    return points, number.astype(np.int32)


def _first_and_number(keys: NDArray[Any]) -> tuple[Index, Index]:
    """Place of the first of each different key, ascending, and for every key the number of its equal in that list."""
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
