"""The quantities of results, each stated once: its place in the JSON result, its title, dimension and numbers, and the place of its ±."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

from massprops.measurement.output_units import DIGITS, OutputUnits, bound_text, last_place, number_text
from massprops.units import Dimension
from massprops.values import dataclass

if TYPE_CHECKING:
    from massprops.rigid_body.mass_properties import MassProperties

#: A number that is smaller than this share of the largest one of its quantity is rounding: it is shown as 0.
ROUNDING = 1e-12

#: Bounds of a smaller share of the largest number are those of rounding and resolution: what is below them is noise.
_SMALL = 1e-4


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
        """Each number with the digits that its bound supports, at least two; 0 where it is rounding, or below a bound that is."""
        largest = max(self.scale, *map(abs, self.values))
        offs = self.off or [0.0] * len(self.values)
        nothing = [max(ROUNDING * largest, d if d < _SMALL * largest else 0.0) for d in offs]
        return [
            "0" if abs(v) < least else units.number(units.of(v, self.dimension), units.of(d, self.dimension))
            for v, d, least in zip(self.values, offs, nothing, strict=True)
        ]

    def entries(self, units: OutputUnits) -> list[tuple[str, str]]:
        """The numbers with their names; one alone needs none."""
        numbers = self.numbers(units)
        return list(zip(self.names[: len(numbers)] if len(numbers) > 1 else [""], numbers, strict=True))

    def errors(self, units: OutputUnits, entry: int | None = None, *, everything: bool = False) -> str:
        """``± 0.049``, ``−3 +0.5``, ``σ 0.02``: of a number, by default the largest of all.

        Bounds are those of the numbers as they are shown: what rounding took from these is added, and bounds are rounded up.
        Empty where nothing is known, and where it reaches no digit that is shown of any number, unless `everything` is asked for.
        """
        if not (is_seen := self.is_uncertain(units)) and not everything:
            return ""
        lost = [
            units.of(v, self.dimension) - float(n) if is_seen else 0.0
            for v, n in zip(self.values, self.numbers(units), strict=True)
        ]
        if self.change is not None and -self.change[0] != self.change[1]:
            less, more = (
                max(s * (units.of(d, self.dimension) + lost[0]), 0.0) for s, d in zip((-1, 1), self.change, strict=True)
            )
            return f"−{bound_text(less)} +{bound_text(more)}"
        said = []
        if self.off is not None:
            bounds = [units.of(d, self.dimension) + abs(x) for d, x in zip(self.off, lost, strict=True)]
            said.append(f"± {bound_text(max(bounds) if entry is None else bounds[entry])}")
        if self.sigma is not None:
            sigma = max(self.sigma) if entry is None else self.sigma[entry]
            said.append(f"σ {number_text(units.of(sigma, self.dimension), digits=2)}")
        return " ".join(said)

    def is_uncertain(self, units: OutputUnits) -> bool:
        """Whether an error reaches the last digit that is shown of a number: half of it, or more."""
        largest = max(self.scale, *map(abs, self.values))
        for sizes in (self.off, self.sigma):
            for value, size in zip(self.values, sizes or (), strict=False):
                shown = units.of(abs(value) if abs(value) > ROUNDING * largest else largest, self.dimension)
                if units.of(size, self.dimension) >= 0.5 * last_place(shown, units.digits or DIGITS):
                    return True
        return False


#: Names and indices on the way to a value in the JSON result.
Keys = tuple[str | int, ...]
#: Names of numbers, and the place of each below the path of its quantity.
Components = Mapping[str, Keys]

_ONE: Components = {"": ()}
_XY: Components = {"x": (0,), "y": (1,)}
_XYZ: Components = {**_XY, "z": (2,)}
_123: Components = {"1": (0,), "2": (1,), "3": (2,)}
_TENSOR: Components = {a + b: (*i, *j) for a, i in _XYZ.items() for b, j in _XYZ.items() if a <= b}
_AXES: Components = {f"{n}_{a}": (*i, *j) for n, i in _123.items() for a, j in _XYZ.items()}


def _named(names: str) -> Components:
    return {name: (name,) for name in names.split()}


def value_at(value: Any, keys: Iterable[str | int]) -> Any:
    """The value at the end of these keys in a JSON value; None where it is null or left out on the way."""
    for key in keys:
        if value is None:
            return None
        value = value.get(key) if isinstance(value, dict) else value[key]
    return value


@dataclass(frozen=True)
class QuantityDefinition:
    """A quantity of results.

    Attributes
    ----------
    path : str
        Its place in the JSON result: ``mass``, ``section.plastic.modulus``.
    title : str
        Its name in tables for people.
    dimension : (int, int)
        Powers of mass and length.
    components : mapping of str to keys
        Its numbers: ``{"x": (0,), …}``; ``{"": ()}`` of a single one.
    names : str
        The names of its numbers in tables for people, where they are others.
    error : str
        The place of its ±: numbers with the same components, or one number for all; empty where it has none.
    is_detail : bool
        Whether only detailed tables have it.
    """

    path: str
    title: str
    dimension: Dimension
    components: Components = field(default_factory=lambda: _ONE)
    names: str = ""
    error: str = ""
    is_detail: bool = False

    @property
    def unit(self) -> str:
        """The symbol of its SI unit: ``kg m²``."""
        return OutputUnits().label(self.dimension)

    @property
    def keys(self) -> dict[str, Keys]:
        """The place of each number in the JSON result, by the name of the number."""
        return {name: (*self.path.split("."), *keys) for name, keys in self.components.items()}

    def read(self, result: Mapping[str, Any], **changes: Any) -> Quantity | None:
        """The quantity of a JSON result, but for the `changes`; None where it has none."""
        numbers, names = self.numbers(result), self.names.split() or list(self.components)
        if numbers is None:
            return None
        return replace(Quantity(self.title, self.dimension, numbers, self.errors(result), names=names), **changes)

    def numbers(self, result: Mapping[str, Any]) -> list[float] | None:
        """The numbers in a JSON result; None if one is null or left out."""
        found = [value_at(result, keys) for keys in self.keys.values()]
        return None if None in found else found

    def errors(self, result: Mapping[str, Any]) -> list[float] | None:
        """The ± of each number in a JSON result; None if one is null or left out."""
        value = value_at(result, self.error.split("."))
        several = isinstance(value, dict | list)
        found = [value_at(value, keys) if several else value for keys in self.components.values()]
        return None if None in found else found


def _in_section(
    path: str, title: str, dimension: Dimension, components: Components = _ONE, names: str = "", is_detail: bool = False
) -> QuantityDefinition:
    """Definition of a quantity below `section`, whose ± is in `section.uncertainty`."""
    error = f"section.uncertainty.{path.replace('principal.', 'principal_')}"
    return QuantityDefinition(f"section.{path}", title, dimension, components, names, error, is_detail)


_SOLID = (
    QuantityDefinition("mass", "Mass", (1, 0), error="uncertainty.mass"),
    QuantityDefinition("density", "Density", (1, -3)),
    QuantityDefinition("volume", "Volume", (0, 3), error="uncertainty.volume"),
    QuantityDefinition("area", "Surface area", (0, 2)),
    QuantityDefinition("center_of_mass", "Centre of mass", (0, 1), _XYZ, error="uncertainty.center_of_mass"),
    QuantityDefinition("bounds.min", "Bounds, min", (0, 1), _XYZ, is_detail=True),
    QuantityDefinition("bounds.max", "Bounds, max", (0, 1), _XYZ, is_detail=True),
    QuantityDefinition("inertia.tensor", "Inertia", (1, 2), _TENSOR, error="uncertainty.inertia"),
    QuantityDefinition("principal.moments", "Principal moments", (1, 2), _123, "I1 I2 I3"),
    QuantityDefinition("principal.axes", "Principal axes", (0, 0), _AXES, is_detail=True),
    QuantityDefinition("radii_of_gyration", "Radii of gyration", (0, 1), _XYZ, "kx ky kz", is_detail=True),
    QuantityDefinition("inertia.about_axis.moment", "Inertia about a line", (1, 2)),
    QuantityDefinition("inertia.about_axis.radius_of_gyration", "k = √(I/m)", (0, 1)),
    QuantityDefinition("perimeter", "Perimeter", (0, 1), error="section.uncertainty.perimeter"),
    QuantityDefinition("centroid", "Centroid", (0, 1), _XY, error="section.uncertainty.centroid"),
)
_SECOND = _named("Ixx Iyy Ixy")
#: The quantities of a section in the order of tables; some have a row for two of their components.
SECTION = (
    _in_section("area", "Area", (0, 2)),
    _in_section("weighted_area", "Weighted area", (0, 2)),
    _in_section("perimeter", "Perimeter", (0, 1)),
    _in_section("centroid", "Centroid", (0, 1), _XY),
    _in_section("about_centroid", "Second moments about the centroid", (0, 4), _SECOND),
    _in_section("about_origin", "Second moments about the origin", (0, 4), _SECOND),
    _in_section("about", "Second moments about", (0, 4), _SECOND),
    _in_section("polar", "Polar moment", (0, 4)),
    _in_section("principal.moments", "Principal I", (0, 4), _XY, "I1 I2"),
    _in_section("principal.angle", "Angle of axis 1", (0, 0)),
    _in_section("radii_of_gyration", "Radii of gyration", (0, 1), _XY, "rx ry"),
    _in_section("moduli", "W top, bottom", (0, 3), _named("x_plus x_minus"), "Wx+ Wx-"),
    _in_section("moduli", "W right, left", (0, 3), _named("y_plus y_minus"), "Wy+ Wy-"),
    _in_section("moduli", "W of axis 1", (0, 3), _named("1_plus 1_minus"), "W1+ W1-", is_detail=True),
    _in_section("moduli", "W of axis 2", (0, 3), _named("2_plus 2_minus"), "W2+ W2-", is_detail=True),
    _in_section("plastic.modulus", "Plastic W", (0, 3), _named("x y"), "Wx Wy"),
    _in_section("plastic.modulus", "Plastic W of 1, 2", (0, 3), _named("1 2"), "W1 W2", is_detail=True),
    # the axis parallel to x is at a y
    _in_section("plastic.neutral_axes", "Plastic axes at", (0, 1), _named("x y"), "y x", is_detail=True),
    _in_section("plastic.neutral_axes", "  from the centroid", (0, 1), _named("1 2"), is_detail=True),
    _in_section("plastic.shape_factors", "Shape factors", (0, 0), _named("x y"), is_detail=True),
    _in_section("plastic.shape_factors", "Shape factors of 1, 2", (0, 0), _named("1 2"), is_detail=True),
    _in_section("statical_moments", "Statical moments", (0, 3), _named("x y 1 2"), "Sx Sy S1 S2", is_detail=True),
    _in_section("torsion.constant", "Torsion J", (0, 4)),
    _in_section("torsion.warping_constant", "Warping constant", (0, 6)),
    _in_section("torsion.shear_center", "Shear centre", (0, 1), _XY),
)
#: All quantities by their place in the JSON result; of several rows of a section, the first.
QUANTITIES = {q.path: q for q in (*reversed(SECTION), *_SOLID)}


def centre(body: MassProperties, name: str = "Centre of mass") -> Quantity:
    """The centre of mass; what is small beside the body is rounding."""
    radii = body.radii_of_gyration
    return Quantity(name, (0, 1), body.com.tolist(), scale=0.0 if radii is None else float(radii.max()))
