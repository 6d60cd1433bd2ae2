"""`massprops convert` from outside."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import get_args

import jsonschema
import numpy as np
import pytest
from console import VALIDATOR, plain_failure, run, valid
from places import ROOT
from robots import ARM, TENSOR

from massprops.cli.groups import declarations
from massprops.cli.output_format import Format, Order
from massprops.cli.shape import shape
from massprops.formats.bodies import DIALECTS, NamedBody, write
from massprops.formats.inertial.simulator_rules import GAZEBO
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.shapes import SHAPES
from massprops.rigid_body.ten_vectors import LAYOUTS

u = 2.0**-52


def numbers(text: str) -> list[float]:
    return [float(word) for word in text.split()]


def test_a_link_is_converted_to_the_last_bit(robot: Path) -> None:
    done = run("convert", f"{robot}#arm", "--format", "mjcf")
    assert (done.returncode, done.err) == (0, "")
    body = ET.fromstring(done.out).find(".//body")  # noqa: S314  # our own text
    assert body.attrib == {"name": "arm"}
    inertial = body.find("inertial").attrib
    assert numbers(inertial["fullinertia"]) == [1, 1.5, 2, 0.1, 0.2, 0.3]
    assert (numbers(inertial["pos"]), float(inertial["mass"])) == ([1, 2, 3], 2)


def test_all_links_are_a_row_each_and_what_has_none_is_said(robot: Path) -> None:
    done = run("convert", robot)
    assert (done.returncode, done.err) == (0, f"massprops: {robot}: no inertial is stated for base\n")
    assert re.search(r"^arm +2 ", done.out, re.MULTILINE)
    assert re.search(r"^tip +0\.5 ", done.out, re.MULTILINE)


def test_json_has_one_object_for_one_body_and_a_line_each_for_several(robot: Path) -> None:
    one = run("convert", f"{robot}#arm", "-f", "json").result
    assert (one["name"], one["mass"], one["method"], one["volume"]) == ("arm", 2, "stated", None)
    assert one["inertia"]["tensor"] == TENSOR.tolist()
    assert one["input"] == {**one["input"], "path": str(robot), "format": "urdf", "facets": None}
    lines = run("convert", robot, "-f", "json").out.splitlines()
    assert [valid(line)["name"] for line in lines] == ["arm", "tip"]


def test_a_chain_through_all_dialects_and_standard_input_loses_no_bit(robot: Path) -> None:
    text = robot.read_bytes()
    for dialect in ("sdf", "mjcf", "json", "csv", "urdf"):
        done = run("convert", "-", "-f", dialect, stdin=text)
        assert done.returncode == 0
        text = done.stdout
    found = {link.get("name"): link.find("inertial") for link in ET.fromstring(text)}  # noqa: S314
    assert list(found) == ["arm", "tip"]
    entries = zip(
        ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), map(repr, TENSOR[np.triu_indices(3)].tolist()), strict=True
    )
    assert found["arm"].find("inertia").attrib == dict(entries)
    assert found["tip"].find("origin").get("xyz") == "0.0 0.0 0.25"


@pytest.mark.parametrize("format", get_args(Format))
def test_every_format_prints_every_body(format: str, robot: Path) -> None:
    done = run("convert", robot, "--format", format)
    assert done.returncode == 0
    assert "arm" in done.out
    assert "tip" in done.out


def test_a_link_can_be_renamed(robot: Path) -> None:
    done = run("convert", f"{robot}#arm", "-f", "sdf", "--link", 'é <&> "q"')
    assert ET.fromstring(done.out).attrib == {"name": 'é <&> "q"'}  # noqa: S314
    several = run("convert", robot, robot, "-f", "sdf", "--link", "x")
    assert (several.returncode, several.out) == (2, "")
    assert several.err.endswith("massprops: --link names one body, and there are 4; choose one with FILE#LINK\n")


def test_every_result_has_the_keys_of_every_other(robot: Path) -> None:
    # what does not apply is null, not missing; only names, parts and a frame are there where there are such
    runs = [
        ("convert", f"{robot}#arm"),
        ("combine", f"{robot}#arm", f"3*{robot}#tip"),
        ("shape", "cylinder", "--radius", "20mm", "--length", "0.1", "--mass", "1"),
    ]
    for command in runs:
        result = run(*command, "-f", "json").result
        for key in result.keys() - {"name", "parts", "frame"}:
            with pytest.raises(jsonschema.ValidationError):
                VALIDATOR.validate({k: v for k, v in result.items() if k != key})
        assert [result[k] for k in ("perimeter", "centroid", "section", "bounds")] == [None] * 4
        assert result["input"]["rings"] is None


def test_one_bad_file_does_not_stop_the_others(robot: Path) -> None:
    done = run("convert", "none.urdf", f"{robot}#arm", "none.sdf", "-f", "json")
    assert done.returncode == 3
    assert done.err == "massprops: none.urdf: no such file\nmassprops: none.sdf: no such file\n"
    arm, first, second = map(valid, re.sub(r"\n(?![{])", "", done.out).replace("}{", "}\n{").splitlines())
    assert arm["name"] == "arm"
    assert [e["error"]["code"] for e in (first, second)] == ["missing-file"] * 2


def test_a_body_that_cannot_be_is_shown_and_fails(tmp_path: Path) -> None:
    file = tmp_path / "bad.urdf"
    file.write_text(write([NamedBody("a", MassProperties(1, [0, 0, 0], np.diag([1.0, 2, 4])))], "urdf")[0])
    done = run("convert", file, "-f", "mjcf", "--for", "mujoco")
    assert done.returncode == 1
    assert "fullinertia" in done.out  # the numbers as they are: nothing is mended
    codes = [line.split(": ")[4 if ": a: " in line else 3] for line in done.err.splitlines()]
    assert codes == ["triangle-inequality", "pseudo-inertia", "refused-by-mujoco"]
    assert run("convert", file, "-f", "mjcf", "--fail-on", "never").returncode == 0
    assert run("convert", file, "-f", "json").result["findings"][0]["code"] == "triangle-inequality"


def test_rounding_is_checked_again(tmp_path: Path) -> None:
    # a plate that is right to the last digit: 0.1234 + 0.2344 = 0.3578, but 0.123 + 0.234 < 0.358
    plate = MassProperties(1.0, [0, 0, 0], np.diag([0.1234, 0.2344, 0.35779]))
    file = tmp_path / "plate.urdf"
    file.write_text(write([NamedBody("plate", plate)], "urdf")[0])
    assert run("convert", file, "-f", "mjcf", "--for", "mujoco").returncode == 0
    rounded = run("convert", file, "-f", "mjcf", "--for", "mujoco", "--digits", "3")
    assert rounded.returncode == 1
    assert 'fullinertia="0.123 0.234 0.358 0.0 0.0 0.0"' in rounded.out
    first, *_, last = rounded.err.splitlines()
    assert first.startswith(f"massprops: {file}:2: plate: warning: triangle-inequality: after rounding to 3 digits: ")
    assert first.endswith("within the rounding of its digits: print more")
    assert "refused-by-mujoco: MuJoCo will not take these numbers" in last


USAGE = {
    "--principal": "--principal has no meaning for --format table; it is for urdf, sdf, mjcf, usd",
    "--digits 5 -f json": "--digits has no meaning for --format json; it is for table, urdf, sdf, mjcf, usd, csv, markdown, ten-vector",
    "--for mujoco -f sdf": "MuJoCo does not read --format sdf; choose mjcf, urdf",
    "--for gazebo -f mjcf": "Gazebo does not read --format mjcf; choose sdf, urdf",
}


@pytest.mark.parametrize("options", USAGE)
def test_options_that_do_not_belong_together_are_refused(options: str, robot: Path) -> None:
    plain_failure(run("convert", robot, *options.split()), 2, USAGE[options])


@pytest.mark.parametrize("option", ["--about origin", "--products positive"])
def test_a_table_of_several_bodies_has_no_inertia(option: str, robot: Path) -> None:
    """What is about it changes nothing there, so it is refused, as by `compute`; of one body and in JSON it is applied."""
    words, name = option.split(), option.split()[0]
    part = ROOT / "sample_meshes" / "bracket.stl"
    for done in (run("convert", robot, *words), run("compute", part, part, "-d", "1", *words)):
        assert (done.returncode, done.out) == (2, "")
        assert f"{name} is for one body" in done.err
    assert run("convert", f"{robot}#arm", *words).out != run("convert", f"{robot}#arm").out
    assert run("convert", robot, "--json", *words).out != run("convert", robot, "--json").out


def test_gazebo_has_two_names_where_a_simulator_is_named(robot: Path) -> None:
    for command in (["convert", "-f", "sdf", "--for"], ["check", "--engine"]):
        one, other = (run(*command, name, robot) for name in GAZEBO)
        assert (one.returncode, one.out) == (other.returncode, other.out)


def test_the_words_of_the_command_line_are_those_of_the_library() -> None:
    assert set(get_args(Format)) == {"table", "json", *DIALECTS}
    assert set(get_args(Order)) == set(LAYOUTS)
    lengths = {p.name for s in SHAPES.values() for p in s.parameters}
    known = {d.name: d for d in declarations(shape)}
    assert lengths <= set(known)
    help_text = known["name"].field.metadata["help"]
    assert all(re.search(rf"\b{name}\b", help_text) for name in SHAPES)


def test_a_pose_places_and_a_frame_observes(robot: Path) -> None:
    # a quarter turn about z: (1, 2, 3) goes to (−2, 1, 3), and a metre up to 4
    there = run("convert", f"{robot}#arm", "--pose", "0 0 1  0 0 90deg", "-f", "json").result
    np.testing.assert_allclose(there["center_of_mass"], [-2, 1, 4], rtol=0, atol=4 * u)
    np.testing.assert_allclose(
        there["inertia"]["tensor"], [[1.5, -0.1, -0.3], [-0.1, 1, 0.2], [-0.3, 0.2, 2]], rtol=0, atol=4 * u
    )
    back = run("convert", "-", "--frame", "0 0 1  0 0 90deg", "-f", "json", stdin=json.dumps(there).encode()).result
    np.testing.assert_allclose(back["center_of_mass"], ARM.com, rtol=0, atol=8 * u)
    np.testing.assert_allclose(back["inertia"]["tensor"], TENSOR, rtol=0, atol=8 * u)


def test_the_inertia_is_taken_about_a_point_and_read_back(robot: Path) -> None:
    # about the origin: I + m (|c|² 1 − c cᵀ) = I + 2 (14 − 1) on xx, I − 2 · 2 on xy
    about = run("convert", f"{robot}#arm", "--about", "origin", "-f", "json").result
    assert about["inertia"]["tensor"][0][:2] == [1 + 26, 0.1 - 4]
    again = run("convert", "-", "-f", "json", stdin=json.dumps(about).encode()).result
    np.testing.assert_allclose(again["inertia"]["tensor"], TENSOR, rtol=0, atol=32 * u)
