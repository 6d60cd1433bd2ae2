"""The quantities that are shown of measured bodies, of sections, and of bodies without geometry; the console and the page lay them out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from massprops.grades import SHEETS
from massprops.measurement.output_units import OutputUnits
from massprops.measurement.result import Measurement
from massprops.measurement.short_table import Quantity
from massprops.moments.arrays import Array
from massprops.rigid_body.as_json import Products, inertia_about, with_sign
from massprops.rigid_body.line import Line
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.uncertain import View
from massprops.section.properties import AreaMoments, Section
from massprops.units import Dimension

_TENSOR = (("Ixx", 0, 0), ("Iyy", 1, 1), ("Izz", 2, 2), ("Ixy", 0, 1), ("Ixz", 0, 2), ("Iyz", 1, 2))
TENSOR_NAMES = tuple(name for name, _, _ in _TENSOR)
_AXES = {"file": ", axes of the file", "parent": ", axes of the parent frame", "frame": ", axes of the given frame"}


@dataclass(frozen=True)
class QuantityOptions:
    """What is shown of a body, in which units: a second point that its inertia is about, the sign of products, more if `verbose`,
    and a line that the moment of inertia and the radius of gyration are about.
    """

    units: OutputUnits
    about: ArrayLike | str | None = None
    products: Products = "tensor"
    verbose: bool = False
    line: Line | None = None


def measured_quantities(m: Measurement, options: QuantityOptions) -> Iterator[Quantity]:
    """All of a measurement: those of its section, and of a solid or a sheet with a mass geometry and inertia."""
    if m.section is not None:
        yield from section_quantities(m.section, options)
        if m.method == "lamina" and m.density is None:
            return
    yield from _geometry(m, options.verbose)
    body, label, dimension = m.properties, "Inertia", (1, 2)
    if body is None:  # of volume: per density
        body, label, dimension = m.unit_density_properties, "Inertia / density", (0, 4 if m.method in SHEETS else 5)
    elif m.uncertainty is None:  # nothing bounds the geometry: stated standard deviations alone are left
        body = replace(body, sources={n: s for n, s in body.sources.items() if s.kind == "sigma"})
    yield from inertias(body, options, _AXES[m.axes], label, dimension)


def body_quantities(body: MassProperties, options: QuantityOptions) -> Iterator[Quantity]:
    """Those of a body without geometry."""
    yield from mass_and_centre(body)
    yield from inertias(body, options)


def mass_and_centre(p: MassProperties) -> tuple[Quantity, Quantity]:
    """With their bounds and standard deviations, where the mass is not zero within its own."""
    mass, com = Quantity("Mass", (1, 0), [p.mass]), centre(p)
    if not (p.sources and p.uncertainty.mass_is_certain):
        return mass, com
    return off_by(mass, *p.uncertainty.mass), off_by(com, *p.uncertainty.center_of_mass)


def _geometry(m: Measurement, verbose: bool) -> Iterator[Quantity]:
    sheet, off = m.method in SHEETS, m.uncertainty
    stated = [e.name for e in m.stated if e.kind == "sigma"]
    sigma = m.properties.uncertainty.only(*stated) if stated and m.properties is not None else None
    scalars: list[tuple[str, Dimension, float | None, tuple[float, float] | None]] = [
        ("Mass", (1, 0), m.mass, None if off is None else off.mass_change),
        ("Density", (1, -2) if sheet else (1, -3), m.density, None),
        ("Volume", (0, 3), m.volume, None if off is None else off.volume_change),
        ("Surface area", (0, 2), None if m.method == "lamina" else m.area, None),
    ]
    for name, dimension, value, change in scalars:
        if value is not None:
            view = getattr(sigma, name.lower(), None)
            most = None if change is None else [max(map(abs, change))]
            yield off_by(Quantity(name, dimension, [value], change=change), most, None if view is None else view.sigma)
    low, high = m.bounds
    body = m.unit_density_properties if m.properties is None else m.properties
    yield off_by(centre(body), None if off is None else off.center_of_mass)
    yield Quantity("Size", (0, 1), (high - low).tolist())
    if verbose:
        yield Quantity("Bounds, min", (0, 1), low.tolist())
        yield Quantity("Bounds, max", (0, 1), high.tolist())


def off_by(q: Quantity, bound: ArrayLike | None, sigma: ArrayLike | None = None) -> Quantity:
    """The quantity with bounds and standard deviations of its numbers, where there are any."""
    off, deviations = (None if x is None or not np.any(x) else np.ravel(x).tolist() for x in (bound, sigma))
    return replace(q, off=off if off else q.off, sigma=deviations)


def _of_view(q: Quantity, view: View | None) -> Quantity:
    return q if view is None else off_by(q, *view)


def six(tensor: Array) -> list[float]:
    """Ixx, Iyy, Izz, Ixy, Ixz, Iyz of a tensor, shape (3, 3)."""
    return [float(tensor[i, j]) for _, i, j in _TENSOR]


def centre(body: MassProperties, name: str = "Centre of mass") -> Quantity:
    """The centre of mass; what is small beside the body is rounding."""
    radii = body.radii_of_gyration
    return Quantity(name, (0, 1), body.com.tolist(), scale=0.0 if radii is None else float(radii.max()))


def inertias(
    body: MassProperties,
    options: QuantityOptions,
    axes: str = "",
    label: str = "Inertia",
    dimension: Dimension = (1, 2),
) -> Iterator[Quantity]:
    """The tensor about the centre of mass and about the point that was asked for, and principal moments; `verbose`: axes and radii."""
    off = body.uncertainty if body.sources and body.uncertainty.mass_is_certain else None
    about, sign = options.about, "−" if options.products == "tensor" else "+"
    second = "origin" if about is None and options.verbose else about
    for point in ("com",) if second is None or (isinstance(second, str) and second == "com") else ("com", second):
        tensor = Quantity(
            f"{label} about {_place(point, options.units)}",
            dimension,
            six(with_sign(inertia_about(body, point), options.products)),
            names=TENSOR_NAMES,
            note=f"{axes}, Ixy = {sign}∫ρxy",
        )
        view = None
        if off is not None:
            where = np.zeros(3) if isinstance(point, str) else point
            view = off.inertia if isinstance(point, str) and point == "com" else off.inertia_about(where)
        yield tensor if view is None else off_by(tensor, six(view.bound), six(view.sigma))
    principal = body.principal()
    names = ("I1", "I2", "I3")
    moments = Quantity("  principal moments", dimension, principal.moments.tolist(), names=names, is_below=True)
    yield _of_view(moments, None if off is None else off.principal_moments)
    if options.line is not None:
        yield from _about_line(body, options.line, options.units, label, dimension)
    if options.verbose:
        for i, (axis, free) in enumerate(zip(principal.axes.tolist(), principal.arbitrary, strict=True), 1):
            yield Quantity(f"Axis of I{i}{' (any)' if free else ''}", (0, 0), axis)
        if (radii := body.radii_of_gyration) is not None:
            gyration = Quantity("Radii of gyration", (0, 1), radii.tolist(), names=("kx", "ky", "kz"))
            yield _of_view(gyration, None if off is None else off.radii_of_gyration)


def _about_line(
    body: MassProperties, line: Line, units: OutputUnits, label: str, dimension: Dimension
) -> Iterator[Quantity]:
    direction = ", ".join(f"{round(x, 6) + 0.0:g}" for x in line.direction.tolist())
    found, place = line.of(body), in_words(line.point.tolist(), units)
    title = f"{label} about the line {place} + t ({direction})"
    yield _of_view(Quantity(title, dimension, [found.moment]), found.moment_error)
    if found.radius is not None:
        yield _of_view(Quantity("  k = √(I/m)", (0, 1), [found.radius]), found.radius_error)


def _place(about: ArrayLike | str, units: OutputUnits) -> str:
    if isinstance(about, str):
        return "the centre of mass" if about == "com" else "the origin"
    return in_words(np.asarray(about, dtype=np.float64).tolist(), units)


def in_words(point: Sequence[float], units: OutputUnits) -> str:
    """``(0, 0, 12.5) mm``."""
    return f"({', '.join(units.number(units.of(x, (0, 1))) for x in point)}) {units.length}"


def section_quantities(section: Section, options: QuantityOptions) -> Iterator[Quantity]:
    """Area, centroid, second moments about the centroid and the point `about`, and what follows; `verbose`: about the origin, radii."""
    about, units = options.about, options.units
    point = None if about is None or isinstance(about, str) else [float(x) for x in np.asarray(about)[:2]]
    off, size = section.errors(point) or {}, float((section.bounds[1] - section.bounds[0]).max())
    yield Quantity("Area", (0, 2), [section.area], _off(off.get("area")))
    if section.moments.measure != section.area:
        yield Quantity("Weighted area", (0, 2), [section.moments.measure], _off(off.get("weighted_area")))
    yield Quantity("Perimeter", (0, 1), [section.perimeter], _off(off.get("perimeter")))
    yield Quantity("Centroid", (0, 1), section.centroid.tolist(), _off(off.get("centroid")), scale=size)
    yield Quantity("Size", (0, 1), (section.bounds[1] - section.bounds[0]).tolist())
    yield _moments("the centroid", section.about_centroid, off.get("about_centroid"))
    if options.verbose or about == "origin":
        yield _moments("the origin", section.about([0.0, 0.0]), off.get("about_origin"))
    if point is not None:
        yield _moments(in_words(point, units), section.about(point), off.get("about"))
    yield Quantity("Polar moment", (0, 4), [section.polar], _off(off.get("polar")))
    moments, bound = section.principal_moments.tolist(), off.get("principal_moments")
    yield Quantity("Principal I", (0, 4), moments, _off(bound, bound), names=("I1", "I2"))
    angle = [units.of_angle(section.principal_angle)]
    yield Quantity(f"Angle of axis 1 [{units.angle}]", (0, 0), angle)
    w, by = section.moduli, off.get("moduli", {})
    sides = {"x": "top, bottom", "y": "right, left"} | ({"1": "of axis 1", "2": "of axis 2"} if options.verbose else {})
    for axis, where in sides.items():
        both = (f"{axis}_plus", f"{axis}_minus")
        names = (f"W{axis}+", f"W{axis}-")
        yield Quantity(f"W {where}", (0, 3), [w[k] for k in both], _off(*(by.get(k) for k in both)), names=names)
    yield from _plastic(section, off, options.verbose)
    if (t := section.torsion) is not None:
        yield Quantity("Torsion J", (0, 4), [t.constant], [t.constant_error])
        yield Quantity("Warping constant", (0, 6), [t.warping_constant], [t.warping_constant_error])
        yield Quantity("Shear centre", (0, 1), t.shear_center.tolist(), t.shear_center_error.tolist(), scale=size)
    if options.verbose:
        radii = section.radii_of_gyration.tolist()
        yield Quantity("Radii of gyration", (0, 1), radii, _off(off.get("radii_of_gyration")), names=("rx", "ry"))
        for end, corner in zip(("min", "max"), section.bounds.tolist(), strict=True):
            yield Quantity(f"Bounds, {end}", (0, 1), corner)


def _plastic(section: Section, off: dict[str, Any], verbose: bool) -> Iterator[Quantity]:
    """Of both axes; `verbose`: also of the principal axes, with neutral axes, shape factors and statical moments."""
    if (plastic := section.plastic) is not None:
        by = off.get("plastic") or {}
        lines: list[tuple[str, Dimension, str, tuple[str, ...]]] = [("Plastic W", (0, 3), "modulus", ("Wx", "Wy"))]
        if verbose:
            lines += [
                ("Plastic W of 1, 2", (0, 3), "modulus", ("W1", "W2")),
                ("Plastic axes at", (0, 1), "neutral_axes", ("y", "x")),  # the axis parallel to x is at a y
                ("  from the centroid", (0, 1), "neutral_axes", ("1", "2")),
                ("Shape factors", (0, 0), "shape_factors", ("x", "y")),
                ("Shape factors of 1, 2", (0, 0), "shape_factors", ("1", "2")),
            ]
        for label, dimension, name, names in lines:
            axes = ("x", "y") if names == ("y", "x") else [n[-1] for n in names]
            values, bounds = getattr(plastic, name), by.get(name, {})
            if None not in (shown := [values[axis] for axis in axes]):
                yield Quantity(label, dimension, shown, _off(*(bounds.get(axis) for axis in axes)), names=names)
    if verbose and (s := section.statical_moments):
        bound = _off(*off.get("statical_moments", {}).values()) or None
        yield Quantity("Statical moments", (0, 3), list(s.values()), bound, names=[f"S{axis}" for axis in s])


def _moments(place: str, i: AreaMoments, off: dict[str, float] | None) -> Quantity:
    bounds = None if off is None else _off(*off.values())
    names, note = ("Ixx", "Iyy", "Ixy"), ": ∫y², ∫x², +∫xy"
    return Quantity(f"Second moments about {place}", (0, 4), [i.Ixx, i.Iyy, i.Ixy], bounds, names=names, note=note)


def _off(*bounds: float | list[float] | None) -> list[float] | None:
    """Bounds of the numbers of a quantity; None if one of them has none."""
    values = [x for bound in bounds for x in (bound if isinstance(bound, list) else [bound])]
    return [x for x in values if x is not None] if None not in values else None
