"""The ± of a density that varies in space: 200 turned boxes whose density has a closed form, with and without jumps.

    python benchmarks/graded.py

The density is a product of three functions, each of a coordinate of the box in its own axes, so that every integral is a product of
three in one dimension. The figures of docs/benchmarks.json are what this prints.
"""

from __future__ import annotations

import itertools
import sys
import time
from pathlib import Path

import numpy as np
from usage import words

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from oracles import box

from massprops import MassProperties, Pose, measure

CASES = 200
NODES, WEIGHTS = np.polynomial.legendre.leggauss(2000)
KINDS = {
    "exponential": lambda x, k, c: np.exp(-k * (x - c)),
    "waves": lambda x, k, c: 1.2 + np.sin(6 * k * x + c),
    "bell": lambda x, k, c: 0.1 + np.exp(-((2 * k * (x - c)) ** 2)),
    "kink": lambda x, k, c: 0.2 + k * np.abs(x - c),
    "jump": lambda x, k, c: np.where(x < c, 1.0, 1.0 + k),
}


def truth(kind, edges, k, c):
    """∫ρ, and ∫ρ x and ∫ρ x xᵀ per ∫ρ, in the axes of the box, whose corner is the origin; jumps and kinks end the pieces."""
    moments = []
    for axis in range(3):
        ends = sorted({0.0, edges[axis], *(c[axis : axis + 1] if kind in ("jump", "kink") else ())})
        pieces = [(a, b, (a + b) / 2 + (b - a) / 2 * NODES) for a, b in itertools.pairwise(ends)]
        moments.append(
            [
                sum((b - a) / 2 * (WEIGHTS * KINDS[kind](x, k[axis], c[axis]) * x**n).sum() for a, b, x in pieces)
                for n in range(3)
            ]
        )
    m = np.array(moments)
    mass, com = m[:, 0].prod(), m[:, 1] / m[:, 0]
    return MassProperties.from_second_moment(mass, com, np.diag(mass * (m[:, 2] / m[:, 0] - com**2)))


def main() -> None:
    random = np.random.default_rng(0)
    print("| density | held | ± of the mass | ± over error | s |\n|---|---:|---:|---:|---:|")
    for kind, profile in KINDS.items():
        held, sizes, ratios, begun = 0, [], [], time.perf_counter()
        for _ in range(CASES // len(KINDS)):
            edges, k = random.uniform(0.3, 2, 3), random.uniform(0.5, 2, 3)
            c = edges * random.uniform(0.2, 0.8, 3)
            pose = Pose.from_xyz_rpy(random.uniform(-3, 3, 3), random.uniform(-3, 3, 3))

            def density(points, profile=profile, pose=pose, k=k, c=c):
                own = pose.inverse().apply(points)
                return np.prod([profile(own[:, i], k[i], c[i]) for i in range(3)], axis=0)

            m = measure(pose.apply(box((0, 0, 0), edges)), density=density)
            true, off = truth(kind, edges, k, c).transformed(pose), m.uncertainty
            errors = [abs(m.mass - true.mass), np.abs(m.com - true.com), np.abs(m.inertia - true.inertia)]
            held += all(
                np.all(e <= b) for e, b in zip(errors, (off.mass, off.center_of_mass, off.inertia), strict=True)
            )
            sizes.append(off.mass / m.mass)
            ratios.append(off.mass / max(errors[0], 1e-16 * m.mass))
        seconds = (time.perf_counter() - begun) / len(sizes)
        print(f"| {kind} | {held} of {len(sizes)} | {np.median(sizes):.1e} | {np.median(ratios):.0f} | {seconds:.2f} |")


if __name__ == "__main__":
    words(__doc__)
    main()
