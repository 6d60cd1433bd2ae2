"""Bodies without geometry as tables for people: one in full, several a row each, the parts of an assembly above their sum.

Tests: `tests/cli/test_convert.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from numpy.typing import ArrayLike
from rich.text import Text

from massprops.formats.escaping import plain
from massprops.formats.inertial.inertial import NamedBody
from massprops.measurement.budget import AssemblyPart, Budget, BudgetLine
from massprops.measurement.output_units import OutputUnits
from massprops.rigid_body.as_json import Products
from massprops.writers.console import (
    NAME,
    NUMBER,
    STYLES,
    WORD,
    TextOutput,
    finding_line,
    finding_lines,
    quantity_lines,
    table_with_findings,
)
from massprops.writers.quantities import QuantityOptions, body_quantities, mass_and_centre_cells

_ORIGINS = {"csv": "CSV", "json": "JSON result", "mjcf": "MJCF", "sdf": "SDF", "urdf": "URDF", "usd": "USD"}


def single(
    body: NamedBody,
    about: ArrayLike | str | None,
    products: Products,
    screen: TextOutput,
    frame: str = "",
    unit: str | None = None,
) -> str:
    """One body as text, in a `frame` that is named, and a length unit if one is; see `massprops.writers.measurement.one_body`."""
    if screen.quiet:
        return screen.draw(*finding_lines(body.all_findings, screen, screen.units())) if body.all_findings else ""
    source = f"{_ORIGINS.get(body.dialect, body.dialect)}, {body.place}" if body.place else body.dialect
    source += f", in the frame of {frame}" if frame else ""
    heading = Text.assemble((plain(body.name or body.place or "body"), "bold"), f": {plain(source)}", overflow="fold")
    units = screen.units() if unit is None else screen.units(unit, body.properties.mass)
    quantities = list(body_quantities(body.properties, QuantityOptions(units, about, products, screen.verbose)))
    return screen.draw(heading, *table_with_findings(quantities, body.all_findings, units, screen))


def many(bodies: Sequence[NamedBody], screen: TextOutput) -> str:
    """Several bodies as text, a row each, with the worst finding of each."""
    if screen.quiet:
        lines = [
            Text(f"{plain(b.name or b.place)}: ") + finding_line(f, screen.units())
            for b in bodies
            for f in b.all_findings
        ]
        return screen.draw(*lines) if lines else ""
    units = screen.units()
    rows = [
        (
            plain(body.name or body.place),
            *mass_and_centre_cells(body.properties, units),
            next((Text(plain(f.code), style=STYLES[f.severity]) for f in body.all_findings), "none"),
        )
        for body in bodies
    ]
    return screen.table({"Body": NAME, **_columns(units), "Findings": WORD}, rows)


def parts(bodies: Sequence[AssemblyPart], total: NamedBody, screen: TextOutput) -> str:
    """The parts of an assembly, a row each, and their sum below; of copies the mass of each and that of all."""
    units, has_copies = screen.units(), any(part.count > 1 for part in bodies)
    has_inferred = any(part.body.inferred for part in bodies)
    rows: list[list[str | Text]] = []
    for part in (*bodies, AssemblyPart(total)):
        b, count = part.body, part.count
        each = [units.number(units.of(b.properties.mass / count, (1, 0))) if count > 1 else ""]
        name = Text("total", style="bold") if b is total else plain(b.name or b.place or "part")
        copies = [f"{count} ×" if count > 1 else "", *each] if has_copies else []
        origin = [b.inferred * ("default" if b.dialect == "sdf" else "inferred")] if has_inferred else []
        rows.append([name, *copies, *mass_and_centre_cells(b.properties, units), *origin])
    columns = {"": NUMBER, f"Each [{units.mass}]": NUMBER, f"All [{units.mass}]": NUMBER} if has_copies else {}
    columns = {**columns, **_columns(units, mass=not has_copies), **({"Mass": WORD} if has_inferred else {})}
    return screen.table({"Part": NAME, **columns}, rows, total=True)


def budget_text(budget: Budget, screen: TextOutput) -> str:
    """A mass budget: a row for each part, the subtotal of each group below its parts, and the total; the predicted body in full."""
    units = screen.units()
    masses = ("Basic", "Growth", "Predicted", "Limit", "Margin")
    columns = {"Budget": NAME, **{f"{name} [{units.mass}]": NUMBER for name in masses}}

    def row(line: BudgetLine, style: str = "") -> list[str | Text]:
        numbers = (line.basic.mass, line.growth, line.predicted.mass, line.limit, line.margin)
        cells = [units.number(None if x is None else units.of(x, (1, 0))) for x in numbers]
        return [Text(plain(line.name), style=style), *cells]

    rows = []
    for group in budget.groups:
        rows += [row(line) for line in budget.parts if line.group == group.name]
        rows.append(row(replace(group, name=f"subtotal {group.name}"), "bold"))
    rows += [row(line) for line in budget.parts if line.group is None]
    rows.append(row(replace(budget.total, name="total"), "bold"))
    quantities = list(body_quantities(budget.total.predicted, QuantityOptions(units, None, "tensor", screen.verbose)))
    growth = units.number(units.of(budget.total.independent, (1, 0)))
    note = f"Growth is the sum over the parts; of parts that grow independently of each other {growth} {units.mass}"
    heading = Text.assemble((plain(budget.total.name), "bold"), ": predicted")
    table = screen.table(columns, rows, total=True)
    return table + screen.draw(Text(note, style="dim"), Text(""), heading, *quantity_lines(quantities, units, screen))


def _columns(units: OutputUnits, mass: bool = True) -> dict[str, dict[str, object]]:
    first = {f"Mass [{units.mass}]": NUMBER} if mass else {}
    return first | {f"{x} [{units.length}]": NUMBER for x in "xyz"}
