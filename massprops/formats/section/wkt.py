"""WKT and EWKT: POLYGON, MULTIPOLYGON and TRIANGLE, in collections too, one geometry after the other.

shapely reads WKT as well, but names neither the line nor the ring of what is wrong, and costs more to import than most
files to measure. Source of the grammar: OGC 06-103r4, "Simple feature access", part 1, section 7; PostGIS for ``SRID=…;``.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from massprops.errors import ReadError
from massprops.formats.section.coordinate_systems import unit_of
from massprops.formats.section.point_rows import quick_points
from massprops.formats.section.rings_reader import RingsReader, listed, utf8_of
from massprops.formats.text import parse_number, quoted
from massprops.mesh.source import InputFile
from massprops.moments.arrays import Array
from massprops.section.rings import PlanarSource, Request, Role

_AREAS = ("POLYGON", "TRIANGLE", "MULTIPOLYGON", "GEOMETRYCOLLECTION")
_NO_AREA = ("POINT", "MULTIPOINT", "LINESTRING", "MULTILINESTRING", "LINEARRING")
_CURVED = ("CIRCULARSTRING", "COMPOUNDCURVE", "CURVEPOLYGON", "MULTICURVE", "MULTISURFACE", "POLYHEDRALSURFACE", "TIN")
_SRID = re.compile(rb"\s*SRID\s*=\s*(\d{1,9})\s*;", re.IGNORECASE)
_BETWEEN = re.compile(rb"[\s;]*")
#: White space in a ring says nothing; a comma ends a point.
_TO_ROWS = bytes.maketrans(b"\t\n\v\f,", b"    \n")
_DEEPEST = 32


def read(file: InputFile, request: Request) -> PlanarSource:
    """The polygons of a WKT file.

    Raises
    ------
    ReadError
        With the line: codes ``bad-wkt``, ``bad-number``, ``bad-point``, ``truncated-file``, ``mixed-dimensions``, ``not-plane``,
        ``mixed-systems``, ``no-polygons``, ``too-few-points``, ``unsupported-geometry``; of an SRID ``degrees``,
        ``not-true-to-scale``, ``unknown-units``.
    """
    reader = _WktReader(Scanner(file.name, utf8_of(file)))
    reader.all()
    if not reader.rings:
        found = listed(reader.skipped) or "nothing"
        message = f"{file.name}: no polygons, only {found}"
        raise ReadError(message, code="no-polygons", hint="points, lines and empty geometries have no area")
    known = reader.srid is None or request.units is not None
    unit = None if known or reader.srid is None else unit_of(file.name, *reader.srid)
    return PlanarSource(file.name, "wkt", "ascii", reader.rings, unit=unit, findings=reader.findings())


@dataclass(frozen=True)
class _Tag:
    """What stands before the coordinates: the kind, and how many numbers a point has (None: as many as it has)."""

    kind: str
    size: int | None
    empty: bool


class _WktReader(RingsReader):
    def __init__(self, scanner: Scanner) -> None:
        super().__init__(scanner.name)
        self.scanner = scanner
        self.srid: tuple[str, int] | None = None

    def all(self) -> None:
        """Reads the geometries of the text."""
        self.scanner.skip(_BETWEEN)
        while self.scanner.at < len(self.scanner.text):
            self.geometry(0)
            self.scanner.skip(_BETWEEN)

    def geometry(self, depth: int) -> None:
        """Reads one geometry with its keyword."""
        if depth > _DEEPEST:
            raise self.scanner.error("collections are nested too deeply")
        self._srid()
        tag = self._tag()
        if tag.empty:
            self.skipped[f"{tag.kind} EMPTY"] += 1
        elif tag.kind in _NO_AREA:
            self.skipped[tag.kind] += 1
            self.scanner.skip_brackets()
        elif tag.kind == "GEOMETRYCOLLECTION":
            self._list(lambda: self.geometry(depth + 1))
        elif tag.kind == "MULTIPOLYGON":
            self._list(lambda: self._polygon(tag.size))
        else:
            self._polygon(tag.size)

    def _srid(self) -> None:
        match = self.scanner.skip(_SRID)
        if match is None:
            return
        found = int(match[1])
        if self.srid is not None and self.srid[1] != found:
            what = f"SRID {found} after SRID {self.srid[1]}: the geometries are in different systems"
            raise self.scanner.error(what, "mixed-systems", "export them in one")
        self.srid = self.srid or (f"line {self.scanner.line}", found)

    def _tag(self) -> _Tag:
        kind = self._kind()
        suffix = next(
            (s for s in ("ZM", "Z", "M") if kind.removesuffix(s) in (*_AREAS, *_NO_AREA) and kind.endswith(s)), ""
        )
        kind = kind.removesuffix(suffix)
        if not suffix and self.scanner.next_word() in ("Z", "M", "ZM"):
            suffix = self.scanner.word()
        if "M" in suffix:
            what = "the points carry measures (M), which belong to no figure in the plane"
            raise self.scanner.error(what, "mixed-dimensions", "export x and y alone")
        return _Tag(kind, 3 if suffix else None, self._empty())

    def _kind(self) -> str:
        kind = self.scanner.next_word()
        if kind.removesuffix("M").removesuffix("Z") in _CURVED:
            what = f"a {kind} is not read; of WKT, massprops reads polygons with straight edges"
            hint = "export it as a POLYGON, or the drawing as DXF or SVG"
            raise self.scanner.error(what, "unsupported-geometry", hint)
        if kind.removesuffix("M").removesuffix("Z") not in (*_AREAS, *_NO_AREA):
            raise self.scanner.error(f"expected a geometry such as POLYGON, found {self.scanner.here()}")
        return self.scanner.word()

    def _empty(self) -> bool:
        """Takes EMPTY, if it comes next."""
        found = self.scanner.next_word() == "EMPTY"
        if found:
            self.scanner.word()
        return found

    def _list(self, each: Callable[[], None]) -> None:
        """Reads ``(each, each, …)``."""
        self.scanner.expect(b"(")
        each()
        while self.scanner.takes(b","):
            each()
        self.scanner.expect(b")")

    def _polygon(self, size: int | None) -> None:
        if self._empty():
            self.skipped["POLYGON EMPTY"] += 1
            return
        before = len(self.rings)
        self._list(lambda: self._ring(size, "outer" if len(self.rings) == before else "hole"))
        self.polygons += 1

    def _ring(self, size: int | None, role: Role) -> None:
        self.scanner.expect(b"(")
        line = self.scanner.line
        body = self.scanner.until(b")", "a ring")
        points = None if size == 3 else quick_points(body.translate(_TO_ROWS).strip(b" "), None)
        if points is None:
            points = _carefully(self.scanner.name, line, body, size)
        self.add(f"line {line}", points, role, polygon=self.polygons)


def _carefully(name: str, line: int, body: bytes, size: int | None) -> Array:
    """Points of a ring that begins on `line`, shape (n, 2) or (n, 3)."""
    numbers = array("d")
    for pair in body.decode("utf-8", errors="replace").split(","):
        point = pair.lstrip()
        line += pair.count("\n", 0, len(pair) - len(point))
        words = point.split()
        size = size or len(words)
        _check_size(f"{name}:{line}", words, size)
        numbers.extend(parse_number(word, f"{name}:{line}", axis) for word, axis in zip(words, "xyz", strict=False))
        line += point.count("\n")
    return np.array(numbers).reshape(-1, size or 2)


def _check_size(place: str, words: list[str], size: int) -> None:
    if len(words) == size and size in (2, 3):
        return
    what, code = f"the point has {len(words)} numbers", "bad-point"
    if len(words) == 1:
        what = f"{quoted(words[0])} is no point"
    elif len(words) in (2, 3) and size in (2, 3):
        what, code = f"{what}, and {size} were expected", "mixed-dimensions"
    hint = "separate x and y by a blank, and points by commas"
    raise ReadError(f"{place}: {what}", code=code, hint=hint)


DAMAGED = "the file is damaged or cut off; export or copy it again"
_WORD = re.compile(rb"\s*([A-Za-z]+)")
_BLANK = re.compile(rb"\s*")
_BRACKET = re.compile(rb"[()]")


class Scanner:
    """A place in a text, from which words and brackets are taken.

    Attributes
    ----------
    name : str
        The file, for messages.
    text : bytes
        UTF-8.
    at : int
        Bytes that are read already.
    """

    def __init__(self, name: str, text: bytes) -> None:
        self.name, self.text, self.at = name, text, 0
        self._counted, self._line = 0, 1

    @property
    def line(self) -> int:
        """The line that `at` is on, counted from 1."""
        self._line += self.text.count(b"\n", self._counted, self.at)
        self._counted = self.at
        return self._line

    def error(self, what: str, code: str = "bad-wkt", hint: str = DAMAGED) -> ReadError:
        """The error for what stands here."""
        return ReadError(f"{self.name}:{self.line}: {what}", code=code, hint=hint)

    def skip(self, pattern: re.Pattern[bytes] = _BLANK) -> re.Match[bytes] | None:
        """Passes what matches, blanks if nothing else is said."""
        match = pattern.match(self.text, self.at)
        self.at = match.end() if match else self.at
        return match

    def next_word(self) -> str:
        """The word that comes next, in capitals; empty where something else does."""
        match = _WORD.match(self.text, self.at)
        return match[1].decode().upper() if match else ""

    def word(self) -> str:
        """Takes the word that comes next, in capitals."""
        word = self.next_word()
        self.skip(_WORD)
        return word

    def here(self) -> str:
        """What stands here, quoted for a message."""
        self.skip()
        rest = self.text[self.at : self.at + 160].decode("utf-8", errors="replace").split("\n")[0]
        return quoted(rest) if rest else "the end of the file"

    def takes(self, mark: bytes) -> bool:
        """Passes `mark`, if it comes next."""
        self.skip()
        found = self.text.startswith(mark, self.at)
        self.at += len(mark) if found else 0
        return found

    def expect(self, mark: bytes) -> None:
        """Passes `mark`, or raises."""
        if not self.takes(mark):
            code = "truncated-file" if self.at == len(self.text) else "bad-wkt"
            raise self.error(f"expected {mark.decode()!r}, found {self.here()}", code)

    def until(self, mark: bytes, what: str) -> bytes:
        """Takes what stands before `mark`, and `mark` itself."""
        end = self.text.find(mark, self.at)
        if end < 0:
            self.at = len(self.text)
            raise self.error(f"the file ends inside {what}", "truncated-file")
        found = self.text[self.at : end]
        self.at = end + len(mark)
        return found

    def skip_brackets(self) -> None:
        """Passes a bracket and all in it."""
        self.expect(b"(")
        depth = 1
        while depth:
            match = _BRACKET.search(self.text, self.at)
            if match is None:
                self.at = len(self.text)
                raise self.error("the file ends inside a geometry", "truncated-file")
            depth += 1 if match[0] == b"(" else -1
            self.at = match.end()
