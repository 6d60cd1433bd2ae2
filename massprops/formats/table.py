"""The formats of geometry that are read: a row states everything that the program knows of one beside its reader.

A new mesh format is a row and a module with ``read(file: InputFile) -> MeshFile``; a new plane format has ``read(file: InputFile,
request: Request) -> PlanarSource``. Recognition, the help and `init` read the rows; tests compare the pre-commit hook and docs/formats.md.

Other packages add mesh formats by entry points: see `massprops.formats.plugins`.

Tests: `tests/formats/test_registry.py`.
"""

from __future__ import annotations

from massprops.values import dataclass


@dataclass(frozen=True, kw_only=True)
class Format:
    """One format of meshes or plane files.

    Attributes
    ----------
    name : str
        The word for `--type`.
    reader : str
        ``module:function`` below `massprops.formats`, imported when a file of the format is read.
    suffixes : tuple of str
        By default the name with a dot.
    is_planar, is_y_up, states_unit, has_parts, is_robot : bool
        Whether it holds outlines; is defined with y up (robots are defined with z up, and programs that load such a mesh turn it);
        states the unit of its lengths; one part of it can be meant, ``FILE#PART``; and it is a mesh only to commands that measure.
    shared : tuple of str
        Suffixes that files without geometry have too: folders are not searched for them.
    writer : str
        ``module:function`` that writes a mesh from points (V, 3) and faces (F, 3); empty where there is none.
    content : str
        What a file of it is called, as a sentence has it: ``an OBJ file``.
    magic, text : str
        Patterns of the first bytes, and of the first text without blanks before it, in any case; empty where nothing is certain.
    """

    name: str
    reader: str
    suffixes: tuple[str, ...] = ()
    is_planar: bool = False
    is_y_up: bool = False
    states_unit: bool = False
    has_parts: bool = False
    is_robot: bool = False
    shared: tuple[str, ...] = ()
    writer: str = ""
    content: str = ""
    magic: bytes = b""
    text: str = ""


FORMATS = (
    Format(
        name="stl",
        reader="mesh.stl:read",
        writer="mesh.writing:stl_bytes",
        content="an ASCII STL file",
        text=r"solid\s(?:.*?\s)??(facet|endsolid)\b",
    ),
    Format(name="obj", reader="mesh.obj:read", writer="mesh.writing:obj_bytes", content="an OBJ file"),
    Format(
        name="ply",
        reader="mesh.ply:read",
        writer="mesh.writing:ply_bytes",
        content="a PLY file",
        magic=rb"ply[ \t]*[\r\n]",
    ),
    Format(
        name="off", reader="mesh.off:read", content="an OFF file", text=r"(?:#[^\n]*\n\s*)*(st)?c?n?4?n?off(\s|\d|$)"
    ),
    Format(
        name="dae",
        reader="mesh.collada:read",
        states_unit=True,
        content="a COLLADA file",
        text=r"(<.{0,4000}?)?<collada\b",
    ),
    Format(
        name="glb",
        reader="mesh.gltf:read_glb",
        has_parts=True,
        is_y_up=True,
        states_unit=True,
        content="a binary glTF file",
        magic=rb"glTF",
    ),
    Format(
        name="gltf",
        reader="mesh.gltf:read_gltf",
        has_parts=True,
        is_y_up=True,
        states_unit=True,
        content="a glTF file",
        text=r"\{.{0,4000}?\"asset\"\s*:",
    ),
    Format(name="3mf", reader="mesh.threemf:read", states_unit=True),
    Format(
        name="step",
        reader="mesh.step:read",
        suffixes=(".step", ".stp"),
        states_unit=True,
        content="a STEP file",
        text=r"iso-10303-21\s*;",
    ),
    Format(
        name="usd",
        reader="robot.usd_mesh:read",
        suffixes=(".usd", ".usda", ".usdc", ".usdz"),
        has_parts=True,
        is_robot=True,
        states_unit=True,
        content="a USD stage",
        magic=rb"#usda|PXR-USDC",
    ),
    Format(
        name="csv",
        reader="section.point_tables:read",
        suffixes=(".csv", ".tsv", ".txt", ".xy"),
        is_planar=True,
        shared=(".csv", ".tsv", ".txt"),
    ),
    Format(name="dat", reader="section.airfoil:read", shared=(".dat",), is_planar=True),
    Format(name="json", reader="section.json_rings:read", shared=(".json",), is_planar=True),
    Format(name="geojson", reader="section.geojson:read", is_planar=True, states_unit=True),
    Format(name="wkt", reader="section.wkt:read", is_planar=True),
    Format(
        name="svg",
        reader="section.svg.document:read",
        is_planar=True,
        states_unit=True,
        content="an SVG drawing",
        text=r"(<.{0,4000}?)?<svg\b",
    ),
    Format(
        name="dxf",
        reader="section.dxf:read",
        is_planar=True,
        states_unit=True,
        content="a DXF drawing",
        magic=rb"AutoCAD Binary DXF",
        text=r"0\s*[\r\n]+\s*section\b",
    ),
)
#: Formats by suffix, of meshes and of plane files.
MESHES = {suffix: f for f in FORMATS if not f.is_planar for suffix in f.suffixes or (f".{f.name}",)}
PLANAR = {suffix: f for f in FORMATS if f.is_planar for suffix in f.suffixes or (f".{f.name}",)}
#: Writers of meshes by suffix.
WRITTEN = {suffix: f.writer for suffix, f in MESHES.items() if f.writer}
