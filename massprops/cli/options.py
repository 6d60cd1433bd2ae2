"""Options that commands share, and the words they accept."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from massprops.errors import InvalidInput
from massprops.findings import SEVERITIES, Finding
from massprops.formats.pose_file import read_pose
from massprops.frames import Pose, separated
from massprops.units import parse_length

#: Exit codes, the better first: the worst of several files is returned.
WORST = (0, 1, 3, 4, 2, 70)


class Format(StrEnum):
    """Output formats."""

    table = "table"
    json = "json"
    urdf = "urdf"
    sdf = "sdf"
    mjcf = "mjcf"
    usd = "usd"
    csv = "csv"
    markdown = "markdown"
    ten_vector = "ten-vector"


class Consumer(StrEnum):
    """Simulators whose acceptance is predicted."""

    mujoco = "mujoco"
    drake = "drake"
    gazebo = "gazebo"
    pinocchio = "pinocchio"


class Rotation(StrEnum):
    """How SDF states a rotation."""

    rpy = "rpy"
    quat = "quat"


class Order(StrEnum):
    """Whose order a ten-vector has."""

    pinocchio = "pinocchio"
    urdf = "urdf"
    sdf = "sdf"
    mjcf = "mjcf"
    ksl = "ksl"
    spatial_v2 = "spatial-v2"
    drake = "drake"


class OnOpen(StrEnum):
    """What is measured if a surface is not closed."""

    error = "error"
    integrate = "integrate"
    hull = "hull"
    shell = "shell"


class OnInverted(StrEnum):
    """What is done with a closed surface that is inside out."""

    error = "error"
    flip = "flip"


class OnOverlap(StrEnum):
    """What is measured if a surface bounds some points more than once."""

    error = "error"
    weighted = "count"  # `count` is a method of str
    union = "union"


class Nested(StrEnum):
    """What a body is that lies inside another and is wound the same way."""

    ask = "ask"
    cavity = "cavity"
    body = "body"


class Verify(StrEnum):
    """What has to hold before numbers are printed."""

    none = "none"
    closed = "closed"
    xray = "xray"


class Products(StrEnum):
    """Sign of the products of inertia."""

    tensor = "tensor"
    positive = "positive"


class Rings(StrEnum):
    """What is inside, in a plane file."""

    evenodd = "evenodd"
    nonzero = "nonzero"
    orientation = "orientation"


class FailOn(StrEnum):
    """The least severity that makes a command fail."""

    error = "error"
    warning = "warning"
    info = "info"
    never = "never"


Output = Annotated[
    str | None, typer.Option("--output", "-o", metavar="FILE", help="Write the results to FILE, whole or not at all.")
]


_DIALECT = "How a robot format is written"

Principal = Annotated[
    bool,
    typer.Option(
        "--principal", help="Principal moments along a turned frame: URDF, SDF, MJCF.", rich_help_panel=_DIALECT
    ),
]
Digits = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        max=17,
        help="Significant digits of each number; checked again after rounding. [default: all]",
        rich_help_panel=_DIALECT,
    ),
]
For = Annotated[
    Consumer | None,
    typer.Option("--for", help="Predict whether this simulator takes the printed numbers.", rich_help_panel=_DIALECT),
]
SdfRotation = Annotated[
    Rotation, typer.Option(help="SDF: poses with roll, pitch, yaw or with a quaternion.", rich_help_panel=_DIALECT)
]
TenOrder = Annotated[
    Order, typer.Option("--order", help="Ten-vector: the tool whose order it has.", rich_help_panel=_DIALECT)
]
Link = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="Name of the link or body that the inertial is put into.", rich_help_panel=_DIALECT
    ),
]


def parse_about(text: str, *, flat: bool = False) -> str | list[float]:
    """`com`, `origin`, or a point `X,Y,Z` (`flat`: also `X,Y`): lengths in metres, or with units.

    Raises
    ------
    InvalidInput
        If it is none of these.
    """
    if text in ("com", "origin"):
        return text
    parts = separated(text.strip(), "--about")
    if len(parts) != 3 and not (flat and len(parts) == 2):
        raise InvalidInput(f"--about {text!r} is not com, origin or three lengths", hint="for example --about 0,0,12mm")
    return [parse_length(p, name="--about") for p in parts]


def parse_parts(option: str, given: list[str]) -> dict[str, str]:
    """Values of `NAME=VALUE` options by name; a name may hold `=` itself.

    Raises
    ------
    InvalidInput
        If one has no name or no value, or a name is there twice.
    """
    found: dict[str, str] = {}
    for text in given:
        name, _, value = text.rpartition("=")
        if not name or not value:
            raise InvalidInput(f"{option} {text!r} is not NAME=VALUE", hint=f"for example {option} web=1")
        if name in found:
            raise InvalidInput(f"{option} names {name!r} twice", hint="give one value")
        found[name] = value
    return found


def parse_pose(option: str, text: str | None, matrix: str | None) -> Pose | None:
    """The pose given as numbers or as a file with a 4 × 4 matrix; None if neither is."""
    if text is not None and matrix is not None:
        raise InvalidInput(f"{option} is given as numbers and as a matrix", hint="give one of them")
    if matrix is not None:
        return read_pose(matrix)
    return None if text is None else Pose.parse(text)


def failed(findings: tuple[Finding, ...], fail_on: FailOn) -> bool:
    """Whether a finding is at or above the severity `fail_on`."""
    if fail_on is FailOn.never:
        return False
    limit = SEVERITIES.index(fail_on.value)
    return any(SEVERITIES.index(f.severity) <= limit for f in findings)
