"""Bodies of any kind joined into one rigid body: files, whole robots, assemblies, and bodies that Python holds."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike, fspath
from pathlib import PurePath
from typing import Any, BinaryIO

from massprops.errors import InvalidInput, require_type
from massprops.formats.address import Address
from massprops.formats.bodies import as_body
from massprops.formats.bodies.opening import open_bodies
from massprops.formats.files import read_bytes
from massprops.formats.plugins import is_mesh
from massprops.formats.robot.kinds import states_bodies
from massprops.formats.robot.opening import links_of
from massprops.formats.robot.usd import is_usd
from massprops.formats.search_path import SearchPath
from massprops.formats.text import decode
from massprops.frames import Pose
from massprops.measurement.assembly import Assembly, place_assembly, place_body, read_assembly
from massprops.measurement.robot import Missing, Robot
from massprops.units import Quantity
from massprops.values import flat

HERE = (Pose.identity(),)


@dataclass(frozen=True)
class RobotPosition:
    """How the links of robots are put together; see `massprops.combine`."""

    joints: Mapping[str, Quantity] = field(default_factory=dict)
    root: str | None = None
    missing: Missing = "error"


def combine(
    *items: Any,
    name: str | None = None,
    joints: Mapping[str, Quantity] | None = None,
    root: str | None = None,
    missing: Missing = "error",
    packages: Mapping[str, str] | None = None,
    package_path: Sequence[str] = (),
    allow_outside: bool = False,
) -> Assembly:
    """Bodies as one rigid body, as `massprops combine` joins them.

    Parameters
    ----------
    items : path, MassProperties, Measurement, NamedBody, or a pair of one of these and a Pose or a list of poses; or a list
        A path is ``file`` or ``file#link`` of inertials in any format, an assembly (``.toml``), or a robot: all of its links, placed by its
        joints. A pose X_WB places its body B in the common frame W; several make several copies.
    name : str, optional
        Of the whole.
    joints : mapping of str to float or str
        Of the robot, values by name of joint: ``"90deg"``, ``"12mm"``; numbers are rad or m. The others are at rest: 0, in MJCF `ref`;
        joints that mimic another follow it.
    root : str, optional
        The link of the robot whose subtree is taken, in whose frame; by default all links, in the frame of the root link (URDF), the
        model (SDF; the world, if it has several models) or the world (MJCF).
    missing : {"error", "ignore"}
        Links that have geometry and no inertial: refuse them, or take them as massless with a warning.
    packages, package_path, allow_outside
        Where included files are looked for.

    Returns
    -------
    Assembly
        Its `body` is the whole, with what was found about it; its `parts` are the bodies, in the common frame.

    Raises
    ------
    ReadError
        If a file cannot be read or has no inertial, or the joints of a robot make no tree.
    InvalidInput
        If an item is no body, a joint or link is unknown, a joint cannot be set, or the masses do not add up to a positive one.
    """
    require_type(joints, Mapping | None, "joints", "a mapping of names to values")
    for joint in joints or ():
        require_type(joint, str, "joints", "a mapping of names to values")
    position = RobotPosition(joints or {}, root, missing)

    search = SearchPath(packages=packages or {}, package_path=package_path, allow_outside=allow_outside)
    given, wholes = flat(items), []
    if not given:
        raise InvalidInput("no body given", argument="items")
    for i, item in enumerate(given):
        source, poses = item if isinstance(item, tuple) else (item, HERE)
        at = (poses,) if isinstance(poses, Pose) else tuple(poses)
        if isinstance(source, str | PathLike):
            wholes.append(parts_of(fspath(source), at, search=search, position=position))
        else:
            wholes.append(Assembly("", (place_body(as_body(source, f"items[{i}]"), at),)))
    return join(wholes, name, position)


def parts_of(
    source: str,
    poses: tuple[Pose, ...],
    count: int = 1,
    *,
    search: SearchPath,
    position: RobotPosition,
    stdin: BinaryIO | None = None,
    remark: Callable[[str], object] | None = None,
) -> Assembly:
    """The parts of one item, `count` copies at each pose: those of an assembly file, the links of a robot, or its bodies.

    `remark` is called with what was noticed about a file; see `combine` for the rest.
    """
    is_assembly = source.lower().endswith(".toml")
    whole = read_assembly(source, search) if is_assembly else _robot(source, stdin, search, position)
    if whole is not None:
        if count == 1 and poses == HERE:
            return whole
        part = place_assembly(whole, poses, count)
        return replace(whole, parts=(part,), place="", findings=(), limits=None)
    if stdin is not None:
        stdin.seek(0)
    contents = open_bodies(source, stdin=stdin, search=search)
    for text in contents.remarks:
        if remark is not None:
            remark(text)
    if len(contents.bodies) > 1 and contents.bodies[0].dialect in ("urdf", "sdf", "mjcf", "usd"):
        names = ", ".join(b.name or "?" for b in contents.bodies[:8])
        what = f"has {len(contents.bodies)} bodies, each in a frame of its own"
        raise InvalidInput(what, place=source, hint=f"name one with #, of {names}")
    return Assembly("", tuple(place_body(body, poses, count) for body in contents.bodies))


def _robot(source: str, stdin: BinaryIO | None, search: SearchPath, position: RobotPosition) -> Assembly | None:
    """The links of a robot file put together; None for files with one link, and of other formats."""
    suffix = PurePath(source).suffix.lower()
    states = states_bodies(source)
    if Address.parse(source).link is not None or (is_mesh(suffix) and not states):
        return None
    data = read_bytes(source, stdin)
    if not (states or is_usd(source) or decode(data[:256]).lstrip().startswith("<")):
        return None
    links = links_of(data, source, search)
    if len(links) < 2 and position == RobotPosition():
        return None
    return Robot.of(links, source).combine(position.joints, position.root, position.missing)


def join(wholes: Sequence[Assembly], name: str | None, position: RobotPosition) -> Assembly:
    """Join several assemblies into one.

    Raises
    ------
    InvalidInput
        If the position of a robot is given and there is not one robot, or the masses do not add up to a positive one: the holes weigh as
        much as what they are cut from.
    """
    robots = [whole for whole in wholes if whole.joints is not None]
    given = {"joint": position.joints, "root": position.root, "missing": position.missing != "error"}
    for parameter, is_given in given.items():
        if is_given and len(robots) != 1:
            what = f"is for one robot file, and there are {len(robots)}"
            raise InvalidInput(what, parameter=parameter, hint="combine them one by one")
    whole = wholes[0] if len(wholes) == 1 else _together(wholes, robots)
    whole = replace(whole, name=name or whole.name or "combined")
    total = math.fsum(part.body.properties.mass for part in whole.parts)
    if total <= 0.0:
        what = f"the parts add up to a mass of {total!r}\xa0kg; a body has a positive mass"
        hint = "look at the masses of the holes"
        raise InvalidInput(what, place=whole.place or whole.name, code="non-positive-mass", hint=hint)
    return whole


def _together(wholes: Sequence[Assembly], robots: Sequence[Assembly]) -> Assembly:
    parts = tuple(part for whole in wholes for part in whole.parts)
    findings = tuple(f for whole in wholes for f in whole.findings)
    return Assembly("", parts, "", findings, robots[0].joints if robots else None)
