"""Rigid bodies as the JSON schema `massprops/1` spells them.

Tests: `tests/measurement/test_pipeline.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from massprops.errors import InvalidInput, MasspropsError, require_word
from massprops.frames import finite_array
from massprops.json_values import json_object
from massprops.moments.integrals import Array
from massprops.moments.uncertainty import ERRORS, Uncertainty
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.uncertain import BodyErrors, ErrorKind, to_vector10

if TYPE_CHECKING:
    from massprops.rigid_body.line import Line

SCHEMA = "massprops/1"
CERTIFICATE_SCHEMA = "massprops-certificate/1"


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
        tensor = body.inertia_about(point_of(about))
    if not np.isfinite(tensor).all():
        raise InvalidInput(f"the inertia about {about!r} is not a finite number", hint="choose a nearer point or pose")
    return tensor


def error_object(path: str, error: MasspropsError) -> dict[str, object]:
    """An error about an input, as JSON has it instead of a result."""
    place = error.message.partition(": ")[0] if error.message.startswith(f"{path}:") else path
    return {"schema": SCHEMA, "input": {"path": path}, "error": error.to_dict() | {"place": error.place or place}}


def with_sign(tensor: Array, products: Products) -> Array:
    """The tensor with its products of inertia in the sign convention asked for; InvalidInput if there is none of that name."""
    if require_word(products, get_args(Products), "products") == "tensor":
        return tensor
    return np.asarray(2 * np.diag(np.diag(tensor)) - tensor)


def inertia_dict(
    body: MassProperties | None, about: ArrayLike | str, products: Products, axes: Axes, line: Line | None = None
) -> dict[str, object] | None:
    """The `inertia` of a result; None where no mass is known."""
    if body is None:
        return None
    return {
        "about": about if isinstance(about, str) else point_of(about).tolist(),
        "axes": axes,
        "products": products,
        "tensor": with_sign(inertia_about(body, about), products).tolist(),
        **({} if line is None else {"about_axis": line.to_dict(body)}),
    }


def numbers_dict(body: MassProperties) -> dict[str, object]:
    """Mass, centre and inertia of a body."""
    return json_object(mass=body.mass, center_of_mass=body.com, inertia=body.inertia)


def principal_dict(body: MassProperties | None) -> dict[str, object] | None:
    """The `principal` of a result; None where no mass is known."""
    if body is None:
        return None
    return json_object(body.principal(), "moments axes arbitrary")


def uncertainty_dict(
    total: Uncertainty | None, sources: Mapping[str, Uncertainty], body: MassProperties | None, about: ArrayLike | str
) -> dict[str, object] | None:
    """The `uncertainty` of a result: its bounds, its standard deviations, and what joining bodies needs of stated errors."""
    known = {} if body is None else body.sources
    sigma = [name for name, s in known.items() if s.kind == "sigma"]
    if total is None and not sigma:
        return None
    return {
        **(dict.fromkeys(ERRORS) if total is None else total.to_dict()),
        "sources": {name: source.to_dict() for name, source in sources.items()},
        "sigma": errors_dict(body.uncertainty.only(*sigma), "sigma", about) if body is not None and sigma else None,
        "stated": {
            name: {"kind": s.kind, "shared": s.shared, "changes": to_vector10(s.changes).tolist()}
            for name, s in known.items()
            if s.shared or s.kind == "sigma"
        },
    }


def errors_dict(
    views: BodyErrors,
    kind: ErrorKind,
    about: ArrayLike | str,
    names: str = "mass center_of_mass inertia inertia_about principal_moments radii_of_gyration",
) -> dict[str, object]:
    """The bounds, or the standard deviations, of numbers of a body."""
    found: dict[str, object] = {}
    for name in names.split():
        if name == "inertia_about":
            view = None if isinstance(about, str) and about == "com" else views.inertia_about(point_of(about))
        else:
            view = getattr(views, name)
        found[name] = None if view is None else getattr(view, kind).tolist()
    return found


def point_of(about: ArrayLike | str) -> Array:
    """The point that moments are about, shape (3,); InvalidInput if it is neither "origin" nor three finite numbers."""
    if isinstance(about, str):
        if about != "origin":
            raise InvalidInput(f"inertia can be about 'com', 'origin' or a point, got {about!r}")
        return np.zeros(3)
    return finite_array(about, (3,), "point")
