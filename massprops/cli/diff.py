"""`massprops diff`: what changed between two bodies, files or folders."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from massprops.cli.options import WORST, FailOn, Nested, OnInverted, OnOpen, OnOverlap, Output, Verify, failed
from massprops.cli.streams import check_output, deliver, say, screen
from massprops.errors import InvalidInput, MasspropsError, ReadError
from massprops.units import parse_length, parse_mass

if TYPE_CHECKING:
    from massprops.diff import Comparison, Tolerances
    from massprops.measurement.pipeline import Plan

_ALLOWED = "What may differ"
_MEASURED = "How meshes are measured"
_SOURCE = "FILE[#LINK]|FOLDER"


class DiffFormat(StrEnum):
    """How a comparison is printed."""

    table = "table"
    json = "json"
    markdown = "markdown"


def diff(
    before: Annotated[
        str,
        typer.Argument(
            metavar=_SOURCE,
            help="A mesh, a result, a robot file or a link of it, or a folder; - is an inertial on standard input.",
        ),
    ],
    after: Annotated[str, typer.Argument(metavar=_SOURCE, help="What became of it.")],
    rtol: Annotated[
        float,
        typer.Option(min=0, max=1, help="Relative; for coordinates, of the body's size.", rich_help_panel=_ALLOWED),
    ] = 1e-6,
    atol_length: Annotated[
        str | None, typer.Option(metavar="LENGTH", help="Of coordinates: 0.1mm.", rich_help_panel=_ALLOWED)
    ] = None,
    atol_mass: Annotated[
        str | None, typer.Option(metavar="MASS", help="Of the mass: 5g.", rich_help_panel=_ALLOWED)
    ] = None,
    atol_angle: Annotated[
        float, typer.Option(metavar="DEG", min=0, max=180, help="Of principal axes.", rich_help_panel=_ALLOWED)
    ] = 0.0,
    fail_on: Annotated[
        FailOn, typer.Option(help="A finding of this severity that came is a change.", rich_help_panel=_ALLOWED)
    ] = FailOn.error,
    density: Annotated[str | None, typer.Option(help="kg/m³, or with a unit.", rich_help_panel=_MEASURED)] = None,
    material: Annotated[
        str | None, typer.Option(help="A name from 'massprops materials'.", rich_help_panel=_MEASURED)
    ] = None,
    units: Annotated[
        str | None, typer.Option(metavar="UNIT", help="Length unit of the coordinates.", rich_help_panel=_MEASURED)
    ] = None,
    chord_tolerance: Annotated[
        str | None, typer.Option(metavar="LENGTH", help="The exports' setting.", rich_help_panel=_MEASURED)
    ] = None,
    on_open: Annotated[OnOpen, typer.Option(help="As for compute.", rich_help_panel=_MEASURED)] = OnOpen.error,
    on_inverted: Annotated[
        OnInverted, typer.Option(help="As for compute.", rich_help_panel=_MEASURED)
    ] = OnInverted.error,
    on_overlap: Annotated[OnOverlap, typer.Option(help="As for compute.", rich_help_panel=_MEASURED)] = OnOverlap.error,
    nested: Annotated[Nested, typer.Option(help="As for compute.", rich_help_panel=_MEASURED)] = Nested.ask,
    verify: Annotated[Verify, typer.Option(help="As for compute.", rich_help_panel=_MEASURED)] = Verify.xray,
    all: Annotated[bool, typer.Option("--all", help="Also print numbers that did not change.")] = False,
    format: Annotated[
        DiffFormat, typer.Option("--format", "-f", help="How the comparison is printed.")
    ] = DiffFormat.table,
    output: Output = None,
) -> None:
    """Say what changed between two bodies, files or folders; exit with 1 if it is more than may differ."""
    from massprops.diff import Tolerances
    from massprops.measurement.pipeline import LINES, Plan
    from massprops.mesh.enclosed_solid import Policies
    from massprops.rigid_body.mass_specification import Matter

    tolerances = Tolerances(
        rtol,
        0.0 if atol_length is None else parse_length(atol_length, name="--atol-length"),
        0.0 if atol_mass is None else parse_mass(atol_mass, name="--atol-mass"),
        math.radians(atol_angle),
    )
    plan = Plan.parse(
        matter=Matter.parse(density=density, mass=None, material=material, area_density=None, thickness=None),
        policies=Policies(on_open.value, on_inverted.value, on_overlap.value, nested.value, verify.value, LINES),
        units=units,
        chord_tolerance=chord_tolerance,
        pose=None,
        frame=None,
        format=None,
        hash=False,
        jobs=1,
    )
    if before == after == "-":
        raise InvalidInput("standard input is named twice", hint="give - once")
    check_output(output, [before, after])
    found = [c for pair in _pairs(before, after) for c in _compared(*pair, plan, tolerances)]
    deliver(_render(found, format, all, output), output)
    raise typer.Exit(max((_status(c, fail_on) for c in found), key=WORST.index, default=0))


def _pairs(before: str, after: str) -> list[tuple[str | None, str | None]]:
    """What is compared with what: two files; or the files of two folders, by their names below these."""
    folders = Path(before).is_dir(), Path(after).is_dir()
    if not any(folders):
        return [(before, after)]
    if not all(folders):
        one, other = (before, after) if folders[0] else (after, before)
        raise InvalidInput(f"{one} is a folder and {other} is not", hint="compare two files or two folders")
    old, new = _below(before), _below(after)
    return [(old.get(name), new.get(name)) for name in sorted({*old, *new})]


def _below(folder: str) -> dict[str, str]:
    from massprops.checking.discovery import expand

    found = expand([folder])
    for path, reason in found.skipped.items():
        say(f"{path}: not compared: {reason}")
    if found.names == [folder]:
        raise InvalidInput(f"{folder}: holds no file to compare", code="no-files", hint="name another folder")
    return {Path(p).relative_to(folder).as_posix(): p for p in found.names}


def _compared(before: str | None, after: str | None, plan: Plan, tolerances: Tolerances) -> Iterator[Comparison]:
    """The comparisons of two files, or why there is none, told on stderr; the others shall not suffer."""
    from massprops.diff import Comparison, sides_of
    from massprops.diff.comparison import compare_all

    if before is None or after is None:
        yield Comparison(before, after)
        return
    try:
        old, new = (sides_of(name, plan, sys.stdin.buffer if name == "-" else None) for name in (before, after))
        yield from compare_all(old, new, tolerances)
    except (MasspropsError, OSError) as error:
        told = (
            error if isinstance(error, MasspropsError) else ReadError(f"{before}, {after}: {error.strerror or error}")
        )
        say(str(told))
        yield Comparison(before, after, error=told)


def _status(c: Comparison, fail_on: FailOn) -> int:
    if c.error is not None:
        return c.error.exit_code
    return int(c.verdict == "beyond" or failed(c.came, fail_on))


def _render(found: list[Comparison], format: DiffFormat, everything: bool, output: str | None) -> str:
    from massprops.report.diff import diff_markdown, diff_text

    if format is DiffFormat.json:
        return _json(found)
    if format is DiffFormat.markdown:
        return diff_markdown(found, everything=everything)
    return diff_text(found, screen(output), everything=everything)


def _json(found: list[Comparison]) -> str:
    """One object for one body, one line each for several."""
    from massprops._version import __version__
    from massprops.rigid_body.as_json import SCHEMA

    head = {"schema": SCHEMA, "massprops": __version__}
    objects = ({**head, "diff": c.to_dict()} for c in found)
    return "".join(json.dumps(o, indent=2 if len(found) == 1 else None, allow_nan=False) + "\n" for o in objects)
