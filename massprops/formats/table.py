"""The formats of geometry that are read: a row states everything that the program knows of one beside its reader.

A new mesh format is a row and a module with ``read(file: InputFile) -> MeshFile``; a new plane format has ``read(file: InputFile,
request: Request) -> PlanarSource``. Recognition, the help and `init` read the rows; tests compare the pre-commit hook and docs/formats.md.

Other packages add mesh formats by entry points: see `massprops.formats.plugins`.

Tests: `tests/formats/test_registry.py`.
"""

from __future__ import annotations

from functools import partial

from massprops.values import dataclass


@dataclass(frozen=True)
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
    is_y_up, states_unit, has_parts : bool
        Whether it is defined with y up (robots are defined with z up, and programs that load such a mesh turn it); states the unit of
        its lengths; and one part of it can be meant, ``FILE#PART``.
    has_surfaces : bool
        Whether its solids have exact surfaces, which are integrated in place of facets.
    is_written : bool
        Whether meshes are written in it.
    shared : tuple of str
        Suffixes that files without geometry have too: folders are not searched for them.
    content : str
        What a file of it is called, as a sentence has it: ``an OBJ file``.
    magic, text : str
        Patterns of the first bytes, and of the first text without blanks before it, in any case; empty where nothing is certain.
    others : bytes, optional
        Pattern of what only files have that refer to others, which are read with them; None where no file does.
    """

    name: str
    reader: str
    suffixes: tuple[str, ...] = ()
    is_y_up: bool = False
    states_unit: bool = False
    has_parts: bool = False
    has_surfaces: bool = False
    is_written: bool = False
    shared: tuple[str, ...] = ()
    content: str = ""
    magic: bytes = b""
    text: str = ""
    others: bytes | None = None

    @property
    def writer(self) -> str:
        """``module:function`` that makes a file of points (V, 3) and faces (F, 3); empty where there is none."""
        return f"mesh.writing:{self.name}_bytes" if self.is_written else ""

    @property
    def is_planar(self) -> bool:
        """Whether it holds outlines, by the room of its reader."""
        return self.reader.startswith("section.")

    @property
    def is_robot(self) -> bool:
        """Whether it is a mesh only to commands that measure, by the room of its reader."""
        return self.reader.startswith("robot.")


#: Suffixes of USD stages, and the first bytes of those that are no archive.
USD_SUFFIXES, USD_MAGIC = (".usd", ".usda", ".usdc", ".usdz"), (b"#usda", b"PXR-USDC")
#: Patterns of content that a line of the table has no room for, and the beginning of one of a root element, before which others may be.
_STL, _STEP = r"solid\s(?:.*?\s)??(facet|endsolid)\b", r"iso-10303-21\s*;"
_IGES = r"[^\r\n]{72}s {0,6}\d{1,7}\s*[\r\n]"
_DXF, _BINARY_DXF = r"0\s*[\r\n]+\s*section\b", rb"AutoCAD Binary DXF"
_USD = b"|".join(USD_MAGIC)
_ROOT = r"(<.{0,4000}?)?<"
_GLTF = partial(Format, is_y_up=True, states_unit=True, has_parts=True, others=rb'"uri"|\\u00')
_CAD = partial(Format, states_unit=True, has_surfaces=True)
_PARTS = partial(Format, states_unit=True, has_parts=True)
_VTK, _GMSH = r"# vtk datafile", r"\$meshformat"
FORMATS = (
    Format("stl", "mesh.stl:read", is_written=True, content="an ASCII STL file", text=_STL),
    Format("obj", "mesh.obj:read", is_written=True, content="an OBJ file"),
    Format("ply", "mesh.ply:read", is_written=True, content="a PLY file", magic=rb"ply[ \t]*[\r\n]"),
    Format("off", "mesh.off:read", content="an OFF file", text=r"(?:#[^\n]*\n\s*)*(st)?c?n?4?n?off(\s|\d|$)"),
    _PARTS("dae", "mesh.collada:read", content="a COLLADA file", text=rf"{_ROOT}collada\b"),
    _PARTS("zae", "mesh.collada:read_packed"),
    _GLTF("glb", "mesh.gltf:read_glb", content="a binary glTF file", magic=rb"glTF"),
    _GLTF("gltf", "mesh.gltf:read_gltf", content="a glTF file", text=r"\{.{0,4000}?\"asset\"\s*:"),
    Format("3mf", "mesh.threemf:read", states_unit=True),
    _CAD("step", "mesh.step:read", (".step", ".stp"), content="a STEP file", text=_STEP, others=rb"\bDOCUMENT_FILE\b"),
    _CAD("brep", "mesh.cad:read_brep", (".brep", ".brp")),
    _CAD("iges", "mesh.cad:read_iges", (".iges", ".igs"), content="an IGES file", text=_IGES),
    _CAD("fcstd", "mesh.cad:read_fcstd"),
    _PARTS("usd", "robot.usd_mesh:read", USD_SUFFIXES, content="a USD stage", magic=_USD, others=b""),
    _PARTS("3dxml", "mesh.by_trimesh:read"),
    Format("xaml", "mesh.by_trimesh:read", has_parts=True),
    Format("ctm", "mesh.by_trimesh:read"),
    Format("inp", "mesh.abaqus:read", shared=(".inp",)),
    Format("bdf", "mesh.nastran:read", (".bdf", ".nas", ".fem"), shared=(".fem",)),
    Format("vtu", "mesh.fe:read", content="a VTK file of cells", text=rf"{_ROOT}vtkfile\b[^>]*unstructured"),
    Format("vtk", "mesh.fe:read", shared=(".vtk",), content="a VTK file", text=_VTK),
    Format("msh", "mesh.msh:read", content="a Gmsh file", text=_GMSH),
    Format(
        "xdmf",
        "mesh.fe:read",
        (".xdmf", ".xmf"),
        shared=(".xdmf", ".xmf"),
        content="an XDMF file",
        text=rf"{_ROOT}xdmf\b",
        others=rb"\.h(df)?5?:",
    ),
    Format("exo", "mesh.fe:read", (".exo", ".e", ".ex2"), shared=(".e",)),
    Format("med", "mesh.fe:read"),
    Format("mesh", "mesh.fe:read", (".mesh", ".meshb"), shared=(".mesh",)),
    Format("vol", "mesh.fe:read", shared=(".vol",)),
    Format("avs", "mesh.fe:read", shared=(".avs",)),
    Format("su2", "mesh.fe:read"),
    Format("f3grid", "mesh.fe:read"),
    Format("cdb", "mesh.fe:read", shared=(".cdb",)),
    Format("csv", "section.point_tables:read", (".csv", ".tsv", ".txt", ".xy"), shared=(".csv", ".tsv", ".txt")),
    Format("dat", "section.airfoil:read", shared=(".dat",)),
    Format("json", "section.json_rings:read", shared=(".json",)),
    Format("geojson", "section.geojson:read", states_unit=True),
    Format("wkt", "section.wkt:read"),
    Format("svg", "section.svg.document:read", states_unit=True, content="an SVG drawing", text=rf"{_ROOT}svg\b"),
    Format("dxf", "section.dxf:read", states_unit=True, content="a DXF drawing", magic=_BINARY_DXF, text=_DXF),
)
#: Formats by suffix, of meshes and of plane files.
MESHES = {suffix: f for f in FORMATS if not f.is_planar for suffix in f.suffixes or (f".{f.name}",)}
PLANAR = {suffix: f for f in FORMATS if f.is_planar for suffix in f.suffixes or (f".{f.name}",)}
#: Names of the formats with exact surfaces.
EXACT = {f.name for f in FORMATS if f.has_surfaces}
#: Writers of meshes by suffix.
WRITTEN = {suffix: f.writer for suffix, f in MESHES.items() if f.writer}
