"""OFF: vertices, then faces with any number of corners, one on each line, in double precision.

Source: the Geomview manual, "OFF Files": `[ST][C][N][4][n]OFF`, the counts of vertices, faces and edges, comments from `#` to
the end of a line. Normals, colours and texture coordinates of vertices, and the colours of faces, must be numbers and are
left out. That the counts may stand on the line of the keyword is everybody's habit, and that they may touch it (`OFF8 6 12`) that
of some collections of models.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NoReturn, TypeVar

import numpy as np

from massprops.errors import ReadError
from massprops.formats.text import as_utf8, parse_number, quoted
from massprops.mesh.source import InputFile, MeshSource, indexed_chunks
from massprops.mesh.triangulation import Polygons, rounding, triangulate
from massprops.moments.arrays import Array, Integers
from massprops.wording import plural

T = TypeVar("T")

_AGAIN = "export the mesh again"
_TRUNCATED = "the file looks truncated; export or copy it again"
_KEYWORD = re.compile(r"(ST|st)?([Cc])?(N)?(4)?(n)?(?:OFF|off)(?=\d|$)")
# Eighteen digits fit into 64 bits.
_WHOLE = re.compile(r"\d{1,18}", re.ASCII)
_COMMENT = re.compile(rb"#[^\n]*")
#: Numbers after the corners of a face: none, the place in a table of colours, or red, green, blue and perhaps alpha.
_COLOURS = (0, 1, 3, 4)


@dataclass(frozen=True)
class _Lines:
    """The lines of a file that hold anything: their words and their numbers, counted from 1."""

    name: str
    texts: list[bytes]
    numbers: list[int]

    def error(self, row: int, what: str, *, code: str, hint: str = _AGAIN) -> ReadError:
        return ReadError(f"{self.place(row)}: {what}", code=code, hint=hint)

    def place(self, row: int) -> str:
        return f"{self.name}:{self.numbers[row]}"

    def words(self, row: int) -> list[str]:
        return self.texts[row].decode("utf-8", errors="replace").split()


@dataclass(frozen=True)
class _Layout:
    """The layout of the file: the first line of the vertices, and how many numbers a vertex may have."""

    keyword: str
    first: int
    widths: tuple[int, ...]
    vertices: int
    faces: int


def read(file: InputFile) -> MeshSource:
    """Facets of an ASCII OFF file, float64, read whole; faces are cut into triangles.

    Raises
    ------
    ReadError
        With the file, the line, the rule and the remedy.
    """
    lines = _split(file.name, file.stream.read())
    layout = _layout(lines)
    begin, middle = layout.first, layout.first + layout.vertices
    end = middle + layout.faces
    vertices = _fast(partial(_vertices, lines.texts[begin:middle], layout.widths))
    if vertices is None:
        vertices = np.array([_vertex(lines, row, layout) for row in range(begin, middle)])
    polygons = _fast(partial(_polygons, lines.texts[middle:end], len(vertices)))
    if polygons is None:
        polygons = _listed([_face(lines, row, len(vertices)) for row in range(middle, end)])
    polygons, kept, thin = polygons.without_thin()
    if not len(kept):
        raise ReadError(f"{file.name}: none of its faces has 3 vertices", code="no-facets", hint=_AGAIN)
    triangles, findings = triangulate(
        vertices, polygons, rounding(vertices, text=True), lambda face: f"{lines.place(middle + int(kept[face]))}: face"
    )
    chunks = partial(indexed_chunks, vertices, triangles)
    return MeshSource(file.name, "off", "ascii", len(triangles), chunks, findings=[*thin, *findings])


def _split(name: str, data: bytes) -> _Lines:
    text = as_utf8(data).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    lines = (_COMMENT.sub(b"", text) if b"#" in text else text).split(b"\n")
    filled = [number for number, line in enumerate(lines) if line and not line.isspace()]
    return _Lines(name, [lines[number] for number in filled], [number + 1 for number in filled])


# The header


def _layout(lines: _Lines) -> _Layout:
    """What the header says. The lines that it promises must be there, so that no memory is reserved for a false count."""
    keyword, counts, first = _header(lines)
    if len(counts) not in (2, 3) or not all(_WHOLE.fullmatch(word) for word in counts):
        what = f"the counts of vertices, faces and edges are three whole numbers, got {quoted(' '.join(counts))}"
        raise lines.error(first - 1, what, code="bad-header")
    vertices, faces = int(counts[0]), int(counts[1])
    there = len(lines.texts) - first
    if vertices + faces != there:
        _refuse_counts(lines, first, vertices, faces)
    if not faces:
        what = f"a point cloud of {vertices} points: no faces" if vertices else "no vertices and no faces"
        hint = (
            "export the surface as a mesh; points have no volume"
            if vertices
            else f"{_AGAIN}; there is nothing to measure"
        )
        raise ReadError(f"{lines.name}: {what}", code="no-facets", hint=hint)
    return _Layout(keyword, first, _widths(keyword), vertices, faces)


def _header(lines: _Lines) -> tuple[str, list[str], int]:
    """The keyword, the words of the counts, and the line after them."""
    words = lines.words(0) if lines.texts else []
    found = _KEYWORD.match(words[0]) if words else None
    if found is None:
        what = (
            f"an OFF file begins with 'OFF', got {quoted(words[0])}" if words else "the file has nothing but comments"
        )
        raise ReadError(
            f"{lines.place(0) if words else lines.name}: {what}", code="bad-header", hint="is it another format?"
        )
    if words[1:2] == ["BINARY"]:
        what = "the file is a binary OFF file, which massprops does not read"
        raise lines.error(0, what, code="binary-data", hint="export it as ASCII OFF, or as STL, OBJ or PLY")
    if found[4] or found[5]:
        what = f"the keyword {found[0]!r} announces points that are not x y z"
        raise lines.error(0, what, code="bad-header", hint="export the mesh in three dimensions, as OFF")
    rest = [word for word in (words[0][found.end() :], *words[1:]) if word]
    if rest or len(lines.texts) == 1:
        return found[0], rest, 1
    return found[0], lines.words(1), 2


def _refuse_counts(lines: _Lines, first: int, vertices: int, faces: int) -> NoReturn:
    there = len(lines.texts) - first
    promise = f"the header promises {vertices} vertices and {faces} faces, one on each line, but {there} lines follow"
    if there < vertices + faces:
        raise lines.error(first - 1, promise, code="truncated-file", hint=_TRUNCATED)
    hint = "the header and the lines do not agree; export the mesh again"
    raise lines.error(first - 1, promise, code="surplus-data", hint=hint)


def _widths(keyword: str) -> tuple[int, ...]:
    """How many numbers a vertex may have: x y z, a normal, a colour with or without alpha, a place in the texture."""
    upper = keyword.upper()
    least = 3 + 3 * ("N" in upper) + 2 * upper.startswith("ST")
    return (least + 3, least + 4) if "C" in upper else (least,)


# Regular lines, all at once: None where anything is unusual; the strict functions below then read line by line.


def _fast(function: Callable[[], T | None]) -> T | None:
    try:
        return function()
    except (ValueError, OverflowError):
        return None


def _vertices(texts: list[bytes], widths: tuple[int, ...]) -> Array | None:
    words = b"\n".join(texts).split()
    width = len(texts[0].split()) if texts else 0
    # One longer and one shorter line would shift all numbers between them.
    if width not in widths or any(len(text.split()) != width for text in texts) or any(b"_" in t for t in texts):
        return None
    numbers = np.fromiter(map(float, words), np.float64, len(words)).reshape(-1, width)
    return np.ascontiguousarray(numbers[:, :3]) if np.isfinite(numbers).all() else None


def _polygons(texts: list[bytes], points: int) -> Polygons | None:
    if any(b"_" in text for text in texts):  # int() and float() would read 1_0 as ten
        return None
    rows = list(map(bytes.split, texts))
    counts = np.fromiter((int(row[0]) for row in rows), np.int64, len(rows))
    extra = np.fromiter(map(len, rows), np.int64, len(rows)) - 1 - counts
    if counts.min() < 3 or not np.isin(extra, _COLOURS).all():
        return None
    words = [word for row, count in zip(rows, counts.tolist(), strict=True) for word in row[1 : 1 + count]]
    corners = np.fromiter(map(int, words), np.int64, len(words))
    colours = [float(word) for row, count in zip(rows, counts.tolist(), strict=True) for word in row[1 + count :]]
    if corners.min() < 0 or corners.max() >= points or not np.isfinite(colours).all():
        return None
    return _polygons_of(corners, counts)


def _polygons_of(corners: Integers, counts: Integers) -> Polygons:
    same = counts[0] and (counts == counts[0]).all()
    return Polygons(corners.reshape(len(counts), -1)) if same else Polygons(corners, counts)


# Line by line, with the number of the bad line.


def _vertex(lines: _Lines, row: int, layout: _Layout) -> list[float]:
    words = lines.words(row)
    numbers = [parse_number(word, lines.place(row), "vertex coordinate") for word in words[:3]]
    for word in words[3:]:
        parse_number(word, lines.place(row), "a value of the vertex,")
    if len(words) not in layout.widths:
        expected = " or ".join(map(str, layout.widths))
        what = f"vertex has {plural(len(words), 'number')}, but the keyword {layout.keyword!r} means {expected}"
        hint = "NOFF announces normals, COFF colours and STOFF texture coordinates"
        raise lines.error(row, what, code="bad-vertex", hint=hint)
    return numbers


def _face(lines: _Lines, row: int, points: int) -> list[int]:
    words = lines.words(row)
    if not _WHOLE.fullmatch(words[0]):
        what = f"a face begins with the number of its vertices, got {quoted(words[0])}"
        raise lines.error(row, what, code="bad-face")
    count = int(words[0])
    if count > len(words) - 1:
        raise lines.error(row, f"face promises {count} vertices, but the line has {len(words) - 1}", code="bad-face")
    corners = [_corner(lines, row, word, points) for word in words[1 : 1 + count]]
    colours = words[1 + count :]
    for word in colours:
        parse_number(word, lines.place(row), "a colour of the face,")
    if len(colours) not in _COLOURS:
        what = f"{plural(len(colours), 'number')} follow the {count} vertices of the face, and a colour has 1, 3 or 4"
        raise lines.error(row, what, code="bad-face", hint="is the number of vertices wrong? export the mesh again")
    return corners


def _corner(lines: _Lines, row: int, word: str, points: int) -> int:
    if not re.fullmatch(r"[+-]?\d{1,18}", word, re.ASCII):
        raise lines.error(row, f"face corner {quoted(word)} is no vertex number", code="bad-index")
    if not 0 <= int(word) < points:
        what = f"face refers to vertex {int(word)}, but the file has {points} vertices, numbered from 0"
        raise lines.error(row, what, code="bad-index")
    return int(word)


def _listed(faces: list[list[int]]) -> Polygons:
    corners = np.array([corner for face in faces for corner in face], np.int64)
    return _polygons_of(corners, np.array([len(face) for face in faces], np.int64))
