"""The README's commands run, and print what the README says they print."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import subprocess
import sys

import pytest
from places import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)


def transcripts() -> list[tuple[str, str]]:
    """Command and output of every `$ command` in the README's console blocks."""
    return [
        (part[0], "".join(line + "\n" for line in part[1:]))
        for block in blocks("console")
        for part in (entry.rstrip("\n").split("\n") for entry in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:])
    ]


@pytest.mark.parametrize(("command", "printed"), transcripts(), ids=[c for c, _ in transcripts()])
def test_console_examples_print_what_they_say(command: str, printed: str) -> None:
    # the examples are for people who have the program on their path: the same words, this interpreter's program
    program = f"{shlex.quote(sys.executable)} -m massprops"
    line = re.sub(r"\bmassprops (?=[a-z-])", f"{program} ", command)
    run = subprocess.run(["bash", "-c", f"{line} 2>&1"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.stdout == printed


@pytest.mark.parametrize("source", blocks("python"))
def test_python_examples_print_what_they_say(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        exec(compile(source, "README.md", "exec"), {})  # noqa: S102 — the README is ours
    promised = [line.partition("  # ")[2] for line in source.splitlines() if line.lstrip().startswith("print(")]
    assert stream.getvalue().splitlines() == promised


def test_there_are_two_setup_commands_and_each_is_one_line() -> None:
    lines = blocks("sh")[0].strip().splitlines()
    assert len(lines) == 2
    assert "massprops compute" in lines[0]
    assert "pytest" in lines[1]


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\(([^)#:]+)\)", README))))
def test_links_lead_somewhere(target: str) -> None:
    assert (ROOT / target).exists()
