"""Rings of points, checked: what every reader of point lists shares."""

from __future__ import annotations

from massprops.errors import ReadError
from massprops.formats.text import as_utf8, with_line_feeds
from massprops.mesh.source import InputFile
from massprops.moments.arrays import Array
from massprops.section.curves import Polyline
from massprops.section.rings import Closing, Ring, Role


def outline(
    name: str,
    place: str,
    points: Array,
    *,
    closing: Closing = "closed",
    role: Role | None = None,
    polygon: int | None = None,
    hint: str = "",
) -> Ring:
    """A ring of points, shape (n, 2), that are known to be finite.

    Raises
    ------
    ReadError
        Code ``too-few-points``: fewer than three different points.
    """
    if (count := _distinct(points)) < 3:
        found = "1 point" if count == 1 else f"{count} different points"
        message = f"{name}: {place}: the ring has {found}, it needs at least 3"
        raise ReadError(message, code="too-few-points", hint=hint or "is the file cut off?")
    return Ring((Polyline(points),), place, closing, role=role, polygon=polygon)


def _distinct(points: Array) -> int:
    """The number of different points, counted up to three."""
    count = 0
    while len(points) and count < 3:
        count += 1
        points = points[(points != points[0]).any(axis=1)]
    return count


def utf8_of(file: InputFile) -> bytes:
    """The whole text of a file in UTF-8, lines ended by LF."""
    file.stream.seek(0)
    return with_line_feeds(as_utf8(file.stream.read()))
