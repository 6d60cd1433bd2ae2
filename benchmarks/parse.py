"""Reading alone: nanoseconds per triangle of every layout that a file may have, from opening it to the last chunk.

    python benchmarks/parse.py [triangles [layout …]]

The bumpy torus, written in each layout to a temporary folder; CPU time over a file in the page cache, the best of five passes with the
compiled core. Behind it, how many times as long it takes without the core, and in trimesh, in one pass each.
"""

from __future__ import annotations

import math
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from torus_files import LAYOUTS
from usage import words

from massprops import native
from massprops.formats.registry import open_mesh

RUNS = 5


def read(path: Path) -> int:
    """Triangles of a file, all of them seen."""
    with open_mesh(path) as mesh:
        return sum(len(chunk) for chunk in mesh.chunks())


def read_without_core(path: Path) -> None:
    os.environ["MASSPROPS_CORE"] = "numpy"
    native.core.cache_clear()
    try:
        read(path)
    finally:
        del os.environ["MASSPROPS_CORE"]
        native.core.cache_clear()


def read_by_trimesh(path: Path) -> None:
    import trimesh

    trimesh.load(path, process=False)


def seconds(reader: Callable[[Path], object], path: Path) -> float:
    """CPU time; NaN where the reader refuses the file."""
    start = time.process_time()
    try:
        reader(path)
    except ValueError:  # PLY with faces of several sizes, by trimesh
        return math.nan
    return time.process_time() - start


def main(triangles: int, layouts: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name in layouts:
            suffix, write = LAYOUTS[name]
            path = Path(folder) / f"torus{suffix}"
            write(path, triangles)
            facets = read(path)
            best = min(seconds(read, path) for _ in range(RUNS))
            times = [seconds(reader, path) / best for reader in (read_without_core, read_by_trimesh)]
            size = path.stat().st_size / facets
            print(
                f"{name:24} {facets:>9} triangles {size:6.0f} bytes each {best / facets * 1e9:7.0f} ns each"
                f" without the core {times[0]:6.1f} × trimesh {times[1]:6.1f} ×",
                flush=True,
            )
            path.unlink()


if __name__ == "__main__":
    main(int((words(__doc__) or ["1000000"])[0]), sys.argv[2:] or list(LAYOUTS))
