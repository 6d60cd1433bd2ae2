"""What pictures show of a robot: its links at a position of the joints, coloured by what was found about them, and their centres."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePath

import numpy as np

from massprops.diagnosis.robot_links import LinkFindings, LinkOptions, link_findings
from massprops.errors import InvalidInput, MasspropsError
from massprops.findings import SEVERITIES, Finding
from massprops.formats.bodies.json_results import all_findings
from massprops.formats.escaping import plain
from massprops.formats.registry import open_mesh
from massprops.formats.robot.links import Link, Mesh, Primitive, Which
from massprops.formats.search_path import SearchPath
from massprops.frames import Pose
from massprops.measurement.links import facets_of, in_link_axes
from massprops.measurement.output_units import OutputUnits, rounded
from massprops.measurement.robot import Robot
from massprops.moments.arrays import Array, determinant, product
from massprops.report.picture.scene import Explained, Look, Marker, Scene, Solid
from massprops.rigid_body.mass_properties import MassProperties
from massprops.units import Quantity, length_unit
from massprops.wording import plural

#: Radii of the marks of the lightest and the heaviest link, pixels.
_RADII = (4.0, 12.0)
_WORDS = ("with errors", "with warnings", "without errors and warnings", "without an inertial")
_INFO = SEVERITIES.index("info")


#: Links, and what is said about each.
Compared = Iterable[tuple[LinkFindings, Sequence[Finding]]]


@dataclass(frozen=True, eq=False)
class Shape:
    """A geometry of a link.

    Attributes
    ----------
    file : str
        That it was read from; empty for a primitive.
    triangles : ndarray, shape (n, 3, 3)
        In its own axes, m.
    linear, offset : ndarray, shapes (3, 3), (3,)
        From there to the frame of the robot.
    """

    file: str
    triangles: Array
    linear: Array
    offset: Array

    @cached_property
    def placed(self) -> Array:
        """The triangles in the frame of the robot, outward where they are so in their own axes."""
        outward = self.triangles if determinant(self.linear) > 0 else self.triangles[:, ::-1]
        return np.asarray((product(outward.reshape(-1, 3), self.linear.T) + self.offset).reshape(-1, 3, 3))


@dataclass(frozen=True, eq=False)
class PlacedLink:
    """A link where the joints put it, with what was found about it."""

    name: str
    body: MassProperties | None
    findings: Sequence[Finding]
    pose: Pose
    shapes: Sequence[Shape]

    @property
    def verdict(self) -> int:
        """Its number among the colours of `Theme.links`."""
        worst = min((SEVERITIES.index(f.severity) for f in self.findings), default=_INFO)
        return 3 if self.body is None and worst == _INFO else worst

    @property
    def mass(self) -> float:
        """kg; 0 where it states none, or none that a body can have."""
        return 0.0 if self.body is None else max(self.body.mass, 0.0)

    @property
    def centre(self) -> Array:
        """Its centre of mass in the frame of the robot, m; the origin of the link where it has no mass."""
        return np.asarray(self.pose.apply(self.body.com if self.body is not None and self.mass else np.zeros(3)))


def placed_links(path: str, compared: Compared, poses: Mapping[str, Pose], options: LinkOptions) -> list[PlacedLink]:
    """The links of a robot with their geometry: that with which they were compared. What cannot be read is left out.

    Parameters
    ----------
    path : str
        Of the file.
    compared : iterable of (LinkFindings, sequence of Finding)
        The links, and what is said about each.
    poses : mapping of str to Pose
        Where they are.
    options : LinkOptions
        Where their meshes are, and which of their geometries is drawn where none was compared.
    """
    search = options.search.beside(path)
    known: dict[Path, tuple[Array, str]] = {}
    return [
        PlacedLink(
            c.link.name or "?",
            body.properties if (body := c.link.body or c.link.default) is not None else None,
            findings,
            poses[c.link.name or "?"],
            _shapes(c.link, c.numbers.get("geometry") or options.geometry, poses[c.link.name or "?"], search, known),
        )
        for c, findings in compared
    ]


def _shapes(
    link: Link, which: object, pose: Pose, search: SearchPath, known: dict[Path, tuple[Array, str]]
) -> list[Shape]:
    chosen: Which = "collision" if which == "collision" or not (which == "visual" or link.visual) else "visual"
    shapes = []
    for geometry in link.geometry(chosen):
        solid, file, linear = geometry.solid, "", geometry.pose.rotation
        with suppress(MasspropsError):  # it is a finding of the link
            if isinstance(solid, Mesh):
                path = search.mesh_file(solid.uri)
                if path not in known:
                    known[path] = _read(path)
                triangles, kind = known[path]
                file, linear = str(path), in_link_axes(geometry, solid.scale, kind)
            elif isinstance(solid, Primitive):
                triangles = facets_of(solid)
            else:
                continue
            offset = pose.apply(geometry.pose.translation)
            shapes.append(Shape(file, triangles, product(pose.rotation, linear), offset))
    return [shape for shape in shapes if len(shape.triangles)]


def _read(path: Path) -> tuple[Array, str]:
    with open_mesh(path) as mesh:
        chunks = [np.asarray(chunk, np.float64) for chunk in mesh.chunks()]
        return np.concatenate([np.empty((0, 3, 3)), *chunks]) * length_unit(mesh.unit or "m"), mesh.format


def robot_scene(
    path: str, joints: Mapping[str, Quantity], options: LinkOptions, look: Look
) -> tuple[Scene, list[Finding]]:
    """The scene of a robot, and what was found about its links; raises what `combine_robot` does about its joints."""
    compared = list(link_findings(path, None, options))
    robot = Robot.of([c.link for c in compared], path)
    poses, _ = robot.poses(robot.values(joints))
    bodies = (c.link.body or c.link.default for c in compared)
    findings = [[*c.findings, *(all_findings(body) if body else ())] for c, body in zip(compared, bodies, strict=True)]
    links = placed_links(path, zip(compared, findings, strict=True), poses, options)
    return scene_of_links(path, links, look), [f for some in findings for f in some if f.severity != "info"]


def scene_of_links(path: str, links: Sequence[PlacedLink], look: Look) -> Scene:
    """The scene of links that are placed.

    Raises
    ------
    InvalidInput
        If there is nothing to draw.
    """
    theme = look.theme
    solids = [Solid([s.placed].copy, len(s.placed), theme.links[link.verdict]) for link in links for s in link.shapes]
    if not solids:
        raise InvalidInput("no link has geometry that can be drawn", place=path, hint="give --package NAME=FOLDER")
    corners = np.array([(t.min(axis=(0, 1)), t.max(axis=(0, 1))) for s in solids for t in s.read_chunks()])
    bounds = np.array([corners[:, 0].min(axis=0), corners[:, 1].max(axis=0)])
    massive = [link for link in links if link.mass]
    heaviest, total = max((link.mass for link in massive), default=1.0), sum(link.mass for link in massive)
    low, high = _RADII
    markers = [
        Marker(link.centre, theme.background, low + (high - low) * (link.mass / heaviest) ** (1 / 3))
        for link in massive
    ]
    chosen = OutputUnits.suited("m", total).chosen(look.units)
    mass = f"mass {rounded(chosen.of(total, (1, 0)), digits=5)} {chosen.mass}, stated by {plural(len(massive), 'link')}"
    verdicts = Counter(link.verdict for link in links if link.shapes or link.body is not None)
    legend = [Explained(mass)]
    legend += [Explained(f"{plural(verdicts[k], 'link')} {_WORDS[k]}", theme.links[k], "■") for k in sorted(verdicts)]
    for number, link in enumerate((link for link in links if link.verdict < _INFO), 1):
        colour = theme.links[link.verdict]
        markers.append(Marker(link.centre, colour, 9.0, str(number), (0.0, -26.0)))
        codes = ", ".join(dict.fromkeys(plain(f.code) for f in link.findings if f.severity != "info"))
        legend.append(Explained(f"{plain(link.name)}: {codes}", colour, str(number)))
    return Scene(plain(PurePath(path).name), bounds, solids, chosen, (), markers, legend)
