"""SVG drawings: the shapes as curves, in the lengths that the page states, y turned up.

Libraries were measured and declined: svgelements 1.9.6 leaves out the rest of a damaged path without a word, draws symbols and masks,
and has millimetres to seven digits; svgpathtools reads paths alone and brings scipy. The XML is parsed by Python's expat.
Source: SVG 1.1 (second edition); what SVG 2 adds to it (`href`, `auto` radii) is read as well.

Entities are refused, and nothing is ever fetched. Style says whether a shape is drawn, how it is filled, and a transform. Style sheets
are followed as far as simple selectors go (`path`, `.class`, `#id`, `*`); others are refused where they bear on the geometry, since
what they choose would have to be guessed.

Tests: `tests/formats/section/test_svg.py`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from massprops.errors import ReadError, spell
from massprops.findings import Finding, Severity, count_finding
from massprops.formats import xml
from massprops.formats.section.rings_reader import list_counts
from massprops.formats.section.svg import values
from massprops.formats.section.svg.paint import INHERITED, hides, is_clear, is_filled, is_stroked
from massprops.formats.section.svg.path import MOST_POINTS, SHAPES, Attributes, Pen, Subpath
from massprops.formats.section.svg.values import BadValue, Matrix, compose
from massprops.formats.text import quote
from massprops.formats.xml import Node
from massprops.mesh.source import InputFile
from massprops.moments.integrals import Array
from massprops.section.curves import Curve
from massprops.section.rings import Closing, Fill, PlanarSource, Request, Ring
from massprops.wording import plural

_CONTAINERS = frozenset({"svg", "g", "a", "switch"})
#: They may have an area, and none that can be measured.
_PICTURES = frozenset({"text", "image", "foreignObject", "video", "iframe", "canvas"})
_DRAWN = _CONTAINERS | _PICTURES | SHAPES.keys() | {"use", "line"}
#: Times that `use` may multiply the elements of a file, and how many it may make of a small one and of any.
_MULTIPLE, _FREE, _MOST = 10, 10_000, 500_000
#: Rules of style sheets that are compared with elements, those of the same class, identifier or tag alone.
MOST_CHOICES = 3_000_000
_EXPORT_AGAIN = "export the drawing again, as plain SVG"


def read(file: InputFile, request: Request) -> PlanarSource:  # noqa: ARG001  # there is nothing to choose
    """The shapes of a drawing.

    Filled shapes are the figure. Where nothing is filled, as in drawings for cutting, the outlines are; their strokes' widths are
    not measured. x' = x and y' = height − y in the units of the page.

    Raises
    ------
    ReadError
        Codes ``bad-xml``, ``xml-entities``, ``bad-svg`` with line and element, ``no-area``, ``clipped``, ``wrong-format``.
    """
    file.stream.seek(0)
    root = parse(file.name, file.stream.read())
    drawing = _Drawing(file.name, root)
    drawing.draw()
    figures = drawing.seen()
    if not figures:
        raise drawing.nothing()
    clipped = next((figure for figure in figures if figure.filled and figure.clip), None)
    if clipped is not None:
        what = f"{clipped.place} is cut by the clip path, mask or viewport of {clipped.clip}, which is not followed"
        raise ReadError(f"{file.name}: {what}", code="clipped", hint="cut the shapes themselves, or release the clip")
    rings = [ring for number, figure in enumerate(figures) for ring in figure.rings(number)]
    findings = drawing.findings(figures)
    return PlanarSource(file.name, "svg", "ascii", rings, drawing.page.unit, findings, painted=figures[0].filled)


@dataclass(frozen=True)
class _Figure:
    """A drawn shape: its subpaths in the units of the page, how they are filled, and what clips them."""

    subpaths: tuple[Subpath, ...]
    place: str
    layer: str
    filled: bool
    stroked: bool
    rule: Fill
    clip: str = ""

    def rings(self, polygon: int) -> list[Ring]:
        unclosed: Closing = "implied" if self.filled else "open"
        drawn = [(tuple(s.curves), "closed" if s.closed else unclosed) for s in self.subpaths]
        rule = self.rule if self.filled and len(self.subpaths) > 1 else None
        return [Ring(curves, self.place, closing, self.layer, polygon=polygon, fill=rule) for curves, closing in drawn]


def _bounds(curves: Iterable[Curve]) -> tuple[Array, Array]:
    """Least and largest coordinates of curves."""
    boxes = np.array([curve.bounds() for curve in curves])
    return boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)


@dataclass(frozen=True)
class _Frame:
    """An inner viewport, which cuts what is drawn in it: its element, the map of its coordinates, and its least and largest ones."""

    place: str
    matrix: Matrix
    low: values.Point
    high: values.Point

    def shows(self, subpaths: Sequence[Subpath]) -> float:
        """1 for a figure that lies in it, 0 for one that lies beside it, and one half for one that it cuts."""
        a, b, c, d, e, f = values.inverse(self.matrix)
        least, most = _bounds(k.transformed([[a, c, e], [b, d, f]]) for s in subpaths for k in s.curves)
        slack = 1e-9 * np.subtract(self.high, self.low)
        if (least >= self.low - slack).all() and (most <= self.high + slack).all():
            return 1.0
        return 0.0 if (least >= self.high).any() or (most <= self.low).any() else 0.5


@dataclass(frozen=True)
class _Context:
    """Properties that an element inherits."""

    matrix: Matrix
    size: values.Size
    inherited: dict[str, str]
    layer: str = ""
    clip: str = ""
    users: tuple[int, ...] = ()
    frames: tuple[_Frame, ...] = ()


class _Drawing:
    def __init__(self, name: str, root: Node) -> None:
        self.name, self.root = name, root
        self.figures: list[_Figure] = []
        self.left_out: Counter[str] = Counter()
        self.clipped = self.visited = 0
        self.by_id: dict[str, Node] = {}
        elements = list(root.walk())
        self.most, self.left = min(_FREE + _MULTIPLE * len(elements), _MOST), MOST_POINTS
        for element in elements:
            self.by_id.setdefault(element.attributes.get("id", ""), element)
        with self.errors_of(root):
            styles = [(e.attributes.get("media", ""), e.text) for e in elements if e.tag == "style"]
            self.page, self.sheet = values.page_of(root), Sheet(styles)

    @contextmanager
    def errors_of(self, element: Node) -> Iterator[None]:
        """A BadValue becomes the error of the element."""
        try:
            yield
        except BadValue as error:
            raise self.error(element, str(error)) from error

    def error(self, element: Node, what: str) -> ReadError:
        """The error for an element."""
        return ReadError(f"{self.name}: {element.place}: {what}", code="bad-svg", hint=_EXPORT_AGAIN)

    def draw(self) -> None:
        """Draws the file."""
        context = _Context(self.page.up, self.page.size, INHERITED)
        self.visit(self.root, context, outermost=True)

    def visit(self, element: Node, context: _Context, *, outermost: bool = False) -> None:
        """Draws an element and those in it."""
        self.visited += 1
        if self.visited > self.most:
            raise self.error(element, f"references make more than {self.most} elements of the drawing")
        if element.tag in _DRAWN:  # others are definitions, descriptions and what other programs keep in the file
            with self.errors_of(element):
                self._draw(element, context, outermost=outermost)

    def _draw(self, element: Node, context: _Context, *, outermost: bool) -> None:
        inner = self._inside(element, context)
        if inner is None:
            return
        self.clipped += bool(inner.clip) and not context.clip
        if values.determinant(inner.matrix) == 0:
            self.left_out[f"{element.tag} without extent"] += 1
        elif element.tag == "use":
            self._use(element, inner)
        elif element.tag in _CONTAINERS:
            self._container(element, inner, outermost)
        else:
            self._shape(element, inner)

    def _inside(self, element: Node, context: _Context) -> _Context | None:
        """Context of an element; None if it is not displayed."""
        style = self.sheet.properties(element)
        if style.get("display", "").lower() == "none" or is_clear(style.get("opacity", "1")):
            return None  # with all that is in it
        if hides(style.get("filter", "none")):
            return None
        own_size = None if element is self.root else context.size
        matrix = compose(context.matrix, values.transform_about(style, own_size))
        own = {key: style[key] for key in INHERITED if style.get(key, "inherit").lower() not in _AS_AROUND}
        own = {key: INHERITED[key] if value.lower() == "initial" else value for key, value in own.items()}
        inherited = context.inherited | own
        layer = element.attributes.get("id", "") if element.tag == "g" and not context.layer else context.layer
        clips = any(style.get(key, "none") != "none" for key in ("clip-path", "mask"))
        clip = context.clip or (element.place if clips else "")
        return replace(context, matrix=matrix, inherited=inherited, layer=layer, clip=clip)

    def _container(self, element: Node, context: _Context, outermost: bool) -> None:
        if element.tag == "svg" and not outermost:
            context = self._viewport(element, element.attributes, context)
        children = element.children
        if element.tag == "switch":  # the first that asks for nothing special
            special = {"requiredExtensions", "systemLanguage"}
            children = [child for child in children if not child.attributes.keys() & special][:1]
        for child in children:
            self.visit(child, context)

    def _viewport(self, element: Node, given: dict[str, str], context: _Context) -> _Context:
        matrix, size = values.viewport(element, given, context.size)
        frame = values.frame(given, context.size)
        inner = replace(context, matrix=compose(context.matrix, matrix), size=size)
        if frame is None or self.sheet.properties(element).get("overflow", "").lower() in ("visible", "auto"):
            return inner
        (x, y), (width, height) = frame
        return replace(
            inner, frames=(*context.frames, _Frame(element.place, context.matrix, (x, y), (x + width, y + height)))
        )

    def element(self, link: str) -> Node | None:
        """The element of the file that a link refers to, if there is one."""
        return self.by_id.get(link[1:]) if link[1:] and link.startswith("#") else None

    def _use(self, element: Node, context: _Context) -> None:
        link = element.attributes.get("href", "")
        target = self.element(link)
        if target is None:
            raise self.error(element, f"it refers to {quote(link)}, and there is no such element in the file")
        if id(target) in context.users:
            raise self.error(element, "it refers to itself")
        moved = compose(context.matrix, values.translation(element.attributes, context.size))
        context = replace(context, users=(*context.users, id(target)), matrix=moved)
        if target.tag not in ("symbol", "svg"):
            self.visit(target, context)
            return
        size = {side: element.attributes[side] for side in ("width", "height") if side in element.attributes}
        with self.errors_of(target):
            if (inner := self._inside(target, context)) is not None:
                inner = self._viewport(target, target.attributes | size, inner)
                for child in target.children:
                    self.visit(child, inner)

    def _shape(self, element: Node, context: _Context) -> None:
        style = context.inherited
        if style["visibility"].lower() in ("hidden", "collapse"):
            return
        if element.tag not in SHAPES:
            self.left_out[element.tag] += 1
            return
        pen = Pen(context.matrix, self.left)
        SHAPES[element.tag](Attributes(element.attributes, context.size), pen)
        subpaths, self.left = tuple(pen.end()), pen.left
        if not subpaths:
            self.left_out[f"{element.tag} without extent"] += 1
            return
        filled = is_filled(style, self.element, self.sheet.properties)
        stroked = is_stroked(style, self.element, self.sheet.properties)
        if not (filled or stroked or style["fill"].lower() == "none"):
            return  # transparent
        shown = [(frame.shows(subpaths), frame.place) for frame in context.frames]
        if any(share == 0.0 for share, _ in shown):
            self.left_out[f"{element.tag} outside its viewport"] += 1
            return
        cut = next((place for share, place in shown if share < 1.0), "")
        self.clipped += bool(cut) and not context.clip
        rule: Fill = "evenodd" if style["fill-rule"].lower() == "evenodd" else "nonzero"
        self.figures.append(_Figure(subpaths, element.place, context.layer, filled, stroked, rule, context.clip or cut))

    def seen(self) -> list[_Figure]:
        """The filled shapes; where there is none, those with a stroke; else the bare outlines, as some programs write them for cutting."""
        filled, stroked = [f for f in self.figures if f.filled], [f for f in self.figures if f.stroked]
        return filled or stroked or self.figures

    def findings(self, figures: list[_Figure]) -> list[Finding]:
        """Findings about what was done to the drawing, and what of it is not measured."""
        what = "y points down in SVG; it was turned up, y' = "
        what += (
            f"{self.page.bottom:.6g} − y, from the bottom of the page"
            if self.page.bottom
            else "−y: the page ends there"
        )
        found = [Finding("y-turned-up", "info", what)]
        if self.page.unit is None:
            units = f"say {spell('units')} if they are not metres"
            what = f"the page has no size in millimetres or inches, so coordinates are user units; {units}"
            found.append(Finding("no-physical-size", "info", what))
        uneven = self.page.unevenness
        if values.ROUNDING < uneven < values.LETTERBOX:
            by = f"{uneven:.2g}"
            what = f"the scales of the page's width and height differ by {by}; the smaller is used, and no length is known better"
            found.append(Finding("uneven-page", "info", what, value=uneven, limit=values.ROUNDING))
        found += self._outside(figures)
        outlines = len(self.figures) - len(figures)
        beside = (
            f"{plural(outlines, 'shape without a fill was', 'shapes without a fill were')} left out beside "
            + plural(len(figures), "filled one")
        )
        unfilled = "nothing is filled: the area inside the outlines is measured, not that of their strokes"
        clips = f"clip paths and masks were not applied, to {plural(self.clipped, 'element')}"
        skipped = f"left out: {list_counts(self.left_out)}"
        severe: Severity = "warning" if self.left_out.keys() & _PICTURES else "info"
        return [
            *found,
            *count_finding(outlines, "skipped-outlines", "info", beside),
            *([] if figures[0].filled else [Finding("unfilled-shapes", "info", unfilled)]),
            *count_finding(self.clipped, "clipping-ignored", "warning", clips),
            *count_finding(self.left_out.total(), "skipped-elements", severe, skipped),
        ]

    def _outside(self, figures: list[_Figure]) -> list[Finding]:
        """The warning that measured shapes lie outside the page, where its size is known."""
        if self.page.frame is None:
            return []
        low, high = np.array(self.page.frame)
        boxes = [_bounds(k for s in f.subpaths for k in s.curves) for f in figures]
        beyond = np.array([np.maximum(low - least, most - high).max() for least, most in boxes])
        far, count = int(beyond.argmax()), int((beyond > _BESIDE_PAGE * (high - low).max()).sum())
        if not count:
            return []
        hidden = sum(bool((least >= high).any() or (most <= low).any()) for least, most in boxes)
        what = (
            f"{count} of {plural(len(figures), 'shape')} reach beyond the page, {hidden} of them with no part on it: "
        )
        what += f"{figures[far].place} by {beyond[far]:.4g} {self.page.unit or 'user units'}; all is measured"
        return [Finding("clipping-ignored", "warning", what, value=float(count))]

    def nothing(self) -> ReadError:
        """The error for a drawing without a shape."""
        found = list_counts(self.left_out) or "nothing that is drawn"
        hidden = "is the figure hidden, or in a definition that nothing uses?"
        hint = "convert text to paths" if "text" in self.left_out else hidden
        return ReadError(f"{self.name}: no shape with an area, only {found}", code="no-area", hint=hint)


#: Shapes reach beyond a page, whose size is rounded, by a larger share of it.
_BESIDE_PAGE = 1e-3
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
    for node in root.walk():
        space, _, tag = node.tag.rpartition(" ")
        node.tag = tag if space in ("", SVG) else ""
        if (link := node.attributes.get(f"{_XLINK} href")) is not None:
            node.attributes.setdefault("href", link)
        named = f" {quote(node.attributes['id'])}" if "id" in node.attributes else ""
        node.place = f"{node.tag}{named} on line {node.place.rpartition(':')[2]}"
    if root.tag != "svg":
        what = f"{name}: the outermost element is not <svg>"
        raise ReadError(what, code="wrong-format", hint="is it another format?")
    return root


_OWN = ("display", "opacity", "clip-path", "mask", "filter", "overflow", "stop-color", "stop-opacity")
_KNOWN = frozenset((*INHERITED, *_OWN, "transform", "transform-origin", "transform-box"))
#: Values by which a property is that of the element around.
_AS_AROUND = ("inherit", "unset", "revert", "revert-layer")
#: Properties that move or shape a figure; in a style sheet they are not followed.
_GEOMETRY = frozenset({"d", "x", "y", "cx", "cy", "r", "rx", "ry", "width", "height", "offset-path"})
_GEOMETRY |= {"translate", "rotate", "scale"}
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_RULE = re.compile(r"([^{}]*)\{([^{}]*)\}")
#: Media where no drawing is seen.
_NOT_SHOWN = frozenset({"print", "speech"})
_CONDITION = re.compile(r"@(media|supports|layer|container|scope)\b[^;{}]*\{")
_IMPORT = re.compile(r"@import\b[^;]*;?")
_SELECTOR = re.compile(r"(?P<tag>\*|[\w-]+)?(?P<rest>(?:[.#][\w-]+)*)")


#: Values by property: those that are not marked as important, and those that are.
Declarations = tuple[dict[str, str], dict[str, str]]


@dataclass(frozen=True)
class StyleRule:
    """Declarations for the elements that a selector chooses, by their tag and marks (``#id``, ``.class``); `weight` is its specificity."""

    tag: str
    marks: frozenset[str]
    declarations: Declarations

    @property
    def weight(self) -> tuple[int, int, int]:
        """Specificity of the rule: identifiers before classes before tags."""
        ids = sum(mark.startswith("#") for mark in self.marks)
        return ids, len(self.marks) - ids, int(self.tag not in ("", "*"))


class Sheet:
    """All style sheets of a file, each with its `media`."""

    def __init__(self, sheets: list[tuple[str, str]]) -> None:
        self.rules: list[StyleRule] = []
        for media, text in sheets:
            self._add({kind.strip().lower() for kind in media.split(",")}, _COMMENT.sub(" ", text))
        self.rules.sort(key=lambda rule: rule.weight)  # stable: of equals, the later one wins
        self.places: dict[str, list[int]] = {}  # of rules, by one of their marks or their tag
        for place, rule in enumerate(self.rules):
            self.places.setdefault(min(rule.marks, default=rule.tag), []).append(place)
        self.left = MOST_CHOICES

    def properties(self, element: Node) -> dict[str, str]:
        """Declarations for an element itself: attributes, then rules, then its `style`, the later ones stronger."""
        found = {key: element.attributes[key].strip() for key in _KNOWN & element.attributes.keys()}
        classes = element.attributes.get("class", "").split()
        marks = {f"#{element.attributes.get('id', '')}", *(f".{name}" for name in classes)}
        tags = {"", "*", element.tag}
        places = sorted(place for key in (*marks, *tags) for place in self.places.get(key, ()))
        self.left -= len(places)
        if self.left < 0:
            raise BadValue(f"the style sheets hold for elements more than {MOST_CHOICES:,} times")
        own = _declarations(element.attributes.get("style", ""))
        _check(own)
        chosen = [rule for rule in (self.rules[place] for place in places) if rule.tag in tags and rule.marks <= marks]
        for importance in (0, 1):  # the later one of equals wins
            for stated in (*(rule.declarations for rule in chosen), own):
                found |= stated[importance]
        return {key: value for key, value in found.items() if key in _KNOWN}

    def _add(self, media: set[str], text: str) -> None:
        if media <= _NOT_SHOWN:
            return
        is_conditional = not media <= {"", "all", "screen", *_NOT_SHOWN} or _CONDITION.search(text)
        for match in _RULE.finditer(_IMPORT.sub(" ", text)):
            declarations = _declarations(match[2])
            keys = declarations[0].keys() | declarations[1].keys()
            if not keys & (_KNOWN | _GEOMETRY) or match[1].strip().startswith("@"):
                continue
            if is_conditional:
                what = f"the style sheet chooses {quote(match[1].strip())} beside a condition"
                raise BadValue(f"{what}, and massprops does not follow conditions")
            _check(declarations)
            for selector in match[1].split(","):
                self.rules.append(_rule(selector.strip(), declarations))


def _rule(selector: str, declarations: Declarations) -> StyleRule:
    match = _SELECTOR.fullmatch(selector)
    if match is None or not selector:
        raise BadValue(f"the style sheet chooses {quote(selector)}, and massprops follows simple selectors alone")
    return StyleRule(match["tag"] or "", frozenset(re.findall(r"[.#][\w-]+", match["rest"])), declarations)


def _check(declarations: Declarations) -> None:
    moved = next((key for stated in declarations for key in stated if key in _GEOMETRY), None)
    if moved is not None:
        raise BadValue(f"style sets {moved!r}, and massprops follows geometry in attributes alone")


def _declarations(text: str) -> Declarations:
    """Declarations of a style: the last one of each property."""
    found: Declarations = {}, {}
    for key, _, value in (part.partition(":") for part in _COMMENT.sub(" ", text).split(";") if ":" in part):
        plain, mark, _ = value.partition("!")
        found[bool(mark)][key.strip().lower()] = plain.strip()
    return found
