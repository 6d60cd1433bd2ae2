"""A layer of USD over a stage: it sublayers the stage, and holds nothing but `over`s of mass properties.

No byte of the stage changes. Mass, centre and principal moments are of single precision by the schema; the tensor stands beside them as
`newton:inertia`, in double precision, which also keeps what readers drop that take small moments for not stated.

Tests: `tests/formats/robot/test_usd.py`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from massprops.errors import InvalidGeometry
from massprops.filling.inertials import Edit
from massprops.formats.address import Place
from massprops.formats.bodies.usd import mass_attributes
from massprops.formats.inertial.inertial import NamedBody, WriteOptions
from massprops.formats.robot.links import Link
from massprops.formats.robot.usd import Stage
from massprops.rigid_body.mass_properties import MassProperties


def layer_name(path: str) -> str:
    """Name of the layer beside a stage: ``robot.massprops.usda``."""
    return str(Path(path).with_suffix(".massprops.usda"))


def layer_text(stage: Stage, overs: Mapping[str, str]) -> str:
    """The layer beside its stage; `overs` are the attributes of prims by their paths."""
    stated, name = stage.about["metadata"], _asset("./" + Path(stage.path).name)
    lines = [f"#usda 1.0\n(\n{stated}    subLayers = [\n        {name}\n    ]\n)\n"]
    opened: list[str] = []
    for path in sorted(overs, key=lambda p: p.split("/")):
        names = path.split("/")[1:]
        common = 0
        while names[common : common + 1] == opened[common : common + 1] != []:
            common += 1
        lines += _close(opened, common)
        for name in names[common:]:
            lines.append(f'{"    " * len(opened)}over "{name}"{_HEAD if len(opened) == len(names) - 1 else ""}\n')
            lines.append(f"{'    ' * len(opened)}{{\n")
            opened.append(name)
        indent = "    " * len(opened)
        lines += [f"{indent}{line}\n" for line in overs[path].splitlines()]
    return "".join(lines + _close(opened, 0))


_HEAD = ' (prepend apiSchemas = ["PhysicsMassAPI", "NewtonMassAPI"])'


def _close(opened: list[str], depth: int) -> list[str]:
    """Closing braces down to a depth."""
    closed = ["    " * level + "}\n" for level in range(len(opened) - 1, depth - 1, -1)]
    del opened[depth:]
    return closed


@dataclass(frozen=True)
class StageLayer:
    """The layer over a stage as a document to be edited: an edit adds the attributes of one body, whose number is its range."""

    stage: Stage
    text: bytes = b""
    _prims: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Name of its file."""
        return layer_name(self.stage.path)

    def edit(self, link: Link, body: MassProperties, provenance: str | None, *, same: bool) -> Edit:
        """The attributes of a body of the stage, one on each line; none if they are the `same` as in the stage.

        Raises
        ------
        InvalidGeometry
            If the prim is sheared, or in an instance, where no opinion about it is possible.
        InvalidInput
            If single precision cannot hold the numbers.
        """
        if not link.is_fillable:
            what = f"{link.place}: the prim is sheared or in an instance, where its mass properties cannot be stated"
            raise InvalidGeometry(
                what, code="scaled-prim", hint="apply the scale to the geometry, or clear instanceable"
            )
        metre, kilogram = self.stage.units
        com = body.com / (metre * self.stage.scale_of(Place.of(link.place).node))  # centres are scaled as the prim is
        own = MassProperties(body.mass / kilogram, com, body.inertia / (kilogram * metre**2))
        lines = mass_attributes(NamedBody(link.name, own), WriteOptions())
        self._prims.append(Place.of(link.place).node)
        number, comment = len(self._prims) - 1, [f"# massprops {provenance}"] * bool(provenance)
        return number, number, b"" if same else "\n".join(comment + lines).encode()

    def apply_edits(self, edits: Sequence[Edit]) -> bytes:
        """The layer with the attributes of the bodies."""
        return layer_text(self.stage, {self._prims[number]: text.decode() for number, _, text in edits}).encode()


def moved_layer(text: bytes, stage: str, target: str) -> bytes:
    """A layer for another folder than that of its stage: the path to the stage is relative to the layer."""
    relative = os.path.relpath(Path(stage).absolute(), Path(target).absolute().parent).replace(os.sep, "/")
    name = relative if relative.startswith("../") else f"./{relative}"
    return text.replace(_asset("./" + Path(stage).name).encode(), _asset(name).encode(), 1)


def _asset(path: str) -> str:
    return f"@@@{path}@@@" if "@" in path else f"@{path}@"
