"""The solid of a surface of which much is missing, where its generalized winding number separates inside from outside.

At a point the winding number of the open surface is that of the closed one, a whole number that a line through the closed one tells, less
the solid angle of the fills over 4π (Jacobson and others 2013, ACM Transactions on Graphics 32: 33). So only the fills are summed for
each point, and what is estimated is only where both differ.

Tests: `tests/mesh/test_winding_estimate.py`.
"""

from __future__ import annotations

import math

import numpy as np

from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.mesh.source import Triangles
from massprops.mesh.surface import Surface, total
from massprops.mesh.xray.line_crossings import Crossings, xray
from massprops.mesh.xray.line_grid import Lattice
from massprops.mesh.xray.verdict import ALPHA
from massprops.moments.arrays import Array, product, winding_numbers
from massprops.moments.integrals import Moments
from massprops.moments.uncertainty import Spread, hidden

#: Lines per side of each of three families, with a point on each line: 10,092 points.
_LINES = 58
POINTS = 3 * _LINES**2
#: Fills whose solid angles are summed at each point: two seconds.
MOST_FILLS = 2000
#: Where the winding number is nearer to 1/2 than this, a point can be inside or outside.
UNDECIDED = 0.2
#: Standard deviations that leave a probability of `ALPHA` on both sides.
_SIGMAS = 3.3
#: Fractional part of the golden ratio: depths on neighbouring lines are far apart.
_GOLDEN = (math.sqrt(5) - 1) / 2


def solid_by_winding(mesh: Triangles, closed: IndexedMesh, fills: int) -> tuple[Moments, Spread]:
    """Moments of the points with a winding number above 1/2, and their bounds, file units.

    Parameters
    ----------
    mesh : Triangles
        The triangles of the closed surface.
    closed : IndexedMesh
        The same.
    fills : int
        How many of them, the last, are not in the file.

    Returns
    -------
    tuple of Moments and Spread
        The bound has all points that are not decided, and the error of the sample with 99.9 % confidence.
    """
    surface = total(Surface.of(c, closed.points[0]) for c in mesh.chunks())
    lattice = Lattice.over(surface.bounds, _LINES, surface.seed)
    found = [_points_on(crossings, k, lattice) for k, crossings in enumerate(xray(mesh, lattice))]
    points, wound = np.concatenate([p for p, _ in found]), np.concatenate([w for _, w in found])
    w = wound - winding_numbers(points, closed.corners[len(closed.faces) - fills :])
    weight = float(np.prod(lattice.cell)) * _LINES**3 / len(points)
    change = (w > 0.5).astype(np.float64) - wound
    arm = points - surface.reference
    solid = surface.solid + Moments(
        float(change.sum()) * weight,
        (change[:, np.newaxis] * arm).sum(axis=0) * weight,
        product((change[:, np.newaxis] * arm).T, arm) * weight,
        surface.reference,
    )
    sampled = _SIGMAS * math.sqrt(len(points)) * float(change.std()) - math.log(ALPHA)
    undecided = (np.abs(w - 0.5) < UNDECIDED) | (w < UNDECIDED - 0.5)
    return solid, hidden(solid, surface.bounds, (float(undecided.sum()) + sampled) * weight)


def _points_on(crossings: Crossings, k: int, lattice: Lattice) -> tuple[Array, Array]:
    """A point on each line of family k, file units, and the winding number there."""
    count = lattice.lines**2
    place = lattice.places[k]
    depth = np.mod(np.arange(count) * _GOLDEN + place.sum(axis=0), 1.0) * lattice.lines
    ahead = crossings.depth < depth[crossings.line]
    wound = np.bincount(crossings.line[ahead], weights=crossings.change[ahead], minlength=count)
    q = np.empty((count, 3))
    q[:, k], q[:, (k + 1) % 3], q[:, (k + 2) % 3] = depth, place[0], place[1]
    return product(lattice.low + q * lattice.cell, lattice.rotation), wound.astype(np.float64)
