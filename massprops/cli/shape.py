"""`massprops shape`: closed forms by name."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from massprops.cli import options
from massprops.cli.groups import Group, Text
from massprops.cli.measuring import MassOptions
from massprops.cli.options import Placement
from massprops.cli.output_format import BodyOutput
from massprops.cli.streams import write_output
from massprops.declarations import argument, option
from massprops.rigid_body.mass_specification import MassSpecification
from massprops.units import unit_of
from massprops.values import dataclass, regex

#: The unit at the end of a length.
_SYMBOL = regex(r"([^\W\d_]+|[\"'″′])$")
_LENGTHS = "Lengths of the shape: metres, or with a unit"


@dataclass(frozen=True, kw_only=True)
class Lengths(Group):
    """The lengths of all shapes."""

    x: Text = option(_LENGTHS, "Edge of a box or plate along x.", metavar="LENGTH", synonyms="size dimensions")
    y: Text = option(_LENGTHS, "Edge along y.", metavar="LENGTH")
    z: Text = option(_LENGTHS, "Edge along z.", metavar="LENGTH")
    radius: Text = option(_LENGTHS, "Radius; of a torus, to the middle of its tube.", metavar="LENGTH")
    length: Text = option(_LENGTHS, "Length along z; of a capsule, without its ends.", metavar="LENGTH")
    height: Text = option(_LENGTHS, "Height of a cone, a frustum or a triangle.", metavar="LENGTH")
    top_radius: Text = option(_LENGTHS, "Of a frustum.", metavar="LENGTH")
    outer_radius: Text = option(_LENGTHS, "Of a tube.", metavar="LENGTH")
    inner_radius: Text = option(_LENGTHS, "Of a tube.", metavar="LENGTH")
    tube_radius: Text = option(_LENGTHS, "Of the tube of a torus.", metavar="LENGTH")
    rx: Text = option(_LENGTHS, "Semi-axis of an ellipsoid along x.", metavar="LENGTH")
    ry: Text = option(_LENGTHS, "Semi-axis along y.", metavar="LENGTH")
    rz: Text = option(_LENGTHS, "Semi-axis along z.", metavar="LENGTH")
    inner_rx: Text = option(
        _LENGTHS, "Of a homoeoid: of its inner ellipsoid, which is similar to the outer one.", metavar="LENGTH"
    )
    base: Text = option(_LENGTHS, "Base of a triangle, along x.", metavar="LENGTH")
    apex: Text = option(_LENGTHS, "Where along x the apex of a triangle is.", metavar="LENGTH")


def _length_unit(*given: Any) -> str | None:
    """The unit of the lengths that were given, where all that have one have the same."""
    lengths, pose = given
    words = [*lengths.values(), *(pose or "").replace(",", " ").split()[:3]]
    units = {symbol.group(1) for word in words if (symbol := _SYMBOL.search(str(word).strip()))}
    found = {unit_of(unit)[0] for unit in units if unit}
    return found.pop() if len(found) == 1 else None


def shape(
    *,
    name: str = argument(
        "SHAPE",
        "box, sphere, ellipsoid, homoeoid, cylinder, tube, cone, frustum, capsule, torus, triangular-prism; the thin ones box-shell, "
        "sphere-shell, ellipsoid-shell, cylinder-shell, cone-shell, capsule-shell, torus-shell, pipe, disc, plate; rod, point.",
        complete=lambda: import_module("massprops.rigid_body.shapes").SHAPES,
    ),
    lengths: Lengths,
    mass: MassOptions,
    output: BodyOutput,
    placement: Placement,
) -> int:
    """Mass, centre and inertia of a shape in closed form; axes through its own frame (z is its axis)."""
    from massprops.cli.rendering import render
    from massprops.formats.bodies import NamedBody
    from massprops.rigid_body.plausibility import implausible_density
    from massprops.rigid_body.shapes_by_name import shape_from_lengths

    point = options.parse_about(output.about)
    motion = options.in_metres(placement.pose_in_parent)
    given = mass.given()
    how = {name: given.pop(name) for name in ("kind", "infill") if name in given}
    matter = MassSpecification.parse(**given)
    body = shape_from_lengths(name, lengths.given(), matter, **how)
    found = () if matter.density is None else tuple(implausible_density(matter.density))
    if motion is not None:
        body = body.transformed(motion)
    # a dialect puts a body with a name into a link: only if --link asks for it
    shown = NamedBody(output.link if output.is_dialect and not output.is_rows else name, body, "", "shape", found)
    text, status = render([shown], output, point, unit=_length_unit(lengths.given(), placement.pose))
    write_output(text, output.output)
    return status
