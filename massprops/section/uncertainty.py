"""How far a section and the solid above it can be off, from named sources: see `massprops.moments.uncertainty`.

With the length P of all outlines and the farthest distance R of a point from where the sums begin, the terms of the area add up to P R / 2
at most, those of its first moments to R times and of its second moments to R² times as much; and outlines that are displaced by δ
change the area by δ P at most, to first order, and the moments likewise.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from massprops.errors import InvalidInput
from massprops.findings import Finding
from massprops.frames import Pose
from massprops.moments.integrals import Array, Moments
from massprops.moments.uncertainty import Spread, U, Uncertainty, conversion, hidden, placement
from massprops.rigid_body.mass_specification import Matter
from massprops.section.properties import Section

#: Roundings that a moment can have suffered, in units of U and of the magnitude of its terms: those of a solid, which has more factors.
_ROUNDINGS = 82
#: And a point on a curve, in units of U and of the size of coordinates: its centre, two products with a sine and a cosine, two sums.
_POINT = 16
#: Ends that were joined, or a gap that was closed: the outline may be so far from where it should be. And area that may be missing.
_GAPS, _AREAS = ("pieces-joined", "gap-closed"), ("rings-united", "quadrature")


@dataclass(frozen=True, eq=False)
class Extrusion:
    """What is measured: the section of the mass, the heaviest weight in it, whether it has curves, and its place in space.

    Attributes
    ----------
    body : Section
    weight : float
        The largest density of a part over the mean density.
    curved, centered : bool
    thickness : float or None
        None: a sheet.
    moments : Moments
        In space, before the motion.
    motion : Pose or None
    chord : float
        How far the outlines may be from the true ones, m.
    """

    body: Section
    weight: float
    curved: bool
    centered: bool
    thickness: float | None
    moments: Moments
    motion: Pose | None
    chord: float

    def uncertainties(
        self, findings: Sequence[Finding], matter: Matter, density: float | None
    ) -> dict[str, Uncertainty]:
        """By source; empty where the section is so thin that nothing is known of its area."""
        spreads = self._spreads(findings)
        if spreads is None:
            return {}
        solid, given = self.thickness is not None, matter.mass is not None

        def of(spread: Spread) -> Uncertainty:
            return Uncertainty.of(self._moved(spread), self._placed, density, solid=solid, mass_is_given=given)

        found = {name: of(spread) for name, spread in spreads.items()}
        shape = functools.reduce(operator.add, found.values())
        thick = matter.thickness_relative if solid else 0.0
        relative = (1 + matter.relative) / (1 + matter.thickness_relative) - 1
        by_matter = []
        if thick:
            by_matter.append(of(self._of_thickness(thick, functools.reduce(operator.add, spreads.values()))))
            shape += by_matter[0]
        if relative and density is not None:
            by_matter.append(Uncertainty.of_matter(relative, self._placed, density, shape))
        if by_matter:
            found["matter"] = functools.reduce(operator.add, by_matter)
        return found

    @property
    def _placed(self) -> Moments:
        return (
            self.moments if self.motion is None else self.moments.mapped(self.motion.rotation, self.motion.translation)
        )

    def _spreads(self, findings: Sequence[Finding]) -> dict[str, Spread] | None:
        b = self.body
        reach = float(np.hypot(*np.abs(b.bounds - b.moments.reference).max(axis=0)))
        point = _POINT * float(np.abs(b.bounds).max()) if self.curved else 0.0
        bounds = {"arithmetic": U * (_ROUNDINGS * reach / 2 + point)}
        gap = max((f.value or 0.0 for f in findings if f.code in _GAPS), default=0.0)
        if gap:
            bounds["resolution"] = gap
        areas = {name: self.weight * b.perimeter * distance for name, distance in bounds.items()}
        if max(areas.values()) >= b.moments.measure / 2:
            return None
        if self.chord:
            areas["chord"] = self._by_chord()
        found = {name: self._above(self._sheet(area, reach)) for name, area in areas.items()}
        found["arithmetic"] += conversion(self.moments)
        missing = sum(f.value or 0.0 for f in findings if f.code in _AREAS)
        if missing:
            flat = np.column_stack([b.bounds, np.zeros(2)])
            found["estimate"] = self._above(hidden(b.lamina(), flat, self.weight * missing))
        return found

    def _by_chord(self) -> float:
        area = self.weight * self.body.perimeter * self.chord
        if area >= self.body.moments.measure:
            raise InvalidInput(
                f"a chord tolerance of {self.chord:.3g} m along outlines of {self.body.perimeter:.3g} m leaves nothing certain of the area",
                hint="is its unit meant?",
            )
        return area

    def _sheet(self, area: float, reach: float) -> Spread:
        """Of the sheet, from a bound on its area."""
        plane = np.array([1.0, 1.0, 0.0])
        return Spread.from_moments(
            self.body.lamina(), area, area * reach * plane, area * reach**2 * np.outer(plane, plane)
        )

    def _above(self, sheet: Spread) -> Spread:
        """Of the solid above the sheet."""
        if self.thickness is None:
            return sheet
        second = sheet.second * self.thickness
        second[2, 2] = sheet.volume * self.thickness**3 / 12
        return Spread(sheet.volume * self.thickness, sheet.center, second)

    def _of_thickness(self, relative: float, of_outlines: Spread) -> Spread:
        """Of a thickness that is off, where the outlines are off too."""
        cubed = (1 + relative) ** 3 - 1
        second: Array = (np.abs(self.moments.central_second()) + of_outlines.second) * relative
        second[2, 2] *= cubed / relative
        middle = 0.0 if self.centered or self.thickness is None else relative * self.thickness / 2
        volume = relative * (self.moments.measure + of_outlines.volume)
        return Spread(volume, np.array([0.0, 0.0, middle]), second)

    def _moved(self, spread: Spread) -> Spread:
        if self.motion is None:
            return spread
        far = placement(self.moments.centroid, self.motion.translation)
        return spread.rotated(self.motion.rotation) + far
