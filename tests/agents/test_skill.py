"""The skill: what it tells an agent to run does what it says, and its head is as agents read it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from console import pasted
from places import ROOT
from yaml_files import parsed

TEXT = (ROOT / "extras" / "skills" / "massprops" / "SKILL.md").read_text(encoding="utf-8")


def test_every_command_runs_and_exits_as_stated(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "samples" / "robots", tmp_path, dirs_exist_ok=True)
    shutil.copy(ROOT / "sample_meshes" / "bracket.stl", tmp_path)
    lines = [line for block in re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL) for line in block.splitlines()]
    assert {line.split()[1] for line in lines} == {"check", "compute", "plot", "explain", "fill"}
    for line in lines:
        stated = re.search(r"# exit (\d)", line)
        done = pasted(line, tmp_path)
        assert done.returncode == int(stated[1] if stated else 0), (line, done.err)


def test_the_head_names_the_skill_by_its_folder() -> None:
    head = parsed(TEXT.split("---\n")[1])
    assert head["name"] == "massprops"
    assert 0 < len(head["description"]) <= 1024
