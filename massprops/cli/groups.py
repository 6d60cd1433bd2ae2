"""Options of commands, as the defaults of parameters; groups of them that commands share are frozen dataclasses.

A command is a function whose parameters are groups, or have an `option`, `flag` or `argument` as their default. `read` gives its
arguments for a command line without mistakes; help, completion and messages about mistakes are typer's, which takes half as long to
import as numpy and is imported for these alone: see `massprops.cli.with_typer`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import MISSING, Field, field, fields
from inspect import get_annotations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args, get_origin

from massprops.errors import InvalidInput
from massprops.formats.config_file import nearest
from massprops.values import dataclass

if TYPE_CHECKING:
    from massprops.checking.config import Config


@dataclass(frozen=True, kw_only=True)
class Group:
    """Base of all groups; the default of every field is an `option`."""

    def given(self) -> dict[str, Any]:
        """The options that were given, by name; the library has the defaults of the others."""
        return {f.name: value for f in fields(self) if (value := getattr(self, f.name)) not in (None, [])}


def option(panel: str | None, help: str, *names: str, default: Any = None, **rules: Any) -> Any:
    """An option in a panel of the help, as the default of a parameter or field; its brackets are text, not markup.

    `complete` gives the words by which a shell completes it.
    """
    return field(default=default, metadata={"names": names, "panel": panel, "help": help, **rules})


def flag(panel: str | None, help: str, *names: str) -> Any:
    """A switch, ``--name`` without ``--no-name``."""
    return option(panel, help, *names, default=False)


def argument(metavar: str, help: str, *, default: Any = MISSING) -> Any:
    """An argument by its place, as the default of a parameter."""
    return field(default=default, metadata={"metavar": metavar, "help": help})


class Declared(NamedTuple):
    """A parameter of a command: its name, its declaration, its type as written, and where that is written."""

    name: str
    field: Field[Any]
    type_text: str
    module: str

    @property
    def is_argument(self) -> bool:
        """Whether it has a place instead of a name."""
        return "names" not in self.field.metadata

    @property
    def takes_value(self) -> bool:
        """Whether it is an option that a value follows."""
        return not self.is_argument and self.type_text != "bool"

    @property
    def spellings(self) -> tuple[str, ...]:
        """The names of an option."""
        return self.field.metadata["names"] or (f"--{self.name.replace('_', '-')}",)

    @property
    def type(self) -> Any:
        """Its type."""
        return eval(self.type_text, vars(sys.modules[self.module]))  # noqa: S307  # what a module of ours says

    def value(self, word: str) -> Any:
        """A word of the command line as a value of its type; ValueError if it is none."""
        kind = next(t for t in (*get_args(self.type), self.type) if t is not type(None))
        kind = self.type if get_origin(self.type) in (Literal, list) else kind
        if get_origin(kind) is Literal:
            return get_args(kind)[get_args(kind).index(word)]
        if kind not in (int, float):
            return word
        value, rules = kind(word), self.field.metadata
        if not rules.get("min", -float("inf")) <= value <= rules.get("max", float("inf")):
            raise ValueError(word)
        return value

    @property
    def is_repeatable(self) -> bool:
        """Whether it takes several values."""
        return self.type_text.startswith("list[")


def groups_of(function: Callable[..., Any]) -> dict[str, type[Group]]:
    """The parameters of a command that are groups."""
    own = function.__kwdefaults__ or {}
    kinds = {name: kind for name, kind in function.__annotations__.items() if name not in (*own, "return")}
    return {name: vars(sys.modules[function.__module__])[kind] for name, kind in kinds.items()}


def declared(function: Callable[..., Any]) -> Iterator[Declared]:
    """The parameters of a command, with the fields of its groups in their place."""
    groups, own = groups_of(function), function.__kwdefaults__ or {}
    for name, text in function.__annotations__.items():
        if name in own:
            yield Declared(name, own[name], text, function.__module__)
        elif name in groups:
            for f in fields(groups[name]):
                home = next(c for c in groups[name].__mro__ if f.name in get_annotations(c))
                yield Declared(f.name, f, str(f.type), home.__module__)


def call(function: Callable[..., Any], values: dict[str, Any]) -> Any:
    """Run a command with values by name."""
    groups = groups_of(function)
    grouped = {name: kind(**{f.name: values.pop(f.name) for f in fields(kind)}) for name, kind in groups.items()}
    return function(**values, **grouped)


def read(function: Callable[..., Any], words: Sequence[str]) -> dict[str, Any] | None:
    """The values of a command line, by name; None if it asks for help, has a mistake, or joins short options (``-vq``)."""
    known = list(declared(function))
    by_word = {name: d for d in known if not d.is_argument for name in d.spellings}
    values: dict[str, Any] = {d.name: d.field.default for d in known}
    given: dict[str, list[Any]] = {}
    free: list[str] = []
    left = list(reversed(words))
    try:
        while left:
            word = left.pop()
            if word == "--":
                free += reversed(left)
                break
            if word[:1] != "-" or word == "-":
                free.append(word)
                continue
            name, equals, text = word.partition("=") if word.startswith("--") else (word, "", "")
            d = by_word[name]
            if d.takes_value:
                given.setdefault(d.name, []).append(d.value(text if equals else left.pop()))
            elif equals:
                return None
            else:
                values[d.name] = True
    except (KeyError, IndexError, ValueError):
        return None
    for d in known:
        if d.is_argument and free:
            taken, free = (free, []) if d.is_repeatable else (free[:1], free[1:])
            given[d.name] = taken
    values |= {d.name: given[d.name] if d.is_repeatable else given[d.name][-1] for d in known if d.name in given}
    return None if free or MISSING in values.values() else values


#: Panels of the help that several commands have.
MATERIAL = "Material and mass"
UNITS = "Units and accuracy"
INVALID = "Invalid geometry"
OUTPUT = "Output"
REFERENCE = "Reference geometry"
ROBOT = "Robots (URDF, SDF, MJCF)"
POSE = "'X Y Z R P Y'"

Text = str | None


def format_option() -> Any:
    """The output format of a command, by name or by the suffix of its file."""
    return option(OUTPUT, "Output format. [default: by the suffix of --output, else table]", "--format", "-f")


def output_option(help: str = "Write to FILE (atomically).", **rules: Any) -> Any:
    """The file that a command writes."""
    return option(OUTPUT, help, "--output", "-o", metavar="FILE", **rules)


def type_option(help: str = "Format of the file, if its suffix does not say it.", **rules: Any) -> Any:
    """The format of an input."""
    return option(UNITS, help, "--type", "-t", metavar="FORMAT", **rules)


@dataclass(frozen=True, kw_only=True)
class DisplayOptions(Group):
    """What people see of numbers: their units and digits, and how much of a result. JSON and robot files are SI."""

    output_units: Text = option(
        OUTPUT,
        "Units of tables, Markdown and CSV, in any order: mm,g or in,lb. [default: tables: those of the file; else SI]",
        metavar="UNITS",
    )
    digits: int | None = option(
        OUTPUT,
        "Significant digits. Robot formats: the rounded numbers are checked again. [default: tables: at most 6; else all]",
        metavar="N",
        min=1,
        max=17,
    )
    verbose: bool = flag(
        OUTPUT, "Tables: more numbers, the sources of the ±, the checks that passed.", "--verbose", "-v"
    )
    quiet: bool = flag(OUTPUT, "Tables: findings only.", "--quiet", "-q")

    def __post_init__(self) -> None:
        if self.output_units is not None:  # a wrong unit is refused also where none is shown
            from massprops.measurement.output_units import OutputUnits

            OutputUnits().chosen(self.output_units)
        if self.verbose and self.quiet:
            raise InvalidInput("--verbose and --quiet are mutually exclusive", hint="give one of them")

    def units(self, config: Config | None = None) -> str | None:
        """The units that were asked for: on the command line, else in the configuration, by default the nearest one."""
        source = self.units_source(config)
        return self.output_units if source is None else source.run.output_units

    def units_source(self, config: Config | None = None) -> Config | None:
        """The configuration that the units are from, by default the nearest one; None where they are from elsewhere."""
        if self.output_units is not None:
            return None
        if config is None and nearest(Path.cwd()) is not None:
            from massprops.checking.config import Config

            config = Config.find(Path.cwd())
        return config if config is not None and config.run.output_units is not None else None
