"""Where the keys of a TOML text stand: the reader of the standard library forgets it."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from massprops.formats.text import BadToml, toml_of

_ARRAY = re.compile(r"\s*\[\[(.+)\]\]\s*(?:#.*)?")
_TABLE = re.compile(r"\s*\[(?!\[)(.+)\]\s*(?:#.*)?")
_KEY = re.compile(r"\s*([\"']?)([^\"'=]+?)\1\s*(?:\.[^=]*)?=")


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
