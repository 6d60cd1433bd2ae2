"""Files: `open_mesh` and `open_planar` find the reader of a file by its suffix, check that the content agrees, and open it.

A new mesh format is a module with `read(file: InputFile) -> MeshSource` and a line in `FORMATS`;
for plane ones see `massprops.formats.section`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, BinaryIO

from massprops.errors import InvalidInput, ReadError, UnknownFormat
from massprops.formats import loaded
from massprops.formats import sniffing as content
from massprops.formats.files import MESH_LIMIT, TEXT_LIMIT, open_file, spooled
from massprops.formats.mesh import stl
from massprops.formats.section import READERS
from massprops.mesh.source import InputFile, MeshSource, keep_freed_memory
from massprops.values import dataclass
from massprops.wording import did_you_mean

if TYPE_CHECKING:
    from massprops.section.rings import PlanarSource, Request

__all__ = ["FORMATS", "PLANAR", "Y_UP", "Format", "InputFile", "MeshSource", "is_planar", "open_mesh", "read_planar"]

#: Files from this size on are read in many blocks.
_LARGE = 1 << 20


@dataclass(frozen=True)
class Format:
    """A file format and where its reader is.

    Attributes
    ----------
    suffix : str
        Lower case, with the dot.
    reader : str
        ``module:function`` below `massprops.formats`, imported when a file of the format is read.
    """

    suffix: str
    reader: str

    @property
    def name(self) -> str:
        """The word for `--type`: the suffix without its dot."""
        return self.suffix[1:]

    def read(self, file: InputFile, *request: Request) -> Any:
        """What is in an open file: its facets, or of a plane file the rings; raises the reader's ReadError."""
        return loaded(self.reader)(file, *request)


#: Mesh formats by suffix.
FORMATS: dict[str, Format] = {
    suffix: Format(suffix, reader)
    for suffix, reader in [
        (".stl", "mesh.stl:read"),
        (".obj", "mesh.obj:read"),
        (".ply", "mesh.ply:read"),
        (".off", "mesh.off:read"),
        (".glb", "mesh.gltf:read_glb"),
        (".gltf", "mesh.gltf:read_gltf"),
        (".dae", "mesh.collada:read"),
        (".3mf", "mesh.threemf:read"),
        (".step", "mesh.step:read"),
        (".stp", "mesh.step:read"),
    ]
}
#: Formats that are defined with y up. Robots are defined with z up, and programs that load such a mesh turn it.
Y_UP = frozenset({"glb", "gltf"})
#: Plane formats by suffix.
PLANAR: dict[str, Format] = {suffix: Format(suffix, f"section.{reader}") for suffix, reader in READERS.items()}


def is_planar(path: str | PathLike[str], format: str | None = None) -> bool:
    """Whether a file is a plane file: by `format` where it is given, else by its suffix."""
    suffix = PurePath(fspath(path)).suffix if format is None else "." + format.removeprefix(".")
    return suffix.lower() in PLANAR


@contextmanager
def open_mesh(
    path: str | PathLike[str],
    *,
    format: str | None = None,  # the name that the JSON result and trimesh use
    stdin: BinaryIO | None = None,
) -> Iterator[MeshSource]:
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
    name = fspath(path)
    asked = None if format is None else _asked(format, FORMATS)
    streamed = stl.is_exact_binary  # of these only one chunk is in memory
    with _open_stdin(asked, stdin, MESH_LIMIT) if name == "-" else open_file(name, MESH_LIMIT, streamed) as file:
        chosen = asked or _by_suffix(file, FORMATS)
        _check_content(file, chosen, asked is not None)
        if file.size > _LARGE:
            keep_freed_memory()
        mesh: MeshSource = chosen.read(file)
        mesh.file = file
        yield mesh


def read_planar(
    path: str | PathLike[str],
    request: Request,
    *,
    format: str | None = None,
    stdin: BinaryIO | None = None,
    hash: bool = False,
) -> PlanarSource:
    """The rings of a plane file, and with `hash` its SHA-256; other parameters and errors as those of `open_mesh`."""
    name = fspath(path)
    asked = None if format is None else _asked(format, PLANAR)
    with _open_stdin(asked, stdin, TEXT_LIMIT) if name == "-" else open_file(name) as file:
        chosen = asked or _by_suffix(file, PLANAR)
        _check_content(file, chosen, asked is not None)
        source: PlanarSource = chosen.read(file, request)
        source.sha256 = file.digest() if hash else None
        return source


def _known(*, names: bool = False) -> str:
    return " ".join(sorted(entry.name if names else entry.suffix for entry in (FORMATS | PLANAR).values()))


def _asked(word: str, among: dict[str, Format]) -> Format:
    found = among.get("." + word.lower().removeprefix("."))
    if found is None:
        raise InvalidInput(f"unknown format {word!r}", code="unknown-format", hint=f"known: {_known(names=True)}")
    return found


@contextmanager
def _open_stdin(asked: Format | None, stdin: BinaryIO | None, limit: int) -> Iterator[InputFile]:
    if asked is None:
        hint = f"give --type, one of: {_known(names=True)}"
        raise InvalidInput("cannot infer the format of standard input", code="missing-type", hint=hint)
    yield spooled("-", stdin, limit)


def _by_suffix(file: InputFile, among: dict[str, Format]) -> Format:
    suffix = PurePath(file.name).suffix
    found = among.get(suffix.lower())
    if found is not None:
        return found
    unnamed = f"cannot infer the format of {file.name!r} (no file extension)"
    message = f"unknown format {suffix!r} for {file.name}" if suffix else unnamed
    raise UnknownFormat(message, hint=f"{_suggestion(file, suffix)}known: {_known()}")


def _suggestion(file: InputFile, suffix: str) -> str:
    """The format by the content, or else the nearest suffix."""
    kind = content.XACRO if suffix.lower() == ".xacro" else _kind(file)
    if kind is not None and kind.format:
        return f"the content looks like {kind.name}, so try --type {kind.format}; "
    if kind is not None:
        return f"the content looks like {kind.name}: {kind.remedy}; "
    near = did_you_mean(suffix.lower(), (FORMATS | PLANAR).keys() - {".stp"}, "")  # .slt is .stl
    return f"{near} " if near else ""


def _kind(file: InputFile) -> content.Kind | None:
    file.stream.seek(0)
    head = file.stream.read(content.HEAD)
    file.stream.seek(0)
    # Binary STL first: its header may begin with anything.
    return _BINARY_STL if stl.is_exact_binary(head, file.size) else content.recognise(head)


_BINARY_STL = content.Kind("a binary STL file", "stl")


def _check_content(file: InputFile, chosen: Format, asked: bool) -> None:
    """Raise where the content is certainly of another format than the suffix or `--type` says."""
    kind = _kind(file)
    if kind is None or chosen.name in (kind.format, *kind.may_be.split()):
        return
    said = f"--type says {chosen.name}" if asked else f"the suffix says {chosen.suffix}"
    hint = kind.remedy
    if kind.format:
        hint = f"pass --type {kind.format}" if asked else f"rename it to .{kind.format} or pass --type {kind.format}"
    raise ReadError(f"{file.name}: {said}, but the content looks like {kind.name}", code="wrong-format", hint=hint)
