"""The solid that a link's geometries make together: united, not summed where they overlap, in the frame of the link.

Tests: `tests/filling/test_fill.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar, cast

from massprops.access import follow
from massprops.errors import InvalidGeometry, MasspropsError, result_or_error
from massprops.findings import Finding
from massprops.formats.files import recorded_results
from massprops.formats.robot.links import Geometry, GeometryKind, Link, LinkMesh
from massprops.grades import Grade, worst
from massprops.measurement.links import GeometriesOfKind, LinkSolids, computed_body, warnings_of
from massprops.measurement.united_solids import Overlap, unite
from massprops.moments.arrays import ByValue, sum_of
from massprops.moments.integrals import Moments
from massprops.rigid_body.mass_properties import MassProperties

T = TypeVar("T")
R = TypeVar("R")


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
    mass_moments : Moments or None
        ∫ρ, ∫ρ x, ∫ρ x xᵀ where the files of all its solids state their densities.
    computed : MassProperties or None
        What the format computes from the collisions, where its inertial is to be computed.
    findings : tuple of Finding
        That the geometry of the other kind, which was asked for, is refused.
    warnings : tuple of Finding
        Of its meshes: holes that were filled …
    """

    which: GeometryKind
    moments: Moments
    grade: Grade
    uncertainty: float
    method: str
    mass_moments: Moments | None = None
    computed: MassProperties | None = None
    findings: tuple[Finding, ...] = ()
    warnings: tuple[Finding, ...] = ()

    @property
    def known_uncertainty(self) -> float | None:
        """The ± of the link's volume, m³; None where another geometry stands in: how far that is from the link's is not known."""
        return None if self.grade == "unverified" else self.uncertainty


@dataclass
class Solids(LinkSolids):
    """Solids of the links of one robot, each united from its geometries.

    Attributes
    ----------
    overlap : {"union", "sum"}
        What overlapping geometries of one link are.
    """

    overlap: Overlap = "union"

    def measure_all(
        self, links: Sequence[Link], which: GeometryKind, jobs: int = 1
    ) -> list[LinkSolid | MasspropsError]:
        """The solids of links, or why they have none: first the meshes, then what the links make of them, each in several processes."""
        tasks = [_kinds(link, which) for link in links]
        self.read_all([g for (_, geometries), *_ in tasks for g in geometries], jobs)
        several = any(len(geometries) > 1 for (_, geometries), *_ in tasks)
        found = _in_processes(self._attempt, tasks, jobs if several else 1, "links")
        found = [self._computed(link, solid) for link, solid in zip(links, found, strict=True)]
        return [f if own else link.error or f for link, ((_, own), *_), f in zip(links, tasks, found, strict=True)]

    def read_all(self, geometries: Iterable[Geometry], jobs: int) -> None:
        """Measure the meshes of geometries, in several processes, so that they are known."""
        # errors are said of each link
        keys = [result_or_error(self.key, g.solid) for g in geometries if isinstance(g.solid, LinkMesh)]
        meshes = [*dict.fromkeys(k for k in keys if not isinstance(k, MasspropsError) and k not in self.known)]
        self.known.update(zip(meshes, _in_processes(self.read, meshes, jobs, "meshes"), strict=True))

    def _stand_in(self, first: GeometriesOfKind, other: GeometriesOfKind, refused: InvalidGeometry) -> LinkSolid | None:
        """The solid of another kind of geometry, with a warning; None if it is refused, too, or has another size or place."""
        said = self.stand_in(first, other, refused)
        found = None if said is None else result_or_error(self.measure, *other)
        return replace(found, grade="unverified", findings=(said,)) if said and isinstance(found, LinkSolid) else None

    def _computed(self, link: Link, solid: LinkSolid | MasspropsError) -> LinkSolid | MasspropsError:
        """The solid of a link with the inertial that the format computes, if it does."""
        if isinstance(solid, MasspropsError) or not link.is_weighed or link.automatic is None:
            return solid
        parts = [self.place(geometry) for geometry in link.geometry("collision")]
        return replace(solid, computed=computed_body(link, link.automatic, parts))

    def _attempt(self, kinds: Sequence[GeometriesOfKind]) -> LinkSolid | MasspropsError:
        """The solid of the first kind of geometry; where that is refused, of the next one if it has about its size and place."""
        found = result_or_error(self.measure, *kinds[0])
        if not isinstance(found, InvalidGeometry):
            return found
        return next(filter(None, (self._stand_in(kinds[0], other, found) for other in kinds[1:])), found)

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
        united = unite(self, self.place_whole(geometries), which, self.overlap)
        parts = united.parts
        grade = worst("proved", *(p.mesh[1].grade for p in parts if p.mesh)) if united.is_exact else "estimated"
        stated = [m for p in parts if united.method != "united" and (m := p.mass_moments) is not None]
        weighed = sum_of(stated).recentred() if len(stated) == len(parts) else None
        method = f"{united.name}, {united.method}" if united.method else united.name
        warnings = tuple(warnings_of(parts))
        return LinkSolid(which, united.moments, grade, united.off, method, weighed, warnings=warnings)


def _kinds(link: Link, which: GeometryKind) -> list[GeometriesOfKind]:
    """Geometries of the kind that is asked for, then those of the other kind; an empty kind only where there is no other."""
    if link.is_weighed:
        return [("collision", link.geometry("collision"))]
    kinds: tuple[GeometryKind, ...] = ("visual", "collision") if which == "visual" else ("collision", "visual")
    return [(kind, own) for kind in kinds if (own := link.geometry(kind))] or [(which, ())]


def _in_processes(work: Callable[[T], R], tasks: Sequence[T], jobs: int, noun: str) -> list[R]:
    if min(jobs, len(tasks)) < 2:
        found: Iterable[R] = map(work, tasks)
    else:
        found = recorded_results(work, tasks, jobs, lambda _task, error: cast("R", error))
    return list(follow(found, len(tasks), noun=noun))
