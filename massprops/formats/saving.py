"""Files that are written atomically; and the results of calls that can be saved, texts and bytes.

Tests: `tests/test_python_calls.py`, `tests/cli/test_streams.py`.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from massprops.errors import InvalidInput, ReadError, require_type
from massprops.findings import Finding
from massprops.formats.files import check_within_roots, forget_opened, real_path, replacing
from massprops.wording import either


def output_name(output: str | None) -> str:
    """Name of an output in messages; None and ``-`` are standard output."""
    return "standard output" if output in (None, "-") else str(output)


def cannot_write(error: OSError | ReadError, output: str | None) -> InvalidInput:
    """The error of an output that cannot be written."""
    return InvalidInput(
        f"cannot be written: {error.text if isinstance(error, ReadError) else error.strerror or error}",
        place=output_name(output),
        code="unwritable-output",
        hint="write to another file or folder",
    )


def check_writable(path: Path) -> None:
    """Raise OSError or ReadError for a folder, a write-protected file, though its folder may not be, and one without a place."""
    path, code = real_path(path), 0  # a link stays a link
    is_new, folder = not path.exists(), path.parent
    if path.is_dir():
        code = errno.EISDIR
    elif not folder.is_dir():
        code = errno.ENOTDIR if folder.exists() else errno.ENOENT
    elif not (is_new or os.access(path, os.W_OK)) or ((is_new or path.is_file()) and not os.access(folder, os.W_OK)):
        code = errno.EACCES
    if code:
        raise OSError(code, os.strerror(code))


def replace_file(path: Path, text: str | bytes) -> None:
    """Write a file in one step; raises OSError or ReadError."""
    forget_opened(path)  # what is open cannot be replaced on Windows
    data = text.encode("utf-8") if isinstance(text, str) else text
    if path.exists() and not path.is_file():  # a device, a pipe: there is nothing to replace
        path.write_bytes(data)
        return
    check_within_roots(path)
    check_writable(path)
    with replacing(real_path(path)) as stream:  # a link stays a link
        stream.write(data)


def save(path: str | os.PathLike[str], data: str | bytes, suffixes: Sequence[str] = ()) -> Path:
    """Write a file that a caller names, which may be there; InvalidInput if its suffix is none of these, or it cannot be written."""
    require_type(path, str | os.PathLike, "path", "the name of a file")
    target = Path(path)
    if suffixes and target.suffix.lower() not in suffixes:
        what = f"what would be written is no {target.suffix or 'file without a suffix'}"
        raise InvalidInput(what, place=str(target), hint=f"choose {either(suffixes)}")
    try:
        replace_file(target, data)
    except (OSError, ReadError) as error:
        raise cannot_write(error, str(target)) from error
    return target


class _Content:
    """The content of a file that can be saved, and findings about what it was made from."""

    suffixes: Sequence[str] = ()
    findings: Sequence[Finding] = ()

    @classmethod
    def of(cls, content: str | bytes, suffixes: Sequence[str], findings: Sequence[Finding] = ()) -> Self:
        """The content of files with one of these suffixes."""
        found = cls(content)  # type: ignore[call-arg]  # a text or bytes
        found.suffixes, found.findings = suffixes, findings
        return found

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write it atomically.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        InvalidInput
            If the suffix says another format, or the file cannot be written.
        """
        return save(path, self, self.suffixes)  # type: ignore[arg-type]  # a text or bytes


class Text(_Content, str):
    """A text that can be saved as a file with one of some suffixes."""


class Data(_Content, bytes):
    """The bytes of a file, that can be saved with one of some suffixes."""
