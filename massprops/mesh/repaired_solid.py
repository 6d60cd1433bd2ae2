"""The solid of a surface, repaired where it is refused as it is: with every step named and bounded, or refused with the reason."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from massprops.errors import InvalidGeometry, Remedy, spell, spelling
from massprops.findings import Finding
from massprops.grades import REPAIR_CODES, SOUND, Repair
from massprops.mesh.coordinate_resolution import resolution
from massprops.mesh.enclosed_solid import EnclosedSolid, MeshSurface, RepairStep
from massprops.mesh.integration import integrate
from massprops.mesh.policies import Policies
from massprops.mesh.source import MeshFile
from massprops.mesh.surface import Surface, total
from massprops.mesh.validated_solid import validate
from massprops.mesh.winding_policy import CERTIFIABLE, UnknownNesting
from massprops.moments.uncertainty import hidden, merge_spreads
from massprops.wording import LEAST_SHARE, limit_share, percent, plural, shell_word

if TYPE_CHECKING:
    from massprops.mesh.indexed_mesh import IndexedMesh
    from massprops.mesh.repair.bounds import Step
    from massprops.mesh.repair.ladder import ClosedMesh, RepairedMesh

#: Repairs that leave open less than this share of the volume are exact for most purposes: grade `repaired`, else `estimated`.
REPAIRED = 1e-3
#: Largest share of the area that may be filled without evidence in the file.
INVENTED = 0.01
#: Hints are given for a ± up to this share of the volume, and state it above this one.
MOST_NAMED, NOTABLE = 0.5, 1e-6

#: Sources of the ± by the step done to whole shells that leaves them.
_LEFT_BY = {"turn": "inverted", "nest": "nested", "union": "estimate"}


def validate_or_repair(surface: MeshSurface, policies: Policies) -> EnclosedSolid:
    """Solid that `validate` finds; where that refuses the surface, the solid of the repaired one.

    A surface that is valid, or that a policy covers, is not touched and costs nothing more.

    Raises
    ------
    InvalidGeometry
        If the surface is refused as it is and cannot be repaired within the limit.
    """
    if isinstance(surface.mesh, MeshFile) and surface.mesh.stated:
        from massprops.mesh.stated_roles import solid_of_stated  # imported lazily

        return solid_of_stated(surface, surface.mesh.stated, policies, validate_or_repair)
    try:
        body = validate(surface, policies)
    except InvalidGeometry as refused:
        if policies.repair == "none":
            raise _with_remedy(surface, policies, refused) from None
        try:
            return _repaired_body(surface, policies, refused)
        except InvalidGeometry as still:
            raise _with_remedy(surface, policies, still) from None
    if not body.repairs:
        return body
    grade = "repaired" if body.grade in SOUND else body.grade
    if grade == "repaired" and _left_open(body) > REPAIRED * abs(body.moments.measure):
        grade = "estimated"
    return replace(body, repairs=_shell_steps(body, surface.scale), grade=grade)


def body_mesh(mesh: MeshFile) -> MeshFile:
    """The mesh whose triangles bound the body: of stated roles the set difference, else the file itself.

    Raises
    ------
    InvalidGeometry
        If the difference has no triangles: nothing is left, or it can only be estimated.
    """
    if not mesh.stated:
        return mesh
    gathered = integrate(mesh)
    rounding = resolution(mesh, float(np.abs(gathered.bounds).max())).half_unit
    found = validate_or_repair(MeshSurface(mesh, gathered, 1.0, rounding), Policies(repair="safe")).mesh
    if found is None:
        what = "the set difference of its volumes is only estimated, and has no triangles"
        raise InvalidGeometry(what, code="overlapping-bodies", hint="pip install 'massprops[union]'", place=mesh.name)
    return replace(mesh, facets=found.facets, read_chunks=found.read_chunks, stated=(), divisions=None)


def _with_remedy(surface: MeshSurface, policies: Policies, refused: InvalidGeometry) -> InvalidGeometry:
    """The refusal with the least repair that gives a volume, and which; or with the statement that none does."""
    found, remedy = refused.also(()), refused.remedy
    if isinstance(remedy, Remedy) and remedy.arguments:
        if policies.nested != "ask" or "nested=body" not in remedy.arguments:
            return found
        with suppress(InvalidGeometry):  # the bodies may overlap others, too
            bodies = [
                validate_or_repair(surface, replace(policies, nested=n)).moments.measure for n in ("cavity", "body")
            ]
            text = ", ".join(f"{{}} for {v * surface.scale**3:.6g}\xa0m³" for v in bodies)
            found.remedy = Remedy(text, "nested=cavity", "nested=body")
            return found
        found.remedy = remedy = Remedy("mend the export", see="on_overlap")
    levels: dict[Repair, tuple[Repair, ...]] = {"none": ("safe", "full"), "safe": ("full",), "full": ()}
    tries = [(level, policies.max_uncertainty) for level in levels[policies.repair]]
    for level, most in (*tries, ("full", MOST_NAMED)):
        with suppress(InvalidGeometry):
            body = _repaired_body(surface, replace(policies, repair=level, max_uncertainty=most), refused)
            volume, off = body.moments.measure, sum(s.volume for s in body.sources.values())
            within = f" ± {percent(off / volume)}" if off > NOTABLE * volume else ""
            text, options = f" {volume * surface.scale**3:.4g}\xa0m³{within}", [f"repair={level}"]
            limit = f"max_uncertainty={max(1, math.ceil(100 * off / volume))}%"  # 0 % is no limit
            if most != policies.max_uncertainty:
                options.append(limit)
            text = " and ".join(["{}"] * len(options)) + (" give" if options[1:] else " gives") + text
            see = tuple(name for name in getattr(remedy, "see", ()) if name != "repair")
            found.remedy, answer = Remedy(text, *options, see=see), str(Remedy(text, *options))
            if body.mesh is not None and not spelling().is_python:  # else there are no triangles to write
                words = map(spell, ["repair=full"] * (level == "full") + [limit] * (most is not None))
                command = f"{' '.join(('massprops repair', *words, shell_word(surface.mesh.name)))} -o mended.stl"
                answer += f": {spelling().commands(command, surface.mesh.name)}"
            return found.also([Finding("repairable", "info", answer, value=volume * surface.scale**3)])
    found.text += "; no repair gives it a volume"
    return found


def _repaired_body(surface: MeshSurface, policies: Policies, refused: InvalidGeometry) -> EnclosedSolid:
    from massprops.mesh.repair.ladder import Irreparable, RepairedMesh, one_side  # imported lazily

    # the ladder drops facets that bodies in contact have in common; without it double-sided bodies count nothing
    if surface.gathered.boundary.closed and not len(one_side(surface.indexed)[1].faces):
        try:
            return _validated(surface, RepairedMesh(surface.indexed, (), np.zeros(3)), policies, refused)
        except InvalidGeometry as still:
            if still.code not in ("double-sided", "zero-volume"):
                raise
    closed, full = surface.closed(unite=policies.on_overlap != "count"), policies.repair == "full"
    found = closed if isinstance(closed, Irreparable) else closed.at_level("full" if full else "safe")
    try:
        if isinstance(found, Irreparable):
            raise _unrepaired(refused, found.reason)
        return _validated(surface, found, policies, refused)
    except InvalidGeometry:
        if full and not isinstance(closed, Irreparable) and (body := _by_winding(surface, closed, policies.limit)):
            return body
        raise


def _by_winding(surface: MeshSurface, closed: ClosedMesh, limit: float) -> EnclosedSolid | None:
    """Solid of a surface with large holes by its winding number; None where that decides less of the volume than is asked for."""
    from massprops.mesh.repair.ladder import MOST_IN_LIDS  # imported lazily
    from massprops.mesh.repair.winding_estimate import MOST_FILLS, POINTS, solid_by_winding

    filled = closed.filled
    fills = len(filled.mesh.faces) - len(closed.mesh.faces) if filled else 0
    if filled is None or filled.vague or filled.shares[0] > MOST_IN_LIDS or fills > MOST_FILLS:
        return None
    mended = _surface_of(surface, filled.mesh)
    solid, spread = surface.cached("by winding", lambda: solid_by_winding(mended.mesh, filled.mesh, fills))
    # the facets around the holes can lead farther out than the sample sees
    spread += hidden(solid, mended.gathered.bounds, filled.tangent)
    apart = abs(filled.mesh.volume() - solid.measure)  # two methods that disagree are no answer
    if not max(apart, spread.volume) <= min(limit * solid.measure, spread.volume):
        return None
    (step,), cubed = filled.steps, surface.scale**3
    known = tuple(_finding(s, RepairStep(s.step, s.count, None), mended, solid.measure) for s in closed.steps)
    text = (
        f"{percent(filled.shares[0])} of the surface is missing in {plural(step.count, 'hole')}: the winding number at {POINTS:,} points "
        f"tells inside from outside; ±{percent(spread.volume / solid.measure)} of the volume"
    )
    where = surface.in_metres(step.where)
    finding = Finding("filled-holes", "warning", text, value=spread.volume / solid.measure, where=where)
    steps = [RepairStep(s.step, s.count, surface.in_metres(s.where), s.bound.volume * cubed) for s in closed.steps]
    return EnclosedSolid(
        "exact",
        "estimated",
        solid,
        (*known, finding),
        {"estimate": spread},
        repairs=(*steps, RepairStep("fill", step.count, where, spread.volume * cubed)),
        surface=mended.gathered,
    )


def _validated(
    surface: MeshSurface, found: RepairedMesh, policies: Policies, refused: InvalidGeometry
) -> EnclosedSolid:
    """The solid of a repaired surface, its shells turned outward and, where that is allowed, united."""
    mended = _surface_of(surface, found.mesh) if found.steps else surface
    try:
        body = _united(mended, policies)
    except InvalidGeometry as still:
        if not found.steps or still.message == refused.message:
            raise still from None
        raise _unrepaired(refused, f"once repaired, {still.text}") from None
    return _within_limit(body, found, mended, policies, refused)


def _united(surface: MeshSurface, policies: Policies) -> EnclosedSolid:
    """The solid of a closed surface: turned outward, solids that overlap united, small ones inside others part of them."""
    overlap = "union" if policies.on_overlap == "error" else policies.on_overlap
    most = policies.limit  # that of the repairs, which validation knows nothing of
    allowed = replace(policies, repair="none", on_inverted="flip", on_overlap=overlap, max_uncertainty=most)
    try:
        body = validate(surface, allowed)
    except UnknownNesting as still:
        (low, high), volume = still.change, still.change[1] - still.change[0]
        if volume > most * abs(surface.gathered.solid.measure):
            raise
        body = validate(surface, replace(allowed, nested="body"))
        off = hidden(body.moments, surface.gathered.bounds, volume)
        volumes = (body.moments.measure, body.moments.measure + low + high)
        readings = tuple(zip(("body", "cavity"), (v * surface.scale**3 for v in volumes), strict=True))
        steps = tuple(replace(x, readings=readings) if x.step == "nest" else x for x in body.repairs)
        signed = replace(off, signed=still.change)
        body = replace(body, sources={**body.sources, "nested": signed}, repairs=steps)
    volume = body.moments.measure
    if overlap == policies.on_overlap or _left_open(body) <= most * volume or _turned(body) > most * volume:
        return body
    return validate(surface, replace(allowed, on_overlap=policies.on_overlap))


def _surface_of(surface: MeshSurface, repaired: IndexedMesh) -> MeshSurface:
    """The surface of the repaired triangles, about the same reference; asked for again, it knows what was found of it."""
    _, made = surface.cached(("repaired", id(repaired)), lambda: (repaired, _made_of(surface, repaired)))
    return made


def _made_of(surface: MeshSurface, repaired: IndexedMesh) -> MeshSurface:
    mesh = surface.mesh.altered(repaired.read_chunks(), len(repaired.faces))
    gathered = total(Surface.of(c, surface.gathered.solid.reference) for c in mesh.chunks())
    mended = replace(surface, mesh=mesh, gathered=gathered)
    known = surface.indexed.points
    if np.array_equal(repaired.points[: len(known)], known):  # none was moved: what was added are the centres of holes
        vars(mended)["indexed"] = repaired  # as if it had been numbered again
    return mended


def _within_limit(
    body: EnclosedSolid, found: RepairedMesh, mended: MeshSurface, policies: Policies, refused: InvalidGeometry
) -> EnclosedSolid:
    """The body with its steps, findings and sources; refused where they leave more open than the limit."""
    sources = dict(body.sources)
    for s in found.steps:
        if s.bound.volume:
            sources = merge_spreads(sources, {s.step: s.bound.spread(body.moments, found.reference)})
    volume = abs(body.moments.measure)
    opened = sum(s.bound.volume for s in found.steps) + _left_open(body)
    limit = policies.limit
    if opened > limit * volume:
        share, most = percent(opened / volume), limit_share(limit)
        reason = f"repairing it would leave {share} of the volume open, more than {most}"
        if _turned(body) > limit * volume:
            low, high = ((volume + x) * mended.scale**3 for x in sources["inverted"].change)
            reason += f": a body inside out can be one or a cavity, {low:.4g} to {high:.4g}\xa0m³"
        raise _unrepaired(refused, reason)
    cubed = mended.scale**3
    steps = tuple(RepairStep(s.step, s.count, mended.in_metres(s.where), s.bound.volume * cubed) for s in found.steps)
    if found.readings:
        steps = (*steps[:-1], replace(steps[-1], readings=_readings(body, found, mended, policies)))
    grade = body.grade
    if grade in (*SOUND, "repaired"):
        unseen = body.sources["xray"].volume if "xray" in body.sources else 0.0
        is_exact = opened <= REPAIRED * volume and found.invented <= INVENTED and unseen <= CERTIFIABLE * volume
        grade = "repaired" if is_exact else "estimated"
    return replace(
        body,
        grade=grade,
        findings=(*(_finding(s, r, mended, volume) for s, r in zip(found.steps, steps, strict=True)), *body.findings),
        sources=sources,
        repairs=(*steps, *_shell_steps(body, mended.scale)),
        surface=mended.gathered,
    )


def _readings(
    body: EnclosedSolid, found: RepairedMesh, mended: MeshSurface, policies: Policies
) -> tuple[tuple[str, float], ...]:
    """The volume of each reading of the open loops, m³; readings that enclose nothing or are refused are left out."""
    volumes = []
    for name, mesh in found.readings:
        with suppress(InvalidGeometry):
            solid = body if mesh is found.mesh else _united(_surface_of(mended, mesh), policies)
            volumes.append((name, abs(solid.moments.measure) * mended.scale**3))
    return tuple(volumes)


def _turned(body: EnclosedSolid) -> float:
    """The volume of the bodies that are inside out, or cavities, file units."""
    return body.sources["inverted"].volume if "inverted" in body.sources else 0.0


def _left_open(body: EnclosedSolid) -> float:
    """The volume that turning, uniting and nesting leave open, file units."""
    return sum(body.sources[name].volume for name in _LEFT_BY.values() if name in body.sources)


def _shell_steps(body: EnclosedSolid, scale: float) -> tuple[RepairStep, ...]:
    """Steps that were done to whole shells, each with the volume that it leaves open: together, what all of them do."""
    left = {step: body.sources[name].volume for step, name in _LEFT_BY.items() if name in body.sources}
    steps = [replace(step, bound=left.pop(step.step, 0.0) * scale**3) for step in body.repairs]
    steps[-1:] = [replace(step, bound=step.bound + sum(left.values()) * scale**3) for step in steps[-1:]]
    return tuple(steps)


def _finding(s: Step, done: RepairStep, surface: MeshSurface, volume: float) -> Finding:
    share = s.bound.volume / volume
    message = s.text + (f" within {s.tolerance * surface.scale:.2g}\xa0m" if s.tolerance else "")
    message += f"; ±{percent(share)} of the volume" if share > LEAST_SHARE else ""
    if done.readings:
        message += "; readings: " + ", ".join(f"{name} {value:.4g}\xa0m³" for name, value in done.readings)
    return Finding(REPAIR_CODES[s.step], "warning", message, value=share, where=surface.in_metres(s.where))


def _unrepaired(refused: InvalidGeometry, reason: str) -> InvalidGeometry:
    """The refusal of the surface as it is, with the reason why no repair is accepted."""
    found = refused.also(())
    found.text = f"{refused.text}; {reason}"
    return found
