"""`massprops compute`: measure files and print what they are."""

from __future__ import annotations

import json
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from massprops.cli import options
from massprops.cli.options import FailOn, Format, OnInverted, OnOpen, Output, Products, Rings
from massprops.cli.output import check_output, deliver, progress, say, screen
from massprops.errors import InvalidInput, MasspropsError, ReadError
from massprops.measurement import SCHEMA, Measurement
from massprops.pipeline import measure
from massprops.readers import is_planar
from massprops.units import number

#: Exit codes, the better first: the worst of several files is returned.
_WORST = (0, 1, 3, 4, 2, 70)

_MATTER = "What it is made of"
_MEANING = "What the file means"
_PLANE = "Plane files"
_POLICY = "What is allowed"
_RESULT = "How the result is given"


@dataclass(frozen=True)
class Outcome:
    """What became of one input: a measurement or an error, and the exit code that it asks for."""

    path: str
    status: int
    measurement: Measurement | None = None
    error: MasspropsError | None = None


def compute(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...", help="Meshes (.stl .obj .ply …) and plane files (.dxf .svg .csv …); - is standard input."
        ),
    ],
    density: Annotated[
        str | None, typer.Option(help="kg/m³, or with a unit: 7800, 7.8g/cm3, 0.098lb/in3.", rich_help_panel=_MATTER)
    ] = None,
    mass: Annotated[str | None, typer.Option(help="kg, or with a unit: 1.2kg, 340g.", rich_help_panel=_MATTER)] = None,
    material: Annotated[
        str | None, typer.Option(help="A name from 'massprops materials'.", rich_help_panel=_MATTER)
    ] = None,
    area_density: Annotated[
        str | None,
        typer.Option(help="kg/m² of a sheet: of a section, or with --on-open shell.", rich_help_panel=_MATTER),
    ] = None,
    thickness: Annotated[
        str | None,
        typer.Option(
            help="Of a section: the solid from z = 0 to it; of a shell, with a density.", rich_help_panel=_MATTER
        ),
    ] = None,
    units: Annotated[
        str | None,
        typer.Option(
            metavar="UNIT",
            help="Length unit of the coordinates: mm, in … [default: the file's, else m]",
            rich_help_panel=_MEANING,
        ),
    ] = None,
    type: Annotated[
        str | None,
        typer.Option(
            "--type",
            "-t",
            metavar="FORMAT",
            help="Format of the files, if their suffix does not say it: stl.",
            rich_help_panel=_MEANING,
        ),
    ] = None,
    rings: Annotated[
        Rings, typer.Option(help="What is inside of the rings of a plane file.", rich_help_panel=_PLANE)
    ] = Rings.evenodd,
    layer: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Measure this layer only; may be repeated.", rich_help_panel=_PLANE),
    ] = None,
    gap: Annotated[
        str | None,
        typer.Option(
            metavar="LENGTH",
            help="Ends of loose pieces this near are one point. [default: 1e-6 of the size]",
            rich_help_panel=_PLANE,
        ),
    ] = None,
    centered: Annotated[
        bool, typer.Option("--centered", help="With --thickness: half of it below z = 0.", rich_help_panel=_PLANE)
    ] = False,
    combine: Annotated[
        bool, typer.Option("--combine", help="All files are parts of one section.", rich_help_panel=_PLANE)
    ] = False,
    ratio: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PART=N",
            help="Modulus ratio of a layer, or of a file with --combine; may be repeated.",
            rich_help_panel=_PLANE,
        ),
    ] = None,
    part_density: Annotated[
        list[str] | None,
        typer.Option(metavar="PART=DENSITY", help="Density of a part, with --thickness.", rich_help_panel=_PLANE),
    ] = None,
    on_open: Annotated[
        OnOpen, typer.Option(help="If the surface is not closed: refuse, or measure what.", rich_help_panel=_POLICY)
    ] = OnOpen.error,
    on_inverted: Annotated[
        OnInverted,
        typer.Option(help="If the surface is inside out: refuse, or turn it round.", rich_help_panel=_POLICY),
    ] = OnInverted.error,
    fail_on: Annotated[
        FailOn,
        typer.Option(help="Exit with 1 if there is a finding of this severity or worse.", rich_help_panel=_POLICY),
    ] = FailOn.error,
    pose: Annotated[
        str | None,
        typer.Option(
            metavar="'X Y Z R P Y'",
            help="Place the part: its pose in the parent frame; m and rad.",
            rich_help_panel=_RESULT,
        ),
    ] = None,
    frame: Annotated[
        str | None,
        typer.Option(
            metavar="'X Y Z R P Y'",
            help="Move the observer: report in a frame at this pose in the file.",
            rich_help_panel=_RESULT,
        ),
    ] = None,
    matrix: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="The --pose as a 4 × 4 matrix in a file.", rich_help_panel=_RESULT),
    ] = None,
    frame_matrix: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="The --frame as a 4 × 4 matrix in a file.", rich_help_panel=_RESULT),
    ] = None,
    about: Annotated[
        str | None,
        typer.Option(
            metavar="com|origin|X,Y[,Z]",
            help="The point that the inertia is taken about. [default: com; the table adds origin]",
            rich_help_panel=_RESULT,
        ),
    ] = None,
    products: Annotated[
        Products, typer.Option(help="Products of inertia: tensor elements −∫ρxy, or +∫ρxy.", rich_help_panel=_RESULT)
    ] = Products.tensor,
    format: Annotated[
        Format, typer.Option("--format", "-f", help="How the result is printed.", rich_help_panel=_RESULT)
    ] = Format.table,
    link: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Wrap the URDF inertial into <link name=NAME>.", rich_help_panel=_RESULT),
    ] = None,
    hash: Annotated[
        bool, typer.Option("--hash", help="Put the SHA-256 of each file into the JSON.", rich_help_panel=_RESULT)
    ] = False,
    output: Output = None,
) -> None:
    """Measure bodies: volume, area, mass, centre of mass and inertia."""
    if link is not None and (len(files) > 1 or format is not Format.urdf):
        raise InvalidInput("--link names the link of one URDF inertial", hint="give one file and --format urdf")
    if not combine and len(files) > 1 and (ratio or part_density):
        raise InvalidInput("--ratio and --part-density are of the parts of one section", hint="add --combine")
    if files.count("-") > 1:
        raise InvalidInput("standard input is named twice", hint="give - once")
    check_output(output, files)
    point = (
        None if about is None else options.parse_about(about, flat=combine or all(is_planar(f, type) for f in files))
    )
    settings: dict[str, Any] = {
        "density": density,
        "mass": mass,
        "material": material,
        "area_density": area_density,
        "thickness": thickness,
        "units": units,
        "on_open": on_open.value,
        "on_inverted": on_inverted.value,
        "pose": options.parse_pose("--pose", pose, matrix),
        "frame": options.parse_pose("--frame", frame, frame_matrix),
        "format": type,
        "hash": hash,
        "rings": None if rings is Rings.evenodd else rings.value,
        "layers": layer or (),
        "gap": gap,
        "centered": centered,
        "ratios": {k: number(v, name=f"ratio of {k}") for k, v in options.parse_parts("--ratio", ratio or []).items()},
        "densities": options.parse_parts("--part-density", part_density or []),
    }
    if combine:
        outcomes = [_measure(" + ".join(files), settings, fail_on, source=files)]
    else:
        outcomes = [_measure(path, settings, fail_on) for path in files]
    text = _render(outcomes, format, point, products.value, link, output)
    if text:
        deliver(text, output)
    raise typer.Exit(max((o.status for o in outcomes), key=_WORST.index))


def _measure(path: str, settings: dict[str, Any], fail_on: FailOn, source: list[str] | None = None) -> Outcome:
    """One file, whatever happens to it: the others shall not suffer. Or all files as one, named `path`."""
    try:
        result = measure(
            source or path, stdin=sys.stdin.buffer if path == "-" else None, progress=progress(path), **settings
        )
    except MasspropsError as error:
        say(str(error))
        return Outcome(path, error.exit_code, error=error)
    except OSError as error:  # in the middle of a file: a failing disk, a lost network drive
        lost = ReadError(f"{path}: reading stopped: {error.strerror or error}")
        say(str(lost))
        return Outcome(path, lost.exit_code, error=lost)
    except Exception as error:
        traceback.print_exc()
        defect = MasspropsError(f"{path}: a defect in massprops: {error!r}", hint="please report it with the traceback")
        say(str(defect))
        return Outcome(path, defect.exit_code, error=defect)
    return Outcome(path, int(options.failed(result.findings, fail_on)), measurement=result)


def _render(
    outcomes: list[Outcome], format: Format, about: Any, products: Any, link: str | None, output: str | None
) -> str:
    if format is Format.json:
        return _json(outcomes, about or "com", products)
    measured = [o.measurement for o in outcomes if o.measurement is not None]
    if format is Format.urdf:
        return _urdf(measured, link, several=len(outcomes) > 1)
    from massprops.report.table import one_body, several_bodies

    if len(outcomes) == 1:
        return "".join(one_body(m, about=about, products=products, screen=screen(output)) for m in measured)
    return several_bodies([(o.path, o.measurement, o.error) for o in outcomes], screen=screen(output))


def _json(outcomes: list[Outcome], about: Any, products: Any) -> str:
    indent = 2 if len(outcomes) == 1 else None
    return "".join(json.dumps(_object(o, about, products), indent=indent, allow_nan=False) + "\n" for o in outcomes)


def _object(outcome: Outcome, about: Any, products: Any) -> dict[str, object]:
    if outcome.measurement is not None:
        return outcome.measurement.to_dict(about=about, products=products)
    return {
        "schema": SCHEMA,
        "input": {"path": outcome.path},
        "error": outcome.error.to_dict() if outcome.error else None,
    }


def _urdf(measured: list[Measurement], link: str | None, *, several: bool) -> str:
    from massprops.writers import BODY_WRITERS

    for m in measured:
        for finding in m.findings:
            say(f"{m.input.path}: {finding.severity}: {finding.code}: {finding.message}")
    return "".join(BODY_WRITERS["urdf"](m, Path(m.input.path).stem if several else link) for m in measured)
