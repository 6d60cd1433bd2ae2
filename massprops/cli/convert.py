"""`massprops convert` and `massprops transform`: the same bodies in another dialect, or in another frame."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from massprops.cli import options
from massprops.cli.options import WORST, FailOn, Format, Output, Products
from massprops.cli.output_format import Style
from massprops.cli.streams import check_output, deliver, say
from massprops.errors import InvalidInput, MasspropsError
from massprops.frames import Pose

_POLICY = "What is allowed"
_RESULT = "How the result is given"

Files = Annotated[
    list[str],
    typer.Argument(metavar="FILE[#LINK]...", help="URDF, SDF, MJCF, USD, JSON results, CSV; - is standard input."),
]
Fail = Annotated[
    FailOn, typer.Option(help="Exit with 1 if there is a finding of this severity or worse.", rich_help_panel=_POLICY)
]
About = Annotated[
    str | None,
    typer.Option(
        metavar="com|origin|X,Y,Z",
        help="The point that the inertia is taken about, in tables and JSON. [default: com; the table adds origin]",
        rich_help_panel=_RESULT,
    ),
]
Sign = Annotated[
    Products,
    typer.Option(help="Products of inertia in tables and JSON: −∫ρxy, or +∫ρxy.", rich_help_panel=_RESULT),
]
Form = Annotated[Format, typer.Option("--format", "-f", help="How the result is printed.", rich_help_panel=_RESULT)]


@dataclass(frozen=True)
class Errors:
    """What could not be read, each already told on stderr, and how JSON reports it."""

    found: list[tuple[str, MasspropsError]]

    @property
    def status(self) -> int:
        """The worst exit code."""
        return max((e.exit_code for _, e in self.found), key=WORST.index, default=0)


def convert(
    files: Files,
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
    """Write inertials in another dialect; every text is read back and compared before it is printed."""
    style = Style.parse(
        format, principal=principal, digits=digits, consumer=consumer, rotation=rotation, order=order, link=link
    )
    _finish(files, None, style, about, products, fail_on, output)


def transform(
    files: Files,
    pose: Annotated[
        str | None,
        typer.Option(metavar="'X Y Z R P Y'", help="Place the body: its pose in the parent frame; m and rad."),
    ] = None,
    matrix: Annotated[str | None, typer.Option(metavar="FILE", help="The --pose as a 4 × 4 matrix in a file.")] = None,
    frame: Annotated[
        str | None,
        typer.Option(metavar="'X Y Z R P Y'", help="Move the observer: the result is seen from a frame at this pose."),
    ] = None,
    frame_matrix: Annotated[
        str | None, typer.Option(metavar="FILE", help="The --frame as a 4 × 4 matrix in a file.")
    ] = None,
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
    """Move bodies into another frame, or take their inertia about another point."""
    style = Style.parse(
        format, principal=principal, digits=digits, consumer=consumer, rotation=rotation, order=order, link=link
    )
    motion = _motion(options.parse_pose("--pose", pose, matrix), options.parse_pose("--frame", frame, frame_matrix))
    _finish(files, motion, style, about, products, fail_on, output)


def _motion(pose: Pose | None, frame: Pose | None) -> Pose | None:
    if pose is not None and frame is not None:
        raise InvalidInput("a pose moves the body and a frame moves the observer", hint="give one of them")
    return frame.inverse() if frame is not None else pose


def _finish(
    files: list[str],
    motion: Pose | None,
    style: Style,
    about: str | None,
    products: Products,
    fail_on: FailOn,
    output: str | None,
) -> None:
    """Read, move, write: what the two commands share."""
    from massprops.cli.rendering import renamed, render

    check_output(output, [f.rpartition("#")[0] or f for f in files])
    point = None if about is None else options.parse_about(about)
    bodies, errors = read_all(files)
    if style.link is not None and len(bodies) > 1:
        raise InvalidInput(f"--link names one body, and there are {len(bodies)}", hint="choose one with FILE#LINK")
    if motion is not None:
        bodies = [b.with_properties(b.properties.transformed(motion)) for b in bodies]
    text, status = "", 0
    if bodies:
        text, status = render(
            renamed(bodies, style.link), style, fail_on, about=point, products=products.value, output=output
        )
    text += json_errors(errors) if style.format is Format.json else ""
    if text:
        deliver(text, output)
    raise typer.Exit(max((status, errors.status), key=WORST.index))


def read_all(files: list[str]) -> tuple[list[Any], Errors]:
    """The bodies of all files; one that cannot be read is told on stderr and does not stop the others."""
    from massprops.formats.inertial.opening import open_bodies

    if files.count("-") > 1:
        raise InvalidInput("standard input is named twice", hint="give - once")
    bodies: list[Any] = []
    failed: list[tuple[str, MasspropsError]] = []
    for file in files:
        try:
            contents = open_bodies(file, stdin=sys.stdin.buffer if file == "-" else None)
        except MasspropsError as error:
            say(str(error))
            failed.append((file, error))
            continue
        for remark in contents.remarks:
            say(remark)
        if contents.without:
            say(f"{file}: no inertial is stated for {', '.join(contents.without)}")
        bodies += contents.bodies
    return bodies, Errors(failed)


def json_errors(errors: Errors) -> str:
    """The errors as lines of JSON."""
    import json

    from massprops.rigid_body.as_json import SCHEMA

    objects = ({"schema": SCHEMA, "input": {"path": f}, "error": e.to_dict()} for f, e in errors.found)
    return "".join(json.dumps(o) + "\n" for o in objects)
