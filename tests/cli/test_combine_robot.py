"""`massprops combine` with whole robots, from outside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from console import run

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
def robot(tmp_path: Path) -> Path:
    path = tmp_path / "robot.urdf"
    path.write_text(ROBOT, encoding="utf-8")
    return path


def test_a_robot_is_the_sum_of_its_links_where_the_joints_place_them(robot: Path) -> None:
    # 2 kg at x = 1; 2 kg at y = 1
    found = json.loads(run("combine", robot, "--joint", "turn=90deg", "--format", "json").out)
    assert (found["mass"], found["joints"]) == (4.0, {"turn": pytest.approx(1.5707963267948966)})
    assert found["center_of_mass"] == pytest.approx([0.5, 0.5, 0], abs=1e-15)
    assert [part["name"] for part in found["parts"]] == ["base", "arm", "tool"]
    piped = run("combine", "-", "--joint", "turn=90deg", "--format", "json", stdin=ROBOT.encode())
    assert json.loads(piped.out)["center_of_mass"] == found["center_of_mass"]


def test_a_robot_carries_another_body(robot: Path) -> None:
    done = run("combine", robot, "--at", "0 0 3", f"{robot}#base", "--joint", "turn=180deg", "--format", "csv")
    # 2 kg at (1,0,3), 2 kg at (-1,0,3), 2 kg at (1,0,0)
    *_, row = done.out.splitlines()
    name, mass, *com = row.split(",")[:5]
    assert (name, float(mass)) == ("combined", 6.0)
    assert list(map(float, com)) == pytest.approx([1 / 3, 0, 2], abs=1e-15)


def test_a_lumped_robot_is_written_whole_and_again(robot: Path, tmp_path: Path) -> None:
    out = tmp_path / "lumped.urdf"
    for _ in range(2):  # the second time it replaces a whole robot
        done = run("combine", robot, "--lump-fixed", "-o", out)
        assert (done.returncode, done.out, done.err) == (0, "", "")
    assert "tool" not in out.read_text(encoding="utf-8")
    one, other = (json.loads(run("combine", p, "--joint", "turn=1", "-f", "json").out) for p in (robot, out))
    assert other["center_of_mass"] == pytest.approx(one["center_of_mass"], rel=1e-14)
    assert json.loads(run("combine", robot, "--lump-fixed", "-f", "json").out.splitlines()[1])["mass"] == 2.0


def test_an_impossible_link_is_named_and_fails(robot: Path) -> None:
    robot.write_text(ROBOT.replace('ixx="1"', 'ixx="9"', 1), encoding="utf-8")
    done = run("combine", robot)
    assert done.returncode == 1
    assert "triangle-inequality: base: principal" in " ".join(done.out.split())
    assert run("combine", robot, "--lump-fixed", "--format", "urdf").returncode == 1
