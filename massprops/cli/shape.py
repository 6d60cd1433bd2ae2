"""`massprops shape`: closed forms by name."""

from __future__ import annotations

from typing import Annotated

import typer

from massprops.cli import options
from massprops.cli.convert import About, Fail, Form, Sign
from massprops.cli.options import FailOn, Format, Output, Products
from massprops.cli.output_format import Style
from massprops.cli.streams import deliver

_LENGTHS = "Lengths of the shape: metres, or with a unit"
_MATTER = "What it is made of"


def _length(help: str) -> typer.models.OptionInfo:
    option: typer.models.OptionInfo = typer.Option(metavar="LENGTH", help=help, rich_help_panel=_LENGTHS)
    return option


def shape(
    name: Annotated[
        str,
        typer.Argument(
            metavar="SHAPE",
            help="box, sphere, ellipsoid, cylinder, tube, cone, capsule, torus, triangular-prism; the thin ones box-shell, "
            "sphere-shell, ellipsoid-shell, cylinder-shell, cone-shell, capsule-shell, torus-shell, pipe, disc, plate; rod, point.",
        ),
    ],
    x: Annotated[str | None, _length("Edge of a box or plate along x.")] = None,
    y: Annotated[str | None, _length("Edge along y.")] = None,
    z: Annotated[str | None, _length("Edge along z.")] = None,
    radius: Annotated[str | None, _length("Radius; of a torus, to the middle of its tube.")] = None,
    length: Annotated[str | None, _length("Length along z; of a capsule, without its ends.")] = None,
    height: Annotated[str | None, _length("Height of a cone or of a triangle.")] = None,
    outer_radius: Annotated[str | None, _length("Of a tube.")] = None,
    inner_radius: Annotated[str | None, _length("Of a tube.")] = None,
    tube_radius: Annotated[str | None, _length("Of the tube of a torus.")] = None,
    rx: Annotated[str | None, _length("Semi-axis of an ellipsoid along x.")] = None,
    ry: Annotated[str | None, _length("Semi-axis along y.")] = None,
    rz: Annotated[str | None, _length("Semi-axis along z.")] = None,
    base: Annotated[str | None, _length("Base of a triangle, along x.")] = None,
    apex: Annotated[str | None, _length("Where along x the apex of a triangle is.")] = None,
    density: Annotated[
        str | None, typer.Option(help="kg/m³, or with a unit: 7800, 7.8g/cm3.", rich_help_panel=_MATTER)
    ] = None,
    mass: Annotated[str | None, typer.Option(help="kg, or with a unit: 1.2kg, 340g.", rich_help_panel=_MATTER)] = None,
    material: Annotated[
        str | None, typer.Option(help="A name from 'massprops materials'.", rich_help_panel=_MATTER)
    ] = None,
    area_density: Annotated[
        str | None, typer.Option(help="kg/m² of a thin shape: 2kg/m2, 80gsm.", rich_help_panel=_MATTER)
    ] = None,
    thickness: Annotated[
        str | None, typer.Option(help="Of a thin shape, with a density: 1.5mm.", rich_help_panel=_MATTER)
    ] = None,
    pose: Annotated[
        str | None, typer.Option(metavar="'X Y Z R P Y'", help="Place the shape: its pose in the parent frame.")
    ] = None,
    matrix: Annotated[str | None, typer.Option(metavar="FILE", help="The --pose as a 4 × 4 matrix in a file.")] = None,
    format: Form = Format.table,
    link: options.Link = None,
    principal: options.Principal = False,
    digits: options.Digits = None,
    consumer: options.For = None,
    rotation: options.SdfRotation = options.Rotation.rpy,
    order: options.TenOrder = options.Order.pinocchio,
    about: About = None,
    products: Sign = Products.tensor,
    fail_on: Fail = FailOn.error,
    output: Output = None,
) -> None:
    """Mass, centre and inertia of a shape in closed form, about axes through its own frame (z is its axis)."""
    from massprops.cli.rendering import render
    from massprops.formats.inertial import NamedBody
    from massprops.rigid_body.mass_specification import Matter
    from massprops.rigid_body.shapes_by_name import made

    style = Style.parse(
        format, principal=principal, digits=digits, consumer=consumer, rotation=rotation, order=order, link=link
    )
    point = None if about is None else options.parse_about(about)
    motion = options.parse_pose("--pose", pose, matrix)
    matter = Matter.parse(density=density, mass=mass, material=material, area_density=area_density, thickness=thickness)
    names = ("x", "y", "z", "radius", "length", "height", "outer_radius", "inner_radius", "tube_radius")
    texts = (x, y, z, radius, length, height, outer_radius, inner_radius, tube_radius)
    given = dict(zip((*names, "rx", "ry", "rz", "base", "apex"), (*texts, rx, ry, rz, base, apex), strict=True))
    body = made(name, {k: v for k, v in given.items() if v is not None}, matter)
    if motion is not None:
        body = body.transformed(motion)
    # a dialect puts a body with a name into a link: only if --link asks for it
    shown = NamedBody(link if style.is_dialect else name, body, "", "shape")
    text, status = render([shown], style, fail_on, about=point, products=products.value, output=output)
    deliver(text, output)
    raise typer.Exit(status)
