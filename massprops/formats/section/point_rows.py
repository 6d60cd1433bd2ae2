"""Tables of points, row by row: what is right, and what is wrong on which line.

A row is two numbers separated by a comma, a semicolon or blanks, the same in every row. Blank lines separate rings.
Lines that begin with ``#`` are comments.

Clean text is read fast, as rows of two numbers, each as `float()` reads it. At anything unusual the fast reader gives up, and the strict
ones decide what is right and report what is wrong. Where both read a text they give the same bits.
"""

from __future__ import annotations

import io
import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from massprops.errors import ReadError
from massprops.formats.text import bad_number, is_numeric, parse_number, quoted
from massprops.formats.text_blocks import BLOCK, rows, text_blocks
from massprops.moments.arrays import Array
from massprops.wording import plural

#: Rows of two fields with one separator between them.
_PAIRS = {mark: re.compile(rb"(?:[^%b\n]+%b[^%b\n]+(?:\n|\Z))+" % (mark, mark, mark)) for mark in (b",", b";")}


def quick_points(text: bytes, column: bytes | None) -> Array | None:
    """Points of rows such as ``1.5,2``, or None where anything in the text is unusual.

    Parameters
    ----------
    text : bytes
        Rows separated by line feeds, without one at the end.
    column : bytes
        One character between the numbers of a row; None is any number of blanks and tabs.

    Returns
    -------
    ndarray, shape (n, 2), or None
        Finite. None says nothing of what is wrong, or whether anything is.
    """
    if column and not _PAIRS[column].fullmatch(text):
        return None
    points: list[Array] = []
    for block in text_blocks(io.BytesIO(text)) if len(text) > BLOCK else [text]:
        found = rows(block.replace(column, b" ") if column else block)
        if found is None or not found[1].size or (found[1] != 2).any() or not np.isfinite(found[0]).all():
            return None
        points.append(found[0])
    return np.concatenate(points).reshape(-1, 2)


Rings = list[tuple[int, Array]]
Numbered = list[tuple[int, str]]

_ONE_POINT = "a line holds one point of the plane, x and y"
_PARTED = {b",": "a comma", b";": "a semicolon", None: "blanks"}
#: Bytes in which the first row is looked for: it tells how the others are parted.
_HEAD = 1 << 16
_BEGINS_A_NUMBER = re.compile(r"[+-]?[.,]?\d", re.ASCII)
_GAP = re.compile(rb"\n(?:[ \t]*\n)+")


@dataclass(frozen=True)
class Layout:
    """How the rows of a table are written.

    Attributes
    ----------
    separator : bytes or None
        What parts the numbers: ``b","``, ``b";"``, or None for blanks and tabs.
    columns : (int, int) or None
        Where x and y stand, counted from 0; None: there is nothing else.
    """

    separator: bytes | None
    columns: tuple[int, int] | None = None

    def words(self, row: str) -> list[str]:
        """The fields of a row, without the blanks around them."""
        return row.split() if self.separator is None else [word.strip() for word in row.split(self.separator.decode())]


def read_rows(name: str, text: bytes, first: int, columns: tuple[int, int] | None = None) -> Rings:
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

    Raises
    ------
    ReadError
        Codes ``bad-number``, ``bad-point``, ``stray-text``, with the line.
    """
    head = next((row for _, row in _rows(text[:_HEAD], first) if row), "")
    layout = Layout(separator_of(head), columns)
    rings: Rings = []
    text, lead = text.rstrip(b" \t\n"), len(text) - len(text.lstrip(b"\n"))
    at, line = lead, first + lead
    for gap in [*_GAP.finditer(text, at), None]:
        block = text[at : gap.start() if gap else len(text)]
        points = quick_points(block, layout.separator) if columns is None else None
        rings += _carefully(name, block, line, layout) if points is None else [(line, points)]
        if gap:
            line, at = line + block.count(b"\n") + gap.group().count(b"\n"), gap.end()
    return rings


def separator_of(row: str) -> bytes | None:
    """What parts the numbers of a row: a semicolon before a comma before blanks (None)."""
    return b";" if ";" in row else b"," if "," in row else None


def _carefully(name: str, text: bytes, first: int, layout: Layout) -> Rings:
    rings: Rings = []
    for numbered in _blocks(text, first):
        points = array("d")
        for line, row in numbered:
            points.extend(_point(f"{name}:{line}", row, layout))
        rings.append((numbered[0][0], np.array(points).reshape(-1, 2)))
    return rings


def _rows(text: bytes, first: int) -> Iterator[tuple[int, str]]:
    """Numbered lines without comments; a blank line is an empty row."""
    for number, line in enumerate(text.decode("utf-8", errors="replace").split("\n"), first):
        row = line.strip()
        if not row.startswith("#"):
            yield number, row


def _blocks(text: bytes, first: int) -> Iterator[Numbered]:
    """Runs of rows without a blank line among them."""
    found: Numbered = []
    for number, row in _rows(text, first):
        if row:
            found.append((number, row))
        elif found:
            yield found
            found = []
    if found:
        yield found


def _point(place: str, row: str, layout: Layout) -> list[float]:
    words = layout.words(row)
    if layout.columns is None and _is_prose(words):
        what = f"{quoted(row)} stands among the points"
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


def _not_a_point(place: str, row: str, words: list[str], layout: Layout) -> ReadError:
    comma = next((word for word in words if "," in word), None)
    if comma is not None:
        return bad_number(place, "coordinate", comma)
    what, hint = f"the row has {plural(len(words), 'number')}", _ONE_POINT
    if separator_of(row) != layout.separator:
        what = f"{quoted(row)} is separated by {_PARTED[separator_of(row)]}, the rows before it by {_PARTED[layout.separator]}"
    elif layout.separator == b"," and len(words) == 4:
        hint += "; if the commas are decimal commas, export with '.' as the decimal separator"
    elif len(words) > 2:
        hint += "; with more columns, name x and y in a header line"
    return ReadError(f"{place}: {what}", code="bad-point", hint=hint)
