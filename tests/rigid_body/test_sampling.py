"""Random bodies have the means and spreads that are stated, along every direction, and stay possible."""

from __future__ import annotations

import numpy as np
import pytest

from massprops.errors import InvalidInput
from massprops.frames import Pose
from massprops.rigid_body import shapes
from massprops.rigid_body.sampling import InertialSpread

COUNT = 2500
#: A thin plate, tilted and off the origin: its second moments differ by six decades.
PLATE = shapes.box(1, 0.3, 0.001, mass=2).transformed(Pose.from_xyz_rpy([1, 2, 3], [0.3, -0.7, 1.1]))


def test_means_and_spreads_are_those_stated():
    """Wide ones, so that a median in place of a mean, or one degree of freedom more, is far outside 5 standard errors."""
    spread, random = InertialSpread(mass=0.4, com=0.01, inertia=0.4), np.random.RandomState(5)
    bodies = [spread.sample(PLATE, random) for _ in range(COUNT)]
    directions = np.array([*np.eye(3), *PLATE.principal().axes, *np.random.RandomState(6).normal(size=(4, 3))])
    moments = np.array([[u @ b.second_moment() @ u / b.mass for u in directions] for b in bodies])
    stated = [u @ PLATE.second_moment() @ u / PLATE.mass for u in directions]
    masses, centres = np.array([b.mass for b in bodies]), np.array([b.com for b in bodies])
    for values, mean, sigma in (
        (masses / PLATE.mass, 1, 0.4),
        ((centres - PLATE.com) / 0.01, 0, 1),
        (moments / stated, 1, 0.4),
    ):
        np.testing.assert_allclose(values.mean(axis=0), mean, atol=5 * sigma / COUNT**0.5)
        # the standard error of a standard deviation: 1 / √(2 n) of a normal one, less than 3 times that with these tails
        np.testing.assert_allclose(values.std(axis=0), sigma, rtol=0.1)
    independent = np.corrcoef(np.column_stack([masses, centres, moments[:, :3]]).T)
    assert np.abs(independent[:4, 4:]).max() < 5 / COUNT**0.5
    assert np.abs(independent[0, 1:4]).max() < 5 / COUNT**0.5
    assert all(b.consistency().ok for b in bodies)


def test_what_does_not_vary_keeps_its_bits():
    random = np.random.RandomState(1)
    lighter, moved = InertialSpread(mass=0.1).sample(PLATE, random), InertialSpread(com=0.1).sample(PLATE, random)
    assert (lighter.com.tolist(), lighter.mass != PLATE.mass) == (PLATE.com.tolist(), True)
    assert (moved.mass, moved.inertia.tolist()) == (PLATE.mass, PLATE.inertia.tolist())
    np.testing.assert_allclose(lighter.inertia / lighter.mass, PLATE.inertia / PLATE.mass, rtol=1e-15)


def test_a_flat_body_has_no_random_inertia():
    plate = shapes.plate(1, 2, mass=1)
    assert InertialSpread(mass=0.1, com=0.1).sample(plate, np.random.RandomState(1)).consistency().ok
    with pytest.raises(InvalidInput, match="does not extend in all three directions"):
        InertialSpread(inertia=0.1).sample(plate, np.random.RandomState(1))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((None, None, None), "nothing varies"),
        (("105%", None, None), "mass must be above 0 and below 1"),
        ((None, "3kg", None), "expected a length"),
        ((None, "-3mm", None), "com must be positive"),
        ((None, None, "10 mm"), "inertia '10 mm' is not a plain number"),
    ],
)
def test_a_spread_that_is_none_is_refused(given, message):
    with pytest.raises(InvalidInput, match=message):
        InertialSpread.parse(*given)
