"""Xacro files: expanded by the package, and counted and named where they are not."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from xml.dom import minidom

import pytest
from console import run

import massprops
from massprops.access import allowing
from massprops.formats.robot import read_robot
from massprops.formats.robot.expansion import robot_bytes

XMLNS = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
MACROS = f"""<robot {XMLNS}><xacro:macro name="box" params="name m">
<link name="${{name}}"><inertial><mass value="${{m}}"/>
<inertia ixx="${{m * 0.02 / 12}}" ixy="0" ixz="0" iyy="${{m * 0.02 / 12}}" iyz="0" izz="${{m * 0.02 / 12}}"/></inertial>
<visual><geometry><box size="0.1 0.1 0.1"/></geometry></visual></link>
</xacro:macro></robot>"""
ARM = f"""<robot name="arm" {XMLNS}><xacro:include filename="macros.xacro"/><xacro:box name="base" m="2.7"/></robot>"""
NEEDS = f"""<robot name="arm" {XMLNS}><link name="$(arg size)"/></robot>"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("arm.urdf.xacro", ARM), ("macros.xacro", MACROS), ("needs.xacro", NEEDS)):
        (tmp_path / name).write_text(text)
    return tmp_path


def test_without_the_package_they_are_counted_and_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of a robot that has its xacro alone passed without a word of it."""
    monkeypatch.setitem(sys.modules, "xacro", None)
    (folder / "r.urdf").write_text('<robot name="r"><link name="a"/></robot>')
    done = run("check", ".", cwd=folder)
    text = " ".join(done.out.split())
    assert (done.returncode, "3 xacro files are not expanded: arm.urdf.xacro, macros.xacro, needs.xacro" in text) == (
        0,
        True,
    )
    (whole,) = (c for c in massprops.check(folder).checked if c.findings and c.findings[0].code == "skipped-file")
    assert whole.subject.path == str(folder)
    assert run("check", ".", "--exclude", "*.xacro", cwd=folder).out.count("xacro") == 0
    assert run("check", ".", "--fail-on", "warning", cwd=folder).returncode == 1
    done = run("check", "arm.urdf.xacro", cwd=folder)
    assert done.returncode == 3
    assert "<xacro:include> is not expanded" in " ".join(done.out.split())
    (folder / "r.urdf").unlink()
    assert run("check", ".", cwd=folder).returncode == 3  # nothing is checked


def test_the_package_expands_them_in_every_command(folder: Path) -> None:
    """As the pipe from `xacro`, with the same lines; macros alone are no robots, and what needs arguments is named."""
    xacro = pytest.importorskip("xacro")
    expanded = xacro.process_file(str(folder / "arm.urdf.xacro")).toprettyxml(indent="  ").encode()
    assert robot_bytes(str(folder / "arm.urdf.xacro")) == expanded
    (link,) = read_robot(str(folder / "arm.urdf.xacro"))
    assert (link.name, link.mass) == ("base", 2.7)
    report = massprops.check(folder)
    assert [(Path(c.subject.path).name, c.subject.place, c.status) for c in report.checked] == [
        ("arm.urdf.xacro", "base", "ok"),
        (folder.name, None, "warning"),
    ]
    assert "1 xacro file cannot be expanded: " in report.checked[1].findings[0].message
    for words in (["check", "--all"], ["explain"]):
        own = run(words[0], "arm.urdf.xacro", *words[1:], cwd=folder)
        piped = run(words[0], "-", *words[1:], cwd=folder, stdin=expanded)
        assert own.returncode == piped.returncode == 0
        assert own.out == piped.out.replace("-: ok", "arm.urdf.xacro: ok").replace("base  -:", "base  arm.urdf.xacro:")
    assert massprops.combine(folder / "arm.urdf.xacro").body.properties.mass == 2.7
    done = run("check", "needs.xacro", cwd=folder)
    assert done.returncode == 3
    assert "xacro cannot expand it: " in " ".join(done.out.split())
    done = run("fill", "arm.urdf.xacro", "--density", "1", "--in-place", cwd=folder)
    assert done.returncode == 3
    assert (folder / "arm.urdf.xacro").read_text() == ARM  # it is made of macros, which are not edited


def test_nothing_is_expanded_where_files_are_read_below_some_folders_alone(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The package reads whatever a file names."""
    asked: list[str] = []

    def process_file(path: str) -> minidom.Document:
        asked.append(path)
        document = minidom.Document()
        document.appendChild(document.createElement("robot"))
        return document

    package = types.ModuleType("xacro")
    package.process_file = process_file  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "xacro", package)
    path = str(folder / "needs.xacro")
    with allowing(roots=(folder,)):
        assert robot_bytes(path) == NEEDS.encode()
    assert asked == []
    assert robot_bytes(path).split() == [b"<?xml", b'version="1.0"', b"?>", b"<robot/>"]
    assert asked == [path]
