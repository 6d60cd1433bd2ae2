"""Changes between two bodies: numbers with their tolerances; the motion, mirror image or scale that explains them; findings."""

from massprops.comparison.compared_body import ComparedBody, read_bodies
from massprops.comparison.comparison import BodyRelation, Change, Comparison, Tolerances, compare, recognise

__all__ = ["BodyRelation", "Change", "ComparedBody", "Comparison", "Tolerances", "compare", "read_bodies", "recognise"]
