"""Small random meshes, most of them no body: each is measured or refused, and nothing else is raised, no warning either."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from oracles import box, indexed, tetrahedron

import massprops
from massprops.errors import MasspropsError, result_or_error
from massprops.grades import Repair

Rng = np.random.Generator
Mesh = tuple[NDArray[np.floating], NDArray[np.int64]]

REPAIRS: list[Repair] = ["none", "safe", "full"]
#: Enough to meet the faults that one mesh in 60 to 400 has shown: no facet with an area, a wall that no point lies in, a family of lines
#: that meets nothing.
COUNT = 150
#: Rarer ones: nothing to fill, a body of no volume that the X-ray finds valid.
RARE = [2561, 2688]


def random_facets(rng: Rng) -> Mesh:
    """Facets between points of a small lattice, or anywhere: degenerate, open, repeated."""
    n = int(rng.integers(1, 9))
    points = rng.integers(-2, 3, (n, 3)).astype(float) if rng.random() < 0.6 else rng.normal(size=(n, 3))
    return points, rng.integers(0, n, (int(rng.integers(1, 14)), 3))


def damaged_bodies(rng: Rng) -> Mesh:
    """A few tetrahedra and boxes anywhere, with facets missing, repeated and turned, and corners moved and welded."""
    points, faces = [], []
    for _ in range(int(rng.integers(1, 4))):
        p, f = indexed(tetrahedron() if rng.random() < 0.5 else box())
        p = np.asarray(p, float) * rng.integers(1, 4, 3) + rng.integers(-2, 3, 3)
        faces.append(f + sum(map(len, points)))
        points.append(p + (rng.random() < 0.3) * rng.normal(size=p.shape) * 10.0 ** rng.uniform(-12, 0))
    p, f = np.concatenate(points), np.concatenate(faces)
    for _ in range(int(rng.integers(0, 3))):
        facet, one, other = int(rng.integers(len(f))), int(rng.integers(len(p))), int(rng.integers(len(p)))
        match int(rng.integers(6)):
            case 0:
                f = np.delete(f, facet, axis=0) if len(f) > 1 else f
            case 1:
                f = np.concatenate([f, f[facet : facet + 1]])
            case 2:
                f[facet] = f[facet, ::-1].copy()
            case 3:
                p[one] = p[other]
            case 4:
                f = f[:, ::-1].copy()
            case _:
                p[one] += rng.normal(size=3) * 10.0 ** rng.uniform(-16, 1)
    return p, f


def random_mesh(rng: Rng) -> Mesh:
    """Either of them, in any size and shape, anywhere, in single or double precision; now and then with a number that is none."""
    points, faces = random_facets(rng) if rng.random() < 0.25 else damaged_bodies(rng)
    wide, flat = rng.random(2) < (0.4, 0.2)
    points = points * 10.0 ** (rng.uniform(-55, 55) if wide else rng.uniform(-4, 4))
    if rng.random() < 0.3:  # needles, plates
        points = points * 10.0 ** (rng.uniform(-60, 60, 3) if flat else rng.uniform(-9, 9, 3))
    if rng.random() < 0.3:
        points = points + rng.normal(size=3) * np.abs(points).max() * 10.0 ** rng.uniform(-2, 18)
    if rng.random() < 0.3:
        points = points @ np.linalg.qr(rng.normal(size=(3, 3)))[0]
    if rng.random() < 0.02:
        points.flat[rng.integers(points.size)] = rng.choice([np.nan, np.inf, -np.inf, 1e308, 5e-324])
    with np.errstate(over="ignore"):
        return (points.astype(np.float32) if rng.random() < 0.3 else points), faces


_WORDS: dict[str, list[Any]] = {
    "on_open": ["error", "integrate", "hull", "shell"],
    "on_inverted": ["error", "flip"],
    "on_overlap": ["error", "count", "union"],
    "nested": ["ask", "cavity", "body"],
    "verify": ["none", "closed", "xray", "proof", "auto"],
    "kind": ["solid", "solid", "sheet", "wall"],
    "exact": [False, False, False, True],
    "max_uncertainty": [None, None, "1%"],
    "chord_tolerance": [None, None, "0.01m"],
    "units": ["m", "mm"],
    "lines": [40, 5, 1],
    "count_bodies": [False, True],
}


def random_options(rng: Rng, repair: Repair) -> dict[str, Any]:
    """Policies at random, a thickness for walls, and now and then a density."""
    chosen: dict[str, Any] = {"repair": repair}
    for name, words in _WORDS.items():
        if rng.random() < 0.6:
            chosen[name] = words[rng.integers(len(words))]
    if chosen.get("kind") == "wall":
        chosen["thickness"] = ["1mm", "1 m", "0.1 mm"][rng.integers(3)]
    if rng.random() < 0.3:
        chosen["density"] = ["1000", "7800 +- 50", "1e-30", "1e30"][rng.integers(4)]
    return chosen


def measured(seed: int) -> str:
    """What became of one mesh: the grade of its result, which is a JSON object and a table, or the code of its refusal."""
    rng = np.random.default_rng(seed)
    mesh = random_mesh(rng)
    options = random_options(rng, REPAIRS[seed % 3])
    found = result_or_error(partial(massprops.measure, mesh, **options))
    if isinstance(found, MasspropsError):
        assert type(found) is not MasspropsError
        assert "\n" not in str(found)
        return found.code
    json.dumps(found.to_dict(), allow_nan=False)
    assert str(found)
    return found.grade


def test_a_random_mesh_is_measured_or_refused() -> None:
    codes = set()
    for seed in [*range(COUNT), *RARE]:
        try:
            codes.add(measured(seed))
        except BaseException as error:
            error.add_note(f"seed {seed}")
            raise
    assert codes >= {
        "proved",
        "repaired",
        "unverified",
        "zero-volume",
        "open-edges",
        "overlapping-bodies",
        "implausible-size",
    }
