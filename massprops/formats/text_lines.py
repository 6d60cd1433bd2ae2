"""Text formats, read by one driver: blocks, line numbers, the compiled core where it can, and line by line where it cannot.

A reader gives `TextLines` two readers of its rows: one by the compiled core, which takes what exporters write, many rows at a time, and a
strict one, which reads every valid row and names what is wrong with the others. The strict one is the reference: the core accepts nothing
that it refuses, and gives the same bits. Without a core it reads everything.
"""

from __future__ import annotations

import codecs
import io
import math
import sys
from array import array
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, BinaryIO, Self

import numpy as np
from numpy.typing import NDArray

from massprops import native
from massprops.errors import ReadError
from massprops.formats.text import as_utf8, parse_number, with_line_feeds
from massprops.mesh.source import InputFile
from massprops.moments.arrays import Array, Integers

#: Bytes read together: their numbers stay in the processor's cache.
BLOCK = 1 << 17
#: Reader by the compiled core: takes a block, where to begin in it and how many rows to read at most, and returns where it ended and how
#: many rows it read; None where the rest of the block is not as exporters write it.
Scan = Callable[[bytes, int, int], tuple[int, int] | None]


def text_blocks(stream: BinaryIO, size: int = 0, last: bytes = b"") -> Iterator[bytes]:
    """The rest of a text in stretches of whole lines of some `size` bytes: UTF-8, lines ended by LF; the last one may have no end.

    A stretch ends with a line that has the word `last`, if there is one.
    """
    size = size or BLOCK
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
    """Text in UTF-8, also where it is in an old code page."""
    if text.isascii():
        return text
    try:
        text.decode()
    except UnicodeDecodeError:
        return text.decode("latin-1").encode()
    return text


class TextLines:
    """Lines of a text, one after the other, or many at once by the compiled core.

    Parameters
    ----------
    name : str
        The file, for messages.
    stream : binary stream
        The text, from here on.
    line : int
        How many lines of the file come before.
    comment : bytes, optional
        What begins a comment, which goes on to the end of the line.
    last : bytes, optional
        A word that ends lines where a block may best end.

    Attributes
    ----------
    line : int
        Number of the line that was taken last, or that the core begins with, counted from 1.
    rows : int
        Filled lines that were taken so far, but by `lines`.
    """

    def __init__(
        self, name: str, stream: BinaryIO, *, line: int = 0, comment: bytes | None = None, last: bytes = b""
    ) -> None:
        self.name = name
        self.line = line
        self.rows = 0
        self._ended = line
        self._comment = comment
        self._begin = stream, stream.tell(), line
        self._blocks = text_blocks(stream, last=last)
        self._text = b""
        self._at = 0
        self._is_regular = False

    @classmethod
    def of(cls, file: InputFile, *, comment: bytes | None = None, last: bytes = b"") -> Self:
        """The lines of a file from its beginning."""
        file.stream.seek(0)
        return cls(file.name, file.stream, comment=comment, last=last)

    def lines(self, scan: Scan | None = None, most: int = sys.maxsize) -> Iterator[bytes]:
        """Lines, without their ends, that the compiled core leaves, until `rows` has grown by so many.

        After a None the core is not asked again before the next block.
        """
        until = self.rows + most
        while self.rows < until and self._fill():
            if scan and self._is_regular and self._scan(scan, until - self.rows):
                continue
            is_regular = scan is not None and self._is_regular
            while self._at < len(self._text) and self.rows < until:
                start, end = self._at, self._text.find(b"\n", self._at)
                self.line = self._ended + 1
                if end < 0:
                    self._at = end = len(self._text)
                else:
                    self._at = end + 1
                    self._ended += 1
                yield self._text[start:end]
                if is_regular:
                    break
        if not self._text:
            self.line = self._ended + 1

    def _fill(self) -> bool:
        """Whether anything is left."""
        if self._at == len(self._text):
            self._text, self._at, self._is_regular = next(self._blocks, b""), 0, native.core() is not None
        return bool(self._text)

    def _scan(self, scan: Scan, most: int) -> bool:
        """Whether the core has read anything."""
        self.line = self._ended + 1
        found = scan(self._text, self._at, most)
        self._is_regular = found is not None
        if found is None or found[0] == self._at:
            return False
        self._ended += line_ends(self._text, self._at, found[0])
        self._at = found[0]
        self.rows += found[1]
        return True

    def rows_of_words(self, scan: Scan | None = None, most: int = sys.maxsize) -> Iterator[list[bytes]]:
        """The words of the filled lines that the core leaves, until there were so many rows, those of the core included."""
        for line in self.lines(scan, most):
            if words := (line.partition(self._comment)[0] if self._comment else line).split():
                self.rows += 1
                yield words

    def read(self, most: int, scan: Scan, add: Callable[[list[bytes]], None]) -> int:
        """Gives some rows to their readers: to the compiled one where it can read them, else each to the strict one.

        Returns
        -------
        int
            `most`, or how many rows there are if there are fewer: then the last line is cut off, and bad because of that.
        """
        first = self.rows
        try:
            for words in self.rows_of_words(scan, most):
                add(words)
        except ReadError:
            there = self.rows - first + self.rest()
            if there >= most:
                raise
            return there
        return self.rows - first

    def rest(self) -> int:
        """Number of filled lines that are left; none after it."""
        return sum(1 for _ in self.rows_of_words())

    @property
    def place(self) -> str:
        """Place for messages: ``file:line``."""
        return f"{self.name}:{self.line}"

    def place_of(self, row: int) -> str:
        """Place of a filled line by its number, counted from 0: the text is read again, since only messages ask for it."""
        again = self.again()
        places = (again.place for _ in again.rows_of_words())
        return next(islice(places, row, None))

    def again(self) -> TextLines:
        """Second reading of the lines from the first one on; these are then not read further."""
        stream, start, line = self._begin
        stream.seek(start)
        return TextLines(self.name, stream, line=line, comment=self._comment)

    def error(self, what: str, code: str, hint: str = "") -> ReadError:
        """The error for what is wrong with the line."""
        return ReadError(f"{self.place}: {what}", code=code, hint=hint)

    def numbers(self, words: list[bytes], what: str) -> list[float]:
        """Finite decimal numbers of the line; ReadError with the first word that is none, as `parse_number` words it."""
        if not words:
            return []
        try:
            values = [float(word) for word in words]
        except ValueError:
            values = [math.nan]
        if all(map(math.isfinite, values)) and b"_" not in b"".join(words):  # `float` takes 1_000
            return values
        return [parse_number(word.decode(errors="replace"), self.place, what) for word in words]


def line_ends(text: bytes, start: int = 0, end: int | None = None) -> int:
    """Number of line feeds: twice as fast as `bytes.count`."""
    return int(np.count_nonzero(np.frombuffer(text, np.uint8)[start:end] == ord("\n")))


def extend(items: array[Any], values: NDArray[Any]) -> None:
    """Adds values to a growing array of the same type."""
    items.frombytes(np.ascontiguousarray(values, items.typecode).view(np.uint8).data)


# The compiled core, where it reads the rows of several formats


def scan_numbers(text: bytes, separator: bytes | None = None) -> tuple[Array, Integers] | None:
    """The finite numbers of some whole lines, and how many each line has; None where something else is there, or no core is.

    With a separator (a comma or a semicolon) it stands between all numbers of a line, blanks beside it or not.
    """
    core = native.core()
    if core is None:
        return None
    values, lengths = np.empty(len(text) // 2 + 1), np.empty(len(text) + 1, np.int32)
    found = core.rows(text, 0, values, lengths, None, None, None, ord(separator or b"\0"))
    return found and (values[: found[1]], lengths[: found[2]])


def scan_points(text: bytes) -> Array | None:
    """Points of rows of two numbers, shape (n, 2) with n > 0; None as `scan_numbers`, and for other rows, or a line feed at the end."""
    found = None if text.endswith(b"\n") else scan_numbers(text)
    return found[0].reshape(-1, 2) if found and found[1].size and (found[1] == 2).all() else None


def scan_table(text: bytes, start: int, most: int, columns: bytes) -> tuple[int, Array, Integers, Integers] | None:
    """Rows of one layout, by the compiled core: where they end, scalars and list items that are kept, and how many items each row has.

    None where anything is unusual. `columns` are `struct column` of `massprops/native/ply.h`, whose sizes are numbers of values.
    """
    room = len(text) - start
    values, items = np.empty(room // 2 + 1), np.empty(room // 2 + 1, np.int32)
    lengths = np.empty(min(most, room + 1), np.int32)
    found = native.core().ply_rows(text, start, values, lengths, items, 0, columns)  # type: ignore[union-attr]  # it asks
    if found is None:
        return None
    end, scalars, rows, corners = found
    return end, values[:scalars], items[:corners], lengths[:rows]
