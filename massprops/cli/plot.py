"""`massprops plot`: a picture of a part, a robot or a section."""

from __future__ import annotations

import re
from dataclasses import MISSING
from pathlib import PurePath
from typing import TYPE_CHECKING, Literal, cast, get_args

from massprops.cli.groups import ROBOT, DisplayOptions, Text, output_option
from massprops.cli.measuring import Measuring
from massprops.cli.options import Configured, Joints, RobotMeshes, config_options
from massprops.cli.streams import format_error, log, write_output
from massprops.declarations import argument, check_applicable, flag, option, option_of
from massprops.errors import InvalidInput
from massprops.formats.kinds import is_planar, kind_of
from massprops.measurement.options import Options

if TYPE_CHECKING:
    from massprops.writers.picture.scene import Layer

_PICTURE = "Picture"
#: Pixels of the sides of a picture.
_SMALLEST, _LARGEST = 100, 4096


def plot(
    *,
    file: str = argument(
        "FILE", "A mesh (.stl .obj .ply …), a robot (.urdf .sdf .xml) or a plane file (.dxf .svg .csv …)."
    ),
    output: str = output_option("Write the picture to FILE: .png, .svg or .pdf.", default=MISSING),
    show: Text = option(
        _PICTURE,
        "What is drawn on a part: axes,ellipsoid,box,com,defects,bounds. [default: axes,com,defects,bounds]",
        metavar="WORDS",
        common=True,
    ),
    view: Literal["iso", "front", "top", "right", "all"] | None = option(
        _PICTURE, "Direction of view. [default: iso]", common=True
    ),
    size: str = option(_PICTURE, "Width and height, pixels.", default="1200x900", metavar="WxH", common=True),
    dark: bool = flag(_PICTURE, "Dark background."),
    output_units: Text = option_of(
        DisplayOptions, "output_units", panel=_PICTURE, help="Units of its numbers: mm,g. [default: those of the file]"
    ),
    measuring: Measuring,
    joints: Joints,
    geometry: Literal["auto", "visual", "collision"] | None = option(
        ROBOT, "Which geometry of the links is drawn. [default: auto]"
    ),
    packages: RobotMeshes,
    settings: Configured,
    type: Text = option_of(Options, "format"),
    torsion: bool = option_of(Options, "torsion"),
) -> None:
    """Draw a part, robot or section: the surface with its centre of mass, principal axes and defects, or the section with its core.

    Of a robot all links, coloured by what 'check' finds about them. A mesh or section that is refused is drawn with what
    is wrong with it and without numbers; the reason is printed on stderr.
    """
    from massprops.writers.picture.plotting import picture_of
    from massprops.writers.picture.scene import DARK, LIGHT, Look, PictureFormat

    if file == "-":
        raise InvalidInput("standard input is not drawn", hint="name a file")
    config = settings.of_measurements()
    given = measuring.given()
    planar, robot = is_planar(file, type), kind_of(file, type) == "robot"
    suffix = PurePath(output).suffix.lower().removeprefix(".")
    if suffix not in get_args(PictureFormat)[1:] and output != "-":
        what = f"a picture is PNG, SVG or PDF, not {suffix or 'a file without a suffix'}"
        raise InvalidInput(what, place=output, hint="choose a .png, .svg or .pdf file")
    kind = "section" if planar else "robot" if robot else "mesh"
    own = {"show": show, "view": view, "torsion": torsion, "geometry": geometry}
    of = {**given, **joints.given(), **packages.given()} | {name: value for name, value in own.items() if value}
    check_applicable(of, kind=kind, more="".join(f"{name} of mesh section\n" for name in given))
    look = Look(
        _layers(show) if show else Look.show,
        ("front", "top", "right", "iso") if view == "all" else (view or "iso",),
        _size(size),
        DARK if dark else LIGHT,
        output_units or (config.run.output_units if config else None),
        cast("PictureFormat", "" if output == "-" else suffix),
    )
    chosen = {} if robot else config_options(config, file, given, planar) | given
    chosen |= {"torsion": True} if torsion else {}
    links = packages.links(geometry or "auto", config)
    picture = picture_of(file, Options(**chosen, format=type), look, links, joints.values)
    write_output(picture.data, output)
    if picture.refused is not None:
        log(f"drawn without numbers: {format_error(picture.refused, look.units)}")


def _layers(text: str) -> tuple[Layer, ...]:
    from massprops.writers.picture.scene import Layer

    words = tuple(text.replace(",", " ").split())
    known = get_args(Layer)
    unknown = [word for word in words if word not in known]
    if unknown:
        raise InvalidInput(f"--show {unknown[0]!r} is not known", hint=f"known: {', '.join(known)}")
    return tuple(word for word in known if word in words)


def _size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,5})[x×](\d{1,5})", text)
    size = (int(match[1]), int(match[2])) if match else (0, 0)
    if not all(_SMALLEST <= side <= _LARGEST for side in size):
        what = f"--size {text!r} is not WIDTHxHEIGHT of {_SMALLEST} to {_LARGEST} pixels"
        raise InvalidInput(what, hint="for example --size 1200x900")
    return size
