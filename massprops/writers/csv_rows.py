"""Rows of CSV and Markdown tables: a row for each input, also for one without a mass or with an error.

Tests: `tests/writers/test_tables.py`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from massprops.formats.bodies.csv_markdown import COLUMNS, DIMENSIONS, markdown_cells
from massprops.formats.escaping import csv_cell, csv_line, markdown
from massprops.formats.inertial.numbers import shortest
from massprops.measurement.output_units import OutputUnits
from massprops.measurement.quantities import QUANTITIES, SECTION, Keys, value_at
from massprops.units import Dimension

if TYPE_CHECKING:
    from massprops.measurement.result import Measurement
    from massprops.rigid_body.line import Line


class _Column(NamedTuple):
    """A column: its name, the dimension of its numbers, and their place in the JSON result."""

    name: str
    dimension: Dimension | None = None
    keys: Keys = ()


def _columns(*quantities: tuple[str, str]) -> list[_Column]:
    """A column for each number of these quantities: the words that its name begins with, and the place of the quantity."""
    found = [(name, QUANTITIES[path]) for name, path in quantities]
    return [_Column(f"{n} {end}".rstrip(), q.dimension, keys) for n, q in found for end, keys in q.keys.items()]


_TITLES = [title.removesuffix("]").partition(" [") for title in COLUMNS]
_BODY = [_Column(name, DIMENSIONS.get(unit)) for name, _, unit in _TITLES]
_GEOMETRY = _columns(("volume", "volume"), ("area", "area"))
_SECTION = _columns(
    *(("perimeter", "perimeter"), ("centroid", "centroid")),
    *(("section", "section.about_centroid"), ("section Wpl", "section.plastic.modulus")),
)
_SECTION += [
    _Column(f"section Wel {end}", q.dimension, keys)
    for q in SECTION
    if q.path == "section.moduli" and not q.is_detail
    for end, keys in q.keys.items()
]
_TORSION = _columns(
    *(("section J", "section.torsion.constant"), ("warping constant", "section.torsion.warping_constant")),
    ("shear centre", "section.torsion.shear_center"),
)
_AXIS = _columns(
    ("axis inertia", "inertia.about_axis.moment"), ("axis radius of gyration", "inertia.about_axis.radius_of_gyration")
)

#: Powers as titles of CSV have them.
_ASCII = str.maketrans("²³⁴⁶", "2346")


class Rows:
    """A table of bodies, with columns for volume and area (`geometry`), for sections and their torsion, and for the moment of
    inertia and the radius of gyration about the `line` of each; those of the bodies are left out where none has a mass (`bodies`).

    The last column is the code of an error. Numbers are in SI, unless `units` were asked for (``mm,g``), of so many `digits`.
    """

    def __init__(
        self,
        kind: str,
        *,
        bodies: bool = True,
        geometry: bool = False,
        sections: bool = False,
        torsion: bool = False,
        line: Callable[[Measurement], Line | None] | None = None,
        units: str | None = None,
        digits: int | None = None,
    ) -> None:
        self._csv = kind == "csv"
        self._units = None if units is None else OutputUnits(digits=digits).chosen(units)
        self._line_of = line
        self._body = _BODY if bodies else _BODY[:1]
        self._extra = [
            *(_GEOMETRY[not geometry :] if geometry or sections else ()),
            *(_SECTION if sections else ()),
            *(_TORSION if torsion else ()),
            *(_AXIS if line is not None else ()),
        ]

    def head(self) -> str:
        """The titles of the columns."""
        return self._head([*self._body, *self._extra, _Column("error")])

    def cells(self, text: str) -> list[list[str]]:
        """The cells of every row in a table of bodies."""
        if self._csv:
            return [*csv.reader(io.StringIO(text))][1:]
        return [markdown_cells(line) for line in text.split("\n")[2:-1]]

    def of(self, cells: list[str], measured: Measurement | None = None) -> str:
        """The row of one body: `cells` are of its own table, which has been read back and compared."""
        return self._line([*cells, *self._cells(measured, "")])

    def without_mass(self, name: str, measured: Measurement | None, code: str = "") -> str:
        """The row of an input without a known mass: of a solid or a sheet with its centre, or of an error."""
        center = [] if measured is None or measured.section else measured.center_of_mass.tolist()
        numbers = ["", *(self._number(x, (0, 1)) for x in center)]
        escaped = csv_cell if self._csv else markdown
        cells = [escaped(name), *numbers, *[""] * len(_BODY)][: len(self._body)]
        return self._line([*cells, *self._cells(measured, escaped(code))])

    def _cells(self, measured: Measurement | None, code: str) -> list[str]:
        line = self._line_of(measured) if self._line_of and measured is not None else None
        result: dict[str, Any] = {} if measured is None else measured.numbers(axis=line)
        if result.get("section"):
            result["area"] = result["section"]["area"]
        return [*(self._number(value_at(result, c.keys), c.dimension) for c in self._extra), code]

    def converted(self, text: str) -> str:
        """A table of bodies in SI in the units that were asked for."""
        if self._units is None:
            return text
        rows = ((name, zip(row, _BODY[1:], strict=True)) for name, *row in self.cells(text))
        lines = ([name, *(self._number(float(cell), c.dimension) for cell, c in cells)] for name, cells in rows)
        return self._head(_BODY) + "".join(map(self._line, lines))

    def _head(self, columns: Sequence[_Column]) -> str:
        units = self._units or OutputUnits()
        titles = [c.name if c.dimension is None else f"{c.name} [{units.label(c.dimension)}]" for c in columns]
        rule = "" if self._csv else self._line(["---" if c.dimension is None else "---:" for c in columns])
        return self._line([title.translate(_ASCII) for title in titles]) + rule

    def _number(self, value: float | None, dimension: Dimension | None) -> str:
        """A number in SI in the units; empty for None."""
        if value is None:
            return ""
        if self._units is None or dimension is None:
            return shortest(value)
        shown = self._units.of(value, dimension)
        return shortest(float(f"{shown:.{self._units.digits}g}") if self._units.digits else shown)

    def _line(self, cells: list[str]) -> str:
        return csv_line(cells) if self._csv else f"| {' | '.join(cells)} |\n"
