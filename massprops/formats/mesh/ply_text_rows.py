"""The rows of an ASCII PLY file as tables: one line, one row. Only coordinates and lists of vertices are kept, all else is checked."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Self

import numpy as np

from massprops import native
from massprops.errors import ReadError
from massprops.formats.mesh.ply_header import MISCOUNTED, RECORD, TRUNCATED, Column, Element, Header, Property, Table
from massprops.formats.text import bad_number, is_numeric
from massprops.formats.text_blocks import Parts, line_ends, rows
from massprops.mesh.triangulation import Polygons
from massprops.wording import plural

Lines = range | Column


@dataclass(frozen=True)
class Rows:
    """Lines with words in them.

    Attributes
    ----------
    values : ndarray
        Every word as `float` reads it, NaN and infinity too; of no meaning from the first bad one on.
    lengths : ndarray of int
        How many words each line has.
    lines : range or ndarray of int
        The number of each line in the file.
    bad : tuple of (int, str), or None
        The first word that is no number, and its place among all words.
    """

    values: Column
    lengths: Column
    lines: Lines
    bad: tuple[int, str] | None = None

    def __len__(self) -> int:
        return len(self.lengths)

    def split(self, count: int) -> tuple[Self, Self]:
        """The first rows, and all others."""
        cut = int(self.lengths[:count].sum())
        bad = (
            (self.bad, None)
            if self.bad and self.bad[0] < cut
            else (None, self.bad and (self.bad[0] - cut, self.bad[1]))
        )
        first = type(self)(self.values[:cut], self.lengths[:count], self.lines[:count], bad[0])
        return first, type(self)(self.values[cut:], self.lengths[count:], self.lines[count:], bad[1])


def rows_of(blocks: Iterator[bytes], line: int) -> Iterator[Rows]:
    """The rows of a text in stretches of whole lines, of which the first has the number `line`."""
    for block in blocks:
        values, lengths, bad = (*found, None) if (found := rows(block)) else _word_by_word(block)
        filled = np.flatnonzero(lengths)
        if len(filled) == len(lengths):
            yield Rows(values, lengths, range(line, line + len(lengths)), bad)
        else:
            yield Rows(values, lengths[filled], filled + line, bad)
        line += len(lengths)


def _word_by_word(text: bytes) -> tuple[Column, Column, tuple[int, str] | None]:
    words = [row.split() for row in text.removesuffix(b"\n").split(b"\n")]
    lengths = np.array([len(row) for row in words])
    values = np.full(lengths.sum(), np.nan)
    for i, word in enumerate(chain.from_iterable(words)):
        token = word.decode(errors="replace")
        if not is_numeric(token):
            return values, lengths, (i, token)
        values[i] = float(token) if not {"#", "("} & {*token} else np.nan  # 1.#QNAN, nan(ind)
    return values, lengths, None


class TextTable:
    """Coordinates of an element's rows side by side, the values of its list of vertices in a row, and the line of each row."""

    def __init__(self, name: str, element: Element) -> None:
        self.name = name
        self.element = element
        self.rows = 0
        self._scalars, self._list = element.kept
        self._spans = np.array(element.spans(text=True), np.int32).tobytes()
        self._numbers = array("d")
        self._items: array[int] | array[float] = array("i")
        self._triangles = 0  # rows, as long as all lists have three values
        self._counts = array("i")
        self._starts: list[int] = []
        self._lines: list[Lines] = []

    def scalar(self, column: int) -> Column:
        """See `Table`."""
        return np.asarray(self._numbers).reshape(self.rows, -1)[:, self._scalars.index(column)]

    def side_by_side(self, columns: list[int]) -> Column | None:
        """Values of properties, shape (rows, n), where they are in the order of the file, and all that are kept."""
        return np.asarray(self._numbers).reshape(-1, len(columns)) if columns == self._scalars else None

    def lists(self, column: int) -> Polygons:  # noqa: ARG002  # it has one list
        """See `Table`."""
        items = np.asarray(self._items)
        return Polygons.of_sizes(items, np.asarray(self._counts)) if self._counts else Polygons(items.reshape(-1, 3))

    def place(self, row: int) -> str:
        """See `Table`."""
        block = bisect_right(self._starts, row) - 1
        return f"{self.name}:{self._lines[block][row - self._starts[block]]}:"

    def add(self, rows: Rows) -> None:
        """Checks some rows and keeps what is needed of them.

        Raises
        ------
        ReadError
            Codes ``bad-number``, ``bad-row``.
        """
        self._starts.append(self.rows)
        self._lines.append(rows.lines)
        first = np.cumsum(rows.lengths) - rows.lengths
        self.rows += len(first)
        if rows.bad:
            self._refuse_word(rows, first, *rows.bad)
        position = first.copy()
        kept, lists = [], (first, np.zeros_like(first))
        for i, column in enumerate(self.element.properties):
            self._check_lengths(position < first + rows.lengths, position + 1 - first, rows.lengths)
            if i in self._scalars:
                kept.append(rows.values[position])
            position += 1
            if column.count:
                counts = rows.values[position - 1]
                self._check_counts(column, counts)
                lists = (position.copy(), counts.astype(np.int64)) if i == self._list else lists
                position += counts.astype(np.int64)
        self._check_lengths(position == first + rows.lengths, position - first, rows.lengths)
        self._keep(np.stack(kept, axis=1) if kept else first[:0], *self._items_of(rows.values, *lists))

    def scan(self, text: bytes, start: int, line: int, most: int) -> tuple[int, int]:
        """Reads rows of a text as exporters write them, up to a number, by the compiled core: where the last ends, and how many."""
        core = native.core()
        if core is None:
            return start, 0
        values, lengths, items = (
            np.empty(len(text) // n + 1, kind) for n, kind in ((2, np.float64), (1, np.int32), (2, np.int32))
        )
        found = core.ply_rows(text, start, values, lengths[:most], items, 0, self._spans)
        if found is None:
            return start, 0
        end, numbers, rows, corners = found
        self._starts.append(self.rows)
        self._lines.append(range(line, line + rows))
        self.rows += rows
        self._keep(values[:numbers], items[:corners], lengths[:rows])
        return end, rows

    def _items_of(self, values: Column, at: Column, counts: Column) -> tuple[Column, Column]:
        return values[np.repeat(at - (np.cumsum(counts) - counts), counts) + np.arange(counts.sum())], counts

    def _keep(self, numbers: Column, items: Column, counts: Column) -> None:
        self._numbers.frombytes(np.ascontiguousarray(numbers).view(np.uint8).data)
        if self._list < 0:
            return
        with np.errstate(invalid="ignore"):
            whole = items.astype(np.int32, copy=False)
        if self._items.typecode == "i" and whole is not items and (whole != items).any():
            self._items = array("d", self._items)  # they are refused later, by what they are
        kept = whole if self._items.typecode == "i" else items.astype(np.float64)
        self._items.frombytes(kept.view(np.uint8).data)
        if not self._counts and (counts == 3).all():
            self._triangles += len(counts)
            return
        self._counts = self._counts or array("i", [3]) * self._triangles
        self._counts.frombytes(counts.astype(np.int32, copy=False).view(np.uint8).data)

    def _refuse_word(self, rows: Rows, first: Column, place: int, token: str) -> None:
        row = int(np.searchsorted(first, place, side="right")) - 1
        before = rows.values[first[row] : place]
        owner = _owner(self.element, before, len(before))
        raise bad_number(f"{self.name}:{rows.lines[row]}", f"{owner} of element {self.element.name}:", token)

    def _check_lengths(self, good: Column, needed: Column, lengths: Column) -> None:
        if good.all():
            return
        row = int(np.argmin(good))
        more = "at least " if needed[row] > lengths[row] else ""
        what = f"a row of element {self.element.name} needs {more}{needed[row]} values, but has {lengths[row]}"
        raise ReadError(f"{self.place(self._starts[-1] + row)} {what}", code="bad-row", hint=MISCOUNTED)

    def _check_counts(self, column: Property, counts: Column) -> None:
        # No line has 2^31 values, and below that sums of positions stay exact.
        good = (counts >= 0) & (counts < RECORD) & (counts == np.floor(counts))
        if good.all():
            return
        row = int(np.argmin(good))
        what = f"the list {column.name} has {counts[row]:g} values, which is no count"
        raise ReadError(f"{self.place(self._starts[-1] + row)} {what}", code="bad-row", hint=MISCOUNTED)


def read_text_rows(name: str, header: Header, blocks: Iterator[bytes]) -> dict[str, Table]:
    """All rows, by element, of a text in stretches of whole lines.

    Raises
    ------
    ReadError
        Codes ``truncated-file``, ``surplus-data``, ``bad-number``, ``bad-row``.
    """
    lines = _Lines(blocks, header.lines + 1)
    tables: dict[str, Table] = {}
    for element in header.elements:
        table = tables[element.name] = TextTable(name, element)
        # A row without properties is an empty line, and empty lines are skipped.
        left = element.rows * bool(element.properties)
        while left:
            if scanned := lines.scan(table, left):
                left -= scanned
                continue
            taken = lines.take(left)
            if taken is None:
                raise _truncated(name, element, element.rows - left)
            try:
                table.add(taken)
            except ReadError as error:  # the last line of a file that is cut off is bad because of that
                there = element.rows - left + len(taken) + lines.count()
                raise _truncated(name, element, there) if there < element.rows else error from None
            left -= len(taken)
    if surplus := lines.take(1):
        what = f"{name}:{surplus.lines[0]}: {plural(1 + lines.count(), 'line')} after the last row that the header declares"
        raise ReadError(what, code="surplus-data", hint=MISCOUNTED)
    return tables


class _Lines:
    """The rest of a text: a block as it is, or the rows of it."""

    def __init__(self, blocks: Iterator[bytes], line: int) -> None:
        self._blocks = blocks
        self._text = b""
        self._at = 0
        self._line = line
        self._rows: Parts[Rows] = Parts(self._rest())

    def _rest(self) -> Iterator[Rows]:
        while self._fill():
            text, line = self._text[self._at :], self._line
            self._at = len(self._text)
            self._line += line_ends(text)
            yield from rows_of(iter([text]), line)

    def _fill(self) -> bool:
        if self._at == len(self._text):
            self._text, self._at = next(self._blocks, b""), 0
        return bool(self._text)

    def scan(self, table: TextTable, most: int) -> int:
        """How many rows were read at once; 0 where they must be taken."""
        if self._rows.held or not self._fill():
            return 0
        self._at, rows = table.scan(self._text, self._at, self._line, most)
        self._line += rows
        return rows

    def take(self, most: int) -> Rows | None:
        """See `Parts`."""
        return self._rows.take(most)

    def count(self) -> int:
        """See `Parts`."""
        return self._rows.count()


def _truncated(name: str, element: Element, there: int) -> ReadError:
    what = f"{name}: the header promises {element.rows} rows of element {element.name}, but {there} are left"
    return ReadError(what, code="truncated-file", hint=TRUNCATED)


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
