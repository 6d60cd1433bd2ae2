"""Part of an assembly: its body, and what the mass budget needs to know of it.

Tests: `tests/measurement/test_assembly.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

from massprops.formats.bodies import NamedBody
from massprops.moments.arrays import ByValue
from massprops.rigid_body.as_json import numbers_dict
from massprops.rigid_body.mass_properties import MassProperties


@dataclass(frozen=True, eq=False)
class AssemblyPart(ByValue):
    """A part of an assembly, in the frame of the assembly.

    Attributes
    ----------
    body : NamedBody
        All copies of it as one rigid body; negative mass for a hole.
    count : int
        How many copies.
    grown : MassProperties or None
        The same with the mass growth allowance; None if it has none.
    maturity : str
        Its maturity class, whose parts grow together; empty if it has none.
    group : str or None
        The group of the mass budget that it is in.
    limit : float or None
        Mass limit, kg.
    """

    body: NamedBody
    count: int = 1
    grown: MassProperties | None = None
    maturity: str = ""
    group: str | None = None
    limit: float | None = None

    @property
    def predicted(self) -> MassProperties:
        """Body of all copies with the mass growth allowance."""
        return self.body.properties if self.grown is None else self.grown

    def to_dict(self) -> dict[str, object]:
        """The part as the JSON schema spells it."""
        return {
            "name": self.body.name,
            "path": self.body.path or None,
            "format": self.body.dialect,
            "count": self.count,
            **numbers_dict(self.body.properties),
        }
