"""Meshes that are repaired, as values that can be measured, saved and handed on.

Tests: `tests/cli/test_repair.py`, `tests/test_python_calls.py`.
"""

from __future__ import annotations

import io
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from massprops.access import allowing
from massprops.declarations import public
from massprops.errors import InvalidGeometry, InvalidInput, MasspropsError, require_type, require_word, stating_unit
from massprops.findings import Finding
from massprops.formats.mesh.writing import mesh_bytes
from massprops.formats.registry import open_mesh
from massprops.formats.saving import save
from massprops.grades import Grade, Repair
from massprops.measurement.options import Options
from massprops.measurement.pipeline import measure
from massprops.measurement.sources import naming
from massprops.mesh.coordinate_resolution import resolution
from massprops.mesh.enclosed_solid import MeshSurface, RepairStep
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.mesh.integration import integrate
from massprops.mesh.policies import Policies
from massprops.mesh.repaired_solid import validate_or_repair
from massprops.moments.arrays import Array, Integers
from massprops.units import Quantity, length_unit
from massprops.values import dataclass
from massprops.wording import percent

#: A mesh whose volume changes by more in single precision is another body.
_ROUNDED = 1e-4
_PRECISION = {
    ".stl": "STL has single precision",
    ".glb": "glTF has single precision",
    ".dae": "COLLADA has seven digits",
}


@dataclass(frozen=True, eq=False)
class SolidMesh:
    """Triangles that bound a solid; `massprops.measure` takes it.

    Attributes
    ----------
    name : str
        The file, or what it was made of.
    vertices, faces : ndarray, shape (V, 3) and (F, 3)
        In the unit and axes of the file.
    units : str or None
        The unit, where it is known.
    grade : str
        How far they are known to bound one.
    volume : float
        m³, where the unit is not known in units³.
    findings : tuple of Finding
    repairs : tuple of RepairStep
        What was done to the triangles of the file, each with its bound, m³.
    """

    name: str
    vertices: Array
    faces: Integers
    units: str | None
    grade: Grade
    volume: float
    findings: tuple[Finding, ...] = ()
    repairs: tuple[RepairStep, ...] = ()

    def __repr__(self) -> str:
        """One line."""
        return f"<SolidMesh: {self.name}, {len(self.faces)} facets, {self.grade}>"

    def to_trimesh(self) -> Any:
        """The mesh of trimesh."""
        from massprops.measurement.measured_mesh import trimesh_of  # imported lazily

        return trimesh_of(self.vertices, self.faces, self.units)

    def save(self, path: str | PathLike[str]) -> Path:
        """Write it in the format that the suffix says, atomically; glTF and COLLADA in metres, 3MF in millimetres.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        InvalidInput
            If meshes are not written in this format, its precision would change the volume by 0.01 %, or the file cannot be written.
        """
        require_type(path, str | PathLike, "path", "the name of a file")
        return save(path, self.content(str(path))[0])

    def content(self, output: str) -> tuple[bytes, Grade]:
        """The bytes of a file of this name, and the grade of the mesh in it; raises InvalidInput as `save` does."""
        suffix = Path(output).suffix.lower()
        with np.errstate(over="ignore"):  # what single precision cannot hold is found when it is read
            content = mesh_bytes(self.vertices, self.faces, suffix, self.units)
        return content, self.grade if suffix in (".ply", ".obj") else self._as_written(content, output)

    def _as_written(self, content: bytes, output: str) -> Grade:
        """The grade of the mesh that a file holds, in its precision; raises InvalidInput where that is another body."""
        suffix, scale = Path(output).suffix.lower(), length_unit(self.units or "m")
        try:
            with open_mesh("-", format=suffix, stdin=io.BytesIO(content)) as written:
                corners = np.concatenate(list(written.chunks()))
                factor = length_unit(written.unit) if written.unit else scale
            if factor == scale and np.array_equal(corners, self.vertices[self.faces]):
                return self.grade
            rounded = measure(corners, repair="none")
            change = abs((rounded.volume or 0.0) * factor**3 - self.volume) / self.volume
            wrong = f"its volume changes by {percent(change)}" if change > _ROUNDED else ""
        except MasspropsError as error:
            wrong = error.text.removeprefix("array: ").removeprefix("-: ")
        if wrong:
            precision = _PRECISION.get(suffix, "the format rounds coordinates")
            what = f"{precision}, in which the mesh is another body: {wrong}"
            raise InvalidInput(what, place=output, hint="write .ply or .obj, which have doubles")
        return rounded.grade if self.grade in ("proved", "certified") else self.grade


@public()
def repair(
    source: Any,
    *,
    repair: Repair = "safe",
    max_uncertainty: Quantity | None = None,
    units: str | None = None,
    format: str | None = None,
    allow_outside: bool = False,
) -> SolidMesh:
    """The mesh that would be measured, repaired, as `massprops repair` writes it; one that is valid is as it was.

    Parameters
    ----------
    source : path, Measurement or object
        A mesh, as `massprops.measure` takes it; of a measurement what was measured.
    repair : {"safe", "full"}
        Repairs that leave at most 1 % of the volume open, or up to a tenth.
    max_uncertainty : float or str
        How much of the volume repairs may leave open: ``"1%"``.
    units, format : str
        Length unit of a file that states none; format of a file whose suffix does not say it.
    allow_outside : bool
        Whether a glTF file may refer to files outside its folder.

    Returns
    -------
    SolidMesh
        Its `save` writes it, `to_trimesh` makes a mesh of trimesh; `repairs` and `findings` say what was done.

    Raises
    ------
    InvalidInput, ReadError
        As `massprops.measure` does.
    InvalidGeometry
        If it cannot be repaired, or its union is only an estimate.
    """
    require_word(repair, ("safe", "full"), "repair")
    policies = Policies(repair=repair, max_uncertainty=max_uncertainty)
    policies.check()
    of_mesh = {name: value for name, value in (("units", units), ("format", format)) if value is not None}
    with naming([source], of_mesh) as (found,), allowing(outside=allow_outside or None):
        of = found.options
        in_axes_of_file(of, found.name)
        return solid_mesh(found.name, policies, of)


def in_axes_of_file(options: Options, name: str) -> None:
    """Raise InvalidInput for a measurement that is placed elsewhere: a mesh is written where its file has it."""
    if options.transform is not None:
        what = "is measured in another place than its file"
        raise InvalidInput(what, place=name, hint="measure it without a pose or frame")


def solid_mesh(file: str, policies: Policies, options: Options) -> SolidMesh:
    """The triangles that bound the solid in a mesh; raises what `repair` does."""
    with open_mesh(file, format=options.format) as mesh:
        surface = integrate(mesh)
        rounding = resolution(mesh, float(np.abs(surface.bounds).max())).half_unit
        unit = options.known_unit(mesh)
        scale = length_unit(unit or "m")
        with stating_unit(unit or "m"):
            body = validate_or_repair(MeshSurface(mesh, surface, scale, rounding), policies)
        if body.mesh is None:
            raise InvalidGeometry(
                "the solids overlap: their union is only estimated, and has no triangles",
                place=file,
                code="overlapping-bodies",
                hint="pip install 'massprops[union]', or unite them in the program that made the file",
            )
        found = IndexedMesh.of(body.mesh)
    volume = abs(body.moments.measure) * scale**3
    return SolidMesh(file, found.points, found.faces, unit, body.grade, volume, body.findings, body.repairs)
