"""Entities of a DXF drawing as curves in the plane, none of them flattened.

Entities are ezdxf's; what is used of them are attributes alone, so that ezdxf is imported by nobody but `dxf`. Curves are in the
coordinates of the entity's own block or layout, seen from above. Source: Autodesk, "DXF Reference", AutoCAD 2012 and R12.

Tests: `tests/formats/section/test_dxf.py`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from massprops.errors import InvalidInput
from massprops.section.curves import Curve, EllipticArc, Polyline, nurbs
from massprops.section.curves.arc import TURN

#: CAD programs draw degrees up to 11, or 25.
_HIGHEST, _MOST_KNOTS = 25, 60_000
#: Directions of extrusion this near to the vertical are rounding.
_UPRIGHT = 1e-9
_MIRRORED = ((-1.0, 0.0, 0.0), (0.0, 1.0, 0.0))


class BadEntity(ValueError):
    """An entity breaks a rule; its text says which, and the caller says where."""


@dataclass(frozen=True)
class Piece:
    """Curves end to end; `closed` where a straight edge leads back to the start."""

    curves: tuple[Curve, ...]
    closed: bool

    def is_line_and_back(self) -> bool:
        """Whether it is closed and has two different points alone, as some programs draw a line."""
        first = self.curves[0]
        alone = self.closed and len(self.curves) == 1 and isinstance(first, Polyline)
        return alone and len(np.unique(first.chords(), axis=0)) < 3


def pieces_of(entity: Any) -> list[Piece]:
    """Curves that an entity draws; `OUTLINES` and `FILLED` list the types of entities.

    Raises
    ------
    BadEntity
        It is damaged, or does not lie in a plane parallel to xy.
    """
    try:
        found = (OUTLINES.get(entity.dxftype()) or FILLED[entity.dxftype()])(entity)
    except InvalidInput as error:
        raise BadEntity(str(error)) from error
    for piece in found:
        if not all(np.isfinite(curve.defining_points).all() for curve in piece.curves):
            raise BadEntity("a coordinate is not finite")
    return [piece for piece in found if piece.curves]


def width_of(polyline: Any) -> float:
    """The width of a polyline, where it is the same all along; 0 where it varies."""
    if polyline.dxftype() == "LWPOLYLINE":
        common = polyline.dxf.get("const_width", 0.0)
        widths = {w for point in polyline.get_points("se") for w in point}
    else:
        default = [polyline.dxf.get(f"default_{end}_width", 0.0) for end in ("start", "end")]
        common = default[0] if default[0] == default[1] else math.nan
        widths = {v.dxf.get(f"{end}_width", 0.0) for v in polyline.vertices for end in ("start", "end")}
    width = float(common) if widths <= {0.0} else float(widths.pop()) if len(widths) == 1 else 0.0
    return width if 0 < width < math.inf else 0.0


def _line(entity: Any) -> list[Piece]:
    points = [entity.dxf.start, entity.dxf.end]
    _level([p.z for p in points])
    ends = np.array([(p.x, p.y) for p in points])
    return [Piece((Polyline(ends),), closed=False)] if (ends[0] != ends[1]).any() else []


def _circle(entity: Any) -> list[Piece]:
    c = entity.dxf.center
    return _upright(entity, [EllipticArc.circle((c.x, c.y), _positive("radius", entity.dxf.radius))], closed=True)


def _arc(entity: Any) -> list[Piece]:
    c, begin = entity.dxf.center, entity.dxf.start_angle
    sweep = math.radians((entity.dxf.end_angle - begin) % 360 or 360)
    arc = EllipticArc.circular((c.x, c.y), _positive("radius", entity.dxf.radius), math.radians(begin), sweep)
    return _upright(entity, [arc], closed=arc.whole)


def _ellipse(entity: Any) -> list[Piece]:
    c, major, ratio = entity.dxf.center, entity.dxf.major_axis, _positive("ratio", entity.dxf.ratio)
    _level([0.0, major.z])
    up = _side(entity)  # seen from above, an ellipse drawn from below turns clockwise
    _positive("major axis", math.hypot(major.x, major.y))
    begin = entity.dxf.start_param
    sweep = (entity.dxf.end_param - begin) % TURN
    if sweep < 1e-9 or TURN - sweep < 1e-9:  # written to ten digits, a whole ellipse is not a whole turn
        sweep = TURN
    minor = np.array([-major.y, major.x]) * (ratio * up)
    arc = EllipticArc(np.array([c.x, c.y]), np.array([major.x, major.y]), minor, begin, sweep)
    return [Piece((arc,), arc.whole)]


def _lwpolyline(entity: Any) -> list[Piece]:
    return _upright(entity, *_bulged(entity.get_points("xyb"), bool(entity.closed)))


def _polyline(entity: Any) -> list[Piece]:
    if entity.is_3d_polyline:
        _level([v.dxf.location.z for v in entity.vertices])
    drawn = [v for v in entity.vertices if not v.dxf.get("flags", 0) & 16]  # 16: control points, not on the curve
    flat = entity.is_3d_polyline  # it has no bulges and no plane of its own
    points = [(v.dxf.location.x, v.dxf.location.y, 0.0 if flat else v.dxf.get("bulge", 0.0)) for v in drawn]
    curves, closed = _bulged(points, bool(entity.is_closed))
    return [Piece(tuple(curves), closed)] if flat else _upright(entity, curves, closed)


def _spline(entity: Any) -> list[Piece]:
    if not len(entity.control_points):
        what = "the spline has fit points alone, between which every program draws another curve"
        raise BadEntity(what if len(entity.fit_points) else "the spline has no control points")
    points = np.array(entity.control_points, dtype=np.float64).reshape(-1, 3)
    _level(points[:, 2])
    return _nurbs(entity.dxf.degree, entity.knots, points[:, :2], entity.weights)


def _nurbs(degree: int, knots: Sequence[float], points: ArrayLike, weights: Sequence[float]) -> list[Piece]:
    numbers = [np.asarray(x, dtype=np.float64) for x in (knots, points, weights)]
    if not all(np.isfinite(x).all() for x in numbers):
        raise BadEntity("a number of the spline is not finite")
    if not 1 <= degree <= _HIGHEST or len(numbers[0]) > _MOST_KNOTS:
        size = f"a spline of degree {degree} with {len(numbers[0])} knots"
        raise BadEntity(f"{size} is more than is read; split it in the drawing")
    curves = nurbs(degree, numbers[0], numbers[1], numbers[2] if len(numbers[2]) else None)
    return [Piece(tuple(curves), bool((curves[0].start == curves[-1].end).all()))]


def _solid(entity: Any) -> list[Piece]:
    """Three or four corners, of which the last two are crossed over."""
    corners = [entity.dxf.get(f"vtx{i}") for i in (0, 1, 3, 2)]
    points = [(c.x, c.y, 0.0) for c in corners if c is not None]
    return _upright(entity, *_bulged(points, closed=True))


def _hatch(entity: Any) -> list[Piece]:
    found: list[Piece] = []
    for path in entity.paths:
        if hasattr(path, "vertices"):
            found += _upright(entity, *_bulged([tuple(v) for v in path.vertices], bool(path.is_closed)))
        else:
            found += [piece for edge in path.edges for piece in _edge(entity, edge)]
    return found


def _edge(entity: Any, edge: Any) -> list[Piece]:
    """An edge of a hatch, a loose piece: the next one begins where it ends, but for rounding."""
    kind = type(edge).__name__
    if kind == "LineEdge":
        return _upright(entity, *_bulged([(p.x, p.y, 0.0) for p in (edge.start, edge.end)], closed=False))
    if kind == "SplineEdge":
        (piece,) = _nurbs(edge.degree, edge.knot_values, [(p.x, p.y) for p in edge.control_points], edge.weights)
        return _upright(entity, piece.curves, piece.closed)
    center = (edge.center.x, edge.center.y)
    if kind == "ArcEdge":
        begin, end = math.radians(edge.start_angle), math.radians(edge.end_angle)
        arc = EllipticArc.circular(center, _positive("radius", edge.radius), begin, (end - begin) % TURN or TURN)
    else:
        major, sweep = (edge.major_axis.x, edge.major_axis.y), (edge.end_param - edge.start_param) % TURN or TURN
        arc = EllipticArc.elliptic(center, major, _positive("ratio", edge.ratio), edge.start_param, sweep)
    return _upright(entity, [arc if edge.ccw else arc.reversed()], closed=arc.whole)


def _bulged(points: Sequence[Sequence[float]], closed: bool) -> tuple[list[Curve], bool]:
    """Curves through points (x, y, bulge), the bulge that of the edge to the next point; and whether they are closed."""
    if not points:
        return [], False
    ends = [*points, points[0]] if closed and tuple(points[0][:2]) != tuple(points[-1][:2]) else list(points)
    curves: list[Curve] = []
    straight = [tuple(ends[0][:2])]
    for (x, y, bulge), (nx, ny, *_) in itertools.pairwise(ends):
        if bulge == 0 or (x, y) == (nx, ny):
            straight.append((nx, ny))
            continue
        if not math.isfinite(bulge):
            raise BadEntity(f"a bulge is {bulge!r}")
        curves += [Polyline(np.array(straight))] if len(straight) > 1 else []
        curves.append(EllipticArc.bulge((x, y), (nx, ny), bulge))
        straight = [(nx, ny)]
    curves += [Polyline(np.array(straight))] if len(straight) > 1 else []
    return curves, closed or (len(points) > 1 and tuple(points[0][:2]) == tuple(points[-1][:2]))


def _upright(entity: Any, curves: Iterable[Curve], closed: bool) -> list[Piece]:
    """Curves in the entity's own coordinates (OCS), seen from above: mirrored where the entity is drawn from below."""
    if _side(entity) < 0:
        curves = [curve.transformed(_MIRRORED) for curve in curves]
    return [Piece(tuple(curves), closed)]


def _side(entity: Any) -> int:
    """1 for an entity seen from above, −1 for one drawn from below."""
    n = entity.dxf.get("extrusion", None)
    if n is None:
        return 1
    if math.hypot(n.x, n.y) > _UPRIGHT * abs(n.z):
        raise BadEntity(f"it is tilted: its plane looks along ({n.x:.6g}, {n.y:.6g}, {n.z:.6g})")
    return 1 if n.z > 0 else -1


def _level(heights: ArrayLike) -> None:
    z = np.asarray(heights, dtype=np.float64)
    if len(z) and (z != z[0]).any():
        raise BadEntity(f"it does not lie in one plane: its points have heights from {z.min():.6g} to {z.max():.6g}")


def _positive(name: str, value: float) -> float:
    if not 0 < value < math.inf:
        raise BadEntity(f"its {name} is {value!r}, which is not positive")
    return value


#: Entities that are outlines.
OUTLINES: dict[str, Callable[[Any], list[Piece]]] = {
    "LINE": _line,
    "CIRCLE": _circle,
    "ARC": _arc,
    "ELLIPSE": _ellipse,
    "LWPOLYLINE": _lwpolyline,
    "POLYLINE": _polyline,
    "SPLINE": _spline,
}
#: Entities that fill an area, whose outline is usually drawn as well.
FILLED: dict[str, Callable[[Any], list[Piece]]] = {
    **dict.fromkeys(("HATCH", "MPOLYGON"), _hatch),
    **dict.fromkeys(("SOLID", "TRACE"), _solid),
}
