"""URDF: links with their inertials, `<visual>` and `<collision>`. https://wiki.ros.org/urdf/XML/link"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from massprops.errors import ReadError
from massprops.formats.inertial.numbers import check_expanded, number, numbers, unit_vector
from massprops.formats.inertial.urdf import body_of, placed_at
from massprops.formats.robot.kinematics import KINDS, Joint, Kind, Mimic, Placement
from massprops.formats.robot.links import LENGTHS, Geometry, Link, Mesh, Primitive, Unread, drawn, guarded, stated
from massprops.formats.text import EXPAND, quoted
from massprops.formats.xml import Node


def links(root: Node) -> Iterator[Link]:
    """The links of a `<robot>`, or a `<link>` by itself, in the order of the file."""
    joints: dict[str, list[Node]] = {}
    for joint in root.all("joint"):
        for child in joint.all("child"):
            joints.setdefault(child.attributes.get("link", ""), []).append(joint)
    names = {node.attributes.get("name") for node in root.all("link")}
    loose = [j for j in root.all("joint") if [c.attributes.get("link") in names for c in j.all("child")] != [True]]
    for node in [root] if root.tag == "link" else root.all("link"):
        name = node.attribute("name")
        yield guarded(name, node, lambda node=node, name=name: _link(name, node, joints.get(name, []), loose))  # type: ignore[misc]
    yield from (
        Link(None, node.place, error=_unexpanded(node))
        for node in root.children
        if node.tag.startswith("xacro:") and node.tag not in ("xacro:arg", "xacro:property")
    )


def _unexpanded(node: Node) -> ReadError:
    """The error of an element of xacro, which may stand for any number of links."""
    message = f"{node.place}: <{node.tag[:40]}> is not expanded, so what it stands for is not read"
    return ReadError(message, code="unread-include", hint=EXPAND)


def _link(name: str, node: Node, joints: Sequence[Node], loose: Sequence[Node]) -> Link:
    check_expanded(name, node.place, "the name")
    inertial = node.one("inertial")
    body, error = stated(lambda: None if inertial is None else body_of(name, inertial))
    visual, collision = (tuple(map(_geometry, node.all(tag))) for tag in ("visual", "collision"))
    fixed = any(joint.attributes.get("type") == "fixed" for joint in joints)
    return Link(
        name, node.place, body, error, visual, collision, fixed, placement=lambda: _placement(name, joints, loose)
    )


def _placement(name: str, joints: Sequence[Node], loose: Sequence[Node]) -> Placement:
    if len(joints) > 1:
        what = f"link {quoted(name)} is the child of two joints"
        raise ReadError(what, place=joints[1].place, code="not-a-tree", hint="in URDF a link has one parent")
    if loose:
        raise ReadError("a joint has no child, or one that is not there", place=loose[0].place, code="no-link")
    if not joints:
        return Placement(None, None)
    node = joints[0]
    kind, pose = node.attribute("type"), placed_at(node)
    moving = () if kind == "fixed" else (_joint(node, KINDS.get(kind, "other")),)
    return Placement(node.need("parent").attribute("link"), pose, moving, node.place)


def _joint(node: Node, kind: Kind) -> Joint:
    name, axis, limit, mimic = node.attribute("name"), node.one("axis"), node.one("limit"), node.one("mimic")
    xyz = [1.0, 0.0, 0.0] if axis is None else numbers(axis.attribute("xyz"), 3, axis.place, "axis")
    limits = (-math.inf, math.inf)
    if limit is not None and node.attributes["type"] in ("revolute", "prismatic"):
        limits = _value(limit, "lower", "0"), _value(limit, "upper", "0")
    follows = None
    if mimic is not None:
        follows = Mimic(mimic.attribute("joint"), (_value(mimic, "offset", "0"), _value(mimic, "multiplier", "1")))
    direction = np.zeros(3) if kind == "other" else unit_vector(np.array(xyz), node.place, "axis")
    return Joint(name, node.place, kind, direction, np.zeros(3), limits, mimic=follows)


def _value(node: Node, name: str, default: str) -> float:
    return number(node.attributes.get(name, default), node.place, name)


def _geometry(node: Node) -> Geometry:
    return drawn(node, lambda: placed_at(node), _solid)


def _solid(node: Node) -> Mesh | Primitive | Unread:
    if node.tag == "mesh":
        scale = node.attributes.get("scale", "1 1 1")
        if len(scale.split()) == 1:  # Bullet's importer takes one number for all three axes, and files rely on it
            scale = " ".join([scale] * 3)
        return Mesh(node.attribute("filename"), tuple(numbers(scale, 3, node.place, "scale")))
    if node.tag == "box":
        return Primitive.of("box", numbers(node.attribute("size"), 3, node.place, "size"))
    if node.tag in ("cylinder", "capsule", "sphere"):
        return Primitive.of(node.tag, (number(node.attribute(n), node.place, n) for n in LENGTHS[node.tag]))
    return Unread(f"<{node.tag}> is not a geometry of URDF")
