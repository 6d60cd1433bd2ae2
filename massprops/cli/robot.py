"""Whole robots in `massprops combine`: the options, and the links of a file as an assembly."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from massprops.cli.groups import Text, flag, option
from massprops.cli.options import failed, parse_parts
from massprops.cli.output_format import BodyOutput
from massprops.cli.rendering import render
from massprops.cli.streams import say
from massprops.errors import InvalidInput
from massprops.values import dataclass

if TYPE_CHECKING:
    from massprops.formats.robot.mesh_paths import Finder
    from massprops.measurement.combining import RobotPosition

#: The panel of options of robots.
ROBOT = "Robots (URDF, SDF, MJCF)"


@dataclass(frozen=True, kw_only=True)
class RobotOutput(BodyOutput):
    """The output options of combine, with those of robots."""

    joint: list[str] | None = option(
        ROBOT, "Value of a joint: 90deg, 12mm; numbers are rad or m. [default: at rest]", metavar="NAME=VALUE"
    )
    root: Text = option(ROBOT, "Take this link with all below it, in its frame. [default: all]", metavar="LINK")
    missing: Literal["error", "ignore"] = option(
        ROBOT, "Links with geometry and no inertial: refuse, or take as massless.", default="error"
    )
    lump_fixed: bool = flag(ROBOT, "Merge fixed links into their parents; URDF is written whole, with its geometry.")

    def check_replaced(self, output: str) -> None:
        """As the base class; a whole robot may replace another."""
        if not self.lump_fixed:
            super().check_replaced(output)

    @property
    def position(self) -> RobotPosition:
        """How the links of a robot are put together."""
        from massprops.measurement.combining import RobotPosition

        joints: dict[str, Any] = parse_parts("--joint", self.joint, example="elbow=90deg")
        return RobotPosition(joints, self.root, self.missing)


def read_input(source: str) -> BinaryIO | None:
    """Standard input, in memory, where the item is ``-``."""
    from massprops.formats.files import read_bytes

    return io.BytesIO(read_bytes("-", sys.stdin.buffer)) if source == "-" else None


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
