"""Each command opens each input once: what is hashed, drawn and measured are the same bytes, whatever happens to the file meanwhile."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from console import environment, run
from places import ROOT

from massprops.errors import ReadError
from massprops.formats.files import forget_opened, open_file, read_bytes, recording_opened

SAMPLES = ROOT / "samples"
#: Counts what the program opens, and can put another file in the place of an input right after that was opened first.
HOOK = """
import collections, json, os, sys
counts, swap = collections.Counter(), os.environ.get("SWAP")

def hook(event, args):
    if event == "open" and isinstance(args[0], (str, bytes)) and isinstance(args[1], str) and "w" not in args[1]:
        name = os.path.realpath(os.fsdecode(args[0]))
        if name.startswith(os.environ["BELOW"]):
            counts[name] += 1
            if swap and name == os.path.realpath(swap) and counts[name] == 1:
                after.append(name)

after = []

def trace(frame, event, _arg):
    if after and event == "return":
        os.replace(after.pop() + ".other", swap)
    return trace if frame.f_code.co_name == "take" else None

from massprops.cli import main
sys.addaudithook(hook)
if swap:
    sys.settrace(trace)
for words in json.loads(sys.argv[1]):
    counts.clear()
    print("\\nstatus:", main(words), file=sys.stderr)
    print(json.dumps(counts), file=sys.stderr)
"""
COMMANDS = """
compute part.stl --units mm --hash --certificate new.json --format json|check part.stl|plot part.stl -o new.png
report part.stl -o new.html|diff part.stl other.stl --units mm|explain arm.urdf|explain arm.urdf#forearm|check arm.urdf
plot arm.urdf -o new.png|report arm.urdf -o new.html|combine arm.urdf|diff arm.urdf arm.urdf
fill arm.urdf --links all --density 1000 --diff|fill arm.urdf --links all --density 1000 -o new.urdf
convert arm.urdf --format sdf|combine all.toml|report angle.csv -o new.html|plot angle.csv -o new.png
compute angle.csv --hash --thickness 2mm --format json|repair part.stl -o new.ply|convert result.json --format urdf
check result.json --expect result.json
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("readings").resolve()
    mesh = (SAMPLES / "robots" / "meshes" / "bracket.stl").read_bytes()
    (path / "meshes").mkdir()
    for name in ("part.stl", "other.stl", "meshes/bracket.stl"):
        (path / name).write_bytes(mesh)
    (path / "arm.urdf").write_bytes((SAMPLES / "robots" / "arm.urdf").read_bytes())
    (path / "angle.csv").write_bytes((SAMPLES / "sections" / "angle.csv").read_bytes())
    (path / "all.toml").write_text(
        '[[part]]\nmesh = "part.stl"\nunits = "mm"\nmass = 1\n[[part]]\nbody = "arm.urdf#forearm"\n'
    )
    done = run("compute", "part.stl", "--units=mm", "--mass=1kg", "--format=json", cwd=path)
    (path / "result.json").write_bytes(done.stdout)
    return path


def ran(folder: Path, *commands: str, swap: str = "") -> tuple[subprocess.CompletedProcess[str], list[dict[str, int]]]:
    """A process that runs commands, one after the other, and how often each opens the files of the folder."""
    env = {**environment(), "BELOW": str(folder), "SWAP": str(folder / swap) if swap else ""}
    words = json.dumps([command.split() for command in commands])
    done = subprocess.run([sys.executable, "-c", HOOK, words], cwd=folder, env=env, capture_output=True, text=True)
    return done, [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]


def test_every_command_opens_each_input_once(folder: Path) -> None:
    commands = [c for line in COMMANDS.strip().splitlines() for c in line.split("|")]
    done, found = ran(folder, *commands)
    assert "Traceback" not in done.stderr
    for command, counts in zip(commands, found, strict=True):
        inputs = {Path(name).name: n for name, n in counts.items() if not Path(name).name.startswith((".", "new"))}
        assert inputs, f"{command}: nothing was opened"
        assert set(inputs.values()) == {1}, (command, inputs)


@pytest.mark.parametrize(
    ("command", "swap"),
    [
        ("report part.stl --units mm -o new.html", "part.stl"),
        ("compute part.stl --units mm --hash --format json", "part.stl"),
    ],
)
def test_what_is_shown_is_of_the_bytes_that_were_hashed(folder: Path, command: str, swap: str) -> None:
    """The file is replaced as soon as it is open."""
    before = (folder / swap).read_bytes()
    (folder / f"{swap}.other").write_bytes((ROOT / "sample_meshes" / "tetrahedron.stl").read_bytes())
    try:
        done, _ = ran(folder, command, swap=swap)
        assert (folder / swap).read_bytes() != before, "the file was not replaced"
        text = (folder / "new.html").read_text() if "report" in command else done.stdout
        assert hashlib.sha256(before).hexdigest() in text
        assert "28117.8" in text or "2.81178" in text  # mm³ and m³ of the bracket
    finally:
        (folder / swap).write_bytes(before)


def test_a_file_in_use_is_opened_beside_itself_and_one_that_changed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"one")
    os.utime(path, ns=(1, 1))
    with recording_opened():
        with open_file(str(path)) as outer, open_file(str(path)) as inner:
            assert outer.stream.read(1) == b"o"
            assert inner.stream.read() == b"one"
        assert read_bytes(str(path)) == b"one"
        (tmp_path / "b.txt").write_bytes(b"two")
        (tmp_path / "b.txt").replace(path)
        assert read_bytes(str(path)) == b"one"  # the file that was opened
        with open_file(str(path)), pytest.raises(ReadError, match="changed while it was read"):
            read_bytes(str(path))
        forget_opened(path)
        assert read_bytes(str(path)) == b"two"
    assert read_bytes(str(path)) == b"two"


def test_no_more_files_are_kept_open_than_a_process_may_have(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    names = [tmp_path / f"{k}.txt" for k in range(resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 8 + 100)][:2000]
    for name in names:
        name.write_bytes(b"x")
    with recording_opened():
        for name in (*names, *names):
            assert read_bytes(str(name)) == b"x"
        if (table := Path("/proc/self/fd")).exists():
            assert len(list(table.iterdir())) < 150
