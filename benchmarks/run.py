"""Whole cold processes: CPU seconds and peak memory of `massprops compute`, and of other tools on the same files.

    pip install -r benchmarks/requirements.txt        # optional: who is not installed is left out, and said so
    python benchmarks/run.py [--most 5000000] [--runs 5]

The script makes its files and reads them once before it times them, so they are in the page cache; medians are printed, and the
ratio to massprops with the X-ray, which is what it does by default.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from bumpy_torus import write_stl

HERE = Path(__file__).resolve().parent
#: CPU seconds: who takes longer is timed once, and not asked for more.
PATIENCE = 10.0
SIZES = (12, 100_000, 1_000_000, 5_000_000)


@dataclass(frozen=True)
class Peer:
    """Another tool: its distribution and module, the script that uses it, and what it leaves out."""

    name: str
    module: str
    script: str
    leaves_out: str


PEERS = [
    Peer("trimesh", "trimesh", "trimesh_.py", "integrates open and crossing surfaces; merges vertices"),
    Peer("numpy-stl", "stl", "numpy_stl.py", "no check that the surface is closed; single precision"),
    Peer("stl-reader", "stl_reader", "stl_reader_.py", "reads only; textbook integral, nothing checked"),
    Peer("pymeshlab", "pymeshlab", "pymeshlab_.py", "nothing checked; single precision"),
    Peer("libigl", "igl", "libigl_.py", "reads only; textbook integral, nothing checked"),
    Peer("meshlib", "meshlib", "meshlib_.py", "no inertia; textbook integral, nothing checked"),
    Peer("vtk", "vtkmodules", "vtk_.py", "no inertia; textbook integral, nothing checked"),
    Peer("coal", "coal", "coal_.py", "nothing checked; about the origin"),
    Peer("admesh", "admesh", "admesh_.py", "no inertia; repairs in silence; textbook integral"),
]


def run(command: list[str]) -> tuple[float, float]:
    """CPU seconds and peak MiB of one process; its output is thrown away."""
    away = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)]
    pid = os.posix_spawnp(command[0], command, os.environ, file_actions=away)
    _, status, usage = os.wait4(pid, 0)
    if status:
        raise ChildProcessError(f"status {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def median(command: list[str], runs: int) -> tuple[float, float]:
    first = run(command)
    if first[0] > PATIENCE:
        return first
    found = [run(command) for _ in range(runs)]
    return statistics.median(c for c, _ in found), statistics.median(m for _, m in found)


def ours(path: Path, *options: str) -> list[str]:
    return [sys.executable, "-m", "massprops", "compute", str(path), "--units", "m", "--density", "7800", *options]


def volume(command: list[str]) -> float:
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return float(json.loads(text)["volume"] if text.startswith("{") else text.split()[0])


def row(name: str, cpu: float, memory: float, base: float, note: str) -> str:
    return f"{name:34} {cpu:8.3f} s {cpu / base:7.2f} × {memory:6.0f} MiB  {note}"


def start_up(path: Path, runs: int) -> None:
    numpy, _ = median([sys.executable, "-c", "import numpy"], runs)
    bare, _ = median([sys.executable, "-c", "import numpy, rich.table, typer"], runs)
    print("\n12 triangles, start-up: CPU, more than `import numpy`, ratio to `import numpy, rich.table, typer`")
    print(f"{'import numpy':34} {numpy * 1e3:6.0f} ms")
    print(f"{'import numpy, rich.table, typer':34} {bare * 1e3:6.0f} ms")
    for output in ("json", "table"):
        cpu, _ = median(ours(path, "--format", output), runs)
        print(f"{'massprops, ' + output:34} {cpu * 1e3:6.0f} ms {(cpu - numpy) * 1e3:+6.0f} ms {cpu / bare:6.2f} ×")


def compare(path: Path, facets: int, start: float, runs: int, slow: list[Peer]) -> None:
    print(f"\n{facets:,} triangles, binary STL: CPU, ratio, peak memory, what is left out")
    base, memory = median(ours(path, "--format", "json"), runs)
    each = f"{(base - start) / facets * 1e9:.0f} ns per triangle above start-up"
    print(row("massprops", base, memory, base, each))
    cpu, memory = median(ours(path, "--format", "json", "--verify", "closed"), runs)
    print(row("massprops --verify closed", cpu, memory, base, f"{(cpu - start) / facets * 1e9:.0f} ns; overlaps"))
    truth = volume(ours(path, "--format", "json"))
    for peer in PEERS:
        if importlib.util.find_spec(peer.module) is None or peer in slow:
            continue
        command = [sys.executable, str(HERE / "peers" / peer.script), str(path)]
        try:
            off = abs(volume(command) / truth - 1)
            cpu, memory = median(command, runs)
        except (subprocess.CalledProcessError, ChildProcessError, ValueError) as error:
            print(f"{peer.name:34} failed: {error}")
            continue
        wrong = f"; volume off by {off:.0e}" if off > 1e-9 else ""
        print(row(peer.name, cpu, memory, base, peer.leaves_out + wrong))
        if cpu > PATIENCE:
            slow.append(peer)


def versions() -> str:
    names = ("massprops", "numpy", "typer", "rich", *(p.name for p in PEERS))
    found = []
    for name in names:
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            found.append(f"{name} not installed")
    return f"Python {platform.python_version()}, {platform.machine()}; " + ", ".join(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=SIZES[-1], help="largest number of triangles")
    parser.add_argument("--runs", type=int, default=5)
    wishes = parser.parse_args()
    print(versions())
    with tempfile.TemporaryDirectory() as folder:
        paths = {size: Path(folder) / f"{size}.stl" for size in SIZES if size <= wishes.most}
        facets = {size: write_stl(path, size) for size, path in paths.items()}
        start_up(paths[12], wishes.runs)
        slow: list[Peer] = []
        start, _ = median(ours(paths[12], "--format", "json"), wishes.runs)
        for size, path in paths.items():
            if size > 12:
                compare(path, facets[size], start, wishes.runs, slow)


if __name__ == "__main__":
    main()
