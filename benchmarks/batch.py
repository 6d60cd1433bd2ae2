"""Bodies per second that `massprops.batch` moves, merges and sums, and how many times as long that takes as a copy of the array by numpy.

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


def seconds(work: Callable[[], object]) -> float:
    """The least CPU time of some rounds: what others do on the machine only adds to it."""
    found = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


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
    works: dict[str, Callable[[], object]] = {
        "moved, one pose": lambda: batch.moved(
            bodies, order="urdf", rotation=pose.rotation, translation=pose.translation
        ),
        "moved, a pose each": lambda: batch.moved(bodies, order="urdf", rotation=rotations, translation=translations),
        "merged in pairs": lambda: batch.merged(bodies, bodies[::-1], order="urdf"),
        "summed": lambda: batch.summed(bodies, order="urdf"),
    }
    copy = seconds(bodies.copy)
    print(f"{count:,} bodies, massprops {__version__}, numpy {np.__version__}, Python {platform.python_version()}")
    for name, work in works.items():
        spent = seconds(work)
        print(f"{name:<20}{count / spent / 1e6:>6.2f} million bodies/s{spent / copy:>8.0f} × a copy")


if __name__ == "__main__":
    words(__doc__)
    main()
