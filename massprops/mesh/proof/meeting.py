"""Do two facets meet but at what they share? −1 where they cross, 1 where they are apart, 0 where that is open.

Facets are three corners in columns, shape (3, n) each. What crosses passes through: one lies on both sides of the other. In integers
what is open has a point in common besides what is shared, but does not cross there: a contact.

Tests: `tests/mesh/test_proof.py`.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from massprops.moments.signs import Numbers, side_of_line, side_of_plane, turn

Corners = tuple[Numbers, Numbers, Numbers]
#: −1, 0, 1.
Relation = NDArray[np.int8]
#: The coordinates that are left where x, y or z is left out.
_PLANES = ([1, 2], [2, 0], [0, 1])
#: The corners after the first, second and third.
_AFTER = [1, 2, 0]


def at_corner(one: Corners, other: Corners) -> Relation:
    """Facets o, b, c and o, d, e: apart but for the corner o unless their angles there have a ray in common.

    With the rays' signs D = [b c d], E = [b c e], B = [d e b], C = [d e c], the great arcs b c and d e cross where E = B, D = C = −B,
    and are apart where two of the signs say otherwise: a plane through two rays or more has each arc on its own side. In integers
    nothing but four zeros, rays in one plane, is left to the projections.
    """
    b, c, d, e = (x - one[0] for x in (*one[1:], *other[1:]))
    sd, se = turn(b, c, d), turn(b, c, e)
    result: Relation = np.asarray(sd * se == 1, dtype=np.int8)
    rest = np.flatnonzero(result == 0)
    b, c, d, e = (x[:, rest] for x in (b, c, d, e))
    sd, se, sb, sc = sd[rest], se[rest], turn(d, e, b), turn(d, e, c)
    apart = (sd * se == 1) | (sb * sc == 1) | (sd * sb == 1) | (se * sb == -1) | (sd * sc == -1) | (se * sc == 1)
    # the rays of a needle, opposite ones, pass through the plane of the others
    apart |= ((sd == 0) & (se == 0) & (sb * sc == -1)) | ((sb == 0) & (sc == 0) & (sd * se == -1))
    cross = (se * sb == 1) & (sd * sc == 1) & (sb * sc == -1)
    result[rest] = apart.astype(np.int8) - cross
    rest, open_ = rest[~apart & ~cross], np.flatnonzero(~apart & ~cross)
    b, c, d, e = (x[:, open_] for x in (b, c, d, e))
    along = np.sign(b) + np.sign(c) - np.sign(d) - np.sign(e)
    result[rest] = (abs(along) == 4).any(axis=0)  # on both sides of o along an axis
    zero = 0 * b
    for plane in _PLANES:
        o2, b2, c2, d2, e2 = (x[plane] for x in (zero, b, c, d, e))
        own, its = side_of_line(o2, b2, c2), side_of_line(o2, d2, e2)
        bd, be, cd, ce = (side_of_line(o2, p, q) for p, q in ((b2, d2), (b2, e2), (c2, d2), (c2, e2)))
        # x is outside the angle b c where it is right of b or left of c, as seen with b c turning left
        outside = ((bd * own == -1) | (cd * own == 1)) & ((be * own == -1) | (ce * own == 1))
        outside &= ((-bd * its == -1) | (-be * its == 1)) & ((-cd * its == -1) | (-ce * its == 1))
        result[rest[outside]] = 1
    return result


def elsewhere(one: Corners, other: Corners) -> Relation:
    """Facets without a common corner: apart unless an edge of one meets the other."""
    sides = [side_of_plane(*one, p) for p in other], [side_of_plane(*other, p) for p in one]
    apart = np.zeros(one[0].shape[1], dtype=bool)
    for s in sides:
        apart |= (s[0] * s[1] == 1) & (s[1] * s[2] == 1)
    result = apart.astype(np.int8)
    rest = np.flatnonzero(~apart)
    # shape (3, 3, n): [xyz, corner, n]
    first, second = (np.stack([p[:, rest] for p in f], axis=1) for f in (one, other))
    # edge i of the first against edge j of the second: on which side the lines pass
    (a, b), (c, d) = (first[:, :, np.newaxis], first[:, _AFTER, np.newaxis]), (second, second[:, _AFTER])
    passing = side_of_plane(a, b, c[:, np.newaxis], d[:, np.newaxis])
    # the edges of the second against the first, then those of the first against the second
    lines = np.concatenate([passing.swapaxes(0, 1), passing])
    ends = np.concatenate([[s[rest] for s in own] for own in sides]).reshape(2, 3, -1)
    product = (ends * ends[:, _AFTER]).reshape(6, -1)
    cross = (product == -1) & (lines[:, 0] * lines[:, 1] == 1) & (lines[:, 1] * lines[:, 2] == 1)
    clear = (product == 1) | ((lines == 1).any(axis=1) & (lines == -1).any(axis=1))
    edge, pair = np.nonzero(~clear)
    corners = np.concatenate([second, first], axis=1)
    begin, own = 3 * (edge > 2), 3 * (edge < 3)
    p, q, *facet = (corners[:, k, pair] for k in (edge, begin + (edge + 1) % 3, own, own + 1, own + 2))
    clear[edge, pair] = _apart_in_a_plane([p, q], facet)
    result[rest] = clear.all(axis=0).astype(np.int8) - cross.any(axis=0)
    return result


def widest(one: Corners) -> Numbers:
    """The axes along which facets are largest, next, and least, shape (3, n): of the projections the first most likely decides."""
    u, v = one[1] - one[0], one[2] - one[0]
    return np.argsort([-abs(u[i] * v[j] - u[j] * v[i]) for i, j in _PLANES], axis=0)


def beyond_a_side(one: Corners, other: Corners, same: NDArray[np.bool_], axis: Numbers) -> NDArray[np.bool_]:
    """Whether all corners of the other facet but those of a side of the one are beyond that side, seen along an axis.

    `same`, shape (3, 3, n): which corners of the one are which of the other. Where the one looks like a part of a line, all of the other
    may be on either side of that. Not beside a common edge: a facet without area is in contact with its neighbours, by which it is known.
    """
    beyond, apart = np.zeros(len(axis), dtype=bool), same.sum(axis=(0, 1)) < 2
    plane = np.array(_PLANES).T[:, axis]
    corners, others = ([np.take_along_axis(x, plane, axis=0) for x in facet] for facet in (one, other))
    for i in range(3):
        a, b, c = corners[i], corners[i - 2], corners[i - 1]
        inside, sides = side_of_line(a, b, c), [side_of_line(a, b, p) for p in others]
        for side in (1, -1):
            all_ = np.logical_and.reduce([(s == side) | same[i, j] | same[i - 2, j] for j, s in enumerate(sides)])
            beyond |= all_ & ((inside == -side) | (apart & (inside == 0)))
    return beyond


def apart_diagonally(one: Corners, other: Corners) -> NDArray[np.bool_]:
    """Whether facets with coordinates of at most 1 are apart along a diagonal x + y, x − y, y + z …, in single precision.

    Bounds are rounded outwards as massprops/native/box_tree.c does it.
    """
    apart = np.zeros(one[0].shape[1], dtype=bool)
    for k, sign in itertools.product(range(3), (1, -1)):
        along = [np.array([p[k] + sign * p[k - 2] for p in facet]) for facet in (one, other)]
        low, its_low = (_float_below(x.min(axis=0)) for x in along)
        high, its_high = (-_float_below(-x.max(axis=0)) for x in along)
        apart |= (its_low > high) | (low > its_high)
    return apart


def _float_below(x: NDArray[np.float64]) -> NDArray[np.float32]:
    return (x - (abs(x) * 2.0**-22 + 2.0**-40)).astype(np.float32)


def _apart_in_a_plane(edge: list[Numbers], facet: list[Numbers]) -> NDArray[np.bool_]:
    """Whether a projection of the edge and of the facet has a line between them along a side of one."""
    apart = np.zeros(edge[0].shape[1], dtype=bool)
    for plane in _PLANES:
        p, q = (x[plane] for x in edge)
        corners = [x[plane] for x in facet]
        along = [side_of_line(p, q, c) for c in corners]
        apart |= (along[0] * along[1] == 1) & (along[1] * along[2] == 1)
        for i in range(3):
            a, b, c = corners[i], corners[i - 2], corners[i - 1]
            inside, side = side_of_line(a, b, c), side_of_line(a, b, p)
            apart |= (side * side_of_line(a, b, q) == 1) & ((side * inside == -1) | (inside == 0))
    return apart
