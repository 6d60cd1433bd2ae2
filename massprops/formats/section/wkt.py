"""WKT and EWKT: POLYGON, MULTIPOLYGON and TRIANGLE, in collections too, one geometry after the other.

shapely reads WKT as well, but names neither the line nor the ring of what is wrong, and costs more to import than most
files to measure. Source of the grammar: OGC 06-103r4, "Simple feature access", part 1, section 7; PostGIS for ``SRID=…;``.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable

import numpy as np

from massprops.errors import ReadError
from massprops.formats.section.coordinate_systems import unit_of
from massprops.formats.section.rings_reader import RingsReader, list_counts, utf8_of
from massprops.formats.text import parse_number, quote
from massprops.formats.text_lines import scan_points
from massprops.mesh.source import InputFile
from massprops.moments.arrays import Array
from massprops.section.rings import PlanarSource, Request, Role

_AREAS = ("POLYGON", "TRIANGLE", "MULTIPOLYGON", "GEOMETRYCOLLECTION")
_NO_AREA = ("POINT", "MULTIPOINT", "LINESTRING", "MULTILINESTRING", "LINEARRING")
_CURVED = ("CIRCULARSTRING", "COMPOUNDCURVE", "CURVEPOLYGON", "MULTICURVE", "MULTISURFACE", "POLYHEDRALSURFACE", "TIN")
_HEAD = re.compile(rf"\s*({'|'.join((*_AREAS, *_NO_AREA, *_CURVED))})\s*(ZM|Z|M)?(?![A-Z])".encode(), re.IGNORECASE)
_EMPTY = re.compile(rb"\s*EMPTY(?![A-Z])", re.IGNORECASE)
_SRID = re.compile(rb"\s*SRID\s*=\s*(\d{1,9})\s*;", re.IGNORECASE)
_BETWEEN = re.compile(rb"[\s;]*")
_BLANK = re.compile(rb"\s*")
_BRACKET = re.compile(rb"[()]")
_DAMAGED = "the file is damaged or cut off; export or copy it again"
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
    reader = _WktReader(file.name, utf8_of(file))
    while reader.skip(_BETWEEN) and reader.at < len(reader.text):
        reader.geometry(0)
    if not reader.rings:
        found = list_counts(reader.skipped) or "nothing"
        message = f"{file.name}: no polygons, only {found}"
        raise ReadError(message, code="no-polygons", hint="points, lines and empty geometries have no area")
    unit = None if reader.srid is None else unit_of(file.name, *reader.srid, request.units)
    return PlanarSource(file.name, "wkt", "ascii", reader.rings, unit=unit, findings=reader.findings())


class _WktReader(RingsReader):
    """A place in a text, from which geometries are read."""

    def __init__(self, name: str, text: bytes) -> None:
        super().__init__(name)
        self.text, self.at = text, 0
        self.srid: tuple[str, int] | None = None
        self._counted, self._line = 0, 1

    @property
    def line(self) -> int:
        """The line that `at` is on, counted from 1."""
        self._line += self.text.count(b"\n", self._counted, self.at)
        self._counted = self.at
        return self._line

    def error(self, what: str, code: str = "bad-wkt", hint: str = _DAMAGED) -> ReadError:
        """The error for what stands here."""
        return ReadError(f"{self.name}:{self.line}: {what}", code=code, hint=hint)

    def geometry(self, depth: int) -> None:
        """Reads one geometry with its keyword."""
        if depth > _DEEPEST:
            raise self.error("collections are nested too deeply")
        self._srid()
        kind, size = self._kind()
        if self.skip(_EMPTY):
            self.skipped[f"{kind} EMPTY"] += 1
        elif kind in _NO_AREA:
            self.skipped[kind] += 1
            self._skip_brackets()
        elif kind == "GEOMETRYCOLLECTION":
            self._list(lambda: self.geometry(depth + 1))
        elif kind == "MULTIPOLYGON":
            self._list(lambda: self._polygon(size))
        else:
            self._polygon(size)

    def _srid(self) -> None:
        match = self.skip(_SRID)
        if match is None:
            return
        found = int(match[1])
        if self.srid is not None and self.srid[1] != found:
            what = f"SRID {found} after SRID {self.srid[1]}: the geometries are in different systems"
            raise self.error(what, "mixed-systems", "export them in one")
        self.srid = self.srid or (f"line {self.line}", found)

    def _kind(self) -> tuple[str, int | None]:
        """Takes the keyword of a geometry; also how many numbers a point has (None: as many as it has)."""
        match = self.skip(_HEAD)
        if match is None:
            raise self.error(f"expected a geometry such as POLYGON, found {self._here()}")
        kind = match[1].decode().upper()
        if kind in _CURVED:
            what = f"a {kind} is not read; of WKT, massprops reads polygons with straight edges"
            hint = "export it as a POLYGON, or the drawing as DXF or SVG"
            raise self.error(what, "unsupported-geometry", hint)
        if b"M" in (match[2] or b"").upper():
            what = "the points carry measures (M), which belong to no figure in the plane"
            raise self.error(what, "mixed-dimensions", "export x and y alone")
        return kind, 3 if match[2] else None

    def _list(self, each: Callable[[], None]) -> None:
        """Reads ``(each, each, …)``."""
        self._expect(b"(")
        each()
        while self._takes(b","):
            each()
        self._expect(b")")

    def _polygon(self, size: int | None) -> None:
        if self.skip(_EMPTY):
            self.skipped["POLYGON EMPTY"] += 1
            return
        before = len(self.rings)
        self._list(lambda: self._ring(size, "outer" if len(self.rings) == before else "hole"))
        self.polygons += 1

    def _ring(self, size: int | None, role: Role) -> None:
        self._expect(b"(")
        line, end = self.line, self.text.find(b")", self.at)
        if end < 0:
            self.at = len(self.text)
            raise self.error("the file ends inside a ring", "truncated-file")
        body, self.at = self.text[self.at : end], end + 1
        points = None if size == 3 else scan_points(body.translate(_TO_ROWS).strip(b" "))
        if points is None:
            points = _points_strict(self.name, line, body, size)
        self.add(f"line {line}", points, role, self.polygons)

    def skip(self, pattern: re.Pattern[bytes] = _BLANK) -> re.Match[bytes] | None:
        """Passes what matches, blanks if nothing else is said."""
        match = pattern.match(self.text, self.at)
        self.at = match.end() if match else self.at
        return match

    def _here(self) -> str:
        """Text at the current place, quoted for a message."""
        self.skip()
        rest = self.text[self.at : self.at + 160].decode("utf-8", errors="replace").split("\n")[0]
        return quote(rest) if rest else "the end of the file"

    def _takes(self, mark: bytes) -> bool:
        """Passes `mark`, if it comes next."""
        self.skip()
        found = self.text.startswith(mark, self.at)
        self.at += len(mark) if found else 0
        return found

    def _expect(self, mark: bytes) -> None:
        """Passes `mark`, or raises."""
        if not self._takes(mark):
            code = "truncated-file" if self.at == len(self.text) else "bad-wkt"
            raise self.error(f"expected {mark.decode()!r}, found {self._here()}", code)

    def _skip_brackets(self) -> None:
        """Passes a bracket and all in it."""
        self._expect(b"(")
        depth = 1
        while depth:
            match = _BRACKET.search(self.text, self.at)
            if match is None:
                self.at = len(self.text)
                raise self.error("the file ends inside a geometry", "truncated-file")
            depth += 1 if match[0] == b"(" else -1
            self.at = match.end()


def _points_strict(name: str, line: int, body: bytes, size: int | None) -> Array:
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
        what = f"{quote(words[0])} is no point"
    elif len(words) in (2, 3) and size in (2, 3):
        what, code = f"{what}, and {size} were expected", "mixed-dimensions"
    hint = "separate x and y by a blank, and points by commas"
    raise ReadError(f"{place}: {what}", code=code, hint=hint)
