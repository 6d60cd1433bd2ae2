"""`massprops compute` from outside: exit code, stdout and stderr, each by itself.

Modules tested: `cli/compute`, `cli/measuring`, `cli/rendering`.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from cases import each
from console import OUTWARD, PROGRAM, SCHEMA, VALIDATOR, VOLUME, ascii_stl, environment, plain_failure, run, valid
from oracles import box, write_ascii_stl, write_binary_stl

import massprops
from massprops.formats.table import MESHES, PLANAR

#: Sums of four products of doubles: a few roundings.
ROUNDING = 1e-14
#: Words for `--type`: robots refer to other files.
KNOWN = " ".join(sorted(suffix[1:] for suffix, row in {**MESHES, **PLANAR}.items() if not row.is_robot))


posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX files, signals or terminals")


def test_a_table_states_the_body(part: Path) -> None:
    done = run("compute", part, "--density", "1000", "--output-units", "kg")
    assert (done.returncode, done.err) == (0, "")
    off = massprops.measure(part, density=1000).uncertainty
    for label, value, error in (("Volume [m³]", VOLUME, off.volume), ("Mass [kg]", 1000 * VOLUME, off.mass)):
        shown, bound = re.search(rf"^{re.escape(label)} +(\S+) +± (\S+)$", done.out, re.MULTILINE).groups()
        lost = abs(float(shown) - value)
        assert error + lost <= float(bound) * (1 + 1e-9) <= 1.1 * (error + lost)  # two digits, rounded up


def test_files_together_are_one_body(part: Path, tmp_path: Path) -> None:
    loops = part.read_bytes().decode().split("facet normal")
    pieces = [tmp_path / name for name in ("one.stl", "other.stl")]
    for path, own in zip(pieces, (loops[1:3], loops[3:]), strict=True):
        body = "facet normal".join(["solid\n", *own])
        path.write_text(body if "endsolid" in body else body + "endsolid\n", encoding="utf-8")
    done = run("compute", *pieces, "--together", "--format", "json")
    assert (done.returncode, done.result["volume"]) == (0, pytest.approx(VOLUME, rel=ROUNDING))
    assert done.result["input"]["path"] == " + ".join(map(str, pieces))
    done = run("compute", *pieces, "--together", "--list-parts")
    assert (done.returncode, "files that are one surface have no named parts" in done.err) == (2, True)


def test_a_row_of_pieces_has_their_name(links: Path) -> None:
    """A stem may have a dot, as Blender writes it: what is behind it is no suffix."""
    for path in links.glob("link10_?.stl"):
        path.rename(path.with_name(path.name.replace("link10", "link.010")))
    done = run("compute", ".", "--together=*", "-d1", "-fcsv", "--repair=none", cwd=links)
    assert {row.partition(",")[0] for row in done.out.splitlines()[1:]} == {"base_0", "link1", "link1_hull", "link.010"}
    done = run("compute", "left/link1_0.stl", "link1_9.stl", "--together", "-d1", "-fcsv", "--on-open=hull", cwd=links)
    assert done.out.splitlines()[1].startswith("link1_0 + link1_9,")
    long = f"link1_0{80 * 'a'}.stl", f"link1_1{240 * 'b'}.stl"  # no file has a name as long as both
    for piece, name in zip(("link.010_0.stl", "link.010_1.stl"), long, strict=True):
        (links / piece).rename(links / name)
    done = run("compute", *long, "--together", "-d1", "-fcsv", "--on-open=hull", cwd=links)
    assert done.out.splitlines()[1].partition(",")[0] == " + ".join(name.removesuffix(".stl") for name in long)


@pytest.mark.parametrize("words", [["compute"], ["check"], ["combine"], ["diff", "a.stl"], []])
def test_a_name_that_no_file_can_have_is_no_defect(words: list[str]) -> None:
    done = run(*words, 400 * "x" + ".stl")
    assert (done.returncode, done.err.endswith("x...: the file name is too long\n")) == (3, True)


def test_an_option_that_no_file_can_have_as_name_is_no_defect() -> None:
    assert run("compute", "--" + 400 * "x").returncode == 2


def test_the_refusal_of_a_piece_names_the_files_beside_it(part: Path, tmp_path: Path) -> None:
    """Exports split a link into `link5_0.stl`, `link5_1.stl` …: alone each is open, and the command that joins them is named."""
    loops = part.read_bytes().decode().split("facet normal")
    for k, own in enumerate((loops[1:3], loops[3:])):
        body = "facet normal".join(["solid\n", *own])
        (tmp_path / f"link5_{k}.stl").write_text(body if "endsolid" in body else body + "endsolid\n", encoding="utf-8")
    (tmp_path / "link6_0.stl").touch()
    done = run("compute", "link5_0.stl", "--repair=none", cwd=tmp_path)
    command = re.search(r"'massprops (compute \S+ --together \S+)'", " ".join(done.err.split()))
    assert (done.returncode, "1 file of its stem lies beside it" in " ".join(done.err.split())) == (4, True)
    assert command is not None
    assert command[1] == "compute link5_*.stl --together link5"
    assert run(*command[1].split(), cwd=tmp_path).returncode == 0  # compute expands the pattern itself
    names = sorted(p.name for p in tmp_path.glob("link5_*.stl"))
    assert run("compute", *names, "--together", cwd=tmp_path).returncode == 0
    (tmp_path / "link5_1.stl").unlink()
    assert "--together" not in run("compute", "link5_0.stl", "--repair=none", cwd=tmp_path).err


@pytest.fixture
def links(tmp_path: Path) -> Path:
    """Boxes in pieces, the stem of one of which is the beginning of another, beside files that are bodies."""
    for name, length, count, first in (
        ("link1", 6, 3, 9),
        ("link10", 5, 2, 0),
        ("left/link1", 7, 2, 0),
        ("base", 3, 1, 0),
    ):
        for k, facets in enumerate(np.array_split(box((0, 0, 0), (1, 1, length)), count), first):
            path = tmp_path / f"{name}_{k}.stl"
            path.parent.mkdir(exist_ok=True)
            write_binary_stl(path, facets)
    for name in ("link1", "link1_hull"):  # the whole beside its pieces
        write_binary_stl(tmp_path / f"{name}.stl", box((0, 0, 0), (1, 1, 11)))
    return tmp_path


@pytest.mark.parametrize(
    ("stem", "bodies"),
    [
        ("link*", {"base_0": 3, "link1.stl": 11, "link1_hull": 11, "left/link1": 7, "link1": 6, "link10": 5}),
        ("left/*", {"left/link1": 7}),
    ],
)
def test_the_pieces_of_each_stem_in_a_folder_are_one_body(links: Path, stem: str, bodies: dict[str, float]) -> None:
    """All other files are measured alone, and are refused as ever where they are open."""
    expected = {n if n in ("link1", "link10", "left/link1") else f"{Path(n).stem}.stl": v for n, v in bodies.items()}
    done = run("compute", ".", "--together", stem, "--format", "json", "--repair", "none", cwd=links)
    results = [json.loads(line) for line in done.out.splitlines()]
    found = {r["input"]["path"]: r["volume"] for r in results if "error" not in r}
    assert done.returncode == (0 if stem == "link*" else 4)
    assert found.items() >= expected.items()
    assert (len(found) == len(results)) == (stem == "link*")
    files = sorted(map(str, links.rglob("*.stl")))
    outcomes = massprops.measure_many(files, together=stem if stem == "link*" else "**/left/*", repair="none")
    assert {os.path.relpath(o.path, links): o.measurement.volume for o in outcomes if o.measurement} == found


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ". --together link11",
            "'link11' means no pieces: no two files of a folder are link11_0, link11_1 or alike; did you mean link1?",
        ),
        (". --together base", "'base' means no pieces"),  # one file is no pieces
        ("--together link10_0.stl link10_1.stl", "put it after the files"),
        (". --together=", "'' means no pieces"),
        (
            "link1_9.stl link1_10.obj --together link1",
            "files of the stem link1 are .obj and .stl; choose one format, or see --include",
        ),
        (". link_1.stl link_2.stl --together *", "link_1.stl is beside link_1_0.stl, a piece of link_1"),
        (". --together link* --link arm -d 1 -f urdf", "--link is for one body, and there are 6"),
    ],
)
def test_stems_that_say_nothing_clear_are_refused(links: Path, options: str, message: str) -> None:
    write_binary_stl(links / "link1_10.obj", box())
    if "link_1" in options:
        for name in ("link_1_0", "link_1_1", "link_1", "link_2"):
            write_binary_stl(links / f"{name}.stl", box())
    if ".obj" not in options:
        (links / "link1_10.obj").unlink()
    done = run("compute", *options.split(), cwd=links)
    assert (done.returncode, done.out) == (2, "")
    assert message in " ".join(done.err.split())


def test_files_that_are_closed_alone_are_named_when_they_are_joined(links: Path) -> None:
    write_binary_stl(links / "far.stl", box((5, 0, 0), (6, 1, 1)))
    done = run("compute", "link1.stl", "far.stl", "--together", "--json", cwd=links)
    (found,) = (f for f in done.result["findings"] if f["code"] == "joined-files")
    assert (done.result["volume"], found["severity"]) == (12, "warning")
    assert "each is closed alone" in found["message"]


QUARTER = massprops.Pose([[0, -1, 0], [1, 0, 0], [0, 0, 1]], [1, 2, 3])
SHIFT = massprops.Pose.from_xyz_rpy([1, 2, 3])


@pytest.mark.parametrize(
    ("words", "options", "shown"),
    [
        ("", {}, {}),
        ("--mass 3 --hash --pose '1 2 3'", {"mass": 3, "hash": True, "pose": SHIFT}, {}),
        ("--density 2700 --units mm --frame '1m 2m 3m'", {"density": 2700, "units": "mm", "frame": SHIFT}, {}),
        ("-d 2700 -u mm", {"density": 2700, "units": "mm"}, {}),
        ("--material steel --matrix pose.txt", {"material": "steel", "pose": QUARTER}, {}),
        ("-m steel --frame-matrix pose.txt", {"material": "steel", "frame": QUARTER}, {}),
        ("--mass 2 --products positive --about 0,0,100mm", {"mass": 2}, {"products": "positive", "about": [0, 0, 0.1]}),
        ("--mass 2 --about origin", {"mass": 2}, {"about": "origin"}),
    ],
)  # fmt: skip
def test_the_library_and_the_command_line_say_the_same(part: Path, words: str, options: Any, shown: Any) -> None:
    """The library's numbers are those of exact arithmetic."""
    (part.parent / "pose.txt").write_text("0 -1 0 1\n1 0 0 2\n0 0 1 3\n0 0 0 1\n", encoding="ascii")
    done = run("compute", part, "-f", "json", *shlex.split(words), cwd=part.parent)
    assert (done.returncode, done.err) == (0, "")
    assert done.result == json.loads(json.dumps(massprops.measure(part, **options).to_dict(**shown)))


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


@pytest.mark.parametrize(
    "options", ["--about 10,20,0", "--axis '10 20 0 0 0 1'", "--pose '10 20 0'", "--frame '10 20 0'"]
)
def test_a_length_without_a_unit_is_in_that_of_the_file(part: Path, options: str) -> None:
    def about(words: str, *unit: str) -> list[object]:
        result = run("compute", part, *unit, "--mass", "2", "-f", "json", *shlex.split(words)).result
        return [result["inertia"], result["center_of_mass"]]

    in_mm = options.replace("10", "10mm").replace("20", "20mm").replace("0 0 1'", "0 0 1'")
    assert (
        about(options, "--units", "mm")
        == about(in_mm, "--units", "mm")
        != about(options.replace("10", "10m").replace("20", "20m"), "--units", "mm")
    )
    assert about(options.replace("10", "10m").replace("20", "20m")) == about(options)  # no unit is known: metres


@pytest.mark.parametrize("option", ["--thickness", "--chord-tolerance", "--gap"])
def test_so_are_lengths_of_a_section_that_states_its_unit(tmp_path: Path, option: str) -> None:
    path, end = tmp_path / "a.svg", "v-19.5" if option == "--gap" else "z"  # half a millimetre is open
    head = '<svg xmlns="http://www.w3.org/2000/svg" width="40mm" height="40mm" viewBox="0 0 40 40">'
    path.write_text(f'{head}<path fill="none" stroke="red" d="M1 1h30v20h-30{end}"/></svg>')
    found = [run("compute", path, "-f", "json", option, value).out for value in ("0.1", "0.1mm", "0.1m")]
    assert found[0] == found[1] != found[2]


def test_standard_input_is_a_file_of_the_given_type() -> None:
    done = run("compute", "-", "--type", "stl", "-f", "json", stdin=ascii_stl().encode())
    assert done.returncode == 0
    assert done.result["volume"] == pytest.approx(VOLUME, rel=ROUNDING)
    assert done.result["input"]["path"] == "-"


def test_standard_input_needs_a_type() -> None:
    message = f"cannot infer the format of standard input; give --type, one of: {KNOWN}"
    plain_failure(run("compute", "-", stdin=ascii_stl().encode()), 2, message)


def test_empty_standard_input_is_an_empty_file() -> None:
    plain_failure(run("compute", "-", "-t", "stl"), 3, "-: the file is empty (0 bytes); export or copy it again")


def test_one_bad_file_spoils_nobody_elses_result(part: Path, hole: Path, tmp_path: Path) -> None:
    missing = tmp_path / "missing.stl"
    done = run("compute", part, hole, missing, part, "-f", "json")
    objects = [valid(line) for line in done.out.splitlines()]
    alone = run("compute", part, "-f", "json").result
    assert done.returncode == 4
    assert objects[0] == objects[3] == alone
    assert [o["input"]["path"] for o in objects] == [str(p) for p in (part, hole, missing, part)]
    assert objects[1]["error"]["code"] == "open-edges"
    refusal = {"code": "missing-file", "message": f"{missing}: no such file", "hint": "", "place": str(missing)}
    assert objects[2]["error"] == refusal
    of_hole, of_missing = done.err.splitlines()
    assert of_hole == (
        f"massprops: {hole}: open-edges: 3 of 6 edges belong to one face only, in 1 loop, 7.97 m wide, near (1.75, 1, 1.25) m; "
        "the volume is not defined for an open surface; 44.7 % of the surface is missing, above the limit of 10 %; no repair "
        "gives it a volume; see --on-open"
    )
    assert of_missing == f"massprops: {missing}: no such file"
    for name in ("brackte.log", "bracket.ply", "bracket.stl", "bracket.obj"):
        (missing.parent / name).touch()
    meant = f"no such file; did you mean {missing.parent / 'bracket.stl'}?"
    plain_failure(run("compute", missing.parent / "brackte.stl"), 3, f"{missing.parent / 'brackte.stl'}: {meant}")


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


def test_urdf_of_several_bodies_is_a_link_each(part: Path, large: Path) -> None:
    done = run("compute", part, large, "--density", "2700", "-f", "urdf")
    links = ET.fromstring(done.out)  # noqa: S314  # our own text
    assert [link.attrib["name"] for link in links] == ["part", "large"]
    # 3.5, 3 and 6.5 m, two hundredfold
    mass = f"{2700 * VOLUME * 200**3:.2g}"
    assert done.err == (
        f"massprops: {large}: warning: implausible-size: the body is 1.3e+03 m across of {mass} kg: "
        f"is the file in mm? then say --units mm\nmassprops: {large}: warning: implausible-mass: the mass is "
        f"{2700 * VOLUME * 200**3:.3g} kg: are its lengths in mm, and read as m? then it is {2.7e-6 * VOLUME * 200**3:.3g} kg\n"
    )


@pytest.mark.parametrize(("fail_on", "status"), [("error", 0), ("warning", 1), ("info", 1), ("never", 0)])
def test_fail_on_says_which_findings_fail(fail_on: str, status: int, large: Path) -> None:
    done = run("compute", large, "-f", "json", "--fail-on", fail_on)
    assert done.returncode == status
    assert [f["code"] for f in done.result["findings"]] == ["implausible-size"]  # a failed check is still a result


@pytest.mark.parametrize("policy", ["integrate", "hull", "shell"])
def test_a_policy_that_was_asked_for_is_in_the_result(policy: str, hole: Path) -> None:
    if policy == "hull":
        pytest.importorskip("scipy", reason="the hull is taken by scipy")
    done = run("compute", hole, "-f", "json", "--on-open", policy)
    assert done.returncode == 0
    assert (done.result["method"], done.result["grade"]) == ({"integrate": "exact"}.get(policy, policy), "unverified")
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


USAGE_ERRORS = {
    "--density 1 --mass 2": "--density and --mass are mutually exclusive; give one of them",
    "--infill 15%": "--infill needs --as wall",
    "--density -2700": "density must be positive, got -2700.0 kg/m³",
    "--density 7.8 g/cm3": "'g/cm3' is a unit, and no such file; put quotes round it: '7.8 g/cm3'",
    "--density heavy": "density 'heavy' does not begin with a finite number; for example 7.8 g/cm3",
    "--density 7,8g/cm3": "density '7,8g/cm3' has a comma; numbers have a decimal point; write 7.8g/cm3",
    "--format urdf": "PART: URDF needs a mass, and only the geometry is known; give --density, --material or --mass",
    "--hash": "--hash has no meaning for --format table; it is for json, --output-table",
    "--mass 1 --format urdf --link ''": "the link's name is empty; give --link a name",
    "--pose '0 0'": 'pose \'0 0\' has 2 numbers, expected 3 or 6; write "x y z" or "x y z roll pitch yaw"',
    "--about 1,2": "--about '1,2' is not com, origin or three lengths; for example --about 0,0,12mm",
    "--about nan,0,0": "--about 'nan' does not begin with a finite number; for example 12 mm",
    "--type xyzw": f"unknown format 'xyzw'; known: {KNOWN}",
    "--on-open shell --density 2": "a sheet has a mass per area, and only a density is given; add --thickness, or give --area-density",
}


@pytest.mark.parametrize("options", USAGE_ERRORS)
def test_a_usage_error_is_two_and_one_line(options: str, part: Path) -> None:
    plain_failure(run("compute", part, *shlex.split(options)), 2, USAGE_ERRORS[options].replace("PART", str(part)))


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


def test_standard_input_is_read_once() -> None:
    plain_failure(run("compute", "-", "-", "-t", "stl"), 2, "'-' (standard input) can be given only once")


def test_a_link_names_one_file(part: Path) -> None:
    message = "--link is for one body, and there are 2; give one file, or see --combine and --together"
    plain_failure(run("compute", part, part, "--mass", "1", "-f", "urdf", "--link", "a"), 2, message)


def test_a_missing_matrix_is_an_unreadable_file(part: Path) -> None:
    message = "nope.txt: no such file"
    plain_failure(run("compute", part, "--matrix", "nope.txt", cwd=part.parent), 3, message)


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


def lines_of(*args: str) -> list[dict[str, Any]]:
    text = run("compute", *args, "--format", "json").out
    return [valid(text)] if text.startswith("{\n") else [valid(line) for line in text.splitlines()]


@pytest.mark.usefixtures("folder")
def test_folders_and_patterns_are_measured_file_by_file() -> None:
    for word in ("parts", "parts/**/*.stl"):
        assert [r["input"]["path"] for r in lines_of(word)] == ["parts/a.stl", "parts/deep/b.stl"]
    assert run("compute", "parts/*.obj").returncode == 3


def test_compute_and_check_read_one_configuration(folder: Path) -> None:
    (folder / "massprops.toml").write_text(
        'units = "mm"\nmaterial = "steel"\nmax-mass = "1g"\n[files."parts/deep/*"]\ndensity = 1000\n'
    )
    near, deep = lines_of("parts")
    # the tetrahedron has VOLUME m³ when it is read in m
    assert near["mass"] == pytest.approx(7850 * VOLUME * 1e-9, rel=1e-12)
    assert deep["mass"] == pytest.approx(1000 * VOLUME * 1e-9, rel=1e-12)
    checked = valid(run("check", "parts/a.stl", "parts/deep/b.stl", "--format", "json").out)["checked"]
    assert [c["numbers"]["mass"] for c in checked] == [near["mass"], deep["mass"]]
    assert run("compute", "parts/a.stl").out.splitlines()[-1] == "From massprops.toml: units mm, material steel"
    assert "From massprops.toml: units mm, material by file" in run("compute", "parts").out


def test_the_command_line_is_stronger_than_the_configuration(folder: Path) -> None:
    (folder / "massprops.toml").write_text('units = "mm"\nmaterial = "steel"\n')
    for option, value, mass in (("--density", "1000", 1000 * VOLUME), ("--mass", "2kg", 2.0)):
        assert lines_of("parts/a.stl", option, value, "--units", "m")[0]["mass"] == pytest.approx(mass, rel=1e-12)
        assert "From" not in run("compute", "parts/a.stl", option, value, "--units", "m").out
    without = run("compute", "parts/a.stl", "--no-config")
    assert "From" not in without.out
    (bare,) = lines_of("parts/a.stl", "--no-config")
    assert (bare["mass"], bare["volume"]) == (None, pytest.approx(VOLUME, rel=1e-12))
    (folder / "massprops.toml").write_text("unitss = 1\n")
    plain_failure(
        run("compute", "parts/a.stl"), 2, f"{folder}/massprops.toml:1: unknown key 'unitss'; did you mean units?"
    )


@each("common", ["units", "override-units"])
@each("later", ["units", "override-units"])
@each("place", ["command line", "section"])
def test_the_unit_that_is_stated_last_counts(common: str, later: str, place: str, folder: Path) -> None:
    """The two keys exclude each other, as density and material do: a common `override-units` is no rule for later `units`."""
    section = f'[files."parts/a.stl"]\n{later} = "cm"\n' if place == "section" else ""
    (folder / "massprops.toml").write_text(f'{common} = "mm"\ndensity = 1000\n{section}')
    words = ["parts/a.stl", *(() if section else (f"--{later}", "cm"))]
    assert lines_of(*words)[0]["volume"] == pytest.approx(1e-6 * VOLUME, rel=1e-12)
    checked = valid(run("check", *words, "--allow-unmatched", "--format", "json").out)["checked"][0]
    assert checked["numbers"]["volume"] == pytest.approx(1e-6 * VOLUME, rel=1e-12)
    assert "units mm" not in run("compute", *words).out
    if "--override-units" not in words:  # which combine has not
        mass = run("combine", *words, "--format", "json").result["mass"]
        assert mass == pytest.approx(1e-3 * VOLUME, rel=1e-12)


def test_no_config_reads_none_for_the_units_of_tables_either(folder: Path) -> None:
    (folder / "massprops.toml").write_text('output-units = "parsec"\n')
    assert run("compute", "parts/a.stl").returncode == 2
    assert run("compute", "parts/a.stl", "--no-config").returncode == 0
    (folder / "massprops.toml").write_text('units = "mm"\n')
    assert "From massprops.toml" not in run("compute", "parts/a.stl", "--quiet").out


def test_every_table_names_the_configuration_that_its_units_come_from(folder: Path) -> None:
    """Else a reader of inches and pounds cannot know why."""
    numbers = ["--mass", "1", "--inertia", "1 0 0 1 0 1"]
    line = "From massprops.toml: output-units in,lb"
    commands: list[list[str]] = [
        ["compute", "parts/a.stl", "--density", "1"],
        ["check", "parts/a.stl"],
        ["diff", "parts/a.stl", "parts/a.stl"],
        ["shape", "box", "--x", "1", "--y", "1", "--z", "1", "--mass", "1"],
        ["combine", "body.json"],
        ["convert", "body.json"],
        ["explain", *numbers],
    ]
    assert run(*commands[3], "-o", "body.json").returncode == 0
    for command in commands:
        assert "From" not in run(*command).out, command
    (folder / "massprops.toml").write_text('output-units = "in,lb"\n')
    for command in commands:
        assert run(*command).out.splitlines()[-1] == line, command
        assert "From" not in run(*command, "--output-units", "mm").out, command
        assert "From" not in run(*command, "--quiet").out, command
    assert "From" not in run("compute", "parts/a.stl", "--format", "csv").out
    (folder / "massprops.toml").write_text('output-units = "in,lb"\nunits = "mm"\n')
    assert run(*commands[0]).out.splitlines()[-1] == "From massprops.toml: units mm, output-units in,lb"


def test_the_digest_of_pieces_is_of_the_bytes_of_all(tmp_path: Path) -> None:
    """The digest was that of the first piece."""
    triangles = box((0, 0, 0), (1, 2, 3))
    one, two = (
        write_ascii_stl(tmp_path / f"{name}.stl", part) for name, part in (("a", triangles[:7]), ("b", triangles[7:]))
    )

    def digest() -> str:
        done = run("compute", one, two, "--together", "--hash", "--format", "json")
        return json.loads(done.out)["input"]["sha256"]

    before = digest()
    assert before == digest()
    for path in (one, two):
        own = path.read_text()
        path.write_text(own.replace("solid", "solid x", 1))  # the same triangles
        assert digest() != before
        path.write_text(own)
