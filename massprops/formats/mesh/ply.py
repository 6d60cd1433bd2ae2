"""PLY: vertices and faces (or triangle strips) of the tables that a file holds, ASCII and binary.

Binary coordinates keep their type where all three have it (`float` is float32, `double` float64) and are doubles otherwise;
those of ASCII files are the doubles that the text says, whatever type the header declares: the text is what the file has.
Everything else in the file (normals, colours, other elements) is stepped over.
"""

from __future__ import annotations

import io
from dataclasses import replace
from functools import partial

import numpy as np

from massprops.errors import ReadError
from massprops.findings import Finding
from massprops.formats.mesh.faces import no_facets
from massprops.formats.mesh.ply_binary_rows import BinaryTable, read_binary_rows
from massprops.formats.mesh.ply_header import LISTS, Element, Header, Table, read_header
from massprops.formats.mesh.ply_text_rows import read_text_rows
from massprops.formats.text import as_utf8
from massprops.formats.text_lines import TextLines
from massprops.mesh.source import Array, IndexedChunks, InputFile, MeshFile, indexed_chunks
from massprops.mesh.triangulation import Indices, Polygons, rounding, triangulate

_AGAIN = "export the mesh again"
#: Bytes in which a header ends, if its comments are not very long.
_HEADER = 1 << 16


def read(file: InputFile) -> MeshFile:
    """Facets of a PLY file: faces cut into triangles, then triangle strips.

    Of a binary file whose faces are triangles and nothing else only the vertices are in memory; every other one is read whole.

    Raises
    ------
    ReadError
        With the file, the line or the row, the rule and the remedy.
    """
    file, header = _open(file)
    if header.encoding == "ascii":
        file.stream.seek(header.size)
        tables, findings = read_text_rows(TextLines(file.name, file.stream, line=header.lines), header)
    else:
        tables, findings = read_binary_rows(file, header)
    vertices = _vertices(file.name, header, tables)
    if streamed := _stream(file.name, header, tables, vertices):
        return replace(streamed, findings=tuple(findings))
    triangles, more = _facets(file.name, header, tables, vertices)
    found, chunks = (*findings, *more), indexed_chunks(vertices, triangles)
    return MeshFile(file.name, len(triangles), chunks, format="ply", encoding=header.encoding, findings=found)


def _open(file: InputFile) -> tuple[InputFile, Header]:
    """The file as it is or, where an editor has saved it as another text, in UTF-8; and its header."""
    file.stream.seek(0)
    head = file.stream.read(_HEADER)
    if not head.startswith(b"ply"):
        content = as_utf8(head + file.stream.read())
        file = InputFile(file.name, io.BytesIO(content), len(content))
        head = file.stream.read(_HEADER)
    try:
        header = read_header(file.name, head)
        if header.size < _HEADER:  # else the last line end may be cut in two
            return file, header
    except ReadError:
        if len(head) < _HEADER:
            raise
    return file, read_header(file.name, head + file.stream.read())


def _stream(name: str, header: Header, tables: dict[str, Table], vertices: Array) -> MeshFile | None:
    """The facets of a binary file of triangles alone; None for every other file, damaged ones included."""
    strips, faces = header.find("tristrips"), tables.get("face")
    if (strips and strips.rows) or not isinstance(faces, BinaryTable) or not faces.are_triangles(len(vertices)):
        return None
    chunks = IndexedChunks(vertices, partial(faces.triangles, len(vertices)))
    return MeshFile(name, faces.element.rows, chunks, format="ply", encoding=header.encoding)


# Vertices


def _vertices(name: str, header: Header, tables: dict[str, Table]) -> Array:
    """Coordinates, shape (V, 3), all finite."""
    element = header.find("vertex")
    if element is None:
        known = ", ".join(e.name for e in header.elements) or "none"
        raise ReadError(f"{name}: no element 'vertex' (elements: {known})", code="no-vertices", hint=_AGAIN)
    table = tables["vertex"]
    vertices = table.coordinates([_coordinate(name, element, axis) for axis in "xyz"])
    vertices = vertices.astype(vertices.dtype.newbyteorder("="), copy=False)
    _check_finite(table, vertices)
    return vertices


def _coordinate(name: str, element: Element, axis: str) -> int:
    found = element.find(axis)
    if not found:
        what = f"element vertex has no property '{axis}' (properties: {element.columns})"
        raise ReadError(f"{name}: {what}", code="no-vertices", hint=_AGAIN)
    if element.properties[found[0]].count:
        raise ReadError(f"{name}: property '{axis}' of element vertex is a list", code="no-vertices", hint=_AGAIN)
    return found[0]


def _check_finite(table: Table, vertices: Array) -> None:
    good = np.isfinite(vertices)
    if good.all():
        return
    row, axis = (int(i) for i in np.argwhere(~good)[0])
    value = float(vertices[row, axis])
    what = f"{table.place(row, 'vertex')} has the {'xyz'[axis]} coordinate {value}"
    raise ReadError(what, code="bad-number", hint="export the file again; a coordinate must be finite")


# Facets


def _facets(name: str, header: Header, tables: dict[str, Table], vertices: Array) -> tuple[Indices, list[Finding]]:
    faces, strips = (e if (e := header.find(kind)) and e.rows else None for kind in ("face", "tristrips"))
    if faces is None and strips is None:
        raise _nothing_to_measure(name, header, len(vertices))
    triangles: Indices = np.empty((0, 3), np.int64)
    findings: list[Finding] = []
    if faces is not None:
        polygons, kept, thin = _polygons(name, faces, tables["face"], len(vertices)).without_thin()
        resolution = rounding(vertices, text=header.encoding == "ascii")

        def place(face: int) -> str:
            return tables["face"].place(int(kept[face]), "face")

        if len(kept):
            triangles, findings = triangulate(vertices, polygons, resolution, place)
        findings = [*thin, *findings]
    if strips is not None:
        unrolled = _strips(name, strips, tables["tristrips"], len(vertices))
        triangles = np.concatenate([triangles, unrolled]) if len(triangles) else unrolled
    if not len(triangles):
        raise _nothing_to_measure(name, header, len(vertices))
    return triangles, findings


def _nothing_to_measure(name: str, header: Header, points: int) -> ReadError:
    what, faces = "there is no element 'face'", header.find("face")
    if faces is not None:
        what = "none of its faces has 3 vertices" if faces.rows else "element 'face' has no rows"
    return no_facets(name, points, what)


def _index_lists(name: str, element: Element, table: Table) -> Polygons:
    """The lists of vertex numbers, as whole numbers."""
    found = element.find(*LISTS)
    lists = [i for i in found if element.properties[i].count]
    if len(found) != 1 or not lists:
        rule = f"element {element.name} needs one list 'vertex_indices' or 'vertex_index'"
        raise ReadError(f"{name}: {rule} (properties: {element.columns})", code="no-facets", hint=_AGAIN)
    column = element.properties[found[0]]
    if column.type.startswith("f"):
        what = f"the list {column.name} has real numbers where it needs whole ones"
        raise ReadError(f"{name}: {what}", code="bad-index", hint=_AGAIN)
    return table.lists(found[0])


def _polygons(name: str, element: Element, table: Table, points: int) -> Polygons:
    polygons = _index_lists(name, element, table)
    _check_indices(table, polygons, points, 0)
    kind = polygons.corners.dtype.newbyteorder("=")  # one that numpy can index with
    kind = np.dtype(np.int64) if kind == np.uint64 else kind
    return Polygons(polygons.corners.astype(kind, copy=False), polygons.counts)


def _check_indices(table: Table, polygons: Polygons, points: int, least: int) -> None:
    """Refuses an index below `least` or beyond the last vertex; −1 ends a strip."""
    corners = polygons.corners
    if corners.min(initial=0) >= least and corners.max(initial=0) < points:
        return
    first = np.argwhere((corners < least) | (corners >= points))[0]
    row = int(first[0])
    if polygons.counts is not None:
        row = int(np.searchsorted(np.cumsum(polygons.counts), row, side="right"))
    refers = f"{table.place(row, 'strip' if least else 'face')} refers to vertex {corners[tuple(first)]}"
    what = f"{refers}, but the file has {points} vertices, numbered from 0"
    raise ReadError(what, code="bad-index", hint=_AGAIN)


def _strips(name: str, element: Element, table: Table, points: int) -> Indices:
    """Triangles of strips: each vertex makes one with the two before it, every second one reversed.

    −1 begins a new strip. Triangles that name a vertex twice are how a strip is led round a corner, not facets.
    """
    strips = _index_lists(name, element, table)
    _check_indices(table, strips, points, -1)
    ends = np.cumsum(strips.sizes)
    flat = np.insert(strips.corners.reshape(-1).astype(np.int64), ends, -1)
    place = np.arange(len(flat))
    since = place - np.maximum.accumulate(np.where(flat < 0, place, -1))
    last = np.flatnonzero(since >= 3)
    a, b, c = flat[last - 2], flat[last - 1], flat[last]
    odd = since[last] % 2 == 0
    triangles = np.stack([np.where(odd, b, a), np.where(odd, a, b), c], axis=1)
    facets: Indices = triangles[(a != b) & (b != c) & (c != a)]
    return facets
