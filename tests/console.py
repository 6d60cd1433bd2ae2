"""The command line as tests use it: runs of the program, and the smallest file that it measures."""

from __future__ import annotations

import atexit
import contextlib
import io
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import IO, Any

import jsonschema
import pytest
from places import ROOT
from warm import ASK, Forked, at_start

from massprops.cli import main

SCHEMA = json.loads(files("massprops").joinpath("schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
PROGRAM = [sys.executable, "-m", "massprops"]
#: Words of command lines that start processes, which are forked from one with a single thread.
STARTS_OTHERS = {"-j", "--jobs", "mcp"}
#: Variables that are read in every run, not when modules are imported.
READ_IN_A_RUN = {
    "COMP_WORDS",
    "COMP_CWORD",
    "_MASSPROPS_COMPLETE",
    "_TYPER_COMPLETE_ARGS",
    "_TYPER_COMPLETE_FISH_ACTION",
    "COLUMNS",
    "ROS_PACKAGE_PATH",
    "AMENT_PREFIX_PATH",
}
TIMEOUT = 300.0  # seconds; only a run that hangs takes so long

#: The skew tetrahedron in half its size, so that no remark about its size is made: exact volume 181/6 · (1/2)³.
VERTICES = [(0.5, 1, 1.5), (3.5, -0.5, 1), (0, 2.5, -2), (1.5, 1.5, 4.5)]
OUTWARD = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
VOLUME = 181 / 6 / 8


def ascii_stl(faces: Sequence[Sequence[int]] = OUTWARD, scale: float = 1.0) -> str:
    def facet(face: Sequence[int]) -> str:
        corners = "".join(
            f"vertex {x * scale!r} {y * scale!r} {z * scale!r}\n" for x, y, z in (VERTICES[i] for i in face)
        )
        return f"facet normal 0 0 0\nouter loop\n{corners}endloop\nendfacet\n"

    return "solid part\n" + "".join(map(facet, faces)) + "endsolid part\n"


class Run(subprocess.CompletedProcess[bytes]):
    """A finished run, its streams as text."""

    @property
    def out(self) -> str:
        return os.fsdecode(self.stdout)

    @property
    def err(self) -> str:
        return os.fsdecode(self.stderr)

    @property
    def result(self) -> Any:
        """The one JSON object on stdout, valid under the schema."""
        return valid(self.out)


def environment(**changes: str | None) -> dict[str, str]:
    """Of this process, without what steers the output, with the changes."""
    steering = {"COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "TERM", "PYTHONIOENCODING", "PYTHONUTF8", "LC_ALL"}
    kept = {k: v for k, v in os.environ.items() if k not in steering}
    base = {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", "PYTHONWARNINGS": "error"}
    # as if not set: else every start compiles the whole package, a second and a half
    base["PYTHONDONTWRITEBYTECODE"] = ""
    return {k: v for k, v in {**kept, **base, **changes}.items() if v is not None}


def run(*args: str | bytes | Path, program: Sequence[str] = PROGRAM, **options: Any) -> Run:
    """Run the program: in this process; where it starts others or its streams are files, as a child of one that has imported it.

    The options are those of `start`.
    """
    environ = environment(**(options.get("env") or {}))
    decoded, cwd = [os.fsdecode(arg) for arg in args], options.get("cwd") or Path.cwd()
    stdin, are_plain = options.get("stdin") or b"", (options.get("env") or {}).keys() <= READ_IN_A_RUN
    has_streams = isinstance(stdin, bytes) and "stdout" not in options
    if program == PROGRAM and has_streams and are_plain and not STARTS_OTHERS & {*decoded}:
        return _here(decoded, environ, stdin, cwd)
    if program != PROGRAM or sys.platform != "linux" or at_start(environ) != at_start(environment()):
        return start(*args, program=program, **options)
    stdin = stdin if isinstance(stdin, bytes) else stdin.fileno()
    done = _forked().run(decoded, stdin, environ, str(cwd), TIMEOUT, options.get("stdout"))
    return Run([*program, *decoded], *done)


def _here(args: list[str], environ: dict[str, str], stdin: bytes, cwd: Path) -> Run:
    streams = [io.TextIOWrapper(io.BytesIO(data), "utf-8", write_through=True) for data in (stdin, b"", b"")]
    with pytest.MonkeyPatch.context() as patch, contextlib.chdir(cwd):
        for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
            patch.setattr(sys, name, stream)
        for name in {*os.environ} - {*environ}:
            patch.delenv(name)
        for name, value in environ.items():
            patch.setenv(name, value)
        try:
            status = main(args)
        except SystemExit as end:
            status = end.code
    return Run([*PROGRAM, *args], status, *(stream.buffer.getvalue() for stream in streams[1:]))


def start(
    *args: str | bytes | Path,
    stdin: bytes | IO[bytes] = b"",
    env: dict[str, str | None] | None = None,
    program: Sequence[str] = PROGRAM,
    cwd: Path | None = None,
    stdout: int | None = None,
) -> Run:
    """Start the program as a user does; `stdout` is a descriptor that gets the output instead of the result."""
    streams: dict[str, Any] = {"stdout": subprocess.PIPE if stdout is None else stdout, "stderr": subprocess.PIPE}
    streams |= {"input": stdin} if isinstance(stdin, bytes) else {"stdin": stdin}
    environ = environment(**(env or {}))
    done = subprocess.run([*program, *args], env=environ, check=False, timeout=TIMEOUT, cwd=cwd, **streams)
    return Run(done.args, done.returncode, done.stdout or b"", done.stderr)


@cache
def _forked() -> Forked:
    process = Forked(environment())
    atexit.register(process.close)
    return process


def in_script() -> str:
    """The line of a script of sh that is the program; each run of it is a child of a process that has imported the program."""
    words = [sys.executable, "-IS", "-c", ASK, _forked().address] if sys.platform == "linux" else PROGRAM
    return f'exec {shlex.join(words)} "$@"'


def shell(script: str, cwd: Path, env: dict[str, str | None] | None = None) -> Run:
    """A line of shell in which `massprops` is the program."""
    function = f'massprops() {{ {shlex.join(PROGRAM)} "$@"; }}\n'
    return run("-c", function + script, program=["bash"], cwd=cwd, env=env)


def pasted(command: str, cwd: Path) -> Run:
    """A run of one command with the words that a shell makes of it."""
    split = run("-c", f'massprops() {{ printf "%s\\0" "$@"; }}\n{command}', program=["bash"], cwd=cwd)
    assert split.returncode == 0, split.err  # else the program would be run without a word
    return run(*split.stdout.split(b"\0")[:-1], cwd=cwd)


def valid(text: str) -> Any:
    """The JSON object, valid under the printed schema, without NaN or infinity."""
    parsed = json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    VALIDATOR.validate(parsed)
    return parsed


def plain_failure(done: Run, status: int, message: str) -> None:
    assert (done.returncode, done.out, done.err) == (status, "", f"massprops: {message}\n")
