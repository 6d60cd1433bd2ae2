"""Bodies of MJCF models against MuJoCo: copies, attached models, meshes without a file, flexible bodies, and what bears mass in its schema.

Modules tested: `formats/robot/mjcf_model`, `formats/robot/flexcomp`, `formats/robot/includes`, `measurement/inferred`.
"""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from cases import each, raised, seeds
from console import run

import massprops
from massprops.errors import MasspropsError
from massprops.formats.robot import read_robot
from massprops.formats.robot.mjcf_model import READ, UNREAD

mujoco = pytest.importorskip("mujoco")

INERTIAL = '<inertial pos=".1 .2 .3" mass="2" diaginertia=".2 .3 .4" quat="1 .2 .3 .4"/>'
CUBE = [" ".join(map(str, corner)) for corner in itertools.product((-1, 1), repeat=3)]
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 7 7 7\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
FILES = {
    "dent.obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv .2 .2 .1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 5\nf 3 4 5\nf 4 2 5\n",
    "loose.obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv .2 .2 .1\nv 2 1 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 5\nf 3 4 5\nf 4 2 5\n",
    "hull.obj": "".join(f"v {corner}\n" for corner in CUBE),
    "deep/tet.obj": TETRAHEDRON,
    "tet.obj": TETRAHEDRON,
    "child.xml": f"""<mujoco model="Child"><default><geom density="500"/></default><worldbody><geom size=".3"/>
        <frame name="f" pos="0 1 0" euler="90 0 0"><body name="part" pos="1 0 0">{INERTIAL}</body><geom size=".2" pos="1 0 0"/></frame>
        </worldbody></mujoco>""",
}


def saved(folder: Path, text: str) -> Path:
    for name, content in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    path = folder / "model.xml"
    path.write_text(f"<mujoco>{text}</mujoco>", encoding="utf-8")
    return path


def simulated(path: Path) -> tuple[object, dict[str, float], np.ndarray, np.ndarray]:
    """The model of MuJoCo, its masses by name, its centre of mass, and its inertia about that."""
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    masses = {model.body(k).name or f"body{k}": float(model.body_mass[k]) for k in range(1, model.nbody)}
    centre, tensor = data.subtree_com[0], np.zeros((3, 3))
    for k in range(1, model.nbody):
        axes, away = data.ximat[k].reshape(3, 3), data.xipos[k] - centre
        own = axes @ np.diag(model.body_inertia[k]) @ axes.T
        tensor += own + model.body_mass[k] * (away @ away * np.eye(3) - np.outer(away, away))
    return model, masses, centre, tensor


def agree(path: Path, tolerance: float = 1e-9) -> None:
    """Combine gives mass, centre and inertia of MuJoCo's model, and the bodies have their names and masses."""
    _, masses, centre, tensor = simulated(path)
    found = massprops.combine(path)
    body, total = found.body.properties, sum(masses.values())
    assert body.mass == pytest.approx(total, rel=tolerance)
    size = np.linalg.norm(centre) + np.sqrt(np.trace(tensor) / total)
    np.testing.assert_allclose(body.com, centre, rtol=0, atol=tolerance * size)
    np.testing.assert_allclose(body.inertia, tensor, rtol=0, atol=tolerance * total * size**2)
    if "flexcomp" not in path.read_text(encoding="utf-8"):
        ours = {part.body.name: part.body.properties.mass for part in found.parts}
        assert ours == pytest.approx({name: mass for name, mass in masses.items() if mass}, rel=tolerance)


WORLD = "<worldbody>{}</worldbody>"
MESH = """<asset><mesh name="m" {}/></asset><worldbody><body name="b" pos="1 2 3"><freejoint/>
<geom type="mesh" mesh="m" density="2"/></body></worldbody>"""
FACES = 'vertex="0 0 0  1 0 0  0 1 0  0 0 1" face="0 2 1  0 1 3  0 3 2  1 2 3"'
BODY = '<worldbody><body name="b" pos="1 2 3"><freejoint/>{}</body></worldbody>'
ATTACH = '<asset><model file="child.xml"/></asset><worldbody><body name="base">{}<frame pos="0 0 1">{}</frame></body></worldbody>'
GRID = '<flexcomp name="s" type="grid" count="4 3 {}" spacing=".1 .2 .1" radius=".01" pos="0 0 5" euler="10 20 30" mass="4" {}'
OF_MESH = '<flexcomp name="s" type="mesh" file="tet.obj" radius=".01" mass="2" scale="2 1 1" euler="0 0 90" {}/>'
VALID = {
    "geoms": BODY.format('<replicate count="6" euler="0 0 60"><geom size="0.05" pos="0.3 0 0"/></replicate>'),
    "bodies": f"""<worldbody><body name="rail">{INERTIAL}<replicate count="11" offset="0.1 0 0.2" euler="10 20 30">
        <body name="tooth" pos="0 0 0.2">{INERTIAL}</body></replicate></body></worldbody>""",
    "copies of copies": f"""<worldbody><replicate count="2" offset="1 0 0" sep="-"><frame pos="0 0 1" euler="90 0 0">
        <replicate count="10" offset="0 1 0" sep="_"><body name="a" euler="0 30 0">{INERTIAL}</body></replicate></frame></replicate>
        </worldbody>""",
    "faces": MESH.format(FACES + ' scale="2 1 1"'),
    "hull": MESH.format(f'vertex="{"  ".join(CUBE)}"'),
    "wide hull": MESH.format(f'vertex="{"  ".join(CUBE)}" maxhullvert="8"'),
    "points": MESH.format('file="hull.obj"'),
    "strippath": '<compiler strippath="true"/>' + MESH.format('file="nowhere/else/tet.obj"'),
    "meshdir": '<compiler meshdir="deep"/>' + MESH.format('file="tet.obj"'),
    **{
        f"{kind} of {name}": MESH.format(f'file="{name}.obj" inertia="{kind}" scale="1 2 3"')
        for kind in ("legacy", "exact", "convex", "shell")
        for name in ("dent", "loose")  # the hull has a point of no face, too
    },
    "box": BODY.format('<geom type="box" fromto="0 0 0 1 2 3" size="0.1 0.7 0.9"/>'),
    "ellipsoid": BODY.format('<geom type="ellipsoid" fromto="0 0 0 0 1 1" size="0.1"/>'),
    "capsule and cylinder": BODY.format(
        '<geom type="capsule" fromto="0 0 0 0 1 1" size=".1"/><geom type="cylinder" fromto="0 0 0 1 0 1" size=".1"/>'
    ),
    "align": BODY.format(f"{INERTIAL}").replace("<freejoint/>", '<freejoint align="true"/>'),
    "alignfree": '<compiler alignfree="true"/>' + BODY.format('<geom size=".1" pos="1 0 0"/>'),
    "inertial in a frame": BODY.format(f'<frame pos="0 1 0" euler="30 0 0">{INERTIAL}</frame>'),
    "groups": '<compiler inertiagrouprange="2 3"/>' + BODY.format('<geom size="1" group="2"/><geom size="2"/>'),
    "plane": BODY.replace("<freejoint/>", "").format('<geom size=".1"/><geom type="plane" size="1 1 1"/>'),
    "default mesh": '<default><mesh scale="2 2 2"/><geom type="mesh" mesh="tet"/></default><asset><mesh file="deep/tet.obj"/></asset>'
    + BODY.format("<geom/>"),
    "drawn": BODY.format('<geom size=".1" mass="2"/><geom size=".2" contype="0" conaffinity="0"/>'),
    "one body": '<worldbody><body name="rod" pos="0 0 1.1"><joint name="h" axis="0 1 0"/>'
    '<inertial pos="1 0 0" mass="1" diaginertia="0.002 0.003 0.004"/></body></worldbody>',
    "attached body": ATTACH.format(INERTIAL, '<attach model="Child" body="part" prefix="l_"/>'),
    "attached world": ATTACH.format('<geom size=".1"/>', '<attach model="Child" prefix="l_"/>'),
    "attached frame": ATTACH.format('<geom size=".1"/>', '<attach model="Child" frame="f" prefix="l_"/>'),
    "attached twice": ATTACH.format(
        INERTIAL, '<replicate count="2" offset="1 0 0"><attach model="Child" body="part" prefix="l_"/></replicate>'
    ),
    "own body": f'<worldbody><body name="a">{INERTIAL}<body name="b" pos="1 0 0">{INERTIAL}</body></body>'
    '<frame pos="0 3 0" euler="0 0 40"><attach body="a" prefix="x_"/></frame></worldbody>',
    "own frame": '<worldbody><frame name="f" pos="1 0 0"><body name="b"><geom size="1"/></body><geom size="2"/></frame>'
    '<body name="q"><geom size=".1"/><attach frame="f" prefix="x"/></body></worldbody>',
    "flexible grid": WORLD.format(
        f'<body name="p" pos="0 0 1">{INERTIAL}{{}}</body>'.format(GRID.format(2, 'dim="3" inertiabox=".1"/>'))
    ),
    "flexible line": WORLD.format(f"""<frame pos="1 0 0" euler="0 90 0">{GRID.format(1, 'dim="1"/>')}</frame>"""),
    "pins": WORLD.format(
        GRID.format(1, '><pin id="0 2"/><pin range="3 5" grid="2 1"/><pin gridrange="3 0 3 1"/></flexcomp>')
    ),
    "flexible mesh": WORLD.format(OF_MESH.format("")),
    "flexible solid": WORLD.format(OF_MESH.format('dim="3" origin=".1 .1 .3"')),
    "flexible points": WORLD.format(
        '<flexcomp name="s" type="direct" point="0 0 0 1 0 0 0 1 0 9 9 9" element="0 1 2" radius=".01"/>'
    ),
}


@each("name", VALID)
def test_a_model_is_what_mujoco_makes_of_it(name: str, tmp_path: Path) -> None:
    single = name.startswith("flexible")  # MuJoCo keeps some of it in single precision
    agree(saved(tmp_path, VALID[name]), 1e-6 if single or "mesh" in VALID[name] else 1e-9)


def test_a_rigid_flexcomp_has_no_mass(tmp_path: Path) -> None:
    path = saved(tmp_path, WORLD.format(f"<body name='a'>{INERTIAL}</body>" + GRID.format(1, 'rigid="true"/>')))
    agree(path)


TOTAL = (
    '<compiler settotalmass="10"/><worldbody><replicate count="3" offset="1 0 0"><body name="a"><freejoint/><geom size=".1"/></body>'
    '</replicate><body name="b" pos="0 0 3"><freejoint/><geom size=".2"/></body></worldbody>'
)


def test_copies_count_in_the_total_that_mujoco_sets(tmp_path: Path) -> None:
    path = saved(tmp_path, TOTAL)
    _, masses, *_ = simulated(path)
    done = run("check", path, "--engine", "mujoco", "--format", "json")
    taken = {c["place"]: c["engines"][0]["takes"]["mass"] for c in done.result["checked"]}
    assert taken == pytest.approx(masses)
    assert masses["a0"] == pytest.approx(10 / 11)


UNKNOWN = {
    "composite": (
        '<worldbody><composite prefix="A" type="cable" count="5 1 1" size="1"/></worldbody>',
        "<composite> makes bodies",
    ),
    "gmsh": (
        '<worldbody><flexcomp name="s" type="gmsh" file="a.msh"/></worldbody>',
        "<flexcomp> of type 'gmsh' is not read",
    ),
    "copies": ('<worldbody><replicate><body name="a"/></replicate></worldbody>', "no attribute 'count'"),
    **{
        said: (f'<worldbody><flexcomp name="s" {stated}</flexcomp></worldbody>', said)
        for said, stated in {
            "point has 2 numbers, not rows of 3": 'type="direct" point="1 2" element="0 0 0">',
            "point has 0 numbers": 'type="direct" point="" element="">',
            "element has 2 numbers, not rows of 3": 'type="direct" point="0 0 0 1 0 0" element="0 1">',
            "dim must be 1, 2 or 3, got 0": 'dim="0">',
            "range names a point that is not there": 'count="3 3 1"><pin range="0 9"/>',
            "gridrange names a point that is not there": 'count="3 3 1"><pin gridrange="0 0 1 9"/>',
            "id names a point that is not there": 'count="3 3 1"><pin id="-1"/>',
            "id: expected a whole number, got '0.5'": 'count="3 3 1"><pin id="0.5"/>',
        }.items()
    },
    "many": ('<worldbody><replicate count="1e9"><body name="a"/></replicate></worldbody>', "more than 20,000 copies"),
    "itself": (
        '<worldbody><body name="a"><attach body="a" prefix="x"/></body></worldbody>',
        "the body attaches itself",
    ),
}


@each("name", UNKNOWN)
def test_what_is_not_read_is_named_and_decides_the_exit_code(name: str, tmp_path: Path) -> None:
    text, said = UNKNOWN[name]
    path = saved(tmp_path, text.replace("<worldbody>", f"<worldbody><body name='known'>{INERTIAL}</body>", 1))
    for command in (["check"], ["combine"], ["check", "--engine", "mujoco"]):
        done = run(*command[:1], path, *command[1:])
        assert done.returncode == 3, command
        assert said in " ".join((done.out + done.err).split()), command
    assert said in " ".join(run("fill", path).err.split())
    assert said in raised(MasspropsError, massprops.combine, path).text


def test_a_hull_that_mujoco_ends_early_is_not_measured(tmp_path: Path) -> None:
    path = saved(tmp_path, MESH.format('file="hull.obj" maxhullvert="5"'))
    done = run("check", path)
    assert "maxhullvert ends the hull of 8 vertices at 5" in " ".join(done.out.split())
    assert "warning" in done.out
    assert "maxhullvert" in raised(MasspropsError, massprops.combine, path).text


INLINE = """<asset><mesh name="tet" vertex="0 0 0  1 0 0  0 1 0  0 0 1" face="0 2 1  0 1 3  0 3 2  1 2 3"/></asset><worldbody>
<body name="a"><freejoint/><geom type="mesh" mesh="tet"/></body><body name="b" pos="0 0 5">
<freejoint/><geom type="box" fromto="0 0 0 0 0 1" size="0.1"/></body>{}</worldbody>"""


def test_a_body_that_has_its_mass_from_geoms_says_so_and_counts(tmp_path: Path) -> None:
    path = saved(tmp_path, INLINE.format(f'<body name="c">{INERTIAL}</body><body name="d"/>'))
    lines = run("check", path).out.splitlines()
    assert [[*line.split()[:2], str("inferred" in line)] for line in lines if line[:2] in ("a ", "b ", "c ")] == [
        ["a", "166.667", "True"],
        ["b", "40", "True"],
        ["c", "2", "False"],
    ]
    assert next(line for line in lines if line.startswith("total")).split() == [
        "total",
        "208.667",
        "3",
        "of",
        "4",
        "links",
    ]
    parts = run("combine", path).out.splitlines()
    assert ["inferred" in line for line in parts if line[:2] in ("a ", "b ", "c ")] == [True, True, False]
    numbers = {c["place"]: c["numbers"] for c in run("check", path, "--format", "json").result["checked"]}
    assert numbers["b"]["from"] == "inferred"
    assert "the simulator infers" in run("explain", f"{path}#b").out
    lumped = run("combine", path, "--lump-fixed", "--format", "csv").out.splitlines()
    assert [line.split(",")[0] for line in lumped[1:]] == ["a", "b", "c"]


@each(
    "geom, said",
    [
        ('type="mesh" mesh="gone"', "no mesh 'gone'"),
        ('size="1" shellinertia="true"', "shellinertia"),
        ('type="mesh" mesh="lost"', "lost.stl"),
    ],
)
def test_a_mass_that_is_not_known_is_named(geom: str, said: str, tmp_path: Path) -> None:
    text = INLINE.format(f'<body name="c"><geom {geom}/></body>').replace(
        "<asset>", '<asset><mesh name="lost" file="lost.stl"/>'
    )
    path = saved(tmp_path, text)
    assert said in raised(MasspropsError, massprops.combine, path).text
    assert massprops.combine(path, missing="ignore").body.properties.mass == pytest.approx(1000 / 6 + 40)
    done = run("check", path, "--fail-on", "warning")
    assert said in " ".join(done.out.split())
    assert done.returncode == 1
    assert "2 of 3 links" in done.out


def test_settings_that_change_inferred_bodies_are_said(tmp_path: Path) -> None:
    found = massprops.combine(saved(tmp_path, TOTAL)).body.findings
    assert [f.code for f in found if f.severity == "warning"] == 4 * ["changed-by-compiler"]


@each("own", ["", '<geom size="1" mass="0"/>', '<geom size="1" group="5"/>', '<geom size="1"/>'])
@each("settings", ["", 'boundmass="3"', 'boundinertia="0.5"', 'boundmass="3" settotalmass="50"', 'settotalmass="50"'])
@each("infers", ["auto", "false"])
def test_mass_that_mujoco_adds_to_a_body_without_any_is_said(
    own: str, settings: str, infers: str, tmp_path: Path
) -> None:
    """A fixed body, since MuJoCo refuses one that moves without mass."""
    compiler = f'<compiler {settings} inertiafromgeom="{infers}" inertiagrouprange="0 4"/>'
    body = f'<body name="b"><inertial pos="0 0 0" mass="5" diaginertia="1 1 1"/></body><body name="a">{own}</body>'
    taken = []
    for text in (compiler.replace(settings, "") if settings else compiler, compiler):
        path = saved(tmp_path, f"{text}<worldbody>{body}</worldbody>")
        model, masses, *_ = simulated(path)
        taken.append((masses["a"], *model.body("a").inertia))
    (link,) = massprops.check(f"{path}#a").checked
    said = [f.message for f in link.findings if f.code == "changed-by-compiler"]
    assert bool(said) is (taken[0] != taken[1])
    whole = massprops.combine(path, missing="ignore").body
    assert any("a: " in f.message for f in whole.findings if f.code == "changed-by-compiler") is bool(said)


@each("stated", ['pos="1 0 0"', 'class="c"'])
def test_a_geom_by_its_ends_has_no_place_besides(stated: str, tmp_path: Path) -> None:
    geom = f'<geom type="capsule" size=".1" fromto="0 0 0 0 0 1" {stated}/>'
    classes = '<default><default class="c"><geom pos="0 1 0"/></default></default>'
    path = saved(tmp_path, f'{classes}<worldbody><body name="a">{geom}</body></worldbody>')
    with pytest.raises(ValueError, match="both pos and fromto"):
        mujoco.MjModel.from_xml_path(str(path))
    assert "fromto and pos, which exclude each other" in raised(MasspropsError, massprops.combine, path).text
    assert run("check", path).returncode == 1


def test_copies_are_filled_as_one_element(tmp_path: Path) -> None:
    path = saved(tmp_path, TOTAL)
    filled = massprops.fill(path, density=500, mass_from="density")
    path.write_bytes(filled.data)
    _, masses, *_ = simulated(path)
    volumes = dict.fromkeys(("a0", "a1", "a2"), 0.1**3) | {"b": 0.2**3}
    assert masses == pytest.approx({name: 10 * v / sum(volumes.values()) for name, v in volumes.items()})
    assert filled.text.count("<inertial") == 2


def test_meshes_that_stand_on_one_line_are_told_apart(tmp_path: Path) -> None:
    tetrahedra = (f'<mesh name="m{n}" vertex="0 0 0 {n} 0 0 0 {n} 0 0 0 {n}"/>' for n in (1, 2))
    bodies = (f'<body name="b{n}"><geom type="mesh" mesh="m{n}"/></body>' for n in (1, 2))
    text = f"<asset>{''.join(tetrahedra)}</asset><worldbody>{''.join(bodies)}</worldbody>"
    filled = massprops.fill(saved(tmp_path, text), density=6, links="all")
    assert [link.after.mass for link in filled.links] == pytest.approx([1, 8])


def test_drake_skips_a_flexcomp(tmp_path: Path) -> None:
    path = saved(tmp_path, VALID["flexible grid"])
    path.write_text(path.read_text(encoding="utf-8").replace("<mujoco", '<mujoco model="m"', 1), encoding="utf-8")
    found = {
        c["place"]: [e["verdict"] for e in c["engines"]]
        for c in run("check", path, "--engine", "mujoco", "--engine", "drake", "--format", "json").result["checked"]
    }
    assert found == {"p": ["same", "same"], "s": ["same", "differs"]}


#: Children of bodies and of the sections of a model that bear no mass, or only by the bodies that are read.
MASSLESS = {"site", "camera", "light", "plugin"}
#: Assets: meshes are read, or unmeasured by name; a geom of a height field is.
ASSETS = {"mesh", "model", "hfield", "skin", "texture", "material"}
#: Classes of what bears mass: geoms and meshes are read; joints move bodies.
CLASSES = {"mesh", "geom", "joint", "texture", "material", "site", "camera", "light", "pair", "equality", "tendon"}
#: What moves or weighs nothing: actuators.
ACTUATORS = re.compile(
    "general|motor|orientation|position|velocity|intvelocity|damper|cylinder|muscle|adhesion|dcmotor|pid"
)
SETTINGS = {
    "angle",
    "eulerseq",
    "inertiafromgeom",
    "inertiagrouprange",
    "boundmass",
    "boundinertia",
    "settotalmass",
    "balanceinertia",
}
#: Settings that leave mass, centre and inertia in the world as they are.
NEUTRAL = {
    "meshdir", "assetdir", "texturedir", "strippath", "alignfree", "autolimits", "conflict", "coordinate", "discardvisual", "fitaabb",
    "fusestatic", "passthrough", "savecanonical", "savecompiled", "saveinertial", "usethread",
}  # fmt: skip


def schema() -> dict[str, set[str]]:
    """Children of the elements of MuJoCo's schema by the path of the element, and the attributes as ``@name``."""
    found: dict[str, set[str]] = {}
    above: list[str] = []
    for line in mujoco.mj_printSchema(False, False).splitlines():
        tag = re.match(r" *([()\w]+) \([!*?R]\)", line)
        if tag:
            depth = (len(line) - len(line.lstrip())) // 3
            above = [*above[:depth], tag[1].removeprefix("(world)")]
            found.setdefault("/".join(above[:-1]), set()).add(above[-1])
        found.setdefault("/".join(above), set()).update(f"@{word}" for word in line[28:].split())
    return found


def test_no_element_of_mujocos_schema_can_bear_mass_unread() -> None:
    found = schema()
    inside = {tag for tag in found["mujoco/body"] if tag[0] != "@"}
    assert inside - {*READ, *UNREAD} - MASSLESS == set()
    assert {"geom", "flexcomp", "attach"} <= inside  # it is the schema
    assert {tag for tag in found["mujoco/asset"] if tag[0] != "@"} == ASSETS
    classes = {tag for tag in found["mujoco/default"] if tag[0] != "@"}
    assert {tag for tag in classes - CLASSES if not ACTUATORS.fullmatch(tag)} == set()
    assert found["mujoco/compiler"] - {"lengthrange"} == {f"@{name}" for name in SETTINGS | NEUTRAL}
    sections = {tag for tag in found["mujoco"] if tag[0] != "@"}
    assert sections - {"body", "asset", "default", "compiler"} == {
        "option", "size", "visual", "statistic", "custom", "extension", "deformable", "contact", "equality", "tendon", "actuator",
        "sensor", "keyframe",
    }  # fmt: skip  # a `<flex>` has the mass of its bodies


TURNS = (
    "",
    'quat=".9 .1 .3 .2"',
    'axisangle="1 2 3 50"',
    'euler="10 20 30"',
    'xyaxes="1 .2 .1 0 1 .3"',
    'zaxis="1 2 3"',
)


@each("outer", TURNS)
def test_the_innermost_orientation_counts_in_whatever_form(outer: str, tmp_path: Path) -> None:
    # MuJoCo keeps a quaternion and four other forms apart, and resets those that a class or geom does not state
    pairs = list(enumerate(itertools.product(TURNS, TURNS)))
    classes = [f'<default class="c{k}"><geom {inner}/></default>' for k, (inner, _) in pairs]
    boxes = [f'<geom class="c{k}" {own} pos="0 0 {k}" type="box" size=".1 .2 .3"/>' for k, (_, own) in pairs]
    model = f"<default><geom {outer}/>{''.join(classes)}</default>{BODY.format(''.join(boxes))}"
    agree(saved(tmp_path, model))


@each(
    "own",
    ["", 'size=".5"', 'size=".5 .6"', 'size=".5 .6 .7"', 'size=".5" type="capsule"', 'size=".5" fromto="0 1 2 3 4 5"'],
)
@each("inner", ["", 'size=".3"', 'size=".3 .4"'])
def test_fewer_sizes_than_those_of_the_class_leave_the_others(inner: str, own: str, tmp_path: Path) -> None:
    classes = f'<default><geom type="box" size=".1 .2 .9"/><default class="c"><geom {inner}/></default></default>'
    agree(saved(tmp_path, classes + BODY.format(f'<geom class="c" {own}/>')))


def drawn(seed: int) -> str:
    """A model with classes, frames and copies, drawn at random."""
    draw = np.random.default_rng(seed)

    def three() -> str:
        return " ".join(f"{x:.3f}" for x in draw.uniform(-2, 2, 3))

    def maybe(name: str, *values: str) -> str:
        return f' {name}="{draw.choice(values)}"' if draw.random() < 0.4 else ""

    def turned() -> str:
        kind = draw.choice(
            [
                "",
                f' euler="{three()}"',
                f' zaxis="{three()}"',
                f' axisangle="{three()} 0.7"',
                f' xyaxes="{three()} {three()}"',
            ]
        )
        return f' pos="{three()}"{kind}'

    def geom() -> str:
        own = (
            maybe("class", "main", "a", "b")
            + maybe("mass", "1", "2")
            + maybe("density", "10", "20")
            + maybe("group", "0", "3")
        )
        kind = draw.choice(["sphere", "box", "capsule", "cylinder", "ellipsoid"])
        ends = f' fromto="{three()} {three()}"' if kind != "sphere" and draw.random() < 0.3 else turned()
        return f'<geom type="{kind}" size=".3 .2 .1"{ends}{own}/>'

    def inside(depth: int) -> str:
        parts = [geom() for _ in range(draw.integers(1, 3))]
        for _ in range(draw.integers(0, 3) if depth else 0):
            kind = draw.choice(["body", "frame", "replicate"])
            child = maybe("childclass", "main", "a", "b")
            if kind == "replicate":
                stated = f' count="{draw.integers(1, 4)}" offset="{three()}" euler="{three()}" sep="{len(names)}x"'
            else:
                stated = turned()
            if kind == "body":
                names.append("")
                stated += f' name="n{len(names)}"'
            parts.append(f"<{kind}{stated}{child}>{inside(depth - 1)}</{kind}>")
        return "".join(draw.permutation(parts))

    names: list[str] = []
    compiler = f"<compiler{maybe('angle', 'radian')}{maybe('eulerseq', 'zyx', 'XYZ', 'yZx')}{maybe('inertiagrouprange', '0 2')}/>"
    classes = f"""<default>{'<default class="b"><geom mass="3"/></default>'}<geom{maybe("density", "5")}/><default class="a">
        <geom{maybe("density", "7")}{maybe("group", "4")}{maybe("euler", three())}/></default></default>"""
    return f'{compiler}{classes}<worldbody><body name="root"><geom class="main" group="0" mass="1" size="1"/>{inside(3)}</body></worldbody>'


@each("seed", seeds(12))
def test_random_models_agree_with_mujoco(seed: int, tmp_path: Path) -> None:
    path = saved(tmp_path, drawn(seed))
    agree(path)
    _, masses, *_ = simulated(path)
    assert [link.name for link in read_robot(str(path))] == list(masses)
