"""Which body does a surface bound? The solid inside it if it is valid, else what the caller's policies allow."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from dataclasses import field, replace
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from massprops.errors import InvalidGeometry, InvalidInput, require_type, require_word
from massprops.findings import Finding, in_words
from massprops.grades import Grade, Method, Repair
from massprops.mesh.edge_defects import diagnose
from massprops.mesh.opposite_facets import opposite_facets
from massprops.mesh.source import MeshSource
from massprops.mesh.surface import Surface, shell_moments, total
from massprops.mesh.winding_policy import CERTIFIABLE, Nested, OnOverlap, Wishes, examine, turned_round
from massprops.moments.arrays import length
from massprops.moments.integrals import Moments
from massprops.moments.uncertainty import Spread, is_positive
from massprops.units import Quantity, parse_share
from massprops.values import dataclass, json_object
from massprops.wording import percent

if TYPE_CHECKING:
    from massprops.mesh.indexed_mesh import IndexedMesh

OnOpen = Literal["error", "integrate", "hull", "shell"]
OnInverted = Literal["error", "flip"]
Verify = Literal["none", "closed", "xray", "proof", "auto"]

#: Lines cannot tell lengths apart that are shorter than this share of the body's size.
_DEPTH_ROUNDING = 1e-12

#: Lines per side: more would take gigabytes.
MOST_LINES = 2000


#: Lines per side of the lattices of the X-ray.
LINES = 40

#: Surfaces of more facets are proved only where that is asked for: 0.2 to 0.4 s in the compiled core, 2 to 3 s in numpy.
PROVED_UP_TO = 200_000


@dataclass(frozen=True, kw_only=True)
class Policies:
    """What is measured if a surface is not a valid solid, and how much is verified: see `massprops.measure`."""

    on_open: OnOpen = "error"
    on_inverted: OnInverted = "error"
    on_overlap: OnOverlap = "error"
    nested: Nested = "ask"
    verify: Verify = "auto"
    lines: int = LINES
    repair: Repair = "none"
    max_uncertainty: Quantity | None = None

    def check(self) -> None:
        """Raise InvalidInput if one of them is unknown."""
        for name, options in WORDS.items():
            require_word(getattr(self, name), options, name)
        _ = self.largest_share
        require_type(self.lines, int | np.integer, "lines", "a whole number")
        if not 1 <= self.lines <= MOST_LINES:
            raise InvalidInput(f"must be from 1 to {MOST_LINES}, got {self.lines!r}", parameter="lines")

    @property
    def largest_share(self) -> float | None:
        """How much of the volume repairs may leave open, as a share, where that was said."""
        return None if self.max_uncertainty is None else parse_share(self.max_uncertainty, name="max uncertainty")


#: What a policy can be, by name.
WORDS = {
    "on_open": get_args(OnOpen),
    "on_inverted": get_args(OnInverted),
    "on_overlap": get_args(OnOverlap),
    "nested": get_args(Nested),
    "verify": get_args(Verify),
    "repair": get_args(Repair),
}


@dataclass(frozen=True)
class RepairStep:
    """One repair: what was done, how often, the place of the first (m, coordinates of the file), and how much volume it can be off, m³."""

    step: str
    count: int
    where: tuple[float, ...] | None
    bound: float

    def to_dict(self) -> dict[str, object]:
        """As the JSON schema `massprops/1` spells it."""
        return json_object(self, "step count where bound")


@dataclass(frozen=True, eq=False)
class Body:
    """What is integrated, in the units and axes of the file, what had to be said about it, and how far it can be off by source.

    `mesh` has the triangles that bound it, if there are such; `area` is theirs, if it is known. `repairs` is what was done to the
    triangles of the file, and `surface` what a pass over those of `mesh` gathered where they are other ones.
    """

    method: Method
    grade: Grade
    moments: Moments
    findings: tuple[Finding, ...] = ()
    sources: dict[str, Spread] = field(default_factory=dict)
    mesh: MeshSource | None = None
    area: float | None = None
    repairs: tuple[RepairStep, ...] = ()
    surface: Surface | None = None

    @property
    def dimension(self) -> int:
        """Of what is measured: 2 for a sheet, 3 for a solid."""
        return 2 if self.method == "shell" else 3


def indexed_once(mesh: MeshSource) -> Callable[[], IndexedMesh]:
    """Gives the triangles with numbered vertices, which are numbered at the first call: only who has an open surface pays for it."""

    @functools.cache
    def indexed() -> IndexedMesh:
        from massprops.mesh.indexed_mesh import IndexedMesh

        return IndexedMesh.of(mesh)

    return indexed


def body_of(
    mesh: MeshSource,
    surface: Surface,
    scale: float,
    resolution: float,
    policies: Policies,
    indexed: Callable[[], IndexedMesh] | None = None,
) -> Body:
    """What to integrate: the solid if the surface is valid, else what the policies allow.

    Parameters
    ----------
    mesh, surface : MeshSource, Surface
        The triangles, and what one pass over them gathered.
    scale : float
        The length unit of the file in metres, for messages.
    resolution : float
        How far a coordinate can be off by its rounding in the file, file units.
    policies : Policies
        What the caller allows.
    indexed : callable, optional
        `indexed_once` of the mesh, where the caller needs that, too.

    Raises
    ------
    InvalidGeometry
        If the surface has no valid integral and the policies do not say what to do.
    """
    if policies.verify == "none":
        if surface.solid.measure == 0:
            raise _refusal(mesh, _zero_volume("the volume is exactly 0, so nothing has a centre"))
        return Body("exact", "unverified", surface.solid, mesh=mesh, area=surface.sheet.measure)
    if not surface.boundary.closed:
        return _open_body(mesh, surface, scale, policies.on_open, indexed or indexed_once(mesh))
    size = length(np.ptp(surface.bounds, axis=0))
    mesh, surface, turned = _outward(mesh, surface, scale, policies) if surface.encloses else (mesh, surface, ())
    if policies.verify == "closed" and surface.encloses:
        body = Body("exact", "closed", surface.solid, turned, mesh=mesh, area=surface.sheet.measure)
        return _resolved(body, surface, resolution, scale)
    wishes = Wishes(policies.lines, policies.on_overlap, policies.nested, policies.on_inverted == "flip")
    # no volume can be that of a body and of another that is inside out: only the X-ray tells
    proved, noticed = _proved(mesh, surface, scale, policies)
    if proved:
        return _resolved(
            Body("exact", "proved", surface.solid, turned, mesh=mesh, area=surface.sheet.measure),
            surface,
            resolution,
            scale,
        )
    seen = size > 0 and policies.verify != "closed"
    try:
        valid = examine(mesh, surface, scale, 4 * resolution + _DEPTH_ROUNDING * size, wishes) if seen else None
    except InvalidGeometry as refused:
        raise refused.also(noticed) from None
    if valid is None or valid.solid.measure <= 0:
        area = surface.sheet.measure * scale**2
        if area and opposite_facets(mesh.chunks)[1]:
            message = (
                f"every facet is there twice, once for each side ({area:.4g} m² in all), so the sides enclose nothing"
            )
            raise _refusal(mesh, Finding("double-sided", "error", message, value=0, limit=0))
        raise _refusal(mesh, _zero_volume(f"the surface is closed but encloses no volume (its area is {area:.4g} m²)"))
    findings = (*turned, *valid.findings, *noticed)
    body = Body("exact", valid.grade, valid.solid, findings, valid.sources, valid.mesh, valid.area)
    return _resolved(body, surface, resolution, scale)


def _proved(mesh: MeshSource, surface: Surface, scale: float, policies: Policies) -> tuple[bool, tuple[Finding, ...]]:
    """Whether the surface was proved to bound every point once; and what was found against that."""
    asked = policies.verify == "proof" or (policies.verify == "auto" and surface.facets <= PROVED_UP_TO)
    if not (asked and surface.encloses):
        return False, ()
    from massprops.mesh.proof.prove import prove  # only who asks for it pays for its modules

    outward = is_positive(surface.solid, surface.magnitude)
    return prove(mesh, scale, patient=policies.verify == "proof", outward=outward)


def _resolved(body: Body, surface: Surface, resolution: float, scale: float) -> Body:
    """The body, as an estimate where the rounding of its coordinates in the file leaves more of its volume open than is certified."""
    volume = body.moments.measure
    share = math.sqrt(3) * resolution * surface.sheet.measure / volume  # every point of the area moved by a diagonal
    if share <= CERTIFIABLE:
        return body
    message = (
        f"coordinates are rounded to ± {resolution * scale:.2g} m, which leaves the volume open by {percent(share)}"
    )
    finding = Finding("coarse-coordinates", "warning", message, value=share, limit=CERTIFIABLE)
    return replace(body, grade="estimated", findings=(*body.findings, finding))


def _open_body(
    mesh: MeshSource, surface: Surface, scale: float, on_open: OnOpen, indexed: Callable[[], IndexedMesh]
) -> Body:
    findings = tuple(d.finding(scale) for d in diagnose(indexed()))
    if on_open == "error":
        raise _refusal(mesh, *findings)
    if on_open == "integrate":
        substitute = _integrated(mesh, surface, indexed())
    else:
        substitute = _hull(mesh, surface) if on_open == "hull" else sheet_of(mesh, surface)
    warnings = tuple(replace(f, severity="warning") for f in findings)
    return replace(substitute, area=surface.sheet.measure, findings=(*warnings, *substitute.findings))


def _integrated(mesh: MeshSource, surface: Surface, indexed: IndexedMesh) -> Body:
    """The raw integral about the middle of the bounds, with what the loops of open edges can hide."""
    middle = surface.bounds.mean(axis=0)
    solid = total(Surface.of(c, middle) for c in mesh.chunks()).solid
    if solid.measure <= 0:
        raise _refusal(mesh, _zero_volume("the integral over the open surface is not positive"))
    from massprops.mesh.repair.holes import open_bound  # only who asks for it pays for its modules

    share = open_bound(indexed, middle).volume / solid.measure
    message = (
        f"the open surface was integrated about the middle of its bounds: the volume can be off by {percent(share)}"
    )
    return Body("exact", "unverified", solid, (Finding("open-integral", "warning", message, value=share),))


def _hull(mesh: MeshSource, surface: Surface) -> Body:
    from massprops.mesh.repair.convex_hull import convex_hull

    middle = surface.bounds.mean(axis=0)
    solid = Surface.of(convex_hull(mesh), middle).solid
    message = "measured is the convex hull, which is larger than the body"
    return Body("hull", "unverified", solid, (Finding("convex-hull", "warning", message),))


def sheet_of(mesh: MeshSource, surface: Surface) -> Body:
    """The surface itself as a sheet without thickness, closed or open."""
    middle = surface.bounds.mean(axis=0)
    sheet = functools.reduce(operator.add, (shell_moments(c, middle) for c in mesh.chunks()))
    message = "measured is the surface itself, as a sheet without thickness"
    return Body("shell", "unverified", sheet, (Finding("thin-shell", "info", message),), area=surface.sheet.measure)


def _outward(
    mesh: MeshSource, surface: Surface, scale: float, policies: Policies
) -> tuple[MeshSource, Surface, tuple[Finding, ...]]:
    """Mesh and surface with a positive volume: as they are, or turned round if that is allowed."""
    volume = surface.solid.measure * scale**3
    if volume > 0:
        return mesh, surface, ()
    message = f"the surface is closed but inside out: its volume is {volume:.6g} m³"
    finding = Finding("inverted-surface", "error", message, value=volume, limit=0)
    if policies.on_inverted == "error":
        raise _refusal(mesh, finding)
    flipped = replace(finding, severity="warning", message=f"{message}; all faces were turned round")
    return (*turned_round(mesh, surface), (flipped,))


def _zero_volume(message: str) -> Finding:
    return Finding("zero-volume", "error", message, value=0, limit=0)


_CONSEQUENCES = {
    "open-edges": ("the volume is not defined for an open surface", "see --on-open"),
    "inconsistent-winding": ("the integral is not that of a body", "see --on-open"),
    "non-manifold-edges": ("the integral is not that of a body", "see --on-open"),
    "double-sided": ("there is no volume between them", "export one side only, or see --repair"),
    "zero-volume": ("there is no body to measure", "export a solid with an inside"),
    "inverted-surface": (
        "mass and inertia would be negative",
        "turn the faces round in the export, or see --on-inverted",
    ),
}


def _refusal(mesh: MeshSource, *findings: Finding) -> InvalidGeometry:
    code = findings[0].code
    consequence, hint = _CONSEQUENCES[code]
    text = f"{in_words(findings)}; {consequence}"
    return InvalidGeometry(text, place=mesh.name, code=code, hint=hint, findings=findings)
