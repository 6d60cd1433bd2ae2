"""The cost of exporting a STEP solid as facets: how far these are from its surfaces, and with which deflection they were made.

Tests: `tests/comparison/test_export_cost.py`.
"""

from __future__ import annotations

import math

import numpy as np

from massprops.comparison.compared_body import ComparedBody
from massprops.errors import MasspropsError
from massprops.formats.files import MESH_LIMIT, open_file
from massprops.formats.registry import open_mesh
from massprops.json_values import json_object
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.moments.arrays import Array
from massprops.units import length_unit
from massprops.values import dataclass

#: Facets that are looked at: half of them where neighbours turn most, half of them evenly.
MOST_FACETS = 300
#: The deflection is between these multiples of the largest chord, if no limit of the angle made the facets finer: see docs/step.md.
LOW, HIGH = 0.9, 2.5
#: Corners of an export are this close to its surfaces, of the size: STL is in single precision, and STEP has tolerances.
_PLACED = 1e-4
#: Facets meet smoothly up to this angle, rad.
_SMOOTH = 0.8


@dataclass(frozen=True)
class ExportCost:
    """Distance of facets from the exact surfaces.

    Attributes
    ----------
    chord : float
        The largest distance of the middle of an edge, m.
    angle : float
        Angle between neighbouring facets where surfaces are curved, the median of those that turn most, degrees.
    facets : int
        Number of facets whose edges were looked at.
    """

    chord: float
    angle: float
    facets: int

    @property
    def deflection(self) -> tuple[float, float]:
        """Least and largest deflection that the facets were probably made with, m; a coarser one, if the angle was limited."""
        return LOW * self.chord, HIGH * self.chord

    def to_dict(self) -> dict[str, object]:
        """The cost as the JSON schema spells it."""
        return json_object(self, "chord deflection angle facets")


def export_cost(before: ComparedBody, after: ComparedBody) -> ExportCost | None:
    """The cost where one of two files has exact surfaces and the other one facets.

    None for others, where the kernel fails, and where the corners of the facets are not on the surfaces: such a mesh is of another size,
    place or body, and says nothing of a deflection.
    """
    exact, mesh = (before, after) if before.kind == "surfaces" else (after, before)
    if (exact.kind, mesh.kind) != ("surfaces", "facets"):
        return None
    from massprops.formats.mesh.step import distances

    try:
        with open_mesh(mesh.place) as opened:
            corners, angle = chosen_facets(IndexedMesh.of(opened).with_area())
        middles = (corners + np.roll(corners, -1, axis=1)).reshape(-1, 3) / 2
        points = np.concatenate([middles, corners[:, 0]])
        with open_file(exact.place, MESH_LIMIT) as file:
            found = distances(file, points * (length_unit(mesh.unit) / length_unit(exact.unit)))
    except MasspropsError:
        return None
    chord, off = (float(x.max()) * length_unit(exact.unit) for x in np.split(found, [len(middles)]))
    if off > max(chord / 2, _PLACED * exact.size):
        return None
    return ExportCost(chord, math.degrees(angle), len(corners)) if math.isfinite(chord) else None


def chosen_facets(mesh: IndexedMesh) -> tuple[Array, float]:
    """Corners of some facets, shape (n, 3, 3), half of them where neighbours turn most; and the median angle of those, rad."""
    normals = mesh.normals()
    areas = np.linalg.norm(normals, axis=1)
    one, other = mesh.shared_edges()[1]
    across = np.linalg.norm(np.cross(normals[one], normals[other]), axis=1)
    angles = np.arctan2(across, (normals[one] * normals[other]).sum(axis=1))
    angles[angles > _SMOOTH] = 0.0
    turned = np.zeros(len(areas))
    for facets in (one, other):
        np.maximum.at(turned, facets, angles)
    # a sagitta is about an eighth of the angle times the width
    most = np.argsort(-turned * np.sqrt(areas))[: MOST_FACETS // 2]
    even = np.linspace(0, len(areas) - 1, min(len(areas), MOST_FACETS // 2)).astype(int)
    return mesh.corners[np.union1d(most, even)], float(np.median(turned[most]))
