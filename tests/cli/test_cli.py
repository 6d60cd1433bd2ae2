"""The command line from outside: exit code, stdout and stderr, each by itself."""

from __future__ import annotations

import csv
import errno
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET
from contextlib import closing
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from console import (
    OUTWARD,
    PROGRAM,
    SCHEMA,
    TIMEOUT,
    VALIDATOR,
    VOLUME,
    Run,
    ascii_stl,
    environment,
    plain_failure,
    run,
    shell,
    valid,
)
from warm import Forked

import massprops
from massprops.cli.compute import compute
from massprops.cli.groups import declared

#: Sums of four products of doubles: a few roundings.
ROUNDING = 1e-14

posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX files, signals or terminals")


# --- files and runs --------------------------------------------------------------------------------------------------


@pytest.fixture
def part(tmp_path: Path) -> Path:
    """A good file."""
    path = tmp_path / "part.stl"
    path.write_text(ascii_stl(), encoding="ascii")
    return path


@pytest.fixture
def hole(tmp_path: Path) -> Path:
    """A surface that lacks a face: exit 4."""
    path = tmp_path / "hole.stl"
    path.write_text(ascii_stl(OUTWARD[:3]), encoding="ascii")
    return path


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A good file, a kilometre across: one warning."""
    path = tmp_path / "large.stl"
    path.write_text(ascii_stl(scale=200.0), encoding="ascii")
    return path


# --- one file --------------------------------------------------------------------------------------------------------


def test_a_table_states_the_body(part: Path) -> None:
    done = run("compute", part, "--density", "1000", "--output-units", "kg")
    assert (done.returncode, done.err) == (0, "")
    off = massprops.measure(part, density=1000).uncertainty
    for label, value, error in (("Volume [m³]", VOLUME, off.volume), ("Mass [kg]", 1000 * VOLUME, off.mass)):
        shown, bound = re.search(rf"^{re.escape(label)} +(\S+) +± (\S+)$", done.out, re.MULTILINE).groups()
        assert float(bound) == float(f"{error:.1e}")
        assert float(shown) == pytest.approx(value, abs=error)


def test_json_of_one_file_is_one_object(part: Path) -> None:
    done = run("compute", part, "--density", "1000", "--format", "json")
    assert (done.returncode, done.err) == (0, "")
    assert done.result["volume"] == pytest.approx(VOLUME, rel=ROUNDING)
    assert done.result["mass"] == pytest.approx(1000 * VOLUME, rel=ROUNDING)
    assert done.result["center_of_mass"] == pytest.approx([1.375, 1.125, 1.25], rel=ROUNDING)
    assert done.result["input"] == {
        "path": str(part),
        "format": "stl",
        "encoding": "ascii",
        "units": "m",
        "facets": 4,
        "rings": None,
        "bodies": None,
        "sha256": None,
    }


def test_without_a_mass_only_geometry_is_stated(part: Path) -> None:
    result = run("compute", part, "-f", "json").result
    assert [result[k] for k in ("density", "mass", "inertia", "principal", "pseudo_inertia")] == [None] * 5
    assert result["volume"] == pytest.approx(VOLUME, rel=ROUNDING)


def test_the_library_and_the_command_line_say_the_same(part: Path) -> None:
    done = run("compute", part, "--mass", "3", "--format", "json")
    assert done.result == json.loads(json.dumps(massprops.measure(part, mass=3).to_dict()))


def test_urdf_is_one_element(part: Path) -> None:
    done = run("compute", part, "--mass", "4t", "--format", "urdf", "--link", 'é <&> "q"')
    assert (done.returncode, done.err) == (0, "")
    link = ET.fromstring(done.out)  # noqa: S314  # our own text
    assert link.attrib == {"name": 'é <&> "q"'}
    assert float(link.find("inertial/mass").attrib["value"]) == pytest.approx(4000, rel=ROUNDING)


def test_urdf_has_the_sign_of_the_tensor_and_no_other(part: Path) -> None:
    args = ["compute", part, "--mass", "4000"]
    tensor = run(*args, "-f", "json").result["inertia"]["tensor"]
    for said in ([], ["--products", "tensor"]):
        inertia = ET.fromstring(run(*args, "-f", "urdf", *said).out).find("inertia").attrib  # noqa: S314  # our own text
        assert [float(inertia[k]) for k in ("ixy", "ixz", "iyz")] == [tensor[0][1], tensor[0][2], tensor[1][2]]
    for said in (["--products", "positive"], ["--about", "origin"]):
        plain_failure(
            run(*args, "-f", "urdf", *said),
            2,
            "--about and --products do not go with --format urdf, which has its own point and sign; "
            "leave them out, or use --format json",
        )


def test_products_change_sign_and_say_so(part: Path) -> None:
    tensor, positive = (
        run("compute", part, "--mass", "2", "-f", "json", "--products", p).result["inertia"]
        for p in ("tensor", "positive")
    )
    assert (tensor["products"], positive["products"]) == ("tensor", "positive")
    assert positive["tensor"] == [
        [x if i == j else -x for j, x in enumerate(row)] for i, row in enumerate(tensor["tensor"])
    ]
    assert tensor["tensor"][0][1] > 0.1  # the sign of something, not of zero


def test_about_moves_the_point_of_the_inertia(part: Path) -> None:
    com = run("compute", part, "--mass", "2", "-f", "json").result
    origin = run("compute", part, "--mass", "2", "-f", "json", "--about", "origin").result
    there = run("compute", part, "--mass", "2", "-f", "json", "--about", "0,0,100mm").result
    assert [r["inertia"]["about"] for r in (com, origin, there)] == ["com", "origin", [0, 0, 0.1]]
    x, y, z = com["center_of_mass"]
    # parallel axes by hand, for the moment about z (which a shift along z leaves alone) and about x
    izz = com["inertia"]["tensor"][2][2] + 2 * (x * x + y * y)
    ixx = com["inertia"]["tensor"][0][0] + 2 * (y * y + (z - 0.1) ** 2)
    assert origin["inertia"]["tensor"][2][2] == pytest.approx(izz, rel=ROUNDING)
    assert there["inertia"]["tensor"][2][2] == pytest.approx(izz, rel=ROUNDING)
    assert there["inertia"]["tensor"][0][0] == pytest.approx(ixx, rel=ROUNDING)


def test_a_pose_places_the_part_and_a_frame_moves_the_observer(part: Path) -> None:
    placed = run("compute", part, "-f", "json", "--pose", "1 2 3").result
    observed = run("compute", part, "-f", "json", "--frame", "1 2 3").result
    assert placed["center_of_mass"] == pytest.approx([2.375, 3.125, 4.25], rel=ROUNDING)
    assert observed["center_of_mass"] == pytest.approx([0.375, -0.875, -1.75], rel=ROUNDING)


def test_a_matrix_is_a_pose(part: Path, tmp_path: Path) -> None:
    matrix = tmp_path / "pose.txt"
    matrix.write_text("0 -1 0 1\n1 0 0 2\n0 0 1 3\n0 0 0 1\n", encoding="ascii")
    placed = run("compute", part, "-f", "json", "--matrix", matrix).result
    observed = run("compute", part, "-f", "json", "--frame-matrix", matrix).result
    assert placed["center_of_mass"] == pytest.approx([1 - 1.125, 2 + 1.375, 3 + 1.25], rel=ROUNDING)
    assert observed["center_of_mass"] == pytest.approx([1.125 - 2, 1 - 1.375, 1.25 - 3], rel=ROUNDING)


def test_the_hash_is_that_of_the_file(part: Path) -> None:
    told = subprocess.run(["sha256sum", part], capture_output=True, text=True, check=True).stdout.split()[0]
    assert run("compute", part, "-f", "json", "--hash").result["input"]["sha256"] == told


def test_a_unit_scales_the_body(part: Path) -> None:
    # 1e9: the cube of a thousand
    assert run("compute", part, "-f", "json", "--units", "mm").result["volume"] == pytest.approx(
        VOLUME / 1e9, rel=ROUNDING
    )


# --- standard input --------------------------------------------------------------------------------------------------


def test_standard_input_is_a_file_of_the_given_type() -> None:
    done = run("compute", "-", "--type", "stl", "-f", "json", stdin=ascii_stl().encode())
    assert done.returncode == 0
    assert done.result["volume"] == pytest.approx(VOLUME, rel=ROUNDING)
    assert done.result["input"]["path"] == "-"


def test_standard_input_needs_a_type() -> None:
    known = "3mf csv dae dat dxf geojson glb gltf json obj off ply step stl stp svg tsv txt wkt xy"
    message = f"cannot infer the format of standard input; give --type, one of: {known}"
    plain_failure(run("compute", "-", stdin=ascii_stl().encode()), 2, message)


def test_empty_standard_input_is_an_empty_file() -> None:
    plain_failure(run("compute", "-", "-t", "stl"), 3, "-: the file is empty (0 bytes); export or copy it again")


# --- several files ---------------------------------------------------------------------------------------------------


def test_one_bad_file_spoils_nobody_elses_result(part: Path, hole: Path, tmp_path: Path) -> None:
    missing = tmp_path / "missing.stl"
    done = run("compute", part, hole, missing, part, "-f", "json")
    objects = [valid(line) for line in done.out.splitlines()]
    alone = run("compute", part, "-f", "json").result
    assert done.returncode == 4
    assert objects[0] == objects[3] == alone
    assert [o["input"]["path"] for o in objects] == [str(p) for p in (part, hole, missing, part)]
    assert objects[1]["error"]["code"] == "open-edges"
    assert objects[2]["error"] == {"code": "missing-file", "message": f"{missing}: no such file", "hint": ""}
    of_hole, of_missing = done.err.splitlines()
    assert of_hole == (
        f"massprops: {hole}: open-edges: 3 of 6 edges belong to one face only, in 1 loop, 7.97 m wide, near (1.75, 1, 1.25) m; "
        "the volume is not defined for an open surface; 44.7 % of the surface is missing, more than 10 %; see --on-open"
    )
    assert of_missing == f"massprops: {missing}: no such file"


@pytest.mark.parametrize(
    ("names", "status"),
    [
        (["part", "part"], 0),
        (["part", "large"], 1),
        (["large", "missing"], 3),
        (["missing", "large"], 3),
        (["missing", "hole", "large"], 4),
        (["hole", "part"], 4),
    ],
)
def test_the_worst_code_is_returned(
    names: list[str], status: int, part: Path, hole: Path, large: Path, tmp_path: Path
) -> None:
    paths = {"part": part, "hole": hole, "large": large, "missing": tmp_path / "missing.stl"}
    assert run("compute", *(paths[n] for n in names), "--fail-on", "warning").returncode == status


def test_a_table_of_several_bodies_has_a_row_each(part: Path, hole: Path) -> None:
    done = run("compute", part, hole, "--mass", "2", cwd=part.parent)
    assert done.returncode == 4
    assert re.search(r"part\.stl +2 ", done.out)
    assert re.search(r"–\s+–\s+–\s+–\s+open-edges", done.out)


def test_urdf_of_several_bodies_is_a_link_each(part: Path, large: Path) -> None:
    done = run("compute", part, large, "--density", "2700", "-f", "urdf")
    links = ET.fromstring(done.out)  # noqa: S314  # our own text
    assert [link.attrib["name"] for link in links] == ["part", "large"]
    # 3.5, 3 and 6.5 m, two hundredfold
    mass = f"{2700 * VOLUME * 200**3:.2g}"
    assert done.err == (
        f"massprops: {large}: warning: implausible-size: the body is 1.3e+03 m across of {mass} kg: "
        "is the file in mm? then say --units mm\n"
    )


# --- exit codes ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("fail_on", "status"), [("error", 0), ("warning", 1), ("info", 1), ("never", 0)])
def test_fail_on_says_which_findings_fail(fail_on: str, status: int, large: Path) -> None:
    done = run("compute", large, "-f", "json", "--fail-on", fail_on)
    assert done.returncode == status
    assert [f["code"] for f in done.result["findings"]] == ["implausible-size"]  # a failed check is still a result


def test_an_open_surface_has_no_table(hole: Path) -> None:
    done = run("compute", hole)
    assert (done.returncode, done.out) == (4, "")
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("policy", ["integrate", "hull", "shell"])
def test_a_policy_that_was_asked_for_is_in_the_result(policy: str, hole: Path) -> None:
    if policy == "hull":
        pytest.importorskip("scipy", reason="the hull is taken by scipy")
    done = run("compute", hole, "-f", "json", "--on-open", policy)
    assert done.returncode == 0
    assert (done.result["method"], done.result["grade"]) == (
        {"integrate": "exact"}.get(policy, policy),
        "unverified",
    )
    assert done.result["findings"][0]["severity"] == "warning"


def test_an_inverted_surface_is_refused_or_turned(tmp_path: Path) -> None:
    inverted = tmp_path / "inverted.stl"
    inverted.write_text(ascii_stl([face[::-1] for face in OUTWARD]), encoding="ascii")
    refused = run("compute", inverted, "--repair", "none")
    turned = run("compute", inverted, "-f", "json", "--on-inverted", "flip")
    assert (refused.returncode, refused.out) == (4, "")
    assert turned.result["volume"] == pytest.approx(VOLUME, rel=ROUNDING)
    assert turned.result["findings"][0]["code"] == "inverted-surface"
    assert run("compute", inverted, "-f", "json").result["grade"] == "repaired"


def test_a_directory_is_refused(tmp_path: Path) -> None:
    plain_failure(
        run("compute", tmp_path),
        3,
        f"{tmp_path}: holds no mesh and no plane file; name another folder or a file, or see --include and --exclude",
    )


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    plain_failure(run("compute", "nope.stl", cwd=tmp_path), 3, "nope.stl: no such file")


def test_refusals_hold_without_assertions(hole: Path, part: Path) -> None:
    done = run("compute", hole, part, "-f", "json", program=[sys.executable, "-O", "-m", "massprops"])
    refused, measured = (valid(line) for line in done.out.splitlines())
    assert (done.returncode, refused["error"]["code"]) == (4, "open-edges")
    assert measured["volume"] == pytest.approx(VOLUME, rel=ROUNDING)


DEFECT = """
import sys
import massprops.measurement.pipeline
from massprops.cli import main
measure = massprops.measurement.pipeline.measure_with
def broken(options, path, **streams):
    if path.endswith("part.stl"):
        return measure(options, path, **streams)
    raise ZeroDivisionError("injected")
massprops.measurement.pipeline.measure_with = broken
sys.exit(main(sys.argv[1:]))
"""


def test_a_defect_is_seventy_and_its_traceback_is_shown(part: Path, hole: Path) -> None:
    done = run("compute", hole, part, "-f", "json", program=[sys.executable, "-c", DEFECT])
    assert done.returncode == 70
    assert "Traceback (most recent call last):" in done.err
    assert "ZeroDivisionError: injected\n" in done.err
    assert done.err.endswith("ZeroDivisionError('injected'); please report it with the traceback\n")
    broken, whole = (valid(line) for line in done.out.splitlines())
    assert broken["error"]["code"] == "defect"
    assert whole["volume"] == pytest.approx(VOLUME, rel=ROUNDING)  # even a defect spoils nobody else's result


def test_a_defect_outside_a_file_is_seventy_too(part: Path) -> None:
    code = (
        "import sys, massprops.cli as cli, massprops.cli.compute as compute\n"
        "compute._Writer = lambda *a: 1 / 0\n"
        "sys.exit(cli.main(sys.argv[1:]))"
    )
    done = run("compute", part, program=[sys.executable, "-c", code])
    assert (done.returncode, done.out) == (70, "")
    assert done.err.startswith("Traceback (most recent call last):\n")
    assert done.err.endswith("massprops: this is a defect in massprops; please report it with the lines above\n")


@posix
def test_an_interrupt_is_no_defect() -> None:
    with subprocess.Popen(
        [*PROGRAM, "compute", "-", "-t", "stl"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    ) as process:
        # more than a pipe holds: once it is written, the program reads, and waits for the rest
        process.stdin.write(ascii_stl().replace("\n", "\n" * 10_000).encode())
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, b"")
    assert b"Traceback" not in err


# --- usage errors ----------------------------------------------------------------------------------------------------

ONE_OF_THEM = "are mutually exclusive; give one of them"
USAGE_ERRORS = {
    "--density 1 --mass 2": f"density and mass {ONE_OF_THEM}",
    "--density 1 --material steel": f"density and material {ONE_OF_THEM}",
    "--mass 1 --material steel": f"mass and material {ONE_OF_THEM}",
    "--density 1 --mass 2 --material steel": f"density and mass and material {ONE_OF_THEM}",
    "--thickness 1mm --area-density 2": f"area density and thickness {ONE_OF_THEM}",
    "--density -2700": "density must be positive, got -2700.0 kg/m³",
    "--density 0": "density must be positive, got 0.0 kg/m³",
    "--density nan": "density 'nan' does not begin with a finite number; for example 7.8 g/cm3",
    "--density 7.8 g/cm3": "'g/cm3' is a unit, and no such file; put quotes round it: '7.8 g/cm3'",
    "--density heavy": "density 'heavy' does not begin with a finite number; for example 7.8 g/cm3",
    "--density 2kg": "expected a density, got a mass: '2kg'; for example 7.8 g/cm3",
    "--density 7,8g/cm3": "density '7,8g/cm3' has a comma; numbers have a decimal point; write 7.8g/cm3",
    "--mass 0": "mass must be positive, got 0.0 kg",
    "--mass inf": "mass 'inf' does not begin with a finite number; for example 1.2 kg",
    "--mass 2mm": "expected a mass, got a length: '2mm'; for example 1.2 kg",
    "--format urdf": "URDF needs a mass, and only the geometry is known; give --density, --material or --mass",
    "--hash": "--hash has no meaning for --format table; it is for json and --output-table",
    "--link arm": "--link has no meaning for --format table; it is for urdf, sdf, mjcf, usd, csv, markdown, ten-vector",
    "--mass 1 --format urdf --link ''": "the link's name is empty; give --link a name",
    "--pose '0 0 0' --frame '0 0 0'": "a pose moves the part and a frame moves the observer; give one of them",
    "--pose '0 0 0' --matrix x": "--pose is given as numbers and as a matrix; give one of them",
    "--frame '0 0 0' --frame-matrix x": "--frame is given as numbers and as a matrix; give one of them",
    "--pose '0 0'": 'pose \'0 0\' has 2 numbers, expected 3 or 6; write "x y z" or "x y z roll pitch yaw"',
    "--about 1,2": "--about '1,2' is not com, origin or three lengths; for example --about 0,0,12mm",
    "--about nan,0,0": "--about 'nan' does not begin with a finite number; for example 12 mm",
    "--type xyzw": "unknown format 'xyzw'; known: 3mf csv dae dat dxf geojson glb gltf json obj off ply step stl stp svg tsv txt wkt xy",
    "--on-open shell --density 2": "a sheet has a mass per area, and only a density is given; add --thickness, or give --area-density",
}


@pytest.mark.parametrize("options", USAGE_ERRORS)
def test_a_usage_error_is_two_and_one_line(options: str, part: Path) -> None:
    plain_failure(run("compute", part, *shlex.split(options)), 2, USAGE_ERRORS[options])


@pytest.mark.parametrize(
    "options", ["--area-density 2", "--thickness 1mm --density 2700", "--area-density 2 --on-open shell"]
)
def test_a_closed_surface_is_no_sheet(options: str, part: Path, hole: Path) -> None:
    message = (
        "an area density or a thickness describes a sheet, and the surface is closed: it is measured as a solid; "
        "give --density, --material or --mass"
    )
    plain_failure(run("compute", part, *options.split()), 2, f"{part}: {message}")
    shell = run("compute", hole, *options.split(), "--on-open", "shell", "-f", "json")
    assert (shell.returncode, shell.result["method"]) == (0, "shell")


#: What typer notices, it words; versions differ in the middle of the line.
PARSE_ERRORS = {
    "compute": r"missing argument 'FILE\.\.\.'; see 'massprops compute --help'",
    "compute part.stl --densty 1": r"no such option: --densty; did you mean --density\?; see 'massprops compute --help'",
    "compute part.stl --density": r"option '--density' requires an argument; see 'massprops compute --help'",
    "compute part.stl --format xml": r"invalid value for '--format'.*: 'xml' is not one of .*; see 'massprops compute --help'",
    "compute part.stl --on-open guess": r"invalid value for '--on-open': 'guess' is not one of .*; see 'massprops compute --help'",
    "compute part.stl --fail-on maybe": r"invalid value for '--fail-on': 'maybe' is not one of .*; see 'massprops compute --help'",
    "compte part.stl": r"no such command: 'compte'; did you mean compute\?; see 'massprops --help'",
    "schema steel": r"got unexpected extra argument.*\(steel\); see 'massprops schema --help'",
    "compute part.stl --jobs x": r"invalid value for '--jobs'.*: 'x' is not a whole number; see 'massprops compute --help'",
    "--nonsense": r"no such option: --nonsense; see 'massprops --help'",
}


@pytest.mark.parametrize("line", PARSE_ERRORS)
def test_a_slip_of_the_keyboard_is_two_and_one_line(line: str, part: Path) -> None:
    done = run(*line.split(), cwd=part.parent)
    assert (done.returncode, done.out) == (2, "")
    assert re.fullmatch(f"massprops: {PARSE_ERRORS[line]}\n", done.err)


def test_standard_input_is_read_once() -> None:
    plain_failure(run("compute", "-", "-", "-t", "stl"), 2, "'-' (standard input) can be given only once")


def test_a_link_names_one_file(part: Path) -> None:
    message = "--link names one body; give one file"
    plain_failure(run("compute", part, part, "--mass", "1", "-f", "urdf", "--link", "a"), 2, message)


def test_an_unknown_material_is_told_with_the_way_to_the_list(part: Path) -> None:
    done = run("compute", part, "--material", "unobtainium")
    assert (done.returncode, done.out, done.err.count("\n")) == (2, "", 1)
    assert done.err.startswith("massprops: ")
    assert "'unobtainium'" in done.err


def test_an_unknown_unit_is_told(part: Path) -> None:
    done = run("compute", part, "--units", "furlong")
    assert (done.returncode, done.out, done.err.count("\n")) == (2, "", 1)
    assert done.err.startswith("massprops: unknown unit 'furlong'")


def test_a_missing_matrix_is_an_unreadable_file(part: Path) -> None:
    message = "nope.txt: no such file"
    plain_failure(run("compute", part, "--matrix", "nope.txt", cwd=part.parent), 3, message)


def test_without_a_command_help_is_shown_and_the_line_is_an_error() -> None:
    done = run()
    assert (done.returncode, done.err) == (2, "massprops: no command is given; see 'massprops --help'\n")


# --- JSON errors -----------------------------------------------------------------------------------------------------


def test_every_refusal_of_a_file_is_a_json_error(hole: Path, tmp_path: Path) -> None:
    text = tmp_path / "text.stl"
    text.write_text("hello\n", encoding="ascii")
    odd = tmp_path / "odd.xyzw"
    odd.write_text("hello\n", encoding="ascii")
    empty = tmp_path / "empty"
    empty.mkdir()
    for path, status, code in [
        (hole, 4, "open-edges"),
        (empty, 3, "is-a-directory"),
        (tmp_path / "no.stl", 3, "missing-file"),
        (odd, 3, "unknown-format"),
        (text, 3, None),
    ]:
        done = run("compute", path, "-f", "json")
        assert (done.returncode, done.result["input"]["path"]) == (status, str(path))
        error = done.result["error"]
        assert code in (error["code"], None)
        told = f"{error['message']}; {error['hint']}" if error["hint"] else error["message"]
        assert done.err == f"massprops: {told}\n"  # people and programs are told the same


def test_the_schema_itself_is_valid_and_tells_good_from_bad(part: Path) -> None:
    printed = json.loads(run("schema").out)
    assert printed == SCHEMA
    jsonschema.Draft202012Validator.check_schema(printed)
    result = run("compute", part, "--mass", "1", "-f", "json").result
    for key in result:
        with pytest.raises(jsonschema.ValidationError):
            VALIDATOR.validate({k: v for k, v in result.items() if k != key})
    for key in result["input"]:
        with pytest.raises(jsonschema.ValidationError):
            VALIDATOR.validate({**result, "input": {k: v for k, v in result["input"].items() if k != key}})
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate({**result, "center_of_mass": [0, 0]})


@pytest.mark.parametrize(
    "options",
    [
        "--hash",
        "--mass 1",
        "--about 1,2,3",
        "--frame '1 2 3'",
        "--pose '1 2 3 .1 .2 .3'",
        "--products positive --mass 1",
    ],
)
def test_every_result_follows_the_schema(options: str, part: Path) -> None:
    assert run("compute", part, "-f", "json", *shlex.split(options)).result["schema"] == "massprops/1"


@pytest.mark.parametrize(
    "options", ["--on-open integrate --mass 1", "--on-open shell --thickness 1mm --material steel"]
)
def test_results_by_policy_follow_the_schema(options: str, hole: Path) -> None:
    assert run("compute", hole, "-f", "json", *options.split()).result["grade"] == "unverified"


# --- where the results go --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("format", ["table", "json", "urdf"])
def test_a_file_gets_what_stdout_would(format: str, part: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    shown = run("compute", part, "--mass", "4000", "-f", format)
    done = run("compute", part, "--mass", "4000", "-f", format, "-o", target)
    assert (done.returncode, done.out, done.err) == (0, "", "")
    assert target.read_bytes() == shown.stdout != b""


@pytest.mark.parametrize("format", ["table", "urdf"])
def test_a_failure_leaves_the_old_file_alone(format: str, hole: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    target.write_text("old", encoding="ascii")
    assert run("compute", hole, "--mass", "1", "-f", format, "-o", target).returncode == 4
    assert target.read_text(encoding="ascii") == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["hole.stl", "out.txt"]


def test_a_json_failure_is_a_result_of_its_own(hole: Path, tmp_path: Path) -> None:
    # a stale success would be worse
    target = tmp_path / "out.json"
    target.write_text("old", encoding="ascii")
    assert run("compute", hole, "-f", "json", "-o", target).returncode == 4
    assert valid(target.read_text(encoding="utf-8"))["error"]["code"] == "open-edges"


def test_output_is_replaced_in_one_step_and_nothing_is_left_over(part: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    target.write_text("old", encoding="ascii")
    target.chmod(0o640)
    with target.open(encoding="ascii") as reader:  # who has the old file open keeps reading it, whole
        assert run("compute", part, "-f", "json", "-o", target).returncode == 0
        assert reader.read() == "old"
    assert valid(target.read_text(encoding="utf-8"))["volume"] == pytest.approx(VOLUME, rel=ROUNDING)
    assert target.stat().st_mode & 0o777 == 0o640
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out.json", "part.stl"]


@posix
@pytest.mark.usefixtures("part")
def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    shell("umask 027; massprops compute part.stl -o out.txt", tmp_path)
    assert (tmp_path / "out.txt").stat().st_mode & 0o777 == 0o640


@posix
def test_output_through_a_link_keeps_the_link(part: Path, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    link, target = tmp_path / "link.json", tmp_path / "there" / "real.json"
    link.symlink_to(target)
    for _ in range(2):  # once where the link leads nowhere, once where it leads to a file
        assert run("compute", part, "-f", "json", "-o", link).returncode == 0
        assert link.is_symlink()
        assert valid(target.read_text(encoding="utf-8"))["input"]["path"] == str(part)


@posix
def test_output_to_a_device_leaves_the_device(part: Path) -> None:
    assert run("compute", part, "-o", "/dev/null").returncode == 0
    assert not Path("/dev/null").is_file()


@pytest.mark.parametrize("name", ["missing/out.txt", "part.stl/out.txt", "."])
def test_output_that_cannot_be_written_is_told(name: str, part: Path, tmp_path: Path) -> None:
    reason = {"missing/out.txt": errno.ENOENT, "part.stl/out.txt": errno.ENOTDIR, ".": errno.EISDIR}[name]
    done = run("compute", part, "-o", name, cwd=tmp_path)
    plain_failure(done, 2, f"{name}: cannot be written: {os.strerror(reason)}; choose another --output")


@posix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission_is_told(part: Path, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o555)
    done = run("compute", part, "-o", "closed/out.txt", cwd=tmp_path)
    plain_failure(done, 2, f"closed/out.txt: cannot be written: {os.strerror(errno.EACCES)}; choose another --output")


@posix
def test_a_link_to_itself_is_told(part: Path, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    done = run("compute", part, "-o", "loop", cwd=tmp_path)
    assert (done.returncode, done.out, done.err.count("\n")) == (2, "", 1)
    assert done.err.startswith("massprops: loop: cannot be written: ")


def test_a_mesh_is_not_replaced_by_its_own_result(part: Path, tmp_path: Path) -> None:
    before = part.read_bytes()
    done = run("compute", "part.stl", "-o", tmp_path / "." / "part.stl", cwd=tmp_path)
    plain_failure(done, 2, f"{part}: is an input file; choose another --output")
    assert part.read_bytes() == before


def test_output_in_a_name_of_the_longest_length(part: Path, tmp_path: Path) -> None:
    target = tmp_path / ("n" * 251 + ".txt")
    assert run("compute", part, "-o", target).returncode == 0
    assert target.exists()


def before_a_reader(reader: list[str], *args: str, cwd: Path) -> tuple[Run, str]:
    """A run whose output goes to a reader, and what the reader prints."""
    with subprocess.Popen(reader, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        done = run(*args, cwd=cwd, stdout=process.stdin.fileno())
        return done, process.communicate()[0]


@posix
@pytest.mark.parametrize("format", ["table", "json"])
@pytest.mark.usefixtures("part")
def test_a_reader_that_has_enough_is_no_error(format: str, tmp_path: Path) -> None:
    # `true` reads nothing; 15 results as JSON do not fit into a pipe
    for reader, lines in ((["head", "-1"], 1), (["true"], 0)):
        done, read = before_a_reader(reader, "compute", *["part.stl"] * 15, "-f", format, cwd=tmp_path)
        assert (done.returncode, done.err, len(read.splitlines())) == (0, "", lines)


@posix
@pytest.mark.parametrize("args", [["--help"], ["compute", "--help"], ["--version"]])
def test_a_reader_of_help_that_has_enough_is_no_error(args: list[str], tmp_path: Path) -> None:
    done, read = before_a_reader(["true"], *args, cwd=tmp_path)
    assert (done.returncode, done.err, read) == (0, "", "")


@posix
@pytest.mark.usefixtures("hole", "part")
def test_a_reader_that_has_enough_hides_no_failure(tmp_path: Path) -> None:
    done, _ = before_a_reader(["true"], "compute", "hole.stl", *["part.stl"] * 15, "-f", "json", cwd=tmp_path)
    assert done.returncode == 4


@posix
@pytest.mark.usefixtures("part")
def test_a_full_disk_is_told(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    reason = os.strerror(errno.ENOSPC)
    for command in ("compute part.stl", "materials", "schema", "--help", "compute --help"):
        with Path("/dev/full").open("wb") as full:
            done = run(*command.split(), cwd=tmp_path, stdout=full.fileno())
        plain_failure(done, 2, f"standard output: cannot be written: {reason}; choose another --output")


@posix
@pytest.mark.usefixtures("part")
def test_closed_streams_are_as_good_as_the_null_device(tmp_path: Path) -> None:
    assert shell("massprops compute part.stl >&-", tmp_path).returncode == 0
    assert shell("massprops compute part.stl -f json -o out.json >&- 2>&- <&-", tmp_path).returncode == 0
    assert valid((tmp_path / "out.json").read_text(encoding="utf-8"))["input"]["path"] == "part.stl"
    assert valid(shell("massprops compute none.stl -f json 2>&-", tmp_path).out)["error"]["code"] == "missing-file"
    closed = shell("massprops compute - -t stl <&-", tmp_path)
    plain_failure(closed, 3, "-: the file is empty (0 bytes); export or copy it again")


# --- the screen ------------------------------------------------------------------------------------------------------


def table_numbers(result: Any) -> list[float]:
    """Every number of the JSON that the table holds, to nine digits."""
    scalars = [result[k] for k in ("density", "volume", "area", "mass")]
    rows = [
        result["center_of_mass"],
        result["radii_of_gyration"],
        *result["bounds"].values(),
        *result["inertia"]["tensor"],
        result["principal"]["moments"],
        *result["principal"]["axes"],
    ]
    return [float(f"{x:.9g}") for x in [*scalars, *(x for row in rows for x in row)]]


#: Every number of a table, in SI, with nine digits.
FULL = ("-v", "--output-units", "m,kg", "--digits", "9")


def numbers_in(text: str) -> set[float]:
    return {float(w) for w in text.split() if re.fullmatch(r"-?\d+(\.\d*)?(e-?\d+)?", w)}


@posix
@pytest.mark.parametrize("units", ["m", "um"])
def test_no_digit_is_lost_however_narrow_the_screen(units: str, part: Path) -> None:
    args = ["compute", "part.stl", "--mass", "0.123456789", "--units", units]
    com, origin = (run(*args, "-f", "json", "--about", p, cwd=part.parent).result for p in ("com", "origin"))
    for columns in (20, 40, 75, 76, 80, 200):
        done = run(*args, *FULL, env={"COLUMNS": str(columns)}, cwd=part.parent)
        assert max(map(len, done.out.splitlines())) <= columns
        shown = numbers_in(done.out)
        assert [x for x in table_numbers(com) + table_numbers(origin) if x not in shown] == []


@posix
def test_the_widest_numbers_keep_a_blank_between_them(tmp_path: Path) -> None:
    # -1.23456789e-100 is as wide as a number gets: two of them must not run into one
    tiny = tmp_path / "tiny.stl"
    tiny.write_text(ascii_stl(scale=1e-44), encoding="ascii")
    args = ["compute", "tiny.stl", "--mass", "1.23456789e-30", "--units", "m"]
    result = run(*args, "-f", "json", cwd=tmp_path).result
    for columns in ("40", "80"):
        shown = numbers_in(run(*args, *FULL, env={"COLUMNS": columns}, cwd=tmp_path).out)
        assert [x for x in table_numbers(result) if x not in shown] == []


@posix
@pytest.mark.parametrize("columns", [20, 40, 75, 80, 200])
@pytest.mark.usefixtures("hole")
def test_several_bodies_lose_no_digit_either(columns: int, part: Path) -> None:
    args = ["compute", "part.stl", "hole.stl", "--mass", "0.123456789", "--units", "um"]
    result = json.loads(run(*args, "-f", "json", cwd=part.parent).out.splitlines()[0])
    done = run(*args, *FULL, env={"COLUMNS": str(columns)}, cwd=part.parent)
    assert max(map(len, done.out.splitlines())) <= columns
    numbers = [float(f"{x:.9g}") for x in (result["mass"], *result["center_of_mass"])]
    assert [x for x in numbers if x not in numbers_in(done.out)] == []
    assert "open-edges" in done.out


@posix
def test_lists_fit_a_narrow_screen() -> None:
    wide, narrow = (run("materials", env={"COLUMNS": c}).out for c in ("200", "40"))
    assert max(map(len, narrow.splitlines())) <= 40
    names = {line.split()[0] for line in wide.splitlines()[1:]}
    assert names <= set(narrow.split())
    assert len(names) > 10


@pytest.mark.parametrize("columns", ["0", "-5", "many", ""])
def test_a_nonsensical_width_is_ignored(columns: str, part: Path) -> None:
    done = run("compute", part, env={"COLUMNS": columns})
    assert (done.returncode, done.err) == (0, "")


def test_what_is_not_a_terminal_gets_no_escape_codes(part: Path, large: Path) -> None:
    for args in (["compute", part], ["compute", part, large], ["materials"], ["--help"], ["compute", "none.stl"]):
        done = run(*args, env={"TERM": "xterm-256color"})
        assert b"\x1b" not in done.stdout + done.stderr


def on_terminal(*args: str | Path, **changes: str | None) -> str:
    """What a terminal is sent on stdout."""
    import pty  # POSIX only

    main_end, terminal = pty.openpty()
    done = run(*args, env=changes, stdout=terminal)  # what it prints fits into the terminal's buffer
    os.close(terminal)
    parts = []
    try:
        while data := os.read(main_end, 65536):
            parts.append(data)
    except OSError:  # Linux: the other end is closed
        pass
    os.close(main_end)
    assert done.returncode == 0
    return b"".join(parts).decode("utf-8")


@posix
def test_a_terminal_gets_colours_unless_it_says_no(large: Path) -> None:
    colored = on_terminal("compute", large, TERM="xterm")
    assert "\x1b[33mwarning implausible-size" in colored
    for changes in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        plain = on_terminal("compute", large, **{"TERM": "xterm", **changes})
        assert "\x1b" not in plain
        assert "warning implausible-size" in plain
    for machine in ("json", "urdf"):
        assert "\x1b" not in on_terminal("compute", large, "--mass", "1", "-f", machine, TERM="xterm")


@posix
def test_colours_change_nothing_but_the_colour(large: Path) -> None:
    colored = on_terminal("compute", large, TERM="xterm", COLUMNS="80").replace("\r\n", "\n")
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == run("compute", large, env={"COLUMNS": "80"}).out


# --- encodings and names ---------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform != "linux", reason="runs are forked on Linux only")
@pytest.mark.parametrize(
    "env",
    [
        {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": None},
        {"LC_ALL": "C", "PYTHONUTF8": None},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "latin-1"},
        {"PYTHONIOENCODING": "utf-16"},
    ],
)
def test_no_encoding_of_the_terminal_breaks_anything(env: dict[str, str | None], part: Path, hole: Path) -> None:
    encoding = env.get("PYTHONIOENCODING") or "ascii"
    with closing(Forked(environment(**env), "massprops.cli.compute")) as process:

        def printed(*args: str | Path, code: int = 0) -> bytes:
            status, out, err = process.run([*map(str, args)], b"", environment(**env), str(part.parent), TIMEOUT)
            assert (status, bool(err)) == (code, code != 0)
            return out

        for args in (["compute", part], ["compute", "--help"]):  # both hold more than ASCII
            assert printed(*args)
        printed("compute", hole, code=4)
        assert valid(printed("compute", part, "-f", "json").decode(encoding))["volume"] == pytest.approx(
            VOLUME, rel=ROUNDING
        )
        urdf = printed("compute", part, "--mass", "4t", "-f", "urdf", "--link", "é")
    assert ET.fromstring(urdf.decode(encoding)).attrib == {"name": "é"}  # noqa: S314  # our own text


ODD_NAMES = [
    "with blank.stl",
    'quote\'d "twice".stl',
    "[bold]x[red].stl",
    "[red.stl",
    ":smile:.stl",
    "new\nline.stl",
    "tab\tand\rreturn.stl",
    "\x1b[31mred.stl",
    "Träger_部品.stl",
    "%s {0}.stl",
    "-leading.stl",
    "n" * 200 + ".stl",
    os.fsdecode(b"stray\xff\xfebytes.stl"),
]


@posix
@pytest.mark.parametrize("name", ODD_NAMES, ids=ascii)
def test_any_name_is_read_and_told(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(ascii_stl(), encoding="ascii")
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in name)
    in_json = run("compute", "-f", "json", "--", name, cwd=tmp_path)
    assert (in_json.returncode, in_json.err) == (0, "")
    assert in_json.result["input"]["path"] == name
    for args in (["-o", "one.txt", "--", name], ["-o", "two.txt", "--", name, name]):
        table = run("compute", *args, cwd=tmp_path, env={"COLUMNS": "400"})
        assert (table.returncode, table.err) == (0, "")
    written = "".join((tmp_path / out).read_text(encoding="utf-8") for out in ("one.txt", "two.txt"))
    assert written.count(shown) == 3
    assert "\x1b" not in written


@posix
@pytest.mark.parametrize("name", ODD_NAMES, ids=ascii)
def test_any_name_is_one_line_of_an_error(name: str, tmp_path: Path) -> None:
    done = run("compute", "--", name, cwd=tmp_path)
    assert (done.returncode, done.out, done.err.count("\n")) == (3, "", 1)
    assert "\x1b" not in done.err


@posix
@pytest.mark.usefixtures("part")
def test_a_folder_that_may_only_be_read_is_enough(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    try:
        done = run("compute", "part.stl", cwd=tmp_path)
    finally:
        tmp_path.chmod(0o755)
    assert (done.returncode, done.err) == (0, "")
    assert [p.name for p in tmp_path.iterdir()] == ["part.stl"]


@posix
def test_a_pipe_is_a_file(part: Path) -> None:
    done = shell("massprops compute <(cat part.stl) -t stl -f json", part.parent)
    assert (done.returncode, done.err) == (0, "")
    assert done.result["volume"] == pytest.approx(VOLUME, rel=ROUNDING)


# --- help ------------------------------------------------------------------------------------------------------------


def test_the_version_is_that_of_the_package() -> None:
    done = run("--version")
    assert (done.returncode, done.err) == (0, "")
    assert done.out.startswith(f"massprops {massprops.__version__} (")


@pytest.mark.parametrize("command", [[], ["compute"], ["materials"], ["schema"]])
def test_help_ends_in_an_example_that_runs(command: list[str], tmp_path: Path) -> None:
    done = run(*command, "--help", env={"COLUMNS": "200"})
    assert (done.returncode, done.err) == (0, "")
    assert run(*command, "-h", env={"COLUMNS": "200"}).out == done.out
    example = re.search(r"Example: (massprops [^\n]*?) *\n\s*$", done.out)
    assert example is not None
    (tmp_path / "part.stl").write_text(ascii_stl(), encoding="ascii")
    words, _, _ = example[1].partition(" > ")
    ran = run(*shlex.split(words)[1:], cwd=tmp_path)
    assert (ran.returncode, ran.err) == (0, "")


def test_every_option_of_compute_is_in_its_help() -> None:
    shown = run("compute", "--help", env={"COLUMNS": "200"}).out
    spellings = {d.name: d.spellings for d in declared(compute) if not d.is_argument}
    assert len(spellings) > 35
    missing = [name for name, some in spellings.items() if not all(word in shown for word in some)]
    assert missing == []


def test_materials_as_json_are_what_the_option_takes(part: Path) -> None:
    rows = json.loads(run("materials", "-f", "json").out)
    row = next(r for r in rows if r["name"] == "steel")
    assert run("compute", part, "--material", "steel", "-f", "json").result["density"] == row["density"]
    assert 7700 < row["density"] < 8000  # any textbook


@pytest.mark.parametrize("kind", ["json", "urdf", "sdf", "mjcf", "usd", "ten-vector"])
def test_formats_for_machines_do_not_depend_on_the_units_that_people_choose(kind: str, part: Path) -> None:
    args = ("compute", part, "--density", "2700", "-f", kind)
    assert run(*args).out == run(*args, "--output-units", "in,lb,rad").out
    (part.parent / "massprops.toml").write_text('output-units = "in,lb"\n')
    assert run(*args, cwd=part.parent).out == run(*args).out


def test_tables_csv_and_markdown_follow_the_units(part: Path) -> None:
    args, units = ("compute", part, "--mass", "2"), ("--output-units", "mm,g")
    assert re.search(r"^Mass \[g\] +2000$", run(*args, *units).out, re.MULTILINE)
    si, shown = (next(iter(csv.DictReader(io.StringIO(run(*args, "-f", "csv", *u).out)))) for u in ((), units))
    assert float(shown["mass [g]"]) == 2000
    for axis in "xyz":
        assert float(shown[f"{axis} [mm]"]) == pytest.approx(1e3 * float(si[f"{axis} [m]"]), rel=1e-15)
    assert float(shown["Ixy [g mm2]"]) == pytest.approx(1e9 * float(si["Ixy [kg m2]"]), rel=1e-15)
    assert "| mass [g] |" in run(*args, "-f", "markdown", *units).out
    table = part.parent / "table.csv"
    table.write_text(run(*args, "-f", "csv", *units).out)
    again = next(iter(csv.DictReader(io.StringIO(run("convert", table, "-f", "csv").out))))
    assert {k: float(v) for k, v in again.items() if k != "name"} == pytest.approx(
        {k: float(v) for k, v in si.items() if k not in ("name", "error")}, rel=1e-15
    )


def test_the_configuration_chooses_the_units_of_tables(part: Path) -> None:
    (part.parent / "massprops.toml").write_text('output-units = "in,lb"\n')
    for args in (("compute", "part.stl", "--mass", "2"), ("shape", "sphere", "--radius", "1", "--mass", "2")):
        assert "Mass [lb]" in run(*args, cwd=part.parent).out
    assert "Mass [kg]" in run("compute", "part.stl", "--mass", "2", "--output-units", "kg", cwd=part.parent).out
    (part.parent / "massprops.toml").write_text('output-units = "parsec"\n')
    refused = run("check", "part.stl", cwd=part.parent)
    assert refused.returncode == 2
    assert "massprops.toml:1: output-units: unknown unit 'parsec'; for example mm,g or in,lb" in refused.err
