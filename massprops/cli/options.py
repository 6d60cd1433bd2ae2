"""Options that commands share, and the words they accept."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from massprops.errors import InvalidInput
from massprops.findings import SEVERITIES, Finding
from massprops.frames import Pose
from massprops.units import parse_length


class Format(StrEnum):
    """Output formats."""

    table = "table"
    json = "json"
    urdf = "urdf"


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


def parse_about(text: str, *, flat: bool = False) -> str | list[float]:
    """`com`, `origin`, or a point `X,Y,Z` (`flat`: also `X,Y`): lengths in metres, or with units.

    Raises
    ------
    InvalidInput
        If it is none of these.
    """
    if text in ("com", "origin"):
        return text
    parts = text.replace(",", " ").split()
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
        return Pose.from_file(matrix)
    return None if text is None else Pose.parse(text)


def failed(findings: tuple[Finding, ...], fail_on: FailOn) -> bool:
    """Whether a finding is at or above the severity `fail_on`."""
    if fail_on is FailOn.never:
        return False
    limit = SEVERITIES.index(fail_on.value)
    return any(SEVERITIES.index(f.severity) <= limit for f in findings)
