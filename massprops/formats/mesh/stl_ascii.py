"""ASCII STL: the facets of all solids, in double precision.

The grammar, in any case, with any white space, and as often as solids follow each other:

    solid name…
      facet [normal …]  outer loop  vertex x y z  vertex x y z  vertex x y z  endloop  endfacet  …
    endsolid name…

The coordinates may have decimal commas.
Normals are not used (the order of the corners says what is outside), so they may be missing, or be anything but a word of the grammar.

Tests: `tests/formats/mesh/test_stl.py`.
"""

from __future__ import annotations

import math
import re
from array import array
from functools import partial
from io import BytesIO

import numpy as np

from massprops import native
from massprops.errors import ReadError
from massprops.formats.spreadsheets import with_decimal_points
from massprops.formats.text import as_utf8, decode, parse_number, quote, with_line_feeds
from massprops.formats.text_lines import TextLines, extend
from massprops.mesh.source import InputFile, MeshFile, slices
from massprops.values import regex

#: The words of a facet without its normal; numbers stand for a number after so many of its vertex.
_VERTEX = (b"vertex", 0, 1, 2)
_FACET = (b"facet", b"outer", b"loop", *_VERTEX, *_VERTEX, *_VERTEX, b"endloop", b"endfacet")
_LAST = b"endfacet"
_COORDINATES = regex(rb"(?i)\bvertex((?:\s+\S+){3})")
_OUTER = _FACET.index(b"outer")
_KEYWORDS = frozenset({b"solid", b"endsolid", *(word for word in _FACET if isinstance(word, bytes))})
#: Bytes of the shortest facet.
_SHORTEST = len("facet normal 0 0 0 outer loop vertex 0 0 0 vertex 0 0 0 vertex 0 0 0 endloop endfacet")
# Control characters are damage, also those that str.split() takes for white space.
_DAMAGE = regex("[\0-\x1f\x7f-\x9f\ufffd]")
_EXPORT_AGAIN = "the file is damaged or not written by the rules of STL; export it again"
_TRUNCATED = "it looks truncated; export or copy it again"
_TRIANGULATE = "an STL facet is a triangle; triangulate the mesh before the export"


class SolidsText:
    """Corners of the facets of all solids of a text, nine coordinates of each in `corners`.

    Raises
    ------
    ReadError
        With file and line: which rule, what was found there, and the remedy.
    """

    def __init__(self, lines: TextLines) -> None:
        self.corners = array("d")
        self._lines = lines
        self._begun = 0  # the line on which the solid begins; 0: outside
        self._next = 0  # the word of a facet that comes next; 0: between facets
        self._numbers: list[float] = []  # of the facet
        for line in lines.lines(self._scan):
            self._add(line.split())
        if self._begun:
            solid = f"the solid begun on line {self._begun}"
            what = f"the file ends inside a facet of {solid}" if self._next else f"{solid} has no 'endsolid'"
            raise lines.error(what, "truncated-file", _TRUNCATED)

    def _scan(self, text: bytes, start: int, _most: int) -> tuple[int, int]:
        """Facets as exporters write them, as far as they follow each other."""
        if self._next or not self._begun:
            return start, 0
        corners = np.empty(9 * ((len(text) - start) // _SHORTEST + 1))
        end, count, *_ = native.core().facets(text, start, corners)  # type: ignore[union-attr]  # it asks
        extend(self.corners, corners[:count])
        return end, 0

    def _add(self, words: list[bytes]) -> None:
        """Reads the words of a line."""
        at = 0
        while at < len(words):
            if self._next:
                self._take(words[at])
                at += 1
            else:
                at = self._between_facets(words, at)

    def _take(self, word: bytes) -> None:
        """Reads the next word of a facet; what stands before ``outer`` is its normal."""
        expected = _FACET[self._next]
        if isinstance(expected, int):
            self._numbers.append(self._number(word, expected))
        elif word != expected and word.lower() != expected:
            if self._next == _OUTER and word.lower() not in _KEYWORDS:
                return
            raise self._unexpected(word, expected)
        self._next += 1
        if self._next == len(_FACET):
            self.corners.extend(self._numbers)
            self._numbers.clear()
            self._next = 0

    def _between_facets(self, words: list[bytes], at: int) -> int:
        """Reads a word with which a facet begins, or a solid begins or ends, and returns where the next one is."""
        word = words[at].lower()
        if self._begun and word == b"facet":
            self._next = 1
            return at + 1
        if self._begun and word == b"solid":
            raise self._error(f"a solid begins before the one of line {self._begun} is ended by 'endsolid'")
        expected, follower = (b"endsolid", b"solid") if self._begun else (b"solid", b"facet")
        if word != expected:
            raise self._unexpected(words[at], expected)
        self._begun = 0 if self._begun else self._lines.line
        return _behind_name([word.lower() for word in words], at + 1, follower)

    def _number(self, word: bytes, before: int) -> float:
        """The number of a word."""
        try:
            number = float(word)
        except ValueError:
            number = math.nan
        if math.isfinite(number) and b"_" not in word:  # `float` takes 1_000
            return number
        token = word.decode(errors="replace")
        if word.lower() in _KEYWORDS:
            raise self._error(f"a vertex has {before} numbers instead of 3, before {token.lower()!r}")
        if _DAMAGE.search(token):
            raise self._unexpected(word, b"a number")
        return parse_number(token, self._lines.place, "vertex coordinate")

    def _unexpected(self, word: bytes, expected: bytes) -> ReadError:
        found, there = word.lower(), (self._next - _OUTER - 2) // len(_VERTEX)
        if expected == b"vertex" and found == b"endloop":
            return self._error(f"a facet has {there} vertices instead of 3", "not-a-triangle", _TRIANGULATE)
        if expected == b"endloop" and found == b"vertex":
            return self._error("a facet has more than 3 vertices", "not-a-triangle", _TRIANGULATE)
        token = word.decode(errors="replace")
        if _DAMAGE.search(token):
            return self._error(f"binary data in an ASCII STL file: {quote(token)}")
        return self._error(f"expected {expected.decode()!r}, found {quote(token)}")

    def _error(self, what: str, code: str = "bad-stl", hint: str = _EXPORT_AGAIN) -> ReadError:
        return self._lines.error(what, code, hint)


def _behind_name(words: list[bytes], start: int, follower: bytes) -> int:
    """Place in a line where a name ends: a facet on the same line, or a `follower` before it; else the line's end.

    A solid may well be called ``facet normal 1 2 3``.
    """
    for facet in range(start, len(words)):
        if words[facet] == b"facet" and b"outer" in words[facet + 1 : facet + 3] + words[facet + 5 : facet + 6]:
            return max((at for at in range(start, facet + 1) if words[at] == follower), default=facet)
    return len(words)


def _with_decimal_points(file: InputFile) -> bytes | None:
    """The text without decimal commas; None if its coordinates have none."""
    file.stream.seek(0)
    text = with_line_feeds(as_utf8(file.stream.read()))
    changed = with_decimal_points(file.name, text, numbers=_COORDINATES)
    return None if changed is text else changed


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


def read(file: InputFile) -> MeshFile:
    """Facets of an ASCII STL file, float64; all of them are in memory, but not the text."""
    try:
        solids = SolidsText(TextLines.of(file, last=_LAST))
    except ReadError as error:
        if error.code != "bad-number" or (text := _with_decimal_points(file)) is None:
            raise
        solids = SolidsText(TextLines(file.name, BytesIO(text), last=_LAST))
    corners = np.asarray(solids.corners).reshape(-1, 3, 3)
    if not len(corners):
        raise ReadError(f"{file.name}: the ASCII STL file holds no facets", code="no-facets", hint=NO_FACETS)
    return MeshFile(file.name, len(corners), partial(slices, corners), format="stl", encoding="ascii")
