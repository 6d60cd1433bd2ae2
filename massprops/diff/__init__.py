"""What changed between two bodies: their numbers, judged; the motion, mirror image or scale that explains the change; findings."""

from massprops.diff.compared_body import ComparedBody, read_bodies
from massprops.diff.comparison import BodyRelation, Change, Comparison, Tolerances, changes, compare, recognise

__all__ = [
    "BodyRelation",
    "Change",
    "ComparedBody",
    "Comparison",
    "Tolerances",
    "changes",
    "compare",
    "read_bodies",
    "recognise",
]
