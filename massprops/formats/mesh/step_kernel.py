"""The solids of a STEP file as Open CASCADE reads them, in a process of its own, which `massprops.formats.mesh.step` starts.

On damaged files the kernel prints to standard output, and can crash or take any memory: the program that measures is not to do so.
Lengths are in millimetres here, whatever the unit of the file: the kernel's tolerances are made for those.

Tests: `tests/formats/mesh/test_step.py`.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np

from massprops.errors import MissingExtra, needing
from massprops.formats.mesh.step_integrals import face_integrals
from massprops.moments.arrays import Array

#: The deviation of the triangles from the surfaces that is asked of the kernel, as a share of the size of the solid, and the largest angle.
DEFLECTION, _ANGLE = 1e-3, 0.35
#: By so much the kernel enlarges the box of a shape, mm.
_ADDED = 1e-7
#: Solids of all instances together: a few lines of a file can ask for any number.
MOST_INSTANCES = 100_000
#: What is imported of the kernel, here and in `step_integrals`.
_MODULES = """BRep BRepAdaptor BRepBndLib BRepCheck BRepGProp BRepMesh Bnd GProp GeomAbs IFSelect Interface
    STEPCAFControl TCollection TDF TDataStd TDocStd TopAbs TopExp TopLoc TopoDS XCAFDoc collections gp"""


class Unusable(Exception):
    """The file holds nothing that can be measured: a code and a message."""


@dataclass
class Reading:
    """Content of a file: its distinct solids, and where each stands, with what the file states about it.

    `nodes` are the usages of parts and assemblies, the first place of each: its instances are those from `first` to before `last`.
    """

    solids: list[dict[str, Any]] = field(default_factory=list)
    instances: list[dict[str, Any]] = field(default_factory=list)
    nodes: dict[str, dict[str, Any]] = field(default_factory=dict)
    by_entry: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    loose: int = 0
    unit: str = ""


def main(path: str) -> None:
    """Write the archive of a file to standard output, where the kernel prints, too."""
    output = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    data = archive(path)
    with os.fdopen(output, "wb") as stream:
        stream.write(data)


def archive(path: str) -> bytes:
    """Content of a file, as a NumPy archive: the arrays of each solid, and the rest as JSON under ``about``."""
    arrays: dict[str, Any] = {}
    about: dict[str, Any]
    try:
        with needing("step", "reading STEP needs cadquery-ocp-novtk, a CAD kernel of 380 MB"):
            for name in _MODULES.split():  # all, since a mixed installation lacks some of them
                import_module(f"OCP.{name}")
        reading = read(path)
        about = {"unit": reading.unit, "loose": reading.loose, "instances": reading.instances}
        about["nodes"] = list(reading.nodes.values())
        about["solids"] = [{k: v for k, v in s.items() if not isinstance(v, np.ndarray)} for s in reading.solids]
        for i, solid in enumerate(reading.solids):
            arrays.update({f"{k}{i}": v for k, v in solid.items() if isinstance(v, np.ndarray)})
    except Unusable as error:
        about = {"error": error.args}
    except MissingExtra as error:
        about = {"error": (error.code, error.text, error.hint)}
    except Exception as error:
        # the kernel's errors have no base in common, and those without a name in Python are RuntimeErrors
        if not (type(error).__module__.startswith("OCP.") or isinstance(error, RuntimeError)):
            raise
        reason = str(error).strip()[:80] or type(error).__name__
        about = {"error": ("bad-step", f"the CAD kernel fails on it: {reason}")}
    arrays["about"] = np.frombuffer(json.dumps(about).encode(), np.uint8)
    data = io.BytesIO()
    np.savez(data, **arrays)
    return data.getvalue()


def read(path: str) -> Reading:
    """The solids of a file."""
    from OCP.collections import Sequence_TCollection_AsciiString as Words
    from OCP.collections import Sequence_TDF_Label as Labels
    from OCP.IFSelect import IFSelect_ReturnStatus
    from OCP.Interface import Interface_Static
    from OCP.STEPCAFControl import STEPCAFControl_Reader
    from OCP.TCollection import TCollection_ExtendedString
    from OCP.TDocStd import TDocStd_Document
    from OCP.TopLoc import TopLoc_Location
    from OCP.XCAFDoc import XCAFDoc_DocumentTool

    reader = STEPCAFControl_Reader()
    Interface_Static.SetCVal_s("xstep.cascade.unit", "MM")
    Interface_Static.SetIVal_s("read.stepcaf.subshapes.name", 1)
    for what, wanted in {"Color": False, "Layer": False, "Props": False, "Name": True, "Mat": True}.items():
        getattr(reader, f"Set{what}Mode")(wanted)
    if reader.ReadFile(path) != IFSelect_ReturnStatus.IFSelect_RetDone:
        raise Unusable("bad-step", "the CAD kernel cannot parse it")
    lengths, angles, solid_angles = Words(), Words(), Words()
    reader.ChangeReader().FileUnits(lengths, angles, solid_angles)
    found = Reading(unit=lengths.Value(1).ToCString() if lengths.Length() else "")
    document = TDocStd_Document(TCollection_ExtendedString("massprops"))
    if not reader.Transfer(document):
        raise Unusable("bad-step", "the CAD kernel can make no shape of it")
    shapes = XCAFDoc_DocumentTool.ShapeTool_s(document.Main())
    labels = Labels()
    shapes.GetFreeShapes(labels)
    for i in range(1, labels.Length() + 1):
        _walk(found, shapes, labels.Value(i), TopLoc_Location(), "", "")
    return found


def _walk(found: Reading, shapes: Any, label: Any, place: Any, path: str, above: str) -> None:
    """Add the solids of a label of the assembly tree, each once, and its instances; `above`: the product that it is in."""
    from OCP.collections import Sequence_TDF_Label as Labels
    from OCP.TDF import TDF_Label

    usage = _entry(label)
    node: dict[str, Any] = {"usage": _name(label), "above": above, "outer": _pose(place)}
    if shapes.IsReference_s(label):
        place, referred = place.Multiplied(shapes.GetLocation_s(label)), TDF_Label()
        shapes.GetReferredShape_s(label, referred)
        label = referred
    name = _name(label) or "part"
    path = f"{path}/{name}" if path else name
    node |= {"product": name, "label": _entry(label), "pose": _pose(place), "first": len(found.instances)}
    if shapes.IsAssembly_s(label):
        parts = Labels()
        shapes.GetComponents_s(label, parts)
        for i in range(1, parts.Length() + 1):
            _walk(found, shapes, parts.Value(i), place, path, name)
    else:
        _add_part(found, shapes, label, place, path, name)
    found.nodes.setdefault(usage, node | {"last": len(found.instances)})


def _pose(place: Any) -> list[list[float]]:
    t = place.Transformation()
    return [[t.Value(i, j) for j in (1, 2, 3, 4)] for i in (1, 2, 3)]


def _add_part(found: Reading, shapes: Any, label: Any, place: Any, path: str, name: str) -> None:
    entry = _entry(label)
    if entry not in found.by_entry:
        found.by_entry[entry] = list(_solids(found, shapes, label, name))
    material = _material(label)
    pose = _pose(place)
    for index, own in found.by_entry[entry]:
        if len(found.instances) >= MOST_INSTANCES:
            raise Unusable("too-large", f"its assemblies have more than {MOST_INSTANCES:,} solids")
        full = path if own == name else f"{path}/{own}"
        one = {"solid": index, "pose": pose, "name": own, "path": full, "product": name, "material": material}
        found.instances.append(one)


def _solids(found: Reading, shapes: Any, label: Any, name: str) -> Iterator[tuple[int, str]]:
    """Measure the solids of a part: their numbers and names."""
    from OCP.TDF import TDF_Label

    shape = shapes.GetShape_s(label)
    solids = list(within(shape, kind("SOLID")))
    found.loose += sum(1 for _ in within(shape, kind("FACE"), kind("SOLID")))
    for i, solid in enumerate(solids, 1):
        inner = TDF_Label()
        own = _name(inner) if shapes.FindSubShape(label, solid, inner) else ""
        found.solids.append(measure_solid(solid))
        yield len(found.solids) - 1, own or (name if len(solids) == 1 else f"{name} {i}")


def within(shape: Any, of: Any, avoid: Any = None) -> Iterator[Any]:
    """The shapes of a kind in a shape, except those in one of the kind `avoid`."""
    from OCP.TopExp import TopExp_Explorer

    found = TopExp_Explorer(shape, of, kind("SHAPE") if avoid is None else avoid)
    while found.More():
        yield found.Current()
        found.Next()


def _entry(label: Any) -> str:
    from OCP.TCollection import TCollection_AsciiString
    from OCP.TDF import TDF_Tool

    entry = TCollection_AsciiString()
    TDF_Tool.Entry_s(label, entry)
    return str(entry.ToCString())


def _name(label: Any) -> str:
    from OCP.TDataStd import TDataStd_Name

    name = TDataStd_Name()
    found = not label.IsNull() and label.IsAttribute(name.ID())  # else asking for it crashes
    return str(name.Get().ToExtString()) if found and label.FindAttribute(name.ID(), name) else ""


def _material(label: Any) -> str | None:
    """The material that the file states for a part."""
    from OCP.TDataStd import TDataStd_TreeNode
    from OCP.XCAFDoc import XCAFDoc, XCAFDoc_Material

    node, material, key = TDataStd_TreeNode(), XCAFDoc_Material(), XCAFDoc.MaterialRefGUID_s()
    if not (label.IsAttribute(key) and label.FindAttribute(key, node) and node.HasFather()):
        return None
    if not node.Father().Label().FindAttribute(material.ID(), material):
        return None
    name = material.GetName()
    return None if name is None else str(name.ToCString()) or None


def measure_solid(solid: Any) -> dict[str, Any]:
    """The checks, integrals and triangles of a solid; `problem` is what makes it invalid."""
    faces = list(within(solid, kind("FACE")))
    bounds = _bounds(solid)
    deflection = DEFLECTION * float(np.linalg.norm(np.ptp(bounds, axis=0)))
    vertices, triangles, unmeshed = triangles_of(solid, faces, deflection)
    reference = bounds.mean(axis=0)
    sums, errors = np.zeros(14), np.zeros(14)
    problem = _problem(solid)
    if not problem:
        for face in faces:
            found = face_integrals(face, reference)
            sums += found[0]
            errors += found[1]
    checks = {"problem": problem, "unmeshed": unmeshed, "faces": len(faces), "slits": _slits(solid)}
    integrals = {"sums": sums, "errors": errors, "reference": reference, "bounds": bounds}
    return checks | integrals | {"deflection": deflection, "vertices": vertices, "triangles": triangles}


def kind(name: str) -> Any:
    """A kind of shape by its name, such as ``FACE``."""
    from OCP.TopAbs import TopAbs_ShapeEnum

    return getattr(TopAbs_ShapeEnum, f"TopAbs_{name}")


def _problem(solid: Any) -> str:
    """Problem that the kernel's own check finds in a solid, or nothing."""
    from OCP.BRepCheck import BRepCheck_Analyzer

    check = BRepCheck_Analyzer(solid)
    if check.IsValid():
        return ""
    kinds = {"shells": "SHELL", "faces": "FACE", "edges": "EDGE", "vertices": "VERTEX"}
    bad = {word: sum(not check.IsValid(s) for s in within(solid, kind(of))) for word, of in kinds.items()}
    return ", ".join(f"{n} {word}" for word, n in bad.items() if n) or "the solid itself"


def _slits(solid: Any) -> float:
    """Σ 2 × tolerance × length of all edges: the area by which faces may fail to meet there."""
    from OCP.BRep import BRep_Tool
    from OCP.BRepGProp import BRepGProp
    from OCP.GProp import GProp_GProps
    from OCP.TopoDS import TopoDS

    area = 0.0
    for shape in within(solid, kind("EDGE")):  # each edge once for each of its two faces
        edge, length = TopoDS.Edge(shape), GProp_GProps()
        if not BRep_Tool.Degenerated_s(edge):
            BRepGProp.LinearProperties_s(edge, length)
            area += BRep_Tool.Tolerance_s(edge) * length.Mass()
    return area


def _bounds(solid: Any) -> Array:
    from OCP.Bnd import Bnd_Box
    from OCP.BRepBndLib import BRepBndLib

    box = Bnd_Box()
    BRepBndLib.AddOptimal_s(solid, box, False, False)
    box.SetGap(0.0)
    corners = zip((box.CornerMin(), box.CornerMax()), (_ADDED, -_ADDED), strict=True)
    return np.array([[p.X() + inward, p.Y() + inward, p.Z() + inward] for p, inward in corners])


def triangles_of(solid: Any, faces: list[Any], deflection: float, angle: float = _ANGLE) -> tuple[Array, Any, int]:
    """Vertices and triangles near the surfaces, and how many faces have none."""
    from OCP.BRep import BRep_Tool
    from OCP.BRepMesh import BRepMesh_IncrementalMesh
    from OCP.TopAbs import TopAbs_Orientation
    from OCP.TopLoc import TopLoc_Location
    from OCP.TopoDS import TopoDS

    BRepMesh_IncrementalMesh(solid, deflection, False, angle, False)
    points: list[tuple[float, float, float]] = []
    corners: list[tuple[int, int, int]] = []
    missing = 0
    for shape in faces:
        face, place = TopoDS.Face(shape), TopLoc_Location()
        mesh = BRep_Tool.Triangulation_s(face, place)
        if mesh is None:
            missing += 1
            continue
        start, t = len(points) - 1, place.Transformation()
        turn = face.Orientation() == TopAbs_Orientation.TopAbs_REVERSED
        for i in range(1, mesh.NbNodes() + 1):
            p = mesh.Node(i).Transformed(t)
            points.append((p.X(), p.Y(), p.Z()))
        for i in range(1, mesh.NbTriangles() + 1):
            tri = mesh.Triangle(i)
            a, b, c = (start + tri.Value(k) for k in (1, 2, 3))
            corners.append((a, c, b) if turn else (a, b, c))
    return np.array(points).reshape(-1, 3), np.array(corners, dtype=np.int64).reshape(-1, 3), missing
