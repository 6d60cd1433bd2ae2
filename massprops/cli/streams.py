"""Where results and messages go: stdout or a file, whole or not at all; stderr for people."""

from __future__ import annotations

import errno
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from massprops.errors import InvalidInput
from massprops.formats.escaping import plain

if TYPE_CHECKING:
    from massprops.report.console import Screen


def check_output(output: str | None, files: Sequence[str]) -> None:
    """Raise InvalidInput if the results would replace one of the files that they come from."""
    for name in files:
        if output is not None and name != "-" and _is_same_file(output, name):
            raise InvalidInput(f"{output}: is a file to be read", hint="choose another --output")


def _is_same_file(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)  # noqa: PTH121  # either may not exist
    except (OSError, ValueError):
        return False


def deliver(text: str, output: str | None) -> None:
    """Write results to stdout, or to the file `output` in one step, so that nobody ever sees half of it.

    Raises
    ------
    InvalidInput
        If they cannot be written.
    """
    try:
        if output in (None, "-"):
            _print(text)
        else:
            _replace(Path(str(output)), text)
    except (OSError, RuntimeError) as error:  # RuntimeError: a link that leads to itself, before Python 3.13
        raise InvalidInput(
            f"{output or 'standard output'}: cannot be written: {getattr(error, 'strerror', None) or error}",
            code="unwritable-output",
            hint="choose another --output",
        ) from error


def _print(text: str) -> None:
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        # what is left in the buffer shall not fail again when Python flushes it on the way out
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # a reader that has what it wanted (head, less) is no failure
            raise


def _replace(path: Path, text: str) -> None:
    if path.exists() and not path.is_file():  # a device, a pipe: there is nothing to replace
        path.write_text(text, encoding="utf-8")
        return
    target = path.resolve()  # a link stays a link
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))  # replacing needs only the folder's permission
    handle, temporary = tempfile.mkstemp(prefix=".massprops-", dir=target.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as stream:
            stream.write(text)
        Path(temporary).chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def cores(jobs: int) -> int:
    """The number of processes that `--jobs` asks for; 0 is all cores that this process may use."""
    if jobs:
        return jobs
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def screen(output: str | None = None) -> Screen:
    """The terminal that a report goes to; 80 columns without colour for a file or a pipe, unless COLUMNS says otherwise."""
    from massprops.report.console import Screen

    terminal = output is None and sys.stdout.isatty()
    color = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Screen(max(shutil.get_terminal_size().columns, 20) if terminal or "COLUMNS" in os.environ else 80, color)


def say(message: str) -> None:
    """One line for people, on stderr."""
    print(f"massprops: {plain(message)}", file=sys.stderr)


def progress(name: str) -> Callable[[int, int], None] | None:
    """A progress line on stderr, from half a second on; None where stderr is not a terminal."""
    if not sys.stderr.isatty():
        return None
    start = time.monotonic()
    shown = False

    def report(done: int, total: int) -> None:
        nonlocal shown
        now = time.monotonic()
        if now - start < 0.5:
            return
        sys.stderr.write(
            f"\r\x1b[Kreading {plain(name)}: {done / total:4.0%}" if done < total else "\r\x1b[K" if shown else ""
        )
        sys.stderr.flush()
        shown = True

    return report
