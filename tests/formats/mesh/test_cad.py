"""BREP, IGES, FreeCAD documents and shapes in memory have the integrals of their closed forms, as STEP has; or are refused by name."""

from __future__ import annotations

import io
import math
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import raised
from step_files import needs_kernel

from massprops import measure
from massprops.errors import ReadError

pytestmark = needs_kernel
BOX, RADIUS, HEIGHT = (10.0, 20.0, 30.0), 5.0, 7.0
CYLINDER = math.pi * RADIUS**2 * HEIGHT * 1e-9


def box() -> Any:
    from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox

    return BRepPrimAPI_MakeBox(*BOX).Shape()


def cylinder() -> Any:
    from OCP.BRepPrimAPI import BRepPrimAPI_MakeCylinder

    return BRepPrimAPI_MakeCylinder(RADIUS, HEIGHT).Shape()


def moved(shape: Any, x: float) -> Any:
    from OCP.gp import gp_Trsf, gp_Vec
    from OCP.TopLoc import TopLoc_Location

    place = gp_Trsf()
    place.SetTranslation(gp_Vec(x, 0, 0))
    return shape.Moved(TopLoc_Location(place))


def together(*shapes: Any) -> Any:
    from OCP.BRep import BRep_Builder
    from OCP.TopoDS import TopoDS_Compound

    found, builder = TopoDS_Compound(), BRep_Builder()
    builder.MakeCompound(found)
    for shape in shapes:
        builder.Add(found, shape)
    return found


def brep(shape: Any) -> bytes:
    from OCP.BRepTools import BRepTools

    stream = io.BytesIO()
    BRepTools.Write_s(shape, stream)
    return stream.getvalue()


def binary(shape: Any) -> bytes:
    from OCP.BinTools import BinTools

    stream = io.BytesIO()
    BinTools.Write_s(shape, stream)
    return stream.getvalue()


def iges(shape: Any, path: Path, unit: str = "MM", *, solids: bool = True) -> Path:
    from OCP.IGESControl import IGESControl_Writer

    writer = IGESControl_Writer(unit, int(solids))
    writer.AddShape(shape)
    writer.ComputeModel()
    writer.Write(str(path))
    return path


class Wrapped:
    """What shapes of CadQuery and build123d have."""

    def __init__(self, shape: Any) -> None:
        self.wrapped = shape


class Workplane:
    """What a workplane of CadQuery has."""

    __module__ = "cadquery.cq"

    def __init__(self, *shapes: Any) -> None:
        self.objects = list(shapes)

    def vals(self) -> list[Any]:
        return [Wrapped(shape) for shape in self.objects]


def test_shapes_in_memory_have_exact_integrals() -> None:
    """A cylinder of facets would be 1 % smaller; the default unit of metres does not matter, since the kernel's lengths are mm."""
    for source in (cylinder(), Wrapped(cylinder()), Workplane(cylinder())):
        found = measure(source, density=1000)
        assert found.grade == "certified"
        assert found.volume == pytest.approx(CYLINDER, rel=1e-12)
        assert found.center_of_mass == pytest.approx([0, 0, HEIGHT / 2e3], abs=1e-15)
        assert found.inertia[2, 2] == pytest.approx(1000 * CYLINDER * (RADIUS * 1e-3) ** 2 / 2, rel=1e-12)


def test_a_compound_is_the_sum_of_its_solids() -> None:
    for source in (together(box(), moved(cylinder(), 100)), Workplane(box(), moved(cylinder(), 100))):
        found = measure(source)
        assert found.volume == pytest.approx(6e-6 + CYLINDER, rel=1e-12)
        assert found.center_of_mass[0] == pytest.approx((5e-3 * 6e-6 + 0.1 * CYLINDER) / (6e-6 + CYLINDER), rel=1e-12)


def test_a_shape_without_a_solid_is_refused() -> None:
    from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeVertex
    from OCP.gp import gp_Pnt

    error = raised(ReadError, measure, BRepBuilderAPI_MakeVertex(gp_Pnt(0, 0, 0)).Shape())
    assert error.code == "no-solid"


@pytest.mark.parametrize("write", [brep, binary])
def test_brep_in_text_and_binary(tmp_path: Path, write: Any) -> None:
    path = tmp_path / "part.brep"
    path.write_bytes(write(together(box(), moved(cylinder(), 100))))
    found = measure(path)
    assert found.volume == pytest.approx(6e-6 + CYLINDER, rel=1e-12)
    assert (found.input.format, found.input.unit) == ("brep", "mm")
    path.write_bytes(path.read_bytes()[:-300])
    assert raised(ReadError, measure, path).code in ("truncated-file", "bad-step")


@pytest.mark.parametrize("unit", ["MM", "IN", "M"])
def test_iges_is_converted_from_its_unit(tmp_path: Path, unit: str) -> None:
    found = measure(iges(cylinder(), tmp_path / "part.igs", unit))
    assert found.volume == pytest.approx(CYLINDER, rel=1e-9)
    assert not found.findings


def test_surfaces_of_iges_are_sewn_where_they_close(tmp_path: Path) -> None:
    found = measure(iges(cylinder(), tmp_path / "part.iges", solids=False))
    assert found.volume == pytest.approx(CYLINDER, rel=1e-9)
    assert [f.code for f in found.findings if f.severity == "warning"] == ["sewn-surfaces"]
    from OCP.TopAbs import TopAbs_ShapeEnum
    from OCP.TopExp import TopExp_Explorer

    face = TopExp_Explorer(box(), TopAbs_ShapeEnum.TopAbs_FACE).Current()
    error = raised(ReadError, measure, iges(face, tmp_path / "face.iges", solids=False))
    assert (error.code, "surfaces, but no solid" in error.message) == ("no-solid", True)


# FreeCAD

PROPERTY = '<Property name="{}"><{}/></Property>'


def of_object(name: str, **properties: str) -> str:
    inner = "".join(f'<Property name="{key}" type="x">{value}</Property>' for key, value in properties.items())
    return f'<Object name="{name}"><Properties Count="{len(properties)}">{inner}</Properties></Object>'


def document(path: Path, objects: str, views: str = "", **shapes: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("Document.xml", f"<Document SchemaVersion='4'><ObjectData>{objects}</ObjectData></Document>")
        if views:
            archive.writestr("GuiDocument.xml", f"<Document><ViewProviderData>{views}</ViewProviderData></Document>")
        for name, data in shapes.items():
            archive.writestr(f"{name}.brp", data)
    return path


def part(file: str) -> str:
    return f'<Part file="{file}.brp"/>'


LABEL, HIDDEN = '<String value="{}"/>', '<Bool value="false"/>'
#: 100 mm along x, and a quarter turn about z.
PLACED = '<PropertyPlacement Px="100" Py="0" Pz="0" Q0="0" Q1="0" Q2="0.70710678118654752" Q3="0.70710678118654752"/>'


def test_a_document_shows_bodies_in_the_places_of_their_containers(tmp_path: Path) -> None:
    """The container turns x to y: the cylinder, 50 along x in it, stands at (100, 50)."""
    objects = (
        of_object("Container", Group='<LinkList><Link value="Cylinder"/></LinkList>', Placement=PLACED)
        + of_object("Cylinder", Shape=part("b"), Label=LABEL.format("pin"))
        + of_object("Box", Shape=part("a"))
        + of_object("Sketch", Shape="<Part/>")
    )
    found = measure(document(tmp_path / "part.FCStd", objects, a=brep(box()), b=brep(moved(cylinder(), 50))))
    assert found.volume == pytest.approx(6e-6 + CYLINDER, rel=1e-12)
    weights = np.array([6e-6, CYLINDER]) / (6e-6 + CYLINDER)
    expected = weights @ np.array([[5, 10, 15], [100, 50, 3.5]]) * 1e-3
    assert found.center_of_mass == pytest.approx(expected, abs=1e-15)
    listed = measure(tmp_path / "part.FCStd", list_parts=True)
    assert [p.label.name for p in listed.parts] == ["pin", "Box"]


@pytest.mark.parametrize("where", ["view", "object"])
def test_hidden_objects_and_features_of_bodies_are_left_out(tmp_path: Path, where: str) -> None:
    """The body has the shape of its last feature; the tool is hidden, by its view or, in later versions, by the object."""
    of_tool = {"Visibility": HIDDEN} if where == "object" else {}
    objects = (
        of_object("Body", Shape=part("a"), Group='<LinkList><Link value="Pad"/></LinkList>')
        + of_object("Pad", Shape=part("a"))
        + of_object("Tool", Shape=part("b"), Label=LABEL.format("drill"), **of_tool)
    )
    views = f'<ViewProvider name="Tool"><Properties><Property name="Visibility">{HIDDEN}</Property></Properties></ViewProvider>'
    path = document(
        tmp_path / "part.FCStd", objects, views if where == "view" else "", a=brep(box()), b=brep(cylinder())
    )
    found = measure(path)
    assert found.volume == pytest.approx(6e-6, rel=1e-12)
    assert [(f.code, "drill" in f.message) for f in found.findings] == [("hidden-objects", True)]


def test_damaged_documents_are_refused(tmp_path: Path) -> None:
    shown, hidden = of_object("Box", Shape=part("a")), of_object("Box", Shape=part("a"), Visibility=HIDDEN)
    whole = document(tmp_path / "whole.FCStd", shown, a=brep(box()))
    cases = {
        "no-solid": document(tmp_path / "hidden.FCStd", hidden, a=brep(box())),
        "truncated-file": document(tmp_path / "without.FCStd", shown),
        "bad-cad": document(tmp_path / "junk.FCStd", shown, a=b"DBRep_DrawableShape no more\n+1 0"),
        "too-large": document(tmp_path / "bomb.FCStd", shown, a=b" " * (1 << 27)),
    }
    for code, path in cases.items():
        assert raised(ReadError, measure, path).code == code
    (tmp_path / "cut.FCStd").write_bytes(whole.read_bytes()[:-30])
    assert raised(ReadError, measure, tmp_path / "cut.FCStd").code == "truncated-file"


def test_the_kernel_is_not_imported_for_other_objects() -> None:
    code = (
        "import sys, numpy as np, massprops; massprops.measure(np.eye(4)[:, :3], repair='none') if 0 else None;"
        "from massprops.formats.mesh.arrays import from_object;"
        "from_object((np.eye(3), np.array([[0, 1, 2]]))); print('OCP' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
