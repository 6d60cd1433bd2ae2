"""Tables of points, row by row: what is right, and what is wrong on which line.

A row is two numbers separated by a comma, a semicolon or blanks, the same in every row; but for the comma, the numbers may have decimal
commas. Blank lines, also of empty cells, separate rings. Lines that begin with ``#`` are comments.

Tests: `tests/formats/section/test_points.py`.
"""

from __future__ import annotations

import io
import re
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from massprops.errors import ReadError
from massprops.formats.spreadsheets import with_decimal_points
from massprops.formats.text import bad_number, is_numeric, parse_number, quote
from massprops.formats.text_lines import TextLines, extend, scan_numbers
from massprops.moments.arrays import Array
from massprops.wording import plural

Rings = list[tuple[int, Array]]

_ONE_POINT = "a line holds one point of the plane, x and y"
_PARTED = {b",": "a comma", b";": "a semicolon", None: "blanks"}
#: What a blank line may hold.
EMPTY_CELLS = ",; \t"
#: Bytes in which the first row is looked for: it tells how the others are parted.
_HEAD = 1 << 16
#: Numbers with a decimal comma, or without digits behind it.
_MAYBE_COMMA = re.compile(r"[+-]?\d+(?:,\d+(?:[eE][+-]?\d+)?)?", re.ASCII)
_COMMENT = re.compile(rb"(?m)^[ \t]*#.*$")
_BEGINS_A_NUMBER = re.compile(r"[+-]?[.,]?\d", re.ASCII)


@dataclass(frozen=True)
class RowLayout:
    """Way in which the rows of a table are written.

    Attributes
    ----------
    separator : bytes or None
        What parts the numbers: ``b","``, ``b";"``, or None for blanks and tabs.
    columns : (int, int) or None
        Where x and y stand, counted from 0; None: there is nothing else.
    dividing : mapping of int to str
        Where columns stand that say to which ring a point belongs, and their names.
    """

    separator: bytes | None
    columns: tuple[int, int] | None = None
    dividing: Mapping[int, str] = field(default_factory=dict)

    def words(self, row: str) -> list[str]:
        """The fields of a row, without the blanks around them, and without empty ones behind a point."""
        if self.separator is None:
            return row.split()
        words = [word.strip() for word in row.split(self.separator.decode())]
        while len(words) > 2 and not words[-1]:
            words.pop()
        return words


def read_rows(
    name: str,
    text: bytes,
    first: int,
    columns: tuple[int, int] | None = None,
    dividing: Mapping[int, str] = MappingProxyType({}),
) -> Rings:
    """The rings of a table: the line that each begins on, and its points as the file has them, shape (n, 2).

    Parameters
    ----------
    name : str
        The file, for messages.
    text : bytes
        Rows, blank lines and comments in UTF-8, lines ended by LF.
    first : int
        The number that its first line has in the file.
    columns : (int, int), optional
        Where x and y stand, counted from 0, if a header names more columns than two.
    dividing : mapping of int to str, optional
        Where columns stand that say to which ring a point belongs, and their names: a blank line begins another ring, they only repeat it.

    Raises
    ------
    ReadError
        Codes ``bad-number``, ``bad-point``, ``stray-text``, ``decimal-comma``, ``bad-header``, with the line.
    """
    head = (line.strip() for line in text[:_HEAD].decode("utf-8", errors="replace").split("\n"))
    separator = separator_of(next((row for row in head if row and not row.startswith("#")), ""))
    if separator != b",":
        text = with_decimal_points(name, _COMMENT.sub(b"#", text), first)
    table = _Table(TextLines(name, io.BytesIO(text), line=first - 1), RowLayout(separator, columns, dividing))
    return [(line, np.asarray(points).reshape(-1, 2)) for line, points in table.rings]


def separator_of(row: str) -> bytes | None:
    """Separator of the numbers of a row: a semicolon before blanks (None) between decimal commas before a comma before blanks."""
    words = row.split()
    has_decimal_commas = len(words) > 1 and all(map(_MAYBE_COMMA.fullmatch, words))
    return b";" if ";" in row else b"," if "," in row and not has_decimal_commas else None


class _Table:
    """The rings of a table: the line that each begins on, and its coordinates in a row."""

    def __init__(self, lines: TextLines, layout: RowLayout) -> None:
        self.rings: list[tuple[int, array[float]]] = []
        self._lines = lines
        self._layout = layout
        self._is_open = False  # the last ring
        self._said = dict[int, str]()  # to which ring its points belong
        for line in lines.lines(self._scan):
            self._add(line.decode("utf-8", errors="replace").strip())

    def _ring(self, line: int) -> array[float]:
        """Coordinates of the ring that a row on this line belongs to."""
        if not self._is_open:
            self.rings.append((line, array("d")))
            self._is_open = True
        return self.rings[-1][1]

    def _scan(self, text: bytes, start: int, _most: int) -> tuple[int, int] | None:
        found = None if self._layout.columns else scan_numbers(text[start:], self._layout.separator)
        if found is None or np.any(found[1] & ~2):  # other rows than of 0 and 2 numbers
            return None
        blank = np.flatnonzero(found[1] == 0)
        runs = np.split(found[0].reshape(-1, 2), blank - np.arange(len(blank)))
        for before, run in zip([-1, *blank.tolist()], runs, strict=True):
            self._is_open &= before < 0
            if len(run):
                extend(self._ring(self._lines.line + before + 1), run)
        return len(text), 0

    def _add(self, row: str) -> None:
        if not row.strip(EMPTY_CELLS):
            self._is_open = False
        elif not row.startswith("#"):
            words = self._layout.words(row)
            said = {k: words[k] if k < len(words) else "" for k in self._layout.dividing}
            if self._is_open and (k := next((k for k in said if said[k] != self._said[k]), None)) is not None:
                what = f"the column {quote(self._layout.dividing[k])} may divide the points into rings, and here a blank line does"
                raise ReadError(
                    f"{self._lines.place}: {what}", code="bad-header", hint="write a blank line between rings"
                )
            self._said = said
            self._ring(self._lines.line).extend(_point(self._lines.place, row, self._layout))


def _point(place: str, row: str, layout: RowLayout) -> list[float]:
    words = layout.words(row)
    if layout.columns is None and _is_prose(words):
        what = f"{quote(row)} stands among the points"
        raise ReadError(f"{place}: {what}", code="stray-text", hint=f"{_ONE_POINT}; comments begin with #")
    if layout.columns is not None:
        words = _picked(place, words, layout.columns)
    if len(words) != 2:
        raise _not_a_point(place, row, words, layout)
    return [parse_number(word, place, axis) for word, axis in zip(words, "xy", strict=True)]


def _is_prose(words: list[str]) -> bool:
    """Whether a row is no point at all, not even a damaged one."""
    first = words[0]
    if not any(is_numeric(word) or _BEGINS_A_NUMBER.match(word) for word in words):
        return True
    return first[:1].isalpha() and len(words) != 2 and not is_numeric(first)


def _picked(place: str, words: list[str], columns: tuple[int, int]) -> list[str]:
    if len(words) <= max(columns):
        x, y = (column + 1 for column in columns)
        what = f"the row has {plural(len(words), 'number')}, and the header has x and y in the columns {x} and {y}"
        raise ReadError(f"{place}: {what}", code="bad-point", hint="is the line cut off?")
    return [words[column] for column in columns]


def _not_a_point(place: str, row: str, words: list[str], layout: RowLayout) -> ReadError:
    comma = next((word for word in words if "," in word), None)
    if comma is not None:
        return bad_number(place, "coordinate", comma)
    what, hint = f"the row has {plural(len(words), 'number')}", _ONE_POINT
    if separator_of(row) != layout.separator:
        what = f"{quote(row)} is separated by {_PARTED[separator_of(row)]}, the rows before it by {_PARTED[layout.separator]}"
    elif layout.separator == b"," and len(words) == 4:
        hint += "; if the commas are decimal commas, export with '.' as the decimal separator"
    elif len(words) > 2:
        hint += "; with more columns, name x and y in a header line"
    return ReadError(f"{place}: {what}", code="bad-point", hint=hint)
