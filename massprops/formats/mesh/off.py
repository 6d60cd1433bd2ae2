"""OFF: vertices, then faces with any number of corners, in double precision.

Source: the Geomview manual, "OFF Files": `[ST][C][N][4][n]OFF`, which may be left out, the counts of vertices, faces and edges, comments
from `#` to the end of a line. Normals, colours and texture coordinates of vertices, and the colours of faces, are left out, whatever they
are. That the counts may stand on the line of the keyword is everybody's habit, and that they may touch it (`OFF8 6 12`) that of some
collections of models.

Numbers may stand on any lines, but the colours of a face end with a line. Nearly all files have a vertex or a face on each, so they are
read first as if all had; what is wrong with one that is neither way is said of its lines.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator

import numpy as np

from massprops.errors import ReadError
from massprops.formats.mesh.faces import no_facets, text_source
from massprops.formats.text import quote
from massprops.formats.text_lines import TextLines, extend, scan_table
from massprops.mesh.source import InputFile, MeshFile
from massprops.mesh.triangulation import Polygons
from massprops.wording import either, plural

_AGAIN = "export the mesh again"
_TRUNCATED = "the file looks truncated; export or copy it again"
_KEYWORD = re.compile(r"(ST|st)?([Cc])?(N)?(4)?(n)?(?:OFF|off)(?=\d|$)")
# Eighteen digits fit into 64 bits.
_WHOLE = re.compile(rb"\d{1,18}")
_INDEX = re.compile(rb"[+-]?\d{1,18}")
#: Numbers after the corners of a face: none, the place in a table of colours, or red, green, blue and perhaps alpha.
_COLOURS = (0, 1, 3, 4)
#: Vertices that have numbers of 32 bits.
_INDICES = 1 << 31


def read(file: InputFile) -> MeshFile:
    """Facets of an ASCII OFF file, float64; faces are cut into triangles.

    Raises
    ------
    ReadError
        With the file, the line, the rule and the remedy.
    """
    lines = TextLines.of(file, comment=b"#")
    mesh = _Mesh(lines)
    polygons, kept, thin = Polygons.of_sizes(np.asarray(mesh.corners), np.asarray(mesh.counts)).without_thin()
    if not len(kept):
        raise ReadError(f"{file.name}: none of its faces has 3 vertices", code="no-facets", hint=_AGAIN)

    def place(face: int) -> str:
        return f"{lines.place_of(mesh.row_of(int(kept[face])))}: face"

    return text_source(file, "off", np.asarray(mesh.vertices).reshape(-1, 3), polygons, place, thin)


class _Mesh:
    """Content of an OFF file.

    Attributes
    ----------
    points : int
        Vertices that the header promises.
    header : int
        Filled lines before the first vertex.
    vertices, corners, counts : array
        Coordinates of all vertices in a row, vertices of all faces in a row, and the number of each face's.
    """

    def __init__(self, lines: TextLines) -> None:
        self._lines = lines
        self.keyword, counts = self._header()
        self.header, place = lines.rows, lines.place
        self._widths = _widths(self.keyword)
        self.points, faces = counts
        self._first_rows: list[int] = []
        try:
            self._read_rows(faces, place)
        except ReadError:
            if not any(self._read_words(faces, width) for width in self._widths):
                raise
        if not faces:
            raise no_facets(lines.name, self.points)

    def row_of(self, face: int) -> int:
        """The filled line where a face begins."""
        return self._first_rows[face] if self._first_rows else self.header + self.points + face

    def _clear(self) -> None:
        self.vertices, self.counts = array("d"), array("i")
        self.corners = array("i" if self.points < _INDICES else "q")

    def _read_rows(self, faces: int, place: str) -> None:
        """Reads vertices and faces, one on each line; ReadError where the lines are not so many."""
        self._clear()
        lines, bad = self._lines, None
        try:
            if faces:
                lines.read(self.points, self._scan_vertices, self._add_vertex)
                lines.read(faces, self._scan_faces, self._add_face)
        except ReadError as error:  # lines that are not those that the header promises are bad because of that
            bad = error
        there = lines.rows + lines.rest() - self.header
        if there != self.points + faces:
            promise = f"the header promises {self.points} vertices and {faces} faces, one on each line"
            code, hint = "surplus-data", "the header and the lines do not agree; export the mesh again"
            if there < self.points + faces:
                code, hint = "truncated-file", _TRUNCATED
            raise ReadError(f"{place}: {promise}, but {there} lines follow", code=code, hint=hint)
        if bad:
            raise bad

    def _read_words(self, faces: int, width: int) -> bool:
        """Whether there are as many vertices of so many numbers, and faces, as promised, on any lines: then they are read."""
        self._clear()
        lines, numbers = self._lines.again(), list[bytes]()
        rows = enumerate(lines.rows_of_words())
        following = (words for row, words in rows if row >= self.header)
        try:
            while len(numbers) < self.points * width:
                numbers += next(following)
            if len(numbers) != self.points * width:
                return False
            self.vertices.extend(
                lines.numbers([n for i, n in enumerate(numbers) if i % width < 3], "vertex coordinate")
            )
            self._first_rows = [self._add_wrapped_face(rows) for _ in range(faces)]
        except (ReadError, StopIteration):
            return False
        return next(rows, None) is None

    def _add_wrapped_face(self, rows: Iterator[tuple[int, list[bytes]]]) -> int:
        """The first line of a face on one or several lines, which is read."""
        row, words = next(rows)
        while _WHOLE.fullmatch(words[0]) and len(words) <= int(words[0]):
            words = words + next(rows)[1]
        self._add_face(words)
        return row

    def _header(self) -> tuple[str, tuple[int, int]]:
        """Keyword, and how many vertices and faces are promised."""
        lines = self._lines
        words = [word.decode(errors="replace") for word in next(lines.rows_of_words(), [])]
        if words and _WHOLE.fullmatch(words[0].encode()):
            words.insert(0, "OFF")
        found = _KEYWORD.match(words[0]) if words else None
        if found is None:
            begins = f"{lines.place}: an OFF file begins with 'OFF', got {quote(words[0])}" if words else ""
            what = begins or f"{lines.name}: the file has nothing but comments"
            raise ReadError(what, code="bad-header", hint="is it another format?")
        if words[1:2] == ["BINARY"]:
            what = "the file is a binary OFF file, which massprops does not read"
            raise lines.error(what, "binary-data", "export it as ASCII OFF, or as STL, OBJ or PLY")
        if found[4] or found[5]:
            what = f"the keyword {found[0]!r} announces points that are not x y z"
            raise lines.error(what, "bad-header", "export the mesh in three dimensions, as OFF")
        counts = [word.encode() for word in (words[0][found.end() :], *words[1:]) if word]
        place = lines.place
        if not counts and (counts := next(lines.rows_of_words(), [])):
            place = lines.place
        if len(counts) == 1 and _WHOLE.fullmatch(counts[0]):  # each on a line of its own
            counts += [word for _, row in zip(range(2), lines.rows_of_words(), strict=False) for word in row]
        if len(counts) not in (2, 3) or not all(_WHOLE.fullmatch(word) for word in counts):
            got = quote(b" ".join(counts).decode(errors="replace"))
            what = f"{place}: the counts of vertices, faces and edges are three whole numbers, got {got}"
            raise ReadError(what, code="bad-header", hint=_AGAIN)
        return found[0], (int(counts[0]), int(counts[1]))

    def _scan_vertices(self, text: bytes, start: int, most: int) -> tuple[int, int] | None:
        """The vertices of a block, all with as many numbers as the first."""
        width = _first_row(text, start)
        others = [(0, len(width) - 3, 0)] if len(width) > 3 else []
        columns = np.array([(0, 3, 1), *others], np.int32).tobytes()
        found = scan_table(text, start, most, columns) if len(width) in self._widths else None
        if found is None:
            return None
        extend(self.vertices, found[1])
        return found[0], len(found[3])

    def _scan_faces(self, text: bytes, start: int, most: int) -> tuple[int, int] | None:
        """The faces of a block, all with colours of as many numbers as the first; none of its numbers has a sign."""
        first = _first_row(text, start)
        is_signed = max(text.find(b"+", start), text.find(b"-", start)) >= 0
        if is_signed or not first or not _WHOLE.fullmatch(first[0]):
            return None
        if (colours := len(first) - 1 - int(first[0])) not in _COLOURS:
            return None
        columns = np.array([(1, 1, 1), *([(0, colours, 0)] if colours else [])], np.int32).tobytes()
        found = scan_table(text, start, most, columns)
        if found is None or found[2].max(initial=-1) >= self.points:
            return None
        end, _, corners, counts = found
        extend(self.corners, corners)
        extend(self.counts, counts)
        return end, len(counts)

    def _add_vertex(self, words: list[bytes]) -> None:
        numbers = self._lines.numbers(words[:3], "vertex coordinate")
        if len(words) not in self._widths:
            expected = either([*map(str, self._widths)])
            what = f"vertex has {plural(len(words), 'number')}, but the keyword {self.keyword!r} means {expected}"
            hint = "NOFF announces normals, COFF colours and STOFF texture coordinates"
            raise self._lines.error(what, "bad-vertex", hint)
        self.vertices.extend(numbers)

    def _add_face(self, words: list[bytes]) -> None:
        if not _WHOLE.fullmatch(words[0]):
            what = f"a face begins with the number of its vertices, got {quote(words[0].decode(errors='replace'))}"
            raise self._lines.error(what, "bad-face", _AGAIN)
        count = int(words[0])
        if count > len(words) - 1:
            what = f"face promises {count} vertices, but the line has {len(words) - 1}"
            raise self._lines.error(what, "bad-face", _AGAIN)
        corners = []
        for word in words[1 : 1 + count]:
            corner = int(word) if _INDEX.fullmatch(word) else -1
            if not 0 <= corner < self.points:
                raise self._bad_corner(word)
            corners.append(corner)
        colours = len(words) - 1 - count
        if colours not in _COLOURS:
            follow = f"{plural(colours, 'number')} follow the {count} vertices of the face"
            what = f"{follow}, and a colour has 1, 3 or 4"
            hint = "is the number of vertices wrong? export the mesh again"
            raise self._lines.error(what, "bad-face", hint)
        self.corners.extend(corners)
        self.counts.append(count)

    def _bad_corner(self, word: bytes) -> ReadError:
        what = f"face corner {quote(word.decode(errors='replace'))} is no vertex number"
        if _INDEX.fullmatch(word):
            what = f"face refers to vertex {int(word)}, but the file has {self.points} vertices, numbered from 0"
        return self._lines.error(what, "bad-index", _AGAIN)


def _widths(keyword: str) -> tuple[int, ...]:
    """Numbers that a vertex may have: x y z, a normal, a colour with or without alpha, a place in the texture."""
    upper = keyword.upper()
    least = 3 + 3 * ("N" in upper) + 2 * upper.startswith("ST")
    return (least + 3, least + 4) if "C" in upper else (least,)


def _first_row(text: bytes, start: int) -> list[bytes]:
    """The words of the line that begins at a place."""
    return text[start : text.find(b"\n", start) + 1 or len(text)].split()
