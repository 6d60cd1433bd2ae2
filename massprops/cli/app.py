"""The commands, by name."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from massprops._version import __version__
from massprops.cli.check import check
from massprops.cli.combine import CombineCommand, combine
from massprops.cli.compute import compute
from massprops.cli.convert import convert, transform
from massprops.cli.diff import diff
from massprops.cli.explain import explain
from massprops.cli.shape import shape
from massprops.cli.tables import materials, schema

app = typer.Typer(
    name="massprops",
    help="Measure bodies: volume, centre of mass and inertia of meshes, and whether the numbers can be trusted.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"massprops {__version__}")
        raise typer.Exit


@app.callback(epilog="Example: massprops compute part.stl --density 7800")
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Measure bodies: volume, centre of mass and inertia of meshes, and whether the numbers can be trusted."""


app.command(epilog="Example: massprops compute part.stl --units mm --density 7.8g/cm3 --format json")(compute)
app.command(epilog="Example: massprops check parts robot.urdf --require certified --baseline known.json")(check)
app.command(epilog="Example: massprops diff before.stl after.stl --units mm --density 7800")(diff)
app.command(epilog="Example: massprops convert robot.urdf#forearm --format mjcf --for mujoco")(convert)
app.command(epilog="Example: massprops transform result.json --pose '0 0 0.1  0 0 90deg' --about origin")(transform)
app.command(
    cls=CombineCommand, epilog="Example: massprops combine arm.json 2*bolt.json --at '0.1 0 0' motor.urdf#link_3"
)(combine)
app.command(epilog="Example: massprops shape cylinder --radius 20mm --length 0.1 --material steel --format urdf")(shape)
app.command(epilog="Example: massprops explain robot.urdf#forearm --against forearm.stl")(explain)
app.command(epilog="Example: massprops materials")(materials)
app.command(epilog="Example: massprops schema > massprops-1.schema.json")(schema)


def command() -> Any:
    """The whole command line as one click command."""
    return typer.main.get_command(app)
