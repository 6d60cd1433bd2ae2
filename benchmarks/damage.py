"""Planted damage: are bodies that were broken on purpose measured within the ± that is printed?

    python benchmarks/damage.py [SEEDS] [safe|full]

Every kind of damage of tests/damage.py on four bodies and six assemblies, SEEDS times each (default 12: about 2,000 cases). The truth is
the integral of the body before it was damaged, or of a union in closed form. The table of docs/repair.md is what this prints.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from usage import words

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from damage import ASSEMBLIES, BODIES, COMPOUNDS, DAMAGES, planted

from massprops import InvalidGeometry, measure

#: Rounding of the sums that the truth is made of, relative.
ROUNDING = 1e-12


@dataclass
class MeshIntegration:
    """Relative errors of volume and inertia, the bound of the repairs, and whether all ten intervals hold the truth; None: refused."""

    damage: str
    body: str
    seed: int
    error: tuple[float, float] = (0.0, 0.0)
    bound: float = 0.0
    held: bool | None = None
    grade: str = "refused"


def measured(damage: str, body: str, seed: int, level: str) -> MeshIntegration:
    kinds = [*DAMAGES, *COMPOUNDS]
    rng = np.random.default_rng([seed, kinds.index(damage), [*BODIES, *ASSEMBLIES].index(body)])
    triangles, truth = planted(damage, body, rng)
    try:
        m = measure(triangles, density=1.0, repair=level)
    except InvalidGeometry:
        return MeshIntegration(damage, body, seed)
    volume, center, second = truth
    inertia = np.trace(second) * np.eye(3) - second
    size = float(np.linalg.norm(np.ptp(triangles.reshape(-1, 3), axis=0)))
    off = m.uncertainty
    wrong = (np.array([m.volume - volume]), m.center_of_mass - center, m.properties.inertia - inertia)
    bounds = (off.volume, off.center_of_mass, off.inertia)
    scales = (volume, size, volume * size**2)
    held = all((np.abs(w) <= b + ROUNDING * s).all() for w, b, s in zip(wrong, bounds, scales, strict=True))
    errors = abs(m.volume / volume - 1), float(np.linalg.norm(wrong[2]) / np.linalg.norm(inertia))
    return MeshIntegration(damage, body, seed, errors, sum(r.bound for r in m.repairs) / volume, held, m.grade)


def rows(seeds: int, level: str) -> Iterator[tuple[str, list[MeshIntegration]]]:
    for damage in [*DAMAGES, *COMPOUNDS]:
        bodies = BODIES if damage in COMPOUNDS else (*BODIES, *ASSEMBLIES)
        yield damage, [measured(damage, body, seed, level) for body in bodies for seed in range(seeds)]


def main(seeds: str = "12", level: str = "full") -> None:
    print("| damage | measured | within ± | median error of V | largest | median error of I | median ± of repairs |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    every: list[MeshIntegration] = []
    for damage, cases in rows(int(seeds), level):
        every += cases
        found = [c for c in cases if c.held is not None]
        if not found:
            print(f"| {damage} | 0 of {len(cases)} | | | | | |", flush=True)
            continue
        volume, inertia = np.array([c.error for c in found]).T
        numbers = (np.median(volume), volume.max(), np.median(inertia), np.median([c.bound for c in found]))
        held = sum(bool(c.held) for c in found)
        text = " | ".join(f"{x:.1e}" for x in numbers)
        print(f"| {damage} | {len(found)} of {len(cases)} | {held} | {text} |", flush=True)
        for c in found:
            if not c.held:
                print(f"  not within ±: {c}", file=sys.stderr)
    found = [c for c in every if c.held is not None]
    held = sum(bool(c.held) for c in found)
    print(f"\n{len(every)} cases, {len(found)} measured, {held} of them ({100 * held / len(found):.2f} %) within the ±")


if __name__ == "__main__":
    main(*words(__doc__))
