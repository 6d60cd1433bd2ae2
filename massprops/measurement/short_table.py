"""A measurement in a line, and in a table of a few lines: what Python and notebooks show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from massprops.findings import Finding
from massprops.formats.escaping import plain
from massprops.measurement.output_units import OutputUnits, rounded
from massprops.units import Dimension


class Known(NamedTuple):
    """A quantity in SI: its name, powers of mass and length, one number or three, and bounds on their errors where there are any."""

    name: str
    dimension: Dimension
    values: Sequence[float]
    off: Sequence[float] | None = None


@dataclass(frozen=True)
class ShortTable:
    """What is shown of a measurement; the texts of a file in it are foreign."""

    name: str
    method: str
    grade: str
    units: OutputUnits
    quantities: Sequence[Known]
    findings: Sequence[Finding]

    def line(self) -> str:
        """``bracket.stl: certified, mass 219.32 g, centre (34.846, 20.025, 5.338) mm``: the first quantity, and the centre."""
        first, centre = self.quantities[0], next(q for q in self.quantities if q.name == "centre")
        unit = self.units.label(first.dimension)
        place = ", ".join(self._numbers(centre))
        return f"{plain(self.name)}: {self.grade}, {first.name} {self._numbers(first)[0]} {unit}, centre ({place}) {self.units.length}"

    def text(self) -> str:
        """Name and verdict, a line for each quantity, and what was found."""
        lines = [f"{plain(self.name)}: {self.method}, {self.grade}"]
        for q in self.quantities:
            numbers = " ".join(f"{number:>11}" for number in self._numbers(q))
            lines.append(f"{self._label(q):<28}{numbers}{self._off(q)}")
        return "\n".join([*lines, *(f"{f.severity} {plain(f.code)}: {plain(f.message)}" for f in self.findings)])

    def html(self) -> str:
        """The same as a table for notebooks."""
        from html import escape  # 2 ms of start-up that only notebooks need

        body = "".join(
            f'<tr><th style="text-align:left">{escape(self._label(q))}</th>'
            f"<td>{escape(' '.join(self._numbers(q)))}</td><td>{escape(self._off(q))}</td></tr>"
            for q in self.quantities
        )
        found = "".join(
            f"<li>{f.severity} {escape(plain(f.code))}: {escape(plain(f.message))}</li>" for f in self.findings
        )
        caption = f"{escape(plain(self.name))}: {escape(self.method)}, {escape(self.grade)}"
        return f"<table><caption>{caption}</caption>{body}</table>" + (f"<ul>{found}</ul>" if found else "")

    def _label(self, q: Known) -> str:
        axes = " x y z" if len(q.values) == 3 and q.dimension[0] == 0 else ""
        return f"{q.name}{axes} [{self.units.label(q.dimension)}]"

    def _numbers(self, q: Known) -> list[str]:
        of = self.units.of
        offs = [None] * len(q.values) if q.off is None else [of(d, q.dimension) for d in q.off]
        return [self.units.number(of(v, q.dimension), d) for v, d in zip(q.values, offs, strict=True)]

    def _off(self, q: Known) -> str:
        return "" if q.off is None else f"  ± {rounded(self.units.of(max(q.off), q.dimension), digits=2)}"
