"""OBJ, statement by statement: reads every valid file, and names the bad line of others.

Source: Wavefront "Object Files (.obj)", appendix B1 of the Advanced Visualizer manual (1995), whose list of statements is
closed; vertex colours and the `fo` of old versions are read as everybody reads them.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator

import numpy as np

from massprops.errors import ReadError
from massprops.formats.text import bad_number, is_numeric, parse_number, quoted
from massprops.moments.arrays import Array, Integers
from massprops.wording import plural

#: What the specification knows beside `v` and `f`: read over, since none of it is a facet.
ATTRIBUTES = frozenset(
    {
        *("vt", "vn", "vp", "deg", "bmat", "step", "cstype"),
        *("parm", "trim", "hole", "scrv", "sp", "end", "con"),
        *("g", "s", "mg", "o", "bevel", "c_interp", "d_interp", "lod", "usemtl", "mtllib"),
        *("shadow_obj", "trace_obj", "ctech", "stech", "usemap", "maplib", "res"),
    }
)
#: Geometry that is not a facet, as messages name it.
ELEMENTS = {
    "p": "points",
    "l": "lines",
    **dict.fromkeys(("curv", "curv2", "cdc"), "curves"),
    **dict.fromkeys(("surf", "bsp", "bzp", "cdp"), "free-form surfaces"),
}
#: Faces of fewer than three vertices are counted by this: no statement has a blank in its word.
THIN = "f of 2"
ELEMENTS[THIN] = "faces of fewer than 3 vertices"
#: Statements that would have to be followed to know the geometry.
_ELSEWHERE = {"call": "calls another file", "csh": "runs a command"}

# Eighteen digits fit into 64 bits.
_CORNER = re.compile(rb"([+-]?\d{1,18})(?:/([+-]?\d+)?(?:/([+-]?\d+)?)?)?")
#: Vertices that have numbers of 32 bits.
_MOST = (1 << 31) - 1
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")
_CORNER_FORM = "a corner is v, v/vt, v//vn or v/vt/vn, in whole numbers"
_VERTEX_FORM = "a vertex is x y z, then perhaps the weight 1, then perhaps a colour of three numbers"


def statements(text: bytes, first: int = 1) -> Iterator[tuple[int, list[bytes]]]:
    """Lines as words, with their numbers from `first` on: comments cut off, continued lines joined.

    A comment does not go on in the next line: one that ends in a backslash names a Windows folder.
    """
    begun: list[bytes] = []
    start = first
    for number, line in enumerate(text.split(b"\n"), first):
        if not begun:
            start = number
        statement, _, _ = line.partition(b"#")
        words = statement.split()
        if b"#" not in line and words and words[-1].endswith(b"\\"):
            begun += [*words[:-1], words[-1][:-1]]
            continue
        whole = [word for word in (*begun, *words) if word]
        begun = []
        if whole:
            yield start, whole
    whole = [word for word in begun if word]
    if whole:  # the last line is to be continued, and nothing follows
        yield start, whole


class Contents:
    """What an OBJ file holds, as far as it is read.

    Attributes
    ----------
    vertices : array of float
        Coordinates of all vertices in a row.
    corners : array of int
        Vertices of all faces in a row, counted from 0; every one valid.
    counts : array of int
        Corners of each face, three or more; faces of fewer are left out.
    elements : Counter
        How many statements of `ELEMENTS` there are.
    unknown : list of (int, str)
        Lines that begin with no word of OBJ: number and word.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.vertices = array("d")
        self.corners = array("i")
        self.counts = array("i")
        self.elements: Counter[str] = Counter()
        self.unknown: list[tuple[int, str]] = []

    @property
    def points(self) -> int:
        """Vertices so far."""
        return len(self.vertices) // 3

    def extend(self, vertices: Array, corners: Integers, counts: Integers) -> None:
        """Adds what `read_block` has read."""
        self.vertices.frombytes(vertices.view(np.uint8).data)
        self.corners.frombytes(corners.view(np.uint8).data)
        self.counts.frombytes(counts.view(np.uint8).data)

    def read(self, text: bytes, first: int) -> None:
        """Adds what some whole lines hold, in UTF-8 and ended by LF, of which the first has the number `first`.

        Raises
        ------
        ReadError
            Codes ``bad-number``, ``bad-vertex``, ``bad-index``, ``bad-face``, ``binary-data``, ``geometry-elsewhere``, with the line.
        """
        for line, words in statements(text, first):
            self._statement(line, words)

    def _error(self, line: int, code: str, what: str, hint: str = "") -> ReadError:
        return ReadError(f"{self.name}:{line}: {what}", code=code, hint=hint)

    def _statement(self, line: int, words: list[bytes]) -> None:
        keyword = words[0].lower()
        if keyword == b"v":
            self._vertex(line, words[1:])
        elif keyword in (b"f", b"fo"):
            self._face(line, words[1:])
        else:
            self._other(line, keyword)

    def _other(self, line: int, keyword: bytes) -> None:
        if _CONTROL.search(keyword):
            what = "binary data where a statement is expected"
            raise self._error(line, "binary-data", what, "the file is damaged, or of another format")
        word = keyword.decode("utf-8", errors="replace")
        if word in _ELSEWHERE:
            what = f"the statement {word!r} {_ELSEWHERE[word]}, which massprops does not follow"
            raise self._error(line, "geometry-elsewhere", what, "export the mesh in one file")
        if word in ELEMENTS:
            self.elements[word] += 1
        elif word not in ATTRIBUTES:
            self.unknown.append((line, word))

    def _vertex(self, line: int, words: list[bytes]) -> None:
        place = f"{self.name}:{line}"
        tokens = [word.decode("utf-8", errors="replace") for word in words]
        if len(tokens) not in (3, 4, 6, 7):
            raise self._error(line, "bad-vertex", f"vertex has {plural(len(tokens), 'number')}", _VERTEX_FORM)
        numbers = [parse_number(token, place, "vertex coordinate") for token in tokens[: 3 + len(tokens) % 3]]
        for token in tokens[len(numbers) :]:  # a colour may be NaN, and is not used
            if not is_numeric(token):
                raise bad_number(place, "vertex colour", token)
        if len(numbers) == 4 and numbers[3] != 1:
            what = f"vertex has the weight {numbers[3]!r}, and only 1 means the same to every program"
            raise self._error(
                line, "bad-vertex", what, "divide x, y and z by it if they are homogeneous, and leave it out"
            )
        self.vertices.extend(numbers[:3])

    def _face(self, line: int, words: list[bytes]) -> None:
        corners = [self._corner(line, word) for word in words]
        if len(corners) < 3:
            self.elements[THIN] += 1
            return
        self.corners.extend(corners)
        self.counts.append(len(corners))

    def _corner(self, line: int, word: bytes) -> int:
        """A vertex counted from 0: those of the file from 1, or backwards from the last one so far."""
        match = _CORNER.fullmatch(word)
        if match is None:
            what = f"face corner {quoted(word.decode('utf-8', errors='replace'))} is no vertex number"
            raise self._error(line, "bad-index", what, _CORNER_FORM)
        index, defined = int(match[1]), self.points
        if index == 0:
            what = "face refers to vertex 0, but OBJ counts vertices from 1 (and backwards from -1)"
            raise self._error(line, "bad-index", what, "was it written by a program that counts from 0?")
        if not -defined <= index <= defined:
            what = f"face refers to vertex {index}, but only {defined} vertices are defined before it"
            raise self._error(line, "bad-index", what)
        if defined > _MOST:
            raise self._error(line, "too-large", f"the file has more than {_MOST:,} vertices", "split it")
        return index - 1 if index > 0 else defined + index
