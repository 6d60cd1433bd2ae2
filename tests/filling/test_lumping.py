"""URDF with fixed links merged: the same body, the same joints, and not one byte changed elsewhere."""

from __future__ import annotations

import re

import numpy as np
import pytest
from places import CORPUS

from massprops.errors import InvalidInput
from massprops.filling.lumping import lump_fixed
from massprops.formats.robot.opening import links_of
from massprops.measurement.robot import Robot

INERTIAL = """<inertial><origin xyz="{}" rpy="0.1 0.2 0.3"/><mass value="{}"/>
      <inertia ixx="3" ixy="0.2" ixz="-0.1" iyy="4" iyz="0.3" izz="5"/></inertial>""".replace("\n      ", "")
ARM = f"""<robot name="arm">
  <!-- kept -->
  <link name="base"/>
  <link name="mount">
    {INERTIAL.format("1 2 3", 2)}
    <visual name="drawn">
      <geometry><box size="1 1 1"/></geometry>
    </visual>
  </link>
  <joint name="fixed_1" type="fixed">
    <parent link="base"/><child link="mount"/><origin xyz="0 0 1" rpy="0 0 1.5707963267948966"/>
  </joint>
  <link name="upper">
    {INERTIAL.format("0 1 0", 1)}
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="mount"/><child link="upper"/><origin xyz="1 0 0"/><axis xyz="0 1 0"/><limit lower="-3" upper="3"/>
  </joint>
  <link name="tool">{INERTIAL.format("0 0 1", 3)}
    <collision><origin xyz="0 0 1"/><geometry><sphere radius="1"/></geometry></collision>
  </link>
  <joint name="fixed_2" type="fixed"><origin xyz="0 2 0" rpy="1 2 3"/><parent link="upper"/><child link="tool"/></joint>
  <gazebo reference="tool"/>
  <transmission name="t"><joint name="shoulder"/></transmission>
</robot>
"""


def robot(data: bytes) -> Robot:
    return Robot.of(links_of(data, "r.urdf"), "r.urdf")


def test_the_lumped_robot_is_the_same_body_at_every_position() -> None:
    data, found = lump_fixed(ARM.encode(), "r.urdf")
    before, after = robot(ARM.encode()), robot(data)
    assert list(after.links) == ["base", "upper"]
    for angle in (0.0, 0.7, -2.0):
        one, other = (r.combine({"shoulder": angle}, None, "error").body.properties for r in (before, after))
        assert other.mass == pytest.approx(one.mass, rel=1e-15)
        assert other.com == pytest.approx(one.com, abs=1e-14)
        assert other.inertia == pytest.approx(one.inertia, abs=1e-13)
    assert [(f.code, f.severity, f.where) for f in found] == [("stale-reference", "warning", "r.urdf:23")]


def test_geometry_stays_where_it_was() -> None:
    links = robot(lump_fixed(ARM.encode(), "r.urdf")[0]).links
    (drawn,), (solid,) = links["base"].visual, links["upper"].collision
    assert drawn.pose.matrix == pytest.approx(
        np.array([[0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 1], [0, 0, 0, 1]]), abs=1e-15
    )
    turn = robot(ARM.encode()).placements["tool"].pose
    assert solid.pose.translation == pytest.approx(turn.apply([0, 0, 1]), abs=1e-15)
    assert solid.pose.rotation == pytest.approx(turn.rotation, abs=1e-15)


def test_what_is_not_fixed_keeps_its_bytes() -> None:
    data = lump_fixed(ARM.encode(), "r.urdf")[0].decode()
    transmission = '<transmission name="t"><joint name="shoulder"/></transmission>'
    assert all(kept in data for kept in ("<!-- kept -->", transmission, '<axis xyz="0 1 0"/>'))
    assert re.search(r'\n    <visual name="drawn">\n      <origin|\n    <visual name="drawn"><origin', data)
    assert "mount" not in data
    assert "fixed_" not in data
    moving = re.sub(r'<joint name="fixed.*?</joint>', "", ARM, flags=re.DOTALL)
    only = re.sub(r'<link name="(mount|tool)">.*?</link>', "", moving, flags=re.DOTALL).replace('"mount"', '"base"')
    assert lump_fixed(only.encode(), "r.urdf")[0].decode() == only


def test_a_link_of_any_name_is_a_parent() -> None:
    """The parent of `shoulder` is written anew: base, with which mount is lumped."""
    data = lump_fixed(ARM.replace('"base"', '"a&amp;&quot;&lt;\'ß"').encode(), "r.urdf")[0]
    assert list(robot(data).links) == ["a&\"<'ß", "upper"]
    assert robot(data).placements["upper"].pose.matrix == pytest.approx(
        robot(lump_fixed(ARM.encode(), "r.urdf")[0]).placements["upper"].pose.matrix
    )


def test_only_urdf_is_written() -> None:
    with pytest.raises(InvalidInput, match="only URDF is written"):
        lump_fixed(
            b'<mujoco><worldbody><body name="b"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody></mujoco>',
            "m.xml",
        )


ROBOTS = sorted((CORPUS / "robots").rglob("*.urdf"))


@pytest.mark.skipif(not ROBOTS, reason=f"no corpus of robots at {CORPUS}")
@pytest.mark.parametrize("path", ROBOTS, ids=lambda path: path.stem)
def test_real_robots_are_lumped(path) -> None:
    # the function itself compares the masses, centres and tensors of both at two positions; nothing is left to merge
    data, _ = lump_fixed(path.read_bytes(), str(path), "ignore")
    again = Robot.of(links_of(data, str(path)), str(path))
    assert set(again.links) == {head for head, _ in again.groups().values()}
    assert lump_fixed(data, str(path), "ignore")[0] == data
