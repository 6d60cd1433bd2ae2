"""The catalogue of rules, and statuses and counts of reports (`checking/report.py`)."""

from __future__ import annotations

import re
from typing import Any

from places import ROOT

from massprops.checking.report import STATUSES, Checked, Report, Subject
from massprops.checking.rules import FAMILIES, rules
from massprops.errors import ReadError
from massprops.findings import Finding


def test_a_subject_is_as_bad_as_its_worst_finding_and_a_file_as_its_worst_subject() -> None:
    def checked(address: str, *severities: Any, **more: Any) -> Checked:
        path, _, link = address.partition("#")
        return Checked(Subject(path, link or None), tuple(Finding("open-edges", s, "") for s in severities), **more)

    report = Report(
        (
            checked("r.urdf#a", "info"),
            checked("r.urdf#b", "warning"),
            checked("r.urdf#c", "warning", "error"),
            checked("b.stl", error=ReadError("b.stl: no such file")),
            checked("c.stl", "warning", fail_on="warning"),
            checked("d.stl", "error", fail_on="never"),
        )
    )
    assert [c.status for c in report.checked] == ["ok", "warning", "failed", "unreadable", "failed", "warning"]
    assert report.by_file() == {"r.urdf": "failed", "b.stl": "unreadable", "c.stl": "failed", "d.stl": "warning"}
    assert (report.files, [report.with_status(s) for s in STATUSES]) == (4, [0, 1, 2, 1])
    assert [report.with_severity(s) for s in ("error", "warning", "info")] == [2, 3, 1]


def test_every_finding_in_the_code_has_help() -> None:
    text = "\n".join(p.read_text(encoding="utf-8") for p in (ROOT / "massprops").rglob("*.py"))
    named = set(re.findall(r'Finding\(\s*"([a-z-]+)"', text))
    assert len(named) > 20  # else the search is blind
    assert named - set(rules()) == set()
    assert {r.family for r in rules().values()} == set(FAMILIES)
