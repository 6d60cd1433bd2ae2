"""Random small unions of boxes and tetrahedra with integer corners: is the exact truth within the ± that is printed?

    python benchmarks/unions.py [NUMBER] [FIRST]

NUMBER files (default 10,000) of two to four bodies that share faces, edges and vertices, overlap, or lie in one another. Each is inside out
or not, and a quarter of the files have their facets in random order. Four options; the truths are rational numbers, by clipping.

What such a file means: bodies are turned outward and united; a body inside one of opposite orientation is a cavity; inside one of the same
orientation it is either (of facets in random order, one of them). Prints the share that got a number, and files with a truth outside.
"""

from __future__ import annotations

import itertools
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from oracles import box, reversed_facets, tetrahedron_facets

from massprops import InvalidGeometry, Measurement, measure

Point = tuple[Fraction | int, ...]
Tetrahedron = tuple[Point, Point, Point, Point]
#: ∫ 1, ∫ x, ∫ x xᵀ (six of its entries), ten rational numbers.
Sums = NDArray[np.object_]
Plane = tuple[tuple[int, ...], int]
_PAIRS = tuple(itertools.combinations_with_replacement(range(3), 2))


def moments_of(tetrahedra: Sequence[Tetrahedron]) -> Sums:
    """Integrals over tetrahedra: V, V/4 Σ p, V/20 (Σ p pᵀ + Σ p Σ pᵀ)."""
    total = np.array([Fraction(0)] * 10, dtype=object)
    for t in tetrahedra:
        sums = [sum(p[k] for p in t) for k in range(3)]
        second = [sum(p[i] * p[j] for p in t) + sums[i] * sums[j] for i, j in _PAIRS]
        twentieths = np.array([20, *(5 * s for s in sums), *second], dtype=object)
        total = total + abs(six_volumes(t)) / 120 * twentieths
    return total


def six_volumes(t: Sequence[Point]) -> Fraction:
    """Signed volume of the parallelepiped at the first corner."""
    (a, b, c), (d, e, f), (g, h, i) = ([x - y for x, y in zip(p, t[0], strict=True)] for p in t[1:])
    return Fraction(a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g))


def clipped(tetrahedra: Sequence[Tetrahedron], plane: Plane) -> list[Tetrahedron]:
    """What lies where n · x ≤ d."""
    (n, d), found = plane, []
    for t in tetrahedra:
        height = {p: sum(x * y for x, y in zip(n, p, strict=True)) - d for p in t}
        inside, outside = [p for p in t if height[p] <= 0], [p for p in t if height[p] > 0]
        cut = {
            (p, q): tuple(x + share * (y - x) for x, y in zip(p, q, strict=True))
            for p in inside
            for q in outside
            for share in [Fraction(height[p], height[p] - height[q])]
        }
        if not outside:
            found.append(t)
        elif len(inside) == 1:
            found.append((inside[0], *cut.values()))
        elif inside:  # a prism between two triangles with corners in the same order
            low, high = (
                (inside, [cut[p, outside[0]] for p in inside])
                if len(inside) == 3
                else ([p, *(cut[p, q] for q in outside)] for p in inside)
            )
            found += [(*low[k:], *high[: k + 1]) for k in range(3)]
    return [t for t in found if six_volumes(t)]


class Body:
    """A convex body: its triangles, wound outward; its planes; and tetrahedra that fill it."""

    def __init__(self, facets: NDArray[np.float64]) -> None:
        self.facets = np.asarray(facets, dtype=float)
        exact = [[tuple(int(x) for x in p) for p in f] for f in self.facets.tolist()]
        self.planes: set[Plane] = set()
        for a, b, c in exact:
            u, v = ([int(y - x) for x, y in zip(a, p, strict=True)] for p in (b, c))
            n = u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]
            g = int(np.gcd.reduce(n))
            self.planes.add((tuple(x // g for x in n), int(sum(x * int(y) for x, y in zip(n, a, strict=True))) // g))
        self.corners = sorted({p for f in exact for p in f})
        filling = [(exact[0][0], *f) for f in exact]
        self.tetrahedra = [t for t in filling if six_volumes(t)]


def random_body(rng: np.random.Generator, others: Sequence[Body]) -> Body:
    """A box or tetrahedron; half of them have corners of another."""
    if rng.random() < 0.5:
        low, size = rng.integers(0, 4, 3), rng.integers(1, 4, 3)
        if others and rng.random() < 0.5:
            low = np.array(others[-1].corners[rng.integers(len(others[-1].corners))], dtype=int)
            low = low - size * rng.integers(0, 2, 3)
        return Body(box(low.tolist(), (low + size).tolist()))
    while True:
        p = rng.integers(0, 6, (4, 3))
        if others and rng.random() < 0.5:
            near = np.array(others[-1].corners, dtype=int)
            shared = rng.integers(1, 4)
            p[:shared] = rng.permutation(near)[:shared]
        if volume := six_volumes(p.tolist()):
            return Body(tetrahedron_facets(p if volume > 0 else p[[1, 0, 2, 3]]))


def members_of(bodies: Sequence[object]) -> range:
    """The sets of some bodies, a bit for each."""
    return range(1, 1 << len(bodies))


class Union:
    """Bodies in one file, of orientations ±1, and the integrals that it can mean."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng([20, seed])
        bodies: list[Body] = []
        for _ in range(rng.integers(2, 5)):
            bodies.append(random_body(rng, bodies))
        orientation = [int(o) for o in rng.choice([1, 1, -1], len(bodies))]
        self._set([b.facets for b in bodies], orientation, [self._intersection(bodies, m) for m in members_of(bodies)])
        self.bodies = bodies
        self.shuffled = bool(rng.random() < 0.25)
        if self.shuffled:
            self.triangles = rng.permutation(self.triangles)

    @staticmethod
    def _intersection(bodies: Sequence[Body], members: int) -> Sums:
        first, *rest = [b for i, b in enumerate(bodies) if members >> i & 1]
        filling = first.tetrahedra
        for plane in itertools.chain.from_iterable(b.planes for b in rest):
            filling = clipped(filling, plane)
        return moments_of(filling)

    def _set(self, surfaces: Sequence[NDArray[np.float64]], orientation: list[int], common: list[Sums]) -> None:
        """Surfaces that look outward, their orientations, and the integrals over the points that all bodies of each set have."""
        self.orientation, self.common = orientation, dict(enumerate(common, 1))
        # the integrals over the points that are in these bodies and in no other
        self._only = {
            m: sum(
                ((-1) ** (k ^ m).bit_count() * s for k, s in self.common.items() if k & m == m),
                np.array([Fraction(0)] * 10, dtype=object),
            )
            for m in self.common
        }
        facets = [t if o > 0 else reversed_facets(t) for t, o in zip(surfaces, orientation, strict=True)]
        self.triangles = np.concatenate(facets)
        self.shuffled = False

    def inside(self, i: int, j: int) -> bool:
        """Whether body i is part of body j."""
        return i != j and self.common[1 << i | 1 << j][0] == self.common[1 << i][0]

    @property
    def cancels(self) -> bool:
        """Whether a body is there twice with opposite orientation, which means nothing."""
        pairs = itertools.permutations(range(len(self.orientation)), 2)
        return any(
            self.orientation[i] != self.orientation[j] and self.inside(i, j) and self.inside(j, i) for i, j in pairs
        )

    def meanings(self) -> Iterator[list[Sums]]:
        """Each way to settle what is neither outside all others nor inside just one; every sum of a way must be held."""
        n = len(self.orientation)
        either, both, fixed = [], [], {}
        for i in range(n):
            around = [j for j in range(n) if self.inside(i, j)]
            others = ((1 << n) - 1) ^ (1 << i)
            covered = sum((s[0] for m, s in self._only.items() if m >> i & 1 and m & others), Fraction(0))
            if not around and covered < self.common[1 << i][0]:
                fixed[i] = 1
            elif len(around) != 1 or self.inside(around[0], i):
                either.append(i)
            elif self.orientation[i] == self.orientation[around[0]]:
                # in random order, an inner body that touches the outer one is a part of it that overlaps itself
                (either if self.shuffled else both).append(i)
            else:
                fixed[i] = -1
        for signs in itertools.product((1, -1), repeat=len(either)):
            known = {**fixed, **dict(zip(either, signs, strict=True))}
            yield [
                self.sums({**known, **dict(zip(both, more, strict=True))})
                for more in itertools.product((1, -1), repeat=len(both))
            ]

    def sums(self, sign: dict[int, int]) -> Sums:
        """Integrals over the points that are in more bodies than cavities."""
        chosen = [s for m, s in self._only.items() if sum(sign[i] for i in sign if m >> i & 1) >= 1]
        return sum(chosen, np.array([Fraction(0)] * 10, dtype=object))


def outside(case: Union, result: Measurement) -> bool:
    """Whether volume, centre or inertia at unit density is outside the printed bounds in every way to read the file."""
    return not any(all(_held(s, result) for s in way) for way in case.meanings())


def _held(exact: Sums, result: Measurement) -> bool:
    volume, *first = exact[:4]
    if not volume:
        return False
    center = [f / volume for f in first]
    s = {pair: x - volume * center[pair[0]] * center[pair[1]] for pair, x in zip(_PAIRS, exact[4:], strict=True)}
    trace = sum(s[k, k] for k in range(3))
    inertia = [float((trace if i == j else 0) - s[min(i, j), max(i, j)]) for i in range(3) for j in range(3)]
    off, body = result.uncertainty, result.properties
    low, high = off.volume_change
    room = 1e-13 * float(volume)  # the rounding of the rational numbers themselves and of the differences here
    return (
        low - room <= float(volume) - result.volume <= high + room
        and bool((np.abs(np.array(center, dtype=float) - result.center_of_mass) <= off.center_of_mass + 1e-14).all())
        and bool((np.abs(np.array(inertia) - body.inertia.reshape(-1)) <= off.inertia.reshape(-1) + 100 * room).all())
    )


OPTIONS = {
    "none": {"repair": "none"},
    "safe": {"repair": "safe"},
    "full": {"repair": "full"},
    "union": {"on_overlap": "union"},
}


def main(number: str = "10000", first: str = "0") -> None:
    print_answers((f"file {seed}", Union(seed)) for seed in range(int(first), int(first) + int(number)))


def print_answers(cases: Iterable[tuple[str, Union]]) -> None:
    """Truths outside the printed bounds, and the counts of each option."""
    answered, wrong, files = Counter(), Counter(), 0
    for title, case in cases:
        if case.cancels:
            continue
        files += 1
        for name, options in OPTIONS.items():
            try:
                result = measure(case.triangles, units="m", density=1.0, **options)
            except InvalidGeometry:
                continue
            answered[name] += 1
            if outside(case, result):
                wrong[name] += 1
                print(
                    f"{title}, {name}: {result.volume:.9g} m³ ± {result.uncertainty.volume:.2g}, {result.grade}",
                    flush=True,
                )
    for name in OPTIONS:
        print(f"{name}: {answered[name]} of {files} answered, {wrong[name]} with a truth outside the ±")


if __name__ == "__main__":
    main(*sys.argv[1:])
