"""The sieve before the X-ray: what it leaves out no line meets, and of a fine mesh that is nearly everything."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import bounds_of, bumpy_torus, moved, rotated, star_body

import massprops.mesh.xray.crossings
from massprops.formats.mesh.arrays import from_soup
from massprops.mesh.xray.crossings import shoot, xray
from massprops.mesh.xray.culling import PIXELS, Sieve
from massprops.mesh.xray.line_grid import Lattice

BOX = np.array([[-1.0, -2.0, -3.0], [1.5, 2.5, 2.0]])
radii = st.lists(st.floats(0.25, 4), min_size=14, max_size=14)


def lost(triangles: np.ndarray, lattice: Lattice) -> int:
    """How many of the triangles that a line meets are left out."""
    sieve = Sieve.over(lattice)
    assert sieve is not None
    met = np.unique(np.concatenate([c.facet for c in shoot(lattice, triangles, np.arange(len(triangles)))]))
    assert len(met)
    return len(np.setdiff1d(met, sieve.kept(triangles)))


def beside_lines(lattice: Lattice, size: float, reach: float) -> np.ndarray:
    """Triangles of a size around a line each, which lies up to `reach` sizes from their middle (lattice units), in file units."""
    random = np.random.default_rng(5)
    n = lattice.lines**2
    facets = []
    for k in range(3):
        q = np.empty((n, 3, 3))
        q[..., k] = random.uniform(0, lattice.lines, (n, 1))
        for row, axis in enumerate(((k + 1) % 3, (k + 2) % 3)):
            shift = random.uniform(-reach, reach, (n, 1)) + random.uniform(-0.5, 0.5, (n, 3))
            q[..., axis] = lattice.places[k, row][:, np.newaxis] + size * shift
        facets.append((q * lattice.cell + lattice.low) @ lattice.rotation)
    return np.concatenate(facets)


@settings(max_examples=40, deadline=None)
@given(
    radii, st.integers(0, 2**64), st.floats(-300, 300), st.floats(-17, 17), st.sampled_from([np.float32, np.float64])
)
def test_no_triangle_of_a_body_that_a_line_meets_is_left_out(r, seed, offset, exponent, dtype):
    size = 10.0**exponent
    body = (size * moved(star_body(r), (offset, -offset, offset / 3))).astype(dtype)
    lattice = Lattice.over(bounds_of(body), 40, seed)
    if Sieve.over(lattice) is not None:
        assert lost(body, lattice) == 0


@pytest.mark.parametrize("offset", [0.0, 100.0, 1000.0])
@pytest.mark.parametrize("size", [1.0, 1e-2, 1e-4, 1e-6])
def test_no_small_triangle_is_left_out_that_lies_on_a_line(size, offset):
    # As small as a few roundings of single precision, so that these decide on which side of the line it seems to be.
    lattice = Lattice.over(BOX + offset, 40, 3)
    assert lost(beside_lines(lattice, size, reach=0.5), lattice) == 0
    # all lines on the border of two pixels: here rounding decides which pixels a triangle touches
    cells = np.floor(Lattice.over(BOX, 32, 3).places)
    lattice = replace(Lattice.over(BOX + offset, 32, 3), places=cells + 4 * 32 / PIXELS)
    assert lost(beside_lines(lattice, size, reach=0.5), lattice) == 0


def test_no_large_triangle_is_left_out():
    # Of 200 to 350 pixels: more than a byte holds.
    lattice = Lattice.over(BOX, 40, 3)
    random = np.random.default_rng(2)
    width = random.uniform(200, 350, (500, 1)) * lattice.lines / PIXELS
    q = random.uniform(0, 12, (500, 1, 3)) + width[:, :, np.newaxis] * np.array([[0, 0, 0], [1, 1, 0], [0, 1, 1]])
    assert lost((q * lattice.cell + lattice.low) @ lattice.rotation, lattice) == 0


def test_small_triangles_beside_the_lines_are_left_out():
    lattice = Lattice.over(BOX, 40, 3)
    sieve = Sieve.over(lattice)
    assert sieve is not None
    # a thousandth of a cell wide, a fifth of a cell away: only where another line is nearer, or another family's
    triangles = beside_lines(lattice, 1e-3, reach=0.0) + lattice.cell * [0.2, 0.2, 0.2] @ lattice.rotation
    assert len(sieve.kept(triangles)) < 0.05 * len(triangles)


def test_of_a_fine_mesh_little_is_kept():
    # Facets of a seventh by a twelfth of a cell: their boxes, widened by two pixels of a thirteenth, are hit by one in fifteen in
    # each family.
    body = rotated(bumpy_torus(700, 280))
    sieve = Sieve.over(Lattice.over(bounds_of(body), 40, 1))
    assert sieve is not None
    assert len(sieve.kept(body)) < 0.2 * len(body)


@pytest.mark.parametrize(
    ("lines", "offset", "size"),
    [(12, 0, 1), (40, 0, 1), (100, 0, 1), (40, 1e4, 1), (40, 1e9, 1), (40, 0, 1e-25), (40, 0, 1e25)],
    ids=["coarse", "usual", "too fine", "far", "very far", "tiny", "huge"],
)
def test_the_crossings_are_the_same_with_and_without_it(lines, offset, size, monkeypatch):
    body = size * (rotated(bumpy_torus(60, 40)) + offset)
    lattice = Lattice.over(bounds_of(body), lines, 7)
    without = xray(from_soup(body), lattice)
    monkeypatch.setattr(massprops.mesh.xray.crossings, "_WORTHWHILE", 0)
    for a, b in zip(without, xray(from_soup(body), lattice), strict=True):
        for name in ("line", "facet", "change", "depth"):
            order_a, order_b = (np.lexsort((c.facet, c.line)) for c in (a, b))
            assert np.array_equal(getattr(a, name)[order_a], getattr(b, name)[order_b])


@pytest.mark.parametrize(("lines", "offset", "size"), [(100, 0, 1), (40, 1e4, 1), (40, 0, 1e-25), (40, 0, 1e25)])
def test_there_is_none_where_its_rounding_is_not_bounded_or_it_lets_all_through(lines, offset, size):
    assert Sieve.over(Lattice.over(size * (BOX + offset), lines, 1)) is None
