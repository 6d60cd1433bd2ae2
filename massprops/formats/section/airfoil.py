"""Airfoils as `.dat` files: Selig's order and Lednicer's, distinguished by their content.

Selig: a name, then the outline from the trailing edge over the upper side to the leading edge and back along the lower side.
Lednicer: a name, the numbers of points of the two sides, then the upper and the lower side, each from the leading edge to
the trailing edge. The name may be missing. Coordinates are in chords. Source: the UIUC Airfoil Coordinates Database, which
has both.
"""

from __future__ import annotations

import math

import numpy as np

from massprops.errors import ReadError
from massprops.findings import Finding
from massprops.formats.section.point_rows import Rings, read_rows
from massprops.formats.section.point_tables import read_header
from massprops.formats.section.rings_reader import check_ring, utf8_of
from massprops.formats.text import quote
from massprops.mesh.source import InputFile
from massprops.moments.arrays import Array
from massprops.section.curves import Polyline
from massprops.section.rings import PlanarSource, Request, Ring

_NO_DIGITS = bytes(set(range(256)) - set(b"0123456789"))
_CUT_OFF = "is the file cut off?"


def read(file: InputFile, request: Request) -> PlanarSource:  # noqa: ARG001  # there is nothing to choose
    """Outline of an airfoil; a blunt trailing edge is closed with a straight edge, and remarked on where the outline is closed.

    Raises
    ------
    ReadError
        With the line: codes ``bad-number``, ``bad-point``, ``stray-text``, ``no-points``, ``too-few-points``,
        ``point-count``, ``several-outlines``.
    """
    text, findings = _without_footer(utf8_of(file))
    header = read_header(file.name, text)
    rings = read_rows(file.name, text[header.end :], header.lines + 1, header.columns, header.dividing)
    if not rings:
        raise ReadError(f"{file.name}: the file holds no points", code="no-points", hint=_CUT_OFF)
    line, points = rings[0]
    counts = _counts(rings)
    if counts is not None:
        points = _lednicer(f"{file.name}:{line}", counts, np.concatenate([ring for _, ring in rings])[1:])
    elif len(rings) > 1:
        what = "the points stop at a blank line and go on here, but an airfoil has one outline"
        raise ReadError(f"{file.name}:{rings[1][0]}: {what}", code="several-outlines", hint="take the blank line out")
    ring = check_ring(file.name, Ring((Polyline(points),), f"line {line}", "implied"))
    if counts:
        order = "the sides are in Lednicer's order: the upper one was turned round"
        findings.append(Finding("airfoil-order", "info", order))
    return PlanarSource(file.name, "dat", "ascii", [ring], unit=header.unit, findings=findings)


def _without_footer(text: bytes) -> tuple[bytes, list[Finding]]:
    """The text up to its last line with a digit in it; below it stands, here and there, where the file comes from."""
    digit = len(text.rstrip(_NO_DIGITS)) - 1
    end = text.find(b"\n", digit) + 1 if digit >= 0 else 0
    footer = text[end:].strip() if end else b""
    if not footer:
        return text, []
    line = text.count(b"\n", 0, text.index(footer, end)) + 1
    what = f"text below the last point was left out: {quote(footer.decode('utf-8', errors='replace'))}"
    return text[:end], [Finding("trailing-text", "info", what, where=f"line {line}")]


def _counts(rings: Rings) -> tuple[int, int] | None:
    """The numbers of points that a Lednicer file begins with: whole, and too large for a point of an airfoil in chords.

    An outline in millimetres may begin with whole numbers too; counts are followed by a blank line, or fit the file.
    """
    upper, lower = rings[0][1][0]
    if not (upper >= 2 and lower >= 2 and upper == math.floor(upper) and lower == math.floor(lower)):
        return None
    points = sum(len(ring) for _, ring in rings) - 1
    alone = len(rings[0][1]) == 1
    return (int(upper), int(lower)) if alone or points == upper + lower else None


def _lednicer(place: str, counts: tuple[int, int], points: Array) -> Array:
    """Outline from the trailing edge over the upper side and back: the leading edge is there once."""
    upper, lower = counts
    if len(points) != upper + lower:
        what = f"the file promises {upper} + {lower} points but has {len(points)}"
        raise ReadError(f"{place}: {what}", code="point-count", hint=_CUT_OFF)
    front, back = points[:upper][::-1], points[upper:]
    return np.concatenate([front, back[1:] if (front[-1] == back[0]).all() else back])
