"""URDF: a complete `<inertial>`, about the centre of mass and along the axes of the result.

https://wiki.ros.org/urdf/XML/link: the inertia is that about the centre of mass, in the axes of `<origin>`; `ixy` is the tensor
element −∫ρ x y; all six attributes are required.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

from massprops.errors import InvalidInput
from massprops.measurement import Measurement

#: https://www.w3.org/TR/xml/#charsets
_XML_CHARACTER = re.compile(r"[\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ELEMENTS = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}


def write(measurement: Measurement, link: str | None = None) -> str:
    """The `<inertial>` element as text, inside `<link name="…">` if a name is given; every number round-trips.

    Raises
    ------
    InvalidInput
        If the mass is not known, or the name cannot be written in XML.
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
        element = ET.Element("link", name=_xml_name(link))
        element.append(inertial)
    ET.indent(element)
    # ASCII with character references says the same in every encoding that stdout may have
    text: bytes = ET.tostring(element, encoding="us-ascii")
    return text.decode("ascii") + "\n"


def _xml_name(name: str) -> str:
    """The name, if XML 1.0 can hold it: no control codes, no stray bytes, not empty."""
    bad = next((c for c in name if not _XML_CHARACTER.fullmatch(c)), None)
    if bad is not None:
        raise InvalidInput(
            f"a link named {name!r} cannot be written in XML, because of {bad!r}", hint="give another --link"
        )
    if not name:
        raise InvalidInput("the link's name is empty", hint="give --link a name")
    return name
