"""The faces of a binary PLY file of triangles, a chunk at a time: only the vertices are in memory.

Everything is looked at once before the first chunk is handed on. Anything unusual is left to the reader of whole files, which says what
is wrong and where; where both read a file they give the same triangles.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from massprops.errors import ReadError
from massprops.formats.mesh.ply_binary_rows import RecordTable, record_of
from massprops.formats.mesh.ply_header import Element, Header
from massprops.formats.mesh.ply_table import Column
from massprops.mesh.source import CHUNK, Array, InputFile, read_into
from massprops.moments.arrays import Integers

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
