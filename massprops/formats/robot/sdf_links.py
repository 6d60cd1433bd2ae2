"""SDFormat: links with their inertials, `<visual>` and `<collision>`. http://sdformat.org/spec?elem=geometry"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from massprops.findings import Finding
from massprops.formats.inertial.numbers import number, numbers
from massprops.formats.inertial.sdf import body_of, default_body, is_automatic, pose_of
from massprops.formats.robot.links import (
    LENGTHS,
    Automatic,
    Geometry,
    Link,
    Mesh,
    Primitive,
    Unread,
    drawn,
    guarded,
    stated,
)
from massprops.formats.robot.sdf_frames import Scope
from massprops.formats.xml import Node

#: kg/m³ of a collision that states no density, for `<inertial auto="true">`.
_DENSITY = 1000.0


def links(root: Node) -> Iterator[Link]:
    """The links of an `<sdf>`, a `<model>` or a `<link>`.

    Names are as seen from the outermost model (``hand::tip``), or from the world where there are several models.
    """
    fixed = set(_held_by_fixed_joints(root))
    top = [root] if root.tag in ("link", "model") else _models(root)
    frames = _frames(root, top)
    for outer in top:
        scope = f"{outer.attribute('name')}::" if len(top) > 1 and outer.tag == "model" else ""
        for name, node in _links(outer, scope):
            held = node.attribute("name") in fixed
            link = partial(_link, name, node, held, frames)
            yield guarded(name, node, link)


def _frames(root: Node, top: list[Node]) -> Scope:
    """The frames of the only model; of all models, in their world, where there are several."""
    stated = root.attributes.get("version", "1.11").split(".")
    version = tuple(int(word) if word.isdecimal() else 0 for word in stated)
    if len(top) == 1 and top[0].tag == "model":
        return Scope(top[0], "", version)
    around = [root, *root.all("world")] if top != [root] else []
    return Scope(Node("world", {}, root.place, [child for n in around for child in n.children] or top), "", version)


def _models(root: Node) -> list[Node]:
    """Models and links of the document, those of its worlds included."""
    own = [child for child in root.children if child.tag in ("model", "link")]
    return own + [node for world in root.all("world") for node in _models(world)]


def _links(node: Node, scope: str) -> Iterator[tuple[str, Node]]:
    if node.tag == "link":
        yield scope + node.attribute("name"), node
        return
    for child in node.children:
        if child.tag in ("link", "model"):
            yield from _links(child, scope if child.tag == "link" else f"{scope}{child.attribute('name')}::")


def _held_by_fixed_joints(node: Node) -> Iterator[str]:
    for child in node.children:
        if child.tag == "joint" and child.attributes.get("type") == "fixed":
            held = child.one("child")
            yield "" if held is None else held.text.strip().rpartition("::")[2]
        elif child.tag in ("model", "world"):
            yield from _held_by_fixed_joints(child)


def _link(name: str, node: Node, fixed: bool, frames: Scope) -> Link:
    own, inertial = node.attribute("name"), node.one("inertial")
    automatic = inertial is not None and is_automatic(inertial)
    body, error = stated(lambda: None if inertial is None or automatic else body_of(name, inertial, own))
    computed = _automatic(node, inertial) if inertial is not None and automatic else None
    visual, collision = (tuple(_geometry(n, own) for n in node.all(tag)) for tag in ("visual", "collision"))
    return Link(
        *(name, node.place, body, error, visual, collision, fixed),
        default=default_body(name, node.place) if inertial is None else None,
        findings=(_said(node, inertial, computed),) if inertial is not None and computed else (),
        automatic=computed,
        placement=lambda: frames.placement(name, node),
    )


def _automatic(link: Node, inertial: Node) -> Automatic:
    """What SDFormat computes an ``auto`` inertial from: the collisions, each with its own density or that of the inertial.

    A stated mass scales the result (libsdformat 15.2 and later).
    """
    default, mass = _density(inertial, _DENSITY), inertial.one("mass")
    return Automatic(
        tuple(_density(collision, default) for collision in link.all("collision")),
        None if mass is None else number(mass.text, mass.place, "mass"),
    )


def _said(link: Node, inertial: Node, computed: Automatic) -> Finding:
    listed = " and ".join(f"{density:.6g}" for density in sorted(set(computed.densities)))
    of = f"the collisions, of {listed} kg/m³" if listed else "the collisions, but the link has none"
    unknown = [p for n in (inertial, *link.all("collision")) for p in n.all("auto_inertia_params") if p.children]
    of += "" if computed.mass is None else f", scaled to {computed.mass:.6g} kg"
    names = ", ".join(dict.fromkeys(f"<{child.tag}>" for p in unknown for child in p.children))
    ignored = f"; {names} in <auto_inertia_params> is not known" if names else ""
    message = f'{inertial.place}: <inertial auto="true"> is not compared: SDFormat computes it from {of}{ignored}'
    return Finding("auto-inertial", "info", message, where=inertial.place)


def _density(node: Node, default: float) -> float:
    stated = node.one("density")
    return default if stated is None else number(stated.text, stated.place, "density")


def _geometry(node: Node, link: str) -> Geometry:
    return drawn(node, lambda: pose_of(node.one("pose"), link, f"<{node.tag}>")[0], _solid)


def _solid(node: Node) -> Mesh | Primitive | Unread:
    if node.tag == "mesh":
        if node.one("submesh") is not None:
            return Unread("a <submesh> is a part of a file, and only whole files are measured")
        uri = (node.all("uri") or [node.need("uri")])[0]  # SDFormat takes the first of several
        return Mesh(uri.text.strip(), tuple(_triple(node, "scale", "1 1 1")))
    if node.tag == "box":
        return Primitive.of("box", _triple(node, "size", "1 1 1"))
    if node.tag == "ellipsoid":
        return Primitive.of("ellipsoid", _triple(node, "radii", "1 1 1"))
    if node.tag in LENGTHS:
        return Primitive.of(node.tag, (number(c.text, c.place, c.tag) for c in map(node.need, LENGTHS[node.tag])))
    return Unread(f"<{node.tag}> has no volume, or is not known")


def _triple(node: Node, tag: str, default: str) -> list[float]:
    child = node.one(tag)
    return numbers(default if child is None else child.text, 3, node.place, tag)
