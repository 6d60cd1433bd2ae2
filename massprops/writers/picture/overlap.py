"""The region that several bodies of a mesh have in common: its outline, where facets cross, and lines through it.

Tests: `tests/writers/test_picture.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from massprops.findings import CrossingFacets, Finding
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.mesh.source import Triangles
from massprops.mesh.xray.line_crossings import Winding, xray
from massprops.mesh.xray.line_grid import Lattice
from massprops.writers.picture.scene import Stroke, bounds_of

#: Lines along the side of each family.
_LINES = 40


def overlap_strokes(mesh: Triangles, scale: float, findings: Iterable[Finding]) -> Iterator[Stroke]:
    """Lines of the common region of a mesh that overlaps, m, with its findings; `scale`: metres per unit of the file."""
    lattice = Lattice.affordable(bounds_of(mesh.chunks()), IndexedMesh.of(mesh).area, _LINES, 0, jittered=False)
    for family, crossings in enumerate(xray(mesh, lattice)):
        winding = Winding.along(crossings)
        inside = np.flatnonzero(winding.w > 1)
        is_new = np.diff(inside, prepend=-2) > 1  # one stroke for all pieces of a line that follow each other
        is_new[1:] |= np.diff(winding.line[inside]) != 0
        for i, j in zip(inside[is_new], inside[np.roll(is_new, -1)], strict=True):
            line = int(winding.line[i])
            ends = [lattice.point(family, line, float(depth)) for depth in (winding.start[i], winding.stop[j])]
            yield Stroke(np.array(ends) * scale, "defects", "overlap")
    for found in findings:
        if isinstance(found, CrossingFacets):
            yield from (Stroke(ends, "defects", "defect") for ends in found.segments)
