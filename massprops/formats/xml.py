"""XML as robot files have it: elements with their lines, through expat, with nothing that reaches outside the file.

The tree of the standard library does not know the lines of its elements, and messages here name them. Entities of the
document's own and external document types are refused before anything is expanded or fetched.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field
from xml.parsers import expat

from massprops.errors import InvalidInput, ReadError
from massprops.formats.text import quoted

#: Robots nest links some tens deep; what walks the tree calls itself once a level.
DEEPEST = 200
#: https://www.w3.org/TR/xml/#charsets
_CHARACTER = re.compile(r"[\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass
class Node:
    """An element: its tag with any prefix, attributes, children and text, and the place where it begins."""

    tag: str
    attributes: dict[str, str]
    place: str
    children: list[Node] = field(default_factory=list)
    text: str = ""

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
            raise ReadError(
                f"{found[1].place}: a second <{tag}> in <{self.tag}>; the first is at {found[0].place}",
                code="duplicate-element",
                hint="leave one of them",
            )
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
            raise ReadError(
                f"{self.place}: <{self.tag}> has no attribute {name!r}", code="missing-attribute", hint=f"add {name}=…"
            )
        return self.attributes[name]


class _Builder:
    """Handlers of one parser: a stack of open elements."""

    def __init__(self, name: str, parser: expat.XMLParserType) -> None:
        self.name, self.parser = name, parser
        self.root: Node | None = None
        self.open: list[Node] = []
        parser.StartElementHandler, parser.EndElementHandler = self.start, self.end
        parser.CharacterDataHandler = self.data
        parser.StartDoctypeDeclHandler, parser.EntityDeclHandler = self.doctype, self.entity

    @property
    def place(self) -> str:
        return f"{self.name}:{self.parser.CurrentLineNumber}"

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if len(self.open) >= DEEPEST:
            raise ReadError(f"{self.place}: elements are nested more than {DEEPEST} deep", code="too-deep")
        node = Node(tag, attributes, self.place)
        if self.open:
            self.open[-1].children.append(node)
        else:
            self.root = node
        self.open.append(node)

    def end(self, _tag: str) -> None:
        self.open.pop()

    def data(self, text: str) -> None:
        self.open[-1].text += text

    def doctype(self, _name: str, system: str | None, public: str | None, _internal: bool) -> None:
        if system or public:
            raise ReadError(
                f"{self.place}: the document type is in another file, {quoted(system or public or '')}",
                code="external-dtd",
                hint="remove the DOCTYPE; nothing outside the file is read",
            )

    def entity(self, name: str, *_rest: object) -> None:
        raise ReadError(
            f"{self.place}: the document declares an entity, {quoted(name)}",
            code="entity-declaration",
            hint="write its text where it is used",
        )


def parse(data: bytes, name: str) -> Node:
    """The root element of a document.

    Raises
    ------
    ReadError
        If it is not well-formed, declares entities, refers to an external document type, or nests too deeply.
    """
    parser = expat.ParserCreate()
    builder = _Builder(name, parser)
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        raise ReadError(
            f"{name}:{error.lineno}: is not well-formed XML: {reason}, column {error.offset + 1}", code="bad-xml"
        ) from error
    except (ValueError, LookupError) as error:  # an encoding that Python does not know
        raise ReadError(f"{name}: its encoding cannot be read: {error}", code="bad-xml") from error
    assert builder.root is not None  # noqa: S101  # expat calls a document without an element not well-formed
    return builder.root


def serialise(element: ET.Element) -> str:
    """The element as indented text in ASCII: character references say the same in every encoding that stdout may have."""
    ET.indent(element)
    text: bytes = ET.tostring(element, encoding="us-ascii")
    return text.decode("ascii") + "\n"


def checked_name(name: str) -> str:
    """The name, if XML 1.0 can hold it: no control codes, no stray bytes, not empty.

    Raises
    ------
    InvalidInput
        If it cannot.
    """
    bad = next((c for c in name if not _CHARACTER.fullmatch(c)), None)
    if bad is not None:
        raise InvalidInput(
            f"a link named {name!r} cannot be written in XML, because of {bad!r}", hint="give another --link"
        )
    if not name:
        raise InvalidInput("the link's name is empty", hint="give --link a name")
    return name
