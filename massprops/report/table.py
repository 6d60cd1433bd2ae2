"""Measurements as tables for people: one body like a CAD program's mass-property dialog; several bodies a row each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from massprops.errors import MasspropsError
from massprops.findings import Finding
from massprops.measurement import Measurement, Products, inertia_about, with_sign
from massprops.properties import MassProperties
from massprops.report.plain import plain
from massprops.report.screen import Screen

#: Columns of a label and of a number with the blank before it: "Principal moments [kg m²]", "-1.23456789e-100".
_LABEL, _NUMBER = 25, 17
#: Columns that a label and three numbers need; where there are fewer, every number gets a line of its own.
_WIDE = _LABEL + 3 * _NUMBER

_STYLES = {"error": "bold red", "warning": "yellow", "info": "cyan"}
_METHODS = {"exact": "solid", "hull": "convex hull", "shell": "thin shell"}
_GRADES = {
    "certified": "the surface bounds every point once",
    "closed": "the surface is closed and consistently wound",
    "repaired": "exact after the repair below",
    "estimated": "an estimate",
    "unverified": "nothing vouches for it",
}
_SURFACES = {
    "certified": "closed and consistently wound; winding number 0 or 1 on every line of the X-ray; ",
    "repaired": "closed and consistently wound; winding number 0 or 1 on every line of the X-ray after the repair; ",
    "closed": "closed and consistently wound; ",
}
_SOURCES = {
    "arithmetic": "arithmetic",
    "resolution": "coordinates as the file rounds them",
    "chord": "chord tolerance",
    "faces": "faces that are not flat",
    "matter": "density or mass",
    "xray": "overlaps between the lines of the X-ray (99.9 %)",
    "estimate": "the estimate",
}
_AXES = {"file": "axes of the file", "parent": "axes of the parent frame", "frame": "axes of the given frame"}


@dataclass(frozen=True)
class Quantity:
    """One or more rows of numbers under a label, each number with the name that it has where it stands alone.

    `off` says how far the numbers can be off: those of the only row one by one, those of several rows at most.
    """

    label: str
    unit: str
    rows: Sequence[Sequence[tuple[str, float]]]
    off: Sequence[float] | None = None


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
    quantities = [*_geometry(measurement), *_inertias(measurement, "origin" if about is None else about, products)]
    return screen.draw(
        _heading(measurement, products),
        "",
        *(_wide(quantities) if screen.width >= _WIDE else _narrow(quantities, "  " if screen.width >= 22 else "")),
        "",
        *_checked(measurement),
        *_found(measurement.findings),
    )


def several_bodies(outcomes: Sequence[tuple[str, Measurement | None, MasspropsError | None]], *, screen: Screen) -> str:
    """Several measurements as text, a row each; those that failed say why in a word."""
    if screen.width < _WIDE:
        return screen.draw(*(part for o in outcomes for part in _block(*o)))
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("File", overflow="fold", ratio=1)
    for title in ("Volume [m³]", "Mass [kg]"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("Centre [m]", justify="right", no_wrap=True)
    table.add_column("Grade", overflow="fold", max_width=14)
    for path, measurement, error in outcomes:
        table.add_row(plain(path), *_cells(measurement), _verdict(measurement, error))
    return screen.draw(table)


def number(value: float | None) -> str:
    """Nine significant digits; a dash where there is no number."""
    return "–" if value is None else f"{value + 0.0:.9g}"  # + 0.0: no negative zero


def _heading(m: Measurement, products: Products) -> Text:
    source = m.input
    sign = "Ixy = −∫ρxy" if products == "tensor" else "Ixy = +∫ρxy"
    encoding = "" if source.encoding in (source.format, "array") else f"{source.encoding.replace('_', ' ')} "
    return Text.assemble(
        (plain(source.path), "bold"),
        f"\n{encoding}{source.format.upper()}, {source.facets} facets, read in {source.unit}; SI units, {_AXES[m.axes]}, {sign}",
        f"\n{_METHODS[m.method]}, {m.grade}: {_GRADES[m.grade]}",
    )


def _geometry(m: Measurement) -> list[Quantity]:
    sheet, off = m.method == "shell", m.uncertainty
    scalars = [
        ("Density", "kg/m²" if sheet else "kg/m³", m.density, None),
        ("Volume", "m³", m.volume, None if off is None else off.volume),
        ("Surface area", "m²", m.area, None),
        ("Mass", "kg", m.mass, None if off is None else off.mass),
    ]
    low, high = m.bounds
    radii = m.unit_density_properties.radii_of_gyration
    return [
        *(Quantity(a, unit, [[("", x)]], None if d is None else [d]) for a, unit, x, d in scalars if x is not None),
        Quantity(
            "Centre of mass",
            "m",
            [_named("xyz", m.center_of_mass)],
            None if off is None else off.center_of_mass.tolist(),
        ),
        Quantity("Bounds, min", "m", [_named("xyz", low)]),
        Quantity("Bounds, max", "m", [_named("xyz", high)]),
        Quantity("Size", "m", [_named("xyz", high - low)]),
        *([] if radii is None else [Quantity("Radii of gyration", "m", [_named(("kx", "ky", "kz"), radii)])]),
    ]


def _inertias(m: Measurement, about: ArrayLike | str, products: Products) -> list[Quantity]:
    """Tensors and principal moments: of mass, or without one of volume (per density)."""
    body, unit = m.properties, "kg m²"
    label = "Inertia"
    if body is None:
        body, unit, label = m.unit_density_properties, "m⁴" if m.method == "shell" else "m⁵", "Inertia / density"
    central = _tensor(f"{label} about the centre of mass", unit, body, "com", products)
    if m.uncertainty is not None and m.uncertainty.inertia is not None:
        central = replace(central, off=[float(m.uncertainty.inertia.max())])
    tensors = [central]
    if not (isinstance(about, str) and about == "com"):
        tensors.append(_tensor(f"{label} about {_point(about)}", unit, body, about, products))
    principal = body.principal()
    same = "" if principal.distinct else " (equal ones: any axes in their plane)"
    return [
        *tensors,
        Quantity("Principal moments", unit, [_named(("I1", "I2", "I3"), principal.moments)]),
        Quantity(
            f"Principal axes, in rows{same}",
            "",
            [_named((f"{i}x", f"{i}y", f"{i}z"), row) for i, row in enumerate(principal.axes, 1)],
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


def _named(names: Iterable[str], values: Iterable[float]) -> list[tuple[str, float]]:
    return [(name, float(value)) for name, value in zip(names, values, strict=True)]


def _title(q: Quantity) -> str:
    return f"{q.label} [{q.unit}]" if q.unit else q.label


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
            yield Text(f"{'±':>{_LABEL}}" + "".join(f"{d:>{_NUMBER}.1e}" for d in q.off))


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


def _plus_minus(off: Sequence[float] | None) -> str:
    return "" if off is None or len(off) > 1 else f"  ± {off[0]:.1e}"


def _checked(m: Measurement) -> list[RenderableType]:
    """What the numbers were held against, with margins."""
    margin = max(
        0.0, m.unit_density_properties.consistency().triangle_margin
    )  # a lamina's is zero, whatever rounding says
    body = f"positive mass; pseudo-inertia positive; triangle inequality holds by {margin:.3g} of the largest moment"
    return [Text.assemble(("Checked  ", "bold"), _SURFACES.get(m.grade, ""), body), *_limits(m)]


def _limits(m: Measurement) -> list[RenderableType]:
    """What the ± of the volume is made of."""
    parts = [f"{_SOURCES[name]} {s.volume:.1e}" for name, s in m.sources.items() if s.volume]
    return [Text.assemble(("±        ", "bold"), "of the volume, m³: " + "; ".join(parts))] if parts else []


def _found(findings: Sequence[Finding]) -> list[RenderableType]:
    if not findings:
        return [Text.assemble(("Found    ", "bold"), "nothing")]
    return [Text("Found", style="bold"), *(Padding(_line(f), (0, 0, 0, 2)) for f in findings)]


def _line(f: Finding) -> Text:
    return Text.assemble((f"{f.severity} {f.code}: ", _STYLES[f.severity]), plain(f.message))


def _cells(m: Measurement | None) -> tuple[str, str, str]:
    if m is None:
        return "–", "–", "–"
    return number(m.volume), number(m.mass), "\n".join(number(float(x)) for x in m.center_of_mass)


def _verdict(m: Measurement | None, error: MasspropsError | None) -> Text:
    if m is None:
        return Text(error.code if error else "refused", style=_STYLES["error"])
    worst = m.findings[0] if m.findings else None
    return Text(f"{m.grade}\n{worst.code}" if worst else m.grade, style=_STYLES[worst.severity] if worst else "")


def _block(path: str, m: Measurement | None, error: MasspropsError | None) -> list[RenderableType]:
    """One of several bodies where there is no room for a row."""
    volume, mass, centre = _cells(m)
    lines = [Text(plain(path), style="bold", overflow="fold")]
    values = [("volume", volume, "m³"), ("mass", mass, "kg"), *zip("xyz", centre.split("\n"), ["m"] * 3, strict=False)]
    if m is not None:
        lines += [Text(f"  {name:<8}{value:>16} {unit}") for name, value, unit in values]
    return [*lines, Padding(_verdict(m, error), (0, 0, 0, 2))]
