"""The words of a result: what was integrated (method), and how far that is known to be the body (grade).

Tests: `tests/mesh/test_random_meshes.py`.
"""

from __future__ import annotations

from typing import Literal, get_args

Method = Literal["exact", "hull", "shell", "wall", "infill", "lamina", "extrusion"]


#: What is measured as a sheet without thickness: its measure is an area, its density a mass per area.
SHEETS: tuple[Method, ...] = ("shell", "lamina")


Grade = Literal["proved", "certified", "closed", "repaired", "estimated", "unverified"]
#: Grades of a surface that was measured as it is, and is closed.
SOUND: tuple[Grade, ...] = ("proved", "certified", "closed")


def worst(*grades: Grade) -> Grade:
    """The grade of several bodies together: that of the one that is known least."""
    return max(grades, key=get_args(Grade).index)


#: What a surface is measured as: the solid inside it, the surface as a thin sheet, or a wall inside it.
MeasuredAs = Literal["solid", "sheet", "wall"]
#: How far a surface that is refused as it is may be repaired.
Repair = Literal["none", "safe", "full"]
#: What a repair of facets is reported as.
REPAIR_CODES = {
    "drop": "dropped-facets",
    "flip": "flipped-facets",
    "weld": "welded-vertices",
    "split": "split-edges",
    "fill": "filled-holes",
}
