"""Plain JSON: a list of points, a list of rings, or an object with `outer` and `holes`; GeoJSON is recognised by its `type`.

[[0, 0], [2, 0], [2, 1]]
[[[0, 0], [2, 0], [2, 1]], [[5, 0], [6, 0], [6, 1]]]
{"outer": [[0, 0], [2, 0], [2, 1]], "holes": [[[1, 0.1], [1.5, 0.1], [1.5, 0.2]]], "units": "mm"}

Tests: `tests/formats/section/test_json.py`.
"""

from __future__ import annotations

from typing import Any

from massprops.errors import ReadError
from massprops.formats.section import geojson
from massprops.formats.section.rings_reader import RingsReader, known_unit, utf8_of
from massprops.formats.strict_json import load, points
from massprops.formats.text import quote
from massprops.mesh.source import InputFile
from massprops.section.rings import PlanarSource, Request, Role

_KEYS = ("outer", "holes", "units", "name")
_FORMS = 'a plane figure in JSON is [[x, y], …], {"outer": [[x, y], …], "holes": […]} or GeoJSON'


def read(file: InputFile, request: Request) -> PlanarSource:
    """Rings of a JSON file.

    Raises
    ------
    ReadError
        Codes ``bad-json``, ``bad-point``, ``bad-number``, ``bad-figure``, ``mixed-dimensions``, ``not-plane``,
        ``too-few-points``, ``unknown-units``; those of `geojson`.
    """
    value = load(file.name, utf8_of(file))
    if isinstance(value, dict) and "type" in value:
        return geojson.source_of(file.name, "json", value, request)
    reader = _FigureReader(file.name)
    unit = None
    if isinstance(value, dict):
        unit = reader.figure(value)
    elif isinstance(value, list) and isinstance(first := next(iter(value), None), list) and list in map(type, first):
        for index, ring in enumerate(value):
            reader.ring(f"[{index}]", ring)
    else:
        reader.ring("the list", value)
    return PlanarSource(file.name, "json", "ascii", reader.rings, unit=unit, findings=reader.findings())


class _FigureReader(RingsReader):
    def figure(self, value: dict[str, Any]) -> str | None:
        """Reads an object with `outer` and `holes`; returns its unit."""
        strange = next((key for key in value if key not in _KEYS), None)
        if strange is not None or "outer" not in value:
            what = "no key 'outer'" if strange is None else f"the key {quote(strange)} is not known"
            raise ReadError(f"{self.name}: {what}", code="bad-figure", hint=_FORMS)
        self.ring("outer", value["outer"], "outer")
        holes = value.get("holes", [])
        if not isinstance(holes, list):
            raise ReadError(f"{self.name}: 'holes' is no list of rings", code="bad-figure", hint=_FORMS)
        for index, hole in enumerate(holes):
            self.ring(f"holes[{index}]", hole, "hole")
        unit = value.get("units")
        what, hint = f"{self.name}: 'units' is", "for example mm"
        return None if unit is None else known_unit(str(unit), what, hint)

    def ring(self, place: str, value: Any, role: Role | None = None) -> None:
        found = points(self.name, place, value)
        self.add(place, found, role, None if role is None else 0, "closed")
