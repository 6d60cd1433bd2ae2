"""The physically consistent body nearest to numbers that no distribution of mass has.

Mass and centre of mass are consistent whatever they are, as long as the mass is positive; so they stay, and S = ∫ρ r rᵀ about the
centre is projected onto the matrices without negative eigenvalues. Two senses of *nearest*:

- ``frobenius``: ‖S' − S‖, kg m². About the centre of mass the pseudo-inertia is diag(S, m), so that this is also the projection of the
  whole 4×4 matrix. Negative eigenvalues become zero (Higham 1988, Linear Algebra and its Applications 103, theorem 2.1).
- ``affine-invariant``: ‖R^(−1/2) (S' − S) R^(−1/2)‖, R the second moment of a reference body. The affine-invariant distance itself,
  ‖log(R^(−1/2) S R^(−1/2))‖, is infinite for every S that is not positive definite: it has no nearest point. This is its metric at the
  reference, the constant pullback of Lee, Wensing and Park (2020, IEEE Transactions on Robotics 36(2)). It depends on no unit and on no
  axes: a change is measured by the extent that the reference has in that direction.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from massprops.errors import InvalidInput, require_type, require_word, written
from massprops.json_values import json_object
from massprops.moments.arrays import Array, ByValue, length, product, sandwich, symmetric_eigen
from massprops.rigid_body.as_json import numbers_dict
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.tensors import second_of
from massprops.values import dataclass

Sense = Literal["frobenius", "affine-invariant"]
#: The least eigenvalue of S' over the largest: simulators compare A + B ≥ C without a tolerance, and rounding would break an equality.
MARGIN = 1e-9


@dataclass(frozen=True, eq=False)
class Nearest(ByValue):
    """The nearest consistent body.

    Attributes
    ----------
    sense : {"frobenius", "affine-invariant"}
        In which sense.
    body : MassProperties
        With the mass and the centre of mass that were stated.
    distance : float
        kg m² (``frobenius``), or a bare number (``affine-invariant``); 0 for a body that is consistent as it is.
    relative : float
        The distance over the size of S in the same norm.
    change : ndarray, shape (3, 3)
        What was added to the inertia tensor about the centre of mass, kg m².
    """

    sense: Sense
    body: MassProperties
    distance: float
    relative: float
    change: Array

    def to_dict(self) -> dict[str, object]:
        """Dictionary as the JSON schema `massprops/1` spells it."""
        return json_object(self, "sense distance relative") | numbers_dict(self.body) | json_object(self, "change")


def nearest_consistent(
    body: MassProperties, *, sense: Sense = "frobenius", reference: MassProperties | None = None, margin: float = MARGIN
) -> Nearest:
    """The physically consistent body of the same mass and centre of mass whose inertia is nearest.

    Parameters
    ----------
    body : MassProperties
        With a positive mass.
    sense : {"frobenius", "affine-invariant"}
        How distances are measured; see `massprops.rigid_body.nearest`.
    reference : MassProperties
        For ``affine-invariant``: a solid in the same axes, such as the geometry of the body. Its mass and place do not matter.
    margin : float
        The least eigenvalue of the second moment that the result may have, relative to the largest; 0 gives a plate.

    Returns
    -------
    Nearest
        The body, and its distance from the stated one, kg m² or (affine-invariant) without a unit.

    Raises
    ------
    InvalidInput
        If the mass is not positive, the sense is unknown, `margin` is not in [0, 1), or the affine-invariant sense has no solid reference.

    Examples
    --------
    >>> found = nearest_consistent(MassProperties(2.0, [0, 0, 0], np.diag([1.0, 1.0, 3.0])), margin=0)
    >>> found.body.inertia.diagonal(), found.distance
    (array([1.5, 1.5, 3. ]), 0.5)
    """
    require_type(body, MassProperties, "body", "MassProperties")
    require_word(sense, get_args(Sense), "sense")
    if not 0 <= margin < 1:
        raise InvalidInput(f"must be at least 0 and less than 1, got {written(margin)}", parameter="margin")
    if body.mass <= 0:
        what = f"no consistent body is nearest to a mass of {body.mass!r}\xa0kg: every positive mass has a smaller one"
        raise InvalidInput(what, code="non-positive-mass", hint="correct the mass first")
    root = unroot = np.eye(3)
    if sense == "affine-invariant":
        if reference is None or reference.consistency().kind != "solid":
            what = "the affine-invariant sense needs a solid reference body: without one every distance is infinite"
            raise InvalidInput(what, argument="reference", hint="give the geometry, or use the Frobenius sense")
        values, columns = symmetric_eigen(second_of(reference.inertia) * (body.mass / reference.mass))
        root, unroot = (sandwich(columns, np.diag(values**power)) for power in (0.5, -0.5))
    second = sandwich(unroot, second_of(body.inertia))
    values, columns = symmetric_eigen(second)
    floor = margin * float(np.abs(values).max())
    lifted = np.zeros(3) if body.consistency().ok else np.maximum(floor - values, 0.0)
    added = product(product(root, columns), np.diag(lifted))
    added = product(added, product(root, columns).T)
    change = np.trace(added) * np.eye(3) - added
    result = MassProperties(body.mass, body.com, body.inertia + 0.5 * (change + change.T))
    distance = length(lifted)
    return Nearest(sense, result, distance, distance / (length(values) or 1.0), result.inertia - body.inertia)
