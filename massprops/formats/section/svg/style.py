"""What style says of a shape: whether it is drawn, how it is filled, and a transform.

Style sheets are followed as far as simple selectors go (`path`, `.class`, `#id`, `*`); others are refused where they bear on the
geometry, since what they choose would have to be guessed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from massprops.formats.section.svg.values import BadValue
from massprops.formats.text import quoted
from massprops.formats.xml import Node

#: Properties that are taken over from the element around.
INHERITED = ("visibility", "fill", "fill-rule")
_OWN = ("display", "transform", "clip-path", "mask")
#: Properties that move or shape a figure; in a style sheet they are not followed.
_GEOMETRY = frozenset(
    ["d", "x", "y", "cx", "cy", "r", "rx", "ry", "width", "height", "translate", "rotate", "scale", "transform-origin"]
)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_RULE = re.compile(r"([^{}]*)\{([^{}]*)\}")
_SELECTOR = re.compile(r"(?P<tag>\*|[\w-]+)?(?P<rest>(?:[.#][\w-]+)*)")


@dataclass(frozen=True)
class Rule:
    """Declarations for the elements that a selector chooses; `weight` is its specificity."""

    tag: str
    ids: frozenset[str]
    classes: frozenset[str]
    declarations: dict[str, str]

    @property
    def weight(self) -> tuple[int, int, int]:
        """Which rule wins: identifiers before classes before tags."""
        return len(self.ids), len(self.classes), int(self.tag not in ("", "*"))

    def chooses(self, element: Node) -> bool:
        """Whether the rule holds for an element."""
        named = self.ids <= {element.attributes.get("id", "")}
        classed = self.classes <= set(element.attributes.get("class", "").split())
        return self.tag in ("", "*", element.tag) and named and classed


class Sheet:
    """All style sheets of a file."""

    def __init__(self, texts: list[str]) -> None:
        self.rules: list[Rule] = []
        for text in texts:
            self._add(_COMMENT.sub(" ", text))
        self.rules.sort(key=lambda rule: rule.weight)  # stable: of equals, the later one wins

    def properties(self, element: Node) -> dict[str, str]:
        """What is declared for an element itself: attributes, then rules, then its `style`, the later ones stronger."""
        known = (*INHERITED, *_OWN)
        found = {key: element.attributes[key].strip() for key in known if key in element.attributes}
        for rule in self.rules:
            if rule.chooses(element):
                found |= rule.declarations
        own = _declarations(element.attributes.get("style", ""))
        _check(own)
        return found | {key: value for key, value in own.items() if key in known}

    def _add(self, text: str) -> None:
        for match in _RULE.finditer(text):
            declarations = _declarations(match[2])
            if not declarations.keys() & {*INHERITED, *_OWN, *_GEOMETRY}:
                continue
            _check(declarations)
            for selector in match[1].split(","):
                self.rules.append(_rule(selector.strip(), declarations))


def _rule(selector: str, declarations: dict[str, str]) -> Rule:
    match = _SELECTOR.fullmatch(selector)
    if match is None or not selector:
        raise BadValue(f"the style sheet chooses {quoted(selector)}, and massprops follows simple selectors alone")
    parts = re.findall(r"([.#])([\w-]+)", match["rest"])
    ids = frozenset(name for mark, name in parts if mark == "#")
    classes = frozenset(name for mark, name in parts if mark == ".")
    return Rule(match["tag"] or "", ids, classes, declarations)


def _check(declarations: dict[str, str]) -> None:
    moved = next((key for key in declarations if key in _GEOMETRY), None)
    if moved is not None:
        raise BadValue(f"style sets {moved!r}, and massprops follows geometry in attributes alone")


def _declarations(text: str) -> dict[str, str]:
    pairs = (part.partition(":") for part in text.split(";") if ":" in part)
    return {key.strip().lower(): value.replace("!important", "").strip() for key, _, value in pairs}
