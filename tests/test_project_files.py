"""The files by which this project itself is checked, on a machine and by GitHub."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from places import ROOT
from yaml_files import parsed, validate

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def workflow(name: str) -> Any:
    return parsed((ROOT / ".github" / "workflows" / f"{name}.yml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_are_valid(path: Path) -> None:
    validate(parsed(path.read_text(encoding="utf-8")), "github-workflows")


def test_tests_docs_and_packages_have_a_workflow() -> None:
    assert {path.stem for path in WORKFLOWS} >= {"tests", "docs", "packages"}


def test_workflows_can_only_read_the_repository() -> None:
    assert {path.name: workflow(path.stem)["permissions"] for path in WORKFLOWS} == {
        path.name: {"contents": "read"} for path in WORKFLOWS
    }


def test_every_python_that_is_supported_is_tested_on_every_system() -> None:
    matrix = workflow("tests")["jobs"]["tests"]["strategy"]["matrix"]
    named = [c.rpartition(" ")[2] for c in PROJECT["project"]["classifiers"] if re.search(r"Python :: 3\.\d+$", c)]
    assert matrix["python"] == named
    assert PROJECT["project"]["requires-python"] == f">={named[0]}"
    assert {name.partition("-")[0] for name in matrix["os"]} == {"ubuntu", "macos", "windows"}


@pytest.mark.parametrize("name", ["tests", "docs"])
def test_what_workflows_install_is_an_extra(name: str) -> None:
    text = (ROOT / ".github" / "workflows" / f"{name}.yml").read_text(encoding="utf-8")
    asked = re.findall(r"pip install .*\.\[(\w+)\]", text)
    assert asked
    assert set(asked) <= PROJECT["project"]["optional-dependencies"].keys()


# --- pre-commit -------------------------------------------------------------------------------------------------------

CONFIGURATION = ROOT / ".pre-commit-config.yaml"


def hooks() -> dict[str, Any]:
    return {h["id"]: h for repo in parsed(CONFIGURATION.read_text(encoding="utf-8"))["repos"] for h in repo["hooks"]}


def test_the_configuration_of_pre_commit_is_valid() -> None:
    pytest.importorskip("pre_commit")
    command = [sys.executable, "-m", "pre_commit", "validate-config", str(CONFIGURATION)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_what_the_hooks_run_is_installed_for_development() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    installed = {re.match(r"[\w-]+", requirement)[0] for extra in ("dev", "test") for requirement in extras[extra]}
    assert {h["entry"].split()[0] for h in hooks().values() if h["language"] == "system"} <= installed


@pytest.mark.parametrize(
    ("message", "refused"),
    [("x" * 72, False), ("x" * 73, True), ("x" * 72 + "\n\n" + "y" * 200, False), ("Größe " * 12, False)],
)
def test_the_subject_of_a_commit_has_at_most_72_characters(message: str, refused: bool) -> None:
    # pre-commit's pygrep searches the file of the message with these flags, and fails if it finds something
    pattern = re.compile(hooks()["commit-subject"]["entry"].encode(), re.MULTILINE | re.DOTALL)
    assert bool(pattern.search(message.encode())) is refused


# --- tests ------------------------------------------------------------------------------------------------------------


def test_no_two_test_files_have_one_name() -> None:
    # pytest imports them by name alone: of two it runs one, or neither, depending on what else is run
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    assert [name for name in set(names) if names.count(name) > 1] == []
