"""The scene of a part: its surface, box, centre of mass, principal axes, equivalent solids, and every defect with a place.

Tests: `tests/writers/test_picture.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np

from massprops.errors import InvalidGeometry
from massprops.findings import Finding
from massprops.formats.escaping import plain
from massprops.frames import Pose
from massprops.measurement.output_units import OutputUnits
from massprops.measurement.quantities import Quantity
from massprops.measurement.result import Measurement
from massprops.moments.arrays import Array, length, product
from massprops.rigid_body.line import CENTRAL, InertiaReference
from massprops.rigid_body.mass_properties import EquivalentBox, MassProperties
from massprops.writers.picture.scene import AXES, CENTRE, LegendEntry, Marker, Scene, Solid, Stroke
from massprops.writers.quantities import QuantityOptions, measured_quantities

#: Bad edges in a scene, and findings in its legend.
_MOST_EDGES, _MOST_FINDINGS = 5_000, 12
#: Segments of a circle.
_SEGMENTS = 96
#: Half the length of principal axes, as a share of half the diagonal of the bounds; arms of the cross at a point, of the diagonal.
_REACH, _ARM = 0.6, 0.05
_EQUIVALENTS: tuple[Literal["box", "ellipsoid"], ...] = ("box", "ellipsoid")


def part_scene(
    name: str,
    found: Measurement | InvalidGeometry,
    solid: Solid,
    bad_edges: Array,
    units: OutputUnits,
    pose: Pose | None = None,
    reference: InertiaReference = CENTRAL,
) -> Scene:
    """The scene of a part.

    Parameters
    ----------
    name : str
        Its file.
    found : Measurement or InvalidGeometry
        Its numbers, or why there are none. Without a density, the body has unit density.
    solid : Solid
        Its surface.
    bad_edges : ndarray, shape (n, 2, 3)
        Edges of holes and of facets that are wound against their neighbours, m.
    units : OutputUnits
        Units of the numbers.
    pose : Pose or None
        From the file, in whose coordinates the places of findings are, to the scene.
    reference : InertiaReference
        What inertia is shown about, too.
    """
    body = None if isinstance(found, InvalidGeometry) else found.properties or found.unit_density_properties
    strokes, markers = body_marks(body, solid.bounds)
    strokes += [Stroke(edge, "defects", "defect") for edge in bad_edges[:_MOST_EDGES]]
    legend = [] if isinstance(found, InvalidGeometry) else _numbers(found, units, reference)
    if not isinstance(found, InvalidGeometry):
        strokes += list(reference_strokes(reference, solid.bounds))
    drawn = {stroke.layer for stroke in strokes}
    legend += [
        LegendEntry(f"{shape} of equal inertia", "─", "equivalent", shape) for shape in _EQUIVALENTS if shape in drawn
    ]
    markers += number_findings(found.findings, pose)
    legend += list(explain_findings(found.findings, units))
    return Scene(f"{plain(name)}: {plain(verdict_of(found))}", solid.bounds, [solid], units, strokes, markers, legend)


def number_findings(findings: Sequence[Finding], pose: Pose | None = None) -> Iterator[Marker]:
    """Marks of the findings that have a place, with their numbers; `pose`: from their coordinates to those of the scene."""
    for number, f in enumerate(findings, 1):
        if (place := place_of(f)) is not None:
            at = np.array(place) if pose is None else pose.apply(place)
            yield Marker(at, "defects", 9.0, str(number))


def verdict_of(found: Measurement | InvalidGeometry) -> str:
    """The grade, or the code of the error."""
    return f"refused: {found.code}" if isinstance(found, InvalidGeometry) else found.grade


def place_of(finding: Finding) -> tuple[float, ...] | None:
    """The point of a finding, m; None if it has none."""
    where = finding.where
    return where if isinstance(where, tuple) and len(where) == 3 else None


def body_marks(body: MassProperties | None, bounds: Array) -> tuple[list[Stroke], list[Marker]]:
    """Lines and marks of a body: bounds, principal axes, centre of mass, and solids of equal inertia where there are any."""
    strokes = [
        Stroke(e, "bounds", "faint") for e in _box_edges(bounds.mean(axis=0), np.diag(np.ptp(bounds, axis=0)) / 2)
    ]
    if body is None:
        return strokes, []
    half = _REACH * length(bounds[1] - bounds[0]) / 2
    for name, axis in zip(AXES, body.principal().axes, strict=True):
        strokes.append(Stroke(body.com + half * np.outer([-1.0, 1.0], axis), "axes", name, name))
    for shape in _EQUIVALENTS if body.consistency().ok else ():
        strokes += [Stroke(points, shape, "equivalent") for points in equivalent_lines(body, shape)]
    return strokes, [Marker(body.com, name="centre of mass")]


def equivalent_lines(body: MassProperties, shape: Literal["box", "ellipsoid"]) -> list[Array]:
    """The edges of the box of equal inertia, or three circles of the ellipsoid."""
    if shape == "box":
        return box_edges(body.equivalent_box())
    ellipsoid = body.equivalent_ellipsoid()
    turn = np.linspace(0.0, 2 * np.pi, _SEGMENTS + 1)
    circle = np.column_stack([np.zeros_like(turn), np.cos(turn), np.sin(turn)])
    axes = ellipsoid.pose.rotation * ellipsoid.semi_axes
    return [product(np.roll(circle, k, axis=1), axes.T) + ellipsoid.pose.translation for k in range(3)]


def box_edges(box: EquivalentBox) -> list[Array]:
    """The twelve edges of a box, shape (2, 3), m."""
    return _box_edges(box.pose.translation, box.pose.rotation * box.edges / 2)


def _box_edges(center: Array, halves: Array) -> list[Array]:
    """The twelve edges, shape (2, 3), of a box whose half edges are the columns of `halves`, shape (3, 3)."""
    signs = np.array([[2.0 * (i >> k & 1) - 1.0 for k in range(3)] for i in range(8)])
    corners = center + product(signs, halves.T)
    return [corners[[i, i | 1 << k]] for k in range(3) for i in range(8) if not i & 1 << k]


def reference_strokes(reference: InertiaReference, bounds: Array) -> Iterator[Stroke]:
    """A cross at the point, and the line as far as the body reaches, that inertia is shown about."""
    size, line = length(bounds[1] - bounds[0]), reference.line
    if reference.about is not None and reference.about != "com":
        point = np.zeros(3) if isinstance(reference.about, str) else np.asarray(reference.about)
        for arm in np.eye(3) * _ARM * size:
            yield Stroke(np.array([point - arm, point + arm]), "com", "ink")
    if line is not None:
        middle = line.point + line.direction * float(np.dot(bounds.mean(axis=0) - line.point, line.direction))
        yield Stroke(middle + np.outer([-_REACH, _REACH], line.direction) * size / 2, "com", "ink", "axis")


def _numbers(m: Measurement, units: OutputUnits, reference: InertiaReference) -> list[LegendEntry]:
    options = QuantityOptions(units, reference.about, line=reference.line)
    return list(numbers_legend(list(measured_quantities(m, options)), units))


def numbers_legend(quantities: Sequence[Quantity], units: OutputUnits) -> Iterator[LegendEntry]:
    """Mass, volume or area; centre of mass; principal moments; inertia about another point and about a line."""
    for q in quantities:
        name, unit, numbers = q.name.strip().lower(), units.label(q.dimension), q.numbers(units)
        if q is quantities[0]:
            yield LegendEntry(f"{name} {numbers[0]} {unit}  {q.errors(units)}")
        elif name == "centre of mass":
            yield LegendEntry(f"{name} ({', '.join(numbers)}) {unit}  {q.errors(units)}", CENTRE, layer="com")
        elif name == "principal moments":
            for i, (axis, number) in enumerate(zip(AXES, numbers, strict=True)):
                yield LegendEntry(f"{axis} = {number} {unit}  {q.errors(units, i)}", "─", axis, "axes")
        elif " about " in name and not name.endswith("the centre of mass"):
            values = ", ".join(f"{n} = {x}" if n else x for n, x in q.entries(units))
            yield LegendEntry(f"{q.name.strip()}: {values} {unit}  {q.errors(units)}", "─", "ink", "com")


def explain_findings(findings: Sequence[Finding], units: OutputUnits) -> Iterator[LegendEntry]:
    """Errors and warnings, with the numbers of those that have a place."""
    known = [(i, f) for i, f in enumerate(findings, 1) if f.severity != "info"]
    for number, f in known[:_MOST_FINDINGS]:
        sign = "■" if place_of(f) is None else str(number)
        yield LegendEntry(f"{plain(f.code)}: {plain(units.sentence(f.marked))}", sign, "defect", "defects")
