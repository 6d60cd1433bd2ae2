"""Pictures of files: what is read and measured for one, and the bytes of it."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path, PurePath

import numpy as np

from massprops.diagnosis.robot_links import LinkOptions
from massprops.errors import InvalidGeometry
from massprops.findings import Finding
from massprops.formats.escaping import plain
from massprops.formats.registry import is_planar, open_mesh
from massprops.grades import SOUND
from massprops.measurement.options import Options
from massprops.measurement.output_units import OutputUnits
from massprops.measurement.pipeline import measure_with
from massprops.measurement.result import Measurement
from massprops.measurement.section import read_parts, read_rings
from massprops.mesh.edge_defects import bad_edges
from massprops.mesh.source import MeshSource
from massprops.moments.arrays import Floats
from massprops.report.picture.part import Part, Shown, scene_of
from massprops.report.picture.raster import png
from massprops.report.picture.robot import robot_scene
from massprops.report.picture.scene import LIGHT, Theme, ViewName, draw
from massprops.report.picture.section import refused_svg, section_svg
from massprops.report.quantities import QuantityOptions, measured_quantities
from massprops.units import Quantity, length_unit

#: Suffixes of robot files.
ROBOTS = (".urdf", ".sdf", ".mjcf", ".xml")


@dataclass(frozen=True)
class Look:
    """How a picture looks.

    Attributes
    ----------
    show : sequence of str
        What is drawn on the surface of a part.
    views : sequence of str
        From where.
    size : (int, int)
        Width and height, pixels.
    theme : Theme
        Colours.
    units : str or None
        Units of the numbers in it, as `OutputUnits.chosen` reads them; by default those of the file.
    """

    show: Sequence[Shown] = ("axes", "com", "defects", "bounds")
    views: Sequence[ViewName] = ("iso",)
    size: tuple[int, int] = (1200, 900)
    theme: Theme = LIGHT
    units: str | None = None


@dataclass(frozen=True)
class Picture:
    """A file of a picture and its suffix; the findings in it; and why there is no measurement, where there is none."""

    data: bytes
    suffix: str
    findings: Sequence[Finding] = ()
    refused: InvalidGeometry | None = None


def picture_of(path: str, options: Options, links: LinkOptions, look: Look | None = None) -> Picture:
    """The picture of a file by its format; raises what the functions below do."""
    if is_planar(path, options.format):
        return section_picture(path, options, look or Look())
    if options.format is None and PurePath(path).suffix.lower() in ROBOTS:
        return robot_picture(path, {}, links, look or Look())
    return mesh_picture(path, options, look or Look())


def mesh_picture(path: str, options: Options, look: Look) -> Picture:
    """A mesh as PNG, measured; one that is refused has the findings and no numbers.

    Raises
    ------
    InvalidInput, ReadError
        As `massprops.measure` does.
    """
    measured: Measurement | None = None
    refused: InvalidGeometry | None = None
    try:
        measured = measure_with(options, path)
    except InvalidGeometry as error:
        refused = error
    with open_mesh(path, format=options.format) as mesh:
        unit = options.units or mesh.unit or "m"
        part = part_of(mesh, length_unit(unit), measured, refused)
        units = OutputUnits.suited(unit, None if measured is None else measured.mass).chosen(look.units)
        canvas = draw(scene_of(part, look.show, units, look.theme), look.views, look.size, look.theme)
    return Picture(png(canvas.image), "png", part.findings, refused)


def robot_picture(path: str, joints: Mapping[str, Quantity], options: LinkOptions, look: Look) -> Picture:
    """A robot as PNG; raises what `combine_robot` does about its joints."""
    scene, findings = robot_scene(path, joints, options, look.units, look.theme)
    return Picture(png(draw(scene, look.views, look.size, look.theme).image), "png", findings)


def part_of(mesh: MeshSource, scale: float, measured: Measurement | None, refused: InvalidGeometry | None) -> Part:
    """What a picture needs to know of an open mesh, `scale` metres per unit, of which one of the others is there."""

    def read_chunks() -> Iterator[Floats]:
        return (chunk * scale for chunk in mesh.chunks())

    grade = f"refused: {refused.code}" if measured is None and refused is not None else getattr(measured, "grade", "")
    closed = measured is not None and measured.grade in SOUND
    boxes = np.array([(c.min(axis=(0, 1)), c.max(axis=(0, 1))) for c in read_chunks()], dtype=np.float64)
    return Part(
        PurePath(mesh.name).name,
        grade,
        read_chunks,
        mesh.facets,
        np.array([boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)]),
        None if measured is None else measured.properties or measured.unit_density_properties,
        () if measured is None else list(measured_quantities(measured, QuantityOptions(OutputUnits()))),
        measured.findings if measured is not None else refused.findings if refused is not None else (),
        np.empty((0, 2, 3)) if closed else np.concatenate([np.empty((0, 2, 3)), *bad_edges(read_chunks).values()]),
    )


def html_picture(measured: Measurement) -> str:
    """A small picture of what was measured, for notebooks; empty where its file is not what was measured, or in its own axes, any more."""
    source, look = measured.input, Look(show=("axes", "com", "defects"), size=(480, 360))
    if measured.axes != "file" or not Path(source.path).is_file():
        return ""
    if measured.section is not None:
        return svg_of(source.path, measured, Options(units=source.unit), look)
    with open_mesh(source.path, format=source.format) as mesh:
        part = part_of(mesh, length_unit(source.unit), measured, None)
        if mesh.facets != source.facets or not np.allclose(part.bounds, measured.bounds):
            return ""
        scene = scene_of(part, look.show, OutputUnits.suited(source.unit, measured.mass), look.theme)
        image = base64.b64encode(png(draw(scene, look.views, look.size, look.theme).image)).decode("ascii")
    return f'<img alt="{escape(plain(measured.input.path))}" src="data:image/png;base64,{image}">'


def section_picture(path: str, options: Options, look: Look) -> Picture:
    """A plane file as SVG, measured; one that is refused has its rings, the findings and no numbers. Raises as `mesh_picture`."""
    try:
        measured = measure_with(options, path)
    except InvalidGeometry as error:
        return Picture(refused_section(path, error, options, look).encode(), "svg", error.findings, error)
    return Picture(svg_of(path, measured, options, look).encode(), "svg", measured.findings)


def refused_section(path: str, refused: InvalidGeometry, options: Options, look: Look) -> str:
    """The picture of a plane file that is refused."""
    source, rings = read_rings(path, options)
    unit = options.units or source.unit or "m"
    units = OutputUnits.suited(unit, None).chosen(look.units)
    title = f"{PurePath(path).name}: refused: {refused.code}"
    drawn = [(ring, length_unit(unit)) for ring in rings]
    return refused_svg(title, drawn, refused.findings, units, look.size, look.theme)


def svg_of(path: str, measured: Measurement, options: Options, look: Look) -> str:
    """The picture of a plane file that has been measured."""
    _, parts = read_parts([path], options)
    outlines = [(outline, part.scale) for part in parts for outline in part.assembled.outlines]
    units = OutputUnits.suited(measured.input.unit, measured.mass).chosen(look.units)
    title = f"{PurePath(path).name}: {measured.grade}"
    assert measured.section is not None  # noqa: S101  # plane files have one
    return section_svg(title, outlines, measured.section, units, look.size, look.theme)
