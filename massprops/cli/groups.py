"""Options of commands, as the defaults of parameters; groups of them that commands share are frozen dataclasses."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, field, fields
from functools import wraps
from typing import Annotated, Any, get_type_hints

import typer


@dataclass(frozen=True, kw_only=True)
class Group:
    """Base of all groups; the default of every field is an `option`."""

    def given(self) -> dict[str, Any]:
        """The options that were given, by name; the library has the defaults of the others."""
        return {f.name: value for f in fields(self) if (value := getattr(self, f.name)) not in (None, [])}


def option(panel: str | None, help: str, *names: str, default: Any = None, **rules: Any) -> Any:
    """An option in a panel of the help, as the default of a parameter or field; its brackets are text, not markup."""
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
