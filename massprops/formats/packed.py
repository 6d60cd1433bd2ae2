"""Packages (ZIP) that formats put their documents in: opened within a limit of what they unpack to, with their damage as errors.

Tests: `tests/formats/mesh/test_by_trimesh.py`, `tests/formats/mesh/test_cad.py`.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from massprops.errors import ReadError
from massprops.formats.text import shorten
from massprops.mesh.source import InputFile

#: A package that unpacks to more than this is refused where it was packed by more than this factor.
_LARGE, _RATIO = 1 << 24, 50
#: What Python's reader raises of damaged and encrypted packages, and of parts that are not there.
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, KeyError, NotImplementedError, RuntimeError)


@contextmanager
def open_package(file: InputFile, hint: str, large: int = _LARGE) -> Iterator[zipfile.ZipFile]:
    """The package that a file is, for as long as the context lasts.

    Raises
    ------
    ReadError
        Code ``truncated-file`` where it is damaged, also within the context; ``too-large`` where it unpacks to more than `large` bytes
        and to many times its size. `hint` is the remedy.
    """
    try:
        with zipfile.ZipFile(file.stream) as archive:
            check_unpacked(file, archive, hint, large)
            yield archive
    except _DAMAGE as error:
        what = f"{file.name}: the package cannot be unpacked: {shorten(str(error), 80)}"
        raise ReadError(what, code="truncated-file", hint=hint) from error


def check_unpacked(file: InputFile, archive: zipfile.ZipFile, hint: str, large: int = _LARGE) -> int:
    """The size of all parts together, unpacked; raises ReadError where that is too large."""
    size = sum(info.file_size for info in archive.infolist())
    if size > max(large, _RATIO * file.size):
        what = f"{file.name}: the package unpacks to {size:,} bytes, more than {_RATIO} times its size"
        raise ReadError(what, code="too-large", hint=hint)
    return size
