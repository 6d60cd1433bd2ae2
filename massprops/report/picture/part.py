"""What a picture shows of a part: its surface, box, centre of mass, principal axes, equivalent solid, and every defect with a place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from massprops.findings import Finding
from massprops.formats.escaping import plain
from massprops.measurement.output_units import OutputUnits
from massprops.measurement.short_table import Quantity
from massprops.moments.arrays import Array, Floats, length
from massprops.report.outlines import axes_lines, bounds_edges, equivalent_lines
from massprops.report.picture.scene import Explained, Line, Look, Marker, Scene, Solid, Theme
from massprops.rigid_body.mass_properties import MassProperties

#: Bad edges that are drawn, and findings that are numbered.
_MOST_EDGES, _MOST_FINDINGS = 5_000, 12
#: Segments of a circle.
_SEGMENTS = 96
#: Solids of equal inertia, and how wide their lines are and how much of them is seen behind the part.
_EQUIVALENTS: tuple[tuple[Literal["box", "ellipsoid"], float, float], ...] = (
    ("box", 1.6, 0.35),
    ("ellipsoid", 1.4, 0.6),
)


@dataclass(frozen=True)
class Part:
    """What is known of a part for a picture.

    Attributes
    ----------
    name, verdict : str
        Of the file; and the grade, or the code of the error. Foreign texts are escaped here.
    read_chunks : callable
        Starts a pass over its triangles, shape (n, 3, 3), m.
    facets : int
    bounds : ndarray, shape (2, 3)
        m.
    body : MassProperties or None
        Of the density, or of unit density where none is known; None where there is no valid integral.
    quantities : sequence of Quantity
        Its numbers: the first is its mass, volume or area.
    findings : sequence of Finding
        With places in metres.
    bad_edges : ndarray, shape (n, 2, 3)
        Of holes and of facets that are wound against their neighbours, m.
    """

    name: str
    verdict: str
    read_chunks: Callable[[], Iterable[Floats]]
    facets: int
    bounds: Array
    body: MassProperties | None
    quantities: Sequence[Quantity]
    findings: Sequence[Finding]
    bad_edges: Array


def scene_of(part: Part, units: OutputUnits, look: Look) -> Scene:
    """The scene of one part; see `massprops.report.picture.scene`."""
    show, theme = look.show, look.theme
    lines: list[Line] = []
    markers: list[Marker] = []
    legend: list[Explained] = []
    if "bounds" in show:
        lines += [Line(edge, theme.faint, 1.0, 0.35) for edge in bounds_edges(part.bounds)]
    if part.body is not None:
        legend += _numbers(part.quantities, units, look)
        if "com" in show:
            markers.append(Marker(part.body.com, theme.background))
        if "axes" in show:
            axes = axes_lines(part.body, length(part.bounds[1] - part.bounds[0]) / 2)
            lines += [Line(*of, 2.0, 0.45, f"I{i}") for i, of in enumerate(zip(axes, theme.axes, strict=True), 1)]
        for shape, width, hidden in _EQUIVALENTS:
            if shape in show and (drawn := equivalent_lines(part.body, shape, _SEGMENTS)):
                lines += [Line(points, theme.equivalent, width, hidden) for points in drawn]
                legend.append(Explained(f"{shape} of equal inertia", theme.equivalent, "─"))
    if "defects" in show:
        lines += [Line(edge, theme.defect, 2.4, 0.7) for edge in part.bad_edges[:_MOST_EDGES]]
        _show_findings(part.findings, theme, markers, legend)
    solid = Solid(part.read_chunks, part.facets)
    return Scene(f"{plain(part.name)}: {plain(part.verdict)}", part.bounds, [solid], units, lines, markers, legend)


def _numbers(quantities: Sequence[Quantity], units: OutputUnits, look: Look) -> list[Explained]:
    legend = []
    for q in quantities:
        name, unit, numbers = q.name.strip().lower(), units.label(q.dimension), q.numbers(units)
        if q is quantities[0]:
            legend.append(Explained(f"{name} {numbers[0]} {unit}  {q.errors(units)}"))
        elif name == "centre of mass" and "com" in look.show:
            legend.append(Explained(f"{name} ({', '.join(numbers)}) {unit}  {q.errors(units)}"))
        elif name == "principal moments" and "axes" in look.show:
            legend += [
                Explained(f"I{i} = {number} {unit}  {q.errors(units, i - 1)}", colour, "─")
                for i, (number, colour) in enumerate(zip(numbers, look.theme.axes, strict=True), 1)
            ]
    return legend


def _show_findings(findings: Sequence[Finding], theme: Theme, markers: list[Marker], legend: list[Explained]) -> None:
    number = 0
    for f in [f for f in findings if f.severity != "info"][:_MOST_FINDINGS]:
        sign = "■"
        if isinstance(f.where, tuple) and len(f.where) == 3:
            number += 1
            sign = str(number)
            markers.append(Marker(np.array(f.where), theme.defect, 9.0, sign))
        legend.append(Explained(f"{plain(f.code)}: {plain(f.message)}", theme.defect, sign))
