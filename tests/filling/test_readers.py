"""`filling/robot` against simulators and libraries that share no code with the program: they find the same numbers."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from real_robots import ROBOTS, files_measured_once, known_links, needs_robots

from massprops.filling import Filled, fill
from massprops.formats.robot import read_robot
from massprops.rigid_body.mass_properties import MassProperties

#: Readers turn tensors into principal axes, or move them to the frame of the link: some roundings of the largest entry.
READ_BACK = 1e-12
NO_READER = "the extra `readers` is not installed"
pytestmark = [pytest.mark.other_programs, needs_robots]

#: By link: mass, centre of mass, tensor about it.
Numbers = dict[str, tuple[float, Any, Any]]


@pytest.fixture(scope="module", params=sorted(p.stem for p in ROBOTS.rglob("*.urdf")) if ROBOTS.is_dir() else [])
def robot(request: pytest.FixtureRequest) -> Filled:
    (path,) = ROBOTS.rglob(f"{request.param}.urdf")
    with files_measured_once():
        return fill(path, density=1240, links="all")


def in_mujoco(text: str) -> Numbers:
    import mujoco

    plain = re.sub(r"<(visual|collision)\b.*?</\1>", "", text, flags=re.DOTALL)  # it reads no packages
    settings = '<mujoco><compiler fusestatic="false"/></mujoco></robot>'
    model = mujoco.MjModel.from_xml_string(plain.replace("</robot>", settings))
    turns = np.zeros((model.nbody, 9))
    for turn, quaternion in zip(turns, model.body_iquat, strict=True):
        mujoco.mju_quat2Mat(turn, quaternion)
    tensors = [r @ np.diag(d) @ r.T for r, d in zip(turns.reshape(-1, 3, 3), model.body_inertia, strict=True)]
    return {model.body(i).name: (model.body_mass[i], model.body_ipos[i], tensors[i]) for i in range(1, model.nbody)}


def in_yourdfpy(text: str) -> Numbers:
    import io

    import yourdfpy

    robot = yourdfpy.URDF.load(io.BytesIO(text.encode()), build_scene_graph=False, load_meshes=False).robot
    stated = ((link.name, link.inertial) for link in robot.links if link.inertial is not None)
    return {name: (i.mass, i.origin[:3, 3], i.inertia) for name, i in stated}


def in_pinocchio(text: str) -> Numbers:
    pinocchio = pytest.importorskip("pinocchio", reason=NO_READER, exc_type=ImportError)
    free = re.sub(
        r"type\s*=\s*[\"']fixed[\"']", 'type="floating"', text
    )  # else it lumps links that are fixed to others
    model = pinocchio.buildModelFromXML(free, pinocchio.JointModelFreeFlyer())
    bodies = [f for f in model.frames if f.type == pinocchio.FrameType.BODY]
    inertias = {f.name: model.inertias[f.parentJoint] for f in bodies}
    return {name: (i.mass, i.lever, i.inertia) for name, i in inertias.items()}


def in_drake(text: str) -> Numbers:
    parsing = pytest.importorskip("pydrake.multibody.parsing", reason=NO_READER)
    from pydrake.multibody.plant import MultibodyPlant

    plant = MultibodyPlant(0.0)
    parsing.Parser(plant).AddModelsFromString(text, "urdf")
    plant.Finalize()
    found = {}
    for body in (plant.get_body(i) for m in range(2, plant.num_model_instances()) for i in _bodies(plant, m)):
        inertia = body.default_spatial_inertia()
        mass, com = inertia.get_mass(), inertia.get_com()
        about_origin = inertia.CalcRotationalInertia().CopyToFullMatrix3()
        central = about_origin - mass * (com @ com * np.eye(3) - np.outer(com, com))
        found[body.name()] = mass, com, central
    return found


def _bodies(plant: Any, number: int) -> list[Any]:
    from pydrake.multibody.tree import ModelInstanceIndex

    return plant.GetBodyIndices(ModelInstanceIndex(number))


@pytest.mark.parametrize("reader", [in_mujoco, in_yourdfpy, in_pinocchio, in_drake])
def test_what_was_filled_is_read_as_the_same_numbers(robot: Filled, reader: Callable[[str], Numbers]) -> None:
    try:
        reader(robot.original.decode())
    except (RuntimeError, ValueError) as error:  # what each raises of a file that it does not take
        pytest.skip(f"{reader.__name__[3:]} does not load the original: {str(error)[:80]}")
    found = reader(robot.text)
    compared = 0
    for link in robot.links:
        if link.after is None or link.name not in found:  # MuJoCo makes the root the world, which has no mass
            continue
        mass, com, inertia = found[link.name]
        size = np.sqrt(np.trace(link.after.inertia) / link.after.mass) + np.abs(link.after.com).max()
        assert mass == pytest.approx(link.after.mass, rel=READ_BACK)
        assert np.asarray(com) == pytest.approx(link.after.com, abs=READ_BACK * size)
        assert np.asarray(inertia) == pytest.approx(link.after.inertia, abs=READ_BACK * link.after.mass * size**2)
        compared += 1
    assert compared >= len([f for f in robot.links if f.after is not None]) - 1 > 0


def test_links_from_cad_come_out_as_their_makers_wrote_them(
    robot: Filled, record_property: Callable[[str, object], None]
) -> None:
    """From mesh and mass alone. Which links are CAD's own was found with another library: `links_measured.json` of the corpus."""
    stated = {k["link"] for k in known_links() if "GOLD_T" in k["flags"] and k["file"].endswith(Path(robot.path).name)}
    checked = {link.name: link for link in robot.links if link.name in stated}
    assert checked.keys() == stated
    for name, link in checked.items():
        assert link.error is None, name
        centre, moments = off(link.before, link.after)
        record_property(name, f"centre {centre:.2%}, moments {moments:.2%}")
        assert (centre < 0.01, moments < 0.02) == (True, True), name


def off(before: MassProperties, after: MassProperties) -> tuple[float, float]:
    """How far the centres are apart, over the size of a box of this inertia; the largest difference of the principal moments."""
    size = float(np.linalg.norm(after.equivalent_box().edges))
    moments = after.principal().moments * before.mass / after.mass / before.principal().moments
    return float(np.linalg.norm(after.com - before.com)) / size, float(np.abs(moments - 1).max())


def test_links_that_cannot_be_filled_stay_and_the_others_have_the_new_numbers(robot: Filled, tmp_path: Path) -> None:
    again = tmp_path / "again.urdf"
    again.write_bytes(robot.data)
    bodies = {link.name: link.body.properties for link in read_robot(str(again)) if link.body is not None}
    for link in robot.links:
        expected = link.before if link.error is not None else link.after
        assert (link.name in bodies) == (expected is not None)
        if expected is not None:
            assert bodies[link.name] == expected
