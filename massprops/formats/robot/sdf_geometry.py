"""SDFormat: `<visual>` and `<collision>` of a link. http://sdformat.org/spec?elem=geometry"""

from __future__ import annotations

from collections.abc import Iterator

from massprops.formats.inertial.numbers import number, numbers
from massprops.formats.inertial.sdf import body_of, links_of, pose_of
from massprops.formats.robot.links import Geometry, Link, Mesh, Primitive, Unread, guarded
from massprops.formats.xml import Node


def links(root: Node) -> Iterator[Link]:
    """The links of an `<sdf>`, a `<model>` or a `<link>`, named as `massprops.formats.inertial.sdf` names them."""
    fixed = set(_held_by_fixed_joints(root))
    for name, node in links_of(root):
        held = node.attribute("name") in fixed
        yield guarded(name, node.place, lambda node=node, name=name, held=held: _link(name, node, held))  # type: ignore[misc]


def _held_by_fixed_joints(node: Node) -> Iterator[str]:
    for child in node.children:
        if child.tag == "joint" and child.attributes.get("type") == "fixed":
            held = child.one("child")
            yield "" if held is None else held.text.strip().rpartition("::")[2]
        elif child.tag in ("model", "world"):
            yield from _held_by_fixed_joints(child)


def _link(name: str, node: Node, fixed: bool) -> Link:
    own = node.attribute("name")
    body = body_of(name, node) if node.one("inertial") is not None else None
    visual, collision = (tuple(_geometry(n, own) for n in node.all(tag)) for tag in ("visual", "collision"))
    return Link(name, node.place, body, None, visual, collision, fixed)


def _geometry(node: Node, link: str) -> Geometry:
    pose, _ = pose_of(node.one("pose"), link, f"<{node.tag}>")
    return Geometry(_solid(node.need("geometry")), pose, node.place)


def _solid(geometry: Node) -> Mesh | Primitive | Unread:
    if not geometry.children:
        return Unread("<geometry> is empty")
    node = geometry.children[0]
    if node.tag == "mesh":
        if node.one("submesh") is not None:
            return Unread("a <submesh> is a part of a file by name, and files are measured whole")
        return Mesh(node.need("uri").text.strip(), tuple(_triple(node, "scale", "1 1 1")))
    if node.tag == "box":
        return Primitive("box", dict(zip("xyz", _triple(node, "size", "1 1 1"), strict=True)))
    if node.tag == "ellipsoid":
        return Primitive("ellipsoid", dict(zip(("rx", "ry", "rz"), _triple(node, "radii", "1 1 1"), strict=True)))
    if node.tag in _ROUND:
        return Primitive(node.tag, {name: _length(node, name) for name in _ROUND[node.tag]})
    return Unread(f"<{node.tag}> has no volume, or is not known")


def _triple(node: Node, tag: str, default: str) -> list[float]:
    child = node.one(tag)
    return numbers(default if child is None else child.text, 3, node.place, tag)


def _length(node: Node, tag: str) -> float:
    child = node.need(tag)
    return number(child.text, child.place, tag)


_ROUND = {"cylinder": ("radius", "length"), "capsule": ("radius", "length"), "sphere": ("radius",)}
