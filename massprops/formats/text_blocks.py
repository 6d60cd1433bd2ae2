"""Texts of meshes, some lines at a time, and lines of numbers.

A block is read by the compiled core where there is one, else with the string functions of Python. Both take only what exporters
write, and leave every other block to the strict reader of its format.
"""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from typing import BinaryIO, Generic, Protocol, Self, TypeVar

import numpy as np

from massprops import native
from massprops.formats.text import as_utf8, with_line_feeds
from massprops.moments.arrays import Array, Integers

#: Bytes read together: their numbers stay in the processor's cache.
BLOCK = 1 << 17
#: All that decimal numbers are made of, and `nan` and `infinity`, and the white space of `bytes.split`.
_NUMERIC = b"0123456789+-.eEnaifltyNAIFTY \t\n\v\f\r"


def text_blocks(stream: BinaryIO, size: int = BLOCK, last: bytes = b"") -> Iterator[bytes]:
    """The rest of a text in stretches of whole lines of some `size` bytes: UTF-8, lines ended by LF; the last one may have no end.

    A stretch ends with a line that has the word `last`, if there is one.
    """
    data = stream.read(size).removeprefix(codecs.BOM_UTF8)
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or b"\0" in data[:64]:
        stream = io.BytesIO(as_utf8(data + stream.read()))
        data = stream.read(size)
    held: list[bytes] = []
    while data:
        if b"\r" in data:
            while data.endswith(b"\r") and (more := stream.read(len(data))):  # the line feed may follow
                data += more
            data = with_line_feeds(data)
        if cut := data.find(b"\n", data.rfind(last)) + 1 or data.rfind(b"\n") + 1:
            yield _in_utf8(b"".join([*held, memoryview(data)[:cut]]))
            held.clear()
        held.append(data[cut:])
        data = stream.read(size)
    if rest := b"".join(held):
        yield _in_utf8(rest)


def _in_utf8(text: bytes) -> bytes:
    """The same text, where it is not UTF-8 from an old code page."""
    if text.isascii():
        return text
    try:
        text.decode()
    except UnicodeDecodeError:
        return text.decode("latin-1").encode()
    return text


def line_ends(text: bytes, start: int = 0, end: int | None = None) -> int:
    """How many line feeds there are: ten times as fast as `bytes.count`."""
    core, part = native.core(), np.frombuffer(text, np.uint8)[start:end]
    return int(core.lines(part) if core else np.count_nonzero(part == ord("\n")))


class Part(Protocol):
    """Some rows of a text."""

    def __len__(self) -> int: ...

    def split(self, count: int) -> tuple[Self, Self]:
        """The first rows, and all others."""


P = TypeVar("P", bound=Part)


class Parts(Generic[P]):
    """The rows of a text, so many at a time."""

    def __init__(self, parts: Iterator[P]) -> None:
        self._parts = parts
        self._held: P | None = None

    def take(self, most: int) -> P | None:
        """The next rows, at most so many; None at the end."""
        while not self._held:
            self._held = next(self._parts, None)
            if self._held is None:
                return None
        taken, self._held = self._held.split(most)
        return taken

    @property
    def held(self) -> int:
        """How many of the rows that were read are left."""
        return len(self._held or ())

    def count(self) -> int:
        """How many rows are left; none after it."""
        return self.held + sum(map(len, self._parts))


def rows(text: bytes) -> tuple[Array, Integers] | None:
    """The numbers of some whole lines, NaN and infinities too, and how many each line has; None where anything is no number."""
    if core := native.core():
        values, lengths = np.empty(len(text) // 2 + 1), np.empty(len(text) + 1, np.int32)
        if found := core.rows(text, 0, values, lengths):
            return values[: found[1]], lengths[: found[2]]
    if text.translate(None, _NUMERIC):
        return None
    try:
        values = np.array(text.split(), np.float64)
    except ValueError:
        return None
    data = np.frombuffer(b"\n%b\n" % text.removesuffix(b"\n"), np.uint8)
    white = data <= ord(" ")
    words = np.cumsum(white[:-1] & ~white[1:])
    return values, np.diff(words[np.flatnonzero(data[1:] == ord("\n"))], prepend=0)
