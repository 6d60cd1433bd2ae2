"""Two bodies compared: numbers, relation, findings; and the pairs of two files or folders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from massprops.diff.changes import VERDICTS, Change, Tolerances, Verdict, changes, not_compared
from massprops.diff.similarity import Relation, recognise
from massprops.diff.subjects import Side
from massprops.errors import MasspropsError
from massprops.findings import Finding


@dataclass(frozen=True, eq=False)
class Comparison:
    """What became of one body.

    Attributes
    ----------
    before, after : str or None
        Where the body is; None where it is missing.
    changes : tuple of Change
        All numbers that both sides know.
    relation : Relation or None
    came, went : tuple of Finding
        By their codes.
    skipped : tuple of str
        What only one side knows.
    error : MasspropsError or None
        Why one of them could not be measured.
    unit : str
        The length unit of both files; m where they differ.
    """

    before: str | None
    after: str | None
    changes: tuple[Change, ...] = ()
    relation: Relation | None = None
    came: tuple[Finding, ...] = ()
    went: tuple[Finding, ...] = ()
    skipped: tuple[str, ...] = ()
    error: MasspropsError | None = None
    unit: str = "m"

    @property
    def verdict(self) -> Verdict:
        """The worst of all numbers; `beyond` also for a body that is missing, mirrored or another."""
        if self.before is None or self.after is None or (self.relation is not None and self.relation.is_change):
            return "beyond"
        return max((c.verdict for c in self.changes), key=VERDICTS.index, default="equal")

    def to_dict(self) -> dict[str, object]:
        """As the JSON schema spells it."""
        return {
            "before": self.before,
            "after": self.after,
            "verdict": None if self.error is not None else self.verdict,
            "changes": [c.to_dict() for c in self.changes],
            "relation": None if self.relation is None else self.relation.to_dict(),
            "came": [f.to_dict() for f in self.came],
            "went": [f.to_dict() for f in self.went],
            "not_compared": list(self.skipped),
            "error": None if self.error is None else self.error.to_dict(),
        }


def compare(before: Side, after: Side, tolerances: Tolerances = Tolerances()) -> Comparison:  # noqa: B008  # frozen
    """Two bodies, number by number.

    Parameters
    ----------
    before : Side
        Differences are taken from it.
    after : Side
        What it has become.
    tolerances : Tolerances
        What may differ.
    """
    old, new = ({f.code for f in side.findings} for side in (before, after))
    return Comparison(
        before=_label(before),
        after=_label(after),
        changes=tuple(changes(before, after, tolerances)),
        relation=recognise(before, after, tolerances),
        came=tuple(f for f in after.findings if f.code not in old),
        went=tuple(f for f in before.findings if f.code not in new),
        skipped=tuple(not_compared(before, after)),
        unit=before.unit if before.unit == after.unit else "m",
    )


def compare_all(
    before: Sequence[Side],
    after: Sequence[Side],
    tolerances: Tolerances = Tolerances(),  # noqa: B008  # frozen
) -> list[Comparison]:
    """The bodies of two files: one with one, else by their names, in the order of the file before."""
    if len(before) == len(after) == 1:
        return [compare(before[0], after[0], tolerances)]
    old, new = _by_name(before), _by_name(after)
    gone = [Comparison(_label(s), None) for name, s in old.items() if name not in new]
    came = [Comparison(None, _label(s)) for name, s in new.items() if name not in old]
    return [*(compare(s, new[name], tolerances) for name, s in old.items() if name in new), *gone, *came]


def _by_name(sides: Sequence[Side]) -> dict[tuple[str | None, int], Side]:
    """By name, and the number of the body among those of its name."""
    named: dict[tuple[str | None, int], Side] = {}
    for side in sides:
        count = sum(name == side.name for name, _ in named)
        named[side.name, count] = side
    return named


def _label(side: Side) -> str:
    return side.place if side.name is None else f"{side.place}: {side.name}"
