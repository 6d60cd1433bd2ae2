"""Decimal commas: read where a number of the file proves them, refused where thousands are as likely."""

from __future__ import annotations

import numpy as np
import pytest
from cases import each
from hypothesis import given
from hypothesis import strategies as st
from planar_reading import points, read, refusal

from massprops.errors import ReadError
from massprops.formats.spreadsheets import has_decimal_commas, named_separator, with_decimal_points

_PLAIN = "; export with '.' as the decimal separator and without separators of thousands"

decimals = st.decimals(allow_nan=False, allow_infinity=False, places=2, min_value=-1000, max_value=1000)


@given(st.lists(st.tuples(decimals, decimals), min_size=3, max_size=9), st.sampled_from([";", "\t", " ", " ; "]))
def test_a_table_with_decimal_commas_is_that_with_points(rows, separator: str) -> None:
    pointed = "".join(f"{x}{separator}{y}\n" for x, y in rows)

    def outcome(text: str) -> object:
        try:
            return [points(ring) for ring in read(text, "p.csv").rings]
        except ReadError as error:
            return error.code

    assert outcome(pointed.replace(".", ",")) == outcome(pointed)


@each("text", [
    "sep=;\nx [mm];y [mm];;\n0,0;0,0;;\n100,5;0,0;;\n100,5;200,0;;\n;;;\n",
    "\ufeffx [mm]\ty [mm]\r\n0\t0\r\n100,5\t0\r\n100,5\t200\r\n",
    "0 0\n100,5 0\n# a, b 1,234,567\n100,5 200\n",
])  # fmt: skip
def test_tables_of_spreadsheets(text: str) -> None:
    (ring,) = read(text, "p.csv").rings
    assert points(ring) == [[0, 0], [100.5, 0], [100.5, 200]]


@each(("text", "message"), [
    ("0;0\n1,234;0\n1;1", "p.csv:2: '1,234' may be 1.234 or 1234, and no other number decides it"),
    ("0;0\n1,5;0\n1.5;1", "p.csv:2: '1,5' has a comma, and '1.5' a decimal point"),
    ("0;0\n1;0\n1.234,5;1", "p.csv:3: '1.234,5' has separators of thousands"),
    ("x;y\n0;0\n1,234,567;1", "p.csv:3: '1,234,567' has separators of thousands"),
])  # fmt: skip
def test_what_may_be_thousands_is_refused(text: str, message: str) -> None:
    assert refusal(text, "p.csv") == message + _PLAIN


def test_one_number_decides_for_all() -> None:
    assert has_decimal_commas(["1,234", "0,250"], str)  # no thousands begin with 0
    assert has_decimal_commas(["1,234", "7", "1,0e3"], str)
    assert not has_decimal_commas(["7", "1.5", "a,b"], str)


def test_commas_of_names_stay_where_no_number_has_one() -> None:
    text = b"solid a,b\nvertex 1 2 3\n"
    assert with_decimal_points("a.stl", text) is text


@each(
    ("line", "mark"),
    [("sep=;", ";"), ('"sep=,"', ","), ("SEP=\t", "\t"), ("sep=;;;", ";"), ("separate;x", None), ("x;y", None)],
)
def test_the_line_for_excel(line: str, mark: str | None) -> None:
    assert named_separator(line) == mark


def test_ascii_stl_with_decimal_commas_is_the_same_body(tmp_path) -> None:
    # the file is read by each reader; a comma that became a point in the wrong place would change a coordinate by a factor
    import massprops

    corners = np.array([[0.5, 0, 0], [10.25, 0, 0], [0, 7.125, 0], [0, 0, 3.0625]])
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    lines = ["solid Teil 1,5 x 2.5"]
    for face in faces:
        lines += ["facet normal 0,0 0,0 1,0", "outer loop"]
        lines += ["vertex " + " ".join(f"{x:e}" for x in corners[i]) for i in face]
        lines += ["endloop", "endfacet"]
    text = "\n".join([*lines, "endsolid"])
    files = [tmp_path / "point.stl", tmp_path / "comma.stl"]
    files[0].write_text(text)
    files[1].write_text(text.replace(".", ",").encode("utf-16").decode("utf-16"), newline="\r\n")
    point, comma = (massprops.measure(file, units="mm") for file in files)
    assert comma.volume == point.volume
    assert np.array_equal(comma.moments.second, point.moments.second)
    a, b, c = corners[1:] - corners[0]
    assert point.volume == pytest.approx(abs(np.cross(a, b) @ c) / 6e9, rel=1e-12)
