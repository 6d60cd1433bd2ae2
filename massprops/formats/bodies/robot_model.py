"""A whole model of one link from one mesh: URDF, SDF or MJCF with visual, collision and inertial, which simulators load as it is.

Tests: `tests/formats/bodies/test_round_trip.py`.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence

from massprops.errors import InvalidInput, Remedy
from massprops.formats.bodies import DIALECTS, NamedBody, write
from massprops.formats.bodies.round_trip import prove
from massprops.formats.inertial.inertial import WriteOptions
from massprops.formats.inertial.numbers import MACROS, words
from massprops.formats.robot.links import Geometry, LinkMesh
from massprops.formats.robot.opening import read_text
from massprops.formats.robot.sdf_versions import LATEST
from massprops.formats.xml import serialise, xml_name
from massprops.frames import Pose

#: Which mesh files the simulators of each dialect read.
READABLE = {"urdf": ("stl", "obj", "dae"), "sdf": ("stl", "obj", "dae"), "mjcf": ("stl", "obj")}
#: MuJoCo reads STL files up to this size.
_MOST_STL_FACETS = 200_000


def check_mesh(dialect: str, path: str, format: str, encoding: str, facets: int | None) -> None:
    """Raise InvalidInput if the simulators of a dialect do not read such a mesh file."""
    hint = "write it as binary STL or as OBJ: 'massprops repair FILE -o OUT'"
    if format not in READABLE[dialect] or not path.lower().endswith(f".{format}"):
        what = f"a model in {DIALECTS[dialect].title} refers to a .{', .'.join(READABLE[dialect])} file"
        raise InvalidInput(what, place=path, hint=hint)
    if dialect == "mjcf" and format == "stl" and encoding == "ascii":
        raise InvalidInput("MuJoCo does not read ASCII STL", place=path, hint=hint)
    if dialect == "mjcf" and format == "stl" and (facets or 0) > _MOST_STL_FACETS:
        raise InvalidInput(f"MuJoCo reads at most {_MOST_STL_FACETS} facets of STL", place=path, hint="write it as OBJ")


def write_model(body: NamedBody, geometry: Geometry, dialect: str, form: WriteOptions) -> tuple[str, list[NamedBody]]:
    """The model, and its body as the text states it, which was read back and compared.

    The name of the body is that of the link and of the model. The geometry is a mesh, referred to as the simulator finds it from
    the model's file; it is both visual and collision geometry.

    Raises
    ------
    InvalidInput
        If a name cannot be written in XML.
    """
    name, mesh = xml_name(body.name or "", *MACROS if dialect == "urdf" else ()), geometry.solid
    if "::" in name and dialect == "sdf":
        what = f"the link's name {name!r} has '::', which SDF keeps for nesting"
        raise InvalidInput(what, hint=Remedy("give another --link", python="give the body another name"))
    assert isinstance(mesh, LinkMesh)  # noqa: S101  # of shapes there are no files to refer to
    xml_name(mesh.uri)
    inertial = ET.fromstring(write([NamedBody(None, body.properties)], dialect, form)[0])  # noqa: S314  # our own text
    pose = geometry.pose
    text = serialise(_ELEMENTS[dialect](name, inertial, mesh, pose.translation.tolist(), pose))
    return text, prove(text, [body], form, dialect, read_text)


def _urdf(name: str, inertial: ET.Element, mesh: LinkMesh, xyz: Sequence[float], pose: Pose) -> ET.Element:
    robot = ET.Element("robot", name=name)
    link = ET.SubElement(robot, "link", name=name)
    link.append(inertial)
    for kind in ("visual", "collision"):
        element = ET.SubElement(link, kind)
        ET.SubElement(element, "origin", xyz=words(xyz), rpy=words(pose.to_rpy().tolist()))
        ET.SubElement(ET.SubElement(element, "geometry"), "mesh", filename=mesh.uri, scale=words(mesh.scale))
    return robot


def _sdf(name: str, inertial: ET.Element, mesh: LinkMesh, xyz: Sequence[float], pose: Pose) -> ET.Element:
    document = ET.Element("sdf", version=LATEST)
    link = ET.SubElement(ET.SubElement(document, "model", name=name), "link", name=name)
    link.append(inertial)
    for kind in ("visual", "collision"):
        element = ET.SubElement(link, kind, name=kind)
        ET.SubElement(element, "pose").text = words([*xyz, *pose.to_rpy().tolist()])
        form = ET.SubElement(ET.SubElement(element, "geometry"), "mesh")
        ET.SubElement(form, "uri").text = mesh.uri
        ET.SubElement(form, "scale").text = words(mesh.scale)
    return document


def _mjcf(name: str, inertial: ET.Element, mesh: LinkMesh, xyz: Sequence[float], pose: Pose) -> ET.Element:
    document = ET.Element("mujoco", model=name)
    ET.SubElement(ET.SubElement(document, "asset"), "mesh", name=name, file=mesh.uri, scale=words(mesh.scale))
    body = ET.SubElement(ET.SubElement(document, "worldbody"), "body", name=name)
    ET.SubElement(body, "freejoint")
    body.append(inertial)
    placed = {"type": "mesh", "mesh": name, "pos": words(xyz), "quat": words(pose.to_quaternion_wxyz().tolist())}
    ET.SubElement(body, "geom", {**placed, "group": "2", "contype": "0", "conaffinity": "0"})
    ET.SubElement(body, "geom", {**placed, "group": "3"})
    return document


_ELEMENTS = {"urdf": _urdf, "sdf": _sdf, "mjcf": _mjcf}
