"""`massprops check`: its table of the links of a robot."""

from __future__ import annotations

from pathlib import Path

import pytest
from console import run, valid
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


def test_a_link_without_an_inertial_has_the_mass_that_its_format_gives_it(tmp_path: Path) -> None:
    """SDFormat gives a link without an inertial 1 kg and 1 kg m²; URDF gives none, and MuJoCo the mass of its geoms."""
    solid = "<geometry><box><size>0.1 0.2 0.3</size></box></geometry>"
    links = f'<link name="a"><collision name="c">{solid}</collision></link><link name="frame"/>'
    links += f'<link name="f"><visual name="v">{solid}</visual></link>'
    joint = '<joint name="j" type="fixed"><parent>a</parent><child>f</child></joint>'
    (tmp_path / "d.sdf").write_text(f'<sdf version="1.11"><model name="m">{links}{joint}</model></sdf>')
    box = '<geometry><box size="0.1 0.2 0.3"/></geometry>'
    (tmp_path / "d.urdf").write_text(f'<robot name="m"><link name="a"><collision>{box}</collision></link></robot>')
    geom = '<geom type="box" size=".05 .1 .15"/>'
    (tmp_path / "d.xml").write_text(f"<mujoco><worldbody><body name='a'>{geom}</body></worldbody></mujoco>")
    for name, masses in {
        "d.sdf": {"a": 1.0, "frame": 1.0, "f": 1.0},
        "d.urdf": {"a": None},
        "d.xml": {"a": 6.0},
    }.items():
        found = valid(run("check", str(tmp_path / name), "--format", "json").out)["checked"]
        assert {c["place"]: c["numbers"].get("mass") for c in found} == pytest.approx(masses)
        said = {c["place"] for c in found if "default-inertial" in {f["code"] for f in c["findings"]}}
        assert said == (set(masses) if name == "d.sdf" else set())
    table = run("check", str(tmp_path / "d.sdf"), "--no-config").out
    assert next(line.split() for line in table.splitlines() if line.startswith("total")) == ["total", "3", "3", "links"]
    bare = valid(run("check", str(tmp_path / "d.sdf"), "--geometry", "none", "--format", "json").out)["checked"]
    assert {c["numbers"]["mass"] for c in bare} == {1.0}
    assert valid(run("combine", str(tmp_path / "d.sdf"), "--format", "json").out)["mass"] == 3.0
