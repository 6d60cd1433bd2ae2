"""Addresses: a file and, after ``#``, a link or another part in it.

Tests: `tests/formats/bodies/test_round_trip.py`.
"""

from __future__ import annotations

from pathlib import Path, PurePath

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


def split_part(path: str) -> tuple[str, str]:
    """The mesh file of ``FILE#PART`` and the part, where the format of the file has parts; else the name as it is."""
    file, mark, part = path.rpartition("#")
    row = MESHES.get(PurePath(file).suffix.lower()) if mark and part else None
    return (path, "") if row is None or not row.has_parts or Path(path).exists() else (file, literal_name(part))
