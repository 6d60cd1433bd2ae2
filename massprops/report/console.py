"""What a report is drawn on: so many columns, with colour or without."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from massprops.findings import Finding
from massprops.formats.escaping import log_line, plain
from massprops.measurement.output_units import OutputUnits

STYLES = {"error": "bold red", "warning": "yellow", "info": "cyan"}
#: Columns of a table: the name of a row, a text, a number, and a word that is broken at its hyphens alone, since one searches for it.
NAME: dict[str, Any] = {"overflow": "fold", "ratio": 1}
TEXT: dict[str, Any] = {"overflow": "fold"}
NUMBER: dict[str, Any] = {"justify": "right", "no_wrap": True}
CODE: dict[str, Any] = {"no_wrap": True, "max_width": 14}


@dataclass(frozen=True)
class Screen:
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
        """Those that were asked for, else the unit of a file and one that suits a mass, kg."""
        return OutputUnits.suited(length, mass, self.digits).chosen(self.output_units)

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

    def table(
        self,
        columns: Mapping[str, Mapping[str, Any]],
        rows: Sequence[Sequence[str | Text]],
        *,
        wide: int,
        total: bool = False,
    ) -> str:
        """A row each, with `total` the last set apart; where there are fewer than `wide` columns, a block of lines each."""
        if self.width < wide:
            return self.draw(*(line for row in rows for line in _block(list(columns), row)))
        table = Table(box=None, pad_edge=False, header_style="bold")
        for title, how in columns.items():
            table.add_column(title, **how)
        for number, row in enumerate(rows, 1):
            cells = (_at_hyphens(c) if how is CODE else c for how, c in zip(columns.values(), row, strict=True))
            table.add_row(*cells, end_section=total and number == len(rows) - 1)
        return self.draw(table)


def _block(titles: Sequence[str], row: Sequence[str | Text]) -> Iterator[RenderableType]:
    """A row where there is no room for one: the name, below it each number with its unit, and the other cells as they are."""
    yield Text(str(row[0]), style="bold", overflow="fold")
    for title, cell in zip(titles[1:], row[1:], strict=True):
        label, _, unit = title.partition(" [")
        if not unit:
            yield Padding(cell, (0, 0, 0, 2))
        elif str(cell) != "–":
            yield from (
                Text(f"  {label.split()[-1].lower():<8}{line:>16} {unit[:-1]}") for line in str(cell).split("\n")
            )


def _at_hyphens(cell: str | Text) -> Text:
    """Broken into lines that fit a column, never within a word."""
    text = Text(cell) if isinstance(cell, str) else cell
    lines = (part for line in text.plain.splitlines() for part in wrap(line, CODE["max_width"]))
    return Text("\n".join(lines), style=text.style)


def finding_line(f: Finding) -> Text:
    """``severity code: message``."""
    return Text.assemble((f"{f.severity} {plain(f.code)}: ", STYLES[f.severity]), plain(f.message))


def number(value: float | None) -> str:
    """Nine significant digits; a dash where there is no number."""
    return "–" if value is None else f"{value + 0.0:.9g}"  # + 0.0: no negative zero
