"""SDFormat: `<inertial>` of a link, in child elements.

http://sdformat.org/spec?elem=link: `<pose>` places the inertial frame in the link; the inertia is about the centre of mass, along
the axes of that frame, with tensor products. Defaults: mass 1, moments 1, products 0; a finding names each that is used.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Sequence

import numpy as np

from massprops.errors import ReadError
from massprops.findings import Finding
from massprops.formats.inertial.inertial import ENTRIES, Inertial, NamedBody, symmetric
from massprops.formats.inertial.numbers import number, numbers, rotation_of, shortest, words
from massprops.formats.inertial.write_options import Form, Numbers, numbers_of
from massprops.formats.text import quoted
from massprops.formats.xml import Node, checked_name, serialise
from massprops.frames import Pose

VERSION = "1.11"
_DEFAULTS = {"ixx": 1.0, "iyy": 1.0, "izz": 1.0, "ixy": 0.0, "ixz": 0.0, "iyz": 0.0}


def body_of(name: str | None, inertial: Node, link: str) -> NamedBody:
    """The body of an `<inertial>` of the link named `link`, with the defaults of SDFormat.

    Raises
    ------
    ReadError
        If an element is doubled or no number, or the pose is relative to another frame than that of the link.
    """
    found: list[Finding] = []
    mass = _value(inertial, "mass", 1.0, found)
    tensor = inertial.one("inertia")
    if tensor is None:
        found.append(_default(inertial.place, "<inertia>", "the identity, 1 kg m²"))
    values = [default if tensor is None else _value(tensor, k, default, found) for k, default in _DEFAULTS.items()]
    frame, noticed = pose_of(inertial.one("pose"), link)
    return NamedBody.of(name, Inertial(mass, frame, symmetric(*values)), inertial.place, "sdf", (*found, *noticed))


def default_body(name: str, place: str) -> NamedBody:
    """The default of SDFormat for a link without an `<inertial>`."""
    identity = Inertial(1.0, Pose.identity(), np.eye(3))
    return NamedBody.of(name, identity, place, "sdf", (_default(place, "<inertial>", "mass 1 kg, moments 1 kg m²"),))


def is_automatic(inertial: Node) -> bool:
    """Whether SDFormat computes pose and inertia from the collisions, and the mass where none is stated."""
    return flag(inertial, "auto")


def _value(parent: Node, tag: str, default: float, found: list[Finding]) -> float:
    node = parent.one(tag)
    if node is None:
        found.append(_default(parent.place, f"<{tag}>", f"{default:g}"))
        return default
    return number(node.text, node.place, tag)


def _default(place: str, what: str, value: str) -> Finding:
    message = f"{place}: {what} is left out; SDFormat takes {value}"
    return Finding("default-inertial", "warning", message, where=place)


def pose_of(node: Node | None, link: str, what: str = "an inertial") -> tuple[Pose, tuple[Finding, ...]]:
    """The pose of a `<pose>` in a link, and remarks; ReadError if it is relative to another frame than that of the link."""
    if node is None:
        return Pose.identity(), ()
    other = node.attributes.get("relative_to", "")
    if other not in ("", link):
        raise ReadError(
            f"{node.place}: the pose of {what} is relative to {quoted(other)}, another frame than its link",
            code="foreign-frame",
            hint="state it relative to the link: SDFormat ignores the attribute here",
        )
    if not node.text.strip():
        return Pose.identity(), ()
    kind = node.attributes.get("rotation_format", "euler_rpy")
    if kind == "quat_xyzw":
        *xyz, x, y, z, w = numbers(node.text, 7, node.place, "pose")
        turn, found = rotation_of((w, x, y, z), node.place, "pose")
        return Pose(turn.rotation, xyz), found  # type: ignore[arg-type]
    if kind != "euler_rpy":
        message = f"{node.place}: unknown rotation_format {quoted(kind)}"
        raise ReadError(message, code="unknown-format", hint="known: euler_rpy quat_xyzw")
    values = numbers(node.text, 6, node.place, "pose")
    degrees = flag(node, "degrees")
    return Pose.from_xyz_rpy(values[:3], [math.radians(a) if degrees else a for a in values[3:]]), ()


def flag(node: Node, name: str) -> bool:
    """An attribute that is true or false; false if it is not there."""
    value = node.attributes.get(name, "false").strip().lower()
    if value not in ("true", "false", "1", "0"):
        raise ReadError(f"{node.place}: {name} must be true or false, got {quoted(value)}", code="bad-attribute")
    return value in ("true", "1")


def write(bodies: Sequence[NamedBody], form: Form) -> str:
    """An `<inertial>` for a body without a name, a `<link>` for one with; several links in a `<model>` of an `<sdf>`."""
    if len(bodies) == 1 and "::" not in (bodies[0].name or ""):
        return serialise(_element(bodies[0], form))
    document = ET.Element("sdf", version=VERSION)
    model = ET.SubElement(document, "model", name="bodies")
    for body in bodies:
        _nested(model, body.name or "").append(_element(body, form))
    return serialise(document)


def _nested(model: ET.Element, name: str) -> ET.Element:
    """The model that holds a link named ``inner::link``: SDF keeps the colons for nesting."""
    for scope in name.split("::")[:-1]:
        inner = next((m for m in model.findall("model") if m.get("name") == scope), None)
        model = ET.SubElement(model, "model", name=checked_name(scope)) if inner is None else inner
    return model


def _element(body: NamedBody, form: Form) -> ET.Element:
    n = numbers_of(body.properties, form)
    inertial = ET.Element("inertial")
    inertial.append(_pose_element(n, form))
    ET.SubElement(inertial, "mass").text = shortest(n.mass)
    inertia = ET.SubElement(inertial, "inertia")
    for name, ij in ENTRIES.items():
        ET.SubElement(inertia, name).text = shortest(n.tensor[ij])
    if body.name is None:
        return inertial
    link = ET.Element("link", name=checked_name(body.name.rpartition("::")[2]))
    link.append(inertial)
    return link


def _pose_element(n: Numbers, form: Form) -> ET.Element:
    w, x, y, z = n.wxyz
    pose = ET.Element("pose", {"rotation_format": "quat_xyzw"} if form.quaternion else {})
    pose.text = words([*n.com, x, y, z, w] if form.quaternion else [*n.com, *n.rpy])
    return pose
