"""Arrays of bodies move and merge as single bodies do, whatever the order of their ten numbers."""

from __future__ import annotations

import numpy as np
import pytest
from cases import each

from massprops.errors import InvalidInput
from massprops.frames import Pose
from massprops.rigid_body import batch, shapes
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.ten_vectors import LAYOUTS, pack, unpack

rng = np.random.default_rng(3)
POSES = [Pose.from_xyz_rpy(rng.normal(size=3), rng.uniform(-3, 3, size=3)) for _ in range(6)]
BODIES = [shapes.box(*rng.uniform(0.5, 2, size=3), mass=rng.uniform(1, 5)).transformed(pose) for pose in POSES]


def assert_same(one, other):
    np.testing.assert_allclose(one.mass, other.mass, rtol=1e-12)
    np.testing.assert_allclose(one.com, other.com, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(one.inertia, other.inertia, rtol=1e-11, atol=1e-11)


def vectors(bodies, order):
    return np.array([body.ten_vector(order) for body in bodies])


def assert_bodies(found, order, bodies):
    for vector, body in zip(found, bodies, strict=True):
        assert_same(MassProperties.from_ten_vector(vector, order), body)


@each("order", LAYOUTS)
def test_many_bodies_move_as_each_does(order):
    found = batch.moved(
        vectors(BODIES, order),
        order=order,
        rotation=[pose.rotation for pose in POSES],
        translation=[pose.translation for pose in POSES],
    )
    assert_bodies(found, order, [body.transformed(pose) for body, pose in zip(BODIES, POSES, strict=True)])


def test_one_motion_moves_all_and_many_move_one():
    pose = POSES[0]
    all_moved = batch.moved(vectors(BODIES, "urdf"), order="urdf", rotation=pose.rotation, translation=pose.translation)
    assert_bodies(all_moved, "urdf", [body.transformed(pose) for body in BODIES])
    spread = batch.moved(vectors(BODIES, "urdf")[0], order="urdf", translation=[p.translation for p in POSES])
    assert_bodies(spread, "urdf", [BODIES[0].transformed(Pose(np.eye(3), p.translation)) for p in POSES])


@each("order", LAYOUTS)
def test_bodies_are_summed_and_merged_as_the_algebra_does(order):
    array = vectors(BODIES, order)
    assert_bodies([batch.summed(array, order=order)], order, [sum(BODIES)])
    pairs = [a + b for a, b in zip(BODIES[:3], BODIES[3:], strict=True)]
    assert_bodies(batch.merged(array[:3], array[3:], order=order), order, pairs)
    assert_bodies(batch.summed(array.reshape(2, 3, 10), order=order, axis=0), order, pairs)


def test_a_hole_has_a_negative_mass():
    whole, hole = BODIES[0] + BODIES[1], BODIES[1]
    minus = vectors([hole], "urdf")[0] * np.array([-1, 1, 1, 1, -1, -1, -1, -1, -1, -1])
    assert_bodies([batch.merged(whole.ten_vector("urdf"), minus, order="urdf")], "urdf", [BODIES[0]])


def test_far_from_the_origin_nothing_cancels():
    far = Pose(np.eye(3), np.array([1e6, -1e6, 1e6]))
    found = batch.summed(vectors([body.transformed(far) for body in BODIES], "urdf"), order="urdf")
    here = sum(BODIES).inertia
    np.testing.assert_allclose(MassProperties.from_ten_vector(found, "urdf").inertia, here, rtol=1e-8, atol=1e-8)


def random_bodies(count, order):
    """Bodies from a gram to a tonne with all products of inertia, their tensors and centres over four decades."""
    random = np.random.default_rng(count)
    factor = random.normal(size=(3, 3, count)) * 10.0 ** random.uniform(-2, 2, count)
    mass = 10.0 ** random.uniform(-3, 3, count)
    second = mass * sum(factor[:, None, k] * factor[None, :, k] for k in range(3))
    inertia = np.moveaxis((second[0, 0] + second[1, 1] + second[2, 2]) * np.eye(3)[..., None] - second, -1, 0)
    com = random.normal(size=(count, 3)) * 10.0 ** random.uniform(-2, 2, (count, 1))
    return pack(mass, com, inertia, order)


def allowed(order, mass, norm, length):
    """The stated bound of the ten numbers of results: of masses, norms of central tensors and longest distances, shape (…)."""
    centre = mass * length if LAYOUTS[order].first == "moment" else length
    tensor = (norm + mass * length**2) / (mass if LAYOUTS[order].per_mass else 1.0)
    return batch.SINGLE_PRECISION * np.stack([mass, *[centre] * 3, *[tensor] * 6], axis=-1)


@pytest.mark.parametrize(("order", "count"), [("urdf", 200_000), *((order, 4_000) for order in LAYOUTS)])
def test_single_precision_is_as_near_to_double_as_stated(order, count):
    bodies, half = random_bodies(count, order), count // 2
    random = np.random.default_rng(1)
    turn, shift = Pose.from_xyz_rpy(rpy=random.uniform(-3, 3, 3)).rotation, random.normal(size=(count, 3))
    mass, com, inertia = unpack(bodies, order)
    norm, far = (np.sqrt((array**2).sum(axis=axes)) for array, axes in ((inertia, (-2, -1)), (com, -1)))
    reach = np.maximum(np.linalg.norm(shift, axis=-1), np.maximum(far, np.linalg.norm(com @ turn.T + shift, axis=-1)))
    pair = [mass[:half] + mass[half:], norm[:half] + norm[half:], np.maximum(far[:half], far[half:])]
    for call, size in (
        (lambda b, **k: batch.moved(b, order=order, rotation=turn, translation=shift, **k), (mass, norm, reach)),
        (lambda b, **k: batch.merged(b[:half], b[half:], order=order, **k), pair),
        (lambda b, **k: batch.summed(b, order=order, **k), (mass.sum(), norm.sum(), far.max())),
        (lambda b, **k: batch.reordered(b, order=order, to=order, **k), (mass, norm, far)),
    ):
        found, exact = call(bodies.astype(np.float32), dtype=np.float32), call(bodies)
        assert (found.dtype, exact.dtype) == (np.float32, np.float64)
        share = (np.abs(found - exact) / allowed(order, *size)).max()
        assert 1e-3 < share < 1  # not 0: it was not computed in double precision


def test_what_single_precision_cannot_hold_is_refused():
    body = BODIES[0].ten_vector("urdf")
    for scale, told in ((1e39, "e.39 is outside"), (1e-39, "e-.* is outside")):
        with pytest.raises(InvalidInput, match=told):
            batch.reordered([body, scale * body], order="urdf", to="mjcf", dtype=np.float32)
    with pytest.raises(InvalidInput, match="float32 or float64, got float16"):
        batch.summed([body], order="urdf", dtype=np.float16)
    with pytest.raises(InvalidInput, match="float32 or float64, got 'nonsense'"):
        batch.summed([body], order="urdf", dtype="nonsense")
    with pytest.raises(InvalidInput, match="translation must be finite, got inf"):
        batch.moved(body, order="urdf", translation=[0, 0, 1e39], dtype=np.float32)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda v: batch.summed(v, order="urdf", axis=1), "no axis 1"),
        (lambda v: batch.moved(v, order="urdf", rotation=np.eye(2)), "rotation must have shape"),
        (lambda v: batch.moved(v, order="urdf", translation=[0, 0, np.inf]), "translation must be finite"),
        (lambda v: batch.merged(v[0], v[0] * [-1, *[1] * 9], order="urdf"), "masses sum to zero"),
    ],
)
def test_what_has_no_answer_is_refused(call, message):
    with pytest.raises(InvalidInput, match=message):
        call(vectors(BODIES, "urdf"))
