"""The files by which this project itself is checked, on a machine and by GitHub."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path
from typing import Any

import pytest
from cases import each
from places import ROOT, script
from yaml_files import parsed, validate

from massprops._version import __version__

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def workflow(name: str) -> Any:
    return parsed((ROOT / ".github" / "workflows" / f"{name}.yml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_are_valid(path: Path) -> None:
    validate(parsed(path.read_text(encoding="utf-8")), "github-workflows")


def test_tests_and_releases_have_a_workflow() -> None:
    assert {path.stem for path in WORKFLOWS} >= {"tests", "release", "weekly"}


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


@pytest.mark.parametrize("name", ["tests", "release"])
def test_what_workflows_install_is_an_extra(name: str) -> None:
    text = (ROOT / ".github" / "workflows" / f"{name}.yml").read_text(encoding="utf-8")
    asked = re.findall(r"pip install .*\.\[(\w+)\]", text)
    assert asked
    assert set(asked) <= PROJECT["project"]["optional-dependencies"].keys()


def test_every_job_ends_in_time_and_every_action_is_pinned() -> None:
    used = []
    for path in WORKFLOWS:
        jobs = workflow(path.stem)["jobs"]
        assert "concurrency" in workflow(path.stem), path
        assert [name for name, job in jobs.items() if "timeout-minutes" not in job] == [], path
        used += [step["uses"] for job in jobs.values() for step in job["steps"] if "uses" in step]
        checkouts = [s for j in jobs.values() for s in j["steps"] if s.get("uses", "").startswith("actions/checkout@")]
        assert [s for s in checkouts if s["with"]["persist-credentials"] is not False] == [], path
    used += [
        step["uses"] for step in parsed((ROOT / "action.yml").read_text("utf-8"))["runs"]["steps"] if "uses" in step
    ]
    assert [action for action in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action)] == []
    validate(parsed((ROOT / ".github" / "dependabot.yml").read_text("utf-8")), "dependabot")


def test_only_jobs_that_publish_can_write() -> None:
    writing = {
        (path.stem, name): sorted(job["permissions"])
        for path in WORKFLOWS
        for name, job in workflow(path.stem)["jobs"].items()
        if "permissions" in job
    }
    assert writing == {("release", "publish"): ["attestations", "id-token"], ("release", "draft"): ["contents"]}


def test_zizmor_finds_nothing() -> None:
    program = shutil.which("zizmor", path=sysconfig.get_path("scripts")) or pytest.skip("needs zizmor")
    done = subprocess.run(
        [program, "--offline", "--no-progress", "."], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


# --- releases ---------------------------------------------------------------------------------------------------------


@each(
    ("tag", "changelog", "said"),
    [
        ("v1.2.3", "## 1.2.3 (2026-01-02)\n\n- new\n\n## 1.2.2 (2025-01-01)\n\n- old\n", "- new\n"),
        ("v1.2.4", "## 1.2.4 (2026-01-02)\n\n- new\n", "the tag is v1.2.4 and the version of the package 1.2.3"),
        ("v1.2.3", "## 1.2.2 (2026-01-02)\n\n- old\n", "CHANGELOG.md has no section '## 1.2.3 (DATE)'"),
        ("v1.2.3", "## 1.2.3 (unreleased)\n\n- x\n", "CHANGELOG.md: the section of 1.2.3 has no date: (unreleased)"),
    ],
)
def test_a_release_has_the_notes_of_its_version(tag: str, changelog: str, said: str) -> None:
    notes = script(ROOT / "extras" / "packaging" / "notes.py").notes
    if said == "- new\n":
        assert notes(tag, changelog, "1.2.3") == said
    else:
        with pytest.raises(SystemExit, match=re.escape(said)):
            notes(tag, changelog, "1.2.3")


def test_the_recipe_has_the_version_and_dependencies_of_the_package() -> None:
    recipe = parsed((ROOT / "extras" / "packaging" / "conda" / "recipe.yaml").read_text(encoding="utf-8"))
    assert recipe["context"]["version"] == __version__
    stated = [requirement.replace(">=", " >=", 1) for requirement in PROJECT["project"]["dependencies"]]
    assert recipe["requirements"]["run"] == [f"python {PROJECT['project']['requires-python']}", *stated]
    assert recipe["requirements"]["host"][2:] == [r.replace(">=", " >=") for r in PROJECT["build-system"]["requires"]]


def test_an_index_can_show_the_readme_once_the_repository_has_an_address(tmp_path: Path) -> None:
    """A relative link would lead nowhere there."""
    address, own = script(ROOT / "extras" / "packaging" / "address.py"), "https://forge.example/me/massprops"
    for name in ("README.md", "pyproject.toml"):
        text = (ROOT / name).read_text(encoding="utf-8")
        (tmp_path / name).write_text(re.sub(r'^address = ".*"', f'address = "{own}/"', text, flags=re.MULTILINE))
    assert address.publish(tmp_path)
    links = re.findall(r"\]\(([^)\s]+)\)", (tmp_path / "README.md").read_text(encoding="utf-8"))
    assert [link for link in links if not link.startswith(("https://", "#"))] == []
    for link in (link for link in links if link.startswith(own)):
        kind, _, path = link.removeprefix(f"{own}/").partition("/main/")
        assert (ROOT / path.partition("#")[0]).exists(), link
        assert (kind == "raw") == path.endswith(".png"), link
    project = tomllib.loads((tmp_path / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["urls"]["Source"] == own
    assert {"Documentation", "Changelog", "Issues"} <= project["urls"].keys()


def test_links_that_leave_a_folder_need_an_address() -> None:
    change = script(ROOT / "extras" / "packaging" / "address.py").with_addresses
    text = "[a](x.md#s) [![p](pictures/p.png)](../LICENSE) [f](../tests) [w](https://x.org) [h](#h)"
    inside = "[a](x.md#s) ![p](pictures/p.png) f [w](https://x.org) [h](#h)"
    assert change(text, "docs/y.md", "", inside="docs/") == inside
    outside = "[a](A/blob/main/docs/x.md#s)" if (ROOT / "docs" / "x.md").exists() else "[a](A/tree/main/docs/x.md#s)"
    assert change(text, "docs/y.md", "A") == (
        f"{outside} [![p](A/raw/main/docs/pictures/p.png)](A/blob/main/LICENSE) [f](A/tree/main/tests) [w](https://x.org) [h](#h)"
    )


def test_no_file_has_a_placeholder_for_the_address() -> None:
    placeholder = re.compile("OWN" + r"ER\b")
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    files = done.stdout.split("\0")[:-1] or pytest.skip("needs the git repository")
    texts = (ROOT / name for name in files if Path(name).suffix in (".md", ".py", ".toml", ".yml", ".yaml", ".xml", ""))
    assert [str(p) for p in texts if p.is_file() and placeholder.search(p.read_text(encoding="utf-8"))] == []


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
