"""`massprops compute`: measure files and print what they are."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Annotated, Any

import typer

from massprops.cli import options
from massprops.cli.options import (
    WORST,
    FailOn,
    Format,
    Nested,
    OnInverted,
    OnOpen,
    OnOverlap,
    Output,
    Products,
    Rings,
    Verify,
)
from massprops.cli.output_format import Style
from massprops.cli.streams import check_output, cores, deliver, progress, say, screen
from massprops.errors import InvalidInput, MasspropsError, ReadError
from massprops.formats.registry import is_planar
from massprops.measurement.pipeline import LINES, Plan, Progress
from massprops.measurement.plane_source import Wanted
from massprops.measurement.result import Measurement
from massprops.mesh.enclosed_solid import Policies
from massprops.rigid_body.as_json import SCHEMA
from massprops.rigid_body.mass_specification import Matter
from massprops.units import number

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
    traceback: str = ""


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
            help="Length unit of the coordinates: mm, in …; if not given, the file's own, else m.",
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
    on_overlap: Annotated[
        OnOverlap,
        typer.Option(
            help="If points are bounded more than once: refuse above 0.1 % of the volume, count them so, or estimate the union.",
            rich_help_panel=_POLICY,
        ),
    ] = OnOverlap.error,
    nested: Annotated[
        Nested,
        typer.Option(
            help="A body inside another, wound the same way: refuse, a cavity, or solid.", rich_help_panel=_POLICY
        ),
    ] = Nested.ask,
    verify: Annotated[
        Verify,
        typer.Option(
            help="What has to hold: nothing, a closed surface, or also w in {0, 1} on lines.", rich_help_panel=_POLICY
        ),
    ] = Verify.xray,
    lines: Annotated[
        int, typer.Option(min=1, help="Lines per side of the X-ray's three lattices.", rich_help_panel=_POLICY)
    ] = LINES,
    fail_on: Annotated[
        FailOn,
        typer.Option(help="Exit with 1 if there is a finding of this severity or worse.", rich_help_panel=_POLICY),
    ] = FailOn.error,
    chord_tolerance: Annotated[
        str | None,
        typer.Option(
            metavar="LENGTH",
            help="How far facets or outlines may be from the true ones: the export's setting.",
            rich_help_panel=_MEANING,
        ),
    ] = None,
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
            help="The point that the inertia is taken about: com, if not given; the table adds a second one.",
            rich_help_panel=_RESULT,
        ),
    ] = None,
    products: Annotated[
        Products, typer.Option(help="Products of inertia: tensor elements −∫ρxy, or +∫ρxy.", rich_help_panel=_RESULT)
    ] = Products.tensor,
    format: Annotated[
        Format, typer.Option("--format", "-f", help="How the result is printed.", rich_help_panel=_RESULT)
    ] = Format.table,
    link: options.Link = None,
    principal: options.Principal = False,
    digits: options.Digits = None,
    consumer: options.For = None,
    rotation: options.SdfRotation = options.Rotation.rpy,
    order: options.TenOrder = options.Order.pinocchio,
    hash: Annotated[
        bool, typer.Option("--hash", help="Put the SHA-256 of each file into the JSON.", rich_help_panel=_RESULT)
    ] = False,
    exact: Annotated[
        bool,
        typer.Option(
            "--exact", help="Sum without any rounding; every number is rounded once.", rich_help_panel=_RESULT
        ),
    ] = False,
    jobs: Annotated[
        int,
        typer.Option(
            "--jobs", "-j", min=0, help="Processes: for many files, or for one large binary STL. 0 takes all cores."
        ),
    ] = 1,
    output: Output = None,
) -> None:
    """Measure bodies: volume, area, mass, centre of mass and inertia."""
    style = Style.parse(
        format, principal=principal, digits=digits, consumer=consumer, rotation=rotation, order=order, link=link
    )
    if link is not None and len(files) > 1:
        raise InvalidInput("--link names one body", hint="give one file")
    if not combine and len(files) > 1 and (ratio or part_density):
        raise InvalidInput("--ratio and --part-density are of the parts of one section", hint="add --combine")
    if files.count("-") > 1:
        raise InvalidInput("standard input is named twice", hint="give - once")
    check_output(output, [*files, *(f for f in (matrix, frame_matrix) if f is not None)])
    if format not in (Format.table, Format.json) and (about is not None or products is not Products.tensor):
        raise InvalidInput(
            f"--about and --products do not go with --format {format.value}, which has its own point and sign",
            hint="leave them out, or use --format json",
        )
    point = (
        None if about is None else options.parse_about(about, flat=combine or all(is_planar(f, type) for f in files))
    )
    matter = Matter.parse(density=density, mass=mass, material=material, area_density=area_density, thickness=thickness)
    if format not in (Format.table, Format.json) and not matter.is_known:
        raise _no_mass(format.value)
    plan = Plan.parse(
        matter=matter,
        units=units,
        policies=Policies(on_open.value, on_inverted.value, on_overlap.value, nested.value, verify.value, lines),
        chord_tolerance=chord_tolerance,
        pose=options.parse_pose("--pose", pose, matrix),
        frame=options.parse_pose("--frame", frame, frame_matrix),
        format=type,
        hash=hash,
        exact=exact,
        jobs=1 if len(files) > 1 else cores(jobs),
        planar=Wanted(
            rings=None if rings is Rings.evenodd else rings.value,
            layers=tuple(layer or ()),
            gap=gap,
            centered=centered,
            ratios={k: number(v, name=f"ratio of {k}") for k, v in options.parse_parts("--ratio", ratio or []).items()},
            densities=options.parse_parts("--part-density", part_density or []),
        ),
    )
    if combine:
        outcomes = list(_told([_measure(" + ".join(files), plan, fail_on, point or "com", source=files)]))
    else:
        outcomes = list(_outcomes(files, plan, fail_on, point or "com", cores(jobs)))
    text, status = _render(outcomes, style, point, products.value, output, fail_on)
    if text:
        deliver(text, output)
    raise typer.Exit(max((status, *(o.status for o in outcomes)), key=WORST.index))


def _outcomes(files: list[str], plan: Plan, fail_on: FailOn, about: Any, jobs: int) -> Iterator[Outcome]:
    """What became of every file, in their order, and a line on stderr for each that failed."""
    if jobs > 1 and len(files) > 1 and "-" not in files:
        from massprops.measurement.parallel import pool

        with pool(min(jobs, len(files))) as workers:
            yield from _told(workers.map(_measure, files, repeat(plan), repeat(fail_on), repeat(about)))
    else:
        yield from _told(_measure(path, plan, fail_on, about, progress(path)) for path in files)


def _told(outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
    for outcome in outcomes:
        if outcome.traceback:
            sys.stderr.write(outcome.traceback)
        if outcome.error is not None:
            say(str(outcome.error))
        yield outcome


def _measure(
    path: str,
    plan: Plan,
    fail_on: FailOn,
    about: Any,
    report: Progress | None = None,
    source: list[str] | None = None,
) -> Outcome:
    """One file, whatever happens to it: the others shall not suffer. Or all files as one section, named `path`."""
    try:
        result = plan.measure(source or path, stdin=sys.stdin.buffer if path == "-" else None, progress=report)
        result.to_dict(about=about)  # what cannot be printed is this file's failure, not that of all
    except InvalidInput as error:
        told = error.of(path) if error.code == InvalidInput.default_code and path != "-" else error
        return Outcome(path, told.exit_code, error=told)
    except MasspropsError as error:
        return Outcome(path, error.exit_code, error=error)
    except OSError as error:  # in the middle of a file: a failing disk, a lost network drive
        lost = ReadError(f"{path}: reading stopped: {error.strerror or error}")
        return Outcome(path, lost.exit_code, error=lost)
    except Exception as error:
        import traceback

        defect = MasspropsError(f"{path}: a defect in massprops: {error!r}", hint="please report it with the traceback")
        return Outcome(path, defect.exit_code, error=defect, traceback=traceback.format_exc())
    return Outcome(path, int(options.failed(result.findings, fail_on)), measurement=result)


def _render(
    outcomes: list[Outcome], style: Style, about: Any, products: Any, output: str | None, fail_on: FailOn
) -> tuple[str, int]:
    """The results as text, and the exit code that the form adds to those of the files."""
    if style.format is Format.json:
        return _json(outcomes, about or "com", products), 0
    measured = [o.measurement for o in outcomes if o.measurement is not None]
    if style.is_dialect:
        return _dialect(measured, style, fail_on, several=len(outcomes) > 1)
    from massprops.report.measurement import one_body, several_bodies

    if len(outcomes) == 1:
        return "".join(one_body(m, about=about, products=products, screen=screen(output)) for m in measured), 0
    return several_bodies([(o.path, o.measurement, o.error) for o in outcomes], screen=screen(output)), 0


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


def _dialect(measured: list[Measurement], style: Style, fail_on: FailOn, *, several: bool) -> tuple[str, int]:
    """Bodies of known mass in a dialect; what was found goes to stderr, since there is no room for it in the text."""
    from massprops.cli.rendering import in_dialect
    from massprops.formats.inertial import NamedBody

    bodies = []
    for m in measured:
        if m.properties is None:
            raise _no_mass(style.format.value)
        name = Path(m.input.path).stem if several else style.link
        bodies.append(NamedBody(name, m.properties, m.input.path, m.input.format, m.findings))
    names = [b.name for b in bodies]
    for name in sorted({n for n in names if n is not None and names.count(n) > 1}):
        say(f"warning: {names.count(name)} bodies have the same name {name!r}")
    return in_dialect(bodies, style, fail_on) if bodies else ("", 0)


def _no_mass(dialect: str) -> InvalidInput:
    from massprops.formats.inertial import DIALECTS

    message = f"{DIALECTS[dialect].title} needs a mass, and only the geometry is known"
    return InvalidInput(message, hint="give --density, --material or --mass")
