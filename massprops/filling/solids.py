"""The solid that a link's geometries make together: united, not summed where they overlap, in the frame of the link."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, TypeVar, cast

import numpy as np

from massprops.diagnosis.link_geometry import PlacedSolid, PlacedSolids, half_edges
from massprops.errors import InvalidGeometry, MasspropsError, result_or_error
from massprops.formats.registry import open_mesh
from massprops.formats.robot.links import Geometry, Link, Mesh, Primitive, Which
from massprops.grades import Grade, Repair, worst
from massprops.measurement.parallel import outcomes
from massprops.measurement.parts import boxes_overlap
from massprops.measurement.pipeline import measure
from massprops.measurement.result import Measurement
from massprops.mesh.components import label_facets
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.mesh.repair.ladder import Repaired, repaired
from massprops.mesh.repair.solid_union import LINES, estimate_union, exact_union
from massprops.mesh.source import MeshSource, slices
from massprops.mesh.surface import Surface
from massprops.moments.arrays import ByValue, determinant, product, sum_of
from massprops.moments.integrals import Array, Moments
from massprops.units import Quantity, length_unit

T = TypeVar("T")
R = TypeVar("R")
#: Facets round a primitive where its overlap with others is measured.
_ROUND = 96
#: Lines per side with which an exact union has to agree first; all `LINES` only where it does not.
_LINES_OF_CHECK = 64


@dataclass(frozen=True, eq=False)
class LinkSolid(ByValue):
    """What a link's inertial is computed from.

    Attributes
    ----------
    which : {"visual", "collision"}
    moments : Moments
        ∫ 1, x, x xᵀ in the frame of the link, m³ …
    grade : str
        The worst of its solids.
    uncertainty : float
        How far the volume can be off, m³.
    method : str
        For people: ``3 solids, united``.
    """

    which: Which
    moments: Moments
    grade: Grade
    uncertainty: float
    method: str


@dataclass
class Solids(PlacedSolids):
    """Measures the solids of the links of one robot; a mesh that several links share is measured once.

    Attributes
    ----------
    finder : Finder
    repair : {"none", "safe", "full"}
    max_uncertainty : float or None
        As `massprops.measure` has them.
    overlap : {"union", "sum"}
        What overlapping geometries of one link are.
    """

    repair: Repair = "safe"
    max_uncertainty: Quantity | None = None
    overlap: Literal["union", "sum"] = "union"

    def measure_all(self, links: Sequence[Link], which: Which, jobs: int = 1) -> list[LinkSolid | MasspropsError]:
        """The solids of links, or why they have none: first the meshes, then what the links make of them, each in several processes."""
        meshes = self._meshes(links, which)
        self.known.update(zip(meshes, _in_processes(self.read, meshes, jobs), strict=True))
        tasks = [_geometries(link, which) for link in links]
        several = any(len(geometries) > 1 for _, geometries in tasks)
        found = _in_processes(self._attempt, tasks, jobs if several else 1)
        return [link.error or f if not _geometries(link, which)[1] else f for link, f in zip(links, found, strict=True)]

    def _attempt(self, task: tuple[Which, tuple[Geometry, ...]]) -> LinkSolid | MasspropsError:
        return result_or_error(self.measure, *task)

    def _meshes(self, links: Sequence[Link], which: Which) -> list[Path]:
        """The files that are to be measured, each once."""
        found: dict[Path, None] = {}
        for geometry in (g for link in links for g in _geometries(link, which)[1]):
            if isinstance(geometry.solid, Mesh):
                with suppress(MasspropsError):  # said of each link that has it
                    found[self.finder.find(geometry.solid.uri)] = None
        return [path for path in found if path not in self.known]

    def measure(self, which: Which, geometries: Sequence[Geometry]) -> LinkSolid:
        """The solid of the geometries of a link, which are of one kind.

        Raises
        ------
        MasspropsError
            If a geometry cannot be measured, with its place.
        """
        if not geometries:
            what = "the link has no geometry"
            raise InvalidGeometry(what, code="no-geometry", hint="give its mass and inertia by hand")
        parts = [self.placed(g) for g in geometries]
        grade = worst("proved", *(p.mesh[1].grade for p in parts if p.mesh))
        off = sum(map(_uncertainty, parts))
        summed = sum_of(p.moments for p in parts)
        name = parts[0].name if len(parts) == 1 else f"{len(parts)} {which} solids"
        if len(parts) == 1 or self.overlap == "sum" or not boxes_overlap([p.bounds for p in parts]):
            method = name if len(parts) == 1 else f"{name}, summed"
            return LinkSolid(which, summed.recentred(), grade, off, method)
        united, more, exact = self._united(parts, summed)
        grade = grade if exact else "estimated"
        return LinkSolid(which, united.recentred(), grade, off + more, f"{name}, united")

    def read(self, path: Path) -> Measurement | MasspropsError:
        """The measurement of a mesh, repaired where that is allowed."""
        return result_or_error(partial(measure, repair=self.repair, max_uncertainty=self.max_uncertainty), path)

    def _united(self, parts: Sequence[PlacedSolid], summed: Moments) -> tuple[Moments, float, bool]:
        """The union: the exact sum less what the triangles count more than once; its bound; whether it is exact."""
        triangles = np.concatenate([self._triangles(p) for p in parts])
        mesh = MeshSource("link", "arrays", "binary", len(triangles), partial(slices, triangles))
        surface = Surface.of(triangles, triangles[0, 0])
        tessellated = surface.solid
        missing = abs(tessellated.measure - summed.measure)  # of round primitives, by their facets
        labels = label_facets(mesh)
        exact = exact_union(mesh, labels, np.ones(int(labels.max()) + 1, dtype=np.int8), tessellated.reference)
        each = np.ones(len(triangles), dtype=np.int8)
        for lines in (LINES,) if exact is None else (_LINES_OF_CHECK, LINES):
            estimate, spread = estimate_union(mesh, surface, tessellated, each, lines)
            if exact is not None and abs(exact[0].measure - estimate.measure) <= spread.volume + exact[1].volume:
                return summed + (exact[0] - tessellated), exact[1].volume + missing, True
        return summed + (estimate - tessellated), spread.volume + missing, False

    def _triangles(self, part: PlacedSolid) -> Array:
        """The triangles of a solid in the frame of its link, outward, as they were measured."""
        if isinstance(part.geometry.solid, Primitive):
            corners = facets_of(part.geometry.solid)
        else:
            assert part.mesh is not None  # noqa: S101  # it is no primitive
            with open_mesh(part.mesh[0]) as mesh:
                scale, indexed = length_unit(mesh.unit or "m"), IndexedMesh.of(mesh)
            if len(indexed.open_edges()):
                found = repaired(indexed, "full" if self.repair == "full" else "safe")
                indexed = found.mesh if isinstance(found, Repaired) else indexed
            outward = np.sign(indexed.volume()) * np.sign(determinant(part.linear))
            corners = (indexed.corners * scale)[:, :: 1 if outward > 0 else -1]
        return np.asarray(product(corners, part.linear.T) + part.geometry.pose.translation)


def _uncertainty(part: PlacedSolid) -> float:
    if part.mesh is None or part.mesh[1].uncertainty is None:
        return 0.0
    return (part.mesh[1].uncertainty.volume or 0.0) * part.moments.measure / part.mesh[1].moments.measure


def _geometries(link: Link, which: Which) -> tuple[Which, tuple[Geometry, ...]]:
    """Those of the kind that is asked for; of the other where there is none of this."""
    if not link.geometry(which):
        which = "collision" if which == "visual" else "visual"
    return which, link.geometry(which)


def _in_processes(work: Callable[[T], R], tasks: Sequence[T], jobs: int) -> list[R]:
    if min(jobs, len(tasks)) < 2:
        return [work(task) for task in tasks]
    return list(outcomes(work, tasks, jobs, lambda _task, error: cast("R", error)))


def facets_of(solid: Primitive) -> Array:
    """A primitive in triangles, shape (n, 3, 3), outward, in its own frame."""
    lengths, half_sizes = solid.lengths, half_edges(solid)
    if solid.shape == "box":
        return _box(half_sizes)
    angle = np.linspace(0, np.pi / 2, _ROUND // 4 + 1)
    if solid.shape == "ellipsoid":
        profile = np.column_stack([np.cos(angle), np.sin(angle)])
        unit = _revolved(np.concatenate([(profile * [1, -1])[::-1], profile[1:]]))
        return np.asarray(unit * half_sizes)
    r = lengths["radius"]
    half = lengths.get("length", 0.0) / 2
    if solid.shape == "cylinder":
        return _revolved(np.array([[0, -half], [r, -half], [r, half], [0, half]]))
    cap = np.column_stack([r * np.cos(angle), half + r * np.sin(angle)])  # of a sphere or capsule
    return _revolved(np.concatenate([(cap * [1, -1])[::-1], cap]))


def _box(half: Array) -> Array:
    corners = np.array(np.meshgrid(*[[-h, h] for h in half], indexing="ij")).reshape(3, -1).T
    quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    return np.asarray(corners[[[q[0], q[k], q[k + 1]] for q in quads for k in (1, 2)]])


def _revolved(profile: Array) -> Array:
    """The solid of a profile (r, z), shape (n, 2), from the axis up to the axis again."""
    turn = 2 * np.pi * np.arange(_ROUND + 1) / _ROUND
    turn[-1] = 0.0
    cos, sin = np.cos(turn), np.sin(turn)
    ring = np.stack([np.outer(cos, profile[:, 0]), np.outer(sin, profile[:, 0])], axis=-1)
    ring = np.concatenate([ring, np.broadcast_to(profile[:, 1, None], (*ring.shape[:2], 1))], axis=-1)
    ring[:, profile[:, 0] < 1e-12 * profile.max(), :2] = 0.0  # the axis is one point, whatever the angle
    a, b, c, d = ring[:-1, :-1], ring[1:, :-1], ring[1:, 1:], ring[:-1, 1:]
    quads = np.stack([np.stack([a, b, c], axis=2), np.stack([a, c, d], axis=2)], axis=2).reshape(-1, 3, 3)
    p, q, s = quads.transpose(1, 0, 2)
    return np.asarray(quads[(p != q).any(axis=1) & (q != s).any(axis=1) & (s != p).any(axis=1)])
