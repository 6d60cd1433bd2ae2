"""A run in this process, or forked from one that has imported the program, is like a run started by a user."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from console import ascii_stl, environment, run, start
from warm import Forked

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere every run is a start of its own")


@pytest.mark.parametrize(
    "words",
    [
        *("compute part.stl --mass 1", "compute part.stl missing.stl -f json", "compute - -t stl", "compute"),
        *("--help", "materials --format nonsense", "check . --jobs 2"),
    ],
)
def test_a_run_in_this_process_and_a_forked_one_give_what_a_start_gives(words: str, tmp_path: Path) -> None:
    (tmp_path / "part.stl").write_text(ascii_stl(), encoding="ascii")
    options = {"cwd": tmp_path, "env": {"COLUMNS": "70"}, "stdin": ascii_stl().encode()}
    started = start(*words.split(), **options)
    for variable in ({}, {"A_VARIABLE": "forks this run"}):
        done = run(*words.split(), **options | {"env": options["env"] | variable})
        assert (done.returncode, done.out) == (started.returncode, started.out)
        assert untimed(done.err) == untimed(started.err)


def untimed(text: str) -> str:
    """Without the time that `check` took."""
    return re.sub(r"[0-9.]+ s$", "0 s", text, flags=re.MULTILINE)


def test_a_large_input_and_a_large_output_do_not_wait_for_each_other() -> None:
    # a pipe holds 64 KiB; the program reads all of this before it writes the first line
    text = ascii_stl().replace("\n", "\n" * 10_000)
    done = run("compute", "-", "-t", "stl", stdin=text.encode())
    assert (done.returncode, done.err) == (0, "")
    assert len(run("schema", stdin=b" " * 1_000_000).out) > 1 << 14  # who reads nothing is not waited for


def test_nothing_is_left_of_the_run_before(tmp_path: Path) -> None:
    assert "\x1b" in run("materials", "alu", env={"FORCE_COLOR": "1"}).out
    assert "\x1b" not in run("materials", "alu", cwd=tmp_path).out


def test_a_run_that_hangs_is_ended(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo.stl"
    subprocess.run(["mkfifo", fifo], check=True)
    process = Forked(environment())
    try:
        with pytest.raises(subprocess.TimeoutExpired):
            process.run(["compute", str(fifo)], b"", environment(), str(tmp_path), timeout=0.5)
        assert process.run(["--version"], b"", environment(), str(tmp_path), timeout=60)[0] == 0
    finally:
        process.close()
