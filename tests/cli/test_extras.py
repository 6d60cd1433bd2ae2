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

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
OPEN, OVERLAPPING = ROOT / "sample_meshes/open_bracket.stl", ROOT / "sample_meshes/overlapping_boxes.stl"
ROBOT = """<robot name="r"><link name="a"><collision><geometry><box size="2 3 4"/></geometry></collision>
<collision><origin xyz="1 1 1"/><geometry><box size="2 3 4"/></geometry></collision></link></robot>"""
#: Of each extra: the package, a command that needs it, and what is said.
EXTRAS = {
    "hull": ("scipy", f"compute {OPEN} --on-open hull", "the convex hull needs scipy"),
    "repair": ("scipy", f"compute {OPEN} --repair full --units mm", ""),  # a wider bound
    "union": ("manifold3d", f"compute {OVERLAPPING} --units mm --on-overlap union", "an estimate by lines; an exact union needs"),
    "usd": ("pxr", "convert a.usda", "reading USD needs usd-core"),
    "dxf": ("ezdxf", f"compute {ROOT}/samples/sections/angle.dxf", "angle.dxf: reading DXF needs ezdxf"),
    "planar": ("shapely", f"compute {ROOT}/samples/sections/figure_eight.csv --units mm --rings nonzero", "rings that cross needs shapely"),
    "torsion": ("sectionproperties", f"compute {ROOT}/samples/sections/angle.svg --torsion", "torsion needs the finite elements of"),
    "table": ("pyarrow", f"compute {OPEN} --output-table t.parquet", "Parquet needs pyarrow"),
    "cluster": ("distributed", f"compute {OPEN} --output-table t.csv --cluster tcp://127.0.0.1:1", "--cluster needs distributed"),
    "step": ("OCP", "compute a.step", "reading STEP needs cadquery-ocp-novtk, a CAD kernel of 380 MB"),
    "union ": ("manifold3d", "fill a.urdf --density 1", ""),  # the estimate, with its bound
}  # fmt: skip
#: What to do without an extra.
OTHERWISE = {
    "table": ", or write .csv or .jsonl",
    "cluster": ", or leave out --cluster",
    "dxf": ", or export the drawing as SVG",
}
#: What an import can raise: of a missing package; of two kernels in one process, of versions that do not match, of a file that is damaged.
FAILURES = {
    "raise ModuleNotFoundError('', name='{0}')": "{0} is not installed; ",
    "raise RuntimeError('two kernels')": "it is damaged: its import fails with RuntimeError('two kernels'); ",
    "import sys\nsys.nothing": "it is damaged: its import fails with AttributeError(",
    "open('/')": "it is damaged: its import fails with ",  # an OSError
    "from sys import nothing": "it is damaged: its import fails with ImportError(",
}


def test_every_extra_is_in_the_table() -> None:
    assert {e.strip() for e in EXTRAS} == {e for e, packages in PYPROJECT["project"]["optional-dependencies"].items() if packages} - {
        *("all", "test", "readers", "docs", "dev")
    }  # fmt: skip


@pytest.mark.parametrize("extra", EXTRAS)
def test_an_extra_that_fails_is_named(
    extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    package, command, what = EXTRAS[extra]
    extra = extra.strip()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.step").write_text("ISO-10303-21;\nDATA;\nENDSEC;\nEND-ISO-10303-21;\n")
    (tmp_path / "a.usda").write_text("#usda 1.0\n")
    (tmp_path / "a.urdf").write_text(ROBOT)
    monkeypatch.syspath_prepend(tmp_path)
    for name in [n for n in sys.modules if n.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    for code, why in FAILURES.items():
        (tmp_path / f"{package}.py").write_text(code.format(package))
        status = main(command.split())
        said = " ".join("".join(capsys.readouterr()).split())
        assert "Traceback" not in said
        assert status == (0 if extra in ("union", "repair") else 2), said
        if what:
            assert what in said
            assert why.format(package) in said
            damaged = " in a new environment" * ("damaged" in why)
            assert f"; pip install 'massprops[{extra}]'{damaged}{OTHERWISE.get(extra, '')}" in said
        sys.modules.pop(package, None)


def test_all_of_the_kernel_is_imported_at_once() -> None:
    sources = (
        Path(step_kernel.__file__).with_name(name).read_text() for name in ("step_kernel.py", "step_integrals.py")
    )
    assert {name for text in sources for name in re.findall(r"from OCP\.(\w+) import", text)} == set(
        step_kernel._MODULES
    )
