"""`massprops check` from outside: exit code, stdout and stderr, each by itself.

Modules tested: `checking/check_file`, `checking/discovery`.
"""

from __future__ import annotations

import errno
import json
import os
import re
import shlex
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from cases import each
from console import OUTWARD, VOLUME, Run, ascii_stl, plain_failure, run, valid

import massprops
from massprops.checking.check_file import Checker, check_files
from massprops.checking.discovery import expand
from massprops.checking.rules import FAMILIES, rules
from massprops.cli.check import Format
from massprops.formats.bodies import as_body
from massprops.formats.bodies.json_results import body_dict
from massprops.writers.check import rule_text
from massprops.writers.ci import FORMATS
from massprops.writers.console import TextOutput

pytestmark = pytest.mark.usefixtures("folder")

#: Seconds are the only thing that differs from run to run.
_SECONDS = re.compile(r"\d+\.\d s$", re.MULTILINE)

URDF = """<robot name="r">
  <link name="base"/>
  <link name="arm">
    <inertial>
      <origin xyz="0 0 0.1"/>
      <mass value="2"/>
      <inertia ixx="0.03" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
  <link name="hand">
    <inertial>
      <mass value="1"/>
      <inertia ixx="0.01" iyy="0.01" izz="0.03" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
</robot>
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A good part, one with a hole, a truncated one and a robot with an impossible hand; the current folder is there."""
    parts = tmp_path / "parts"
    (parts / "deep").mkdir(parents=True)
    (parts / ".hidden").mkdir()
    (parts / "good.stl").write_text(ascii_stl(), encoding="ascii")
    (parts / "deep" / "hole.stl").write_text(ascii_stl(OUTWARD[:3]), encoding="ascii")
    (parts / ".hidden" / "hole.stl").write_text(ascii_stl(OUTWARD[:3]), encoding="ascii")
    (parts / "torn.stl").write_bytes(bytes(84))
    (parts / "notes.txt").write_text("not to be looked at", encoding="ascii")
    (parts / "package.json").write_text("{}", encoding="ascii")
    (tmp_path / "robot.urdf").write_text(URDF, encoding="ascii")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def check(*args: str | Path, **options: Any) -> Run:
    return run("check", *args, **options)


def told(done: Run) -> str:
    return _SECONDS.sub("T s", done.err)


def report(*args: str | Path) -> dict[str, Any]:
    done = check(*args, "--format", "json")
    document: dict[str, Any] = valid(done.out)
    document["code"] = done.returncode
    return document


def found(document: dict[str, Any]) -> dict[str, list[str]]:
    """Codes of the findings by address."""
    return {
        c["path"] + ("" if c["place"] is None else f"#{c['place']}"): [f["code"] for f in c["findings"]]
        for c in document["checked"]
    }


TURNED = [*OUTWARD[:3], OUTWARD[3][::-1]]
INVERTED = [face[::-1] for face in OUTWARD]
DEFECTS = {
    "inconsistent-winding": TURNED,
    "inverted-surface": INVERTED,
    "duplicate-facets": OUTWARD * 2,
    "double-sided": OUTWARD + INVERTED,
}


@each("code", DEFECTS)
def test_an_export_is_judged_as_it_is(tmp_path: Path, code: str) -> None:
    """A CI job guards exports: what only a repair makes measurable is an error, named alone, in a folder, or by Python."""
    folder = tmp_path / code
    folder.mkdir()
    part = folder / "part.stl"
    part.write_text(ascii_stl(DEFECTS[code]), encoding="ascii")
    for name in (part, folder):
        done = check(name)
        assert (done.returncode, f"error {code}: " in done.out) == (1, True), done.out
        assert "info repairable: --repair safe gives" in done.out
    assert massprops.check(part).checked[0].findings[0].code == code
    (folder / "massprops.toml").write_text('repair = "safe"\n', encoding="ascii")
    config = ("--config", folder / "massprops.toml")
    for options in (["--repair", "safe"], config):
        done = check(part, *options)
        assert (done.returncode, "error" in done.out, "warning" in done.out) == (0, False, True), done.out
    assert check(part, "--repair", "none", *config).returncode == 1


def test_where_nothing_is_measured_no_results_are_written(tmp_path: Path) -> None:
    """An empty file of results would be refused as damaged by the next check."""
    (tmp_path / "part.stl").write_text(ascii_stl(TURNED), encoding="ascii")
    words = (tmp_path / "part.stl", "--expect", tmp_path / "known.jsonl")
    done = check(*words, "--update")
    assert (done.returncode, "not written: there is no result to record" in done.err) == (1, True)
    assert (check(*words).returncode, (tmp_path / "known.jsonl").exists()) == (3, False)
    assert check(*words, "--repair", "safe", "--update").returncode == 0
    assert check(*words, "--repair", "safe").returncode == 0


def test_the_advice_to_read_help_has_no_unit(tmp_path: Path) -> None:
    assert "see 'massprops repair --help'" in run("repair", "--units", "mm", "--axes", "x", tmp_path / "a.stl").err


def test_the_remedy_of_an_export_runs(tmp_path: Path) -> None:
    part = tmp_path / "a part.stl"
    part.write_text(ascii_stl(TURNED), encoding="ascii")
    for given in (["-u", "mm"], ["--units=mm"], ["-umm"], ["--override-units", "mm"], []):
        finding = report(part, *given)["checked"][0]["findings"][1]
        words = shlex.split(finding["message"].partition(": massprops ")[2])
        assert ("mm" in words) is bool(given)
        assert run(*words, "-o", tmp_path / "mended.stl").returncode == 0
    assert check(tmp_path / "mended.stl", "--require", "proved").returncode == 0


# --- what is checked -------------------------------------------------------------------------------------------------


def test_a_good_file_is_silent_and_counted() -> None:
    done = check("parts/good.stl")
    assert (done.returncode, done.out) == (0, "")
    assert told(done) == "massprops: 1 file, 0 failed, 0 unreadable, 0 warnings, T s\n"


def test_a_folder_is_checked_whole_worst_first() -> None:
    done = check("parts", "robot.urdf")
    assert done.returncode == 3  # a file that cannot be read is worse than one that fails
    assert done.out == (
        "parts/torn.stl: unreadable\n"
        "  error no-facets: the binary STL file holds no facets; export the mesh again;\n"
        "  there is nothing to measure\n"
        "parts/deep/hole.stl: failed\n"
        # the corners of the missing face span 3.5 × 3 × 6.5 m: √63.5 m
        "  error open-edges: 3 of 6 edges belong to one face only, in 1 loop, 7.97 m\n"
        "  wide, near (1.75, 1, 1.25) m\n"
        "robot.urdf: failed\n"
        "  error triangle-inequality: hand: principal moments (0.01, 0.01, 0.03) kg m²:\n"
        "  0.01 + 0.01 < 0.03 by 33.3333 %, so no mass distribution has this inertia\n"
        "  error pseudo-inertia: hand: pseudo-inertia is not positive semi-definite: mass\n"
        "  times squared distance, summed along the direction (0.0, 0.0, 1.0), is -0.005\n"
        "  kg m², and a sum of squares cannot be negative\n"
    )
    assert told(done) == "massprops: 4 files, 2 failed, 1 unreadable, 0 warnings, T s\n"


def test_all_lines_hold_at_40_columns_without_losing_a_word() -> None:
    narrow, wide = check("parts", env={"COLUMNS": "40"}), check("parts")
    assert max(map(len, narrow.out.splitlines())) <= 40
    assert narrow.out.split() == wide.out.split()


def test_every_link_has_its_line_and_a_link_can_be_checked_alone() -> None:
    document = report("robot.urdf")
    assert [(c["place"], c["line"], c["status"]) for c in document["checked"]] == [
        ("base", 2, "ok"),
        ("arm", 4, "ok"),  # where its inertial begins
        ("hand", 11, "failed"),
    ]
    assert check("robot.urdf#arm").returncode == 0
    assert check("robot.urdf#hand").returncode == 1
    done = check("robot.urdf#han")
    assert (done.returncode, done.out) == (
        3,
        "robot.urdf: unreadable\n  error no-link: han: has no link 'han'; did you mean hand?\n",
    )


def test_results_are_checked_like_what_they_were_made_from() -> None:
    done = run("compute", "parts/good.stl", "parts/deep/hole.stl", "--density", "1000", "--format", "json")
    Path("results.json").write_text(done.out, encoding="utf-8")
    document = report("results.json", "--max-mass", "1")
    # the volume is above 3 m³; what could not be measured fails for that already
    assert found(document) == {
        "results.json#parts/good.stl": ["unexpected-mass"],
        "results.json#parts/deep/hole.stl": ["failed-result"],
    }


def test_patterns_say_what_is_taken_from_a_folder() -> None:
    assert list(found(report("parts"))) == ["parts/deep/hole.stl", "parts/good.stl", "parts/torn.stl"]
    assert list(found(report("parts", "--include", "g*"))) == ["parts/good.stl"]
    assert list(found(report("parts", "--exclude", "deep/**", "--exclude", "torn*"))) == ["parts/good.stl"]
    assert list(found(report("parts/*.stl", "--exclude", "torn*"))) == ["parts/good.stl"]


def test_settings_of_meshes_leave_the_plane_files_beside_them_alone() -> None:
    Path("parts/plate.csv").write_text("0,0\n1,0\n0,1\n", encoding="ascii")
    Path("massprops.toml").write_text('verify = "closed"\nmaterial = "steel"\n', encoding="utf-8")
    assert found(report("parts/plate.csv", "parts/good.stl"))["parts/plate.csv"] == []
    assert found(report("parts/plate.csv", "--verify", "xray", "--density", "3"))["parts/plate.csv"] == []


def test_a_file_named_twice_is_checked_once() -> None:
    assert [c["path"] for c in report("parts/good.stl", "parts/good.stl")["checked"]] == ["parts/good.stl"]


def test_nothing_to_check_is_no_success() -> None:
    plain_failure(check(), 2, "no file given; name files, or give 'paths' in massprops.toml")
    plain_failure(
        check("-", "a.urdf"), 2, "check reads standard input alone; name the other files in a call of their own"
    )


#: Nothing that can be checked: a folder of unknown files, a folder in which a pattern matches nothing, a robot without links, and a
#: pattern that matches no file.
EMPTY = [("docs",), ("parts", "--include", "*.step"), ("frame.urdf",), ("*.ply",)]


@pytest.mark.parametrize("arguments", EMPTY, ids=lambda a: " ".join(a))
@pytest.mark.parametrize("form", ["table", "json", *FORMATS])
def test_a_run_that_checked_nothing_is_no_success_in_any_format(arguments: tuple[str, ...], form: str) -> None:
    Path("docs").mkdir()
    Path("docs/readme.txt").write_text("not to be looked at", encoding="ascii")
    Path("frame.urdf").write_text('<robot name="r"/>', encoding="ascii")
    done = check(*arguments, "--format", form)
    code = "missing-file" if "*" in arguments[0] else "nothing-checked"
    assert (done.returncode, told(done)) == (3, "massprops: 1 file, 0 failed, 1 unreadable, 0 warnings, T s\n")
    assert code in done.out
    if form == "junit":
        (case,) = ET.fromstring(done.out).iter("testcase")  # noqa: S314  # our own text
        assert case.find("error") is not None
        assert case.find("error").get("type") == code


def test_files_beside_a_folder_with_nothing_to_check_are_checked() -> None:
    Path("docs").mkdir()
    document = report("docs", "parts/good.stl")
    assert [(c["path"], c["status"]) for c in document["checked"]] == [("docs", "unreadable"), ("parts/good.stl", "ok")]
    assert document["code"] == 3


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes need POSIX")
def test_what_cannot_be_opened_in_a_folder_is_passed_over_with_a_finding() -> None:
    # opened, a pipe would wait for a writer, and a dangling link end the run
    os.mkfifo("parts/pipe.stl")
    os.mkfifo("parts/pipe.xml")
    for name in ("gone.stl", "gone.xml", "gone.json"):
        Path("parts", name).symlink_to("nowhere")
    Path("parts/torn.stl").unlink()
    document = report("parts")
    assert document["code"] == 1  # of the part with a hole alone
    skipped = {c["path"]: c["findings"][0] for c in document["checked"] if c["kind"] == "file"}
    assert {f["code"] for f in skipped.values()} == {"skipped-file"}
    assert {p: f["message"] for p, f in skipped.items()} == {
        "parts/gone.json": "not checked: a dangling link",
        "parts/gone.stl": "not checked: a dangling link",
        "parts/gone.xml": "not checked: a dangling link",
        "parts/pipe.stl": "not checked: not a regular file (a pipe, a socket or a device)",
        "parts/pipe.xml": "not checked: not a regular file (a pipe, a socket or a device)",
    }
    assert check("parts", "--exclude", "hole.stl", "--fail-on", "warning").returncode == 1
    assert check("parts/gone.stl").returncode == 3  # named, and not found in a folder: it has to be there


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="permissions do not hold for this user")
def test_a_file_without_permission_is_reported_and_the_others_are_checked() -> None:
    Path("parts/secret.xml").write_text("<mujoco/>", encoding="ascii")
    Path("parts/secret.xml").chmod(0)
    document = report("parts")
    (secret,) = [c for c in document["checked"] if c["path"] == "parts/secret.xml"]
    assert secret["error"]["code"] == "no-permission"


def test_a_folder_that_cannot_be_read_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    (Path("parts") / "closed").mkdir()

    def scan(folder: str, scandir: Any = os.scandir) -> Any:
        if folder.endswith("closed"):
            raise PermissionError(errno.EACCES, "Permission denied")
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", scan)
    assert expand(["parts"]).skipped == {"parts/closed": "the folder cannot be read: Permission denied"}
    assert expand(["parts"], exclude=["closed/**"]).skipped == {}


def test_the_report_does_not_depend_on_the_number_of_processes() -> None:
    # files large enough that several processes are started
    rows = "\n".join(f"v {i} 0 0" for i in range(150_000))
    for i in range(3):
        text = "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
        Path(f"{i}.obj").write_text(text + rows, encoding="ascii")
    one, two = (report("parts", "0.obj", "1.obj", "2.obj", "--jobs", n) for n in ("1", "2"))
    assert one == two
    assert len(one["checked"]) == 6


# --- what was agreed -------------------------------------------------------------------------------------------------


def test_what_was_agreed_on_the_command_line() -> None:
    done = check("parts/good.stl", "--density", "1000", "--mass", "3.7t±1%", "--require", "certified,single-body")
    assert done.returncode == 1
    mass = 1000 * VOLUME
    off = (mass - 3737) / 3737
    assert done.out == (
        "parts/good.stl: failed\n"
        f"  error unexpected-mass: mass {mass:.4g} kg exceeds the limit of 3737 kg by {100 * off:.2g} %\n"
    )
    assert check("parts/good.stl", "--density", "1000", "--mass", "3.77t±1%").returncode == 0
    assert found(report("parts/good.stl", "--mass", "3.7t±1%")) == {"parts/good.stl": ["not-measured"]}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--mass", "3kg"], "--mass: '3kg' has no tolerance; for example 1.2kg±5% or 1.1kg..1.3kg"),
        (["--require", "open"], "--require: must be one of closed, certified, proved, single-body, gvp, got 'open'"),
        (["--select", "open-edge"], "--select: unknown finding 'open-edge'; did you mean open-edges?"),
        (["--severity", "open-edges=bad"], "--severity: must be one of error, warning, info, got 'bad'"),
        (
            ["--density", "1", "--material", "steel"],
            "--density and --material are mutually exclusive; give one of them",
        ),
        (["--update"], "--update needs --expect"),
        (["--update-baseline"], "--update-baseline needs --baseline"),
        (["--output", "parts/good.stl"], "parts/good.stl: is an input file; choose another --output"),
        (["--config", "none.toml"], "none.toml: no such file"),
    ],
)
def test_bad_options_are_refused_in_one_line(options: list[str], message: str) -> None:
    plain_failure(check("parts/good.stl", *options), 2, message)


def test_severities_decide_what_fails() -> None:
    hole = "parts/deep/hole.stl"
    assert check(hole).returncode == 1
    assert check(hole, "--severity", "open-edges=warning").returncode == 0
    assert check(hole, "--severity", "open-edges=warning", "--fail-on", "warning").returncode == 1
    assert check(hole, "--fail-on", "never").returncode == 0
    assert check(hole, "--ignore", "surface").returncode == 0
    assert check(hole, "--select", "body").returncode == 0
    # what was agreed is still not known to hold
    assert check(hole, "--ignore", "surface", "--require", "closed").returncode == 1


# --- what was recorded -----------------------------------------------------------------------------------------------


def test_golden_values_are_recorded_compared_and_updated() -> None:
    options = ["parts/good.stl", "robot.urdf#arm", "--expect", "golden.jsonl"]
    plain = check(*options)
    assert (plain.returncode, plain.err) == (3, "massprops: golden.jsonl: no such file; --update writes it\n")
    recorded = check(*options, "--update")
    assert recorded.returncode == 0
    assert told(recorded) == (
        "massprops: parts/good.stl: recorded\n"
        "massprops: robot.urdf#arm: recorded\n"
        "massprops: 2 files, 0 failed, 0 unreadable, 0 warnings, T s\n"
    )
    assert check(*options).returncode == 0
    before = Path("golden.jsonl").read_bytes()
    assert told(check(*options, "--update")).count("\n") == 1
    assert Path("golden.jsonl").read_bytes() == before
    Path("robot.urdf").write_text(URDF.replace('value="2"', 'value="2.5"'), encoding="ascii")
    changed = check(*options)
    assert changed.returncode == 1
    assert changed.out == (
        "robot.urdf: failed\n"
        "  error changed-value: arm: differs from the recorded result: mass 2 kg → 2.5\n"
        "  kg, by 25 %\n"
    )
    assert Path("golden.jsonl").read_bytes() == before  # nothing is written unless it is asked for
    grams = check(*options, "--output-units", "g").out
    assert "differs from the recorded result: mass 2000 g → 2500 g, by 25 %" in " ".join(grams.split())
    updated = check(*options, "--output-units", "g", "--update").err
    assert "massprops: robot.urdf#arm: mass 2000 g → 2500 g, by 25 %\n" in updated
    assert check(*options).returncode == 0
    assert check(*options, "--rtol", "0").returncode == 0  # the same file, the same bits


def test_a_result_of_compute_is_a_golden_value() -> None:
    Path("result.json").write_text(run("compute", "parts/good.stl", "-f", "json").out, encoding="utf-8")
    assert check("parts/good.stl", "--expect", "result.json").returncode == 0
    Path("parts/good.stl").write_text(ascii_stl(scale=1.001), encoding="ascii")
    document = report("parts/good.stl", "--expect", "result.json")
    assert set(found(document)["parts/good.stl"]) == {"changed-value"}
    assert check("parts/good.stl", "--expect", "result.json", "--rtol", "0.01").returncode == 0  # 1.001³ is 0.3 % more


def test_known_findings_do_not_fail_and_new_ones_do() -> None:
    options = ["parts/deep", "robot.urdf", "--baseline", "known.json"]
    assert check(*options).err == "massprops: known.json: no such file; --update-baseline writes it\n"
    assert check(*options, "--update-baseline").returncode == 0
    done = check(*options)
    assert (done.returncode, done.out) == (0, "")
    assert told(done) == "massprops: 2 files, 0 failed, 0 unreadable, 0 warnings, 3 known, T s\n"
    Path("robot.urdf").write_text(URDF.replace('izz="0.03"', 'izz="0.02"'), encoding="ascii")
    assert told(check(*options)) == (
        "massprops: known.json: 2 of its findings are gone; --update-baseline removes them\n"
        "massprops: 2 files, 0 failed, 0 unreadable, 0 warnings, 1 known, T s\n"
    )
    Path("robot.urdf").write_text(URDF.replace('izz="0.03"', 'izz="0.04"'), encoding="ascii")
    assert check(*options).returncode == 1  # worse than what is known


@each("limit", ["--max-mass=1kg", "--require=closed"])
def test_a_known_defect_hides_no_limit_that_it_leaves_unchecked(limit: str) -> None:
    # the open surface is accepted; a limit that nothing was compared with is not
    options = ["parts/deep", "--baseline", "known.json"]
    assert check(*options, "--update-baseline").returncode == 0
    assert check(*options).returncode == 0
    assert "not-measured" in check(*options, limit).out
    assert check(*options, limit).returncode == 1
    assert massprops.check("parts/deep", baseline="known.json", require=["closed"]).with_status("failed") == 1
    assert check(*options, limit, "--update-baseline").returncode == check(*options, limit).returncode == 0


@each("options", ["--severity=open-edges=warning", "--severity=open-edges=info", "--ignore=surface", "--fail-on=never"])
def test_junit_skips_the_rules_of_a_body_that_was_not_measured_whatever_counts(options: str) -> None:
    root = ET.fromstring(check("parts/deep", "--format", "junit", options).out)  # noqa: S314  # our own text
    cases = {case.get("name"): case.find("skipped") is not None for case in root.iter("testcase")}
    assert cases == {"file": False, "surface": False, "body": True, "plausibility": True}


# --- what goes wrong inside ------------------------------------------------------------------------------------------


def test_a_defect_in_one_file_does_not_stop_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_args: Any, **_kwargs: Any) -> None:
        raise RuntimeError("no such case")

    monkeypatch.setattr("massprops.checking.check_file.measure_with", broken)
    (good,), (arm,) = check_files(["parts/good.stl", "robot.urdf#arm"], Checker(), 1)
    assert str(good.error) == (
        "parts/good.stl: a defect in massprops: RuntimeError('no such case'); please report it with the traceback"
    )
    assert (good.error.exit_code, arm.status) == (70, "ok")  # type: ignore[union-attr]
    assert "Traceback" in good.error.__notes__[0]  # type: ignore[union-attr]


def test_a_named_mesh_is_what_inertials_are_held_against() -> None:
    # 2 kg in 3.77 m³: nothing is as light; the link has no geometry of its own
    assert found(report("robot.urdf#arm")) == {"robot.urdf#arm": []}
    (arm,) = report("robot.urdf#arm", "--against", "parts/good.stl")["checked"]
    (density,) = (f["value"] for f in arm["findings"] if f["code"] == "implied-density")
    assert density == pytest.approx(2 / VOLUME, rel=1e-14)  # a few roundings
    done = check("parts/good.stl", "--against", "parts/good.stl")
    assert done.returncode == 2
    assert done.out == (
        "parts/good.stl: unreadable\n"
        "  error invalid-input: geometry, and --against is for inertials; compare two\n"
        "  bodies with 'massprops diff'\n"
    )


# --- forms -----------------------------------------------------------------------------------------------------------


def test_json_is_valid_and_counts() -> None:
    document = report("parts", "robot.urdf")
    counts = {"files": 4, "failed": 2, "unreadable": 1, "errors": 3, "warnings": 0, "infos": 0, "known": 0}
    assert document["summary"] == counts
    assert document["code"] == 3
    torn = next(c for c in document["checked"] if c["path"] == "parts/torn.stl")
    assert (torn["status"], torn["error"]["code"]) == ("unreadable", "no-facets")


def test_a_report_goes_to_a_file_whole() -> None:
    done = check("parts/deep", "-o", "report.txt")
    assert (done.returncode, done.out) == (1, "")
    assert Path("report.txt").read_text(encoding="utf-8").startswith("parts/deep/hole.stl: failed\n")
    assert check("parts/good.stl", "-o", "report.txt").returncode == 0
    assert Path("report.txt").read_text(encoding="utf-8") == ""


def test_every_format_has_its_word() -> None:
    assert set(get_args(Format)) == {"table", "json", *FORMATS}
    for name, beginning in (("junit", "<"), ("sarif", "{"), ("gitlab", "["), ("github", "::error"), ("markdown", "#")):
        done = check("parts/deep", "--format", name)
        assert (done.returncode, done.out[: len(beginning)]) == (1, beginning)


def test_all_shows_what_is_good() -> None:
    done = check("parts/good.stl", "robot.urdf#arm", "--all")
    assert done.out == (
        f"parts/good.stl: ok, proved, {VOLUME:.6g} m³, facets: 4\nrobot.urdf: ok\n  ok arm, stated, 2 kg\n"
    )


def test_the_list_has_a_line_for_every_finding() -> None:
    done = check("--list")
    assert (done.returncode, done.err) == (0, "")
    assert {line.split()[0] for line in done.out.splitlines()} == rules().keys()
    assert max(map(len, done.out.splitlines())) <= 110


def test_every_code_has_a_page() -> None:
    for code, rule in rules().items():
        page = rule_text(rule, FAMILIES[rule.family], TextOutput(10_000))
        assert page.startswith(f"{code}\n{rule.short}. ")
        for title, text in (("Meaning", rule.why), ("Remedy", rule.remedy), ("Example", rule.example)):
            assert f"\n{title}: {text}\n" in page


def test_a_code_is_explained() -> None:
    done = check("--explain", "open-edges")
    assert (done.returncode, done.err) == (0, "")
    assert "\nRemedy: " in done.out
    message = "--explain: unknown finding 'open-edge'; did you mean open-edges?"
    plain_failure(check("--explain", "open-edge"), 2, message)


def test_several_formats_are_written_in_one_run() -> None:
    done = check("parts", "--format", "junit=report.xml", "--format", "github", "--format", "json=report.json")
    assert done.out == check("parts", "--format", "github").out
    assert Path("report.xml").read_text(encoding="utf-8").startswith("<?xml")
    assert json.loads(Path("report.json").read_text(encoding="utf-8"))["summary"]["files"] > 1
    message = "two formats for standard output; give all but one of them a file: junit=report.xml"
    plain_failure(check("parts", "-f", "github", "-f", "junit"), 2, message)
    plain_failure(check("parts", "-f", "junt"), 2, "--format: unknown format 'junt'; did you mean junit?")
    assert check("parts", "-f", "sarif=parts/good.stl").returncode == 2  # an input is not replaced


@pytest.mark.skipif(os.name != "posix", reason="names with newlines need POSIX")
def test_a_hostile_name_stays_on_its_line() -> None:
    Path("a\nb\x1b[31m.stl").write_text(ascii_stl(OUTWARD[:3]), encoding="ascii")
    assert check("a\nb\x1b[31m.stl").out.startswith("a\\nb\\x1b[31m.stl: failed\n")


@each(
    "links",
    [
        '<link name="a"><visual><geometry><box size="1 1 1"/></geometry></visual></link>',
        '<link name="a"/>',
    ],
)
def test_a_requirement_of_a_robot_without_inertials_is_not_met(tmp_path: Path, links: str) -> None:
    (tmp_path / "r.urdf").write_text(f'<robot name="r">{links}</robot>')
    assert run("check", "r.urdf", cwd=tmp_path).returncode == 0
    for given in (["--require", "proved"], ["--max-mass", "1kg"]):
        done = run("check", "r.urdf", *given, cwd=tmp_path)
        assert (done.returncode, "not-measured" in done.out) == (1, True)


#: A litre of aluminium, 20 × 10 × 5 cm about the origin: both numbers in grams, in five formats.
GRAMS = {
    "urdf": """<robot name="r"><link name="a"><inertial><mass value="2700"/><inertia ixx="2.8125" iyy="9.5625" izz="11.25"
        ixy="0" ixz="0" iyz="0"/></inertial><visual><geometry><box size="0.2 0.1 0.05"/></geometry></visual></link></robot>""",
    "sdf": """<sdf version="1.9"><model name="r"><link name="a"><inertial><mass>2700</mass><inertia><ixx>2.8125</ixx><iyy>9.5625</iyy>
        <izz>11.25</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia></inertial>
        <visual name="v"><geometry><box><size>0.2 0.1 0.05</size></box></geometry></visual></link></model></sdf>""",
    "xml": """<mujoco><worldbody><body name="a"><freejoint/><inertial pos="0 0 0" mass="2700" diaginertia="2.8125 9.5625 11.25"/>
        <geom type="box" size="0.1 0.05 0.025"/></body></worldbody></mujoco>""",
    "usda": """#usda 1.0
        (
        metersPerUnit = 1
        kilogramsPerUnit = 1
        upAxis = "Z"
        )
        def Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
        {
        float physics:mass = 2700
        point3f physics:centerOfMass = (0, 0, 0)
        float3 physics:diagonalInertia = (2.8125, 9.5625, 11.25)
        quatf physics:principalAxes = (1, 0, 0, 0)
        def Cube "p"
        {
        double size = 1
        double3 xformOp:scale = (0.2, 0.1, 0.05)
        uniform token[] xformOpOrder = ["xformOp:scale"]
        }
        }""",
    "gltf": """{"asset": {"version": "2.0"}, "extensionsUsed": ["KHR_physics_rigid_bodies", "KHR_implicit_shapes"],
        "extensions": {"KHR_implicit_shapes": {"shapes": [{"type": "box", "box": {"size": [0.2, 0.1, 0.05]}}]}},
        "scenes": [{"nodes": [0]}], "nodes": [{"name": "a", "extensions": {"KHR_physics_rigid_bodies": {
        "motion": {"mass": 2700, "centerOfMass": [0, 0, 0], "inertiaDiagonal": [2.8125, 9.5625, 11.25]},
        "collider": {"geometry": {"shape": 0}}}}}]}""",
}


@pytest.mark.parametrize("kind", GRAMS)
def test_a_mass_and_an_inertia_in_grams_are_named_in_every_format(tmp_path: Path, kind: str) -> None:
    file = tmp_path / f"r.{kind}"
    file.write_text(GRAMS[kind], encoding="utf-8")
    (only,) = json.loads(check(file, "--format", "json").out)["checked"]
    named = [f["message"].partition(" (in doubt: ")[0] for f in only["findings"] if f["code"] == "wrong-unit"]
    assert [text.rpartition(" if ")[2] for text in named] == ["the mass is in g and the inertia in g m²: 2.7 kg"]
    assert any(
        f["severity"] == "error" for f in only["findings"]
    )  # beside a collision geometry alone it is that of the density
    (likely,) = massprops.explain(f"{file}#{only['place']}").hypotheses
    assert likely.body.mass == pytest.approx(2.7, rel=1e-6)
    assert likely.body.inertia == pytest.approx(np.diag([0.0028125, 0.0095625, 0.01125]), rel=1e-6, abs=1e-12)


def test_numbers_that_no_body_has_are_an_error_in_results_too(tmp_path: Path) -> None:
    """A radius of gyration of 2.6 km on 5.4 kg."""
    file = tmp_path / "part.json"
    body = massprops.MassProperties(5.4, [0, 0, 0], np.diag([19125000, 19125000, 36000000]))
    file.write_text(json.dumps(body_dict(as_body(body, "part")) | {"findings": []}), encoding="utf-8")
    done = check(file, "--format", "json")
    assert done.returncode == 1
    assert "impossible-density" in [f["code"] for f in json.loads(done.out)["checked"][0]["findings"]]
