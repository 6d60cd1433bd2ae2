"""Habits of spreadsheets: a line ``sep=;``, and decimal commas, as most of Europe writes them where no comma separates the numbers.

``1,234`` may be either number. Other numbers of the file decide: ``100,5`` and ``0,250`` have no thousands. Without such a number, or
beside a decimal point, the file is refused.

Tests: `tests/formats/section/test_spreadsheets.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from massprops.errors import ReadError
from massprops.formats.text import quote
from massprops.values import regex

_COMMA = regex(r"[+-]?\d+,\d+(?:[eE][+-]?\d+)?", re.ASCII)
_POINT = regex(r"[+-]?(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
#: Groups of thousands, as ``1,234``; with `_BOTH` nothing else fits.
_GROUP = regex(r"[+-]?[1-9]\d{0,2},\d{3}", re.ASCII)
_BOTH = regex(r"[+-]?\d+(?:,\d+){2,}|[+-]?\d+(?:,\d+)+\.\d*|[+-]?\d+(?:\.\d+)+,\d*", re.ASCII)
#: The line that states to Excel what separates the cells.
_SEPARATOR = regex(r"\s*\"?sep=(.)\"?[;,\t]*\s*", re.IGNORECASE)
_TOKEN = regex(rb"[^\s;]+")
_IN_NUMBER = regex(rb"(?<=\d),(?=\d)")
_POINTS = "export with '.' as the decimal separator and without separators of thousands"


def named_separator(line: str) -> str | None:
    """Separator that a line ``sep=;`` names, for Excel; None of any other line."""
    match = _SEPARATOR.fullmatch(line)
    return match and match[1]


def has_decimal_commas(tokens: Iterable[str], place: Callable[[str], str]) -> bool:
    """Whether numbers have decimal commas; tokens that are no numbers are passed over.

    Parameters
    ----------
    tokens : iterable of str
        The numbers of one file.
    place : callable
        The place of a token, ``file:line``, for messages.

    Raises
    ------
    ReadError
        Code ``decimal-comma``: a comma may separate thousands.
    """
    comma, group, point = "", "", ""
    for token in tokens:
        if "," not in token:
            point = point or (token if _POINT.fullmatch(token) else "")
        elif _BOTH.fullmatch(token):
            what = f"{place(token)}: {quote(token)} has separators of thousands"
            raise ReadError(what, code="decimal-comma", hint=_POINTS)
        elif _COMMA.fullmatch(token):
            group = group or token
            comma = comma or ("" if _GROUP.fullmatch(token) else token)
    if group and point:
        what = f"{place(comma or group)}: {quote(comma or group)} has a comma, and {quote(point)} a decimal point"
        raise ReadError(what, code="decimal-comma", hint=_POINTS)
    if group and not comma:
        either = f"{group.replace(',', '.')} or {group.replace(',', '')}"
        what = f"{place(group)}: {quote(group)} may be {either}, and no other number decides it"
        raise ReadError(what, code="decimal-comma", hint=_POINTS)
    return bool(comma)


def with_decimal_points(name: str, text: bytes, first: int = 1, numbers: re.Pattern[bytes] | None = None) -> bytes:
    """A text whose decimal commas have become points; `text` itself where it has none.

    Parameters
    ----------
    name : str
        The file, for messages.
    text : bytes
        In it blanks or semicolons separate the numbers.
    first : int
        Number of its first line.
    numbers : pattern, optional
        Where numbers are; by default everywhere.

    Raises
    ------
    ReadError
        As `has_decimal_commas`.
    """
    if b"," not in text:
        return text

    def place(token: str) -> str:
        line = first + text.count(b"\n", 0, text.find(token.encode()))
        return f"{name}:{line}"

    stretches = [text] if numbers is None else numbers.findall(text)
    tokens = (token.decode(errors="replace") for stretch in stretches for token in _TOKEN.findall(stretch))
    return _IN_NUMBER.sub(b".", text) if has_decimal_commas(tokens, place) else text
