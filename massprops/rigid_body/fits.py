"""Could a body with this mass, centre and inertia lie inside a box, a ball or an ellipsoid? What forbids it, as findings.

The conditions are necessary: over mass that lies inside, the mean of a function that is nowhere negative inside cannot be
negative. For a box those functions are the products of the distances to two of its faces, for an ellipsoid 1 − (x − o)ᵀ Q (x − o).
(Heins, *Rigid Body Inertial Parameters*, and Wensing, Kim and Slotine 2018, with Π in place of the mean.) Density need not be
uniform, so a body of uniform density may fail to fit where these are silent.

Codes: ``com-outside-bounds`` and ``spread-outside-bounds``, both errors. Nothing is said of a body without a positive mass.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

import numpy as np
from numpy.typing import ArrayLike

from massprops.errors import InvalidInput
from massprops.findings import Finding
from massprops.frames import Pose, finite_array
from massprops.rigid_body.consistency import CONSISTENCY_TOLERANCE
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.tensors import Array
from massprops.units import positive

_AXES = "xyz"


def box_findings(body: MassProperties, lower: ArrayLike, upper: ArrayLike, pose: Pose | None = None) -> list[Finding]:
    """Why `body` cannot lie between two corners: its centre, its spread along an axis, its product in a plane.

    Along each axis (Bhatia and Davis 2000) the variance of anything between l and u with mean c is at most (u − c)(c − l); for
    each pair of faces across different axes the mean product of the distances to them is not negative.

    Parameters
    ----------
    body : MassProperties
        In the frame of the box's pose, or of the box itself.
    lower, upper : array_like, shape (3,)
        Smallest and largest coordinates in the frame of the box, m; equal ones make a flat box.
    pose : Pose
        X_FB of the box's frame in the body's; the same frame by default.

    Returns
    -------
    list of Finding
        Empty where the body can lie in the box.

    Raises
    ------
    InvalidInput
        If the corners are not three finite numbers each, or a lower one is above its upper one.
    """
    low, high = finite_array(lower, (3,), "lower"), finite_array(upper, (3,), "upper")
    for i in np.flatnonzero(low > high):
        raise InvalidInput(f"lower corner is above the upper in {_AXES[i]}: {low[i]} m and {high[i]} m")
    if body.mass <= 0.0:
        return []
    seen = body if pose is None else body.transformed(pose.inverse())
    blur = _blur(body, seen)
    outside = list(_centre_outside(seen, low, high, blur))
    if outside:
        return outside  # without a mean between the faces the variance has no limit to be compared with
    return [*_spread_outside(seen, low, high, blur), *_product_outside(seen, low, high, blur)]


def ellipsoid_findings(body: MassProperties, semi_axes: ArrayLike, pose: Pose | None = None) -> list[Finding]:
    """Why `body` cannot lie in an ellipsoid: the mean of Σ (xᵢ / aᵢ)² about its middle is above 1.

    Together with Π ⪰ 0 the condition is sufficient too for some density (Wensing, Kim and Slotine 2018).

    Parameters
    ----------
    body : MassProperties
        In the frame of the ellipsoid's pose.
    semi_axes : array_like, shape (3,)
        Along the axes of the ellipsoid's frame, m, positive.
    pose : Pose
        X_FE of the ellipsoid's frame, its middle the origin, in the body's; the same frame by default.

    Returns
    -------
    list of Finding
        Empty where the body can lie in the ellipsoid.

    Raises
    ------
    InvalidInput
        If a semi-axis is not positive.
    """
    a = finite_array(semi_axes, (3,), "semi-axes")
    for length in a.tolist():
        positive(length, "semi-axis", "m")
    if body.mass <= 0.0:
        return []
    seen = body if pose is None else body.transformed(pose.inverse())
    blur = _blur(body, seen)
    slack = (2.0 * blur * a.min() + blur**2) / a.min() ** 2
    at_centre = float(((seen.com / a) ** 2).sum())
    if at_centre > 1.0 + slack:
        text = f"the centre of mass is outside the ellipsoid: Σ (xᵢ / aᵢ)² is {at_centre:.6g} there, above 1"
        return [_finding("com-outside-bounds", text, at_centre, 1.0, body)]
    mean = at_centre + float((seen.second_moment().diagonal() / a**2).sum() / seen.mass)
    if mean <= 1.0 + slack + _blur_of_variance(seen) / a.min() ** 2:
        return []
    text = f"the mass is spread too far for the ellipsoid: the mean of Σ (xᵢ / aᵢ)² over it is {mean:.6g}, above 1"
    return [_finding("spread-outside-bounds", text, mean, 1.0, body)]


def sphere_findings(body: MassProperties, radius: float, centre: ArrayLike = (0.0, 0.0, 0.0)) -> list[Finding]:
    """Why `body` cannot lie in a ball, `radius` and `centre` in m: an ellipsoid of equal semi-axes; see `ellipsoid_findings`."""
    return ellipsoid_findings(body, [radius] * 3, Pose(np.eye(3), finite_array(centre, (3,), "centre")))


def _blur(body: MassProperties, seen: MassProperties) -> float:
    """How far rounding may have moved the centre of mass, m: by a share of the largest coordinate that it ever had."""
    coordinates = np.concatenate([body.com, seen.com, body.com - seen.com])
    return CONSISTENCY_TOLERANCE * float(np.abs(coordinates).max())


def _blur_of_variance(body: MassProperties) -> float:
    """How far rounding may have moved an entry of S / m, m²: by a share of the largest."""
    return CONSISTENCY_TOLERANCE * float(np.abs(body.inertia).max()) / body.mass


def _centre_outside(body: MassProperties, low: Array, high: Array, blur: float) -> Iterator[Finding]:
    for i, c in enumerate(body.com.tolist()):
        if not low[i] - blur <= c <= high[i] + blur:
            limit = float(low[i] if c < low[i] else high[i])
            text = f"the centre of mass is outside the bounds in {_AXES[i]}: {c:.6g}\xa0m is not in [{low[i]:.6g}, {high[i]:.6g}]\xa0m"
            yield _finding("com-outside-bounds", text, c, limit, body)


def _spread_outside(body: MassProperties, low: Array, high: Array, blur: float) -> Iterator[Finding]:
    variances = body.second_moment().diagonal() / body.mass
    limits = np.maximum(high - body.com, 0.0) * np.maximum(body.com - low, 0.0)
    slack = blur * (high - low + blur) + _blur_of_variance(body)
    for i in np.flatnonzero(variances - limits > slack):
        spread, limit = float(np.sqrt(variances[i])), float(np.sqrt(limits[i]))
        text = (
            f"the mass is spread too far for the bounds in {_AXES[i]}: {spread:.6g}\xa0m about its centre (root mean square), and at "
            f"most {limit:.6g}\xa0m is possible between {low[i]:.6g}\xa0m and {high[i]:.6g}\xa0m with the centre at {body.com[i]:.6g}\xa0m"
        )
        yield _finding("spread-outside-bounds", text, spread, limit, body)


def _product_outside(body: MassProperties, low: Array, high: Array, blur: float) -> Iterator[Finding]:
    """For two axes and a face across each, the mean of (distance to one) × (distance to the other)."""
    covariance = body.second_moment() / body.mass
    near, far = body.com - low, high - body.com
    for i, j in combinations(range(3), 2):
        slack = blur * (near + far)[[i, j]].sum() + blur**2 + _blur_of_variance(body)
        for s, t in product((1, -1), repeat=2):
            mean = float((near if s > 0 else far)[i] * (near if t > 0 else far)[j] + s * t * covariance[i, j])
            if mean < -slack:
                text = (
                    f"the product of inertia in {_AXES[i]}{_AXES[j]} is too large for the bounds: the mean of "
                    f"{_distance(i, s, low, high)} {_distance(j, t, low, high)} over the mass is {mean:.6g}\xa0m², and inside the bounds "
                    "both are positive"
                )
                yield _finding("spread-outside-bounds", text, mean, 0.0, body)


def _distance(axis: int, sign: int, low: Array, high: Array) -> str:
    name = _AXES[axis]
    return f"({name} − {low[axis]:.6g})" if sign > 0 else f"({high[axis]:.6g} − {name})"


def _finding(code: str, message: str, value: float, limit: float, body: MassProperties) -> Finding:
    return Finding(code, "error", message, value, limit, tuple(body.com.tolist()))
