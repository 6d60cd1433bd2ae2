"""Ten free numbers for a body: every choice of them is a possible body, so an optimiser needs no constraint.

Rucker and Wensing (2022), Smooth Parameterization of Rigid-Body Inertia, IEEE Robotics and Automation Letters 7(2):
the pseudo-inertia is Π = U Uᵀ with

    U = e^α [[e^d₁, s₁₂, s₁₃, t₁], [0, e^d₂, s₂₃, t₂], [0, 0, e^d₃, t₃], [0, 0, 0, 1]],   θ = (α, d₁, d₂, d₃, s₁₂, s₂₃, s₁₃, t₁, t₂, t₃).

Reading off the last column: e^2α is the mass, t the centre of mass, and the block above it factors S_c / m. So nothing need
pass through Π, which about a distant origin has lost the digits of S_c.
"""

from __future__ import annotations

import math

import numpy as np

from massprops.errors import InvalidInput
from massprops.moments.arrays import Array, product


def parameters_of(mass: float, com: Array, second: Array) -> Array:
    """θ, shape (10,), of a body of this mass (kg), centre (m) and second moment about it (kg m²).

    Raises
    ------
    InvalidInput
        If the mass is not positive or S_c is not positive definite: a plate, a rod and a point lie at infinity.
    """
    if mass <= 0.0:
        raise InvalidInput(f"log-Cholesky parameters need a positive mass, got {mass!r} kg", code="non-positive-mass")
    u = upper_factor(second / mass)
    d1, d2, d3 = np.log(u.diagonal()).tolist()
    return np.array([0.5 * math.log(mass), d1, d2, d3, u[0, 1], u[1, 2], u[0, 2], *com.tolist()])


def body_of(parameters: Array) -> tuple[float, Array, Array]:
    """Mass, centre of mass and second moment about it, of θ, shape (10,): the reverse of `parameters_of`."""
    alpha, d1, d2, d3, s12, s23, s13 = parameters[:7].tolist()
    u = np.array([[math.exp(d1), s12, s13], [0.0, math.exp(d2), s23], [0.0, 0.0, math.exp(d3)]])
    mass = math.exp(2.0 * alpha)
    return mass, parameters[7:], mass * product(u, u.T)


def upper_factor(matrix: Array) -> Array:
    """U upper triangular with U Uᵀ = matrix: Cholesky's factor read backwards; InvalidInput if the matrix is not positive definite."""
    a = matrix[::-1, ::-1].tolist()
    lower = np.zeros((3, 3))
    for j in range(3):
        for i in range(j, 3):
            rest = a[i][j] - sum(float(lower[i, k] * lower[j, k]) for k in range(j))
            if i == j and rest <= 0:
                what = "log-Cholesky parameters need a body that extends in all three directions"
                what += ": its second moment about the centre of mass is not positive definite"
                raise InvalidInput(what, code="not-positive-definite")
            lower[i, j] = math.sqrt(rest) if i == j else rest / lower[j, j]
    return lower[::-1, ::-1]
