"""Numbers in files: no digits that arithmetic left, those that the ± supports, `--digits`, and still those of a body."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
import trimesh
from cases import refused, seeds
from console import run

import massprops
from massprops.errors import InvalidInput
from massprops.formats.bodies.opening import open_bodies
from massprops.formats.inertial.inertial import round_numbers, without_rounding
from massprops.frames import Pose
from massprops.rigid_body import shapes
from massprops.rigid_body.mass_properties import MassProperties

#: More digits than arithmetic of doubles supports, or a number that is nothing but its rounding.
LONG = re.compile(r"[1-9](?:\.?\d){15,}|e-1[3-9]|e-[2-9]\d")
BOX = '<origin xyz="0.025 0.1 0.3"/><geometry><box size="0.05 0.1 0.2"/></geometry>'


def robot(folder: Path) -> Path:
    mesh = trimesh.creation.box((0.05, 0.1, 0.2))
    mesh.apply_translation((0.025, 0.0, 0.0))
    (folder / "box.obj").write_text(trimesh.exchange.obj.export_obj(mesh, digits=12))
    links = f'<link name="a"><visual>{BOX}</visual></link>'
    links += '<link name="b"><visual><geometry><mesh filename="box.obj"/></geometry></visual></link>'
    joint = '<joint name="j" type="fixed"><parent link="a"/><child link="b"/><origin xyz="0.1 0.2 0.7"/></joint>'
    path = folder / "r.urdf"
    path.write_text(f'<robot name="r">{links}{joint}</robot>')
    return path


def numbers(text: str) -> list[str]:
    elements = ET.fromstring(text).iter()  # noqa: S314  # our own text
    found = (e.attrib.values() for e in elements if e.tag in ("origin", "mass", "inertia"))
    return [x for values in found for x in " ".join(values).split()]


def test_fill_writes_numbers_of_an_exact_box_without_noise(tmp_path: Path) -> None:
    path = robot(tmp_path)
    assert run("fill", path, "--density=1000", "--in-place").returncode == 0
    text = path.read_text()
    assert not [x for x in numbers(text) if LONG.search(x)], text
    a, b = (link.properties for link in open_bodies(path).bodies)
    # the coordinates of the mesh are printed in decimals, which leave a ± of some millionths
    for body, centre, share in ((a, [0.025, 0.1, 0.3], 1e-11), (b, [0.025, 0, 0], 1e-5)):
        true = shapes.box(0.05, 0.1, 0.2, density=1000)
        assert body.mass == 1
        np.testing.assert_array_equal(body.com, centre)
        np.testing.assert_allclose(body.inertia, true.inertia, rtol=share, atol=0)
        assert (body.inertia[~np.eye(3, dtype=bool)] == 0).all()


def test_combine_convert_and_lumping_write_none_either(tmp_path: Path) -> None:
    path = robot(tmp_path)
    run("fill", path, "--density=1000", "--in-place")
    for words in (
        ("combine", path, "--format=urdf"),
        ("combine", path, "--lump-fixed", "--format=urdf"),
        ("convert", f"{path}#a", "--pose=0.1 0.2 0.7", "--format=urdf"),
        ("combine", f"{path}#a", "--at=0.1 0 0", "--at=0.3 0 0", "--format=sdf"),
    ):
        answer = run(*words)
        assert answer.returncode == 0, answer.err
        values = re.findall(r"[-\d.e]*\d[-\d.e]*", re.sub(r"<\?.*?\?>|<!--.*?-->", "", answer.out))
        assert not [x for x in values if LONG.search(x)], answer.out


@pytest.mark.parametrize("dialect", ["urdf", "glb"])
@pytest.mark.parametrize("digits", [3, 6])
def test_digits_round_the_file_too(dialect: str, digits: int, tmp_path: Path) -> None:
    path = robot(tmp_path)
    if dialect == "urdf":
        assert run("fill", path, "--density=1234.5678", f"--digits={digits}", "--in-place").returncode == 0
        found = [x for x in numbers(path.read_text()) if float(x)]
        assert all(len(x.partition("e")[0].replace(".", "").replace("-", "").strip("0")) <= digits for x in found), (
            found
        )
        body = massprops.fill(path, density=1234.5678, digits=digits, links="all").links[0].after
        assert body.mass == float(f"{1.2345678:.{digits - 1}e}")
        assert body.consistency().ok
        return
    node = {"name": "a", "mesh": 0, "extensions": {"KHR_physics_rigid_bodies": {"motion": {}}}}
    scene = trimesh.Scene(trimesh.creation.box((0.05, 0.1, 0.2)))
    scene.export(tmp_path / "s.gltf")
    document = json.loads((tmp_path / "s.gltf").read_text())
    document["nodes"] = [node]
    document["scenes"], document["scene"] = [{"nodes": [0]}], 0
    document["extensionsUsed"] = ["KHR_physics_rigid_bodies"]
    (tmp_path / "s.gltf").write_text(json.dumps(document))
    answer = run("fill", tmp_path / "s.gltf", "--density=1234.5678", f"--digits={digits}", "--in-place")
    assert answer.returncode == 0, answer.err
    motion = json.loads((tmp_path / "s.gltf").read_text())["nodes"][0]["extensions"]["KHR_physics_rigid_bodies"][
        "motion"
    ]
    assert motion["mass"] == float(f"{1.2345678:.{digits - 1}e}")


@pytest.mark.parametrize("seed", seeds(12))
def test_shorter_numbers_are_within_rounding_and_of_a_body(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y, z = rng.integers(1, 40, 3) / 20
    turn = Pose.from_xyz_rpy(rng.integers(-9, 9, 3) / 10, rng.uniform(-3, 3, 3) * (seed % 2))
    body = shapes.box(x, y, z, density=1000).transformed(turn)
    thin = MassProperties(body.mass, body.com, body.inertia)  # a plate is on the edge of what is possible
    clean = without_rounding(thin)
    assert clean.mass == pytest.approx(thin.mass, rel=1e-14)
    np.testing.assert_allclose(clean.com, thin.com, atol=1e-14 * np.abs(thin.com).max() + 1e-15)
    np.testing.assert_allclose(clean.inertia, thin.inertia, atol=1e-14 * np.abs(thin.inertia).max())
    assert clean.consistency().ok
    if not seed % 2:
        assert (clean.inertia[~np.eye(3, dtype=bool)] == 0).all()


def test_too_few_digits_are_refused() -> None:
    plate = shapes.plate(1, 1.7, mass=1).transformed(Pose.from_xyz_rpy([0, 0, 0], [0.3, 0.4, 0.5]))
    body = MassProperties(plate.mass, plate.com, plate.inertia)
    assert "digits are too few: no body has the rounded moments" in refused(InvalidInput, round_numbers, body, 1)


def test_few_digits_are_said_to_be_few(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text(
        '<robot name="r"><link name="a"><collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>'
    )
    for digits, words in (("1", "by up to 50 % of themselves"), ("2", "by up to 5 % of themselves"), ("3", "")):
        done = run("fill", tmp_path / "r.urdf", "-d", "7", "--digits", digits, "-o", tmp_path / "o.urdf")
        assert (done.returncode, "warning: --digits" in done.err) == (0, bool(words))
        assert words in done.err
