"""What compute measures, report, diff and plot show: the same numbers for the same options.

Modules tested: `cli/measuring`, `comparison/comparison`, `writers/page/entries`, `writers/picture/assembly`, `writers/picture/plotting`.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from html_text import Html
from places import ROOT

from massprops.cli import main
from massprops.formats.registry import open_mesh
from massprops.formats.search_path import SearchPath
from massprops.measurement.options import Options
from massprops.rigid_body.line import InertiaReference, Line
from massprops.writers.picture.assembly import assembly_scene
from massprops.writers.picture.plotting import measure_or_refusal, mesh_scene, suited_units

BRACKET, PLATE = "sample_meshes/bracket.stl", "samples/parts/plate_and_posts.3mf"
ANGLE, LAYERS = "samples/sections/angle.csv", "samples/sections/plate.dxf"
POSE = ["--pose", "10 20 30 0.3 0 90deg"]
#: A file, and options that are for it.
CASES = [
    [BRACKET, "-u", "mm", "--mass", "1.2kg", *POSE],
    [BRACKET, "-u", "mm", "-d", "7800", "--as", "wall", "--thickness", "2", "--infill", "15%"],
    [BRACKET, "-u", "mm", "-m", "steel", "--frame", "1 2 3 0 0 1", "--exact"],
    [PLATE, "--part-material", "*=steel", "--part-density", "1=1000", *POSE],
    [ANGLE, "-u", "mm", "-m", "steel", "--thickness", "30", "--centered", *POSE],
    [ANGLE, "-u", "mm", "--area-density", "80gsm", "--rings", "nonzero", "--gap", "0.01"],
    [LAYERS, "-u", "mm", "-m", "steel", "--thickness", "2", "--layer", "0"],
]
TENSOR = ("xx", "yy", "zz", "xy", "xz", "yz")


def run(words: list[str], capsys: pytest.CaptureFixture[str], status: int = 0) -> str:
    assert main(words) == status, capsys.readouterr()
    return capsys.readouterr().out


@pytest.mark.parametrize("case", CASES, ids=lambda case: " ".join(case[1:4]))
def test_compute_diff_and_report_state_the_same_numbers(
    case: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, given = str(ROOT / case[0]), case[1:]
    result = json.loads(run(["compute", path, *given, "--json"], capsys))
    tensor = np.array(result["inertia"]["tensor"])
    six = [tensor["xyz".index(i), "xyz".index(j)] for i, j in TENSOR]
    known = {"mass": result["mass"]} | {
        f"center_of_mass.{x}": c for x, c in zip("xyz", result["center_of_mass"], strict=True)
    }
    known |= {f"inertia.tensor.{name}": x for name, x in zip(TENSOR, six, strict=True)}

    text = run(["diff", path, path, *given, "--about", "com", "--json", "--all"], capsys)
    changes = {c["name"]: c for c in json.loads(text)["diff"]["changes"]}
    assert {name: (changes[name]["before"], changes[name]["after"]) for name in known if name in changes} == {
        name: (x, x) for name, x in known.items() if name in changes
    }
    assert known.keys() - changes.keys() <= {"center_of_mass.z"}  # of sections

    main(["report", path, *given, "-o", str(tmp_path / "a.html")])
    rows = Html((tmp_path / "a.html").read_text(encoding="utf-8")).rows
    si = {name: cells[3] for name, *cells in rows if len(cells) == 5}
    shown = [si["Mass"], *(si[f"Centre of mass {x}"] for x in "xyz")]
    shown += [si[f"Inertia about the centre of mass I{name}"] for name in TENSOR]
    scale = [1.0] * 4 + [np.abs(six).max()] * 6
    for own, x, most in zip(shown, known.values(), scale, strict=True):
        assert float(own) == pytest.approx(x, rel=1e-8, abs=1e-8 * most)


@pytest.mark.parametrize("about", ["1,2,3", "origin"])
def test_another_point_is_the_same_in_all(about: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, given = str(ROOT / BRACKET), ["-u", "mm", "-d", "7800", *POSE, "--about", about, "--axis", "0 0 1 1 2 3"]
    inertia = json.loads(run(["compute", path, *given, "--json"], capsys))["inertia"]
    changes = json.loads(run(["diff", path, path, *given, "--json"], capsys))["diff"]["changes"]
    found = {c["name"]: c["before"] for c in changes}
    six = [inertia["tensor"]["xyz".index(i)]["xyz".index(j)] for i, j in TENSOR]
    assert [found[f"inertia.tensor.{name}"] for name in TENSOR] == six
    assert found["inertia.about_axis.moment"] == inertia["about_axis"]["moment"]
    main(["report", path, *given, "-o", str(tmp_path / "a.html")])
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    words = "the origin" if about == "origin" else "(1, 2, 3) mm"
    si = {name: cells[3] for name, *cells in Html(page).rows if len(cells) == 5}
    assert [float(si[f"Inertia about {words} I{name}"]) for name in TENSOR] == pytest.approx(six, rel=1e-8)


def test_second_moments_of_a_section_about_a_point(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(ROOT / ANGLE)
    about = json.loads(run(["compute", path, "--about", "1,2", "--json"], capsys))["section"]["about"]
    changes = json.loads(run(["diff", path, path, "--about", "1,2", "--json"], capsys))["diff"]["changes"]
    found = {c["name"].removeprefix("section.about."): c["before"] for c in changes if "section.about." in c["name"]}
    assert found == pytest.approx({name: about[name] for name in ("Ixx", "Iyy", "Ixy")}, rel=1e-12)


def test_a_picture_is_where_the_pose_puts_the_part() -> None:
    options = Options(units="mm", pose="10 20 30 0.3 0 1")
    found: Any = measure_or_refusal(str(ROOT / BRACKET), options)
    with open_mesh(str(ROOT / BRACKET)) as mesh:
        scene = mesh_scene(mesh, "mm", found, suited_units(found, "mm", None), options)
    assert scene.bounds == pytest.approx(found.bounds, abs=1e-12)


@pytest.mark.parametrize("command", ["plot", "report", "diff"])
def test_an_option_that_is_for_no_file_is_refused(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [str(ROOT / BRACKET)] * (1 + (command == "diff"))
    output = [] if command == "diff" else ["-o", str(tmp_path / ("a.png" if command == "plot" else "a.html"))]
    assert main([command, *files, "--layer", "0", *output]) == 2
    assert "--layer is for plane files, and this is a mesh" in capsys.readouterr().err
    robot = [str(ROOT / "samples/robots/arm.urdf")] * len(files)
    assert main([command, *robot, "--mass", "1", *output]) == 2
    assert "--mass is for meshes and plane files, and this is a robot" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
    section = [str(ROOT / LAYERS)] * len(files)
    assert main([command, *section, "--as", "wall", "--thickness", "1", "--infill", "9%", *output]) == 2
    assert "--infill is for meshes, and this is a plane file" in capsys.readouterr().err


def test_walls_of_a_plane_file_are_compared_reported_and_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A frame of 100 × 50 mm, 2 mm thick: 102 × 52 less 98 × 48."""
    line, page, picture = (str(tmp_path / name) for name in ("line.csv", "page.html", "line.svg"))
    Path(line).write_text("0 0\n100 0\n100 50\n0 50\n")
    wall = ["--units", "mm", "--as", "wall", "--thickness", "2"]
    assert main(["diff", line, line, *wall, "--all"]) == 0
    assert re.search(r"Area \[mm²\] +600 +600", capsys.readouterr().out)
    assert (main(["report", line, *wall, "-o", page]), main(["plot", line, *wall, "-o", picture])) == (0, 0)
    assert all("600 mm²" in Path(path).read_text().replace("\xa0", " ") for path in (page, picture))


ASSEMBLY = """
limit = "3 kg"
[[part]]
name = "plate"
shape = "box"
x = 0.2
y = 0.1
z = 0.01
mass = 1
growth = "10 %"
[[part]]
name = "post"
shape = "cylinder"
radius = 0.01
length = 0.1
mass = 0.5
poses = ["0.05 0 0.055", "-0.05 0 0.055"]
"""


def test_an_assembly_is_reported_plotted_and_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, other = tmp_path / "rig.toml", tmp_path / "b.toml"
    path.write_text(ASSEMBLY, encoding="utf-8")
    assert main(["report", str(path), "-o", str(tmp_path / "a.html")]) == 0
    page = Html((tmp_path / "a.html").read_text(encoding="utf-8"))
    rows = {name: cells for name, *cells in page.rows}
    assert rows["plate"][:3] != rows["post"][:3]
    assert [row[1:4] for row in page.rows if row[0] == "post" and row[1] == "2"] == [["2", "0.5", "1"]]
    # 1 kg at z = 0 and 1 kg at z = 0.055: predicted 1.1 + 1 kg, margin 0.9 kg
    (total,) = ([*cells] for name, *cells in page.rows if name == "Total" and len(cells) == 6)
    assert total == ["", "2", "0.1", "2.1", "3", "0.9"]
    si = {name: float(cells[3]) for name, *cells in page.rows if len(cells) == 5 and cells[4] != "SI unit"}
    assert (si["Mass"], si["Centre of mass z"]) == pytest.approx((2.0, 0.0275))
    assert main(["plot", str(path), "--size=300x225", "-o", str(tmp_path / "a.png")]) == 0
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    other.write_text(ASSEMBLY.replace("mass = 0.5", "mass = 0.6"), encoding="utf-8")
    capsys.readouterr()
    text = run(["diff", str(path), str(other), "--json"], capsys, 1)
    found = [json.loads(line)["diff"] for line in text.splitlines()]
    masses = {
        d["before"].partition(": ")[2]: [c["difference"] for c in d["changes"] if c["name"] == "mass"] for d in found
    }
    assert masses == {"": [pytest.approx(0.2)], "plate": [0.0], "post": [pytest.approx(0.2)]}


def test_an_assembly_and_a_table_are_shown_about_a_point_and_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.csv").write_text("name,mass [kg],x [mm],y [mm],z [mm]\na,1,0,0,0\nb,3,400,0,0\n", encoding="utf-8")
    text = '[[part]]\nshape = "point"\nmass = {}\npose = "{} 0 0"\n'
    (tmp_path / "a.toml").write_text(text.format(1, 0) + text.format(3, 0.4), encoding="utf-8")
    about = InertiaReference([0.0, 0.3, 0.0], Line.through([0, 0, 0], [0, 1, 0]))
    for name in ("a.csv", "a.toml"):
        scene, _, refused = assembly_scene(str(tmp_path / name), SearchPath(), "m,kg", about)
        assert refused is None
        words = {entry.words.partition(":")[0]: entry.words for entry in scene.legend}
        # 3 kg at x = 0.4: about (0, 0.3, 0) Izz = 3 · 0.4² + 4 · 0.3², about y 3 · 0.4²
        assert "Izz = 0.84" in words["Inertia about (0, 0.3, 0) m"], scene.legend
        assert "0.48" in next(text for name, text in words.items() if "about the line" in name)
        assert main(["plot", str(tmp_path / name), "--about", "0,0.3,0", "-o", str(tmp_path / "a.png")]) == 0
        run(["report", str(tmp_path / name), "--about", "0,0.3,0", "-o", str(tmp_path / "a.html")], capsys)
        page = Html((tmp_path / "a.html").read_text(encoding="utf-8"))
        assert [float(cells[3]) for title, *cells in page.rows if title == "Inertia about (0, 0.3, 0) m Izz"] == [
            pytest.approx(0.84)
        ]


def test_a_thickness_is_for_the_plane_files_among_meshes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["-u", "mm", "--thickness", "30", "--density", "7800", "-o", str(tmp_path / "a.html")]
    bracket, angle = str(ROOT / BRACKET), str(ROOT / ANGLE)
    run(["report", bracket, angle, *given], capsys)
    page = Html((tmp_path / "a.html").read_text(encoding="utf-8"))
    masses = [float(cells[3]) for name, *cells in page.rows if name == "Mass" and len(cells) == 5 and cells[4] == "kg"]
    volume = json.loads(run(["compute", bracket, "-u", "mm", "--json"], capsys))["volume"]
    area = json.loads(run(["compute", angle, "-u", "mm", "--json"], capsys))["area"]
    assert masses == [pytest.approx(7800 * volume), pytest.approx(7800 * 0.03 * area)]
    assert main(["report", bracket, *given]) == 2


@pytest.mark.parametrize(
    "words",
    [
        ["plot", BRACKET, "--gltf-up", "z"],
        ["report", BRACKET, ANGLE, "--gltf-up", "z", "-o", "a.html"],
        ["report", BRACKET, "--joint", "a=1", "-o", "a.html"],
        ["combine", "samples/assemblies/budget.csv", "--gltf-up", "z"],
        ["combine", "samples/assemblies/budget.csv", "--joint", "a=1"],
        ["plot", ANGLE, "--axis", "0 0 0 0 0 1"],
    ],
)
def test_an_option_that_is_for_none_of_the_files_is_refused(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    assert main(words) == 2
    assert re.search(r"--(gltf-up|joint|axis) is for .*, and this is a .*; leave it out", capsys.readouterr().err)


def test_an_assembly_is_compared_with_one_body(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rig.toml").write_text(ASSEMBLY, encoding="utf-8")
    run(["combine", str(tmp_path / "rig.toml"), "-o", str(tmp_path / "whole.json")], capsys)
    text = run(["diff", str(tmp_path / "rig.toml"), str(tmp_path / "whole.json"), "--json"], capsys)
    assert json.loads(text)["diff"]["verdict"] == "equal"


def test_parts_that_share_space_are_shown_without_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(ASSEMBLY.replace("0.055", "0.05"), encoding="utf-8")
    assert main(["report", str(path), "-o", str(tmp_path / "a.html")]) == 4
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "shared-space" in page
    assert re.search(r'id="scene-1"', page)
    assert "Total of all parts" not in page
    assert main(["plot", str(path), "--size=300x225", "-o", str(tmp_path / "a.png")]) == 0
    assert "drawn without numbers" in capsys.readouterr().err
