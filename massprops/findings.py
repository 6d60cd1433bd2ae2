"""Findings about a file, a surface or a body: data, not text on a screen.

Tests: `tests/writers/test_ci.py`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeVar

Severity = Literal["error", "warning", "info"]

#: The space before the unit of a quantity in a message.
_MARKS = re.compile(r"(?<=[\dnf)\]])\xa0(?=kg|m)|(?<=kg)\xa0(?=m²)")


def without_marks(text: str) -> str:
    """A message whose quantities (SI, with a no-break space before the unit) have a plain one."""
    return _MARKS.sub(" ", text) if "\xa0" in text else text


#: Worst first, so that `sorted(findings, key=...)` puts what matters on top.
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")


@dataclass(frozen=True)
class Finding:
    """One thing that was noticed.

    Attributes
    ----------
    code : str
        A stable word, such as ``open-edges``.
    severity : {"error", "warning", "info"}
        `error`: the numbers do not hold, or no such body exists. `warning`: look at it. `info`: good to know.
    message : str
        One sentence with the numbers in it, lengths and masses in SI.
    value, limit : float or None
        What was measured and what it was compared with, where the finding is a comparison.
    where : tuple of float, str or None
        A point in the coordinates of the file, in metres, or a place in the file.
    marked : str
        The message with a no-break space before the unit of each quantity, as it was written; see `OutputUnits.sentence`.
    """

    code: str
    severity: Severity
    message: str
    value: float | None = None
    limit: float | None = None
    where: tuple[float, ...] | str | None = None
    marked: str = field(default="", repr=False, compare=False)

    def __post_init__(self) -> None:
        clean = without_marks(self.message)
        if clean != self.message or without_marks(self.marked) != clean:
            object.__setattr__(self, "marked", self.message)
        object.__setattr__(self, "message", clean)

    def to_dict(self) -> dict[str, object]:
        """The finding as the JSON schema `massprops/1` spells it."""
        values = {f.name: getattr(self, f.name) for f in fields(Finding) if f.name != "marked"}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def reaches(severity: str, fail_on: str) -> bool:
    """Whether a severity is at or above `fail_on`; none is where that is ``never``."""
    return fail_on != "never" and SEVERITIES.index(severity) <= SEVERITIES.index(fail_on)


def worst_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings by severity; of one severity as they were."""
    return tuple(sorted(findings, key=lambda f: SEVERITIES.index(f.severity)))


@dataclass(frozen=True)
class BentFaces(Finding):
    """Faces that are not flat, with the least and the most volume that other cuts into triangles would add, cubed units of the file."""

    change: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True)
class CrossingFacets(Finding):
    """Facets that cross, with the segments that they have in common, an array of shape (n, 2, 3), coordinates of the file in metres."""

    segments: Any = field(default=None, repr=False, compare=False)


def point_text(where: tuple[float, ...]) -> str:
    """A place as messages name it: three digits, in metres; coordinates that are rounding beside the others are 0."""
    least = 1e-6 * max(map(abs, where))
    return "(" + ", ".join(f"{x if abs(x) > least else 0:.3g}" for x in where) + ")\xa0m"


def in_words(findings: Sequence[Finding]) -> str:
    """Codes and messages in one line, as errors have them."""
    return "; ".join(f"{f.code}: {f.marked}" for f in findings)


def count_finding(count: int, code: str, severity: Severity, message: str) -> list[Finding]:
    """One finding whose value is the count; none where that is 0."""
    return [Finding(code, severity, message, value=float(count))] if count else []


#: Findings of one code that people are shown of a file.
_SHOWN = 3
Line = TypeVar("Line")


def some_of_each(lines: Iterable[tuple[str, Line]], everything: bool, line_of: Callable[[str], Line]) -> Iterator[Line]:
    """Lines with their codes: the first three of each code and `line_of` how many more there are, or `everything`; all without a code."""
    lines, seen = list(lines), Counter[str]()
    total = Counter(code for code, _ in lines)
    for code, line in lines:
        seen[code] += 1
        if everything or not code or seen[code] <= _SHOWN:
            yield line
        elif seen[code] == _SHOWN + 1:
            yield line_of(f"{code}: and {total[code] - _SHOWN:,} more (-v)")
