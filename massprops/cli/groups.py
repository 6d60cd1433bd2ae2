"""Options of commands, as the defaults of parameters; groups of them that commands share are frozen dataclasses."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, field, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

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
    if complete := rules.pop("complete", None):
        rules["autocompletion"] = lambda incomplete: [
            w for w in complete() if w.casefold().startswith(incomplete.casefold())
        ]
    rules |= {"help": help.replace("[", "\\["), "rich_help_panel": panel}
    return field(default=default, metadata={"typer": (typer.Option, names, rules)})


def flag(panel: str | None, help: str, *names: str) -> Any:
    """A switch, ``--name`` without ``--no-name``."""
    return option(panel, help, *names, default=False)


def argument(metavar: str, help: str, *, default: Any = MISSING) -> Any:
    """An argument by its place, as the default of a parameter."""
    return field(default=default, metadata={"typer": (typer.Argument, (), {"metavar": metavar, "help": help})})


def _parameter(name: str, kind: Any, default: Any) -> inspect.Parameter:
    """As typer reads it."""
    declare, names, rules = default.metadata["typer"]
    if kind is bool and not names:
        names = (f"--{name.replace('_', '-')}",)
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if default.default is MISSING else default.default,
        annotation=Annotated[kind, declare(*names, **rules)],
    )


def command(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with the fields of its groups as parameters, as typer reads them."""
    hints = get_type_hints(function)
    groups: dict[str, type[Group]] = {
        name: kind for name, kind in hints.items() if isinstance(kind, type) and issubclass(kind, Group)
    }

    def parameters() -> Iterator[inspect.Parameter]:
        for name, parameter in inspect.signature(function).parameters.items():
            if name not in groups:
                yield _parameter(name, hints[name], parameter.default)
                continue
            types = get_type_hints(groups[name])
            yield from (_parameter(f.name, types[f.name], f) for f in fields(groups[name]))

    @wraps(function)
    def run(**values: Any) -> Any:
        grouped = {name: kind(**{f.name: values.pop(f.name) for f in fields(kind)}) for name, kind in groups.items()}
        return function(**values, **grouped)

    signature = inspect.Signature(list(parameters()))
    run.__signature__ = signature  # type: ignore[attr-defined]
    run.__annotations__ = {name: p.annotation for name, p in signature.parameters.items()}
    return run


#: Panels of the help that several commands have.
MATERIAL = "Material and mass"
UNITS = "Units and accuracy"
INVALID = "Invalid geometry"
OUTPUT = "Output"
REFERENCE = "Reference geometry"
POSE = "'X Y Z R P Y'"

Text = str | None


def format_option() -> Any:
    """The output format of a command, by name or by the suffix of its file."""
    return option(OUTPUT, "Output format. [default: by the suffix of --output, else table]", "--format", "-f")


def output_option() -> Any:
    """The file that a command writes."""
    return option(OUTPUT, "Write to FILE (atomically).", "--output", "-o", metavar="FILE")


@dataclass(frozen=True, kw_only=True)
class Shown(Group):
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
        from massprops.measurement.output_units import OutputUnits

        OutputUnits().chosen(self.output_units)  # a wrong unit is refused also where none is shown
        if self.verbose and self.quiet:
            raise InvalidInput("--verbose and --quiet are mutually exclusive", hint="give one of them")

    def units(self, config: Config | None = None) -> str | None:
        """The units that were asked for: on the command line, else in the configuration, by default the nearest one."""
        if self.output_units is None and config is None and nearest(Path.cwd()) is not None:
            from massprops.checking.config import Config

            config = Config.find(Path.cwd())
        return self.output_units or (config.run.output_units if config else None)
