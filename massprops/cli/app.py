"""The commands, by name; only the one that is asked for is imported and built, since building all takes as long as measuring a part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any

from massprops.cli.groups import call, read
from massprops.values import dataclass


@dataclass(frozen=True)
class Command:
    """A command: ``module:function`` below `massprops.cli`, what its help ends in, and what orders its words first, in the same module."""

    function: str
    example: str
    order: str | None = None

    def load(self) -> tuple[Callable[..., Any], Callable[[Sequence[str]], list[str]]]:
        """The function, and what orders the words."""
        module, function = self.function.split(":")
        home = import_module(f"massprops.cli.{module}")
        return getattr(home, function), getattr(home, self.order) if self.order else list


COMMANDS = {
    "compute": Command("compute:compute", "compute part.stl --units mm --density 7.8g/cm3 --format json"),
    "check": Command("check:check", "check parts robot.urdf --require certified --baseline known.json"),
    "fill": Command("fill:fill", "fill robot.urdf --density 1240 --diff"),
    "plot": Command("plot:plot", "plot part.stl --view all --show axes,ellipsoid,com,defects -o part.png"),
    "report": Command("report:report", "report part.stl robot.urdf section.dxf --density 7800 -o report.html"),
    "repair": Command("repair:repair", "repair part.stl -o mended.stl"),
    "diff": Command("diff:diff", "diff before.stl after.stl --units mm --density 7800"),
    "convert": Command("convert:convert", "convert robot.urdf#forearm --format mjcf --for mujoco"),
    "transform": Command("convert:transform", "transform result.json --pose '0 0 0.1  0 0 90deg' --about origin"),
    "combine": Command(
        "combine:combine",
        "combine arm.json 2*bolt.json --at '0.1 0 0' motor.urdf#link_3",
        order="attach_poses_to_items",
    ),
    "shape": Command("shape:shape", "shape cylinder --radius 20mm --length 0.1 --material steel --format urdf"),
    "explain": Command("explain:explain", "explain robot.urdf#forearm --against forearm.stl"),
    "materials": Command("reference:materials", "materials alu"),
    "init": Command("init:init", "init parts"),
    "schema": Command("reference:schema", "schema > massprops-1.schema.json"),
}


#: The words of the command line that is run, without the program's name.
given: list[str] = []


def prepared(words: Sequence[str]) -> Callable[[], Any] | None:
    """The command of a command line, ready to run; None if only typer can tell what the words mean."""
    if not words or words[0] not in COMMANDS:
        return None
    function, order = COMMANDS[words[0]].load()
    values = read(function, order(words[1:]))
    return None if values is None else partial(call, function, values)
