"""Material of a body, as far as the caller says.

Tests: `tests/rigid_body/test_hollow.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import Self

from massprops import units
from massprops.declarations import check_applicable
from massprops.errors import InvalidInput, Remedy, result_or_error
from massprops.grades import Method
from massprops.materials import Material, find
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.uncertain import ErrorKind
from massprops.values import dataclass, regex

#: What makes a tolerance a standard deviation.
_SIGMA = regex(r"\s*(sigma|σ)\s*$")


@dataclass(frozen=True)
class StatedError:
    """How far a quantity can be off, as a share of it: a bound, or one standard deviation.

    A density is the same in all bodies that state the same one: `shared`. A mass and a thickness are those of each body.
    """

    name: str
    relative: float
    kind: ErrorKind
    shared: bool


@dataclass(frozen=True)
class MassSpecification:
    """At most one of density, mass and area density; a sheet's thickness; and the errors stated for them."""

    density: float | None = None
    mass: float | None = None
    area_density: float | None = None
    thickness: float | None = None
    errors: tuple[StatedError, ...] = ()

    @classmethod
    def parse(
        cls,
        *,
        density: float | str | None = None,
        mass: float | str | None = None,
        material: str | Material | None = None,
        area_density: float | str | None = None,
        thickness: float | str | None = None,
        unit: str = "m",
    ) -> Self:
        """From the caller's values, a thickness without a unit in `unit`; InvalidInput if they contradict each other or break a rule."""
        given = {
            "density": density,
            "material": material,
            "mass": mass,
            "area_density": area_density,
            "thickness": thickness,
        }
        check_applicable({name: value for name, value in given.items() if value is not None})
        parse_thickness = partial(units.parse_length, name="thickness", must_be_positive=True, bare=unit)
        parsed = [
            _with_error("density", density, _density, "kg/m³"),
            _with_error("mass", mass, units.parse_mass),
            _with_error("area density", area_density, units.parse_area_density, "kg/m²"),
            _with_error("thickness", thickness, parse_thickness),
        ]
        (volumetric, total, areal, thick), errors = zip(*parsed, strict=True)
        return cls(
            density=find(material).density if material is not None else volumetric,
            mass=total,
            area_density=areal,
            thickness=thick,
            errors=tuple(e for e in errors if e is not None),
        )

    def relative_bound(self, *, is_sheet: bool) -> float:
        """The bound of the errors that are the same share of all moments, together; `thickness_relative` is that of the thickness."""
        errors = self.stated_errors(is_sheet=is_sheet)
        return math.prod(1 + e.relative for e in errors if e.kind == "bound") - 1

    @property
    def thickness_relative(self) -> float:
        """The bound of the thickness, as a share."""
        return sum(e.relative for e in self.errors if e.name == "thickness")

    def stated_errors(self, *, is_sheet: bool) -> tuple[StatedError, ...]:
        """The errors that are the same share of all moments of the body: that of a thickness only where it is a sheet's.

        An extrusion of known density is stretched by its thickness besides: see `massprops.section.uncertainty`.

        Raises
        ------
        InvalidInput
            If the thickness of a solid has a standard deviation: its errors are not proportional to the body.
        """
        if not is_sheet and any(e.name == "thickness (σ)" for e in self.errors):
            what = "a standard deviation of the thickness is supported only for sheets"
            raise InvalidInput(what, code="tolerance-not-propagated", hint="give a bound: 2mm +- 0.1mm")
        return tuple(e for e in self.errors if is_sheet or e.name != "thickness")

    def check_shell(self) -> None:
        """Raise InvalidInput if a density is known but the sheet's thickness is not."""
        if self.density is not None and self.thickness is None:
            what = "a sheet has a mass per area, and only a density is given"
            raise InvalidInput(what, hint=Remedy("add {}, or give {}", "thickness", "area_density"))

    def check_solid(self, *, closed: bool) -> None:
        """Raise InvalidInput if what is known is that of a sheet; a surface that is not closed could be measured as one."""
        if self.area_density is None and self.thickness is None:
            return
        sheet, known = "an area density or a thickness describes a sheet", ("density", "material", "mass")
        if closed:
            what = f"{sheet}, and the surface is closed: it is measured as a solid"
            raise InvalidInput(what, hint=Remedy("give {}, {} or {}", *known))
        hint = Remedy("give {}, {} or {}, or measure the surface itself with {}", *known, "on_open=shell")
        raise InvalidInput(f"{sheet}, and the body is measured as a solid", hint=hint)

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


def with_stated_errors(body: MassProperties, errors: Iterable[StatedError]) -> MassProperties:
    """The body with errors that are the same share of all its moments."""
    grown = 1.0
    for e in errors:  # (1 + a)(1 + b) − 1 = a + (1 + a) b
        body = body.with_relative_error(grown * e.relative, e.name, e.kind, shared=e.shared)
        grown *= 1 + e.relative if e.kind == "bound" else 1.0
    return body


def _with_error(
    what: str, value: units.Quantity | None, parse: Callable[[units.Quantity], float], unit: str | None = None
) -> tuple[float | None, StatedError | None]:
    """A quantity and its error; with a unit it is a density, which is known by its value and its error."""
    if value is None:
        return None, None
    text = _SIGMA.sub("", value) if isinstance(value, str) else value
    quantity, tolerance = units.with_tolerance(text, parse)
    if tolerance == 0.0:
        if text != value:
            raise InvalidInput(f"{what} {value!r} has no ± before sigma", hint="for example 7800 +- 50 sigma")
        return quantity, None
    name = f"{what} {quantity:.12g} ± {tolerance:.12g} {unit}" if unit else what
    kind: ErrorKind = "bound" if text == value else "sigma"
    return quantity, StatedError(
        name if kind == "bound" else f"{name} (σ)", tolerance / quantity, kind, unit is not None
    )


def _density(value: units.Quantity) -> float:
    try:
        return units.parse_density(value)
    except InvalidInput as error:
        if not isinstance(value, str) or isinstance(result_or_error(find, value), InvalidInput):
            raise
        raise InvalidInput(
            f"density {value!r} is the name of a material", hint=Remedy("give {}", f"material={value}")
        ) from error
