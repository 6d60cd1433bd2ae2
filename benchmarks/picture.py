"""CPU seconds of the picture of a bumpy torus, 1200 × 900: the drawing alone, and with its file measured, read and compressed.

python benchmarks/picture.py
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from usage import words

from massprops.measurement.options import Options
from massprops.measurement.output_units import OutputUnits
from massprops.writers.picture.drawing import draw
from massprops.writers.picture.plotting import picture_of
from massprops.writers.picture.scene import Look, Scene, Solid

FACETS = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def torus(around: int, across: int) -> np.ndarray:
    """2 · around · across facets, shape (n, 3, 3), float32."""
    u, v = np.meshgrid(
        np.arange(around) * (2 * np.pi / around), np.arange(across) * (2 * np.pi / across), indexing="ij"
    )
    tube = 0.35 + 0.03 * np.cos(5 * u + 2 * v)
    ring = 1 + tube * np.cos(v)
    a = np.stack([ring * np.cos(u), ring * np.sin(u), tube * np.sin(v)], axis=-1)
    b, c, d = np.roll(a, -1, 0), np.roll(a, (-1, -1), (0, 1)), np.roll(a, -1, 1)
    return np.stack([np.stack([a, b, c], 2), np.stack([a, c, d], 2)]).reshape(-1, 3, 3).astype(np.float32)


def spent(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> None:
    print(f"numpy {np.__version__}\n{'facets':>10}  {'drawing':>8}  {'all':>8}")
    for around, across in ((24, 20), (158, 60), (1000, 500)):
        facets = torus(around, across)
        bounds = np.array([facets.min(axis=(0, 1)), facets.max(axis=(0, 1))], dtype=float)
        chunks = np.array_split(facets, max(len(facets) // 8192, 1))
        scene = Scene("", bounds, [Solid(chunks.copy, len(facets))], OutputUnits())
        rows = np.zeros(len(facets), FACETS)
        rows["corners"] = facets
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "torus.stl"
            path.write_bytes(bytes(80) + len(rows).to_bytes(4, "little") + rows.tobytes())
            drawing = min(spent(partial(draw, scene, Look())) for _ in range(3))
            whole = spent(partial(picture_of, str(path), Options(), Look()))
        print(f"{len(facets):>10}  {drawing:>6.2f} s  {whole:>6.2f} s")


if __name__ == "__main__":
    words(__doc__)
    main()
