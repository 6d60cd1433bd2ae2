"""OBJ: the faces of a Wavefront file, of all its groups and objects, in double precision.

Points, lines, curves and free-form surfaces are no facets: a file that has nothing else is refused by what it has.
A last line without a line end is read as it stands, since many programs end their files so.

The compiled core reads blocks as exporters write them: `v` and `f`, and lines without geometry.

Source: Wavefront "Object Files (.obj)", appendix B1 of the Advanced Visualizer manual (1995), whose list of statements is
closed; vertex colours and the `fo` of old versions are read as everybody reads them.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import chain, islice

import numpy as np

from massprops import native
from massprops.errors import ReadError
from massprops.findings import Finding, Severity, count_finding
from massprops.formats.mesh.faces import no_facets, text_source
from massprops.formats.text import quote
from massprops.formats.text_lines import Scan, TextLines, extend
from massprops.mesh.source import Division, InputFile, MeshFile, PartLabel
from massprops.mesh.triangulation import MOST_CORNERS, Polygons
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
#: Statements that would have to be followed to know the geometry.
_ELSEWHERE = {"call": "calls another file", "csh": "runs a command"}

# Eighteen digits fit into 64 bits.
_CORNER = re.compile(rb"([+-]?\d{1,18})(?:/([+-]?\d+)?(?:/([+-]?\d+)?)?)?")
#: Vertices that have numbers of 32 bits.
_MOST = (1 << 31) - 1
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")
_CORNER_FORM = "a corner is v, v/vt, v//vn or v/vt/vn, in whole numbers"
_VERTEX_FORM = "a vertex is x y z, then perhaps the weight 1, then perhaps a colour of three numbers"


def statements(lines: TextLines, scan: Scan | None = None) -> Iterator[list[bytes]]:
    """Words of the statements that a reader `scan` leaves; `lines.line` is the first line of the statement.

    A comment does not go on in the next line: one that ends in a backslash names a Windows folder.
    """
    held: list[bytes] = []
    first = 0

    def unless_begun(text: bytes, start: int, most: int) -> tuple[int, int] | None:
        return (start, 0) if held or scan is None else scan(text, start, most)

    for line in chain(lines.lines(scan and unless_begun), [b""]):
        first = first or lines.line
        if b"#" not in line and (begun := line.rstrip()).endswith(b"\\"):
            held.append(begun[:-1])
            continue
        words = (b" ".join([*held, line]) if held else line).partition(b"#")[0].split(None, MOST_CORNERS + 1)
        held.clear()
        lines.line, first = first, 0
        if words:
            yield words


class Contents:
    """Content of an OBJ file.

    Attributes
    ----------
    vertices : array of float
        Coordinates of all vertices in a row.
    corners : array of int
        Vertices of all faces in a row, counted from 0; every one valid.
    counts : array of int
        Corners of each face, three or more; faces of fewer are left out.
    elements : Counter
        How many pieces of geometry there are that are no facets, by their kind.
    unknown : list of (int, str)
        Lines that begin with no word of OBJ: number and word.

    Raises
    ------
    ReadError
        Codes ``bad-number``, ``bad-vertex``, ``bad-index``, ``bad-face``, ``binary-data``, ``geometry-elsewhere``, with the line.
    """

    def __init__(self, lines: TextLines) -> None:
        self.name = lines.name
        self.vertices = array("d")
        self.corners = array("i")
        self.counts = array("i")
        self.elements: Counter[str] = Counter()
        self.unknown: list[tuple[int, str]] = []
        self._lines = lines
        for words in statements(lines, self._scan):
            self._statement(words)

    @property
    def points(self) -> int:
        """Vertices so far."""
        return len(self.vertices) // 3

    def _scan(self, text: bytes, start: int, _most: int) -> tuple[int, int] | None:
        room = len(text) - start
        vertices, counts = np.empty(room // 2), np.empty(room // 6, np.int32)
        corners = np.empty(room // 2, np.int32)
        found = native.core().obj(text, start, vertices, counts, corners, self.points)  # type: ignore[union-attr]
        if found is None:
            return None
        end, coordinates, faces, items = found
        extend(self.vertices, vertices[:coordinates])
        extend(self.corners, corners[:items])
        extend(self.counts, counts[:faces])
        return end, 0

    def _statement(self, words: list[bytes]) -> None:
        keyword = words[0].lower()
        if keyword == b"v":
            self._vertex(words[1:])
        elif keyword in (b"f", b"fo"):
            self._face(words[1:])
        else:
            self._other(keyword)

    def _other(self, keyword: bytes) -> None:
        if _CONTROL.search(keyword):
            what = "binary data where a statement is expected"
            raise self._lines.error(what, "binary-data", "the file is damaged, or of another format")
        word = keyword.decode("utf-8", errors="replace")
        if word in _ELSEWHERE:
            what = f"the statement {word!r} {_ELSEWHERE[word]}, which massprops does not follow"
            raise self._lines.error(what, "geometry-elsewhere", "export the mesh in one file")
        if word in ELEMENTS:
            self.elements[ELEMENTS[word]] += 1
        elif word not in ATTRIBUTES:
            self.unknown.append((self._lines.line, word))

    def _vertex(self, words: list[bytes]) -> None:
        if len(words) not in (3, 4, 6, 7):
            raise self._lines.error(f"vertex has {plural(len(words), 'number')}", "bad-vertex", _VERTEX_FORM)
        numbers = self._lines.numbers(words[: 3 + len(words) % 3], "vertex coordinate")
        if len(numbers) == 4 and numbers[3] != 1:
            what = f"vertex has the weight {numbers[3]!r}, and only 1 means the same to every program"
            hint = "divide x, y and z by it if they are homogeneous, and leave it out"
            raise self._lines.error(what, "bad-vertex", hint)
        self.vertices.extend(numbers[:3])

    def _face(self, words: list[bytes]) -> None:
        """Adds a face, whose corners the file counts from 1, or backwards from the last vertex so far."""
        if len(words) > MOST_CORNERS:
            what = f"face has more than {MOST_CORNERS:,} corners"
            raise self._lines.error(what, "large-face", "export the mesh in triangles")
        corners, defined = [], self.points
        for word in words:
            match = _CORNER.fullmatch(word)
            index = int(match[1]) if match else 0
            if not 0 < abs(index) <= defined:
                raise self._bad_corner(word, index if match else None)
            corners.append(index - 1 if index > 0 else defined + index)
        if defined > _MOST:
            raise self._lines.error(f"the file has more than {_MOST:,} vertices", "too-large", "split it")
        if len(corners) < 3:
            self.elements["faces of fewer than 3 vertices"] += 1
            return
        self.corners.extend(corners)
        self.counts.append(len(corners))

    def _bad_corner(self, word: bytes, index: int | None) -> ReadError:
        if index is None:
            what = f"face corner {quote(word.decode('utf-8', errors='replace'))} is no vertex number"
            return self._lines.error(what, "bad-index", _CORNER_FORM)
        if index == 0:
            what = "face refers to vertex 0, but OBJ counts vertices from 1 (and backwards from -1)"
            return self._lines.error(what, "bad-index", "was it written by a program that counts from 0?")
        what = f"face refers to vertex {index}, but only {self.points} vertices are defined before it"
        return self._lines.error(what, "bad-index")


def read(file: InputFile) -> MeshFile:
    """Facets of an OBJ file, float64; faces are cut into triangles.

    Raises
    ------
    ReadError
        With the file, the line, the rule and the remedy.
    """
    contents = Contents(TextLines.of(file))
    if not contents.counts:
        raise _instead_of_facets(contents)
    vertices, corners, counts = map(np.asarray, (contents.vertices, contents.corners, contents.counts))
    place = partial(_face_place, file)
    faces, points = Polygons.of_sizes(corners, counts), vertices.reshape(-1, 3)
    source = text_source(file, "obj", points, faces, place, _findings(contents))
    return replace(source, divisions=partial(_divisions, file, points, faces))


#: Statements that name the part that the faces after them belong to.
_NAMING = (b"o", b"g", b"usemtl")


def _divisions(file: InputFile, vertices: Array, faces: Polygons) -> Iterator[Division]:
    """Divisions of the mesh by object, by group and by material."""
    corners, counts = faces.corners.reshape(-1), faces.sizes
    names: dict[bytes, dict[str, int]] = {word: {"default": 0} for word in _NAMING}
    current = dict.fromkeys(_NAMING, 0)
    rows = array("i")
    for words in statements(TextLines.of(file)):
        word = words[0].lower()
        if word in current:
            name = b" ".join(words[1:]).decode("utf-8", errors="replace") or "default"
            current[word] = names[word].setdefault(name, len(names[word]))
        elif word in (b"f", b"fo") and len(words) > 3:
            rows.extend(current.values())
    labels = np.asarray(rows).reshape(-1, len(_NAMING))
    materials, material_names = labels[:, -1], [None, *list(names[b"usemtl"])[1:]]
    for column, known in enumerate(map(list, names.values())):
        if len(known) == 1:
            continue
        kind = labels[:, column]
        grouped = zip(_by_label(kind, kind), _by_label(materials, kind), _by_label(counts, kind), strict=True)
        own_corners = _by_label(corners, np.repeat(kind, counts))
        way = []
        for (part, of, sizes), own in zip(grouped, own_corners, strict=True):
            label = PartLabel(known[part[0]], material=material_names[of[0]] if (of == of[0]).all() else None)
            way.append((label, _part(file, vertices, own, sizes, label.name)))
        yield way


def _by_label(values: Integers, labels: Integers) -> list[Integers]:
    """Values by label, in the order of the labels."""
    order = np.argsort(labels, kind="stable")
    return np.split(values[order], np.flatnonzero(np.diff(labels[order])) + 1)


def _part(file: InputFile, vertices: Array, corners: Integers, counts: Integers, name: str) -> MeshFile:
    used, corners = np.unique(corners, return_inverse=True)
    own = InputFile(f"{file.name}#{name}", file.stream, file.size)
    return text_source(
        own, "obj", vertices[used], Polygons.of_sizes(corners, counts), lambda face: f"{own.name}: face {face + 1}", []
    )


def _face_place(file: InputFile, face: int) -> str:
    lines = TextLines.of(file)
    faces = (lines.place for words in statements(lines) if words[0].lower() in (b"f", b"fo") and len(words) > 3)
    return f"{next(islice(faces, face, None))}: face"


def _instead_of_facets(contents: Contents) -> ReadError:
    """Error for a file without faces: what it holds instead, and the remedy."""
    name, points, kinds = contents.name, contents.points, contents.elements
    if contents.unknown and not points:
        line, word = contents.unknown[0]
        what = f"no vertices and no faces, and line {line} begins with {quote(word)}, which is no word of OBJ"
        return ReadError(f"{name}: {what}", code="no-facets", hint="is it another format?")
    if not {"free-form surfaces", "curves", "lines"} & kinds.keys():
        return no_facets(name, points)
    flat = not {"free-form surfaces", "curves"} & kinds.keys()
    hint = "export the surface as a mesh of polygons" + ("; lines have no volume" if flat else "")
    return ReadError(f"{name}: no faces, only {_list_of(kinds)}", code="no-facets", hint=hint)


def _list_of(kinds: Counter[str]) -> str:
    return ", ".join(f"{kind} ({count})" for kind, count in sorted(kinds.items()))


def _findings(contents: Contents) -> list[Finding]:
    """Findings about statements that were not understood, and about geometry that is not measured."""
    findings = []
    if contents.unknown:
        line, word = contents.unknown[0]
        count = len(contents.unknown)
        what = f"{plural(count, 'line')} without a word of OBJ left out; the first begins with {quote(word)}"
        findings.append(Finding("unknown-statements", "warning", what, value=float(count), where=f"line {line}"))
    kinds = contents.elements
    severity: Severity = "warning" if "free-form surfaces" in kinds else "info"
    what = f"beside its faces the file has {_list_of(kinds)}, which were left out"
    return [*findings, *count_finding(kinds.total(), "skipped-elements", severity, what)]
