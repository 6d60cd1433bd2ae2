"""Space that bodies have in common, and what is left of one, against closed forms, exact cells and manifold3d."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
from cases import seeds
from oracles import NOTHING, box_moments, cells_of, central_second, centroid, floats

from massprops.frames import Pose
from massprops.measurement.shared_space import space_of_shape
from massprops.mesh.repair.overlap import FilledSpace, common_space, remainder

HERE = "0 0 0"


def space(name: str, at: str = HERE, **lengths: float) -> FilledSpace:
    found = space_of_shape(name, lengths)
    assert found is not None
    pose = Pose.parse(at)
    return found.moved(pose.rotation, pose.translation)


def box(low, high) -> FilledSpace:
    low, high = np.asarray(low, float), np.asarray(high, float)
    size = dict(zip("xyz", (high - low).tolist(), strict=True))
    return space("box", " ".join(map(repr, ((low + high) / 2).tolist())), **size)


@pytest.fixture(params=["manifold3d", "lines"])
def _tools(request, monkeypatch):
    """With the library of exact unions, and without."""
    if request.param == "lines":
        monkeypatch.setitem(sys.modules, "manifold3d", None)
    else:
        pytest.importorskip("manifold3d")


def cells(bodies, inside):
    """Volume, centre and ∫x² about it of boxes' cells where `inside` of the boxes that hold them is true."""
    around = cells_of([body.bounds for body in bodies])
    exact = sum((box_moments(low, high) for low, high, holds in around if inside(holds)), NOTHING)
    if not exact.volume:
        return 0.0, np.zeros(3), np.zeros(3)
    return float(exact.volume), floats(centroid(exact)), floats(central_second(exact)).diagonal()


@pytest.mark.usefixtures("_tools")
@pytest.mark.parametrize("seed", seeds(3))
def test_what_is_left_of_a_box_is_within_its_bounds(seed):
    rng = np.random.default_rng(seed)
    grid = rng.integers(0, 2) == 0  # faces in one plane, too

    def random_box():
        low = rng.integers(0, 4, 3) / 4 if grid else rng.uniform(0, 1, 3)
        return box(low, low + (rng.integers(1, 4, 3) / 4 if grid else rng.uniform(0.1, 1, 3)))

    body, cutters = random_box(), [random_box() for _ in range(rng.integers(1, 4))]
    volume, centre, second = cells([body, *cutters], lambda holds: holds[0] and not any(holds[1:]))
    found = remainder(body, cutters)
    if found is None:
        assert volume < 1e-3 * body.moments.measure
        return
    moments, off = found
    assert abs(moments.measure - volume) <= off.volume + 1e-14
    assert (np.abs(moments.centroid - centre) <= off.center + 1e-13).all()
    assert (np.abs(moments.central_second().diagonal() - second) <= off.second.diagonal() + 1e-13).all()
    one = cells([body, cutters[0]], all)[0]
    shared = common_space(body, cutters[0])
    if shared is None:
        assert one <= 1e-5 * body.moments.measure
    else:
        assert abs(shared[0].measure - one) <= shared[1] + 1e-14


def lens(a, b, distance):
    """Volume of what two balls have in common."""
    if distance >= a + b:
        return 0.0
    if distance <= abs(a - b):
        return 4 / 3 * math.pi * min(a, b) ** 3
    square = distance**2 + 2 * distance * (a + b) - 3 * (a - b) ** 2
    return math.pi * (a + b - distance) ** 2 * square / (12 * distance)


@pytest.mark.usefixtures("_tools")
@pytest.mark.parametrize("seed", seeds(3))
def test_balls_share_a_lens(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(0.3, 1, 2)
    at = rng.normal(size=3)
    at *= rng.uniform(0, 1.2) * (a + b) / np.linalg.norm(at)
    one, other = space("sphere", radius=a), space("sphere", " ".join(map(repr, at.tolist())), radius=b)
    true = lens(a, b, np.linalg.norm(at))
    found = common_space(one, other)
    volume, off = (found[0].measure, found[1]) if found else (0.0, one.gap + other.gap)
    assert abs(volume - true) <= off
    left = remainder(one, [other])
    rest = 4 / 3 * math.pi * a**3 - true
    if left is None:
        assert rest <= one.gap + other.gap + 1e-3 * one.moments.measure
    else:
        assert abs(left[0].measure - rest) <= left[1].volume + 1e-15


@pytest.mark.usefixtures("_tools")
def test_a_body_inside_another_with_a_clearance_costs_no_accuracy():
    block = box((-1, -1, -1), (1, 1, 1))
    for name, lengths in [
        ("sphere", {"radius": 0.9}),
        ("cylinder", {"radius": 0.5, "length": 1.0}),
        ("torus", {"radius": 0.5, "tube_radius": 0.25}),
        ("tube", {"outer_radius": 0.5, "inner_radius": 0.25, "length": 1.0}),
    ]:
        inner = space(name, "0.01 0.02 0.03 0.1 0.2 0.3", **lengths)
        moments, off = remainder(block, [inner])
        assert moments.measure == pytest.approx(8 - inner.moments.measure, rel=1e-14)
        assert off.volume < 1e-5
        np.testing.assert_allclose(
            moments.first + moments.measure * moments.reference,
            -inner.moments.measure * np.array([0.01, 0.02, 0.03]),
            atol=1e-12,
        )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (box((0, 0, 0), (1, 1, 1)), box((1, 0, 0), (2, 1, 1))),  # a common face
        (box((0, 0, 0), (1, 1, 1)), box((1, 1, 0), (2, 2, 1))),  # an edge
        (box((0, 0, 0), (1, 1, 1)), box((1, 1, 1), (2, 2, 2))),  # a corner
        (space("sphere", radius=1), space("sphere", "2 0 0", radius=1)),
        (space("cylinder", radius=1, length=2), space("tube", outer_radius=2, inner_radius=1, length=2)),
        (space("cone", radius=1, height=2), space("cone", "0 0 4  180deg 0 0", radius=1, height=2)),
    ],
)
def test_what_touches_shares_nothing_certain(one, other):
    for turn in ("0 0 0", "0.3 0.2 0.1  0.5 0.6 0.7"):
        pose = Pose.parse(turn)
        found = common_space(one.moved(pose.rotation, pose.translation), other.moved(pose.rotation, pose.translation))
        assert found is None or found[0].measure <= found[1]


@pytest.mark.parametrize("seed", seeds(3))
def test_hulls_against_manifold3d(seed, monkeypatch):
    manifold3d = pytest.importorskip("manifold3d")
    rng = np.random.default_rng(seed)

    def hull(points):
        mesh = manifold3d.Manifold.hull_points(points).to_mesh64()
        corners = np.asarray(mesh.vert_properties)[:, :3][np.asarray(mesh.tri_verts)]
        from massprops.mesh.surface import Surface

        return FilledSpace(Surface.of(corners, corners[0, 0]).solid.recentred(), corners, corners), manifold3d.Manifold(
            mesh
        )

    (one, first), (other, second) = (hull(rng.normal(size=(12, 3)) + rng.uniform(-1, 1, 3)) for _ in range(2))
    common, rest = (first ^ second).volume(), (first - second).volume()
    monkeypatch.setitem(sys.modules, "manifold3d", None)
    found, left = common_space(one, other), remainder(one, [other])
    assert abs((found[0].measure if found else 0.0) - common) <= (found[1] if found else 1e-5) + 1e-9
    assert left is not None
    assert abs(left[0].measure - rest) <= left[1].volume + 1e-9
