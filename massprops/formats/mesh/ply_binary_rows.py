"""The rows of a binary PLY file as tables: of rows of one size, and of rows with lists of many lengths.

The faces of a file of triangles are read a chunk at a time (`Triangles`), so that only the vertices are in memory. All of them are
checked before the first chunk is used. Anything unusual is left to the reader of whole files, which reports what is wrong and where;
where both read a file they give the same triangles.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops.errors import ReadError
from massprops.findings import Finding
from massprops.formats.mesh.ply_header import MISCOUNTED, RECORD, TRUNCATED, Column, Element, Header, Table
from massprops.mesh.source import CHUNK, Array, InputFile, read_into
from massprops.mesh.triangulation import Polygons
from massprops.moments.arrays import Integers
from massprops.wording import plural

#: Rows whose bytes are gathered at a time.
_ROWS = 1 << 14


@dataclass(frozen=True)
class _BinaryTable:
    name: str
    element: Element

    def place(self, row: int) -> str:
        """See `Table`."""
        return f"{self.name}: {self.element.name} {row}"


@dataclass(frozen=True)
class RecordTable(_BinaryTable):
    """Rows of one size: a structured array over the file's bytes, with fields v0, v1 … and n0, n1 … for the counts of lists."""

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
        """See `Table`: where they are of one type and next to each other."""
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
        """A view where the rows hold nothing else; else a copy, each row as one opaque block: twice as fast as from odd addresses."""
        size = kind.itemsize * count
        if size == self.records.itemsize:
            return self.records.view(kind).reshape(-1, count)
        place = {"names": ["block"], "formats": [f"V{size}"], "offsets": [offset], "itemsize": self.records.itemsize}
        block: Column = self.records.view(np.dtype(place))["block"].copy()  # type: ignore[call-overload]
        return block.view(kind).reshape(-1, count)


@dataclass(frozen=True)
class WalkedTable(_BinaryTable):
    """Rows of many sizes: where each property of each row is, in bytes, and how many values its list has."""

    data: NDArray[np.uint8]
    order: str
    positions: list[Column]
    counts: list[Column]

    def scalar(self, column: int) -> Column:
        """See `Table`."""
        return self._gather(self.positions[column], self.element.properties[column].type, 1)[:, 0]

    def side_by_side(self, columns: list[int]) -> None:
        """See `Table`: nowhere side by side."""

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

    def _gather(self, positions: Column, kind: str, count: int) -> Column:
        size = np.dtype(kind).itemsize * count
        raw = self.data[positions[:, None] + np.arange(size)]
        return raw.reshape(-1).view(self.order + kind).reshape(len(positions), count)


def read_binary_rows(name: str, header: Header, data: bytes) -> tuple[dict[str, Table], list[Finding]]:
    """All rows, by element, and what was noticed.

    Raises
    ------
    ReadError
        Codes ``truncated-file``, ``surplus-data``, ``bad-row``. A promise of the header is checked against the bytes that are there before
        anything of its size is made.
    """
    order = "<" if header.encoding == "binary_little_endian" else ">"
    tables: dict[str, Table] = {}
    position = header.size
    for element in header.elements:
        tables[element.name], position = _binary_table(name, element, data, position, order)
    return tables, _surplus(name, data, position)


def _surplus(name: str, data: bytes, position: int) -> list[Finding]:
    """Padding is a finding; other bytes are rows that the header does not declare, and are refused."""
    left = len(data) - position
    if data[position:].strip(b"\0 \t\r\n"):
        what = f"{name}: {plural(left, 'byte')} after the last row that the header declares"
        raise ReadError(what, code="surplus-data", hint=MISCOUNTED)
    if left == 0:
        return []
    return [Finding("surplus-data", "info", f"{plural(left, 'byte')} of padding after the last row", value=float(left))]


def _binary_table(name: str, element: Element, data: bytes, start: int, order: str) -> tuple[Table, int]:
    least = sum(np.dtype(column.count or column.type).itemsize for column in element.properties)
    left = len(data) - start
    if element.rows * least > left:
        more = " or more" if any(column.count for column in element.properties) else ""
        rows = f"{element.rows} rows of element {element.name} ({element.rows * least} bytes{more})"
        what = f"{name}: the header promises {rows}, but {left} bytes are left"
        raise ReadError(what, code="truncated-file", hint=TRUNCATED)
    if not element.rows or not least:
        return RecordTable(name, element, np.empty(0, record_of(element, [0] * len(element.properties), order))), start
    return _records(name, element, data, start, order) or _walk(name, element, data, start, order)


def record_of(element: Element, counts: list[int], order: str) -> np.dtype[Any]:
    """The type of a row whose lists have this many values."""
    fields: list[Any] = []
    for i, column in enumerate(element.properties):
        if column.count:
            fields.append((f"n{i}", order + column.count))
        fields.append((f"v{i}", order + column.type, (counts[i],)) if column.count else (f"v{i}", order + column.type))
    return np.dtype(fields)


def _records(name: str, element: Element, data: bytes, start: int, order: str) -> tuple[Table, int] | None:
    """Rows of one size, where the lists of all rows are as long as those of the first (each count is checked)."""
    counts, size = _first_row(element, data, start, order)
    if size >= RECORD or size * element.rows > len(data) - start:
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
                return counts, RECORD
            count = int(np.frombuffer(data, head, 1, position)[0])
            position += head.itemsize
        counts.append(count)
        position += np.dtype(column.type).itemsize * (count if column.count else 1)
        if count < 0:
            return counts, RECORD
    return counts, position - start


def _walk(name: str, element: Element, data: bytes, start: int, order: str) -> tuple[Table, int]:
    """Rows one after another: where the next one begins follows from the counts of its lists."""
    sizes = [np.dtype(column.type).itemsize for column in element.properties]
    steps, fixed = [], 0
    for column, size in zip(element.properties, sizes, strict=True):
        if column.count:
            kind = np.dtype(column.count).char.replace("l", "q").replace("L", "Q")
            head = struct.Struct(order + kind)
            steps.append((fixed, head.unpack_from, head.size, size))
        fixed = 0 if column.count else fixed + size
    found: list[int] = []
    position = start
    for row in range(element.rows):
        for before, unpack, head_size, size in steps:
            position += before
            if position + head_size > len(data):
                position = len(data) + 1
                break
            (count,) = unpack(data, position)
            if count < 0:
                what = f"{name}: a list of {element.name} {row} has {count} values, which is no count"
                raise ReadError(what, code="bad-row", hint=MISCOUNTED)
            position += head_size + count * size
            found.append(count)
        position += fixed
        if position > len(data):
            what = f"the header promises {element.rows} rows of element {element.name}, but the file ends in row {row}"
            raise ReadError(f"{name}: {what}", code="truncated-file", hint=TRUNCATED)
    lengths = iter(np.array(found, np.int64).reshape(element.rows, -1).T)
    counts = [next(lengths) if column.count else np.ones(1, np.int64) for column in element.properties]
    heads = [np.dtype(column.count).itemsize if column.count else 0 for column in element.properties]
    ends = np.cumsum(
        [
            head + size * count + np.zeros(element.rows, np.int64)
            for head, size, count in zip(heads, sizes, counts, strict=True)
        ],
        axis=0,
    )
    starts = start + np.cumsum(ends[-1]) - ends[-1]
    positions = [starts + end - size * count for end, size, count in zip(ends, sizes, counts, strict=True)]
    return WalkedTable(name, element, np.frombuffer(data, np.uint8), order, positions, counts), position


_CORNERS = 3
#: Integer types that numpy can index with.
_INDICES = ("i1", "u1", "i2", "u2", "i4", "u4", "i8")


@dataclass(frozen=True)
class Layout:
    """Where the rows of the only two elements are: `vertex`, then `face`, each of rows of one size.

    Attributes
    ----------
    vertex, face : Element
    vertices, faces : dtype
        Of a row.
    corners : int
        Which property of a face lists its vertices.
    start : int
        Where the first row is, bytes.
    """

    vertex: Element
    face: Element
    vertices: np.dtype[Any]
    faces: np.dtype[Any]
    corners: int
    start: int

    @property
    def first_face(self) -> int:
        """Where the first face is, bytes."""
        return self.start + self.vertex.rows * self.vertices.itemsize

    @classmethod
    def of(cls, header: Header, size: int) -> Layout | None:
        """The layout of a file of this many bytes; None for any other layout."""
        if header.encoding == "ascii" or [e.name for e in header.elements] != ["vertex", "face"]:
            return None
        vertex, face = header.elements
        lists = [i for i, p in enumerate(face.properties) if p.count]
        if lists != face.find("vertex_indices", "vertex_index") or len(lists) != 1 or not face.rows:
            return None
        if not vertex.rows or not vertex.properties:
            return None
        if any(p.count for p in vertex.properties) or face.properties[lists[0]].type not in _INDICES:
            return None
        order = "<" if header.encoding == "binary_little_endian" else ">"
        vertices = record_of(vertex, [0] * len(vertex.properties), order)
        faces = record_of(face, [_CORNERS if p.count else 0 for p in face.properties], order)
        layout = cls(vertex, face, vertices, faces, lists[0], header.size)
        return layout if size == layout.first_face + face.rows * faces.itemsize else None

    def vertex_table(self, file: InputFile) -> RecordTable:
        """The rows of the vertices."""
        data = np.empty(self.vertex.rows * self.vertices.itemsize, np.uint8)
        file.stream.seek(self.start)
        read_into(file.name, file.stream, data)
        return RecordTable(file.name, self.vertex, data.view(self.vertices))


@dataclass(frozen=True, eq=False)
class Triangles:
    """The faces of a file."""

    file: InputFile
    layout: Layout

    def are_valid(self) -> bool:
        """Whether all faces are triangles of existing vertices."""
        return all(corners is not None for corners in self._corners())

    def chunks(self, vertices: Array) -> Iterator[Array]:
        """A pass over the corners, given vertices of shape (V, 3); ReadError if the file has changed."""
        for corners in self._corners():
            if corners is None:
                what = f"{self.file.name}: the file changed while it was read"
                raise ReadError(what, code="truncated-file")
            yield vertices.take(corners, axis=0)

    def _corners(self) -> Iterator[Integers | None]:
        """Vertex numbers of some thousand faces at a time, shape (n, 3); None where a face is not a triangle of existing vertices."""
        layout, rows = self.layout, self.layout.face.rows
        buffer = np.empty(min(CHUNK, rows), layout.faces)
        for start in range(0, rows, CHUNK):
            records = buffer[: rows - start]
            self.file.stream.seek(layout.first_face + start * layout.faces.itemsize)  # each time: passes may overlap
            read_into(self.file.name, self.file.stream, records.view(np.uint8))
            yield self._checked(records)

    def _checked(self, records: Column) -> Integers | None:
        if (records[f"n{self.layout.corners}"] != _CORNERS).any():
            return None
        table = RecordTable(self.file.name, self.layout.face, records)
        corners = table.lists(self.layout.corners).corners
        corners = corners.astype(corners.dtype.newbyteorder("="), copy=False)
        if corners.min() < 0 or corners.max() >= self.layout.vertex.rows:
            return None
        return corners
