"""`massprops.check` finds what the command finds, and says which argument is wrong."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path

import console
import numpy as np
import pytest
from cases import raised
from places import ROOT

import massprops

ROBOT = """<robot name="r"><link name="arm"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="9" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""


@pytest.fixture
def robot(tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(ROBOT)
    return path


@pytest.mark.parametrize(
    ("given", "options", "findings"),
    [
        ({}, [], 3),
        ({"exclude": ["gone.*"]}, ["--exclude", "gone.*"], 2),
        ({"include": ["*.urdf"]}, ["--include", "*.urdf"], 2),
        ({"baseline": ".kept/known"}, ["--baseline", ".kept/known"], 1),
        ({"expect": ".kept/mass"}, ["--expect", ".kept/mass"], 4),
        ({"expect": ".kept/mass", "rtol": 1.0}, ["--expect", ".kept/mass", "--rtol", "1"], 3),
        ({"config": "other.toml", "allow_unmatched": True}, ["--config", "other.toml", "--allow-unmatched"], 2),
        ({"geometry": "none", "jobs": 2}, ["--geometry", "none"], 3),
    ],
)
def test_arguments_are_the_options_of_the_command(robot, given, options, findings, monkeypatch):
    """The same findings of a folder, with the warning of a file in it that is passed over."""
    monkeypatch.chdir(robot.parent)
    robot.with_name("gone.stl").symlink_to("nowhere")
    robot.with_name("other.toml").write_text('ignore = ["skipped-file"]\n[files."*.stl"]\n')
    Path(".kept").mkdir()
    config = [] if "config" in given else ["--no-config"]
    for text, *kept in (
        (ROBOT, "--baseline", ".kept/known", "--update-baseline"),
        (ROBOT.replace('"1"/>\n', '"2"/>\n'), "--expect", ".kept/mass", "--update"),
    ):
        robot.write_text(text)
        assert console.run("check", robot.name, "--no-config", *kept).returncode in (0, 1)
    robot.write_text(ROBOT)
    report = massprops.check(".", **given)
    printed = json.loads(console.run("check", ".", *config, *options, "--format", "json").out)
    assert [c.to_dict() for c in report.checked] == printed["checked"]
    assert sum(len(c.findings) for c in report.checked) == findings
    assert 0 < report.seconds < 600


@pytest.mark.parametrize("rtol", [float("nan"), float("inf"), -1.0, 1.5, True, "1e-6", None])
def test_a_tolerance_is_a_number_from_0_to_1(robot, rtol):
    """With any other one each number would agree, or none."""
    with pytest.raises(massprops.InvalidInput, match=r"rtol: must be a number from 0 to 1"):
        massprops.check(robot, rtol=rtol)


@pytest.mark.parametrize("rtol", [np.float32(1e-3), np.int64(0), Fraction(1, 1000)])
def test_a_tolerance_may_be_a_number_of_another_type(robot, rtol):
    assert massprops.check(robot, rtol=rtol).checked


def test_sections_that_match_no_file_are_an_error(robot):
    config = robot.with_name("other.toml")
    config.write_text('[files."*.stl"]\n')
    with pytest.raises(massprops.InvalidInput, match="match"):
        massprops.check(robot, config=config)


def test_settings_are_those_of_the_configuration(robot):
    (checked,) = massprops.check(robot, max_mass="0.5 kg", select=["unexpected-mass"]).checked
    assert [f.code for f in checked.findings] == ["unexpected-mass"]
    (checked,) = massprops.check(robot, max_mass="2 kg", select=("unexpected-mass",)).checked
    assert not checked.findings


def test_a_file_that_cannot_be_read_is_in_the_report_and_a_missing_one_raises(tmp_path):
    (tmp_path / "empty.stl").touch()
    (checked,) = massprops.check(tmp_path / "empty.stl").checked
    assert checked.error.code == "empty-file"
    with pytest.raises(massprops.ReadError, match=r"none\.stl: no such file"):
        massprops.check(tmp_path / "empty.stl", tmp_path / "none.stl")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: massprops.check(), "sources: no file given"),
        (lambda: massprops.check("a.stl", colour="red"), "colour: unknown key 'colour'"),
        (lambda: massprops.check("a.stl", max_mass="x"), "max_mass: mass 'x' does not begin with a finite number"),
        (lambda: massprops.convert([], to="urdf"), "source: no file given"),
    ],
)
def test_a_wrong_argument_is_named(call, message):
    assert raised(massprops.InvalidInput, call).message.startswith(message)


def test_every_public_name_is_there_and_no_other():
    """`__init__.pyi` says the same to type checkers."""
    names = dir(massprops)
    stub = (ROOT / "massprops" / "__init__.pyi").read_text(encoding="utf-8")
    assert sorted({*re.findall(r" as (\w+)$", stub, re.MULTILINE), "__version__"}) == sorted(names)
    assert {"measure", "check", "combine", "convert", "fill", "InvalidGeometry"} <= set(names) == set(massprops.__all__)
    assert all(getattr(massprops, name).__doc__ for name in names if name != "__version__")
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        massprops.nonsense  # noqa: B018


def test_conversion_is_that_of_the_command(robot):
    for dialect in ("mjcf", "urdf", "csv"):
        assert massprops.convert(robot, to=dialect) == console.run("convert", robot, "--format", dialect).out
