"""`massprops combine`: several bodies as one rigid body, with the table of its parts."""

from __future__ import annotations

import math
import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from massprops.cli import options
from massprops.cli.convert import About, Errors, Fail, Form, Sign, json_errors
from massprops.cli.options import WORST, FailOn, Format, Output, Products
from massprops.cli.output_format import Style
from massprops.cli.streams import check_output, deliver, say, screen
from massprops.errors import InvalidInput, MasspropsError
from massprops.frames import Pose

if TYPE_CHECKING:
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


def combine(
    items: Annotated[
        list[str],
        typer.Argument(metavar="[N*]FILE[#LINK]...", help="Bodies in any dialect, or assemblies (.toml); N copies."),
    ],
    at: Annotated[
        list[str] | None,
        typer.Option("--at", metavar="'X Y Z R P Y'", help="Pose of the item before it; several make several copies."),
    ] = None,
    format: Form = Format.table,
    link: options.Link = None,
    principal: options.Principal = False,
    digits: options.Digits = None,
    consumer: options.For = None,
    rotation: options.SdfRotation = options.Rotation.rpy,
    order: options.TenOrder = options.Order.pinocchio,
    about: About = None,
    products: Sign = Products.tensor,
    fail_on: Fail = FailOn.error,
    output: Output = None,
) -> None:
    """Join bodies into one rigid body; assemblies in TOML name meshes, shapes, results and each other."""
    style = Style.parse(
        format, principal=principal, digits=digits, consumer=consumer, rotation=rotation, order=order, link=link
    )
    if at:
        raise InvalidInput(f"--at {at[0]!r} follows no item", hint="write it after the item that it places")
    wanted = [Item.parse(item) for item in items]
    sources = [item.source for item in wanted]
    if sources.count("-") > 1:
        raise InvalidInput("standard input is named twice", hint="give - once")
    check_output(output, [s.rpartition("#")[0] or s for s in sources])
    point = None if about is None else options.parse_about(about)
    assembly, errors = _assemble(wanted, link)
    text, status = json_errors(errors) if format is Format.json else "", errors.status
    if assembly is not None:
        text, found = _render(assembly, style, fail_on, point, products.value, output)
        status = max(status, found, key=WORST.index)
    if text:
        deliver(text, output)
    raise typer.Exit(status)


def _assemble(items: list[Item], name: str | None) -> tuple[Assembly | None, Errors]:
    """All items together; none, where one cannot be read: a sum without a part is a wrong number."""
    from massprops.measurement.assembly import Assembly

    parts: list[Part] = []
    failed: list[tuple[str, MasspropsError]] = []
    title, place = name or "combined", ""
    for item in items:
        try:
            whole = _parts_of(item)
        except MasspropsError as error:
            say(str(error))
            failed.append((item.source, error))
            continue
        parts += whole.parts
        if len(items) == 1:
            title, place = name or whole.name or title, whole.place
    lacking = None if failed else _no_mass(parts, place or title)
    if lacking is not None:
        say(str(lacking))
        failed.append((place or title, lacking))
    return (None if failed else Assembly(title, tuple(parts), place)), Errors(failed)


def _no_mass(parts: list[Part], place: str) -> InvalidInput | None:
    """Why there is no body, where the holes weigh as much as what they are cut from, or more."""
    total = math.fsum(part.body.properties.mass for part in parts)
    if total > 0.0:
        return None
    return InvalidInput(
        f"{place}: the parts add up to a mass of {total!r} kg; a body has a positive mass",
        code="non-positive-mass",
        hint="look at the masses of the holes",
    )


def _parts_of(item: Item) -> Assembly:
    """The parts of an item: those of an assembly file, or its bodies, each at each pose."""
    from massprops.formats.inertial.opening import open_bodies
    from massprops.measurement.assembly import Assembly, placed, read_assembly

    if item.source.lower().endswith(".toml"):
        whole = read_assembly(item.source)
        here = len(item.poses) == 1 and item.poses[0].matrix.tolist() == Pose.identity().matrix.tolist()
        return (
            whole if here and item.count == 1 else Assembly(whole.name, (placed(whole.body, item.poses, item.count),))
        )
    contents = open_bodies(item.source, stdin=sys.stdin.buffer if item.source == "-" else None)
    for remark in contents.remarks:
        say(remark)
    if len(contents.bodies) > 1 and contents.bodies[0].dialect in ("urdf", "sdf", "mjcf", "usd"):
        names = ", ".join(b.name or "?" for b in contents.bodies[:8])
        raise InvalidInput(
            f"{item.source}: has {len(contents.bodies)} bodies, each in a frame of its own",
            hint=f"name one with #, of {names}",
        )
    return Assembly("", tuple(placed(body, item.poses, item.count) for body in contents.bodies))


def _render(
    assembly: Assembly, style: Style, fail_on: FailOn, about: Any, products: Any, output: str | None
) -> tuple[str, int]:
    from massprops.cli.rendering import renamed, render

    body = assembly.body
    if style.format is Format.json:
        return _json(assembly, about, products, fail_on)
    (total,) = renamed([body], style.link)
    text, status = render([total], style, fail_on, about=about, products=products, output=output)
    if style.format is Format.table:
        from massprops.report.inertials import parts

        text = parts([(p.body, p.count) for p in assembly.parts], body, screen(output)) + "\n" + text
    return text, status


def _json(assembly: Assembly, about: Any, products: Any, fail_on: FailOn) -> tuple[str, int]:
    import json

    from massprops.formats.inertial.json_results import all_findings, body_dict

    body = assembly.body
    result = body_dict(body, about=about or "com", products=products)
    result["parts"] = [part.to_dict() for part in assembly.parts]
    return json.dumps(result, indent=2, allow_nan=False) + "\n", int(options.failed(all_findings(body), fail_on))
