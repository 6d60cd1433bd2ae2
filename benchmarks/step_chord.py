"""Random solids, tessellated with three deflections: the true change, and the bound of `--chord-tolerance` that is printed.

    pip install 'massprops[step]' && python benchmarks/step_chord.py [PARTS [FIRST]]

Boxes with holes, boxes with fillets, revolved and lofted splines, made by Open CASCADE; a solid that crosses itself is drawn again. The
truth is the integral over the exact surfaces; the chord tolerance is the deflection that BRepMesh was asked for. Printed are
whether the bounds hold, how many times too large they are, and how far the facets really are from the surfaces.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from OCP import BRepPrimAPI, gp
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.BRepAlgoAPI import BRepAlgoAPI_Cut
from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeEdge, BRepBuilderAPI_MakeFace, BRepBuilderAPI_MakeWire
from OCP.BRepFilletAPI import BRepFilletAPI_MakeFillet
from OCP.BRepOffsetAPI import BRepOffsetAPI_ThruSections
from OCP.BRepTools import BRepTools
from OCP.collections import Array1_gp_Pnt, HArray1_gp_Pnt
from OCP.GeomAPI import GeomAPI_Interpolate, GeomAPI_PointsToBSpline
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS
from usage import words

from massprops import measure
from massprops.formats.mesh.step import exact_solid
from massprops.formats.mesh.step_kernel import measure_solid, triangles_of, within
from massprops.mesh.exact_solid import ExactSolid

#: Deflections, as shares of the diagonal of the bounding box.
DEFLECTIONS = (1e-2, 1e-3, 2e-4)
ANGLE = 0.5
#: Of each face, about so many facets are compared with the surface.
LOOKED_AT = 200


def point(x: float, y: float, z: float) -> Any:
    return gp.gp_Pnt(x, y, z)


def direction(r: random.Random) -> Any:
    axes = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (r.gauss(0, 1), r.gauss(0, 1), r.gauss(0, 1))]
    return gp.gp_Dir(*r.choice(axes))


def box_with_holes(r: random.Random) -> Any:
    sides = [r.uniform(10, 100) for _ in range(3)]
    shape = BRepPrimAPI.BRepPrimAPI_MakeBox(*sides).Shape()
    for _ in range(r.randint(1, 4)):
        d = direction(r)
        p = [r.uniform(0, s) - 200 * c for s, c in zip(sides, (d.X(), d.Y(), d.Z()), strict=True)]
        radius = r.uniform(1, min(sides) / 4)
        drill = BRepPrimAPI.BRepPrimAPI_MakeCylinder(gp.gp_Ax2(point(*p), d), radius, 400.0).Shape()
        shape = BRepAlgoAPI_Cut(shape, drill).Shape()
    return shape


def box_with_fillets(r: random.Random) -> Any:
    a, b, c = (r.uniform(10, 100) for _ in range(3))
    shape = BRepPrimAPI.BRepPrimAPI_MakeBox(a, b, c).Shape()
    if r.random() < 0.5:
        axis = gp.gp_Ax2(point(a / 2, b / 2, -1), gp.gp_Dir(0, 0, 1))
        shape = BRepAlgoAPI_Cut(shape, BRepPrimAPI.BRepPrimAPI_MakeCylinder(axis, min(a, b) / 5, c + 2).Shape()).Shape()
    fillet, seen = BRepFilletAPI_MakeFillet(shape), []
    for edge in within(shape, "EDGE"):
        if not any(edge.IsSame(other) for other in seen):
            seen.append(edge)
            if r.random() < 0.6:
                fillet.Add(r.uniform(0.02, 0.12) * min(a, b, c), TopoDS.Edge(edge))
    return fillet.Shape()


def revolved(r: random.Random) -> Any:
    n, height = r.randint(4, 8), r.uniform(20, 100)
    corners = [point(r.uniform(5, 40), 0, height * i / (n - 1)) for i in range(n)]
    listed = Array1_gp_Pnt(1, n)
    for i, p in enumerate(corners, 1):
        listed.SetValue(i, p)
    ends = [corners[-1], point(0, 0, height), point(0, 0, 0), corners[0]]
    wire = BRepBuilderAPI_MakeWire(BRepBuilderAPI_MakeEdge(GeomAPI_PointsToBSpline(listed).Curve()).Edge())
    for start, end in pairwise(ends):
        wire.Add(BRepBuilderAPI_MakeEdge(start, end).Edge())
    face = BRepBuilderAPI_MakeFace(wire.Wire()).Face()
    angle = 2 * math.pi if r.random() < 0.6 else r.uniform(0.5, 5.5)
    return BRepPrimAPI.BRepPrimAPI_MakeRevol(face, gp.gp_Ax1(point(0, 0, 0), gp.gp_Dir(0, 0, 1)), angle).Shape()


def outline(r: random.Random, z: float) -> Any:
    if r.random() < 0.3:
        axis = gp.gp_Ax2(point(r.uniform(-5, 5), r.uniform(-5, 5), z), gp.gp_Dir(0, 0, 1))
        return BRepBuilderAPI_MakeWire(BRepBuilderAPI_MakeEdge(gp.gp_Circ(axis, r.uniform(8, 30))).Edge()).Wire()
    n = r.randint(5, 9)
    listed = HArray1_gp_Pnt(1, n)
    for i in range(n):
        radius, t = r.uniform(15, 30), 2 * math.pi * i / n
        listed.SetValue(i + 1, point(radius * math.cos(t), radius * math.sin(t), z))
    curve = GeomAPI_Interpolate(listed, True, 1e-6)
    curve.Perform()
    return BRepBuilderAPI_MakeWire(BRepBuilderAPI_MakeEdge(curve.Curve()).Edge()).Wire()


def lofted(r: random.Random) -> Any:
    loft, z = BRepOffsetAPI_ThruSections(True, r.random() < 0.3, 1e-6), 0.0
    for _ in range(r.randint(2, 4)):
        loft.AddWire(outline(r, z))
        z += r.uniform(10, 40)
    loft.Build()
    return loft.Shape()


KINDS: tuple[Callable[[random.Random], Any], ...] = (box_with_holes, box_with_fillets, revolved, lofted)


def drawn(seed: int) -> tuple[str, Any, Any]:
    """A valid solid: its kind, its shape and its exact integrals."""
    r, make = random.Random(seed), KINDS[seed % len(KINDS)]  # noqa: S311
    while True:
        try:
            (solid,) = within(make(r), "SOLID")
            found = measure_solid(solid)
            m = measure((found["vertices"], found["triangles"]), units="mm", repair="none")
        except Exception:  # noqa: S112  # no solid, or one that is refused; the kernel's errors have no base in common
            continue
        arrays = {f"{k}0": v for k, v in found.items() if isinstance(v, np.ndarray)}
        exact = exact_solid(arrays, found, 0)
        if not exact.problem and m.grade in ("proved", "certified"):
            return make.__name__, solid, exact


def deviation(faces: list[Any]) -> float:
    """The largest height of the surface above the middle of a facet or of its sides."""
    most = 0.0
    for shape in faces:
        face, p = TopoDS.Face(shape), gp.gp_Pnt()
        mesh = BRep_Tool.Triangulation_s(face, TopLoc_Location())
        surface = BRepAdaptor_Surface(face)
        nodes = [(q.X(), q.Y(), q.Z()) for q in map(mesh.Node, range(1, mesh.NbNodes() + 1))]
        uv = [(q.X(), q.Y()) for q in map(mesh.UVNode, range(1, mesh.NbNodes() + 1))]
        x, at = np.array(nodes), np.array(uv)
        count = mesh.NbTriangles()
        for i in range(1, count + 1, 1 + count // LOOKED_AT):
            corners = [mesh.Triangle(i).Value(k) - 1 for k in (1, 2, 3)]
            normal = np.cross(x[corners[1]] - x[corners[0]], x[corners[2]] - x[corners[0]])
            size = float(np.linalg.norm(normal))
            for weights in ((1 / 3, 1 / 3, 1 / 3), (0.5, 0.5, 0), (0, 0.5, 0.5), (0.5, 0, 0.5)) if size else ():
                u, v = np.array(weights) @ at[corners]
                surface.D0(u, v, p)
                height = (np.array([p.X(), p.Y(), p.Z()]) - x[corners[0]]) @ normal / size
                most = max(most, abs(float(height)))
    return most


def row(solid: Any, exact: ExactSolid, deflection: float) -> tuple[bool, float, float, float]:
    faces = list(within(solid, "FACE"))
    BRepTools.Clean_s(solid)
    tolerance = deflection * float(np.linalg.norm(np.ptp(exact.bounds, axis=0)))
    vertices, triangles, _ = triangles_of(solid, faces, tolerance, ANGLE)
    stl = (vertices / 1000).astype(np.float32)
    m = measure(
        (stl, triangles), units="m", density=1.0, chord_tolerance=tolerance / 1000, verify="closed", repair="none"
    )
    bound = m.uncertainty
    true = exact.moments.scaled(1e-3).recentred()
    inertia = np.trace(true.second) * np.eye(3) - true.second
    volume, tensor = abs(m.volume - true.measure), np.abs(m.inertia - inertia)
    holds = (
        volume <= bound.volume
        and (np.abs(m.center_of_mass - true.reference) <= bound.center_of_mass).all()
        and (tensor <= bound.inertia).all()
    )
    return (
        bool(holds),
        bound.volume / volume,
        float((bound.inertia.diagonal() / tensor.diagonal()).max()),
        deviation(faces) / tolerance,
    )


if __name__ == "__main__":
    given = [*map(int, words(__doc__))]
    parts, first = (*given, *(200, 0)[len(given) :])
    rows = []
    for seed in range(first, first + parts):
        name, solid, exact = drawn(seed)
        for deflection in DEFLECTIONS:
            rows.append((deflection, name, *row(solid, exact, deflection)))
            print(seed, *rows[-1], sep="\t", flush=True, file=sys.stderr)
    print(
        "| solid | deflection | held | bound of volume / change: median, most | of inertia, median | distance / deflection, most |"
    )
    print("|---|---|---|---|---|---|")
    for name in [make.__name__ for make in KINDS] + ["all"]:
        for deflection in DEFLECTIONS:
            some = [r for r in rows if r[0] == deflection and name in (r[1], "all")]
            if not some:  # few solids: none of this kind
                continue
            v, i = [r[3] for r in some], [r[4] for r in some]
            held = sum(r[2] for r in some)
            cells = f"{np.median(v):.1f}, {max(v):.0f} | {np.median(i):.1f} | {max(r[5] for r in some):.2f}"
            print(f"| {name.replace('_', ' ')} | {deflection:g} | {held} of {len(some)} | {cells} |")
