"""JUnit XML: a suite for each file, a case for each subject and rule family, so that what passed is seen too.

The dialect is that of Jenkins' xunit plugin (junit-10.xsd), which GitLab, Azure Pipelines and CircleCI read as well.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET

from massprops.checking.report import Checked, Report
from massprops.checking.rules import FAMILIES, Family
from massprops.formats.escaping import xml
from massprops.report.ci.entries import Entry, entries_of

_TAGS = {"failures": "failure", "errors": "error", "skipped": "skipped"}
#: Families that are always checked; expectations, recorded results and geometry have a case where something was found.
_ALWAYS: dict[str, tuple[Family, ...]] = {
    "mesh": ("file", "surface", "body", "plausibility"),
    "polygon": ("file", "surface", "body", "plausibility"),
    "link": ("file", "body"),
    "result": ("file", "body"),
    "file": ("file",),
}
_OF_A_BODY = ("body", "plausibility")


def text(report: Report) -> str:
    """The report as a JUnit document."""
    of_file: dict[str, list[Checked]] = {}
    for c in report.checked:
        of_file.setdefault(c.subject.path, []).append(c)
    suites = [_suite(path, some) for path, some in of_file.items()]
    head = {"name": "massprops check", "time": f"{report.seconds:.3f}"}
    root = ET.Element("testsuites", {**head, **_totals(suites)})
    root.extend(suites)
    ET.indent(root)
    document: bytes = ET.tostring(root, encoding="us-ascii", xml_declaration=True)
    return document.decode("ascii") + "\n"


def _totals(suites: list[ET.Element]) -> dict[str, str]:
    return {key: str(sum(int(s.attrib[key]) for s in suites)) for key in ("tests", *_TAGS)}


def _suite(path: str, checked: list[Checked]) -> ET.Element:
    cases = [case for c in checked for case in _cases(c)]
    counts = {key: str(sum(case.find(tag) is not None for case in cases)) for key, tag in _TAGS.items()}
    suite = ET.Element("testsuite", {"name": xml(path), "tests": str(len(cases)), **counts})
    suite.extend(cases)
    return suite


def _cases(checked: Checked) -> list[ET.Element]:
    """One case for each family that was looked at; of a file that cannot be read, that alone."""
    found = list(entries_of(checked))
    looked_at = (
        {"file"}
        if checked.error is not None
        else {*_ALWAYS.get(checked.subject.kind, ()), *(e.rule.family for e in found)}
    )
    no_body = any(e.fails and e.rule.family == "surface" for e in found)
    return [
        _case(checked, family, [e for e in found if e.rule.family == family], skip=no_body and family in _OF_A_BODY)
        for family in FAMILIES
        if family in looked_at
    ]


def _case(checked: Checked, family: str, found: list[Entry], *, skip: bool) -> ET.Element:
    case = ET.Element("testcase", classname=xml(checked.subject.address), name=family)
    failing = [e for e in found if e.fails]
    if skip and not found:
        ET.SubElement(case, "skipped", message="the surface bounds no body whose numbers could be checked")
    if failing:
        tag = "error" if checked.error is not None else "failure"
        first = failing[0]
        element = ET.SubElement(case, tag, type=xml(first.code), message=xml(first.message))
        element.text = xml("\n\n".join(map(_explained, failing)))
    rest = [e for e in found if not e.fails]
    if rest:
        ET.SubElement(case, "system-out").text = xml("\n".join(f"{e.severity} {e.code}: {e.message}" for e in rest))
    return case


def _explained(entry: Entry) -> str:
    where = f"{entry.subject.included}:{entry.line}: " if entry.subject.included else ""
    return f"{entry.code}: {where}{entry.message}\n{entry.rule.long}"
