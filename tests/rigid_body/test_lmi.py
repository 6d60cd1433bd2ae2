"""Consistency as matrices: against the pseudo-inertia, point masses inside, and an independent solver that identifies a body with them."""

from __future__ import annotations

import clarabel
import numpy as np
import pytest
import scipy.sparse
from cases import each

from massprops import MassProperties, Pose, lmi
from massprops.errors import InvalidInput

BODY = MassProperties.from_point_masses(
    [1.0, 2.0, 0.5, 1.5, 1.0], [[0.1, 0.2, -0.1], [0.3, -0.2, 0.4], [0, 0.5, 0.1], [-0.3, 0.1, 0.2], [0.4, 0.4, -0.5]]
)
LINEAR = ("pinocchio", "spatial-v2")


@each("order", LINEAR)
def test_the_sum_is_the_pseudo_inertia(order) -> None:
    phi = BODY.ten_vector(order)
    assert np.tensordot(phi, lmi.pseudo_inertia(order), 1) == pytest.approx(BODY.pseudo_inertia(), abs=1e-15)
    other = BODY.translated([1, 2, 3])
    both = np.tensordot(np.concatenate([phi, other.ten_vector(order)]), lmi.of_bodies(2, order), 1)
    assert both[:4, :4] == pytest.approx(BODY.pseudo_inertia(), abs=1e-15)
    assert both[4:, 4:] == pytest.approx(other.pseudo_inertia(), abs=1e-13)
    assert not both[:4, 4:].any()


@each("order", LINEAR)
def test_mass_inside_keeps_the_inequalities_and_mass_outside_breaks_one(order) -> None:
    pose = Pose.from_xyz_rpy([0.5, -1, 2], [0.4, -0.3, 0.9])
    points = np.random.default_rng(3).uniform(-1, 1, (40, 3)) * [1, 2, 3]
    inside = MassProperties.from_point_masses(np.ones(40), pose.apply(points))
    box = lmi.in_box([-1, -2, -3], [1, 2, 3], pose, order)
    # the integrals themselves: sums over the points
    corner = np.array([1, 2, 3])
    near, far = points + corner, corner - points
    faces = [*near.T, *far.T]
    sums = [(faces[i] * faces[j]).sum() for i in range(6) for j in range(i + 1, 6)]
    assert box @ inside.ten_vector(order) == pytest.approx(sums, abs=1e-11)
    assert box.shape == (15, 10)
    ellipsoid = lmi.in_ellipsoid([2, 4, 6], pose, order)
    assert ellipsoid @ inside.ten_vector(order) == pytest.approx([40 - ((points / [2, 4, 6]) ** 2).sum()])
    outside = inside.translated(pose.rotation @ [0, 0, 9])
    assert (box @ outside.ten_vector(order)).min() < 0
    assert (ellipsoid @ outside.ten_vector(order))[0] < 0


def test_a_solver_finds_a_consistent_body_in_noisy_measurements() -> None:
    """Least squares alone gives a body that cannot exist; with the constraints one that can, and that fits hardly worse."""
    random = np.random.default_rng(0)
    truth = MassProperties(3.0, [0.1, 0.0, 0.2], np.diag([0.0201, 0.02, 0.0003]))  # a thin rod, near the boundary
    regressor = random.normal(size=(60, 10))
    measured = regressor @ truth.ten_vector("pinocchio") + 0.02 * random.normal(size=60)
    free = np.linalg.lstsq(regressor, measured, rcond=None)[0]
    assert not MassProperties.from_ten_vector(free, "pinocchio").consistency().ok
    upper = [(i, j) for j in range(4) for i in range(j + 1)]
    rows = np.array([lmi.pseudo_inertia()[:, i, j] * (1 if i == j else np.sqrt(2)) for i, j in upper])
    bounds = lmi.in_ellipsoid([0.5, 0.5, 0.5])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    phi = np.array(
        clarabel.DefaultSolver(
            scipy.sparse.csc_matrix(np.triu(regressor.T @ regressor)),
            -regressor.T @ measured,
            scipy.sparse.csc_matrix(-np.vstack([bounds, rows])),
            np.zeros(11),
            [clarabel.NonnegativeConeT(1), clarabel.PSDTriangleConeT(4)],
            settings,
        )
        .solve()
        .x
    )
    found = MassProperties.from_ten_vector(phi, "pinocchio")
    # the solver is exact to 1e-8 of the objective
    assert np.linalg.eigvalsh(found.pseudo_inertia()).min() > -1e-7
    assert (bounds @ phi)[0] > -1e-7
    assert np.linalg.norm(phi - truth.ten_vector("pinocchio")) < np.linalg.norm(free - truth.ten_vector("pinocchio"))
    residuals = [np.linalg.norm(regressor @ x - measured) for x in (free, phi)]
    assert residuals[0] <= residuals[1] < 1.2 * residuals[0]


@each(
    "call, said",
    [
        (lambda: lmi.pseudo_inertia("urdf"), "not linear in ten numbers of the order 'urdf'"),
        (lambda: lmi.pseudo_inertia("drake"), "not linear"),
        (lambda: lmi.pseudo_inertia("x"), "unknown ten-vector order 'x'"),
        (lambda: lmi.of_bodies(0), "count must be from 1 to 1000, got 0"),
        (lambda: lmi.in_box([1, 0, 0], [0, 1, 1]), "a lower corner is above the upper one"),
        (lambda: lmi.in_ellipsoid([1, 0, 1]), "semi-axis must be positive"),
    ],
)
def test_wrong_arguments_are_refused(call, said) -> None:
    with pytest.raises(InvalidInput, match=said):
        call()
