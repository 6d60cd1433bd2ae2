"""What is asked of one plane file, and how its places and refusals are worded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from massprops.errors import InvalidGeometry
from massprops.findings import Finding
from massprops.moments.integrals import Array
from massprops.section.topology import Rule


@dataclass(frozen=True)
class Drawing:
    """What is asked of a file: its name and unit for messages, the rule for insides, and how far apart ends may be that meet.

    Attributes
    ----------
    name : str
    scale : float
        The length unit of the file in metres.
    size : float
        The longest side of the drawing's bounds, in units of the file.
    rule : {"evenodd", "nonzero", "orientation"}
    gap : float or None
        In units of the file.
    """

    name: str
    scale: float
    size: float
    rule: Rule
    gap: float | None = None

    def at(self, point: Sequence[float] | Array) -> tuple[float, ...]:
        """A point in metres."""
        return tuple(float(x) * self.scale for x in point)

    def shown(self, point: Sequence[float] | Array) -> str:
        """A point in metres, as messages show it."""
        return "(" + ", ".join(f"{x:.6g}" for x in self.at(point)) + ")"

    def refusal(
        self, code: str, message: str, hint: str, where: Sequence[float] | Array | None = None
    ) -> InvalidGeometry:
        """The error that says that there is no section."""
        finding = Finding(code, "error", message, where=None if where is None else self.at(where))
        return InvalidGeometry(f"{self.name}: {code}: {message}", code=code, hint=hint, findings=[finding])
