"""Curved bodies as an exporter with a chord tolerance would write them, and the closed forms of the bodies themselves."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np
from oracles import ClosedForm, cone_form, cylinder_form, revolved, sphere_form, torus_form

Body = Callable[[float], tuple[np.ndarray, ClosedForm]]


def steps(r: float, tolerance: float, turn: float = 2 * math.pi) -> int:
    """The least number of chords of an arc whose sagitta is at most `tolerance`."""
    return max(3, math.ceil(turn / (2 * math.acos(1 - min(tolerance / r, 0.5)))))


def arc(r: float, begin: float, end: float, n: int, about: Sequence[float] = (0, 0)) -> list[tuple[float, float]]:
    """n + 1 points; those on the axis exactly there."""
    angles = [math.radians(begin + (end - begin) * k / n) for k in range(n + 1)]
    points = [(about[0] + r * math.cos(a), about[1] + r * math.sin(a)) for a in angles]
    return [(0.0 if abs(x) < 1e-12 * r else x, z) for x, z in points]


def cylinder(tolerance: float) -> tuple[np.ndarray, ClosedForm]:
    r, h = 3.0, 20.0
    profile = [(0, -h / 2), (r, -h / 2), (r, h / 2), (0, h / 2)]
    return revolved(profile, steps(r, tolerance)), cylinder_form(r, h)


def disc(tolerance: float) -> tuple[np.ndarray, ClosedForm]:
    r, h = 10.0, 1.0
    profile = [(0, -h / 2), (r, -h / 2), (r, h / 2), (0, h / 2)]
    return revolved(profile, steps(r, tolerance)), cylinder_form(r, h)


def cone(tolerance: float) -> tuple[np.ndarray, ClosedForm]:
    r, h = 4.0, 9.0
    return revolved([(0, 0), (r, 0), (0, h)], steps(r, tolerance)), cone_form(r, h)


def sphere(tolerance: float) -> tuple[np.ndarray, ClosedForm]:
    """Of parallels and meridians, whose two sagittas add up."""
    n = steps(5.0, tolerance / 2)
    return revolved(arc(5.0, -90, 90, math.ceil(n / 2)), n), sphere_form(5.0)


def geodesic_sphere(tolerance: float) -> tuple[np.ndarray, ClosedForm]:
    """An octahedron with triangular subdivision, on the sphere: facets of unequal size and six kinds of corners."""
    r, n = 5.0, 1
    while True:
        faces = _octahedron(n)
        triangles = r * faces / np.linalg.norm(faces, axis=2, keepdims=True)
        a, b, c = triangles.transpose(1, 0, 2)
        normal = np.cross(b - a, c - a)
        if r - ((a * normal).sum(1) / np.linalg.norm(normal, axis=1)).min() <= tolerance:
            return triangles, sphere_form(r)
        n += 1


def _octahedron(n: int) -> np.ndarray:
    cells = []
    for i, j in itertools.product(range(n), repeat=2):
        if i + j < n:
            cells.append([(i, j), (i + 1, j), (i, j + 1)])
        if i + j < n - 1:
            cells.append([(i + 1, j), (i + 1, j + 1), (i, j + 1)])
    grid = np.array(cells, dtype=float) / n
    octant = np.stack([grid[..., 0], grid[..., 1], 1 - grid.sum(axis=2)], axis=2)
    octants = []
    for signs in itertools.product((1, -1), repeat=3):
        turned = octant * signs
        octants.append(turned if math.prod(signs) > 0 else turned[:, ::-1])
    return np.concatenate(octants)


def torus(tolerance: float) -> tuple[np.ndarray, ClosedForm]:
    ring, tube = 6.0, 2.0
    around = arc(tube, 0, 360, steps(tube, tolerance / 2), (ring, 0))[:-1]
    return revolved(around, steps(ring + tube, tolerance / 2)), torus_form(ring, tube)


def dome(tolerance: float) -> tuple[np.ndarray, ClosedForm]:
    """A hemisphere on a cylinder, tangent to it: its centre of mass moves."""
    r, h = 3.0, 8.0
    n = steps(r, tolerance / 2)
    profile = [(0, -h), (r, -h), *arc(r, 0, 90, math.ceil(n / 4))]
    v, w = math.pi * r**2 * h, 2 / 3 * math.pi * r**3
    z = (w * 3 / 8 * r - v * h / 2) / (v + w)
    across = v * r**2 / 4 + w * r**2 / 5
    return revolved(profile, n), ClosedForm(
        v + w, (0.0, 0.0, z), (across, across, v * h**2 / 3 + w * r**2 / 5 - (v + w) * z**2)
    )


def filleted_box(tolerance: float) -> tuple[np.ndarray, ClosedForm]:
    """A box with edges and corners rounded by a ball: flat faces, quarter cylinders and octants, tangent to each other."""
    half, r = np.array([20.0, 12.0, 5.0]), 2.0
    m = steps(r, tolerance / 2, math.pi / 2)
    quarter = [math.pi / 2 * k / m for k in range(m + 1)]
    cos = [1.0, *(math.cos(a) for a in quarter[1:-1]), 0.0]
    sin = cos[::-1]
    east, north, up = np.eye(3)
    around = [  # each quadrant has both of its ends, with its own corner of the box inside
        (sx * half[0] * east + sy * half[1] * north, x * east + y * north)
        for sx, sy, quadrant in (
            (1, 1, [(c, s) for c, s in zip(cos, sin, strict=True)]),
            (-1, 1, [(-s, c) for c, s in zip(cos, sin, strict=True)]),
            (-1, -1, [(-c, -s) for c, s in zip(cos, sin, strict=True)]),
            (1, -1, [(s, -c) for c, s in zip(cos, sin, strict=True)]),
        )
        for x, y in quadrant
    ]
    levels = [*((-half[2] * up, c, -s) for c, s in zip(cos[::-1], sin[::-1], strict=True))]
    levels += [(half[2] * up, c, s) for c, s in zip(cos, sin, strict=True)]
    grid = np.array([[o + z + r * (c * d + s * up) for z, c, s in levels] for o, d in around]) + 0.0
    following = np.roll(grid, -1, axis=0)
    a, b, c, d = grid[:, :-1], following[:, :-1], following[:, 1:], grid[:, 1:]
    triangles = np.concatenate([np.stack([a, b, c], 2).reshape(-1, 3, 3), np.stack([a, c, d], 2).reshape(-1, 3, 3)])
    ends = grid[:: m + 1, 0], grid[:: m + 1, -1]
    caps = [[ends[0][[2, 1, 0]], ends[0][[3, 2, 0]]], [ends[1][[0, 1, 2]], ends[1][[0, 2, 3]]]]
    triangles = np.concatenate([triangles, *np.array(caps)])
    a, b, c = triangles.transpose(1, 0, 2)
    return triangles[(a != b).any(1) & (b != c).any(1) & (c != a).any(1)], filleted_box_form(half, r)


def filleted_box_form(half: np.ndarray, r: float) -> ClosedForm:
    """Eight times the octant: by the directions in which it is beyond the box, orthants of balls of that many dimensions."""
    measure = (1, r, math.pi * r**2 / 4, math.pi * r**3 / 6)
    first = (0, r**2 / 2, r**3 / 3, math.pi * r**4 / 16)
    square = (0, r**3 / 3, math.pi * r**4 / 16, math.pi * r**5 / 30)
    volume, second = 0.0, np.zeros(3)
    for beyond in itertools.product((False, True), repeat=3):
        k = sum(beyond)
        inside = [h for h, out in zip(half, beyond, strict=True) if not out]
        volume += 8 * math.prod(inside) * measure[k]
        for x in range(3):
            others = math.prod(h for y, h in enumerate(half) if y != x and not beyond[y])
            h = half[x]
            part = h**2 * measure[k] + 2 * h * first[k] + square[k] if beyond[x] else h**3 / 3 * measure[k]
            second[x] += 8 * others * part
    return ClosedForm(volume, (0.0, 0.0, 0.0), tuple(second))


#: Bodies by the tolerance that they are written with; none is smaller than 1 or larger than 50.
BODIES: dict[str, Body] = {
    "cylinder": cylinder,
    "disc": disc,
    "cone": cone,
    "sphere": sphere,
    "geodesic sphere": geodesic_sphere,
    "torus": torus,
    "dome": dome,
    "filleted box": filleted_box,
}
TOLERANCES = (0.3, 0.1, 0.03, 0.01, 0.003)
