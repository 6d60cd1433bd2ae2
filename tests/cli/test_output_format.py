"""Output files and rows: nothing is lost, the format follows the suffix, and a robot is never replaced by a fragment of it."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path

import pytest
from console import VERTICES, VOLUME, plain_failure, run

ROBOT = """<robot name="r"><link name="arm"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="tip"/><joint name="j" type="fixed"><parent link="arm"/><child link="tip"/></joint></robot>"""
#: The tip is another arm.
TWO_ARMS = ROBOT.replace(
    '<link name="tip"/>', ROBOT[ROBOT.index("<link") : ROBOT.index('<link name="tip"')].replace("arm", "tip")
)
WHOLE = {
    "robot.urdf": ROBOT,
    "world.sdf": '<sdf version="1.7"><world name="w"><model name="m"><link name="l"/></model></world></sdf>',
    "robot.xml": '<mujoco><worldbody><body name="b"><geom size="1"/></body></worldbody></mujoco>',
    "robot.usda": '#usda 1.0\ndef Xform "r"\n{\n    def PhysicsFixedJoint "j"\n    {\n    }\n}\n',
}


@pytest.mark.parametrize("name", WHOLE)
def test_a_robot_is_never_replaced_by_a_fragment(name: str, part: Path, tmp_path: Path) -> None:
    robot = tmp_path / name
    robot.write_text(WHOLE[name])
    for command in (["compute", part, "--mass", "1"], ["shape", "sphere", "--radius", "1", "--mass", "1"]):
        done = run(*command, "-o", robot)
        assert (done.returncode, done.out) == (2, "")
        assert "holds a whole robot, world or assembly" in done.err
        assert "'massprops fill' puts inertials into a robot file" in done.err
    assert robot.read_text() == WHOLE[name]


def test_bodies_are_not_replaced_by_fewer(tmp_path: Path) -> None:
    (tmp_path / "robot.urdf").write_text(TWO_ARMS)
    both = tmp_path / "both.urdf"
    assert run("convert", tmp_path / "robot.urdf", "-o", both).returncode == 0
    assert run("convert", tmp_path / "robot.urdf", "-o", both).returncode == 0  # as many replace them
    before = both.read_text()
    done = run("convert", f"{tmp_path / 'robot.urdf'}#arm", "-o", both)
    assert (done.returncode, both.read_text()) == (2, before)
    assert "holds 2 bodies, and 1 would replace it" in done.err


def test_the_robot_of_one_link_is_not_replaced_by_its_inertial(part: Path, tmp_path: Path) -> None:
    robot = tmp_path / "robot.urdf"
    for inertial in ("", "<inertial/>"):
        robot.write_text(f'<robot name="r"><link name="a">{inertial}</link></robot>')
        before = robot.read_text()
        done = run("compute", part, "--mass", "1", "-f", "urdf", "-o", robot)
        assert (done.returncode, robot.read_text()) == (2, before)
        assert "'massprops fill' puts inertials into a robot file" in done.err


def test_the_suffix_says_the_format(part: Path, tmp_path: Path) -> None:
    for suffix, start in (("urdf", "<inertial>"), ("json", "{"), ("csv", "name,"), ("md", "| name")):
        target = tmp_path / f"out.{suffix}"
        assert run("compute", part, "--mass", "1", "-o", target).returncode == 0
        assert target.read_text().startswith(start)
    plain_failure(
        run("compute", part, "--mass", "1", "-f", "json", "-o", tmp_path / "x.urdf"),
        2,
        f"{tmp_path / 'x.urdf'}: .urdf files hold urdf, not json; leave --format out, or choose another suffix",
    )
    assert not (tmp_path / "x.urdf").exists()
    assert run("diff", part, part, "-o", tmp_path / "d.json").returncode == 0
    assert json.loads((tmp_path / "d.json").read_text())["diff"]


def rows(text: str, form: str) -> list[dict[str, str]]:
    if form == "csv":
        return list(csv.DictReader(io.StringIO(text), strict=True))
    head, _, *lines = ([cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines())
    return [dict(zip(head, line, strict=True)) for line in lines]


@pytest.mark.parametrize("form", ["csv", "markdown"])
def test_every_input_has_a_row(form: str, part: Path, tmp_path: Path) -> None:
    (tmp_path / "square.csv").write_text("0,0\n2,0\n2,1\n0,1\n")
    done = run("compute", part, "none.stl", tmp_path / "square.csv", "--area-density", "2", "-f", form, cwd=tmp_path)
    solid, missing, square = rows(done.out, form)
    assert done.returncode == 2  # the area density is no use for a solid
    assert [r["name"] for r in (solid, missing, square)] == ["part", "none", "square"]
    assert [r["error"] for r in (solid, missing, square)] == ["invalid-input", "missing-file", ""]
    assert (float(square["mass [kg]"]), float(square["area [m2]"]), float(square["perimeter [m]"])) == (4, 2, 6)
    assert float(square["section Ixx [m4]"]) == pytest.approx(2 / 12, rel=1e-14)
    bare = run("compute", "square.csv", "-f", form, cwd=tmp_path)  # without columns of masses where no section has one
    (row,) = rows(bare.out, form)
    assert (bare.returncode, "mass [kg]" in row, float(row["centroid x [m]"])) == (0, False, 1)


@pytest.mark.parametrize("form", ["csv", "markdown"])
def test_a_body_without_a_mass_is_a_row_of_its_geometry(form: str, part: Path, tmp_path: Path) -> None:
    (tmp_path / "square.csv").write_text("0,0\n2,0\n2,1\n0,1\n")
    done = run("compute", part, "none.stl", tmp_path / "square.csv", "-f", form, cwd=tmp_path)
    solid, missing, square = rows(done.out, form)
    assert (done.returncode, missing["name"], missing["error"]) == (3, "none", "missing-file")
    assert (solid["name"], solid["mass [kg]"], solid["Ixx [kg m2]"], solid["error"]) == ("part", "", "", "")
    assert float(solid["volume [m3]"]) == pytest.approx(VOLUME, rel=1e-14)
    center = [sum(v[k] for v in VERTICES) / 4 for k in range(3)]
    assert [float(solid[f"{axis} [m]"]) for axis in "xyz"] == pytest.approx(center, rel=1e-13)
    assert (square["volume [m3]"], float(square["area [m2]"])) == ("", 2)
    alone = run("compute", part, "-f", form)
    assert (alone.returncode, [row["volume [m3]"] for row in rows(alone.out, form)]) == (0, [solid["volume [m3]"]])


def test_a_table_with_errors_is_read_back_without_them(part: Path, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    run("compute", part, "none.stl", "--density", "7800", "-o", table, cwd=tmp_path)
    done = run("convert", table, "-f", "json")
    assert (done.returncode, done.err) == (0, f"massprops: {table}: no inertial is stated for none\n")
    assert json.loads(done.out)["name"] == "part"


def test_a_shell_is_not_the_solid_inside_a_closed_surface(part: Path) -> None:
    done = run("compute", part, "--mass", "6", "--on-open", "shell")
    assert (done.returncode, done.out) == (2, "")
    assert f"{part}: the surface is closed: the mass would be that of the solid, not of a shell" in done.err


def test_robots_are_named_their_commands(tmp_path: Path) -> None:
    (tmp_path / "robot.urdf").write_text(ROBOT)
    assert (
        "use 'massprops combine' for its mass properties as a whole, 'massprops check' or 'massprops fill'"
        in run("compute", tmp_path / "robot.urdf").err
    )
    (tmp_path / "robot.xacro").write_text(ROBOT.replace("<robot", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"'))
    assert "expand it first: xacro FILE > robot.urdf" in run("compute", tmp_path / "robot.xacro").err
    (tmp_path / "robot.xacro").write_text(ROBOT)
    assert "expand it first: xacro FILE > robot.urdf" in run("compute", tmp_path / "robot.xacro").err
    (tmp_path / "robot.urdf").write_text(TWO_ARMS)
    done = run("convert", tmp_path / "robot.urdf", "-f", "mjcf")
    assert "note: mjcf is written as separate bodies, without joints, frames and geometry" in done.err


@pytest.mark.parametrize("command", ["check", "convert", "combine", "diff", "explain", "fill"])
@pytest.mark.parametrize(
    ("part", "macro"),
    [('value="1"', 'value="${m}"'), ('name="arm"', 'name="${side}_arm"'), ('<link name="tip"/>', "<xacro:tip/>")],
)
def test_what_a_macro_stands_for_is_not_read_past(command: str, part: str, macro: str, tmp_path: Path) -> None:
    robot = tmp_path / "robot.urdf"
    robot.write_text(ROBOT.replace(part, macro).replace("<robot", '<robot xmlns:xacro="http://ros.org/wiki/xacro"'))
    done = run(command, *[robot] * (2 if command == "diff" else 1))
    assert done.returncode in (3, 4)
    assert "expand it first: xacro FILE > robot.urdf" in " ".join((done.out + done.err).split())


@pytest.mark.parametrize(("option", "own"), [("--mass", True), ("--density", False)])
@pytest.mark.parametrize(("sigma", "sign"), [("", "±"), (" sigma", "σ")])
def test_a_tolerance_goes_through_shape_and_combine(
    option: str, own: bool, sigma: str, sign: str, tmp_path: Path
) -> None:
    """From an option to a result, into a sum of two copies: a density is one error of both, masses have an error each."""
    given = ("shape", "sphere", "--radius", "1", option, f"1000 +- 10 %{sigma}")
    done = run(*given, "-o", tmp_path / "ball.json", "-f", "json")
    assert done.returncode == 0
    size = 100 if own else 100 * 4 / 3 * math.pi
    row = next(line for line in run(*given).out.splitlines() if line.startswith("Mass"))
    shown = row.partition(sign)
    lost = (
        0.0 if sigma else abs(float(shown[0].split()[-1]) - 10 * size)
    )  # what rounding takes from the number is in the bound
    assert (size + lost) * (1 - 1e-9) <= float(shown[2]) * (1.0 if not sigma else 1.05) <= 1.12 * (size + lost)
    result = json.loads((tmp_path / "ball.json").read_text())["uncertainty"]
    assert (result["sigma"] or result)["mass"] == pytest.approx(size)
    both = run(
        "combine", "2*ball.json", "--at", "1 0 0", "--at", "5 0 0", "-f", "json", "--about", "origin", cwd=tmp_path
    )
    off = json.loads(both.out)["uncertainty"]
    assert (off["mass"] > 0) == (off["sigma"] is None)
    of_both = (off["sigma"] or off)["mass"]
    assert of_both == pytest.approx(size * (2 if own and sigma else 4))
    assert (off["sigma"] or off)["inertia_about"][0][0] > (off["sigma"] or off)["inertia"][0][0] * 0.999


@pytest.mark.parametrize("form", ["csv", "markdown"])
def test_convert_has_a_row_for_what_it_could_not_read(form: str, tmp_path: Path) -> None:
    (tmp_path / "robot.urdf").write_text(ROBOT)
    done = run("convert", "robot.urdf", "none.urdf", "-f", form, cwd=tmp_path)
    arm, missing = rows(done.out, form)
    assert (done.returncode, arm["name"], float(arm["mass [kg]"]), arm["error"]) == (3, "arm", 1, "")
    assert (missing["name"], missing["mass [kg]"], missing["error"]) == ("none.urdf", "", "missing-file")
    alone = run("convert", "none.urdf", "-f", form, cwd=tmp_path)
    assert [row["error"] for row in rows(alone.out, form)] == ["missing-file"]
