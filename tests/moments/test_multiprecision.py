"""Whole numbers in arrays of doubles: held against Python's own whole numbers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from massprops.moments.exact import BITS, carry_limbs, dot, product, split

#: What a double can be, from the smallest; its sums with three others must stay finite.
doubles = st.floats(-(2.0**1000), 2.0**1000, allow_subnormal=True)
whole = st.integers(-(2**130), 2**130)


def values(limbs) -> list[int]:
    """The numbers of an array (L, n), by definition."""
    return [sum(int(x) << BITS * k for k, x in enumerate(column)) for column in limbs.T]


def as_limbs(numbers):
    """Any limbs that make these numbers: base 2²¹ with the sign of the number, not balanced."""
    rows = [[(abs(x) >> BITS * k & (1 << BITS) - 1) * (1 if x >= 0 else -1) for x in numbers] for k in range(7)]
    return np.array(rows, dtype=float)


@given(st.lists(st.tuples(doubles, doubles), min_size=1, max_size=9))
def test_nothing_is_lost_when_doubles_are_split(pairs):
    limbs, exponent = split(np.array(pairs).T.copy())
    assert [x * Fraction(2) ** exponent for x in values(limbs)] == [Fraction(a) + Fraction(b) for a, b in pairs]
    assert np.abs(limbs).max() <= 2**20


@given(st.lists(doubles, min_size=1, max_size=9), st.integers(1, 5))
def test_what_is_cut_off_is_below_one_unit_and_left_over(numbers, most):
    terms = np.array([numbers])
    limbs, exponent = split(terms, most)
    for number, value, rest in zip(numbers, values(limbs), terms[0], strict=True):
        assert value * Fraction(2) ** exponent + Fraction(rest) == Fraction(number)
        assert abs(Fraction(rest)) < Fraction(2) ** exponent
    # digits are counted from the largest: without this the cut would be anywhere
    assert not terms.any() or max(map(abs, numbers)) >= 2.0 ** (exponent + BITS * most - 1)


def test_zeros_are_one_limb():
    limbs, _ = split(np.zeros((1, 3, 4)))
    assert limbs.shape == (1, 3, 4)
    assert not limbs.any()


def test_no_limb_is_spent_on_leading_zeros():
    # else products of a body far from the origin would be as long as those of its coordinates
    assert carry_limbs(np.array([[1.0], [0.0], [0.0]])).shape == (1, 1)


@given(st.lists(st.integers(-(2**51), 2**51), min_size=1, max_size=6))
def test_carrying_changes_no_number(limbs):
    loose = np.array(limbs, dtype=float)[:, np.newaxis]
    tight = carry_limbs(loose.copy())
    assert values(tight) == values(loose)
    assert np.abs(tight).max() <= 2**20


@given(st.lists(st.tuples(whole, whole), min_size=1, max_size=9))
def test_products_and_their_sum_are_those_of_whole_numbers(pairs):
    a, b = (carry_limbs(as_limbs(numbers)) for numbers in zip(*pairs, strict=True))
    expected = [x * y for x, y in pairs]
    assert values(product(a, b)) == expected
    assert dot(a, np.stack([b, -b], axis=1)) == [sum(expected), -sum(expected)]


@pytest.mark.parametrize("sign", [1, -1])
def test_the_largest_sums_of_products_are_exact(sign):
    # the odd value makes every product odd: a sum above 2⁵³ would lose its last bit
    u, v = np.full((3, 2047), 2.0**20 - 1), np.full((3, 1, 2047), sign * (3 * 2.0**20 - 1))
    size = sum(1 << BITS * k for k in range(3))
    assert dot(u, v) == [sign * 2047 * (2**20 - 1) * (3 * 2**20 - 1) * size**2]
