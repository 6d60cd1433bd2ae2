"""Parts of a STEP assembly in other files: read beside it and placed, or refused by name; never missing without a word.

Modules tested: `formats/mesh/step_references`.
"""

from __future__ import annotations

import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import each, raised, refused
from step_files import named, needs_kernel, written

from massprops import measure
from massprops.errors import ReadError
from massprops.formats.mesh.step_references import external_parts, unattached_files
from massprops.formats.mesh.step_text import statements

#: A part as the PDM usage guide writes it, with spaces between the words as SolidWorks does.
PART = """#1 = PRODUCT ( 'p', 'pin', '', (#9) ); #2=PRODUCT_DEFINITION_FORMATION('','',#1); #3 = {definition};
#9=X(); #10=DOCUMENT_FILE('{file}','',$,#11,'',$); #11=DOCUMENT_TYPE('geometry'); {more}"""
DEFINITION = "PRODUCT_DEFINITION ( 'd', '', #2, #9 )"
MANAGED = """#12=DOCUMENT('','',$,#11); #13=PRODUCT('20','doc','',(#9)); #14=PRODUCT_DEFINITION_FORMATION('1','',#13);
#15=DOCUMENT_PRODUCT_EQUIVALENCE('',$,#12,#14); #16=PRODUCT_DEFINITION_WITH_ASSOCIATED_DOCUMENTS('','',#14,#9,(#10));
#17=APPLIED_DOCUMENT_REFERENCE(#12,'',(#3));"""
ASSIGNED = """#18=APPLIED_EXTERNAL_IDENTIFICATION_ASSIGNMENT('b.stp',#9,#19,(#10)); #19=EXTERNAL_SOURCE(IDENTIFIER('parts'));
#17=APPLIED_DOCUMENT_REFERENCE(#10,'',(#2));"""
WITH_DOCUMENTS = "PRODUCT_DEFINITION_WITH_ASSOCIATED_DOCUMENTS('d','',#2,#9,(#10))"


@each("definition, more, names", [
    (DEFINITION, "#17=APPLIED_DOCUMENT_REFERENCE(#10,'',(#3));", ["a.stp"]),
    (DEFINITION, MANAGED, ["a.stp"]),
    (DEFINITION, ASSIGNED, ["b.stp", "parts/b.stp", "a.stp"]),
    (WITH_DOCUMENTS, "", ["a.stp"]),
])  # fmt: skip
def test_the_file_of_a_part_is_found_in_each_form(definition: str, more: str, names: list[str]) -> None:
    """Directly, by a managed document, with an assigned name and folder, and in the definition itself."""
    data = PART.format(definition=definition, file="a.stp", more=more).encode()
    assert external_parts(statements(data)) == {1: names}
    assert unattached_files(data) == []


def test_a_file_of_no_part_is_told_apart() -> None:
    data = PART.format(definition=DEFINITION, file="a.stp", more="").encode()
    assert external_parts(statements(data)) == {}
    assert unattached_files(data) == ["a.stp"]


PIN, BLOCK = math.pi * 9 * 30, 40 * 20 * 10


@pytest.fixture(scope="module")
def rack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two pins, one of them turned, and a block, each in a file of its own."""

    def shapes(tool: Any, _document: Any) -> None:
        from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox, BRepPrimAPI_MakeCylinder
        from OCP.gp import gp_Ax1, gp_Dir, gp_Pnt, gp_Trsf, gp_Vec
        from OCP.TopLoc import TopLoc_Location

        pin = named(tool.AddShape(BRepPrimAPI_MakeCylinder(3.0, 30.0).Shape(), False), "pin")
        block = named(tool.AddShape(BRepPrimAPI_MakeBox(40.0, 20.0, 10.0).Shape(), False), "block")
        top, turn, shift = named(tool.NewShape(), "rack"), gp_Trsf(), gp_Trsf()
        turn.SetRotation(gp_Ax1(gp_Pnt(0, 0, 0), gp_Dir(1, 0, 0)), math.pi / 2)
        shift.SetTranslation(gp_Vec(100, 0, 0))
        for part, place in ((pin, gp_Trsf()), (pin, shift.Multiplied(turn)), (block, shift)):
            tool.AddComponent(top, part, TopLoc_Location(place))
        tool.UpdateAssemblies()

    folder = tmp_path_factory.mktemp("rack")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)  # the writer puts the parts into the working directory
        return folder / written(shapes, Path("rack.stp"), prefix="r_")


@pytest.fixture
def copy(rack: Path, tmp_path: Path) -> Path:
    """A copy that a test may change."""
    return Path(shutil.copytree(rack.parent, tmp_path / "copy")) / rack.name


def edit(path: Path, *changes: tuple[str, str]) -> None:
    """Replace texts of a file, each of which has to be there."""
    text = path.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")


@needs_kernel
@pytest.mark.usefixtures("in_this_process")
def test_parts_in_other_files_are_placed_by_the_assembly(copy: Path) -> None:
    """Under the names of the assembly, in the unit of each file, and under names of another system's folders."""
    edit(copy, ("'r_pin.stp'", "'C:\\\\cad\\\\r_pin.stp'"), ("'block'", "'bl\\X2\\00F6\\X0\\ck'"))
    pin = copy.parent / "r_pin.stp"
    edit(pin, ("SI_UNIT(.MILLI.,.METRE.)", "SI_UNIT(.CENTI.,.METRE.)"))
    m = measure(copy, densities={"pin": 2000}, density=1000)
    assert [str(p.label) for p in m.parts] == ["rack/pin", "rack/pin", "rack/blöck"]
    assert m.volume == pytest.approx((2000 * PIN + BLOCK) * 1e-9, rel=1e-12)
    # the turn takes (0, 0, z) to (0, −z, 0); the pin is ten times as large
    masses = np.array([2000 * PIN, 2000 * PIN, BLOCK])
    centres = np.array([[0, 0, 0.15], [0.1, -0.15, 0], [0.12, 0.01, 0.005]])
    assert m.center_of_mass == pytest.approx(masses @ centres / masses.sum(), abs=1e-12)
    assert not m.findings


@needs_kernel
@pytest.mark.usefixtures("in_this_process")
def test_parts_that_cannot_be_read_are_refused_by_name(copy: Path) -> None:
    """Missing, outside the folder, damaged, no STEP file, or in a circle: each would be a smaller total."""
    pin, block = (copy.parent / name for name in ("r_pin.stp", "r_block.stp"))
    outside = copy.parent.parent / "out.stp"
    shutil.move(block, outside)
    error = raised(ReadError, measure, copy)
    assert error.code == "missing-file"
    assert "1 file with parts of it cannot be read (r_block.stp): r_block.stp: no such file; copy it to" in str(error)
    edit(copy, ("'r_block.stp'", "'../out.stp'"))
    error = raised(ReadError, measure, copy)
    assert error.code == "outside-file"
    assert "'../out.stp', which is outside the folder of the mesh and is not read" in str(error)
    assert len(str(error)) < 200 + len(str(copy)) + 60
    assert measure(copy, allow_outside=True).volume == pytest.approx((2 * PIN + BLOCK) * 1e-9, rel=1e-12)
    edit(copy, ("'../out.stp'", f"'{outside}'"))
    assert raised(ReadError, measure, copy).code == "outside-file"
    edit(copy, (f"'{outside}'", "'r_block.stp'"))
    for text, words in ((outside.read_text()[:-30], "looks truncated"), ("solid a", "is not a STEP file")):
        block.write_text(text)
        assert words in refused(ReadError, measure, copy)
    shutil.copy(copy, block)
    assert "refer to each other in a circle" in refused(ReadError, measure, copy)
    for path in (pin, block):
        path.unlink()
    assert "2 files with parts of it cannot be read (r_pin.stp, r_block.stp)" in refused(ReadError, measure, copy)


@needs_kernel
@pytest.mark.usefixtures("in_this_process")
def test_a_part_without_a_shape_and_without_a_file_is_a_finding(copy: Path) -> None:
    """An assembly within the assembly is a file with its own references; a part of it that refers to none has no shape anywhere."""
    text = copy.read_text(encoding="utf-8")
    edit(
        copy, ("ITEM_DEFINED_TRANSFORMATION", "REPRESENTATION_CONTEXT")
    )  # of damaged placements the kernel loses the shapes
    assert "files with parts of it cannot be read (r_pin.stp" in refused(ReadError, measure, copy)
    copy.write_text(text, encoding="utf-8")
    shutil.copy(copy.parent / "r_pin.stp", copy.parent / "inner.stp")
    inner = copy.parent / "r_block.stp"
    shutil.copy(copy, inner)
    edit(inner, ("'r_pin.stp'", "'inner.stp'"), ("APPLIED_DOCUMENT_REFERENCE(#88", "NOTHING(#88"))
    assert "1 file with parts of it cannot be read (r_block.stp)" in refused(ReadError, measure, copy)
    edit(inner, ("DOCUMENT_FILE('r_block.stp'", "NOTHING('r_block.stp'"))
    m = measure(copy, on_overlap="count")
    assert m.volume == pytest.approx(4 * PIN * 1e-9, rel=1e-12)
    assert [(f.code, f.message) for f in m.findings if f.code.startswith("skipped")] == [
        ("skipped-elements", "1 part (block) has no shape in the file: not measured")
    ]
