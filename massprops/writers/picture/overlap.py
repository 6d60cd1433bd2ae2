"""The region that several bodies of a mesh have in common: its outline, where facets cross, and lines through it.

Tests: `tests/writers/test_picture.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import numpy as np

from massprops.mesh.box_tree import TooManyPairs
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.mesh.proof.embedding import embedding_of
from massprops.mesh.source import Triangles
from massprops.mesh.xray.line_crossings import Winding, xray
from massprops.mesh.xray.line_grid import Lattice
from massprops.moments.arrays import Array
from massprops.writers.picture.scene import Stroke, bounds_of

#: Lines along the side of each family, and pairs of facets whose boxes are compared.
_LINES, _MOST_PAIRS = 40, 500_000


def overlap_strokes(mesh: Triangles, scale: float) -> Iterator[Stroke]:
    """Lines of the common region of a mesh that overlaps, m; `scale`: metres per unit of the file."""
    indexed = IndexedMesh.of(mesh)
    lattice = Lattice.affordable(bounds_of(mesh.chunks()), indexed.area, _LINES, 0, jittered=False)
    for family, crossings in enumerate(xray(mesh, lattice)):
        winding = Winding.along(crossings)
        inside = np.flatnonzero(winding.w > 1)
        is_new = np.diff(inside, prepend=-2) > 1  # one stroke for all pieces of a line that follow each other
        is_new[1:] |= np.diff(winding.line[inside]) != 0
        for i, j in zip(inside[is_new], inside[np.roll(is_new, -1)], strict=True):
            line = int(winding.line[i])
            ends = [lattice.point(family, line, float(depth)) for depth in (winding.start[i], winding.stop[j])]
            yield Stroke(np.array(ends) * scale, "defects", "overlap")
    with suppress(TooManyPairs):
        pairs = embedding_of(indexed, _MOST_PAIRS).crossings
        yield from (Stroke(ends * scale, "defects", "defect") for ends in common_segments(*indexed.corners[pairs.T]))


def common_segments(first: Array, second: Array) -> Array:
    """The segments that pairs of crossing triangles, shape (n, 3, 3) each, have in common, shape (n, 2, 3).

    Both planes meet in a line; the edges of either triangle that cross the plane of the other do so on it, at two places each: the
    segment is between the second and the third of these four.
    """
    found = np.concatenate([_on_plane(first, second), _on_plane(second, first)], axis=1)
    along = np.argmax(np.ptp(found, axis=1), axis=1)
    order = np.argsort(np.take_along_axis(found, along[:, None, None], axis=2)[:, :, 0], axis=1)
    return np.take_along_axis(found, order[:, 1:3, None], axis=1)


def _on_plane(triangles: Array, others: Array) -> Array:
    """The two points, shape (n, 2, 3), at which edges of triangles cross the planes of the others."""
    normal = np.cross(others[:, 1] - others[:, 0], others[:, 2] - others[:, 0])
    height = ((triangles - others[:, :1]) * normal[:, None]).sum(axis=2)
    alone = np.argmin(height * (height.sum(axis=1, keepdims=True) - height), axis=1)  # the corner on a side by itself
    turned = (alone[:, None] + np.arange(3)) % 3
    corners = np.take_along_axis(triangles, turned[:, :, None], axis=1)
    height = np.take_along_axis(height, turned, axis=1)
    fall = height[:, :1] - height[:, 1:]
    share = np.divide(height[:, :1], fall, out=np.zeros_like(fall), where=fall != 0)
    return np.asarray(corners[:, :1] + share[:, :, None] * (corners[:, 1:] - corners[:, :1]))
