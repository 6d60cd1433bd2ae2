"""The geometry that an inertial is compared with.

Tests: `tests/diagnosis/test_evidence.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from massprops.errors import InvalidInput, MasspropsError, result_or_error
from massprops.formats.inertial.inertial import Inertial
from massprops.formats.registry import open_mesh
from massprops.formats.robot.links import LENGTHS, Primitive
from massprops.frames import Pose
from massprops.measurement.links import PlacedSolid, half_edges
from massprops.measurement.result import Measurement
from massprops.mesh.repaired_solid import body_mesh
from massprops.moments.arrays import determinant, length, sandwich
from massprops.moments.integrals import Array, Moments
from massprops.rigid_body.extent import Extent
from massprops.rigid_body.mass_properties import MassProperties
from massprops.units import length_unit

#: Parts whose volumes or tensors per kilogram differ by no more may be one part, drawn twice.
ANOTHER = 0.25
#: Points whose bounds differ from those of what was measured by a larger share of its size are others.
_SAME_PLACE = 1e-6
#: A mesh is a box if it differs from its bounds by no more than this: coordinates in single precision.
IS_BOX = 1e-5


class SolidShape(NamedTuple):
    """A primitive shape as it is placed: its name in `SHAPES`, its lengths, m, and its axes in columns."""

    name: str
    lengths: Mapping[str, float]
    axes: Array


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
    is_simpler : bool
        Whether it is a collision geometry in the place of the visual one, so that nothing that it shows is an error.
    solids : tuple of PlacedSolid
        That it is made of.
    collision : callable
        The collision geometry beside the visual one, measured when it is needed; None where there is none.
    around : callable
        The hull of that, refused meshes included.
    """

    moments: Moments
    extent: Callable[[], Extent]
    doubts: tuple[str, ...] = ()
    pose: Pose | None = None
    is_meshes: bool = True
    is_simpler: bool = False
    solids: tuple[PlacedSolid, ...] = ()
    collision: Callable[[], Reference | None] = lambda: None
    around: Callable[[], Extent | None] = lambda: None

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

    @cached_property
    def shape(self) -> SolidShape | None:
        """Its only solid as a primitive shape, also a mesh that is a box; None of others."""
        return self._box_of_mesh() if self.is_meshes else _shape_of(self.solids)

    @cached_property
    def axes(self) -> Array | None:
        """Axes of its only solid in columns; None of several solids, and of one that is sheared."""
        placed = _axes_and_scales(self.solids[0].linear) if len(self.solids) == 1 else None
        return None if placed is None else placed[0]

    @cached_property
    def boxes(self) -> tuple[tuple[Array, Array, Array], ...]:
        """Edges, axes in columns and middles of boxes around it: along the axes of the link, and of its only solid."""
        bounds = self.extent().bounds()
        along_link = (np.ptp(bounds, axis=0), np.eye(3), bounds.mean(axis=0))
        return (along_link, *map(_box_of, self.solids[:1] if len(self.solids) == 1 else ()))

    def _box_of_mesh(self) -> SolidShape | None:
        if len(self.solids) != 1:
            return None
        edges, axes, _ = _box_of(self.solids[0])
        box = sandwich(axes, np.diag(edges**2))  # 12 times its second moments per kilogram
        own = 0.5 * self.inertia.trace() * np.eye(3) - self.inertia
        is_box = length(12 * own - box) <= IS_BOX * length(box) and np.ptp([edges.prod(), self.moments.measure]) <= (
            IS_BOX * self.moments.measure
        )
        return SolidShape("box", dict(zip(LENGTHS["box"], edges.tolist(), strict=True)), axes) if is_box else None

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

    def wider(self) -> Extent | None:
        """The hull of the visual and the collision geometry together; None where there is no more."""
        other = self.around()
        return None if other is None else self.extent() + other

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
    """A measured solid as a reference; InvalidInput if it is a sheet, or flat."""
    if measured.method in ("shell", "lamina"):
        what = "was measured as a sheet" if measured.method == "shell" else "is a plane figure"
        raise InvalidInput(f"{what}, and an inertial is compared with a solid", place=measured.input.path)
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


def _axes_and_scales(linear: Array) -> tuple[Array, Array] | None:
    """Rotation, and scales along its columns, of a map that does not shear; a mirror is a scale."""
    scales = np.sqrt((linear**2).sum(axis=0))
    axes = linear / scales
    if length(axes.T @ axes - np.eye(3)) > IS_BOX:
        return None
    return (axes if determinant(axes) > 0 else axes * [1, 1, -1]), scales


def _box_of(solid: PlacedSolid) -> tuple[Array, Array, Array]:
    """Edges, axes in columns and middle of the box around a solid along its own axes; along those of the link where it is sheared."""
    half = half_edges(solid.geometry.solid) if isinstance(solid.geometry.solid, Primitive) else None
    bounds = solid.mesh[1].bounds if solid.mesh and solid.pieces is None else None
    bounds = np.array([-half, half]) if half is not None else bounds
    placed = _axes_and_scales(solid.linear) if np.abs(solid.linear).max() > 0 else None
    if bounds is None or placed is None:
        return np.ptp(solid.bounds, axis=0), np.eye(3), solid.bounds.mean(axis=0)
    middle = solid.linear @ bounds.mean(axis=0) + solid.geometry.pose.translation
    return np.ptp(bounds, axis=0) * placed[1], placed[0], middle


def _shape_of(solids: tuple[PlacedSolid, ...]) -> SolidShape | None:
    """The shape of a single primitive; scaled ones are primitives again where their axes are those of the scale."""
    if len(solids) != 1 or not isinstance(solid := solids[0].geometry.solid, Primitive):
        return None
    placed = _axes_and_scales(solids[0].linear)
    if placed is None or not solids[0].moments.measure > 0:
        return None
    axes, (x, y, z) = placed[0], placed[1].tolist()
    known = solid.lengths
    is_even = max(abs(x - z), abs(y - z)) <= IS_BOX * z
    if solid.shape in ("box", "ellipsoid"):
        return SolidShape(solid.shape, {k: v * s for (k, v), s in zip(known.items(), (x, y, z), strict=True)}, axes)
    if solid.shape == "sphere" and not is_even:
        radii = (known["radius"] * s for s in (x, y, z))
        return SolidShape("ellipsoid", dict(zip(LENGTHS["ellipsoid"], radii, strict=True)), axes)
    if abs(x - y) > IS_BOX * x or (solid.shape == "capsule" and not is_even):
        return None
    scales = {"length": z, "height": z}
    return SolidShape(solid.shape, {k: v * scales.get(k, x) for k, v in known.items()}, axes)
