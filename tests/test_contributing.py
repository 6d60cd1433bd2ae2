"""CONTRIBUTING sends a newcomer to the right file: every file that it names exists and holds what it is opened for."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from pathlib import Path

from cases import each
from places import ROOT
from test_layers import FLOORS

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
#: What is added, the file that is opened, and what is looked for in it.
LINES = re.findall(r"^\| (.+?) \| `(massprops/[^`]+)`, `([^`]+)` \| (.+) \|$", TEXT, flags=re.MULTILINE)
EXTENSIONS = {
    "a unit",
    "a material",
    "a mesh format",
    "a section format",
    "an output dialect",
    "a check rule",
    "a repair step",
    "a picture",
    "a CI format",
    "a command",
    "a C function",
    "a quantity",
}


def names(path: Path) -> set[str]:
    """What a file defines: names at the top of a Python file, keys of a TOML or JSON file, tables of a C file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".toml":
        return set(tomllib.loads(text))
    if path.suffix == ".c":
        return set(re.findall(r"^static \w+ (\w+)\[\]", text, flags=re.MULTILINE))
    if path.suffix == ".json":
        return {word for entry in json.loads(text) for word in entry.values() if isinstance(word, str)}
    found = set()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        found |= {target.id for target in targets if isinstance(target, ast.Name)}
    return found


def test_there_is_one_line_for_each_extension() -> None:
    assert [line[0] for line in LINES if line[0] in EXTENSIONS] == [line[0] for line in LINES]
    assert {line[0] for line in LINES} == EXTENSIONS
    assert len(LINES) == len(EXTENSIONS)


@each(("purpose", "file", "name", "then"), LINES)
def test_the_file_holds_what_it_is_opened_for(purpose: str, file: str, name: str, then: str) -> None:
    assert name in names(ROOT / file), purpose
    assert then


def test_every_file_that_is_named_exists() -> None:
    """But for NAME.py, which is to be written."""
    for path in re.findall(r"`((?:massprops|tests|docs|benchmarks)/[\w./-]*|\.ci/\w+)`", TEXT):
        assert (ROOT / path).exists() or "NAME" in path, path


def test_the_rooms_are_those_of_the_layers_test() -> None:
    """Every folder of the package is in the list, in the order of its floors; of the single files, those that are named exist."""
    section = TEXT.partition("\n## Rooms\n")[2].partition("\n## ")[0]
    *items, leaves = re.findall(r"^\d+\. .*$", section, flags=re.MULTILINE)
    listed = [re.findall(r"`([a-z_]+)/`", item) for item in items] + [re.findall(r"`([a-z_]+)`", leaves)]
    place = {room: -i for i, rooms in enumerate(listed) for room in rooms}
    floors = {room: level for level, rooms in enumerate(FLOORS) for room in rooms if not room.startswith("_")}
    assert place.keys() <= floors.keys()
    assert {room for room in floors if (ROOT / "massprops" / room).is_dir()} <= place.keys()
    inner = [room for rooms in listed[:-1] for room in rooms]
    for upper, lower in ((a, b) for a in inner for b in inner if floors[a] > floors[b]):
        assert place[upper] >= place[lower], (upper, lower)
