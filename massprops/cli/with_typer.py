"""The commands as typer has them: help, completion, and what is wrong with a command line."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import MISSING
from functools import wraps
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from massprops._version import __version__
from massprops.cli import groups
from massprops.cli.app import COMMANDS
from massprops.formats.files import size_limit


def _version(given: bool) -> None:
    if given:
        from massprops import native

        typer.echo(f"massprops {__version__} ({native.description()})")
        raise typer.Exit


def _allow(ctx: typer.Context, max_bytes: int | None) -> None:
    ctx.with_resource(size_limit(max_bytes))


def root(
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    max_bytes: Annotated[
        int | None,
        typer.Option(
            "--max-bytes",
            metavar="N",
            min=1,
            callback=_allow,
            help="Largest file that is read. Default: 4 GiB for meshes (no limit for binary STL), 256 MiB for other files.",
        ),
    ] = None,
) -> None:
    """Measure bodies: volume, centre of mass and inertia of meshes and plane sections, and whether the numbers can be trusted."""


def command(name: str | None = None) -> Any:
    """The command line as one click command: with the command `name` alone if there is one, else with all of them."""
    app = typer.Typer(
        name="massprops",
        help="Measure bodies: volume, centre of mass and inertia of meshes, and whether the numbers can be trusted.",
        no_args_is_help=True,
        suggest_commands=False,  # massprops.cli knows files, too
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(epilog="Example: massprops compute part.stl --density 7800")(root)
    for known in [name] if name in COMMANDS else COMMANDS:
        function, order = COMMANDS[known].load()
        app.command(known, cls=_ordered(order), epilog=f"Example: massprops {COMMANDS[known].example}")(
            _typed(function)
        )
    return typer.main.get_command(app)


def _ordered(order: Callable[[Sequence[str]], list[str]]) -> type[TyperCommand]:
    """The class of a command whose words are put in order first."""

    class Ordered(TyperCommand):
        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            return super().parse_args(ctx, order(args))

    return Ordered


def _typed(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with the fields of its groups as parameters, as typer reads them."""

    @wraps(function)
    def run(**values: Any) -> Any:
        return groups.call(function, values)

    parameters = [_parameter(d) for d in groups.declared(function)]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    return run


def _parameter(d: groups.Declared) -> inspect.Parameter:
    rules = dict(d.field.metadata)
    rules["help"] = rules["help"].replace("[", "\\[")
    if d.is_argument:
        info = typer.Argument(**rules)
    else:
        names, complete = rules.pop("names"), rules.pop("complete", None)
        if complete is not None:
            rules["autocompletion"] = lambda incomplete: [
                w for w in complete() if w.casefold().startswith(incomplete.casefold())
            ]
        names = d.spellings if d.type is bool else names
        info = typer.Option(*names, rich_help_panel=rules.pop("panel"), **rules)
    default = inspect.Parameter.empty if d.field.default is MISSING else d.field.default
    return inspect.Parameter(
        d.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[d.type, info]
    )
