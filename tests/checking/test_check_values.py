"""What `check` is made of: patterns, ranges, expectations, settings, golden values, baselines. The command itself: test_check.py."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import each

from massprops.checking import expected, settings
from massprops.checking.baseline import Baseline, baseline_text
from massprops.checking.expected import ExpectedResults, changes, update_results
from massprops.checking.report import STATUSES, Checked, Report, Subject
from massprops.checking.rules import FAMILIES, rules
from massprops.checking.settings import Box, Expectations, Range, Settings
from massprops.errors import InvalidInput, ReadError
from massprops.findings import Finding
from massprops.formats.config_file import matches
from massprops.formats.mesh.arrays import from_soup
from massprops.formats.text import lines_of
from massprops.mesh.components import count_bodies
from massprops.units import parse_density, parse_mass

PACKAGE = Path(expected.__file__).parents[1]

#: A box of 0.1 × 0.2 × 0.4 m at (1, 2, 3), of water: every number is exact in decimal, and all three moments differ.
RESULT: dict[str, Any] = {
    "schema": "massprops/1",
    "input": {"path": "box.stl", "bodies": 1},
    "grade": "certified",
    "density": 1000.0,
    "mass": 8.0,
    "volume": 0.008,
    "area": 0.28,
    "center_of_mass": [1.05, 2.1, 3.2],
    "inertia": {"tensor": [[0.13, 0.0, 0.0], [0.0, 0.11, 0.0], [0.0, 0.0, 0.03]]},
    "radii_of_gyration": [0.13, 0.12, 0.06],
    "bounds": {"min": [1.0, 2.0, 3.0], "max": [1.1, 2.2, 3.4]},
}


def finding(
    code: str = "open-edges", severity: Any = "error", value: float | None = None, limit: float | None = 0.0
) -> Finding:
    return Finding(code, severity, "it is so", value, limit)


# --- patterns --------------------------------------------------------------------------------------------------------


@each(
    ("pattern", "path", "place", "meant"),
    [
        ("*.stl", "a.stl", None, True),
        ("*.stl", "deep/er/a.stl", None, True),  # no slash: a name in any folder
        ("*.stl", "a.stl.bak", None, False),
        ("parts/*.stl", "parts/a.stl", None, True),
        ("parts/*.stl", "parts/left/a.stl", None, False),  # a star stays in its folder
        ("parts/**/*.stl", "parts/left/a.stl", None, True),
        ("parts/**/*.stl", "parts/a.stl", None, True),  # and two stars mean no folder as well
        ("parts/**", "parts/left/a.stl", None, True),
        ("./parts/a.stl", "parts/a.stl", None, True),
        ("a?.stl", "a1.stl", None, True),
        ("a[!0-9].stl", "a1.stl", None, False),
        ("a[!0-9].stl", "ab.stl", None, True),
        ("a.stl", "axstl", None, False),  # a dot is a dot
        ("*.urdf#left_*", "r.urdf", "left_arm", True),
        ("*.urdf#left_*", "r.urdf", "right_arm", False),
        ("*.urdf#left_*", "r.urdf", None, False),
        ("*.urdf", "r.urdf", "right_arm", True),
    ],
)
def test_a_pattern_means_what_people_mean_by_it(pattern: str, path: str, place: str | None, meant: bool) -> None:
    assert matches(pattern, path, place) is meant


# --- ranges and boxes ------------------------------------------------------------------------------------------------


def test_a_range_is_a_value_with_a_tolerance_or_two_limits() -> None:
    # 5 % of 1.2 is 0.06; the ends are sums of two doubles: one rounding each
    assert Range.parse("1.2kg±5%", parse_mass, "") == Range(
        pytest.approx(1.14, rel=1e-15), pytest.approx(1.26, rel=1e-15)
    )
    assert Range.parse("1200g..1.3kg", parse_mass, "") == Range(1.2, 1.3)
    assert Range.parse("2600..2.8g/cm3", parse_density, "") == Range(2600.0, 2800.0)


def test_limits_belong_to_the_range() -> None:
    agreed = Range(1.0, 2.0)
    assert [agreed.broken(x) for x in (1.0, 2.0, np.nextafter(1.0, 0.0), np.nextafter(2.0, 3.0))] == [
        None,
        None,
        1.0,
        2.0,
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1.2kg", "'1.2kg' has no tolerance; for example 1.2kg±5%"),
        ("2..1", "the range '2..1' has its limits in the wrong order"),
        ("1..2mm", "mass must be a mass such as 1.2 kg, got '2mm', a length"),
    ],
)
def test_what_is_no_range_is_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        Range.parse(text, parse_mass, "1.2kg±5%")
    if text != "1..2mm":  # the words of units are theirs to choose
        assert str(caught.value) == message
    else:
        assert "2mm" in str(caught.value)


def test_a_box_is_two_corners() -> None:
    assert Box.parse("0 0 0 80mm, 40mm, 0.02") == Box((0.0, 0.0, 0.0), (0.08, 0.04, 0.02))
    with pytest.raises(InvalidInput, match=re.escape("'0 0 0 1 1' is not six lengths; for example")):
        Box.parse("0 0 0 1 1")
    with pytest.raises(
        InvalidInput, match=re.escape("'0 0 2 1 1 1' has its limits in the wrong order; give the lower corner first")
    ):
        Box.parse("0 0 2 1 1 1")


# --- expectations ----------------------------------------------------------------------------------------------------


@each(
    ("agreed", "code", "message", "value", "limit"),
    [
        (
            Expectations(mass=Range(6.0, 7.5)),
            "unexpected-mass",
            "mass 8 kg exceeds the limit of 7.5 kg by 6.7 %",
            8.0,
            7.5,
        ),
        (
            Expectations(max_mass=4.0),
            "unexpected-mass",
            "mass 8 kg exceeds the limit of 4 kg by 100 %",
            8.0,
            4.0,
        ),
        (
            Expectations(volume=Range(0.01, 0.02)),
            "unexpected-volume",
            "volume 0.008 m³ is below the limit of 0.01 m³ by 20 %",
            0.008,
            0.01,
        ),
        (
            Expectations(density_range=Range(500.0, 800.0)),
            "unexpected-density",
            "density 1000 kg/m³ exceeds the limit of 800 kg/m³ by 25 %",
            1000.0,
            800.0,
        ),
        (
            Expectations(com_box=Box((0.0, 0.0, 0.0), (2.0, 2.0, 4.0))),
            "unexpected-center",
            "centre of mass: y 2.1 m exceeds the limit of 2 m",
            2.1,
            2.0,
        ),
    ],
)
def test_a_violated_limit_is_stated_with_by_how_much(
    agreed: Expectations, code: str, message: str, value: float, limit: float
) -> None:
    (found,) = agreed.findings(RESULT)
    assert (found.code, found.severity, found.message, found.value, found.limit) == (
        code,
        "error",
        message,
        value,
        limit,
    )


def test_the_size_is_the_longest_side() -> None:
    # sides 0.1, 0.2, 0.4 m; 3.4 − 3.0 is rounded in the last place of 3.4
    assert Expectations(max_size=0.4 + 1e-15).findings(RESULT) == []
    (found,) = Expectations(max_size=0.3).findings(RESULT)
    assert (found.code, found.value) == ("unexpected-size", pytest.approx(0.4, abs=1e-15))


def test_a_number_just_beyond_its_limit_is_written_with_enough_digits() -> None:
    (found,) = Expectations(max_mass=7.99999).findings(RESULT)
    assert found.message == "mass 8 kg exceeds the limit of 7.99999 kg by 0.00013 %"
    (found,) = Expectations(max_mass=8 / 24).findings(RESULT)
    assert found.message == "mass 8 kg is 24 times the limit of 0.3333 kg"


def test_limits_that_hold_give_no_finding() -> None:
    agreed = Expectations(
        Range(7.9, 8.1),
        8.0,
        Range(0.008, 0.009),
        Range(1000.0, 1000.0),
        Box((1, 2, 3), (1.1, 2.2, 3.4)),
        0.5,
        ("closed", "certified", "single-body"),
    )
    assert agreed.findings(RESULT) == []


@pytest.mark.parametrize(
    ("word", "change", "message"),
    [
        ("certified", {"grade": "closed"}, "certified is required, and the grade is closed"),
        ("certified", {"grade": "unverified"}, "certified is required, and the grade is unverified"),
        ("closed", {"grade": "unverified"}, "closed is required, and the grade is unverified"),
        ("single-body", {"input": {"bodies": 2}}, "single-body is required, and there are 2 separate bodies"),
    ],
)
def test_what_is_required_and_does_not_hold(word: str, change: dict[str, Any], message: str) -> None:
    (found,) = Expectations(require=(word,)).findings({**RESULT, **change})
    assert (found.code, found.message) == ("requirement-not-met", message)


def test_what_cannot_be_checked_does_not_pass() -> None:
    agreed = Expectations(
        mass=Range(1.0, 2.0), max_size=1.0, com_box=Box((0, 0, 0), (1, 1, 1)), require=("closed", "single-body")
    )
    (found,) = agreed.findings({"grade": "stated"})
    assert found.code == "not-measured"
    assert found.message == "cannot check mass, max-size, com-box, closed, single-body: the result has none"
    (found,) = agreed.findings(None)
    assert found.message == "cannot check mass, com-box, max-size, closed, single-body: there is no valid integral"
    assert Expectations().findings(None) == []


def test_a_density_that_is_not_stated_is_mass_per_volume() -> None:
    (found,) = Expectations(density_range=Range(1.0, 2.0)).findings({**RESULT, "density": None})
    assert found.value == 8.0 / 0.008


# --- settings --------------------------------------------------------------------------------------------------------


def test_later_levels_are_stronger_and_severities_add_up() -> None:
    chosen = Settings.of(
        [
            {"units": "mm", "severity": {"open-edges": "warning"}, "density": 1000},
            {"units": "in", "severity": {"zero-volume": "info"}, "material": "steel"},
        ]
    )
    assert (chosen.units, chosen.density, chosen.material) == ("in", None, "steel")
    assert chosen.severity == {"open-edges": "warning", "zero-volume": "info"}


def test_findings_are_selected_ignored_and_weighed() -> None:
    found = [finding("implausible-size", "warning"), finding("open-edges"), finding("triangle-inequality")]

    def codes(**level: Any) -> list[tuple[str, str]]:
        return [(f.code, f.severity) for f in Settings.of([level]).judged(found)]

    assert codes() == [("open-edges", "error"), ("triangle-inequality", "error"), ("implausible-size", "warning")]
    assert codes(select=("surface",)) == [("open-edges", "error")]
    assert codes(ignore=("body", "open-edges")) == [("implausible-size", "warning")]
    assert codes(select=("open-edges", "body"), ignore=("body",)) == [("open-edges", "error")]
    assert codes(severity={"open-edges": "info"})[-1] == ("open-edges", "info")  # and sorted by what it now is


@each(
    ("key", "value", "message"),
    [
        ("max-mas", 1, "unknown key 'max-mas'; did you mean max-mass?"),
        ("require", ["open"], "must be one of closed, certified, proved, single-body, got 'open'"),
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
    with pytest.raises(InvalidInput) as caught:
        settings.parse(key, value)
    assert str(caught.value) == message


def test_every_setting_can_be_said_and_every_word_is_a_setting() -> None:
    # a parser without a field would be read and have no effect
    fields = {name.replace("_", "-") for name in Settings.__dataclass_fields__}
    fields -= {"lines"}  # of the X-ray: an option of compute
    assert fields == set(settings.PARSERS)
    assert set(settings.Expectations.__dataclass_fields__) <= set(Settings.__dataclass_fields__)


# --- rules -----------------------------------------------------------------------------------------------------------


def test_every_finding_in_the_code_has_help() -> None:
    text = "\n".join(p.read_text(encoding="utf-8") for p in PACKAGE.rglob("*.py"))
    named = set(re.findall(r'Finding\(\s*"([a-z-]+)"', text))
    assert len(named) > 20  # else the search is blind
    assert named - set(rules()) == set()
    assert {r.family for r in rules().values()} == set(FAMILIES)


# --- golden values ---------------------------------------------------------------------------------------------------


def record(path: Path, *results: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(r) + "\n" for r in results), encoding="utf-8")
    return path


def test_a_result_does_not_differ_from_itself() -> None:
    assert changes(RESULT, RESULT, 0.0) == []


@pytest.mark.parametrize(
    ("change", "name", "relative"),
    [
        ({"mass": 8.08}, "mass", 0.01),
        ({"volume": 0.0076}, "volume", 0.05),
        # of the diagonal of the bounds, √0.21 m, and not of the coordinate, which only says where the origin is
        ({"center_of_mass": [1.05, 2.1, 3.2 + 0.01]}, "center_of_mass", 0.01 / 0.21**0.5),
        # of the largest entry: a product that was zero has no size of its own
        ({"inertia": {"tensor": [[0.13, 0.0013, 0], [0.0013, 0.11, 0], [0, 0, 0.03]]}}, "inertia", 0.01),
    ],
)
def test_a_change_is_relative_to_the_size_of_what_changed(change: dict[str, Any], name: str, relative: float) -> None:
    (found,) = changes(RESULT, {**RESULT, **change}, 1e-6)
    # differences of decimal numbers of size 1: their rounding over the difference
    assert (found.name, found.relative) == (name, pytest.approx(relative, rel=1e-12))
    told = found.finding
    assert (told.code, told.value, told.limit) == ("changed-value", found.relative, 1e-6)
    assert changes(RESULT, {**RESULT, **change}, relative * 1.001) == []
    assert len(changes(RESULT, {**RESULT, **change}, relative * 0.999)) == 1


def test_a_number_that_is_gone_is_a_change() -> None:
    (found,) = changes(RESULT, {**RESULT, "mass": None}, 1e-6)
    assert (str(found), found.finding.value) == ("mass 8 kg → none", None)
    (found,) = changes({**RESULT, "mass": None}, RESULT, 1e-6)
    assert str(found) == "mass none → 8 kg"


def test_results_are_found_beside_their_file_and_from_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gold").mkdir()
    other = {**RESULT, "input": {"path": "../part.stl"}, "mass": 1.0}
    book = ExpectedResults.read(str(record(tmp_path / "gold" / "g.jsonl", RESULT, other)))
    monkeypatch.chdir(tmp_path)
    assert book.record(str(tmp_path / "gold" / "box.stl"), None)["mass"] == 8.0  # type: ignore[index]
    assert book.record("part.stl", None)["mass"] == 1.0  # type: ignore[index]
    assert book.record("part.stl", "link") is None
    assert book.record("unknown.stl", None, alone=True) is None  # two results: which is meant?
    alone = ExpectedResults.read(str(record(tmp_path / "one.json", RESULT)))
    assert alone.record("unknown.stl", None, alone=True) is not None
    assert alone.record("unknown.stl", None) is None


def test_what_was_not_recorded_is_said_unless_there_is_nothing_to_record(tmp_path: Path) -> None:
    book = ExpectedResults.read(str(record(tmp_path / "g.jsonl", RESULT, {**RESULT, "input": {"path": "b.stl"}})))
    (found,) = book.findings("new.stl", None, RESULT)
    assert (found.code, found.message) == ("not-recorded", f"{tmp_path / 'g.jsonl'} has no result for it")
    assert book.findings("new.stl", None, None) == []
    (found,) = book.findings(str(tmp_path / "box.stl"), None, None)
    assert found.code == "not-measured"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1]\n", "{}:1: is not a massprops/1 object; make one with --format json"),
        ('\n{"schema": "massprops/1", "input": {}, "error": {}}', "{}:2: is the report of an error; record it again"),
        (
            "{",
            (
                "{}:1: not valid JSON: Expecting property name enclosed in double quotes at column 2; "
                "the file is damaged or cut off; export or copy it again"
            ),
        ),
    ],
)
def test_what_holds_no_results_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "g.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ReadError) as caught:
        ExpectedResults.read(str(path))
    assert str(caught.value) == message.format(path)


def test_an_update_replaces_what_changed_and_leaves_the_rest(tmp_path: Path) -> None:
    box, part = tmp_path / "box.stl", tmp_path / "part.stl"
    book = ExpectedResults.read(
        str(record(tmp_path / "g.jsonl", {**RESULT, "note": "kept"}, {**RESULT, "input": {"path": "part.stl"}}))
    )
    same = {**RESULT, "mass": 8.0 * (1 + 1e-9)}
    results, told = update_results(book, [(Subject(str(box)), same), (Subject(str(part)), {**RESULT, "mass": 10.0})])
    assert told == [f"{part}: mass 8 kg → 10 kg, by 25 %"]
    lines = [json.loads(line) for line in expected.results_text(results, str(tmp_path / "g.jsonl")).splitlines()]
    assert [(r["input"]["path"], r["mass"], r.get("note")) for r in lines] == [
        ("box.stl", 8.0, "kept"),
        ("part.stl", 10.0, None),
    ]


# --- baselines -------------------------------------------------------------------------------------------------------


def test_a_known_finding_does_not_count_until_it_grows(tmp_path: Path) -> None:
    path, subject = tmp_path / "known.json", Subject(str(tmp_path / "a.stl"))
    path.write_text(baseline_text([Checked(subject, (finding(value=3.0),))], str(path)), encoding="utf-8")
    baseline = Baseline.read(str(path))

    def status(*found: Finding, of: Subject = subject) -> tuple[str, int]:
        divided = baseline.separate_known(Checked(of, found))
        return divided.status, len(divided.known)

    assert status(finding(value=3.0)) == ("ok", 1)
    assert status(finding(value=2.0)) == ("ok", 1)
    assert status(finding(value=4.0)) == ("failed", 0)
    assert status(finding("zero-volume", value=3.0)) == ("failed", 0)
    assert status(finding(value=3.0), of=Subject(str(tmp_path / "b.stl"))) == ("failed", 0)
    assert status(finding(value=3.0), of=Subject(subject.path, "link")) == ("failed", 0)


def test_findings_that_are_gone_are_counted_for_the_files_that_were_checked(tmp_path: Path) -> None:
    path, one, two = tmp_path / "known.json", Subject(str(tmp_path / "a.stl")), Subject(str(tmp_path / "b.stl"))
    found = [Checked(one, (finding(value=3.0), finding("zero-volume"))), Checked(two, (finding(),))]
    path.write_text(baseline_text(found, str(path)), encoding="utf-8")
    baseline = Baseline.read(str(path))
    assert (
        baseline.stale([baseline.separate_known(Checked(one, (finding(value=2.0),)))]) == 1
    )  # b.stl was not looked at
    assert baseline.stale([baseline.separate_known(c) for c in found]) == 0
    assert (
        baseline.stale([baseline.separate_known(Checked(one, (finding(value=9.0), finding("zero-volume"))))]) == 0
    )  # grown, not gone


def test_information_is_not_worth_a_line_of_a_baseline(tmp_path: Path) -> None:
    text = baseline_text(
        [Checked(Subject("a.stl"), (finding(severity="info"), finding(severity="warning")))], str(tmp_path / "k.json")
    )
    assert [e["code"] for e in json.loads(text)["known"]] == ["open-edges"]


def test_what_is_no_baseline_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "k.json"
    path.write_text('{"schema": "massprops/1"}', encoding="utf-8")
    with pytest.raises(ReadError) as caught:
        Baseline.read(str(path))
    assert str(caught.value) == f"{path}: not a baseline (massprops-baseline/1); make one with --update-baseline"


# --- reports ---------------------------------------------------------------------------------------------------------


def test_a_subject_is_as_bad_as_its_worst_finding_and_a_file_as_its_worst_subject() -> None:
    file = [Subject("r.urdf", name, kind="link") for name in "abc"]
    checked = (
        Checked(file[0], (finding(severity="info"),)),
        Checked(file[1], (finding(severity="warning"),)),
        Checked(file[2], (finding(severity="warning"), finding())),
        Checked(Subject("b.stl"), error=ReadError("b.stl: no such file")),
        Checked(Subject("c.stl"), (finding(severity="warning"),), fail_on="warning"),
        Checked(Subject("d.stl"), (finding(),), fail_on=None),
    )
    assert [c.status for c in checked] == ["ok", "warning", "failed", "unreadable", "failed", "warning"]
    report = Report(checked)
    assert report.by_file() == {"r.urdf": "failed", "b.stl": "unreadable", "c.stl": "failed", "d.stl": "warning"}
    assert (report.files, [report.with_status(s) for s in STATUSES]) == (4, [0, 1, 2, 1])
    assert [report.with_severity(s) for s in ("error", "warning", "info")] == [2, 3, 1]


# --- lines of the configuration --------------------------------------------------------------------------------------

TOML = """units = "mm"
[severity]
open-edges = "info"
[files."*.stl"]
mass = "1kg"
"max-mass" = 2
[tool.massprops]
units = "in"
[tool.massprops.files.'a [b].stl']  # odd, and allowed
volume.x = 1
"""


@each(
    ("header", "key", "line"),
    [
        ((), "units", 1),
        ((), "severity", 2),
        (("severity",), "open-edges", 3),
        (("files", "*.stl"), "mass", 5),
        (("files", "*.stl"), "max-mass", 6),
        (("tool", "massprops"), "units", 8),
        (("tool", "massprops", "files", "a [b].stl"), "volume", 10),
        ((), "mass", None),
    ],
)
def test_the_line_of_a_key_is_that_in_its_own_table(header: tuple[str, ...], key: str, line: int | None) -> None:
    assert lines_of(TOML).get((*header, key)) == line


# --- bodies ----------------------------------------------------------------------------------------------------------


def cube(size: float, at: float) -> np.ndarray:
    corners = np.array([[x, y, z] for x in (0, size) for y in (0, size) for z in (0, size)]) + at
    quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    return corners[[[q[0], q[i], q[i + 1]] for q in quads for i in (1, 2)]]


def test_bodies_are_counted_and_cavities_are_not() -> None:
    outer, apart, cavity = cube(4.0, 0.0), cube(1.0, 10.0), cube(1.0, 1.0)[:, ::-1]
    for triangles, number in (
        ([outer], 1),
        ([outer, apart], 2),
        ([outer, cavity], 1),
        ([cavity, apart, outer], 2),
    ):
        assert count_bodies(from_soup(np.concatenate(triangles))) == number
