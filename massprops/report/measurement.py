"""Measurements as tables for people: one body like a CAD program's mass-property dialog; several bodies a row each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from massprops.errors import MasspropsError
from massprops.findings import Finding
from massprops.formats.escaping import plain
from massprops.grades import SHEETS
from massprops.measurement.result import Measurement
from massprops.report.console import CODE, NAME, NUMBER, STYLES, Screen, finding_line, number
from massprops.report.quantities import Quantity, named
from massprops.report.section import section_quantities
from massprops.rigid_body.as_json import Products, inertia_about, with_sign
from massprops.rigid_body.mass_properties import MassProperties
from massprops.wording import percent

#: Columns of a label and of a number with the blank before it: "Principal moments [kg m²]", "-1.23456789e-100".
_LABEL, _NUMBER = 25, 17
#: Columns that a label and three numbers need; where there are fewer, every number gets a line of its own.
_WIDE = _LABEL + 3 * _NUMBER

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
    "repaired": "exact after the repair below",
    "estimated": "an estimate",
    "unverified": "the surface is not verified",
}
_SURFACES = {
    "certified": "closed and consistently wound; winding number 0 or 1 on every line of the X-ray; ",
    "repaired": "closed and consistently wound; winding number 0 or 1 on every line of the X-ray after the repair; ",
    "closed": "closed and consistently wound; ",
}
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
    "repaired": "exact after the repair below",
}
_AXES = {"file": "axes of the file", "parent": "axes of the parent frame", "frame": "axes of the given frame"}


def one_body(measurement: Measurement, *, about: ArrayLike | str | None, products: Products, screen: Screen) -> str:
    """One measurement as text.

    Parameters
    ----------
    measurement : Measurement
        What was measured.
    about : "com", "origin", array_like of shape (3,) or None
        A second point that the inertia is printed about; None is the origin.
    products : {"tensor", "positive"}
        Sign of the products of inertia.
    screen : Screen
        Where it goes.
    """
    about = None if about is None else measurement.point(about)
    quantities: list[Quantity] = []
    if measurement.section is not None:
        quantities += section_quantities(measurement.section, about)
    if _has_body(measurement):
        quantities += [*_geometry(measurement), *_inertias(measurement, "origin" if about is None else about, products)]
    return screen.draw(
        _heading(measurement, products),
        "",
        *_laid_out(quantities, screen),
        "",
        *_checked(measurement),
        *_found(measurement.findings),
    )


def several_bodies(outcomes: Sequence[tuple[str, Measurement | None, MasspropsError | None]], *, screen: Screen) -> str:
    """Several measurements as text, a row each; those that failed say why in a word."""
    columns = {"File": NAME, "Volume [m³]": NUMBER, "Mass [kg]": NUMBER, "Centre [m]": NUMBER, "Grade": CODE}
    rows = [(plain(path), *_cells(m), _verdict(m, error)) for path, m, error in outcomes]
    return screen.table(columns, rows, wide=_WIDE)


def without_geometry(
    heading: Text,
    body: MassProperties,
    findings: Sequence[Finding],
    about: ArrayLike | str | None,
    products: Products,
    screen: Screen,
) -> str:
    """A body of which only mass, centre and inertia are known, as text; the parameters are those of `one_body`."""
    radii = body.radii_of_gyration
    quantities = [
        Quantity("Mass", "kg", [[("", body.mass)]]),
        Quantity("Centre of mass", "m", [named("xyz", body.com)]),
        *([] if radii is None else [Quantity("Radii of gyration", "m", [named(("kx", "ky", "kz"), radii)])]),
        *_inertias_of(body, "kg m²", "Inertia", "origin" if about is None else about, products),
    ]
    return screen.draw(heading, "", *_laid_out(quantities, screen), "", *_found(findings))


def _has_body(m: Measurement) -> bool:
    """Whether there is more to print than a section: a solid, or a mass."""
    return m.method != "lamina" or m.density is not None


def _heading(m: Measurement, products: Products) -> Text:
    source = m.input
    sign = "Ixy = −∫ρxy" if products == "tensor" else "Ixy = +∫ρxy"
    if m.section is not None:
        sign = f"section Ixx = ∫y², Ixy = +∫xy; tensor {sign}" if _has_body(m) else "Ixx = ∫y², Iyy = ∫x², Ixy = +∫xy"
    count = (
        f"{source.facets} facets" if m.section is None else "1 ring" if source.rings == 1 else f"{source.rings} rings"
    )
    grades = _GRADES if m.section is None else _PLANE_GRADES
    encoding = "" if source.encoding in (source.format, "array") else f"{source.encoding.replace('_', ' ')} "
    return Text.assemble(
        (plain(source.path), "bold"),
        f"\n{encoding}{source.format.upper()}, {count}, read in {source.unit}; SI units, {_AXES[m.axes]}, {sign}",
        f"\n{_METHODS[m.method]}, {m.grade}: {grades[m.grade]}",
    )


def _geometry(m: Measurement) -> list[Quantity]:
    sheet, off = m.method in SHEETS, m.uncertainty
    scalars = [
        ("Density", "kg/m²" if sheet else "kg/m³", m.density, None),
        ("Volume", "m³", m.volume, None if off is None else off.volume_change),
        ("Surface area", "m²", None if m.method == "lamina" else m.area, None),
        ("Mass", "kg", m.mass, None if off is None else off.mass_change),
    ]
    low, high = m.bounds
    radii = m.unit_density_properties.radii_of_gyration
    return [
        *(Quantity(a, unit, [[("", x)]], None if d is None else [d]) for a, unit, x, d in scalars if x is not None),
        Quantity(
            "Centre of mass",
            "m",
            [named("xyz", m.center_of_mass)],
            None if off is None else [(-d, d) for d in off.center_of_mass.tolist()],
        ),
        Quantity("Bounds, min", "m", [named("xyz", low)]),
        Quantity("Bounds, max", "m", [named("xyz", high)]),
        Quantity("Size", "m", [named("xyz", high - low)]),
        *([] if radii is None else [Quantity("Radii of gyration", "m", [named(("kx", "ky", "kz"), radii)])]),
    ]


def _inertias(m: Measurement, about: ArrayLike | str, products: Products) -> list[Quantity]:
    """Tensors and principal moments: of mass, or without one of volume (per density)."""
    body, unit = m.properties, "kg m²"
    label = "Inertia"
    if body is None:
        body, unit, label = m.unit_density_properties, "m⁴" if m.method in SHEETS else "m⁵", "Inertia / density"
    off = None if m.uncertainty is None or m.uncertainty.inertia is None else float(m.uncertainty.inertia.max())
    return _inertias_of(body, unit, label, about, products, off)


def _inertias_of(
    body: MassProperties,
    unit: str,
    label: str,
    about: ArrayLike | str,
    products: Products,
    off: float | None = None,
) -> list[Quantity]:
    central = _tensor(f"{label} about the centre of mass", unit, body, "com", products)
    tensors = [central if off is None else replace(central, off=[(-off, off)])]
    if not (isinstance(about, str) and about == "com"):
        tensors.append(_tensor(f"{label} about {_point(about)}", unit, body, about, products))
    principal = body.principal()
    same = "" if principal.distinct else " (equal ones: any axes in their plane)"
    return [
        *tensors,
        Quantity("Principal moments", unit, [named(("I1", "I2", "I3"), principal.moments)]),
        Quantity(
            f"Principal axes, in rows{same}",
            "",
            [named((f"{i}x", f"{i}y", f"{i}z"), row) for i, row in enumerate(principal.axes, 1)],
        ),
    ]


def _tensor(label: str, unit: str, body: MassProperties, about: ArrayLike | str, products: Products) -> Quantity:
    tensor = with_sign(inertia_about(body, about), products)
    rows = [[(f"I{a}{b}", float(tensor[i, j])) for j, b in enumerate("xyz")] for i, a in enumerate("xyz")]
    return Quantity(label, unit, rows)


def _point(about: ArrayLike | str) -> str:
    if isinstance(about, str):
        return "the origin"
    return "(" + ", ".join(f"{x:.6g}" for x in np.asarray(about, dtype=np.float64)) + ") m"


def _title(q: Quantity) -> str:
    return f"{q.label} [{q.unit}]" if q.unit else q.label


def _laid_out(quantities: list[Quantity], screen: Screen) -> Iterator[Text]:
    if screen.width >= _WIDE:
        return _wide(quantities)
    return _narrow(quantities, "  " if screen.width >= 22 else "")


def _wide(quantities: list[Quantity]) -> Iterator[Text]:
    """Label and up to three numbers in a line; tensors under their label."""
    for q in quantities:
        label = Text(f"{_title(q):<{_LABEL}}")
        if len(q.rows) > 1:
            yield Text(f"\n{_title(q)}{_plus_minus(q.off)}", style="bold")
            label = Text(" " * _LABEL)
        for row in q.rows:
            yield (
                label
                + "".join(f"{number(v):>{_NUMBER}}" for _, v in row)
                + (_plus_minus(q.off) if len(row) == 1 else "")
            )
        if q.off is not None and len(q.off) > 1:
            yield Text(f"{'±':>{_LABEL}}" + "".join(f"{most:>{_NUMBER}.1e}" for _, most in q.off))


def _narrow(quantities: list[Quantity], indent: str) -> Iterator[Text]:
    """Every number on a line of its own, under its label."""
    for q in quantities:
        yield Text(_title(q), style="bold")
        entries = [entry for row in q.rows for entry in row]
        offs = [[d] for d in q.off] if q.off is not None and len(q.off) == len(entries) else [None] * len(entries)
        for (name, value), off in zip(entries, offs, strict=True):
            yield Text(f"{indent}{name:<4}{number(value):>16}")
            if off is not None:
                yield Text(f"{indent}{'':<4}{_plus_minus(off):>16}")
        if q.off is not None and len(q.off) != len(entries):
            yield Text(f"{indent}each{_plus_minus(q.off):>16}")


def _plus_minus(off: Sequence[tuple[float, float]] | None) -> str:
    if off is None or len(off) > 1:
        return ""
    less, more = (f"{abs(d):.1e}" for d in off[0])
    return f"  ± {more}" if less == more else f"  −{less} +{more}"


def _checked(m: Measurement) -> list[RenderableType]:
    """The checks that the numbers passed, with margins."""
    margin = max(
        0.0, m.unit_density_properties.consistency().triangle_margin
    )  # a lamina's is zero, whatever rounding says
    body = (
        f"positive mass; pseudo-inertia positive; triangle inequality holds by {percent(margin)} of the largest moment"
    )
    surface = _SURFACES if m.section is None else {} if m.grade in ("unverified", "estimated") else _RINGS
    return [Text.assemble(("Checked  ", "bold"), surface.get(m.grade, ""), body), *_limits(m)]


def _limits(m: Measurement) -> list[RenderableType]:
    """What the ± of the volume is made of."""
    parts = [f"{_SOURCES[name]} {s.volume:.1e}" for name, s in m.sources.items() if s.volume]
    return [Text.assemble(("±        ", "bold"), "of the volume, m³: " + "; ".join(parts))] if parts else []


def _found(findings: Sequence[Finding]) -> list[RenderableType]:
    if not findings:
        return [Text.assemble(("Found    ", "bold"), "nothing")]
    return [Text("Found", style="bold"), *(Padding(finding_line(f), (0, 0, 0, 2)) for f in findings)]


def _cells(m: Measurement | None) -> tuple[str, str, str]:
    if m is None:
        return "–", "–", "–"
    size = f"{number(m.area)} m²" if m.method in SHEETS else number(m.volume)
    return size, number(m.mass), "\n".join(map(number, m.center_of_mass.tolist()))


def _verdict(m: Measurement | None, error: MasspropsError | None) -> Text:
    if m is None:
        return Text(error.code if error else "refused", style=STYLES["error"])
    worst = m.findings[0] if m.findings else None
    return Text(f"{m.grade}\n{plain(worst.code)}" if worst else m.grade, style=STYLES[worst.severity] if worst else "")
