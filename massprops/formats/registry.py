"""Files: `open_mesh` and `read_planar` find the reader of a file by its suffix, check that the content agrees, and open it.

The formats are in `massprops.formats.table`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, BinaryIO

from massprops.access import access
from massprops.errors import InvalidInput, ReadError, Remedy, UnknownFormat, spell, spelling
from massprops.formats import load
from massprops.formats.address import split_part
from massprops.formats.files import MESH_LIMIT, TEXT_LIMIT, open_file, spool
from massprops.formats.kinds import suffix_of
from massprops.formats.mesh import stl
from massprops.formats.recognition import BY_SUFFIX, HEAD, ContentType, content_type
from massprops.formats.table import MESHES, PLANAR, Format
from massprops.mesh.source import InputFile, MeshFile, keep_freed_memory
from massprops.wording import did_you_mean

if TYPE_CHECKING:
    from massprops.section.rings import PlanarSource, Request

#: Larger files are read in many blocks.
_LARGE = 1 << 20


@contextmanager
def open_mesh(
    path: str | PathLike[str],
    *,
    format: str | None = None,  # the name that the JSON result and trimesh use
    stdin: BinaryIO | None = None,
) -> Iterator[MeshFile]:
    """The facets of a mesh file, for as long as the context lasts.

    Parameters
    ----------
    path : str or path-like
        ``-`` is standard input, which is read into memory.
    format : str, optional
        ``stl``, ``obj`` …; by default the suffix says it. Needed for standard input.
    stdin : BinaryIO, optional
        What ``-`` reads.

    Raises
    ------
    InvalidInput
        An unknown `format`, or ``-`` without a format or a stream.
    UnknownFormat
        The suffix is unknown or missing.
    ReadError
        No such file, not a file, empty, of another format than it says, damaged, or of a format whose package is not installed.
    """
    if (known := access().objects.get(fspath(path))) is not None:
        yield known[1]
        return
    with _opened(path, MESHES, format, stdin, MESH_LIMIT) as (file, read):
        if file.size > _LARGE:
            keep_freed_memory()
        mesh = replace(read(file), file=file)
        yield replace(mesh, name=fspath(path)) if file.part else mesh


def read_planar(
    path: str | PathLike[str],
    request: Request,
    *,
    format: str | None = None,
    stdin: BinaryIO | None = None,
    hash: bool = False,
) -> PlanarSource:
    """The rings of a plane file, and with `hash` its SHA-256; other parameters and errors as those of `open_mesh`."""
    if (known := access().objects.get(fspath(path))) is not None:
        found: PlanarSource = known[1]
        return found
    with _opened(path, PLANAR, format, stdin, TEXT_LIMIT) as (file, read):
        source: PlanarSource = read(file, request)
        source.sha256 = file.digest() if hash else None
        return source


def _known(*tables: dict[str, Format]) -> list[str]:
    """The suffixes of some formats and of those of other packages."""
    from massprops.formats.plugins import formats_of_others

    return sorted({*formats_of_others(), *(suffix for table in tables for suffix in table)})


def _names(among: dict[str, Format]) -> str:
    """The words for `format`: suffixes without their dot, but those of robots, which refer to other files."""
    robots = {suffix for suffix, row in MESHES.items() if row.is_robot}
    return " ".join(suffix[1:] for suffix in _known(among) if suffix not in robots)


@contextmanager
def _opened(
    path: str | PathLike[str], among: dict[str, Format], format: str | None, stdin: BinaryIO | None, limit: int
) -> Iterator[tuple[InputFile, Any]]:
    """A file and the reader of its format, which agrees with the content."""
    (name, part), asked = split_part(fspath(path)), None if format is None else "." + format.lower().removeprefix(".")
    if asked is not None and _reader(asked, among) is None:
        other = (MESHES | PLANAR).get(asked)
        kind = "" if other is None else "plane files" if other.is_planar else "meshes"
        what = f"{format!r} is a format of {kind}" if kind else f"unknown format {format!r}"
        raise InvalidInput(what, code="unknown-format", hint=f"known: {_names(among if kind else MESHES | PLANAR)}")
    if name == "-" and asked is None:
        hint = Remedy(f"give {{}}, one of: {_names(MESHES | PLANAR)}", "format")
        raise InvalidInput("cannot infer the format of standard input", code="missing-type", hint=hint)
    # of a binary STL file only one chunk is in memory
    opened = nullcontext(spool(name, stdin, limit)) if name == "-" else open_file(name, limit, stl.is_exact_binary)
    with opened as file:
        chosen = asked or _by_suffix(file, among)
        row = among.get(chosen)
        file = replace(file, part=part, format=row.name if row else chosen[1:])
        _check_content(file, chosen, asked is not None)
        yield file, _reader(chosen, among)


def _reader(suffix: str, among: dict[str, Format]) -> Callable[..., Any] | None:
    """The reader of a suffix: ours, or of meshes one of another package, or of trimesh; None where there is none."""
    if suffix in among:
        return load(among[suffix].reader)  # type: ignore[no-any-return]
    if among is not MESHES:
        return None
    from massprops.formats.mesh.by_trimesh import reader_of
    from massprops.formats.plugins import reader_of_others

    return reader_of_others(suffix) or reader_of(suffix)


def _by_suffix(file: InputFile, among: dict[str, Format]) -> str:
    suffix = suffix_of(file.name)
    if _reader(suffix, among) is not None:
        return suffix
    if suffix in PLANAR:
        hint = f"known: {' '.join(_known(MESHES))}"
        raise UnknownFormat(f"{file.name}: expected a mesh, got a plane file", hint=hint)
    unnamed = f"cannot infer the format of {file.name!r} (no file extension)"
    written = file.name[file.name.lower().rfind(suffix) :][: len(suffix)]
    message = f"unknown format {written!r} for {file.name}" if suffix else unnamed
    raise UnknownFormat(message, hint=f"{_suggestion(file, suffix)}known: {' '.join(_known(MESHES, PLANAR))}")


def _suggestion(file: InputFile, suffix: str) -> str:
    """The format by the content, or else the nearest suffix."""
    if kind := BY_SUFFIX.get(suffix):
        return f"it is {kind.name}: {kind.remedy}; "
    if kind := _content(file):
        remedy = f", so try {spell(f'format={kind.format}')}" if kind.format else f": {kind.remedy}"
        return f"the content looks like {kind.name}{remedy}; "
    near = did_you_mean(suffix, set(_known(MESHES, PLANAR)) - {".stp"}, "")  # .slt is .stl
    return f"{near} " if near else ""


def _content(file: InputFile) -> ContentType | None:
    file.stream.seek(0)
    head = file.stream.read(HEAD)
    file.stream.seek(0)
    return content_type(head, file.size)


def _check_content(file: InputFile, chosen: str, asked: bool) -> None:
    """Raise where the content is certainly of another format than the suffix or `format` says."""
    kind = _content(file) if chosen in MESHES or chosen in PLANAR else None  # of others nothing is known
    if kind is None or chosen[1:] in (kind.format, *kind.may_be.split()):
        return
    said = f"{spelling().subject('format')} says {chosen[1:]}" if asked else f"the suffix says {chosen}"
    hint: str | Remedy = kind.remedy
    if kind.format:
        hint = Remedy("pass {}" if asked else f"rename it to .{kind.format} or pass {{}}", f"format={kind.format}")
    raise ReadError(f"{file.name}: {said}, but the content looks like {kind.name}", code="wrong-format", hint=hint)
