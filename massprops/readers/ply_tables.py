"""The rows of a PLY file, as columns: of text, of binary rows of one size, and of binary rows with lists of many lengths."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from massprops.errors import ReadError
from massprops.findings import Finding
from massprops.readers.digits import BLOCK, Words, floats, line_blocks
from massprops.readers.ply_header import Element, Header, Property
from massprops.readers.polygons import Polygons
from massprops.readers.text import bad_number, is_numeric, with_line_feeds

Column = NDArray[Any]

_TRUNCATED = "the file looks truncated; export or download it again"
_MISCOUNTED = "the header and the rows do not agree; export the mesh again"
#: numpy's limit of one record.
_RECORD = 1 << 31
#: Rows whose bytes are gathered at a time.
_ROWS = 1 << 14


class Table(Protocol):
    """One element's rows."""

    def scalar(self, column: int) -> Column:
        """Values of a property, shape (rows,)."""

    def lists(self, column: int) -> Polygons:
        """Values of a list property; text gives them as doubles, whole numbers or not."""

    def place(self, row: int) -> str:
        """Where a row is, as messages begin: ``file:line:`` or ``file: face 3``."""


def read_tables(name: str, header: Header, data: bytes) -> tuple[dict[str, Table], list[Finding]]:
    """All rows, by element.

    Raises
    ------
    ReadError
        Codes ``truncated-file``, ``surplus-data``, ``bad-number``, ``bad-row``. A promise of the header is checked against
        the bytes that are there before anything of its size is made.
    """
    if header.encoding == "ascii":
        return _read_text(name, header, data), []
    return _read_binary(name, header, data)


# Text: one line, one row.


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


@dataclass(frozen=True)
class GridTable:
    """Numbers of an element's rows that all have the same layout: each property begins in one column of the grid."""

    name: str
    grid: Column
    columns: list[int]
    lines: Column

    def scalar(self, column: int) -> Column:
        """See `Table`."""
        return self.grid[:, self.columns[column]]

    def lists(self, column: int) -> Polygons:
        """See `Table`."""
        at = self.columns[column]
        return Polygons(self.grid[:, at + 1 : at + 1 + int(self.grid[0, at])])

    def place(self, row: int) -> str:
        """See `Table`."""
        return f"{self.name}:{self.lines[row]}:"


def _read_text(name: str, header: Header, data: bytes) -> dict[str, Table]:
    text = with_line_feeds(data[header.size :])
    rows = quick_rows(text) or careful_rows(text)
    filled = np.flatnonzero(rows.lengths)
    tables: dict[str, Table] = {}
    start = 0
    for element in header.elements:
        # A row of nothing is an empty line, and empty lines are skipped.
        stop = start + element.rows * bool(element.properties)
        if stop > len(filled):
            promise = f"the header promises {element.rows} rows of element {element.name}"
            what = f"{name}: {promise}, but {len(filled) - start} are left"
            raise ReadError(what, code="truncated-file", hint=_TRUNCATED)
        at = filled[start:stop]
        numbers = rows.numbers(name, element, at, header.lines + 1)
        lengths, lines = rows.lengths[at], at + header.lines + 1
        tables[element.name] = _grid_table(name, element, numbers, lengths, lines) or _text_table(
            name, element, numbers, lengths, lines
        )
        start = stop
    if start < len(filled):
        place = f"{name}:{filled[start] + header.lines + 1}"
        what = f"{place}: {len(filled) - start} lines follow the last row that the header declares"
        raise ReadError(what, code="surplus-data", hint=_MISCOUNTED)
    return tables


class Rows(Protocol):
    """Lines of a text as numbers."""

    @property
    def lengths(self) -> Column:
        """How many words each line has."""

    def numbers(self, name: str, element: Element, at: Column, line: int) -> Column:
        """Every word of some lines as `float` reads it, NaN and infinity too; line 0 of the text is line `line` of the file."""


@dataclass(frozen=True)
class QuickRows:
    """Lines of which every word is a number."""

    lengths: Column
    values: Column

    def numbers(self, name: str, element: Element, at: Column, line: int) -> Column:  # noqa: ARG002  # nothing to complain of
        """See `Rows`. No filled line is between those of an element."""
        if not len(at):
            return np.empty(0)
        start = int(self.lengths[: at[0]].sum())
        return self.values[start : start + int(self.lengths[at].sum())]


@dataclass(frozen=True)
class CarefulRows:
    """Lines of which some word may be no number: the first one of the lines that are asked for is told."""

    lengths: Column
    lines: list[bytes]

    def numbers(self, name: str, element: Element, at: Column, line: int) -> Column:
        """See `Rows`."""
        places = ((f"{name}:{i + line}", self.lines[i].split()) for i in at)
        return np.array([_number(place, element, words, i) for place, words in places for i in range(len(words))])


def careful_rows(text: bytes) -> CarefulRows:
    """Lines as they are, of whatever words."""
    lines = text.split(b"\n")
    return CarefulRows(np.fromiter((len(line.split()) for line in lines), np.int64, len(lines)), lines)


def quick_rows(text: bytes, size: int = BLOCK) -> QuickRows | None:
    """Lines a block at a time; None where a word is no number."""
    lengths, values = [np.zeros(1, np.intp)], []
    for block in line_blocks(text, size):
        words = Words(block)
        more = words.per_line()
        lengths[-1][-1] = more[0]
        numbers, left = floats(words)
        for i in left.tolist():
            token = words[i].decode("latin-1")
            if not is_numeric(token):
                return None
            numbers[i] = _float(token)
        lengths.append(more[1:])
        values.append(numbers)
    return QuickRows(np.concatenate(lengths), np.concatenate(values) if values else np.empty(0))


def _grid_table(name: str, element: Element, numbers: Column, lengths: Column, lines: Column) -> GridTable | None:
    """Rows of one layout; None where they have several, or a wrong one."""
    if not len(lengths) or (lengths != lengths[0]).any():
        return None
    grid = numbers.reshape(len(lengths), -1)
    columns: list[int] = []
    width = 0
    for column in element.properties:
        if width >= grid.shape[1]:
            return None
        columns.append(width)
        width += 1
        if column.count:
            count = grid[0, width - 1]
            # what is no count in the first row is for the other table to tell
            if not 0 <= count < _RECORD or count % 1 or (grid[:, width - 1] != count).any():
                return None
            width += int(count)
    return GridTable(name, grid, columns, lines) if width == grid.shape[1] else None


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


def _number(place: str, element: Element, words: list[bytes], i: int) -> float:
    token = words[i].decode("utf-8", errors="replace")
    if not is_numeric(token):
        raise bad_number(place, f"{_owner(element, words, i)} of element {element.name}:", token)
    return _float(token)


def _float(token: str) -> float:
    """A token that `is_numeric`; what other systems print for NaN and infinity is NaN."""
    try:
        return float(token)
    except ValueError:  # 1.#QNAN
        return float("nan")


def _owner(element: Element, words: list[bytes], i: int) -> str:
    """What word `i` of a row belongs to, as the lists before it tell; those words are numbers."""
    position = 0
    for column in element.properties:
        if position == i and column.count:
            return f"the count of list {column.name}"
        position += 1 + (_length(words[position]) if column.count else 0)
        if i < position:
            return f"property {column.name}"
    return "a value after the last property"


def _length(word: bytes) -> int:
    """The count of a list, 0 where it is none: that is told elsewhere."""
    return int(word) if word.isdigit() and len(word) < 10 else 0


def _check_rows(table: TextTable, element: Element, good: Column, wanted: Column, lengths: Column) -> None:
    if good.all():
        return
    row = int(np.flatnonzero(~good)[0])
    more = "at least " if wanted[row] > lengths[row] else ""
    raise ReadError(
        f"{table.place(row)} a row of element {element.name} needs {more}{wanted[row]} values, but has {lengths[row]}",
        code="bad-row",
        hint=_MISCOUNTED,
    )


def _check_counts(table: TextTable, column: Property, counts: Column) -> None:
    # Beyond 2^31 values no line goes, and sums of positions stay exact.
    good = (counts >= 0) & (counts < _RECORD) & (counts == np.floor(counts))
    if good.all():
        return
    row = int(np.flatnonzero(~good)[0])
    raise ReadError(
        f"{table.place(row)} the list {column.name} has {counts[row]:g} values, which is no count",
        code="bad-row",
        hint=_MISCOUNTED,
    )


# Binary.


@dataclass(frozen=True)
class RecordTable:
    """Rows of one size: a structured array over the file's bytes, with fields v0, v1 … and n0, n1 … for the counts of lists."""

    name: str
    element: Element
    records: Column

    def scalar(self, column: int) -> Column:
        """See `Table`."""
        return self.records[f"v{column}"]

    def lists(self, column: int) -> Polygons:
        """See `Table`."""
        kind, offset = self._field(column)
        count = kind.shape[0] if kind.shape else 0
        return Polygons(self._block(kind.base, offset, count) if count else self.records[f"v{column}"])

    def side_by_side(self, columns: list[int]) -> Column | None:
        """Values of properties, shape (rows, n), where they are of one type and next to each other."""
        fields = [self._field(column) for column in columns]
        kind, first = fields[0]
        if fields != [(kind, first + i * kind.itemsize) for i in range(len(fields))] or not len(self.records):
            return None
        return self._block(kind, first, len(fields))

    def _field(self, column: int) -> tuple[np.dtype[Any], int]:
        fields: Any = self.records.dtype.fields
        kind, offset = fields[f"v{column}"][:2]
        return kind, offset

    def _block(self, kind: np.dtype[Any], offset: int, count: int) -> Column:
        """Where a row is nothing else: as it is. Else a copy, of a row as one opaque block: twice as fast as from odd addresses."""
        size = kind.itemsize * count
        if size == self.records.itemsize:
            return self.records.view(kind).reshape(-1, count)
        opaque: Any = {
            "names": ["block"],
            "formats": [f"V{size}"],
            "offsets": [offset],
            "itemsize": self.records.itemsize,
        }
        block: Column = self.records.view(np.dtype(opaque))["block"].copy()
        return block.view(kind).reshape(-1, count)

    def place(self, row: int) -> str:
        """See `Table`."""
        return f"{self.name}: {self.element.name} {row}"


@dataclass(frozen=True)
class WalkedTable:
    """Rows of many sizes: where each property of each row is, in bytes, and how many values its list has."""

    name: str
    element: Element
    data: NDArray[np.uint8]
    order: str
    positions: list[Column]
    counts: list[Column]

    def scalar(self, column: int) -> Column:
        """See `Table`."""
        return self._gather(self.positions[column], self.element.properties[column].type, 1)[:, 0]

    def lists(self, column: int) -> Polygons:
        """See `Table`."""
        kind, counts = self.element.properties[column].type, self.counts[column]
        values = np.empty(int(counts.sum()), dtype=kind)
        first = np.cumsum(counts) - counts
        for count in np.unique(counts):
            same = np.flatnonzero(counts == count)
            for start in range(0, len(same), _ROWS):
                rows = same[start : start + _ROWS]
                values[first[rows, None] + np.arange(count)] = self._gather(self.positions[column][rows], kind, count)
        return Polygons(values, counts)

    def place(self, row: int) -> str:
        """See `Table`."""
        return f"{self.name}: {self.element.name} {row}"

    def _gather(self, positions: Column, kind: str, count: int) -> Column:
        size = np.dtype(kind).itemsize * count
        raw = self.data[positions[:, None] + np.arange(size)]
        return raw.reshape(-1).view(self.order + kind).reshape(len(positions), count)


def _read_binary(name: str, header: Header, data: bytes) -> tuple[dict[str, Table], list[Finding]]:
    order = "<" if header.encoding == "binary_little_endian" else ">"
    tables: dict[str, Table] = {}
    position = header.size
    for element in header.elements:
        tables[element.name], position = _binary_table(name, element, data, position, order)
    return tables, _surplus(name, data, position)


def _surplus(name: str, data: bytes, position: int) -> list[Finding]:
    """Padding is remarked on; other bytes are rows that the header does not know, and what they mean is anybody's guess."""
    left = len(data) - position
    if data[position:].strip(b"\0 \t\r\n"):
        what = f"{name}: {left} bytes follow the last row that the header declares"
        raise ReadError(what, code="surplus-data", hint=_MISCOUNTED)
    if left == 0:
        return []
    return [Finding("surplus-data", "info", f"{left} bytes of padding follow the last row", value=float(left))]


def _binary_table(name: str, element: Element, data: bytes, start: int, order: str) -> tuple[Table, int]:
    least = sum(np.dtype(column.count or column.type).itemsize for column in element.properties)
    left = len(data) - start
    if element.rows * least > left:
        raise _truncated(name, element, f"{element.rows * least} bytes" + _or_more(element), left)
    if not element.rows or not least:
        return RecordTable(name, element, np.empty(0, record_of(element, [0] * len(element.properties), order))), start
    return (
        _records(name, element, data, start, order)
        or _stride(name, element, data, start, order)
        or _walk(name, element, data, start, order)
    )


def _or_more(element: Element) -> str:
    return " or more" if any(column.count for column in element.properties) else ""


def _truncated(name: str, element: Element, size: str, left: int) -> ReadError:
    rows = f"{element.rows} rows of element {element.name} ({size})"
    return ReadError(
        f"{name}: the header promises {rows}, but {left} bytes are left", code="truncated-file", hint=_TRUNCATED
    )


def record_of(element: Element, counts: list[int], order: str) -> np.dtype[Any]:
    """A row whose lists have these many values."""
    fields: list[Any] = []
    for i, column in enumerate(element.properties):
        if column.count:
            fields.append((f"n{i}", order + column.count))
        fields.append((f"v{i}", order + column.type, (counts[i],)) if column.count else (f"v{i}", order + column.type))
    return np.dtype(fields)


def _records(name: str, element: Element, data: bytes, start: int, order: str) -> tuple[Table, int] | None:
    """Rows of one size, where the lists of all rows are as long as those of the first: each count is looked at."""
    counts, size = _first_row(element, data, start, order)
    if size >= _RECORD or size * element.rows > len(data) - start:
        return None
    records = np.frombuffer(data, record_of(element, counts, order), element.rows, start)
    lists = [i for i, column in enumerate(element.properties) if column.count]
    if any((records[f"n{i}"] != counts[i]).any() for i in lists):
        return None
    return RecordTable(name, element, records), start + size * element.rows


def _first_row(element: Element, data: bytes, start: int, order: str) -> tuple[list[int], int]:
    """Lengths of the first row's lists (0 for other properties) and its size; too large a size where it is broken."""
    counts: list[int] = []
    position = start
    for column in element.properties:
        count = 0
        if column.count:
            head = np.dtype(order + column.count)
            if position + head.itemsize > len(data):
                return counts, _RECORD
            count = int(np.frombuffer(data, head, 1, position)[0])
            position += head.itemsize
        counts.append(count)
        position += np.dtype(column.type).itemsize * (count if column.count else 1)
        if count < 0:
            return counts, _RECORD
    return counts, position - start


def _stride(name: str, element: Element, data: bytes, start: int, order: str) -> tuple[Table, int] | None:
    """Rows with one list, counted by a byte: five times as fast as `_walk`. None for other rows, and where the file ends too soon."""
    lists = [i for i, column in enumerate(element.properties) if column.count]
    if len(lists) != 1 or element.properties[lists[0]].count != "u1":
        return None
    sizes = [np.dtype(column.type).itemsize for column in element.properties]
    before, item, after = sum(sizes[: lists[0]]), sizes[lists[0]], sum(sizes[lists[0] + 1 :])
    steps = [before + 1 + item * count + after for count in range(256)]
    try:
        heads = np.fromiter(_heads(data, start + before, steps), np.int64, element.rows)
    except IndexError:
        return None
    bytes_ = np.frombuffer(data, np.uint8)
    counts = bytes_[heads].astype(np.int64)
    behind = heads + 1 + item * counts
    end = int(behind[-1]) + after
    if end > len(data):
        return None
    positions = [heads - before + sum(sizes[:i]) if i < lists[0] else heads + 1 for i in range(lists[0] + 1)]
    positions += [behind + sum(sizes[lists[0] + 1 : i]) for i in range(lists[0] + 1, len(sizes))]
    columns = [counts if i == lists[0] else np.empty(0, np.int64) for i in range(len(sizes))]
    return WalkedTable(name, element, bytes_, order, positions, columns), end


def _heads(data: bytes, at: int, steps: list[int]) -> Iterator[int]:
    """Where the counts of rows are, without end."""
    while True:
        step = steps[data[at]]
        yield at
        at += step


def _walk(name: str, element: Element, data: bytes, start: int, order: str) -> tuple[Table, int]:
    """Rows one after another: only the count of a list tells where the next one begins."""
    positions: list[list[int]] = [[] for _ in element.properties]
    counts: list[list[int]] = [[] for _ in element.properties]
    steps = list(_steps(element, positions, counts, order))
    position = start
    for row in range(element.rows):
        for where, lengths, unpack, head, size in steps:
            if unpack is None:
                where.append(position)
                position += size
                continue
            if position + head > len(data):
                break
            (count,) = unpack(data, position)
            if count < 0:
                what = f"{name}: a list of {element.name} {row} has {count} values, which is no count"
                raise ReadError(what, code="bad-row", hint=_MISCOUNTED)
            position += head
            where.append(position)
            lengths.append(count)
            position += count * size
        if position > len(data) or len(where) <= row:
            found = f"the header promises {element.rows} rows of element {element.name}, but the file ends in row {row}"
            raise ReadError(f"{name}: {found}", code="truncated-file", hint=_TRUNCATED)
    bytes_ = np.frombuffer(data, np.uint8)
    columns = ([np.array(values, np.int64) for values in lists] for lists in (positions, counts))
    return WalkedTable(name, element, bytes_, order, *columns), position


def _steps(element: Element, positions: list[list[int]], counts: list[list[int]], order: str) -> Iterator[Any]:
    for column, where, lengths in zip(element.properties, positions, counts, strict=True):
        size = np.dtype(column.type).itemsize
        head = (
            struct.Struct(order + np.dtype(column.count).char.replace("l", "q").replace("L", "Q"))
            if column.count
            else None
        )
        yield where, lengths, head and head.unpack_from, head.size if head else 0, size
