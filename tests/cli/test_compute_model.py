"""compute --model: one link from one mesh, which simulators load as it is.

Modules tested: `cli/compute`, `formats/bodies/robot_model`.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from console import run
from oracles import box, write_ascii_stl, write_binary_stl
from places import ROOT

import massprops
from massprops.filling import fill
from massprops.formats.robot import read_robot

SAMPLES = ROOT / "sample_meshes"
SUFFIX = {"urdf": "urdf", "sdf": "sdf", "mjcf": "xml"}
POSE = "100 200 300 0.4 0.5 0.6"
DENSITY = 2700
#: MuJoCo diagonalises the tensor, Pinocchio and Drake move it to the frame of the link: some roundings of its largest entry.
READ_BACK = 1e-12


@pytest.fixture
def part(tmp_path: Path) -> Path:
    """A part with three distinct products, in millimetres, in a folder beside that of the models."""
    (tmp_path / "mesh folder").mkdir()
    (tmp_path / "models").mkdir()
    path = tmp_path / "mesh folder" / "arm & hand.stl"
    path.write_bytes((SAMPLES / "bracket.stl").read_bytes())
    return path


def modelled(part: Path, dialect: str, *more: str) -> tuple[Path, massprops.MassProperties]:
    output = part.parents[1] / "models" / f"part.{SUFFIX[dialect]}"
    done = run(
        "compute",
        part,
        "--units",
        "mm",
        "--density",
        str(DENSITY),
        "--pose",
        POSE,
        "--model",
        "--digits",
        "17",
        "-o",
        output,
        *more,
    )
    assert (done.returncode, done.err) == (0, "")
    pose = massprops.Pose.parse(POSE, unit="mm")
    return output, massprops.measure(part, units="mm", density=DENSITY, pose=pose).properties


def assert_same(body, mass: float, com, inertia, share: float = READ_BACK) -> None:
    assert mass == pytest.approx(body.mass, rel=share)
    assert np.asarray(com) == pytest.approx(body.com, rel=share)
    assert np.asarray(inertia) == pytest.approx(body.inertia, abs=share * np.abs(body.inertia).max())


@pytest.mark.parametrize("dialect", SUFFIX)
def test_the_geometry_of_the_model_gives_its_inertial(part: Path, dialect: str) -> None:
    path, body = modelled(part, dialect)
    (link,) = read_robot(str(path))
    assert link.name == "arm & hand"
    assert (link.body.properties.inertia == body.inertia).all()
    for which in ("visual", "collision"):
        (found,) = fill(
            path, density=DENSITY, links="all", mass_from="density", geometry=which, allow_outside=True
        ).links
        assert found.solid.which == which
        assert_same(found.after, body.mass, body.com, body.inertia, 1e-6)  # rounded within the ± of the mesh


def test_mujoco_loads_it(part: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    path, body = modelled(part, "mjcf")
    model = mujoco.MjModel.from_xml_path(str(path))
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, model.body_iquat[1])
    turn = turn.reshape(3, 3)
    assert_same(body, model.body_mass[1], model.body_ipos[1], turn @ np.diag(model.body_inertia[1]) @ turn.T)
    assert model.nv == 6  # it is free to move
    # MuJoCo moves a mesh to its own centre and axes, and the geom back: the vertices are where they were measured
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    vertices = model.mesh_vert @ data.geom_xmat[0].reshape(3, 3).T + data.geom_xpos[0]
    expected = massprops.measure(part, units="mm", pose=massprops.Pose.parse(POSE, unit="mm")).bounds
    bounds = [vertices.min(axis=0), vertices.max(axis=0)]
    assert np.array(bounds) == pytest.approx(expected, abs=1e-6)  # vertices are in single precision


def test_mujoco_loads_the_urdf(part: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    path, _ = modelled(part, "urdf")
    (path.parent / part.name).write_bytes(part.read_bytes())  # of a URDF mesh it takes the file name alone
    root = path.read_text().replace(
        "<link", '<mujoco><compiler discardvisual="false" fusestatic="false"/></mujoco><link', 1
    )
    path.write_text(root)
    assert mujoco.MjModel.from_xml_path(str(path)).ngeom == 2


def test_yourdfpy_loads_it(part: Path) -> None:
    yourdfpy = pytest.importorskip("yourdfpy")
    path, body = modelled(part, "urdf")
    robot = yourdfpy.URDF.load(str(path))
    (link,) = robot.robot.links
    assert_same(body, link.inertial.mass, link.inertial.origin[:3, 3], link.inertial.inertia)
    bounds = robot.scene.bounds
    expected = massprops.measure(part, units="mm", pose=massprops.Pose.parse(POSE, unit="mm")).bounds
    assert bounds == pytest.approx(expected, abs=1e-6)  # single precision vertices, turned


def test_pinocchio_builds_it(part: Path) -> None:
    pinocchio = pytest.importorskip("pinocchio", reason="the extra `readers` is not installed", exc_type=ImportError)
    path, body = modelled(part, "urdf")
    model = pinocchio.buildModelFromUrdf(str(path), pinocchio.JointModelFreeFlyer())
    found = model.inertias[1]
    assert_same(body, found.mass, found.lever, found.inertia)


@pytest.mark.parametrize("dialect", ["urdf", "sdf"])
def test_drake_loads_it(part: Path, dialect: str) -> None:
    parsing = pytest.importorskip("pydrake.multibody.parsing", reason="the extra `readers` is not installed")
    from pydrake.multibody.plant import MultibodyPlant

    path, body = modelled(part, dialect)
    plant = MultibodyPlant(0.0)
    parsing.Parser(plant).AddModels(str(path))
    plant.Finalize()
    link = plant.get_body(plant.GetBodyIndices(plant.GetModelInstanceByName(part.stem))[0])
    found = link.default_spatial_inertia()
    about_origin = found.CalcRotationalInertia().CopyToFullMatrix3()
    assert found.get_mass() == pytest.approx(body.mass, rel=READ_BACK)
    assert found.get_com() == pytest.approx(body.com, rel=READ_BACK)
    expected = body.inertia_about([0, 0, 0])
    assert about_origin == pytest.approx(expected, abs=READ_BACK * np.abs(expected).max())


def test_a_model_may_replace_a_model_and_no_robot(part: Path) -> None:
    path, _ = modelled(part, "urdf")
    assert modelled(part, "urdf")[0] == path
    before = path.read_text()
    assert run("compute", part, "--density", "1", "-f", "urdf", "-o", path).returncode == 2  # a bare link would
    assert path.read_text() == before
    path.write_text(before.replace("</robot>", '<joint name="j"/></robot>'))
    assert run("compute", part, "--density", "1", "--model", "-o", path).returncode == 2


def test_the_mesh_is_seen_from_the_output_file(part: Path) -> None:
    path, _ = modelled(part, "urdf")
    assert re.findall('filename="(.*?)"', path.read_text()) == ["../mesh folder/arm &amp; hand.stl"] * 2
    printed = run("compute", part.name, "--density", "1", "--model", "-f", "sdf", cwd=part.parent)
    assert printed.out.count(f"<uri>{part.name.replace('&', '&amp;')}</uri>") == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-f", "urdf", "part.ply"], "a model in URDF refers to a .stl, .obj, .dae file"),
        (["-f", "mjcf", "ascii.stl"], "MuJoCo does not read ASCII STL"),
        (["-f", "sdf", "--link", "a::b", "part.stl"], "has '::', which SDF keeps for nesting"),
        (["-f", "sdf", "part.stl", "part.stl"], "--model is for one body, and there are 2; give one file"),
    ],
)
def test_what_no_simulator_would_load_is_refused(tmp_path: Path, arguments: list[str], message: str) -> None:
    triangles = np.array(box((0, 0, 0), (1, 2, 3)), float)
    write_binary_stl(tmp_path / "part.stl", triangles)
    write_ascii_stl(tmp_path / "ascii.stl", triangles)
    (tmp_path / "part.ply").write_bytes((SAMPLES / "tetrahedron.ply").read_bytes())
    files = [] if any(a.endswith((".stl", ".ply")) for a in arguments) else ["part.stl"]
    done = run("compute", *arguments, *files, "--density", "1", "--model", cwd=tmp_path)
    assert done.returncode == 2
    assert message in " ".join(done.err.split())
