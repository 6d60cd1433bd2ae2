"""What people type: unknown words, short options, completion, colours."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest
from console import VOLUME, ascii_stl, plain_failure, run, shell, valid

from massprops.checking.config import Config

posix = pytest.mark.skipif(sys.platform == "win32", reason="shells of POSIX")


@pytest.fixture
def part(tmp_path: Path) -> Path:
    path = tmp_path / "part.stl"
    path.write_text(ascii_stl())
    return path


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("part.stl", "massprops compute part.stl"),
        ("part.stl --units mm", "massprops compute part.stl --units mm"),
        ("arm.urdf", "massprops check arm.urdf"),
        ("arm.urdf#hand", "massprops check 'arm.urdf#hand'"),
    ],
)
def test_a_file_without_a_command_suggests_the_whole_line(words: str, meant: str) -> None:
    name = words.split()[0]
    plain_failure(run(*words.split()), 2, f"{name!r} is not a command; did you mean: {meant}; see 'massprops --help'")


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("compte part.stl", "no such command: 'compte'; did you mean compute?"),
        ("compute --densty 1", "no such option: --densty; did you mean --density?"),
        ("compute --unts mm", "no such option: --unts; did you mean --units?"),
        ("check --masss 1", "no such option: --masss; did you mean --mass?"),
    ],
)
def test_the_most_similar_word_is_suggested(words: str, found: str) -> None:
    assert run(*words.split()).err.startswith(f"massprops: {found}; see 'massprops ")


def test_short_options_are_the_long_ones(part: Path) -> None:
    long = run("compute", part, "--units", "mm", "--density", "2700", "--format", "json")
    assert run("compute", part, "-u", "mm", "-d", "2700", "-f", "json").out == long.out
    steel = run("compute", part, "--units", "mm", "--material", "steel", "-f", "json")
    assert run("compute", part, "-u", "mm", "-m", "steel", "-f", "json").out == steel.out
    assert run("-V").out == run("--version").out


def test_materials_are_searched() -> None:
    found = run("materials", "alu")
    names = re.findall(r"^(\S.*?) {2,}\d", found.out, re.MULTILINE)
    assert names[0] == "aluminium"
    assert all("alu" in name.lower() for name in names)
    assert "oak" in run("materials", "wood").out
    plain_failure(run("materials", "zzzz"), 2, "no material is like 'zzzz'; 'massprops materials' lists them all")


def completed(words: str, shell: str = "bash") -> list[str]:
    line = f"massprops {words}"
    env = {"_MASSPROPS_COMPLETE": f"complete_{shell}", "_TYPER_COMPLETE_ARGS": line, "COMP_WORDS": line}
    return run(
        env={**env, "COMP_CWORD": str(len(line.split()) - 1), "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    ).out.split("\n")


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_shells_complete_materials_codes_and_formats(name: str) -> None:
    for words, expected in (
        ("compute -m stainl", "stainless steel 304"),
        ("check --ignore open-e", "open-edges"),
        ("check --explain tri", "triangle-inequality"),
        ("check --format jun", "junit"),
        ("compute --format urd", "urdf"),
        ("comb", "combine"),
        ("compute part --type st", "stl"),
    ):
        assert any(expected in line for line in completed(words, name)), (name, words)


@posix
def test_the_script_of_the_own_shell_is_printed(tmp_path: Path) -> None:
    # a second command keeps bash in the list of processes, by which it is recognised
    done = shell("massprops --show-completion; status=$?; exit $status", tmp_path)
    assert done.returncode == 0, done.err
    assert "complete_bash" in done.out


@posix
def test_colours_can_be_forced_and_forbidden(tmp_path: Path) -> None:
    for args in (["compute", "none.stl"], ["check", "--densty"], ["explain", "none.urdf"], ["none.stl"]):
        plain = run(*args, cwd=tmp_path)
        forced = run(*args, cwd=tmp_path, env={"FORCE_COLOR": "1"})
        assert forced.err.startswith("\x1b[1;31mmassprops:\x1b[0m "), args  # all commands alike
        assert re.sub(r"\x1b\[[\d;]*m", "", forced.err) == plain.err
        both = run(*args, cwd=tmp_path, env={"FORCE_COLOR": "1", "NO_COLOR": "1"})
        assert both.err == plain.err
        assert run(*args, cwd=tmp_path, env={"FORCE_COLOR": "0"}).err == plain.err


def test_a_forced_colour_does_not_reach_files(part: Path, tmp_path: Path) -> None:
    assert "\x1b[" in run("compute", part, env={"FORCE_COLOR": "1"}).out
    run("compute", part, "-o", tmp_path / "table.txt", env={"FORCE_COLOR": "1"})
    assert b"\x1b" not in (tmp_path / "table.txt").read_bytes()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two parts, one of them deeper, beside a robot and a note; the current folder is there."""
    (tmp_path / "parts" / "deep").mkdir(parents=True)
    for name in ("parts/a.stl", "parts/deep/b.stl"):
        (tmp_path / name).write_text(ascii_stl())
    (tmp_path / "parts" / "robot.urdf").write_text('<robot name="r"><link name="a"/></robot>')
    (tmp_path / "parts" / "notes.txt").write_text("no part")
    monkeypatch.chdir(tmp_path)
    return tmp_path


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


def test_init_writes_a_configuration_that_is_valid_with_and_without_its_comments(folder: Path) -> None:
    done = run("init")
    assert (done.returncode, done.out) == (0, "")
    text = (folder / "massprops.toml").read_text(encoding="utf-8")
    config = Config.read(folder / "massprops.toml")
    assert config.run.paths == (".",)
    assert not config.common
    assert "2 meshes and plane files, 1 robot file" in text
    assert "2 .stl" in text
    keys = re.sub(r"^# (?=\[|[a-z-]+ = )", "", text, flags=re.MULTILINE)
    (folder / "massprops.toml").write_text(keys, encoding="utf-8")
    used = Config.read(folder / "massprops.toml")
    assert used.common["units"] == "mm"
    assert {pattern for pattern, _ in used.sections} == {"parts/a.stl", "parts/deep/b.stl", "parts/robot.urdf#*"}
    plain_failure(run("init"), 2, "massprops.toml: exists; --force replaces it")
    assert run("init", "--force", "parts").returncode == 0
    assert Config.read(folder / "massprops.toml").run.paths == ("parts",)
    assert run("init", "-o", "parts/deep/massprops.toml").returncode == 0
    assert Config.read(folder / "parts" / "deep" / "massprops.toml").run.paths == ("../..",)


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
        ["transform", "body.json"],
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


def test_the_list_of_findings_is_cut_at_the_width_of_a_terminal_and_whole_in_a_pipe() -> None:
    whole, cut = (run("check", "--list", env=env).out.splitlines() for env in ({}, {"COLUMNS": "60"}))
    assert len(whole) == len(cut)
    assert max(map(len, whole)) > 80
    assert max(map(len, cut)) == 60
    for line, short in zip(whole, cut, strict=True):
        assert short == line or (short.endswith("…") and line.startswith(short[:-1].rstrip()))


def test_a_link_that_leads_in_circles_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "part.stl").write_text(ascii_stl())
    for link, target in (("a/up", ".."), ("self", "."), ("b", "a"), ("x", "x")):
        (tmp_path / link).symlink_to(target)
    for names in (["."], ["**/*.stl"], ["./**/*.stl"], ["a/**"], [str(tmp_path / "**" / "*.stl")]):
        done = run("compute", *names, "--format", "csv", cwd=tmp_path)
        assert (done.returncode, len(done.out.splitlines())) == (0, 2), names


def test_a_folder_or_pattern_without_a_file_says_so(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    plain_failure(
        run("compute", "empty", cwd=tmp_path),
        3,
        "empty: holds no mesh and no plane file; name another folder or a file, or see --include and --exclude",
    )
    plain_failure(run("compute", "*.xyz", cwd=tmp_path), 3, "*.xyz: no such file; no file matches this pattern")
    for command in ("compute", "check", "diff"):  # an unset variable is not the current folder
        done = run(command, "", *(["part.stl"] * (command == "diff")), cwd=tmp_path)
        assert done.returncode == 3
        assert "the name of the file is empty; is a variable unset?" in done.out + done.err


def test_a_configuration_that_cannot_be_read_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "part.stl").write_text(ascii_stl())
    (tmp_path / "massprops.toml").symlink_to("gone.toml")
    for command in ("compute", "check"):
        plain_failure(run(command, "part.stl", cwd=tmp_path), 2, f"{tmp_path}/massprops.toml: no such file")
    (tmp_path / "gone.toml").write_text("units = 3\n")
    for command in ("compute", "check"):
        done = run(command, "part.stl", cwd=tmp_path)
        assert done.returncode == 2
        assert "massprops.toml:1: units: expected a unit of length, got 3" in done.err
