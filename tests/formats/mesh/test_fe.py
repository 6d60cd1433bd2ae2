"""Files of finite elements that meshlane reads: its own writers make them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import raised
from console import run
from test_fe_cells import TETS, grid

from massprops import measure
from massprops.errors import MissingExtra, ReadError
from massprops.formats.mesh import fe, fe_meshlane
from massprops.formats.registry import open_mesh
from massprops.formats.table import MESHES


@pytest.fixture
def meshlane() -> Any:
    return pytest.importorskip("meshlane")


def boxes(meshlane: Any, **data: Any) -> Any:
    """A box of 2 × 3 × 5 of hexahedra, and beside it one of tetrahedra."""
    points, cells = grid(2)
    tets = np.concatenate([cells[:, t] for t in TETS]) + len(points)
    both = np.concatenate([points, points + np.array([2, 0, 0])])
    return meshlane.Mesh(both, [("hexahedron", cells), ("tetra", tets)], **data)


@pytest.mark.parametrize("suffix", ["vtu", "vtk", "msh", "xdmf", "exo", "med", "cdb", "f3grid"])
def test_each_format_has_the_cells_of_the_file(meshlane: Any, tmp_path: Path, suffix: str) -> None:
    """Two boxes with warped faces between their cells; where they touch, one has quadrilaterals and the other triangles."""
    if suffix in ("exo", "med"):
        pytest.importorskip({"exo": "netCDF4", "med": "h5py"}[suffix])
    path = tmp_path / f"boxes.{suffix}"
    meshlane.write(path, boxes(meshlane), file_format="gmsh22" if suffix == "msh" else None)
    found = measure(path, units="mm")
    assert found.volume == pytest.approx(60e-9, rel=1e-12)
    assert found.center_of_mass == pytest.approx([2e-3, 1.5e-3, 2.5e-3], rel=1e-12)
    assert found.input.format == suffix
    assert "read-by-other" in [f.code for f in found.findings]


@pytest.mark.parametrize(
    "kind", ["hexahedron20", "tetra10", "wedge15", "pyramid13", "hexahedron27", "wedge", "pyramid"]
)
@pytest.mark.parametrize("suffix", ["vtu", "msh"])
def test_the_order_of_nodes_is_that_of_the_format(meshlane: Any, tmp_path: Path, kind: str, suffix: str) -> None:
    """A sheared cell with straight sides: any other order of its nodes bends them, or turns the cell."""
    from massprops.formats.mesh import fe_cells

    k = fe_cells.KINDS[kind]
    corners = np.array(fe_cells._CORNERS[k.shape], float)
    nodes = np.concatenate([corners, *(corners[list(m)].mean(axis=0, keepdims=True) for m in k._middles)])
    map_ = np.array([[5, 1, 0], [-1, 4, 2], [0, 1, 3]], float)
    path = tmp_path / f"cell.{suffix}"
    mesh = meshlane.Mesh(nodes @ map_.T, [(kind, np.arange(k.size)[np.newaxis])])
    meshlane.write(path, mesh, file_format="gmsh" if suffix == "msh" else None)
    found = measure(path)
    size = {"tetra": 1 / 6, "wedge": 1 / 2, "pyramid": 4 / 3, "hexahedron": 8}[k.shape]
    assert (found.volume, found.grade) == (pytest.approx(size * np.linalg.det(map_), rel=1e-12), "proved")


def test_sets_and_regions_are_parts(meshlane: Any, tmp_path: Path) -> None:
    """Whole numbers in the data of the cells, under a name that means regions."""
    path = tmp_path / "boxes.vtu"
    meshlane.write(
        path,
        boxes(meshlane, cell_data={"material": [np.full(8, 4), np.full(48, 9)], "stress": [np.ones(8), np.ones(48)]}),
    )
    found = measure(path, densities={"material 4": 1000, "material 9": 3000})
    assert [(p.label.name, p.measurement.volume) for p in found.parts] == [
        ("material 4", pytest.approx(30)),
        ("material 9", pytest.approx(30)),
    ]
    assert found.mass == pytest.approx(120e3)
    assert found.center_of_mass[0] == pytest.approx((1 + 3 * 3) / 4)
    sets = fe_meshlane._by_sets({"a": [[0, 1], None], "b": [[1], [0]]}, [3, 1])
    assert sets is not None
    names, groups = sets
    assert [[names[i] for i in own] for own in groups] == [["a", "a + b", "no set"], ["b"]]


def test_surface_cells_are_marks_or_unmeasured_shells(meshlane: Any, tmp_path: Path) -> None:
    """Those on faces of solid cells, as meshers write them, bear nothing; others do, and so do lines between nodes of their own."""
    points, cells = grid(1)
    skin, fin = [cells[0, [0, 1, 2, 3]]], [cells[0, [0, 1, 6, 7]]]
    more = np.concatenate([points, [[9, 9, 9], [9, 9, 8]]])
    for name, extra, codes in (
        ("skin", ("quad", skin), {"skipped-elements"}),
        ("fin", ("quad", fin), {"unmeasured-structure"}),
        ("side", ("line", [cells[0, :2]]), set()),
        ("beam", ("line", [[8, 9]]), {"unmeasured-structure"}),
    ):
        path = tmp_path / f"{name}.vtu"
        meshlane.write(path, meshlane.Mesh(more, [("hexahedron", cells), (extra[0], np.array(extra[1]))]))
        found = measure(path)
        assert found.volume == pytest.approx(30)
        assert {f.code for f in found.findings} - {"read-by-other"} == codes
    done = run("compute", path)
    assert done.returncode == 1
    assert "1 line between nodes of no other cell" in " ".join(done.out.split())


def test_a_surface_alone_is_measured_as_any_mesh(meshlane: Any, tmp_path: Path) -> None:
    points, cells = grid(1)
    faces = [(0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]
    meshlane.write(tmp_path / "box.vtu", meshlane.Mesh(points, [("quad", cells[0][np.array(faces)])]))
    found = measure(tmp_path / "box.vtu")
    assert (found.volume, found.grade) == (pytest.approx(30), "proved")


def test_commands_take_such_files(meshlane: Any, tmp_path: Path) -> None:
    path = tmp_path / "boxes.vtu"
    meshlane.write(path, boxes(meshlane))
    for words in (
        ["check", path],
        ["plot", path, "-o", tmp_path / "a.svg"],
        ["report", path, "-o", tmp_path / "a.html"],
    ):
        assert run(*words, "--units", "mm").returncode == 0
    done = run("repair", path, "-o", tmp_path / "outer.stl")
    assert done.returncode == 0
    assert measure(tmp_path / "outer.stl").volume == pytest.approx(60)
    assert "15 equal" in run("diff", path, tmp_path / "outer.stl").out


@pytest.mark.usefixtures("damaged")
def test_what_cannot_be_read_is_refused_by_name(meshlane: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bad = tmp_path / "bad.msh"
    bad.write_text("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 1")
    error = raised(ReadError, measure, bad)
    assert (error.code, error.exit_code) == ("broken-reader", 3)
    assert f"meshlane {meshlane.__version__} cannot read it" in error.text
    (tmp_path / "p.vtk").write_text("# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 0 float\n")
    error = raised(ReadError, measure, tmp_path / "p.vtk")
    assert (error.code, "POLYDATA are not read; save it as" in str(error)) == ("unknown-format", True)
    titled = "# vtk DataFile Version 3.0\nDATASET POLYDATA of a box\nASCII\nDATASET UNSTRUCTURED_GRID\n"
    titled += "POINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n"
    (tmp_path / "t.vtk").write_text(titled)
    assert measure(tmp_path / "t.vtk").volume == pytest.approx(1 / 6)  # a title is no kind
    (tmp_path / "x.vtk").write_text("solid a\nfacet normal 0 0 1\n")
    assert raised(ReadError, measure, tmp_path / "x.vtk").code == "wrong-format"
    (tmp_path / "out.xdmf").write_text("<Xdmf><DataItem>../other.h5:/x</DataItem></Xdmf>")
    assert "'../other.h5', which is not beside it or below" in raised(ReadError, measure, tmp_path / "out.xdmf").text
    monkeypatch.setattr(fe, "run_in_subprocess", lambda *_: fe_meshlane.main(json.dumps(["x", "gmsh"])))
    monkeypatch.setitem(__import__("sys").modules, "meshlane", None)
    error = raised(MissingExtra, measure, bad)
    assert "bad.msh: meshlane reads" in error.text
    assert "massprops[fe]" in str(error.hint)


def test_the_table_and_the_docs_know_the_suffixes() -> None:
    assert {".vtu", ".vtk", ".msh", ".xdmf", ".exo", ".med", ".inp", ".bdf", ".nas"} <= set(MESHES)
    with open_mesh(Path(__file__).parents[3] / "sample_meshes" / "bracket.stl") as mesh:
        assert mesh.masses is None
