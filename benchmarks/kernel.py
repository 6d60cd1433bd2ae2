"""Nanoseconds per triangle of the parts of one pass, on a chunk in cache; with and without keeping freed memory.

python benchmarks/kernel.py
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from usage import words

from massprops import native
from massprops.mesh.boundary import Boundary
from massprops.mesh.source import CHUNK, keep_freed_memory
from massprops.mesh.surface import Surface
from massprops.mesh.xray.line_crossings import shoot
from massprops.mesh.xray.line_grid import Lattice

ROUNDS = 100


def measure(work: Callable[[], object]) -> float:
    work()
    start = time.process_time()
    for _ in range(ROUNDS):
        work()
    return (time.process_time() - start) / ROUNDS / CHUNK * 1e9


def main() -> None:
    random = np.random.default_rng(1)
    centers = random.random((CHUNK, 1, 3))
    corners = (centers + 1e-3 * random.random((CHUNK, 3, 3))).astype(np.float32)
    columns = np.ascontiguousarray(corners.transpose(1, 2, 0))
    reference = corners[0, 0].astype(np.float64)
    lattice = Lattice.over(np.array([[0.0] * 3, [1.001] * 3]), 40, 1)
    parts: dict[str, Callable[[], object]] = {
        "integrals, bounds, certificate": lambda: Surface.of(corners, reference),
        "  of these the certificate": lambda: Boundary.of(columns),
        "X-ray, three directions": lambda: shoot(lattice, corners),
        "summing the bytes": lambda: corners.view(np.uint8).sum(),
    }
    for kept in ("freed memory given back", "freed memory kept"):
        print(f"{kept}; {native.description()}")
        for name, work in parts.items():
            print(f"  {name:32} {measure(work):6.1f} ns per triangle")
        keep_freed_memory()


if __name__ == "__main__":
    words(__doc__)
    main()
