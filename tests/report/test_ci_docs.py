"""The workflows of docs/ci.md are workflows; the action and the hook run."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from console import OUTWARD, ascii_stl, environment
from places import ROOT
from yaml_files import parsed, validate

from massprops import __version__

PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)


# --- the YAML --------------------------------------------------------------------------------------------------------


def example(name: str) -> Any:
    """The example that begins with the comment of this file name."""
    found = [b for b in blocks("yaml") if b.startswith(f"# {name}\n")]
    assert len(found) == 1
    return parsed(found[0])


def actions() -> Any:
    return parsed((ROOT / "action.yml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["meshes", "meshes-by-hand", "scanning"])
def test_workflows_are_valid(name: str) -> None:
    validate(example(f".github/workflows/{name}.yml"), "github-workflows")


def test_the_gitlab_pipeline_is_valid() -> None:
    validate(example(".gitlab-ci.yml"), "gitlab-ci")


def test_the_action_is_valid_and_takes_what_the_page_gives_it() -> None:
    validate(actions(), "github-actions")
    for name in ("meshes", "scanning"):
        steps = example(f".github/workflows/{name}.yml")["jobs"]["check"]["steps"]
        given = next(s["with"] for s in steps if "massprops" in s.get("uses", ""))
        assert set(given) <= set(actions()["inputs"])


def test_the_citation_is_valid_and_of_this_version() -> None:
    citation = parsed((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    validate(citation, "citation-file-format")
    assert citation["version"] == __version__


def test_no_input_is_put_into_a_script() -> None:
    # `${{ inputs.paths }}` in `run` would let a file name hold commands
    assert all("${{" not in step.get("run", "") for step in actions()["runs"]["steps"])


# --- the action runs -------------------------------------------------------------------------------------------------


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Three STL files, one of them without a face, in a folder with a blank in its name."""
    folder = tmp_path / "my parts"
    folder.mkdir()
    for name, faces in {"good.stl": OUTWARD, "fine.stl": OUTWARD, "hole.stl": OUTWARD[:3]}.items():
        (folder / name).write_text(ascii_stl(faces), encoding="ascii")
    return tmp_path


def program(folder: Path) -> Path:
    """A folder with `massprops`, this interpreter's."""
    script = folder / "bin" / "massprops"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m massprops "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    return script.parent


def run_action(repository: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """The last step as the runner runs it: its inputs' defaults, its environment, bash with its options."""
    action = actions()
    step = action["runs"]["steps"][-1]
    values = {**{k: v.get("default", "") for k, v in action["inputs"].items()}, **inputs}
    env = {k: values[re.fullmatch(r"\$\{\{ inputs\.(\S+) \}\}", v)[1]] for k, v in step["env"].items()}
    summary = str(repository / "summary.md")
    path = f"{program(repository)}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=repository,
        env=environment(**env, GITHUB_STEP_SUMMARY=summary, PATH=path),
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_action_annotates_the_broken_file_and_fails(repository: Path) -> None:
    done = run_action(repository, paths="my parts\n", options="--units\nmm", sarif="out.sarif")
    assert done.returncode == 1
    assert [line.split(",")[0] for line in done.stdout.splitlines()] == ["::error file=my parts/hole.stl"]
    assert (repository / "summary.md").read_text(encoding="utf-8").startswith("## massprops: failed\n")
    results = json.loads((repository / "out.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]
    assert [r["ruleId"] for r in results] == ["open-edges"]


def test_the_action_passes_where_all_is_well_and_writes_no_summary_unasked(repository: Path) -> None:
    done = run_action(repository, paths="my parts/good.stl\nmy parts/fine.stl", summary="false")
    assert (done.returncode, done.stdout) == (0, "")
    assert not (repository / "summary.md").exists()


def test_the_action_without_paths_takes_the_configuration(repository: Path) -> None:
    (repository / "massprops.toml").write_text('paths = ["my parts"]\n', encoding="utf-8")
    assert "hole.stl" in run_action(repository).stdout


# --- pre-commit ------------------------------------------------------------------------------------------------------


def hook() -> dict[str, Any]:
    hooks = parsed((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert len(hooks) == 1
    return hooks[0]


def test_the_hook_sees_what_check_knows() -> None:
    from massprops.checking.discovery import ROBOTS
    from massprops.formats.bodies.opening import USD_SUFFIXES
    from massprops.formats.table import MESHES

    # STEP and USD need packages that the environment of the hook lacks
    known = {*MESHES, *ROBOTS} - {".step", ".stp", *USD_SUFFIXES}
    pattern = re.compile(hook()["files"])
    assert {s for s in {*known, ".step", ".txt", ".stl.txt", ".xml"} if pattern.search(f"a/b{s}")} == known
    assert pattern.search("A.STL")  # as SolidWorks writes it


def test_the_hook_accepts_that_a_commit_is_a_part_of_the_tree() -> None:
    assert hook()["args"] == ["--allow-unmatched"]


def test_the_page_names_the_hook() -> None:
    configured = example(".pre-commit-config.yaml")["repos"][0]["hooks"]
    assert [h["id"] for h in configured] == [hook()["id"]]


@pytest.mark.skipif(shutil.which("git") is None, reason="pre-commit works on a git repository")
def test_the_hook_runs_in_a_scratch_repository(repository: Path) -> None:
    pytest.importorskip("pre_commit")
    env = environment(
        PRE_COMMIT_HOME=str(repository / ".cache"),
        GIT_CONFIG_GLOBAL=os.devnull,
        GIT_CONFIG_SYSTEM=os.devnull,
        PYTHONWARNINGS=None,
        PATH=f"{program(repository)}{os.pathsep}{os.environ['PATH']}",
        GIT_DIR=None,
        GIT_INDEX_FILE=None,
    )

    def call(*command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=repository, env=env, capture_output=True, text=True, check=False)

    pre_commit = (sys.executable, "-m", "pre_commit")
    manifest = call(*pre_commit, "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml"))
    assert manifest.returncode == 0, manifest.stdout
    # our hook as it is, but for where it is installed from: here, and not from the network
    local = {**hook(), "language": "system"}
    local.pop("minimum_pre_commit_version")
    configuration = {"repos": [{"repo": "local", "hooks": [local]}]}
    (repository / ".pre-commit-config.yaml").write_text(json.dumps(configuration), encoding="utf-8")
    (repository / ".gitignore").write_text(".cache\nbin\n", encoding="utf-8")
    assert call("git", "init", "-q").returncode == 0
    assert call("git", "add", ".").returncode == 0
    failed = call(*pre_commit, "run", "--all-files")
    assert failed.returncode == 1
    assert "my parts/hole.stl: failed" in failed.stdout
    assert "3 files, 1 failed" in failed.stdout
    (repository / "my parts" / "hole.stl").write_text(ascii_stl(), encoding="ascii")
    assert call("git", "add", ".").returncode == 0
    assert call(*pre_commit, "run", "--all-files").returncode == 0
