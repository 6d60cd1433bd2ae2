"""Solids with exact surfaces beside STEP: BREP, IGES, FreeCAD documents, and shapes in memory; Open CASCADE reads all of them.

The kernel's lengths are millimetres, and it converts IGES to these: that is the unit here.

Source of FreeCAD documents: https://wiki.freecad.org/File_Format_FCStd (a package of `Document.xml`, which names objects and their
properties, and a BREP file for each shape, in the place that its object has in its container).

Tests: `tests/formats/mesh/test_cad.py`.
"""

from __future__ import annotations

import io
import json
import math
import re
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from massprops.errors import ReadError
from massprops.findings import Finding
from massprops.formats import xml
from massprops.formats.mesh.packages import packages_of
from massprops.formats.mesh.step import AGAIN, check_solids, kernel_finds, source_of_solids
from massprops.formats.mesh.step_references import StepFile
from massprops.formats.packed import open_package
from massprops.formats.text import parse_number, quote
from massprops.formats.xml import Node
from massprops.mesh.source import InputFile, MeshFile
from massprops.moments.arrays import Array, product
from massprops.wording import plural, several

#: Bytes that a document may unpack to, however well it was packed: texts of shapes are long.
_LARGE = 1 << 26
#: First words of a binary BREP, and the last line of a text: orientation and number of the shape, and of its place.
_BINARY, _LAST = b"Open CASCADE Topology V", re.compile(rb"[-+ie]\d+ \d+\s*$")
_SOLID = "export it as STEP, with solids"


def read_brep(file: InputFile) -> MeshFile:
    """The solids of a BREP file of Open CASCADE, text or binary, in millimetres."""
    data = file.stream.read()
    encoding = "binary" if data.lstrip().startswith(_BINARY) else "ascii"
    return _measured(file, [_Shape(Path(file.name).stem, data)], ("brep", encoding))


def read_iges(file: InputFile) -> MeshFile:
    """The solids of an IGES file, converted to millimetres."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "part.igs"
        path.write_bytes(file.stream.read())
        return _of_kernel(file, path, file.size, ("iges", "ascii"), [])


def from_shape(source: Any) -> MeshFile | None:
    """The solids of a shape in memory; None of anything else.

    Parameters
    ----------
    source : object
        A `TopoDS_Shape`; a shape, workplane or assembly of CadQuery; a shape or a part under construction of build123d.

    Raises
    ------
    ReadError
        It holds no solid, or the kernel fails.
    """
    shapes = list(_shapes_in(source))
    if not shapes:
        return None
    from OCP.BinTools import BinTools  # from where the shapes are

    name, written = type(source).__name__, []
    for i, shape in enumerate(shapes, 1):
        stream = io.BytesIO()
        BinTools.Write_s(shape, stream)
        written.append(_Shape(name if len(shapes) == 1 else f"{name} {i}", stream.getvalue()))
    return replace(_measured(InputFile(name, io.BytesIO(), 0), written, ("brep", "memory")), file=None)


def _shapes_in(source: Any) -> Iterator[Any]:
    """The shapes of Open CASCADE that an object is, holds or makes; only functions of known packages are called."""
    held = getattr(source, "wrapped", None)
    if _is_shape(source) or _is_shape(held):
        yield source if _is_shape(source) else held
    elif "cadquery" in packages_of(source) and hasattr(source, "toCompound"):  # an assembly
        yield from _shapes_in(source.toCompound())
    elif "cadquery" in packages_of(source) and hasattr(source, "vals"):  # a workplane
        yield from (shape for one in source.vals() for shape in _shapes_in(one))
    elif _is_shape(held := getattr(getattr(source, "part", None), "wrapped", None)):  # under construction in build123d
        yield held
    elif isinstance(source, list):  # of such shapes
        yield from (shape for one in source for shape in _shapes_in(one))


def _is_shape(source: object) -> bool:
    return type(source).__name__.startswith("TopoDS_") and "OCP" in packages_of(source)


@dataclass(frozen=True)
class _Shape:
    """A BREP text or binary, its name and, where it is not in its place, its pose, shape (4, 4)."""

    name: str
    data: bytes
    pose: Array | None = None


def _measured(
    file: InputFile, shapes: Sequence[_Shape], kind: tuple[str, str], findings: Sequence[Finding] = ()
) -> MeshFile:
    with tempfile.TemporaryDirectory() as folder:
        listed = []
        for i, shape in enumerate(shapes):
            is_binary = shape.data.lstrip().startswith(_BINARY)
            if not (is_binary or _LAST.search(shape.data[-200:])):
                what = f"{file.name}: the shape of {quote(shape.name)} has no end, or is no BREP"
                raise ReadError(what, code="truncated-file", hint=AGAIN)
            path = Path(folder) / f"{i}.brep"
            path.write_bytes(shape.data)
            pose = None if shape.pose is None else shape.pose[:3].tolist()
            listed.append({"name": shape.name, "file": str(path), "pose": pose, "is_binary": is_binary})
        index = Path(folder) / "shapes.json"
        index.write_text(json.dumps(listed), encoding="utf-8")
        return _of_kernel(file, index, sum(len(shape.data) for shape in shapes), kind, findings)


def _of_kernel(file: InputFile, path: Path, size: int, kind: tuple[str, str], findings: Sequence[Finding]) -> MeshFile:
    files = [StepFile(file.name, path=str(path))]
    about, found = kernel_finds(file, files, [str(path)], size=size)
    check_solids(file, about, _SOLID)
    source = source_of_solids(file, found, about, files, kind)
    if about["sewn"]:
        said = f"{plural(about['sewn'], 'solid')} made of surfaces whose edges meet within 0.01 mm; the gaps are part of the ±"
        findings = [*findings, Finding("sewn-surfaces", "warning", said, value=float(about["sewn"]))]
    return replace(source, findings=(*findings, *source.findings))


# FreeCAD


def read_fcstd(file: InputFile) -> MeshFile:
    """The visible shapes of a FreeCAD document with their names and places; what is hidden is named in a finding.

    Raises
    ------
    ReadError
        The package is damaged, unpacks to too much, or shows no solid.
    """
    with open_package(file, AGAIN, _LARGE) as archive:
        names = archive.namelist()
        if "Document.xml" not in names:
            raise ReadError(f"{file.name}: the package has no Document.xml", code="bad-cad", hint=AGAIN)
        objects = _objects(file, archive, "Document.xml", "ObjectData", "Object")
        is_shown = "GuiDocument.xml" in names
        seen = _objects(file, archive, "GuiDocument.xml", "ViewProviderData", "ViewProvider") if is_shown else {}
        shapes, hidden = _visible(objects, seen)
        read = [replace(shape, data=archive.read(shape.data.decode())) for shape in shapes]
    if not read:
        shown = f"shows no shape; hidden: {several(hidden, 6)}" if hidden else "holds no shape"
        raise ReadError(
            f"{file.name}: the document {shown}", code="no-solid", hint="make the bodies visible, and save it"
        )
    said = f"{plural(len(hidden), 'hidden object')} left out: {several(hidden, 6)}"
    findings = [Finding("hidden-objects", "info", said, value=float(len(hidden)))] if hidden else []
    return _measured(file, read, ("fcstd", "zip"), findings)


#: Properties of an object by name.
_Properties = Mapping[str, Node]


def _objects(file: InputFile, archive: zipfile.ZipFile, name: str, group: str, tag: str) -> Mapping[str, _Properties]:
    """The properties of each object of a part of the document."""
    root = xml.parse(archive.read(name), f"{file.name}/{name}")
    data = root.one(group)
    found: dict[str, _Properties] = {}
    for node in () if data is None else data.all(tag):
        properties = node.one("Properties")
        own = () if properties is None else properties.all("Property")
        found[node.attribute("name")] = {p.attribute("name"): p.children[0] for p in own if p.children}
    return found


def _visible(objects: Mapping[str, _Properties], seen: Mapping[str, _Properties]) -> tuple[list[_Shape], list[str]]:
    """The shapes that are shown, whose data are names of parts of the package, in their places, and the names of those that are hidden.

    A body shows the shape of its last feature, so its features are left out; a container hides what is in it.
    """
    inside = {name: container for container, own in objects.items() for name in _links(own)}
    shapes, hidden = [], []
    for name, own in objects.items():
        if "Shape" not in own or not own["Shape"].attributes.get("file"):
            continue
        above = list(_above(name, inside))
        if any("Shape" in objects[container] for container in above):
            continue
        label = own["Label"].attributes.get("value", name) if "Label" in own else name
        if not all(_is_shown(objects[one], seen.get(one, {})) for one in (name, *above)):
            hidden.append(label)
            continue
        pose = np.eye(4)
        for container in above:
            pose = product(_placement(objects[container]), pose)
        place = pose if above and not np.array_equal(pose, np.eye(4)) else None
        shapes.append(_Shape(label, own["Shape"].attributes["file"].encode(), place))
    return shapes, hidden


def _links(own: _Properties) -> Iterator[str]:
    """Names of the objects in a container."""
    if "Group" in own:
        yield from (link.attribute("value") for link in own["Group"].all("Link"))


def _above(name: str, inside: Mapping[str, str]) -> Iterator[str]:
    """The containers of an object, the innermost first."""
    known = {name}
    while (name := inside.get(name, "")) and name not in known:
        known.add(name)
        yield name


def _is_shown(own: _Properties, view: _Properties) -> bool:
    """Whether an object is visible: the view says it, or in later versions the object."""
    node = view.get("Visibility", own.get("Visibility"))
    return node is None or node.attributes.get("value") != "false"


def _placement(own: _Properties) -> Array:
    """The pose of an object in its container, shape (4, 4): a place, and a quaternion."""
    pose = np.eye(4)
    if "Placement" not in own:
        return pose
    node = own["Placement"]
    values = {k: parse_number(node.attributes.get(k, d), node.place, k) for k, d in _DEFAULTS.items()}
    pose[:3, 3] = [values[f"P{axis}"] for axis in "xyz"]
    x, y, z, w = (values[f"Q{i}"] for i in range(4))
    size = math.sqrt(x * x + y * y + z * z + w * w)
    if not size:
        raise ReadError(f"{node.place}: the quaternion of a placement is 0", code="bad-cad", hint=AGAIN)
    x, y, z, w = x / size, y / size, z / size, w / size
    pose[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return pose


_DEFAULTS = {"Px": "0", "Py": "0", "Pz": "0", "Q0": "0", "Q1": "0", "Q2": "0", "Q3": "1"}
