"""A body cut by planes, each piece measured by itself, adds up to the body."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracles import box, mapped, moved, prism, rotated, tetrahedron

import massprops

DENSITY = 2.5
#: Two measurements and a join: some tens of roundings of the area times the distance to the cut (see test_laws.py).
JOINED = 1e-12


def cut(triangles, normal, offset):
    """The parts of a convex body where n · x < d and where n · x > d, closed by the same polygon; no corner on the plane."""
    crossings: dict[tuple, np.ndarray] = {}

    def crossing(a, b):
        (p, q) = sorted((tuple(a), tuple(b)))  # the same bits from either side
        if (p, q) not in crossings:
            x, y = np.array(p), np.array(q)
            s, t = x @ normal - offset, y @ normal - offset
            crossings[p, q] = x + (y - x) * (s / (s - t))
        return crossings[p, q]

    halves: tuple[list, list] = ([], [])
    for triangle in np.asarray(triangles, dtype=float):
        for half, sign in zip(halves, (-1.0, 1.0), strict=True):
            half.extend(fan(clipped(triangle, sign * (triangle @ normal - offset), crossing)))
    cap = around(np.array(list(crossings.values())), normal)
    return np.array(halves[0] + fan(cap)), np.array(halves[1] + fan(cap[::-1]))


def clipped(corners, heights, crossing):
    """The polygon of a triangle's points of positive height."""
    polygon = []
    for i in range(3):
        j = (i + 1) % 3
        if heights[i] > 0:
            polygon.append(corners[i])
        if (heights[i] > 0) != (heights[j] > 0):
            polygon.append(crossing(corners[i], corners[j]))
    return polygon


def fan(polygon):
    return [[polygon[0], polygon[i], polygon[i + 1]] for i in range(1, len(polygon) - 1)]


def around(points, normal):
    """Points of a convex polygon, counter-clockwise seen from where `normal` points."""
    u = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    v = np.cross(normal, u)
    arms = points - points.mean(axis=0)
    return points[np.argsort(np.arctan2(arms @ v, arms @ u))]


def measured(triangles):
    return massprops.measure(triangles, density=DENSITY).properties


def assert_same(one, other):
    size = np.trace(other.inertia)
    assert one.mass == pytest.approx(other.mass, rel=JOINED)
    np.testing.assert_allclose(one.com, other.com, rtol=0, atol=JOINED * np.sqrt(size / other.mass))
    np.testing.assert_allclose(one.inertia, other.inertia, rtol=0, atol=JOINED * size)


BODIES = {
    "tetrahedron": tetrahedron(),
    "box": box((-1, -2, -3), (1, 2, 3)),
    "skew box": mapped(box(), [[2, 0.3, 0.1], [0, 3, 0.7], [0.2, 0, 1]]),
    "prism": prism([(0, 0), (3, 0), (4, 2), (1, 3)], 2),
}
directions = st.tuples(*[st.integers(-9, 9)] * 3).filter(any)


@given(st.sampled_from(sorted(BODIES)), directions, st.floats(0.05, 0.95), st.sampled_from([0, 50]))
def test_two_pieces_make_the_body(name, direction, share, far):
    body = moved(rotated(BODIES[name]), (far, -far, 2 * far))
    normal = np.array(direction) / np.linalg.norm(direction)
    heights = body.reshape(-1, 3).astype(float) @ normal
    offset = heights.min() + share * np.ptp(heights)
    assume(np.abs(heights - offset).min() > 1e-3 * np.ptp(heights))  # not through a corner
    pieces = [measured(piece) for piece in cut(body, normal, offset)]
    assert min(p.mass for p in pieces) > 0
    assert_same(pieces[0] + pieces[1], measured(body))
    small, large = sorted(pieces, key=lambda p: p.mass)
    # not the other way round: a sliver would be a difference of large numbers
    assert_same(measured(body) - small, large)
