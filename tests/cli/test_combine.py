"""`massprops combine` from outside: items, assemblies and robots."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from console import plain_failure, run
from oracles import box, write_binary_stl

from massprops.cli.combine import Item
from massprops.errors import InvalidInput
from massprops.formats.bodies import NamedBody, write
from massprops.rigid_body.mass_properties import MassProperties

u = 2.0**-52
NOTHING = MassProperties(0.0, [0, 0, 0], np.zeros((3, 3)))


def test_poses_belong_to_the_item_before_them(robot: Path) -> None:
    # 1 arm as it is, 2 · 2 tips at two poses: masses 2 and 2, centres (1, 2, 3) and the mean of the poses
    done = run(
        *("combine", f"{robot}#arm", f"2*{robot}#tip", "--at", "1 0 0", "--at=0 1 0", "-f", "json", f"{robot}#arm"),
        *("--at", "0 0 100cm"),
    )
    assert (done.returncode, done.err) == (0, "")
    result = done.result
    parts = [(p["name"], p["count"], p["mass"]) for p in result["parts"]]
    assert parts == [("arm", 1, 2), ("tip", 4, 2), ("arm", 1, 2)]
    assert result["parts"][1]["center_of_mass"] == [0.5, 0.5, 0.25]
    assert result["parts"][2]["center_of_mass"] == [1, 2, 4]
    assert (result["method"], result["mass"]) == ("sum", 6)
    np.testing.assert_allclose(result["center_of_mass"], [2.5 / 3, 4.5 / 3, 7.25 / 3], rtol=8 * u)
    # the tips about their own middle: 4 · I + 2 kg · (½, −½) to either side
    np.testing.assert_allclose(
        result["parts"][1]["inertia"], [[2.5, 0.5, 0], [0.5, 1.5, 0], [0, 0, 2.5]], rtol=0, atol=8 * u
    )


def test_the_table_has_the_parts_and_the_total(robot: Path) -> None:
    done = run("combine", f"{robot}#arm", f"3*{robot}#tip")
    assert re.search(r"^arm +2 +1 +2 +3$", done.out, re.MULTILINE)
    assert re.search(r"^tip +3 × +0\.5 +1\.5 +0 +0 +0\.25$", done.out, re.MULTILINE)
    assert re.search(r"^total +3\.5 ", done.out, re.MULTILINE)
    assert re.search(r"^Mass \[kg\] +3\.5$", done.out, re.MULTILINE)
    narrow = run("combine", f"{robot}#arm", f"3*{robot}#tip", env={"COLUMNS": "40"})
    assert max(map(len, narrow.out.splitlines())) <= 40
    assert re.search(r"^tip\n +3 ×\n +each +0\.5 kg\n +all +1\.5 kg$", narrow.out, re.MULTILINE)


def test_quiet_leaves_findings_alone(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("name,mass [kg],x [m],y [m],z [m]\na,1,0,0,0\nb,3,4,0,0\n", encoding="utf-8")
    done = run("combine", tmp_path / "a.csv", "-q")
    assert done.returncode == 0
    assert done.out.startswith("info degenerate-rank: ")
    assert "Part" in run("combine", tmp_path / "a.csv").out


def test_a_sum_lacks_no_part(robot: Path) -> None:
    # the sum of what could be read would be a plausible wrong number
    done = run("combine", f"{robot}#arm", "none.urdf", f"{robot}#base")
    assert (done.returncode, done.out) == (3, "")
    base = f"{robot}: link 'base' states no inertial; 'massprops fill' makes one from its geometry, if that can be measured"
    assert done.err == f"massprops: none.urdf: no such file\nmassprops: {base}\n"


COMBINE_USAGE = {
    "--at '0 0 0' {r}#arm": "--at '0 0 0' follows no item; write it after the item that it places",
    "1.5*{r}#arm": "1.5*{r}#arm: a count is a whole number, got 1.5; for example 2*bolt.json",
    "0*{r}#arm": "0*{r}#arm: a count of 0 leaves nothing; leave the item out",
    "{r}#arm --at '0 0'": 'pose \'0 0\' has 2 numbers, expected 3 or 6; write "x y z" or "x y z roll pitch yaw"',
    "{r}": "{r}: 3 links have no parent: arm, tip, base; choose one as the root, or alone with #",
    "{r}#arm --joint elbow=1": "--joint is for one robot file, and there are 0; combine them one by one",
    "{r}#arm {r}#tip --lump-fixed": "--lump-fixed takes one robot file, without #LINK; give the file of the whole robot",
    "{r} --lump-fixed --at '1 0 0'": "--lump-fixed leaves each link in its own frame: it takes no count and no --at; leave them out",
    "2*{r} --lump-fixed": "--lump-fixed leaves each link in its own frame: it takes no count and no --at; leave them out",
    "{r} --lump-fixed --link x -f urdf": "--lump-fixed and --link are mutually exclusive; give one of them",
    "{r} --lump-fixed --overlap count": "--lump-fixed and --overlap are mutually exclusive; give one of them",
    "{r} --lump-fixed --principal -f urdf": "--lump-fixed and --principal are mutually exclusive; give one of them",
    "{r} --lump-fixed --for mujoco -f urdf": "--lump-fixed and --for are mutually exclusive; give one of them",
    "{r} --lump-fixed --digits 3 -f urdf": "--digits has no meaning for --lump-fixed with --format urdf; leave it out",
    "{r} --lump-fixed --format sdf": "--lump-fixed has no meaning for --format sdf; "
    "it is for table, json, urdf, csv, markdown, ten-vector",
}


@pytest.mark.parametrize("words", COMBINE_USAGE)
def test_combine_refuses_what_it_cannot_mean(words: str, robot: Path) -> None:
    args = [w.strip("'") for w in re.findall(r"'[^']*'|\S+", words.format(r=robot))]
    plain_failure(run("combine", *args), 2, COMBINE_USAGE[words].format(r=robot))


def test_an_item_is_a_count_a_file_and_poses() -> None:
    assert (Item.parse("12*a*b.json").count, Item.parse("12*a*b.json").source) == (12, "a*b.json")
    assert (Item.parse("a.json").count, len(Item.parse("\0002 0 0\0001 0 0\0a.json").poses)) == (1, 2)
    with pytest.raises(InvalidInput):
        Item.parse("\0x\0a.json")


def test_a_massless_part_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "frame.urdf"
    file.write_text(write([NamedBody("frame", NOTHING)], "urdf")[0])
    plain_failure(
        run("combine", f"{file}#frame"), 2, "frame has a mass of 0.0 kg; a part has a positive mass; leave it out"
    )
    plain_failure(run("combine", file), 3, f"{file}: no link states a mass")


@pytest.mark.parametrize("command", ["convert", "combine"])
def test_doubts_about_a_result_reach_every_output(command: str, robot: Path, tmp_path: Path) -> None:
    # through two commands: a grade that was lost on the way made a guess look like a statement
    result = run("convert", f"{robot}#arm", "-f", "json").result
    file = tmp_path / "arm.json"
    file.write_text(json.dumps({**result, "grade": "unverified"}), encoding="utf-8")
    text = "warning: weak-result: "
    for dialect in ("urdf", "mjcf"):
        done = run(command, file, "-f", dialect)
        assert done.returncode == 0
        assert (text in done.err, text in done.out) == (True, False)
        assert "arm" in done.err
    again = tmp_path / "again.json"
    again.write_text(run(command, file, "-f", "json").out, encoding="utf-8")
    assert text in run(command, again, "-f", "urdf").err
    assert run(command, file, "-f", "urdf", "--fail-on", "warning").returncode == 1


def test_a_sum_without_a_mass_is_refused_in_one_way(tmp_path: Path) -> None:
    file = tmp_path / "holed.toml"
    cube = '[[part]]\nshape = "box"\nx = 1\ny = 1\nz = 1\n'
    file.write_text(f"{cube}mass = 1\n{cube}mass = 1\nhole = true\n")
    message = (
        f"{file}: the parts add up to a mass of 0.0 kg; a body has a positive mass; look at the masses of the holes"
    )
    for dialect in ("urdf", "table"):
        plain_failure(run("combine", file, "-f", dialect), 2, message)
    done = run("combine", file, "-f", "json")
    assert (done.returncode, done.result["error"]["code"]) == (2, "non-positive-mass")


INERTIAL = '<inertial><origin xyz="1 0 0"/><mass value="{}"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'


ROBOT = f"""<robot name="r">
  <link name="base">{INERTIAL.format(2)}</link>
  <link name="arm">{INERTIAL.format(1)}</link>
  <link name="tool">{INERTIAL.format(1)}</link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>
  <joint name="fixed" type="fixed"><parent link="arm"/><child link="tool"/></joint>
</robot>
"""


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    """Three links, one of which a joint turns."""
    path = tmp_path / "robot.urdf"
    path.write_text(ROBOT, encoding="utf-8")
    return path


def test_a_robot_is_the_sum_of_its_links_where_the_joints_place_them(arm: Path) -> None:
    # 2 kg at x = 1; 2 kg at y = 1
    found = json.loads(run("combine", arm, "--joint", "turn=90deg", "--format", "json").out)
    assert (found["mass"], found["joints"]) == (4.0, {"turn": pytest.approx(1.5707963267948966)})
    assert found["center_of_mass"] == pytest.approx([0.5, 0.5, 0], abs=1e-15)
    assert [part["name"] for part in found["parts"]] == ["base", "arm", "tool"]
    piped = run("combine", "-", "--joint", "turn=90deg", "--format", "json", stdin=ROBOT.encode())
    assert json.loads(piped.out)["center_of_mass"] == found["center_of_mass"]


def test_a_robot_carries_another_body(arm: Path) -> None:
    done = run("combine", arm, "--at", "0 0 3", f"{arm}#base", "--joint", "turn=180deg", "--format", "csv")
    # 2 kg at (1,0,3), 2 kg at (-1,0,3), 2 kg at (1,0,0)
    *_, row = done.out.splitlines()
    name, mass, *com = row.split(",")[:5]
    assert (name, float(mass)) == ("combined", 6.0)
    assert list(map(float, com)) == pytest.approx([1 / 3, 0, 2], abs=1e-15)


def test_a_lumped_robot_is_written_whole_and_again(arm: Path, tmp_path: Path) -> None:
    out = tmp_path / "lumped.urdf"
    for _ in range(2):  # the second time it replaces a whole robot
        done = run("combine", arm, "--lump-fixed", "-o", out)
        assert (done.returncode, done.out, done.err) == (0, "", "")
    assert "tool" not in out.read_text(encoding="utf-8")
    one, other = (json.loads(run("combine", p, "--joint", "turn=1", "-f", "json").out) for p in (arm, out))
    assert other["center_of_mass"] == pytest.approx(one["center_of_mass"], rel=1e-14)
    assert json.loads(run("combine", arm, "--lump-fixed", "-f", "json").out.splitlines()[1])["mass"] == 2.0


def test_an_impossible_link_is_named_and_fails(arm: Path) -> None:
    arm.write_text(ROBOT.replace('ixx="1"', 'ixx="9"', 1), encoding="utf-8")
    done = run("combine", arm)
    assert done.returncode == 1
    assert "triangle-inequality: base: principal" in " ".join(done.out.split())
    assert run("combine", arm, "--lump-fixed", "--format", "urdf").returncode == 1


CUBE = """v 0 0 0\nv 10 0 0\nv 0 10 0\nv 0 0 10
f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4
"""


def test_meshes_are_measured_and_placed_in_their_unit(tmp_path: Path) -> None:
    file, table = tmp_path / "a.obj", tmp_path / "t.csv"
    file.write_text(CUBE)
    table.write_text("name,mass [g],x [mm],y [mm],z [mm]\nbolt,2,0,0,0\n")
    done = run("combine", file, "--at", "20 0 0", "--at", "0 2cm 0", table, "-m", "steel", "-u", "mm", "-f", "json")
    one = 7850 * 1e-6 / 6
    assert done.result["mass"] == 2 * one + 0.002
    sums = [one * (0.0025 + 0.02) + one * 0.0025] * 2 + [2 * one * 0.0025]
    np.testing.assert_allclose(done.result["center_of_mass"], np.array(sums) / (2 * one + 0.002), rtol=1e-14)
    again = run("combine", file, file, "-m", "steel", "-u", "mm")
    assert (again.returncode, again.out) == (4, "")
    assert "a and a share " in again.err
    plain_failure(
        run("combine", file),
        2,
        f"{file}: the mesh has no mass, only geometry; give --density or --material",
    )
    plain_failure(
        run("combine", table, "-m", "steel"), 2, "--material is for meshes, and no item is named as one; leave it out"
    )


def test_meshes_are_measured_with_the_settings_of_the_configuration(tmp_path: Path) -> None:
    """Only `compute` knew their units: the sum was read in m, and shown in the units of the configuration."""
    for name in ("a.stl", "b.stl"):
        write_binary_stl(tmp_path / name, box((0, 0, 0), (1, 2, 4)))
    text = 'units = "cm"\ndensity = 1000\noutput-units = "mm,g"\n[files."b.stl"]\nunits = "mm"\ndensity = 2000\n'
    (tmp_path / "massprops.toml").write_text(text, encoding="utf-8")
    words = ("combine", "a.stl", "2*b.stl", "--at", "10 0 0", "--at", "30 0 0")  # in mm, the unit of b.stl
    done = run(*words, "-f", "json", cwd=tmp_path).result
    a, b = 8e-6 * 1000, 8e-9 * 2000
    assert done["mass"] == pytest.approx(a + 4 * b, rel=1e-12)
    x = (a * 0.005 + 4 * b * 0.0205) / (a + 4 * b)  # the mean of 10.5 and 30.5 mm
    assert done["center_of_mass"][0] == pytest.approx(x, rel=1e-12)
    shown = " ".join(run(*words, cwd=tmp_path).out.split())
    assert shown.endswith("From massprops.toml: units by file, density by file, output-units mm,g")
    for more, unit, mass in (((), "g", 8000), (("--no-config",), "kg", 8)):
        title, row = run("combine", "a.stl", "-u", "m", "-d", "1", "-f", "csv", *more, cwd=tmp_path).out.splitlines()
        assert title.split(",")[1] == f"mass [{unit}]"
        assert float(row.split(",")[1]) == pytest.approx(mass, rel=1e-12)
