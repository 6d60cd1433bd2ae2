"""Tables of bodies for spreadsheets and documents: CSV and Markdown, a row each, every number in full.

Tests: `tests/formats/bodies/test_round_trip.py`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from fractions import Fraction

from massprops.errors import InvalidInput, ReadError
from massprops.formats.escaping import csv_cell, csv_line, from_csv_cell, from_markdown, markdown
from massprops.formats.inertial.inertial import FileBodies, Inertial, NamedBody, WriteOptions, numbers_of, symmetric
from massprops.formats.inertial.numbers import number, shortest
from massprops.frames import Pose
from massprops.units import Dimension, factor_of
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
#: Where each of `COLUMNS` is, and the factor of its unit to SI.
ColumnPlaces = dict[str, tuple[int, Fraction]]


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


def read_csv(text: str, path: str) -> FileBodies:
    """The bodies of a table with the columns of `write_csv`, in any order.

    Raises
    ------
    ReadError
        If a column is missing, a row is too short or too long, or a number cannot be read.
    """
    reader = csv.reader(io.StringIO(text), strict=True)
    try:
        header = [title.strip() for title in next(reader, [])]
        columns = _columns(header, path)
        rows = [(row, f"{path}:{reader.line_num}") for row in reader if row]
        # rows of `massprops compute` that are those of an error, or of a section without a mass
        mass = columns["mass [kg]"][0]
        empty = [(row, at) for row, at in rows if "error" in header and len(row) == len(header) and not row[mass]]
        without = {place: from_csv_cell(row[header.index("name")]) for row, place in empty}
        bodies = [_body(len(header), columns, row, place, from_csv_cell) for row, place in rows if place not in without]
        return FileBodies(bodies, tuple(without.values()))
    except csv.Error as error:
        raise ReadError(f"{path}:{reader.line_num}: is not CSV: {error}", code="bad-csv") from error


def read_markdown(text: str, path: str) -> FileBodies:
    """The bodies of a table that `write_markdown` made."""
    lines = text.split("\n")[:-1]
    header = [cell.strip() for cell in _CELL.findall(lines[0])] if lines else []
    columns, rows = _columns(header, path), map(markdown_cells, lines[2:])
    placed = ((row, f"{path}:{count}") for count, row in enumerate(rows, start=3))
    return FileBodies([_body(len(header), columns, row, place, from_markdown) for row, place in placed])


def markdown_cells(line: str) -> list[str]:
    """The cells of a row, without the blank on either side; others are the name's."""
    return [cell[1:-1] for cell in _CELL.findall(line)]


def _columns(header: list[str], path: str) -> ColumnPlaces:
    """Position of each of `COLUMNS`, and the factor of its unit to SI."""
    names = [title.partition(" [")[0] for title in header]
    found: ColumnPlaces = {}
    for title in COLUMNS:
        name, _, unit = title.removesuffix("]").partition(" [")
        if name not in names or (unit and " [" not in header[names.index(name)]):
            what = f"{path}:1: has no column {title!r}"
            raise ReadError(what, code="missing-column", hint=f"expected: {', '.join(COLUMNS)}")
        at = names.index(name)
        found[title] = at, Fraction(1) if header[at] == title else _factor(header[at], unit, path)
    return found


def _factor(title: str, si: str, path: str) -> Fraction:
    unit = title.removesuffix("]").partition(" [")[2]
    try:
        return factor_of(unit, DIMENSIONS[si])
    except InvalidInput as error:
        what = f"{path}:1: the unit of column {title!r} is not one of the kind of {si}"
        raise ReadError(what, code=error.code) from error


def _body(width: int, columns: ColumnPlaces, row: list[str], place: str, unescaped: Callable[[str], str]) -> NamedBody:
    if len(row) != width:
        raise ReadError(f"{place}: has {len(row)} columns, the header has {width}", code="bad-csv")
    (_, (named, _)), *others = columns.items()
    values = [(number(row[at], place, title), factor) for title, (at, factor) in others]
    mass, x, y, z, *tensor = (v if f == 1 else float(Fraction(repr(v)) * f) for v, f in values)
    stated = Inertial(mass, Pose.from_xyz_rpy((x, y, z)), symmetric(*tensor))
    return NamedBody.of(unescaped(row[named]) or None, stated, place, "csv")
