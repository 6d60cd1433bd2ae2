"""What was recorded: results, one JSON object a line, with the findings where new ones differ; and known findings, which do not count."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from massprops.checking.report import Checked, Result, Subject
from massprops.errors import ReadError
from massprops.findings import Finding
from massprops.formats.bodies.json_results import StoredResult, read_stored
from massprops.formats.files import read_bytes
from massprops.formats.strict_json import load
from massprops.wording import percent

#: Recorded and new numbers may differ by this much of the size of what they belong to.
RTOL = 1e-6
#: Results by the file and the link in it.
Results = Mapping[tuple[str, str | None], Result]
_UNITS = {"mass": "kg", "volume": "m³", "area": "m²", "center_of_mass": "m", "inertia": "kg m²", "bounds": "m"}


@dataclass(frozen=True)
class Golden:
    """Recorded results.

    Attributes
    ----------
    path : str
        The file.
    results : mapping of (str, str or None) to result
        By the absolute path of what was measured and the name of the link in it: paths are relative to the file of results, or to the
        current folder, as `compute` writes them.
    rtol : float
    only : result or None
        The only one there is: it holds for whatever is checked alone.
    """

    path: str
    results: Results = field(default_factory=dict)
    rtol: float = RTOL
    only: Result | None = None

    @classmethod
    def read(cls, path: str, rtol: float = RTOL) -> Self:
        """From a file of results.

        Raises
        ------
        ReadError
            If it cannot be read or holds anything else.
        """
        found = [_checked(stored) for stored in read_stored(path)]
        keyed = {(_measured_file(r, Path(path).parent), r.get("name")): r for r in found}
        return cls(path, keyed, rtol, found[0] if len(found) == 1 else None)

    def record(self, path: str, place: str | None, *, alone: bool = False) -> Result | None:
        """What was recorded of a file, or of a link in it."""
        found = self.results.get((_absolute(path), place))
        return self.only if found is None and alone else found

    def findings(self, path: str, place: str | None, result: Result | None, *, alone: bool = False) -> list[Finding]:
        """Where a result differs from what was recorded; None: nothing could be measured."""
        recorded = self.record(path, place, alone=alone)
        if recorded is None and result is None:
            return []  # there were no numbers, and there are none
        if recorded is None:
            return [Finding("not-recorded", "error", f"{self.path} has no result for it")]
        if result is None:
            return [Finding("not-measured", "error", f"cannot compare with {self.path}: there is no valid integral")]
        return [c.finding for c in changes(recorded, result, self.rtol)]


def _checked(stored: StoredResult) -> Result:
    if stored.error is not None:
        raise ReadError(f"{stored.place}: is the report of an error", code="not-a-result", hint="record it again")
    if stored.name is None:
        what = f"{stored.place}: does not state what was measured"
        raise ReadError(what, code="not-a-result", hint="record it again")
    return stored.value


def _measured_file(result: Result, folder: Path) -> str:
    """The whole path of what a result of a file in this folder is about: beside that file, unless it only exists from here."""
    name = str(result.get("input", {}).get("path"))
    beside, here = (folder / name).resolve(), Path(name).resolve()
    return str(here if here.exists() and not beside.exists() else beside)


@dataclass(frozen=True)
class Change:
    """A number, or several, that differ by more than the tolerance.

    Attributes
    ----------
    name : str
        The key in the result.
    before, after : float or None
        The numbers that differ most; None where there is none.
    relative : float
        Their difference over the size of what they belong to.
    limit : float
    """

    name: str
    before: float | None
    after: float | None
    relative: float
    limit: float

    def __str__(self) -> str:
        a, b = ("none" if x is None else f"{x:.9g} {_UNITS[self.name]}" for x in (self.before, self.after))
        share = "" if math.isinf(self.relative) else f", by {percent(self.relative)}"
        return f"{self.name} {a} → {b}{share}"

    @property
    def finding(self) -> Finding:
        """The change as a finding."""
        message = f"differs from the recorded result: {self}"
        measured = None if math.isinf(self.relative) else self.relative
        return Finding("changed-value", "error", message, measured, self.limit)


def changes(before: Result, after: Result, rtol: float) -> list[Change]:
    """What differs between two results by more than `rtol` of its size: lengths of the bounds, tensors of their largest entry."""
    found = []
    for name in _UNITS:
        a, b = _numbers(before, name), _numbers(after, name)
        if a is not None and b is not None and len(a) == len(b):
            worst = max(range(len(a)), key=lambda i: abs(b[i] - a[i]))
            size, difference = _size(name, a, after), abs(b[worst] - a[worst])
            if difference > rtol * size:
                found.append(Change(name, a[worst], b[worst], difference / size if size else math.inf, rtol))
        elif a is not None or b is not None:
            found.append(Change(name, a[0] if a else None, b[0] if b else None, math.inf, rtol))
    return found


def _numbers(result: Result, name: str) -> list[float] | None:
    value = result.get(name)
    if value is None:
        return None
    if name == "inertia":
        return [x for row in value["tensor"] for x in row]
    if name == "bounds":
        return [*value["min"], *value["max"]]
    return list(value) if isinstance(value, list) else [value]


def _size(name: str, numbers: list[float], result: Result) -> float:
    """What a difference is relative to: a centre at zero is not exact to zero, but to the size of the body."""
    bounds, radii = result.get("bounds"), result.get("radii_of_gyration")
    if name in ("center_of_mass", "bounds") and bounds:
        return math.dist(bounds["min"], bounds["max"])
    if name == "center_of_mass" and radii:
        return float(max(radii))
    return max(map(abs, numbers))


def updated(golden: Golden, new: Iterable[tuple[Subject, Result]]) -> tuple[Results, list[str]]:
    """The results to record, and a line on each change; what has not changed by more than the tolerance stays as recorded."""
    kept, lines = dict(golden.results), []
    for subject, result in new:
        key = _absolute(subject.path), subject.place
        before = kept.get(key)
        changed = [] if before is None else changes(before, result, golden.rtol)
        lines += [f"{subject.address}: {c}" for c in changed] if before else [f"{subject.address}: recorded"]
        if changed or before is None:
            kept[key] = {**result, "name": subject.place}  # by which it will be looked for
    return kept, lines


def golden_text(results: Results, path: str) -> str:
    """Results as a text for the file `path`: one a line, sorted, their paths relative to it."""
    folder = Path(path).resolve().parent
    named = [
        {**r, "input": {**r.get("input", {}), "path": _relative(file, folder)}} for (file, _), r in results.items()
    ]
    lines = sorted(named, key=lambda r: (str(r["input"]["path"]), str(r.get("name") or "")))
    return "".join(json.dumps(r, allow_nan=False) + "\n" for r in lines)


def _relative(path: str, folder: Path) -> str:
    """A path as it stands in a file of this folder."""
    name = Path(path).resolve()
    return (name.relative_to(folder) if name.is_relative_to(folder) else name).as_posix()


_SCHEMA = "massprops-baseline/1"
#: A number is computed to many more digits than this; the same defect is never larger by more.
_SAME = 1e-6

Key = tuple[str, str | None, str]


@dataclass(frozen=True)
class Baseline:
    """Known findings by the absolute path of the file, the link in it and the code, with how bad each is known to be."""

    known: Mapping[Key, float | None] = field(default_factory=dict)

    @classmethod
    def read(cls, path: str) -> Self:
        """From a file; ReadError if it cannot be read or is no baseline."""
        data = read_bytes(path)
        try:
            document = load(path, data)
            if document["schema"] != _SCHEMA:
                raise KeyError("schema")
            return cls(_worst((_key(path, entry), entry["badness"]) for entry in document["known"]))
        except (ReadError, KeyError, TypeError) as error:
            what = f"{path}: not a baseline ({_SCHEMA})"
            raise ReadError(what, code="not-a-baseline", hint="make one with --update-baseline") from error

    def divided(self, checked: Checked) -> Checked:
        """The same with known findings set apart; a known finding that got worse is new."""
        known = tuple(f for f in checked.findings if self._knows(checked, f))
        return replace(checked, findings=tuple(f for f in checked.findings if f not in known), known=known)

    def stale(self, checked: Iterable[Checked]) -> int:
        """How many known findings of the files that were checked are gone."""
        checked = list(checked)
        files = {_absolute(c.subject.path) for c in checked}
        seen = {_of(c, f) for c in checked for f in (*c.findings, *c.known)}
        return sum(key[0] in files and key not in seen for key in self.known)

    def _knows(self, checked: Checked, finding: Finding) -> bool:
        key = _of(checked, finding)
        if key not in self.known:
            return False
        before, now = self.known[key], badness(finding)
        return before is None or now is None or now <= before * (1 + _SAME)


def _worst(entries: Iterable[tuple[Key, float | None]]) -> dict[Key, float | None]:
    """One entry a key: of several findings of a code, the worst."""
    worst: dict[Key, float | None] = {}
    for key, value in entries:
        before = worst.get(key, 0.0)
        worst[key] = None if before is None or value is None else max(before, value)
    return worst


def badness(finding: Finding) -> float | None:
    """How far a finding is beyond its limit; None where it is no comparison."""
    return None if finding.value is None or finding.limit is None else abs(finding.value - finding.limit)


def baseline_text(checked: Iterable[Checked], path: str) -> str:
    """The errors and warnings as the text of a baseline in the file `path`."""
    folder = Path(path).resolve().parent
    known = [
        {"path": _relative(c.subject.path, folder), "place": c.subject.place, "code": f.code, "badness": badness(f)}
        for c in checked
        for f in (*c.findings, *c.known)
        if f.severity != "info"
    ]
    known.sort(key=lambda e: (str(e["path"]), str(e["place"] or ""), str(e["code"])))
    return json.dumps({"schema": _SCHEMA, "known": known}, indent=2) + "\n"


def _of(checked: Checked, finding: Finding) -> Key:
    return _absolute(checked.subject.path), checked.subject.place, finding.code


def _key(path: str, entry: Mapping[str, Any]) -> Key:
    return _absolute(str(Path(path).parent / entry["path"])), entry["place"], str(entry["code"])


def _absolute(path: str) -> str:
    return str(Path(path).resolve())
