"""Findings of `check` in the formats of CI systems; `FORMATS` names the function of each.

All are made of the entries of a report: findings and read errors alike, each with its place, rule and severity, in the units of its file.
"""

from __future__ import annotations

import hashlib
import json
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from massprops._version import __version__
from massprops.checking.report import Checked, Report, Subject
from massprops.checking.rules import FAMILIES, Family, Rule, rules
from massprops.findings import SEVERITIES, Severity, some_of_each
from massprops.formats.escaping import github_data, github_property, markdown, plain, xml
from massprops.writers.check import summary

#: The rule of an error that is no finding's.
UNREADABLE = "unreadable-file"


@dataclass(frozen=True)
class Remark:
    """A finding or read error of a report.

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

    @property
    def titled(self) -> str:
        """``arm: message`` for a link, the message for a file."""
        return self.message if self.subject.place is None else f"{self.subject.place}: {self.message}"


def remarks(report: Report) -> Iterator[Remark]:
    """The remarks of a report, in the order of its files; what the baseline knows is left out."""
    for checked in report.checked:
        yield from remarks_of(checked, report.output_units)


def remarks_of(checked: Checked, output_units: str | None = None) -> Iterator[Remark]:
    """The remarks about one subject, in the units of its file or those that are asked for."""
    subject, units = checked.subject, checked.units(output_units)
    if checked.error is not None:
        line = re.match(re.escape(subject.path) + r":(\d+)\b", checked.reason)  # a reader's message begins with it
        number = subject.line or (int(line[1]) if line else None)
        yield Remark(subject, checked.error.code, "error", checked.reason, True, number)
    for f in checked.findings:
        yield Remark(subject, f.code, f.severity, units.sentence(f.marked), checked.fails(f), subject.line)


def rule_of(code: str) -> Rule:
    """The help of a code; errors that keep a file from being read have theirs together."""
    known = rules()
    return known.get(code) or known[UNREADABLE]


def _worst_first(report: Report) -> list[Remark]:
    return sorted(remarks(report), key=lambda e: (not e.fails, SEVERITIES.index(e.severity)))


_SARIF = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}


def as_sarif(report: Report) -> str:
    """SARIF 2.1.0, for code scanning: rules with their help, line numbers where a file has lines, links as logical locations.

    https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
    """
    found = list(remarks(report))
    codes = {code: i for i, code in enumerate(sorted({e.code for e in found}))}
    run = {
        "tool": {
            "driver": {"name": "massprops", "version": __version__, "rules": [_sarif_rule(code) for code in codes]}
        },
        "columnKind": "unicodeCodePoints",
        "results": [_sarif_result(e, codes[e.code]) for e in found],
    }
    return json.dumps({"$schema": _SARIF, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _sarif_rule(code: str) -> dict[str, Any]:
    rule = rule_of(code)
    return {
        "id": code,
        "shortDescription": {"text": rule.short},
        "fullDescription": {"text": rule.long},
        "help": {"text": rule.long},
        "properties": {"tags": [rule.family]},
    }


def _sarif_result(remark: Remark, index: int) -> dict[str, Any]:
    return {
        "ruleId": remark.code,
        "ruleIndex": index,
        "level": _LEVELS[remark.severity],
        "message": {"text": remark.message},
        "locations": [_sarif_location(remark)],
        "partialFingerprints": {"subjectAndRule/v1": fingerprint(remark)},
    }


def _sarif_location(remark: Remark) -> dict[str, Any]:
    uri = quote(remark.subject.file, errors="surrogateescape")
    location = {"uri": f"file://{uri}" if PurePosixPath(remark.subject.file).is_absolute() else uri}
    # code scanning shows no result without a region: a binary file is its first line
    physical = {"artifactLocation": location, "region": {"startLine": remark.line or 1}}
    place = {"name": remark.subject.place, "fullyQualifiedName": remark.subject.address, "kind": "element"}
    logical = {} if remark.subject.place is None else {"logicalLocations": [place]}
    return {"physicalLocation": physical, **logical}


def fingerprint(remark: Remark) -> str:
    """Fingerprint by rule and subject, whatever the numbers: a remark that stays is not a new one."""
    key = f"{remark.subject.address}\0{remark.code}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(key).hexdigest()[:32]


_GITLAB = {"error": "major", "warning": "minor", "info": "info"}


def as_gitlab(report: Report) -> str:
    """GitLab's code quality report, a subset of the Code Climate format, as a JSON array.

    https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
    """
    seen: Counter[str] = Counter()
    return json.dumps([_gitlab_issue(e, seen) for e in remarks(report)], indent=2) + "\n"


def _gitlab_issue(remark: Remark, seen: Counter[str]) -> dict[str, object]:
    identity = fingerprint(remark)
    seen[identity] += 1
    return {
        "description": remark.titled,
        "check_name": remark.code,
        # unique in the report, and the same in the next one
        "fingerprint": identity if seen[identity] == 1 else f"{identity}-{seen[identity]}",
        "severity": _GITLAB[remark.severity],
        "location": {"path": remark.subject.file, "lines": {"begin": remark.line or 1}},
    }


_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}


def as_github(report: Report) -> str:
    """Workflow commands of GitHub Actions, which become annotations of a pull request's files; nothing where nothing was found.

    https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions; of each step GitHub shows the first ten errors
    and ten warnings, so errors come first.
    """
    return "".join(_github_command(e) + "\n" for e in _worst_first(report))


def _github_command(remark: Remark) -> str:
    properties = {
        "file": remark.subject.file,
        "line": str(remark.line or 1),
        "title": f"{remark.code}: {remark.rule.short}",
    }
    said = ",".join(f"{name}={github_property(value)}" for name, value in properties.items())
    return f"::{_COMMANDS[remark.severity]} {said}::{github_data(remark.titled)}"


#: Attributes of suites, and the elements that they count.
_COUNTS = {"tests": "testcase", "failures": "failure", "errors": "error", "skipped": "skipped"}
#: Families that are always checked; expectations, recorded results and geometry have a case where something was found.
_ALWAYS: dict[str, tuple[Family, ...]] = {
    "mesh": ("file", "surface", "body", "plausibility"),
    "polygon": ("file", "surface", "body", "plausibility"),
    "link": ("file", "body"),
    "result": ("file", "body"),
    "file": ("file",),
}
_OF_A_BODY = ("body", "plausibility")


def as_junit(report: Report) -> str:
    """JUnit XML: a suite for each file, a case for each subject and rule family, so that what passed is seen too.

    The dialect is that of Jenkins' xunit plugin (junit-10.xsd), which GitLab, Azure Pipelines and CircleCI read as well.
    """
    root = ET.Element("testsuites", name="massprops check", time=f"{report.seconds:.3f}")
    suites: dict[str, ET.Element] = {}
    for c in report.checked:
        if (path := c.subject.path) not in suites:
            suites[path] = ET.SubElement(root, "testsuite", name=xml(plain(path)))
        suites[path].extend(_cases(c, report.output_units))
    for path, picture in report.pictures.items():
        if (case := suites[path].find("testcase[failure]")) is not None:
            _attach(picture, case)
    for element in (root, *root):
        for name, tag in _COUNTS.items():
            element.set(name, str(len(element.findall(f".//{tag}"))))
    ET.indent(root)
    document: bytes = ET.tostring(root, encoding="us-ascii", xml_declaration=True)
    return document.decode("ascii") + "\n"


def _attach(picture: str, case: ET.Element) -> None:
    """Attach a picture to a case, as GitLab and Jenkins' attachments plugin read it."""
    out = case.find("system-out")
    out = ET.SubElement(case, "system-out") if out is None else out
    out.text = "\n".join([*filter(None, [out.text]), f"[[ATTACHMENT|{picture}]]"])


def _cases(checked: Checked, output_units: str | None) -> Iterator[ET.Element]:
    """Case for each family that was checked; of a file that cannot be read, that alone."""
    found = list(remarks_of(checked, output_units))
    looked_at = {*_ALWAYS[checked.subject.kind], *(e.rule.family for e in found)}
    no_body = checked.body is None and checked.subject.kind in ("mesh", "polygon")
    for family in FAMILIES:
        own = [e for e in found if e.rule.family == family]
        if family not in (looked_at if checked.error is None else {"file"}):
            continue
        case = ET.Element("testcase", classname=xml(plain(checked.subject.address)), name=family)
        if no_body and family in _OF_A_BODY and not own:
            ET.SubElement(case, "skipped", message="the surface bounds no body whose numbers could be checked")
        if failing := [e for e in own if e.fails]:
            tag, first = "failure" if checked.error is None else "error", failing[0]
            element = ET.SubElement(case, tag, type=xml(first.code), message=xml(plain(first.message)))
            element.text = xml("\n\n".join(map(_explained, failing)))
        if rest := [plain(f"{e.severity} {e.code}: {e.message}") for e in own if not e.fails]:
            ET.SubElement(case, "system-out").text = xml("\n".join(rest))
        yield case


def _explained(remark: Remark) -> str:
    where = f"{remark.subject.included}:{remark.line}: " if remark.subject.included else ""
    return f"{plain(f'{remark.code}: {where}{remark.message}')}\n{remark.rule.long}"


def as_markdown(report: Report) -> str:
    """Markdown, for the summary of a job or a comment on a review: what failed, why, and what to do."""
    return "".join(line + "\n" for line in _markdown_lines(report))


def _markdown_lines(report: Report) -> Iterator[str]:
    found = _worst_first(report)
    passed = not any(e.fails for e in found)
    yield f"## massprops: {'passed' if passed else 'failed'}"
    yield f"\n{summary(report)}"
    if not found:
        return
    yield "\n| | File | Finding | |\n|---|---|---|---|"
    rows = ((f"{e.subject.file}: {e.code}", _markdown_row(e)) for e in found)
    yield from some_of_each(rows, False, lambda more: f"| | {markdown(more.removesuffix(' (-v)'))} | | |")
    yield ""
    helps = {e.code: f"- **{markdown(e.code)}**: {e.rule.short}. {e.rule.long}" for e in found}
    yield from helps.values()
    for path, picture in report.pictures.items():
        yield f"\n![{markdown(path)}]({quote(picture)})"


def _markdown_row(remark: Remark) -> str:
    line = f":{remark.line}" if remark.line is not None else ""
    where = markdown(
        f"{remark.subject.file}{line}" + (f" {remark.subject.place}" if remark.subject.place is not None else "")
    )
    mark = "failed" if remark.fails else remark.severity
    return f"| {mark} | {where} | {markdown(remark.code)} | {markdown(remark.message)} |"


#: Name to the function that makes the text.
FORMATS: Mapping[str, Callable[[Report], str]] = {
    "junit": as_junit,
    "sarif": as_sarif,
    "github": as_github,
    "gitlab": as_gitlab,
    "markdown": as_markdown,
}
