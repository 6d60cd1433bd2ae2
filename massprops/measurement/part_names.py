"""How parts are named: by their number in the list of parts, by name, by the end of a path, or by a pattern.

Names and numbers differ by their syntax:

==================  =============================================================================
``2``, ``no:2``     the part with this number in ``--list-parts``; a Python int is a number, too
``name:2``          the parts with this name and no other
``bolt``, ``bolt*`` the parts of this name, whose path ends in it, or that the pattern matches
==================  =============================================================================

A number without ``no:`` that is also the name of a part is refused, unless it is the number of that part. Only parts have numbers: layers,
links and bodies are named, and ``name:`` may stand before their names, too (`massprops.formats.address`).

Tests: `tests/measurement/test_part_names.py`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import compress
from typing import TypeVar

from massprops.errors import InvalidInput
from massprops.formats.address import NAME, literal_name
from massprops.formats.link_names import some
from massprops.formats.text import quote
from massprops.wording import by_end, did_you_mean

T = TypeVar("T")
#: Before a number, where it could also be a name.
_NUMBER = "no:"
#: Between the names of a path.
_SEPARATORS = re.compile(r"::|[/|]")


def number_of(key: str | int) -> int | None:
    """The number that a key is by its syntax; None where it is a name or a pattern."""
    text = str(key).removeprefix(_NUMBER)
    return int(text) if re.fullmatch("[1-9][0-9]*", text) else None


def matching(key: str | int, parts: Sequence[Sequence[str]], place: str = "") -> list[bool]:
    """For each part, by its names, whether a key means it.

    Raises
    ------
    InvalidInput
        If the key is a number and the name of a part that does not have it.
    """
    number = number_of(key)
    if number is not None:
        check_unambiguous(key, parts, place)
        return [number == i for i in range(1, len(parts) + 1)]
    name, is_literal = literal_name(str(key)), str(key).startswith(NAME)
    found = [name in names for names in parts]
    if not any(found) and not is_literal:
        found = [any(fnmatchcase(n, name) for n in names) for names in parts]
    if not any(found) and not is_literal:
        whole = by_end(name, list(dict.fromkeys(n for names in parts for n in names)))
        found = [whole in names for names in parts]
    return found


def check_unambiguous(
    key: str | int, parts: Sequence[Sequence[str]], place: str = "", others: Sequence[Sequence[str]] = ()
) -> None:
    """Raise InvalidInput for a bare number that is the name, or the end of the path, of a part that does not have this number.

    `others` are the names of parts in other ways of dividing the file, which have no numbers.
    """
    number = number_of(key)
    if number is None or not isinstance(key, str) or key.startswith(_NUMBER):
        return
    numbered = parts[number - 1] if number <= len(parts) else ()
    for i, names in enumerate((*parts, *others), 1):
        named = next((n for n in names if _SEPARATORS.split(n)[-1] == key), None)
        if named is not None and i != number and (i <= len(parts) or named not in numbered):
            of = f"the number of {quote_part(numbered[0])}" if numbered else f"a number, of {len(parts)} parts,"
            hint = f"write {NAME}{named} for the name" + (f", or {_NUMBER}{key} for the number" if numbered else "")
            what = f"{key!r} is {of} and the name of another part" if numbered else f"{key!r} is {of} and a name"
            raise InvalidInput(what, place=place, code="ambiguous-part", hint=hint)


def by_part(
    given: Mapping[str, T] | Mapping[int, T] | Mapping[str | int, T],
    parts: Sequence[Sequence[str]],
    what: str = "density",
    place: str = "",
) -> list[T | None]:
    """The value of each part, by the names of the parts; a name or a number goes before a pattern.

    Raises
    ------
    InvalidInput
        If a key means no part, could mean two, or a part has two values.
    """
    values: list[T | None] = [None] * len(parts)
    rank = [0] * len(parts)
    for key, value in given.items():
        found = matching(key, parts, place)
        if not any(found):
            raise unknown_part(key, list(dict.fromkeys(n for names in parts for n in names)), place, len(parts))
        for i in compress(range(len(parts)), found):
            own = 2 if number_of(key) is not None or literal_name(str(key)) in parts[i] else 1
            if rank[i] == own and values[i] != value:
                raise InvalidInput(
                    f"a {what} is given twice for the part {quote_part(parts[i][0])}", hint="give it once"
                )
            if own >= rank[i]:
                values[i], rank[i] = value, own
    return values


def quote_part(name: str) -> str:
    """A part's name in a message: whole unless nobody would type it, since parts of sections are named by the paths of files."""
    return quote(name, 150)


def unknown_part(key: str | int, known: Sequence[str], place: str, count: int) -> InvalidInput:
    """The error for a key that means no part."""
    listed = f"parts: {some([*map(quote_part, known)])}"
    number = number_of(key)
    if number is not None:
        what = f"there is no part No. {number}"
        return InvalidInput(what, place=place, hint=f"the numbers are 1 to {count}; {listed}")
    hint = f"{did_you_mean(literal_name(str(key)), known, '')} {listed}".strip()
    return InvalidInput(f"there is no part {quote_part(str(key))}", place=place, hint=hint)
