"""Pictures of files: reading, measuring and drawing.

Tests: `tests/writers/test_picture.py`.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from html import escape
from os import PathLike, fspath
from pathlib import Path, PurePath
from typing import Literal, Unpack, get_args

import numpy as np

from massprops.diagnosis.robot_links import LinkOptions
from massprops.errors import InvalidGeometry, require_type, require_word
from massprops.findings import Finding
from massprops.formats.escaping import plain
from massprops.formats.kinds import is_planar, kind_of
from massprops.formats.registry import open_mesh
from massprops.formats.search_path import GltfUp, SearchPath
from massprops.grades import SOUND
from massprops.measurement.arguments import MeasureOptions
from massprops.measurement.options import Options, check_names
from massprops.measurement.output_units import OutputUnits
from massprops.measurement.pipeline import measure_with
from massprops.measurement.result import Measurement
from massprops.measurement.section import read_parts, read_rings
from massprops.mesh.edge_defects import bad_edges
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.mesh.repaired_solid import body_mesh
from massprops.mesh.source import MeshFile
from massprops.moments.arrays import Floats
from massprops.section.outline import Outline
from massprops.units import Quantity, length_unit
from massprops.writers.picture.drawing import draw_file, draw_png
from massprops.writers.picture.overlap import overlap_strokes
from massprops.writers.picture.part import part_scene, verdict_of
from massprops.writers.picture.pillow import pdf, png
from massprops.writers.picture.robot import robot_scene
from massprops.writers.picture.scene import DARK, LIGHT, Layer, LegendEntry, Look, PictureFormat, Scene, Solid, ViewName
from massprops.writers.picture.section import section_svg
from massprops.writers.picture.section_raster import section_pixels

_LINKS = LinkOptions()
_AT_REST: Mapping[str, Quantity] = {}
#: Findings of a surface that has a region in common with itself.
_OVERLAPS = ("overlapping-bodies", "self-intersecting")
_VIEWS: tuple[ViewName, ...] = ("front", "top", "right", "iso")


@dataclass(frozen=True)
class Picture:
    """The bytes of a picture and the suffix of its file; the findings in it; and the error by which its input was refused, if it was."""

    data: bytes = field(repr=False)
    suffix: str
    findings: Sequence[Finding] = ()
    refused: InvalidGeometry | None = None

    def _repr_mimebundle_(self, **_wanted: object) -> dict[str, str]:
        """The picture, for notebooks."""
        if self.suffix == "svg":
            return {"image/svg+xml": self.data.decode()}
        kind = "application/pdf" if self.suffix == "pdf" else "image/png"
        return {kind: base64.b64encode(self.data).decode("ascii")}


def picture_of(
    path: str, options: Options, look: Look, links: LinkOptions = _LINKS, joints: Mapping[str, Quantity] = _AT_REST
) -> Picture:
    """The picture of a file, in the format of `look`. A refused one has its findings and no numbers.

    Raises
    ------
    InvalidInput, ReadError
        As `massprops.measure` or, for a robot, `combine_robot` does.
    """
    planar = is_planar(path, options.format)
    if kind_of(path, options.format) == "robot":
        scene, findings = robot_scene(path, joints, links, look.units)
        return Picture(draw_file(scene, look), look.format or "png", findings)
    found = measure_or_refusal(path, options)
    refused = found if isinstance(found, InvalidGeometry) else None
    if planar:
        suffix, pixels = look.format or "svg", look.format in ("png", "pdf")
        text = section_drawing(path, found, options, look, straight=pixels)
        data = (pdf if suffix == "pdf" else png)(section_pixels(text)) if pixels else text.encode()
        return Picture(data, suffix, found.findings, refused)
    with open_mesh(path, format=options.format) as mesh:
        unit = options.unit_of(mesh.unit)
        data = draw_file(mesh_scene(mesh, unit, found, suited_units(found, unit, look.units)), look)
    return Picture(data, look.format or "png", found.findings, refused)


def plot(
    path: str | PathLike[str],
    *,
    show: Sequence[Layer] = Look.show,
    view: ViewName | Literal["all"] = "iso",
    size: tuple[int, int] = (1200, 900),
    dark: bool = False,
    output_units: str | None = None,
    output_format: PictureFormat = "",
    joints: Mapping[str, Quantity] = _AT_REST,
    packages: Mapping[str, str] | None = None,
    gltf_up: GltfUp | None = None,
    **options: Unpack[MeasureOptions],
) -> Picture:
    """Picture of a part, a robot or a section, as `massprops plot` draws it; a notebook shows it.

    Parameters
    ----------
    path : path
        A mesh, a plane file, or a robot.
    show : sequence of {"axes", "ellipsoid", "box", "com", "defects", "bounds"}
        What is drawn on a part.
    view : {"iso", "front", "top", "right", "all"}
        Direction of view; not of sections.
    size : (int, int)
        Width and height, pixels.
    dark : bool
        Whether the background is dark.
    output_units : str, optional
        Units of its numbers, ``"mm,g"``; by default those of the file.
    output_format : {"png", "svg", "pdf"}, optional
        By default PNG of a part or a robot, SVG of a section. SVG of a part or robot and all PDF hold pixels.
    joints : mapping of str to float or str
        Of a robot, values by name of joint.
    packages : mapping, optional
        Folders of ``package://`` names.
    gltf_up : {"y", "z"}, optional
        The axis that is up in glTF meshes of robots; by default what inertials and collision shapes say, else y.
    **options
        Those of `massprops.measure`.

    Returns
    -------
    Picture
        Its `data` are a file of the format.

    Raises
    ------
    InvalidInput, ReadError
        As `massprops.measure` does. What is refused is drawn with its findings and without numbers, and is `refused`.
    """
    check_names(options)
    require_type(path, str | PathLike, "path", "the name of a file")
    for word in show:
        require_word(word, get_args(Layer), "show")
    require_word(view, (*_VIEWS, "all"), "view")
    require_word(output_format, get_args(PictureFormat), "output_format")
    views = [v for v in _VIEWS if view in (v, "all")]
    look = Look(show, views, size, DARK if dark else LIGHT, output_units, output_format)
    links = LinkOptions(search=SearchPath(packages=packages or {}, gltf_up=gltf_up))
    return picture_of(fspath(path), Options(**options), look, links, joints)


def measure_or_refusal(path: str, options: Options) -> Measurement | InvalidGeometry:
    """The measurement of a file, or the error by which it is refused; both have findings."""
    try:
        return measure_with(options, path)
    except InvalidGeometry as error:
        return error


def suited_units(
    found: Measurement | InvalidGeometry, unit: str, chosen: str | None, digits: int | None = None
) -> OutputUnits:
    """Units that suit a file in `unit` and its mass, or the chosen ones."""
    mass = None if isinstance(found, InvalidGeometry) else found.mass
    return OutputUnits.suited(unit, mass, digits, chosen=chosen)


def mesh_scene(mesh: MeshFile, unit: str, found: Measurement | InvalidGeometry, units: OutputUnits) -> Scene:
    """The scene of an open mesh in this unit, which is measured or refused, with numbers in the other units."""
    scale = length_unit(unit)
    with suppress(InvalidGeometry):  # what has no triangles is drawn as the volumes of the file
        mesh = body_mesh(mesh)

    def read_chunks() -> Iterator[Floats]:
        return (chunk * scale for chunk in mesh.chunks())

    closed = isinstance(found, Measurement) and found.grade in SOUND
    edges = np.empty((0, 2, 3)) if closed else bad_edges(IndexedMesh.of(mesh)) * scale
    scene = part_scene(PurePath(mesh.name).name, found, Solid(read_chunks, mesh.facets), edges, units)
    if not any(f.code in _OVERLAPS for f in found.findings):
        return scene
    legend = LegendEntry("counted more than once", "■", "overlap", "defects")
    return replace(scene, strokes=[*scene.strokes, *overlap_strokes(mesh, scale)], legend=[*scene.legend, legend])


def html_picture(measured: Measurement) -> str:
    """A small picture of a measurement, for notebooks; empty where its file has changed since, or its axes are not those of the file."""
    source, look = measured.input, Look(show=("axes", "com", "defects"), size=(480, 360))
    if measured.axes != "file" or not Path(source.path).is_file():
        return ""
    if measured.section is not None:
        return section_drawing(source.path, measured, Options(override_units=source.unit), look)
    with open_mesh(source.path, format=source.format) as mesh:
        scene = mesh_scene(mesh, source.unit, measured, suited_units(measured, source.unit, None))
        if mesh.facets != source.facets or not np.allclose(scene.bounds, measured.bounds):
            return ""
        data = base64.b64encode(draw_png(scene, look)).decode("ascii")
    return f'<img alt="{escape(plain(measured.input.path))}" src="data:image/png;base64,{data}">'


def section_drawing(
    path: str, found: Measurement | InvalidGeometry, options: Options, look: Look, *, straight: bool = False
) -> str:
    """The picture of a plane file that is measured or refused."""
    if isinstance(found, InvalidGeometry):
        source, rings = read_rings(path, options)
        unit, section = options.unit_of(source.unit), None
        outlines = [(Outline.of(ring), length_unit(unit)) for ring in rings]
    else:
        _, parts = read_parts([path], options)
        unit, section = found.input.unit, found.section
        outlines = [(outline, part.scale) for part in parts for outline in part.assembled.outlines]
    title, units = f"{PurePath(path).name}: {verdict_of(found)}", suited_units(found, unit, look.units)
    return section_svg(title, outlines, section, found.findings, units, look, straight=straight)
