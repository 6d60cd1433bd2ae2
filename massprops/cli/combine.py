"""`massprops combine`: several bodies as one rigid body, with the table of its parts."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from massprops.access import allowing
from massprops.cli import options
from massprops.cli.convert import Failures, with_failures
from massprops.cli.groups import POSE, ROBOT, Text, declarations
from massprops.cli.options import Configured, Joints, RobotMeshes, config_options, fails
from massprops.cli.output_format import BodyOutput
from massprops.cli.rendering import render
from massprops.cli.streams import log, say_error, text_output, write_output
from massprops.declarations import argument, check_kinds, flag, option, option_of
from massprops.errors import InvalidGeometry, InvalidInput, MasspropsError
from massprops.findings import some_of_each
from massprops.formats.bodies.json_results import body_dict
from massprops.formats.files import note_named, read_bytes
from massprops.formats.kinds import named_kind
from massprops.formats.robot.expansion import robot_bytes
from massprops.formats.search_path import SearchPath
from massprops.frames import Pose
from massprops.measurement.options import Options
from massprops.values import dataclass

if TYPE_CHECKING:
    from massprops.checking.config import Config
    from massprops.measurement.assembly import Assembly
    from massprops.measurement.combining import RobotPosition

#: Before each pose of an item, the last one first, and before the item itself; no file name and no pose has it.
_AT = "\0"


def attach_poses_to_items(words: Sequence[str]) -> list[str]:
    """The words, with every --at moved into the item before it: what is read of them has no order of options and arguments."""
    valued = {name for d in declarations(combine) if d.takes_value for name in d.spellings}
    found: list[str] = []
    item: int | None = None
    queue = list(words)
    while queue:
        word = queue.pop(0)
        name, equals, value = word.partition("=")
        if name == "--at" and item is not None and (equals or queue):
            placed = found[item] if _AT in found[item] else _AT + found[item]
            found[item] = _AT + (value if equals else queue.pop(0)) + placed
            continue
        if not word.startswith("-") or word == "-":
            item = len(found)
        found.append(word)
        if word in valued and queue:
            found.append(queue.pop(0))
    return found


@dataclass(frozen=True)
class Item:
    """`N*FILE[#LINK]` and the poses of its copies."""

    count: int
    source: str
    poses: tuple[Pose, ...]
    pose_texts: tuple[str, ...] = ()

    def poses_in(self, unit: str) -> tuple[Pose, ...]:
        """The poses, with bare lengths in a unit."""
        return tuple(Pose.parse(text, unit=unit) for text in self.pose_texts) or self.poses

    @classmethod
    def parse(cls, text: str) -> Item:
        """The item as `attach_poses_to_items` returns it."""
        *poses, head = text.split(_AT)
        match = re.fullmatch(r"(-?\d[\d.]*(?:[eE]\d+)?)\*(.+)", head, flags=re.DOTALL)
        if match and not match[1].isdecimal():
            raise InvalidInput(f"{head}: a count is a whole number, got {match[1]}", hint="for example 2*bolt.json")
        count, source = (int(match[1]), match[2]) if match else (1, head)
        if count < 1:
            raise InvalidInput(f"{head}: a count of {count} leaves nothing", hint="leave the item out")
        texts = tuple(poses[:0:-1])
        return cls(count, source, tuple(map(Pose.parse, texts)) or (Pose.identity(),), texts)


@dataclass(frozen=True, kw_only=True)
class RobotOutput(Joints, BodyOutput):
    """The output options of combine, with those of robots."""

    root: Text = option(ROBOT, "Combine this link and all links below it, in its frame. [default: all]", metavar="LINK")
    missing: Literal["error", "ignore"] = option(
        ROBOT, "Links with geometry and no inertial: refuse, or take as massless.", default="error"
    )
    overlap: Literal["error", "count"] | None = option(
        None,
        "Parts of several items that share space: refuse, or count both, with a ±; of a robot, find links that do. [default: error]",
    )
    lump_fixed: bool = flag(ROBOT, "Merge fixed links into their parents; URDF is written whole, with its geometry.")

    def check_replaced(self, output: str) -> None:
        """Like the base class; with --lump-fixed, a whole robot may replace another."""
        if not self.lump_fixed:
            super().check_replaced(output)

    @property
    def position(self) -> RobotPosition:
        """How the links of a robot are put together."""
        from massprops.measurement.combining import RobotPosition

        return RobotPosition(self.values, self.root, self.missing, self.overlap)


def combine(
    *,
    items: list[str] = argument(
        "[N*]FILE[#LINK]...", "Bodies in any format, meshes, tables, or assemblies (.toml); N copies."
    ),
    output: RobotOutput,
    packages: RobotMeshes,
    configured: Configured,
    density: Text = option_of(Options, "density", help="Of the meshes: kg/m³, or with a unit: 7800, 7.8g/cm3."),
    material: Text = option_of(Options, "material", help="Of the meshes: a name from 'massprops materials'."),
    units: Text = option_of(Options, "units"),
    at: list[str] | None = option(None, "Pose of the item before it; several make several copies.", metavar=POSE),
) -> int:
    """Join bodies into one rigid body; assemblies in TOML name meshes, shapes, results and each other.

    A robot file without #LINK is all of its links, placed by its joints.
    """
    from massprops.measurement.combining import require_mesh  # imported lazily

    if at:
        raise InvalidInput(f"--at {at[0]!r} follows no item", hint="write it after the item that it places")
    parsed = [Item.parse(item) for item in items]
    sources = [item.source for item in parsed]
    options.check_stdin_once(sources)
    kinds = [*map(named_kind, sources)]
    of_robots = {"joint": output.joint} if output.joint else {}
    check_kinds(of_robots | packages.given(), kinds)
    packages.require_gltf(sources)
    given = {k: v for k, v in (("density", density), ("material", material), ("units", units)) if v}
    require_mesh(given, kinds)
    for source in sources:
        note_named(source)
    config = configured.of_measurements()
    settings = {s: config_options(config, s, given, is_flat=False) for s in sources if named_kind(s) == "mesh"}
    point, search = options.parse_about(output.about), packages.search(config)
    if output.lump_fixed:
        robot, status = lump(parsed, search, output, point, config)
        write_output(robot, output.output)
        return status
    measuring = {s: Options(**(settings.get(s, {}) | given)) for s in sources}
    assembly, failures = _assemble(parsed, output, search, measuring)
    text, status = with_failures("", failures, output, config), 0
    if assembly is not None:
        text, status = _render(assembly, output, point, config, [*settings.values()])
    if text:
        write_output(text, output.output)
    return options.worst([status, *(e.exit_code for _, e in failures)])


def _assemble(
    items: list[Item], output: RobotOutput, search: SearchPath, measuring: Mapping[str, Options]
) -> tuple[Assembly | None, Failures]:
    """All items together; none, where one cannot be read: a sum without a part is a wrong number."""
    from massprops.measurement.combining import join, parts_of

    wholes: list[Assembly] = []
    failures: Failures = []
    position = output.position
    from_stdin = any(item.source.partition("#")[0] == "-" for item in items)
    with allowing(contents={"-": read_bytes("-", sys.stdin.buffer)} if from_stdin else None):
        for item in items:
            try:
                given = item.source, item.poses_in, item.count
                how = measuring[item.source]
                wholes.append(parts_of(*given, search=search, position=position, measuring=how, remark=log))
            except MasspropsError as error:
                say_error(error)
                failures.append((item.source, error))
    if failures:
        return None, failures
    try:
        return join(wholes, output.link, position), []
    except (InvalidInput, InvalidGeometry) as error:
        if error.code not in ("non-positive-mass", "shared-space"):
            raise
        say_error(error)
        return None, [(error.place, error)]


def _render(
    assembly: Assembly,
    output: RobotOutput,
    about: Any,
    config: Config | None,
    settings: Sequence[Mapping[str, Any]],
) -> tuple[str, int]:
    body = assembly.body
    if output.kind == "json":
        result = body_dict(body, about=about or "com", products=output.products)
        result["frame"] = assembly.frame
        if assembly.joints is not None:
            result["joints"] = dict(assembly.joints)
        result["parts"] = [part.to_dict() for part in assembly.parts]
        if assembly.budget is not None:
            result["budget"] = assembly.budget.to_dict()
        text = json.dumps(result, indent=2, allow_nan=False) + "\n"
        return text, int(options.fails(body.all_findings, output.fail_on))
    named = replace(body, name=output.link or body.name)
    text, status = render([named], output, about, assembly.frame, config=config, settings=settings)
    if output.kind == "table":
        from massprops.writers.inertials import budget_text, parts

        screen = text_output(output.output, output, config)
        above = [] if screen.quiet else [parts(assembly.parts, body, screen)]
        if above and assembly.budget is not None:
            above.append(budget_text(assembly.budget, screen))
        text = "\n".join([*above, text])
    return text, status


def lump(
    items: Sequence[Item], search: SearchPath, output: RobotOutput, about: Any, config: Config | None
) -> tuple[str | bytes, int]:
    """The robot with fixed links merged: as URDF, or its links in another format; and the exit code."""
    from massprops.filling.lumping import lump_fixed
    from massprops.measurement.inferred import links_with_bodies
    from massprops.measurement.robot import Robot

    path = items[0].source
    is_link = "#" in path and not Path(path).exists()
    if len(items) != 1 or is_link:
        raise InvalidInput("--lump-fixed takes one robot file, without #LINK", hint="give the file of the whole robot")
    if items[0].pose_texts or items[0].count != 1:
        what = "--lump-fixed leaves each link in its own frame: it takes no count and no --at"
        raise InvalidInput(what, hint="leave them out")
    if output.kind == "urdf" and output.digits is not None:
        raise InvalidInput("--digits has no meaning for --lump-fixed with --format urdf", hint="leave it out")
    data = robot_bytes(path, sys.stdin.buffer if path == "-" else None, search)
    if output.kind != "urdf":
        links = links_with_bodies(data, path, search, required=output.missing == "error")
        bodies = Robot.of(links, path).lump_fixed(output.missing)
        return render(list(bodies.values()), output, about, config=config)
    text, found = lump_fixed(data, path, output.missing, search)
    lines = ((f.code, ": ".join((str(f.where or path), f.severity, f.code, f.message))) for f in found)
    for line in some_of_each(lines, output.verbose, lambda more: f"{path}: {more}"):
        log(line)
    return text, int(fails(found, output.fail_on))
