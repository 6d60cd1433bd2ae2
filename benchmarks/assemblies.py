"""Hostile assemblies of few bodies with exact volumes: is the truth within the ± that is printed?

    python benchmarks/assemblies.py

Polycubes on a grid of unequal steps, in every combination of orientations: in contact by a face, a part of it, an edge or a vertex; nested
three deep, and touching the wall; faces that lie in one plane and overlap in part; rods in tubes that are open at both ends; bodies in the
cavity of a shell; copies; gaps of 1e-2 … 1e-7 of the size. Each in the order of its bodies and in random order. What they mean, and what is
printed: `benchmarks/unions.py`. A body that is there twice with opposite orientation is that body.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Collection, Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from oracles import box, exact_moments, polycube
from unions import Sums, Union, members_of, print_answers

Cell = tuple[int, int, int]
Cells = frozenset[Cell]


def block(low: Cell, high: Cell) -> Cells:
    return frozenset(itertools.product(*map(range, low, high)))


def along(axis: int, *steps: float) -> list[list[float]]:
    """Grid lines at whole numbers, but for these steps along one axis."""
    lines = [[float(x) for x in range(12)] for _ in range(3)]
    lines[axis] = np.cumsum([0.0, *steps, *[1.0] * (11 - len(steps))]).tolist()
    return lines


UNIT = along(0)
TUBE = block((1, 1, 0), (4, 4, 4)) - block((2, 2, 0), (3, 3, 4))
SHELL = block((0, 0, 0), (5, 5, 5)) - block((1, 1, 1), (4, 4, 4))
LARGE = block((1, 1, 1), (4, 4, 4))

#: The cells of each body, and the grid lines.
ASSEMBLIES: dict[str, tuple[list[Cells], list[list[float]]]] = {
    "whole face": ([LARGE, block((4, 1, 1), (6, 4, 4))], UNIT),
    "small body on a face": ([LARGE, block((4, 2, 2), (5, 3, 3))], UNIT),
    "face at an edge": ([LARGE, block((4, 1, 1), (5, 2, 2))], UNIT),
    "part of a face": ([LARGE, block((4, 2, 2), (6, 6, 5))], UNIT),
    "edge": ([LARGE, block((4, 4, 1), (5, 5, 4))], UNIT),
    "part of an edge": ([LARGE, block((4, 4, 2), (5, 6, 6))], UNIT),
    "vertex": ([LARGE, block((4, 4, 4), (5, 6, 7))], UNIT),
    "three in a row": ([LARGE, block((4, 1, 1), (5, 4, 4)), block((5, 2, 2), (7, 3, 3))], UNIT),
    "three at an edge": ([LARGE, block((4, 4, 1), (6, 6, 4)), block((4, 1, 1), (5, 4, 3))], UNIT),
    "nested": ([block((0, 0, 0), (7, 7, 7)), block((1, 1, 1), (6, 6, 6)), block((2, 2, 3), (4, 5, 5))], UNIT),
    "nested at a face": ([block((0, 0, 0), (6, 6, 6)), block((0, 1, 1), (4, 5, 5)), block((1, 2, 2), (3, 4, 4))], UNIT),
    "nested at an edge": ([block((0, 0, 0), (6, 6, 6)), block((0, 0, 1), (4, 4, 5)), block((1, 1, 2), (3, 3, 4))], UNIT),
    "nested at a corner": ([block((0, 0, 0), (6, 6, 6)), block((1, 1, 1), (5, 5, 5)), block((1, 1, 1), (3, 3, 3))], UNIT),
    "nested, small": (
        [block((0, 0, 0), (5, 5, 5)), block((2, 2, 2), (3, 3, 3))],
        [[0.0, 1, 2, 2.01, 3, 4], [0.0, 1, 2, 2.01, 3, 4], [0.0, 1, 2, 2.01, 3, 4]],
    ),
    "overlap with faces in one plane": ([LARGE, block((2, 1, 1), (6, 4, 4))], UNIT),
    "overlap at a corner": ([LARGE, block((3, 3, 1), (6, 6, 5))], UNIT),
    "crossing bars": ([block((0, 2, 2), (6, 4, 3)), block((2, 0, 2), (4, 6, 3)), block((2, 2, 0), (3, 3, 6))], UNIT),
    "rod fills a tube": ([TUBE, block((2, 2, 0), (3, 3, 4))], UNIT),
    "rod out of a tube": ([TUBE, block((2, 2, 1), (3, 3, 6))], UNIT),
    "rod deep in a tube": ([TUBE, block((2, 2, 1), (3, 3, 3))], UNIT),
    "lid on a tube": ([TUBE, block((1, 1, 4), (4, 4, 5))], UNIT),
    "tube in a tube": ([block((0, 0, 0), (5, 5, 4)) - block((1, 1, 0), (4, 4, 4)), TUBE], UNIT),
    "body in a shell": ([SHELL, block((2, 2, 2), (3, 3, 3))], UNIT),
    "body at the wall of a shell": ([SHELL, block((1, 2, 2), (3, 3, 3))], UNIT),
    "body fills a shell": ([SHELL, block((1, 1, 1), (4, 4, 4))], UNIT),
    "two copies": ([LARGE, LARGE], UNIT),
    "three copies": ([LARGE, LARGE, LARGE], UNIT),
    "copy of one of two": ([LARGE, LARGE, block((5, 1, 1), (7, 4, 4))], UNIT),
    **{
        f"gap of {gap:g}": ([block((0, 0, 0), (1, 3, 3)), block((2, 1, 1), (3, 4, 4))], along(0, 3, gap, 3))
        for gap in (1e-1, 1e-3, 1e-5, 1e-6)
    },
    **{
        f"gap of {gap:g} round a core": ([block((0, 0, 0), (5, 5, 5)) - block((1, 1, 1), (4, 4, 4)), block((2, 2, 2), (3, 3, 3))],
        [list(np.cumsum([0.0, 1, gap, 3, gap, 1]))] * 3)
        for gap in (1e-2, 1e-4, 1e-6)
    },
}  # fmt: skip


class Assembly(Union):
    """Bodies of cells in one file, of orientations ±1."""

    def __init__(self, bodies: list[Cells], lines: list[list[float]], orientation: list[int], seed: int) -> None:
        surfaces = [self._surface(cells, lines) for cells in bodies]
        common = [
            self._integrals(frozenset.intersection(*(b for i, b in enumerate(bodies) if m >> i & 1)), lines)
            for m in members_of(bodies)
        ]
        self._set(surfaces, orientation, common)
        self.shuffled = bool(seed)
        if seed:
            self.triangles = np.random.default_rng(seed).permutation(self.triangles)

    @staticmethod
    def _surface(cells: Cells, lines: list[list[float]]) -> np.ndarray:
        whole = [(min(c[k] for c in cells), max(c[k] for c in cells) + 1) for k in range(3)]
        is_box = len(cells) == np.prod([high - low for low, high in whole])
        triangles = box(*zip(*whole, strict=True)) if is_box else polycube(cells)[0]
        return np.stack([np.array(lines[k])[triangles[..., k].astype(int)] for k in range(3)], axis=-1)

    @staticmethod
    def _integrals(cells: Cells, lines: list[list[float]]) -> Sums:
        total = np.array([Fraction(0)] * 10, dtype=object)
        for c in cells:
            low, high = ([lines[k][c[k] + end] for k in range(3)] for end in (0, 1))
            m = exact_moments(box(low, high))
            second = [m.second[i][j] for i in range(3) for j in range(i, 3)]
            total = total + np.array([m.measure, *m.first, *second], dtype=object)
        return total


def assemblies(titles: Collection[str] = ()) -> Iterator[tuple[str, Union]]:
    """Assemblies of these titles, or all: a title ends in the orientations of the bodies."""
    for name, (bodies, lines) in ASSEMBLIES.items():
        for signs in itertools.product((1, -1), repeat=len(bodies)):
            title = f"{name} {signs}"
            if not titles or title in titles:
                yield title, Assembly(bodies, lines, list(signs), 0)
                yield f"{title}, in random order", Assembly(bodies, lines, list(signs), 1)


if __name__ == "__main__":
    print_answers(assemblies())
