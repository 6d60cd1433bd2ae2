"""Arrays of bodies move and merge as single bodies do, whatever the order of their ten numbers."""

from __future__ import annotations

import numpy as np
import pytest
from cases import each

from massprops.errors import InvalidInput
from massprops.frames import Pose
from massprops.rigid_body import batch, shapes
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.ten_vectors import LAYOUTS

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
