"""No output replaces a file that the command reads: every command that writes × every file that it reads × every name of that file."""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from cases import each
from console import OUTWARD, Run, ascii_stl, run

from massprops.cli.app import COMMANDS
from massprops.cli.groups import declarations

posix = pytest.mark.skipif(sys.platform == "win32", reason="links need a permission there")

MESHES = (
    "part.stl",
    "../scene/meshes/up.stl",
    "package://pack/meshes/packed.stl",
    "file://{}/meshes/uri%20.stl",
    "Ünï.stl",
)
ARM = (
    '<robot name="r">{}<link name="stated"><inertial><mass value="1"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>'
)
LINK = '<link name="l{}"><visual><geometry><mesh filename="{}"/></geometry></visual></link>'
MJCF = (
    '<mujoco><include file="inner.xml"/><asset><mesh name="m" file="part.stl"/></asset><worldbody>'
    '<body name="solid"><geom type="mesh" mesh="m"/></body></worldbody></mujoco>'
)
WORLD = (
    '<sdf version="1.9"><model name="m"><include><uri>model://inner</uri></include>'
    '<link name="own"><visual name="v"><geometry><sphere><radius>1</radius></sphere></geometry></visual></link></model></sdf>'
)
MODEL = (
    '<sdf version="1.9"><model name="i"><link name="a"><visual name="v"><geometry><mesh><uri>meshes/m.stl</uri></mesh>'
    "</geometry></visual></link></model></sdf>"
)
STAGE = """#usda 1.0
( subLayers = [@sub.usda@] )
def Xform "a" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI"]
    prepend references = @ref.usda@
) { }
"""
CUBE = """#usda 1.0
( defaultPrim = "a" )
def Xform "a" {
    def Cube "shape" ( prepend apiSchemas = ["PhysicsCollisionAPI"] ) {
        double size = 1
    }
}
"""
GLTF = {
    "asset": {"version": "2.0"},
    "scene": 0,
    "scenes": [{"nodes": [0]}],
    "nodes": [{"mesh": 0}],
    "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
    "accessors": [
        {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1]},
        {"bufferView": 1, "componentType": 5125, "count": 12, "type": "SCALAR"},
    ],
    "bufferViews": [{"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 48}],
    "buffers": [{"uri": "data.bin", "byteLength": 96}],
}
#: A command without its outputs: the options that name them, the suffix that an output must have, and files that the command reads.
READS = """
fill arm.urdf -d 1 --package pack=pack | -o | | arm.urdf part.stl meshes/up.stl pack/meshes/packed.stl massprops.toml
fill arm.urdf -d 1 --package pack=pack | --report | | arm.urdf meshes/uri\t.stl Ünï.stl pack/meshes/packed.stl
fill world.sdf -d 1000 --links own | -o --report | | world.sdf inner/model.sdf inner/model.config
fill robot.xml -d 1000 --links solid | -o --report | | robot.xml inner.xml part.stl
fill robot.usda -d 1000 | -o | | sub.usda ref.usda
fill arm.urdf -d 1000 --package pack=pack --in-place | --report | | arm.urdf part.stl
combine outer.toml | -o | | outer.toml inner.toml bar.json part.stl
combine 2*bar.json arm.urdf#stated --format json | -o | | bar.json arm.urdf
compute gltf | -o | | gltf/data.bin gltf/mesh.gltf
compute part.stl | -o --certificate | | part.stl massprops.toml
compute part.stl --matrix pose.txt | -o --certificate | | pose.txt
compute folder part.stl -j 2 --format csv -d 1 | -o | | folder/a.stl folder/b.stl part.stl
check . --exclude *.usda | -o | | inner.xml bar.json massprops.toml
check arm.urdf part.stl --package pack=pack | --format=json= | | arm.urdf meshes/up.stl part.stl
check arm.urdf part.stl -j 2 --package pack=pack | --format=junit= | | meshes/up.stl part.stl
check robot.usda | --format=sarif= | | ref.usda
check part.stl --against folder/a.stl | -o | | folder/a.stl
check part.stl --certificate proof.json --expect bar.json | -o | | proof.json bar.json
check part.stl --update-baseline | --baseline | | part.stl massprops.toml
check part.stl --update | --expect | | part.stl massprops.toml
diff gltf folder | -o | | gltf/mesh.gltf folder/b.stl
diff part.stl Ünï.stl | -o | | part.stl Ünï.stl
report arm.urdf part.stl --package pack=pack | -o | .html | arm.urdf part.stl meshes/up.stl massprops.toml
plot world.sdf | -o | .png | world.sdf inner/meshes/m.stl inner/model.sdf
plot part.stl | -o | .svg | part.stl massprops.toml
repair part.stl | -o | .stl | part.stl
convert robot.xml#inner --format json | -o | | robot.xml inner.xml
convert arm.urdf#stated --format csv | -o | | arm.urdf
convert bar.json --pose "1 2 3" --format csv | -o | | bar.json
explain arm.urdf#stated --against part.stl | -o | | arm.urdf part.stl
explain robot.xml#solid | -o | | robot.xml inner.xml part.stl
shape box --x 1 --y 1 --z 1 --mass 1 --matrix pose.txt | -o | | pose.txt
init folder --force | -o | | folder/a.stl
"""
#: Ways of naming a file.
ALIASES = ("relative", "absolute", "dotted", "symlink", "hardlink", "through")


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files of every kind that name others; the current folder is there."""
    folder = tmp_path / "scene"
    for name in ("meshes", "pack/meshes", "inner/meshes", "folder", "gltf"):
        (folder / name).mkdir(parents=True)
    monkeypatch.chdir(folder)
    stl = ascii_stl()
    for name in ("part.stl", "meshes/up.stl", "pack/meshes/packed.stl", "meshes/uri .stl", "Ünï.stl"):
        Path(name).write_text(stl)
    for name in ("inner/meshes/m.stl", "folder/a.stl", "folder/b.stl"):
        Path(name).write_text(stl)
    links = "".join(LINK.format(i, mesh.format(folder)) for i, mesh in enumerate(MESHES))
    texts = {
        "arm.urdf": ARM.format(links),
        "robot.xml": MJCF,
        "inner.xml": '<mujoco><worldbody><body name="inner"><geom size="1"/></body></worldbody></mujoco>',
        "world.sdf": WORLD,
        "inner/model.sdf": MODEL,
        "inner/model.config": "<model><sdf>model.sdf</sdf></model>",
        "robot.usda": STAGE,
        "sub.usda": "#usda 1.0\n",
        "ref.usda": CUBE,
        "gltf/mesh.gltf": json.dumps(GLTF),
        "outer.toml": '[[part]]\nmesh = "part.stl"\ndensity = 1\n[[part]]\nassembly = "inner.toml"\n',
        "inner.toml": '[[part]]\nbody = "bar.json"\n',
        "massprops.toml": 'units = "m"\n',
        "proof.json": "{}",
        "pose.txt": "1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n",
    }
    for name, text in texts.items():
        Path(name).write_text(text, "utf-8")
    corners, faces = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "<f4"), np.array(OUTWARD, "<u4")
    Path("gltf/data.bin").write_bytes(corners.tobytes() + faces.tobytes())
    Path("bar.json").write_text(
        run("shape", "box", "--x", "1", "--y", "1", "--z", "1", "--mass", "1", "-f", "json").out
    )
    Path("linked").symlink_to(folder.resolve(), target_is_directory=True)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def named(file: str, alias: str, suffix: str) -> str:
    """The file by another name, which ends with a suffix."""
    link = Path(f"alias{suffix or Path(file).suffix}")
    if alias in ("symlink", "hardlink"):
        link.unlink(missing_ok=True)
        link.symlink_to(file) if alias == "symlink" else link.hardlink_to(file)
        return str(link)
    return {
        "relative": file,
        "absolute": str(Path(file).absolute()),
        "dotted": f"folder/../{file}",
        "through": f"linked/{file}",
    }[alias]


def cases() -> Iterator[tuple[str, str, str, str, str]]:
    """Commands, options, files and the ways to name these, of which every file gets some and every command all."""
    aliases = itertools.cycle(ALIASES)
    for line in READS.strip().splitlines():
        words, options, suffix, files = (part.strip() for part in line.split("|"))
        for file, option in itertools.product(files.split(" "), options.split()):
            file = file.replace("\t", " ")
            fits = not suffix or file.endswith(suffix)
            yield words, option, file, next(a for a in aliases if fits or a in ("symlink", "hardlink")), suffix


def refuses(done: Run, folder: Path, before: dict[str, bytes]) -> None:
    assert (done.returncode, "input file" in done.err) == (2, True), done.err
    assert contents(folder) == before  # nothing is written at all


@posix
@each("words, option, file, alias, suffix", cases())
def test_no_output_replaces_a_file_that_is_read(
    words: str, option: str, file: str, alias: str, suffix: str, scene: Path
) -> None:
    output = named(file, alias, suffix)
    given = [word.replace("\t", " ") for word in words.split(" ")]
    before = contents(scene)
    try:
        refuses(run(*given, *([option + output] if option.endswith("=") else [option, output])), scene, before)
    finally:
        Path(f"alias{suffix or Path(file).suffix}").unlink(missing_ok=True)


@posix
@each(
    "words, file",
    [(f"{words} --type stl", "part.stl") for words in ("compute -", "compute /dev/stdin")]
    + [
        (words, "bar.json")
        for words in ("convert -", "combine -", "explain -", "diff - bar.json", "check - --against part.stl")
    ],
)
def test_a_file_that_is_standard_input_or_output_is_one_that_is_read(words: str, file: str, scene: Path) -> None:
    before = contents(scene)
    with Path(file).open("rb") as stdin:
        refuses(run(*words.split(), "-f", "json", "-o", file, stdin=stdin), scene, before)
        with Path(file).open("ab") as stdout:  # as in `massprops compute - < part.stl >> part.stl`
            stdin.seek(0)
            refuses(run(*words.split(), "-f", "json", stdin=stdin, stdout=stdout.fileno()), scene, before)


def test_every_option_that_writes_is_tried() -> None:
    """An option that gets a file to write is declared so, and stands in `READS`."""
    tried = {(line.split()[0], option) for line in READS.strip().splitlines() for option in line.split("|")[1].split()}
    for name, command in COMMANDS.items():
        for d in declarations(command.load()[0]):
            if d.writes and (name, d.name) not in {("sample", "output"), ("compute", "output_table")}:
                assert any((name, word) in tried for word in d.spellings), (name, d.name)


@pytest.mark.usefixtures("scene")
def test_what_is_not_read_is_replaced() -> None:
    """The refusals above are of the files that are read, not of all that are there."""
    for words, file in (
        ("compute part.stl", "pose.txt"),
        ("fill robot.xml -d 1000 --links solid", "pose.txt"),
        ("check part.stl", "bar.json"),
    ):
        before = Path(file).read_bytes()
        assert run(*words.split(), "-o", file).returncode == 0
        assert Path(file).read_bytes() != before


@pytest.mark.usefixtures("scene")
def test_the_purpose_of_a_file_in_place_is_to_be_replaced() -> None:
    for words, file in (
        ("fill robot.xml -d 1000 --in-place", "robot.xml"),
        ("check part.stl -d 2 --expect new.json --update", "new.json"),
        ("check part.stl --require single-body --units mm --baseline known.json --update-baseline", "known.json"),
    ):
        assert [run(*words.split()).returncode for _ in "12"] == [0, 0], file
        assert Path(file).is_file()


BAD = "[[part]]\nmesh = 'gone.stl'\ndensity = 1\n[[part]]\n{} = '{}'\n"


@each(
    "command, output, code",
    [
        ("combine bad.toml -f json", "part.stl", 2),
        ("combine bad.toml -f csv", "inner.toml", 2),
        ("combine bad.toml -f json", "bar.json", 2),
        ("combine gone.stl bar.json -f json", "bar.json", 2),
        ("combine gone.stl 2*bar.json -f json", "bar.json", 2),
        ("combine bar.json -f json", "gltf/mesh.gltf", 2),
        ("combine bar.json -f urdf --link a", "mesh.dae", 2),
        ("combine bar.json -f urdf --link a", "mesh.3mf", 2),
        ("combine bar.json -f json", "drawing.svg", 2),
        ("combine bar.json -f csv", "drawing.dxf", 2),
        ("check attached.xml", "inner.xml", 2),
        ("convert attached.xml -f json", "inner.xml", 2),
        ("convert arm.urdf#stated -f json", "part.stl", 2),
        ("convert arm.urdf#stated -f urdf", "part.stl", 2),
        ("combine arm.urdf#stated --format urdf", "meshes/up.stl", 2),
        ("diff bar.json bar.json -f json", "massprops.toml", 2),
    ],
)
def test_a_file_that_was_named_and_not_reached_is_not_replaced(
    scene: Path, command: str, output: str, code: int
) -> None:
    """What fails first leaves the other files of an assembly unopened; a text is not written over a mesh or a robot."""
    Path("bad.toml").write_text(BAD.format("body" if output == "bar.json" else "assembly", output))
    Path("attached.xml").write_text(
        '<mujoco><asset><model file="inner.xml"/><nonsense/></asset><worldbody><attach/></worldbody></mujoco>'
    )
    for name in ("mesh.dae", "mesh.3mf", "drawing.svg", "drawing.dxf"):
        Path(name).write_text("<svg/>")
    before = contents(scene)
    done = run(*command.split(), "-o", output)
    assert (done.returncode, contents(scene)) == (code, before), done.err
    assert output in done.err


@posix
def test_a_table_is_made_in_a_file_of_its_own(tmp_path: Path) -> None:
    for name in ("a.stl", "victim.stl"):
        (tmp_path / name).write_text(ascii_stl())
    (tmp_path / ".t.csv.new").symlink_to("victim.stl")
    assert run("compute", "a.stl", "victim.stl", "--output-table", "t.csv", cwd=tmp_path).returncode == 0
    assert (tmp_path / "victim.stl").read_text() == ascii_stl()
    assert not (tmp_path / "t.csv").is_symlink()
