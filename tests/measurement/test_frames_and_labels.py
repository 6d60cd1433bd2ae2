"""Whose frame, which point and which unit: labels, matrices, far origins, bounds of exact surfaces, sheets of them, recorded results."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path

import numpy as np
import pytest
from cases import each
from console import run
from places import ROOT
from step_files import needs_kernel, written

import massprops
from massprops.measurement.output_units import OutputUnits, number_text
from massprops.measurement.quantities import Quantity

BRACKET = ROOT / "sample_meshes" / "bracket.stl"


def lines(*words: object) -> list[str]:
    answer = run("compute", BRACKET, "--units=mm", "--density=1000", *words)
    assert answer.returncode == 0, answer.err
    return answer.out.splitlines()


def test_principal_moments_stand_below_the_tensor_that_they_belong_to() -> None:
    # they are central whatever point is asked for: with it, they stood below its tensor
    table = lines("--about", "origin")
    central, other = (
        next(i for i, line in enumerate(table) if f"about the {place}" in line) for place in ("centre", "origin")
    )
    (principal,) = (i for i, line in enumerate(table) if "principal moments" in line)
    assert central < principal < other
    alone = next(line for line in lines() if "principal moments" in line)
    assert table[principal].split() == alone.split()


@pytest.mark.parametrize("option", ["pose", "frame"])
def test_a_matrix_is_in_the_unit_of_the_file(option: str, tmp_path: Path) -> None:
    path = tmp_path / "m.txt"
    path.write_text("0 -1 0 10\n1 0 0 20\n0 0 1 30\n0 0 0 1\n")
    matrix = "--matrix" if option == "pose" else "--frame-matrix"
    by_file, by_text = (
        run("compute", BRACKET, "--units=mm", *words, "--format=json").result
        for words in ((matrix, path), (f"--{option}", "10 20 30 0 0 90deg"))
    )
    np.testing.assert_allclose(by_file["center_of_mass"], by_text["center_of_mass"], rtol=1e-12)
    # and a file that states its unit
    box = tmp_path / "box.glb"
    trimesh = pytest.importorskip("trimesh")
    trimesh.creation.box((1, 2, 3)).export(box)
    found = run("compute", box, "--units=mm", matrix, path, "--format=json").result["center_of_mass"]
    np.testing.assert_allclose(found, [10, 20, 30] if option == "pose" else [-20, 10, -30], rtol=1e-14)


@pytest.mark.parametrize("command", ["compute", "diff", "plot", "report"])
def test_a_section_by_itself_is_not_placed(command: str, tmp_path: Path) -> None:
    """Its numbers have no third dimension: they would be printed as if no pose had been given."""
    (tmp_path / "a.csv").write_text("0,0\n3,0\n0,4\n", encoding="ascii")
    output = {"diff": ["a.csv"], "plot": ["-o", "a.svg"], "report": ["-o", "a.html"]}.get(command, [])
    words = (command, "a.csv", *output, "--pose", "1 2 0")
    done = run(*words, cwd=tmp_path)
    assert (done.returncode, "--pose is for bodies" in done.err) == (2, True)
    assert run(*words, "--area-density", "2", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(
    "words", [("--pose", "10000 0 0"), ("--frame", "0 0 -10000"), ("--about", "0,10000,0"), ("--matrix", "m.txt")]
)
def test_what_is_far_without_a_unit_warns(words: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "m.txt").write_text("1 0 0 10000\n0 1 0 0\n0 0 1 0\n0 0 0 1\n")
    answer = run("compute", BRACKET, "--units=mm", *words, cwd=tmp_path)
    assert answer.returncode == 0
    assert "sizes away from the body; lengths without a unit are in mm" in answer.err
    near = run("compute", BRACKET, "--units=mm", "--pose", "10m 0 0", "--about", "com")
    assert near.err == ""


ONE_BODY = """<mujoco model="swing"><worldbody><body name="rod" pos="0 0 1.1"><joint name="h" type="hinge" axis="0 1 0"/>
<inertial pos="1 0 0" mass="1" diaginertia="0.002 0.003 0.004"/></body>{}</worldbody></mujoco>"""
SECOND = '<body name="dust" pos="0 0 0"><joint name="k"/><inertial pos="0 0 0" mass="1e-30" diaginertia="1e-30 1e-30 1e-30"/></body>'


def test_one_body_is_combined_in_the_frame_of_two(tmp_path: Path) -> None:
    for name, more in (("one", ""), ("two", SECOND)):
        (tmp_path / f"{name}.xml").write_text(ONE_BODY.format(more))
        found = run("combine", tmp_path / f"{name}.xml", "--format=json").result
        np.testing.assert_allclose(found["center_of_mass"], [1, 0, 1.1], rtol=1e-12)
        assert found["frame"] == "the world"
    alone = run("combine", f"{tmp_path / 'one.xml'}#rod", "--format=json").result
    assert (alone["center_of_mass"], alone["frame"]) == ([1, 0, 0], "rod")


@pytest.mark.parametrize("dialect", ["table", "json", "urdf", "sdf", "mjcf", "usd", "csv", "markdown", "ten-vector"])
def test_every_output_of_combine_names_its_frame(dialect: str, tmp_path: Path) -> None:
    (tmp_path / "one.xml").write_text(ONE_BODY.format(""))
    answer = run("combine", tmp_path / "one.xml", f"--format={dialect}")
    assert "the world" in answer.out.replace("\n", " ")
    if dialect not in ("table", "markdown"):  # and is read as before
        suffix = {"mjcf": "xml", "usd": "usda", "ten-vector": "txt"}.get(dialect, dialect)
        (tmp_path / f"out.{suffix}").write_bytes(answer.stdout)
        again = run("convert", tmp_path / f"out.{suffix}", "--format=json").result
        np.testing.assert_allclose(again["center_of_mass"], [1, 0, 1.1], rtol=1e-6)


def test_a_number_below_its_error_keeps_two_digits_and_noise_is_zero() -> None:
    assert [number_text(28.84, 47.0), number_text(0.0123, 1.0), number_text(-3.14159, 3.0)] == ["29", "0.012", "-3.1"]
    known = Quantity("Inertia", (1, 2), [4.0, -1.25, 3e-17], off=[5.0, 5.0, 5.0])
    assert known.numbers(OutputUnits()) == ["4", "-1.2", "0"]  # what rounding left is no digit
    exact = Quantity("Inertia", (1, 2), [4.0, 1e-9, 0.5], off=[1e-8, 1e-8, 1e-8])
    assert exact.numbers(OutputUnits()) == ["4", "0", "0.5"]


def revolved(tool, _document):
    from OCP.BRepPrimAPI import BRepPrimAPI_MakeCylinder

    tool.AddShape(BRepPrimAPI_MakeCylinder(5.0, 20.0).Shape())


def ball(tool, _document):
    from OCP.BRepPrimAPI import BRepPrimAPI_MakeSphere

    tool.AddShape(BRepPrimAPI_MakeSphere(5.0).Shape())


def ring(tool, _document):
    from OCP.BRepPrimAPI import BRepPrimAPI_MakeTorus

    tool.AddShape(BRepPrimAPI_MakeTorus(10.0, 3.0).Shape())


def block(tool, _document):
    from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox

    tool.AddShape(BRepPrimAPI_MakeBox(100.0, 50.0, 20.0).Shape())


#: Sizes (mm), the area (mm²), and ∫z² dA about the centre over it (mm²), in closed form.
CLOSED = {
    revolved: ((10, 10, 20), 2 * math.pi * 25 + 200 * math.pi, (200 * math.pi * 400 / 12 + 2 * math.pi * 25 * 100)),
    ball: ((10, 10, 10), 100 * math.pi, 100 * math.pi * 25 / 3),
    ring: ((26, 26, 6), 4 * math.pi**2 * 30, 4 * math.pi**2 * 30 * 9 / 2),
    block: ((100, 50, 20), 2 * (5000 + 2000 + 1000), 2 * 5000 * 100 + 2 * (100 + 50) * 20**3 / 12),
}


@needs_kernel
@pytest.mark.parametrize("make", CLOSED, ids=lambda f: f.__name__)
@pytest.mark.parametrize("unit", ["MM", "INCH"])
def test_the_sheet_and_the_bounds_of_exact_surfaces(make, unit: str, tmp_path: Path) -> None:
    path = written(make, tmp_path / "part.step", unit=unit)
    size, area, along = CLOSED[make]
    sheet = massprops.measure(path, kind="sheet", area_density=1.0)
    assert sheet.area == pytest.approx(area * 1e-6, rel=1e-9)
    assert sheet.mass == pytest.approx(area * 1e-6, rel=1e-9)
    assert sheet.uncertainty is not None
    assert abs(sheet.mass - area * 1e-6) <= sheet.uncertainty.mass + 1e-16
    second = sheet.moments.central_second()
    assert second[2, 2] == pytest.approx(along * 1e-12, rel=1e-8)
    # no surface is moved by the gap of the kernel's boxes
    np.testing.assert_allclose(np.ptp(sheet.bounds, axis=0), np.array(size) / 1000, rtol=1e-11)
    np.testing.assert_allclose(np.ptp(massprops.measure(path).bounds, axis=0), np.array(size) / 1000, rtol=1e-11)


WAYS = """
--density=1000; --material=steel; --mass=3kg; --mass=3kg±5%; --density=1000±5%; --as=sheet --thickness=1mm --density=1000
--as=sheet --area-density=3; --as=sheet; --as=wall --thickness=1mm --material=steel; --exact --mass=2kg
--as=wall --thickness=1mm --infill=20% --mass=3kg; --mass=3kg±0.1kgsigma
--pose=1,2,3,0.1,0.2,0.3 --material=steel; --about=origin --mass=1kg; --output-units=in,lb --mass=1kg
"""


@pytest.mark.parametrize("way", [way.strip() for line in WAYS.strip().splitlines() for way in line.split(";")])
def test_a_recorded_result_is_expected_of_the_same_file_and_not_of_another(way: str, tmp_path: Path) -> None:
    words = way.replace("±", " +- ").replace("sigma", " sigma").split(" --") if "±" in way else way.split(" --")
    words = [words[0], *("--" + w for w in words[1:])]
    record = tmp_path / "r.json"
    record.write_bytes(run("compute", BRACKET, "--units=mm", *words, "--format=json").stdout)
    answer = run("check", BRACKET, "--units=mm", "--expect", record)
    assert answer.returncode == 0, answer.out + answer.err
    value = json.loads(record.read_text())
    value["area"] *= 1.01  # another surface
    record.write_text(json.dumps(value))
    assert run("check", BRACKET, "--units=mm", "--expect", record).returncode == 1


@pytest.mark.parametrize(
    "words",
    [
        "--thickness=5mm",
        "--thickness=5mm --centered",
        "--thickness=5mm --mass=1kg",
        "--thickness=2mm --material=steel",
        "--area-density=3",
        "",
    ],
)
def test_a_recorded_section_too(words: str, tmp_path: Path) -> None:
    path, record = tmp_path / "s.csv", tmp_path / "r.json"
    path.write_text("0,0\n10,0\n10,20\n0,20\n")
    record.write_bytes(run("compute", path, "--units=mm", *words.split(), "--format=json").stdout)
    answer = run("check", path, "--units=mm", "--expect", record)
    assert answer.returncode == 0, answer.out + answer.err


@each(
    "command",
    ["compute angle.csv", "plot angle.csv -o new.svg", "report angle.csv -o new.html", "diff angle.csv angle.csv"],
)
def test_a_section_by_itself_has_nothing_about_a_line_or_a_point_off_its_plane(command: str, tmp_path: Path) -> None:
    """What is asked for in space is refused rather than left out; in the plane, and of a sheet, it is there."""
    shutil.copy(ROOT / "samples" / "sections" / "angle.csv", tmp_path)
    words = [*command.split(), "--units", "mm"]
    for asked in (["--about", "1,2,3"], ["--axis", "0 0 0 0 0 1"]):
        done = run(*words, *asked, cwd=tmp_path)
        assert (done.returncode, f"{asked[0]} is for " in done.err) == (2, True), (asked, done.err)
        if command[:4] != "plot":  # draws no line of a section
            assert run(*words, *asked, "--thickness", "2", "-d", "1", cwd=tmp_path).returncode == 0
    assert run(*words, "--about", "1,2,0", cwd=tmp_path).returncode == 0


def test_a_comparison_without_inertia_has_none_about_a_point(tmp_path: Path) -> None:
    part = ROOT / "sample_meshes" / "bracket.stl"
    (tmp_path / "part.json").write_text(run("compute", part, "--units", "mm", "-f", "json").out)
    for asked in (["--about", "origin"], ["--axis", "0 0 0 0 0 1"]):
        done = run("diff", "part.json", "part.json", *asked, cwd=tmp_path)
        assert (done.returncode, "no inertia is compared about it" in done.err) == (2, True)
