"""How the parts of an embedded surface lie in each other: one ray from each, with exact signs.

Tests: `tests/mesh/test_proof.py`.
"""

from __future__ import annotations

import numpy as np

from massprops.mesh.box_tree import NO_LIMIT, Index, Points, blocks, facet_boxes, meeting_boxes
from massprops.moments.signs import HALF_ULP, UNDERFLOW, Numbers, Signs, integers, side_of_line, side_of_plane

#: The axes after x, y, z, and before them.
_NEXT, _LAST = [1, 2, 0], [2, 0, 1]


def winds_once(
    points: Points, faces: Index, part: Index, most: int = NO_LIMIT, *, outward: bool = False
) -> bool | None:
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
    outward : bool, optional
        Whether the volume of all parts together is known to be positive.
    """
    if outward and not part.any():  # one part
        return True
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
    ambient = _winding_above(points, faces, part, corner, most)
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


def _winding_above(points: Points, faces: Index, part: Index, corner: Index, most: int) -> Index:
    """The winding number of all other parts at a corner of each part: facets above it count by their orientation seen from there."""
    low = points[:, corner]
    rays = np.array([low, np.array([low[0], low[1], np.full(len(corner), 1.0)])])
    boxes = facet_boxes(points, faces)
    order = part.argsort(kind="stable")
    begins = np.flatnonzero(np.diff(part[order], prepend=-1))
    low, high = (
        f.reduceat(b.take(order, axis=1), begins, axis=1) for f, b in zip((np.minimum, np.maximum), boxes, strict=True)
    )
    ray, other = meeting_boxes(np.array([low, high]), rays[[0, 0]], most)
    # corners in the box of another part, and the parts whose boxes these are: where a point is in no box of a part, its w is 0
    inside, around = np.zeros((2, len(corner)), dtype=bool)
    inside[ray[ray != other]] = around[other[ray != other]] = True
    if not inside.any():
        return np.zeros(len(corner), dtype=np.intp)
    chosen, kept = np.flatnonzero(inside), np.flatnonzero(around[part])
    ray, facet = meeting_boxes(boxes[:, :, kept], rays[:, :, chosen], most)
    ray, facet = chosen[ray], kept[facet]
    others = part[facet] != ray
    ray, facet = ray[others], facet[others]
    turns = _turns_above(points[:, corner[ray]], points[:, faces[:, facet]])
    open_ = np.flatnonzero(np.isnan(turns))
    if len(open_):
        chosen = np.concatenate([corner[ray[open_]][np.newaxis], faces[:, facet[open_]]])
        used, number = np.unique(chosen, return_inverse=True)
        exact = integers(points[:, used])[:, number.reshape(4, -1)]
        turns[open_] = _turns_above(exact[:, 0], exact[:, 1:])
    return np.bincount(ray, turns, minlength=len(corner)).astype(np.intp)


def _turns_above(p: Numbers, corners: Numbers) -> Signs:
    """How often each facet, shape (3, 3, n) [xyz, corner, n], winds round the ray from p upwards; NaN where that is open.

    The ray is moved by less than any number, more in y than in x, so that it meets no edge and no corner: a corner straight above or
    below counts as left of it, an edge as below it.
    """
    turns = np.zeros(p.shape[1])
    for k in range(3):
        a, b = corners[:, k - 1], corners[:, k]
        left_a, left_b = (a[0] <= p[0]).astype(bool), (b[0] <= p[0]).astype(bool)
        passes = np.flatnonzero(left_a != left_b)
        direction = np.where(left_a, 1, -1)[passes]  # rightwards
        side = side_of_line(a[:2, passes], b[:2, passes], p[:2, passes]) * direction
        turns[passes] += np.where(np.isnan(side), np.nan, -direction * (side == -1))
    round_it = np.flatnonzero(turns != 0)  # NaN is among them
    a, b, c = (corners[:, k, round_it] for k in range(3))
    below = side_of_plane(a, b, c, p[:, round_it]) * turns[round_it]
    turns[round_it] = np.where(np.isnan(below), np.nan, turns[round_it] * (below == -1))
    return turns
