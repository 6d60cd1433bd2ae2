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
    TooManyPairs,
    along_a_fine_curve,
    blocks,
    facet_boxes,
    meeting_boxes,
)
from massprops.moments.signs import HALF_ULP, UNDERFLOW, Numbers, Signs, integers, turn

#: The axes after x, y, z, and before them.
_NEXT, _LAST = [1, 2, 0], [2, 0, 1]
#: Of ε, the later ones less than any share of the earlier: the first is in few planes.
_DIRECTIONS = ((1021, 2039, 4093), (1, 0, 0), (0, 1, 0))
#: Other boxes round each corner, on average, that are looked up.
_BOXES = 32


def winds_once(points: Points, faces: Index, part: Index, most: int = NO_LIMIT) -> bool | None:
    """Whether w is 0 or 1 round every part of a surface of which no facets meet but in what they share; None where all corners of a part
    are corners of others.

    A connected part has one inside, where its own w is the sign of its volume. The w of all others is the same all round it, as they do
    not cross it, and is that at any of its corners which is none of theirs.

    Parameters
    ----------
    points : ndarray, shape (3, V)
        Coordinates of at most 1.
    faces : ndarray of int, shape (3, F)
        The corners of each facet.
    part : ndarray of int, shape (F,)
        The first facet of the connected part that a facet belongs to.
    most : int, optional
        Pairs of a ray and a facet that may be compared; `TooManyPairs` where there are more.
    """
    points = np.ascontiguousarray(points)
    heads = part == np.arange(len(part))
    first, part = np.flatnonzero(heads), np.cumsum(heads)[part] - 1
    own = _volume_signs(points, faces, part, points[:, faces[0, first]])
    if len(first) == 1:
        return bool(own[0] > 0)
    owner = np.empty(points.shape[1], dtype=np.intp)  # of a corner: one of the parts that have it
    for numbers in faces:
        owner[numbers] = part
    several = np.zeros(points.shape[1], dtype=bool)
    for numbers in faces:
        several[numbers[owner[numbers] != part]] = True
    corner = np.full(len(first), -1)
    for numbers in faces:
        single = ~several[numbers]
        corner[part[single]] = numbers[single]
    if (corner < 0).any():
        return None
    ambient = _ambient(points, faces, part, corner, most)
    return bool(np.where(own > 0, ambient == 0, (own < 0) & (ambient == 1)).all())


def _volume_signs(points: Points, faces: Index, part: Index, origins: Points) -> Signs:
    """The sign of the volume of every part, seen from a point of its own."""
    terms, sizes = np.empty(len(part)), np.empty(len(part))
    for block in blocks(len(part)):
        a, b, c = (points.take(f, axis=1) - origins.take(part[block], axis=1) for f in faces[:, block])
        np.sum(a * (b[_NEXT] * c[_LAST] - b[_LAST] * c[_NEXT]), axis=0, out=terms[block])
        # more than the sum of the products' sizes
        np.prod([abs(x).sum(axis=0) for x in (a, b, c)], axis=0, out=sizes[block])
    volumes, bounds = (
        np.bincount(part, terms),
        np.bincount(part, sizes) * (np.bincount(part) + 16) * HALF_ULP + UNDERFLOW,
    )
    signs = np.where(abs(volumes) > bounds, np.sign(volumes), np.nan)
    for k in np.flatnonzero(np.isnan(signs)):
        used, own = np.unique(faces[:, part == k], return_inverse=True)
        p, q, r = (integers(points[:, used])[:, f] for f in own.reshape(3, -1))
        six = (p * (q[_NEXT] * r[_LAST] - q[_LAST] * r[_NEXT])).sum()
        signs[k] = (six > 0) - (six < 0)
    return signs


def _ambient(points: Points, faces: Index, part: Index, corner: Index, most: int) -> Index:
    """The winding number of all other parts at a corner of each part.

    Let all points be moved by ε, which is less than any number and in no plane. A path from above everything to the first corner and on
    from each to the next that is near it, so moved, passes through facets but not through their edges: the w of all parts together
    changes by 1 at each. At the end of such a step it is that of the other parts at the corner, which no facet of theirs touches, and
    that of the corner's own part beside the moved corner. This follows from the part's own facets straight above.

    So each part is compared with what lies between it and the next on the path, and with nothing further away.
    """
    at = points[:, corner]
    boxes = facet_boxes(points, faces)
    order = part.argsort(kind="stable")
    begins = np.flatnonzero(np.diff(part[order], prepend=-1))
    low, high = (
        f.reduceat(b.take(order, axis=1), begins, axis=1) for f, b in zip((np.minimum, np.maximum), boxes, strict=True)
    )
    # corners in the box of another part, and the parts whose boxes these are: where a point is in no box of a part, its w is 0
    inside, around = np.zeros((2, len(corner)), dtype=bool)
    try:
        one, other = meeting_boxes(np.array([low, high]), np.array([at, at]), min(most, _BOXES * len(corner)))
        inside[one[one != other]] = around[other[one != other]] = True
    except TooManyPairs:  # it costs more than what it saves
        inside[:] = around[:] = True
    result = np.zeros(len(corner), dtype=np.intp)
    if not inside.any():
        return result
    chosen, kept = np.flatnonzero(inside), np.flatnonzero(around[part])
    chosen = chosen[along_a_fine_curve(at[:, chosen])]
    own, faces = part[kept], faces[:, kept]
    above = at[:, chosen]
    above[2] = 2
    ends, tops = corner[chosen], points.shape[1] + np.arange(len(chosen))
    points = np.concatenate([points, above], axis=1)
    starts = np.append(tops[0], ends[:-1])
    winding = np.cumsum(_steps_along(points, faces, boxes[:, :, kept], starts, ends, most))
    rank = np.full(len(corner), -1)
    rank[chosen] = np.arange(len(chosen))
    rank = rank[own]  # of the step to the corner of a facet's part
    x, y, z = points[:, ends][:, rank]
    low, high = boxes[:, :, kept]
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
