"""Holes: loops of open edges, closed by cones, and a bound of the volume that each fill can miss.

The open edges of a surface are a cycle, so they fall into simple loops. Each is closed by the triangles between its edges and its centre
(its own triangle where it has three edges): exact for flat holes, for single missing facets, and for what T-junctions leave.

The bound holds under an assumption: the missing patch lies within the convex hull of the loop and the tangent planes of its rim, or else
within the ellipsoid around the loop, or the ball where that is a cut through a wall; on one side of the fill, or on the other. A rim at
a sharp edge of the body says nothing about the patch; where such a loop is flat, the missing patch is taken for the flat face that ends
at that edge, and the step says which share of the surface that is. An end of the body that is cut off by a plane leaves the same loop:
only a flat piece in front of it tells.

Tests: `tests/mesh/test_repair_ladder.py`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import combinations
from typing import Self

import numpy as np
from numpy.typing import NDArray

from massprops.errors import MissingExtra, needing
from massprops.mesh.connectivity import Index, components
from massprops.mesh.indexed_mesh import IndexedMesh, OpenEdges
from massprops.mesh.repair.beyond import are_scraps, lids_of_even_meshes, rooms
from massprops.mesh.repair.bounds import Bound, Step, place
from massprops.mesh.repair.buried import shares_at_stake
from massprops.mesh.repair.cracks import MOST_EDGES, Cell, cells_of
from massprops.mesh.repair.facing_loops import Band, FacingLoop, bands_between, difference, facing_pairs, towards
from massprops.mesh.repair.seams import HOLE, WIDEST, Rims
from massprops.mesh.surface import Surface
from massprops.mesh.winding_tree import Tree, WindingTree
from massprops.moments.arrays import length, symmetric_eigens, unit_vectors
from massprops.moments.integrals import Array
from massprops.wording import plural

#: Rim and fill at a larger angle than this meet in an edge of the body, not on a smooth surface. The planes of a cube's corner meet a cut
#: across it at 55 degrees, the walls of a drafted part its top at 80 to 100.
SHARP = math.radians(75)
#: Rim and fill at a smaller angle lie in one flat face.
IN_PLANE = math.radians(1)
#: Rim and fill at a larger angle than this are both sides of a sheet: what is beyond is not there.
_FOLDED = math.radians(150)
#: A fill at a larger angle than this to the facets along it goes back under them: it is the bottom of a button, not a cut through a wall.
_BACK = math.radians(110)
#: A loop ends at edges of the body if more than this share of its own edges do.
_ENDED = 0.25
#: A cut through a wall ends at its sides along more than this share of its edges; as they face away from each other, the mean normal
#: along it is shorter than `_ACROSS`, that of two perpendicular faces; where it is shorter than `_AGAINST`, they are opposite.
_CUT, _ACROSS, _AGAINST = 0.1, 0.7, 0.5
#: Between walls that face away from each other, a fill at a larger angle than this to them is a cut.
_STEEP = math.radians(30)
#: Facets of a curved surface meet at angles between these.
_STRAIGHT, _SMOOTH = math.radians(0.5), math.radians(15)
#: Corners of a hole lie on a circle if the nearest to its centre is farther than this share of its radius: programs that make even meshes
#: leave five or more there only around a vertex.
_ROUND = 0.99
#: Cuts are near each other if their centres are apart by less than this many of their radii.
_NEAR = 5.0
#: A loop is flat if its points are nearer to its plane than this share of its radius.
FLAT = 1e-2


#: Closed meshes by the name of a reading.
Readings = tuple[tuple[str, IndexedMesh], ...]


@dataclass(frozen=True, eq=False)
class Loops:
    """Simple loops of k open edges each: their vertices in order, shape (n, k), and the facets along them, −1 along none.

    `center` is the mean of each loop weighted by length, shape (n, 3), and `radius` the distance of its farthest vertex from there;
    `disputed`: whether a band to another loop is as likely as a cap; `gap`: how far the rims are apart whose strip has the loop as a
    cell, 0 of other loops; `depth`: how far a wall that is cut there can go on, 0 where none is.
    """

    vertices: Index
    facets: Index
    center: Array
    radius: Array
    disputed: NDArray[np.bool_]
    gap: Array
    depth: Array

    def __len__(self) -> int:
        return len(self.vertices)

    def fills(self, first: int) -> Index:
        """The facets that close the loops, shape (m, 3), where the centres are vertices from `first` on; triangles need none."""
        n, k = self.vertices.shape
        if k == 3:
            return self.vertices[:, ::-1]
        center = np.broadcast_to(first + np.arange(n)[:, np.newaxis], (n, k))
        return np.stack([np.roll(self.vertices, -1, axis=1), self.vertices, center], axis=2).reshape(-1, 3)

    def without(self, rows: Sequence[int] | Index) -> Self:
        """All loops but some."""
        return type(self)(*(np.delete(getattr(self, x.name), rows, axis=0) for x in fields(self)))


@dataclass(frozen=True, eq=False)
class Fills:
    """Fills of loops, or bands, n of them: where they are, and the volume between the true patch and each, at most.

    Attributes
    ----------
    center, radius : ndarray, shapes (n, 3) and (n,)
        Of a ball that holds the fill.
    volume : ndarray, shape (n,)
        What the fill can miss.
    tangent : ndarray, shape (n,)
        Volume between the fill and the tangent planes of the facets around it, outward positive; what is left of a wall that is cut.
    area : ndarray, shape (n,)
    flat, in_plane, sure, ended : ndarray of bool, shape (n,)
        Whether the loop lies in a plane; whether so do the facets around it; whether no other shape is possible; whether a quarter of
        a loop that lies in no plane is along edges of the body, or its fill along both sides of a wall, which say nothing of what is
        beyond.
    cut : ndarray of bool, shape (n,)
        Whether the loop is a cut through a wall, which may go on as far as it likes.
    through, leaning : ndarray of bool, shape (n,)
        Whether the loop is a cut, or the fill goes back under the facets around it; whether a large flat fill meets these in an edge, and
        the wall is curved there.
    outward : ndarray, shape (n, 3)
        Vector area of the fill, out of the body.
    facet : ndarray of int, shape (n,)
        A facet along the loop; −1 along cells of strips, of which nothing is known.
    edges : ndarray of int, shape (n,)
    """

    center: Array
    radius: Array
    volume: Array
    tangent: Array
    area: Array
    flat: NDArray[np.bool_]
    in_plane: NDArray[np.bool_]
    sure: NDArray[np.bool_]
    ended: NDArray[np.bool_]
    cut: NDArray[np.bool_]
    through: NDArray[np.bool_]
    leaning: NDArray[np.bool_]
    outward: Array
    facet: Index
    edges: Index


def loops_of(mesh: IndexedMesh, edges: OpenEdges) -> list[Loops]:
    """The open edges as simple loops, those of equally many edges together."""
    return _loops(mesh, ((edges.start[ring], edges.facet[ring], 0.0, 0.0) for ring in _rings(edges)))


def _rings(edges: OpenEdges) -> Iterator[list[int]]:
    """The edges of each simple loop, in the order of the file."""
    starts, ends = edges.start.tolist(), edges.end.tolist()
    outgoing: dict[int, list[int]] = {}
    for i in range(len(starts) - 1, -1, -1):
        outgoing.setdefault(starts[i], []).append(i)
    for here in starts:
        path: list[int] = []
        position: dict[int, int] = {}
        while outgoing[here] or path:
            if here in position:  # back at a vertex of the path: what lies between is a loop
                begin = position[here]
                ring = path[begin:]
                del path[begin:]
                for i in ring:
                    del position[starts[i]]
                yield ring
                continue
            edge = outgoing[here].pop()
            position[here] = len(path)
            path.append(edge)
            here = ends[edge]


def _loops(mesh: IndexedMesh, rings: Iterable[Cell]) -> list[Loops]:
    by_count: dict[int, list[Cell]] = {}
    for ring in rings:
        by_count.setdefault(len(ring[0]), []).append(ring)
    found = []
    for k in sorted(by_count):
        vertices, facets, gap, depth = map(np.array, zip(*by_count[k], strict=True))
        p = mesh.points[vertices]
        q = np.roll(p, -1, axis=1)
        weight = np.linalg.norm(q - p, axis=2, keepdims=True)
        center = ((p + q) / 2 * weight).sum(axis=1) / np.maximum(weight.sum(axis=1), np.finfo(float).tiny)
        radius = np.linalg.norm(p - center[:, np.newaxis], axis=2).max(axis=1)
        found.append(Loops(vertices, facets, center, radius, np.zeros(len(gap), dtype=bool), gap, depth))
    return found


def along_seams(mesh: IndexedMesh, groups: Sequence[Loops], tree: Tree | None = None) -> list[Loops]:
    """Loops with the cells of strips between rims that run along each other, and of cracks.

    Without a `tree` of the mesh it is not asked how far a wall that is cut goes on.
    """
    widest = WIDEST * mesh.size
    is_long = [np.repeat(loops.radius > HOLE * widest, loops.vertices.shape[1]) for loops in groups]
    if not sum(map(np.count_nonzero, is_long)):
        return list(groups)
    counts = np.concatenate([np.full(len(loops), loops.vertices.shape[1]) for loops in groups])
    start, facet = (
        np.concatenate([x.reshape(-1) for x in of])
        for of in zip(*((g.vertices, g.facets) for g in groups), strict=True)
    )
    end = np.cumsum(counts)
    after = np.arange(1, len(start) + 1)
    after[end - 1] = end - counts
    normal = unit_vectors(mesh.normals(facet))
    rims = Rims(start, facet, after, np.repeat(np.arange(len(counts)), counts), np.concatenate(is_long), normal)
    rings = [(vertices, facets, gap, 0.0) for vertices, facets, gap in rims.cut(mesh.points, widest, mesh.faces)]
    groups = _loops(mesh, rings)
    found: list[Cell] = []
    for loops in groups:
        is_crack = (loops.gap == 0) & (loops.radius > HOLE * widest) & (3 < loops.vertices.shape[1] <= MOST_EDGES)
        for cell, cut in zip(
            zip(loops.vertices, loops.facets, loops.gap, loops.depth, strict=True), is_crack, strict=True
        ):
            found += cells_of(mesh, *cell[:2], tree) if cut else [cell]
    return _loops(mesh, found)


def fills_of(mesh: IndexedMesh, loops: Loops) -> Fills:
    """The cones that close loops, with what they can miss under the assumption that the module states."""
    p = mesh.points[loops.vertices]
    thickness, width = _thickness(p, loops.center)
    around = 4 / 3 * math.pi * loops.radius * width**2
    area, angle, wedge, outside = _wedges(mesh, loops.facets, p, np.roll(p, -1, axis=1), loops.center[:, np.newaxis])
    for i in np.flatnonzero((loops.gap == 0) & (loops.facets.min(axis=1) < 0) & (loops.facets.max(axis=1) >= 0)):
        # a rung across a seam has no facet: what those along the next edge tell is as good
        rung, known = np.flatnonzero(loops.facets[i] < 0), np.flatnonzero(loops.facets[i] >= 0)
        at = known[np.searchsorted(known, rung) % len(known)]
        angle[i, rung], outside[i, rung] = angle[i, at], outside[i, at]
        wedge[i, rung] = wedge[i, at] * area[i, rung] / np.maximum(area[i, at], np.finfo(float).tiny)
    usual = np.median(angle, axis=1)
    # narrow loops are as flat as they are wide: one along both sides of a thin plate is not
    vector = _vectors(p, loops.center)
    wide = np.linalg.norm(vector, axis=1) / (math.pi * np.maximum(loops.radius, np.finfo(float).tiny))
    flat = (thickness <= FLAT * wide) & (usual < _FOLDED)
    # the part of the rim that ends at edges of the body says nothing of its part of the ellipsoid
    unknown = np.where(flat, 0.0, (angle >= SHARP).mean(axis=1))
    area = area.sum(axis=1)
    hull = _hulls(p, thickness, unknown < 1)
    # the patch is on one side of the fill, or on the other, but where the fill spans less than the section of the ellipsoid
    spanned = np.where(usual < _FOLDED, wide / np.maximum(width, wide + np.finfo(float).tiny), 0)
    one = np.maximum(np.where(outside, wedge, 0).sum(axis=1), np.where(outside, 0, wedge).sum(axis=1))
    volume = np.minimum(hull + one + np.minimum(unknown, 1 - spanned / 2) * around, around)
    # a cut through a wall, which goes on between its sides as far as it likes: the corner of a thin plate is as wide as the cut is long
    alike, strip = _alike(mesh, loops.facets, p), loops.gap > 0
    through = (unknown > _CUT) & (alike < _ACROSS)
    through |= ~flat & ~strip & (alike < _AGAINST) & (usual > _STEEP)
    volume = np.where(through, 4 / 3 * math.pi * loops.radius**3, volume)
    if strip.any():
        rims = (np.linalg.norm(np.roll(p, -1, axis=1) - p, axis=2) * (loops.facets >= 0)).sum(axis=1)
        volume = np.where(strip, hull + (rims / 2 + loops.gap) * loops.gap**2, volume)
    is_wall = loops.depth > 0
    volume = np.where(is_wall, area * loops.depth, volume)
    in_plane = flat & (angle <= IN_PLANE).all(axis=1)
    # within a flat face only what begins at vertices needs them, as a bore or a boss: it can be gone with its end
    mouth = in_plane & ~strip & ~is_wall & ~loops.disputed
    near = np.linalg.norm(p - loops.center[:, np.newaxis], axis=2).min(axis=1)
    is_round = (near >= _ROUND * loops.radius) & (p.shape[1] > 4)
    for i in np.flatnonzero(mouth):
        mouth[i] = (mesh.flat_rims if is_round[i] else mesh.flat_vertices)[loops.vertices[i]].all()
    in_plane &= ~mouth
    tangent = np.where(is_wall, volume, np.where(outside, wedge, -wedge).sum(axis=1))
    sure = (in_plane & ~loops.disputed) | ((p.shape[1] == 3) & ~strip & ~mouth)
    # a fill that is folded around both sides of a wall says nothing of what is beyond, either
    folded = ~flat & (alike < _AGAINST) & (np.linalg.norm(vector, axis=1) < _AGAINST * area)
    ended = (unknown > _ENDED) | (through & (alike < _AGAINST)) | folded | is_wall
    cut = through & (usual < _BACK) & ~is_wall
    facet = np.where(strip, -1, loops.facets.max(axis=1))
    radius = np.maximum(loops.radius, loops.depth)
    leaning = np.zeros(len(loops), dtype=bool)
    for i in np.flatnonzero(flat & (usual >= SHARP) & (area > LARGE / 2 * mesh.area)):
        leaning[i] = _is_curved(mesh, loops.vertices[i], is_square=abs(usual[i] - math.pi / 2) <= _STRAIGHT)
    kinds = flat, in_plane, sure, ended, cut, through & ~is_wall, leaning
    return Fills(loops.center, radius, volume, tangent, area, *kinds, -vector, facet, np.full_like(facet, p.shape[1]))


def _is_curved(mesh: IndexedMesh, rim: Index, *, is_square: bool) -> bool:
    """Whether the facets at a rim and those behind them mostly meet at small angles, as where a surface goes on curving.

    Where they meet a fill at right angles nearly all, in two rows: a cylinder with one bend behind does, too.
    """
    _, (one, other), _ = mesh.shared_edges()
    near, vertices, most = np.zeros(len(mesh.faces), dtype=bool), rim, 0.9 if is_square else 0.5
    for _ in range(1 + is_square):
        near |= np.isin(mesh.faces, vertices).any(axis=1)
        vertices = np.unique(mesh.faces[near])
        between = near[one] != near[other]
        a, b = unit_vectors(mesh.normals(one[between])), unit_vectors(mesh.normals(other[between]))
        bend = np.arccos(np.clip((a * b).sum(axis=1), -1, 1))
        if not len(bend) or np.quantile(bend, 1 - most) < _STRAIGHT or np.quantile(bend, most) > _SMOOTH:
            return False
    return True


def _fill_by(mesh: IndexedMesh, band: Band) -> Fills:
    """A band as one fill."""
    q, p, apex = mesh.points[band.faces].transpose(1, 0, 2)
    area, _, wedge, outside = _wedges(mesh, band.rims, p, q, apex)
    loops = [mesh.points[ring.vertices] for ring in band.rings]
    rims = sum(np.linalg.norm(np.roll(x, -1, axis=0) - x, axis=1).sum() for x in loops)
    thin = [_thickness(x[np.newaxis], x.mean(axis=0, keepdims=True))[0] for x in loops]
    is_flat = all(t <= FLAT * ring.radius for t, ring in zip(thin, band.rings, strict=True))
    center = np.concatenate(loops).mean(axis=0)
    radius = np.linalg.norm(np.concatenate(loops) - center, axis=1).max()
    outward = np.cross(p - q, apex - q).sum(axis=0) / 2
    is_end = np.linalg.norm(outward) > _AGAINST * area.sum()
    # where the walls run straight into a band of rims that are not flat, it is a cut, as across a tube, whose end can be gone
    straight = not band.is_forced and max(towards(mesh, band, ring) for ring in band.rings) > -_AGAINST
    one, other = band.rings
    nested = not band.is_forced and np.linalg.norm(one.middle - other.middle) < abs(one.radius - other.radius)
    cut = not is_flat and bool(is_end or straight or nested)
    past = 4 / 3 * math.pi * radius**3
    # past a wall as thin as a seam is wide: its section, along the body
    if 2 * area.sum() <= WIDEST * mesh.size * rims:
        past = min(past, float(area.sum()) * mesh.size)
    flat = is_flat or band.is_forced
    # where both walls go on curving, as those of a bowl do, the end can be a cut of a closed shell
    leaning = (
        is_flat
        and is_end
        and not band.is_forced
        and _is_curved(mesh, np.concatenate([r.vertices for r in band.rings]), is_square=True)
    )
    values = (
        center,
        radius,
        past if cut else wedge.sum(),
        np.where(outside, wedge, -wedge).sum(),
        area.sum(),
        *(flat, band.is_forced, band.is_forced, cut, True, cut, leaning),
        outward,
        band.rims[0] if is_end else -1,
        len(band.faces),
    )
    return Fills(*(np.array([x]) for x in values))


def _wedges(mesh: IndexedMesh, facets: Index, p: Array, q: Array, apex: Array) -> tuple[Array, Array, Array, Array]:
    """Areas of fills (q, p, apex) on open edges from p to q, their angles to the facets along the edges, the volumes between fill and
    plane of that facet (0 where they meet in a sharp edge), and whether the plane is outside of the fill.
    """
    fill = np.cross(p - q, apex - q)  # twice the area
    area, edge = np.linalg.norm(fill, axis=-1) / 2, np.linalg.norm(q - p, axis=-1)
    a, b, c = (mesh.points[mesh.faces[facets][..., k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    size = np.linalg.norm(normal, axis=-1) * 2 * area
    ok = (size > 0) & (edge > 0) & (facets >= 0)
    cosine = np.divide((normal * fill).sum(axis=-1), size, out=np.ones_like(size), where=ok)
    angle = np.arccos(np.clip(cosine, -1, 1))
    height = np.divide(2 * area, edge, out=np.zeros_like(edge), where=ok)  # of the apex over the edge
    wedge = area * height * np.tan(np.where(angle >= SHARP, 0.0, angle)) / 3
    return area, angle, wedge, ((apex - p) * normal).sum(axis=-1) < 0


def _alike(mesh: IndexedMesh, facets: Index, p: Array) -> Array:
    """Length of the mean unit normal of the facets along each loop: 1 where all lie in one plane."""
    edge = np.linalg.norm(np.roll(p, -1, axis=1) - p, axis=2)
    unit = unit_vectors(mesh.normals(facets.reshape(-1))).reshape(p.shape)
    mean = (unit * edge[..., np.newaxis]).sum(axis=1) / np.maximum(edge.sum(axis=1), np.finfo(float).tiny)[
        :, np.newaxis
    ]
    return np.asarray(np.linalg.norm(mean, axis=1))


def _thickness(points: Array, center: Array) -> tuple[Array, Array]:
    """How far the points of each loop, shape (n, k, 3), are from a plane through its centre, and from its longest axis."""
    arm = points - center[:, np.newaxis]
    axes = symmetric_eigens((arm[:, :, :, np.newaxis] * arm[:, :, np.newaxis]).sum(axis=1))[1]
    away = np.abs(arm @ axes)  # along the axes, the shortest first
    return away[:, :, 0].max(axis=1), np.linalg.norm(away[:, :, :2], axis=2).max(axis=1)


def _vectors(points: Array, center: Array) -> Array:
    """Vector areas of loops, shape (n, k, 3), into the body."""
    arm = points - center[:, np.newaxis]
    return np.asarray(np.cross(arm, np.roll(arm, -1, axis=1)).sum(axis=1) / 2)


def _hulls(points: Array, thickness: Array, needed: NDArray[np.bool_]) -> Array:
    """Volumes of the convex hulls of loops, shape (n, k, 3).

    Five points have two triangulations, which share no tetrahedron and together have all (Lawson 1986,
    Computer Aided Geometric Design 3: 231).
    """
    k = points.shape[1]
    if k <= 5:
        sides = np.array([(points[:, q] - points[:, [q[0]]])[:, 1:] for q in map(list, combinations(range(k), 4))])
        return np.asarray(np.abs(np.linalg.det(sides)).sum(axis=0) / 6 / max(k - 3, 1)) if k > 3 else thickness * 0
    return np.array([_hull(x, t) if n and t else 0.0 for x, t, n in zip(points, thickness, needed, strict=True)])


def _hull(points: Array, thickness: float) -> float:
    """Volume of the convex hull of one loop."""
    try:
        with needing("repair", "the hull of a loop needs scipy"):
            from scipy.spatial import ConvexHull
        return float(ConvexHull(points - points.mean(axis=0)).volume)
    except (MissingExtra, RuntimeError):  # no scipy, or flat to its rounding: at most a slab over its bounds
        return 2 * thickness * length(np.ptp(points, axis=0)) ** 2


@dataclass(frozen=True, eq=False)
class FilledMesh:
    """A mesh whose loops are closed by cones, or by bands between two of them, and the step.

    `shares`: of all fills, of those that are flat or small, in the plane of the facets around them or small, and sure, in the area.
    `tangent`: the volumes between the fills and the tangent planes around them. `vague`: whether a large loop ends at edges of the
    body, or two look at each other that no band joins. `readings`: the meshes with caps on all facing loops and with bands between
    them, if there are such; one of both may be `mesh`.
    """

    mesh: IndexedMesh
    steps: tuple[Step, ...] = ()
    shares: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    tangent: float = 0.0
    readings: Readings = ()
    vague: bool = False


#: Loops that enclose more than this share of the area are large; two look at each other if their directions are opposite by this cosine.
LARGE, _OPPOSITE = 0.01, 0.5
#: A piece of the surface is flat if the sum of its vector areas is longer than this share of its area.
_ONE_WAY = 1 - 1e-6
#: Loops that enclose a smaller share of the area have no direction beyond rounding.
_NOTHING = 1e-12
_NONE = np.empty((0, 2, 3))


def fill(mesh: IndexedMesh, r: Array, connections: Array = _NONE, *, unite: bool = False) -> FilledMesh:
    """The mesh with every loop of open edges closed by a cone, or by a band where it faces another and the evidence is for that.

    `connections`, shape (n, 2, 3): edges of facets without area, which are evidence. `unite`: whether bodies that share space count once.
    """
    groups = loops_of(mesh, mesh.open_edges())
    if not groups:
        return FilledMesh(mesh)
    tree = WindingTree.later(mesh)
    bands = _bands(tree, mesh, groups, connections)
    taken = [band for band in bands if band.is_taken]
    for loops in groups:
        loops.disputed[[ring.row for band in bands if band.is_open for ring in band.rings if ring.of is loops]] = True
    alone = along_seams(mesh, _besides(groups, bands), tree)
    rest = [*alone, *_capped(groups, bands, taken)]
    closed = _closed(mesh, rest, taken)
    found = [*(fills_of(mesh, loops) for loops in rest), *(_fill_by(mesh, band) for band in taken)]
    fills = Fills(*(np.concatenate([getattr(f, x.name) for f in found]) for x in fields(Fills)))
    whole = mesh.area + fills.area.sum()
    fills = _beyond(tree, mesh, _joined(mesh, rest, fills, LARGE * whole), fills.area > LARGE / 2 * whole)
    fills = _as_far_as_pieces(mesh, fills, LARGE * whole)
    ball = 4 / 3 * math.pi * fills.radius**3
    can_be = ~fills.cut & unite  # in another body
    can_be[len(can_be) - len(taken) :] = False
    at_stake = shares_at_stake(closed, len(mesh.faces), fills.facet, can_be, fills.center, fills.radius, fills.volume)
    fills = replace(fills, volume=np.minimum(fills.volume, at_stake * ball))
    count = sum(map(len, groups))
    text = f"closed {plural(count, 'loop')}, {100 * fills.area.sum() / whole:.2g} % of the area"
    if taken:
        text += f", {plural(len(taken), 'pair')} of them by a band between both"
    widest = max(float(loops.gap.max(initial=0.0)) for loops in rest)
    bound = Bound.at(fills.volume, np.abs(fills.center - r) + fills.radius[:, np.newaxis])
    for caps in (fills_of(mesh, x) for x in _capped(groups, [band for band in taken if band.is_open], [])):
        missed = np.where(caps.ended, 0, caps.volume)  # of the other reading
        bound += Bound.at(missed, np.abs(caps.center - r) + caps.radius[:, np.newaxis])
    apart = [difference(mesh, band) for band in bands]
    for band, change in zip(bands, apart, strict=True):
        reach = np.abs(mesh.points[band.faces] - r).max(axis=(0, 1))
        bound += Bound.at([abs(change) * (1.0 if band.is_open else band.against)], reach[np.newaxis])
    readings = tuple(
        (
            name,
            closed if len(chosen) == len(taken) else _closed(mesh, [*alone, *_capped(groups, bands, chosen)], chosen),
        )
        for name, chosen in (("caps", []), ("bands", [band for band in bands if not band.is_rival]))
        if bands
    )
    small = fills.area <= LARGE * whole
    assumed = float(fills.area[fills.flat & ~fills.in_plane & ~fills.sure & ~small].sum() / whole)
    if assumed:
        text += f"; {100 * assumed:.2g} % taken for flat faces, at which the body is assumed to end"
    text += "; joined rims" * (widest > 0)
    step = Step("fill", count, place(fills.center[fills.radius.argmax()]), bound, text, widest)
    share, flat, in_plane, sure = (
        float(fills.area[x].sum() / whole) for x in (..., fills.flat | small, fills.in_plane | small, fills.sure)
    )
    tangent = float(np.abs(fills.tangent).sum())
    vague = bool(fills.area[fills.ended].sum() > LARGE * whole) or any(band.is_open for band in bands)
    vague = vague or _look_at_each_other(mesh, rest)
    return FilledMesh(closed, (step,), (share, flat, in_plane, sure), tangent, readings, vague)


def _joined(mesh: IndexedMesh, groups: Sequence[Loops], fills: Fills, least: float) -> Fills:
    """Fills, of which cuts near each other also miss their common hull, at least half the ball around it: what is gone can lead from one to
    the other, and on from both, as past a bore.
    """
    vertices = [x for loops in groups for x in loops.vertices]
    cut = np.flatnonzero((fills.cut & (fills.area > least))[: len(vertices)])
    apart = np.linalg.norm(fills.center[cut] - fills.center[cut][:, np.newaxis], axis=2)
    one, other = np.nonzero(np.triu(apart < _NEAR * (fills.radius[cut] + fills.radius[cut][:, np.newaxis]), 1))
    label = components(len(cut), one, other)
    center, radius, volume = fills.center.copy(), fills.radius.copy(), fills.volume.copy()
    for i in np.unique(label[one]).tolist():
        group = cut[label == i]
        points = mesh.points[np.concatenate([vertices[k] for k in group])]
        center[group] = middle = points.mean(axis=0)
        radius[group] = (np.linalg.norm(fills.center[group] - middle, axis=1) + fills.radius[group]).max()
        own = volume[group].sum() + _hull(points, float(radius[group[0]]))
        ahead = 2 / 3 * math.pi * float(np.linalg.norm(points - middle, axis=1).max()) ** 3
        volume[group] = max(own, ahead) / len(group)
    return replace(fills, center=center, radius=radius, volume=volume)


def _beyond(tree: Tree, mesh: IndexedMesh, fills: Fills, large: NDArray[np.bool_]) -> Fills:
    """Fills, of which cuts through walls also miss what can go on there, and so do flat lids on a mesh that was made even."""
    lid = lids_of_even_meshes(mesh, fills.facet, fills.center, fills.outward, fills.flat & (fills.edges > 3))
    lid |= fills.leaning & (fills.facet >= 0)
    even = mesh.is_even[fills.facet] if fills.through.any() else fills.through
    beyond = np.flatnonzero(((fills.cut & fills.ended & large) | (fills.through & even) | lid) & (fills.facet >= 0))
    if not len(beyond):
        return fills
    radius, volume, tangent, own = fills.radius.copy(), fills.volume.copy(), fills.tangent.copy(), fills.radius[beyond]
    far = rooms(tree, mesh, fills.facet[beyond], fills.center[beyond], fills.outward[beyond], own)
    scrap = fills.through[beyond] & are_scraps(mesh, fills.facet[beyond], fills.area[beyond])
    own, far = np.where(scrap, mesh.size, own), np.where(scrap, mesh.size, far)
    on = (far > own) | lid[beyond] | scrap
    beyond, far, own = beyond[on], far[on], own[on]
    volume[beyond] = tangent[beyond] = np.maximum(volume[beyond], math.pi * own**2 * far)
    radius[beyond] = np.hypot(own, far)
    return replace(fills, radius=radius, volume=volume, tangent=tangent)


def _as_far_as_pieces(mesh: IndexedMesh, fills: Fills, least: float) -> Fills:
    """Fills, of which flat ones also miss what lies before the nearest flat piece in front of them that faces the same way.

    It can be what is left of the end of the body, of which all between was lost.
    """
    lid = np.flatnonzero(fills.flat & ~fills.in_plane & ~fills.sure & (fills.area > least) & (fills.facet >= 0))
    if not len(lid):
        return fills
    part, normal = mesh.parts(), mesh.normals()
    weight = np.linalg.norm(normal, axis=1)
    columns = np.concatenate([normal, mesh.corners.mean(axis=1) * weight[:, np.newaxis]], axis=1).T
    area, sums = np.bincount(part, weight), np.stack([np.bincount(part, x) for x in columns], axis=1)
    is_piece = np.linalg.norm(sums[:, :3], axis=1) > np.maximum(_ONE_WAY * area, 2 * LARGE * least)
    facing, middle = np.hsplit(sums[is_piece] / area[is_piece, np.newaxis], 2)
    outward = unit_vectors(fills.outward[lid])
    arm = middle - fills.center[lid, np.newaxis]
    ahead = (arm * outward[:, np.newaxis]).sum(axis=2)
    aside = np.linalg.norm(arm - ahead[..., np.newaxis] * outward[:, np.newaxis], axis=2)
    radius, volume = fills.radius.copy(), fills.volume.copy()
    is_end = (ahead > 0) & (aside < radius[lid, np.newaxis]) & (outward @ facing.T > _OPPOSITE)
    far = np.where(is_end, ahead, np.inf).min(axis=1, initial=np.inf)
    lid, far = lid[far < np.inf], far[far < np.inf]
    volume[lid] += math.pi * radius[lid] ** 2 * far
    radius[lid] = np.hypot(radius[lid], far)
    return replace(fills, radius=radius, volume=volume)


def _look_at_each_other(mesh: IndexedMesh, groups: Sequence[Loops]) -> bool:
    """Whether two large loops have opposite directions: what is between them can be missing."""
    vector = np.array([r.vector for r in _rings_of(mesh, groups, LARGE)]).reshape(-1, 3)
    unit = vector / np.linalg.norm(vector, axis=1)[:, np.newaxis]
    return bool((unit @ unit.T < -_OPPOSITE).any())


def least_missing(mesh: IndexedMesh) -> tuple[float, float]:
    """Shares of the area in the fills of loops, without bounds: of all but those that face another, which a band can join; of all."""
    groups = along_seams(mesh, loops_of(mesh, mesh.open_edges()))
    facing = {(id(ring.of), ring.row) for pair in facing_pairs(mesh, _rings_of(mesh, groups)) for ring in pair}
    area = whole = 0.0
    for loops in groups:
        p, alone = mesh.points[loops.vertices], [(id(loops), i) not in facing for i in range(len(loops))]
        arm, after = p - loops.center[:, np.newaxis], np.roll(p, -1, axis=1) - loops.center[:, np.newaxis]
        own = np.linalg.norm(np.cross(arm, after), axis=2).sum(axis=1) / 2
        area, whole = area + float(own[alone].sum()), whole + float(own.sum())
    return area / (mesh.area + area), whole / (mesh.area + whole)


def _bands(tree: Tree, mesh: IndexedMesh, groups: Sequence[Loops], connections: Array) -> list[Band]:
    """Bands between loops that face each other, judged by the evidence."""
    rings = _rings_of(mesh, groups)
    if len(rings) < 2:
        return []
    return bands_between(tree, mesh, rings, connections, _closed(mesh, groups, []).volume())


def _rings_of(mesh: IndexedMesh, groups: Sequence[Loops], least: float = _NOTHING) -> list[FacingLoop]:
    """Loops that enclose more than a share of the area, large enough to face each other."""
    smallest, rings = least * mesh.area, []
    for loops in groups:
        p = mesh.points[loops.vertices]
        vector = _vectors(p, loops.center)
        large = np.flatnonzero(np.linalg.norm(vector, axis=1) > smallest).tolist()
        rings += [
            FacingLoop(loops, i, loops.vertices[i], p[i], loops.facets[i], loops.center[i], vector[i]) for i in large
        ]
    return rings


def _besides(groups: Sequence[Loops], bands: Sequence[Band]) -> list[Loops]:
    """The loops that are of no band."""
    return [loops.without(_rows(loops, bands)) for loops in groups]


def _capped(groups: Sequence[Loops], bands: Sequence[Band], taken: Sequence[Band]) -> list[Loops]:
    """The loops of bands that are not taken."""
    rows = [np.setdiff1d(_rows(loops, bands), _rows(loops, taken)).astype(int) for loops in groups]
    return [loops.without(np.delete(np.arange(len(loops)), of)) for loops, of in zip(groups, rows, strict=True)]


def _rows(loops: Loops, bands: Sequence[Band]) -> list[int]:
    return [ring.row for band in bands for ring in band.rings if ring.of is loops]


def _closed(mesh: IndexedMesh, groups: Sequence[Loops], bands: Sequence[Band]) -> IndexedMesh:
    points, faces, count = [mesh.points], [mesh.faces, *(band.faces for band in bands)], len(mesh.points)
    for loops in groups:
        faces.append(loops.fills(count))
        if loops.vertices.shape[1] > 3:
            points.append(loops.center)
            count += len(loops)
    return IndexedMesh(np.concatenate(points), np.concatenate(faces))


def open_bound(surface: IndexedMesh, reference: Array) -> Bound:
    """Bound of the errors of an open surface in its integrals about `reference`, shape (3,), file units: its fills, and what they miss."""
    found = fill(surface, reference)
    fills = Surface.of(found.mesh.corners[len(surface.faces) :], reference).solid
    added = Bound(abs(fills.measure), abs(fills.first), abs(fills.second))
    return sum((step.bound for step in found.steps), added)
