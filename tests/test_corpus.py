"""Real meshes and real robots, where they are at hand: measured, and compared with what others measured or stated.

An extra: nothing is tested here alone. The folder is named by the environment variable MASSPROPS_CORPUS, else it is looked for
beside the checkout, as ``../shared/corpus``.
"""

from __future__ import annotations

import importlib.util
import json
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import each, raised
from places import CORPUS

import massprops
from massprops.errors import MasspropsError
from massprops.formats.bodies import NamedBody, write
from massprops.formats.bodies.json_results import body_dict
from massprops.formats.bodies.opening import open_bodies
from massprops.frames import Pose

pytestmark = pytest.mark.skipif(
    not (CORPUS / "meshes").is_dir(), reason=f"no corpus of real meshes at {CORPUS}; MASSPROPS_CORPUS names its folder"
)

#: trimesh integrates about the origin of the file, we about a vertex; bodies here are at most some sizes away from theirs, and
#: the sums have up to 1e5 terms: 5e-15 was the largest difference, in moments of 83,750 facets. Twenty times that.
TOLERANCE = 1e-13
#: Half a unit in the last place of the coordinates of a binary STL file, relative to the size of the body.
FLOAT32 = 2.0**-24


@dataclass(frozen=True)
class Expected:
    """What should become of a mesh: `measured`, or the code of the refusal; the unit it is in; and why."""

    outcome: str
    unit: str = "m"
    why: str = ""
    grade: str = "certified"


def measured(unit: str = "m", why: str = "closed") -> Expected:
    return Expected("measured", unit, why)


def marked(unit: str) -> Expected:
    return Expected("measured", unit, "less than a thousandth of the volume is there twice", grade="closed")


def refused(code: str, why: str, unit: str = "m") -> Expected:
    return Expected(code, unit, why)


_PLANES = "trimesh merges vertices that differ in the last bits (wt); as written, the edges do not meet"
_WINDING = "trimesh: wt but not wc; faces of one piece have opposite orientation"
_FOUR = "edges of four faces (not wt), each run through as often there as back"
_ABB = "robots/ros-industrial__abb__abb_irb6600_support__meshes__irb6640__"

EXPECTED = {
    "drake/bad_geometry_volume_zero.obj": refused("inconsistent-winding", _WINDING),
    "drake/convex.obj": refused("inconsistent-winding", _WINDING),
    "drake/cube_corners.obj": measured(),
    "drake/cube_with_hole.obj": measured(),
    "drake/cuboctahedron_with_hole.obj": measured(why=_FOUR),
    "drake/two_cube_objects.obj": measured(why="two objects in one file"),
    "drake/two_inverted_faces.obj": refused("open-edges", "four triangles that do not close"),
    f"{_ABB}collision__piston.stl": refused("inverted-surface", "closed, and all of it inside out"),
    f"{_ABB}visual__link_6.stl": refused("inconsistent-winding", _WINDING),
    "robots/ros-industrial__robotiq__robotiq_3f_gripper_visualization__meshes__robotiq-3f-articulated__visual__link_3.dae": (
        refused("open-edges", "drawn for the eye: three holes, the largest 31 mm wide")
    ),
    "robots/upkie__knee_stator.stl": refused("inconsistent-winding", _WINDING),
    "robots_mm/turtlebot3__lds.stl": refused(
        "overlapping-bodies", "closed, but its parts reach into each other: 0.9 % of the volume is there twice", "mm"
    ),
    "trimesh/20mm-xyz-cube.stl": measured("mm"),
    "trimesh/7_8ths_cube.stl": measured("mm"),
    "trimesh/angle_block.STL": refused("open-edges", _PLANES, "in"),
    "trimesh/ballA.off": measured("mm"),
    "trimesh/box.STL": marked("in"),
    "trimesh/busted.STL": measured("mm"),
    "trimesh/comments.off": measured("mm"),
    "trimesh/counter.unitsmm.STL": marked("mm"),
    "trimesh/cube_blender_uv.ply": measured(
        why="vertices are split along texture seams (not wt); equal positions meet"
    ),
    "trimesh/cylinder.stl": measured("mm"),
    "trimesh/empty.obj": refused("no-facets", "nothing in it"),
    "trimesh/empty.ply": refused("no-facets", "nothing in it"),
    "trimesh/empty.stl": refused("no-facets", "nothing in it"),
    "trimesh/featuretype.STL": refused("open-edges", _PLANES, "in"),
    "trimesh/fixed_top.ply": measured("mm"),
    "trimesh/idler_riser.STL": refused("open-edges", _PLANES, "in"),
    "trimesh/joined_tetrahedra.obj": measured(why="an edge of four faces (not wt), traversed twice each way"),
    "trimesh/large_block.STL": measured("mm"),
    "trimesh/mirror.ply": measured(),
    "trimesh/multibody.stl": refused("inconsistent-winding", _WINDING),
    "trimesh/negative_indices.obj": measured(),
    "trimesh/not_convex.obj": measured(why="an edge of four faces (not wt), traversed twice each way"),
    "trimesh/notenoughindices.obj": refused(
        "open-edges", "a face of two vertices is left out with a finding; one triangle is left"
    ),
    "trimesh/octagonal_pocket.stl": refused("open-edges", _PLANES),
    "trimesh/origin_inside.STL": measured("in"),
    "trimesh/plate_holes.STL": measured("mm"),
    "trimesh/points_ascii.ply": refused("no-facets", "a point cloud"),
    "trimesh/points_emptyface.ply": refused("no-facets", "a point cloud that says that it has faces"),
    "trimesh/polygonfaces.obj": refused("open-edges", "one polygon", "mm"),
    "trimesh/quadknot.obj": measured("mm", why="closed; its quads are twisted, see below"),
    "trimesh/round.stl": measured("mm"),
    "trimesh/singlevn.obj": refused("open-edges", "one rectangle", "mm"),
    "trimesh/soup.stl": refused("open-edges", "random triangles"),
    "trimesh/tet.ply": measured(),
    "trimesh/torus.STL": measured("in"),
    "trimesh/two_objects_mixed_case_names.stl": measured(why="two solids in one file"),
    "trimesh/unit_cube.STL": measured("in"),
    "trimesh/unit_sphere.STL": measured("in"),
    "trimesh/wallhole.obj": measured(why=_FOUR),
}
#: Twisted quads have no one surface: trimesh splits all of them along the first diagonal, we along the shorter one.
TWISTED = "trimesh/quadknot.obj"
#: Two bodies with a wall between them, which is no part of their surface.
JOINED = "trimesh/joined_tetrahedra.obj"
#: Concave polygons: see below.
CONCAVE = "trimesh/wallhole.obj"


def facts() -> dict[str, dict[str, Any]]:
    """What trimesh measured, by file, in units of the file."""
    path = CORPUS / "meshes" / "mesh_facts_trimesh.json"
    return {f["file"]: f for f in json.loads(path.read_text(encoding="utf-8"))} if path.is_file() else {}


FACTS = facts()
#: Closed and consistently wound in trimesh's judgement, and nothing remarked.
CLEAN = [
    name
    for name, fact in FACTS.items()
    if fact.get("flags") == []
    and fact["wc"]
    and EXPECTED.get(name, refused("", "")).outcome == "measured"
    and name != TWISTED
]


def test_every_mesh_has_an_expectation() -> None:
    suffixes = {".stl", ".obj", ".ply", ".off", ".dae", ".glb"}
    folder = CORPUS / "meshes"
    there = {str(p.relative_to(folder)) for p in folder.rglob("*") if p.suffix.lower() in suffixes}
    assert there == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_every_mesh_is_measured_or_refused_for_its_reason(name: str) -> None:
    expected = EXPECTED[name]
    mesh = CORPUS / "meshes" / name
    if expected.outcome != "measured":
        error = raised(MasspropsError, massprops.measure, mesh, units=expected.unit, repair="none")
        assert error.code == expected.outcome, expected.why
        return
    result = massprops.measure(mesh, units=expected.unit, repair="none")
    assert result.grade == expected.grade or (result.grade, expected.grade) == ("proved", "certified")
    assert (result.grade == "closed") == ("overlapping-bodies" in {f.code for f in result.findings}), expected.why
    assert result.volume > 0
    assert (np.linalg.eigvalsh(result.unit_density_properties.pseudo_inertia()) > 0).all()


@each("name", [name for name, expected in EXPECTED.items() if expected.outcome != "measured"])
def test_a_refused_mesh_is_never_certified_by_a_repair(name: str) -> None:
    try:
        result = massprops.measure(CORPUS / "meshes" / name, units=EXPECTED[name].unit)
    except MasspropsError:
        return
    assert result.grade in ("repaired", "estimated")
    assert result.repairs
    assert {f.severity for f in result.findings} & {"warning"}


@pytest.mark.parametrize("name", CLEAN)
def test_clean_meshes_agree_with_what_trimesh_measured(name: str) -> None:
    fact = FACTS[name]
    m = massprops.measure(CORPUS / "meshes" / name, units="m")
    size = float(np.linalg.norm(np.subtract(fact["bmax"], fact["bmin"])))
    distance = 1 + float(np.linalg.norm(fact["com"])) / size  # what integrating about the origin costs, in sizes
    assert m.input.facets == fact["nf"]
    assert m.volume == pytest.approx(fact["vol"], rel=TOLERANCE * distance)
    np.testing.assert_allclose(m.center_of_mass, fact["com"], rtol=0, atol=TOLERANCE * distance * size)
    tensor = np.array(fact["I"])
    np.testing.assert_allclose(
        m.unit_density_properties.inertia, tensor, rtol=0, atol=TOLERANCE * distance**2 * np.abs(tensor).max()
    )
    if name == JOINED:
        assert m.area == pytest.approx(fact["area"] - shared_by_both(CORPUS / "meshes" / name), rel=TOLERANCE)
    elif name != CONCAVE:
        assert m.area == pytest.approx(fact["area"], rel=TOLERANCE)
    np.testing.assert_array_equal(m.bounds, [fact["bmin"], fact["bmax"]])


def shared_by_both(path: Path) -> float:
    """The area of triangles of an OBJ file that are there in both directions: walls inside the body, no part of its surface."""
    rows = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    points = np.array([[float(x) for x in row[1:4]] for row in rows if row[:1] == ["v"]])
    corners = [points[[int(word.split("/")[0]) - 1 for word in row[1:]]] for row in rows if row[:1] == ["f"]]
    sets = [frozenset(map(tuple, c.tolist())) for c in corners]
    areas = [np.linalg.norm(np.cross(c[1] - c[0], c[2] - c[0])) / 2 for c in corners]
    return float(sum(a for a, s in zip(areas, sets, strict=True) if sets.count(s) == 2))


def test_concave_polygons_have_the_area_inside_their_outline() -> None:
    # trimesh splits them into fans, which fold over: the volume stays right, 40 of 721 are too much area
    text = (CORPUS / "meshes" / CONCAVE).read_text(encoding="utf-8").replace("\\\n", " ")  # long faces run over lines
    rows = [line.split() for line in text.splitlines()]
    points = np.array([[float(x) for x in row[1:4]] for row in rows if row[:1] == ["v"]])
    outlines = [points[[int(word.split("/")[0]) - 1 for word in row[1:]]] for row in rows if row[:1] == ["f"]]
    area = sum(
        np.linalg.norm(np.cross(p, np.roll(p, -1, axis=0)).sum(axis=0)) / 2 for p in outlines
    )  # faces are planar
    assert massprops.measure(CORPUS / "meshes" / CONCAVE, units="m").area == pytest.approx(area, rel=TOLERANCE)
    assert area < 0.95 * FACTS[CONCAVE]["area"]


def test_enough_meshes_are_compared() -> None:
    assert len(CLEAN) > 25


def test_an_inverted_mesh_is_the_negative_of_what_trimesh_measured() -> None:
    inverted = [name for name, fact in FACTS.items() if "closed_but_inverted" in fact.get("flags", [])]
    assert [EXPECTED[name].outcome for name in inverted] == ["inverted-surface"] * len(inverted) != []
    for name in inverted:
        m = massprops.measure(CORPUS / "meshes" / name, units="m", on_inverted="flip")
        assert m.volume == pytest.approx(-FACTS[name]["vol"], rel=TOLERANCE)
        np.testing.assert_allclose(
            m.unit_density_properties.inertia, -np.array(FACTS[name]["I"]), rtol=TOLERANCE, atol=1e-20
        )


def test_twisted_quads_are_measured_within_what_their_two_diagonals_allow() -> None:
    # between the two splittings of a quad lies a tetrahedron: each quad adds its signed volume, or does not
    rows = [line.split() for line in (CORPUS / "meshes" / TWISTED).read_text(encoding="utf-8").splitlines()]
    points = np.array([[float(x) for x in row[1:4]] for row in rows if row[:1] == ["v"]])
    quads = np.array([[int(word.split("/")[0]) - 1 for word in row[1:]] for row in rows if row[:1] == ["f"]])
    a, b, c, d = (points[quads[:, i]] for i in range(4))
    along_ac = (np.linalg.det(np.stack([a, b, c], 1)) + np.linalg.det(np.stack([a, c, d], 1))) / 6
    along_bd = (np.linalg.det(np.stack([a, b, d], 1)) + np.linalg.det(np.stack([b, c, d], 1))) / 6
    volume = massprops.measure(CORPUS / "meshes" / TWISTED, units="m").volume
    lowest, highest = np.minimum(along_ac, along_bd).sum(), np.maximum(along_ac, along_bd).sum()
    assert lowest < volume < highest
    assert highest / lowest - 1 < 0.1  # else this would say nothing
    assert along_ac.sum() == pytest.approx(FACTS[TWISTED]["vol"], rel=1e-12)  # and the reading above is right


# --- robots: what their makers state -----------------------------------------------------------------------------------


def links() -> list[dict[str, Any]]:
    path = CORPUS / "robots" / "links_measured.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []


GOLD = [link for link in links() if "GOLD_T" in link["flags"]]


def stated(link: dict[str, Any]) -> tuple[ET.Element, np.ndarray]:
    """The link's element, and its tensor about the centre of mass along the axes of the link."""
    robot = ET.parse(CORPUS / "robots" / link["file"]).getroot()  # noqa: S314  # files that we chose
    element = next(e for e in robot.iter("link") if e.get("name") == link["link"])
    numbers = element.find("inertial/inertia").attrib
    ixx, ixy, ixz, iyy, iyz, izz = (float(numbers[k]) for k in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
    rotation = Pose.parse("0 0 0 " + element.find("inertial/origin").get("rpy", "0 0 0")).rotation
    return element, rotation @ [[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]] @ rotation.T


def measured_link(link: dict[str, Any], element: ET.Element) -> massprops.Measurement:
    """The mesh of the link, scaled and placed as the link says, with its mass."""
    (shown,) = element.findall(link["which"])
    origin = shown.find("origin")
    place = {} if origin is None else origin.attrib
    scales = {float(x) for x in shown.find("geometry/mesh").get("scale", "1 1 1").split()}
    (mesh,) = link["geometry"]
    return massprops.measure(
        CORPUS / "robots" / mesh,
        mass=link["mass"],
        units={1.0: "m", 0.001: "mm"}[scales.pop()] if len(scales) == 1 else pytest.fail(f"uneven scale {scales}"),
        pose=Pose.parse(f"{place.get('xyz', '0 0 0')} {place.get('rpy', '0 0 0')}"),
        on_open="integrate",  # closed but for the last bits of some vertices
    )


@each("link", GOLD)
def test_stated_inertials_are_reproduced(link: dict[str, Any]) -> None:
    # a density off by a thousand, a swapped product, a wrong pose: each would show as tens of per cent
    element, tensor = stated(link)
    m = measured_link(link, element)
    com = [float(x) for x in element.find("inertial/origin").get("xyz").split()]
    size = float(np.linalg.norm(np.ptp(m.bounds, axis=0)))
    assert m.density == pytest.approx(link["implied_density"], rel=FLOAT32)
    assert np.linalg.norm(m.center_of_mass - com) / size <= link["com_error_over_diag"] + FLOAT32
    ratio = np.linalg.eigvalsh(tensor) / np.linalg.eigvalsh(m.inertia)
    np.testing.assert_array_less(np.abs(ratio - 1), np.abs(np.subtract(link["principal_ratio"], 1)) + FLOAT32)
    error = np.linalg.norm(tensor - m.inertia) / np.linalg.norm(m.inertia)
    assert error <= link["tensor_rel_error"] + FLOAT32
    # and whatever was noted: gold is what is right to about a per cent
    assert error < 0.011


def test_there_is_gold() -> None:
    assert len(GOLD) >= 10


# --- robots: every inertial through every dialect ----------------------------------------------------------------------

ROBOTS = sorted(str(p.relative_to(CORPUS)) for p in (CORPUS / "robots").rglob("*.urdf")) if CORPUS.is_dir() else []


def ten(properties: massprops.MassProperties) -> list[float]:
    return [properties.mass, *properties.com.tolist(), *properties.inertia[np.triu_indices(3)].tolist()]


@pytest.mark.parametrize("robot", ROBOTS)
def test_every_inertial_survives_every_dialect(robot: str, tmp_path: Path) -> None:
    # URDF → SDF → MJCF → USD → JSON → URDF: all bits through the double-precision dialects, and through USD those of
    # single precision, of the moments and of the quaternion that turns them (20 roundings of the largest moment)
    bodies = list(open_bodies(str(CORPUS / robot)).bodies)
    assert bodies
    for dialect, suffix in (("sdf", "sdf"), ("mjcf", "xml"), ("csv", "csv"), ("urdf", "urdf")):
        file = tmp_path / f"robot.{suffix}"
        file.write_text(write(bodies, dialect)[0], encoding="utf-8")
        again = open_bodies(str(file)).bodies
        assert [(b.name, ten(b.properties)) for b in again] == [(b.name, ten(b.properties)) for b in bodies]
    for body in (b for b in bodies if b.properties.mass > 0 and np.any(b.properties.inertia)):
        single = _through_usd(body, tmp_path)
        file = tmp_path / "result.json"
        file.write_text(json.dumps(body_dict(single)), encoding="utf-8")
        (result,) = open_bodies(str(file)).bodies
        (last,) = write([result], "urdf")[1]
        assert ten(last.properties) == ten(single.properties)
        assert ten(last.properties)[:4] == [float(np.float32(x)) for x in ten(body.properties)[:4]]
        largest = np.abs(np.linalg.eigvalsh(body.properties.inertia)).max()
        np.testing.assert_allclose(
            last.properties.inertia, body.properties.inertia, rtol=0, atol=20 * FLOAT32 * largest
        )


def _through_usd(body: NamedBody, tmp_path: Path) -> NamedBody:
    """As OpenUSD reads it where that is installed, else as the text says."""
    text, (proven,) = write([body], "usd")
    if importlib.util.find_spec("pxr") is None:
        return proven
    file = tmp_path / f"{body.name}.usda"  # OpenUSD keeps what it has read of a path
    file.write_text(text, encoding="utf-8")
    (found,) = open_bodies(str(file)).bodies
    assert ten(found.properties)[:4] == ten(proven.properties)[:4]
    largest = np.abs(np.linalg.eigvalsh(body.properties.inertia)).max()
    # beside the moments in single precision stands the tensor in double precision, which a stage is read with
    np.testing.assert_allclose(found.properties.inertia, proven.properties.inertia, rtol=0, atol=20 * FLOAT32 * largest)
    np.testing.assert_allclose(found.properties.inertia, body.properties.inertia, rtol=0, atol=1e-15 * largest)
    return found


def test_there_are_robots() -> None:
    assert sum(len(open_bodies(str(CORPUS / robot)).bodies) for robot in ROBOTS) >= 30
