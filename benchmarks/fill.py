"""Time of `massprops fill` for a robot of 100 links with a mesh of 10,000 facets each: `python benchmarks/fill.py`.

Prints wall and CPU seconds of the whole command, its start included, by the number of processes.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from usage import words

from massprops import __version__

LINKS = 100
AROUND, ACROSS = 100, 50  # quads of a torus: two facets each


def bumpy_torus(seed: int) -> np.ndarray:
    """Facets, shape (10000, 3, 3), m."""
    u, v = np.meshgrid(np.arange(AROUND) * 2 * np.pi / AROUND, np.arange(ACROSS) * 2 * np.pi / ACROSS, indexing="ij")
    r = 0.1 + 0.01 * np.sin(3 * u + seed)
    points = np.stack([(r + 0.03 * np.cos(v)) * np.cos(u), (r + 0.03 * np.cos(v)) * np.sin(u), 0.03 * np.sin(v)], -1)
    b, d = np.roll(points, -1, 0), np.roll(points, -1, 1)
    c = np.roll(b, -1, 1)
    return np.concatenate([np.stack(t, 2).reshape(-1, 3, 3) for t in ([points, b, c], [points, c, d])])


def write_robot(folder: Path) -> Path:
    links = []
    for i in range(LINKS):
        facets = bumpy_torus(i)
        rows = np.zeros(len(facets), dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("color", "<u2")])
        rows["corners"] = facets
        (folder / f"{i}.stl").write_bytes(bytes(80) + np.uint32(len(facets)).tobytes() + rows.tobytes())
        links.append(f'  <link name="l{i}"><visual><geometry><mesh filename="{i}.stl"/></geometry></visual></link>\n')
    path = folder / "robot.urdf"
    path.write_text('<robot name="r">\n' + "".join(links) + "</robot>\n")
    return path


def main() -> None:
    print(
        f"massprops {__version__}, Python {platform.python_version()}, numpy {np.__version__}, {os.cpu_count()} cores"
    )
    with tempfile.TemporaryDirectory() as name:
        robot = write_robot(Path(name))
        for jobs in (1, 2):
            start, before = time.perf_counter(), os.times()
            command = [sys.executable, "-m", "massprops", "fill", robot, "--density", "1240", "-j", str(jobs)]
            done = subprocess.run(command, capture_output=True, check=True)
            after = os.times()
            cpu = after.children_user + after.children_system - before.children_user - before.children_system
            assert done.stdout.count(b"<inertial>") == LINKS
            print(
                f"{LINKS} links, {2 * AROUND * ACROSS} facets each, -j {jobs}: {time.perf_counter() - start:.2f} s, {cpu:.2f} s of CPU"
            )


if __name__ == "__main__":
    words(__doc__)
    main()
