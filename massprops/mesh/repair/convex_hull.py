"""The convex hull of a mesh, by Qhull through scipy (an extra).

Tests: `tests/mesh/test_repaired_solid.py`.
"""

from __future__ import annotations

import numpy as np

from massprops.errors import InvalidGeometry, Remedy, needing
from massprops.mesh.source import Triangles
from massprops.moments.integrals import Array


def convex_hull(mesh: Triangles) -> Array:
    """Triangles of the convex hull, shape (n, 3, 3), wound outward, in file units.

    Raises
    ------
    MissingExtra
        If scipy is not installed.
    InvalidGeometry
        If all vertices lie in one plane.
    """
    with needing("hull", "the convex hull needs scipy"):
        from scipy.spatial import ConvexHull, QhullError
    points = np.concatenate([c.reshape(-1, 3) for c in mesh.chunks()]).astype(np.float64)
    try:
        hull = ConvexHull(points)
    except QhullError as error:
        what = "the vertices have no convex hull with a volume: they lie in one plane or nearly"
        hint = Remedy("choose {} for a sheet", "on_open=shell")
        raise InvalidGeometry(what, code="zero-volume", hint=hint, place=mesh.name) from error
    return _outward(points[hull.simplices], hull.equations[:, :3])


def _outward(corners: Array, normals: Array) -> Array:
    """Qhull orders the corners of a facet arbitrarily: turn those round that do not agree with its outward normal."""
    a, b, c = corners.transpose(1, 0, 2)
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), normals) < 0
    corners[inward] = corners[inward][:, ::-1]
    return corners
