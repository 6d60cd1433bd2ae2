"""What changed between two bodies: their numbers, judged; the motion, mirror image or scale that explains the change; findings."""

from massprops.diff.comparison import Change, Comparison, Relation, Tolerances, changes, compare, recognise
from massprops.diff.subjects import Side, sides_of

__all__ = ["Change", "Comparison", "Relation", "Side", "Tolerances", "changes", "compare", "recognise", "sides_of"]
