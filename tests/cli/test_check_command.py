"""`massprops check`: its table of the links of a robot."""

from __future__ import annotations

from pathlib import Path

import pytest
from console import run
from places import ROOT
from robots import FAULTY


@pytest.mark.usefixtures("faulty_robot")
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
    assert rows["total"] == ["3.7", "2", "of", "3", "links"]


@pytest.mark.usefixtures("faulty_robot")
def test_quiet_and_several_files_have_findings_alone() -> None:
    assert "Density" not in run("check", "r.urdf", "--quiet").out
    Path("other.urdf").write_text(FAULTY)
    assert "Density" not in run("check", "r.urdf", "other.urdf").out


@pytest.mark.usefixtures("faulty_robot")
def test_options_of_robots_are_refused_where_no_file_is_one() -> None:
    """An option without effect would be believed; a folder of both, and a file whose name says no kind, may hold a robot."""
    part, text = str(ROOT / "sample_meshes/bracket.stl"), Path("r.urdf").read_text()
    Path("robot").write_text(text)
    mesh = "is for robots and assemblies, and this is a mesh; leave it out"
    for words in (["check"], ["diff", part], ["convert", "-o", "new.ply"], ["sample", "--mass=5%", "-o", "new"]):
        done = run(*words, part, "--package=a=.")
        assert (done.returncode, f"--package {mesh}" in done.err) == (2, True), words
    done = run("check", part, "--geometry=visual")
    assert (done.returncode, "--geometry is for robots, and this is a mesh; leave it out" in done.err) == (2, True)
    for names in (["r.urdf"], ["r.urdf", part], ["robot"], ["."]):
        assert run("check", *names, "--package=a=.", "--geometry=visual").returncode == 1, names
    assert run("check", "none.urdf", "--geometry=visual").returncode == 3
    assert run("check", "-", "--geometry=visual", stdin=text.encode()).returncode == 1
