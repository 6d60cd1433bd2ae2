"""What no density inside a convex hull has: the same whatever the axes, never said of mass that lies inside, and exact for ellipsoids."""

from __future__ import annotations

import numpy as np
import pytest

from massprops.frames import Pose
from massprops.moments.arrays import Array
from massprops.rigid_body.extent import Extent, farthest, hull_findings
from massprops.rigid_body.fits import ellipsoid_findings
from massprops.rigid_body.mass_properties import MassProperties

RNG = np.random.default_rng(51)
ORIGIN = np.zeros(3)


def body(centre: Array, covariance: Array, mass: float = 2.0) -> MassProperties:
    return MassProperties(mass, centre, mass * (np.trace(covariance) * np.eye(3) - covariance))


def point_masses(points: Array, weights: Array) -> MassProperties:
    centre = weights @ points / weights.sum()
    return body(centre, (points - centre).T @ (weights[:, None] * (points - centre)) / weights.sum())


def random_rotation() -> Array:
    quaternion = RNG.normal(size=4)
    return Pose.from_quaternion(xyzw=quaternion / np.linalg.norm(quaternion)).rotation


def random_extent() -> tuple[Extent, Array]:
    """A hull of points and of a primitive that is turned and moved; and points of it."""
    points = RNG.normal(size=(12, 3)) * [1.0, 0.3, RNG.choice([0.0, 0.1, 1.0])]
    chunks = [points[:5], points[5:]]
    name, lengths = (
        ("cylinder", {"radius": 0.4, "length": 1.5}),
        ("capsule", {"radius": 0.4, "length": 1.5}),
        ("sphere", {"radius": 0.6}),
        ("ellipsoid", {"rx": 0.2, "ry": 0.5, "rz": 0.9}),
        ("box", {"x": 0.5, "y": 1.0, "z": 1.5}),
        ("frustum", {"radius": 0.5, "top_radius": 0.1, "height": 1.0}),
    )[RNG.integers(6)]
    turn, shift = random_rotation(), RNG.normal(size=3)
    inner = RNG.normal(size=(6, 3))
    inner *= 0.1 / np.abs(inner).max()  # inside of each of them, near the axis
    shape = Extent.of_shape(name, lengths).mapped(turn, shift)
    return Extent.of_points(lambda: chunks) + shape, np.concatenate([points, inner @ turn.T + shift])


def codes(stated: MassProperties, extent: Extent, margin: float = 1e-5) -> list[str]:
    return [f.code for f in hull_findings(stated, extent, ORIGIN, 3.0, margin)]


def test_mass_inside_is_never_called_impossible() -> None:
    """Whatever points of the hull have mass, also corners alone: what is called impossible has to be so."""
    for _ in range(60):
        extent, points = random_extent()
        assert codes(point_masses(points, RNG.dirichlet(np.full(len(points), 0.2))), extent) == []


def test_the_verdict_turns_with_the_body() -> None:
    said = []
    for _ in range(40):
        extent, points = random_extent()
        stated = point_masses(points, RNG.dirichlet(np.full(len(points), 0.2)))
        centre = stated.com * RNG.uniform(0.9, 2.2)
        covariance = stated.second_moment() / stated.mass * RNG.uniform(0.8, 1.8)
        first = codes(body(centre, covariance), extent)
        said += first or ["possible"]
        turn, shift = random_rotation(), RNG.normal(size=3)
        other = body(turn @ centre + shift, turn @ covariance @ turn.T)
        assert codes(other, extent.mapped(turn, shift)) == first
    assert min(map(said.count, ("possible", "com-outside-bounds", "spread-outside-bounds"))) > 3


def test_an_ellipsoid_holds_what_is_possible_in_it_and_no_more() -> None:
    """For one ellipsoid a single inequality is necessary and sufficient (Wensing, Kim and Slotine 2018)."""
    axes = np.array([0.3, 0.5, 1.1])
    extent, outside = Extent.of_shape("ellipsoid", dict(zip(("rx", "ry", "rz"), axes.tolist(), strict=True))), 0
    for _ in range(60):
        root = RNG.normal(size=(3, 3)) * axes[:, None] / 3.5 * RNG.uniform(0.7, 1.3)
        stated = body(axes * RNG.normal(size=3) / 6, root @ root.T)
        expected = bool(ellipsoid_findings(stated, axes))
        outside += expected
        if expected != bool(ellipsoid_findings(stated, axes * (1.001 if expected else 0.999))):
            continue  # at the limit
        assert bool(codes(stated, extent)) == expected
    assert 10 < outside < 50


@pytest.mark.parametrize("share", [0.99, 1.01])
def test_a_ball_ends_at_its_radius_in_every_direction(share: float) -> None:
    ball = Extent.of_shape("sphere", {"radius": 0.2})
    tiny = 1e-6 * np.eye(3)
    for normal in np.concatenate([np.eye(3), RNG.normal(size=(5, 3))]):
        away = body(0.2 * share * normal / np.linalg.norm(normal), tiny)
        found = hull_findings(away, ball, ORIGIN, 0.5, 0.0)
        assert [f.code for f in found] == ["com-outside-bounds"] * (share > 1)
        assert all(f.value == pytest.approx(0.2 * (share - 1), rel=1e-3) for f in found)


def test_what_is_spread_farther_than_a_box_does_not_fit_its_hull() -> None:
    """Bhatia and Davis 2000: the variance between l and u with mean c is at most (u − c)(c − l)."""
    half = np.array([0.2, 0.5, 0.8])
    extent, outside = Extent.of_box(np.array([-half, half])), 0
    for _ in range(60):
        root = RNG.normal(size=(3, 3)) * half[:, None] / 2.5
        stated = body(half * RNG.uniform(-0.8, 0.8, size=3), root @ root.T)
        if (stated.second_moment().diagonal() / stated.mass > 1.001 * (half**2 - stated.com**2)).any():
            outside += 1
            assert codes(stated, extent)
    assert 10 < outside < 60


def test_points_between_the_kept_directions_decide() -> None:
    """Of a mesh with many points few are kept: a long spike in one direction is found when it matters."""
    cloud = RNG.normal(size=(20_000, 3))
    cloud /= np.linalg.norm(cloud, axis=1)[:, None]
    normal = np.array([0.36, 0.48, 0.8])
    reads = []

    def chunks() -> list[Array]:
        reads.append(1)
        return [cloud[:7_000], cloud[7_000:]]

    extent = Extent.of_points(chunks)
    assert len(farthest([cloud])) < 100
    for reach, outside in ((0.99, False), (1.01, True)):
        away = body(reach * normal, 1e-8 * np.eye(3))
        assert bool(hull_findings(away, extent, ORIGIN, 2.0, 0.005)) == outside
    assert len(reads) > 1


def test_a_margin_enlarges_points_and_radii() -> None:
    flat = Extent.of_shape("cylinder", {"radius": 0.5, "length": 0.0}) + Extent.of_points(lambda: [np.zeros((1, 3))])
    above = body(np.array([0.1, 0.2, 0.01]), 1e-9 * np.eye(3))
    assert codes(above, flat, 0.009) == ["com-outside-bounds"]
    assert codes(above, flat, 0.011) == []


@pytest.mark.parametrize("scale", [1e12, 1e150, 1e300])
def test_numbers_that_are_absurd_are_outside_too(scale: float) -> None:
    ball = Extent.of_shape("sphere", {"radius": 0.2})
    assert codes(body(np.array([0.0, scale, 0.0]), 1e-6 * np.eye(3)), ball) == ["com-outside-bounds"]
    assert codes(body(ORIGIN, scale * np.eye(3)), ball) == ["spread-outside-bounds"]
