"""The kernel on one page agrees with the oracles exactly, and with the program within rounding."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from oracles import generic_body, lee_moments, rational, tetrahedron

import massprops
from massprops.moments.reference import solid_moments

#: Any point: a closed surface does not depend on it.
POINTS = [(0, 0, 0), (Fraction(7, 3), -2, Fraction(1, 5))]


def rational_facets(triangles):
    return [tuple(tuple(rational(x) for x in corner) for corner in facet) for facet in np.asarray(triangles).tolist()]


@pytest.mark.parametrize("point", POINTS)
def test_fractions_give_the_exact_moments_of_lee(point) -> None:
    """The sums of Lee (2011) share no formula with the simplex kernel; both are exact here."""
    facets = rational_facets(generic_body())
    found = solid_moments(facets, point)
    lee = lee_moments(facets)
    volume, first, second = lee.measure, lee.first, lee.second
    r = [*map(Fraction, point)]
    assert found[3][3] == volume
    assert found[3][:3] == [first[i] - volume * r[i] for i in range(3)]
    moved = [
        [second[i][j] - first[i] * r[j] - r[i] * first[j] + volume * r[i] * r[j] for j in range(3)] for i in range(3)
    ]
    assert [row[:3] for row in found[:3]] == moved


def test_the_tetrahedron_of_the_design_has_its_three_products() -> None:
    facets = rational_facets(tetrahedron())
    volume = Fraction(181, 6)
    center = [Fraction(x) / volume for x in solid_moments(facets, (0, 0, 0))[3][:3]]
    central = solid_moments(facets, center)
    assert central[3] == [0, 0, 0, volume]
    products = [-central[0][1], -central[0][2], -central[1][2]]
    assert products == [Fraction(15023, 480), Fraction(-1991, 80), Fraction(4163, 240)]


def test_the_program_computes_what_the_page_says() -> None:
    body = generic_body()
    measured = massprops.measure(body).moments
    center = measured.centroid.tolist()
    page = np.array(solid_moments(body.tolist(), center), dtype=float)
    # both round at every facet: a thousand roundings, of sums whose terms are at most 30 times as large as the result
    assert measured.measure == pytest.approx(page[3, 3], rel=1e-12)
    np.testing.assert_allclose(measured.central_second(), page[:3, :3], rtol=0, atol=1e-12 * np.abs(page).max())
