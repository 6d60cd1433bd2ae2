"""The commands, by name; only the one that is asked for is imported and built, since building all takes as long as measuring a part.

Tests: `tests/cli/test_groups.py`.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import partial
from importlib import import_module
from pathlib import Path, PurePath
from typing import Any

from massprops._version import __version__
from massprops.access import allowing
from massprops.cli.groups import (
    COMPLETION,
    HELP,
    CommandParameter,
    DisplayOptions,
    call,
    declarations,
    format_for,
    read,
)
from massprops.cli.streams import Progress, check_outputs, distinct_marks, replaces_input
from massprops.declarations import LIMITS, argument, check_applicable, flag, is_given, option
from massprops.errors import InvalidInput
from massprops.formats.escaping import plain
from massprops.formats.files import marks_of, recording_opened, within_limits
from massprops.values import dataclass
from massprops.wording import did_you_mean


@dataclass(frozen=True)
class Command:
    """A command of the program.

    Attributes
    ----------
    function : str
        ``module:function`` below `massprops.cli`.
    example : str
        The last line of its help.
    order : str or None
        The function, in the same module, that orders its words first.
    synonyms : str
        Words by which people look for it.
    common : tuple of str
        Options of its short help, besides those that are declared as common.
    is_short : bool
        Whether its whole help fits on a screen.
    rules : str
        Rows of the table of `massprops.declarations` for it alone.
    """

    function: str
    example: str
    order: str | None = None
    synonyms: str = ""
    common: tuple[str, ...] = ()
    is_short: bool = False
    rules: str = ""

    def load(self) -> tuple[Callable[..., Any], Callable[[Sequence[str]], list[str]]]:
        """The function, and what orders the words."""
        module, function = self.function.split(":")
        home = import_module(f"massprops.cli.{module}")
        return getattr(home, function), getattr(home, self.order) if self.order else list


#: The commands by the groups of the help.
GROUPS = {
    "Measure": {
        "compute": Command(
            "compute:compute",
            "compute part.stl --units mm --density 7.8g/cm3 --format json",
            synonyms="info measure volume area mass weight inertia moments com centroid properties section stats",
            common=("thickness", "densities"),
        ),
        "check": Command(
            "check:check",
            "check parts robot.urdf --require certified --baseline known.json",
            synonyms="validate verify lint test inspect",
        ),
        "diff": Command(
            "diff:diff",
            "diff before.stl after.stl --units mm --density 7800",
            synonyms="compare",
            common=("rtol", "atol_length", "atol_mass", "all"),
        ),
        "repair": Command(
            "repair:repair",
            "repair part.stl -o mended.stl",
            synonyms="fix heal mend clean",
            common=("level", "max_uncertainty", "type", "verbose"),
        ),
    },
    "Robots": {
        "explain": Command(
            "explain:explain",
            "explain robot.urdf#forearm --against forearm.stl",
            synonyms="why diagnose",
            common=("mass", "com", "inertia", "against", "units", "cad", "nearest"),
            rules="mass com inertia excludes file\nunits override_units needs against\ncad geometry package gltf_up needs file",
        ),
        "fill": Command(
            "fill:fill",
            "fill robot.urdf --density 1240 --diff",
            synonyms="inertial inertials set",
            common=("links", "set", "density", "mass", "in_place", "diff", "check"),
        ),
        "sample": Command(
            "sample:sample",
            "sample robot.urdf --n 100 --mass 5% --com 3mm --inertia 10% --seed 7 -o out",
            synonyms="randomize randomise",
            common=("n", "seed", "mass", "com", "inertia", "links"),
        ),
    },
    "Show": {
        "plot": Command(
            "plot:plot",
            "plot part.stl --view all --show axes,ellipsoid,com,defects -o part.png",
            synonyms="draw render show view picture",
        ),
        "report": Command(
            "report:report", "report part.stl robot.urdf section.dxf --density 7800 -o report.html", synonyms="html"
        ),
    },
    "More": {
        "shape": Command(
            "shape:shape",
            "shape cylinder --radius 20mm --length 0.1 --material steel --format urdf",
            synonyms="box sphere cylinder primitive",
            common=("x", "y", "z", "radius", "length", "height", "outer_radius"),
        ),
        "convert": Command(
            "convert:convert",
            "convert robot.urdf#forearm --format mjcf --for mujoco",
            synonyms="export translate transform move rotate",
            common=("consumer", "principal", "pose", "frame"),
        ),
        "combine": Command(
            "combine:combine",
            "combine arm.json 2*bolt.json --at '0.1 0 0' motor.urdf#link_3",
            order="attach_poses_to_items",
            synonyms="join merge add sum assemble assembly",
            common=("at", "root", "missing"),
        ),
        "materials": Command(
            "reference:materials", "materials alu", synonyms="material density densities", is_short=True
        ),
        "init": Command("init:init", "init parts", synonyms="configure config setup", is_short=True),
        "mcp": Command("mcp:mcp", "mcp --root parts", synonyms="serve server agent", is_short=True),
        "schema": Command("reference:schema", "schema > massprops-1.schema.json", synonyms="json", is_short=True),
    },
}
COMMANDS = {name: entry for group in GROUPS.values() for name, entry in group.items()}


#: The command and its words, as the program's own arguments end.
COMMAND = CommandParameter(
    "command", argument("COMMAND", "The command and its words.", default=None), "list[str] | None", __name__
)

#: Commands whose ``--help`` has common options alone, and what asks for all.
LONG = tuple(name for name, entry in COMMANDS.items() if not entry.is_short)
HELP_ALL = CommandParameter("help_all", flag(None, "Show all options, not only the common ones."), "bool", __name__)

#: Longer descriptions of commands are cut at their first colon or semicolon where all commands are listed.
_ABOUT = 67


def root(
    *,
    version: bool = flag(None, "Print the version and exit.", "--version", "-V"),
    max_bytes: int | None = option(
        None,
        "Largest file that is read. Default: 4 GiB for meshes (no limit for binary STL), 256 MiB for other files.",
        metavar="N",
        min=1,
    ),
    timeout: float | None = option(
        None,
        "CPU time for a STEP file or USD stage. Default: 120 s (STEP) or 20 s, and 60 s or 10 s for each MB.",
        metavar="S",
        min=0.1,
    ),
) -> None:
    """Mass, centre of mass and inertia of meshes, plane sections, robot links and assemblies, with their uncertainty."""


def prepare(words: Sequence[str]) -> Callable[[], Any] | None:
    """The command of a command line, ready to run; None if it asks for help.

    Raises
    ------
    InvalidInput
        If there is no such command, or the command line breaks its rules.
    """
    parameters = list(declarations(root, is_root=True))
    path = "massprops"
    try:
        values = read([*parameters, COMMAND], words, is_root=True)
        if values is None:
            return None if set(COMPLETION) & {*words} else print_overview
        if values["version"]:
            return print_version
        name, *rest = values["command"] or [""]
        if name not in COMMANDS:
            raise _unknown_command(words, name)
        path = f"massprops {name}"
        function, order = COMMANDS[name].load()
        known = list(declarations(function))
        own = read(known, order(rest))
    except InvalidInput as error:
        text, hint = error.text, error.hint
        if error.code == "extra-arguments" and path == "massprops shape":
            text = "the lengths of a shape are options, as in: massprops shape box --x 10mm --y 20mm --z 3cm --mass 1kg"
        if error.code == "extra-arguments" and path == "massprops explain":
            hint = "a link is named as robot.urdf#forearm"
        see = f"see '{path} --help'"
        raise InvalidInput(text, hint=f"{hint}; {see}" if hint else see) from None
    if own is None:
        is_short = name in LONG and HELP_ALL.spellings[0] not in rest
        return partial(print_help, name, known, function.__doc__ or "") if is_short else None
    _check_outputs(known, own)
    _check_together(known, own, COMMANDS[name].rules)
    limits = values["max_bytes"], values["timeout"], own.get("allow_outside", False)
    return partial(_call_within, *limits, own["quiet"], partial(call, function, own))


def _check_outputs(known: Sequence[CommandParameter], own: dict[str, Any]) -> None:
    """Raise InvalidInput if a file to write is a named one to read, or another one to write; others are refused once they are opened."""
    files = [(d, own[d.name]) for d in known if own[d.name] and d.is_file]
    written = {d.spellings[0]: value for d, value in files if d.writes and value != "-"}
    marks = distinct_marks(written)
    read = [name for d, value in files if not d.writes for name in ([value] if isinstance(value, str) else value)]
    for name in (name for text in read if marks for name in (text, text.rpartition("#")[0]) if Path(name).is_file()):
        if option := next((marks[mark] for mark in marks_of(name) if mark in marks), None):
            hint = f"choose another {option}" + "; --in-place replaces the robot" * ("in_place" in own)
            raise replaces_input(written.get(option), name, hint)
    check_outputs(written.values())


def _check_together(known: Sequence[CommandParameter], own: dict[str, Any], rules: str) -> None:
    """Raise InvalidInput if options of a command line do not go together; `rules` are those of the command alone."""
    subjects = (d for d in known if d.field.metadata.get("panel") != LIMITS)  # a limit has the name of what it is for
    given = {d.name: own[d.name] for d in subjects if is_given(own[d.name], d.field.default)}
    if alone := next((name for name in ("list_rules", "explained") if name in given), None):  # it reads no file
        every = {d.name: own[d.name] for d in known if is_given(own[d.name], d.field.default)}
        others = every.keys() - {f.name for f in fields(DisplayOptions)} - {alone, "output"}
        check_applicable(every, more=f"{alone} excludes {' '.join(sorted(others))}" if others else "")
    suffixes = next((d.field.metadata["suffixes"] for d in known if "suffixes" in d.field.metadata), None)
    kind = suffixes and format_for(own["format"], own["output"], suffixes)
    check_applicable(given, format=kind, more=rules)


def _call_within(
    max_bytes: int | None, timeout: float | None, allow_outside: bool, quiet: bool, run: Callable[[], Any]
) -> Any:
    if "MASSPROPS_CORE" in os.environ:  # a wrong one is no fault of a file
        from massprops import native

        native.core()
    limits = within_limits(max_bytes, seconds=timeout, outside=allow_outside or None)
    with limits, allowing(quiet=quiet), recording_opened():
        shown = Progress()
        try:
            with allowing(progress=shown):
                return run()
        finally:
            shown.clear()


def print_version() -> None:
    """Print the version, and whether the compiled core runs."""
    from massprops import native

    print(f"massprops {__version__} ({native.description()})")


def print_overview() -> None:
    """Print the commands by group, and the options before them."""
    from textwrap import fill

    width = _width()
    print("Usage: massprops COMMAND [OPTIONS] FILE...")
    print("       massprops FILE... [OPTIONS]  (compute; of a robot: check)\n")
    print(fill(root.__doc__ or "", width))
    for title, entries in GROUPS.items():
        print(f"\n{title}")
        for name, entry in entries.items():
            about = (entry.load()[0].__doc__ or "").partition("\n")[0].rstrip(".")
            short = about if len(about) <= _ABOUT else re.split("[;:]", about, maxsplit=1)[0]
            print(fill(f"  {name:<11}{short}", width, subsequent_indent=" " * 13))
    print("\nOptions before the command")
    for words in (
        "-h, --help    COMMAND --help: its options",
        *(f"{d.forms} {d.placeholder}" for d in declarations(root, is_root=True)),
    ):
        print(f"  {words.rstrip()}")
    print("\nExample: massprops compute part.stl --units mm --density 7800")


def _width() -> int:
    """Columns of the help."""
    import shutil

    return min(max(shutil.get_terminal_size().columns, 40), 100)


def print_help(name: str, known: Sequence[CommandParameter], about: str) -> None:
    """Print the arguments and the common options of a command."""
    from textwrap import fill

    width = _width()
    margin = " " * min(26, width // 4)
    also = COMMANDS[name].common
    shown = [d for d in known if d.is_argument or d.name in also or d.field.metadata.get("common")]
    print(f"Usage: massprops {name} [OPTIONS] {' '.join(d.forms for d in shown if d.is_argument)}\n")
    print(fill(about.partition("\n")[0], width), end="\n\n")
    for d in (*shown, HELP_ALL):
        head = f"  {d.forms} {d.placeholder}".rstrip()
        body = fill(d.field.metadata["help"], width, initial_indent=margin, subsequent_indent=margin)
        print(head.ljust(len(margin)) + body[len(margin) :] if len(head) < len(margin) - 1 else f"{head}\n{body}")
    print(f"\nExample: massprops {COMMANDS[name].example}")


def with_command(words: Sequence[str]) -> list[str]:
    """The words of a command line, with the command that a file in its place implies; a terminal shows it in a grey line.

    No command has a dot in its name. Options may stand before the file.
    """
    end = words.index("--") if "--" in words else len(words)
    root_words = {name for d in declarations(root, is_root=True) for name in d.spellings} | {*HELP, *COMPLETION}
    place = 0
    while place < end and words[place] in root_words:
        place += 1 + any(words[place] in d.spellings and d.takes_value for d in declarations(root, is_root=True))
    candidates = words[place : place + 1 if words[place : place + 1] and words[place][:1] != "-" else end]
    is_stream = words[place : place + 1] == ["-"]
    verb = "compute" if is_stream else next(filter(None, map(_implied_command, candidates)), None)
    if verb is None or {*words} & COMMANDS.keys() or {*words[:place]} & {*HELP, *COMPLETION}:
        return list(words)
    full = [*words[:place], verb, *words[place:]]
    if sys.stderr.isatty():
        print(f"\x1b[2m{_joined(full)}\x1b[0m", file=sys.stderr)
    return full


def _implied_command(name: str) -> str | None:
    """`compute` for a file of geometry, `check` for a robot; None for other words, and for files that can be either."""
    is_file = os.path.isfile(name)  # noqa: PTH113  # pathlib's raises for a name that is too long
    suffix = PurePath(name if is_file else name.partition("#")[0]).suffix.lower()
    if not suffix or name[:1] == "-":
        return None
    from massprops.checking.discovery import MARKS
    from massprops.formats.kinds import ROBOTS
    from massprops.formats.table import MESHES, PLANAR

    if suffix in MARKS:
        return None
    return "check" if suffix in ROBOTS else "compute" if suffix in (*MESHES, *PLANAR) else None


def _unknown_command(words: Sequence[str], name: str) -> InvalidInput:
    """The error for a word that is no command: a file without one, a synonym, or a misspelt command."""
    if not name:
        return InvalidInput("missing command" if words else "no command is given")
    if PurePath(name).suffix or Path(name).exists():
        from massprops.checking.discovery import MARKS
        from massprops.formats.recognition import BY_SUFFIX

        suffix = PurePath(name.partition("#")[0]).suffix.lower()
        if suffix not in MARKS and (kind := BY_SUFFIX.get(suffix)):
            return InvalidInput(f"{name!r} is {kind.name}", hint=kind.remedy)
        return InvalidInput(
            f"{name!r} is not a command",
            hint=_corrected(words, name, ["check" if suffix in MARKS else "compute", name]),
        )
    if meant := next((c for c, entry in COMMANDS.items() if name.lower() in entry.synonyms.split()), None):
        if meant == "compute":
            meant = next(filter(None, map(_implied_command, words)), meant)
        return InvalidInput(f"no such command: {name!r}", hint=_corrected(words, name, [meant]))
    return InvalidInput(f"no such command: {name!r}", hint=plain(did_you_mean(name, COMMANDS)))


def _corrected(words: Sequence[str], name: str, right: Sequence[str]) -> str:
    """The whole command line with other words in the place of one."""
    at = list(words).index(name)
    return f"did you mean: {_joined([*words[:at], *right, *words[at + 1 :]])}"


def _joined(words: Sequence[str]) -> str:
    """The command line of these words, as a shell reads it."""
    import shlex  # only on the way to a message

    return plain(shlex.join(["massprops", *words]))
