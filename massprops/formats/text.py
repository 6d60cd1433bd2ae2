"""Text of files: unknown encodings, any line ending, words that should be numbers, and the lines of the keys of TOML.

The TOML reader of the standard library does not keep the lines of its keys, and messages name them.

Tests: `tests/formats/test_parsers.py`.
"""

from __future__ import annotations

import codecs
import math
import re
from collections import Counter
from typing import Any

from massprops.errors import ReadError
from massprops.values import regex

# UTF-32 first: its little-endian mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

#: What to do with a robot file in xacro.
EXPAND = "expand it first: xacro FILE > robot.urdf"

#: A hundred parts of a dotted TOML key, each followed by its dot.
_DEEP_KEY = regex(r"""(?<![\w-])(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){100}""", re.ASCII)

# float() also takes `1_000`, `infinity` and the digits of every script; no mesh file means them.
_NUMBER = regex(r"[+-]?(\d++\.?\d*+|\.\d++)([eE][+-]?\d++)?", re.ASCII)
_FORTRAN = regex(r"[+-]?(\d++\.?\d*+|\.\d++)([dDqQ][+-]?\d++|[+-]\d++)", re.ASCII)
_COMMA = regex(r"[+-]?[\d.]*+,[\d.,]*+([eE][+-]?\d++)?", re.ASCII)
_NOT_A_NUMBER = regex(r"[+-]?(nan(\(\w*\))?|1\.?#(qnan|snan|ind)\d*)", re.ASCII | re.IGNORECASE)
_INFINITE = regex(r"[+-]?(inf|infinity|1\.?#inf\d*)", re.ASCII | re.IGNORECASE)

_EXPORT_AGAIN = "export the file again; a coordinate must be finite"
_EXPECTED = "a number is expected here; is the line damaged, or the file of another format?"
_RULES = (
    (_COMMA, "has a comma where a number has a decimal point", "export with '.' as the decimal separator"),
    (_FORTRAN, "has a Fortran exponent", "write the exponent with 'e', as in 1.0e+05"),
    (_NOT_A_NUMBER, "is not a number", _EXPORT_AGAIN),
    (_INFINITE, "is infinite", _EXPORT_AGAIN),
    (_NUMBER, "is too large for a double-precision number", _EXPORT_AGAIN),
)


def encoding_of(data: bytes) -> tuple[str, int]:
    """Codec of a text, and the length of its byte order mark.

    UTF-16 without a mark is recognised by the zero bytes beside its ASCII letters; `latin-1` takes any bytes,
    so that a name in an old code page never keeps a file from being read.
    """
    for mark, codec in _MARKS:
        if data.startswith(mark):
            return codec, len(mark)
    head = data[: min(64, len(data) // 2 * 2)]
    if head and all(head[::2]) and not any(head[1::2]):
        return "utf-16-le", 0
    if head and all(head[1::2]) and not any(head[::2]):
        return "utf-16-be", 0
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "latin-1", 0
    return "utf-8", 0


def decode(data: bytes) -> str:
    """Text of a file: UTF-8, UTF-16 or UTF-32 with or without a mark (UTF-32 with), else latin-1. Never fails."""
    codec, mark = encoding_of(data)
    return data[mark:].decode(codec, errors="replace")


def as_utf8(data: bytes) -> bytes:
    """Text in UTF-8 without a mark; `data` itself, not a copy, where it is plain ASCII."""
    return data if data.isascii() and b"\0" not in data[:64] else decode(data).encode()


def with_line_feeds(data: bytes) -> bytes:
    """Text with lines ended by LF instead of CRLF or CR; `data` itself, not a copy, where they are so already."""
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in data else data


def split_lines(text: str) -> list[str]:
    """Lines ended by LF, CRLF or CR, and by nothing else (`str.splitlines` also breaks at form feeds and U+2028)."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def is_numeric(token: str) -> bool:
    """Whether a token is a decimal number, or a NaN or infinity as printed by any C library."""
    return any(pattern.fullmatch(token) for pattern in (_NUMBER, _NOT_A_NUMBER, _INFINITE))


class BadToml(ValueError):
    """A text is not TOML; its message says why, and the caller says where."""


def toml_of(text: str) -> dict[str, Any]:
    """The tables of a TOML text; BadToml for everything that Python's parser raises."""
    import tomllib  # 3 ms that most runs do not need

    if _DEEP_KEY.search(text):  # the parser takes the square of their number
        raise BadToml("a key has more than 100 parts")
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise BadToml("it is nested too deeply") from error
    except ValueError as error:
        digits = not isinstance(error, tomllib.TOMLDecodeError)
        raise BadToml("an integer has more than 4,300 digits" if digits else str(error)) from error


def shorten(text: str, length: int = 40) -> str:
    """A text as messages show it, of at most `length` characters."""
    return text if len(text) <= length else text[: length - 3] + "..."


def quote(token: str, length: int = 40) -> str:
    """A token as messages show it: `repr`, of at most `length` characters of it."""
    return repr(shorten(token, length))


def bad_number(place: str, what: str, token: str, otherwise: str = "") -> ReadError:
    """The error for a bad number: `place` is ``file:line``, `what` names the number (``vertex coordinate``).

    `otherwise` is the remedy where there is none for a number that is written in another way.
    """
    broken = ((rule, remedy) for pattern, rule, remedy in _RULES if pattern.fullmatch(token))
    rule, remedy = next(broken, ("is not a number", _EXPECTED))
    remedy = remedy if "comma" in rule or "Fortran" in rule else otherwise or remedy
    return ReadError(f"{place}: {what} {quote(token)} {rule}", code="bad-number", hint=remedy)


def parse_number(token: str, place: str, what: str, otherwise: str = "") -> float:
    """`float(token)`, for finite decimal numbers as C's `strtod` reads them, and nothing else.

    Raises
    ------
    ReadError
        As `bad_number` words it, code ``bad-number``.
    """
    value = float(token) if _NUMBER.fullmatch(token) else math.nan
    if not math.isfinite(value):
        raise bad_number(place, what, token, otherwise)
    return value


_ARRAY = regex(r"\s*\[\[(.+)\]\]\s*(?:#.*)?")
_TABLE = regex(r"\s*\[(?!\[)(.+)\]\s*(?:#.*)?")
_KEY = regex(r"\s*([\"']?)([^\"'=]+?)\1\s*(?:\.[^=]*)?=")


def lines_of(text: str) -> dict[tuple[str | int, ...], int]:
    """The line, from 1, of every table ``(*names,)`` and key ``(*names, key)``; in an array of tables ``(*names, number, key)``.

    What is written in another way (an inline table, a key with dots in another) is missing.
    """
    found: dict[tuple[str | int, ...], int] = {}
    arrays: Counter[tuple[str, ...]] = Counter()
    here: tuple[str | int, ...] = ()
    for number, line in enumerate(text.split("\n"), 1):
        if array := _ARRAY.fullmatch(line):
            names = _names(array[1])
            here = (*names, arrays[names])
            arrays[names] += 1
        elif table := _TABLE.fullmatch(line):
            here = _names(table[1])
        elif key := _KEY.match(line):
            found.setdefault((*here, key[2].partition(".")[0].strip() if not key[1] else key[2]), number)
            continue
        found.setdefault(here, number)
    return found


def _names(header: str) -> tuple[str, ...]:
    """The parts of a table's name; empty if the text only looks like one, as a line of an array can."""
    try:
        table: Any = toml_of(f"[{header}]")
    except BadToml:
        return ()
    names = []
    while isinstance(table, dict) and table:
        name, table = next(iter(table.items()))
        names.append(name)
    return tuple(names)
