"""Files are opened and read here: one place for what can be wrong with a name, and for the errors that say so."""

from __future__ import annotations

import io
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from massprops.errors import InvalidInput, ReadError
from massprops.mesh.source import InputFile


@contextmanager
def open_file(name: str) -> Iterator[InputFile]:
    """A file, or a pipe spooled into memory, for as long as the context lasts.

    Raises
    ------
    ReadError
        If there is no such file, it cannot be read, is empty, or is a directory or a device.
    """
    if not name:
        raise ReadError("the name of the file is empty", code="missing-file", hint="is a variable unset?")
    try:
        mode = Path(name).stat().st_mode
        _check_mode(name, mode)
        stream = Path(name).open("rb")  # noqa: SIM115  # closed below; only what opening raises is translated here
    except FileNotFoundError as error:
        raise ReadError(f"{name}: no such file", code="missing-file") from error
    except PermissionError as error:
        raise ReadError(f"{name}: no permission to read the file", code="no-permission") from error
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        reason = getattr(error, "strerror", None) or str(error)
        raise ReadError(f"{name}: cannot be opened: {reason}") from error
    with stream:
        yield _not_empty(_regular(name, stream)) if stat.S_ISREG(mode) else spooled(name, stream)


def spooled(name: str, stream: BinaryIO) -> InputFile:
    """What a stream gives until its end, in memory; ReadError if that is nothing."""
    return _not_empty(_regular(name, io.BytesIO(stream.read())))


def read_bytes(path: str, stdin: BinaryIO | None = None) -> bytes:
    """A file, or with ``-`` standard input, whole; ReadError if it cannot be read or is empty."""
    if path == "-":
        if stdin is None:
            raise InvalidInput("'-' is standard input, but no stream was given", hint="pass `stdin`, a binary stream")
        return stdin.read()
    with open_file(path) as file:
        return file.stream.read()


def read_text(path: str, *, code: str, limit: int | None = None) -> str:
    """A UTF-8 text, whole, without its byte order mark; ReadError with `code` if it is not UTF-8 or has more than `limit` bytes."""
    with open_file(path) as file:
        if limit is not None and file.size > limit:
            raise ReadError(f"{path}: has {file.size} bytes, more than the limit of {limit}", code=code)
        data = file.stream.read()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ReadError(f"{path}: is not UTF-8 text at byte {error.start}", code=code) from error


def _check_mode(name: str, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise ReadError(f"{name}: is a directory", code="is-a-directory", hint="name a file in it")
    # Some devices never end. Pipes do: process substitution and /dev/stdin give those.
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        raise ReadError(f"{name}: is a device, not a file", code="not-a-file", hint="use '-' for standard input")


def _regular(name: str, stream: BinaryIO) -> InputFile:
    size = stream.seek(0, io.SEEK_END)
    stream.seek(0)
    return InputFile(name, stream, size)


def _not_empty(file: InputFile) -> InputFile:
    if file.size == 0:
        raise ReadError(f"{file.name}: the file is empty (0 bytes)", code="empty-file", hint="export or copy it again")
    return file
