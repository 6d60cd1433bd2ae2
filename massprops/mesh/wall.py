"""Walls: the moments of the layer of thickness t inside a closed surface, the points whose depth below it is less than t.

To second order in t they are exact,

    M(t) = t ∮ p dA + t² ( −½ ∮ ∂ₙp dA − Σ_convex tan(θ/2) ∫ₑ p dl + Σ_reflex |θ|/2 ∫ₑ p dl ) + …

for p = 1, x, x xᵀ and the dihedral angles θ of the edges: where facets meet convexly their layers overlap, where they meet in a reflex
edge a sector is left between them. The terms of t³ … t⁵ are those of the mitred offset, in which each vertex moves by t m, with n · m = 1
for the normals n of its facets in the least-squares sense: what that encloses is a polynomial in t. Both agree while t is small beside
the body; their difference is how far the closed form can be off, and where it is large, the closed form has ended.

Where it has ended, the wall is estimated from points: their distances to the triangles, and whether they lie inside, by brute force.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from massprops.errors import InvalidGeometry, Remedy
from massprops.findings import Finding
from massprops.mesh.connectivity import Index
from massprops.mesh.enclosed_solid import EnclosedSolid
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.mesh.winding_tree import WindingTree
from massprops.moments.arrays import Array, product, symmetric_eigens
from massprops.moments.integrals import Moments, simplex_moments
from massprops.moments.uncertainty import Spread

#: Pairs of a point and a triangle that are looked at together: some megabytes for each of the arrays.
_BLOCK = 1 << 18
#: Of a moment up to order two in three dimensions, in t.
_DEGREE = 5
#: Normals differ in a direction if its eigenvalue is at least this share of the largest.
_HARDLY = 1e-6
#: Where the two forms differ by more than this share of the wall, neither is believed.
MOST_OFF = 0.02
#: Thinner walls, as a share of the size of the body, are rounding.
THINNEST = 1e-9
#: A facet of the inner surface that is nearer to the outer one by this share of the thickness has met another wall; how many are looked at.
_NEARER = 0.1
_LOOKED_AT = 200
#: The estimate beyond: points in the box of the body, replicates, the bound in standard errors, and the most facets.
_POINTS, _REPLICATES, _SIGMAS = 2048, 8, 4.0
MOST_FACETS = 20_000


def distances(points: Array, corners: Array) -> Array:
    """The distance of each point, shape (P, 3), from the nearest of the triangles, shape (F, 3, 3); shape (P,)."""
    rows = max(1, _BLOCK // len(corners))
    return np.concatenate([_distances(points[i : i + rows], corners) for i in range(0, len(points), rows)])


def _distances(points: Array, corners: Array) -> Array:
    a, b, c = corners.transpose(1, 0, 2)
    normal = np.cross(b - a, c - a)
    length = np.linalg.norm(normal, axis=1)
    proper = length > 0
    unit = np.divide(normal, length[:, None], out=np.zeros_like(normal), where=proper[:, None])
    height = product(points, unit.T) - (unit * a).sum(axis=1)
    inside = np.broadcast_to(proper, height.shape).copy()
    nearest = np.full(height.shape, np.inf)
    for p, q in ((a, b), (b, c), (c, a)):
        edge = q - p
        squared = np.maximum((edge * edge).sum(axis=1), np.finfo(float).tiny)
        along = np.clip((product(points, edge.T) - (p * edge).sum(axis=1)) / squared, 0, 1)
        arm = points[:, None] - p - along[:, :, None] * edge
        np.minimum(nearest, (arm * arm).sum(axis=2), out=nearest)
        outward = np.cross(edge, unit)
        inside &= product(points, outward.T) <= (outward * p).sum(axis=1)
    # over a triangle its plane is nearest, beside it one of its edges
    return np.asarray(np.where(inside, np.abs(height), np.sqrt(nearest)).min(axis=1))


@dataclass(frozen=True, eq=False)
class Wall:
    """The layer in units of the file: moments about the reference asked for, how far they can be off, whether points estimate them.

    `off` bounds the errors of the integrals [[∫1, ∫xᵀ], [∫x, ∫x xᵀ]], shape (4, 4).
    """

    moments: Moments
    off: Array
    is_estimate: bool


def wall_moments(mesh: IndexedMesh, thickness: float, reference: Array) -> Wall:
    """Moments of the layer of this thickness inside a closed surface that is oriented outward.

    Parameters
    ----------
    mesh : IndexedMesh
        Closed and consistently oriented.
    thickness : float
        t, in units of the file.
    reference : ndarray, shape (3,)
        What the moments are taken about.

    Raises
    ------
    InvalidGeometry
        If the closed form has ended and the body has too many facets for an estimate (code ``wall-too-thick``) or
        space that does not count once (``overlapping-bodies``), or the thickness is a rounding error of the body (``wall-too-thin``).
    """
    mesh = mesh.with_area()
    if thickness < THINNEST * mesh.size:
        what = f"a wall of {thickness / mesh.size:.2g} of the body's size is too thin to compute"
        raise InvalidGeometry(what, code="wall-too-thin", hint="measure it as a sheet")
    step = _mitre(mesh)
    inner = IndexedMesh(mesh.points - thickness * step, mesh.faces)
    times = np.arange(_DEGREE + 1) / _DEGREE
    enclosed = np.array([_solid_integrals(mesh.points - s * thickness * step - reference, mesh.faces) for s in times])
    # coefficients of the polynomial in s = t / thickness, exact for one of this degree
    mitred = -product(_interpolating(), enclosed.reshape(len(times), 16)).reshape(-1, 4, 4)
    first, second = _layer(mesh, thickness, reference)
    total = first + second + mitred[3:].sum(axis=0)
    off = np.abs(total - mitred[1:].sum(axis=0))
    if not 0 < total[0, 0] <= enclosed[0, 0, 0] or off[0, 0] > MOST_OFF * total[0, 0] or _meets(mesh, inner, thickness):
        return _estimate(mesh, thickness, enclosed[0], reference)
    return _wall(total, off, reference, is_estimate=False)


def _wall(integrals: Array, off: Array, reference: Array, *, is_estimate: bool) -> Wall:
    """Wall of the integrals [[∫1, ∫xᵀ], [∫x, ∫x xᵀ]], shape (4, 4), and how far they can be off."""
    if not integrals[0, 0] > 0:
        what = "a wall so thin that no point of the estimate lies in it"
        raise InvalidGeometry(what, code="wall-too-thin", hint="measure it as a sheet")
    moments = Moments(float(integrals[0, 0]), integrals[0, 1:].copy(), integrals[1:, 1:].copy(), reference)
    return Wall(moments, off, is_estimate)


def _meets(mesh: IndexedMesh, inner: IndexedMesh, thickness: float) -> bool:
    """Whether walls meet: some of the inner surface's facets lie clearly nearer to the outer surface than the thickness."""
    areas = np.linalg.norm(inner.normals(), axis=1)
    largest = np.argsort(-areas, kind="stable")[:_LOOKED_AT]
    near = distances(inner.corners[largest].mean(axis=1), mesh.corners) < (1 - _NEARER) * thickness
    return bool(areas[largest][near].sum() > _NEARER / 10 * areas.sum())


def _estimate(mesh: IndexedMesh, thickness: float, body: Array, reference: Array) -> Wall:
    """The layer as the body less its core, the points of depth t and more: by quasi-random points, in independent replicates.

    Each replicate is a lattice of Korobov's kind, shifted at random by a fixed seed; the share of the core among the points inside,
    times the volume of the body, which is known, is its volume, and likewise for the moments.
    """
    if len(mesh.faces) > MOST_FACETS:
        raise InvalidGeometry(
            f"the wall is too thick for a closed form, and the body has more than {MOST_FACETS} facets to estimate it",
            code="wall-too-thick",
            hint="give a thinner wall or a coarser mesh",
        )
    low, high = mesh.points.min(axis=0), mesh.points.max(axis=0)
    steps = np.arange(_POINTS)[:, np.newaxis] * np.array([0.8191725133961645, 0.6710436067037893, 0.5497004779019703])
    cores, tree = np.zeros((_REPLICATES, 4, 4)), WindingTree.of(mesh)
    for replicate, shift in enumerate(np.random.default_rng(0).random((_REPLICATES, 3))):
        points = low + (steps + shift) % 1 * (high - low)
        winding = tree.winding_numbers(points)
        if (np.abs(winding - 0.5) > 1).any():
            what = "the walls meet, and some space counts twice or negatively: how much of it is wall is not defined"
            see = Remedy("unite the solids", see=("on_overlap", "verify"))
            raise InvalidGeometry(what, code="overlapping-bodies", hint=see)
        points = points[winding > 0.5]
        if len(points):
            deep = points[distances(points, mesh.corners) >= thickness]
            terms = np.column_stack([np.ones(len(deep)), deep - reference])
            cores[replicate] = body[0, 0] / len(points) * (terms[:, :, np.newaxis] * terms[:, np.newaxis]).sum(axis=0)
    off = _SIGMAS * cores.std(axis=0, ddof=1) / np.sqrt(_REPLICATES) + np.abs(body) / _POINTS
    return _wall(body - cores.mean(axis=0), off, reference, is_estimate=True)


def _layer(mesh: IndexedMesh, t: float, reference: Array) -> tuple[Array, Array]:
    """The terms of t and t² of [[∫1, ∫xᵀ], [∫x, ∫x xᵀ]], shape (4, 4) each."""
    corners = mesh.corners - reference
    normal = mesh.normals()
    area = np.linalg.norm(normal, axis=1) / 2
    unit = normal / (2 * area)[:, np.newaxis]
    sheet = simplex_moments(np.ascontiguousarray(corners.transpose(1, 2, 0)), area, 2, reference)
    mean = corners.mean(axis=1)
    slope = np.zeros((4, 4))
    slope[0, 1:] = slope[1:, 0] = (unit * area[:, np.newaxis]).sum(axis=0)
    cross = np.einsum("n,ni,nj->ij", area, unit, mean)
    slope[1:, 1:] = cross + cross.T
    start, end, theta = _dihedrals(mesh, unit)
    p, q = mesh.points[start] - reference, mesh.points[end] - reference
    length = np.linalg.norm(q - p, axis=1)
    weight = np.where(theta > 0, -np.tan(theta / 2), np.abs(theta) / 2) * length
    edges = simplex_moments(np.ascontiguousarray(np.stack([p, q]).transpose(0, 2, 1)), weight, 1, reference)
    return t * _matrix(sheet), t * t * (_matrix(edges) - slope / 2)


def _dihedrals(mesh: IndexedMesh, unit: Array) -> tuple[Index, Index, Array]:
    """Edges of two facets, and the angle by which the surface bends there: positive where it is convex."""
    key, sign, facet = mesh.edges()
    order = np.lexsort((-sign, key))
    key, facet = key[order], facet[order]
    if len(key) % 2 or (key[::2] != key[1::2]).any():
        raise InvalidGeometry(
            "an edge of the surface belongs to more than two facets", code="non-manifold-edges", hint="mend the export"
        )
    start, end = np.divmod(key[::2], len(mesh.points))
    one, other = facet[::2], facet[1::2]
    along = mesh.points[end] - mesh.points[start]
    along /= np.linalg.norm(along, axis=1)[:, np.newaxis]
    sine = (np.cross(unit[one], unit[other]) * along).sum(axis=1)
    cosine = (unit[one] * unit[other]).sum(axis=1)
    return start, end, np.arctan2(sine, cosine)


def _mitre(mesh: IndexedMesh) -> Array:
    """For every vertex the vector m with n · m = 1 for the normals of its facets, weighted with their angles; shape (V, 3)."""
    corners = mesh.corners
    normal = mesh.normals()
    unit = normal / np.linalg.norm(normal, axis=1)[:, np.newaxis]
    matrix = np.zeros((len(mesh.points), 3, 3))
    side = np.zeros((len(mesh.points), 3))
    for k in range(3):
        u, v = corners[:, (k + 1) % 3] - corners[:, k], corners[:, (k + 2) % 3] - corners[:, k]
        angle = np.arctan2(np.linalg.norm(np.cross(u, v), axis=1), (u * v).sum(axis=1))
        np.add.at(
            matrix, mesh.faces[:, k], angle[:, np.newaxis, np.newaxis] * unit[:, :, np.newaxis] * unit[:, np.newaxis]
        )
        np.add.at(side, mesh.faces[:, k], angle[:, np.newaxis] * unit)
    used = np.einsum("nii->n", matrix) > 0
    step = np.zeros_like(mesh.points)
    # along directions in which the normals hardly differ the vertex stays: the smallest m
    values, axes = symmetric_eigens(matrix[used])
    along = (axes * side[used, :, np.newaxis]).sum(axis=1)
    along = np.divide(along, values, out=np.zeros_like(along), where=values > _HARDLY * values[:, 2:])
    step[used] = (axes * along[:, np.newaxis]).sum(axis=2)
    return step


@functools.cache
def _interpolating() -> Array:
    """The coefficients of the polynomial with given values at k / 5, k = 0 … 5, as a matrix, from Lagrange's basis."""
    rows = []
    for i in range(_DEGREE + 1):
        basis = [Fraction(1)]
        for j in {*range(_DEGREE + 1)} - {i}:
            shifted, same = [Fraction(0), *basis], [*basis, Fraction(0)]
            basis = [(x * _DEGREE - j * y) / (i - j) for x, y in zip(shifted, same, strict=True)]
        rows.append(basis)
    return np.array(rows, dtype=np.float64).T


def _solid_integrals(points: Array, faces: Index) -> Array:
    """Integrals over the solid in a surface, [[∫1, ∫xᵀ], [∫x, ∫x xᵀ]] about the origin of its coordinates."""
    corners = points[faces].transpose(1, 2, 0)
    volume = np.einsum("in,in->n", corners[0], np.cross(corners[1].T, corners[2].T).T) / 6
    return _matrix(simplex_moments(np.ascontiguousarray(corners), volume, 3, np.zeros(3)))


def _matrix(m: Moments) -> Array:
    return np.block([[np.array(m.measure), m.first], [m.first[:, np.newaxis], m.second]])


def hollow_out(body: EnclosedSolid, thickness: float, infill: float | None) -> EnclosedSolid:
    """The wall of this thickness, file units, inside the surface of a solid; with the rest filled to the share `infill`.

    Raises
    ------
    InvalidGeometry
        If there is no surface to hollow, or the wall is too thick for the body.
    """
    if body.method != "exact" or body.mesh is None:
        raise InvalidGeometry(
            "a union or hull has no surface to hollow", code="no-surface", hint="repair the mesh and measure that"
        )
    solid = body.moments
    wall = wall_moments(IndexedMesh.of(body.mesh), thickness, solid.reference)
    share = infill or 0.0
    moments = wall.moments.times(1 - share) + solid.times(share)
    ratio = solid.measure / moments.measure
    sources = {name: Spread(s.volume, s.center * ratio, s.second * ratio) for name, s in body.sources.items()}
    off = (1 - share) * wall.off
    sources["wall"] = Spread.from_moments(moments, off[0, 0], off[0, 1:], off[1:, 1:])
    note: tuple[Finding, ...] = ()
    if wall.is_estimate:
        note = (Finding("wall-estimated", "warning", "the walls meet, so the layer was estimated by points"),)
    return replace(
        body,
        method="wall" if infill is None else "infill",
        grade="estimated" if wall.is_estimate else body.grade,
        moments=moments,
        sources=sources,
        findings=(*body.findings, *note),
    )
