"""Tables of masses in workbooks of Excel: the one sheet whose first rows have the titles of one.

Tests: `tests/formats/bodies/test_workbook.py`.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from massprops.errors import ReadError, needing
from massprops.formats.address import Place
from massprops.formats.bodies import mass_table
from massprops.formats.bodies.mass_table import Row
from massprops.formats.inertial.inertial import FileBodies
from massprops.formats.packed import open_package
from massprops.formats.text import shorten
from massprops.mesh.source import InputFile
from massprops.units import is_unit
from massprops.values import regex

_INSTEAD = "save the sheet as CSV"
#: Rows that may stand above the titles.
_ABOVE = 20
_SECTION = regex(r'(?:[^;"\\]|"[^"]*"|\\.)+', re.DOTALL)
#: Parts of a number format: a text, a character, a currency; conditions and widths; and what stands for digits.
_TOKEN = regex(r'"([^"]*)"|\\(.)|\[\$([^\]-]*)[^\]]*\]|\[[^\]]*\]|[_*].|(.)', re.DOTALL)


def read(data: bytes, path: str) -> FileBodies:
    """The bodies of the sheet with the table.

    Raises
    ------
    MissingExtra
        If openpyxl is not installed.
    ReadError
        As `mass_table.read` does, or if it is no workbook, no sheet or several have a table, or a formula has no value.
    """
    with needing("excel", f"{path}: reading workbooks needs openpyxl", f", or {_INSTEAD}"):
        import openpyxl
    with open_package(InputFile(path, io.BytesIO(data), len(data)), _INSTEAD):
        pass  # it is a package, and no larger than it looks
    try:
        values, formulas = (openpyxl.load_workbook(io.BytesIO(data), data_only=only) for only in (True, False))
        sheets = {sheet.title: list(_rows(sheet, path)) for sheet in values.worksheets}
    except Exception as error:  # whatever a damaged part makes openpyxl raise
        what = f"{path}: is no workbook that can be read: {shorten(str(error), 80)}"
        raise ReadError(what, code="bad-workbook", hint=_INSTEAD) from error
    heads = {title: _head(rows) for title, rows in sheets.items()}
    tables = [title for title, head in heads.items() if head is not None]
    if not tables:  # a title may be one of the formulas
        for sheet in values.worksheets:
            _require_values(path, _without_values(sheet, formulas[sheet.title]))
    if len(tables) != 1:
        has = (
            f"several sheets have a table of masses: {', '.join(tables)}" if tables else "no sheet has titles of masses"
        )
        raise ReadError(
            f"{path}: {has}", code="bad-workbook", hint=f"{_INSTEAD} that is meant, with {mass_table.COLUMNS}"
        )
    sheet, rows = values[tables[0]], sheets[tables[0]]
    head = rows[heads[tables[0]] or 0]
    columns = {k: column for k, title in enumerate(head.cells) if (column := mass_table.column_of(title))}
    first = _number(head)
    unknown = _without_values(sheet, formulas[sheet.title])
    _require_values(path, (c for c in unknown if c.row == first or (c.row > first and c.column - 1 in columns)))
    width = range(len(head.cells))  # notes beside the table are none of it
    cells = {_number(row): [row.cells[k] if k < len(row.cells) else "" for k in width] for row in rows}
    for area in sheet.merged_cells.ranges:
        _spread(
            area,
            f"{path}: {sheet.title}",
            columns.get(area.min_col - 1),
            {n: cells[n] for n in cells if first < n and area.min_row <= n <= area.max_row},
        )
    below = [Row(cells[n], row.place) for row in rows if (n := _number(row)) > first and any(cells[n])]
    above = [text for row in rows if _number(row) < first for text in row.cells]
    found = mass_table.bodies_of(cells[first], below, path, str, head.place, above)
    lines = sheet.row_dimensions
    hidden = [row.place for row in below if (n := _number(row)) in lines and lines[n].hidden]
    return replace(found, remarks=(*found.remarks, *(f"{place}: is hidden, and is read" for place in hidden)))


def _head(rows: Sequence[Row]) -> int | None:
    return next((k for k, row in enumerate(rows[:_ABOVE]) if mass_table.has_titles(row.cells)), None)


def _number(row: Row) -> int:
    """Number of a row in its sheet."""
    return int(row.place.rpartition("!")[2])


def _spread(area: Any, place: str, column: str | None, rows: Mapping[int, list[str]]) -> None:
    """Write what merged cells say into each of their rows; a number of several rows is refused."""
    (first, *others), at = [*rows.values()] or [[]], area.min_col - 1
    if not column or not first or not first[at] or not any(map(any, others)):
        return
    if column not in mass_table.TEXTS:
        what = f"{place}!{area.coord} is merged: one number for {len(rows)} rows"
        raise ReadError(what, code="bad-workbook", hint="give each row its own number")
    for row in others:
        row[at] = first[at]


def _rows(sheet: Any, path: str) -> Iterator[Row]:
    """The rows of a sheet that have a filled cell, as a CSV file has them, up to the last one."""
    rows: dict[int, dict[int, str]] = {}
    for (number, column), cell in sheet._cells.items():  # `iter_rows` makes all that are empty, too
        if text := _text(cell):
            rows.setdefault(number, {})[column] = text
    for number, cells in sorted(rows.items()):
        yield Row([cells.get(k, "") for k in range(1, 1 + max(cells))], Place(path, node=f"{sheet.title}!{number}"))


def _without_values(sheet: Any, formulas: Any) -> Iterator[Any]:
    """The cells of a sheet that have a formula, and no value: no spreadsheet program has computed it."""
    values = sheet._cells
    for at, entered in sorted(formulas._cells.items()):
        if entered.data_type == "f" and (
            at not in values or (values[at].value is None and values[at].data_type != "str")
        ):
            yield entered


def _require_values(path: str, unknown: Iterator[Any]) -> None:
    if (cell := next(unknown, None)) is not None:
        what = f"{path}: {cell.parent.title}!{cell.coordinate} is a formula without its value"
        raise ReadError(what, code="bad-workbook", hint="open and save the workbook in a spreadsheet program")


def _text(cell: Any) -> str:
    """A cell as it is shown, with all digits: in percent or thousands, and with the unit behind the number."""
    value = cell.value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "" if value is None else str(value)
    shown = {how for section in _SECTION.findall(cell.number_format)[:3] if (how := _shown(section))}
    if len(shown) > 1:
        return f"{value!r} ({cell.number_format})"  # no number: positive and negative ones have other units
    power, unit = shown.pop() if shown else (0, "")
    return f"{Decimal(repr(value)).scaleb(power):f} {unit}".rstrip() if power else f"{value!r} {unit}".rstrip()


def _shown(section: str) -> tuple[int, str] | None:
    """The power of ten by which a section of a number format shows a number, and the unit behind it; None where it shows none."""
    codes = unit = ""
    for quoted, escaped, currency, code in _TOKEN.findall(section.replace("General", "0")):
        codes += code
        unit = "" if code and code in "0#?" else unit + (quoted or escaped or currency or code)
    power = 2 * codes.count("%") - 3 * sum(map(len, re.findall(r"(?<=[0#?]),+(?![,0#?])", codes)))
    unit = unit.strip(" ,.")
    return (
        (power, unit if unit == "%" or is_unit(re.split("[ /]", unit)[0]) else "")
        if re.search("[0#?]", codes)
        else None
    )
