"""How far the integral over an open surface can be from that of the body, whose missing patches its loops can hide.

Every loop of open edges is closed by the cone to its centre; what the true patch can enclose beside that is bounded by the hull of the loop
and the tangent planes of its rim, at most by the loop's ball: see `massprops.mesh.repair.holes`, which states the assumption.
"""

from __future__ import annotations

from massprops.mesh.repair.bounds import Bound
from massprops.mesh.repair.holes import filled
from massprops.mesh.repair.indexed import IndexedMesh
from massprops.mesh.source import MeshSource
from massprops.mesh.surface import Surface
from massprops.moments.integrals import Array


def open_bound(mesh: MeshSource, reference: Array) -> Bound:
    """What can be wrong in the integrals of an open surface about `reference`, shape (3,), in file units: its fills, and what they miss."""
    surface = IndexedMesh.of(mesh)
    found = filled(surface, reference)
    fill = Surface.of(found.mesh.corners[len(surface.faces) :], reference).solid
    added = Bound(abs(fill.measure), abs(fill.first), abs(fill.second))
    return sum((step.bound for step in found.steps), added)
