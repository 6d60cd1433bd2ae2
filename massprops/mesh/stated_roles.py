"""Solid of a file that states which of its volumes are bodies and which are cut out of them: what is in any body and in no cutter.

Every volume is validated, and where that is allowed repaired, by itself; no orientation of one is judged by the others.

Tests: `tests/mesh/test_stated_roles.py`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from massprops.errors import InvalidGeometry, MissingExtra, Remedy, result_or_error
from massprops.findings import Finding
from massprops.grades import Grade, worst
from massprops.mesh.enclosed_solid import EnclosedSolid, MeshSurface, RepairStep
from massprops.mesh.integration import integrate
from massprops.mesh.policies import Policies
from massprops.mesh.repair.solid_union import estimate_difference, exact_difference
from massprops.mesh.source import MeshFile, SetDifference, Triangles
from massprops.mesh.surface import Surface, total
from massprops.mesh.validated_solid import validate
from massprops.moments.arrays import Floats
from massprops.moments.uncertainty import Spread, displacement, hidden, merge_spreads

SolidOf = Callable[[MeshSurface, Policies], EnclosedSolid]

#: Grades of a surface that bounds every point once; a sum of volumes is only then their set difference.
_ONCE: tuple[Grade, ...] = ("proved", "certified")
#: What is computed, in findings.
_WHAT = "the difference of parts and volumes to subtract"


def solid_of_stated(
    surface: MeshSurface, stated: Sequence[SetDifference], policies: Policies, validate_or_repair: SolidOf
) -> EnclosedSolid:
    """Solid of all set differences of a file: several are validated together as any surface is.

    Raises
    ------
    InvalidGeometry
        If a volume is not valid by itself, nothing is left, or several solids have no triangles that could be validated together.
    """
    if policies.verify in ("none", "closed") or policies.on_open != "error":
        policies = replace(policies, verify="auto", on_open="error")  # a set difference is one of closed volumes
    found = [_difference(surface, one, policies, validate_or_repair) for one in stated]
    if len(found) == 1:
        return found[0]
    meshes = [f.mesh for f in found if f.mesh is not None]
    if len(meshes) < len(found):
        what = "the set difference of one of several objects is only estimated, and has no triangles to verify it with the others"
        hint = Remedy("pip install 'massprops[union]', or use {}", "list_parts")
        raise InvalidGeometry(what, code="overlapping-bodies", hint=hint, place=surface.mesh.name)
    together = _joined(surface, meshes)
    whole = validate_or_repair(together, policies)
    sources = merge_spreads(whole.sources, _errors(found, whole, together.gathered))
    grade = worst(whole.grade, *(f.grade for f in found))
    findings = tuple(f for one in found for f in one.findings)
    steps = tuple(step for one in found for step in one.repairs)
    whole = replace(
        whole, grade=grade, sources=sources, findings=(*findings, *whole.findings), repairs=(*steps, *whole.repairs)
    )
    return replace(whole, surface=whole.surface or together.gathered)


def _difference(
    surface: MeshSurface, stated: SetDifference, policies: Policies, validate_or_repair: SolidOf
) -> EnclosedSolid:
    """One set difference: the sum of the volumes where they are proved to be nested so, else by manifold3d, else by lines."""

    def each(volumes: Iterable[MeshFile], what: str) -> list[tuple[Triangles, EnclosedSolid]]:
        return [_volume(surface, mesh, what, policies, validate_or_repair) for mesh in volumes]

    bodies, cutters = each(stated.bodies, ""), each(stated.cutters, "a volume to subtract: ")
    if len(bodies) == 1 and not cutters:
        return bodies[0][1]
    pieces = [solid for _, solid in (*bodies, *cutters)]
    solids, holes = ([mesh for mesh, _ in volumes] for volumes in (bodies, cutters))
    found = _summed(surface, solids, holes, policies)
    if found is None or found.area is None:
        exactly = all(p.mesh is not None for p in pieces)
        found = _computed(surface, (solids, holes), found, exactly=exactly)
    findings = tuple(f for p in pieces for f in p.findings)
    sources = merge_spreads(found.sources, _errors(pieces, found, found.surface or surface.gathered))
    off = sum(s.volume for s in sources.values()) + surface.resolution * surface.gathered.sheet.measure
    if not found.moments.measure > off:
        raise _nothing_left(surface)
    grade = worst(found.grade, *(p.grade for p in pieces))
    repairs = tuple(step for p in pieces for step in p.repairs)
    if "estimate" in found.sources:
        bound = found.sources["estimate"].volume * surface.scale**3
        repairs += (RepairStep("cut" if cutters else "union", len(cutters) or len(bodies), None, bound),)
    return replace(found, grade=grade, sources=sources, findings=(*findings, *found.findings), repairs=repairs)


def _volume(
    surface: MeshSurface, mesh: MeshFile, what: str, policies: Policies, validate_or_repair: SolidOf
) -> tuple[Triangles, EnclosedSolid]:
    """The triangles of one volume, and the solid inside it by itself."""
    try:
        solid = validate_or_repair(MeshSurface(mesh, integrate(mesh), surface.scale, surface.resolution), policies)
    except InvalidGeometry as error:
        error.text = f"{what}{error.text}"
        raise
    return solid.mesh or mesh, solid


def _errors(pieces: Sequence[EnclosedSolid], whole: EnclosedSolid, gathered: Surface) -> dict[str, Spread]:
    """Errors of the difference by those of its volumes: as much volume, anywhere in its bounds."""
    volumes: dict[str, float] = {}
    for piece in pieces:
        for name, spread in piece.sources.items():
            volumes[name] = volumes.get(name, 0.0) + spread.volume
    if not whole.moments.measure > 0:
        return {}
    return {name: hidden(whole.moments, gathered.bounds, volume) for name, volume in volumes.items() if volume}


def _joined(surface: MeshSurface, meshes: Sequence[Triangles], cut: Sequence[Triangles] = ()) -> MeshSurface:
    """The triangles of several volumes as one surface, those that are cut out turned round."""

    def chunks() -> Iterator[Floats]:
        yield from itertools.chain.from_iterable(m.chunks() for m in meshes)
        yield from (corners[:, ::-1] for m in cut for corners in m.chunks())

    facets = sum(m.facets for m in (*meshes, *cut))
    mesh = surface.mesh.altered(chunks, facets)
    return replace(surface, mesh=mesh, gathered=total(Surface.of(c, surface.gathered.reference) for c in mesh.chunks()))


def _summed(
    surface: MeshSurface, solids: Sequence[Triangles], holes: Sequence[Triangles], policies: Policies
) -> EnclosedSolid | None:
    """The sum of the volumes, if the bodies bound every point once and so do they without the cutters: these are inside then, and apart.

    Where volumes touch, their common faces are no part of the surface: the area is not known.
    """
    strict = Policies(verify=policies.verify, lines=policies.lines)
    alone, whole = [_joined(surface, solids)] if len(solids) > 1 else [], _joined(surface, solids, holes)
    try:
        found = [validate(s, strict) for s in (*alone, whole)]
    except InvalidGeometry:
        return None
    if any(f.grade not in _ONCE for f in found):
        return None
    touch = any(f.findings for f in found)
    area, grade = None if touch else found[-1].area, worst(*(f.grade for f in found))
    return replace(found[-1], grade=grade, area=area, findings=(), surface=whole.gathered)


def _computed(
    surface: MeshSurface, volumes: Sequence[Sequence[Triangles]], summed: EnclosedSolid | None, *, exactly: bool
) -> EnclosedSolid:
    """The difference by manifold3d, if it is installed and agrees with an estimate by lines; else the sum, if it is certified; else the
    estimate.
    """
    solids, holes = volumes
    bodies, cutters = _joined(surface, solids), _joined(surface, holes).mesh if holes else None
    estimate, spread = estimate_difference(bodies.mesh, bodies.gathered, cutters)
    exact = result_or_error(exact_difference, solids, holes) if exactly else None
    if isinstance(exact, tuple):
        mesh, tolerance = exact
        if not len(mesh.faces) and estimate.measure <= spread.volume:
            raise _nothing_left(surface)
        if len(mesh.faces):
            triangles = surface.mesh.altered(mesh.read_chunks(), len(mesh.faces))
            gathered = total(Surface.of(c, bodies.gathered.reference) for c in triangles.chunks())
            off = displacement(gathered.solid, gathered.sheet, tolerance)
            if abs(gathered.solid.measure - estimate.measure) <= spread.volume + off.volume:
                note = Finding(
                    "united-bodies", "info", f"{_WHAT} was computed by manifold3d and agrees with an estimate by lines"
                )
                area = gathered.sheet.measure
                return EnclosedSolid(
                    "exact", "repaired", gathered.solid, (note,), {"estimate": off}, triangles, area, surface=gathered
                )
    if summed is not None:
        return summed
    notes: tuple[Finding, ...] = ()
    if isinstance(exact, MissingExtra):
        notes = (Finding("united-bodies", "info", f"{_WHAT} is an estimate by lines; {exact}"),)
    whole = replace(_joined(surface, (*solids, *holes)).gathered, bounds=bodies.gathered.bounds)
    return EnclosedSolid("exact", "estimated", estimate, notes, {"estimate": spread}, surface=whole)


def _nothing_left(surface: MeshSurface) -> InvalidGeometry:
    what = "the volumes to subtract leave nothing of the part"
    finding = Finding("zero-volume", "error", what, value=0, limit=0)
    return surface.refusal([finding], "is the role of each volume right in the slicer?")
