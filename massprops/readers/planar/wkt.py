"""WKT and EWKT: POLYGON, MULTIPOLYGON and TRIANGLE, in collections too, one geometry after the other.

shapely reads WKT as well, but names neither the line nor the ring of what is wrong, and costs more to import than most
files to measure. Source of the grammar: OGC 06-103r4, "Simple feature access", part 1, section 7; PostGIS for ``SRID=…;``.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from massprops.errors import ReadError
from massprops.findings import Finding
from massprops.readers.planar.flat import Heights
from massprops.readers.planar.geographic import unit_of
from massprops.readers.planar.outlines import outline, utf8_of
from massprops.readers.planar.quick import quick_points
from massprops.readers.planar.source import Closing, PlanarSource, Request, Ring, Role
from massprops.readers.planar.wkt_scanner import Scanner
from massprops.readers.source import InputFile
from massprops.readers.text import parse_number, quoted

Points = NDArray[np.float64]

_AREAS = ("POLYGON", "TRIANGLE", "MULTIPOLYGON", "GEOMETRYCOLLECTION")
_NO_AREA = ("POINT", "MULTIPOINT", "LINESTRING", "MULTILINESTRING", "LINEARRING")
_CURVED = ("CIRCULARSTRING", "COMPOUNDCURVE", "CURVEPOLYGON", "MULTICURVE", "MULTISURFACE", "POLYHEDRALSURFACE", "TIN")
_SRID = re.compile(rb"\s*SRID\s*=\s*(\d{1,9})\s*;", re.IGNORECASE)
_BETWEEN = re.compile(rb"[\s;]*")
_TO_BLANKS = bytes.maketrans(b"\t\n\v\f", b"    ")
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
    reader = _Reader(Scanner(file.name, utf8_of(file)))
    reader.all()
    if not reader.rings:
        found = reader.skipped_kinds() or "nothing"
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


class _Reader:
    def __init__(self, scanner: Scanner) -> None:
        self.scanner = scanner
        self.rings: list[Ring] = []
        self.heights = Heights(scanner.name)
        self.skipped: Counter[str] = Counter()
        self.srid: tuple[str, int] | None = None
        self.polygons = 0

    def all(self) -> None:
        """Reads the geometries of the text."""
        self.scanner.skip(_BETWEEN)
        while self.scanner.at < len(self.scanner.text):
            self.geometry(0)
            self.scanner.skip(_BETWEEN)

    def skipped_kinds(self) -> str:
        return ", ".join(f"{count} {kind}" for kind, count in self.skipped.items())

    def findings(self) -> list[Finding]:
        found = self.heights.findings()
        if self.skipped:
            what = f"geometries without area were left out: {self.skipped_kinds()}"
            found.append(Finding("skipped-geometry", "info", what, value=float(self.skipped.total())))
        return found

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
        points = None if size == 3 else quick_points(body.translate(_TO_BLANKS).strip(), b",", None)
        if points is None:
            points = _carefully(self.scanner.name, line, body, size)
        points = self.heights.flattened(f"line {line}", points)
        closing: Closing = (
            "closed" if (points[0] == points[-1]).all() else "implied"
        )  # the rules want the first point again
        self.rings.append(
            outline(self.scanner.name, f"line {line}", points, closing=closing, role=role, polygon=self.polygons)
        )


def _carefully(name: str, line: int, body: bytes, size: int | None) -> Points:
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
    hint = "a point is x and y parted by a blank; points are parted by commas"
    raise ReadError(f"{place}: {what}", code=code, hint=hint)
