"""The solid of a surface, repaired where it is refused as it is: with every step named and bounded, or refused with the reason."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from massprops.errors import InvalidGeometry, Remedy
from massprops.findings import Finding
from massprops.grades import SOUND
from massprops.mesh.enclosed_solid import EnclosedSolid, MeshSurface, RepairStep
from massprops.mesh.policies import Policies
from massprops.mesh.surface import Surface, total
from massprops.mesh.validated_solid import body_of
from massprops.mesh.winding_policy import UnknownNesting
from massprops.moments.uncertainty import hidden
from massprops.wording import percent

if TYPE_CHECKING:
    from massprops.mesh.repair.bounds import Step
    from massprops.mesh.repair.ladder import RepairedMesh

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


def solid_of(surface: MeshSurface, policies: Policies) -> EnclosedSolid:
    """Solid that `body_of` finds; where that refuses the surface, the solid of the repaired one.

    A surface that is valid, or that a policy covers, is not touched and costs nothing more.

    Raises
    ------
    InvalidGeometry
        If the surface is refused as it is and cannot be repaired within the limit.
    """
    try:
        body = body_of(surface, policies)
    except InvalidGeometry as refused:
        if policies.repair == "none":
            raise
        return _repaired_body(surface, policies, refused)
    if not body.repairs:
        return body
    grade = "repaired" if body.grade in SOUND else body.grade
    return replace(body, repairs=_shell_steps(body, surface.scale), grade=grade)


def _repaired_body(surface: MeshSurface, policies: Policies, refused: InvalidGeometry) -> EnclosedSolid:
    from massprops.mesh.repair.ladder import Irreparable, RepairedMesh, repair  # only who repairs pays for it

    if surface.gathered.boundary.closed:  # the ladder drops facets that bodies in contact have in common
        try:
            return _judged(surface, RepairedMesh(surface.indexed, (), np.zeros(3)), policies, refused)
        except InvalidGeometry as still:
            if still.code not in ("double-sided", "zero-volume"):
                raise
    found = repair(surface.indexed, "full" if policies.repair == "full" else "safe")
    if isinstance(found, Irreparable):
        raise _beyond(refused, found.reason) from None
    return _judged(surface, found, policies, refused)


def _judged(surface: MeshSurface, found: RepairedMesh, policies: Policies, refused: InvalidGeometry) -> EnclosedSolid:
    """The solid of a repaired surface, its shells turned outward and, where that is allowed, united."""
    full = policies.repair == "full"
    mended = _gather(surface, found) if found.steps else surface
    gathered = mended.gathered
    overlap = "union" if full and policies.on_overlap == "error" else policies.on_overlap
    allowed = replace(policies, repair="none", on_inverted="flip", on_overlap=overlap)
    try:
        try:
            body = body_of(mended, allowed)
        except UnknownNesting as still:
            if not full or still.volume > _limit(policies) * abs(gathered.solid.measure):
                raise
            body = body_of(mended, replace(allowed, nested="body"))
            off = hidden(body.moments, gathered.bounds, still.volume)
            body = replace(body, sources={**body.sources, "nested": off})
    except InvalidGeometry as still:
        if not found.steps or still.message == refused.message:
            raise still from None
        raise _beyond(refused, f"once repaired, {still.text}") from None
    return _within_limit(body, found, mended, policies, refused)


def _limit(policies: Policies) -> float:
    return policies.largest_share or LIMITS["full" if policies.repair == "full" else "safe"]


def _gather(surface: MeshSurface, found: RepairedMesh) -> MeshSurface:
    """The surface of the repaired triangles, about the same reference."""
    mesh = surface.mesh.altered(found.mesh.read_chunks(), len(found.mesh.faces))
    gathered = total(Surface.of(c, surface.gathered.solid.reference) for c in mesh.chunks())
    return replace(surface, mesh=mesh, gathered=gathered)


def _within_limit(
    body: EnclosedSolid, found: RepairedMesh, mended: MeshSurface, policies: Policies, refused: InvalidGeometry
) -> EnclosedSolid:
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
        share, most = percent(opened / volume), percent(limit)
        reason = f"repairing it would leave {share} of the volume open, more than {most}"
        raise _beyond(refused, reason, Remedy("", see=("repair", "max_uncertainty")))
    bounds = [s.bound.volume * mended.scale**3 for s in found.steps]
    steps = tuple(
        RepairStep(s.step, s.count, mended.in_metres(s.where), b) for s, b in zip(found.steps, bounds, strict=True)
    )
    grade = body.grade
    if grade in (*SOUND, "repaired"):
        grade = "repaired" if opened <= REPAIRED * volume else "estimated"
    return replace(
        body,
        grade=grade,
        findings=(*(_finding(s, mended, volume) for s in found.steps), *body.findings),
        sources=sources,
        repairs=(*steps, *_shell_steps(body, mended.scale)),
        surface=mended.gathered,
    )


def _left_open(body: EnclosedSolid) -> float:
    """The volume that turning, uniting and nesting leave open, file units."""
    return sum(body.sources[name].volume for name in ("estimate", "nested") if name in body.sources)


def _shell_steps(body: EnclosedSolid, scale: float) -> tuple[RepairStep, ...]:
    """Steps that were done to whole shells, with the volume that all of them leave open."""
    return tuple(replace(step, bound=_left_open(body) * scale**3) for step in body.repairs)


def _finding(s: Step, surface: MeshSurface, volume: float) -> Finding:
    share = s.bound.volume / volume
    message = s.text + (f" within {s.tolerance * surface.scale:.2g} m" if s.tolerance else "")
    message += f"; ±{percent(share)} of the volume" if share else ""
    return Finding(_CODES[s.step], "warning", message, value=share, where=surface.in_metres(s.where))


def _beyond(refused: InvalidGeometry, reason: str, remedy: Remedy | None = None) -> InvalidGeometry:
    found = refused.also(())
    found.text, found.remedy = f"{refused.text}; {reason}", remedy or refused.remedy
    return found
