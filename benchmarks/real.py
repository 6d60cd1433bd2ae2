"""How many meshes below a folder get a number, by grade and by repair step, and whether an independent estimate agrees.

    python benchmarks/real.py FOLDER...

Markdown. The estimate shares no code with the integral or the X-ray: the winding number of points of a Halton sequence as a sum of solid
angles (Van Oosterom and Strackee), over the facets of the file where they are consistently oriented, else of the repaired mesh. Points
whose winding number is not clear count for neither side.
"""

from __future__ import annotations

import functools
import hashlib
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from usage import words

from massprops.errors import InvalidGeometry, MasspropsError
from massprops.formats.registry import open_mesh
from massprops.measurement.options import Options
from massprops.measurement.pipeline import measure_with
from massprops.measurement.result import Measurement
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.mesh.repair.ladder import RepairedMesh, repair
from massprops.units import length_unit

SUFFIXES = (".stl", ".obj", ".ply", ".off", ".dae", ".glb", ".gltf")
LEVELS = ("none", "safe", "full")
GRADES = ("certified", "closed", "repaired", "estimated", "refused", "unreadable")
#: Pairs of a point and a facet that are evaluated for one mesh: a second or so.
PAIRS = 1.5e7
#: Winding numbers farther than this from 1/2 decide.
CLEAR = 0.2
#: Standard deviations of the sampling error.
SIGMAS = 4.0


@dataclass
class Outcome:
    """A file at one level of repair."""

    path: Path
    level: str
    grade: str
    measurement: Measurement | None = None
    reason: str = ""


def meshes(folders: Iterable[str]) -> list[Path]:
    """Distinct files, by content."""
    seen: dict[str, Path] = {}
    for folder in folders:
        for path in sorted(Path(folder).rglob("*")):
            if path.suffix.lower() in SUFFIXES and path.is_file():
                seen.setdefault(hashlib.sha256(path.read_bytes()).hexdigest(), path)
    return list(seen.values())


def measured(path: Path, level: str) -> Outcome:
    try:
        m = measure_with(Options(repair=level), str(path))
    except InvalidGeometry as error:
        return Outcome(path, level, "refused", reason=error.code)
    except MasspropsError as error:
        return Outcome(path, level, "unreadable", reason=error.code)
    return Outcome(path, level, m.grade, m)


def halton(count: int, base: int) -> np.ndarray:
    index, f, found = np.arange(1, count + 1), 1.0, np.zeros(count)
    while index.any():
        f /= base
        found += f * (index % base)
        index = index // base
    return found


def winding(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Sum of the solid angles of all facets, in units of 4π."""
    found = np.zeros(len(points))
    for start in range(0, len(points), max(1, int(2e6 / len(triangles)))):
        stop = start + max(1, int(2e6 / len(triangles)))
        a, b, c = (triangles[None, :, k] - points[start:stop, None] for k in range(3))
        la, lb, lc = (np.sqrt((x * x).sum(axis=-1)) for x in (a, b, c))
        numerator = (a * np.cross(b, c)).sum(axis=-1)
        denominator = la * lb * lc + (a * b).sum(-1) * lc + (b * c).sum(-1) * la + (c * a).sum(-1) * lb
        found[start:stop] = np.arctan2(numerator, denominator).sum(axis=1) / (2 * np.pi)
    return found


@functools.cache
def estimate(path: Path, level: str) -> tuple[float, float]:
    """The least and the largest volume of the points with winding number 1, m³."""
    with open_mesh(str(path)) as mesh:
        indexed, scale = IndexedMesh.of(mesh), length_unit(mesh.unit or "m")
    if level != "none" and not len(indexed.open_edges()):
        return estimate(path, "none")
    if len(indexed.open_edges()):
        found = repair(indexed, "full" if level == "full" else "safe")
        indexed = found.mesh if isinstance(found, RepairedMesh) else indexed
    triangles = indexed.corners
    low, high = triangles.min(axis=(0, 1)), triangles.max(axis=(0, 1))
    count = int(min(max(PAIRS / len(triangles), 200), 50_000))
    points = low + (high - low) * np.stack([halton(count, base) for base in (2, 3, 5)], axis=1)
    w = winding(points, triangles) * np.sign(indexed.volume())
    inside, unclear = np.mean(w > 0.5 + CLEAR), np.mean(np.abs(w - 0.5) <= CLEAR)
    sigma = np.sqrt(max(inside * (1 - inside), 1 / count) / count)
    box = float(np.prod(high - low)) * scale**3
    return box * (inside - SIGMAS * sigma), box * (inside + unclear + SIGMAS * sigma)


def agrees(o: Outcome) -> bool:
    assert o.measurement is not None  # it was measured
    off = o.measurement.uncertainty
    low, high = estimate(o.path, o.level)
    change = (0.0, 0.0) if off is None or off.volume_change is None else off.volume_change
    v = o.measurement.volume or 0.0
    return low <= v + change[1] and v + change[0] <= high


def main(*folders: str) -> None:
    paths = meshes(folders)
    every = {level: [measured(p, level) for p in paths] for level in LEVELS}
    print(f"{len(paths)} distinct meshes\n\n| | " + " | ".join(f"`{level}`" for level in LEVELS) + " |")
    print("|---|" + "---:|" * len(LEVELS))
    for grade in GRADES:
        print(f"| {grade} | " + " | ".join(str(sum(o.grade == grade for o in every[k])) for k in LEVELS) + " |")
    steps = {
        k: Counter(s for o in every[k] if o.measurement for s in {r.step for r in o.measurement.repairs})
        for k in LEVELS
    }
    for step in sorted(set().union(*steps.values())):
        print(f"| with step *{step}* | " + " | ".join(str(steps[k][step]) for k in LEVELS) + " |")
    numbers = {k: [o for o in every[k] if o.measurement] for k in LEVELS}
    shares = " | ".join(f"**{100 * len(numbers[k]) / len(paths):.0f} %**" for k in LEVELS)
    print(f"| get a number | {shares} |")
    wrong = {k: [o for o in numbers[k] if not agrees(o)] for k in LEVELS}
    print(
        "| of them agree with the winding number | "
        + " | ".join(f"{len(numbers[k]) - len(wrong[k])} of {len(numbers[k])}" for k in LEVELS)
        + " |"
    )
    for o in (o for k in LEVELS for o in wrong[k]):
        print(f"disagrees: {o.level} {o.path.name} {o.grade}", file=sys.stderr)
    for o in every["full"]:
        if o.measurement is None:
            print(f"refused with full: {o.path.name}: {o.reason}", file=sys.stderr)


if __name__ == "__main__":
    main(*words(__doc__))
