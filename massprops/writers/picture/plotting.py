"""Pictures of files: reading, measuring and drawing.

Tests: `tests/writers/test_picture.py`.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from html import escape
from os import PathLike
from pathlib import Path, PurePath
from typing import Any, Literal, Self, Unpack, cast, get_args

import numpy as np

from massprops.declarations import public
from massprops.diagnosis.robot_links import LinkOptions
from massprops.errors import InvalidGeometry, InvalidInput, require_type, require_word, written
from massprops.findings import Finding
from massprops.formats.escaping import plain
from massprops.formats.kinds import measured_kind
from massprops.formats.registry import open_mesh
from massprops.formats.saving import save
from massprops.formats.search_path import SearchPath
from massprops.frames import GltfUp
from massprops.grades import SOUND
from massprops.measurement.arguments import MeasureOptions
from massprops.measurement.gltf_axes import require_robots
from massprops.measurement.options import Options
from massprops.measurement.output_units import OutputUnits
from massprops.measurement.pipeline import measure_with
from massprops.measurement.result import Measurement
from massprops.measurement.section import read_parts, read_rings, require_plane
from massprops.measurement.sources import check_measured, naming
from massprops.mesh.edge_defects import bad_edges
from massprops.mesh.indexed_mesh import IndexedMesh
from massprops.mesh.repaired_solid import body_mesh
from massprops.mesh.source import MeshFile
from massprops.moments.arrays import Array, Floats
from massprops.rigid_body.line import CENTRAL, InertiaReference
from massprops.section.outline import Outline
from massprops.units import Quantity, length_unit
from massprops.writers.picture.assembly import assembly_scene
from massprops.writers.picture.drawing import draw_file, draw_png
from massprops.writers.picture.overlap import overlap_strokes
from massprops.writers.picture.part import part_scene, verdict_of
from massprops.writers.picture.pillow import pdf, png
from massprops.writers.picture.robot import robot_scene
from massprops.writers.picture.scene import (
    DARK,
    LIGHT,
    SIDES,
    Layer,
    LegendEntry,
    Look,
    PictureFormat,
    Scene,
    Solid,
    ViewName,
    is_side,
)
from massprops.writers.picture.section import section_svg
from massprops.writers.picture.section_raster import section_pixels

_LINKS, _PLAIN = LinkOptions(), Options()
_AT_REST: Mapping[str, Quantity] = {}
#: Findings of a surface that has a region in common with itself.
_OVERLAPS = ("overlapping-bodies", "self-intersecting")
_FORMATS = get_args(PictureFormat)[1:]
_VIEWS: tuple[ViewName, ...] = ("front", "top", "right", "iso")


@dataclass(frozen=True)
class Picture:
    """The bytes of a picture and the suffix of its file; the findings in it; and the error by which its input was refused, if it was.

    `again` draws it in another format.
    """

    data: bytes = field(repr=False)
    suffix: str
    findings: Sequence[Finding] = ()
    refused: InvalidGeometry | None = None
    again: Callable[[PictureFormat], Picture] | None = field(default=None, repr=False, compare=False)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _memo: object) -> Self:
        return self

    def __getstate__(self) -> dict[str, Any]:
        """The fields, for files, as those of a measurement: without its source."""
        return {**vars(self), "again": None}

    def save(self, path: str | PathLike[str]) -> Path:
        """Write it as PNG, SVG or PDF, as the suffix says, atomically; it is drawn again where it is of another format.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        InvalidInput
            If the suffix says another format, or the file cannot be written.
        ReadError
            If it is drawn again and its source is no longer there.
        """
        require_type(path, str | PathLike, "path", "the name of a file")
        suffix = cast("PictureFormat", Path(path).suffix.lower().removeprefix("."))
        is_other = self.again is not None and suffix in _FORMATS and suffix != self.suffix
        data = self.again(suffix).data if is_other and self.again is not None else self.data
        return save(path, data, [f".{name}" for name in (_FORMATS if self.again else (self.suffix,))])

    def _repr_png_(self) -> bytes | None:
        """The picture, for notebooks; like the two below."""
        return self.data if self.suffix == "png" else None

    def _repr_svg_(self) -> str | None:
        return self.data.decode() if self.suffix == "svg" else None

    def _repr_pdf_(self) -> bytes | None:
        return self.data if self.suffix == "pdf" else None


def picture_of(
    path: str,
    options: Options,
    look: Look,
    links: LinkOptions = _LINKS,
    joints: Mapping[str, Quantity] = _AT_REST,
    known: Measurement | None = None,
) -> Picture:
    """The picture of a file, in the format of `look`, measured unless that is `known`. A refused one has its findings and no numbers.

    Raises
    ------
    InvalidInput, ReadError
        As `massprops.measure` or, for a robot, `combine_robot` does.
    """
    kind, refused = measured_kind(path, options.format), None
    if kind in ("robot", "assembly"):
        if kind == "assembly":
            scene, findings, refused = assembly_scene(path, links.search, look.units, look.reference("m"))
        else:
            scene, findings = robot_scene(path, joints, links, look.units)
        return Picture(draw_file(scene, look), look.format or "png", findings, refused)
    found = known or measure_or_refusal(path, options)
    refused = found if isinstance(found, InvalidGeometry) else None
    if kind == "section":
        suffix, pixels = look.format or "svg", look.format in ("png", "pdf")
        text = section_drawing(path, found, options, look, straight=pixels)
        data = (pdf if suffix == "pdf" else png)(section_pixels(text)) if pixels else text.encode()
        return Picture(data, suffix, found.findings, refused)
    with open_mesh(path, format=options.format) as mesh:
        unit = options.unit_of(mesh)
        scene = mesh_scene(mesh, unit, found, suited_units(found, unit, look.units), options, look.reference(unit))
        data = draw_file(scene, look)
    return Picture(data, look.format or "png", found.findings, refused)


@public(lambda: MeasureOptions, Options)
def plot(
    source: Any,
    *,
    show: Sequence[Layer] | str = Look.show,
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
    source : path, Measurement or object
        A mesh, a plane file, a robot, or an assembly; what was measured, with its options; or what `massprops.measure` takes.
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
    require_type(show, Iterable, "show", "names of layers")
    layers = show.replace(",", " ").split() if isinstance(show, str) else list(show)
    for word in layers:
        require_word(word, get_args(Layer), "show")
    require_word(view, (*_VIEWS, "all"), "view")
    if not (isinstance(size, tuple | list) and len(size) == 2 and all(is_side(side) for side in size)):
        what = f"must be width and height from {SIDES[0]} to {SIDES[1]} pixels, got {written(size)}"
        raise InvalidInput(what, parameter="size", hint="for example (1200, 900)")
    require_word(output_format, get_args(PictureFormat), "output_format")
    views = [v for v in _VIEWS if view in (v, "all")]
    colours = DARK if dark else LIGHT
    links = LinkOptions(search=SearchPath(packages=packages or {}, gltf_up=gltf_up))

    def draw(suffix: PictureFormat) -> Picture:
        look = Look(cast("Sequence[Layer]", layers), views, size, colours, output_units, suffix)
        with naming([source], options) as (named,):
            require_robots([named.name], links.search)
            check_measured(options, [named.name])
            return picture_of(named.name, named.options, look, links, joints, named.known)

    return replace(draw(output_format), again=draw)


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


def mesh_scene(
    mesh: MeshFile,
    unit: str,
    found: Measurement | InvalidGeometry,
    units: OutputUnits,
    options: Options = _PLAIN,
    reference: InertiaReference = CENTRAL,
) -> Scene:
    """The scene of an open mesh in this unit, which is measured or refused, where the options place it, with numbers in the other units."""
    scale, pose = length_unit(unit), options.in_unit(mesh).transform
    with suppress(InvalidGeometry):  # what has no triangles is drawn as the volumes of the file
        mesh = body_mesh(mesh)

    def place(points: Floats) -> Array:
        return np.asarray(points, np.float64) if pose is None else pose.apply(points)

    def read_chunks() -> Iterator[Floats]:
        return (place(np.asarray(chunk, np.float64) * scale) for chunk in mesh.chunks())

    closed = isinstance(found, Measurement) and found.grade in SOUND
    edges = np.empty((0, 2, 3)) if closed else bad_edges(IndexedMesh.of(mesh)) * scale
    solid = Solid(read_chunks, mesh.facets)
    scene = part_scene(PurePath(mesh.name).name, found, solid, place(edges), units, pose, reference)
    if not any(f.code in _OVERLAPS for f in found.findings):
        return scene
    legend = LegendEntry("counted more than once", "■", "overlap", "defects")
    overlaps = (replace(stroke, points=place(stroke.points)) for stroke in overlap_strokes(mesh, scale, found.findings))
    return replace(scene, strokes=[*scene.strokes, *overlaps], legend=[*scene.legend, legend])


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
        unit, section = options.unit_of(source), None
        outlines = [(Outline.of(ring), length_unit(unit)) for ring in rings]
    else:
        _, parts = read_parts([path], options)
        unit, section = found.input.unit, found.section
        outlines = [(outline, part.scale) for part in parts for outline in part.assembled.outlines]
    title, units = f"{PurePath(path).name}: {verdict_of(found)}", suited_units(found, unit, look.units)
    shown = look.reference(unit)
    if isinstance(found, Measurement):
        require_plane(found, shown.about, shown.line)
    return section_svg(title, outlines, section, found.findings, units, look, straight=straight, about=shown.about)
