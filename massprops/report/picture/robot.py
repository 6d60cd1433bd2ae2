"""What a picture shows of a robot: its links at a position of the joints, coloured by what was found about them, and their centres."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import PurePath

import numpy as np

from massprops.diagnosis.link_geometry import half_edges, in_link_axes
from massprops.diagnosis.robot_links import LinkFindings, LinkOptions, link_findings
from massprops.errors import InvalidInput, MasspropsError
from massprops.findings import SEVERITIES, Finding
from massprops.formats.escaping import plain
from massprops.formats.inertial.json_results import all_findings
from massprops.formats.registry import open_mesh
from massprops.formats.robot.links import Geometry, Mesh, Primitive, Which
from massprops.formats.robot.mesh_paths import Finder
from massprops.frames import Pose
from massprops.measurement.output_units import OutputUnits, rounded
from massprops.measurement.robot import Robot
from massprops.moments.arrays import Array, Floats, determinant, product
from massprops.report.picture.raster import Colour
from massprops.report.picture.scene import Marker, Scene, Solid, Theme
from massprops.units import Quantity, length_unit
from massprops.wording import plural

#: Segments of a circle; radii of the marks of the lightest and the heaviest link, pixels.
_SEGMENTS, _RADII = 36, (4.0, 12.0)
_WORDS = ("with errors", "with warnings", "without errors and warnings", "without an inertial")


def robot_scene(
    path: str, joints: Mapping[str, Quantity], options: LinkOptions, units: str | None, theme: Theme
) -> tuple[Scene, list[Finding]]:
    """The scene of a robot, and what was found about its links; raises what `combine_robot` does about its joints."""
    compared = list(link_findings(path, None, options))
    robot = Robot.of([c.link for c in compared], path)
    poses, _ = robot.poses(robot.values(joints))
    finder, wanted = options.finder(path), options.geometry
    solids: list[Solid] = []
    verdicts: Counter[int] = Counter()
    marked: list[tuple[float, Array]] = []
    found: list[tuple[list[Finding], str, Array]] = []
    for c in compared:
        name = c.link.name or "?"
        pose, body = poses[name], c.link.body or c.link.default
        findings = [*c.findings, *(all_findings(body) if body is not None else ())]
        worst = min((SEVERITIES.index(f.severity) for f in findings), default=2)
        verdict = 3 if body is None and worst == 2 else worst
        triangles = np.concatenate([np.empty((0, 3, 3)), *_triangles(c, wanted, finder)])
        if len(triangles):
            placed = (product(triangles.reshape(-1, 3), pose.rotation.T) + pose.translation).reshape(-1, 3, 3)
            solids.append(Solid([placed].copy, len(placed), theme.links[verdict]))
        if len(triangles) or body is not None:
            verdicts[verdict] += 1
        centre = pose.translation
        if body is not None and body.properties.mass > 0:
            centre = product(pose.rotation, body.properties.com) + pose.translation
            marked.append((body.properties.mass, centre))
        if worst < SEVERITIES.index("info"):
            found.append(([f for f in findings if f.severity != "info"], name, centre))
    if not solids:
        raise InvalidInput("no link has geometry that can be drawn", place=path, hint="give --package NAME=FOLDER")
    corners = np.array([(t.min(axis=(0, 1)), t.max(axis=(0, 1))) for s in solids for t in s.read_chunks()])
    bounds = np.array([corners[:, 0].min(axis=0), corners[:, 1].max(axis=0)])
    heaviest = max((mass for mass, _ in marked), default=1.0)
    low, high = _RADII
    markers = [Marker(at, theme.background, low + (high - low) * (mass / heaviest) ** (1 / 3)) for mass, at in marked]
    legend: list[tuple[str, Colour | None]] = []
    total = sum(mass for mass, _ in marked)
    chosen = OutputUnits.suited("m", total).chosen(units)
    legend.append(
        (
            f"mass {rounded(chosen.of(total, (1, 0)), digits=5)} {chosen.mass}, stated by {plural(len(marked), 'link')}",
            None,
        )
    )
    legend += [(f"{plural(verdicts[k], 'link')} {_WORDS[k]}", theme.links[k]) for k in range(4) if verdicts[k]]
    for i, (findings, name, at) in enumerate(found, 1):
        severity = min(SEVERITIES.index(f.severity) for f in findings)
        markers.append(Marker(at, theme.links[severity], 9.0, str(i), (0.0, -26.0)))
        codes = ", ".join(dict.fromkeys(plain(f.code) for f in findings))
        legend.append((f"{i} {plain(name)}: {codes}", theme.links[severity]))
    scene = Scene(plain(PurePath(path).name), bounds, solids, chosen, (), markers, legend)
    return scene, [f for findings, _, _ in found for f in findings]


def _triangles(compared: LinkFindings, wanted: str, finder: Finder) -> Iterator[Array]:
    """Those of a link, in its frame; what cannot be read is a finding already."""
    link, which = compared.link, compared.numbers.get("geometry") or wanted
    chosen: Which = "visual" if which == "visual" or (which != "collision" and link.visual) else "collision"
    for geometry in link.geometry(chosen):
        try:
            if isinstance(geometry.solid, Mesh):
                yield from _mesh(geometry.solid, geometry, finder)
            elif isinstance(geometry.solid, Primitive):
                yield _mapped(primitive(geometry.solid), geometry.pose.rotation, geometry.pose)
        except MasspropsError:
            continue


def _mesh(mesh: Mesh, geometry: Geometry, finder: Finder) -> Iterator[Array]:
    with open_mesh(finder.find(mesh.uri)) as source:
        linear = in_link_axes(geometry, mesh.scale, source.format) * length_unit(source.unit or "m")
        for chunk in source.chunks():
            yield _mapped(chunk if determinant(linear) > 0 else chunk[:, ::-1], linear, geometry.pose)


def _mapped(triangles: Floats, linear: Array, pose: Pose) -> Array:
    points = product(np.asarray(triangles, np.float64).reshape(-1, 3), linear.T) + pose.translation
    return np.asarray(points.reshape(-1, 3, 3))


def primitive(solid: Primitive) -> Array:
    """Triangles of a shape in its own frame, shape (n, 3, 3): its profile turned about z; a box is a cylinder of four sides."""
    half = half_edges(solid)
    polar = np.linspace(0.0, np.pi, _SEGMENTS // 2 + 1)
    radial = np.append(np.sin(polar[:-1]), 0.0)
    profile = np.array([[0.0, 1.0], [1.0, 1.0], [1.0, -1.0], [0.0, -1.0]])
    if solid.shape in ("sphere", "ellipsoid"):
        profile = np.stack([radial, np.cos(polar)], axis=1)
    elif solid.shape == "capsule":
        top = np.stack([radial, half[0] * np.cos(polar) + half[2] - half[0]], axis=1)[: len(polar) // 2 + 1] / [
            1.0,
            half[2],
        ]
        profile = np.concatenate([top, top[::-1] * [1.0, -1.0]])
    sides, wide, first = (4, 2**0.5, np.pi / 4) if solid.shape == "box" else (_SEGMENTS, 1.0, 0.0)
    angle = first + np.arange(sides) * (2 * np.pi / sides)
    ring = wide * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    points = np.empty((len(profile), sides, 3))
    points[..., :2], points[..., 2] = profile[:, None, :1] * ring, profile[:, None, 1]
    a, b = points, np.roll(points, -1, axis=1)
    quads = [(a[:-1], a[1:], b[1:]), (a[:-1], b[1:], b[:-1])]
    return np.concatenate([np.stack(corners, axis=2).reshape(-1, 3, 3) for corners in quads]) * half
