"""How a subject is checked: the settings of the configuration and the command line, key by key."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, Self, get_args

from massprops import units
from massprops.checking.expectations import REQUIREMENTS, Box, Expectations, Range
from massprops.checking.rules import FAMILIES, rules
from massprops.errors import InvalidInput
from massprops.findings import SEVERITIES, Finding, Severity
from massprops.measurement.options import Options
from massprops.mesh.enclosed_solid import WORDS, Policies
from massprops.rigid_body.mass_specification import Matter
from massprops.wording import did_you_mean

Geometry = Literal["auto", "visual", "collision", "none"]

#: Settings that are options of a measurement.
MEASURING = ("units", "density", "material", "chord_tolerance", *(f.name for f in fields(Policies)))


@dataclass(frozen=True)
class Settings(Policies, Expectations):
    """How one subject is checked; every field but `lines` is a key of the configuration, with hyphens for underscores."""

    units: str | None = None
    density: str | float | None = None
    material: str | None = None
    chord_tolerance: str | float | None = None
    severity: Mapping[str, Severity] = field(default_factory=dict)
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: str = "error"
    geometry: Geometry = "auto"

    @classmethod
    def of(cls, levels: Iterable[Mapping[str, Any]]) -> Self:
        """Of parsed levels, the later the stronger; severities add up, code by code."""
        return cls(**merged(levels))

    def options(self, jobs: int = 1) -> Options:
        """How a mesh is measured."""
        shared: dict[str, Any] = {name: getattr(self, name) for name in MEASURING}
        return Options(**shared, jobs=jobs, count_bodies="single-body" in self.require)

    def judged(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """Those findings that are selected, with the severities that were chosen, worst first."""
        kept = [self._with_severity(f) for f in findings if self._is_selected(f.code)]
        return tuple(sorted(kept, key=lambda f: SEVERITIES.index(f.severity)))

    @property
    def fails_on(self) -> Severity | None:
        """`fail_on` as a severity; None for never."""
        return next((s for s in SEVERITIES if s == self.fail_on), None)

    def _with_severity(self, finding: Finding) -> Finding:
        chosen = self.severity.get(finding.code)
        return finding if chosen is None else replace(finding, severity=chosen)

    def _is_selected(self, code: str) -> bool:
        names = {code, rules()[code].family} if code in rules() else {code}
        return (not self.select or bool(names & set(self.select))) and not names & set(self.ignore)


def merged(levels: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Parsed levels as one, the later the stronger; severities add up, code by code."""
    levels = list(levels)
    found: dict[str, Any] = {}
    for level in levels:
        severity = {**found.get("severity", {}), **level.get("severity", {})}
        found.update(level)
        found["severity"] = severity
    if {"density", "material"} <= found.keys():  # of different levels: the later one is meant
        last = [k for level in levels for k in level if k in ("density", "material")]
        found.pop("material" if last[-1] == "density" else "density")
    return found


def parse(key: str, value: Any) -> Any:
    """A value of the configuration or of the command line as `Settings` holds it.

    Raises
    ------
    InvalidInput
        If there is no such key, or the value breaks its rule; the message says nothing of where it stands.
    """
    if key not in _PARSERS:
        raise InvalidInput(f"unknown key {key!r}", code="unknown-key", hint=did_you_mean(key, _PARSERS))
    return _PARSERS[key](value)


def known() -> str:
    """All keys, for messages."""
    return ", ".join(_PARSERS)


def _word(options: Iterable[str], value: Any) -> str:
    options = tuple(options)
    if value not in options:
        raise InvalidInput(f"must be one of {', '.join(options)}, got {value!r}")
    return str(value)


def _quantity(parse: Callable[[Any], float], value: Any) -> float:
    return parse(_text_or_number(value))


def _text_or_number(value: Any) -> str | float:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise InvalidInput(f"must be a text or a number, got {value!r}")
    return value


def _kept(parse: Callable[[Any], Any], value: Any) -> Any:
    """The value itself, once it is known to be one that can be parsed: it is parsed where it is used."""
    parse(_text_or_number(value))
    return value


def _range(parse: Callable[[Any], float], example: str, value: Any) -> Range:
    return Range.parse(_text_or_number(value), parse, example)


def _box(value: Any) -> Box:
    return Box.parse(" ".join(map(str, value)) if isinstance(value, list) else str(value))


def _words(value: Any) -> list[str]:
    """A list, or a text with commas."""
    parts = value.replace(",", " ").split() if isinstance(value, str) else value
    if not isinstance(parts, list) or not all(isinstance(p, str) for p in parts):
        raise InvalidInput(f"must be a list of words, got {value!r}")
    return parts


def _codes(value: Any) -> tuple[str, ...]:
    return tuple(_code(word, families=True) for word in _words(value))


def _code(word: str, *, families: bool = False) -> str:
    allowed = [*rules(), *(FAMILIES if families else ())]
    if word not in allowed:
        hint = did_you_mean(word, allowed, "see 'massprops check --list'")
        raise InvalidInput(f"unknown finding {word!r}", hint=hint)
    return word


def _severities(value: Any) -> dict[str, str]:
    if isinstance(value, str):
        value = dict(part.partition("=")[::2] for part in _words(value))
    if not isinstance(value, dict):
        raise InvalidInput(f"must be a table of findings and severities, got {value!r}")
    return {_code(k): _word(SEVERITIES, v) for k, v in value.items()}


def _requirements(value: Any) -> tuple[str, ...]:
    return tuple(_word(REQUIREMENTS, word) for word in _words(value))


_length = functools.partial(units.parse_length, must_be_positive=True)

_PARSERS: dict[str, Callable[[Any], Any]] = {
    "units": functools.partial(_kept, units.length_unit),
    "density": functools.partial(_kept, lambda value: Matter.parse(density=value)),
    "material": functools.partial(_kept, lambda value: Matter.parse(material=value)),
    "chord-tolerance": functools.partial(_kept, _length),
    **{name.replace("_", "-"): functools.partial(_word, words) for name, words in WORDS.items()},
    "max-uncertainty": functools.partial(_kept, units.parse_share),
    "mass": functools.partial(_range, units.parse_mass, "1.2kg±5% or 1.1kg..1.3kg"),
    "max-mass": functools.partial(_quantity, units.parse_mass),
    "volume": functools.partial(_range, units.parse_volume, "28cm3±1% or 27cm3..29cm3"),
    "density-range": functools.partial(_range, units.parse_density, "2600..2800 or 2.7g/cm3±3%"),
    "com-box": _box,
    "max-size": functools.partial(_quantity, _length),
    "require": _requirements,
    "severity": _severities,
    "select": _codes,
    "ignore": _codes,
    "fail-on": functools.partial(_word, (*SEVERITIES, "never")),
    "geometry": functools.partial(_word, get_args(Geometry)),
}
