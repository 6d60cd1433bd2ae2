"""JSON by the standard: no duplicate keys, no NaN, no numbers that Python cannot hold; and lists of points as arrays.

Tests: `tests/formats/test_parsers.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any, NoReturn

import numpy as np

from massprops.errors import ReadError
from massprops.formats.text import quote
from massprops.moments.arrays import Array
from massprops.values import regex
from massprops.wording import plural

_DAMAGED = "the file is damaged or cut off; export or copy it again"
_BLANKS = regex(r"[ \t\r\n]*")
_POINT = "a point is a list of two numbers, x and y"


def load(name: str, text: bytes) -> Any:
    """The value of a JSON text in UTF-8.

    Raises
    ------
    ReadError
        Code ``bad-json`` with line and column, or ``bad-number``.
    """
    with _errors_of(name):
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_object)


def objects(text: str, path: str) -> Iterator[tuple[Any, str]]:
    """The JSON values of a text, one after the other or one per line, each with the place where it begins.

    Raises
    ------
    ReadError
        Code ``bad-json``, with the line.
    """
    decoder = json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=_object)
    position, line = _after_blanks(text, 0), 1 + text.count("\n", 0, _after_blanks(text, 0))
    while position < len(text):
        place, begin = f"{path}:{line}", position
        with _errors_of(place, path):
            value, position = decoder.raw_decode(text, position)
        yield value, place
        position = _after_blanks(text, position)
        line += text.count("\n", begin, position)


def _after_blanks(text: str, position: int) -> int:
    match = _BLANKS.match(text, position)
    return match.end() if match else position


@contextmanager
def _errors_of(place: str, path: str | None = None) -> Iterator[None]:
    """Raise errors of the decoder as a ReadError at `place`, or on its own line of `path`."""
    try:
        yield
    except json.JSONDecodeError as error:
        message = f"{path or place}:{error.lineno}: not valid JSON: {error.msg} at column {error.colno}"
        raise ReadError(message, code="bad-json", hint=_DAMAGED) from error
    except RecursionError as error:
        raise ReadError(f"{place}: JSON is nested too deeply", code="bad-json", hint=_DAMAGED) from error
    except ValueError as error:
        reason = "an integer has more than 4,300 digits" if "digits" in str(error) else error
        raise ReadError(f"{place}: {reason}", code="bad-json", hint="export it again") from error


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a JSON number; numbers must be finite")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"duplicate key {quote(twice)} in one object")
    return found


def points(name: str, place: str, value: Any) -> Array:
    """Points of a list such as ``[[0, 0], [1, 0], …]``: shape (n, 2), or (n, 3) where all have a height; finite.

    Raises
    ------
    ReadError
        Codes ``bad-point``, ``mixed-dimensions``, ``bad-number``, naming the element as ``place[3]``.
    """
    if not isinstance(value, list):
        raise _error(name, place, f"a list of points is expected, found {_describe(value)}", "bad-point")
    sizes = set(map(len, value)) if set(map(type, value)) <= {list} else set()
    if len(sizes) == 1 and sizes <= {2, 3} and set(map(type, chain.from_iterable(value))) <= {int, float}:
        return _array(name, place, value, sizes.pop())
    if not value:
        raise _error(name, place, "the list of points is empty", "bad-point")
    raise _first_bad(name, place, value)


def _array(name: str, place: str, value: list[list[float]], size: int) -> Array:
    try:
        numbers = np.fromiter(chain.from_iterable(value), np.float64, size * len(value)).reshape(-1, size)
    except OverflowError:
        numbers = np.array([[float(f"{x}") for x in point] for point in value])
    bad = np.flatnonzero(~np.isfinite(numbers).all(axis=1))
    if len(bad):
        what = "a coordinate is too large for a double-precision number"
        raise _error(name, f"{place}[{bad[0]}]", what, "bad-number", "a coordinate must be finite")
    return numbers


def _first_bad(name: str, place: str, value: list[Any]) -> ReadError:
    for index, point in enumerate(value):
        at = f"{place}[{index}]"
        if not isinstance(point, list):
            return _error(name, at, f"a point is expected, found {_describe(point)}", "bad-point")
        wrong = next((x for x in point if type(x) not in (int, float)), None)
        if wrong is not None or None in point:
            return _error(name, at, f"a number is expected, found {_describe(wrong)}", "bad-number")
        if len(point) not in (2, 3):
            return _error(name, at, f"the point has {plural(len(point), 'number')}", "bad-point")
        if len(point) != len(value[0]):
            what = f"the point has {len(point)} numbers, the first one of the ring {len(value[0])}"
            return _error(name, at, what, "mixed-dimensions", "export it in the plane")
    return _error(name, place, "no list of points", "bad-point")


def _describe(value: Any) -> str:
    """A JSON value as messages show it."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return "an object" if isinstance(value, dict) else "a list" if isinstance(value, list) else quote(str(value))


def _error(name: str, place: str, what: str, code: str, hint: str = _POINT) -> ReadError:
    return ReadError(f"{name}: {place}: {what}", code=code, hint=hint)
