"""Measurements as tables for people: one body like a CAD program's mass-property dialog; several bodies a row each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from numpy.typing import ArrayLike
from rich.text import Text

from massprops.errors import MasspropsError
from massprops.formats.escaping import plain
from massprops.grades import SHEETS
from massprops.measurement.output_units import OutputUnits, number_text
from massprops.measurement.quantities import Quantity, centre
from massprops.measurement.result import Measurement
from massprops.moments.arrays import sum_of
from massprops.rigid_body.as_json import Products
from massprops.rigid_body.line import Line
from massprops.rigid_body.mass_properties import MassProperties
from massprops.units import Dimension
from massprops.writers.console import (
    NAME,
    NUMBER,
    STYLES,
    WORD,
    TextOutput,
    finding_line,
    finding_lines,
    table_with_findings,
)
from massprops.writers.quantities import QuantityOptions, mass_and_centre_cells, measured_quantities, off_by
from massprops.writers.validation_properties import stored_table
from massprops.writers.verification import METHODS, checks_text, grade_in_words, size_text, volume_errors


def one_body(
    m: Measurement, *, about: ArrayLike | str | None, products: Products, screen: TextOutput, line: Line | None = None
) -> str:
    """One measurement as text.

    Parameters
    ----------
    m : Measurement
        What was measured.
    about : "com", "origin", array_like of shape (3,) or None
        A second point that the inertia is printed about.
    products : {"tensor", "positive"}
        Sign of the products of inertia.
    screen : TextOutput
        Where it goes, in which units, and how much of it.
    line : Line
        An axis that moment of inertia and radius of gyration are printed about.
    """
    if screen.quiet:
        return screen.draw(*finding_lines(m.findings, screen, screen.units(m.input.unit, m.mass))) if m.findings else ""
    about = None if about is None else m.point(about)
    units = screen.units(m.input.unit, m.mass)
    quantities = list(measured_quantities(m, QuantityOptions(units, about, products, screen.verbose, line)))
    checked = _checked(m, units) if screen.verbose else ()
    parts = [(str(p.label), p.measurement, None) for p in m.parts]
    table = several_bodies(parts, screen=screen, title="Part", beside=m.structures) + "\n" if parts else ""
    text = table + screen.draw(*_heading(m), *table_with_findings(quantities, m.findings, units, screen, checked))
    if screen.verbose and m.stored:
        text += "\n" + stored_table(m.input.path, [value.to_dict() for value in m.stored], units, screen)
    return text


def part_list(m: Measurement, screen: TextOutput) -> str:
    """The parts of a file: number, name, volume (area of sheets) and bounds."""
    units, size = screen.units(m.input.unit), (0, 2) if m.method in SHEETS else (0, 3)
    first = f"{'Area' if m.method in SHEETS else 'Volume'} [{units.label(size)}]"
    columns = {"No.": NUMBER, "Part": NAME, first: NUMBER, **{f"{x} [{units.length}]": NUMBER for x in "xyz"}}
    rows = []
    for number, part in enumerate(m.parts, 1):
        ends = ([units.number(units.of(x, (0, 1))) for x in row] for row in part.measurement.bounds.T.tolist())
        volume = units.number(units.of(part.measurement.moments.measure, size))
        rows.append([str(number), plain(str(part.label)), volume, *(" to ".join(pair) for pair in ends)])
    return screen.draw(Text(plain(m.input.path), style="bold")) + screen.table(columns, rows)


def several_bodies(
    outcomes: Sequence[tuple[str, Measurement | None, MasspropsError | None]],
    *,
    screen: TextOutput,
    title: str = "File",
    beside: MassProperties | None = None,
) -> str:
    """Several measurements as text, a row each, and their sum where all have a mass, with what is `beside` them; those that failed say
    why in a word.
    """
    done = [m for _, m, _ in outcomes if m is not None]
    if screen.quiet:
        lines = [
            Text(f"{plain(m.input.path)}: ") + finding_line(f, screen.units(m.input.unit, m.mass))
            for m in done
            for f in m.findings
        ]
        return screen.draw(*lines) if lines else ""
    lengths, masses = {m.input.unit for m in done}, [m.mass for m in done if m.mass is not None]
    units = screen.units(lengths.pop() if len(lengths) == 1 else "m", max(masses, default=None))
    quantity, size = ("Mass", (1, 0)) if masses else ("Volume", (0, 3))
    if done and not masses and all(m.method in SHEETS for m in done):
        quantity, size = "Area", (0, 2)
    columns = {
        title: NAME,
        f"{quantity} [{units.label(size)}]": NUMBER,
        **{f"{x} [{units.length}]": NUMBER for x in "xyz"},
        "Grade": WORD,
    }
    rows: list[list[str | Text]] = [
        [plain(path), *_cells(m, size, units), m.grade if m else "–", _worst(m, error)] for path, m, error in outcomes
    ]
    if any(str(row[-1]) for row in rows):
        columns["Findings"] = WORD
    else:
        rows = [row[:-1] for row in rows]
    bodies = [m.properties for m in done if m.properties is not None]
    has_total = len(bodies) == len(outcomes) > 1
    if has_total:
        if beside is not None:
            bodies.append(beside)
            without: list[str | Text] = ["without a volume", *mass_and_centre_cells(beside, units)]
            rows.append(without + [""] * (len(columns) - len(without)))
        total: list[str | Text] = [Text("total", style="bold"), *mass_and_centre_cells(sum_of(bodies), units)]
        rows.append(total + [""] * (len(columns) - len(total)))
    return screen.table(columns, rows, total=has_total)


def _heading(m: Measurement) -> Iterator[Text]:
    source = m.input
    encoding = "" if source.encoding in (source.format, "array") else f"{source.encoding.replace('_', ' ')} "
    yield Text.assemble((plain(source.path), "bold"), f": {METHODS[m.method]}, {m.grade}", overflow="fold")
    yield Text(f"{encoding}{source.format.upper()}, {size_text(m)}, read in {source.unit}; {grade_in_words(m)}")


def _checked(m: Measurement, units: OutputUnits) -> Iterator[Text]:
    """The checks that the numbers passed, and what the ± of the volume is made of."""
    if text := checks_text(m):
        yield Text.assemble(("Checked   ", "bold"), text)
    if parts := [f"{words} {number_text(units.of(v, (0, 3)), digits=2)}" for words, v in volume_errors(m)]:
        yield Text.assemble(("±         ", "bold"), f"of the volume, {units.label((0, 3))}: " + "; ".join(parts))


def _cells(m: Measurement | None, size: Dimension, units: OutputUnits) -> list[str]:
    if m is None:
        return ["–"] * 4
    value, off = {(1, 0): m.mass, (0, 3): m.volume}.get(size, m.moments.measure), m.uncertainty
    bound = None if off is None else {(1, 0): off.mass, (0, 3): off.volume}.get(size)
    first = ["–"] if value is None else off_by(Quantity("", size, [value]), bound).numbers(units)
    body = m.unit_density_properties if m.properties is None else m.properties
    return [*first, *off_by(centre(body), None if off is None else off.center_of_mass).numbers(units)]


def _worst(m: Measurement | None, error: MasspropsError | None) -> Text:
    """The code of the error or of the most severe finding; empty if there is none above `info`."""
    if m is None:
        return Text(error.code if error else "refused", style=STYLES["error"])
    worst = m.findings[0] if m.findings and m.findings[0].severity != "info" else None
    return Text(plain(worst.code), style=STYLES[worst.severity]) if worst else Text("")
