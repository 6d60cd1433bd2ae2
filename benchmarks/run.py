"""Whole cold processes: start-up, CPU seconds and peak memory of `massprops compute` on meshes that this script makes.

    python benchmarks/run.py

Files are read once before they are timed, so they are in the page cache; the median of five runs is printed.
"""

from __future__ import annotations

import os
import platform
import statistics
import sys
import tempfile
from pathlib import Path

from bumpy_torus import write_stl

RUNS = 5
SIZES = (12, 100_000, 1_000_000, 5_000_000)
BASE = [sys.executable, "-c", "import numpy, rich.table, typer"]


def run(command: list[str]) -> tuple[float, float]:
    """CPU seconds and peak MiB of one process; its output is thrown away."""
    pid = os.posix_spawnp(
        command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    )
    _, status, usage = os.wait4(pid, 0)
    if status:
        raise SystemExit(f"failed: {' '.join(command)}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def median(command: list[str]) -> tuple[float, float]:
    run(command)
    runs = [run(command) for _ in range(RUNS)]
    return statistics.median(c for c, _ in runs), statistics.median(m for _, m in runs)


def compute(path: Path, *options: str) -> list[str]:
    return [sys.executable, "-m", "massprops", "compute", str(path), "--density", "7800", *options]


def versions() -> str:
    import numpy
    import typer

    import massprops

    names = {"massprops": massprops, "numpy": numpy, "typer": typer}
    told = ", ".join(f"{n} {m.__version__}" for n, m in names.items())
    return f"{told}, rich {_rich_version()}; Python {platform.python_version()}, {platform.machine()}"


def _rich_version() -> str:
    from importlib.metadata import version

    return version("rich")


def main() -> None:
    print(versions())
    base, _ = median(BASE)
    print(f"{'bare import numpy, rich.table, typer':40} {base:7.3f} s CPU")
    start: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            path = Path(folder) / f"{size}.stl"
            facets = write_stl(path, size)
            for output in ("table", "json"):
                cpu, memory = median(compute(path, "--format", output))
                start.setdefault(output, cpu)
                each = (cpu - start[output]) / facets * 1e9
                figures = f"{cpu:7.3f} s CPU {cpu / base:6.2f} × bare {memory:5.0f} MiB"
                print(f"{facets:>9} triangles, {output:5} {figures} {each:5.0f} ns/triangle above start-up")


if __name__ == "__main__":
    main()
