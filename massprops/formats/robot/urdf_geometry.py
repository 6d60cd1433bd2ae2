"""URDF: `<visual>` and `<collision>` of a link. https://wiki.ros.org/urdf/XML/link"""

from __future__ import annotations

from collections.abc import Iterator

from massprops.formats.inertial.inertial import NamedBody
from massprops.formats.inertial.numbers import number, numbers
from massprops.formats.inertial.urdf import inertial_of, pose_of
from massprops.formats.robot.links import Geometry, Link, Mesh, Primitive, Unread, guarded
from massprops.formats.xml import Node
from massprops.frames import Pose


def links(root: Node) -> Iterator[Link]:
    """The links of a `<robot>`, or a `<link>` by itself, in the order of the file."""
    fixed = _held_by_fixed_joints(root)
    for node in [root] if root.tag == "link" else root.all("link"):
        name = node.attribute("name")
        yield guarded(name, node.place, lambda node=node, name=name: _link(name, node, name in fixed))  # type: ignore[misc]


def _held_by_fixed_joints(root: Node) -> set[str]:
    children = (j.one("child") for j in root.all("joint") if j.attributes.get("type") == "fixed")
    return {child.attributes.get("link", "") for child in children if child is not None}


def _link(name: str, node: Node, fixed: bool) -> Link:
    inertial = node.one("inertial")
    body = None if inertial is None else NamedBody.of(name, inertial_of(inertial), inertial.place, "urdf")
    visual, collision = (tuple(map(_geometry, node.all(tag))) for tag in ("visual", "collision"))
    return Link(name, node.place, body, None, visual, collision, fixed)


def _geometry(node: Node) -> Geometry:
    origin = node.one("origin")
    return Geometry(_solid(node.need("geometry")), Pose.identity() if origin is None else pose_of(origin), node.place)


def _solid(geometry: Node) -> Mesh | Primitive | Unread:
    if not geometry.children:
        return Unread("<geometry> is empty")
    node = geometry.children[0]
    if node.tag == "mesh":
        scale = numbers(node.attributes.get("scale", "1 1 1"), 3, node.place, "scale")
        return Mesh(node.attribute("filename"), tuple(scale))
    if node.tag == "box":
        x, y, z = numbers(node.attribute("size"), 3, node.place, "size")
        return Primitive("box", {"x": x, "y": y, "z": z})
    if node.tag in _ROUND:
        return Primitive(node.tag, {name: number(node.attribute(name), node.place, name) for name in _ROUND[node.tag]})
    return Unread(f"<{node.tag}> is no geometry that is known")


_ROUND = {"cylinder": ("radius", "length"), "capsule": ("radius", "length"), "sphere": ("radius",)}
