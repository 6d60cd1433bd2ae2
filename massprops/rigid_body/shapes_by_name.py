"""Bodies made from a shape's name, its lengths and its material or mass, as the command line and assemblies give them."""

from __future__ import annotations

from collections.abc import Mapping

from massprops.errors import InvalidInput
from massprops.grades import Kind
from massprops.rigid_body.hollow import wall
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.mass_specification import Matter, with_stated_errors
from massprops.rigid_body.shapes import SHAPES, Shape
from massprops.units import Quantity, parse_length, parse_share
from massprops.wording import did_you_mean


def made(
    name: str,
    lengths: Mapping[str, str | float],
    matter: Matter,
    *,
    kind: Kind = "solid",
    infill: Quantity | None = None,
) -> MassProperties:
    """The body of a shape in the shape's own frame; see `massprops.rigid_body.shapes`.

    Parameters
    ----------
    name : str
        A name in `massprops.rigid_body.shapes.SHAPES`.
    lengths : mapping
        Its parameters: metres, or texts with a unit.
    matter : Matter
        A solid has a density or a mass; a sheet an area density, a density with a thickness, or a mass; rods and points a mass.
    kind : {"solid", "sheet", "wall"}
        What a closed shape is: solid, its surface as a sheet, or a wall of the thickness inside its surface.
    infill : float, str
        Of a wall: the share of its inside that is filled, ``"15 %"``.

    Raises
    ------
    InvalidInput
        If the shape is unknown, a parameter is missing, foreign or no length, or no material or mass is given.
    """
    if name not in SHAPES:
        hint = did_you_mean(name.lower().replace("_", "-"), SHAPES)
        raise InvalidInput(f"unknown shape {name!r}", hint=hint)
    if infill is not None and kind != "wall":
        raise InvalidInput("an infill is for walls", hint="make it a wall")
    if kind == "sheet":
        name = _sheet(name)
    shape = SHAPES[name]
    _check_names(shape, lengths)
    metres = {
        p.name: parse_length(lengths[p.name], name=p.name, must_be_positive=p.kind == "length")
        for p in shape.parameters
        if p.name in lengths
    }
    if kind == "wall":
        share = 0.0 if infill is None else parse_share(infill, name="infill", ends=True)
        return with_stated_errors(_wall(shape, metres, matter, share), matter.stated_errors(is_sheet=False))
    density, mass = _matter(shape, matter)
    body = shape.function(**metres, mass=mass, **({"density": density} if shape.dimension else {}))
    return with_stated_errors(body, matter.stated_errors(is_sheet=shape.dimension == 2))


def _sheet(name: str) -> str:
    """The name of the surface of a closed shape; of a sheet, its own."""
    if SHAPES[name].dimension == 2:
        return name
    if f"{name}-shell" not in SHAPES:
        shells = ", ".join(n.removesuffix("-shell") for n in SHAPES if n.endswith("-shell"))
        raise InvalidInput(f"the surface of the {name} has no closed form here", hint=f"sheets: {shells}")
    return f"{name}-shell"


def _wall(shape: Shape, metres: Mapping[str, float], matter: Matter, infill: float) -> MassProperties:
    """A wall of the thickness, of the density or the mass that are given."""
    if matter.thickness is None or matter.area_density is not None:
        raise InvalidInput("wall needs a thickness", hint="give the thickness, and a density or a mass")
    if matter.thickness_relative:
        what = "a tolerance of the thickness of a wall is not propagated"
        raise InvalidInput(what, code="tolerance-not-propagated", hint="compute both limits")
    if matter.mass is not None:
        return wall(
            shape,
            metres,
            matter.thickness,
            infill,
            matter.mass / wall(shape, metres, matter.thickness, infill, 1.0).mass,
        )
    if matter.density is None:
        raise InvalidInput(f"no density, material or mass given for the {shape.name}", hint="give one of them")
    return wall(shape, metres, matter.thickness, infill, matter.density)


def _check_names(shape: Shape, lengths: Mapping[str, object]) -> None:
    names = [p.name for p in shape.parameters]
    has = f"it has {', '.join(names)}" if names else "it has no lengths"
    foreign = [name for name in lengths if name not in names]
    if foreign:
        raise InvalidInput(f"{shape.name} has no parameter {foreign[0]!r}", code="unknown-parameter", hint=has)
    missing = [p.name for p in shape.parameters if not p.optional and p.name not in lengths]
    if missing:
        raise InvalidInput(f"{shape.name} needs {' and '.join(missing)}", code="missing-parameter")


def _matter(shape: Shape, matter: Matter) -> tuple[float | None, float | None]:
    """Density per measure of the shape, or the mass: exactly one of them."""
    if matter.mass is not None:
        return None, matter.mass
    if shape.dimension == 2:
        if matter.area_density is not None:
            return matter.area_density, None
        if matter.density is not None and matter.thickness is not None:
            return matter.density * matter.thickness, None
        what = f"{shape.name} is a thin sheet, and its mass per area is not known"
        raise InvalidInput(what, hint="give area density, a thickness with a density or material, or a mass")
    if matter.area_density is not None or matter.thickness is not None:
        raise InvalidInput(f"an area density or a thickness describes a sheet, and {shape.name} is none")
    if shape.dimension < 2:
        raise InvalidInput(f"{shape.name} has no volume, so it needs a mass", hint="give its mass")
    if matter.density is None:
        raise InvalidInput(f"no density, material or mass given for the {shape.name}", hint="give one of them")
    return matter.density, None
