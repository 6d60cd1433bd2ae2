"""The inputs of a report, each read, measured and prepared for the page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any

import numpy as np

from massprops.checking.check_file import Checker
from massprops.checking.discovery import ROBOTS
from massprops.checking.report import Checked
from massprops.diagnosis.link_geometry import in_link_axes
from massprops.diagnosis.robot_links import LinkOptions
from massprops.errors import InvalidGeometry, MasspropsError, as_error
from massprops.filling.solids import facets_of
from massprops.findings import Finding
from massprops.formats.files import open_file
from massprops.formats.registry import PLANAR, open_mesh
from massprops.formats.robot.links import Geometry, Link, Mesh, Primitive
from massprops.formats.robot.mesh_paths import Finder
from massprops.formats.robot.opening import read_robot
from massprops.measurement.options import Options
from massprops.measurement.output_units import OutputUnits
from massprops.measurement.pipeline import measure_with
from massprops.measurement.result import Measurement
from massprops.measurement.robot import Robot
from massprops.measurement.short_table import Quantity
from massprops.moments.arrays import Array, Floats, product
from massprops.report.page.geometry import MOST_FACETS, PackedMesh, packed
from massprops.report.page.scene import Colour, Scene
from massprops.report.picture.part import scene_of
from massprops.report.picture.plotting import Look, part_of, svg_of
from massprops.report.picture.png import small_png
from massprops.report.picture.robot import robot_scene
from massprops.report.picture.scene import LIGHT, draw
from massprops.report.quantities import body_quantities, measured_quantities
from massprops.rigid_body.mass_properties import MassProperties
from massprops.units import Quantity as Given
from massprops.units import length_unit

#: Suffixes of files that are read as robots.
ROBOT_SUFFIXES = (*ROBOTS[:3], ".xml")
#: Pixels of pictures of parts and of sections.
_PICTURE, _DRAWING = (640, 480), (800, 600)
_SURFACE: Colour = (140, 164, 196)
_VERDICTS: dict[str, Colour] = {"ok": (120, 170, 130), "warning": (222, 176, 84), "failed": (214, 96, 90)}


@dataclass(frozen=True)
class InputFile:
    """A file that was read, with its SHA-256; None where it could not be read again."""

    path: str
    sha256: str | None


@dataclass
class LinkRow:
    """A link of a robot: what it states, and the verdict on that."""

    name: str
    verdict: str
    body: MassProperties | None
    volume: float | None = None
    which: str = ""


@dataclass
class Entry:
    """What the page says of one input.

    Attributes
    ----------
    path, kind, verdict : str
        As the user named it; ``mesh``, ``section`` or ``robot``; a grade, a status, or the code of the error.
    units : OutputUnits
        Of its numbers.
    inputs : list of InputFile
        The file and those that it names.
    measurement : Measurement or None
        Of a mesh or section.
    body : MassProperties or None
        Of a robot: all links together.
    quantities : list of Quantity
        Its numbers, SI.
    findings : list of (str, Finding)
        Each with the link that it is about, or nothing.
    notes : list of str
        What there is to say beside the numbers.
    error : MasspropsError or None
        Why there are no numbers.
    links : list of LinkRow
        Of a robot.
    scene : Scene or None
        What the viewer shows.
    picture : bytes, str or None
        PNG of a part for paper, or SVG of a section.
    """

    path: str
    kind: str
    verdict: str = ""
    units: OutputUnits = field(default_factory=OutputUnits)
    inputs: list[InputFile] = field(default_factory=list)
    measurement: Measurement | None = None
    body: MassProperties | None = None
    quantities: list[Quantity] = field(default_factory=list)
    findings: list[tuple[str, Finding]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    error: MasspropsError | None = None
    links: list[LinkRow] = field(default_factory=list)
    scene: Scene | None = None
    picture: bytes | str | None = None

    @property
    def mass(self) -> float | None:
        """kg."""
        known = self.measurement if self.measurement is not None else self.body
        return None if known is None else known.mass


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """How inputs are read.

    Attributes
    ----------
    options : Options
        Of meshes and sections.
    links : LinkOptions
        Where the geometry of links is.
    joints : mapping
        Values of joints.
    units, digits
        Of the numbers, as `OutputUnits.chosen` reads them.
    """

    options: Options
    links: LinkOptions = field(default_factory=LinkOptions)
    joints: Mapping[str, Given] = field(default_factory=dict)
    units: str | None = None
    digits: int | None = None


def entry_of(path: str, wishes: Wishes) -> Entry:
    """One input; what is wrong with it is in its `error`."""
    suffix = PurePath(path).suffix.lower()
    kind = "robot" if suffix in ROBOT_SUFFIXES else "section" if suffix in PLANAR else "mesh"
    entry = Entry(path, kind)
    try:
        (_add_robot if kind == "robot" else _add_section if kind == "section" else _add_mesh)(entry, wishes)
    except Exception as error:
        entry.error = as_error(error, path)
        entry.verdict = entry.error.code
        entry.inputs = entry.inputs or [_hashed(path)]
    return entry


def _hashed(path: str) -> InputFile:
    try:
        with open_file(path, 1 << 62, lambda _head, _size: True) as file:
            return InputFile(path, file.digest())
    except MasspropsError:
        return InputFile(path, None)


def _add_mesh(entry: Entry, wishes: Wishes) -> None:
    measured: Measurement | None = None
    try:
        measured = measure_with(wishes.options, entry.path)
    except InvalidGeometry as error:
        entry.error, entry.verdict = error, f"refused: {error.code}"
        entry.findings = [("", f) for f in error.findings]
    refused = entry.error if isinstance(entry.error, InvalidGeometry) else None
    with open_mesh(entry.path, format=wishes.options.format) as mesh:
        unit = wishes.options.units or mesh.unit or "m"
        entry.units = _units(unit, None if measured is None else measured.mass, wishes)
        entry.inputs = [InputFile(entry.path, mesh.digest())]
        if measured is not None:
            entry.measurement, entry.verdict = measured, measured.grade
            entry.findings = [("", f) for f in measured.findings]
            entry.quantities = list(measured_quantities(measured, entry.units, verbose=True))
        part = part_of(mesh, length_unit(unit), measured, refused)
        scene = Scene.around(part.bounds)
        shown = packed(part.read_chunks, part.bounds, part.facets)
        if shown is not None:
            scene.add(shown, shown.matrix, _SURFACE)
            _note_thinning(entry, mesh.facets, shown.faces)
        scene.show(part.body, part.bounds, part.findings, part.bad_edges)
        entry.scene = scene
        entry.picture = small_png(draw(scene_of(part, Look.show, entry.units, LIGHT), ("iso",), _PICTURE, LIGHT).image)


def _note_thinning(entry: Entry, facets: int, shown: int) -> None:
    if facets > MOST_FACETS:
        entry.notes.append(
            f"The picture is thinned: it shows {shown:,} facets instead of {facets:,}. The numbers are those of all facets."
        )


def _add_section(entry: Entry, wishes: Wishes) -> None:
    options = wishes.options
    if options.thickness is None and options.area_density is None:  # the density is that of the other inputs
        options = replace(options, density=None, material=None, mass=None)
    measured = measure_with(options, entry.path)
    entry.measurement, entry.verdict = measured, measured.grade
    entry.units = _units(measured.input.unit, measured.mass, wishes)
    entry.inputs = [InputFile(entry.path, measured.input.sha256)]
    entry.findings = [("", f) for f in measured.findings]
    entry.quantities = list(measured_quantities(measured, replace(entry.units, angle="rad"), verbose=True))
    entry.picture = svg_of(entry.path, measured, options, Look(size=_DRAWING, units=wishes.units))


def _add_robot(entry: Entry, wishes: Wishes) -> None:
    finder = wishes.links.finder(entry.path)
    links = read_robot(entry.path, finder=finder)
    checked = Checker(links=wishes.links).check(entry.path)
    by_name = {c.subject.place: c for c in checked}
    for c in checked:
        entry.findings += [(c.subject.place or "", f) for f in c.findings]
        if c.error is not None:
            entry.findings.append((c.subject.place or "", Finding(c.error.code, "error", c.reason)))
    order = ("ok", "warning", "failed", "unreadable")
    entry.verdict = max((c.status for c in checked), key=order.index, default="ok")
    entry.links = [_row(link, by_name.get(link.name)) for link in links]
    files = dict.fromkeys([entry.path, *(link.file for link in links if link.file)])
    poses = None
    try:
        robot = Robot.of(links, entry.path)
        values = robot.values(wishes.joints)
        poses, _ = robot.poses(values)
        entry.body = robot.combined(wishes.joints, None, "ignore").body.properties
        entry.quantities = list(body_quantities(entry.body, OutputUnits(), verbose=True))
    except MasspropsError as error:
        entry.notes.append(f"The links are not added up: {error.message}.")
    entry.units = _units("m", entry.mass, wishes)
    if poses is not None:
        entry.scene, meshes = _robot_scene(entry, links, poses, by_name, finder)
        files |= dict.fromkeys(meshes)
        if entry.scene is not None:
            drawn, _ = robot_scene(entry.path, wishes.joints, wishes.links, wishes.units, LIGHT)
            entry.picture = small_png(draw(drawn, ("iso",), _PICTURE, LIGHT).image)
    entry.inputs = [_hashed(path) for path in files]


def _row(link: Link, checked: Checked | None) -> LinkRow:
    worst = checked.findings[0].code if checked is not None and checked.findings else ""
    status = "" if checked is None else checked.status
    numbers: Mapping[str, Any] = {} if checked is None else checked.numbers
    return LinkRow(
        link.name or "?",
        f"{status}: {worst}" if worst else status,
        None if link.body is None else link.body.properties,
        numbers.get("volume"),
        numbers.get("geometry") or "",
    )


@dataclass(frozen=True, eq=False)
class _Placed:
    """A mesh of a robot, where it is in the frame of the robot."""

    link: str
    packed: PackedMesh
    matrix: Array


def _robot_scene(
    entry: Entry, links: Sequence[Link], poses: Mapping[str, Any], checked: Mapping[str | None, Checked], finder: Finder
) -> tuple[Scene | None, list[str]]:
    """The links as their joints place them, in the colour of the verdict; and the meshes that were read."""
    geometries = [(link, g) for link in links if link.name in poses for g in link.visual or link.collision]
    known: dict[str, PackedMesh | None] = {}
    share = max(500, MOST_FACETS // max(len(geometries), 1))
    placed: list[_Placed] = []
    for link, geometry in geometries:
        try:
            found = _shown(geometry, known, finder, share)
        except MasspropsError:
            continue  # it is among the findings of the link
        if found is not None:
            shown, matrix = found
            pose = poses[link.name or ""]
            whole = np.column_stack(
                [product(pose.rotation, matrix[:, :3]), product(pose.rotation, matrix[:, 3]) + pose.translation]
            )
            placed.append(_Placed(link.name or "?", shown, whole))
    if not placed:
        return None, []
    corners = np.concatenate([_corners(p) for p in placed])
    scene = Scene.around(np.array([corners.min(axis=0), corners.max(axis=0)]))
    for p in placed:
        c = checked.get(p.link)
        scene.add(p.packed, p.matrix, _VERDICTS.get("ok" if c is None else c.status, _VERDICTS["failed"]), p.link)
    scene.show(entry.body, scene.bounds, [])
    heaviest = max((row.body.mass for row in entry.links if row.body is not None), default=0.0)
    for row in entry.links:
        if row.body is not None and row.body.mass > 0 and row.name in poses:
            size = 4 + 10 * (row.body.mass / heaviest) ** (1 / 3)
            scene.mark_link(row.name, poses[row.name].apply(row.body.com), size)
    return scene, list(known)


def _shown(
    geometry: Geometry, known: dict[str, PackedMesh | None], finder: Finder, most: int
) -> tuple[PackedMesh, Array] | None:
    """A geometry of a link, packed, and the matrix to the frame of the link; None where it is not shown."""
    solid = geometry.solid
    if isinstance(solid, Primitive):
        triangles = facets_of(solid)
        bounds = np.array([triangles.min(axis=(0, 1)), triangles.max(axis=(0, 1))])
        linear = geometry.pose.rotation
        shown = packed(lambda: [triangles], bounds, len(triangles), most)
    elif isinstance(solid, Mesh):
        path = str(finder.find(solid.uri))
        linear = in_link_axes(geometry, solid.scale, PurePath(path).suffix[1:].lower())
        if path not in known:
            known[path] = _packed_file(path, most)
        shown = known[path]
    else:
        return None
    if shown is None:
        return None
    return shown, np.column_stack(
        [product(linear, shown.matrix[:, :3]), product(linear, shown.matrix[:, 3]) + geometry.pose.translation]
    )


def _packed_file(path: str, most: int) -> PackedMesh | None:
    with open_mesh(path) as mesh:
        scale = length_unit(mesh.unit or "m")

        def read_chunks() -> Iterator[Floats]:
            return (chunk * scale for chunk in mesh.chunks())

        boxes = np.array([(c.min(axis=(0, 1)), c.max(axis=(0, 1))) for c in read_chunks()], dtype=np.float64)
        return packed(read_chunks, np.array([boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)]), mesh.facets, most)


def _corners(p: _Placed) -> Array:
    """Of the box of a packed mesh, placed, shape (8, 3)."""
    corners = np.array(np.meshgrid(*[[0.0, s] for s in p.packed.extent.tolist()])).reshape(3, -1)
    return np.asarray(product(p.matrix[:, :3], corners).T + p.matrix[:, 3])


def _units(length: str, mass: float | None, wishes: Wishes) -> OutputUnits:
    return OutputUnits.suited(length, mass, wishes.digits).chosen(wishes.units)
