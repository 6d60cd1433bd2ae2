"""GitLab's code quality report, a subset of the Code Climate format.

https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
"""

from __future__ import annotations

import json
from collections import Counter

from massprops.checking.report import Report
from massprops.report.ci.entries import Entry, entries, titled
from massprops.report.ci.sarif import fingerprint

_SEVERITIES = {"error": "major", "warning": "minor", "info": "info"}


def text(report: Report) -> str:
    """The report as a JSON array."""
    seen: Counter[str] = Counter()
    return json.dumps([_issue(e, seen) for e in entries(report)], indent=2) + "\n"


def _issue(entry: Entry, seen: Counter[str]) -> dict[str, object]:
    identity = fingerprint(entry)
    seen[identity] += 1
    return {
        "description": titled(entry),
        "check_name": entry.code,
        # unique in the report, and the same in the next one
        "fingerprint": identity if seen[identity] == 1 else f"{identity}-{seen[identity]}",
        "severity": _SEVERITIES[entry.severity],
        "location": {"path": entry.subject.file, "lines": {"begin": entry.line or 1}},
    }
