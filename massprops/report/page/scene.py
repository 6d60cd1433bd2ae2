"""What the viewer of a page shows: packed meshes, lines and labels, in units of the radius of the scene about its middle."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from massprops.findings import Finding
from massprops.formats.escaping import plain
from massprops.measurement.output_units import OutputUnits
from massprops.moments.arrays import Array, determinant
from massprops.report.outlines import axes_lines, bounds_edges, equivalent_lines
from massprops.report.page.geometry import PackedMesh
from massprops.report.picture.raster import Colour
from massprops.report.picture.scene import LIGHT
from massprops.rigid_body.mass_properties import MassProperties

#: What can be shown and hidden, and whether it is shown at first.
GROUPS = {
    "surface": ("surface", True),
    "com": ("centre of mass", True),
    "axes": ("principal axes", True),
    "ellipsoid": ("ellipsoid of equal inertia", False),
    "box": ("box of equal inertia", False),
    "bounds": ("bounds", False),
    "defects": ("defects", True),
}
#: Directions around the circles of an ellipsoid.
_SEGMENTS = 48
#: Bad edges that are drawn.
_MOST_EDGES = 1_000


@dataclass
class Scene:
    """A scene; `center`, m, and `radius`, m, are the middle and the half diagonal of its bounds, shape (2, 3)."""

    bounds: Array
    center: Array
    radius: float
    meshes: list[PackedMesh] = field(default_factory=list)
    parts: list[dict[str, Any]] = field(default_factory=list)
    lines: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    labels: list[dict[str, Any]] = field(default_factory=list)
    links: list[str] = field(default_factory=list)

    @classmethod
    def around(cls, bounds: Array) -> Self:
        """An empty scene with these bounds."""
        radius = float(np.linalg.norm(bounds[1] - bounds[0])) / 2
        return cls(bounds, bounds.mean(axis=0), radius or 1.0)

    def at(self, points: ArrayLike) -> Array:
        """Points, m, in the coordinates of the scene."""
        return np.asarray((np.asarray(points) - self.center) / self.radius)

    def add(self, mesh: PackedMesh, matrix: Array, tint: Colour, link: str = "") -> None:
        """A packed mesh; `matrix`, shape (3, 4), leads from its whole numbers to metres."""
        if mesh not in self.meshes:
            self.meshes.append(mesh)
        if link and link not in self.links:
            self.links.append(link)
        whole = np.column_stack([matrix[:, :3] / self.radius, self.at(matrix[:, 3])])
        part = {"mesh": self.meshes.index(mesh), "matrix": _rounded(whole, 9), "tint": tint}
        part |= {"mirrored": bool(determinant(matrix[:, :3]) < 0), "group": self.group(link) if link else "surface"}
        self.parts.append(part)

    def group(self, link: str) -> str:
        """The name of the group of a link."""
        return f"link-{self.links.index(link)}"

    def line(self, group: str, points: ArrayLike, tint: Colour, width: float) -> None:
        """A polyline through points, m, or a disc of this width at one point; a negative one is the mark of a centre of mass."""
        line = {"points": _rounded(self.at(points)), "tint": tint, "width": width}
        self.lines.setdefault(group, []).append(line)

    def label(self, group: str, point: ArrayLike, text: str) -> None:
        """A text beside a point, m."""
        self.labels.append({"group": group, "at": _rounded(self.at(point)), "text": plain(text)})

    def mark_link(self, name: str, com: Array, width: float) -> None:
        """The centre of mass of a link."""
        self.line("com", [com], LIGHT.faint, -width)
        self.label("com", com, name)

    def show(
        self, body: MassProperties | None, bounds: Array, findings: Sequence[Finding], edges: Array | None = None
    ) -> None:
        """Bounds, the centre, axes and equivalent solids of a body, and the places of findings with their numbers."""
        self._lines("bounds", bounds_edges(bounds), LIGHT.faint, 1.0)
        if body is not None:
            self._show_body(body)
        for edge in () if edges is None else edges[:_MOST_EDGES]:
            self.line("defects", edge, LIGHT.defect, 2.5)
        for number, f in enumerate(findings, 1):
            if (place := place_of(f)) is not None:
                self.line("defects", [place], LIGHT.defect, 9.0)
                self.label("defects", place, str(number))

    def _show_body(self, body: MassProperties) -> None:
        for i, (ends, colour) in enumerate(zip(axes_lines(body, self.radius), LIGHT.axes, strict=True), 1):
            self.line("axes", ends, colour, 2.5)
            self.label("axes", ends[1], f"I{i}")
        self.line("com", [body.com], LIGHT.faint, -16.0)
        self._lines("box", equivalent_lines(body, "box", _SEGMENTS), LIGHT.equivalent, 1.5)
        self._lines("ellipsoid", equivalent_lines(body, "ellipsoid", _SEGMENTS), LIGHT.equivalent, 1.5)

    def _lines(self, group: str, lines: Sequence[Array], tint: Colour, width: float) -> None:
        for points in lines:
            self.line(group, points, tint, width)

    @property
    def groups(self) -> list[str]:
        """Those that have something in them."""
        return [name for name in GROUPS if name in self.lines or name == "surface"]

    def to_json(self, units: OutputUnits) -> str:
        """For the viewer, safe within a script element."""
        known = {
            "meshes": [mesh.to_dict() for mesh in self.meshes],
            "parts": self.parts,
            "lines": self.lines,
            "labels": self.labels,
            "unit": [units.of(self.radius, (0, 1)), units.length],
        }
        text = json.dumps(known, allow_nan=False, separators=(",", ":"))
        return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def place_of(finding: Finding) -> tuple[float, ...] | None:
    """The point of a finding, m; None if it has none."""
    where = finding.where
    return where if isinstance(where, tuple) and len(where) == 3 else None


def _rounded(values: Array, digits: int = 5) -> list[float]:
    return [float(f"{x:.{digits}g}") for x in np.asarray(values).ravel().tolist()]
