"""Markdown, for the summary of a job or a comment on a review: what failed, why, and what to do."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from massprops.checking.report import Report
from massprops.findings import SEVERITIES
from massprops.formats.escaping import markdown
from massprops.report.check import summary
from massprops.report.ci.entries import Entry, entries


def text(report: Report) -> str:
    """The report as a table and the help of the rules in it."""
    return "".join(line + "\n" for line in _lines(report))


def _lines(report: Report) -> Iterator[str]:
    found = sorted(entries(report), key=lambda e: (not e.fails, SEVERITIES.index(e.severity)))
    passed = not any(e.fails for e in found)
    yield f"## massprops: {'passed' if passed else 'failed'}"
    yield f"\n{summary(report)}"
    if not found:
        return
    yield "\n| | File | Finding | |\n|---|---|---|---|"
    yield from (_row(e) for e in found)
    yield ""
    helps = {e.code: f"- **{markdown(e.code)}**: {e.rule.short}. {e.rule.long}" for e in found}
    yield from helps.values()
    for path, picture in report.pictures.items():
        yield f"\n![{markdown(path)}]({quote(picture)})"


def _row(entry: Entry) -> str:
    line = f":{entry.line}" if entry.line is not None else ""
    where = markdown(
        f"{entry.subject.file}{line}" + (f" {entry.subject.place}" if entry.subject.place is not None else "")
    )
    mark = "failed" if entry.fails else entry.severity
    return f"| {mark} | {where} | {markdown(entry.code)} | {markdown(entry.message)} |"
