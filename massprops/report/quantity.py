"""Labelled numbers, before they are laid out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Quantity:
    """One or more rows of numbers under a label, each number with the name that it has where it stands alone.

    `off` says how far the numbers can be off: those of the only row one by one, those of several rows at most;
    `change` how much more the truth may be than a single number, at least and at most.
    """

    label: str
    unit: str
    rows: Sequence[Sequence[tuple[str, float]]]
    off: Sequence[float] | None = None
    change: tuple[float, float] | None = None


def named(names: Iterable[str], values: Iterable[float]) -> list[tuple[str, float]]:
    """Numbers with their names."""
    return [(name, float(value)) for name, value in zip(names, values, strict=True)]
