"""The commands as typer has them, for help and completion.

Tests: `tests/cli/test_help.py`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING
from functools import wraps
from typing import Annotated, Any, Optional

import typer

from massprops.cli import groups
from massprops.cli.app import COMMANDS, HELP_ALL, LONG, root


def command(name: str | None = None) -> Any:
    """The command line as one click command: with the command `name` alone if there is one, else with all of them."""
    app = typer.Typer(
        name="massprops",
        help=root.__doc__,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(epilog="Example: massprops compute part.stl --density 7800")(_typed(root))
    for known in [name] if name in COMMANDS else COMMANDS:
        function, _ = COMMANDS[known].load()
        app.command(known, epilog=f"Example: massprops {COMMANDS[known].example}")(_typed(function, known))
    return typer.main.get_command(app)


def _typed(function: Callable[..., Any], name: str = "") -> Callable[..., Any]:
    """The function with the fields of its groups as parameters, as typer reads them."""

    @wraps(function)
    def run(**values: Any) -> Any:
        values.pop(HELP_ALL.name, None)  # shells complete it; the program has answered it
        return groups.call(function, values)

    parameters = [
        _parameter(d) for d in (*groups.declarations(function, is_root=not name), *[HELP_ALL][: name in LONG])
    ]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    run.__doc__ = _without_markup(function.__doc__ or "")
    return run


def _without_markup(text: str) -> str:
    """A text whose brackets are shown: to rich they are markup."""
    return text.replace("[", "\\[")


def _parameter(d: groups.CommandParameter) -> inspect.Parameter:
    told = d.field.metadata
    rules: dict[str, Any] = {name: told[name] for name in ("metavar", "min", "max") if name in told}
    rules["help"] = _without_markup(told["help"])
    if complete := told.get("complete"):
        rules["autocompletion"] = lambda incomplete: [
            w for w in complete() if w.casefold().startswith(incomplete.casefold())
        ]
    rules |= {} if d.is_argument else {"rich_help_panel": told["panel"]}
    info = typer.Argument(**rules) if d.is_argument else typer.Option(*d.spellings, **rules)
    default = inspect.Parameter.empty if d.field.default is MISSING else d.field.default
    kind: Any = d.type if default is not None else Optional[d.type]  # noqa: UP045  # a type that is computed
    return inspect.Parameter(d.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, info])
