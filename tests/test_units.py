"""Units: exact factors, one rounding, and refusals that say what to write instead."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from cases import each, refused
from hypothesis import given
from hypothesis import strategies as st

from massprops.errors import InvalidInput
from massprops.units import (
    exact_length_unit,
    length_unit,
    number,
    parse_area_density,
    parse_density,
    parse_length,
    parse_lengths,
    parse_mass,
    parse_moments,
    positive,
)

# Definitions (NIST SP 811, appendix B): written out here independently of the program's table.
INCH = Fraction(254, 10_000)
POUND = Fraction(45_359_237, 100_000_000)
STANDARD_GRAVITY = Fraction(980_665, 100_000)

LENGTHS = {
    "m": Fraction(1),
    "cm": Fraction(1, 100),
    "mm": Fraction(1, 1000),
    "um": Fraction(1, 10**6),
    "nm": Fraction(1, 10**9),
    "km": Fraction(1000),
    "in": INCH,
    "ft": 12 * INCH,
    "yd": 36 * INCH,
    "mil": INCH / 1000,
}
MASSES = {
    "kg": Fraction(1),
    "g": Fraction(1, 1000),
    "mg": Fraction(1, 10**6),
    "t": Fraction(1000),
    "lb": POUND,
    "oz": POUND / 16,
    "slug": POUND * STANDARD_GRAVITY / (12 * INCH),
}

decimals = st.decimals(min_value="0.0001", max_value="99999", places=6)


@given(decimals, st.sampled_from(sorted(LENGTHS)))
def test_a_length_is_the_exact_product_rounded_once(value, unit):
    assert parse_length(f"{value} {unit}") == float(Fraction(str(value)) * LENGTHS[unit])


@given(decimals, st.sampled_from(sorted(MASSES)))
def test_a_mass_is_the_exact_product_rounded_once(value, unit):
    assert parse_mass(f"{value}{unit}") == float(Fraction(str(value)) * MASSES[unit])


@given(decimals, st.sampled_from(sorted(MASSES)), st.sampled_from(sorted(LENGTHS)))
def test_a_density_is_mass_over_length_cubed_rounded_once(value, mass, length):
    exact = Fraction(str(value)) * MASSES[mass] / LENGTHS[length] ** 3
    assert parse_density(f"{value} {mass}/{length}3") == float(exact)


@given(decimals, st.sampled_from(sorted(MASSES)), st.sampled_from(sorted(LENGTHS)))
def test_an_area_density_is_mass_over_length_squared_rounded_once(value, mass, length):
    exact = Fraction(str(value)) * MASSES[mass] / LENGTHS[length] ** 2
    assert parse_area_density(f"{value} {mass}/{length}^2") == float(exact)


@each("unit", sorted(LENGTHS))
def test_length_unit_is_the_nearest_double_to_the_exact_factor(unit):
    assert length_unit(unit) == float(LENGTHS[unit])
    assert exact_length_unit(unit) == LENGTHS[unit]


def test_published_conversions():
    # NIST SP 811 (2008), appendix B.8, to the digits printed there
    assert parse_mass("1 slug") == pytest.approx(14.59390, rel=5e-7)
    assert parse_density("1 lb/ft3") == pytest.approx(16.01846, rel=5e-7)
    assert parse_density("1 lb/in3") == pytest.approx(27679.90, rel=5e-7)
    assert parse_density("1 slug/ft3") == pytest.approx(515.3788, rel=5e-7)
    assert parse_mass("1 oz") == pytest.approx(0.02834952, rel=5e-7)


@each(
    "text",
    [
        "7.8 g/cm3",
        "7.8g/cm3",
        " 7.8  g / cm3 ",
        "7.8 g/cm^3",
        "7.8 g/cm**3",
        "7.8 g/cm³",
        "7.8 g cm^-3",
        "7.8 g·cm⁻³",
        "7.8 g/cc",
        "7.8 g/ml",
        "7.8 kg/l",
        "7.8 kg/dm3",
        "7.8 t/m3",
        "7.8 Mg/m3",
        "7.8 grams per cubic centimetre",
        "7800",
        "7800.",
        "7.8e3",
        "+7.8E+3 KG/M3",
        "7800 kg/m^3",
        7800,
        7800.0,
        np.float32(7800),
        np.int64(7800),
    ],
)
def test_the_ways_to_write_one_density(text):
    assert parse_density(text) == 7800.0


@each("text", ["1in", "1 inch", "1 Inches", "1 IN", '1"', "1″", "25.4 mm", "25.4 MM", "2.54 cm", "1000 mil"])
def test_the_ways_to_write_an_inch(text):
    assert parse_length(text) == 0.0254


@each("text", ["3 um", "3 µm", "3 μm", "3 micron", "0.003mm"])
def test_micro_sign_and_greek_mu_are_one_letter(text):
    assert parse_length(text) == 3e-6


def test_pounds_per_cubic_foot_in_words():
    assert parse_density("490 lb/cu ft") == parse_density("490 pcf") == float(490 * POUND / (12 * INCH) ** 3)


def test_lengths_may_be_negative_where_nothing_forbids_it():
    assert parse_length("-12 mm") == parse_length("−12 mm") == -0.012
    assert parse_length("0") == 0.0


def test_case_is_kept_where_it_tells_a_tonne_from_a_milligram():
    assert parse_mass("1 Mg") == 1000.0
    assert parse_mass("1 mg") == 1e-6


def test_a_number_already_si_is_passed_through_bit_for_bit():
    assert parse_length(0.1 + 0.2) == 0.1 + 0.2


REFUSED = [
    (parse_density, "7.8 kg", "expected a density, got a mass: '7.8 kg'; for example 7.8 g/cm3"),
    (parse_mass, "7.8 g/cm3", "expected a mass, got a density: '7.8 g/cm3'; for example 1.2 kg"),
    (parse_length, "3 m2", "expected a length, got an area: '3 m2'; for example 12 mm"),
    (parse_area_density, "7.8 g/cm3", "expected an area density, got a density: '7.8 g/cm3'; for example 2 kg/m2"),
    (parse_density, "7.8 g/cm4", "expected a density, got a quantity in kg^1 m^-4: '7.8 g/cm4'; for example 7.8 g/cm3"),
    (parse_density, "-2700", "density must be positive, got -2700.0 kg/m³"),
    (parse_density, -2700, "density must be positive, got -2700.0 kg/m³"),
    (parse_density, "0 g/cm3", "density must be positive, got 0.0 kg/m³"),
    (parse_mass, "-1 g", "mass must be positive, got -0.001 kg"),
    (parse_area_density, 0, "area density must be positive, got 0.0 kg/m²"),
    (parse_density, "7,8 g/cm3", "density '7,8 g/cm3' has a comma; numbers have a decimal point; write 7.8 g/cm3"),
    (parse_mass, "1,200 g", "mass '1,200 g' has a comma; numbers have a decimal point; write 1.200 g or 1200 g"),
    (parse_length, "12 inchs", "unknown unit 'inchs' in '12 inchs'; did you mean inches?"),
    (
        parse_length,
        "1 lightyear",
        "unknown unit 'lightyear' in '1 lightyear'; known units of length: m dm cm mm um nm km in ft yd mil",
    ),
    (parse_length, "5 Mm", "unknown unit 'Mm' in '5 Mm'; did you mean mm?"),
    (parse_mass, "5 zorkmid", "unknown unit 'zorkmid' in '5 zorkmid'; known units of mass: kg g mg ug t lb oz slug"),
    (parse_length, "", "length is empty; for example 12 mm"),
    (parse_length, "mm", "length 'mm' does not begin with a finite number; for example 12 mm"),
    (parse_mass, "nan", "mass 'nan' does not begin with a finite number; for example 1.2 kg"),
    (parse_mass, "inf kg", "mass 'inf kg' does not begin with a finite number; for example 1.2 kg"),
    (parse_mass, float("nan"), "mass must be finite, got nan"),
    (parse_mass, 10**400, "mass must be finite, got inf"),
    (parse_mass, True, "mass must be a number or a text with a unit, got True"),
    (parse_mass, None, "mass must be a number or a text with a unit, got None"),
    (parse_mass, "1 200 kg", "unit of '1 200 kg' cannot be read; for example 1.2 kg"),
    (parse_mass, "10³ kg", "unit of '10³ kg' cannot be read; for example 1.2 kg"),
    (parse_mass, "1_0 kg", "unit of '1_0 kg' cannot be read; for example 1.2 kg"),
    (parse_density, "7.8 g-cm3", "unit of '7.8 g-cm3' cannot be read; for example 7.8 g/cm3"),
    (parse_density, "7.8 g/", "unit of '7.8 g/' cannot be read; for example 7.8 g/cm3"),
    (parse_length, "1e400", "length '1e400' is outside the range of double-precision numbers"),
    (parse_length, "1e308 km", "length '1e308 km' is outside the range of double-precision numbers"),
    (parse_length, "1e-320 um", "length '1e-320 um' is outside the range of double-precision numbers"),
    (length_unit, "kg", "expected a length, got a mass: 'kg'; for example 12 mm"),
    (length_unit, "12mm", "expected a unit of length, got '12mm'; for example mm"),
    (length_unit, "", "expected a unit of length, got ''; for example mm"),
    (length_unit, 3, "expected a unit of length, got 3; for example mm"),
    (
        parse_moments,
        "1 g mm2 2",
        "inertia '1 g mm2 2' has a number without a unit; give each its unit, or the last one that of all",
    ),
    (parse_moments, "1.5.2", "inertia '1.5.2' cannot be read at '1.5.2'; for example 34216.5 g mm^2"),
    (parse_moments, "1 kg", "expected a moment of inertia, got a mass: '1 kg'; for example 34216.5 g mm^2"),
    (parse_lengths, "1 2 kg", "expected a length, got a mass: '1 kg'; for example 12 mm"),
    (number, "0x10", "number '0x10' is not a plain number"),
]


@each(
    ("parse", "text", "numbers"),
    [
        (parse_moments, "34216.5 g mm^2", [Fraction("34216.5e-9")]),
        (
            parse_moments,
            "3 -1 0.5, 2;0 4e1 g*mm²",
            [Fraction(x) for x in ("3e-9", "-1e-9", "5e-10", "2e-9", "0", "4e-8")],
        ),
        (parse_moments, "1 kg.m^2 2 grams * square millimeters", [Fraction(1), Fraction("2e-9")]),
        (parse_moments, "0.2 lb in^2", [POUND * INCH**2 / 5]),
        (parse_lengths, "10 mm, 20 mm, 0", [Fraction("0.01"), Fraction("0.02"), Fraction(0)]),
        (parse_lengths, '1" 2 ft', [INCH, 24 * INCH]),
        (parse_lengths, "", []),
    ],
)
def test_several_quantities_with_their_units(parse, text, numbers):
    """Exact products, rounded once."""
    assert parse(text) == list(map(float, numbers))


@each(("parse", "value", "message"), REFUSED)
def test_what_is_refused_and_what_is_said(parse, value, message):
    assert refused(InvalidInput, parse, value) == message


@pytest.mark.parametrize("exponent", ["1e999999999", "1e-999999999"])
def test_an_enormous_exponent_is_refused_before_exact_arithmetic_could_hang(exponent):
    with pytest.raises(InvalidInput, match="is outside the range of double-precision numbers"):
        parse_mass(f"{exponent} lb")


def test_a_name_of_the_option_is_used_in_the_message():
    with pytest.raises(InvalidInput) as caught:
        parse_length("0 mm", name="thickness", must_be_positive=True)
    assert str(caught.value) == "thickness must be positive, got 0.0 m"


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_not_finite_is_not_positive(value):
    assert refused(InvalidInput, positive, value, "mass", "kg") == f"mass must be finite, got {value!r} kg"


def test_what_is_no_number_is_not_positive():
    with pytest.raises(InvalidInput, match=r"mass must be a number, got \[1\.0\]"):
        positive([1.0], "mass", "kg")
