"""Measurements as tables for people: one body like a CAD program's mass-property dialog; several bodies a row each."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator, Sequence
from dataclasses import replace

from numpy.typing import ArrayLike
from rich.text import Text

from massprops.errors import MasspropsError
from massprops.formats.escaping import plain
from massprops.grades import SHEETS
from massprops.measurement.output_units import OutputUnits, rounded
from massprops.measurement.result import Measurement
from massprops.measurement.short_table import Quantity
from massprops.report.console import NAME, NUMBER, STYLES, Screen, finding_line, found
from massprops.report.quantities import centre, inertias, laid_out, off_by
from massprops.report.section import section_quantities
from massprops.rigid_body.as_json import Products
from massprops.rigid_body.uncertain import Views
from massprops.units import Dimension
from massprops.wording import percent

_METHODS = {
    "exact": "solid",
    "hull": "convex hull",
    "shell": "thin shell",
    "wall": "wall inside the surface",
    "infill": "wall and infill",
    "lamina": "section",
    "extrusion": "section and the solid above it",
}
_GRADES = {
    "certified": "the surface bounds every point once",
    "closed": "the surface is closed and consistently wound",
    "repaired": "after the repairs listed below",
    "estimated": "an estimate",
    "unverified": "the surface is not verified",
}
_SURFACES = {
    "certified": "closed and consistently wound; winding number 0 or 1 on every line of the X-ray; ",
    "repaired": "after the repair closed and consistently wound; ",
    "closed": "closed and consistently wound; ",
}
_XRAYED = "after the repair closed and consistently wound, winding number 0 or 1 on every line of the X-ray; "
_RINGS = dict.fromkeys(_SURFACES, "rings close and bound one area; ")
_SOURCES = {
    "arithmetic": "arithmetic",
    "resolution": "coordinates as the file rounds them",
    "chord": "chord tolerance",
    "faces": "faces that are not flat",
    "matter": "density or mass",
    "xray": "overlaps between the lines of the X-ray (99.9 %)",
    "overlap": "overlaps that were found",
    "estimate": "the estimate",
    "weld": "welded vertices",
    "split": "split edges",
    "fill": "filled holes",
    "nested": "bodies inside others",
    "wall": "the wall",
}
_PLANE_GRADES = {
    "certified": "polygons of which none crosses or touches another",
    "closed": "the rings close and bound one area",
    "repaired": "after the repairs listed below",
}
_AXES = {"file": ", axes of the file", "parent": ", axes of the parent frame", "frame": ", axes of the given frame"}


def one_body(measurement: Measurement, *, about: ArrayLike | str | None, products: Products, screen: Screen) -> str:
    """One measurement as text.

    Parameters
    ----------
    measurement : Measurement
        What was measured.
    about : "com", "origin", array_like of shape (3,) or None
        A second point that the inertia is printed about.
    products : {"tensor", "positive"}
        Sign of the products of inertia.
    screen : Screen
        Where it goes, in which units, and how much of it.
    """
    m = measurement
    if screen.quiet:
        return screen.draw(*map(finding_line, m.findings)) if m.findings else ""
    about = None if about is None else m.point(about)
    units = screen.units(m.input.unit, m.mass)
    quantities: list[Quantity] = []
    if m.section is not None:
        quantities += section_quantities(m.section, about, units, verbose=screen.verbose)
    if m.method != "lamina" or m.density is not None:
        quantities += [*_geometry(m, screen), *_inertias(m, about, products, units, screen)]
    checked = _checked(m, units) if screen.verbose else ()
    return screen.draw(*_heading(m), *laid_out(quantities, units, screen), *checked, *found(m.findings))


def several_bodies(outcomes: Sequence[tuple[str, Measurement | None, MasspropsError | None]], *, screen: Screen) -> str:
    """Several measurements as text, a row each, and their sum where all have a mass; those that failed say why in a word."""
    done = [m for _, m, _ in outcomes if m is not None]
    if screen.quiet:
        lines = [Text(f"{plain(m.input.path)}: ") + finding_line(f) for m in done for f in m.findings]
        return screen.draw(*lines) if lines else ""
    lengths, masses = {m.input.unit for m in done}, [m.mass for m in done if m.mass is not None]
    units = screen.units(lengths.pop() if len(lengths) == 1 else "m", max(masses, default=None))
    title, size = ("Mass", (1, 0)) if masses else ("Volume", (0, 3))
    if done and not masses and all(m.method in SHEETS for m in done):
        title, size = "Area", (0, 2)
    columns = {
        "File": NAME,
        f"{title} [{units.label(size)}]": NUMBER,
        **{f"{x} [{units.length}]": NUMBER for x in "xyz"},
        "Grade": {"no_wrap": True},
    }
    rows: list[Sequence[str | Text]] = [
        (plain(path), *_cells(m, size, units), _verdict(m, error)) for path, m, error in outcomes
    ]
    bodies = [m.properties for m in done if m.properties is not None]
    has_total = len(bodies) == len(outcomes) > 1
    if has_total:
        total = functools.reduce(operator.add, bodies)
        mass = Quantity("", (1, 0), [total.mass], [float(total.uncertainty.mass.bound)])
        rows.append(("total", *mass.numbers(units), *centre(total).numbers(units), Text("")))
    return screen.table(columns, rows, total=has_total)


def _heading(m: Measurement) -> Iterator[Text]:
    source = m.input
    count = (
        f"{source.facets} facets" if m.section is None else "1 ring" if source.rings == 1 else f"{source.rings} rings"
    )
    grades = _GRADES if m.section is None else _PLANE_GRADES
    encoding = "" if source.encoding in (source.format, "array") else f"{source.encoding.replace('_', ' ')} "
    yield Text.assemble((plain(source.path), "bold"), f": {_METHODS[m.method]}, {m.grade}", overflow="fold")
    yield Text(f"{encoding}{source.format.upper()}, {count}, read in {source.unit}; {grades[m.grade]}")


def _geometry(m: Measurement, screen: Screen) -> Iterator[Quantity]:
    sheet, off, sigma = m.method in SHEETS, m.uncertainty, _sigma_of(m)
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
    if screen.verbose:
        yield Quantity("Bounds, min", (0, 1), low.tolist())
        yield Quantity("Bounds, max", (0, 1), high.tolist())


def _inertias(
    m: Measurement, about: ArrayLike | str | None, products: Products, units: OutputUnits, screen: Screen
) -> Iterator[Quantity]:
    """Tensors and principal moments: of mass, or without one of volume (per density)."""
    body, label, dimension = m.properties, "Inertia", (1, 2)
    if body is None:
        body, label, dimension = m.unit_density_properties, "Inertia / density", (0, 4 if m.method in SHEETS else 5)
    elif m.uncertainty is None:  # nothing bounds the geometry: stated standard deviations alone are left
        body = replace(body, sources={n: s for n, s in body.sources.items() if s.kind == "sigma"})
    return inertias(
        body,
        units,
        about=about,
        products=products,
        verbose=screen.verbose,
        axes=_AXES[m.axes],
        label=label,
        dimension=dimension,
    )


def _sigma_of(m: Measurement) -> Views | None:
    """The standard deviations of a measurement, if any are stated."""
    sigma = [e.name for e in m.stated if e.kind == "sigma"]
    return m.properties.uncertainty.only(*sigma) if sigma and m.properties is not None else None


def _checked(m: Measurement, units: OutputUnits) -> Iterator[Text]:
    """The checks that the numbers passed, with margins, and what the ± of the volume is made of."""
    surface = _SURFACES if m.section is None else {} if m.grade in ("unverified", "estimated") else _RINGS
    body = ""
    if m.method != "lamina" or m.density is not None:
        # a lamina's is zero, whatever rounding says
        margin = max(0.0, m.unit_density_properties.consistency().triangle_margin)
        body = f"positive mass; pseudo-inertia positive; triangle inequality holds by {percent(margin)} of the largest moment"
    checked = surface.get(m.grade, "")
    if checked == _SURFACES["repaired"] and "xray" in m.sources and "overlap" not in m.sources:
        checked = _XRAYED
    if text := (checked + body).removesuffix("; "):
        yield Text.assemble(("Checked  ", "bold"), text)
    parts = [
        f"{_SOURCES[name]} {rounded(units.of(s.volume, (0, 3)), digits=2)}" for name, s in m.sources.items() if s.volume
    ]
    if parts:
        yield Text.assemble(("±        ", "bold"), f"of the volume, {units.label((0, 3))}: " + "; ".join(parts))


def _cells(m: Measurement | None, size: Dimension, units: OutputUnits) -> list[str]:
    if m is None:
        return ["–"] * 4
    value, off = {(1, 0): m.mass, (0, 3): m.volume}.get(size, m.moments.measure), m.uncertainty
    bound = None if off is None else {(1, 0): off.mass, (0, 3): off.volume}.get(size)
    first = ["–"] if value is None else off_by(Quantity("", size, [value]), bound).numbers(units)
    body = m.unit_density_properties if m.properties is None else m.properties
    return [*first, *off_by(centre(body), None if off is None else off.center_of_mass).numbers(units)]


def _verdict(m: Measurement | None, error: MasspropsError | None) -> Text:
    if m is None:
        return Text(error.code if error else "refused", style=STYLES["error"])
    worst = m.findings[0] if m.findings and m.findings[0].severity != "info" else None
    return Text(plain(worst.code), style=STYLES[worst.severity]) if worst else Text(m.grade)
