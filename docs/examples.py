"""Run the examples of the README and of the pages, and write what they print into them: `python docs/examples.py`.

An example is a ``$ command`` in a block called ``console``; what it prints follows it. Commands run in the root of the
checkout, without a terminal. A command whose line begins with ``massprops`` runs in a child of this process, which has
imported everything already; other lines, and what follows the first bar of a pipeline, are given to bash.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import pkgutil
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: Settings of the environment that change what is printed.
STEERING = ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "TERM", "LC_ALL", "MASSPROPS_CORPUS")


def pages() -> list[Path]:
    """All that has examples: the README and the Markdown below docs/."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(language: str, text: str) -> list[str]:
    """The fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def transcripts(text: str) -> Iterator[tuple[str, str]]:
    """Command and printed output of every example of a page."""
    for block in blocks("console", text):
        yield from _entries(block)


def _entries(block: str) -> Iterator[tuple[str, str]]:
    before, *entries = re.split(r"^\$ ", block, flags=re.MULTILINE)
    if before:
        raise ValueError(f"a console block begins with a command, not with {before!r}")
    for entry in entries:
        lines = entry.splitlines(keepends=True)
        end = next(i for i, line in enumerate(lines) if not line.endswith("\\\n")) + 1
        yield "".join(lines[:end]).rstrip("\n"), "".join(lines[end:])


def timeless(text: str) -> str:
    """Without what differs from run to run: how long it took."""
    return re.sub(r", \d+\.\d s$|time=\"[\d.]+\"", "", text, flags=re.MULTILINE).rstrip("\n")


def run(command: str) -> str:
    """What the command prints, on both streams where it is no pipeline."""
    head, bar, rest = _first(command.replace("\\\n", " "))
    try:
        words = shlex.split(head)
    except ValueError:
        words = []
    errors = ""
    if words and words[-1] in ("2>/dev/null", "2>&1"):
        errors = words.pop()
    simple = (
        "massprops " not in rest
        and words[:1] == ["massprops"]
        and not re.search(r"[<>;&$]", "".join(words))
        and hasattr(os, "fork")
    )
    if not simple:
        shim = f'massprops() {{ {shlex.quote(sys.executable)} -m massprops "$@"; }}\n'
        return _bash(f"{shim}{{ {command}\n}} 2>&1", subprocess.DEVNULL)
    merged = errors == "2>&1" or not (bar or errors)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _become(words[1:], writer, merged)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        printed = _bash(rest + " 2>&1", stream.fileno()) if bar else stream.read().decode()
    os.waitpid(child, 0)
    return printed


def _bash(script: str, stdin: int) -> str:
    return subprocess.run(
        ["bash", "-c", script], cwd=ROOT, stdin=stdin, stdout=subprocess.PIPE, check=False
    ).stdout.decode()


def _first(command: str) -> tuple[str, bool, str]:
    """The command before the first bar outside of quotes, whether there is one, and what follows it."""
    quote = ""
    for i, c in enumerate(command):
        if c in "'\"" and quote in ("", c):
            quote = "" if quote else c
        elif c == "|" and not quote:
            return command[:i], True, command[i + 1 :]
    return command, False, ""


def _become(args: Sequence[str], writer: int, merged: bool) -> None:
    """Run the program in this process, which ends with it."""
    status = 70
    try:
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 0)
        os.dup2(writer, 1)
        os.dup2(writer if merged else null, 2)
        os.chdir(ROOT)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", buffering=1, closefd=False)  # noqa: SIM115
        from massprops.cli import main

        status = main(args)
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(status)


def prepare() -> None:
    """Settle the environment, and import what the children need."""
    for name in STEERING:
        os.environ.pop(name, None)
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    import massprops

    own = (module.name for module in pkgutil.walk_packages(massprops.__path__, "massprops."))
    for name in (*own, "rich.columns", "rich.console", "rich.table", "ezdxf", "manifold3d", "scipy.spatial"):
        if name != "massprops.__main__":
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
    from massprops.cli.with_typer import command

    command(None)
    gc.freeze()  # a child that collects garbage does not copy all of it


def updated(text: str) -> str:
    """The page with what its examples print now; times are left as they are."""

    def block(match: re.Match[str]) -> str:
        parts = []
        for command, printed in _entries(match[1]):
            now = run(command)
            parts.append(f"$ {command}\n{printed if timeless(now) == timeless(printed) else now}")
        return f"```console\n{''.join(parts)}```"

    return re.sub(r"^```console\n(.*?)^```$", block, text, flags=re.MULTILINE | re.DOTALL)


def main() -> None:
    """With ``--json FILE…``: print what the examples of these pages print. Else: bring the pages given, or all, up to date."""
    arguments = sys.argv[1:]
    prepare()
    if arguments[:1] == ["--json"]:
        texts = [Path(name).read_text(encoding="utf-8") for name in arguments[1:]]
        with tempfile.TemporaryDirectory() as folder:  # pictures differ in a bit from machine to machine
            commands = [command for text in texts for command, _ in transcripts(text)]
            printed = [[c, run(c.replace("-o docs/pictures/", f"-o {folder}/"))] for c in commands]
        json.dump(printed, sys.stdout)
        return
    for page in map(Path, arguments) if arguments else pages():
        old = page.read_text(encoding="utf-8")
        new = updated(old)
        if new != old:
            page.write_text(new, encoding="utf-8")
            print(f"{page}: updated")


if __name__ == "__main__":
    main()
