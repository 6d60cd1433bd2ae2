"""What all tests share: laws without a deadline; where the tests run again and again, the same examples; elsewhere new ones."""

from __future__ import annotations

import gc
import importlib
import os
import signal
import sys
import threading
import warnings
from collections.abc import Generator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from _pytest.doctest import DoctestModule

# Bytecode is written even if Python is configured not to: rewriting the assertions of all tests takes eight seconds a process.
sys.dont_write_bytecode = False
# Tests keep much and drop little: collecting garbage a hundred times less often saves a twentieth of the time.
gc.set_threshold(100_000, 20, 20)

# As the command line does before it imports numpy: threads of several workers outnumber the processors, and others are forked beside them.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# In the background SIGINT is ignored, which programs inherit, also those that tests interrupt; a handler is not inherited.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, lambda *_: None)

# a law is no stopwatch: on a busy machine any example may take half a second
pytest.register_assert_rewrite("console", "oracles")


# 20 examples: a law over whole bodies that breaks at all breaks at nearly every body; tests of readers, whose faults are in a few
# inputs of many, state more. MASSPROPS_EXAMPLES=40 is for a change of a kernel, and for a weekly job.
def pytest_configure(config: pytest.Config) -> None:
    """Settle where examples are, and how laws are tried, in processes that run tests."""
    config.pluginmanager.register(Examples())
    if getattr(config.option, "numprocesses", None) and not hasattr(config, "workerinput"):
        return
    from hypothesis import settings

    more = int(os.environ.get("MASSPROPS_EXAMPLES", "1"))  # times as many, and new ones
    settings.register_profile("massprops", deadline=None, max_examples=20 * more)
    settings.register_profile("ci", deadline=None, max_examples=20 * more, derandomize=more == 1)
    settings.load_profile("ci" if os.environ.get("CI") else "massprops")


class Examples:
    """A plugin, since hooks of this file are not for the package."""

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(self, file_path: Path) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
        """Look for examples in docstrings of the package, and only in modules that have one: to look takes a second."""
        found, has_examples = (
            (yield),
            Path(__file__).parent not in file_path.parents and b">>>" in file_path.read_bytes(),
        )
        return [one for one in found if has_examples or not isinstance(one, DoctestModule)]


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Let each of several processes import its share of the test modules first: the others then find them compiled."""
    work = getattr(session.config, "workerinput", None)
    here = Path(__file__).parent
    if work is None or not any(Path(session.config.rootpath, arg) == here for arg in session.config.args):
        return
    paths = sorted(here.rglob("test_*.py"))
    number, count = int(work["workerid"].removeprefix("gw")), work["workercount"]
    for path in paths[number * len(paths) // count : (number + 1) * len(paths) // count]:
        sys.path.insert(0, str(path.parent))
        with suppress(pytest.skip.Exception):  # of a module that needs a simulator
            importlib.import_module(path.stem)


#: Modules with single tests of seven seconds and more.
LONGEST = {"test_web_page.py", "test_types.py", "test_docs.py"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest tests: at the end of the run one process would wait for them."""
    items.sort(key=lambda item: item.path.name not in LONGEST)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Neighbouring tests in one process, which share what they prepare; a process that is done takes tests of another."""
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log)


def pytest_collection_finish() -> None:
    """Spare the garbage collector thousands of tests and modules, which stay until the end."""
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def readers_in_this_process() -> Iterator[None]:
    """Start no process for a stage or a mesh of finite elements; `damaged` is for files at which readers may crash."""
    from cases import in_this_process

    from massprops.formats.mesh import fe
    from massprops.formats.robot import usd

    with pytest.MonkeyPatch.context() as patch:
        for module in (usd, fe):
            patch.setattr(module, "run_in_subprocess", in_this_process)
        yield


@pytest.fixture
def damaged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers are in processes of their own, as for users."""
    from massprops.formats import child_process
    from massprops.formats.mesh import fe
    from massprops.formats.robot import usd

    for module in (usd, fe):
        monkeypatch.setattr(module, "run_in_subprocess", child_process.run_in_subprocess)


@pytest.fixture
def forked(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Processes are forked, as where there is one thread: those of the test runner have nothing to do with the work."""
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of later Pythons
        yield
