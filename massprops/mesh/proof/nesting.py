"""How the parts of an embedded surface lie in each other: a path through all of them, with exact signs.

Tests: `tests/mesh/test_proof.py`.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from massprops.mesh.box_tree import (
    NO_LIMIT,
    Boxes,
    BoxTree,
    Index,
    Points,
    ProvedApart,
    Scaled,
    TooManyPairs,
    along_a_fine_curve,
    facet_boxes,
    float_below,
    meeting_boxes,
)
from massprops.mesh.source import enumerate_chunks, in_threads, slices
from massprops.moments.signs import HALF_ULP, UNDERFLOW, Numbers, Signs, integers, turn

#: The axes after x, y, z, and before them.
_NEXT, _LAST = [1, 2, 0], [2, 0, 1]
#: Of ε, the later ones less than any share of the earlier: the first is in few planes.
_DIRECTIONS = ((1021, 2039, 4093), (1, 0, 0), (0, 1, 0))
#: Other boxes round each corner, on average, that are looked up.
_BOXES = 32
#: Facets that are worked on at a time.
_BLOCK = 1 << 13


def winds_once(
    points: NDArray[np.floating], faces: Index, part: Index, scaled: Scaled, most: int = NO_LIMIT, jobs: int = 1
) -> bool | None:
    """Whether w is 0 or 1 round every part of a surface of which no facets meet but in what they share; None where all corners of a part
    are corners of others.

    A connected part has one inside, where its own w is the sign of its volume. The w of all others is the same all round it, as they do
    not cross it, and is that at any of its corners which is none of theirs.

    Parameters
    ----------
    points : ndarray, shape (V, 3)
        Vertices.
    faces : ndarray of int, shape (F, 3)
        The corners of each facet.
    part : ndarray of int, shape (F,)
        The first facet of the connected part that a facet belongs to.
    scaled : callable
        Makes coordinates of at most 1 of some vertices.
    most : int, optional
        Pairs of a ray and a facet that may be compared; `TooManyPairs` where there are more.
    jobs : int, optional
        Threads.
    """
    heads = part == np.arange(len(part), dtype=part.dtype)
    first, part = np.flatnonzero(heads), (np.cumsum(heads, dtype=np.int32) - 1)[part]
    own, boxes = _signs_and_boxes(points, faces, part, first, scaled, jobs)
    if len(first) == 1:
        return bool(own[0] > 0)
    # of the parts that have a point
    low, high = np.full(len(points), len(first), np.int32), np.full(len(points), -1, np.int32)
    for some, mine in zip(slices(faces), slices(part), strict=True):
        for bound, found in ((np.minimum, low), (np.maximum, high)):
            bound.at(found, some.reshape(-1), np.repeat(mine, 3))
    single, corner = np.flatnonzero(low == high), np.full(len(first), -1)
    corner[low[single]] = single
    if (corner < 0).any():
        return None
    ambient = _ambient(points, faces, part, corner, boxes, scaled, most)
    return bool(np.where(own > 0, ambient == 0, (own < 0) & (ambient == 1)).all())


def _signs_and_boxes(
    points: NDArray[np.floating], faces: Index, part: Index, first: Index, scaled: Scaled, jobs: int
) -> tuple[Signs, Boxes]:
    """The sign of the volume of every part, seen from a corner of its first facet, and the box round it."""
    origins = scaled(points[faces[first, 0]]).T

    def gather(corners: Index, begin: int) -> tuple[Index, Points, Points]:
        """Parts, each once; sums of the terms of their volumes, of no less than the sizes of these, and of 1; and their boxes."""
        own = part[begin : begin + len(corners)]
        if (own[1:] < own[:-1]).any():
            order = own.argsort(kind="stable")
            own, corners = own[order], corners[order]
        heads = np.append(0, np.flatnonzero(own[1:] != own[:-1]) + 1)
        counts = np.diff(heads, append=len(own))
        x = np.ascontiguousarray(scaled(points.take(corners.T, axis=0)).swapaxes(1, 2))
        bounds = [np.minimum.reduceat(b, heads, axis=1) for b in (x.min(axis=0), -x.max(axis=0))]
        x -= np.repeat(origins[:, own[heads]], counts, axis=1)
        (a, b, c), (d, e, f), (g, h, i) = x
        terms = a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g)
        sizes = np.abs(x, out=x).sum(axis=1).prod(axis=0)
        sums = np.vstack([np.add.reduceat([terms, sizes], heads, axis=1), counts])
        return own[heads], sums, np.concatenate(bounds)

    sums, bounds = np.zeros((3, len(first))), np.full((6, len(first)), 2.0)
    for which, more, its in in_threads(gather, enumerate_chunks(slices(faces, _BLOCK)), jobs):
        sums[:, which] += more
        bounds[:, which] = np.minimum(bounds[:, which], its)
    volumes, sizes, counts = sums
    signs = np.where(abs(volumes) > sizes * (counts + 16) * HALF_ULP + UNDERFLOW, np.sign(volumes), np.nan)
    open_ = np.flatnonzero(np.isnan(signs)[part])
    open_ = open_[part[open_].argsort(kind="stable")]
    for facets in np.split(open_, np.flatnonzero(np.diff(part[open_])) + 1) if len(open_) else ():
        used, own = np.unique(faces[facets].T, return_inverse=True)
        p, q, r = integers(scaled(points[used]).T)[:, own.reshape(3, -1)].swapaxes(0, 1)
        six = (p * (q[_NEXT] * r[_LAST] - q[_LAST] * r[_NEXT])).sum()
        signs[part[facets[0]]] = (six > 0) - (six < 0)
    bounds = float_below(bounds)
    return signs, np.array([bounds[:3], -bounds[3:]])


def _ambient(
    vertices: NDArray[np.floating],
    faces: Index,
    part: Index,
    corner: Index,
    bounds: Boxes,
    scaled: Scaled,
    most: int,
) -> Index:
    """The winding number of all other parts at a corner of each part; `bounds`: the box round each.

    Let all points be moved by ε, which is less than any number and in no plane. A path from above everything to the first corner and on
    from each to the next that is near it, so moved, passes through facets but not through their edges: the w of all parts together
    changes by 1 at each. At the end of such a step it is that of the other parts at the corner, which no facet of theirs touches, and
    that of the corner's own part beside the moved corner. This follows from the part's own facets straight above.

    So each part is compared with what lies between it and the next on the path, and with nothing further away.
    """
    at = scaled(vertices[corner]).T
    # corners in the box of another part, and the parts whose boxes these are: where a point is in no box of a part, its w is 0
    inside, around = np.zeros((2, len(corner)), dtype=bool)
    try:
        one, other = meeting_boxes(bounds, np.array([at, at]), min(most, _BOXES * len(corner)))
        inside[one[one != other]] = around[other[one != other]] = True
    except TooManyPairs:  # it costs more than what it saves
        inside[:] = around[:] = True
    result = np.zeros(len(corner), dtype=np.intp)
    if not inside.any():
        return result
    chosen, kept = np.flatnonzero(inside), np.flatnonzero(around[part])
    chosen = chosen[along_a_fine_curve(at[:, chosen])]
    own, faces, points = part[kept], faces[kept].T, np.ascontiguousarray(scaled(vertices).T)
    boxes = facet_boxes(points, faces)
    above = at[:, chosen]
    above[2] = 2
    ends, tops = corner[chosen], points.shape[1] + np.arange(len(chosen))
    points = np.concatenate([points, above], axis=1)
    starts = np.append(tops[0], ends[:-1])
    winding = np.cumsum(_steps_along(points, faces, boxes, starts, ends, most))
    rank = np.full(len(corner), -1)
    rank[chosen] = np.arange(len(chosen))
    rank = rank[own]  # of the step to the corner of a facet's part
    x, y, z = points[:, ends][:, rank]
    low, high = boxes
    over = np.flatnonzero(
        (rank >= 0) & (low[0] <= x) & (x <= high[0]) & (low[1] <= y) & (y <= high[1]) & (z <= high[2])
    )
    result[chosen] = winding - _steps(points, faces, tops, ends, rank[over], over)
    return result


def _steps_along(points: Points, faces: Index, boxes: Boxes, starts: Index, ends: Index, most: int) -> Index:
    """By how much w rises along each of some line segments between two points."""
    p, q = points[:, starts], points[:, ends]
    between, tree = np.array([np.minimum(p, q), np.maximum(p, q)]), BoxTree.over(boxes)
    rule, result = _apart_in_slabs(points[:, faces[:, tree.order]], p, q), np.zeros(len(starts), dtype=np.intp)
    for segment, facet in tree.meeting(between, most, rule):
        result += _steps(points, faces, starts, ends, segment, facet)
    return result


def _apart_in_slabs(corners: Points, p: Points, q: Points) -> ProvedApart:
    """Whether line segments from p to q lie beside a slab round all facets below a node, square to the first of them.

    Facets that are large beside the distance of two shells are nearly parallel: boxes do not separate them.
    """

    @functools.cache
    def slabs(level: int) -> tuple[Points, Points]:
        begins = np.arange(0, corners.shape[2], 1 << level)
        a, b, c = corners[:, :, begins].swapaxes(0, 1)
        u, v = b - a, c - a
        normal = u[_NEXT] * v[_LAST] - u[_LAST] * v[_NEXT]
        normal /= np.maximum(abs(normal).max(axis=0), UNDERFLOW)
        heights = (np.repeat(normal, 1 << level, axis=1)[:, np.newaxis, : corners.shape[2]] * corners).sum(axis=0)
        size = np.maximum.reduceat(abs(corners).max(axis=(0, 1)), begins)
        low, high = np.minimum.reduceat(heights.min(axis=0), begins), np.maximum.reduceat(heights.max(axis=0), begins)
        return normal, np.array([low, high, size])

    sizes = np.maximum(abs(p), abs(q)).max(axis=0)

    def apart(level: int, segment: Index, node: Index) -> NDArray[np.bool_]:
        normal, (low, high, size) = (x[:, node] for x in slabs(level))
        one, other = ((normal * x[:, segment]).sum(axis=0) for x in (p, q))
        room = 32 * HALF_ULP * (size + sizes[segment]) + UNDERFLOW  # more than all roundings of the heights
        return np.asarray((np.maximum(one, other) < low - room) | (np.minimum(one, other) > high + room))

    return apart


def _steps(points: Points, faces: Index, starts: Index, ends: Index, segment: Index, facet: Index) -> Index:
    """By how much w rises along each line segment where it passes the facets that it is compared with, given in pairs."""
    numbers = np.concatenate([[starts[segment], ends[segment]], faces[:, facet]])
    steps = _steps_through(points[:, numbers], numbers)
    open_ = np.flatnonzero(np.isnan(steps))
    if len(open_):
        used, own = np.unique(numbers[:, open_], return_inverse=True)
        steps[open_] = _steps_through(integers(points[:, used])[:, own.reshape(5, -1)], numbers[:, open_])
    return np.bincount(segment, steps, minlength=len(starts)).astype(np.intp)


def _steps_through(x: Numbers, numbers: Index) -> Signs:
    """By how much w rises from p to q through a facet a b c, all moved by ε: 1 from its front to its back; NaN where that is open.

    The points p, q, a, b, c, shape (3, 5, n), and their numbers.
    """
    p, q, a, b, c = x.swapaxes(0, 1)
    at = numbers[:2, np.newaxis] == numbers[2:]
    before, after = (
        _side(b - a, c - a, y - a, one.any(axis=0), b - a, c - a) for y, one in zip((p, q), at, strict=True)
    )
    steps = (before - after) / 2
    rest = np.flatnonzero(steps != 0)  # NaN is among them
    p, q, *corners = x[:, :, rest].swapaxes(0, 1)
    at = at[:, :, rest].any(axis=0)
    sides = np.array(
        [
            _side(q - p, corners[k - 1] - p, corners[k] - p, at[k - 1] | at[k], q - p, corners[k] - corners[k - 1])
            for k in range(3)
        ]
    )
    steps[rest] += sides.sum(axis=0) * 0  # open where a side is
    steps[rest[(sides == 1).any(axis=0) & (sides == -1).any(axis=0)]] = 0
    return steps


def _side(u: Numbers, v: Numbers, w: Numbers, flat: NDArray[np.bool_], s: Numbers, t: Numbers) -> Signs:
    """The sign of det [u, v, w]; where that is zero, as it is known to be where `flat`, of its change det [s, t, ε]."""
    side = turn(u, v, w)
    for direction in _DIRECTIONS:
        zero = np.flatnonzero(flat | (side == 0))
        if not len(zero):
            break
        side[zero] = turn(s[:, zero], t[:, zero], np.array(direction, dtype=u.dtype))
        flat = np.zeros(len(side), dtype=bool)
    return side
