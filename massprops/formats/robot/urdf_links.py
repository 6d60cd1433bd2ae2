"""URDF: links with their inertials, `<visual>` and `<collision>`. https://wiki.ros.org/urdf/XML/link"""

from __future__ import annotations

from collections.abc import Iterator

from massprops.errors import ReadError
from massprops.formats.inertial.numbers import number, numbers
from massprops.formats.inertial.urdf import body_of, pose_of
from massprops.formats.robot.links import Geometry, Link, Mesh, Primitive, Unread, guarded, solid_of
from massprops.formats.xml import Node
from massprops.frames import Pose

_ROUND = {"cylinder": ("radius", "length"), "capsule": ("radius", "length"), "sphere": ("radius",)}


def links(root: Node) -> Iterator[Link]:
    """The links of a `<robot>`, or a `<link>` by itself, in the order of the file."""
    joints = (joint.one("child") for joint in root.all("joint") if joint.attributes.get("type") == "fixed")
    fixed = {child.attributes.get("link", "") for child in joints if child is not None}
    for node in [root] if root.tag == "link" else root.all("link"):
        name = node.attribute("name")
        yield guarded(name, node.place, lambda node=node, name=name: _link(name, node, name in fixed))  # type: ignore[misc]
    yield from (
        Link(None, node.place, error=_unexpanded(node))
        for node in root.children
        if node.tag.startswith("xacro:") and node.tag not in ("xacro:arg", "xacro:property")
    )


def _unexpanded(node: Node) -> ReadError:
    """The error of an element of xacro, which may stand for any number of links."""
    message = f"{node.place}: <{node.tag[:40]}> is not expanded, so what it stands for is not read"
    return ReadError(message, code="unread-include", hint="expand it first: xacro FILE > robot.urdf")


def _link(name: str, node: Node, fixed: bool) -> Link:
    inertial = node.one("inertial")
    body = None if inertial is None else body_of(name, inertial)
    visual, collision = (tuple(map(_geometry, node.all(tag))) for tag in ("visual", "collision"))
    return Link(name, node.place, body, None, visual, collision, fixed)


def _geometry(node: Node) -> Geometry:
    def read() -> Geometry:
        origin = node.one("origin")
        pose = Pose.identity() if origin is None else pose_of(origin)
        return Geometry(_solid(node.need("geometry")), pose, node.place)

    return solid_of(node.place, read)


def _solid(geometry: Node) -> Mesh | Primitive | Unread:
    if not geometry.children:
        return Unread("<geometry> is empty")
    node = geometry.children[0]
    if node.tag == "mesh":
        scale = node.attributes.get("scale", "1 1 1")
        if len(scale.split()) == 1:  # Bullet's importer takes one number for all three axes, and files rely on it
            scale = " ".join([scale] * 3)
        return Mesh(node.attribute("filename"), tuple(numbers(scale, 3, node.place, "scale")))
    if node.tag == "box":
        return Primitive("box", dict(zip("xyz", numbers(node.attribute("size"), 3, node.place, "size"), strict=True)))
    if node.tag in _ROUND:
        return Primitive(node.tag, {name: number(node.attribute(name), node.place, name) for name in _ROUND[node.tag]})
    return Unread(f"<{node.tag}> is not a geometry of URDF")
