"""The rows of a binary PLY file as tables, a block at a time: only coordinates are in memory.

Lists of vertices are read from the file each time that they are asked for, so that the faces of a file of triangles are never in memory
(`triangles`). Rows without lists are read by numpy, those with lists by the compiled core (`massprops/native/ply.c`), else one by one.

Tests: `tests/formats/mesh/test_ply.py`.
"""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops import native
from massprops.errors import ReadError
from massprops.findings import Finding
from massprops.formats.mesh.ply_header import MISCOUNTED, RECORD, TRUNCATED, Column, Element, Header, Span, Table
from massprops.mesh.source import CHUNK, InputFile, read_into
from massprops.mesh.triangulation import Polygons
from massprops.moments.arrays import Integers
from massprops.wording import plural

Bytes = NDArray[np.uint8]
#: Bytes read together: they stay in the processor's cache.
_BLOCK = 1 << 17
#: Bytes of a row that is a list of three indices.
_TRIPLE = 13


class Block(NamedTuple):
    """Coordinates and lists of vertices of some rows, as the file has them, with the lengths of the lists."""

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
        scalars, list_ = element.kept_columns
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

    def coordinates(self, columns: list[int]) -> Column:
        """See `Table`."""
        stored: Any = self._scalars.dtype
        kinds = {stored[f"v{i}"] for i in columns}
        kind = kinds.pop() if len(kinds) == 1 else np.dtype(np.float64)
        kind = kind if kind.kind == "f" else np.dtype(np.float64)
        if stored.names == tuple(f"v{i}" for i in columns) and all(stored[name] == kind for name in stored.names):
            block: Column = self._scalars.view(kind)
            return block.reshape(-1, len(columns))
        with np.errstate(invalid="ignore"):  # a signalling NaN is refused like any other
            return np.stack([self._scalars[f"v{i}"] for i in columns], axis=1, dtype=kind)

    def lists(self, column: int) -> Polygons:  # noqa: ARG002  # it has one list
        """See `Table`."""
        values, lengths = bytearray(), bytearray()
        for block in self._blocks():
            values += block.values.data
            lengths += block.lengths.data
        return Polygons.of_sizes(np.frombuffer(values, self._indices), np.frombuffer(lengths, np.int32))

    def place(self, row: int, kind: str) -> str:  # noqa: ARG002  # rows are counted by element
        """See `Table`."""
        return f"{self.file.name}: {self.element.name} {row}"

    def are_triangles(self, points: int) -> bool:
        """Whether each row is nothing but a list of three numbers of vertices, of which there are so many."""
        return 0 <= self._largest < points

    def triangles(self, points: int) -> Iterator[Integers]:
        """Pass over the corners of the triangles, as numbers of so many points; ReadError if the file has changed."""
        for rows in self._triples():
            if not 0 <= _largest(rows) < points:
                raise ReadError(f"{self.file.name}: the file changed while it was read", code="truncated-file")
            yield rows[:, 1:].view(np.uint32)

    def _triples(self) -> Iterator[Bytes]:
        for first in range(0, self.element.rows, CHUNK):
            count = min(CHUNK, self.element.rows - first)
            yield self._read(self._start + first * _TRIPLE, count * _TRIPLE).reshape(count, _TRIPLE)

    def _largest_of_triples(self) -> int:
        """Largest index, where each row is a list of three of them; below 0 where other rows, or rows of other types, are among them."""
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
        """Checks the header's number of rows against the bytes that are there, before anything of its size is made."""
        least, left = self.element.rows * self._least, self.file.size - self._start
        if least > left:
            more = " or more" if any(column.head for column in self._columns) else ""
            rows = f"{self.element.rows} rows of element {self.element.name} ({least} bytes{more})"
            what = f"{self.file.name}: the header promises {rows}, but {left} bytes are left"
            raise ReadError(what, code="truncated-file", hint=TRUNCATED)

    def _read_even(self) -> Bytes:
        """Coordinates of rows without lists, which all have one size."""
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
        """Coordinates of rows with lists."""
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
        core, order = native.core(), int(self._order == ">")
        left, at, size = self.element.rows if self._columns else 0, self._start, _BLOCK
        while left:
            data = self._read(at, min(size, self.file.size - at))
            block = Block(data[:0], data[:0], np.empty(0, np.int32), 0)
            if core:
                scalars, values = np.empty(len(data), np.uint8), np.empty(len(data), np.uint8)
                lengths = np.empty(min(left, len(data) // self._least), np.int32)
                rows, kept, end = core.ply(data, self._for_core, order, scalars, values, lengths)
                block = Block(scalars[: rows * self._width], values[:kept], lengths[:rows], end)
            if not len(block.lengths):
                block = self._rows_strict(data.tobytes(), self.element.rows - left, self.file.size - at)
            if not len(block.lengths):
                size *= 2
                continue
            yield block
            left -= len(block.lengths)
            at += block.size

    def _rows_strict(self, data: bytes, row: int, left: int) -> Block:
        """Whole rows at the beginning of some bytes; the first has the number `row`, and `left` bytes of the file are left.

        Raises
        ------
        ReadError
            If a list has no count, or the first row does not end in the file.
        """
        scalars, values, lengths, size = bytearray(), bytearray(), array("i"), 0
        while row + len(lengths) < self.element.rows:
            kept, items, length, at = b"", b"", 0, size
            for column in self._columns:
                count, head = 1, abs(column.head)
                if head:
                    count = self._count(data[at : at + head], column, row + len(lengths))
                    at += head
                found = data[at : at + count * column.size]
                at += count * column.size
                if column.kept and head:
                    items, length = found, count
                elif column.kept:
                    kept += found
            if at > left:
                rows = f"{self.element.rows} rows of element {self.element.name}"
                what = f"{self.file.name}: the header promises {rows}, but the file ends in row {row + len(lengths)}"
                raise ReadError(what, code="truncated-file", hint=TRUNCATED)
            if at > len(data):
                break
            scalars += kept
            values += items
            lengths.append(length)
            size = at
        return Block(np.frombuffer(scalars, np.uint8), np.frombuffer(values, np.uint8), np.asarray(lengths), size)

    def _count(self, head: bytes, column: Span, row: int) -> int:
        """Number of values of a list; 0 where the bytes of the count are cut off."""
        if len(head) < abs(column.head):
            return 0
        count = int.from_bytes(head, "little" if self._order == "<" else "big", signed=column.head < 0)
        if count < 0 or RECORD <= count <= self.file.size // column.size:
            what = f"{self.file.name}: a list of {self.element.name} {row} has {count} values, which is no count"
            raise ReadError(what, code="bad-row", hint=MISCOUNTED)
        return count


def _largest(rows: Bytes) -> int:
    """The largest number in rows of triples, shape (n, 13); below 0 where others are among them."""
    if core := native.core():
        found: int = core.triples(rows)
        return found
    return int(rows[:, 1:].view(np.uint32).max()) if (rows[:, 0] == 3).all() else -1


def read_binary_rows(file: InputFile, header: Header) -> tuple[dict[str, Table], list[Finding]]:
    """Tables of all elements, and findings.

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
    """Finding about padding behind the last row; other bytes are rows that the header does not declare, and are refused."""
    left = file.size - position
    file.stream.seek(position)
    while part := file.stream.read(_BLOCK):
        if part.strip(b"\0 \t\r\n"):
            what = f"{file.name}: {plural(left, 'byte')} after the last row that the header declares"
            raise ReadError(what, code="surplus-data", hint=MISCOUNTED)
    if left == 0:
        return []
    return [Finding("surplus-data", "info", f"{plural(left, 'byte')} of padding after the last row", value=float(left))]
