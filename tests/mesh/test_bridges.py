"""Polygons with holes: rings with bridges are cut into triangles that cover the outline less its holes."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from massprops.mesh.bridges import with_bridges
from massprops.mesh.triangulation import Polygons, triangulate

#: Whole numbers in a slanted plane, so that faces are exactly flat.
LIFT = np.array([[2, 1, -3], [1, -4, 2]])
SQUARE = [(0, 0), (90, 0), (90, 90), (0, 90)]


def area(flat) -> Fraction:
    """Shoelace."""
    x, y = (list(map(int, c)) for c in zip(*flat, strict=True))
    return Fraction(sum(x[i - 1] * y[i] - y[i - 1] * x[i] for i in range(len(x))), 2)


def covered(rings) -> tuple[list[Fraction], list]:
    """Areas of the triangles, and how often each side is there, less its reverse."""
    flat = np.array([corner for ring in rings for corner in ring])
    order = with_bridges(flat @ LIFT.astype(float), [len(ring) for ring in rings])
    assert order is not None
    triangles, findings = triangulate(flat @ LIFT.astype(float), Polygons(np.array([order])), 0.0, str)
    assert findings == []
    sides = {}
    for corners in triangles.tolist():
        for a, b in zip(corners, [*corners[1:], corners[0]], strict=True):
            sides[a, b] = sides.get((a, b), 0) + 1
            sides[b, a] = sides.get((b, a), 0) - 1
    return [area(flat[t]) for t in triangles], [side for side, count in sides.items() if count > 0]


def regular(x, y, radius, corners, turn=1):
    angles = np.arange(corners)[::turn] * 2 * np.pi / corners
    return [(x + round(radius * np.cos(a)), y + round(radius * np.sin(a))) for a in angles]


@given(
    st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=9),
    st.data(),
)
def test_triangles_cover_the_outline_less_its_holes(cells, data):
    """Holes of any shape, either way round, one in each of some cells of a grid: each side of a ring once, no triangle turned."""
    holes = []
    for x, y in sorted(cells):
        corners, turn = data.draw(st.integers(3, 12)), data.draw(st.sampled_from([1, -1]))
        radius = data.draw(st.integers(4, 10))
        holes.append(regular(22 * x + 12, 22 * y + 12, radius, corners, turn))
    outline = data.draw(st.sampled_from([SQUARE, [(-1, -1), (90, -20), (91, 91), (45, 100), (-20, 90), (-5, 40)]]))
    areas, sides = covered([outline, *holes])
    assert min(areas) > 0
    assert sum(areas) == area(outline) - sum(abs(area(hole)) for hole in holes)
    assert len(sides) == len(outline) + sum(map(len, holes))


def test_a_hole_behind_a_wall_is_reached_past_it():
    """The nearest corners of an L cannot be joined, since the wall of the other hole is between."""
    wall, behind = [(10, 40), (80, 40), (80, 44), (10, 44)], [(40, 46), (50, 46), (45, 60)]
    areas, sides = covered([SQUARE, wall, behind])
    assert (sum(areas), min(areas) > 0, len(sides)) == (8100 - 280 - 70, True, 11)


def test_a_hole_may_touch_the_outline_in_a_corner():
    areas, _ = covered([SQUARE, [(0, 0), (30, 10), (10, 30)]])
    assert (sum(areas), min(areas) > 0) == (8100 - 400, True)


@pytest.mark.parametrize("hole", [[(100, 100), (110, 100), (100, 110)], [(-9, -9), (-1, -5), (-5, -1)]])
def test_a_hole_outside_has_no_bridge(hole):
    flat = np.array([*SQUARE, *hole])
    assert with_bridges(flat @ LIFT.astype(float), [4, 3]) is None
