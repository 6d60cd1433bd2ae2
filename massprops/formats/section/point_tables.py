"""CSV, TSV, TXT and XY: one point in each line, with or without a header.

A header is a first line without a number in it. It may name other columns beside x and y, and a unit as in ``x [mm]`` or ``x_mm``.

Tests: `tests/formats/section/test_points.py`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from massprops.errors import ReadError, Remedy
from massprops.formats.section.point_rows import Rings, read_rows
from massprops.formats.section.rings_reader import check_ring, is_length_unit, known_unit, utf8_of
from massprops.formats.spreadsheets import named_separator
from massprops.formats.text import is_numeric
from massprops.mesh.source import InputFile
from massprops.section.curves import Polyline
from massprops.section.rings import PlanarSource, Request, Ring

#: Bytes among which the header is looked for, below blank lines and comments.
_LONGEST = 1 << 16
_NAME = re.compile(r"([xyz])\s*(?:[\[(]\s*(.*?)\s*[\])])?", re.IGNORECASE)
_WITH_UNIT = re.compile(r"([xyz])[\s_/]\s*([^\W\d_]+)", re.IGNORECASE)


#: Columns that say to which ring a point belongs; rings are divided by blank lines alone, which such a column may repeat.
_OF_RINGS = frozenset({"ring", "polygon", "contour", "loop", "part", "shape", "outline", "hole"})


def read(file: InputFile, request: Request) -> PlanarSource:  # noqa: ARG001  # there is nothing to choose
    """Rings of points, closed whether or not the first point stands again at the end; a blank line begins another.

    Raises
    ------
    ReadError
        With the line: codes ``bad-number``, ``bad-point``, ``stray-text``, ``bad-header``, ``too-few-points``.
    """
    text = utf8_of(file)
    header = read_header(file.name, text)
    rings = read_rows(file.name, text[header.end :], header.lines + 1, header.columns, header.dividing)
    name = file.name.rpartition(".")[2].lower()
    format_ = name if name in ("csv", "tsv", "txt", "xy") else "csv"
    return PlanarSource(file.name, format_, "ascii", _checked(file.name, rings), unit=header.unit)


def _checked(name: str, rings: Rings) -> list[Ring]:
    """Rings of a table, checked: each with three points or more; at least one."""
    if not rings:
        raise ReadError(f"{name}: the file holds no points", code="no-points", hint="export it again")
    hints = {"hint": "a blank line begins another ring; is one there by accident?"} if len(rings) > 1 else {}
    return [check_ring(name, Ring((Polyline(points),), f"line {line}"), **hints) for line, points in rings]


@dataclass(frozen=True)
class TableHeader:
    """Line above the points.

    Attributes
    ----------
    lines, end : int
        How many lines and bytes lead up to the first row.
    columns : (int, int) or None
        Where x and y stand, counted from 0, if the names say so and there are others.
    unit : str or None
        Of ``x [mm]`` and ``x_mm``.
    dividing : mapping of int to str
        Where columns stand that say to which ring a point belongs, and their names.
    """

    lines: int = 0
    end: int = 0
    columns: tuple[int, int] | None = None
    unit: str | None = None
    dividing: Mapping[int, str] = field(default_factory=dict)


def read_header(name: str, text: bytes) -> TableHeader:
    """The header of a table, if its first line that is neither blank nor a comment has no number in it."""
    start = 0
    for number in range(1, text.count(b"\n", 0, _LONGEST) + 2):
        end = text.find(b"\n", start) + 1 or len(text)
        row = text[start:end].decode("utf-8", errors="replace").strip()
        if row and not row.startswith("#") and not named_separator(row):
            return _header(name, number, end, row)
        start = end
    return TableHeader()


def _header(name: str, number: int, end: int, row: str) -> TableHeader:
    words = _names(row)
    if not words or is_numeric(words[0]) or not words[0][:1].isalpha():
        return TableHeader()
    found = [(match, column) for column, word in enumerate(words) if (match := _named(word))]
    axes = [match[1].lower() for match, _ in found]
    if set(axes) < {"x", "y"} or len(words) == 1:
        return TableHeader(number, end)  # a title, or columns by other names
    if sorted(axes) != ["x", "y"]:
        what = f"the header names the columns {', '.join(axes)}, and a point of the plane has one x and one y"
        raise ReadError(f"{name}:{number}: {what}", code="bad-header", hint="leave the other columns out")
    dividing = {k: word for k, word in enumerate(words) if word.lower() in _OF_RINGS}
    columns = found[axes.index("x")][1], found[axes.index("y")][1]
    unit = _unit(f"{name}:{number}", {match[2] for match, _ in found})
    return TableHeader(number, end, None if columns == (0, 1) and len(words) == 2 else columns, unit, dividing)


def _named(word: str) -> re.Match[str] | None:
    """The axis and the unit of a word: without brackets, only a unit of length is one."""
    match = _WITH_UNIT.fullmatch(word)
    return match if match and is_length_unit(match[2]) else _NAME.fullmatch(word)


def _names(row: str) -> list[str]:
    """The words of a header; a unit in brackets belongs to the word before it."""
    parts = re.split("[;,\t]", row)
    words = [part.strip().strip("\"'").strip() for part in parts]
    return words if len(words) > 1 else re.findall(r"[^\s\[(]+(?:\s*[\[(].*?[\])])?", row)


def _unit(place: str, units: set[str | None]) -> str | None:
    if len(units) > 1:
        what = f"{place}: the header gives x and y different units"
        raise ReadError(what, code="bad-header", hint="export both in one")
    unit, hint = units.pop(), Remedy("export in mm, or without a unit and say {}", "units")
    return None if unit is None else known_unit(unit, f"{place}: the header has the unit", hint)
