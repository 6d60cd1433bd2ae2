"""Interrupts and killed processes: what was done is printed, the end comes at once, and no process is left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from console import PROGRAM, ascii_stl, environment, start

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are listed in Linux's /proc")

#: "Within 1 s" on a quiet machine; a loaded one is given more, and still far less than the work would take.
SOON = 10


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """A part, a pipe into which nobody ever writes, and more parts: work that never ends."""
    for name in ("a", "c", "d"):
        (tmp_path / f"{name}.stl").write_text(ascii_stl())
    os.mkfifo(tmp_path / "b.stl")
    return sorted(tmp_path.iterdir())


@pytest.fixture
def process(files: list[Path]) -> Iterator[subprocess.Popen[str]]:
    """A run over these files in two processes, of which the first result has arrived."""
    with subprocess.Popen(
        [*PROGRAM, "compute", *files, "-j", "2", "-f", "json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        start_new_session=True,
    ) as run:
        assert run.stdout is not None
        assert json.loads(run.stdout.readline())["input"]["path"].endswith("a.stl")  # as soon as it is ready
        yield run
        run.kill()


def children(process: subprocess.Popen[str]) -> list[int]:
    return [int(pid) for pid in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]


def runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def assert_gone(pids: list[int]) -> None:
    end = time.monotonic() + SOON
    while any(map(runs, pids)) and time.monotonic() < end:
        time.sleep(0.02)
    assert [pid for pid in pids if runs(pid)] == []


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_all_processes_at_once(how: signal.Signals, process: subprocess.Popen[str]) -> None:
    workers = children(process)
    assert len(workers) == 2
    os.killpg(process.pid, how) if how == signal.SIGINT else process.send_signal(how)  # a terminal signals the group
    out, err = process.communicate(timeout=SOON)
    assert (process.returncode, "Traceback" in err) == (130, False)
    assert all(json.loads(line)["volume"] for line in out.splitlines())
    assert_gone(workers)


def test_a_killed_process_costs_the_file_that_it_was_at(process: subprocess.Popen[str]) -> None:
    time.sleep(0.5)  # the other process is done with the rest by then
    for worker in children(process):
        os.kill(worker, signal.SIGKILL)
    out, err = process.communicate(timeout=SOON)
    stuck, c, d = (json.loads(line) for line in out.splitlines())
    assert (process.returncode, stuck["error"]["code"]) == (3, "worker-killed")
    assert stuck["input"]["path"].endswith("b.stl")
    assert "b.stl: the process that worked on it was killed by signal 9; is there enough memory? try --jobs 1" in err
    assert c["volume"] == d["volume"] > 0


def test_an_interrupted_run_leaves_the_output_file_alone(files: list[Path], tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    target.write_text("old")
    files[2].unlink()
    os.mkfifo(files[2])
    with (
        subprocess.Popen(
            [*PROGRAM, "compute", *files, "-j", "2", "--density", "7800", "-o", target],
            stderr=subprocess.PIPE,
            env=environment(),
        ) as run,
        files[2].open("wb"),
    ):  # opens when a process reads it: the first part is measured, the other process reads the second
        time.sleep(0.2)
        run.send_signal(signal.SIGTERM)
        _, err = run.communicate(timeout=SOON)
    assert (run.returncode, target.read_text()) == (130, "old")
    assert f"the results so far are in {target}.partial".encode() in err
    assert Path(f"{target}.partial").read_text().splitlines()[1].startswith("a,")


LOADING = """
import os, signal, sys

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupt())
from massprops.cli import main
sys.argv = ["massprops", "compute", "part.stl"]
sys.exit(main())
"""
LOST = """
import sys, time
from massprops.cli import compute, main

class Lost:
    def __del__(self):
        raise KeyboardInterrupt

def measure(*_args, **_options):
    Lost()
    time.sleep(60)

compute.measure_task = measure
sys.argv = ["massprops", "compute", "part.stl"]
sys.exit(main())
"""


def test_an_interrupt_while_modules_are_loaded_ends_the_program_without_a_word() -> None:
    done = start(program=[sys.executable, "-c", LOADING])
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, b"", b"")


def test_an_interrupt_that_a_finalizer_swallows_is_not_lost() -> None:
    done = start(program=[sys.executable, "-c", LOST])
    assert (done.returncode, done.stdout, b"Traceback" in done.stderr) == (130, b"", False)
