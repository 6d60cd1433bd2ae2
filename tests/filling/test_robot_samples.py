"""Random robots: only the inertials change, the same seed gives the same bytes, and simulators accept every sample."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import massprops
from massprops.errors import InvalidInput, MasspropsError, ReadError
from massprops.filling.robot_samples import sample

NUMBERS = 'ixx="0.02" iyy="0.03" izz="0.04" ixy="0.001" ixz="-0.002" iyz="0.003"'
URDF = f"""<robot name="r">\r
  <link name="world"/> <!-- kept -->\r
  <link name="a"><inertial><origin xyz="1 2 3"/><mass value="2"/><inertia {NUMBERS}/></inertial></link>\r
  <link name="b"><inertial><mass value="1"/><inertia {NUMBERS}/></inertial></link>\r
  <joint name="j" type="floating"><parent link="world"/><child link="a"/></joint>\r
  <joint name="k" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>\r
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>\r
</robot>\r
"""
SIX = "".join(f"<{k}>{v}</{k}>" for k, v in re.findall(r'(\w+)="(\S+)"', NUMBERS))
SDF = f"""<sdf version="1.11"><model name="m"><link name="a">
  <inertial><pose>1 2 3 0 0 0</pose><mass>2</mass><inertia>{SIX}</inertia></inertial></link></model></sdf>"""
MJCF = """<mujoco model="m"><worldbody><body name="a"><freejoint/>
  <inertial pos="1 2 3" mass="2" fullinertia="0.02 0.03 0.04 0.001 -0.002 0.003"/></body></worldbody></mujoco>"""
ALL = {"mass": "20%", "com": "3mm", "inertia": "30%"}


def write(folder: Path, text: str, name: str = "robot.urdf") -> str:
    (folder / name).write_bytes(text.encode())
    return str(folder / name)


def test_only_the_inertials_change_and_every_link_has_its_own(tmp_path: Path) -> None:
    samples = massprops.sample(write(tmp_path, URDF), n=3, **ALL, seed=7)
    assert (len(samples), samples.unchanged) == (3, ("world",))
    for each in samples:
        assert re.sub(r"<inertial>.*?</inertial>", "", each.data.decode(), flags=re.DOTALL) == re.sub(
            r"<inertial>.*?</inertial>", "", URDF, flags=re.DOTALL
        )
        assert each.bodies["a"].mass / 2 != each.bodies["b"].mass
    assert len({each.data for each in samples}) == 3


def test_a_seed_repeats_the_bytes_whatever_else_is_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path, URDF)
    few, many = sample(path, n=2, **ALL, seed=7), sample(path, n=100, **ALL, seed=7)
    assert [s.data for s in few] == [many[0].data, many[1].data]
    assert [s.name for s in few] == ["robot-0.urdf", "robot-1.urdf"]
    assert many[-1].name == "robot-99.urdf"
    assert few[0].data != sample(path, n=2, **ALL, seed=8)[0].data
    alone = sample(path, **ALL, seed=7, links="b")
    assert alone.unchanged == ("world", "a")
    assert alone[0].bodies == {"b": few[0].bodies["b"]}
    # pinned: the stream of numpy's MT19937 and RandomState is frozen, so every machine has this factor
    random = np.random.RandomState(np.random.MT19937(np.random.SeedSequence([7, 0, 2])))
    factor = np.exp(np.sqrt(np.log1p(0.04)) * random.standard_normal() - np.log1p(0.04) / 2)
    assert few[0].bodies["a"].mass == pytest.approx(2 * factor, rel=1e-14)


@pytest.mark.parametrize(("name", "text"), [("r.urdf", URDF), ("r.sdf", SDF), ("r.xml", MJCF)])
def test_simulators_accept_every_sample(tmp_path: Path, name: str, text: str) -> None:
    samples = sample(write(tmp_path, text, name), n=50, **ALL, seed=3)
    for each in samples:
        body = each.bodies["a"]
        assert body.consistency().ok
        if name != "r.sdf":
            mujoco = pytest.importorskip("mujoco")
            loaded = mujoco.MjModel.from_xml_string(each.data.decode())
            assert loaded.body("a").mass[0] == pytest.approx(body.mass, rel=1e-12)


COMPILERS = {
    "boundmass": 'boundmass="2"',
    "boundinertia": 'boundinertia="0.02"',
    "settotalmass": 'settotalmass="5"',
    "inertiafromgeom": 'inertiafromgeom="true"',
    "balanceinertia": 'balanceinertia="true"',
}


@pytest.mark.parametrize("name", ["r.xml", "r.urdf"])
@pytest.mark.parametrize("setting", COMPILERS)
def test_it_is_said_of_each_sample_whether_mujoco_changes_it(tmp_path: Path, name: str, setting: str) -> None:
    """Exactly where the model that MuJoCo compiles has another mass or other moments; a possible body needs no balance."""
    mujoco = pytest.importorskip("mujoco")
    compiler, shape = f"<compiler {COMPILERS[setting]}/>", '<geom size="0.1"/>'
    text = MJCF.replace("<worldbody>", f"{compiler}<worldbody>").replace("</body>", f"{shape}</body>")
    if name == "r.urdf":
        ball = '<collision><geometry><sphere radius="0.1"/></geometry></collision></link>'
        text = URDF.replace("</inertial></link>", "</inertial>" + ball)
        text = text.replace("</robot>", f"<mujoco>{compiler}</mujoco></robot>")
    changed = 0
    for each in sample(write(tmp_path, text, name), n=40, **ALL, seed=3, links="a"):
        body, loaded = each.bodies["a"], mujoco.MjModel.from_xml_string(each.data.decode()).body("a")
        same = loaded.mass[0] == pytest.approx(body.mass, rel=1e-9) and sorted(loaded.inertia) == pytest.approx(
            sorted(body.principal().moments), rel=1e-9
        )
        assert same == (each.findings == ()), (body, each.findings)
        assert all(f.severity == "warning" and setting in f.message for f in each.findings)
        assert [f["code"] for f in each.to_dict()["findings"]] == [f.code for f in each.findings]
        changed += not same
    assert {"boundmass": 5 < changed < 35, "boundinertia": 5 < changed < 35, "balanceinertia": changed == 0}.get(
        setting, changed == 40
    )


@pytest.mark.other_programs
@pytest.mark.parametrize(("name", "text"), [("r.urdf", URDF), ("r.sdf", SDF), ("r.xml", MJCF)])
def test_drake_and_pinocchio_accept_every_sample(tmp_path: Path, name: str, text: str) -> None:
    parsing = pytest.importorskip("pydrake.multibody.parsing", reason="the extra `readers` is not installed")
    pinocchio = pytest.importorskip("pinocchio", reason="the extra `readers` is not installed", exc_type=ImportError)
    from pydrake.multibody.plant import MultibodyPlant

    for each in sample(write(tmp_path, text, name), n=50, **ALL, seed=3):
        plant = MultibodyPlant(0.0)
        parsing.Parser(plant).AddModelsFromString(each.data.decode(), Path(name).suffix[1:])
        plant.Finalize()
        found = plant.GetBodyByName("a").default_spatial_inertia()
        assert found.get_mass() == pytest.approx(each.bodies["a"].mass, rel=1e-12)
        assert found.IsPhysicallyValid()
        if name == "r.urdf":
            model = pinocchio.buildModelFromXML(each.data.decode())
            assert model.inertias[1].mass == pytest.approx(each.bodies["a"].mass, rel=1e-12)


BAD = {
    "no inertial": (URDF.replace('<mass value="2"/>', '<mass value="-2"/>'), ReadError, "impossible-inertial"),
    "impossible": (URDF.replace('izz="0.04"', 'izz="0.4"', 1), ReadError, "impossible-inertial"),
    "flat": (
        re.sub(r'(i(xy|xz|yz))="\S+"', r'\1="0"', URDF).replace('izz="0.04"', 'izz="0.05"'),
        ReadError,
        "not-positive-definite",
    ),
    "broken": (URDF.replace('value="2"', 'value="two"'), ReadError, "bad-number"),
    "empty": ("<robot name='r'><link name='a'/></robot>", InvalidInput, "invalid-input"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_has_no_possible_neighbour_is_refused(tmp_path: Path, case: str) -> None:
    text, kind, code = BAD[case]
    with pytest.raises(MasspropsError) as caught:
        sample(write(tmp_path, text), **ALL)[0]
    assert (type(caught.value), caught.value.code) == (kind, code), str(caught.value)


def test_a_link_of_an_included_file_is_refused(tmp_path: Path) -> None:
    write(tmp_path, MJCF.replace("mujoco", "mujocoinclude"), "part.xml")
    path = write(tmp_path, '<mujoco><include file="part.xml"/></mujoco>', "robot.xml")
    with pytest.raises(InvalidInput, match="stands in an included file"):
        sample(path, **ALL)
