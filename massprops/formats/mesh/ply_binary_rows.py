"""The rows of a binary PLY file as tables, a block at a time: only coordinates are in memory.

Lists of vertices are read from the file each time that they are asked for, so that the faces of a file of triangles are never in memory
(`Triangles`). A block is read by the compiled core (`massprops/native/ply.c`), else by numpy, which gives the same bytes.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops import native
from massprops.errors import ReadError
from massprops.findings import Finding
from massprops.formats.mesh.ply_header import MISCOUNTED, RECORD, TRUNCATED, Column, Element, Header, Table
from massprops.mesh.source import CHUNK, InputFile, read_into
from massprops.mesh.triangulation import Polygons
from massprops.moments.arrays import Integers
from massprops.wording import plural

Bytes = NDArray[np.uint8]
#: Bytes read together: they stay in the processor's cache.
_BLOCK = 1 << 17
#: Rows that are worth taking together.
_FEW = 32
#: Bytes that no file has.
_FAR = 1 << 44
#: Bytes of a row that is a list of three indices.
_TRIPLE = 13


class Block(NamedTuple):
    """What is kept of some rows, as the file has it: coordinates, and the lists of vertices, with their lengths."""

    scalars: Bytes
    values: Bytes
    lengths: Integers
    size: int


class BinaryTable:
    """Coordinates of an element's rows, and where its lists of vertices are.

    Attributes
    ----------
    end : int
        Where the last row ends, bytes.

    Raises
    ------
    ReadError
        Codes ``truncated-file``, ``bad-row``.
    """

    def __init__(self, file: InputFile, element: Element, order: str, start: int) -> None:
        self.file = file
        self.element = element
        self.end = start
        self._order = order
        self._start = start
        scalars, list_ = element.kept
        self._columns = element.spans()
        self._for_core = np.array(self._columns, np.int32).tobytes()
        self._width = sum(column.size for column in self._columns if column.kept and not column.head)
        self._least = sum(abs(column.head) or column.size for column in self._columns)
        self._indices = np.dtype(order + (element.properties[list_].type if list_ >= 0 else "f4"))
        self._check_size()
        self._largest = self._largest_of_triples()
        if self._largest >= 0:
            found: Bytes | bytearray = bytearray()
            self.end += element.rows * _TRIPLE
        else:
            found = self._read_lists() if any(column.head for column in self._columns) else self._read_even()
        kinds = np.dtype([(f"v{i}", order + element.properties[i].type) for i in scalars])
        self._scalars = np.frombuffer(found, kinds) if len(found) else np.empty(0, kinds)

    def scalar(self, column: int) -> Column:
        """See `Table`."""
        found: Column = self._scalars[f"v{column}"]
        return found

    def side_by_side(self, columns: list[int]) -> Column | None:
        """See `Table`: where they are of one type, and in the order of the file."""
        kinds: Any = self._scalars.dtype
        if kinds.names != tuple(f"v{i}" for i in columns) or any(kinds[i] != kinds[0] for i in range(len(columns))):
            return None
        block: Column = self._scalars.view(kinds[0])
        return block.reshape(-1, len(columns))

    def lists(self, column: int) -> Polygons:  # noqa: ARG002  # it has one list
        """See `Table`."""
        values, lengths = bytearray(), bytearray()
        for block in self._blocks():
            values += block.values.data
            lengths += block.lengths.data
        return Polygons.of_sizes(np.frombuffer(values, self._indices), np.frombuffer(lengths, np.int32))

    def place(self, row: int) -> str:
        """See `Table`."""
        return f"{self.file.name}: {self.element.name} {row}"

    def are_triangles(self, points: int) -> bool:
        """Whether each row is nothing but a list of three numbers of vertices, of which there are so many."""
        return 0 <= self._largest < points

    def triangles(self, points: int) -> Iterator[Integers]:
        """A pass over the numbers of their corners among so many points; ReadError if the file has changed."""
        for rows in self._triples():
            if not 0 <= _largest(rows) < points:
                raise ReadError(f"{self.file.name}: the file changed while it was read", code="truncated-file")
            yield rows[:, 1:].view(np.uint32)

    def _triples(self) -> Iterator[Bytes]:
        for first in range(0, self.element.rows, CHUNK):
            count = min(CHUNK, self.element.rows - first)
            yield self._read(self._start + first * _TRIPLE, count * _TRIPLE).reshape(count, _TRIPLE)

    def _largest_of_triples(self) -> int:
        """Below 0 where other rows, or rows of other types, are among them."""
        alone = [(abs(column.head), column.size, column.kept) for column in self._columns] == [(1, 4, 1)]
        fits = self.element.rows * _TRIPLE <= self.file.size - self._start
        if not (alone and fits and self._indices.kind in "iu" and self._indices.isnative and self.element.rows):
            return -1
        largest = -1
        for rows in self._triples():
            found = _largest(rows)
            if found < 0:
                return -1
            largest = max(largest, found)
        return largest

    def _check_size(self) -> None:
        """A promise of the header is checked against the bytes that are there before anything of its size is made."""
        least, left = self.element.rows * self._least, self.file.size - self._start
        if least > left:
            more = " or more" if any(column.head for column in self._columns) else ""
            rows = f"{self.element.rows} rows of element {self.element.name} ({least} bytes{more})"
            what = f"{self.file.name}: the header promises {rows}, but {left} bytes are left"
            raise ReadError(what, code="truncated-file", hint=TRUNCATED)

    def _read_even(self) -> Bytes:
        """What is kept of rows without lists, which all have one size."""
        rows, step = self.element.rows, self._least
        kept = [column.size * column.kept for column in self._columns]
        found, width = np.empty(rows * sum(kept), np.uint8), sum(kept)
        self.end += rows * step
        if width == step:
            self.file.stream.seek(self._start)
            read_into(self.file.name, self.file.stream, found)
        for first in range(0, rows if 0 < width < step else 0, CHUNK):
            count = min(CHUNK, rows - first)
            data, to = self._read(self._start + first * step, count * step), first * width
            for size, at in zip(kept, itertools.accumulate((c.size for c in self._columns), initial=0), strict=False):
                if size:
                    rest = np.ndarray(count, f"V{size}", data, at, (step,))
                    np.ndarray(count, f"V{size}", found, to, (width,))[:] = rest
                    to += size
        return found

    def _read_lists(self) -> bytearray:
        """What is kept of rows with lists, but for these."""
        found = bytearray()
        for block in self._blocks():
            found += block.scalars.data
            self.end += block.size
        return found

    def _read(self, start: int, size: int) -> Bytes:
        data = np.empty(size, np.uint8)
        self.file.stream.seek(start)  # each time: passes may overlap
        read_into(self.file.name, self.file.stream, data)
        return data

    def _blocks(self) -> Iterator[Block]:
        left, at, size = self.element.rows if self._columns else 0, self._start, _BLOCK
        while left:
            data = self._read(at, min(size, self.file.size - at))
            block = self._rows(data, left)
            if len(block.lengths):
                yield block
                left -= len(block.lengths)
                at += block.size
            else:
                self._check_row(data, self.element.rows - left, self.file.size - at)
                size *= 2

    def _check_row(self, data: Bytes, row: int, left: int) -> None:
        """Refuses a row that no larger block makes whole."""
        counts, _, (end,) = self._walk(data, np.zeros(1, np.int64))
        if end < 0:
            bad = next(int(count[0]) for count in counts if not 0 <= count[0] < RECORD)
            what = f"{self.file.name}: a list of {self.element.name} {row} has {bad} values, which is no count"
            raise ReadError(what, code="bad-row", hint=MISCOUNTED)
        if end > left:
            rows = f"{self.element.rows} rows of element {self.element.name}"
            what = f"{self.file.name}: the header promises {rows}, but the file ends in row {row}"
            raise ReadError(what, code="truncated-file", hint=TRUNCATED)

    def _rows(self, data: Bytes, most: int) -> Block:
        """The whole rows at the beginning of some bytes, up to a number."""
        core = native.core()
        if core is None:
            return self._plain(data, most)
        scalars, values = np.empty(len(data), np.uint8), np.empty(len(data), np.uint8)
        lengths = np.empty(min(most, len(data) // self._least), np.int32)
        rows, size, end = core.ply(data, self._for_core, int(self._order == ">"), scalars, values, lengths)
        return Block(scalars[: rows * self._width], values[:size], lengths[:rows], end)

    def _plain(self, data: Bytes, most: int) -> Block:
        """The same without the core."""
        rows = self._row_starts(data, most)
        counts, starts, ends = self._walk(data, rows)
        scalars, values, lengths = [np.empty((len(rows), 0), np.uint8)], data[:0], np.zeros(len(rows), np.int32)
        for column, count, start in zip(self._columns, counts, starts, strict=True):
            if not column.kept:
                continue
            found = _gathered(data, start, count * column.size)
            if column.head:
                values, lengths = found, count.astype(np.int32)
            else:
                scalars.append(found.reshape(-1, column.size))
        return Block(np.hstack(scalars).reshape(-1), values, lengths, int(ends.max(initial=0)))

    def _row_starts(self, data: Bytes, most: int) -> Integers:
        """Where whole rows begin: at equal distances, or where these are few, each where the one before it ends."""
        (step,) = self._walk(data, np.zeros(1, np.int64))[2]
        if not 0 < step <= len(data):
            return np.empty(0, np.int64)
        even = np.arange(0, len(data) // step * step, step)[:most]
        many = int(np.argmin(np.append(self._walk(data, even)[2] == even + step, False)))
        if many >= min(_FEW, len(even)):
            return even[:many]
        ends = self._walk(data, np.arange(len(data)))[2].tolist()
        rows, at = [0], step
        while len(rows) < most and at < len(data) and at < ends[at] <= len(data):
            rows.append(at)
            at = ends[at]
        return np.array(rows)

    def _walk(self, data: Bytes, at: Integers) -> tuple[list[Integers], list[Integers], Integers]:
        """Of rows that begin at some bytes: how many values each property has, where they begin, and where the row ends.

        An end below 0 is that of a row with a list that has no count; one beyond the data, of a row that is not whole.
        """
        counts, starts, bad = [], [], np.zeros(len(at), bool)
        for column in self._columns:
            count = np.ones_like(at)
            if column.head:
                kind = np.dtype(f"{self._order}{'i' if column.head < 0 else 'u'}{abs(column.head)}")
                places = at[:, np.newaxis] + np.arange(kind.itemsize)
                found = (data if len(data) else np.zeros(1, np.uint8)).take(places, mode="clip").view(kind)[:, 0]
                at = at + kind.itemsize
                count = np.where(at <= len(data), found.astype(np.int64).clip(-_FAR, _FAR), 0)
                bad |= (count < 0) | ((count >= RECORD) & (count <= self.file.size // column.size))
            counts.append(count)
            starts.append(at)
            at = at + count * column.size
        return counts, starts, np.where(bad, -1, at)


def _largest(rows: Bytes) -> int:
    """The largest number in rows of triples, shape (n, 13); below 0 where others are among them."""
    if core := native.core():
        found: int = core.triples(rows)
        return found
    return int(rows[:, 1:].view(np.uint32).max()) if (rows[:, 0] == 3).all() else -1


def _gathered(data: Bytes, starts: Integers, sizes: Integers) -> Bytes:
    """Some bytes from each of some places on."""
    steps = np.diff(starts)
    if (
        len(steps) and sizes[0] and (steps == steps[0]).all() and (sizes == sizes[0]).all()
    ):  # one view: ten times as fast
        return np.ndarray(len(starts), f"V{sizes[0]}", data, starts[0], (steps[0],)).copy().view(np.uint8)
    before = np.cumsum(sizes) - sizes
    return data.take(np.repeat(starts - before, sizes) + np.arange(sizes.sum()))


def read_binary_rows(file: InputFile, header: Header) -> tuple[dict[str, Table], list[Finding]]:
    """All elements, and what was noticed.

    Raises
    ------
    ReadError
        Codes ``truncated-file``, ``surplus-data``, ``bad-row``.
    """
    order = "<" if header.encoding == "binary_little_endian" else ">"
    tables: dict[str, Table] = {}
    position = header.size
    for element in header.elements:
        tables[element.name] = table = BinaryTable(file, element, order, position)
        position = table.end
    return tables, _surplus(file, position)


def _surplus(file: InputFile, position: int) -> list[Finding]:
    """Padding is a finding; other bytes are rows that the header does not declare, and are refused."""
    left = file.size - position
    file.stream.seek(position)
    while part := file.stream.read(_BLOCK):
        if part.strip(b"\0 \t\r\n"):
            what = f"{file.name}: {plural(left, 'byte')} after the last row that the header declares"
            raise ReadError(what, code="surplus-data", hint=MISCOUNTED)
    if left == 0:
        return []
    return [Finding("surplus-data", "info", f"{plural(left, 'byte')} of padding after the last row", value=float(left))]
