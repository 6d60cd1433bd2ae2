"""The exact union of overlapping bodies, by manifold3d (an extra), guarded: it changes some inputs without a word."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops.mesh.source import CHUNK, MeshSource
from massprops.mesh.surface import Surface, total
from massprops.mesh.xray.crossings import Index
from massprops.moments.integrals import Array, Moments
from massprops.moments.uncertainty import Spread, displacement

#: The library's own volume of a part may differ from ours by this share; else it has changed the part, and its union is not believed.
AGREEMENT = 1e-6


def exact_union(
    mesh: MeshSource, labels: Index, factors: NDArray[np.int8], reference: Array
) -> tuple[Moments, Spread, float] | None:
    """Moments of the union of the parts of a surface, about `reference`, shape (3,), in file units; how far they can be off; its area.

    Parameters
    ----------
    mesh : MeshSource
        The triangles.
    labels : ndarray of int, shape (facets,)
        The part that every facet belongs to.
    factors : ndarray of int8, shape (parts,)
        0 leaves a part out, −1 turns it round. A part that looks inward is cut out of the union of the others.
    reference : ndarray, shape (3,)
        What the moments are taken about.

    Returns
    -------
    tuple of Moments, Spread and float, or None
        The spread is what moving the surface by the library's own tolerance changes. None where the library is not installed,
        does not take a part, or does not agree about its volume.
    """
    try:
        import manifold3d
    except ImportError:
        return None
    triangles = np.concatenate(list(mesh.chunks())).astype(np.float64)
    solids: list[Any] = []
    holes: list[Any] = []
    for part in np.flatnonzero(factors):
        corners = triangles[labels == part][:, :: factors[part]]
        volume = total(Surface.of(c, reference) for c in _chunks(corners)).solid.measure
        body = _believed(manifold3d, corners[:, :: 1 if volume > 0 else -1], abs(volume))
        if body is None:
            return None
        (solids if volume > 0 else holes).append(body)
    operation = manifold3d.OpType
    union = manifold3d.Manifold.batch_boolean(solids, operation.Add)
    if holes:
        union = union - manifold3d.Manifold.batch_boolean(holes, operation.Add)
    result = union.to_mesh64()
    points, faces = np.asarray(result.vert_properties)[:, :3], np.asarray(result.tri_verts).astype(np.intp)
    surface = total(Surface.of(c, reference) for c in _chunks(points[faces]))
    return surface.solid, displacement(surface.solid, surface.sheet, union.get_tolerance()), surface.sheet.measure


def _believed(manifold3d: Any, corners: Array, volume: float) -> Any | None:
    """The library's body for one part, if it is still the part."""
    points, faces = np.unique(corners.reshape(-1, 3) + 0.0, axis=0, return_inverse=True)
    mesh = manifold3d.Mesh64(points, faces.reshape(-1, 3).astype(np.uint64))
    body = manifold3d.Manifold(mesh)
    if body.status() != manifold3d.Error.NoError or abs(body.volume() - volume) > AGREEMENT * volume:
        return None
    return body


def _chunks(corners: Array) -> Iterable[Array]:
    for start in range(0, len(corners), CHUNK):
        yield corners[start : start + CHUNK]
