"""`[fill]` of a configuration: the masses of robots under version control. Every key is an option of `massprops fill`.

[fill]                               all robots
density = 1240
links = "all"

[fill.files."arm.urdf"]              stronger for the robot files that match; the last section is the strongest
mass = "17.4kg"

[fill.files."arm.urdf".set]
gripper = "mass:0.42kg"
"finger_*" = {material = "steel", com = [0, 0, "12mm"]}

Tests: `tests/filling/test_fill.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from massprops.declarations import MATERIAL, option, option_of
from massprops.errors import InvalidInput
from massprops.filling.masses import MassRule
from massprops.filling.mirroring import words_of
from massprops.filling.robot import MassFrom
from massprops.formats.config_file import Lines, matches, parsers
from massprops.formats.robot.links import GeometryKind
from massprops.frames import Plane
from massprops.grades import Repair
from massprops.materials import find
from massprops.measurement.options import Options
from massprops.measurement.united_solids import Overlap
from massprops.units import Quantity, parse_density, parse_mass
from massprops.values import dataclass

LINKS = "Links"
#: Of these, the strongest level has one, and with it the others of weaker levels do not count.
_EXCLUSIVE = ("density", "material", "mass")


def _links(value: Any) -> str | list[str]:
    if isinstance(value, str) or (isinstance(value, list) and value and all(isinstance(v, str) for v in value)):
        return value
    raise InvalidInput(f"must be a text or a list of texts, got {value!r}")


def _mirror(value: Any) -> Any:
    words_of(value)
    return value


@dataclass(frozen=True, kw_only=True)
class FillOptions:
    """The options of `massprops.fill` on the command line and in the configuration; `set` is the `masses` of Python."""

    density: Quantity | None = option_of(
        Options, "density", help="kg/m³, or with a unit: 7800, 7.8g/cm3.", check=parse_density
    )
    material: str | None = option_of(Options, "material", check=find)
    mass: Quantity | None = option(
        MATERIAL,
        "Mass of the robot: what its other links leave is distributed by volume over those without a mass: 17.4kg.",
        check=parse_mass,
    )
    set: Mapping[str, MassRule] | None = option(
        MATERIAL,
        "mass:…, density:…, material:… or com:X,Y,Z of a link or pattern; repeatable.",
        metavar="LINK=KEY:VALUE",
        scope="robot",
    )
    mass_from: MassFrom | None = option(
        MATERIAL,
        "Selected links that state a plausible mass: keep it, or take the density or a share of --mass. [default: stated]",
        words=get_args(MassFrom),
    )
    links: Sequence[str] | None = option(
        LINKS,
        "missing, invalid, all, or a name or pattern; repeatable. [default: missing]",
        metavar="WHICH",
        parse=_links,
    )
    mirror: str | None = option(
        LINKS,
        "Copy the inertials of links with one word in their names, mirrored, to those with the other: left=right.",
        metavar="WORD=WORD",
        parse=_mirror,
    )
    mirror_plane: Plane | None = option(
        LINKS,
        "Plane of --mirror through the common parent: xy, xz, yz. [default: found]",
        words=get_args(Plane),
    )
    geometry: GeometryKind | None = option(
        LINKS, "Which geometry is measured. [default: visual]", words=get_args(GeometryKind)
    )
    overlap: Overlap | None = option(
        LINKS, "Overlapping geometries of a link. [default: union]", words=get_args(Overlap)
    )
    repair: Repair | None = option_of(
        Options, "repair", help="Repair of meshes that are refused as they are. [default: full]"
    )
    max_uncertainty: Quantity | None = option_of(
        Options, "max_uncertainty", help="Largest ± of the volume of a link. [default: 10 %, of safe repairs 1 %]"
    )


@dataclass(frozen=True)
class FillSettings:
    """Arguments of `massprops.fill`, and where each comes from: ``massprops.toml:4`` or the option of the command line."""

    arguments: Mapping[str, Any]
    places: Mapping[str, str]

    def locate(self, error: InvalidInput) -> InvalidInput:
        """An error of an argument that the configuration gives, with its line in place of an option."""
        place = self.places.get(error.parameter, "--")
        if place.startswith("--"):
            return error
        name = error.parameter.replace("_", "-")
        return InvalidInput(f"{name}: {error.text}", code=error.code, hint=error.remedy, place=place)


def fill_settings(table: Any, lines: Lines | None, robot: str, given: Mapping[str, Any]) -> FillSettings:
    """The settings for a robot file: those of the table ``[fill]``, and, stronger, those that are `given` on the command line.

    `lines` are those of the configuration, None without one; `robot` is the file as its patterns see it.

    Raises
    ------
    InvalidInput
        If a key of the configuration is unknown or its value breaks a rule, with file and line.
    """
    arguments: dict[str, Any] = {}
    places: dict[str, str] = {}
    rules: dict[str, MassRule] = {}
    levels = [] if lines is None else _levels(table, lines, robot)
    for level in (*levels, {key: (value, "--" + key.replace("_", "-")) for key, value in given.items()}):
        if any(key in level for key in _EXCLUSIVE):
            arguments = {key: value for key, value in arguments.items() if key not in _EXCLUSIVE}
        for key, (value, place) in level.items():
            if key == "set":
                for name, rule in value.items():
                    rules[name] = rules.pop(name, MassRule()).overridden_by(rule)
            else:
                arguments[key], places[key] = value, place
    return FillSettings(arguments | {"masses": rules}, {key: places[key] for key in arguments})


_Level = dict[str, tuple[Any, str]]


def _levels(table: Any, lines: Lines, robot: str) -> list[_Level]:
    """Levels that apply to a robot file, the weakest first; the others are checked too."""
    if not isinstance(table, dict):
        raise lines.error("fill", (), "must be a table, as [fill]")
    files = lines.files(table, ("fill",), '[fill.files."robot.urdf"]')
    common = _level(table, lines, ("fill",), ("set", "files"))
    found = [(pattern, _level(own, lines, ("fill", "files", pattern), ("set",))) for pattern, own in files.items()]
    return [common, *(level for pattern, level in found if matches(pattern, robot))]


def _level(table: Mapping[str, Any], lines: Lines, header: tuple[str, ...], others: Sequence[str]) -> _Level:
    level = lines.level(table, header, parsers(FillOptions), others, _EXCLUSIVE)
    if "set" in table:
        level["set"] = _rules(table["set"], lines, header)
    return {key: (value, lines.place(header, key.replace("_", "-"))) for key, value in level.items()}


def _rules(table: Any, lines: Lines, header: tuple[str, ...]) -> dict[str, MassRule]:
    if not isinstance(table, dict):
        raise lines.error("set", header, 'must be a table of links, as gripper = "mass:0.42kg"')
    rules = {}
    for name, value in table.items():
        place = lines.place((*header, "set"), name)
        try:
            rules[name] = MassRule.parse(name, value, place)
        except InvalidInput as error:
            raise InvalidInput(f"{place}: set: {error.text}", code="bad-value", hint=error.remedy) from error
    return rules
