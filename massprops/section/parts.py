"""The parts of a section, as they are assembled from files or layers, and the settings of assembling one.

Tests: `tests/measurement/test_section.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from massprops.errors import InvalidGeometry, Remedy
from massprops.findings import Finding
from massprops.grades import Grade
from massprops.moments.integrals import Array
from massprops.section.outline import Outline
from massprops.section.properties import Section
from massprops.section.topology import Rule


@dataclass(frozen=True, eq=False)
class Assembled:
    """A section in the units and axes of the file, the outlines that bound it, and what had to be said about it."""

    section: Section
    outlines: tuple[Outline, ...]
    grade: Grade
    findings: tuple[Finding, ...]


@dataclass(frozen=True, eq=False)
class Part:
    """One part of a section, by name, in metres, with its own length unit in metres."""

    name: str
    assembled: Assembled
    unit: Fraction

    @property
    def scale(self) -> float:
        """The length unit, rounded."""
        return float(self.unit)

    @property
    def section(self) -> Section:
        """In metres."""
        return self.assembled.section.scaled(self.unit)


@dataclass(frozen=True)
class Drawing:
    """Settings for assembling the rings of one file: its name and unit for messages, the rule for insides, and the gap between ends.

    Attributes
    ----------
    name : str
    scale : float
        The length unit of the file in metres.
    size : float
        The longest side of the drawing's bounds, in units of the file.
    rule : {"evenodd", "nonzero", "orientation"}
    gap : float or None
        In units of the file.
    exact : bool
        Whether the integrals are summed as fractions.
    wall : float
        Thickness of the walls whose centre lines all rings are, in units of the file; 0: rings are outlines.
    """

    name: str
    scale: float
    size: float
    rule: Rule
    gap: float | None = None
    exact: bool = False
    wall: float = 0.0

    def at(self, point: Sequence[float] | Array) -> tuple[float, ...]:
        """A point in metres."""
        return tuple(float(x) * self.scale for x in point)

    def point_text(self, point: Sequence[float] | Array) -> str:
        """A point in metres, as messages show it."""
        return "(" + ", ".join(f"{x:.6g}" for x in self.at(point)) + ")\xa0m"

    def refusal(
        self, code: str, message: str, hint: str | Remedy, where: Sequence[float] | Array | None = None
    ) -> InvalidGeometry:
        """The error that says that there is no section."""
        finding = Finding(code, "error", message, where=None if where is None else self.at(where))
        return InvalidGeometry(f"{code}: {message}", place=self.name, code=code, hint=hint, findings=[finding])
