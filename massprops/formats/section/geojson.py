"""GeoJSON (RFC 7946): the polygons of any geometry, feature or collection.

Coordinates are degrees on WGS 84 unless a `crs`, as the format had one until 2016, says otherwise; degrees are refused, since
areas in square degrees are those of nothing.

Tests: `tests/formats/section/test_json.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from massprops.errors import ReadError
from massprops.formats.section.coordinate_systems import epsg_of, unit_of
from massprops.formats.section.rings_reader import RingsReader, list_counts, utf8_of
from massprops.formats.strict_json import load, points
from massprops.formats.text import quote
from massprops.mesh.source import InputFile
from massprops.section.rings import PlanarSource, Request

_MEMBERS = {
    "Feature": "geometry",
    "FeatureCollection": "features",
    "GeometryCollection": "geometries",
    **dict.fromkeys(("Polygon", "MultiPolygon"), "coordinates"),
}
_NO_AREA = ("Point", "MultiPoint", "LineString", "MultiLineString")
_DEEPEST = 32
_RULES = "see RFC 7946"


def read(file: InputFile, request: Request) -> PlanarSource:
    """The polygons of a GeoJSON file.

    Raises
    ------
    ReadError
        Codes ``degrees``, ``not-true-to-scale``, ``unknown-units``, ``bad-geojson``, ``no-polygons``, and those of `json_text`.
    """
    return source_of(file.name, "geojson", load(file.name, utf8_of(file)), request)


def source_of(name: str, format_: str, value: Any, request: Request) -> PlanarSource:
    """The polygons of a GeoJSON value; see `read`."""
    reader = _GeoJsonReader(name)
    reader.visit("the file", value, 0)
    if not reader.rings:
        found = list_counts(reader.skipped) or "nothing"
        raise ReadError(f"{name}: no polygons, only {found}", code="no-polygons", hint="points and lines have no area")
    largest = max(float(np.abs(c.bounds()).max()) for ring in reader.rings for c in ring.curves)
    unit = unit_of(name, *_system(value), request.units, largest)
    return PlanarSource(name, format_, "ascii", reader.rings, unit=unit, findings=reader.findings())


def _system(value: Any) -> tuple[str, int | None]:
    """Place that states the reference system, and its EPSG number (None: WGS 84 in degrees)."""
    crs = value.get("crs")
    properties = crs.get("properties") if isinstance(crs, dict) else None
    text = properties.get("name") if isinstance(properties, dict) else None
    return ("no 'crs'", None) if text is None else ("crs", epsg_of(str(text)))


class _GeoJsonReader(RingsReader):
    def visit(self, place: str, value: Any, depth: int) -> None:
        """Reads a GeoJSON object, and those in it."""
        kind = value.get("type") if isinstance(value, dict) else None
        if depth > _DEEPEST:
            raise self._error(place, "collections are nested too deeply")
        if kind in _NO_AREA:
            self.skipped[kind] += 1
        elif isinstance(kind, str) and kind in _MEMBERS:
            self._member(place, value, kind, depth)
        else:
            untyped = "no GeoJSON object: it has no 'type'"
            raise self._error(place, untyped if kind is None else f"the type {quote(str(kind))} is none of GeoJSON")

    def _member(self, place: str, value: dict[str, Any], kind: str, depth: int) -> None:
        """Reads what an object holds: a geometry, a polygon, or a list of them."""
        member = _MEMBERS[kind]
        inner, at = value.get(member), member if place == "the file" else f"{place}.{member}"
        if kind == "Feature" and inner is None and member in value:
            self.skipped["Feature without a geometry"] += 1
            return
        if kind != "Feature" and not isinstance(inner, list):
            raise self._error(place, f"a {kind} has a list of {member}, and here it has none")
        is_one = kind in ("Feature", "Polygon")
        for place, part in [(at, inner)] if is_one else [(f"{at}[{i}]", each) for i, each in enumerate(inner or ())]:
            if kind.endswith("Polygon"):
                self._polygon(place, part)
            else:
                self.visit(place, part, depth + 1)

    def _polygon(self, place: str, rings: Any) -> None:
        if not isinstance(rings, list):
            raise self._error(place, "a polygon is a list of rings")
        if not rings:
            self.skipped["empty Polygon"] += 1
        for index, ring in enumerate(rings):
            at = f"{place}[{index}]"
            found = points(self.name, at, ring)
            self.add(at, found, "hole" if index else "outer", self.polygons)
        self.polygons += bool(rings)

    def _error(self, place: str, what: str) -> ReadError:
        return ReadError(f"{self.name}: {place}: {what}", code="bad-geojson", hint=_RULES)
