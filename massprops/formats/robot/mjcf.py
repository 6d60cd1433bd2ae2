"""MJCF: bodies with their inertials and geoms. https://mujoco.readthedocs.io/en/stable/XMLreference.html#world-body-r

Of an inertial, `pos` is the centre of mass; `fullinertia` is M11 M22 M33 M12 M13 M23 and excludes an orientation; `diaginertia` is along
the axes of the inertial frame, whose orientation is a quaternion (w first) or one of four other attributes. Angles are degrees unless
`<compiler angle="radian">`.

The bodies of a model: `mjcf_model.py`.

Tests: `tests/formats/robot/test_links.py`.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from massprops.errors import ReadError
from massprops.findings import Finding
from massprops.formats.inertial.inertial import Inertial, NamedBody, WriteOptions, numbers_of, symmetric
from massprops.formats.inertial.numbers import number, numbers, rotation_of, shortest, unit_vector, words
from massprops.formats.text import quote
from massprops.formats.xml import Node, serialise, xml_name
from massprops.frames import Pose
from massprops.moments.arrays import Array, product
from massprops.wording import either

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
    strips_paths: bool = False
    integral: str = "legacy"

    def stripped(self, file: str) -> str:
        """The name of a mesh file, without its folder where `strippath` says so."""
        return file.replace("\\", "/").rpartition("/")[2] if self.strips_paths else file

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
        if 0.0 < self.least_moment > min(moments):  # without it MuJoCo refuses negative moments
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


#: The words of each attribute of `<compiler>` that takes some, the default first.
_WORDS = {"angle": ("degree", "radian"), "inertiafromgeom": ("auto", "true", "false"), "coordinate": ("local",)}
_WORDS |= dict.fromkeys(("balanceinertia", "strippath", "exactmeshinertia"), ("false", "true"))


def compiler_of(merged: Mapping[str, str], place: str) -> Compiler:
    """The settings that some attributes of `<compiler>` make."""
    said = {name: merged.get(name, words[0]) for name, words in _WORDS.items()}
    for name in (name for name, word in said.items() if word not in _WORDS[name]):
        what = f"{place}: {name} must be {either(_WORDS[name])}, got {quote(said[name])}"
        hint = "save it in MuJoCo 2.3.3, which converts it" if name == "coordinate" else ""
        raise ReadError(what, code="bad-attribute", hint=hint)
    sequence = merged.get("eulerseq", "xyz")
    if len(sequence) != 3 or set(sequence) - set("xyzXYZ"):
        raise ReadError(f"{place}: eulerseq must be three of x y z X Y Z, got {quote(sequence)}", code="bad-attribute")
    bounds = (("boundmass", "0"), ("boundinertia", "0"), ("settotalmass", "-1"))
    least_mass, least_moment, total = (number(merged.get(name, zero), place, name) for name, zero in bounds)
    low, high = numbers(merged.get("inertiagrouprange", "0 5"), 2, place, "inertiagrouprange")
    changes = least_mass, least_moment, said["balanceinertia"] == "true", total
    folder, strips = merged.get("meshdir", merged.get("assetdir", "")), said["strippath"] == "true"
    integral = "exact" if said["exactmeshinertia"] == "true" else "legacy"
    degrees, how = said["angle"] == "degree", said["inertiafromgeom"]
    return Compiler(degrees, sequence, how == "true", how != "false", (low, high), *changes, folder, strips, integral)


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
    stated = Inertial(mass, Pose(turn.rotation, np.array(pos)), tensor, diagonal)
    changed = stated_findings(compiler, mass, stated.moments, node.place)
    return NamedBody.of(name, stated, node.place, "mjcf", (*found, *changed))


def stated_findings(compiler: Compiler, mass: float, moments: Sequence[float], place: str) -> tuple[Finding, ...]:
    """The finding that MuJoCo ignores or changes an inertial that is stated, if it does."""
    if not compiler.from_geoms:
        return change_findings(compiler, mass, moments, place)
    message = f"{place}: <compiler inertiafromgeom='true'> makes MuJoCo ignore this inertial"
    return (Finding("inertia-from-geoms", "warning", message, where=place),)


def change_findings(
    compiler: Compiler, mass: float, moments: Sequence[float], place: str, how: str = "stated"
) -> tuple[Finding, ...]:
    """The finding that MuJoCo changes an inertial, if it does; `how` it is known."""
    changes = compiler.changes(mass, moments)
    if not changes:
        return ()
    listed = "; ".join(f"{setting} {change}" for setting, change in changes.items())
    message = f"{place}: the numbers are read as they are {how}, but MuJoCo changes them: {listed}"
    return (Finding("changed-by-compiler", "warning", message, where=place),)


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
    given = [name for name in ORIENTATIONS if name in node.attributes]
    if not given:
        return Pose.identity(), ()
    if len(given) > 1 or "fullinertia" in node.attributes:
        others = [*given, "fullinertia"] if len(given) == 1 else given
        what = f"{node.place}: <{node.tag}> has {' and '.join(others)}, which exclude each other"
        raise ReadError(what, code="ambiguous-orientation", hint="leave one of them")
    count, turn = ORIENTATIONS[given[0]]
    return turn(numbers(node.attributes[given[0]], count, node.place, given[0]), node.place, compiler)


def pose_of(node: Node, compiler: Compiler) -> Pose:
    """The pose that pos and one of the orientations state."""
    turn, _ = orientation_of(node, compiler)
    return Pose(turn.rotation, np.array(numbers(node.attributes.get("pos", "0 0 0"), 3, node.place, "pos")))


def turn_z_to(direction: list[float], place: str) -> Array:
    """The matrix of the smallest rotation that takes (0, 0, 1) to a direction."""
    return _z_axis(direction, place, Compiler())[0].rotation


def _axis_angle(values: list[float], place: str, compiler: Compiler) -> Turn:
    *axis, angle = values
    half = compiler.angle(angle) / 2
    xyz = math.sin(half) * unit_vector(np.array(axis), place, "axisangle")
    return rotation_of([math.cos(half), *xyz.tolist()], place, "axisangle")


def _euler(values: list[float], _place: str, compiler: Compiler) -> Turn:
    """Lower case: about the axes as they turn along; upper case: about the fixed ones."""
    return Pose(euler_rotation(values, compiler), np.zeros(3)), ()


def euler_rotation(values: Sequence[float], compiler: Compiler) -> Array:
    """The rotation matrix of three angles, in the unit and sequence of the compiler."""
    rotation = np.eye(3)
    for letter, value in zip(compiler.eulerseq, values, strict=True):
        angles = [compiler.angle(value) if letter.lower() == axis else 0.0 for axis in "xyz"]
        step = Pose.from_xyz_rpy(rpy=angles).rotation
        rotation = product(rotation, step) if letter.islower() else product(step, rotation)
    return rotation


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


ORIENTATIONS: dict[str, tuple[int, Callable[[list[float], str, Compiler], Turn]]] = {
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
