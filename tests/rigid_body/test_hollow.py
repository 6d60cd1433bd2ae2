"""Shapes as walls: the points of the solid that are nearer to its surface than the thickness."""

from __future__ import annotations

import functools
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from cases import each
from damage import sphere_mesh
from oracles import box, prism

from massprops.errors import InvalidInput
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.mesh.source import Triangles
from massprops.mesh.wall import wall_moments
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.mass_specification import MassSpecification as Spec
from massprops.rigid_body.shapes_by_name import shape_from_lengths

Depth = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def least(*depths: np.ndarray) -> np.ndarray:
    return np.minimum.reduce(np.broadcast_arrays(*depths))


def side(ax: float, ay: float, bx: float, by: float) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """The distance to the left of the line from a to b."""
    long = np.hypot(bx - ax, by - ay)
    return lambda x, y: ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / long


PRISM = [side(0, 0, 3, 0), side(3, 0, 4, 2), side(4, 2, 0, 0)]
#: Lengths, thickness, the box of the shape, and how deep a point lies below its surface (negative outside).
DEPTHS: dict[str, tuple[dict[str, float], float, tuple, Depth]] = {
    "box": (
        {"x": 1, "y": 2, "z": 3},
        0.2,
        ((-0.5, -1, -1.5), (0.5, 1, 1.5)),
        lambda x, y, z: least(0.5 - abs(x), 1 - abs(y), 1.5 - abs(z)),
    ),
    "sphere": ({"radius": 2}, 0.3, ((-2,) * 3, (2,) * 3), lambda x, y, z: 2 - np.sqrt(x * x + y * y + z * z)),
    "cylinder": (
        {"radius": 1, "length": 3},
        0.25,
        ((-1, -1, -1.5), (1, 1, 1.5)),
        lambda x, y, z: least(1 - np.hypot(x, y), 1.5 - abs(z)),
    ),
    "tube": (
        {"outer_radius": 2, "inner_radius": 1, "length": 3},
        0.2,
        ((-2, -2, -1.5), (2, 2, 1.5)),
        lambda x, y, z: least(2 - np.hypot(x, y), np.hypot(x, y) - 1, 1.5 - abs(z)),
    ),
    "cone": (
        {"radius": 2, "height": 3},
        0.2,
        ((-2, -2, 0), (2, 2, 3)),
        lambda x, y, z: least(z, (6 - 3 * np.hypot(x, y) - 2 * z) / np.sqrt(13)),
    ),
    "capsule": (
        {"radius": 1, "length": 2},
        0.3,
        ((-1, -1, -2), (1, 1, 2)),
        lambda x, y, z: 1 - np.sqrt(x * x + y * y + np.maximum(abs(z) - 1, 0) ** 2),
    ),
    "torus": (
        {"radius": 2, "tube_radius": 1},
        0.3,
        ((-3, -3, -1), (3, 3, 1)),
        lambda x, y, z: 1 - np.hypot(np.hypot(x, y) - 2, z),
    ),
    "triangular-prism": (
        {"base": 3, "height": 2, "length": 3, "apex": 4},
        0.15,
        ((0, 0, 0), (4, 2, 3)),
        lambda x, y, z: least(z, 3 - z, *(s(x, y) for s in PRISM)),
    ),
}


def about_origin(body: MassProperties) -> np.ndarray:
    return np.asarray(body.inertia_about(np.zeros(3)))


@functools.lru_cache(maxsize=1)
def sampled(name):
    """Points of the box around a shape, shape (n³, 3), and their depths. Stratified: their error is far below that of free ones."""
    _, _, (low, high), depth = DEPTHS[name]
    n = 80
    cells = np.stack(np.meshgrid(*[np.arange(n)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    points = np.array(low) + (cells + np.random.default_rng(0).random(cells.shape)) / n * (np.array(high) - low)
    return points, depth(*points.T)


@each("name", DEPTHS)
@each("infill", [None, "15 %"])
def test_a_wall_has_the_points_nearer_to_the_surface_than_its_thickness(name, infill) -> None:
    lengths, t, (low, high), _ = DEPTHS[name]
    points, d = sampled(name)
    weight = (
        np.where(d < 0, 0.0, np.where(d < t, 1.0, 0.0 if infill is None else 0.15))
        * np.prod(np.subtract(high, low))
        / len(points)
    )
    second = points.T @ (weight[:, None] * points)
    body = shape_from_lengths(name, lengths, Spec(density=1.0, thickness=t), kind="wall", infill=infill)
    size = np.abs([low, high]).max()
    assert body.mass == pytest.approx(weight.sum(), rel=2e-3)
    assert np.allclose(body.mass * body.com, weight @ points, atol=2e-3 * body.mass * size)
    truth = np.trace(second) * np.eye(3) - second
    assert np.allclose(about_origin(body), truth, atol=3e-3 * body.mass * size**2)


@each("name", DEPTHS)
def test_infill_goes_from_the_hollow_shape_to_the_solid(name) -> None:
    lengths, t, _, _ = DEPTHS[name]
    matter = Spec(density=3.0, thickness=t)
    hollow = shape_from_lengths(name, lengths, matter, kind="wall")
    solid = shape_from_lengths(name, lengths, Spec(density=3.0))
    assert shape_from_lengths(name, lengths, matter, kind="wall", infill="0%").mass == hollow.mass
    assert shape_from_lengths(name, lengths, matter, kind="wall", infill="100%").mass == solid.mass
    half = shape_from_lengths(name, lengths, matter, kind="wall", infill=0.5)
    assert half.mass == pytest.approx((hollow.mass + solid.mass) / 2, rel=1e-12)
    assert about_origin(half) == pytest.approx((about_origin(hollow) + about_origin(solid)) / 2, rel=1e-11, abs=1e-11)
    everything = shape_from_lengths(name, lengths, Spec(density=3.0, thickness=100.0), kind="wall")
    assert (everything.mass, everything.inertia.tolist()) == (solid.mass, solid.inertia.tolist())


@each("name", sorted(set(DEPTHS) - {"tube", "triangular-prism"}))
def test_a_thin_wall_tends_to_the_sheet(name) -> None:
    lengths, _, _, _ = DEPTHS[name]
    t = 1e-5
    wall = shape_from_lengths(name, lengths, Spec(mass=2.0, thickness=t), kind="wall")
    sheet = shape_from_lengths(name, lengths, Spec(mass=2.0), kind="sheet")
    assert wall.mass == pytest.approx(2.0, rel=1e-15)
    assert wall.com == pytest.approx(sheet.com, abs=10 * t)
    assert about_origin(wall) == pytest.approx(about_origin(sheet), rel=20 * t, abs=20 * t)


def ball(level: int) -> np.ndarray:
    points, faces = sphere_mesh(level)
    return points[faces]


def can(sides: int) -> np.ndarray:
    angle = 2 * np.pi * np.arange(sides) / sides
    return np.array(prism(np.column_stack([np.cos(angle), np.sin(angle)]).tolist(), 2.0), float) - [0, 0, 1]


@pytest.mark.parametrize(
    ("name", "lengths", "meshes", "error"),
    [
        ("box", {"x": 1, "y": 2, "z": 3}, [np.array(box((0, 0, 0), (1, 2, 3)), float) - [0.5, 1, 1.5]], 1e-12),
        ("sphere", {"radius": 1}, [ball(3), ball(4)], 4e-3),
        ("cylinder", {"radius": 1, "length": 2}, [can(32), can(128)], 2e-3),
    ],
)
def test_walls_of_fine_meshes_tend_to_those_of_the_shape(name, lengths, meshes, error) -> None:
    t = 0.1
    body = shape_from_lengths(name, lengths, Spec(density=1.0, thickness=t), kind="wall")
    truth = np.trace(body.inertia) / 2 * np.eye(3) - body.inertia
    off = []
    for triangles in meshes:
        mesh = IndexedMesh.of(Triangles("x", len(triangles), lambda t=triangles: iter([t])))
        wall = wall_moments(mesh, t, np.zeros(3)).moments
        assert np.allclose(wall.centroid, 0, atol=1e-9)
        second = np.abs(wall.central_second() - truth).max() / np.abs(truth).max()
        off.append(max(abs(wall.measure / body.mass - 1), second))
    assert off[-1] <= error
    assert all(fine < coarse / 3.5 for coarse, fine in pairwise(off))  # by the square of the edges


@each(
    ("name", "lengths", "matter", "options", "message"),
    [
        ("ellipsoid", {"rx": 1, "ry": 1, "rz": 2}, Spec(mass=1, thickness=0.1), {"kind": "wall"}, "has no closed form"),
        ("rod", {"length": 1}, Spec(mass=1, thickness=0.1), {"kind": "wall"}, "has no closed form"),
        ("sphere", {"radius": 1}, Spec(mass=1), {"kind": "wall"}, "kind='wall' needs thickness"),
        ("sphere", {"radius": 1}, Spec(thickness=0.1), {"kind": "wall"}, "no density, material or mass given"),
        ("sphere", {"radius": 1}, Spec(mass=1, thickness=1e-8), {"kind": "wall"}, "too small for the sphere"),
        ("sphere", {"radius": 1}, Spec(mass=1), {"infill": 0.2}, "infill needs kind='wall'"),
        ("sphere", {"radius": 1}, Spec(mass=1, thickness=0.1), {"kind": "wall", "infill": "120%"}, "from 0 to 1"),
        ("tube", {}, Spec(mass=1), {"kind": "sheet"}, "the surface of the tube has no closed form"),
        (
            "sphere",
            {"radius": 1},
            Spec.parse(mass=1, thickness="0.1 +- 0.01"),
            {"kind": "wall"},
            "a tolerance of the thickness of a wall is not propagated",
        ),
    ],
)  # fmt: skip
def test_what_has_no_closed_form_is_refused_with_the_reason(name, lengths, matter, options, message) -> None:
    with pytest.raises(InvalidInput, match=message):
        shape_from_lengths(name, lengths, matter, **options)
