"""Solids of a robot's links, measured at unit density and placed in the frame of the link.

Tests: `tests/formats/robot/test_links.py`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Self

import numpy as np

from massprops.errors import InvalidGeometry, InvalidInput, MasspropsError, result_or_error
from massprops.findings import Finding
from massprops.formats.files import read_bytes
from massprops.formats.inertial.numbers import numbers
from massprops.formats.mesh.arrays import from_soup
from massprops.formats.registry import open_mesh
from massprops.formats.robot.links import (
    ComputedInertial,
    Geometry,
    GeometryKind,
    Link,
    LinkMesh,
    Primitive,
    UnsupportedGeometry,
)
from massprops.formats.search_path import SearchPath
from massprops.formats.table import FORMATS
from massprops.frames import Pose
from massprops.grades import Repair
from massprops.measurement.output_units import scale_lengths
from massprops.measurement.pipeline import measure
from massprops.measurement.result import Measurement
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.mesh.policies import LIMITS, Policies
from massprops.mesh.repair.convex_hull import convex_hull
from massprops.mesh.repaired_solid import body_mesh
from massprops.mesh.source import IndexedChunks, MeshFile
from massprops.moments.arrays import determinant, product
from massprops.moments.integrals import Array, Moments
from massprops.rigid_body.extent import Extent
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.shape_facets import facets_of_shape
from massprops.rigid_body.shapes import shape_moments
from massprops.units import Quantity, length_unit
from massprops.values import regex

#: A quarter turn about x: y of the mesh becomes z of the link.
_TO_Z_UP = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0.0]])


#: A mesh file, or a mesh that the robot file holds.
MeshKey = Path | LinkMesh


@dataclass(frozen=True, eq=False)
class PlacedSolid:
    """One solid of a link, at unit density, in the axes of the link.

    Attributes
    ----------
    geometry : Geometry
    moments : Moments
    bounds : ndarray, shape (2, 3)
        Of a box that holds it, m.
    linear : ndarray, shape (3, 3)
        What its own coordinates are multiplied by, before they are moved by the pose of the geometry.
    name : str
        Of its file, or shape.
    mesh : (Path or LinkMesh, Measurement) or None
        Its file, or itself where the robot file holds it, and what was measured of it; None of a primitive.
    pieces : ndarray of shape (n, 3, 3), or None
        The triangles of several files that are one surface, in the axes of the link; `mesh` has the first file.
    """

    geometry: Geometry
    moments: Moments
    bounds: Array
    linear: Array
    name: str
    mesh: tuple[MeshKey, Measurement] | None = None
    pieces: Array | None = None

    @property
    def key(self) -> Hashable:
        """Key of its file or shape: copies have the same."""
        solid = self.geometry.solid
        return (solid.shape, *solid.lengths.items()) if isinstance(solid, Primitive) else self.mesh and self.mesh[0]

    @property
    def mass_moments(self) -> Moments | None:
        """∫ρ, ∫ρ x, ∫ρ x xᵀ with the densities that its file states; None where it states none."""
        found = self.mesh[1] if self.mesh else None
        if found is None or found.density is None:
            return None
        return found.moments.times(found.density).mapped(self.linear, self.geometry.pose.translation)


#: Facets of the geometries of a link together, where these have files or shapes in common.
MOST_FACETS = 750_000
#: The other geometry stands in for a refused one if each edge of its box is at most so many times as long or as short, and its
#: middle is off by at most what is more than 1 of this.
MOST_UNLIKE = 1.25
GeometriesOfKind = tuple[GeometryKind, Sequence[Geometry]]


#: Formats whose files refer to no others, so that a file that has not changed is the same mesh; and the meshes that are remembered.
ALONE, _REMEMBERED = (".stl", ".obj", ".ply", ".off", ".dae"), 4096


def measure_solid(mesh: Path | Array, repair: Repair = "full", max_uncertainty: Quantity | None = None) -> Measurement:
    """A mesh as the solid of a link, repaired where that is needed.

    A file that other robots of the process named, and that has not been written since, is not measured again.

    Raises
    ------
    MasspropsError
        If it cannot be read, or has no valid integral.
    """
    how = repair, max_uncertainty
    if not (isinstance(mesh, Path) and mesh.suffix.lower() in ALONE and mesh.is_file()):
        return _measure.__wrapped__(mesh, (), *how)
    file = mesh.resolve().stat()
    return _measure(mesh, (file.st_dev, file.st_ino, file.st_size, file.st_mtime_ns), *how)


@functools.lru_cache(_REMEMBERED)
def _measure(
    mesh: Path | Array, _written: tuple[int, ...], repair: Repair, max_uncertainty: Quantity | None
) -> Measurement:
    """The measurement of a file that was written then; it is remembered, unless it is called as `__wrapped__`."""
    return measure(mesh, repair=repair, max_uncertainty=max_uncertainty)


def join(parts: Iterable[tuple[Hashable, Array]]) -> Array:
    """Triangles of several geometries of a link, each with a key of its file or shape, shape (n, 3, 3).

    Raises
    ------
    InvalidGeometry
        If there are more than `MOST_FACETS`, and most of them are copies.
    """
    found, sizes, count = [], dict[Hashable, int](), 0
    for key, corners in parts:
        found.append(corners)
        count += len(corners)
        sizes[key] = len(corners)
        if count > MOST_FACETS and count > 2 * sum(sizes.values()):
            what = (
                f"its geometries have more than {MOST_FACETS:,} facets together, most of them of copies or round shapes"
            )
            raise InvalidGeometry(what, code="too-large", hint="give it a simpler geometry, or state its inertial")
    return np.concatenate(found)


@dataclass
class LinkSolids:
    """Solids of the links of one robot file; a mesh that several links share is measured once.

    Attributes
    ----------
    search : SearchPath
        Where the meshes are.
    measure_file : callable
        Measures a mesh file, or triangles of shape (n, 3, 3).
    repair : {"none", "safe", "full"}
        Repair of the open meshes whose triangles are asked for.
    limit : float
        Largest ± of the volume of a link, as a share of it.
    known : dict
        Measurements by mesh, or the reason why there is none.
    about_gltf : Finding or None
        What is to be said of the axes of the glTF meshes of the robot; see `massprops.measurement.gltf_axes`.
    """

    search: SearchPath
    measure_file: Callable[[Path | Array], Measurement] = measure_solid
    repair: Repair = "full"
    limit: float = LIMITS["full"]
    known: dict[MeshKey, Measurement | MasspropsError] = field(default_factory=dict)
    about_gltf: Finding | None = None
    _keys: dict[LinkMesh, MeshKey] = field(default_factory=dict)
    _extents: dict[MeshKey, Extent] = field(default_factory=dict)

    @classmethod
    def repaired(cls, search: SearchPath, repair: Repair, max_uncertainty: Quantity | None, **own: Any) -> Self:
        """Solids of which the meshes are repaired so far, with the ± that may be left, by default that of the repair."""
        limit = Policies(repair=repair, max_uncertainty=max_uncertainty).limit
        return cls(search, partial(measure_solid, repair=repair, max_uncertainty=max_uncertainty), repair, limit, **own)

    def key(self, mesh: LinkMesh) -> MeshKey:
        """Key of a mesh, which is looked for once; raises what `mesh_key` does."""
        if mesh not in self._keys:
            self._keys[mesh] = mesh_key(self.search, mesh)
        return self._keys[mesh]

    def read(self, mesh: MeshKey) -> Measurement | MasspropsError:
        """Measurement of a mesh, or the reason why there is none."""
        with self.search.reading_meshes():
            if isinstance(mesh, Path):
                return result_or_error(self.measure_file, mesh)
            found = result_or_error(self.measure_file, _triangles(mesh))
        if isinstance(found, MasspropsError):
            found.place = mesh.uri  # it has been measured as an array
        return found

    def place_all(self, geometries: Sequence[Geometry]) -> list[tuple[Geometry, PlacedSolid | MasspropsError]]:
        """Solids of a link, or why they are not measured: the meshes that are open alone and closed together are one of them.

        Exports split the visual mesh of a link by material into such pieces. Where one is refused alone, holes of all may be filled, and
        those that lie in closed meshes of the link hide nothing.
        """
        found = [(geometry, result_or_error(self.place, geometry)) for geometry in geometries]
        meshes = [g for g in geometries if isinstance(g.solid, LinkMesh)]
        pieces = [g for g, solid in found if isinstance(g.solid, LinkMesh) and _is_open(solid)]
        is_refused = any(isinstance(s, MasspropsError) and _is_open(s) for _, s in found)
        for chosen in (pieces, meshes) if is_refused and len(meshes) > len(pieces) else (pieces,):
            together = result_or_error(self._place_pieces, chosen) if len(chosen) > 1 else None
            if isinstance(together, PlacedSolid) and (is_refused or not _is_open(together, {"fill"})):
                rest = set(map(id, chosen[1:]))
                return [(g, together if g is chosen[0] else s) for g, s in found if id(g) not in rest]
        return found

    def place_whole(self, geometries: Sequence[Geometry]) -> list[PlacedSolid]:
        """Solids of a link of which all are measured; raises the error of the first that is not."""
        found = []
        for _, solid in self.place_all(geometries):
            if isinstance(solid, MasspropsError):
                raise solid
            found.append(solid)
        return found

    def stand_in(self, first: GeometriesOfKind, other: GeometriesOfKind, refused: InvalidGeometry) -> Finding | None:
        """The warning that another kind of geometry stands in for a refused one; None where it has another size or place."""
        boxes = result_or_error(lambda: [self._box(geometries) for _, geometries in (other, first)])
        if isinstance(boxes, MasspropsError):
            return None
        (edges, middle), (of, middle_of) = ((np.ptp(box, axis=0), box.mean(axis=0)) for box in boxes)
        off = np.abs(middle - middle_of) / (MOST_UNLIKE - 1)
        if not ((edges <= MOST_UNLIKE * of) & (of <= MOST_UNLIKE * edges) & (off <= of) & (of > 0)).all():
            return None
        size = " × ".join(f"{ratio:.2g}" for ratio in edges / of)
        text = f"the {first[0]} geometry is refused; the {other[0]} geometry, in a box {size} times as large, is measured in its place"
        return Finding("other-geometry", "warning", f"{text}: {refused.message}")

    def _box(self, geometries: Sequence[Geometry]) -> Array:
        """Bounds of geometries, those of refused meshes too, shape (2, 3)."""
        boxes = [
            self.corners(g, g.solid).reshape(-1, 3) if isinstance(g.solid, LinkMesh) else self.place(g).bounds
            for g in geometries
        ]
        return np.array(
            [np.min([box.min(axis=0) for box in boxes], axis=0), np.max([box.max(axis=0) for box in boxes], axis=0)]
        )

    def _place_pieces(self, pieces: Sequence[Geometry]) -> PlacedSolid:
        meshes = [g.solid for g in pieces if isinstance(g.solid, LinkMesh)]
        keys = list(map(self.key, meshes))
        corners = join(zip(keys, map(self.corners, pieces, meshes), strict=True))
        found = self.measure_file(corners)
        key, name = keys[0], f"{Path(meshes[0].uri).name} and {len(pieces) - 1} more"
        return PlacedSolid(pieces[0], found.moments, found.bounds, np.eye(3), name, (key, found), corners)

    def corners(self, geometry: Geometry, solid: LinkMesh) -> Array:
        """Triangles of a mesh in the axes of the link, shape (n, 3, 3), m.

        Of one that is weighed by its hull also the points that no face has, as MuJoCo takes them: triangles of one point.
        """
        with self.search.reading_meshes(), open_key(self.key(solid)) as mesh:
            source, found = mesh.read_chunks, list(mesh.chunks())
            if solid.integral == "convex" and isinstance(source, IndexedChunks):
                found.append(np.repeat(source.points[:, np.newaxis], 3, axis=1))
            corners = np.concatenate(found, dtype=np.float64) * length_unit(mesh.unit or "m")
            linear = in_link_axes(geometry, solid, mesh.format)
        mirrored, shift = determinant(linear) < 0, geometry.pose.translation
        if solid.is_centred:
            points = corners.reshape(-1, 3)
            shift = shift - product(linear, (points.min(axis=0) + points.max(axis=0)) / 2)
        return np.asarray(product(corners[:, :: -1 if mirrored else 1], linear.T) + shift)

    def extent_of_any(self, geometry: Geometry) -> Extent | None:
        """The convex hull of a geometry, also of a mesh that is refused, in the frame of its link; None if it cannot be read."""
        part, solid = result_or_error(self.place, geometry), geometry.solid
        if not (isinstance(part, InvalidGeometry) and isinstance(solid, LinkMesh)):
            return None if isinstance(part, MasspropsError) else self.extent(part)
        found = result_or_error(Extent.of_points, lambda: [self.corners(geometry, solid).reshape(-1, 3)])
        return None if isinstance(found, MasspropsError) else found

    def extent(self, part: PlacedSolid) -> Extent:
        """The convex hull of a solid in the frame of its link."""
        solid, pieces = part.geometry.solid, part.pieces
        if pieces is not None:
            return Extent.of_points(lambda: [pieces.reshape(-1, 3)])
        if isinstance(solid, Primitive):
            own = Extent.of_shape(solid.shape, solid.lengths)
        else:
            assert part.mesh is not None  # noqa: S101  # it is no primitive
            key = part.mesh[0]
            own = self._extents.get(key) or Extent.of_points(partial(self._points, key))
            self._extents[key] = own
        return own.mapped(part.linear, part.geometry.pose.translation)

    def _points(self, key: MeshKey) -> Iterator[Array]:
        with self.search.reading_meshes(), open_key(key) as mesh:
            for chunk in mesh.chunks():
                yield chunk.reshape(-1, 3).astype(np.float64) * length_unit(mesh.unit or "m")

    def triangles(self, part: PlacedSolid) -> Array:
        """Triangles of a solid in the frame of its link, outward, as they were measured, shape (n, 3, 3), m."""
        if part.pieces is not None:
            return part.pieces
        if isinstance(part.geometry.solid, Primitive):
            corners = facets_of(part.geometry.solid)
        else:
            assert part.mesh is not None  # noqa: S101  # it is no primitive
            with self.search.reading_meshes(), open_key(part.mesh[0]) as mesh:
                scale, indexed = length_unit(mesh.unit or "m"), IndexedMesh.of(mesh)
            if len(indexed.open_edges()):
                from massprops.mesh.repair.ladder import RepairedMesh, repair

                mended = repair(indexed, "full" if self.repair == "full" else "safe")
                indexed = mended.mesh if isinstance(mended, RepairedMesh) else indexed
            outward = np.sign(indexed.volume()) * np.sign(determinant(part.linear))
            corners = (indexed.corners * scale)[:, :: 1 if outward > 0 else -1]
        return np.asarray(product(corners, part.linear.T) + part.geometry.pose.translation)

    def place(self, geometry: Geometry) -> PlacedSolid:
        """One solid of a link.

        Raises
        ------
        MasspropsError
            If it cannot be read or measured.
        """
        solid, pose = geometry.solid, geometry.pose
        if isinstance(solid, MasspropsError):
            raise solid
        if isinstance(solid, UnsupportedGeometry):
            raise InvalidGeometry(f"{geometry.place}: {solid.why}", code=solid.code)
        if isinstance(solid, Primitive):
            try:
                own = shape_moments(solid.shape, solid.lengths)
            except InvalidInput as error:
                raise error.at(geometry.place) from error
            half = half_edges(solid)
            box = map_box(np.array([-half, half]), geometry.axes, pose.translation)
            place = own.moved if geometry.linear is None else own.mapped
            return PlacedSolid(geometry, place(geometry.axes, pose.translation), box, geometry.axes, solid.shape)
        key = self.key(solid)
        if key not in self.known:
            self.known[key] = self.read(key)
        found = self.known[key]
        if isinstance(found, MasspropsError):
            raise found
        linear = in_link_axes(geometry, solid, found.input.format)
        if determinant(linear) == 0.0:
            raise InvalidGeometry(f"{solid.uri}: its scale {solid.scale} is flat", code="zero-volume")
        if solid.is_centred:
            pose = Pose(pose.rotation, pose.translation - product(linear, found.bounds.mean(axis=0)))
            geometry = replace(geometry, pose=pose)
        box = map_box(found.bounds, linear, pose.translation)
        moments = found.uniform_moments.mapped(linear, pose.translation)
        return PlacedSolid(geometry, moments, box, linear, Path(solid.uri).name, (key, found))


def computed_body(link: Link, stated: ComputedInertial, parts: Sequence[PlacedSolid]) -> MassProperties:
    """The inertial that the format computes from the collisions of a link, overlaps counted as often as there are collisions."""
    left = iter(parts)
    return stated.body([None if geometry.is_empty else next(left).moments for geometry in link.collision])


def warnings_of(parts: Iterable[PlacedSolid]) -> list[Finding]:
    """Warnings of the meshes that solids were measured from: holes that were filled …; not of their size, which the link scales."""
    found = ((part, f) for part in parts if part.mesh is not None for f in part.mesh[1].findings)
    said = ((part, f) for part, f in found if f.severity == "warning" and not f.code.startswith("implausible-"))
    return [_in_link(f, part) for part, f in said]


def _in_link(finding: Finding, part: PlacedSolid) -> Finding:
    """A finding on a mesh, whose lengths are those of the link: along the axes of the mesh, and as the link scales it."""
    scale = abs(determinant(part.linear)) ** (1 / 3)
    if not np.allclose(product(part.linear.T, part.linear), scale**2 * np.eye(3), rtol=1e-6, atol=1e-6 * scale**2):
        return replace(finding, message=f"{part.name}, as it is in the file: {finding.marked}")
    where = tuple(scale * x for x in finding.where) if isinstance(finding.where, tuple) else finding.where
    said = replace(finding, message=f"{part.name}: {scale_lengths(finding.marked, scale)}", where=where)
    if said.value is not None and f"{said.value:.6g}\xa0m³" in finding.marked:  # it is a volume
        return replace(said, value=said.value * scale**3)
    return said


def mesh_key(search: SearchPath, mesh: LinkMesh) -> MeshKey:
    """Key by which a mesh is known: its file, or itself where the robot file holds it, or it is the hull of points.

    Raises
    ------
    MasspropsError
        If there is no such file, or its points have no hull.
    """
    if mesh.triangles is not None:
        return mesh
    if mesh.points is not None:
        return replace(mesh, triangles=hull_of(mesh, mesh.points))
    path = search.mesh_file(mesh.uri, mesh.model)
    points = _points_alone(search, path) if mesh.hulls_points and path.suffix.lower() == ".obj" else None
    return path if points is None else replace(mesh, triangles=hull_of(mesh, points), is_own=True)


def hull_of(mesh: LinkMesh, points: Array) -> Array:
    """Triangles of the convex hull of points, shape (n, 3, 3); InvalidGeometry where MuJoCo ends it early."""
    found = convex_hull(from_soup(np.repeat(points.reshape(-1, 1, 3), 3, axis=1)))
    count = len(np.unique(found.reshape(-1, 3), axis=0))
    if 3 < mesh.most_hull_vertices < count:
        what = f"{mesh.uri}: maxhullvert ends the hull of {count} vertices at {mesh.most_hull_vertices}, which is not measured"
        raise InvalidGeometry(what, code="unmeasured-geometry")
    return found


#: Bytes of a file that may have points alone.
_LARGEST_POINTS = 32 << 20
_FACE = regex(rb"(?m)^[ \t]*[fl][ \t]")


def _points_alone(search: SearchPath, path: Path) -> Array | None:
    """The vertices of an OBJ file without faces, shape (n, 3); None of one that has some."""
    if not path.is_file() or path.stat().st_size > _LARGEST_POINTS:
        return None
    with search.reading_meshes():
        data = read_bytes(str(path))
    if _FACE.search(data):
        return None
    rows = [
        line.split()[1:4] for line in data.decode("utf-8", "replace").splitlines() if line.lstrip().startswith("v ")
    ]
    values = [numbers(" ".join(row), 3, str(path), "v") for row in rows]
    return np.array(values) if values else None


@contextmanager
def open_key(key: MeshKey) -> Iterator[MeshFile]:
    """The facets of a mesh that bound its body, for as long as the context lasts; raises what `open_mesh` and `body_mesh` do."""
    if not isinstance(key, Path):
        yield from_soup(_triangles(key))
        return
    with open_mesh(key) as mesh:
        yield body_mesh(mesh)


def _triangles(mesh: LinkMesh) -> Array:
    assert mesh.triangles is not None  # noqa: S101  # else its file is the key
    return mesh.triangles


def _is_open(solid: PlacedSolid | MasspropsError, steps: Collection[str] = ("weld", "split", "fill")) -> bool:
    """Whether a mesh has open edges, as far as its measurement or refusal says."""
    if isinstance(solid, MasspropsError):
        return solid.code in ("open-edges", "inconsistent-winding", "non-manifold-edges")
    measured = solid.mesh[1] if solid.mesh else None
    return measured is not None and any(r.step in steps for r in measured.repairs)


def in_link_axes(geometry: Geometry, mesh: LinkMesh, format: str) -> Array:
    """Matrix from the axes of a mesh file of this format to those of the link, shape (3, 3): its scale and its rotation."""
    linear = geometry.axes * np.asarray(mesh.scale)
    is_turned = not (mesh.is_own or mesh.keeps_axes) and any(f.name == format and f.is_y_up for f in FORMATS)
    return product(linear, _TO_Z_UP) if is_turned else linear


def half_edges(solid: Primitive) -> Array:
    """Half the edges of the box around a shape, which is centred in its own frame, as all shapes of robot files are."""
    known = solid.lengths
    if solid.shape in ("box", "ellipsoid"):
        lengths = np.array(list(known.values()))
        return lengths / 2 if solid.shape == "box" else lengths
    radius = max(known["radius"], known.get("top_radius", 0.0))
    half = known.get("height", known.get("length", 0.0)) / 2
    return np.array([radius, radius, half + radius if solid.shape in ("sphere", "capsule") else half])


def map_box(bounds: Array, linear: Array, translation: Array) -> Array:
    """Bounds of a mapped box, which hold the mapped body."""
    corners = np.array(np.meshgrid(*bounds.T)).reshape(3, -1)
    mapped = product(linear, corners) + translation[:, None]
    return np.array([mapped.min(axis=1), mapped.max(axis=1)])


def facets_of(solid: Primitive) -> Array:
    """A primitive in triangles, shape (n, 3, 3), outward, in its own frame."""
    found = facets_of_shape(solid.shape, solid.lengths)
    assert found is not None  # noqa: S101  # all primitives are solids
    return found
