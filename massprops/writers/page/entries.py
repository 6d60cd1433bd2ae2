"""The inputs of a report, each read, measured and prepared for the page.

Tests: `tests/writers/test_page.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from massprops.checking.check_file import Checker
from massprops.checking.config import Config
from massprops.checking.report import STATUSES, Checked, Subject
from massprops.diagnosis.robot_links import LinkOptions, link_findings
from massprops.errors import InvalidGeometry, MasspropsError, MissingExtra, as_error
from massprops.findings import Finding
from massprops.formats.files import open_file
from massprops.formats.kinds import measured_kind
from massprops.formats.registry import open_mesh
from massprops.formats.robot.opening import nothing_checked
from massprops.frames import Pose
from massprops.measurement.assembly import Assembly
from massprops.measurement.options import Options
from massprops.measurement.output_units import OutputUnits
from massprops.measurement.quantities import Quantity
from massprops.measurement.result import Measurement
from massprops.measurement.robot import Robot
from massprops.measurement.section import read_rings
from massprops.moments.arrays import Array
from massprops.rigid_body.line import CENTRAL, InertiaReference
from massprops.rigid_body.mass_properties import MassProperties
from massprops.units import Quantity as Given
from massprops.writers.page.geometry import MOST_FACETS
from massprops.writers.page.viewer import ViewerScene
from massprops.writers.picture import plotting
from massprops.writers.picture.assembly import read_or_refusal, scene_of_assembly, suited_units
from massprops.writers.picture.drawing import draw_png
from massprops.writers.picture.part import body_marks, verdict_of
from massprops.writers.picture.robot import place_links, scene_of_links
from massprops.writers.picture.scene import Look, Scene
from massprops.writers.quantities import AXES_IN_WORDS, QuantityOptions, body_quantities, measured_quantities

#: Pixels of pictures of parts and of sections.
_PICTURE, _DRAWING = (540, 405), (560, 480)


@dataclass
class Entry:
    """Everything that the page says about one input.

    Attributes
    ----------
    path, kind, verdict : str
        As the user named it; ``mesh``, ``section``, ``robot`` or ``assembly``; a grade, a status, or the code of the error.
    units : OutputUnits
        Of its numbers.
    inputs : mapping of str to str or None
        The SHA-256 of the file and of those that it names; None where one could not be read again.
    measurement : Measurement or None
        Of a mesh or section.
    body : MassProperties or None
        Of a robot or an assembly: all of it together.
    assembly : Assembly or None
        With its parts and its budget.
    reference : InertiaReference
        What inertia is shown about, too.
    pose : Pose or None
        From the coordinates of the file, in which the places of findings are, to those of the numbers.
    findings : list of (str, Finding)
        Each with the link that it is about, or nothing.
    notes : list of str
        What there is to say beside the numbers.
    error : MasspropsError or None
        Why there are no numbers.
    links : list of Checked
        Of a robot.
    places : mapping of str to ndarray
        Their centres, m, shape (3,).
    scene : ViewerScene or None
        What the viewer shows.
    picture : bytes, str or None
        PNG of a part for paper, or SVG of a section.
    """

    path: str
    kind: str
    verdict: str = ""
    units: OutputUnits = field(default_factory=OutputUnits)
    inputs: Mapping[str, str | None] = field(default_factory=dict)
    measurement: Measurement | None = None
    body: MassProperties | None = None
    assembly: Assembly | None = None
    reference: InertiaReference = CENTRAL
    pose: Pose | None = None
    findings: list[tuple[str, Finding]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    error: MasspropsError | None = None
    links: list[Checked] = field(default_factory=list)
    places: Mapping[str, Array] = field(default_factory=dict)
    scene: ViewerScene | None = None
    picture: bytes | str | None = None

    @property
    def errors(self) -> list[MasspropsError]:
        """Why there are no numbers of it, or of links that could not be read."""
        return [error for error in (self.error, *(link.error for link in self.links)) if error is not None]

    @property
    def axes(self) -> str:
        """Whose axes its numbers are in."""
        return AXES_IN_WORDS["file" if self.measurement is None else self.measurement.axes]

    @property
    def mass(self) -> float | None:
        """kg."""
        known = self.measurement if self.measurement is not None else self.body
        return None if known is None else known.mass

    def quantities(self, *, verbose: bool = False) -> list[Quantity]:
        """Its numbers, SI; `verbose`: all of them, with angles in radians."""
        units = replace(self.units, angle="rad") if verbose else self.units
        options = QuantityOptions(units, self.reference.about, verbose=verbose, line=self.reference.line)
        if self.measurement is not None:
            return list(measured_quantities(self.measurement, options))
        return [] if self.body is None else list(body_quantities(self.body, options))


@dataclass(frozen=True, kw_only=True)
class PageOptions:
    """Options by which inputs are read.

    Attributes
    ----------
    options : mapping of str to Options
        Of meshes and sections, by path.
    config : Config
        By whose rules robots are checked.
    links : LinkOptions
        Where the geometry of links is.
    joints : mapping
        Values of joints.
    reference : callable
        The point and the line that inertia is shown about, for a unit of lengths.
    units, digits
        Of the numbers, as `OutputUnits.chosen` reads them.
    """

    options: Mapping[str, Options]
    config: Config = field(default_factory=Config)
    links: LinkOptions = field(default_factory=LinkOptions)
    joints: Mapping[str, Given] = field(default_factory=dict)
    reference: Callable[[str], InertiaReference] = lambda _unit: CENTRAL
    units: str | None = None
    digits: int | None = None


def entry_of(path: str, page: PageOptions, known: Measurement | None = None) -> Entry:
    """The entry of an input, measured unless that is `known`; a file that cannot be read or measured has an `error`."""
    entry = Entry(path, kind := measured_kind(path), measurement=known if kind == "mesh" else None)
    try:
        _ADD[entry.kind](entry, page)
    except Exception as error:
        entry.error = as_error(error, path)
        entry.verdict = entry.error.code
        entry.inputs = entry.inputs or {path: _digest_of(path)}
    return entry


def _digest_of(path: str) -> str | None:
    try:
        with open_file(path, 1 << 62, lambda _head, _size: True) as file:
            return file.digest()
    except MasspropsError:
        return None


def _add_result(entry: Entry, found: Measurement | InvalidGeometry, unit: str, page: PageOptions) -> None:
    """Add the measurement, or the error by which the input was refused."""
    entry.verdict, entry.findings = verdict_of(found), [("", f) for f in found.findings]
    entry.units, entry.reference = plotting.suited_units(found, unit, page.units, page.digits), page.reference(unit)
    if isinstance(found, InvalidGeometry):
        entry.error = found
    else:
        entry.measurement = found


def _add_mesh(entry: Entry, page: PageOptions) -> None:
    options, look = page.options[entry.path], Look(size=_PICTURE)
    found = entry.measurement or plotting.measure_or_refusal(entry.path, options)
    with open_mesh(entry.path, format=options.format) as mesh:
        unit = options.unit_of(mesh)
        _add_result(entry, found, unit, page)
        entry.inputs = {entry.path: mesh.digest()}
        entry.pose = options.in_unit(mesh).transform
        scene = plotting.mesh_scene(mesh, unit, found, entry.units, options, entry.reference)
        entry.scene = ViewerScene.pack(scene)
        if mesh.facets > MOST_FACETS and entry.scene.meshes:
            entry.notes.append(
                f"The picture is thinned: it shows {entry.scene.meshes[0].faces:,} facets instead of {mesh.facets:,}. "
                "The numbers are those of all facets."
            )
        _add_picture(entry, scene, look)


def _add_picture(entry: Entry, scene: Scene, look: Look) -> None:
    """Add the picture that stands in for the view on paper and where there is no WebGL."""
    try:
        entry.picture = draw_png(scene, look, small=True)
    except MissingExtra as error:
        entry.notes.append(f"No picture for paper: {error.text}.")


def _add_section(entry: Entry, page: PageOptions) -> None:
    options = page.options[entry.path]
    if options.thickness is None and options.area_density is None and options.states_mass:
        options = replace(options, density=None, material=None, mass=None, densities=None, materials=None)
        entry.notes.append("No mass is known: a section has one with a thickness or a mass per area.")
    found = plotting.measure_or_refusal(entry.path, options)
    known = None if isinstance(found, InvalidGeometry) else found.input
    unit = options.unit_of(read_rings(entry.path, options)[0]) if known is None else known.unit
    _add_result(entry, found, unit, page)
    entry.inputs = {entry.path: _digest_of(entry.path) if known is None else known.sha256}
    look = Look(size=_DRAWING, units=page.units, reference=page.reference)
    entry.picture = plotting.section_drawing(entry.path, found, options, look)


def _add_robot(entry: Entry, page: PageOptions) -> None:
    path = entry.path
    checker = Checker(config=page.config, links=page.links)
    settings = page.config.settings(path, None, {})
    compared = list(link_findings(path, None, replace(page.links, geometry=settings.geometry)))
    if not compared:
        raise nothing_checked(path)
    checked = [checker.judge_link(path, c) for c in compared]
    for c in checked:
        entry.findings += [(c.subject.place or "", f) for f in c.remarks]
    entry.links = checked
    entry.verdict = max((c.status for c in checked), key=STATUSES.index, default="ok")
    links = [c.link for c in compared]
    files = dict.fromkeys([path, *(link.file for link in links if link.file)])
    try:
        robot = Robot.of(links, path)
        poses, _ = robot.poses(robot.values(page.joints))
        placed = place_links(path, zip(compared, (c.findings for c in checked), strict=True), poses, page.links)
        entry.places = {link.name: link.centre for link in placed}
        files |= dict.fromkeys(shape.file for link in placed for shape in link.shapes if shape.file)
        entry.body = robot.combine(page.joints, None, "ignore").body.properties
    except MasspropsError as error:
        placed = []
        entry.notes.append(f"The links are not added up: {error.message}.")
    entry.reference = page.reference("m")
    entry.units = OutputUnits.suited("m", entry.mass, page.digits, chosen=page.units)
    if any(link.shapes for link in placed):
        look = Look(size=_PICTURE, units=page.units)
        scene = scene_of_links(path, placed, page.units)
        _add_picture(entry, scene, look)
        strokes, markers = body_marks(entry.body, scene.bounds)
        entry.scene = ViewerScene.pack(replace(scene, strokes=strokes, markers=[*markers, *scene.markers]))
    entry.inputs = {file: _digest_of(file) for file in files}


def _add_assembly(entry: Entry, page: PageOptions) -> None:
    path = entry.path
    whole, refused = read_or_refusal(path, page.links.search)
    entry.error, entry.reference = refused, page.reference("m")
    entry.units = suited_units(whole, refused, page.units, page.digits)
    found = whole.body.all_findings if refused is None else refused.findings
    entry.findings = [("", f) for f in found]
    if refused is None:
        entry.assembly, entry.body = whole, whole.body.properties
    entry.verdict = Checked(Subject(path), tuple(found)).status if refused is None else refused.code
    scene = scene_of_assembly(path, whole, refused, entry.units, entry.reference)
    if scene.solids:
        _add_picture(entry, scene, Look(size=_PICTURE))
        entry.scene = ViewerScene.pack(scene)
    files = dict.fromkeys([path, *(part.body.path for part in whole.parts if part.body.path)])
    entry.inputs = {file: _digest_of(file.partition("#")[0]) for file in files}


_ADD = {"robot": _add_robot, "section": _add_section, "mesh": _add_mesh, "assembly": _add_assembly}
