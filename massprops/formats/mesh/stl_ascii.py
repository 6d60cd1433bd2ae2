"""ASCII STL: a fast reader for what exporters write, and a strict one for everything else.

The fast reader stops silently at anything unusual. From there on the strict one, `stl_ascii_strict`, decides what is right and says
what is wrong and on which line; where both read a file they give the same doubles, those of `float()`.
"""

from __future__ import annotations

import codecs
import io
import math
import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import BinaryIO, NoReturn

import numpy as np

from massprops.errors import ReadError
from massprops.formats.fast_floats import Words, floats
from massprops.formats.mesh.stl_ascii_strict import read_strict
from massprops.formats.text import as_utf8, decode, is_decimal, is_numeric
from massprops.mesh.source import CHUNK, InputFile, MeshSource
from massprops.moments.arrays import Array
from massprops.values import dataclass

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
    chunks, rest = read_fast(file.stream)
    if rest is not None:
        corners = read_strict(file.name, rest.text, rest.lines, rest.solid)
        chunks += [corners[start : start + CHUNK] for start in range(0, len(corners), CHUNK)]
        chunks = list(_regrouped(chunks))
    facets = sum(map(len, chunks))
    if facets == 0:
        raise ReadError(f"{file.name}: the ASCII STL file holds no facets", code="no-facets", hint=NO_FACETS)
    return MeshSource(file.name, "stl", "ascii", facets, partial(iter, chunks))


# The fast reader: 21 words per facet, counted in columns.

_LAYOUT = b"facet normal . . . outer loop vertex . . . vertex . . . vertex . . . endloop endfacet".split()
_KEYWORDS = [(column, word) for column, word in enumerate(_LAYOUT) if word != b"."]
_NUMBERS = [column for column, word in enumerate(_LAYOUT) if word == b"."]
_LETTERS = sum(len(word) for _, word in _KEYWORDS)
_NORMAL = 3  # numbers of a normal, the first of a facet
_SOLID = re.compile(rb"\s*(?P<word>solid)(?:[ \t][^\r\n]*)?(?:\r\n|[\r\n])")
_ENDSOLID = re.compile(rb"endsolid(?:[ \t][^\r\n]*)?(?:[\r\n]\s*|\Z)")
# Bytes that are split into words at a time: about a thousand facets, whose words and numbers stay in the processor's cache.
_BLOCK = 1 << 18
# Bytes of a facet or of a line with a name: longer text is left to the strict reader.
_LONGEST = 1 << 18


class _Unusual(Exception):  # no error: the strict reader takes over
    pass


@dataclass(frozen=True)
class Rest:
    """What the fast reader leaves to the strict one.

    Attributes
    ----------
    text : bytes
        From the first facet that is unusual, or a few before it.
    lines : int
        Line ends before it.
    solid : int
        Line on which the solid begins that it is inside of; 0 outside of solids.
    """

    text: bytes
    lines: int = 0
    solid: int = 0


def read_fast(stream: BinaryIO, block: int = _BLOCK) -> tuple[list[Array], Rest | None]:
    """Corners in chunks, shapes (n, 3, 3), as far as the file is well-behaved, and the rest from where anything in it is unusual.

    The text is never whole in memory, and its encoding plays no part: only in names may there be more than ASCII.
    `block` is how many bytes are read together; nothing else depends on it.
    """
    rest: list[Rest] = []
    chunks = list(_regrouped(_read_blocks(stream, block, rest)))
    if rest and rest[0].lines < 0:  # in lower case, which messages must not show
        stream.seek(0)
        return [], Rest(stream.read())
    return chunks, rest[0] if rest else None


def _read_blocks(stream: BinaryIO, block: int, rest: list[Rest]) -> Iterator[Array]:
    facets: _Facets | None = None
    try:
        facets = _Facets(stream, block)
        for text in facets:
            yield _fast_block(text)
    except _Unusual:
        rest.append(Rest(b"", -1) if facets is None or facets.fold else facets.rest())


def _regrouped(blocks: Iterable[Array]) -> Iterator[Array]:
    """The same facets in as few chunks as possible; each is in memory once."""
    held: list[Array] = []
    for block in blocks:
        held.append(block)
        while sum(map(len, held)) >= CHUNK:
            whole = np.concatenate(held)
            yield whole[:CHUNK].copy()
            held = [whole[CHUNK:]]
    if sum(map(len, held)):
        yield np.concatenate(held)


class _Facets:
    """Stretches of whole facets, of all solids of a text; iterable once."""

    def __init__(self, stream: BinaryIO, block: int) -> None:
        self.stream = stream
        self.size = block
        self.text = b""
        self.ended = False
        self.fold = False
        self.taken = b""  # handed on, and not yet known to be regular
        self.lines = self.solid = 0
        self.read()
        if b"\0" in self.text[:64]:  # UTF-16, for one
            self.stream = io.BytesIO(as_utf8(self.text + stream.read()))
            self.text = self.stream.read(self.size)
        self.text = self.text.removeprefix(codecs.BOM_UTF8)
        self.fold = b"endfacet" not in self.text
        if self.fold:
            self.text = self.text.lower()

    def read(self) -> None:
        """Adds the next bytes of the stream to the text still to be read."""
        more = self.stream.read(self.size)
        self.ended = not more
        self.text += more.lower() if self.fold else more
        if len(self.text) > _LONGEST + self.size:
            _give_up()

    def __iter__(self) -> Iterator[bytes]:
        while not self.at_end():
            self.line(_SOLID)
            # No word of a facet has this letter, and one letter is found at the speed of memory.
            while (found := self.text.find(b"s")) < 0:
                yield from self.take(self.end_of_facets())
                self.need_more()
            end = found - len(b"end")
            if end < 0 or (end and not self.text[end - 1 : end].isspace()):
                _give_up()
            yield from self.take(end)
            self.line(_ENDSOLID)
            self.solid = 0

    def take(self, end: int) -> Iterator[bytes]:
        """Hands on the text before a place; it counts as read when the next is requested."""
        self.taken, self.text = self.text[:end], self.text[end:]
        yield self.taken
        self.lines += _line_ends(self.taken)
        self.taken = b""

    def rest(self) -> Rest:
        """All text that is not read yet."""
        return Rest(self.taken + self.text + self.stream.read(), self.lines, self.solid)

    def at_end(self) -> bool:
        """Whether only white space is left."""
        while not self.ended and not self.text.strip():
            self.read()
        return not self.text.strip()

    def end_of_facets(self) -> int:
        """Where the last whole facet ends, of those that are there to the white space behind them; 0 if there is none."""
        cut = self.text.rfind(b"endfacet", 0, -1) + len(b"endfacet")
        if cut < len(b"endfacet"):
            return 0
        if not self.text[cut : cut + 1].isspace():
            _give_up()
        return cut

    def need_more(self) -> None:
        self.read()
        if self.ended:
            _give_up()

    def line(self, pattern: re.Pattern[bytes]) -> None:
        """Skips a line with a solid's name; gives up where it may hold a facet."""
        match = pattern.match(self.text)
        while not self.ended and (match is None or match.end() == len(self.text)):
            self.read()
            match = pattern.match(self.text)
        if match is None or b"outer" in match[0].lower():
            _give_up()
        if pattern is _SOLID:
            self.solid = 1 + self.lines + _line_ends(match[0][: match.start("word")])
        self.lines += _line_ends(match[0])
        self.text = self.text[match.end() :]


def _line_ends(text: bytes) -> int:
    """LF, CRLF or CR, as `split_lines` counts them. No text that is counted ends between CR and LF."""
    return text.count(b"\n") + text.count(b"\r") - text.count(b"\r\n")


def _give_up() -> NoReturn:
    raise _Unusual


def _fast_block(block: bytes) -> Array:
    words = Words(block)
    facets, rest = divmod(len(words), len(_LAYOUT))
    if rest or not words.have(_KEYWORDS, len(_LAYOUT)):
        _give_up()
    places = np.arange(len(words)).reshape(-1, len(_LAYOUT))
    numbers = words.select(places[:, _NUMBERS].reshape(-1), letters=facets * _LETTERS)
    values, left = floats(numbers)
    for i in left.tolist():
        values[i] = _number(numbers[i].decode("latin-1"), i % len(_NUMBERS) < _NORMAL)
    return values.reshape(facets, 4, 3)[:, 1:].copy()


def _number(token: str, of_a_normal: bool) -> float:
    """What `float()` makes of a word that is not read otherwise; normals may be NaN, and are not used."""
    if of_a_normal:
        return 0.0 if is_numeric(token) else _give_up()
    value = float(token) if is_decimal(token) else math.nan
    return value if math.isfinite(value) else _give_up()
