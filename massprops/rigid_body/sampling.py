"""Random bodies near a body, each of them possible: steps in its log-Cholesky parameters, which are free numbers.

With S_c / m = U Uᵀ, U upper triangular (`massprops.rigid_body.log_cholesky`), a step is α' = α + a, t' = t + b and U' = U L:

- e^2a is log-normal with mean 1: the mass has the stated mean and relative standard deviation.
- b is normal: each coordinate of the centre has the stated mean and standard deviation.
- L is upper triangular with L Lᵀ of the Wishart distribution with n = 2 / σ² degrees of freedom and mean 1 (Bartlett's decomposition:
  independent χ² on the diagonal, of n, n − 1 and n − 2 degrees from the last to the first, normal numbers above it). So S_c / m has
  the stated mean, and along every direction u, uᵀ S_c u / m has the relative standard deviation σ, whatever the axes of the file are.

Mass, centre and S_c / m are independent. U' has a positive diagonal, so a body that extends in three directions stays one.
"""

from __future__ import annotations

import math
from typing import Self

import numpy as np

from massprops.errors import InvalidInput
from massprops.moments.arrays import Array, product
from massprops.rigid_body.log_cholesky import upper_factor
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.tensors import inertia_of
from massprops.units import Quantity, parse_length, parse_share
from massprops.values import dataclass


@dataclass(frozen=True)
class InertialSpread:
    """Standard deviations of the mass (of itself), of each coordinate of the centre (m), and of S_c / m along any direction (of itself)."""

    mass: float = 0.0
    com: float = 0.0
    inertia: float = 0.0

    @classmethod
    def parse(cls, mass: Quantity | None, com: Quantity | None, inertia: Quantity | None) -> Self:
        """InertialSpread of ``"5%"``, ``"3mm"`` and ``"10%"``; InvalidInput if none is given or one breaks its rule."""
        if mass is None and com is None and inertia is None:
            raise InvalidInput("nothing varies", hint="give a standard deviation: mass 5%, com 3mm or inertia 10%")
        return cls(
            0.0 if mass is None else parse_share(mass, name="mass"),
            0.0 if com is None else parse_length(com, name="com", must_be_positive=True),
            0.0 if inertia is None else parse_share(inertia, name="inertia"),
        )

    def sample(self, body: MassProperties, random: np.random.RandomState) -> MassProperties:
        """A random body near one with a positive mass, in its frame.

        Raises
        ------
        InvalidInput
            If the inertia varies and the body is a plate, a rod or a point, which has no log-Cholesky parameters.
        """
        # functions of `math`: those of numpy round differently on different processors
        normal, variance = random.standard_normal, math.log1p(self.mass**2)
        factor = math.exp(math.sqrt(variance) * normal() - variance / 2)
        com = body.com + self.com * normal(3)
        inertia = factor * body.inertia
        if self.inertia:
            if body.consistency().rank < 3:
                what = "a body that does not extend in all three directions has no random inertia near it"
                raise InvalidInput(what, code="not-positive-definite")
            u = product(upper_factor(body.second_moment()), _wishart_factor(2 / self.inertia**2, random))
            inertia = inertia_of(factor * product(u, u.T))
        return MassProperties(factor * body.mass, com, inertia)


def _wishart_factor(degrees: float, random: np.random.RandomState) -> Array:
    """L, upper triangular, shape (3, 3), with L Lᵀ of the Wishart distribution of these degrees of freedom, more than 2, and mean 1."""
    factor = np.zeros((3, 3))
    for i in range(3):
        factor[i, i] = math.sqrt(random.chisquare(degrees - 2 + i) / degrees)
        factor[i, i + 1 :] = random.standard_normal(2 - i) / math.sqrt(degrees)
    return factor
