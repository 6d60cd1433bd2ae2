"""The scene of an assembly: its parts in colours of their own, their centres of mass, and that of the whole.

Tests: `tests/cli/test_same_numbers.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Self

import numpy as np

from massprops.errors import InvalidGeometry
from massprops.findings import Finding
from massprops.formats.escaping import plain
from massprops.formats.search_path import SearchPath
from massprops.measurement.assembly import Assembly, read_assembly
from massprops.measurement.budget import AssemblyPart
from massprops.measurement.combining import HERE, RobotPosition, join, parts_of
from massprops.measurement.output_units import OutputUnits
from massprops.measurement.shared_space import Occupant
from massprops.moments.arrays import Array
from massprops.rigid_body.line import CENTRAL, InertiaReference
from massprops.rigid_body.mass_properties import EquivalentBox
from massprops.rigid_body.shape_facets import facets_of_shape
from massprops.writers.picture.part import (
    body_marks,
    box_edges,
    explain_findings,
    number_findings,
    numbers_legend,
    reference_strokes,
)
from massprops.writers.picture.robot import mark_radius
from massprops.writers.picture.scene import PARTS, LegendEntry, Marker, Scene, Solid, Stroke, bounds_of
from massprops.writers.quantities import QuantityOptions, body_quantities

#: Parts that the legend lists, and the size of their marks beside those of the links of robots.
_MOST_PARTS, _SMALL = 12, 0.5


def read_or_refusal(path: str, search: SearchPath) -> tuple[Assembly, InvalidGeometry | None]:
    """The assembly, or the bodies of a table; if its parts share space without a statement, that counts twice, and there is the error.

    Raises
    ------
    ReadError, InvalidInput, InvalidGeometry
        As `read_assembly` does for everything else.
    """
    try:
        position = RobotPosition()
        return join([parts_of(path, lambda _: HERE, search=search, position=position)], None, position), None
    except InvalidGeometry as error:
        if not error.findings:  # of a part alone
            raise
        return read_assembly(path, search, overlap="count"), error


def assembly_scene(
    path: str, search: SearchPath, units: str | None, reference: InertiaReference = CENTRAL
) -> tuple[Scene, Sequence[Finding], InvalidGeometry | None]:
    """The scene of an assembly file, the findings about it, and the error by which it is refused, if it is."""
    whole, refused = read_or_refusal(path, search)
    chosen = suited_units(whole, refused, units)
    return scene_of_assembly(path, whole, refused, chosen, reference), _findings(whole, refused), refused


def suited_units(
    whole: Assembly, refused: InvalidGeometry | None, units: str | None, digits: int | None = None
) -> OutputUnits:
    """Units that suit the assembly, or the chosen ones."""
    mass = None if refused is not None else whole.body.properties.mass
    return OutputUnits.suited("m", mass, digits, chosen=units)


def _findings(whole: Assembly, refused: InvalidGeometry | None) -> Sequence[Finding]:
    return whole.body.all_findings if refused is None else refused.findings


def scene_of_assembly(
    path: str,
    whole: Assembly,
    refused: InvalidGeometry | None,
    units: OutputUnits,
    reference: InertiaReference = CENTRAL,
) -> Scene:
    """The scene of an assembly that was read; a refused one has no numbers. Inertia is shown about the reference, too."""
    found = _findings(whole, refused)
    names = whole.part_names
    colours = [f"part {k % len(PARTS)}" for k in range(len(whole.parts))]
    occupants = whole.occupants or [(Occupant("", part.body.properties),) for part in whole.parts]  # of a table
    drawn = [_DrawnPart.of(*each) for each in zip(whole.parts, occupants, colours, strict=True)]
    solids = [
        Solid([d.facets].copy, len(d.facets), d.colour, link=name)
        for d, name in zip(drawn, names, strict=True)
        if len(d.facets)
    ]
    total = None if refused is not None else whole.body.properties
    bounds = bounds_of(chunk for s in solids for chunk in s.placed_chunks()) if solids else _point(whole)
    strokes, markers = body_marks(total, bounds)
    strokes = [s for s in strokes if s.layer != "bounds"] + [s for d in drawn for s in d.strokes]
    heaviest = max(abs(part.body.properties.mass) for part in whole.parts)
    for part, name in zip(whole.parts, names, strict=True):
        p = part.body.properties
        if total is not None and p.mass > 0:
            markers.insert(0, Marker(p.com, "com", _SMALL * mark_radius(p.mass / heaviest), name=name))
    markers += number_findings(found)
    legend: list[LegendEntry] = []
    if total is not None:
        strokes += reference_strokes(reference, bounds)
        options = QuantityOptions(units, reference.about, line=reference.line)
        legend += numbers_legend(list(body_quantities(total, options)), units)
    legend += _parts_legend(whole, names, drawn, units, with_masses=total is not None)
    legend += list(explain_findings(found, units))
    verdict = f"refused: {refused.code}" if refused is not None else f"{len(whole.parts)} parts"
    return Scene(f"{plain(PurePath(path).name)}: {verdict}", bounds, solids, units, strokes, markers, legend)


def _point(whole: Assembly) -> Array:
    points = np.array([part.body.properties.com for part in whole.parts])
    return np.array([points.min(axis=0), points.max(axis=0)])


@dataclass(frozen=True, eq=False)
class _DrawnPart:
    """Drawing of all copies of a part: triangles, shape (n, 3, 3), m, and lines; and in words what these are, if not its surface."""

    colour: str
    facets: Array
    strokes: Sequence[Stroke] = ()
    how: str = ""

    @classmethod
    def of(cls, part: AssemblyPart, occupants: Sequence[Occupant], colour: str) -> Self:
        """The surfaces of the copies, or of boxes of equal inertia, of which the thin ones are lines."""
        nothing = np.empty((0, 3, 3))
        if part.body.properties.mass < 0:
            return cls(colour, nothing, how="a hole, not drawn")
        known = [o for o in occupants if not o.is_hole]
        boxes = [o.body.equivalent_box() for o in known if o.space is None and o.body.consistency().ok]
        boxes = [box for box in boxes if box.edges.any()]
        found = [o.space.inside for o in known if o.space is not None] + [_facets_of(box) for box in boxes]
        lines = [edge for box in boxes if not box.edges.all() for edge in box_edges(box)]
        how = "" if all(o.space is not None for o in known) else "a point" if not found else "as a box of equal inertia"
        return cls(colour, np.concatenate([nothing, *found]), [Stroke(edge, "com", colour) for edge in lines], how)


def _facets_of(box: EquivalentBox) -> Array:
    facets = facets_of_shape("box", dict(zip("xyz", box.edges.tolist(), strict=True)))
    assert facets is not None  # noqa: S101  # a box has sides
    return box.pose.apply(facets)


def _parts_legend(
    whole: Assembly,
    names: Sequence[str],
    drawn: Sequence[_DrawnPart],
    units: OutputUnits,
    *,
    with_masses: bool,
) -> list[LegendEntry]:
    """The parts with their colours, their copies and what all of these weigh."""
    found = []
    for part, name, d in zip(whole.parts, names, drawn, strict=True):
        mass = units.number(units.of(part.body.properties.mass, (1, 0)))
        words = [f"{part.count} × {plain(name)}" if part.count > 1 else plain(name)]
        words += [f"{mass} {units.mass}"] if with_masses else []
        found.append(LegendEntry(", ".join([*words, *([d.how] if d.how else [])]), "■", d.colour))
    more = len(found) - _MOST_PARTS
    return found if more <= 1 else [*found[:_MOST_PARTS], LegendEntry(f"and {more} more parts")]
