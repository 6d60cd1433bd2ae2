"""STL: every bit of the file's corners, or an error that says what is wrong and where.

Modules tested: `formats/mesh/stl`, `formats/mesh/stl_ascii`.
"""

from __future__ import annotations

import io
import math
import struct
import tracemalloc
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import text_reading
from cases import each
from cores import compiled
from text_reading import lines_read_strictly, outcome

from massprops.errors import ReadError
from massprops.formats.mesh.stl import read
from massprops.formats.registry import open_mesh
from massprops.mesh.source import CHUNK, InputFile

# The skew tetrahedron: no two coordinates, edges or products alike, so that any swap shows.
A, B, C, D = (1, 2, 3), (7, -1, 2), (0, 5, -4), (3, 3, 9)
TETRAHEDRON = [(A, C, B), (A, B, D), (B, C, D), (C, A, D)]
AGAIN = "export the file again; a coordinate must be finite"


def binary(facets: list, *, header: bytes = b"", count: int | None = None, attribute: int = 0) -> bytes:
    """Written with `struct`, field by field, so that it shares no layout with the reader."""
    count = len(facets) if count is None else count
    records = [struct.pack("<3f", 9e9, math.nan, -9e9) + b"".join(struct.pack("<3f", *p) for p in f) for f in facets]
    return header.ljust(80) + struct.pack("<I", count) + b"".join(r + struct.pack("<H", attribute) for r in records)


def facet_text(facet: list, *, normal: str = "normal 0 0 1") -> str:
    corners = "".join(f"      vertex {x} {y} {z}\n" for x, y, z in facet)
    return f"  facet {normal}\n    outer loop\n{corners}    endloop\n  endfacet\n"


def ascii_text(facets: list, *, name: str = "part", **options: str) -> str:
    return f"solid {name}\n" + "".join(facet_text(f, **options) for f in facets) + f"endsolid {name}\n"


source, corners = (partial(read_any, "stl") for read_any in (text_reading.source, text_reading.facets))


def message(data: bytes | str) -> str:
    return str(text_reading.refusal("stl", data))


def finding(data: bytes) -> tuple[str, str, str]:
    (found,) = source(data).findings
    return found.code, found.severity, found.message


# Binary


def test_binary_corners_keep_every_bit_of_the_file() -> None:
    # Denormals, a negative zero and neighbours of one: arithmetic on the way would lose them.
    bits = [0x00000001, 0x80000000, 0x3F800001, 0x3F7FFFFF, 0x7F7FFFFF, 0x80000001, 0x00800000, 0xC2280000, 0x4B7FFFFF]
    data = b" " * 80 + struct.pack("<I", 1) + b"\0" * 12 + struct.pack("<9I", *bits) + b"\x12\x34"
    read_back = corners(data)
    assert read_back.dtype == np.float32
    assert read_back.view(np.uint32).ravel().tolist() == bits


@pytest.mark.parametrize("facets", [1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK + 3])
def test_chunks_join_to_the_whole_file_in_order_at_every_edge_of_the_buffer(facets: int) -> None:
    numbers = np.arange(9.0 * facets).reshape(facets, 3, 3)
    chunks = list(source(binary(numbers.tolist())).chunks())
    assert max(len(chunk) for chunk in chunks) <= CHUNK
    assert np.array_equal(np.concatenate(chunks), numbers)


def test_two_passes_at_once_do_not_disturb_each_other() -> None:
    numbers = np.arange(9.0 * (CHUNK + 5)).reshape(-1, 3, 3)
    mesh = source(binary(numbers.tolist()))
    for one, other in zip(mesh.chunks(), mesh.chunks(), strict=True):
        assert np.array_equal(one, other)


def test_chunks_already_handed_out_are_not_overwritten_by_the_next() -> None:
    chunks = list(source(binary([((i, 0, 0), (0, 1, 0), (0, 0, 1)) for i in range(CHUNK + 1)])).chunks())
    assert chunks[0][0, 0, 0] == 0
    assert chunks[1][0, 0, 0] == CHUNK


def test_a_binary_header_may_begin_with_solid() -> None:
    assert source(binary(TETRAHEDRON, header=b"solid part\n facet normal")).encoding == "binary"
    assert np.array_equal(corners(binary(TETRAHEDRON, header=b"solid part")), np.array(TETRAHEDRON))


def test_a_binary_header_with_solid_and_a_wrong_count_is_still_binary() -> None:
    assert np.array_equal(corners(binary(TETRAHEDRON, header=b"solid part", count=9)), np.array(TETRAHEDRON))


@pytest.mark.parametrize("count", [0, 3, 2**32 - 1])
def test_a_wrong_count_yields_to_a_length_of_whole_facets_and_is_remarked(count: int) -> None:
    data = binary(TETRAHEDRON, count=count)
    assert np.array_equal(corners(data), np.array(TETRAHEDRON))
    said = f"the header promises {count} triangles, but the file's length holds exactly 4: all were read"
    assert finding(data) == ("facet-count", "warning", said)


def test_a_right_count_is_not_remarked() -> None:
    assert source(binary(TETRAHEDRON)).findings == ()


def test_bytes_after_the_promised_facets_are_remarked() -> None:
    data = binary(TETRAHEDRON) + b"tail"
    assert np.array_equal(corners(data), np.array(TETRAHEDRON))
    said = "4 bytes follow the last of the 4 triangles that the header promises: they were not read"
    assert finding(data) == ("facet-count", "warning", said)


def test_a_count_of_four_billion_allocates_nothing() -> None:
    data = binary(TETRAHEDRON * 3, count=2**32 - 1)
    assert len(data) == 684
    tracemalloc.start()
    try:
        assert len(corners(data)) == 12
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # 12 facets are 600 bytes; a megabyte leaves room for the interpreter, not for 4 billion of anything.
    assert peak < 1 << 20


def test_memory_of_a_pass_does_not_grow_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "large.stl"
    facets = 40 * CHUNK
    path.write_bytes(b" " * 80 + struct.pack("<I", facets) + b"\0" * (50 * facets))
    with open_mesh(path) as mesh:
        tracemalloc.start()
        try:
            assert sum(len(chunk) for chunk in mesh.chunks()) == facets
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    # A buffer of 50 bytes per facet and at most three copies of 36 bytes, for one chunk; the file is 40 chunks.
    assert peak < 4 * 50 * CHUNK


@pytest.mark.parametrize(("length", "count", "promise"), [(183, 5, "5 triangles (334"), (133, 1, "1 triangle (134")])
def test_a_cut_file_is_no_smaller_body(length: int, count: int, promise: str) -> None:
    data = (b" " * 80 + struct.pack("<I", count)).ljust(length, b"\0")
    assert message(data) == (
        f"part.stl: binary STL header promises {promise} bytes) but the file has {length} bytes; "
        "it looks truncated; export or copy it again"
    )


PROMISED = "binary STL header promises 4 triangles (284 bytes) but the file has"
SHORT = "it looks truncated, or is of another format; export or copy it again"
FOLLOWS = "something else follows the facets, or the count is wrong; export the mesh again"


@each(
    ("data", "said"),
    [
        (binary(TETRAHEDRON) + b"x" * 60, f"{PROMISED} 344 bytes, 10 more than 5 whole facets; {FOLLOWS}"),
        (binary(TETRAHEDRON) * 2, f"{PROMISED} 568 bytes, 34 more than 9 whole facets; {FOLLOWS}"),
        (b"\0" * 83, f"a binary STL file has at least 84 bytes, but this one has 83; {SHORT}"),
        (binary([]), "the binary STL file holds no facets; export the mesh again; there is nothing to measure"),
    ],
)
def test_a_file_of_another_length_than_its_facets_is_refused(data: bytes, said: str) -> None:
    assert message(data) == f"part.stl: {said}"


@pytest.mark.parametrize(("value", "shown"), [(math.nan, "nan"), (math.inf, "inf"), (-math.inf, "-inf")])
def test_a_coordinate_that_is_not_finite_is_named(value: float, shown: str) -> None:
    facets = [*TETRAHEDRON, ((1, 2, 3), (4, 5, 6), (7, value, 9))]
    assert message(binary(facets)) == f"part.stl: facet 5, vertex 3: y is {shown}; {AGAIN}"


def test_infinities_of_both_signs_do_not_hide_each_other() -> None:
    assert "x is inf" in message(binary([((math.inf, 0, 0), (-math.inf, 0, 0), (0, 0, 0))]))


def test_a_bad_coordinate_is_counted_from_the_start_of_the_file_not_of_the_chunk() -> None:
    facets = [((0, 0, 0),) * 3] * (CHUNK + 2) + [((0, 0, math.nan), (0, 0, 0), (0, 0, 0))]
    assert f"facet {CHUNK + 3}, vertex 1: z is nan" in message(binary(facets))


def test_huge_finite_coordinates_are_read() -> None:
    # Their squares overflow float32; the check must not take that for an infinity, nor warn.
    assert corners(binary([((3e38, -3e38, 3e38),) * 3])).max() == np.float32(3e38)


def test_normals_of_binary_files_play_no_part() -> None:
    # `binary` writes NaN into every normal.
    assert np.array_equal(corners(binary(TETRAHEDRON, attribute=65535)), np.array(TETRAHEDRON))


def test_a_file_that_shrinks_while_it_is_read_is_refused() -> None:
    stream = io.BytesIO(binary(TETRAHEDRON))
    mesh = read(InputFile("part.stl", stream, 284))
    stream.truncate(200)
    with pytest.raises(ReadError, match=r"^part.stl: the file became shorter while it was read$"):
        list(mesh.chunks())


# ASCII: what is read

PLAIN = ascii_text(TETRAHEDRON)
TETRAHEDRON_READ = np.dtype(float), np.array(TETRAHEDRON, float).tobytes(), ()
ODD_NAMES = ["", "facet normal 1 2 3", "endsolid", "solid", "vertex 1 2", "a b\tc", "Prüfkörper", "outer loop", "1e5"]


def variants() -> dict[str, bytes]:
    """The same tetrahedron as different programs write it."""
    texts = {
        "plain": PLAIN,
        "upper": PLAIN.upper(),
        "mixed": PLAIN.title(),
        "unindented": "\n".join(line.strip() for line in PLAIN.splitlines()),
        "one line": " ".join(PLAIN.split()),
        "one word on each line": "\n".join(["solid", *PLAIN.split()[2:-1]]),
        "no normals": ascii_text(TETRAHEDRON, normal=""),
        "no numbers after normal": ascii_text(TETRAHEDRON, normal="normal"),
        "nan normals": ascii_text(TETRAHEDRON, normal="normal nan -nan(ind) -1.#IND"),
        "normals of two numbers": ascii_text(TETRAHEDRON, normal="normal 0 0"),
        "normals that are words": ascii_text(TETRAHEDRON, normal="normal 0 0 up"),
        "nothing after endsolid": PLAIN.rsplit(" ", 1)[0],
        "several solids": ascii_text(TETRAHEDRON[:1]) + "\n" + ascii_text([]) + ascii_text(TETRAHEDRON[1:], name="two"),
        "several solids on one line": " ".join((ascii_text(TETRAHEDRON[:1]) + ascii_text(TETRAHEDRON[1:])).split()),
        "a facet on the line of its solid": "solid part "
        + " ".join(facet_text(TETRAHEDRON[0]).split())
        + PLAIN.removeprefix("solid part\n" + facet_text(TETRAHEDRON[0]).rstrip("\n")),
        "a solid on the line where another ends": ascii_text(TETRAHEDRON[:2]).rstrip()
        + " solid two "
        + " ".join(facet_text(TETRAHEDRON[2]).split())
        + "\n"
        + facet_text(TETRAHEDRON[3])
        + "endsolid two",
        "exponents": PLAIN.replace(" 7 ", " +.7E+01 ").replace(" -1 ", " -10.e-1 ").replace(" 9\n", " 9.000\n"),
    }
    data = {name: text.encode() for name, text in texts.items()}
    data |= {f"named {name!r}": ascii_text(TETRAHEDRON, name=name).encode() for name in ODD_NAMES}
    data["latin-1 name"] = ascii_text(TETRAHEDRON, name="Prüfkörper").encode("latin-1")
    return data


@each("name", variants())
def test_one_body_is_read_the_same_however_it_is_written(name: str) -> None:
    mesh = source(variants()[name])
    assert mesh.encoding == "ascii"
    assert np.array_equal(np.concatenate(list(mesh.chunks())), np.array(TETRAHEDRON, float))


@each("name", variants())
def test_all_readers_read_it_whatever_the_blocks(name: str) -> None:
    assert outcome("stl", variants()[name], core="numpy") == TETRAHEDRON_READ
    for block in (32, 77, 200, 600):
        assert outcome("stl", variants()[name], block) == TETRAHEDRON_READ


def test_an_ascii_file_comes_in_chunks_as_large_as_those_of_other_files() -> None:
    data = (
        "solid s\n"
        + "".join(facet_text([(i, 0, 0), (0, i, 0), (0, 0, i)]) for i in range(2 * CHUNK + 5))
        + "endsolid s\n"
    )
    chunks = list(source(data).chunks())
    assert [len(c) for c in chunks] == [CHUNK, CHUNK, 5]
    assert np.concatenate(chunks)[:, 0, 0].tolist() == list(range(2 * CHUNK + 5))


def test_an_ascii_file_is_read_without_its_text_in_memory(tmp_path: Path) -> None:
    facets = 200_000
    path = tmp_path / "large.stl"
    facet = facet_text([(0.123456, 1.234567, -2.345678)] * 3, normal="normal 0.000000 0.000000 1.000000")
    path.write_text("solid large\n" + facet * facets + "endsolid large\n")
    with path.open("rb") as stream:
        tracemalloc.start()
        try:
            mesh = read(InputFile("large.stl", stream, path.stat().st_size))
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert mesh.facets == facets
    # Nine doubles of a facet, in an array that grows by an eighth; beside them a block, of 2²⁰ bytes, with a word for each number.
    assert peak < 81 * facets + (12 << 20) < path.stat().st_size


def test_ascii_keeps_digits_that_float32_cannot_hold() -> None:
    found = corners(ascii_text([((0.1, 1e-300, 123456789.123456789), A, B)]))
    assert found[0, 0].tolist() == [0.1, 1e-300, 123456789.12345679]


# ASCII: what is refused


def edited(old: str, new: str) -> str:
    assert PLAIN.count(old) >= 1
    return PLAIN.replace(old, new, 1)


DAMAGED = "the file is damaged or not written by the rules of STL; export it again"
CUT = "it looks truncated; export or copy it again"
POLYGON = "an STL facet is a triangle; triangulate the mesh before the export"
UNKNOWN = "a number is expected here; is the line damaged, or the file of another format?"

BAD = {
    "solid part": f"part.stl:1: the solid begun on line 1 has no 'endsolid'; {CUT}",
    PLAIN[: PLAIN.index("endsolid")]: f"part.stl:30: the solid begun on line 1 has no 'endsolid'; {CUT}",
    PLAIN[: PLAIN.index("    endloop")]: f"part.stl:7: the file ends inside a facet of the solid begun on line 1; {CUT}",
    edited("      vertex 7 -1 2\n", ""): f"part.stl:6: a facet has 2 vertices instead of 3; {POLYGON}",
    edited("    endloop", "vertex 0 0 0\n    endloop"): f"part.stl:7: a facet has more than 3 vertices; {POLYGON}",
    edited("vertex 1 2 3", "vertex 1,5 2.5 3"): "part.stl:4: '1,5' has a comma, and '2.5' a decimal point;"
        " export with '.' as the decimal separator and without separators of thousands",
    edited("vertex 1 2 3", "vertex 1 2 three"): f"part.stl:4: vertex coordinate 'three' is not a number; {UNKNOWN}",
    edited("vertex 1 2 3", "vertex 1 nan 3"): f"part.stl:4: vertex coordinate 'nan' is not a number; {AGAIN}",
    edited("vertex 1 2 3", "vertex 1 2"): f"part.stl:5: a vertex has 2 numbers instead of 3, before 'vertex'; {DAMAGED}",
    edited("vertex 1 2 3", "vertex 1 2 3 4"): f"part.stl:4: expected 'vertex', found '4'; {DAMAGED}",
    edited("vertex 1 2 3", "vertex 1 2 \x003"): f"part.stl:4: binary data in an ASCII STL file: '\\x003'; {DAMAGED}",
    edited("endfacet\n", "endfacet\n\x01\x02"): f"part.stl:9: binary data in an ASCII STL file: '\\x01\\x02'; {DAMAGED}",
    edited("    outer loop\n", ""): f"part.stl:3: expected 'outer', found 'vertex'; {DAMAGED}",
    edited("  endfacet\n", "  endfacetendfacet\n"): f"part.stl:8: expected 'endfacet', found 'endfacetendfacet'; {DAMAGED}",
    PLAIN.replace("endfacet\nendsolid", "endfacetendsolid"): f"part.stl:29: expected 'endfacet', found 'endfacetendsolid'; {DAMAGED}",
    edited("vertex 1 2 3", "vertex 1\xa02 3"): f"part.stl:4: vertex coordinate '1\\xa02' is not a number; {UNKNOWN}",
    PLAIN + "PK rubbish": f"part.stl:31: expected 'solid', found 'PK'; {DAMAGED}",
    PLAIN + facet_text(TETRAHEDRON[0]): f"part.stl:31: expected 'solid', found 'facet'; {DAMAGED}",
    "solid a\nsolid b\nendsolid b\n": f"part.stl:2: a solid begins before the one of line 1 is ended by 'endsolid'; {DAMAGED}",
    "solid a\nendsolid a\n": "part.stl: the ASCII STL file holds no facets; export the mesh again; there is nothing to measure",
}  # fmt: skip


@each("text", BAD)
def test_a_bad_ascii_file_is_refused_with_line_rule_value_and_remedy(text: str) -> None:
    assert message(text) == BAD[text]


@each("text", [text for text in BAD if text.count("facet")])
@each("block", [64, 1 << 18])
def test_the_fast_reader_accepts_nothing_that_the_strict_one_refuses(text: str, block: int) -> None:
    found = outcome("stl", text, block)
    assert isinstance(found, str)
    assert found == outcome("stl", text, core="numpy")


def test_lines_are_counted_alike_for_all_line_ends() -> None:
    bad = edited("vertex 1 2 3", "vertex 1 2 x")
    assert message(bad) == message(bad.replace("\n", "\r")) == message(bad.replace("\n", "\r\n"))


def test_an_endless_word_is_shortened_in_the_message() -> None:
    assert len(message(edited("vertex 1 2 3", "vertex 1 2 " + "x" * 100_000))) < 300


# Any damage: an error that was meant, or facets that were there


@compiled
def test_only_damaged_facets_are_read_word_by_word() -> None:
    """It takes twenty times as long: a bad line at the end of 500,000 facets was found after 10 s."""
    text = ascii_text(TETRAHEDRON * 2000)
    for old, new, slow in (("normal 0 0 1", "", 3), ("endsolid", "facet endsolid", 1)):
        # seven lines of each facet, and those of the solid
        assert lines_read_strictly("stl", text.replace(old, new, slow), 1 << 30) <= 7 * slow + 2
