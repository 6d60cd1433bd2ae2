"""The formats of CI systems, read by parsers that know nothing of massprops."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import get_args

import pytest
from cases import each
from console import OUTWARD, ascii_stl, run

from massprops.checking.report import Checked, Report, Subject
from massprops.checking.rules import rules
from massprops.errors import ReadError
from massprops.findings import Finding
from massprops.formats.bodies.json_results import Body
from massprops.writers.ci import FORMATS

HOLE = Finding("open-edges", "error", "3 of 18 edges, 50 %0A of it: near\nhere, <there>")
LARGE = Finding("implausible-size", "warning", "120 m across")
NOTE = Finding("degenerate-rank", "info", "flat | thin")
BODY = Body({}, "", "")

#: One of each: fine, failed, with a remark only, unreadable with a line, a link of a robot with a line; names that need escaping.
REPORT = Report(
    (
        Checked(Subject("fine.stl", kind="mesh"), body=BODY),
        Checked(Subject("a,b::c%/ö #1.stl", kind="mesh"), (HOLE, LARGE)),
        Checked(Subject("flat.stl", kind="mesh"), (NOTE,), body=BODY),
        Checked(Subject("bad.obj"), error=ReadError("bad.obj:4: face refers to vertex 9", code="bad-index")),
        Checked(Subject("r.urdf", "arm", 12, "link"), (Finding("triangle-inequality", "error", "1 + 2 < 4"),)),
        Checked(Subject("r.urdf", "tip", 30, "link")),
    ),
    1.25,
)
NOTHING = Report((Checked(Subject("fine.stl", kind="mesh")),), 0.5)


def test_every_format_of_the_command_line_is_there() -> None:
    from massprops.cli.check import Format

    assert set(get_args(Format)) == {"table", "json", *FORMATS}


@each("format", FORMATS)
def test_every_remark_is_in_every_format_and_every_text_ends_a_line(format: str) -> None:
    text = FORMATS[format](REPORT)
    assert text.endswith("\n")
    assert all(code in text for code in ("open-edges", "implausible-size", "degenerate-rank", "triangle-inequality"))
    assert "bad-index" in text


# --- JUnit -----------------------------------------------------------------------------------------------------------


def test_junit_is_read_by_junitparser() -> None:
    junitparser = pytest.importorskip("junitparser")
    suites = junitparser.JUnitXml.fromstring(FORMATS["junit"](REPORT).encode())
    assert [(s.name, s.tests, s.failures, s.errors, s.skipped) for s in suites] == [
        ("fine.stl", 4, 0, 0, 0),
        ("a,b::c%/ö #1.stl", 4, 1, 0, 1),
        ("flat.stl", 4, 0, 0, 0),
        ("bad.obj", 1, 0, 1, 0),
        ("r.urdf", 4, 1, 0, 0),
    ]
    failed = [(c.classname, c.name) for s in suites for c in s if not c.is_passed and not c.is_skipped]
    assert failed == [("a,b::c%/ö #1.stl", "surface"), ("bad.obj", "file"), ("r.urdf#arm", "body")]


def test_junit_counts_are_those_of_its_cases() -> None:
    root = ET.fromstring(FORMATS["junit"](REPORT))  # noqa: S314  # our own text
    for key, tag in {"tests": "testcase", "failures": "failure", "errors": "error", "skipped": "skipped"}.items():
        assert int(root.attrib[key]) == len(list(root.iter(tag))) == sum(int(s.attrib[key]) for s in root)


def test_junit_says_nothing_passed_that_was_not_looked_at() -> None:
    # a body inside an open surface has no numbers, and nobody stated what was agreed
    root = ET.fromstring(FORMATS["junit"](REPORT))  # noqa: S314
    cases = {(c.get("classname"), c.get("name")): c for c in root.iter("testcase")}
    assert cases["a,b::c%/ö #1.stl", "body"].find("skipped") is not None
    assert cases["a,b::c%/ö #1.stl", "plausibility"].find("system-out").text == "warning implausible-size: 120 m across"
    assert ("fine.stl", "expectation") not in cases
    assert ("fine.stl", "golden") not in cases


# --- SARIF -----------------------------------------------------------------------------------------------------------


def sarif(report: Report = REPORT) -> dict:
    return json.loads(FORMATS["sarif"](report))


@pytest.mark.parametrize("report", [REPORT, NOTHING])
def test_sarif_is_a_log_of_version_2_1_0_to_an_independent_model(report: Report) -> None:
    model = pytest.importorskip("sarif_pydantic").Sarif
    log = model.model_validate(sarif(report))
    results = log.runs[0].results
    assert len(results) == (5 if report is REPORT else 0)


def test_sarif_results_point_to_their_rules_lines_and_links() -> None:
    run_ = sarif()["runs"][0]
    known = run_["tool"]["driver"]["rules"]
    for result in run_["results"]:
        rule = known[result["ruleIndex"]]
        assert rule["id"] == result["ruleId"]
        expected = rules().get(rule["id"], rules()["unreadable-file"])
        assert (rule["shortDescription"]["text"], rule["help"]["text"]) == (expected.short, expected.long)
    found = {r["ruleId"]: r for r in run_["results"]}
    arm = found["triangle-inequality"]["locations"][0]
    assert arm["physicalLocation"]["region"] == {"startLine": 12}
    assert arm["logicalLocations"][0]["fullyQualifiedName"] == "r.urdf#arm"
    assert found["bad-index"]["locations"][0]["physicalLocation"]["region"] == {"startLine": 4}
    assert [r["level"] for r in run_["results"]] == ["error", "warning", "note", "error", "error"]


def test_sarif_uris_come_back_as_the_paths() -> None:
    from urllib.parse import unquote, urlsplit

    location = sarif()["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    parts = urlsplit(location["uri"])
    assert (parts.scheme, parts.query, parts.fragment) == ("", "", "")
    assert unquote(parts.path) == "a,b::c%/ö #1.stl"
    absolute = sarif(Report((Checked(Subject("/x y.stl"), (HOLE,)),)))["runs"][0]["results"][0]
    assert absolute["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "file:///x%20y.stl"


def test_a_remark_keeps_its_fingerprint_when_its_numbers_change() -> None:
    def prints(message: str, path: str = "a.stl") -> list[str]:
        report = Report((Checked(Subject(path), (Finding("open-edges", "error", message),)),))
        return [r["partialFingerprints"]["subjectAndRule/v1"] for r in sarif(report)["runs"][0]["results"]]

    assert prints("3 edges") == prints("4 edges") != prints("3 edges", "b.stl")


# --- GitHub ----------------------------------------------------------------------------------------------------------


def decoded(line: str) -> tuple[str, dict[str, str], str]:
    """A workflow command as the runner takes it apart (ActionCommand.cs): properties end at commas, the rest at ``::``."""

    def unescaped(text: str, *more: tuple[str, str]) -> str:
        for code, char in (("%0D", "\r"), ("%0A", "\n"), *more, ("%25", "%")):
            text = text.replace(code, char)
        return text

    _, head, data = line.split("::", 2)
    name, _, properties = head.partition(" ")
    pairs = (p.split("=", 1) for p in properties.split(","))
    return name, {k: unescaped(v, ("%3A", ":"), ("%2C", ",")) for k, v in pairs}, unescaped(data)


def test_github_annotations_say_after_decoding_what_was_found() -> None:
    lines = [decoded(line) for line in FORMATS["github"](REPORT).splitlines()]
    assert [line[0] for line in lines] == ["error", "error", "error", "warning", "notice"]  # the worst first
    hole = lines[0]
    assert hole[1]["file"] == "a,b::c%/ö #1.stl"
    assert hole[2] == HOLE.message.replace("\n", "\\n")  # a name breaks no line of the log
    assert {**lines[2][1], "title": ""} == {"file": "r.urdf", "line": "12", "title": ""}
    assert lines[2][2] == "arm: 1 + 2 < 4"


def test_nothing_found_is_no_annotation() -> None:
    assert FORMATS["github"](NOTHING) == ""


# --- GitLab and Markdown ---------------------------------------------------------------------------------------------

#: https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format, as a schema.
CODE_QUALITY = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "required": ["path", "lines"],
                "properties": {"path": {"not": {"pattern": "^\\./"}}, "lines": {"required": ["begin"]}},
            },
        },
    },
}


def test_gitlab_issues_have_what_its_documentation_asks_for() -> None:
    import jsonschema

    twice = Report((Checked(Subject("a.stl"), (HOLE, HOLE)),))
    for report in (REPORT, NOTHING, twice):
        issues = json.loads(FORMATS["gitlab"](report))
        jsonschema.validate(issues, CODE_QUALITY)
        assert len({i["fingerprint"] for i in issues}) == len(issues)
    assert [i["location"]["lines"]["begin"] for i in json.loads(FORMATS["gitlab"](REPORT))] == [1, 1, 1, 4, 12]


def test_markdown_has_a_row_for_each_remark_and_no_markup_of_the_files() -> None:
    text = FORMATS["markdown"](REPORT)
    assert text.startswith("## massprops: failed\n\n5 files, 2 failed, 1 unreadable, 1 warning, 1.2 s\n")
    rows = [line for line in text.splitlines() if line.startswith("| ")][1:]
    assert [r.split(" | ")[0].removeprefix("| ") for r in rows] == ["failed", "failed", "failed", "warning", "info"]
    assert "flat \\| thin" in text
    assert "<there>" not in text
    assert FORMATS["markdown"](NOTHING) == "## massprops: passed\n\n1 file, 0 failed, 0 unreadable, 0 warnings, 0.5 s\n"


def test_markdown_has_three_places_of_a_code_in_a_file() -> None:
    places = tuple(Finding("self-intersecting", "warning", f"facets {k} cross") for k in range(5))
    report = Report(tuple(Checked(Subject(name, kind="mesh"), places) for name in ("a.stl", "b.stl")), 0.5)
    text = FORMATS["markdown"](report)
    assert [text.count(f"facets {k} cross") for k in range(5)] == [2, 2, 2, 0, 0]
    assert "| | a.stl: self-intersecting: and 2 more | | |" in text


# --- from outside ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("format", FORMATS)
def test_the_exit_code_does_not_depend_on_the_format(format: str, tmp_path: Path) -> None:
    (tmp_path / "part.stl").write_text(ascii_stl(), encoding="ascii")
    (tmp_path / "hole.stl").write_text(ascii_stl(OUTWARD[:3]), encoding="ascii")
    good = run("check", "part.stl", "--format", format, cwd=tmp_path)
    bad = run("check", "part.stl", "hole.stl", "--format", format, cwd=tmp_path)
    assert (good.returncode, bad.returncode) == (0, 1)
    assert "open-edges" in bad.out


@each("form", ["junit", "markdown", "github", "sarif", "gitlab"])
def test_a_finding_in_an_included_file_is_reported_with_that_file_and_its_line(form: str) -> None:
    subject = Subject("robot.xml", "arm", 7, "link", "parts/arm.xml")
    text = FORMATS[form](Report((Checked(subject, (Finding("pseudo-inertia", "error", "no body has it"),)),)))
    assert "parts/arm.xml" in text
    assert re.search(r"parts/arm\.xml:7|line=7|\b7\b", text)
    assert "robot.xml:7" not in text
