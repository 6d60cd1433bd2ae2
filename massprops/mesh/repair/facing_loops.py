"""Loops of open edges that face each other: two caps or a band between them, and the evidence that decides which is missing.

Evidence, in this order: facets without area along the rims are what is left of the band; walls that run from both rims towards
the other leave no room for it, and a band that turns the body inside out is none; the generalized winding number of the open surface at
64 points of the region between the loops, which is material in one reading only (Jacobson and others 2013, ACM Transactions on Graphics
32: 33), can be for the band; and caps that leave two bodies where a band leaves one.

Tests: `tests/mesh/test_repair_ladder.py`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from massprops.mesh.connectivity import Index
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.mesh.repair.seams import WIDEST
from massprops.mesh.winding_tree import Tree
from massprops.moments.arrays import Array, unit_vectors

#: Directions of facing loops are opposite to this share; their axes are apart by at most this share of the smaller radius.
_ALIKE = 0.05
#: Loops of one shape face each other if the line between them is this much steeper than 45 degrees, as those of a slanted bore.
_SLANTED = 2.0
#: Loops that enclose less than this share of the area face each other on a common axis only, and nothing decides between them.
SMALLEST = 1e-4
#: Loops beyond this number, the largest first, are not compared.
_MOST = 500
#: Walls that run from both loops towards the other by more than this cosine leave no room for a band.
_TOWARDS = 0.5
#: A reading is forced where the winding number is farther than this from 1/2 at all points.
MARGIN = 0.25
#: Points on a side of the stratified sample of a disputed region: 4³.
_STRATA = 4


@dataclass(frozen=True, eq=False)
class FacingLoop:
    """One simple loop of open edges, a row of `of`: its vertices in order, shape (k,), their points, the facets along it, centre and
    vector area.
    """

    of: object
    row: int
    vertices: Index
    points: Array
    facets: Index
    center: Array
    vector: Array

    @cached_property
    def middle(self) -> Array:
        """Centroid of the area."""
        arm = self.points - self.center
        across = np.cross(arm, after := np.roll(arm, -1, axis=0)) @ self.vector
        return np.asarray(self.center + across @ (arm + after) / (3 * across.sum()))

    @cached_property
    def radius(self) -> float:
        """Radius of a circle of the same area."""
        return math.sqrt(float(np.linalg.norm(self.vector)) / math.pi)


@dataclass(frozen=True, eq=False)
class Band:
    """Facets between two facing loops, shape (n, 3), as one reading of what is missing there; the other is a cap on each loop.

    Attributes
    ----------
    rings : tuple of FacingLoop
    faces : ndarray of int, shape (n, 3)
        The second vertex and the first are an edge of a loop; the third lies on the other loop.
    rims : ndarray of int, shape (n,)
        The facet of the mesh along this edge.
    spans : ndarray of int, shape (n, 2)
        Vertices of the two loops where each facet begins.
    is_taken : bool
        Whether the evidence is for the band.
    is_forced : bool
        Whether it excludes the other reading.
    is_open : bool
        Whether the other reading remains possible.
    is_rival : bool
        Whether a shorter band joins one of its loops to a third one, which leaves the other loop alone.
    against : float
        The share of the region between the loops in which the winding number speaks against the reading that is taken.
    """

    rings: tuple[FacingLoop, FacingLoop]
    faces: Index
    rims: Index
    spans: Index
    is_taken: bool = True
    is_forced: bool = True
    is_open: bool = False
    is_rival: bool = False
    against: float = 0.0


def bands_between(
    tree: Tree, mesh: IndexedMesh, rings: list[FacingLoop], connections: Array, volume: float
) -> list[Band]:
    """Bands between loops that face each other, judged by the evidence.

    Parameters
    ----------
    tree : callable
        The tree of the surface.
    mesh : IndexedMesh
        The open surface.
    rings : list of FacingLoop
        Its loops.
    connections : ndarray, shape (n, 2, 3)
        The edges of facets without area that were left out.
    volume : float
        Of the surface, closed by caps.
    """
    least = SMALLEST * mesh.area
    pairs, joined, seams, bands = list(facing_pairs(mesh, rings)), set[FacingLoop](), set[FacingLoop](), list[Band]()
    for pair in pairs:
        if (joined | seams) & set(pair):
            continue
        if band := _free_band(mesh, *pair):
            joined |= set(pair)
            bands.append(band)
        elif _is_seam(mesh, *pair):
            seams |= set(pair)
    change = np.array([difference(mesh, band) for band in bands])
    most = volume + np.maximum(change, 0).sum()
    sign = -1 if most < 0 else 1
    bands = [b for b, c in zip(bands, change, strict=True) if sign < 0 or most + c > 0]  # no band turns it inside out
    mouths = mesh.flat_vertices if bands else np.empty(0, dtype=bool)
    bands = [_judged(tree, mesh, b, connections, sign, mouths) if _is_seen(b, least) else _undecided(b) for b in bands]
    rivals = [b for pair in pairs if len(joined & set(pair)) == 1 and (b := _free_band(mesh, *pair))]
    disputed = {ring for band in rivals for ring in band.rings}
    return [
        *(replace(b, is_forced=False, is_open=True) if disputed & set(b.rings) else b for b in bands),
        *(replace(_undecided(b), is_rival=True) for b in rivals),
    ]


def _is_seen(band: Band, least: float) -> bool:
    """Whether a loop is large enough for the evidence to be worth its cost."""
    return max(float(np.linalg.norm(ring.vector)) for ring in band.rings) > least


def _undecided(band: Band) -> Band:
    return replace(band, is_taken=False, is_forced=False, is_open=True)


def facing_pairs(mesh: IndexedMesh, rings: list[FacingLoop]) -> Iterator[tuple[FacingLoop, FacingLoop]]:
    """Pairs of loops with opposite directions and a common axis, or of one shape, those with the shortest band first.

    Tiny loops, and triangles, which single missing facets leave everywhere, have a common axis, unless they are mouths.
    """
    rings = sorted(rings, key=lambda r: -r.radius)[:_MOST]
    if len(rings) < 2:
        return
    center, vector = np.array([r.middle for r in rings]), np.array([r.vector for r in rings])
    area, radius = np.linalg.norm(vector, axis=1), np.array([r.radius for r in rings])
    apart = center - center[:, np.newaxis]
    along = np.abs((apart * vector[:, np.newaxis]).sum(axis=2)) / area[:, np.newaxis]
    aside = np.sqrt(np.maximum((apart**2).sum(axis=2) - along**2, 0))
    opposite = vector @ vector.T <= (_ALIKE - 1) * area * area[:, np.newaxis]
    wider = np.abs(radius - radius[:, np.newaxis])
    on_axis = (aside <= _ALIKE * radius) & (along + wider > aside)
    sides = np.array([len(r.vertices) for r in rings])
    slanted, flat = (aside <= _SLANTED * along) & (sides > 3) & (area >= SMALLEST * mesh.area), mesh.flat_vertices
    mouth = np.array([flat[r.vertices].all() for r in rings])
    slanted = (slanted | (mouth & mouth[:, np.newaxis] & (along > 0))) & (sides == sides[:, np.newaxis])
    i, j = np.nonzero(np.triu(opposite & ((on_axis & on_axis.T) | (slanted & slanted.T)), 1))
    slant = np.sqrt(along**2 + wider**2 + aside**2)[i, j]
    for a, b in zip(*(x[np.argsort(slant, kind="stable")].tolist() for x in (i, j)), strict=True):
        if (on_axis[a, b] and on_axis[b, a]) or _have_one_shape(rings[a], rings[b]):
            yield rings[a], rings[b]


def _have_one_shape(one: FacingLoop, other: FacingLoop) -> bool:
    """Whether the vertices of two loops, passed in opposite directions, are at the same places about the middle, to a scale."""
    a, b = ((r.points - r.middle) / r.radius for r in (one, other))
    return any(np.abs(a - np.roll(b[::-1], k, axis=0)).max() <= _ALIKE for k in range(len(a)))


def _free_band(mesh: IndexedMesh, one: FacingLoop, other: FacingLoop) -> Band | None:
    """The band between two loops; None where walls run from both towards the other, which leaves no room for it."""
    band = _band(one, other)
    return band if min(towards(mesh, band, ring) for ring in band.rings) < _TOWARDS else None


def _is_seam(mesh: IndexedMesh, one: FacingLoop, other: FacingLoop) -> bool:
    """Whether all vertices of two loops are within the width of a seam of the other loop."""
    for p, q in ((one.points, other.points), (other.points, one.points)):
        arm, edge = p[:, np.newaxis] - q, np.roll(q, -1, axis=0) - q
        share = np.clip((arm * edge).sum(axis=2) / np.maximum((edge * edge).sum(axis=1), 1e-300), 0, 1)
        off = np.linalg.norm(arm - share[..., np.newaxis] * edge, axis=2)
        if off.min(axis=1).max() > WIDEST * mesh.size:
            return False
    return True


def towards(mesh: IndexedMesh, band: Band, ring: FacingLoop) -> float:
    """Mean cosine between the directions in which the facets leave a loop, and those of the band from there to the other."""
    of = np.isin(band.faces[:, 0], ring.vertices)
    q, p, apex = mesh.points[band.faces[of]].transpose(1, 0, 2)
    a, b, c = mesh.points[mesh.faces[band.rims[of]]].transpose(1, 0, 2)
    inward, across = np.cross(np.cross(b - a, c - a), q - p), np.cross(np.cross(q - p, apex - p), q - p)
    size = np.linalg.norm(inward, axis=1) * np.linalg.norm(across, axis=1)
    return float((inward * across).sum() / max(size.sum(), 1e-300))


def _band(one: FacingLoop, other: FacingLoop) -> Band:
    """The ruled band: each edge of a loop is joined to the vertex of the other loop at the angle of its middle about the common axis.

    So it is the same wherever it begins, and in whichever direction.
    """
    axis = unit_vectors(np.stack([one.vector, -other.vector])).sum(axis=0)
    u = np.cross(axis, np.eye(3)[int(np.abs(axis).argmin())])
    v = np.cross(axis, u) / np.linalg.norm(axis)
    around = (one.vertices, one.facets), (other.vertices[::-1], np.roll(other.facets[::-1], -1))
    points = one.points, other.points[::-1]
    angles = []
    for p, middle in zip(points, (one.middle, other.middle), strict=True):
        angle = np.arctan2((p - middle) @ v, (p - middle) @ u)
        angles.append(angle + (np.mod(np.roll(angle, -1) - angle + np.pi, 2 * np.pi) - np.pi) / 2)
    every = np.sort(np.mod(np.concatenate(angles), 2 * np.pi))
    gap = np.diff(every, append=every[0] + 2 * np.pi)
    first = every[gap.argmax()] + gap.max() / 2  # not at an edge, which rounding could put before it on one loop only
    ends, turns, rims = [], [], []
    for (vertices, facets), place in zip(around, angles, strict=True):
        angle = np.mod(place - first, 2 * np.pi)
        start = -int(angle.argmin())
        ends.append(np.append(x := np.roll(vertices, start), x[0]))
        turns += np.maximum.accumulate(np.unwrap(np.roll(angle, start))).tolist()
        rims.append(np.roll(facets, start))
    order, (a, b) = np.argsort(turns, kind="stable"), ends
    own = order < len(one.vertices)  # whose edge is next
    i: Index = np.cumsum(own) - own
    j: Index = np.cumsum(~own) - ~own
    ahead, behind = np.minimum(i + 1, len(a) - 1), np.minimum(j + 1, len(b) - 1)
    faces = np.where(own, [a[ahead], a[i], b[j]], [b[j], b[behind], a[i]]).T
    return Band((one, other), faces, np.concatenate(rims)[order], np.stack([a[i], b[j]], axis=1))


def difference(mesh: IndexedMesh, band: Band) -> float:
    """Volume of the solid with the band less that of the solid with caps, of which the first is a cone to the reference point."""
    one, other = band.rings
    return float(
        np.linalg.det(mesh.points[band.faces] - one.center).sum() / 6 + other.vector @ (other.center - one.center) / 3
    )


def _judged(
    tree: Tree, mesh: IndexedMesh, band: Band, connections: Array, sign: int, mouths: NDArray[np.bool_]
) -> Band:
    """The band with what the evidence says of it."""
    rims = {p.tobytes() for ring in band.rings for p in mesh.points[ring.vertices]}
    along = {(a.tobytes(), b.tobytes()) for a, b in connections if (a != b).any()}
    if sum(a in rims and b in rims for a, b in along) >= len(rims) / 4:  # half of the rim of one loop
        return band
    w = sign * tree().winding_numbers(_points(mesh, band))
    fills = sign * difference(mesh, band) > 0  # or else it empties the region
    for_band = w > 0.5 if fills else w <= 0.5
    taken = bool(for_band.mean() > 0.5)
    # without its wall a long bore looks solid from inside, and a long neck empty: caps are never forced
    sound = taken and not _is_inward(mesh, band, sign)
    # a wide hole through a thin wall looks empty from inside, whatever is missing, unless it begins where only holes do
    sound = sound and (fills or _is_deep(band) or all(mouths[ring.vertices].all() for ring in band.rings))
    forced = bool((np.abs(w - 0.5) > MARGIN).all()) and sound
    against = float((for_band != taken).mean())
    is_open = not forced and not (sound and _are_bodies(mesh, band.rings))
    return replace(band, is_taken=taken, is_forced=forced, is_open=is_open, against=against)


def _is_deep(band: Band) -> bool:
    """Whether two loops are farther apart than the radius of the smaller one."""
    one, other = band.rings
    return bool(np.linalg.norm(one.middle - other.middle) > min(one.radius, other.radius))


def _is_inward(mesh: IndexedMesh, band: Band, sign: int) -> bool:
    """Whether the parts that a band joins are a cavity with it, or a body inside out: the winding number is then of others as well."""
    parts, center = mesh.parts(), band.rings[0].center
    own = np.isin(parts, parts[[ring.facets[0] for ring in band.rings]])
    around = np.concatenate([mesh.corners[own], mesh.points[band.faces]])
    return bool(sign * np.linalg.det(around - center).sum() < 0)


def _are_bodies(mesh: IndexedMesh, rings: tuple[FacingLoop, FacingLoop]) -> bool:
    """Whether caps on two loops leave two bodies: parts, of which neither is a cavity of the other."""
    parts = mesh.parts()
    (one, other) = (parts == parts[ring.facets[0]] for ring in rings)
    a, b = (np.linalg.det(mesh.corners[of] - ring.center).sum() for of, ring in zip((one, other), rings, strict=True))
    return not (one & other).any() and bool(a * b > 0)


def _points(mesh: IndexedMesh, band: Band) -> Array:
    """Points of the region between the loops, stratified along the axis, across it by equal areas, and around it: shape (64, 3)."""
    one, other = mesh.points[band.spans].transpose(1, 0, 2)
    a, b, c = mesh.points[band.faces].transpose(1, 0, 2)
    around = np.cumsum(np.linalg.norm(np.cross(b - a, c - a), axis=1))
    middle = (np.arange(_STRATA) + 0.5) / _STRATA
    found = []
    for along in middle:
        chosen = np.searchsorted(around, around[-1] * (np.arange(_STRATA) + along) / _STRATA)
        center = (1 - along) * band.rings[0].center + along * band.rings[1].center
        rim = (1 - along) * one[chosen] + along * other[chosen]
        found += [center + math.sqrt(across) * (rim - center) for across in middle]
    return np.concatenate(found)
