"""Changes between two bodies: numbers with their tolerances; the motion, mirror image or scale that explains them; findings.

`massprops.diff(…)` is `massprops.diff.comparison.diff`.
"""

from massprops.diff.compared_body import ComparedBody, read_bodies
from massprops.diff.comparison import BodyRelation, Change, Comparison, Tolerances, compare, recognise
from massprops.values import callable_room

__all__ = ["BodyRelation", "Change", "ComparedBody", "Comparison", "Tolerances", "compare", "read_bodies", "recognise"]

callable_room(__name__, f"{__name__}.comparison")
