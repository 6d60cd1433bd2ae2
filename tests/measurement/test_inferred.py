"""`measurement/inferred`: the inertial of a link that states none is the same in all commands."""

from __future__ import annotations

import json
import re
from pathlib import Path

import console
import damage
import numpy as np
import oracles
import pytest
from cases import raised

import massprops
from massprops.comparison import read_bodies
from massprops.errors import MasspropsError
from massprops.measurement.options import Options

EDGES, DENSITY = (0.1, 0.2, 0.3), 1500.0
BOX = oracles.box_form(*EDGES)
#: A body and its density, from which the format, or the simulator, computes its inertial; and another body that states one.
COMPUTED = {
    "xml": """<mujoco><worldbody>
        <body name="a"><freejoint/><geom type="box" size="0.05 0.1 0.15" pos="1 2 3" density="1500"/></body>
        <body name="b"><freejoint/><inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/></body></worldbody></mujoco>""",
    "sdf": """<sdf version="1.11"><model name="r"><link name="a"><inertial auto="true"><density>1500</density></inertial>
        <collision name="c"><pose>1 2 3 0 0 0</pose><geometry><box><size>0.1 0.2 0.3</size></box></geometry></collision></link>
        <link name="b"><inertial><mass>2</mass></inertial></link></model></sdf>""",
    "usda": """#usda 1.0
        (
        metersPerUnit = 1
        kilogramsPerUnit = 1
        upAxis = "Z"
        )
        def Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
        {
        float physics:density = 1500
        def Cube "p" (prepend apiSchemas = ["PhysicsCollisionAPI"])
        {
        double size = 1
        double3 xformOp:translate = (1, 2, 3)
        double3 xformOp:scale = (0.1, 0.2, 0.3)
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]
        }
        }""",
}


@pytest.mark.parametrize("form", COMPUTED)
def test_every_command_knows_the_same_inertial(tmp_path: Path, form: str) -> None:
    """`combine` and `diff` had it, `convert` and `explain` said that there is none."""
    if form == "usda":
        pytest.importorskip("pxr", reason="usd-core is not installable everywhere")
    (tmp_path / f"robot.{form}").write_text(COMPUTED[form])
    (tmp_path / "whole.toml").write_text(f'[[part]]\nname = "p"\nbody = "robot.{form}#a"\n')
    path = f"{tmp_path / 'robot'}.{form}#a"
    mass = DENSITY * float(BOX.volume)
    second = DENSITY * np.array(BOX.second, float)
    inertia = np.diag(second.sum() - second)
    (compared,) = read_bodies(path, Options())
    bodies = {
        "combine": massprops.combine(path).body.properties,
        "explain": massprops.explain(path).body.properties,
        "diff": compared.properties,
        "assembly": massprops.combine(tmp_path / "whole.toml").body.properties,
    }
    for command, body in bodies.items():
        assert body.mass == pytest.approx(mass, rel=1e-14), command
        assert body.com == pytest.approx([1, 2, 3], rel=1e-14), command
        assert body.inertia == pytest.approx(inertia, abs=1e-12), command
    assert json.loads(massprops.convert(path, "json"))["mass"] == bodies["diff"].mass
    for command in ("convert", "explain", "combine"):
        done = console.run(command, path, "--format", "json", cwd=tmp_path)
        shown = json.loads(done.out)
        assert done.returncode == 0
        assert shown["name" if command == "explain" else "mass"] == (
            "a" if command == "explain" else bodies["diff"].mass
        )
    said = console.run("convert", path, cwd=tmp_path).err
    assert "computed from geometry, not stated: a" in said


def test_a_hole_that_is_filled_is_said_by_every_command(tmp_path: Path) -> None:
    """`check` and `fill` measured the mesh with the hole filled and said nothing; the others refused it."""
    facets = damage.hole(0.03)(damage.blob(3), np.random.default_rng(1))
    oracles.write_binary_stl(tmp_path / "hole.stl", facets)
    mesh = "<mesh><uri>hole.stl</uri></mesh>"
    (tmp_path / "r.sdf").write_text(COMPUTED["sdf"].replace("<box><size>0.1 0.2 0.3</size></box>", mesh))
    path = f"{tmp_path / 'r.sdf'}#a"
    (checked,) = massprops.check(path).checked
    bodies = [massprops.combine(path).body, massprops.explain(path).body]
    volume, _, _ = damage.moments(damage.blob(3))
    for mass in (checked.numbers["mass"], *(b.properties.mass for b in bodies)):
        assert mass == pytest.approx(1500 * volume, rel=0.02)
    said = [checked.findings, massprops.explain(path).findings, json.loads(massprops.convert(path, "json"))["findings"]]
    for found in said:
        codes = [f["code"] if isinstance(f, dict) else f.code for f in found]
        assert "filled-holes" in codes
    assert b"filled-holes" in console.run("combine", path).stdout + console.run("combine", path).stderr


@pytest.mark.parametrize("form", ["xml", "sdf"])
@pytest.mark.parametrize("command", ["convert", "combine"])
def test_standard_input_is_computed_as_a_file(tmp_path: Path, form: str, command: str) -> None:
    (tmp_path / f"robot.{form}").write_text(COMPUTED[form])
    sources = {f"robot.{form}": b"", "-": COMPUTED[form].encode()}
    done = [console.run(command, x, "--format", "json", cwd=tmp_path, stdin=text) for x, text in sources.items()]
    of_file, piped = (re.findall(r"-?\d+\.\d{2,}", r.out) for r in done)
    assert piped == of_file != []


def test_a_body_that_cannot_be_computed_is_refused_by_all(tmp_path: Path) -> None:
    text = COMPUTED["xml"].replace("<worldbody>", '<asset><mesh name="m" file="gone.stl"/></asset><worldbody>')
    path = tmp_path / "robot.xml"
    path.write_text(text.replace('type="box" size="0.05 0.1 0.15"', 'type="mesh" mesh="m"'))
    calls = (
        massprops.combine,
        massprops.explain,
        lambda p: massprops.convert(p, "json"),
        lambda p: read_bodies(p, Options()),
    )
    assert {raised(MasspropsError, call, f"{path}#a").code for call in calls} == {"missing-file"}
    assert {raised(MasspropsError, call, str(path)).code for call in (calls[0], calls[-1])} == {"missing-file"}
    assert json.loads(massprops.convert(path, "json"))["name"] == massprops.explain(path).body.name == "b"  # the rest
    assert [massprops.explain(f"{path}#b").body.name, massprops.combine(f"{path}#b").body.properties.mass] == ["b", 2]


GLTF = """{"asset": {"version": "2.0"}, "extensionsUsed": ["KHR_physics_rigid_bodies"], "scenes": [{"nodes": [0]}],
    "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
    "accessors": [{"bufferView": 0, "componentType": 5126, "count": 36, "type": "VEC3", "min": [0, 0, 0], "max": [1, 2, 3]}],
    "bufferViews": [{"buffer": 0, "byteLength": 432}], "buffers": [{"byteLength": 432, "uri": "box.bin"}],
    "nodes": [{"name": "a", "mesh": 0, "extensions": {"KHR_physics_rigid_bodies": {"motion": {%s}}}}]}"""


def test_bodies_of_gltf_are_compared_and_not_only_their_meshes(tmp_path: Path) -> None:
    """The same mesh with twice the mass: nothing had changed."""
    (tmp_path / "box.bin").write_bytes(oracles.box((0, 0, 0), (1, 2, 3)).astype("<f4").tobytes())
    stated = '"mass": %d, "centerOfMass": [0.5, 1, 1.5], "inertiaDiagonal": [2, 3, 4]'
    for name, motion in (("one", stated % 6), ("same", stated % 6), ("two", stated % 12), ("bare", "")):
        (tmp_path / f"{name}.gltf").write_text(GLTF % motion)
    for link in ("", "#a"):
        one, same, two = (f"{name}.gltf{link}" for name in ("one", "same", "two"))
        assert console.run("diff", one, same, cwd=tmp_path).returncode == 0
        done = console.run("diff", one, two, "--format", "json", cwd=tmp_path)
        quantities = json.loads(done.out)["diff"]["changes"]
        assert (done.returncode, [q["verdict"] for q in quantities if q["name"] == "mass"]) == (1, ["beyond"])
    (mesh,) = read_bodies(tmp_path / "bare.gltf", Options())
    assert (mesh.volume, mesh.value["mass"]) == (pytest.approx(6, rel=1e-6), None)  # there is nothing else to compare
    for command, made in (("plot", "part.png"), ("report", "part.html")):  # of a node, its mesh
        assert console.run(command, "one.gltf#a", "-o", made, cwd=tmp_path).returncode == 0
