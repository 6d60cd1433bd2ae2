"""Bodies of any kind joined into one rigid body: files, whole robots, assemblies, and bodies that Python holds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any, get_args

from massprops.declarations import public
from massprops.errors import InvalidInput, ReadError, Remedy, as_read_error, require_type, require_word
from massprops.formats.address import Address
from massprops.formats.bodies import NamedBody, as_body
from massprops.formats.bodies.mass_table import without_sums
from massprops.formats.inertial.inertial import FileBodies, ItemBudget
from massprops.formats.kinds import kind_of, named_kind
from massprops.formats.link_names import some
from massprops.formats.robot.expansion import robot_bytes
from massprops.formats.robot.opening import is_robot
from massprops.formats.search_path import SearchPath
from massprops.frames import GltfUp, Pose
from massprops.measurement.assembly import (
    Assembly,
    AssemblyPart,
    Overlap,
    body_of_mesh,
    measure_space,
    place_assembly,
    place_body,
    place_occupants,
    read_assembly,
    share_space,
)
from massprops.measurement.budget import grow
from massprops.measurement.gltf_axes import require_robots
from massprops.measurement.inferred import known_bodies, links_with_bodies
from massprops.measurement.options import Options
from massprops.measurement.robot import Missing, Robot
from massprops.measurement.shared_space import Occupant, Statements
from massprops.units import Quantity
from massprops.values import flat

HERE = (Pose.identity(),)
#: The frame of several items, each at its pose.
_COMMON = "the combined items"
#: What to do where parts of several items share space.
_COUNT = Remedy(
    "move them apart, name them in one assembly file that says which of them is there, or use {}", "overlap=count"
)


@dataclass(frozen=True)
class RobotPosition:
    """How the links of robots are put together, and parts that share space are taken; see `massprops.combine`."""

    joints: Mapping[str, Quantity] = field(default_factory=dict)
    root: str | None = None
    missing: Missing = "error"
    overlap: Overlap | None = None

    @property
    def statements(self) -> Statements:
        """Statement about parts of several items that share space."""
        return Statements(count=self.overlap == "count")


@public()
def combine(
    *items: Any,
    name: str | None = None,
    joints: Mapping[str, Quantity] | None = None,
    root: str | None = None,
    missing: Missing = "error",
    packages: Mapping[str, str] | None = None,
    package_path: Sequence[str] = (),
    allow_outside: bool = False,
    gltf_up: GltfUp | None = None,
    overlap: Overlap | None = None,
    density: Quantity | None = None,
    material: str | None = None,
    units: str | None = None,
) -> Assembly:
    """Bodies as one rigid body, as `massprops combine` joins them.

    Parameters
    ----------
    items : path, MassProperties, Measurement, NamedBody, or a pair of one of these and a Pose or a list of poses; or a list
        A path is ``file`` or ``file#link`` of inertials in any format, an assembly (``.toml``), a robot: all of its links, placed by its
        joints; or a mesh, which is measured. A pose X_WB places its body B in the common frame W; several make several copies.
    name : str, optional
        Of the whole.
    joints : mapping of str to float or str
        Of the robot, values by name of joint: ``"90deg"``, ``"12mm"``; numbers are rad or m. The others are at rest: 0, in MJCF `ref`;
        joints that mimic another follow it.
    root : str, optional
        The link of the robot whose subtree is taken, in whose frame; by default all links, in the frame of the root link (URDF), the
        model (SDF; its world, if it has one) or the world (MJCF).
    missing : {"error", "ignore"}
        Links that have geometry and no inertial: refuse them, or take them as massless with a warning.
    packages, package_path, allow_outside
        Where included files are looked for.
    gltf_up : {"y", "z"}, optional
        The axis that is up in glTF meshes; by default what the robot's inertials and collision shapes say, else y.
    overlap : {"error", "count"}, optional
        What to do where parts of several assemblies share space: refuse, by default, or count both, with a warning and a ±. Given, links of
        a robot that share space are found, too: warnings, since their masses are stated.
    density, material, units
        Of the meshes among the items; see `massprops.measure`.

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
    if overlap is not None:
        require_word(overlap, get_args(Overlap), "overlap")
    position = RobotPosition(joints or {}, root, missing, overlap)
    search = SearchPath(
        packages=packages or {}, package_path=package_path, allow_outside=allow_outside, gltf_up=gltf_up
    )
    measuring = Options(density=density, material=material, units=units)
    given, wholes = flat(items), []
    if not given:
        raise InvalidInput("no body given", argument="items")
    sources = (item[0] if isinstance(item, tuple) else item for item in given)
    files = [fspath(source) for source in sources if isinstance(source, str | PathLike)]
    require_robots(files, search)
    require_mesh({"density": density, "material": material, "units": units}, map(named_kind, files))
    for i, item in enumerate(given):
        source, poses = item if isinstance(item, tuple) else (item, HERE)
        at = (poses,) if isinstance(poses, Pose) else tuple(poses)
        if isinstance(source, str | PathLike):
            wholes.append(
                parts_of(fspath(source), _everywhere(at), search=search, position=position, measuring=measuring)
            )
        else:
            body = as_body(source, f"items[{i}]")
            wholes.append(Assembly("", (place_body(body, at),), frame=_frame_of(body, at)))
    return join(wholes, name, position)


def require_mesh(options: Mapping[str, object], kinds: Iterable[str]) -> None:
    """Raise InvalidInput for an option of meshes that is given where no item is one."""
    if (given := [name for name, value in options.items() if value is not None]) and "mesh" not in kinds:
        raise InvalidInput("{} is for meshes, and no item is named as one", names=given[:1], hint="leave it out")


def parts_of(
    source: str,
    poses_in: Callable[[str], tuple[Pose, ...]],
    count: int = 1,
    *,
    search: SearchPath,
    position: RobotPosition,
    measuring: Options = Options(),  # noqa: B008  # frozen
    remark: Callable[[str], object] | None = None,
) -> Assembly:
    """The parts of one item, `count` copies at each pose: those of an assembly file, the links of a robot, or its bodies.

    `poses_in` gives the poses for the unit of their bare lengths, that of a mesh; `measuring` are the options of meshes; `remark` is
    called with what was noticed about a table, which else is a finding; see `combine` for the rest.
    """
    if kind_of(source) == "mesh" and Path(source).exists():
        return _mesh(source, poses_in, count, measuring, position)
    poses = poses_in("m")
    whole = read_assembly(source, search) if kind_of(source) == "assembly" else _robot(source, search, position)
    if whole is not None:
        if count == 1 and poses == HERE:
            return whole
        part, own = place_assembly(whole, poses, count), place_occupants(whole, poses, count)
        parts, after, found = share_space((part,), (own,), position.statements, source, _COUNT)
        return Assembly(whole.name, parts, "", tuple(found), whole.joints, occupants=after, frame=_COMMON)
    contents = known_bodies(source, search=search)
    contents = without_sums(contents)
    if remark is not None:
        for text in contents.remarks:
            remark(text)
        contents = replace(contents, remarks=())
    if len(contents.bodies) > 1 and contents.bodies[0].dialect in ("urdf", "sdf", "mjcf", "usd"):
        names = ", ".join(b.name or "?" for b in contents.bodies[:8])
        what = f"has {len(contents.bodies)} bodies, each in a frame of its own"
        raise InvalidInput(what, place=source, hint=f"name one with #, of {names}")
    frame = _frame_of(contents.bodies[0], poses) if len(contents.bodies) == 1 else _COMMON
    if contents.without:
        what = f"{source}: no mass is stated for {some(contents.without)}, and a sum lacks no part"
        raise ReadError(what, code="no-inertial", hint="measure them, or remove their rows")
    return table_of(contents, frame, poses, count)


def table_of(contents: FileBodies, frame: str = "", poses: tuple[Pose, ...] = HERE, count: int = 1) -> Assembly:
    """The bodies of a file, `count` copies at each pose, with its remarks and the findings of the mass budget."""
    parts = tuple(_placed(body, poses, count) for body in contents.bodies)
    limits = {name: limit * count * len(poses) for name, limit in contents.limits.items()}
    table = Assembly("", parts, findings=contents.notes, frame=frame, limits=limits or None)
    over = () if table.budget is None else table.budget.findings()
    return replace(table, findings=(*table.findings, *over))


def _everywhere(poses: tuple[Pose, ...]) -> Callable[[str], tuple[Pose, ...]]:
    """Function that gives these poses for any unit: they have no bare lengths."""
    return lambda _: poses


def _mesh(
    source: str,
    poses_in: Callable[[str], tuple[Pose, ...]],
    count: int,
    measuring: Options,
    position: RobotPosition,
) -> Assembly:
    """A mesh, measured, and where its copies are."""
    measured, space = measure_space(source, measuring)
    if measured.properties is None:
        hint = Remedy("give {} or {}", "density", "material")
        raise InvalidInput("the mesh has no mass, only geometry", place=source, hint=hint)
    body, poses = body_of_mesh(measured, source), poses_in(measured.input.unit)
    density = body.properties.mass / space.moments.measure if space else 0.0
    one = Occupant(body.name or "?", body.properties, space, 1, density, space is None)
    own = tuple(replace(one.transformed(pose), family=object(), count=count) for pose in poses)
    parts, after, found = share_space((place_body(body, poses, count),), (own,), position.statements, source, _COUNT)
    return Assembly("", parts, "", tuple(found), occupants=after, frame=_frame_of(body, poses))


def _placed(body: NamedBody, poses: Sequence[Pose], count: int) -> AssemblyPart:
    """A part, with what its row of a mass budget states."""
    if body.dialect != "csv":
        return place_body(body, poses, count)
    row = body.budget or ItemBudget()
    with as_read_error(body.place):
        part = place_body(body, poses, count, predicted=grow(body.properties, row.growth))
    limit = None if row.limit is None else row.limit * count * len(poses)
    return replace(part, maturity=row.maturity, group=row.group, limit=limit)


def _frame_of(body: NamedBody, poses: Sequence[Pose]) -> str:
    """The frame of a body that stays where it is, or of its copies at some poses."""
    return (body.name or "the body") if tuple(poses) == HERE else _COMMON


def _robot(source: str, search: SearchPath, position: RobotPosition) -> Assembly | None:
    """The links of a robot file put together; None for files with one link, and of other formats."""
    if Address.parse(source).link is not None or kind_of(source) == "mesh":
        return None
    data = robot_bytes(source, search=search)
    if not is_robot(data, source):
        return None
    robot = Robot.of(links_with_bodies(data, source, search, required=position.missing == "error"), source)
    whole = robot.combine(position.joints, position.root, position.missing)
    if position.overlap is None:
        return whole
    from massprops.measurement.robot_space import shared_by_links

    found = shared_by_links(robot, robot.poses(robot.values(position.joints), position.root)[0], search.beside(source))
    return replace(whole, findings=(*whole.findings, *found))


def join(wholes: Sequence[Assembly], name: str | None, position: RobotPosition) -> Assembly:
    """Join several assemblies into one.

    Raises
    ------
    InvalidInput
        If the position of a robot is given and there is not one robot, or the masses do not add up to a positive one: the holes weigh as
        much as what they are cut from.
    InvalidGeometry
        If parts of different ones share space, and overlaps are not counted.
    """
    robots = [whole for whole in wholes if whole.joints is not None]
    given = {"joint": position.joints, "root": position.root, "missing": position.missing != "error"}
    for parameter, is_given in given.items():
        if is_given and len(robots) != 1:
            what = f"is for one robot file, and there are {len(robots)}"
            raise InvalidInput(what, parameter=parameter, hint="combine them one by one")
    whole = wholes[0] if len(wholes) == 1 else _together(wholes, robots, position)
    whole = replace(whole, name=name or whole.name or "combined")
    masses = [part.body.properties.mass for part in whole.parts]
    if not math.isfinite(sum(map(abs, masses))):
        what = "the sum of the masses is too large for a double-precision number"
        raise InvalidInput(what, place=whole.place or whole.name, hint="look at the masses of the parts")
    total = math.fsum(masses)
    if total <= 0.0:
        what = f"the parts add up to a mass of {total!r}\xa0kg; a body has a positive mass"
        hint = "look at the masses of the holes"
        raise InvalidInput(what, place=whole.place or whole.name, code="non-positive-mass", hint=hint)
    return whole


def _together(wholes: Sequence[Assembly], robots: Sequence[Assembly], position: RobotPosition) -> Assembly:
    parts = tuple(part for whole in wholes for part in whole.parts)
    findings = tuple(f for whole in wholes for f in whole.findings)
    before = [own for whole in wholes for own in _of_one_family(whole)]
    parts, after, found = share_space(parts, before, position.statements, hint=_COUNT)
    joints = robots[0].joints if robots else None
    return Assembly("", parts, "", (*findings, *found), joints, occupants=after, frame=_COMMON)


def _of_one_family(whole: Assembly) -> list[tuple[Occupant, ...]]:
    """Occupants of the parts of an assembly, which were compared with each other."""
    family, own = object(), whole.occupants or tuple(() for _ in whole.parts)
    return [tuple(o.settled(family) for o in occupants) for occupants in own]
