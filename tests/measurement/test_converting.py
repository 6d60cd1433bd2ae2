"""Mirrored bodies and meshes: a reflection commutes with measuring, twice it is the identity, and `diff` sees it."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import console
import numpy as np
import pytest
from cases import each, raised, refused
from oracles import generic_body
from places import ROOT
from step_files import written

import massprops
from massprops.errors import InvalidInput
from massprops.rigid_body.uncertain import Source

ARM, BRACKET = ROOT / "samples/robots/arm.urdf", ROOT / "sample_meshes/bracket.stl"
SIGNS = {"xy": (1, 1, -1), "xz": (1, -1, 1), "yz": (-1, 1, 1)}
PLANES = [*SIGNS]


@each("plane", PLANES)
def test_the_moments_of_mirrored_points_are_the_mirrored_moments(plane: str) -> None:
    """Point masses share no code with the reflection; all three products differ."""
    rng = np.random.default_rng(5)
    masses, points = rng.uniform(1, 2, 9), rng.normal((3, 1, 2), size=(9, 3))
    body = massprops.MassProperties.from_point_masses(masses, points).mirrored(plane)
    image = massprops.MassProperties.from_point_masses(masses, points * SIGNS[plane])
    assert body.mass == image.mass
    np.testing.assert_allclose(body.com, image.com, rtol=1e-14)
    np.testing.assert_allclose(body.inertia, image.inertia, atol=1e-13 * np.abs(image.inertia).max())
    twice = body.mirrored(plane)
    start = massprops.MassProperties.from_point_masses(masses, points)
    assert (twice.com.tolist(), twice.inertia.tolist()) == (start.com.tolist(), start.inertia.tolist())


def test_errors_are_mirrored_with_the_body() -> None:
    change = np.zeros((1, 4, 4))
    change[0, 0, 1] = change[0, 1, 0] = 0.25
    body = massprops.MassProperties(2, [1, 2, 3], np.diag([4, 5, 6]), {"s": Source("bound", change)})
    assert body.mirrored("xz").sources["s"].changes[0, 0, 1] == -0.25
    assert body.mirrored("xy").sources["s"].changes[0, 0, 1] == 0.25


@each("plane", PLANES)
@each("suffix", [".stl", ".ply", ".obj", ".off"])
def test_a_mirrored_mesh_looks_outward_and_has_the_mirrored_moments(plane: str, suffix: str) -> None:
    triangles = np.asarray(generic_body(), dtype=np.float32).astype(float) + np.array([4, 2, 1])
    before = massprops.measure(triangles, density=1000)
    data = massprops.convert(triangles, suffix[1:], mirror=plane)
    image = _measured(data, suffix)
    assert image.volume == pytest.approx(before.volume, rel=1e-6)
    wanted = before.properties.mirrored(plane)
    size = np.abs(before.bounds).max()
    np.testing.assert_allclose(image.properties.com, wanted.com, atol=1e-6 * size)
    np.testing.assert_allclose(image.inertia, wanted.inertia, atol=1e-5 * np.abs(wanted.inertia).max())
    assert image.grade == before.grade == "proved"


def _measured(data: bytes, suffix: str) -> massprops.MeasuredBody:
    import io

    return massprops.measure("-", stdin=io.BytesIO(data), format=suffix[1:], density=1000)


def test_twice_is_the_identity_and_diff_says_what_once_is(tmp_path: Path) -> None:
    once, twice, same = (tmp_path / name for name in ("once.stl", "twice.stl", "same.stl"))
    for words in (
        (BRACKET, "--mirror", "xz", "-o", once),
        (once, "--mirror", "xz", "-o", twice),
        (BRACKET, "-o", same),
    ):
        assert console.run("convert", *words).returncode == 0
    assert twice.read_bytes() == same.read_bytes()
    (change,) = massprops.diff(BRACKET, once, units="mm")
    assert (change.relation.kind, change.relation.mirror) == ("mirrored", "y")
    np.testing.assert_allclose(change.relation.pose.translation, 0, atol=1e-9)
    assert massprops.diff(BRACKET, twice, units="mm")[0].verdict == "equal"


def test_inertials_are_mirrored_as_in_python(tmp_path: Path) -> None:
    printed = console.run("convert", ARM, "--mirror", "xz", "--format", "urdf", "-o", tmp_path / "m.urdf")
    assert printed.returncode == 0
    assert (tmp_path / "m.urdf").read_text() == massprops.convert(ARM, "urdf", mirror="xz")
    for before, after in zip(
        massprops.open_bodies(ARM).bodies, massprops.open_bodies(tmp_path / "m.urdf").bodies, strict=True
    ):
        one, other = before.properties, after.properties
        assert other.com.tolist() == (one.com * [1, -1, 1]).tolist()
        assert other.inertia.tolist() == (one.inertia * [[1, -1, 1], [-1, 1, -1], [1, -1, 1]]).tolist()
    lifted = massprops.convert(ARM, "json", mirror="xy", pose="0 0 1").splitlines()
    assert '"center_of_mass": [0.034846, 0.020025, 0.994662]' in lifted[0]


def test_what_is_left_out_is_said_in_python_too(tmp_path: Path) -> None:
    """A total that is no body, and links without an inertial: a result without them is no copy of the file."""
    table, robot = tmp_path / "t.csv", tmp_path / "r.urdf"
    table.write_text(
        "name,mass [kg],x [m],y [m],z [m],Ixx [kg m2],Iyy [kg m2],Izz [kg m2],Ixy [kg m2],Ixz [kg m2],Iyz [kg m2]\n"
        "a,1,0,0,0,1,1,1,0,0,0\nb,1,2,0,0,1,1,1,0,0,0\ntotal,2,1,0,0,2,4,4,0,0,0\n",
        encoding="utf-8",
    )
    robot.write_text(ARM.read_text("utf-8").replace("</robot>", '<link name="bare"/></robot>'), encoding="utf-8")
    for path, names in ((table, "'total' is the sum of the 2 rows"), (robot, "no inertial is stated for.* bare")):
        done = console.run("convert", path, "--format", "sdf")
        found = massprops.convert(path, "sdf")
        assert done.stdout.decode() == found
        (said,) = [f.message for f in found.findings if re.search(names, f.message)]
        assert f"massprops: {said}\n" in done.stderr.decode()
        assert not massprops.convert(massprops.open_bodies(path).bodies[0], "sdf").findings


def test_an_open_mesh_is_mirrored_and_stays_open(tmp_path: Path) -> None:
    assert (
        console.run(
            "convert", ROOT / "sample_meshes/open_bracket.stl", "--mirror", "yz", "-o", tmp_path / "o.ply"
        ).returncode
        == 0
    )
    with pytest.raises(massprops.InvalidGeometry, match="3 of 450 edges"):
        massprops.measure(tmp_path / "o.ply", units="mm", repair="none")


@each(
    ("words", "code", "message"),
    [
        ((BRACKET, BRACKET, "-o", "x.stl"), 2, "2 files given"),
        ((ARM, "-o", "x.stl"), 2, "is not the file of a mesh"),
        ((BRACKET, "-o", "x.glb"), 2, "pass --units mm"),
        ((BRACKET, "--pose", "0 0 1", "-o", "x.stl"), 2, "with --mirror, --units and -o alone"),
        ((BRACKET, "--mirror", "xx", "-o", "x.stl"), 2, "is not one of 'xy', 'xz', 'yz'"),
        ((ARM, "--units", "mm"), 2, "--units is for a mesh as output"),
        (("none.stl", "-o", "x.stl"), 3, "none.stl: no such file"),
        (
            (BRACKET, "--mirror", "xz", "--format", "urdf"),
            2,
            "is a mesh, which --mirror makes another mesh of; give -o",
        ),
    ],
)
def test_what_is_not_converted_leaves_no_file(words, code, message, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = console.run("convert", *words)
    assert (done.returncode, [*tmp_path.iterdir()]) == (code, [])
    assert message in done.err


def test_a_mesh_with_exact_surfaces_is_not_made_one_of_triangles(tmp_path: Path) -> None:
    make = pytest.importorskip("OCP.BRepPrimAPI").BRepPrimAPI_MakeBox
    path = written(lambda tool, _: tool.AddShape(make(1.0, 2.0, 3.0).Shape()), tmp_path / "box.step")
    with pytest.raises(InvalidInput, match="has exact surfaces"):
        massprops.convert(path, "stl")


def test_the_plane_is_one_of_three() -> None:
    body = massprops.shapes.box(1, 2, 3, mass=4)
    assert "plane must be one of xy, xz, yz, got 'zx'" in str(raised(InvalidInput, body.mirrored, "zx"))


def test_a_mesh_is_written_where_its_file_has_it_or_not_at_all() -> None:
    placed = massprops.measure(BRACKET, units="mm", density=7800, pose="1 2 3")
    for write in (massprops.repair, partial(massprops.convert, to="obj", mirror="yz")):
        assert "is measured in another place than its file" in refused(InvalidInput, write, placed)
    assert "density is an option of measuring" in refused(InvalidInput, massprops.convert, BRACKET, "stl", density=1)
