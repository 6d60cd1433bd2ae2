"""Baselines: known findings do not count until they get worse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cases import refused

from massprops.checking.baseline import Baseline, baseline_text
from massprops.checking.report import Checked, Subject
from massprops.errors import ReadError
from massprops.findings import Finding


def finding(code: str = "open-edges", severity: Any = "error", value: float | None = None) -> Finding:
    return Finding(code, severity, "it is so", value, 0.0)


def baseline(folder: Path, *checked: Checked) -> Baseline:
    path = folder / "known.json"
    path.write_text(baseline_text(checked, str(path)), encoding="utf-8")
    return Baseline.read(str(path))


def test_a_known_finding_does_not_count_until_it_grows(tmp_path: Path) -> None:
    subject = Subject(str(tmp_path / "a.stl"))
    known = baseline(tmp_path, Checked(subject, (finding(value=0.3),)))

    def status(found: Finding, of: Subject = subject) -> tuple[str, int]:
        parted = known.separate_known(Checked(of, (found,)))
        return parted.status, len(parted.known)

    assert status(finding(value=0.3)) == ("ok", 1)
    assert status(finding(value=0.2)) == ("ok", 1)
    assert status(finding(value=0.4)) == ("failed", 0)
    assert status(finding("zero-volume", value=0.3)) == ("failed", 0)
    assert status(finding(value=0.3), Subject(str(tmp_path / "b.stl"))) == ("failed", 0)
    assert status(finding(value=0.3), Subject(subject.path, "link")) == ("failed", 0)


def test_findings_that_are_gone_are_counted_for_the_files_that_were_checked(tmp_path: Path) -> None:
    one, two = Subject(str(tmp_path / "a.stl")), Subject(str(tmp_path / "b.stl"))
    found = [Checked(one, (finding(value=3.0), finding("zero-volume"))), Checked(two, (finding(),))]
    known = baseline(tmp_path, *found)
    better, worse = Checked(one, (finding(value=2.0),)), Checked(one, (finding(value=9.0), finding("zero-volume")))
    for checked, stale in (([better], 1), (found, 0), ([worse], 0)):  # b.stl was not looked at; grown is not gone
        assert known.stale([known.separate_known(c) for c in checked]) == stale


def test_information_is_not_worth_a_line_of_a_baseline(tmp_path: Path) -> None:
    found = Checked(Subject("a.stl"), (finding(severity="info"), finding(severity="warning")))
    assert [e["code"] for e in json.loads(baseline_text([found], str(tmp_path / "k.json")))["known"]] == ["open-edges"]


def test_what_is_no_baseline_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "k.json"
    path.write_text('{"schema": "massprops/1"}', encoding="utf-8")
    assert refused(ReadError, Baseline.read, str(path)) == (
        f"{path}: not a baseline (massprops-baseline/1); make one in a shell: massprops check --update-baseline"
    )
