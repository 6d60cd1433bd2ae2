"""Whole cold processes: CPU seconds and peak memory of `massprops compute`, and of other tools on the same files.

    pip install -r benchmarks/requirements.txt        # optional: who is not installed is left out, and said so
    python benchmarks/run.py [--most 5000000] [--runs 5] [--layouts "STL binary" OBJ …]

The script makes its files and reads them once before it times them, so they are in the page cache. Each command runs once before
any runs again, and the median is printed; who takes five times as long as massprops is timed once. Beside it are the ratios to
massprops with the proof, which is what it does by default, and with `--verify closed`: the peers look for no overlaps either. At the
end are the rows of the tables of README and docs/benchmarks.json.
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

from bumpy_torus import grid, write_stl
from torus_files import LAYOUTS

from massprops import native

HERE = Path(__file__).resolve().parent
#: Times the CPU of massprops: who takes longer is timed once. And CPU seconds: who takes longer is not asked for more triangles.
PATIENCE, MOST = 5, 10.0
SIZES = (1_000_000, 5_000_000)
#: The layouts of `torus_files` that are compared: one for each format and encoding.
COMPARED = ("STL binary", "PLY binary", "OBJ", "PLY ASCII", "STL ASCII %e")
#: Python keeps its compiled modules, as it does for who installs a package.
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


@dataclass(frozen=True)
class Peer:
    """Another tool: its distribution and module, the script that uses it, what it gives and leaves out, and which files it reads."""

    name: str
    module: str
    script: str
    gives: str
    leaves_out: str
    reads: tuple[str, ...] = (".stl", ".obj", ".ply")


#: All that massprops gives.
ALL = "volume, centre, inertia"
PEERS = [
    Peer("trimesh", "trimesh", "trimesh_.py", ALL, "integrates open and crossing surfaces"),
    Peer("numpy-stl", "stl", "numpy_stl.py", ALL, "nothing checked; single precision", (".stl",)),
    Peer("stl-reader", "stl_reader", "stl_reader_.py", "reads only", "textbook integral beside it", (".stl",)),
    Peer("pyminiply", "pyminiply", "pyminiply_.py", "reads only", "textbook integral beside it", (".ply",)),
    Peer("pymeshlab", "pymeshlab", "pymeshlab_.py", ALL, "nothing checked; single precision"),
    Peer("libigl", "igl", "libigl_.py", ALL, "nothing checked"),
    Peer("meshlib", "meshlib", "meshlib_.py", "volume, centre", "textbook integral beside it"),
    Peer("vtk", "vtkmodules", "vtk_.py", "volume, centre", "textbook integral beside it"),
    Peer("coal", "coal", "coal_.py", ALL, "nothing checked; about the origin"),
    Peer("admesh", "admesh", "admesh_.py", "volume", "repairs in silence; textbook integral beside it", (".stl",)),
]


def run(command: list[str]) -> tuple[float, float]:
    """CPU seconds and peak MiB of one process; its output is thrown away."""
    away = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)]
    pid = os.posix_spawnp(command[0], command, ENVIRONMENT, file_actions=away)
    _, status, usage = os.wait4(pid, 0)
    if status:
        raise ChildProcessError(f"status {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def median(command: list[str], runs: int) -> tuple[float, float]:
    """Medians of CPU seconds and peak MiB of some runs, after one that fills the caches."""
    run(command)
    return in_turns({"": command}, runs)[""]


def in_turns(commands: dict[str, list[str]], runs: int) -> dict[str, tuple[float, float]]:
    """The same of several commands, of which each runs once before any runs again: the speed of a machine changes within a minute."""
    found = {name: [run(command)] for name, command in commands.items()}
    first = next(iter(found.values()))[0][0]
    for _ in range(runs - 1):
        for name, command in commands.items():
            if found[name][0][0] <= PATIENCE * first:
                found[name].append(run(command))
    return {
        name: (statistics.median(c for c, _ in own), statistics.median(m for _, m in own))
        for name, own in found.items()
    }


def ours(path: Path, *options: str) -> list[str]:
    return [sys.executable, "-m", "massprops", "compute", str(path), "--units", "m", "--density", "7800", *options]


def volume(command: list[str]) -> tuple[float, tuple[float, float]]:
    """What a command says the volume is, and its CPU seconds and peak MiB."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=ENVIRONMENT)
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise ChildProcessError(f"status {status}")
    found = float(json.loads(text)["volume"] if text.startswith("{") else text.split()[0])
    return found, (usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


@dataclass(frozen=True)
class Base:
    """CPU seconds of massprops with the proof and without."""

    proved: float
    closed: float

    def row(self, name: str, cpu: float, memory: float, note: str) -> str:
        return f"{name:26} {cpu:8.3f} s {cpu / self.proved:7.2f} × {cpu / self.closed:7.2f} × {memory:6.0f} MiB  {note}".rstrip()


def start_up(path: Path, runs: int) -> None:
    numpy, _ = median([sys.executable, "-c", "import numpy"], runs)
    bare, _ = median([sys.executable, "-c", "import numpy, rich.table, typer"], runs)
    print("\n12 triangles, start-up: CPU, more than `import numpy`, ratio to `import numpy, rich.table, typer`")
    print(f"{'import numpy':34} {numpy * 1e3:6.0f} ms")
    print(f"{'import numpy, rich.table, typer':34} {bare * 1e3:6.0f} ms")
    for output in ("json", "table"):
        cpu, _ = median(ours(path, "--format", output), runs)
        print(f"{'massprops, ' + output:34} {cpu * 1e3:6.0f} ms {(cpu - numpy) * 1e3:+6.0f} ms {cpu / bare:6.2f} ×")


@dataclass(frozen=True)
class Compared:
    """Of one file: what massprops takes, and the CPU seconds of the others."""

    layout: str
    facets: int
    base: Base
    memory: float
    others: dict[str, float]

    def row(self) -> str:
        giving = {p.name: self.others[p.name] for p in PEERS if p.name in self.others and p.gives == ALL}
        columns = (
            *(self.layout, f"{self.facets:,}", f"{self.base.proved:.2f} s", f"{self.memory:.0f} MiB"),
            *(
                f"{self.others[name] / self.base.proved:.1f} ×" if name in self.others else "–"
                for name in ("trimesh", "coal")
            ),
            *(self.fastest(giving), self.fastest(self.others)),
        )
        return "| " + " | ".join(columns) + " |"

    def fastest(self, others: dict[str, float]) -> str:
        """Its name, and the ratios with the proof and without."""
        name = min(others, key=others.__getitem__, default=None)
        return (
            f"{name} {others[name] / self.base.proved:.1f} × ({others[name] / self.base.closed:.1f} ×)" if name else "–"
        )


#: Of the rows that are printed at the end.
HEAD = """
| format | triangles | CPU | memory | trimesh | coal | fastest with volume, centre and inertia | fastest of all |
|---|---:|---:|---:|---:|---:|---|---|"""


def compare(path: Path, layout: str, facets: int, start: float, runs: int, slow: set[tuple[str, str]]) -> Compared:
    print(
        f"\n{facets:,} triangles, {layout}: CPU, ratios to massprops with and without proof, peak memory, what is given and left out"
    )
    commands, off = (
        {"": ours(path, "--format", "json"), "closed": ours(path, "--format", "json", "--verify", "closed")},
        {},
    )
    slowest: dict[str, tuple[float, float]] = {}
    truth, (own, _) = volume(commands[""])
    peers = [
        p
        for p in PEERS
        if importlib.util.find_spec(p.module) and path.suffix in p.reads and (layout, p.name) not in slow
    ]
    for peer in peers:
        command = [sys.executable, str(HERE / "peers" / peer.script), str(path)]
        try:
            its, used = volume(command)
            off[peer.name] = abs(its / truth - 1)
            if used[0] > PATIENCE * own:
                slowest[peer.name] = used
            else:
                commands[peer.name] = command
        except (ChildProcessError, ValueError) as error:
            print(f"{peer.name:26} failed: {error}")
    found = in_turns(commands, runs) | slowest
    (proved, memory), (closed, less) = found.pop(""), found.pop("closed")
    base = Base(proved, closed)
    print(f"{'the sum of its bytes':26} {byte_sum(path, runs):8.3f} s")
    print(base.row("massprops", proved, memory, per_triangle(proved - start, facets)))
    print(base.row("massprops --verify closed", closed, less, per_triangle(closed - start, facets)), flush=True)
    for peer in peers:
        if peer.name in found:
            cpu, peak = found[peer.name]
            wrong = f"; volume off by {off[peer.name]:.0e}" if off[peer.name] > 1e-9 else ""
            print(base.row(peer.name, cpu, peak, f"{peer.gives}; {peer.leaves_out}{wrong}"), flush=True)
            if cpu > MOST:
                slow.add((layout, peer.name))
    others = {name: cpu for name, (cpu, _) in found.items()}
    return Compared(layout, facets, base, memory, others)


def byte_sum(path: Path, runs: int) -> float:
    """CPU seconds to read all bytes of a file and add them up: nothing that looks at each takes less."""
    script = "import numpy, sys; "
    bare, _ = median([sys.executable, "-c", script], runs)
    cpu, _ = median([sys.executable, "-c", script + "numpy.fromfile(sys.argv[1], numpy.uint8).sum()", str(path)], runs)
    return cpu - bare


def per_triangle(seconds: float, facets: int) -> str:
    """Not of fewer than a million triangles: the start-up varies as much as they take."""
    return f"{seconds / facets * 1e9:.0f} ns per triangle above start-up" if facets >= 1_000_000 else ""


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except FileNotFoundError:  # not Linux
        return platform.processor()
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.machine())


def versions() -> str:
    names = ("massprops", "numpy", "typer", "rich", *(p.name for p in PEERS))
    found = []
    for name in names:
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            found.append(f"{name} not installed")
    return (
        f"{processor()}, {os.cpu_count()} cores; {native.description()}; Python {platform.python_version()}; "
        + ", ".join(found)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=SIZES[-1], help="largest number of triangles")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--layouts", nargs="+", choices=LAYOUTS, default=COMPARED)
    wishes = parser.parse_args()
    print(versions())
    with tempfile.TemporaryDirectory() as folder:
        box = Path(folder) / "box.stl"
        write_stl(box, 12)
        start_up(box, 3 * wishes.runs)
        start, _ = median(ours(box, "--format", "json"), 3 * wishes.runs)
        slow: set[tuple[str, str]] = set()
        rows: list[str] = []
        for layout in wishes.layouts:
            suffix, write = LAYOUTS[layout]
            for size in (s for s in SIZES if s <= wishes.most):
                path = Path(folder) / f"torus{suffix}"
                write(path, size)
                across, along = grid(size)
                rows.append(compare(path, layout, 2 * across * along, start, wishes.runs, slow).row())
                path.unlink()
    print(HEAD, *rows, sep="\n")


if __name__ == "__main__":
    main()
