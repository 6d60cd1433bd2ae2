"""Readers in a process of their own: libraries that can crash, hang or print on damaged files.

The module of a reader has ``main(argument)``, which returns values that JSON can hold and arrays by name, or raises a MasspropsError.

Tests: `tests/formats/mesh/test_step.py`, `tests/formats/robot/test_usd.py`.
"""

from __future__ import annotations

import io
import json
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

import numpy as np

from massprops.access import access
from massprops.errors import MasspropsError, MissingExtra, ReadError, Remedy
from massprops.formats.files import note_opened, recording_opened
from massprops.scheduling import end_with_parent

_RUN = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]); "
    "from massprops.formats.child_process import answer; answer(*sys.argv[2:])"
)

#: Seconds on the clock for each of processor time: the machine may be busy. Windows has no limit of processor time.
_PATIENCE = 6 if sys.platform == "win32" else 100
#: Seconds from one report to the caller to the next.
_TELL = 0.5


class SubprocessFailed(Exception):
    """The process ended without an answer; the argument says how, to follow the name of the library."""

    hint: Remedy | None = None


def run_in_subprocess(module: str, argument: str, limit: float, cwd: str | None = None) -> tuple[Any, dict[str, Any]]:
    """The values and arrays that ``main(argument)`` of a module returns.

    Parameters
    ----------
    module, argument : str
        The module, and its only argument.
    limit : float
        Seconds of processor time that it may take, unless the caller sets others by `massprops.access.allowing`.
    cwd : str, optional
        Its working directory, of which it imports nothing.

    Raises
    ------
    ReaderFailed
        If it crashes, or does not end in time.
    MissingExtra, ReadError
        As the module raises it, without the name of the file.
    """
    limit = access().seconds or limit
    # -P: nothing is imported from the working directory, which holds files of others
    command = [sys.executable, "-P", "-c", _RUN, json.dumps(sys.path), module, argument, str(math.ceil(limit))]
    command.append(str(os.getpid()))
    ended = _ended(command, _PATIENCE * limit, cwd)
    if ended.returncode == -getattr(signal, "SIGXCPU", 0):
        more = "massprops.access.allowing(seconds=S) allows more"
        failed = SubprocessFailed(f"has not read it within {math.ceil(limit)} s of processor time")
        failed.hint = Remedy("'massprops --timeout S …' allows more", python=more)
        raise failed
    if ended.returncode < 0 or (ended.returncode and not ended.stderr):
        raise SubprocessFailed(f"crashes on it ({ended.returncode})")
    if ended.returncode:
        raise RuntimeError(ended.stderr.decode("utf-8", "replace"))
    with np.load(io.BytesIO(ended.stdout)) as archive:
        arrays = dict(archive)
    about, error, opened = json.loads(arrays.pop("about").tobytes())
    note_opened({tuple(mark) if isinstance(mark, list) else mark: name for mark, name in opened})
    if error:
        kind = MissingExtra if error["code"] == MissingExtra.default_code else ReadError
        raise kind(error.pop("text"), **error)
    return about, arrays


def _ended(command: Sequence[str], patience: float, cwd: str | None) -> subprocess.CompletedProcess[bytes]:
    """Run a process to its end; the caller hears the seconds meanwhile."""
    start, tell = time.monotonic(), access().progress
    with subprocess.Popen(  # noqa: S603
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd
    ) as process:
        while True:
            try:
                out, err = process.communicate(timeout=_TELL)
                return subprocess.CompletedProcess(command, process.returncode, out, err)
            except subprocess.TimeoutExpired as error:
                seconds = time.monotonic() - start
                if seconds > patience:
                    process.kill()
                    raise SubprocessFailed(f"has not read it within {patience:.0f} s") from error
                if tell is not None:
                    tell(seconds, math.inf)
            except BaseException:  # an interruption, too
                process.kill()
                raise


def answer(module: str, argument: str, limit: str, parent: str) -> None:
    """Work of the process: writes what ``main(argument)`` of a module returns, within a limit of seconds of processor time.

    It ends with the process of this number, which started it.
    """
    end_with_parent(int(parent))
    with suppress(ImportError):  # Windows has neither limit
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit) + 1))
    output = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # libraries print there, too
    about, arrays, error = None, {}, None
    with recording_opened() as opened:
        try:
            about, arrays = import_module(module).main(argument)
        except MasspropsError as found:
            error = {"text": found.text, "code": found.code, "hint": found.hint, "place": found.place}
    data, text = io.BytesIO(), json.dumps([about, error, list(opened.items())])
    np.savez(data, allow_pickle=False, about=np.frombuffer(text.encode(), np.uint8), **arrays)
    with os.fdopen(output, "wb") as stream:
        stream.write(data.getvalue())
