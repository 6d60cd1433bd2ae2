"""Rings of curves, as a plane file has them: what its reader returns.

Tests: `tests/measurement/test_section.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from massprops.findings import Finding
from massprops.section.curves import Curve

Closing = Literal["closed", "implied", "open"]
Role = Literal["outer", "hole"]
Fill = Literal["evenodd", "nonzero"]


@dataclass(frozen=True)
class Request:
    """Settings of the caller that change how a file is read.

    Attributes
    ----------
    units : str or None
        The length unit that the caller states for the coordinates; where it is given, degrees are not suspected.
    layers : sequence of str
        Layers to read; empty: all. A reader with layers may skip what lies on others; it is filtered afterwards in any case.
    """

    units: str | None = None
    layers: Sequence[str] = ()


@dataclass(frozen=True, eq=False)
class Ring:
    """Curves end to end, run through as the file has them.

    Attributes
    ----------
    curves : tuple of Curve
        At least one. Each begins where the one before ends, bit for bit where the file says so.
    place : str
        Where it is in the file, for messages: ``line 3``, ``LWPOLYLINE #2F``, ``path 'outline'``.
    closing : {"closed", "implied", "open"}
        `closed`: the format says that a straight edge leads from the last point back to the first, if they are not the same already
        (polygons, lists of points, a closed flag, whole circles). `implied`: the format means a closed outline but leaves a gap
        (the trailing edge of an airfoil, an SVG path that is filled without Z); the gap is closed with a straight edge, and
        remarked on. `open`: a loose piece; its ends are looked for among the other pieces.
    layer : str
        The layer, group or element that it belongs to, where the format has such.
    role : {"outer", "hole"} or None
        What the file says that it is; None: nesting decides.
    polygon : int or None
        Which polygon of the file it belongs to, where the file groups its rings.
    fill : {"evenodd", "nonzero"} or None
        The rule by which the file fills its polygon.
    width : float
        Constant width that the file gives the line itself, in its units; 0 for none.
    """

    curves: tuple[Curve, ...]
    place: str
    closing: Closing = "closed"
    layer: str = ""
    role: Role | None = None
    polygon: int | None = None
    fill: Fill | None = None
    width: float = 0.0


@dataclass
class PlanarSource:
    """The rings of one file.

    Attributes
    ----------
    name, format, encoding : str
        The file as the user wrote it; `csv`, `dxf` …; `ascii`, `binary` …
    rings : list of Ring
        In the order of the file, in its own units, x to the right and y up (a reader of a format whose y points down mirrors it,
        with a finding). Every coordinate is finite. Not empty: a file without any ring is refused by its reader.
    unit : str or None
        The length unit that the file itself states (`mm`).
    findings : list of Finding
        What the reader noticed.
    painted : bool
        Whether polygons are painted one over the other, so that one within another is no hole.
    sha256 : str or None
        Of the bytes that were read, where that was asked for.
    """

    name: str
    format: str
    encoding: str
    rings: list[Ring]
    unit: str | None = None
    findings: list[Finding] = field(default_factory=list)
    painted: bool = False
    sha256: str | None = None
