"""A scene as `viewer.js` draws it: packed meshes, lines and labels, in units of the radius of the scene about its middle.

Tests: `tests/writers/test_page.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from massprops.formats.escaping import plain
from massprops.measurement.output_units import OutputUnits
from massprops.moments.arrays import Array, determinant, length, product
from massprops.writers.page.geometry import MOST_FACETS, PackedMesh, pack
from massprops.writers.picture.drawing import STROKES
from massprops.writers.picture.scene import LIGHT, Marker, Scene, Solid

#: Layers that can be shown and hidden, and whether they are shown at first.
LAYERS = {
    "surface": ("surface", True),
    "com": ("centre of mass", True),
    "axes": ("principal axes", True),
    "ellipsoid": ("ellipsoid of equal inertia", False),
    "box": ("box of equal inertia", False),
    "bounds": ("bounds", False),
    "defects": ("defects", True),
}
#: Bad edges on a page, the facets that each of many solids may have, and the width of the mark of a defect, pixels.
_MOST_EDGES, _FEWEST_FACETS, _DEFECT = 1_000, 500, 9.0
#: Points from which on a line is thinned.
_FINE = 50


@dataclass(frozen=True, eq=False)
class ViewerScene:
    """A scene with packed meshes.

    Attributes
    ----------
    scene : Scene
        The scene; its solids need not be readable any more.
    meshes : list of PackedMesh
        Each once, however many solids share it.
    parts : list of dict
        Solids as the viewer reads them.
    links : list of str
        Names of the links of a robot. The parts of each are a group of their own.
    """

    scene: Scene
    meshes: list[PackedMesh] = field(default_factory=list)
    parts: list[dict[str, Any]] = field(default_factory=list)
    links: list[str] = field(default_factory=list)

    @classmethod
    def pack(cls, scene: Scene) -> Self:
        """The scene with its meshes made small; solids of one file share a mesh."""
        packed = cls(scene)
        most = max(_FEWEST_FACETS, MOST_FACETS // max(len(scene.solids), 1))
        known: dict[object, PackedMesh | None] = {}
        for solid in scene.solids:
            key = solid.file or solid
            if key not in known:
                known[key] = pack(solid, most)
                packed.meshes.extend(m for m in [known[key]] if m is not None)
            if (mesh := known[key]) is not None:
                packed.add(mesh, solid)
        return packed

    def add(self, mesh: PackedMesh, solid: Solid) -> None:
        """Add a solid with its packed mesh."""
        linear, offset = mesh.matrix[:, :3], mesh.matrix[:, 3]
        if solid.matrix is not None:
            turn = solid.matrix[:, :3]
            linear, offset = product(turn, linear), product(turn, offset) + solid.matrix[:, 3]
        if solid.link and solid.link not in self.links:
            self.links.append(solid.link)
        part = {"mesh": self.meshes.index(mesh), "tint": LIGHT[solid.colour], "mirrored": bool(determinant(linear) < 0)}
        part["matrix"] = _round(np.column_stack([linear / self.radius, self.at(offset)]), 9)
        self.parts.append(part | {"group": f"link-{self.links.index(solid.link)}" if solid.link else "surface"})

    @property
    def radius(self) -> float:
        """Half the diagonal of the bounds, m."""
        return length(self.scene.bounds[1] - self.scene.bounds[0]) / 2 or 1.0

    def at(self, points: ArrayLike) -> Array:
        """Points, m, in the coordinates of the viewer."""
        return np.asarray((np.asarray(points) - self.scene.bounds.mean(axis=0)) / self.radius)

    @property
    def groups(self) -> list[str]:
        """Layers that have something in them."""
        return [name for name in LAYERS if name in {"surface", *(layer for layer, _ in self._lines())}]

    def to_json(self, units: OutputUnits) -> str:
        """Data for the viewer, safe within a script element."""
        lines: dict[str, list[dict[str, Any]]] = {}
        for layer, line in self._lines():
            lines.setdefault(layer, []).append(line)
        labels: list[tuple[str, Array, str]] = [(s.layer, s.points[-1], s.label) for s in self.scene.strokes if s.label]
        labels += [(m.layer, m.point, m.name or m.number) for m in self._markers() if m.name or m.number]
        known = {
            "meshes": [{"vertices": m.vertices, "faces": m.faces, "data": m.data} for m in self.meshes],
            "parts": self.parts,
            "lines": lines,
            "labels": [{"group": g, "at": _round(self.at(p)), "text": plain(text)} for g, p, text in labels],
            "unit": [units.of(self.radius, (0, 1)), units.length],
            "bounds": _round(self.at(self.scene.bounds)),
            "middle": _round(np.array([units.of(x, (0, 1)) for x in self.scene.bounds.mean(axis=0)]), 9),
        }
        text = json.dumps(known, allow_nan=False, separators=(",", ":"))
        return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")

    def _markers(self) -> Iterator[Marker]:
        yield from (m for m in self.scene.markers if m.layer in LAYERS)

    def _lines(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Layers and polylines; one point is a disc of this width, or, if it is negative, the mark of a centre of mass."""
        edges = 0
        for s in self.scene.strokes:
            edges += s.layer == "defects"
            if edges <= _MOST_EDGES:
                points = s.points[:: 2 if len(s.points) > _FINE else 1]  # half of a circle's points are enough
                yield s.layer, self._line(points, s.colour, STROKES[s.layer][0])
        for m in self._markers():
            yield m.layer, self._line(m.point, m.colour, _DEFECT if m.number else -2 * m.radius)

    def _line(self, points: Array, colour: str, width: float) -> dict[str, Any]:
        return {"points": _round(self.at(points)), "tint": LIGHT[colour], "width": width}


def _round(values: Array, digits: int = 5) -> list[float]:
    return [float(f"{x:.{digits}g}") for x in np.asarray(values).ravel().tolist()]
