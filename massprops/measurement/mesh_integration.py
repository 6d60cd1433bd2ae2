"""One mesh and the options of its measurement: each step from its triangles to a `Measurement` is a method.

Tests: `tests/measurement/test_pipeline.py`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Self

import numpy as np

from massprops.errors import InvalidGeometry, InvalidInput, Remedy
from massprops.findings import BentFaces, Finding
from massprops.measurement.checks import check_limit
from massprops.measurement.options import Options
from massprops.measurement.result import Input, Measurement, WallShape, measurement_of
from massprops.mesh.components import count_bodies
from massprops.mesh.coordinate_resolution import resolution
from massprops.mesh.enclosed_solid import EnclosedSolid, MeshSurface
from massprops.mesh.exact_solid import ExactSolid
from massprops.mesh.integration import integrate
from massprops.mesh.repaired_solid import body_mesh, validate_or_repair
from massprops.mesh.source import MeshFile
from massprops.mesh.surface import Surface
from massprops.mesh.validated_solid import sheet_of, zero_volume
from massprops.moments import uncertainty
from massprops.moments.arrays import product, sum_of
from massprops.moments.exact import ExactMoments, solid_moments
from massprops.moments.integrals import Array, Moments
from massprops.moments.uncertainty import Spread, Uncertainty
from massprops.units import exact_length_unit, length_unit
from massprops.values import dataclass
from massprops.wording import percent

#: Largest number of triangles of exact results: ten seconds.
EXACT_LIMIT = 10_000_000
#: A share of the volume that faces which are not flat may decide without a warning.
_NOTABLE = 1e-3


@dataclass(frozen=True, eq=False)
class IntegrationResult:
    """Moments about their centroid, in file units; what rounding can have done to them; and the fractions, where there is none."""

    moments: Moments
    spread: Spread
    exact: ExactMoments | None = None
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, eq=False)
class MeshIntegration:
    """One mesh to measure, with the sums of one pass over the triangles of its file.

    Its body and its sums are in the units and axes of the file.
    """

    options: Options
    mesh: MeshFile
    surface: Surface

    @property
    def unit(self) -> str:
        """The length unit of the file."""
        return self.options.units or "m"

    @cached_property
    def scale(self) -> float:
        """The length unit in metres."""
        return length_unit(self.unit)

    @cached_property
    def rounding(self) -> float:
        """How far a coordinate of the file can be off."""
        return resolution(self.mesh, float(np.abs(self.surface.bounds).max())).half_unit

    def measurement(self) -> Measurement:
        """The body in its place, in SI units, without the findings about its numbers.

        Raises
        ------
        InvalidInput
            If an option does not suit the mesh.
        InvalidGeometry
            If the surface has no valid integral, or its error exceeds the limit.
        """
        self._check_exact()
        body, mass_specification, transform = self.body, self.options.mass_specification, self.options.transform
        moments = self.summed.moments.scaled(self.scale, body.dimension)
        if transform is not None:
            moments = moments.moved(transform.rotation, transform.translation)
        spreads = self.spreads
        self._check_matter()
        density = mass_specification.density_of(moments.measure, body.method)
        noticed = _in_metres(self.mesh.findings, self.scale, moments.measure, body.dimension)
        bounds, exact = self._rotated_bounds() * self.scale, self._placed_exactly()
        measurement = measurement_of(
            input=self._input(),
            method=body.method,
            grade=body.grade,
            area=None if body.area is None else body.area * self.scale**2,
            moments=moments,
            bounds=bounds if transform is None else bounds + transform.translation,
            density=density,
            given_mass=mass_specification.mass,
            axes=self.options.axes,
            findings=(*noticed, *body.findings, *self.summed.findings),
            sources=self._uncertainties(spreads, moments, density),
            repairs=body.repairs,
            stated=mass_specification.stated_errors(is_sheet=body.method == "shell"),
            stored=self.mesh.stored,
            wall=self.wall,
        )
        check_limit(measurement, self.options.largest_share)
        if exact is not None:
            return replace(measurement, moments=exact.rounded(), exact=exact)
        return measurement

    @property
    def wall(self) -> WallShape | None:
        """Shape of the wall that is measured, as asked for."""
        thickness = self.options.mass_specification.thickness if self.options.kind == "wall" else None
        return None if thickness is None else WallShape(thickness, self.options.infill_share or 0.0)

    def _check_exact(self) -> None:
        if self.options.exact and self.mesh.is_rounded():
            what = "no exact results: the file places its mesh by a transform, which rounds the coordinates"
            hint = Remedy("export it with the transforms applied, or leave out {}", "exact")
            raise InvalidInput(what, place=self.mesh.name, hint=hint)

    @cached_property
    def body(self) -> EnclosedSolid:
        """Body that is integrated: the solid, the surface as a sheet, or a wall inside it."""
        try:
            if self.options.kind == "sheet":
                return self._sheet()
            solid = self._solid()
            return solid if self.wall is None else self._hollow(solid, self.wall.thickness / self.scale)
        except InvalidGeometry as error:
            raise error.noting(self.mesh.findings) from None

    @property
    def _mesh_surface(self) -> MeshSurface:
        return MeshSurface(self.mesh, self.surface, self.scale, self.rounding)

    def _solid(self) -> EnclosedSolid:
        return validate_or_repair(self._mesh_surface, self.options)

    def _sheet(self) -> EnclosedSolid:
        """The surface; of a body that the file states by the roles of its volumes, that of their difference."""
        if not self.mesh.stated:
            return sheet_of(self._mesh_surface)
        mesh = body_mesh(self.mesh)
        surface = MeshSurface(mesh, integrate(mesh), self.scale, self.rounding)
        return replace(sheet_of(surface), mesh=mesh, surface=surface.gathered)

    def _hollow(self, solid: EnclosedSolid, thickness: float) -> EnclosedSolid:
        """The wall, file units; a tolerance of its thickness is the layers between it and the thinnest and the thickest wall."""
        from massprops.mesh.wall import hollow_out

        relative, share = self.options.mass_specification.thickness_relative, self.options.infill_share
        try:
            wall, *ends = (
                hollow_out(solid, factor * thickness, share)
                for factor in ((1.0, 1 - relative, 1 + relative) if relative else (1.0,))
            )
        except InvalidGeometry as error:
            raise error.at(self.mesh.name) from None
        if not ends:
            return wall
        of_ends = sum_of(spread for end in ends for spread in end.sources.values())
        layers = Spread.enclosed(wall.moments, *(end.moments for end in ends)) + of_ends
        return replace(wall, sources={**wall.sources, "thickness": layers})

    @property
    def exact_solid(self) -> ExactSolid | None:
        """The exact surfaces, where these are integrated and not the triangles near them."""
        return None

    def of_part(self, options: Options, mesh: MeshFile) -> Self:
        """Integration of a part of the file."""
        return type(self)(options, mesh, integrate(mesh))

    @property
    def bounding(self) -> Surface:
        """Sums over the triangles that bound the body, from one pass over them."""
        return self.body.surface or self.surface

    @cached_property
    def summed(self) -> IntegrationResult:
        """The moments; without any rounding where that is asked for, or where it could have cost too much."""
        body, surface, exact = self.body, self.bounding, self.options.exact
        solid, spread = body.moments, uncertainty.arithmetic(body.moments, surface.magnitude)
        if body.method != "exact" or body.mesh is None or (exact and "estimate" in body.sources):
            if exact:
                what = "exact results are those of a solid inside its own surface, as it is or turned round"
                raise InvalidInput(what)
            return IntegrationResult(solid.recentred(), spread)
        if exact and surface.facets > EXACT_LIMIT:
            raise InvalidInput(f"exact results are for up to {EXACT_LIMIT:,} triangles, got {surface.facets:,}")
        size = float(np.ptp(surface.bounds, axis=0).max())
        needs_exact_sum = not exact and uncertainty.exceeds_rounding_limit(spread, solid, size)
        if needs_exact_sum:  # the first vertex is at the rim: about the middle the terms are smaller
            nearer = integrate(body.mesh, about=surface.bounds.mean(axis=0))
            if nearer.solid.measure:
                solid, spread = nearer.solid, uncertainty.arithmetic(nearer.solid, nearer.magnitude)
                needs_exact_sum = uncertainty.exceeds_rounding_limit(spread, solid, size)
        if not (needs_exact_sum or exact):
            return IntegrationResult(solid.recentred(), spread)

        sums, cut = solid_moments(body.mesh.chunks())
        moments = sums.rounded()
        if not moments.measure:
            raise zero_volume(self._mesh_surface, "without rounding, the volume is exactly 0")
        spread = uncertainty.single_rounding(moments) if cut is None else uncertainty.single_rounding(moments) + cut
        note = Finding("summed-exactly", "info", "rounding could have cost more than 1e-12: summed again, without any")
        return IntegrationResult(moments.recentred(), spread, sums, () if exact else (note,))

    @cached_property
    def spreads(self) -> dict[str, Spread]:
        """How far the integrals can be off, by source, in metres and the axes of the result; none where the surface is not valid."""
        in_file, dimension = self._spreads_in_file(), self.body.dimension
        found = {name: spread.scaled(self.scale, dimension) for name, spread in in_file.items()}
        if (transform := self.options.transform) is None or not found:
            return found
        found = {name: spread.rotated(transform.rotation) for name, spread in found.items()}
        found["arithmetic"] += uncertainty.placement(self.body.moments.centroid * self.scale, transform.translation)
        return found

    def _spreads_in_file(self) -> dict[str, Spread]:
        body, mesh, surface = self.body, self.mesh, self.bounding
        if body.method not in ("exact", "wall", "infill"):
            return body.sources
        if body.grade == "unverified" and self.options.verify != "none":
            return {}
        rounded = uncertainty.displacement(body.moments, surface.sheet, math.sqrt(3) * self.rounding)
        spreads = uncertainty.merge_spreads({"arithmetic": self.summed.spread, "resolution": rounded}, body.sources)
        if body.method != "exact":  # a wall has two surfaces
            spreads["resolution"] += spreads["resolution"]
        if (bent := self._spread_of_bent_faces()) is not None:
            spreads["faces"] = bent
        if (chord := self._spread_of_chords()) is not None:
            spreads["chord"] = chord
        if not all(np.isfinite(s.center).all() for s in spreads.values()):
            share = sum(s.volume for s in spreads.values()) / body.moments.measure
            what = f"the volume is known within ±{percent(share)}, so nothing is certain of its centre"
            found = Finding("uncertain-volume", "error", what, value=share, limit=1)
            hint = (
                "mend the export"
                if body.method == "exact"
                else "the walls meet: state a thinner one, or a smaller tolerance"
            )
            raise InvalidGeometry(what, code=found.code, place=mesh.name, hint=hint, findings=[found])
        return spreads

    def _spread_of_bent_faces(self) -> Spread | None:
        """Change by other cuts of the file's faces that are not flat; with its sign, where they bound the body as they are."""
        found = next((f for f in self.mesh.findings if isinstance(f, BentFaces)), None)
        if found is None or found.value is None:
            return None
        less, more = found.change
        off = uncertainty.hidden(self.body.moments, self.bounding.bounds, more - less)
        return replace(off, volume=found.value, signed=found.change) if self.body.mesh is self.mesh else off

    def _spread_of_chords(self) -> Spread | None:
        """Error by the chord tolerance: facet by facet for a solid that is not too large, else its product with the area."""
        if not self.options.chord:
            return None
        from massprops.mesh.chord_heights import MOST_FACETS, chord_displacement

        body, surface, distance = self.body, self.bounding, self.options.chord / self.scale
        if body.method != "exact" or surface.facets > MOST_FACETS:
            spread = uncertainty.displacement(body.moments, surface.sheet, distance)
        else:
            spread = chord_displacement(body.mesh or self.mesh, body.moments, distance)
        if spread.volume >= body.moments.measure:
            what = f"a chord tolerance of {self.options.chord:.3g}\xa0m leaves nothing certain of the volume"
            raise InvalidInput(what, hint="is its unit meant?")
        return spread

    def _uncertainties(
        self, spreads: dict[str, Spread], moments: Moments, density: float | None
    ) -> dict[str, Uncertainty]:
        """Errors by source from bounds on the geometry, all in the axes of the result; of the stated ones alone where there are none."""
        mass_specification, solid = self.options.mass_specification, self.body.dimension == 3
        given = mass_specification.mass is not None
        of = {k: Uncertainty.of(s, moments, density, solid=solid, mass_is_given=given) for k, s in spreads.items()}
        relative = mass_specification.relative_bound(is_sheet=self.body.method == "shell")
        if density is not None and relative:
            shape = sum_of(of.values()) if of else None
            of["matter"] = Uncertainty.of_mass_specification(relative, moments, density, shape)
        return of

    def _check_matter(self) -> None:
        if self.body.method not in ("exact", "hull"):
            return
        self.options.mass_specification.check_solid(closed=self.bounding.boundary.closed)
        if self.options.on_open == "shell" and self.options.mass is not None:
            what = "the surface is closed: the mass would be that of the solid, not of a shell"
            remedy = "leave out {}; for a thin wall, export an open surface or use 'massprops shape'"
            raise InvalidInput(what, hint=Remedy(remedy, "on_open=shell"))

    @property
    def _facets(self) -> int | None:
        return self.surface.facets

    def _input(self) -> Input:
        mesh, options = self.mesh, self.options
        digest = mesh.digest() if options.hash else None
        # sorting all vertices costs more than the integral: only for who asks
        bodies = count_bodies(self.body.mesh or mesh) if options.count_bodies and self.body.dimension == 3 else None
        return Input(mesh.name, mesh.format, mesh.encoding, self.unit, self._facets, digest, bodies=bodies)

    def _rotated_bounds(self) -> Array:
        """Bounds along the axes of the result, shape (2, 3), in file units: those of the body, not of its rotated box."""
        if self.options.transform is None:
            return self._bounds
        stated = self.mesh.stated
        bodies = [self.body.mesh] if self.body.mesh is not None else [b for s in stated for b in s.bodies]
        meshes = bodies if stated else [self.mesh]
        chunks = (c for mesh in meshes for c in mesh.chunks())
        turned = (product(c.astype(np.float64), self.options.transform.rotation.T) for c in chunks)
        extremes = np.array([(t.min(axis=(0, 1)), t.max(axis=(0, 1))) for t in turned])
        return np.array([extremes[:, 0].min(axis=0), extremes[:, 1].max(axis=0)])

    @property
    def _bounds(self) -> Array:
        """Bounds along the axes of the file; what is cut out of a body can reach beyond it."""
        return (self.bounding if self.mesh.stated else self.surface).bounds

    def _placed_exactly(self) -> ExactMoments | None:
        """The moments as fractions, in metres and the axes of the result, where exact results are asked for."""
        if not self.options.exact or self.summed.exact is None:
            return None
        exact, transform = self.summed.exact.scaled(exact_length_unit(self.unit)), self.options.transform
        return exact if transform is None else exact.moved(transform.rotation, transform.translation)


def _in_metres(findings: Sequence[Finding], scale: float, measure: float, dimension: int) -> Iterator[Finding]:
    """Findings of the reader in the units of the result; faces that are not flat are judged by the volume that they leave open."""
    for f in findings:
        if isinstance(f, BentFaces) and f.value is not None:
            open_volume, (less, more) = f.value * scale**3, f.change
            share = open_volume / abs(measure) if dimension == 3 and measure else math.inf
            yield replace(
                f,
                value=open_volume,
                change=(less * scale**3, more * scale**3),
                severity="warning" if share > _NOTABLE else "info",
                message=f.marked + (f", by up to {percent(share)}" if math.isfinite(share) else ""),
            )
        else:
            yield f
