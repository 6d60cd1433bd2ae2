"""What all readers of meshes share: a body is read however its lines are written, both cores read alike, and damage is refused or read.

Modules tested: `formats/text_lines`, `formats/mesh/faces`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from cases import each
from cores import CORES, compiled, core_of
from decimals import decimals
from hypothesis import example, given, settings
from hypothesis import strategies as st
from text_reading import facets, lines_read_strictly, outcome, source

from massprops.mesh import triangulation

# The same mesh in every format.

Words = list[tuple[str, str, str]]


def as_obj(points: Words, faces: list) -> str:
    vertices = "".join(f"v {x} {y} {z}\n" for x, y, z in points)
    return vertices + "".join("f " + " ".join(str(i + 1) for i in face) + "\n" for face in faces)


def as_ply(points: Words, faces: list) -> str:
    return (
        f"ply\nformat ascii 1.0\nelement vertex {len(points)}\nproperty double x\nproperty double y\nproperty double z\n"
        f"element face {len(faces)}\nproperty list uchar int vertex_indices\nend_header\n" + _rows(points, faces)
    )


def as_off(points: Words, faces: list) -> str:
    return f"OFF\n{len(points)} {len(faces)} 0\n" + _rows(points, faces)


def _rows(points: Words, faces: list) -> str:
    return "".join(" ".join(map(str, row)) + "\n" for row in (*points, *((len(face), *face) for face in faces)))


def as_stl(points: Words, faces: list) -> str:
    return "solid part\n" + "".join(
        "  facet normal 0 0 1\n    outer loop\n"
        + "".join("      vertex {} {} {}\n".format(*points[i]) for i in face)
        + "    endloop\n  endfacet\n"
        for face in faces
    ) + "endsolid part\n"  # fmt: skip


POLYGONS: dict[str, Callable[[Words, list], str]] = {"obj": as_obj, "ply": as_ply, "off": as_off}
WRITERS = {**POLYGONS, "stl": as_stl}
# The tetrahedron of three distinct products.
POINTS = [(1, 2, 3), (7, -1, 2), (0, 5, -4), (3, 3, 9)]
FACES = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)]
TETRAHEDRON = [[list(map(float, POINTS[i])) for i in face] for face in FACES]

WAYS: dict[str, Callable[[str], bytes]] = {
    "LF": str.encode,
    "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "CR": lambda text: text.replace("\n", "\r").encode(),
    "UTF-8 with a mark": lambda text: text.encode("utf-8-sig"),
    "UTF-16": lambda text: text.encode("utf-16"),
    "UTF-16 LE without a mark": lambda text: text.encode("utf-16-le"),
    "UTF-16 BE without a mark": lambda text: text.encode("utf-16-be"),
    "UTF-16 BE with a mark": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "no last line end": lambda text: text[:-1].encode(),
    "tabs": lambda text: text.replace(" ", "\t").encode(),
    "blanks and blank lines": lambda text: text.replace(" ", " \t ").replace("\n", "  \n\n \t\n").encode(),
}


@pytest.mark.parametrize("core", CORES)
@each("kind", WRITERS)
@each("way", WAYS)
@each("block", [9, 50, 1 << 17])
def test_a_body_is_read_however_its_lines_are_written(kind: str, way: str, block: int, core: str) -> None:
    found = outcome(kind, WAYS[way](WRITERS[kind](POINTS, FACES)), block, core)
    assert found == (np.float64, np.array(TETRAHEDRON).tobytes(), ())


@compiled
@each("kind", WRITERS)
def test_what_exporters_write_is_read_by_the_core(kind: str) -> None:
    """Else every large file would take the strict reader, fifty times slower, and nobody would notice."""
    text = WRITERS[kind](POINTS * 1000, FACES * 1000)
    for written in (text, text.replace("\n", "\r\n")):
        assert lines_read_strictly(kind, written) <= 3  # the lines of the keyword and of the solid


@compiled
@each("kind", WRITERS)
def test_a_bad_line_costs_only_its_block(kind: str) -> None:
    """A bad line at the end of a large file would be found late."""
    text = WRITERS[kind](POINTS * 5000, FACES * 5000).rstrip("\n") + " x\n"
    assert lines_read_strictly(kind, text) < text.count("\n") / 3


finite = st.floats(allow_nan=False, allow_infinity=False)
written = st.one_of(
    finite.map(repr), finite.map("{:.6f}".format), finite.map("{:+.3E}".format), decimals(25, 25, 99)
).filter(lambda word: np.isfinite(float(word)))  # the largest double rounded up is none


@settings(max_examples=80)
@given(st.lists(st.tuples(written, written, written), min_size=3, max_size=3), st.sampled_from(sorted(WRITERS)))
def test_coordinates_are_the_doubles_nearest_to_their_decimals(points: Words, kind: str) -> None:
    """A Fraction of the decimal rounds to it by IEEE: a way that does not pass the reader."""
    nearest = [[float(Fraction(word)) or float(word) for word in point] for point in points]
    text = WRITERS[kind](points, [(0, 1, 2)])
    assert outcome(kind, text)[1] == outcome(kind, text, core="numpy")[1] == np.array([nearest]).tobytes()


@pytest.mark.parametrize("core", CORES)
@each("kind", POLYGONS)
def test_triangles_quads_and_concave_polygons_mix(kind: str, core: str) -> None:
    """A prism over an L; a fan over its caps would count area twice, though not volume."""
    outline = [(0, 0), (5, 0), (5, 2), (2, 2), (2, 5), (0, 5)]
    sides = [(i, (i + 1) % 6, 6 + (i + 1) % 6, 6 + i) for i in range(6)]
    faces = [(5, 4, 3, 2, 1, 0), sides[0][:3], (sides[0][0], *sides[0][2:]), *sides[1:], tuple(range(6, 12))]
    with core_of(core):
        found = facets(kind, POLYGONS[kind]([(x, y, z) for z in (0, 3) for x, y in outline], faces))
    assert len(found) == 2 * 4 + 6 * 2
    assert round(np.linalg.det(found).sum(), 9) == 6 * 16 * 3
    areas = np.linalg.norm(np.cross(found[:, 1] - found[:, 0], found[:, 2] - found[:, 0]), axis=1)
    assert areas.sum() / 2 == 2 * 16 + 20 * 3  # whole numbers: no rounding


@each("kind", POLYGONS)
@each("thin", [(0, 1), (0,), ()])
def test_a_face_of_fewer_than_three_vertices_is_left_out_and_noted(kind: str, thin: tuple) -> None:
    """Such lines bound nothing: the others are the whole surface."""
    found = source(kind, POLYGONS[kind](POINTS, [thin, *FACES]))
    assert np.concatenate(list(found.chunks())).tolist() == TETRAHEDRON
    assert [(f.code, f.severity, f.value) for f in found.findings] == [("skipped-elements", "info", 1.0)]


@each(("kind", "line"), [("obj", 12), ("off", 14), ("ply", 21)])
def test_a_face_that_is_too_large_to_cut_is_refused_with_its_line(kind: str, line: int) -> None:
    comb = [(0, 0, 0), (8, 0, 0), (8, 9, 0), (6, 9, 0), (6, 1, 0), (2, 1, 0), (2, 9, 0), (0, 9, 0)]
    rows, last = POLYGONS[kind](comb, [(0, 1), (0, 1, 2), tuple(range(8))]).rstrip("\n").rsplit("\n", 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(triangulation, "LARGEST", 7)
        found = outcome(kind, f"{rows}\n\n{last}\n")
    said = "face has 8 corners and is not star-shaped, and such faces are cut up to 7 corners; export the mesh in triangles"
    assert found == f"part.{kind}:{line}: {said} large-face"


# Damage.

NUMBERS = ["1.5 -2 3e-7", "7 0.1 .25", "0 5. -4", "3.14159265358979 3 9", "1e-310 +2 12345678901234567890.5"]
CORNERS = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 4), (0, 1, 2, 3)]
SEEDS: dict[str, str] = {
    "stl": "solid a\n"
    + "".join(
        f"facet normal 0 {n} 1\nouter loop\n"
        + "".join(f" vertex {NUMBERS[i]}\n" for i in face[:3])
        + "endloop\nendfacet\n"
        for n, face in zip(("0.5", "-nan", "1e-3", "2", "nan(ind)"), CORNERS, strict=True)
    )
    + "endsolid a\n",
    "obj": "mtllib a.mtl\no part\n"
    + "".join(f"v {p}{' 1 0.5 0.25 0' * (i > 2)}\nvn 0 0 1\n" for i, p in enumerate(NUMBERS))
    + "".join("f " + " ".join(f"{i + 1}{'/2/' * (i % 2)}" for i in f) + "\n" for f in CORNERS)
    + "f -1 -2 -3\nl 1 2\n",
    "ply": "ply\nformat ascii 1.0\nelement vertex 5\nproperty double x\nproperty double y\nproperty double z\n"
    "element face 5\nproperty list uchar int vertex_indices\nproperty float quality\nend_header\n"
    + "".join(f"{p}\n" for p in NUMBERS)
    + "".join(f"{len(f)} {' '.join(map(str, f))} {q}\n" for q, f in zip(("1", "nan", "-inf", "0.5", "1e9"), CORNERS, strict=True)),
    "off": "COFF\n5 5 0\n"
    + "".join(f"{p} 0 0 1\n" for p in NUMBERS)
    + "".join(f"{len(f)} {' '.join(map(str, f))}{' 3' * (len(f) > 3)}\n" for f in CORNERS),
    "dae": '<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><library_geometries><geometry id="g"><mesh>'
    f'<source id="s"><float_array id="a" count="15">{" ".join(NUMBERS)}</float_array><technique_common>'
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
MORE: dict[str, list[bytes]] = {
    "obj": [
        as_obj(POINTS, FACES).replace("v 7 -1 2", "v 7 \\\n -1 \\ \n2").replace("f 0 ", "f\\\n1\\\n3\\\n ").encode(),
        b"# head\r\no b\r\ng lid left\r\nusemtl steel_2\r\nmg 1 0.1\r\n" + as_obj(POINTS, FACES).encode(),
    ],
    "stl": [
        as_stl(POINTS, FACES).encode("utf-16"),
        " ".join((as_stl(POINTS, FACES[:1]) + as_stl(POINTS, FACES[1:])).split()).encode(),
        *(start.ljust(80) + struct.pack("<I", 4) + b"".join(
            bytes(12) + struct.pack("<9f", *sum(map(tuple, facet), ())) + b"\0\0" for facet in TETRAHEDRON
        ) for start in (b"", b"solid x")),
    ],
    "ply": [*BINARY_PLY.values(), as_ply(POINTS, [(0, 1, 2), *FACES]).replace("uchar int", "int uint").encode()],
    "off": [b"OFF\n# c\n4 2 0\n1 2 3\n-1 2 3\n\n1 -2 3 # d\n1 2 -3\n3 0 1 2 1 0 1\n3 2 1 3 7\n"],
}  # fmt: skip
BYTES = st.sampled_from([0, 1, 3, 5, 127, 128, 255]) | st.integers(0, 255)
WORDS = [
    *(
        b"nan -inf 1e999 0x10 1_0 1,5 1.0D+05 1e5 4.9e-324 1e-400 -1 0 99 1.0 # v f facet outer endloop endsolid solid 3 / .".split()
    ),
    *(b"f 1 2", b"1.#QNAN", b"nan(ind)", b"+3", b"9" * 400, b"0." + b"0" * 400 + b"1", b"0" * 18 + b"1"),
    *(b"\\\n", b"\n", b"\r", b"\0", b"\xe9", b"\x1c", b"\xa0"),
]


@st.composite
def files(draw: st.DrawFn) -> tuple[str, bytes]:
    """A file with words, bytes and line ends changed, and sometimes cut, repeated or joined to another."""
    kind = draw(st.sampled_from(sorted(SEEDS)))
    seeds = st.sampled_from([SEEDS[kind].encode(), *MORE.get(kind, [])])
    data = draw(seeds)
    if draw(st.integers(0, 3)) == 0:
        other = draw(seeds)
        data = data[: draw(st.integers(0, len(data)))] + other[draw(st.integers(0, len(other))) :]
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(data)))
        match draw(st.integers(0, 3)):
            case 0:
                data = data[:at] + bytes([draw(BYTES)]) + data[at + 1 :]
            case 1:
                data = data[:at] + b" " + draw(st.sampled_from(WORDS)) + b" " + data[at:]
            case 2:
                end = data.find(b" ", at)
                data = data[:at] + draw(st.sampled_from(WORDS)) + data[end:] if end > at else data[:at]
            case 3:
                data = data[:at] + data[draw(st.integers(at, len(data))) :]
    return kind, data.replace(b"\n", draw(st.sampled_from([b"\n", b"\n", b"\r\n", b"\r"]))) if kind != "ply" else data


def test_the_seeds_are_read() -> None:
    for kind in SEEDS:
        for data in (SEEDS[kind].encode(), *MORE.get(kind, [])):
            assert not isinstance(outcome(kind, data), str), (kind, data)


@settings(max_examples=200)
@given(files(), st.sampled_from([1, 8, 20, 60, 300, 1 << 17]))
@example(("obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 %b3\n" % (b"0" * 18)), 1 << 17)
def test_both_cores_read_every_file_alike_whatever_the_blocks(file: tuple[str, bytes], block: int) -> None:
    """Else the answer would depend on whether a compiler was there, or on what else is in the file. Damage is refused, or was no damage."""
    first = 64 if b"\0" in file[1] else 1  # zeros among so many bytes tell the encoding
    assert outcome(*file, max(block, first)) == outcome(*file, core="numpy")
