"""Walls: a layer inside a surface is the body less the inner polyhedron, whose faces are moved inward."""

from __future__ import annotations

import numpy as np
import pytest
from cases import refused
from damage import hull_mesh, moments, placed, sphere_mesh
from oracles import box, prism
from scipy.spatial import HalfspaceIntersection

from massprops.errors import InvalidGeometry
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.mesh.source import Triangles
from massprops.mesh.wall import wall_moments


def indexed(triangles: np.ndarray) -> IndexedMesh:
    return IndexedMesh.of(Triangles("x", len(triangles), lambda: iter([triangles])))


def inner(triangles: np.ndarray, t: float) -> np.ndarray:
    """The convex polyhedron whose planes are those of a convex one, moved inward by t: by Qhull's intersection of half spaces."""
    normal = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    away = (normal * triangles[:, 0]).sum(axis=1)
    middle = triangles.reshape(-1, 3).mean(axis=0)
    return hull_mesh(HalfspaceIntersection(np.column_stack([normal, t - away]), middle).intersections)


def icosphere() -> np.ndarray:
    points, faces = sphere_mesh(3)
    return points[faces]


def random_hull() -> np.ndarray:
    points = np.random.default_rng(0).normal(size=(300, 3))
    return hull_mesh(points / np.linalg.norm(points, axis=1)[:, None])


#: Body, thickness, and the error that the closed form may have, relative: the term of t³ of a random hull is the mitre's, not its own.
CASES = [
    (lambda: np.array(box((0, 0, 0), (1, 2, 3)), float), 0.02, 1e-11),
    (lambda: np.array(box((0, 0, 0), (1, 2, 3)), float), 0.4, 1e-11),
    (icosphere, 0.02, 1e-8),
    (icosphere, 0.4, 1e-5),
    (random_hull, 0.02, 1e-5),
    (random_hull, 0.1, 1e-4),
    (random_hull, 0.6, 1e-2),
]


@pytest.mark.parametrize(("make", "t", "error"), CASES)
def test_a_wall_is_the_body_less_the_inner_polyhedron(make, t, error) -> None:
    triangles = placed(make(), np.random.default_rng(4))
    (v, c, s), (vi, ci, si) = moments(triangles), moments(inner(triangles, t))
    wall = wall_moments(indexed(triangles), t, triangles[0, 0])
    volume = v - vi
    center = (v * c - vi * ci) / volume
    second = s + v * np.outer(c - center, c - center) - si - vi * np.outer(ci - center, ci - center)
    size = float(np.ptp(triangles.reshape(-1, 3), axis=0).max())
    assert wall.moments.measure == pytest.approx(volume, rel=error)
    assert abs(wall.moments.measure - volume) <= wall.off[0, 0] + 1e-11 * volume
    assert np.allclose(wall.moments.centroid, center, atol=error * size)
    assert np.allclose(wall.moments.central_second(), second, atol=error * volume * size**2)


def test_a_reflex_edge_adds_a_sector() -> None:
    # an L of squares, 1 thick beyond reach of its ends: per length, the layer at the reflex edge has a quarter disc more than both strips
    points = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
    t, height = 0.005, 1.0
    triangles = np.array(prism(points, height), float)
    # first and second order: strips, less the square at each convex edge, plus what is missing of it at the reflex one
    flat = (
        8 * t - 5 * t**2 + np.pi / 4 * t**2
    )  # of the section: perimeter 8, five convex corners (tan 45° = 1), one reflex
    area = 3.0
    lids = 2 * t * (area - flat)
    wall = wall_moments(indexed(triangles), t, triangles[0, 0])
    assert wall.moments.measure == pytest.approx(flat * height + lids, abs=20 * t**3)


@pytest.mark.parametrize(("lengths", "t"), [((1, 1, 0.1), 0.06), ((1, 0.1, 0.1), 0.08), ((1, 1, 1), 0.55)])
def test_where_walls_meet_the_whole_body_is_wall(lengths, t) -> None:
    triangles = placed(np.array(box((0, 0, 0), lengths), float), np.random.default_rng(2))
    wall = wall_moments(indexed(triangles), t, triangles[0, 0])
    volume = np.prod(lengths)
    assert wall.is_estimate
    assert abs(wall.moments.measure - volume) <= wall.off[0, 0] <= 0.01 * volume


def test_beyond_the_closed_form_an_estimate_holds_the_truth() -> None:
    # a thin plate beside a cube, apart from it: the plate is all wall where the cube still is hollow
    t = 0.1
    cube, plate = box((0, 0, 0), (1, 1, 1)), box((0, 0, 2), (1, 1, 2.15))
    triangles = np.array([*cube, *plate], float)
    wall = wall_moments(indexed(triangles), t, triangles[0, 0])
    truth = 1 - 0.8**3 + 0.15
    assert wall.is_estimate
    assert abs(wall.moments.measure - truth) <= wall.off[0, 0] <= 0.1 * truth


@pytest.mark.parametrize("turned", [False, True])
def test_where_space_does_not_count_once_no_share_of_the_volume_is_wall(turned) -> None:
    # the walls of the second box meet; half of it is in the first, and counts twice or not at all
    second = np.array(box((0.5, 0.2, 0.2), (1.5, 0.6, 0.6)), float)
    triangles = np.concatenate([np.array(box((0, 0, 0), (1, 1, 1)), float), second[:, ::-1] if turned else second])
    assert "not defined" in refused(InvalidGeometry, wall_moments, indexed(triangles), 0.25, triangles[0, 0])


@pytest.mark.parametrize("t", [1e-300, 1e-10])
def test_a_wall_within_rounding_is_refused(t) -> None:
    triangles = icosphere()
    assert "too thin to compute" in refused(InvalidGeometry, wall_moments, indexed(triangles), t, triangles[0, 0])
