"""An `<inertial>` put into a robot file: as an edit of bytes, in the file's own indentation and line ends; every other byte stays as it is.

The parser is expat; the file is never serialised again. Files in encodings other than UTF-8 are edited as UTF-8 and written back in their
own, after the way there and back has been seen to give the same bytes.

Tests: `tests/filling/test_fill.py`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from massprops.errors import InvalidGeometry, ReadError
from massprops.formats.bodies import NamedBody, write
from massprops.formats.robot.links import Link
from massprops.formats.robot.opening import DIALECT_OF_ROOT
from massprops.formats.text import EXPAND
from massprops.formats.xml import Node, parse
from massprops.rigid_body.mass_properties import MassProperties

_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_DECLARED = re.compile(rb"<\?xml[^>]*?encoding\s*=\s*[\"']([A-Za-z0-9._-]+)[\"']")


#: Bytes of a range, from and to, that are replaced, and by what.
Edit = tuple[int, int, bytes]


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

    @property
    def dialect(self) -> str:
        """``urdf``, ``sdf`` or ``mjcf``, by the root element."""
        return DIALECT_OF_ROOT.get(self.root.tag, "sdf")

    @cached_property
    def elements(self) -> list[Node]:
        """All elements, in the order of the file."""
        return list(self.root.walk())

    def edit(self, link: Link, body: MassProperties, provenance: str | None, *, same: bool) -> Edit:
        """The edit that gives a link this inertial; see `edit_of`."""
        return edit_of(self, self.elements[link.element], body, provenance, same)

    def apply_edits(self, edits: Sequence[Edit]) -> bytes:
        """The file with the bytes of each range replaced; ranges do not overlap."""
        text = self.text
        for start, end, new in sorted(edits, reverse=True):
            text = text[:start] + new + text[end:]
        return self.bom + text.decode("utf-8").encode(self.encoding)


#: How a comment begins that says where an inertial comes from; it is replaced with the inertial.
MARK = b"<!-- massprops "


def edit_of(
    document: Document, link: Node, body: MassProperties, provenance: str | None = None, same: bool = False
) -> Edit:
    """The edit that gives a link this inertial: in place of its own, whose comments stay, or as its first child.

    Where its own has the `same` numbers, the comment about their provenance stays, too.

    Raises
    ------
    InvalidGeometry
        If the link's inertial is made by a xacro macro (code ``xacro-macro``).
    """
    macro = next((s for s in link.walk() if s.tag.startswith("xacro:")), None)
    if macro is not None:
        what = f"{macro.place}: the link uses the macro <{macro.tag[:60]}>, which may make its inertial"
        raise InvalidGeometry(what, code="xacro-macro", hint=EXPAND)
    own = link.all("inertial")
    if len(own) > 1:
        raise ReadError(f"{own[1].place}: a second <inertial> in one link", code="duplicate-element")
    lines = write([NamedBody(None, body)], document.dialect)[0].encode("utf-8").splitlines()
    start, before = _marked_start(document.text, link, own[0]) if own else (link.inner, [])
    inside = [*before, *(_foreign_content(document, own[0]) if own else ())]
    marks = [c for c in inside if c.startswith(MARK)] if same else []
    if not marks and provenance is not None:
        marks = [MARK + provenance.replace("--", "- -").encode("utf-8") + b" -->"]
    kept = marks + [c for c in inside if not c.startswith(MARK)]
    eol = _line_end(document.text, own[0].start if own else link.inner)
    first = start if own else next((c.start for c in link.children), None)
    indent = None if first is None else _indent(document.text, first)
    text = _lay_out(lines, kept, indent, _unit(document.text, link, indent), eol)
    if own:
        return start, own[0].end, text
    return link.inner, link.inner, text if indent is None else eol + indent + text


def _marked_start(text: bytes, link: Node, own: Node) -> tuple[int, list[bytes]]:
    """Start of an inertial, with the comment about its provenance right before it (MJCF), and that comment."""
    for start, end in link.asides:
        if text.startswith(MARK, start) and end <= own.start and not text[end : own.start].strip():
            return start, [text[start:end]]
    return own.start, []


#: Elements of an inertial that its ten numbers replace; others, such as <fluid_added_mass>, stay.
_REPLACED = ("origin", "mass", "inertia", "pose", "frame", "density", "auto_inertia_params")


def _foreign_content(document: Document, own: Node) -> list[bytes]:
    """Comments, processing instructions and foreign elements of an inertial, in their order."""
    ranges = list(own.asides)
    for child in own.children:
        if child.tag in _REPLACED:
            ranges += [aside for inner in child.walk() for aside in inner.asides]
        else:
            ranges.append((child.start, child.end))
    return [document.text[a:b] for a, b in sorted(ranges)]


def _line_end(text: bytes, at: int) -> bytes:
    """Line end before a place; that of the first line where none is before it."""
    end = max(text.rfind(b"\n", 0, at), text.rfind(b"\r", 0, at))
    if end < 0:
        found = re.search(rb"\r\n?|\n", text)
        return found[0] if found else b"\n"
    return b"\r\n" if text[max(end - 1, 0) : end + 1] == b"\r\n" else text[end : end + 1]


def _indent(text: bytes, at: int) -> bytes | None:
    """The blanks before an element that stands first on its line; None if it does not."""
    begin = max(text.rfind(b"\n", 0, at), text.rfind(b"\r", 0, at)) + 1
    lead = text[begin:at]
    return lead if begin and not lead.strip(b" \t") else None


def _unit(text: bytes, link: Node, indent: bytes | None) -> bytes:
    """Indentation of a child of the link."""
    outer = _indent(text, link.start)
    if indent is None or outer is None or not indent.startswith(outer) or indent == outer:
        return b"  "
    return indent[len(outer) :]


def _lay_out(lines: list[bytes], comments: list[bytes], indent: bytes | None, unit: bytes, eol: bytes) -> bytes:
    """Lines that are indented by two blanks a level, with the comments after the first, as the file is laid out."""
    if len(lines) == 1 and comments:  # <inertial …/>: comments cannot stand inside, so they stand before it
        lines, comments = [*comments, *lines], []
    levels = [(len(line) - len(line.lstrip()), line.strip()) for line in lines]
    levels[1:1] = [(2, c) for c in comments]
    if indent is None:
        return b"".join(line for _, line in levels)
    return (eol + indent).join(unit * (blanks // 2) + line for blanks, line in levels)
