"""OFF: read wherever its lines end, or refused with the line."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
import text_reading
from cores import CORES, core_of
from text_reading import source

FACET = [[1, 2, 3], [7, -1, 2], [0, 5, -4]]
OFF = "OFF\n# a comment\n3 1 0\n1 2 3\n7 -1 2\n0 5 -4\n3 0 1 2\n"
AGAIN = "export the mesh again"
TRUNCATED = "the file looks truncated; export or copy it again"
COUNTS = "the counts of vertices, faces and edges are three whole numbers, got"
FLAT = "announces points that are not x y z; export the mesh in three dimensions, as OFF"
BINARY = "the file is a binary OFF file, which massprops does not read; export it as ASCII OFF, or as STL, OBJ or PLY"
WORD = "is not a number; a number is expected here; is the line damaged, or the file of another format?"
FINITE = "export the file again; a coordinate must be finite"
PROMISE = "the header promises 3 vertices and"
FOLLOW = "faces, one on each line, but"
DISAGREE = "the header and the lines do not agree; export the mesh again"
ANNOUNCED = "NOFF announces normals, COFF colours and STOFF texture coordinates"


def facets(content: bytes | str) -> list:
    mesh = source("off", content)
    assert (mesh.format, mesh.encoding) == ("off", "ascii")
    found = text_reading.facets("off", content)
    assert found.dtype == np.float64
    return found.tolist()


def refusal(content: bytes | str) -> tuple[str, str]:
    error = text_reading.refusal("off", content)
    return error.code, str(error)


@pytest.fixture(params=CORES)
def reader(request: pytest.FixtureRequest) -> Iterator[None]:
    """Both ways to read a file must read the same."""
    with core_of(request.param):
        yield


# Read


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize(
    "content",
    [
        OFF,
        OFF.replace("OFF", "off"),
        OFF.replace("3 1 0", "3 1"),
        "OFF 3 1 0\n" + OFF.split("3 1 0\n")[1],
        "OFF3 1 0\n" + OFF.split("3 1 0\n")[1],
        "# one\n\n  OFF # two\n\n3 1 0 # three\n 1 2 3 # four\n\n7 -1 2\n\t0 5 -4\n#five\n3 0 1 2 # 6\n\n",
        *(OFF.replace("3 0 1 2", f"3 0 1 2 {colour}") for colour in ("7", "red", "nan")),
        OFF.replace("OFF\n", ""),
        OFF.replace("3 1 0", "3\n1\n0 # each count"),
        OFF.replace("OFF\n", "").replace("3 1 0", "3\n1\n0"),
        OFF.replace("1 2 3\n7 -1 2", "1 2\n3 7 # half a point\n-1 2"),
        OFF.replace("1 2 3\n7 -1 2\n0", "1 2 3 7 -1 2 0"),
        OFF.replace("3 0 1 2", "3\n0 1\n2 255 128 0"),
        OFF.replace("3 1 0", "3 1").replace("3 0 1 2", "3 0\n\n1 2"),
        OFF.replace("3 0 1 2", "3 0 1 2 255 128 0"),
        OFF.replace("3 0 1 2", "3 0 1 2 1 0 1"),  # a colour that could be vertices
        OFF.replace("3 0 1 2", "3 0 1 2 1.0 0.5 0 1"),
        "NOFF 3 1 0\n1 2 3 0 0 1\n7 -1 2 0 0 1\n0 5 -4 0 zero 1\n3 0 1 2\n",
        "COFF 3 1 0\n1 2 3 255 0 0\n7 -1 2 255 0 0\n0 5 -4 255 0 0\n3 0 1 2\n",
        "COFF 3 1 0\n1 2 3 1 0 0 .5\n7 -1 2 1 0 0 .5\n0 5 -4 1 0 0 .5\n3 0 1 2\n",
        "STOFF 3 1 0\n1 2 3 0 0\n7 -1 2 1 0\n0 5 -4 0 1\n3 0 1 2\n",
        "STCNOFF 3 1 0\n1 2 3 0 0 1 9 9 9 9 .5 .5\n7 -1 2 0 0 1 9 9 9 9 0 0\n0 5 -4 0 0 1 9 9 9 9 0 1\n3 0 1 2 9\n",
    ],
)
def test_a_facet_is_read_however_it_is_written(content) -> None:
    assert facets(content) == [FACET]


def test_vertices_with_and_without_alpha_are_read_in_one_file() -> None:
    # Not of one width, so that the numbers of all lines in a row would be taken for one another's.
    text = "COFF 3 1 0\n1 2 3 255 0 0\n7 -1 2 255 0 0 9\n0 5 -4 255 0 0\n3 0 1 2\n"
    assert facets(text) == [FACET]


@pytest.mark.parametrize("break_", ["\n", "\n\n", " # a comment\n"])
def test_a_mesh_is_the_same_wherever_its_lines_end(break_: str) -> None:
    """Any blank between numbers may be the end of a line, but that before the colour of a face."""
    vertices, faces = ["0 0 0", "5 0 0", "5 5 0", "0 5 0"], ["4 0 1 2 3 7 8 9", "3 2 1 0"]
    whole = facets("\n".join(["OFF", "4 2 0", *vertices, *faces]))
    for row, place in product(range(6), range(1, 3)):
        lines = [*vertices, *faces]
        words = lines[row].split()
        lines[row] = " ".join(words[:place]) + break_ + " ".join(words[place:])
        assert facets("\n".join(["OFF", "4 2 0", *lines])) == whole


def test_a_face_on_several_lines_is_named_by_its_first() -> None:
    crossed = "OFF\n4 2 0\n0 0\n0 5 0 0\n5 5 1\n0 5 0\n3 0\n1 2\n600001 0 1 2 3\n"
    code, said = refusal(crossed)
    assert (code, said[:11]) == (
        "surplus-data",
        "part.off:2:",
    )  # it is neither on lines of its own nor as long as it says


# Refused


@pytest.mark.parametrize(("old", "new", "code", "said"), [
    ("OFF", "4_OFF", "bad-header", "1: an OFF file begins with 'OFF', got '4_OFF'; is it another format?"),
    ("OFF", "4OFF", "bad-header", f"1: the keyword '4OFF' {FLAT}"),
    ("OFF", "nOFF\n5", "bad-header", f"1: the keyword 'nOFF' {FLAT}"),
    ("OFF", "OFF BINARY", "binary-data", f"1: {BINARY}"),
    ("3 1 0", "three", "bad-header", f"3: {COUNTS} 'three'; {AGAIN}"),
    ("3 1 0", "3 1_0 0", "bad-header", f"3: {COUNTS} '3 1_0 0'; {AGAIN}"),
    ("3 1 0", "3 -1 0", "bad-header", f"3: {COUNTS} '3 -1 0'; {AGAIN}"),
    ("3 1 0", "3 1 0 1 2 3", "bad-header", f"3: {COUNTS} '3 1 0 1 2 3'; {AGAIN}"),
    ("3 1 0", "3 4000000000 0", "truncated-file", f"3: {PROMISE} 4000000000 {FOLLOW} 4 lines follow; {TRUNCATED}"),
    ("3 0 1 2\n", "", "truncated-file", f"3: {PROMISE} 1 {FOLLOW} 3 lines follow; {TRUNCATED}"),
    ("3 0 1 2", "3 0 1 2\n3 2 1 0", "surplus-data", f"3: {PROMISE} 1 {FOLLOW} 5 lines follow; {DISAGREE}"),
    ("7 -1 2", "4_5 -1 2", "bad-number", f"5: vertex coordinate '4_5' {WORD}"),
    ("7 -1 2", "7 nan 2", "bad-number", f"5: vertex coordinate 'nan' is not a number; {FINITE}"),
    ("7 -1 2", "7 -1", "bad-vertex", f"5: vertex has 2 numbers, but the keyword 'OFF' means 3; {ANNOUNCED}"),
    ("7 -1 2\n", "7 -1 2 0\n", "bad-vertex", f"5: vertex has 4 numbers, but the keyword 'OFF' means 3; {ANNOUNCED}"),
    ("3 0 1 2", "3 0 1 3", "bad-index", f"7: face refers to vertex 3, but the file has 3 vertices, numbered from 0; {AGAIN}"),
    ("OFF", "COFF", "bad-vertex", f"4: vertex has 3 numbers, but the keyword 'COFF' means 6 or 7; {ANNOUNCED}"),
    ("3 0 1 2", "x 0 1 2", "bad-face", f"7: a face begins with the number of its vertices, got 'x'; {AGAIN}"),
    ("3 0 1 2", "3.0 0 1 2", "bad-face", f"7: a face begins with the number of its vertices, got '3.0'; {AGAIN}"),
    ("3 0 1 2", "-3 0 1 2", "bad-face", f"7: a face begins with the number of its vertices, got '-3'; {AGAIN}"),
    ("3 0 1 2", "4 0 1 2", "bad-face", f"7: face promises 4 vertices, but the line has 3; {AGAIN}"),
    ("3 0 1 2", "9999999999 0 1 2", "bad-face", f"7: face promises 9999999999 vertices, but the line has 3; {AGAIN}"),
    ("3 0 1 2", "3 0 1 7", "bad-index", f"7: face refers to vertex 7, but the file has 3 vertices, numbered from 0; {AGAIN}"),
    ("3 0 1 2", "3 0 1 -1", "bad-index", f"7: face refers to vertex -1, but the file has 3 vertices, numbered from 0; {AGAIN}"),
    ("3 0 1 2", "3 0 1 1.0", "bad-index", f"7: face corner '1.0' is no vertex number; {AGAIN}"),
    ("3 0 1 2", "3 0 1 0_2", "bad-index", f"7: face corner '0_2' is no vertex number; {AGAIN}"),
    ("3 0 1 2", "3 0 1 " + "9" * 20, "bad-index", f"7: face corner '{'9' * 20}' is no vertex number; {AGAIN}"),
    ("3 0 1 2", "3 0 1 2 0 1", "bad-face", ("7: 2 numbers follow the 3 vertices of the face, and a colour has 1, 3 or 4;"
        " is the number of vertices wrong? export the mesh again")),
])  # fmt: skip
def test_a_bad_file_is_refused_with_the_line(old: str, new: str, code: str, said: str) -> None:
    assert OFF.count(old) == 1
    assert refusal(OFF.replace(old, new)) == (code, f"part.off:{said}")


@pytest.mark.parametrize(("content", "code", "said"), [
    ("OFF\n1 0 0\n1 2 3\n", "no-facets", ": a point cloud of 1 point: no faces; export the surface as a mesh; points have no volume"),
    ("OFF\n0 0 0\n", "no-facets", ": no vertices and no faces; export the mesh again; there is nothing to measure"),
    ("OFF\n0 1 0\n3 0 1 2\n", "bad-index", f":3: face refers to vertex 0, but the file has 0 vertices, numbered from 0; {AGAIN}"),
    ("# OFF\n", "bad-header", ": the file has nothing but comments; is it another format?"),
    ("OFF\n", "bad-header", f":1: {COUNTS} ''; {AGAIN}"),
    (b"OFF BINARY\n\0\0\0\x03\0\0\0\x01\0\0\0\0", "binary-data", f":1: {BINARY}"),
])  # fmt: skip
def test_a_file_without_facets_is_refused(content, code: str, said: str) -> None:
    assert refusal(content) == (code, f"part.off{said}")


def test_a_file_of_such_faces_alone_holds_no_facets() -> None:
    assert refusal(OFF.replace("3 0 1 2", "2 0 1"))[0] == "no-facets"
