"""The shells of a surface, and how each lies among the others: paid for only when the X-ray finds w outside {0, 1}."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from massprops.mesh.box_tree import TooManyPairs
from massprops.mesh.connectivity import bounds_of_groups
from massprops.mesh.source import Triangles
from massprops.mesh.surface import Surface, total
from massprops.moments.arrays import Index
from massprops.moments.integrals import Array, Moments
from massprops.values import dataclass

if TYPE_CHECKING:
    from massprops.mesh.indexed_mesh import IndexedMesh
    from massprops.mesh.xray.line_crossings import Crossings
    from massprops.mesh.xray.line_grid import Lattice

#: What is true of all but this share of the places where lines cross a part is true of the part: the rest is rounding.
_TIES = 0.01
#: Bodies in contact reach into each other by less than this share of the way through them.
_CONTACT = 5e-3
#: Most pairs of a place and a part around it, of one family of lines: for each crossing, and besides.
_FEW, _SOME = 16, 2_000_000

#: What a shell is among the others: `nested`: in one of its own orientation, so that it can be the opposite of that, or part of it.
Role = Literal["body", "cavity", "nested"]


@dataclass(frozen=True)
class SurfacePart:
    """A shell: a part of a surface that is closed in itself.

    Attributes
    ----------
    label : int
        Its number in `label_facets`.
    outward : bool
        Whether its own faces look outward.
    tangled : bool
        Whether its own winding number is positive in some places and negative in others.
    deepest : int
        The most often that it winds about any place, whatever the sign.
    around : frozenset of int
        The numbers of the parts in which all of it lies, also if it touches their walls from inside.
    covered : float
        Share of the places just inside it at which the winding number of all other parts together is 1 or more.
    sunk : float
        Share of the places at which that is so deeper than in bodies in contact.
    places : int
        Number of these places: where lines cross it.
    inside : tuple of float
        A point inside it, file units.
    """

    label: int
    outward: bool
    tangled: bool
    deepest: int
    around: frozenset[int]
    covered: float
    sunk: float
    places: int
    inside: tuple[float, float, float]

    @property
    def enclosed(self) -> bool:
        """Whether the others leave no place for it."""
        return self.covered >= 1 - _TIES


def roles(parts: Sequence[SurfacePart]) -> dict[int, tuple[Role, int]]:
    """Role of each part by its number, and the sign of its volume in the body: 1 or −1, of a nested part as the opposite of what it is in.

    A part counts against the innermost one around it, or several cavities that overlap: the opposite where the orientations differ. In the
    open, or in several bodies, it is a body, unless it is inside out where all others together leave no place for one.
    """
    found: dict[int, tuple[Role, int]] = {}
    of = {p.label: p for p in parts}
    for p in sorted(parts, key=lambda p: len(p.around)):
        inner = [of[q] for q in p.around if not any(q in of[r].around for r in p.around)]
        kinds = {(*found[q.label], p.outward == q.outward) for q in inner if len(q.around) < len(p.around)}
        if len(kinds) != 1 or (len(inner) > 1 and ("cavity", -1) not in (k[:2] for k in kinds)):
            found[p.label] = ("cavity", -1) if p.enclosed and not p.outward else ("body", 1)
            continue
        ((role, sign, is_alike),) = kinds
        if role == "nested" or is_alike:
            found[p.label] = "nested", -sign
        elif sign > 0:
            found[p.label] = "cavity", -1
        else:
            found[p.label] = "body", 1
    return found


@dataclass(frozen=True, eq=False)
class BodyParts:
    """The parts of several bodies: their outer walls and cavities.

    Attributes
    ----------
    labels : ndarray of int, shape (facets,)
        The number of the part that each facet belongs to.
    body : ndarray of int, shape (parts,)
        The number of the body that each part belongs to: that of the outer wall; a cavity of several bodies has its own.
    sign : ndarray of int, shape (parts,)
        1, or −1 for a cavity.
    """

    labels: Index
    body: Index
    sign: Index

    @property
    def free(self) -> NDArray[np.bool_]:
        """Whether a body, by its number, is a cavity of several others, shape (parts,)."""
        found = np.zeros(len(self.sign), dtype=bool)
        found[self.body[self.sign < 0]] = True
        found[self.body[self.sign > 0]] = False
        return found


def body_parts(labels: Index, parts: Sequence[SurfacePart], volumes: Array) -> BodyParts:
    """Bodies that the parts are of: cavities have a negative volume, shape (parts,), and are of the body round them."""
    body, sign = np.arange(len(volumes)), np.where(volumes < 0, -1, 1)
    of = {p.label: p for p in parts}
    for p in parts:
        outer = [q for q in p.around if len(of[q].around) == len(p.around) - 1 and sign[q] > 0]
        if sign[p.label] < 0 and len(outer) == 1:
            body[p.label] = outer[0]
    return BodyParts(labels, body, sign)


def bounds_of_union(bodies: BodyParts, parts: Sequence[SurfacePart], volumes: Array) -> tuple[float, float]:
    """The least and the most that bodies without their cavities can have together, by the volumes of their parts, shape (parts,).

    A part that winds about places up to n times encloses at least an n-th of its volume; at most all of it, where it is not tangled.
    """
    deepest, tangled = np.ones(len(volumes)), np.zeros(len(volumes), dtype=bool)
    for p in parts:
        deepest[p.label], tangled[p.label] = p.deepest, p.tangled
    size, is_body, free = np.abs(volumes), bodies.sign > 0, bodies.free
    at_most, at_least = np.where(tangled, np.inf, size), size / deepest
    cut, largest = np.zeros(len(size)), np.zeros(len(size))
    np.add.at(cut, bodies.body[~is_body], at_most[~is_body])
    np.maximum.at(largest, bodies.body[~is_body], at_least[~is_body])
    least = (at_least - cut)[is_body].max(initial=0.0) - at_most[free].sum()
    return max(float(least), 0.0), float((at_most - largest)[is_body].sum())


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

    def volumes(self) -> Array:
        """Signed volume of every part, shape (parts,)."""
        found = np.zeros(self.count)
        for chunk, own in self._chunks():
            a, b, c = (chunk - self.reference).transpose(1, 0, 2)
            found += np.bincount(own, weights=(a * np.cross(b, c)).sum(axis=1) / 6, minlength=self.count)
        return found

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
    """Number of the shell that each facet belongs to, shape (n,): 0, 1, … in the order of the file.

    Facets of bodies that touch in faces, edges or vertices belong to different ones: `massprops.mesh.shells`.
    """
    return _number_shells(mesh)[1]


def count_bodies(mesh: Triangles) -> int:
    """How many shells of a closed surface look outward: bodies; those that look inward are cavities."""
    indexed, labels = _number_shells(mesh)
    a, b, c = (indexed.corners - indexed.points[0]).transpose(1, 0, 2)
    volumes = (a * np.cross(b - a, c - a)).sum(axis=1)
    return int(np.count_nonzero(np.bincount(labels, weights=volumes) > 0))


def _number_shells(mesh: Triangles) -> tuple[IndexedMesh, Index]:
    from massprops.mesh.indexed_mesh import IndexedMesh  # imported lazily
    from massprops.mesh.shells import shells

    indexed = IndexedMesh.of(mesh)
    _, first, number = np.unique(shells(indexed), return_index=True, return_inverse=True)
    return indexed, np.asarray(np.argsort(np.argsort(first))[number])


def describe(
    families: Sequence[Crossings], labels: Index, lattice: Lattice, depth_tolerance: float
) -> list[SurfacePart]:
    """Every part that a line has met, with its place among the others; `depth_tolerance` is a length in file units."""
    views = [_view(c, k, labels, depth_tolerance / lattice.cell[k]) for k, c in enumerate(families)]
    seen, covered = (np.concatenate(found) for found in zip(*views, strict=True))
    seen = seen[np.argsort(seen["part"], kind="stable")]
    crossed = np.bincount(seen["part"][seen["inner"] >= 0])
    pairs, times = np.unique(covered.astype(np.int64) @ [len(labels), 1], return_counts=True)
    inner, outer = np.divmod(pairs, len(labels))
    always = times >= (1 - _TIES) * crossed[inner]
    within = {*zip(inner[always].tolist(), outer[always].tolist(), strict=True)}
    around: dict[int, set[int]] = {}
    for p, q in within:
        if (q, p) not in within:
            around.setdefault(p, set()).add(q)
    each = np.split(seen, np.flatnonzero(np.diff(seen["part"])) + 1)
    return [_part(part, frozenset(around.get(int(part["part"][0]), ())), lattice) for part in each if len(part)]


def _view(crossings: Crossings, family: int, labels: Index, depth_tolerance: float) -> tuple[NDArray[Any], Index]:
    """Each place where a line passes a part, and the pairs of parts, shape (n, 2), of which the first is passed inside the second.

    Crossings that are apart by rounding are one place. Of a place: the part, the family of the line, the line and the depth; the part's w
    behind it and the length to its next place; just inside the part, w of all others, and the number of that segment or −1.
    """
    order = crossings.order()
    line, depth, change = crossings.line[order], crossings.depth[order], crossings.change[order].astype(np.intp)
    # every line adds up to zero: no need to tell them apart
    part, total = labels[crossings.facet[order]], np.cumsum(change)
    place = np.cumsum((np.diff(depth, prepend=0) > depth_tolerance) | (np.diff(line, prepend=-1) != 0))
    begin, end = np.searchsorted(place, place), np.searchsorted(place, place, side="right") - 1
    order = np.argsort(part, kind="stable")
    own = np.cumsum(change[order])
    head = (np.diff(part[order], prepend=-1) != 0) | (np.diff(place[order], prepend=-1) != 0)
    first, last = order[head], order[np.roll(head, -1)]
    before, after = (own - change[order])[head], own[np.roll(head, -1)]
    following = np.append((np.diff(part[first]) == 0) & (np.diff(line[first]) == 0), np.zeros(min(len(first), 1), bool))
    length = np.where(following, np.roll(depth[first], -1) - depth[last], 0)
    entered, left = (before == 0) & (after != 0), (before != 0) & (after == 0)
    inner = np.where(entered, end[last], np.where(left, begin[first] - 1, -1))
    others = total[inner] - before - after
    deep = np.diff(depth, append=0)[inner] > _CONTACT * np.where(entered, length, np.roll(length, 1))
    names = ("part", "family", "line", "depth", "own", "length", "others", "inner", "deep")
    columns = (part[first], np.full(len(first), family), line[last], depth[last], after, length, others, inner, deep)
    kinds = [(name, column.dtype) for name, column in zip(names, columns, strict=True)]
    # the segments that lie in a part: from each of its places to the next
    inside = np.flatnonzero(after)
    asked = np.flatnonzero(inner >= 0)
    asked = asked[np.argsort(inner[asked], kind="stable")]
    low, high = (np.searchsorted(inner[asked], x[inside]) for x in (last, np.roll(first, -1)))
    times = high - low
    if times.sum() > _SOME + _FEW * len(line):
        raise TooManyPairs
    which = np.arange(times.sum()) + np.repeat(low - np.cumsum(times) + times, times)
    pairs = np.stack([part[first][asked[which]], np.repeat(part[first][inside], times)], axis=1)
    return np.rec.fromarrays(columns, dtype=kinds).view(np.ndarray), pairs[pairs[:, 0] != pairs[:, 1]]


def _part(seen: NDArray[Any], around: frozenset[int], lattice: Lattice) -> SurfacePart:
    own, asked = seen["own"][seen["length"] > 0], seen[seen["inner"] >= 0]
    covered = asked["others"] >= 1
    longest = seen[np.argmax(np.where(seen["own"] != 0, seen["length"], -1))]
    depth = longest["depth"] + longest["length"] / 2
    return SurfacePart(
        label=int(seen["part"][0]),
        outward=bool((seen["own"] * seen["length"]).sum() > 0),
        tangled=bool((own > 0).any() and (own < 0).any()),
        deepest=max(1, int(np.abs(own).max(initial=0))),
        around=around,
        covered=float(covered.mean()) if len(asked) else 0.0,
        sunk=float((covered & asked["deep"]).mean()) if len(asked) else 0.0,
        places=len(asked),
        inside=lattice.point(int(longest["family"]), int(longest["line"]), float(depth)),
    )
