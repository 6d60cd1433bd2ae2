"""MJCF: bodies with their inertials and geoms. https://mujoco.readthedocs.io/en/stable/XMLreference.html#world-body-r

A geom that collides with nothing (contype and conaffinity 0) is taken as visual; every other one as collision. Attributes that a
geom leaves out come from its `<default>` class. Bodies of attached models keep the settings of their own file.
"""

from __future__ import annotations

import math
import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from massprops.errors import MasspropsError, ReadError, attempt
from massprops.findings import Finding
from massprops.formats.inertial.mjcf import Compiler, body_of, compiler_of, orientation_of
from massprops.formats.inertial.numbers import number, numbers, unit_vector
from massprops.formats.robot.includes import MjcfFile
from massprops.formats.robot.kinematics import Joint, Kind, Mimic, Placement
from massprops.formats.robot.links import LENGTHS, Geometry, Link, Mesh, Primitive, Unread, guarded, solid_of, stated
from massprops.formats.text import quoted
from massprops.formats.xml import Node
from massprops.frames import Pose
from massprops.moments.arrays import length, product

Attributes = Mapping[str, str]
#: By tag and name of the class.
Defaults = Mapping[tuple[str, str], Attributes]
_JOINTS = ("joint", "freejoint")
_KINDS: dict[str, Kind] = {"hinge": "turn", "slide": "slide"}
_TURNS = ("quat", "axisangle", "euler", "xyaxes", "zaxis")


@dataclass(frozen=True)
class _Model:
    """What bodies and geoms refer to: compiler settings, default classes by tag and name, meshes by name."""

    file: MjcfFile
    compiler: Compiler
    defaults: Defaults
    meshes: Mapping[str, Mesh | Unread | MasspropsError]

    @classmethod
    def of(cls, file: MjcfFile) -> _Model:
        defaults: dict[tuple[str, str], Attributes] = {}
        for node in file.root.all("default"):
            _read_defaults(node, node.attributes.get("class", "main"), {}, defaults)
        compiler = compiler_of(file.root)
        folder = posixpath.join(file.folder, compiler.mesh_folder)
        nodes = [node for asset in file.root.all("asset") for node in asset.all("mesh")]
        return cls(file, compiler, defaults, dict(_mesh(node, folder, defaults) for node in nodes))


@dataclass(frozen=True)
class _Body:
    """A `<body>` or another element of the tree: its model, the element around it, the class of its geoms and joints, the prefix of
    its names, and how many copies replicates make of it.
    """

    node: Node
    model: _Model
    outer: _Body | None = field(default=None, repr=False, compare=False)
    class_: str = ""
    prefix: str = ""
    times: float = 1.0
    error: MasspropsError | None = field(default=None, compare=False)


def links(file: MjcfFile) -> Iterator[Link]:
    """The bodies of a model, outer before inner; those without a name are ``body1``, ``body2`` … by their place in the file."""
    model = _Model.of(file)
    if file.root.tag == "inertial":
        yield Link(None, file.root.place, body_of(None, file.root, model.compiler))
        return
    top = Node("", {}, file.root.place, [file.root]) if file.root.tag == "body" else file.root
    names: dict[int, str] = {}
    for count, body in enumerate(_bodies(_Body(top, model)), start=1):
        name, place = body.prefix + (body.node.attributes.get("name") or f"body{count}"), body.node.place
        if body.error is not None:
            yield Link(None, place, error=body.error)
        else:
            names[id(body)] = name
            yield guarded(name, body.node, lambda body=body, name=name: _link(name, body, names))  # type: ignore[misc]


def _bodies(at: _Body, *, attached: bool = True) -> Iterator[_Body]:
    """Every `<body>` below an element, through worldbody, frame and replicate, and what is attached."""
    for node in at.node.children:
        below = replace(at, node=node, outer=at, class_=node.attributes.get("childclass", at.class_))
        if node.tag == "body":
            yield below
        if node.tag == "replicate":
            below = replace(below, times=at.times * number(node.attribute("count"), node.place, "count"))
        if node.tag in ("worldbody", "body", "frame", "replicate"):
            yield from _bodies(below, attached=attached)
        elif node.tag == "attach" and attached:
            try:
                yield from _attached(below)
            except MasspropsError as error:
                yield replace(below, error=error)


def _attached(at: _Body) -> list[_Body]:
    """The body that an `<attach>` names with those in it, or all bodies of the model where it names none."""
    file = at.model.file.attached(at.node)
    top = _Body(file.root, _Model.of(file), at, "", at.prefix + at.node.attribute("prefix"), at.times)
    failed = [replace(at, error=error) for _, error in file.failed]
    name = at.node.attributes.get("body")
    if name is None:
        return [*_bodies(top), *failed]
    found = next((b for b in _bodies(top, attached=False) if b.node.attributes.get("name") == name), None)
    if found is None:
        raise ReadError(f"{at.node.place}: model {file.path} has no body {quoted(name)}", code="unread-include")
    found = replace(found, outer=at)
    return [found, *_bodies(found), *failed]


def _link(name: str, at: _Body, names: Mapping[int, str]) -> Link:
    inertial = at.node.one("inertial")
    body, error = stated(lambda: None if inertial is None else body_of(name, inertial, at.model.compiler))
    if body is not None and at.times != 1.0:
        message = f"{body.place}: <replicate> makes {at.times:g} of this body in MuJoCo; it is read once"
        copies = Finding("replicated-body", "warning", message, where=body.place)
        body = replace(body, findings=(*body.findings, copies))
    geoms = list(_geoms(at.node, at.model, at.class_, Pose.identity()))
    drawn, solid = (tuple(g for is_visual, g in geoms if is_visual is which) for which in (True, False))
    fixed = not any(child.tag in _JOINTS for child in at.node.children)
    return Link(
        *(name, at.node.place, body, error, drawn, solid, fixed), infers=True, placement=lambda: _placement(at, names)
    )


def _placement(at: _Body, names: Mapping[int, str]) -> Placement:
    """Where a body is in the body or the world around it, through frames."""
    if at.times != 1.0:
        raise ReadError(
            "copies of a body by <replicate> are not placed",
            place=at.node.place,
            code="replicated-body",
            hint="expand the model first: save it from MuJoCo",
        )
    pose, outer = _placed(at.node, at.model), at.outer
    while outer is not None and outer.node.tag != "body":
        if outer.node.tag == "frame":
            pose = _placed(outer.node, outer.model) @ pose
        outer = outer.outer
    parent = None if outer is None else names[id(outer)]
    joints = enumerate(_joints(at, at.node, at.class_, Pose.identity()), start=1)
    named = (replace(joint, name=joint.name or f"{names[id(at)]}.joint{k}") for k, joint in joints)
    return Placement(parent, pose, tuple(named), at.node.place)


def _joints(at: _Body, node: Node, class_: str, pose: Pose) -> Iterator[Joint]:
    """The joints of a body in their order, those in its frames too; `pose` is that of the node in the body."""
    for child in node.children:
        if child.tag in _JOINTS:
            yield _joint(at, child, child.attributes.get("class", class_), pose)
        elif child.tag == "frame":
            inner = pose @ _placed(child, at.model)
            yield from _joints(at, child, child.attributes.get("childclass", class_), inner)


def _joint(at: _Body, node: Node, class_: str, pose: Pose) -> Joint:
    """A joint; the angles of a hinge are in the unit of the compiler."""
    stated = {**(at.model.defaults.get(("joint", class_), {}) if node.tag == "joint" else {}), **node.attributes}
    place, name = node.place, at.prefix + node.attributes["name"] if node.attributes.get("name") else ""
    kind = _KINDS.get(stated.get("type", "hinge"), "other") if node.tag == "joint" else "other"

    def angle(value: float) -> float:
        return at.model.compiler.angle(value) if kind == "turn" else value

    axis, point = (numbers(stated.get(k, d), 3, place, k) for k, d in (("axis", "0 0 1"), ("pos", "0 0 0")))
    lower, upper = -math.inf, math.inf
    if "range" in stated and stated.get("limited") != "false":
        lower, upper = map(angle, numbers(stated["range"], 2, place, "range"))
    rest = angle(number(stated.get("ref", "0"), place, "ref"))
    direction = np.zeros(3) if kind == "other" else product(pose.rotation, unit_vector(np.array(axis), place, "axis"))
    mimic = _coupled(at, node.attributes.get("name"), rest)
    return Joint(name, place, kind, direction, pose.apply(point), (lower, upper), rest, mimic)


def _coupled(at: _Body, name: str | None, rest: float) -> Mimic | None:
    """The joint that another one of the model determines: q₁ = rest₁ + Σ cₖ (q₂ − rest₂)ᵏ."""
    nodes = (n for e in at.model.file.root.all("equality") for n in e.all("joint"))
    for node in (n for n in nodes if name is not None and n.attributes.get("joint1") == name):
        if node.attributes.get("active") == "false":
            continue
        given = node.attributes.get("polycoef", "0 1").split()
        constant, *others = numbers(" ".join([*given, *"01000"[len(given) :]]), 5, node.place, "polycoef")
        leader = node.attributes.get("joint2")
        return Mimic(leader and at.prefix + leader, (rest + constant, *others), None)
    return None


def _geoms(node: Node, model: _Model, class_: str, pose: Pose) -> Iterator[tuple[bool, Geometry]]:
    """Every geom of a body, those in its frames too, and whether it is only drawn; `pose` is that of the node in the body."""
    for child in node.children:
        if child.tag == "geom":
            yield _geom(child, model, child.attributes.get("class", class_), pose)
        elif child.tag == "frame":
            try:
                inner = pose @ _placed(child, model)
            except MasspropsError as error:
                yield False, Geometry(error, Pose.identity(), child.place)
                continue
            yield from _geoms(child, model, child.attributes.get("childclass", class_), inner)
        elif child.tag == "replicate" and next(_geoms(child, model, class_, pose), None):
            yield False, Geometry(Unread("geoms in a <replicate> are not measured"), Pose.identity(), child.place)


def _geom(node: Node, model: _Model, class_: str, pose: Pose) -> tuple[bool, Geometry]:
    if class_ and ("geom", class_) not in model.defaults:
        why = f"the default class {quoted(class_)} is not defined"
        elsewhere = Unread(f"{why} in this file; check the model that includes it")
        error = ReadError(f"{node.place}: {why}", code="unknown-class", hint="add it to <default>")
        is_fragment = model.file.root.tag != "mujoco"  # other files define its classes and meshes
        return False, Geometry(elsewhere if is_fragment else error, Pose.identity(), node.place)
    base = dict(model.defaults.get(("geom", class_), {}))
    if any(turn in node.attributes for turn in _TURNS):  # it replaces the orientation of the class, in whatever form
        base = {name: value for name, value in base.items() if name not in _TURNS}
    stated = base | node.attributes

    def read() -> Geometry:
        found = _geometry(Node("geom", stated, node.place), model)
        return replace(found, pose=pose @ found.pose)

    drawn = all(stated.get(name, "1").strip() == "0" for name in ("contype", "conaffinity"))
    return drawn, replace(solid_of(node.place, read), weighed="mass" in stated)


def _read_defaults(
    node: Node, class_: str, inherited: Mapping[str, Attributes], found: dict[tuple[str, str], Attributes]
) -> None:
    """A class holds what it states over what the class around it states; the outermost is also that of the nameless.

    A class that is defined again, as in an included file, is continued.
    """
    own = {tag: {**inherited.get(tag, {}), **found.get((tag, class_), {})} for tag in ("geom", "mesh", "joint")}
    for tag in own:
        for child in node.all(tag):
            own[tag] |= child.attributes
        found[tag, class_] = own[tag]
        if not inherited:
            found[tag, ""] = own[tag]
    for child in node.all("default"):
        _read_defaults(child, child.attribute("class"), own, found)


def _mesh(node: Node, folder: str, defaults: Defaults) -> tuple[str, Mesh | Unread | MasspropsError]:
    stated = {**defaults.get(("mesh", node.attributes.get("class", "")), {}), **node.attributes}
    file = stated.get("file", "")
    name = stated.get("name") or file.rpartition("/")[2].rpartition(".")[0]
    if not file:
        return name, Unread(f"mesh {quoted(name)} names no file")
    if "refpos" in stated or "refquat" in stated:
        return name, Unread(f"mesh {quoted(name)} is moved by refpos or refquat, which is not measured")
    scale = attempt(numbers, stated.get("scale", "1 1 1"), 3, node.place, "scale")
    return name, scale if isinstance(scale, MasspropsError) else Mesh(posixpath.join(folder, file), tuple(scale))


def _geometry(geom: Node, model: _Model) -> Geometry:
    stated, pose = geom.attributes, _placed(geom, model)
    kind = stated.get("type", "sphere")
    if kind == "mesh":
        name = stated.get("mesh", "")
        return Geometry(model.meshes.get(name, Unread(f"no mesh {quoted(name)} is defined")), pose, geom.place)
    if stated.get("mesh"):
        return Geometry(Unread(f"MuJoCo fits a {kind} to mesh {quoted(stated['mesh'])}"), pose, geom.place)
    if "fromto" in stated:
        return _between(geom, kind)
    return Geometry(_primitive(geom, kind), pose, geom.place)


def _placed(node: Node, model: _Model) -> Pose:
    """The pose that pos and one of the orientations state."""
    turn, _ = orientation_of(node, model.compiler)
    return Pose(turn.rotation, np.array(numbers(node.attributes.get("pos", "0 0 0"), 3, node.place, "pos")))


def _primitive(geom: Node, kind: str) -> Primitive | Unread:
    """MuJoCo's sizes are halves: half edges, half lengths, radii."""
    if kind not in LENGTHS:
        return Unread(f"a geom of type {quoted(kind)} has no volume, or is not measured")
    names = LENGTHS[kind]
    sizes = numbers(" ".join(geom.attribute("size").split()[: len(names)]), len(names), geom.place, "size")
    halves = ("x", "y", "z", "length")
    return Primitive.of(kind, (2 * s if name in halves else s for name, s in zip(names, sizes, strict=True)))


def _between(geom: Node, kind: str) -> Geometry:
    """A capsule or cylinder by its two ends: z runs from one to the other, the middle is the origin."""
    ends = np.array(numbers(geom.attribute("fromto"), 6, geom.place, "fromto"))
    if kind not in ("capsule", "cylinder"):
        return Geometry(Unread(f"a {kind} by its two ends is not measured"), Pose.identity(), geom.place)
    radius = numbers(" ".join(geom.attribute("size").split()[:1]), 1, geom.place, "size")[0]
    span = ends[3:] - ends[:3]
    axis = Node("geom", {"zaxis": " ".join(map(repr, span.tolist()))}, geom.place)
    turn, _ = orientation_of(axis, Compiler())
    pose = Pose(turn.rotation, ends.reshape(2, 3).mean(axis=0))
    return Geometry(Primitive(kind, {"radius": radius, "length": length(span)}), pose, geom.place)
