"""Bodies made from a shape's name, its lengths and its material or mass, as the command line and assemblies give them.

A closed shape as a wall is the solid less its core, the points that lie deeper below the surface than the thickness. The core of most
shapes is one of the same kind; that of an ellipsoid is none, and has no closed form.

Tests: `tests/rigid_body/test_hollow.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial

from massprops.declarations import check_applicable
from massprops.errors import InvalidInput, Remedy, require_type
from massprops.grades import MeasuredAs
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.mass_specification import MassSpecification, with_stated_errors
from massprops.rigid_body.shapes import SHAPES, Shape
from massprops.units import Quantity, parse_length, parse_share
from massprops.wording import did_you_mean

#: Thinner walls, as a share of the smallest length, lose more than six digits to the difference of two solids.
THINNEST = 1e-6
#: The lengths of a core, of which those that are not positive say that there is none, and the place of its frame.
Core = tuple[dict[str, float], tuple[float, float, float]]


def wall(shape: Shape, lengths: Mapping[str, float], t: float, infill: float, density: float) -> MassProperties:
    """The wall of thickness `t` inside a closed shape, m, and what it encloses filled to the share `infill`.

    Raises
    ------
    InvalidInput
        If the core of the shape has no closed form, or the wall is too thin for one.
    """
    if shape.name not in CORES:
        what = f"a wall of uniform thickness inside the {shape.name} has no closed form"
        hint = Remedy("export a mesh and use 'massprops compute' with {}", "kind=wall")
        raise InvalidInput(what, code="no-closed-form", hint=hint)
    if t < THINNEST * min(value for name, value in lengths.items() if name != "apex"):
        raise InvalidInput(f"thickness {t!r} m is too small for the {shape.name}", hint="measure it as a sheet")
    body = shape.function(**lengths, density=density)
    inner, place = CORES[shape.name](lengths, t)
    if infill == 1 or any(value <= 0 for name, value in inner.items() if name != "apex"):
        return body
    return body - shape.function(**inner, density=density * (1 - infill)).translated(place)


#: By how many thicknesses each length of a core is less than that of the shape, where no other one changes.
_LESS: dict[str, dict[str, int]] = {
    "box": {"x": 2, "y": 2, "z": 2},
    "sphere": {"radius": 1},
    "cylinder": {"radius": 1, "length": 2},
    "tube": {"outer_radius": 1, "inner_radius": -1, "length": 2},
    "capsule": {"radius": 1},
    "torus": {"tube_radius": 1},
}


def _parallel(less: Mapping[str, int], a: Mapping[str, float], t: float) -> Core:
    inner = {name: value - less.get(name, 0) * t for name, value in a.items()}
    if inner.get("outer_radius", 1) <= inner.get("inner_radius", 0):
        inner["length"] = 0.0
    return inner, (0.0, 0.0, 0.0)


def _cone(a: Mapping[str, float], t: float) -> Core:
    """Similar, as their inscribed spheres are: of radius r h / (r + √(r² + h²)), and t less."""
    r, h = a["radius"], a["height"]
    share = 1 - t * (r + math.hypot(r, h)) / (r * h)
    return {"radius": share * r, "height": share * h}, (0.0, 0.0, t)


def _prism(a: Mapping[str, float], t: float) -> Core:
    """A similar triangle about the same centre of the inscribed circle, whose radius is twice the area by the perimeter."""
    base, height = a["base"], a["height"]
    apex = a.get("apex", base / 2)
    left, right = math.hypot(apex, height), math.hypot(base - apex, height)
    perimeter = base + left + right
    share = 1 - t * perimeter / (base * height)
    center = ((base * left + apex * base) / perimeter, base * height / perimeter)
    inner = {"base": share * base, "height": share * height, "apex": share * apex, "length": a["length"] - 2 * t}
    return inner, ((1 - share) * center[0], (1 - share) * center[1], t)


#: By the name of the shape, the core of given lengths at a depth.
CORES: dict[str, Callable[[Mapping[str, float], float], Core]] = {
    **{name: partial(_parallel, less) for name, less in _LESS.items()},
    "cone": _cone,
    "triangular-prism": _prism,
}


def shape_from_lengths(
    name: str,
    lengths: Mapping[str, Quantity],
    matter: MassSpecification,
    *,
    kind: MeasuredAs = "solid",
    infill: Quantity | None = None,
) -> MassProperties:
    """The body of a shape in the shape's own frame; see `massprops.rigid_body.shapes`.

    Parameters
    ----------
    name : str
        A name in `massprops.rigid_body.shapes.SHAPES`.
    lengths : mapping
        Its parameters: metres, or texts with a unit.
    matter : MassSpecification
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
    require_type(name, str, "name", "that of a shape")
    if name not in SHAPES:
        hint = did_you_mean(name.lower().replace("_", "-"), SHAPES)
        raise InvalidInput(f"unknown shape {name!r}", hint=hint)
    given = {"kind": kind, "infill": infill, "thickness": matter.thickness, "area_density": matter.area_density}
    check_applicable({name: value for name, value in given.items() if value is not None})
    if kind == "sheet":
        name = _sheet(name)
    shape = SHAPES[name]
    _check_names(shape, lengths)
    metres = parse_lengths(shape, lengths)
    if kind == "wall":
        share = 0.0 if infill is None else parse_share(infill, name="infill", ends=True)
        return with_stated_errors(_wall(shape, metres, matter, share), matter.stated_errors(is_sheet=False))
    density, mass = _matter(shape, matter)
    body = shape.function(**metres, mass=mass, **({"density": density} if shape.dimension else {}))
    return with_stated_errors(body, matter.stated_errors(is_sheet=shape.dimension == 2))


def parse_lengths(shape: Shape, lengths: Mapping[str, Quantity]) -> dict[str, float]:
    """Lengths of the shape, m; InvalidInput if one is none."""
    return {
        p.name: parse_length(lengths[p.name], name=p.name, must_be_positive=p.kind == "length")
        for p in shape.parameters
        if p.name in lengths
    }


def shape(
    name: str,
    *,
    density: Quantity | None = None,
    mass: Quantity | None = None,
    material: str | None = None,
    area_density: Quantity | None = None,
    thickness: Quantity | None = None,
    kind: MeasuredAs = "solid",
    infill: Quantity | None = None,
    **lengths: Quantity,
) -> MassProperties:
    """Body of a shape by name, as `massprops shape` makes it: ``shape("tube", outer_radius="20mm", …, material="steel")``.

    Parameters
    ----------
    name : str
        ``box``, ``sphere``, ``torus-shell`` …: a name in `massprops.rigid_body.shapes.SHAPES`.
    density, mass, material, area_density, thickness : float, str
        Of a solid a density (kg/m³), a material or a mass (kg); of a sheet an area density (kg/m²), a thickness (m) with one of the
        first two, or a mass; of a rod or point a mass. Texts have a unit.
    kind, infill
        As for `massprops.measure`.
    **lengths : float, str
        Those of the shape, with underscores: metres, or texts with a unit.

    Returns
    -------
    MassProperties
        In the frame of the shape, whose axis is z.

    Raises
    ------
    InvalidInput
        If the shape is unknown, a length is missing, foreign or no length, or no material or mass is given.
    """
    matter = MassSpecification.parse(
        density=density, mass=mass, material=material, area_density=area_density, thickness=thickness
    )
    return shape_from_lengths(name, lengths, matter, kind=kind, infill=infill)


def _sheet(name: str) -> str:
    """The name of the surface of a closed shape; of a sheet, its own."""
    if SHAPES[name].dimension == 2:
        return name
    if f"{name}-shell" not in SHAPES:
        shells = ", ".join(n.removesuffix("-shell") for n in SHAPES if n.endswith("-shell"))
        raise InvalidInput(f"the surface of the {name} has no closed form here", hint=f"sheets: {shells}")
    return f"{name}-shell"


def _wall(shape: Shape, metres: Mapping[str, float], matter: MassSpecification, infill: float) -> MassProperties:
    """A wall of the thickness, of the density or the mass that are given."""
    assert matter.thickness is not None  # noqa: S101  # a wall needs one
    if matter.thickness_relative:
        what = "a tolerance of the thickness of a wall is not propagated"
        raise InvalidInput(what, code="tolerance-not-propagated", hint="compute both limits")
    of_density = partial(wall, shape, metres, matter.thickness, infill)
    return of_density(_density(shape, matter) if matter.mass is None else matter.mass / of_density(1.0).mass)


def _density(shape: Shape, matter: MassSpecification) -> float:
    if matter.density is None:
        raise InvalidInput(f"no density, material or mass given for the {shape.name}", hint="give one of them")
    return matter.density


def _check_names(shape: Shape, lengths: Mapping[str, object]) -> None:
    names = [p.name for p in shape.parameters]
    has = Remedy(f"it has {', '.join('{}' for _ in names) or 'no lengths'}", *names)
    if foreign := [name for name in lengths if name not in names]:
        what = f"is no length of {shape.name}"
        raise InvalidInput(what, parameter=foreign[0], code="unknown-parameter", hint=has)
    missing = [p.name for p in shape.parameters if not p.optional and p.name not in lengths]
    if missing:
        raise InvalidInput(f"{shape.name} needs {' and '.join(missing)}", code="missing-parameter")


def _matter(shape: Shape, matter: MassSpecification) -> tuple[float | None, float | None]:
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
        what = f"an area density or a thickness describes a sheet, and {shape.name} is none"
        raise InvalidInput(what, hint="give a density, a material or a mass")
    if shape.dimension < 2:
        raise InvalidInput(f"{shape.name} has no volume, so it needs a mass", hint="give its mass")
    return _density(shape, matter), None
