"""The verdict on w along lines: what is wrong, how much, where, and what all lines can have missed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from cases import each
from oracles import bounds_of, box, bumpy_torus, moved, polycube, reversed_facets, rotated, winding_number

from massprops.formats.mesh.arrays import from_soup
from massprops.mesh.surface import Surface
from massprops.mesh.xray.line_crossings import Crossings, xray
from massprops.mesh.xray.line_grid import Lattice
from massprops.mesh.xray.verdict import ALPHA, Verdict, hidden_volume, judge

LINES = 40


def judged(triangles, *, lines=LINES, seed=1, depth_tolerance=1e-9) -> Verdict:
    lattice = Lattice.over(bounds_of(triangles), lines, seed)
    return judge(xray(from_soup(triangles), lattice), lattice, depth_tolerance)


def boxes(*corners) -> np.ndarray:
    """Boxes between pairs of corners, rotated."""
    return rotated(np.concatenate([box(low, high) for low, high in corners]))


ONE = ((0, 0, 0), (2, 3, 4))
TWO = ((1, 1, 1), (5, 2, 2))  # 1 of 4 inside ONE

#: A segment in a boundary cell stands for all of it: with some 200 of 1600 lines on the rim of a shadow, half a cell off each, the
#: three families together are right to a few per cent. Six times that.
SHARE = 0.2


# --- what is wrong ---------------------------------------------------------------------------------------------------


def test_a_body_that_bounds_every_point_once_is_valid():
    for body in (bumpy_torus(), boxes(ONE), boxes(ONE, ((7, 0, 0), (8, 1, 1)))):
        verdict = judged(body)
        assert verdict.valid
        assert not verdict.uniform
        assert not verdict.empty
        assert (verdict.leaks, verdict.multiple, verdict.negative, verdict.copies) == (0, None, None, 1)
        assert verdict.lines == 3 * LINES**2


def test_an_overlap_is_told_with_its_share_and_how_often_it_counts():
    verdict = judged(boxes(ONE, TWO))
    assert not verdict.valid
    assert verdict.negative is None
    assert verdict.multiple.extreme == 2
    assert verdict.multiple.share == pytest.approx(1 / 27, rel=SHARE)  # 1 of 24 + 4 − 1
    (region,) = verdict.multiple.regions
    assert region.volume == pytest.approx(1, rel=SHARE)


def test_the_worst_value_is_the_one_furthest_off():
    thrice = judged(boxes(ONE, TWO, ((1.25, 1.25, 1.25), (6, 1.75, 1.75))))
    assert thrice.multiple.extreme == 3
    holes = [moved(reversed_facets(box()), (x, 0, 0)) for x in (3, 3.5, 3.75)]
    inside_out = judged(rotated(np.concatenate([box(), *holes])))
    assert inside_out.negative.extreme == -3
    assert inside_out.multiple is None


def test_what_is_inside_out_is_negative():
    verdict = judged(rotated(np.concatenate([box(*ONE), reversed_facets(box((10, 0, 0), (12, 2, 2)))])))
    assert verdict.multiple is None
    assert verdict.negative.extreme == -1
    assert verdict.negative.share == pytest.approx(8 / 32, rel=SHARE)
    assert not verdict.valid


def test_regions_are_told_apart_and_the_largest_comes_first():
    # Two posts through a slab: 4 and 1 of it.
    body = boxes(((0, 0, 0), (9, 9, 1)), ((1, 1, -1), (3, 3, 2)), ((6, 6, -1), (7, 7, 2)))
    regions = judged(body).multiple.regions
    assert [r.volume for r in regions] == pytest.approx([4, 1], rel=2 * SHARE)  # fewer lines meet each
    for region, low, high in zip(regions, ((1, 1, 0), (6, 6, 0)), ((3, 3, 1), (7, 7, 1)), strict=True):
        assert winding_number(body, region.place) == pytest.approx(2, abs=1e-9)
        assert winding_number(boxes((low, high)), region.place) == pytest.approx(1, abs=1e-9)


def test_regions_above_each_other_on_the_same_lines_are_two():
    body = boxes(((0, 0, 0), (9, 9, 1)), ((0, 0, 3), (9, 9, 4)), ((4, 4, -1), (5, 5, 5)))
    found = judged(body).multiple.regions
    # the slope of a corner may part a crumb from its region, but no region reaches across the gap
    assert sorted(r.volume > 0.5 for r in found)[-2:] == [True, True]
    assert sum(r.volume > 0.5 for r in found) == 2


@each("seed", range(10))
def test_a_region_that_many_lines_meet_is_one(seed):
    # But for its tips: what two neighbouring lines see there need not overlap in depth.
    largest, *tips = judged(boxes(ONE, TWO), lines=60, seed=seed).multiple.regions
    assert sum(t.volume for t in tips) < 0.01 * largest.volume
    ends = boxes(((0, 0, 0), (20, 1, 1)), ((0, 0, 0), (1, 1, 1)), ((19, 0, 0), (20, 1, 1)))
    first, second, *tips = judged(ends, seed=seed).multiple.regions
    assert second.volume > 0.5 * first.volume
    assert sum(t.volume for t in tips) < 0.1 * second.volume


def test_lines_in_cells_that_share_a_corner_belong_to_one_region():
    # Where two boxes overlap is convex: one region, though a line at its rim may have neighbours across a corner of its cell only.
    overlapping = boxes(((0, 0, 0), (4, 3, 2)), ((3, 1, 1), (6, 4, 5)))
    assert [len(judged(overlapping, lines=40, seed=seed).multiple.regions) for seed in range(20)] == [1] * 20


def stretches(*rows) -> Crossings:
    """Stretches with w = 2, by their lines, starts and stops."""
    line, start, stop = np.array(rows, float).reshape(-1, 3).T
    change = np.repeat([2, -2], len(rows)).astype(np.int8)
    lines = np.tile(line.astype(np.intp), 2)
    return Crossings(lines, np.concatenate([start, stop]), change, np.zeros(len(lines), np.intp))


@each(
    ("rows", "regions"),
    [
        ([(0, 0, 2), (1, 1, 3)], 1),
        ([(0, 0, 2), (10, 1, 3)], 1),
        ([(0, 0, 2), (1, 2, 3)], 2),  # side by side, one after the other
        ([(0, 0, 2), (0, 3, 4)], 2),  # on one line
        ([(0, 0, 2), (0, 3, 4), (1, 1, 3.5)], 1),  # joined by the neighbour
        ([(9, 0, 2), (10, 0, 2)], 2),  # the end of a row and the beginning of the next
        ([(0, 0, 2), (11, 0, 2)], 1),  # cells with a common corner
        ([(1, 0, 2), (10, 0, 2)], 1),  # the other corner
        ([(9, 0, 2), (20, 0, 2)], 2),  # the end of a row and the beginning of the next but one
        ([(10, 0, 2), (19, 0, 2)], 2),  # both ends of a row
        ([(19, 0, 2), (29, 0, 2)], 1),  # in the last column
        ([(98, 0, 2), (99, 0, 2)], 1),  # in the last row
    ],
)
def test_regions_are_of_neighbouring_cells_and_common_depths(rows, regions):
    of = Lattice.over(np.array([[0, 0, 0], [1, 1, 1]]), 10, 1)
    found = judge((stretches(), stretches(*rows), stretches()), of, 0.0).multiple.regions
    assert len(found) == regions
    assert sum(r.volume for r in found) == pytest.approx(
        sum(stop - start for _, start, stop in rows) * float(np.prod(of.cell)), rel=1e-12
    )


@each("seed", range(5))
def test_every_place_is_inside_the_region_that_it_is_told_for(seed):
    cells = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (2, 2, 2)]
    body = rotated(
        np.concatenate([polycube(cells)[0], 0.9 * bumpy_torus(), reversed_facets(moved(box(), (-6, -6, -6)))])
    )
    verdict = judged(body, seed=seed)
    assert verdict.multiple.regions
    assert verdict.negative.regions
    for region in verdict.multiple.regions:
        assert winding_number(body, region.place) > 1.5
    for region in verdict.negative.regions:
        assert winding_number(body, region.place) < -0.5


@pytest.mark.parametrize("copies", [2, 3])
def test_copies_are_how_often_every_wall_is_there(copies):
    verdict = judged(np.concatenate([boxes(ONE)] * copies))
    assert (verdict.copies, verdict.uniform, verdict.multiple.extreme) == (copies, True, copies)
    assert verdict.multiple.share == pytest.approx(1, rel=1e-9)  # but for stretches below the noise


def test_walls_that_are_there_twice_may_also_overlap_or_be_inside_out():
    # Halving would leave the overlap counted twice, or the inside-out body negative.
    overlapping = judged(np.concatenate([boxes(ONE, TWO)] * 2))
    assert (overlapping.copies, overlapping.uniform) == (2, False)
    turned = judged(np.concatenate([boxes(ONE), moved(reversed_facets(boxes(ONE)), (20, 0, 0))] * 2))
    assert (turned.copies, turned.uniform) == (2, False)


def test_a_surface_and_its_reverse_are_empty():
    verdict = judged(np.concatenate([boxes(ONE), reversed_facets(boxes(ONE))]))
    assert verdict.empty
    assert verdict.valid


def test_an_open_surface_leaks_and_is_not_valid():
    verdict = judged(boxes(ONE)[:-1])
    assert verdict.leaks > 0
    assert not verdict.valid
    assert not judged(np.concatenate([boxes(ONE), boxes(ONE), moved(boxes(ONE)[:1], (9, 9, 9))])).uniform


def test_stretches_shorter_than_the_noise_are_rounding():
    # Two boxes that reach into each other by 1e-6.
    body = boxes(ONE, ((2 - 1e-6, 1, 1), (3, 2, 2)))
    assert judged(body, depth_tolerance=1e-7).multiple.extreme == 2
    assert judged(body, depth_tolerance=1e-4).valid  # on a slanted line the overlap is longer than it is deep


# --- what lines can have missed ------------------------------------------------------------------------------------------


def lattice(n: int, seed: int) -> Lattice:
    """Of a box with three different sides; its rotation does not matter here: regions are given along its axes."""
    return Lattice.over(np.array([[0, 0, 0], [1, 2, 5]]), n, seed)


def missed(of: Lattice, low, high) -> bool:
    """Whether no line meets any of the boxes between `low` and `high`, shapes (m, 3), in lattice coordinates."""
    for k in range(3):
        u, v = (k + 1) % 3, (k + 2) % 3
        pu, pv = of.places[k][:, :, None]
        if ((low[:, u] <= pu) & (pu <= high[:, u]) & (low[:, v] <= pv) & (pv <= high[:, v])).any():
            return False
    return True


def shares(side: float, n: int) -> float:
    """hidden_volume over the volume of a cube of `side` cells: the bound is for cubes in a lattice of cubes, and stretches with it."""
    of = lattice(n, 0)
    return side**3 * float(np.prod(of.cell))


RUNS = 2000


def test_a_cube_of_the_hidden_volume_is_missed_as_often_as_alpha_says():
    # A cube is the worst of all bodies; in cells, Σ over the families of its shadows is −ln α.
    alpha, n = 0.2, 10
    side = math.sqrt(-math.log(alpha) / 3)
    assert shares(side, n) == pytest.approx(hidden_volume(lattice(n, 0), alpha), rel=1e-12)
    random = np.random.default_rng(1)
    count = 0
    for seed in range(RUNS):
        low = random.uniform(1, n - 1 - side, (1, 3))
        count += missed(lattice(n, seed), low, low + side)
    error = math.sqrt(alpha * (1 - alpha) / RUNS)
    assert count / RUNS <= alpha + 3 * error
    # Π(1 − s) is below exp(−Σ s), here by the squares of shares of a quarter of a cell or so: no order of magnitude
    assert count / RUNS >= alpha / 2


def test_a_pattern_as_fine_as_the_lattice_is_missed_no_more_often():
    # A crumb at the same place of every cell, together of the hidden volume: lines at one place of their cells would miss them all.
    alpha, n = 0.2, 10
    total = hidden_volume(lattice(n, 0), alpha) / float(np.prod(lattice(n, 0).cell))
    crumb = (total / n**3) ** (1 / 3)
    cells = np.stack(np.meshgrid(*[np.arange(n)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    random = np.random.default_rng(2)
    count, runs = 0, RUNS // 5
    for seed in range(runs):
        low = cells + random.uniform(0, 1 - crumb, 3)
        count += missed(lattice(n, seed), low, low + crumb)
    assert count / runs <= alpha + 3 * math.sqrt(alpha * (1 - alpha) / runs)


def test_slabs_of_the_hidden_volume_are_missed_less_often():
    alpha, n = 0.2, 10
    volume = hidden_volume(lattice(n, 0), alpha) / float(np.prod(lattice(n, 0).cell))
    random = np.random.default_rng(3)
    count = 0
    for seed in range(300):
        sides = random.permutation([volume / 9, 3, 3])
        low = random.uniform(0, n - sides)[None]
        count += missed(lattice(n, seed), low, low + sides)
    assert count / 300 <= alpha


def test_an_overlap_of_the_hidden_volume_is_seen_as_often_as_promised():
    # The whole way: a cube inside a body, wound the same way, turned against the lattice, which only makes its shadows larger.
    alpha, n, runs = 0.2, 6, 300
    outer = box((0, 0, 0), (4, 3, 3))
    side = hidden_volume(Lattice.over(bounds_of(outer), n, 0), alpha) ** (1 / 3)
    random = np.random.default_rng(4)
    count = 0
    for seed in range(runs):
        of = Lattice.over(bounds_of(outer), n, seed)
        side = hidden_volume(of, alpha) ** (1 / 3)
        low = random.uniform(0, np.array([4, 3, 3]) - side)
        body = np.concatenate([outer, box(low, low + side)])
        count += judge(xray(from_soup(body), of), of, 0.0).valid
    assert count / runs <= alpha + 3 * math.sqrt(alpha * (1 - alpha) / runs)


def test_four_times_the_lines_hide_an_eighth_and_the_verdict_states_it():
    coarse, fine = (hidden_volume(lattice(n, 0)) for n in (20, 40))
    assert coarse / fine == pytest.approx(8, rel=1e-12)
    body = boxes(ONE)
    assert judged(body).hidden == hidden_volume(Lattice.over(bounds_of(body), LINES, 1), ALPHA)
    assert pytest.approx(1e-3) == ALPHA  # README.md says 99.9 %


# --- the same lines every time -------------------------------------------------------------------------------------------


def test_the_lines_depend_on_the_whole_surface():
    """Else one can be built between them: the same file has the same lines, and whoever moves a corner or adds a facet moves them."""
    corners = np.random.default_rng(1).random((20, 3, 3))
    seed = Surface.of(corners, corners[0, 0]).seed
    assert seed == Surface.of(corners.copy(), corners[0, 0].copy()).seed >= 0
    for place in np.ndindex(corners.shape):
        other = corners.copy()
        other[place] += 1e-14
        assert Surface.of(other, corners[0, 0]).seed != seed
    more = np.concatenate([corners, np.zeros((1, 3, 3))])
    assert Surface.of(more, corners[0, 0]).seed != seed
