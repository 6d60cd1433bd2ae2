"""Opening: the right reader for each file, and a clear word for what is none.

Modules tested: `formats/registry`, `formats/recognition`, `formats/mesh/gltf`.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import socket
import struct
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import trimesh
from cases import each
from console import environment
from places import ROOT

from massprops.errors import InvalidInput, MasspropsError, ReadError, UnknownFormat
from massprops.formats import OptionalPackage, load, registry
from massprops.formats.mesh.arrays import from_object
from massprops.formats.registry import open_mesh
from massprops.formats.table import FORMATS, MESHES, PLANAR, Format

#: The words of messages that list the formats; tests of the table say what is in it.
KNOWN = "known: " + " ".join(sorted({*MESHES, *PLANAR}))
#: Words for `format`: robots refer to other files.
NAMES = " ".join(x[1:] for x in KNOWN.removeprefix("known: ").split() if x not in MESHES or not MESHES[x].is_robot)
UNREADABLE = "the file is damaged, or uses what massprops cannot read; export it as STL, OBJ or PLY"

ASSEMBLY = "an assembly: use massprops.combine"
NO_SUFFIX, LOOKS_LIKE = "cannot infer the format of 'part' (no file extension)", "the content looks like"

FACET = [(1, 2, 3), (7, -1, 2), (0, 5, -4)]
ASCII_STL = """solid part
facet normal 0 0 1
outer loop
vertex 1 2 3
vertex 7 -1 2
vertex 0 5 -4
endloop
endfacet
endsolid part
"""
BINARY_STL = b" " * 80 + struct.pack("<I12fH", 1, 0, 0, 0, *(x for p in FACET for x in p), 0)
OBJ = "# made by hand\n\nmtllib a.mtl\no part\nv 1 2 3\nv 7 -1 2\nv 0 5 -4\nf 1 2 3\n"
PLY = "ply\nformat ascii 1.0\nelement vertex 0\nend_header\n"
OFF = "OFF\n# a comment\n3 1 0\n1 2 3\n7 -1 2\n0 5 -4\n3 0 1 2\n"


@pytest.fixture
def put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Write a file beside the test, so that messages begin with its bare name."""
    monkeypatch.chdir(tmp_path)

    def write(name: str, content: str | bytes) -> str:
        Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
        return name

    return write


def facets(path: str | Path, **options) -> np.ndarray:
    with open_mesh(path, **options) as mesh:
        return np.concatenate(list(mesh.chunks()))


def refusal(path: str | Path, kind: type[MasspropsError] = ReadError, **options) -> str:
    with pytest.raises(kind) as caught, open_mesh(path, **options) as mesh:
        list(mesh.chunks())
    assert type(caught.value) is kind
    return str(caught.value)


# Which reader


@pytest.mark.parametrize("name", ["part.stl", "PART.STL", "part.unitsmm.Stl", ".hidden.stl", "ä ö.stl"])
def test_the_suffix_names_the_format_in_any_case(put, name: str) -> None:
    assert facets(put(name, ASCII_STL)).tolist() == [[list(map(float, p)) for p in FACET]]


def test_a_path_object_opens_like_its_string(put) -> None:
    assert np.array_equal(facets(Path(put("part.stl", BINARY_STL))), [FACET])


@pytest.mark.parametrize("word", ["stl", "STL", ".stl"])
def test_the_type_overrides_the_suffix(put, word: str) -> None:
    assert np.array_equal(facets(put("part.dat", BINARY_STL), format=word), [FACET])


def test_standard_input_is_read_with_a_type_though_it_cannot_seek() -> None:
    read_end, write_end = os.pipe()
    with os.fdopen(write_end, "wb") as sink:
        sink.write(BINARY_STL)
    with os.fdopen(read_end, "rb") as stream:
        assert np.array_equal(facets("-", format="stl", stdin=stream), [FACET])
        assert not stream.closed


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are a thing of POSIX")
def test_a_named_pipe_is_read_whole_with_the_digest_of_what_came_through(tmp_path: Path) -> None:
    # Opened by its name again, a pipe waits for another writer for ever.
    path = tmp_path / "pipe.stl"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(BINARY_STL,))
    writer.start()
    with open_mesh(path) as mesh:
        writer.join()
        assert mesh.digest() == hashlib.sha256(BINARY_STL).hexdigest()
        assert np.array_equal(np.concatenate(list(mesh.chunks())), [FACET])  # and it can be read after that


def test_the_digest_is_that_of_the_bytes_that_were_read(put) -> None:
    with open_mesh(put("part.obj", OBJ)) as mesh:
        Path("part.obj").rename("old.obj")
        put("part.obj", OBJ + "# another file by now")
        assert mesh.digest() == hashlib.sha256(OBJ.encode()).hexdigest()
    with open_mesh("-", format="obj", stdin=io.BytesIO(OBJ.encode())) as mesh:
        assert mesh.digest() == hashlib.sha256(OBJ.encode()).hexdigest()


def test_the_file_is_closed_after_the_context(put) -> None:
    with open_mesh(put("part.stl", BINARY_STL)) as mesh:
        pass
    with pytest.raises(ValueError, match="closed file"):
        list(mesh.chunks())


def test_no_format_of_our_own_imports_trimesh(put) -> None:
    # trimesh takes four times as long to import as numpy: it would double the time of every small file.
    code = "import sys, massprops.formats.registry as r\nwith r.open_mesh('part.stl') as m: list(m.chunks())\n"
    code += "assert 'trimesh' not in sys.modules and 'massprops.formats.mesh.gltf' not in sys.modules"
    put("part.stl", ASCII_STL)
    subprocess.run([sys.executable, "-c", code], check=True, env=environment())


@each("row", FORMATS)
def test_every_format_has_its_functions(row: Format) -> None:
    assert all(callable(load(where)) for where in (row.reader, row.writer) if where)


@each("row", FORMATS)
def test_every_format_is_in_the_documentation(row: Format) -> None:
    """In the first column of a table of docs/formats.md."""
    rows = re.findall(r"^\| ([^|]*) \|", (ROOT / "docs" / "formats.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert row.name in {word.lower() for first in rows for word in re.findall(r"\w+", first)}


# What is no mesh file


@pytest.mark.usefixtures("put")
def test_a_missing_file() -> None:
    assert refusal("gone.stl") == "gone.stl: no such file"


def test_a_name_that_is_empty() -> None:
    assert refusal("") == "the name of the file is empty; is a variable unset?"


@pytest.mark.usefixtures("put")
def test_a_directory() -> None:
    Path("dir.stl").mkdir()
    assert refusal("dir.stl") == "dir.stl: is a directory; name a file in it"


def test_a_file_below_a_file(put) -> None:
    put("part.stl", BINARY_STL)
    assert refusal("part.stl/inner.stl") == "part.stl/inner.stl: cannot be opened: Not a directory"


def test_a_name_that_no_system_allows() -> None:
    assert refusal("a\0b.stl").startswith("a\0b.stl: cannot be opened: ")


def test_a_refusal_by_the_system_is_told_as_such(put, monkeypatch: pytest.MonkeyPatch) -> None:
    put("part.stl", BINARY_STL)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert refusal("part.stl") == "part.stl: no permission to read the file"


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no such device on this system")
def test_a_device_that_never_ends_is_not_read() -> None:
    assert refusal("/dev/zero", format="stl") == "/dev/zero: is a device, not a file; use '-' for standard input"


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="sockets in the file system are a thing of POSIX")
@pytest.mark.usefixtures("put")
def test_a_socket_is_not_read() -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s.stl")
        assert refusal("s.stl").startswith("s.stl: cannot be opened: ")


def test_an_empty_file(put) -> None:
    assert refusal(put("part.stl", b"")) == "part.stl: the file is empty (0 bytes); export or copy it again"


def test_an_empty_standard_input() -> None:
    said = "-: the file is empty (0 bytes); export or copy it again"
    assert refusal("-", format="obj", stdin=io.BytesIO()) == said


def test_standard_input_without_a_type() -> None:
    said = f"cannot infer the format of standard input; give format=, one of: {NAMES}"
    assert refusal("-", InvalidInput, stdin=io.BytesIO(BINARY_STL)) == said


def test_standard_input_without_a_stream() -> None:
    said = "'-' is standard input, but no stream was given; pass `stdin`, a binary stream"
    assert refusal("-", InvalidInput, format="stl") == said


def test_an_unknown_type(put) -> None:
    said = f"unknown format 'stlx'; known: {NAMES}"
    assert refusal(put("part.stl", BINARY_STL), InvalidInput, format="stlx") == said


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("part.xyzw", "??", "unknown format '.xyzw' for part.xyzw; did you mean .xy?"),
        ("part.slt", "??", "unknown format '.slt' for part.slt; did you mean .stl?"),
        ("part.Objj", "??", "unknown format '.Objj' for part.Objj; did you mean .obj?"),
        ("part", "??", f"{NO_SUFFIX};"),
        ("part", OBJ, f"{NO_SUFFIX}; {LOOKS_LIKE} an OBJ file, so try format='obj';"),
        ("a.toml", "[[part]]", f"unknown format '.toml' for a.toml; it is {ASSEMBLY};"),
        (
            "a.SLDPRT",
            "\0",
            "unknown format '.SLDPRT' for a.SLDPRT; it is a file of a CAD program: export it as STEP, or as STL;",
        ),
        ("a.gz", b"\x1f\x8b\x08\0", f"unknown format '.gz' for a.gz; {LOOKS_LIKE} a gzip archive: unpack it first;"),
    ],
)
def test_an_unknown_suffix(put, name: str, content: str | bytes, said: str) -> None:
    assert refusal(put(name, content), UnknownFormat) == f"{said} {KNOWN}"


# A suffix that lies

MESH = "export the mesh as STL, OBJ or PLY"
FOR_RESULTS = "use massprops.explain, massprops.convert or massprops.combine for results"
OF_CAD = "use massprops.explain or massprops.check for its numbers"
FOR_ROBOTS = "use massprops.combine for its mass properties as a whole, massprops.check or massprops.fill, or name one of its meshes"
LFS = "https://git-lfs.github.com/spec/v1"
RENAME = "rename it to .{0} or pass format='{0}'"
LIES = [
    (OBJ, "an OBJ file", RENAME.format("obj")),
    ("v 1 2 3\r\nv 1 2 3\r\n", "an OBJ file", RENAME.format("obj")),
    (PLY, "a PLY file", RENAME.format("ply")),
    (OFF, "an OFF file", RENAME.format("off")),
    ("# comment\nCOFF\n3 1 0\n", "an OFF file", RENAME.format("off")),
    ("OFF3 1 0\n1 2 3\n", "an OFF file", RENAME.format("off")),
    (b"glTF\x02\0\0\0", "a binary glTF file", RENAME.format("glb")),
    ('{"scene": 0, "asset": {"version": "2.0"}}', "a glTF file", RENAME.format("gltf")),
    ('<?xml version="1.0"?>\n<COLLADA xmlns="x">', "a COLLADA file", RENAME.format("dae")),
    ("\ufeff<?xml version='1.0'?><robot name='r'>", "a robot description in XML", FOR_ROBOTS),
    ("<!DOCTYPE html><html>", "an HTML page", "download the file itself, not the page that shows it"),
    ("\n <html lang=en>", "an HTML page", "download the file itself, not the page that shows it"),
    ("<svg xmlns='x'>", "an SVG drawing", "rename it to .svg or pass format='svg'"),
    ("<model unit='mm'>", "an XML file", MESH),
    ('{"vertices": []}', "a JSON file", MESH),
    ("[[1, 2], [3, 4]]", "a JSON file", MESH),
    (b"PK\x03\x04\x14\0", "a ZIP archive", "unpack it first"),
    (b"\x1f\x8b\x08\0", "a gzip archive", "unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "a packed archive", "unpack it first"),
    (b"\x89PNG\r\n\x1a\n", "a picture", MESH),
    (b"%PDF-1.7\n", "a PDF document", MESH),
    (f"version {LFS}\noid sha256:00\nsize 684\n", "a Git LFS pointer", "fetch the real file with 'git lfs pull'"),
    ("ISO-10303-21;\nHEADER;\n", "a STEP file", "rename it to .step or pass format='step'"),
    (" " * 72 + "S      1\n", "an IGES file", RENAME.format("iges")),
    ("  0\r\nSECTION\r\n  2\r\nHEADER\r\n", "a DXF drawing", "rename it to .dxf or pass format='dxf'"),
    (b"Kaydara FBX Binary  \0", "an FBX file", MESH),
    ('{\n  "schema": "massprops/1",', "a massprops result", FOR_RESULTS),
    ("$MeshFormat\n4.1 0 8\n", "a Gmsh file", "rename it to .msh or pass format='msh'"),
    (
        "Mass properties of a\n\nMass = 75.9 grams\nMoments of inertia:\n",
        "the mass properties of a CAD program",
        OF_CAD,
    ),
    ("Volume:\t3 mm^3\n\tLxx = 11768.74\n", "the mass properties of a CAD program", OF_CAD),
    ("# vtk DataFile Version 3.0\n", "a VTK file", "rename it to .vtk or pass format='vtk'"),
    ("#VRML V2.0 utf8\n", "a VRML file", MESH),
]


@pytest.mark.parametrize(("content", "looks", "remedy"), LIES, ids=[f"{i} {lie[1]}" for i, lie in enumerate(LIES)])
def test_a_file_that_only_calls_itself_stl_is_refused(put, content: str | bytes, looks: str, remedy: str) -> None:
    said = f"part.stl: the suffix says .stl, but the content looks like {looks}; {remedy}"
    assert refusal(put("part.stl", content)) == said


@pytest.mark.parametrize("suffix", [s for s in MESHES if s != ".stl"])
@pytest.mark.parametrize(("content", "looks"), [(ASCII_STL, "an ASCII STL file"), (BINARY_STL, "a binary STL file")])
def test_stl_by_another_name_is_refused(put, suffix: str, content: str | bytes, looks: str) -> None:
    assert refusal(put(f"part{suffix}", content)) == (
        f"part{suffix}: the suffix says {suffix}, but the content looks like {looks}; rename it to .stl or pass format='stl'"
    )


def test_a_type_that_lies_is_refused_too(put) -> None:
    said = "part.dat: format says stl, but the content looks like an OBJ file; pass format='obj'"
    assert refusal(put("part.dat", OBJ), format="stl") == said


@pytest.mark.parametrize("begin", [b"ply\n", b"PK\x03\x04", b"solid facet", b"glTF", b"%PDF-", b"<html>", b'{"asset":'])
def test_a_binary_stl_header_may_begin_like_anything(put, begin: bytes) -> None:
    assert np.array_equal(facets(put("part.stl", begin.ljust(80) + BINARY_STL[80:])), [FACET])


def test_plain_prose_is_no_stl(put) -> None:
    assert refusal(put("part.stl", "Lorem ipsum dolor sit amet, consetetur sadipscing elitr.\n" * 9)) == (
        "part.stl: neither binary nor ASCII STL: the file is text that does not begin with 'solid'; "
        "export the mesh again, or say with format= what it is"
    )


@pytest.mark.parametrize(
    ("suffix", "begin"), [(".gltf", '{"nodes": [' + "0, " * 3000), (".dae", "<!-- " + "long " * 2000)]
)
def test_what_tells_a_format_may_come_late(put, monkeypatch: pytest.MonkeyPatch, suffix: str, begin: str) -> None:
    # A glTF file may name its asset last, COLLADA its root after a licence: such files are no lies.
    read: list[int] = []
    monkeypatch.setattr(registry, "load", lambda _: lambda file: read.append(file.size) or from_object([FACET]))
    with open_mesh(put(f"part{suffix}", begin)):
        assert read == [len(begin)]


# glTF: files written by trimesh, read by our own reader


def scene() -> trimesh.Scene:
    """A skew tetrahedron three times: as it is, turned and moved, and mirrored and stretched."""
    solid = trimesh.Trimesh(
        [(1, 2, 3), (7, -1, 2), (0, 5, -4), (3, 3, 9)], [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)]
    )
    turned = trimesh.transformations.rotation_matrix(0.7, (1, 2, 3), (4, 5, 6))
    mirrored = np.diag([-2.0, 1.0, 1.0, 1.0])
    mirrored[:3, 3] = (50, 0, 0)
    result = trimesh.Scene()
    for pose in (np.eye(4), turned, mirrored):
        result.add_geometry(solid, geom_name="solid", transform=pose)
    return result


def volume(corners: np.ndarray) -> float:
    return float(np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6)


def glb(tree_edit=None) -> bytes:
    return scene().export(file_type="glb", tree_postprocessor=tree_edit)


def test_every_instance_in_a_gltf_scene_counts_and_mirrors_stay_outward(put) -> None:
    path = put("part.glb", glb())
    # 181/6 once, once more turned, and twice for the stretched mirror; 1e-6 for float32 coordinates of size 60.
    assert volume(facets(path)) == pytest.approx(4 * 181 / 6, rel=1e-6)
    with open_mesh(path) as mesh:
        assert (mesh.facets, mesh.unit, mesh.format) == (12, "m", "glb")


def test_gltf_without_its_buffers_is_refused(put) -> None:
    path = put("model.gltf", scene().export(file_type="gltf")["model.gltf"])
    tree = json.loads(Path(path).read_bytes())
    position = tree["accessors"][tree["meshes"][0]["primitives"][0]["attributes"]["POSITION"]]
    name = tree["buffers"][tree["bufferViews"][position["bufferView"]]["buffer"]]["uri"]
    remedy = "copy it there, or export the mesh as one file (.glb)"
    assert refusal(path) == f"model.gltf: its buffer '{name}' is not there ({name}: no such file); {remedy}"
    Path("elsewhere").mkdir()
    Path("elsewhere/model.gltf").write_bytes(Path(path).read_bytes())
    assert refusal("elsewhere/model.gltf") == (
        f"elsewhere/model.gltf: its buffer '{name}' is not there (elsewhere/{name}: no such file); {remedy}"
    )
    assert refusal("-", format="gltf", stdin=io.BytesIO(Path(path).read_bytes())) == (
        f"-: its buffer '{name}' is another file, which standard input cannot name; export it as one file (.glb)"
    )


def test_a_cut_buffer_is_refused(put) -> None:
    for name, data in scene().export(file_type="gltf").items():
        put(name, data)
    buffer = json.loads(Path("model.gltf").read_bytes())["buffers"][0]
    put(buffer["uri"], b"1234567")
    assert refusal("model.gltf") == (
        f"model.gltf: its buffer '{buffer['uri']}' has 7 bytes, but {buffer['byteLength']} are promised; "
        "it looks truncated; export or copy it again"
    )


TRUNCATED = "it looks truncated; export or copy it again"
AS_OTHER = "export it as glTF 2.0, STL, OBJ or PLY"
BEGINS = "a binary glTF file begins with 'glTF' and a chunk 'JSON'"


def glb_of(chunk: bytes, kind: bytes = b"JSON", *, size: int = 4, version: int = 2) -> bytes:
    """A binary glTF file of 24 bytes, whose header promises a chunk of this size."""
    return b"glTF" + struct.pack("<3I", version, 24, size) + kind + chunk


def without_data(tree: dict) -> None:
    for accessor in tree["accessors"]:
        del accessor["bufferView"]


def each_primitive(**change):
    return lambda tree: [primitive.update(change) for mesh in tree["meshes"] for primitive in mesh["primitives"]]


PLACED = '{"asset": {}, "scenes": [{"nodes": [0]}], "nodes": '
UNREAD = ": massprops does not read such glTF: {}; export it without, or as STL, OBJ or PLY"
NEGATIVE = f": the entry {{}}, and must not be negative; {UNREADABLE}"
WRONG_KIND = ": cannot be read: an entry is of the wrong kind ('int' object is not iterable); "


@each(("content", "said"), [
    (b"glTF", f": a binary glTF file has at least 20 bytes, but this one has 4; {TRUNCATED}"),
    (glb_of(b"null", bytes(4), version=1), f": binary glTF of version 1, and only version 2 is read; {AS_OTHER}"),
    (glb_of(b"null"), f": glTF is a JSON object, and this is NoneType; {UNREADABLE}"),
    (glb_of(b"{}, "), f":1: not JSON, which glTF is: Extra data in column 3; {UNREADABLE}"),
    (glb_of(b"    ", size=5), f": binary glTF header promises 25 bytes but the file has 24; {TRUNCATED}"),
    (glb_of(b"    ", b"BIN\0"), f": {BEGINS}, got b'glTF' and b'BIN\\x00'; is it another format?"),
    ('{"asset": {},\n "meshes": [}', f":2: not JSON, which glTF is: Expecting value in column 13; {UNREADABLE}"),
    ('["asset"]', f": glTF is a JSON object, and this is list; {UNREADABLE}"),
    (PLACED + '[{}, {"mesh": 0}]}', f": the file holds no facets; {UNREADABLE}"),
    (PLACED + '[{"mesh": 0}], "meshes": [{}]}', f": cannot be read: the entry 'primitives' is missing; {UNREADABLE}"),
    ('{"asset": {}, "scene": 4}', f": cannot be read: an entry refers to another that does not exist; {UNREADABLE}"),
    ('{"asset": 1, "scenes": [{"nodes": 4}]}', WRONG_KIND + UNREADABLE),
    # the parser's own words, which differ from one Python to the next
    ('{"asset": ' + "[" * 200_000, ": cannot be read: "),
    ('{"asset": ' + "9" * 5000 + "}", ": cannot be read: "),
    (lambda tree: tree["bufferViews"][-1].update(byteLength=10**6), ": cannot be read: a part of it is shorter than another part says; "),
    (glb()[:-10], f": binary glTF header promises {len(glb())} bytes but the file has {len(glb()) - 10}; {TRUNCATED}"),
    (lambda tree: tree.update(extensionsRequired=["KHR_materials_unlit", "X"]), UNREAD.format("the extension X is required")),
    (without_data, UNREAD.format("an accessor without data")),
    (each_primitive(mode=7), UNREAD.format("primitives of mode 7")),
    (each_primitive(mode=1), f": the file holds no facets; {UNREADABLE}"),
    # lists of the language that reads them count negative numbers from the end: the last mesh would be measured in silence
    (each_primitive(indices=-1), NEGATIVE.format("'indices' is -1")),
    (each_primitive(attributes={"POSITION": -2}), NEGATIVE.format("'POSITION' is -2")),
    (lambda tree: tree["nodes"][-1].update(mesh=-1), NEGATIVE.format("'mesh' is -1")),
    (lambda tree: tree["nodes"][0].update(children=[1, -1]), NEGATIVE.format("'children' is -1")),
    (lambda tree: tree.update(scene=-1), NEGATIVE.format("'scene' is -1")),
    (lambda tree: tree["accessors"][0].update(bufferView=-1), NEGATIVE.format("'bufferView' is -1")),
    (lambda tree: tree["bufferViews"][0].update(byteOffset=-4), NEGATIVE.format("'byteOffset' is -4")),
])  # fmt: skip
def test_a_gltf_that_is_damaged_or_would_be_read_wrongly_is_refused(put, content, said: str) -> None:
    """A text is JSON, a function changes the entries of a whole file."""
    name = "part.gltf" if isinstance(content, str) else "part.glb"
    assert refusal(put(name, glb(content) if callable(content) else content)).startswith(f"{name}{said}")


def test_an_optional_package_is_imported_when_one_of_its_modules_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What Python asks of any value, as pytest does for `__wrapped__`, imports nothing and finds nothing."""
    (tmp_path / "guest").mkdir()
    (tmp_path / "guest/table.py").write_text("SEATS = 4")
    monkeypatch.syspath_prepend(tmp_path)
    guest = OptionalPackage("guest")
    assert not hasattr(guest, "__wrapped__")
    assert "guest" not in sys.modules
    assert guest.table.SEATS == 4
    with pytest.raises(ModuleNotFoundError, match=r"guest\.chair"):
        _ = guest.chair
