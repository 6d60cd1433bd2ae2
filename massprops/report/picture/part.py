"""What a picture shows of a part: its surface, box, centre of mass, principal axes, equivalent solid, and every defect with a place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from massprops.findings import Finding
from massprops.formats.escaping import plain
from massprops.measurement.output_units import OutputUnits, rounded
from massprops.moments.arrays import Array, Floats, product
from massprops.report.picture.raster import Colour
from massprops.report.picture.scene import Line, Marker, Scene, Solid, Theme
from massprops.rigid_body.mass_properties import MassProperties
from massprops.units import Dimension

Shown = Literal["axes", "ellipsoid", "box", "com", "defects", "bounds"]

#: Edges of a box between its corners, as numbers of three bits.
_EDGES = tuple((i, i | 1 << k) for k in range(3) for i in range(8) if not i & 1 << k)
#: Bad edges that are drawn, and findings that are numbered.
_MOST_EDGES, _MOST_FINDINGS = 5_000, 12
#: Segments of a circle.
_SEGMENTS = 96


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
    dimension : (int, int)
        Powers of mass and length of its moments.
    off : ndarray, shape (3,)
        How far the centre of mass can be off, m.
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
    dimension: Dimension
    off: Array
    findings: Sequence[Finding]
    bad_edges: Array


def scene_of(part: Part, show: Sequence[Shown], units: OutputUnits, theme: Theme) -> Scene:
    """The scene of one part; see `massprops.report.picture.scene`."""
    lines: list[Line] = []
    markers: list[Marker] = []
    legend: list[tuple[str, Colour | None]] = []
    if "bounds" in show:
        lines += _box_lines(_corners(part.bounds[1] - part.bounds[0]) + part.bounds.mean(axis=0), theme.faint, 1.0)
    if part.body is not None:
        _show_body(part, part.body, show, units, theme, lines, markers, legend)
    if "defects" in show:
        lines += [Line(edge, theme.defect, 2.4, 0.7) for edge in part.bad_edges[:_MOST_EDGES]]
        _show_findings(part.findings, theme, markers, legend)
    solid = Solid(part.read_chunks, part.facets)
    return Scene(f"{plain(part.name)}: {plain(part.verdict)}", part.bounds, [solid], units, lines, markers, legend)


def _show_body(
    part: Part,
    body: MassProperties,
    show: Sequence[Shown],
    units: OutputUnits,
    theme: Theme,
    lines: list[Line],
    markers: list[Marker],
    legend: list[tuple[str, Colour | None]],
) -> None:
    powers = part.dimension[0], part.dimension[1] - 2
    measure = {(1, 0): "mass", (0, 3): "volume", (0, 2): "area"}[powers]
    legend.append((f"{measure} {rounded(units.of(body.mass, powers), digits=5)} {units.label(powers)}", None))
    reach = 0.6 * float(np.linalg.norm(part.bounds[1] - part.bounds[0])) / 2
    principal = body.principal()
    if "com" in show:
        place = ", ".join(
            rounded(units.of(x, (0, 1)), units.of(off, (0, 1)), 5)
            for x, off in zip(body.com.tolist(), part.off.tolist(), strict=True)
        )
        markers.append(Marker(body.com, theme.background))
        legend.append((f"centre of mass ({place}) {units.length}", None))
    if "axes" in show:
        unit = units.label(part.dimension)
        for i, (moment, axis, colour) in enumerate(
            zip(principal.moments.tolist(), principal.axes, theme.axes, strict=True), 1
        ):
            lines.append(Line(body.com + reach * np.outer([-1.0, 1.0], axis), colour, 2.0, 0.45, f"I{i}"))
            legend.append((f"I{i} = {rounded(units.of(moment, part.dimension), digits=5)} {unit}", colour))
    if not body.consistency().ok:
        return
    if "box" in show:
        box = body.equivalent_box()
        corners = product(_corners(box.edges), box.pose.rotation.T) + box.pose.translation
        lines += _box_lines(corners, theme.equivalent, 1.6)
        legend.append(("box of equal inertia", theme.equivalent))
    if "ellipsoid" in show:
        ellipsoid = body.equivalent_ellipsoid()
        angle = np.linspace(0.0, 2 * np.pi, _SEGMENTS + 1)
        for k in range(3):
            circle = np.zeros((len(angle), 3))
            circle[:, (k + 1) % 3], circle[:, (k + 2) % 3] = np.cos(angle), np.sin(angle)
            points = product(circle * ellipsoid.semi_axes, ellipsoid.pose.rotation.T) + ellipsoid.pose.translation
            lines.append(Line(points, theme.equivalent, 1.4, 0.6))
        legend.append(("ellipsoid of equal inertia", theme.equivalent))


def _show_findings(
    findings: Sequence[Finding], theme: Theme, markers: list[Marker], legend: list[tuple[str, Colour | None]]
) -> None:
    number = 0
    for f in [f for f in findings if f.severity != "info"][:_MOST_FINDINGS]:
        mark = ""
        if isinstance(f.where, tuple) and len(f.where) == 3:
            number += 1
            mark = f"{number} "
            markers.append(Marker(np.array(f.where), theme.defect, 9.0, str(number)))
        legend.append((f"{mark}{plain(f.code)}: {plain(f.message)}", theme.defect))


def _corners(edges: Array) -> Array:
    """The corners of a box about its middle, shape (8, 3), in the order that `_EDGES` counts them."""
    return np.array([[(i >> k & 1) - 0.5 for k in range(3)] for i in range(8)]) * edges


def _box_lines(corners: Array, colour: Colour, width: float) -> list[Line]:
    return [Line(corners[[i, j]], colour, width, 0.35) for i, j in _EDGES]
