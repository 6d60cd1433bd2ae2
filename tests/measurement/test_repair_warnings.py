"""Warnings of repaired meshes: each command whose numbers are those of a repaired mesh prints them, of a file and of a link."""

from __future__ import annotations

import os
from pathlib import Path

import damage
import numpy as np
import oracles
import pytest
from console import pasted, run, valid

from massprops import diff, explain, plot
from massprops.cli import main
from massprops.writers.picture import plotting

#: A link that states its inertial, one that states none, and one whose inertial is computed from the mesh.
STATED = '<inertial><mass value="3"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
LINK = '<link name="{}">{}<visual><geometry><mesh filename="open.stl"/></geometry></visual></link>'
COMPUTED = (
    '<sdf version="1.11"><model name="m"><link name="a"><inertial auto="true"/><collision name="c"><geometry><mesh>'
    "<uri>open.stl</uri></mesh></geometry></collision></link></model></sdf>"
)


@pytest.fixture
def robots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Robots whose links have a sphere of which three facets are missing."""
    points, faces = damage.sphere_mesh(3)
    oracles.write_binary_stl(tmp_path / "open.stl", points[faces[3:]])
    oracles.write_binary_stl(tmp_path / "closed.stl", points[faces])
    joint = '<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>'
    robot = f'<robot name="r">{LINK.format("a", STATED)}{LINK.format("b", "")}{joint}</robot>'
    (tmp_path / "r.urdf").write_text(robot)
    (tmp_path / "closed.urdf").write_text(robot.replace("open.stl", "closed.stl"))
    (tmp_path / "m.sdf").write_text(COMPUTED)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("robots")
@pytest.mark.parametrize(
    "command",
    [
        "compute open.stl",
        "check open.stl --repair safe",
        "check m.sdf",
        "explain r.urdf#a",
        "explain r.urdf#a --format json",
        "explain r.urdf#b",
        "explain r.urdf#a --against open.stl",
        "explain m.sdf#a",
        "explain m.sdf#a --format json",
        "explain m.sdf#a --nearest --format urdf",
        "explain m.sdf#a --nearest --format sdf",
        "explain m.sdf#a --nearest --format mjcf",
        "report open.stl -o -",
        "report m.sdf -o -",
        "diff open.stl open.stl",
        "diff open.stl open.stl --format json",
        "diff open.stl open.stl --format markdown",
        "diff m.sdf m.sdf",
        "combine m.sdf",
        "combine m.sdf --format json",
        "convert m.sdf#a --format urdf",
        "fill r.urdf --density 1000 -o filled.urdf",
        "fill m.sdf --links a",
    ],
)
def test_a_repair_is_said_wherever_its_numbers_are_printed(command: str) -> None:
    done = run(*command.split())
    # the sentence of the finding; the ± follows it
    assert "closed 2 loops" in " ".join((done.out + done.err).split())
    whole = run(*command.replace("open", "closed").replace("r.urdf", "closed.urdf").split())
    assert "m.sdf" in command or "loops" not in whole.out + whole.err


@pytest.mark.usefixtures("robots")
def test_python_has_the_warnings_too() -> None:
    (both,) = diff("open.stl", "open.stl")
    assert [f.code for f in both.stayed] == ["filled-holes"]
    assert (both.came, both.went) == ((), ())
    assert "filled-holes" in [f.code for f in explain("m.sdf#a").findings]
    (repaired,) = diff("closed.stl", "open.stl")
    assert ([f.code for f in repaired.came], repaired.stayed) == (["filled-holes"], ())
    said = valid(run("diff", "open.stl", "open.stl", "--format", "json").out)
    assert str(said).count("filled-holes") == 1
    drawn = [[f.code for f in plot(name, size=(300, 225)).findings] for name in ("open.stl", "closed.stl", "m.sdf")]
    assert ["filled-holes" in codes for codes in drawn] == [True, False, True]


@pytest.mark.usefixtures("robots")
def test_the_legend_of_a_picture_has_the_warnings(monkeypatch: pytest.MonkeyPatch) -> None:
    scenes = []
    monkeypatch.setattr(plotting, "draw_file", lambda scene, _: scenes.append(scene) or b"")
    for name in ("open.stl", "m.sdf"):
        plot(name)
    texts = [" ".join(entry.words for entry in scene.legend) for scene in scenes]
    assert ["closed 2 loops" in texts[0], "filled-holes" in texts[1]] == [True, True]


@pytest.mark.usefixtures("robots")
def test_the_lengths_of_a_warning_are_those_of_the_link(capfd: pytest.CaptureFixture[str]) -> None:
    """A cube of 10 with one of 4 inside it, which a link scales from mm."""
    oracles.write_binary_stl(
        Path("open.stl"), np.concatenate([oracles.box((-5,) * 3, (5,) * 3), oracles.box((-2,) * 3, (2,) * 3)])
    )
    urdf = Path("r.urdf").read_text()
    for scale, said in (
        ("0.001 0.001 0.001", "6.4e-8 m³ of 1e-6 m³, near ("),
        ("1 1 2", "open.stl, as it is in the file: a"),
    ):
        Path("r.urdf").write_text(urdf.replace('stl"', f'stl" scale="{scale}"'))
        assert main(["fill", "r.urdf", "--density=1", "-o", "filled.urdf"]) == 0
        assert said in capfd.readouterr().err
    sdf = Path("m.sdf").read_text().replace("</uri>", "</uri><scale>0.001 0.001 0.001</scale>")
    Path("m.sdf").write_text(sdf)
    (nested,) = (f for f in run("combine", "m.sdf", "--format=json").result["findings"] if f["code"] == "nested-bodies")
    assert nested["value"] == pytest.approx(6.4e-8, rel=1e-6)
    assert max(map(abs, nested["where"])) < 0.005


@pytest.mark.usefixtures("robots")
def test_a_computed_inertial_is_not_compared_with_its_geometry() -> None:
    sdf = Path("m.sdf").read_text()
    bare = "<link name='b'><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link>"
    Path("m.sdf").write_text(sdf.replace("</link>", f"</link>{bare}"))
    assert "0 of 1 were compared with geometry: b has none that can be measured" in run("explain", "m.sdf").out


@pytest.mark.usefixtures("robots")
@pytest.mark.parametrize(
    "command", ["explain r.urdf#a", "explain r.urdf#b", "fill r.urdf --density 1000", "check m.sdf"]
)
def test_the_size_of_a_mesh_that_a_link_scales_is_no_warning(command: str) -> None:
    points, faces = damage.sphere_mesh(3)
    oracles.write_binary_stl(Path("open.stl"), 1000 * points[faces])  # a metre, in mm
    Path("r.urdf").write_text(Path("r.urdf").read_text().replace('stl"', 'stl" scale="0.001 0.001 0.001"'))
    scaled = Path("m.sdf").read_text().replace("</uri>", "</uri><scale>0.001 0.001 0.001</scale>")
    Path("m.sdf").write_text(scaled)
    assert "is the file in" in " ".join(run("compute", "open.stl").out.split())
    done = run(*command.split())
    assert done.out
    assert "is the file in" not in " ".join((done.out + done.err).split())


@pytest.mark.skipif(os.name != "posix", reason="needs names that POSIX has")
@pytest.mark.parametrize("name", ["-1", "a b", "it's", "$(a)`b`*", "new\nline", "\x1b[31m'\\", os.fsdecode(b"\xff")])
def test_advice_is_a_command_that_can_be_pasted(name: str, robots: Path) -> None:
    file = (robots / "open.stl").rename(robots / f"{name}.stl").name
    findings = run("check", "--format=json", "--", file).result["checked"][0]["findings"]
    (advice,) = (f["message"].partition(": ")[2] for f in findings if f["code"] == "repairable")
    assert pasted(advice, robots).returncode == 0
    assert (robots / "mended.stl").exists()
    if name == "-1":
        assert "no such option: -1; the file is ./-1.stl" in run("plot", file).err
        advice = run("convert", "--format=urdf", "--", file).err.split("'")[1].removesuffix("…")
        assert "--density" in advice
        assert pasted(f"{advice} 1000", robots).returncode == 0


@pytest.mark.parametrize(
    ("settings", "option"),
    [
        ('units = "in"', " --units in"),
        ('[files."open.stl"]\nunits = "in"\n[files."closed.stl"]\nunits = "mm"', " --units in"),
        ('[files."closed.stl"]\nunits = "in"', ""),
        ('units = "in"\n[files."open.stl"]\nunits = "mm"', " --units mm"),
    ],
)
def test_advice_has_the_unit_of_the_configuration(settings: str, option: str, robots: Path) -> None:
    """`repair` reads no configuration: without the unit, lengths and volumes in what it prints are those of metres."""
    (robots / "massprops.toml").write_text(f"{settings}\n")
    for command, written in (("check", option), ("check --units ft", " --units ft"), ("check --no-config", "")):
        findings = run(*command.split(), "open.stl", "-f", "json").result["checked"][0]["findings"]
        (advice,) = (f["message"].partition(": ")[2] for f in findings if f["code"] == "repairable")
        assert advice == f"massprops repair{written} open.stl -o mended.stl"
    assert pasted(advice, robots).returncode == 0
