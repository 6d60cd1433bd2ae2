"""The scene of a robot: its links at a position of the joints, coloured by what was found about them, and their centres of mass.

Tests: `tests/writers/test_robot_picture.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

import numpy as np

from massprops.diagnosis.robot_links import ComparedLink, LinkOptions, link_findings
from massprops.errors import InvalidInput, MasspropsError, Remedy
from massprops.findings import SEVERITIES, Finding
from massprops.formats.escaping import plain
from massprops.formats.robot.links import GeometryKind, Link, LinkMesh, Primitive
from massprops.formats.search_path import SearchPath
from massprops.frames import Pose
from massprops.measurement.links import MeshKey, facets_of, in_link_axes, mesh_key, open_key
from massprops.measurement.output_units import OutputUnits, number_text
from massprops.measurement.robot import Robot
from massprops.moments.arrays import Array, product
from massprops.rigid_body.mass_properties import MassProperties
from massprops.units import Quantity, length_unit
from massprops.wording import plural
from massprops.writers.picture.scene import CENTRE, LegendEntry, Marker, Scene, Solid, bounds_of

#: Radii of the marks of the lightest and the heaviest link, pixels.
_RADII = (4.0, 12.0)
#: Colours of links, by the severity of the worst finding, and the words of the legend for them.
_VERDICTS = {
    "link with errors": "with errors",
    "link with warnings": "with warnings",
    "link without findings": "without errors and warnings",
    "link without inertial": "without an inertial",
}
_COLOURS = tuple(_VERDICTS)
_INFO = SEVERITIES.index("info")

#: Links, each with its findings.
ComparedLinks = Iterable[tuple[ComparedLink, Sequence[Finding]]]


@dataclass(frozen=True, eq=False)
class PlacedLink:
    """A link where the joints put it, with its findings; `shapes` are its geometry in the frame of the robot."""

    name: str
    body: MassProperties | None
    findings: Sequence[Finding]
    pose: Pose
    shapes: Sequence[Solid]

    @property
    def colour(self) -> str:
        """Name of its colour, by its worst finding."""
        worst = min((SEVERITIES.index(f.severity) for f in self.findings), default=_INFO)
        return _COLOURS[-1] if self.body is None and worst == _INFO else _COLOURS[worst]

    @property
    def mass(self) -> float:
        """Its mass, kg; 0 where it states none, or none that a body can have."""
        return 0.0 if self.body is None else max(self.body.mass, 0.0)

    @property
    def centre(self) -> Array:
        """Its centre of mass in the frame of the robot, m; the origin of the link where it has no mass."""
        return np.asarray(self.pose.apply(self.body.com if self.body is not None and self.mass else np.zeros(3)))


def place_links(path: str, links: ComparedLinks, poses: Mapping[str, Pose], options: LinkOptions) -> list[PlacedLink]:
    """The links of a robot with the geometry with which they were compared. Meshes that cannot be read are left out.

    Parameters
    ----------
    path : str
        The file.
    links : iterable of (ComparedLink, sequence of Finding)
        The links, each with its findings.
    poses : mapping of str to Pose
        Where the links are.
    options : LinkOptions
        Where their meshes are, and which of their geometries is drawn where none was compared.
    """
    search = options.search.beside(path)
    known: dict[MeshKey, tuple[Array, str]] = {}
    found = []
    for c, findings in links:
        name, body = c.link.name or "?", c.link.body
        shapes = _shapes(c.link, c.numbers.get("geometry") or options.geometry, poses[name], search, known)
        found.append(PlacedLink(name, body.properties if body is not None else None, findings, poses[name], shapes))
    return found


def _shapes(
    link: Link, which: object, pose: Pose, search: SearchPath, known: dict[MeshKey, tuple[Array, str]]
) -> list[Solid]:
    chosen: GeometryKind = "collision" if which == "collision" or not (which == "visual" or link.visual) else "visual"
    shapes = []
    for geometry in link.geometry(chosen):
        solid, file, linear = geometry.solid, "", geometry.axes
        with suppress(MasspropsError):  # it is a finding of the link
            if isinstance(solid, LinkMesh):
                key = mesh_key(search, solid)
                if key not in known:
                    with search.reading_meshes():
                        known[key] = _read(key)
                triangles, kind = known[key]
                file, linear = str(key) if isinstance(key, Path) else solid.uri, in_link_axes(geometry, solid, kind)
            elif isinstance(solid, Primitive):
                triangles = facets_of(solid)
            else:
                continue
            matrix = np.column_stack([product(pose.rotation, linear), pose.apply(geometry.pose.translation)])
            shapes.append(Solid([triangles].copy, len(triangles), matrix=matrix, file=file, link=link.name or "?"))
    return [shape for shape in shapes if shape.facets]


def _read(key: MeshKey) -> tuple[Array, str]:
    with open_key(key) as mesh:
        chunks = [np.asarray(chunk, np.float64) for chunk in mesh.chunks()]
        return np.concatenate([np.empty((0, 3, 3)), *chunks]) * length_unit(mesh.unit or "m"), mesh.format


def robot_scene(
    path: str, joints: Mapping[str, Quantity], options: LinkOptions, units: str | None
) -> tuple[Scene, list[Finding]]:
    """The scene of a robot, and the findings about its links; raises what `combine_robot` does about its joints."""
    compared = list(link_findings(path, None, options))
    robot = Robot.of([c.link for c in compared], path)
    poses, _ = robot.poses(robot.values(joints))
    bodies = (c.link.body for c in compared)
    findings = [[*c.findings, *(body.all_findings if body else ())] for c, body in zip(compared, bodies, strict=True)]
    links = place_links(path, zip(compared, findings, strict=True), poses, options)
    return scene_of_links(path, links, units), [f for some in findings for f in some if f.severity != "info"]


def mark_radius(share: float) -> float:
    """Radius of the mark of a centre of mass, pixels, for this share of the heaviest mass."""
    low, high = _RADII
    return low + (high - low) * float(share ** (1 / 3))


def scene_of_links(path: str, links: Sequence[PlacedLink], units: str | None) -> Scene:
    """The scene of links that are placed.

    Raises
    ------
    InvalidInput
        If there is nothing to draw.
    """
    solids = [replace(shape, colour=link.colour) for link in links for shape in link.shapes]
    if not solids:
        raise InvalidInput(
            "no link has geometry that can be drawn", place=path, hint=Remedy("give {}", "packages=NAME=FOLDER")
        )
    bounds = bounds_of(chunk for solid in solids for chunk in solid.placed_chunks())
    massive = [link for link in links if link.mass]
    heaviest, total = max((link.mass for link in massive), default=1.0), sum(link.mass for link in massive)
    markers = [Marker(link.centre, "com", mark_radius(link.mass / heaviest), name=link.name) for link in massive]
    chosen = OutputUnits.suited("m", total, chosen=units)
    mass = f"mass {number_text(chosen.of(total, (1, 0)), digits=5)} {chosen.mass} of {plural(len(massive), 'link')}"
    verdicts = Counter(link.colour for link in links if link.shapes or link.body is not None)
    legend = [LegendEntry(mass), *[LegendEntry("centre of mass of a link", CENTRE, layer="com")][: len(massive)]]
    legend += [LegendEntry(f"{plural(verdicts[k], 'link')} {_VERDICTS[k]}", "■", k) for k in _VERDICTS if verdicts[k]]
    for number, link in enumerate((link for link in links if any(f.severity != "info" for f in link.findings)), 1):
        markers.append(Marker(link.centre, "links", 9.0, str(number), colour=link.colour))
        codes = ", ".join(dict.fromkeys(plain(f.code) for f in link.findings if f.severity != "info"))
        legend.append(LegendEntry(f"{plain(link.name)}: {codes}", str(number), link.colour))
    return Scene(plain(PurePath(path).name), bounds, solids, chosen, (), markers, legend)
