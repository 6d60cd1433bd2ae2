"""What Drake takes of URDF, SDF and MJCF: every rule of `engines.toml`, and random robots of its elements."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from cases import seeds
from engine_robots import check_cases, check_random, disagreements, in_drake, real
from simulated import predicted, write_meshes

pytest.importorskip("pydrake.multibody.parsing", reason="the extra `engines` is not installed")

INERTIAL = '<inertial><mass value="{}"/><inertia ixx="{}" iyy="{}" izz="{}" ixy="0" ixz="0" iyz="{}"/></inertial>'
STATED = INERTIAL.format(2, 1, 1, 1.5, 0)
#: A box of 0.2 × 0.4 × 0.6 m: of water, 48 kg.
BOX = '<collision><geometry><box size=".2 .4 .6"/></geometry></collision>'
GEOM = '<geom type="box" size=".1 .2 .3"/>'
MJCF_INERTIAL = '<inertial pos="0 0 .01" mass="2" diaginertia="1 1 1.5"/>'
SDF_BOX = '<collision name="c">{}<geometry><box><size>.2 .4 .6</size></box></geometry></collision>'
SDF_FLAT = '<collision name="c"><geometry><sphere><radius>0</radius></sphere></geometry></collision>'
SDF_MESH = '<collision name="c"><geometry><mesh><uri>l.obj</uri></mesh></geometry></collision>'


def urdf(link: str, name: str = 'name="r"', kind: str = "continuous", base: str = "base", more: str = "") -> str:
    """A base and a link `a` that moves on it."""
    joint = f'<joint name="j" type="{kind}" {more}><parent link="{base}"/><child link="a"/><axis xyz="0 0 1"/></joint>'
    return f'<robot {name}><link name="{base}">{STATED}</link><link name="a" {more}>{link}</link>{joint}</robot>'


def mjcf(body: str, compiler: str = "", asset: str = "", default: str = "", model: str = 'model="m"') -> str:
    """A body `a` that moves."""
    head = f"<compiler {compiler}/><default>{default}</default><asset>{asset}</asset>"
    return f'<mujoco {model}>{head}<worldbody><body name="a"><joint/>{body}</body></worldbody></mujoco>'


def sdf(link: str) -> str:
    return f'<sdf version="1.11"><model name="m"><link name="a">{link}</link></model></sdf>'


def sdf_inertial(yy: float, zz: float, yz: float = 0) -> str:
    inertia = f"<ixx>1</ixx><iyy>{yy}</iyy><izz>{zz}</izz><iyz>{yz}</iyz>"
    return f"<inertial><mass>2</mass><inertia>{inertia}</inertia></inertial>"


#: A class with a geom, in one with a geom.
OWN = '<geom size=".1 .2 .3"/><default class="c"><geom mass="3"/></default>'

SDF_STATIC = (
    '<static>true</static><link name="b"/><joint name="j" type="ball"><parent>b</parent><child>a</child></joint>'
)

CASES: dict[str, tuple[str, str]] = {
    "stated.urdf": (urdf(STATED + BOX), "2"),
    "none.urdf": (urdf(BOX), "0"),
    "water.urdf": (urdf(INERTIAL.format(3, 1, 1, 2.5, 0)), "3"),
    "massless.urdf": (urdf(INERTIAL.format(0, 1, 1, 1.5, 0)), "1"),
    "negative.urdf": (urdf(INERTIAL.format(-1, 0, 0, 0, 0)), "1"),
    "nearly.urdf": (urdf(INERTIAL.format(1, 1e3, 1.5e3, 1.5e3, 0.5e3 + 2e-12)), "unknown"),
    "nameless.urdf": (urdf(STATED, name=""), "refused"),
    "ignored.urdf": (urdf(STATED, more='drake_ignore="true"'), "unknown"),
    "other.urdf": (urdf(STATED, kind="hinge"), "refused"),
    "world.urdf": (urdf(STATED, base="world"), "2"),
    "twice.urdf": (urdf(STATED).replace('"base"', '"a"', 1), "refused"),
    "faulty.urdf": (urdf(STATED + BOX.replace("size", "sizes")), "unknown"),
    "stated.sdf": (sdf(sdf_inertial(1, 1.5) + SDF_BOX.format("")), "2"),
    "static.sdf": (sdf(sdf_inertial(1, 1.5)).replace("<link", SDF_STATIC + "<link"), "refused"),
    "impossible.sdf": (sdf(sdf_inertial(1, 2.5)), "2"),
    "faulty.sdf": (sdf(sdf_inertial(1, 1.5) + SDF_BOX.format("").replace("<size>", "<size>x")), "unknown"),
    "faulty-world.xml": (mjcf(GEOM).replace("<body", '<geom size="0"/><body'), "unknown"),
    "unread-world.xml": (mjcf(GEOM).replace("<body", '<geom size="x"/><body'), "unknown"),
    "none.sdf": (sdf(SDF_BOX.format("")), "1"),
    "auto.sdf": (sdf('<inertial auto="true"/>' + SDF_BOX.format("<density>500</density>")), "24"),
    "auto-flat.sdf": (sdf('<inertial auto="true"/>' + SDF_FLAT), "unknown"),
    "auto-none.sdf": (sdf('<inertial auto="true"/>'), "refused"),
    "auto-mesh.sdf": (sdf('<inertial auto="true"/>' + SDF_MESH), "unknown"),
    "stated.xml": (mjcf(GEOM + MJCF_INERTIAL), "2"),
    "true.xml": (mjcf(GEOM + MJCF_INERTIAL, 'inertiafromgeom="true"'), "48"),
    "false.xml": (mjcf(GEOM, 'inertiafromgeom="false"'), "refused"),
    "impossible.xml": (mjcf(MJCF_INERTIAL.replace("1.5", "2.5")), "refused"),
    "none.xml": (mjcf(GEOM, 'boundmass="99" settotalmass="7" inertiagrouprange="1 1"'), "48"),
    "frame.xml": (mjcf(f"<frame>{GEOM}</frame>"), "0"),
    "replicate.xml": (mjcf(f'<replicate count="2">{GEOM}</replicate>{GEOM}'), "48"),
    "framed-inertial.xml": (mjcf(f"<frame>{MJCF_INERTIAL}</frame>{GEOM}"), "48"),
    "framed-body.xml": (mjcf(GEOM).replace("<body", "<frame><body").replace("</body>", "</body></frame>"), "0"),
    "attach.xml": (mjcf(GEOM).replace("</worldbody>", '<attach body="a" prefix="p"/></worldbody>'), "48"),
    "fromto.xml": (mjcf(GEOM + '<geom type="box" size=".1" fromto="0 0 0 0 0 1"/>'), "48"),
    "inline.xml": (mjcf(GEOM + '<geom type="mesh" mesh="m"/>', asset='<mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>'), "48"),
    "class.xml": (mjcf('<geom class="c" size=".1"/>', default='<geom density="5"/><default class="c"/>'), "unknown"),
    "class-of-its-own.xml": (mjcf('<geom class="c" type="box"/>', default=OWN), "3"),
    "mesh.xml": (mjcf('<geom type="mesh" mesh="l"/>', asset='<mesh file="l.obj" inertia="convex"/>'), "7"),
    "points.xml": (mjcf('<geom type="mesh" mesh="points"/>', asset='<mesh file="points.obj"/>'), "unknown"),
    "stl.xml": (mjcf(GEOM, asset='<mesh file="l.stl"/>'), "refused"),
    "missing.xml": (mjcf(GEOM, asset='<mesh file="no.obj"/>'), "refused"),
    "stripped.xml": (mjcf(GEOM, 'strippath="true"', '<mesh file="no/l.obj"/>'), "unknown"),
    "fitted.xml": (mjcf('<geom type="box" mesh="l"/>', asset='<mesh file="l.obj"/>'), "refused"),
    "negative.xml": (mjcf('<geom size=".1" mass="-1"/>'), "unknown"),
    "size.xml": (mjcf('<geom size="0"/>'), "unknown"),
    "joints.xml": (mjcf(f'<joint type="slide"/><body name="a0">{GEOM}</body>{GEOM}'), "48"),
    "nameless.xml": (mjcf(GEOM, model=""), "refused"),
}  # fmt: skip


def test_drake_takes_what_its_rules_say(tmp_path: Path) -> None:
    check_cases(tmp_path, "drake", in_drake, CASES, but=["ends the program"])


def test_a_mass_of_zero_ends_the_program(tmp_path: Path) -> None:
    path = tmp_path / "r.xml"
    path.write_text(mjcf('<inertial pos="0 0 0" mass="0" diaginertia="0 0 0"/>'), encoding="utf-8")
    assert predicted(path, "drake")["a"].refused
    code = (
        "import sys; from pydrake.multibody.plant import MultibodyPlant; from pydrake.multibody.parsing import Parser;"
    )
    code += "plant = MultibodyPlant(0.0); Parser(plant).AddModels(sys.argv[1])"
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, check=False)
    assert b"condition 'mass > 0' failed" in done.stderr


@pytest.mark.parametrize(("suffix", "taken"), [("urdf", 0.7), ("xml", 0.5), ("sdf", 0.5)])
def test_drake_takes_what_is_predicted_of_random_robots(tmp_path: Path, suffix: str, taken: float) -> None:
    check_random(tmp_path, "drake", in_drake, suffix, seeds(40), taken)


def test_bodies_in_frames_are_not_there(tmp_path: Path) -> None:
    """Of a `<replicate>` in a `<frame>` in a body nothing is left, and the body without it has the rest."""
    write_meshes(tmp_path)
    path = tmp_path / "r.xml"
    inner = f'<frame><replicate count="2"><body name="b">{GEOM}</body>{GEOM}</replicate></frame>'
    path.write_text(mjcf(GEOM + inner), encoding="utf-8")
    found = predicted(path, "drake")
    assert [body.takes and body.takes.mass for body in found.values()] == [pytest.approx(48), 0, 0]
    assert disagreements(found, real(in_drake, path)) == []
