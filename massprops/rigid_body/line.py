"""A line that a body may turn about: its moment of inertia, its radius of gyration, and how far they can be off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from massprops.errors import InvalidInput
from massprops.frames import finite_array, unit_vector
from massprops.json_values import json_object
from massprops.moments.arrays import Array, ByValue
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.uncertain import Bounds
from massprops.values import dataclass


class AboutLine(NamedTuple):
    """Moment of inertia, kg m², and radius of gyration √(I/m), m, where there is one; their errors, where they have sources."""

    moment: float
    radius: float | None
    moment_error: Bounds | None
    radius_error: Bounds | None


@dataclass(frozen=True, eq=False)
class Line(ByValue):
    """A line through a point, shape (3,), m, along a direction, shape (3,), any but zero: a unit vector is stored."""

    point: Array
    direction: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", finite_array(self.point, (3,), "point of the axis"))
        object.__setattr__(self, "direction", unit_vector(self.direction, "direction of the axis"))

    @classmethod
    def through(cls, point: ArrayLike, direction: ArrayLike) -> Self:
        """From anything like arrays."""
        return cls(np.asarray(point), np.asarray(direction))

    def of(self, body: MassProperties) -> AboutLine:
        """The numbers of a body about it.

        Raises
        ------
        InvalidInput
            If the line is so far away that the moment is not a finite number.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            moment = body.inertia_about_axis(self.point, self.direction)
        if not np.isfinite(moment):
            raise InvalidInput("the inertia about the axis is not a finite number", hint="choose a nearer axis")
        radius = body.radius_of_gyration_about_axis(self.point, self.direction)
        if not (body.sources and body.uncertainty.mass_is_certain):
            return AboutLine(moment, radius, None, None)
        off = body.uncertainty.about_axis(self.point, self.direction)
        return AboutLine(moment, radius, *off)

    def to_dict(self, body: MassProperties) -> dict[str, object]:
        """Dictionary as the JSON schema `massprops/1` spells it."""
        found = self.of(body)
        errors = {"moment": found.moment_error, "radius_of_gyration": found.radius_error}
        return {
            **json_object(self, "point direction"),
            **json_object(moment=found.moment, radius_of_gyration=found.radius),
            **{
                kind: {name: None if view is None else float(getattr(view, kind)) for name, view in errors.items()}
                for kind in ("bound", "sigma")
            },
        }


@dataclass(frozen=True, eq=False)
class InertiaReference:
    """Point and line of a shown inertia, beside the centre of mass: "com", "origin", a point x, y, z, m, or none; a line or none."""

    about: Sequence[float] | str | None = None
    line: Line | None = None


#: The centre of mass alone.
CENTRAL = InertiaReference()
