"""Where the elements of an XML file stand: byte ranges, so that some can be replaced and every other byte stays as it is.

The parser is expat; the file is never serialised again. Files in encodings other than UTF-8 are edited as UTF-8 and written back in their
own, after the way there and back has been seen to give the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from massprops.errors import ReadError
from massprops.formats.xml import Node, parse

_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_DECLARED = re.compile(rb"<\?xml[^>]*?encoding\s*=\s*[\"']([A-Za-z0-9._-]+)[\"']")


@dataclass(frozen=True)
class Document:
    """An XML file as text in UTF-8 with the spans of its elements, and how its bytes are made of that."""

    name: str
    text: bytes
    root: Node
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
        return cls(name, utf8, parse(utf8, name, spans=True), bom, encoding)

    @cached_property
    def elements(self) -> list[Node]:
        """All elements, in the order of the file."""
        return list(self.root.walk())

    @cached_property
    def links(self) -> list[Node]:
        """Links or bodies, in the order of the file."""
        return [s for s in self.elements if s.tag in ("link", "body")]

    def edited(self, edits: Sequence[tuple[int, int, bytes]]) -> bytes:
        """The file with the bytes of each range replaced; ranges do not overlap."""
        text = self.text
        for start, end, new in sorted(edits, reverse=True):
            text = text[:start] + new + text[end:]
        return self.bom + text.decode("utf-8").encode(self.encoding)
