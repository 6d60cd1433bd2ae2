"""Verdict of the X-ray on a closed surface: where w leaves {0, 1}, how much volume that is, and what it cannot have missed."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from massprops.mesh.connectivity import components
from massprops.mesh.xray.line_crossings import Crossings, Winding
from massprops.mesh.xray.line_grid import Lattice
from massprops.moments.arrays import Index
from massprops.values import dataclass

#: The chance that a wrong region larger than the bound was missed by every line.
ALPHA = 1e-3


@dataclass(frozen=True)
class WrongRegion:
    """A connected set of line segments on which w is wrong: a point inside it, and about how much volume it is (file units)."""

    place: tuple[float, float, float]
    volume: float


@dataclass(frozen=True)
class WindingViolation:
    """Places where w is wrong in one way: `multiple` (2 or more: counted several times) or `negative` (−1 or less: inside out).

    Attributes
    ----------
    share : float
        Of the volume where w is not 0.
    extreme : int
        The value of w that is furthest off.
    regions : tuple of WrongRegion
        Largest first.
    """

    share: float
    extreme: int
    regions: tuple[WrongRegion, ...]


@dataclass(frozen=True)
class Verdict:
    """The outcome of an X-ray.

    Attributes
    ----------
    lines : int
        How many lines were shot, all families together.
    leaks : int
        Lines on which w does not return to zero.
    multiple, negative : WindingViolation or None
        Where w is wrong.
    empty : bool
        Whether w is zero everywhere.
    folds : int
        How often a line enters and leaves at one depth.
    copies : int
        The greatest common divisor of all values of w: 2 if every wall is there twice.
    hidden : float
        With a probability of 1 − `ALPHA`, no region with w outside {0, 1} that the lines have missed is larger: a volume, file units.
    """

    lines: int
    leaks: int
    multiple: WindingViolation | None
    negative: WindingViolation | None
    copies: int
    empty: bool
    hidden: float
    folds: int

    @property
    def valid(self) -> bool:
        """Whether w is 0 or 1 on every line."""
        return not self.leaks and self.multiple is None and self.negative is None

    @property
    def uniform(self) -> bool:
        """Whether w is 0 or `copies`, 2 or more: every point is counted equally often."""
        once_each = self.multiple is not None and self.multiple.extreme == self.copies
        return not self.leaks and once_each and self.negative is None


def judge(families: Sequence[Crossings], lattice: Lattice, depth_tolerance: float) -> Verdict:
    """The verdict on w along the lines of three families; segments shorter than `depth_tolerance` (file units) are rounding."""
    windings = [Winding.along(crossings) for crossings in families]
    values = [np.where(w.stop - w.start > depth_tolerance / lattice.cell[k], w.w, 0) for k, w in enumerate(windings)]
    return Verdict(
        lines=3 * lattice.lines**2,
        leaks=sum(w.leaks for w in windings),
        multiple=_violation([w >= 2 for w in values], windings, lattice),
        negative=_violation([w <= -1 for w in values], windings, lattice),
        copies=int(np.gcd.reduce(np.concatenate(values))),
        empty=not any(w.any() for w in values),
        hidden=hidden_volume(lattice),
        folds=sum(w.folds for w in windings),
    )


def hidden_volume(lattice: Lattice, alpha: float = ALPHA) -> float:
    """The largest volume that three families of N independent lines miss with a probability of more than `alpha`, file units.

    One line at a random place in each of N cells misses a set with the share s of the lattice's area with a probability of
    Π(1 − sᵢ) ≤ exp(−N s), and the three families are independent. A region of volume V has shadows σ₁ σ₂ σ₃ ≥ V² (Loomis and Whitney
    1949), and s₁ + s₂ + s₃ ≥ 3 (s₁ s₂ s₃)^⅓, so that the probability is below exp(−3 N (V² / (A₁ A₂ A₃))^⅓), A the lattice's areas.

    The confidence assumes that the surface was not made to fit the lines. They follow from all integrals of the surface
    (`Surface.seed`), so that whoever adds a body to hide it between them moves them, unless the integrals are kept to the bit, on
    purpose; trying m variants of a file until one passes multiplies α by m.
    """
    n = lattice.lines**2
    area_product = float(np.prod(lattice.cell * lattice.lines)) ** 2  # each axis spans two of the three areas
    return math.sqrt(area_product) * math.pow(-math.log(alpha) / (3 * n), 1.5)


def _violation(
    wrong: list[NDArray[np.bool_]], windings: Sequence[Winding], lattice: Lattice
) -> WindingViolation | None:
    if not any(m.any() for m in wrong):
        return None
    lengths = [w.stop - w.start for w in windings]
    bad = np.array([length[m].sum() for length, m in zip(lengths, wrong, strict=True)])
    covered = sum(length[w.w != 0].sum() for length, w in zip(lengths, windings, strict=True))
    family = int(np.argmax(bad))
    values = np.concatenate([w.w[m] for w, m in zip(windings, wrong, strict=True)])
    extreme = int(values[np.argmax(np.abs(values))])
    regions = _regions(windings[family], np.flatnonzero(wrong[family]), family, lattice)
    return WindingViolation(float(bad.sum() / covered), extreme, regions)


def _regions(winding: Winding, members: Index, family: int, lattice: Lattice) -> tuple[WrongRegion, ...]:
    """Wrong segments of one family, joined where they lie in neighbouring cells and overlap in depth."""
    length = winding.stop[members] - winding.start[members]
    labels = components(len(members), *_neighbours(winding, members, lattice.lines))
    volume = float(np.prod(lattice.cell))
    found = []
    order = np.argsort(labels, kind="stable")
    for mine in np.split(order, np.flatnonzero(np.diff(labels[order])) + 1):
        longest = members[mine[np.argmax(length[mine])]]
        middle = (winding.start[longest] + winding.stop[longest]) / 2
        found.append(
            WrongRegion(
                lattice.point(family, int(winding.line[longest]), float(middle)), float(length[mine].sum()) * volume
            )
        )
    return tuple(sorted(found, key=lambda r: -r.volume))


def _neighbours(winding: Winding, members: Index, lines: int) -> tuple[Index, Index]:
    """Pairs of segments (numbered within `members`) in cells with a common side or corner that overlap in depth."""
    line, start, stop = winding.line[members], winding.start[members], winding.stop[members]
    pairs = []
    for row, column in ((0, 1), (1, -1), (1, 0), (1, 1)):
        i = np.flatnonzero((line % lines + column >= 0) & (line % lines + column < lines))
        cell = line[i] + row * lines + column
        # segments of a line are apart and in order, and complex numbers are ordered by their real parts first
        first = np.searchsorted(line + 1j * stop, cell + 1j * start[i], "right")
        count = np.maximum(np.searchsorted(line + 1j * start, cell + 1j * stop[i]) - first, 0)
        before = np.cumsum(count) - count
        pairs.append(np.stack([np.repeat(i, count), np.arange(count.sum()) + np.repeat(first - before, count)]))
    u, v = np.concatenate(pairs, axis=1)
    return u, v
