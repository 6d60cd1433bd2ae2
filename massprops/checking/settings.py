"""Settings of a check: keys of the configuration and the command line, with limits, and the findings where these are violated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, fields, replace
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

from massprops import units
from massprops.checking.rules import FAMILIES, rules
from massprops.declarations import LIMITS, option
from massprops.errors import InvalidInput, Remedy, require_word, spell
from massprops.findings import SEVERITIES, Finding, Severity, worst_first
from massprops.formats.config_file import parsers, text_or_number
from massprops.formats.inertial.simulator_rules import GAZEBO
from massprops.measurement.options import Options
from massprops.units import Quantity
from massprops.values import dataclass
from massprops.wording import did_you_mean, percent

if TYPE_CHECKING:
    from massprops.formats.bodies.json_results import Body

#: Panels of the help.
RULES, REFERENCE = "Rule selection", "Reference geometry"
#: Options whose value is the code of a finding.
CODE: dict[str, Any] = {"metavar": "CODE", "complete": lambda: [*rules()]}
#: Simulators of `diagnosis/engines.toml`.
ENGINES = ("mujoco", "gz", "drake", "isaac", "newton", "bullet")
#: What can be required.
REQUIREMENTS = ("closed", "certified", "proved", "single-body", "gvp")
#: Limits of numbers that a body without a mass lacks.
_OF_MASS = {"mass", "max-mass", "density-range"}


@dataclass(frozen=True)
class Range:
    """A closed interval of allowed values, SI units."""

    low: float
    high: float

    @classmethod
    def parse(cls, value: Quantity, parse: Callable[[Quantity], float], example: str) -> Self:
        """Range of ``"1.2kg±5%"`` or ``"1.1kg..1.3kg"``.

        Raises
        ------
        InvalidInput
            If it is neither, or the limits are in the wrong order. A number alone has no tolerance.
        """
        if isinstance(value, str) and ".." in value:
            texts = [part.strip() for part in value.split("..", 1)]
            low, high = map(parse, texts)
            others = [parse(text) for text in units.in_one_unit(*texts)]
            if others[0] <= others[1] and others != [low, high]:
                what = f"a limit of the range {value!r} has no unit, and may have that of the other"
                raise InvalidInput(what, hint="write the unit behind both")
            if low > high:
                raise InvalidInput(f"the range {value!r} has its limits in the wrong order")
            return cls(low, high)
        middle, off = units.with_tolerance(value, parse)
        if off == 0.0:
            raise InvalidInput(f"{value!r} has no tolerance", hint=f"for example {example}")
        return cls(middle - off, middle + off)

    def broken(self, value: float) -> float | None:
        """The limit that `value` violates; None if it lies between them."""
        return self.low if value < self.low else self.high if value > self.high else None


@dataclass(frozen=True)
class Box:
    """A box with its edges along the axes, metres."""

    low: tuple[float, float, float]
    high: tuple[float, float, float]

    @classmethod
    def parse(cls, text: str, unit: str = "m") -> Self:
        """Box of six lengths ``"x0 y0 z0 x1 y1 z1"`` in `unit`; InvalidInput if not, or if the first corner is not the lower one."""
        parts = text.replace(",", " ").split()
        if len(parts) != 6:
            raise InvalidInput(f"{text!r} is not six lengths", hint="for example '0 0 0 80mm 40mm 20mm'")
        a, b, c, d, e, f = units.parse_point(parts, name="length", bare=unit)
        if a > d or b > e or c > f:
            raise InvalidInput(f"{text!r} has its limits in the wrong order", hint="give the lower corner first")
        return cls((a, b, c), (d, e, f))


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
        every = Remedy("see 'massprops check --list'", python="massprops.checking.rules.rules() has them all")
        hint = did_you_mean(word, allowed, "") or every
        raise InvalidInput(f"unknown finding {word!r}", hint=hint)
    return word


def _severities(value: Any) -> dict[str, str]:
    if isinstance(value, str):
        value = dict(part.partition("=")[::2] for part in _words(value))
    if not isinstance(value, dict):
        raise InvalidInput(f"must be a table of findings and severities, got {value!r}")
    return {_code(k): require_word(v, SEVERITIES) for k, v in value.items()}


def _number(parse: Callable[[Any], float]) -> Callable[[Any], float]:
    return lambda value: parse(text_or_number(value))


def _range(parse: Callable[[Any], float], example: str) -> Callable[[Any], Range]:
    return lambda value: Range.parse(text_or_number(value), parse, example)


def _box(value: Any) -> str:
    text = " ".join(map(str, value)) if isinstance(value, list) else str(value)
    Box.parse(text)
    return text


def _size(value: Any) -> str:
    units.parse_length(text := str(text_or_number(value)), must_be_positive=True)
    return text


@dataclass(frozen=True)
class Expectations:
    """Limits and requirements; None, or nothing required, where there are none. SI units.

    Attributes
    ----------
    mass, volume, density_range : Range or None
    max_mass : float or None
        kg.
    max_size, com_box : str or None
        A length, of the longest side of the bounds; the `Box` in which the centre of mass lies. Bare lengths are in the file's unit.
    require : tuple of str
        Some of `REQUIREMENTS`.
    """

    mass: Range | None = option(
        LIMITS,
        "1.2kg±5%, or 1.1kg..1.3kg.",
        metavar="MASS±TOL",
        parse=_range(units.parse_mass, "1.2kg±5% or 1.1kg..1.3kg"),
    )
    max_mass: float | None = option(LIMITS, "kg, or with a unit.", metavar="MASS", parse=_number(units.parse_mass))
    volume: Range | None = option(
        LIMITS,
        "28cm3±1%, or 27cm3..29cm3.",
        metavar="VOLUME±TOL",
        parse=_range(units.parse_volume, "28cm3±1% or 27cm3..29cm3"),
    )
    density_range: Range | None = option(
        LIMITS,
        "Mass per volume: 2600..2800, kg/m³.",
        metavar="LOW..HIGH",
        parse=_range(units.parse_density, "2600..2800 or 2.7g/cm3±3%"),
    )
    com_box: str | None = option(
        LIMITS, "A box that contains the centre of mass.", metavar="'X0 Y0 Z0 X1 Y1 Z1'", parse=_box
    )
    max_size: str | None = option(LIMITS, "Of the longest side of the bounds.", metavar="LENGTH", parse=_size)
    require: tuple[str, ...] = option(
        LIMITS,
        "closed, certified, proved, single-body, gvp.",
        common=True,
        default=(),
        metavar="WORD",
        parse=lambda value: tuple(require_word(word, REQUIREMENTS) for word in _words(value)),
    )

    @property
    def given(self) -> list[str]:
        """Names of the limits, and the requirements."""
        names = (f.name for f in fields(Expectations) if f.name != "require" and getattr(self, f.name))
        return [*(name.replace("_", "-") for name in names), *self.require]

    def findings(self, body: Body | None) -> list[Finding]:
        """Violations by a body; None: there is no valid integral."""
        found = [] if body is None else [*self._quantities(body), *self._required(body)]
        missing = self.given if body is None else [name for name, value in found if value is None]
        if missing:
            why = "there is no valid integral" if body is None else "the result has none"
            if body is not None and body.mass is None and {*missing} <= _OF_MASS:
                why = f"no mass is known; give {spell('density')} or {spell('material')}"
                if body.value.get("section"):
                    why = "a section has an area alone; 'massprops compute' with a thickness gives a result with a mass"
            message = f"cannot check {', '.join(dict.fromkeys(missing))}: {why}"
            found.append(("", Finding("not-measured", "error", message)))
        return [f for _, f in found if f is not None]

    def _quantities(self, body: Body) -> Iterator[tuple[str, Finding | None]]:
        mass, volume, center = body.mass, body.volume, body.numbers("center_of_mass")
        box = None if self.com_box is None else Box.parse(self.com_box, body.unit)
        most = None if self.max_size is None else units.parse_length(self.max_size, bare=body.unit)
        density = body.density or (mass / volume if mass and volume else None)
        size = None if body.bounds is None else float((body.bounds[1] - body.bounds[0]).max())
        rows: list[tuple[str, str, str, str, float | None, Range | None]] = [
            ("mass", "mass", "mass", "kg", mass, self.mass),
            ("max-mass", "mass", "mass", "kg", mass, _at_most(self.max_mass)),
            ("volume", "volume", "volume", "m³", volume, self.volume),
            ("density-range", "density", "density", "kg/m³", density, self.density_range),
            ("max-size", "size", "size", "m", size, _at_most(most)),
        ]
        if box is not None:
            ends = zip("xyz", center or (None,), box.low, box.high, strict=False)
            rows += [("com-box", "center", f"centre of mass: {axis}", "m", x, Range(a, b)) for axis, x, a, b in ends]
        for name, code, words, unit, value, allowed in rows:
            if allowed is not None and value is None:
                yield name, None
            elif allowed is not None and value is not None and (limit := allowed.broken(value)) is not None:
                where = center if code == "center" else None
                yield name, _unexpected(f"unexpected-{code}", words, unit, value, limit, where)

    def _required(self, body: Body) -> Iterator[tuple[str, Finding | None]]:
        grade = None if body.bounds is None else body.grade  # without bounds it never had a surface
        for word in self.require:
            value: object = grade
            met, why = grade in _GRADES.get(word, ()), f"the grade is {grade}"
            if word == "single-body":
                value = count = body.input.get("bodies")
                met, why = count == 1, f"there are {count} separate bodies"
            elif word == "gvp":
                value = verdicts = [str(v.get("verdict")) for v in body.stored]
                met = bool(verdicts) and set(verdicts) == {"agrees"}
                why = f"{len(verdicts) - verdicts.count('agrees')} of {len(verdicts)} stored values do not agree"
                why = why if verdicts else "the file states no validation properties"
            if value is None:
                yield word, None
            elif not met:
                yield word, Finding("requirement-not-met", "error", f"{word} is required, and {why}")


#: The grades that meet a requirement.
_GRADES = {
    "closed": ("proved", "certified", "closed", "repaired", "estimated"),
    "certified": ("proved", "certified"),
    "proved": ("proved",),
}


def _at_most(limit: float | None) -> Range | None:
    return None if limit is None else Range(float("-inf"), limit)


def _unexpected(
    code: str, name: str, unit: str, value: float, limit: float, where: Sequence[float] | None = None
) -> Finding:
    how, by = "is below" if value < limit else "exceeds", ""
    digits = 4 if f"{value:.4g}" != f"{limit:.4g}" else 9
    if limit > 0 and where is None and value > 3 * limit:
        how = f"is {percent(value / limit, 2)}"
    elif limit and where is None:
        by = f" by {percent(abs(value - limit) / abs(limit), 2)}"
    message = f"{name} {value:.{digits}g}\xa0{unit} {how} the limit of {limit:.{digits}g}\xa0{unit}{by}"
    return Finding(code, "error", message, value, limit, None if where is None else tuple(where))


Geometry = Literal["auto", "visual", "collision", "none"]

#: Settings that are options of a measurement.
MEASURING = {name.replace("-", "_") for name in parsers(Options)}


@dataclass(frozen=True)
class Settings(Expectations):
    """Settings of the check of one subject; every field but `measuring` is a key of the configuration, with hyphens for underscores.

    `measuring` has the options of `massprops.measure` that the configuration sets: their names are keys, too.
    """

    measuring: Mapping[str, Any] = field(default_factory=dict)
    select: tuple[str, ...] = option(RULES, "Only these findings or families.", default=(), parse=_codes, **CODE)
    ignore: tuple[str, ...] = option(
        RULES, "Without these findings or families.", default=(), parse=_codes, common=True, **CODE
    )
    severity: Mapping[str, Severity] = option(
        RULES,
        "Severity of a finding: error, warning, info.",
        factory=dict,
        metavar="CODE=SEVERITY",
        complete=lambda: [*rules()],
        parse=_severities,
    )
    fail_on: str = option(
        RULES,
        "Exit 1 if there is a finding of this severity or worse. [default: error]",
        default="error",
        words=(*SEVERITIES, "never"),
    )
    engine: tuple[str, ...] = option(
        REFERENCE,
        f"What simulators take from the file: {', '.join(ENGINES)}.",
        default=(),
        metavar="NAME",
        complete=lambda: ENGINES,
        parse=lambda value: tuple(require_word("gz" if w in GAZEBO else w, ENGINES) for w in _words(value)),
    )
    geometry: Geometry = option(
        REFERENCE, "Which of a link's own geometries. [default: auto]", default="auto", words=get_args(Geometry)
    )

    @classmethod
    def of(cls, levels: Iterable[Mapping[str, Any]]) -> Self:
        """Settings of parsed levels, the later the stronger; severities add up, code by code."""
        found = merge_levels(levels)
        measuring = {name: found.pop(name) for name in MEASURING & found.keys()}
        return cls(**found, measuring=measuring)

    def options(self, jobs: int = 1, **defaults: Any) -> Options:
        """Options of the measurement of a mesh; `defaults` are for those that the settings leave out."""
        return Options(**{**defaults, **self.measuring}, jobs=jobs, count_bodies="single-body" in self.require)

    def judge(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """Selected findings with the chosen severities, worst first."""
        chosen = [self._with_severity(f) for f in findings if self._is_selected(f.code)]
        return worst_first(chosen)

    def _with_severity(self, finding: Finding) -> Finding:
        chosen = self.severity.get(finding.code)
        return finding if chosen is None else replace(finding, severity=chosen)

    def _is_selected(self, code: str) -> bool:
        names = {code, rules()[code].family} if code in rules() else {code}
        return (not self.select or bool(names & set(self.select))) and not names & set(self.ignore)


def merge_levels(levels: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Parsed levels as one, the later the stronger; severities add up, code by code."""
    levels = list(levels)
    found: dict[str, Any] = {}
    for level in levels:
        severity = {**found.get("severity", {}), **level.get("severity", {})}
        found.update(level)
        found["severity"] = severity
    for names in ({"density", "material"}, {"units", "override_units"}):  # of different levels: the later one is meant
        stated = [names & level.keys() for level in levels]
        for name in names - next(filter(None, reversed(stated)), names):
            found.pop(name, None)
    return found


def parse(key: str, value: Any) -> Any:
    """A value of the command line or from Python as `Settings` holds it.

    Raises
    ------
    InvalidInput
        If there is no such key, or the value breaks its rule; the message says nothing of where it stands.
    """
    if key not in PARSERS:
        raise InvalidInput(f"unknown key {key!r}", code="unknown-key", hint=did_you_mean(key, PARSERS))
    return PARSERS[key](value)


#: What the configuration may say of a file, and how it is parsed.
PARSERS = parsers(Options) | parsers(Settings)
