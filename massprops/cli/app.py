"""The commands, by name; only the one that is asked for is imported and built, since building all takes as long as measuring a part."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any

import typer

from massprops._version import __version__
from massprops.formats.files import size_limit
from massprops.values import dataclass


@dataclass(frozen=True)
class Entry:
    """A command: ``module:function`` below `massprops.cli`, what its help ends in, and its class in the same module, if it has one."""

    function: str
    example: str
    cls: str | None = None


COMMANDS = {
    "compute": Entry("compute:compute", "compute part.stl --units mm --density 7.8g/cm3 --format json"),
    "check": Entry("check:check", "check parts robot.urdf --require certified --baseline known.json"),
    "fill": Entry("fill:fill", "fill robot.urdf --density 1240 --diff"),
    "plot": Entry("plot:plot", "plot part.stl --view all --show axes,ellipsoid,com,defects -o part.png"),
    "report": Entry("report:report", "report part.stl robot.urdf section.dxf --density 7800 -o report.html"),
    "repair": Entry("repair:repair", "repair part.stl -o mended.stl"),
    "diff": Entry("diff:diff", "diff before.stl after.stl --units mm --density 7800"),
    "convert": Entry("convert:convert", "convert robot.urdf#forearm --format mjcf --for mujoco"),
    "transform": Entry("convert:transform", "transform result.json --pose '0 0 0.1  0 0 90deg' --about origin"),
    "combine": Entry(
        "combine:combine", "combine arm.json 2*bolt.json --at '0.1 0 0' motor.urdf#link_3", cls="CombineCommand"
    ),
    "shape": Entry("shape:shape", "shape cylinder --radius 20mm --length 0.1 --material steel --format urdf"),
    "explain": Entry("explain:explain", "explain robot.urdf#forearm --against forearm.stl"),
    "materials": Entry("reference:materials", "materials alu"),
    "init": Entry("init:init", "init parts"),
    "schema": Entry("reference:schema", "schema > massprops-1.schema.json"),
}


def _version(given: bool) -> None:
    if given:
        from massprops import core

        typer.echo(f"massprops {__version__} ({core.description()})")
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
        _register(app, known)
    return typer.main.get_command(app)


def _register(app: typer.Typer, name: str) -> None:
    entry = COMMANDS[name]
    module, function = entry.function.split(":")
    home = import_module(f"massprops.cli.{module}")
    cls = getattr(home, entry.cls) if entry.cls else None
    app.command(name, cls=cls, epilog=f"Example: massprops {entry.example}")(getattr(home, function))
