"""The commands, by name."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from massprops._version import __version__
from massprops.cli.compute import compute
from massprops.cli.tables import materials, schema

app = typer.Typer(
    name="massprops",
    help="Measure bodies: volume, centre of mass and inertia of meshes and plane sections, and whether the numbers can be trusted.",
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
    """Measure bodies: volume, centre of mass and inertia of meshes and plane sections, and whether the numbers can be trusted."""


app.command(epilog="Example: massprops compute part.stl --units mm --density 7.8g/cm3 --format json")(compute)
app.command(epilog="Example: massprops materials")(materials)
app.command(epilog="Example: massprops schema > massprops-1.schema.json")(schema)


def command() -> Any:
    """The whole command line as one click command."""
    return typer.main.get_command(app)
