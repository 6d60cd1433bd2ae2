"""Assemblies whose parts share space: refused by name, or counted once as they say; every number by hand or in exact cells."""

from __future__ import annotations

import json
import math

import numpy as np
import oracles
import pytest
from cases import refused, seeds
from console import run

import massprops
from massprops.errors import InvalidGeometry, MasspropsError
from massprops.frames import Pose
from massprops.measurement.assembly import read_assembly
from massprops.rigid_body import shapes

BLOCK = '[[part]]\nname = "block"\nshape = "box"\nx = "100 mm"\ny = "100 mm"\nz = "100 mm"\ndensity = 1000\n'
INSERT = '[[part]]\nname = "insert"\nshape = "box"\nx = 0.05\ny = 0.05\nz = 0.05\ndensity = 7800\n'


def read(folder, text, name="a.toml"):
    (folder / name).write_text(text, encoding="utf-8")
    return read_assembly(str(folder / name))


def codes(whole):
    return [(f.code, f.severity) for f in whole.body.findings]


def holds(body, mass, com, inertia):
    """Whether the true numbers are within the errors of a body."""
    off = body.uncertainty
    assert abs(body.mass - mass) <= off.mass.bound + 1e-12 * mass
    assert (np.abs(body.com - com) <= off.center_of_mass.bound + 1e-12).all()
    assert (np.abs(body.inertia - inertia) <= off.inertia.bound + 1e-12 * np.abs(inertia).max()).all()


def test_parts_that_share_space_are_refused_by_name(tmp_path):
    message = refused(InvalidGeometry, read, tmp_path, BLOCK + INSERT)
    assert "block and insert share 0.000125" in message
    assert "0.125 kg of block, 0.975 kg of insert" in message.replace("\xa0", " ")
    assert 'displaces = ["name"]' in message
    answer = run("combine", tmp_path / "a.toml")
    assert (answer.returncode, answer.out) == (4, "")


@pytest.mark.parametrize(("block", "insert", "mass"), [
    ("", 'displaces = ["block"]', 1.85),
    ("", "priority = 1", 1.85),
    ("priority = -1", "", 1.85),
    ('displaces = ["insert"]', 'priority = 3\ndisplaces = ["block"]', None),
    ("priority = 2", 'displaces = ["block"]', 1.85),  # what is named decides
])  # fmt: skip
def test_the_part_that_is_stated_is_there(tmp_path, block, insert, mass):
    text = BLOCK + block + "\n" + INSERT + insert + "\n"
    if mass is None:
        assert "displace each other" in refused(MasspropsError, read, tmp_path, text)
        return
    whole = read(tmp_path, text)
    true = (
        shapes.box(0.1, 0.1, 0.1, density=1000)
        + -shapes.box(0.05, 0.05, 0.05, density=1000)
        + shapes.box(0.05, 0.05, 0.05, density=7800)
    )
    assert whole.body.properties.mass == pytest.approx(mass, rel=1e-12)
    holds(whole.body.properties, true.mass, true.com, true.inertia)
    assert whole.body.properties.uncertainty.mass.bound < 1e-6
    assert codes(whole) == []


def test_what_is_counted_twice_is_a_finding_and_in_the_bounds(tmp_path):
    whole = read(tmp_path, 'overlap = "count"\n' + BLOCK + INSERT)
    assert whole.body.properties.mass == pytest.approx(1.975, rel=1e-12)
    assert codes(whole) == [("shared-space", "warning")]
    for density in (1000, 7800):  # whichever of the two is there
        true = shapes.box(0.1, 0.1, 0.1, density=1000) + shapes.box(0.05, 0.05, 0.05, density=7800)
        true += -shapes.box(0.05, 0.05, 0.05, density=density)
        holds(whole.body.properties, true.mass, true.com, true.inertia)


def test_a_stated_mass_stays_and_a_density_with_a_tolerance_keeps_it(tmp_path):
    heavy = BLOCK.replace("density = 1000", 'mass = "2 kg"')
    whole = read(tmp_path, heavy + INSERT + 'pose = "25mm 0 0"\ndisplaces = ["block"]\n')
    (block, insert) = (p.body.properties for p in whole.parts)
    assert (block.mass, insert.mass) == (2, pytest.approx(0.975))
    # the rest of the block: 1000 cm³ less 125 cm³ at x = 25 mm
    assert block.com[0] == pytest.approx(-0.125 * 0.025 / 0.875, abs=1e-6)
    share = read(tmp_path, BLOCK.replace("1000", '"1000 +- 100"') + INSERT + 'displaces = ["block"]\n')
    assert share.body.properties.uncertainty.mass.bound == pytest.approx(0.0875, rel=1e-4)


def test_what_is_left_of_a_part_is_an_error_where_it_is_not_known_within_the_limit(tmp_path):
    # less than a seventh of the ball is left by one that breaks out of it, and facets are farther from spheres than a hundredth of that
    ball = '[[part]]\nname = "{}"\nshape = "sphere"\nradius = "{} mm"\ndensity = 1000\n'
    for r, d, expected in ((19, 1.2, [("uncertain-volume", "error")]), (10, 15, [])):
        text = ball.format("ball", 20) + ball.format("core", r) + f'pose = "{d}mm 0 0"\ndisplaces = ["ball"]\n'
        whole = read(tmp_path, text)
        assert codes(whole) == expected
        lens = math.pi * (20 + r - d) ** 2 * (d * d + 2 * d * (20 + r) - 3 * (20 - r) ** 2) / (12 * d)
        left = whole.parts[0].body.properties
        assert abs(left.mass - 1e-6 * (4 / 3 * math.pi * 20**3 - lens)) <= left.uncertainty.mass.bound


def test_nothing_left_and_unknown_names_are_refused(tmp_path):
    inside = INSERT.replace("insert", "plug").replace("7800", "100")
    assert "nothing is left of plug" in refused(InvalidGeometry, read, tmp_path, inside + BLOCK + "priority = 1\n")
    assert "did you mean block" in refused(MasspropsError, read, tmp_path, BLOCK + INSERT + 'displaces = ["blok"]\n')
    assert "no other part 'insert'" in refused(
        MasspropsError, read, tmp_path, BLOCK + INSERT + 'displaces = ["insert"]\n'
    )
    assert "overlap must be one of" in refused(MasspropsError, read, tmp_path, 'overlap = "union"\n' + BLOCK)
    assert "priority must be a number" in refused(MasspropsError, read, tmp_path, BLOCK + 'priority = "high"\n')


def test_copies_touching_and_holes(tmp_path):
    row = INSERT + 'poses = ["0 0 0", "{} 0 0", "0 0.05 0"]\n'
    assert codes(read(tmp_path, row.format(0.05))) == []
    assert "insert and insert share" in refused(InvalidGeometry, read, tmp_path, row.format(0.04))
    turned = INSERT + 'poses = ["0 0 0 0.1 0.2 0.3", "{}"]\n'
    corner = Pose.parse("0 0 0 0.1 0.2 0.3").rotation @ [0.05, 0, 0]
    assert codes(read(tmp_path, turned.format(f"{corner[0]} {corner[1]} {corner[2]} 0.1 0.2 0.3"))) == []
    assert codes(read(tmp_path, INSERT + "count = 3\n")) == [("shared-space", "info")]
    bore = INSERT.replace("insert", "bore").replace("7800", "1000") + "hole = true\n"
    whole = read(tmp_path, BLOCK + bore + INSERT)  # the insert sits in the hole
    assert (whole.body.properties.mass, codes(whole)) == (pytest.approx(1.85, rel=1e-12), [])
    out = BLOCK + bore + 'pose = "50mm 0 0"\n'
    assert "the hole bore takes 6.25" in refused(InvalidGeometry, read, tmp_path, out)
    assert codes(read(tmp_path, 'overlap = "count"\n' + out)) == [("hole-outside", "warning")]


def test_meshes_in_their_units_and_parts_of_parts(tmp_path):
    oracles.write_ascii_stl(tmp_path / "cube.stl", oracles.box((0, 0, 0), (100, 100, 100)))
    mesh = '[[part]]\nname = "cube"\nmesh = "cube.stl"\nunits = "mm"\ndensity = 1000\n'
    ball = '[[part]]\nname = "ball"\nshape = "sphere"\nradius = "30 mm"\ndensity = 2000\npose = "50mm 50mm 50mm"\n'
    assert "cube and ball share" in refused(InvalidGeometry, read, tmp_path, mesh + ball)
    volume = 4 / 3 * np.pi * 0.03**3
    whole = read(tmp_path, mesh + ball + "priority = 1\n")
    assert whole.body.properties.mass == pytest.approx(1 + 1000 * volume, rel=1e-9)
    read(tmp_path, mesh, "cube.toml")
    nested = '[[part]]\nname = "frame"\nassembly = "cube.toml"\n'
    assert "frame/cube and ball share" in refused(InvalidGeometry, read, tmp_path, nested + ball)
    whole = read(tmp_path, nested + ball + 'displaces = ["frame"]\n')
    assert whole.body.properties.mass == pytest.approx(1 + 1000 * volume, rel=1e-9)
    # and of what was cut already
    read(tmp_path, mesh + ball + "priority = 1\n", "both.toml")
    pin = '[[part]]\nname = "pin"\nshape = "cylinder"\nradius = 0.01\nlength = 0.04\ndensity = 1\npose = "0.05 0.05 0.05"\n'
    message = refused(InvalidGeometry, read, tmp_path, '[[part]]\nassembly = "both.toml"\n' + pin)
    assert "ball and pin share" in message
    assert "cube" not in message


def test_parts_without_geometry_are_not_said_to_be_apart(tmp_path):
    (tmp_path / "b.json").write_bytes(
        run("shape", "box", "--x=1", "--y=1", "--z=1", "--mass=1", "--format=json").stdout
    )
    whole = read(tmp_path, BLOCK + '[[part]]\nname = "motor"\nbody = "b.json"\n')
    assert codes(whole) == [("unverified-overlap", "info")]
    assert "motor" in whole.body.findings[0].message


def test_items_of_combine_are_compared(tmp_path):
    read(tmp_path, BLOCK, "one.toml")
    read(tmp_path, INSERT, "two.toml")
    paths = [tmp_path / "one.toml", tmp_path / "two.toml"]
    answer = run("combine", *paths)
    assert answer.returncode == 4
    assert "block and insert share" in answer.err
    assert "--overlap count" in answer.err
    answer = run("combine", *paths, "--overlap", "count", "--format", "json")
    assert json.loads(answer.out)["mass"] == pytest.approx(1.975)
    assert "shared-space" in answer.out
    apart = [paths[0], paths[1], "--at", "1 0 0"]
    assert run("combine", *apart).returncode == 0
    with pytest.raises(InvalidGeometry, match="share"):
        massprops.combine(*map(str, paths))
    assert massprops.combine(*map(str, paths), overlap="count").body.properties.mass == pytest.approx(1.975)


LINK = """<link name="{0}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><box size="1 1 1"/></geometry></collision></link>"""
JOINT = """<joint name="{0}{1}" type="prismatic"><origin xyz="0 0 1"/><parent link="{0}"/><child link="{1}"/><axis xyz="0 0 1"/>
<limit lower="-3" upper="3" effort="1" velocity="1"/></joint>"""


def test_links_that_share_space_at_a_position_are_found(tmp_path):
    robot = tmp_path / "r.urdf"
    robot.write_text(
        f"<robot name='r'>{''.join(map(LINK.format, 'abc'))}{JOINT.format('a', 'b')}{JOINT.format('b', 'c')}</robot>"
    )
    assert "shared-space" not in run("combine", robot, "--overlap", "error").out
    answer = run("combine", robot, "--overlap", "error", "--joint", "bc=-1.5", "--format", "json")
    (found,) = [f for f in json.loads(answer.out)["findings"] if f["code"] == "shared-space"]
    assert answer.returncode == 0
    assert "links a and c share 0.5" in found["message"]  # c is at 0.5; a and b, b and c are joined
    # meshes are those beside the robot, wherever the command is run
    oracles.write_binary_stl(tmp_path / "cube.stl", oracles.box((-0.5, -0.5, -0.5), (0.5, 0.5, 0.5)))
    robot.write_text(robot.read_text().replace('<box size="1 1 1"/>', '<mesh filename="cube.stl"/>'))
    answer = run("combine", robot, "--overlap", "count", "--joint", "bc=-1.5", "--format", "json")
    assert [f["code"] for f in json.loads(answer.out)["findings"]] == ["shared-space"]


@pytest.mark.parametrize("seed", seeds(6))
def test_random_boxes_count_every_point_once(tmp_path, seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 5))
    low = rng.uniform(0, 1, (count, 3))
    size = rng.uniform(0.2, 1, (count, 3))
    densities, order = rng.uniform(1, 9, count), rng.permutation(count)
    parts = ""
    for i in range(count):
        x, y, z = size[i].tolist()
        parts += f'[[part]]\nname = "p{i}"\nshape = "box"\nx = {x}\ny = {y}\nz = {z}\ndensity = {densities[i]}\n'
        parts += f"priority = {order[i]}\npose = {(low[i] + size[i] / 2).tolist()}\n"
    total, left = oracles.NOTHING, set()
    for a, b, around in oracles.cells_of(list(zip(low, low + size, strict=True))):
        if any(around):
            first = max(np.flatnonzero(around), key=lambda p: order[p])
            total += densities[first] * oracles.box_moments(a, b)
            left.add(first)
    if len(left) < count:
        assert "nothing is left" in refused(InvalidGeometry, read, tmp_path, parts)
        return
    true = oracles.central(total)
    holds(read(tmp_path, parts).body.properties, *map(oracles.floats, (true.volume, true.centroid, true.inertia)))


def hole(x: float, y: float, z: float, more: str = "density = 1000") -> str:
    return f'[[part]]\nname = "hole {x}"\nshape = "box"\nx = {x}\ny = {y}\nz = {z}\nhole = true\n{more}\n'


def test_what_two_holes_share_is_cut_out_once(tmp_path):
    """A stepped bore; a hole at two places that overlap; boxes whose union is known by hand."""
    bore = read(tmp_path, BLOCK + hole(0.05, 0.05, 0.05) + hole(0.02, 0.02, 0.08))
    true = shapes.box(0.1, 0.1, 0.1, density=1000) + -shapes.box(0.05, 0.05, 0.05, density=1000)
    for z in (-0.0325, 0.0325):
        true += -shapes.box(0.02, 0.02, 0.015, density=1000).translated([0, 0, z])
    holds(bore.body.properties, true.mass, true.com, true.inertia)
    assert bore.body.properties.mass == pytest.approx(1 - 0.125 - 0.4 * 0.03, rel=1e-9)
    twice = read(tmp_path, BLOCK + hole(0.02, 0.02, 0.02, 'density = 1000\nposes = ["0 0 0", "10mm 0 0"]'))
    assert twice.body.properties.mass == pytest.approx(1 - 0.03 * 0.02 * 0.02 * 1000, rel=1e-9)
    assert "nothing is left of hole 0.02" in refused(
        InvalidGeometry, read, tmp_path, BLOCK + hole(0.05, 0.05, 0.05) + hole(0.02, 0.02, 0.02)
    )


def test_holes_of_two_parts_are_cut_from_each(tmp_path):
    """What two holes share is in both: the one was cut from the block before the insert took its place."""
    text = BLOCK + INSERT + 'displaces = ["block"]\n' + hole(0.02, 0.02, 0.02, 'density = 1000\ndisplaces = ["block"]')
    whole = read(tmp_path, text + hole(0.01, 0.01, 0.03, 'density = 7800\ndisplaces = ["insert"]'))
    assert whole.body.properties.mass == pytest.approx(1 - 0.125 + 0.975 - 7.8 * 0.003, rel=1e-4)
    far = BLOCK.replace("block", "far").replace("1000", "7800") + 'pose = "1 0 0"\n'
    message = refused(InvalidGeometry, read, tmp_path, BLOCK + far + hole(0.05, 0.05, 0.05, "density = 7800"))
    assert "at most 1000" in message


def test_a_hole_takes_no_more_mass_than_is_there(tmp_path):
    for more in ("density = 7800", 'density = 7800\ndisplaces = ["block"]', "mass = 0.5"):
        message = refused(InvalidGeometry, read, tmp_path, BLOCK + hole(0.05, 0.05, 0.05, more)).replace("\xa0", " ")
        assert "what it is cut from at most 1000 kg/m³" in message
