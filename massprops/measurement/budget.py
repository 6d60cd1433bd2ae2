"""Mass budgets of assemblies, in the terms of ANSI/AIAA S-120A-2015, Mass Properties Control for Space Systems.

The basic mass of an item is that of the current design, without allowances; its mass growth allowance (MGA) is the growth that is expected
of a design of its maturity; predicted mass = basic mass + MGA; mass margin = mass limit − predicted mass. An allowance is taken to be
distributed as the item's own mass: the predicted body is the basic one, at the same place, times 1 + growth.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field

from massprops.findings import Finding
from massprops.formats.bodies import NamedBody
from massprops.frames import Pose
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


def place_copies(body: MassProperties, poses: Sequence[Pose], count: int = 1) -> MassProperties:
    """`count` copies of a body at each pose as one rigid body."""
    return sum_of(body.transformed(pose) for pose in poses).repeated(count)


@dataclass(frozen=True, eq=False)
class Allowances(ByValue):
    """Mass growth allowances of some items; additive.

    Attributes
    ----------
    by_class : mapping of str to float
        kg, of each maturity class: its items grow together.
    alone : float
        kg, of the items without a class, which grow independently: the root of the sum of squares.
    """

    by_class: Mapping[str, float]
    alone: float = 0.0

    @classmethod
    def of(cls, growth: float, maturity: str = "") -> Allowances:
        """Allowance of one item, kg."""
        return cls({maturity: growth}) if maturity else cls({}, abs(growth))

    def __add__(self, other: Allowances) -> Allowances:
        """Allowances of both."""
        names = {**self.by_class, **other.by_class}
        both = {name: self.by_class.get(name, 0.0) + other.by_class.get(name, 0.0) for name in names}
        return Allowances(both, math.hypot(self.alone, other.alone))

    def scaled(self, factor: float) -> Allowances:
        """Allowances of `factor` copies, which grow together."""
        return Allowances({name: factor * kg for name, kg in self.by_class.items()}, factor * self.alone)

    @property
    def independent(self) -> float:
        """Growth of all items, kg, if the classes grow independently of each other: the root of the sum of squares."""
        return math.hypot(self.alone, *self.by_class.values())


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
    inside : Budget or None
        Total and groups of an assembly whose parts have no common growth and group, in the frame of this one.
    steepest : float
        Of such an assembly: the largest growth of an item in it, as a share of its basic mass.
    item : object
        Identity in the mass budget: a hole has that of the part that it is cut from.
    """

    body: NamedBody
    count: int = 1
    grown: MassProperties | None = None
    maturity: str = ""
    group: str | None = None
    limit: float | None = None
    inside: Budget | None = None
    steepest: float = 0.0
    item: object = field(default_factory=object, compare=False, repr=False)

    @property
    def predicted(self) -> MassProperties:
        """Body of all copies with the mass growth allowance."""
        return self.body.properties if self.grown is None else self.grown

    @property
    def growth(self) -> float:
        """Mass growth allowance as a share of the basic mass."""
        return self.predicted.mass / self.body.properties.mass - 1.0

    @property
    def is_budgeted(self) -> bool:
        """Whether it states anything of a mass budget."""
        return bool(self.grown or self.maturity or self.group or self.limit or self.inside)

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
    """A line of a mass budget: a part with its holes, a group of parts, or the whole.

    Attributes
    ----------
    name : str
    basic, predicted : MassProperties
        Without and with the growth allowances, in the frame of the assembly.
    allowances : Allowances
        Growth by maturity class.
    limit : float or None
        kg.
    group : str or None
        Of a part.
    """

    name: str
    basic: MassProperties
    predicted: MassProperties
    allowances: Allowances
    limit: float | None = None
    group: str | None = None

    @classmethod
    def of_item(cls, name: str, host: AssemblyPart, *holes: AssemblyPart) -> BudgetLine:
        """Line of a part and the holes that are cut from it, which grow together."""
        basic, predicted = (
            sum_of(bodies) for bodies in zip(*((p.body.properties, p.predicted) for p in (host, *holes)), strict=True)
        )
        allowances = Allowances.of(predicted.mass - basic.mass, host.maturity)
        if host.inside is not None:
            allowances = host.inside.total.allowances
        return cls(host.body.name or name, basic, predicted, allowances, host.limit, host.group)

    @classmethod
    def of(cls, name: str, lines: Sequence[BudgetLine], limit: float | None = None) -> BudgetLine:
        """Line of some lines together."""
        basic, predicted, allowances = (
            sum_of(getattr(x, key) for x in lines) for key in ("basic", "predicted", "allowances")
        )
        return cls(name, basic, predicted, allowances, limit)

    @property
    def independent(self) -> float:
        """Growth if the items grow independently of each other, kg; those of one maturity class grow together."""
        return self.allowances.independent

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
        text = f"the predicted mass of {self.name or 'the whole'}, {mass:.6g}\xa0kg, {over}"
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
        """Budget of some parts, each with the holes that are cut from it; the limit of the whole has the empty name."""
        items: dict[object, list[tuple[int, AssemblyPart]]] = {}
        for number, part in enumerate(parts, start=1):
            items.setdefault(part.item, []).append((number, part))
        lines, grouped = [], dict[str, list[BudgetLine]]()
        for members in items.values():
            (number, host), *holes = sorted(members, key=lambda m: m[1].body.properties.mass < 0)
            lines.append(line := BudgetLine.of_item(f"part {number}", host, *(hole for _, hole in holes)))
            groups = [line] if host.group is not None else host.inside.groups if host.inside is not None else []
            for x in groups:
                grouped.setdefault(host.group or x.name, []).append(x)
        of_groups = (BudgetLine.of(g, of_group, limits.get(g)) for g, of_group in grouped.items())
        return cls(tuple(lines), tuple(of_groups), BudgetLine.of(name, lines, limits.get("")))

    @property
    def has_growth(self) -> bool:
        """Whether an item has a growth or a maturity class of its own."""
        return self.total.growth != 0 or bool(self.total.allowances.by_class)

    def inside(self, poses: Sequence[Pose], count: int, share: float = 0.0, maturity: str = "") -> Budget:
        """The groups and the total of `count` copies at each pose, in a part of another assembly; `share` is its growth."""

        def placed(line: BudgetLine) -> BudgetLine:
            basic, predicted = (place_copies(body, poses, count) for body in (line.basic, grow(line.predicted, share)))
            allowances = line.allowances.scaled(count * len(poses))
            if not self.has_growth:
                allowances = Allowances.of(predicted.mass - basic.mass, maturity)
            return BudgetLine(line.name, basic, predicted, allowances)

        return Budget((), tuple(map(placed, self.groups)), placed(self.total))

    def findings(self) -> list[Finding]:
        """Limits that are exceeded."""
        lines = (*self.parts, *self.groups, self.total)
        return [found for line in lines if (found := line.finding()) is not None]

    def to_dict(self) -> dict[str, object]:
        """The budget as the JSON schema spells it."""
        lines = {"parts": self.parts, "groups": self.groups}
        return {k: [x.to_dict() for x in v] for k, v in lines.items()} | {"total": self.total.to_dict()}
