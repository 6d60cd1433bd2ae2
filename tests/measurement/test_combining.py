"""`massprops.combine` joins what Python holds and what files hold as the algebra of bodies does."""

from __future__ import annotations

import console
import numpy as np
import pytest

import massprops
from massprops import Pose, shapes

BOX, BALL = shapes.box(1, 2, 3, mass=2.0), shapes.sphere(0.5, mass=3.0)
ASIDE = Pose.from_xyz_rpy([1, 2, 3], [0.1, 0.2, 0.3])
LINK = (
    '<link name="{}"><inertial><origin xyz="1 0 0"/><mass value="1"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
)
ARM = (
    f'<robot name="r">{LINK.format("base")}{LINK.format("tip")}<joint name="elbow" type="continuous">'
    '<parent link="base"/><child link="tip"/><axis xyz="0 0 1"/></joint></robot>'
)


@pytest.fixture
def arm(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    return path


def assert_same(one, other):
    np.testing.assert_allclose(one.mass, other.mass, rtol=1e-14)
    np.testing.assert_allclose(one.com, other.com, rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(one.inertia, other.inertia, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize(
    ("items", "said"),
    [
        ([shapes.box(1, 1, 1, mass=1e308)] * 2, "the sum of the masses is too large for a double-precision number"),
        ([(BOX, Pose.from_xyz_rpy([1e200, 0, 0])), BALL], "inertia must be finite"),
        ([(BOX, Pose.from_xyz_rpy([1e308, 0, 0])), (BALL, Pose.from_xyz_rpy([-1e308, 0, 0]))], "must be finite"),
        ([(shapes.box(1, 1, 1, mass=1e200), Pose.from_xyz_rpy([1e200, 0, 0])), BALL], "must be finite"),
    ],
)
def test_what_is_no_number_is_refused_without_warnings(items, said):
    """Numpy's warnings are errors in these tests."""
    with pytest.raises(massprops.InvalidInput, match=said):
        massprops.combine(*items).body  # noqa: B018


def test_bodies_are_joined_at_their_poses():
    whole = massprops.combine(BOX, (BALL, ASIDE), (BALL, [Pose.identity(), ASIDE]), name="all").body
    assert_same(whole.properties, BOX + BALL.transformed(ASIDE) + BALL + BALL.transformed(ASIDE))
    assert whole.name == "all"


def test_a_measurement_is_a_body_and_without_a_mass_none():
    corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    part = massprops.measure(corners, density=6.0)
    assert_same(massprops.combine(part, BOX).body.properties, part.properties + BOX)
    with pytest.raises(massprops.InvalidInput, match=r"items\[1\] is a Measurement without a mass"):
        massprops.combine(BOX, massprops.measure(corners))


def test_the_joints_of_a_robot_turn_its_links(arm):
    whole = massprops.combine(arm, joints={"elbow": "180deg"}).body
    assert_same(whole.properties, massprops.MassProperties(2.0, [0, 0, 0], np.diag([2.0, 4.0, 4.0])))


def test_files_are_joined_as_the_command_joins_them(arm):
    pose = "1 2 3 0 0 90deg"
    printed = console.run("combine", f"{arm}#base", "--at", pose, arm, "--format", "urdf").out
    quarter = Pose.parse(pose)
    whole = massprops.combine((f"{arm}#base", quarter), arm, name="combined")
    assert f"<!-- in the frame of {whole.frame} -->\n" + massprops.write([whole.body], "urdf")[0] == printed


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: massprops.combine(), "items: no body given"),
        (lambda: massprops.combine(3), r"items\[0\] is a int without a mass"),
        (lambda: massprops.combine(BOX, joints={3: 1}), "joints must be a mapping of names to values, got 3"),
        (lambda: massprops.combine(BOX, joints={"elbow": 1}), "joint is for one robot file, and there are 0"),
    ],
)
def test_what_cannot_be_combined_is_refused(call, message):
    with pytest.raises(massprops.InvalidInput, match=message):
        call()


def test_a_robot_of_one_link_takes_the_options_of_robots(tmp_path):
    (tmp_path / "r.urdf").write_text(f'<robot name="r">{LINK.format("l")}</robot>')
    for options in ({"missing": "ignore"}, {"root": "l"}):
        assert massprops.combine(tmp_path / "r.urdf", **options).body.properties.mass == 1
