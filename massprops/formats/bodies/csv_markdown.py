"""Tables of bodies for spreadsheets and documents: CSV and Markdown, a row each, every number in full.

Tests: `tests/formats/bodies/test_round_trip.py`.
"""

from __future__ import annotations

from collections.abc import Sequence

from massprops.formats.bodies.mass_table import Row, bodies_of
from massprops.formats.escaping import csv_cell, csv_line, from_markdown, markdown
from massprops.formats.inertial.inertial import FileBodies, NamedBody, WriteOptions, numbers_of
from massprops.formats.inertial.numbers import shortest
from massprops.units import Dimension
from massprops.values import regex

#: Tensor entries are about the centre of mass, Ixy = −∫ρxy.
COLUMNS = (
    "name",
    *("mass [kg]", "x [m]", "y [m]", "z [m]"),
    *(f"{entry} [kg m2]" for entry in ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")),
)
#: Units in heads, as powers of mass and length; a table may have others of these dimensions.
DIMENSIONS: dict[str, Dimension] = {"kg": (1, 0), "m": (0, 1), "kg m2": (1, 2)}
DIMENSIONS |= {f"m{power}": (0, power) for power in (2, 3, 4, 6)}


_CELL = regex(r"\|((?:[^|\\]|\\.)*)(?=\|)")


def write_csv(bodies: Sequence[NamedBody], form: WriteOptions) -> str:
    """A header and a row for each body, as `csv_line` makes them."""
    rows = ([csv_cell(b.name or ""), *_numbers(b, form)] for b in bodies)
    return "".join(map(csv_line, [COLUMNS, *rows]))


def write_markdown(bodies: Sequence[NamedBody], form: WriteOptions) -> str:
    """A table, names without markup."""
    rows = [list(COLUMNS), ["---", *["---:"] * (len(COLUMNS) - 1)]]
    rows += [[markdown(b.name or ""), *_numbers(b, form)] for b in bodies]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _numbers(body: NamedBody, form: WriteOptions) -> list[str]:
    n = numbers_of(body.properties, form)
    products = (n.tensor[0, 1], n.tensor[0, 2], n.tensor[1, 2])
    return [*map(shortest, (n.mass, *n.com, *n.moments, *products))]


def read_markdown(text: str, path: str) -> FileBodies:
    """The bodies of a table that `write_markdown` made."""
    lines = text.split("\n")[:-1]
    header = [cell.strip() for cell in _CELL.findall(lines[0])] if lines else []
    rows = [Row(markdown_cells(line), f"{path}:{count}") for count, line in enumerate(lines[2:], start=3)]
    return bodies_of(header, rows, path, from_markdown)


def markdown_cells(line: str) -> list[str]:
    """The cells of a row, without the blank on either side; others are the name's."""
    return [cell[1:-1] for cell in _CELL.findall(line)]
