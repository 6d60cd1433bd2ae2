"""Xacro files: expanded by the package, and counted and named where they are not."""

from __future__ import annotations

import os
import sys
import types
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.dom import minidom

import pytest
from cases import raised
from console import run
from oracles import box, write_binary_stl

import massprops
from massprops.access import allowing
from massprops.diagnosis.robot_links import LinkOptions, link_findings
from massprops.errors import ReadError
from massprops.formats.robot import read_robot
from massprops.formats.robot.expansion import robot_bytes
from massprops.formats.search_path import SearchPath

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


def test_packages_are_found_as_those_of_meshes_are(tmp_path: Path) -> None:
    """ROS is not installed where robots are checked: each second file of public robots could not be expanded."""
    pytest.importorskip("xacro")
    parts, arm = tmp_path / "parts", tmp_path / "checkout" / "urdf" / "arm.xacro"
    for folder in (parts / "urdf", parts / "meshes", arm.parent, tmp_path / "elsewhere & more"):
        folder.mkdir(parents=True)
    write_binary_stl(parts / "meshes" / "box.stl", box((0, 0, 0), (1, 2, 3)))
    (tmp_path / "checkout" / "package.xml").write_text("<package><name> arm_description </name></package>")
    mesh = '<mesh filename="file://$(find parts)/meshes/box.stl"/>'
    (parts / "urdf" / "macros.xacro").write_text(MACROS.replace('<box size="0.1 0.1 0.1"/>', mesh))
    arm.write_text(
        f"""<robot name="arm" {XMLNS}><xacro:include filename="$(find parts)/urdf/macros.xacro"/>
<xacro:include filename="$(find arm_description)/urdf/more.xacro"/><xacro:box name="base" m="2.7"/><xacro:more/></robot>"""
    )
    more = f"""<robot {XMLNS}><xacro:macro name="more"><link name="tip"><visual><geometry>
<mesh filename="$(find far)/box.stl"/></geometry></visual></link></xacro:macro></robot>"""
    (arm.parent / "more.xacro").write_text(more)
    write_binary_stl(tmp_path / "elsewhere & more" / "box.stl", box())
    done = run("check", str(arm))
    text = " ".join(done.out.split())
    assert done.returncode == 3
    assert "$(find far): the package is not found; give its folder with --package far=FOLDER" in text
    given = {"far": str(tmp_path / "elsewhere & more")}
    found = link_findings(str(arm), None, LinkOptions("auto", SearchPath(packages=given)))
    assert [link.volume for link in found] == pytest.approx([6, 1])
    report = massprops.check(tmp_path / "checkout", packages=given)
    assert {c.subject.place for c in report.checked} == {"base", "tip"}
    done = run("check", ".", "--package", f"far={given['far']}", "--all", cwd=tmp_path / "checkout")
    assert "cannot be expanded" not in done.out
    assert b"package://far/box.stl" in robot_bytes(str(arm), search=SearchPath(packages=given))


def test_what_ros_has_installed_is_found_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("xacro")
    (tmp_path / "share").mkdir()
    (tmp_path / "share" / "macros.xacro").write_text(MACROS)
    text = f"""<robot {XMLNS}><xacro:include filename="$(find installed)/macros.xacro"/><xacro:box name="a" m="1"/></robot>"""
    (tmp_path / "arm.xacro").write_text(text)
    packages = types.ModuleType("ament_index_python.packages")
    folders = {"installed": str(tmp_path / "share")}
    packages.get_package_share_directory = folders.__getitem__  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ament_index_python", types.ModuleType("ament_index_python"))
    monkeypatch.setitem(sys.modules, "ament_index_python.packages", packages)
    assert [link.mass for link in read_robot(str(tmp_path / "arm.xacro"))] == [1]
    own = tmp_path / "installed"
    own.mkdir()
    (own / "macros.xacro").write_text(MACROS.replace('mass value="${m}"', 'mass value="${2 * m}"'))
    assert [link.mass for link in read_robot(str(tmp_path / "arm.xacro"))] == [2]


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


def test_a_package_is_the_folder_with_its_package_xml(tmp_path: Path) -> None:
    """A nearer folder of the same name, as that of its robots or of the repository, has not the files of the package."""
    pytest.importorskip("xacro")
    robots = tmp_path / "arm" / "arm" / "urdf" / "arm"
    robots.mkdir(parents=True)
    (tmp_path / "arm" / "arm" / "package.xml").write_text("<package><name>arm</name></package>")
    (robots.parent / "macros.xacro").write_text(MACROS)
    text = f"""<robot {XMLNS}><xacro:include filename="$(find arm)/urdf/macros.xacro"/><xacro:box name="a" m="1"/></robot>"""
    for folder in (robots, tmp_path / "arm" / "other" / "urdf"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "arm.xacro").write_text(text)
        assert [link.mass for link in read_robot(str(folder / "arm.xacro"))] == [1]


@pytest.mark.parametrize(
    "name", ["/etc", "..", "../..", ".", "arm/urdf", "package://arm", "a\\b", "a&quot;b", "a&lt;b"]
)
def test_what_is_no_name_finds_no_folder(tmp_path: Path, name: str) -> None:
    """It was a path, or changed the text that was read."""
    pytest.importorskip("xacro")
    (tmp_path / "arm" / "urdf").mkdir(parents=True)
    for odd in ('a"b', "a<b"):
        (tmp_path / odd).mkdir()
    (tmp_path / "arm.xacro").write_text(f'<robot {XMLNS}><link name="a" where="$(find {name})/x"/></robot>')
    error = raised(ReadError, robot_bytes, str(tmp_path / "arm.xacro"))
    assert "the package is not found; a name has letters" in str(error)


def test_a_package_xml_may_be_anything(tmp_path: Path) -> None:
    """It was read to its end, which a device and a pipe do not have."""
    pytest.importorskip("xacro")
    (tmp_path / "arm.xacro").write_text(f'<robot {XMLNS}><link name="$(find arm)"/></robot>')
    for make in (
        lambda path: path.mkdir(),
        lambda path: path.symlink_to("nowhere"),
        lambda path: path.symlink_to("/dev/zero"),
        os.mkfifo,
        lambda path: path.write_bytes(b"\xff\xfe<name>"),
    ):
        make(tmp_path / "package.xml")
        assert "the package is not found" in str(raised(ReadError, robot_bytes, str(tmp_path / "arm.xacro")))
        path = tmp_path / "package.xml"
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()


def test_texts_of_elements_have_packages_too(tmp_path: Path) -> None:
    """SDFormat has its URIs there: they were absolute, and those of a package beside the robot's were refused."""
    pytest.importorskip("xacro")
    (tmp_path / "parts").mkdir()
    (tmp_path / "robot").mkdir()
    (tmp_path / "robot" / "package.xml").write_text("<package><name>robot</name></package>")
    path = tmp_path / "robot" / "arm.xacro"
    path.write_text(f"<sdf {XMLNS}><uri>file://$(find parts)/a.stl</uri>\n<uri>\n$(find parts)/b.stl</uri></sdf>")
    data = robot_bytes(str(path))
    assert (data.count(b"package://parts/"), data.count(b"file:")) == (2, 0)


def test_threads_do_not_mix_packages(tmp_path: Path) -> None:
    """The package keeps what it expands in its modules: a fifth of robots read at once had the masses of another."""
    pytest.importorskip("xacro")
    boxes = "".join(f'<xacro:box name="l{k}" m="1"/>' for k in range(20))
    files = [str(tmp_path / str(mass) / "arm" / "arm.xacro") for mass in range(1, 9)]
    for mass, file in enumerate(files, 1):
        folder = Path(file).parent
        folder.mkdir(parents=True)
        (folder / "macros.xacro").write_text(MACROS.replace('mass value="${m}"', f'mass value="{mass}"'))
        Path(file).write_text(f'<robot {XMLNS}><xacro:include filename="$(find arm)/macros.xacro"/>{boxes}</robot>')
    with ThreadPoolExecutor(8) as threads:
        found = threads.map(lambda file: {link.mass for link in read_robot(file)}, files * 5)
        assert list(found) == [{mass} for mass in range(1, 9)] * 5
