"""The nearest consistent inertia: against an independent convex solver, the conditions of a projection, and bodies that are known."""

from __future__ import annotations

import clarabel
import numpy as np
import pytest
import scipy.linalg
import scipy.sparse
from cases import each

from massprops import MassProperties, Pose, nearest_consistent
from massprops.errors import InvalidInput
from massprops.rigid_body import shapes
from massprops.rigid_body.tensors import inertia_of, second_of

TURN = Pose.from_xyz_rpy([0.3, -2.0, 5.0], [0.4, -0.3, 0.9])
REFERENCE = shapes.box(0.1, 0.3, 1.0, mass=4.0).transformed(Pose.from_xyz_rpy([7, 0, 0], [1.0, 0.2, -0.7]))
_UPPER = [(i, j) for j in range(3) for i in range(j + 1)]


def stated(*second: float, mass: float = 2.0) -> MassProperties:
    """A body whose second moment has these eigenvalues, turned and far from the origin."""
    return MassProperties(mass, [0, 0, 0], inertia_of(np.diag(second))).transformed(TURN)


def solved(second: np.ndarray, metric: np.ndarray) -> np.ndarray:
    """argmin ‖M (X − S) Mᵀ‖² over X ⪰ 0, by Clarabel: an interior-point solver, which decomposes nothing of ours."""
    basis = []
    for i, j in _UPPER:
        e = np.zeros((3, 3))
        e[i, j] = e[j, i] = 1.0
        basis.append(e)
    columns = np.array([(metric @ e @ metric.T).ravel() for e in basis]).T
    target = (metric @ second @ metric.T).ravel()
    svec = np.diag([-1.0 if i == j else -np.sqrt(2.0) for i, j in _UPPER])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    solution = clarabel.DefaultSolver(
        scipy.sparse.csc_matrix(np.triu(columns.T @ columns)),
        -columns.T @ target,
        scipy.sparse.csc_matrix(svec),
        np.zeros(6),
        [clarabel.PSDTriangleConeT(3)],
        settings,
    ).solve()
    return sum(x * e for x, e in zip(solution.x, basis, strict=True))


@each("second", [(-0.5, 1.5, 2.5), (-1.0, -0.2, 3.0), (-0.1, 0.2, 3.0)])
def test_both_senses_are_what_a_convex_solver_finds(second) -> None:
    body = stated(*second)
    s = second_of(body.inertia)
    root = scipy.linalg.sqrtm(second_of(REFERENCE.inertia) * body.mass / REFERENCE.mass)
    for sense, metric in (("frobenius", np.eye(3)), ("affine-invariant", np.linalg.inv(root))):
        found = nearest_consistent(body, sense=sense, reference=REFERENCE, margin=0)
        expected = solved(s, metric)
        # an interior-point method stops at a gap of 1e-12 of the objective: half of the digits of the argument
        assert second_of(found.body.inertia) == pytest.approx(expected, abs=2e-6 * np.abs(s).max())
        assert found.distance == pytest.approx(np.linalg.norm(metric @ (expected - s) @ metric.T), rel=1e-6)
        assert found.relative == pytest.approx(found.distance / np.linalg.norm(metric @ s @ metric.T), rel=1e-12)


def test_mass_and_centre_stay_and_the_change_is_what_was_added() -> None:
    body = stated(-0.5, 1.5, 2.5)
    found = nearest_consistent(body)
    assert (found.body.mass, found.body.com.tolist()) == (body.mass, body.com.tolist())
    assert body.inertia + found.change == pytest.approx(found.body.inertia, rel=1e-15)
    assert found.distance == pytest.approx(0.5, rel=1e-8)  # the margin is 1e-9 of the largest eigenvalue


def test_about_the_centre_it_is_the_projection_of_the_whole_pseudo_inertia() -> None:
    # Higham: clip the eigenvalues of the 4×4 matrix; in whatever unit of length, since mass and second moment do not mix
    body = stated(-0.5, 1.5, 2.5)
    for unit in (1.0, 1e3):
        pi = scipy.linalg.block_diag(second_of(body.inertia) * unit**2, body.mass)
        values, columns = np.linalg.eigh(pi)
        clipped = columns @ np.diag(np.maximum(values, 0)) @ columns.T
        found = nearest_consistent(body, margin=0).body
        assert clipped[3] == pytest.approx([0, 0, 0, body.mass])
        assert second_of(found.inertia) == pytest.approx(clipped[:3, :3] / unit**2, abs=1e-14)


def test_the_affine_invariant_sense_knows_no_axes_and_no_units() -> None:
    # an affine map of both bodies maps the answer, and leaves the distance
    body, a = stated(-0.5, 1.5, 2.5), np.array([[1e3, 200.0, 0.0], [0.0, 5.0, 1.0], [30.0, 0.0, 0.1]])

    def mapped(b: MassProperties) -> MassProperties:
        second = a @ second_of(b.inertia) @ a.T
        return MassProperties(b.mass, b.com, inertia_of((second + second.T) / 2))

    one = nearest_consistent(body, sense="affine-invariant", reference=REFERENCE, margin=0)
    two = nearest_consistent(mapped(body), sense="affine-invariant", reference=mapped(REFERENCE), margin=0)
    assert two.distance == pytest.approx(one.distance, rel=1e-9)
    assert two.body.inertia == pytest.approx(mapped(one.body).inertia, rel=1e-7)
    heavier = nearest_consistent(body, sense="affine-invariant", reference=REFERENCE.scaled_to_mass(50), margin=0)
    assert heavier.distance == pytest.approx(one.distance, rel=1e-12)


def test_the_affine_invariant_distance_itself_has_no_nearest_point() -> None:
    # why the metric at the reference is used: towards the boundary the distance grows without limit
    r = second_of(REFERENCE.inertia)
    s = second_of(stated(-0.5, 1.5, 2.5).inertia)
    edge = nearest_consistent(stated(-0.5, 1.5, 2.5), margin=0).body
    distances = [
        np.linalg.norm(np.log(scipy.linalg.eigvalsh(second_of(edge.inertia) + t * np.eye(3), r)))
        for t in (1e-3, 1e-6, 1e-9, 1e-12)
    ]
    assert np.linalg.eigvalsh(s)[0] < 0  # of which no logarithm exists
    assert (np.diff(distances) > 1).all()


def test_a_consistent_body_is_its_own_neighbour_and_the_nearest_one_is_accepted() -> None:
    import mujoco

    plate = shapes.plate(1.0, 2.0, mass=3.0)
    assert nearest_consistent(plate).body == plate
    assert nearest_consistent(plate).distance == 0
    for second in ((-0.5, 1.5, 2.5), (-1.0, -0.2, 3.0)):
        i = nearest_consistent(stated(*second)).body.inertia
        six = " ".join(repr(float(i[p])) for p in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
        text = f'<mujoco><worldbody><body><freejoint/><inertial pos="0 0 0" mass="2" fullinertia="{six}"/></body></worldbody></mujoco>'
        mujoco.MjModel.from_xml_string(text)  # compares A + B ≥ C without a tolerance


@each(
    "mass, options, code, said",
    [
        (-1.0, {}, "non-positive-mass", "every positive mass has a smaller one"),
        (1.0, {"sense": "affine-invariant"}, "invalid-input", "needs a solid reference body"),
        (1.0, {"sense": "affine-invariant", "reference": shapes.plate(1, 1, mass=1)}, "invalid-input", "solid reference"),
        (1.0, {"sense": "log"}, "invalid-input", "must be one of frobenius, affine-invariant, got 'log'"),
        (1.0, {"margin": 1.0}, "invalid-input", "less than 1"),
    ],
)  # fmt: skip
def test_what_has_no_nearest_body_is_refused(mass, options, code, said) -> None:
    with pytest.raises(InvalidInput, match=said) as refused:
        nearest_consistent(MassProperties(mass, [0, 0, 0], np.eye(3)), **options)
    assert refused.value.code == code
