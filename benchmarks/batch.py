"""Bodies per second that `massprops.batch` moves, merges and sums, how many times as long that takes as a copy of the array by numpy, and
how many times as many single precision (float32) handles, in rounds that alternate.

python benchmarks/batch.py
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable

import numpy as np
from usage import words

from massprops import Pose, __version__, batch, shapes

ROUNDS = 10


def seconds(*works: Callable[[], object]) -> list[float]:
    """The least CPU time of each work in rounds of all: what others do on the machine only adds to it."""
    found: list[list[float]] = [[] for _ in works]
    for _ in range(ROUNDS):
        for times, work in zip(found, works, strict=True):
            start = time.process_time()
            work()
            times.append(time.process_time() - start)
    return [min(times) for times in found]


def main() -> None:
    for bodies in (10_000, 200_000):
        report(bodies)


def report(count: int) -> None:
    random = np.random.default_rng(1)
    boxes = [shapes.box(*random.uniform(0.1, 1, size=3), mass=random.uniform(1, 5)) for _ in range(100)]
    few = np.array([box.ten_vector("urdf") for box in boxes])
    bodies = np.ascontiguousarray(np.tile(few, (count // len(few), 1)))
    pose = Pose.from_xyz_rpy(random.normal(size=3), random.uniform(-3, 3, size=3))
    rotations = np.ascontiguousarray(np.broadcast_to(pose.rotation, (count, 3, 3)))
    translations = random.normal(size=(count, 3))
    arrays = (bodies, rotations, translations)
    double = works(*arrays, pose, np.float64)
    single = works(*(array.astype(np.float32) for array in arrays), pose, np.float32)
    print(f"{count:,} bodies, massprops {__version__}, numpy {np.__version__}, Python {platform.python_version()}")
    for name in double:
        copy, spent, half = seconds(bodies.copy, double[name], single[name])
        rates = f"{count / spent / 1e6:>6.2f} million bodies/s{spent / copy:>8.0f} × a copy"
        print(f"{name:<20}{rates}; float32{count / half / 1e6:>6.2f} million bodies/s, {spent / half:.2f} ×")


def works(
    bodies: np.ndarray, rotations: np.ndarray, translations: np.ndarray, pose: Pose, dtype: type
) -> dict[str, Callable[[], object]]:
    one = {"rotation": pose.rotation, "translation": pose.translation}
    each = {"rotation": rotations, "translation": translations}
    return {
        "moved, one pose": lambda: batch.moved(bodies, order="urdf", dtype=dtype, **one),
        "moved, a pose each": lambda: batch.moved(bodies, order="urdf", dtype=dtype, **each),
        "merged in pairs": lambda: batch.merged(bodies, bodies[::-1], order="urdf", dtype=dtype),
        "summed": lambda: batch.summed(bodies, order="urdf", dtype=dtype),
        "pinocchio's order": lambda: batch.reordered(bodies, order="urdf", to="pinocchio", dtype=dtype),
    }


if __name__ == "__main__":
    words(__doc__)
    main()
