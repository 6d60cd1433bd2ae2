"""Where the elements of an XML file stand: byte ranges, so that some can be replaced and every other byte stays as it is.

The parser is expat; the file is never serialised again. Files in encodings other than UTF-8 are edited as UTF-8 and written back in their
own, after the way there and back has been seen to give the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from xml.parsers import expat

from massprops.errors import ReadError

_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_DECLARED = re.compile(rb"<\?xml[^>]*?encoding\s*=\s*[\"']([A-Za-z0-9._-]+)[\"']")


@dataclass(eq=False)
class Span:
    """An element and its bytes in the text: from `start` to `end`; its content from `inner` to `inner_end`.

    `asides` are the comments and processing instructions right in it. An element without content (``<a/>``) has `inner` and
    `inner_end` at its end.
    """

    tag: str
    attributes: dict[str, str]
    line: int
    start: int
    inner: int
    inner_end: int = 0
    end: int = 0
    children: list[Span] = field(default_factory=list)
    asides: list[tuple[int, int]] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether it is written as ``<a/>``."""
        return self.inner == self.end

    def all(self, tag: str) -> list[Span]:
        """Children of this tag."""
        return [c for c in self.children if c.tag == tag]

    def walk(self) -> Iterator[Span]:
        """The element and all below it, in the order of the file."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True)
class Document:
    """An XML file as text in UTF-8 with the spans of its elements, and how its bytes are made of that."""

    name: str
    text: bytes
    root: Span
    bom: bytes
    encoding: str

    @classmethod
    def parse(cls, name: str, data: bytes) -> Document:
        """The document; ReadError if it is not well-formed, or if its encoding does not give the same bytes on the way back."""
        bom, encoding = next(((b, e) for b, e in _BOMS if data.startswith(b)), (b"", ""))
        body = data[len(bom) :]
        if not encoding:
            declared = _DECLARED.match(body.lstrip()[:200])
            encoding = declared[1].decode("ascii").lower() if declared else "utf-8"
        try:
            text = body.decode(encoding)
            same = text.encode(encoding) == body
        except (UnicodeError, LookupError) as error:
            raise ReadError(f"{name}: cannot be read in its encoding {encoding!r}", code="bad-xml") from error
        if not same:
            raise ReadError(f"{name}: text in {encoding!r} does not give the same bytes again", code="bad-xml")
        utf8 = text.encode("utf-8")
        return cls(name, utf8, _Spans(name, utf8).root(), bom, encoding)

    @cached_property
    def elements(self) -> list[Span]:
        """All elements, in the order of the file."""
        return list(self.root.walk())

    @cached_property
    def links(self) -> list[Span]:
        """Links or bodies, in the order of the file."""
        return [s for s in self.elements if s.tag in ("link", "body")]

    def edited(self, edits: Sequence[tuple[int, int, bytes]]) -> bytes:
        """The file with the bytes of each range replaced; ranges do not overlap."""
        text = self.text
        for start, end, new in sorted(edits, reverse=True):
            text = text[:start] + new + text[end:]
        return self.bom + text.decode("utf-8").encode(self.encoding)


class _Spans:
    def __init__(self, name: str, text: bytes) -> None:
        self.name, self.text = name, text
        self.open: list[Span] = []
        self.top: Span | None = None
        self.lead = len(text) - len(text.lstrip())  # programs take a blank line before the declaration
        self.parser = expat.ParserCreate(encoding="utf-8")
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.lines = text.count(b"\n", 0, self.lead)
        self.parser.CommentHandler = lambda _data: self._aside(b"-->", 4)
        self.parser.ProcessingInstructionHandler = lambda _target, _data: self._aside(b"?>", 2)
        self.parser.EntityDeclHandler = self._entity

    def root(self) -> Span:
        try:
            self.parser.Parse(self.text[self.lead :], True)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            raise ReadError(
                f"{self.name}:{self.lines + error.lineno}: not well-formed XML: {reason}", code="bad-xml"
            ) from error
        assert self.top is not None  # noqa: S101  # expat calls a document without an element not well-formed
        return self.top

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        at = self.lead + self.parser.CurrentByteIndex
        span = Span(tag, attributes, self.lines + self.parser.CurrentLineNumber, at, _tag_end(self.text, at))
        if self.open:
            self.open[-1].children.append(span)
        else:
            self.top = span
        self.open.append(span)

    def _end(self, _tag: str) -> None:
        span = self.open.pop()
        if self.text[span.inner - 2 : span.inner] == b"/>":
            span.inner_end = span.end = span.inner
        else:
            span.inner_end = self.lead + self.parser.CurrentByteIndex
            span.end = self.text.index(b">", span.inner_end) + 1

    def _aside(self, end: bytes, begin: int) -> None:
        """A comment or a processing instruction, which ends with `end` and begins with so many bytes."""
        if self.open:
            at = self.lead + self.parser.CurrentByteIndex
            self.open[-1].asides.append((at, self.text.index(end, at + begin) + len(end)))

    def _entity(self, name: str, *_rest: object) -> None:
        raise ReadError(
            f"{self.name}:{self.parser.CurrentLineNumber}: the file declares the entity {name[:60]!r}",
            code="entity-declaration",
            hint="write its text where it is used",
        )


def _tag_end(text: bytes, at: int) -> int:
    """Where the tag that begins at a byte ends: after the first ``>`` outside quotes."""
    quote = 0
    for i in range(at, len(text)):
        byte = text[i]
        if quote:
            quote = 0 if byte == quote else quote
        elif byte in b"\"'":
            quote = byte
        elif byte == 0x3E:
            return i + 1
    raise AssertionError("expat has seen the end of this tag")
