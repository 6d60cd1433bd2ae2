"""Repaired and estimated volumes of real meshes against an independent generalized winding number.

    python benchmarks/winding.py FOLDER...

Every mesh of up to 50,000 facets below the folders, with the default, `full` and `union`: is its ± within reach of the volume by the rule
|w| > 1/2 at 40,000 stratified points in the box of the file's facets as they are, unwelded, unfilled and unturned? w is the sum of the
solid angles of the facets near a point (Van Oosterom and Strackee 1983) and of the dipoles of the clusters far from it (Barill and others
2018). Points with w within 0.1 of 1/2 count for either side, and the sampling error is ± 4 σ. Prints each result that is repaired or
estimated, and the sums.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from usage import words

from massprops import InvalidGeometry, measure
from massprops.errors import MasspropsError
from massprops.formats.registry import open_mesh
from massprops.units import length_unit

Array = NDArray[np.float64]
SUFFIXES = (".stl", ".obj", ".ply", ".off", ".dae", ".glb", ".gltf")
OPTIONS = {"default": {}, "full": {"repair": "full"}, "union": {"on_overlap": "union"}}
#: Strata along each axis: 34³ = 39,304 points, and 696 more anywhere.
STRATA, POINTS = 34, 40_000
#: Facets of the smallest cluster; clusters farther than so many radii are dipoles (error about the square of the inverse, of a small part
#: of w).
CLUSTER, FAR = 16, 3.0
UNCLEAR, SIGMAS = 0.1, 4.0
MOST_FACETS = 50_000


def winding(points: Array, corners: Array) -> Array:
    """Generalized winding number, shape (n,)."""
    w = np.zeros(len(points))
    _add(w, np.arange(len(points)), points, corners)
    return w


def _add(w: Array, here: NDArray[np.intp], points: Array, group: Array) -> None:
    """Adds that of a group of neighbours at the points `here`: of its dipole at those far from it, of its halves at the others."""
    vectors = np.cross(group[:, 1] - group[:, 0], group[:, 2] - group[:, 0]) / 2
    area = np.linalg.norm(vectors, axis=1)
    if not area.any() or not len(here):
        return
    middle = group.mean(axis=1)
    center = (middle * area[:, None]).sum(axis=0) / area.sum()
    arm = center - points[here]
    distance = np.linalg.norm(arm, axis=1)
    far = distance > FAR * np.linalg.norm(group - center, axis=2).max()
    w[here[far]] += arm[far] @ vectors.sum(axis=0) / distance[far] ** 3 / (4 * np.pi)
    near = here[~far]
    if len(group) > CLUSTER:
        order = middle[:, int(np.ptp(middle, axis=0).argmax())].argsort(kind="stable")
        for half in np.array_split(order, 2):
            _add(w, near, points, group[half])
        return
    for some in np.array_split(near, max(1, len(near) * len(group) // 200_000)):
        a, b, c = (group[:, k] - points[some, None] for k in range(3))
        x, y, z = (np.sqrt((v * v).sum(axis=2)) for v in (a, b, c))
        bottom = x * y * z + (a * b).sum(axis=2) * z + (b * c).sum(axis=2) * x + (c * a).sum(axis=2) * y
        w[some] += np.arctan2((a * np.cross(b, c)).sum(axis=2), bottom).sum(axis=1) / (2 * np.pi)


def sampled(path: Path) -> tuple[float, float] | None:
    """The least and the largest volume, m³; None for a large file."""
    with open_mesh(str(path)) as mesh:
        corners = np.concatenate([np.asarray(c, dtype=float) for c in mesh.chunks()]) * length_unit(mesh.unit or "m")
    if len(corners) > MOST_FACETS:
        return None
    low, size = corners.min(axis=(0, 1)), np.ptp(corners, axis=(0, 1))
    rng = np.random.default_rng(40)
    grid = np.stack(np.meshgrid(*[np.arange(STRATA)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    unit = np.concatenate([(grid + rng.random(grid.shape)) / STRATA, rng.random((POINTS - len(grid), 3))])
    w = np.abs(winding(low + unit * size, corners))
    share = np.array([(w > 0.5 + UNCLEAR).mean(), (w > 0.5 - UNCLEAR).mean()])
    sigma = np.sqrt(np.maximum(share * (1 - share), 1 / POINTS) / POINTS)
    least, most = float(np.prod(size)) * (share + SIGMAS * sigma * [-1, 1])
    return least, most


def results(path: Path) -> Iterator[tuple[str, float, tuple[float, float], str]]:
    """Option, volume, ± and grade of those that are repaired or estimated."""
    for name, options in OPTIONS.items():
        try:
            m = measure(path, **options)
        except (InvalidGeometry, MasspropsError):
            continue
        if m.grade in ("repaired", "estimated"):
            yield name, m.volume, m.uncertainty.volume_change, m.grade


def main(*folders: str) -> None:
    counts = dict.fromkeys(OPTIONS, (0, 0))
    for path in sorted(p for folder in folders for p in Path(folder).rglob("*") if p.suffix.lower() in SUFFIXES):
        found = list(results(path))
        if not found:
            continue
        interval = sampled(path)
        if interval is None:
            print(f"{path.name}: skipped, more than {MOST_FACETS} facets", flush=True)
            continue
        low, high = interval
        for name, volume, (down, up), grade in found:
            agrees = low <= volume + up and volume + down <= high
            counts[name] = counts[name][0] + agrees, counts[name][1] + 1
            within = f"{volume:.5g} ({down:+.2g} {up:+.2g}) m³, {grade}; w: {low:.5g} … {high:.5g}"
            print(f"{path.name}, {name}: {'agrees' if agrees else 'DIFFERS'}: {within}", flush=True)
    for name, (good, all_) in counts.items():
        print(f"{name}: {good} of {all_} agree")


if __name__ == "__main__":
    main(*words(__doc__))
