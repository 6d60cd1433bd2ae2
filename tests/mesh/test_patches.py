"""Patches that are seen once (docs/patches.md): the compiled core finds what a comparison of all pairs finds.

MASSPROPS_MESHES: how many random meshes are compared (40 unless it says otherwise); MASSPROPS_SEED: the first of them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cores import compiled, core_of
from oracles import bumpy_torus, moved, rotated

from massprops import native
from massprops.formats.mesh.arrays import from_soup
from massprops.mesh.box_tree import TooManyPairs
from massprops.mesh.indexed_mesh import IndexedMesh, NumberedFacets
from massprops.mesh.proof import tiles
from massprops.mesh.proof.embedding import _near_compiled, _relation, embedding_of

pytestmark = compiled
Mesh = tuple[np.ndarray, np.ndarray]
Random = np.random.Generator

TETRAHEDRON = (
    np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]),
    np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]),
)
CUBE = (
    np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]),
    np.array(
        [
            [0, 1, 3],
            [0, 3, 2],
            [4, 6, 7],
            [4, 7, 5],
            [0, 4, 5],
            [0, 5, 1],
            [2, 3, 7],
            [2, 7, 6],
            [0, 2, 6],
            [0, 6, 4],
            [1, 5, 7],
            [1, 7, 3],
        ]
    ),
)


def together(bodies: list[Mesh]) -> Mesh:
    first = np.cumsum([0, *(len(p) for p, _ in bodies)])
    return np.concatenate([p for p, _ in bodies]), np.concatenate(
        [f + n for (_, f), n in zip(bodies, first, strict=False)]
    )


def quads(rows: int, columns: int, closed: tuple[bool, bool] = (True, True)) -> np.ndarray:
    """Facets of a grid of points, which goes on at its other end where it is closed."""
    i, j = np.meshgrid(np.arange(rows - (not closed[0])), np.arange(columns - (not closed[1])), indexing="ij")
    a, b, c, d = ((i + x) % rows * columns + (j + y) % columns for x, y in ((0, 0), (1, 0), (1, 1), (0, 1)))
    return np.stack([np.stack([a, b, c], -1), np.stack([a, c, d], -1)], 2).reshape(-1, 3)


def solids(r: Random) -> Mesh:
    bodies = []
    for _ in range(r.integers(1, 5)):
        p, f = (TETRAHEDRON, CUBE)[r.integers(2)]
        linear = r.integers(-2, 3, (3, 3)) if r.random() < 0.5 else np.diag(r.integers(1, 5, 3))
        determinant = round(np.linalg.det(linear))
        linear = linear if determinant else np.eye(3, dtype=int)
        bodies.append((p @ linear.T + r.integers(-3, 4, 3), f[:, ::-1] if determinant < 0 else f))
    return together(bodies)


def torus(r: Random, most: int = 9) -> Mesh:
    rows, columns = r.integers(4, most), r.integers(3, most)
    u, v = np.meshgrid(np.arange(rows) * 2 * np.pi / rows, np.arange(columns) * 2 * np.pi / columns, indexing="ij")
    large, small = r.integers(3, 3 * most), r.integers(1, most)
    radius = large + small * np.cos(v)
    p = np.stack([radius * np.cos(u), radius * np.sin(u), small * np.sin(v)], -1).reshape(-1, 3)
    return p + r.uniform(-1, 1, p.shape) * r.choice([0, 0.8, 2]), quads(rows, columns)


def several_tori(r: Random) -> Mesh:
    p, f = torus(r, 24)
    p[r.integers(len(p))] += r.integers(-9, 10, 3) * r.integers(2)
    return together([(p, f), (p / r.integers(1, 4) + r.integers(-20, 21, 3), f)][: r.integers(1, 3)])


def strip(r: Random) -> Mesh:
    """A bar that winds round an axis several times, perhaps through itself: its projections overlap."""
    n = r.integers(8, 40)
    angle, radius = np.arange(n) * r.uniform(0.3, 0.9), r.integers(8, 30) + np.arange(n) * r.choice([0, 0.1, 0.6])
    rise = np.arange(n) * r.choice([0, 0.1, 0.5, 1.5])
    p = [
        [(radius + x) * np.cos(angle), (radius + x) * np.sin(angle), rise + z]
        for x, z in ((0, 0), (3, 0), (3, 2), (0, 2))
    ]
    ends = np.array([[0, 1, 2], [0, 2, 3], [4 * n - 4, 4 * n - 2, 4 * n - 3], [4 * n - 4, 4 * n - 1, 4 * n - 2]])
    return np.array(p).transpose(2, 0, 1).reshape(-1, 3), np.concatenate([quads(n, 4, (False, True)), ends])


def bushing(r: Random) -> Mesh:
    """A hollow cylinder, turned; its wall may be of no thickness, or negative."""
    n, wall = r.integers(5, 25), r.uniform(0.3, 1.02)
    angle = np.arange(n) * 2 * np.pi / n
    profile = ((1, -1), (1, 1), (wall, 1), (wall, -1))
    p = np.stack(
        [[x * np.cos(angle), x * np.sin(angle), z * r.integers(1, 9) + 0 * angle] for x, z in profile]
    ).transpose(2, 0, 1)
    return p.reshape(-1, 3) @ np.linalg.qr(r.normal(size=(3, 3)))[0].T * r.integers(20, 400), quads(n, 4)


def spindle(r: Random) -> Mesh:
    n = r.integers(4, 40)
    angle = np.sort(r.uniform(0, 2 * np.pi, n)) * r.choice([1, 1, 2])
    rim = np.stack([np.cos(angle) * r.integers(3, 40), np.sin(angle) * r.integers(3, 40), r.integers(-3, 4, n)], -1)
    i, j = np.arange(n), (np.arange(n) + 1) % n
    facets = np.concatenate([np.stack([i, j, np.full(n, n)], -1), np.stack([j, i, np.full(n, n + 1)], -1)])
    return np.concatenate([rim, [[0, 0, r.integers(4, 60)], [0, 0, -r.integers(4, 60)]]]), facets


MAKERS: tuple[Callable[[Random], Mesh], ...] = (solids, torus, strip, bushing, spindle, several_tori)


def random_mesh(seed: int) -> NumberedFacets:
    """A mesh with whole coordinates, in any order, some of it doubled, turned or missing."""
    r = np.random.default_rng(seed)
    p, f = MAKERS[seed % len(MAKERS)](r)
    p, number = np.unique(np.rint(p).astype(int), axis=0, return_inverse=True)
    f = number.reshape(-1)[f]
    f = f[(f[:, 0] != f[:, 1]) & (f[:, 1] != f[:, 2]) & (f[:, 2] != f[:, 0])]
    if r.random() < 0.1:
        f = np.concatenate([f, f[: r.integers(1, 9), :: r.choice([-1, 1])]])
    f = r.permutation(f)[r.random() < 0.1 :]
    return NumberedFacets(p.astype(float), f.astype(np.int32))


def seen(mesh: NumberedFacets) -> tuple[Any, ...]:
    e = embedding_of(mesh)
    return e.outcome, e.crossings.tolist(), e.contacts.tolist(), e.part.tolist(), e.closed, e.winds_once


def all_pairs(mesh: NumberedFacets) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """Pairs of facets that cross, and that touch: every pair, in whole numbers, without boxes."""
    i, j = np.triu_indices(len(mesh.faces), 1)
    relation, _ = _relation(mesh.points.T.astype(np.int64), mesh.faces.T[:, i], mesh.faces.T[:, j])
    return tuple({*zip(i[relation == r].tolist(), j[relation == r].tolist(), strict=True)} for r in (-1, 0))  # type: ignore[return-value]


@pytest.mark.parametrize(
    "seed",
    range(
        *(int(os.environ.get("MASSPROPS_SEED", "0")) + x for x in (0, int(os.environ.get("MASSPROPS_MESHES", "40"))))
    ),
)
def test_random_meshes_are_what_a_comparison_of_all_pairs_finds(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    mesh = random_mesh(seed)
    with core_of("numpy"):
        expected = seen(mesh)
    for size in (1 << 17, int(np.random.default_rng(seed).integers(20, 200))):
        monkeypatch.setattr(tiles, "SIZE", size)
        with core_of("native"):
            assert seen(mesh) == expected, size
    p, f = mesh.points, mesh.faces
    if len(f) < 250 and np.cross(p[f[:, 1]] - p[f[:, 0]], p[f[:, 2]] - p[f[:, 0]]).any(axis=1).all():
        crossing, touching = all_pairs(mesh)
        assert ({*map(tuple, expected[1])}, {*map(tuple, expected[2])}) == (crossing, touching)


# --- the conditions of the theorem, one by one


def compared(triangles: Any) -> tuple[int, int]:
    """How many pairs the compiled core compares, and how many of them it does not know to be apart."""
    mesh = IndexedMesh.of(from_soup(np.asarray(triangles, dtype=float)))
    points = np.ldexp(mesh.points.T, -int(np.frexp(np.abs(mesh.points).max())[1]))
    met = _near_compiled(native._built()[0], points.T, mesh.faces)  # type: ignore[arg-type]
    return met.compared, len(met.pairs)


def sheet(height: Callable[[np.ndarray, np.ndarray], Any], size: int = 12) -> np.ndarray:
    """Facets of a square grid, moved by a map of the plane."""
    x, y = np.meshgrid(np.arange(size + 1.0), np.arange(size + 1.0), indexing="ij")
    points = np.stack(np.broadcast_arrays(*height(x, y)), -1).reshape(-1, 3)
    return points[quads(size + 1, size + 1, (False, False))]


def ramp(turns: float, rise: float, n: int = 60) -> np.ndarray:
    """A strip round an axis, seen from its front from above: it covers a ring `turns` times."""
    angle = np.linspace(0, 2 * np.pi * turns, n)
    points = np.stack([np.stack([r * np.cos(angle), r * np.sin(angle), rise * angle], -1) for r in (1.0, 2.0)], 1)
    return points.reshape(-1, 3)[quads(n, 2, (False, False))[:, ::-1]]


def fan(last: float, short: float = 1.0, n: int = 13) -> np.ndarray:
    """Facets round a corner, from one angle to another; the last edge is shorter."""
    angle = np.linspace(0, last, n)
    rim = np.stack([np.cos(angle), np.sin(angle), 0 * angle], -1) * np.append(np.ones(n - 1), short)[:, None]
    rim[abs(rim) < 1e-15] = 0  # a whole turn ends where it begins
    return np.stack([np.zeros((n - 1, 3)), rim[:-1], rim[1:]], 1)


def revolved(*profile: tuple[float, float], n: int = 24) -> np.ndarray:
    """Facets round an axis, of long thin facets."""
    angle = np.arange(n) * 2 * np.pi / n
    points = [[r * np.cos(angle), r * np.sin(angle), z + 0 * angle] for r, z in profile]
    return np.transpose(points, (2, 0, 1)).reshape(-1, 3)[quads(n, len(profile), (True, False))]


def pinched() -> np.ndarray:
    """A ring of facets of which the inner outline comes twice to one corner."""
    inner = [(0, 0), (-1.2, 1), (-1.2, -1), (0, 0), (1.2, -1), (1.2, 1)]
    outer = [(0, 3), (-3, 3), (-3, -3), (0, -3), (3, -3), (3, 3)]
    i, o = (np.append(np.array(x, float), np.zeros((6, 1)), axis=1) for x in (inner, outer))
    nxt = [1, 2, 3, 4, 5, 0]
    return np.concatenate([np.stack([o, o[nxt], i[nxt]], 1), np.stack([o, i[nxt], i], 1)])


@pytest.mark.parametrize(
    "body",
    [
        sheet(lambda x, y: (x, y, 0.1 * x * y)),
        ramp(0.9, 0.2),
        fan(1.9 * np.pi),
        pinched(),
        sheet(lambda x, y: (x, y, 0.3 * np.sin(x) + 0.3 * np.cos(y)), 20),
        revolved((1, 6), (1, 0)),
        revolved((0.7, 6), (1, 0)),
    ],
    ids=["a sheet", "a ramp of less than a turn", "a fan", "a pinched corner", "waves", "a wall", "a cone"],
)
def test_no_pair_of_a_patch_is_compared(body: np.ndarray) -> None:
    for turned in (body, rotated(body)):
        assert compared(turned) == (0, 0)


@pytest.mark.parametrize(
    ("body", "meet"),
    [
        # covered twice: the outline crosses itself, and the strip lies on itself or passes through itself
        (ramp(1.5, 0.0), True),
        (ramp(2.5, 0.0), True),
        (ramp(1.5, 0.3), False),
        # edges with a common end that lie on each other, the one longer than the other; and just beside each other
        (fan(2 * np.pi, 0.5), True),
        (fan(2.2 * np.pi, 0.5), True),
        # a fold: facets that turn their back to the direction lie on the others, or pass through them
        (sheet(lambda x, y: (np.where(x < 7, x, 14 - x), y, 0.0)), True),
        (sheet(lambda x, y: (np.where(x < 7, x, 14 - x), y, np.where(x < 7, 0, 0.5 - 0.25 * (x - 7)))), True),
        (sheet(lambda x, y: (np.where(x < 7, x, 14 - x), y, np.where(x < 7, 0, 0.5 * (x - 7)))), False),
        # a wall that goes on behind the point that sees it; and one that passes through itself
        (revolved((1, 6), (1, 0), (9, -8)), False),
        (revolved((1, 6), (1, 0), (0.5, 0), (0.5, 7), (2, 3)), True),
    ],
    ids=[
        "one and a half turns",
        "two and a half turns",
        "a ramp of them",
        "edges on each other",
        "edges past each other",
        "a fold",
        "a fold through itself",
        "a fold apart",
        "behind the point",
        "a wall through itself",
    ],
)
def test_what_is_covered_twice_is_compared(body: np.ndarray, meet: bool) -> None:
    for turned in (body, rotated(body)):
        pairs, found = compared(turned)
        assert pairs > 0
        assert (found > 0) == meet


@pytest.mark.parametrize("facet", [40, 41, 130, 131, 200, 247])
def test_a_corner_on_an_edge_is_a_walk_that_turns_neither_way(facet: int) -> None:
    """All edges of the slit have ends in common; one side of it is divided."""
    body = sheet(lambda x, y: (x, y, x - 2 * y))
    a, b, c = body[facet]
    divided = np.concatenate([np.delete(body, facet, axis=0), [[a, b, (a + c) / 2], [(a + c) / 2, b, c]]])
    assert compared(divided)[1] > 0


def double_cover() -> np.ndarray:
    """Two fans over a rim that goes round twice: all facets show their front to the middle, and a ray passes two of them."""
    n = 31
    angle = np.linspace(0, 4 * np.pi, n, endpoint=False)
    rim = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], -1)
    upper = np.stack([rim, np.roll(rim, -1, axis=0), np.broadcast_to([0, 0, 1.0], rim.shape)], axis=1)
    return np.concatenate([upper, (upper * [1, 1, -1])[:, ::-1]])


def test_a_ray_through_a_corner_does_not_say_that_a_closed_part_is_covered_once() -> None:
    """Whichever facet the ray is sent through, the other one that it passes is divided there."""
    body = double_cover()
    for facet in body:
        ray = 0.45 * facet[0] + 0.31 * facet[1] + 0.24 * facet[2]
        shares = np.linalg.solve(body.transpose(0, 2, 1), np.broadcast_to(ray[:, np.newaxis], (len(body), 3, 1)))
        (other,) = np.flatnonzero((shares[:, :, 0] > 0).all(axis=1) & (body != facet).any(axis=(1, 2)))
        a, b, c = body[other]
        divided = np.concatenate([np.delete(body, other, axis=0), [[a, b, ray], [b, c, ray], [c, a, ray]]])
        assert compared(divided)[1] > 0


def test_a_double_cover_of_a_closed_part_is_no_ball() -> None:
    body = double_cover()
    assert compared(body)[1] > 0
    once = body.copy()
    once[:, :, :2] = rotated_half(body[:, :, :2])
    assert compared(once) == (0, 0)


def rotated_half(plane: np.ndarray) -> np.ndarray:
    """Points of the plane at half their angle, in the order of a rim that goes round twice."""
    rim = np.linspace(0, 4 * np.pi, 31, endpoint=False)
    known = {(0.0, 0.0): (0.0, 0.0)} | {(np.cos(a), np.sin(a)): (np.cos(a / 2), np.sin(a / 2)) for a in rim}
    return np.array([known[tuple(p)] for p in plane.reshape(-1, 2)]).reshape(plane.shape)


def vessel() -> np.ndarray:
    """A wall that goes twice round an axis, and through itself, with pointed ends; in each of them a facet is missing.

    From a point of the axis behind the wall, all facets show the same side. The hole behind that point turns in the picture as facets do.
    """
    n, profile = 25, ((0, -3), (0.2, -2.5), (0.5, -2), (1, -1), (1, 1), (0.5, 2), (0.2, 2.5), (0, 3))
    angle = np.arange(n) * 4 * np.pi / n
    radius = 1 + 0.1 * np.sin(angle / 2)
    points = [[r * radius * np.cos(angle), r * radius * np.sin(angle), z + 0 * angle] for r, z in profile]
    facets = np.transpose(points, (2, 0, 1)).reshape(-1, 3)[quads(n, len(profile), (True, False))]
    height = facets[:, :, 2].mean(axis=1)
    holes = [np.flatnonzero(abs(height - z) < 0.2)[3] for z in (-2.25, 2.25)]
    pointed = np.linalg.norm(np.cross(facets[:, 1] - facets[:, 0], facets[:, 2] - facets[:, 0]), axis=1) > 1e-9
    return facets[pointed & ~np.isin(np.arange(len(facets)), holes)]


def test_corners_behind_the_point_that_sees_a_wall_are_in_no_patch_of_it() -> None:
    for turned in (vessel(), rotated(vessel())):
        assert compared(turned)[1] > 50


def test_a_torus_seen_aslant_is_divided_until_no_patch_covers_itself() -> None:
    """The swallowtail: facets that show their front to a direction, and hide each other. Through it passes a second torus."""
    whole = np.asarray(bumpy_torus(60, 40), dtype=float)
    pairs, found = compared(whole)
    assert 0 < pairs < 3 * len(whole)
    assert not found
    crossing = np.concatenate([whole, moved(rotated(whole), (0.3, 0.1, 0.2))])
    mesh = IndexedMesh.of(from_soup(crossing))
    with core_of("numpy"):
        expected = embedding_of(mesh).crossings.tolist()
    with core_of("native"):
        assert embedding_of(mesh).crossings.tolist() == expected
    assert len(expected) > 100


def test_thousands_of_needles_at_one_corner_are_counted_edge_by_edge() -> None:
    """They have no edge in common, and edges of one corner are not looked for among all others that it has."""
    n = 20_000
    end = np.random.default_rng(1).normal(size=(n, 3))
    needles = np.stack([np.zeros((n, 3)), end, end + 1e-6], 1)
    mesh = IndexedMesh.of(from_soup(needles))
    core, points = native._built()[0], mesh.points / 8
    assert core is not None
    for order in (np.arange(len(points)), np.argsort(np.abs(points).sum(axis=1), kind="stable")):
        faces = np.argsort(order)[mesh.faces].astype(np.int32)
        begin = time.process_time()
        with pytest.raises(TooManyPairs):
            _near_compiled(core, points[order], faces, 0)
        assert time.process_time() - begin < 2


def boxes_of(low: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Facets of boxes, turned off all axes."""
    corners = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)])
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = np.array([t for a, b, c, d in sides for t in ((a, b, c), (a, c, d))])
    points = low[:, np.newaxis] + corners * size[:, np.newaxis]
    return np.asarray(rotated(points[:, faces].reshape(-1, 3, 3)))


@compiled
@pytest.mark.parametrize("body", ["bristles", "shells"])
def test_slim_facets_turned_off_the_axes_meet_few_others_along_their_own(body: str) -> None:
    """Along the coordinates the boxes of nearly all pairs of 400 bodies meet, which are half a million pairs of 4,800 facets each way."""
    n = np.arange(400.0)
    if body == "bristles":
        low, size = np.stack([n % 20, n // 20, 0 * n], 1), np.tile([0.5, 0.5, 80.0], (400, 1))
    else:
        size = np.tile(1 - 0.9 * n[:, np.newaxis] / 400, 3)
        low = -size / 2
    facets = boxes_of(low, size)
    assert compared(facets)[0] < 20 * len(facets)
