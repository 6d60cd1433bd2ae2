"""Spatial inertia, twists and momenta. The oracle is a swarm of point masses, each with its own velocity."""

from __future__ import annotations

import numpy as np
import pytest
from cases import each, refused
from hypothesis import given
from hypothesis import strategies as st

from massprops.errors import InvalidInput
from massprops.frames import Pose
from massprops.rigid_body import spatial
from massprops.rigid_body.mass_properties import MassProperties

# Sums of a handful of products, each rounded to 1.1e-16, of numbers that differ by up to 1e3 from their result.
ROUNDING = 1e-12
ORDERS = ("linear-first", "angular-first")

MASSES = np.array([1.0, 2.0, 3.5, 0.7, 1.3])
POINTS = np.array([[1, 2, 3], [7, -1, 2], [0, 5, -4], [3, 3, 9], [-2, 0.5, 1]], dtype=float)
BODY = MassProperties.from_point_masses(MASSES, POINTS)

numbers = st.floats(-10, 10)
vectors = st.tuples(numbers, numbers, numbers)
angles = st.floats(-3.1, 3.1)
poses = st.builds(lambda xyz, rpy: Pose.from_xyz_rpy(xyz, rpy), vectors, st.tuples(angles, angles, angles))
each_order = pytest.mark.parametrize("order", ORDERS)


def in_order(linear, angular, order):
    return np.concatenate([linear, angular] if order == "linear-first" else [angular, linear])


def momentum_of_points(v, omega, about):
    """Σ m u and Σ r × m u, u = v + ω × r with r from the point that the twist refers to."""
    arms = POINTS - np.asarray(about, dtype=float)
    p = [m * (np.asarray(v) + np.cross(omega, r)) for m, r in zip(MASSES, arms, strict=True)]
    return sum(p), sum(np.cross(r, q) for r, q in zip(arms, p, strict=True))


def close(actual, expected, tolerance=ROUNDING):
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance * (1 + np.abs(expected).max()))


@each_order
@given(v=vectors, omega=vectors, about=vectors)
def test_spatial_inertia_takes_a_twist_to_the_momentum_of_the_points(order, v, omega, about):
    expected = in_order(*momentum_of_points(v, omega, about), order)
    m = BODY.spatial_inertia(order=order, about=about)
    # entries of up to 1e4 (m r²) times 10 rad/s cancel
    np.testing.assert_allclose(m @ in_order(v, omega, order), expected, rtol=0, atol=ROUNDING * 1e5)


@each_order
@given(v=vectors, omega=vectors)
def test_momentum_and_energy_are_those_of_the_points(order, v, omega):
    twist = in_order(v, omega, order)
    np.testing.assert_allclose(
        BODY.momentum(twist, order=order),
        in_order(*momentum_of_points(v, omega, [0, 0, 0]), order),
        rtol=0,
        atol=ROUNDING * 1e4,
    )
    speeds = np.asarray(v) + np.cross(omega, POINTS)
    energy = 0.5 * float(MASSES @ (speeds**2).sum(axis=1))
    assert BODY.kinetic_energy(twist, order=order) == pytest.approx(energy, rel=1e-12, abs=1e-12)


@each_order
@given(pose=poses)
def test_spatial_inertia_moves_by_the_coadjoint_congruence_and_so_does_the_sandwich(order, pose):
    co = spatial.coadjoint(pose, order)
    moved = BODY.transformed(pose)
    by_congruence = co @ BODY.spatial_inertia(order=order) @ co.T
    close(moved.spatial_inertia(order=order), by_congruence)
    x = pose.matrix
    by_sandwich = MassProperties.from_pseudo_inertia(x @ BODY.pseudo_inertia() @ x.T)
    close(by_sandwich.spatial_inertia(order=order), by_congruence, 10 * ROUNDING)  # S_c is a difference there


@each_order
@given(pose=poses, other=poses)
def test_adjoints_compose_and_pair_with_coadjoints(order, pose, other):
    close(spatial.adjoint(pose @ other, order), spatial.adjoint(pose, order) @ spatial.adjoint(other, order))
    close(spatial.coadjoint(pose, order).T @ spatial.adjoint(pose, order), np.eye(6))


@each_order
@given(pose=poses, v=vectors, omega=vectors)
def test_an_adjoint_moves_the_velocity_field(order, pose, v, omega):
    # every point has the same velocity, seen from either frame
    w = spatial.adjoint(pose, order) @ in_order(v, omega, order)
    linear, angular = spatial.halves(w, order)
    here = np.asarray(v) + np.cross(omega, POINTS)
    there = linear + np.cross(angular, pose.apply(POINTS))
    close(there, here @ pose.rotation.T)


@each_order
@given(about=vectors)
def test_spatial_inertia_round_trips(order, about):
    body = MassProperties.from_spatial_inertia(BODY.spatial_inertia(order=order, about=about), order=order, about=about)
    assert body.mass == BODY.mass
    close(body.com, BODY.com)
    close(body.inertia, BODY.inertia, 10 * ROUNDING)  # parallel axes there and back over up to 25 m


def test_a_rotation_and_a_translation_make_a_pose():
    pose = Pose.from_xyz_rpy([1, 2, -3], [0.3, -0.4, 0.5])
    by_parts, whole = BODY.rotated(pose.rotation).translated(pose.translation), BODY.transformed(pose)
    close(by_parts.com, whole.com)
    np.testing.assert_array_equal(by_parts.inertia, whole.inertia)
    np.testing.assert_array_equal(BODY.translated([1e6, 0, 0]).inertia, BODY.inertia)
    np.testing.assert_array_equal(BODY.translated([1, 2, 4]).com, BODY.com + np.array([1, 2, 4]))


@given(pose=poses, cut=st.integers(1, 4))
def test_merging_a_child_is_placing_its_points(pose, cut):
    parent = MassProperties.from_point_masses(MASSES[:cut], POINTS[:cut])
    child = MassProperties.from_point_masses(MASSES[cut:], POINTS[cut:])
    placed = np.vstack([POINTS[:cut], pose.apply(POINTS[cut:])])
    whole, merged = MassProperties.from_point_masses(MASSES, placed), parent.merge(child, pose)
    assert merged.mass == pytest.approx(whole.mass, rel=1e-15)
    close(merged.com, whole.com)
    close(merged.inertia, whole.inertia)


HINT = "; check the order: linear-first or angular-first"
REFUSED = [
    (np.eye(5), "spatial inertia must have shape (6, 6), got (5, 5)"),
    (np.diag([0.0, 0, 0, 1, 1, 1]), "spatial inertia has a mass of 0.0 kg, so its centre of mass is undefined"),
    (
        np.diag([2.0, 2, 1, 1, 1, 1]),
        "spatial inertia: the mass block is not m times the identity, by 0.5 of its largest entry" + HINT,
    ),
    (
        np.diag([2.0, 2, 2, 1, 1, 1]) + np.diag([0.5, 0, 0], 3) + np.diag([0.5, 0, 0], -3),
        "spatial inertia: the coupling block is not m [c]×, which is antisymmetric, by 2 of its largest entry" + HINT,
    ),
    (
        np.diag([2.0, 2, 2, 1, 1, 1]) + np.diag([0.5, 0, 0], 3),
        "spatial inertia must be symmetric, got 0.5 at [0, 3] and 0.0 at [3, 0]; if the difference is rounding, pass (I + I.T) / 2",
    ),
]


@each(("matrix", "message"), REFUSED)
def test_what_is_no_spatial_inertia_is_refused(matrix, message):
    assert refused(InvalidInput, MassProperties.from_spatial_inertia, matrix) == message


def test_blocks_that_disagree_are_refused():
    m = BODY.spatial_inertia()
    m[:3, 3:] *= 2
    with pytest.raises(InvalidInput, match="the coupling blocks are not transposes of each other"):
        spatial.parts_of(m)


def test_the_other_order_is_noticed():
    with pytest.raises(InvalidInput, match="the mass block is not m times the identity"):
        MassProperties.from_spatial_inertia(BODY.spatial_inertia(order="angular-first"), order="linear-first")


def test_an_order_without_a_meaning_is_refused():
    with pytest.raises(InvalidInput) as caught:
        BODY.spatial_inertia(order="rotational")
    assert str(caught.value) == "order of a twist must be 'linear-first' or 'angular-first', got 'rotational'"
    assert refused(InvalidInput, BODY.momentum, [0, 0, 0]) == "twist must have shape (6,), got (3,)"


# ---- factor ---------------------------------------------------------------------------------------------------------


@given(rpy=st.tuples(angles, angles, angles), size=st.sampled_from([1.0, 1e-6, 1e-12, 1e6]))
@pytest.mark.parametrize(
    ("moments", "rank"), [((1, 2, 2.5), 3), ((1, 2, 3), 3), ((0, 2, 2), 2), ((0, 0, 1), 1), ((0, 0, 0), 0)]
)
def test_a_factor_has_the_rank_of_the_tensor_and_multiplies_back(moments, rank, rpy, size):
    # KSL's own function calls a body with moments of 1e-6 rank 1: an absolute threshold
    body = MassProperties.from_principal(1.0, np.array(moments, float) * size, Pose.from_xyz_rpy(rpy=rpy))
    f, found = body.factor()
    assert (found, f.shape) == (rank, (3, rank))
    np.testing.assert_allclose(f @ f.T, body.inertia, rtol=0, atol=1e-14 * size)


def test_what_has_no_real_factor_is_refused():
    assert refused(InvalidInput, MassProperties(1.0, np.zeros(3), np.diag([-1.0, 2.0, 3.0])).factor) == (
        "inertia has no factor F Fᵀ: its principal moments -1.0, 2.0, 3.0 kg m² are not all positive"
    )
