"""Tables of masses in workbooks of Excel: the one sheet whose first rows have the titles of one.

Tests: `tests/formats/bodies/test_workbook.py`.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from massprops.errors import ReadError, needing
from massprops.formats.bodies import mass_table
from massprops.formats.bodies.mass_table import Row
from massprops.formats.inertial.inertial import FileBodies
from massprops.formats.packed import open_package
from massprops.formats.text import shorten
from massprops.mesh.source import InputFile

_INSTEAD = "save the sheet as CSV"
#: Rows that may stand above the titles.
_ABOVE = 20


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
    except Exception as error:  # whatever a damaged part makes openpyxl raise
        what = f"{path}: is no workbook that can be read: {shorten(str(error), 80)}"
        raise ReadError(what, code="bad-workbook", hint=_INSTEAD) from error
    sheets = {sheet.title: list(_rows(sheet, path)) for sheet in values.worksheets}
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
    head, *rows = sheets[tables[0]][heads[tables[0]] :]
    header = [cell.strip() for cell in head.cells]
    first = int(head.place.rpartition("!")[2])
    used = {k for k, title in enumerate(header, 1) if mass_table.is_known(title)}
    unknown = _without_values(values[tables[0]], formulas[tables[0]])
    _require_values(path, (c for c in unknown if c.row == first or (c.row > first and c.column in used)))
    return mass_table.bodies_of(header, rows, path, str, head.place)


def _head(rows: Sequence[Row]) -> int | None:
    return next((k for k, row in enumerate(rows[:_ABOVE]) if mass_table.has_titles(row.cells)), None)


def _rows(sheet: Any, path: str) -> Iterator[Row]:
    """The rows of a sheet that have a filled cell, as a CSV file has them; a cell in percent has the sign."""
    for number, cells in enumerate(sheet.iter_rows(), 1):
        texts = [_text(cell) for cell in cells]
        if any(texts):
            yield Row(texts, f"{path}: {sheet.title}!{number}")


def _without_values(sheet: Any, formulas: Any) -> Iterator[Any]:
    """The cells of a sheet that have a formula, and no value: no spreadsheet program has computed it."""
    for cells, entered in zip(sheet.iter_rows(), formulas.iter_rows(), strict=True):
        yield from (e for c, e in zip(cells, entered, strict=True) if c.value is None and e.data_type == "f")


def _require_values(path: str, unknown: Iterator[Any]) -> None:
    if (cell := next(unknown, None)) is not None:
        what = f"{path}: {cell.parent.title}!{cell.coordinate} is a formula without its value"
        raise ReadError(what, code="bad-workbook", hint="open and save the workbook in a spreadsheet program")


def _text(cell: Any) -> str:
    value = cell.value
    if isinstance(value, int | float) and "%" in cell.number_format:
        return f"{Decimal(repr(value)) * 100:f}%"
    return "" if value is None else str(value)
