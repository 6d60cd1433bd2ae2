"""Recognition: what the first bytes of a file look like, to refuse one whose suffix contradicts its content, and to name a remedy.

Tests: `tests/formats/test_registry.py`.
"""

from __future__ import annotations

import re

from massprops.formats import load
from massprops.formats.mesh import stl
from massprops.formats.table import FORMATS
from massprops.formats.text import EXPAND, decode, split_lines
from massprops.values import dataclass, regex

#: Bytes from the start of a file that are looked at.
HEAD = 4096


@dataclass(frozen=True)
class ContentType:
    """Kind of file that some bytes look like.

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
XACRO = ContentType("a xacro file", remedy=EXPAND)
_ROBOT = "use 'massprops combine' for its mass properties as a whole, 'massprops check' or 'massprops fill', or name one of its meshes"
_PAGE = ContentType("an HTML page", remedy="download the file itself, not the page that shows it")
_RESULT = ContentType(
    "a massprops result", remedy="use 'massprops explain', 'massprops convert' or 'massprops combine' for results"
)
_MASS_TABLE = ContentType(
    "a table of masses", remedy="use 'massprops combine', or 'massprops plot' or 'massprops report'"
)
_CAD_TEXT = ContentType(
    "the mass properties of a CAD program", remedy="use 'massprops explain' or 'massprops check' for its numbers"
)
_OF_CAD_PROGRAMS = [".3dm", ".asm", ".catpart", ".catproduct", ".f3d", ".iam", ".ipt", ".jt", ".par", ".prt"]
_OF_CAD_PROGRAMS += [".psm", ".sldasm", ".sldprt", ".x_b", ".x_t"]
_FE = ContentType("a file of a finite element program", remedy="export it as VTU, or as a deck of Nastran or Abaqus")
#: What suffixes say that no reader has.
BY_SUFFIX = {
    ".xacro": XACRO,
    ".xlsx": ContentType("a workbook", remedy=_MASS_TABLE.remedy),
    ".toml": ContentType("an assembly", remedy="use 'massprops combine'"),
    ".dwg": ContentType("an AutoCAD drawing", remedy="save it as DXF"),
    **dict.fromkeys([".dyn", ".frd", ".k", ".key", ".odb", ".op2", ".rad", ".rst", ".unv"], _FE),
    **dict.fromkeys(_OF_CAD_PROGRAMS, ContentType("a file of a CAD program", remedy="export it as STEP, or as STL")),
}

_MAGIC = (
    (rb"PK\x03\x04", ContentType("a ZIP archive", remedy=_UNPACK, may_be="3mf usd usdz 3dxml zae fcstd")),
    (rb"\x1f\x8b", ContentType("a gzip archive", remedy=_UNPACK)),
    (rb"BZh[1-9]1AY&SY", ContentType("a bzip2 archive", remedy=_UNPACK)),
    (rb"7z\xbc\xaf\x27\x1c|\xfd7zXZ\0|Rar!\x1a", ContentType("a packed archive", remedy=_UNPACK)),
    (rb"\x89PNG|\xff\xd8\xff|GIF8[79]a|BM....\0\0\0\0", ContentType("a picture")),
    (rb"\x89HDF\r\n", ContentType("an HDF5 file", may_be="med exo e ex2")),
    (rb"%PDF-", ContentType("a PDF document")),
    (rb"version https://git-lfs", ContentType("a Git LFS pointer", remedy="fetch the real file with 'git lfs pull'")),
    (rb"Kaydara FBX Binary", ContentType("an FBX file")),
    (rb"BLENDER", ContentType("a Blender file")),
    (rb"3D Geometry File Format", ContentType("a Rhino file")),
    (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", ContentType("an OLE document, as older CAD programs save them")),
)

_MASS = regex("mass|weight|gewicht", re.IGNORECASE)
#: Texts that may hold the patterns of our formats further on, and those that are looked for after these.
_TEXT_FIRST = (
    (r"(<!doctype html|<html)", _PAGE),
    (r"\{\s*\"schema\"\s*:\s*\"massprops/|# ten-vector ", _RESULT),
)
_TEXT = (
    (r"(<.{0,4000}?)?<\w+[^<>]{0,400}\bxmlns:xacro\b", XACRO),
    (r"(<.{0,4000}?)?<(robot|sdf|mujoco)\b", ContentType("a robot description in XML", remedy=_ROBOT)),
    (r"<(\?xml|[a-z])", ContentType("an XML file", may_be="dae svg xaml")),
    (r"[{\[]\s*[\"{}\[\]\d-]", ContentType("a JSON file", may_be="gltf json geojson")),
    (r"#vrml", ContentType("a VRML file")),
    (r"(?=(.*[\r\n])?[ \t]*(mass|volume)\b[^\r\n,;]{0,60}[=:\t])(?=.*\b([il]xx|moments? of inertia)\b)", _CAD_TEXT),
)

_OURS = {
    f.name: ContentType(f.content, f.name, may_be=" ".join(s[1:] for s in f.suffixes)) for f in FORMATS if f.content
}
_BINARY_STL = ContentType("a binary STL file", "stl")
_OBJ_KEYWORDS = {"mtllib", "usemtl", "o", "g", "s", "v", "vn", "vt"}
_OBJ_VERTEX = r"v([ \t]+[-+]?\.?\d\S*){3}"


def content_type(head: bytes, size: int) -> ContentType | None:
    """The type of a file of this size by its first bytes (`HEAD` of them); None if it is uncertain."""
    # Binary STL first: its header may begin with anything.
    return _BINARY_STL if stl.is_exact_binary(head, size) else recognise(head[:HEAD])


def recognise(head: bytes) -> ContentType | None:
    """The type of a file by its first bytes, or None if it is uncertain."""
    # Compiled when needed: two dozen patterns would cost every start of the program 5 ms.
    for magic, kind in (*((f.magic, _OURS[f.name]) for f in FORMATS if f.magic), *_MAGIC):
        if re.match(magic, head, re.DOTALL):
            return kind
    text = decode(head)
    if _is_obj(text):
        return _OURS["obj"]
    flags = re.DOTALL | re.IGNORECASE
    if _MASS.search(text) and load("bodies.mass_table:recognises")(text):
        return _MASS_TABLE
    patterns = (*_TEXT_FIRST, *((f.text, _OURS[f.name]) for f in FORMATS if f.text), *_TEXT)
    return next((kind for pattern, kind in patterns if re.match(rf"\s*(?:{pattern})", text, flags)), None)


def _is_obj(text: str) -> bool:
    """Whether a vertex follows nothing but comments and other OBJ statements."""
    for line in split_lines(text):
        if re.match(_OBJ_VERTEX, line.strip()):
            return True
        if line.strip() and not line.lstrip().startswith("#") and line.split()[0] not in _OBJ_KEYWORDS:
            return False
    return False
