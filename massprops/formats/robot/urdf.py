"""URDF: links with their inertials, `<visual>` and `<collision>`. https://wiki.ros.org/urdf/XML/link

The inertia is that about the centre of mass, in the axes of `<origin>`; `ixy` is the tensor element −∫ρ x y; all six attributes are
required. rpy turns about fixed axes; `quat_xyzw` in its place is of version 1.1 (urdfdom 5.1), and ignored in older documents, which
are those that state no version.

Tests: `tests/formats/robot/test_links.py`.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from massprops.errors import ReadError
from massprops.formats.inertial.inertial import ENTRIES, Inertial, NamedBody, WriteOptions, numbers_of, symmetric
from massprops.formats.inertial.numbers import (
    MACROS,
    check_expanded,
    number,
    numbers,
    rotation_of,
    shortest,
    unit_vector,
    words,
)
from massprops.formats.robot.expansion import unexpanded_elements
from massprops.formats.robot.kinematics import JOINT_TYPES, Joint, JointType, LinkPlacement, Mimic
from massprops.formats.robot.links import LENGTHS, Geometry, Link, LinkMesh, Primitive, UnsupportedGeometry
from massprops.formats.robot.sdf_versions import version_of
from massprops.formats.text import quote
from massprops.formats.xml import Node, in_link, serialise
from massprops.frames import Pose


def body_of(name: str | None, node: Node) -> NamedBody:
    """The body of an `<inertial>`.

    Raises
    ------
    ReadError
        If an element or attribute is missing, doubled or no number.
    """
    mass, inertia = node.need("mass"), node.need("inertia")
    tensor = symmetric(**{name[1:]: number(inertia.attribute(name), inertia.place, name) for name in ENTRIES})
    stated = Inertial(number(mass.attribute("value"), mass.place, "mass"), origin_pose(node), tensor)
    return NamedBody.of(name, stated, node.place, "urdf")


def origin_pose(node: Node) -> Pose:
    """The pose that the `<origin>` of an element states; the identity if there is none."""
    origin = node.one("origin")
    return Pose.identity() if origin is None else pose_of(origin)


def pose_of(origin: Node) -> Pose:
    """The pose of an `<origin>`; ReadError if `xyz` or `rpy` is not three numbers, or a quaternion does not count."""
    texts = {name: origin.attributes.get(name, "0 0 0") for name in ("xyz", "rpy")}
    pose = Pose.from_xyz_rpy(*(numbers(text, 3, origin.place, f"origin {name}") for name, text in texts.items()))
    if _IGNORED in origin.attributes:
        what = f"{origin.place}: quat_xyzw is of URDF 1.1, and ignored by urdfdom in a document of an older version"
        raise ReadError(what, code="ambiguous-orientation", hint='state rpy, or <robot version="1.1">')
    if _QUATERNION not in origin.attributes:
        return pose
    if "rpy" in origin.attributes:
        what = f"{origin.place}: <origin> has rpy and quat_xyzw, which exclude each other"
        raise ReadError(what, code="ambiguous-orientation", hint="leave one of them")
    x, y, z, w = numbers(origin.attributes[_QUATERNION], 4, origin.place, _QUATERNION)
    return Pose(rotation_of((w, x, y, z), origin.place, _QUATERNION)[0].rotation, pose.translation)


#: The attribute, and its name where its version does not count: one that XML cannot hold.
_QUATERNION, _IGNORED = "quat_xyzw", " quat_xyzw"


def mark_ignored(robot: Node) -> None:
    """Rename the quaternions of a document in whose version there are none."""
    if version_of(robot, "1.0") < (1, 1):
        for node in robot.walk():
            if _QUATERNION in node.attributes:
                node.attributes[_IGNORED] = node.attributes.pop(_QUATERNION)


def write(bodies: Sequence[NamedBody], form: WriteOptions) -> str:
    """An `<inertial>` for a body without a name, a `<link>` for one with; several links in a `<robot>`."""
    if len(bodies) == 1:
        return serialise(_element(bodies[0], form))
    robot = ET.Element("robot", name="bodies")
    robot.extend([_element(body, form) for body in bodies])  # of a generator, extend hides what it raises
    return serialise(robot)


def _element(body: NamedBody, form: WriteOptions) -> ET.Element:
    n = numbers_of(body.properties, form)
    inertial = ET.Element("inertial")
    ET.SubElement(inertial, "origin", xyz=words(n.com), rpy="0 0 0" if not any(n.rpy) else words(n.rpy))
    ET.SubElement(inertial, "mass", value=shortest(n.mass))
    ET.SubElement(inertial, "inertia", {name: shortest(n.tensor[ij]) for name, ij in ENTRIES.items()})
    return in_link(inertial, body.name, *MACROS)


def links(root: Node) -> Iterator[Link]:
    """The links of a `<robot>`, or a `<link>` by itself, in the order of the file."""
    if root.tag == "robot":
        mark_ignored(root)
    joints: dict[str, list[Node]] = {}
    for joint in root.all("joint"):
        for child in joint.all("child"):
            joints.setdefault(child.attributes.get("link", ""), []).append(joint)
    names = {node.attributes.get("name") for node in root.all("link")}
    extensions = [compiler for extension in root.all("mujoco") for compiler in extension.all("compiler")]
    settings = {k: v for node in extensions for k, v in node.attributes.items()}
    settings |= {"repeated": "true"} if len(extensions) > 1 or len(root.all("mujoco")) > 1 else {}
    settings |= {"model": root.attributes["name"]} if "name" in root.attributes else {}
    # a joint whose child is unknown may be that of any link
    loose = [j for j in root.all("joint") if [c.attributes.get("link") in names for c in j.all("child")] != [True]]
    limited = (j for j in root.all("joint") if j.attributes.get("type") in ("revolute", "prismatic"))
    settings |= {"unlimited": "true"} if any(not j.all("limit") for j in limited) else {}
    gazebo = gazebo_elements(root)
    for node in [root] if root.tag == "link" else root.all("link"):
        name = node.attribute("name")
        link = Link.read(name, node, partial(_link, name, node, joints.get(name, []), loose))
        above = (joint.attributes.get("name", "") for joint in joints.get(name, []))
        stated = frozenset[str]().union(*(gazebo.get(reference, ()) for reference in (name, *above)))
        yield replace(link, dialect="urdf", settings=settings, gazebo=stated)
    yield from (Link(None, place, error=error) for place, error in unexpanded_elements(root))


#: Elements of `<gazebo>` that keep a fixed joint, if they are true.
KEEPS_JOINT = frozenset(("preserveFixedJoint", "disableFixedJointLumping"))


def gazebo_elements(root: Node) -> dict[str, list[str]]:
    """The elements that `<gazebo>` states for each link and joint, but for those that keep no joint."""
    found: dict[str, list[str]] = {}
    for node in root.all("gazebo"):
        for child in node.children:
            value = child.attributes.get("value", child.text).strip().lower()
            if child.tag not in KEEPS_JOINT or value in ("true", "yes", "1"):
                found.setdefault(node.attributes.get("reference", ""), []).append(child.tag)
    return found


def _link(name: str, node: Node, joints: Sequence[Node], loose: Sequence[Node]) -> Link:
    kinds = {joint.attributes.get("type") for joint in joints}
    link = link_of(name, node, fixed="fixed" in kinds)
    through = {"free joint"} if "floating" in kinds else set()
    through |= {"other joint"} if kinds - {"fixed", "floating", "planar", *JOINT_TYPES} else set()
    through |= {"drake_ignore"} if any(n.attributes.get("drake_ignore") == "true" for n in (node, *joints)) else set()
    through |= {_QUATERNION for n in (node, *joints) for each in n.walk() if _QUATERNION in each.attributes}
    return replace(link, placement=partial(_placement, name, joints, loose), through=frozenset(through))


def link_of(name: str, node: Node, *, fixed: bool) -> Link:
    """A `<link>` without its place in a robot."""
    check_expanded(name, node.place, "the name")
    inertial = node.one("inertial")
    visual, collision = Geometry.of_link(node, origin_pose, _solid)
    link = Link(name, node.place, visual=visual, collision=collision, fixed=fixed, dialect="urdf")
    return link.with_body(lambda: None if inertial is None else body_of(name, inertial))


def _placement(name: str, joints: Sequence[Node], loose: Sequence[Node]) -> LinkPlacement:
    if len(joints) > 1:
        what = f"link {quote(name)} is the child of two joints"
        raise ReadError(what, place=joints[1].place, code="not-a-tree", hint="in URDF a link has one parent")
    if loose:
        raise ReadError("a joint has no child, or one that is not there", place=loose[0].place, code="no-link")
    if not joints:
        return LinkPlacement(None, None)
    node = joints[0]
    kind, pose = node.attribute("type"), origin_pose(node)
    moving = () if kind == "fixed" else (_joint(node, JOINT_TYPES.get(kind, "other")),)
    return LinkPlacement(node.need("parent").attribute("link"), pose, moving, node.place)


def _joint(node: Node, kind: JointType) -> Joint:
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


def _solid(node: Node) -> LinkMesh | Primitive | UnsupportedGeometry:
    if node.tag == "mesh":
        scale = node.attributes.get("scale", "1 1 1")
        has_one = len(scale.split()) == 1  # Bullet's importer takes one number for all three axes, and files rely on it
        factors = numbers(" ".join([scale] * 3) if has_one else scale, 3, node.place, "scale")
        return LinkMesh(node.attribute("filename"), tuple(factors), has_one_scale=has_one)
    if node.tag == "box":
        return Primitive.of("box", numbers(node.attribute("size"), 3, node.place, "size"))
    if node.tag in ("cylinder", "capsule", "sphere"):
        return Primitive.of(node.tag, (number(node.attribute(k), node.place, k) for k in LENGTHS[node.tag]))
    return UnsupportedGeometry(f"<{node.tag}> is not a geometry of URDF")
