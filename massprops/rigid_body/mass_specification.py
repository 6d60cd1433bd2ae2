"""What a body is made of, as far as the caller says."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from massprops import units
from massprops.errors import InvalidInput
from massprops.grades import Method
from massprops.materials import find


@dataclass(frozen=True)
class Matter:
    """At most one of density, mass and area density; a sheet's thickness; and by how much they can be off, relative.

    `relative` is that of all together, `thickness_relative` that of the thickness alone.
    """

    density: float | None = None
    mass: float | None = None
    area_density: float | None = None
    thickness: float | None = None
    relative: float = 0.0
    thickness_relative: float = 0.0

    @classmethod
    def parse(
        cls,
        *,
        density: float | str | None,
        mass: float | str | None,
        material: str | None,
        area_density: float | str | None,
        thickness: float | str | None,
    ) -> Self:
        """From the caller's values; raises InvalidInput if they contradict each other or break a rule."""
        given = {"density": density, "mass": mass, "material": material, "area density": area_density}
        named = [k for k, v in given.items() if v is not None]
        if len(named) > 1:
            raise InvalidInput(f"{' and '.join(named)} are mutually exclusive", hint="give one of them")
        if thickness is not None and area_density is not None:
            raise InvalidInput("area density and thickness are mutually exclusive", hint="give one of them")
        parsed = [
            _with_tolerance(density, units.parse_density),
            _with_tolerance(mass, units.parse_mass),
            _with_tolerance(area_density, units.parse_area_density),
            _with_tolerance(thickness, _parse_thickness),
        ]
        (volumetric, total, areal, thick), tolerances = zip(*parsed, strict=True)
        return cls(
            density=find(material).density if material is not None else volumetric,
            mass=total,
            area_density=areal,
            thickness=thick,
            relative=math.prod(1 + t for t in tolerances) - 1,
            thickness_relative=tolerances[3],
        )

    def check_shell(self) -> None:
        """Raise InvalidInput if a density is known but the sheet's thickness is not."""
        if self.density is not None and self.thickness is None:
            raise InvalidInput(
                "a sheet has a mass per area, and only a density is given",
                hint="add --thickness, or give --area-density",
            )

    def check_solid(self, *, closed: bool) -> None:
        """Raise InvalidInput if what is known is that of a sheet; a surface that is not closed could be measured as one."""
        if self.area_density is None and self.thickness is None:
            return
        sheet, remedy = "an area density or a thickness describes a sheet", "give --density, --material or --mass"
        if closed:
            raise InvalidInput(f"{sheet}, and the surface is closed: it is measured as a solid", hint=remedy)
        hint = f"{remedy}, or measure the surface itself with --on-open shell"
        raise InvalidInput(f"{sheet}, and the body is measured as a solid", hint=hint)

    def check_no_tolerance(self) -> None:
        """Raise InvalidInput if a tolerance is given: shapes and assemblies do not propagate it, and dropping it would be wrong."""
        if self.relative > 0:
            raise InvalidInput(
                "a tolerance (±) is not propagated through shapes and assemblies",
                code="tolerance-not-propagated",
                hint="leave the tolerance out",
            )

    def density_of(self, measure: float, method: Method) -> float | None:
        """Mass per volume of a solid or per area of a sheet that measures `measure` (m³ or m²); None where nothing is known."""
        if self.mass is not None:
            return self.mass / measure
        if method == "lamina":
            self.check_shell()
            return self.area_density
        if method == "shell" and self.thickness is not None and self.density is not None:
            return self.density * self.thickness
        return self.area_density if method == "shell" else self.density

    @property
    def is_known(self) -> bool:
        """Whether a mass will follow."""
        return any(known is not None for known in (self.density, self.mass, self.area_density))


def _with_tolerance(
    value: units.Quantity | None, parse: Callable[[units.Quantity], float]
) -> tuple[float | None, float]:
    """A quantity and its relative tolerance."""
    if value is None:
        return None, 0.0
    quantity, tolerance = units.with_tolerance(value, parse)
    return quantity, tolerance / quantity


def _parse_thickness(value: units.Quantity) -> float:
    return units.parse_length(value, name="thickness", must_be_positive=True)
