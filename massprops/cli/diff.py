"""`massprops diff`: what changed between two bodies, files or folders.

Tests: `tests/comparison/test_diff.py`.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from massprops._version import __version__
from massprops.cli.groups import DisplayOptions, Text, format_option, output_option
from massprops.cli.measuring import FileOptions
from massprops.cli.options import FailOn, Packages, check_stdin_once, fails, format_for, worst
from massprops.cli.streams import configuration_note, log, say_error, text_output, write_output
from massprops.declarations import OUTPUT, argument, flag, option, option_of
from massprops.errors import InvalidInput, MasspropsError, as_error
from massprops.formats.files import note_named
from massprops.measurement.options import Options
from massprops.rigid_body.as_json import SCHEMA
from massprops.units import parse_length, parse_mass

if TYPE_CHECKING:
    from massprops.comparison import Comparison, Tolerances
    from massprops.comparison.compared_body import ComparedBody
    from massprops.formats.search_path import SearchPath
    from massprops.writers.console import TextOutput

_TOLERANCES = "Tolerances"
_SOURCE = "FILE[#LINK]|FOLDER"


Format = Literal["table", "json", "markdown"]
_SUFFIXES: dict[str, Format] = {".json": "json", ".jsonl": "json", ".md": "markdown"}


def diff(
    *,
    before: str = argument(
        _SOURCE,
        "A mesh, a section, a result, a robot file or a link of it, or a folder; - is an inertial on standard input.",
    ),
    after: str = argument(_SOURCE, "What it is compared with."),
    measuring: FileOptions,
    torsion: bool = option_of(Options, "torsion", False),
    packages: Packages,
    rtol: float = option(_TOLERANCES, "Relative; for coordinates, of the body's size.", default=1e-6, min=0, max=1),
    atol_length: Text = option(_TOLERANCES, "Of coordinates: 0.1mm.", metavar="LENGTH"),
    atol_mass: Text = option(_TOLERANCES, "Of the mass: 5g.", metavar="MASS"),
    atol_angle: float = option(_TOLERANCES, "Of principal axes.", metavar="DEG", default=0.0, min=0, max=180),
    fail_on: FailOn = option(_TOLERANCES, "A new finding of this severity is a difference.", default="error"),
    all: bool = flag(OUTPUT, "Also print numbers that did not change."),
    shown: DisplayOptions,
    format: Format | None = format_option(),
    output: Text = output_option(),
) -> int:
    """Compare two bodies, files or folders; exit 1 if they differ by more than the tolerance."""
    from massprops.comparison import Tolerances

    kind = format_for(format, output, _SUFFIXES, "table")
    options = Options(**measuring.given(), torsion=torsion)
    if atol_length is not None:
        parse_length(atol_length, name="--atol-length")
    mass = 0.0 if atol_mass is None else parse_mass(atol_mass, name="--atol-mass")
    tolerances = Tolerances(rtol, 0.0, mass, math.radians(atol_angle))
    check_stdin_once([before, after])
    search = packages.search()
    found = [c for pair in _pairs(before, after) for c in _compared(*pair, options, tolerances, atol_length, search)]
    on = text_output(output, shown)
    text = _render(found, kind, all, on)
    write_output(text + configuration_note(on, shown) if kind == "table" else text, output)
    return worst(_status(c, fail_on) for c in found)


def _pairs(before: str, after: str) -> list[tuple[str | None, str | None]]:
    """Pairs to compare: two files; or the files of two folders, by their names below these."""
    folders = [name != "" and Path(name).is_dir() for name in (before, after)]
    if not any(folders):
        return [(before, after)]
    if not all(folders):
        one, other = (before, after) if folders[0] else (after, before)
        wrong = "is not" if Path(other).exists() else "does not exist"
        raise InvalidInput(f"{one} is a folder and {other} {wrong}", hint="compare two files or two folders")
    old, new = _below(before), _below(after)
    return [(old.get(name), new.get(name)) for name in sorted({*old, *new})]


def _below(folder: str) -> dict[str, str]:
    from massprops.checking.discovery import expand

    found = expand([folder])
    for path, reason in found.skipped.items():
        log(f"{path}: not compared: {reason}")
    if found.names == [folder]:
        raise InvalidInput(f"{folder}: holds no file to compare", code="no-files", hint="name another folder")
    for name in found.names:  # also where the other folder has no such file
        note_named(name)
    return {Path(p).relative_to(folder).as_posix(): p for p in found.names}


def _compared(
    before: str | None, after: str | None, options: Options, rest: Tolerances, atol_length: Text, search: SearchPath
) -> Iterator[Comparison]:
    """The comparisons of two files, or why there is none; a length without a unit is in that of the files."""
    from massprops.comparison import Comparison, read_bodies
    from massprops.comparison.comparison import compare_all

    if before is None or after is None:
        yield Comparison(before, after)
        return
    try:
        old, new = (
            read_bodies(name, options, sys.stdin.buffer if name == "-" else None, search) for name in (before, after)
        )
        yield from compare_all(old, new, replace(rest, length=_in_common_unit(atol_length, [*old, *new])))
    except (MasspropsError, OSError) as error:
        failure = as_error(error, f"{before}, {after}") if isinstance(error, OSError) else error
        say_error(failure)
        yield Comparison(before, after, error=failure)


def _in_common_unit(text: Text, bodies: Sequence[ComparedBody]) -> float:
    """The length of --atol-length, m."""
    if text is None:
        return 0.0
    if len(units := {b.unit for b in bodies}) > 1 and parse_length(text, bare="m") != parse_length(text, bare="mm"):
        what = f"--atol-length {text} has no unit, and the files are in {' and '.join(sorted(units))}"
        raise InvalidInput(what, hint=f"give it one: {text}mm")
    return parse_length(text, name="--atol-length", bare=units.pop())


def _status(c: Comparison, fail_on: FailOn) -> int:
    if c.error is not None:
        return c.error.exit_code
    return int(c.verdict == "beyond" or fails(c.came, fail_on))


def _render(found: list[Comparison], format: Format, everything: bool, on: TextOutput) -> str:
    from massprops.writers.diff import diff_markdown, diff_text

    if format == "json":  # one object for one body, one line each for several
        head = {"schema": SCHEMA, "massprops": __version__}
        objects = ({**head, "diff": c.to_dict()} for c in found)
        return "".join(json.dumps(o, indent=2 if len(found) == 1 else None, allow_nan=False) + "\n" for o in objects)
    if format == "markdown":
        return diff_markdown(found, on, everything=everything)
    return diff_text(found, on, everything=everything)
