"""The solid of a surface, repaired where it is refused as it is: with every step named and bounded, or refused with the reason."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from massprops.errors import InvalidGeometry
from massprops.findings import Finding
from massprops.grades import SOUND
from massprops.mesh.enclosed_solid import Body, Policies, RepairStep, body_of, indexed_once
from massprops.mesh.source import MeshSource
from massprops.mesh.surface import Surface, total
from massprops.moments.uncertainty import hidden
from massprops.wording import percent

if TYPE_CHECKING:
    from collections.abc import Callable

    from massprops.mesh.indexed_mesh import IndexedMesh
    from massprops.mesh.repair.bounds import Step
    from massprops.mesh.repair.ladder import Repaired

#: How much of the volume all repairs together may leave open, unless the caller says otherwise.
LIMITS = {"safe": 1e-4, "full": 0.1}
#: Repairs that leave open less than this share of the volume are exact for most purposes: grade `repaired`, else `estimated`.
REPAIRED = 1e-3

#: What a repair is reported as.
_CODES = {
    "drop": "dropped-facets",
    "flip": "flipped-facets",
    "weld": "welded-vertices",
    "split": "split-edges",
    "fill": "filled-holes",
}
#: Findings of a closed surface that say what was done to whole shells, and the step that this is.
_SHELLS = {
    "inverted-surface": "turn",
    "overlapping-bodies": "union",
    "nested-bodies": "nest",
    "duplicate-facets": "drop",
}


def solid_of(mesh: MeshSource, surface: Surface, scale: float, resolution: float, policies: Policies) -> Body:
    """What to integrate: as `body_of`, and where that refuses the surface, the solid of the repaired one.

    A surface that is valid, or that a policy covers, is not touched and costs nothing more.

    Raises
    ------
    InvalidGeometry
        If the surface is refused as it is and cannot be repaired within the limit.
    """
    indexed = indexed_once(mesh)
    try:
        body = body_of(mesh, surface, scale, resolution, policies, indexed)
    except InvalidGeometry as refused:
        if policies.repair == "none":
            raise
        return _repaired_body(mesh, surface, scale, resolution, policies, indexed, refused)
    steps = _shells(body, scale)
    if not steps:
        return body
    return replace(body, repairs=steps, grade="repaired" if body.grade in SOUND else body.grade)


def _repaired_body(
    mesh: MeshSource,
    surface: Surface,
    scale: float,
    resolution: float,
    policies: Policies,
    indexed: Callable[[], IndexedMesh],
    refused: InvalidGeometry,
) -> Body:
    from massprops.mesh.repair.ladder import Irreparable, repaired  # only who repairs pays for it

    level: Literal["safe", "full"] = "full" if policies.repair == "full" else "safe"
    found = repaired(indexed(), level)
    if isinstance(found, Irreparable):
        raise _beyond(refused, found.reason) from None
    mended, gathered = (mesh, surface) if not found.steps else _gathered(mesh, found, surface)
    overlap = "union" if level == "full" and policies.on_overlap == "error" else policies.on_overlap
    allowed = replace(policies, repair="none", on_inverted="flip", on_overlap=overlap)
    nested = 0.0
    try:
        try:
            body = body_of(mended, gathered, scale, resolution, allowed)
        except InvalidGeometry as still:
            # the volume of bodies of which it is not known whether they are cavities; 0 where the surface is refused for another reason
            nested = next((abs(f.value or 0.0) for f in still.findings if f.code == "nested-bodies"), 0.0) / scale**3
            if level != "full" or not 0 < nested <= _limit(policies) * abs(gathered.solid.measure):
                raise
            body = body_of(mended, gathered, scale, resolution, replace(allowed, nested="body"))
            off = hidden(body.moments, gathered.bounds, nested)
            body = replace(body, sources={**body.sources, "nested": off})
    except InvalidGeometry as still:
        if not found.steps or still.message == refused.message:
            raise still from None
        raise _beyond(refused, f"once repaired, {still.text}") from None
    return _within_limit(body, found, gathered, scale, policies, refused)


def _limit(policies: Policies) -> float:
    return policies.largest_share or LIMITS["full" if policies.repair == "full" else "safe"]


def _gathered(mesh: MeshSource, found: Repaired, surface: Surface) -> tuple[MeshSource, Surface]:
    """The repaired triangles as a source, and what a pass over them gathers about the same reference."""
    mended = replace(mesh.altered(found.mesh.read_chunks()), facets=len(found.mesh.faces))
    return mended, total(Surface.of(c, surface.solid.reference) for c in mended.chunks())


def _within_limit(
    body: Body, found: Repaired, gathered: Surface, scale: float, policies: Policies, refused: InvalidGeometry
) -> Body:
    """The body with its steps, findings and sources; refused where they leave more open than the limit."""
    sources = dict(body.sources)
    for s in found.steps:
        if s.bound.volume:
            spread = s.bound.spread(body.moments, found.reference)
            sources[s.step] = sources[s.step] + spread if s.step in sources else spread
    volume = abs(body.moments.measure)
    opened = sum(s.bound.volume for s in found.steps) + _left_open(body)
    limit = _limit(policies)
    if opened > limit * volume:
        raise _beyond(
            refused,
            f"repairing it would leave {percent(opened / volume)} of the volume open, more than {percent(limit)}",
            hint="see --repair and --max-uncertainty",
        )
    steps = tuple(
        RepairStep(s.step, s.count, tuple(x * scale for x in s.where), s.bound.volume * scale**3) for s in found.steps
    )
    grade = body.grade
    if grade in (*SOUND, "repaired"):
        grade = "repaired" if opened <= REPAIRED * volume else "estimated"
    findings = tuple(_finding(s, scale, volume) for s in found.steps)
    return replace(
        body,
        grade=grade,
        findings=(*findings, *body.findings),
        sources=sources,
        repairs=(*steps, *_shells(body, scale)),
        surface=gathered,
    )


def _left_open(body: Body) -> float:
    """The volume that turning, uniting and nesting leave open, file units."""
    return sum(body.sources[name].volume for name in ("estimate", "nested") if name in body.sources)


def _shells(body: Body, scale: float) -> tuple[RepairStep, ...]:
    """What was done to whole shells. Overlaps that were only counted, which have a limit, are still there; a union has no triangles."""
    return tuple(
        RepairStep(_SHELLS[f.code], 1, f.where if isinstance(f.where, tuple) else None, _left_open(body) * scale**3)
        for f in body.findings
        if f.code in _SHELLS and f.severity == "warning" and (not f.limit or body.mesh is None)
    )


def _finding(s: Step, scale: float, volume: float) -> Finding:
    where = tuple(x * scale for x in s.where)
    share = s.bound.volume / volume
    message = s.text + (f" within {s.tolerance * scale:.2g} m" if s.tolerance else "")
    message += f"; ±{percent(share)} of the volume" if share else ""
    return Finding(_CODES[s.step], "warning", message, value=share, where=where)


def _beyond(refused: InvalidGeometry, reason: str, hint: str = "") -> InvalidGeometry:
    found = refused.also(())
    found.text, found.hint = f"{refused.text}; {reason}", hint or refused.hint
    return found
