"""Kinds of files: asked for here alone, by the suffix, and by the first bytes where several kinds share a suffix.

A new kind of file is a word of `Kind`, and what says so here; what is done with one stands with the commands.

Tests: `tests/formats/test_kinds.py`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from os import PathLike, fspath
from pathlib import Path, PurePath
from typing import Literal, cast

from massprops.access import access
from massprops.errors import MasspropsError, result_or_error
from massprops.formats import load
from massprops.formats.address import Address, split_part
from massprops.formats.files import read_head
from massprops.formats.table import MESHES, PLANAR, USD_SUFFIXES
from massprops.formats.text import decode

#: Geometry in space and in the plane; inertials of links; results of massprops; other inertials: tables, ten-vectors, texts of CAD
#: programs, and what has no suffix; an assembly; and what no reader has.
Kind = Literal["mesh", "section", "robot", "results", "bodies", "assembly", "unknown"]

#: Suffixes of robots alone, and of those that other files share: of XML any, of glTF without what states bodies.
ROBOTS = (".urdf", ".sdf", ".mjcf", ".xacro", *USD_SUFFIXES)
_XML, _GLTF = ".xml", (".glb", ".gltf")
#: Suffixes that plane files share with inertials, and what is in the latter alone: texts have ten-vectors, reports of CAD programs or
#: tables.
_STATED = {".json": '"schema"', ".csv": "mass|weight|gewicht"}
_TABLE = r"^(?=[^\n]*\t)[^\n]*(?:mass|weight|gewicht)"
_STATED |= dict.fromkeys((".txt", ".tsv", ".dat"), rf"# ten-vector|^[ \t]*(?:total mass|mass|volume)\b|{_TABLE}")
_STATED_IN = 1 << 16
#: The suffix of tables of masses in workbooks of Excel.
WORKBOOK = ".xlsx"


def kind_of(path: str | PathLike[str], format: str | None = None) -> Kind:
    """The kind of a file, ``FILE`` or ``FILE#PART``, there or not; `format` says it where it is given."""
    from massprops.formats.plugins import is_mesh  # where a file is measured, it is not asked

    if (known := access().objects.get(fspath(path))) is not None:
        return cast("Kind", known[0])
    suffix = suffix_of(path, format)
    if format is not None:
        return "section" if suffix in PLANAR else "mesh"
    if suffix in (*ROBOTS, _XML):
        return "robot"
    if is_mesh(suffix):
        return "robot" if states_bodies(path) else "mesh"
    if suffix in PLANAR and not _states_inertials(fspath(path), suffix):
        return "section"
    if suffix in (".json", ".jsonl"):
        return "results"
    return "assembly" if suffix == ".toml" else "bodies" if suffix in (*PLANAR, WORKBOOK, "") else "unknown"


def named_kind(source: str | PathLike[str]) -> Kind | Literal["stdin"]:
    """The kind of ``FILE[#LINK]`` by its name; ``stdin`` if that says none, or the file cannot be read: it may be of any."""
    if not suffix_of(source) and fspath(source) not in access().objects:
        return "stdin"
    kind = result_or_error(lambda: kind_of(Address.parse(fspath(source)).path))
    return "stdin" if isinstance(kind, MasspropsError) or kind == "unknown" else kind


def is_planar(path: str | PathLike[str], format: str | None = None) -> bool:
    """Whether a file is read as a plane file where it is measured: by `format` where it is given, else by its suffix."""
    known = access().objects.get(fspath(path))
    return suffix_of(path, format) in PLANAR if known is None else known[0] == "section"


def measured_kind(
    path: str | PathLike[str], format: str | None = None
) -> Literal["mesh", "section", "robot", "assembly"]:
    """Kind of a file where bodies are measured or shown: a table of masses is an assembly, and a mesh is what is nothing else, or
    the part of a mesh file.
    """
    kind = "mesh" if split_part(fspath(path))[1] else kind_of(path, format)
    if kind == "bodies" and _is_mass_table(fspath(path)):
        return "assembly"
    return kind if kind in ("robot", "assembly") else "section" if is_planar(path, format) else "mesh"


def states_bodies(path: str | PathLike[str]) -> bool:
    """Whether a file of a mesh format states bodies: glTF with the extensions for that."""
    if suffix_of(path) not in _GLTF:
        return False
    from massprops.formats.robot import gltf

    return gltf.states_bodies(split_part(fspath(path))[0])


def refers_to_others(name: str, format: str | None, content: bytes | None) -> bool:
    """Whether a file that is measured may refer to other files, which change without it; if another package reads it, nobody knows."""
    row = (MESHES | PLANAR).get(suffix_of(name, format))
    return row is None or (row.others is not None and bool(re.search(row.others, content or Path(name).read_bytes())))


def suffix_of(path: str | PathLike[str], format: str | None = None) -> str:
    """The suffix that says what a file is, in lower case, with its dot: that of `format` where it is given."""
    return _suffix(fspath(path)).lower() if format is None else "." + format.lower().removeprefix(".")


@lru_cache(1)  # asked twice of each file
def _suffix(path: str) -> str:
    return PurePath(split_part(path)[0]).suffix


def _is_mass_table(path: str) -> bool:
    suffix = _suffix(path).lower()
    return suffix == WORKBOOK or (
        suffix in _STATED and load("bodies.mass_table:recognises")(decode(read_head(path, _STATED_IN)))
    )


def _states_inertials(path: str, suffix: str) -> bool:
    mark = _STATED.get(suffix)
    return mark is not None and re.search(mark, decode(read_head(path, _STATED_IN)).lower(), re.MULTILINE) is not None
