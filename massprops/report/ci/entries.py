"""A report as a list of remarks: findings and read errors alike, each with its place, rule and severity."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from massprops.checking.report import Checked, Report, Subject
from massprops.checking.rules import Rule, rules
from massprops.findings import Severity

#: The rule of an error that is no finding's.
UNREADABLE = "unreadable-file"


@dataclass(frozen=True)
class Entry:
    """One remark.

    Attributes
    ----------
    subject : Subject
    code, message : str
    severity : {"error", "warning", "info"}
    fails : bool
        Whether it makes its subject fail.
    line : int or None
        From 1.
    """

    subject: Subject
    code: str
    severity: Severity
    message: str
    fails: bool
    line: int | None

    @property
    def rule(self) -> Rule:
        """Its help; of a code without help, that of files that cannot be read."""
        return rule_of(self.code)


def entries(report: Report) -> Iterator[Entry]:
    """The remarks of a report, in the order of its files; what the baseline knows is left out."""
    for checked in report.checked:
        yield from entries_of(checked)


def entries_of(checked: Checked) -> Iterator[Entry]:
    """The remarks about one subject."""
    subject = checked.subject
    if checked.error is not None:
        line = subject.line or _line_in(checked.reason, subject.path)
        yield Entry(subject, checked.error.code, "error", checked.reason, True, line)
    for f in checked.findings:
        yield Entry(subject, f.code, f.severity, f.message, checked.fails(f), subject.line)


def _line_in(message: str, path: str) -> int | None:
    """The line that a reader's message begins with: ``part.obj:4: …``."""
    found = re.match(re.escape(path) + r":(\d+)\b", message)
    return int(found[1]) if found else None


def rule_of(code: str) -> Rule:
    """The help of a code; errors that keep a file from being read have theirs together."""
    known = rules()
    return known.get(code) or known[UNREADABLE]


def titled(entry: Entry) -> str:
    """``arm: message`` for a link, the message for a file."""
    return entry.message if entry.subject.place is None else f"{entry.subject.place}: {entry.message}"
