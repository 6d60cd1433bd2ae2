"""Rows of CSV and Markdown tables: a row for each input, also for one without a mass or with an error."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from massprops.formats.inertial.csv_markdown import COLUMNS, marked
from massprops.formats.inertial.numbers import shortest

if TYPE_CHECKING:
    from massprops.section.properties import Section

_SECTION = (
    *("area [m2]", "perimeter [m]", "centroid x [m]", "centroid y [m]"),
    *("section Ixx [m4]", "section Iyy [m4]", "section Ixy [m4]"),
)


class Rows:
    """A table of bodies; with `sections` it has columns for them. The last column is the code of an error."""

    def __init__(self, kind: str, *, sections: bool = False) -> None:
        self._csv = kind == "csv"
        self._extra = (*(_SECTION if sections else ()), "error")

    def head(self) -> str:
        """The titles of the columns."""
        titles = [*COLUMNS, *self._extra]
        rule = "" if self._csv else self._line(["---", *["---:"] * (len(titles) - 2), "---"])
        return self._line(titles) + rule

    def split(self, text: str) -> list[str]:
        """A table of bodies as a table for each of them."""
        if self._csv:
            head, *rows = csv.reader(io.StringIO(text)) if text else [list(COLUMNS)]
            return [self._line(head) + self._line(row) for row in rows]
        lines = text.splitlines(keepends=True)
        return ["".join([*lines[:2], line]) for line in lines[2:]]

    def of(self, text: str, section: Section | None = None) -> str:
        """The row of one body: `text` is its own table, which has been read back and compared."""
        own = text[len(self._line(COLUMNS)) :] if self._csv else text.split("\n", 2)[2]
        rest = self._line(self._cells(section, ""))
        return own.removesuffix("\n") + ("," + rest if self._csv else rest.removeprefix("|"))

    def without_mass(self, name: str, section: Section | None, code: str = "") -> str:
        """The row of an input of which no mass is known."""
        return self._line([name, *[""] * (len(COLUMNS) - 1), *self._cells(section, code)])

    def _cells(self, section: Section | None, code: str) -> list[str]:
        if section is None:
            return [*[""] * (len(self._extra) - 1), code]
        i = section.about_centroid
        numbers = (section.area, section.perimeter, *section.centroid.tolist(), i.Ixx, i.Iyy, i.Ixy)
        return [*map(shortest, numbers), code]

    def _line(self, cells: list[str] | tuple[str, ...]) -> str:
        if not self._csv:
            return f"| {' | '.join(marked(list(cells)))} |\n"
        stream = io.StringIO()
        csv.writer(stream, lineterminator="\n").writerow(cells)
        return stream.getvalue()
