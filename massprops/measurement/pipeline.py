"""The pipe itself: a source in, a `Measurement` out."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Unpack, overload

import numpy as np

from massprops.access import allowing
from massprops.declarations import public
from massprops.errors import InvalidGeometry, InvalidInput, as_error, stating_unit
from massprops.formats.files import within_limits
from massprops.formats.kinds import is_planar
from massprops.formats.registry import open_mesh
from massprops.measurement.checks import add_plausibility
from massprops.measurement.mesh_integration import MeshIntegration
from massprops.measurement.options import Options, check_names
from massprops.measurement.result import MeasuredBody, Measurement, Outcome
from massprops.mesh.integration import Progress, integrate
from massprops.mesh.source import MeshFile, keep_freed_memory, threads_for
from massprops.moments.arrays import Density
from massprops.units import Quantity

if TYPE_CHECKING:
    from massprops.materials import Material
    from massprops.measurement.arguments import GeometryArguments, MeasureArguments


def _options() -> Any:
    from massprops.measurement.arguments import MeasureArguments  # imported lazily

    return MeasureArguments


@overload
def measure(source: Any, *, density: Quantity | Density, **how: Unpack[GeometryArguments]) -> MeasuredBody: ...


@overload
def measure(source: Any, *, mass: Quantity, **how: Unpack[GeometryArguments]) -> MeasuredBody: ...


@overload
def measure(source: Any, *, material: str | Material, **how: Unpack[GeometryArguments]) -> MeasuredBody: ...


@overload
def measure(source: Any, **how: Unpack[MeasureArguments]) -> Measurement: ...


@public(_options, Options)
def measure(  # noqa: D417  # the options are arguments
    source: Any,
    *,
    stdin: BinaryIO | None = None,
    progress: Progress | None = None,
    max_bytes: int | None = None,
    allow_outside: bool = False,
    **options: Any,
) -> Measurement:
    """Measure a body: volume, area, centre and, with a density, mass and inertia.

    Of a plane file: the section in it, and with a thickness the solid above it. Lengths that are numbers are metres; texts without a
    unit (``thickness="2"``) are in the unit of the file.

    Parameters
    ----------
    source : path, (vertices, faces), array of shape (n, 3, 3), or an object with `.vertices` and `.faces`
        The closed surface of the body, faces wound counter-clockwise seen from outside; also meshes of pyvista and meshio (solid
        cells, too), vedo, Open3D and pymeshlab, and solids of CadQuery and build123d. Or a section: a plane file, a list of such files
        (one composite section), a ring of points of shape (n, 2), or an object with `.exterior` and `.interiors` (shapely). Or a list of
        mesh files, `together`.
    density, mass, material : float, str
        At most one: kg/m³ or a text with a unit (``"7.8 g/cm3"``); kg or a text; a name from `massprops.materials`, or one of
        `massprops.read_materials`. A density that
        varies in space is a `massprops.PolynomialDensity`, integrated exactly, or any function of points in metres, shape (n, 3), in the
        coordinates of the result, that returns n densities in kg/m³; it is also evaluated in the convex hull of the body.
    area_density, thickness : float, str
        For `on_open="shell"`: kg/m² of the sheet, or its thickness in metres (with a density or a material). Of a section: kg/m² of the
        sheet that it is, or the height of the solid above it, from z = 0.
    units : str
        The length unit of the coordinates of a file that states none; by default metres.
    override_units : str
        The length unit of the coordinates, whatever the file or the definition of its format states.
    on_open : {"error", "integrate", "hull", "shell"}
        What to measure if the surface is not closed: nothing; the integral as it is, about the middle of the bounds; the convex
        hull; the surface as a thin sheet.
    on_inverted : {"error", "flip"}
        What to do with a closed surface whose faces all look inward, or with such a body among several.
    on_overlap : {"error", "count", "union"}
        What to measure if the surface bounds some points more than once, or negatively: nothing, above a thousandth of the
        volume; every point as often as it is bounded; the union, as an estimate.
    nested : {"ask", "cavity", "body"}
        What a body is that lies inside another and is wound the same way: a reason to refuse; a cavity; part of the solid.
    verify : {"none", "closed", "xray", "proof", "auto"}
        What has to hold: nothing; the surface is closed and consistently wound; and its winding number is 0 or 1 along lines; or no two
        facets meet but in what they share, which proves it. `auto`: the proof up to 50,000,000 facets (2 GB), and lines where
        it is left open.
    lines : int
        Lines per side of the lattices of the X-ray: 3 · lines² in all.
    repair : {"none", "safe", "full"}
        What may be done to a surface that is refused as it is, step by step, each with a bound: nothing; what leaves at most 1 % of the
        volume open, unions and bodies inside others 1e-4; up to a tenth. A surface that is valid, or that one of the policies above
        covers, is not touched.
    max_uncertainty : float, str
        The largest ± of the volume (of a section: the area), as a share or in percent (``"1 %"``); the limit of the repairs, too.
    kind : {"solid", "sheet", "wall"}
        What the surface of a mesh is measured as: the solid inside it; the surface itself, closed or open, of an `area_density` or a
        `thickness`; a wall of `thickness` inside the surface.
    infill : float, str
        Of a wall: the share of its inside that is filled with the same density, ``"15 %"``.
    chord_tolerance : float, str
        How far the facets, or the outlines of a section, may be from the true ones (the export's setting).
    pose : Pose, str
        X_WB: places the part in a parent frame W; results are in W. A text is what `Pose.parse` takes.
    frame : Pose, str
        X_BF: the observer's frame F in the coordinates of the file; results are in F. Not together with `pose`.
    format : str
        Of a file whose suffix does not say it (``"stl"``).
    hash : bool
        Whether to put the file's SHA-256 into the result.
    exact : bool
        Whether every number shall be the double nearest to the truth about the coordinates of the file: exact sums, rounded once. Of
        a section with straight edges: area, centroid and moments.
    jobs : int
        Threads that work on a large mesh; the result does not depend on it. By default all processors, 16 at most, work on one of more than
        a million triangles.
    stdin : BinaryIO
        Read instead of a path if `source` is ``"-"``.
    progress : callable
        Called with the triangles done and their number after each chunk, and of a large mesh in the proof; while a program for STEP reads,
        with the seconds and infinity.
    rings : {"evenodd", "nonzero", "orientation"}
        Of a plane file, what is inside: what an odd number of rings goes round; all that rings wind round, crossing or not;
        counter-clockwise rings less clockwise ones. By default even-odd, but for shapes of which the file states another rule (SVG).
    layers : sequence of str
        The layers of a plane file that are measured; by default all.
    gap : float, str
        Ends of loose pieces within this distance are the same point, m; by default a millionth of the drawing's size.
    centered : bool
        Whether the solid above a section reaches from −thickness/2 to thickness/2.
    torsion : bool
        Whether the torsion of a section is computed: torsion and warping constants and shear centre, in seconds (extra ``torsion``).
    ratios : mapping
        Modulus ratios of the parts of a composite section, by layer of one file or by file, for the section's moments.
    densities, materials : mapping
        Densities, or names of materials, of the parts of a file or of a composite section: by name of object, group, node, layer or
        material, by a pattern (``"bolt*"``), or by number in the list of parts (2 or ``"2"``; ``"name:2"`` is a name). A `density` or
        `material` is that of all other parts.
    list_parts : bool
        Whether a mesh file is measured part by part, also without densities of parts.
    count_bodies : bool
        Whether the separate bodies of a mesh are counted, which costs more than its integral.
    together : bool
        Whether a list of mesh files is one surface, of which each is a piece: open alone, closed together.
    max_bytes : int
        The largest file that is read; by default 4 GiB for meshes (none for binary STL, which is read in parts) and 256 MiB for others.
    allow_outside : bool
        Whether a glTF file may refer to files outside its folder.

    Returns
    -------
    Measurement
        A `MeasuredBody` where a density, mass or material is given: its mass, inertia and properties are never None.

    Raises
    ------
    InvalidInput
        If an argument breaks a rule.
    ReadError
        If the file cannot be read.
    InvalidGeometry
        If the surface has no valid integral and no policy allows going on.
    """
    check_names(options, "stdin", "progress", "max_bytes", "allow_outside")
    chosen, limits = Options(**options), partial(within_limits, max_bytes, outside=allow_outside or None)
    is_file = isinstance(source, str | os.PathLike) and Path(source).is_file()
    written = Path(source).stat() if is_file else None
    with limits():
        found = measure_with(chosen, source, stdin=stdin, progress=progress)
    vars(found)["_mesh"] = partial(_mesh_of, limits, partial(measure_with, chosen, source))
    vars(found)["_made"] = source, chosen, limits, written
    return found


def _mesh_of(
    limits: Callable[[], AbstractContextManager[None]], again: Callable[..., Measurement], measured: Measurement
) -> object:
    from massprops.measurement.measured_mesh import to_trimesh  # imported lazily

    with limits():
        return to_trimesh(again, measured)


def measure_with(
    options: Options,
    source: Any,
    *,
    stdin: BinaryIO | None = None,
    progress: Progress | None = None,
    examine: Callable[[MeshIntegration], object] | None = None,
) -> Measurement:
    """Measure one source, as `measure` does; `examine` is called with a mesh that was measured, while its file is open."""
    try:
        if not options.together and is_section(source, options.format):
            from massprops.measurement.section import measure_section  # imported lazily

            return measure_section(source, options, stdin)
        options.check_applicable("mesh")
        keep_freed_memory()
        with allowing(progress=progress), _open(options, source, stdin) as mesh:
            # of meshes that are measured together each has its own
            of_unit = () if options.together else options.unit_findings(mesh)
            mesh = replace(mesh, jobs=options.jobs or threads_for(mesh.facets), findings=(*mesh.findings, *of_unit))
            options = options.in_unit(mesh)
            with stating_unit(options.units or "m"):
                stated, kilograms = mesh.masses, None
                if stated is not None:
                    from massprops.measurement.stated_masses import shells_alone, with_densities, with_structures

                    mesh, kilograms = with_densities(mesh, stated, options)
                    if not stated.has_solids and (found := shells_alone(mesh, stated, options, kilograms)):
                        return found
                integration = _kind_of_integration(mesh)(options, mesh, integrate(mesh))
                measured = _measure_parts_or_whole(integration)
                measured = add_plausibility(measured, unit_is_stated=options.units is not None, policies=options)
                if examine is not None:
                    examine(integration)
                return measured if stated is None else with_structures(measured, stated, options, kilograms)
    except InvalidInput as error:
        if (named := as_error(error, _name_of(source))) is error:  # as its own cause it would have no end
            raise
        raise named from error
    except InvalidGeometry as error:
        from massprops.measurement.pieces import naming_pieces  # imported lazily

        refusal = naming_pieces(error, source)
        if refusal is error:
            raise
        raise refusal from error


def _name_of(source: Any) -> str:
    """The file that a message about a source names; ``-`` of none."""
    if isinstance(source, MeshFile):
        return source.name
    return os.fspath(source) if isinstance(source, str | os.PathLike) else "-"


def outcome_of(path: str, options: Options, source: Any = None, **how: Any) -> Outcome:
    """Measurement or error of one file, or of all files of a section together, named `path`; `how` as for `measure_with`."""
    start = time.perf_counter()
    try:
        measurement = measure_with(options, source or path, **how)
    except Exception as error:
        return Outcome(path, None, as_error(error, path), time.perf_counter() - start)
    return Outcome(path, measurement, None, time.perf_counter() - start)


def is_section(source: Any, format: str | None) -> bool:
    """Whether a source lies in the plane: a file, a list of files, a ring of points, or an object with an exterior ring."""
    if isinstance(source, str | os.PathLike):
        return is_planar(source, format)
    if isinstance(source, tuple):  # vertices and faces
        return False
    if are_paths(source) or hasattr(source, "exterior") or hasattr(source, "geoms"):
        return True
    try:
        shape = np.shape(source)
    except ValueError:  # ragged: the mesh readers say what is wrong
        return False
    return len(shape) == 2 and shape[1] == 2


def are_paths(source: Any) -> bool:
    """Whether a source is a list of files."""
    return isinstance(source, list) and bool(source) and all(isinstance(s, str | os.PathLike) for s in source)


def _open(options: Options, source: Any, stdin: BinaryIO | None) -> AbstractContextManager[MeshFile]:
    if options.together:
        if not are_paths(source):
            raise InvalidInput("needs a list of mesh files", parameter="together")
        from massprops.measurement.pieces import open_together

        return open_together(source, options, stdin)
    if isinstance(source, MeshFile):
        return nullcontext(source)
    if isinstance(source, str | os.PathLike):
        return open_mesh(source, format=options.format, stdin=stdin)
    from massprops.formats.mesh.arrays import from_object  # imported lazily

    return nullcontext(from_object(source))


def _kind_of_integration(mesh: MeshFile) -> type[MeshIntegration]:
    if mesh.exact is None:
        return MeshIntegration
    from massprops.measurement.exact_integration import ExactIntegration

    return ExactIntegration


def _measure_parts_or_whole(integration: MeshIntegration) -> Measurement:
    """The mesh part by part, with a density that varies, or as one body; modules are imported lazily."""
    if integration.options.part_specifications or integration.options.list_parts or integration.mesh.is_divided:
        from massprops.measurement.parts import is_divided, measure_parts, measure_together

        if is_divided(integration.options, integration.mesh):
            return measure_parts(integration)
        if integration.options.mass is not None:
            return measure_together(integration)
    if callable(integration.options.density):
        from massprops.measurement.varying_density import measure_varying

        return measure_varying(integration, integration.options.density)
    return integration.measurement()
