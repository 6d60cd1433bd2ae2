"""Rows of CSV and Markdown tables: a row for each input, also for one without a mass or with an error."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from massprops.formats.bodies.csv_markdown import COLUMNS, DIMENSIONS, markdown_cells
from massprops.formats.escaping import csv_cell, csv_line, markdown
from massprops.formats.inertial.numbers import shortest
from massprops.measurement.output_units import OutputUnits

if TYPE_CHECKING:
    from massprops.measurement.result import Measurement
    from massprops.rigid_body.line import Line

_GEOMETRY = ("volume [m3]", "area [m2]")
_AXIS = ("axis inertia [kg m2]", "axis radius of gyration [m]")
_SECTION = (
    *("perimeter [m]", "centroid x [m]", "centroid y [m]"),
    *("section Ixx [m4]", "section Iyy [m4]", "section Ixy [m4]"),
    *("section Wpl x [m3]", "section Wpl y [m3]"),
)
_TORSION = ("section J [m4]", "warping constant [m6]", "shear centre x [m]", "shear centre y [m]")

#: Powers as heads of CSV have them.
_ASCII = str.maketrans("²³⁴⁶", "2346")


class Rows:
    """A table of bodies, with columns for volume and area (`geometry`), for sections and their torsion, and for the moment of
    inertia and the radius of gyration about a `line`.

    The last column is the code of an error. Numbers are in SI, unless `units` were asked for (``mm,g``), of so many `digits`.
    """

    def __init__(
        self,
        kind: str,
        *,
        geometry: bool = False,
        sections: bool = False,
        torsion: bool = False,
        line: Line | None = None,
        units: str | None = None,
        digits: int | None = None,
    ) -> None:
        self._csv = kind == "csv"
        self._units = None if units is None else OutputUnits(digits=digits).chosen(units)
        self._line_of = line
        columns = (
            (_GEOMETRY[not geometry :], geometry or sections),
            (_SECTION, sections),
            (_TORSION, torsion),
            (_AXIS, line is not None),
        )
        self._extra = tuple(title for titles, shown in columns if shown for title in titles)

    def head(self) -> str:
        """The titles of the columns."""
        return self._head(*COLUMNS, *self._extra, "error")

    def cells(self, text: str) -> list[list[str]]:
        """The cells of every row in a table of bodies."""
        if self._csv:
            return [*csv.reader(io.StringIO(text))][1:]
        return [markdown_cells(line) for line in text.split("\n")[2:-1]]

    def of(self, cells: list[str], measured: Measurement | None = None) -> str:
        """The row of one body: `cells` are of its own table, which has been read back and compared."""
        return self._line([*cells, *self._cells(measured, "")])

    def without_mass(self, name: str, measured: Measurement | None, code: str = "") -> str:
        """The row of an input of which no mass is known: of a solid or a sheet with its centre, or of an error."""
        center = [] if measured is None or measured.section else measured.center_of_mass.tolist()
        numbers = ["", *(self._value(x, "m") for x in center)]
        escaped = csv_cell if self._csv else markdown
        blank = [""] * (len(COLUMNS) - 1 - len(numbers))
        return self._line([escaped(name), *numbers, *blank, *self._cells(measured, escaped(code))])

    def _cells(self, measured: Measurement | None, code: str) -> list[str]:
        known: dict[str, float | None] = {}
        if measured is not None:
            known = dict(zip(_GEOMETRY, (measured.volume, measured.area), strict=True))
        if measured is not None and (section := measured.section) is not None:
            i = section.about_centroid
            plastic = (None, None) if section.plastic is None else (section.plastic.modulus[axis] for axis in "xy")
            numbers = (section.perimeter, *section.centroid.tolist(), i.Ixx, i.Iyy, i.Ixy, *plastic)
            known |= dict(zip(_SECTION, numbers, strict=True)) | {_GEOMETRY[1]: section.area}
            if (t := section.torsion) is not None:
                known |= dict(zip(_TORSION, (t.constant, t.warping_constant, *t.shear_center.tolist()), strict=True))
        if measured is not None and self._line_of is not None and measured.properties is not None:
            known |= dict(zip(_AXIS, self._line_of.of(measured.properties)[:2], strict=True))
        values = [(known.get(title), title.removesuffix("]").partition(" [")[2]) for title in self._extra]
        return [*("" if v is None else self._value(v, unit) for v, unit in values), code]

    def converted(self, text: str) -> str:
        """A table of bodies in SI in the units that were asked for."""
        if self._units is None:
            return text
        units = [title.removesuffix("]").partition(" [")[2] for title in COLUMNS[1:]]
        rows = self.cells(text)
        values = ([name, *(self._value(float(c), u) for c, u in zip(row, units, strict=True))] for name, *row in rows)
        return self._head(*COLUMNS) + "".join(map(self._line, values))

    def _head(self, *titles: str) -> str:
        rule = "" if self._csv else self._line(["---" if t in ("name", "error") else "---:" for t in titles])
        return self._line(list(map(self._title, titles))) + rule

    def _title(self, title: str) -> str:
        name, _, unit = title.removesuffix("]").partition(" [")
        if not unit or self._units is None:
            return title
        return f"{name} [{self._units.label(DIMENSIONS[unit]).translate(_ASCII)}]"

    def _value(self, value: float, unit: str) -> str:
        """A number in SI in the units."""
        if self._units is None:
            return shortest(value)
        shown = self._units.of(value, DIMENSIONS[unit])
        return shortest(float(f"{shown:.{self._units.digits}g}") if self._units.digits else shown)

    def _line(self, cells: list[str]) -> str:
        return csv_line(cells) if self._csv else f"| {' | '.join(cells)} |\n"
