"""The geometry of a link, measured: its solids summed, in the frame of the link, at unit density."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np

from massprops.errors import InvalidGeometry, MasspropsError, MissingExtra, result_or_error
from massprops.findings import Finding
from massprops.formats.robot.links import Automatic, Geometry, Link, Primitive, Unread, Which
from massprops.formats.robot.mesh_paths import Finder
from massprops.formats.table import FORMATS
from massprops.frames import Pose
from massprops.measurement.pipeline import measure
from massprops.measurement.result import Measurement
from massprops.moments.arrays import determinant, product, sum_of
from massprops.moments.integrals import Array, Moments
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.shapes import SHAPES
from massprops.wording import percent

#: Findings that make the integral of a mesh doubtful as that of the body; values of the first two are shares of the volume.
_SHARES = {"open-integral": "is not closed", "overlapping-bodies": "overlaps itself"}
#: Smaller shares of a volume change no digit of a comparison.
_NEGLIGIBLE = 1e-6
_DOUBTS = _SHARES | {
    "inverted-surface": "is inside out",
    "nested-bodies": "has bodies inside each other",
    "duplicate-facets": "is there several times",
}

#: A quarter turn about x: y of the mesh becomes z of the link.
_TO_Z_UP = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0.0]])


@dataclass(frozen=True, eq=False)
class MeasuredGeometry:
    """The solids of a link as one body of unit density.

    Attributes
    ----------
    which : {"visual", "collision"}
    moments : Moments or None
        ∫ 1, x, x xᵀ in the frame of the link, m³ …; None if not one of its solids could be measured.
    bounds : ndarray, shape (2, 3), or None
        Of a box that holds all of them, along the axes of the link, m.
    doubts : tuple of str
        Why the integral may not be that of the body.
    findings : tuple of Finding
        What could not be measured.
    complete : bool
        Whether every solid of the kind was.
    stands_in : bool
        Whether it is the collision geometry in the place of a visual one that cannot be measured.
    pose : Pose or None
        Of its only solid in the link; None of several.
    """

    which: Which
    moments: Moments | None
    bounds: Array | None
    doubts: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    complete: bool = True
    stands_in: bool = False
    pose: Pose | None = None


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
    mesh : (Path, Measurement) or None
        Its file, and what was measured of it; None of a primitive.
    """

    geometry: Geometry
    moments: Moments
    bounds: Array
    linear: Array
    name: str
    mesh: tuple[Path, Measurement] | None = None

    @property
    def doubts(self) -> tuple[str, ...]:
        """Why its integral may not be that of the body."""
        return tuple(_doubt(self.name, f) for f in self.mesh[1].findings if _is_doubt(f)) if self.mesh else ()


@dataclass
class PlacedSolids:
    """Measures the solids of the links of one robot file; a mesh that several links share is measured once."""

    finder: Finder
    known: dict[Path, Measurement | MasspropsError] = field(default_factory=dict)

    def read(self, path: Path) -> Measurement | MasspropsError:
        """The measurement of a mesh file, or why there is none."""
        raise NotImplementedError

    def placed(self, geometry: Geometry) -> PlacedSolid:
        """One solid of a link.

        Raises
        ------
        MasspropsError
            If it cannot be read or measured.
        """
        solid, pose = geometry.solid, geometry.pose
        if isinstance(solid, MasspropsError):
            raise solid
        if isinstance(solid, Unread):
            raise InvalidGeometry(f"{geometry.place}: {solid.why}", code="unmeasured-geometry")
        if isinstance(solid, Primitive):
            body = SHAPES[solid.shape].function(**solid.lengths, density=1.0)
            own = Moments(body.mass, np.zeros(3), body.second_moment(), body.com)
            half = half_edges(solid)
            box = mapped_box(np.array([-half, half]), pose.rotation, pose.translation)
            moments = own.moved(pose.rotation, pose.translation)
            return PlacedSolid(geometry, moments, box, pose.rotation, solid.shape)
        path = self.finder.find(solid.uri)
        if path not in self.known:
            self.known[path] = self.read(path)
        found = self.known[path]
        if isinstance(found, MasspropsError):
            raise found
        linear = in_link_axes(geometry, solid.scale, found.input.format)
        if determinant(linear) == 0.0:
            raise InvalidGeometry(f"{solid.uri}: its scale {solid.scale} is flat", code="zero-volume")
        box = mapped_box(found.bounds, linear, pose.translation)
        moments = found.moments.mapped(linear, pose.translation)
        return PlacedSolid(geometry, moments, box, linear, Path(solid.uri).name, (path, found))


class Measurer(PlacedSolids):
    """Measures the geometry of links as it is, with what makes it doubtful."""

    def read(self, path: Path) -> Measurement | MasspropsError:
        """The measurement of a mesh, whatever its faults are, which are in its findings."""
        measured = partial(measure, on_open="integrate", on_inverted="flip", on_overlap="count", nested="body")
        return result_or_error(partial(measured, repair="none"), path)

    def measure(self, link: Link, wanted: str = "auto") -> MeasuredGeometry | None:
        """The geometry that a link's inertial is compared with; None if it has none.

        ``auto`` is the visual one, which is drawn from the part, unless it cannot be measured whole and the collision one can.
        """
        if wanted in ("visual", "collision"):
            return self._of(link, "visual" if wanted == "visual" else "collision")
        visual = self._of(link, "visual")
        if visual is not None and visual.complete:
            return visual
        collision = self._of(link, "collision")
        if visual is None:
            return collision
        if collision is None or not collision.complete:
            return visual
        return replace(collision, findings=(*visual.findings, *collision.findings), stands_in=True)

    def _of(self, link: Link, which: Which) -> MeasuredGeometry | None:
        if not link.geometry(which):
            return None
        measured, findings = self._parts(link, which)
        parts = [part for part in measured if part is not None]
        if not parts:
            return MeasuredGeometry(which, None, None, (), tuple(findings), complete=False)
        moments = sum_of(part.moments for part in parts).recentred()
        corners = np.concatenate([part.bounds for part in parts])
        bounds = np.array([corners.min(axis=0), corners.max(axis=0)])
        doubts = tuple(dict.fromkeys(d for p in parts for d in p.doubts))
        pose = parts[0].geometry.pose if len(parts) == 1 else None
        return MeasuredGeometry(which, moments, bounds, doubts, tuple(findings), complete=not findings, pose=pose)

    def automatic(self, link: Link, stated: Automatic) -> tuple[MassProperties | None, list[Finding]]:
        """The inertial that SDFormat computes, overlaps counted as often as there are collisions; None if one is not measured."""
        parts, findings = self._parts(link, "collision")
        if not parts or None in parts:
            return None, findings
        bodies = zip(parts, stated.densities, strict=True)
        body = sum_of(MassProperties.from_moments(p.moments, density=rho) for p, rho in bodies if p)
        return body if stated.mass is None else body.scaled_to_mass(stated.mass), findings

    def _parts(self, link: Link, which: Which) -> tuple[list[PlacedSolid | None], list[Finding]]:
        """Every solid of one kind, None where it cannot be measured, and the findings that say why."""
        found = [(geometry, result_or_error(self.placed, geometry)) for geometry in link.geometry(which)]
        parts = [None if isinstance(part, MasspropsError) else part for _, part in found]
        return parts, [_unmeasured(g, which, error) for g, error in found if isinstance(error, MasspropsError)]


def in_link_axes(geometry: Geometry, scale: Sequence[float], format: str) -> Array:
    """What takes the axes of a mesh file of this format to those of the link, shape (3, 3): its scale, and its turn."""
    linear = geometry.pose.rotation * np.asarray(scale)
    return product(linear, _TO_Z_UP) if any(f.name == format and f.is_y_up for f in FORMATS) else linear


def _is_doubt(finding: Finding) -> bool:
    """Overlaps of so small a share of the volume are roundings of the same corner."""
    negligible = finding.code == "overlapping-bodies" and finding.value is not None and finding.value < _NEGLIGIBLE
    return finding.code in _DOUBTS and not negligible


def _doubt(name: str, finding: Finding) -> str:
    """``part.stl is not closed (0.76 % of its volume)``."""
    share = finding.value if finding.code in _SHARES and finding.value is not None else 0.0
    size = f" ({percent(share, 2)}{' of' if share <= 2 else ''} its volume)" if share >= _NEGLIGIBLE else ""
    return f"{name} {_DOUBTS[finding.code]}{size}"


def half_edges(solid: Primitive) -> Array:
    """Of the box around a shape that lies centred in its own frame, as all do that robot files have."""
    lengths = np.array(list(solid.lengths.values()))
    if solid.shape in ("box", "ellipsoid"):
        return lengths / 2 if solid.shape == "box" else lengths
    r, half = solid.lengths["radius"], solid.lengths.get("length", 0.0) / 2
    return np.array([r, r, {"sphere": r, "cylinder": half, "capsule": half + r}[solid.shape]])


def mapped_box(bounds: Array, linear: Array, translation: Array) -> Array:
    """Bounds of the mapped box: those of the body or a little larger."""
    corners = np.array(np.meshgrid(*bounds.T)).reshape(3, -1)
    mapped = product(linear, corners) + translation[:, None]
    return np.array([mapped.min(axis=1), mapped.max(axis=1)])


def _unmeasured(geometry: Geometry, which: Which, error: MasspropsError) -> Finding:
    code = {"missing-file": "missing-mesh", "outside-file": "outside-mesh"}.get(error.code, "broken-mesh")
    if error is geometry.solid:
        text = f"the {which} geometry is not measured: {error}"
        return Finding("broken-geometry", "error", text, where=geometry.place)
    unread = geometry.solid.why if isinstance(geometry.solid, Unread) else ""
    text = f"the {which} geometry at {geometry.place} is not measured: {unread or error}"
    if unread or error.code == MissingExtra.default_code:
        return Finding("unmeasured-geometry", "info", text, where=geometry.place)
    return Finding(code, "warning", text, where=geometry.place)
