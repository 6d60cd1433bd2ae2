"""Solid that a surface encloses: the one inside it if it is valid, else what the caller's policies allow."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from massprops import native
from massprops.errors import InvalidGeometry, Remedy
from massprops.findings import Finding
from massprops.mesh.edge_defects import diagnose
from massprops.mesh.enclosed_solid import EnclosedSolid, MeshSurface, NotedStep, RepairStep
from massprops.mesh.opposite_facets import opposite_facets
from massprops.mesh.policies import OnOpen, Policies
from massprops.mesh.surface import Surface, shell_moments, total
from massprops.mesh.winding_policy import CERTIFIABLE, resolve_winding, without_sheets
from massprops.moments.arrays import length
from massprops.moments.uncertainty import is_positive
from massprops.wording import percent

#: Lines cannot tell lengths apart that are shorter than this share of the body's size.
_DEPTH_ROUNDING = 1e-12
#: Share of the volume that the rounding of the coordinates may leave open without a remark: less than parts of one drawing differ.
_COARSE = 0.01
#: Bytes that a proof may take if `verify` is `auto`; and those for each facet of one part, with the compiled core and in numpy.
PROOF_MEMORY, _COMPILED, _NUMPY = 2_000_000_000, 40, 200


def validate(surface: MeshSurface, policies: Policies) -> EnclosedSolid:
    """Solid inside a surface if that is valid, else what the policies allow.

    Raises
    ------
    InvalidGeometry
        If the surface has no valid integral and the policies do not say what to do.
    """
    if policies.verify == "none":
        if surface.gathered.solid.measure == 0:
            raise zero_volume(surface, "the volume is exactly 0, so nothing has a centre")
        return surface.solid("unverified")
    if not surface.gathered.boundary.closed:
        return _open_body(surface, policies.on_open)
    turned: Sequence[NotedStep] = ()
    if surface.gathered.encloses and surface.gathered.solid.measure < 0:
        turned = [_turn_outward(surface, policies)]
        surface = surface.cached("turned round", surface.flipped)
    return _check_resolution(surface, _closed_body(surface, policies).after(turned))


def _closed_body(surface: MeshSurface, policies: Policies) -> EnclosedSolid:
    if policies.verify == "closed" and surface.gathered.encloses:
        return surface.solid("closed")
    # a volume of 0 can be that of a body and of another one inside out: only the X-ray tells
    proved, noticed = _prove(surface, policies)
    if proved:
        solid = surface.solid("proved", noticed)
        return without_sheets(surface, solid) if noticed else solid
    size, found = length(np.ptp(surface.gathered.bounds, axis=0)), None
    try:
        if size > 0 and policies.verify != "closed":
            found = resolve_winding(surface, policies, 4 * surface.resolution + _DEPTH_ROUNDING * size)
    except InvalidGeometry as refused:
        raise refused.also(noticed) from None
    if found is None or found.moments.measure <= 0:
        area = surface.gathered.sheet.measure * surface.scale**2
        if area and opposite_facets(surface.mesh.chunks)[1]:
            message = f"every facet is there twice, once for each side ({area:.4g}\xa0m² in all), so the sides enclose nothing"
            raise _refusal(surface, Finding("double-sided", "error", message, value=0, limit=0))
        message = f"the surface is closed but encloses no volume (its area is {area:.4g}\xa0m²)"
        raise zero_volume(surface, message)
    return replace(found, findings=(*found.findings, *noticed))


def proved_up_to() -> int:
    """Facets of the largest surface that `auto` proves."""
    return PROOF_MEMORY // (_COMPILED if native.core() else _NUMPY)


def _prove(surface: MeshSurface, policies: Policies) -> tuple[bool, tuple[Finding, ...]]:
    """Whether the surface was proved to bound every point once; and which facets cross or touch."""
    gathered = surface.gathered
    asked = policies.verify == "proof" or (policies.verify == "auto" and gathered.facets <= proved_up_to())
    if not (asked and gathered.encloses):
        return False, ()
    from massprops.mesh.proof.prove import prove  # imported lazily

    outward = is_positive(gathered.solid, gathered.magnitude)
    patient = policies.verify == "proof"
    return surface.cached(("proof", patient), lambda: prove(surface, patient=patient, outward=outward))


def _check_resolution(surface: MeshSurface, body: EnclosedSolid) -> EnclosedSolid:
    """The body, as an estimate where the rounding of its coordinates in the file leaves more of its volume open than is certified."""
    # every point of the area moved by a diagonal
    share = math.sqrt(3) * surface.resolution * surface.gathered.sheet.measure / body.moments.measure
    if share <= _COARSE:
        return body
    off = surface.resolution * surface.scale
    by = percent(share) + " its size" * (share > 2)
    message = f"coordinates are rounded to ± {off:.2g}\xa0m, so the volume can be off by {by}"
    if share <= CERTIFIABLE:
        return replace(body, findings=(*body.findings, Finding("coarse-coordinates", "info", message, share, _COARSE)))
    finding = Finding("coarse-coordinates", "warning", message, value=share, limit=CERTIFIABLE)
    return replace(body, grade="estimated", findings=(*body.findings, finding))


def _open_body(surface: MeshSurface, on_open: OnOpen) -> EnclosedSolid:
    findings = tuple(d.finding(surface) for d in diagnose(surface.indexed))
    if on_open == "error":
        raise _refusal(surface, *findings)
    substitute = {"integrate": _integrate_open, "hull": _hull, "shell": sheet_of}[on_open](surface)
    warnings = tuple(replace(f, severity="warning") for f in findings)
    return replace(substitute, area=surface.gathered.sheet.measure, findings=(*warnings, *substitute.findings))


def _integrate_open(surface: MeshSurface) -> EnclosedSolid:
    """The raw integral about the middle of the bounds, with what the loops of open edges can hide."""
    middle = surface.gathered.bounds.mean(axis=0)
    solid = total(Surface.of(c, middle) for c in surface.mesh.chunks()).solid
    if solid.measure <= 0:
        raise zero_volume(surface, "the integral over the open surface is not positive")
    from massprops.mesh.repair.holes import open_bound  # imported lazily

    share = open_bound(surface.indexed, middle).volume / solid.measure
    message = (
        f"the open surface was integrated about the middle of its bounds: the volume can be off by {percent(share)}"
    )
    return EnclosedSolid("exact", "unverified", solid, (Finding("open-integral", "warning", message, value=share),))


def _hull(surface: MeshSurface) -> EnclosedSolid:
    from massprops.mesh.repair.convex_hull import convex_hull

    middle = surface.gathered.bounds.mean(axis=0)
    solid = Surface.of(convex_hull(surface.mesh), middle).solid
    message = "measured is the convex hull, which is larger than the body"
    return EnclosedSolid("hull", "unverified", solid, (Finding("convex-hull", "warning", message),))


def sheet_of(surface: MeshSurface) -> EnclosedSolid:
    """The surface itself as a sheet without thickness, closed or open."""
    middle = surface.gathered.bounds.mean(axis=0)
    sheet = functools.reduce(operator.add, (shell_moments(c, middle) for c in surface.mesh.chunks()))
    if not sheet.measure > 0:
        raise zero_volume(surface, "no facet has an area")
    note = Finding("thin-shell", "info", "measured is the surface itself, as a sheet without thickness")
    return EnclosedSolid("shell", "unverified", sheet, (note,), area=surface.gathered.sheet.measure)


def _turn_outward(surface: MeshSurface, policies: Policies) -> NotedStep:
    """Finding and repair step of a surface that has a negative volume and is turned round, if that is allowed."""
    volume = surface.gathered.solid.measure * surface.scale**3
    message = f"the surface is closed but inside out: its volume is {volume:.6g}\xa0m³"
    finding = Finding("inverted-surface", "error", message, value=volume, limit=0)
    if policies.on_inverted == "error":
        raise _refusal(surface, finding)
    flipped = replace(finding, severity="warning", message=f"{message}; all faces were turned round")
    return flipped, RepairStep("turn", 1, None)


def zero_volume(surface: MeshSurface, message: str) -> InvalidGeometry:
    """Refusal of a surface with nothing to measure."""
    return _refusal(surface, Finding("zero-volume", "error", message, value=0, limit=0))


_OPEN = Remedy("", see="on_open")
_CONSEQUENCES: dict[str, tuple[str, str | Remedy]] = {
    "open-edges": ("the volume is not defined for an open surface", _OPEN),
    "inconsistent-winding": ("the integral is not that of a body", _OPEN),
    "non-manifold-edges": ("the integral is not that of a body", _OPEN),
    "double-sided": ("there is no volume between them", Remedy("export one side only", see="repair")),
    "zero-volume": ("there is no body to measure", "export a solid with an inside"),
    "inverted-surface": (
        "mass and inertia would be negative",
        Remedy("turn the faces round in the export", see="on_inverted"),
    ),
}


def _refusal(surface: MeshSurface, *findings: Finding) -> InvalidGeometry:
    consequence, hint = _CONSEQUENCES[findings[0].code]
    return surface.refusal(findings, hint, consequence)
