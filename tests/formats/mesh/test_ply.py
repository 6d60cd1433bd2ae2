"""PLY: what the header says is checked against the bytes, and every coordinate is the file's, bit for bit.

Modules tested: `formats/mesh/ply`, `formats/mesh/ply_header`, `formats/mesh/ply_text_rows`,
`formats/mesh/ply_binary_rows`.
"""

from __future__ import annotations

import io
import struct
import tracemalloc

import numpy as np
import pytest
from cases import each, raised, refused
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import exact_moments

from massprops.errors import ReadError
from massprops.formats.mesh import ply
from massprops.mesh.source import CHUNK, InputFile

# The tetrahedron of three distinct products; no coordinate is a power of two.
VERTICES = [(1, 2, 3), (7, -1, 2), (0, 5, -4), (3, 3, 9)]
FACES = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)]
ENCODINGS = ["ascii", "binary_little_endian", "binary_big_endian"]
CODES = {
    "char": "b", "uchar": "B", "short": "h", "ushort": "H", "int": "i", "uint": "I", "float": "f", "double": "d",
    "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I", "float32": "f", "float64": "d", "int64": "q",
}  # fmt: skip


def read(data, name="t.ply"):
    return ply.read(InputFile(name, io.BytesIO(data), len(data)))


def facets(data):
    chunks = list(read(data).chunks())
    return np.concatenate(chunks)


def refusal(data):
    return refused(ReadError, read, data)


def header(encoding, elements, eol="\n", extra=()):
    lines = ["ply", f"format {encoding} 1.0", *extra]
    for name, rows, properties in elements:
        lines += [f"element {name} {rows}", *(f"property {p}" for p in properties)]
    return "".join(line + eol for line in [*lines, "end_header"]).encode("latin-1")


def body(encoding, properties, rows, eol="\n"):
    """Rows as a writer in the style of the format's author makes them: value by value."""
    out = []
    for row in rows:
        words = []
        for spec, value in zip(properties, row, strict=True):
            parts = spec.split()
            if parts[0] == "list":
                words += [(parts[1], len(value)), *((parts[2], v) for v in value)]
            else:
                words.append((parts[0], value))
        if encoding == "ascii":
            out.append((" ".join(repr(v) for _, v in words) + eol).encode())
        else:
            order = "<" if encoding == "binary_little_endian" else ">"
            out += (struct.pack(order + CODES[kind], v) for kind, v in words)
    return b"".join(out)


def build(encoding, *elements, eol="\n", extra=()):
    """A file of elements (name, properties, rows)."""
    head = header(encoding, [(name, len(rows), properties) for name, properties, rows in elements], eol, extra)
    return head + b"".join(body(encoding, properties, rows, eol) for _, properties, rows in elements)


XYZ = ["float x", "float y", "float z"]
INDICES = ["list uchar int vertex_indices"]


def mesh(encoding="ascii", vertices=VERTICES, faces=FACES, xyz=XYZ, indices=INDICES, **how):
    return build(encoding, ("vertex", xyz, vertices), ("face", indices, [(face,) for face in faces]), **how)


def expected(vertices=VERTICES, faces=FACES):
    return np.array([[vertices[i] for i in face] for face in faces], float)


# What is read.


@each("encoding", ENCODINGS)
@each("eol", ["\n", "\r\n", "\r"])
def test_every_encoding_and_line_end_holds_the_same_body(encoding, eol):
    source = read(mesh(encoding, eol=eol))
    assert (source.facets, source.format, source.encoding, source.findings) == (4, "ply", encoding, ())
    np.testing.assert_array_equal(np.concatenate(list(source.chunks())), expected())
    np.testing.assert_array_equal(np.concatenate(list(source.chunks())), expected(), err_msg="a second pass")


@each("kind", ["float", "double", "float32", "float64", "char", "short", "int", "int8", "int16", "int32"])
@each("encoding", ENCODINGS[1:])
def test_binary_coordinates_keep_their_type_and_whole_numbers_become_doubles(kind, encoding):
    got = facets(mesh(encoding, xyz=[f"{kind} {a}" for a in "xyz"]))
    assert got.dtype == (np.float32 if kind in ("float", "float32") else np.float64)
    assert got.dtype.isnative
    np.testing.assert_array_equal(got, expected())


@pytest.mark.parametrize("encoding", ENCODINGS[1:])
def test_coordinates_of_mixed_types_are_doubles(encoding):
    """A detour through float32 would lose the last 29 bits of the double among them."""
    vertices = [(1.5, 1 / 3, 3), (7.5, -1 / 7, 2), (0.5, 5.1, -4), (3.5, 3.3, 9)]
    got = facets(mesh(encoding, vertices, xyz=["float x", "double y", "short z"]))
    np.testing.assert_array_equal(got, expected(vertices))


@each("eol", ["\n", "\r\n", "\r"])
@each("first", [10, 13, 32])
def test_the_first_byte_of_data_may_look_like_a_line_end(eol, first):
    vertices = [(first, 10, 13), *VERTICES[1:]]
    got = facets(mesh("binary_little_endian", vertices, xyz=[f"char {a}" for a in "xyz"], eol=eol))
    np.testing.assert_array_equal(got, expected(vertices))


finite32 = st.floats(width=32, allow_nan=False, allow_infinity=False)
finite64 = st.floats(allow_nan=False, allow_infinity=False)


@settings(max_examples=50)
@given(st.lists(st.tuples(finite32, finite32, finite32), min_size=3, max_size=3), st.sampled_from(ENCODINGS[1:]))
def test_float_coordinates_are_the_files_bits(vertices, encoding):
    got = facets(mesh(encoding, vertices, [(0, 1, 2)]))
    assert got.tobytes() == np.array([vertices], np.float32).tobytes()


@settings(max_examples=80)
@given(st.lists(st.tuples(finite64, finite64, finite64), min_size=3, max_size=3), st.sampled_from(ENCODINGS))
def test_double_coordinates_are_the_files_bits(vertices, encoding):
    """In text: those of float(), whatever type the header declares."""
    xyz = XYZ if encoding == "ascii" else ["double x", "double y", "double z"]
    got = facets(mesh(encoding, vertices, [(0, 1, 2)], xyz=xyz))
    assert got.tobytes() == np.array([vertices], np.float64).tobytes()


@each("count", ["char", "uchar", "short", "ushort", "int", "uint", "int8", "uint32"])
@each("index", ["char", "uchar", "short", "ushort", "int", "uint", "uint8", "int16"])
@each("encoding", ENCODINGS)
def test_lists_of_every_type_hold_the_same_faces(count, index, encoding):
    faces = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)]
    for indices in (faces, [*faces, (0, 2, 1, 3)]):
        got = facets(mesh(encoding, faces=indices, indices=[f"list {count} {index} vertex_index"]))
        np.testing.assert_array_equal(got[:4], expected())


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_other_properties_and_elements_are_stepped_over(encoding):
    """Lists among the vertices, scalars before and after the indices, other tables before, between and after."""
    rows = [((9, 8), *v, 0.5, (1.5,) * i) for i, v in enumerate(VERTICES)]
    vertex = ["list uchar short tags", *XYZ, "double quality", "list int float weights"]
    faces = [(7, (0.25,) * i, f, 200) for i, f in enumerate(FACES)]
    face = ["short flags", "list uchar float texcoord", *INDICES, "uchar red"]
    data = build(
        encoding,
        ("camera", ["float fov", "list uchar int ids"], [(1.5, (1, 2, 3)), (2.5, ())]),
        ("vertex", vertex, rows),
        ("edge", ["int vertex1", "int vertex2"], [(0, 1)]),
        ("face", face, faces),
        ("nothing", [], []),
        ("material", ["uchar red"], [(13,), (10,)]),
        extra=["comment end_header", "obj_info element face 4000000000", ""],
    )
    np.testing.assert_array_equal(facets(data), expected())


@each("count", ["uchar", "char", "int"])
@each("encoding", ENCODINGS)
def test_lists_of_many_lengths_between_other_properties(encoding, count):
    """Each row begins where the one before it ends; lists counted by a byte are walked along another way."""
    faces = [(5, 4, 3, 2, 1, 0), SIDES[0][:3], (SIDES[0][0], *SIDES[0][2:]), *SIDES[1:], tuple(range(6, 12))]
    rows = [(float(i), 300 + i, f, 0.5 * i, i) for i, f in enumerate(faces)]
    face = ["double area", "short group", f"list {count} ushort vertex_indices", "float x", "uchar red"]
    # z is behind the list of a vertex, x and y before it; whose rows differ in length, too
    points = [(x, y, (7,) * (i % 4), z) for i, (x, y, z) in enumerate(PRISM)]
    vertex = ["float x", "float y", f"list {count} double tags", "float z"]
    got = facets(build(encoding, ("vertex", vertex, points), ("face", face, rows), ("end", ["uchar a"], [(13,)])))
    for plain in {encoding, "ascii"}:
        np.testing.assert_array_equal(got, facets(mesh(plain, PRISM, faces)))
    assert exact_moments(got).measure == 16 * 3


@pytest.mark.parametrize("encoding", ENCODINGS[1:])
def test_a_file_that_ends_in_a_list_counted_by_a_byte_is_refused_wherever_it_ends(encoding):
    data = mesh(encoding, PRISM, [SIDES[0][:3], *SIDES[1:]])
    rows = data.index(b"end_header\n") + len(b"end_header\n") + 12 * 12
    # five quads of 17 bytes, one triangle of 13; the header is refused where not even empty rows would fit
    for end in range(rows + 6, len(data)):
        row = 0 if end < rows + 13 else 1 + (end - rows - 13) // 17
        found = f"the header promises 6 rows of element face, but the file ends in row {row}"
        assert refusal(data[:end]) == f"t.ply: {found}; {TRUNCATED}"


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_faces_may_come_before_their_vertices(encoding):
    data = build(
        encoding,
        ("face", INDICES, [(f,) for f in FACES]),
        ("vertex", ["int z", "int x", "int y"], [(v[2], v[0], v[1]) for v in VERTICES]),
    )
    np.testing.assert_array_equal(facets(data), expected())


# A prism of an L: triangles, quads and hexagons, closed. Area 16, height 3.
L = [(0, 0), (5, 0), (5, 2), (2, 2), (2, 5), (0, 5)]
PRISM = [(x, y, z) for z in (0, 3) for x, y in L]
SIDES = [(i, (i + 1) % 6, 6 + (i + 1) % 6, 6 + i) for i in range(6)]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_strips_turn_every_second_triangle_and_begin_anew_at_minus_one(encoding):
    """The octahedron in two strips: outward all around, 4/3 of r³. A vertex given more than once makes no facet."""
    points = [(3, 0, 0), (-3, 0, 0), (0, 3, 0), (0, -3, 0), (0, 0, 3), (0, 0, -3)]
    strips = [(4, 0, 2, 5, 1, 3, -1, 5, 0, 3, 3), (4, 1, 3), (4, 2, 1), (4, 3, 0), (2, 5, 1)]
    strips = [(0, 2, 4, 1, 3, -1, 2, 0, 5, 3, 1, -1, -1, 1, 2, 5, 5), (4, 3, 0)]
    data = build(encoding, ("vertex", XYZ, points), ("tristrips", INDICES, [(s,) for s in strips]))
    got = facets(data)
    assert len(got) == 8
    assert exact_moments(got).measure == 36


def test_strips_follow_faces():
    data = build(
        "ascii", ("vertex", XYZ, VERTICES), ("face", INDICES, [((0, 2, 1),)]), ("tristrips", INDICES, [((0, 1, 3, 2),)])
    )
    np.testing.assert_array_equal(facets(data), expected(faces=[(0, 2, 1), (0, 1, 3), (3, 1, 2)]))


def test_nan_in_a_property_that_is_not_measured_does_no_harm():
    """Normals of degenerate facets are written so."""
    rows = [(*v, float("nan")) for v in VERTICES]
    data = build("ascii", ("vertex", [*XYZ, "float nx"], rows), ("face", INDICES, [(f,) for f in FACES]))
    np.testing.assert_array_equal(facets(data.replace(b"nan", b"-1.#IND", 1).replace(b"nan", b"red", 1)), expected())


def test_long_meshes_come_in_chunks_of_every_facet():
    """Over many blocks of the reader, and with one odd face at the end."""
    n = 40_000
    points = np.arange(3 * n).reshape(-1, 3).astype("<f4")
    head = header("binary_little_endian", [("vertex", n, XYZ), ("face", n, INDICES)])
    index = np.stack([np.arange(n), (np.arange(n) + 7) % n, (np.arange(n) * 3) % n], axis=1)
    records = np.zeros(n, [("n", "u1"), ("i", "<i4", 3)])
    records["n"], records["i"] = 3, index
    got = facets(head + points.tobytes() + records.tobytes())
    np.testing.assert_array_equal(got, points[index])


def many_faces(count, encoding="binary_little_endian"):
    """A file of so many triangles of six vertices."""
    random = np.random.default_rng(4)
    none, order = mesh(encoding, random.normal(size=(6, 3)).tolist(), []), "<" if "little" in encoding else ">"
    rows = np.full(count, 3, [("count", "u1"), ("indices", f"{order}i4", 3)])
    rows["indices"] = random.integers(0, 6, (count, 3))
    return none.replace(b"element face 0\n", f"element face {count}\n".encode()) + rows.tobytes()


BOTH_ORDERS = ["binary_little_endian", "binary_big_endian"]


@pytest.mark.parametrize("encoding", BOTH_ORDERS)
@pytest.mark.parametrize("index", ["char", "uchar", "short", "ushort", "int", "uint", "int64"])
@pytest.mark.parametrize("extra", [[], ["uchar flags"]])
def test_triangles_are_the_same_read_by_chunks_and_whole(index, encoding, extra, monkeypatch):
    rows = [(face, *[7] * len(extra)) for face in FACES * 3]
    xyz = ["double x", "float confidence", "double y", "double z"] if extra else XYZ
    points = [(x, 9.5, y, z) if extra else (x, y, z) for x, y, z in VERTICES]
    data = build(encoding, ("vertex", xyz, points), ("face", [f"list uchar {index} vertex_indices", *extra], rows))
    by_chunks = read(data)
    assert by_chunks.facets == 12
    monkeypatch.setattr(ply, "_stream", lambda *_: None)
    whole = read(data)
    assert (by_chunks.encoding, by_chunks.findings) == (whole.encoding, whole.findings)
    for one, other in zip(by_chunks.chunks(), whole.chunks(), strict=True):
        assert one.dtype == other.dtype
        assert np.array_equal(one, other)


@pytest.mark.parametrize("size", [(1 << 16) - 1, 1 << 16, (1 << 16) + 1, 1 << 17])
def test_a_header_may_end_anywhere_about_the_first_block(size):
    # a line end of two bytes may be cut in two there: then all rows would be a byte off
    def data(filler):
        return mesh("binary_little_endian", eol="\r\n", extra=["comment " + "x" * filler])

    body = len(data(0)) - data(0).index(b"end_header\r\n") - len(b"end_header\r\n")
    long = data(size - (len(data(0)) - body))
    assert long.index(b"end_header\r\n") + len(b"end_header\r\n") == size
    np.testing.assert_array_equal(facets(long), expected())
    assert "truncated" in refusal(long[:-1])


def test_of_two_faults_the_same_is_told_as_in_files_read_whole(monkeypatch):
    data = mesh("binary_little_endian", [(float("nan"), 2, 3), *VERTICES[1:]])
    data = data[:-13] + b"\x04" + data[-12:]
    by_chunks = refusal(data)
    monkeypatch.setattr(ply, "_stream", lambda *_: None)
    assert refusal(data) == by_chunks


@pytest.mark.parametrize("count", [1, CHUNK, CHUNK + 1, 3 * CHUNK - 1])
def test_chunks_end_where_the_faces_do(count):
    source = read(many_faces(count))
    assert source.facets == count
    assert [len(c) for c in source.chunks()] == [CHUNK] * (count // CHUNK) + [count % CHUNK] * (count % CHUNK > 0)


def test_faces_of_binary_triangles_are_not_held_in_memory():
    data = many_faces(400_000)
    tracemalloc.start()
    try:
        source = read(data)
        assert sum(map(len, source.chunks())) == 400_000
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4 << 20 < len(data)  # a chunk of coordinates, and what is made of it


def test_two_passes_at_once_do_not_disturb_each_other():
    source = read(many_faces(2 * CHUNK + 5))
    for one, other in zip(source.chunks(), source.chunks(), strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: data[:-14], "the file became shorter while it was read"),
        (lambda data: data[:-13] + b"\x04" + data[-12:], "the file changed while it was read"),
        (lambda data: data[:-4] + b"\x06\0\0\0", "the file changed while it was read"),
        (lambda data: data[:-4] + b"\xff\xff\xff\xff", "the file changed while it was read"),
    ],
    ids=["shorter", "a quad", "an index", "a negative index"],
)
def test_a_file_that_changes_between_two_passes_is_refused(change, said):
    data = many_faces(CHUNK + 1)
    stream = io.BytesIO(data)
    source = ply.read(InputFile("t.ply", stream, len(data)))
    assert len(list(source.chunks())) == 2
    stream.seek(0)
    stream.truncate()
    stream.write(change(data))
    caught = raised(ReadError, list, source.chunks())
    assert str(caught) == f"t.ply: {said}"
    assert caught.code == "truncated-file"


def test_padding_after_the_last_row_is_told():
    source = read(mesh("binary_little_endian") + b"\0" * 6)
    assert [(f.code, f.severity, f.message, f.value) for f in source.findings] == [
        ("surplus-data", "info", "6 bytes of padding after the last row", 6.0)
    ]


# What is refused.

TEXT = mesh().decode()
BINARY = mesh("binary_little_endian")
AGAIN = "export the mesh again"
FINITE = "export the file again; a coordinate must be finite"
DAMAGED = "export the mesh again; the header is damaged or was edited"
MISCOUNTED = "the header and the rows do not agree; export the mesh again"
TRUNCATED = "the file looks truncated; export or download it again"
FORMATS = "known: ascii, binary_little_endian, binary_big_endian, version 1.0"
COUNT, INDEX = "the count of list vertex_indices", "property vertex_indices"
NO_NUMBER = f"which is no number of a vertex; {MISCOUNTED}"
VALUE = "property x of element vertex:"
WORD = "is not a number; a number is expected here; is the line damaged, or the file of another format?"
REAL_COUNT = "the list vertex_indices counts its values in float, and a count is a whole number"
REAL_INDEX = "the list vertex_indices has real numbers where it needs whole ones"
NO_LIST = "element face needs one list 'vertex_indices' or 'vertex_index'"
ONLY_FOUR = f"but the file has 4 vertices, numbered from 0; {AGAIN}"
PROMISE = "the header promises 4000000000 rows of element face"
TAGGED = "a row of element vertex needs at least 4 values, but has 3"
LAST_ROW = f"the last row that the header declares; {MISCOUNTED}"
TYPES = (
    "known: char, uchar, short, ushort, int, uint, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64,"
    " float32, float64"
)

BAD_TEXT = {
    "not ply": ("ply\n", "plain\n", "t.ply:1: a PLY file begins with the line 'ply', got 'plain'; is it another format?"),
    "no format": ("format ascii 1.0\n", "", f"t.ply:8: the header has no 'format' line; {DAMAGED}"),
    "version": ("ascii 1.0", "ascii 2.0", f"t.ply:2: unknown format 'ascii 2.0'; {FORMATS}"),
    "two formats": ("format ascii 1.0\n", "format ascii 1.0\n" * 2, f"t.ply:3: a second 'format' line; {DAMAGED}"),
    "no end": ("end_header\n", "", f"t.ply:9: '1 2 3' is no line of a PLY header; {DAMAGED}"),
    "junk in the header": ("element face", "elephant face", f"t.ply:7: 'elephant face 4' is no line of a PLY header; {DAMAGED}"),
    "negative rows": ("element face 4", "element face -4", f"t.ply:7: element face has '-4' rows, which is no count; {DAMAGED}"),
    "two vertex elements": ("element face", "element vertex", f"t.ply:7: a second element 'vertex'; {DAMAGED}"),
    "two x": ("float y", "float x", f"t.ply:5: a second property 'x' of element vertex; {DAMAGED}"),
    "homeless property": ("element vertex 4\n", "", f"t.ply:3: property 'x' comes before any element; {DAMAGED}"),
    "type": ("float x", "real x", f"t.ply:4: unknown type 'real'; {TYPES}"),
    "real counts": ("uchar int", "float int", f"t.ply:8: {REAL_COUNT}; {DAMAGED}"),
    "real indices": ("uchar int", "uchar float", f"t.ply: {REAL_INDEX}; {AGAIN}"),
    "no z": ("float z", "float w", f"t.ply: element vertex has no property 'z' (properties: x, y, w); {AGAIN}"),
    "no indices": ("vertex_indices", "corners", f"t.ply: {NO_LIST} (properties: corners); {AGAIN}"),
    "no vertices": ("element vertex", "element vertices", f"t.ply: no element 'vertex' (elements: vertices, face); {AGAIN}"),
    "word": ("7 -1 2", "seven -1 2", f"t.ply:11: {VALUE} 'seven' {WORD}"),
    "word for z": ("7 -1 2", "7 -1 two", f"t.ply:11: property z of element vertex: 'two' {WORD}"),
    "word for a count": ("3 0 1 3", "x 0 1 3", f"t.ply:15: the count of list vertex_indices of element face: 'x' {WORD}"),
    "word for an index": ("3 0 1 3", "3 0 1 x", f"t.ply:15: property vertex_indices of element face: 'x' {WORD}"),
    "nan": ("7 -1 2", "7 nan 2", f"t.ply:11: property y of element vertex: 'nan' is not a number; {FINITE}"),
    "short row": ("7 -1 2", "7 -1", f"t.ply:11: a row of element vertex needs at least 3 values, but has 2; {MISCOUNTED}"),
    "long row": ("7 -1 2", "7 -1 2 5", f"t.ply:11: a row of element vertex needs 3 values, but has 4; {MISCOUNTED}"),
    "short list": ("3 0 1 3", "3 0 1", f"t.ply:15: a row of element face needs at least 4 values, but has 3; {MISCOUNTED}"),
    "short row before a list": ("float z\n", "float z\nproperty list uchar int tags\n", f"t.ply:11: {TAGGED}; {MISCOUNTED}"),
    "long list": ("3 0 1 3", "3 0 1 3 2", f"t.ply:15: a row of element face needs 4 values, but has 5; {MISCOUNTED}"),
    "negative count": ("3 0 1 3", "-3 0 1 3", f"t.ply:15: {COUNT} is -3, which is no count; {MISCOUNTED}"),
    "broken count": ("3 0 1 3", "3.5 0 1 3", f"t.ply:15: {COUNT} is 3.5, which is no count; {MISCOUNTED}"),
    "nan count": ("3 0 1 3", "nan 0 1 3", f"t.ply:15: {COUNT} of element face: 'nan' is not a number; {FINITE}"),
    "huge count": ("3 0 1 3", "4000000000 0 1 3", f"t.ply:15: {COUNT} is 4000000000, which is no count; {MISCOUNTED}"),
    "index": ("3 0 1 3", "3 0 1 9", f"t.ply:15: face refers to vertex 9, {ONLY_FOUR}"),
    "negative index": ("3 0 1 3", "3 0 1 -1", f"t.ply:15: face refers to vertex -1, {ONLY_FOUR}"),
    "broken index": ("3 0 1 3", "3 0 1 1.5", f"t.ply:15: {INDEX} is 1.5, {NO_NUMBER}"),
    "broken index at the end": ("3 1 2 3\n3 2 0 3\n", "3 1 2 .5\n3 2 0 3", f"t.ply:16: {INDEX} is 0.5, {NO_NUMBER}"),
    "nan index": ("3 0 1 3", "3 0 1 nan", f"t.ply:15: {INDEX} of element face: 'nan' is not a number; {FINITE}"),
    "missing rows": ("3 2 0 3\n", "", f"t.ply: the header promises 4 rows of element face, but 3 are left; {TRUNCATED}"),
    "surplus rows": ("3 2 0 3\n", "3 2 0 3\n3 0 1 2\n", f"t.ply:18: 1 line after {LAST_ROW}"),
    "promise": ("element face 4", "element face 4000000000", f"t.ply: {PROMISE}, but 4 are left; {TRUNCATED}"),
}  # fmt: skip


def test_faces_that_all_go_on_with_what_is_not_stated_are_read():
    """Old exporters write texture coordinates or colours behind each face, and forget to state them; a single longer row is damage."""
    lines = TEXT.splitlines(keepends=True)
    longer = "".join([*lines[:-4], *(line.replace("\n", " 255 0 .5\n") for line in lines[-4:])])
    found = read(longer.encode())
    assert [(f.code, f.severity, f.value) for f in found.findings] == [("surplus-data", "warning", 4.0)]
    assert np.array_equal(facets(longer.encode()), facets(TEXT.encode()))
    assert refusal(longer.replace(" 255 0 .5", "", 1).encode()).startswith(
        "t.ply:15: a row of element face needs 4 values, but has 7"
    )


def test_a_line_without_comment_before_the_elements_is_none_of_them():
    with_author = TEXT.replace("element vertex", "Created by somebody\nelement vertex")
    assert np.array_equal(facets(with_author.encode()), facets(TEXT.encode()))


@each("case", BAD_TEXT)
def test_a_bad_text_file_is_refused_with_its_place(case):
    good, bad, message = BAD_TEXT[case]
    assert good in TEXT
    assert refusal(TEXT.replace(good, bad, 1).encode()) == message


def test_a_list_for_a_coordinate_is_refused():
    data = build(
        "ascii",
        ("vertex", ["list uchar float x", "float y", "float z"], [((1.0,), 2.0, 3.0)]),
        ("face", INDICES, [((0, 0, 0),)]),
    )
    assert refusal(data) == f"t.ply: property 'x' of element vertex is a list; {AGAIN}"


@pytest.mark.parametrize("cut", [3, 40, 150])
def test_a_header_that_stops_is_refused(cut):
    message = refusal(BINARY[: BINARY[:cut].rfind(b"\n") + 1] if cut > 3 else b"ply\n")
    assert message.endswith("the header has no end: the line 'end_header' is missing; the file looks truncated")


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_point_cloud_is_named(encoding):
    as_surface = "export the surface as a mesh; points have no volume"
    assert refusal(build(encoding, ("vertex", XYZ, VERTICES))) == (
        f"t.ply: a point cloud of 4 points: there is no element 'face'; {as_surface}"
    )
    assert refusal(mesh(encoding, faces=[])) == (
        f"t.ply: a point cloud of 4 points: element 'face' has no rows; {as_surface}"
    )
    assert refusal(mesh(encoding, faces=[(0, 1), (2,)])) == (
        f"t.ply: a point cloud of 4 points: none of its faces has 3 vertices; {as_surface}"
    )
    assert refusal(mesh(encoding, [], [])) == (
        "t.ply: no vertices and no faces; export the mesh again; there is nothing to measure"
    )


def test_strips_without_a_triangle_are_refused():
    data = build("ascii", ("vertex", XYZ, VERTICES), ("tristrips", INDICES, [((0, 1, -1, 1, 2, 2),)]))
    assert refusal(data).startswith("t.ply: a point cloud of 4 points: there is no element 'face'; ")


def test_bad_strip_indices_are_refused():
    data = build("ascii", ("vertex", XYZ, VERTICES), ("tristrips", INDICES, [((0, 1, 2),), ((0, 1, -2),)]))
    assert refusal(data) == f"t.ply:15: strip refers to vertex -2, {ONLY_FOUR}"


def test_binary_rows_are_named_by_number():
    nine = f"t.ply: face 2 refers to vertex 9, {ONLY_FOUR}"
    faces = [*FACES[:2], (9, 1, 3)]
    assert refusal(mesh("binary_big_endian", faces=faces)) == nine
    assert refusal(mesh("binary_big_endian", faces=[*faces, (0, 1, 2, 3)])) == nine
    nan = [*VERTICES[:1], (0, 0, float("nan")), *VERTICES[2:]]
    assert refusal(mesh("binary_little_endian", nan)) == (f"t.ply: vertex 1 has the z coordinate nan; {FINITE}")


def test_a_negative_binary_count_is_refused():
    data = mesh("binary_little_endian", indices=["list char int vertex_indices"])
    first = len(data) - 4 * 13
    for row in (0, 2):
        bad = data[: first + 13 * row] + b"\xfd" + data[first + 13 * row + 1 :]
        assert refusal(bad) == f"t.ply: a list of face {row} has -3 values, which is no count; {MISCOUNTED}"


def test_truncated_binary_rows_are_refused():
    assert refusal(BINARY[:-53]) == (
        f"t.ply: the header promises 4 rows of element vertex (48 bytes), but 47 bytes are left; {TRUNCATED}"
    )
    for size in range(5, 53):
        assert refusal(BINARY[:-size]).endswith(f" bytes are left; {TRUNCATED}") or "the file ends in row" in refusal(
            BINARY[:-size]
        )
    assert refusal(BINARY[:-1]) == (
        f"t.ply: the header promises 4 rows of element face, but the file ends in row 3; {TRUNCATED}"
    )
    assert refusal(BINARY[:-50]) == (
        f"t.ply: the header promises 4 rows of element face (4 bytes or more), but 2 bytes are left; {TRUNCATED}"
    )


def test_surplus_bytes_are_refused():
    """They may be a second mesh, or a count that is wrong: either way the number would be another body's."""
    assert refusal(BINARY + BINARY) == (
        f"t.ply: {len(BINARY)} bytes after the last row that the header declares; {MISCOUNTED}"
    )


@pytest.mark.parametrize("encoding", BOTH_ORDERS)
def test_vertices_without_any_property_are_refused(encoding):
    data = header(encoding, [("vertex", 4, []), ("face", 1, INDICES)]) + b"\x03" + bytes(12)
    assert refusal(data).startswith("t.ply: element vertex has no property 'x' (properties: none)")


def test_a_signalling_nan_is_refused_without_a_warning():
    # beside doubles, so that it is converted
    rows = struct.pack("<fdd", 0, 0, 0).replace(bytes(4), b"\1\0\x80\x7f", 1)
    data = header("binary_little_endian", [("vertex", 1, ["float x", "double y", "double z"]), ("face", 1, INDICES)])
    assert refusal(data + rows + b"\x03" + bytes(12)).startswith("t.ply: vertex 0 has the x coordinate nan")


@each("encoding", ENCODINGS)
@each("element", ["vertex", "face", "nothing"])
def test_promises_of_four_billion_rows_allocate_nothing(encoding, element):
    text = mesh(encoding).replace(f"element {element} 4\n".encode(), f"element {element} 4000000000\n".encode())
    if element == "nothing":
        text = text.replace(b"end_header", b"element nothing 4000000000\nend_header")
    tracemalloc.start()
    try:
        if element == "nothing":  # a row of nothing takes no byte
            assert read(text).facets == 4
        else:
            refusal(text)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_a_binary_count_of_four_billion_allocates_nothing():
    data = mesh("binary_little_endian", indices=["list uint int vertex_indices"])
    first = len(data) - 4 * 16
    for row in (0, 1):
        bad = data[: first + 16 * row] + b"\xff\xff\xff\xff" + data[first + 16 * row + 4 :]
        assert refusal(bad) == (
            f"t.ply: the header promises 4 rows of element face, but the file ends in row {row}; {TRUNCATED}"
        )
