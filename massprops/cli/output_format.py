"""How a body is written: the format and what shapes it, checked against each other before any file is read."""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from massprops.cli.groups import DisplayOptions, Text, format_for, format_option, output_option
from massprops.cli.options import FailOn
from massprops.declarations import INVALID, OUTPUT, flag, option
from massprops.errors import InvalidInput
from massprops.rigid_body.as_json import Products
from massprops.values import dataclass, regex
from massprops.wording import plural

if TYPE_CHECKING:
    from massprops.checking.config import Config
    from massprops.formats.bodies import WriteOptions
    from massprops.writers.csv_rows import Rows

Format = Literal["table", "json", "urdf", "sdf", "mjcf", "usd", "csv", "markdown", "ten-vector"]
Consumer = Literal["mujoco", "drake", "gazebo", "gz", "openusd", "newton", "pinocchio"]
Order = Literal["pinocchio", "urdf", "sdf", "mjcf", "ksl", "spatial-v2", "drake"]

#: Formats of output files, by suffix.
SUFFIXES: dict[str, Format] = {
    ".json": "json",
    ".jsonl": "json",
    ".urdf": "urdf",
    ".sdf": "sdf",
    ".world": "sdf",
    ".xml": "mjcf",
    ".mjcf": "mjcf",
    ".usda": "usd",
    ".csv": "csv",
    ".md": "markdown",
}
ROBOTS = ("urdf", "sdf", "mjcf", "usd")
_NAMED = (*ROBOTS, "csv", "markdown", "ten-vector")
_WRITING = "Robot formats"


@dataclass(frozen=True, kw_only=True)
class BodyOutput(DisplayOptions):
    """The output options of commands that print rigid bodies."""

    format: Format | None = format_option(suffixes=SUFFIXES)
    output: Text = output_option()
    about: Text = option(
        OUTPUT, "Point of the inertia in tables and JSON. [default: com]", metavar="com|origin|X,Y[,Z]", common=True
    )
    products: Products = option(
        OUTPUT, "Products of inertia in tables and JSON: tensor elements −∫ρxy, or +∫ρxy.", default="tensor"
    )
    link: Text = option(
        _WRITING, "Name of the link or body. A mesh or shape without it is a bare inertial element.", metavar="NAME"
    )
    principal: bool = flag(_WRITING, "URDF, SDF, MJCF, USD: principal moments in a rotated frame.")
    consumer: Consumer | None = option(_WRITING, "Predict whether this simulator accepts the numbers.", "--for")
    rotation: Literal["rpy", "quat"] = option(_WRITING, "SDF: rotations as rpy or quaternions.", default="rpy")
    order: Order = option(_WRITING, "Ten-vector: the tool whose order is used.", default="pinocchio")
    fail_on: FailOn = option(INVALID, "Exit 1 if there is a finding of this severity or worse.", default="error")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.consumer is not None:
            from massprops.formats.inertial.simulator_rules import consumer

            chosen = consumer(self.consumer)
            if self.kind not in chosen.dialects:  # its rule would be applied to a text that it never sees
                what = f"{chosen.title} does not read --format {self.kind}"
                raise InvalidInput(what, hint=f"choose {', '.join(chosen.dialects)}")
        if self.output is not None and self.kind in ROBOTS:
            self.check_replaced(self.output)

    def check_replaced(self, output: str) -> None:
        """Raise InvalidInput if the file holds more than what is written into it."""
        check_not_a_robot(output)

    @cached_property
    def kind(self) -> Format:
        """The format."""
        return format_for(self.format, self.output, SUFFIXES)

    @property
    def is_dialect(self) -> bool:
        """Whether the format is one of `massprops.formats.bodies`."""
        return self.kind in _NAMED

    @property
    def is_rows(self) -> bool:
        """Whether every body is a row."""
        return self.kind in ("csv", "markdown")

    def rows(self, config: Config | None = None, **columns: Any) -> Rows:
        """The table of bodies, in the units that were asked for."""
        from massprops.writers.csv_rows import Rows

        return Rows(self.kind, **columns, units=self.units(config), digits=self.digits)

    @property
    def form(self) -> WriteOptions:
        """The options of the writers."""
        from massprops.formats.bodies import WriteOptions

        return WriteOptions(self.principal, self.rotation == "quat", self.digits, self.order)


@dataclass(frozen=True, kw_only=True)
class ModelOutput(BodyOutput):
    """Output options of compute, which can also write whole models."""

    model: bool = flag(
        _WRITING, "URDF, SDF, MJCF: a whole model that refers to the mesh: visual, collision and inertial."
    )

    def check_replaced(self, output: str) -> None:
        """Like the base class; a model of one link may replace another one."""
        check_not_a_robot(output, _SEVERAL if self.model else _WHOLE)


#: What only a whole robot, world, stage or assembly holds; the bodies that we write have inertials alone.
_WHOLE = regex(
    rb"<(?:\w+:)?(joint|freejoint|visual|collision|geom|world|include|plugin|actuator|transmission)\b"
    rb"|\bdef Physics\w*Joint\b|\bdef Mesh\b|^\s*\[\[\s*part\s*\]\]",
    re.MULTILINE,
)


#: What the model of one link does not hold.
_SEVERAL = regex(
    rb"<(?:\w+:)?(joint|world|include|plugin|actuator|transmission)\b|<(link|body)\b.*<(?:link|body)\b", re.DOTALL
)


def check_not_a_robot(output: str, more: re.Pattern[bytes] = _WHOLE) -> None:
    """Raise InvalidInput if the output file exists and holds more than the bodies that would replace it."""
    path = Path(output)
    if not path.is_file():
        return
    with path.open("rb") as stream:
        found = more.search(stream.read(64_000_000))
    if found is not None:
        what = found[found.lastindex or 0].decode().strip()
        raise _would_replace(
            f"{output}: holds a whole robot, world or assembly ({what}); bodies alone would replace it"
        )


def check_no_fewer(output: str | None, bodies: int) -> None:
    """Raise InvalidInput if the output file holds more inertials than replace it, or is a robot, which one inertial would replace."""
    if output is not None and Path(output).is_file():
        data = Path(output).read_bytes()
        held, is_robot = len(re.findall(rb"<(?:\w+:)?inertial\b", data)), re.search(rb"<(?:\w+:)?robot\b", data)
        if held > bodies or (is_robot and bodies == 1):
            what = plural(held, "body", "bodies") if held else "a robot"
            raise _would_replace(f"{output}: holds {what}, and {bodies} would replace it")


def _would_replace(what: str) -> InvalidInput:
    hint = "choose another --output; 'massprops fill' puts inertials into a robot file"
    return InvalidInput(what, code="would-replace-robot", hint=hint)
