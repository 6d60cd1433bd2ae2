"""`[fill]` of a configuration: the masses of robots under version control. Every key is an option of `massprops fill`.

[fill]                               all robots
density = 1240
links = "all"

[fill.files."arm.urdf"]              stronger for the robot files that match; the last section is the strongest
mass = "17.4kg"

[fill.files."arm.urdf".set]
gripper = "mass:0.42kg"
"finger_*" = {material = "steel", com = [0, 0, "12mm"]}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, get_args

from massprops.errors import InvalidInput, require_word
from massprops.filling.masses import MassRule
from massprops.filling.robot import CHOICES
from massprops.formats.config_file import Lines, matches, require_parsable
from massprops.materials import find
from massprops.units import parse_density, parse_mass, parse_share

#: Of these, the strongest level has one, and with it the others of weaker levels do not count.
_EXCLUSIVE = ("density", "material", "mass")


@dataclass(frozen=True)
class FillSettings:
    """Arguments of `massprops.fill`, and where each comes from: ``massprops.toml:4`` or the option of the command line."""

    arguments: Mapping[str, Any]
    places: Mapping[str, str]

    def located(self, error: InvalidInput) -> InvalidInput:
        """An error of an argument that the configuration gives, with its line in place of an option."""
        place = self.places.get(error.parameter, "--")
        if place.startswith("--"):
            return error
        name = error.parameter.replace("_", "-")
        return InvalidInput(f"{name}: {error.text}", code=error.code, hint=error.hint, place=place)


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
    """Those that apply to a robot file, the weakest first; the others are checked too."""
    if not isinstance(table, dict):
        raise lines.error("fill", (), "must be a table, as [fill]")
    files = lines.files(table, ("fill",), '[fill.files."robot.urdf"]')
    common = _level(table, lines, ("fill",), ("set", "files"))
    found = [(pattern, _level(own, lines, ("fill", "files", pattern), ("set",))) for pattern, own in files.items()]
    return [common, *(level for pattern, level in found if matches(pattern, robot))]


def _level(table: Mapping[str, Any], lines: Lines, header: tuple[str, ...], others: Sequence[str]) -> _Level:
    level = lines.level(table, header, _PARSERS, others, _EXCLUSIVE)
    if "set" in table:
        level["set"] = _rules(table["set"], lines, header)
    return {key: (value, lines.place(header, key.replace("_", "-"))) for key, value in level.items()}


def _rules(table: Any, lines: Lines, header: tuple[str, ...]) -> dict[str, MassRule]:
    if not isinstance(table, dict):
        raise lines.error("set", header, 'must be a table of links, as gripper = "mass:0.42kg"')
    rules = {}
    for name, value in table.items():
        place = lines.place((*header, "set"), name)
        place = place if ":" in place else lines.place(header, "set")
        try:
            rules[name] = MassRule.parse(name, value, place)
        except InvalidInput as error:
            raise InvalidInput(f"{place}: set: {error.text}", code="bad-value", hint=error.hint) from error
    return rules


def _links(value: Any) -> str | list[str]:
    if isinstance(value, str) or (isinstance(value, list) and value and all(isinstance(v, str) for v in value)):
        return value
    raise InvalidInput(f"must be a text or a list of texts, got {value!r}")


_PARSERS: dict[str, Callable[[Any], Any]] = {
    "density": partial(require_parsable, parse_density),
    "material": partial(require_parsable, find),
    "mass": partial(require_parsable, parse_mass),
    "links": _links,
    **{name.replace("_", "-"): partial(require_word, words=get_args(words)) for name, words in CHOICES.items()},
    "max-uncertainty": partial(require_parsable, parse_share),
}
