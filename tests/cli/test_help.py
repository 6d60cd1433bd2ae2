"""Help, version, completion and suggestions: what leads a reader to the right command line."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path

import pytest
from console import ascii_stl, plain_failure, run, shell

import massprops
from massprops.cli.app import COMMANDS, GROUPS, LONG, with_command
from massprops.cli.groups import declarations, read

posix = pytest.mark.skipif(sys.platform == "win32", reason="shells of POSIX")


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("part.xyzw", "massprops compute part.xyzw"),
        ("arm.xml --units mm", "massprops check arm.xml --units mm"),
        ("result.json#hand", "massprops check 'result.json#hand'"),
    ],
)
def test_a_file_that_can_be_anything_suggests_the_whole_line(words: str, meant: str) -> None:
    name = words.split()[0]
    plain_failure(run(*words.split()), 2, f"{name!r} is not a command; did you mean: {meant}; see 'massprops --help'")


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("part.stl --units mm", "compute part.stl --units mm"),
        ("--units mm part.STL -q", "compute --units mm part.STL -q"),
        ("--max-bytes 5 part.stl", "--max-bytes 5 compute part.stl"),
        ("section.dxf -v", "compute section.dxf -v"),
        ("arm.urdf", "check arm.urdf"),
        ("arm.usda#hand", "check arm.usda#hand"),
        ("- --type stl --units mm", "compute - --type stl --units mm"),
        ("-o - arm.urdf", "check -o - arm.urdf"),
        ("arm.urdf.xacro", "check arm.urdf.xacro"),  # which says how it is expanded
        ("check part.stl", "check part.stl"),
        ("comput part.stl", "comput part.stl"),
        ("--help part.stl", "--help part.stl"),
        ("-- part.stl", "-- part.stl"),
    ],
)
def test_a_file_of_a_known_suffix_implies_its_command(words: str, meant: str) -> None:
    assert with_command(words.split()) == meant.split()


@pytest.mark.parametrize("name", ["part.stl", "part#2.stl"])
def test_a_file_without_a_command_is_measured(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(ascii_stl(), encoding="ascii")
    short, whole = (run(*words, name, "--json", cwd=tmp_path) for words in ([], ["compute"]))
    assert (short.returncode, short.err) == (0, "")  # the grey line is for terminals
    assert json.loads(short.out)["volume"] == json.loads(whole.out)["volume"] > 0


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("info part.stl", "compute part.stl"),
        ("volume part.stl --units mm", "compute part.stl --units mm"),
        ("mass part.stl", "compute part.stl"),
        ("inertia part.stl", "compute part.stl"),
        ("inertia arm.urdf", "check arm.urdf"),
        ("render part.stl -o a.png", "plot part.stl -o a.png"),
        ("validate part.stl", "check part.stl"),
    ],
)
def test_a_synonym_of_a_command_suggests_the_whole_line(words: str, meant: str) -> None:
    hint = f"no such command: {words.split()[0]!r}; did you mean: massprops {meant}; see 'massprops --help'"
    plain_failure(run(*words.split()), 2, hint)


def test_no_synonym_is_a_command_or_has_two_meanings() -> None:
    words = [word for entry in COMMANDS.values() for word in entry.synonyms.split()]
    assert sorted({*words} - COMMANDS.keys()) == sorted(words)


@pytest.mark.parametrize(
    "name", [name for name in COMMANDS if any("--format" in d.forms for d in declarations(COMMANDS[name].load()[0]))]
)
def test_json_is_short_for_its_format(name: str) -> None:
    known = [*declarations(COMMANDS[name].load()[0])]
    needed = ["a"] * sum(d.is_argument for d in known)
    values = [read(known, [*needed, word, *more]) for word, *more in (["--json"], ["--format", "json"])]
    assert values[0] == values[1]


def test_a_finding_is_explained_by_its_code(tmp_path: Path) -> None:
    assert run("explain", "open-edges").out == run("check", "--explain", "open-edges").out != ""
    plain_failure(run("explain", "open-edgs"), 2, "unknown finding 'open-edgs'; did you mean open-edges?")
    plain_failure(run("explain", "none.urdf", cwd=tmp_path), 3, "none.urdf: no such file")


def test_the_help_of_the_program_groups_its_commands_on_one_screen() -> None:
    shown = run("--help", env={"COLUMNS": "80"}).out
    assert re.findall("^([A-Z][a-z]+)$", shown, re.M) == [*GROUPS]
    assert re.findall(r"^  ([a-z]+) ", shown, re.M) == [*COMMANDS]
    assert shown.index("schema") < shown.index("--max-bytes")
    assert len(shown.splitlines()) <= 40
    assert max(map(len, shown.splitlines())) <= 80


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
        ("shape homo", "homoeoid"),
    ):
        assert any(expected in line for line in completed(words, name)), (name, words)


@posix
def test_the_script_of_the_own_shell_is_printed(tmp_path: Path) -> None:
    # a second command keeps bash in the list of processes, by which it is recognised
    done = shell("massprops --show-completion; status=$?; exit $status", tmp_path)
    assert done.returncode == 0, done.err
    assert "complete_bash" in done.out


def test_without_a_command_help_is_shown_and_the_line_is_an_error() -> None:
    done = run()
    assert (done.returncode, done.err) == (2, "massprops: no command is given; see 'massprops --help'\n")


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


@pytest.mark.parametrize("name", COMMANDS)
def test_the_whole_help_and_completion_have_every_option(name: str) -> None:
    """The reference pages are made of the same declarations without typer; brackets in a description are no markup."""
    command, _ = COMMANDS[name].load()
    rendered = run(name, "--help-all", env={"COLUMNS": "200"}).out
    assert " ".join((command.__doc__ or "").partition("\n")[0].split()) in " ".join(rendered.split())
    options = [d.spellings[0] for d in declarations(command) if not d.is_argument]
    assert [option for option in options if not re.search(rf"{option}(?![\w-])", rendered)] == []
    assert {*options, *["--help-all"][: name in LONG]} <= {*completed(f"{name} --")}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_help_fits_on_one_screen(name: str) -> None:
    shown = run(name, "--help", env={"COLUMNS": "80"}).out
    assert len(shown.splitlines()) <= 40
    assert {*COMMANDS[name].common} <= {d.name for d in declarations(COMMANDS[name].load()[0])}


@pytest.mark.parametrize(
    ("name", "options"),
    [
        (
            "compute",
            "density material mass thickness part-density units on-open format output output-units about verbose",
        ),
        ("check", "density material units on-open format output output-units verbose require ignore baseline explain"),
        ("plot", "density material mass units on-open output output-units show view size joint"),
        ("report", "density material mass units on-open output output-units joint"),
    ],
)
def test_the_short_help_has_the_common_options_on_one_screen(name: str, options: str) -> None:
    shown = run(name, "--help", env={"COLUMNS": "80"}).out
    assert {f"--{word}" for word in (*options.split(), "help-all")} == {
        *re.findall(r"^  (?:-\w, )?(--[\w-]+)", shown, re.M)
    }
    assert len(shown.splitlines()) <= 40
    assert max(len(line) for line in shown.splitlines() if "Example:" not in line) <= 80
