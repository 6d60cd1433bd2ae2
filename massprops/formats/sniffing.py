"""Formats by their first bytes: to refuse a file whose suffix contradicts its content, and to suggest a remedy."""

from __future__ import annotations

import re

from massprops.formats.text import EXPAND, decode, split_lines
from massprops.values import dataclass

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
    return next(
        (kind for pattern, kind in _TEXT if re.match(rf"\s*(?:{pattern})", text, re.DOTALL | re.IGNORECASE)), None
    )


def _is_obj(text: str) -> bool:
    """Whether a vertex follows nothing but comments and other OBJ statements."""
    for line in split_lines(text):
        if re.match(_OBJ_VERTEX, line.strip()):
            return True
        if line.strip() and not line.lstrip().startswith("#") and line.split()[0] not in _OBJ_KEYWORDS:
            return False
    return False
