"""ASCII STL: facets as exporters write them, many at a time (`read_facets`), and everything else word by word (`_Words`).

Word by word, irregular files are read, and what is wrong is named with its line; where both read a facet they give the same doubles.

The grammar, in any case, with any white space, and as often as solids follow each other:

    solid name…
      facet [normal i j k]  outer loop  vertex x y z  vertex x y z  vertex x y z  endloop  endfacet  …
    endsolid name…

Normals are not used (the order of the corners says what is outside), so they may be missing, and may be NaN as
exporters write them for facets without area; but where they stand they are three numbers.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from functools import partial

import numpy as np

from massprops import native
from massprops.errors import ReadError
from massprops.formats.text import bad_number, decode, is_numeric, parse_number, quoted
from massprops.formats.text_blocks import line_ends, text_blocks
from massprops.mesh.source import InputFile, MeshSource, slices
from massprops.moments.arrays import Array
from massprops.values import regex

#: Bytes of the shortest facet.
_SHORTEST = len("facet normal 0 0 0 outer loop vertex 0 0 0 vertex 0 0 0 vertex 0 0 0 endloop endfacet")
# None is too large for a double. No part of it can be read in two ways, so a damaged number costs no more than a good one.
_NUMBER = r"[-+]?(?:\d{1,200}+(?:\.\d*+)?|\.\d++)(?:e[-+]?0*\d{1,2})?"
_NORMAL = rf"\s++(?:{_NUMBER}|-?nan)" * 3
_VERTEX = r"\s++vertex" + rf"\s++({_NUMBER})" * 3
_FACET = rf"\s*+facet\s++normal{_NORMAL}\s++outer\s++loop{_VERTEX * 3}\s++endloop\s++endfacet\s++"
_FACET_PATTERN = regex(_FACET.encode(), re.IGNORECASE)


def read_facets(text: bytes, start: int) -> tuple[Array, int]:
    """Coordinates of the facets that follow each other from a place on, nine of each, and where something else begins."""
    if core := native.core():
        corners = np.empty(9 * ((len(text) - start) // _SHORTEST + 1))
        end, count, *_ = core.facets(text, start, corners)
        return corners[:count], end
    words: list[bytes] = []
    while facet := _FACET_PATTERN.match(text, start):
        words += facet.groups()
        start = facet.end()
    return np.array(words, np.float64), start


# ASCII white space only, as C's scanf has it: the control characters that str.split() skips are damage.
_WORD = regex(r"\S+", re.ASCII)
_DAMAGE = regex("[\0-\x1f\x7f-\x9f\ufffd]")
_KEYWORDS = frozenset({"solid", "facet", "normal", "outer", "loop", "vertex", "endloop", "endfacet", "endsolid"})
_EXPORT_AGAIN = "the file is damaged or not written by the rules of STL; export it again"
_TRUNCATED = "it looks truncated; export or copy it again"
_TRIANGULATE = "an STL facet is a triangle; triangulate the mesh before the export"


def read_solids(name: str, blocks: Iterator[bytes]) -> Array:
    """Corners of the facets of all solids, shape (n, 3, 3), each the `float()` of its word.

    Parameters
    ----------
    name : str
        Messages begin with it.
    blocks : iterator of bytes
        The text in stretches of whole lines; see `text_blocks`.

    Raises
    ------
    ReadError
        With file and line: which rule, what was found there, and the remedy.
    """
    words = _Words(name, blocks)
    corners = array("d")
    while words.peek():
        _solid(words, corners)
    return np.asarray(corners).reshape(-1, 3, 3)


class _Words:
    """The words of a text one after the other, and the line of the next."""

    def __init__(self, name: str, blocks: Iterator[bytes]) -> None:
        self.name = name
        self.solid = 0
        self.line = 1  # of the word that `peek` saw
        self._blocks = blocks
        self._text = b""
        self._read = 0  # bytes of it
        self._ended = 0  # lines of the file
        self._words: list[str] = []
        self._lowered: list[str] = []
        self._at = 0

    def facets(self) -> Array:
        """Coordinates of the facets from here on, where a line begins and they are written as usual, to the end of the block at most."""
        if self._at < len(self._words):
            return np.empty(0)
        self._next_block()
        corners, end = read_facets(self._text, self._read)
        self._ended += line_ends(self._text, self._read, end)
        self._read = end
        return corners

    def peek(self) -> str:
        """The next word in lower case; empty at the end."""
        while self._at == len(self._words):
            self.line = 1 + self._ended
            if not self._next_block():
                return ""
            end = self._text.find(b"\n", self._read) + 1 or len(self._text)
            self._words = _WORD.findall(self._text[self._read : end].decode(errors="replace"))
            self._lowered = [word.lower() for word in self._words]
            self._at = 0
            self._ended += self._text.endswith(b"\n", self._read, end)
            self._read = end
        return self._lowered[self._at]

    def _next_block(self) -> bool:
        """Begins the next block if this one is read; false at the end."""
        if self._read == len(self._text):
            self._text, self._read = next(self._blocks, b""), 0
        return bool(self._text)

    def next(self) -> str:
        """The next word as the file has it. Call `peek` before."""
        self._at += 1
        return self._words[self._at - 1]

    @property
    def place(self) -> str:
        return f"{self.name}:{self.line}"

    def error(self, message: str, *, code: str = "bad-stl", hint: str = _EXPORT_AGAIN) -> ReadError:
        return ReadError(f"{self.place}: {message}", code=code, hint=hint)

    def skip_name(self, until: str) -> None:
        """Skip a name: the rest of the line, or up to `until` where a facet begins on the same line."""
        facet = _inline_facet(self._lowered, self._at)
        if facet is None:
            self._at = len(self._words)
            return
        stops = [at for at in range(self._at, facet + 1) if self._lowered[at] == until]
        self._at = stops[-1] if stops else facet


def _inline_facet(words: list[str], start: int) -> int | None:
    """Where a facet begins among the words of a line; a solid may well be called ``facet normal 1 2 3``."""
    for at in range(start, len(words)):
        if words[at] == "facet" and "outer" in words[at + 1 : at + 3] + words[at + 5 : at + 6]:
            return at
    return None


def _solid(words: _Words, corners: array[float]) -> None:
    _expect(words, "solid")
    words.solid = words.line
    words.skip_name("facet")
    while True:
        while len(found := words.facets()):
            corners.frombytes(found.view(np.uint8).data)
        if words.peek() != "facet":
            break
        corners.extend(_facet(words))
    if words.peek() == "solid":
        raise words.error(f"a solid begins before the one of line {words.solid} is ended by 'endsolid'")
    _expect(words, "endsolid")
    words.skip_name("solid")


def _facet(words: _Words) -> list[float]:
    _expect(words, "facet")
    if words.peek() == "normal":
        words.next()
        _normal(words)
    _expect(words, "outer")
    _expect(words, "loop")
    corners = [number for before in range(3) for number in _vertex(words, before)]
    if words.peek() == "vertex":
        raise words.error("a facet has more than 3 vertices", code="not-a-triangle", hint=_TRIANGULATE)
    _expect(words, "endloop")
    _expect(words, "endfacet")
    return corners


def _normal(words: _Words) -> None:
    if words.peek() == "outer":
        return
    for before in range(3):
        _need_number(words, "normal", before)
        place, token = words.place, words.next()
        if not is_numeric(token):
            raise bad_number(place, "normal", token)


def _vertex(words: _Words, before: int) -> list[float]:
    if words.peek() == "endloop":
        raise words.error(f"a facet has {before} vertices instead of 3", code="not-a-triangle", hint=_TRIANGULATE)
    _expect(words, "vertex")
    return [_coordinate(words, index) for index in range(3)]


def _coordinate(words: _Words, before: int) -> float:
    _need_number(words, "vertex", before)
    place = words.place
    return parse_number(words.next(), place, "vertex coordinate")


def _need_number(words: _Words, what: str, before: int) -> None:
    """Raise where the next word is a keyword, damage or the end, which no number can be."""
    word = words.peek()
    if word in _KEYWORDS:
        raise words.error(f"a {what} has {before} numbers instead of 3, before {word!r}")
    if not word or _DAMAGE.search(word):
        _expect(words, "a number")


def _expect(words: _Words, expected: str) -> None:
    """Read the keyword `expected`; ReadError with what stands in its place."""
    word = words.peek()
    if word == expected:
        words.next()
    elif not word:
        raise _stops(words, expected)
    elif _DAMAGE.search(word):
        raise words.error(f"binary data in an ASCII STL file: {quoted(words.next())}")
    else:
        raise words.error(f"expected {expected!r}, found {quoted(words.next())}")


def _stops(words: _Words, expected: str) -> ReadError:
    begun = f"the solid begun on line {words.solid}"
    what = f"{begun} has no 'endsolid'" if expected == "endsolid" else f"the file ends inside a facet of {begun}"
    return words.error(what, code="truncated-file", hint=_TRUNCATED)


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
    """Facets of an ASCII STL file, float64; all of them are in memory, but not the text."""
    file.stream.seek(0)
    corners = read_solids(file.name, text_blocks(file.stream, last=b"endfacet"))
    if not len(corners):
        raise ReadError(f"{file.name}: the ASCII STL file holds no facets", code="no-facets", hint=NO_FACETS)
    return MeshSource(file.name, "stl", "ascii", len(corners), partial(slices, corners))
