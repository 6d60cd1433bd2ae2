"""Formats that trimesh reads: the numbers of the file, its parts and unit, and what cannot be read refused by name."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from cases import raised
from oracles import TETRAHEDRON_VOLUME

from massprops.errors import InvalidInput, MissingExtra, ReadError, UnknownFormat
from massprops.formats.mesh import by_trimesh
from massprops.formats.registry import open_mesh
from massprops.formats.table import FORMATS, MESHES
from massprops.mesh.source import InputFile, MeshFile

CORNERS = np.array([(1, 2, 3), (7, -1, 2), (0, 5, -4), (3, 3, 9)], float)
FACES = np.array([(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)])
POSITIONS = " ".join(f"{x},{y},{z}" for x, y, z in CORNERS.tolist())
XAML = f"""<ModelVisual3D xmlns="http://schemas.microsoft.com/winfx/2006/xaml/presentation"><ModelVisual3D.Transform>
<MatrixTransform3D Matrix="0 1 0 0 -1 0 0 0 0 0 1 0 20 0 0 1"/></ModelVisual3D.Transform><GeometryModel3D>
<MeshGeometry3D Normals="" Positions="{POSITIONS}" TriangleIndices="{",".join(map(str, FACES.ravel().tolist()))}"/>
</GeometryModel3D></ModelVisual3D>"""
NAMESPACE = 'xmlns="http://www.3ds.com/xsd/3DXML"'
SCENE = """<Model_3dxml {ns}><ProductStructure root="1">
<Reference3D id="1" name="arm"/><Reference3D id="2" name="link"/>
<ReferenceRep id="3" format="TESSELLATED" associatedFile="urn:3DXML:{rep}"/>
<InstanceRep id="4"><IsAggregatedBy>2</IsAggregatedBy><IsInstanceOf>3</IsInstanceOf></InstanceRep>{instances}</ProductStructure>
</Model_3dxml>"""
INSTANCE = """<Instance3D id="{id}" name="link.{id}"><IsAggregatedBy>1</IsAggregatedBy><IsInstanceOf>2</IsInstanceOf>
<RelativeMatrix>1 0 0 0 1 0 0 0 1 {x} 0 0</RelativeMatrix></Instance3D>"""
REP = """<XMLRepresentation {ns}><Root><Rep><Faces><Face triangles="{faces}"/></Faces>
<VertexBuffer><Positions>{positions}</Positions><Normals>{normals}</Normals></VertexBuffer></Rep></Root></XMLRepresentation>"""


def packed(**files: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "."), text)
    return stream.getvalue()


def threedxml(rep: str = "part.3DRep") -> bytes:
    """The tetrahedron in two places, 20 mm apart."""
    instances = "".join(INSTANCE.format(id=5 + i, x=20 * i) for i in range(2))
    faces, normals = " ".join(map(str, FACES.ravel().tolist())), ",".join(["0 0 1"] * 4)
    return packed(
        Manifest__xml=f"<Manifest {NAMESPACE}><Root>scene.3dxml</Root></Manifest>",
        scene__3dxml=SCENE.format(ns=NAMESPACE, rep=rep, instances=instances),
        part__3DRep=REP.format(ns=NAMESPACE, faces=faces, positions=POSITIONS.replace(",", " "), normals=normals),
        blob__3DRep="\0\1 no XML",
    )


def read(content: bytes, format: str) -> MeshFile:
    with open_mesh("-", format=format, stdin=io.BytesIO(content)) as mesh:
        return mesh


def facets(mesh: MeshFile) -> np.ndarray:
    return np.concatenate(list(mesh.chunks()))


def test_xaml_is_placed_by_its_transform() -> None:
    """A quarter turn about z, then 20 along x: rows of the matrix are images of the axes."""
    mesh = read(XAML.encode(), "xaml")
    x, y, z = CORNERS.T
    assert np.array_equal(facets(mesh), np.stack([20 - y, x, z], axis=1)[FACES])
    assert (mesh.format, mesh.unit) == ("xaml", None)
    assert [(f.code, f.severity) for f in mesh.findings] == [("read-by-other", "info")]


def test_3dxml_has_the_unit_and_the_parts_of_the_program() -> None:
    mesh = read(threedxml(), "3dxml")
    found = facets(mesh)
    assert np.array_equal(found, np.concatenate([CORNERS[FACES] + (20 * i, 0, 0) for i in range(2)]))
    assert mesh.unit == "mm"
    (parts,) = mesh.divisions() if mesh.divisions else ()
    volumes = [np.linalg.det(facets(own)).sum() / 6 for _, own in parts]
    assert volumes == pytest.approx([float(TETRAHEDRON_VOLUME)] * 2, rel=1e-12)


def test_a_part_that_trimesh_leaves_out_is_said() -> None:
    """The representation of a part is no XML: trimesh logs it and goes on."""
    error = raised(ReadError, read, threedxml("blob.3DRep"), "3dxml")
    assert error.code in ("no-facets", "broken-reader")


@pytest.mark.parametrize("content", [b"", b"no package", packed(Manifest__xml="<a/>")])
def test_a_damaged_file_is_refused_with_the_reader(content: bytes) -> None:
    error = raised(ReadError, read, content or b" ", "3dxml")
    assert error.code == "broken-reader"
    assert "trimesh" in error.message


def test_a_package_that_unpacks_to_too_much_is_not_unpacked() -> None:
    assert raised(ReadError, read, packed(a__xml=" " * (1 << 25)), "3dxml").code == "too-large"


def test_what_trimesh_needs_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from trimesh.exceptions import ExceptionWrapper
    from trimesh.exchange.load import mesh_loaders

    monkeypatch.setitem(mesh_loaders, "ctm", ExceptionWrapper(ModuleNotFoundError("No module", name="openctm")))
    error = raised(MissingExtra, read, b"OCTM", "ctm")
    assert "pip install 'massprops[meshes]'" in str(error)


def test_every_mesh_format_of_trimesh_has_a_reader() -> None:
    """Ours come first; a format that a later trimesh adds is asked of it."""
    from trimesh.exchange.load import mesh_formats

    ours = {suffix[1:] for suffix in MESHES}
    for name in sorted(mesh_formats() - {"stl_ascii", "xyz"} - ours):
        assert by_trimesh.reader_of(f".{name}") is not None
    theirs = {row.name for row in FORMATS if row.reader.startswith("mesh.by_trimesh")}
    assert theirs == {"3dxml", "xaml", "ctm"}
    assert by_trimesh.reader_of(".xyz") is None


def test_trimesh_is_not_imported_for_other_formats() -> None:
    code = "import sys, massprops; massprops.measure('sample_meshes/bracket.stl', units='mm'); print('trimesh' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


DAE = (
    '<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset><unit meter="0.01"/></asset>'
    '<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="a" count="12">{points}</float_array><technique_common>'
    '<accessor source="#a" count="4" stride="3"><param name="X"/><param name="Y"/><param name="Z"/></accessor></technique_common></source>'
    '<vertices id="v"><input semantic="POSITION" source="#p"/></vertices><triangles count="4"><input semantic="VERTEX" source="#v" '
    'offset="0"/><p>{faces}</p></triangles></mesh></geometry></library_geometries><library_visual_scenes><visual_scene id="s"><node>'
    '<instance_geometry url="#g"/></node></visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>'
)


def test_zae_is_the_document_that_its_manifest_names() -> None:
    """Another document of the package is not read; without a manifest the first one is."""
    text = DAE.format(points=POSITIONS.replace(",", " "), faces=" ".join(map(str, FACES.ravel().tolist())))
    manifest = '<?xml version="1.0"?><dae_root>./scene.dae#s</dae_root>'
    for files in ({"a__dae": "<x/>", "scene__dae": text, "manifest__xml": manifest}, {"scene__dae": text}):
        mesh = read(packed(**files), "zae")
        assert (mesh.format, mesh.unit) == ("zae", "cm")
        assert np.array_equal(facets(mesh), CORNERS[FACES])
    assert raised(ReadError, read, packed(readme__txt="x"), "zae").code == "no-facets"
    assert raised(ReadError, read, packed(scene__dae=text)[:-40], "zae").code == "truncated-file"
    assert raised(ReadError, read, packed(scene__dae=" " * (1 << 25)), "zae").code == "too-large"


def test_a_suffix_that_nobody_reads_is_refused_as_before() -> None:
    file = InputFile("part.nothing", io.BytesIO(b"x"), 1)
    assert by_trimesh.reader_of(".nothing") is None
    with pytest.raises((UnknownFormat, InvalidInput)):
        read(b"x", file.name.rpartition(".")[2])
