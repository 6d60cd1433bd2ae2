"""The connected parts of a surface, and how each lies among the others: paid for only when the X-ray finds w outside {0, 1}."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from massprops.mesh.connectivity import bounds_of_groups
from massprops.mesh.source import Triangles
from massprops.mesh.surface import Surface, total
from massprops.mesh.xray.line_crossings import Crossings, Index
from massprops.mesh.xray.line_grid import Lattice
from massprops.moments.integrals import Array, Moments
from massprops.values import dataclass

if TYPE_CHECKING:
    from massprops.mesh.indexed_mesh import IndexedMesh

#: A part lies in one ambient winding number if all but this share of its crossings say so: the rest are ties of touching surfaces.
_TIES = 0.01


@dataclass(frozen=True)
class SurfacePart:
    """A connected part of a surface, closed in itself.

    Attributes
    ----------
    label : int
        Its number in `label_facets`.
    outward : bool
        Whether its own faces look outward.
    simple : bool
        Whether its own winding number is 0 or ±1.
    ambient : int or None
        The winding number of all other parts around it; None if it crosses another part.
    inside : tuple of float
        A point inside it, file units.
    """

    label: int
    outward: bool
    simple: bool
    ambient: int | None
    inside: tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class LabelledMesh:
    """Triangles in parts that are measured, turned round or left out as wholes.

    Attributes
    ----------
    mesh : Triangles
        All triangles.
    labels : ndarray of int, shape (facets,)
        The number of the part that each facet belongs to.
    reference : ndarray, shape (3,)
        The point that moments are taken about.
    """

    mesh: Triangles
    labels: Index
    reference: Array

    @classmethod
    def of(cls, mesh: Triangles, reference: Array) -> Self:
        """A mesh in its connected parts."""
        return cls(mesh, label_facets(mesh), reference)

    @property
    def count(self) -> int:
        """Number of parts."""
        return int(self.labels.max()) + 1

    def _chunks(self) -> Iterator[tuple[NDArray[np.floating], Index]]:
        first = 0
        for chunk in self.mesh.chunks():
            yield chunk, self.labels[first : first + len(chunk)]
            first += len(chunk)

    def bounds(self) -> Array:
        """Bounds of every part, shape (parts, 2, 3)."""
        pieces = [
            bounds_of_groups(chunk.reshape(-1, 3), np.repeat(own, 3), self.count) for chunk, own in self._chunks()
        ]
        return np.stack(
            [np.min([low for low, _ in pieces], axis=0), np.max([high for _, high in pieces], axis=0)], axis=1
        )

    def surface(self, members: NDArray[np.bool_]) -> Surface:
        """Sums over the parts whose entry in `members` is true, at least one."""
        masks = ((chunk, members[own]) for chunk, own in self._chunks())
        return total(Surface.of(chunk[mask], self.reference) for chunk, mask in masks if mask.any())

    def weighted(self, factors: NDArray[np.int8]) -> Triangles:
        """The triangles, turned round where the factor of their part, shape (parts,), is −1, and left out where it is 0."""

        def chunks() -> Iterator[NDArray[np.floating]]:
            for chunk, own in self._chunks():
                factor = factors[own]
                yield np.where((factor < 0)[:, np.newaxis, np.newaxis], chunk[:, ::-1], chunk)[factor != 0]

        return self.mesh if (factors == 1).all() else self.mesh.altered(chunks)

    def weighted_solid(self, solid: Moments, factors: NDArray[np.int8]) -> Moments:
        """Σ factor · J over the parts: `solid`, the sum over all, less what the changed parts put into it too much."""
        for factor in (-1, 0):
            if (members := factors == factor).any():
                changed = self.surface(members).solid
                solid = solid - changed if factor == 0 else solid - changed - changed
        return solid

    def weighted_area(self, area: float, factors: NDArray[np.int8]) -> float:
        """`area`, that of all parts, without those whose factor is 0."""
        left_out = factors == 0
        return area - self.surface(left_out).sheet.measure if left_out.any() else area


def label_facets(mesh: Triangles) -> Index:
    """For every facet the number of the connected part that it belongs to, shape (n,): 0, 1, … in the order of the file.

    Facets are connected where they share a vertex, bit for bit.
    """
    return _labels(_number_vertices(mesh))


def count_bodies(mesh: Triangles) -> int:
    """How many connected parts of a closed surface look outward: bodies; those that look inward are cavities."""
    indexed = _number_vertices(mesh)
    a, b, c = (indexed.corners - indexed.points[0]).transpose(1, 0, 2)
    volumes = (a * np.cross(b - a, c - a)).sum(axis=1)
    return int(np.count_nonzero(np.bincount(_labels(indexed), weights=volumes) > 0))


def _number_vertices(mesh: Triangles) -> IndexedMesh:
    from massprops.mesh.indexed_mesh import IndexedMesh  # only who tells parts apart pays for it

    return IndexedMesh.of(mesh)


def _labels(mesh: IndexedMesh) -> Index:
    _, first, number = np.unique(mesh.parts(), return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[number])


def describe(
    families: Sequence[Crossings], labels: Index, lattice: Lattice, depth_tolerance: float
) -> list[SurfacePart]:
    """Every part that a line has met, with its place among the others; `depth_tolerance` is a length in file units."""
    views = [_view(c, k, labels, depth_tolerance / lattice.cell[k]) for k, c in enumerate(families)]
    seen = np.concatenate(views)
    return [_part(seen[seen["part"] == p], lattice) for p in np.unique(seen["part"])]


def _view(crossings: Crossings, family: int, labels: Index, depth_tolerance: float) -> NDArray[Any]:
    """Every crossing of a line with a part: the part, the family of the line, the line and the depth; the part's w behind it, and that of
    the others around it; the length to the part's next crossing, 0 where it is rounding; whether one of another part coincides with it.
    """
    order = np.lexsort((crossings.depth, crossings.line))
    line, depth, change = crossings.line[order], crossings.depth[order], crossings.change[order].astype(np.intp)
    part = labels[crossings.facet[order]]
    after = np.cumsum(change)  # every line adds up to zero, so lines need not be distinguished
    close = (np.diff(depth) <= depth_tolerance) & (np.diff(line) == 0) & (np.diff(part) != 0)
    grouped = np.lexsort((np.arange(len(part)), part))
    own, length = np.empty_like(after), np.zeros(len(part))
    own[grouped] = np.cumsum(change[grouped])
    following = (np.diff(line[grouped]) == 0) & (np.diff(part[grouped]) == 0)
    apart = np.diff(depth[grouped])
    length[grouped[:-1]] = np.where(following & (apart > depth_tolerance), apart, 0)
    tied = np.zeros(len(part), bool)  # a family may have no crossing at all
    tied[:-1] |= close
    tied[1:] |= close
    names = ("part", "family", "line", "depth", "own", "around", "length", "tied")
    columns = (part, np.full(len(part), family), line, depth, own, after - own, length, tied)
    kinds = [(name, column.dtype) for name, column in zip(names, columns, strict=True)]
    return np.rec.fromarrays(columns, dtype=kinds).view(np.ndarray)


def _part(seen: NDArray[Any], lattice: Lattice) -> SurfacePart:
    values, counts = np.unique(seen["around"][~seen["tied"]], return_counts=True)
    settled = len(values) > 0 and counts.max() >= (1 - _TIES) * counts.sum()
    own = seen["own"][seen["length"] > 0]
    longest = seen[np.argmax(np.where(seen["own"] != 0, seen["length"], -1))]
    depth = longest["depth"] + longest["length"] / 2
    return SurfacePart(
        label=int(seen["part"][0]),
        outward=bool((seen["own"] * seen["length"]).sum() > 0),
        simple=bool(np.isin(own, (0, 1)).all() or np.isin(own, (0, -1)).all()),
        ambient=int(values[counts.argmax()]) if settled else None,
        inside=lattice.point(int(longest["family"]), int(longest["line"]), float(depth)),
    )
