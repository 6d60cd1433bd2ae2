"""`massprops.check` finds what the command finds, and says which argument is wrong."""

from __future__ import annotations

import json

import console
import pytest
from cases import raised

import massprops

ROBOT = """<robot name="r"><link name="arm"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="9" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""


@pytest.fixture
def robot(tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(ROBOT)
    return path


def test_the_findings_are_those_of_the_command(robot):
    report = massprops.check(robot)
    printed = json.loads(console.run("check", robot, "--no-config", "--format", "json").out)
    assert [c.to_dict()["findings"] for c in report.checked] == [c["findings"] for c in printed["checked"]]
    assert report.with_status("failed") == 1


def test_settings_are_those_of_the_configuration(robot):
    (checked,) = massprops.check(robot, max_mass="0.5 kg", select=["unexpected-mass"]).checked
    assert [f.code for f in checked.findings] == ["unexpected-mass"]
    (checked,) = massprops.check(robot, max_mass="2 kg", select=("unexpected-mass",)).checked
    assert not checked.findings


def test_a_file_that_cannot_be_read_is_in_the_report(tmp_path):
    (checked,) = massprops.check(tmp_path / "none.stl").checked
    assert checked.error.code == "missing-file"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: massprops.check(), "files: no file given"),
        (lambda: massprops.check("a.stl", colour="red"), "colour: unknown key 'colour'"),
        (lambda: massprops.check("a.stl", max_mass="x"), "max_mass: mass 'x' does not begin with a finite number"),
        (lambda: massprops.convert(to="urdf"), "files: no file given"),
    ],
)
def test_a_wrong_argument_is_named(call, message):
    assert raised(massprops.InvalidInput, call).message.startswith(message)


def test_every_public_name_is_there_and_no_other():
    """`__init__.pyi` states each once, for type checkers and for the program."""
    names = dir(massprops)
    assert {"measure", "check", "combine", "convert", "fill", "InvalidGeometry"} <= set(names) == set(massprops.__all__)
    assert all(getattr(massprops, name).__doc__ for name in names if name != "__version__")
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        massprops.nonsense  # noqa: B018


def test_conversion_is_that_of_the_command(robot):
    for dialect in ("mjcf", "urdf", "csv"):
        assert massprops.convert(robot, to=dialect) == console.run("convert", robot, "--format", dialect).out
