"""An inertial as it is pasted into a robot file of a dialect.

Tests: `tests/diagnosis/test_same_geometry.py`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from massprops.formats.bodies import write
from massprops.formats.inertial.inertial import NamedBody
from massprops.formats.robot.gltf import motion_members
from massprops.rigid_body.mass_properties import MassProperties


def snippet(body: MassProperties, dialect: str, scale: Sequence[float] = ()) -> str:
    """A body in the words of a dialect, URDF where that has none for a robot, for a node of this scale (glTF).

    The numbers of USD are in metres and kilograms, as a comment says: `massprops fill` writes them in the units of the stage.
    """
    if dialect == "gltf":
        members = motion_members(body, scale)
        return '"motion": {\n' + ",\n".join(f"  {json.dumps(k)}: {v}" for k, v in members.items()) + "\n}\n"
    if dialect == "usd":
        text, _ = write([NamedBody(None, body)], "usd")
        lines = [line.strip() for line in text.splitlines() if "physics:" in line or "newton:" in line]
        return "\n".join(["# in metres and kilograms", *lines, ""])
    return write([NamedBody(None, body)], dialect if dialect in ("sdf", "mjcf") else "urdf")[0]
