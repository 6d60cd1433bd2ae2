"""The quantities that are shown of measured bodies, of sections, and of bodies without geometry; the console and the page lay them out.

Tests: `tests/writers/test_measurement.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from massprops.grades import SHEETS
from massprops.measurement.output_units import OutputUnits
from massprops.measurement.quantities import QUANTITIES, SECTION, Quantity, centre
from massprops.measurement.result import Measurement
from massprops.moments.arrays import Array
from massprops.rigid_body.as_json import Products, inertia_about, with_sign
from massprops.rigid_body.line import Line
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.uncertain import Bounds
from massprops.units import Dimension

if TYPE_CHECKING:
    from massprops.section.properties import Section

_TENSOR = (("Ixx", 0, 0), ("Iyy", 1, 1), ("Izz", 2, 2), ("Ixy", 0, 1), ("Ixz", 0, 2), ("Iyz", 1, 2))
#: Coordinates of a section: what is small beside its size is rounding.
_PLACES = ("section.centroid", "section.torsion.shear_center")
TENSOR_NAMES = tuple(name for name, _, _ in _TENSOR)
#: Whose axes a tensor is in.
AXES_IN_WORDS = {"file": "axes of the file", "parent": "axes of the parent frame", "frame": "axes of the given frame"}


@dataclass(frozen=True)
class QuantityOptions:
    """How quantities are shown: units, a second point that inertia is about, the sign of products, more if `verbose`,
    and a line that the moment of inertia and the radius of gyration are about.
    """

    units: OutputUnits
    about: ArrayLike | str | None = None
    products: Products = "tensor"
    verbose: bool = False
    line: Line | None = None


def measured_quantities(m: Measurement, options: QuantityOptions) -> Iterator[Quantity]:
    """Quantities of a measurement: of its section; of a solid, or of a sheet with a mass, geometry and inertia."""
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
    yield from inertias(body, options, f", {AXES_IN_WORDS[m.axes]}", label, dimension)


def body_quantities(body: MassProperties, options: QuantityOptions) -> Iterator[Quantity]:
    """Quantities of a body without geometry."""
    yield from mass_and_centre(body)
    yield from inertias(body, options)


def mass_and_centre(p: MassProperties) -> tuple[Quantity, Quantity]:
    """Mass and centre with their bounds and standard deviations; without them where the mass is zero within its bound."""
    mass, com = Quantity("Mass", (1, 0), [p.mass]), centre(p)
    if not (p.sources and p.uncertainty.mass_is_certain):
        return mass, com
    return off_by(mass, *p.uncertainty.mass), off_by(com, *p.uncertainty.center_of_mass)


def mass_and_centre_cells(p: MassProperties, units: OutputUnits) -> list[str]:
    """The mass and the coordinates of the centre as cells of a table."""
    return [number for q in mass_and_centre(p) for number in q.numbers(units)]


def _geometry(m: Measurement, verbose: bool) -> Iterator[Quantity]:
    off = m.uncertainty
    for path in ("mass", "density", "volume") if m.method == "lamina" else ("mass", "density", "volume", "area"):
        if (value := getattr(m, path)) is not None:
            change = m.density_change if path == "density" else getattr(off, f"{path}_change", None)
            known = QUANTITIES[path]
            dimension = (1, -2) if path == "density" and m.method in SHEETS else known.dimension
            q = Quantity(known.title, dimension, [value], change=change)
            yield off_by(q, change and max(map(abs, change)), m.deviation(path) if m.stated else None)
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


def _with_error_of(q: Quantity, error: Bounds | None) -> Quantity:
    return q if error is None else off_by(q, *error)


def six(tensor: Array) -> list[float]:
    """Ixx, Iyy, Izz, Ixy, Ixz, Iyz of a tensor, shape (3, 3)."""
    return [float(tensor[i, j]) for _, i, j in _TENSOR]


_PRINCIPAL = ("I1", "I2", "I3")


def inertias(
    body: MassProperties,
    options: QuantityOptions,
    axes: str = "",
    label: str = "Inertia",
    dimension: Dimension = (1, 2),
) -> Iterator[Quantity]:
    """The tensor about the centre of mass with its principal moments, and that about the point asked for; `verbose`: axes, radii."""
    off = body.uncertainty if body.sources and body.uncertainty.mass_is_certain else None
    about, sign = options.about, "−" if options.products == "tensor" else "+"
    second = "origin" if about is None and options.verbose else about
    principal = body.principal()
    for point in ("com",) if second is None or (isinstance(second, str) and second == "com") else ("com", second):
        is_central = isinstance(point, str) and point == "com"
        tensor = Quantity(
            f"{label} about {_place(point, options.units)}",
            dimension,
            six(with_sign(inertia_about(body, point), options.products)),
            names=TENSOR_NAMES,
            note=f"{axes}, Ixy = {sign}∫ρxy",
        )
        error = None
        if off is not None:
            where = np.zeros(3) if isinstance(point, str) else point
            error = off.inertia if is_central else off.inertia_about(where)
        yield tensor if error is None else off_by(tensor, six(error.bound), six(error.sigma))
        if is_central:  # the principal moments are those about the centre of mass, whatever other point is asked for
            moments = Quantity(
                "  principal moments", dimension, principal.moments.tolist(), names=_PRINCIPAL, is_below=True
            )
            yield _with_error_of(moments, None if off is None else off.principal_moments)
    if options.line is not None:
        yield from _about_line(body, options.line, options.units, label, dimension)
    if options.verbose:
        for i, (axis, free) in enumerate(zip(principal.axes.tolist(), principal.arbitrary, strict=True), 1):
            yield Quantity(f"Axis of I{i}{' (any)' if free else ''}", (0, 0), axis)
        if (radii := body.radii_of_gyration) is not None:
            gyration = Quantity("Radii of gyration", (0, 1), radii.tolist(), names=("kx", "ky", "kz"))
            yield _with_error_of(gyration, None if off is None else off.radii_of_gyration)


def _about_line(
    body: MassProperties, line: Line, units: OutputUnits, label: str, dimension: Dimension
) -> Iterator[Quantity]:
    direction = ", ".join(f"{round(x, 6) + 0.0:g}" for x in line.direction.tolist())
    found, place = line.of(body), units.point(line.point.tolist())
    title = f"{label} about the line {place} + t ({direction})"
    yield _with_error_of(Quantity(title, dimension, [found.moment]), found.moment_error)
    if found.radius is not None:
        yield _with_error_of(Quantity("  k = √(I/m)", (0, 1), [found.radius]), found.radius_error)


def _place(about: ArrayLike | str, units: OutputUnits) -> str:
    if isinstance(about, str):
        return "the centre of mass" if about == "com" else "the origin"
    return units.point(np.asarray(about, dtype=np.float64).tolist())


def section_quantities(section: Section, options: QuantityOptions) -> Iterator[Quantity]:
    """Area, centroid, second moments about the centroid and the point `about`, and what follows; `verbose`: all that is known."""
    about, units, verbose = options.about, options.units, options.verbose
    point = None if about is None or isinstance(about, str) else [float(x) for x in np.asarray(about)[:2]]
    known: Any = section.to_dict(point)
    if known["weighted_area"] == known["area"]:
        known["weighted_area"] = None
    if not (verbose or (point is None and about == "origin")):
        known["about_origin"] = None
    known["principal"]["angle"] = units.of_angle(section.principal_angle)
    if section.torsion is not None:  # its errors are known without those of the section
        known["uncertainty"] = {**(known["uncertainty"] or {}), "torsion": section.torsion.errors()}
    titles = {"section.principal.angle": f" [{units.angle}]", "section.about": f" {point and units.point(point)}"}
    size = section.bounds[1] - section.bounds[0]
    for definition in SECTION:
        path, title = definition.path, definition.title
        q = definition.read({"section": known}, name=title + titles.get(path, ""))
        if q is None or (definition.is_detail and not verbose):
            continue
        note = ": ∫y², ∫x², +∫xy" if path.startswith("section.about") else ""
        yield replace(q, note=note, scale=float(size.max()) if path in _PLACES else 0.0)
        if path == "section.centroid":
            yield Quantity("Size", (0, 1), size.tolist())
    if verbose:
        for end, corner in zip(("min", "max"), section.bounds.tolist(), strict=True):
            yield Quantity(f"Bounds, {end}", (0, 1), corner)
