"""Addresses: a file and, after ``#``, a link or another part in it.

Tests: `tests/formats/bodies/test_round_trip.py`.
"""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import Self

from massprops.errors import InvalidInput
from massprops.formats.table import MESHES
from massprops.values import dataclass

#: Before the name of a link, layer or part; parts, which also have numbers, may need it.
NAME = "name:"


def literal_name(text: str) -> str:
    """The name that a text is, without the ``name:`` that may stand before it."""
    return text.removeprefix(NAME)


@dataclass(frozen=True)
class Address:
    """A file and, after ``#``, the link or other part in it; no link is all of it."""

    path: str
    link: str | None = None

    @classmethod
    def parse(cls, text: str) -> Address:
        """``robot.urdf#forearm`` or ``robot.urdf#name:forearm``; an existing file with a # in its name is that file."""
        path, mark, link = text.rpartition("#")
        if not mark or Path(text).exists():
            return cls(text)
        if not link or not path:
            raise InvalidInput(f"{text!r} names no {'link after' if path else 'file before'} the #")
        return cls(path, literal_name(link))


class Place(str):
    """Where something stands, as messages begin with it: ``FILE``, ``FILE:LINE`` or ``FILE: NODE``, of which the parts are known.

    The name of a node is foreign text, in which a colon or a line break may stand: nothing is read out of the text again.
    """

    file: str
    line: int | None
    node: str

    def __new__(cls, file: str, line: int | None = None, node: str = "") -> Self:
        """The place of a line of a file, or of a node in it."""
        text = f"{file}: {node}" if node else file if line is None else f"{file}:{line}"
        found = super().__new__(cls, text)
        found.file, found.line, found.node = file, line, node
        return found

    def __getnewargs__(self) -> tuple[str, int | None, str]:  # type: ignore[override]  # what it is made from, not the text
        return self.file, self.line, self.node

    @classmethod
    def of(cls, text: str) -> Place:
        """A place; one that is a text is a file, or a file and a line, for files whose places are lines."""
        if isinstance(text, Place):
            return text
        file, mark, line = text.rpartition(":")
        return cls(file, int(line)) if mark and line.isdecimal() and line.isascii() else cls(text)


def files_together(path: str) -> list[PurePath]:
    """The files of a measurement: one, or several of one section, which it calls ``a.dxf + b.dxf``."""
    files = [PurePath(file) for file in path.split(" + ")]
    return files if all(file.suffix for file in files) else [PurePath(path)]


def split_part(path: str) -> tuple[str, str]:
    """The mesh file of ``FILE#PART`` and the part, where the format of the file has parts; else the name as it is."""
    file, mark, part = path.rpartition("#")
    row = MESHES.get(PurePath(file).suffix.lower()) if mark and part else None
    return (path, "") if row is None or not row.has_parts or Path(path).exists() else (file, literal_name(part))
