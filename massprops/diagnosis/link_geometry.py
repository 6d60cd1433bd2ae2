"""The geometry of a link, measured: its solids united, in the frame of the link, at unit density.

Tests: `tests/diagnosis/test_geometry_comparison.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from massprops.diagnosis.reference import Reference
from massprops.errors import InvalidGeometry, MasspropsError, MissingExtra, result_or_error
from massprops.findings import Finding
from massprops.formats.robot.links import (
    ComputedInertial,
    Geometry,
    GeometryKind,
    Link,
    LinkMesh,
    UnsupportedGeometry,
)
from massprops.measurement.gltf_axes import names_gltf
from massprops.measurement.links import LinkSolids, PlacedSolid, computed_body, warnings_of
from massprops.measurement.united_solids import unite
from massprops.moments.arrays import sum_of
from massprops.rigid_body.extent import Extent
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.plausibility import implausible_link_size
from massprops.wording import percent

#: Findings that make the integral of a mesh doubtful as that of the body; values of the first are shares of the volume.
_SHARES = {"overlapping-bodies": "overlaps itself"}
#: Smaller shares of a volume change no digit of a comparison.
NEGLIGIBLE = 1e-6
#: Doubt about the collision geometry of a link whose visual geometry is not there, or cannot be measured.
_STANDS_IN = "the collision geometry stands in for the visual one"
_DOUBTS = _SHARES | {
    "inverted-surface": "is inside out",
    "nested-bodies": "has bodies inside each other",
    "duplicate-facets": "is there several times",
}


#: Findings of a geometry that is not measured.
UNMEASURED = frozenset(
    ["broken-geometry", "broken-mesh", "defined-elsewhere", "missing-mesh", "outside-mesh", "unmeasured-geometry"]
)


@dataclass(frozen=True, eq=False)
class MeasuredGeometry:
    """The solids of a link as one body of unit density.

    Attributes
    ----------
    which : {"visual", "collision"}
    solid : Reference or None
        All of them together; None if not one could be measured.
    findings : tuple of Finding
        What could not be measured, and how axes were read.
    complete : bool
        Whether every solid of the kind was.
    refused : InvalidGeometry or None
        Why a mesh that could be read, or all together, is not measured.
    around : callable
        The hull of all geometries of the link, where they are refused.
    """

    which: GeometryKind
    solid: Reference | None
    findings: tuple[Finding, ...] = ()
    complete: bool = True
    refused: InvalidGeometry | None = None
    around: Callable[[], Extent | None] = lambda: None

    @property
    def warnings(self) -> list[Finding]:
        """Warnings of the meshes that were measured, which do not make a comparison with them incomplete."""
        return [] if self.solid is None else warnings_of(self.solid.solids)


@dataclass
class Measurer(LinkSolids):
    """Measures the geometry of links, with what makes it doubtful."""

    def measure(self, link: Link, wanted: str = "auto") -> MeasuredGeometry | None:
        """The geometry that a link's inertial is compared with; None if it has none.

        ``auto`` is the visual one, which is drawn from the part, unless it cannot be measured whole and the collision one can; in the
        place of a refused one only one of about its size and place.
        """
        found = self._chosen(link, wanted)
        if found is None or self.about_gltf is None or not names_gltf(link):
            return found
        return replace(found, findings=(self.about_gltf, *found.findings))

    def _chosen(self, link: Link, wanted: str) -> MeasuredGeometry | None:
        if wanted in ("visual", "collision"):
            return self._of(link, "visual" if wanted == "visual" else "collision")
        visual = self._of(link, "visual")
        if visual is not None and visual.solid is not None and visual.complete:
            around = partial(self._around, link.geometry("collision"))
            solid = replace(visual.solid, collision=partial(self._collision, link), around=around)
            return replace(visual, solid=solid)
        collision = self._of(link, "collision")
        if collision is None or (visual is not None and not collision.complete):
            return self._refused(link, visual)
        missing, own = () if visual is None else visual.findings, collision.solid
        if visual is not None and visual.refused is not None:
            first, other = link.geometry("visual"), link.geometry("collision")
            said = self.stand_in(("visual", first), ("collision", other), visual.refused)
            if said is None:
                return self._refused(link, visual)
            missing = (said,)
        soft = None if own is None else replace(own, doubts=(_STANDS_IN, *own.doubts), is_simpler=True)
        return replace(collision, solid=soft, findings=(*missing, *collision.findings))

    def _collision(self, link: Link) -> Reference | None:
        """The collision geometry, what of it can be measured."""
        collision = self._of(link, "collision")
        return None if collision is None else collision.solid

    def _refused(self, link: Link, visual: MeasuredGeometry | None) -> MeasuredGeometry | None:
        """The visual geometry, if it is refused, with the hull in which the mass is all the same."""
        if visual is None or visual.refused is None:
            return visual
        every = (*link.geometry("visual"), *link.geometry("collision"))
        return replace(visual, around=partial(self._around, every))

    def _around(self, geometries: Sequence[Geometry]) -> Extent | None:
        """The hull of the geometries that can be read."""
        found = [x for x in map(self.extent_of_any, geometries) if x is not None]
        return sum_of(found) if found else None

    def _of(self, link: Link, which: GeometryKind) -> MeasuredGeometry | None:
        if not link.geometry(which):
            return None
        each = self.place_all(link.geometry(which))
        parts, findings = _measured_and_failed(each, which)
        refusals = (e for g, e in each if isinstance(e, InvalidGeometry) and isinstance(g.solid, LinkMesh))
        refused = next(refusals, None)
        if not parts:
            return MeasuredGeometry(which, None, tuple(findings), complete=False, refused=refused)
        doubts = [d for part in parts for d in _doubts(part)]
        try:
            united = unite(self, parts, which)
        except InvalidGeometry as error:
            text = f"the {which} geometry is not measured: {error.message}"
            said = Finding("broken-mesh", "warning", text, where=link.place)
            return MeasuredGeometry(which, None, (*findings, said), complete=False, refused=refused or error)
        if not united.is_exact and united.off > NEGLIGIBLE * united.moments.measure:
            doubts.append("the union of what overlaps is estimated")
        pose = united.parts[0].geometry.pose if len(united.parts) == 1 else None
        extent = partial(self._extent, parts)
        are_meshes = all(part.mesh for part in parts)
        reasons = tuple(dict.fromkeys(doubts))
        solid = Reference(united.moments, extent, reasons, pose, is_meshes=are_meshes, solids=united.parts)
        size = implausible_link_size(float(united.moments.box_edges[-1]))
        return MeasuredGeometry(which, solid, (*findings, *size), complete=not findings, refused=refused)

    def _extent(self, parts: Sequence[PlacedSolid]) -> Extent:
        """The hull of the solids of a link together."""
        return sum_of(map(self.extent, parts))

    def automatic(self, link: Link, stated: ComputedInertial) -> tuple[MassProperties | None, list[Finding]]:
        """The inertial that the format computes, and warnings; None, and why, if a collision is not measured."""
        each = [(geometry, result_or_error(self.place, geometry)) for geometry in link.geometry("collision")]
        parts, findings = _measured_and_failed(each, "collision")
        if not parts or findings:
            return None, findings
        return computed_body(link, stated, parts), warnings_of(parts)


def _measured_and_failed(
    found: Sequence[tuple[Geometry, PlacedSolid | MasspropsError]], which: GeometryKind
) -> tuple[list[PlacedSolid], list[Finding]]:
    """The solids that are measured, and the findings that say why others are not."""
    failed = [_unmeasured(g, which, error) for g, error in found if isinstance(error, MasspropsError)]
    return [part for _, part in found if isinstance(part, PlacedSolid)], failed


def _doubts(part: PlacedSolid) -> tuple[str, ...]:
    """Reasons why the integral of a solid may not be that of the body."""
    if part.mesh is None:
        return ()
    repaired = (f"{part.name} was repaired ({r.step} {r.count})" for r in part.mesh[1].repairs[:1])
    return (*repaired, *(_doubt(part.name, f) for f in part.mesh[1].findings if _is_doubt(f)))


def _is_doubt(finding: Finding) -> bool:
    """Overlaps of so small a share of the volume are roundings of the same corner."""
    negligible = finding.code == "overlapping-bodies" and finding.value is not None and finding.value < NEGLIGIBLE
    return finding.code in _DOUBTS and not negligible


def _doubt(name: str, finding: Finding) -> str:
    """``part.stl is not closed (0.76 % of its volume)``."""
    share = finding.value if finding.code in _SHARES and finding.value is not None else 0.0
    size = f" ({percent(share, 2)}{' of' if share <= 2 else ''} its volume)" if share >= NEGLIGIBLE else ""
    return f"{name} {_DOUBTS[finding.code]}{size}"


def _unmeasured(geometry: Geometry, which: GeometryKind, error: MasspropsError) -> Finding:
    code = {"missing-file": "missing-mesh", "outside-file": "outside-mesh"}.get(error.code, "broken-mesh")
    if error is geometry.solid:
        text = f"the {which} geometry is not measured: {error}"
        return Finding("broken-geometry", "error", text, where=geometry.place)
    unread = geometry.solid.why if isinstance(geometry.solid, UnsupportedGeometry) else ""
    if isinstance(geometry.solid, UnsupportedGeometry) and geometry.solid.elsewhere:
        text = f"geometry is not measured: {unread}"
        return Finding("defined-elsewhere", geometry.solid.elsewhere, text, where=geometry.place)
    # how a refused mesh could be measured alone is no advice on a link
    reason = unread or (error.message if isinstance(error, InvalidGeometry) else str(error))
    reason = reason.removeprefix(f"{geometry.place}: ")
    text = f"the {which} geometry at {geometry.place} is not measured: {reason}"
    if unread or error.code == MissingExtra.default_code:
        return Finding("unmeasured-geometry", "info", text, where=geometry.place)
    return Finding(code, "warning", text, where=geometry.place)
