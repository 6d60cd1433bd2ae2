"""The solid that a link's geometries make together: united, not summed where they overlap, in the frame of the link.

Tests: `tests/filling/test_fill.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, TypeVar, cast

import numpy as np

from massprops.errors import InvalidGeometry, MasspropsError, result_or_error
from massprops.formats.files import recorded_results
from massprops.formats.robot.links import Geometry, GeometryKind, Link, LinkMesh
from massprops.grades import Grade, worst
from massprops.measurement.links import LinkSolids, PlacedSolid, computed_body, join
from massprops.mesh.box_tree import overlapping_pairs
from massprops.mesh.components import label_facets
from massprops.mesh.repair.solid_union import LINES, estimate_union, exact_union
from massprops.mesh.source import Triangles, slices
from massprops.mesh.surface import Surface
from massprops.moments.arrays import ByValue, sum_of
from massprops.moments.integrals import Moments
from massprops.rigid_body.mass_properties import MassProperties

T = TypeVar("T")
R = TypeVar("R")
#: Lines per side with which an exact union has to agree first; all `LINES` only where it does not.
_LINES_OF_CHECK = 64


@dataclass(frozen=True, eq=False)
class LinkSolid(ByValue):
    """Solid from which a link's inertial is computed.

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
    size : float
        The longest side of its bounds, m.
    mass_moments : Moments or None
        ∫ρ, ∫ρ x, ∫ρ x xᵀ where the files of all its solids state their densities.
    computed : MassProperties or None
        What the format computes from the collisions, where its inertial is to be computed.
    """

    which: GeometryKind
    moments: Moments
    grade: Grade
    uncertainty: float
    method: str
    size: float
    mass_moments: Moments | None = None
    computed: MassProperties | None = None


@dataclass
class Solids(LinkSolids):
    """Solids of the links of one robot, each united from its geometries.

    Attributes
    ----------
    overlap : {"union", "sum"}
        What overlapping geometries of one link are.
    """

    overlap: Literal["union", "sum"] = "union"

    def measure_all(
        self, links: Sequence[Link], which: GeometryKind, jobs: int = 1
    ) -> list[LinkSolid | MasspropsError]:
        """The solids of links, or why they have none: first the meshes, then what the links make of them, each in several processes."""
        tasks = [_geometries(link, which) for link in links]
        solids = [g.solid for _, geometries in tasks for g in geometries if isinstance(g.solid, LinkMesh)]
        keys = [result_or_error(self.key, solid) for solid in solids]  # errors are said of each link
        meshes = [*dict.fromkeys(k for k in keys if not isinstance(k, MasspropsError) and k not in self.known)]
        self.known.update(zip(meshes, _in_processes(self.read, meshes, jobs), strict=True))
        several = any(len(geometries) > 1 for _, geometries in tasks)
        found = _in_processes(self._attempt, tasks, jobs if several else 1)
        found = [self._computed(link, solid) for link, solid in zip(links, found, strict=True)]
        return [f if own else link.error or f for link, (_, own), f in zip(links, tasks, found, strict=True)]

    def _computed(self, link: Link, solid: LinkSolid | MasspropsError) -> LinkSolid | MasspropsError:
        """The solid of a link with the inertial that the format computes, if it does."""
        if isinstance(solid, MasspropsError) or not link.is_weighed or link.automatic is None:
            return solid
        parts = [self.place(geometry) for geometry in link.geometry("collision")]
        return replace(solid, computed=computed_body(link, link.automatic, parts))

    def _attempt(self, task: tuple[GeometryKind, tuple[Geometry, ...]]) -> LinkSolid | MasspropsError:
        return result_or_error(self.measure, *task)

    def measure(self, which: GeometryKind, geometries: Sequence[Geometry]) -> LinkSolid:
        """The solid of the geometries of a link, which are of one kind.

        Raises
        ------
        MasspropsError
            If a geometry cannot be measured, with its place.
        """
        if not geometries:
            what = "the link has no geometry"
            raise InvalidGeometry(what, code="no-geometry", hint="give its mass and inertia by hand")
        parts = self.place_whole(geometries)
        name = parts[0].name if len(parts) == 1 else f"{len(parts)} {which} solids"
        if self.overlap == "union":  # copies in the same place are one
            parts = [*{(p.key, p.linear.tobytes(), p.geometry.pose.translation.tobytes()): p for p in parts}.values()]
        grade = worst("proved", *(p.mesh[1].grade for p in parts if p.mesh))
        off = sum(map(_uncertainty, parts))
        summed = sum_of(p.moments for p in parts)
        size = float(np.ptp([p.bounds for p in parts], axis=(0, 1)).max())
        if len(parts) == 1 or self.overlap == "sum" or not any(overlapping_pairs([p.bounds for p in parts])):
            method = name if len(parts) == 1 else f"{name}, summed"
            stated = [m for p in parts if (m := p.mass_moments) is not None]
            weighed = sum_of(stated).recentred() if len(stated) == len(parts) else None
            return LinkSolid(which, summed.recentred(), grade, off, method, size, weighed)
        united, more, exact = self._unite(parts, summed)
        grade = grade if exact else "estimated"
        return LinkSolid(which, united.recentred(), grade, off + more, f"{name}, united", size)

    def _unite(self, parts: Sequence[PlacedSolid], summed: Moments) -> tuple[Moments, float, bool]:
        """The union: the exact sum less what the triangles count more than once; its bound; whether it is exact."""
        triangles = join((p.key if p.mesh else None, self.triangles(p)) for p in parts)
        mesh = Triangles("link", len(triangles), partial(slices, triangles))
        surface = Surface.of(triangles, triangles[0, 0])
        tessellated = surface.solid
        missing = abs(tessellated.measure - summed.measure)  # of round primitives, by their facets
        labels = label_facets(mesh)
        ones = np.ones(int(labels.max()) + 1, dtype=np.int8)
        exact = result_or_error(exact_union, mesh, labels, ones, tessellated.reference)
        each = np.ones(len(triangles), dtype=np.int8)
        for lines in (_LINES_OF_CHECK, LINES) if isinstance(exact, tuple) else (LINES,):
            estimate, spread = estimate_union(mesh, surface, tessellated, each, lines)
            if isinstance(exact, tuple) and abs(exact[0].measure - estimate.measure) <= spread.volume + exact[1].volume:
                return summed + (exact[0] - tessellated), exact[1].volume + missing, True
        return summed + (estimate - tessellated), spread.volume + missing, False


def _uncertainty(part: PlacedSolid) -> float:
    if part.mesh is None or part.mesh[1].uncertainty is None:
        return 0.0
    return (part.mesh[1].uncertainty.volume or 0.0) * part.moments.measure / part.mesh[1].moments.measure


def _geometries(link: Link, which: GeometryKind) -> tuple[GeometryKind, tuple[Geometry, ...]]:
    """Geometries of the kind that is asked for; of the other kind where there is none of this."""
    if link.is_weighed:
        return "collision", link.geometry("collision")
    if not link.geometry(which):
        which = "collision" if which == "visual" else "visual"
    return which, link.geometry(which)


def _in_processes(work: Callable[[T], R], tasks: Sequence[T], jobs: int) -> list[R]:
    if min(jobs, len(tasks)) < 2:
        return [work(task) for task in tasks]
    return list(recorded_results(work, tasks, jobs, lambda _task, error: cast("R", error)))
