"""The geometry that an inertial is compared with.

Tests: `tests/diagnosis/test_evidence.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from massprops.errors import InvalidInput
from massprops.formats.inertial.inertial import Inertial
from massprops.frames import Pose
from massprops.measurement.result import Measurement
from massprops.moments.arrays import length, sandwich
from massprops.moments.integrals import Array, Moments
from massprops.rigid_body.mass_properties import MassProperties

#: Parts whose volumes or tensors per kilogram differ by no more may be one part, drawn twice.
ANOTHER = 0.25


@dataclass(frozen=True, eq=False)
class Reference:
    """The geometry that an inertial is compared with.

    Attributes
    ----------
    moments : Moments
        Of the geometry, in the frame of the link, m³ …
    bounds : ndarray, shape (2, 3)
        Of a box that holds it, m.
    doubts : tuple of str
        Why its integral may not be that of the body.
    pose : Pose or None
        Of its only solid in the frame of the link; None of several solids.
    is_meshes : bool
        Whether all its solids are meshes, which have a scale.
    is_simpler : bool
        Whether it is a collision geometry in the place of the visual one, so that nothing that it shows is an error.
    wider_bounds : callable
        Bounds of the visual and the collision geometry together, measured when they are needed; None where there is no more.
    """

    moments: Moments
    bounds: Array
    doubts: tuple[str, ...] = ()
    pose: Pose | None = None
    is_meshes: bool = True
    is_simpler: bool = False
    wider_bounds: Callable[[], Array | None] = lambda: None

    @cached_property
    def centroid(self) -> Array:
        """Centre of the geometry, m."""
        return self.moments.centroid

    @cached_property
    def size(self) -> float:
        """Diagonal of the bounds, m."""
        return length(self.bounds[1] - self.bounds[0])

    @cached_property
    def inertia(self) -> Array:
        """Tensor about the centre of mass at uniform density, per kilogram, m²."""
        return self.body(1.0).inertia

    def body(self, mass: float) -> MassProperties:
        """The geometry as a body of uniform density and this mass, kg."""
        return MassProperties.from_moments(self.moments, mass=mass)

    def centre_distance(self, stated: Inertial) -> float:
        """Distance from the stated centre of mass to that of the geometry, over the diagonal of the bounds."""
        return length(stated.frame.translation - self.centroid) / self.size

    def tensor_distance(self, stated: Inertial) -> float:
        """Distance of the tensors, relative to the geometry's at the same mass and uniform density."""
        uniform = abs(stated.mass) * self.inertia
        return length(sandwich(stated.frame.rotation, stated.tensor) - uniform) / length(uniform)

    def scaled(self, factor: float) -> Reference:
        """Solid scaled about the origin of its own frame."""
        origin = np.zeros(3) if self.pose is None else self.pose.translation
        rest = (1.0 - factor) * origin
        bounds = factor * self.bounds + rest
        return replace(self, moments=self.moments.mapped(factor * np.eye(3), rest), bounds=bounds)

    def is_clearly_another(self, other: Reference) -> bool:
        """Whether two geometries are meshes of parts that differ in volume or in shape."""
        apart = abs(self.moments.measure - other.moments.measure) / self.moments.measure
        turned = length(self.inertia - other.inertia) / length(self.inertia)
        return self.is_meshes and other.is_meshes and max(apart, turned) > ANOTHER


def reference_of(measured: Measurement) -> Reference:
    """A measured solid as a reference; InvalidInput if it is a sheet."""
    if measured.method == "shell":
        raise InvalidInput(f"{measured.input.path}: was measured as a sheet, and an inertial is compared with a solid")
    doubts = (f"it is {measured.grade}",) if measured.grade in ("unverified", "estimated") else ()
    return Reference(measured.moments, measured.bounds, doubts, Pose.identity())


def inertial_of(body: MassProperties) -> Inertial:
    """A body as numbers along the axes of its frame."""
    return Inertial(body.mass, Pose(np.eye(3), body.com), body.inertia)
