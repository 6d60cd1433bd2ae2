"""OFF: vertices, then faces with any number of corners, one on each line, in double precision.

Source: the Geomview manual, "OFF Files": `[ST][C][N][4][n]OFF`, the counts of vertices, faces and edges, comments from `#` to
the end of a line. Normals, colours and texture coordinates of vertices, and the colours of faces, must be numbers and are
left out. That the counts may stand on the line of the keyword is everybody's habit, and that they may touch it (`OFF8 6 12`) that
of some collections of models.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from massprops.errors import ReadError
from massprops.formats.mesh.faces import no_facets, text_source
from massprops.formats.text import parse_number, quoted
from massprops.formats.text_blocks import Parts, rows, text_blocks
from massprops.mesh.source import InputFile, MeshSource
from massprops.mesh.triangulation import Polygons
from massprops.moments.arrays import Array
from massprops.wording import plural

_AGAIN = "export the mesh again"
_TRUNCATED = "the file looks truncated; export or copy it again"
_KEYWORD = re.compile(r"(ST|st)?([Cc])?(N)?(4)?(n)?(?:OFF|off)(?=\d|$)")
# Eighteen digits fit into 64 bits.
_WHOLE = re.compile(r"\d{1,18}", re.ASCII)
_COMMENT = re.compile(rb"#[^\n]*")
#: Numbers after the corners of a face: none, the place in a table of colours, or red, green, blue and perhaps alpha.
_COLOURS = (0, 1, 3, 4)
#: Vertices that have numbers of 32 bits.
_INDICES = 1 << 31


@dataclass(frozen=True)
class _Lines:
    """Lines of a file that hold anything: their words and their numbers, counted from 1."""

    name: str
    texts: list[bytes]
    numbers: list[int]

    def __len__(self) -> int:
        return len(self.texts)

    def split(self, count: int) -> tuple[_Lines, _Lines]:
        """The first lines, and all others."""
        first, rest = slice(count), slice(count, None)
        return (
            _Lines(self.name, self.texts[first], self.numbers[first]),
            _Lines(self.name, self.texts[rest], self.numbers[rest]),
        )

    def error(self, row: int, what: str, *, code: str, hint: str = _AGAIN) -> ReadError:
        return ReadError(f"{self.place(row)}: {what}", code=code, hint=hint)

    def place(self, row: int) -> str:
        return f"{self.name}:{self.numbers[row]}"

    def words(self, row: int) -> list[str]:
        return self.texts[row].decode("utf-8", errors="replace").split()


@dataclass(frozen=True)
class _Layout:
    """What the header says: of how many lines it has, and how many numbers a vertex may have."""

    keyword: str
    header: int
    widths: tuple[int, ...]
    vertices: int
    faces: int


def read(file: InputFile) -> MeshSource:
    """Facets of an ASCII OFF file, float64; faces are cut into triangles.

    Raises
    ------
    ReadError
        With the file, the line, the rule and the remedy.
    """
    total = sum(map(len, _lines(file)))
    lines = Parts(_lines(file))
    layout = _layout(file.name, lines, total)
    numbers = array("d")
    for part in _taken(lines, layout.vertices):
        numbers.frombytes(_vertices(part, layout).tobytes())
    vertices = np.asarray(numbers).reshape(-1, 3)
    corners, counts = array("i" if layout.vertices < _INDICES else "q"), array("i")
    for part in _taken(lines, layout.faces):
        _add_faces(part, layout.vertices, corners, counts)
    polygons, kept, thin = Polygons.of_sizes(np.asarray(corners), np.asarray(counts)).without_thin()
    if not len(kept):
        raise ReadError(f"{file.name}: none of its faces has 3 vertices", code="no-facets", hint=_AGAIN)

    def place(face: int) -> str:
        numbers = (number for part in _lines(file) for number in part.numbers)
        line = next(islice(numbers, layout.header + layout.vertices + int(kept[face]), None))
        return f"{file.name}:{line}: face"

    return text_source(file, "off", vertices, polygons, place, thin)


def _lines(file: InputFile) -> Iterator[_Lines]:
    """The filled lines of a file, without comments, many at a time."""
    file.stream.seek(0)
    line = 1
    for block in text_blocks(file.stream):
        texts = (_COMMENT.sub(b"", block) if b"#" in block else block).split(b"\n")
        filled = [i for i, text in enumerate(texts) if text and not text.isspace()]
        yield _Lines(file.name, [texts[i] for i in filled], [line + i for i in filled])
        line += len(texts) - 1


# The header


def _layout(name: str, lines: Parts[_Lines], total: int) -> _Layout:
    """What the header says. The lines that it promises must be there, so that no memory is reserved for a false count."""
    keyword, counts, last, header = _header(name, lines)
    if len(counts) not in (2, 3) or not all(_WHOLE.fullmatch(word) for word in counts):
        what = f"the counts of vertices, faces and edges are three whole numbers, got {quoted(' '.join(counts))}"
        raise last.error(0, what, code="bad-header")
    vertices, faces = int(counts[0]), int(counts[1])
    there = total - header
    promise = f"the header promises {vertices} vertices and {faces} faces, one on each line, but {there} lines follow"
    if there < vertices + faces:
        raise last.error(0, promise, code="truncated-file", hint=_TRUNCATED)
    if there > vertices + faces:
        hint = "the header and the lines do not agree; export the mesh again"
        raise last.error(0, promise, code="surplus-data", hint=hint)
    if not faces:
        raise no_facets(name, vertices)
    return _Layout(keyword, header, _widths(keyword), vertices, faces)


def _header(name: str, lines: Parts[_Lines]) -> tuple[str, list[str], _Lines, int]:
    """The keyword, the words of the counts, their line, and how many lines the header has."""
    line = lines.take(1)
    words = line.words(0) if line else []
    found = _KEYWORD.match(words[0]) if words else None
    if line is None or found is None:
        begins = f"{line.place(0)}: an OFF file begins with 'OFF', got {quoted(words[0])}" if line else ""
        what = begins or f"{name}: the file has nothing but comments"
        raise ReadError(what, code="bad-header", hint="is it another format?")
    if words[1:2] == ["BINARY"]:
        what = "the file is a binary OFF file, which massprops does not read"
        raise line.error(0, what, code="binary-data", hint="export it as ASCII OFF, or as STL, OBJ or PLY")
    if found[4] or found[5]:
        what = f"the keyword {found[0]!r} announces points that are not x y z"
        raise line.error(0, what, code="bad-header", hint="export the mesh in three dimensions, as OFF")
    rest = [word for word in (words[0][found.end() :], *words[1:]) if word]
    second = None if rest else lines.take(1)
    return (found[0], second.words(0), second, 2) if second else (found[0], rest, line, 1)


def _widths(keyword: str) -> tuple[int, ...]:
    """How many numbers a vertex may have: x y z, a normal, a colour with or without alpha, a place in the texture."""
    upper = keyword.upper()
    least = 3 + 3 * ("N" in upper) + 2 * upper.startswith("ST")
    return (least + 3, least + 4) if "C" in upper else (least,)


# Regular lines, all at once; else line by line, with the number of the bad line.


def _taken(lines: Parts[_Lines], count: int) -> Iterator[_Lines]:
    """The next lines, as many as there are in a block at a time."""
    while count and (part := lines.take(count)):
        yield part
        count -= len(part)


def _vertices(lines: _Lines, layout: _Layout) -> Array:
    """Coordinates, shape (n, 3)."""
    if found := rows(b"\n".join(lines.texts)):
        values, lengths = found
        if lengths[0] in layout.widths and (lengths == lengths[0]).all() and np.isfinite(values).all():
            return values.reshape(len(lines), -1)[:, :3]
    return np.array([_vertex(lines, row, layout) for row in range(len(lines))])


def _add_faces(lines: _Lines, points: int, corners: array[int], counts: array[int]) -> None:
    text = b"\n".join(lines.texts)
    found = rows(text) if not text.translate(None, b"0123456789 \t\n\v\f") else None
    if found and (sizes := found[0][(first := np.cumsum(found[1]) - found[1])]).min() >= 3:
        values, lengths = found
        place = np.arange(len(values)) - np.repeat(first, lengths)
        listed = values[(place > 0) & (place <= np.repeat(sizes, lengths))]
        if np.isin(lengths - 1 - sizes, _COLOURS).all() and listed.max() < points:
            corners.frombytes(listed.astype(f"i{corners.itemsize}").tobytes())
            counts.frombytes(sizes.astype(np.int32).tobytes())
            return
    for row in range(len(lines)):
        face = _face(lines, row, points)
        corners.extend(face)
        counts.append(len(face))


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
