"""Tables of points: every separator, every number as `float()` reads it, and every bad line by its number."""

from __future__ import annotations

import numpy as np
import pytest
from cases import each
from cores import core_of
from hypothesis import example, given
from hypothesis import strategies as st
from planar_reading import points, read, refusal

from massprops.errors import ReadError
from massprops.formats import text_lines
from massprops.formats.section.point_rows import read_rows

TRIANGLE = [[0.0, 0.5], [1.0, 0.0], [0.25, 1.0]]


@each("separator", [",", ", ", " , ", ";", "\t", " ", "   ", " \t "])
@each("end", ["\n", "\r\n", "\r"])
@each("header", ["", "x{}y\n", "# made by hand\n", "\n", "# made\nX{}Y\n\n", "Profile of 3 points\n"])
def test_every_way_to_write_a_table_gives_the_same_ring(separator: str, end: str, header: str) -> None:
    text = header.replace("{}", separator) + "".join(f"{x}{separator}{y}\n" for x, y in TRIANGLE)
    for written in (text, text.rstrip("\n")):
        (ring,) = read(written.replace("\n", end), "p.csv").rings
        assert points(ring) == TRIANGLE
        assert ring.closing == "closed"


@each("codec", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_every_encoding_of_a_table_gives_the_same_ring(codec: str) -> None:
    (ring,) = read("0,0.5\n1,0\n0.25,1\n".encode(codec), "p.txt").rings
    assert points(ring) == TRIANGLE


numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(10**30), 10**30).map(str),
    st.decimals(allow_nan=False, allow_infinity=False, places=25, min_value=-1000, max_value=1000).map(str),
    st.sampled_from(["+1.", ".5", "-.5e-3", "1E5", "00012", "-0", "4.9e-324", "1.7976931348623157e308"]),
)


def rings(text: bytes, core: str):
    """The rings of a table, or the message, as one reader or the other finds them."""
    with core_of(core):
        try:
            return [(line, points.tobytes()) for line, points in read_rows("p.csv", text, 1)]
        except ReadError as error:
            return str(error)


@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=30), st.sampled_from([",", ";", " ", "\t"]))
def test_every_number_is_what_float_makes_of_it(rows, separator: str) -> None:
    text = "\n".join(separator.join(row) for row in rows).encode()
    expected = np.array([[float(x), float(y)] for x, y in rows])
    assert rings(text, "") == rings(text, "numpy") == [(1, expected.tobytes())]


@given(st.text("0123456789.,;+-eE \t\nx#nainf_", max_size=60), st.sampled_from([3, 20, 1 << 17]))
@example("1,2\n3 4,\n", 1 << 17)
@example("1 2\n\n\n3 4\n", 1 << 17)
def test_both_readers_read_every_table_alike(text: str, block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_lines, "BLOCK", block)
        assert rings(text.encode(), "") == rings(text.encode(), "numpy")


def test_a_long_table_is_read_in_blocks_without_losing_a_row() -> None:
    # far more than one block of text; a row that is lost or doubled at its edge would show
    rows = np.column_stack([np.arange(60_000), np.arange(60_000) ** 2 / 7])
    (ring,) = read("\n".join(f"{x!r},{y!r}" for x, y in rows.tolist()), "p.csv").rings
    assert np.array_equal(ring.curves[0].points, rows)


def test_blank_lines_part_rings_and_each_knows_its_line() -> None:
    text = "x,y\n\n0,0\n1,0\n1,1\n\n \n\n5,5\n6,5\n6,6\n\n"
    for written in (text, text.replace("\n1,1", "\n# a comment\n1,1")):
        source = read(written, "p.csv")
        assert [points(ring) for ring in source.rings] == [[[0, 0], [1, 0], [1, 1]], [[5, 5], [6, 5], [6, 6]]]
    assert [ring.place for ring in read(text, "p.csv").rings] == ["line 3", "line 9"]
    assert [ring.place for ring in source.rings] == ["line 3", "line 10"]


@each(
    ("header", "row", "unit"),
    [
        ("x,y", "{x},{y}", None),
        ("y;x", "{y};{x}", None),
        ("id,x,y,note", "7,{x},{y},a", None),
        ('"X [mm]","Y [mm]"', "{x},{y}", "mm"),
        ("x (in)\ty (in)", "{x}\t{y}", "in"),
        ("x [mm] y [mm]", "{x} {y}", "mm"),
        ("Y_mm;X_mm", "{y};{x}", "mm"),
        ("id,x/cm,y/cm", "7,{x},{y}", "cm"),
        ("x in,y in", "{x},{y}", "in"),
        ("x_coordinate,y_coordinate", "{x},{y}", None),
        ("width,height", "{x},{y}", None),
        ("x1,y1", "{x},{y}", None),
    ],
)
def test_headers_say_where_x_and_y_stand_and_in_which_unit(header: str, row: str, unit: str | None) -> None:
    source = read(header + "".join("\n" + row.format(x=x, y=y) for x, y in TRIANGLE), "p.csv")
    assert points(source.rings[0]) == TRIANGLE
    assert source.unit == unit


_POINT = "a line holds one point of the plane, x and y"
_NUMBER = "a number is expected here; is the line damaged, or the file of another format?"
_FINITE = "export the file again; a coordinate must be finite"


@each(("text", "message"), [
    ("0,0\n1,0\nhello\n1,1", f"p.csv:3: 'hello' stands among the points; {_POINT}; comments begin with #"),
    ("0,0\n1 2, \n1,1", f"p.csv:2: x '1 2' is not a number; {_NUMBER}"),
    ("0,0\n1,x\n1,1", f"p.csv:2: y 'x' is not a number; {_NUMBER}"),
    ("0,0\n1,\n1,1", f"p.csv:2: y '' is not a number; {_NUMBER}"),
    ("0,0\n1\n1,1", f"p.csv:2: '1' is separated by blanks, the rows before it by a comma; {_POINT}"),
    ("0 0\n1 0\n1", f"p.csv:3: the row has 1 number; {_POINT}"),
    ("0,0\n1;0\n1,1", f"p.csv:2: '1;0' is separated by a semicolon, the rows before it by a comma; {_POINT}"),
    ("0 0 0\n1 0 0", f"p.csv:1: the row has 3 numbers; {_POINT}; with more columns, name x and y in a header line"),
    ("0,0\n0,5,1,5\n1,1", (f"p.csv:2: the row has 4 numbers; {_POINT};"
        " if the commas are decimal commas, export with '.' as the decimal separator")),
    ("0,0\n1,nan\n1,1", f"p.csv:2: y 'nan' is not a number; {_FINITE}"),
    ("id,x,y\n1,2,3\n4,5", "p.csv:3: the row has 2 numbers, and the header has x and y in the columns 2 and 3; is the line cut off?"),
    ("x [furlongs],y [furlongs]\n0,0", ("p.csv:1: the header has the unit 'furlongs', which is no unit of length;"
        " export in mm, or without a unit and say units=")),
    ("x [mm],y [in]\n0,0", "p.csv:1: the header gives x and y different units; export both in one"),
    ("Ring,x,y\n1,0,0\n1,4,0\n1,4,3\n2,10,3\n2,14,3\n2,14,0", ("p.csv:5: the column 'Ring' may divide the points into rings,"
        " and here a blank line does; write a blank line between rings")),
    ("x_mm,y_in\n0,0", "p.csv:1: the header gives x and y different units; export both in one"),
    ("x,y,z\n0,0,0", ("p.csv:1: the header names the columns x, y, z, and a point of the plane has one x and one y;"
        " leave the other columns out")),
    ("0,0\n1,0\n0,0\n", "p.csv: line 1: the ring has 2 different points, it needs at least 3; is the file cut off?"),
    ("0,0\n1,0\n1,1\n\n2,2\n", ("p.csv: line 5: the ring has 1 point, it needs at least 3; a blank line begins another ring;"
        " is one there by accident?")),
    ("# nothing\n\n", "p.csv: the file holds no points; export it again"),
])  # fmt: skip
def test_bad_tables_are_refused_by_line(text: str, message: str) -> None:
    assert refusal(text, "p.csv") == message


@each("name", ["ring", "Part", "hole", "shape"])
@each("values", [("1", "1"), ("a-b", "a-b"), ("1", "2")])
@each("separator", [",", ";", "\t"])
def test_a_column_that_repeats_the_blank_lines_is_read(name: str, values: tuple[str, str], separator: str) -> None:
    """Such a column divides the points as the blank lines do; the rings are those of a table without it."""
    corners, moved = ["0{}0", "4{}0", "4{}3"], ["5{}5", "9{}5", "9{}8"]
    plain = [[p.format(separator) for p in ring] for ring in (corners, moved)]
    marked = [[f"{v}{separator}{p}" for p in ring] for v, ring in zip(values, plain, strict=True)]
    head = separator.join("xy")
    with_it, without = (
        read("\n".join([first, *a, "# between", "", *b]), "p.csv")
        for first, (a, b) in ((f"{name}{separator}{head}", marked), (head, plain))
    )
    assert len(with_it.rings) == 2
    for a, b in zip(with_it.rings, without.rings, strict=True):
        assert a.curves[0].points.tolist() == b.curves[0].points.tolist()


def test_lines_are_counted_alike_whatever_ends_them() -> None:
    for end in ("\n", "\r\n", "\r"):
        assert refusal(end.join(["0,0", "", "1,0", "# c", "oops"]), "p.csv").startswith("p.csv:5: 'oops'")
