"""The winding number along lines: does the surface bound each point of the body exactly once?

The integral over a closed surface is ∫ w(x) q(x) dx, w the integer winding number, so it is the body's only where w is 1 inside and
0 outside. Lines are shot through the body along three orthogonal directions in general position, one line at a random place in each
cell of an n × n lattice. Where a line crosses a triangle, w changes by one; sorted along the line, the running sum of the changes
*is* w.

Whether a line meets a triangle is decided edge by edge: an edge counts +1 or −1 if it passes the line's level on its far side, and
the three counts of a triangle add up to its own winding number about the line. An edge counts exactly opposite for its reverse
(both products are rounded before they are subtracted, so the test is antisymmetric to the bit); hence the counts of a closed
surface add up to zero on every line, whatever rounding does: no line leaks through a shared edge or vertex.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from massprops import native
from massprops.mesh.source import SUMMED, Chunk, Triangles, corners_of, enumerate_chunks, for_core, slices
from massprops.mesh.xray.line_grid import Lattice
from massprops.moments.arrays import Array, Index, expand_counts
from massprops.values import dataclass

#: A crossing as the compiled core has it.
_COMPILED = np.dtype([("line", np.int64), ("facet", np.int64), ("depth", np.float64), ("change", np.int64)])

#: In cells of the lattice: facets with the same corners are crossed at the same depth but for rounding.
_SAME_DEPTH = 1e-9

#: Pairs of a triangle and a cell that are looked at together: long triangles pass many cells, and memory is bounded.
_PAIRS = 1 << 17


@dataclass(frozen=True)
class Crossings:
    """Crossings of the lines of one family with the surface: line, depth (lattice units), change of w, and the facet."""

    line: Index
    depth: Array
    change: NDArray[np.signedinteger[Any]]
    facet: Index

    def weighted(self, factors: NDArray[np.int8]) -> Self:
        """Crossings with the change of every facet multiplied by its factor, shape (facets,): 0 leaves it out, −1 turns it round."""
        if (factors == 1).all():
            return self
        change = self.change * factors[self.facet]
        return replace(self, change=change).chosen(np.flatnonzero(change))

    def chosen(self, places: Index) -> Self:
        """The crossings with these numbers."""
        return type(self)(self.line[places], self.depth[places], self.change[places], self.facet[places])

    def order(self) -> Index:
        """Numbers of the crossings by line, then by depth; equal ones keep their order."""
        if not len(self.line):
            return np.zeros(0, np.intp)
        depth = self.depth - self.depth.min()
        # one word for line and depth, to as many bits as are left, is sorted several times as fast as two keys
        room = 63 - int(self.line.max()).bit_length()
        word = np.ldexp(depth, room - np.frexp(depth.max())[1]).astype(np.int64) | self.line.astype(np.int64) << room
        order: Index = word.argsort(kind="stable")
        word, depth = word[order], self.depth[order]
        alike = word[1:] == word[:-1]
        if (alike & (depth[1:] < depth[:-1])).any():
            some = np.flatnonzero(np.append(alike, False) | np.append(False, alike))
            order[some] = order[some][np.lexsort((depth[some], word[some]))]
        return order

    @classmethod
    def of_parts(cls, parts: Sequence[Crossings]) -> Self:
        """Crossings of several parts of a mesh."""
        return cls(
            *(np.concatenate([getattr(p, name) for p in parts]) for name in ("line", "depth", "change", "facet"))
        )


@dataclass(frozen=True)
class Winding:
    """Winding number w along the lines of one family: between one crossing and the next on the same line.

    Attributes
    ----------
    line : ndarray of int, shape (s,)
    start, stop : ndarray, shape (s,)
        Depths, in lattice units.
    w : ndarray of int, shape (s,)
    leaks : int
        Lines on which w does not return to zero: none, if the surface is closed.
    folds : int
        How often a line enters and leaves at one depth: through two facets back to back, or by accident through an edge.
    """

    line: Index
    start: Array
    stop: Array
    w: Index
    leaks: int
    folds: int = 0

    @classmethod
    def along(cls, crossings: Crossings) -> Self:
        """Winding number from the crossings of one family, in any order."""
        order = crossings.order()
        line, depth = crossings.line[order], crossings.depth[order]
        change = crossings.change[order]
        w = np.cumsum(change, dtype=np.int64)
        folds = (np.diff(depth) <= _SAME_DEPTH) & (change[1:] == -change[:-1]) & (line[1:] == line[:-1])
        last = np.append(line[1:] != line[:-1], True) if len(line) else np.zeros(0, dtype=bool)
        total = np.diff(w[last], prepend=0)
        w -= np.repeat(w[last] - total, np.diff(np.flatnonzero(last), prepend=-1))
        inner = np.flatnonzero(~last)
        return cls(
            line[inner],
            depth[inner],
            depth[inner + 1],
            w[inner],
            int(np.count_nonzero(total)),
            int(np.count_nonzero(folds)),
        )


def xray(mesh: Triangles, lattice: Lattice) -> list[Crossings]:
    """Crossings of the three families of lines with a surface, facet by facet and line by line."""
    parts = list(mesh.map(functools.partial(shoot, lattice)))
    return [Crossings.of_parts(family) for family in zip(*parts, strict=True)]


def shoot(lattice: Lattice, chunk: Chunk, first: int = 0) -> list[Crossings]:
    """Crossings of the three families with triangles, in file units; `first` is the number of the first of them."""
    if core := native.core():
        points, numbers = for_core(chunk)
        given = (lattice.rotation / lattice.cell[:, np.newaxis], lattice.low / lattice.cell, lattice.places)
        found = core.crossings(points, *map(np.ascontiguousarray, given), lattice.lines, first, numbers)
        families = (np.frombuffer(family, _COMPILED) for family in found)
        return [Crossings(f["line"], f["depth"], f["change"].astype(np.int8), f["facet"]) for f in families]
    corners = corners_of(chunk)
    if len(corners) > SUMMED:
        parts = [shoot(lattice, part, first + before) for part, before in enumerate_chunks(slices(corners, SUMMED))]
        return [Crossings.of_parts(family) for family in zip(*parts, strict=True)]
    q = lattice.coordinates(np.ascontiguousarray(corners.transpose(1, 2, 0)).astype(np.float64))
    low, high = q.min(axis=0), q.max(axis=0)
    cells = np.clip(np.stack([low, high]).astype(np.intp), 0, lattice.lines - 1)  # (2, axis, m)
    return [_cross(q, low, high, cells, k, lattice, first) for k in range(3)]


def _cross(q: Array, low: Array, high: Array, cells: Index, k: int, lattice: Lattice, first: int) -> Crossings:
    u, v = (k + 1) % 3, (k + 2) % 3
    parts = []
    for facet, cell in _pairs(cells[:, [u, v]], lattice.lines):
        at_u, at_v = places = lattice.places[k].take(cell, axis=1)
        near = (low[u, facet] <= at_u) & (at_u <= high[u, facet]) & (low[v, facet] <= at_v) & (at_v <= high[v, facet])
        facet, cell, places = facet[near], cell[near], places[:, near]
        parts.append(_hit(q[:, :, facet], cell, first + facet, k, places))
    return Crossings.of_parts(parts)


def _pairs(cells: Index, lines: int) -> Iterator[tuple[Index, Index]]:
    """Facets and the cells that their shadows may touch, in batches; `cells` (2, 2, m): [low, high], [u, v], facet."""
    (low_u, low_v), (high_u, high_v) = cells
    width = high_v - low_v + 1
    for facet, number in expand_counts((high_u - low_u + 1) * width, _PAIRS):
        step_u, step_v = np.divmod(number, width[facet])
        yield facet, (low_u[facet] + step_u) * lines + low_v[facet] + step_v


def _hit(q: Array, line: Index, facet: Index, k: int, places: Array) -> Crossings:
    """The crossings among pairs of a triangle, q of shape (3, 3, p), and a line at `places`, shape (2, p)."""
    u = q[:, (k + 1) % 3] - places[0]
    v = q[:, (k + 2) % 3] - places[1]
    above = v > 0
    count = np.zeros(len(line), dtype=np.int8)
    area = np.empty_like(u)
    for i, (a, b) in enumerate(((1, 2), (2, 0), (0, 1))):
        area[i] = u[a] * v[b] - v[a] * u[b]
        count += above[b] & ~above[a] & (area[i] > 0)
        count -= above[a] & ~above[b] & (area[i] < 0)
    hit = np.flatnonzero(count)
    depth = _interpolate(q[:, k][:, hit], area[:, hit])
    # along an axis one leaves where the normal points ahead
    return Crossings(line[hit], depth, -count[hit], facet[hit])


def _interpolate(depth: Array, area: Array) -> Array:
    """Depth of a line in a triangle, from the depths of its corners and the areas opposite to them; within the triangle's own."""
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = (depth * area).sum(axis=0) / area.sum(axis=0)
    inside = np.where(np.isfinite(inside), inside, depth.mean(axis=0))  # seen edge-on: anywhere on the edge
    return np.asarray(np.clip(inside, depth.min(axis=0), depth.max(axis=0)))
