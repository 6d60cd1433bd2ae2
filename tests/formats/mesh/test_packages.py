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

from massprops import InvalidGeometry, InvalidInput, diff, measure
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


#: The box as one cell, and as six.
HEXAHEDRON = [0, 1, 3, 2, 4, 5, 7, 6]
TETRAHEDRA = np.array([[0, i, j, 7] for i, j in ((1, 3), (3, 2), (2, 6), (6, 4), (4, 5), (5, 1))])


def is_the_box(source: Any) -> None:
    found = measure(source, units="m")
    assert found.volume == pytest.approx(24, rel=1e-6)  # single precision, in some packages
    assert found.area == pytest.approx(52, rel=1e-6)
    assert found.center_of_mass == pytest.approx(LOW + SIZE / 2, abs=1e-6)
    assert found.grade in ("proved", "certified")


def made_by(package: str, **attributes: Any) -> Any:
    """An object of a class of a package, with these attributes."""
    return type("Mesh", (SimpleNamespace,), {"__module__": f"{package}.mesh", "read": lambda: None})(**attributes)


def made_by_other(**attributes: Any) -> Any:
    return type("Own", (SimpleNamespace,), {"__module__": "my_mesher"})(**attributes)


def blocks(*cells: tuple[str, Any]) -> list[SimpleNamespace]:
    return [SimpleNamespace(type=kind, data=data) for kind, data in cells]


def tensor(values: NDArray[Any]) -> SimpleNamespace:
    found = SimpleNamespace(numpy=lambda: values)
    found.cpu = lambda: found
    return found


GRID = [[0], [0, 1], [0, 2, 1, 3], *QUADS[1:].tolist()]
KINDS = [1, 3, 8, 9, 9, 9, 7, 7]  # a vertex, a line, a pixel, squares, polygons


def grid(points: Any, cells: Any, kinds: Any, **data: Any) -> Any:
    """A grid as pyvista has it."""
    ends = np.cumsum([0, *map(len, cells)])
    return made_by(
        "pyvista", points=points, celltypes=np.array(kinds, np.uint8), cell_data=data, cell_offsets=ends,
        cell_connectivity=np.array([i for row in cells for i in row], np.int64),
    )  # fmt: skip


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
    yield "pyvista grid", grid(POINTS, GRID, KINDS)
    strips_of_two = [QUADS[i][[0, 1, 3, 2]].tolist() for i in (0, 1)]
    yield "pyvista strips in a grid", grid(POINTS, [*strips_of_two, *QUADS[2:].tolist()], [6, 6, 9, 9, 9, 9])
    voxel = [0, 1, 2, 3, 4, 5, 6, 7]
    yield "pyvista voxel", grid(POINTS, [voxel, *GRID], [11, *KINDS])
    image = made_by("pyvista", dimensions=(2, 2, 2), cast_to_unstructured_grid=lambda: grid(POINTS, [voxel], [11]))
    yield "pyvista image", image
    hexahedron, line = ("hexahedron", np.array([HEXAHEDRON])), ("line", np.array([[0, 1]]))
    yield (
        "meshio hexahedron",
        made_by("meshio", points=POINTS, cells=blocks(line, hexahedron), cell_data={}, cell_sets={}),
    )
    yield "another package's tetrahedra", made_by_other(points=POINTS, cells=blocks(("tetra", TETRAHEDRA)))
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
        (made_by("meshio", points=POINTS, cells=blocks(("line", [[0, 1]]))), "this Mesh has no faces and no solid cells"),
        (
            made_by("meshlane", points=POINTS, cells=blocks(("polyhedron6", [[[0, 1, 2], [3, 4, 5]], [[0, 1, 2]]]))),
            "Mesh: no cell with a volume or an area, but 2 cells of the kind polyhedron6",
        ),
        (
            made_by("meshio", points=POINTS, cells=blocks(("tetra", np.array([[0, 1, 2, 8]])))),
            "Mesh: a cell refers to a node that is none of its 8",
        ),
        (
            made_by("meshio", points=POINTS * [1, 1, np.nan], cells=blocks(("tetra", TETRAHEDRA))),
            "vertices[0, 2] is nan; coordinates must be finite",
        ),
        (
            made_by("meshio", points=POINTS, cells=blocks(("tetra", TETRAHEDRA)), cell_sets={"a": [[6]]}),
            "the set 'a' has other things than cells of a block of 6",
        ),
        (made_by("meshio", name="a cell block"), "this Mesh of meshio is no mesh; pass its Mesh"),
        (grid(POINTS, [[0, 1, 2, 4]], [71]), "Mesh: no cell with a volume or an area, but 1 cell of the kind type 71 of VTK"),
        (made_by("pyvista", n_blocks=2), "this Mesh of pyvista is no mesh; pass its blocks, or what its `combine()` returns"),
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


#: Cells of VTK: corners, further nodes as the corners that they are in the middle of, and the volume of the cell of unit edges.
_TET_EDGES = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]
_TET = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
_WEDGE = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (0, 1, 1)]
_WEDGE_EDGES = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)]
_HEX = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
_HEX_EDGES = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)]
_PYRAMID = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1)]
_PYRAMID_EDGES = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 4), (2, 4), (3, 4)]
_CENTRES = [(0, 3, 7, 4), (1, 2, 6, 5), (0, 1, 5, 4), (3, 2, 6, 7), (0, 1, 2, 3), (4, 5, 6, 7), tuple(range(8))]
_UPRIGHT = [(0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5)]
VTK_CELLS: dict[int, tuple[Any, Any, float]] = {
    10: (_TET, [], 1 / 6),
    11: ([_HEX[i] for i in (0, 1, 3, 2, 4, 5, 7, 6)], [], 1),
    12: (_HEX, [], 1),
    13: (_WEDGE, [], 1 / 2),
    14: (_PYRAMID, [], 1 / 3),
    24: (_TET, _TET_EDGES, 1 / 6),
    25: (_HEX, _HEX_EDGES, 1),
    26: (_WEDGE, _WEDGE_EDGES, 1 / 2),
    27: (_PYRAMID, _PYRAMID_EDGES, 1 / 3),
    29: (_HEX, [*_HEX_EDGES, *_CENTRES], 1),
    32: (_WEDGE, [*_WEDGE_EDGES, *_UPRIGHT], 1 / 2),
}
#: A map of determinant 53, and one along the axes.
MAP, SCALING = np.array([[5, 1, 0], [-1, 4, 2], [0, 1, 3]], float), np.diag([5.3, 5, 2])


def nodes_of(number: int) -> NDArray[np.float64]:
    corners, middles, _ = VTK_CELLS[number]
    p = np.array(corners, float)
    # the edges of voxels are along the axes
    return (
        np.concatenate([p, *(p[list(m)].mean(axis=0, keepdims=True) for m in middles)])
        @ (SCALING if number == 11 else MAP).T
    )


@each("number", sorted(VTK_CELLS))
def test_cells_of_vtk_have_their_own_order_of_nodes(number: int) -> None:
    """A sheared cell with straight sides: any other order of its nodes bends them, or turns the cell."""
    nodes = nodes_of(number)
    found = measure(grid(nodes, [list(range(len(nodes)))], [number]))
    assert (found.volume, found.grade) == (
        pytest.approx(53 * VTK_CELLS[number][2], rel=1e-12),
        "proved",
    )
    assert not found.findings


def test_a_cell_with_a_curved_face_is_integrated_over_it() -> None:
    """A cube whose upper face is bowed by b (1 − x²)(1 − y²)-like serendipity terms: its volume is that of the eight middles."""
    nodes = np.array(_HEX, float)
    middles = np.array([nodes[list(m)].mean(axis=0) for m in _HEX_EDGES])
    middles[4:8, 2] += 0.25
    found = measure(grid(np.concatenate([nodes, middles]), [list(range(20))], [25]))
    assert found.volume == pytest.approx(
        1 + 0.25 * 4 / 3, rel=1e-12
    )  # ∫ of a middle's function over the square is 1/3 of it
    assert found.grade == "certified"


def test_sets_and_regions_of_objects_are_parts() -> None:
    """Sets of meshio, whole numbers in cell data, physical groups with names; of pyvista cells of several kinds, in its own order."""
    beside = np.concatenate([POINTS, POINTS + np.array([SIZE[0], 0, 0])])
    cells = blocks(("hexahedron", np.array([HEXAHEDRON])), ("tetra", TETRAHEDRA + 8))
    wanted = {"left": (24, 1.25), "right": (24, 3.25)}

    def parts_of(mesh: Any, densities: Any) -> dict[str, tuple[float, float]]:
        found = measure(mesh, densities=densities, units="m")
        assert found.mass == pytest.approx(24 * sum(densities.values()))
        assert found.parts is not None
        each = {p.label.name: p.measurement for p in found.parts}
        return {name: (pytest.approx(m.volume), pytest.approx(m.center_of_mass[0])) for name, m in each.items()}

    sets = {"left": [[True], []], "right": [None, np.arange(6)]}
    groups = {"gmsh:physical": [np.array([7]), np.full(6, 8)]}
    named = {"left": np.array([7, 3]), "right": np.array([8, 3])}
    both = {"left": 1000.0, "right": 3000.0}
    assert parts_of(made_by("meshio", points=beside, cells=cells, cell_sets=sets, cell_data={}), both) == wanted
    mesh = made_by("meshlane", points=beside, cells=cells, cell_sets={}, cell_data=groups, field_data=named)
    assert parts_of(mesh, both) == wanted
    rows = [*(TETRAHEDRA[:2] + 8).tolist(), HEXAHEDRON, *(TETRAHEDRA[2:] + 8).tolist()]
    regions = grid(beside, rows, [10, 10, 12, 10, 10, 10, 10], Material=np.array([8, 8, 7, 8, 8, 8, 8], float))
    assert parts_of(regions, {"material 7": 1000.0, "material 8": 3000.0}) == {
        "material 7": wanted["left"],
        "material 8": wanted["right"],
    }


def test_cells_that_are_hidden_or_copies_are_left_out_and_said() -> None:
    """`vtkGhostType` of VTK: 1 is a copy of a cell of another piece, 32 a hidden cell."""
    beside = np.concatenate([POINTS + np.array([SIZE[0] * i, 0, 0]) for i in range(3)])
    rows = [[8 * i + j for j in HEXAHEDRON] for i in range(3)]
    found = measure(grid(beside, rows, [12] * 3, vtkGhostType=np.array([0, 1, 32], np.uint8)))
    assert found.volume == pytest.approx(24)
    assert [(f.code, f.severity) for f in found.findings] == [("skipped-elements", "info")]
    assert "2 cells that the mesh marks as hidden" in found.findings[0].message


def test_a_bad_cell_is_named_by_its_number_in_the_object() -> None:
    """Counted from 0 as the object does, whatever other kinds of cells stand before it."""
    turned = [HEXAHEDRON[i] for i in (4, 5, 6, 7, 0, 1, 2, 3)]
    far = np.concatenate([POINTS + np.array([9.0 * i, 0, 0]) for i in range(3)])
    rows = [HEXAHEDRON, [8, 9, 10, 12], [i + 16 for i in turned]]
    message = cases.refused(InvalidGeometry, measure, grid(far, rows, [12, 10, 12]))
    assert message.startswith("Mesh: turned-cells: 1 of 2 cells (hexahedron)")
    assert "the first is cell 2" in message


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
    padded = np.concatenate([[len(row), *row] for row in GRID])
    return package.UnstructuredGrid(padded, np.array(KINDS, np.uint8), POINTS)


def _pyvista_image() -> Any:
    package = pytest.importorskip("pyvista", exc_type=ImportError)
    return package.ImageData(dimensions=(2, 3, 5), spacing=SIZE / [1, 2, 4], origin=LOW)


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
        partial(_meshio, "meshio"), partial(_meshio, "meshlane"), _pyvista, _pyvista_grid, _pyvista_image, _vedo, _open3d,
        _open3d_tensors, _pymeshlab, _igl, _trimesh,
    ],
)  # fmt: skip
def test_a_box_of_the_package_itself(mesh: Callable[[], Any]) -> None:
    is_the_box(mesh())


@each("number", sorted(VTK_CELLS))
def test_the_order_of_nodes_is_that_of_vtk_itself(number: int) -> None:
    """Sides and faces as the cell itself numbers them, and the volume by its own rule."""
    package = pytest.importorskip("pyvista", exc_type=ImportError)
    nodes = nodes_of(number)
    cell = package.UnstructuredGrid([len(nodes), *range(len(nodes))], [number], nodes)
    of_vtk = cell.GetCell(0)
    for edges in (of_vtk.GetEdge(i) for i in range(of_vtk.GetNumberOfEdges())):
        ids = [edges.GetPointId(i) for i in range(edges.GetNumberOfPoints())]
        if len(ids) == 3:
            assert nodes[ids[2]] == pytest.approx(nodes[ids[:2]].mean(axis=0))
    assert measure(cell).volume == pytest.approx(53 * VTK_CELLS[number][2], rel=1e-12)
    assert measure(cell).volume == pytest.approx(abs(cell.volume), rel=1e-6)


@each("name", ["meshio", "meshlane"])
def test_a_mesh_in_memory_has_the_numbers_of_its_file(name: str, tmp_path: Path) -> None:
    package = pytest.importorskip(name)
    pytest.importorskip("meshlane")
    beside = np.concatenate([POINTS, POINTS + np.array([SIZE[0], 0, 0])])
    cells = [("hexahedron", np.array([HEXAHEDRON])), ("tetra", TETRAHEDRA + 8)]
    mesh = package.Mesh(beside, cells, cell_data={"material": [np.array([4]), np.full(6, 9)]})
    mesh.write(tmp_path / "boxes.vtu")
    how: Any = {"densities": {"material 4": 1000, "material 9": 3000}}
    one, two = measure(mesh, **how), measure(tmp_path / "boxes.vtu", **how)
    assert (one.mass, one.volume, one.area, one.grade) == (two.mass, two.volume, two.area, two.grade)
    assert (one.inertia == two.inertia).all()


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
