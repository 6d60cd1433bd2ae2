"""`massprops explain`: why an inertial is impossible, or not that of its geometry."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from massprops.cli.groups import OUTPUT, REFERENCE, AllowOutside, Package, Text, command, option
from massprops.cli.options import FailOn, LinkGeometry, failed, finder_of, format_for, package_path, parse_packages
from massprops.cli.output_format import File
from massprops.cli.streams import check_output, deliver, screen
from massprops.errors import InvalidInput

if TYPE_CHECKING:
    from massprops.diagnosis.geometry_comparison import Reference
    from massprops.formats.inertial import NamedBody
    from massprops.formats.robot.mesh_paths import Finder

_NUMBERS = "Numbers, if there is no file"


@command
def explain(
    file: Annotated[
        str | None,
        typer.Argument(metavar="FILE[#LINK]", help="URDF, SDF, MJCF, USD, a JSON result, CSV, a ten-vector."),
    ] = None,
    mass: Annotated[Text, option(_NUMBERS, "kg, or with a unit.")] = None,
    com: Annotated[Text, option(_NUMBERS, "Centre of mass, m. [default: 0 0 0]", metavar="'X Y Z'")] = None,
    inertia: Annotated[
        Text,
        option(
            _NUMBERS,
            "About the centre of mass, kg m²: Ixx Ixy Ixz Iyy Iyz Izz, or nine, row by row.",
            metavar="NUMBERS",
        ),
    ] = None,
    against: Annotated[Text, option(REFERENCE, "Mesh of the part, in the frame of the link.", metavar="MESH")] = None,
    units: Annotated[
        Text, option(REFERENCE, "Length unit of the --against file. [default: as it states, else m]", metavar="UNIT")
    ] = None,
    geometry: Annotated[
        LinkGeometry, option(REFERENCE, "Without --against: which geometry of the link itself.")
    ] = "auto",
    package: Package = None,
    allow_outside: AllowOutside = False,
    format: Annotated[
        Literal["table", "json"] | None,
        option(OUTPUT, "Output format. [default: by the suffix of --output, else table]", "--format", "-f"),
    ] = None,
    fail_on: Annotated[FailOn, option(OUTPUT, "Exit 1 if there is a finding of this severity or worse.")] = "error",
    output: File = None,
) -> None:
    """Explain whether a mass, centre and inertia are possible, which shape they belong to, and which mistake is likely.

    Every mistake is a hypothesis, with the corrected numbers; nothing is changed.
    """
    from massprops.diagnosis.explanation import explain as explained

    kind = format_for(format, output, {".json": "json", ".jsonl": "json"}, "table")
    check_output(output, [f for f in (against, file) if f])
    if units is not None and against is None:
        raise InvalidInput("--units is the unit of the --against file, and there is none")
    body = _stated(file, mass, com, inertia, finder_of(package, allow_outside))
    reference, remarks = _reference(body, file, against, units, geometry, package, allow_outside)
    found = explained(body, reference)
    if kind == "json":
        text = json.dumps(found.to_dict() | {"remarks": remarks}) + "\n"
    else:
        from massprops.report.explain import explanation_text

        text = explanation_text(found, remarks, screen(output))
    deliver(text, output)
    raise typer.Exit(int(failed(found.findings, fail_on)))


def _stated(
    file: str | None, mass: str | None, com: str | None, inertia: str | None, finder: Callable[[str], Finder]
) -> NamedBody:
    """The body of the file, or of the numbers."""
    given = [name for name, value in (("--mass", mass), ("--com", com), ("--inertia", inertia)) if value is not None]
    if file is not None and given:
        raise InvalidInput(f"{file} states its numbers, and so does {given[0]}", hint="give one of them")
    if file is not None:
        return _from_file(file, finder)
    if mass is None or inertia is None:
        raise InvalidInput(
            "no file and no numbers given", hint="name a file, as robot.urdf#link, or give --mass and --inertia"
        )
    return _from_numbers(mass, com or "0 0 0", inertia)


def _from_file(file: str, finder: Callable[[str], Finder]) -> NamedBody:
    from massprops.formats.inertial.opening import open_bodies

    from_stdin = file.partition("#")[0] == "-"
    bodies = open_bodies(file, stdin=sys.stdin.buffer if from_stdin else None, finder=finder).bodies
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
            f"--inertia needs 6 or 9 numbers, got {len(words)}", hint="Ixx Ixy Ixz Iyy Iyz Izz, or nine row by row"
        )
    values = [number(word, name="--inertia") for word in words]
    point = com.replace(",", " ").split()
    if len(point) != 3:
        raise InvalidInput(f"--com needs 3 numbers, got {len(point)}")
    if len(values) == 6:
        xx, xy, xz, yy, yz, zz = values
        tensor = symmetric(xx, yy, zz, xy, xz, yz)
    else:
        tensor = [values[i : i + 3] for i in (0, 3, 6)]  # type: ignore[assignment]
    negative = mass.strip().startswith("-")  # a sign may be the mistake that is looked for
    kilograms = parse_mass(mass.strip().lstrip("-"), name="--mass")
    body = MassProperties(-kilograms if negative else kilograms, [parse_length(p, name="--com") for p in point], tensor)  # type: ignore[arg-type]
    return NamedBody(None, body)


def _reference(
    body: NamedBody,
    file: str | None,
    against: str | None,
    units: str | None,
    which: LinkGeometry,
    packages: list[str] | None,
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
        or which == "none"
        or body.name is None
        or body.dialect not in ("urdf", "sdf", "mjcf")
        or (path := Address.parse(file).path) == "-"
    ):
        return None, []
    from massprops.diagnosis.robot_links import LinkOptions, link_reference

    options = LinkOptions(which, parse_packages(packages), package_path(), allow_outside)
    reference, findings = link_reference(path, body.name, options)
    return reference, [f.message for f in findings]
