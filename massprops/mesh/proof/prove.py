"""Findings of a proof: the facets that cross or touch, with their places.

Tests: `tests/mesh/test_proof.py`.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from massprops.findings import CrossingFacets, Finding, point_text
from massprops.mesh.box_tree import NO_LIMIT, Index, TooManyPairs
from massprops.mesh.enclosed_solid import MeshSurface
from massprops.mesh.indexed_mesh import NumberedFacets
from massprops.mesh.proof.embedding import Embedding, embedding_of
from massprops.mesh.proof.tiles import SIZE
from massprops.moments.arrays import Array
from massprops.wording import plural

#: Pairs of facets with boxes that meet, for each facet and besides: an X-ray is cheaper than to compare more.
_FEW, _SOME = 16, 1_500_000
#: Pairs of facets that are named, and those whose common segments a picture shows.
_NAMED, _DRAWN = 10, 20_000


def prove(surface: MeshSurface, *, patient: bool = True, outward: bool = False) -> tuple[bool, tuple[Finding, ...]]:
    """Whether a closed surface has a winding number of 0 or 1 everywhere, and the facets that cross or touch.

    Parameters
    ----------
    surface : MeshSurface
        A closed surface.
    patient : bool
        Whether to compare pairs of any number; else nothing is proved where thousands of facets meet in one corner or in one place.
    outward : bool
        Whether the volume is known to be positive.
    """
    most = NO_LIMIT if patient else _FEW * surface.gathered.facets + _SOME
    jobs, found = surface.mesh.jobs, None
    with suppress(TooManyPairs):
        # with the numbers of the file: equal points with several would make an open edge or a contact, and are looked for then
        if (read := NumberedFacets.as_read(surface.mesh, surface.gathered.bounds, SIZE)) is not None:
            found = embedding_of(read, most, outward=outward, jobs=jobs, patient=False)
    try:
        if found is None or not found.closed or len(found.contacts):
            found = embedding_of(surface.numbered, most, outward=outward, jobs=jobs)
    except TooManyPairs:
        return False, ()
    if len(found.crossings):
        return False, _crossings(surface, found)
    return found.winds_once, _contacts(surface, found) if len(found.contacts) else ()


def _crossings(surface: MeshSurface, found: Embedding) -> tuple[Finding, ...]:
    one, other = found.part[found.crossings].T
    within, count = int((one == other).sum()), len(found.crossings)
    where = {count: "within one part", 0: "between parts"}.get(within, f"{within} of them within one part")
    summary = f"{plural(count, 'pair')} of facets cross each other, {where}"
    named = [(_numbers(p), _place(surface, p)) for p in found.crossings[:_NAMED]]
    message = f"{summary}; the first: {named[0][0]} near {point_text(named[0][1])}"
    one, other = found.crossings[:_DRAWN].T
    points, faces = surface.numbered.points, surface.numbered.faces
    segments = common_segments(*(points[faces[own]].astype(np.float64) * surface.scale for own in (one, other)))
    first = CrossingFacets("self-intersecting", "warning", message, count, 0, named[0][1], segments=segments)
    rest = (
        Finding("self-intersecting", "info", f"{pair} cross near {point_text(at)}", where=at) for pair, at in named[1:]
    )
    return (first, *rest)


def _contacts(surface: MeshSurface, found: Embedding) -> tuple[Finding, ...]:
    first, count = found.contacts[0], len(found.contacts)
    at = _place(surface, first)
    what = "and no point is inside twice, which is proved"
    if not found.winds_once:
        what = "which leaves the proof open: the X-ray decides"
    message = (
        f"{plural(count, 'pair')} of facets touch without a common edge or corner, {what}; "
        f"the first: {_numbers(first)} near {point_text(at)}"
    )
    return (Finding("touching-facets", "info", message, count, 0, at),)


def _numbers(pair: Index) -> str:
    return f"facets {pair[0] + 1} and {pair[1] + 1}"


def _place(surface: MeshSurface, pair: Index) -> tuple[float, ...]:
    """The middle of what the boxes of two facets have in common, metres."""
    points, faces = surface.numbered.points, surface.numbered.faces
    corners = points[faces[pair]].astype(np.float64)
    middle = (corners.min(axis=1).max(axis=0) + corners.max(axis=1).min(axis=0)) / 2
    return surface.in_metres(middle.tolist())


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
