"""fill and repair from outside: what is written, what is said, and the exit code."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from console import run
from damage import blob, moments
from oracles import write_binary_stl

from massprops import measure

ROBOT = """<robot name="r">
  <link name="a">
    <visual><geometry><box size="1 2 3"/></geometry></visual>
  </link>
  <link name="b">
    <visual><geometry><mesh filename="gone.stl"/></geometry></visual>
  </link>
</robot>
"""


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    path = tmp_path / "robot.urdf"
    path.write_text(ROBOT)
    return path


def test_the_filled_robot_goes_to_stdout_and_the_table_to_stderr(robot: Path) -> None:
    done = run("fill", robot, "--density", "1000")
    assert done.returncode == 4  # b cannot be filled, a is
    assert done.out.count("<inertial>") == 1
    assert '<mass value="6000.0" />' in done.out
    assert "link b: gone.stl" in done.err
    assert robot.read_text() == ROBOT


def test_only_one_way_of_writing(robot: Path) -> None:
    done = run("fill", robot, "--density", "1000", "--in-place", "--diff")
    assert done.returncode == 2
    assert "mutually exclusive" in done.err


def test_check_says_whether_a_file_would_change_and_writes_nothing(robot: Path) -> None:
    wanted = ("fill", robot, "--density", "1000", "--links", "a")
    assert run(*wanted, "--check").returncode == 1
    assert robot.read_text() == ROBOT
    done = run(*wanted, "--in-place")
    assert (done.returncode, done.out) == (0, "")
    assert robot.read_text().count("<inertial>") == 1
    assert run("fill", robot, "--density", "1000", "--check", "--links", "missing").returncode == 4  # b still cannot
    assert run(*wanted, "--check").returncode == 0


def test_a_diff_shows_what_would_be_inserted(robot: Path) -> None:
    done = run("fill", robot, "--density", "1000", "--links", "a", "--diff")
    assert done.returncode == 0
    changed = [line for line in done.out.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    assert changed
    assert all(line.startswith("+") for line in changed)


def test_the_report_has_every_link(robot: Path, tmp_path: Path) -> None:
    run("fill", robot, "--set", "a=mass:7kg", "-o", tmp_path / "out.urdf", "--report", tmp_path / "report.json")
    filled = json.loads((tmp_path / "report.json").read_text())["filled"]
    assert [(x["name"], x["mass_from"], x["error"] and x["error"]["code"]) for x in filled] == [
        ("a", "weighed", None),
        ("b", None, "missing-file"),
    ]


@pytest.mark.parametrize("suffix", [".stl", ".ply", ".obj"])
def test_what_repair_writes_is_valid(tmp_path: Path, suffix: str) -> None:
    triangles = blob(2)
    path = write_binary_stl(tmp_path / "hole.stl", np.delete(triangles, [3, 77], axis=0))
    done = run("repair", path, "-o", tmp_path / f"mended{suffix}", "--repair", "full")
    assert (done.returncode, done.out) == (0, "")
    assert "filled-holes" in done.err
    found = measure(tmp_path / f"mended{suffix}")
    assert found.grade == "certified"
    assert found.volume == pytest.approx(moments(triangles)[0], rel=0.01)


def test_what_cannot_be_repaired_writes_nothing(tmp_path: Path) -> None:
    half = blob(2)[:160]
    done = run("repair", write_binary_stl(tmp_path / "half.stl", half), "-o", tmp_path / "mended.stl")
    assert done.returncode == 4
    assert "of the surface is missing" in done.err
    assert not (tmp_path / "mended.stl").exists()


def test_compute_repairs_on_request_and_says_every_step(tmp_path: Path) -> None:
    path = write_binary_stl(tmp_path / "hole.stl", np.delete(blob(3), [3, 77], axis=0))
    assert run("compute", path).returncode == 4
    result = run("compute", path, "--repair", "full", "-f", "json").result
    assert result["grade"] == "repaired"
    assert [(r["step"], r["count"]) for r in result["repairs"]] == [("fill", 2)]
    assert result["uncertainty"]["sources"]["fill"]["volume"] > 0
    checked = run("check", path)
    assert checked.returncode == 1
    assert "repairable" in checked.out
