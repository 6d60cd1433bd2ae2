"""Holes: loops of open edges, closed by cones, and a bound of the volume that each fill can miss.

The open edges of a surface are a cycle, so they fall into simple loops. Each is closed by the triangles between its edges and its centre
(its own triangle where it has three edges): exact for flat holes, for single missing facets, and for what T-junctions leave.

The bound holds under an assumption: the missing patch lies within the convex hull of the loop and the tangent planes of its rim, or else
within the ball around the loop. A rim at a sharp edge of the body says nothing about the patch; where such a loop is flat, the missing
patch is taken for the flat face that ends at that edge.

Tests: `tests/mesh/test_repair_ladder.py`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from massprops.errors import MissingExtra, needing
from massprops.mesh.indexed_mesh import Index, IndexedMesh, OpenEdges
from massprops.mesh.repair.bounds import Bound, Step, place
from massprops.mesh.surface import Surface
from massprops.moments.arrays import length, symmetric_eigens
from massprops.moments.integrals import Array
from massprops.wording import plural

#: Rim and fill at a larger angle than this meet in an edge of the body, not on a smooth surface. The planes of a cube's corner meet a cut
#: across it at 55 degrees, the walls of a drafted part its top at 80 to 100.
SHARP = math.radians(75)
#: Rim and fill at a smaller angle lie in one flat face.
IN_PLANE = math.radians(1)
#: A loop is flat if its points are nearer to its plane than this share of its radius.
FLAT = 1e-2


@dataclass(frozen=True, eq=False)
class Loops:
    """Simple loops of k open edges each: their vertices in order, shape (n, k), and the facets along them.

    `center` is the mean of each loop weighted by length, shape (n, 3), and `radius` the distance of its farthest vertex from there.
    """

    vertices: Index
    facets: Index
    center: Array
    radius: Array

    def __len__(self) -> int:
        return len(self.vertices)

    def fills(self, first: int) -> Index:
        """The facets that close the loops, shape (m, 3), where the centres are vertices from `first` on; triangles need none."""
        n, k = self.vertices.shape
        if k == 3:
            return self.vertices[:, ::-1]
        center = np.broadcast_to(first + np.arange(n)[:, np.newaxis], (n, k))
        return np.stack([np.roll(self.vertices, -1, axis=1), self.vertices, center], axis=2).reshape(-1, 3)


@dataclass(frozen=True, eq=False)
class Hidden:
    """Volume between the true patch and the fill of each loop, at most, shape (n,); area of the fill; and how sure its shape is.

    `flat`: the loop lies in a plane. `in_plane`: so do the facets around it.
    """

    volume: Array
    area: Array
    flat: NDArray[np.bool_]
    in_plane: NDArray[np.bool_]


def loops_of(mesh: IndexedMesh, edges: OpenEdges) -> list[Loops]:
    """The open edges as simple loops, those of equally many edges together."""
    rings: dict[int, list[list[int]]] = {}
    for ring in _rings(edges):
        rings.setdefault(len(ring), []).append(ring)
    return [_loops(mesh, edges, np.array(rings[k])) for k in sorted(rings)]


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


def _loops(mesh: IndexedMesh, edges: OpenEdges, rings: Index) -> Loops:
    vertices = edges.start[rings]
    p = mesh.points[vertices]
    q = np.roll(p, -1, axis=1)
    weight = np.linalg.norm(q - p, axis=2, keepdims=True)
    center = ((p + q) / 2 * weight).sum(axis=1) / weight.sum(axis=1)
    radius = np.linalg.norm(p - center[:, np.newaxis], axis=2).max(axis=1)
    return Loops(vertices, edges.facet[rings], center, radius)


def hidden_by(mesh: IndexedMesh, loops: Loops) -> Hidden:
    """Volumes that the fills of loops can miss, under the assumption that the module states."""
    ball = 4 / 3 * math.pi * loops.radius**3
    p = mesh.points[loops.vertices]
    q = np.roll(p, -1, axis=1)
    fill = np.cross(p - q, loops.center[:, np.newaxis] - q)  # of the triangle (q, p, center), twice its area
    sector = np.linalg.norm(fill, axis=2) / 2
    edge = np.linalg.norm(q - p, axis=2)
    a, b, c = mesh.points[mesh.faces[loops.facets]].transpose(2, 0, 1, 3)
    normal = np.cross(b - a, c - a)
    size = np.linalg.norm(normal, axis=2) * 2 * sector
    ok = (size > 0) & (edge > 0)
    cosine = np.divide((normal * fill).sum(axis=2), size, out=np.ones_like(size), where=ok)
    angle = np.arccos(np.clip(cosine, -1, 1))
    thickness = _thickness(p)
    flat = thickness <= FLAT * loops.radius
    sharp = angle >= SHARP
    height = np.divide(2 * sector, edge, out=np.zeros_like(edge), where=ok)  # of the center over each edge
    wedge = (sector * height * np.tan(np.where(sharp, 0.0, angle)) / 3).sum(axis=1)
    open_ended = sharp.any(axis=1) & ~flat
    hull = _hulls(p, thickness, ~open_ended)
    volume = np.where(open_ended, ball, np.minimum(hull + wedge, ball))
    return Hidden(volume, sector.sum(axis=1), flat, flat & (angle <= IN_PLANE).all(axis=1))


def _thickness(points: Array) -> Array:
    """How far the points of each loop, shape (n, k, 3), are from their mean plane."""
    if points.shape[1] == 3:
        return np.zeros(len(points))
    centred = points - points.mean(axis=1, keepdims=True)
    normal = symmetric_eigens((centred[:, :, :, np.newaxis] * centred[:, :, np.newaxis]).sum(axis=1))[1][:, :, 0]
    return np.asarray(np.abs((centred * normal[:, np.newaxis]).sum(axis=2)).max(axis=1))


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
    """A mesh whose loops are closed by cones, and the step.

    `share`, `in_plane`, `flat`: what part of the area are all fills, those in the plane of the facets around them, and the flat ones.
    """

    mesh: IndexedMesh
    steps: tuple[Step, ...] = ()
    share: float = 0.0
    in_plane: float = 0.0
    flat: float = 0.0


def fill(mesh: IndexedMesh, r: Array) -> FilledMesh:
    """The mesh with every loop of open edges closed by a cone."""
    groups = loops_of(mesh, mesh.open_edges())
    if not groups:
        return FilledMesh(mesh)
    points, faces, count = [mesh.points], [mesh.faces], len(mesh.points)
    for loops in groups:
        faces.append(loops.fills(count))
        if loops.vertices.shape[1] > 3:
            points.append(loops.center)
            count += len(loops)
    hidden = [hidden_by(mesh, loops) for loops in groups]
    volume, area = (np.concatenate([getattr(h, name) for h in hidden]) for name in ("volume", "area"))
    flat, in_plane = (np.concatenate([getattr(h, name) for h in hidden]) for name in ("flat", "in_plane"))
    center = np.concatenate([loops.center for loops in groups])
    radius = np.concatenate([loops.radius for loops in groups])
    whole = mesh.area() + area.sum()
    share = float(area.sum() / whole)
    text = f"closed {plural(len(center), 'loop')}, {100 * share:.2g} % of the area"
    bound = Bound.at(volume, np.abs(center - r) + radius[:, np.newaxis])
    step = Step("fill", len(center), place(center[radius.argmax()]), bound, text)
    return FilledMesh(
        IndexedMesh(np.concatenate(points), np.concatenate(faces)),
        (step,),
        share,
        float(area[in_plane].sum() / whole),
        float(area[flat].sum() / whole),
    )


def open_bound(surface: IndexedMesh, reference: Array) -> Bound:
    """Bound of the errors of an open surface in its integrals about `reference`, shape (3,), file units: its fills, and what they miss."""
    found = fill(surface, reference)
    fills = Surface.of(found.mesh.corners[len(surface.faces) :], reference).solid
    added = Bound(abs(fills.measure), abs(fills.first), abs(fills.second))
    return sum((step.bound for step in found.steps), added)
