"""The repair ladder: drop, flip, weld, split, fill; each step has a name, a count, a place and a bound.

Drop: duplicates of facets, pairs of a facet and its reverse, facets without area. Flip: facets are turned round, so that neighbours agree.
Weld: vertices on open edges that are nearer to each other than a tolerance become one. Split: a vertex lies on the edge of another facet
(a T-junction), so that the edge and its two halves do not cancel. Fill: `massprops.mesh.repair.holes`.

Steps are taken in this order and only where something is wrong; what comes out is closed and consistently oriented, or the surface is
refused with the reason. Which shells look outward, cavities and overlaps are decided by
`massprops.mesh.winding_policy`, which sees inside.

Tests: `tests/mesh/test_repair_ladder.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from massprops.mesh.connectivity import Index, bounds_of_groups, components
from massprops.mesh.indexed_mesh import IndexedMesh, OpenEdges
from massprops.mesh.repair.bounds import Bound, Step, moved_facets, place
from massprops.mesh.repair.holes import FilledMesh, Readings, fill, least_missing
from massprops.mesh.repair.neighbours import pairs_within
from massprops.mesh.repair.seams import through_wall
from massprops.mesh.winding_tree import WindingTree
from massprops.moments.arrays import Array, unit_vectors
from massprops.wording import percent, plural

#: Facets at which a double-sided body is compared with the others.
_SAMPLES = 8
#: Numbers of vertices are mixed by it, and by a fold.
_MIXED, _HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)
#: Tolerances of the weld, in sizes of the body, tried in this order.
WELDS = (1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3)
#: How far a vertex may be from the edge that it is said to lie on, in sizes of the body.
ON_EDGE = 1e-5
#: A weld, or a split, is accepted where the length of open edges falls by this factor.
_WELD_FALL, _SPLIT_FALL = 10.0, 2.0
#: Rounds of splitting: in each, a facet has one of its edges split.
_ROUNDS = 6
#: Open edges above which it is seen first whether enough of the surface is there: splitting compares pairs of edges and vertices.
MANY = 2000
#: Open edges at which it is seen whether a weld can help.
_TRIED = 1000
#: More of the surface than this is not filled, flat faces of which the rim is there aside.
MOST_MISSING = 0.1
#: On request up to this share, where flat fills and the tangent planes around them differ by less than `ALIKE` of the volume.
MOST_ALIKE, ALIKE = 0.2, 0.1
#: Largest share of the surface in flat lids: the lid of a hemisphere, a third of its surface, could as well be the rest of a sphere.
MOST_IN_LIDS = 0.33

#: Facets that may have the vertices of another one; the number of the set of vertices of each; whether it is an even permutation of that.
VertexSets = tuple[Index, Index, np.ndarray]


def drop(mesh: IndexedMesh) -> tuple[IndexedMesh, list[Step]]:
    """Mesh without facets of fewer than three vertices, copies of a facet, and pairs of a facet and its reverse.

    Where every facet has its reverse (a double-sided export), or those of a whole body outside of all others, one of each pair is kept.
    What is left over bounds the same chain modulo copies, so nothing can be wrong: a copy counts its tetrahedron twice, a pair counts it
    not at all.
    """
    proper, steps = mesh.proper(), []
    if not proper.all():
        steps.append(_step(mesh, ~proper, "dropped {} without area"))
        mesh = mesh.keeping(proper)
    several, group, even = sets = _vertex_sets(mesh.faces)
    paired = np.bincount(group[even], minlength=len(several)) * np.bincount(group[~even], minlength=len(several)) > 0
    if 0 < len(mesh.faces) == len(several) and paired[group].all():
        keep = _first_of(group)
        steps.append(_step(mesh, ~keep, "kept one side of a double-sided surface, without the {} of the other"))
        return mesh.keeping(keep), steps
    keep, bodies = one_side(mesh, sets)
    if not keep.all():
        gone = int((~keep).sum()) - len(bodies.faces)
        steps.append(_step(mesh, ~keep, "dropped {}, duplicates of others", gone))
        mesh = mesh.keeping(keep)
        if len(bodies.faces):
            mesh = replace(mesh, faces=np.concatenate([mesh.faces, bodies.faces]))
    return mesh, steps


def one_side(mesh: IndexedMesh, sets: VertexSets | None = None) -> tuple[np.ndarray, IndexedMesh]:
    """Facets that are left when copies and pairs go, shape (F,), and one side of the bodies outside of these that would vanish as pairs."""
    several, group, even = sets or _vertex_sets(mesh.faces)
    forward, backward = np.bincount(group, weights=even), np.bincount(group, weights=~even)
    # of n copies one way and m the other, one facet is left where n ≠ m
    candidate = np.flatnonzero((forward != backward)[group] & (even == (forward > backward)[group]))
    keep = np.ones(len(mesh.faces), dtype=bool)
    keep[several] = False
    keep[several[candidate[_first_of(group[candidate])]]] = True
    walls = IndexedMesh(mesh.points, mesh.faces[several[_first_of(group) & ((forward > 0) & (backward > 0))[group]]])
    walls = _closed(walls)
    part = walls.parts()
    order = part.argsort(kind="stable")
    labels, first, count = np.unique(part[order], return_index=True, return_counts=True)
    if not len(labels):
        return keep, walls
    # the least of some facets: one can lie in a face of another body, where the winding number is between those of its sides
    some = order[first[:, np.newaxis] + (count[:, np.newaxis] * np.arange(_SAMPLES)) // _SAMPLES]
    w = WindingTree.of(mesh.keeping(keep)).winding_numbers(walls.corners.mean(axis=1)[some.reshape(-1)])
    return keep, flip(walls.keeping(np.isin(part, labels[np.abs(w).reshape(some.shape).min(axis=1) < 0.25])))[0]


def _closed(mesh: IndexedMesh) -> IndexedMesh:
    """Mesh without the pieces, from one edge of three facets or more to the next, that end in a rim."""
    while len(mesh.faces):
        edge, _, facet = mesh.edges()
        _, index, count = np.unique(edge, return_inverse=True, return_counts=True)
        rim = facet[count[index] == 1]
        if not len(rim):
            break
        piece = mesh.pieces()
        mesh = mesh.keeping(~np.isin(piece, piece[rim]))
    return mesh


def _vertex_sets(faces: Index) -> VertexSets:
    """The facets with the same vertices as others, and perhaps a few more, as what is compared are words."""
    word = np.arange(int(faces.max(initial=0)) + 1, dtype=np.uint64) * _MIXED
    word = (word ^ word >> _HALF) * _MIXED
    a, b, c = (word.take(corner) for corner in faces.T)
    bits = np.uint64(len(faces).bit_length())
    # the same for the same vertices but for the last bits, which say which facet it is: words are sorted faster than places
    words = np.sort((a + b + c) >> bits << bits | np.arange(len(faces), dtype=np.uint64))
    same = np.diff(words >> bits) == 0
    several = words[np.append(same, False)[: len(words)] | np.append(False, same)[: len(words)]]
    several = np.sort((several & ((np.uint64(1) << bits) - np.uint64(1))).astype(np.intp))
    faces = faces[several]
    order = np.sort(faces, axis=1)
    _, group = np.unique(order, axis=0, return_inverse=True)
    low = faces.argmin(axis=1)
    after = faces[np.arange(len(faces)), (low + 1) % 3]
    return several, group, after == order[:, 1]


def _first_of(group: Index) -> np.ndarray:
    """Whether each entry is the first of its group."""
    first = np.zeros(len(group), dtype=bool)
    first[np.unique(group, return_index=True)[1]] = True
    return first


def _step(mesh: IndexedMesh, gone: np.ndarray, text: str, count: int | None = None) -> Step:
    count = int(gone.sum()) if count is None else count
    return Step(
        "drop", count, place(mesh.middle(int(gone.argmax()))), Bound.none(), text.format(plural(count, "facet"))
    )


def flip(mesh: IndexedMesh) -> tuple[IndexedMesh, list[Step]]:
    """Mesh with as few facets turned round as make all neighbours across an edge of two facets agree.

    Two facets that share an edge and run through it in opposite directions agree; facets that are connected by such edges are a patch.
    One labelling of connected components on the graph of patch × {as it is, turned round} joins opposite states of those that disagree.
    A patch that is connected with its own reverse is not orientable (a Möbius strip) and stays as it is.
    """
    _, (one, other), agree = mesh.shared_edges()
    if agree.all():
        return mesh, []
    patch = components(len(mesh.faces), one[agree], other[agree])
    head = patch == np.arange(len(patch))
    count, patch = int(head.sum()), (np.cumsum(head) - 1)[patch]
    one, other = patch[one[~agree]], patch[other[~agree]]
    label = components(2 * count, np.concatenate([one, one + count]), np.concatenate([other + count, other]))
    kept, turned = label[:count], label[count:]
    as_they_are = np.bincount(kept, np.bincount(patch), minlength=2 * count)
    # the state in which more facets stay as they are; of equal ones that of the lower label, so that a patch decides as one
    more, less = as_they_are[turned], as_they_are[kept]
    turn = ((kept != turned) & ((more > less) | ((more == less) & (turned < kept))))[patch]
    if not turn.any():
        return mesh, []
    where = place(mesh.middle(int(turn.argmax())))
    n = int(turn.sum())
    return mesh.turning(turn), [Step("flip", n, where, Bound.none(), f"turned {plural(n, 'facet')} round")]


def weld(mesh: IndexedMesh, tolerance: float, r: np.ndarray) -> tuple[IndexedMesh, list[Step]] | None:
    """The mesh with open vertices within `tolerance` joined at their mean; None where that does not help.

    Only vertices on open edges move. A cluster that is wider than twice the tolerance is a chain of vertices that are no copies of one,
    and then the tolerance is too large for this mesh; as it is where most clusters are on both sides of a plate that is cut.
    """
    edges = mesh.open_edges()
    used = np.flatnonzero(np.bincount(edges.start))  # each is the end of an edge too
    at = mesh.points[used]
    if len(edges) > MANY and not _mostly_near(mesh, edges, at, tolerance):
        return None
    pairs = [(i[i < j], j[i < j]) for i, j in pairs_within(at, at, np.full(len(at), tolerance))]
    if not any(len(i) for i, _ in pairs):
        return None
    one, other = (np.concatenate(ends) for ends in zip(*pairs, strict=True))
    label = components(len(used), one, other)
    clusters, member = np.unique(label, return_inverse=True)
    size = np.bincount(member)
    through = np.unique(member[one[_through_walls(mesh, edges, used[one], used[other])]])
    if 2 * len(through) > int((size > 1).sum()):
        return None
    middle = np.stack([np.bincount(member, weights=mesh.points[used, k]) / size for k in range(3)], axis=1)
    low, high = bounds_of_groups(mesh.points[used], member, len(clusters))
    if float(np.linalg.norm(high - low, axis=1).max()) > 2 * tolerance:
        return None
    number = np.arange(len(mesh.points))
    number[used] = used[np.unique(member, return_index=True)[1]][member]
    if 2 * int((number[edges.start] == number[edges.end]).sum()) > int((size - 1).sum()):
        return None  # most of what it joins are ends of one edge, of the rims of holes
    joined = size[member] > 1
    points = mesh.points.copy()
    points[used[joined]] = middle[member[joined]]
    faces = number[mesh.faces]
    changed = np.isin(mesh.faces, used[joined]).any(axis=1)
    bound = moved_facets(mesh.points[mesh.faces[changed]], points[mesh.faces[changed]], r)
    gap = np.zeros(len(points))
    gap[used] = np.linalg.norm(high - low, axis=1)[member]
    bound += _shifted_patches(mesh, gap, r)
    result = IndexedMesh(points, faces)
    result = result.keeping(result.proper())
    before, after = mesh.length(edges), result.length(result.open_edges())
    if after * _WELD_FALL > before:
        return None
    count = int(joined.sum())
    first = place(middle[member[joined][0]])
    return result, [Step("weld", count, first, bound, f"welded {plural(count, 'vertex', 'vertices')}", tolerance)]


def _through_walls(mesh: IndexedMesh, edges: OpenEdges, one: Index, other: Index) -> np.ndarray:
    """Whether the facets along open edges at two vertices face away from each other, along the line between these."""
    normal, along = unit_vectors(mesh.normals(edges.facet)), np.zeros_like(mesh.points)
    for ends in (edges.start, edges.end):
        np.add.at(along, ends, normal)
    one_along, other_along = (unit_vectors(along[at]) for at in (one, other))
    return through_wall(one_along, other_along, mesh.points[other] - mesh.points[one])


def _mostly_near(mesh: IndexedMesh, edges: OpenEdges, at: Array, tolerance: float) -> bool:
    """Whether of some open edges, evenly chosen by length, half have an end near another open vertex; nine in ten have to close."""
    length = np.cumsum(np.linalg.norm(mesh.points[edges.end] - mesh.points[edges.start], axis=1))
    some = np.searchsorted(length, length[-1] * (np.arange(_TRIED) + 0.5) / _TRIED)
    ends = mesh.points[np.concatenate([edges.start[some], edges.end[some]])]
    near = np.zeros(len(ends), dtype=np.intp)
    for one, _ in pairs_within(at, ends, np.full(len(ends), tolerance)):
        near += np.bincount(one, minlength=len(ends))
    return 2 * int(((near[:_TRIED] > 1) | (near[_TRIED:] > 1)).sum()) >= _TRIED  # each is near itself


def _shifted_patches(mesh: IndexedMesh, gap: np.ndarray, r: np.ndarray) -> Bound:
    """Bound of the change if patches that nothing joined before were shifted as wholes: each by the widest gap at its rim.

    The largest patch is where it is: only relative shifts matter.
    """
    patches, of_facet = np.unique(mesh.parts(), return_inverse=True)
    if len(patches) == 1:
        return Bound.none()
    area = np.bincount(of_facet, weights=np.linalg.norm(mesh.normals(), axis=1) / 2)
    widest = np.zeros(len(patches))
    np.maximum.at(widest, np.repeat(of_facet, 3), gap[mesh.faces.reshape(-1)])
    widest[int(area.argmax())] = 0.0
    _, reach = bounds_of_groups(np.abs(mesh.corners - r).max(axis=1), of_facet, len(patches))
    return Bound.at(widest * area, reach + widest[:, np.newaxis])


def split(mesh: IndexedMesh, tolerance: float, r: np.ndarray) -> tuple[IndexedMesh, list[Step]] | None:
    """The mesh with every open edge split at the open vertices within `tolerance` of it; None where that does not help."""
    before = mesh.length(mesh.open_edges())
    bound, count, where = Bound.none(), 0, (0.0, 0.0, 0.0)
    result = mesh
    for _ in range(_ROUNDS):
        found = _one_round(result, tolerance, r)
        if found is None:
            break
        result, edges, first, off = found
        bound, count, where = bound + off, count + edges, first if count == 0 else where
    if not count or result.length(result.open_edges()) * _SPLIT_FALL > before:
        return None
    return result, [Step("split", count, where, bound, f"split {plural(count, 'edge')} at vertices on them")]


def _one_round(
    mesh: IndexedMesh, tolerance: float, r: np.ndarray
) -> tuple[IndexedMesh, int, tuple[float, float, float], Bound] | None:
    open_edges = mesh.open_edges()
    if not len(open_edges):
        return None
    edge, vertex, along, off = _on_edges(mesh, open_edges.start, open_edges.end, tolerance)
    # one edge of each facet: the first that has something on it
    _, first = np.unique(open_edges.facet[edge], return_index=True)
    chosen = np.isin(edge, edge[first])
    edge, vertex, along, off = edge[chosen], vertex[chosen], along[chosen], off[chosen]
    if not len(edge):
        return None
    order = np.lexsort((along, edge))
    edge, vertex, off = edge[order], vertex[order], off[order]
    start = np.append(True, edge[1:] != edge[:-1])
    last = np.append(start[1:], True)
    a, b, facet = open_edges.start[edge], open_edges.end[edge], open_edges.facet[edge]
    apex = mesh.faces[facet].sum(axis=1) - a - b
    # facets (a, p1, c), (p1, p2, c) …, (pk, b, c): one that ends at each vertex, and the last that begins at the last vertex
    before = np.where(start, a, np.roll(vertex, 1))
    pieces = np.concatenate(
        [np.stack([before, vertex, apex], axis=1), np.stack([vertex[last], b[last], apex[last]], axis=1)]
    )
    corners = mesh.corners[facet[start]]
    widest = np.maximum.reduceat(off, np.flatnonzero(start))
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2
    bound = Bound.at(widest * area, np.abs(corners - r).max(axis=1) + widest[:, np.newaxis])
    keep = np.ones(len(mesh.faces), dtype=bool)
    keep[facet] = False
    result = IndexedMesh(mesh.points, np.concatenate([mesh.faces[keep], pieces]))
    return result, int(start.sum()), place(mesh.points[vertex[0]]), bound


def _on_edges(
    mesh: IndexedMesh, start: Index, end: Index, tolerance: float
) -> tuple[Index, Index, np.ndarray, np.ndarray]:
    """Pairs of an edge and an open vertex on it: edge, vertex, the place along the edge, and the distance from it."""
    used = np.unique(np.concatenate([start, end]))
    points = mesh.points[used]
    a, b = mesh.points[start], mesh.points[end]
    length = np.linalg.norm(b - a, axis=1)
    unit = (b - a) / np.maximum(length, np.finfo(float).tiny)[:, np.newaxis]
    found = [(np.empty(0, np.intp), np.empty(0, np.intp), np.empty(0), np.empty(0))]
    for edge, vertex in pairs_within(points, (a + b) / 2, length / 2 + tolerance):
        arm = points[vertex] - a[edge]
        along = (arm * unit[edge]).sum(axis=1)
        off = np.linalg.norm(arm - along[:, np.newaxis] * unit[edge], axis=1)
        inside = (off <= tolerance) & (along > tolerance) & (along < length[edge] - tolerance)
        inside &= (used[vertex] != start[edge]) & (used[vertex] != end[edge])
        found.append((edge[inside], used[vertex[inside]], along[inside], off[inside]))
    edge, vertex, along, off = (np.concatenate(values) for values in zip(*found, strict=True))
    return edge, vertex, along, off


@dataclass(frozen=True, eq=False)
class RepairedMesh:
    """A closed mesh, what was done to the file's, the point that the bounds of the steps are about, and the share of the area that
    nothing in the file forces. `readings`: where loops face each other, the meshes with caps on them and with bands between them.
    """

    mesh: IndexedMesh
    steps: tuple[Step, ...]
    reference: Array
    invented: float = 0.0
    readings: Readings = ()


@dataclass(frozen=True)
class Irreparable:
    """Why the surface is not closed in this way."""

    reason: str


@dataclass(frozen=True, eq=False)
class ClosedMesh:
    """A mesh with all its holes filled, however large they are; what was done before, and the holes, if there were any."""

    mesh: IndexedMesh
    steps: tuple[Step, ...]
    reference: Array
    filled: FilledMesh | None = None

    def at_level(self, level: Literal["safe", "full"]) -> RepairedMesh | Irreparable:
        """The mesh, if no more of its surface was missing than the level allows."""
        found = self.filled
        if found is None:
            return RepairedMesh(self.mesh, _merge(self.steps), self.reference)
        share, flat, in_plane, sure = found.shares
        unsure = share - (flat if level == "full" else in_plane)
        alike = level == "full" and found.tangent <= ALIKE * abs(found.mesh.volume())
        if unsure > (MOST_ALIKE if alike else MOST_MISSING) or share > max(MOST_MISSING, MOST_IN_LIDS):
            return _missing(share)
        steps = _merge((*self.steps, *found.steps))
        return RepairedMesh(found.mesh, steps, self.reference, share - sure, found.readings)


def repair(mesh: IndexedMesh, level: Literal["safe", "full"]) -> RepairedMesh | Irreparable:
    """The mesh closed and consistently oriented, step by step; vertices that nothing had to move keep their positions to the bit.

    Parameters
    ----------
    mesh : IndexedMesh
        All facets of the file.
    level : {"safe", "full"}
        How much of the surface may be missing beside flat faces of which the rim is there, or beside flat faces.
    """
    found = close(mesh)
    return found if isinstance(found, Irreparable) else found.at_level(level)


def close(mesh: IndexedMesh, *, unite: bool = False) -> ClosedMesh | Irreparable:
    """Mesh with all its holes filled, which `repair` begins with at every level; `unite`: whether bodies that share space count once."""
    size, r = mesh.size, mesh.points.mean(axis=0) if len(mesh.points) else np.zeros(3)
    steps: list[Step] = []
    flattened = mesh.keeping(~mesh.proper()).corners
    connections = np.concatenate([flattened[:, [i, j]] for i, j in ((0, 1), (1, 2), (2, 0))])

    def take(change: Callable[[IndexedMesh], tuple[IndexedMesh, Sequence[Step]] | None]) -> None:
        nonlocal mesh
        found = change(mesh)
        if found is not None and found[1]:
            vars(mesh).pop("sorted_edges", None)  # more memory than the mesh
            mesh = found[0]
            steps.extend(found[1])
            if change not in (drop, flip):  # what was joined or split has new neighbours
                take(drop)
                take(flip)

    take(drop)
    take(flip)
    for share in WELDS:
        if len(mesh.open_edges()):
            take(lambda m, share=share: weld(m, share * size, r))  # type: ignore[misc]
    if len(mesh.open_edges()) > MANY and mesh.area > 0:  # mostly loose facets: no edge is worth splitting
        least, share = least_missing(mesh)
        if least > MOST_IN_LIDS:
            return _missing(share)
    if len(mesh.open_edges()):
        take(lambda m: split(m, ON_EDGE * size, r))
    if not mesh.area > 0:
        return Irreparable("no facet is left")
    filled = fill(mesh, r, connections, unite=unite) if len(mesh.open_edges()) else None
    return ClosedMesh(mesh, tuple(steps), r, filled)


def _missing(share: float) -> Irreparable:
    return Irreparable(f"{percent(share)} of the surface is missing, above the limit of {percent(MOST_MISSING)}")


def _merge(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Steps, with all that turn facets round as one."""
    flips = [i for i, s in enumerate(steps) if s.step == "flip"]
    if not flips:
        return tuple(steps)
    count, first = sum(steps[i].count for i in flips), steps[flips[0]]
    whole = replace(first, count=count, text=f"turned {plural(count, 'facet')} round")
    return tuple(whole if i == flips[0] else s for i, s in enumerate(steps) if i not in flips[1:])
