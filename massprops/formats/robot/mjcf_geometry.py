"""MJCF: the geoms of a body. https://mujoco.readthedocs.io/en/stable/XMLreference.html#body-geom

A geom that collides with nothing (contype and conaffinity 0) is drawn only, and taken as visual; every other one collides. What is
left out comes from `<default>` classes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from massprops.errors import ReadError
from massprops.formats.inertial.mjcf import Compiler, bodies_of, body_of, compiler_of, orientation_of
from massprops.formats.inertial.numbers import numbers
from massprops.formats.robot.links import Geometry, Link, Mesh, Primitive, Unread, guarded
from massprops.formats.xml import Node
from massprops.frames import Pose

Attributes = Mapping[str, str]
_JOINTS = ("joint", "freejoint")
_TURNS = ("quat", "axisangle", "euler", "xyaxes", "zaxis")


@dataclass(frozen=True)
class _Model:
    """What the geoms of a file refer to: classes of defaults by tag, meshes by name, the folder of these."""

    compiler: Compiler
    defaults: Mapping[tuple[str, str], Attributes]
    meshes: Mapping[str, Mesh]


def links(root: Node) -> Iterator[Link]:
    """The bodies of a `<mujoco>` model, outer before inner, named as `massprops.formats.inertial.mjcf` names them."""
    model = _model(root)
    classes = dict(_classes(root, ""))
    for name, node in bodies_of(root):
        yield guarded(
            name,
            node.place,
            lambda node=node, name=name: _link(name, node, model, classes.get(id(node), "")),  # type: ignore[misc]
        )


def _link(name: str, node: Node, model: _Model, class_: str) -> Link:
    inertial = node.one("inertial")
    body = None if inertial is None else body_of(name, inertial, model.compiler)
    geoms = list(_geoms(node, model, class_, Pose.identity()))
    drawn = tuple(geometry for is_visual, geometry in geoms if is_visual)
    solid = tuple(geometry for is_visual, geometry in geoms if not is_visual)
    fixed = not any(child.tag in _JOINTS for child in node.children)
    return Link(name, node.place, body, None, drawn, solid, fixed, infers=True)


def _geoms(node: Node, model: _Model, class_: str, pose: Pose) -> Iterator[tuple[bool, Geometry]]:
    """Every geom of a body, those in its frames too, and whether it is only drawn; `pose` is that of the node in the body."""
    for child in node.children:
        if child.tag == "geom":
            stated = _stated(child, model, child.attributes.get("class", class_))
            found = _geometry(stated, child, model)
            yield _is_visual(stated), replace(found, pose=pose @ found.pose)
        elif child.tag == "frame":
            inner = pose @ _placed(child, child.attributes, model)
            yield from _geoms(child, model, child.attributes.get("childclass", class_), inner)


def _is_visual(attributes: Attributes) -> bool:
    return attributes.get("contype", "1").strip() == "0" and attributes.get("conaffinity", "1").strip() == "0"


def _classes(node: Node, inherited: str) -> Iterator[tuple[int, str]]:
    """By body, the class that its geoms have unless they name one: the nearest childclass above them."""
    for child in node.children:
        if child.tag in ("worldbody", "body", "frame", "replicate"):
            own = child.attributes.get("childclass", inherited)
            yield id(child), own
            yield from _classes(child, own)


def _model(root: Node) -> _Model:
    defaults: dict[tuple[str, str], Attributes] = {}
    for node in root.all("default"):
        _read_defaults(node, node.attributes.get("class", "main"), {}, defaults)
    folder = _mesh_folder(root)
    meshes: dict[str, Mesh] = {}
    for asset in root.all("asset"):
        for node in asset.all("mesh"):
            name, mesh = _mesh(node, folder, defaults)
            meshes[name] = mesh
    return _Model(compiler_of(root), defaults, meshes)


def _read_defaults(
    node: Node, class_: str, inherited: Mapping[str, Attributes], found: dict[tuple[str, str], Attributes]
) -> None:
    """A class holds what it states over what the class around it states; the outermost is also that of the nameless."""
    own = {tag: dict(inherited.get(tag, {})) for tag in ("geom", "mesh")}
    for tag in own:
        for child in node.all(tag):
            own[tag] |= child.attributes
        found[tag, class_] = own[tag]
        if not inherited:
            found[tag, ""] = own[tag]
    for child in node.all("default"):
        _read_defaults(child, child.attribute("class"), own, found)


def _mesh_folder(root: Node) -> str:
    settings: dict[str, str] = {}
    for node in root.all("compiler"):
        settings |= node.attributes
    folder = settings.get("meshdir", settings.get("assetdir", ""))
    return folder.rstrip("/") + "/" if folder else ""


def _mesh(node: Node, folder: str, defaults: Mapping[tuple[str, str], Attributes]) -> tuple[str, Mesh]:
    stated = {**defaults.get(("mesh", node.attributes.get("class", "")), {}), **node.attributes}
    file = stated.get("file", "")
    name = stated.get("name") or file.rpartition("/")[2].rpartition(".")[0]
    path = file if file.startswith("/") or not file else folder + file
    return name, Mesh(path, tuple(numbers(stated.get("scale", "1 1 1"), 3, node.place, "scale")))


def _stated(node: Node, model: _Model, class_: str) -> Attributes:
    if class_ and ("geom", class_) not in model.defaults:
        raise ReadError(f"{node.place}: no <default class={class_!r}> is there", code="unknown-class")
    base = dict(model.defaults.get(("geom", class_), {}))
    if any(
        turn in node.attributes for turn in _TURNS
    ):  # what the geom states replaces the turn of its class, whatever its form
        base = {name: value for name, value in base.items() if name not in _TURNS}
    return base | node.attributes


def _geometry(stated: Attributes, node: Node, model: _Model) -> Geometry:
    geom = Node("geom", dict(stated), node.place)
    pose = _placed(node, stated, model)
    kind = stated.get("type", "sphere")
    if kind == "mesh":
        return Geometry(_named_mesh(stated.get("mesh", ""), model), pose, node.place)
    if "fromto" in stated:
        return _between(geom, kind)
    return Geometry(_primitive(geom, kind), pose, node.place)


def _placed(node: Node, stated: Attributes, model: _Model) -> Pose:
    """The pose that pos and one of the turns state."""
    turn, _ = orientation_of(Node(node.tag, dict(stated), node.place), model.compiler)
    return Pose(turn.rotation, np.array(numbers(stated.get("pos", "0 0 0"), 3, node.place, "pos")))


def _named_mesh(name: str, model: _Model) -> Mesh | Unread:
    mesh = model.meshes.get(name)
    if mesh is None or not mesh.uri:
        return Unread(f"no file is named for the mesh {name!r}")
    return mesh


def _primitive(geom: Node, kind: str) -> Primitive | Unread:
    """MuJoCo's sizes are halves: half edges, half lengths, radii."""
    if kind not in _SIZES:
        return Unread(f"a geom of type {kind!r} has no volume, or is not measured")
    sizes = numbers(" ".join(geom.attribute("size").split()[: _SIZES[kind]]), _SIZES[kind], geom.place, "size")
    if kind == "box":
        return Primitive("box", dict(zip("xyz", (2 * s for s in sizes), strict=True)))
    if kind == "ellipsoid":
        return Primitive("ellipsoid", dict(zip(("rx", "ry", "rz"), sizes, strict=True)))
    if kind == "sphere":
        return Primitive("sphere", {"radius": sizes[0]})
    return Primitive(kind, {"radius": sizes[0], "length": 2 * sizes[1]})


_SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}


def _between(geom: Node, kind: str) -> Geometry:
    """A capsule or cylinder by its two ends: z runs from one to the other, the middle is the origin."""
    ends = np.array(numbers(geom.attribute("fromto"), 6, geom.place, "fromto"))
    if kind not in ("capsule", "cylinder"):
        return Geometry(Unread(f"a {kind} by its two ends is not measured"), Pose.identity(), geom.place)
    radius = numbers(geom.attribute("size").split()[0], 1, geom.place, "size")[0]
    span = ends[3:] - ends[:3]
    axis = Node("geom", {"zaxis": " ".join(map(repr, span.tolist()))}, geom.place)
    turn, _ = orientation_of(axis, Compiler())
    pose = Pose(turn.rotation, ends.reshape(2, 3).mean(axis=0))
    return Geometry(Primitive(kind, {"radius": radius, "length": float(np.linalg.norm(span))}), pose, geom.place)
