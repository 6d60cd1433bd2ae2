"""Inertials that simulators take, compared with those that they really take, by every rule of `engines.toml`."""

from __future__ import annotations

import functools
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from console import run
from engine_robots import in_drake, in_mujoco
from places import ROOT
from simulated import in_bullet

import massprops
from massprops.checking.settings import ENGINES
from massprops.diagnosis.engine_body import EngineBody, engines
from massprops.diagnosis.robot_links import LinkOptions, link_findings

#: Mass, centre and moments by the name of a body.
Numbers = dict[str, tuple[float, np.ndarray, np.ndarray | None]]

#: Without inertial, a box of 0.2 × 0.4 × 0.6 m; of water, 48 kg and 2.08, 1.6, 0.8 kg m².
SHAPE = '<geometry><box size=".2 .4 .6"/></geometry>'
COLLISION, VISUAL = f"<collision>{SHAPE}</collision>", f"<visual>{SHAPE}</visual>"
URDF_INERTIAL = '<inertial><origin xyz="0 0 .01"/><mass value="{}"/><inertia ixx="1" iyy="1" izz="{}" ixy=".1" ixz="0" iyz="0"/></inertial>'
STATED, IMPOSSIBLE = URDF_INERTIAL.format(2, 1.5), URDF_INERTIAL.format(2, 2.5)
GEOM = '<geom type="box" size=".1 .2 .3"/>'
MJCF_INERTIAL = '<inertial pos="0 0 .01" mass="2" diaginertia="1 1 {}"/>'
FLEXCOMP = '<flexcomp name="a" type="grid" count="3 3 1" dim="2" mass="2"/>'
SDF_COLLISION = '<collision name="c{}">{}<geometry><box><size>.2 .4 .6</size></box></geometry></collision>'
SDF_INERTIAL = "<inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>{}</izz></inertia></inertial>"
CUBE = 'def Cube "c" (\nprepend apiSchemas = ["PhysicsCollisionAPI"{}]\n)\n{{\ndouble size = 0.2\n{}\n}}\n'
MESH = """def Mesh "m" (\nprepend apiSchemas = ["PhysicsCollisionAPI"]\n)\n{
point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
int[] faceVertexCounts = [3, 3, 3, 3]\nint[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]\n}\n"""
MASSES = (
    "float physics:mass = 2\nfloat3 physics:diagonalInertia = (1, 1, {})\npoint3f physics:centerOfMass = (0, 0, 0.01)\n"
)


def urdf(link: str, joint: str = "continuous", compiler: str = "", name: str = "a") -> str:
    """A URDF robot whose second link has these elements."""
    extension = f'<mujoco><compiler fusestatic="false" {compiler}/></mujoco>'
    joint = f'<joint name="j" type="{joint}"><parent link="base"/><child link="{name}"/><axis xyz="0 0 1"/></joint>'
    return (
        f'<robot name="r">{extension}<link name="base">{STATED}</link><link name="{name}">{link}</link>{joint}</robot>'
    )


def geom(more: str) -> str:
    return GEOM.replace("/>", f" {more}/>")


def mjcf(body: str, compiler: str = "", joint: str = '<joint axis="0 0 1"/>') -> str:
    return (
        f'<mujoco model="m"><compiler {compiler}/><worldbody><body name="a">{joint}{body}</body></worldbody></mujoco>'
    )


def sdf(link: str) -> str:
    return f'<sdf version="1.11"><model name="m"><link name="a">{link}</link></model></sdf>'


def usd(body: str, values: str = "", units: str = "1") -> str:
    schemas = '"PhysicsRigidBodyAPI", "PhysicsMassAPI"' if values else '"PhysicsRigidBodyAPI"'
    head = f'#usda 1.0\n(\nmetersPerUnit = {units}\nkilogramsPerUnit = 1\n)\ndef PhysicsScene "s"\n{{\n}}\n'
    return f'{head}def Xform "a" (\nprepend apiSchemas = [{schemas}]\n)\n{{\n{values}\n{body}}}\n'


#: A shape of SDFormat without its lengths.
DEFAULTS = '<collision name="c"><geometry><{}/></geometry></collision>'
#: Each model, and what each simulator takes of its link `a`: the mass by hand, kg, or why not. `~`: the moments are not predicted.
MODELS: dict[str, tuple[str, str]] = {
    "stated.urdf": (urdf(COLLISION + STATED), "mujoco 2, gz 2, drake 2, isaac unknown, newton 2, bullet ~2"),
    "bare.urdf": (urdf(STATED), "mujoco 2, gz 2, drake 2, isaac unknown, newton 2, bullet 2"),
    "impossible.urdf": (
        urdf(IMPOSSIBLE),
        "mujoco refused, gz refused, drake 2, isaac unknown, newton ~2, bullet 2",
    ),
    "balanced.urdf": (urdf(IMPOSSIBLE, compiler='balanceinertia="true"'), "mujoco 2, gz refused, drake 2"),
    "true.urdf": (urdf(COLLISION + STATED, compiler='inertiafromgeom="true"'), "mujoco 48, drake 2, newton 2"),
    "true-bare.urdf": (urdf(STATED, compiler='inertiafromgeom="true"'), "mujoco 2"),
    "none.urdf": (urdf(COLLISION), "mujoco 48, gz refused, drake 0, isaac unknown, newton 48, bullet ~1"),
    "visual.urdf": (urdf(VISUAL), "mujoco refused, gz refused, drake 0, isaac unknown, newton 0, bullet 1"),
    "false.urdf": (urdf(COLLISION, compiler='inertiafromgeom="false"'), "mujoco refused"),
    "fixed.urdf": (urdf(COLLISION, "fixed"), "mujoco 48, gz 0, drake 0, isaac unknown, newton 48, bullet ~1"),
    "massless.urdf": (urdf(URDF_INERTIAL.format(0, 1.5)), "mujoco refused, gz refused, drake 1"),
    "stated.xml": (mjcf(GEOM + MJCF_INERTIAL.format(1.5)), "mujoco 2, drake 2, newton 2, gz unknown, isaac unknown"),
    "none.xml": (mjcf(GEOM), "mujoco 48, drake 48, newton 48, bullet unknown"),
    "density.xml": (mjcf(geom('density="500"')), "mujoco 24, drake 24, newton 24"),
    "negative.xml": (mjcf(GEOM + geom('density="-5"')), "mujoco refused, drake unknown, newton unknown"),
    "mass.xml": (mjcf(geom('density="500" mass="7"')), "mujoco 7, drake 7, newton 7"),
    "drawn.xml": (
        mjcf(GEOM + geom('pos="1 0 0" contype="0" conaffinity="0"')),
        "mujoco 96, drake 96, newton 96",
    ),
    "shell.xml": (mjcf(geom('shellinertia="true"')), "mujoco unknown, drake 48, newton 48"),
    "group.xml": (
        mjcf(GEOM + geom('pos=".1 0 0" group="3"'), 'inertiagrouprange="0 1"'),
        "mujoco 48, drake 96, newton 48",
    ),
    "true.xml": (mjcf(GEOM + MJCF_INERTIAL.format(1.5), 'inertiafromgeom="true"'), "mujoco 48, drake 48, newton 48"),
    "true-bare.xml": (mjcf(MJCF_INERTIAL.format(1.5), 'inertiafromgeom="true"'), "mujoco 2, drake 0, newton 0"),
    "false.xml": (mjcf(GEOM, 'inertiafromgeom="false"'), "mujoco refused, drake refused, newton refused"),
    "false-fixed.xml": (mjcf(GEOM, 'inertiafromgeom="false"', ""), "mujoco 0, drake refused, newton 0"),
    "empty.xml": (mjcf(""), "mujoco refused, drake 0, newton 0"),
    "impossible.xml": (mjcf(MJCF_INERTIAL.format(2.5)), "mujoco refused, drake refused, newton refused"),
    "balanced.xml": (
        mjcf(MJCF_INERTIAL.format(2.5), 'balanceinertia="true"'),
        "mujoco 2, drake refused, newton 2",
    ),
    "boundmass.xml": (mjcf(MJCF_INERTIAL.format(1.5), 'boundmass="5"'), "mujoco 5, drake 2, newton 5"),
    "boundinertia.xml": (mjcf(MJCF_INERTIAL.format(1.5), 'boundinertia="1.2"'), "mujoco 2, drake 2, newton 2"),
    "total.xml": (mjcf(MJCF_INERTIAL.format(1.5), 'settotalmass="3"'), "mujoco 3, drake 2, newton 2"),
    "skipped.xml": (
        mjcf(GEOM).replace('"a"', '"b"').replace("</worldbody>", FLEXCOMP + "</worldbody>"),
        "drake 0, newton 0",
    ),
    "stated.sdf": (
        sdf(SDF_COLLISION.format(1, "") + SDF_INERTIAL.format(1.5)),
        "gz 2, drake 2, bullet ~2, mujoco unknown",
    ),
    "impossible.sdf": (sdf(SDF_INERTIAL.format(2.5)), "gz refused, drake 2, bullet 2"),
    "none.sdf": (sdf(SDF_COLLISION.format(1, "")), "gz 1, drake 1, bullet ~1"),
    "frame.sdf": (sdf(""), "gz 1, drake 1, bullet 1"),
    "auto.sdf": (
        sdf(
            SDF_COLLISION.format(1, "<density>500</density>") + SDF_COLLISION.format(2, "") + '<inertial auto="true"/>'
        ),
        "gz 72, drake 72, bullet refused",
    ),
    "auto-mass.sdf": (
        sdf(SDF_COLLISION.format(1, "") + '<inertial auto="true"><mass>3</mass></inertial>'),
        "gz 3, drake 3, bullet refused",
    ),
    "unlimited.urdf": (urdf(STATED, "prismatic"), "bullet refused, gz 2, newton 2"),
    "auto-stated.sdf": (
        sdf(SDF_COLLISION.format(1, "") + SDF_INERTIAL.format(1.5).replace("<inertial>", '<inertial auto="true">')),
        "bullet unknown",
    ),
    "static.sdf": (
        sdf(SDF_INERTIAL.format(1.5)).replace("<link", "<static>1</static><link"),
        "bullet 0, gz 2, drake 2",
    ),
    "degrees.sdf": (
        sdf(SDF_INERTIAL.format(1.5).replace("<mass>", '<pose degrees="true">0 0 0 0 0 90</pose><mass>')),
        "bullet unknown, gz 2, drake 2",
    ),
    "auto-mesh.sdf": (
        sdf(
            '<inertial auto="true"/><collision name="c"><geometry><mesh><uri>l.obj</uri></mesh></geometry></collision>'
        ),
        "gz unknown",
    ),
    "auto-bare.sdf": (sdf('<inertial auto="true"/>'), "gz refused, drake refused"),
    "stated.usda": (usd(CUBE.format("", ""), MASSES.format(1.5)), "isaac unknown, newton 2"),
    "impossible.usda": (usd("", MASSES.format(2.5)), "isaac unknown, newton ~2"),
    "none.usda": (usd(CUBE.format("", "")), "isaac unknown, newton 8, mujoco unknown"),
    "density.usda": (
        usd(CUBE.format(', "PhysicsMassAPI"', "float physics:density = 500")),
        "isaac unknown, newton 4",
    ),
    "twice.usda": (
        usd(
            CUBE.format(', "PhysicsMassAPI"', "float physics:density = 500")
            + CUBE.format("", "").replace('"c"', '"d"'),
            "float physics:mass = 2",
        ),
        "newton unknown",
    ),
    "moments.usda": (
        usd(CUBE.format("", ""), "float3 physics:diagonalInertia = (1, 2, 2.5)"),
        "isaac unknown, newton unknown",
    ),
    "mesh.usda": (usd(MESH), "isaac unknown"),
    "units.usda": (usd(CUBE.format("", ""), units="0.01"), "isaac unknown, newton unknown"),
    "faulty.urdf": (
        urdf(COLLISION.replace("size", "sizes") + STATED),
        "mujoco unknown, gz unknown, drake unknown, newton unknown, bullet unknown",
    ),
    "faulty.sdf": (
        sdf(SDF_INERTIAL.format(1.5) + SDF_COLLISION.format(1, "").replace("<size>.2 ", "<size>")),
        "gz unknown, drake unknown, bullet unknown",
    ),
    "twice.urdf": (
        urdf(STATED).replace('"base"', '"a"', 1),
        "mujoco refused, gz refused, drake refused, bullet refused, newton unknown",
    ),
    "twice.xml": (mjcf(GEOM + f'<body name="a">{GEOM}</body>'), "mujoco refused, drake refused, newton 48"),
    "lost.urdf": (
        urdf(VISUAL.replace(SHAPE, '<geometry><mesh filename="no.obj"/></geometry>') + STATED),
        "mujoco 2, gz 2, bullet unknown",
    ),
    "faulty.xml": (
        mjcf('<geom type="capsule" size=".1"/>' + MJCF_INERTIAL.format(1.5)),
        "mujoco unknown, drake unknown, newton unknown",
    ),
    "faulty-world.xml": (
        mjcf(GEOM).replace("<body", '<geom size="x"/><body'),
        "mujoco unknown, drake unknown, newton unknown",
    ),
    "no-size.sdf": (sdf(SDF_INERTIAL.format(1.5) + DEFAULTS.format("box")), "gz 2, drake 2, bullet refused"),
    "no-radius.sdf": (sdf(SDF_INERTIAL.format(1.5) + DEFAULTS.format("sphere")), "gz 2, drake 2, bullet refused"),
    "attribute.sdf": (
        sdf(SDF_INERTIAL.format(1.5) + '<collision name="c"><geometry><box size="1 2 3"/></geometry></collision>'),
        "bullet refused",
    ),
    "no-length.sdf": (sdf(SDF_INERTIAL.format(1.5) + DEFAULTS.format("capsule")), "gz 2, drake 2, bullet ~2"),
    "world.urdf": (urdf(COLLISION, "fixed", name="world"), "bullet 0"),
}
CASES = [(model, *case.split()) for model, (_, cases) in MODELS.items() for case in cases.split(", ")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("engines")


def prediction(path: Path, *names: str) -> dict[str | None, dict[str, EngineBody]]:
    found = link_findings(path, None, LinkOptions(engines=names or tuple(engines())))
    return {f.link.name: {body.engine: body for body in f.engines} for f in found}


@functools.cache
def predicted(folder: Path, name: str) -> dict[str, EngineBody]:
    """What each simulator is predicted to take for the link `a` of a model, which is then in this folder."""
    if name.endswith(".usda"):
        pytest.importorskip("pxr", reason="usd-core is not installable everywhere")
    (folder / name).write_text(MODELS[name][0], encoding="utf-8")
    found = prediction(folder / name)
    return found.get("a") or found["world"]


@pytest.mark.parametrize("name", MODELS)
def test_the_mass_is_that_computed_by_hand(folder: Path, name: str) -> None:
    for _, engine, expected in (case for case in CASES if case[0] == name):
        body = predicted(folder, name)[engine]
        if expected in ("refused", "unknown"):
            assert (body.verdict, body.takes) == (expected, None), engine
        else:
            assert body.takes is not None
            assert body.takes.mass == pytest.approx(float(expected.strip("~")), rel=1e-6), engine
            assert body.unknown == ("principal_moments" if expected[0] == "~" else "")


def test_every_rule_decides_a_case(folder: Path) -> None:
    """A rule that no case reaches is not tested, or is hidden by one before it."""
    decided = {(engine, b.source, b.rule) for name, engine, _ in CASES for b in [predicted(folder, name)[engine]]}
    assert tuple(engines()) == ENGINES
    for name, engine in engines().items():
        for rule in engine.rules if name not in ("mujoco", "drake") else ():  # test_mujoco.py, test_drake.py
            assert any((name, rule.source) == (e, s) and said.startswith(rule.words) for e, s, said in decided), rule
            assert rule.source
            assert len(rule.words) < 85


# ---- what they really take ----------------------------------------------------------------------------------------------


def with_moments(load: Callable[[Path], Any], path: Path) -> Numbers:
    """What a simulator holds: masses, centres, and principal moments, ascending."""
    return {name: (mass, com, np.linalg.eigvalsh(tensor)) for name, (mass, com, tensor) in load(path).items()}


def in_newton(path: Path) -> Numbers:
    newton = pytest.importorskip("newton", reason="newton is not installed")
    builder = newton.ModelBuilder()
    {".urdf": builder.add_urdf, ".xml": builder.add_mjcf, ".usda": builder.add_usd}[path.suffix](str(path))
    names = [label.rpartition("/")[2] for label in builder.body_label]
    inertias = [np.linalg.eigvalsh(np.array(i).reshape(3, 3)) for i in builder.body_inertia]
    return dict(zip(names, zip(builder.body_mass, map(np.array, builder.body_com), inertias, strict=True), strict=True))


READERS: dict[str, Callable[[Path], Numbers]] = {
    "mujoco": functools.partial(with_moments, in_mujoco),
    "drake": functools.partial(with_moments, in_drake),
    "newton": in_newton,
    "bullet": functools.partial(with_moments, in_bullet),
}


def in_simulator(engine: str, path: Path) -> Numbers | None:
    """What a simulator takes; None if it refuses the file, for which each has exceptions of its own."""
    try:
        with warnings.catch_warnings(action="ignore"):  # of the packages that they import
            return READERS[engine](path)
    except Exception:
        return None


def agree(body: EngineBody, real: tuple[float, np.ndarray, np.ndarray | None], rel: float = 2e-6) -> None:
    """Single precision has seven digits, and moments are differences."""
    takes, (mass, com, moments) = body.takes, real
    assert takes is not None, (body.rule, real)
    size = np.sqrt(np.trace(takes.inertia) / takes.mass) + np.abs(takes.com).max() if takes.mass else 0.0
    assert mass == pytest.approx(takes.mass, rel=rel), body.rule
    if takes.mass and body.unknown != "center_of_mass":
        assert com == pytest.approx(takes.com, abs=rel * size), body.rule
    if body.unknown != "principal_moments":
        scale = takes.mass * size**2 + np.trace(takes.inertia)
        assert moments == pytest.approx(np.linalg.eigvalsh(takes.inertia), abs=5 * rel * scale), body.rule


@pytest.mark.parametrize(
    "engine", ["mujoco", *(pytest.param(e, marks=pytest.mark.other_programs) for e in list(READERS)[1:])]
)
def test_simulators_take_what_is_predicted(folder: Path, engine: str) -> None:
    for name, _, expected in (case for case in CASES if case[1] == engine and case[2] != "unknown"):
        body = predicted(folder, name)[engine]
        found = in_simulator(engine, folder / name)
        if expected == "refused":
            assert found is None, name
        else:
            assert found is not None, name
            agree(body, found.get("a") or found.get("world") or (0.0, np.zeros(3), np.zeros(3)))


# ---- as people and programs read it -------------------------------------------------------------------------------------


def test_the_command_line_shows_links_that_differ_and_their_rules(folder: Path) -> None:
    predicted(folder, "none.urdf")
    done = run("check", folder / "none.urdf", "--engine", "mujoco,gz,isaac", "--output-units", "m,kg")
    assert done.returncode == 0
    lines = [" ".join(line.split()) for line in done.out.splitlines()]
    assert "a MuJoCo 48 – 0 0 0 0.8 1.6 2.08" in lines
    assert "a Gazebo refused – – –" in lines
    assert "MuJoCo: 1 of 2 links differ" in lines
    assert "its collisions × 1000 kg/m³: a" in lines
    assert "Isaac Sim: 0 of 2 links differ, 2 not known" in lines
    assert not any(line.startswith("base MuJoCo") for line in lines)
    assert "engine-differs: a: MuJoCo takes 48 kg where none is stated" in " ".join(lines)
    assert run("check", folder / "none.urdf", "--engine", "mujoco", "--fail-on", "warning").returncode == 1
    verbose = run("check", folder / "none.urdf", "--engine", "mujoco", "-v").out
    assert "base MuJoCo 2 2" in " ".join(verbose.split())
    assert "XMLreference.html#body-inertial" in verbose.replace("\n", "")


def test_json_has_the_numbers_of_each_simulator(folder: Path) -> None:
    predicted(folder, "stated.urdf")
    done = run("check", folder / "stated.urdf", "--engine", "bullet,drake", "--format", "json")
    report = done.result
    (bullet, drake), _ = (c["engines"] for c in sorted(report["checked"], key=lambda c: c["place"]))
    assert (bullet["engine"], bullet["verdict"], drake["verdict"]) == ("bullet", "differs", "same")
    assert bullet["takes"]["principal_moments"] is None
    assert drake["takes"] == drake["expected"]
    assert drake["takes"]["center_of_mass"] == [0, 0, 0.01]
    assert "engines" not in run("check", folder / "stated.urdf", "--format", "json").result["checked"][0]


def test_the_library_takes_engines_and_a_configuration_names_them(folder: Path, tmp_path: Path) -> None:
    predicted(folder, "boundmass.xml")
    (tmp_path / "m.toml").write_text('engine = ["newton"]\n', encoding="utf-8")
    for options in ({"engine": ("newton",)}, {"config": tmp_path / "m.toml"}):
        (checked,) = massprops.check(folder / "boundmass.xml", **options).checked
        (finding,) = (f for f in checked.findings if f.code == "engine-differs")
        assert finding.message == "Newton takes 5 kg instead of 2 kg: the stated inertial; changed by boundmass"
        assert (finding.value, finding.limit) == (5, 2)  # by which a baseline knows whether it got worse


def test_other_files_and_engines_are_refused(tmp_path: Path) -> None:
    done = run("check", ROOT / "sample_meshes/tetrahedron.stl", "--engine", "mujoco")
    assert done.returncode == 2
    assert "not a robot, and --engine is for robots" in " ".join(done.out.split())
    node = {"name": "a", "extensions": {"KHR_physics_rigid_bodies": {"motion": {"mass": 1}}}}
    used = {"asset": {"version": "2.0"}, "extensionsUsed": ["KHR_physics_rigid_bodies"]}
    (tmp_path / "r.gltf").write_text(json.dumps(used | {"nodes": [node], "scenes": [{"nodes": [0]}], "scene": 0}))
    done = run("check", tmp_path / "r.gltf", "--engine", "mujoco")
    assert done.returncode == 2
    assert "known for robots in URDF, SDF, MJCF and USD" in " ".join(done.out.split())
    done = run("check", tmp_path / "r.gltf", "--engine", "ode")
    assert done.returncode == 2
    assert "must be one of mujoco, gz, drake" in done.err
