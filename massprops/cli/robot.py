"""Whole robots in `massprops combine`: the options, and the links of a file as an assembly."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from massprops.cli.groups import Text, flag, option
from massprops.cli.options import failed, parse_parts
from massprops.cli.output_format import BodyOutput
from massprops.cli.rendering import render
from massprops.cli.streams import say
from massprops.errors import InvalidInput

if TYPE_CHECKING:
    from massprops.formats.robot.mesh_paths import Finder
    from massprops.measurement.assembly import Assembly

_ROBOT = "Robots (URDF, SDF, MJCF)"


@dataclass(frozen=True, kw_only=True)
class RobotOutput(BodyOutput):
    """The output options of combine, with those of robots."""

    joint: list[str] | None = option(
        _ROBOT, "Value of a joint: 90deg, 12mm; numbers are rad or m. [default: at rest]", metavar="NAME=VALUE"
    )
    root: Text = option(_ROBOT, "Take this link with all below it, in its frame. [default: all]", metavar="LINK")
    missing: Literal["error", "ignore"] = option(
        _ROBOT, "Links with geometry and no inertial: refuse, or take as massless.", default="error"
    )
    lump_fixed: bool = flag(_ROBOT, "Merge fixed links into their parents; URDF is written whole, with its geometry.")

    def check_replaced(self, output: str) -> None:
        """As the base class; a whole robot may replace another."""
        if not self.lump_fixed:
            super().check_replaced(output)

    def check_robots(self, robots: int) -> None:
        """Raise InvalidInput if there are options of robots and not one robot."""
        given = [
            n
            for n, on in (("--joint", self.joint), ("--root", self.root), ("--missing", self.missing != "error"))
            if on
        ]
        if given and robots != 1:
            raise InvalidInput(
                f"{given[0]} is for one robot file, and there are {robots}", hint="combine them one by one"
            )


def read_input(source: str) -> BinaryIO | None:
    """Standard input, in memory, where the item is ``-``."""
    from massprops.formats.files import read_bytes

    return io.BytesIO(read_bytes("-", sys.stdin.buffer)) if source == "-" else None


def robot_at(
    source: str, stdin: BinaryIO | None, finder: Callable[[str], Finder], output: RobotOutput
) -> Assembly | None:
    """The links of a robot file put together; None for files with one link, and of other formats."""
    from massprops.formats.files import read_bytes
    from massprops.formats.inertial.opening import USD_SUFFIXES, Address
    from massprops.formats.registry import FORMATS
    from massprops.formats.robot.opening import links_of
    from massprops.formats.text import decode
    from massprops.measurement.robot import Robot

    if Address.parse(source).link is not None or PurePath(source).suffix.lower() in {*FORMATS, *USD_SUFFIXES}:
        return None
    data = read_bytes(source, stdin)
    if not decode(data[:256]).lstrip().startswith("<"):
        return None
    links = links_of(data, source, finder(source))
    if len(links) < 2:
        return None
    values: dict[str, Any] = parse_parts("--joint", output.joint, example="elbow=90deg")
    return Robot.of(links, source).combined(values, output.root, output.missing)


def lumped(
    sources: Sequence[str], finder: Callable[[str], Finder], output: RobotOutput, about: Any
) -> tuple[str | bytes, int]:
    """The robot with fixed links merged: as URDF, or its links in another format; and the exit code."""
    from massprops.filling.lumping import lump_fixed
    from massprops.formats.files import read_bytes
    from massprops.formats.robot.opening import links_of
    from massprops.measurement.robot import Robot

    if len(sources) != 1 or output.joint or output.root:
        raise InvalidInput("--lump-fixed takes one robot file, without --joint and --root")
    (path,) = sources
    data = read_bytes(path, sys.stdin.buffer if path == "-" else None)
    if output.kind not in ("urdf", "sdf", "mjcf", "usd"):
        bodies = Robot.of(links_of(data, path, finder(path)), path).lumped(output.missing)
        return render(list(bodies.values()), output, about)
    if output.kind != "urdf":
        raise InvalidInput(f"--lump-fixed does not write {output.kind}", hint="use --format urdf, table, json or csv")
    text, found = lump_fixed(data, path, output.missing, finder(path))
    for f in found:
        say(": ".join((str(f.where or path), f.severity, f.code, f.message)))
    return text, int(failed(found, output.fail_on))
