"""The header of a PLY file: which elements follow, of which properties, in which encoding.

Source: G. Turk, "The PLY Polygon File Format" (1994), with the type names `int8` … `float64` that writers use since.
Nothing here believes a number of rows: the tables check it against the bytes that are there.

`Table` is what a reader of the rows makes of one element, whatever the encoding: columns by the number of the property.

Tests: `tests/formats/mesh/test_ply.py`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from numpy.typing import NDArray

from massprops.errors import ReadError
from massprops.formats.text import quote
from massprops.mesh.triangulation import Polygons

Column = NDArray[Any]


TRUNCATED = "the file looks truncated; export or download it again"


MISCOUNTED = "the header and the rows do not agree; export the mesh again"


#: A list has fewer values.
RECORD = 1 << 31
#: Names of a list of vertices.
LISTS = ("vertex_indices", "vertex_index")


class Table(Protocol):
    """Rows of an element."""

    def coordinates(self, columns: list[int]) -> Column:
        """Values of properties, shape (rows, n): floats of their type, doubles where they are of several types or whole numbers."""

    def lists(self, column: int) -> Polygons:
        """Values of a list property; text gives them as doubles, whole numbers or not."""

    def place(self, row: int, kind: str) -> str:
        """Place of a row, as messages begin: ``file:12: face`` in text, ``file: face 3`` in binary, which takes the name of the element."""


ENCODINGS = ("ascii", "binary_little_endian", "binary_big_endian")

#: Elements and properties of a header.
MOST_NAMES = 10_000

#: Type names → numpy's, without byte order.
TYPES = {
    "char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4", "float": "f4", "double": "f8",
    "int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2", "int32": "i4", "uint32": "u4", "int64": "i8",
    "uint64": "u8", "float32": "f4", "float64": "f8",
}  # fmt: skip

_ROWS = re.compile(r"\d{1,18}", re.ASCII)
_LINE = re.compile(rb"[^\r\n]*")
_DAMAGED = "export the mesh again; the header is damaged or was edited"


@dataclass(frozen=True)
class Property:
    """A column: `type` of its values and, for a list, of their `count`, as numpy names them (`f4`, `u1`)."""

    name: str
    type: str
    count: str | None = None


class Span(NamedTuple):
    """A property, or some that follow each other, as the compiled core has them (`massprops/native/ply.h`)."""

    head: int
    size: int
    kept: int


@dataclass(frozen=True)
class Element:
    """A table: its name, the number of rows that the header promises, and its columns in order."""

    name: str
    rows: int
    properties: list[Property] = field(default_factory=list)

    def find(self, *names: str) -> list[int]:
        """Numbers of the columns that have one of these names."""
        return [i for i, column in enumerate(self.properties) if column.name in names]

    @property
    def kept_columns(self) -> tuple[list[int], int]:
        """Numbers of the coordinates, and of the list of vertices (−1 if there is none): nothing else is kept of the rows."""
        scalars = [i for i in self.find("x", "y", "z") if not self.properties[i].count]
        return scalars, next((i for i in self.find(*LISTS) if self.properties[i].count), -1)

    def spans(self, *, text: bool = False) -> list[Span]:
        """The properties of a row; neighbours that are no lists are one. Of a text, sizes are numbers of words."""
        scalars, list_ = self.kept_columns
        spans: list[Span] = []
        for i, column in enumerate(self.properties):
            head = int((column.count or "u0").replace("u", "").replace("i", "-"))
            span = Span(head, 1 if text else int(column.type[1]), int(i == list_ or i in scalars))
            if spans and not head and spans[-1][::2] == (0, span.kept):
                span = span._replace(size=spans.pop().size + span.size)
            spans.append(span)
        return spans

    @property
    def columns(self) -> str:
        """The columns' names, for messages."""
        return ", ".join(column.name for column in self.properties) or "none"


@dataclass(frozen=True)
class Header:
    """Content of the header; `size` is where the first row begins, in bytes, and `lines` the header's length."""

    encoding: str
    elements: list[Element]
    size: int
    lines: int

    def find(self, name: str) -> Element | None:
        """The element of that name."""
        return next((element for element in self.elements if element.name == name), None)


def read_header(name: str, data: bytes) -> Header:
    """The header of a PLY file.

    Raises
    ------
    ReadError
        Code ``bad-header``, with the line.
    """
    parser = _Parser(name)
    # Distinguishes CR from CRLF where binary data may begin with the byte of a line feed.
    end_of_line = b"\r\n" if data[3:5] == b"\r\n" else data[3:4]
    position = 0
    while position < len(data):
        line = _LINE.match(data, position)
        assert line is not None  # noqa: S101  # the pattern matches nothing, too
        end = line.end()
        position = end + 1 + (data[end : end + 2] == b"\r\n" and end_of_line != b"\r")
        if parser.feed(line[0].decode("latin-1")):
            return Header(parser.encoding, parser.elements, position, parser.line)
    raise parser.error("the header has no end: the line 'end_header' is missing", "the file looks truncated")


class _Parser:
    def __init__(self, name: str) -> None:
        self.name = name
        self.line = 0
        self.encoding = ""
        self.elements: list[Element] = []
        self.names: set[tuple[int, str]] = set()  # of elements, and of properties by the number of their element

    def error(self, what: str, hint: str = _DAMAGED) -> ReadError:
        return ReadError(f"{self.name}:{self.line}: {what}", code="bad-header", hint=hint)

    def feed(self, line: str) -> bool:
        """Reads the next line; true at the end of the header."""
        self.line += 1
        words = line.split()
        if self.line == 1:
            if words != ["ply"]:
                raise self.error(f"a PLY file begins with the line 'ply', got {quote(line)}", "is it another format?")
        elif words and words[0] == "end_header":
            if not self.encoding:
                raise self.error("the header has no 'format' line")
            return True
        elif words and words[0] not in ("comment", "obj_info"):
            self.statement(words, line)
        return False

    def statement(self, words: list[str], line: str) -> None:
        match words:
            case ["format", encoding, version]:
                if self.encoding:
                    raise self.error("a second 'format' line")
                if encoding not in ENCODINGS or version != "1.0":
                    known = f"known: {', '.join(ENCODINGS)}, version 1.0"
                    raise self.error(f"unknown format {quote(f'{encoding} {version}')}", known)
                self.encoding = encoding
            case ["element", name, rows]:
                if not _ROWS.fullmatch(rows):
                    raise self.error(f"element {name} has {quote(rows)} rows, which is no count")
                self.take_name(0, name, f"a second element {quote(name)}")
                self.elements.append(Element(name, int(rows)))
            case ["property", "list", count, kind, name]:
                self.take_property(Property(name, self.type(kind), self.count_type(count, name)))
            case ["property", kind, name] if kind != "list":
                self.take_property(Property(name, self.type(kind)))
            case _:
                # without "comment" before it; behind the first element it may be what states a column
                if self.elements or words[0] in ("format", "element", "property"):
                    raise self.error(f"{quote(line)} is no line of a PLY header")

    def take_property(self, column: Property) -> None:
        if not self.elements:
            raise self.error(f"property {quote(column.name)} comes before any element")
        element = self.elements[-1]
        where = f"a second property {quote(column.name)} of element {element.name}"
        self.take_name(len(self.elements), column.name, where)
        element.properties.append(column)

    def take_name(self, element: int, name: str, if_known: str) -> None:
        if (element, name) in self.names:
            raise self.error(if_known)
        self.names.add((element, name))
        if len(self.names) > MOST_NAMES:
            what = f"the header has more than {MOST_NAMES:,} elements and properties"
            raise self.error(what, "export the mesh without the properties that are no coordinates")

    def type(self, word: str) -> str:
        if word not in TYPES:
            raise self.error(f"unknown type {quote(word)}", f"known: {', '.join(TYPES)}")
        return TYPES[word]

    def count_type(self, word: str, name: str) -> str:
        if self.type(word).startswith("f"):
            raise self.error(f"the list {name} counts its values in {word}, and a count is a whole number")
        return self.type(word)
