"""Readers in a process of their own: libraries that can crash, hang or print on damaged files.

Tests: `tests/formats/mesh/test_step.py`, `tests/formats/robot/test_usd.py`.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
from typing import Any

import numpy as np

_RUN = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]); from importlib import import_module; "
    "import_module(sys.argv[2]).main(sys.argv[3])"
)


class ReaderFailed(Exception):
    """The process ended without an answer; the argument says how, to follow the name of the library."""


def arrays_from(module: str, argument: str, limit: float, cwd: str | None = None) -> dict[str, Any]:
    """The archive of arrays that ``main(argument)`` of a module writes to its standard output.

    Parameters
    ----------
    module, argument : str
        The module, and its only argument.
    limit : float
        Seconds that it may take.
    cwd : str, optional
        Its working directory, of which it imports nothing.

    Raises
    ------
    ReaderFailed
        If it crashes, or does not end in time.
    """
    # -P: nothing is imported from the working directory, which holds files of others
    command = [sys.executable, "-P", "-c", _RUN, json.dumps(sys.path), module, argument]
    try:
        ended = subprocess.run(  # noqa: S603
            command, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=limit, cwd=cwd
        )
    except subprocess.TimeoutExpired as error:
        raise ReaderFailed(f"has not read it within {limit:.0f} s") from error
    if ended.returncode < 0 or (ended.returncode and not ended.stderr):
        raise ReaderFailed(f"crashes on it ({ended.returncode})")
    if ended.returncode:
        raise RuntimeError(ended.stderr.decode("utf-8", "replace"))
    with np.load(io.BytesIO(ended.stdout)) as archive:
        return dict(archive)
