"""Mass budgets of assemblies, in the terms of ANSI/AIAA S-120A-2015, Mass Properties Control for Space Systems.

The basic mass of an item is that of the current design, without allowances; its mass growth allowance (MGA) is the growth that is expected
of a design of its maturity; predicted mass = basic mass + MGA; mass margin = mass limit − predicted mass. An allowance is taken to be
distributed as the item's own mass: the predicted body is the basic one, at the same place, times 1 + growth.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from massprops.findings import Finding
from massprops.formats.bodies import NamedBody
from massprops.json_values import json_object
from massprops.moments.arrays import ByValue, sum_of
from massprops.rigid_body.as_json import numbers_dict
from massprops.rigid_body.mass_properties import MassProperties
from massprops.values import dataclass

#: Of a sum of masses: one that is at its limit does not exceed it.
_ROUNDING = 1e-12


def grow(body: MassProperties, share: float) -> MassProperties:
    """The body with a mass growth allowance of this share of its mass; its errors grow with it."""
    factor = 1.0 + share
    sources = {name: source.scaled(factor) for name, source in body.sources.items()}
    return MassProperties(factor * body.mass, body.com, factor * body.inertia, sources)


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


@dataclass(frozen=True, eq=False)
class BudgetLine(ByValue):
    """A line of a mass budget: a part, a group of parts, or the whole.

    Attributes
    ----------
    name : str
    basic, predicted : MassProperties
        Without and with the growth allowances, in the frame of the assembly.
    independent : float
        Growth if the items grow independently of each other, kg: the root of the sum of squares; those of one maturity class grow together.
    limit : float or None
        kg.
    group : str or None
        Of a part.
    """

    name: str
    basic: MassProperties
    predicted: MassProperties
    independent: float
    limit: float | None = None
    group: str | None = None

    @classmethod
    def of(cls, name: str, parts: Sequence[AssemblyPart], limit: float | None = None) -> BudgetLine:
        """Line of some parts together."""
        basic, predicted = sum_of(p.body.properties for p in parts), sum_of(p.predicted for p in parts)
        classes: dict[str | int, float] = {}
        for number, part in enumerate(parts):
            key = part.maturity or number
            classes[key] = classes.get(key, 0.0) + part.predicted.mass - part.body.properties.mass
        return cls(name, basic, predicted, math.hypot(*classes.values()), limit)

    @property
    def growth(self) -> float:
        """Mass growth allowance, kg, fully correlated: the sum of those of the items."""
        return self.predicted.mass - self.basic.mass

    @property
    def margin(self) -> float | None:
        """Mass margin, kg; None without a limit."""
        return None if self.limit is None else self.limit - self.predicted.mass

    def finding(self) -> Finding | None:
        """Finding that the predicted mass exceeds the limit; None if it does not."""
        if self.limit is None or self.predicted.mass <= self.limit * (1 + _ROUNDING):
            return None
        mass = self.predicted.mass
        over = f"exceeds its limit of {self.limit:.6g}\xa0kg by {mass - self.limit:.4g}\xa0kg"
        text = f"the predicted mass of {self.name}, {mass:.6g}\xa0kg, {over}"
        return Finding("mass-budget", "error", text, mass, self.limit)

    def to_dict(self) -> dict[str, object]:
        """The line as the JSON schema spells it."""
        numbers = json_object(self, "name group growth independent limit margin")
        return numbers | {"basic": numbers_dict(self.basic), "predicted": numbers_dict(self.predicted)}


@dataclass(frozen=True, eq=False)
class Budget(ByValue):
    """Mass budget: a line for each part, each group and the whole."""

    parts: tuple[BudgetLine, ...]
    groups: tuple[BudgetLine, ...]
    total: BudgetLine

    @classmethod
    def of(cls, name: str, parts: Sequence[AssemblyPart], limits: Mapping[str, float]) -> Budget:
        """Budget of some parts; the limit of the whole has the empty name."""
        lines = []
        for number, part in enumerate(parts, start=1):
            growth = part.predicted.mass - part.body.properties.mass
            named = part.body.name or f"part {number}"
            lines.append(BudgetLine(named, part.body.properties, part.predicted, growth, part.limit, part.group))
        names = dict.fromkeys(part.group for part in parts if part.group is not None)
        groups = (BudgetLine.of(g, [p for p in parts if p.group == g], limits.get(g)) for g in names)
        return cls(tuple(lines), tuple(groups), BudgetLine.of(name, parts, limits.get("")))

    def findings(self) -> list[Finding]:
        """Limits that are exceeded."""
        lines = (*self.parts, *self.groups, self.total)
        return [found for line in lines if (found := line.finding()) is not None]

    def to_dict(self) -> dict[str, object]:
        """The budget as the JSON schema spells it."""
        lines = {"parts": self.parts, "groups": self.groups}
        return {k: [x.to_dict() for x in v] for k, v in lines.items()} | {"total": self.total.to_dict()}
