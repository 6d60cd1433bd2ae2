"""Files of one command, kept open: whatever looks at one again, for its hash, its picture or its other half, sees the same bytes.

Tests: `tests/formats/test_readings.py`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO

from massprops.errors import ReadError
from massprops.mesh.source import InputFile

#: The state of a file: identity, size, time of the last change in ns, and a digest where the time says too little.
State = tuple[int, int, int, int, str]
#: A change this soon after another may have the same time: clocks of file systems tick every 4 to 10 ms.
_TICK = 20_000_000
#: Bytes above which waiting for another time takes less than a digest.
_LARGE = 1 << 24
#: Files that are kept open; of others the state is known, and that they have not changed.
_MOST = 64
#: Bytes of a file read at a time: small files are read once, whatever their format looks at first.
_BUFFER = 1 << 16


def state_of(stream: BinaryIO, with_digest: bool | None = None) -> State:
    """State of an open file, which shows whether it has changed since; by default with a digest if it is small and was written just now."""
    import time

    found = os.fstat(stream.fileno())
    just_now = time.time_ns() - found.st_mtime_ns < _TICK if with_digest is None else with_digest
    if just_now and found.st_size > _LARGE:
        time.sleep(_TICK * 1e-9)  # a change from now on has another time
        just_now = False
    digest = InputFile("", stream, 0).digest() if just_now else ""
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, digest


def file_changed(name: str) -> ReadError:
    """The refusal of a file that is not as it was when it was opened first."""
    hint = "wait until it is written, and try again"
    return ReadError(f"{name}: the file changed while it was read", code="file-changed", hint=hint)


class Readings:
    """Open files by their absolute paths, in the process that opened them: a child would share their positions."""

    def __init__(self) -> None:
        self._process = os.getpid()
        self._open: dict[str, tuple[BinaryIO, State]] = {}
        self._states: dict[str, State] = {}

    def take(self, path: Path) -> tuple[BinaryIO, State]:
        """A file at its start, and its state: the open one, or while that is in use another.

        Raises
        ------
        ReadError
            If the file of this name is not as it was when it was opened first (``file-changed``).
        """
        key = os.path.realpath(path)
        if self._process == os.getpid() and key in self._open:
            stream, state = self._open.pop(key)
            stream.seek(0)
            return stream, state
        stream = path.open("rb", _BUFFER)
        state = state_of(stream)
        stream.seek(0)
        if self._states.setdefault(key, state)[:4] != state[:4]:
            stream.close()
            raise file_changed(str(path))
        return stream, state

    def give_back(self, path: Path, stream: BinaryIO, state: State) -> None:
        """Keep a file open, and close the one that has waited longest."""
        key = os.path.realpath(path)
        if self._process != os.getpid() or key in self._open:
            stream.close()
            return
        self._open[key] = stream, state
        if len(self._open) > _MOST:
            self._open.pop(next(iter(self._open)))[0].close()

    def forget(self, path: str | Path) -> None:
        """Read a file anew: this command has written it."""
        key = os.path.realpath(path)
        self._states.pop(key, None)
        if key in self._open:
            self._open.pop(key)[0].close()

    def close(self) -> None:
        """Close all."""
        for stream, _ in self._open.values():
            stream.close()
        self._open.clear()
