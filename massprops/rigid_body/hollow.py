"""Closed shapes as walls: the solid less its core, the points that lie deeper below the surface than the thickness.

The core of most shapes is one of the same kind. That of an ellipsoid is none, and has no closed form.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial

from massprops.errors import InvalidInput
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.shapes import Shape

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
        raise InvalidInput(what, code="no-closed-form", hint="export a mesh and use 'massprops compute --as wall'")
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
