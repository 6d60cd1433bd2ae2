"""SARIF 2.1.0, for code scanning: rules with their help, line numbers where a file has lines, links as logical locations.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

import hashlib
import json
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from massprops._version import __version__
from massprops.checking.report import Report
from massprops.report.ci.entries import Entry, entries, rule_of

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}


def text(report: Report) -> str:
    """The report as a SARIF log of one run."""
    found = list(entries(report))
    codes = {code: i for i, code in enumerate(sorted({e.code for e in found}))}
    run = {
        "tool": {"driver": {"name": "massprops", "version": __version__, "rules": [_rule(code) for code in codes]}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(e, codes[e.code]) for e in found],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(code: str) -> dict[str, Any]:
    rule = rule_of(code)
    return {
        "id": code,
        "shortDescription": {"text": rule.short},
        "fullDescription": {"text": rule.long},
        "help": {"text": rule.long},
        "properties": {"tags": [rule.family]},
    }


def _result(entry: Entry, index: int) -> dict[str, Any]:
    return {
        "ruleId": entry.code,
        "ruleIndex": index,
        "level": _LEVELS[entry.severity],
        "message": {"text": entry.message},
        "locations": [_location(entry)],
        "partialFingerprints": {"subjectAndRule/v1": fingerprint(entry)},
    }


def _location(entry: Entry) -> dict[str, Any]:
    # code scanning shows no result without a region: a binary file is its first line
    physical = {"artifactLocation": {"uri": uri(entry.subject.file)}, "region": {"startLine": entry.line or 1}}
    location: dict[str, Any] = {"physicalLocation": physical}
    if entry.subject.place is not None:
        location["logicalLocations"] = [
            {"name": entry.subject.place, "fullyQualifiedName": entry.subject.address, "kind": "element"}
        ]
    return location


def uri(path: str) -> str:
    """A path as a URI reference: relative if it is, ``file://`` if not."""
    text = quote(path, errors="surrogateescape")
    return f"file://{text}" if PurePosixPath(path).is_absolute() else text


def fingerprint(entry: Entry) -> str:
    """The same for the same rule and subject, whatever the numbers: a remark that stays is not a new one."""
    key = f"{entry.subject.address}\0{entry.code}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(key).hexdigest()[:32]
