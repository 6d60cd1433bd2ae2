"""Is a closed surface embedded, and its winding number 0 or 1 everywhere? A theorem about its coordinates, or what stands against it.

Tests: `tests/mesh/test_proof.py`.
"""

from __future__ import annotations

from types import ModuleType
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops import native
from massprops.access import follow
from massprops.mesh.box_tree import NO_LIMIT, BoxTree, Index, Points, Scaled, TooManyPairs, blocks, facet_boxes
from massprops.mesh.connectivity import components
from massprops.mesh.indexed_mesh import IndexedMesh, NumberedFacets, Short
from massprops.mesh.proof import tiles
from massprops.mesh.proof.contact import winds_once_in_contact
from massprops.mesh.proof.meeting import (
    Corners,
    Relation,
    apart_diagonally,
    at_corner,
    beyond_a_side,
    elsewhere,
    widest,
)
from massprops.mesh.proof.nesting import winds_once
from massprops.mesh.source import in_threads, slices
from massprops.moments.signs import Numbers, integers, side_of_plane, small_integers
from massprops.values import dataclass

#: Result of the proof: `embedded` or `touching` where it was found.
Outcome = Literal["embedded", "touching", "crossing", "contact", "open", "nesting"]

#: Pairs that are settled in integers at a time.
_BLOCK = 4096
#: Pairs that are compared in floating point in the time that one takes in integers.
_INTEGERS = 200
#: Pairs from which on int64 pays.
_FEW = 16
#: And in which the exact contact of one pair is found.
_TOUCHING = 1000


@dataclass(frozen=True, eq=False)
class Embedding:
    """Result of comparing the facets of a surface.

    Attributes
    ----------
    crossings : ndarray of int, shape (n, 2)
        Numbers of facets that pass through each other, ascending: w takes three values round each such place.
    contacts : ndarray of int, shape (n, 2)
        Those that touch outside of what they share without passing through: `massprops.mesh.proof.contact`.
    part : ndarray of int, shape (facets,)
        The connected part that a facet belongs to.
    closed : bool
        Whether every edge is cancelled by its reverse: counted, so a proof needs no probability.
    winds_once : bool
        Whether w is 0 or 1; asked only where that is so and nothing crosses.
    """

    crossings: Index
    contacts: Index
    part: Index
    closed: bool
    winds_once: bool

    @property
    def outcome(self) -> Outcome:
        """Outcome of the proof."""
        if len(self.crossings):
            return "crossing"
        if len(self.contacts):
            return "touching" if self.winds_once else "contact"
        return "embedded" if self.winds_once else "nesting" if self.closed else "open"


def embedding_of(
    mesh: NumberedFacets, most: int = NO_LIMIT, *, outward: bool = False, jobs: int = 1, patient: bool = True
) -> Embedding:
    """Compare all facets of a closed surface that can meet; `outward`: its volume is known to be positive.

    Facets that have a point twice bound nothing and are left out. Signs come from floating point where its error bound settles
    them, else from integers, so the outcome does not depend on the order of facets, on quarter turns, powers of two or exact shifts.
    Surfaces of many facets are compared a tile at a time (`massprops.mesh.proof.tiles`), in `jobs` threads; the result does not depend
    on these.

    Raises
    ------
    TooManyPairs
        If more than `most` pairs of facets have boxes that meet, or a 200th of it have to be settled in integers; unless `patient`, at once
        where an edge is open or facets cross in a tile.
    """
    exponent = int(np.frexp(max(mesh.points.max(), -mesh.points.min()))[1])

    def scaled(points: NDArray[np.floating]) -> NDArray[np.float64]:
        return np.asarray(np.ldexp(points.astype(np.float64, copy=False), -exponent))  # at most 1

    # nothing underflows
    exact = mesh.points.itemsize < 8 or all(
        np.array_equal(np.ldexp(scaled(p), exponent), p) for p in slices(mesh.points)
    )
    faces, kept = mesh.faces, None
    try:
        found = _meetings(mesh.points, faces, scaled, most, jobs, patient)
    except tiles.FlattenedFacet:
        kept = np.flatnonzero(mesh.proper())
        faces = faces[kept]
        found = _meetings(mesh.points, faces, scaled, most, jobs, patient)
    crossings, contacts, part, closed = found
    sound: bool | None = exact and closed and not len(crossings)
    if sound and (len(contacts) or not outward or part.any()):  # else it is one part, and outward
        sound = None if len(contacts) else winds_once(mesh.points, faces, part, scaled, most, jobs)
        if sound is None:
            sound = len(contacts) <= most // _TOUCHING and winds_once_in_contact(
                scaled(mesh.points).T, faces.T, contacts
            )
    if kept is not None:
        crossings, contacts, own = kept[crossings], kept[contacts], part
        part = np.full(len(mesh.faces), -1)
        part[kept] = own
    return Embedding(_sort(crossings), _sort(contacts), part, closed, bool(sound))


def _sort(pairs: Index) -> Index:
    return np.unique(np.sort(pairs, axis=1), axis=0) if len(pairs) else pairs


def _meetings(
    points: NDArray[np.floating], faces: Index, scaled: Scaled, most: int, jobs: int, patient: bool
) -> tuple[Index, Index, Index, bool]:
    """Pairs of facets that cross, and of those that are in contact, shape (n, 2) each; the connected part of each facet; whether every
    edge is cancelled by its reverse. `FlattenedFacet` if a facet has a point twice.
    """
    core, factor = native.core(), float(scaled(np.ones(1))[0])
    part: Index | None
    if core is not None and len(faces) > tiles.SIZE and factor < np.inf:
        points, faces = np.ascontiguousarray(points), np.ascontiguousarray(faces, np.int32)
        pairs, relation, part, closed = _by_tiles(core, points, faces, factor, most, jobs, patient)
    elif not NumberedFacets(points, faces).proper().all():
        raise tiles.FlattenedFacet
    elif core is not None:
        pairs, relation, part, closed, _ = _near_compiled(core, scaled(points), faces, most)
    else:
        pairs, relation, part, closed, _ = _near_numpy(scaled(points).T, faces.T, most)
    open_ = _sort(pairs[relation == 0])
    if len(open_) > most // _INTEGERS:
        raise TooManyPairs
    settled = [_settled(points, faces, open_[i : i + _BLOCK], scaled) for i in range(0, len(open_), _BLOCK)]
    exact = np.concatenate([np.empty(0, np.int8), *settled])
    crossings = np.concatenate([pairs[relation < 0], open_[exact < 0]])
    return crossings, open_[exact == 0], np.zeros(len(faces), np.int32) if part is None else part, closed


def _settled(points: NDArray[np.floating], faces: Index, pairs: Index, scaled: Scaled) -> Relation:
    """Relations of pairs of facets in integers: in int64 where those are enough."""
    corners = faces[pairs]
    numbers, small = small_integers(scaled(points[corners]).reshape(-1, 6, 3))
    small &= small.sum() >= _FEW
    result = np.empty(len(pairs), np.int8)
    if small.any():
        one, other = corners[small].transpose(1, 2, 0)
        first = np.arange(one.size).reshape(one.shape)
        second = first + one.size
        for own, place in zip(one, first, strict=True):
            second = np.where(other == own, place, second)
        columns = numbers[small].reshape(-1, 2, 3, 3).transpose(3, 1, 2, 0).reshape(3, -1)
        result[small], _ = _relation(columns, first, second)
    if not small.all():
        used, corners = np.unique(corners[~small], return_inverse=True)
        one, other = corners.reshape(-1, 2, 3).transpose(1, 2, 0)
        result[~small], _ = _relation(integers(scaled(points[used]).T), one, other)
    return result


def _by_tiles(
    core: ModuleType, points: NDArray[np.floating], faces: Short, factor: float, most: int, jobs: int, patient: bool
) -> tuple[Index, Relation, Index, bool]:
    """Findings of all tiles, with the numbers of the facets of the whole surface."""
    left = most

    def compare(tile: tiles.Tile, _: int) -> tuple[Short, _Met, Short, Index]:
        """The facets of a tile; what was found; the first facet of the part of each, its name; and of facets in other tiles too, the number
        and that name in one integer.
        """
        own, before, find = tile
        met = _met(find(max(left, 0)))  # more pairs than are left now are too many in any order of work
        first: Short = np.broadcast_to(own[0], own.shape) if met.part is None else own[met.part]
        shared = np.flatnonzero(before & tiles.SEVERAL)
        return own, met, first, own[shared].astype(np.int64) << 32 | first[shared]

    closed, whole, heads, named = True, list[Short](), list[Short](), list[Index]()
    part = np.zeros(len(faces), np.int32)  # takes no memory until it is written
    pairs, relations = [np.empty((0, 2), np.int32)], [np.empty(0, np.int8)]
    pieces = list(tiles.tiles(core, points, faces, factor, jobs))
    compared = in_threads(compare, ((tile, 0) for tile in pieces), jobs)
    for own, met, first, names in follow(compared, sum(len(own) for own, *_ in pieces), lambda found: len(found[0])):
        left -= met.compared
        if left < 0 or not (patient or (met.closed and (met.relation == 0).all())):
            raise TooManyPairs
        pairs.append(own[met.pairs])
        relations.append(met.relation)
        closed = closed and met.closed
        named.append(names)
        heads.append(own[own == first])
        if met.part is None:
            whole.append(own)
        else:
            part[own] = first
    two, known = np.concatenate(named), np.unique(np.concatenate(heads))
    two.sort()
    again = np.flatnonzero(two[1:] >> 32 == two[:-1] >> 32)  # facets with two names of their parts
    same = np.searchsorted(known, np.stack([two[again], two[again + 1]]) & 0xFFFFFFFF)
    smallest = known[components(len(known), *same)]
    if smallest.any():  # else all are the part of the first facet
        for own in whole:
            part[own] = own[0]
        root = np.arange(len(faces), dtype=np.int32)
        root[known] = smallest
        for some in slices(part):
            some[:] = root[some]
    else:
        part = np.zeros(len(faces), np.int32)
    return np.concatenate(pairs), np.concatenate(relations), part, closed


class _Met(NamedTuple):
    """Pairs of facets, shape (n, 2), that floating point does not know to be apart, and how they stand to each other, −1 or 0; the first
    facet of the part of each, None where they are one part; whether every edge at the tile's own points is cancelled by its reverse; and
    how many pairs were compared.
    """

    pairs: Index
    relation: Relation
    part: Index | None
    closed: bool
    compared: int


def _near_numpy(points: Points, faces: Index, most: int = NO_LIMIT) -> _Met:
    """Pairs of facets that are near each other.

    The reference: it compares all pairs whose boxes meet. The compiled core leaves out those of one patch (massprops/native/patches.c).
    """
    points, faces = np.ascontiguousarray(points), np.ascontiguousarray(faces)
    pairs, relations = [np.empty((0, 2), dtype=np.intp)], [np.empty(0, dtype=np.int8)]
    across, compared = [np.empty((2, 0), dtype=np.intp)], 0
    for i, j in BoxTree.over(facet_boxes(points, faces)).pairs(most):
        compared += len(i)
        relation, neighbours = _relation(points, faces[:, i], faces[:, j])
        open_ = np.flatnonzero(relation == 0)
        one, other = (_corners(points, faces[:, x[open_]]) for x in (i, j))
        relation[open_[apart_diagonally(one, other)]] = 1
        kept = relation < 1
        pairs.append(np.stack([i[kept], j[kept]], axis=1))
        relations.append(relation[kept])
        across.append(np.stack([i[neighbours], j[neighbours]]))
    part = components(faces.shape[1], *np.concatenate(across, axis=1))
    closed = not len(IndexedMesh(points.T, faces.T).open_edges())
    return _Met(np.concatenate(pairs), np.concatenate(relations), part, closed, compared)


def _near_compiled(core: ModuleType, points: Points, faces: Index, most: int = NO_LIMIT) -> _Met:
    """Pairs of facets that are near each other, shape (F, 3), by the compiled core."""
    places, facets = np.full(len(points), -1, np.int32), np.arange(len(faces), dtype=np.int32).tobytes()
    inside, before = np.zeros(len(points), np.uint16), np.zeros(len(faces), np.uint8)
    points, faces = np.ascontiguousarray(points), np.ascontiguousarray(faces, np.int32)
    return _met(core.meetings(points, faces, np.ones(1), facets, inside, 0, places, before, most))


def _met(found: tuple[bytes, bytes | None, bool, int] | None) -> _Met:
    """Findings of the compiled core."""
    if found is None:
        raise TooManyPairs
    pairs: Index = np.frombuffer(found[0], np.int64).reshape(-1, 3)
    part = None if found[1] is None else np.frombuffer(found[1], np.int32)
    return _Met(pairs[:, :2], pairs[:, 2].astype(np.int8), part, *found[2:])


def _relation(points: Numbers, first: Index, second: Index) -> tuple[Relation, Index]:
    """How facets stand to each other, given by the numbers of their corners, shape (3, n) each: see `meeting`; 0 where they have an
    edge in the same direction. And the numbers of those that lie on both sides of an edge.
    """
    same = first[:, np.newaxis] == second
    mine, theirs = same[:, 0] | same[:, 1] | same[:, 2], same[0] | same[1] | same[2]
    shared = mine.sum(axis=0)
    several = np.flatnonzero(shared > 1)
    edges = same[:, :, several]
    opposite = (edges & np.roll(edges, (-1, 1), axis=(0, 1))).any(axis=(0, 1)) & (shared[several] == 2)
    result = _beside(points, first, second, theirs)
    open_ = result == 0
    open_[several[~opposite]] = result[several[~opposite]] = 0
    rest = np.flatnonzero(open_)
    first, second = (  # with the corner that is shared, if it is one, in front
        np.take_along_axis(x[:, rest], (np.arange(3)[:, np.newaxis] + own[:, rest].argmax(axis=0)) % 3, axis=0)
        for x, own in ((first, mine), (second, theirs))
    )
    result[rest] = _relation_of_near(points, first, second, shared[rest])
    return result, several[opposite]


def _relation_of_near(points: Numbers, first: Index, second: Index, shared: Index) -> Relation:
    """Relations of pairs in which the second is not beside the plane of the first."""
    same = first[:, np.newaxis] == second
    result = np.where(shared < 2, _beside(points, second, first, same.any(axis=1)), np.int8(0))
    rest = np.flatnonzero(result == 0)
    for k in range(3):
        if not len(rest):
            break
        for one, other, common in ((first, second, same), (second, first, same.swapaxes(0, 1))):
            f, g = _corners(points, one[:, rest]), _corners(points, other[:, rest])
            result[rest] = beyond_a_side(f, g, common[:, :, rest], widest(f)[k])
            rest = rest[result[rest] == 0]
        if k == 0:
            for kind, number in ((elsewhere, 0), (at_corner, 1)):
                these = rest[shared[rest] == number]
                result[these] = kind(_corners(points, first[:, these]), _corners(points, second[:, these]))
            rest = rest[result[rest] == 0]
    return result


def _corners(points: Numbers, numbers: Index) -> Corners:
    a, b, c = (points.take(x, axis=1) for x in numbers)
    return a, b, c


def _beside(points: Numbers, first: Index, second: Index, common: NDArray[np.bool_]) -> Relation:
    """1 where all corners of the second facet, but for common ones, are on one side of the plane of the first: it settles most pairs."""
    result = np.empty(first.shape[1], dtype=np.int8)
    for block in blocks(len(result), 8192):  # what they need stays in the processor's cache
        a, b, c = _corners(points, first[:, block])
        p, q, r = (side_of_plane(a, b, c, p) for p in _corners(points, second[:, block]))
        i, j, k = common[:, block]
        above, below = (((p == s) | i) & ((q == s) | j) & ((r == s) | k) for s in (1, -1))
        result[block] = above | below
    return result
