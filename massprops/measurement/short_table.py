"""A measurement in a line, and in a table of a few lines, for Python and notebooks."""

from __future__ import annotations

from collections.abc import Sequence

from massprops.findings import Finding
from massprops.formats.escaping import html_table, plain
from massprops.measurement.output_units import OutputUnits
from massprops.measurement.quantities import Quantity
from massprops.values import dataclass

#: Quantities of the short table by their place in the JSON result, and their names there.
NAMES = {
    "mass": "mass",
    "volume": "volume",
    "area": "area",
    "center_of_mass": "centre",
    "section.about_centroid": "Ixx Iyy Ixy",
    "principal.moments": "principal moments",
}


@dataclass(frozen=True)
class ShortTable:
    """Name, verdict, numbers and findings of a measurement; texts from its file are escaped where they are printed."""

    name: str
    method: str
    grade: str
    units: OutputUnits
    quantities: Sequence[Quantity]
    findings: Sequence[Finding]

    def line(self) -> str:
        """``bracket.stl: certified, mass 219.32 g, centre (34.846, 20.025, 5.338) mm``: the first quantity, and the centre."""
        first, centre = self.quantities[0], next(q for q in self.quantities if q.name == "centre")
        unit = self.units.label(first.dimension)
        place = ", ".join(centre.numbers(self.units))
        return (
            f"{plain(self.name)}: {self.grade}, {first.name} {first.numbers(self.units)[0]} {unit}, "
            f"centre ({place}) {self.units.length}"
        )

    def text(self) -> str:
        """Name and verdict, a line for each quantity, and what was found."""
        lines = [f"{plain(self.name)}: {self.method}, {self.grade}"]
        for q in self.quantities:
            numbers = " ".join(f"{number:>11}" for number in q.numbers(self.units))
            lines.append(f"{self._title(q):<28}{numbers}  {q.errors(self.units)}".rstrip())
        return "\n".join(
            [*lines, *(f"{f.severity} {plain(f.code)}: {plain(self.units.sentence(f.marked))}" for f in self.findings)]
        )

    def html(self) -> str:
        """An HTML table of `text`, for notebooks."""
        rows = [(self._title(q), " ".join(q.numbers(self.units)), q.errors(self.units)) for q in self.quantities]
        table = html_table(f"{self.name}: {self.method}, {self.grade}", rows)
        found = html_table(
            "Findings", [(f"{f.severity} {f.code}", self.units.sentence(f.marked)) for f in self.findings]
        )
        return table + found if self.findings else table

    def _title(self, q: Quantity) -> str:
        axes = " " + " ".join("xyz"[: len(q.values)]) if q.dimension == (0, 1) else ""
        return f"{q.name}{axes} [{self.units.label(q.dimension)}]"
