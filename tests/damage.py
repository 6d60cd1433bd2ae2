"""Planted damage: closed bodies whose integrals are known, and every way in which exports break them, by a seeded generator.

Bodies are smooth (a bumpy sphere, a bumpy torus) and CAD-like (an L-shaped bracket with a bore, a stepped shaft, a plate with
through-holes, an open tube), hollow, nested, and in contact, each of hundreds to thousands of facets.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, HalfspaceIntersection

Triangles = NDArray[np.float64]
Rng = np.random.Generator


def sphere_mesh(level: int) -> tuple[Triangles, NDArray[np.intp]]:
    """Points and faces of an icosahedron, each facet split into four `level` times, on the unit sphere."""
    g = (1 + 5**0.5) / 2
    points = [(-1, g, 0), (1, g, 0), (-1, -g, 0), (1, -g, 0), (0, -1, g), (0, 1, g)]
    points += [(0, -1, -g), (0, 1, -g), (g, 0, -1), (g, 0, 1), (-g, 0, -1), (-g, 0, 1)]
    faces = np.fromstring(
        (
            "0 11 5  0 5 1  0 1 7  0 7 10  0 10 11  1 5 9  5 11 4  11 10 2  10 7 6  7 1 8  "
            "3 9 4  3 4 2  3 2 6  3 6 8  3 8 9  4 9 5  2 4 11  6 2 10  8 6 7  9 8 1"
        ),
        dtype=np.intp,
        sep=" ",
    ).reshape(-1, 3)
    p = np.array(points, float)
    for _ in range(level):
        p, faces = quartered(p, faces)
        p /= np.linalg.norm(p, axis=1)[:, None]
    return p, faces


def quartered(points: Triangles, faces: NDArray[np.intp]) -> tuple[Triangles, NDArray[np.intp]]:
    """Every facet split into four at the middles of its edges, which neighbours share."""
    pairs = np.sort(np.stack([faces, np.roll(faces, -1, axis=1)], axis=2).reshape(-1, 2), axis=1)
    edges, number = np.unique(pairs, axis=0, return_inverse=True)
    middle = number.reshape(-1, 3) + len(points)
    a, b, c = faces.T
    ab, bc, ca = middle.T
    parts = np.stack([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]).transpose(2, 0, 1).reshape(-1, 3)
    return np.concatenate([points, points[edges].mean(axis=1)]), parts


def blob(level: int = 4) -> Triangles:
    """A bumpy sphere: smooth, no symmetry."""
    p, f = sphere_mesh(level)
    x, y, z = p.T
    r = 1 + 0.2 * np.sin(3 * x + 1) * np.cos(2 * y) + 0.1 * z * x
    return (p * r[:, None])[f]


def torus(n: int = 60, m: int = 30) -> Triangles:
    """A bumpy torus."""
    u, v = np.meshgrid(np.arange(n), np.arange(m), indexing="ij")
    a, b = 2 * np.pi * u / n, 2 * np.pi * v / m
    r = 0.4 + 0.05 * np.sin(3 * a) * np.cos(2 * b)
    grid = np.stack([(1 + r * np.cos(b)) * np.cos(a), (1 + r * np.cos(b)) * np.sin(a), 0.8 * r * np.sin(b)], axis=-1)
    return _quads(lambda i, j: grid[i % n, j % m], n, m)


def shaft(n: int = 48, rows: int = 4) -> Triangles:
    """A stepped shaft, revolved about z, with a closed bore at one end: flat faces at right angles to round ones."""
    radii, heights = [0, 0.5, 0.5, 0.9, 0.9, 0.35, 0.35, 0.2, 0.2, 0], [0, 0, 0.6, 0.6, 1, 1, 2, 2, 1.6, 1.6]
    corners = list(zip(radii, heights, strict=True))
    profile = [
        tuple(np.array(p) + (np.array(q) - np.array(p)) * k / rows)
        for p, q in itertools.pairwise(corners)
        for k in range(rows)
    ] + [corners[-1]]

    def at(i: int, j: int) -> Triangles:
        (r, z), angle = profile[j], 2 * np.pi * (i % n) / n
        return np.array([r * np.cos(angle), r * np.sin(angle), z]) + 0.0  # the axis is one point: no zero has a sign

    return proper(_quads(at, n, len(profile) - 1))


def bracket(cells: int = 6) -> Triangles:
    """An L of square tubes: the boundary of some cells of a grid, each side cut in two; flat faces, inner and outer corners."""
    solid = np.zeros((cells * 2, cells, cells), bool)
    solid[:, :, :2] = True
    solid[:3, :, :] = True
    solid[6:9, 2:4, :2] = False  # a hole through the foot
    facets = []
    for axis in range(3):
        for step in (-1, 1):
            outside = ~np.roll(np.pad(solid, 1), -step, axis=axis)[1:-1, 1:-1, 1:-1]
            for cell in np.argwhere(solid & outside):
                facets += _side(cell, axis, step)
    return np.array(facets, float) / cells


def _side(cell: NDArray[np.intp], axis: int, step: int) -> list[Triangles]:
    u, v = np.eye(3)[(axis + 1) % 3], np.eye(3)[(axis + 2) % 3]
    corner = cell + (np.eye(3)[axis] if step > 0 else 0)
    square = [corner, corner + u, corner + u + v, corner + v]
    square = square if step > 0 else square[::-1]
    return [np.array([square[0], square[1], square[2]]), np.array([square[0], square[2], square[3]])]


def _quads(at: Callable[[int, int], Triangles], n: int, m: int) -> Triangles:
    found = []
    for i in range(n):
        for j in range(m):
            a, b, c, d = at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)
            found += [[a, b, c], [a, c, d]]
    return np.array(found)


def proper(triangles: Triangles) -> Triangles:
    """Without those of two equal corners."""
    a, b, c = triangles.transpose(1, 0, 2)
    return triangles[(a != b).any(1) & (b != c).any(1) & (c != a).any(1)]


def placed(triangles: Triangles, rng: Rng) -> Triangles:
    """Turned and moved at random."""
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    q *= np.sign(np.linalg.det(q))
    return triangles @ q.T + rng.normal(size=3)


def size_of(triangles: Triangles) -> float:
    return float(np.linalg.norm(np.ptp(triangles.reshape(-1, 3), axis=0)))


BODIES: dict[str, Callable[[], Triangles]] = {"blob": blob, "torus": torus, "shaft": shaft, "bracket": bracket}


#: The same with fewer facets.
SMALL: dict[str, Callable[[], Triangles]] = {
    "blob": lambda: blob(3),
    "torus": lambda: torus(36, 18),
    "shaft": lambda: shaft(24, 2),
    "bracket": lambda: bracket(4),
}


def drilled_plate(holes: int = 3, n: int = 16) -> Triangles:
    """A plate with round through-holes in a row."""
    angle = 2 * np.pi * np.arange(n + 1) / n
    unit = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    circle = np.round(0.5 + 0.3 * unit, 9)
    square = np.round(0.5 + 0.5 * unit / np.abs(unit).max(axis=1, keepdims=True), 9)
    facets: list[Triangles] = []
    for k in range(holes):
        low_out, low_in = (np.append(p + np.array([k, 0]), np.zeros((n + 1, 1)), axis=1) for p in (square, circle))
        up_out, up_in = (p + np.array([0, 0, 0.4]) for p in (low_out, low_in))
        for one, other in ((up_out, up_in), (low_in, low_out), (low_out, up_out), (up_in, low_in)):
            strip = np.stack([one[:-1], one[1:], other[1:], other[:-1]], axis=1)
            if one is low_out:  # no wall between two cells
                wall = [(strip[:, :, 0] == x).all(axis=1) for x in range(1, holes)]
                strip = strip[~np.any(wall, axis=0)]
            facets += [strip[:, [0, 1, 2]], strip[:, [0, 2, 3]]]
    return quarter(np.concatenate(facets))


def tube(n: int = 24, rows: int = 6) -> Triangles:
    """A tube that is open at both ends."""
    z = np.linspace(0, 2, rows + 1)
    profile = [*((0.5, x) for x in z), *((0.4, x) for x in z[::-1])]

    def at(i: int, j: int) -> Triangles:
        (r, height), angle = profile[j % len(profile)], 2 * np.pi * (i % n) / n
        return np.array([r * np.cos(angle), r * np.sin(angle), height])

    return _quads(at, n, len(profile))


def _shells(*scales: float) -> list[Triangles]:
    """Bumpy spheres in one another: material, cavity, material …"""
    return [blob(2)[:, :: (-1) ** k] * scale for k, scale in enumerate(scales)]


def _stack() -> list[Triangles]:
    """Three boxes: the second on a part of a face of the first, the third at an edge of both."""
    places = (((0, 0, 0), (3, 2, 1)), ((1, 0, 1), (2, 1, 2)), ((0, 1, 1), (1, 2, 1.5)))
    return [quarter(quarter(box_mesh(np.array(low, float), np.array(high, float)))) for low, high in places]


#: Bodies of several shells, each with the orientation that it has in the file.
ASSEMBLIES: dict[str, Callable[[], list[tuple[int, Triangles]]]] = {
    "plate": lambda: [(1, drilled_plate())],
    "tube": lambda: [(1, tube())],
    "hollow": lambda: [(1, t) for t in _shells(1, 0.6)],
    "nested": lambda: [(1, t) for t in _shells(1, 0.8, 0.5)],
    "in contact": lambda: [(1, t) for t in _stack()],
    "in contact, one inside out": lambda: list(zip((1, -1, 1), _stack(), strict=True)),
}


def moments(triangles: Triangles) -> tuple[float, Triangles, Triangles]:
    """Volume, centroid and central second moments of the solid, by the sums of tetrahedra about the mean of the corners."""
    r = triangles.reshape(-1, 3).mean(axis=0)
    t = triangles - r
    volumes = np.linalg.det(t) / 6
    s = t.sum(axis=1)
    first = (volumes[:, None] * s / 4).sum(axis=0)
    outer = np.einsum("nij,nik->njk", t, t) + np.einsum("nj,nk->njk", s, s)
    second = (volumes[:, None, None] * outer / 20).sum(axis=0)
    v = float(volumes.sum())
    c = first / v
    return v, c + r, second - v * np.outer(c, c)


# --- damage ----------------------------------------------------------------------------------------------------------


def inside_out(t: Triangles, _rng: Rng) -> Triangles:
    return t[:, ::-1]


def some_flipped(share: float) -> Callable[[Triangles, Rng], Triangles]:
    def damage(t: Triangles, rng: Rng) -> Triangles:
        chosen = rng.random(len(t)) < share
        return np.where(chosen[:, None, None], t[:, ::-1], t)

    return damage


def some_twice(t: Triangles, rng: Rng) -> Triangles:
    return np.concatenate([t, t[rng.random(len(t)) < 0.05]])


def walls_inside(t: Triangles, rng: Rng) -> Triangles:
    """Sheets inside the body, each a facet and its reverse, hung on edges of the surface."""
    chosen = t[rng.random(len(t)) < 0.02]
    inner = chosen.copy()
    inner[:, 2] = 0.5 * (chosen[:, 0] + chosen[:, 1]) * 0.9 + 0.1 * t.reshape(-1, 3).mean(axis=0)
    return np.concatenate([t, inner, inner[:, ::-1]])


def jittered(share: float) -> Callable[[Triangles, Rng], Triangles]:
    """Every corner of every facet moved by itself: no two facets meet any more."""

    def damage(t: Triangles, rng: Rng) -> Triangles:
        return t + rng.uniform(-1, 1, t.shape) * share * size_of(t) / 3**0.5

    return damage


def half_shifted(t: Triangles, rng: Rng) -> Triangles:
    middle = t.mean(axis=(0, 1))
    side = (t.mean(axis=1) - middle) @ rng.normal(size=3) > 0
    direction = rng.normal(size=3)
    return t + np.where(side[:, None, None], 1e-4 * size_of(t) * direction / np.linalg.norm(direction), 0)


def t_junctions(t: Triangles, rng: Rng) -> Triangles:
    """One facet in ten cut in two at the middle of an edge, its neighbour not."""
    chosen = rng.random(len(t)) < 0.1
    cut = t[chosen]
    middle = (cut[:, 0] + cut[:, 1]) / 2
    halves = np.concatenate(
        [np.stack([cut[:, 0], middle, cut[:, 2]], axis=1), np.stack([middle, cut[:, 1], cut[:, 2]], axis=1)]
    )
    return np.concatenate([t[~chosen], halves])


def some_missing(share: float) -> Callable[[Triangles, Rng], Triangles]:
    def damage(t: Triangles, rng: Rng) -> Triangles:
        keep = rng.random(len(t)) >= share
        keep[rng.integers(len(t))] = False
        return t[keep]

    return damage


def hole(share: float) -> Callable[[Triangles, Rng], Triangles]:
    """The facets nearest to one of them are missing."""

    def damage(t: Triangles, rng: Rng) -> Triangles:
        middles = t.mean(axis=1)
        away = np.linalg.norm(middles - middles[rng.integers(len(t))], axis=1)
        return t[away > np.quantile(away, share)]

    return damage


def slab_missing(t: Triangles, rng: Rng) -> Triangles:
    """The facets between two planes across a principal axis are missing, as a scanner leaves them out."""
    middles = t.mean(axis=1)
    along = (middles - middles.mean(axis=0)) @ np.linalg.eigh(np.cov(middles.T))[1][:, rng.integers(3)]
    start = rng.uniform(0.1, 0.87)
    low, high = np.quantile(along, [start, start + 0.03])
    return t[(along < low) | (along > high)]


DAMAGES: dict[str, Callable[[Triangles, Rng], Triangles]] = {
    "inside out": inside_out,
    "1 % flipped": some_flipped(0.01),
    "30 % flipped": some_flipped(0.3),
    "5 % duplicated": some_twice,
    "walls inside": walls_inside,
    "moved by 1e-7": jittered(1e-7),
    "moved by 1e-5": jittered(1e-5),
    "moved by 1e-4": jittered(1e-4),
    "half shifted by 1e-4": half_shifted,
    "T-junctions": t_junctions,
    "0.1 % missing": some_missing(0.001),
    "1 % missing": some_missing(0.01),
    "5 % missing": some_missing(0.05),
    "hole of 1 %": hole(0.01),
    "hole of 5 %": hole(0.05),
    "slab of 3 %": slab_missing,
}


# --- bodies that overlap or lie inside each other, and their union ----------------------------------------------------

Moments = tuple[float, Triangles, Triangles]


def total(parts: list[tuple[int, Moments]]) -> Moments:
    """The sum of bodies, each ± 1 times: volume, centroid, central second moments."""
    volume = sum(k * v for k, (v, _, _) in parts)
    center = sum(k * v * c for k, (v, c, _) in parts) / volume
    second = sum(k * (s + v * np.outer(c - center, c - center)) for k, (v, c, s) in parts)
    return volume, center, second


def box_mesh(low: NDArray[np.float64], high: NDArray[np.float64]) -> Triangles:
    corners = np.array(list(itertools.product((0, 1), repeat=3)))
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    facets = [corners[[a, b, c]] for p, q, r, s in quads for a, b, c in ((p, q, r), (p, r, s))]
    return low + np.array(facets) * (high - low)


def hull_mesh(points: Triangles) -> Triangles:
    """Triangles of the convex hull, outward."""
    found = ConvexHull(points)
    triangles = points[found.simplices]
    normal = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    inward = (normal * found.equations[:, :3]).sum(axis=1) < 0
    triangles[inward] = triangles[inward][:, ::-1]
    return triangles


def boxes(count: int, rng: Rng) -> tuple[Triangles, Moments]:
    """Boxes that overlap, and their union: the cells of the grid of all their planes that lie in one of them."""
    low = rng.uniform(0, 1 if count > 2 else 0.15, (count, 3))
    high = low + rng.uniform(0.2, 0.6, (count, 3))
    planes = [np.unique(np.concatenate([low[:, k], high[:, k]])) for k in range(3)]
    middle = np.stack(np.meshgrid(*((p[1:] + p[:-1]) / 2 for p in planes), indexing="ij"), axis=-1)
    size = np.stack(np.meshgrid(*(np.diff(p) for p in planes), indexing="ij"), axis=-1)
    inside = np.any([((middle > a) & (middle < b)).all(axis=-1) for a, b in zip(low, high, strict=True)], axis=0)
    m, s = middle[inside], size[inside]
    v = s.prod(axis=1)
    center = (v[:, None] * m).sum(axis=0) / v.sum()
    arm = m - center
    second = np.einsum("n,ni,nj->ij", v, arm, arm) + np.diag((v[:, None] * s**2 / 12).sum(axis=0))
    return np.concatenate([box_mesh(*b) for b in zip(low, high, strict=True)]), (float(v.sum()), center, second)


def hulls(rng: Rng) -> tuple[Triangles, Moments]:
    """Two convex bodies that overlap, and their union: their sum less the intersection of their half spaces, by Qhull."""
    stretch = rng.uniform(0.5, 1.5, 3)
    one, two = (points / np.linalg.norm(points, axis=1)[:, None] * stretch for points in rng.normal(size=(2, 300, 3)))
    two += rng.uniform(0.3, 0.5) * stretch
    planes = np.concatenate([ConvexHull(one).equations, ConvexHull(two).equations])
    common = hull_mesh(HalfspaceIntersection(planes, (one.mean(axis=0) + two.mean(axis=0)) / 2).intersections)
    a, b = hull_mesh(one), hull_mesh(two)
    return np.concatenate([a, b]), total([(1, moments(a)), (1, moments(b)), (-1, moments(common))])


def overlapping(body: str, rng: Rng) -> tuple[Triangles, Moments]:
    """Two bodies, CAD-like or smooth."""
    return boxes(2, rng) if body in ("shaft", "bracket") else hulls(rng)


def overlapping_with_holes(body: str, rng: Rng) -> tuple[Triangles, Moments]:
    t, truth = overlapping(body, rng)
    t = quarter(quarter(t)) if len(t) < 100 else t
    return some_missing(0.01)(t, rng), truth


def quarter(t: Triangles) -> Triangles:
    ab, bc, ca = ((t[:, i] + t[:, (i + 1) % 3]) / 2 for i in range(3))
    a, b, c = t.transpose(1, 0, 2)
    return np.concatenate([np.stack(x, axis=1) for x in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])


def open_ball(height: float, *, whole: bool = False) -> Triangles:
    """Facets of a ball of radius 0.6 about a point at this height; without its bottom, which ends in a wavy rim."""
    facets = np.array([[[x, 0, 0], [0, y, 0], [0, 0, x * y * z]] for x in (1, -1) for y in (1, -1) for z in (1, -1)])
    facets = facets.astype(np.float64)
    for _ in range(4):
        facets = quarter(facets)
    facets = np.round(facets / np.linalg.norm(facets, axis=2, keepdims=True), 12)
    inward = np.linalg.det(facets) < 0
    facets[inward] = facets[inward][:, ::-1]
    x, y, z = facets.mean(axis=1).T
    return 0.6 * facets[whole | (z > -0.8 + 0.2 * (x * x - y * y))] + [0, 0, height]


def one_inverted(body: str, rng: Rng) -> tuple[Triangles, Moments]:
    """Two bodies apart from each other, one of them inside out."""
    t = placed(BODIES[body](), rng)
    other = t + 2 * size_of(t) * np.eye(3)[0]
    return np.concatenate([t, other[:, ::-1]]), moments(np.concatenate([t, other]))


def cavity(body: str, rng: Rng) -> tuple[Triangles, Moments]:
    """A cavity just below the surface whose facets look the wrong way."""
    t = placed(BODIES[body](), rng)
    f = t[rng.integers(len(t))]
    inward = -np.cross(f[1] - f[0], f[2] - f[0])
    depth = 0.02 * size_of(t)
    low = f.mean(axis=0) + depth * inward / np.linalg.norm(inward)
    inner = box_mesh(low - 0.2 * depth, low + 0.2 * depth)
    return np.concatenate([t, inner]), total([(1, moments(t)), (-1, moments(inner))])


COMPOUNDS: dict[str, Callable[[str, Rng], tuple[Triangles, Moments]]] = {
    "one of two inverted": one_inverted,
    "cavity the wrong way": cavity,
    "two overlapping": overlapping,
    "two overlapping, 1 % missing": overlapping_with_holes,
    "30 primitives": lambda _body, rng: boxes(30, rng),
}


def planted(damage: str, body: str, rng: Rng) -> tuple[Triangles, Moments]:
    """A damaged body, turned and moved at random, and the truth about the undamaged one."""
    if damage in COMPOUNDS:
        return COMPOUNDS[damage](body, rng)
    shells = ASSEMBLIES[body]() if body in ASSEMBLIES else [(1, BODIES[body]())]
    t = placed(np.concatenate([t for _, t in shells]), rng)
    orientation = np.repeat([k for k, _ in shells], [len(t) for _, t in shells])
    return DAMAGES[damage](np.where(orientation[:, None, None] < 0, t[:, ::-1], t), rng), moments(t)
