"""URDF: `<inertial>` of a link.

https://wiki.ros.org/urdf/XML/link: the inertia is that about the centre of mass, in the axes of `<origin>`; `ixy` is the tensor
element −∫ρ x y; all six attributes are required. rpy turns about fixed axes.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence

from massprops.formats.inertial.inertial import Contents, Inertial, NamedBody, symmetric
from massprops.formats.inertial.numbers import number, numbers, shortest, words
from massprops.formats.inertial.write_options import Form, numbers_of
from massprops.formats.xml import Node, checked_name, serialise
from massprops.frames import Pose

_ENTRIES = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}


def read(root: Node) -> Contents:
    """The inertials of a `<robot>`, a `<link>`, or an `<inertial>` by itself.

    Raises
    ------
    ReadError
        If an element or attribute is missing, doubled or no number.
    """
    if root.tag == "inertial":
        return Contents([NamedBody.of(None, inertial_of(root), root.place, "urdf")])
    links = [root] if root.tag == "link" else root.all("link")
    bodies, without = [], []
    for link in links:
        name, inertial = link.attribute("name"), link.one("inertial")
        if inertial is None:
            without.append(name)
        else:
            bodies.append(NamedBody.of(name, inertial_of(inertial), inertial.place, "urdf"))
    return Contents(bodies, tuple(without))


def inertial_of(node: Node) -> Inertial:
    """The numbers of an `<inertial>`; raises what `read` does."""
    mass, inertia, origin = node.need("mass"), node.need("inertia"), node.one("origin")
    entries = [
        number(inertia.attribute(name), inertia.place, name) for name in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    ]
    frame = Pose.identity() if origin is None else pose_of(origin)
    return Inertial(number(mass.attribute("value"), mass.place, "mass"), frame, symmetric(*entries))


def pose_of(origin: Node) -> Pose:
    """The pose that an `<origin>` states, of whatever it stands in; ReadError if it has no three numbers each."""
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
    ET.SubElement(inertial, "inertia", {name: shortest(n.tensor[ij]) for name, ij in _ENTRIES.items()})
    if body.name is None:
        return inertial
    link = ET.Element("link", name=checked_name(body.name))
    link.append(inertial)
    return link
