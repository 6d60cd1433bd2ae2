"""Materials: every row has a source, every name one meaning."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import console
import pytest
from cases import each, refused
from places import ROOT

from massprops.checking.config import Config
from massprops.errors import InvalidInput
from massprops.formats.own_materials import read_materials
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
    assert caught.startswith("unknown material 'alumnium 6061'; did you mean 'aluminium 6061', ")
    assert caught.endswith("? massprops.materials.known_materials lists them all")


def test_a_name_that_several_rows_share_is_refused_with_all_of_them():
    assert refused(InvalidInput, find, "oak") == (
        "unknown material 'oak'; did you mean 'oak, red' or 'oak, white'? massprops.materials.known_materials lists them all"
    )


def test_nonsense_gets_no_suggestion():
    assert (
        refused(InvalidInput, find, "qqqq")
        == "unknown material 'qqqq'; massprops.materials.known_materials lists them all"
    )


@each(
    ("name", "published"),
    [
        ("4340", "0.283 lb/in3"),  # MIL-HDBK-5J, 2.3.1
        ("titanium grade 2", "0.163 lb/in3"),  # MIL-HDBK-5J, 5.2.1
        ("AS4/8552", "0.057 lb/in3"),  # Hexcel, in both systems of units
        ("IM7/8552", "0.057 lb/in3"),
        ("PA12", "0.036 lb/in3"),  # HP, in both systems of units
        ("XPS", "2.20 lb/ft3"),  # ASTM C578
        ("EPS", "1.0 lb/ft3"),
        ("rigid polyurethane foam", "6 lb/ft3"),
        ("FR-4", "1.85 g/cm3"),
        ("ice", "0.9167 g/cm3"),
    ],
)
def test_new_rows_agree_with_the_figures_of_their_publications(name, published):
    # half a unit in the last of two or three digits
    assert find(name).density == pytest.approx(parse_density(published), rel=1.4e-2)


@each(
    "name",
    ["concrete", "water", "ice", "rubber", "eps", "xps foam", "PU foam, rigid", "EVA foam", "fr4", "PA 12", "tpu"],
)
def test_what_engineers_type_is_found(name):
    assert find(name).density > 0


OWN = """[materials]
"PETG CF" = "1.29 g/cm3"

[materials.chassis]
density = 1410
source = "weighed on 3 March"
aliases = ["frame"]
"""


def test_own_materials_are_listed_with_their_line_and_used_by_every_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("massprops.toml").write_text(OWN)
    listed = json.loads(console.run("materials", "-f", "json").out)[:2]
    shown = [(m["name"], m["density"], m["source"].rpartition("massprops.toml")[2]) for m in listed]
    assert shown == [("PETG CF", 1290, ":2"), ("chassis", 1410, ":4: weighed on 3 March")]
    bracket = ROOT / "sample_meshes/bracket.stl"
    for words in (("compute", bracket, "-m", "petg-cf"), ("shape", "sphere", "--radius", "1", "-m", "frame")):
        found = json.loads(console.run(*words, "--format", "json").out)
        assert found["mass"] > 0
    assert console.run("check", bracket, "-m", "frame", "--max-mass", "1kg", "-u", "mm").returncode == 0
    assert "unknown material 'frame'" in console.run("compute", bracket, "-m", "frame", "--no-config").err
    other = tmp_path / "other.toml"
    other.write_text('units = "mm"\nmaterial = "mine"\n[materials]\nmine = 1000\n')
    mine = json.loads(console.run("compute", bracket, "--config", other, "--format", "json").out)
    assert mine["density"] == 1000


@each(
    ("text", "message"),
    [
        ("[materials]\nsteel = 7800", ":2: steel: 'steel' is a built-in material of 7850 kg/m³ (EN 1993-1-2"),
        ('[materials.x]\ndensity = 1\naliases = ["PLA"]', ":1: x: 'PLA' is a built-in material of 1240"),
        ('[materials]\na = "x"', ":2: a: density 'x' does not begin with a finite number; for example 7.8 g/cm3"),
        ("[materials]\na = -3", ":2: a: density must be positive, got -3.0 kg/m³"),
        ("[materials.a]\ndensty = 3", ":2: unknown key 'densty'; did you mean density?"),
        ('[materials.a]\nsource = "x"', ":1: density: is missing"),
        ("[materials.a]\ndensity = 3\naliases = 4", ":3: aliases: must be a list of texts, got 4"),
        ('[materials]\na = 1\n"A!" = 2', ":3: A!: 'A!' is a name of 'a', too; choose another name"),
        ('[materials]\n"!" = 3', ":2: !: '!' has no letter and no digit"),
        ("materials = 3", ":1: materials: must be a table"),
        ("[materials", ": is not TOML"),
    ],
)
def test_a_bad_entry_is_refused_with_its_line_and_the_remedy(text, message, tmp_path):
    path = tmp_path / "massprops.toml"
    path.write_text(text)
    for call in (read_materials, Config.read):
        assert f"massprops.toml{message}" in refused(InvalidInput, call, path)
