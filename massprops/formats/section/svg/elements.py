"""The elements of an SVG file with their lines. Entities are refused, and nothing is ever fetched."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat

from massprops.errors import ReadError
from massprops.formats.text import quoted

SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
#: Elements inside each other. Drawings have a dozen.
_DEEPEST = 200


@dataclass
class Element:
    """An element of the file.

    Attributes
    ----------
    tag : str
        Without the namespace of SVG; empty for an element of another one.
    attributes : dict of str to str
        Those of no namespace; `href` of either.
    line : int
    text : str
        Of a `style` element.
    """

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    text: str = ""

    @property
    def place(self) -> str:
        """As messages name it: ``path 'outline' on line 3``."""
        name = self.attributes.get("id")
        return f"{self.tag} on line {self.line}" if name is None else f"{self.tag} {quoted(name)} on line {self.line}"


def parse(name: str, data: bytes) -> Element:
    """The root element.

    Raises
    ------
    ReadError
        Codes ``bad-xml``, ``xml-entities``, ``wrong-format``.
    """
    builder = _Builder(name)
    try:
        builder.parser.Parse(data, True)
    except expat.ExpatError as error:
        message = f"{name}:{error.lineno}: no XML: {expat.ErrorString(error.code)}"
        raise ReadError(
            message, code="bad-xml", hint="the file is damaged or cut off; export or copy it again"
        ) from error
    except (ValueError, LookupError) as error:  # an encoding that Python does not know
        raise ReadError(f"{name}: no XML: {error}", code="bad-xml", hint="save it as UTF-8") from error
    root = builder.root
    if root is None or root.tag != "svg":
        raise ReadError(
            f"{name}: the outermost element is not <svg>", code="wrong-format", hint="is it another format?"
        )
    return root


class _Builder:
    def __init__(self, name: str) -> None:
        self.name = name
        self.root: Element | None = None
        self.open: list[Element] = []
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        self.parser.EntityDeclHandler = self.entity

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        element = Element(_local(tag), _plain(attributes), self.parser.CurrentLineNumber)
        if len(self.open) >= _DEEPEST:
            message = f"{self.name}:{element.line}: elements stand more than {_DEEPEST} deep inside each other"
            raise ReadError(message, code="bad-xml", hint="export the drawing again")
        if self.open:
            self.open[-1].children.append(element)
        self.root = self.root or element
        self.open.append(element)

    def end(self, _: str) -> None:
        self.open.pop()

    def characters(self, text: str) -> None:
        if self.open and self.open[-1].tag == "style":
            self.open[-1].text += text

    def entity(self, entity: str, *_: object) -> NoReturn:
        message = f"{self.name}:{self.parser.CurrentLineNumber}: the file declares the entity {quoted(entity)}"
        raise ReadError(message, code="xml-entities", hint="entities are not followed; save it as plain SVG")


def _local(tag: str) -> str:
    space, _, name = tag.rpartition(" ")
    return name if space in ("", SVG) else ""


def _plain(attributes: dict[str, str]) -> dict[str, str]:
    found = {key: value for key, value in attributes.items() if " " not in key}
    link = attributes.get(f"{_XLINK} href")
    return {"href": link, **found} if link is not None else found
