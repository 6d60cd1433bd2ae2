"""URDF: a complete `<inertial>`, about the centre of mass and along the axes of the result.

https://wiki.ros.org/urdf/XML/link: the inertia is that about the centre of mass, in the axes of `<origin>`; `ixy` is the tensor
element −∫ρ x y; all six attributes are required.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET

from massprops.errors import InvalidInput
from massprops.measurement import Measurement

_ELEMENTS = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}


def write(measurement: Measurement, link: str | None = None) -> str:
    """The `<inertial>` element as text, inside `<link name="…">` if a name is given; every number round-trips.

    Raises
    ------
    InvalidInput
        If the mass is not known.
    """
    body = measurement.properties
    if body is None:
        raise InvalidInput(
            "URDF needs a mass, and only the geometry is known", hint="give --density, --material or --mass"
        )
    inertial = ET.Element("inertial")
    xyz = " ".join(map(repr, body.com.tolist()))
    ET.SubElement(inertial, "origin", xyz=xyz, rpy="0 0 0")
    ET.SubElement(inertial, "mass", value=repr(float(body.mass)))
    ET.SubElement(inertial, "inertia", {k: repr(float(body.inertia[ij])) for k, ij in _ELEMENTS.items()})
    element = inertial
    if link is not None:
        element = ET.Element("link", name=link)
        element.append(inertial)
    ET.indent(element)
    return ET.tostring(element, encoding="unicode") + "\n"
