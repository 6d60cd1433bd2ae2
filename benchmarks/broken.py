"""CPU time of a million facets with planted damage, in ratios to the same mesh undamaged, and what the repairs leave in the ±.

    python benchmarks/broken.py [facets]

The damage is spread evenly: 1 % of the facets turned round, 0.1 % missing, 1 % there twice, and all of it.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from proof import torus
from usage import words

import massprops

#: Shares of the facets that are turned, missing and doubled.
DAMAGES = {
    "undamaged": (0, 0, 0),
    "turned": (0.01, 0, 0),
    "missing": (0, 0.001, 0),
    "doubled": (0, 0, 0.01),
    "all": (0.01, 0.001, 0.01),
}


def damaged(triangles: np.ndarray, turned: float, missing: float, doubled: float) -> np.ndarray:
    generator, count = np.random.default_rng(1), len(triangles)
    result = triangles.copy()
    chosen = generator.choice(count, int(turned * count), replace=False)
    result[chosen] = result[chosen, ::-1]
    copies = result[generator.choice(count, int(doubled * count), replace=False)]
    kept = np.delete(result, generator.choice(count, int(missing * count), replace=False), axis=0)
    return np.concatenate([kept, copies])


def main(facets: str = "1000000") -> None:
    points, faces = torus(int(facets))
    triangles, first = points[faces], 0.0
    for name, shares in DAMAGES.items():
        mesh = damaged(triangles, *shares)
        begin = time.process_time()
        m = massprops.measure(mesh, units="m", repair="safe")
        taken = time.process_time() - begin
        first = first or taken
        parts = ", ".join(f"{source} {spread.volume / m.volume:.1e}" for source, spread in m.sources.items())
        print(
            f"{name:10} {m.grade:9} {taken:6.2f} s of CPU, {taken / first:4.1f} times; ± of the volume: {parts}",
            flush=True,
        )
    print(f"on {sys.platform}, one process")


if __name__ == "__main__":
    main(*words(__doc__)[:1])
