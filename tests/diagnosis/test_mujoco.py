"""What MuJoCo takes of URDF and MJCF: every rule of `engines.toml`, and random robots of its elements."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pytest
from cases import each, seeds
from console import run
from engine_robots import KINDS, check_cases, check_random, disagreements, in_mujoco, real
from real_robots import ROBOTS, needs_robots
from simulated import CORNERS, predicted

from massprops.diagnosis.robot_links import LinkOptions
from massprops.measurement.inferred import mesh_moments

pytest.importorskip("mujoco")

ORIGIN = '<inertial><origin xyz="0 0 .01" rpy=".1 .2 .3"/>'
INERTIAL = ORIGIN + '<mass value="{}"/><inertia ixx="{}" iyy="{}" izz="{}" ixy="0" ixz="0" iyz="{}"/></inertial>'
STATED = INERTIAL.format(2, 1, 1, 1.5, 0)
#: A box of 0.2 × 0.4 × 0.6 m: of water, 48 kg.
BOX = '<collision><geometry><box size=".2 .4 .6"/></geometry></collision>'
GEOM = '<geom type="box" size=".1 .2 .3"/>'
MOMENTS = '<inertial pos="0 0 0" mass="2" diaginertia="1 1 1.5"/>'


def urdf(
    link: str, compiler: str = 'fusestatic="false"', kind: str = "continuous", after: str = "", base: str = "base"
) -> str:
    """A base and a link `a` that moves on it."""
    joint = f'<joint name="j" type="{kind}"><parent link="{base}"/><child link="a"/><axis xyz="0 0 1"/></joint>'
    links = f'<link name="{base}">{STATED}</link><link name="a">{link}</link>{joint}{after}'
    return f'<robot name="r"><mujoco><compiler {compiler}/></mujoco>{links}</robot>'


def fixed(link: str) -> str:
    """A link that is fixed to `a`, 1 m away."""
    ends = '<parent link="a"/><child link="f"/><origin xyz="1 0 0" rpy="0 0 1"/>'
    return f'<link name="f">{link}</link><joint name="k" type="fixed">{ends}</joint>'


def mjcf(body: str, compiler: str = "", joint: str = '<joint axis="0 0 1"/>', asset: str = "", after: str = "") -> str:
    """A body `a` that moves."""
    inner = f'<worldbody><body name="a">{joint}{body}</body>{after}</worldbody>'
    return f"<mujoco><compiler {compiler}/><asset>{asset}</asset>{inner}</mujoco>"


def inertial(moments: str, mass: float = 2) -> str:
    return f'<inertial pos="0 0 .01" mass="{mass}" {moments}/>'


def shape(element: str) -> str:
    return f"<collision><geometry>{element}</geometry></collision>"


def mesh(uri: str, more: str = "") -> str:
    return shape(f'<mesh filename="{uri}" {more}/>')


#: Geoms beside the body, and its mass if MuJoCo reads the file.
FIELD = '<hfield name="h" nrow="2" ncol="2" size="1 1 1 1"/>'
WORLD = {
    "size": ('<geom size="0"/>', "refused"),
    "copies": ('<replicate count="2"><frame><geom type="cylinder" size="1 -1"/></frame></replicate>', "refused"),
    "plane": ('<geom type="plane" size="1 1 0"/>', "refused"),
    "undefined": ('<geom type="mesh" mesh="no"/>', "refused"),
    "ends": ('<geom size="1" fromto="0 0 0 0 0 1"/>', "refused"),
    "shell": ('<geom type="mesh" mesh="m" shellinertia="true"/>', "refused"),
    "sizes": ('<geom type="box" size="1"/>', "unknown"),
    "mass": ('<geom size="1" mass="-1"/>', "48"),
    "fitted": ('<geom type="box" mesh="m"/>', "48"),
    "no-field": ('<geom type="hfield" hfield="no"/>', "refused"),
    "other-field": ('<geom size="1" hfield="h"/>', "refused"),
    "field": ('<geom type="hfield" hfield="h"/>', "48"),
    "more-sizes": ('<geom size="1 1 1 1"/>', "unknown"),
    "other-size": ('<geom size="1 x"/>', "unknown"),
    "weight": ('<geom size="1" density="x"/>', "unknown"),
    "sound": ('<geom type="plane" size="0 0 1"/>', "48"),
}
CASES: dict[str, tuple[str, str]] = {
    "stated.urdf": (urdf(STATED + BOX), "2"),
    "none.urdf": (urdf(BOX), "48"),
    "capsule.urdf": (urdf('<collision><geometry><capsule radius=".3" length="1"/></geometry></collision>'), str(126 * np.pi)),
    "group.urdf": (urdf(BOX, 'fusestatic="false" inertiagrouprange="1 1"'), "refused"),
    "true.urdf": (urdf(STATED + BOX, 'inertiafromgeom="true"'), "48"),
    "true-none.urdf": (urdf(STATED, 'inertiafromgeom="true"'), "2"),
    "false.urdf": (urdf(BOX, 'inertiafromgeom="false"'), "refused"),
    "massless.urdf": (urdf(""), "refused"),
    "lumped.urdf": (urdf(STATED, "", after=fixed(STATED)), "4"),
    "lumped-geom.urdf": (urdf(BOX, "", after=fixed(STATED)), "50"),
    "lumped-alone.urdf": (urdf("", "", after=fixed(BOX)), "48"),
    "lumped-total.urdf": (urdf(STATED, 'settotalmass="7"', after=fixed(STATED)), "7"),
    "lumped-bound.urdf": (urdf(STATED, 'boundmass="3"', after=fixed(STATED)), "6"),
    "lumped-from-geoms.urdf": (urdf(STATED, 'inertiafromgeom="true"', after=fixed(STATED + BOX)), "48"),
    "lumped-without-geoms.urdf": (urdf(STATED, 'inertiafromgeom="true"', after=fixed(STATED)), "2"),
    "lumped-negative.urdf": (urdf(INERTIAL.format(-1, 1, 1, 1.5, 0), "", after=fixed(STATED)), "unknown"),
    "to-the-world.urdf": (urdf(STATED, "", "fixed"), "0"),
    "world.urdf": (urdf(STATED, "", base="world"), "2"),
    "world-kept.urdf": (urdf(STATED, base="world"), "2"),
    "is-world.urdf": ('<robot name="r"><link name="a"/></robot>', "0"),
    "floating.urdf": (urdf(STATED, "", "floating"), "2"),
    "floating-kept.urdf": (urdf(STATED, kind="floating"), "refused"),
    "aligned.urdf": (urdf(STATED, 'alignfree="true"', "floating"), "unknown"),
    "other-joint.urdf": (urdf(STATED, kind="hinge"), "unknown"),
    "twice.urdf": (urdf(STATED).replace("<mujoco>", "<mujoco><compiler/>"), "refused"),
    "impossible.urdf": (urdf(INERTIAL.format(2, 1, 1, 2.5, 0)), "refused"),
    "balanced.urdf": (urdf(INERTIAL.format(2, 1, 1, 2.5, 0), 'balanceinertia="true"'), "2"),
    "plate.urdf": (urdf(INERTIAL.format(2, 1, 1, 2, 0)), "2"),
    "plate-turned.urdf": (urdf(INERTIAL.format(1, 1, 1.5, 1.5, 0.5)), "unknown"),
    "negative.urdf": (urdf(INERTIAL.format(2, -1, 1, 1.5, 0), 'balanceinertia="true"'), "refused"),
    "mesh.urdf": (urdf(mesh("sub/l.obj", 'scale=".5 .5 -.5"') + STATED), "2"),
    "missing.urdf": (urdf(STATED + mesh("no.obj")), "refused"),
    "shortened.urdf": (urdf(STATED + mesh("none/../l.obj")), "2"),
    "shortened.xml": (mjcf(GEOM, asset='<mesh file="none/deep/../../l.obj"/>'), "48"),
    "package.urdf": (urdf(STATED + mesh("package://sub/l.obj")), "refused"),
    "stripped.urdf": (urdf(STATED + mesh("package://sub/l.obj"), 'strippath="true" meshdir="sub"'), "2"),
    "drawn.urdf": (urdf(STATED + mesh("no.obj").replace("collision", "visual")), "2"),
    "kept.urdf": (urdf(STATED + mesh("no.obj").replace("collision", "visual"), 'discardvisual="false"'), "refused"),
    "text.urdf": (urdf(mesh("text.stl")), "refused"),
    "one-scale.urdf": (urdf(mesh("l.obj", 'scale="2"')), "refused"),
    "stated.xml": (mjcf(GEOM + inertial('diaginertia="1 1 1.5"')), "2"),
    "none.xml": (mjcf(GEOM), "48"),
    "true.xml": (mjcf(GEOM + inertial('diaginertia="1 1 1.5"'), 'inertiafromgeom="true"'), "48"),
    "false.xml": (mjcf(GEOM, 'inertiafromgeom="false"'), "refused"),
    "false-fixed.xml": (mjcf(GEOM, 'inertiafromgeom="false"', ""), "0"),
    "impossible.xml": (mjcf(inertial('diaginertia="1 1 2.5"')), "refused"),
    "negative.xml": (mjcf(inertial('fullinertia="1 1 -1 0 0 0"') + GEOM, 'inertiafromgeom="true"'), "refused"),
    "zero.xml": (mjcf(inertial('fullinertia="0 0 0 0 0 0"'), joint=""), "refused"),
    "raised.xml": (mjcf(inertial('diaginertia="-1 1 1"'), joint=""), "2"),
    "nearly.xml": (mjcf(inertial('fullinertia="1 1.5 1.5 0 0 .5"')), "unknown"),
    "replicated.xml": (mjcf(GEOM, 'settotalmass="8"', after=f'<replicate count="3"><body name="b">{GEOM}</body></replicate>'), "2"),
    "fused.xml": (mjcf(GEOM + f'<body name="b">{GEOM}</body>', 'fusestatic="true"'), "unknown"),
    "align.xml": (mjcf(GEOM, joint='<freejoint align="true"/>'), "unknown"),
    "nested.xml": (mjcf(GEOM + f'<body name="b"><freejoint/>{GEOM}</body>'), "48"),
    "plane.xml": (mjcf(GEOM + '<geom type="plane" size="1 1 1"/>'), "refused"),
    "field.xml": (mjcf(GEOM + '<geom type="hfield" hfield="h"/>', asset=FIELD), "unknown"),
    "no-field.xml": (mjcf(MOMENTS + '<geom type="hfield"/>', asset=FIELD), "refused"),
    "type.xml": (mjcf(inertial('diaginertia="1 1 1.5"') + '<geom type="cube" size="1"/>'), "unknown"),
    **{f"world-{k}.xml": (mjcf(GEOM, after=g, asset='<mesh name="m" file="l.obj"/>' + FIELD), mass) for k, (g, mass) in WORLD.items()},
    "world-left-out.xml": (mjcf(GEOM, 'discardvisual="true"', after='<geom size="0" contype="0" conaffinity="0"/>'), "unknown"),
    "plane-fixed.xml": (mjcf(GEOM + '<geom type="plane" size="1 1 1"/>', joint=""), "48"),
    "flex.xml": (mjcf(GEOM, 'boundmass="1"', after='<flexcomp name="f" type="grid" count="3 3 1" dim="2"/>'), "48"),
    "flex-total.xml": (mjcf(GEOM, 'settotalmass="100"', after='<flexcomp name="f" type="grid" count="3 3 1" dim="2" mass="2"/>'), "96"),
    "missing.xml": (mjcf(GEOM, asset='<mesh file="no.obj"/>'), "refused"),
    "text.xml": (mjcf(GEOM, asset='<mesh file="text.stl"/>'), "refused"),
    "posed.xml": (mjcf('<geom type="box" size=".1" fromto="0 0 0 0 0 1" pos="0 -0e9 0" euler="9 9 9"/>'), "40"),
    "posed-away.xml": (mjcf('<geom type="box" size=".1" fromto="0 0 0 0 0 1" pos="0 1e-300 0"/>'), "refused"),
    "posed-stated.xml": (
        mjcf('<geom type="box" size=".1" fromto="0 0 0 0 0 1" pos="1 0 0"/>' + inertial('diaginertia="1 1 1.5"')),
        "refused",
    ),
    "ends-of-mesh.xml": (
        mjcf('<geom type="mesh" mesh="m" fromto="0 0 0 0 0 1"/>', asset='<mesh name="m" file="l.obj"/>'),
        "refused",
    ),
    "ends-of-sphere.xml": (mjcf('<geom size="1" fromto="0 0 0 0 0 1"/>' + inertial('diaginertia="1 1 1.5"')), "refused"),
    "undefined.xml": (mjcf('<geom type="mesh" mesh="m"/>' + inertial('diaginertia="1 1 1.5"')), "refused"),
    "discarded.xml": (mjcf(GEOM, 'discardvisual="true"', asset='<mesh file="no.obj"/>'), "unknown"),
    "drawn.xml": (mjcf('<geom size="1" contype="0" conaffinity="0"/>', 'discardvisual="true" inertiafromgeom="true"'), "refused"),
    "negative-mass.xml": (mjcf('<geom size="1" mass="-1"/>'), "refused"),
    "negative-stated.xml": (mjcf('<geom size="1" mass="-1"/>' + inertial('diaginertia="1 1 1.5"')), "unknown"),
    "size.xml": (mjcf(GEOM + '<geom size="0"/>'), "refused"),
    "shell.xml": (mjcf('<geom type="mesh" mesh="m" shellinertia="true"/>', asset='<mesh name="m" file="l.obj"/>'), "refused"),
    "inward.xml": (mjcf(GEOM, asset='<mesh file="inward.obj" inertia="exact"/>'), "refused"),
    "inward-moved.xml": (mjcf(GEOM, asset='<mesh file="inward.obj" inertia="exact" refpos="1 0 0"/>'), "refused"),
    "missing-moved.xml": (mjcf(GEOM, asset='<mesh file="no.obj" refquat="0 1 0 0"/>'), "refused"),
    "moved.xml": (mjcf(GEOM, asset='<mesh file="l.obj" inertia="exact" refpos="1 0 0"/>'), "48"),
    "inward-mirrored.xml": (mjcf(GEOM, asset='<mesh file="inward.obj" inertia="exact" scale="1 1 -1"/>'), "refused"),
    "outward-mirrored.xml": (mjcf(GEOM, asset='<mesh file="l.obj" inertia="exact" scale="1 1 -1"/>'), "48"),
    "inward-legacy.xml": (mjcf(GEOM, asset='<mesh file="inward.obj"/>'), "48"),
    "shell-moved.xml": (
        mjcf(f'<geom type="mesh" mesh="m" shellinertia="true"/>{MOMENTS}', asset='<mesh name="m" file="l.obj" refpos="1 0 0"/>'),
        "refused",
    ),
    "shell-drawn.xml": (
        mjcf(
            f'<geom type="mesh" mesh="m" shellinertia="true" contype="0" conaffinity="0"/>{MOMENTS}',
            'discardvisual="true"',
            asset='<mesh name="m" file="l.obj"/>',
        ),
        "unknown",
    ),
    "plane-spaced.xml": (mjcf(f'<geom type="plane" size="0 -1 .1"/>{MOMENTS}', joint=""), "2"),
    "no-spacing.xml": (mjcf(f'<geom type="plane" size="1 1"/>{MOMENTS}', joint=""), "refused"),
    "spacing.xml": (mjcf(f'<geom type="plane" size="1 1 0"/>{MOMENTS}', joint=""), "refused"),
    "inward-shortened.xml": (mjcf(GEOM, asset='<mesh file="none/../inward.obj" inertia="exact"/>'), "refused"),
    "flat-scale.xml": (mjcf(GEOM, asset='<mesh file="l.obj" inertia="exact" scale="1 0 1"/>'), "refused"),
    "flat-scale-hull.xml": (mjcf(GEOM, asset='<mesh file="l.obj" inertia="convex" scale="1 0 1"/>'), "refused"),
    "flat-scale-shell.xml": (mjcf(GEOM, asset='<mesh file="l.obj" inertia="shell" scale="1 0 1"/>'), "48"),
    "line-scale-shell.xml": (mjcf(GEOM, asset='<mesh file="l.obj" inertia="shell" scale="0 0 1"/>'), "refused"),
    "flat-hull.xml": (mjcf(GEOM, asset='<mesh file="flat.obj" inertia="convex"/>'), "refused"),
    "flat-shell.xml": (mjcf(GEOM, asset='<mesh file="flat.obj" inertia="shell"/>'), "unknown"),
    "keyword.xml": (mjcf(GEOM.replace("/>", ' shellinertia="1"/>')), "unknown"),
    "nameless-mesh.xml": (mjcf(f'<geom type="mesh"/>{MOMENTS}'), "refused"),
    "length.xml": (mjcf(f'<geom type="capsule" size=".1"/>{MOMENTS}'), "unknown"),
    "plane-drawn.xml": (
        mjcf(f'<geom type="plane" size="1 1 1" contype="0" conaffinity="0"/>{MOMENTS}', 'discardvisual="true"'),
        "unknown",
    ),
    "length.urdf": (urdf(STATED + shape('<cylinder radius=".1"/>')), "unknown"),
    "no-shape.urdf": (urdf(STATED + shape("")), "unknown"),
    "flat.urdf": (urdf(STATED + shape('<box size="1 1 0"/>')), "refused"),
    "flat-mesh.urdf": (urdf(STATED + mesh("l.obj", 'scale="0 1 1"')), "refused"),
    "length-drawn.urdf": (urdf(STATED + shape('<cylinder radius=".1"/>').replace("collision", "visual")), "2"),
    "length-kept.urdf": (
        urdf(STATED + shape('<cylinder radius=".1"/>').replace("collision", "visual"), 'discardvisual="false"'),
        "unknown",
    ),
    "repeated.xml": (mjcf(GEOM, after=f'<body name="a">{GEOM}</body>'), "refused"),
}  # fmt: skip


def test_mujoco_takes_what_its_rules_say(tmp_path: Path) -> None:
    check_cases(tmp_path, "mujoco", in_mujoco, CASES)


@pytest.mark.parametrize("suffix", ["urdf", "xml"])
def test_mujoco_takes_what_is_predicted_of_random_robots(tmp_path: Path, suffix: str) -> None:
    check_random(tmp_path, "mujoco", in_mujoco, suffix, seeds(20), 0.3)


def test_integrals_over_a_mesh_have_the_volumes_and_area_of_an_l() -> None:
    """Five squares of 0.1 m, nine less half a square of four for the hull, and the perimeter times the thickness."""
    found = {how: mesh_moments(CORNERS, how) for how in KINDS}
    assert found["exact"].measure == pytest.approx(0.05 * 0.14)
    assert found["convex"].measure == pytest.approx(0.07 * 0.14)
    assert found["shell"].measure == pytest.approx(2 * 0.05 + 1.2 * 0.14)
    assert found["exact"].centroid == pytest.approx([0.11, 0.11, 0.07])
    assert found["legacy"].measure > found["exact"].measure * 1.01
    assert mesh_moments(CORNERS[:, ::-1], "legacy").measure == pytest.approx(found["legacy"].measure)


def test_the_rotation_of_an_inertial_is_compared(tmp_path: Path) -> None:
    """A quarter turn about z exchanges the moments about x and y."""
    path = tmp_path / "r.urdf"
    turned = INERTIAL.format(1, 1, 2, 2.5, 0).replace(".1 .2 .3", f"0 0 {np.pi / 2}")
    path.write_text(urdf(turned), encoding="utf-8")
    done = run("check", path, "--engine", "mujoco", "--format", "json")
    (body,) = (c["engines"][0] for c in done.result["checked"] if c["place"] == "a")
    assert body["verdict"] == "same"
    assert np.array(body["takes"]["inertia"]) == pytest.approx(np.diag([2, 1, 2.5]), abs=1e-9)
    assert np.array(body["takes"]["inertia"]) == pytest.approx(in_mujoco(path)["a"][2], abs=1e-9)


def test_links_that_are_lumped_are_shown_as_one(tmp_path: Path) -> None:
    path = tmp_path / "r.urdf"
    path.write_text(urdf(STATED, "", after=fixed(STATED)), encoding="utf-8")
    found = predicted(path, "mujoco")
    assert [found[name].verdict for name in ("base", "a", "f")] == ["lumped", "lumped", "lumped"]
    assert found["a"].expected.mass == 4  # of both, as stated
    assert not [f for name in found if (f := found[name].finding())]
    shown = " ".join(run("check", path, "--engine", "mujoco", "--output-units", "kg").out.split())
    assert "MuJoCo: 0 of 3 links differ, 3 lumped" in shown
    assert "lumped into the world (fusestatic): base" in shown
    assert "lumped into 'a' (fusestatic): f" in shown
    path.write_text(urdf(STATED, 'settotalmass="7"', after=fixed(STATED)), encoding="utf-8")
    found = predicted(path, "mujoco")
    assert [found[name].verdict for name in ("base", "a", "f")] == ["lumped", "differs", "lumped"]


@needs_robots
# the others have large meshes
@each("path", sorted(ROBOTS.rglob("*.urdf"))[: None if "MASSPROPS_CASES" in os.environ else 4])
def test_mujoco_takes_what_is_predicted_of_public_robots(tmp_path: Path, path: Path) -> None:
    """With their meshes beside them, and once without their inertials: legacy integrals over the meshes of their collisions."""
    plain = re.sub(r"<\?xml.*?\?>|<mujoco>.*?</mujoco>", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    search = LinkOptions().search.beside(path)
    uris = sorted(set(re.findall(r'filename="([^"]+\.(?:stl|obj|dae))"', plain, flags=re.IGNORECASE)))
    # MuJoCo keeps meshes by name and time: files of two robots have no name in common
    names = {uri: f"{path.stem}{k}{Path(uri).suffix}" for k, uri in enumerate(uris)}
    for uri, name in names.items():
        (tmp_path / name).write_bytes(search.mesh_file(uri).read_bytes())
    renamed = re.sub(r'filename="([^"]+)"', lambda m: f'filename="{names.get(m[1], m[1])}"', plain)
    copy = tmp_path / "r.urdf"
    for turn, text in enumerate((renamed, re.sub("<inertial>.*?</inertial>", "", renamed, flags=re.DOTALL))):
        kept = '<mujoco><compiler fusestatic="false"/></mujoco>' * ((turn + len(uris)) % 2)
        copy.write_text(re.sub("(<robot[^>]*>)", rf"\1{kept}", text, count=1), encoding="utf-8")
        assert disagreements(predicted(copy, "mujoco"), real(in_mujoco, copy)) == [], path.name
