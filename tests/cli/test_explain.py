"""`massprops explain` of links of robots."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from console import run
from places import ROOT
from robots import FAULTY

import massprops
from massprops.cli.explain import explain
from massprops.cli.groups import declarations
from massprops.formats.bodies.cad_text import PROGRAMS


@pytest.mark.usefixtures("faulty_robot")
def test_explain_takes_every_link_that_has_an_error() -> None:
    done = run("explain", "r.urdf")
    assert done.returncode == 1
    assert done.out == run("explain", "r.urdf#arm").out
    assert [line.count('"schema"') for line in run("explain", "r.urdf", "--format", "json").out.splitlines()] == [1]
    Path("good.urdf").write_text(FAULTY.replace('izz="3"', 'izz="1.5"'))
    done = run("explain", "good.urdf")
    said = "no inertial is impossible, and 1 of 2 were compared with geometry: arm has none that can be measured"
    assert (done.returncode, done.out, done.err) == (0, f"good.urdf: {said}\n", "")


@pytest.mark.usefixtures("faulty_robot")
def test_a_link_without_an_inertial_shows_what_its_geometry_gives() -> None:
    done = run("explain", "r.urdf#base")
    assert (done.returncode, done.err) == (0, "")
    assert "no inertial is stated" in done.out
    # 0.1 × 0.2 × 0.3 m
    assert "0.006 m³; at 1000 kg/m³" in done.out
    mass = re.search(r'<mass value="([^"]*)"', done.out)
    assert mass is not None
    assert float(mass[1]) == pytest.approx(6.0, rel=1e-12)
    assert "'massprops fill r.urdf --links base --density DENSITY'" in done.out
    assert run("explain", "r.urdf#base", "--format", "json").returncode == 3


@pytest.mark.usefixtures("faulty_robot")
def test_the_default_of_a_format_is_no_inertial_that_is_stated() -> None:
    """Nobody has written 1 kg and 1 kg m²: they have no mistake, and are not compared with the geometry, as in a check."""
    box = '<visual name="v"><geometry><box><size>.1 .2 .3</size></box></geometry></visual>'
    Path("r.sdf").write_text(
        f'<sdf version="1.11"><model name="m"><link name="a">{box}</link><link name="b"/></model></sdf>'
    )
    done = run("explain", "r.sdf#a")
    assert (done.returncode, done.err) == (0, "")
    assert "no inertial is stated\nwarning default-inertial: r.sdf:1: <inertial> is left out" in done.out
    assert "The visual geometry has 0.006 m³" in done.out
    checked = json.loads(run("check", "r.sdf", "--format", "json").out)["checked"]
    for link, of_check in zip("ab", checked, strict=True):
        found = json.loads(run("explain", f"r.sdf#{link}", "--format", "json").out)
        codes = {f["code"] for f in of_check["findings"]} - {"geometry-without-inertial"}
        assert ({f["code"] for f in found["findings"]}, codes) == ({"default-inertial"},) * 2
        assert (found["explanation"]["verdict"], found["explanation"]["comparison"]) == ("unneeded", None)
        assert massprops.explain(f"r.sdf#{link}").to_dict()["findings"] == found["findings"]
        assert json.loads(run("convert", f"r.sdf#{link}", "--format", "json").out)["findings"] == found["findings"]
    Path("t.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    against = massprops.explain("r.sdf#a", against="t.obj")  # which is a question about what the simulator takes
    assert (against.comparison is None, against.verdict) == (False, "none")
    assert {line.split()[-1] for line in run("combine", "r.sdf").out.splitlines()[1:3]} == {"default"}
    # of all links none is shown: where the collision shape is the one that is compared, too
    Path("c.sdf").write_text(Path("r.sdf").read_text().replace("visual", "collision"))
    assert [run("explain", name).out for name in ("r.sdf", "c.sdf")] == [
        f"{name}: no inertial has an error\n" for name in ("r.sdf", "c.sdf")
    ]


@pytest.mark.usefixtures("faulty_robot")
def test_json_is_written_where_nothing_is_explained() -> None:
    """Empty output is no JSON: a program could not tell a sound file from one that was not read."""
    Path("t.csv").write_text("name,mass [kg],x [m],y [m],z [m]\na,1,0,0,0\nb,2,1,0,0\n")
    sound = run("explain", "t.csv", "--format", "json")
    found = json.loads(sound.out)
    assert (sound.returncode, found["explanation"], found["input"]) == (0, None, {"path": "t.csv"})
    assert f"t.csv: {found['remarks'][0]}\n" == run("explain", "t.csv").out
    against = ("--against", "none.stl")
    for words, code, place in (
        (["none.csv"], "missing-file", "none.csv"),
        (["r.urdf#none"], "no-link", "r.urdf#none"),
        (["t.csv#a", *against], "missing-file", "none.stl"),
        (["--mass", "2", "--inertia", "1 0 0 1 0 1", *against], "missing-file", "none.stl"),
        (["-"], "empty-file", "-"),
    ):
        done = run("explain", *words, "--format", "json", stdin=b"")
        error = json.loads(done.out)["error"]
        assert (done.returncode, error["code"], error["place"]) == (3, code, place)
        assert done.err


@pytest.mark.usefixtures("faulty_robot")
def test_what_the_geometry_gives_is_in_the_dialect_of_the_file() -> None:
    box = '<geom type="box" size="1 2 3"/>'
    Path("my robot.xml").write_text(f'<mujoco><worldbody><body name="a">{box}</body></worldbody></mujoco>')
    done = run("explain", "my robot.xml#a")
    assert 'fullinertia="' in done.out
    assert "massprops fill 'my robot.xml' --links a --density DENSITY" in " ".join(done.out.split())


@pytest.mark.usefixtures("faulty_robot")
def test_an_automatic_inertial_is_explained_combined_and_written() -> None:
    box = "<collision name='c'><geometry><box><size>1 2 3</size></box></geometry></collision>"
    links = (
        f"<link name='a'><inertial auto='true'/>{box}</link><link name='b'><inertial><mass>1</mass></inertial></link>"
    )
    Path("r.sdf").write_text(f"<sdf version='1.11'><model name='m'>{links}</model></sdf>")
    (words,) = re.findall(r"'massprops (fill .*)' writes it", " ".join(run("explain", "r.sdf#a").out.split()))
    assert run(*words.split(), "-o", "filled.sdf").returncode == 0
    for file in ("r.sdf", "filled.sdf"):
        assert run("combine", file, "-f", "json").result["mass"] == pytest.approx(6001)


def test_cad_takes_the_programs_that_are_known() -> None:
    """The command states them once more, since their table is imported for texts alone."""
    (cad,) = (d for d in declarations(explain) if d.name == "cad")
    assert cad.words == ("auto", *PROGRAMS)


def test_a_robot_on_standard_input_is_compared_where_its_meshes_are_found() -> None:
    robots = ROOT / "samples" / "robots"
    text = (robots / "arm.urdf").read_bytes()
    for command in ("explain", "check"):
        here, there = (
            run(command, name, stdin=text if name == "-" else None, cwd=robots) for name in ("-", "arm.urdf")
        )
        assert here.returncode == there.returncode == 1
        assert "products-sign" in here.out
        assert here.out.replace("-:", "arm.urdf:").replace("\n-: ", "\narm.urdf: ") == there.out or command == "check"


def test_what_was_not_compared_is_said(tmp_path: Path) -> None:
    text = (ROOT / "samples" / "robots" / "arm.urdf").read_bytes()
    (tmp_path / "arm.urdf").write_bytes(text)
    for name in ("-", "arm.urdf"):  # the meshes are not there
        answer = run("explain", name, stdin=text if name == "-" else None, cwd=tmp_path)
        checked = run("check", name, stdin=text if name == "-" else None, cwd=tmp_path)
        assert answer.returncode == checked.returncode == 0
        said = " ".join(answer.out.split())
        assert f"{name}: no inertial is impossible, and 0 of 2 were compared with geometry: upper_arm, forearm" in said
        assert "no inertial has an error" not in said


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ("explain open-edges --nearest", "--nearest"),
        ("explain open-edges --package a=.", "--package"),
        ("explain open-edges --allow-outside", "--allow-outside"),
        ("explain open-edges --against part.stl", "--against"),
        ("explain open-edges --against part.stl --units mm", "--against"),
        ("explain open-edges --geometry visual", "--geometry"),
        ("explain open-edges --gltf-up y", "--gltf-up"),
        ("explain open-edges --cad onshape", "--cad"),
        ("explain open-edges --format json", "--format"),
        ("explain open-edges --fail-on warning", "--fail-on"),
        ("check --explain open-edges --density 3", "--density"),
        ("check --explain open-edges --max-mass 3", "--max-mass"),
        ("check --explain open-edges part.stl", "FILE"),
        ("check --list --package a=.", "--package"),
        ("check --list --explain open-edges", "--list"),
    ],
)
def test_options_that_need_a_file_are_refused_where_a_finding_is_explained(
    tmp_path: Path, given: str, named: str
) -> None:
    """They were ignored, as if the answer were that for them."""
    done = run(*given.split(), cwd=tmp_path)
    assert (done.returncode, done.out) == (2, "")
    assert named in done.err


@pytest.mark.parametrize("given", ["explain open-edges -q", "explain open-edges -o page.txt", "check --list -v"])
def test_options_of_display_go_with_a_text(tmp_path: Path, given: str) -> None:
    assert run(*given.split(), cwd=tmp_path).returncode == 0
