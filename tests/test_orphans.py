"""No process outlives the one that started it: however that is ended, and whatever the child is at."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from console import PROGRAM, environment

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
#: A reader that never ends, and that holds the interpreter while it works, as a CAD kernel does.
HANGS = """
import os, pathlib

def main(argument):
    pathlib.Path(argument).write_text(str(os.getpid()))
    return sum(pow(7, 10**9) for _ in range(9))
"""
#: The last is Python's own thread, which a signal ends in another way than the kernel does.
BY_SIGNAL = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP] if sys.platform != "win32" else []


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"


def wait(condition, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


def started(code: str, folder: Path, *args: str) -> subprocess.Popen[bytes]:
    (folder / "hangs.py").write_text(HANGS)
    env = {**environment(), "PYTHONPATH": os.pathsep.join([str(folder), *sys.path])}

    def hear() -> None:  # under nohup, and in some runners, SIGHUP is ignored, and children inherit that
        signal.signal(signal.SIGHUP, signal.SIG_DFL)

    out = subprocess.DEVNULL
    return subprocess.Popen([sys.executable, "-c", code, *args], env=env, stdout=out, stderr=out, preexec_fn=hear)


READS = "import sys; from massprops.formats.child_process import run_in_subprocess; run_in_subprocess('hangs', sys.argv[1], 100)"
POOL = """
import os, pathlib, sys
from massprops.scheduling import results

def work(path):
    pathlib.Path(path).write_text(str(os.getpid()))
    return pow(7, 10**9)

list(results(work, sys.argv[1:], 2, lambda task, error: error))
"""


@pytest.mark.parametrize("how", BY_SIGNAL, ids=lambda s: s.name)
def test_a_reader_ends_with_its_parent(how: signal.Signals, tmp_path: Path) -> None:
    place = tmp_path / "pid"
    parent = started(READS, tmp_path, str(place))
    wait(lambda: place.exists() and place.read_text())
    child = int(place.read_text())
    assert is_alive(child)
    parent.send_signal(how)
    parent.wait(60)
    wait(lambda: not is_alive(child))


@pytest.mark.parametrize("how", BY_SIGNAL, ids=lambda s: s.name)
def test_workers_end_with_their_parent(how: signal.Signals, tmp_path: Path) -> None:
    places = [tmp_path / "a", tmp_path / "b"]
    parent = started(POOL, tmp_path, *map(str, places))
    wait(lambda: all(p.exists() and p.read_text() for p in places))
    children = [int(p.read_text()) for p in places]
    parent.send_signal(how)
    parent.wait(60)
    wait(lambda: not any(map(is_alive, children)))


def test_a_reader_whose_parent_has_ended_before_does_not_begin(tmp_path: Path) -> None:
    place = tmp_path / "pid"
    code = "from massprops.formats.child_process import answer; import sys; answer('hangs', sys.argv[1], '9', '1')"
    done = started(code, tmp_path, str(place))
    assert done.wait(60) == -signal.SIGTERM
    assert not place.exists()


def children_of(pid: int) -> list[int]:
    found = [int(x) for task in Path(f"/proc/{pid}/task").glob("*/children") for x in task.read_text().split()]
    return [*found, *(grandchild for child in found for grandchild in children_of(child))]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for processes in /proc")
def test_a_killed_server_of_an_agent_leaves_no_process(tmp_path: Path) -> None:
    """A named pipe as the file, which is never written: the call waits for it; `tests/agents/test_server.py` has the other ends of one."""
    anyio, mcp = pytest.importorskip("anyio"), pytest.importorskip("mcp")
    os.mkfifo(tmp_path / "part.stl")
    seen: list[int] = []
    others = set(children_of(os.getpid()))

    async def work() -> None:
        words = [*PROGRAM[1:], "mcp", "--root", str(tmp_path)]
        parameters = mcp.StdioServerParameters(command=PROGRAM[0], args=words, env=environment())
        async with mcp.Client(parameters) as connection, anyio.create_task_group() as tasks:
            tasks.start_soon(connection.call_tool, "measure", {"file": "part.stl"})
            with anyio.fail_after(30):
                while len(found := [c for c in children_of(os.getpid()) if c not in others]) < 2:
                    await anyio.sleep(0.05)
            seen.extend(found)
            os.kill(found[0], signal.SIGKILL)
            tasks.cancel_scope.cancel()

    with contextlib.suppress(BaseException):  # a killed server ends its client with an error
        anyio.run(work)
    assert len(seen) == 2
    wait(lambda: not any(map(is_alive, seen)))
