"""The commands, by name; only the one that is asked for is imported and built, since building all takes as long as measuring a part.

Tests: `tests/cli/test_groups.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path, PurePath
from typing import Any

from massprops._version import __version__
from massprops.cli.groups import Declared, call, declarations, read
from massprops.cli.streams import distinct_marks, replaces_input
from massprops.declarations import argument, flag, option
from massprops.errors import InvalidInput
from massprops.formats.escaping import plain
from massprops.formats.files import marks_of, reading_outside, recording_opened, size_limit, time_limit
from massprops.values import dataclass
from massprops.wording import did_you_mean


@dataclass(frozen=True)
class Command:
    """A command: ``module:function`` below `massprops.cli`, what its help ends in, and what orders its words first, in the same module."""

    function: str
    example: str
    order: str | None = None

    def load(self) -> tuple[Callable[..., Any], Callable[[Sequence[str]], list[str]]]:
        """The function, and what orders the words."""
        module, function = self.function.split(":")
        home = import_module(f"massprops.cli.{module}")
        return getattr(home, function), getattr(home, self.order) if self.order else list


COMMANDS = {
    "compute": Command("compute:compute", "compute part.stl --units mm --density 7.8g/cm3 --format json"),
    "check": Command("check:check", "check parts robot.urdf --require certified --baseline known.json"),
    "fill": Command("fill:fill", "fill robot.urdf --density 1240 --diff"),
    "sample": Command("sample:sample", "sample robot.urdf --n 100 --mass 5% --com 3mm --inertia 10% --seed 7 -o out"),
    "plot": Command("plot:plot", "plot part.stl --view all --show axes,ellipsoid,com,defects -o part.png"),
    "report": Command("report:report", "report part.stl robot.urdf section.dxf --density 7800 -o report.html"),
    "repair": Command("repair:repair", "repair part.stl -o mended.stl"),
    "diff": Command("diff:diff", "diff before.stl after.stl --units mm --density 7800"),
    "convert": Command("convert:convert", "convert robot.urdf#forearm --format mjcf --for mujoco"),
    "transform": Command("convert:transform", "transform result.json --pose '0 0 0.1  0 0 90deg' --about origin"),
    "combine": Command(
        "combine:combine",
        "combine arm.json 2*bolt.json --at '0.1 0 0' motor.urdf#link_3",
        order="attach_poses_to_items",
    ),
    "shape": Command("shape:shape", "shape cylinder --radius 20mm --length 0.1 --material steel --format urdf"),
    "explain": Command("explain:explain", "explain robot.urdf#forearm --against forearm.stl"),
    "mcp": Command("mcp:mcp", "mcp --root parts"),
    "materials": Command("reference:materials", "materials alu"),
    "init": Command("init:init", "init parts"),
    "schema": Command("reference:schema", "schema > massprops-1.schema.json"),
}


#: The command and its words, as the program's own arguments end.
COMMAND = Declared(
    "command", argument("COMMAND", "The command and its words.", default=None), "list[str] | None", __name__
)

#: Commands whose ``--help`` has the options that are declared as common, and what asks for all.
LONG = ("compute", "check", "plot", "report")
HELP_ALL = Declared("help_all", flag(None, "Show all options, not only the common ones."), "bool", __name__)

#: The words of the command line that is run, without the program's name.
given: list[str] = []


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
    """Measure bodies: volume, centre of mass and inertia of meshes, and whether the numbers can be trusted."""


def prepare(words: Sequence[str]) -> Callable[[], Any] | None:
    """The command of a command line, ready to run; None if it asks for help.

    Raises
    ------
    InvalidInput
        If there is no such command, or the command line breaks its rules.
    """
    parameters = list(declarations(root))
    path = "massprops"
    try:
        values = read([*parameters, COMMAND], words, is_root=True)
        if values is None:
            return None
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
        see = f"see '{path} --help'"
        raise InvalidInput(text, hint=f"{hint}; {see}" if hint else see) from None
    if own is None:
        is_short = name in LONG and HELP_ALL.spellings[0] not in rest
        return partial(print_help, name, known, function.__doc__ or "") if is_short else None
    _check_outputs(known, own)
    limits = values["max_bytes"], values["timeout"], own.get("allow_outside", False)
    return partial(_call_within, *limits, partial(call, function, own))


def _check_outputs(known: Sequence[Declared], own: dict[str, Any]) -> None:
    """Raise InvalidInput if a file to write is a named one to read, or another one to write; others are refused once they are opened."""
    files = [(d, own[d.name]) for d in known if own[d.name] and d.is_file]
    written = {d.spellings[0]: value for d, value in files if d.writes and value != "-"}
    marks = distinct_marks(written)
    read = [name for d, value in files if not d.writes for name in ([value] if isinstance(value, str) else value)]
    for name in (name for text in read if marks for name in (text, text.rpartition("#")[0]) if Path(name).is_file()):
        if option := next((marks[mark] for mark in marks_of(name) if mark in marks), None):
            hint = f"choose another {option}" + "; --in-place replaces the robot" * ("in_place" in own)
            raise replaces_input(written.get(option), name, hint)


def _call_within(max_bytes: int | None, timeout: float | None, allow_outside: bool, run: Callable[[], Any]) -> Any:
    with size_limit(max_bytes), time_limit(timeout), reading_outside(allow_outside), recording_opened():
        return run()


def print_version() -> None:
    """Print the version, and whether the compiled core runs."""
    from massprops import native

    print(f"massprops {__version__} ({native.description()})")


def print_help(name: str, known: Sequence[Declared], about: str) -> None:
    """Print the arguments and the common options of a command."""
    import shutil
    from textwrap import fill

    width = min(max(shutil.get_terminal_size().columns, 40), 100)
    margin = " " * min(26, width // 4)
    shown = [d for d in known if d.is_argument or d.field.metadata.get("common")]
    print(f"Usage: massprops {name} [OPTIONS] {' '.join(d.forms for d in shown if d.is_argument)}\n")
    print(fill(about.partition("\n")[0], width), end="\n\n")
    for d in (*shown, HELP_ALL):
        head = f"  {d.forms} {d.placeholder}".rstrip()
        body = fill(d.field.metadata["help"], width, initial_indent=margin, subsequent_indent=margin)
        print(head.ljust(len(margin)) + body[len(margin) :] if len(head) < len(margin) - 1 else f"{head}\n{body}")
    print(f"\nExample: massprops {COMMANDS[name].example}")


def _unknown_command(words: Sequence[str], name: str) -> InvalidInput:
    """The error for a word that is no command: a file without one, or a misspelt command."""
    if not name:
        return InvalidInput("missing command" if words else "no command is given")
    if PurePath(name).suffix or Path(name).exists():
        import shlex

        from massprops.checking.discovery import MARKS
        from massprops.formats.robot.kinds import ROBOTS

        suffix = PurePath(name.partition("#")[0]).suffix.lower()
        verb, at = "check" if suffix in (*ROBOTS, *MARKS) else "compute", list(words).index(name)
        return InvalidInput(
            f"{name!r} is not a command",
            hint=f"did you mean: {plain(shlex.join(['massprops', *words[:at], verb, *words[at:]]))}",
        )
    return InvalidInput(f"no such command: {name!r}", hint=plain(did_you_mean(name, COMMANDS)))
