"""Bodies without geometry as tables for people: one in full, several a row each, the parts of an assembly above their sum."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from massprops.findings import Finding
from massprops.formats.escaping import plain
from massprops.formats.inertial.inertial import NamedBody
from massprops.report.console import Screen
from massprops.report.measurement import number, without_geometry
from massprops.rigid_body.as_json import Products
from massprops.rigid_body.mass_properties import MassProperties

#: Columns that a name, a mass and a centre need in one row.
_WIDE = 72
_STYLES = {"error": "bold red", "warning": "yellow", "info": "cyan"}
_ORIGINS = {
    "urdf": "URDF",
    "sdf": "SDF",
    "mjcf": "MJCF",
    "usd": "USD",
    "csv": "CSV",
    "json": "JSON result",
    "ten-vector": "ten-vector",
}


def single(
    body: NamedBody, findings: Sequence[Finding], about: ArrayLike | str | None, products: Products, screen: Screen
) -> str:
    """One body as text; see `massprops.report.measurement.one_body`."""
    sign = "Ixy = −∫ρxy" if products == "tensor" else "Ixy = +∫ρxy"
    source = f"{_ORIGINS.get(body.dialect, body.dialect)}, {body.place}" if body.place else body.dialect
    heading = Text.assemble((plain(body.name or body.place or "body"), "bold"), f"\n{plain(source)}; SI units, {sign}")
    return without_geometry(heading, body.properties, findings, about, products, screen)


def many(bodies: Sequence[tuple[NamedBody, Sequence[Finding]]], screen: Screen) -> str:
    """Several bodies as text, a row each, with the worst finding of each."""
    if screen.width < _WIDE:
        return screen.draw(*(part for body, findings in bodies for part in _block(body, findings)))
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("Body", overflow="fold", ratio=1)
    table.add_column("Mass [kg]", justify="right", no_wrap=True)
    table.add_column("Centre [m]", justify="right", no_wrap=True)
    table.add_column("Principal moments [kg m²]", justify="right", no_wrap=True)
    table.add_column("Found", overflow="fold", max_width=22)
    for body, findings in bodies:
        p = body.properties
        table.add_row(
            plain(body.name or body.place),
            number(p.mass),
            "\n".join(number(float(x)) for x in p.com),
            "\n".join(number(float(x)) for x in p.principal().moments),
            _worst(findings),
        )
    return screen.draw(table)


def parts(bodies: Sequence[tuple[NamedBody, int]], total: NamedBody, screen: Screen) -> str:
    """The parts of an assembly, a row each, and their sum below."""
    rows = [(b.name or b.place or "part", f"{count} ×" if count > 1 else "", b.properties) for b, count in bodies]
    last = ("total", "", total.properties)
    if screen.width < _WIDE:
        return screen.draw(*(line for name, count, p in [*rows, last] for line in _part_lines(name, count, p)))
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("Part", overflow="fold", ratio=1)
    for title in ("", "Mass [kg]", "x [m]", "y [m]", "z [m]"):
        table.add_column(title, justify="right", no_wrap=True)
    for name, count, p in rows:
        table.add_row(plain(name), count, number(p.mass), *map(_short, p.com.tolist()))
    table.add_section()
    table.add_row(
        Text("total", style="bold"), "", number(total.properties.mass), *map(_short, total.properties.com.tolist())
    )
    return screen.draw(table)


def _short(coordinate: float) -> str:
    """Six digits: three coordinates of a part stand beside its mass, and the exact ones are in the JSON."""
    return f"{coordinate + 0.0:.6g}"


def _part_lines(name: str, count: str, p: MassProperties) -> list[RenderableType]:
    values = [("mass", p.mass, "kg"), *zip("xyz", p.com.tolist(), ["m"] * 3, strict=True)]
    return [
        Text(f"{count} {plain(name)}".strip(), style="bold", overflow="fold"),
        *(Text(f"  {label:<5}{number(value):>16} {unit}") for label, value, unit in values),
    ]


def _worst(findings: Sequence[Finding]) -> Text:
    if not findings:
        return Text("nothing")
    return Text(plain(findings[0].code), style=_STYLES[findings[0].severity])


def _block(body: NamedBody, findings: Sequence[Finding]) -> list[RenderableType]:
    """A body where there is no room for a row."""
    p = body.properties
    values = [("mass", p.mass, "kg"), *zip("xyz", p.com.tolist(), ["m"] * 3, strict=True)]
    moments = zip(("I1", "I2", "I3"), p.principal().moments.tolist(), ["kg m²"] * 3, strict=True)
    return [
        Text(plain(body.name or body.place), style="bold", overflow="fold"),
        *(Text(f"  {name:<5}{number(value):>16} {unit}") for name, value, unit in [*values, *moments]),
        Padding(_worst(findings), (0, 0, 0, 2)),
    ]
