"""The words of a result: what was integrated (method), and how far that is known to be the body (grade)."""

from __future__ import annotations

from typing import Literal

Method = Literal["exact", "hull", "shell", "lamina", "extrusion"]


#: What is measured as a sheet without thickness: its measure is an area, its density a mass per area.
SHEETS: tuple[Method, ...] = ("shell", "lamina")


Grade = Literal["certified", "closed", "repaired", "estimated", "unverified"]
