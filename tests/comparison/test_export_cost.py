"""The cost of an export as facets, held to meshes that the CAD kernel made with known deflections.

Module tested: `diff/export_cost`.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from console import run, valid
from numpy.testing import assert_allclose
from step_files import named, needs_kernel, written

from massprops.comparison.comparison import diff


def exported(folder: Path, shape: Any, deflection: float, angle: float) -> tuple[str, str]:
    """A STEP file and an STL mesh of a shape, mm."""
    from OCP.BRepMesh import BRepMesh_IncrementalMesh
    from OCP.BRepTools import BRepTools
    from OCP.StlAPI import StlAPI_Writer

    step, stl = folder / "part.step", folder / "part.stl"
    written(lambda tool, _: named(tool.AddShape(shape, False), "part"), step)
    BRepTools.Clean_s(shape)
    BRepMesh_IncrementalMesh(shape, deflection, False, angle, False)
    writer = StlAPI_Writer()
    writer.ASCIIMode = False
    writer.Write(shape, str(stl))
    return str(step), str(stl)


@needs_kernel
def test_the_deflection_of_an_export_is_estimated(tmp_path: Path) -> None:
    """A torus, whose chords reach the deflection; either file may be the first; without facets or surfaces there is no estimate."""
    from OCP.BRepPrimAPI import BRepPrimAPI_MakeTorus

    for deflection, forward in ((0.5, True), (0.1, False)):
        step, stl = exported(tmp_path, BRepPrimAPI_MakeTorus(30.0, 8.0).Shape(), deflection, 0.9)
        export = diff(*((step, stl) if forward else (stl, step)), units="mm")[0].export
        assert export is not None
        low, high = export.deflection
        assert low < deflection / 1000 < high < 3 * low
    assert diff(stl, stl, units="mm")[0].export is None
    assert diff(step, stl, units="m")[0].export is None, (
        "a mesh of another size was not exported from these surfaces as it stands"
    )


@needs_kernel
def test_chords_of_a_cylinder_are_those_of_its_polygon(tmp_path: Path) -> None:
    """Of n sides of a circle, 2n facets and 2 (n − 2) of the ends, the sagitta is r (1 − cos π/n), and each turns by 2π/n."""
    from OCP.BRepPrimAPI import BRepPrimAPI_MakeCylinder

    step, stl = exported(tmp_path, BRepPrimAPI_MakeCylinder(10.0, 40.0).Shape(), 5.0, 0.3)
    sides = (int.from_bytes(Path(stl).read_bytes()[80:84], "little") + 4) / 4
    sagitta = 10 * (1 - math.cos(math.pi / sides))
    export = valid(run("diff", step, stl, "--units", "mm", "--format", "json").stdout)["diff"]["export"]
    assert_allclose(export["angle"], 360 / sides, rtol=1e-4)
    assert_allclose(export["chord"], sagitta / 1000, rtol=1e-4)
    assert export["deflection"][0] < export["chord"] < export["deflection"][1]
    text = run("diff", step, stl, "--units", "mm").stdout
    assert f"the facets are up to {sagitta:.3g} mm from the exact surfaces" in " ".join(text.decode().split())
