"""`formats/search_path`: where meshes are looked for, and which files may be read."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path

import oracles
import pytest
from cases import each, raised, refused
from console import run

from massprops.diagnosis.robot_links import LinkOptions, link_findings
from massprops.errors import ReadError
from massprops.formats.search_path import SearchPath

INERTIA = '<inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'


def drawn(uris: Iterable[str]) -> str:
    """A robot of a link for each mesh."""
    links = [
        f'<link name="l{k}"><visual><geometry><mesh filename="{uri}"/></geometry></visual></link>'
        for k, uri in enumerate(uris)
    ]
    joints = [
        f'<joint name="j{k}" type="floating"><parent link="l0"/><child link="l{k}"/></joint>'
        for k in range(1, len(links))
    ]
    return f"<robot name='r'>{''.join([*links, *joints])}</robot>"


def save(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return oracles.write_ascii_stl(path, oracles.tetrahedron())


@pytest.mark.parametrize(
    ("uri", "where"),
    [
        ("part.stl", "part.stl"),
        ("../meshes/part.stl", "../meshes/part.stl"),
        ("package://arm/meshes/part.stl", "../meshes/part.stl"),
        ("package://renamed/meshes/part.stl", "../meshes/part.stl"),
        ("model://hand/meshes/part.stl", "../../hand/meshes/part.stl"),
    ],
)
def test_meshes_are_found_around_the_robot_file(tmp_path: Path, uri: str, where: str) -> None:
    folder = tmp_path / "ws" / "arm" / "urdf"
    folder.mkdir(parents=True)
    path = save((folder / where).resolve())
    assert SearchPath(folder).mesh_file(uri).resolve() == path


def test_the_users_word_and_the_package_path_come_before_the_surroundings(tmp_path: Path) -> None:
    near = save(tmp_path / "arm" / "meshes" / "part.stl")
    path = save(tmp_path / "ros" / "arm" / "meshes" / "part.stl")
    told = save(tmp_path / "told" / "meshes" / "part.stl")
    uri, folder = "package://arm/meshes/part.stl", tmp_path / "arm"
    assert SearchPath(folder).mesh_file(uri) == near
    assert SearchPath(folder, {}, (str(tmp_path / "ros"),)).mesh_file(uri) == path
    assert SearchPath(folder, {"arm": str(tmp_path / "told")}, (str(tmp_path / "ros"),)).mesh_file(uri) == told
    told.unlink()
    # nothing else is taken in its place
    assert "no such file" in refused(ReadError, SearchPath(folder, {"arm": str(tmp_path / "told")}).mesh_file, uri)


LOST = "its package is not found; give its folder with packages={'arm': 'FOLDER'}"
MISSING = {
    "package://arm/meshes/part.stl": ({}, f"no such file; {LOST}"),
    "package://arm/part.stl": ({"arm": "there"}, "no such file; there is its folder"),
    "package://shapes/gone.stl": (
        {},
        "no such file in 'shapes'; give its folder with packages={'shapes': 'FOLDER'}",
    ),
    "https://x.org/part.stl": ({}, "files of https:// are not fetched"),
}


@pytest.mark.parametrize("uri", MISSING)
def test_a_mesh_that_is_not_there(tmp_path: Path, uri: str) -> None:
    (tmp_path / "shapes").mkdir()
    packages, message = MISSING[uri]
    caught = raised(ReadError, SearchPath(tmp_path, packages).mesh_file, uri)
    assert (str(caught), caught.code) == (f"{uri}: {message}", "missing-file")


@pytest.mark.parametrize(
    ("uri", "where"),
    [
        *[("package://part.stl", f"{folder}part.stl") for folder in ("", "assets/", "meshes/")],
        *[("package://visual/part.stl", f"{folder}visual/part.stl") for folder in ("", "assets/", "meshes/")],
        *[("package://arm/part.stl", f"{folder}part.stl") for folder in ("", "assets/", "meshes/")],
    ],
)
def test_meshes_of_exporters_without_a_package_are_found_beside_the_robot(tmp_path: Path, uri: str, where: str) -> None:
    # onshape-to-robot and others write the file, or its folder, in the place of the package
    path = tmp_path / "robot" / where
    path.parent.mkdir(parents=True, exist_ok=True)
    save(path)
    assert SearchPath(tmp_path / "robot").mesh_file(uri) == path


# --- what may be read -------------------------------------------------------------------------------------------------


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A robot in a folder of its own, with meshes inside it, around it and far from it."""
    for name in ("robots/mine/part.stl", "robots/mine/meshes/part.stl", "robots/part.stl", "other/arm/meshes/part.stl"):
        path = tmp_path / name
        save(path)
    (tmp_path / "robots" / "mine" / "link.stl").symlink_to(tmp_path / "other" / "arm" / "meshes" / "part.stl")
    return tmp_path / "robots" / "mine"


OUTSIDE = [
    "../part.stl",
    "meshes/../../part.stl",
    "{top}/other/arm/meshes/part.stl",
    "file://{top}/other/arm/meshes/part.stl",
    "file://../part.stl",
    "file:{top}/other/arm/meshes/part.stl",
    "package://mine/../../other/arm/meshes/part.stl",
    "package://any/../../part.stl",
    "link.stl",
    "{top}/other/arm/meshes/gone.stl",  # whether it is there is not told either
]


@pytest.mark.parametrize("uri", OUTSIDE)
def test_a_robot_reads_no_mesh_outside_its_tree(uri: str, tree: Path) -> None:
    # a robot from the internet in a CI job could read keys and print the lines that are no numbers
    uri = uri.format(top=tree.parents[1])
    caught = raised(ReadError, SearchPath(tree).mesh_file, uri)
    shown = uri if len(uri) <= 60 else uri[:57] + "..."
    assert caught.code == "outside-file"
    assert str(caught) == (
        f"{shown}: is outside the robot's folder and packages, and is not read; allow_outside=True reads it"
    )
    if "gone" not in uri:
        assert SearchPath(tree, allow_outside=True).mesh_file(uri).is_file()


@pytest.mark.parametrize("scheme", ["package", "model"])
def test_a_package_without_a_name_is_not_each_folder_above(scheme: str, tree: Path) -> None:
    """All folders around the robot had the name, so that each file below them was read."""
    for folder in tree.parents[:2]:
        save(folder / "keys" / "part.stl")
    error = raised(ReadError, SearchPath(tree).mesh_file, f"{scheme}:///keys/part.stl")
    assert (error.code, error.hint) == ("missing-file", "")
    assert SearchPath(tree).mesh_file(f"{scheme}:///meshes/part.stl").is_file()  # of the robot itself


@pytest.mark.parametrize(
    "uri",
    [
        "part.stl",
        "meshes/part.stl",
        "./meshes/../part.stl",
        "{tree}/part.stl",
        "package://mine/part.stl",
        "file:{tree}/part%2Estl",
        "FILE://{tree}/part.stl",
        "file://localhost{tree}/part.stl",
    ],
)
def test_a_robot_reads_the_meshes_in_its_tree(uri: str, tree: Path) -> None:
    assert SearchPath(tree).mesh_file(uri.format(tree=tree)).is_file()


@each("scheme", ["package", "model"])
@each("name", ["home/keys", "user/keys", "keys", "tmp", "etc"])
def test_neither_the_home_nor_what_is_beside_the_robot_there_is_a_package(
    name: str, scheme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Folders that have some name by chance: a robot from the internet would read whatever is in them."""
    home = tmp_path / "home" / "user"
    monkeypatch.setenv("HOME", str(home))
    for folder in (home, home.parent):
        save(folder / "keys" / "part.stl")
    robot = SearchPath(home / "arm" / "robots" / "mine")
    robot.folder.mkdir(parents=True, exist_ok=True)
    assert raised(ReadError, robot.mesh_file, f"{scheme}://{name}/part.stl").code == "missing-file"
    save(home / "arm" / "meshes" / "part.stl")
    assert robot.mesh_file(f"{scheme}://arm/meshes/part.stl").is_file()  # the robot is in it
    save(home / "hand" / "meshes" / "part.stl")
    (home / "hand" / "package.xml").write_text("<package/>")
    assert robot.mesh_file(f"{scheme}://hand/meshes/part.stl").is_file()  # it says that it is a package


@pytest.mark.parametrize(
    "way", ["home/user/arm/robots/mine", "home/user/hand/../arm/robots/mine", "link/arm/robots/mine"]
)
@pytest.mark.parametrize("home", ["home/user", "link"])
def test_another_way_of_naming_the_robot_or_the_home_opens_no_more(
    home: str, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(tmp_path / "home" / "user" / "hand" / "part.stl")
    (tmp_path / "home" / "user" / "arm" / "robots" / "mine").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "home" / "user")
    monkeypatch.setenv("HOME", str(tmp_path / home))
    assert raised(ReadError, SearchPath(tmp_path / way).mesh_file, "package://hand/part.stl").code == "missing-file"


def test_what_is_below_the_tree_of_a_robot_may_be_a_package_also_at_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tree of a robot in ~/urdf is the home: a relative path reads it all."""
    monkeypatch.setenv("HOME", str(tmp_path))
    save(tmp_path / "hand" / "part.stl")
    robot = SearchPath(tmp_path / "urdf")
    robot.folder.mkdir()
    assert robot.mesh_file("../hand/part.stl").is_file()
    assert robot.mesh_file("package://hand/part.stl").is_file()


def test_packages_that_are_given_may_be_read(tree: Path) -> None:
    arm = tree.parents[1] / "other" / "arm"
    assert SearchPath(tree, {"arm": str(arm)}).mesh_file("package://arm/meshes/part.stl").is_file()
    assert SearchPath(tree, {"arm": str(arm)}).mesh_file(f"{arm}/meshes/part.stl").is_file()
    assert SearchPath(tree, {}, (str(arm.parent),)).mesh_file("package://arm/meshes/part.stl").is_file()
    with pytest.raises(ReadError, match="outside"):
        SearchPath(tree, {"arm": str(arm / "meshes")}).mesh_file("package://arm/../part.stl")


def test_the_tree_of_an_installed_python_package_is_that_package(tree: Path) -> None:
    """MuJoCo models in packages include files beside their own folder; the packages beside it stay closed."""
    site = tree.parent
    robot = tree / "assets" / "robots"
    robot.mkdir(parents=True)
    (site / "key.stl").touch()
    (tree / "__init__.py").touch()
    (tree / "assets" / "__init__.py").touch()
    assert "outside" in refused(
        ReadError, SearchPath(robot).mesh_file, "../../part.stl"
    )  # nothing says that it is installed
    (site / "mine-1.0.dist-info").mkdir()
    (tree / "assets" / "package.xml").touch()  # of a package in it
    assert SearchPath(robot).mesh_file("../../part.stl").is_file()
    for uri in ("../../../key.stl", f"{site}/key.stl", "package://any/../../../key.stl"):
        assert "outside" in refused(ReadError, SearchPath(robot).mesh_file, uri), uri
    (tree / "__init__.py").unlink()
    assert "outside" in refused(ReadError, SearchPath(robot).mesh_file, "../../part.stl")


def test_a_namespace_that_is_installed_is_not_the_tree_but_the_package_in_it(tree: Path) -> None:
    """Other distributions install into the same namespace, which has no `__init__.py`."""
    kit = tree / "area" / "kit"
    robot = kit / "robots" / "arm"
    robot.mkdir(parents=True)
    for place in (kit, robot):  # what is between has none
        (place / "__init__.py").touch()
    for path in (kit / "meshes" / "part.stl", tree / "area" / "other" / "part.stl"):
        save(path)
    (tree / "area_kit-1.0.dist-info").mkdir()
    assert SearchPath(robot).mesh_file("../../meshes/part.stl").is_file()
    assert SearchPath(robot).mesh_file("package://kit/meshes/part.stl").is_file()
    for uri in ("../../../other/part.stl", "../../../../part.stl"):
        assert "outside" in refused(ReadError, SearchPath(robot).mesh_file, uri), uri
    (robot / "link.stl").symlink_to(tree / "part.stl")
    assert "outside" in refused(ReadError, SearchPath(robot).mesh_file, "link.stl")


@pytest.mark.parametrize("mark", ["pyproject.toml", "setup.py", "mine.egg-info"])
@pytest.mark.parametrize("layout", [".", "src"])
def test_the_tree_of_an_editable_install_is_its_package(mark: str, layout: str, tree: Path) -> None:
    """Its `.dist-info` stands elsewhere; the checkout is the tree where it is marked as one."""
    package = tree / layout / "edi"
    robot = package / "robots" / "arm"
    robot.mkdir(parents=True)
    save(package / "meshes" / "part.stl")
    save(tree / "shared" / "part.stl")
    (tree / mark).touch()
    inside, beside = "../../meshes/part.stl", os.path.relpath(tree / "shared" / "part.stl", robot)
    assert "outside" in refused(ReadError, SearchPath(robot).mesh_file, inside)  # no package
    (package / "__init__.py").touch()
    assert SearchPath(robot).mesh_file(inside).is_file()
    assert "outside" in refused(ReadError, SearchPath(robot).mesh_file, beside)
    (tree / ".git").touch()
    assert SearchPath(robot).mesh_file(beside).is_file()


def test_every_command_reads_the_meshes_of_an_installed_package_and_no_others(tree: Path) -> None:
    """In a folder of it, beside that folder and by the name of the package; not of another one, nor by a link out of it."""
    robot = tree / "robots" / "arm"
    robot.mkdir(parents=True)
    (tree / "__init__.py").touch()
    (tree.parent / "mine-1.0.dist-info").mkdir()
    for path in (tree / "robots" / "meshes" / "part.stl", tree.parent / "theirs" / "part.stl", robot / "in.stl"):
        save(path)
    (robot / "out.stl").symlink_to(tree.parent / "theirs" / "part.stl")
    inside = ("../meshes/part.stl", "package://mine/meshes/part.stl", "in.stl")
    outside = ("../../../theirs/part.stl", "out.stl")
    for uris, is_read in ((inside, True), (outside, False)):
        (robot / "r.urdf").write_text(drawn(uris), encoding="utf-8")
        run("report", "r.urdf", "-o", "page.html", cwd=robot)
        for said in (run("check", "r.urdf", cwd=robot).out, (robot / "page.html").read_text(encoding="utf-8")):
            assert ("outside-mesh" not in said) is is_read
        for words, refusal in ((["fill", "--density=1", "-o", "new.urdf"], 4), (["plot", "-o", "new.png"], 2)):
            assert run(*words, "r.urdf", cwd=robot).returncode == (0 if is_read else refusal), words
        for k, _ in enumerate(uris):
            done = run("explain", f"r.urdf#l{k}", cwd=robot)
            assert (done.returncode, "outside" in done.err) == ((0, False) if is_read else (3, True)), k


@pytest.mark.parametrize("mark", ["package.xml", "model.config", ".git"])
def test_the_tree_of_a_package_is_its_folder(mark: str, tree: Path) -> None:
    assert "outside" in refused(ReadError, SearchPath(tree / "meshes").mesh_file, "../part.stl")
    (tree / mark).touch()
    assert SearchPath(tree / "meshes").mesh_file("../part.stl").is_file()
    assert "outside" in refused(ReadError, SearchPath(tree / "meshes").mesh_file, "../../part.stl")


def test_a_file_that_is_no_mesh_is_not_read(tree: Path) -> None:
    # an area was taken for a volume, and any text for a damaged mesh of which a line is shown
    (tree / "square.csv").write_text("0,0\n1,0\n1,1\n", encoding="ascii")
    with pytest.raises(ReadError, match=r"^square\.csv: is not a mesh file; known: \.") as caught:
        SearchPath(tree).mesh_file("square.csv")
    assert caught.value.code == "unknown-format"


def test_a_mesh_outside_the_tree_is_reported_and_may_be_allowed(tree: Path) -> None:
    text = f'<robot name="r"><link name="a">{INERTIA}<visual><geometry><mesh filename="../part.stl"/></geometry></visual></link></robot>'
    path = tree / "r.urdf"
    path.write_text(text, encoding="utf-8")
    (found,) = link_findings(path, None, LinkOptions())
    assert [f.code for f in found.findings if f.code.endswith("-mesh")] == ["outside-mesh"]
    (found,) = link_findings(path, None, LinkOptions(search=SearchPath(allow_outside=True)))
    assert not [f.code for f in found.findings if f.code.endswith("-mesh")]
    assert found.numbers["volume"] == pytest.approx(float(oracles.TETRAHEDRON_VOLUME))
    for command in ("check", "explain"):
        for allowed in (False, True):
            done = run(command, str(path), *["--allow-outside"] * allowed)
            assert ("is outside the robot's folder" in " ".join((done.out + done.err).split())) is not allowed


@pytest.mark.parametrize("scheme", ["", "package://", "file://"])
def test_a_name_that_no_file_can_have_is_a_missing_file(scheme: str, tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=r"^[a/:pckgefil]{57}\.\.\.: no such file") as caught:
        SearchPath(tmp_path).mesh_file(scheme + "a" * 5000)
    assert len(str(caught.value)) < 250


DRAWN = "<visual name='v'><geometry>GEOMETRY</geometry></visual>"
GEOM = "<geom type='mesh' mesh='m'/>"
BUFFER = {
    "asset": {"version": "2.0"},
    "scenes": [{"nodes": [0]}],
    "nodes": [{"mesh": 0}],
    "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
    "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
    "bufferViews": [{"buffer": 0, "byteLength": 36}],
    "buffers": [{"byteLength": 36, "uri": "{}"}],
}
#: What a file of each format is that refers to another by {}, and the suffix of that one.
REFERRING = {
    "a.urdf": (
        f"<robot name='r'><link name='a'>{INERTIA}{DRAWN}</link></robot>".replace("GEOMETRY", "<mesh filename='{}'/>"),
        ".obj",
    ),
    "b.sdf": (
        f"<sdf><model name='m'><link name='a'>{DRAWN}</link></model></sdf>".replace(
            "GEOMETRY", "<mesh><uri>{}</uri></mesh>"
        ),
        ".obj",
    ),
    "c.sdf": ("<sdf version='1.9'><model name='m'><include><uri>{}</uri></include></model></sdf>", ".sdf"),
    "d.xml": (
        f"<mujoco><asset><mesh name='m' file='{{}}'/></asset><worldbody><body>{GEOM}</body></worldbody></mujoco>",
        ".obj",
    ),
    "e.xml": ("<mujoco><include file='{}'/></mujoco>", ".xml"),
    "f.gltf": (json.dumps(BUFFER), ".bin"),
}
INSIDE = ("{name}", "./{name}", "sub/../{name}", "{here}/{name}", "file://{here}/{name}")
OUTSIDE = (
    *("../secret/{name}", "sub/../../secret/{name}", "{top}/secret/{name}", "file://{top}/secret/{name}", "File://{top}/secret/{name}"),
    *("linked/{name}", "link-{name}", "file://{here}/%2e%2e/secret/{name}", "file://{here}/linked/{name}"),
)  # fmt: skip


@pytest.fixture(scope="module")
def opened() -> list[str]:
    """The files that this process opens, from now on."""
    names: list[str] = []
    sys.addaudithook(lambda event, given: names.append(str(given[0])) if event == "open" else None)
    return names


def test_no_way_leads_out_unless_it_is_allowed(tmp_path: Path, opened: list[str]) -> None:
    """Formats × ways: the oracle is what the interpreter opens."""
    here, secret = tmp_path / "mine", tmp_path / "secret"
    (here / "sub").mkdir(parents=True)
    (here / "linked").symlink_to(secret)
    secret.mkdir()
    for file, (text, suffix) in REFERRING.items():
        name = f"other{suffix}"
        for folder in (here, secret):
            (folder / name).write_bytes({".sdf": b"<sdf version='1.9'/>", ".xml": b"<mujoco/>"}.get(suffix, bytes(36)))
        link = here / f"link-{name}"
        link.unlink(missing_ok=True)
        link.symlink_to(secret / name)
        for allowed in (False, True):
            for way in (*INSIDE, *OUTSIDE):
                uri = way.format(name=name, here=here, top=tmp_path)
                (here / file).write_text(text.replace("{}", uri), encoding="utf-8")
                opened.clear()
                run("check", str(here / file), *["--allow-outside"] * allowed)
                inside = any(Path(x).name == name and Path(x).resolve().parent == here.resolve() for x in opened)
                outside = any(Path(x).resolve().is_relative_to(secret.resolve()) for x in opened)
                assert (inside, outside) == (way in INSIDE, way in OUTSIDE and allowed), (file, uri, allowed)


#: What a robot states of ``Meshes/My part.STL``, and by what that differs.
SPELLINGS = {
    "meshes/my part.stl": "capital letters",
    "Meshes/My%20part.STL": "%20",
    "meshes\\my%20part.stl": "capital letters and %20 and backslashes",
    "package://arm/Meshes/My%20part.STL": "%20",
    "package://arm\\Meshes\\My part.STL": "backslashes",
    "model://arm/meshes/My part.STL": "capital letters",
}
NAMING = {
    "a.urdf": f"<robot name='r'><link name='a'>{INERTIA}<visual><geometry><mesh filename='{{}}'/></geometry></visual></link></robot>",
    "b.sdf": "<sdf version='1.9'><model name='m'><link name='a'><inertial><mass>2</mass></inertial><visual name='v'><geometry><mesh>"
    "<uri>{}</uri></mesh></geometry></visual></link></model></sdf>",
    "c.xml": "<mujoco><asset><mesh name='m' file='{}'/></asset><worldbody><body name='a'><inertial pos='0 0 0' mass='1' "
    "diaginertia='1 1 1'/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>",
}


def test_a_name_that_differs_from_the_disk_by_its_spelling_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "arm"
    save(folder / "Meshes" / "My part.STL")
    for uri, by in SPELLINGS.items():
        error = raised(ReadError, SearchPath(folder).mesh_file, uri)
        assert (error.code, str(error)) == (
            "missing-file",
            f"{uri}: no such file; 'Meshes/My part.STL' is there, which differs by {by}",
        )
        for file, text in NAMING.items():
            if "://" not in uri or file != "c.xml":  # MuJoCo knows no packages
                (folder / file).write_text(text.format(uri), encoding="utf-8")
                (link,) = link_findings(folder / file, None, LinkOptions())
                assert any(f.code == "missing-mesh" and by in f.message for f in link.findings), (uri, file)
    (folder / "Meshes" / "MY PART.stl").touch()  # of two such files none is meant
    assert str(raised(ReadError, SearchPath(folder).mesh_file, "Meshes/my part.stl")).endswith("no such file")


def test_a_similar_name_outside_is_not_told(tree: Path) -> None:
    assert "is there" not in refused(ReadError, SearchPath(tree).mesh_file, "../PART.stl")
