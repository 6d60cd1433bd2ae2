"""Rigid bodies as the JSON schema `massprops/1` spells them."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from massprops.errors import InvalidInput
from massprops.frames import finite_array
from massprops.moments.integrals import Array
from massprops.rigid_body.mass_properties import MassProperties

SCHEMA = "massprops/1"


Axes = Literal["file", "parent", "frame"]


Products = Literal["tensor", "positive"]


def inertia_about(body: MassProperties, about: ArrayLike | str) -> Array:
    """Inertia tensor of `body` about "com", "origin" or a point, shape (3, 3), kg m².

    Raises
    ------
    InvalidInput
        If it is no such point, or so far away that the tensor is not a finite number.
    """
    if isinstance(about, str) and about == "com":
        return body.inertia
    with np.errstate(over="ignore", invalid="ignore"):
        tensor = body.inertia_about(_point(about))
    if not np.isfinite(tensor).all():
        raise InvalidInput(f"the inertia about {about!r} is not a finite number", hint="choose a nearer point or pose")
    return tensor


def with_sign(tensor: Array, products: Products) -> Array:
    """The tensor with its products of inertia in the sign convention asked for; InvalidInput if there is none of that name."""
    if products == "tensor":
        return tensor
    if products != "positive":
        raise InvalidInput(f"products must be one of tensor, positive, got {products!r}")
    return np.asarray(2 * np.diag(np.diag(tensor)) - tensor)


def inertia_dict(
    body: MassProperties | None, about: ArrayLike | str, products: Products, axes: Axes
) -> dict[str, object] | None:
    """The `inertia` of a result; None where no mass is known."""
    if body is None:
        return None
    return {
        "about": about if isinstance(about, str) else _point(about).tolist(),
        "axes": axes,
        "products": products,
        "tensor": with_sign(inertia_about(body, about), products).tolist(),
    }


def principal_dict(body: MassProperties | None) -> dict[str, object] | None:
    """The `principal` of a result; None where no mass is known."""
    if body is None:
        return None
    principal = body.principal()
    return {
        "moments": principal.moments.tolist(),
        "axes": principal.axes.tolist(),
        "arbitrary": list(principal.arbitrary),
    }


def _point(about: ArrayLike | str) -> Array:
    if isinstance(about, str):
        if about != "origin":
            raise InvalidInput(f"inertia can be about 'com', 'origin' or a point, got {about!r}")
        return np.zeros(3)
    return finite_array(about, (3,), "point")
