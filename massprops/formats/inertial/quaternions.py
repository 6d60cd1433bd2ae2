"""Quaternions as simulators take them: of any length, which is divided out; a finding says so where it is not rounding."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from massprops.errors import ReadError
from massprops.findings import Finding
from massprops.frames import QUATERNION_TOLERANCE, Pose
from massprops.moments.arrays import Array, length


def rotation_of(wxyz: Sequence[float], place: str, what: str) -> tuple[Pose, tuple[Finding, ...]]:
    """The rotation of a quaternion w x y z as a pose without translation, and a finding if its length is not 1.

    MuJoCo and SDFormat define a quaternion of any length but zero to mean its direction.

    Raises
    ------
    ReadError
        If its length is zero or not finite.
    """
    length = math.hypot(*wxyz)
    if not 0.0 < length < math.inf:
        raise ReadError(
            f"{place}: {what} is a quaternion of length {length:g}, which is no rotation",
            code="zero-quaternion",
            hint="the identity is w = 1",
        )
    pose = Pose.from_quaternion(wxyz=np.array(wxyz) / length)
    if abs(length - 1.0) <= QUATERNION_TOLERANCE:
        return Pose.from_quaternion(wxyz=wxyz), ()
    message = f"{place}: {what} is a quaternion of length {length:.9g}; it was divided by its length, as simulators do"
    return pose, (Finding("quaternion-length", "info", message, length, 1.0, place),)


def unit_vector(vector: Array, place: str, what: str) -> Array:
    """The direction of a vector; ReadError (``zero-axis``) if it has none."""
    size = length(vector)
    if size == 0.0:
        raise ReadError(f"{place}: {what} has an axis of length 0", code="zero-axis", hint="give a direction")
    return np.asarray(vector / size)
