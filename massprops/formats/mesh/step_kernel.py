"""The solids of a STEP file as Open CASCADE reads them, in a process of its own, which `massprops.formats.mesh.step` starts.

On damaged files the kernel prints to standard output, and can crash or take any memory: the program that measures is not to do so.
Lengths are in millimetres here, whatever the unit of the file: the kernel's tolerances are made for those.

Tests: `tests/formats/mesh/test_step.py`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from massprops.errors import MasspropsError, ReadError, needing
from massprops.formats.mesh.step_integrals import INTEGRALS, LISTS, face_integrals, kernel_list, ocp, sense, within
from massprops.mesh.integration import integrate
from massprops.mesh.source import Triangles, indexed_chunks
from massprops.moments.arrays import Array
from massprops.units import length_unit

#: The deviation of the triangles from the surfaces that is asked of the kernel, as a share of the size of the solid, and the largest angle.
DEFLECTION, _ANGLE = 1e-3, 0.35
#: The same for further tries, where the triangles are not closed.
_TRIES = ((4e-3, 0.7), (3e-4, 0.2))
#: By so much the kernel enlarges the box of a surface or curve whose extremes it looks for, mm; those of the kinds below it knows.
_ADDED = 1e-7
_KNOWN_SURFACES, _KNOWN_CURVES = ("Plane", "Cylinder", "Cone", "Sphere"), ("Line", "Circle", "Ellipse")
#: Edges within this distance, mm, are one, where a format has no solids.
_SEWN = 1e-2
#: Solids of all instances together: a few lines of a file can ask for any number.
MOST_INSTANCES = 100_000
#: End of the name of a product that is in another file.
_ELSEWHERE = re.compile(r"\|file (\d{1,6})\|$")
#: Symbols of the units that the kernel names.
UNITS = {
    "metre": "m",
    "millimetre": "mm",
    "centimetre": "cm",
    "micrometre": "um",
    "kilometre": "km",
    "inch": "in",
    "foot": "ft",
}
#: What is imported of the kernel, here and in `step_integrals`.
_MODULES = """BRep BinTools BRepAdaptor BRepBndLib BRepBuilderAPI BRepCheck BRepExtrema BRepGProp BRepLib BRepMesh BRepTools Bnd GProp
    GeomAbs IFSelect IGESCAFControl Interface STEPCAFControl TCollection TDF TDataStd TDocStd TopAbs TopExp TopLoc TopoDS
    XCAFDoc gp"""


@dataclass
class Reading:
    """Content of a file: its distinct solids, and where each stands, with what the file states about it.

    `nodes` are the usages of parts and assemblies, the first place of each: its instances are those from `first` to before `last`.
    """

    solids: list[Any] = field(default_factory=list)
    instances: list[dict[str, Any]] = field(default_factory=list)
    nodes: dict[str, dict[str, Any]] = field(default_factory=dict)
    by_entry: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    loose: int = 0
    #: Whether faces that are no solid are sewn, and how many solids these make.
    sews: bool = False
    sewn: int = 0
    unit: str = ""
    #: Value of a solid in `solids`; by default what is measured of it.
    value_of: Callable[[Any], Any] | None = None
    #: Parts without any shape; numbers of files that could not be read, and those that were, in which the walk is.
    empty: list[str] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    files: dict[int, _Opened] = field(default_factory=dict)
    inside: list[int] = field(default_factory=list)


@dataclass
class _Opened:
    """A file that was read: its shapes, those of its top level, and its document, which holds them."""

    shapes: Any
    roots: list[Any]
    document: Any


@dataclass(frozen=True)
class _Above:
    """Assembly above a part: its place, path and product; for a part in a file of its own, the name and product that refer to it."""

    place: Any
    path: str = ""
    product: str = ""
    name: str = ""
    products: tuple[tuple[int, str], ...] = ()


def main(argument: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Content of a file and of those that its parts are in, and the arrays of each solid.

    `argument`: JSON of the names of the files. With a file of points (n, 3) after them, only their ``distances`` from the surfaces are
    found, in the unit of the file.
    """
    paths, *points = json.loads(argument)
    try:
        with needing("step", "exact surfaces need cadquery-ocp-novtk, a CAD kernel of 380 MB"):
            for name in _MODULES.split():  # all, since a mixed installation lacks some of them
                getattr(ocp, name)
            for name in LISTS:
                kernel_list(name)
        if points:
            faces = read(paths, lambda solid: list(within(solid, "FACE")))
            return {}, {"distances": distances(faces, np.load(points[0]))}
        reading = read(paths)
    except MasspropsError:
        raise
    except Exception as error:
        # the kernel's errors have no base in common, and those without a name in Python are RuntimeErrors
        if not (type(error).__module__.startswith("OCP.") or isinstance(error, RuntimeError)):
            raise
        reason = str(error).strip()[:80] or type(error).__name__
        raise ReadError(f"the CAD kernel fails on it: {reason}", code="bad-step") from error
    about = {"unit": reading.unit, "loose": reading.loose, "instances": reading.instances}
    about |= {"sewn": reading.sewn, "empty": reading.empty, "missing": reading.missing, "files": sorted(reading.files)}
    about["nodes"] = list(reading.nodes.values())
    about["solids"] = [{k: v for k, v in s.items() if not isinstance(v, np.ndarray)} for s in reading.solids]
    values = ((f"{k}{i}", v) for i, solid in enumerate(reading.solids) for k, v in solid.items())
    return about, {name: value for name, value in values if isinstance(value, np.ndarray)}


def read(paths: Sequence[str | None], value_of: Callable[[Any], Any] | None = None) -> Reading:
    """The solids of a file, the first of some, and of the others that it refers to by number."""
    found = Reading(value_of=value_of)
    _walk_file(found, paths, 0, _Above(ocp.TopLoc.TopLoc_Location()))
    return found


def _walk_file(found: Reading, paths: Sequence[str | None], number: int, above: _Above) -> None:
    """Add the solids of a file, in a place."""
    if (path := paths[number]) is None:
        found.missing.append(number)
        return
    if number in found.inside:
        raise ReadError("its files refer to each other in a circle", code="bad-step")
    if number not in found.files:
        found.files[number] = _open(found, path)
    found.inside.append(number)
    roots = found.files[number].roots
    for label in roots:
        _walk(found, paths, label, above if len(roots) == 1 else replace(above, name=""))
    found.inside.pop()


def _open(found: Reading, path: str) -> _Opened:
    """The document of a file: of STEP or IGES as their readers make it, else of shapes and their places in a list (`cad`)."""
    ocp.Interface.Interface_Static.SetCVal_s("xstep.cascade.unit", "MM")
    document = ocp.TDocStd.TDocStd_Document(ocp.TCollection.TCollection_ExtendedString("massprops"))
    shapes = ocp.XCAFDoc.XCAFDoc_DocumentTool.ShapeTool_s(document.Main())
    reader = {".json": _add_shapes, ".igs": _read_iges}.get(Path(path).suffix, _read_step)
    found.sews = reader is _read_iges
    unit = reader(path, document)
    if not found.files:
        found.unit = unit
    return _Opened(shapes, _labels(shapes.GetFreeShapes), document)


def _read_step(path: str, document: Any) -> str:
    """Fills a document with a STEP file; the name of its unit."""
    reader = ocp.STEPCAFControl.STEPCAFControl_Reader()
    ocp.Interface.Interface_Static.SetIVal_s("read.stepcaf.subshapes.name", 1)
    for what, wanted in {"Color": False, "Layer": False, "Props": False, "Name": True, "Mat": True}.items():
        getattr(reader, f"Set{what}Mode")(wanted)
    if reader.ReadFile(path) != ocp.IFSelect.IFSelect_ReturnStatus.IFSelect_RetDone:
        raise ReadError("the CAD kernel cannot parse it", code="bad-step")
    lengths, *others = (kernel_list("Sequence_TCollection_AsciiString")() for _ in range(3))
    reader.ChangeReader().FileUnits(lengths, *others)  # of lengths, angles and solid angles
    if not reader.Transfer(document):
        raise ReadError("the CAD kernel can make no shape of it", code="bad-step")
    return str(lengths.Value(1).ToCString()) if lengths.Length() else ""


def _read_iges(path: str, document: Any) -> str:
    """Fills a document with an IGES file, which the kernel converts to millimetres."""
    reader = ocp.IGESCAFControl.IGESCAFControl_Reader()
    reader.SetNameMode(True)
    reader.SetColorMode(False)
    if reader.ReadFile(path) != ocp.IFSelect.IFSelect_ReturnStatus.IFSelect_RetDone:
        raise ReadError("the CAD kernel cannot parse it", code="bad-cad")
    if not reader.Transfer(document):
        raise ReadError("the CAD kernel can make no shape of it", code="bad-cad")
    return "millimetre"


def _add_shapes(path: str, document: Any) -> str:
    """Fills a document with shapes of the kernel's own formats, each with its name and place."""
    shapes = ocp.XCAFDoc.XCAFDoc_DocumentTool.ShapeTool_s(document.Main())
    for one in json.loads(Path(path).read_text(encoding="utf-8")):
        shape = ocp.TopoDS.TopoDS_Shape()
        if one["is_binary"]:
            done = ocp.BinTools.BinTools.Read_s(shape, one["file"])
        else:
            done = ocp.BRepTools.BRepTools.Read_s(shape, one["file"], ocp.BRep.BRep_Builder())
        if not done or shape.IsNull():
            raise ReadError(f"the CAD kernel cannot parse the shape of {one['name']!r}", code="bad-cad")
        if one["pose"]:
            place = ocp.gp.gp_Trsf()
            place.SetValues(*(value for row in one["pose"] for value in row))
            shape = shape.Moved(ocp.TopLoc.TopLoc_Location(place))
        label, referred = shapes.AddShape(shape, False), ocp.TDF.TDF_Label()
        if shapes.IsReference_s(label) and shapes.GetReferredShape_s(label, referred):
            label = referred
        name = ocp.TCollection.TCollection_ExtendedString(one["name"], True)
        ocp.TDataStd.TDataStd_Name.Set_s(label, name)
    return "millimetre"


def _labels(fill: Callable[..., object], *of: Any) -> list[Any]:
    """The labels that a function of the kernel finds."""
    found = kernel_list("Sequence_TDF_Label")()
    fill(*of, found)
    return [found.Value(i) for i in range(1, found.Length() + 1)]


def _walk(found: Reading, paths: Sequence[str | None], label: Any, above: _Above) -> None:
    """Add the solids of a label of the assembly tree, each once, and its instances."""
    number, place = found.inside[-1], above.place
    shapes = found.files[number].shapes
    usage = f"{number}|{_entry(label)}"
    node: dict[str, Any] = {"usage": _split(_name(label))[0], "above": above.product, "outer": _pose(place)}
    node["is_usage"] = shapes.IsReference_s(label)
    if node["is_usage"]:
        place, referred = place.Multiplied(shapes.GetLocation_s(label)), ocp.TDF.TDF_Label()
        shapes.GetReferredShape_s(label, referred)
        label = referred
    product, elsewhere = _split(_name(label))
    product = product or "part"
    name = above.name or product
    path = f"{above.path}/{name}" if above.path else name
    entry = f"{number}|{_entry(label)}"
    node |= {"product": product, "label": entry, "pose": _pose(place), "first": len(found.instances), "file": number}
    products = ((number, product), *above.products)
    if shapes.IsAssembly_s(label):
        for part in _labels(shapes.GetComponents_s, label):
            _walk(found, paths, part, _Above(place, path, product))
    elif not _add_part(found, label, entry, {"products": products, "pose": _pose(place)}, path, name):
        if 0 < elsewhere < len(paths):
            _walk_file(found, paths, elsewhere, _Above(place, above.path, name=name, products=products))
        elif not any(within(shapes.GetShape_s(label), "VERTEX")):
            found.empty.append(name)
    found.nodes.setdefault(usage, node | {"last": len(found.instances)})


def _split(name: str) -> tuple[str, int]:
    """A name as the file has it, and the number of the file that the part is in, or 0: see `step_references`."""
    found = _ELSEWHERE.search(name)
    return (name[: found.start()], int(found[1])) if found else (name, 0)


def _pose(place: Any) -> list[list[float]]:
    t = place.Transformation()
    return [[t.Value(i, j) for j in (1, 2, 3, 4)] for i in (1, 2, 3)]


def _add_part(found: Reading, label: Any, entry: str, one: dict[str, Any], path: str, name: str) -> bool:
    """Add an instance of each solid of a part, if it has any."""
    if entry not in found.by_entry:
        found.by_entry[entry] = list(_solids(found, label, name))
    material = _material(label)
    for index, own in found.by_entry[entry]:
        if len(found.instances) >= MOST_INSTANCES:
            raise ReadError(f"its assemblies have more than {MOST_INSTANCES:,} solids", code="too-large")
        full = path if own == name else f"{path}/{own}"
        found.instances.append(one | {"solid": index, "name": own, "path": full, "material": material})
    return bool(found.by_entry[entry])


def _solids(found: Reading, label: Any, name: str) -> Iterator[tuple[int, str]]:
    """Measure the solids of a part: their numbers and names."""
    shapes = found.files[found.inside[-1]].shapes
    shape = shapes.GetShape_s(label)
    solids, loose = list(within(shape, "SOLID")), sum(1 for _ in within(shape, "FACE", "SOLID"))
    if found.sews and loose and not solids:
        solids = _sewn(shape)
        found.sewn, loose = found.sewn + len(solids), 0 if solids else loose
    found.loose += loose
    for i, solid in enumerate(solids, 1):
        inner = ocp.TDF.TDF_Label()
        own = _name(inner) if shapes.FindSubShape(label, solid, inner) else ""
        found.solids.append((found.value_of or measure_solid)(solid))
        yield len(found.solids) - 1, own or (name if len(solids) == 1 else f"{name} {i}")


def _sewn(shape: Any) -> list[Any]:
    """Solids of the closed shells that the faces of a shape make: edges within a tolerance are one, which then has that tolerance."""
    sewing = ocp.BRepBuilderAPI.BRepBuilderAPI_Sewing(_SEWN)
    sewing.Add(shape)
    sewing.Perform()
    if sewing.NbFreeEdges() or sewing.NbMultipleEdges():
        return []
    solids = []
    for shell in within(sewing.SewedShape(), "SHELL"):
        solid = ocp.BRepBuilderAPI.BRepBuilderAPI_MakeSolid(ocp.TopoDS.TopoDS.Shell(shell)).Solid()
        ocp.BRepLib.BRepLib.OrientClosedSolid_s(solid)
        solids.append(solid)
    return solids


def _entry(label: Any) -> str:
    entry = ocp.TCollection.TCollection_AsciiString()
    ocp.TDF.TDF_Tool.Entry_s(label, entry)
    return str(entry.ToCString())


def _name(label: Any) -> str:
    name = ocp.TDataStd.TDataStd_Name()
    found = not label.IsNull() and label.IsAttribute(name.ID())  # else asking for it crashes
    return str(name.Get().ToExtString()) if found and label.FindAttribute(name.ID(), name) else ""


def _material(label: Any) -> str | None:
    """The material that the file states for a part."""
    node, material = ocp.TDataStd.TDataStd_TreeNode(), ocp.XCAFDoc.XCAFDoc_Material()
    key = ocp.XCAFDoc.XCAFDoc.MaterialRefGUID_s()
    if not (label.IsAttribute(key) and label.FindAttribute(key, node) and node.HasFather()):
        return None
    if not node.Father().Label().FindAttribute(material.ID(), material):
        return None
    name = material.GetName()
    return None if name is None else str(name.ToCString()) or None


def measure_solid(solid: Any) -> dict[str, Any]:
    """The checks, integrals and triangles of a solid; `problem` is what makes it invalid."""
    faces = list(within(solid, "FACE"))
    bounds = _bounds(solid)
    size = float(np.linalg.norm(np.ptp(bounds, axis=0)))
    tries = ((s * size, triangles_of(solid, faces, s * size, angle)) for s, angle in ((DEFLECTION, _ANGLE), *_TRIES))
    first = deflection, (vertices, triangles, unmeshed) = next(tries)
    while unmeshed or not _is_closed(vertices, triangles):
        deflection, (vertices, triangles, unmeshed) = other = next(tries, first)
        if other is first:
            break
    reference = bounds.mean(axis=0)
    sums, errors = np.zeros(INTEGRALS), np.zeros(INTEGRALS)
    problem = _problem(solid)
    if not problem:
        for face in faces:
            found = face_integrals(face, reference)
            sums += found[0]
            errors += found[1]
    checks = {"problem": problem, "unmeshed": unmeshed, "faces": len(faces), "slits": _slits(solid)}
    checks["edges_meet"] = _edges_meet(faces)
    integrals = {"sums": sums, "errors": errors, "reference": reference, "bounds": bounds}
    return checks | integrals | {"deflection": deflection, "vertices": vertices, "triangles": triangles}


def _problem(solid: Any) -> str:
    """Problem that the kernel's own check finds in a solid, or nothing."""
    check = ocp.BRepCheck.BRepCheck_Analyzer(solid)
    if check.IsValid():
        return ""
    kinds = {"shells": "SHELL", "faces": "FACE", "edges": "EDGE", "vertices": "VERTEX"}
    bad = {word: sum(not check.IsValid(s) for s in within(solid, of)) for word, of in kinds.items()}
    return ", ".join(f"{n} {word}" for word, n in bad.items() if n) or "the solid itself"


def _is_closed(vertices: Array, triangles: Any) -> bool:
    """Whether triangles are a closed surface."""
    if not len(triangles):
        return False
    chunks = indexed_chunks(vertices, triangles)
    return bool(integrate(Triangles("", len(triangles), chunks)).boundary.closed)


def _edges_meet(faces: list[Any]) -> bool:
    """Whether every edge is traversed twice, in opposite directions: by two faces, or by one that meets itself there."""
    senses: dict[int, list[int]] = {}
    for face in faces:
        for edge in within(face, "EDGE"):
            if sense(edge) and not ocp.BRep.BRep_Tool.Degenerated_s(ocp.TopoDS.TopoDS.Edge(edge)):
                senses.setdefault(hash(edge), []).append(sense(edge))
    return all(sorted(found) == [-1, 1] for found in senses.values())


def _slits(solid: Any) -> float:
    """Σ 2 × tolerance × length of all edges: the area by which faces may fail to meet there."""
    area, tool = 0.0, ocp.BRep.BRep_Tool
    for shape in within(solid, "EDGE"):  # each edge once for each of its two faces
        edge, length = ocp.TopoDS.TopoDS.Edge(shape), ocp.GProp.GProp_GProps()
        if not tool.Degenerated_s(edge):
            ocp.BRepGProp.BRepGProp.LinearProperties_s(edge, length)
            area += tool.Tolerance_s(edge) * length.Mass()
    return area


def _bounds(shape: Any) -> Array:
    """Smallest and largest coordinates of a solid or face, shape (2, 3): of its faces, each without what the kernel adds to its box."""
    found = []
    for own in within(shape, "FACE"):
        box, face = ocp.Bnd.Bnd_Box(), ocp.TopoDS.TopoDS.Face(own)
        ocp.BRepBndLib.BRepBndLib.AddOptimal_s(face, box, False, False)
        box.SetGap(0.0)
        inward = 0.0 if _is_known(face) else _ADDED
        low, high = box.CornerMin(), box.CornerMax()
        found.append([[low.X(), low.Y(), low.Z()], [high.X(), high.Y(), high.Z()]])
        found[-1] = [[x + inward for x in found[-1][0]], [x - inward for x in found[-1][1]]]
    boxes = np.array(found)
    return np.array([boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)])


def _is_known(face: Any) -> bool:
    """Whether the kernel knows the extremes of a face and of its edges in closed form."""
    surface = ocp.BRepAdaptor.BRepAdaptor_Surface(face).GetType()
    if not any(surface == getattr(ocp.GeomAbs.GeomAbs_SurfaceType, f"GeomAbs_{kind}") for kind in _KNOWN_SURFACES):
        return False
    curves = [getattr(ocp.GeomAbs.GeomAbs_CurveType, f"GeomAbs_{kind}") for kind in _KNOWN_CURVES]
    edges = (ocp.TopoDS.TopoDS.Edge(edge) for edge in within(face, "EDGE"))
    kinds = (ocp.BRepAdaptor.BRepAdaptor_Curve(e).GetType() for e in edges if not ocp.BRep.BRep_Tool.Degenerated_s(e))
    return all(kind in curves for kind in kinds)


def triangles_of(solid: Any, faces: list[Any], deflection: float, angle: float = _ANGLE) -> tuple[Array, Any, int]:
    """Vertices and triangles near the surfaces, and how many faces have none."""
    ocp.BRepTools.BRepTools.Clean_s(solid)  # else triangles of a finer mesh stay
    ocp.BRepMesh.BRepMesh_IncrementalMesh(solid, deflection, False, angle, False)
    points: list[tuple[float, float, float]] = []
    corners: list[tuple[int, int, int]] = []
    missing = 0
    for shape in faces:
        face, place = ocp.TopoDS.TopoDS.Face(shape), ocp.TopLoc.TopLoc_Location()
        mesh = ocp.BRep.BRep_Tool.Triangulation_s(face, place)
        if mesh is None:
            missing += 1
            continue
        start, t, turn = len(points) - 1, place.Transformation(), sense(face) < 0
        for i in range(1, mesh.NbNodes() + 1):
            p = mesh.Node(i).Transformed(t)
            points.append((p.X(), p.Y(), p.Z()))
        for i in range(1, mesh.NbTriangles() + 1):
            tri = mesh.Triangle(i)
            a, b, c = (start + tri.Value(k) for k in (1, 2, 3))
            corners.append((a, c, b) if turn else (a, b, c))
    return np.array(points).reshape(-1, 3), np.array(corners, dtype=np.int64).reshape(-1, 3), missing


def distances(reading: Reading, points: Array) -> Array:
    """Distance of each point from the surfaces of the solids, each of which is the list of its faces, in the unit of the file."""
    boxes = [np.array([_bounds(face) for face in faces]) for faces in reading.solids]
    scale = length_unit(UNITS.get(reading.unit.lower(), "mm")) * 1000
    nearest = np.full(len(points), np.inf)
    for one in reading.instances:
        pose, faces, box = np.array(one["pose"]), reading.solids[one["solid"]], boxes[one["solid"]]
        local = (points * scale - pose[:, 3]) @ pose[:, :3]
        for i, p in enumerate(local):
            apart = np.linalg.norm(np.maximum(0.0, np.maximum(box[:, 0] - p, p - box[:, 1])), axis=1)
            vertex = ocp.BRepBuilderAPI.BRepBuilderAPI_MakeVertex(ocp.gp.gp_Pnt(*p.tolist())).Vertex()
            for f in np.argsort(apart):
                if apart[f] - 2 * _ADDED > nearest[i]:
                    break
                found = ocp.BRepExtrema.BRepExtrema_DistShapeShape(vertex, faces[f])
                if found.IsDone():
                    nearest[i] = min(nearest[i], found.Value())
    return nearest / scale
