"""Baselines: known findings, which do not count unless they get worse."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, Self

from massprops.checking.expected import relative_path
from massprops.checking.report import Checked
from massprops.errors import ReadError, Remedy
from massprops.findings import Finding
from massprops.formats.files import absolute_path, read_bytes
from massprops.formats.strict_json import load

_SCHEMA = "massprops-baseline/1"
_MAKE = Remedy("make one with --update-baseline", python="make one in a shell: massprops check --update-baseline")
#: A number is computed to many more digits than this; the same defect is never larger by more.
_SAME = 1e-6

Key = tuple[str, str | None, str]


@dataclass(frozen=True)
class Baseline:
    """Known findings by the absolute path of the file, the link in it and the code, with how bad each is known to be."""

    known: Mapping[Key, float | None] = field(default_factory=dict)

    @classmethod
    def read(cls, path: str) -> Self:
        """Baseline of a file; ReadError if it cannot be read or is none."""
        data = read_bytes(path)
        try:
            document = load(path, data)
            if document["schema"] != _SCHEMA:
                raise KeyError("schema")
            return cls(_worst(path, document["known"]))
        except (ReadError, KeyError, TypeError) as error:
            what = f"{path}: not a baseline ({_SCHEMA})"
            raise ReadError(what, code="not-a-baseline", hint=_MAKE) from error

    def separate_known(self, checked: Checked) -> Checked:
        """Checked subject with its known findings apart; a known finding that got worse is new."""
        fails = any(f.severity == "error" and not self._knows(checked, f) for f in checked.findings)
        shown = (*(() if fails else checked.withheld), *checked.findings)
        known = tuple(f for f in shown if self._knows(checked, f))
        new = tuple(f for f in shown if f not in known)
        return replace(checked, findings=new, known=known, withheld=checked.withheld if fails else ())

    def stale(self, checked: Iterable[Checked]) -> int:
        """Number of known findings that are gone from the files that were checked."""
        checked = list(checked)
        files = {c.subject.key[0] for c in checked}
        seen = {(*c.subject.key, f.code) for c in checked for f in _all(c)}
        return sum(key[0] in files and key not in seen for key in self.known)

    def _knows(self, checked: Checked, finding: Finding) -> bool:
        key = (*checked.subject.key, finding.code)
        if key not in self.known:
            return False
        before, now = self.known[key], badness(finding)
        return before is None or now is None or now <= before * (1 + _SAME)


def _worst(path: str, entries: Iterable[Mapping[str, Any]]) -> dict[Key, float | None]:
    """Worst finding of each key in the entries of a baseline; None where one of them is no comparison."""
    worst: dict[Key, float | None] = {}
    for entry in entries:
        key = str(absolute_path(Path(path).parent / entry["path"])), entry["place"], str(entry["code"])
        before, value = worst.get(key, 0.0), entry["badness"]
        worst[key] = None if before is None or value is None else max(before, value)
    return worst


def _all(checked: Checked) -> Iterator[Finding]:
    """All findings on a subject, known or not."""
    return chain(checked.findings, checked.known, checked.withheld)


def badness(finding: Finding) -> float | None:
    """Distance of a finding from its limit; None where it is no comparison."""
    return None if finding.value is None or finding.limit is None else abs(finding.value - finding.limit)


def baseline_text(checked: Iterable[Checked], path: str) -> str:
    """The errors and warnings as the text of a baseline in the file `path`."""
    folder = absolute_path(path).parent
    known = [
        {"path": relative_path(c.subject.path, folder), "place": c.subject.place, "code": f.code, "badness": badness(f)}
        for c in checked
        for f in _all(c)
        if f.severity != "info"
    ]
    known.sort(key=lambda e: (str(e["path"]), str(e["place"] or ""), str(e["code"])))
    return json.dumps({"schema": _SCHEMA, "known": known}, indent=2) + "\n"
