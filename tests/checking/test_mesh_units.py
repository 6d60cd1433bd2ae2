"""Meshes of a package are in the unit by which the robot that names them scales them; findings for people are in it, too."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest
from cases import each
from console import run

import massprops

STL = "solid a\n{}endsolid\n"
FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]


def mesh(path, size: float, faces=FACES) -> None:
    corners = [(0, 0, 0), (size, 0, 0), (0, size, 0), (0, 0, size)]
    facets = ("".join(f"vertex {x} {y} {z}\n" for x, y, z in (corners[i] for i in face)) for face in faces)
    path.write_text(STL.format("".join(f"facet\nouter loop\n{f}endloop\nendfacet\n" for f in facets)))


def robot(path, *meshes: tuple[str, str]) -> None:
    links = "".join(
        f'<link name="l{k}"><visual><geometry><mesh filename="{file}" scale="{scale}"/></geometry></visual></link>'
        for k, (file, scale) in enumerate(meshes)
    )
    joints = "".join(
        f'<joint name="j{k}" type="fixed"><parent link="l0"/><child link="l{k}"/></joint>'
        for k in range(1, len(meshes))
    )
    path.write_text(f'<robot name="r">{links}{joints}</robot>')


@pytest.fixture
def package(tmp_path):
    for name in ("mm", "m", "both", "odd"):
        mesh(tmp_path / f"{name}.stl", 60)
    mm, m = "0.001 0.001 0.001", "1 1 1"
    robot(tmp_path / "a.urdf", ("mm.stl", "-0.001 0.001 0.001"), ("m.stl", m), ("both.stl", mm), ("odd.stl", "2 2 2"))
    robot(tmp_path / "b.urdf", ("both.stl", m))
    return tmp_path


def volumes(report) -> dict[str, float]:
    return {
        c.subject.path.rpartition("/")[2]: c.body.value["volume"] for c in report.checked if c.subject.kind == "mesh"
    }


def test_a_mesh_has_the_unit_of_the_robots_that_agree(package) -> None:
    in_metres = 60**3 / 6
    expected = {"mm.stl": in_metres * 1e-9, "m.stl": in_metres, "both.stl": in_metres, "odd.stl": in_metres}
    assert volumes(massprops.check(package)) == pytest.approx(expected, rel=1e-12)
    chosen = dict.fromkeys(expected, in_metres * 1e-6)  # what is said goes before what is inferred
    assert volumes(massprops.check(package, units="cm")) == pytest.approx(chosen, rel=1e-12)
    assert volumes(massprops.check(package / "mm.stl")) == pytest.approx({"mm.stl": in_metres}, rel=1e-12)
    done = run("check", package)
    assert "massprops: 1 mesh states no unit: read as the robots here scale them\n" in done.err
    assert "as the robots here scale" not in run("check", package, "--units", "cm").err


@each("kind", ["github", "gitlab", "junit", "sarif", "markdown"])
def test_people_are_told_in_the_unit_of_the_file(kind: str, tmp_path) -> None:
    mesh(tmp_path / "open.stl", 60, FACES[:3])
    # the open face has its longest side between (60, 0, 0) and (0, 60, 0): 60 √2 = 84.85
    told = {}
    for units in (None, "in"):
        done = run(
            "check", tmp_path / "open.stl", "-u", "mm", "-f", kind, *(["--output-units", units] if units else [])
        )
        text = done.out if kind != "junit" else "".join(ET.fromstring(done.out).itertext())  # noqa: S314  # our own
        told[units] = text
    assert " mm wide" in told[None]
    assert " in wide" in told["in"]
    assert " m wide" not in told[None] + told["in"]
    stated = json.loads(run("check", tmp_path / "open.stl", "-u", "mm", "-f", "json").out)
    assert " m wide" in stated["checked"][0]["findings"][0]["message"]
