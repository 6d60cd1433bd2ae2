"""The surface of a mesh with what is known about it, and the solid that it encloses.

Tests: `tests/mesh/test_validated_solid.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self, TypeVar, cast

from massprops.errors import InvalidGeometry, Remedy
from massprops.findings import Finding, in_words
from massprops.grades import Grade, Method
from massprops.json_values import json_object
from massprops.mesh.source import Triangles
from massprops.mesh.surface import Surface
from massprops.moments.integrals import Moments
from massprops.moments.uncertainty import Spread
from massprops.values import dataclass

if TYPE_CHECKING:
    from massprops.mesh.indexed_mesh import IndexedMesh, NumberedFacets
    from massprops.mesh.repair.ladder import ClosedMesh, Irreparable

E = TypeVar("E", bound=InvalidGeometry)
T = TypeVar("T")


@dataclass(frozen=True)
class RepairStep:
    """One repair: what was done, how often, the place of the first (m, coordinates of the file), and how much volume it can be off, m³;
    where there are several ways to read the defect, the name of each and the volume that it gives, m³.
    """

    step: str
    count: int
    where: tuple[float, ...] | None
    bound: float = 0.0
    readings: tuple[tuple[str, float], ...] = ()

    def to_dict(self) -> dict[str, object]:
        """The step as the JSON schema `massprops/1` spells it."""
        readings = [{"name": name, "volume": volume} for name, volume in self.readings]
        return {**json_object(self, "step count where bound"), "readings": readings}


#: A finding, and the repair step that it tells of.
NotedStep = tuple[Finding, RepairStep]


@dataclass(frozen=True, eq=False)
class EnclosedSolid:
    """Body that is integrated, in the units and axes of the file, with findings, and bounds of its error by source.

    `mesh` has the triangles that bound it, if there are such; `area` is theirs, if it is known. `repairs` is what was done to the
    triangles of the file, and `surface` the sums over those of `mesh` where they are other ones.
    """

    method: Method
    grade: Grade
    moments: Moments
    findings: tuple[Finding, ...] = ()
    sources: dict[str, Spread] = field(default_factory=dict)
    mesh: Triangles | None = None
    area: float | None = None
    repairs: tuple[RepairStep, ...] = ()
    surface: Surface | None = None

    @property
    def dimension(self) -> int:
        """Dimension of what is measured: 2 for a sheet, 3 for a solid."""
        return 2 if self.method == "shell" else 3

    def after(self, done: Sequence[NotedStep]) -> Self:
        """Solid with the findings and repair steps of what was done before it was examined; a step of several findings is one."""
        findings, steps = tuple(f for f, _ in done), {step.step: step for _, step in reversed(done)}
        return replace(self, findings=(*findings, *self.findings), repairs=(*reversed(steps.values()), *self.repairs))


@dataclass(frozen=True, eq=False)
class MeshSurface:
    """The surface of a mesh.

    Attributes
    ----------
    mesh : Triangles
        Its triangles.
    gathered : Surface
        What one pass over them gathered.
    scale : float
        The length unit of the file in metres, for messages.
    resolution : float
        How far a coordinate can be off by its rounding in the file, file units.
    """

    mesh: Triangles
    gathered: Surface
    scale: float = 1.0
    resolution: float = 0.0

    @cached_property
    def numbered(self) -> NumberedFacets:
        """The triangles with numbered vertices, for a proof: in less memory."""
        from massprops.mesh.indexed_mesh import NumberedFacets  # imported lazily

        return NumberedFacets.of(self.mesh)

    @cached_property
    def indexed(self) -> IndexedMesh:
        """The triangles with numbered vertices, made when an open surface first needs them."""
        from massprops.mesh.indexed_mesh import IndexedMesh

        return IndexedMesh(*self.numbered.in_double())

    def closed(self, *, unite: bool) -> ClosedMesh | Irreparable:
        """The triangles with all holes filled: every level of repair begins with it; `unite`: whether overlaps count once."""
        from massprops.mesh.repair.ladder import close  # imported lazily

        return self.cached(("closed", unite), lambda: close(self.indexed, unite=unite))

    def cached(self, what: Hashable, find: Callable[[], T]) -> T:
        """Result of a look at the surface, kept for repairs and hints, which ask for it again."""
        if what not in self._known:
            self._known[what] = find()
        return cast("T", self._known[what])

    @cached_property
    def _known(self) -> dict[Hashable, object]:
        return {}

    def flipped(self) -> Self:
        """Surface with every triangle turned round."""
        turned = self.mesh.altered(lambda: (corners[:, ::-1] for corners in self.mesh.chunks()))
        return replace(self, mesh=turned, gathered=self.gathered.flipped())

    def in_metres(self, point: Sequence[float]) -> tuple[float, ...]:
        """A point of the file."""
        return tuple(x * self.scale for x in point)

    def solid(self, grade: Grade, findings: Sequence[Finding] = ()) -> EnclosedSolid:
        """The solid inside, as it is."""
        area = self.gathered.sheet.measure
        return EnclosedSolid("exact", grade, self.gathered.solid, tuple(findings), mesh=self.mesh, area=area)

    def refusal(
        self,
        findings: Sequence[Finding],
        hint: str | Remedy,
        consequence: str = "",
        kind: type[E] = InvalidGeometry,  # type: ignore[assignment]
    ) -> E:
        """The error of a surface that is not measured; its code is that of the first finding."""
        message = in_words(findings) + (f"; {consequence}" if consequence else "")
        return kind(message, code=findings[0].code, hint=hint, findings=findings, place=self.mesh.name)
