"""The rows of an ASCII PLY file as tables: one line, one row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from massprops.errors import ReadError
from massprops.formats.fast_floats import BLOCK, Words, floats, line_blocks
from massprops.formats.mesh.ply_header import MISCOUNTED, RECORD, TRUNCATED, Column, Element, Header, Property, Table
from massprops.formats.text import bad_number, is_numeric, with_line_feeds
from massprops.mesh.triangulation import Polygons


@dataclass(frozen=True)
class TextTable:
    """Numbers of an element's rows, those of row i from `first[i]`, and the row's line."""

    name: str
    numbers: Column
    positions: list[Column]
    lines: Column

    def scalar(self, column: int) -> Column:
        """See `Table`."""
        return self.numbers[self.positions[column]]

    def lists(self, column: int) -> Polygons:
        """See `Table`."""
        at = self.positions[column]
        counts = self.numbers[at].astype(np.int64)
        if len(counts) and (counts == counts[0]).all():
            return Polygons(self.numbers[at[:, None] + np.arange(1, 1 + counts[0])])
        inside = np.repeat(at + 1 - (np.cumsum(counts) - counts), counts) + np.arange(counts.sum())
        return Polygons(self.numbers[inside], counts)

    def place(self, row: int) -> str:
        """See `Table`."""
        return f"{self.name}:{self.lines[row]}:"


def read_text_rows(name: str, header: Header, data: bytes) -> dict[str, Table]:
    """All rows, by element.

    Raises
    ------
    ReadError
        Codes ``truncated-file``, ``surplus-data``, ``bad-number``, ``bad-row``.
    """
    text = with_line_feeds(data[header.size :])
    rows = rows_of(text)
    filled = np.flatnonzero(rows.lengths)
    tables: dict[str, Table] = {}
    start = 0
    for element in header.elements:
        # A row without properties is an empty line, and empty lines are skipped.
        stop = start + element.rows * bool(element.properties)
        if stop > len(filled):
            promise = f"the header promises {element.rows} rows of element {element.name}"
            what = f"{name}: {promise}, but {len(filled) - start} are left"
            raise ReadError(what, code="truncated-file", hint=TRUNCATED)
        at = filled[start:stop]
        numbers = rows.numbers(name, element, at, header.lines + 1)
        lengths, lines = rows.lengths[at], at + header.lines + 1
        tables[element.name] = _text_table(name, element, numbers, lengths, lines)
        start = stop
    if start < len(filled):
        place = f"{name}:{filled[start] + header.lines + 1}"
        what = f"{place}: {len(filled) - start} lines follow the last row that the header declares"
        raise ReadError(what, code="surplus-data", hint=MISCOUNTED)
    return tables


@dataclass(frozen=True)
class Rows:
    """Lines of a text as numbers.

    Attributes
    ----------
    lengths : ndarray of int
        How many words each line has.
    values : ndarray
        Every word as `float` reads it, NaN and infinity too; of no meaning from the first bad one on.
    bad : tuple of (int, str), or None
        The first word that is no number, and its place among all words.
    """

    lengths: Column
    values: Column
    bad: tuple[int, str] | None = None

    def numbers(self, name: str, element: Element, at: Column, line: int) -> Column:
        """The words of an element's lines; no filled line is between them. Line 0 of the text is line `line` of the file.

        Raises
        ------
        ReadError
            If one of them is no number.
        """
        if not len(at):
            return np.empty(0)
        start = int(self.lengths[: at[0]].sum())
        ends = start + np.cumsum(self.lengths[at])
        if self.bad is not None and start <= self.bad[0] < ends[-1]:
            place, token = self.bad
            row = int(np.searchsorted(ends, place, side="right"))
            first = int(ends[row] - self.lengths[at[row]])
            owner = _owner(element, self.values[first:place], place - first)
            raise bad_number(f"{name}:{at[row] + line}", f"{owner} of element {element.name}:", token)
        return self.values[start : ends[-1]]


def rows_of(text: bytes, size: int = BLOCK) -> Rows:
    """Lines, read a block at a time."""
    lengths, values = [np.zeros(1, np.intp)], [np.empty(0)]
    bad: tuple[int, str] | None = None
    before = 0
    for block in line_blocks(text, size):
        words = Words(block)
        more = words.per_line()
        lengths[-1][-1] = more[0]
        numbers, left = floats(words)
        for i in left.tolist() if bad is None else ():
            token = words[i].decode("utf-8", errors="replace")
            if not is_numeric(token):
                bad = before + i, token
                break
            numbers[i] = float(token) if "#" not in token else np.nan  # 1.#QNAN
        before += len(words)
        lengths.append(more[1:])
        values.append(numbers)
    return Rows(np.concatenate(lengths), np.concatenate(values), bad)


def _text_table(name: str, element: Element, numbers: Column, lengths: Column, lines: Column) -> TextTable:
    first = np.cumsum(lengths) - lengths
    position = first.copy()
    table = TextTable(name, numbers, [], lines)
    for column in element.properties:
        _check_rows(table, element, position < first + lengths, position + 1 - first, lengths)
        table.positions.append(position)
        position = position + 1
        if column.count:
            counts = numbers[table.positions[-1]]
            _check_counts(table, column, counts)
            position = position + counts.astype(np.int64)
    _check_rows(table, element, position == first + lengths, position - first, lengths)
    return table


def _owner(element: Element, before: Column, i: int) -> str:
    """The property that word `i` of a row belongs to, by the counts before it."""
    position = 0
    for column in element.properties:
        if position == i and column.count:
            return f"the count of list {column.name}"
        count = before[position] if column.count else 0
        # a bad count is reported by itself
        position += 1 + (int(count) if 0 <= count < RECORD and count % 1 == 0 else 0)
        if i < position:
            return f"property {column.name}"
    return "a value after the last property"


def _check_rows(table: TextTable, element: Element, good: Column, needed: Column, lengths: Column) -> None:
    if good.all():
        return
    row = int(np.flatnonzero(~good)[0])
    more = "at least " if needed[row] > lengths[row] else ""
    what = (
        f"{table.place(row)} a row of element {element.name} needs {more}{needed[row]} values, but has {lengths[row]}"
    )
    raise ReadError(what, code="bad-row", hint=MISCOUNTED)


def _check_counts(table: TextTable, column: Property, counts: Column) -> None:
    # No line has 2^31 values, and below that sums of positions stay exact.
    good = (counts >= 0) & (counts < RECORD) & (counts == np.floor(counts))
    if good.all():
        return
    row = int(np.flatnonzero(~good)[0])
    what = f"{table.place(row)} the list {column.name} has {counts[row]:g} values, which is no count"
    raise ReadError(what, code="bad-row", hint=MISCOUNTED)
