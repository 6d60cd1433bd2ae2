"""Bodies from files: the content decides which dialect is read; ``#`` and a name choose one link."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path, PurePath
from typing import BinaryIO

import numpy as np

from massprops.errors import InvalidInput, ReadError, Remedy, UnknownFormat, as_read_error, require_type
from massprops.formats import load
from massprops.formats.address import Address
from massprops.formats.bodies import DIALECTS, cad_text, mass_table
from massprops.formats.inertial.inertial import FileBodies, NamedBody
from massprops.formats.kinds import WORKBOOK, kind_of
from massprops.formats.link_names import named_link, some
from massprops.formats.recognition import content_type
from massprops.formats.robot.expansion import robot_bytes
from massprops.formats.robot.opening import Completing, contents_of, is_robot
from massprops.formats.search_path import SearchPath
from massprops.formats.table import USD_MAGIC, USD_SUFFIXES
from massprops.formats.text import decode
from massprops.wording import shell_word

_FILL = "'massprops fill' makes one from its geometry, if that can be measured"


def open_bodies(
    text: str | PathLike[str], *, stdin: BinaryIO | None = None, search: SearchPath | None = None, cad: str = "auto"
) -> FileBodies:
    """The bodies that ``file`` or ``file#link`` names.

    Parameters
    ----------
    text : path
        URDF, SDF, MJCF, USD, JSON results, CSV tables or ten-vectors; ``-`` is standard input.
    stdin : BinaryIO, optional
        What ``-`` reads.
    search : SearchPath, optional
        Where the files that a robot file includes are looked for; by default around it.
    cad : str
        The program of a text, a name of `massprops.formats.bodies.cad_text.PROGRAMS`; by default the one whose layout it has.

    Returns
    -------
    FileBodies
        Its `bodies`, in the order of the file, and remarks on what was not read.

    Raises
    ------
    ReadError
        If the file cannot be read, holds no body, or the link is not there, has no inertial, or is one of several of its name.
    MissingExtra
        If a package that reads the format is not installed.
    """
    require_type(text, str | PathLike, "text", "the name of a file")
    address = Address.parse(fspath(text))
    return require_bodies(contents_at(address.path, address.link, stdin, search, cad), address.path)


def require_bodies(contents: FileBodies, path: str) -> FileBodies:
    """The contents of a file that has a body, and nothing that cannot be read; ReadError of others."""
    if not contents.whole().bodies:
        without = f"; {len(contents.without)} without one: {some(contents.without)}" if contents.without else ""
        hint, noticed = _FILL if contents.without else "", "".join(f"; {text}" for text in contents.remarks[:1])
        raise ReadError(f"{path}: states no inertial{without}{noticed}", code="no-inertial", hint=hint)
    return contents


def contents_at(
    path: str,
    link: str | None,
    stdin: BinaryIO | None = None,
    search: SearchPath | None = None,
    cad: str = "auto",
    complete: Completing = list,
) -> FileBodies:
    """All that a file holds, or one link of it; raises what `open_bodies` does, but for a file that states no inertial.

    `complete` adds the inertials that links of robots do not state.
    """
    suffix, kind = PurePath(path).suffix.lower(), kind_of(path)
    if kind == "mesh" and Path(path).exists():
        first = f"'massprops compute {shell_word(path)} --density …' measures it and writes any format"
        hint = Remedy(first, python="measure it first, with massprops.measure, or name it in an assembly")
        raise UnknownFormat(f"{path}: expected a body with a mass, got a mesh", hint=hint)
    if kind == "assembly":
        raise UnknownFormat(f"{path}: is an assembly", hint="use 'massprops combine'")
    data = robot_bytes(path, stdin, search)
    if kind == "section" and Path(path).is_file():
        first = "measure it first, 'massprops compute … --thickness … --density … --format json'"
        hint = Remedy(first, python="measure it first, with massprops.measure and a thickness")
        raise UnknownFormat(f"{path}: expected a body with a mass, got a section", hint=hint)
    # numbers that overflow are not finite, and refused as such
    with as_read_error(path, "bad-inertial"), np.errstate(over="ignore", invalid="ignore"):
        asked = cad != "auto"
        found = cad_text.read(decode(data), path, cad) if asked else _by_content(data, path, suffix, search, complete)
    return found if link is None else found.only(select(found, link, path))


def select(contents: FileBodies, link: str, path: str) -> NamedBody:
    """The body of this name; the last part of a nested name will do where it is the only one.

    Raises
    ------
    ReadError
        If there is none, or several.
    """
    if any(link in (body.name, (body.name or "").rpartition("::")[2]) for body in contents.bodies):
        return named_link(contents.bodies, link, path)
    if link in contents.without or (link.startswith("/") and link.rpartition("/")[2] in contents.without):
        raise ReadError(f"{path}: link {link!r} states no inertial", code="no-inertial", hint=_FILL)
    for name, error in contents.failed:
        if name in (link, None):  # an included file may hold it
            raise error
    return named_link(contents.bodies, link, path)


#: Where a text is read that begins so.
_READERS = {
    **dict.fromkeys("{[", "bodies.json_results:read"),
    "# ten-vector": DIALECTS["ten-vector"].reader,
}


def _by_content(data: bytes, path: str, suffix: str, search: SearchPath | None, complete: Completing) -> FileBodies:
    if suffix == WORKBOOK:
        from massprops.formats.bodies import workbook  # imported lazily

        return workbook.read(data, path)
    is_stage = suffix in USD_SUFFIXES or data.startswith(USD_MAGIC)
    text = "" if is_stage else decode(data)
    head = text.lstrip()[:64]
    if is_stage and PurePath(path).name == "-":
        raise InvalidInput("a USD stage refers to other files, and is not read from stdin", hint="name its file")
    if is_stage or is_robot(data, path):
        return contents_of(data, path, search, complete)
    by_suffix = DIALECTS["csv"].reader if suffix == ".csv" or mass_table.recognises(text) else None
    if reader := next((reader for start, reader in _READERS.items() if head.startswith(start)), by_suffix):
        found: FileBodies = load(reader)(text, path)
        return found
    if cad_text.is_cad_text(text):
        return cad_text.read(text, path)
    what = f"{path}: the format is not known"
    hint: str | Remedy = "known: URDF, SDF, MJCF, USD, massprops JSON, CSV, ten-vectors, reports of CAD programs"
    if kind := content_type(data, len(data)):
        what = f"{path}: states no inertial in a known format: the content looks like {kind.name}"
        if kind.format:
            first = f"'massprops compute --type {kind.format}' measures it"
            hint = Remedy(first, f"format={kind.format}", python="massprops.measure with {} measures it")
    raise UnknownFormat(what, hint=hint)
