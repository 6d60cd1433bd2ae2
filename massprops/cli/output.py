"""Where results and messages go: stdout or a file, whole or not at all; stderr for people."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from massprops.errors import InvalidInput

if TYPE_CHECKING:
    from massprops.report.screen import Screen


def deliver(text: str, output: str | None) -> None:
    """Write results to stdout, or to the file `output` in one step, so that nobody ever sees half of it.

    Raises
    ------
    InvalidInput
        If the file cannot be written.
    """
    if output is None:
        sys.stdout.write(text)
        return
    try:
        _replace(Path(output), text)
    except OSError as error:
        raise InvalidInput(
            f"{output}: cannot be written: {error.strerror or error}",
            code="unwritable-output",
            hint="choose another --output",
        ) from error


def _replace(path: Path, text: str) -> None:
    if path.exists() and not path.is_file():  # a device, a pipe: there is nothing to replace
        path.write_text(text, encoding="utf-8")
        return
    target = path.resolve()  # a link stays a link
    handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
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


def screen(output: str | None = None) -> Screen:
    """The terminal that a report goes to; 80 columns without colour for a file or a pipe, unless COLUMNS says otherwise."""
    from massprops.report.screen import Screen

    terminal = output is None and sys.stdout.isatty()
    color = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Screen(max(shutil.get_terminal_size().columns, 20) if terminal or "COLUMNS" in os.environ else 80, color)


def say(message: str) -> None:
    """One line for people, on stderr."""
    print(f"massprops: {message}", file=sys.stderr)


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
            f"\r\x1b[Kreading {name}: {done / total:4.0%}" if done < total else "\r\x1b[K" if shown else ""
        )
        sys.stderr.flush()
        shown = True

    return report
