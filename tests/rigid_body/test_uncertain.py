"""Uncertain bodies: against random samples, against corners of intervals, and against a published table."""

from __future__ import annotations

import numpy as np
import pytest

from massprops import MassProperties, Pose, measure, shapes
from massprops.errors import InvalidInput
from massprops.rigid_body.uncertain import UncertainBody

#: The linearised standard deviations of relative errors of 1 % are right to about 1e-4; a standard deviation estimated from n samples
#: scatters by 1 / √(2 n).
SAMPLES = 100_000
SCATTER = 5 / np.sqrt(2 * SAMPLES) + 1e-3


def part(random) -> MassProperties:
    """A body without symmetry, somewhere."""
    return MassProperties.from_point_masses(
        random.uniform(1, 3, 6), random.uniform(-1, 1, (6, 3)) + random.uniform(-3, 3, 3)
    )


def joined_samples(parts, factors):
    """Mass (n,), centre (n, 3) and tensor (n, 3, 3) of samples in which each part's density is multiplied by its factor (n,)."""
    mass = sum(f * p.mass for p, f in zip(parts, factors, strict=True))
    com = sum((f * p.mass)[:, None] * p.com for p, f in zip(parts, factors, strict=True)) / mass[:, None]
    tensor = np.zeros((len(mass), 3, 3))
    for p, f in zip(parts, factors, strict=True):
        d = p.com - com
        apart = (d * d).sum(axis=1)[:, None, None] * np.eye(3) - d[:, :, None] * d[:, None]
        tensor += f[:, None, None] * p.inertia + (f * p.mass)[:, None, None] * apart
    return mass, com, tensor


@pytest.mark.parametrize("seed", range(4))
def test_standard_deviations_are_those_of_random_assemblies(seed):
    """Three parts of two materials and a hole in the first of them, everything placed by poses: every view, to the scatter."""
    random = np.random.default_rng(seed)
    materials = ("steel", "wood", "steel", "steel")
    poses = [Pose.from_xyz_rpy(random.uniform(-2, 2, 3), random.uniform(-3, 3, 3)) for _ in materials]
    parts = [part(random) for _ in materials]
    parts[3], poses[3] = -parts[0].scaled_to_mass(0.2 * parts[0].mass), poses[0]
    bodies = [
        UncertainBody.of_density(p, 0.01, m, "sigma").transformed(x)
        for p, m, x in zip(parts, materials, poses, strict=True)
    ]
    whole = sum(bodies)
    factor = {m: 1 + 0.01 * random.normal(size=SAMPLES) for m in set(materials)}
    placed = [p.transformed(x) for p, x in zip(parts, poses, strict=True)]
    mass, com, tensor = joined_samples(placed, [factor[m] for m in materials])
    about = tensor + mass[:, None, None] * (
        ((com - 1) ** 2).sum(axis=1)[:, None, None] * np.eye(3) - (com - 1)[:, :, None] * (com - 1)[:, None]
    )
    views = {
        "mass": (whole.mass, mass),
        "centre": (whole.center_of_mass, com),
        "inertia": (whole.inertia, tensor),
        "about a point": (whole.inertia_about([1, 1, 1]), about),
        "principal": (whole.principal_moments, np.linalg.eigvalsh(tensor)),
        "radii": (whole.radii_of_gyration, np.sqrt(tensor.diagonal(axis1=1, axis2=2) / mass[:, None])),
    }
    for name, (view, samples) in views.items():
        assert not view.bound.any(), name
        spread = samples.std(axis=0)
        np.testing.assert_allclose(view.sigma, spread, rtol=SCATTER, atol=1e-3 * spread.max(), err_msg=name)


@pytest.mark.parametrize("seed", range(4))
def test_bounds_hold_at_every_corner_of_the_intervals(seed):
    """Tolerances of a tenth, far from small: no corner of the densities leaves the bounds of any view, and masses reach them."""
    random = np.random.default_rng(seed)
    parts = [part(random) for _ in range(3)]
    bodies = [UncertainBody.of_density(p, 0.1, name) for p, name in zip(parts, "aba", strict=True)]
    whole = sum(bodies)
    a, b = (x.ravel() for x in np.meshgrid(*[[0.9, 1, 1.1]] * 2))
    mass, com, tensor = joined_samples(parts, [a, b, a])
    views = [
        (whole.mass, mass, whole.nominal.mass),
        (whole.center_of_mass, com, whole.nominal.com),
        (whole.inertia, tensor, whole.nominal.inertia),
        (whole.principal_moments, np.linalg.eigvalsh(tensor), whole.nominal.principal().moments),
        (
            whole.radii_of_gyration,
            np.sqrt(tensor.diagonal(axis1=1, axis2=2) / mass[:, None]),
            whole.nominal.radii_of_gyration,
        ),
    ]
    for view, corners, nominal in views:
        assert (np.abs(corners - nominal) <= view.bound * (1 + 1e-12)).all()
        assert not view.sigma.any()
    assert whole.mass.bound == pytest.approx(np.ptp(mass) / 2, rel=1e-12)


def test_one_density_is_fully_correlated_and_cancels_in_a_hole():
    block, hole = shapes.box(1, 1, 1, mass=8), shapes.box(0.5, 0.5, 0.5, mass=1)
    made = [UncertainBody.of_density(x, 0.1, "steel") for x in (block, hole)]
    left = made[0] - made[1]
    assert (left.nominal.mass, left.mass.bound) == (7, pytest.approx(0.7))
    assert left.center_of_mass.bound == pytest.approx([0, 0, 0], abs=1e-15)
    assert (made[0] + made[0] - made[0]).mass.bound == pytest.approx(0.8)
    other = made[0] + UncertainBody.of_density(hole, 0.1, "brass")
    assert other.mass.bound == pytest.approx(0.9)
    independent = [UncertainBody.of_density(x, 0.1, name, "sigma") for x, name in ((block, "a"), (hole, "b"))]
    assert sum(independent).mass.sigma == pytest.approx(np.hypot(0.8, 0.1))


def test_a_source_has_one_kind():
    one, other = (UncertainBody.of_density(shapes.sphere(1, mass=1), 0.1, "steel", kind) for kind in ("bound", "sigma"))
    with pytest.raises(InvalidInput, match="'steel' is a bound of one body and a standard deviation of another"):
        one + other
    both = one + UncertainBody(other.nominal, {"lead": other.sources["steel"]})
    assert (both.mass.bound, both.mass.sigma) == (pytest.approx(0.1), pytest.approx(0.1))


def test_a_measured_body_keeps_its_bounds():
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]], dtype=np.float32)
    found = measure((corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]), density="1000 +- 50")
    body = UncertainBody.of_measurement(found.properties, found.uncertainty, "part")
    assert body.mass.bound == pytest.approx(found.uncertainty.mass)
    assert (body.center_of_mass.bound >= found.uncertainty.center_of_mass).all()
    assert (body.inertia.bound >= found.uncertainty.inertia * (1 - 1e-12)).all()
    turned = body.transformed(Pose.from_xyz_rpy([1, 2, 3], [0.4, 0.5, 0.6]))
    assert turned.mass.bound == body.mass.bound
    with pytest.raises(InvalidInput, match="zero within its bound"):
        UncertainBody.of_density(found.properties, 1.0, "anything").center_of_mass  # noqa: B018  # a property that raises


# Zimmerman and Nakai (2005), "Are You Sure? Uncertainty in Mass Properties Engineering", SAWE paper 3360, as in the table of the R package
# massProps; products with the sign +∫. The published results are said to be right to 0.2 %.
SAWE = {
    "widget": (
        (57.83, (121.20, 0.04, -0.16), (7258.90, 8607.02, 10453.40), (834.44, -1198.38, -1066.58)),
        (1.2416, (0.2764, 0.2085, 0.0669), (386.9233, 171.4792, 414.5547), (1440.5402, 344.6237, 124.6860)),
    ),
    "second part": (
        (16.80, (70.90, -0.95, 0.46), (65.07, 1124.65, 1078.82), (76.01, 202.83, 13.62)),
        (1.7308, (0.6234, 0.5173, 0.1405), (12.4687, 109.1324, 108.5481), (55.8879, 212.1241, 11.5408)),
    ),
}
COMBINED = (
    (74.63, (109.8657, -0.1829, -0.0204), (7341.73, 42739.26, 44547.27), (1559.36, -1401.94, -1060.95)),
    (2.1301, (0.9591, 0.2000, 0.0618), (387.4017, 2794.5468, 2820.5125), (1488.1857, 418.6320, 125.3175)),
)


def six(moments, products) -> np.ndarray:
    (xx, yy, zz), (xy, xz, yz) = moments, products
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def test_the_published_example_of_the_weight_engineers():
    bodies = []
    for name, ((mass, com, moments, products), (of_mass, of_com, of_moments, of_products)) in SAWE.items():
        body = MassProperties(mass, com, six(moments, -np.array(products)))
        bodies.append(UncertainBody.of_entries(body, of_mass, of_com, six(of_moments, of_products), name, "sigma"))
    whole = sum(bodies)
    (mass, com, moments, products), (of_mass, of_com, of_moments, of_products) = COMBINED
    assert whole.nominal.mass == pytest.approx(mass, abs=0.005)
    assert whole.nominal.com == pytest.approx(com, rel=2e-4, abs=5e-5)
    np.testing.assert_allclose(whole.nominal.inertia, six(moments, -np.array(products)), rtol=2e-3)
    assert whole.mass.sigma == pytest.approx(of_mass, abs=5e-5)
    np.testing.assert_allclose(whole.center_of_mass.sigma, of_com, rtol=2e-3)
    np.testing.assert_allclose(whole.inertia.sigma, six(of_moments, of_products), rtol=2e-3)
