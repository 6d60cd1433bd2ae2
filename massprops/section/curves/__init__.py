"""Plane curves that are integrated as what they are: `Polyline`, `EllipticArc`, `Bezier`, and `nurbs`, which gives Béziers."""

from massprops.section.curves.arc import EllipticArc
from massprops.section.curves.base import Curve, Polyline, Slivers, polygon_moments, sliver_moments, swept_moments
from massprops.section.curves.bezier import Bezier, nurbs

__all__ = [
    "Bezier",
    "Curve",
    "EllipticArc",
    "Polyline",
    "Slivers",
    "nurbs",
    "polygon_moments",
    "sliver_moments",
    "swept_moments",
]
