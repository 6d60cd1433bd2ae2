"""Settings of `check`: ranges, limits, requirements, severities, selection."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from boxes import BODY, body
from cases import each, refused

from massprops.checking import settings
from massprops.checking.settings import Box, Expectations, Range, Settings
from massprops.errors import InvalidInput
from massprops.findings import Finding
from massprops.formats.bodies.json_results import Body
from massprops.measurement.output_units import OutputUnits
from massprops.units import parse_density, parse_length, parse_mass

# --- ranges and boxes ------------------------------------------------------------------------------------------------


def test_a_range_is_a_value_with_a_tolerance_or_two_limits() -> None:
    # 5 % of 1.2 is 0.06; the ends are sums of two doubles: one rounding each
    read = Range.parse("1.2kg±5%", parse_mass, "")
    assert (read.low, read.high) == pytest.approx((1.14, 1.26), rel=1e-15)
    assert Range.parse("1200g..1.3kg", parse_mass, "") == Range(1.2, 1.3)
    assert Range.parse("2600..2.8g/cm3", parse_density, "") == Range(2600.0, 2800.0)
    assert Range.parse("1..1.3kg", parse_mass, "") == Range(1.0, 1.3)


def test_limits_belong_to_the_range() -> None:
    broken = [Range(1.0, 2.0).broken(x) for x in (1.0, 2.0, np.nextafter(1.0, 0.0), np.nextafter(2.0, 3.0))]
    assert broken == [None, None, 1.0, 2.0]


def range_of_mass(text: str) -> Range:
    return Range.parse(text, parse_mass, "1.2kg±5%")


@each(
    ("parse", "text", "message"),
    [
        (range_of_mass, "1.2kg", "'1.2kg' has no tolerance; for example 1.2kg±5%"),
        (range_of_mass, "2..1", "the range '2..1' has its limits in the wrong order"),
        (
            range_of_mass,
            "1..800 g",  # not in the wrong order, but in g
            "a limit of the range '1..800 g' has no unit, and may have that of the other; write the unit behind both",
        ),
        (
            lambda text: Range.parse(text, parse_length, ""),
            "−5..5 mm",
            "a limit of the range '−5..5 mm' has no unit, and may have that of the other; write the unit behind both",
        ),
        (
            range_of_mass,
            "200g..300",
            "a limit of the range '200g..300' has no unit, and may have that of the other; write the unit behind both",
        ),
        (
            lambda text: Range.parse(text, parse_density, ""),
            "2..2.8g/cm3",
            "a limit of the range '2..2.8g/cm3' has no unit, and may have that of the other; write the unit behind both",
        ),
        (range_of_mass, "1..2mm", "expected a mass, got a length: '2mm'; for example 1.2 kg"),
        (Box.parse, "0 0 0 1 1", "'0 0 0 1 1' is not six lengths; for example '0 0 0 80mm 40mm 20mm'"),
        (Box.parse, "0 0 2 1 1 1", "'0 0 2 1 1 1' has its limits in the wrong order; give the lower corner first"),
    ],
)
def test_what_is_no_range_or_box_is_refused(parse: Any, text: str, message: str) -> None:
    assert refused(InvalidInput, parse, text) == message


def test_a_box_is_two_corners() -> None:
    assert (
        Box.parse("0 0 0 80mm, 40mm, 0.02m")
        == Box.parse("0 0 0 80 40 20mm")
        == Box((0.0, 0.0, 0.0), (0.08, 0.04, 0.02))
    )


# --- expectations ----------------------------------------------------------------------------------------------------


DENSITY, COM_BOX = Range(500.0, 800.0), "0 0 0 2 2 4"


@each(
    ("agreed", "code", "message", "value", "limit"),
    [
        ({"mass": Range(6.0, 7.5)}, "mass", "mass 8 kg exceeds the limit of 7.5 kg by 6.7 %", 8.0, 7.5),
        ({"max_mass": 4.0}, "mass", "mass 8 kg exceeds the limit of 4 kg by 100 %", 8.0, 4.0),
        # enough digits to see that it is beyond its limit
        ({"max_mass": 7.99999}, "mass", "mass 8 kg exceeds the limit of 7.99999 kg by 0.00013 %", 8.0, 7.99999),
        ({"max_mass": 8 / 24}, "mass", "mass 8 kg is 24 times the limit of 0.3333 kg", 8.0, 8 / 24),
        ({"volume": Range(0.01, 0.02)}, "volume", "volume 0.008 m³ is below the limit of 0.01 m³ by 20 %", 0.008, 0.01),
        ({"density_range": DENSITY}, "density", "density 1000 kg/m³ exceeds the limit of 800 kg/m³ by 25 %", 1000.0, 800.0),
        ({"com_box": COM_BOX}, "center", "centre of mass: y 2.1 m exceeds the limit of 2 m", 2.1, 2.0),
    ],
)  # fmt: skip
def test_a_violated_limit_is_stated_with_by_how_much(
    agreed: dict[str, Any], code: str, message: str, value: float, limit: float
) -> None:
    (found,) = Expectations(**agreed).findings(BODY)
    where = (1.05, 2.1, 3.2) if code == "center" else None
    assert found == Finding(f"unexpected-{code}", "error", message, value, limit, where)


def test_a_limit_is_said_in_the_units_of_the_table() -> None:
    found = [f.marked for f in Expectations(max_mass=4.0, com_box=COM_BOX).findings(BODY)]
    assert [OutputUnits().chosen("mm,g").sentence(text) for text in found] == [
        "mass 8000 g exceeds the limit of 4000 g by 100 %",
        "centre of mass: y 2100 mm exceeds the limit of 2000 mm",
    ]


def test_the_size_is_the_longest_side() -> None:
    # sides 0.1, 0.2, 0.4 m; 3.4 − 3.0 is rounded in the last place of 3.4
    assert Expectations(max_size=repr(0.4 + 1e-15)).findings(BODY) == []
    (found,) = Expectations(max_size="0.3").findings(BODY)
    assert (found.code, found.value) == ("unexpected-size", pytest.approx(0.4, abs=1e-15))


def test_lengths_without_a_unit_are_in_that_of_the_file() -> None:
    # sides 100, 200, 400 mm, centre (1050, 2100, 3200) mm
    box = body(input={"units": "mm"})
    assert Expectations(max_size="401", com_box="1000 2000 3000 1100 2200 3300").findings(box) == []
    found = Expectations(max_size="399", com_box="1000 2000 3000 1100 2050 3300").findings(box)
    assert {f.code: f.limit for f in found} == {"unexpected-size": 0.399, "unexpected-center": 2.05}


def test_limits_that_hold_give_no_finding() -> None:
    ranges = [Range(7.9, 8.1), 8.0, Range(0.008, 0.009), Range(1000.0, 1000.0)]
    assert (
        Expectations(*ranges, "1 2 3 1.1 2.2 3.4", "0.5", ("closed", "certified", "single-body")).findings(BODY) == []
    )


@each(
    ("word", "change", "why"),
    [
        ("certified", {"grade": "closed"}, "the grade is closed"),
        ("certified", {"grade": "unverified"}, "the grade is unverified"),
        ("closed", {"grade": "unverified"}, "the grade is unverified"),
        ("single-body", {"input": {"bodies": 2}}, "there are 2 separate bodies"),
    ],
)
def test_what_is_required_and_does_not_hold(word: str, change: dict[str, Any], why: str) -> None:
    (found,) = Expectations(require=(word,)).findings(body(**change))
    assert (found.code, found.message) == ("requirement-not-met", f"{word} is required, and {why}")


def test_what_cannot_be_checked_does_not_pass() -> None:
    agreed = Expectations(mass=Range(1.0, 2.0), max_size="1", com_box="0 0 0 1 1 1", require=("closed", "single-body"))
    (found,) = agreed.findings(Body({"grade": "stated"}, "a.urdf", "a.urdf"))
    assert found.code == "not-measured"
    assert found.message == "cannot check mass, max-size, com-box, closed, single-body: the result has none"
    (found,) = agreed.findings(None)
    assert found.message == "cannot check mass, com-box, max-size, closed, single-body: there is no valid integral"
    assert Expectations().findings(None) == []


def test_a_limit_of_mass_without_a_mass_names_the_arguments_that_give_one() -> None:
    (found,) = Expectations(max_mass="1kg", density_range=Range(1.0, 2.0)).findings(Body({}, "a.stl", "a.stl"))
    assert found.message == "cannot check max-mass, density-range: no mass is known; give density= or material="
    (found,) = Expectations(max_mass="1kg").findings(Body({"section": {"area": 1.0}}, "a.csv", "a.csv"))
    assert found.message.startswith(
        "cannot check max-mass: a section has an area alone; "
    )  # a density gives it no mass


def test_a_density_that_is_not_stated_is_mass_per_volume() -> None:
    (found,) = Expectations(density_range=Range(1.0, 2.0)).findings(body(density=None))
    assert found.value == 8.0 / 0.008


# --- settings --------------------------------------------------------------------------------------------------------


def test_later_levels_are_stronger_and_severities_add_up() -> None:
    chosen = Settings.of(
        [
            {"units": "mm", "severity": {"open-edges": "warning"}, "density": 1000},
            {"units": "in", "severity": {"zero-volume": "info"}, "material": "steel"},
        ]
    )
    assert chosen.measuring == {"units": "in", "material": "steel"}
    assert chosen.severity == {"open-edges": "warning", "zero-volume": "info"}


def test_findings_are_selected_ignored_and_weighed() -> None:
    severities = {"implausible-size": "warning", "open-edges": "error", "triangle-inequality": "error"}
    found = [Finding(code, severity, "") for code, severity in severities.items()]

    def codes(**level: Any) -> list[tuple[str, str]]:
        return [(f.code, f.severity) for f in Settings.of([level]).judge(found)]

    assert codes() == [("open-edges", "error"), ("triangle-inequality", "error"), ("implausible-size", "warning")]
    assert codes(select=("surface",)) == [("open-edges", "error")]
    assert codes(ignore=("body", "open-edges")) == [("implausible-size", "warning")]
    assert codes(select=("open-edges", "body"), ignore=("body",)) == [("open-edges", "error")]
    assert codes(severity={"open-edges": "info"})[-1] == ("open-edges", "info")  # and sorted by what it now is


@each(
    ("key", "value", "message"),
    [
        ("max-mas", 1, "unknown key 'max-mas'; did you mean max-mass?"),
        ("require", ["open"], "must be one of closed, certified, proved, single-body, gvp, got 'open'"),
        ("require", 3, "must be a list of words, got 3"),
        ("select", ["open-edge"], "unknown finding 'open-edge'; did you mean open-edges?"),
        ("severity", {"open-edges": "fatal"}, "must be one of error, warning, info, got 'fatal'"),
        ("severity", ["open-edges"], "must be a table of findings and severities, got ['open-edges']"),
        ("fail-on", "all", "must be one of error, warning, info, never, got 'all'"),
        ("max-mass", True, "must be a text or a number, got True"),
        ("verify", "xrays", "must be one of none, closed, xray, proof, auto, got 'xrays'"),
    ],
)
def test_what_is_no_setting_is_refused(key: str, value: Any, message: str) -> None:
    assert refused(InvalidInput, settings.parse, key, value) == message


def test_every_setting_can_be_said_and_every_word_is_a_setting() -> None:
    # a parser without a field would be read and have no effect
    fields = {name.replace("_", "-") for name in (*Settings.__dataclass_fields__, *settings.MEASURING)}
    assert fields - {"measuring"} == set(settings.PARSERS)
