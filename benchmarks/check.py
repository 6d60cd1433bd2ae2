"""A thousand meshes of five thousand triangles each, checked by one command: seconds, processor seconds, cores.

    python benchmarks/check.py [files]

The meshes are tori with bumps, each of its own size and shape, written to a temporary folder.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from usage import words

FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
SIDE = 50  # twice its square is the number of triangles


def torus(number: int) -> np.ndarray:
    """Triangles, shape (2 · SIDE², 3, 3), outward, about 0.1 m across."""
    u, v = np.meshgrid(*[np.arange(SIDE) * 2 * np.pi / SIDE] * 2, indexing="ij")
    phase, size = number * 0.618, 0.03 + 0.00005 * number
    r = 0.3 + 0.05 * np.sin(3 * v + phase) * np.cos(2 * u)
    points = size * np.stack([(1 + r * np.cos(v)) * np.cos(u), (1 + r * np.cos(v)) * np.sin(u), r * np.sin(v)], axis=-1)
    a, b, c, d = (np.roll(points, shift, axis=(0, 1)).reshape(-1, 3) for shift in ((0, 0), (-1, 0), (-1, -1), (0, -1)))
    return np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])


def write(path: Path, triangles: np.ndarray) -> None:
    facets = np.zeros(len(triangles), dtype=FACET)
    facets["corners"] = triangles
    path.write_bytes(bytes(80) + len(facets).to_bytes(4, "little") + facets.tobytes())


def main(files: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for i in range(files):
            write(Path(folder, f"part{i:05}.stl"), torus(i))
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "massprops", "check", folder, "--no-config"],
            capture_output=True,
            text=True,
            check=True,
        )
        seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(done.stderr, end="")
    print(
        f"{files} files of {2 * SIDE**2} triangles: {seconds:.2f} s, {cpu:.2f} s of processor time, "
        f"{1000 * cpu / files:.1f} ms a file, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    )


if __name__ == "__main__":
    main(int((words(__doc__) or ["1000"])[0]))
