"""URDF that an SDFormat file includes: a model whose links stay as URDF states them, placed and joined as its joints say.

Links that are fixed to others stay links of their own; libsdformat adds them to those, with the same total.

Tests: `tests/formats/robot/test_sdf.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from massprops.formats.inertial.numbers import words
from massprops.formats.robot import urdf
from massprops.formats.robot.expansion import unexpanded_elements
from massprops.formats.robot.sdf_versions import LATEST
from massprops.formats.xml import Node

#: Attribute of a link whose children are those of URDF: no name that XML can hold. It holds the elements of `<gazebo>` for it.
IS_URDF = " urdf"


def model_of(robot: Node) -> Node:
    """The `<model>` that a `<robot>` is; ReadError where a macro of xacro stands for links."""
    for _, error in unexpanded_elements(robot):
        raise error
    urdf.mark_ignored(robot)
    joints = robot.all("joint")
    above = {child.attributes.get("link", ""): joint for joint in joints for child in joint.all("child")}
    gazebo = urdf.gazebo_elements(robot)
    links = [_link(node, above.get(node.attributes.get("name", "")), gazebo) for node in robot.all("link")]
    attributes = robot.attributes | {"version": LATEST}
    return replace(robot, tag="model", attributes=attributes, children=[*links, *map(_joint, joints)])


def _link(link: Node, joint: Node | None, gazebo: Mapping[str, list[str]]) -> Node:
    names = [node.attributes.get("name", "") for node in (link, joint) if node is not None]
    attributes = {**link.attributes, IS_URDF: " ".join(tag for name in names for tag in gazebo.get(name, ()))}
    return replace(link, attributes=attributes, children=[*link.children, *([] if joint is None else [_pose(joint)])])


def _pose(joint: Node) -> Node:
    """The pose of the child of a joint, in the frame of its parent."""
    pose, form = urdf.origin_pose(joint), {"rotation_format": "quat_xyzw"}
    w, *xyz = pose.to_quaternion_wxyz().tolist()
    text = words([*pose.translation.tolist(), *xyz, w])
    return _element(joint, "pose", text, relative_to=joint.need("parent").attribute("link"), **form)


def _joint(joint: Node) -> Node:
    axis, limit, mimic = joint.one("axis"), joint.one("limit"), joint.one("mimic")
    turns = [_element(joint, "xyz", "1 0 0" if axis is None else axis.attribute("xyz"))]
    if limit is not None:
        values = [_element(joint, name, limit.attributes.get(name, "0")) for name in ("lower", "upper")]
        turns.append(replace(_element(joint, "limit", ""), children=values))
    if mimic is not None:
        values = [_element(joint, name, mimic.attributes[name]) for name in _MIMIC if name in mimic.attributes]
        turns.append(replace(_element(joint, "mimic", "", joint=mimic.attribute("joint")), children=values))
    ends = [_element(joint, tag, joint.need(tag).attribute("link")) for tag in ("parent", "child")]
    return replace(joint, children=[*ends, replace(_element(joint, "axis", ""), children=turns)])


_MIMIC = ("multiplier", "offset")


def _element(at: Node, tag: str, text: str, /, **attributes: str) -> Node:
    return Node(tag, attributes, at.place, text=text)
