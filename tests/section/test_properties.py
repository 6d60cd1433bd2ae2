"""First and polar moments of a section are those of a rectangle, wherever the axes are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import massprops

numbers = st.floats(-10, 10)


def rectangle(x, y, b, h):
    return massprops.measure([[x, y], [x + b, y], [x + b, y + h], [x, y + h]]).section


@given(numbers, numbers, st.floats(0.1, 5), st.floats(0.1, 5), numbers, numbers)
def test_moments_about_a_point_are_those_of_the_rectangle(x, y, b, h, u, v):
    section = rectangle(x, y, b, h)
    arm_x, arm_y = x + b / 2 - u, y + h / 2 - v
    size = b * h * (abs(x) + abs(y) + abs(u) + abs(v) + b + h)
    assert section.first_moments([u, v]) == pytest.approx((b * h * arm_y, b * h * arm_x), abs=1e-13 * size)
    polar = b * h * ((b * b + h * h) / 12 + arm_x**2 + arm_y**2)
    assert section.polar_about([u, v]) == pytest.approx(polar, rel=1e-9, abs=1e-12 * size**2 / (b * h))


def test_by_default_they_are_about_the_origin_and_so_in_the_json():
    section = rectangle(1, 2, 3, 4)
    assert section.first_moments() == pytest.approx((12 * 4, 12 * 2.5), rel=1e-14)
    written = section.to_dict()
    assert tuple(written["first_moments"].values()) == section.first_moments()
    assert (
        written["polar_about_origin"]
        == section.polar_about()
        == pytest.approx(12 * (25 / 12 + 4**2 + 2.5**2), rel=1e-13)
    )


def test_the_bounds_of_first_moments_hold_what_the_outline_can_do():
    # an outline 1 mm off in every direction: the largest rectangle there may be
    part = massprops.measure([[1, 2], [4, 2], [4, 6], [1, 6]], chord_tolerance=0.001).section
    bounds = part.to_dict()["uncertainty"]
    largest = rectangle(0.999, 1.999, 3.002, 4.002)
    for name, value, grown in zip(("Qx", "Qy"), part.first_moments(), largest.first_moments(), strict=True):
        assert grown - value <= bounds["first_moments"][name] * (1 + 1e-2)
    assert largest.polar_about() - part.polar_about() <= bounds["polar_about_origin"] * (1 + 1e-2)
