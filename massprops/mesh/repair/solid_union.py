"""The union of overlapping bodies: by manifold3d (an extra), guarded, since it changes some inputs without a word; and estimated.

The estimate has the X-ray as a control variate. The integral over the surface counts a point w times; the union counts it once where w
≥ 1. The difference, [w ≥ 1] − w, is zero but where bodies overlap, and is summed along the lines of a plain lattice: each stands for
its cell. Every second line of every second row is a lattice of its own, so three families are twelve lattices. Their mean is the
estimate; how far the worst of them is from it, twice, is how far the estimate can be off: one of twice the spacing errs some three to
four times as much as a family, and all of them agree by accident less often than three do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops.errors import needing
from massprops.mesh.components import BodyParts
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.mesh.source import Triangles
from massprops.mesh.surface import Surface
from massprops.mesh.xray.line_crossings import Crossings, Winding, xray
from massprops.mesh.xray.line_grid import Lattice
from massprops.mesh.xray.verdict import hidden_volume
from massprops.moments.arrays import Array, Index, product, sandwich
from massprops.moments.integrals import Moments
from massprops.moments.uncertainty import Spread, displacement, hidden

#: The library's own volume of a part may differ from ours by this share; else it has changed the part, and its union is not believed.
AGREEMENT = 1e-6
#: Lines per side of each family.
LINES = 256
#: Bound of the estimate: this many times the largest distance of one of the lattices from the mean of all.
_SAFETY = 2
#: Segments with less than this between them, in cells of the lattice, may overlap but for rounding.
_NEAR = 1e-6
#: What a cutter counts on a line, so that the sum tells how many bodies and how many cutters there are.
_CUT = 1 << 20


class ExactUnion(NamedTuple):
    """Moments of a union, in file units; what moving its surface by the library's own tolerance changes; its area and its triangles."""

    moments: Moments
    spread: Spread
    area: float
    mesh: IndexedMesh


def exact_union(mesh: Triangles, labels: Index, factors: NDArray[np.int8], reference: Array) -> ExactUnion | None:
    """The union of the parts of a surface.

    Parameters
    ----------
    mesh : Triangles
        The triangles.
    labels : ndarray of int, shape (facets,)
        The part that every facet belongs to.
    factors : ndarray of int8, shape (parts,)
        0 leaves a part out, −1 turns it round. A part that looks inward is cut out of the union of the others.
    reference : ndarray, shape (3,)
        What the moments are taken about.

    Returns
    -------
    ExactUnion or None
        None where the library does not take a part, or does not agree about its volume.

    Raises
    ------
    MissingExtra
        If manifold3d is not installed.
    """
    with needing("union", "an exact union needs manifold3d"):
        import manifold3d
    indexed = IndexedMesh.of(mesh)
    solids: list[Any] = []
    holes: list[Any] = []
    for part in np.flatnonzero(factors):
        faces = indexed.faces[labels == part][:, :: factors[part]]
        volume = Surface.of(indexed.points[faces], reference).solid.measure
        body = _body_if_it_agrees(manifold3d, indexed.points, faces[:, :: 1 if volume > 0 else -1], abs(volume))
        if body is None:
            return None
        (solids if volume > 0 else holes).append(body)
    if any(sum((solid ^ hole).volume() > 0 for solid in solids) != 1 for hole in holes):
        return None  # another body fills a part of the hole
    union = manifold3d.Manifold.batch_boolean(solids, manifold3d.OpType.Add)
    if holes:
        union = union - manifold3d.Manifold.batch_boolean(holes, manifold3d.OpType.Add)
    united = _mesh_of(union)
    surface = Surface.of(united.points[united.faces], reference)
    if not surface.solid.measure > 0:
        return None
    spread = displacement(surface.solid, surface.sheet, union.get_tolerance())
    return ExactUnion(surface.solid, spread, surface.sheet.measure, united)


def exact_difference(bodies: Sequence[Triangles], cutters: Sequence[Triangles]) -> tuple[IndexedMesh, float] | None:
    """Mesh of what is in any body and in no cutter, all of them outward, and how far its points can be off; without faces: nothing.

    Returns
    -------
    tuple of IndexedMesh and float, or None
        None where the library does not take a volume, or does not agree about it.

    Raises
    ------
    MissingExtra
        If manifold3d is not installed.
    """
    with needing("union", "an exact difference needs manifold3d"):
        import manifold3d
    taken: list[list[Any]] = []
    for meshes in (bodies, cutters):
        indexed = [IndexedMesh.of(mesh) for mesh in meshes]
        taken.append([_body_if_it_agrees(manifold3d, m.points, m.faces, m.volume()) for m in indexed])
    if any(body is None for body in (*taken[0], *taken[1])):
        return None
    found, cut = (manifold3d.Manifold.batch_boolean(own, manifold3d.OpType.Add) for own in taken)
    found = found - cut
    return _mesh_of(found), found.get_tolerance()


def _mesh_of(body: Any) -> IndexedMesh:
    """The triangles of a body of the library, copied: a view would keep its own mesh."""
    result = body.to_mesh64()
    return IndexedMesh(np.array(result.vert_properties)[:, :3].copy(), np.array(result.tri_verts).astype(np.int32))


def _body_if_it_agrees(manifold3d: Any, points: Array, faces: Index, volume: float) -> Any | None:
    """The library's body for one part, if it is still the part."""
    used, numbers = np.unique(faces, return_inverse=True)
    mesh = manifold3d.Mesh64(points[used], numbers.reshape(-1, 3).astype(np.uint64))
    body = manifold3d.Manifold(mesh)
    if body.status() != manifold3d.Error.NoError or abs(body.volume() - volume) > AGREEMENT * volume:
        return None
    return body


def estimate_union(
    mesh: Triangles,
    surface: Surface,
    counted: Moments,
    factors: NDArray[np.int8],
    lines: int = LINES,
    parts: BodyParts | None = None,
) -> tuple[Moments, Spread]:
    """Moments of the union, about the reference point of `counted`, with a bound by the spread of twelve estimates.

    Every part counts once, as what it is; cavities are cut out of their own body, and then the bodies are united. Where a part is inside
    out in places, these are not of the body, or not of the cavity; the bound has the other reading too.

    Parameters
    ----------
    mesh, surface : Triangles, Surface
        The triangles, and what one pass over them gathered.
    counted : Moments
        The integral in which a point counts w times.
    factors : ndarray of int8, shape (facets,)
        What w is multiplied by for each facet: 0 leaves it out, −1 turns it round.
    lines : int
        Per side of each family; even.
    parts : BodyParts, optional
        What the parts are; else the surface is that of one body.
    """
    lattice = Lattice.affordable(surface.bounds, surface.sheet.measure, lines, surface.seed, jittered=False)
    cells = lattice.lines**2
    parts = parts or BodyParts(np.zeros(len(factors), np.intp), np.zeros(1, np.intp), np.ones(1, np.intp))
    families = [_apart(crossings.weighted(factors), parts, cells) for crossings in xray(mesh, lattice)]

    def estimate(reading: _Reading) -> tuple[Moments, Spread, bool]:
        found, is_less = [], True
        for k, family in enumerate(families):
            levels = _levels(family, parts, cells, reading)
            is_less &= all((weight[w.stop > w.start] <= 0).all() for w, weight in levels)
            sums = (sums_along(w, weight, k, lattice, counted.reference) for w, weight in levels)
            found += [sum(several, counted) for several in zip(*sums, strict=True)]
        return *mean_of(found), is_less

    mean, spread, is_less = estimate(_Reading())
    low, high = spread.change
    # points of overlapping bodies are counted too often, and never too seldom; those of overlapping cavities, and of one that crosses
    # itself and is inside out there, may be
    if is_less:
        high = min(high, max(counted.measure - mean.measure, 0.0))
    # a place that no line has met may be inside out, and counts −1 instead of 1, or in a cavity 1 instead of −1
    spread = replace(spread, signed=(low, high)) + hidden(mean, surface.bounds, 2 * hidden_volume(lattice))
    for reading in (_Reading(bodies=True), _Reading(cavities=True), _Reading(filled=True)):
        if _differs(families, parts, reading):
            other, its, _ = estimate(reading)
            off = Spread.between(mean, other) + its
            spread += replace(off, signed=(-off.volume, 0.0) if reading.cavities else (0.0, off.volume))
    return mean, spread


@dataclass(frozen=True)
class _Reading:
    """Whether places count in which bodies, or cavities, are inside out; cavities of several bodies are then cut out of all, or filled."""

    bodies: bool = False
    cavities: bool = False
    filled: bool = False


def _differs(families: Sequence[_Family], parts: BodyParts, reading: _Reading) -> bool:
    """Whether a reading gives another body."""
    if parts.free.any() and not reading.bodies:
        return True
    sign = 1 if reading.bodies else -1
    return not reading.filled and any((sign * f.own.w[parts.sign[f.part] == sign] < 0).any() for f in families)


class _Family(NamedTuple):
    """The winding number of each part by itself along the lines of one family; the part of each segment, and whether it is looked at with
    those of others: one of a body that no other part is near counts once in any reading.
    """

    own: Winding
    part: Index
    is_shared: NDArray[np.bool_]


def _apart(crossings: Crossings, parts: BodyParts, cells: int) -> _Family:
    """The lines of one family, part by part."""
    winding = Winding.along(
        replace(crossings, line=crossings.line + cells * parts.labels[crossings.facet].astype(np.int64))
    )
    part, line = np.divmod(winding.line, cells)
    is_shared, some = np.ones(len(line), bool), np.flatnonzero(winding.w)
    if len(parts.sign) > 1 and len(some):
        some = some[Crossings(line[some], winding.start[some], winding.w[some], some).order()]
        # along one line, the lines one after another
        step = 2 * np.ptp([winding.start[some].min(), winding.stop[some].max()])
        start, stop = (x[some] + step * line[some] for x in (winding.start, winding.stop))
        begins = np.flatnonzero(np.append(True, start[1:] > np.maximum.accumulate(stop)[:-1] + _NEAR))
        alone = some[begins[np.diff(begins, append=len(some)) == 1]]
        is_shared[alone] = (parts.sign[part[alone]] < 0) | parts.free[parts.body[part[alone]]]
    return _Family(replace(winding, line=line), part, is_shared)


def _levels(family: _Family, parts: BodyParts, cells: int, reading: _Reading) -> list[tuple[Winding, Index]]:
    """Weights of the segments that are counted too little along lines: in each part, then in each body, then in all of them."""
    own, part, is_shared = family
    sign = parts.sign[part]
    is_solid = (own.w * sign >= 1) | ((own.w != 0) & np.where(sign > 0, reading.bodies, reading.cavities))
    levels, walls = [(own, np.where(is_solid, sign, 0) - own.w)], is_solid & (sign > 0)
    if len(parts.sign) == 1:
        return levels
    body = Winding.along(_bounds_of(own, is_solid & is_shared, sign, cells * parts.body[part].astype(np.int64)))
    of, line = np.divmod(body.line, cells)
    body, free = replace(body, line=line), parts.free[of]
    is_solid = body.w >= 1
    levels.append((body, np.where(free, -(body.w < 0).astype(np.intp), is_solid) - body.w))
    bounds = [_bounds_of(body, np.where(free, body.w < 0, is_solid), np.where(free, _CUT, 1), 0)]
    if reading.filled:
        bounds.append(_bounds_of(own, walls & is_shared, np.full(len(walls), _CUT**2), 0))
    whole = Winding.along(Crossings.of_parts(bounds))
    bodies, cut, around = whole.w % _CUT, whole.w // _CUT % _CUT, whole.w // _CUT**2
    united = bodies > cut
    # a cavity is of one of the bodies around it, and may be filled by the others
    if reading.cavities or reading.filled:
        united = (bodies >= 1) & ((cut == 0) | (around > 1))
    return [*levels, (whole, united - (bodies - cut))]


def _bounds_of(winding: Winding, chosen: NDArray[np.bool_], change: Index, shift: Index | int) -> Crossings:
    """Crossings with both ends of some segments, each of which counts `change`, on lines with other numbers."""
    line, change = (winding.line + shift)[chosen], change[chosen]
    ends = np.concatenate([winding.start[chosen], winding.stop[chosen]])
    return Crossings(np.tile(line, 2), ends, np.concatenate([change, -change]), np.zeros(2 * len(line), np.intp))


def estimate_difference(bodies: Triangles, surface: Surface, cutters: Triangles | None) -> tuple[Moments, Spread]:
    """Moments of what is in any body and in no cutter, about the reference point of `surface`, with a bound as that of a union.

    Parameters
    ----------
    bodies, cutters : Triangles
        Closed volumes, outward.
    surface : Surface
        What one pass over the bodies gathered.
    """
    (x, y, z), counted = np.ptp(surface.bounds, axis=0).tolist(), surface.solid
    area = surface.sheet.measure + (_area_within(cutters, x * y + y * z + z * x) if cutters else 0.0)
    lattice = Lattice.affordable(surface.bounds, area, LINES, surface.seed, jittered=False)
    families = xray(bodies, lattice)
    cut = xray(cutters, lattice) if cutters else [c.chosen(np.zeros(0, np.intp)) for c in families]
    estimates = []
    for k, (own, other) in enumerate(zip(families, cut, strict=True)):
        found = Winding.along(Crossings.of_parts([own, replace(other, change=-_CUT * other.change.astype(np.intp))]))
        weight = (found.w >= 1) - found.w % _CUT
        estimates += [counted + e for e in sums_along(found, weight, k, lattice, counted.reference)]
    return mean_of(estimates)


def _area_within(mesh: Triangles, most: float) -> float:
    """Area of the facets, of each at most `most`."""
    normals = (np.cross(c[:, 1] - c[:, 0], c[:, 2] - c[:, 0]) for c in mesh.chunks())
    return sum(float(np.minimum(np.linalg.norm(n, axis=1) / 2, most).sum()) for n in normals)


def mean_of(estimates: Sequence[Moments]) -> tuple[Moments, Spread]:
    """The mean of several estimates of one body, and twice how far the worst of them is from it."""
    mean = Moments(
        float(np.mean([e.measure for e in estimates])),
        np.mean([e.first for e in estimates], axis=0),
        np.mean([e.second for e in estimates], axis=0),
        estimates[0].reference,
    )
    return mean, _spread(mean, estimates)


def sums_along(winding: Winding, weight: Index, k: int, lattice: Lattice, reference: Array) -> Iterator[Moments]:
    """∫ weight q about `reference` along the lines of family k: every second line of every second row, for four cells; four such."""
    wrong = np.flatnonzero(weight)
    line, length = winding.line[wrong], winding.stop[wrong] - winding.start[wrong]
    u, v = (k + 1) % 3, (k + 2) % 3
    middle = np.empty((3, len(wrong)))
    middle[k] = (winding.start[wrong] + winding.stop[wrong]) / 2
    middle[[u, v]] = lattice.places[k][:, line]
    middle = (middle + (lattice.low / lattice.cell)[:, np.newaxis]) * lattice.cell[:, np.newaxis]
    middle -= product(lattice.rotation, reference)[:, np.newaxis]
    measure = 4 * weight[wrong] * length * np.prod(lattice.cell)
    size = np.tile(lattice.cell[:, np.newaxis], len(wrong))
    size[k] *= length
    r, quarter = lattice.rotation.T, 2 * (line // lattice.lines % 2) + line % lattice.lines % 2
    for q in range(4):
        mine = np.flatnonzero(quarter == q)
        m, x, d = measure[mine], middle.take(mine, axis=1), size.take(mine, axis=1)
        second = ((x * m)[:, np.newaxis] * x).sum(axis=2) + np.diag((m * d**2).sum(axis=1) / 12)
        yield Moments(float(m.sum()), product(r, (x * m).sum(axis=1)), sandwich(r, second), reference)


def _spread(mean: Moments, estimates: Sequence[Moments]) -> Spread:
    volume = max(abs(e.measure - mean.measure) for e in estimates)
    if min(e.measure for e in estimates) <= 0:  # no centre is known
        return Spread(_SAFETY * volume, np.full(3, np.inf), np.full((3, 3), np.inf))
    center = np.max([np.abs(e.centroid - mean.centroid) for e in estimates], axis=0)
    second = np.max([np.abs(e.central_second() - mean.central_second()) for e in estimates], axis=0)
    return Spread(_SAFETY * volume, _SAFETY * center, _SAFETY * second)
