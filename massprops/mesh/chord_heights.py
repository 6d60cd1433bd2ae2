"""The effect of a chord tolerance on a solid: each facet is bounded by the tolerance and by the angles to its
neighbours.

Assumptions, as CAD exporters guarantee them: the vertices lie on the true surface, and no facet is further from it
than the tolerance δ. The true surface has no detail between the vertices that the angles between the facets do not
show.

**Sharp edges.** Let two facets meet at the angle θ (between their normals); the narrower has the width w across the
edge. Where the true surface is smooth, that facet is the chord of an arc with sagitta (w/2) tan(θ/4). If this exceeds
2 δ, the edge is taken as an edge of the true surface, and its angle says nothing about the facets. The factor 2
allows for widths and curvatures that differ from facet to facet.

**Borders of flat faces.** A facet that is coplanar with a neighbour and more than four times as wide as another
neighbour belongs to a flat face (or to a straight one, as the side of a cylinder is along its axis) that ends there,
tangent to a fillet. The angle belongs to the fillet: it is ignored for the wide facet, not for the narrow one.

**Slopes.** Over a facet, the true surface is in no direction steeper, up or down, than the steepest of the facets
around it. These are its neighbours across edges that are neither sharp nor borders, and the neighbours of such a
neighbour where the angle to it is less than 0.9 of the next angle: the other half of a plane quadrilateral, or a
sliver, does not show the curvature. Along the edge from vertex i to vertex j the surface therefore rises by at most
s_ij = max |n·(p_j − p_i)| / (n·n₀), n the normals of these facets and n₀ that of the facet itself.

**Height.** The height h of the true surface above the facet is zero at the vertices. In barycentric coordinates λ, x
− p_i = λ_j (p_j − p_i) + λ_k (p_k − p_i), hence |h| ≤ λ_j s_ij + λ_k s_ik for each vertex i. The mean of the three
with weights λ_i is also a bound:

    |h| ≤ Q = 2 (λ₀λ₁ s₀₁ + λ₁λ₂ s₁₂ + λ₂λ₀ s₂₀)        and |h| ≤ δ.

Q is zero in a flat face. On a cylinder of equal strips it is 4 h: the true slope at an edge is half of the
neighbour's, and h has λ_i λ_j once.

**Integrals.** To first order, ∫ q dV changes by at most ∫ min(Q, δ) |q| dA, which is at most the lesser of the
integrals with Q and with δ:

    ∫ Q dA = A (s₀₁ + s₁₂ + s₂₀) / 6        ∫ Q x² dA = A Σ s_ij [(x₀ + x₁ + x₂)² + x_i² + x_j² + (x_i + x_j)²] / 90

about the centroid of the solid. First and mixed moments follow by Cauchy and Schwarz, as in
`moments.uncertainty.displacement`.
"""

from __future__ import annotations

import numpy as np

from massprops.mesh.connectivity import Index
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.mesh.source import Triangles
from massprops.moments.arrays import Array
from massprops.moments.integrals import Moments
from massprops.moments.uncertainty import Spread

#: Above this number of facets, the bound is δ times the area, which needs no neighbours.
MOST_FACETS = 500_000
#: An edge is sharp if an arc in its place has a sagitta of more than this many tolerances.
_SAGITTA = 2.0
#: A flat face ends where its facet is this many times as wide as the neighbour; coplanar: at an angle below this share of that neighbour's.
_WIDER, _COPLANAR = 4.0, 0.01
#: The neighbour of a neighbour counts where the angle to the first is below this share of the next angle.
_LESS = 0.9
#: Stands for a slope that nothing bounds, in tolerances.
_UNBOUNDED = 1e9


def chord_displacement(mesh: Triangles, solid: Moments, distance: float) -> Spread:
    """Bounds of what lies between the facets and the true surface through their vertices, which is up to `distance` away."""
    facets = IndexedMesh.of(mesh).with_area()
    rises = _rises(facets, distance)
    # relative to the reference first: far away, a centroid is rounded more than its distance to the corners
    p = (facets.corners - solid.reference) - solid.first / solid.measure
    area = np.linalg.norm(facets.normals(), axis=1) / 2
    total, sides = p.sum(axis=1), p + np.roll(p, -1, axis=1)
    squares = total**2 + (p**2).sum(axis=1)
    weighted = p**2 + np.roll(p, -1, axis=1) ** 2 + sides**2 + total[:, np.newaxis] ** 2
    volume = float((area * np.minimum(rises.sum(axis=1) / 6, distance)).sum())
    by_rises = np.einsum("fs,fsx->fx", rises, weighted) / 90
    second = (area[:, np.newaxis] * np.minimum(by_rises, distance * squares / 12)).sum(axis=0)
    root = np.sqrt(second)
    return Spread(volume, np.sqrt(volume) * root / abs(solid.measure), np.outer(root, root))


def _rises(mesh: IndexedMesh, distance: float) -> Array:
    """How far the true surface can rise or fall along the edges of each facet, shape (F, 3): s₀₁, s₁₂, s₂₀."""
    corners, normals = mesh.corners, mesh.normals()
    sides = np.roll(corners, -1, axis=1) - corners
    double_area = np.linalg.norm(normals, axis=1)
    normals /= double_area[:, np.newaxis]
    across, alone = _across(mesh)
    length = np.linalg.norm(sides, axis=2)
    width, other = double_area[:, np.newaxis] / length, double_area[across] / length
    there, here = normals[across], normals[:, np.newaxis]
    angle = np.arctan2(np.linalg.norm(np.cross(there, here), axis=2), (there * here).sum(axis=2))
    sharp = np.minimum(width, other) / 2 * np.tan(angle / 4) > _SAGITTA * distance
    border = (width > _WIDER * other) & (angle.min(axis=1, keepdims=True) < _COPLANAR * angle)
    itself = np.arange(len(across))[:, np.newaxis]
    near = np.where(sharp | border, itself, across)
    beyond = np.where(angle[:, :, np.newaxis] < _LESS * angle[near], near[near], itself[:, :, np.newaxis])
    most = _UNBOUNDED * distance
    rises = np.zeros((len(near), 3))
    for reached in np.concatenate([near, beyond.reshape(-1, 9)], axis=1).T:
        this = np.flatnonzero(reached != itself[:, 0])
        n, own = normals[reached[this]], normals[this]
        cosine = np.einsum("fx,fx->f", n, own)[:, np.newaxis]
        rise = np.abs(np.einsum("fsx,fx->fs", sides[this], n))
        rise = np.where(cosine > 0, rise / np.where(cosine > 0, cosine, 1.0), most)
        rises[this] = np.maximum(rises[this], rise)
    rises[alone] = most
    return np.minimum(rises, most)


def _across(mesh: IndexedMesh) -> tuple[Index, Index]:
    """The neighbour across each edge, shape (F, 3); and the facets with an edge that is not shared by exactly two facets."""
    places, facets, _ = mesh.shared_edges()
    # no edge is left out: a facet with an area has no two equal vertices
    across = np.repeat(np.arange(len(mesh.faces)), 3)
    alone = np.ones(len(across), dtype=bool)
    across[places], alone[places] = facets[::-1], False
    return across.reshape(-1, 3), np.flatnonzero(alone.reshape(-1, 3).any(axis=1))
