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
from itertools import chain
from typing import TypeVar

import numpy as np

from massprops.errors import ReadError
from massprops.formats.fast_floats import Words, finite_floats, integers
from massprops.formats.mesh.faces import no_facets, text_source
from massprops.formats.text import as_utf8, parse_number, quoted, with_line_feeds
from massprops.mesh.source import InputFile, MeshSource
from massprops.mesh.triangulation import Polygons
from massprops.moments.arrays import Array
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
        listed = [_face(lines, row, len(vertices)) for row in range(middle, end)]
        corners = np.array(list(chain.from_iterable(listed)), np.int64)
        polygons = Polygons.of_sizes(corners, np.array(list(map(len, listed))))
    polygons, kept, thin = polygons.without_thin()
    if not len(kept):
        raise ReadError(f"{file.name}: none of its faces has 3 vertices", code="no-facets", hint=_AGAIN)

    def place(face: int) -> str:
        return f"{lines.place(middle + int(kept[face]))}: face"

    return text_source(file, "off", vertices, polygons, place, thin)


def _split(name: str, data: bytes) -> _Lines:
    text = with_line_feeds(as_utf8(data))
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
    promise = f"the header promises {vertices} vertices and {faces} faces, one on each line, but {there} lines follow"
    if there < vertices + faces:
        raise lines.error(first - 1, promise, code="truncated-file", hint=_TRUNCATED)
    if there > vertices + faces:
        hint = "the header and the lines do not agree; export the mesh again"
        raise lines.error(first - 1, promise, code="surplus-data", hint=hint)
    if not faces:
        raise no_facets(lines.name, vertices)
    return _Layout(keyword, first, _widths(keyword), vertices, faces)


def _header(lines: _Lines) -> tuple[str, list[str], int]:
    """The keyword, the words of the counts, and the line after them."""
    words = lines.words(0) if lines.texts else []
    found = _KEYWORD.match(words[0]) if words else None
    if found is None:
        begins = f"{lines.place(0)}: an OFF file begins with 'OFF', got {quoted(words[0])}" if words else ""
        what = begins or f"{lines.name}: the file has nothing but comments"
        raise ReadError(what, code="bad-header", hint="is it another format?")
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
    words = Words(b"\n".join(texts) + b"\n")
    width = len(words) // max(len(texts), 1)
    if width not in widths or (words.per_line()[:-1] != width).any():
        return None
    return np.ascontiguousarray(finite_floats(words).reshape(-1, width)[:, :3])


def _polygons(texts: list[bytes], points: int) -> Polygons | None:
    words = Words(b"\n".join(texts) + b"\n")
    lengths = words.per_line()[:-1]
    first = np.cumsum(lengths) - lengths
    counts, left = integers(words.select(first))
    if len(left) or counts.min() < 3 or not np.isin(lengths - 1 - counts, _COLOURS).all():
        return None
    place = np.arange(len(words)) - np.repeat(first, lengths)
    is_colour = place > np.repeat(counts, lengths)
    corners, left = integers(words.select((place > 0) & ~is_colour))
    finite_floats(words.select(is_colour))
    if len(left) or corners.min() < 0 or corners.max() >= points:
        return None
    return Polygons.of_sizes(corners, counts)


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
