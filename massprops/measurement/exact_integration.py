"""A file with exact surfaces: these are integrated, once the triangles near them are verified.

Tests: `tests/formats/mesh/test_step.py`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from massprops.errors import InvalidGeometry, InvalidInput, Remedy
from massprops.findings import Finding
from massprops.measurement.mesh_integration import IntegrationResult, MeshIntegration
from massprops.mesh.enclosed_solid import EnclosedSolid
from massprops.mesh.exact_body import exact_body
from massprops.mesh.exact_solid import ExactSolid
from massprops.mesh.repaired_solid import validate_or_repair
from massprops.mesh.validated_solid import sheet_of
from massprops.moments import uncertainty
from massprops.moments.integrals import Array
from massprops.moments.uncertainty import Spread


class ExactIntegration(MeshIntegration):
    """A mesh with an `ExactSolid`, and its measurement."""

    @property
    def _exact(self) -> ExactSolid:
        assert self.mesh.exact is not None  # noqa: S101  # what makes it an ExactCase
        return self.mesh.exact

    def _check_exact(self) -> None:
        if self.options.exact:
            what = "no exact results: its surfaces are not flat, and their integrals have a stated error instead"
            raise InvalidInput(what, place=self.mesh.name, hint=Remedy("leave out {}", "exact"))

    def _solid(self) -> EnclosedSolid:
        exact, name, is_wall = self._exact, self.mesh.name, self.options.kind == "wall"
        exact.check(name)
        if self.options.verify == "none" and not is_wall:
            return EnclosedSolid("exact", "unverified", exact.moments, (), exact.sources, self.mesh, exact.area)
        try:
            found = validate_or_repair(
                self._mesh_surface, replace(self.options, repair="none")
            )  # repairs are for triangles
        except InvalidGeometry:
            if is_wall or not exact.is_sealed or self.surface.boundary.closed:
                raise
            what = "the triangles near its surfaces are not closed; its edges are: two faces share each"
            noted = Finding("verified-by-edges", "info", what)
            return EnclosedSolid("exact", "closed", exact.moments, (noted,), exact.sources, None, exact.area)
        if is_wall or not self._is_as_in_file(found):
            return found
        return exact_body(exact, found, self.surface, name)

    def _sheet(self) -> EnclosedSolid:
        """The integrals of the surfaces, not those of the triangles near them."""
        exact = self._exact
        exact.check(self.mesh.name)
        assert exact.sheet is not None  # noqa: S101  # a valid one has it
        assert exact.sheet_error is not None  # noqa: S101
        sources = {"arithmetic": exact.sheet_error}
        return replace(sheet_of(self._mesh_surface), moments=exact.sheet, area=exact.area, sources=sources)

    def _is_as_in_file(self, body: EnclosedSolid) -> bool:
        return body.method == "exact" and (body.mesh or self.mesh) is self.mesh

    @property
    def exact_solid(self) -> ExactSolid | None:
        """The exact surfaces, where these are integrated and not the triangles near them."""
        return self._exact if self._is_as_in_file(self.body) else None

    @cached_property
    def summed(self) -> IntegrationResult:
        """The moments."""
        if self.exact_solid is None:
            return super().summed
        return IntegrationResult(self.body.moments.recentred(), uncertainty.conversion(self.body.moments))

    def _spread_of_chords(self) -> Spread | None:
        """Distance of the triangles from the surfaces, where these are not integrated."""
        moments = self.body.moments
        return None if moments is self._exact.moments else self._exact.apart(moments, self.bounding.sheet)

    @property
    def _facets(self) -> int | None:
        return None if self.exact_solid is not None else super()._facets

    @property
    def _bounds(self) -> Array:
        is_exact = self.options.kind == "sheet" or self.exact_solid is not None
        return self._exact.bounds if is_exact else super()._bounds
