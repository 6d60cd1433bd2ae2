"""`massprops combine`: several bodies as one rigid body, with the table of its parts."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand

from massprops.cli import options
from massprops.cli.convert import Failures, with_failures
from massprops.cli.groups import POSE, argument, command, option
from massprops.cli.options import Packages
from massprops.cli.robot import RobotOutput, lumped, read_input, robot_at
from massprops.cli.streams import check_output, deliver, say, say_error, screen
from massprops.errors import InvalidInput, MasspropsError
from massprops.frames import Pose

if TYPE_CHECKING:
    from massprops.formats.robot.mesh_paths import Finder
    from massprops.measurement.assembly import Assembly, Part

#: Between an item and the poses that follow it; no file name and no pose has it.
_AT = "\0"


class CombineCommand(TyperCommand):
    """Ties every --at to the item before it: the parser itself forgets the order of options and arguments."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """As the base class, with poses moved into the items that they place."""
        return super().parse_args(ctx, self._tied(args))

    def _tied(self, args: list[str]) -> list[str]:
        tied: list[str] = []
        item: int | None = None
        queue = list(args)
        while queue:
            word = queue.pop(0)
            name, equals, value = word.partition("=")
            if name == "--at" and item is not None and (equals or queue):
                tied[item] += _AT + (value if equals else queue.pop(0))
                continue
            if not word.startswith("-") or word == "-":
                item = len(tied)
            tied.append(word)
            if word in self._with_value() and queue:
                tied.append(queue.pop(0))
        return tied

    def _with_value(self) -> set[str]:
        return {name for p in self.params if not getattr(p, "is_flag", False) for name in p.opts if name[:1] == "-"}


@dataclass(frozen=True)
class Item:
    """`N*FILE[#LINK]` and the poses of its copies."""

    count: int
    source: str
    poses: tuple[Pose, ...]

    @classmethod
    def parse(cls, text: str) -> Item:
        """The item as `CombineCommand` hands it on."""
        head, *poses = text.split(_AT)
        match = re.fullmatch(r"(\d+)\*(.+)", head, flags=re.DOTALL)
        count, source = (int(match[1]), match[2]) if match else (1, head)
        if count < 1:
            raise InvalidInput(f"{head}: a count of {count} leaves nothing", hint="leave the item out")
        return cls(count, source, tuple(map(Pose.parse, poses)) or (Pose.identity(),))


@command
def combine(
    *,
    items: list[str] = argument("[N*]FILE[#LINK]...", "Bodies in any format, or assemblies (.toml); N copies."),
    output: RobotOutput,
    packages: Packages,
    at: list[str] | None = option(None, "Pose of the item before it; several make several copies.", metavar=POSE),
) -> None:
    """Join bodies into one rigid body; assemblies in TOML name meshes, shapes, results and each other.

    A robot file without #LINK is all of its links, placed by its joints.
    """
    if at:
        raise InvalidInput(f"--at {at[0]!r} follows no item", hint="write it after the item that it places")
    parsed = [Item.parse(item) for item in items]
    sources = [item.source for item in parsed]
    options.check_stdin_once(sources)
    check_output(output.output, sources)
    point, finder = options.parse_about(output.about), packages.finder()
    if output.lump_fixed:
        robot, status = lumped(sources, finder, output, point)
        deliver(robot, output.output)
        raise typer.Exit(status)
    assembly, failures = _assemble(parsed, output, finder)
    text, status = with_failures("", failures, output), 0
    if assembly is not None:
        text, status = _render(assembly, output, point)
    if text:
        deliver(text, output.output)
    raise typer.Exit(options.worst([status, *(e.exit_code for _, e in failures)]))


def _assemble(
    items: list[Item], output: RobotOutput, finder: Callable[[str], Finder]
) -> tuple[Assembly | None, Failures]:
    """All items together; none, where one cannot be read: a sum without a part is a wrong number."""
    from massprops.measurement.assembly import Assembly

    wholes: list[Assembly] = []
    failures: Failures = []
    for item in items:
        try:
            wholes.append(_parts_of(item, finder, output))
        except MasspropsError as error:
            say_error(error)
            failures.append((item.source, error))
    if failures:
        return None, failures
    output.check_robots(sum(whole.joints is not None for whole in wholes))
    assembly = wholes[0]
    if len(wholes) > 1:
        joints = next((whole.joints for whole in wholes if whole.joints is not None), None)
        parts = tuple(part for whole in wholes for part in whole.parts)
        assembly = Assembly("", parts, "", tuple(f for whole in wholes for f in whole.findings), joints)
    assembly = replace(assembly, name=output.link or assembly.name or "combined")
    lacking = _no_mass(assembly.parts, assembly.place or assembly.name)
    if lacking is not None:
        say_error(lacking)
        return None, [(assembly.place or assembly.name, lacking)]
    return assembly, []


def _no_mass(parts: Sequence[Part], place: str) -> InvalidInput | None:
    """Why there is no body, where the holes weigh as much as what they are cut from, or more."""
    total = math.fsum(part.body.properties.mass for part in parts)
    if total > 0.0:
        return None
    return InvalidInput(
        f"{place}: the parts add up to a mass of {total!r} kg; a body has a positive mass",
        code="non-positive-mass",
        hint="look at the masses of the holes",
    )


def _parts_of(item: Item, finder: Callable[[str], Finder], output: RobotOutput) -> Assembly:
    """The parts of an item: those of an assembly file, the links of a robot, or its bodies, each at each pose."""
    from massprops.formats.inertial.opening import open_bodies
    from massprops.measurement.assembly import Assembly, placed, read_assembly

    stdin = read_input(item.source)
    is_assembly = item.source.lower().endswith(".toml")
    whole = read_assembly(item.source) if is_assembly else robot_at(item.source, stdin, finder, output)
    if whole is not None:
        here = len(item.poses) == 1 and item.poses[0].matrix.tolist() == Pose.identity().matrix.tolist()
        if here and item.count == 1:
            return whole
        return replace(whole, parts=(placed(whole.body, item.poses, item.count),), place="", findings=())
    if stdin is not None:
        stdin.seek(0)
    contents = open_bodies(item.source, stdin=stdin, finder=finder)
    for remark in contents.remarks:
        say(remark)
    if len(contents.bodies) > 1 and contents.bodies[0].dialect in ("urdf", "sdf", "mjcf", "usd"):
        names = ", ".join(b.name or "?" for b in contents.bodies[:8])
        raise InvalidInput(
            f"{item.source}: has {len(contents.bodies)} bodies, each in a frame of its own",
            hint=f"name one with #, of {names}",
        )
    return Assembly("", tuple(placed(body, item.poses, item.count) for body in contents.bodies))


def _render(assembly: Assembly, output: RobotOutput, about: Any) -> tuple[str, int]:
    from massprops.cli.rendering import render

    body = assembly.body
    if output.kind == "json":
        from massprops.formats.inertial.json_results import all_findings, body_dict

        result = body_dict(body, about=about or "com", products=output.products)
        if assembly.joints is not None:
            result["joints"] = dict(assembly.joints)
        result["parts"] = [part.to_dict() for part in assembly.parts]
        text = json.dumps(result, indent=2, allow_nan=False) + "\n"
        return text, int(options.failed(all_findings(body), output.fail_on))
    text, status = render([replace(body, name=output.link or body.name)], output, about)
    if output.kind == "table":
        from massprops.report.inertials import parts

        text = parts([(p.body, p.count) for p in assembly.parts], body, screen(output.output)) + "\n" + text
    return text, status
