"""Files to check: named ones, and those of the known kinds below named folders.

Tests: `tests/checking/test_check.py`.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from massprops.checking.report import SubjectKind
from massprops.errors import ReadError
from massprops.formats.address import Address
from massprops.formats.config_file import matches
from massprops.formats.files import absolute_path, is_within_roots, read_bytes, read_head
from massprops.formats.kinds import kind_of, suffix_of
from massprops.formats.robot.expansion import expandable, is_xacro
from massprops.formats.robot.usd import layers_of_others
from massprops.formats.search_path import SearchPath
from massprops.formats.table import PLANAR, USD_SUFFIXES

#: Suffixes of files that hold inertials among others, with the bytes by which a file with inertials is recognised.
MARKS = {".xml": b"<mujoco", ".json": b'"massprops/1"', ".jsonl": b'"massprops/1"'}
#: Kinds of files of geometry, as checks call them.
MEASURED: dict[str, SubjectKind] = {"mesh": "mesh", "section": "polygon"}
#: Bytes at the beginning of a file that are searched.
_HEAD = 65536


@dataclass
class DiscoveredFiles:
    """The files to check, each once, in order; and what was passed over in folders, with the reason."""

    names: list[str] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)


def expand(
    names: Sequence[str],
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    *,
    geometry: bool = False,
    search: SearchPath | None = None,
) -> DiscoveredFiles:
    """Names of files, with folders and patterns replaced by the files that they mean.

    Parameters
    ----------
    names : sequence of str
        Files, with ``#link``; folders recursively and sorted, without those whose names begin with a dot. A folder without a file
        to check and a pattern without a match stand for themselves: checking them is an error. Of USD files in folders those
        are left out that others in the same folder or above compose.
    include : sequence of str
        Patterns of the files that are taken from folders; by default those of a known kind.
    exclude : sequence of str
        Patterns of the files that are not.
    geometry : bool
        Whether only meshes and plane files are taken from folders.
    search : SearchPath, optional
        The packages of robots.
    """
    found = DiscoveredFiles()
    for name in names:
        if not name:
            raise ReadError("the name of the file is empty", code="missing-file", hint="is a variable unset?")
        if name != "-" and Path(name).is_dir():
            closed: dict[str, str] = {}
            files = [f for f in _below(name, closed) if _is_taken(f, name, include, exclude)]
            if not (include or geometry):
                files = _without_unexpanded(files, name, found.skipped, search)
            found.skipped |= {f: why for f, why in closed.items() if not _is_excluded(f"{f}/-", name, exclude)}
            files = [f for f in files if not geometry or kind_of(f) in MEASURED]
            for file in files:
                found.skipped |= _irregular(file)
            files = _drop_composed_layers([f for f in files if f not in found.skipped])
        elif glob.has_magic(name) and not absolute_path(Address.parse(name).path).exists():
            files = [f for f in _matching(name, found.skipped) if not _is_excluded(f, ".", exclude)]
        else:
            files = [name]
        found.names += files or [name]
    found.names = list(dict.fromkeys(found.names))
    return found


def _without_unexpanded(files: list[str], folder: str, skipped: dict[str, str], search: SearchPath | None) -> list[str]:
    """The files without those of xacro that are not expanded, which `skipped` then counts and names, and without their macros."""
    xacro = [f for f in files if is_xacro(f)]
    expanded, why = expandable(xacro, search)
    if why:
        skipped[folder] = why
    return [f for f in files if f not in xacro or f in expanded]


def _drop_composed_layers(files: list[str]) -> list[str]:
    """The files without layers of USD that other ones compose."""
    if not any(f.lower().endswith(USD_SUFFIXES) for f in files):
        return files

    layers = layers_of_others(files)
    return [f for f in files if f not in layers]


def _matching(pattern: str, skipped: dict[str, str]) -> list[str]:
    """Files that match a pattern, sorted; ``**`` are folders of any depth, of which none is a link: that may lead in circles."""
    if "**" in pattern:
        words = pattern.split("/")
        fixed = "/".join(words[: next(i for i, word in enumerate(words) if glob.has_magic(word))])
        start = fixed or ("/" if pattern.startswith("/") else ".")
        return [f for f in _below(start, skipped) if matches(pattern, f)]
    return sorted(Path(f).as_posix() for f in glob.glob(pattern) if is_within_roots(f))  # noqa: PTH207  # keeps ./ and absolute names


def _below(folder: str, skipped: dict[str, str]) -> Iterator[str]:
    """The files below a folder, in the order of their names at each level; no link to a folder is followed.

    A folder that cannot be read is put into `skipped`, with the reason.
    """
    try:
        with os.scandir(folder) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        skipped[folder] = f"the folder cannot be read: {error.strerror or error}"
        return
    start = Path(folder).as_posix()
    start = "" if start == "." else f"{start.rstrip('/')}/"
    for entry in found:
        if entry.is_dir(follow_symlinks=False):
            if not entry.name.startswith("."):
                yield from _below(start + entry.name, skipped)
        elif not (entry.is_symlink() and Path(entry).is_dir()):
            yield start + entry.name


def _irregular(path: str) -> dict[str, str]:
    """Reason not to open a file of a folder, by its path: reading it would fail or never end."""
    if Path(path).is_file():
        return {}
    return {path: "a dangling link" if Path(path).is_symlink() else "not a regular file (a pipe, a socket or a device)"}


def _is_taken(path: str, folder: str, include: Sequence[str], exclude: Sequence[str]) -> bool:
    if _is_excluded(path, folder, exclude):
        return False
    return any(_matches(p, path, folder) for p in include) if include else is_known(path)


def _is_excluded(path: str, folder: str, exclude: Sequence[str]) -> bool:
    return any(_matches(p, path, folder) for p in exclude)


def _matches(pattern: str, path: str, folder: str) -> bool:
    """Whether a pattern means a path as it is written, or as it is seen from the folder that was named."""
    return matches(pattern, path) or matches(pattern, PurePath(path).relative_to(folder).as_posix())


def is_known(path: str) -> bool:
    """Whether a file can be checked: by its suffix, or where others share that by its content."""
    suffix, kind = suffix_of(path), kind_of(path)
    if suffix == ".xml":
        return _is_model(path)
    if suffix in MARKS:
        return _begins_with(path, MARKS[suffix])
    if kind == "section":  # of the suffixes that other files share, that of tables alone is looked for
        return suffix == ".csv" or suffix not in PLANAR[suffix].shared
    return kind in ("mesh", "robot")


def _is_model(path: str) -> bool:
    """Whether an XML file is a MJCF model of bodies, and no part that is made for `<include>`; True for one that cannot be read."""
    if not _begins_with(path, MARKS[".xml"]):
        return False
    if _irregular(path):
        return True
    try:
        data = read_bytes(path)
    except ReadError:
        return True
    parts = (b"<body", b"<include", b"<attach", b"<flexcomp", b"<composite", b"<inertial")
    return b"<mujocoinclude" not in data[:_HEAD] and any(part in data for part in parts)


def _begins_with(path: str, mark: bytes) -> bool:
    """Whether a mark is in the first bytes of a file; True for one that cannot be read, which the check of it reports."""
    head = read_head(path, _HEAD)
    return mark in head.lower() or not (head or (Path(path).is_file() and Path(path).stat().st_size == 0))
