"""The geometry that an inertial is compared with.

Tests: `tests/diagnosis/test_evidence.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from massprops.errors import InvalidInput, MasspropsError, result_or_error
from massprops.formats.inertial.inertial import Inertial
from massprops.formats.registry import open_mesh
from massprops.frames import Pose
from massprops.measurement.result import Measurement
from massprops.mesh.repaired_solid import body_mesh
from massprops.moments.arrays import length, sandwich
from massprops.moments.integrals import Array, Moments
from massprops.rigid_body.extent import Extent
from massprops.rigid_body.mass_properties import MassProperties
from massprops.units import length_unit

#: Parts whose volumes or tensors per kilogram differ by no more may be one part, drawn twice.
ANOTHER = 0.25
#: Points whose bounds differ from those of what was measured by a larger share of its size are others.
_SAME_PLACE = 1e-6


@dataclass(frozen=True, eq=False)
class Reference:
    """The geometry that an inertial is compared with.

    Attributes
    ----------
    moments : Moments
        Of the geometry, in the frame of the link, m³ …
    extent : callable
        The convex hull that its mass is in, made when it is needed.
    doubts : tuple of str
        Why its integral may not be that of the body.
    pose : Pose or None
        Of its only solid in the frame of the link; None of several solids.
    is_meshes : bool
        Whether all its solids are meshes, which have a scale.
    wider : callable
        The hull of the visual and the collision geometry together, measured when it is needed; None where there is no more.
    """

    moments: Moments
    extent: Callable[[], Extent]
    doubts: tuple[str, ...] = ()
    pose: Pose | None = None
    is_meshes: bool = True
    wider: Callable[[], Extent | None] = lambda: None

    @cached_property
    def centroid(self) -> Array:
        """Centre of the geometry, m."""
        return self.moments.centroid

    @cached_property
    def size(self) -> float:
        """Diagonal of the box with the same spread, m."""
        return length(self.moments.box_edges)

    @cached_property
    def inertia(self) -> Array:
        """Tensor about the centre of mass at uniform density, per kilogram, m²."""
        return self.body(1.0).inertia

    def body(self, mass: float) -> MassProperties:
        """The geometry as a body of uniform density and this mass, kg."""
        return MassProperties.from_moments(self.moments, mass=mass)

    def centre_distance(self, stated: Inertial) -> float:
        """Distance from the stated centre of mass to that of the geometry, over the size."""
        return length(stated.frame.translation - self.centroid) / self.size

    def tensor_distance(self, stated: Inertial) -> float:
        """Distance of the tensors, relative to the geometry's at the same mass and uniform density."""
        uniform = abs(stated.mass) * self.inertia
        return length(sandwich(stated.frame.rotation, stated.tensor) - uniform) / length(uniform)

    def scaled(self, factor: float) -> Reference:
        """Solid scaled about the origin of its own frame."""
        origin = np.zeros(3) if self.pose is None else self.pose.translation
        rest = (1.0 - factor) * origin
        return replace(self, moments=self.moments.mapped(factor * np.eye(3), rest))

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
    return Reference(measured.moments, partial(_extent_of, measured), doubts, Pose.identity())


def _extent_of(measured: Measurement) -> Extent:
    """The hull of the triangles that were measured; the box around them where they are no longer at hand."""
    file = measured.input

    def chunks() -> Iterator[Array]:
        with open_mesh(file.path) as mesh:
            for chunk in body_mesh(mesh).chunks():
                yield chunk.reshape(-1, 3).astype(np.float64) * length_unit(file.unit)

    found, low, high = result_or_error(Extent.of_points, chunks), *measured.bounds
    if isinstance(found, MasspropsError) or not len(found.points):
        return Extent.of_box(measured.bounds)
    apart = np.abs([found.points.min(axis=0) - low, found.points.max(axis=0) - high]).max()
    return found if apart <= _SAME_PLACE * length(high - low) else Extent.of_box(measured.bounds)


def inertial_of(body: MassProperties) -> Inertial:
    """A body as numbers along the axes of its frame."""
    return Inertial(body.mass, Pose(np.eye(3), body.com), body.inertia)
