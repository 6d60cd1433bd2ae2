"""Holes: loops of open edges, closed by cones, with what each can hide.

The open edges of a surface are a cycle, so they fall into simple loops. Each is closed by the triangles between its edges and its centre
(its own triangle where it has three edges): exact for flat holes, for single missing facets, and for what T-junctions leave.

What a loop can hide is bounded under a stated assumption: the missing patch lies within the convex hull of the loop and the tangent
planes of its rim, or else within the ball around the loop. A rim at a sharp edge of the body says nothing of the patch; where such a loop
is flat, the missing patch is taken for the flat face that ends at that edge.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from massprops.errors import MissingExtra
from massprops.mesh.repair.bounds import Bound, Step, place
from massprops.mesh.repair.extras import scipy_spatial
from massprops.mesh.repair.indexed import Index, IndexedMesh, OpenEdges
from massprops.moments.integrals import Array

#: Rim and fill at a larger angle than this meet in an edge of the body, not on a smooth surface. The planes of a cube's corner meet a cut
#: across it at 55 degrees, the walls of a drafted part its top at 80 to 100.
SHARP = math.radians(75)
#: A loop is flat if its points are nearer to its plane than this share of its radius.
FLAT = 1e-2


@dataclass(frozen=True, eq=False)
class Loop:
    """A simple loop of open edges: vertices in order, the facets along it, and its length-weighted centre."""

    vertices: Index
    facets: Index
    center: Array
    radius: float

    @property
    def closes_flat(self) -> bool:
        """Whether it is a single triangle."""
        return len(self.vertices) == 3


def loops_of(mesh: IndexedMesh, edges: OpenEdges) -> Iterator[Loop]:
    """The open edges as simple loops, in the order of the file."""
    outgoing: dict[int, list[int]] = {}
    for i in range(len(edges) - 1, -1, -1):
        outgoing.setdefault(int(edges.start[i]), []).append(i)
    for first in range(len(edges)):
        here = int(edges.start[first])
        if not outgoing.get(here):
            continue
        path: list[int] = []
        position: dict[int, int] = {}
        while outgoing.get(here) or path:
            if here in position:  # back at a vertex of the path: what lies between is a loop
                begin = position[here]
                ring = path[begin:]
                del path[begin:]
                for i in ring:
                    position.pop(int(edges.start[i]), None)
                yield _loop(mesh, edges, np.array(ring))
                if not path and not outgoing.get(here):
                    break
                continue
            edge = outgoing[here].pop()
            position[here] = len(path)
            path.append(edge)
            here = int(edges.end[edge])


def _loop(mesh: IndexedMesh, edges: OpenEdges, ring: Index) -> Loop:
    vertices = edges.start[ring]
    p, q = mesh.points[vertices], mesh.points[edges.end[ring]]
    length = np.linalg.norm(q - p, axis=1)
    total = float(length.sum())
    center = ((p + q) / 2 * length[:, np.newaxis]).sum(axis=0) / total if total else p.mean(axis=0)
    return Loop(vertices, edges.facet[ring], center, float(np.linalg.norm(p - center, axis=1).max()))


def hidden_by(mesh: IndexedMesh, loop: Loop) -> float:
    """The volume between the true patch and the fill of a loop, at most, under the assumption that the module states."""
    ball = 4 / 3 * math.pi * loop.radius**3
    p = mesh.points[loop.vertices]
    q = np.roll(p, -1, axis=0)
    fill = np.cross(p - q, loop.center - q)  # of the triangle (q, p, center), twice its area
    sector = np.linalg.norm(fill, axis=1) / 2
    length = np.linalg.norm(q - p, axis=1)
    rim = mesh.corners[loop.facets]
    normal = np.cross(rim[:, 1] - rim[:, 0], rim[:, 2] - rim[:, 0])
    size = np.linalg.norm(normal, axis=1) * 2 * sector
    ok = (size > 0) & (length > 0)
    cosine = np.ones(len(p))
    cosine[ok] = (normal[ok] * fill[ok]).sum(axis=1) / size[ok]
    angle = np.arccos(np.clip(cosine, -1, 1))
    hull, thickness = _hull(p)
    flat = len(p) == 3 or thickness <= FLAT * loop.radius
    sharp = angle >= SHARP
    if sharp.any() and not flat:
        return ball
    height = np.zeros(len(p))  # of the center over each edge
    height[ok] = 2 * sector[ok] / length[ok]
    wedge = float((sector * height * np.tan(np.where(sharp, 0.0, angle)) / 3).sum())
    return min(hull + wedge, ball)


def _hull(points: Array) -> tuple[float, float]:
    """Volume of the convex hull, and how far the points are from their mean plane."""
    centred = points - points.mean(axis=0)
    thickness = (
        float(np.abs(centred @ np.linalg.svd(centred, full_matrices=False)[2][-1]).max()) if len(points) > 3 else 0.0
    )
    if len(points) < 4 or thickness == 0:
        return 0.0, thickness
    extent = np.ptp(points, axis=0)
    try:
        return float(scipy_spatial().ConvexHull(centred).volume), thickness
    except (MissingExtra, RuntimeError):  # no scipy, or flat to its rounding: at most a slab over its bounds
        return 2 * thickness * float(np.linalg.norm(extent)) ** 2, thickness


def filled(mesh: IndexedMesh, r: Array) -> tuple[IndexedMesh, list[Step], float]:
    """The mesh with every loop closed by a cone; the steps; and the area that was added."""
    loops = list(loops_of(mesh, mesh.open_edges()))
    if not loops:
        return mesh, [], 0.0
    points, faces = [mesh.points], [mesh.faces]
    volumes, reach = [], []
    count = len(mesh.points)
    for loop in loops:
        if loop.closes_flat:
            faces.append(loop.vertices[np.newaxis, ::-1])
        else:
            following = np.roll(loop.vertices, -1)
            faces.append(np.stack([following, loop.vertices, np.full(len(following), count)], axis=1))
            points.append(loop.center[np.newaxis])
            count += 1
        volumes.append(hidden_by(mesh, loop))
        reach.append(np.abs(loop.center - r) + loop.radius)
    result = IndexedMesh(np.concatenate(points), np.concatenate(faces))
    added = IndexedMesh(result.points, np.concatenate(faces[1:])).area()
    widest = max(loops, key=lambda loop: loop.radius)
    share = added / (mesh.area() + added)
    text = f"closed {len(loops)} {'loop' if len(loops) == 1 else 'loops'}, {100 * share:.2g} % of the area"
    return (
        result,
        [Step("fill", len(loops), place(widest.center), Bound.at(np.array(volumes), np.array(reach)), text)],
        share,
    )
