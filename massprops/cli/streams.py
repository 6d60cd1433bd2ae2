"""Where results and messages go: stdout or a file, which is replaced in one step; stderr for people."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TextIO

from massprops.access import access
from massprops.errors import InvalidInput, MasspropsError, ReadError, require_count
from massprops.formats.escaping import plain
from massprops.formats.files import Mark, marks_of, opened_as
from massprops.formats.saving import cannot_write, check_writable, output_name, replace_file

if TYPE_CHECKING:
    from massprops.checking.config import Config
    from massprops.cli.groups import DisplayOptions
    from massprops.findings import Finding
    from massprops.measurement.output_units import OutputUnits
    from massprops.writers.console import TextOutput


#: Seconds of work before the first line of progress, and between two.
AFTER, EVERY = 2.0, 0.2


def check_not_read(*outputs: str | None) -> None:
    """Raise InvalidInput if one of the files to write, or of None and ``-`` the file that stdout is, was opened by this command."""
    for output in outputs:
        marks = stdout_marks() if output in (None, "-") else marks_of(str(output))
        if (name := opened_as(marks)) is not None:
            raise replaces_input(output, name, "write to another file")


#: What a text begins with, by the suffixes of robots, drawings, configurations and scenes that commands write.
_BEGINS = {
    **dict.fromkeys((".urdf", ".sdf", ".world", ".xml", ".mjcf", ".xacro", ".svg"), "<"),
    **dict.fromkeys((".usda", ".usd"), "#usda"),
    ".toml": "#",
    ".dae": "<COLLADA",
}
#: Tables, which can also be points that are measured.
_TABLES = (".csv", ".dat", ".json", ".tsv", ".txt", ".xy")


def _check_kind(output: str | None, text: str | bytes) -> None:
    """Raise InvalidInput if a text would replace a mesh, a robot or a configuration: a part that another one names, perhaps."""
    if output is None or not Path(output).is_file():
        return
    from massprops.formats.table import MESHES, PLANAR

    head, suffix = text[:8], PurePath(output).suffix.lower()
    if isinstance(head, bytes):
        if not head.startswith((b"<", b"#usda")):
            return  # a picture or a mesh, which is made for its suffix
        head = head.decode("latin-1")
    is_never_text = suffix in {*MESHES, *PLANAR, ".mtl", ".usdc", ".usdz"}.difference(_TABLES, _BEGINS)
    if is_never_text or not head.startswith(_BEGINS.get(suffix, "")):
        what = f"is there, and what would be written is no {suffix} file"
        raise InvalidInput(what, place=output, hint="write to another file, or delete this one")


def stdout_marks() -> Iterable[Mark]:
    """Marks of the file that standard output is; empty for a terminal or a pipe."""
    try:
        return marks_of(sys.stdout.fileno())
    except (OSError, ValueError, AttributeError):  # closed, or no file
        return ()


def distinct_marks(written: Mapping[str, str]) -> dict[Mark, str]:
    """Marks of the files that options name, and of the file that standard output is; InvalidInput if two are one file."""
    marks = dict.fromkeys(stdout_marks(), "standard output")
    for option, path in written.items():
        own = marks_of(path, option)
        if first := next((marks[mark] for mark in own if mark in marks), None):
            raise InvalidInput(f"{first} and {option} name the same file", hint="name another")
        marks |= own
    return marks


def check_outputs(written: Iterable[str]) -> None:
    """Raise InvalidInput if one of the files to write cannot be: said before anything is measured."""
    for output in written:
        try:
            check_writable(Path(output))
        except (OSError, ReadError) as error:
            raise cannot_write(error, output) from error


def replaces_input(output: str | None, name: str, hint: str) -> InvalidInput:
    """The error of an output that is an input file, of this name."""
    what = "is an input file" if output == name else f"is the input file {plain(name)}"
    return InvalidInput(what, place=output_name(output), hint=hint)


def write_output(text: str | bytes, output: str | None, *, in_place: bool = False) -> None:
    """Write results to stdout, or to the file `output` in one step, never half of it.

    Raises
    ------
    InvalidInput
        If they cannot be written, or would replace a file that this command has opened, unless that is the purpose: `in_place`.
    """
    if not in_place:
        check_not_read(output)
        _check_kind(output, text)
    try:
        if output in (None, "-"):
            _print(text)
        else:
            replace_file(Path(str(output)), text)
    except (OSError, ReadError) as error:
        raise cannot_write(error, output) from error


class Results:
    """Results in pieces: stdout gets each as it is ready, a file all of them at the end.

    After an interrupt the file keeps its old content; what was done is then in ``FILE.partial``.
    """

    def __init__(self, output: str | None) -> None:
        self._output = None if output == "-" else output
        self._waiting: list[str] = []

    def write(self, text: str) -> None:
        """Add a piece."""
        if self._output is not None:
            self._waiting.append(text)
        elif text:
            write_output(text, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        text = "".join(self._waiting)
        if self._output is None or not text:
            return
        if kind is None:
            write_output(text, self._output)
        elif issubclass(kind, KeyboardInterrupt):
            write_output(text, f"{self._output}.partial")
            log(f"the results so far are in {self._output}.partial")


def _print(text: str | bytes) -> None:
    try:
        if isinstance(text, bytes):
            sys.stdout.flush()
            sys.stdout.buffer.write(text)
        else:
            sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        discard(sys.stdout)
        if not isinstance(error, BrokenPipeError):  # a reader that closes the pipe (head, less) is no failure
            raise


def discard(stream: TextIO) -> None:
    """Let what is left in the buffer not fail again when Python flushes it on the way out."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def cores(jobs: int | None) -> int:
    """The number of processes that `--jobs` asks for, or one; 0 is all cores that this process may use."""
    from massprops.mesh.source import processors  # imported lazily

    return 1 if jobs is None else require_count(jobs, "jobs", least=0) or processors()


def text_output(
    output: str | None = None, shown: DisplayOptions | None = None, config: Config | None = None
) -> TextOutput:
    """The terminal that a report goes to, and what is shown there.

    80 columns wide for a file or a pipe, unless COLUMNS says otherwise; without colour in files.
    """
    from massprops.writers.console import TextOutput

    wide = (output is None and sys.stdout.isatty()) or "COLUMNS" in os.environ
    color = output is None and _has_color(sys.stdout)
    width = 80
    if wide:
        import shutil  # imported lazily

        width = max(shutil.get_terminal_size().columns, 20)
    if shown is None:
        return TextOutput(width, color)
    return TextOutput(width, color, shown.units(config), shown.digits, shown.verbose, shown.quiet)


def configuration_note(
    on: TextOutput, shown: DisplayOptions, config: Config | None = None, settings: Sequence[Mapping[str, Any]] = ()
) -> str:
    """The line below a table that says what came from the configuration: `settings` of files, and the units; empty where nothing did."""
    source = shown.units_source(config)
    words = [*_in_words(settings), *([] if source is None else [f"output-units {source.run.output_units}"])]
    used = source or config
    if not words or used is None or shown.quiet:
        return ""
    from rich.text import Text

    return on.draw(Text(f"From {used.name}: {', '.join(words)}"))


def _in_words(settings: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for name in dict.fromkeys(name for chosen in settings for name in chosen):
        values = {str(chosen.get(name)) for chosen in settings}
        yield f"{name.replace('_', '-')} {'by file' if len(values) > 1 else values.pop()}"


def _has_color(stream: TextIO) -> bool:
    """Whether people see the stream in colour: NO_COLOR forbids it, FORCE_COLOR asks for it, else a terminal has it."""
    if os.environ.get("NO_COLOR"):
        return False
    return os.environ.get("FORCE_COLOR", "0") not in ("", "0") or (stream.isatty() and os.environ.get("TERM") != "dumb")


def log(message: str) -> None:
    """One line for people, on stderr."""
    _print_error(f"massprops: {plain(message)}")


def note(message: str) -> None:
    """One line about what was done, which --quiet leaves out."""
    if not access().quiet:
        log(message)


def note_mesh(target: str, what: str, unit: str | None, asked: str | None) -> None:
    """Say what mesh was written, in which unit, and that the one asked for is not that of the file that was read."""
    from massprops.formats.mesh.writing import written_unit
    from massprops.units import length_unit

    written = written_unit(PurePath(target).suffix.lower(), unit)
    note(f"{target}: {what}" + (f", in {written}" if written else ""))
    if asked and unit and length_unit(asked) != length_unit(unit):
        note(f"note: the coordinates are in {unit}; --units {asked} is not applied")


def note_relative(meshes: Sequence[str], robot: str, folder: Path) -> None:
    """Say that a copy of a robot in another folder names its meshes as the robot does."""
    if meshes and folder.resolve() != Path(robot).resolve().parent:
        note(f"mesh paths such as {meshes[0]} are not changed: the simulator has to find them from {folder}")


def log_error(message: str) -> None:
    """One line about an error, on stderr; the name of the program is red where there is colour."""
    start, end = ("\x1b[1;31m", "\x1b[0m") if _has_color(sys.stderr) else ("", "")
    _print_error(f"{start}massprops:{end} {plain(message)}")


def say_findings(
    name: str, findings: Iterable[Finding], everything: bool = False, units: OutputUnits | None = None
) -> None:
    """A line for each finding about a file or link, of one code at most three; quantities are in SI without `units`."""
    from massprops.findings import some_of_each

    texts = ((f, units.sentence(f.marked) if units else f.message) for f in findings)
    lines = ((f.code, ": ".join(filter(None, (name, f.severity, f.code, text)))) for f, text in texts)
    for line in some_of_each(lines, everything, lambda more: f"{name}: {more}" if name else more):
        log(line)


def _print_error(line: str) -> None:
    """Print a line on stderr; a closed pipe or a full disk is no failure of the run."""
    try:
        if isinstance(shown := access().progress, Progress):
            shown.clear()
        print(line, file=sys.stderr, flush=True)
    except OSError:
        discard(sys.stderr)


def say_error(error: MasspropsError, output_units: str | None = None) -> None:
    """An error on stderr, in the unit of the file or in those that are asked for, with the traceback of a defect."""
    for note in getattr(error, "__notes__", ()):
        sys.stderr.write(note)
    log_error(format_error(error, output_units))


def format_error(error: MasspropsError, output_units: str | None = None) -> str:
    """Message and hint of an error in the unit of the file, or in those that are asked for, as its tables are."""
    if "\xa0" not in error.marked:
        return str(error)
    from massprops.measurement.output_units import OutputUnits

    return OutputUnits.suited(error.unit, None, chosen=output_units).sentence(error.marked)


class Progress:
    """A line on stderr about the work of a command, from two seconds on, where that is a terminal: what is done, and the time left.

    It is called with the triangles of a file that are done and their number, or with the seconds that another program reads it and
    infinity; with a noun, the number of links or meshes that each have such passes; `count` with the number of files, which are all that is
    shown. At the total the line is cleared, and comes back if there is more to do.
    """

    def __init__(self, name: str = "") -> None:
        self.name = name
        self._is_counting = self._is_shown = False
        self._may_show = sys.stderr.isatty() and not access().quiet
        self._begun = self._called = time.monotonic()
        self._due, self._around = self._begun + AFTER, ""
        self._passes: dict[str, tuple[float, float]] = {"": (self._begun, 0.0)}

    def __call__(self, done: float, total: float, noun: str = "") -> None:
        """Show how much of a file, or how many of its links, are done; not where files are counted."""
        if self._is_counting:
            return
        begun, last = self._passes.get(noun, (0.0, float("inf")))
        if done < last:  # another file, or another pass, since the last call
            begun = self._called
        self._passes[noun], self._called = (begun, done), time.monotonic()
        name = f"{self.name}: " if self.name else ""
        if total == float("inf"):
            self._show(f"{name}{self._around}{done:.0f} s", is_done=False)
            return
        left = f"{self._left(begun, done, total)} left"
        if noun:
            self._around = f"{done:.0f} of {total:.0f} {noun}, " if done < total else ""
            self._show(f"{name}{self._around}{left if done else ''}".rstrip(", "), is_done=done >= total)
        else:
            self._show(f"{name}{self._around}{done / total:4.0%}, {left}", is_done=done >= total and not self._around)

    def count(self, done: int, total: int, note: str = "") -> None:
        """Show how many files are done."""
        self._is_counting = True
        rate = max(done, 1) / max(time.monotonic() - self._begun, 1e-9)
        left = f"{self._left(self._begun, max(done, 1), total)} left"
        self._show(f"{done:,} of {total:,} files, {rate:.3g}/s, {left}{note}", is_done=done >= total)

    def clear(self) -> None:
        """Remove the line: something else is printed."""
        if self._is_shown:
            self._is_shown = False
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def _left(self, begun: float, done: float, total: float) -> str:
        seconds = (time.monotonic() - begun) * (total - done) / done if done else 0.0
        return f"{seconds // 60:.0f}:{seconds % 60:02.0f}"

    def _show(self, text: str, *, is_done: bool) -> None:
        now = time.monotonic()
        if is_done:
            self.clear()
        elif self._may_show and now >= self._due:
            import shutil

            self._due, self._is_shown = now + EVERY, True
            width = shutil.get_terminal_size().columns - 1  # a line that wraps could not be replaced
            sys.stderr.write("\r\x1b[K" + plain(text)[:width])
            sys.stderr.flush()


def progress(name: str = "", *, files: bool = False) -> Callable[..., None]:
    """Function that takes the progress of the command: of one file that is read, or with `files` of the number of files."""
    if (watcher := access().watcher) is not None:
        return watcher
    known = access().progress
    shown = known if isinstance(known, Progress) else Progress()
    shown.name = name
    return shown.count if files else shown
