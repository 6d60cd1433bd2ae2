"""`massprops diff`: what changed between two bodies, files or folders.

Tests: `tests/comparison/test_diff.py`.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from massprops._version import __version__
from massprops.cli.groups import DisplayOptions, Text, format_for, format_option, output_option
from massprops.cli.measuring import MEASURED, Shown
from massprops.cli.options import Configured, FailOn, Packages, check_stdin_once, config_options, fails, worst
from massprops.cli.streams import configuration_note, log, say_error, text_output, write_output
from massprops.declarations import OUTPUT, argument, flag, option, option_of
from massprops.errors import InvalidInput, MasspropsError, as_error, result_or_error
from massprops.formats.files import note_named
from massprops.formats.kinds import Kind, kind_of
from massprops.measurement.options import Options
from massprops.rigid_body.as_json import SCHEMA
from massprops.units import number, parse_length, parse_mass
from massprops.values import dataclass

if TYPE_CHECKING:
    from massprops.checking.config import Config
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
        "A mesh, section, result, robot file or link of it, assembly, or folder; - is standard input: an inertial, or of the --type.",
    ),
    after: str = argument(_SOURCE, "What it is compared with."),
    measuring: Shown,
    type: Text = option_of(Options, "format", help="Format of a mesh or plane file on standard input: stl."),
    packages: Packages,
    configured: Configured,
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

    kind = format_for(format, output, _SUFFIXES)
    shown.check_digits(kind, "table", "markdown")
    if atol_length is not None:
        parse_length(atol_length, name="--atol-length")
    mass = 0.0 if atol_mass is None else parse_mass(atol_mass, name="--atol-mass")
    tolerances = Tolerances(rtol, 0.0, mass, math.radians(atol_angle))
    check_stdin_once([before, after])
    config = configured.of_measurements()
    search = packages.search(config)
    pairs = _pairs(before, after, search)
    if type is not None and "-" not in (before, after):
        raise InvalidInput("--type is the format of standard input", hint="name '-', or leave it out")
    comparing = _Comparing(measuring, tolerances, atol_length, search, type, config)
    names = [name for pair in pairs for name in pair if name is not None]
    packages.check_files(names)
    measuring.check({*map(comparing.kind, names)})
    found = [c for pair in pairs for c in comparing.compared(*pair)]
    on = text_output(output, shown, config)
    text = _render(found, kind, all, on)
    if kind == "table":
        text += configuration_note(on, shown, config, [*comparing.known.values()])
    write_output(text, output)
    return worst(_status(c, fail_on) for c in found)


def _pairs(before: str, after: str, search: SearchPath) -> list[tuple[str | None, str | None]]:
    """Pairs to compare: two files; or the files of two folders, by their names below these."""
    folders = [name != "" and Path(name).is_dir() for name in (before, after)]
    if not any(folders):
        return [(before, after)]
    if not all(folders):
        one, other = (before, after) if folders[0] else (after, before)
        is_there = other == "-" or Path(other).exists() or Path(other.rpartition("#")[0] or other).exists()
        wrong = "is not" if is_there else "does not exist"
        raise InvalidInput(f"{one} is a folder and {other} {wrong}", hint="compare two files or two folders")
    old, new = _below(before, search), _below(after, search)
    return [(old.get(name), new.get(name)) for name in sorted({*old, *new})]


def _below(folder: str, search: SearchPath) -> dict[str, str]:
    from massprops.checking.discovery import expand

    found = expand([folder], search=search)
    for path, reason in found.skipped.items():
        log(f"{path}: not compared: {reason}")
    if found.names == [folder]:
        raise InvalidInput(f"{folder}: holds no file to compare", code="no-files", hint="name another folder")
    for name in found.names:  # also where the other folder has no such file
        note_named(name)
    return {Path(p).relative_to(folder).as_posix(): p for p in found.names}


@dataclass(frozen=True)
class _Comparing:
    """How files are measured and compared, and what is `known` of the configuration; lengths without a unit are in that of the files."""

    measuring: Shown
    tolerances: Tolerances
    atol_length: Text
    search: SearchPath
    format: str | None
    config: Config | None
    known: dict[str, dict[str, Any]] = field(default_factory=dict)

    def kind(self, name: str) -> Kind:
        """The kind of a file; standard input may be of any format."""
        return kind_of(name, self.format if name == "-" else None)

    def settings(self, name: str) -> dict[str, Any]:
        """The options that the configuration has for a file; none for what is not measured."""
        kind = self.kind(name)
        if kind in MEASURED and name not in self.known:
            self.known[name] = config_options(self.config, name, self.measuring.for_kind(kind), kind == "section")
        return self.known.get(name, {})

    def compared(self, before: str | None, after: str | None) -> Iterator[Comparison]:
        """The comparisons of two files, or why there is none."""
        from massprops.comparison import Comparison
        from massprops.comparison.comparison import compare_all

        if before is None or after is None:
            yield Comparison(before, after)
            return
        try:
            old, new = self._bodies(before), self._bodies(after)
            unit = self._common_unit([*old, *new])
            length = 0.0 if self.atol_length is None else parse_length(self.atol_length, bare=unit)
            tolerances = replace(self.tolerances, length=length)
            yield from compare_all(old, new, tolerances, self.measuring.reference(unit))
        except (MasspropsError, OSError) as error:
            failure = as_error(error, f"{before}, {after}") if isinstance(error, OSError) else error
            say_error(failure)
            yield Comparison(before, after, error=failure)

    def _bodies(self, name: str) -> list[ComparedBody]:
        from massprops.comparison import read_bodies

        given = self.settings(name) | self.measuring.for_kind(self.kind(name))
        options = Options(**given, format=self.format if name == "-" else None)
        return read_bodies(name, options, sys.stdin.buffer, self.search, log)

    def _common_unit(self, bodies: Sequence[ComparedBody]) -> str:
        """The unit of all files; InvalidInput if there is none, and a length is given without one."""
        units = {b.unit for b in bodies}
        given = {"--atol-length": self.atol_length, "--about": self.measuring.about, "--axis": self.measuring.axis}
        for name, text in given.items() if len(units) > 1 else ():
            words = re.split(r"[\s,]+", (text or "").strip())[:3]
            if _has_bare_length(words):
                what = f"{name} {text} has no unit, and the files are in {' and '.join(sorted(units))}"
                raise InvalidInput(what, hint=f"give it one: {words[0]}mm")
        return units.pop() if len(units) == 1 else "m"


def _has_bare_length(words: Iterable[str]) -> bool:
    """Whether a number other than 0 stands without a unit."""
    numbers = (result_or_error(partial(number, name="length"), word) for word in words)
    return any(isinstance(value, float) and value for value in numbers)


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
