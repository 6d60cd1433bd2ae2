"""Labelled numbers, before they are laid out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Quantity:
    """One or more rows of numbers under a label, each number with the name that it has where it stands alone.

    `off` says how much more the truth may be, at least and at most: of the numbers of the only row one by one, of those of several rows
    of each. `sigma` has the standard deviations in the same form.
    """

    label: str
    unit: str
    rows: Sequence[Sequence[tuple[str, float]]]
    off: Sequence[tuple[float, float]] | None = None
    sigma: Sequence[float] | None = None


def named(names: Iterable[str], values: Iterable[float]) -> list[tuple[str, float]]:
    """Numbers with their names."""
    return [(name, float(value)) for name, value in zip(names, values, strict=True)]
