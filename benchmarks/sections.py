"""Whole cold processes: CPU seconds and peak memory of `massprops compute` on CSV files of points, and of other programs on the same files.

    pip install shapely sectionproperties      # the second is left out where it is not installed
    python benchmarks/sections.py [--most 1000000] [--runs 5] [--shapes circle comb …]

shapely: reading with numpy, area and validity. sectionproperties, on the smallest circle: elastic and plastic properties on the coarsest
mesh. massprops: second moments, plastic and statical moments, axes, crossings, nesting and a bound of the errors. The least of the runs
is printed, the programs in turns, as the rows of the table in docs/benchmarks.json.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import tempfile
from collections.abc import Callable
from multiprocessing import Process
from pathlib import Path

import numpy as np
from run import in_turns, processor

Rings = list[np.ndarray]
SHAPELY = """
import io, sys, numpy as np, shapely
each = int(sys.argv[2])
texts = open(sys.argv[1]).read().split("\\n\\n") if each else ()
rings = [np.loadtxt(io.StringIO(t), delimiter=",") for t in texts] or [np.loadtxt(sys.argv[1], delimiter=",")]
each = each or 1
polygons = [shapely.Polygon(rings[k], rings[k + 1 : k + each]) for k in range(0, len(rings), each)]
whole = polygons[0] if len(polygons) == 1 else shapely.MultiPolygon(polygons)
print(whole.area, whole.is_valid)
"""
SECTIONPROPERTIES = """
import sys, numpy as np, shapely
from sectionproperties.analysis import Section
from sectionproperties.pre import Geometry
geometry = Geometry(shapely.Polygon(np.loadtxt(sys.argv[1], delimiter=",")))
section = Section(geometry.create_mesh(0))
section.calculate_geometric_properties()
section.calculate_plastic_properties()
print(section.get_area(), section.get_s())
"""


def circle(n: int) -> Rings:
    """With forty bumps: smooth, so that boxes of edges hardly overlap."""
    t = np.arange(n) * 2 * np.pi / n
    r = 100 * (1 + 0.1 * np.sin(40 * t))
    return [np.column_stack([r * np.cos(t), r * np.sin(t)])]


def rough(n: int) -> Rings:
    """A circle whose points are up to three edges off, at random."""
    t, r = np.arange(n) * 2 * np.pi / n, 100 * (1 + 20 / n * np.random.default_rng(1).random(n))
    return [np.column_stack([r * np.cos(t), r * np.sin(t)])]


def moore(n: int) -> Rings:
    """Moore's closed curve through all cells of a square: 4ᵏ points."""
    h = np.array([0j])
    for s in 2 ** np.arange(round(np.log2(n) / 2) - 1):
        h = np.concatenate([1j * h.conj(), h + 1j * s, h + s * (1 + 1j), 2 * s - 1 + 1j * (s - 1) - 1j * h.conj()])
    s = int(np.sqrt(len(h)))
    up, down = 1j * h + s - 1, 1j * (s - 1) - 1j * h
    z = np.concatenate([up, up + 1j * s, down + s * (1 + 1j), down + s])
    return [np.column_stack([z.real, z.imag])]


def comb(n: int) -> Rings:
    """Teeth as long as the comb."""
    k = np.arange(n // 4)[:, np.newaxis] * 2.0
    teeth = np.stack([k + np.array([0, 0, 1, 1]), np.tile([0, len(k), len(k), 0.0], (len(k), 1))], axis=2)
    return [np.concatenate([teeth.reshape(-1, 2), [[2 * len(k), -1], [0, -1]]])]


def slanted(n: int) -> Rings:
    """A comb whose teeth lean over the next three."""
    (points,) = comb(n)
    height = np.minimum(points[:, 1], 9)
    return [np.column_stack([points[:, 0] + np.maximum(height, 0) * 2 / 3, height])]


def beside(n: int) -> Rings:
    """A thousand rings side by side."""
    (c,) = circle(n // 1000)
    return [c + 300.0 * np.array(divmod(k, 32)) for k in range(1000)]


def nested(n: int) -> Rings:
    """A thousand rings in each other."""
    (c,) = circle(n // 1000)
    return [c * (1 - k / 2000) * 100 for k in range(1000)]


#: And how many rings a polygon has; 0: there is one ring.
SHAPES: dict[str, tuple[Callable[[int], Rings], int]] = {
    f.__name__: (f, 0) for f in (circle, rough, moore, comb, slanted)
}
SHAPES |= {"beside": (beside, 1), "nested": (nested, 2)}


def write(path: Path, rings: Callable[[int], Rings], size: int) -> None:
    path.write_text("\n\n".join("\n".join(f"{x:.9g},{y:.9g}" for x, y in r.tolist()) for r in rings(size)) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=1_000_000, help="largest number of edges")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=[*SHAPES])
    wishes = parser.parse_args()
    print(processor(), "| shape | edges | CPU | memory | numpy and shapely | their memory | ratio |", sep="\n")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name, size in ((s, n) for s in wishes.shapes for n in (10_000, 100_000, 1_000_000) if n <= wishes.most):
        make, each = SHAPES[name]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "section.csv"
            maker = Process(
                target=write, args=(path, make, size)
            )  # what this process took would count for those that it starts
            maker.start()
            maker.join()
            commands = {"massprops": ["-m", "massprops", "compute", str(path), "--units", "mm"]}
            commands["shapely"] = ["-c", SHAPELY, str(path), str(each)]
            if (name, size) == ("circle", 10_000) and importlib.util.find_spec("sectionproperties"):
                commands["sectionproperties"] = ["-c", SECTIONPROPERTIES, str(path)]
            found = in_turns({k: [sys.executable, *c] for k, c in commands.items()}, wishes.runs)
        (cpu, memory), (its, other) = (found[k] for k in ("massprops", "shapely"))
        row = f"| {name} | {size:,} | {cpu:.2f} s | {memory:.0f} MiB | {its:.2f} s | {other:.0f} MiB | {cpu / its:.2f} × |"
        more = found.get("sectionproperties")
        print(row, f"sectionproperties: {more[0]:.1f} s, {more[1]:.0f} MiB" if more else "", flush=True)


if __name__ == "__main__":
    main()
