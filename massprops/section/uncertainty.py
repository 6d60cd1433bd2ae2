"""How far a section and the solid above it can be off, from named sources: see `massprops.moments.uncertainty`.

What the rounding of the sums can do to the area, the section knows. Outlines of length P that are displaced by δ change the area by δ P
at most, to first order. With the farthest distances r of a point from where the sums begin, along x and y, first moments change by r times
and second moments by r rᵀ times as much. A ring that the format closes with a straight edge is what its format says: no error.

Tests: `tests/measurement/test_section.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from massprops.errors import InvalidInput
from massprops.findings import Finding
from massprops.frames import Pose
from massprops.moments.arrays import Array, sum_of
from massprops.moments.integrals import Moments
from massprops.moments.uncertainty import Spread, U, Uncertainty, conversion, hidden, placement
from massprops.rigid_body.mass_specification import MassSpecification
from massprops.section.properties import Section

#: Area that may be missing, by the finding whose value it is.
_AREAS = ("rings-united", "quadrature")


def plane_spreads(
    section: Section, findings: Sequence[Finding], *, weight: float = 1.0, chord: float = 0.0
) -> dict[str, Spread]:
    """Spreads of a section in its own plane, by source.

    Parameters
    ----------
    section : Section
        Weighted or not.
    findings : sequence of Finding
        Those of its outlines.
    weight : float
        The largest weight of a part in it.
    chord : float
        How far the outlines may be from the true ones, m.
    """
    m, lamina = section.moments, section.lamina()
    reach = np.append(np.abs(section.bounds - m.reference).max(axis=0), 0.0)

    def of(area: float) -> Spread:
        return Spread.from_moments(lamina, area, area * reach, area * np.outer(reach, reach))

    if section.exact is None:
        found = {"arithmetic": of(section.rounding) + section.roundings}
    else:
        once = (U * m.measure, U * np.abs(lamina.centroid), U * np.abs(lamina.central_second()))
        found = {"arithmetic": Spread(*once)}
    gap = max((f.value or 0.0 for f in findings if f.code == "pieces-joined"), default=0.0)
    for name, distance, what in (("resolution", gap, "a gap"), ("chord", chord, "a chord tolerance")):
        area = weight * section.perimeter * distance
        if area >= m.measure:
            what = f"{what} of {distance:.3g}\xa0m along outlines of {section.perimeter:.3g}\xa0m leaves nothing certain of the area"
            raise InvalidInput(what, hint="is its unit meant?")
        if area:
            found[name] = of(area)
    missing = sum(f.value or 0.0 for f in findings if f.code in _AREAS)
    if missing:
        found["estimate"] = hidden(lamina, np.column_stack([section.bounds, np.zeros(2)]), weight * missing)
    return found


@dataclass(frozen=True, eq=False)
class Extrusion:
    """Solid above a section: the section that carries the mass, its largest weight, and its place in space.

    Attributes
    ----------
    body : Section
    weight : float
        The largest density of a part over the mean density.
    centered : bool
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
    centered: bool
    thickness: float | None
    moments: Moments
    transform: Pose | None
    chord: float

    def uncertainties(
        self, findings: Sequence[Finding], mass_specification: MassSpecification, density: float | None
    ) -> dict[str, Uncertainty]:
        """Errors of the mass properties, by source."""
        plane = plane_spreads(self.body, findings, weight=self.weight, chord=self.chord)
        spreads = {name: self._above(spread) for name, spread in plane.items()}
        spreads["arithmetic"] += conversion(self.moments)
        solid, given = self.thickness is not None, mass_specification.mass is not None

        def of(spread: Spread) -> Uncertainty:
            return Uncertainty.of(self._moved(spread), self._placed, density, solid=solid, mass_is_given=given)

        found = {name: of(spread) for name, spread in spreads.items()}
        shape = sum_of(found.values())
        thick = mass_specification.thickness_relative if solid else 0.0
        relative = mass_specification.relative_bound(is_sheet=not solid)
        by_matter = []
        if thick:
            by_matter.append(self._of_thickness(thick, sum_of(spreads.values()), density, given=given))
            shape += by_matter[0]
        if relative and density is not None:
            by_matter.append(Uncertainty.of_mass_specification(relative, self._placed, density, shape))
        if by_matter:
            found["matter"] = sum_of(by_matter)
        return found

    @property
    def _placed(self) -> Moments:
        m = self.transform
        return self.moments if m is None else self.moments.mapped(m.rotation, m.translation)

    def _above(self, sheet: Spread) -> Spread:
        """Spread of the solid above the sheet."""
        if self.thickness is None:
            return sheet
        second = sheet.second * self.thickness
        second[2, 2] = sheet.volume * self.thickness**3 / 12
        return Spread(sheet.volume * self.thickness, sheet.center, second)

    def _of_thickness(self, relative: float, of_outlines: Spread, density: float | None, *, given: bool) -> Uncertainty:
        """Errors from one of the thickness t, where the outlines have errors too.

        Second moments in the plane are ∝ t, and that along z ∝ t³; of a mass that is given they do not change, and that along z is ∝ t².
        """
        second: Array = (np.abs(self.moments.central_second()) + of_outlines.second) * (0.0 if given else relative)
        along = abs(float(self.moments.central_second()[2, 2])) + (0.0 if given else float(of_outlines.second[2, 2]))
        second[2, 2] = along * ((1 + relative) ** (2 if given else 3) - 1)
        middle = 0.0 if self.centered or self.thickness is None else relative * self.thickness / 2
        volume = relative * (self.moments.measure + of_outlines.volume)
        spread = self._moved(Spread(0.0 if given else volume, np.array([0.0, 0.0, middle]), second))
        found = Uncertainty.of(spread, self._placed, density, solid=True, mass_is_given=given)
        return replace(found, volume=volume, volume_change=(-volume, volume))

    def _moved(self, spread: Spread) -> Spread:
        if self.transform is None:
            return spread
        far = placement(self.moments.centroid, self.transform.translation)
        return spread.rotated(self.transform.rotation) + far
