"""Materials: every row has a source, every name one meaning."""

from __future__ import annotations

from collections import Counter

import pytest
from cases import each, refused

from massprops.errors import InvalidInput
from massprops.materials import all_materials, find
from massprops.units import parse_density

#: Lightest and heaviest solids of each kind that the table could hold, kg/m³: a slip of a factor of ten falls outside.
PLAUSIBLE = {
    "metal": (1_700, 22_600),  # magnesium to osmium
    "plastic": (800, 2_300),  # polymethylpentene to PTFE
    "rubber": (850, 2_000),  # EPDM to fluorocarbon rubber
    "foam": (10, 700),
    "wood": (100, 1_300),  # balsa to lignum vitae
    "composite": (1_000, 2_200),
    "glass": (2_200, 6_000),
    "mineral": (1_000, 5_000),
    "water": (900, 1_100),  # ice to sea water
}


@each("material", all_materials())
def test_every_row_has_a_source_and_a_density_of_its_category(material):
    lightest, heaviest = PLAUSIBLE[material.category]
    assert lightest < material.density < heaviest
    assert len(material.source) > 5
    assert material.note


def test_a_dozen_common_metals_plastics_and_woods_are_there():
    count = Counter(material.category for material in all_materials())
    assert count["metal"] >= 12
    assert count["plastic"] >= 12
    assert count["wood"] >= 12


def test_every_name_and_alias_finds_its_own_row():
    # an alias written twice would silently mean the later row
    for material in all_materials():
        for name in (material.name, *material.aliases):
            assert find(name) is material


@pytest.mark.parametrize("spelling", ["Ti-6Al-4V", "ti6al4v", "TI 6AL 4V", " ti_6al_4v "])
def test_case_blanks_and_hyphens_do_not_matter(spelling):
    assert find(spelling).name == "titanium Ti-6Al-4V"


def test_both_spellings_of_aluminium():
    assert find("aluminum") is find("Aluminium") is find("ALU")


@each(
    ("name", "published"),
    [
        ("titanium grade 5", "0.160 lb/in3"),  # MIL-HDBK-5J, 5.4.1
        ("AZ31B", "0.0639 lb/in3"),  # MIL-HDBK-5J, 4.2.1
        ("alloy 718", "0.297 lb/in3"),  # MIL-HDBK-5J, 6.3.5
        ("C36000", "0.307 lb/in3"),  # Copper Development Association
        ("C51000", "0.320 lb/in3"),
        ("7075", "0.101 lb/in3"),  # Aluminum Association
        ("2024", "0.100 lb/in3"),
    ],
)
def test_rows_agree_with_the_inch_pound_figures_of_the_same_publications(name, published):
    # 0.7 %: half a unit in the third digit of 0.100 lb/in3, and the rounding of the metric figure
    assert find(name).density == pytest.approx(parse_density(published), rel=7e-3)


def test_woods_are_specific_gravity_times_their_moisture():
    # Wood Handbook, chapter 4: density at 12 % = 1000 kg/m³ · G (1 + 12/100); Douglas-fir (coast) has G = 0.48
    assert find("Douglas-fir").density == pytest.approx(1000 * 0.48 * 1.12, abs=0.5)


def test_a_miss_suggests_the_nearest():
    caught = refused(InvalidInput, find, "alumnium 6061")
    assert caught.startswith("unknown material 'alumnium 6061'; did you mean 'aluminium 6061' or ")
    assert caught.endswith("? `massprops materials` lists them all")


def test_a_name_that_several_rows_share_is_refused_with_all_of_them():
    assert refused(InvalidInput, find, "oak") == (
        "unknown material 'oak'; did you mean 'oak, red' or 'oak, white'? `massprops materials` lists them all"
    )


def test_nonsense_gets_no_suggestion():
    assert refused(InvalidInput, find, "qqqq") == "unknown material 'qqqq'; `massprops materials` lists them all"
