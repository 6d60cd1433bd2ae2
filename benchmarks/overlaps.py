"""Random bodies and cavities that cross themselves, each other and a wall: is the exact truth within the ± of the estimated union?

    python benchmarks/overlaps.py [NUMBER] [FIRST] [LINES] [GRID]

NUMBER bodies (default 10,000): prisms over random closed walks on a grid, which cross themselves, as solids or as cavities of a box. Their
winding numbers on the cells of the grid are whole numbers, so that the truth is exact. The bodies are turned at random, and estimated
with LINES lines per side (default 64: fewer than the program takes, so that small overlaps are between the lines as often).
Where a part is inside out in places, each such place is material or not; both have to be within the ±.
GRID is `even` (default) or `uneven`: cells from 1e-4 to 1, so that walls are thin and overlaps below the spacing of the lines, and cavities
that touch the wall or break out of it.
Prints the cases that are outside, and in how many the ± holds, by side.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from damage import placed
from oracles import box, prism, reversed_facets

from massprops.formats.mesh.arrays import from_soup
from massprops.mesh.components import BodyParts
from massprops.mesh.repair.solid_union import estimate_union
from massprops.mesh.surface import Surface

#: Cells along a side of the grid, and along its height.
SIDE, HEIGHT = 12, 6
Cells = NDArray[np.intp]


def walk(rng: np.random.Generator) -> NDArray[np.intp]:
    """Corners of a closed polygon along the lines of the grid, away from its rim; it may cross itself."""
    n = int(rng.integers(2, 5))
    x, y = (rng.permutation(np.arange(1, SIDE))[:n] for _ in range(2))
    return np.stack([np.repeat(x, 2), np.roll(np.repeat(y, 2), -1)], axis=1)


def windings(polygon: NDArray[np.intp]) -> Cells:
    """Winding number of the polygon about the middle of each cell."""
    w = np.zeros((SIDE, SIDE), np.intp)
    for (x, y), (_, to) in zip(polygon.tolist(), np.roll(polygon, -1, axis=0).tolist(), strict=True):
        w[:x, min(y, to) : max(y, to)] += np.sign(to - y)
    return w


class Case:
    """Prisms, perhaps as cavities of a box: the triangles, what they are, and the winding number of each on the cells."""

    def __init__(self, seed: int, grid: str = "even") -> None:
        rng = np.random.default_rng([54, seed] if grid == "even" else [54, seed, 1])
        self.hollow = bool(rng.random() < 0.6)
        own, facets = [], []
        if self.hollow:
            rim = 0 if grid == "even" else 2
            own.append(np.zeros((SIDE, SIDE, HEIGHT), np.intp))
            own[0][rim : SIDE - rim, rim : SIDE - rim] = 1
            facets.append(box((rim, rim, 0), (SIDE - rim, SIDE - rim, HEIGHT)))
        for _ in range(int(rng.integers(1, 4))):
            polygon, (low, high) = walk(rng), np.sort(rng.permutation(np.arange(1, HEIGHT))[:2])
            w = windings(polygon)
            if w.sum() == 0:
                continue
            wall = np.asarray(prism([tuple(p) for p in polygon.tolist()], float(high - low), fan=True), float)
            wall += np.array([0.0, 0.0, low])
            if w.sum() < 0:
                w, wall = -w, reversed_facets(wall)
            layers = np.zeros((SIDE, SIDE, HEIGHT), np.intp)
            layers[:, :, low:high] = w[:, :, np.newaxis]
            own.append(layers)
            facets.append(reversed_facets(wall) if self.hollow else wall)
        self.own = own
        # thin along one axis, so that some overlaps are small; or with cells of all sizes
        sides = np.ones(SIDE), np.ones(SIDE), np.full(HEIGHT, 10.0 ** rng.uniform(-1, 1))
        self.sides = sides if grid == "even" else tuple(10.0 ** rng.uniform(-4, 0, len(s)) for s in sides)
        corners = np.concatenate(facets or [box()]).astype(np.intp)
        planes = [np.append(0.0, np.cumsum(s)) for s in self.sides]
        self.triangles = placed(np.stack([planes[k][corners[..., k]] for k in range(3)], axis=-1), rng)
        count = len(own)
        labels = np.repeat(np.arange(count), [len(f) for f in facets])
        body = np.zeros(count, np.intp) if self.hollow else np.arange(count)
        sign = np.where(self.hollow & (np.arange(count) > 0), -1, 1)
        self.parts = BodyParts(labels, body, sign)

    def truths(self) -> tuple[float, float]:
        """The least and the most volume: of readings of what is inside out in a part."""
        sure, possible = [w >= 1 for w in self.own], [w != 0 for w in self.own]
        if self.hollow:
            least, most = (sure[0] & ~np.any(cut[1:], axis=0) for cut in (possible, sure))
        else:
            least, most = np.any(sure, axis=0), np.any(possible, axis=0)
        cells = np.einsum("i,j,k", *self.sides)
        return float(cells[least].sum()), float(cells[most].sum())


def main(number: str = "10000", first: str = "0", lines: str = "64", grid: str = "even") -> None:
    found: Counter[str] = Counter()
    for seed in range(int(first), int(first) + int(number)):
        case = Case(seed, grid)
        if len(case.own) < 1 + case.hollow:
            continue
        surface = Surface.of(case.triangles, case.triangles[0, 0])
        factors = np.ones(len(case.triangles), np.int8)
        union, off = estimate_union(from_soup(case.triangles), surface, surface.solid, factors, int(lines), case.parts)
        low, high = off.change
        room = 1e-12 * union.measure
        least, most = case.truths()
        found["cases"] += 1
        for side, wrong in (
            ("below", least < union.measure + low - room),
            ("above", most > union.measure + high + room),
        ):
            if wrong:
                found[side] += 1
                print(f"{seed}: {least:.6g} … {most:.6g}, got {union.measure:.6g} {low:+.2g} {high:+.2g}", flush=True)
    print(", ".join(f"{count} {name}" for name, count in found.items()))


if __name__ == "__main__":
    main(*sys.argv[1:])
