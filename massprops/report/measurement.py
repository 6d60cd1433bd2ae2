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
from massprops.moments.arrays import Array
from massprops.report.console import CODE, NAME, NUMBER, STYLES, Screen, finding_line, number
from massprops.report.quantities import Quantity, named
from massprops.report.section import section_quantities
from massprops.rigid_body.as_json import Products, inertia_about, with_sign
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.uncertain import View, Views
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
    off = body.uncertainty if body.sources and body.uncertainty.mass_is_certain else None
    quantities = [
        _off_by(Quantity("Mass", "kg", [[("", body.mass)]]), getattr(off, "mass", None)),
        _off_by(Quantity("Centre of mass", "m", [named("xyz", body.com)]), getattr(off, "center_of_mass", None)),
        *(_off_by(q, getattr(off, "radii_of_gyration", None)) for q in _radii(radii)),
        *_inertias_of(body, "kg m²", "Inertia", "origin" if about is None else about, products, off),
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
    sheet, off, sigma = m.method in SHEETS, m.uncertainty, _sigma_of(m)
    scalars = [
        ("Density", "kg/m²" if sheet else "kg/m³", m.density, None),
        ("Volume", "m³", m.volume, None if off is None else off.volume_change),
        ("Surface area", "m²", None if m.method == "lamina" else m.area, None),
        ("Mass", "kg", m.mass, None if off is None else off.mass_change),
    ]
    low, high = m.bounds
    radii = m.unit_density_properties.radii_of_gyration
    return [
        *(
            _off_by(Quantity(a, unit, [[("", x)]], None if d is None else [d]), getattr(sigma, a.lower(), None))
            for a, unit, x, d in scalars
            if x is not None
        ),
        Quantity(
            "Centre of mass",
            "m",
            [named("xyz", m.center_of_mass)],
            None if off is None else [(-d, d) for d in off.center_of_mass.tolist()],
        ),
        Quantity("Bounds, min", "m", [named("xyz", low)]),
        Quantity("Bounds, max", "m", [named("xyz", high)]),
        Quantity("Size", "m", [named("xyz", high - low)]),
        *_radii(radii),
    ]


def _inertias(m: Measurement, about: ArrayLike | str, products: Products) -> list[Quantity]:
    """Tensors and principal moments: of mass, or without one of volume (per density)."""
    body, unit = m.properties, "kg m²"
    label = "Inertia"
    if body is None:
        body, unit, label = m.unit_density_properties, "m⁴" if m.method in SHEETS else "m⁵", "Inertia / density"
    central, *others = _inertias_of(body, unit, label, about, products, _sigma_of(m))
    if m.uncertainty is not None and m.uncertainty.inertia is not None:
        most = float(m.uncertainty.inertia.max())
        central = replace(central, off=[(-most, most)])
    return [central, *others]


def _sigma_of(m: Measurement) -> Views | None:
    """The standard deviations of a measurement, if any are stated."""
    sigma = [e.name for e in m.stated if e.kind == "sigma"]
    return m.properties.uncertainty.only(*sigma) if sigma and m.properties is not None else None


def _radii(radii: Array | None) -> list[Quantity]:
    return [] if radii is None else [Quantity("Radii of gyration", "m", [named(("kx", "ky", "kz"), radii)])]


def _off_by(q: Quantity, view: View | None) -> Quantity:
    """The quantity with its errors; a tensor with the largest of its entries."""
    if view is None:
        return q
    bound, sigma = (np.atleast_1d(x.max() if len(q.rows) > 1 else x) for x in view)
    off = [(-b, b) for b in bound.tolist()] if bound.any() else q.off
    return replace(q, off=off, sigma=sigma.tolist() if sigma.any() else None)


def _inertias_of(
    body: MassProperties,
    unit: str,
    label: str,
    about: ArrayLike | str,
    products: Products,
    off: Views | None = None,
) -> list[Quantity]:
    central = _tensor(f"{label} about the centre of mass", unit, body, "com", products)
    tensors = [_off_by(central, getattr(off, "inertia", None))]
    if not (isinstance(about, str) and about == "com"):
        other = _tensor(f"{label} about {_point(about)}", unit, body, about, products)
        tensors.append(
            _off_by(other, None if off is None else off.inertia_about(np.zeros(3) if isinstance(about, str) else about))
        )
    principal = body.principal()
    same = "" if principal.distinct else " (equal ones: any axes in their plane)"
    return [
        *tensors,
        _off_by(
            Quantity("Principal moments", unit, [named(("I1", "I2", "I3"), principal.moments)]),
            getattr(off, "principal_moments", None),
        ),
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
            yield Text(f"\n{_title(q)}{_errors(q)}", style="bold")
            label = Text(" " * _LABEL)
        for row in q.rows:
            yield label + "".join(f"{number(v):>{_NUMBER}}" for _, v in row) + (_errors(q) if len(row) == 1 else "")
        for sign, sizes in (("±", [most for _, most in q.off or ()]), ("σ", list(q.sigma or ()))):
            if len(sizes) > 1:
                yield Text(f"{sign:>{_LABEL}}" + "".join(f"{size:>{_NUMBER}.1e}" for size in sizes))


def _narrow(quantities: list[Quantity], indent: str) -> Iterator[Text]:
    """Every number on a line of its own, under its label."""
    for q in quantities:
        yield Text(_title(q), style="bold")
        entries = [entry for row in q.rows for entry in row]
        for i, (name, value) in enumerate(entries):
            yield Text(f"{indent}{name:<4}{number(value):>16}")
            if q.off is not None and len(q.off) == len(entries):
                yield Text(f"{indent}{'':<4}{_plus_minus(q.off[i : i + 1]):>16}")
            if q.sigma is not None and len(q.sigma) == len(entries):
                yield Text(f"{indent}{'':<4}{f'σ {q.sigma[i]:.1e}':>16}")
        if len(entries) > 1 and _errors(q):
            yield Text(f"{indent}each{_errors(q):>16}")


def _errors(q: Quantity) -> str:
    """The bound and the standard deviation where each is one number; those of a tensor are of its largest."""
    at_most = "≤ " if len(q.rows) > 1 else ""
    return _plus_minus(q.off) + (f"  σ {at_most}{q.sigma[0]:.1e}" if q.sigma is not None and len(q.sigma) == 1 else "")


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
    checked = surface.get(m.grade, "")
    if checked == _SURFACES["repaired"] and "xray" in m.sources and "overlap" not in m.sources:
        checked = _XRAYED
    return [Text.assemble(("Checked  ", "bold"), checked, body), *_limits(m)]


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
