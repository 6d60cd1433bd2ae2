"""Every pair of edges that meet, and no other: against shapely pair by pair, on grids where everything is degenerate."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from cases import each

from massprops.section.crossings import contacts

RNG = np.random.default_rng(20)


def ring(n: int, kind: str) -> np.ndarray:
    """Distinct neighbours; `grid`: whole numbers, so that edges touch and overlap."""
    if kind == "grid":
        points = RNG.integers(0, 7, (n, 2)).astype(float)
    elif kind == "spiked":
        angle = np.sort(RNG.uniform(0, 2 * np.pi, n))
        points = (
            RNG.uniform(0.5, 1.2, (n, 1)) * np.column_stack([np.cos(angle), np.sin(angle)]) + RNG.normal(size=2) / 3
        )
    else:
        points = RNG.normal(size=(n, 2))
    return points[(points != np.roll(points, 1, axis=0)).any(axis=1)]


def by_shapely(rings: list[np.ndarray]) -> dict[tuple, str]:
    """Kind of contact by pair of edges that are no neighbours."""
    edges = [(r, k) for r, p in enumerate(rings) for k in range(len(p))]
    lines = shapely.linestrings(np.concatenate([np.stack([p, np.roll(p, -1, axis=0)], axis=1) for p in rings]))
    one, other = np.triu_indices(len(edges), k=1)
    meet = shapely.intersects(lines[one], lines[other])
    found = {}
    for a, b in zip(one[meet].tolist(), other[meet].tolist(), strict=True):
        (r, i), (s, j) = edges[a], edges[b]
        if r == s and j - i in (1, len(rings[r]) - 1):
            continue
        # of relate's matrix, the first entry says how the insides of both lines meet
        inside = shapely.relate(lines[a], lines[b])[0]
        found[(r, s), (i, j)] = {"F": "touch", "0": "cross", "1": "overlap"}[inside]
    return found


@each("kind", ["grid", "spiked", "random"])
@each("case", range(25))
def test_every_pair_is_found_and_judged_as_shapely_does(kind: str, case: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if case % 2:  # so that these few edges are several blocks
        monkeypatch.setattr("massprops.section.crossings._BLOCK", 16)
    sizes = RNG.integers(3, 60 if case % 5 == 0 else 25, RNG.integers(1, 4))
    rings = [r for n in sizes if len(r := ring(int(n), kind)) >= 3]
    if not rings:
        return
    found = contacts(rings, most=10**9)
    got = {(c.rings, c.edges): c.kind for c in found}
    assert len(got) == len(found)  # none twice
    assert got == by_shapely(rings)


@pytest.mark.parametrize("kind", ["grid", "random"])
def test_of_many_small_rings_every_pair_is_found(kind: str) -> None:
    """They are searched in the order of the plane."""
    rings = [r for n in RNG.integers(3, 6, 70) if len(r := ring(int(n), kind) + RNG.integers(0, 40, 2)) >= 3]
    assert len(rings) > 64
    found = contacts(rings, most=10**9)
    got = {(c.rings, c.edges): c.kind for c in found}
    assert len(got) == len(found)  # none twice
    assert got == by_shapely(rings)


@each("n", [7, 8, 9, 15, 16, 17, 1000, 4097])
def test_a_crossing_is_found_wherever_it_is(n: int) -> None:
    # at the seams of boxes and of the ring
    angle = np.linspace(0, 2 * np.pi, n, endpoint=False)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    assert contacts([circle]) == []
    for k in {0, 1, n // 2, n - 2, n - 1}:
        bent = circle.copy()
        swap = [k, (k + 1) % n]
        bent[swap] = bent[swap[::-1]]
        (found,) = contacts([bent])
        assert found.kind == "cross"
        assert set(found.edges) == {(k - 1) % n, (k + 1) % n}


def test_what_rounding_would_decide_is_decided_exactly() -> None:
    # an end one unit in the last place beside a slanted edge, on either side, and on it
    below = [[0, 0], [3, 1], [3, -5], [0, -5]]
    for x, wanted in ((np.nextafter(1.5, 0), []), (1.5, ["touch"] * 2), (np.nextafter(1.5, 2), ["cross"] * 2)):
        # the tip (x, ½) is above, on or below the edge y = x/3
        above = [[x, 0.5], [2, 4], [1, 4]]
        assert [c.kind for c in contacts([np.array(below, dtype=float), np.array(above)])] == wanted


def test_the_search_ends_when_enough_is_found() -> None:
    assert len(contacts([RNG.normal(size=(500, 2))], most=7)) == 7


def test_where_one_ring_ends_and_the_next_begins_nothing_is_taken_for_granted() -> None:
    # the last edges of one and the first of the other run in one quadrant, as if they were one smooth stretch, and cross
    def circle(begin: float) -> np.ndarray:
        angle = begin + np.linspace(0, 2 * np.pi, 512, endpoint=False)
        return np.column_stack([np.cos(angle), np.sin(angle)])

    apart = 0.01 * np.array([np.cos(np.radians(70)), np.sin(np.radians(70))])  # they cross at −20° and 160°
    found = contacts([circle(0), circle(-np.pi / 2) + apart])
    assert [c.kind for c in found] == ["cross", "cross"]
    angles = sorted(round(float(np.degrees(np.arctan2(c.where[1], c.where[0])))) for c in found)
    np.testing.assert_allclose(angles, [-20, 160], atol=360 / 512 + 1)  # an edge, and 0.01


def test_two_leaves_of_one_direction_each_may_cross() -> None:
    """Eight edges up a parabola, sixteen down to its beginning, across it."""
    t = np.linspace(0, 1, 9)[:-1]
    corners = np.array([[1, 1], [0.9, 0.2], [0.1, 0.19], [0, 0]])
    back = np.column_stack([np.interp(np.arange(16) / 16 * 3, range(4), corners[:, k]) for k in (0, 1)])
    (found,) = contacts([np.concatenate([np.column_stack([t, t * t]), back])])
    assert found.kind == "cross"
    assert abs(found.where[0] ** 2 - found.where[1]) < 1 / 64  # on a chord of the parabola
