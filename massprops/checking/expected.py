"""Expected results: recorded ones, one JSON object a line, and the findings where new ones differ from them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from massprops.checking.report import Result, Subject
from massprops.errors import ReadError
from massprops.findings import Finding
from massprops.formats.bodies.json_results import StoredResult, read_stored
from massprops.wording import percent

#: Recorded and new numbers may differ by this much of the size of what they belong to.
RTOL = 1e-6
#: Results by the file and the link in it.
Results = Mapping[tuple[str, str | None], Result]
_UNITS = {"mass": "kg", "volume": "m³", "area": "m²", "center_of_mass": "m", "inertia": "kg m²", "bounds": "m"}


@dataclass(frozen=True)
class ExpectedResults:
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
        found = self.results.get(Subject(path, place).key)
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


def update_results(expected: ExpectedResults, new: Iterable[tuple[Subject, Result]]) -> tuple[Results, list[str]]:
    """The results to record, and a line on each change; what has not changed by more than the tolerance stays as recorded."""
    kept, lines = dict(expected.results), []
    for subject, result in new:
        key = subject.key
        before = kept.get(key)
        changed = [] if before is None else changes(before, result, expected.rtol)
        lines += [f"{subject.address}: {c}" for c in changed] if before else [f"{subject.address}: recorded"]
        if changed or before is None:
            kept[key] = {**result, "name": subject.place}  # by which it will be looked for
    return kept, lines


def results_text(results: Results, path: str) -> str:
    """Results as a text for the file `path`: one a line, sorted, their paths relative to it."""
    folder = Path(path).resolve().parent
    named = [
        {**r, "input": {**r.get("input", {}), "path": relative_path(file, folder)}} for (file, _), r in results.items()
    ]
    lines = sorted(named, key=lambda r: (str(r["input"]["path"]), str(r.get("name") or "")))
    return "".join(json.dumps(r, allow_nan=False) + "\n" for r in lines)


def relative_path(path: str, folder: Path) -> str:
    """A path as it stands in a file of this folder."""
    name = Path(path).resolve()
    return (name.relative_to(folder) if name.is_relative_to(folder) else name).as_posix()
