"""The scanners of text: with both cores the same arrays to the bit, or the same message; and nothing is written beyond an array."""

from __future__ import annotations

import io
import struct
from fractions import Fraction

import numpy as np
import pytest
from cores import _native, compiled, core_of
from hypothesis import example, given, settings
from hypothesis import strategies as st

from massprops import MasspropsError
from massprops.formats import text_lines
from massprops.formats.mesh import collada, obj, off, ply, ply_binary_rows, stl
from massprops.mesh.source import InputFile

POINTS = ["1.5 -2 3e-7", "7 0.1 .25", "0 5. -4", "3.14159265358979 3 9", "1e-310 +2 12345678901234567890.5"]
CORNERS = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 4), (0, 1, 2, 3)]
SEEDS = {
    "stl": "solid a\n"
    + "".join(
        f"facet normal 0 {n} 1\nouter loop\n"
        + "".join(f" vertex {POINTS[i]}\n" for i in face[:3])
        + "endloop\nendfacet\n"
        for n, face in zip(("0.5", "-nan", "1e-3", "2", "nan(ind)"), CORNERS, strict=True)
    )
    + "endsolid a\n",
    "obj": "mtllib a.mtl\no part\n"
    + "".join(f"v {p}{' 1 0.5 0.25 0' * (i > 2)}\nvn 0 0 1\n" for i, p in enumerate(POINTS))
    + "".join("f " + " ".join(f"{i + 1}{'/2/' * (i % 2)}" for i in f) + "\n" for f in CORNERS)
    + "f -1 -2 -3\nl 1 2\n",
    "ply": "ply\nformat ascii 1.0\nelement vertex 5\nproperty double x\nproperty double y\nproperty double z\n"
    "element face 5\nproperty list uchar int vertex_indices\nproperty float quality\nend_header\n"
    + "".join(f"{p}\n" for p in POINTS)
    + "".join(f"{len(f)} {' '.join(map(str, f))} {q}\n" for q, f in zip(("1", "nan", "-inf", "0.5", "1e9"), CORNERS, strict=True)),
    "off": "COFF\n5 5 0\n"
    + "".join(f"{p} 0 0 1\n" for p in POINTS)
    + "".join(f"{len(f)} {' '.join(map(str, f))}{' 3' * (len(f) > 3)}\n" for f in CORNERS),
    "dae": '<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><library_geometries><geometry id="g"><mesh>'
    f'<source id="s"><float_array id="a" count="15">{" ".join(POINTS)}</float_array><technique_common>'
    '<accessor source="#a" count="5" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>'
    '<param name="Z" type="float"/></accessor></technique_common></source><vertices id="v"><input semantic="POSITION" source="#s"/>'
    '</vertices><triangles count="2"><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 0 1 3</p></triangles></mesh></geometry>'
    '</library_geometries><library_visual_scenes><visual_scene id="w"><node><instance_geometry url="#g"/></node></visual_scene>'
    '</library_visual_scenes><scene><instance_visual_scene url="#w"/></scene></COLLADA>',
}  # fmt: skip
BINARY_PLY = {
    order: f"ply\nformat binary_{order}_endian 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty list {head} short tags\n"
    f"property double z\nelement face 5\nproperty uchar red\nproperty list {head} int vertex_indices\nend_header\n".encode()
    + b"".join(struct.pack(f"{mark}ff{code}{i}hd", i, i * i, i, *range(i), i**3) for i in range(5))
    + b"".join(struct.pack(f"{mark}B{code}{len(f)}i", 7, len(f), *f) for f in CORNERS)
    for order, head, mark, code in (("little", "char", "<", "b"), ("big", "ushort", ">", "H"))
}
READERS = {"stl": stl, "obj": obj, "ply": ply, "off": off, "dae": collada}
WORDS = [
    *(
        b"nan",
        b"-inf",
        b"1e999",
        b"0x10",
        b"1_0",
        b"1,5",
        b"1.0D+05",
        b"1e5",
        b"4.9e-324",
        b"1e-400",
        b"9" * 400,
        b"0." + b"0" * 400 + b"1",
    ),
    *(
        b"-1",
        b"0",
        b"99",
        b"0" * 18 + b"1",
        b"1.0",
        b"\\\n",
        b"#",
        b"\n",
        b"\r",
        b"\0",
        b"\xe9",
        b"v",
        b"f 1 2",
        b"facet",
        b"endsolid",
        b"3",
        b"/",
        b".",
    ),
]


def test_the_seeds_are_read():
    for kind, text in SEEDS.items():
        assert not isinstance(outcome(kind, text.encode()), str), kind


def outcome(kind: str, data: bytes) -> tuple | str:
    """The facets of a file and what was noticed, or the message."""
    try:
        mesh = READERS[kind].read(InputFile(f"part.{kind}", io.BytesIO(data), len(data)))
        return [(c.dtype, c.shape, c.tobytes()) for c in mesh.chunks()], mesh.findings
    except MasspropsError as error:
        return f"{error} {error.code}"


@st.composite
def files(draw: st.DrawFn) -> tuple[str, bytes]:
    """A file with words, bytes and line ends changed, and sometimes cut or repeated."""
    kind = draw(st.sampled_from(sorted(SEEDS)))
    data = SEEDS[kind].encode() * draw(st.sampled_from([1, 1, 1, 2]))
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(data)))
        match draw(st.integers(0, 3)):
            case 0:
                data = data[:at] + bytes([draw(st.integers(0, 255))]) + data[at + 1 :]
            case 1:
                data = data[:at] + b" " + draw(st.sampled_from(WORDS)) + b" " + data[at:]
            case 2:
                end = data.find(b" ", at)
                data = data[:at] + draw(st.sampled_from(WORDS)) + data[end:] if end > at else data[:at]
            case 3:
                data = data[:at] + data[draw(st.integers(at, len(data))) :]
    return kind, data.replace(b"\n", draw(st.sampled_from([b"\n", b"\n", b"\r\n", b"\r"])))


@compiled
@settings(max_examples=300, deadline=None)
@given(files(), st.sampled_from([20, 100, 1 << 17]))
@example(("obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 %b3\n" % (b"0" * 18)), 1 << 17)
def test_both_cores_read_every_file_alike(file, size):
    """Else the answer would depend on whether a compiler was there."""
    found = []
    for choice in ("numpy", "native"):
        with pytest.MonkeyPatch.context() as patch, core_of(choice):
            patch.setattr(text_lines, "BLOCK", size)
            found.append(outcome(*file))
    assert found[0] == found[1]


@compiled
@settings(max_examples=200, deadline=None)
@given(st.sampled_from(sorted(BINARY_PLY)), st.data(), st.sampled_from([1, 7, 60, 1 << 17]))
def test_both_cores_read_every_binary_table_alike(order, draw, size):
    data = bytearray(BINARY_PLY[order])
    begin = data.index(b"end_header") + 11 if draw.draw(st.booleans()) else 0
    for _ in range(draw.draw(st.integers(0, 2))):
        data[draw.draw(st.integers(begin, len(data) - 1))] = draw.draw(st.sampled_from([0, 1, 3, 5, 127, 128, 255]))
    data = bytes(data[: draw.draw(st.integers(begin, len(data)))] if draw.draw(st.booleans()) else data)
    found = []
    for choice in ("numpy", "native"):
        with pytest.MonkeyPatch.context() as patch, core_of(choice):
            patch.setattr(ply_binary_rows, "_BLOCK", size)
            found.append(outcome("ply", data))
    assert found[0] == found[1]


def filled(count: int | tuple[int, int], kind: type = float) -> np.ndarray:
    return np.full(count, 77, kind)


@compiled
@pytest.mark.parametrize("room", range(12))
def test_nothing_is_written_beyond_the_room_for_it(room):
    text = SEEDS["stl"].encode()
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
          (packed(0, 1, 1), np.ones(1, np.uint64)), (packed(0, 1, 1), np.ones(2)), (packed(0, 1, 1), None, filled(6), 8),
          (packed(0, 1, 1), None, filled(6, np.float32), 12), (packed(0, 1, 1), None, filled(6, np.float32)),
          (packed(0, 1, 1), None, filled(12, np.float32), 8), (packed(0, 1, 1), None, filled(6, np.float32), 0))),
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
def test_numbers_are_the_nearest_doubles_and_hardly_any_is_left_to_the_strict_reader():
    """Of exact middles between doubles, and numbers next to them, the strict reader may have to decide."""
    random = np.random.default_rng(4)
    doubles = random.normal(size=4000) * 10.0 ** random.integers(-320, 300, 4000)
    words = [
        form % x for x in doubles.tolist() if abs(x) > 5e-324 for form in ("%r", "%.16e", "%.18e", "%.30e", "%.45e")
    ]
    values, lengths = np.empty(len(words)), np.empty(1, np.int32)
    assert _native.rows(" ".join(words).encode(), 0, values, lengths)
    assert values.tobytes() == np.array([float(word) for word in words]).tobytes()
    for x in [1.0, 2.0**53 - 1, 1e22, *np.abs(doubles[:300]).tolist()]:
        middle = 10**1100 * (Fraction(x) + Fraction(float(np.nextafter(x, np.inf)))) / 2
        for change in (-1, 0, 1):
            word = f"{int(middle) + change}e-1100"
            if _native.rows(word.encode(), 0, values, lengths):
                assert values[0] == float(word)
    assert _native.rows(b"9007199254740993 9007199254740995e0 18014398509481990", 0, values, lengths)
    assert values[:3].tolist() == [9007199254740992, 9007199254740996, 18014398509481992]
