"""Bodies without geometry as tables for people: one in full, several a row each, the parts of an assembly above their sum."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike
from rich.text import Text

from massprops.findings import Finding
from massprops.formats.escaping import plain
from massprops.formats.inertial.inertial import NamedBody
from massprops.report.console import CODE, NAME, NUMBER, STYLES, Screen, number
from massprops.report.measurement import without_geometry
from massprops.rigid_body.as_json import Products
from massprops.rigid_body.mass_properties import MassProperties

#: Columns that a name, a mass and a centre need in one row.
_WIDE = 72
_ORIGINS = {"csv": "CSV", "json": "JSON result", "mjcf": "MJCF", "sdf": "SDF", "urdf": "URDF", "usd": "USD"}


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
    columns = {
        "Body": NAME,
        "Mass [kg]": NUMBER,
        "Centre [m]": NUMBER,
        "Principal moments [kg m²]": NUMBER,
        "Found": CODE,
    }
    rows = [
        (
            plain(body.name or body.place),
            number(body.properties.mass),
            "\n".join(map(number, body.properties.com.tolist())),
            "\n".join(map(number, body.properties.principal().moments.tolist())),
            Text(plain(findings[0].code), style=STYLES[findings[0].severity]) if findings else "nothing",
        )
        for body, findings in bodies
    ]
    return screen.table(columns, rows, wide=_WIDE)


def parts(bodies: Sequence[tuple[NamedBody, int]], total: NamedBody, screen: Screen) -> str:
    """The parts of an assembly, a row each, and their sum below."""
    rows = [
        _part_row(plain(b.name or b.place or "part"), f"{count} ×" if count > 1 else "", b.properties)
        for b, count in bodies
    ]
    columns = {"Part": NAME, "": NUMBER, "Mass [kg]": NUMBER, "x [m]": NUMBER, "y [m]": NUMBER, "z [m]": NUMBER}
    rows.append(_part_row(Text("total", style="bold"), "", total.properties))
    return screen.table(columns, rows, wide=_WIDE, total=True)


def _part_row(name: str | Text, count: str, p: MassProperties) -> list[str | Text]:
    # six digits: three coordinates of a part stand beside its mass, and the exact ones are in the JSON
    return [name, count, number(p.mass), *(f"{x + 0.0:.6g}" for x in p.com.tolist())]
