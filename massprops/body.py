"""Which body does a surface bound? The solid inside it if it is valid, else what the caller's policies allow."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from massprops.edges import diagnose
from massprops.errors import InvalidGeometry
from massprops.findings import Finding
from massprops.measurement import Grade, Method
from massprops.moments import Array, Moments
from massprops.readers.source import MeshSource
from massprops.surface import Surface, shell_moments, vector_area

OnOpen = Literal["error", "integrate", "hull", "shell"]
OnInverted = Literal["error", "flip"]

#: A closed surface encloses nothing if its volume is below this share of area × size: the rounding of a sum of cancelling
#: terms of that magnitude, with room for a thousand ulps.
ZERO_VOLUME = 1e-13


@dataclass(frozen=True, eq=False)
class Body:
    """What is integrated, in the units and axes of the file, and what had to be said about it."""

    method: Method
    grade: Grade
    moments: Moments
    findings: tuple[Finding, ...] = ()

    @property
    def dimension(self) -> int:
        """Of what is measured: 2 for a sheet, 3 for a solid."""
        return 2 if self.method == "shell" else 3


def body_of(mesh: MeshSource, surface: Surface, scale: float, on_open: OnOpen, on_inverted: OnInverted) -> Body:
    """What to integrate: the solid if the surface is closed and looks outward, else what the policies allow.

    Parameters
    ----------
    mesh, surface : MeshSource, Surface
        The triangles, and what one pass over them gathered.
    scale : float
        The length unit of the file in metres, for messages.
    on_open, on_inverted : str
        The caller's policies.

    Raises
    ------
    InvalidGeometry
        If the surface has no valid integral and the policies are `error`.
    """
    if not surface.boundary.closed:
        return _open_body(mesh, surface, scale, on_open)
    volume = surface.solid.measure
    if abs(volume) <= ZERO_VOLUME * surface.area * float(np.linalg.norm(_extent(surface))):
        area = surface.area * scale**2
        raise _refusal(mesh, _zero_volume(f"the surface is closed but encloses no volume (its area is {area:.4g} m²)"))
    return _inverted_body(mesh, surface, scale, on_inverted) if volume < 0 else Body("exact", "closed", surface.solid)


def _open_body(mesh: MeshSource, surface: Surface, scale: float, on_open: OnOpen) -> Body:
    findings = tuple(d.finding(scale) for d in diagnose(mesh.chunks))
    if on_open == "error":
        raise _refusal(mesh, *findings)
    substitute = _SUBSTITUTES[on_open](mesh, surface)
    warnings = tuple(replace(f, severity="warning") for f in findings)
    return replace(substitute, findings=(*warnings, *substitute.findings))


def _integrated(mesh: MeshSource, surface: Surface) -> Body:
    """The raw integral about the middle of the bounds, with what moving that point inside the bounds would change."""
    middle = surface.bounds.mean(axis=0)
    solid = functools.reduce(operator.add, (Surface.of(c, middle).solid for c in mesh.chunks()))
    if solid.measure <= 0:
        raise _refusal(mesh, _zero_volume("the integral over the open surface is not positive"))
    # V is linear in the reference point r, with dV/dr = −(vector area)/3; r moves by half the extent at most
    gap = functools.reduce(operator.add, (vector_area(c) for c in mesh.chunks()))
    share = float(np.abs(gap) @ _extent(surface)) / 6 / solid.measure
    message = f"integrated as it is, about the middle of its bounds; another point inside them changes the volume by up to {share:.2%}"
    return Body("exact", "unverified", solid, (Finding("open-integral", "warning", message, value=share),))


def _hull(mesh: MeshSource, surface: Surface) -> Body:
    from massprops.hull import convex_hull

    middle = surface.bounds.mean(axis=0)
    solid = Surface.of(convex_hull(mesh), middle).solid
    message = "measured is the convex hull, which is larger than the body"
    return Body("hull", "unverified", solid, (Finding("convex-hull", "warning", message),))


def _shell(mesh: MeshSource, surface: Surface) -> Body:
    middle = surface.bounds.mean(axis=0)
    sheet = functools.reduce(operator.add, (shell_moments(c, middle) for c in mesh.chunks()))
    message = "measured is the surface itself, as a sheet without thickness"
    return Body("shell", "unverified", sheet, (Finding("thin-shell", "info", message),))


_SUBSTITUTES: dict[str, Callable[[MeshSource, Surface], Body]] = {
    "integrate": _integrated,
    "hull": _hull,
    "shell": _shell,
}


def _inverted_body(mesh: MeshSource, surface: Surface, scale: float, on_inverted: OnInverted) -> Body:
    volume = surface.solid.measure * scale**3
    message = f"the surface is closed but inside out: its volume is {volume:.6g} m³"
    finding = Finding("inverted-surface", "error", message, value=volume, limit=0)
    if on_inverted == "error":
        raise _refusal(mesh, finding)
    flipped = replace(finding, severity="warning", message=f"{message}; all faces were turned round")
    return Body("exact", "closed", -surface.solid, (flipped,))


def _extent(surface: Surface) -> Array:
    return np.asarray(np.ptp(surface.bounds, axis=0))


def _zero_volume(message: str) -> Finding:
    return Finding("zero-volume", "error", message, value=0, limit=0)


_CONSEQUENCES = {
    "open-edges": ("the volume is not defined for an open surface", "see --on-open"),
    "inconsistent-winding": ("the integral is not that of a body", "see --on-open"),
    "non-manifold-edges": ("the integral is not that of a body", "see --on-open"),
    "zero-volume": ("there is no body to measure", "export a solid with an inside"),
    "inverted-surface": (
        "mass and inertia would be negative",
        "turn the faces round in the export, or see --on-inverted",
    ),
}


def _refusal(mesh: MeshSource, *findings: Finding) -> InvalidGeometry:
    code = findings[0].code
    consequence, hint = _CONSEQUENCES[code]
    told = "; ".join(f"{f.code}: {f.message}" for f in findings)
    return InvalidGeometry(f"{mesh.name}: {told}; {consequence}", code=code, hint=hint, findings=findings)
