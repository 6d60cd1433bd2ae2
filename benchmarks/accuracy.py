"""Errors against exact rational arithmetic, beside the bounds that the program prints: relative to the largest entry of each.

And how many of the ten numbers of each body are the doubles nearest to the truth, with `--exact` and of trimesh and libigl.

python benchmarks/accuracy.py
"""

from __future__ import annotations

import sys
from pathlib import Path

import igl
import numpy as np
import trimesh
from usage import words

import massprops

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
import oracles

CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
QUADS = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
BOX = np.array([t for a, b, c, d in QUADS for t in ((a, b, c), (a, c, d))])


def rotation() -> np.ndarray:
    q, _ = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))
    return q * np.sign(np.linalg.det(q))


def box(*sides: float, offset: float = 0.0) -> np.ndarray:
    """A rotated box of 12 triangles, moved by `offset` along (1, 2, −1)."""
    points = (CORNERS * sides) @ rotation().T + offset * np.array([1.0, 2.0, -1.0])
    return points[BOX]


def torus(size: float = 1.0, offset: float = 0.0) -> np.ndarray:
    return np.asarray(oracles.bumpy_torus(24, 12), dtype=float) * size + offset * np.array([1.0, 2.0, -1.0])


CASES = {
    "bumpy torus": torus(),
    "moved by 1e3 sizes": torus(offset=1e3),
    "moved by 1e6 sizes": torus(offset=1e6),
    "size 1e6": torus(1e6),
    "size 1e-6": torus(1e-6),
    "plate 1 x 1 x 1e-6": box(1, 1, 1e-6),
    "rod 1e-3 x 1e-3 x 1000": box(1e-3, 1e-3, 1000),
    "rod moved by 1e3 sizes": box(1e-3, 1e-3, 1000, offset=1e6),
}


def errors(corners: np.ndarray) -> tuple[list[float], list[float]]:
    """Relative errors of volume, centre and inertia, and the bounds that are printed for them."""
    exact = oracles.exact_body(corners)
    volume, center, tensor = float(exact.volume), exact.centroid, np.array(exact.inertia, dtype=float)
    size = float(np.abs(corners).max())  # what a centre far away can be written down to
    measured = massprops.measure(corners, density=1.0, verify="closed", units="m")
    bound = measured.sources["arithmetic"]
    off = max(
        abs(float(oracles.rational(x) - c)) for x, c in zip(measured.center_of_mass.tolist(), center, strict=True)
    )
    largest = np.abs(tensor).max()
    found = [abs(measured.volume - volume) / volume, off / size, np.abs(measured.inertia - tensor).max() / largest]
    allowed = [bound.volume / volume, bound.center_of_mass.max() / size, bound.inertia.max() / largest]
    return found, allowed


def of_program(corners: np.ndarray) -> np.ndarray:
    return ten(massprops.measure(corners, density=1.0, units="m", exact=True))


def of_trimesh(corners: np.ndarray) -> np.ndarray:
    mesh = trimesh.Trimesh(corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3), process=False)
    return np.array([mesh.volume, *mesh.center_mass, *mesh.moment_inertia[UPPER]])


def of_libigl(corners: np.ndarray) -> np.ndarray:
    volume, first, inertia = igl.moments(corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3))
    with np.errstate(all="ignore"):  # far from the origin it finds no volume
        return np.array([volume, *(first / volume), *inertia[UPPER]])


def ten(body: oracles.ExactBody | massprops.Measurement) -> np.ndarray:
    """Volume, centre and inertia about it, rounded to doubles."""
    center = body.centroid if isinstance(body, oracles.ExactBody) else body.com
    return np.array([float(x) for x in (body.volume, *center, *np.array(body.inertia)[UPPER])])


UPPER = np.triu_indices(3)
PROGRAMS = {"massprops --exact": of_program, "trimesh": of_trimesh, "libigl": of_libigl}


def main() -> None:
    bodies = list(CASES.values())
    truths = [ten(oracles.exact_body(corners)) for corners in bodies]
    for name, program in PROGRAMS.items():
        nearest = sum(int((program(c) == t).sum()) for c, t in zip(bodies, truths, strict=True))
        print(f"{name:20}{nearest:4} of {10 * len(bodies)} numbers are the nearest doubles")
    print()
    print(f"{'':36}{'volume':>20}{'centre':>20}{'inertia':>20}")
    print(f"{'':36}" + f"{'error':>10}{'bound':>10}" * 3)
    for kind in (np.float32, np.float64):
        for name, corners in CASES.items():
            if kind is np.float32 and "moved" in name:
                continue  # single precision cannot hold such a body
            found, allowed = errors(corners.astype(kind))
            figures = "".join(f"{f:10.1e}{a:10.1e}" for f, a in zip(found, allowed, strict=True))
            print(f"{name + ', ' + kind.__name__:36}{figures}")


if __name__ == "__main__":
    words(__doc__)
    main()
