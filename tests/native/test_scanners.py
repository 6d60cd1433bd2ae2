"""The scanners of text: the nearest doubles, and nothing is written beyond an array; files: formats/mesh/test_text_meshes.py."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from cores import _native, compiled


def filled(count: int | tuple[int, int], kind: type = float) -> np.ndarray:
    return np.full(count, 77, kind)


@compiled
@pytest.mark.parametrize("room", range(12))
def test_nothing_is_written_beyond_the_room_for_it(room):
    facet = b"facet normal 0 %b 1 outer loop vertex 1.5 -2 3e-7 vertex 7 0.1 .25 vertex 0 5. -4 endloop endfacet\n"
    text = b"solid a\n" + b"".join(facet % normal for normal in (b"0.5", b"-nan", b"1e-3", b"2", b"nan(ind)"))
    start = text.index(b"facet")
    corners = filled(40)
    end, count, *_ = _native.facets(text, start, corners[: 4 * room])
    assert count == 9 * min(4 * room // 9, 4)
    assert start <= end <= len(text)
    assert (corners[4 * room :] == 77).all()
    values, lengths = filled(30), filled(9, np.int32)
    found = _native.rows(b"1 2 3\n4 5\n\n6", 0, values[:room], lengths[: room // 2])
    assert found == ((12, 6, 4, 0) if room >= 8 else None)
    assert (values[room:] == 77).all()
    assert (lengths[room // 2 :] == 77).all()
    vertices, corners, counts = filled(30), filled(30, np.int32), filled(9, np.int32)
    found = _native.obj(b"v 1 2 3\n" * 3 + b"f 1 2 3\n", 0, vertices[:room], counts[: room - 8], corners[: room - 6])
    assert found == ((32, 9, 1, 3) if room >= 9 else None)
    assert (vertices[room:] == 77).all()
    scalars, values, lengths = filled(20, np.uint8), filled(20, np.uint8), filled(9, np.int32)
    rows = struct.pack("6i", 0, 2, 1, 1, 1, 1)
    data = b"xy\1aXY\2bc"
    found = _native.ply(data, rows, 0, scalars[:room], values[:room], lengths[: room // 2])
    assert found == ((2, 3, 9) if room >= 4 else (1, 1, 4) if room >= 2 else (0, 0, 0))
    assert (scalars[room:] == 77).all()
    assert (values[room:] == 77).all()
    assert (lengths[room // 2 :] == 77).all()
    assert _native.ply(data[:room], rows, 0, scalars, values, lengths)[::2] == (
        (2, 9) if room >= 9 else (1, 4) if room >= 4 else (0, 0)
    )


@compiled
def test_a_separator_stands_between_all_numbers_of_a_row_and_nowhere_else():
    """A row that is read otherwise would be a point where the strict reader refuses the line."""
    values, lengths = filled(9), filled(9, np.int32)

    def rows(text, mark):
        return _native.rows(text, 0, values, lengths, None, None, None, ord(mark))

    assert rows(b"1,2\n \n 3 ,\t-4e1 ,5", ",") == (18, 5, 3, 0)
    assert values[:5].tolist() == [1, 2, 3, -40, 5]
    assert lengths[:3].tolist() == [2, 0, 3]
    for text in (
        b"1,2,\n",
        b"1,2,",
        b"1, ",
        b",1\n",
        b"1,,2\n",
        b"1 2\n",
        b"1;2\n",
        b"1,2;\n",
        b"1,\n2\n",
        b"1 ,2 3\n",
        b",\n",
    ):
        assert rows(text, ",") is None
        assert rows(text.translate(bytes.maketrans(b",;", b";,")), ";") is None
        assert _native.rows(text, 0, values, lengths) is None or text == b"1 2\n"


@compiled
@pytest.mark.parametrize("room", range(8))
def test_rows_of_a_table_end_where_the_room_does(room):
    columns = struct.pack("9i", 0, 3, 1, 1, 1, 1, 0, 1, 0)
    text = b"1 2 3 2 7 8 9\n4 5 6 1 9 nan\n"
    values, lengths, items = filled(20), filled(9, np.int32), filled(9, np.int32)
    found = _native.ply_rows(text[:14] * 2, 0, values[:room], lengths[: room // 3], items[:room], 0, columns)
    assert found == (
        None if 0 < 3 * (room // 3) > room else (14 * (room // 3), 3 * (room // 3), room // 3, 2 * (room // 3))
    )
    assert (values[room:] == 77).all()
    assert (items[room:] == 77).all()
    assert (lengths[room // 3 :] == 77).all()
    assert _native.ply_rows(text, 0, values, lengths, items, 0, columns) is None  # a number that is not finite
    assert _native.ply_rows(b"1 2 3 2 7 1.5 9\n", 0, values, lengths, items, 0, columns) is None  # no whole number
    assert _native.ply_rows(b"1 2 3 2 7 8 9 9\n", 0, values, lengths, items, 0, columns) is None
    assert _native.ply_rows(b"1 2 3 2 7 8\n9\n", 0, values, lengths, items, 0, columns) is None


COLUMNS = struct.pack("3i", 1, 4, 1)


def packed(*numbers):
    """Numbers of corners as the core takes them."""
    return np.uint32(numbers).reshape(-1, 3, 1).view(np.uint8)


@compiled
@pytest.mark.parametrize("call", [
    lambda: _native.rows("1 2", 0, filled(9), filled(9, np.int32)),
    lambda: _native.rows(bytearray(b"1 2"), 0, filled(9), filled(9, np.int32)),
    lambda: _native.rows(memoryview(b"1 2 3")[:3], 0, filled(9), filled(9, np.int32)),
    lambda: _native.rows(b"1 2", 0, filled(9), filled(9)),
    lambda: _native.rows(b"1 2", 0, filled(9, np.float32), filled(9, np.int32)),
    lambda: _native.rows(b"1 2", 0, filled(18)[::2], filled(9, np.int32)),
    lambda: _native.rows(b"1 2", 0, bytes(80), filled(9, np.int32)),
    lambda: _native.rows(b"1 2", 0, filled(9), filled(9, np.int64)),
    lambda: _native.rows(b"1 2", 0, memoryview(bytearray(73))[1:].cast("d"), filled(9, np.int32)),
    lambda: _native.rows(b"1 2", 0, np.frombuffer(b"1" * 72), filled(9, np.int32)),
    lambda: _native.rows(b"1 2", 0, filled(9), filled(9, np.int32), filled(9, np.int32), 0, 0),
    lambda: _native.rows(b"1 2", 0, filled(9), filled(9, np.int32), None, None, None, 128),
    lambda: _native.obj(b"v 1 2 3", 0, filled(9), filled(9, np.int32), filled(9, np.int32), -1),
    lambda: _native.obj(b"v 1 2 3", 0, filled(9), filled(9, np.int32), filled(9, np.int32), 2**63 - 1),
    *(lambda bad=bad: _native.ply(b"1 2", bad, 0, *filled((2, 9), np.uint8), filled(9, np.int32))
      for bad in (b"", COLUMNS[:8], bytearray(COLUMNS), *(struct.pack("3i", *c) for c in ((1, 0, 1), (1, -1, 1), (9, 4, 1), (-9, 4, 1))))),
    lambda: _native.ply(b"1 2", COLUMNS, 2, *filled((2, 9), np.uint8), filled(9, np.int32)),
    lambda: _native.ply(b"1 2", COLUMNS, 0, *filled((2, 9), np.int8), filled(9, np.int32)),
    lambda: _native.ply(b"1 2", COLUMNS, 0, *filled((2, 9), np.uint8), filled(9, np.int64)),
    lambda: _native.ply_rows(b"1 2 3", 0, filled(9), filled(9, np.int32), filled(9, np.int32), 0),
    lambda: _native.ply_rows(b"1 2 3", 0, filled(9), filled(9, np.int32), filled(9, np.int32), 0, COLUMNS[1:]),
    *(lambda rest=rest: _native.surface(filled((2, 3)), np.zeros(3), np.ones(6, np.uint64), *rest)
      for rest in (
          (), (packed(0, 1, 2),), (packed(0, 1, 2**32 - 1),), (np.uint32([[0, 1, 1]]),),
          (packed(0, 1, 1)[:, :2],), (packed(0, 1, 1)[..., :3],),
          (packed(0, 1, 1)[:, ::-1],), (packed(0, 1, 1, 1, 0, 0)[::-1],), (packed(0, 1, 1).reshape(1, 12),),
          (packed(0, 1, 1), np.ones(1, np.uint64)), (packed(0, 1, 1), np.ones(2)))),
    lambda: _native.surface(filled(6), np.zeros(3), np.ones(6, np.uint64), packed(0, 1, 1)),
    lambda: _native.surface(np.array(1.0), np.zeros(3), np.ones(6, np.uint64)),
    lambda: _native.surface(filled((2, 3)), np.zeros(3), np.ones(6, np.uint64), np.broadcast_to(packed(0, 1, 1), (9, 3, 4))),
    lambda: _native.surface(filled((1, 3, 3)), np.zeros(3), np.ones(6, np.uint64), None, np.ones(1, np.uint64)),
    lambda: _native.facets(b"facet", 6, filled(9)),
    lambda: _native.facets(b"facet", -1, filled(9)),
])  # fmt: skip
def test_arrays_of_another_type_are_refused(call):
    with pytest.raises((TypeError, ValueError, BufferError)):
        call()


@compiled
def test_numbers_are_the_nearest_doubles():
    """So are those below the smallest double, the exact middles between two, and numbers next to these."""
    random = np.random.default_rng(4)
    doubles = random.normal(size=4000) * 10.0 ** random.integers(-320, 300, 4000)
    words = [form % x for x in doubles.tolist() for form in ("%r", "%.16e", "%.18e", "%.30e", "%.45e")]
    words += ["2e-324", "3e-324", "-1e-999", "-0e999", "1" * 10_000 + "e-9990", "0." + "0" * 10_000 + "17e9990"]
    values, lengths = np.empty(len(words)), np.empty(1, np.int32)
    assert _native.rows(" ".join(words).encode(), 0, values, lengths)
    assert values.tobytes() == np.array([float(word) for word in words]).tobytes()
    for x in [1.0, 2.0**53 - 1, 1e22, *np.abs(doubles[:300]).tolist()]:
        middle = 10**1100 * (Fraction(x) + Fraction(float(np.nextafter(x, np.inf)))) / 2
        for change in (-1, 0, 1):
            word = f"{int(middle) + change}e-1100"
            assert _native.rows(word.encode(), 0, values, lengths)
            assert values[0] == float(word)
    assert _native.rows(b"9007199254740993 9007199254740995e0 18014398509481990", 0, values, lengths)
    assert values[:3].tolist() == [9007199254740992, 9007199254740996, 18014398509481992]
    assert _native.rows(b"1.7976931348623158e308 -2e308", 0, values, lengths) is None


@compiled
@pytest.mark.skipif(not shutil.which("localedef"), reason="there is no program that makes a locale")
def test_a_program_with_a_comma_in_its_numbers_reads_the_same_values(tmp_path):
    subprocess.run(["localedef", "-i", "de_DE", "-f", "ISO-8859-1", tmp_path / "de_DE"], check=True)
    code = """
import locale, numpy
from massprops import _native
locale.setlocale(locale.LC_ALL, "de_DE")
values = numpy.empty(2)
assert locale.str(1.5) == "1,5"
assert _native.rows(b"1.5 0.12345678901234567", 0, values, numpy.empty(1, numpy.int32))
assert values.tolist() == [1.5, 0.12345678901234567]
"""
    subprocess.run([sys.executable, "-c", code], env=os.environ | {"LOCPATH": str(tmp_path)}, check=True)
