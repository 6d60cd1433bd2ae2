"""XML of robot files: elements with their lines, read by expat.

The tree of the standard library does not keep the lines of its elements, and messages here name them. Entity declarations and
external document types are refused before anything is expanded or fetched.

Tests: `tests/formats/test_parsers.py`.
"""

from __future__ import annotations

import codecs
import itertools
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from massprops.errors import InvalidInput, ReadError, Remedy
from massprops.formats.escaping import NOT_XML
from massprops.formats.text import quote

#: Robots nest their links some tens deep; functions that walk the tree recurse once per level.
DEEPEST = 200
#: Elements of a document, and bytes for each that is more: an element takes some 500 bytes of memory.
MOST_ELEMENTS, _BYTES = 500_000, 32

_TAG = re.compile(rb"""<(?:[^>"']|"[^"]*"|'[^']*')*>""")


@dataclass(eq=False, slots=True)
class Node:
    """An element: its tag with any prefix, attributes, children and text, the place where it begins, and its number in its file.

    Of a document that is read with `spans`, its bytes are from `start` to `end`, and its content from `inner` to `inner_end`; both are
    its end if it is written as ``<a/>``. `asides` are the comments and processing instructions right in it.
    """

    tag: str
    attributes: dict[str, str]
    place: str
    children: list[Node] = field(default_factory=list)
    text: str = ""
    element: int = 0
    start: int = 0
    inner: int = 0
    inner_end: int = 0
    end: int = 0
    asides: list[tuple[int, int]] = field(default_factory=list)

    @property
    def folder(self) -> Path:
        """Folder of the file in which it stands."""
        return Path(self.place.rpartition(":")[0]).parent

    @property
    def is_empty(self) -> bool:
        """Whether the element is written as ``<a/>``."""
        return self.inner == self.end

    def walk(self) -> Iterator[Node]:
        """The element and all below it, in the order of the file."""
        yield self
        for child in self.children:
            yield from child.walk()

    def all(self, tag: str) -> list[Node]:
        """Children of this tag."""
        return [child for child in self.children if child.tag == tag]

    def one(self, tag: str) -> Node | None:
        """The child of this tag, None if there is none.

        Raises
        ------
        ReadError
            If there are several: which of them counts differs between programs.
        """
        found = self.all(tag)
        if len(found) > 1:
            what = f"{found[1].place}: a second <{tag}> in <{self.tag}>; the first is at {found[0].place}"
            raise ReadError(what, code="duplicate-element", hint="leave one of them")
        return found[0] if found else None

    def need(self, tag: str) -> Node:
        """The only child of this tag; ReadError if there is none."""
        found = self.one(tag)
        if found is None:
            raise ReadError(f"{self.place}: <{self.tag}> has no <{tag}>", code="missing-element", hint=f"add <{tag}>")
        return found

    def attribute(self, name: str) -> str:
        """An attribute that must be there; ReadError if it is not."""
        if name not in self.attributes:
            what = f"{self.place}: <{self.tag}> has no attribute {name!r}"
            raise ReadError(what, code="missing-attribute", hint=f"add {name}=…")
        return self.attributes[name]


def parse(data: bytes, name: str, *, namespaces: bool = False, spans: bool = False) -> Node:
    """The root element of a document; blank lines before the XML declaration are skipped, as TinyXML does.

    With `namespaces`, tags and attributes are preceded by the address of theirs and a blank, and an external document type, which
    drawings have as a habit, is passed over.

    Raises
    ------
    ReadError
        If it is not well-formed, declares entities, refers to an external document type, or nests too deeply.
    """
    document = data.removeprefix(codecs.BOM_UTF8).lstrip(b" \t\r\n")
    lead = len(data) - len(document)
    skipped = data[:lead].count(b"\n")
    parser = expat.ParserCreate("utf-8" if spans else None, namespace_separator=" " if namespaces else None)
    parser.buffer_text = True
    open_nodes = [Node("", {}, name)]
    numbers, most = itertools.count(), max(MOST_ELEMENTS, len(data) // _BYTES)
    texts: list[list[str]] = [[]]  # joined at the end of the element: one string that grows takes quadratic time

    def place() -> str:
        return f"{name}:{parser.CurrentLineNumber + skipped}"

    def start(tag: str, attributes: dict[str, str]) -> None:
        if len(open_nodes) > DEEPEST:
            raise ReadError(f"{place()}: elements are nested more than {DEEPEST} deep", code="too-deep")
        if (number := next(numbers)) >= most:
            what = f"{place()}: the document has more than {most:,} elements"
            raise ReadError(what, code="too-large", hint="split it, or remove what is not needed")
        node = Node(tag, attributes, place(), element=number, start=lead + parser.CurrentByteIndex)
        open_nodes[-1].children.append(node)
        open_nodes.append(node)
        texts.append([])

    def end(_tag: str) -> None:
        node, at = open_nodes.pop(), lead + parser.CurrentByteIndex
        node.text = "".join(texts.pop())
        if spans:
            node.inner = _tag_end(data, node.start)
            closed = data[node.inner - 2 : node.inner] == b"/>"
            node.inner_end = node.inner if closed else at
            node.end = node.inner if closed else data.index(b">", at) + 1

    def aside(begin: bytes, end: bytes) -> None:
        at = lead + parser.CurrentByteIndex
        open_nodes[-1].asides.append((at, data.index(end, at + len(begin)) + len(end)))

    def doctype(_name: str, system: str | None, public: str | None, _internal: bool) -> None:
        if (system or public) and not namespaces:
            what = f"{place()}: the document type is in another file, {quote(system or public or '')}"
            raise ReadError(what, code="external-dtd", hint="remove the DOCTYPE; no other file is read for it")

    def entity(name: str, *_rest: object) -> None:
        what = f"{place()}: the document declares an entity, {quote(name)}"
        raise ReadError(what, code="entity-declaration", hint="write its text where it is used")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = lambda text: texts[-1].append(text)
    if spans:
        parser.CommentHandler = lambda _data: aside(b"<!--", b"-->")
        parser.ProcessingInstructionHandler = lambda _target, _data: aside(b"<?", b"?>")
    parser.StartDoctypeDeclHandler, parser.EntityDeclHandler = doctype, entity
    with errors_of(name, skipped):
        parser.Parse(document, True)
    return open_nodes[0].children[0]


@contextmanager
def errors_of(name: str, skipped: int = 0) -> Iterator[None]:
    """Raise errors of expat as a ReadError of the file; expat has not seen its first `skipped` lines."""
    try:
        yield
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        what = f"{name}:{error.lineno + skipped}: is not well-formed XML: {reason}, column {error.offset + 1}"
        raise ReadError(what, code="bad-xml") from error
    except (ValueError, LookupError) as error:  # an encoding that Python does not know
        raise ReadError(f"{name}: its encoding cannot be read: {error}", code="bad-xml") from error


def _tag_end(text: bytes, at: int) -> int:
    """End of the tag that begins at a byte: after the first ``>`` outside quotes."""
    found = _TAG.match(text, at)
    assert found is not None  # noqa: S101  # expat has seen the end of this tag
    return found.end()


def serialise(element: ET.Element) -> str:
    """The element as indented text in ASCII: character references say the same in every encoding that stdout may have."""
    ET.indent(element)
    text: bytes = ET.tostring(element, encoding="us-ascii")
    return text.decode("ascii") + "\n"


def in_link(inertial: ET.Element, name: str | None, *reserved: str) -> ET.Element:
    """The `<link>` of this name with an inertial; without a name the inertial itself. Raises what `xml_name` does."""
    if name is None:
        return inertial
    link = ET.Element("link", name=xml_name(name, *reserved))
    link.append(inertial)
    return link


def xml_name(name: str, *reserved: str) -> str:
    """The name, if XML 1.0 can hold it: no control codes, no stray bytes, not empty, and nothing that is reserved.

    Raises
    ------
    InvalidInput
        If it cannot.
    """
    if bad := [*NOT_XML.findall(name), *(word for word in reserved if word in name)]:
        what = f"a link named {name!r} cannot be written in {'URDF' if bad[0] in reserved else 'XML'}, because of {bad[0]!r}"
        raise InvalidInput(what, hint=Remedy("give another --link", python="give the body another name"))
    if not name:
        raise InvalidInput("the link's name is empty", hint=Remedy("give --link a name", python="give the body a name"))
    return name
