"""Assemblies: sums that can be checked by hand, pieces that make the whole, and every mistake with its file and line."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import oracles
import pytest
from cases import each, raised, refused
from console import run
from places import ROOT

import massprops
from massprops.errors import InvalidGeometry, InvalidInput, MasspropsError
from massprops.findings import Finding
from massprops.formats.bodies import NamedBody, write
from massprops.frames import Pose
from massprops.measurement import assembly
from massprops.measurement.assembly import MOST_FINDINGS, Assembly, AssemblyPart, place_body, read_assembly
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.mass_specification import MassSpecification
from massprops.rigid_body.shapes import SHAPES, box
from massprops.rigid_body.shapes_by_name import shape_from_lengths

u = 2.0**-52


def file(tmp_path: Path, text: str, name: str = "assembly.toml") -> str:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return str(path)


# --- sums ------------------------------------------------------------------------------------------------------------

DUMBBELL = """
name = "dumbbell"
part = [{name = "left", shape = "point", mass = "2kg", pose = "-1 0 0"}, {name = "right", shape = "point", mass = 2, pose = [1000, 0, 0]}]
"""


def test_two_points_are_a_rod(tmp_path: Path) -> None:
    # 2 kg at −1 m and 2 kg at +1 m: 4 kg about the middle, Iyy = Izz = 2 · 2 · 1² = 4 kg m²
    assembly = read_assembly(file(tmp_path, DUMBBELL.replace("1000, 0, 0", '"1000mm", 0, 0.0')))
    assert (assembly.name, assembly.body.name) == ("dumbbell", "dumbbell")
    total = assembly.body.properties
    assert (total.mass, total.com.tolist(), total.inertia.tolist()) == (4, [0, 0, 0], np.diag([0, 4, 4]).tolist())
    assert [(p.body.name, p.count, p.body.properties.com.tolist()) for p in assembly.parts] == [
        ("left", 1, [-1, 0, 0]),
        ("right", 1, [1, 0, 0]),
    ]


@each("extent", [0.0, 1e-4])
def test_point_masses_near_each_other_are_not_too_dense_and_small_bodies_are(extent: float) -> None:
    tensor = 2e3 * extent**2 / 6 * np.eye(3)
    part = NamedBody("p", MassProperties(2e3, [0.01, 0, 0], tensor))
    poses = [Pose.from_xyz_rpy([x, 0, 0], [0, 0, 0]) for x in (0.0, 0.02)]
    inner = Assembly("inner", (place_body(part, poses),))
    of_copies = Assembly("outer", (place_body(inner.body, poses[:1]),)).body
    of_rows = Assembly("rows", tuple(place_body(part, [pose]) for pose in poses)).body
    for body in (inner.body, of_copies, of_rows):
        codes = {f.code for f in body.all_findings}
        assert ("impossible-density" in codes, "implausible-density" in codes) == (extent > 0, extent == 0)


def test_counts_poses_and_holes(tmp_path: Path) -> None:
    # a 3 × 1 × 1 m bar of 1 kg/m³ with the middle cube cut out: two cubes of 1 kg a metre from the centre; and 2 · 3 points on top
    text = """
part = [
  {shape = "box", x = 3, y = "1 m", z = "100cm", density = 1},
  {shape = "box", x = 1, y = 1, z = 1, density = "1 kg/m3", hole = true},
  {shape = "point", mass = "500g", count = 2, poses = ["0 0 1", "0 0 2", [0, 0, 3]]},
]
"""
    assembly = read_assembly(file(tmp_path, text))
    assert [(p.body.name, p.count) for p in assembly.parts] == [("box", 1), ("box", 1), ("point", 6)]
    bar, hole, points = (p.body.properties for p in assembly.parts)
    assert (bar.mass, hole.mass, points.mass) == (3, -1, 3)
    cubes = bar + hole
    np.testing.assert_allclose(cubes.inertia, np.diag([1 / 3, 1 / 3 + 2, 1 / 3 + 2]), rtol=8 * u)
    np.testing.assert_allclose(points.inertia, np.diag([2, 2, 0]), rtol=8 * u)  # 1 kg at ∓1 m from the middle one
    assert points.com.tolist() == pytest.approx([0, 0, 2], rel=4 * u)
    assert assembly.body.properties.mass == 5


def test_every_source_can_be_a_part(tmp_path: Path) -> None:
    oracles.write_ascii_stl(tmp_path / "box.stl", oracles.box((0, 0, 0), (1000, 2000, 3000)))
    arm = MassProperties(2.0, [1, 0, 0], np.diag([1.0, 1, 1]))
    robot = write([NamedBody("arm", arm), NamedBody("leg", arm)], "urdf")[0]
    file(tmp_path, robot, "robot.urdf")
    file(tmp_path, json.dumps(massprops.measure(oracles.box(), mass=3).to_dict()), "result.json")
    (tmp_path / "sub").mkdir()
    file(tmp_path / "sub", '[[part]]\nbody = "../robot.urdf#leg"\n', "sub.toml")
    text = """
part = [
  {mesh = "box.stl", units = "mm", material = "steel"},
  {body = "robot.urdf#arm"},
  {body = "result.json", pose = "0 0 0  0 0 90deg"},
  {assembly = "sub/sub.toml"},
]
"""
    parts = read_assembly(file(tmp_path, text)).parts
    assert [p.body.name for p in parts[:2]] + [parts[3].body.name] == ["box", "arm", "sub"]
    assert parts[0].body.properties.mass == pytest.approx(6 * 7850, rel=1e-12)
    assert parts[1].body.properties.mass == parts[3].body.properties.mass == 2
    np.testing.assert_allclose(parts[2].body.properties.com, [-0.5, 0.5, 0.5], rtol=4 * u)


def test_a_section_is_a_part_by_its_thickness_in_the_unit_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("0,0\n40,0\n40,60\n0,60\n")
    part = '[[part]]\nmesh = "r.csv"\nunits = "mm"\n'
    for size, mass in (
        ("density = 7850\nthickness = 2", 7850 * 0.04 * 0.06 * 0.002),
        ("density = 7850\nthickness = '1 cm'", 7850 * 0.04 * 0.06 * 0.01),
        ("area_density = 5", 5 * 0.04 * 0.06),
    ):
        body = read_assembly(file(tmp_path, part + size)).body.properties
        assert body.mass == pytest.approx(mass, rel=16 * u)
        np.testing.assert_allclose(body.com[:2], [0.02, 0.03], rtol=1e-12)


def test_findings_of_a_part_are_those_of_the_whole(tmp_path: Path) -> None:
    oracles.write_ascii_stl(tmp_path / "box.stl", oracles.box((0, 0, 0), (100, 100, 100)))
    body = read_assembly(file(tmp_path, '[[part]]\nname = "crate"\nmesh = "box.stl"\nmass = 1\n')).body
    # a million cubic metres
    assert [(f.code, f.message) for f in body.findings] == [
        ("implausible-size", "crate: the body is 100 m across of 1 kg: is the file in mm? then say units='mm'"),
        (
            "implausible-density",
            "crate: 1e-06 kg/m³ matches no common material: is the mass in another unit, or the length?",
        ),
    ]


# --- mistakes --------------------------------------------------------------------------------------------------------

POINT = '[[part]]\nshape = "point"\nmass = 1\n'
MISTAKES = [
    ('name = "x"\nx y\n', "a.toml:2: is not TOML: Expected '=' after a key in a key/value pair (at line 2, column 3)"),
    ('name = "x"\n', "a.toml: an assembly has parts; begin each with [[part]]"),
    ('parts = 1\n' + POINT, "a.toml:1: an assembly has no key 'parts'; did you mean part?"),
    ("name = 3\n" + POINT, "a.toml:1: name must be a text, got 3"),
    ("part = [1]\n", "a.toml: a part is a table; write [[part]] on a line of its own"),
    (POINT + '[[part]]\nname = "x"\n', "a.toml:4: a part has one of mesh, shape, body, assembly; this one has none"),
    (
        '[[part]]\nmesh = "a.stl"\nbody = "b.json"\n',
        "a.toml:1: a part has one of mesh, shape, body, assembly; this one has mesh and body",
    ),
    (POINT + POINT + "  poze = 1\n", "a.toml:7: a part with a shape has no key 'poze'; did you mean pose?"),
    ('[[part]]\nbody = "b.json"\nmass = 1\n', "a.toml:3: a part with a body has no key 'mass'; known: body, name, pose, poses, count, hole, growth, maturity, group, limit, displaces, priority"),  # noqa: E501
    ('[[part]]\nshape = "sphere"\nlength = 1\nmass = 1\n', "a.toml:3: a part with a shape has no key 'length'; known: shape, name, pose, poses, count, hole, growth, maturity, group, limit, displaces, priority, density, material, mass, area_density, thickness, radius"),  # noqa: E501
    ('[[part]]\nshape = "shpere"\nmass = 1\n', "a.toml:2: unknown shape 'shpere'; did you mean sphere?"),
    ('[[part]]\nshape = "sphere"\nmass = 1\n', "a.toml:2: sphere needs radius"),
    ('[[part]]\nshape = "sphere"\nradius = 1\n', "a.toml:2: no density, material or mass given for the sphere; give one of them"),
    ('[[part]]\nshape = "sphere"\nmass = 1\nradius = "1 kg"\n', "a.toml:4: expected a length, got a mass: '1 kg'; for example 12 mm"),
    ('[[part]]\nshape = "sphere"\nmass = 1\nradius = -1\n', "a.toml:4: radius must be positive, got -1.0 m"),
    ('[[part]]\nshape = "sphere"\nradius = 1\ndensity = "7.8 g/cm2"\n', "a.toml:4: expected a density, got an area density: '7.8 g/cm2'; for example 7.8 g/cm3"),  # noqa: E501
    ('[[part]]\nshape = "sphere"\nradius = 1\ndensity = 1\nmass = 1\n', "a.toml:4: density and mass are mutually exclusive; give one of them"),  # noqa: E501
    ('[[part]]\nshape = "disc"\nradius = 1\ndensity = 1\n', "a.toml:2: disc is a thin sheet, and its mass per area is not known; give area density, a thickness with a density or material, or a mass"),  # noqa: E501
    ('[[part]]\nshape = "rod"\nlength = 1\ndensity = 1\n', "a.toml:2: rod has no volume, so it needs a mass; give its mass"),
    ('[[part]]\nshape = "point"\nmass = 0\n', "a.toml:3: mass must be positive, got 0.0 kg"),
    ('[[part]]\nshape = 1\n', "a.toml:2: shape must be a text, got 1"),
    ('[[part]]\nmesh = "none.stl"\nmass = 1\n', "a.toml:2: none.stl: no such file"),
    ('[[part]]\nmesh = "none.stl"\nunits = 3\nmass = 1\n', "a.toml:3: units must be a text, got 3"),
    ('[[part]]\nbody = "none.urdf"\n', "a.toml:2: none.urdf: no such file"),
    ('[[part]]\nassembly = "none.toml"\n', "a.toml:2: none.toml: no such file"),
    ('[[part]]\nassembly = "a.toml"\n', "a.toml:2: assemblies lead back to themselves: a.toml → a.toml; break the circle"),
    (POINT + 'pose = "1 2"\n', "a.toml:4: pose '1 2' has 2 numbers, expected 3 or 6; write \"x y z\" or \"x y z roll pitch yaw\""),
    (POINT + 'pose = "1kg 0 0"\n', "a.toml:4: expected a length, got a mass: '1kg'; for example 12 mm"),
    (POINT + "pose = 3\n", "a.toml:4: a pose is a text or a list of numbers, got 3; write \"x y z\" or \"x y z roll pitch yaw\""),
    (POINT + "pose = [1, 2, nan]\n", "a.toml:4: pose length 'nan' does not begin with a finite number; for example 12 mm"),
    (POINT + 'pose = "0 0 0"\nposes = ["0 0 0"]\n', "a.toml:5: pose and poses are given together"),
    (POINT + "poses = []\n", "a.toml:4: poses must be a list of poses"),
    (POINT + "count = 0\n", "a.toml:4: count must be a whole number from 1, got 0"),
    (POINT + "count = 1.5\n", "a.toml:4: count must be a whole number from 1, got 1.5"),
    (POINT + "count = true\n", "a.toml:4: count must be a whole number from 1, got True"),
    (POINT + "hole = 1\n", "a.toml:4: hole must be true or false, got 1"),
]  # fmt: skip  # a line each, to be read as a table


@pytest.mark.parametrize(("text", "message"), MISTAKES, ids=range(len(MISTAKES)))
def test_mistakes_are_refused_with_file_and_line(text: str, message: str, tmp_path: Path) -> None:
    caught = raised(MasspropsError, read_assembly, file(tmp_path, text, "a.toml"))
    assert (str(caught).replace(f"{tmp_path}/", ""), caught.exit_code) == (message, 3)


def test_a_circle_through_another_file_is_refused(tmp_path: Path) -> None:
    one = file(tmp_path, '[[part]]\nassembly = "two.toml"\n', "one.toml")
    file(tmp_path, f'{POINT}[[part]]\nassembly = "one.toml"\n', "two.toml")
    assert refused(MasspropsError, read_assembly, one).replace(f"{tmp_path}/", "") == (
        "one.toml:2: two.toml:5: assemblies lead back to themselves: one.toml → two.toml → one.toml; break the circle"
    )


def test_an_assembly_is_read_once_however_often_it_is_a_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # each of 24 names the next one twice, side by side: 2²⁴ copies of the last, in which two plates share space; as many findings
    deep = 24
    twice = 'overlap = "count"\n' + "".join(
        f'[[part]]\nname = "{name}"\nassembly = "{{next}}.toml"\npose = [{{{name}}}, 0, 0]\n' for name in "ab"
    )
    for i, apart in enumerate([*(2**k for k in range(deep, 1, -1)), 0]):
        (tmp_path / f"{i}.toml").write_text(twice.format(next=i + 1, a=0, b=apart), encoding="ascii")
    plate = '[[part]]\nname = "p"\nshape = "box"\nx = 1\ny = 1\nz = 1\nmass = 1\n'
    (tmp_path / f"{deep}.toml").write_text(plate, encoding="ascii")
    read: list[str] = []
    original = assembly.read_text
    monkeypatch.setattr(assembly, "read_text", lambda path, **options: read.append(path) or original(path, **options))
    body = read_assembly(str(tmp_path / "0.toml")).body
    assert body.properties.mass == 2.0**deep
    assert len(read) == deep + 1


def test_the_findings_of_many_parts_are_listed_up_to_a_limit() -> None:
    noticed = tuple(Finding("degenerate-facets", "info", str(i)) for i in range(MOST_FINDINGS))
    part = AssemblyPart(NamedBody("p", box(1, 2, 3, mass=1), "", "mesh", noticed))
    assert Assembly("one", (part,)).body.findings == tuple(replace(f, message=f"p: {f.message}") for f in noticed)
    two = Assembly("two", (part, part)).body
    assert [f.code for f in two.findings[-2:]] == ["degenerate-facets", "more-findings"]
    assert len(two.findings) == MOST_FINDINGS + 1
    three = Assembly("three", (AssemblyPart(two), part)).body
    assert [f.code for f in three.findings].count("more-findings") == 1


def test_a_mesh_without_an_integral_is_refused_as_such(tmp_path: Path) -> None:
    oracles.write_ascii_stl(tmp_path / "open.stl", oracles.box()[2:])
    with pytest.raises(InvalidGeometry, match=r"assembly\.toml:2: .*open\.stl: open-edges: 4 of 17 edges"):
        read_assembly(file(tmp_path, '[[part]]\nmesh = "open.stl"\nmass = 1\n'))


@pytest.mark.parametrize(("mass", "hint"), [(0.0, "leave it out"), (-1.0, "cut holes with hole = true")])
def test_a_part_has_a_positive_mass(mass: float, hint: str, tmp_path: Path) -> None:
    message = f"a has a mass of {mass!r} kg; a part has a positive mass; {hint}"
    body = NamedBody("a", MassProperties(mass, [0, 0, 0], np.eye(3)))
    assert refused(InvalidInput, place_body, body, [Pose.identity()]) == message
    file(tmp_path, write([body], "urdf")[0], "a.urdf")
    assert refused(MasspropsError, read_assembly, file(tmp_path, '\n[[part]]\nbody = "a.urdf"\n')) == (
        f"{tmp_path}/assembly.toml:2: {message}"
    )


def test_a_robot_is_several_bodies(tmp_path: Path) -> None:
    one = MassProperties(1.0, [0, 0, 0], np.eye(3))
    file(tmp_path, write([NamedBody("a", one), NamedBody("b", one)], "sdf")[0], "r.sdf")
    assert refused(MasspropsError, read_assembly, file(tmp_path, '[[part]]\nbody = "r.sdf"\n')).replace(
        f"{tmp_path}/", ""
    ) == ("assembly.toml:2: r.sdf: holds 2 bodies; a part is one body; choose one of a, b with #")


# --- shapes by name --------------------------------------------------------------------------------------------------


def mass_specification(**given: str) -> MassSpecification:
    known = ("density", "mass", "material", "area_density", "thickness")
    return MassSpecification.parse(**{key: given.get(key) for key in known})


def test_sheets_have_a_mass_per_area() -> None:
    # 2 m² of 3 mm at 1,000 kg/m³ are 6 kg, and so are 2 m² at 3 kg/m²
    sides = {"x": "2m", "y": 1.0}
    by_thickness = shape_from_lengths("plate", sides, mass_specification(thickness="3mm", density="1000"))
    by_area = shape_from_lengths("plate", sides, mass_specification(area_density="3 kg/m2"))
    by_mass = shape_from_lengths("plate", sides, mass_specification(mass="6kg"))
    for plate in (by_thickness, by_area, by_mass):
        assert plate.mass == pytest.approx(6, rel=2 * u)
        np.testing.assert_allclose(plate.inertia, np.diag([0.5, 2, 2.5]), rtol=4 * u)


def test_a_solid_is_no_sheet() -> None:
    message = (
        r"^an area density or a thickness describes a sheet, and box is none; give a density, a material or a mass$"
    )
    with pytest.raises(InvalidInput, match=message):
        shape_from_lengths("box", dict.fromkeys("xyz", 1.0), mass_specification(area_density="3 kg/m2"))


@each("name", SHAPES)
def test_every_shape_is_made_by_name(name: str) -> None:
    sizes = {"tube_radius": 0.25, "inner_radius": 0.5, "inner_rx": 0.5, "apex": -0.5}
    lengths = {p.name: sizes.get(p.name, 1.0) for p in SHAPES[name].parameters}
    assert shape_from_lengths(name, lengths, mass_specification(mass="2")).mass == 2


# --- the sample ------------------------------------------------------------------------------------------------------

SAMPLES = ROOT / "samples/assemblies"


def test_the_sample_has_the_numbers_that_its_readme_adds_by_hand() -> None:
    rows = [
        [cell.strip().strip("*").replace("−", "-") for cell in line.strip("|\n").split("|")]
        for line in (SAMPLES / "README.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("| ")
    ]
    table = {row[0].split(",")[0].split(" ")[0]: row[1:] for row in rows if len(row) == 8}
    del table["part"]
    assembly = read_assembly(str(SAMPLES / "trolley.toml"))
    parts = {part.body.name: part.body.properties for part in assembly.parts}
    assert [*parts, "trolley"] == list(table)
    for name, p in [*parts.items(), ("trolley", assembly.body.properties)]:
        mass, _, _, *about = table[name]
        tensor = p.inertia_about([0, 0, 0])
        assert p.mass == pytest.approx(float(mass), rel=16 * u)
        found = [tensor[0, 0], tensor[1, 1], tensor[2, 2], tensor[0, 2], tensor[0, 1], tensor[1, 2]]
        np.testing.assert_allclose(found, [*map(float, about), 0, 0], rtol=0, atol=64 * u)  # sums of numbers up to 5
    total = assembly.body.properties
    np.testing.assert_allclose(total.com, [-0.44 / 24.8, 0, 6.56 / 24.8], rtol=0, atol=4 * u)


def test_bodies_of_robots_that_include_others_are_found_in_packages(tmp_path: Path) -> None:
    """An SDF robot whose arm stands in a package is read as `check` reads it: as a part of an assembly and as a side of a comparison."""
    inertia = "".join(
        f"<i{a}>{v}</i{a}>" for a, v in zip(("xx", "yy", "zz", "xy", "xz", "yz"), (1, 1, 1, 0, 0, 0), strict=True)
    )
    arm = f'<link name="arm"><inertial><mass>2</mass><inertia>{inertia}</inertia></inertial></link>'
    (tmp_path / "home").mkdir()
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "arm.sdf").write_text(f'<sdf version="1.7"><model name="arm">{arm}</model></sdf>')
    robot = tmp_path / "home" / "robot.sdf"
    robot.write_text(
        '<sdf version="1.7"><model name="r"><include><uri>package://arms/arm.sdf</uri></include></model></sdf>'
    )
    whole = tmp_path / "home" / "whole.toml"
    whole.write_text('[[part]]\nname = "a"\nbody = "robot.sdf"\n')
    for command in (["combine", whole], ["diff", robot, robot]):
        assert run(*command, cwd=tmp_path).returncode == 3
        done = run(*command, "--package", f"arms={tmp_path / 'parts'}", "-f", "json", cwd=tmp_path)
        assert (done.returncode, done.err) == (0, "")
        assert '"mass"' in done.out
