"""Defects of a surface that is not closed: edges, loops and places. Imported only when the boundary certificate fails.

Vertices are distinguished by the bits of their positions, as the certificate does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from massprops.findings import Finding, point_text
from massprops.mesh.connectivity import bounds_of_groups, components
from massprops.moments.arrays import Array, Index, length
from massprops.values import dataclass

if TYPE_CHECKING:
    from massprops.mesh.enclosed_solid import MeshSurface
    from massprops.mesh.indexed_mesh import IndexedMesh


@dataclass(frozen=True)
class DefectLoop:
    """A connected set of bad edges: its number of edges, the middle and the diagonal of its bounding box (file units)."""

    edges: int
    center: tuple[float, float, float]
    width: float


@dataclass(frozen=True)
class EdgeDefect:
    """Edges that break one rule.

    Attributes
    ----------
    code : str
        `open-edges`, `inconsistent-winding` or `non-manifold-edges`.
    edges, total : int
        How many edges break the rule, of how many.
    loops : int
        In how many connected sets.
    largest : DefectLoop
        The widest of them, of equal ones the first in the file.
    """

    code: str
    edges: int
    total: int
    loops: int
    largest: DefectLoop

    def finding(self, surface: MeshSurface) -> Finding:
        """The defect of a surface as a finding, with places in metres."""
        where = surface.in_metres(self.largest.center)
        size = f"{self.largest.width * surface.scale:.3g}\xa0m wide, near {point_text(where)}"
        loops = "in 1 loop," if self.loops == 1 else f"in {self.loops} loops, the largest"
        message = f"{self.edges} of {self.total} edges {_RULES[self.code]}, {loops} {size}"
        return Finding(self.code, "error", message, self.edges, 0, where)


_RULES = {
    "open-edges": "belong to one face only",
    "inconsistent-winding": "are traversed twice in the same direction: adjacent faces have opposite orientation",
    "non-manifold-edges": "join three faces or more without cancelling",
}


def diagnose(mesh: IndexedMesh) -> list[EdgeDefect]:
    """Defects of a surface that is not closed, worst kind first."""
    total, bad = _bad_edges(mesh)
    return [_defect(code, total, ends, mesh.points) for code, ends in bad.items() if len(ends)]


def bad_edges(mesh: IndexedMesh) -> Array:
    """The edges that break a rule, shape (n, 2, 3)."""
    return np.asarray(mesh.points[np.concatenate([*_bad_edges(mesh)[1].values()])])


def _bad_edges(mesh: IndexedMesh) -> tuple[int, dict[str, Index]]:
    """How many undirected edges there are; and by kind the ends, shape (n, 2), of those that do not cancel, in the order of the file."""
    edges = mesh.sorted_edges
    bad = np.flatnonzero(edges.net)
    bad = bad[np.argsort(edges.order[edges.heads[bad]])]
    ends, count = np.sort(np.stack(mesh.ends(edges.order[edges.heads[bad]]), axis=1), axis=1), edges.count[bad]
    kinds = zip(_RULES, (count == 1, count == 2, count > 2), strict=True)
    return len(edges.heads), {code: ends[members] for code, members in kinds}


def _defect(code: str, total: int, ends: Index, points: Array) -> EdgeDefect:
    vertices, own = np.unique(ends, return_inverse=True)
    one, other = own.reshape(-1, 2).T
    _, first, group = np.unique(components(len(vertices), one, other)[one], return_index=True, return_inverse=True)
    low, high = bounds_of_groups(points[ends.T.reshape(-1)], np.tile(group, 2), len(first))
    widths = np.linalg.norm(high - low, axis=1)
    widest = int(np.lexsort((first, -widths))[0])
    x, y, z = ((low[widest] + high[widest]) / 2).tolist()
    largest = DefectLoop(int((group == widest).sum()), (x, y, z), length(high[widest] - low[widest]))
    return EdgeDefect(code, len(ends), total, len(first), largest)
