"""OBJ, statement by statement: reads every valid file, and names the bad line of others.

Source: Wavefront "Object Files (.obj)", appendix B1 of the Advanced Visualizer manual (1995), whose list of statements is
closed; vertex colours and the `fo` of old versions are read as everybody reads them.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

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
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")
_CORNER_FORM = "a corner is v, v/vt, v//vn or v/vt/vn, in whole numbers"
_VERTEX_FORM = "a vertex is x y z, then perhaps the weight 1, then perhaps a colour of three numbers"


@dataclass
class Contents:
    """What an OBJ file holds.

    Attributes
    ----------
    vertices : ndarray, shape (V, 3)
    corners : ndarray of int
        Vertices of all faces in a row, counted from 0; every one valid.
    counts : ndarray of int, shape (F,)
        Corners of each face, three or more; faces of fewer are left out.
    elements : Counter
        How many statements of `ELEMENTS` there are.
    unknown : list of (int, str)
        Lines that begin with no word of OBJ: number and word.
    """

    vertices: Array = field(default_factory=lambda: np.empty((0, 3)))
    corners: Integers = field(default_factory=lambda: np.empty(0, np.int64))
    counts: Integers = field(default_factory=lambda: np.empty(0, np.int64))
    elements: Counter[str] = field(default_factory=Counter)
    unknown: list[tuple[int, str]] = field(default_factory=list)


def joined(parts: list[Contents]) -> Contents:
    """The contents of a file from those of its parts."""
    vertices, corners, counts = (
        np.concatenate([getattr(p, name) for p in parts]) for name in ("vertices", "corners", "counts")
    )
    elements = sum((Counter(p.elements) for p in parts), Counter[str]())
    return Contents(vertices, corners, counts, elements, [entry for p in parts for entry in p.unknown])


def read_strict(name: str, data: bytes, lines: int = 0, points: int = 0) -> Contents:
    """Contents of an OBJ file in UTF-8, lines ended by LF; or of the rest of one, after so many lines and vertices.

    Raises
    ------
    ReadError
        Codes ``bad-number``, ``bad-vertex``, ``bad-index``, ``bad-face``, ``binary-data``, ``geometry-elsewhere``, with the line.
    """
    parser = _Parser(name, points)
    for line, words in statements(data):
        parser.statement(lines + line, words)
    return parser.contents()


def statements(data: bytes) -> Iterator[tuple[int, list[bytes]]]:
    """Lines with their numbers as words: comments cut off, continued lines joined.

    A comment does not go on in the next line: one that ends in a backslash names a Windows folder.
    """
    begun: list[bytes] = []
    start = 1
    for number, line in enumerate(data.split(b"\n"), 1):
        if not begun:
            start = number
        text, _, _ = line.partition(b"#")
        words = text.split()
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


class _Parser:
    def __init__(self, name: str, points: int) -> None:
        self.name = name
        self.points = points  # before those that are read here
        self.vertices = array("d")
        self.corners = array("q")
        self.counts = array("q")
        self.others = Contents()

    def error(self, line: int, code: str, what: str, hint: str = "") -> ReadError:
        return ReadError(f"{self.name}:{line}: {what}", code=code, hint=hint)

    def contents(self) -> Contents:
        whole = self.others
        whole.vertices = np.array(self.vertices).reshape(-1, 3)
        whole.corners = np.array(self.corners, np.int64)
        whole.counts = np.array(self.counts, np.int64)
        return whole

    def statement(self, line: int, words: list[bytes]) -> None:
        keyword = words[0].lower()
        if keyword == b"v":
            self.vertex(line, words[1:])
        elif keyword in (b"f", b"fo"):
            self.face(line, words[1:])
        else:
            self.other(line, keyword)

    def other(self, line: int, keyword: bytes) -> None:
        if _CONTROL.search(keyword):
            what = "binary data where a statement is expected"
            raise self.error(line, "binary-data", what, "the file is damaged, or of another format")
        word = keyword.decode("utf-8", errors="replace")
        if word in _ELSEWHERE:
            what = f"the statement {word!r} {_ELSEWHERE[word]}, which massprops does not follow"
            raise self.error(line, "geometry-elsewhere", what, "export the mesh in one file")
        if word in ELEMENTS:
            self.others.elements[word] += 1
        elif word not in ATTRIBUTES:
            self.others.unknown.append((line, word))

    def vertex(self, line: int, words: list[bytes]) -> None:
        place = f"{self.name}:{line}"
        tokens = [word.decode("utf-8", errors="replace") for word in words]
        if len(tokens) not in (3, 4, 6, 7):
            raise self.error(line, "bad-vertex", f"vertex has {plural(len(tokens), 'number')}", _VERTEX_FORM)
        numbers = [parse_number(token, place, "vertex coordinate") for token in tokens[: 3 + len(tokens) % 3]]
        for token in tokens[len(numbers) :]:  # a colour may be NaN, and is not used
            if not is_numeric(token):
                raise bad_number(place, "vertex colour", token)
        if len(numbers) == 4 and numbers[3] != 1:
            what = f"vertex has the weight {numbers[3]!r}, and only 1 means the same to every program"
            raise self.error(
                line, "bad-vertex", what, "divide x, y and z by it if they are homogeneous, and leave it out"
            )
        self.vertices.extend(numbers[:3])

    def face(self, line: int, words: list[bytes]) -> None:
        corners = [self.corner(line, word) for word in words]
        if len(corners) < 3:
            self.others.elements[THIN] += 1
            return
        self.corners.extend(corners)
        self.counts.append(len(corners))

    def corner(self, line: int, word: bytes) -> int:
        """A vertex counted from 0: those of the file from 1, or backwards from the last one so far."""
        match = _CORNER.fullmatch(word)
        if match is None:
            what = f"face corner {quoted(word.decode('utf-8', errors='replace'))} is no vertex number"
            raise self.error(line, "bad-index", what, _CORNER_FORM)
        index, defined = int(match[1]), self.points + len(self.vertices) // 3
        if index == 0:
            what = "face refers to vertex 0, but OBJ counts vertices from 1 (and backwards from -1)"
            raise self.error(line, "bad-index", what, "was it written by a program that counts from 0?")
        if not -defined <= index <= defined:
            what = f"face refers to vertex {index}, but only {defined} vertices are defined before it"
            raise self.error(line, "bad-index", what)
        return index - 1 if index > 0 else defined + index
