"""Files are opened and read here: one place for what can be wrong with a name, for limits of size, and for files that change meanwhile."""

from __future__ import annotations

import errno
import io
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar
from urllib.parse import unquote

from massprops.access import access, allowing, having
from massprops.errors import InvalidInput, MasspropsError, ReadError, Remedy, written
from massprops.formats.escaping import plain
from massprops.formats.readings import Readings, State, file_changed, state_of
from massprops.formats.text import shorten
from massprops.mesh.source import InputFile
from massprops.wording import either, nearest

if TYPE_CHECKING:
    from concurrent.futures import Executor


T = TypeVar("T")
R = TypeVar("R")

#: Names of a folder among which the one is sought that was probably meant.
_MOST_NAMES = 2_000
#: Bytes of a mesh, and of any other file: they are in memory while they are read, as several times their size.
MESH_LIMIT, TEXT_LIMIT = 4 << 30, 256 << 20
#: Bytes read from a pipe at a time: a single read would set memory aside for as many as are allowed.
_PART = 1 << 24
#: A file: its absolute path, or its device and number there.
Mark = str | tuple[int, int]


class Opened(dict[Mark, str]):
    """Names of the files that were opened, by all that tells each from others, and the files."""

    def __init__(self) -> None:
        super().__init__()
        self.readings = Readings()


def within_limits(max_bytes: int | None, **changes: Any) -> AbstractContextManager[None]:
    """Read files of up to `max_bytes`, whatever their format (None: the limit of each), and `allowing` other changes."""
    if max_bytes is not None and not (isinstance(max_bytes, int) and max_bytes > 0):
        raise InvalidInput(f"must be a positive whole number, got {written(max_bytes)}", parameter="max_bytes")
    return allowing(max_bytes=max_bytes, **changes)


def confined_to(folders: Iterable[str | Path] | None) -> AbstractContextManager[None]:
    """Read and write files of these folders alone, for as long as the context lasts; links are followed. None changes nothing."""
    return allowing(roots=None if folders is None else tuple(map(absolute_path, folders)))


def is_within_roots(path: str | Path) -> bool:
    """Whether a file may be read and written, there or not, in the folders of `confined_to`."""
    roots = access().roots
    return roots is None or any(absolute_path(path).is_relative_to(root) for root in roots)


def check_within_roots(path: str | Path) -> None:
    """Raise ReadError (``outside-roots``) for a file outside the folders of `confined_to`; whether it is there is not said."""
    if access().roots is not None and not is_within_roots(path):
        hint = f"name a file in {either([*map(str, access().roots or ())])}"
        raise ReadError("is outside the folders that may be read", place=str(path), code="outside-roots", hint=hint)


def path_of_uri(uri: str) -> str | None:
    """Path that a ``file:`` URI means, with or without slashes for a host (RFC 8089); None for another text."""
    scheme, mark, rest = uri.partition(":")
    if not mark or scheme.lower() != "file":
        return None
    return unquote(rest.removeprefix("//localhost" if rest.startswith("//localhost/") else "//"))


def file_of_mesh(uri: str, mesh: str) -> Path:
    """The file that a mesh file means by a URI, which may be percent-encoded.

    Raises
    ------
    ReadError
        If it is outside the folder of the mesh and those of the `Access` (``outside-file``), also by a symbolic link, or not in the file
        system (``missing-file``). Whether there is such a file is not said.
    """
    scheme, mark, _ = uri.partition(":")
    if mark and scheme.lower() != "file":
        what = f"refers to {shorten(uri, 60)!r}, and files of {scheme[:20]}: are not fetched"
        raise ReadError(what, place=mesh, code="missing-file", hint="copy the file to the folder of the mesh")
    path = Path(mesh).parent / (path_of_uri(uri) or unquote(uri))
    if not access().outside and not is_below(path, (Path(mesh).parent, real_path(mesh).parent, *access().folders)):
        where = "the robot's folder and packages" if access().folders else "the folder of the mesh"
        what = f"refers to {shorten(uri, 60)!r}, which is outside {where} and is not read"
        hint = Remedy("{} reads it", "allow_outside=True")
        raise ReadError(what, place=mesh, code="outside-file", hint=hint)
    return path


def is_below(path: Path, roots: Iterable[Path]) -> bool:
    """Whether a file is in one of some folders, or below; links are followed."""
    return any(real_path(path).is_relative_to(real_path(root)) for root in roots)


def recorded_results(
    work: Callable[[T], R],
    tasks: Iterable[T],
    executor: int | Executor,
    lost: Callable[[T, ReadError], R],
    *,
    ordered: bool = True,
) -> Iterator[R]:
    """Like `massprops.scheduling.results`; files opened there count as opened here."""
    from massprops.scheduling import results

    is_recorded = access().opened is not None

    def nothing_opened(task: T, error: ReadError) -> tuple[dict[Mark, str], R]:
        return {}, lost(task, error)

    for opened, result in results(
        partial(_recorded, is_recorded, work), tasks, executor, nothing_opened, ordered=ordered
    ):
        note_opened(opened)
        yield result


def _recorded(is_recorded: bool, work: Callable[[T], R], task: T) -> tuple[dict[Mark, str], R]:
    with recording_opened(is_recorded) as opened:
        result = work(task)
        return dict(opened), result


@contextmanager
def recording_opened(asked: bool = True) -> Iterator[dict[Mark, str]]:
    """Record the files that are opened, and open each once, for as long as the context lasts."""
    opened = Opened()
    with having(replace(access(), opened=opened if asked else None)):
        try:
            yield opened
        finally:
            opened.readings.close()


def forget_opened(path: str | Path) -> None:
    """Read a file anew from now on: it was written."""
    if (recorded := access().opened) is not None:
        recorded.readings.forget(path)


@contextmanager
def _reading(path: Path) -> Iterator[tuple[BinaryIO, State]]:
    """A regular file at its start, and its state; within `recording_opened` the same one whenever it is asked for."""
    readings = recorded.readings if (recorded := access().opened) is not None else Readings()
    stream, state = readings.take(path)
    try:
        yield stream, state
    finally:
        if recorded is None or stream.closed:
            stream.close()
        else:
            readings.give_back(path, stream, state)


def note_opened(opened: Mapping[Mark, str]) -> None:
    """Record files by their marks: another process, or a library, has opened them."""
    if (recorded := access().opened) is not None:
        recorded.update(opened)


def note_named(name: str) -> None:
    """Record a file by its name, ``FILE`` or ``FILE#LINK``: also one that an error leaves unread is not replaced."""
    for path in {name, name.rpartition("#")[0] or name}:
        note_opened(marks_of(path))


def marks_of(file: str | os.PathLike[str] | int, name: str = "") -> dict[Mark, str]:
    """Name of a file, or of a regular file that is open as a number, by all that tells it from others, links and letter case included."""
    found: list[Mark] = []
    try:
        if not isinstance(file, int):
            found.append(os.path.realpath(file))
        state = os.stat(file)  # noqa: PTH116  # it may be a number
        if state.st_ino and stat.S_ISREG(state.st_mode):  # 0 where the file system has no numbers
            found.append((state.st_dev, state.st_ino))
    except (OSError, ValueError):  # not there; no file has such a name
        pass
    return dict.fromkeys(found, name or str(file))


def opened_as(marks: Iterable[Mark]) -> str | None:
    """The name under which a file with one of these marks was opened, of those that are recorded; None if it was not."""
    opened: Mapping[Mark, str] = access().opened or {}
    return next((opened[mark] for mark in marks if mark in opened), None)


@contextmanager
def replacing(target: Path) -> Iterator[BinaryIO]:
    """A file beside another one, which it replaces in one step at the end, with its permissions; nothing is left of it after an error."""
    kept = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    temporary = target.with_name(f".massprops-{os.urandom(8).hex()}")
    # no file that is there already; what the umask forbids is taken from the mode where there is one, which WASI has not
    handle = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), kept or 0o666)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
        if kept is not None and kept != stat.S_IMODE(temporary.stat().st_mode):
            temporary.chmod(kept)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def absolute_path(name: str | Path) -> Path:
    """Absolute path that tells files apart: links are followed as far as they lead anywhere.

    Raises
    ------
    ReadError
        If no file can have this name.
    """
    try:
        return Path(os.path.realpath(name))  # before Python 3.13, Path.resolve raises for a link that leads to itself
    except ValueError as error:
        what = "a null character" if "\0" in str(name) else "half of a surrogate pair"
        what, hint = f"no file has a name with {what}", "check how it is escaped"
        raise ReadError(what, place=repr(str(name)), code="missing-file", hint=hint) from error


def real_path(name: str | Path) -> Path:
    """Absolute path of a file that is about to be read or written, and need not be there.

    Raises
    ------
    ReadError
        If a link leads to itself, or no file can have this name.
    """
    path = absolute_path(name)
    try:
        Path(name).stat()
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise ReadError("a symbolic link leads to itself", place=str(name), code="link-loop") from error
    return path


@contextmanager
def open_file(
    name: str, limit: int = TEXT_LIMIT, streamed: Callable[[bytes, int], bool] = lambda _head, _size: False
) -> Iterator[InputFile]:
    """A file, or a pipe read into memory, for as long as the context lasts.

    Parameters
    ----------
    name : str
        As the user wrote it.
    limit : int
        Bytes, refused before anything is read; `Access.max_bytes` goes before it.
    streamed : callable
        Whether a file with these first bytes and this size is never whole in memory, so that no limit applies.

    Raises
    ------
    ReadError
        If there is no such file, it cannot be read, is empty or too large, or is a directory or a device; at the end, and instead of other
        errors, if it changed while it was read.
    """
    if not name:
        raise ReadError("the name of the file is empty", code="missing-file", hint="is a variable unset?")
    if name in (given := access().contents):
        yield spool(name, io.BytesIO(given[name]), limit)
        return
    check_within_roots(name)
    if access().opened is not None:
        note_opened(marks_of(name))
    path = Path(name)
    with ExitStack() as stack:
        with _named_errors(name, path):
            mode = path.stat().st_mode
            _check_mode(name, mode)
            if not stat.S_ISREG(mode):
                yield spool(name, stack.enter_context(path.open("rb")), limit)
                return
            stream, before = stack.enter_context(_reading(path))
        size = before[2]
        if size > (access().max_bytes or limit) and not streamed(stream.read(512), size):
            _check_size(name, size, limit)
        stream.seek(0)
        try:
            yield _not_empty(name, stream, size)
        except MasspropsError:
            check_unchanged(name, stream, before)
            raise
        check_unchanged(name, stream, before)


@contextmanager
def _named_errors(name: str, path: Path) -> Iterator[None]:
    """Turn the errors of the system about a file that cannot be opened into a ReadError that names it."""
    try:
        yield
    except FileNotFoundError as error:
        raise _missing(name, path) from error
    except PermissionError as error:
        raise ReadError(f"{name}: no permission to read the file", code="no-permission") from error
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        reason = getattr(error, "strerror", None) or str(error)
        raise ReadError(f"{name}: cannot be opened: {reason}") from error


def _missing(name: str, path: Path) -> ReadError:
    from massprops.formats.table import MESHES, PLANAR  # only on the way to an error

    known = {path.suffix, *MESHES, *PLANAR}
    names = sorted(islice(path.parent.glob("*"), _MOST_NAMES), key=lambda p: p.suffix == path.suffix)
    # of the same stem the one of the same suffix
    stems = {p.stem: p.name for p in names if p.suffix in known and p.name != path.name}
    near = nearest(path.stem, stems, 1)
    hint = f"did you mean {plain(str(path.with_name(stems[near[0]])))}?" if near else ""
    hint = "no file matches this pattern" if any(c in name for c in "*?[") else hint
    return ReadError(f"{name}: no such file", code="missing-file", hint=hint)


def check_unchanged(name: str, stream: BinaryIO, before: State) -> None:
    """Raise ReadError if an open file is not as it was."""
    if state_of(stream, bool(before[4])) != before:
        raise file_changed(name)


def spool(name: str, stream: BinaryIO | None, limit: int = MESH_LIMIT) -> InputFile:
    """Content of a stream, in memory; ReadError if it is empty, or larger than the limit."""
    if stream is None:
        raise InvalidInput("'-' is standard input, but no stream was given", hint="pass `stdin`, a binary stream")
    with suppress(OSError, ValueError, AttributeError):  # standard input may be a file
        note_opened(marks_of(stream.fileno(), name))
    data, left = io.BytesIO(), (access().max_bytes or limit) + 1
    while left and (part := stream.read(min(left, _PART))):
        left -= data.write(part)
    size = data.tell()
    _check_size(name, size, limit)
    data.seek(0)
    return _not_empty(name, data, size)


def read_bytes(path: str, stdin: BinaryIO | None = None) -> bytes:
    """A file, or with ``-`` standard input, whole; ReadError if it cannot be read, is empty or too large."""
    if path == "-":
        given = access().contents.get("-")
        return spool(path, stdin if given is None else io.BytesIO(given), TEXT_LIMIT).stream.read()
    with open_file(path) as file:
        return file.stream.read()


def read_text(path: str, *, code: str, limit: int = TEXT_LIMIT) -> str:
    """A UTF-8 text, whole, without its byte order mark; ReadError with `code` if it is not UTF-8 or has more than `limit` bytes."""
    with open_file(path, limit) as file:
        data = file.stream.read()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ReadError(f"{path}: is not UTF-8 text at byte {error.start}", code=code) from error


def read_head(path: str, count: int) -> bytes:
    """The first bytes of a regular file; nothing of what cannot be read, or is a pipe or a device."""
    try:
        if not (is_within_roots(path) and Path(path).is_file()):
            return b""
        with _reading(Path(path)) as (stream, _):
            return stream.read(count)
    except (OSError, ValueError):
        return b""


def _check_mode(name: str, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise ReadError(f"{name}: is a directory", code="is-a-directory", hint="name a file in it")
    # Some devices never end. Pipes do: process substitution and /dev/stdin give those.
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        raise ReadError(f"{name}: is a device, not a file", code="not-a-file", hint="use '-' for standard input")


def _check_size(name: str, size: int, limit: int) -> None:
    limit = access().max_bytes or limit
    if size > limit:
        what = f"{name}: has {'more than the limit' if size == limit + 1 else f'{size:,} bytes, more than the limit'}"
        text = "is it the right file? if so, allow more with "
        hint = Remedy(f"{text}'massprops --max-bytes N …' (max_bytes=N in Python)", python=f"{text}max_bytes=")
        raise ReadError(f"{what} of {limit:,} bytes", code="too-large", hint=hint)


def _not_empty(name: str, stream: BinaryIO, size: int) -> InputFile:
    if size == 0:
        raise ReadError(f"{name}: the file is empty (0 bytes)", code="empty-file", hint="export or copy it again")
    return InputFile(name, stream, size)
