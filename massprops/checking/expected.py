"""Expected results: recorded ones, one JSON object a line, and the findings where new ones differ from them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from massprops.checking.report import Subject
from massprops.comparison.comparison import RTOL, Change, unit_and_numbers
from massprops.errors import ReadError
from massprops.findings import Finding
from massprops.formats.bodies.json_results import Body, read_results
from massprops.formats.files import absolute_path
from massprops.measurement.options import Options
from massprops.moments.arrays import length
from massprops.wording import percent

#: RecordedResults by the absolute path of the file and the body in it.
RecordedResults = Mapping[tuple[str, str | None], Body]
#: Compared quantities, in the order of their findings.
_COMPARED = ("mass", "volume", "area", "center_of_mass", "inertia", "bounds")
#: And of those the ones that do not depend on the axes: a result in a frame, or moved by a pose, does not state which.
_INVARIANT = ("mass", "volume", "area", "principal")


@dataclass(frozen=True)
class ExpectedResults:
    """Recorded results.

    Attributes
    ----------
    path : str
        The file.
    results : mapping of (str, str or None) to Body
        By the absolute path of what was measured and the name of the link in it: paths are relative to the file of results, or to the
        current folder, as `compute` writes them.
    rtol : float
    only : Body or None
        The only one there is: it holds for whatever is checked alone.
    """

    path: str
    results: RecordedResults = field(default_factory=dict)
    rtol: float = RTOL
    only: Body | None = None

    @classmethod
    def read(cls, path: str, rtol: float = RTOL) -> Self:
        """RecordedResults of a file; ReadError if it cannot be read or holds anything else."""
        found = read_results(path)
        for stored in found:
            wrong = "is the report of an error" if stored.error is not None else "does not state what was measured"
            if stored.error is not None or stored.title is None:
                raise ReadError(f"{stored.place}: {wrong}", code="not-a-result", hint="record it again")
        keyed = {(_measured_file(r, Path(path).parent), r.value.get("name")): r for r in found}
        return cls(path, keyed, rtol, found[0] if len(found) == 1 else None)

    def record(self, subject: Subject, *, alone: bool = False) -> Body | None:
        """The recorded result of a file, or of a link in it."""
        found = self.results.get(subject.key)
        return self.only if found is None and alone else found

    def findings(self, subject: Subject, new: Body | None, *, alone: bool = False) -> list[Finding]:
        """Differences of a result from the recorded one; None: nothing could be measured."""
        recorded = self.record(subject, alone=alone)
        if recorded is None and new is None:
            return []  # there were no numbers, and there are none
        if recorded is None:
            return [Finding("not-recorded", "error", f"{self.path} has no result for it")]
        if new is None:
            return [Finding("not-measured", "error", f"cannot compare with {self.path}: there is no valid integral")]
        what, found = "differs from the recorded result", changes(recorded, new, self.rtol)
        return [Finding("changed-value", "error", f"{what}: {change_text(c)}", _share(c), self.rtol) for c in found]


def _measured_file(result: Body, folder: Path) -> str:
    """Absolute path of the measured file of a result in this folder: beside the result, unless it only exists from here."""
    name = str(result.input.get("path"))
    beside, here = absolute_path(folder / name), absolute_path(name)
    return str(here if here.exists() and not beside.exists() else beside)


def how_measured(recorded: Body, options: Options) -> dict[str, Any]:
    """Options of a recorded result that its numbers state and that are not given now: what was integrated, and what it weighs."""
    method, parts = recorded.value.get("method"), recorded.value.get("parts") or ()
    shape = _what_was_integrated(recorded, options)
    if method == "shell" and shape:
        # of parts that differ, kg/m² each: a density of one metre of thickness
        is_one = recorded.density is None or len({p.get("density") for p in parts}) < 2
        areal = {"area_density": recorded.density} if is_one else {"thickness": 1.0, **_by_part(parts)}
        return shape | areal | {"density": None, "material": None}
    mass = recorded.mass
    if options.states_mass or mass is None or not mass > 0:
        return shape
    return shape | (_by_part(parts) if parts else {"mass": mass})


def _by_part(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {"densities": {f"no:{number}": part.get("density") for number, part in enumerate(parts, 1)}}


def _what_was_integrated(recorded: Body, options: Options) -> dict[str, Any]:
    method = recorded.value.get("method")
    if (wall := recorded.value.get("wall")) and options.kind == "solid":
        return {"kind": "wall", **wall}
    if method == "shell" and options.kind == "solid":
        return {"kind": "sheet"}
    is_open = any(f.code == "open-edges" for f in recorded.findings) and not recorded.value.get("repairs")
    if options.on_open == "error" and (method == "hull" or (method == "exact" and is_open)):
        return {"on_open": "hull" if method == "hull" else "integrate"}
    if method == "extrusion" and options.thickness is None:
        volume, section = recorded.volume, recorded.value.get("section") or {}
        area, bounds = section.get("area"), recorded.bounds
        if volume and area:
            return {"thickness": volume / area, "centered": bounds is not None and bool(bounds[0, 2] < 0)}
    return {}


def changes(recorded: Body, new: Body, rtol: float) -> list[Change]:
    """The number that changed most of each quantity, if by more than `rtol` of its size; or the first one, where one side has none."""
    found = []
    for name in _COMPARED if recorded.axes == new.axes else _INVARIANT:
        a, b, (unit, _) = recorded.numbers(name), new.numbers(name), unit_and_numbers(name)
        if a and b:
            before, after = max(zip(a, b, strict=True), key=lambda pair: abs(pair[1] - pair[0]))
            size = _size(name, a, new)
            found.append(Change(name, unit, before, after, after - before, size, rtol * size, 0.0))
        elif a or b:
            found.append(Change(name, unit, a[0] if a else None, b[0] if b else None, math.inf, 0.0, 0.0, 0.0))
    return [c for c in found if c.verdict == "beyond"]


def _size(name: str, numbers: list[float], new: Body) -> float:
    """Size that a difference is relative to: a centre at zero is not exact to zero, but to the size of the body."""
    if name in ("center_of_mass", "bounds") and new.bounds is not None:
        return length(new.bounds[1] - new.bounds[0])
    radii = None if new.properties is None else new.properties.radii_of_gyration
    if name == "center_of_mass" and radii is not None:
        return float(radii.max())
    return max(map(abs, numbers))


def _share(change: Change) -> float | None:
    return None if change.relative is None else abs(change.relative)


def change_text(change: Change) -> str:
    """A change in words, ``mass 2 kg → 2.5 kg, by 25 %``, with a no-break space before units; see `OutputUnits.sentence`."""
    unit = change.unit.replace(" ", "\xa0")
    a, b = ("none" if x is None else f"{x:.9g}\xa0{unit}" for x in (change.before, change.after))
    share = _share(change)
    return f"{change.name} {a} → {b}" + ("" if share is None else f", by {percent(share)}")


def update_results(
    expected: ExpectedResults, new: Iterable[tuple[Subject, Body]]
) -> tuple[RecordedResults, list[tuple[Body, str]]]:
    """The results to record, and the new result and a line of each change; what changed by less than the tolerance stays as recorded."""
    kept = dict(expected.results)
    lines: list[tuple[Body, str]] = []
    for subject, after in new:
        if (before := kept.get(subject.key)) is None:
            lines.append((after, f"{subject.address}: recorded"))
        elif changed := changes(before, after, expected.rtol):
            lines += [(after, f"{subject.address}: {change_text(c)}") for c in changed]
        else:
            continue
        kept[subject.key] = replace(
            after, value={**after.value, "name": subject.key[1]}
        )  # by which it will be looked for
    return kept, lines


def results_text(results: RecordedResults, path: str) -> str:
    """RecordedResults as a text for the file `path`: one a line, sorted, their paths relative to it."""
    folder = absolute_path(path).parent
    named = [{**r.value, "input": {**r.input, "path": relative_path(file, folder)}} for (file, _), r in results.items()]
    lines = sorted(named, key=lambda r: (str(r["input"]["path"]), str(r.get("name") or "")))
    return "".join(json.dumps(r, allow_nan=False) + "\n" for r in lines)


def relative_path(path: str, folder: Path) -> str:
    """A path as it stands in a file of this folder."""
    name = absolute_path(path)
    return (name.relative_to(folder) if name.is_relative_to(folder) else name).as_posix()
