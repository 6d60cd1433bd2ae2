"""OBJ: every way to write a face, every coordinate as `float()` reads it, and no line passed over in silence."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import text_reading
from cases import each
from cores import CORES, core_of
from oracles import exact_moments
from text_reading import outcome, source

from massprops.findings import Finding
from massprops.mesh import triangulation as polygons

VERTICES = [(1, 2, 3), (7, -1, 2), (0, 5, -4), (3, 3, 9)]
FACES = [(1, 3, 2), (1, 2, 4), (2, 3, 4), (3, 1, 4)]
POINTS = "".join(f"v {x} {y} {z}\n" for x, y, z in VERTICES)
TETRAHEDRON = POINTS + "".join(f"f {a} {b} {c}\n" for a, b, c in FACES)
EXPECTED = np.array([[VERTICES[i - 1] for i in face] for face in FACES], float)


read, facets = partial(source, "obj"), partial(text_reading.facets, "obj")


def refusal(text):
    return str(text_reading.refusal("obj", text))


def faces_as(corner):
    return "".join("f " + " ".join(corner(i, place) for place, i in enumerate(face)) + "\n" for face in FACES)


# What is read.


def test_the_tetrahedron_is_read_as_written():
    found = read(TETRAHEDRON)
    assert (found.name, found.format, found.encoding) == ("part.obj", "obj", "ascii")
    assert (found.facets, found.unit) == (4, None)
    assert found.findings == ()
    got = np.concatenate(list(found.chunks()))
    assert got.dtype == np.float64
    np.testing.assert_array_equal(got, EXPECTED)
    assert 6 * exact_moments(got).measure == 181


CORNERS = {
    "v/vt": lambda i, _: f"{i}/7",
    "v//vn": lambda i, _: f"{i}//7",
    "v/vt/vn": lambda i, _: f"{i}/7/8",
    "v/": lambda i, _: f"{i}/",
    "v//": lambda i, _: f"{i}//",
    "v/vt/": lambda i, _: f"{i}/7/",
    "all in one face": lambda i, place: (f"{i}", f"{i}/2", f"{i}//-3")[place],
    "backwards": lambda i, _: f"{i - 5}",
    "backwards, with normals": lambda i, _: f"{i - 5}/-1/-1",
    "both ways": lambda i, place: f"{i - 5 * (place % 2)}",
}


@each("form", CORNERS)
def test_corners_of_every_form_name_the_same_vertices(form):
    text = POINTS + faces_as(CORNERS[form])
    np.testing.assert_array_equal(facets(text), EXPECTED)
    with core_of("numpy"):
        np.testing.assert_array_equal(facets(text), EXPECTED)


@pytest.mark.parametrize("core", CORES)
def test_negative_numbers_count_back_from_the_vertices_so_far(core):
    text = "".join(f"v {x} {y} {z}\n" for face in FACES for x, y, z in (VERTICES[i - 1] for i in face)).splitlines()
    text = "".join(line + "\n" + ("f -3 -2 -1\n" if i % 3 == 2 else "") for i, line in enumerate(text))
    with core_of(core):
        np.testing.assert_array_equal(facets(text), EXPECTED)


VARIANTS = {
    "old code page": b"# f\xfcnf\no k\xf6rper\n" + TETRAHEDRON.encode(),
    "blanks": TETRAHEDRON.replace(" ", "   ").replace("\n", "  \n\n"),
    "indented": " " + TETRAHEDRON.replace("\n", "\n \t"),
    "comments": "# v 1 2 3\n" + TETRAHEDRON.replace("v 7 -1 2", "v 7 -1 2 # the tip") + "#f 1 2 3",
    "a comment that ends in a backslash": TETRAHEDRON.replace("v 7", "# C:\\parts\\\nv 7"),
    "continued": TETRAHEDRON.replace("v 7 -1 2", "v 7 \\\n -1 \\ \n2").replace("f 1 3 2", "f\\\n1\\\n3\\\n 2"),
    "a lone backslash at the end": TETRAHEDRON + "\\",
    "continued, CRLF": TETRAHEDRON.replace("v 7 -1 2", "v 7 \\\n -1\\\n2").replace("\n", "\r\n"),
    "groups and materials": TETRAHEDRON.replace(
        "f 1 2 4\n", "o b\ng lid left\ns off\nusemtl steel_2\nmg 1 0.1\nf 1 2 4\n"
    ),
    "texture and normals": "vt 0 1\nvn 0 0 1\nvp 0.5\nmtllib a.mtl\n" + TETRAHEDRON,
    "colours": "".join(f"v {x} {y} {z} 0.5 0.25 1\n" for x, y, z in VERTICES) + "".join(TETRAHEDRON[len(POINTS) :]),
    "weights of one": "".join(f"v {x} {y} {z} 1.0\n" for x, y, z in VERTICES) + TETRAHEDRON[len(POINTS) :],
    "weights and colours": "".join(f"v {x} {y} {z} 1 0.5 0 1\n" for x, y, z in VERTICES) + TETRAHEDRON[len(POINTS) :],
    "one colour": TETRAHEDRON.replace("v 7 -1 2", "v 7 -1 2 1 0 0"),
    "capitals": TETRAHEDRON.replace("v ", "V ").replace("f ", "F "),
    "faces of the old version": TETRAHEDRON.replace("f ", "fo "),
    "exponents": TETRAHEDRON.replace("v 7 -1 2", "v +.7E1 -10.e-1 2.0"),
}


@each("name", VARIANTS)
def test_the_same_body_is_read_from_every_way_to_write_it(name):
    found = read(VARIANTS[name])
    np.testing.assert_array_equal(np.concatenate(list(found.chunks())), EXPECTED)
    assert found.findings == ()


@pytest.mark.parametrize("block", [1, 8, 30, 100, 1 << 17])
def test_where_blocks_end_does_not_matter(block):
    """Vertices, faces, normals and other lines in turn, faces that count backwards, and every number of corners."""
    text, count = "# turns\n", 0
    for i in range(60):
        text += "".join(f"v {i}.{j} -{j}.5e-{i % 3} +{i * j}\nvn 0 0 1\n" for j in range(3 + i % 4))
        count += 3 + i % 4
        corners = [j - 3 - i % 4 if i % 2 else count - j for j in range(3 + i % 4)]
        text += "g part\n" * (i % 5 == 0) + "f " + " ".join(f"{c}//{c}" if i % 3 else f"{c}" for c in corners) + "\n"
    assert outcome("obj", text, block) == outcome("obj", text, core="numpy")


def test_objects_and_groups_are_all_taken():
    second = POINTS.replace("v ", "v 10") + "".join(f"f {a + 4} {b + 4} {c + 4}\n" for a, b, c in FACES)
    assert len(facets(f"{TETRAHEDRON}o second\n{second}")) == 8


@pytest.mark.parametrize("line", ["f 1 2\n", "f 3/1/1\n", "f\n", "f 3 1 \\"])
def test_a_face_of_fewer_than_three_vertices_is_left_out_and_noted(line):
    """Such lines bound nothing: the others are the whole surface."""
    found = read(TETRAHEDRON + line)
    assert np.array_equal(np.concatenate(list(found.chunks())), facets(TETRAHEDRON))
    what = "beside its faces the file has faces of fewer than 3 vertices (1), which were left out"
    assert found.findings == (Finding("skipped-elements", "info", what, 1.0),)


@each("colour", ["nan nan nan", "-nan 0 0", "1 NaN inf", "1 red 0"])
@each("weight", ["", "1 "])
def test_a_colour_that_is_not_finite_is_no_coordinate(colour, weight):
    text = TETRAHEDRON.replace("v 7 -1 2", f"v 7 -1 2 {weight}{colour}")
    assert np.array_equal(facets(text), facets(TETRAHEDRON))


def test_other_geometry_beside_faces_is_told():
    lines, surfaces = read(TETRAHEDRON + "l 1 2\nl 2 3\np 1\n"), read(TETRAHEDRON + "surf 0 1 0 1 1 2 3 4\n")
    said = "beside its faces the file has lines (2), points (1), which were left out"
    assert lines.findings == (Finding("skipped-elements", "info", said, 3.0),)
    said = "beside its faces the file has free-form surfaces (1), which were left out"
    assert surfaces.findings == (Finding("skipped-elements", "warning", said, 1.0),)


def test_words_that_begin_like_those_of_obj_are_told():
    for word in ("vnx", "vtx", "vx", "fx", "vn1"):
        text = TETRAHEDRON.replace("f 1 2 4", f"{word} 0 0 1\nf 1 2 4")
        (finding,) = read(text).findings
        assert finding.message == f"1 line without a word of OBJ left out; the first begins with '{word}'"


def test_numbers_do_not_move_from_line_to_line():
    """Two and four numbers are as many as three and three."""
    assert refusal(TETRAHEDRON.replace("v 7 -1 2\nv 0", "v 7 -1\nv 2 0")) == (
        f"part.obj:2: vertex has 2 numbers; {VERTEX_FORM}"
    )
    assert refusal(TETRAHEDRON.replace("v 7 -1 2\nv 0", "v 7 -1 2 0\nv")).startswith(
        "part.obj:2: vertex has the weight 0.0, "
    )


def test_lines_that_are_no_obj_are_told():
    """A damaged line may have been a vertex or a face."""
    found = read(TETRAHEDRON.replace("f 1 2 4", "hello world\nx 1 2 3\nf 1 2 4"))
    said = "2 lines without a word of OBJ left out; the first begins with 'hello'"
    assert found.findings == (Finding("unknown-statements", "warning", said, 2.0, where="line 6"),)


# What is refused.

CORNER_FORM = "a corner is v, v/vt, v//vn or v/vt/vn, in whole numbers"
VERTEX_FORM = "a vertex is x y z, then perhaps the weight 1, then perhaps a colour of three numbers"
EXPORT = "export the file again; a coordinate must be finite"
WORD = "a number is expected here; is the line damaged, or the file of another format?"
COMMA = "has a comma where a number has a decimal point; export with '.' as the decimal separator"
FORTRAN = "has a Fortran exponent; write the exponent with 'e', as in 1.0e+05"
BINARY = "binary data where a statement is expected; the file is damaged, or of another format"
ELSEWHERE = "which massprops does not follow; export the mesh in one file"
FROM_ONE = (
    "face refers to vertex 0, but OBJ counts vertices from 1 (and backwards from -1);"
    " was it written by a program that counts from 0?"
)
WEIGHT = "and only 1 means the same to every program; divide x, y and z by it if they are homogeneous, and leave it out"

BAD = {
    "index": ("f 1 2 4", "f 1 2 9", "6: face refers to vertex 9, but only 4 vertices are defined before it"),
    "backward index": ("f 1 2 4", "f -1 -2 -5", "6: face refers to vertex -5, but only 4 vertices are defined before it"),
    "index zero": ("f 1 2 4", "f 0 1 2", f"6: {FROM_ONE}"),
    "broken index": ("f 1 2 4", "f 1 2 4.5", f"6: face corner '4.5' is no vertex number; {CORNER_FORM}"),
    "word for an index": ("f 1 2 4", "f 1 2 four", f"6: face corner 'four' is no vertex number; {CORNER_FORM}"),
    "underscore": ("f 1 2 4", "f 1 2 0_4", f"6: face corner '0_4' is no vertex number; {CORNER_FORM}"),
    "four parts": ("f 1 2 4", "f 1 2 4/1/1/1", f"6: face corner '4/1/1/1' is no vertex number; {CORNER_FORM}"),
    "word for a normal": ("f 1 2 4", "f 1 2 4//n", f"6: face corner '4//n' is no vertex number; {CORNER_FORM}"),
    "slash alone": ("f 1 2 4", "f 1 2 /4", f"6: face corner '/4' is no vertex number; {CORNER_FORM}"),
    "slash apart": ("f 1 2 4", "f 1 /7 2 4", f"6: face corner '/7' is no vertex number; {CORNER_FORM}"),
    "endless index": ("f 1 2 4", "f 1 2 " + "4" * 5000, f"6: face corner '{'4' * 37}...' is no vertex number; {CORNER_FORM}"),
    "two numbers": ("v 7 -1 2", "v 7 -1", f"2: vertex has 2 numbers; {VERTEX_FORM}"),
    "one number": ("v 7 -1 2", "v 7", f"2: vertex has 1 number; {VERTEX_FORM}"),
    "no number": ("v 7 -1 2", "v", f"2: vertex has 0 numbers; {VERTEX_FORM}"),
    "five numbers": ("v 7 -1 2", "v 7 -1 2 1 1", f"2: vertex has 5 numbers; {VERTEX_FORM}"),
    "eight numbers": ("v 7 -1 2", "v 7 -1 2 1 1 1 1 1", f"2: vertex has 8 numbers; {VERTEX_FORM}"),
    "weight": ("v 7 -1 2", "v 7 -1 2 0.5", f"2: vertex has the weight 0.5, {WEIGHT}"),
    "weight or red": ("v 7 -1 2", "v 7 -1 2 0.5 1 1 1", f"2: vertex has the weight 0.5, {WEIGHT}"),
    "nan": ("v 7 -1 2", "v 7 nan 2", f"2: vertex coordinate 'nan' is not a number; {EXPORT}"),
    "infinity": ("v 7 -1 2", "v 7 -inf 2", f"2: vertex coordinate '-inf' is infinite; {EXPORT}"),
    "too large": ("v 7 -1 2", "v 7 1e999 2", f"2: vertex coordinate '1e999' is too large for a double-precision number; {EXPORT}"),
    "decimal comma": ("v 7 -1 2", "v 7,5 -1 2", f"2: vertex coordinate '7,5' {COMMA}"),
    "Fortran": ("v 7 -1 2", "v 0.7D+01 -1 2", f"2: vertex coordinate '0.7D+01' {FORTRAN}"),
    "word": ("v 7 -1 2", "v 7 minus 2", f"2: vertex coordinate 'minus' is not a number; {WORD}"),
    "underscores": ("v 7 -1 2", "v 7 1_0 2", f"2: vertex coordinate '1_0' is not a number; {WORD}"),
    "binary": ("v 7 -1 2", "\x01\x02v 7 -1 2", f"2: {BINARY}"),
    "call": ("v 7 -1 2", "call lid.obj", f"2: the statement 'call' calls another file, {ELSEWHERE}"),
    "shell": ("v 7 -1 2", "csh rm", f"2: the statement 'csh' runs a command, {ELSEWHERE}"),
    "after a continued line": ("v 7 -1 2\nv 0 5 -4", "v 7 \\\n-1 2\nv 0 5 x", f"4: vertex coordinate 'x' is not a number; {WORD}"),
    "in a continued line": ("v 7 -1 2", "v 7 \\\n-1 x", f"2: vertex coordinate 'x' is not a number; {WORD}"),
}  # fmt: skip


@each("case", BAD)
def test_a_bad_line_is_refused_with_its_number(case):
    good, bad, message = BAD[case]
    assert good in TETRAHEDRON
    assert refusal(TETRAHEDRON.replace(good, bad, 1)) == f"part.obj:{message}"


def test_vertices_come_before_the_faces_that_name_them():
    text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n"
    assert refusal(text) == "part.obj:4: face refers to vertex 9, but only 3 vertices are defined before it"
    assert refusal(text + POINTS * 2) == refusal(text)


@pytest.mark.parametrize("colour", ["", " 1 1 1"])
def test_weights_that_every_vertex_has_are_refused_too(colour):
    lines = [line + " 0.5" + colour if line.startswith("v") else line for line in TETRAHEDRON.splitlines()]
    assert refusal("\n".join(lines)) == f"part.obj:1: vertex has the weight 0.5, {WEIGHT}"


POINT_CLOUD = "a point cloud of 4 points: no faces; export the surface as a mesh; points have no volume"
AS_MESH = "export the surface as a mesh of polygons"
WITHOUT_FACES = {
    "points": (POINTS, POINT_CLOUD),
    "marked points": (POINTS + "p 1 2\n", POINT_CLOUD),
    "lines": (POINTS + "l 1 2 3\nl 3 4\n", f"no faces, only lines (2); {AS_MESH}; lines have no volume"),
    "surfaces": (
        POINTS + "cstype bspline\ndeg 3 3\nsurf 0 1 0 1 1 2 3 4\nparm u 0 1\nend\ncurv2 1 2\n",
        f"no faces, only curves (1), free-form surfaces (1); {AS_MESH}",
    ),
    "a comment": ("# nothing yet\n", "no vertices and no faces; export the mesh again; there is nothing to measure"),
    "nothing": ("", "no vertices and no faces; export the mesh again; there is nothing to measure"),
    "a page": (
        "\n<html>\n<body>404</body>",
        "no vertices and no faces, and line 2 begins with '<html>', which is no word of OBJ; is it another format?",
    ),
}


@each("case", WITHOUT_FACES)
def test_a_file_without_faces_is_refused_by_what_it_has(case):
    text, message = WITHOUT_FACES[case]
    assert refusal(text) == f"part.obj: {message}"


def test_a_face_that_is_too_large_to_cut_is_refused_with_its_line(monkeypatch):
    monkeypatch.setattr(polygons, "LARGEST", 7)
    comb = [(0, 0), (8, 0), (8, 9), (6, 9), (6, 1), (2, 1), (2, 9), (0, 9)]
    text = "".join(f"v {x} {y} 0\n" for x, y in comb) + "f 1 2\nfo 1 2 3\n# then\nf 1 2 \\\n 3 4 5 6 7 8\n"
    assert refusal(text) == (
        "part.obj:12: face has 8 corners and is not star-shaped, and such faces are cut up to 7 corners; "
        "export the mesh in triangles"
    )
