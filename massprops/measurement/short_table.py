"""Quantities with their errors as people read them; a measurement in a line, and in a table of a few lines, for Python and notebooks."""

from __future__ import annotations

from collections.abc import Sequence

from massprops.findings import Finding
from massprops.formats.escaping import plain
from massprops.measurement.output_units import OutputUnits, rounded
from massprops.units import Dimension
from massprops.values import dataclass

#: A number that is smaller than this share of the largest one of its quantity is rounding: it is shown as 0.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Quantity:
    """A quantity in SI, before it is converted and laid out.

    Attributes
    ----------
    name : str
    dimension : (int, int)
        Powers of mass and length.
    values : sequence of float
        One number or several.
    off, sigma : sequence of float or None
        A bound on the error of each number, and its standard deviation.
    names : sequence of str
        Of the numbers, where there are several.
    change : (float, float) or None
        Of one number: the least and the most that the true one is above it, where that is less than ± its bound.
    scale : float
        The size that the rounding of small numbers comes from, where it is more than the largest of them.
    is_below : bool
        Whether it stands below another one, in the same unit and named by it.
    note : str
        What follows the name in a title: axes and signs.
    """

    name: str
    dimension: Dimension
    values: Sequence[float]
    off: Sequence[float] | None = None
    sigma: Sequence[float] | None = None
    names: Sequence[str] = ("x", "y", "z")
    change: tuple[float, float] | None = None
    scale: float = 0.0
    is_below: bool = False
    note: str = ""

    def title(self, units: OutputUnits) -> str:
        """``Mass [g]``."""
        unit = "" if self.is_below else units.label(self.dimension)
        return f"{self.name}{self.note} [{unit}]" if unit else f"{self.name}{self.note}"

    def numbers(self, units: OutputUnits) -> list[str]:
        """Each number with the digits that its bound supports; 0 where it is below that, or rounding."""
        least = ROUNDING * max(self.scale, *map(abs, self.values))
        offs = self.off or [0.0] * len(self.values)
        return [
            "0" if abs(v) < max(d, least) else units.number(units.of(v, self.dimension), units.of(d, self.dimension))
            for v, d in zip(self.values, offs, strict=True)
        ]

    def entries(self, units: OutputUnits) -> list[tuple[str, str]]:
        """The numbers with their names; one alone needs none."""
        numbers = self.numbers(units)
        return list(zip(self.names[: len(numbers)] if len(numbers) > 1 else [""], numbers, strict=True))

    def errors(self, units: OutputUnits, entry: int | None = None) -> str:
        """``± 0.049``, ``−3 +0.5``, ``σ 0.02``: of a number, by default the largest of all; empty where nothing is known."""
        if self.change is not None and -self.change[0] != self.change[1]:
            less, more = (self._error(units, abs(d)) for d in self.change)
            return f"−{less} +{more}"
        kinds = [(sign, sizes) for sign, sizes in (("±", self.off), ("σ", self.sigma)) if sizes is not None]
        return " ".join(f"{s} {self._error(units, max(d) if entry is None else d[entry])}" for s, d in kinds)

    def _error(self, units: OutputUnits, size: float) -> str:
        return rounded(units.of(size, self.dimension), digits=2)


@dataclass(frozen=True)
class ShortTable:
    """What is shown of a measurement; the texts of a file in it are foreign."""

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
        return "\n".join([*lines, *(f"{f.severity} {plain(f.code)}: {plain(f.message)}" for f in self.findings)])

    def html(self) -> str:
        """The same as a table for notebooks."""
        from html import escape  # 2 ms of start-up that only notebooks need

        body = "".join(
            f'<tr><th style="text-align:left">{escape(self._title(q))}</th>'
            f"<td>{escape(' '.join(q.numbers(self.units)))}</td><td>{escape(q.errors(self.units))}</td></tr>"
            for q in self.quantities
        )
        found = "".join(
            f"<li>{f.severity} {escape(plain(f.code))}: {escape(plain(f.message))}</li>" for f in self.findings
        )
        caption = f"{escape(plain(self.name))}: {escape(self.method)}, {escape(self.grade)}"
        return f"<table><caption>{caption}</caption>{body}</table>" + (f"<ul>{found}</ul>" if found else "")

    def _title(self, q: Quantity) -> str:
        axes = " " + " ".join("xyz"[: len(q.values)]) if q.dimension == (0, 1) else ""
        return f"{q.name}{axes} [{self.units.label(q.dimension)}]"
