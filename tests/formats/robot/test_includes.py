"""Included files are part of the robot: they are followed, or reported as not read.

Modules tested: `formats/robot/includes`, `formats/robot/mjcf`, `formats/robot/sdf`, `formats/robot/urdf`.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import oracles
import pytest
from cases import each, raised
from console import run

import massprops
from massprops.diagnosis.link_geometry import Measurer
from massprops.errors import ReadError
from massprops.formats.bodies.opening import open_bodies
from massprops.formats.robot import Link, UnsupportedGeometry, includes, read_robot
from massprops.formats.search_path import SearchPath

mujoco = pytest.importorskip("mujoco")

INERTIAL = '<inertial pos="0 0 0" mass="{}" diaginertia="1 1 1"/>'
INCLUDES = '<include file="two.xml"/><include file="three.xml"/>'
DRAWN = '<geom class="drawn"/>'
SDF_INERTIAL = (
    "<inertial><mass>{}</mass><inertia><ixx>1</ixx><ixy>0</ixy><ixz>0</ixz><iyy>1</iyy><iyz>0</iyz><izz>1</izz>"
    "</inertia></inertial>"
)


def save(folder: Path, **files: str) -> Path:
    """Files by name, with `__` for the folder; the first is returned."""
    paths = [folder / f"{name.replace('__', '/')}.xml" for name in files]
    for path, text in zip(paths, files.values(), strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return paths[0]


def stl(path: Path) -> None:
    path.parent.mkdir(parents=True)
    oracles.write_binary_stl(path, oracles.tetrahedron())  # MuJoCo reads no other


def body(name: str, mass: float = 1, inside: str = "") -> str:
    return f'<body name="{name}">{INERTIAL.format(mass)}{inside}</body>'


def seen(links: list[Link], folder: Path) -> dict[str | None, tuple[str, float]]:
    return {x.name: (os.path.relpath(x.place, folder), x.body.properties.mass) for x in links if x.body is not None}


def loaded(path: Path) -> dict[str, float]:
    """What MuJoCo makes of it: masses by name."""
    model = mujoco.MjModel.from_xml_path(str(path))
    return {model.body(i).name: float(model.body_mass[i]) for i in range(1, model.nbody)}


# --- MJCF ------------------------------------------------------------------------------------------------------------


def test_included_bodies_are_those_that_mujoco_reads(tmp_path: Path) -> None:
    # nested, from the main file's folder first and then from the including one's, below a body, under any root element
    main = save(
        tmp_path,
        main=f'<mujoco><include file="sub/one.xml"/>\n<worldbody>{body("own", 4)}</worldbody></mujoco>',
        sub__one=f"<mujocoinclude>\n<worldbody>{body('one', 2, INCLUDES)}</worldbody></mujocoinclude>",
        two=f"<x>\n\n{body('two', 3)}</x>",
        sub__two=f"<x>{body('wrong', 5)}</x>",
        sub__three=f"<x>{body('three', 6)}</x>",
    )
    found = seen(read_robot(str(main)), tmp_path)
    assert found == {
        "one": ("sub/one.xml:2", 2),
        "two": ("two.xml:3", 3),
        "three": ("sub/three.xml:1", 6),
        "own": ("main.xml:2", 4),
    }
    assert {name: mass for name, (_, mass) in found.items()} == loaded(main)
    assert [b.name for b in open_bodies(str(main)).bodies] == list(found)
    assert open_bodies(f"{main}#two").bodies[0].place == f"{tmp_path}/two.xml:3"


UNREAD = {
    '<include file="gone.xml"/>': "cannot follow <include>: gone.xml: no such file",
    "<include/>": "cannot follow <include>: <include> has no attribute 'file'; add file=…",
    '<include file="main.xml"/>': "cannot follow <include>: {}/main.xml: is already included; include each file once",
    '<include file="empty.xml"/>': "cannot follow <include>: {}/empty.xml: the file is empty",
    '<include file="bad.xml"/>': "cannot follow <include>: {}/bad.xml:2: is not well-formed XML: no element found, column 1",
    '<attach model="m" body="a" prefix="p"/>': "no <model> is named 'm'",
}


@pytest.mark.parametrize(("part", "reason"), UNREAD.items())
def test_what_cannot_be_followed_is_an_error_and_the_rest_is_read(part: str, reason: str, tmp_path: Path) -> None:
    main = save(
        tmp_path,
        main=f"<mujoco>\n<worldbody>{body('a')}{part}{body('b')}</worldbody></mujoco>",
        empty="<x/>",
        bad="<x>\n",
    )
    with pytest.raises(ValueError, match=r"."):
        loaded(main)
    links = read_robot(str(main))
    assert [x.name for x in links if x.error is None] == ["a", "b"]
    (error,) = [x.error for x in links if x.error is not None]
    assert (str(error), error.code) == (f"{main}:2: {reason.format(tmp_path)}", "unread-include")
    # the bodies of the whole file are not known; one that is named, and stands in what was read, is
    with pytest.raises(ReadError, match=r"unread|cannot follow|no <model>"):
        open_bodies(str(main))
    assert open_bodies(f"{main}#a").bodies[0].name == "a"
    assert raised(ReadError, open_bodies, f"{main}#elsewhere").code == "unread-include"


def test_a_check_does_not_pass_what_is_not_read(tmp_path: Path) -> None:
    # "0 files, 0 failed" and exit 0 for a scene of which every body is included
    main = save(tmp_path, main='<mujoco>\n<include file="gone.xml"/></mujoco>')
    done = run("check", str(main), "--format", "json")
    assert done.returncode == 3
    (checked,) = json.loads(done.out)["checked"]
    assert (checked["error"]["code"], checked["line"]) == ("unread-include", 2)
    save(tmp_path, gone=f"<x><worldbody>{body('a', -1)}</worldbody></x>")
    done = run("check", str(main), "--format", "json")
    assert done.returncode == 1
    (checked,) = json.loads(done.out)["checked"]
    assert (checked["place"], checked["status"]) == ("a", "failed")
    # what is wrong is in the included file, and an annotation has to point there
    assert (checked["file"], checked["line"]) == (f"{tmp_path}/gone.xml", 1)
    assert f"file={tmp_path}/gone.xml,line=1" in run("check", str(main), "--format", "github").out
    assert f"a: {tmp_path}/gone.xml:1: " in " ".join(run("check", str(main), env={"COLUMNS": "400"}).out.split())
    assert run("explain", f"{main}#a").returncode == 1
    done = run("convert", str(main), "--format", "csv")
    assert done.returncode == 1
    assert done.out.splitlines()[1].startswith("a,-1.0,")


UNREAD = {
    "main.xml": f"<mujoco><worldbody>{body('a')}<body name='b'>{DRAWN}</body></worldbody><include file='gone.xml'/></mujoco>",
    "main.sdf": f"""<sdf version="1.9"><model name="m"><link name="a">{SDF_INERTIAL.format(1)}</link></model>
<include><uri>gone</uri></include></sdf>""",
    "bad.xml": f"<mujoco><worldbody>{body('a')}</worldbody><include file='part.xml'/></mujoco>",
}


@pytest.mark.parametrize("name", UNREAD)
def test_every_command_exits_with_3_where_a_part_of_a_robot_is_not_read(name: str, tmp_path: Path) -> None:
    """A job that looks at the code of one command would take the file for read by another; each says once where it stands."""
    (tmp_path / name).write_text(UNREAD[name].replace(DRAWN, '<geom type="box" size=".1 .1 .1"/>'), encoding="utf-8")
    (tmp_path / "part.xml").write_text(f"<mujoco><worldbody>\n{body('c', 'x')}</worldbody></mujoco>", encoding="utf-8")
    place = "part.xml:2: " if name == "bad.xml" else f"{name}:{1 + ('sdf' in name)}: "
    for command in (
        ["check"],
        ["explain"],
        ["fill", "--density=1000", "-o", os.devnull],
        ["report", "-o", "page.html"],
        ["plot", "-o", "picture.png"],
        ["diff", name],
        ["combine"],
        ["convert"],
        ["sample", "--mass=5%", "-o", "samples"],
    ):
        done = run(*command, name, cwd=tmp_path)
        said = (done.out if command[0] == "check" else done.err).replace("\n", " ")
        assert (done.returncode, place in said, f"{place}{place}" in said, "?" in said) == (3, True, False, False), (
            command
        )


def test_each_file_is_included_once(tmp_path: Path) -> None:
    # as in MuJoCo; and a chain of files that include the next one twice would be read 2ⁿ times
    main = save(
        tmp_path,
        main='<mujoco><worldbody><include file="a.xml"/><include file="a.xml"/></worldbody></mujoco>',
        a=f"<x>{body('a')}</x>",
    )
    with pytest.raises(ValueError, match="already included"):
        loaded(main)
    links = read_robot(str(main))
    assert [(x.name, x.error is None) for x in links] == [("a", True), (None, False)]


def test_defaults_and_meshes_come_from_included_files(tmp_path: Path) -> None:
    # 45 bodies of five robots were lost for a class that an included file defines
    stl(tmp_path / "assets" / "part.stl")
    main = save(
        tmp_path,
        main='<mujoco><compiler meshdir="assets"/><include file="common.xml"/>'
        '<worldbody><body name="a"><geom class="drawn"/><geom class="hit"/></body></worldbody></mujoco>',
        common='<mujocoinclude><default><default class="drawn"><geom type="mesh" mesh="part" contype="0" conaffinity="0"/></default>'
        '<default class="hit"><geom type="box" size="1 2 3"/></default></default><asset><mesh file="part.stl"/></asset></mujocoinclude>',
    )
    (link,) = read_robot(str(main))
    drawn, hit = (
        Measurer(SearchPath(tmp_path)).measure(link, which).solid.moments.measure for which in ("visual", "collision")
    )
    assert drawn == pytest.approx(float(oracles.TETRAHEDRON_VOLUME), rel=1e-13)
    assert hit == 48
    model = mujoco.MjModel.from_xml_path(str(main))
    assert model.geom_size[model.geom_type == mujoco.mjtGeom.mjGEOM_BOX].tolist() == [[1, 2, 3]]


def test_a_part_of_a_model_by_itself_leaves_out_what_others_define(tmp_path: Path) -> None:
    main = save(tmp_path, arm=f"<mujocoinclude><worldbody>{body('a', 1, DRAWN)}</worldbody></mujocoinclude>")
    (link,) = read_robot(str(main))
    assert link.body is not None
    assert isinstance(link.collision[0].solid, UnsupportedGeometry)
    save(
        tmp_path,
        arm=main.read_text().replace("mujocoinclude", "mujoco").replace("<worldbody>", "<default/><worldbody>"),
    )
    (link,) = read_robot(str(main))
    assert link.body is not None
    assert link.collision[0].solid.code == "unknown-class"  # type: ignore[union-attr]


@each("root", ["mujocoinclude", "mujoco"])
def test_a_part_of_a_model_is_one_remark(tmp_path: Path, root: str) -> None:
    """A part made for `<include>` was an error for each geom: 107 of one file."""
    drawn = '<geom class="gone"/><geom type="mesh" mesh="gone"/>'
    bodies = body("a", 1, drawn) + body("b", 2, drawn)
    save(tmp_path, part=f"<{root}><worldbody>{bodies}</worldbody></{root}>")
    found = [f for c in massprops.check(tmp_path / "part.xml").checked for f in c.findings]
    (said,) = (f for f in found if f.code not in ("placeholder-inertia", "impossible-density"))
    assert (said.severity, said.code) == ("warning" if root == "mujoco" else "info", "defined-elsewhere")
    assert "the default class 'gone' is not defined in this file; check the file that includes it" in said.message


def test_after_an_unread_include_nothing_is_said_of_classes(tmp_path: Path) -> None:
    """They may stand in the file that is not there: that one is the error."""
    main = save(
        tmp_path,
        main=f'<mujoco><include file="gone.xml"/><default/><worldbody>{body("a", 1, DRAWN)}</worldbody></mujoco>',
    )
    report = massprops.check(main)
    assert [c.error.code for c in report.checked if c.error] == ["unread-include"]
    assert not {f.code for c in report.checked for f in c.findings} & {"broken-geometry", "defined-elsewhere"}
    link, lost = massprops.fill(main, density=1000, links="all").links
    assert [link.error and link.error.code, lost.error and lost.error.code] == ["unread-include"] * 2
    assert "a file that this one includes cannot be read" in str(link.error)


def test_parts_of_models_are_not_taken_from_folders(tmp_path: Path) -> None:
    """They hold nothing to check by themselves, which made the whole folder fail; named, one is refused with what to do."""
    save(
        tmp_path,
        main=f'<mujoco><include file="part.xml"/><worldbody>{body("a", 1)}</worldbody></mujoco>',
        part="<mujocoinclude><default><geom type='box'/></default></mujocoinclude>",
        scene="<mujoco><worldbody><light/></worldbody></mujoco>",
    )
    assert {Path(c.subject.path).name for c in massprops.check(tmp_path).checked} == {"main.xml"}
    (found,) = massprops.check(tmp_path / "part.xml").checked
    assert found.error is not None
    assert "check the file that includes it" in str(found.error)


ARM = (
    '<mujoco><compiler angle="radian"/><default><geom type="box" size="1 1 1"/></default><asset><mesh name="t" file="t.stl"/></asset>'
    f'<worldbody>\n<body name="a">{INERTIAL.format(2)}<geom/><geom type="mesh" mesh="t"/>\n{body("b", 3)}</body>{body("c", 4)}'
    "</worldbody></mujoco>"
)


@pytest.mark.parametrize("what", ['body="a" ', ""], ids=["one body", "the whole world"])
def test_attached_bodies_are_those_that_mujoco_reads(what: str, tmp_path: Path) -> None:
    stl(tmp_path / "arm" / "t.stl")
    main = save(
        tmp_path,
        main='<mujoco><compiler angle="degree"/><asset><model name="m" file="arm/arm.xml"/></asset><worldbody>'
        f'<body name="base">{INERTIAL.format(1)}<frame pos="1 0 0"><attach model="m" {what}prefix="L_"/></frame></body>'
        '<attach model="m" body="c" prefix="R_"/></worldbody></mujoco>',
        arm__arm=ARM,
    )
    links = read_robot(str(main))
    found = seen(links, tmp_path)
    assert found["L_b"] == ("arm/arm.xml:3", 3)
    assert {name: mass for name, (_, mass) in found.items()} == loaded(main)
    arm = next(x for x in links if x.name == "L_a")
    # the attached model keeps its defaults, and its meshes are beside it
    measured = Measurer(SearchPath(tmp_path)).measure(arm, "collision")
    assert measured.solid.moments.measure == pytest.approx(8 + float(oracles.TETRAHEDRON_VOLUME), rel=1e-13)


LOST = ARM.replace("</worldbody>", '<include file="gone.xml"/></worldbody>')
RING = ARM.replace("<asset>", '<asset><model name="m" file="main.xml"/>')
RING = RING.replace("<geom/>", '<attach model="m" body="base" prefix="q"/>')
UNATTACHED = [
    ("z", ARM, "main.xml:2: model {}/arm.xml has no body 'z'"),
    ("a", "<robot/>", "main.xml:1: cannot follow <model>: {}/arm.xml:1: the root element is <robot>"),
    ("a", "", "main.xml:1: cannot follow <model>: {}/arm.xml: the file is empty"),
    ("a", LOST, "{}/arm.xml:3: cannot follow <include>: gone.xml: no such file"),
    ("a", RING, "{}/arm.xml:1: cannot follow <model>: main.xml: the model attaches itself; break the cycle"),
]


@pytest.mark.parametrize(("name", "arm", "reason"), UNATTACHED, ids=range(len(UNATTACHED)))
def test_a_model_that_cannot_be_attached_is_an_error(name: str, arm: str, reason: str, tmp_path: Path) -> None:
    attach = f'<attach model="m" body="{name}" prefix="p"/>'
    path = save(
        tmp_path,
        main='<mujoco><asset><model name="m" file="arm.xml"/></asset>\n'
        f'<worldbody><body name="base">{INERTIAL.format(1)}{attach}</body></worldbody></mujoco>',
        arm=arm,
    )
    (error,) = [str(x.error).replace(f"{tmp_path}/main", "main") for x in read_robot(str(path)) if x.error is not None]
    assert error.startswith(reason.format(tmp_path))


# --- SDFormat --------------------------------------------------------------------------------------------------------


def sdf_model(name: str, mass: float, inside: str = "") -> str:
    return f'<sdf version="1.9">\n<model name="{name}">\n<link name="l">{SDF_INERTIAL.format(mass)}</link>{inside}</model></sdf>'


def test_models_included_in_a_world_are_read_by_their_names(tmp_path: Path) -> None:
    include = "<include><uri>{}</uri>{}</include>"
    world = save(
        tmp_path,
        world='<sdf version="1.9"><world name="w">'
        + include.format("model://box", "<pose>1 2 3 0 0 1</pose>")
        + include.format("model://box", "<name>second</name>")
        + include.format("near.xml", "")
        + "</world></sdf>",
        near=sdf_model("near", 3),
        box__old=sdf_model("box", 9),
    )
    (tmp_path / "box" / "model.config").write_text(
        '<model><sdf version="1.4">old.xml</sdf><sdf version="1.10">new.sdf</sdf></model>', encoding="utf-8"
    )
    (tmp_path / "box" / "new.sdf").write_text(sdf_model("box", 2), encoding="utf-8")
    assert seen(read_robot(str(world)), tmp_path) == {
        "box::l": ("box/new.sdf:3", 2),
        "second::l": ("box/new.sdf:3", 2),
        "near::l": ("near.xml:3", 3),
    }


@pytest.mark.parametrize("merge", [True, False])
def test_models_included_in_a_model_are_nested_or_merged(merge: bool, tmp_path: Path) -> None:
    stl(tmp_path / "hand" / "meshes" / "part.stl")
    mesh = (
        '<link name="tip"><visual name="v"><geometry><mesh><uri>meshes/part.stl</uri></mesh></geometry></visual></link>'
    )
    include = f"<include merge='{str(merge).lower()}'><uri>model://hand</uri><pose>3 6 9 0 0 0</pose></include>"
    scope = "" if merge else "hand::"
    joint = f'<joint name="j" type="fixed"><parent>l</parent><child>{scope}palm</child></joint>'
    robot = save(tmp_path, robot=sdf_model("arm", 1, include + joint))
    (tmp_path / "hand" / "model.sdf").write_text(sdf_model("hand", 2, mesh).replace('"l"', '"palm"'), encoding="utf-8")
    links = read_robot(str(robot))
    assert [x.name for x in links] == ["l", f"{scope}palm", f"{scope}tip"]
    if merge:  # a link without a pose is where the model is; that without an inertial has 1 kg
        whole = massprops.combine(str(robot), missing="ignore").body.properties
        assert (whole.mass, whole.com.tolist()) == (4, pytest.approx([2.25, 4.5, 6.75]))
    # a mesh is looked for beside the file that names it
    measured = Measurer(SearchPath(tmp_path)).measure(links[2], "visual")
    assert measured.solid.moments.measure == pytest.approx(float(oracles.TETRAHEDRON_VOLUME), rel=1e-13)


def test_the_frame_of_a_merged_model_goes_with_its_own_first_link(tmp_path: Path) -> None:
    # the joint of the hand is between its frame, that of its palm, and the tip: palm and tip are raised together
    joint = '<joint name="{}" type="{}"><parent>{}</parent><child>{}</child><axis><xyz>0 0 1</xyz></axis></joint>'
    tip = f'<link name="tip">{SDF_INERTIAL.format(4)}</link><frame name="f"/><static>true</static>'
    hand = sdf_model("hand", 2, joint.format("own", "fixed", "{}", "tip") + tip).replace('"l"', '"palm"')
    include = '<include merge="true"><uri>hand.xml</uri></include><static>false</static>'
    arm = sdf_model("arm", 1, include + joint.format("lift", "prismatic", "l", "palm"))
    for frame in ("__model__", "f"):
        robot = save(tmp_path, arm=arm, hand=hand.format(frame))
        assert [(link.name, link.fixed) for link in read_robot(str(robot))] == [
            ("l", False),
            ("palm", False),
            ("tip", True),
        ]
        assert massprops.combine(str(robot), joints={"lift": 0.7}).body.properties.com[2] == pytest.approx(0.7 * 6 / 7)


def test_a_link_is_fixed_by_a_joint_of_its_own_model_or_to_a_frame_of_it(tmp_path: Path) -> None:
    model = f'<model name="{{}}"><link name="a"/><link name="b">{SDF_INERTIAL.format(1)}</link>{{}}</model>'
    joint = '<frame name="f" attached_to="b"/><joint name="j" type="fixed"><parent>a</parent><child>f</child></joint>'
    text = f'<sdf version="1.9"><world name="w">{model.format("m", joint)}{model.format("n", "")}</world></sdf>'
    found = {link.name: link.fixed for link in read_robot(str(save(tmp_path, world=text)))}
    assert found == {"m::a": False, "m::b": True, "n::a": False, "n::b": False}


@pytest.mark.parametrize(
    ("include", "reason"),
    [
        (
            "<uri>model://gone</uri>",
            "model://gone: no such file; its package is not found; give its folder with packages={{'gone': 'FOLDER'}}",
        ),
        ("<uri>https://fuel.org/x</uri>", "https://fuel.org/x: files of https:// are not fetched"),
        ("", "<include> has no <uri>; add <uri>"),
        ("<uri>world.xml</uri>", "{}/world.xml: the model includes itself; break the cycle"),
        ("<uri>arm.xml</uri>", "{}/arm.xml:1: the root element is <mujoco>, not <sdf>"),
        ("<uri>two.xml</uri>", "{}/two.xml: holds 2 models, and <include> takes one"),
        ("<uri>none.xml</uri>", "{}/none.xml: holds 0 models, and <include> takes one"),
        (
            "<uri>one.xml</uri><experimental:params/>",
            "<experimental:params> changes the model, and is not read",
        ),
    ],
)
def test_an_sdf_include_that_cannot_be_followed_is_an_error(include: str, reason: str, tmp_path: Path) -> None:
    world = save(
        tmp_path,
        world=sdf_model("m", 1).replace("</sdf>", f"<include>{include}</include></sdf>"),
        arm="<mujoco/>",
        one=sdf_model("m", 1),
        two=sdf_model("m", 1, "</model><model name='n'>"),
        none='<sdf version="1.9"><world name="w"><model name="m"/></world></sdf>',
    )
    own, failed = read_robot(str(world))
    assert own.name == "l"
    assert (str(failed.error), failed.error.code) == (  # type: ignore[union-attr]
        f"{world}:3: cannot follow <include>: {reason.format(tmp_path)}",
        "unread-include",
    )


@pytest.mark.parametrize("how", ["package", "environment", "allowed"])
def test_every_command_follows_includes_to_the_packages_given(how: str, tmp_path: Path) -> None:
    uri = "../library/box/model.sdf" if how == "allowed" else "model://box"
    world = save(
        tmp_path,
        worldfile__world=f'<sdf version="1.9"><world name="w"><include><uri>{uri}</uri></include></world></sdf>',
    )
    box = tmp_path / "library" / "box"
    box.mkdir(parents=True)
    (box / "model.sdf").write_text(sdf_model("box", 2), encoding="utf-8")
    options = {"package": ["--package", f"box={box}"], "environment": [], "allowed": ["--allow-outside"]}[how]
    env: dict[str, str | None] = {"GZ_SIM_RESOURCE_PATH": str(box.parent)} if how == "environment" else {}
    for command in (["check"], ["convert", "--format", "csv"], ["combine"], ["explain"]):
        given = [*command, str(world), *options]
        assert run(*given, env=env).returncode == 0, run(*given, env=env).err
        refused = run(*command, str(world))
        assert refused.returncode == 3
        assert "cannot follow <include>" in " ".join((refused.out + refused.err).split())


@pytest.mark.parametrize("dialect", ["mjcf", "sdf"])
def test_models_that_double_with_every_level_end(dialect: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # 26 small files would be read 2²⁵ times
    monkeypatch.setattr(includes, "MOST_FILES", 100)
    for level in range(26):
        below = "".join(f"<include><uri>l{level + 1}.xml</uri><name>{name}</name></include>" for name in "ab")
        attach = "".join(f'<attach model="m" prefix="{name}"/>' for name in "ab")
        assets = f'<asset><model name="m" file="l{level + 1}.xml"/></asset>'
        mjcf = f"<mujoco>{assets}<worldbody>{body('b', 1, attach)}</worldbody></mujoco>"
        save(tmp_path, **{f"l{level}": sdf_model("m", 1, below) if dialect == "sdf" else mjcf})
    links = read_robot(str(tmp_path / "l0.xml"))
    assert len(links) < 500
    assert any("more than 100 files are included" in str(x.error) for x in links)


# --- URDF ------------------------------------------------------------------------------------------------------------


def test_what_xacro_would_expand_is_an_error_and_the_rest_is_read(tmp_path: Path) -> None:
    # a file that was never expanded would pass with the few links that are written out
    path = tmp_path / "r.urdf"
    path.write_text(
        '<robot xmlns:xacro="http://ros.org/wiki/xacro" name="r">\n<xacro:include filename="arm.xacro"/>\n'
        '<xacro:property name="p" value="1"/><link name="a"/>\n<xacro:arm prefix="left"/></robot>',
        encoding="utf-8",
    )
    links = read_robot(str(path))
    assert [x.name for x in links if x.error is None] == ["a"]
    assert [str(x.error) for x in links if x.error is not None] == [
        f"{path}:{line}: <xacro:{tag}> is not expanded, so what it stands for is not read; "
        "expand it first: xacro FILE > robot.urdf"
        for line, tag in ((2, "include"), (4, "arm"))
    ]
    assert run("check", str(path)).returncode == 3
