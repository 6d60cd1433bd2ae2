"""`massprops check`: its table of the links of a robot."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from console import run

#: `arm` is impossible, `hand` is 2.7 kg in a box of 1 litre with its own inertia, `base` states nothing.
ROBOT = """<robot name="r">
<link name="base"><visual><geometry><box size="0.1 0.2 0.3"/></geometry></visual></link>
<link name="arm"><inertial><mass value="1"/>
  <inertia ixx="1" iyy="1" izz="3" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="hand"><inertial><mass value="2.7"/>
  <inertia ixx="0.0045" iyy="0.0045" izz="0.0045" ixy="0" ixz="0" iyz="0"/></inertial>
  <visual><geometry><box size="0.1 0.1 0.1"/></geometry></visual></link>
<joint name="a" type="fixed"><parent link="base"/><child link="arm"/></joint>
<joint name="b" type="fixed"><parent link="arm"/><child link="hand"/></joint>
</robot>
"""


@pytest.fixture
def robot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "r.urdf").write_text(ROBOT)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "r.urdf"


@pytest.mark.usefixtures("robot")
def test_check_has_a_row_for_each_link_and_their_total_mass() -> None:
    lines = run("check", "r.urdf", "--output-units", "kg", "--no-config").out.splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("Link"))
    for word in ("Mass [kg]", "Density [kg/m³]", "Centre [%]", "Inertia [%]", "Verdict", "Line"):
        assert word in lines[head]
    rows = {line.split()[0]: line.split()[1:] for line in lines[head + 1 :] if line.strip()}
    assert rows["base"] == ["–", "–", "–", "–", "warning", "2"]
    assert rows["arm"] == ["1", "–", "–", "–", "failed", "3"]
    # the box of 0.1 m has 0.001 m³, and m a² / 6 = 0.0045 kg m² about every axis
    assert rows["hand"][:2] == ["2.7", "2700"]
    assert rows["hand"][4:] == ["ok", "5"]
    assert float(rows["hand"][3]) < 1e-10
    assert rows["total"] == ["3.7"]


@pytest.mark.usefixtures("robot")
@pytest.mark.parametrize("columns", ["40", "80", "120"])
def test_the_table_fits_and_keeps_its_numbers(columns: str) -> None:
    done = run("check", "r.urdf", "--output-units", "kg", env={"COLUMNS": columns})
    assert max(map(len, done.out.splitlines())) <= int(columns)
    assert re.search(r"\b2700\b", done.out)
    assert "hand" in done.out
    assert "3.7" in done.out


@pytest.mark.usefixtures("robot")
def test_quiet_and_several_files_have_findings_alone() -> None:
    assert "Density" not in run("check", "r.urdf", "--quiet").out
    Path("other.urdf").write_text(ROBOT)
    assert "Density" not in run("check", "r.urdf", "other.urdf").out
