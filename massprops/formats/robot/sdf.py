"""SDFormat: links with their inertials, `<visual>` and `<collision>`. http://sdformat.org/spec?elem=link and ?elem=geometry

`<pose>` of an inertial places its frame in the link; the inertia is about the centre of mass, along the axes of that frame, with tensor
products. Defaults: mass 1, moments 1, products 0; a finding names each that is used.

And the frames of models, links, joints and `<frame>`, and the joints between links. http://sdformat.org/tutorials?tut=pose_frame_semantics

A pose is relative to the frame that `relative_to` names, by default: a link, frame or nested model to its model, an attached frame to what
it is attached to, a joint to its child link. Names are looked up in the model or world where they stand, ``inner::name`` below it.

Tests: `tests/formats/robot/test_links.py`.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial

import numpy as np

from massprops.errors import InvalidInput, ReadError, Remedy
from massprops.findings import Finding
from massprops.formats.address import split_part
from massprops.formats.inertial.inertial import ENTRIES, Inertial, NamedBody, WriteOptions, numbers_of, symmetric
from massprops.formats.inertial.numbers import number, numbers, rotation_of, shortest, unit_vector, words
from massprops.formats.robot import urdf
from massprops.formats.robot.includes import STATED, canonical_link
from massprops.formats.robot.kinematics import JOINT_TYPES, Joint, LinkPlacement, Mimic
from massprops.formats.robot.links import (
    ComputedInertial,
    Geometry,
    Link,
    LinkMesh,
    Primitive,
    UnsupportedGeometry,
)
from massprops.formats.robot.sdf_elements import unread
from massprops.formats.robot.sdf_of_urdf import IS_URDF
from massprops.formats.robot.sdf_versions import LATEST
from massprops.formats.text import quote
from massprops.formats.xml import Node, in_link, serialise, xml_name
from massprops.frames import Pose
from massprops.moments.arrays import Array, product
from massprops.rigid_body.mass_properties import MassProperties

#: kg/m³ of a collision that states no density, for `<inertial auto="true">`.
_DENSITY = 1000.0
#: Limit of a joint that stands for none.
_NO_LIMIT = 1e16
#: Frames that are each placed relative to the next, at most.
_DEEPEST = 200
#: Moments and products of an `<inertia>` that leaves them out.
_DEFAULTS = {"ixx": 1.0, "iyy": 1.0, "izz": 1.0, "ixy": 0.0, "ixz": 0.0, "iyz": 0.0}


def body_of(name: str | None, inertial: Node, link: str) -> NamedBody:
    """The body of an `<inertial>` of the link named `link`, with the defaults of SDFormat.

    Raises
    ------
    ReadError
        If an element is doubled or no number, or the pose is relative to another frame than that of the link.
    """
    found: list[Finding] = []
    mass = _or_default(inertial, "mass", 1.0, found)
    tensor = inertial.one("inertia")
    if tensor is None:
        found.append(_default(inertial.place, "<inertia>", "the identity, 1 kg m²"))
    values = [default if tensor is None else _or_default(tensor, k, default, found) for k, default in _DEFAULTS.items()]
    stated = inertial.one("pose")
    if (other := _relative_to(stated)) not in ("", link):
        message = (
            f"{inertial.place}: the pose of an inertial is relative to {quote(other)}, another frame than its link"
        )
        hint = "state it relative to the link: SDFormat ignores the attribute here"
        raise ReadError(message, code="foreign-frame", hint=hint)
    frame, noticed = pose_of(stated)
    remarks = (*found, *noticed, *_added_mass(inertial))
    return NamedBody.of(name, Inertial(mass, frame, symmetric(*values)), inertial.place, "sdf", remarks)


#: Negative eigenvalues of this share of the largest entry are rounding.
_ROUNDING = 1e-9
#: The upper triangle of the 6 x 6 matrix of added mass, row by row: three translations, three rotations.
_ADDED = [a + b for i, a in enumerate("xyzpqr") for b in "xyzpqr"[i:]]


def _added_mass(inertial: Node) -> Iterator[Finding]:
    """Finding about the mass of fluid that moves with a link, which no total counts."""
    node = inertial.one("fluid_added_mass")
    if node is None:
        return
    matrix = np.zeros((6, 6))
    matrix[np.triu_indices(6)] = [_value(node, name, 0.0) for name in _ADDED]
    matrix += np.triu(matrix, 1).T
    least, what = float(np.linalg.eigvalsh(matrix)[0]), f"{node.place}: <fluid_added_mass>"
    if least < -_ROUNDING * np.abs(matrix).max():
        negative = f"{what} has the eigenvalue {least:.4g}: some motion of the fluid would have negative energy"
        yield Finding("negative-added-mass", "error", negative, least, 0.0, where=node.place)
    x, y, z, p, q, r = (f"{value:.6g}" for value in matrix.diagonal())
    shown = f"{what}, no part of the mass: {x} {y} {z} kg along the axes, {p} {q} {r} kg m² about them"
    yield Finding("fluid-added-mass", "info", shown, where=node.place)


def default_body(name: str, place: str) -> NamedBody:
    """The default of SDFormat for a link without an `<inertial>`."""
    found = (_default(place, "<inertial>", "mass 1 kg, moments 1 kg m²"),)
    return NamedBody(name, MassProperties(1.0, np.zeros(3), np.eye(3)), place, "sdf", found, inferred=True)


def _or_default(parent: Node, tag: str, default: float, found: list[Finding]) -> float:
    if not parent.all(tag):
        found.append(_default(parent.place, f"<{tag}>", f"{default:g}"))
    return _value(parent, tag, default)


def _default(place: str, what: str, value: str) -> Finding:
    message = f"{place}: {what} is left out; SDFormat takes {value}"
    return Finding("default-inertial", "warning", message, where=place)


def _relative_to(pose: Node | None) -> str:
    """Name of the frame that a `<pose>` is relative to; empty where it is the default."""
    return "" if pose is None else pose.attributes.get("relative_to", "")


def pose_of(node: Node | None) -> tuple[Pose, tuple[Finding, ...]]:
    """The pose that a `<pose>` states, in the frame that it is relative to, and remarks."""
    if node is None or not node.text.strip():
        return Pose.identity(), ()
    kind = node.attributes.get("rotation_format", "euler_rpy")
    if kind == "quat_xyzw":
        *xyz, x, y, z, w = numbers(node.text, 7, node.place, "pose")
        turn, found = rotation_of((w, x, y, z), node.place, "pose")
        return Pose(turn.rotation, xyz), found
    if kind != "euler_rpy":
        message = f"{node.place}: unknown rotation_format {quote(kind)}"
        raise ReadError(message, code="unknown-format", hint="known: euler_rpy quat_xyzw")
    values = numbers(node.text, 6, node.place, "pose")
    degrees = flag(node, "degrees")
    return Pose.from_xyz_rpy(values[:3], [math.radians(a) if degrees else a for a in values[3:]]), ()


def flag(node: Node, name: str) -> bool:
    """An attribute that is true or false; false if it is not there."""
    return _is_true(node.attributes.get(name, "false"), node.place, name)


def _is_true(text: str, place: str, name: str) -> bool:
    value = text.strip().lower()
    if value not in ("true", "false", "1", "0"):
        raise ReadError(f"{place}: {name} must be true or false, got {quote(value)}", code="bad-attribute")
    return value in ("true", "1")


def write(bodies: Sequence[NamedBody], form: WriteOptions) -> str:
    """An `<inertial>` for a body without a name, a `<link>` for one with; several links in a `<model>` of an `<sdf>`."""
    if len(bodies) == 1 and "::" not in (bodies[0].name or ""):
        return serialise(_element(bodies[0], form))
    document = ET.Element("sdf", version=LATEST)
    model = ET.SubElement(document, "model", name="bodies")
    for body in bodies:
        _nested(model, body.name or "").append(_element(body, form))
    return serialise(document)


def _nested(model: ET.Element, name: str) -> ET.Element:
    """The model that holds a link named ``inner::link``: SDF keeps the colons for nesting."""
    if name and "" in name.split("::"):
        what = f"a link named {name!r} has an empty name beside '::', which nests models in SDF"
        raise InvalidInput(what, hint=Remedy("give another --link", python="give the body another name"))
    for scope in name.split("::")[:-1]:
        inner = next((m for m in model.findall("model") if m.get("name") == scope), None)
        model = ET.SubElement(model, "model", name=xml_name(scope)) if inner is None else inner
    return model


def _element(body: NamedBody, form: WriteOptions) -> ET.Element:
    n = numbers_of(body.properties, form)
    w, x, y, z = n.wxyz
    inertial = ET.Element("inertial")
    pose = ET.SubElement(inertial, "pose", {"rotation_format": "quat_xyzw"} if form.quaternion else {})
    pose.text = words([*n.com, x, y, z, w] if form.quaternion else [*n.com, *n.rpy])
    ET.SubElement(inertial, "mass").text = shortest(n.mass)
    inertia = ET.SubElement(inertial, "inertia")
    for name, ij in ENTRIES.items():
        ET.SubElement(inertia, name).text = shortest(n.tensor[ij])
    return in_link(inertial, body.name and body.name.rpartition("::")[2])


#: Poses by the outermost model and the frame, and those that are being worked out.
Known = tuple[dict[tuple[int, int], Pose], list[tuple[int, int]]]


class Scope:
    """A model or world: the frames in it by name, and where they are.

    Parameters
    ----------
    node : Node
        The `<model>`, `<world>` or `<sdf>`.
    prefix : str
        Before the names of its links, as seen from the outermost model: ``arm::``.
    outer : Scope, optional
    known : Known, optional
        Poses of a document of which this model is looked at alone.
    """

    def __init__(self, node: Node, prefix: str, outer: Scope | None = None, known: Known | None = None) -> None:
        self.node, self.prefix, self.outer = node, prefix, outer
        self._root: Node = node if outer is None else outer._root
        self._known: Known = known or ({}, []) if outer is None else outer._known
        named = (child for tag in ("joint", "frame", "model", "link") for child in node.all(tag))
        self.named = {child.attributes.get("name", ""): child for child in named}
        models = ((name, child) for name, child in self.named.items() if child.tag == "model")
        self.inner = {name: Scope(child, f"{prefix}{name}::", self) for name, child in models}

    def placement(self, link: str, user: Node) -> LinkPlacement:
        """Placement of a link, by its name as seen from here; raises ReadError where frames or joints are wrong."""
        home, name = self._find(link, user)
        pose, joints = home.pose(home.named[name]), self._joints.get(link, [])
        if not joints:
            return LinkPlacement(None, pose, (), user.place)
        if len(joints) > 1:
            what, hint = "is the child of two joints", "closed chains are not combined: leave one of the joints out"
            raise ReadError(f"link {quote(link)} {what}", place=joints[1][1].place, code="not-a-tree", hint=hint)
        scope, node = joints[0]
        joint, above = scope._joint(node, pose), _text(node, "parent")
        parent = None
        if above != "world":
            owner, name = scope._link(above, node)
            pose, parent = owner.pose(owner.named[name]).inverse() @ pose, owner.prefix + name
        return LinkPlacement(parent, pose, () if joint is None else (joint,), node.place)

    def holds(self, link: str) -> bool:
        """Whether a fixed joint holds a link; False where frames or joints are wrong, which its placement says."""
        with suppress(ReadError):
            return any(joint.attributes.get("type") == "fixed" for _, joint in self._joints.get(link, ()))
        return False

    def pose_in_link(self, link: str, node: Node) -> Pose:
        """X_LG: a visual or collision of a link, by its name as seen from here; raises what `pose` does."""
        stated, (home, own) = node.one("pose"), self._find(link, node)
        pose, relative = pose_of(stated)[0], _relative_to(stated)
        if relative in ("", own):
            return pose
        return home.pose(home.named[own]).inverse() @ home._at(relative, node) @ pose

    @cached_property
    def _joints(self) -> dict[str, list[tuple[Scope, Node]]]:
        """The joints of this model and those in it, by the link that they move."""
        found: dict[str, list[tuple[Scope, Node]]] = {}
        for node in self.node.all("joint"):
            scope, name = self._link(_text(node, "child"), node)
            found.setdefault(scope.prefix + name, []).append((self, node))
        for inner in self.inner.values():
            for name, joints in inner._joints.items():
                found.setdefault(name, []).extend(joints)
        return found

    def _find(self, name: str, user: Node) -> tuple[Scope, str]:
        """The model in which a frame is, and its name there."""
        head, _, rest = name.partition("::")
        if rest and head in self.inner:
            return self.inner[head]._find(rest, user)
        if name not in self.named and name != "__model__" and (name != "world" or self.node.tag != "world"):
            raise ReadError(f"no frame is named {quote(name)}", place=user.place, code="unknown-frame")
        return self, name

    def _link(self, name: str, user: Node) -> tuple[Scope, str]:
        """The link to which a frame is attached."""
        scope, own = self._find(name, user)
        for _ in range(_DEEPEST):
            node = scope.named.get(own)
            if node is None and own == "__model__":
                scope, own = scope._find(canonical_link(scope.node), user)
            elif node is not None and node.tag == "frame":
                scope, own = scope._find(node.attributes.get("attached_to", "__model__"), node)
            elif node is not None and node.tag == "joint":
                scope, own = scope._find(_text(node, "child"), node)
            elif node is not None and node.tag == "model":
                scope, own = scope.inner[own], "__model__"
            elif node is not None:
                return scope, own
        raise ReadError(f"{quote(name)} is attached to no link", place=user.place, code="unknown-frame")

    def _at(self, name: str, user: Node) -> Pose:
        """X_TF: the frame of this name, in the outermost frame."""
        scope, own = self._find(name, user)
        if own in scope.named:
            return scope.pose(scope.named[own])
        return Pose.identity() if own == "world" or scope.outer is None else scope.outer.pose(scope.node)

    def pose(self, node: Node) -> Pose:
        """X_TF: a link, frame, joint or model that stands in this model, in the outermost frame.

        Raises
        ------
        ReadError
            If a frame that it refers to is not there, or is placed relative to itself.
        """
        (poses, waiting), key = self._known, (id(self._root), id(node))
        if key not in poses:
            if key in waiting or len(waiting) > _DEEPEST:
                raise ReadError("a frame is placed relative to itself", place=node.place, code="cycle")
            waiting.append(key)
            poses[key] = self._pose(node)
            waiting.pop()
        return poses[key]

    def _pose(self, node: Node) -> Pose:
        stated = node.one("pose")
        relative = _relative_to(stated)
        base = _text(node, "child") if node.tag == "joint" else node.attributes.get("attached_to", "")
        pose = self._at(relative or base or "__model__", node)
        if stated is not None:
            pose = pose @ pose_of(stated)[0]
        placed = node.attributes.get("placement_frame")
        if placed:  # the pose is that of this frame of the model
            pose = pose @ Scope(node, "", known=self._known)._at(placed, node).inverse()
        return pose

    def _joint(self, node: Node, link: Pose) -> Joint | None:
        """The joint in the frame of the link at `link`; None for a fixed one."""
        name, type_ = node.attribute("name"), node.attribute("type")
        if type_ == "fixed":
            return None
        kind, axis = JOINT_TYPES.get(type_, "other"), node.one("axis")
        full = self.prefix + name
        if axis is None or kind == "other":
            return Joint(full, node.place, "other", np.zeros(3), np.zeros(3))
        here = link.inverse() @ self.pose(node)
        direction, limits = self._axis(node, axis, link, here), (-math.inf, math.inf)
        limit = axis.one("limit")
        if limit is not None and type_ != "continuous":
            lower, upper = _value(limit, "lower", -_NO_LIMIT), _value(limit, "upper", _NO_LIMIT)
            limits = lower if lower > -_NO_LIMIT else -math.inf, upper if upper < _NO_LIMIT else math.inf
        along, mimic = unit_vector(direction, node.place, "xyz"), self._mimic(axis)
        return Joint(full, node.place, kind, along, here.translation, limits, mimic=mimic)

    def _axis(self, joint: Node, axis: Node, link: Pose, here: Pose) -> Array:
        """The axis in the frame of the link: stated in the joint's frame, or as `expressed_in` says."""
        xyz = axis.one("xyz")
        vector = np.array(numbers("0 0 1" if xyz is None else xyz.text, 3, axis.place, "xyz"))
        expressed = "" if xyz is None else xyz.attributes.get("expressed_in", "")
        if not expressed:
            return product(here.rotation, vector)
        return product(link.rotation.T, product(self._at(expressed, joint).rotation, vector))

    def _mimic(self, axis: Node) -> Mimic | None:
        node = axis.one("mimic")
        if node is None:
            return None
        scope, name = self._find(node.attribute("joint"), node)
        coefficients = _value(node, "offset", 0.0), _value(node, "multiplier", 1.0)
        return Mimic(scope.prefix + name, coefficients, _value(node, "reference", 0.0))


def _text(node: Node, tag: str) -> str:
    return node.need(tag).text.strip()


def _value(node: Node, tag: str, default: float) -> float:
    """The number in a child, or the default of the format."""
    child = node.one(tag)
    return default if child is None else number(child.text, child.place, tag)


def links(root: Node) -> Iterator[Link]:
    """The links of an `<sdf>`, a `<model>` or a `<link>`.

    Names are as seen from the outermost model (``hand::tip``), or from the world where there are several models.
    """
    models = [node for node in root.walk() if node is root or node.tag in ("model", "world")]
    unlimited = {"unlimited": "true"} if any(_is_unlimited(n) for model in models for n in model.all("joint")) else {}
    top = [root] if root.tag in ("link", "model") else _models(root)
    frames = _frames(root, top)
    found = list(unread(root))
    rest = [f for node, f in found if node is None and isinstance(f, Finding)]  # the first link has them
    for outer in top:
        scope = f"{outer.attribute('name')}::" if len(top) > 1 and outer.tag == "model" else ""
        static = outer.one("static") if outer.tag == "model" else None
        of_model = {} if static is None else {"static": static.text.strip()}
        for name, node in _links(outer, scope):
            link = Link.read(name, node, partial(_link, name, node, frames))
            link = replace(link, settings=of_model | unlimited | _for_others(node))
            own = [f for inside, f in found if inside is node and isinstance(f, Finding)]
            yield replace(link, findings=(*link.findings, *own, *rest))
            rest = []
    for error in (f for _, f in found if isinstance(f, ReadError)):
        yield Link(None, root.place, error=error)


def _frames(root: Node, top: list[Node]) -> Scope:
    """The frames of the only model, in its world if it has one; of all models where there are several."""
    worlds, is_one = root.all("world"), len(top) == 1 and top[0].tag == "model"
    if is_one and not worlds:
        return Scope(top[0], "")
    around = [root, *worlds] if top != [root] else []
    world = Scope(Node("world", {}, root.place, [child for n in around for child in n.children] or top), "")
    return Scope(top[0], "", world) if is_one else world


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


def _link(name: str, node: Node, frames: Scope) -> Link:
    own, inertial, fixed = node.attribute("name"), node.one("inertial"), frames.holds(name)
    place = partial(frames.placement, name, node)
    if IS_URDF in node.attributes:
        stated = frozenset(node.attributes[IS_URDF].split())
        return replace(urdf.link_of(name, node, fixed=fixed), placement=place, gazebo=stated)
    visual, collision = Geometry.of_link(node, partial(frames.pose_in_link, name), _solid, in_children=True)
    link = Link(name, node.place, visual=visual, collision=collision, fixed=fixed, placement=place, dialect="sdf")
    if inertial is None:
        return replace(link, default=default_body(name, node.place))
    if flag(inertial, "auto"):
        computed = _automatic(node, inertial)
        said = (_automatic_finding(node, inertial, computed), *_added_mass(inertial))
        return replace(link, findings=said, automatic=computed)
    return link.with_body(lambda: body_of(name, inertial, own))


def _is_unlimited(joint: Node) -> bool:
    """Whether Bullet refuses a joint: of a type that it does not know, or with an axis that has no limits."""
    axis, kind = joint.one("axis"), joint.attributes.get("type")
    return kind not in ("fixed", "continuous") and (
        kind not in ("revolute", "prismatic") or (axis is not None and axis.one("limit") is None)
    )


def _for_others(link: Node) -> dict[str, str]:
    """The settings of a link that programs read otherwise, or refuse, which do not follow the specification."""
    inertial = None if IS_URDF in link.attributes else link.one("inertial")
    if inertial is None:
        return {}
    moments, pose = inertial.one("inertia"), inertial.one("pose")
    needed = [inertial.all("mass"), *([[]] if moments is None else (moments.all(k) for k in ("ixx", "iyy", "izz")))]
    found = {} if all(needed) else {"incomplete": "true"}
    is_plain = pose is None or (pose.text.strip() and not pose.attributes)
    return found if is_plain else found | {"pose": "with attributes, or empty"}


def _automatic(link: Node, inertial: Node) -> ComputedInertial:
    """Values from which SDFormat computes an ``auto`` inertial: the collisions, each with its own density or that of the inertial.

    A stated mass scales the result (libsdformat 15.2 and later).
    """
    default = _value(inertial, "density", _DENSITY)
    densities = tuple(_value(collision, "density", default) for collision in link.all("collision"))
    mass = _value(inertial, "mass", 0.0) if inertial.all("mass") else None
    for value, what in ((mass, "<mass>"), *((density, "<density>") for density in densities)):
        if value is not None and value <= 0:
            message = f"{inertial.place}: the {what} of an auto inertial must be positive, got {value!r}"
            raise ReadError(message, code="not-positive", hint="leave it out, or state mass and inertia")
    return ComputedInertial(densities, mass)


def _automatic_finding(link: Node, inertial: Node, computed: ComputedInertial) -> Finding:
    listed = " and ".join(f"{density:.6g}" for density in sorted(set(computed.densities)))
    of = f"the collisions, of {listed} kg/m³" if listed else "the collisions, but the link has none"
    unknown = [p for n in (inertial, *link.all("collision")) for p in n.all("auto_inertia_params") if p.children]
    of += "" if computed.mass is None else f", scaled to {computed.mass:.6g} kg"
    names = ", ".join(dict.fromkeys(f"<{child.tag}>" for p in unknown for child in p.children))
    ignored = f"; {names} in <auto_inertia_params> is not known" if names else ""
    message = f'{inertial.place}: <inertial auto="true">: SDFormat computes it from {of}{ignored}'
    return Finding("auto-inertial", "info", message, where=inertial.place)


#: Lengths of the round shapes, where they are left out.
_ROUND = {
    "cone": {"radius": 1.0, "length": 1.0},
    "cylinder": {"radius": 1.0, "length": 1.0},
    "capsule": {"radius": 0.5, "length": 1.0},
    "sphere": {"radius": 1.0},
}


def _solid(node: Node) -> LinkMesh | Primitive | UnsupportedGeometry:
    if node.tag == "mesh":
        uri = (node.all("uri") or [node.need("uri")])[0]  # SDFormat takes the first of several
        text, scale, submesh = uri.text.strip(), tuple(_triple(node, "scale", "1 1 1")), node.one("submesh")
        model, part = uri.attributes.get(STATED, text), ""
        if submesh is None:
            return LinkMesh(text, scale, model=model)
        part, centre = f"#{_text(submesh, 'name')}", submesh.one("center")
        if split_part(f"{text}{part}")[1] != part[1:]:
            return UnsupportedGeometry(f"<submesh> is read of DAE and glTF files, and {quote(text)} is none")
        is_centred = centre is not None and _is_true(centre.text, centre.place, "center")
        return LinkMesh(f"{text}{part}", scale, model=f"{model}{part}", is_centred=is_centred)
    if node.tag == "box":
        return Primitive.of("box", _triple(node, "size", "1 1 1"))
    if node.tag == "ellipsoid":
        return Primitive.of("ellipsoid", _triple(node, "radii", "1 1 1"))
    if node.tag in _ROUND:
        lengths = [_value(node, name, default) for name, default in _ROUND[node.tag].items()]
        if node.tag == "cone":  # its axis is z, and its origin halfway up
            return Primitive.of("frustum", (lengths[0], 0.0, lengths[1]))
        return Primitive.of(node.tag, lengths)
    return UnsupportedGeometry(f"<{node.tag}> has no volume, or is not known")


def _triple(node: Node, tag: str, default: str) -> list[float]:
    child = node.one(tag)
    return numbers(default if child is None else child.text, 3, node.place, tag)
