"""Meshes of other packages in memory: the box of each has the integrals of the closed form; what is no surface is refused by name.

The packages are those that are installed; stand-ins with the attributes that are read take their place elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import cases
import numpy as np
import pytest
from cases import each
from numpy.typing import NDArray
from oracles import write_binary_stl

from massprops import InvalidInput, diff, measure
from massprops.formats.mesh.arrays import from_object

refused = partial(cases.refused, InvalidInput)

#: Edges and lowest corner of the box, m.
SIZE, LOW = np.array([2.0, 3.0, 4.0]), np.array([0.25, -0.5, 1.0])
#: Its corners, and its faces seen from outside.
POINTS = LOW + SIZE * np.array([[i & 1, i >> 1 & 1, i >> 2] for i in range(8)])
QUADS = np.array([[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]])
TRIANGLES = np.concatenate([QUADS[:, [0, 1, 2]], QUADS[:, [0, 2, 3]]])
#: Padded as VTK has faces: three squares as they are, the others as triangles.
PADDED = np.concatenate(
    [*([4, *q] for q in QUADS[:3]), *([3, *t] for t in [*TRIANGLES[3:6], *TRIANGLES[9:]])]
)  # fmt: skip


def is_the_box(source: Any) -> None:
    found = measure(source, units="m")
    assert found.volume == pytest.approx(24, rel=1e-6)  # single precision, in some packages
    assert found.area == pytest.approx(52, rel=1e-6)
    assert found.center_of_mass == pytest.approx(LOW + SIZE / 2, abs=1e-6)
    assert found.grade in ("proved", "certified")


def made_by(package: str, **attributes: Any) -> Any:
    """An object of a class of a package, with these attributes."""
    return type("Mesh", (SimpleNamespace,), {"__module__": f"{package}.mesh", "read": lambda: None})(**attributes)


def blocks(*cells: tuple[str, Any]) -> list[SimpleNamespace]:
    return [SimpleNamespace(type=kind, data=data) for kind, data in cells]


def tensor(values: NDArray[Any]) -> SimpleNamespace:
    found = SimpleNamespace(numpy=lambda: values)
    found.cpu = lambda: found
    return found


GRID = np.concatenate([[1, 0, 2, 0, 1], [4, 0, 2, 1, 3], *([4, *q] for q in QUADS[1:])])


# --- stand-ins -------------------------------------------------------------------------------------------------------


def stand_ins() -> Iterator[tuple[str, Any]]:
    lines = ("line", [[0, 1]]), ("vertex", [[0]])
    yield "meshio triangles", made_by("meshio", points=POINTS, cells=blocks(*lines, ("triangle", TRIANGLES)))
    mixed = blocks(("quad", QUADS[:3]), ("triangle", [*TRIANGLES[3:6], *TRIANGLES[9:]]))
    yield "meshio mixed", made_by("meshio", points=POINTS, cells=mixed)
    ragged = blocks(("polygon", [*QUADS[:3].tolist(), *TRIANGLES[3:6].tolist(), *TRIANGLES[9:].tolist()]))
    yield "meshlane polygons", made_by("meshlane", points=POINTS, cells=ragged)
    none: NDArray[np.int64] = np.array([], dtype=np.int64)
    yield (
        "pyvista squares",
        made_by("pyvista", points=POINTS, faces=np.insert(QUADS, 0, 4, axis=1).ravel(), strips=none),
    )
    yield "pyvista mixed", made_by("pyvista", points=POINTS, faces=PADDED, strips=none)
    strips = np.concatenate([[4, *q[[0, 1, 3, 2]]] for q in QUADS[1:]])
    yield "pyvista strips", made_by("pyvista", points=POINTS, faces=np.array([4, *QUADS[0]]), strips=strips)
    kinds = np.array([1, 3, 8, 9, 9, 9, 7, 7])  # a vertex, a line, a pixel, squares, polygons
    yield "pyvista grid", made_by("pyvista", points=POINTS, cells=GRID, celltypes=kinds)
    data = SimpleNamespace(GetNumberOfStrips=lambda: 0)
    yield "vedo", made_by("vedo", vertices=POINTS, cells_as_flat_array=PADDED, dataset=data)
    yield "open3d", made_by("open3d", vertices=POINTS, triangles=TRIANGLES)
    tensors = {"vertex": {"positions": tensor(POINTS)}, "triangle": {"indices": tensor(TRIANGLES)}}
    yield "open3d tensors", made_by("open3d", **tensors)
    columns = np.asfortranarray(TRIANGLES)
    yield (
        "pymeshlab",
        made_by(
            "pymeshlab", transformed_vertex_matrix=lambda: POINTS, face_matrix=lambda: columns, is_compact=lambda: True
        ),
    )


STAND_INS = dict(stand_ins())


@each("name", sorted(STAND_INS))
def test_a_box_is_a_box_in_every_package(name: str) -> None:
    is_the_box(STAND_INS[name])


def test_a_class_that_inherits_is_of_its_package() -> None:
    mesh = STAND_INS["pyvista mixed"]
    is_the_box(type("Own", (type(mesh),), {"__module__": "my_package"})(**vars(mesh)))


def test_faces_that_are_not_flat_are_named() -> None:
    bent = POINTS + np.array([[0.0, 0, 0]] * 7 + [[0, 0, 0.5]])
    mesh = from_object(made_by("pyvista", points=bent, faces=np.insert(QUADS, 0, 4, axis=1).ravel(), strips=[]))
    assert [f.code for f in mesh.findings] == ["non-planar-faces"]


@each(
    ("source", "message"),
    [
        (
            made_by("meshlane", points=POINTS, cells=blocks(("tetra", [[0, 1, 2, 4]]), ("triangle6", [[0, 1, 2, 3, 4, 5]]))),
            "this Mesh has cells of other types: tetra, triangle6; extract its boundary as triangles",
        ),
        (made_by("meshio", points=POINTS, cells=blocks(("line", [[0, 1]]))), "has no faces; pass its surface"),
        (made_by("meshio", name="a cell block"), "this Mesh of meshio is no mesh; pass its Mesh"),
        (
            made_by("pyvista", points=POINTS, cells=np.array([4, 0, 1, 2, 4]), celltypes=[10]),
            "has cells of other types: tetra; extract its boundary",
        ),
        (
            made_by("pyvista", points=POINTS, cells=np.array([4, 0, 1, 2, 4]), celltypes=[71]),
            "has cells of other types: type 71 of VTK; extract",
        ),
        (made_by("pyvista", dimensions=(2, 2, 2)), "this Mesh of pyvista is no surface; pass what its `extract_surface()`"),
        (made_by("pyvista", points=POINTS, faces=[4, 0, 1, 2, 8], strips=[]), "faces[0, 3] is 8, but there are 8 vertices"),
        (made_by("vedo", dataset=object()), "this Mesh of vedo is no surface; pass its Mesh"),
        (
            made_by("vedo", dataset=SimpleNamespace(GetNumberOfStrips=lambda: 1), cells_as_flat_array=[]),
            "has strips of triangles; pass its `triangulate()`",
        ),
        (made_by("open3d", points=POINTS), "this Mesh of open3d is no mesh of triangles; pass a TriangleMesh"),
        (made_by("pymeshlab", current_mesh=None), "this Mesh of pymeshlab is no mesh; pass its `current_mesh()`"),
        (
            made_by("pymeshlab", transformed_vertex_matrix=None, is_compact=lambda: False),
            "has room for deleted vertices or faces; call its `compact()` first",
        ),
        (made_by("cadquery", vals=lambda: [None, 3]), "this Mesh of cadquery holds no solid"),
        (made_by("build123d", wrapped=None, part=None), "this Mesh of build123d holds no solid"),
    ],
)  # fmt: skip
def test_what_is_no_surface_is_refused_by_name(source: Any, message: str) -> None:
    assert message in refused(measure, source)


class Vertices:
    """What has its vertices and faces as functions."""

    def vertices(self) -> None: ...

    def faces(self) -> None: ...


@each(
    ("source", "message"),
    [
        (SimpleNamespace(wrapped=object()), "triangles are not an array of numbers, got SimpleNamespace"),
        (SimpleNamespace(wrapped=SimpleNamespace(wrapped=POINTS)), "triangles are not an array of numbers"),
        (SimpleNamespace(part=3, vals=lambda: 1 / 0), "triangles are not an array of numbers"),
        (SimpleNamespace(toCompound=lambda: 1 / 0), "triangles are not an array of numbers"),
        (SimpleNamespace(points=POINTS, cells=5), "triangles are not an array of numbers"),
        (SimpleNamespace(points=POINTS, cells=[5]), "triangles are not an array of numbers"),
        (SimpleNamespace(points=POINTS, cells={"triangle": TRIANGLES}), "triangles are not an array of numbers"),
        (SimpleNamespace(points=POINTS), "triangles are not an array of numbers"),
        (SimpleNamespace(points=POINTS, faces=QUADS), "triangles are not an array of numbers"),
        (SimpleNamespace(vertices=POINTS), "triangles are not an array of numbers"),
        (Vertices(), "vertices are not an array of numbers"),
        (Mock(spec=["wrapped", "part", "vals", "toCompound"]), "triangles are not an array of numbers"),
    ],
)
def test_other_objects_with_such_attributes_have_the_error_of_any_object(source: Any, message: str) -> None:
    assert refused(measure, source).startswith(message)


def test_diff_takes_meshes_in_memory_on_either_side(tmp_path: Path) -> None:
    path = write_binary_stl(tmp_path / "box.stl", POINTS[TRIANGLES])
    for pair in (
        (STAND_INS["pyvista mixed"], path),
        (path, (POINTS, TRIANGLES)),
        (STAND_INS["vedo"], STAND_INS["open3d"]),
    ):
        (found,) = diff(*pair, units="m")
        assert found.verdict in ("equal", "within")
    (found,) = diff(path, (2 * POINTS, TRIANGLES), units="m")
    assert found.verdict == "beyond"
    assert "got object" in refused(diff, path, object())


# --- the packages themselves -----------------------------------------------------------------------------------------


def _meshio(name: str) -> Any:
    package = pytest.importorskip(name)
    return package.Mesh(
        POINTS, [("line", [[0, 1]]), ("quad", QUADS[:3]), ("triangle", [*TRIANGLES[3:6], *TRIANGLES[9:]])]
    )


def _pyvista() -> Any:
    return pytest.importorskip("pyvista", exc_type=ImportError).PolyData(POINTS, PADDED)


def _pyvista_grid() -> Any:
    package = pytest.importorskip("pyvista", exc_type=ImportError)
    return package.UnstructuredGrid(GRID, np.array([1, 3, 8, 9, 9, 9, 7, 7], np.uint8), POINTS)


def _vedo() -> Any:
    package = pytest.importorskip("vedo", exc_type=ImportError)
    return package.Mesh([POINTS - [1, 2, 3], QUADS.tolist()]).shift(1, 2, 3)


def _open3d() -> Any:
    package = pytest.importorskip("open3d", exc_type=ImportError)
    geometry = package.geometry.TriangleMesh
    return geometry(package.utility.Vector3dVector(POINTS), package.utility.Vector3iVector(TRIANGLES))


def _open3d_tensors() -> Any:
    legacy = _open3d()
    return pytest.importorskip("open3d").t.geometry.TriangleMesh.from_legacy(legacy)


def _pymeshlab() -> Any:
    package = pytest.importorskip("pymeshlab", exc_type=ImportError)
    return package.Mesh(POINTS, TRIANGLES)


def _igl() -> Any:
    pytest.importorskip("igl", exc_type=ImportError)
    return np.asfortranarray(POINTS), np.asfortranarray(TRIANGLES)


def _trimesh() -> Any:
    package = pytest.importorskip("trimesh")
    return package.Scene([package.Trimesh(POINTS, TRIANGLES)])


@pytest.mark.parametrize(
    "mesh",
    [
        partial(_meshio, "meshio"), partial(_meshio, "meshlane"), _pyvista, _pyvista_grid, _vedo, _open3d, _open3d_tensors,
        _pymeshlab, _igl, _trimesh,
    ],
)  # fmt: skip
def test_a_box_of_the_package_itself(mesh: Callable[[], Any]) -> None:
    is_the_box(mesh())


def test_a_mesh_of_pymeshlab_is_where_its_transform_places_it() -> None:
    package = pytest.importorskip("pymeshlab", exc_type=ImportError)
    meshes = package.MeshSet()  # it owns the mesh
    meshes.add_mesh(package.Mesh(POINTS - [1, 2, 3], TRIANGLES))
    meshes.compute_matrix_from_translation(traslmethod="XYZ translation", axisx=1, axisy=2, axisz=3, freeze=False)
    is_the_box(meshes.current_mesh())
    assert "is no mesh; pass its `current_mesh()`" in refused(measure, meshes)


def test_strips_of_pyvista_are_the_surface_that_they_were_made_of() -> None:
    sphere = pytest.importorskip("pyvista", exc_type=ImportError).Sphere()
    whole, strips = measure(sphere, units="m"), measure(sphere.strip(), units="m")
    assert len(sphere.strip().strips)
    assert strips.volume == pytest.approx(whole.volume, rel=1e-12)
    assert strips.input.facets == whole.input.facets


def test_the_units_of_a_scene_are_those_of_its_meshes() -> None:
    trimesh = pytest.importorskip("trimesh")
    small, large = (trimesh.Trimesh(POINTS * f, TRIANGLES) for f in (1000, 1))
    small.units = "mm"
    large.units = "m"
    large.apply_translation([5000, 0, 0])
    with_points = trimesh.Scene([small, trimesh.PointCloud(POINTS)])
    assert measure(with_points).volume == pytest.approx(24, rel=1e-12)
    both = trimesh.Scene([small, large])
    assert refused(measure, both) == ("the meshes of the scene state different units: m, mm; set its `.units` to one")


def _cadquery() -> Iterator[Any]:
    package = pytest.importorskip("cadquery", exc_type=ImportError)
    box = package.Workplane().box(2, 3, 4)
    yield box
    yield box.val()
    yield package.Assembly().add(box)
    yield (
        package.Workplane()
        .box(2, 3, 2)
        .translate((0, 0, 1))
        .add(package.Workplane().box(2, 3, 2).translate((0, 0, -1)))
    )


def _build123d() -> Iterator[Any]:
    package = pytest.importorskip("build123d", exc_type=ImportError)
    yield package.Box(2, 3, 4)
    with package.BuildPart() as part:
        package.Box(2, 3, 4)
    yield part
    yield part.part
    yield part.part.solids()
    yield package.Compound(children=[package.Pos(0, 0, z) * package.Box(2, 3, 2) for z in (1, -1)])


@pytest.mark.parametrize("shapes", [_cadquery, _build123d])
def test_solids_of_cad_as_code_are_in_millimetres(shapes: Callable[[], Iterator[Any]]) -> None:
    for shape in shapes():
        found = measure(shape)
        assert found.volume == pytest.approx(24e-9, rel=1e-12)
        assert found.center_of_mass == pytest.approx([0, 0, 0], abs=1e-15)
        assert found.input.unit == "mm"


def test_what_is_no_solid_of_cad_as_code_is_refused() -> None:
    package = pytest.importorskip("build123d", exc_type=ImportError)
    assert "holds no solid" in refused(measure, package.Vector(1, 2, 3))
    assert "no solid" in cases.refused(Exception, measure, package.Rectangle(1, 2))
