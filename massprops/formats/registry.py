"""Files: `open_mesh` and `open_planar` find the reader of a file by its suffix, check that the content agrees, and open it.

A new mesh format is a module with `read(file: InputFile) -> MeshSource` and a line in `FORMATS`;
for plane ones see `massprops.formats.section`.

A `Kind` is a format by its first bytes: to refuse a file whose suffix contradicts its content, and to suggest a remedy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import lru_cache
from os import PathLike, fspath
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, BinaryIO

from massprops.errors import InvalidInput, ReadError, UnknownFormat
from massprops.formats import loaded
from massprops.formats.files import MESH_LIMIT, TEXT_LIMIT, open_file, spooled
from massprops.formats.mesh import stl
from massprops.formats.section import READERS
from massprops.formats.text import EXPAND, decode, split_lines
from massprops.mesh.source import InputFile, MeshSource, keep_freed_memory
from massprops.values import dataclass
from massprops.wording import did_you_mean

if TYPE_CHECKING:
    from massprops.section.rings import PlanarSource, Request


#: Bytes from the start of a file that are looked at.
HEAD = 4096


@dataclass(frozen=True)
class Kind:
    """What some bytes look like.

    Attributes
    ----------
    name : str
        As a sentence has it: ``an OBJ file``.
    format : str
        The word for `--type`; empty where massprops does not read it.
    remedy : str
        What to do with a file that massprops does not read.
    may_be : str
        Formats whose files can begin so, separated by blanks: those whose distinguishing content comes later.
    """

    name: str
    format: str = ""
    remedy: str = "export the mesh as STL, OBJ or PLY"
    may_be: str = ""


_UNPACK = "unpack it first"
XACRO = Kind("a xacro file", remedy=EXPAND)
_ROBOT = "use 'massprops check', 'fill' or 'convert' for robots, or name one of its meshes"
_RESULT = "use 'massprops explain', 'convert' or 'combine' for results"
_BY_SUFFIX = {".xacro": XACRO, ".toml": Kind("an assembly", remedy="use 'massprops combine'")}

_MAGIC = (
    (rb"ply[ \t]*[\r\n]", Kind("a PLY file", "ply")),
    (rb"glTF", Kind("a binary glTF file", "glb")),
    (rb"PK\x03\x04", Kind("a ZIP archive", remedy=_UNPACK, may_be="3mf")),
    (rb"\x1f\x8b", Kind("a gzip archive", remedy=_UNPACK)),
    (rb"BZh[1-9]1AY&SY", Kind("a bzip2 archive", remedy=_UNPACK)),
    (rb"7z\xbc\xaf\x27\x1c|\xfd7zXZ\0|Rar!\x1a", Kind("a packed archive", remedy=_UNPACK)),
    (rb"\x89PNG|\xff\xd8\xff|GIF8[79]a|BM....\0\0\0\0", Kind("a picture")),
    (rb"%PDF-", Kind("a PDF document")),
    (rb"version https://git-lfs", Kind("a Git LFS pointer", remedy="fetch the real file with 'git lfs pull'")),
    (rb"Kaydara FBX Binary", Kind("an FBX file")),
    (rb"BLENDER", Kind("a Blender file")),
    (rb"3D Geometry File Format", Kind("a Rhino file")),
    (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Kind("an OLE document, as older CAD programs save them")),
    (rb"AutoCAD Binary DXF", Kind("a DXF drawing", "dxf")),
)

_TEXT = (
    (r"solid\s(?:.*?\s)??(facet|endsolid)\b", Kind("an ASCII STL file", "stl")),
    (r"(<!doctype html|<html)", Kind("an HTML page", remedy="download the file itself, not the page that shows it")),
    (r"(<.{0,4000}?)?<collada\b", Kind("a COLLADA file", "dae")),
    (r"(<.{0,4000}?)?<svg\b", Kind("an SVG drawing", "svg")),
    (r"(<.{0,4000}?)?<\w+[^<>]{0,400}\bxmlns:xacro\b", XACRO),
    (r"(<.{0,4000}?)?<(robot|sdf|mujoco)\b", Kind("a robot description in XML", remedy=_ROBOT)),
    (r"<(\?xml|[a-z])", Kind("an XML file", may_be="dae svg")),
    (r"\{\s*\"schema\"\s*:\s*\"massprops/|# ten-vector |name,mass \[", Kind("a massprops result", remedy=_RESULT)),
    (r"\{.{0,4000}?\"asset\"\s*:", Kind("a glTF file", "gltf")),
    (r"[{\[]\s*[\"{}\[\]\d-]", Kind("a JSON file", may_be="gltf json geojson")),
    (r"iso-10303-21\s*;", Kind("a STEP file", "step", may_be="stp")),
    (r"(?:#[^\n]*\n\s*)*(st)?c?n?4?n?off(\s|\d|$)", Kind("an OFF file", "off")),
    (r"0\s*[\r\n]+\s*section\b", Kind("a DXF drawing", "dxf")),
    (r"\$meshformat", Kind("a Gmsh file")),
    (r"#vrml", Kind("a VRML file")),
    (r"# vtk datafile", Kind("a VTK file")),
    (r"[^\r\n]{72}s {0,6}\d{1,7}\s*[\r\n]", Kind("an IGES file", remedy="IGES holds no mesh; export STL, OBJ or PLY")),
)

_OBJ = Kind("an OBJ file", "obj")
_OBJ_KEYWORDS = {"mtllib", "usemtl", "o", "g", "s", "v", "vn", "vt"}
_OBJ_VERTEX = r"v([ \t]+[-+]?\.?\d\S*){3}"


def recognise(head: bytes) -> Kind | None:
    """What the first bytes (`HEAD` of them) look like, or None if that is uncertain."""
    # Compiled when needed: two dozen patterns would cost every start of the program 5 ms.
    for magic, kind in _MAGIC:
        if re.match(magic, head, re.DOTALL):
            return kind
    text = decode(head)
    if _is_obj(text):
        return _OBJ
    flags = re.DOTALL | re.IGNORECASE
    return next((kind for pattern, kind in _TEXT if re.match(rf"\s*(?:{pattern})", text, flags)), None)


def _is_obj(text: str) -> bool:
    """Whether a vertex follows nothing but comments and other OBJ statements."""
    for line in split_lines(text):
        if re.match(_OBJ_VERTEX, line.strip()):
            return True
        if line.strip() and not line.lstrip().startswith("#") and line.split()[0] not in _OBJ_KEYWORDS:
            return False
    return False


__all__ = ["FORMATS", "PLANAR", "Y_UP", "InputFile", "MeshSource", "is_planar", "open_mesh", "read_planar"]

#: Files from this size on are read in many blocks.
_LARGE = 1 << 20


#: Mesh formats by suffix: ``module:function`` of the reader below `massprops.formats`, imported when a file of the format is read.
FORMATS = {
    ".stl": "mesh.stl:read",
    ".obj": "mesh.obj:read",
    ".ply": "mesh.ply:read",
    ".off": "mesh.off:read",
    ".glb": "mesh.gltf:read_glb",
    ".gltf": "mesh.gltf:read_gltf",
    ".dae": "mesh.collada:read",
    ".3mf": "mesh.threemf:read",
    **dict.fromkeys((".step", ".stp"), "mesh.step:read"),
}
#: Formats that are defined with y up. Robots are defined with z up, and programs that load such a mesh turn it.
Y_UP = frozenset({"glb", "gltf"})
#: Plane formats by suffix.
PLANAR = {suffix: f"section.{reader}" for suffix, reader in READERS.items()}


def is_planar(path: str | PathLike[str], format: str | None = None) -> bool:
    """Whether a file is a plane file: by `format` where it is given, else by its suffix."""
    suffix = _suffix(fspath(path)) if format is None else "." + format.removeprefix(".")
    return suffix.lower() in PLANAR


@lru_cache(1)  # asked twice of each file
def _suffix(path: str) -> str:
    return PurePath(path).suffix


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
    with _opened(path, FORMATS, format, stdin, MESH_LIMIT) as (file, read):
        if file.size > _LARGE:
            keep_freed_memory()
        mesh: MeshSource = read(file)
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
    with _opened(path, PLANAR, format, stdin, TEXT_LIMIT) as (file, read):
        source: PlanarSource = read(file, request)
        source.sha256 = file.digest() if hash else None
        return source


def _names() -> str:
    """The words for `--type`: suffixes without their dot."""
    return " ".join(sorted(suffix[1:] for suffix in (*FORMATS, *PLANAR)))


@contextmanager
def _opened(
    path: str | PathLike[str], among: dict[str, str], format: str | None, stdin: BinaryIO | None, limit: int
) -> Iterator[tuple[InputFile, Any]]:
    """A file and the reader of its format, which agrees with the content."""
    name, asked = fspath(path), None if format is None else "." + format.lower().removeprefix(".")
    if asked is not None and asked not in among:
        raise InvalidInput(f"unknown format {format!r}", code="unknown-format", hint=f"known: {_names()}")
    if name == "-" and asked is None:
        hint = f"give --type, one of: {_names()}"
        raise InvalidInput("cannot infer the format of standard input", code="missing-type", hint=hint)
    # of a binary STL file only one chunk is in memory
    opened = nullcontext(spooled(name, stdin, limit)) if name == "-" else open_file(name, limit, stl.is_exact_binary)
    with opened as file:
        chosen = asked or _by_suffix(file, among)
        _check_content(file, chosen, asked is not None)
        yield file, loaded(among[chosen])


def _by_suffix(file: InputFile, among: dict[str, str]) -> str:
    suffix = _suffix(file.name)
    if suffix.lower() in among:
        return suffix.lower()
    if suffix.lower() in PLANAR:
        hint = f"known: {' '.join(sorted(FORMATS))}"
        raise UnknownFormat(f"{file.name}: expected a mesh, got a plane file", hint=hint)
    unnamed = f"cannot infer the format of {file.name!r} (no file extension)"
    message = f"unknown format {suffix!r} for {file.name}" if suffix else unnamed
    raise UnknownFormat(message, hint=f"{_suggestion(file, suffix)}known: {' '.join(sorted((*FORMATS, *PLANAR)))}")


def _suggestion(file: InputFile, suffix: str) -> str:
    """The format by the content, or else the nearest suffix."""
    kind = _BY_SUFFIX.get(suffix.lower()) or _kind(file)
    if kind is not None:
        remedy = f", so try --type {kind.format}" if kind.format else f": {kind.remedy}"
        return f"the content looks like {kind.name}{remedy}; "
    near = did_you_mean(suffix.lower(), (FORMATS | PLANAR).keys() - {".stp"}, "")  # .slt is .stl
    return f"{near} " if near else ""


def _kind(file: InputFile) -> Kind | None:
    file.stream.seek(0)
    head = file.stream.read(HEAD)
    file.stream.seek(0)
    return kind_of(head, file.size)


def kind_of(head: bytes, size: int) -> Kind | None:
    """What a file of this size looks like by its first bytes (`HEAD` of them), or None if that is uncertain."""
    # Binary STL first: its header may begin with anything.
    return _BINARY_STL if stl.is_exact_binary(head, size) else recognise(head[:HEAD])


_BINARY_STL = Kind("a binary STL file", "stl")


def _check_content(file: InputFile, chosen: str, asked: bool) -> None:
    """Raise where the content is certainly of another format than the suffix or `--type` says."""
    kind = _kind(file)
    if kind is None or chosen[1:] in (kind.format, *kind.may_be.split()):
        return
    said = f"--type says {chosen[1:]}" if asked else f"the suffix says {chosen}"
    hint = kind.remedy
    if kind.format:
        hint = f"pass --type {kind.format}" if asked else f"rename it to .{kind.format} or pass --type {kind.format}"
    raise ReadError(f"{file.name}: {said}, but the content looks like {kind.name}", code="wrong-format", hint=hint)
