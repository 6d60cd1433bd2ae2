"""ASCII STL: a quick reader for what exporters write, and a careful one for everything else.

The quick reader gives up silently at anything unusual. The careful one, `stl_careful`, decides what is right and says
what is wrong and on which line; where both read a file they give the same doubles, those of `float()`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from massprops.errors import ReadError
from massprops.readers.source import CHUNK, InputFile, MeshSource
from massprops.readers.stl_careful import read_carefully
from massprops.readers.text import as_utf8, decode

Doubles = NDArray[np.float64]

NO_FACETS = "export the mesh again; there is nothing to measure"
_BINARY_HEADER = 84


def recognises(head: bytes) -> bool:
    """Whether a file begins as an ASCII STL file does.

    Binary headers may begin with ``solid`` too; then a zero byte follows soon, at the latest in the count
    (which has one in files of less than 16,777,216 facets). Zeros after a line of STL are damage to a text.
    """
    begin = decode(head)[:_BINARY_HEADER]
    if re.match(r"\s*solid(\s|$)", begin, re.IGNORECASE) is None:
        return False
    return "\0" not in begin or re.match(r"[^\0\r\n]*[\r\n]\s*(facet|endsolid)\s", begin, re.IGNORECASE) is not None


def read(file: InputFile) -> MeshSource:
    """Facets of an ASCII STL file, float64, read whole."""
    file.stream.seek(0)
    data = file.stream.read()
    corners = read_quickly(data)
    if corners is None:
        corners = read_carefully(file.name, data)
    if len(corners) == 0:
        raise ReadError(f"{file.name}: the ASCII STL file holds no facets", code="no-facets", hint=NO_FACETS)
    return MeshSource(file.name, "stl", "ascii", len(corners), partial(_chunks, corners))


def _chunks(corners: Doubles) -> Iterator[Doubles]:
    for start in range(0, len(corners), CHUNK):
        yield corners[start : start + CHUNK]


# The quick reader: 21 words per facet, counted in columns.

_LAYOUT = b"facet normal . . . outer loop vertex . . . vertex . . . vertex . . . endloop endfacet".split()
_WORDS = [(column, word) for column, word in enumerate(_LAYOUT) if word != b"."]
_NUMBERS = [column for column, word in enumerate(_LAYOUT) if word == b"."]
_COORDINATES = _NUMBERS[3:]
_SOLID = re.compile(rb"\s*solid(?:[ \t][^\r\n]*)?[\r\n]")
_ENDSOLID = re.compile(rb"endsolid(?:[ \t][^\r\n]*)?(?:[\r\n]\s*|\Z)")
# Bytes that are split into words at a time: about a thousand facets.
_BLOCK = 1 << 18


class _Unusual(Exception):  # no error: the careful reader takes over
    pass


def read_quickly(data: bytes) -> Doubles | None:
    """Corners of a well-behaved file, shape (n, 3, 3), or None where anything in it is unusual."""
    text = as_utf8(data).lower()
    try:
        blocks = [_quick_block(text[start:stop]) for start, stop in _blocks(text)]
    except (_Unusual, ValueError):
        return None
    corners = np.concatenate(blocks) if blocks else np.empty((0, 3, 3))
    return corners if np.isfinite(corners).all() else None


def _blocks(text: bytes) -> Iterator[tuple[int, int]]:
    """Stretches of whole facets."""
    position = 0
    while position < len(text):
        start = _line(_SOLID, text, position)
        end = text.find(b"endsolid", start)
        if end < 0 or not text[end - 1 : end].isspace():
            _give_up()
        position = _line(_ENDSOLID, text, end)
        while start < end:
            last = text.find(b"endfacet", start + _BLOCK, end)
            stop = end if last < 0 else last + len(b"endfacet")
            yield start, stop
            start = stop


def _line(pattern: re.Pattern[bytes], text: bytes, position: int) -> int:
    """End of a line with a solid's name, in which no facet may hide."""
    match = pattern.match(text, position)
    if match is None or b"outer" in match[0]:
        _give_up()
    return match.end()


def _give_up() -> NoReturn:
    raise _Unusual


def _quick_block(block: bytes) -> Doubles:
    words = block.split()
    facets, rest = divmod(len(words), len(_LAYOUT))
    # float() would read 1_000 as a thousand.
    if rest or b"_" in block or any(words[column :: len(_LAYOUT)].count(word) != facets for column, word in _WORDS):
        _give_up()
    numbers = {
        column: np.fromiter(map(float, words[column :: len(_LAYOUT)]), np.float64, facets) for column in _NUMBERS
    }
    corners = np.empty((facets, 9))
    for place, column in enumerate(_COORDINATES):
        corners[:, place] = numbers[column]
    return corners.reshape(-1, 3, 3)
