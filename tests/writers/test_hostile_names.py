"""Names with line breaks, colons, markup and NUL in files of each format: every report has as many records as without, and places whole."""

from __future__ import annotations

import csv
import io
import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest
from console import Run, run
from places import ROOT

NAME = "x\n::error title=a::b\n\x1b[31m<img src=x>|\u202e:7"
CALM = "x"
INERTIA = '<inertia ixx="9" iyy="9" izz="9" ixy="0" ixz="0" iyz="0"/>'
CSV_HEAD = "name,mass [kg],x [m],y [m],z [m],Ixx [kg m2],Iyy [kg m2],Izz [kg m2],Ixy [kg m2],Ixz [kg m2],Iyz [kg m2]\n"


def attribute(name: str) -> str:
    return "".join(c if c.isalnum() else f"&#{ord(c)};" if c != "\x1b" else "ESC" for c in name)


def urdf(name: str) -> str:
    return f'<robot name="r"><link name="{attribute(name)}"><inertial><mass value="-1"/>{INERTIA}</inertial></link></robot>'


def sdf(name: str) -> str:
    inertia = "".join(f"<{k}>{9 * (k[1] == k[2])}</{k}>" for k in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
    link = f'<link name="{attribute(name)}"><inertial><mass>-1</mass><inertia>{inertia}</inertia></inertial></link>'
    return f'<sdf version="1.9"><model name="m">{link}</model></sdf>'


def mjcf(name: str) -> str:
    inertial = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 9"/>'
    return f'<mujoco><worldbody><body name="{attribute(name)}">{inertial}</body></worldbody></mujoco>'


def gltf(name: str) -> str:
    motion = {"motion": {"mass": 1.0, "inertiaDiagonal": [1, 1, 9]}}
    node = {"name": name, "extensions": {"KHR_physics_rigid_bodies": motion}}
    document = {"asset": {"version": "2.0"}, "extensionsUsed": ["KHR_physics_rigid_bodies"], "scene": 0}
    return json.dumps({**document, "scenes": [{"nodes": [0]}], "nodes": [node]})


def table(name: str) -> str:
    line = io.StringIO()
    csv.writer(line).writerow([name, 1, 0, 0, 0, 1, 1, 9, 0, 0, 0])
    return CSV_HEAD + line.getvalue()


def result(name: str) -> str:
    answer = run("compute", ROOT / "sample_meshes" / "bracket.stl", "--units=mm", "--density=1", "--format=json").result
    answer["inertia"]["tensor"] = [[1, 0, 0], [0, 1, 0], [0, 0, 9]]
    return json.dumps({**answer, "name": name})


FILES: dict[str, Callable[[str], str]] = {
    "r.urdf": urdf, "r.sdf": sdf, "r.xml": mjcf, "r.gltf": gltf, "r.csv": table, "r.json": result,
}  # fmt: skip


def checked(folder: Path, kind: str, name: str, report: str) -> Run:
    folder.mkdir(exist_ok=True)
    (folder / kind).write_text(FILES[kind](name), encoding="utf-8", newline="")
    return run("check", kind, "--format", report, cwd=folder)


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("report", ["table", "junit", "github", "gitlab", "sarif", "markdown", "json"])
def test_a_name_breaks_no_report(kind: str, report: str, tmp_path: Path) -> None:
    hostile, calm = (checked(tmp_path / str(k), kind, name, report) for k, name in enumerate((NAME, CALM)))
    assert hostile.returncode == calm.returncode == 1, hostile.err
    assert "defect" not in hostile.out + hostile.err
    for line in (hostile.out + hostile.err).splitlines():
        assert line.isprintable() or report in ("json", "gitlab", "sarif")
        assert not line.startswith("::error title"), line
    if report in ("github", "markdown"):  # a record a line
        assert len(hostile.out.splitlines()) == len(calm.out.splitlines())
        assert kind + "," in hostile.out or report == "markdown"
    if report == "junit":
        cases = [[c.tag for c in ET.fromstring(r.out).iter()] for r in (hostile, calm)]  # noqa: S314  # our own text
        assert cases[0] == cases[1]
        assert all(len((e.text or "").split("\n::")) == 1 for e in ET.fromstring(hostile.out).iter())  # noqa: S314
    if report in ("json", "gitlab", "sarif"):
        one, other = json.loads(hostile.out), json.loads(calm.out)
        places = {
            "json": lambda d: [(c["path"], c.get("file", c["path"])) for c in d["checked"]],
            "gitlab": lambda d: [i["location"]["path"] for i in d],
            "sarif": lambda d: [
                r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in d["runs"][0]["results"]
            ],
        }[report]
        assert places(one) == places(other)
        assert all(kind in str(place) for place in places(one))


@pytest.mark.parametrize("kind", ["r.gltf", "r.csv", "r.json"])
def test_a_name_comes_back_as_it_was(kind: str, tmp_path: Path) -> None:
    checked(tmp_path / "a", kind, NAME, "json")
    again = run("convert", tmp_path / "a" / kind, "--format=json").result
    assert again["name"] == NAME


WAYS = ["check", "check --format=junit", "check --format=github", "explain", "combine", "report -o r.html"]
WAYS += [f"convert --format={dialect}" for dialect in ("csv", "urdf", "sdf", "usd")]


@pytest.mark.parametrize("kind", ["r.gltf", "r.json"])
@pytest.mark.parametrize("words", WAYS)
def test_a_nul_in_a_name_is_no_defect(kind: str, words: str, tmp_path: Path) -> None:
    (tmp_path / kind).write_text(FILES[kind]("a\0b"), encoding="utf-8")
    command, *options = words.split()
    answer = run(command, kind, *options, cwd=tmp_path)
    assert answer.returncode in (0, 1, 2, 3, 4)
    assert "defect" not in answer.out + answer.err
    assert "\0" not in answer.err


def test_a_name_of_a_mesh_part_and_of_a_file(tmp_path: Path) -> None:
    corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
    (tmp_path / "p.obj").write_bytes(b"o a\x00b ::error::c\n" + corners.encode())
    name = "evil\n::error::x.stl"
    (tmp_path / name).write_bytes((ROOT / "sample_meshes" / "open_bracket.stl").read_bytes())
    for words in (
        ("compute", "p.obj", "--list-parts"),
        ("check", "p.obj"),
        ("check", name),
        ("compute", name),
        ("check", name, "--format=github"),
    ):
        answer = run(*words, cwd=tmp_path)
        assert answer.returncode in (0, 1, 3, 4)
        assert not any(line.startswith("::error::") for line in (answer.out + answer.err).splitlines())
