"""The configuration of `check`: where it is found, what it says, and what is wrong with it, by file and line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from console import OUTWARD, Run, ascii_stl, plain_failure, run
from places import ROOT

from massprops.checking.config import Config
from massprops.checking.settings import PARSERS


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a good part, a part with a hole, and a folder below; the current folder is that one."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "good.stl").write_text(ascii_stl(), encoding="ascii")
    (tmp_path / "parts" / "hole.stl").write_text(ascii_stl(OUTWARD[:3]), encoding="ascii")
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    return tmp_path


def configured(project: Path, text: str, name: str = "massprops.toml", *args: str) -> Run:
    (project / name).write_text(text, encoding="utf-8")
    return run("check", *args, "--format", "json")


def found(done: Run) -> dict[str, list[str]]:
    return {c["path"]: [f["code"] for f in c["findings"]] for c in json.loads(done.out)["checked"]}


def test_it_is_found_upward_and_its_paths_are_its_own(project: Path) -> None:
    done = configured(project, 'paths = ["parts"]\nexclude = ["hole*"]')
    assert (done.returncode, found(done)) == (0, {str(project / "parts" / "good.stl"): []})


def test_pyproject_has_a_table_for_it(project: Path) -> None:
    (project / "below" / "pyproject.toml").write_text("[project]\nname = 'no table of ours'", encoding="ascii")
    done = configured(project, '[tool.massprops]\npaths = ["parts/good.stl"]\nmax-size = "1mm"', "pyproject.toml")
    assert (done.returncode, list(found(done).values())) == (1, [["unexpected-size"]])


def test_the_nearer_one_holds_and_a_file_of_its_own_before_pyproject(project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.massprops]\nmax-size = "1mm"', encoding="ascii")
    assert configured(project, "max-size = 100", "massprops.toml", "../parts/good.stl").returncode == 0
    (project / "below" / "massprops.toml").write_text("max-size = 1", encoding="ascii")
    assert run("check", "../parts/good.stl").returncode == 1
    assert run("check", "../parts/good.stl", "--no-config").returncode == 0
    assert run("check", "../parts/good.stl", "--config", "../massprops.toml").returncode == 0


def test_sections_are_stronger_the_later_and_the_command_line_is_the_strongest(project: Path) -> None:
    text = 'max-size = 1\n[files."*.stl"]\nmax-size = 2\n[files."parts/g*"]\nmax-size = 100\n'
    assert configured(project, text, "massprops.toml", "../parts/good.stl").returncode == 0
    reversed_ = 'max-size = 1\n[files."parts/g*"]\nmax-size = 100\n[files."*.stl"]\nmax-size = 2\n'
    assert configured(project, reversed_, "massprops.toml", "../parts/good.stl").returncode == 1
    assert configured(project, text, "massprops.toml", "../parts/good.stl", "--max-size", "2").returncode == 1


def test_a_section_can_mean_a_link(project: Path) -> None:
    link = '<link name="{}"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    robot = "<robot name='r'>" + link.format("left") + link.format("right") + "</robot>"
    (project / "r.urdf").write_text(robot, encoding="ascii")
    done = configured(project, '[files."r.urdf#l*"]\nmax-mass = 1', "massprops.toml", "../r.urdf", "--geometry", "none")
    checked = json.loads(done.out)["checked"]
    assert [[f["code"] for f in c["findings"]] for c in checked] == [["unexpected-mass"], []]


def test_severities_of_sections_add_up(project: Path) -> None:
    text = '[severity]\nopen-edges = "warning"\n[files."hole.stl".severity]\nzero-volume = "info"\n'
    assert configured(project, text, "massprops.toml", "../parts/hole.stl").returncode == 0


@pytest.mark.parametrize(
    ("section", "hint"),
    [
        ("parts/god.stl", "did you mean parts/good.stl?"),
        ("parts/*.step", "did you mean parts/hole.stl?"),
        ("*.urdf#arm", "use --allow-unmatched to check a part of the files"),
    ],
)
def test_a_section_that_matches_no_file_is_an_error(project: Path, section: str, hint: str) -> None:
    # else a budget would no longer be enforced after a file was renamed
    text = f'[files."*.stl"]\nmax-size = 100\n\n[files."{section}"]\nmax-mass = "1g"\n'
    done = configured(project, text, "massprops.toml", "../parts")
    place = project / "massprops.toml"
    assert done.returncode == 2
    assert done.err.endswith(f'massprops: {place}:4: [files."{section}"] matches none of the files checked; {hint}\n')
    assert len(found(done)) == 2  # the report is printed all the same
    assert configured(project, text, "massprops.toml", "../parts", "--allow-unmatched").returncode == 1


def test_a_section_that_matches_no_link_is_an_error_unless_the_file_cannot_be_read(project: Path) -> None:
    frames = "<robot name='r'><link name='left'/><link name='right'/></robot>"
    (project / "r.urdf").write_text(frames, encoding="ascii")
    text = '[files."r.urdf#lefty"]\nmax-mass = 1'
    done = configured(project, text, "massprops.toml", "../r.urdf")
    assert (done.returncode, "; did you mean r.urdf#left?" in done.err) == (2, True)
    (project / "r.urdf").write_text(frames[:-4], encoding="ascii")
    assert configured(project, text, "massprops.toml", "../r.urdf").returncode == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\nmax-mas = 1", ":2: unknown key 'max-mas'; did you mean max-mass?"),
        ('units = "mm"\nmass = "1kg"', ":2: mass: '1kg' has no tolerance; for example 1.2kg±5% or 1.1kg..1.3kg"),
        (
            '[files."*.stl"]\n\nrequire = ["open"]',
            ":3: require: must be one of closed, certified, proved, single-body, gvp, got 'open'",
        ),
        ("[severity]\nopen-edge = 'info'", ":1: severity: unknown finding 'open-edge'; did you mean open-edges?"),
        ("paths = 'parts'", ":1: paths: must be a list of texts, got 'parts'"),
        ("expect = 1", ":1: expect: must be the name of a file, got 1"),
        ("rtol = -1", ":1: rtol: must be a number from 0 to 1, got -1"),
        ("packages = ['a']", ":1: packages: must be a table of names and folders, got ['a']"),
        ("files = ['a']", """:1: files: must be tables, as [files."*.stl"]"""),
        ("density = 1\nmaterial = 'steel'", ":2: material: density is given too; give one of them"),
        ("density = true", ":1: density: must be a text or a number, got True"),
        ("paths = [", ": is not TOML: Invalid value (at end of document)"),
    ],
)
def test_what_is_wrong_is_told_by_file_and_line(project: Path, text: str, message: str) -> None:
    plain_failure(configured(project, text), 2, f"{project / 'massprops.toml'}{message}")


def test_golden_values_and_known_findings_stand_beside_it(project: Path) -> None:
    text = 'paths = ["parts"]\nexpect = "gold/g.jsonl"\nbaseline = "gold/known.json"\n'
    (project / "gold").mkdir()
    assert configured(project, text, "massprops.toml", "--update", "--update-baseline").returncode == 0
    assert json.loads((project / "gold" / "g.jsonl").read_text(encoding="utf-8"))["input"]["path"].endswith("good.stl")
    assert run("check").returncode == 0
    (project / "parts" / "good.stl").write_text(ascii_stl(scale=2.0), encoding="ascii")
    assert run("check").returncode == 1


def test_the_documentation_shows_a_configuration_that_is_read(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "check.md").read_text(encoding="utf-8")
    example = re.search(r"```toml\n(.*?)```", text, re.DOTALL)
    assert example is not None
    (tmp_path / "massprops.toml").write_text(example[1], encoding="utf-8")
    config = Config.read(tmp_path / "massprops.toml")
    arm = config.settings(str(tmp_path / "parts" / "arm.stl"), None, {})
    assert (arm.measuring["units"], arm.require, arm.max_mass) == ("mm", ("certified",), None)
    assert config.settings(str(tmp_path / "robot.urdf"), "left_arm", {}).max_mass == 3.0
    arm.options()  # its density is one that is known


def test_the_documentation_names_every_key() -> None:
    text = (ROOT / "docs" / "check.md").read_text(encoding="utf-8")
    assert [key for key in PARSERS if f"`{key}`" not in text] == []
