"""Plane curves that are integrated as what they are: `Polyline`, `EllipticArc`, `Bezier`, and `nurbs`, which gives Béziers."""

from massprops.section.curves.arc import EllipticArc
from massprops.section.curves.base import (
    Curve,
    Polyline,
    Slivers,
    box,
    polygon_moments,
    ring_moments,
    sliver_moments,
    stretches,
    sweep,
)
from massprops.section.curves.bezier import Bezier, nurbs

__all__ = ["Bezier", "Curve", "EllipticArc", "Polyline", "Slivers", "box", "nurbs"]
__all__ += ["polygon_moments", "ring_moments", "sliver_moments", "stretches", "sweep"]
