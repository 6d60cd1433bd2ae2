"""Lines through surfaces: none leaks, ties are broken one way, and w along them is what it is.

Modules tested: `mesh/xray/line_crossings`, `mesh/xray/line_grid`.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import oracles
import pytest
from hypothesis import given
from hypothesis import strategies as st

import massprops.mesh.xray.line_crossings
from massprops.mesh.repair.solid_union import BodyParts, _apart
from massprops.mesh.shells import _groups
from massprops.mesh.source import Triangles
from massprops.mesh.xray.line_crossings import Crossings, Winding, shoot, xray
from massprops.mesh.xray.line_grid import Lattice
from massprops.moments.arrays import expand_counts

radii = st.lists(st.floats(0.25, 4), min_size=14, max_size=14)

#: Corners on a small grid: facets through grid lines, along them, without area, on top of each other.
SIDE = 6
on_grid = st.tuples(*[st.integers(0, SIDE)] * 3)
grid_tetrahedra = st.lists(st.lists(on_grid, min_size=4, max_size=4), min_size=1, max_size=6)


def source(triangles, sizes=None) -> Triangles:
    """A mesh in chunks of these sizes."""
    triangles = np.asarray(triangles)
    borders = np.cumsum(sizes or [len(triangles)])[:-1]
    return Triangles("soup", len(triangles), lambda: iter(np.split(triangles, borders)))


def lattice_over(triangles, lines=12, seed=1, **options) -> Lattice:
    return Lattice.over(oracles.bounds_of(np.asarray(triangles, dtype=float)), lines, seed, **options)


def upright(u: float = 0.0, v: float = 0.0) -> Lattice:
    """Not in general position at all: a line through every point of the grid, or moved from there by u and v."""
    n = SIDE + 1
    cells = np.stack(np.divmod(np.arange(n * n), n)).astype(float)
    places = np.stack([cells + np.array([[u], [v]])] * 3)
    return Lattice(n, np.eye(3), np.zeros(3), np.ones(3), places)


def along(triangles, lattice) -> list[Winding]:
    return [Winding.along(c) for c in xray(source(triangles), lattice)]


def met(crossings: Crossings) -> list[tuple[int, int, int]]:
    return sorted(zip(crossings.line.tolist(), crossings.facet.tolist(), crossings.change.tolist(), strict=True))


def told(crossings: Crossings) -> list[tuple[int, int, int, float]]:
    columns = (crossings.line, crossings.facet, crossings.change, crossings.depth)
    return sorted(zip(*(c.tolist() for c in columns), strict=True))


def soup(tetrahedra) -> np.ndarray:
    return np.concatenate([oracles.tetrahedron_facets(t) for t in tetrahedra])


# --- no line leaks ---------------------------------------------------------------------------------------------------


@given(grid_tetrahedra)
def test_no_line_leaks_through_shared_edges_and_corners_that_it_meets_exactly(tetrahedra):
    # On the grid nearly every line runs through corners, along edges and in facets.
    assert [w.leaks for w in along(soup(tetrahedra), upright())] == [0, 0, 0]


@given(radii, st.integers(0, 2**32), st.floats(-1e6, 1e6), st.sampled_from([np.float32, np.float64]))
def test_no_line_leaks_from_a_body_wherever_it_is(r, seed, offset, dtype):
    body = oracles.moved(oracles.star_body(r), (offset, -offset, offset / 3)).astype(dtype)
    assert [w.leaks for w in along(body, lattice_over(body, seed=seed))] == [0, 0, 0]


@given(st.lists(st.lists(st.tuples(*[st.floats(-1e3, 1e3)] * 3), min_size=4, max_size=4), min_size=1, max_size=8))
def test_no_line_leaks_from_tetrahedra_of_any_shape(tetrahedra):
    facets = np.concatenate([soup(tetrahedra), oracles.box((0, 0, 0), (1, 1, 1))])  # never a single point
    assert [w.leaks for w in along(facets, lattice_over(facets))] == [0, 0, 0]


def test_no_line_leaks_through_an_edge_that_it_meets_but_for_rounding():
    # Edges through a line's place, as well as their corners can be rounded: their side of it is noise, and the same for both facets.
    random = np.random.default_rng(11)
    n, place = 20_000, np.array([2.37, 3.59])
    direction, at = random.normal(size=(n, 2)), random.uniform(0.1, 2, (2, n, 1))
    tetrahedra = random.uniform(0, SIDE, (n, 4, 3))
    tetrahedra[:, 0, 1:] = place + at[0] * direction
    tetrahedra[:, 1, 1:] = place - at[1] * direction
    x = shoot(upright(0.37, 0.59), soup(tetrahedra))[0]
    here = x.line == 2 * (SIDE + 1) + 3
    each = np.bincount(x.facet[here] // 4, weights=x.change[here], minlength=n)
    assert not each.any()
    assert n / 4 < here.sum()


# --- ties ------------------------------------------------------------------------------------------------------------


@given(grid_tetrahedra)
def test_ties_are_broken_as_if_every_line_were_moved_a_little(tetrahedra):
    # By 1e-3 across and by 1e-6 up: on this grid no slope is steeper than SIDE, so that is one order of magnitude after the other.
    facets = soup(tetrahedra)
    tied, moved_lines = (xray(source(facets), upright(*by)) for by in ((0, 0), (1e-3, 1e-6)))
    assert [met(c) for c in tied] == [met(c) for c in moved_lines]


def test_the_grid_does_have_ties():
    facets = soup([[(0, 0, 0), (4, 0, 0), (0, 4, 0), (0, 0, 4)]])
    tied, others = (xray(source(facets), upright(*by)) for by in ((0, 0), (-1e-3, -1e-6)))
    assert [met(c) for c in tied] != [met(c) for c in others]


# --- w ---------------------------------------------------------------------------------------------------------------


@given(grid_tetrahedra)
def test_w_is_the_number_of_tetrahedra_around_a_point(tetrahedra):
    # Counted exactly, in the middle of every stretch of a line.
    lattice = upright(0.37, 0.59)
    for k, winding in enumerate(along(soup(tetrahedra), lattice)):
        long = np.flatnonzero(winding.stop - winding.start > 1e-9)[::11]  # a part: rationals are slow
        for i in long.tolist():
            point = lattice.point(k, int(winding.line[i]), (winding.start[i] + winding.stop[i]) / 2)
            assert winding.w[i] == oracles.times_inside(tetrahedra, point)


def test_between_two_bodies_on_a_line_w_is_zero_and_lines_are_kept_apart():
    apart = np.concatenate([oracles.box(), oracles.moved(oracles.box(), (0, 0, 3))])
    z = along(apart, upright(0.5, 0.5))[2]
    assert z.line.tolist() == [0, 0, 0]
    assert z.w.tolist() == [1, 0, 1]
    assert (z.start.tolist(), z.stop.tolist()) == ([0, 1, 3], [1, 3, 4])


def test_a_line_that_leaks_leaves_the_others_alone():
    # Lines 3, 5 and 8; w stays 1 after the second.
    crossings = Crossings(
        np.array([8, 3, 5, 3, 8]), np.array([4.0, 1, 2, 2, 1]), np.array([-1, 1, 1, -1, 1], dtype=np.int8), np.arange(5)
    )
    winding = Winding.along(crossings)
    assert (winding.line.tolist(), winding.w.tolist(), winding.leaks) == ([3, 8], [1, 1], 1)


#: Depths that differ by as little as numbers can, and much more than that.
near_depths = st.sampled_from([-1e-12, 0.0, 5e-324, 1.0, 1 + 2**-52, 1 + 2**-40, 1.5, 200.0, 200 + 2**-45])


@given(st.lists(st.tuples(st.integers(0, 3) | st.just(1 << 33), near_depths | st.floats(0, 256)), max_size=30))
def test_crossings_are_ordered_by_line_and_by_depth_to_the_last_bit(places):
    line, depth = np.array(places).reshape(-1, 2).T
    line, facet = line.astype(np.intp), np.arange(len(line))
    order = Crossings(line, depth, np.ones(len(line), np.int8), facet).order()
    assert order.tolist() == sorted(facet.tolist(), key=lambda i: (line[i], depth[i]))  # sorted is stable


def test_no_crossing_is_no_stretch():
    empty = Winding.along(Crossings(*(np.zeros(0, t) for t in (np.intp, float, np.int8, np.intp))))
    assert (len(empty.line), empty.leaks) == (0, 0)


def test_a_turned_part_counts_backwards_and_a_part_left_out_not_at_all():
    both = np.concatenate([oracles.box(), oracles.moved(oracles.box(), (0, 0, 3))])
    z = xray(source(both), upright(0.5, 0.5))[2]
    factors = np.ones(24, dtype=np.int8)
    factors[12:] = -1
    assert Winding.along(z.weighted(factors)).w.tolist() == [1, 0, -1]
    factors[12:] = 0
    assert Winding.along(z.weighted(factors)).w.tolist() == [1]
    assert set(z.weighted(factors).facet.tolist()) <= set(range(12))


# --- depth -----------------------------------------------------------------------------------------------------------


@given(st.lists(st.lists(st.tuples(*[st.floats(0, SIDE)] * 3), min_size=3, max_size=3), min_size=1, max_size=10))
def test_a_line_meets_a_facet_in_its_plane(facets):
    lattice = upright(0.37, 0.59)
    for k, crossings in enumerate(shoot(lattice, np.array(facets))):
        u, v = (k + 1) % 3, (k + 2) % 3
        for line, depth, facet in zip(crossings.line, crossings.depth, crossings.facet, strict=True):
            corners = [[Fraction(float(x)) for x in facets[facet][i]] for i in range(3)]
            pu, pv = (Fraction(float(x)) for x in lattice.places[k][:, line])
            weights = [
                (corners[a][u] - pu) * (corners[b][v] - pv) - (corners[a][v] - pv) * (corners[b][u] - pu)
                for a, b in ((1, 2), (2, 0), (0, 1))
            ]
            low, high = (f(corners[i][k] for i in range(3)) for f in (min, max))
            assert low <= depth <= high
            if whole := sum(weights):
                exact = sum(w * c[k] for w, c in zip(weights, corners, strict=True)) / whole
                # each area is a sum of two products of numbers up to 6: 2 · 36 roundings of one half ulp, and the division
                slack = min(abs(float(200 * 2**-53 / whole)) * SIDE, high - low) + 1e-14
                assert abs(float(exact) - depth) <= slack


def test_facets_across_a_line_are_met_at_their_own_depth_to_the_bit():
    # So that bodies which touch there do, and what lies in one plane stays in one plane.
    random = np.random.default_rng(6)
    facets = random.uniform(0, SIDE, (2000, 3, 3))
    depths = random.uniform(0, SIDE, 2000)
    facets[..., 0] = depths[:, None]
    x = shoot(upright(0.37, 0.59), facets)[0]
    assert np.array_equal(x.depth, depths[x.facet])
    assert len(x.depth) > 2000


def test_a_facet_seen_edge_on_is_met_within_itself():
    # Corners on one line of sight but for rounding: areas of 1e-17 of either sign, whose quotients can be anything, even 0 / 0.
    random = np.random.default_rng(0)
    n = 200_000
    facets = np.empty((n, 3, 3))
    facets[..., 0] = random.uniform(0, SIDE, (n, 3))
    facets[::2, 1:, 0] = facets[::2, :1, 0]  # every other one is a segment across the line
    facets[..., 1:] = random.normal(size=(n, 3, 1)) * random.normal(size=(n, 1, 2))
    x = shoot(upright(), facets)[0]
    here = x.line == 0  # through the origin
    depths = facets[x.facet, :, 0]
    assert here.sum() > n / 20
    assert (x.depth >= depths.min(axis=1)).all()
    assert (x.depth <= depths.max(axis=1)).all()


# --- volume ----------------------------------------------------------------------------------------------------------


def volumes_by_lines(triangles, lattice) -> list[float]:
    """One from each family."""
    cell = float(np.prod(lattice.cell))
    return [float((w.w * (w.stop - w.start)).sum()) * cell for w in along(triangles, lattice)]


def exact_volume(triangles) -> float:
    a, b, c = np.asarray(triangles, dtype=float).transpose(1, 0, 2)
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)


@pytest.mark.parametrize("jittered", [True, False])
def test_the_volume_by_few_lines_is_right_on_average(jittered):
    # Every place of a cell is as likely as every other: the mean of many lattices is the volume, however coarse they are.
    body = oracles.bumpy_torus()
    found = np.array([volumes_by_lines(body, lattice_over(body, 6, s, jittered=jittered)) for s in range(150)])
    error = found.std(axis=0, ddof=1) / np.sqrt(len(found))
    assert (np.abs(found.mean(axis=0) - exact_volume(body)) <= 4 * error).all()
    assert (error < 0.02 * exact_volume(body)).all()  # else this would say nothing


# --- order of work ---------------------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 9), min_size=1, max_size=8))
def test_borders_of_chunks_change_nothing(sizes):
    body = oracles.bumpy_torus()
    sizes = [*(s for s in sizes if s), len(body) - sum(sizes)]
    lattice = lattice_over(body)
    whole, parts = (xray(source(body, s), lattice) for s in (None, sizes))
    assert [told(c) for c in parts] == [told(c) for c in whole]


def test_facets_that_pass_many_cells_are_looked_at_in_batches(monkeypatch):
    body = np.concatenate([oracles.rotated(oracles.box()), 0.5 * oracles.bumpy_torus()])
    lattice = lattice_over(body, lines=30)
    whole = [told(c) for c in xray(source(body), lattice)]
    for pairs in (1, 7, 1000):
        monkeypatch.setattr(massprops.mesh.xray.line_crossings, "_PAIRS", pairs)
        assert [told(c) for c in xray(source(body), lattice)] == whole


def test_the_order_of_facets_and_of_their_corners_changes_no_w():
    body = oracles.generic_body()
    lattice = lattice_over(body)
    shuffled = np.roll(np.random.default_rng(2).permutation(body), 1, axis=1)
    for a, b in zip(along(body, lattice), along(shuffled, lattice), strict=True):
        long_a, long_b = (w.stop - w.start > 1e-9 for w in (a, b))
        assert a.line[long_a].tolist() == b.line[long_b].tolist()
        assert a.w[long_a].tolist() == b.w[long_b].tolist()


# --- the lattice -----------------------------------------------------------------------------------------------------


def test_every_cell_has_a_line_of_its_own_place():
    # Lines at the same place of their cells are not independent: a pattern as fine as the lattice hides from all of them.
    n = 40
    places = Lattice.over(np.array([[0, 0, 0], [1, 2, 3]]), n, seed=3).places
    cells = np.stack(np.divmod(np.arange(n * n), n))
    offsets = places - cells
    assert ((offsets >= 0) & (offsets < 1)).all()
    assert len(np.unique(offsets)) == offsets.size
    # 1600 uniform numbers: their mean is within five standard errors of one half, and no two of the six rows go together
    assert (np.abs(offsets.mean(axis=2) - 0.5) < 5 / np.sqrt(12 * n * n)).all()
    rows = np.corrcoef(offsets.reshape(6, -1))
    assert (np.abs(rows - np.eye(6)) < 5 / n).all()


def test_a_plain_lattice_has_all_lines_at_the_same_place_of_their_cells():
    offsets = Lattice.over(np.array([[0, 0, 0], [1, 2, 3]]), 20, seed=3, jittered=False).places % 1
    assert (np.ptp(offsets, axis=2) < 1e-12).all()


@given(radii, st.integers(0, 2**32), st.integers(1, 50))
def test_the_body_lies_inside_its_lattice(r, seed, lines):
    body = oracles.star_body(r)
    lattice = lattice_over(body, lines, seed)
    q = lattice.coordinates(np.ascontiguousarray(body.transpose(1, 2, 0)))
    assert q.min() >= 0
    assert q.max() <= lines
    np.testing.assert_allclose(lattice.rotation @ lattice.rotation.T, np.eye(3), atol=1e-14)  # a few roundings
    middle = lattice.low + q.mean(axis=(0, 2)) * lattice.cell
    np.testing.assert_allclose(lattice.rotation.T @ middle, body.mean(axis=(0, 1)), atol=1e-13)


def test_a_place_on_a_line_is_where_it_says():
    lattice = lattice_over(oracles.bumpy_torus(), seed=8)
    for k in range(3):
        q = np.array(lattice.point(k, 17, 3.25)).reshape(1, 3, 1)
        at = lattice.coordinates(q)[0, :, 0]
        expected = {k: 3.25, (k + 1) % 3: lattice.places[k, 0, 17], (k + 2) % 3: lattice.places[k, 1, 17]}
        np.testing.assert_allclose(at, [expected[i] for i in range(3)], atol=1e-12)  # 12 cells, a dozen roundings


def test_equal_seeds_make_equal_lines_and_others_do_not():
    one, same, other = (lattice_over(oracles.bumpy_torus(), seed=s) for s in (4, 4, 5))
    assert np.array_equal(one.places, same.places)
    assert np.array_equal(one.rotation, same.rotation)
    assert not np.array_equal(one.places, other.places)
    assert not np.array_equal(one.rotation, other.rotation)


def test_places_of_32_bits_order_crossings_alike() -> None:
    """On wasm32 numpy's places have 32 bits; a line and its depth in one word need 64."""
    triangles = np.asarray([*oracles.box((0, 0, 0), (2, 2, 2)), *oracles.box((1, 1, 1), (4, 3, 5))], dtype=float)
    for crossings in xray(source(triangles), lattice_over(triangles, 40)):
        short = [np.asarray(getattr(crossings, name), np.int32) for name in ("line", "change", "facet")]
        found = Crossings(short[0], crossings.depth, short[1], short[2]).order()
        assert found.tolist() == np.lexsort((crossings.depth, crossings.line)).tolist()
        assert found.tolist() == crossings.order().tolist()


def test_products_and_sums_of_numbers_of_32_bits_are_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines of 3000 parts, groups of edges, and pairs of facets and cells are more than 2³¹, and wrap round to other ones."""
    labels, line = np.asarray([2999, 2999, 3, 3], np.int32), np.asarray([7, 7, 9, 9], np.int32)
    crossings = Crossings(line, np.asarray([1.0, 2.0, 1.0, 2.0]), np.asarray([1, -1, 1, -1], np.int8), np.arange(4))
    parts = BodyParts(labels, np.zeros(3000, np.intp), np.ones(3000, np.intp))
    winding, part, _ = _apart(crossings, parts, 1000**2)
    assert {*zip(winding.line.tolist(), part.tolist(), strict=True)} == {(7, 2999), (9, 3)}
    cumsum = np.cumsum
    monkeypatch.setattr(np, "cumsum", lambda a, **kind: cumsum(a, **{"dtype": np.int32, **kind}))
    counts = np.asarray([2**30] * 5, np.int32)
    monkeypatch.setattr(np, "repeat", lambda a, _own: np.asarray(a))  # the pairs themselves would fill the memory
    assert [place.tolist() for place, _ in expand_counts(counts, 2**30)] == [[k] for k in range(5)]
    assert _groups(np.asarray([0, 4], np.int32), np.asarray([0, 2**30], np.int32)).tolist() == [0, 1]
