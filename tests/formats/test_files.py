"""Opening: limits of size that hold before anything is read, and files that change while they are read."""

from __future__ import annotations

import io
import os
import stat
import struct
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from cases import raised
from console import run

import massprops
from massprops import measure
from massprops.errors import InvalidInput, ReadError
from massprops.formats.bodies.opening import open_bodies
from massprops.formats.files import MESH_LIMIT, TEXT_LIMIT, read_bytes, read_head, replacing, within_limits
from massprops.formats.registry import open_mesh
from massprops.formats.robot import read_robot
from massprops.formats.search_path import SearchPath

CUBE = np.array([[i >> 2, i >> 1 & 1, i & 1] for i in range(8)])
FACES = [
    *((0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1)),
    *((2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)),
]


def stl(*origins: tuple[float, float, float], size: tuple[float, float, float] = (1, 1, 1)) -> bytes:
    """Boxes with outward faces."""
    corners = np.concatenate([(CUBE * size + o)[np.array(FACES)] for o in origins])
    records = b"".join(struct.pack("<12fH", 0, 0, 0, *c.ravel(), 0) for c in corners)
    return b" " * 80 + struct.pack("<I", len(corners)) + records


def sparse(path: Path, size: int) -> str:
    """A file of any size that takes no room on the disk."""
    with path.open("wb") as stream:
        stream.truncate(size)
    return str(path)


def refused(call: Callable[[], object]) -> ReadError:
    caught = raised(ReadError, call)
    assert len(caught.message) <= 300
    return caught


@pytest.mark.parametrize("suffix", ["stl", "obj", "ply", "off", "dae", "glb", "gltf"])
def test_a_mesh_beyond_the_limit_is_refused_unread(tmp_path: Path, suffix: str) -> None:
    """A sparse file of 10 GB fills the memory, and ends the program without a word."""
    error = refused(lambda: measure(sparse(tmp_path / f"part.{suffix}", 10 << 30)))
    assert (error.code, error.exit_code) == ("too-large", 3)
    assert f"has {10 << 30:,} bytes, more than the limit of {MESH_LIMIT:,} bytes" in error.message


@pytest.mark.parametrize("suffix", ["dxf", "svg", "wkt", "csv", "dat"])
def test_a_section_beyond_the_limit_is_refused_unread(tmp_path: Path, suffix: str) -> None:
    error = refused(lambda: measure(sparse(tmp_path / f"part.{suffix}", TEXT_LIMIT + 1)))
    assert error.code == "too-large"


@pytest.mark.parametrize("read", [read_robot, open_bodies, read_bytes])
def test_any_other_file_beyond_the_limit_is_refused_unread(tmp_path: Path, read: Callable[[str], object]) -> None:
    assert refused(lambda: read(sparse(tmp_path / "robot.urdf", TEXT_LIMIT + 1))).code == "too-large"


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no such device on this system")
@pytest.mark.parametrize("read", [read_robot, open_bodies, read_bytes])
def test_devices_are_refused_everywhere(read: Callable[[str], object]) -> None:
    assert refused(lambda: read("/dev/zero")).code == "not-a-file"


def test_a_stream_is_read_up_to_the_limit() -> None:
    with within_limits(100):
        error = refused(lambda: measure("-", format="stl", stdin=io.BytesIO(b"x" * 101)))
    assert error.message == "-: has more than the limit of 100 bytes"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are a thing of POSIX")
def test_a_named_pipe_without_end_is_read_up_to_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "pipe.obj"
    os.mkfifo(path)

    def write() -> None:
        try:
            with path.open("wb") as stream:
                while True:
                    stream.write(b"# nothing\n" * 1000)
        except BrokenPipeError:
            pass

    writer = threading.Thread(target=write)
    writer.start()
    assert refused(lambda: measure(path, max_bytes=100_000)).code == "too-large"
    writer.join()


def test_the_caller_can_allow_more_or_less(tmp_path: Path) -> None:
    path = tmp_path / "part.obj"
    path.write_text(
        "".join(f"v {x} {y} {z}\n" for x, y, z in CUBE) + "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in FACES)
    )
    size = path.stat().st_size
    assert measure(path, max_bytes=size).volume == pytest.approx(1.0, rel=1e-15)
    assert refused(lambda: measure(path, max_bytes=size - 1)).code == "too-large"
    with pytest.raises(InvalidInput, match="max_bytes must be a positive whole number"):
        measure(path, max_bytes=0)


def test_binary_stl_has_no_limit_since_it_is_never_whole_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "part.stl"
    path.write_bytes(stl((0, 0, 0)))
    assert measure(path, max_bytes=100).volume == pytest.approx(1.0, rel=1e-15)


def test_a_head_is_empty_where_nothing_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    assert [read_head(str(p), 9) for p in (tmp_path, tmp_path / "gone", tmp_path / "link")] == [b"", b"", b""]


@pytest.mark.skipif(os.name != "posix", reason="links")
def test_a_link_that_leads_to_itself_is_an_error_of_its_file(tmp_path: Path) -> None:
    """Python 3.11 raises RuntimeError, which was a defect here; Python 3.13 raises nothing, and the link was replaced by the output."""
    names = ("mesh.stl", "part.xml", "part.sdf", "part.toml", "out.json", "table.csv")
    for name in names:
        (tmp_path / name).symlink_to(name)
    visual = '<visual><geometry><mesh filename="mesh.stl"/></geometry></visual>'
    robots = {
        "r.urdf": f'<robot name="r"><link name="a">{visual}</link></robot>',
        "m.xml": '<mujoco><include file="part.xml"/><worldbody/></mujoco>',
        "w.sdf": '<sdf version="1.9"><model name="x"><include><uri>part.sdf</uri></include></model></sdf>',
        "a.toml": '[[part]]\nassembly = "part.toml"',
    }
    for name, text in robots.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "good.stl").write_bytes(stl((0, 0, 0)))
    commands = {
        "check r.urdf": 0,  # a mesh that cannot be measured is a warning
        "fill r.urdf --density 1000": 4,
        "check m.xml w.sdf": 3,
        "combine a.toml": 3,
        "check good.stl mesh.stl --baseline out.json": 3,
        "check good.stl --expect out.json": 3,
        "compute good.stl -o out.json": 2,
        "compute good.stl --output-table table.csv": 2,
    }
    done = {command: run(*command.split(), cwd=tmp_path) for command in commands}
    assert {command: r.returncode for command, r in done.items()} == commands
    assert not [r.err for r in done.values() if "Traceback" in r.err]
    assert [name for name in names if not (tmp_path / name).is_symlink()] == []
    for command in ("check r.urdf", "check m.xml w.sdf", "compute good.stl -o out.json"):
        assert "a symbolic link leads to itself" in " ".join((done[command].out + done[command].err).split())


@pytest.mark.parametrize(("bad", "what"), [("\0", "a null character"), ("\ud800", "half of a surrogate pair")])
def test_a_name_that_no_file_has_is_an_error_of_the_file(tmp_path: Path, bad: str, what: str) -> None:
    with pytest.raises(ReadError, match="no file has a name with a null character"):
        SearchPath(tmp_path).mesh_file("file://a%00.stl")
    for name in (f"a{bad}.stl", f"a{bad}/*.stl", f"{bad}[.stl"):
        with pytest.raises(ReadError, match=f"no file has a name with {what}"):
            massprops.check([name])


# Files that change


def test_a_file_that_changes_between_two_passes_is_refused(tmp_path: Path) -> None:
    """Overlapping boxes were read first and disjoint ones later: certified 4 for a volume of 3, with the digest of the latter."""
    path = tmp_path / "part.stl"
    path.write_bytes(stl((0, 0, 0), (1, 0, 0), size=(2, 1, 1)))
    other = stl((0, 0, 0), (2, 0, 0))
    assert len(other) == path.stat().st_size

    def change(done: int, total: int) -> None:
        if done == total:
            with path.open("r+b") as stream:
                stream.write(other)

    error = refused(lambda: measure(path, hash=True, progress=change))
    assert (error.code, error.exit_code) == ("file-changed", 3)
    assert error.message == f"{path}: the file changed while it was read"


def test_a_file_that_changed_is_refused_also_where_time_says_nothing(tmp_path: Path) -> None:
    """Two changes within one tick of the file system's clock have the same time."""
    path = tmp_path / "part.stl"
    path.write_bytes(stl((0, 0, 0)))
    times = path.stat()

    def change() -> None:
        with open_mesh(path) as mesh:
            list(mesh.chunks())
            path.write_bytes(stl((0, 0, 5)))
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))

    assert refused(change).code == "file-changed"


def test_a_file_that_is_replaced_goes_on_being_read(tmp_path: Path) -> None:
    """What is open stays what it was: nothing is mixed."""
    path = tmp_path / "part.stl"
    path.write_bytes(stl((0, 0, 0)))
    with open_mesh(path) as mesh:
        list(mesh.chunks())
        (tmp_path / "new").write_bytes(stl((0, 0, 5)))
        (tmp_path / "new").replace(path)
        assert len(np.concatenate(list(mesh.chunks()))) == 12


def test_the_digest_of_a_section_is_that_of_the_bytes_that_were_read() -> None:
    import hashlib

    data = b"0,0\n1,0\n1,1\n"
    stream = io.BytesIO(data)
    found = measure("-", format="csv", stdin=stream, hash=True)
    assert found.to_dict()["input"]["sha256"] == hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize(
    "arguments",
    [
        ["compute", "big.json"],
        ["check", "part.stl", "--baseline", "big.json"],
        ["check", "part.stl", "--config", "big.json"],
        ["convert", "big.json"],
        ["combine", "big.json"],
        ["diff", "big.json", "part.stl"],
        ["explain", "big.json"],
    ],
    ids=lambda a: a[0],
)
def test_every_command_refuses_a_file_beyond_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    """A sparse file of 10 GB filled the memory in each of them."""
    from massprops.cli import main

    monkeypatch.chdir(tmp_path)
    sparse(tmp_path / "big.json", 10 << 30)
    (tmp_path / "part.stl").write_bytes(stl((0, 0, 0)))
    assert main(arguments) in (2, 3)
    printed = capsys.readouterr()
    assert "more than the limit of" in " ".join((printed.out + printed.err).split())


def test_the_command_line_can_allow_less(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from massprops.cli import main

    monkeypatch.chdir(tmp_path)
    (tmp_path / "part.off").write_text("OFF\n3 1 0\n1 2 3\n7 -1 2\n0 5 -4\n3 0 1 2\n")
    assert main(["--max-bytes", "10", "compute", "part.off"]) == 3
    assert "part.off: has 38 bytes, more than the limit of 10 bytes" in capsys.readouterr().err


def test_a_file_is_replaced_where_the_system_has_no_permissions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """WASI has neither `umask` nor the bits of a mode: all files have the mode 0."""
    monkeypatch.delattr(os, "umask")
    monkeypatch.setattr(Path, "chmod", None)
    monkeypatch.setattr(stat, "S_IMODE", lambda _mode: 0)
    for text in (b"one", b"two"):
        with replacing(tmp_path / "out") as stream:
            stream.write(text)
        assert (tmp_path / "out").read_bytes() == text
    with pytest.raises(KeyError), replacing(tmp_path / "out"):
        raise KeyError
    assert [p.name for p in tmp_path.iterdir()] == ["out"]
