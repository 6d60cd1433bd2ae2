"""Workflow commands of GitHub Actions, which become annotations of a pull request's files.

https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions; of each step GitHub shows the first ten errors and
ten warnings, so errors come first.
"""

from __future__ import annotations

from massprops.checking.report import Report
from massprops.findings import SEVERITIES
from massprops.formats.escaping import github_data, github_property
from massprops.report.ci.entries import Entry, entries, titled

_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}


def text(report: Report) -> str:
    """A line for each remark, the worst first; nothing where nothing was found."""
    ordered = sorted(entries(report), key=lambda e: (not e.fails, SEVERITIES.index(e.severity)))
    return "".join(_command(e) + "\n" for e in ordered)


def _command(entry: Entry) -> str:
    properties = {
        "file": entry.subject.file,
        "line": str(entry.line or 1),
        "title": f"{entry.code}: {entry.rule.short}",
    }
    said = ",".join(f"{name}={github_property(value)}" for name, value in properties.items())
    return f"::{_COMMANDS[entry.severity]} {said}::{github_data(titled(entry))}"
