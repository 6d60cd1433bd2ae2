"""Packages of extras that are missing, damaged or mixed with others: a message that names the extra, never a defect."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest
from places import ROOT

from massprops.cli import main
from massprops.formats.mesh import step_kernel

SECTIONS, OPEN = ROOT / "samples/sections", ROOT / "sample_meshes/open_bracket.stl"
ROBOT = """<robot name="r"><link name="a"><collision><geometry><box size="2 3 4"/></geometry></collision>
<collision><origin xyz="1 1 1"/><geometry><box size="2 3 4"/></geometry></collision></link></robot>"""
STEP = "ISO-10303-21;\nDATA;\nENDSEC;\nEND-ISO-10303-21;\n"
#: Of each extra: a package, a command that needs it, what is said, and what to do without it.
EXTRAS = {
    "hull": ("scipy", f"compute {OPEN} --on-open hull", "the convex hull needs scipy", ""),
    "usd": ("pxr", "convert a.usda", "reading USD needs usd-core", ""),
    "dxf": ("ezdxf", f"compute {SECTIONS}/angle.dxf", "angle.dxf: reading DXF needs ezdxf", ", or export the drawing as SVG"),
    "planar": ("shapely", f"compute {SECTIONS}/figure_eight.csv -u mm --rings nonzero", "resolving rings that cross needs shapely", ""),
    "torsion": ("sectionproperties", f"compute {SECTIONS}/angle.svg --torsion", "needs the finite elements of sectionproperties", ""),
    "table": ("pyarrow", "compute a.stl --output-table t.parquet", "Parquet needs pyarrow", ", or write .csv or .jsonl"),
    "cluster": ("distributed", "compute a.stl --output-table t.csv --cluster a", "--cluster needs distributed", ", or leave out --cluster"),
    "excel": ("openpyxl", "combine a.xlsx", "a.xlsx: reading workbooks needs openpyxl", ", or save the sheet as CSV"),
    "mcp": ("mcp", "mcp", "the server needs the package mcp", ""),
    "step": ("OCP", "compute a.step", "exact surfaces need cadquery-ocp-novtk, a CAD kernel of 380 MB", ""),
}  # fmt: skip
#: The same of those without which there is an estimate or a wider bound.
ESTIMATED = {
    "union": ("manifold3d", f"compute {OPEN.parent}/overlapping_boxes.stl -u mm --on-overlap union", "an exact union needs manifold3d", ""),
    "fill": ("manifold3d", "fill a.urdf --density 1", None, ""),
    "repair": ("scipy", f"compute {OPEN} --repair full -u mm", None, ""),
}  # fmt: skip
#: What an import can raise: of a missing package, also where it warns first; of two kernels in one process,
#: of versions that do not match, of a file that is damaged.
FAILURES = {
    "raise ModuleNotFoundError('', name='{0}')": ": {0} is not installed",
    "import warnings\nwarnings.warn('old')\nraise ModuleNotFoundError('', name='{0}')": ": {0} is not installed",  # warnings are no damage
    "raise RuntimeError('two kernels')": ": it is damaged: its import fails with RuntimeError('two kernels')",
    "import sys\nsys.nothing": ": it is damaged: its import fails with AttributeError(",
    "open('/')": ": it is damaged: its import fails with ",  # an OSError
    "from sys import nothing": ": it is damaged: its import fails with ImportError(",
}


def test_every_extra_is_in_the_table() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    others = {"all", "test", "readers", "engines", "objects", "cadquery", "docs", "dev", "dae", "fe", "meshes"}
    assert {*EXTRAS, *ESTIMATED, *others} == {*extras, "fill"}


@pytest.mark.parametrize("extra", [*EXTRAS, *ESTIMATED])
@pytest.mark.usefixtures("damaged")
def test_an_extra_that_fails_is_named(
    extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    package, command, what, otherwise = {**EXTRAS, **ESTIMATED}[extra]
    monkeypatch.chdir(tmp_path)
    for name, text in {"a.step": STEP, "a.usda": "#usda 1.0\n", "a.urdf": ROBOT, "a.xlsx": "PK"}.items():
        (tmp_path / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    for name in [n for n in sys.modules if n.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    for code, why in FAILURES.items():
        (tmp_path / f"{package}.py").write_text(code.format(package))
        assert main(command.split()) == (2 if extra in EXTRAS else 0)
        said = " ".join("".join(capsys.readouterr()).split())
        hint = f"; pip install 'massprops[{extra}]'{' in a new environment' * ('damaged' in why)}{otherwise}"
        assert what is None or (f"{what}{why.format(package)}" in said and hint in said), said
        sys.modules.pop(package, None)


def test_all_of_the_kernel_is_imported_at_once() -> None:
    home = Path(step_kernel.__file__).parent
    used = re.findall(r"\bocp\.(\w+)\.", "".join(f.read_text() for f in home.glob("step_*.py")))
    assert {*used} == {*step_kernel._MODULES.split()}
