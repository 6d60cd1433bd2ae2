"""The parts of a section: what was assembled from one file or layer, and its name and scale."""

from __future__ import annotations

from dataclasses import dataclass

from massprops.findings import Finding
from massprops.grades import Grade
from massprops.section.outline import Outline
from massprops.section.properties import Section


@dataclass(frozen=True, eq=False)
class Assembled:
    """A section in the units and axes of the file, the outlines that bound it, and what had to be said about it."""

    section: Section
    outlines: tuple[Outline, ...]
    grade: Grade
    findings: tuple[Finding, ...]


@dataclass(frozen=True, eq=False)
class Part:
    """One part of a section, by name, in metres, with its own unit scale."""

    name: str
    assembled: Assembled
    scale: float

    @property
    def section(self) -> Section:
        """In metres."""
        return self.assembled.section.scaled(self.scale)
