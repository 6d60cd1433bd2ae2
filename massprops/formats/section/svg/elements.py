"""The elements of an SVG file with their lines. Entities are refused, and nothing is ever fetched."""

from __future__ import annotations

from massprops.errors import ReadError
from massprops.formats import xml
from massprops.formats.text import quoted
from massprops.formats.xml import Node

SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
#: Codes of `xml.parse` that are others for drawings.
_CODES = {"entity-declaration": "xml-entities", "too-deep": "bad-xml"}
_HINTS = {"xml-entities": "entities are not followed; save it as plain SVG"}


def parse(name: str, data: bytes) -> Node:
    """The root element. `place` is as messages name an element: ``path 'outline' on line 3``.

    Tags are without the namespace of SVG, and empty for elements of another one; attributes are those of no namespace, `href` of either.

    Raises
    ------
    ReadError
        Codes ``bad-xml``, ``xml-entities``, ``wrong-format``.
    """
    try:
        root = xml.parse(data, name, namespaces=True)
    except ReadError as error:
        code = _CODES.get(error.code, error.code)
        hint = _HINTS.get(code, "the file is damaged or cut off; export or copy it again")
        raise ReadError(error.message, code=code, hint=hint) from error
    for node in every(root):
        space, _, tag = node.tag.rpartition(" ")
        node.tag = tag if space in ("", SVG) else ""
        if (link := node.attributes.get(f"{_XLINK} href")) is not None:
            node.attributes.setdefault("href", link)
        named = f" {quoted(node.attributes['id'])}" if "id" in node.attributes else ""
        node.place = f"{node.tag}{named} on line {node.place.rpartition(':')[2]}"
    if root.tag != "svg":
        what = f"{name}: the outermost element is not <svg>"
        raise ReadError(what, code="wrong-format", hint="is it another format?")
    return root


def every(node: Node) -> list[Node]:
    """An element and all those in it, in the order of the file."""
    found, waiting = [], [node]
    while waiting:
        each = waiting.pop()
        found.append(each)
        waiting += reversed(each.children)
    return found
