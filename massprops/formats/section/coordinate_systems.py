"""Coordinate reference systems of map files: whether the numbers are lengths or degrees.

Tests: `tests/formats/section/test_json.py`.
"""

from __future__ import annotations

import re

from massprops.errors import ReadError, Remedy

#: EPSG codes in this range are geographic: latitudes and longitudes. (A few are not; `--units` says so.)
_GEOGRAPHIC = range(4001, 5000)
#: UTM zones of WGS 84 and ETRS89, and Europe's equal-area projection: transverse, true to scale within 0.04 % inside a zone, in metres.
_METRES = frozenset({*range(32601, 32661), *range(32701, 32761), *range(25828, 25839), 3035})
#: Web Mercator.
_MERCATOR = frozenset({3857, 3785, 3395, 900913, 102100, 102113})

#: RFC 7946: longitudes are degrees from −180 to 180.
_HALF_TURN = 180.0

_PROJECT = Remedy("project it to an equal-area system in metres first, or say {} if these are lengths", "units")


def unit_of(name: str, place: str, epsg: int | None, given: str | None, largest: float = 0.0) -> str | None:
    """The length unit that the system `epsg` states; None where it states none, and the caller has `given` one.

    `epsg` None is the degrees of WGS 84. `largest` is the size of the largest coordinate: degrees go to 180.

    Raises
    ------
    ReadError
        Code ``degrees``, ``not-true-to-scale`` or ``unknown-units``.
    """
    if epsg in _METRES:
        return "m"
    if given is not None:
        return None
    if epsg is None or epsg in _GEOGRAPHIC:
        system = "WGS 84" if epsg is None else f"EPSG:{epsg}"
        if largest > _HALF_TURN:
            what = f"coordinates would be degrees ({system}), up to 180, and here is one of {largest:.6g}"
            hint = Remedy("say {} if these are lengths", "units")
            raise ReadError(f"{name}: {place}: {what}", code="unknown-units", hint=hint)
        message = f"{name}: {place}: the coordinates are degrees ({system}), not lengths"
        raise ReadError(message, code="degrees", hint=_PROJECT)
    if epsg in _MERCATOR:
        message = f"{name}: {place}: the coordinates are in a Mercator projection (EPSG:{epsg}), which stretches areas"
        raise ReadError(message, code="not-true-to-scale", hint=_PROJECT)
    message = f"{name}: {place}: the length unit of the reference system EPSG:{epsg} is not known here"
    raise ReadError(message, code="unknown-units", hint=Remedy("say {}", "units"))


def epsg_of(text: str) -> int | None:
    """The EPSG number in the name of a reference system; None for CRS84 and for a name that has none."""
    match = re.search(r"EPSG:.*?(\d{1,7})\Z", text.strip(), re.IGNORECASE)
    return None if match is None else int(match[1])
