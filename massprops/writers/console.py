"""Text for terminals: tables and lines of at most so many columns, with colour or without.

Tests: `tests/test_console.py`.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from massprops.findings import Finding, some_of_each
from massprops.formats.escaping import log_line, plain
from massprops.measurement.output_units import OutputUnits
from massprops.measurement.quantities import Quantity

STYLES = {"error": "bold red", "warning": "yellow", "info": "cyan"}
#: Columns of a table: the name of a row, a text, a number, and a word, which one searches for.
NAME: dict[str, Any] = {"overflow": "fold", "ratio": 1}
TEXT: dict[str, Any] = {"overflow": "fold"}
NUMBER: dict[str, Any] = {"justify": "right", "no_wrap": True}
WORD: dict[str, Any] = {"no_wrap": True}
#: Columns that a name needs at least; longer titles of quantities get a line of their own.
_NAME, _TITLE = 16, 22


#: How each column of a table looks, by its title; and the cells.
Columns = Mapping[str, Mapping[str, Any]]
Rows = Sequence[Sequence[str | Text]]


@dataclass(frozen=True)
class TextOutput:
    """The size and abilities of where the report goes, and what is shown there; nothing here looks at the environment.

    Attributes
    ----------
    width : int
        Columns.
    color : bool
    output_units : str or None
        Units that were asked for: ``mm,g``.
    digits : int or None
        Significant digits that were asked for.
    verbose, quiet : bool
        More than usual; findings alone.
    """

    width: int = 80
    color: bool = False
    output_units: str | None = None
    digits: int | None = None
    verbose: bool = False
    quiet: bool = False

    def units(self, length: str = "m", mass: float | None = None) -> OutputUnits:
        """The units that were asked for, else the unit of a file and one that suits a mass, kg."""
        return OutputUnits.suited(length, mass, self.digits, chosen=self.output_units)

    def draw(self, *parts: RenderableType) -> str:
        """The parts, one below the other, as text; no line ends in blanks."""
        stream = io.StringIO()
        console = Console(
            file=stream,
            width=self.width,
            force_terminal=self.color,
            color_system="standard" if self.color else None,
            legacy_windows=False,
            highlight=False,
            markup=False,
            emoji=False,
            _environ={},
        )
        console.print(Group(*parts))
        return "".join(log_line(line.rstrip()) + "\n" for line in stream.getvalue().splitlines())

    def table(self, columns: Columns, rows: Rows, *, wide: int = 0, total: bool = False) -> str:
        """A row each, `total`: the last set apart; names shortened in their middle. A block of lines each where the width is too small."""
        cells = list(zip(*rows, strict=True))
        widths = [
            max([cell_len(title), *(cell_len(str(cell)) for cell in column)])
            for title, column in zip(columns, cells, strict=True)
        ]
        names = [i for i, how in enumerate(columns.values()) if how is NAME]
        room = self.width - sum(w + 1 for i, w in enumerate(widths) if i not in names)
        if self.width < wide or (names and room < min(widths[names[0]], _NAME)):
            return self.draw(*(line for row in rows for line in _block(columns, row, self.width)))
        shown = [[shorten_middle(c, room) if i in names else c for i, c in enumerate(row)] for row in rows]
        shown[-1:] = [[""] * len(widths), *shown[-1:]] if total else shown[-1:]
        if names:
            widths[names[0]] = min(widths[names[0]], room)
        if sum(w + 1 for w in widths) <= self.width + 1:  # a line a row; the tables of rich take eight times as long
            heading: list[str | Text] = [Text(title, style="bold") for title in columns]
            return self.draw(*(_line(row, widths, columns) for row in [heading, *shown]))
        table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
        for title, how in columns.items():
            table.add_column(title, **how)
        for row in shown:
            table.add_row(*row)
        return self.draw(table)


def _line(row: Sequence[str | Text], widths: Sequence[int], columns: Columns) -> Text:
    """A row whose cells all fit into their columns."""
    line: list[str | Text] = []
    for cell, width, how in zip(row, widths, columns.values(), strict=True):
        blanks = " " * (width - cell_len(str(cell)))
        line += (blanks, cell, " ") if how is NUMBER else (cell, blanks, " ")
    return Text.assemble(*line[:-1], no_wrap=True)


@dataclass(frozen=True)
class Hanging:
    """A text of which all lines but the first are indented by two columns more."""

    text: Text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        """The lines, for rich."""
        start = len(self.text.plain) - len(self.text.plain.lstrip()) + 2
        if cell_len(self.text.plain) <= options.max_width:
            yield self.text
            return
        first, *rest = self.text.wrap(console, max(options.max_width - start, 1))
        yield first
        yield from (Padding(line, (0, 0, 0, start)) for line in rest)


def shorten_middle(name: str | Text, room: int) -> str | Text:
    """A name of at most so many columns, without its middle: the name of a file in a folder stays whole where it fits."""
    text = str(name)
    if cell_len(text) <= room:
        return name
    last = cell_len(text.rpartition("/")[2]) + 1
    end = last if room // 2 < last <= room - 2 else room // 2
    start = set_cell_size(text, room - 1 - end).rstrip()
    return f"{start}…{set_cell_size(text[::-1], end).rstrip()[::-1]}"


def _block(columns: Columns, row: Sequence[str | Text], width: int) -> Iterator[RenderableType]:
    """A row where there is no room for one: the name, below it each number with its title and unit, and the other cells as they are."""
    yield Text(str(row[0]), style="bold", overflow="fold")
    for (title, how), cell in zip([*columns.items()][1:], row[1:], strict=True):
        label, _, unit = title.partition(" [")
        if str(cell) in ("–", ""):
            continue
        if how is not NUMBER:
            yield Padding(cell, (0, 0, 0, 2))
        else:
            unit = "" if " " in str(cell) else unit[:-1]  # words, as those of a total
            line = f"  {label.lower():<8}{cell!s:>12} {unit}".rstrip()
            yield Text(line if len(line) <= width else f"  {label.lower()} {cell} {unit}".rstrip())


#: Findings about one number: the quantity that each stands below.
_CONCERNS = {
    "implausible-density": "Density",
    "implausible-mass": "Mass",
    "implausible-size": "Size",
    "unknown-mass": "Mass",
    "units-overridden": "Size",
    "wide-uncertainty": "Volume",
    "uncertain-volume": "Volume",
    "coarse-coordinates": "Volume",
}
#: Names of numbers, units and ± beside the numbers.
QUIET = "dim"


def table_with_findings(
    quantities: Sequence[Quantity],
    findings: Sequence[Finding],
    units: OutputUnits,
    screen: TextOutput,
    between: Iterable[RenderableType] = (),
) -> list[RenderableType]:
    """The quantities, a finding about one of them right below it; the other findings below what stands `between`."""
    names = {q.name for q in quantities}
    concerned = [f for f in findings if _CONCERNS.get(f.code) in names and f.severity != "info"]
    below: dict[str, list[Text]] = {}
    for f in concerned:
        below.setdefault(_CONCERNS[f.code], []).append(finding_line(f, units))
    rest = [f for f in findings if f not in concerned]
    block = findings_block(rest, screen, units) if rest or not concerned else []
    given = ", if the filled holes are as assumed" if any(f.code == "filled-holes" for f in findings) else ""
    return [*quantity_lines(quantities, units, screen, below, given), *between, *block]


def quantity_lines(
    quantities: Sequence[Quantity],
    units: OutputUnits,
    screen: TextOutput,
    below: Mapping[str, Sequence[Text]] = MappingProxyType({}),
    given: str = "",
) -> Iterator[Text]:
    """Titles, up to three numbers in a line, each with its name, and a column for ±; one number a line where that is too wide.

    `given`: on what condition numbers without ± are exact.
    """
    entries = [q.entries(units) for q in quantities]
    number = max(len(n) for row in entries for _, n in row)
    name = max(len(n) for row in entries for n, _ in row)
    title = max((len(q.title(units)) for q in quantities if len(q.title(units)) <= _TITLE), default=0)
    most = max(len(row) for row in entries)
    column = title + min(most, 3) * (name + number + 2) + 2
    errors = [q.errors(units, everything=screen.verbose) for q in quantities]
    note = []
    if any(q.off and max(map(abs, q.values)) <= max(q.off) for q in quantities if q.name in ("Mass", "Volume")):
        note = [dim("No ±: unknown, since mass or volume may be zero")]
    elif any(not e and (q.off or q.sigma) for q, e in zip(quantities, errors, strict=True)):
        note = [dim(f"No ±: exact to the digits shown{given} (-v lists all)")]
    if screen.width < column + max(map(len, errors)):
        yield from [*_narrow(quantities, units, screen, below), *note]
        return
    for q, row, error in zip(quantities, entries, errors, strict=True):
        label = q.title(units)
        if len(label) > title:
            yield _titled(label, "bold")
            label = ""
        for start in range(0, len(row), 3):
            line = _titled(f"{label:<{title}}")
            for n, x in row[start : start + 3]:
                line.append(f" {n:>{name}}", QUIET).append(f" {x:>{number}}")
            line.append(" " * (column - line.cell_len)).append("" if start else error, QUIET)
            line.rstrip()
            yield line
            label = ""
        yield from below.get(q.name, ())
    yield from note


def _titled(label: str, style: str = "") -> Text:
    """The title of a quantity, whose unit is in a quieter colour."""
    name, mark, unit = label.partition(" [")
    return Text.assemble((name, style), (mark + unit, QUIET))


def _narrow(
    quantities: Sequence[Quantity], units: OutputUnits, screen: TextOutput, below: Mapping[str, Sequence[Text]]
) -> Iterator[Text]:
    indent = "  " if screen.width >= 22 else ""
    for above, q in zip((None, *quantities), quantities, strict=False):
        yield from below.get(above.name, ()) if above else ()
        entries, title = q.entries(units), q.title(units)
        whole = q.errors(units, everything=screen.verbose)
        if len(entries) == 1:
            line = f"{title:<19}{entries[0][1]:>9}  {whole}".rstrip()
            if len(line) <= screen.width and len(title) < 19:
                yield Text(line)
                continue
        yield _titled(title, "bold")
        for i, (name, number) in enumerate(entries):
            line, error = (
                f"{indent}{name:<4}{number:>12}",
                q.errors(units, i, everything=True) if whole and len(entries) <= 3 else "",
            )
            is_long = len(line) + 2 + len(error) > screen.width
            yield Text(line if is_long else f"{line}  {error}".rstrip())
            if is_long:
                yield Text(f"{indent}{error:>16}")
        if len(entries) > 3 and whole:
            yield Text(f"{indent}each {whole:>11}")


def finding_line(f: Finding, units: OutputUnits) -> Text:
    """``severity code: message``, with its quantities in these units."""
    return Text.assemble((f"{f.severity} {plain(f.code)}: ", STYLES[f.severity]), plain(units.sentence(f.marked)))


def finding_lines(findings: Sequence[Finding], screen: TextOutput, units: OutputUnits) -> list[Text]:
    """A line for each finding, of one code at most three."""
    lines = ((f.code, finding_line(f, units)) for f in findings)
    return [*some_of_each(lines, screen.verbose, dim)]


def dim(text: str) -> Text:
    """A line that matters less."""
    return Text(plain(text), style="dim")


def findings_block(findings: Sequence[Finding], screen: TextOutput, units: OutputUnits) -> list[RenderableType]:
    """The findings, a line each, below their title."""
    if not findings:
        return [Text.assemble(("Findings  ", "bold"), "none")]
    return [
        Text("Findings", style="bold"),
        *(Padding(line, (0, 0, 0, 2)) for line in finding_lines(findings, screen, units)),
    ]
