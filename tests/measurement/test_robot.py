"""`measurement/robot`: links placed by joints, against hand calculation, MuJoCo and Pinocchio.

Modules tested: `measurement/robot`, `formats/robot/kinematics`.
"""

from __future__ import annotations

import math
import time
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import each, raised, refused
from console import run
from places import CORPUS

from massprops.errors import InvalidInput, MasspropsError, ReadError
from massprops.formats.robot import read_robot
from massprops.measurement.assembly import Assembly
from massprops.measurement.robot import Robot
from massprops.rigid_body.mass_properties import MassProperties

#: Products of a chain of a dozen rotations, each within some units of the last place.
TOLERANCE = 1e-12
POINT = '<inertial><origin xyz="{}"/><mass value="{}"/><inertia ixx="{i}" iyy="{i}" izz="{i}" ixy="0" ixz="0" iyz="0"/></inertial>'
BOX = '<visual><geometry><box size="1 1 1"/></geometry></visual>'


def combine_robot(
    path: Path, joints: Mapping[str, Any] | None = None, root: str | None = None, missing: Any = "error"
) -> Assembly:
    return Robot.of(read_robot(str(path)), str(path)).combine(joints or {}, root, missing)


def saved(tmp_path: Path, text: str, name: str = "robot.urdf") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def link(name: str, mass: float = 1.0, at: str = "0 0 0", inertia: float = 0.0) -> str:
    return f'<link name="{name}">{POINT.format(at, mass, i=inertia)}</link>'


def joint(name: str, parent: str, child: str, kind: str = "revolute", xyz: str = "0 0 0", more: str = "") -> str:
    limit = '<limit lower="-2" upper="2" effort="1" velocity="1"/>'
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}"/><axis xyz="0 0 1"/>{limit}{more}</joint>'
    )


def robot(*parts: str) -> str:
    return f'<robot name="r">{"".join(parts)}</robot>'


ARM = robot(
    link("base", 2.0),
    link("upper", 1.0, "1 0 0"),
    link("fore", 1.0, "1 0 0"),
    joint("shoulder", "base", "upper", xyz="0 0 1"),
    joint("elbow", "upper", "fore", xyz="2 0 0"),
)


def agree(ours: MassProperties, mass: float, com: np.ndarray, inertia: np.ndarray) -> None:
    size = math.sqrt(np.trace(inertia) / mass) + np.linalg.norm(com)
    assert ours.mass == pytest.approx(mass, rel=TOLERANCE)
    assert np.abs(ours.com - com).max() <= TOLERANCE * size
    assert np.abs(ours.inertia - inertia).max() <= TOLERANCE * mass * size**2


def test_two_bars_at_a_right_angle(tmp_path: Path) -> None:
    # masses 2, 1, 1 at (0,0,0), (1,0,1) and, the elbow at (2,0,1) turned by 90 degrees, (2,1,1)
    found = combine_robot(saved(tmp_path, ARM), joints={"elbow": "90deg"})
    points = np.array([[0, 0, 0], [1, 0, 1], [2, 1, 1]])
    expected = MassProperties.from_point_masses([2, 1, 1], points)
    agree(found.body.properties, 4.0, np.array([0.75, 0.25, 0.5]), expected.inertia)
    assert [part.body.name for part in found.parts] == ["base", "upper", "fore"]
    assert found.joints == {"shoulder": 0.0, "elbow": math.pi / 2}


def test_a_root_is_a_subtree_in_the_frame_of_its_link(tmp_path: Path) -> None:
    # in the frame of upper: 1 kg at (1,0,0), 1 kg at (2,1,0), whatever the shoulder does
    found = combine_robot(saved(tmp_path, ARM), joints={"elbow": "90deg", "shoulder": 1.0}, root="upper")
    assert found.body.properties.com == pytest.approx([1.5, 0.5, 0], abs=TOLERANCE)
    assert set(found.joints) == {"elbow"}


def test_a_mimic_joint_follows_and_a_slide_takes_a_length(tmp_path: Path) -> None:
    path = saved(
        tmp_path,
        robot(
            link("base"),
            *(link(name) for name in "abc"),
            joint("b_follows_a", "base", "b", "prismatic", more='<mimic joint="a" multiplier="-2" offset="0.5"/>'),
            joint("c_follows_b", "base", "c", "prismatic", more='<mimic joint="b_follows_a"/>'),
            joint("a", "base", "a", "prismatic"),
        ),
    )
    found = combine_robot(path, joints={"a": "125mm"})
    assert found.joints == {"a": 0.125, "b_follows_a": 0.25, "c_follows_b": 0.25}
    assert found.body.properties.com == pytest.approx([0, 0, 0.625 / 4], abs=TOLERANCE)
    assert "follows another; give a" in refused(InvalidInput, combine_robot, path, joints={"b_follows_a": 1})


def test_values_outside_limits_are_named(tmp_path: Path) -> None:
    found = combine_robot(saved(tmp_path, ARM), joints={"elbow": "120deg"})
    (finding,) = found.body.findings
    assert (finding.code, finding.severity, finding.limit) == ("joint-limits", "warning", 2.0)
    assert finding.message == "joint elbow is at 2.0944 rad, outside its limits -2 … 2 rad"


AB = link("a") + link("b")
MALFORMED = {
    "2 links have no parent: a, b; choose one as the root, or alone with #": AB,
    "1 link has geometry": f'<link name="a">{BOX}</link>' + link("b") + joint("j", "a", "b"),
    "no link states a mass": '<link name="a"/>',
    "link 'b' is the child of two joints": AB + joint("j", "a", "b") + joint("k", "a", "b"),
    "link 'a' is its own descendant": AB + joint("j", "a", "b") + joint("k", "b", "a"),
    "the parent of 'a', 'b', is not there": link("a") + joint("j", "b", "a"),
    "a joint has no child, or one that is not there": link("a") + joint("j", "a", "b"),
    "a second link is named 'a'": link("a") + link("a"),
    "joint 'j' follows itself": AB + joint("j", "a", "b", more='<mimic joint="j"/>'),
    "follows 'x', which is not a moving joint": AB + joint("j", "a", "b", more='<mimic joint="x"/>'),
    "axis has an axis of length 0": AB + joint("j", "a", "b").replace("0 0 1", "0 0 0"),
    "a second joint is named 'j'": AB + link("c") + joint("j", "a", "b") + joint("j", "a", "c"),
    "a has a mass of -1.0 kg": link("a", -1.0),
}
FLOATING = robot(AB, joint("j", "a", "b", "floating"))
#: Message by a robot and what is asked of it.
REFUSED = {
    "has no moving joint 'elbw'; did you mean elbow?": (ARM, {"joints": {"elbw": 1}}),
    "joint elbow must be an angle, got '12mm'": (ARM, {"joints": {"elbow": "12mm"}}),
    "joint elbow 90.0 rad is more than two turns": (ARM, {"joints": {"elbow": 90}}),
    "has no link 'uper'; did you mean upper?": (ARM, {"root": "uper"}),
    "joint 'j' has no single value": (FLOATING, {"joints": {"j": 1}}),
} | {message: (robot(parts), {}) for message, parts in MALFORMED.items()}


@pytest.mark.parametrize("message", REFUSED)
def test_what_makes_no_robot_is_refused(tmp_path: Path, message: str) -> None:
    text, arguments = REFUSED[message]
    caught = raised(MasspropsError, combine_robot, saved(tmp_path, text), **arguments)
    assert message in str(caught)
    assert len(caught.message) <= 200


def test_a_link_without_an_inertial_is_massless_only_if_asked(tmp_path: Path) -> None:
    path = saved(tmp_path, robot(f'<link name="a">{BOX}</link>', link("b", 3.0), joint("j", "a", "b", "fixed")))
    assert "massprops.fill computes it; missing='ignore'" in refused(ReadError, combine_robot, path)
    found = combine_robot(path, missing="ignore")
    assert found.body.properties.mass == 3.0
    assert [(f.code, f.severity) for f in found.body.findings] == [("geometry-without-inertial", "warning")]


def test_a_robot_without_any_mass_has_none_and_a_link_of_mass_0_is_a_frame(tmp_path: Path) -> None:
    """The advice was the option that was given: --missing ignore."""
    bare, frame = f'<link name="a">{BOX}</link>', link("b", 0.0).replace("</link>", f"{BOX}</link>")
    for text, advised in ((robot(bare), True), (robot(frame), False)):
        with pytest.raises(ReadError, match="no link has a mass, so the robot has none") as caught:
            combine_robot(saved(tmp_path, text), missing="ignore")
        assert "ignore" not in str(caught.value)
        assert ("massprops.fill" in caught.value.hint) == advised
    path = saved(tmp_path, robot(frame, link("c", 3.0), joint("j", "b", "c", "fixed")))
    with pytest.raises(ReadError, match="missing='ignore'"):
        combine_robot(path)
    assert combine_robot(path, missing="ignore").body.findings == ()


@each("mass", [0.0, -0.5])
def test_an_inertia_without_a_mass_is_refused_at_its_line(tmp_path: Path, mass: float) -> None:
    """It was a wrong call (2), without the file, and the advice was that for an item of an assembly."""
    path = saved(tmp_path, robot(link("a", mass, inertia=0.1), "\n", link("b", 3.0), joint("j", "a", "b", "fixed")))
    for text in (path, saved(tmp_path, "\n" + path.read_text(), "lower.urdf")):
        error = raised(ReadError, combine_robot, text, missing="ignore")
        assert (error.code, "massprops.fill" in error.hint) == ("non-positive-mass", False)  # it has no geometry
        assert str(error).startswith(f"{text}:{1 + (text != path)}: a has a mass of {mass}")
    shape = "</inertial><collision><geometry><box size='1 1 1'/></geometry></collision>"
    path.write_text(path.read_text().replace("</inertial>", shape, 1))
    assert "massprops.fill computes both" in raised(ReadError, combine_robot, path).hint
    done = run("fill", str(path), "--links", "all", "--density", "1000", "-o", str(tmp_path / "filled.urdf"))
    assert done.returncode == 0
    assert combine_robot(tmp_path / "filled.urdf").body.properties.mass == pytest.approx(1003)


def test_a_negative_mass_alone_is_not_said_to_have_an_inertia(tmp_path: Path) -> None:
    path = saved(tmp_path, robot(link("a", -1.0), link("b", 3.0), joint("j", "a", "b", "fixed")))
    assert "inertia" not in str(raised(ReadError, combine_robot, path))


def test_an_impossible_inertial_is_an_error(tmp_path: Path) -> None:
    text = ARM.replace('ixx="0.0"', 'ixx="5.0"', 1)
    assert "triangle-inequality" in {f.code for f in combine_robot(saved(tmp_path, text)).body.findings}


def test_what_is_fixed_is_lumped_into_the_link_that_moves(tmp_path: Path) -> None:
    # tool: 1 kg at (0,0,1) of fore, whose 1 kg is at (1,0,0); flange is massless and between them
    text = ARM.replace(
        "</robot>",
        f'<link name="flange"/>{link("tool")}{joint("f", "fore", "flange", "fixed", "0 0 0.5")}'
        f"{joint('t', 'flange', 'tool', 'fixed', '0 0 0.5')}</robot>",
    )
    lumped = Robot.of(read_robot(str(saved(tmp_path, text))), "r").lump_fixed("error")
    assert list(lumped) == ["base", "upper", "fore"]
    expected = MassProperties.from_point_masses([1, 1], [[1, 0, 0], [0, 0, 1]])
    agree(lumped["fore"].properties, 2.0, expected.com, expected.inertia)


def test_nothing_is_lumped_into_the_world(tmp_path: Path) -> None:
    path = saved(tmp_path, robot('<link name="world"/>', link("a"), joint("j", "world", "a", "fixed", "0 0 1")))
    lumped = Robot.of(read_robot(str(path)), "r").lump_fixed("error")
    assert list(lumped) == ["a"]
    assert combine_robot(path).body.properties.com.tolist() == [0, 0, 1]


# ---- SDFormat ------------------------------------------------------------------------------------------------------------


def sdf(*parts: str, version: str = "1.11") -> str:
    return f'<sdf version="{version}"><model name="m">{"".join(parts)}</model></sdf>'


def sdf_link(name: str, pose: str = "", mass: float = 1.0) -> str:
    return (
        f'<link name="{name}">{pose}<inertial><mass>{mass}</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia>'
        "</inertial></link>"
    )


def sdf_joint(name: str, parent: str, child: str, inner: str = "", pose: str = "", kind: str = "revolute") -> str:
    return f'<joint name="{name}" type="{kind}">{pose}<parent>{parent}</parent><child>{child}</child><axis>{inner}</axis></joint>'


def test_a_joint_of_sdf_turns_about_its_own_point(tmp_path: Path) -> None:
    # the joint is at (2,0,0) of the model: a half turn about z takes the link from (3,0,0) to (1,0,0)
    text = sdf(
        sdf_link("a"),
        sdf_link("b", "<pose>3 0 0 0 0 0</pose>"),
        sdf_joint("j", "a", "b", "<xyz>0 0 1</xyz>", "<pose>-1 0 0 0 0 0</pose>"),
    )
    found = combine_robot(saved(tmp_path, text, "m.sdf"), joints={"j": "180deg"})
    assert found.parts[1].body.properties.com == pytest.approx([1, 0, 0], abs=TOLERANCE)


QUARTER = "0 0 0 0 0 1.5707963267948966"


@pytest.mark.parametrize(
    ("axis", "version", "moved"),
    [
        # in the frame of the joint, which is that of its child, turned by 90 degrees
        ("<xyz>1 0 0</xyz>", "1.11", [0, 1, 0]),
        ('<xyz expressed_in="__model__">1 0 0</xyz>', "1.11", [1, 0, 0]),
        ('<xyz expressed_in="f">1 0 0</xyz>', "1.11", [0, 0, -1]),
        ("<xyz>1 0 0</xyz><use_parent_model_frame>true</use_parent_model_frame>", "1.6", [1, 0, 0]),
        ("<xyz>1 0 0</xyz>", "1.4", [1, 0, 0]),
    ],
)
def test_the_axis_of_sdf_is_in_the_frame_that_its_version_says(tmp_path, axis: str, version: str, moved: list) -> None:
    text = sdf(
        sdf_link("a"),
        sdf_link("b", f"<pose>{QUARTER}</pose>"),
        '<frame name="f"><pose>0 0 0 0 1.5707963267948966 0</pose></frame>',
        sdf_joint("j", "a", "b", axis, kind="prismatic"),
        version=version,
    )
    found = combine_robot(saved(tmp_path, text, "m.sdf"), joints={"j": 1.0})
    assert found.parts[1].body.properties.com == pytest.approx(moved, abs=TOLERANCE)


def test_frames_of_sdf_are_followed_into_models_and_back(tmp_path: Path) -> None:
    text = sdf(
        sdf_link("a", '<pose relative_to="f">1 0 0 0 0 0</pose>'),
        '<frame name="f" attached_to="inner::tip"><pose>0 0 1 0 0 0</pose></frame>',
        f'<model name="inner"><pose>0 5 0 {QUARTER[6:]}</pose>{sdf_link("base")}'
        f"{sdf_link('tip', '<pose>2 0 0 0 0 0</pose>')}</model>",
        sdf_joint("j", "a", "inner", "<xyz>0 0 1</xyz>"),
    )
    found = combine_robot(saved(tmp_path, text, "m.sdf"))
    at = {part.body.name: part.body.properties.com.tolist() for part in found.parts}
    assert at["inner::base"] == pytest.approx([0, 5, 0], abs=TOLERANCE)
    assert at["inner::tip"] == pytest.approx([0, 7, 0], abs=TOLERANCE)
    assert at["a"] == pytest.approx([0, 8, 1], abs=TOLERANCE)
    robot = Robot.of(read_robot(str(tmp_path / "m.sdf")), "m.sdf")
    assert robot.placements["inner::base"].parent == "a"  # a model stands for its first link


def test_a_placement_frame_is_what_the_pose_of_a_model_places(tmp_path: Path) -> None:
    text = sdf(
        f'<model name="n" placement_frame="tip"><pose>0 0 9 0 0 0</pose>{sdf_link("tip", "<pose>2 0 0 0 0 0</pose>")}</model>'
    )
    assert combine_robot(saved(tmp_path, text, "m.sdf")).body.properties.com == pytest.approx([0, 0, 9])


def test_a_link_that_places_its_own_model_is_no_circle(tmp_path: Path) -> None:
    model = '<model name="n{0}" placement_frame="{1}"><pose>0 0 9 0 0 0</pose>{2}</model>'
    inner, name = sdf_link("tip", "<pose>2 0 0 0 0 0</pose>"), "tip"
    for level in range(15):  # each is looked at from outside and alone: twice the work per level if nothing were kept
        inner, name = model.format(level, name, inner), f"n{level}::{name}"
    assert combine_robot(saved(tmp_path, sdf(inner), "m.sdf")).body.properties.com == pytest.approx([0, 0, 9])


def test_a_chain_of_hundreds_of_frames_is_followed(tmp_path: Path) -> None:
    links = "".join(sdf_link(f"l{k + 1}", f'<pose relative_to="l{k}">1 0 0 0 0 0</pose>') for k in range(400))
    found = combine_robot(saved(tmp_path, sdf(sdf_link("l0"), links), "m.sdf"))
    assert found.body.properties.com == pytest.approx([200, 0, 0])


@pytest.mark.parametrize("merge", ["", ' merge="true"'])
def test_an_included_model_stands_where_its_include_says(tmp_path: Path, merge: str) -> None:
    (tmp_path / "part").mkdir()
    saved(tmp_path / "part", sdf(sdf_link("p"), sdf_link("q", "<pose>1 0 0 0 0 0</pose>")), "part.sdf")
    text = sdf(f"<include{merge}><uri>part/part.sdf</uri><pose>0 0 3 0 0 0</pose></include>")
    found = combine_robot(saved(tmp_path, text, "m.sdf"))
    assert found.body.properties.com == pytest.approx([0.5, 0, 3])


#: A model whose links, frames and joints are placed in every way that SDFormat has, and the frame of the model named in each.
PLACED = (
    sdf_link("p", "<pose>1 0 0 0 0 0.3</pose>", 2.0),
    sdf_link("q", mass=3.0),
    '<frame name="f" attached_to="p"><pose>0 1 0 0.2 0 0</pose></frame>',
    '<frame name="g" attached_to="__model__"><pose>0 0 2 0 0 0</pose></frame>',
    sdf_link("r", '<pose relative_to="f">0 0 1 0 0 0</pose>', 5.0),
    sdf_link("s", '<pose relative_to="__model__">0 -2 0 0 0 0</pose>', 7.0),
    sdf_link("t", '<pose relative_to="g"/>', 11.0),
    sdf_joint("j", "q", "p", '<xyz expressed_in="__model__">1 2 3</xyz>', "<pose>0 1 0 0 0 0</pose>"),
    '<model name="inner"><pose>4 0 0 0 0.5 0</pose>'
    + sdf_link("u", '<pose relative_to="__model__">0 0 3 0 0 0</pose>', 13.0),
    "</model>",
)


@pytest.mark.parametrize("placing", ["<pose>3 6 9 0.4 -0.7 1.1</pose>", ""])
def test_a_merged_model_stands_as_a_nested_one(tmp_path: Path, placing: str) -> None:
    """http://sdformat.org/tutorials?tut=composition_proposal: merging changes the names, not where links are and how they turn."""
    (tmp_path / "part").mkdir()
    saved(tmp_path / "part", sdf(*PLACED), "part.sdf")
    found = []
    for merge, joint in (("true", "j"), ("1", "j"), ("false", "m::j")):
        include = f'<include merge="{merge}"><uri>part/part.sdf</uri>{placing}</include>'
        path = saved(tmp_path, sdf(include).replace('name="m"', 'name="outer"'), "outer.sdf")
        found += [combine_robot(path).body.properties, combine_robot(path, joints={joint: 0.8}).body.properties]
    for rest, turned in zip(found[::2], found[1::2], strict=True):
        assert rest.mass == 41.0
        # some ten products of rotations, and distances up to 20 m
        assert rest.com == pytest.approx(found[0].com, abs=1e-13)
        assert rest.inertia == pytest.approx(found[0].inertia, abs=1e-10)
        assert turned.com == pytest.approx(found[1].com, abs=1e-13)
    assert np.abs(found[0].com - found[1].com).max() > 0.01


def test_several_models_stand_in_their_world(tmp_path: Path) -> None:
    models = "".join(
        f'<model name="{n}"><pose>{x} 0 0 0 0 0</pose>{sdf_link("l")}</model>' for n, x in (("a", 1), ("b", 4))
    )
    path = saved(tmp_path, f'<sdf version="1.9"><world name="w">{models}</world></sdf>', "w.sdf")
    assert combine_robot(path).body.properties.com == pytest.approx([2.5, 0, 0])
    assert combine_robot(path, root="b::l").body.properties.com.tolist() == [0, 0, 0]


ELSEWHERE = '<pose relative_to="{}">1 0 0 0 0 0</pose>'
UNPLACED = [
    ('<model name="n"><frame name="f"/></model>' + sdf_link("a") + sdf_joint("j", "n", "a"), "no frame is named ''"),
    (sdf_link("a", ELSEWHERE.format("x")), "no frame is named 'x'"),
    (sdf_link("a", ELSEWHERE.format("a")), "a frame is placed relative to itself"),
    ("".join(sdf_link(a, ELSEWHERE.format(b)) for a, b in ("ab", "ba")), "a frame is placed relative to itself"),
    (sdf_link("a") + '<frame name="f" attached_to="f"/>' + sdf_joint("j", "f", "a"), "'f' is attached to no link"),
    (sdf_link("a") + "".join(sdf_joint(j, "world", "a") for j in "jk"), "link 'a' is the child of two joints"),
    ('{}<frame name="f5000"/>' + sdf_link("a", ELSEWHERE.format("f0")), "a frame is placed relative to itself"),
]


@pytest.mark.parametrize(("parts", "message"), UNPLACED, ids=range(len(UNPLACED)))
def test_what_sdf_cannot_place_is_refused(tmp_path: Path, parts: str, message: str) -> None:
    chain = "".join(f'<frame name="f{i}"><pose relative_to="f{i + 1}"/></frame>' for i in range(5000))
    with pytest.raises(ReadError, match=message):
        combine_robot(saved(tmp_path, sdf(parts.replace("{}", chain)), "m.sdf"))


# ---- MJCF and independent readers ---------------------------------------------------------------------------------------

INERTIAL = '<inertial pos="0.1 0.2 -0.3" mass="{}" fullinertia="3 4 5 0.3 -0.2 0.1"/>'
MODEL = f"""<mujoco>
  <compiler angle="{{angle}}" eulerseq="zYx"/>
  <default><default class="c"><joint axis="1 2 3" pos="0.1 0 0.2"/></default></default>
  <worldbody>
    <frame pos="0 1 0" euler="10 20 30">
      <body name="base" pos="1 2 3" quat="1 2 3 4">{INERTIAL.format(2)}
        <freejoint name="free"/>
        <body name="a" childclass="c" axisangle="1 1 0 40">{INERTIAL.format(1.5)}
          <joint name="h1"/><joint name="s1" type="slide" axis="0 1 1"/>
          <frame pos="0 0 1" xyaxes="0 1 0 -1 0 0"><joint name="h2" class="c" ref="20" axis="0 0 1"/>
            <body name="b" pos="0.5 0 0"><joint name="ball" type="ball" pos="0 0 1"/>{INERTIAL.format(0.7)}</body>
          </frame>
        </body>
        <body name="c" pos="0 0 1" zaxis="1 0 1">{INERTIAL.format(3)}
          <joint name="led" axis="0 1 0" ref="5"/><body name="d"><joint name="e" axis="1 0 0"/>{INERTIAL.format(1)}</body>
        </body>
      </body>
    </frame>
  </worldbody>
  <equality><joint joint1="led" joint2="h1" polycoef="0.1 0.5 0.25 0 0"/></equality>
</mujoco>"""


@pytest.mark.parametrize("angle", ["degree", "radian"])
def test_a_model_of_many_joints_is_that_of_mujoco(tmp_path: Path, angle: str) -> None:
    mujoco = pytest.importorskip("mujoco")
    path = saved(tmp_path, MODEL.format(angle=angle), "m.xml")
    given = {"h1": 0.3, "s1": 0.2, "h2": 0.9, "e": -0.4}
    found = combine_robot(path, joints=given)
    # q1 = q1_0 + a0 + a1 x + a2 x², x that of the leader
    five = math.radians(5) if angle == "degree" else 5.0
    assert found.joints["led"] == pytest.approx(five + 0.1 + 0.5 * 0.3 + 0.25 * 0.3**2, rel=1e-15)
    agree(found.body.properties, *of_mujoco(mujoco, mujoco.MjModel.from_xml_path(str(path)), found.joints))
    assert [f.code for f in found.body.findings] == ["joint-at-rest"] * 2  # free and ball


def test_equalities_are_not_looked_through_for_each_joint(tmp_path: Path) -> None:
    """With 5,000 of them that took four times as long as the joints alone."""
    joints, equalities = ("".join(f'<joint {name}="j{i}"/>' for i in range(5_000)) for name in ("name", "joint1"))
    body = f'<worldbody><body name="a">{joints}{INERTIAL.format(1)}</body></worldbody>'
    seconds = []
    for more in ("", f"<equality>{equalities}</equality>"):
        path = saved(tmp_path, f"<mujoco>{body}{more}</mujoco>", "m.xml")
        start = time.process_time()
        assert len(combine_robot(path).joints) == 5_000
        seconds.append(time.process_time() - start)
    assert seconds[1] < 3 * seconds[0]


def test_joints_without_a_name_are_numbered(tmp_path: Path) -> None:
    text = f'<mujoco><worldbody><body name="a"><joint/><joint type="slide"/>{INERTIAL.format(1)}</body></worldbody></mujoco>'
    found = combine_robot(saved(tmp_path, text, "m.xml"), joints={"a.joint2": 2})
    assert found.joints == {"a.joint1": 0, "a.joint2": 2}
    assert found.body.properties.com == pytest.approx([0.1, 0.2, 1.7])


def test_values_beyond_all_numbers_are_refused(tmp_path: Path) -> None:
    follow = '<mimic joint="a" multiplier="1e300"/>'
    text = robot(link("l"), link("m"), link("n"), joint("a", "l", "m", "prismatic"), joint("b", "l", "n", more=follow))
    with pytest.raises(MasspropsError, match="the value of joint 'b' is not finite"):
        combine_robot(saved(tmp_path, text), joints={"a": 1e300})


def of_mujoco(mujoco, model, values: dict[str, float]) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre and central inertia of all bodies, in the frame of the world."""
    data = mujoco.MjData(model)
    for name, value in values.items():
        if model.joint(name).type[0] >= int(mujoco.mjtJoint.mjJNT_SLIDE):  # then hinge; free and ball come before
            data.qpos[model.joint(name).qposadr[0]] = value
    mujoco.mj_forward(model, data)
    com, inertia = data.subtree_com[0].copy(), np.zeros((3, 3))
    for i in range(1, model.nbody):
        turn = data.ximat[i].reshape(3, 3)
        apart = data.xipos[i] - com
        steiner = model.body_mass[i] * (apart @ apart * np.eye(3) - np.outer(apart, apart))
        inertia += turn @ np.diag(model.body_inertia[i]) @ turn.T + steiner
    return float(model.body_subtreemass[0]), com, inertia


def test_an_attached_model_stands_in_the_frame_that_attaches_it(tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    saved(
        tmp_path,
        f'<mujoco><worldbody><body name="o"><body name="p" pos="1 0 0"><joint name="j"/>{INERTIAL.format(1)}'
        f'<body name="q" pos="0 1 0">{INERTIAL.format(2)}<joint name="k" axis="1 0 0"/></body></body></body></worldbody></mujoco>',
        "part.xml",
    )
    path = saved(
        tmp_path,
        '<mujoco><asset><model name="part" file="part.xml"/></asset><worldbody><body name="base" pos="0 0 1">'
        f'{INERTIAL.format(1)}<frame pos="0 2 0" euler="0 0 30"><attach model="part" body="p" prefix="left_"/></frame></body>'
        "</worldbody></mujoco>",
        "m.xml",
    )
    found = combine_robot(path, joints={"left_j": 0.3, "left_k": 0.4})
    agree(found.body.properties, *of_mujoco(mujoco, mujoco.MjModel.from_xml_path(str(path)), found.joints))


ROBOTS = sorted((CORPUS / "robots").rglob("*.urdf"))


def at_random(path: Path) -> dict[str, float]:
    draw = np.random.default_rng(len(path.name))
    joints = Robot.of(read_robot(str(path)), str(path)).joints.values()
    return {j.name: draw.uniform(-1, 1) for j in joints if j.mimic is None and j.kind != "other"}


@pytest.mark.skipif(not ROBOTS, reason=f"no corpus of robots at {CORPUS}")
@pytest.mark.parametrize("path", ROBOTS, ids=lambda path: path.stem)
def test_real_robots_are_those_of_pinocchio(path: Path) -> None:
    pinocchio = pytest.importorskip("pinocchio")
    found = combine_robot(path, joints=at_random(path), missing="ignore")
    model = pinocchio.buildModelFromUrdf(str(path))
    data, q = model.createData(), pinocchio.neutral(model)
    for name, value in found.joints.items():
        joint = model.joints[model.getJointId(name)]
        q[joint.idx_q : joint.idx_q + joint.nq] = [value] if joint.nq == 1 else [math.cos(value), math.sin(value)]
    pinocchio.forwardKinematics(model, data, q)
    total = model.inertias[0]  # what is fixed to the root, which computeTotalMass leaves out
    for i in range(1, model.njoints):
        total += data.oMi[i].act(model.inertias[i])
    agree(found.body.properties, total.mass, total.lever, total.inertia)


@pytest.mark.skipif(not ROBOTS, reason=f"no corpus of robots at {CORPUS}")
@pytest.mark.parametrize("path", ROBOTS, ids=lambda path: path.stem)
def test_real_robots_are_those_of_mujoco(path: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    root = ET.parse(path).getroot()  # noqa: S314  # a file of the corpus
    for node in root.findall("link"):
        for shape in [*node.findall("visual"), *node.findall("collision")]:
            node.remove(shape)
    for node in root.findall("joint"):  # MuJoCo follows mimic joints only while it simulates
        for mimic in node.findall("mimic"):
            node.remove(mimic)
    ET.SubElement(ET.SubElement(root, "mujoco"), "compiler", fusestatic="false", balanceinertia="false")
    try:
        model = mujoco.MjModel.from_xml_string(ET.tostring(root, encoding="unicode"))
    except ValueError as error:
        pytest.skip(f"MuJoCo does not load it: {error}")
    found = combine_robot(path, joints=at_random(path), missing="ignore")
    agree(found.body.properties, *of_mujoco(mujoco, model, found.joints))
