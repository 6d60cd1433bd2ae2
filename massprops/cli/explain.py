"""`massprops explain`: why an inertial is impossible, or not that of its geometry."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from massprops.cli.options import FailOn, Output, failed
from massprops.cli.streams import check_output, deliver, screen
from massprops.errors import InvalidInput

if TYPE_CHECKING:
    from massprops.diagnosis.geometry_comparison import Reference
    from massprops.formats.inertial import NamedBody

_NUMBERS = "The numbers, if there is no file"
_GEOMETRY = "What they are held against"


class ExplainFormat(StrEnum):
    """How an explanation is printed."""

    table = "table"
    json = "json"


class Which(StrEnum):
    """Which geometry of a link is taken."""

    auto = "auto"
    visual = "visual"
    collision = "collision"
    none = "none"


def explain(
    file: Annotated[
        str | None,
        typer.Argument(metavar="FILE[#LINK]", help="URDF, SDF, MJCF, USD, a JSON result, CSV, a ten-vector."),
    ] = None,
    mass: Annotated[str | None, typer.Option(help="kg, or with a unit.", rich_help_panel=_NUMBERS)] = None,
    com: Annotated[
        str | None,
        typer.Option(metavar="'X Y Z'", help="Centre of mass, m. [default: 0 0 0]", rich_help_panel=_NUMBERS),
    ] = None,
    inertia: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS",
            help="About the centre of mass, kg m²: Ixx Ixy Ixz Iyy Iyz Izz, or nine, row by row.",
            rich_help_panel=_NUMBERS,
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(metavar="MESH", help="The part, in the frame of the link.", rich_help_panel=_GEOMETRY),
    ] = None,
    units: Annotated[
        str | None,
        typer.Option(help="Length unit of that file. [default: as it states, else m]", rich_help_panel=_GEOMETRY),
    ] = None,
    geometry: Annotated[
        Which, typer.Option(help="Without --against: the link's own geometry.", rich_help_panel=_GEOMETRY)
    ] = Which.auto,
    package: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=FOLDER",
            help="Where package://NAME is; also looked for in ROS_PACKAGE_PATH and around the file.",
            rich_help_panel=_GEOMETRY,
        ),
    ] = None,
    allow_outside: Annotated[
        bool, typer.Option("--allow-outside", help="Read meshes outside the robot's folder.", rich_help_panel=_GEOMETRY)
    ] = False,
    format: Annotated[
        ExplainFormat, typer.Option("--format", "-f", help="How the explanation is printed.")
    ] = ExplainFormat.table,
    fail_on: Annotated[
        FailOn, typer.Option(help="The least severity of a finding that makes the exit code 1.")
    ] = FailOn.error,
    output: Output = None,
) -> None:
    """Say whether a mass, centre and inertia are possible, what shape they claim, and which slip was likely made.

    Every slip is a hypothesis, with the corrected numbers ready to paste; nothing is ever applied.
    """
    from massprops.diagnosis.explanation import explain as explained

    check_output(output, [f for f in (against, (file or "").rpartition("#")[0] or file) if f])
    if units is not None and against is None:
        raise InvalidInput("--units is that of the --against file, and there is none")
    body = _stated(file, mass, com, inertia)
    reference, remarks = _reference(body, file, against, units, geometry, package or [], allow_outside)
    found = explained(body, reference)
    if format is ExplainFormat.json:
        text = json.dumps(found.to_dict() | {"remarks": remarks}) + "\n"
    else:
        from massprops.report.explain import explanation_text

        text = explanation_text(found, remarks, screen(output))
    deliver(text, output)
    raise typer.Exit(int(failed(found.findings, fail_on)))


def _stated(file: str | None, mass: str | None, com: str | None, inertia: str | None) -> NamedBody:
    """The body of the file, or of the numbers."""
    given = [name for name, value in (("--mass", mass), ("--com", com), ("--inertia", inertia)) if value is not None]
    if file is not None and given:
        raise InvalidInput(f"{file} states its numbers, and so does {given[0]}", hint="give one of them")
    if file is not None:
        return _from_file(file)
    if mass is None or inertia is None:
        raise InvalidInput(
            "a file, or --mass and --inertia, are wanted", hint="for example: massprops explain robot.urdf#link"
        )
    return _from_numbers(mass, com or "0 0 0", inertia)


def _from_file(file: str) -> NamedBody:
    from massprops.formats.inertial.opening import open_bodies

    from_stdin = file.partition("#")[0] == "-"
    bodies = open_bodies(file, stdin=sys.stdin.buffer if from_stdin else None).bodies
    if len(bodies) != 1:
        names = ", ".join(b.name or b.place for b in bodies[:8]) + (" …" if len(bodies) > 8 else "")
        raise InvalidInput(f"{file}: has {len(bodies)} bodies: {names}", hint=f"name one: {file}#{bodies[0].name}")
    return bodies[0]


def _from_numbers(mass: str, com: str, inertia: str) -> NamedBody:
    from massprops.formats.inertial import NamedBody
    from massprops.formats.inertial.inertial import symmetric
    from massprops.rigid_body.mass_properties import MassProperties
    from massprops.units import number, parse_length, parse_mass

    words = inertia.replace(",", " ").split()
    if len(words) not in (6, 9):
        raise InvalidInput(
            f"--inertia has {len(words)} numbers, 6 or 9 are wanted", hint="Ixx Ixy Ixz Iyy Iyz Izz, or nine row by row"
        )
    values = [number(word, name="--inertia") for word in words]
    point = com.replace(",", " ").split()
    if len(point) != 3:
        raise InvalidInput(f"--com has {len(point)} numbers, 3 are wanted")
    if len(values) == 6:
        xx, xy, xz, yy, yz, zz = values
        tensor = symmetric(xx, yy, zz, xy, xz, yz)
    else:
        tensor = [values[i : i + 3] for i in (0, 3, 6)]  # type: ignore[assignment]
    negative = mass.strip().startswith("-")  # a sign may be the slip that is looked for
    kilograms = parse_mass(mass.strip().lstrip("-"), name="--mass")
    body = MassProperties(-kilograms if negative else kilograms, [parse_length(p, name="--com") for p in point], tensor)  # type: ignore[arg-type]
    return NamedBody(None, body)


def _reference(
    body: NamedBody,
    file: str | None,
    against: str | None,
    units: str | None,
    which: Which,
    packages: list[str],
    allow_outside: bool,
) -> tuple[Reference | None, list[str]]:
    """The geometry, and what could not be taken as such."""
    from massprops.diagnosis.geometry_comparison import reference_of
    from massprops.formats.inertial.opening import Address

    if against is not None:
        from massprops.measurement.pipeline import measure

        return reference_of(measure(against, units=units, on_open="integrate")), []
    if (
        file is None
        or which.value == "none"
        or body.name is None
        or body.dialect not in ("urdf", "sdf", "mjcf")
        or (path := Address.parse(file).path) == "-"
    ):
        return None, []
    from massprops.cli.ros_packages import package_path, parse_packages
    from massprops.diagnosis.robot_links import LinkOptions, link_reference

    options = LinkOptions(cast("Any", which.value), parse_packages(packages), package_path(), allow_outside)
    reference, findings = link_reference(path, body.name, options)
    return reference, [f.message for f in findings]
