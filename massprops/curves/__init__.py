"""Plane curves that are integrated as what they are: `Polyline`, `EllipticArc`, `Bezier`, and `nurbs`, which gives Béziers."""

from massprops.curves.arc import EllipticArc
from massprops.curves.base import Curve, Slivers, polygon_moments, sliver_moments, swept_moments
from massprops.curves.bezier import Bezier
from massprops.curves.nurbs import nurbs
from massprops.curves.polyline import Polyline

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
