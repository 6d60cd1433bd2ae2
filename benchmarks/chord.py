"""Curved bodies, written with five chord tolerances: the true change of volume and inertia, and the bound that is printed.

    python benchmarks/chord.py [FACTOR]

FACTOR: how many times too large the tolerance is stated (default 1). The table of docs/verification-and-uncertainty.md is what this prints.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from usage import words

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from tessellated import BODIES, TOLERANCES

from massprops import measure


def row(name: str, tolerance: float, factor: float) -> str:
    triangles, true = BODIES[name](tolerance)
    m = measure(triangles, units="m", density=1.0, chord_tolerance=factor * tolerance, verify="closed")
    bound = m.sources["chord"]
    x, y, z = map(float, true.second)
    volume = abs(true.volume - m.volume)
    inertia = np.abs(np.diag([y + z, x + z, x + y]) - m.inertia)
    rounding = 1e-11 * m.inertia.max()
    holds = (
        volume <= bound.volume
        and (inertia <= bound.inertia + rounding).all()
        and (np.abs(m.center_of_mass - true.centroid) <= bound.center_of_mass).all()
    )
    ratios = bound.volume / volume, (bound.inertia.diagonal() / inertia.diagonal()).max()
    by_area = factor * tolerance * m.area / volume
    cells = (
        f"{volume / true.volume:.1e} | {ratios[0]:.1f} | {ratios[1]:.1f} | {by_area:.0f} | {'yes' if holds else 'NO'}"
    )
    return f"| {name} | {tolerance:g} | {len(triangles):,} | {cells} |"


if __name__ == "__main__":
    factor = float((words(__doc__) or ["1"])[0])
    print(
        "| body | tolerance | facets | change of volume | bound of volume / change | of inertia, largest | area × tolerance | holds |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for name in BODIES:
        for tolerance in TOLERANCES:
            print(row(name, tolerance, factor))
