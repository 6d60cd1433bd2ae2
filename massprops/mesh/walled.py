"""A solid turned into a wall of some thickness inside its surface, hollow or with an infill."""

from __future__ import annotations

from dataclasses import replace

from massprops.errors import InvalidGeometry
from massprops.findings import Finding
from massprops.mesh.enclosed_solid import Body
from massprops.mesh.repair.indexed import IndexedMesh
from massprops.mesh.wall import wall_moments
from massprops.moments.uncertainty import Spread


def walled(body: Body, thickness: float, infill: float | None) -> Body:
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
    sources["wall"] = wall.spread
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
