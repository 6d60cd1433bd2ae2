"""Do two facets meet but at what they share? −1 where they cross, 1 where they are apart, 0 where that is open.

Facets are three corners in columns, shape (3, n) each. What crosses passes through: one lies on both sides of the other. In integers
what is open has a point in common besides what is shared, but does not cross there: a contact.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from massprops.moments.signs import Numbers, side_of_line, side_of_plane, turn

Corners = tuple[Numbers, Numbers, Numbers]
#: −1, 0, 1.
Relation = NDArray[np.int8]
#: The coordinates that are left where x, y or z is left out.
_PLANES = ([1, 2], [2, 0], [0, 1])


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
    cross = (se * sb == 1) & (sd * sc == 1) & (sb * sc == -1)
    result[rest] = apart.astype(np.int8) - cross
    rest, open_ = rest[~apart & ~cross], np.flatnonzero(~apart & ~cross)
    b, c, d, e = (x[:, open_] for x in (b, c, d, e))
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
    first, second = (tuple(p[:, rest] for p in f) for f in (one, other))
    mine, theirs = ([s[rest] for s in own] for own in sides)
    # edge i of the first against edge j of the second: on which side the lines pass
    passing = [[side_of_plane(first[i], first[i - 2], second[j], second[j - 2]) for j in range(3)] for i in range(3)]
    apart, cross = np.ones(len(rest), dtype=bool), np.zeros(len(rest), dtype=bool)
    for k in range(3):
        for edge, facet, ends, lines in (
            ((second[k], second[k - 2]), first, (mine[k], mine[k - 2]), [passing[i][k] for i in range(3)]),
            ((first[k], first[k - 2]), second, (theirs[k], theirs[k - 2]), [passing[k][j] for j in range(3)]),
        ):
            left, right = (np.logical_or.reduce([s == sign for s in lines]) for sign in (1, -1))
            opposite = ends[0] * ends[1] == -1
            cross |= opposite & (lines[0] * lines[1] == 1) & (lines[1] * lines[2] == 1)
            clear = (ends[0] * ends[1] == 1) | (left & right)
            open_ = np.flatnonzero(apart & ~clear)
            clear[open_] = _apart_in_a_plane([p[:, open_] for p in edge], [p[:, open_] for p in facet])
            apart &= clear
    result[rest] = apart.astype(np.int8) - cross
    return result


def widest(one: Corners) -> Numbers:
    """The axes along which facets are largest, next, and least, shape (3, n): of the projections the first most likely decides."""
    u, v = one[1] - one[0], one[2] - one[0]
    return np.argsort([-abs(u[i] * v[j] - u[j] * v[i]) for i, j in _PLANES], axis=0)


def beyond_a_side(one: Corners, other: Corners, same: NDArray[np.bool_], axis: Numbers) -> NDArray[np.bool_]:
    """Whether all corners of the other facet but those of a side of the one are beyond that side, seen along an axis.

    `same`, shape (3, 3, n): which corners of the one are which of the other.
    """
    beyond = np.zeros(len(axis), dtype=bool)
    plane = np.array(_PLANES).T[:, axis]
    corners, others = ([np.take_along_axis(x, plane, axis=0) for x in facet] for facet in (one, other))
    for i in range(3):
        a, b, c = corners[i], corners[i - 2], corners[i - 1]
        inside = side_of_line(a, b, c)
        beyond |= np.logical_and.reduce(
            [(side_of_line(a, b, p) * inside == -1) | same[i, j] | same[i - 2, j] for j, p in enumerate(others)]
        )
    return beyond


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
            inside = side_of_line(a, b, c)
            apart |= (side_of_line(a, b, p) * inside == -1) & (side_of_line(a, b, q) * inside == -1)
    return apart
