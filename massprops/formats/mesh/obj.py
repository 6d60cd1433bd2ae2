"""OBJ: the faces of a Wavefront file, of all its groups and objects, in double precision.

Points, lines, curves and free-form surfaces are no facets: a file that has nothing else is refused by what it has.
A last line without a line end is read as it stands, since many programs end their files so.

Blocks as exporters write them (`v` and `f`, and lines without geometry) are read at once (`read_block`), all others statement by
statement (`Contents`), which reads every valid file, and names the bad line of others. Where both read a block they give the same.

Source: Wavefront "Object Files (.obj)", appendix B1 of the Advanced Visualizer manual (1995), whose list of statements is
closed; vertex colours and the `fo` of old versions are read as everybody reads them.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray

from massprops import native
from massprops.errors import ReadError
from massprops.findings import Finding, Severity, counted
from massprops.formats.mesh.faces import no_facets, text_source
from massprops.formats.text import bad_number, is_numeric, parse_number, quoted
from massprops.formats.text_blocks import line_ends, rows, text_blocks
from massprops.mesh.source import Division, InputFile, MeshSource, PartLabel
from massprops.mesh.triangulation import Polygons
from massprops.moments.arrays import Array, Integers
from massprops.wording import plural

_WITHOUT_GEOMETRY = re.compile(rb"#.*|(?:(?:vn|vt|g|o|s|usemtl|mtllib)(?![^ \t\v\f])[^\\]*)?")
#: Numbers of a vertex to the place of its weight, which must be 1.
_WEIGHT = {3: None, 6: None, 4: 3, 7: 3}
#: Of the number of a vertex: so many fit into 64 bits.
_MOST_DIGITS = 18
#: Kinds of the bytes of corners: digits, signs, slashes, white space, and all others; and which may not follow each other.
_DIGIT, _SIGN, _SLASH, _WHITE, _OTHER = range(5)
_KINDS = np.full(256, _OTHER, np.uint8)
for _kind, _bytes in enumerate((b"0123456789", b"+-", b"/", b" \t\v\f\n")):
    _KINDS[list(_bytes)] = _kind
_FOLLOWERS = {
    _DIGIT: (_DIGIT, _SLASH, _WHITE),
    _SIGN: (_DIGIT,),
    _WHITE: (_WHITE, _SIGN, _DIGIT),
    _SLASH: range(_OTHER),
    _OTHER: (),
}
_NEVER = [5 * kind + other for kind, good in _FOLLOWERS.items() for other in range(5) if other not in good]


def read_block(text: bytes, points: int) -> tuple[Array, Integers, Integers] | None:
    """Coordinates of vertices in a row, vertices of faces in a row (counted from 0) and the number of each face's.

    Parameters
    ----------
    text : bytes
        Whole lines.
    points : int
        Vertices before them.

    Returns
    -------
    vertices, corners, counts : ndarray
        None where anything is unusual.
    """
    core = native.core()
    if core is None:
        return _read_plain(text, points)
    vertices, corners, counts = (
        np.empty(len(text) // 2),
        np.empty(len(text) // 2, np.int32),
        np.empty(len(text) // 6, np.int32),
    )
    found = core.obj(text, 0, vertices, counts, corners, points)
    return found and (vertices[: found[1]], corners[: found[3]], counts[: found[2]])


def _read_plain(text: bytes, points: int) -> tuple[Array, Integers, Integers] | None:
    data = np.array(bytearray(text.removesuffix(b"\n") + b"\n  "))
    ends = np.flatnonzero(data == ord("\n")) + 1
    starts = np.append(0, ends[:-1])
    first, second, third = (data[starts + i] for i in range(3))
    spaced = (second == ord(" ")) | (second == ord("\t"))
    vertices, faces = spaced & (first == ord("v")), spaced & (first == ord("f"))
    attributes = (first == ord("v")) & ((second == ord("n")) | (second == ord("t"))) & (third == ord(" "))
    others = ~(vertices | faces | (attributes & (b"\\" not in text)))
    for start, end in zip(starts[others].tolist(), ends[others].tolist(), strict=True):
        if not _WITHOUT_GEOMETRY.fullmatch(text, start, end - 1):
            return None
    data[starts] = ord(" ")
    kinds = np.repeat(vertices + 2 * faces, ends - starts)
    coordinates = _vertices(data[: ends[-1]][kinds == 1].tobytes())
    found = _faces(data[: ends[-1]][kinds == 2], points + np.cumsum(vertices)[faces])
    return None if coordinates is None or found is None else (coordinates, *found)


def _vertices(text: bytes) -> Array | None:
    if not text:
        return np.empty(0)
    found = rows(text)
    if found is None or not np.isfinite(found[0]).all():
        return None
    values, lengths = found
    if lengths[0] not in _WEIGHT or (lengths != lengths[0]).any():
        return None
    numbers = values.reshape(len(lengths), -1)
    weight = _WEIGHT[int(lengths[0])]
    return None if weight and (numbers[:, weight] != 1).any() else numbers[:, :3].reshape(-1)


def _faces(data: NDArray[np.uint8], before: Integers) -> tuple[Integers, Integers] | None:
    if not len(data):
        return np.empty(0, np.int32), np.empty(0, np.int32)
    kinds = _KINDS[data]
    white = kinds == _WHITE
    slashes = np.cumsum(kinds == _SLASH, dtype=np.int32)
    of_corner = slashes - np.maximum.accumulate(slashes * white)
    corners_so_far = np.cumsum(white[:-1] > white[1:])
    counts = np.diff(corners_so_far[data[1:] == ord("\n")], prepend=0)
    if (
        np.bincount(5 * kinds[:-1] + kinds[1:], minlength=25)[_NEVER].any()
        or of_corner.max() > 2
        or np.diff(np.flatnonzero(kinds)).max() > _MOST_DIGITS + 1
        or counts.min() < 3
    ):
        return None
    data[of_corner > 0] = ord(" ")
    corners = np.fromstring(data.tobytes(), np.int64, sep=" ")
    defined = np.repeat(before, counts)
    if (corners == 0).any() or (corners > defined).any() or (corners < -defined).any():
        return None
    return np.where(corners > 0, corners - 1, defined + corners).astype(np.int32), counts.astype(np.int32)


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

_CORNER = re.compile(rb"([+-]?\d{1,%d})(?:/([+-]?\d+)?(?:/([+-]?\d+)?)?)?" % _MOST_DIGITS)
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


def read(file: InputFile) -> MeshSource:
    """Facets of an OBJ file, float64; faces are cut into triangles.

    Raises
    ------
    ReadError
        With the file, the line, the rule and the remedy.
    """
    contents = Contents(file.name)
    for line, text in _stretches(file):
        if found := read_block(text, contents.points):
            contents.extend(*found)
        else:
            contents.read(text, line)
    if not contents.counts:
        raise _instead_of_facets(contents)
    vertices, corners, counts = map(np.asarray, (contents.vertices, contents.corners, contents.counts))
    place = partial(_face_place, file)
    faces, points = Polygons.of_sizes(corners, counts), vertices.reshape(-1, 3)
    source = text_source(file, "obj", points, faces, place, _left_out(contents))
    source.divisions = partial(_divisions, file, points, faces)
    return source


#: Statements that name the part that the faces after them belong to.
_NAMING = (b"o", b"g", b"usemtl")


def _divisions(file: InputFile, vertices: Array, faces: Polygons) -> Iterator[Division]:
    """The parts by object, by group and by material."""
    corners, counts = faces.corners.reshape(-1), faces.sizes
    names: dict[bytes, dict[str, int]] = {word: {"default": 0} for word in _NAMING}
    current = dict.fromkeys(_NAMING, 0)
    rows = array("i")
    for first, text in _stretches(file):
        for _, words in statements(text, first):
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
        grouped = zip(_grouped(kind, kind), _grouped(materials, kind), _grouped(counts, kind), strict=True)
        own_corners = _grouped(corners, np.repeat(kind, counts))
        way = []
        for (part, of, sizes), own in zip(grouped, own_corners, strict=True):
            label = PartLabel(known[part[0]], material=material_names[of[0]] if (of == of[0]).all() else None)
            way.append((label, _part(file, vertices, own, sizes, label.name)))
        yield way


def _grouped(values: Integers, labels: Integers) -> list[Integers]:
    """The values by label, in the order of the labels."""
    order = np.argsort(labels, kind="stable")
    return np.split(values[order], np.flatnonzero(np.diff(labels[order])) + 1)


def _part(file: InputFile, vertices: Array, corners: Integers, counts: Integers, name: str) -> MeshSource:
    used, corners = np.unique(corners, return_inverse=True)
    own = InputFile(f"{file.name}#{name}", file.stream, file.size)
    return text_source(
        own, "obj", vertices[used], Polygons.of_sizes(corners, counts), lambda face: f"{own.name}: face {face + 1}", []
    )


def _stretches(file: InputFile) -> Iterator[tuple[int, bytes]]:
    """The lines of a file, many together with the number of the first; none that is continued is the last of its stretch."""
    file.stream.seek(0)
    line, held = 1, []
    for block in chain(text_blocks(file.stream), [b""]):
        held.append(block)
        if held and not block.rstrip().endswith(b"\\"):
            text = b"".join(held)
            yield line, text
            line += line_ends(text)
            held.clear()


def _face_place(file: InputFile, face: int) -> str:
    lines = chain.from_iterable(statements(text, first) for first, text in _stretches(file))
    faces = (line for line, words in lines if words[0].lower() in (b"f", b"fo") and len(words) > 3)
    return f"{file.name}:{next(islice(faces, face, None))}: face"


def _instead_of_facets(contents: Contents) -> ReadError:
    """What a file without faces holds instead, and the remedy."""
    name, points, kinds = contents.name, contents.points, _kinds(contents)
    if contents.unknown and not points:
        line, word = contents.unknown[0]
        what = f"no vertices and no faces, and line {line} begins with {quoted(word)}, which is no word of OBJ"
        return ReadError(f"{name}: {what}", code="no-facets", hint="is it another format?")
    if not {"free-form surfaces", "curves", "lines"} & kinds.keys():
        return no_facets(name, points)
    flat = not {"free-form surfaces", "curves"} & kinds.keys()
    hint = "export the surface as a mesh of polygons" + ("; lines have no volume" if flat else "")
    return ReadError(f"{name}: no faces, only {_listed(kinds)}", code="no-facets", hint=hint)


def _kinds(contents: Contents) -> Counter[str]:
    kinds: Counter[str] = Counter()
    for word, count in contents.elements.items():
        kinds[ELEMENTS[word]] += count
    return kinds


def _listed(kinds: Counter[str]) -> str:
    return ", ".join(f"{kind} ({count})" for kind, count in sorted(kinds.items()))


def _left_out(contents: Contents) -> list[Finding]:
    """Statements that were not understood, and geometry that is not measured."""
    findings = []
    if contents.unknown:
        line, word = contents.unknown[0]
        count = len(contents.unknown)
        what = f"{plural(count, 'line')} without a word of OBJ left out; the first begins with {quoted(word)}"
        findings.append(Finding("unknown-statements", "warning", what, value=float(count), where=f"line {line}"))
    kinds = _kinds(contents)
    severity: Severity = "warning" if "free-form surfaces" in kinds else "info"
    what = f"beside its faces the file has {_listed(kinds)}, which were left out"
    return [*findings, *counted(kinds.total(), "skipped-elements", severity, what)]
