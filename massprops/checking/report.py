"""The results of `check`: subjects, the findings on each, and the report on all of them. SI units.

Tests: `tests/checking/test_check.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal

from massprops._version import __version__
from massprops.errors import MasspropsError
from massprops.findings import SEVERITIES, Finding, Severity, reaches
from massprops.formats.escaping import html_table
from massprops.formats.files import absolute_path
from massprops.json_values import json_object, json_value
from massprops.measurement.output_units import OutputUnits
from massprops.values import dataclass
from massprops.wording import plural

if TYPE_CHECKING:
    from massprops.diagnosis.engine_body import EngineBody
    from massprops.formats.bodies.json_results import Body

SCHEMA = "massprops/1"

SubjectKind = Literal["mesh", "polygon", "link", "result", "file"]
#: The better first.
Status = Literal["ok", "warning", "failed", "unreadable"]
STATUSES: tuple[Status, ...] = ("ok", "warning", "failed", "unreadable")
DisplayNumbers = Mapping[str, float | str | None]


@dataclass(frozen=True)
class Subject:
    """A file, or one body in it, that was checked.

    Attributes
    ----------
    path : str
        As the user named it, or as it was found below a folder that the user named; with forward slashes.
    place : str or None
        The link, body or result in the file; None for the file itself.
    line : int or None
        Where that begins in the file, from 1; None where the file has no lines.
    kind : {"mesh", "polygon", "link", "result", "file"}
        ``file`` is one of which nothing more is known, such as one that cannot be read.
    included : str or None
        The file that has this line, where `path` includes that file.
    number : int
        Distinguishes those in the file that have this name: 1 for the first.
    """

    path: str
    place: str | None = None
    line: int | None = None
    kind: SubjectKind = "file"
    included: str | None = None
    number: int = 1

    @property
    def file(self) -> str:
        """The file in which it stands."""
        return self.included or self.path

    @property
    def address(self) -> str:
        """``part.stl``, ``robot.urdf#forearm``: what `check` takes to check it alone."""
        return self.path if self.place is None else f"{self.path}#{self.place}"

    @property
    def key(self) -> tuple[str, str | None]:
        """Absolute path of the file, and the link or body in it; after the first of a name with its number."""
        place = self.place if self.number == 1 else f"{self.place} ({self.number})"
        return str(absolute_path(self.path)), place


@dataclass(frozen=True)
class Checked:
    """A subject and its findings.

    Attributes
    ----------
    subject : Subject
    findings : tuple of Finding
        Selected findings, worst first, with their configured severities.
    error : MasspropsError or None
        Why it could not be read; None if it could be.
    numbers : mapping of str to float, str or None
        For display: ``grade``, ``mass``, ``volume`` …, SI units.
    known : tuple of Finding
        Those that the baseline lists: shown on request, never counted.
    withheld : tuple of Finding
        What could not be compared since there is no body: counts only where no error does.
    fail_on : {"error", "warning", "info", "never"}
        The least severity that makes it fail; ``never``: nothing does.
    body : Body or None
        What was measured or read; None where there is none.
    unit : str
        The length unit of a file that was refused.
    engines : tuple of EngineBody
        What simulators take of a link, where that was asked for.
    """

    subject: Subject
    findings: tuple[Finding, ...] = ()
    error: MasspropsError | None = None
    numbers: DisplayNumbers = field(default_factory=dict)
    known: tuple[Finding, ...] = ()
    withheld: tuple[Finding, ...] = ()
    fail_on: str = "error"
    body: Body | None = None
    unit: str = "m"
    engines: tuple[EngineBody, ...] = ()

    @property
    def reason(self) -> str:
        """Reason why it could not be read, without the name of the file or link, which is shown beside it."""
        text = "" if self.error is None else str(self.error)
        return text.removeprefix(f"{self.subject.path}: ").removeprefix(f"{self.subject.address}: ")

    def units(self, chosen: str | None = None, digits: int | None = None) -> OutputUnits:
        """Units of its numbers for people: that of the file, and one that suits its mass, but for the `chosen` ones."""
        mass: Any = self.numbers.get("mass")
        return OutputUnits.suited(self.unit if self.body is None else self.body.unit, mass, digits, chosen)

    @property
    def stored(self) -> list[Mapping[str, Any]]:
        """Values that a mesh file states of its bodies."""
        return self.body.value.get("stored", []) if self.body is not None and self.subject.kind == "mesh" else []

    @property
    def remarks(self) -> tuple[Finding, ...]:
        """Its findings; of one that could not be read also the error, as a finding."""
        error = [] if self.error is None else [Finding(self.error.code, "error", self.reason)]
        return (*error, *self.findings)

    @property
    def status(self) -> Status:
        """``unreadable``, ``failed``, ``warning`` (a warning that does not make it fail) or ``ok``."""
        if self.error is not None:
            return "unreadable"
        if any(self.fails(f) for f in self.findings):
            return "failed"
        return "warning" if any(f.severity != "info" for f in self.findings) else "ok"

    def fails(self, finding: Finding) -> bool:
        """Whether a finding of this severity makes the subject fail."""
        return reaches(finding.severity, self.fail_on)

    def to_dict(self) -> dict[str, object]:
        """Dictionary as the JSON schema spells it."""
        names = "status numbers findings known error"
        stored = {"stored": self.stored} if self.stored else {}
        names += " engines" if self.engines else ""
        return json_object(self.subject, "path file place line kind") | json_object(self, names) | stored


@dataclass(frozen=True)
class Report:
    """Report of one run, in the order of the files.

    Attributes
    ----------
    checked : tuple of Checked
    seconds : float
        How long it took.
    pictures : mapping of str to str
        Files of pictures, by the path of what failed.
    output_units : str or None
        Units of messages for people, ``mm,g``; by default those of each file. JSON is SI.
    """

    checked: tuple[Checked, ...]
    seconds: float = 0.0
    pictures: Mapping[str, str] = field(default_factory=dict)
    output_units: str | None = None

    def __repr__(self) -> str:
        """Counts of files and findings, in one line."""
        counts = (plural(self.with_severity(severity), severity) for severity in ("error", "warning"))
        failed = f"{self.with_status('failed')} failed, {self.with_status('unreadable')} unreadable"
        return f"<Report: {plural(self.files, 'file')}, {failed}, {', '.join(counts)}>"

    def _repr_html_(self) -> str:
        """Table of what was checked and found, for notebooks."""
        rows = []
        for c in self.checked:
            units = c.units(self.output_units)
            found = (f"{f.severity} {f.code}: {units.sentence(f.marked)}" for f in c.remarks)
            rows.append((c.subject.address, c.status, "\n".join(found)))
        return html_table(repr(self)[1:-1], rows, ("File", "Verdict", "Findings"))

    @property
    def files(self) -> int:
        """Number of files, readable or not."""
        return len({c.subject.path for c in self.checked})

    def with_status(self, status: Status) -> int:
        """Number of files that have a subject of this status and none of a worse one."""
        return list(self.by_file().values()).count(status)

    def by_file(self) -> dict[str, Status]:
        """The worst status of the subjects of every file."""
        worst: dict[str, Status] = {}
        for c in self.checked:
            worst[c.subject.path] = max(worst.get(c.subject.path, "ok"), c.status, key=STATUSES.index)
        return worst

    def with_severity(self, severity: Severity) -> int:
        """Number of findings of this severity, without known ones."""
        return sum(f.severity == severity for c in self.checked for f in c.findings)

    def to_dict(self) -> dict[str, object]:
        """Dictionary as the JSON schema spells it."""
        return {
            "schema": SCHEMA,
            "massprops": __version__,
            "summary": {
                "files": self.files,
                "failed": self.with_status("failed"),
                "unreadable": self.with_status("unreadable"),
                **{f"{s}s" if s != "info" else "infos": self.with_severity(s) for s in SEVERITIES},
                "known": sum(len(c.known) for c in self.checked),
            },
            "checked": json_value(self.checked),
        }
