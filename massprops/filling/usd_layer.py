"""A layer of USD over a stage: it sublayers the stage, and holds nothing but `over`s of mass properties.

No byte of the stage changes. Mass, centre and principal moments are of single precision by the schema; the tensor stands beside them as
`newton:inertia`, in double precision, which also keeps what readers drop that take small moments for not stated.

Tests: `tests/formats/robot/test_usd.py`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from massprops.errors import InvalidGeometry
from massprops.formats.bodies.usd import mass_attributes
from massprops.formats.inertial.inertial import NamedBody, WriteOptions
from massprops.formats.robot.links import Link
from massprops.formats.robot.usd import Stage
from massprops.rigid_body.mass_properties import MassProperties


def layer_name(path: str) -> str:
    """Name of the layer beside a stage: ``robot.massprops.usda``."""
    return str(Path(path).with_suffix(".massprops.usda"))


def layer_text(stage: Stage, overs: Mapping[str, str]) -> str:
    """The layer beside its stage; `overs` are texts of `over_of` by the path of the prim."""
    metre, kilogram = stage.units
    metadata = {"metersPerUnit": metre, "kilogramsPerUnit": kilogram, **stage.about["metadata"]}
    stated = "".join(f"    {key} = {json.dumps(value)}\n" for key, value in sorted(metadata.items()))
    lines = [f"#usda 1.0\n(\n{stated}    subLayers = [\n        {_asset('./' + Path(stage.path).name)}\n    ]\n)\n"]
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


def over_of(stage: Stage, link: Link, body: MassProperties, provenance: str | None) -> str:
    """The attributes of a body of the stage, one on each line.

    Raises
    ------
    InvalidGeometry
        If the prim is scaled, or in an instance, where no opinion about it is possible.
    InvalidInput
        If single precision cannot hold the numbers.
    """
    if not link.is_fillable:
        what = f"{link.place}: the prim is scaled or in an instance, where its mass properties cannot be stated"
        raise InvalidGeometry(what, code="scaled-prim", hint="apply the scale to the geometry, or clear instanceable")
    metre, kilogram = stage.units
    own = MassProperties(body.mass / kilogram, body.com / metre, body.inertia / (kilogram * metre**2))
    lines = mass_attributes(NamedBody(link.name, own), WriteOptions())
    return "\n".join([f"# massprops {provenance}"] * bool(provenance) + lines)


def moved_layer(text: bytes, stage: str, target: str) -> bytes:
    """A layer for another folder than that of its stage: the path to the stage is relative to the layer."""
    relative = os.path.relpath(Path(stage).absolute(), Path(target).absolute().parent).replace(os.sep, "/")
    name = relative if relative.startswith("../") else f"./{relative}"
    return text.replace(_asset("./" + Path(stage).name).encode(), _asset(name).encode(), 1)


def _asset(path: str) -> str:
    return f"@@@{path}@@@" if "@" in path else f"@{path}@"
