"""Rings of points as the readers of polygons gather them: checked, in one plane, at one height, grouped in polygons.

Tests: `tests/formats/section/test_json.py`.
"""

from __future__ import annotations

from collections import Counter

from massprops.errors import InvalidInput, ReadError, Remedy
from massprops.findings import Finding, count_finding
from massprops.formats.text import as_utf8, quote, with_line_feeds
from massprops.mesh.source import InputFile
from massprops.moments.arrays import Array
from massprops.section.curves import Polyline
from massprops.section.rings import Closing, Ring, Role
from massprops.units import length_unit

#: Points of a ring among which three different ones are looked for before all others.
_FIRST = 16


def check_ring(name: str, ring: Ring, hint: str = "is the file cut off?") -> Ring:
    """A ring of points, known to be finite; ReadError (``too-few-points``) if fewer than three of them are different."""
    if (count := _count_distinct(ring.curves[0].chords())) < 3:
        found = "1 point" if count == 1 else f"{count} different points"
        message = f"{name}: {ring.place}: the ring has {found}, it needs at least 3"
        raise ReadError(message, code="too-few-points", hint=hint)
    return ring


def known_unit(unit: str, what: str, hint: str | Remedy) -> str:
    """A length unit that a file states, in the words `what`; ReadError (``unknown-units``) if it is none."""
    if not is_length_unit(unit):
        message = f"{what} {quote(unit)}, which is no unit of length"
        raise ReadError(message, code="unknown-units", hint=hint)
    return unit


def is_length_unit(unit: str) -> bool:
    """Whether it is the name of a unit of length."""
    try:
        length_unit(unit)
    except InvalidInput:
        return False
    return True


def _count_distinct(points: Array) -> int:
    """The number of different points, counted up to three."""
    if len(points) > _FIRST and _count_distinct(points[:_FIRST]) == 3:
        return 3
    count = 0
    while len(points) and count < 3:
        count += 1
        points = points[(points != points[0]).any(axis=1)]
    return count


def utf8_of(file: InputFile) -> bytes:
    """The whole text of a file in UTF-8, lines ended by LF."""
    file.stream.seek(0)
    return with_line_feeds(as_utf8(file.stream.read()))


class RingsReader:
    """Rings read so far, and the checks that every format shares.

    Attributes
    ----------
    rings : list of Ring
    polygons : int
        How many polygons were begun and ended.
    skipped : Counter
        Geometries without area, by kind.
    height : float or None
        The third coordinate of all points, where they have one.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.rings: list[Ring] = []
        self.polygons = 0
        self.skipped: Counter[str] = Counter()
        self.height: float | None = None

    def add(
        self, place: str, points: Array, role: Role | None, polygon: int | None, closing: Closing | None = None
    ) -> None:
        """A ring of points, shape (n, 2) or (n, 3). Without `closing` the format repeats the first point at the end, if it is closed.

        Raises
        ------
        ReadError
            Code ``mixed-dimensions``, ``not-plane`` or ``too-few-points``.
        """
        flat = self._flattened(place, points)
        closing = closing or ("closed" if (flat[0] == flat[-1]).all() else "implied")
        self.rings.append(check_ring(self.name, Ring((Polyline(flat),), place, closing, role=role, polygon=polygon)))

    def _flattened(self, place: str, points: Array) -> Array:
        """A figure in the plane may lie at any height, but at one."""
        has_height = points.shape[1] == 3
        if has_height != (self.height is not None) and (self.rings or not has_height):
            what = f"{self.name}: {place}: some rings have points of two numbers and others of three"
            raise ReadError(what, code="mixed-dimensions", hint="export it in the plane")
        if not has_height:
            return points
        self.height = float(points[0, 2]) if self.height is None else self.height
        other = points[points[:, 2] != self.height, 2]
        if len(other):
            what = "the figure does not lie in a plane z = const: there are the heights"
            what += f" {self.height!r} and {float(other[0])!r}"
            hint = "project it on the plane before the export, or export a closed mesh"
            raise ReadError(f"{self.name}: {place}: {what}", code="not-plane", hint=hint)
        return points[:, :2]

    def findings(self) -> list[Finding]:
        """Heights and geometries that were left out."""
        height = f"all points have the height z = {self.height!r}, which was left out"
        skipped = f"geometries without area were left out: {list_counts(self.skipped)}"
        found = [] if self.height is None else [Finding("height-left-out", "info", height)]
        return found + count_finding(self.skipped.total(), "skipped-geometry", "info", skipped)


def list_counts(kinds: Counter[str]) -> str:
    """``2 Point, 1 LineString``; empty where there are none."""
    return ", ".join(f"{count} {kind}" for kind, count in kinds.items())
