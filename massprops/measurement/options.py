"""The options of a measurement: one value from the command line, the configuration or Python to the integrals.

Tests: `tests/measurement/test_pipeline.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

from massprops import units as unit
from massprops.declarations import (
    INVALID,
    MATERIAL,
    OUTPUT,
    PLANE,
    UNITS,
    check_applicable,
    flag,
    is_given,
    option,
    option_of,
)
from massprops.errors import InvalidInput, require_count, require_type, spell, written
from massprops.findings import Finding
from massprops.frames import Pose
from massprops.grades import MeasuredAs, Repair
from massprops.materials import Material
from massprops.mesh.policies import Policies
from massprops.moments.arrays import Density
from massprops.rigid_body.as_json import Axes
from massprops.rigid_body.mass_specification import MassSpecification
from massprops.units import Quantity
from massprops.values import dataclass
from massprops.wording import did_you_mean

if TYPE_CHECKING:
    from massprops.measurement.result import Input
    from massprops.mesh.source import MeshFile
    from massprops.section.rings import PlanarSource

#: Units that shells complete.
LENGTH_UNITS = ("mm", "cm", "m", "um", "in", "ft")
Rings = Literal["evenodd", "nonzero", "orientation"]
#: Types of some options, and what messages call these.
_TYPES: dict[str, tuple[Any, str]] = {
    "format": (str, "the name of a format"),
    "layers": (list | tuple, "a list of names"),
    **dict.fromkeys(("ratios", "densities", "materials"), (Mapping, "a mapping from names")),
    **dict.fromkeys(("pose", "frame"), (Pose | str, "a massprops.Pose or a text")),
}


def material_names() -> list[str]:
    """The names that shells complete."""
    from massprops.materials import known_materials

    return [material.name for material in known_materials()]


def check_names(given: Mapping[str, Any], *others: str) -> None:
    """Raise InvalidInput for a keyword that is no option; `others` are arguments besides the options."""
    known = [f.name for f in fields(Options)] + list(others)
    for name in sorted(given.keys() - set(known)):
        raise InvalidInput(f"there is no argument {name!r}", code="unknown-argument", hint=did_you_mean(name, known))


@dataclass(frozen=True, kw_only=True, eq=False)
class Options(Policies):
    """The options of `massprops.measure`, which explains each of them; checked once, for any number of sources.

    Each is declared here alone (and its type in `massprops.measurement.arguments`, for type checkers). Its `scope` says which commands
    have it: ``file`` those that measure any files, and the configuration; ``body`` those that show bodies (compute, plot, report, diff),
    ``parts`` the same, for several parts; ``result`` only compute. An option without a scope is of Python, or commands declare it by
    themselves.

    Raises
    ------
    InvalidInput
        If they contradict each other or break a rule.
    """

    density: Quantity | Density | None = option(
        MATERIAL,
        "kg/m³, or with a unit: 7800, 7.8g/cm3; with a bound ('7800 +- 50') or a standard deviation ('7800 +- 50 sigma').",
        "--density",
        "-d",
        synonyms="rho",
        common=True,
        check=lambda value: MassSpecification.parse(density=value),
    )
    material: str | Material | None = option(
        MATERIAL,
        "A name from 'massprops materials'.",
        "--material",
        "-m",
        common=True,
        complete=material_names,
        check=lambda value: MassSpecification.parse(material=value),
    )
    mass: Quantity | None = option(
        MATERIAL, "kg, or with a unit: 1.2kg, 340g, '1.2kg +- 5%'.", scope="body", common=True, synonyms="weight"
    )
    area_density: Quantity | None = option(
        MATERIAL,
        "Mass per area of a sheet (thin shape, section, --on-open shell): kg/m², 80gsm.",
        scope="body",
        synonyms="areal-density",
    )
    thickness: Quantity | None = option(
        MATERIAL,
        "Thickness of a sheet, with a density; height of the solid above a section: 1.5mm.",
        scope="body",
        synonyms="length height depth extrude extrusion",
    )
    kind: MeasuredAs = option(
        MATERIAL,
        "Measure the solid inside a surface, the surface as a thin sheet, or a wall inside it; of a plane file, the wall along its lines. "
        "[default: solid]",
        "--as",
        default="solid",
        words=get_args(MeasuredAs),
        scope="body",
    )
    infill: Quantity | None = option(
        MATERIAL, "Wall: share of its interior that is filled: 15%.", metavar="SHARE", scope="body"
    )
    densities: Mapping[str, Quantity] | Mapping[int, Quantity] | None = option(
        MATERIAL,
        "Density of a part (object, group, node, layer, material) by its number (2), name (bolt, name:2) or pattern ('bolt*'); repeatable.",
        "--part-density",
        metavar="NAME=DENSITY",
        pairs=("NAME=DENSITY", "bolt=7800"),
        scope="parts",
    )
    materials: Mapping[str, str | Material] | Mapping[int, str | Material] | None = option(
        MATERIAL,
        "The same by material: 'bolt*=steel', '1=steel'.",
        "--part-material",
        metavar="NAME=MATERIAL",
        pairs=("NAME=MATERIAL", "bolt=steel"),
        scope="parts",
    )
    units: str | None = option(
        UNITS,
        "Length unit of files that state none: mm, in … [default: m]",
        "--units",
        "-u",
        synonyms="scale length-unit",
        common=True,
        metavar="UNIT",
        complete=lambda: LENGTH_UNITS,
        check=unit.length_unit,
    )
    override_units: str | None = option(
        UNITS,
        "Length unit of all files, whatever they state.",
        metavar="UNIT",
        complete=lambda: LENGTH_UNITS,
        check=unit.length_unit,
    )
    chord_tolerance: Quantity | None = option(
        UNITS,
        "Largest distance of facets or outlines from the true surface: the export's setting.",
        metavar="LENGTH",
        check=lambda value: unit.parse_length(value, must_be_positive=True),
    )
    format: str | None = option(
        UNITS, "Format of the file, if its suffix does not say it.", "--type", "-t", metavar="FORMAT"
    )
    hash: bool = flag(OUTPUT, "Put the SHA-256 of each file into the JSON or the --output-table.", scope="result")
    exact: bool = flag(UNITS, "Sum without rounding: each number is the exact one, rounded once.", scope="body")
    repair: Repair = option_of(Policies, "repair", default="safe")
    list_parts: bool = flag(OUTPUT, "List the parts of a mesh: number, name, volume and bounds.", scope="result")
    together: bool | str = option(
        INVALID,
        "All files are pieces of one surface: open alone, closed together. With STEM (link5, 'link*'): the files STEM_0, STEM_1 … "
        "of a folder, for each such stem; all other files alone.",
        metavar="STEM",
        is_optional=True,
        default=False,
        scope="result",
    )
    rings: Rings | None = option(
        PLANE,
        "Which regions of a plane file are inside. [default: as SVG shapes state, else evenodd]",
        words=get_args(Rings),
        scope="body",
    )
    layers: Sequence[str] = option(
        PLANE, "Measure only this layer; repeatable.", "--layer", metavar="NAME", default=(), scope="body"
    )
    gap: Quantity | None = option(
        PLANE, "Join ends of lines within this distance. [default: 1e-6 of the size]", metavar="LENGTH", scope="body"
    )
    centered: bool = flag(PLANE, "With --thickness: from -thickness/2 to thickness/2.", scope="body")
    torsion: bool = flag(
        PLANE, "Torsion and warping constants and shear centre, by finite elements (extra torsion).", scope="body"
    )
    ratios: Mapping[str, float] | Mapping[int, float] | None = option(
        PLANE,
        "Modulus ratio of a layer, or of a file with --combine, named as for --part-density; repeatable.",
        "--ratio",
        metavar="PART=N",
        pairs=("NAME=VALUE", "web=1"),
        convert=unit.number,
        scope="body",
    )
    pose: Pose | str | None = None
    frame: Pose | str | None = None
    jobs: int | None = None
    count_bodies: bool = False

    def __post_init__(self) -> None:
        self.check()
        self.check_applicable()
        for name in (self.units, self.override_units):
            if name is not None:
                unit.length_unit(name)
        if self.on_open == "shell" or self.kind == "sheet":
            self.mass_specification.check_shell()
        self._check_types()
        if self.jobs is not None:
            object.__setattr__(self, "jobs", require_count(self.jobs, "jobs"))
        ratios: Mapping[Any, Any] = self.ratios or {}
        for part, ratio in ratios.items():
            is_number = isinstance(ratio, Real) and not isinstance(ratio, bool)
            if not is_number or not 0 < ratio <= sys.float_info.max:
                raise InvalidInput(f"ratio of {part!r} must be positive and finite, got {written(ratio)}")
        # each is parsed here, so that a wrong one is reported before any file is read
        _ = self.mass_specification, self.chord, self.gap_length, self.infill_share, self.transform
        for part, mass_specification in self.part_specifications.items():
            try:
                MassSpecification.parse(**mass_specification)
            except InvalidInput as error:
                raise InvalidInput(f"{part!r}: {error.message_in_file}", code=error.code, hint=error.remedy) from error

    def _check_types(self) -> None:
        for name, (kind, what) in _TYPES.items():
            if (value := getattr(self, name)) is not None:
                require_type(value, kind, name, what)
        if not isinstance(self.together, bool):
            require_type(self.together or None, str, "together", "True, or the stem of the names of files")
        for layer in self.layers:
            require_type(layer, str, "layers", "a list of names")
        for name in ("ratios", "densities", "materials"):
            if wrong := [key for key in getattr(self, name) or () if type(key) not in (str, int)]:
                what = f"a part is named by a text or a whole number, got {wrong[0]!r}"
                raise InvalidInput(what, argument=name)

    def known_unit(self, source: MeshFile | PlanarSource | Input) -> str | None:
        """The length unit that an open file is read in, or None if neither it nor these options state one.

        Raises
        ------
        InvalidInput
            If it is to be read in another unit, and its coordinates are not those of the file.
        """
        if self.override_units is not None and (converted := getattr(source, "converted", "")):
            what = f"the file states a unit of {converted}, and its coordinates have been converted to {source.unit}"
            place = str(getattr(source, "name", ""))
            raise InvalidInput(what, argument="override_units", place=place, hint="change the unit in the file")
        return self.override_units or source.unit or self.units

    def unit_of(self, source: MeshFile | PlanarSource | Input) -> str:
        """The length unit that an open file is read in: metres, if none is known."""
        return self.known_unit(source) or "m"

    def in_unit(self, source: MeshFile | PlanarSource | Input) -> Self:
        """These options for a file: `units` is the one that it is read in, which texts of lengths without a unit are in, too."""
        found = self.known_unit(source)
        return self if found == self.units else replace(self, units=found)

    def unit_findings(self, source: MeshFile | PlanarSource) -> list[Finding]:
        """Difference between the unit that a file states, which may be a converted one, and the one that was given."""
        given, stated, converted = self.override_units or self.units, source.unit, getattr(source, "converted", "")
        number, _, name = (converted or stated or "").rpartition(" ")  # a converted one may be a number of units
        if not name or given is None or unit.length_unit(given) == float(number or 1) * unit.length_unit(name):
            return []
        if converted:
            what = f"the file states {converted}, converted to {stated}; {spell(f'units={given}')} is not applied"
            return [Finding("units-stated", "info", what)]
        if self.override_units is not None:
            what = f"the file states {stated}, and it is read in {given}: {spell(f'override_units={given}')}"
            return [Finding("units-overridden", "warning", what)]
        other, strong = spell(f"units={given}"), spell(f"override_units={given}")
        return [Finding("units-stated", "info", f"the file states {stated}; {other} is not applied, {strong} is")]

    def _length(self, name: str) -> float | None:
        """A length that is an option, m."""
        if (value := getattr(self, name)) is None:
            return None
        return unit.parse_length(value, name=name.replace("_", " "), must_be_positive=True, bare=self.units or "m")

    @cached_property
    def mass_specification(self) -> MassSpecification:
        """Specification of mass and density."""
        given = {name: getattr(self, name) for name in ("mass", "material", "area_density", "thickness")}
        return MassSpecification.parse(
            **given, density=None if callable(self.density) else self.density, unit=self.units or "m"
        )

    @property
    def states_mass(self) -> bool:
        """Whether these options say what a body weighs; a file may say it, too, so that only its result knows whether a mass is known."""
        return self.mass_specification.is_known or bool(self.part_specifications) or callable(self.density)

    @cached_property
    def chord(self) -> float:
        """The chord tolerance, m; 0 if there is none."""
        return self._length("chord_tolerance") or 0.0

    @cached_property
    def wall_thickness(self) -> float | None:
        """Thickness of a wall, m; None if none is measured."""
        return self._length("thickness") if self.kind == "wall" else None

    @cached_property
    def infill_share(self) -> float | None:
        """Filled share of the inside of a wall, from 0 to 1."""
        return None if self.infill is None else unit.parse_share(self.infill, name="infill", ends=True)

    @cached_property
    def gap_length(self) -> float | None:
        """The gap, m."""
        return self._length("gap")

    @cached_property
    def part_specifications(self) -> dict[str | int, dict[str, Any]]:
        """The density or the material of parts, as options of `MassSpecification`, by number, name or pattern."""
        found: dict[str | int, dict[str, Any]] = {name: {"density": d} for name, d in (self.densities or {}).items()}
        for name, material in (self.materials or {}).items():
            if name in found:
                what = f"{{}} and {{}} both name {name!r}"
                raise InvalidInput(what, names=("densities", "materials"), hint="give one of them")
            found[name] = {"material": material}
        return found

    @cached_property
    def transform(self) -> Pose | None:
        """The map from the coordinates of the file to those of the result."""
        given = self.pose if self.frame is None else self.frame
        pose = Pose.parse(given, unit=self.units or "m") if isinstance(given, str) else given
        return pose if pose is None or self.frame is None else pose.inverse()

    @property
    def axes(self) -> Axes:
        """Whose axes the coordinates of the result refer to."""
        return "frame" if self.frame is not None else "file" if self.pose is None else "parent"

    def check_applicable(self, kind: str = "") -> None:
        """Raise InvalidInput if one of them does not go with another one, or is not for this kind of file."""
        given = {f.name: getattr(self, f.name) for f in fields(self) if is_given(getattr(self, f.name), f.default)}
        if callable(self.density):
            given["varying"] = given.pop("density")
        check_applicable(given, kind=kind)
