"""Reading alone: nanoseconds per triangle of every layout that a file may have, from opening it to the last chunk.

    python benchmarks/parse.py [triangles [layout …]]

The bumpy torus, written in each layout to a temporary folder; CPU time, the best of five passes over a file in the page cache.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from torus_files import LAYOUTS
from usage import words

from massprops.formats.registry import open_mesh

RUNS = 5


def read(path: Path) -> int:
    """Triangles of a file, all of them seen."""
    with open_mesh(path) as mesh:
        return sum(len(chunk) for chunk in mesh.chunks())


def seconds(path: Path) -> float:
    start = time.process_time()
    read(path)
    return time.process_time() - start


def main(triangles: int, layouts: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name in layouts:
            suffix, write = LAYOUTS[name]
            path = Path(folder) / f"torus{suffix}"
            write(path, triangles)
            facets = read(path)
            best = min(seconds(path) for _ in range(RUNS))
            size = path.stat().st_size / facets
            print(
                f"{name:24} {facets:>9} triangles {size:6.0f} bytes each {best / facets * 1e9:7.0f} ns each", flush=True
            )
            path.unlink()


if __name__ == "__main__":
    main(int((words(__doc__) or ["1000000"])[0]), sys.argv[2:] or list(LAYOUTS))
