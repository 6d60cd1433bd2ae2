"""The axis that is up in the glTF meshes of a robot, by its inertials and collision shapes; boxes whose numbers are closed forms."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import trimesh
from cases import each
from console import run

import massprops
from massprops.diagnosis.robot_links import LinkOptions, link_findings
from massprops.errors import InvalidInput
from massprops.formats.search_path import SearchPath

#: Edges of the boxes as they are drawn, and their centres: all different, so that a turned one fits nothing.
EDGES = [np.array([0.1, 0.2, 0.4]), np.array([0.3, 0.1, 0.15]), np.array([0.05, 0.3, 0.1])]
CENTRES = [np.array([0.02, 0.03, 0.2]), np.array([0.0, 0.1, -0.02]), np.array([0.01, 0.0, 0.05])]
#: A quarter turn about x, by which y becomes z: (x, y, z) → (x, −z, y).
TURN = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])


def read_with(up: str, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Edges and centre of a box in its link."""
    return (EDGES[k], CENTRES[k]) if up == "z" else (abs(TURN) @ EDGES[k], TURN @ CENTRES[k])


def moments(edges: np.ndarray, mass: float) -> np.ndarray:
    return mass / 12 * ((edges**2).sum() - edges**2)


def link(k: int, up: str, kind: str) -> str:
    """A link whose inertial, or collision shape, is that of box `k` read with this axis up; `none`: it has neither."""
    edges, centre = read_with(up, k)
    at = f'<origin xyz="{" ".join(map(repr, centre.tolist()))}"/>'
    tensor = 'ixx="{!r}" iyy="{!r}" izz="{!r}" ixy="0" ixz="0" iyz="0"'.format(*moments(edges, 2.0).tolist())
    parts = {
        "inertial": f'<inertial>{at}<mass value="2"/><inertia {tensor}/></inertial>',
        "collision": f'<collision>{at}<geometry><box size="{" ".join(map(repr, edges.tolist()))}"/></geometry></collision>',
        "none": "",
    }
    return f'<link name="l{k}">{parts[kind]}<visual><geometry><mesh filename="{k}.glb"/></geometry></visual></link>'


def robot(folder: Path, *links: tuple[str, str]) -> Path:
    """A robot of a link for each axis and kind of evidence."""
    for k, _ in enumerate(links):
        box = trimesh.creation.box(EDGES[k])
        box.apply_translation(CENTRES[k])
        (folder / f"{k}.glb").write_bytes(box.export(file_type="glb"))
    joints = (
        f'<joint name="j{k}" type="revolute"><parent link="l0"/><child link="l{k}"/><limit effort="1" velocity="1"/></joint>'
        for k in range(1, len(links))
    )
    (folder / "r.urdf").write_text(
        f'<robot name="r">{"".join(link(k, *each) for k, each in enumerate(links))}{"".join(joints)}</robot>'
    )
    return folder / "r.urdf"


def said(path: Path, **options: str) -> list[tuple[str, str, str]]:
    """Severity, place and words of what is said of the axes."""
    report = massprops.check(path, **options)  # type: ignore[arg-type]
    return [
        (f.severity, c.subject.place or "", f.message)
        for c in report.checked
        for f in c.findings
        if f.code == "gltf-axes"
    ]


@each("kind", ["inertial", "collision"])
def test_links_that_fit_unturned_are_read_unturned(tmp_path: Path, kind: str) -> None:
    """Robots made for SAPIEN have z up: turned, right inertials are reported as mistakes, and replaced by wrong ones."""
    path = robot(tmp_path, ("z", kind), ("z", kind), ("z", "none"))
    found = list(link_findings(path, None, LinkOptions()))
    for k, each_link in enumerate(found):
        edges, centre = read_with("z", k)
        assert each_link.geometry is not None
        assert each_link.geometry.solid is not None
        assert each_link.geometry.solid.centroid == pytest.approx(centre, abs=1e-7)
        assert each_link.geometry.solid.inertia.diagonal() == pytest.approx(moments(edges, 1.0), rel=1e-6)
    ((severity, place, words),) = said(path)
    assert (severity, place, "l0, l1 fit with z up alone" in words) == ("info", "l0", True)
    assert not any(f.severity == "error" for x in found for f in x.findings)


def test_links_that_fit_turned_are_read_as_the_format_says(tmp_path: Path) -> None:
    """glTF defines y up: where the robot agrees, there is nothing to say."""
    path = robot(tmp_path, ("y", "inertial"), ("y", "collision"), ("y", "none"))
    assert said(path) == []
    (solid,) = (x.geometry.solid for x in link_findings(path, "l2", LinkOptions()) if x.geometry)
    assert solid is not None
    assert solid.centroid == pytest.approx(read_with("y", 2)[1], abs=1e-7)


@each("links", [[("z", "inertial"), ("y", "none")], [("z", "inertial"), ("z", "collision"), ("y", "inertial")]])
def test_one_link_or_links_that_disagree_decide_nothing(tmp_path: Path, links: list[tuple[str, str]]) -> None:
    """A single link may be wrong itself, and a robot put together of two may have both: the format holds, with a warning."""
    path = robot(tmp_path, *links)
    ((severity, _, words),) = said(path)
    assert (severity, "l0" in words, "gltf_up='z'" in words) == ("warning", True, True)
    assert said(path, gltf_up="y") == said(path, gltf_up="z") == []


def test_without_evidence_the_assumption_is_said(tmp_path: Path) -> None:
    """What `fill` writes depends on it, unless the mesh is the same both ways."""
    path = robot(tmp_path, ("z", "none"))
    ((severity, _, words),) = said(path)
    assert (severity, words.startswith("the inertials and collision shapes do not decide")) == ("info", True)
    (tmp_path / "0.glb").write_bytes(trimesh.creation.box([0.1, 0.1, 0.1]).export(file_type="glb"))
    assert said(path) == []


@each("up", ["y", "z", None])
def test_fill_writes_what_is_decided(tmp_path: Path, up: str | None) -> None:
    """`fill --links all` keeps right inertials right; the option decides against all evidence."""
    path = robot(tmp_path, ("z", "inertial"), ("z", "inertial"))
    filled = massprops.fill(path, density=1000, links="all", mass_from="density", gltf_up=up)  # type: ignore[arg-type]
    for k, done in enumerate(filled.links):
        edges, centre = read_with(up or "z", k)
        assert done.after is not None
        assert done.after.com == pytest.approx(centre, abs=1e-7)
        assert done.after.inertia.diagonal() == pytest.approx(moments(edges, 1000 * edges.prod()), rel=1e-5)
    assert [f.code for f in filled.links[0].findings] == ([] if up else ["gltf-axes"])


def test_every_command_reads_the_same_axes(tmp_path: Path) -> None:
    """The option and the key of the configuration, on the command line; a picture of the turned robot is another one."""
    path = robot(tmp_path, ("z", "inertial"), ("z", "inertial"))
    args = [
        ("check", path),
        ("explain", f"{path}#l1"),
        ("report", path, "-o", tmp_path / "r.html", "--fail-on", "never"),
    ]
    for command in args:
        assert run(*map(str, command)).returncode == 0, command
    assert "permuted-axes" in run("check", str(path), "--gltf-up", "y").out
    assert "permuted-axes" not in run("explain", f"{path}#l1").out
    assert "permuted-axes" in run("explain", f"{path}#l1", "--gltf-up=y").out
    pictures = []
    for up in ([], ["--gltf-up=z"], ["--gltf-up=y"]):
        assert run("plot", str(path), "-o", str(tmp_path / "p.png"), "--size=200x150", *up).returncode == 0
        pictures.append((tmp_path / "p.png").read_bytes())
    assert pictures[0] == pictures[1] != pictures[2]
    (tmp_path / "massprops.toml").write_text('gltf-up = "y"\n')
    assert "permuted-axes" in run("check", "r.urdf", cwd=tmp_path).out
    rows = json.loads(run("check", "r.urdf", "--gltf-up=z", "--format=json", cwd=tmp_path).out)["checked"]
    assert [r["findings"] for r in rows] == [[], []]


def test_an_axis_that_turns_nothing_is_refused(tmp_path: Path) -> None:
    """An option without effect would be believed. That of a configuration is for all robots of a folder."""
    path, plain = robot(tmp_path, ("z", "inertial")), tmp_path / "plain.urdf"
    plain.write_text(path.read_text().replace("0.glb", "0.stl"))
    trimesh.creation.box(EDGES[0], transform=trimesh.transformations.translation_matrix(CENTRES[0])).export(
        tmp_path / "0.stl"
    )
    said = "--gltf-up is for glTF meshes that a robot file names, and there is none; leave it out"
    picture, page = str(tmp_path / "p.png"), str(tmp_path / "p.html")
    for command in (["check"], ["explain"], ["fill"], ["combine"], ["plot", "-o", picture], ["report", "-o", page]):
        done = run(*command, str(plain), "--gltf-up=z")
        assert (done.returncode, said in done.err) == (2, True), command
    assert not list(tmp_path.glob("p.*"))
    assert run("check", str(tmp_path / "0.stl"), "--gltf-up=z").returncode == 2
    assert "missing-file" in run("check", str(tmp_path / "none.urdf"), "--gltf-up=z").out
    assert run("check", str(tmp_path), "--gltf-up=z").returncode == 0
    for command in ("check", "explain"):
        other = run(command, f"{path}#l0", "--against", str(tmp_path / "0.stl"), "--gltf-up=z")
        assert (other.returncode, "mutually exclusive" in other.err) == (2, True)
    (tmp_path / "massprops.toml").write_text('gltf-up = "y"\n')
    for command in (["check"], ["fill", "--links=all", "--density=1000"]):
        assert run(*command, "plain.urdf", cwd=tmp_path).returncode == 0, command
    assert run("fill", "plain.urdf", "--gltf-up=z", cwd=tmp_path).returncode == 2


def test_the_functions_refuse_such_an_axis_too(tmp_path: Path) -> None:
    """As the commands do; a robot with a glTF mesh among the sources is enough."""
    path, part = robot(tmp_path, ("z", "inertial")), tmp_path / "0.stl"
    trimesh.creation.box(EDGES[0]).export(part)
    plain = tmp_path / "plain.urdf"
    plain.write_text(path.read_text().replace("0.glb", "0.stl"))
    functions = (
        massprops.check,
        massprops.explain,
        massprops.combine,
        massprops.plot,
        massprops.report,
        partial(massprops.fill, density=1000),
    )
    for function in functions:
        with pytest.raises(InvalidInput, match="gltf_up is for glTF meshes that a robot file names, and there is none"):
            function(plain, gltf_up="z")
        assert function(path, gltf_up="z") is not None
    assert massprops.check(plain, path, part, gltf_up="z", geometry="visual").checked
    for mesh in (part, trimesh.creation.box(EDGES[0])):
        with pytest.raises(InvalidInput, match="geometry is for robots, and this is a mesh"):
            massprops.check(mesh, geometry="visual")
    body = massprops.shapes.sphere(radius=1, mass=1)
    for numbers in ({"source": body}, {"mass": 1, "inertia": [1, 0, 0, 1, 0, 1]}):
        with pytest.raises(InvalidInput, match="there is none"):
            massprops.explain(**numbers, gltf_up="z")
    for other in ({"gltf_up": "z"}, {"geometry": "visual"}):
        with pytest.raises(InvalidInput, match="mutually exclusive"):
            massprops.explain(f"{path}#l0", against=part, **other)


def test_an_axis_that_is_none_is_refused(tmp_path: Path) -> None:
    path = robot(tmp_path, ("z", "inertial"))
    with pytest.raises(InvalidInput, match="gltf_up must be one of y, z, got 'x'"):
        massprops.check(path, gltf_up="x")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="gltf_up"):
        SearchPath(gltf_up="Z")  # type: ignore[arg-type]
    assert run("check", str(path), "--gltf-up", "x").returncode == 2
