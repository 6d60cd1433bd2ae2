"""Bodies of an MJCF model with their geoms and joints, as MuJoCo 4.0 makes them: frames, copies, attached models, defaults.

A geom that collides with nothing (contype and conaffinity 0) is taken as visual; every other one as collision. Attributes that a
geom leaves out come from its `<default>` class. Bodies of attached models keep the settings of their own file.

Every element that can bear mass is read (`READ`), or is a link with an error that names it (`UNREAD`).

Tests: `tests/formats/robot/test_links.py`, `tests/formats/robot/test_mjcf_model.py`.
"""

from __future__ import annotations

import math
import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from itertools import islice

import numpy as np

from massprops.errors import MasspropsError, ReadError, result_or_error
from massprops.findings import Severity
from massprops.formats.inertial.inertial import NamedBody
from massprops.formats.inertial.numbers import integer, number, numbers, rows_of, unit_vector
from massprops.formats.robot.flexcomp import body_of_flexcomp
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
from massprops.formats.robot.mjcf import (
    ORIENTATIONS,
    Compiler,
    body_of,
    change_findings,
    compiler_of,
    euler_rotation,
    pose_of,
    settings_of,
    turn_z_to,
)
from massprops.formats.text import quote
from massprops.formats.xml import Node
from massprops.frames import Pose
from massprops.moments.arrays import length, product

Attributes = Mapping[str, str]


@dataclass(frozen=True)
class MjcfReading:
    """The differences of another program from MuJoCo in reading MJCF, but for what it skips: that is in `through` of links and geometries.

    Attributes
    ----------
    ends : tuple of str
        Types of the geoms whose `fromto` it reads; others have their `pos`, and one size for all three.
    has_main_class : bool
        Whether the outermost default class is that of all elements without one, also if it has a name, and what a class states
        is added to what it stated before.
    orientations : tuple of str
        Forms of orientation, of which the first counts that a geom or its class states. Without them, that of the geom replaces the
        one of its class, in whatever form.
    """

    ends: tuple[str, ...] = ("capsule", "cylinder", "box", "ellipsoid")
    has_main_class: bool = True
    orientations: tuple[str, ...] = ()

    def over(self, inherited: Attributes, own: Attributes) -> dict[str, str]:
        """Attributes over those of a class; the numbers of a `size` replace as many."""
        found = {**inherited, **own}
        first = [name for name in self.orientations if name in found][:1]
        turns = first or own.keys() & ORIENTATIONS.keys() or ORIENTATIONS.keys()
        if "size" in own:
            sizes = own["size"].split()
            found["size"] = " ".join([*sizes, *inherited.get("size", "").split()[len(sizes) :]])
        return {name: value for name, value in found.items() if name in turns or name not in ORIENTATIONS}


MUJOCO = MjcfReading()
#: Newton 1.8 (newton/_src/utils/import_mjcf.py), run.
_NEWTON = MjcfReading(("capsule", "cylinder"), False, ("quat", "euler", "axisangle", "xyaxes", "zaxis"))
READINGS = {"newton": _NEWTON}
#: By tag and name of the class.
Defaults = dict[tuple[str, str], Attributes]
_JOINTS = ("joint", "freejoint")
_JOINT_TYPES: dict[str, JointType] = {"hinge": "turn", "slide": "slide"}
#: Elements below `<worldbody>` that bear mass, or place and move what does; and those that bear mass and are named as unread.
READ = ("body", "frame", "replicate", "attach", "geom", "inertial", *_JOINTS, "flexcomp")
UNREAD = ("composite",)
_YIELDED = {"body", "geom", "inertial", *_JOINTS, "flexcomp", *UNREAD}
#: In `Defaults`: the last `<geom>` of a class, over that of the class around it, which alone count in Drake.
_DIRECT = "direct geom"
#: Elements of one body together: more are more than all limits of its geoms, joints and bodies.
_MOST_ELEMENTS = 2 * MOST_GEOMETRIES


@dataclass(frozen=True)
class _MjcfModel:
    """Definitions of a model: compiler settings, default classes by tag and name, meshes by name."""

    file: MjcfFile
    settings: Mapping[str, str]
    compiler: Compiler
    defaults: Defaults
    meshes: Mapping[str, LinkMesh | UnsupportedGeometry | MasspropsError]
    reading: MjcfReading

    @cached_property
    def equalities(self) -> dict[str | None, Node]:
        """The first active equality of each joint that another one determines, by its name."""
        nodes = [n for e in self.file.root.all("equality") for n in e.all("joint")]
        return {n.attributes.get("joint1"): n for n in reversed(nodes) if n.attributes.get("active") != "false"}

    @cached_property
    def files(self) -> tuple[LinkMesh, ...]:
        """The meshes that are files, also those that are not measured."""
        meshes = (m.mesh if isinstance(m, UnsupportedGeometry) else m for m in self.meshes.values())
        return tuple(mesh for mesh in meshes if isinstance(mesh, LinkMesh) and not mesh.is_own)

    @cached_property
    def fields(self) -> set[str]:
        """Names of the height fields."""
        stated = [node.attributes for asset in self.file.root.all("asset") for node in asset.all("hfield")]
        return {x.get("name") or x.get("file", "").rpartition("/")[2].rpartition(".")[0] for x in stated}

    @cached_property
    def part_of_others(self) -> Severity | None:
        """None of a whole model; else how bad it is that its classes and meshes are defined in other files.

        Those include it, as its root element says, or since it defines none; or are included and could not be read, which is said.
        """
        root = self.file.root
        if root.tag != "mujoco" or self.file.failed:
            return "info"
        return None if root.all("default") or root.all("asset") else "warning"

    def without(self, what: str) -> UnsupportedGeometry:
        """The geometry of a mesh or class that is not defined: `what`."""
        if self.file.failed:
            why = f"{what}, and a file that this one includes cannot be read"
            return UnsupportedGeometry(why, self.part_of_others, "unread-include")
        elsewhere = " in this file; check the file that includes it" if self.part_of_others else ""
        return UnsupportedGeometry(f"{what}{elsewhere}", self.part_of_others)

    @classmethod
    def of(cls, file: MjcfFile, reading: MjcfReading) -> _MjcfModel:
        defaults = _defaults_of(file.root, reading)
        named = {"model": file.root.attributes["model"]} if "model" in file.root.attributes else {}
        settings = settings_of(file.root) | named
        compiler = compiler_of(settings, (file.root.all("compiler") or [file.root])[-1].place)
        nodes = [node for asset in file.root.all("asset") for node in asset.all("mesh")]
        meshes = dict(_mesh(n, file, compiler, defaults) for n in nodes)
        return cls(file, settings, compiler, defaults, meshes, reading)


@dataclass(frozen=True)
class _Element:
    """An element of the tree of bodies.

    Attributes
    ----------
    node : Node
    model : _MjcfModel
    outer : _Element or None
        The body in which it stands; None in the world.
    class_ : str
        Of geoms and joints that name none.
    prefix, suffix : str
        That attached models and replicates give its name.
    pose : Pose
        X_BF: of the frame in which it stands, in the body around it.
    error : MasspropsError or None
        What is wrong with that frame; of an `<attach>`, with itself.
    through : frozenset of str
        Tags of the elements between it and the body around it.
    """

    node: Node
    model: _MjcfModel
    outer: _Element | None = field(default=None, repr=False, compare=False)
    class_: str = ""
    prefix: str = ""
    suffix: str = ""
    pose: Pose = field(default_factory=Pose.identity, compare=False)
    error: MasspropsError | None = field(default=None, compare=False)
    through: frozenset[str] = frozenset()

    @property
    def name(self) -> str | None:
        """Its name as seen from the outermost model."""
        own = self.node.attributes.get("name")
        return own and f"{self.prefix}{own}{self.suffix}"

    @cached_property
    def contents(self) -> list[_Element]:
        """Elements that stand in a body; ReadError if they are too many."""
        inside = replace(self, outer=self, pose=Pose.identity(), error=None, through=frozenset())
        found = list(islice(_below(inside), _MOST_ELEMENTS + 1))
        if len(found) > _MOST_ELEMENTS:
            what = f"{self.node.place}: more than {_MOST_ELEMENTS:,} elements stand in one body"
            raise ReadError(what, code="too-large", hint="use meshes, or split it into several robot files")
        return found

    def all(self, *tags: str) -> list[_Element]:
        """The elements of these tags that stand in a body."""
        return [found for found in self.contents if found.node.tag in tags]

    def placed(self) -> Pose:
        """X_BE: its pose in the body around it; raises what is wrong with it."""
        if self.error is not None:
            raise self.error
        return self.pose @ pose_of(self.node, self.model.compiler)


def _below(at: _Element) -> Iterator[_Element]:
    """Elements that bear mass or move it below an element, through frames, replicates and what is attached."""
    for node in at.node.children:
        child = replace(at, node=node, class_=node.attributes.get("childclass", at.class_))
        if node.tag in _YIELDED:
            yield child
        elif node.tag == "worldbody":
            yield from _below(child)
        elif node.tag == "frame":
            inner, child = result_or_error(child.placed), replace(child, through=child.through | {"frame"})
            if isinstance(inner, MasspropsError):
                child, inner = replace(child, error=inner), child.pose
            yield from _below(replace(child, pose=inner))
        elif node.tag in ("replicate", "attach"):
            child = replace(child, through=child.through | {node.tag})
            try:
                yield from _copies(child) if node.tag == "replicate" else _attached(child)
            except MasspropsError as error:
                yield replace(child, error=error)


def _copies(at: _Element) -> Iterator[_Element]:
    """Elements in a `<replicate>`, as often as that says: each copy is moved and turned from the one before, and has a number."""
    if all(inner.tag not in _YIELDED and inner.tag != "attach" for inner in at.node.walk()):
        return
    stated, place = at.node.attributes, at.node.place
    count = integer(at.node.attribute("count"), place, "count")
    if count > MOST_GEOMETRIES:
        raise ReadError(f"{place}: more than {MOST_GEOMETRIES:,} copies", code="too-large", hint="replicate fewer")
    offset, euler = (np.array(numbers(stated.get(name, "0 0 0"), 3, place, name)) for name in ("offset", "euler"))
    position = np.zeros(3)
    for k in range(count):
        rotation = euler_rotation((k * euler).tolist(), at.model.compiler)
        suffix = f"{stated.get('sep', '')}{k:0{len(str(count))}}{at.suffix}"
        yield from _below(replace(at, pose=at.pose @ Pose(rotation, position), suffix=suffix))
        position = position + product(rotation, offset)


def _attached(at: _Element) -> Iterator[_Element]:
    """The body or frame that an `<attach>` names, with what is in it, or all that is in the world of the model where it names none."""
    file = at.model.file.attached(at.node)
    model = at.model if file is at.model.file else _MjcfModel.of(file, at.model.reading)
    top = replace(at, node=file.root, model=model, class_="", prefix=at.prefix + at.node.attribute("prefix"))
    failed = [replace(at, error=error) for _, error in file.failed] if model is not at.model else []
    tag = next((tag for tag in ("body", "frame") if tag in at.node.attributes), None)
    if tag is None:
        yield from _below(top)
    else:
        found = _named(file.root, tag, at.node.attributes[tag])
        if found is None:
            name = quote(at.node.attributes[tag])
            raise ReadError(f"{at.node.place}: model {file.path} has no {tag} {name}", code="unread-include")
        node, class_ = found
        if any(inner is at.node for inner in node.walk()):
            raise ReadError(f"{at.node.place}: the {tag} attaches itself", code="cycle", hint="break the cycle")
        yield from _below(replace(top, node=Node("", {}, node.place, [node]), class_=class_))
    yield from failed


def _named(node: Node, tag: str, name: str, class_: str = "") -> tuple[Node, str] | None:
    """The body or frame of this name below a node, and the class of what stands beside it."""
    for child in node.children:
        if child.tag in ("worldbody", "body", "frame"):  # in a replicate its name is another one
            if child.tag == tag and child.attributes.get("name") == name:
                return child, class_
            if found := _named(child, tag, name, child.attributes.get("childclass", class_)):
                return found
    return None


def links(file: MjcfFile, reading: MjcfReading = MUJOCO) -> Iterator[Link]:
    """The bodies of a model, outer before inner; those without a name are ``body1``, ``body2`` … by their place in the file."""
    model = _MjcfModel.of(file, reading)
    if file.root.tag == "inertial":
        yield Link(None, file.root.place, body_of(None, file.root, model.compiler))
        return
    top = Node("", {}, file.root.place, [file.root]) if file.root.tag == "body" else file.root
    names: dict[int, str] = {}
    count, world = 0, cache(partial(_world_geoms, _Element(top, model)))
    for at in _bodies(_below(_Element(top, model))):
        if at.node.tag == "body":
            count += 1
            name = names[id(at)] = at.name or f"{at.prefix}body{count}"
            yield replace(Link.read(name, at.node, partial(_link, name, at, names)), world=world)
        elif at.node.tag == "flexcomp":
            name = at.name or "flexcomp"
            yield Link.read(name, at.node, partial(_flexcomp, name, at, names))
        elif at.error is not None:
            yield Link(None, at.node.place, error=at.error)
        else:
            what = f"{at.node.place}: <{at.node.tag}> makes bodies, which are not read"
            hint = "save the model from MuJoCo, which expands it"
            yield Link(at.name, at.node.place, error=ReadError(what, code="unread-element", hint=hint))


def _world_geoms(top: _Element) -> list[Geometry]:
    """The geoms of the world itself, one of all copies."""
    return [_geom(at)[1] for at in {id(at.node): at for at in _below(top) if at.node.tag == "geom"}.values()]


def _bodies(found: Iterator[_Element] | list[_Element]) -> Iterator[_Element]:
    """The bodies among some elements, those in them after each, and what makes bodies or should have."""
    for at in found:
        if at.node.tag == "body":
            yield at
            inside = result_or_error(lambda at=at: at.contents)
            if not isinstance(inside, MasspropsError):  # else it is said of the body
                yield from _bodies(inside)
        elif at.node.tag in ("flexcomp", "attach", "replicate", *UNREAD):
            yield at


def _link(name: str, at: _Element, names: Mapping[int, str]) -> Link:
    geoms = [_geom(geom) for geom in at.all("geom")]
    drawn, solid = (tuple(g for is_visual, g in geoms if is_visual is which) for which in (True, False))
    placement = partial(_placement, at, names)
    link = Link(name, at.node.place, visual=drawn, collision=solid, fixed=not at.all(*_JOINTS), placement=placement)
    link = replace(link, infers=at.model.compiler.infers, dialect="mjcf", settings=at.model.settings)
    link = replace(link, through=_through(at), declared=at.model.files)
    link = link.with_body(lambda: _inertial(name, at))
    if link.body is None and link.error is None and not (geoms and link.infers):
        bare = change_findings(
            replace(at.model.compiler, total_mass=-1.0), 0.0, (0.0, 0.0, 0.0), link.place, "without an <inertial>"
        )
        link = replace(link, findings=(*link.findings, *bare))
    return link


def _around(at: _Element) -> frozenset[str]:
    """Tags of the elements around a body, and around those in which it stands."""
    return at.through if at.outer is None else at.through | _around(at.outer)


def _through(at: _Element) -> frozenset[str]:
    """Words for what not every reader takes of a body: the elements around it and its inertial, and free joints."""
    joints = at.all(*_JOINTS)
    free = [j.node for j in joints if j.node.tag == "freejoint" or j.node.attributes.get("type") == "free"]
    aligns = at.model.settings.get("alignfree", "false")
    words = {"aligned joint" for joint in free if joint.attributes.get("align", aligns) not in ("false", "auto")}
    words |= {"free joint" for _ in free}
    words |= {"joint in frame"} if joints and all("frame" in joint.through for joint in joints) else set()
    return _around(at) | words | {f"inertial in {tag}" for inertial in at.all("inertial") for tag in inertial.through}


def _inertial(name: str, at: _Element) -> NamedBody | None:
    """The inertial of a body, which may stand in a frame of it."""
    found = at.all("inertial")
    if len(found) > 1:
        at.node.one("inertial")  # says so
        what = f"{found[1].node.place}: a second <inertial> in one body; the first is at {found[0].node.place}"
        raise ReadError(what, code="duplicate-element", hint="leave one of them")
    if not found:
        return None
    if found[0].error is not None:
        raise found[0].error
    body, pose = body_of(name, found[0].node, at.model.compiler), found[0].pose
    if not pose.translation.any() and (pose.rotation == np.eye(3)).all():
        return body
    return replace(body, properties=body.properties.transformed(pose), stated=None)


def _flexcomp(name: str, at: _Element, names: Mapping[int, str]) -> Link:
    """The link that stands for the bodies of a `<flexcomp>`, in the frame around it."""
    folder = posixpath.join(at.model.file.folder, at.model.compiler.mesh_folder)
    body = body_of_flexcomp(name, at.node, at.model.compiler, folder, at.model.file.search)
    parent = None if at.outer is None else names.get(id(at.outer))
    pose = at.pose

    def placement() -> LinkPlacement:
        if at.error is not None:
            raise at.error
        return LinkPlacement(parent, pose, (), at.node.place)

    link = Link(name, at.node.place, body, placement=placement, dialect="mjcf", settings=at.model.settings)
    return replace(link, is_generated=True, through=_around(at) | {"flexcomp"})


def _placement(at: _Element, names: Mapping[int, str]) -> LinkPlacement:
    """Placement of a body in the body or the world around it, through frames."""
    pose, parent = at.placed(), None if at.outer is None else names[id(at.outer)]
    joints = enumerate(map(_joint, at.all(*_JOINTS)), start=1)
    named = (replace(joint, name=joint.name or f"{names[id(at)]}.joint{k}") for k, joint in joints)
    return LinkPlacement(parent, pose, tuple(named), at.node.place)


def _joint(at: _Element) -> Joint:
    """A joint; the angles of a hinge are in the unit of the compiler."""
    if at.error is not None:
        raise at.error
    node, pose = at.node, at.pose
    class_ = node.attributes.get("class", at.class_)
    stated = {**(at.model.defaults.get(("joint", class_), {}) if node.tag == "joint" else {}), **node.attributes}
    place, kind = node.place, _JOINT_TYPES.get(stated.get("type", "hinge"), "other") if node.tag == "joint" else "other"

    def angle(value: float) -> float:
        return at.model.compiler.angle(value) if kind == "turn" else value

    axis, point = (numbers(stated.get(k, d), 3, place, k) for k, d in (("axis", "0 0 1"), ("pos", "0 0 0")))
    lower, upper = -math.inf, math.inf
    if "range" in stated and stated.get("limited") != "false":
        lower, upper = map(angle, numbers(stated["range"], 2, place, "range"))
    rest = angle(number(stated.get("ref", "0"), place, "ref"))
    direction = np.zeros(3) if kind == "other" else product(pose.rotation, unit_vector(np.array(axis), place, "axis"))
    return Joint(at.name or "", place, kind, direction, pose.apply(point), (lower, upper), rest, _mimic_of(at, rest))


def _mimic_of(at: _Element, rest: float) -> Mimic | None:
    """The joint that another one of the model determines: q₁ = rest₁ + Σ cₖ (q₂ − rest₂)ᵏ."""
    name = at.node.attributes.get("name")
    node = None if name is None else at.model.equalities.get(name)
    if node is None:
        return None
    given = node.attributes.get("polycoef", "0 1").split()
    constant, *others = numbers(" ".join([*given, *"01000"[len(given) :]]), 5, node.place, "polycoef")
    leader = node.attributes.get("joint2")
    return Mimic(leader and f"{at.prefix}{leader}{at.suffix}", (rest + constant, *others), None)


#: Attributes of a geom that decide the mass of its body.
_WEIGHING = ("mass", "density", "group", "shellinertia")
#: The most numbers of attributes.
_NUMBERS = {"size": 3, "mass": 1, "density": 1, "group": 1, "contype": 1, "conaffinity": 1}
#: Types of geoms that have a mesh, and all types.
_OF_MESHES = ("mesh", "sdf")
_TYPES = (*_OF_MESHES, "plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box")


def _geom(at: _Element) -> tuple[bool, Geometry]:
    """A geom of a body, and whether it is only drawn."""
    node, model, class_ = at.node, at.model, at.node.attributes.get("class", at.class_)
    if at.error is not None:
        return False, Geometry(at.error, Pose.identity(), node.place)
    if class_ and ("geom", class_) not in model.defaults:
        why = f"the default class {quote(class_)} is not defined"
        error = ReadError(f"{node.place}: {why}", code="unknown-class", hint="add it to <default>")
        return False, Geometry(model.without(why) if model.part_of_others else error, Pose.identity(), node.place)
    stated = model.reading.over(model.defaults.get(("geom", class_), {}), node.attributes)

    def read() -> Geometry:
        found = _geometry(Node("geom", stated, node.place), model)
        return replace(found, pose=at.pose @ found.pose)

    found, kind, mesh = Geometry.read(node.place, read), stated.get("type", "sphere"), stated.get("mesh")
    field, is_field = stated.get("hfield"), kind == "hfield"
    words = {
        "class": model.defaults.get((_DIRECT, class_ or "main"), {}) != model.defaults.get(("geom", class_), {}),
        f"{kind} fromto": "fromto" in stated,
        "plane": kind == "plane",
        "bad plane": kind == "plane" and not _has_spacing(stated.get("size", "")),
        "fitted mesh": mesh and kind != "mesh",
        "undefined asset": ((mesh or kind in _OF_MESHES) and mesh not in model.meshes)
        or ((field or is_field) and not (is_field and field in model.fields)),
        "mesh shell": kind in _OF_MESHES and stated.get("shellinertia") == "true",
        "bad keyword": kind not in _TYPES or stated.get("shellinertia", "true") not in ("true", "false"),
        "bad number": any(isinstance(result_or_error(_all_numbers, stated, name), MasspropsError) for name in _NUMBERS),
        "inline mesh": isinstance(found.solid, LinkMesh) and found.solid.is_own,
    }
    drawn = all(stated.get(name, "1").strip() == "0" for name in ("contype", "conaffinity"))
    weighing = {k: stated[k] for k in _WEIGHING if k in stated}
    through = at.through | found.through | {word for word, holds in words.items() if holds}
    return drawn, replace(found, stated=weighing, through=through)


def _all_numbers(stated: Attributes, name: str) -> None:
    """Raise ReadError for an attribute that MuJoCo reads whole, also where nothing needs it, and that is not so many numbers."""
    words = stated.get(name, "").split()
    numbers(" ".join(words), min(len(words), _NUMBERS[name]), "", name)


def _defaults_of(root: Node, reading: MjcfReading) -> Defaults:
    """The attributes of each default class."""
    found: Defaults = {}
    if reading.has_main_class:
        for node in root.all("default"):
            _read_defaults(node, node.attributes.get("class", "main"), {}, found)
        return found
    inside: dict[str, list[str]] = {}
    for node, around in ((n, a) for outer in root.all("default") for n, a in _classes(outer, "")):
        class_ = node.attributes.get("class", "")
        inside.setdefault(around, []).append(class_)
        found |= {("geom", class_): {}} if ("geom", class_) not in found else {}
        found |= {(child.tag, class_): child.attributes for child in node.children if child.tag != "default"}
    waiting = [""]
    for class_ in waiting:
        inherited = {tag: attributes for (tag, name), attributes in found.items() if name == class_}
        for inner in filter(None, inside.pop(class_, ())):
            for tag, given in inherited.items():
                found[tag, inner] = reading.over(given, found.get((tag, inner), {}))
            waiting.append(inner)
    return found


def _classes(node: Node, around: str) -> Iterator[tuple[Node, str]]:
    """A default class and those in it, with the names of the classes around them."""
    yield node, around
    for inner in node.all("default"):
        yield from _classes(inner, node.attributes.get("class", ""))


def _read_defaults(
    node: Node, class_: str, inherited: Mapping[str, Attributes], found: Defaults, around: str = ""
) -> None:
    """A class holds what it states over what the class around it states; the outermost is also that of the nameless.

    A class that is defined again, as in an included file, is continued.
    """
    for geom in node.all("geom"):
        found[_DIRECT, class_] = {**found.get((_DIRECT, around), {}), **geom.attributes}
    own = {tag: MUJOCO.over(inherited.get(tag, {}), found.get((tag, class_), {})) for tag in ("geom", "mesh", "joint")}
    for tag in own:
        for child in node.all(tag):
            own[tag] = MUJOCO.over(own[tag], child.attributes)
        found[tag, class_] = own[tag]
        if not inherited:
            found[tag, ""] = own[tag]
    for child in node.all("default"):
        _read_defaults(child, child.attribute("class"), own, found, class_)


def _mesh(
    node: Node, file: MjcfFile, compiler: Compiler, defaults: Defaults
) -> tuple[str, LinkMesh | UnsupportedGeometry | MasspropsError]:
    """The name of a mesh asset, and the mesh."""
    of_class = defaults.get(("mesh", node.attributes.get("class", "")), {})
    stated = {"inertia": compiler.integral, **of_class, **node.attributes}
    path = compiler.stripped(stated.get("file", ""))
    name = stated.get("name") or path.rpartition("/")[2].rpartition(".")[0]
    folder = posixpath.join(file.folder, compiler.mesh_folder)
    if reason := _unread_mesh(node, stated):
        mesh = LinkMesh(posixpath.join(folder, path), integral=stated["inertia"]) if path else None
        return name, UnsupportedGeometry(f"mesh {quote(name)} {reason}", mesh=mesh)
    return name, result_or_error(_read_mesh, stated, name, posixpath.join(folder, path), node)


def _unread_mesh(node: Node, stated: Attributes) -> str:
    """The reason why a mesh asset is not measured; empty if it is."""
    if "builtin" in stated or node.all("plugin"):
        return "is made by MuJoCo, which is not measured"
    if "refpos" in stated or "refquat" in stated:
        return "is moved by refpos or refquat, which is not measured"
    return "" if stated.get("file") or "vertex" in stated else "names no file"


def _read_mesh(stated: Attributes, name: str, path: str, node: Node) -> LinkMesh:
    """A mesh in a file, or that the asset holds: its triangles, or the points whose hull it is."""
    scale = tuple(numbers(stated.get("scale", "1 1 1"), 3, node.place, "scale"))
    most = integer(stated.get("maxhullvert", "-1"), node.place, "maxhullvert")
    found = LinkMesh(path, scale, integral=stated["inertia"], hulls_points=True, most_hull_vertices=most)
    if stated.get("file"):
        return found
    found = replace(found, uri=f"{node.place}#{name}", is_own=True)  # the name too: a line may hold several
    points = rows_of(stated["vertex"], 3, node.place, "vertex")
    if "face" not in stated:
        return replace(found, points=points)
    faces = rows_of(stated["face"], 3, node.place, "face", of_integers=True)
    if faces.min() < 0 or faces.max() >= len(points):
        raise ReadError(f"{node.place}: face names a vertex that is not there", code="bad-attribute")
    return replace(found, triangles=points[faces])


def _geometry(geom: Node, model: _MjcfModel) -> Geometry:
    stated, pose = geom.attributes, pose_of(geom, model.compiler)
    kind = stated.get("type", "sphere")
    if "fromto" in stated and model.reading is MUJOCO and (kind not in MUJOCO.ends or pose.translation.any()):
        what = "and pos, which exclude each other" if kind in MUJOCO.ends else f"and is a {kind}, which has no two ends"
        error = ReadError(f"{geom.place}: <geom> has fromto {what}", code="bad-attribute", hint="leave out one of them")
        return Geometry(error, Pose.identity(), geom.place, through=frozenset({"bad fromto"}))
    if kind == "mesh":
        name = stated.get("mesh", "")
        known = model.meshes.get(name) or model.without(f"no mesh {quote(name)} is defined")
        return Geometry(known, pose, geom.place)
    if stated.get("mesh"):
        return Geometry(UnsupportedGeometry(f"MuJoCo fits a {kind} to mesh {quote(stated['mesh'])}"), pose, geom.place)
    if "fromto" in stated and (kind in model.reading.ends or kind not in MUJOCO.ends):
        return _between(geom, kind)
    if "fromto" in stated and len(stated.get("size", "").split()) == 1:
        geom = Node(geom.tag, {**stated, "size": " ".join([stated["size"]] * 3)}, geom.place)
    return Geometry(_primitive(geom, kind), pose, geom.place)


def _primitive(geom: Node, kind: str) -> Primitive | UnsupportedGeometry:
    """MuJoCo's sizes are halves: half edges, half lengths, radii. A plane has no volume."""
    if kind == "plane":
        return Primitive.of("box", (0.0, 0.0, 0.0))
    if kind not in LENGTHS:
        return UnsupportedGeometry(f"a geom of type {quote(kind)} has no volume, or is not measured")
    sizes = _sizes(geom, len(LENGTHS[kind]))
    halves = ("x", "y", "z", "length")
    return Primitive.of(kind, (2 * s if name in halves else s for name, s in zip(LENGTHS[kind], sizes, strict=True)))


def _has_spacing(sizes: str) -> bool:
    """Whether a plane has the third size, the spacing of its grid, which MuJoCo needs."""
    found = result_or_error(numbers, " ".join(sizes.split()[2:3]), 1, "", "size")
    return not isinstance(found, MasspropsError) and found[0] > 0


def _sizes(geom: Node, count: int) -> list[float]:
    """The first so many sizes of a geom; others are ignored."""
    return numbers(" ".join(geom.attribute("size").split()[:count]), count, geom.place, "size")


def _between(geom: Node, kind: str) -> Geometry:
    """A geom by its two ends: z runs from one to the other, the middle is the origin, and the first size is that across."""
    ends = np.array(numbers(geom.attribute("fromto"), 6, geom.place, "fromto"))
    if kind not in ("capsule", "cylinder", "box", "ellipsoid"):
        return Geometry(UnsupportedGeometry(f"a {kind} has no two ends"), Pose.identity(), geom.place)
    (radius,), span = _sizes(geom, 1), ends[3:] - ends[:3]
    pose = Pose(turn_z_to(span.tolist(), geom.place), ends.reshape(2, 3).mean(axis=0))
    along = length(span)
    lengths = {"box": (2 * radius, 2 * radius, along), "ellipsoid": (radius, radius, along / 2)}
    return Geometry(Primitive.of(kind, lengths.get(kind, (radius, along))), pose, geom.place)
