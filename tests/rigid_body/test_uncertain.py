"""Uncertain bodies: against random samples, against corners of intervals, and against a published table."""

from __future__ import annotations

import numpy as np
import pytest

from massprops import MassProperties, Pose, measure, shapes
from massprops.errors import InvalidInput
from massprops.rigid_body.mass_specification import MassSpecification

TURNED = Pose.from_xyz_rpy([1, -2, 3], [0.4, 0.5, 0.6])
#: The linearised standard deviations of relative errors of 1 % are right to about 1e-4; one estimated from n samples scatters by
#: 1 / √(2 n), so that 1 % is 6 times the scatter.
SAMPLES = 200_000


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


@pytest.mark.parametrize("seed", range(2))
def test_standard_deviations_are_those_of_random_assemblies(seed):
    """Three parts of two materials and a hole in the first of them, everything placed by poses: every view, to 1 %."""
    random = np.random.default_rng(seed)
    materials = ("steel", "wood", "steel", "steel")
    poses = [Pose.from_xyz_rpy(random.uniform(-2, 2, 3), random.uniform(-3, 3, 3)) for _ in materials]
    parts = [part(random) for _ in materials]
    parts[3], poses[3] = -parts[0].scaled_to_mass(0.2 * parts[0].mass), poses[0]
    bodies = [
        p.with_relative_error(0.01, m, "sigma").transformed(x) for p, m, x in zip(parts, materials, poses, strict=True)
    ]
    whole = sum(bodies)
    off = whole.uncertainty
    factor = {m: 1 + 0.01 * random.normal(size=SAMPLES) for m in set(materials)}
    placed = [p.transformed(x) for p, x in zip(parts, poses, strict=True)]
    mass, com, tensor = joined_samples(placed, [factor[m] for m in materials])
    about = tensor + mass[:, None, None] * (
        ((com - 1) ** 2).sum(axis=1)[:, None, None] * np.eye(3) - (com - 1)[:, :, None] * (com - 1)[:, None]
    )
    views = {
        "mass": (off.mass, mass),
        "centre": (off.center_of_mass, com),
        "inertia": (off.inertia, tensor),
        "about a point": (off.inertia_about([1, 1, 1]), about),
        "principal": (off.principal_moments, np.linalg.eigvalsh(tensor[:100_000])),
        "radii": (off.radii_of_gyration, np.sqrt(tensor.diagonal(axis1=1, axis2=2) / mass[:, None])),
    }
    for name, (view, samples) in views.items():
        assert not view.bound.any(), name
        spread = samples.std(axis=0)
        np.testing.assert_allclose(view.sigma, spread, rtol=0.01, atol=1e-3 * spread.max(), err_msg=name)


@pytest.mark.parametrize("seed", range(4))
def test_bounds_hold_at_every_corner_of_the_intervals(seed):
    """Tolerances of a tenth, far from small: no corner of the densities leaves the bounds of any view, and masses reach them."""
    random = np.random.default_rng(seed)
    parts = [part(random) for _ in range(3)]
    bodies = [p.with_relative_error(0.1, name) for p, name in zip(parts, "aba", strict=True)]
    whole = sum(bodies)
    off = whole.uncertainty
    a, b = (x.ravel() for x in np.meshgrid(*[[0.9, 1, 1.1]] * 2))
    mass, com, tensor = joined_samples(parts, [a, b, a])
    views = [
        (off.mass, mass, whole.mass),
        (off.center_of_mass, com, whole.com),
        (off.inertia, tensor, whole.inertia),
        (off.principal_moments, np.linalg.eigvalsh(tensor), whole.principal().moments),
        (off.radii_of_gyration, np.sqrt(tensor.diagonal(axis1=1, axis2=2) / mass[:, None]), whole.radii_of_gyration),
    ]
    for view, corners, nominal in views:
        assert (np.abs(corners - nominal) <= view.bound * (1 + 1e-12)).all()
        assert not view.sigma.any()
    assert off.mass.bound == pytest.approx(np.ptp(mass) / 2, rel=1e-12)


def test_one_density_is_fully_correlated_and_cancels_in_a_hole():
    block, hole = (shapes.box(a, a, a, mass=m).with_relative_error(0.1, "steel") for a, m in ((1, 8), (0.5, 1)))
    left = block - hole
    assert (left.mass, left.uncertainty.mass.bound) == (7, pytest.approx(0.7))
    assert left.uncertainty.center_of_mass.bound == pytest.approx([0, 0, 0], abs=1e-15)
    assert (block + block - block).uncertainty.mass.bound == pytest.approx(0.8)
    other = block + shapes.box(0.5, 0.5, 0.5, mass=1).with_relative_error(0.1, "brass")
    assert other.uncertainty.mass.bound == pytest.approx(0.9)
    independent = [shapes.sphere(1, mass=m).with_relative_error(0.1, name, "sigma") for m, name in ((8, "a"), (1, "b"))]
    assert sum(independent).uncertainty.mass.sigma == pytest.approx(np.hypot(0.8, 0.1))


def test_errors_that_are_not_shared_are_independent_whatever_their_names():
    bolt = shapes.sphere(1, mass=1)
    for kind, of_two, of_four in (("bound", 0.2, 0.4), ("sigma", 0.1 * np.sqrt(2), 0.2)):
        one = bolt.with_relative_error(0.1, "mass", kind, shared=False)
        for pair in (one + one.translated([1, 0, 0]), one + one, one.repeated(2)):
            assert getattr(pair.uncertainty.mass, kind) == pytest.approx(of_two)
        assert getattr(one.repeated(4).uncertainty.mass, kind) == pytest.approx(of_four)
        cut = one.repeated(2) - one
        assert getattr(cut.uncertainty.mass, kind) == pytest.approx({"bound": 0.3, "sigma": 0.1 * np.sqrt(3)}[kind])
    shared = bolt.with_relative_error(0.1, "steel", "sigma")
    assert shared.repeated(4).uncertainty.mass.sigma == pytest.approx(0.4)


@pytest.mark.parametrize("kind", ["bound", "sigma"])
def test_many_errors_are_kept_as_few(kind):
    """Beyond a limit standard deviations become ten with the same covariance, and bounds a box that contains them all."""
    random = np.random.default_rng(8)
    parts = [part(random) for _ in range(40 if kind == "sigma" else 1100)]
    whole = sum(p.with_relative_error(0.01, "mass", kind, shared=False) for p in parts)
    own = sum(p.with_relative_error(0.01, str(n), kind) for n, p in enumerate(parts[:40]))
    assert len(whole.sources["mass"].changes) < 1000
    if kind == "bound":
        exact = sum(0.01 * p.mass for p in parts)
        assert whole.uncertainty.mass.bound == pytest.approx(exact)
        return
    for one, other in ((whole, own), (whole.transformed(TURNED), own.transformed(TURNED))):
        for name in ("mass", "center_of_mass", "inertia", "principal_moments", "radii_of_gyration"):
            sigmas = [getattr(body.uncertainty, name).sigma for body in (one, other)]
            np.testing.assert_allclose(*sigmas, rtol=1e-9, err_msg=name)


def test_a_body_scaled_to_a_mass_keeps_only_the_errors_of_its_shape():
    body = shapes.box(1, 2, 3, mass=4)
    dense = body.with_relative_error(0.1, "steel", "sigma").scaled_to_mass(5)
    assert not dense.uncertainty.mass.sigma
    assert dense.uncertainty.inertia.sigma == pytest.approx(np.zeros((3, 3)))
    shaped = body.with_errors(0.4, [0.1, 0, 0], np.diag([0.2, 0, 0])).scaled_to_mass(8)
    assert shaped.uncertainty.mass.bound == 0.0
    lightest = MassProperties(3.6, [0.1, 0, 0], body.inertia + np.diag([0.2, 0, 0])).scaled_to_mass(8)
    off = shaped.uncertainty
    assert (np.abs(lightest.com - shaped.com) <= off.center_of_mass.bound * (1 + 1e-12)).all()
    assert (np.abs(lightest.inertia - shaped.inertia) <= off.inertia.bound * (1 + 1e-12)).all()


def test_a_source_has_one_kind():
    one, other = (shapes.sphere(1, mass=1).with_relative_error(0.1, "steel", kind) for kind in ("bound", "sigma"))
    message = "'steel' is a shared bound of one body and a shared standard deviation of another"
    with pytest.raises(InvalidInput, match=message):
        one + other
    both = (one + shapes.sphere(1, mass=1).with_relative_error(0.1, "lead", "sigma")).uncertainty.mass
    assert (both.bound, both.sigma) == (pytest.approx(0.1), pytest.approx(0.1))
    with pytest.raises(InvalidInput, match="an error \\(±\\) cannot be negative"):
        other.with_errors(-1, [0, 0, 0], np.zeros((3, 3)))


def test_a_measured_body_keeps_its_bounds():
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]], dtype=np.float32)
    found = measure((corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]), density="1000 +- 50")
    body, off = found.properties, found.uncertainty
    assert set(body.sources) == {"density 1000 ± 50 kg/m³", "bounds"}
    assert body.uncertainty.mass.bound == pytest.approx(off.mass)
    assert (body.uncertainty.center_of_mass.bound >= off.center_of_mass).all()
    assert (body.uncertainty.inertia.bound >= off.inertia * (1 - 1e-12)).all()
    np.testing.assert_allclose(
        body.uncertainty.inertia.bound, off.inertia, rtol=1e-3
    )  # and hardly more: squares of 1e-2
    turned = body.transformed(Pose.from_xyz_rpy([1, 2, 3], [0.4, 0.5, 0.6]))
    assert turned.uncertainty.mass.bound == body.uncertainty.mass.bound
    two = (body + turned).uncertainty.mass.bound
    assert two == pytest.approx(2 * off.mass)
    with pytest.raises(InvalidInput, match="zero within its bound"):
        shapes.sphere(1, mass=1).with_relative_error(1.0, "x").uncertainty.center_of_mass  # noqa: B018  # it raises


def test_entries_with_large_errors_hold_every_corner():
    """Mass, centre and tensor off by all that they can be, each way, moved and joined: nothing leaves the bounds."""
    random = np.random.default_rng(3)
    body, other = part(random), part(random)
    of_mass, of_com, of_inertia = 0.2 * body.mass, np.array([0.1, 0.2, 0.05]), 0.1 * np.abs(body.inertia)
    whole = (body.with_errors(of_mass, of_com, of_inertia).transformed(TURNED) + other).uncertainty
    nominal = body.transformed(TURNED) + other
    for signs in random.choice([-1, 1], (200, 10)):
        entries = np.zeros((3, 3))
        entries[np.triu_indices(3)] = signs[4:]
        tensor = body.inertia + of_inertia * (entries + entries.T - np.diag(entries.diagonal()))
        true = MassProperties(body.mass + signs[0] * of_mass, body.com + signs[1:4] * of_com, tensor)
        true = true.transformed(TURNED) + other
        assert abs(true.mass - nominal.mass) <= whole.mass.bound * (1 + 1e-12)
        assert (np.abs(true.com - nominal.com) <= whole.center_of_mass.bound).all()
        assert (np.abs(true.inertia - nominal.inertia) <= whole.inertia.bound).all()
        about = np.abs(true.inertia_about([1, 2, 3]) - nominal.inertia_about([1, 2, 3]))
        assert (about <= whole.inertia_about([1, 2, 3]).bound).all()
        moments = np.abs(true.principal().moments - nominal.principal().moments)
        assert (moments <= whole.principal_moments.bound).all()


def test_stated_errors_of_matter():
    """A density is shared and known by its value; what is a mass's or a thickness's own is not."""
    cases = {
        ("density", "7.8 g/cm3 +- 0.05"): ("density 7800 ± 50 kg/m³", 50 / 7800, "bound", True),
        ("density", "7800 ± 50 kg/m3 sigma"): ("density 7800 ± 50 kg/m³ (σ)", 50 / 7800, "sigma", True),
        ("density", "7800 +- 1 % σ"): ("density 7800 ± 78 kg/m³ (σ)", 0.01, "sigma", True),
        ("mass", "2 kg ± 5 %"): ("mass", 0.05, "bound", False),
        ("mass", "2kg+-100g sigma"): ("mass (σ)", 0.05, "sigma", False),
        ("area_density", "80gsm +- 4"): ("area density 0.08 ± 0.004 kg/m²", 0.05, "bound", True),
    }
    for (key, text), (name, relative, kind, shared) in cases.items():
        (found,) = MassSpecification.parse(**{key: text}).errors
        assert (found.name, found.kind, found.shared) == (name, kind, shared), text
        assert found.relative == pytest.approx(relative), text
    with pytest.raises(InvalidInput, match="has no ± before sigma; for example 7800"):
        MassSpecification.parse(density="7800 sigma")
    sheet = MassSpecification.parse(density="1000 +- 10 %", thickness="1mm +- 10 %")
    assert sheet.relative_bound(is_sheet=True) == pytest.approx(0.21)


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
    for (mass, com, moments, products), (of_mass, of_com, of_moments, of_products) in SAWE.values():
        body = MassProperties(mass, com, six(moments, -np.array(products)))
        bodies.append(body.with_errors(of_mass, of_com, six(of_moments, of_products), "sigma"))
    whole = sum(bodies)
    off = whole.uncertainty
    (mass, com, moments, products), (of_mass, of_com, of_moments, of_products) = COMBINED
    assert whole.mass == pytest.approx(mass, abs=0.005)
    assert whole.com == pytest.approx(com, rel=2e-4, abs=5e-5)
    np.testing.assert_allclose(whole.inertia, six(moments, -np.array(products)), rtol=2e-3)
    assert off.mass.sigma == pytest.approx(of_mass, abs=5e-5)
    np.testing.assert_allclose(off.center_of_mass.sigma, of_com, rtol=2e-3)
    np.testing.assert_allclose(off.inertia.sigma, six(of_moments, of_products), rtol=2e-3)


@pytest.mark.parametrize("kind", ["bound", "sigma"])
def test_the_error_about_a_line_is_that_of_the_changed_bodies(kind):
    """Bodies at the corners of the bounds, or samples: the moment about a line and its radius are sums over the points themselves."""
    random = np.random.default_rng(5)
    parts, point, n = [part(random) for _ in range(2)], np.array([1.0, -2.0, 0.5]), np.array([2.0, -1.0, 3.0])
    whole = sum(p.with_relative_error(0.01, name, kind) for p, name in zip(parts, "ab", strict=True))
    moment, radius = whole.uncertainty.about_axis(point, n)
    shares = [(a, b) for a in (-1, 1) for b in (-1, 1)] if kind == "bound" else random.normal(size=(20_000, 2))
    about = [p.inertia_about_axis(point, n) for p in parts]
    moments = np.array([sum((1 + 0.01 * x) * i for x, i in zip(s, about, strict=True)) for s in shares])
    masses = np.array([sum((1 + 0.01 * x) * p.mass for x, p in zip(s, parts, strict=True)) for s in shares])
    nominal = whole.inertia_about_axis(point, n)
    if kind == "bound":
        assert np.abs(moments - nominal).max() == pytest.approx(moment.bound, rel=1e-9)  # it is reached in a corner
        off = np.abs(np.sqrt(moments / masses) - np.sqrt(nominal / whole.mass)).max()
        assert off <= radius.bound <= 2.2 * off  # |k'² − k²| / k is up to twice |k' − k|
    else:  # the scatter of a standard deviation estimated from 20,000 samples is 0.5 %
        assert moments.std() == pytest.approx(moment.sigma, rel=0.02)
        assert np.sqrt(moments / masses).std() == pytest.approx(radius.sigma, rel=0.02)


def test_bounds_are_reached_by_one_mass_that_is_less():
    """A lump beside a body, lighter by all that it can be: every view changes by its bound, in which nothing is too large or left out."""
    body, lump, less = (
        MassProperties(3, [0, 0, 0], np.diag([0.1, 0.2, 0.25])),
        MassProperties(1, [1, 0, 0], np.zeros((3, 3))),
        0.5,
    )
    whole, true = body + lump.with_relative_error(less, "lump"), body + lump.scaled_to_mass(1 - less)
    off, exact = whole.uncertainty, {"rel": 1e-12, "abs": 1e-15}
    assert off.mass.bound == pytest.approx(less, **exact)
    assert off.center_of_mass.bound == pytest.approx(abs(true.com - whole.com), **exact)
    assert off.inertia.bound == pytest.approx(abs(true.inertia - whole.inertia), **exact)
    # |k'² − k²| / k, which is no less than |k' − k| however small k' is
    radii, others = whole.radii_of_gyration, true.radii_of_gyration
    assert off.radii_of_gyration.bound == pytest.approx(abs(others**2 - radii**2) / radii, **exact)
    assert (abs(true.principal().moments - whole.principal().moments) <= off.principal_moments.bound).all()
    point, n = [0, 2, 0], [0, 1, 1]
    moment, radius = off.about_axis(point, n)
    inertias = [b.inertia_about_axis(point, n) for b in (whole, true)]
    k, other = (np.sqrt(i / b.mass) for i, b in zip(inertias, (whole, true), strict=True))
    assert moment.bound == pytest.approx(abs(inertias[0] - inertias[1]), **exact)
    assert radius.bound == pytest.approx(abs(other**2 - k**2) / k, **exact)
    assert off.bounds.mass_change == (-off.mass.bound, off.mass.bound)
    # the linear part: of the lump at its distance of 0.75 from the common centre
    linear = (less, [less * 0.75, 0, 0], less * 0.75**2 * np.diag([0, 1, 1]))
    for found, expected in zip(off.linear_bounds, linear, strict=True):
        assert found == pytest.approx(np.array(expected), **exact)


def test_near_equal_moments_are_as_uncertain_as_their_products():
    """A product moves moments apart, and of equal ones it decides the axes: both change by more than along the axes that were."""
    tensor, product = np.diag([1, 1.1, 1.2]), np.array([[0, 0.3, 0], [0.3, 0, 0], [0, 0, 0]])
    off = MassProperties(5, [0, 0, 0], tensor).with_errors(0, [0, 0, 0], product).uncertainty.principal_moments.bound
    assert (abs(np.linalg.eigvalsh(tensor + product) - tensor.diagonal()) <= off).all()
    ball = MassProperties(5, [0, 0, 0], np.eye(3)).with_errors(0, [0, 0, 0], product, "sigma")
    assert ball.uncertainty.principal_moments.sigma == pytest.approx(0.3)


def test_a_hole_is_as_uncertain_as_the_body_that_fits_it():
    body = part(np.random.default_rng(2)) + shapes.box(1, 2, 3, mass=4).with_relative_error(0.1, "steel", "sigma")
    off, of_hole, line = body.uncertainty, (-body).uncertainty, ([1, 2, 3], [0, 0, 1])
    for name in ("mass", "center_of_mass", "inertia", "principal_moments", "radii_of_gyration"):
        hole = getattr(of_hole, name).sigma
        assert (hole >= 0).all()
        assert np.sort(hole, axis=None) == pytest.approx(np.sort(getattr(off, name).sigma, axis=None), rel=1e-9)
    for hole, own in zip(of_hole.about_axis(*line), off.about_axis(*line), strict=True):
        assert hole.sigma == pytest.approx(own.sigma, rel=1e-12)


def test_a_radius_has_an_error_where_there_is_one():
    """None of a body without mass, nor about an axis through all its mass; and a density changes none."""
    solid = shapes.box(1, 2, 3, mass=4).with_relative_error(0.1, "steel")
    assert not solid.uncertainty.radii_of_gyration.bound.any()
    assert not solid.uncertainty.about_axis([1, 2, 3], [1, 1, 0])[1].bound
    rod = MassProperties(2, [0, 0, 0], np.diag([0, 1, 1])).with_relative_error(0.1, "rod")
    nothing = MassProperties(0, [0, 0, 0], np.eye(3))
    assert (rod.uncertainty.radii_of_gyration, rod.uncertainty.about_axis([5, 0, 0], [1, 0, 0])[1]) == (None, None)
    assert (nothing.uncertainty.radii_of_gyration, nothing.uncertainty.about_axis([1, 0, 0], [0, 0, 1])[1]) == (
        None,
        None,
    )
    assert nothing.uncertainty.mass_is_certain
