"""People read their own units, and no digit that the bound on a number does not support."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from cases import each
from hypothesis import given
from hypothesis import strategies as st

from massprops.errors import InvalidInput
from massprops.findings import Finding
from massprops.measurement.output_units import OutputUnits, number_text

FOOT, POUND = 0.3048, 0.45359237


@given(st.floats(1e-5, 1e7), st.floats(1e-12, 1.0))
def test_a_rounded_number_is_within_its_bound_of_the_number(value, share):
    off = value * share
    text = number_text(value, off)
    # the last digit stands at the second one of the bound, or at the sixth: half a unit of either
    unit = max(10.0 ** (math.floor(math.log10(off)) - 1), 10.0 ** (math.floor(math.log10(value)) - 5))
    assert abs(float(text) - value) <= unit / 2 * (1 + 1e-9)
    assert sum(c.isdigit() for c in text.lstrip("0.").partition("e")[0]) <= 7


@given(st.floats(1e-300, 1.0), st.floats(1.0000001, 1e9))
def test_a_number_below_its_own_bound_keeps_two_digits(value, factor):
    shown = float(number_text(value, value * factor))
    assert shown == float(f"{value:.1e}") == -float(number_text(-value, value * factor))


@each(
    ("value", "off", "text"),
    [
        (1943.2, None, "1943.2"),
        (80.0, None, "80"),
        (3.5, 1e-5, "3.5"),
        (34.8462, 0.01, "34.846"),
        (None, None, "–"),
        (1.234e-5, None, "0.00001234"),
    ],
)
def test_numbers_as_they_are_read(value, off, text):
    assert number_text(value, off) == text


def test_the_units_chosen_may_stand_in_any_order():
    assert OutputUnits().chosen("lb, in") == OutputUnits().chosen("in,lb") == OutputUnits("in", "lb")
    assert OutputUnits("mm", "g").chosen("cm") == OutputUnits("cm", "g")
    assert OutputUnits("mm", "g").chosen("rad").angle == "rad"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mm,cm", "'mm' and 'cm' are both units of length"),
        ("ml", "no unit of length, mass or angle"),
        ("", "no unit is given; for example mm,g"),
        (" , ", "no unit is given"),
        ("furlong", "unknown unit 'furlong'; for example mm,g or in,lb"),
        ("kgs", "unknown unit 'kgs'; did you mean"),
        ("foo", "unknown unit"),
    ],
)
def test_units_that_cannot_be_chosen_are_refused(text, message):
    with pytest.raises(InvalidInput, match=message):
        OutputUnits().chosen(text)


@given(st.floats(1e-6, 9e6))
def test_the_mass_is_a_number_from_1_to_9999(mass):
    units = OutputUnits.suited("mm", mass)
    assert 0.999 <= units.of(mass, (1, 0)) <= 9999.5


@pytest.mark.parametrize(("mass", "unit"), [(2e8, "t"), (1e-15, "ug")])
def test_a_mass_beyond_all_units_is_in_the_nearest_one(mass, unit):
    # two hundred thousand tonnes are not 2e17 µg
    assert OutputUnits.suited("m", mass).mass == unit


def test_what_is_converted_keeps_its_dimension():
    units = OutputUnits().chosen("ft,lb")
    assert units.of(POUND * FOOT**2, (1, 2)) == pytest.approx(1, rel=1e-15)
    assert units.of(POUND / FOOT**3, (1, -3)) == pytest.approx(1, rel=1e-15)
    assert [units.label(d) for d in ((1, 2), (1, -3), (0, 4), (1, 0), (0, 0))] == ["lb ft²", "lb/ft³", "ft⁴", "lb", ""]
    assert units.of_angle(math.pi) == pytest.approx(180)


@pytest.mark.parametrize(
    ("file", "asked", "label"),
    [("mm", None, "kg/m³"), ("mm", "cm", "kg/m³"), ("in", None, "lb/in³"), ("mm", "cm,g", "g/cm³")],
)
def test_densities_are_in_the_units_of_handbooks_unless_a_mass_is_asked_for(file, asked, label):
    units = OutputUnits.suited(file, 2.0).chosen(asked)
    assert units.label((1, -3)) == label
    kg, m = {"kg/m³": (1, 1), "lb/in³": (POUND, FOOT / 12), "g/cm³": (1e-3, 1e-2)}[label]
    assert units.of(7800, (1, -3)) == pytest.approx(7800 / kg * m**3, rel=1e-14)


def test_the_mass_is_in_the_system_of_the_length_that_is_asked_for():
    """A bolt of a file in inches, shown in cm, is not weighed in ounces; one in mm, shown in inches, not in grams."""
    assert OutputUnits.suited("in", 0.3, chosen="cm") == OutputUnits("cm", "g")
    assert OutputUnits.suited("mm", 0.3, chosen="in") == OutputUnits("in", "oz")
    assert OutputUnits.suited("mm", 0.3, chosen="in,kg") == OutputUnits("in", "kg")


@given(st.decimals(min_value=-9999, max_value=9999, places=5))
def test_a_decimal_stays_short_in_another_unit(number):
    # 0.034846 m is 34.846 mm, not 34.846000000000004
    assert OutputUnits("mm").of(float(number / 1000), (0, 1)) == float(number)


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("0.0408\xa0m wide, near (0.004, -0.02, 0)\xa0m", "40.8 mm wide, near (4, -20, 0) mm"),
        ("2e-06\xa0m³ of 1.53075e-6\xa0m³; 12 facets", "2000 mm³ of 1530.75 mm³; 12 facets"),
        ("principal moments (1.0, 2.0)\xa0kg\xa0m²: 5\xa0kg", "principal moments (1e9, 2e9) g mm²: 5000 g"),
        ("9 m of 7800\xa0kg/m³, 3.5 mm, Träger\xa05", "9 m of 0.0078 g/mm³, 3.5 mm, Träger\xa05"),
    ],
)
def test_a_message_speaks_the_units_of_its_table(message, shown):
    # only what is marked as a quantity in SI is one; others are words of the file
    assert OutputUnits().chosen("mm,g").sentence(message) == shown
    assert "\xa0" not in Finding("a", "info", message.partition(", Tr")[0]).message
    kept = replace(Finding("a", "info", message), severity="error")
    assert OutputUnits().chosen("mm,g").sentence(kept.marked) == shown
