"""Log-Cholesky parameters: Π = U Uᵀ as Rucker and Wensing (2022) write U, and every θ is a body."""

from __future__ import annotations

import math

import numpy as np
import pytest
from cases import refused
from hypothesis import given
from hypothesis import strategies as st

from massprops.errors import InvalidInput
from massprops.rigid_body.mass_properties import MassProperties

MASSES = np.array([1.0, 2.0, 3.5, 0.7, 1.3])
POINTS = np.array([[1, 2, 3], [7, -1, 2], [0, 5, -4], [3, 3, 9], [-2, 0.5, 1]], dtype=float)
BODY = MassProperties.from_point_masses(MASSES, POINTS)
parameters = st.lists(st.floats(-2, 2), min_size=10, max_size=10)


def upper_factor(theta):
    """U of equation (10) of the paper, entry by entry."""
    alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3 = theta
    u = [[math.exp(d1), s12, s13, t1], [0, math.exp(d2), s23, t2], [0, 0, math.exp(d3), t3], [0, 0, 0, 1]]
    return math.exp(alpha) * np.array(u)


@given(parameters)
def test_the_pseudo_inertia_is_u_times_its_transpose(theta):
    u = upper_factor(theta)
    pi = MassProperties.from_log_cholesky(theta).pseudo_inertia()
    np.testing.assert_allclose(pi, u @ u.T, rtol=0, atol=1e-14 * np.abs(pi).max())


@given(parameters)
def test_any_ten_numbers_are_a_body_and_come_back(theta):
    body = MassProperties.from_log_cholesky(theta)
    assert body.consistency().ok
    # S_c / m has a condition of up to e^(4+4) · some 1e2 from the shears: so much of 1e-16 is lost
    np.testing.assert_allclose(body.log_cholesky(), theta, rtol=0, atol=1e-9)


def test_a_distant_body_keeps_its_digits():
    # through Π, S_c would be the difference of numbers 1e12 times as large
    far = BODY.translated([1e6, -2e6, 3e6])
    np.testing.assert_array_equal(far.log_cholesky()[:7], BODY.log_cholesky()[:7])
    np.testing.assert_array_equal(far.log_cholesky()[7:], far.com)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            MassProperties(1.0, [0, 0, 0], np.diag([1.0, 2.0, 3.0])),
            (
                "log-Cholesky parameters need a body that extends in all three directions: its second moment about the centre of mass "
                "is not positive definite"
            ),
        ),
        (-BODY, "log-Cholesky parameters need a positive mass, got -8.5 kg"),
    ],
)
def test_what_has_no_logarithm_is_refused(body, message):
    assert refused(InvalidInput, body.log_cholesky) == message
