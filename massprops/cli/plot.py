"""`massprops plot`: a picture of a part, a robot or a section."""

from __future__ import annotations

import re
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Literal, cast, get_args

from massprops.cli.groups import ROBOT, DisplayOptions, Text, output_option
from massprops.cli.measuring import MEASURED, Shown
from massprops.cli.options import Configured, Joints, RobotMeshes, config_options
from massprops.cli.streams import format_error, log, note, write_output
from massprops.declarations import argument, check_applicable, flag, option, option_of
from massprops.errors import InvalidInput
from massprops.formats.files import read_head
from massprops.formats.kinds import measured_kind
from massprops.measurement.options import Options

if TYPE_CHECKING:
    from massprops.writers.picture.scene import Layer

_PICTURE = "Picture"
#: Bytes within which a picture says who made it.
_HEAD = 256


def plot(
    *,
    file: str = argument(
        "FILE",
        "A mesh (.stl .obj .ply …), a robot (.urdf .sdf .xml), a plane file (.dxf .svg .csv …), an assembly (.toml) or a table of masses.",
    ),
    output: Text = output_option(
        "Write the picture to FILE: .png, .svg or .pdf. [default: the name of the input, .png]"
    ),
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
    measuring: Shown,
    joints: Joints,
    geometry: Literal["auto", "visual", "collision"] | None = option(
        ROBOT, "Which geometry of the links is drawn. [default: auto]"
    ),
    packages: RobotMeshes,
    settings: Configured,
    type: Text = option_of(Options, "format"),
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
    kind, is_named = measured_kind(file, type), output is not None
    output = output or _default_output(file)
    suffix = PurePath(output).suffix.lower().removeprefix(".")
    if suffix not in get_args(PictureFormat)[1:] and output != "-":
        what = f"a picture is PNG, SVG or PDF, not {suffix or 'a file without a suffix'}"
        raise InvalidInput(what, place=output, hint="choose a .png, .svg or .pdf file")
    measuring.check({kind})
    own = {"show": show, "view": view, "geometry": geometry, "about": measuring.about, "axis": measuring.axis}
    of = {**joints.given(), **packages.given()} | {name: value for name, value in own.items() if value}
    check_applicable(of, kind=kind, more="about of mesh section assembly\naxis of mesh assembly")
    packages.require_gltf([file])
    look = Look(
        _layers(show) if show else Look.show,
        ("front", "top", "right", "iso") if view == "all" else (view or "iso",),
        _size(size),
        DARK if dark else LIGHT,
        output_units or (config.run.output_units if config else None),
        cast("PictureFormat", "" if output == "-" else suffix),
        measuring.reference,
    )
    chosen = measuring.for_kind(kind)
    if kind in MEASURED:
        chosen = config_options(config, file, chosen, kind == "section") | chosen
    links = packages.links(geometry or "auto", config)
    picture = picture_of(file, Options(**chosen, format=type), look, links, joints.values)
    write_output(picture.data, output)
    if not is_named:
        note(f"written to {output}")
    if picture.refused is not None:
        log(f"drawn without numbers: {format_error(picture.refused, look.units)}")


def _default_output(file: str) -> str:
    """The file beside which nothing is lost: NAME.png in the current folder, unless a file is there that is no picture of ours."""
    output = f"{PurePath(file.partition('#')[0]).stem}.png"
    if Path(output).exists() and not _is_ours(output):
        raise InvalidInput(
            "is there, and was not made by massprops", place=output, hint="name the picture with --output"
        )
    return output


def _is_ours(path: str) -> bool:
    """Whether a file is a picture that massprops made."""
    from massprops.writers.picture.pillow import MADE_BY

    return "\0".join(MADE_BY).encode() in read_head(path, _HEAD)


def _layers(text: str) -> tuple[Layer, ...]:
    from massprops.writers.picture.scene import Layer

    words = tuple(text.replace(",", " ").split())
    known = get_args(Layer)
    unknown = [word for word in words if word not in known]
    if unknown:
        raise InvalidInput(f"--show {unknown[0]!r} is not known", hint=f"known: {', '.join(known)}")
    return tuple(word for word in known if word in words)


def _size(text: str) -> tuple[int, int]:
    from massprops.writers.picture.scene import SIDES, is_side

    match = re.fullmatch(r"(\d{1,5})[x×](\d{1,5})", text)
    size = (int(match[1]), int(match[2])) if match else (0, 0)
    if not all(map(is_side, size)):
        what = f"--size {text!r} is not WIDTHxHEIGHT of {SIDES[0]} to {SIDES[1]} pixels"
        raise InvalidInput(what, hint="for example --size 1200x900")
    return size
