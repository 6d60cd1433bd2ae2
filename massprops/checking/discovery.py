"""Which files are checked: those that are named, and those of the known kinds below folders that are named."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath

from massprops.checking.globs import matches
from massprops.errors import InvalidInput
from massprops.formats.files import read_head
from massprops.formats.inertial.opening import USD_SUFFIXES, Address
from massprops.formats.registry import FORMATS

#: Suffixes that inertials are always behind, and those that other things are behind too, with what tells them apart.
ROBOTS = (".urdf", ".sdf", ".mjcf", *USD_SUFFIXES)
MARKS = {".xml": b"<mujoco", ".json": b'"massprops/1"', ".jsonl": b'"massprops/1"'}
#: Suffixes of plane files, and those that they share with inertials, with what tells the latter by.
SECTIONS = (".dxf", ".svg", ".wkt", ".geojson", ".xy")
_EITHER = {".json": b'"schema"', ".csv": b"mass"}
#: Bytes at the beginning of a file in which its mark is looked for.
_HEAD = 65536


def expand(names: Sequence[str], include: Sequence[str] = (), exclude: Sequence[str] = ()) -> list[str]:
    """Names of files, with folders and patterns replaced by the files that they mean, each once, in order.

    Parameters
    ----------
    names : sequence of str
        Files are taken at their word, with ``#link``; folders recursively and sorted, without those whose names begin with a dot.
    include : sequence of str
        Patterns of the files that are taken from folders; by default those of a kind that is known.
    exclude : sequence of str
        Patterns of the files that are not.

    Raises
    ------
    InvalidInput
        If a folder or a pattern means no file: a check of nothing would always pass.
    """
    found = dict.fromkeys(file for name in names for file in _files(name, include, exclude))
    return list(found)


def _files(name: str, include: Sequence[str], exclude: Sequence[str]) -> Iterator[str]:
    if name == "-" or Path(Address.parse(name).path).is_file():
        yield name
    elif Path(name).is_dir():
        yield from _some(
            name, (f for f in _below(name) if _wanted(f, name, include, exclude)), "holds no file to check"
        )
    elif glob.has_magic(name):
        some = (Path(f).as_posix() for f in sorted(glob.glob(name, recursive=True)))  # noqa: PTH207  # keeps ./ and absolute names
        yield from _some(name, (f for f in some if not _excluded(f, ".", exclude)), "means no file")
    else:
        yield name  # it is missing: that is told when it is read, and the others are checked


def _some(name: str, files: Iterator[str], problem: str) -> list[str]:
    found = list(files)
    if not found:
        raise InvalidInput(f"{name}: {problem}", code="no-files", hint="see --include and --exclude")
    return found


def _below(folder: str) -> list[str]:
    found = []
    for root, folders, files in os.walk(folder):
        folders[:] = [f for f in folders if not f.startswith(".")]
        found += [Path(root, f) for f in files]
    return [path.as_posix() for path in sorted(found)]


def _wanted(path: str, folder: str, include: Sequence[str], exclude: Sequence[str]) -> bool:
    if _excluded(path, folder, exclude):
        return False
    if include:
        return any(_matches(p, path, folder) for p in include)
    return is_known(path)


def _excluded(path: str, folder: str, exclude: Sequence[str]) -> bool:
    return any(_matches(p, path, folder) for p in exclude)


def _matches(pattern: str, path: str, folder: str) -> bool:
    """A pattern means a path as it is written, or as it is seen from the folder that was named."""
    return matches(pattern, path) or matches(pattern, PurePath(path).relative_to(folder).as_posix())


def is_known(path: str) -> bool:
    """Whether a file is one of those that can be checked, by its suffix, and where that says too little by its content."""
    suffix = PurePath(path).suffix.lower()
    if suffix in MARKS:
        return MARKS[suffix] in read_head(path, _HEAD)
    return suffix in ROBOTS or is_measured(path)


def is_measured(path: str) -> bool:
    """Whether a file holds geometry that is measured: by its suffix, and where that says too little by its content."""
    suffix = PurePath(path).suffix.lower()
    return suffix in FORMATS or suffix in SECTIONS or (suffix in _EITHER and _holds_rings(path, suffix))


def _holds_rings(path: str, suffix: str) -> bool:
    """Whether a file of a suffix that plane files and inertials share is a plane file."""
    head = read_head(path, _HEAD)
    return bool(head) and _EITHER[suffix] not in head.lower()
