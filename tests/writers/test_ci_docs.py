"""The workflows of docs/ci.md are workflows; the action and the hook run."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from console import OUTWARD, Run, ascii_stl, environment, in_script, start
from places import ROOT
from yaml_files import parsed, validate

from massprops import __version__

#: The action, in the folder where the examples have massprops.
ACTION = "./tools/massprops"
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


def test_workflows_are_valid() -> None:
    for name in ("meshes", "meshes-by-hand", "scanning"):
        validate(example(f".github/workflows/{name}.yml"), "github-workflows")
    validate(example(".gitlab-ci.yml"), "gitlab-ci")


def test_the_action_is_valid_and_takes_what_the_page_gives_it() -> None:
    validate(actions(), "github-actions")
    for name in ("meshes", "scanning"):
        steps = example(f".github/workflows/{name}.yml")["jobs"]["check"]["steps"]
        given = next(s["with"] for s in steps if s.get("uses") == ACTION)
        assert set(given) <= set(actions()["inputs"])
    # `${{ inputs.paths }}` in `run` would let a file name hold commands
    assert all("${{" not in step.get("run", "") for step in actions()["runs"]["steps"])


def test_the_citation_is_valid_and_of_this_version() -> None:
    citation = parsed((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    validate(citation, "citation-file-format")
    assert citation["version"] == __version__


# --- the action runs -------------------------------------------------------------------------------------------------


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Three STL files, one of them without a face, in a folder with a blank in its name."""
    folder = tmp_path / "my parts"
    folder.mkdir()
    for name, faces in {"good.stl": OUTWARD, "fine.stl": OUTWARD, "hole.stl": OUTWARD[:3]}.items():
        (folder / name).write_text(ascii_stl(faces), encoding="ascii")
    return tmp_path


def script(file: Path, code: str) -> Path:
    """A shell script."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\n{code}\n", encoding="utf-8")
    file.chmod(0o755)
    return file


#: A Python that makes an environment and installs a package into it, and nothing else.
PYTHON = """case "$*" in
"-I -m venv "*) mkdir -p "$4" ;;
"-I -m pip --python "*" install --quiet /the/action") mkdir "$5/bin" && cp massprops "$5/bin" ;;
*) exit 9 ;;
esac"""


def run_action(repository: Path, program: str = "", **inputs: str) -> Run:
    """The steps as the runner runs them: their inputs' defaults, their environment, bash with its options; the result of the last one."""
    action = actions()
    python = script(repository / "py thon", PYTHON)
    script(repository / "massprops", program or in_script())
    values = {f"inputs.{k}": v.get("default", "") for k, v in action["inputs"].items()}
    values |= {"steps.python.outputs.python-path": str(python), "github.action_path": "/the/action"}
    values |= {f"inputs.{k}": v for k, v in inputs.items()}
    runner = {"GITHUB_STEP_SUMMARY": str(repository / "summary.md"), "RUNNER_TEMP": str(repository / "te mp")}
    runner["GITHUB_OUTPUT"] = str(repository / "te mp" / "output")
    for step in (step for step in action["runs"]["steps"] if "run" in step):
        env = {k: values[re.fullmatch(r"\$\{\{ (\S+) \}\}", v)[1]] for k, v in step["env"].items()}
        done = start("-eo", "pipefail", "-c", step["run"], program=["bash", "--norc"], cwd=repository, env=env | runner)
    return done


def test_no_input_of_the_action_is_a_command_and_no_path_an_option(repository: Path) -> None:
    hostile = ["'; touch x; #", "$(touch x)", "`touch x`", '"; touch x; "', "--output=x", "-o x", "*"]
    for word in hostile:  # all of them reach the program as they are
        inputs = {"options": word, "summary": word, "sarif": word, "pictures": word, "paths": f"{word}.stl"}
        words = run_action(repository, "printf '%s\\0' \"$@\"", **inputs).out.split("\0")
        assert words == ["check", word, "--format", f"sarif={word}", "--format", "github", "--", f"{word}.stl", ""]
    shutil.rmtree(repository / "te mp")
    paths = [f"{word}.stl" for word in hostile]
    for path in paths:
        (repository / path).write_text(ascii_stl(OUTWARD[:3]), encoding="ascii")
    done = run_action(repository, paths="\n".join(paths), options="--units\nmm")  # and it takes them for files
    assert (done.returncode, "7 files, 7 failed" in done.err) == (1, True), done.err
    assert {f.name for f in repository.iterdir()} - {"summary.md"} == {
        "my parts",
        *paths,
        "py thon",
        "massprops",
        "te mp",
    }


def test_the_action_annotates_the_broken_file_and_fails(repository: Path) -> None:
    asked = {"sarif": "out.sarif", "upload-sarif": "true"}
    done = run_action(repository, paths="my parts\n", options="--units\nmm", **asked)
    assert done.returncode == 1
    kept = repository / "te mp"
    assert (kept / "output").read_text() == "pictures=true\n"
    assert [p.read_bytes()[:4] for p in (kept / "massprops-pictures").iterdir()] == [b"\x89PNG"]
    assert (kept / "massprops.sarif").read_text() == (repository / "out.sarif").read_text()
    assert "![" not in (repository / "summary.md").read_text(encoding="utf-8")
    assert [line.split(",")[0] for line in done.out.splitlines()] == ["::error file=my parts/hole.stl"]
    assert (repository / "summary.md").read_text(encoding="utf-8").startswith("## massprops: failed\n")
    results = json.loads((repository / "out.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]
    assert [r["ruleId"] for r in results] == ["open-edges"]


def test_the_action_passes_where_all_is_well_and_writes_no_summary_unasked(repository: Path) -> None:
    done = run_action(repository, paths="my parts/good.stl\nmy parts/fine.stl", summary="false")
    assert (done.returncode, done.out) == (0, "")
    assert not (repository / "summary.md").exists()
    # without paths, those of the configuration
    (repository / "massprops.toml").write_text('paths = ["my parts"]\n', encoding="utf-8")
    assert "hole.stl" in run_action(repository).out


# --- every example runs, word for word -------------------------------------------------------------------------------


def run_lines(repository: Path, lines: list[str]) -> Run:
    """Lines of a script as a runner runs them, with programs that stand for pip and for what it installs."""
    programs = script(repository / "bin" / "massprops", in_script()).parent
    script(programs / "python", 'case "$*" in "-m pip install ./tools/massprops") ;; *) exit 9 ;; esac')
    env = {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    return start("-eo", "pipefail", "-c", "\n".join(lines), program=["bash", "--norc"], cwd=repository, env=env)


def documented() -> Iterator[tuple[str, Any]]:
    """Every YAML example of the page and of the README, by its title, as it is parsed."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for text in (*blocks("yaml"), *re.findall(r"^```yaml\n(.*?)^```$", readme, flags=re.MULTILINE | re.DOTALL)):
        yield text.splitlines()[0], parsed(text)


def test_every_example_finds_the_broken_file_and_passes_without_it(repository: Path) -> None:
    parts = (repository / "my parts").rename(repository / "parts")
    (repository / "massprops.toml").write_text(blocks("toml")[0], encoding="utf-8")
    run: set[str] = set()
    for expected in (1, 0):
        for title, content in documented():
            for job in (content.get("jobs") or {"": content.get("meshes") or {}}).values():
                steps = job.get("steps", [])
                lines = [*job.get("script", []), *(step["run"] for step in steps if "run" in step)]
                done = [run_lines(repository, lines)] if lines else []
                given = [step.get("with") or {} for step in steps if step.get("uses") == ACTION]
                done += [run_action(repository, **{name: str(value) for name, value in one.items()}) for one in given]
                assert [d.returncode for d in done] == [expected] * len(done), (title, [d.err for d in done])
                run |= {title} if done else set()
            for hooks in (repo["hooks"] for repo in content.get("repos", [])):
                words = [*hooks[0]["entry"].split(), *hooks[0]["args"], *map(str, parts.iterdir())]
                assert run_lines(repository, [shlex.join(words)]).returncode == expected
                run.add(title)
        issues = json.loads((repository / "codequality.json").read_text(encoding="utf-8"))
        assert {issue["location"]["path"] for issue in issues} == ({"parts/hole.stl"} if expected else set())
        (parts / "hole.stl").unlink(missing_ok=True)
    assert run == {title for title, _ in documented()}


# --- pre-commit ------------------------------------------------------------------------------------------------------


def hook() -> dict[str, Any]:
    hooks = parsed((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert len(hooks) == 1
    return hooks[0]


#: Suffixes of plane files and of a mesh format that many other programs write: a commit has them for another reason.
SHARED = {".csv", ".dat", ".e", ".geojson", ".json", ".svg", ".tsv", ".txt", ".xaml", ".xy"}


def test_the_hook_sees_every_suffix_that_is_read_and_that_is_not_shared() -> None:
    from massprops.formats.kinds import ROBOTS
    from massprops.formats.table import MESHES, PLANAR

    known = {*MESHES, *PLANAR, *ROBOTS}
    assert known > SHARED
    pattern = re.compile(hook()["files"])
    assert {s for s in {*known, ".stl.txt", ".xml", ".py"} if pattern.search(f"a/b{s}")} == known - SHARED
    assert pattern.search("A.STL")  # as SolidWorks writes it


def test_the_page_names_the_hook_which_accepts_that_a_commit_is_a_part_of_the_tree() -> None:
    assert hook()["args"] == ["--allow-unmatched"]
    configured = example(".pre-commit-config.yaml")["repos"][0]["hooks"]
    shared = ("id", "name", "entry", "files", "require_serial")
    assert [{k: h[k] for k in shared} for h in configured] == [{k: hook()[k] for k in shared}]
    assert configured[0]["args"][: len(hook()["args"])] == hook()["args"]


@pytest.mark.skipif(shutil.which("git") is None, reason="pre-commit works on a git repository")
def test_the_hook_runs_in_a_scratch_repository(repository: Path) -> None:
    pytest.importorskip("pre_commit")
    env = environment(
        PRE_COMMIT_HOME=str(repository / ".cache"),
        GIT_CONFIG_GLOBAL=os.devnull,
        GIT_CONFIG_SYSTEM=os.devnull,
        PYTHONWARNINGS=None,
        PATH=f"{script(repository / 'bin' / 'massprops', in_script()).parent}{os.pathsep}{os.environ['PATH']}",
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
