"""URDF: `<inertial>` of a link.

https://wiki.ros.org/urdf/XML/link: the inertia is that about the centre of mass, in the axes of `<origin>`; `ixy` is the tensor
element −∫ρ x y; all six attributes are required. rpy turns about fixed axes.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence

from massprops.formats.inertial.inertial import ENTRIES, Inertial, NamedBody, symmetric
from massprops.formats.inertial.numbers import number, numbers, shortest, words
from massprops.formats.inertial.write_options import Form, numbers_of
from massprops.formats.xml import Node, checked_name, serialise
from massprops.frames import Pose


def body_of(name: str | None, node: Node) -> NamedBody:
    """The body of an `<inertial>`.

    Raises
    ------
    ReadError
        If an element or attribute is missing, doubled or no number.
    """
    mass, inertia = node.need("mass"), node.need("inertia")
    entries = [
        number(inertia.attribute(name), inertia.place, name) for name in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    ]
    stated = Inertial(number(mass.attribute("value"), mass.place, "mass"), placed_at(node), symmetric(*entries))
    return NamedBody.of(name, stated, node.place, "urdf")


def placed_at(node: Node) -> Pose:
    """The pose that the `<origin>` of an element states; the identity if there is none."""
    origin = node.one("origin")
    return Pose.identity() if origin is None else pose_of(origin)


def pose_of(origin: Node) -> Pose:
    """The pose of an `<origin>`; ReadError if `xyz` or `rpy` is not three numbers."""
    xyz, rpy = (
        numbers(origin.attributes.get(name, "0 0 0"), 3, origin.place, f"origin {name}") for name in ("xyz", "rpy")
    )
    return Pose.from_xyz_rpy(xyz, rpy)


def write(bodies: Sequence[NamedBody], form: Form) -> str:
    """An `<inertial>` for a body without a name, a `<link>` for one with; several links in a `<robot>`."""
    if len(bodies) == 1:
        return serialise(_element(bodies[0], form))
    robot = ET.Element("robot", name="bodies")
    robot.extend(_element(body, form) for body in bodies)
    return serialise(robot)


def _element(body: NamedBody, form: Form) -> ET.Element:
    n = numbers_of(body.properties, form)
    inertial = ET.Element("inertial")
    ET.SubElement(inertial, "origin", xyz=words(n.com), rpy="0 0 0" if not any(n.rpy) else words(n.rpy))
    ET.SubElement(inertial, "mass", value=shortest(n.mass))
    ET.SubElement(inertial, "inertia", {name: shortest(n.tensor[ij]) for name, ij in ENTRIES.items()})
    if body.name is None:
        return inertial
    link = ET.Element("link", name=checked_name(body.name))
    link.append(inertial)
    return link
