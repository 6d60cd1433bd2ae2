"""`massprops shape`: closed forms by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from massprops.cli import options
from massprops.cli.groups import OUTPUT, POSE, Group, Text, command, option
from massprops.cli.measuring import MassSpecification
from massprops.cli.output_format import BodyOutput
from massprops.cli.streams import deliver

_LENGTHS = "Lengths of the shape: metres, or with a unit"


def _length(help: str) -> typer.models.OptionInfo:
    found: typer.models.OptionInfo = option(_LENGTHS, help, metavar="LENGTH")
    return found


@dataclass(frozen=True, kw_only=True)
class Lengths(Group):
    """The lengths of all shapes."""

    x: Annotated[Text, _length("Edge of a box or plate along x.")] = None
    y: Annotated[Text, _length("Edge along y.")] = None
    z: Annotated[Text, _length("Edge along z.")] = None
    radius: Annotated[Text, _length("Radius; of a torus, to the middle of its tube.")] = None
    length: Annotated[Text, _length("Length along z; of a capsule, without its ends.")] = None
    height: Annotated[Text, _length("Height of a cone or of a triangle.")] = None
    outer_radius: Annotated[Text, _length("Of a tube.")] = None
    inner_radius: Annotated[Text, _length("Of a tube.")] = None
    tube_radius: Annotated[Text, _length("Of the tube of a torus.")] = None
    rx: Annotated[Text, _length("Semi-axis of an ellipsoid along x.")] = None
    ry: Annotated[Text, _length("Semi-axis along y.")] = None
    rz: Annotated[Text, _length("Semi-axis along z.")] = None
    inner_rx: Annotated[Text, _length("Of a homoeoid: of its inner ellipsoid, which is similar to the outer one.")] = (
        None
    )
    base: Annotated[Text, _length("Base of a triangle, along x.")] = None
    apex: Annotated[Text, _length("Where along x the apex of a triangle is.")] = None


@command
def shape(
    name: Annotated[
        str,
        typer.Argument(
            metavar="SHAPE",
            help="box, sphere, ellipsoid, homoeoid, cylinder, tube, cone, capsule, torus, triangular-prism; the thin ones box-shell, "
            "sphere-shell, ellipsoid-shell, cylinder-shell, cone-shell, capsule-shell, torus-shell, pipe, disc, plate; rod, point.",
        ),
    ],
    lengths: Lengths,
    mass: MassSpecification,
    output: BodyOutput,
    pose: Annotated[Text, option(OUTPUT, "Place the shape: its pose in the parent frame.", metavar=POSE)] = None,
    matrix: Annotated[Text, option(OUTPUT, "The --pose as a 4 × 4 matrix in a file.", metavar="FILE")] = None,
) -> None:
    """Mass, centre and inertia of a shape in closed form, about axes through its own frame (z is its axis)."""
    from massprops.cli.rendering import render
    from massprops.formats.inertial import NamedBody
    from massprops.rigid_body.mass_specification import Matter
    from massprops.rigid_body.shapes_by_name import made

    point = options.parse_about(output.about)
    motion = options.parse_pose("--pose", pose, matrix)
    matter = Matter.parse(**vars(mass))
    matter.check_no_tolerance()
    body = made(name, lengths.given(), matter)
    if motion is not None:
        body = body.transformed(motion)
    # a dialect puts a body with a name into a link: only if --link asks for it
    shown = NamedBody(output.link if output.is_dialect and not output.is_rows else name, body, "", "shape")
    text, status = render([shown], output, point)
    deliver(text, output.output)
    raise typer.Exit(status)
