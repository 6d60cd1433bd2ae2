"""MJCF: bodies with their inertials and geoms. https://mujoco.readthedocs.io/en/stable/XMLreference.html#world-body-r

Of an inertial, `pos` is the centre of mass; `fullinertia` is M11 M22 M33 M12 M13 M23 and excludes an orientation; `diaginertia` is along
the axes of the inertial frame, whose orientation is a quaternion (w first) or one of four other attributes. Angles are degrees unless
`<compiler angle="radian">`.

A geom that collides with nothing (contype and conaffinity 0) is taken as visual; every other one as collision. Attributes that a
geom leaves out come from its `<default>` class. Bodies of attached models keep the settings of their own file.

Tests: `tests/formats/robot/test_links.py`.
"""

from __future__ import annotations

import math
import posixpath
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import islice

import numpy as np

from massprops.errors import MasspropsError, ReadError, result_or_error
from massprops.findings import Finding
from massprops.formats.inertial.inertial import Inertial, NamedBody, WriteOptions, numbers_of, symmetric
from massprops.formats.inertial.numbers import number, numbers, rotation_of, shortest, unit_vector, words
from massprops.formats.robot.includes import MjcfFile
from massprops.formats.robot.kinematics import Joint, JointType, LinkPlacement, Mimic
from massprops.formats.robot.links import (
    LENGTHS,
    MOST_GEOMETRIES,
    Geometry,
    Link,
    LinkMesh,
    Primitive,
    UnsupportedGeometry,
)
from massprops.formats.text import quote
from massprops.formats.xml import Node, serialise, xml_name
from massprops.frames import Pose
from massprops.moments.arrays import Array, length, product

Turn = tuple[Pose, tuple[Finding, ...]]


@dataclass(frozen=True)
class Compiler:
    """The settings of `<compiler>` that decide what an inertial means, and those by which MuJoCo changes its numbers.

    mjCBody::Compile raises mass and moments to the bounds, then balances the moments; mjCModel::Compile scales all bodies last.
    """

    degrees: bool = True
    eulerseq: str = "xyz"
    from_geoms: bool = False
    infers: bool = True
    groups: tuple[float, float] = (0, 5)
    least_mass: float = 0.0
    least_moment: float = 0.0
    balances: bool = False
    total_mass: float = -1.0
    mesh_folder: str = ""

    def angle(self, value: float) -> float:
        """The angle in radians."""
        return math.radians(value) if self.degrees else value

    def changed(self, mass: float, moments: Sequence[float]) -> tuple[float, list[float]]:
        """The mass and principal moments that a body of these has, before masses are scaled to `total_mass`."""
        raised = [max(moment, self.least_moment) for moment in moments]
        a, b, c = sorted(raised)
        return max(mass, self.least_mass), [(a + b + c) / 3] * 3 if self.balances and a + b < c else raised

    def changes(self, mass: float, moments: Sequence[float]) -> dict[str, str]:
        """Changes that MuJoCo makes to a body with this mass and these principal moments, by the setting that makes them."""
        changes = {}
        if mass < self.least_mass:
            changes["boundmass"] = f"raises the mass from {mass:.9g}\xa0kg to {self.least_mass:.9g}\xa0kg"
        if min(moments) < self.least_moment:
            raised = f"from {min(moments):.9g}\xa0kg\xa0m² to {self.least_moment:.9g}\xa0kg\xa0m²"
            changes["boundinertia"] = f"raises the smallest principal moment {raised}"
        _, after = self.changed(mass, moments)
        if after != [max(moment, self.least_moment) for moment in moments]:
            changes["balanceinertia"] = f"makes the principal moments all {after[0]:.9g}\xa0kg\xa0m²"
        if self.total_mass > 0.0:
            changes["settotalmass"] = f"scales all bodies so that their masses add up to {self.total_mass:.9g}\xa0kg"
        return changes


def settings_of(root: Node) -> dict[str, str]:
    """The attributes of all `<compiler>` elements; a later one overrides."""
    return {name: value for node in root.all("compiler") for name, value in node.attributes.items()}


def compiler_of(merged: Mapping[str, str], place: str) -> Compiler:
    """The settings that some attributes of `<compiler>` make."""
    angle, sequence = merged.get("angle", "degree"), merged.get("eulerseq", "xyz")
    if angle not in ("degree", "radian"):
        raise ReadError(f"{place}: angle must be degree or radian, got {quote(angle)}", code="bad-attribute")
    if len(sequence) != 3 or set(sequence) - set("xyzXYZ"):
        raise ReadError(f"{place}: eulerseq must be three of x y z X Y Z, got {quote(sequence)}", code="bad-attribute")
    bounds = (("boundmass", "0"), ("boundinertia", "0"), ("settotalmass", "-1"))
    least_mass, least_moment, total = (number(merged.get(name, zero), place, name) for name, zero in bounds)
    from_geoms, balances = (merged.get(name) == "true" for name in ("inertiafromgeom", "balanceinertia"))
    low, high = numbers(merged.get("inertiagrouprange", "0 5"), 2, place, "inertiagrouprange")
    infers, folder = merged.get("inertiafromgeom") != "false", merged.get("meshdir", merged.get("assetdir", ""))
    changes = least_mass, least_moment, balances, total
    return Compiler(angle == "degree", sequence, from_geoms, infers, (low, high), *changes, folder)


def body_of(name: str | None, node: Node, compiler: Compiler) -> NamedBody:
    """The body of an `<inertial>`.

    Raises
    ------
    ReadError
        If an attribute is missing or no number, or an orientation is given twice.
    """
    mass = number(node.attribute("mass"), node.place, "mass")
    pos = numbers(node.attribute("pos"), 3, node.place, "pos")
    turn, found = orientation_of(node, compiler)
    tensor, diagonal = _tensor(node)
    if compiler.from_geoms:
        message = f"{node.place}: <compiler inertiafromgeom='true'> makes MuJoCo ignore this inertial"
        found = (*found, Finding("inertia-from-geoms", "warning", message, where=node.place))
    stated = Inertial(mass, Pose(turn.rotation, np.array(pos)), tensor, diagonal)
    changes = {} if compiler.from_geoms else compiler.changes(mass, stated.moments)
    if changes:
        listed = "; ".join(f"{setting} {change}" for setting, change in changes.items())
        message = f"the numbers are read as they are stated, but MuJoCo changes them: {listed}"
        found = (*found, Finding("changed-by-compiler", "warning", f"{node.place}: {message}", where=node.place))
    return NamedBody.of(name, stated, node.place, "mjcf", found)


def _tensor(node: Node) -> tuple[Array, bool]:
    full, diagonal = node.attributes.get("fullinertia"), node.attributes.get("diaginertia")
    if (full is None) == (diagonal is None):
        both = "both diaginertia and fullinertia" if full is not None else "neither diaginertia nor fullinertia"
        raise ReadError(f"{node.place}: <inertial> has {both}", code="missing-attribute", hint="give one of them")
    if full is not None:
        return symmetric(*numbers(full, 6, node.place, "fullinertia")), False
    return np.diag(numbers(diagonal or "", 3, node.place, "diaginertia")), True


def orientation_of(node: Node, compiler: Compiler) -> Turn:
    """The rotation that quat, euler and the like state, the identity without one; ReadError if there are two."""
    given = [name for name in _ORIENTATIONS if name in node.attributes]
    if not given:
        return Pose.identity(), ()
    if len(given) > 1 or "fullinertia" in node.attributes:
        others = [*given, "fullinertia"] if len(given) == 1 else given
        what = f"{node.place}: <{node.tag}> has {' and '.join(others)}, which exclude each other"
        raise ReadError(what, code="ambiguous-orientation", hint="leave one of them")
    count, turn = _ORIENTATIONS[given[0]]
    return turn(numbers(node.attributes[given[0]], count, node.place, given[0]), node.place, compiler)


def _axis_angle(values: list[float], place: str, compiler: Compiler) -> Turn:
    *axis, angle = values
    half = compiler.angle(angle) / 2
    xyz = math.sin(half) * unit_vector(np.array(axis), place, "axisangle")
    return rotation_of([math.cos(half), *xyz.tolist()], place, "axisangle")


def _euler(values: list[float], _place: str, compiler: Compiler) -> Turn:
    """Lower case: about the axes as they turn along; upper case: about the fixed ones."""
    rotation = np.eye(3)
    for letter, value in zip(compiler.eulerseq, values, strict=True):
        angles = [compiler.angle(value) if letter.lower() == axis else 0.0 for axis in "xyz"]
        step = Pose.from_xyz_rpy(rpy=angles).rotation
        rotation = product(rotation, step) if letter.islower() else product(step, rotation)
    return Pose(rotation, np.zeros(3)), ()


def _xy_axes(values: list[float], place: str, _compiler: Compiler) -> Turn:
    """The x and y axes of the frame; y is made orthogonal to x, as MuJoCo does."""
    x = unit_vector(np.array(values[:3]), place, "xyaxes")
    y = np.array(values[3:])
    y = unit_vector(y - (y * x).sum() * x, place, "xyaxes")
    return Pose(np.column_stack([x, y, np.cross(x, y)]), np.zeros(3)), ()


def _z_axis(values: list[float], place: str, _compiler: Compiler) -> Turn:
    """The smallest rotation that takes (0, 0, 1) to the given axis; half a turn about x for the opposite one."""
    x, y, z = unit_vector(np.array(values), place, "zaxis").tolist()
    across = math.hypot(x, y)
    if across == 0.0:
        return rotation_of([1.0, 0.0, 0.0, 0.0] if z > 0 else [0.0, 1.0, 0.0, 0.0], place, "zaxis")
    half = math.atan2(across, z) / 2
    s = math.sin(half) / across
    return rotation_of([math.cos(half), -y * s, x * s, 0.0], place, "zaxis")


_ORIENTATIONS: dict[str, tuple[int, Callable[[list[float], str, Compiler], Turn]]] = {
    "quat": (4, lambda values, place, _compiler: rotation_of(values, place, "quat")),
    "axisangle": (4, _axis_angle),
    "euler": (3, _euler),
    "xyaxes": (6, _xy_axes),
    "zaxis": (3, _z_axis),
}


def write(bodies: Sequence[NamedBody], form: WriteOptions) -> str:
    """An `<inertial>` for one body without a name; else a model that MuJoCo loads, with a `<body>` for each."""
    if len(bodies) == 1 and bodies[0].name is None:
        return serialise(_inertial(bodies[0], form))
    document = ET.Element("mujoco", model="bodies")
    world = ET.SubElement(document, "worldbody")
    for body in bodies:
        attributes = {} if body.name is None else {"name": xml_name(body.name)}
        ET.SubElement(world, "body", attributes).append(_inertial(body, form))
    return serialise(document)


def _inertial(body: NamedBody, form: WriteOptions) -> ET.Element:
    n = numbers_of(body.properties, form)
    inertial = ET.Element("inertial", pos=words(n.com), mass=shortest(n.mass))
    if form.principal:
        inertial.set("diaginertia", words(n.moments))
        if n.wxyz != (1.0, 0.0, 0.0, 0.0):
            inertial.set("quat", words(n.wxyz))
    else:
        products = (n.tensor[0, 1], n.tensor[0, 2], n.tensor[1, 2])
        inertial.set("fullinertia", words([*n.moments, *products]))
    return inertial


Attributes = Mapping[str, str]
#: By tag and name of the class.
Defaults = dict[tuple[str, str], Attributes]
_JOINTS = ("joint", "freejoint")
_JOINT_TYPES: dict[str, JointType] = {"hinge": "turn", "slide": "slide"}


@dataclass(frozen=True)
class _MjcfModel:
    """Definitions of a model: compiler settings, default classes by tag and name, meshes by name."""

    file: MjcfFile
    settings: Mapping[str, str]
    compiler: Compiler
    defaults: Defaults
    meshes: Mapping[str, LinkMesh | UnsupportedGeometry | MasspropsError]

    @cached_property
    def equalities(self) -> dict[str | None, Node]:
        """The first active equality of each joint that another one determines, by its name."""
        nodes = [n for e in self.file.root.all("equality") for n in e.all("joint")]
        return {n.attributes.get("joint1"): n for n in reversed(nodes) if n.attributes.get("active") != "false"}

    @classmethod
    def of(cls, file: MjcfFile) -> _MjcfModel:
        defaults: Defaults = {}
        for node in file.root.all("default"):
            _read_defaults(node, node.attributes.get("class", "main"), {}, defaults)
        settings = settings_of(file.root)
        compiler = compiler_of(settings, (file.root.all("compiler") or [file.root])[-1].place)
        folder = posixpath.join(file.folder, compiler.mesh_folder)
        nodes = [node for asset in file.root.all("asset") for node in asset.all("mesh")]
        return cls(file, settings, compiler, defaults, dict(_mesh(node, folder, defaults) for node in nodes))


@dataclass(frozen=True)
class _Body:
    """A `<body>` or another element of the tree: its model, the element around it, the class of its geoms and joints, the prefix of
    its names, and how many copies replicates make of it.
    """

    node: Node
    model: _MjcfModel
    outer: _Body | None = field(default=None, repr=False, compare=False)
    class_: str = ""
    prefix: str = ""
    times: float = 1.0
    error: MasspropsError | None = field(default=None, compare=False)


def links(file: MjcfFile) -> Iterator[Link]:
    """The bodies of a model, outer before inner; those without a name are ``body1``, ``body2`` … by their place in the file."""
    model = _MjcfModel.of(file)
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
            yield Link.read(name, body.node, partial(_link, name, body, names))


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
                yield from _bodies_of_attached(below)
            except MasspropsError as error:
                yield replace(below, error=error)


def _bodies_of_attached(at: _Body) -> list[_Body]:
    """The body that an `<attach>` names with those in it, or all bodies of the model where it names none."""
    file = at.model.file.attached(at.node)
    top = _Body(file.root, _MjcfModel.of(file), at, "", at.prefix + at.node.attribute("prefix"), at.times)
    failed = [replace(at, error=error) for _, error in file.failed]
    name = at.node.attributes.get("body")
    if name is None:
        return [*_bodies(top), *failed]
    found = next((b for b in _bodies(top, attached=False) if b.node.attributes.get("name") == name), None)
    if found is None:
        raise ReadError(f"{at.node.place}: model {file.path} has no body {quote(name)}", code="unread-include")
    found = replace(found, outer=at)
    return [found, *_bodies(found), *failed]


def _link(name: str, at: _Body, names: Mapping[int, str]) -> Link:
    inertial = at.node.one("inertial")
    geoms = list(islice(_geoms(at.node, at.model, at.class_, Pose.identity()), MOST_GEOMETRIES + 1))
    drawn, solid = (tuple(g for is_visual, g in geoms if is_visual is which) for which in (True, False))
    fixed, placement = not any(child.tag in _JOINTS for child in at.node.children), partial(_placement, at, names)
    link = Link(name, at.node.place, visual=drawn, collision=solid, fixed=fixed, infers=True, placement=placement)
    link = replace(link, dialect="mjcf", settings=at.model.settings)
    return link.with_body(lambda: None if inertial is None else _one_of_copies(name, inertial, at))


def _one_of_copies(name: str, inertial: Node, at: _Body) -> NamedBody:
    """The body of an `<inertial>`, with a finding if replicates make copies of it."""
    body = body_of(name, inertial, at.model.compiler)
    if at.times == 1.0:
        return body
    message = f"{body.place}: <replicate> makes {at.times:g} of this body in MuJoCo; it is read once"
    return replace(body, findings=(*body.findings, Finding("replicated-body", "warning", message, where=body.place)))


def _placement(at: _Body, names: Mapping[int, str]) -> LinkPlacement:
    """Placement of a body in the body or the world around it, through frames."""
    if at.times != 1.0:
        what, hint = "copies of a body by <replicate> are not placed", "expand the model first: save it from MuJoCo"
        raise ReadError(what, place=at.node.place, code="replicated-body", hint=hint)
    pose, outer = _pose_of(at.node, at.model), at.outer
    while outer is not None and outer.node.tag != "body":
        if outer.node.tag == "frame":
            pose = _pose_of(outer.node, outer.model) @ pose
        outer = outer.outer
    parent = None if outer is None else names[id(outer)]
    joints = enumerate(_joints(at, at.node, at.class_, Pose.identity()), start=1)
    named = (replace(joint, name=joint.name or f"{names[id(at)]}.joint{k}") for k, joint in joints)
    return LinkPlacement(parent, pose, tuple(named), at.node.place)


def _joints(at: _Body, node: Node, class_: str, pose: Pose) -> Iterator[Joint]:
    """The joints of a body in their order, those in its frames too; `pose` is that of the node in the body."""
    for child in node.children:
        if child.tag in _JOINTS:
            yield _joint(at, child, child.attributes.get("class", class_), pose)
        elif child.tag == "frame":
            inner = pose @ _pose_of(child, at.model)
            yield from _joints(at, child, child.attributes.get("childclass", class_), inner)


def _joint(at: _Body, node: Node, class_: str, pose: Pose) -> Joint:
    """A joint; the angles of a hinge are in the unit of the compiler."""
    stated = {**(at.model.defaults.get(("joint", class_), {}) if node.tag == "joint" else {}), **node.attributes}
    place, name = node.place, at.prefix + node.attributes["name"] if node.attributes.get("name") else ""
    kind = _JOINT_TYPES.get(stated.get("type", "hinge"), "other") if node.tag == "joint" else "other"

    def angle(value: float) -> float:
        return at.model.compiler.angle(value) if kind == "turn" else value

    axis, point = (numbers(stated.get(k, d), 3, place, k) for k, d in (("axis", "0 0 1"), ("pos", "0 0 0")))
    lower, upper = -math.inf, math.inf
    if "range" in stated and stated.get("limited") != "false":
        lower, upper = map(angle, numbers(stated["range"], 2, place, "range"))
    rest = angle(number(stated.get("ref", "0"), place, "ref"))
    direction = np.zeros(3) if kind == "other" else product(pose.rotation, unit_vector(np.array(axis), place, "axis"))
    mimic = _mimic_of(at, node.attributes.get("name"), rest)
    return Joint(name, place, kind, direction, pose.apply(point), (lower, upper), rest, mimic)


def _mimic_of(at: _Body, name: str | None, rest: float) -> Mimic | None:
    """The joint that another one of the model determines: q₁ = rest₁ + Σ cₖ (q₂ − rest₂)ᵏ."""
    node = None if name is None else at.model.equalities.get(name)
    if node is None:
        return None
    given = node.attributes.get("polycoef", "0 1").split()
    constant, *others = numbers(" ".join([*given, *"01000"[len(given) :]]), 5, node.place, "polycoef")
    leader = node.attributes.get("joint2")
    return Mimic(leader and at.prefix + leader, (rest + constant, *others), None)


def _geoms(node: Node, model: _MjcfModel, class_: str, pose: Pose) -> Iterator[tuple[bool, Geometry]]:
    """Every geom of a body, those in its frames too, and whether it is only drawn; `pose` is that of the node in the body."""
    for child in node.children:
        if child.tag == "geom":
            yield _geom(child, model, child.attributes.get("class", class_), pose)
        elif child.tag == "frame":
            try:
                inner = pose @ _pose_of(child, model)
            except MasspropsError as error:
                yield False, Geometry(error, Pose.identity(), child.place)
                continue
            yield from _geoms(child, model, child.attributes.get("childclass", class_), inner)
        elif child.tag == "replicate" and next(_geoms(child, model, class_, pose), None):
            yield (
                False,
                Geometry(UnsupportedGeometry("geoms in a <replicate> are not measured"), Pose.identity(), child.place),
            )


#: Attributes of a geom that decide the mass of its body.
_WEIGHING = ("mass", "density", "group", "shellinertia")


def _geom(node: Node, model: _MjcfModel, class_: str, pose: Pose) -> tuple[bool, Geometry]:
    if class_ and ("geom", class_) not in model.defaults:
        why = f"the default class {quote(class_)} is not defined"
        elsewhere = UnsupportedGeometry(f"{why} in this file; check the model that includes it")
        error = ReadError(f"{node.place}: {why}", code="unknown-class", hint="add it to <default>")
        is_fragment = model.file.root.tag != "mujoco"  # other files define its classes and meshes
        return False, Geometry(elsewhere if is_fragment else error, Pose.identity(), node.place)
    base = dict(model.defaults.get(("geom", class_), {}))
    if node.attributes.keys() & _ORIENTATIONS.keys():  # one replaces that of the class, in whatever form
        base = {name: value for name, value in base.items() if name not in _ORIENTATIONS}
    stated = base | node.attributes

    def read() -> Geometry:
        found = _geometry(Node("geom", stated, node.place), model)
        return replace(found, pose=pose @ found.pose)

    drawn = all(stated.get(name, "1").strip() == "0" for name in ("contype", "conaffinity"))
    return drawn, replace(Geometry.read(node.place, read), stated={k: stated[k] for k in _WEIGHING if k in stated})


def _read_defaults(node: Node, class_: str, inherited: Mapping[str, Attributes], found: Defaults) -> None:
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


def _mesh(node: Node, folder: str, defaults: Defaults) -> tuple[str, LinkMesh | UnsupportedGeometry | MasspropsError]:
    stated = {**defaults.get(("mesh", node.attributes.get("class", "")), {}), **node.attributes}
    file = stated.get("file", "")
    name = stated.get("name") or file.rpartition("/")[2].rpartition(".")[0]
    if not file:
        return name, UnsupportedGeometry(f"mesh {quote(name)} names no file")
    if "refpos" in stated or "refquat" in stated:
        return name, UnsupportedGeometry(f"mesh {quote(name)} is moved by refpos or refquat, which is not measured")
    scale = result_or_error(numbers, stated.get("scale", "1 1 1"), 3, node.place, "scale")
    if isinstance(scale, MasspropsError):
        return name, scale
    return name, LinkMesh(posixpath.join(folder, file), tuple(scale), integral=stated.get("inertia", "legacy"))


def _geometry(geom: Node, model: _MjcfModel) -> Geometry:
    stated, pose = geom.attributes, _pose_of(geom, model)
    kind = stated.get("type", "sphere")
    if kind == "mesh":
        name = stated.get("mesh", "")
        return Geometry(
            model.meshes.get(name, UnsupportedGeometry(f"no mesh {quote(name)} is defined")), pose, geom.place
        )
    if stated.get("mesh"):
        return Geometry(UnsupportedGeometry(f"MuJoCo fits a {kind} to mesh {quote(stated['mesh'])}"), pose, geom.place)
    if "fromto" in stated:
        return _between(geom, kind)
    return Geometry(_primitive(geom, kind), pose, geom.place)


def _pose_of(node: Node, model: _MjcfModel) -> Pose:
    """The pose that pos and one of the orientations state."""
    turn, _ = orientation_of(node, model.compiler)
    return Pose(turn.rotation, np.array(numbers(node.attributes.get("pos", "0 0 0"), 3, node.place, "pos")))


def _primitive(geom: Node, kind: str) -> Primitive | UnsupportedGeometry:
    """MuJoCo's sizes are halves: half edges, half lengths, radii."""
    if kind not in LENGTHS:
        return UnsupportedGeometry(f"a geom of type {quote(kind)} has no volume, or is not measured")
    sizes = _sizes(geom, len(LENGTHS[kind]))
    halves = ("x", "y", "z", "length")
    return Primitive.of(kind, (2 * s if name in halves else s for name, s in zip(LENGTHS[kind], sizes, strict=True)))


def _sizes(geom: Node, count: int) -> list[float]:
    """The first `count` sizes of a geom; others are ignored."""
    return numbers(" ".join(geom.attribute("size").split()[:count]), count, geom.place, "size")


def _between(geom: Node, kind: str) -> Geometry:
    """A capsule or cylinder by its two ends: z runs from one to the other, the middle is the origin."""
    ends = np.array(numbers(geom.attribute("fromto"), 6, geom.place, "fromto"))
    if kind not in ("capsule", "cylinder"):
        return Geometry(UnsupportedGeometry(f"a {kind} by its two ends is not measured"), Pose.identity(), geom.place)
    (radius,), span = _sizes(geom, 1), ends[3:] - ends[:3]
    pose = Pose(_z_axis(span.tolist(), geom.place, Compiler())[0].rotation, ends.reshape(2, 3).mean(axis=0))
    return Geometry(Primitive(kind, {"radius": radius, "length": length(span)}), pose, geom.place)
