"""Tables of bodies as they come: what this program wrote, what a spreadsheet made of it, and mass budgets kept in one.

Columns stand in any order, in English or German, with any unit in brackets or in the cells; without one they are kg and m. A row is a point
mass unless it has all six entries of a tensor. Commas, semicolons or tabs separate the cells; numbers may have decimal commas.

Tests: `tests/formats/bodies/test_mass_table.py`.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np

from massprops.errors import ReadError, as_read_error
from massprops.formats.escaping import from_csv_cell
from massprops.formats.inertial.inertial import ENTRIES, FileBodies, Inertial, ItemBudget, NamedBody, symmetric
from massprops.formats.inertial.numbers import number
from massprops.formats.spreadsheets import has_decimal_commas, named_separator
from massprops.formats.text import quote, split_lines
from massprops.frames import Pose
from massprops.moments.arrays import Array
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.tensors import point_inertia
from massprops.units import Dimension, factor_of, is_unit
from massprops.values import regex
from massprops.wording import plural

_TENSOR = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
#: The names of a column, without blanks, dots, hyphens and underscores, in lower case.
_SYNONYMS = {
    "name": "name part item component equipment bezeichnung benennung bauteil teil komponente",
    "mass": "mass weight m masse gewicht",
    "unit mass": "unitmass masseach eachmass pieceweight unitweight einzelmasse stückmasse einzelgewicht stückgewicht",
    "total mass": "totalmass totalweight gesamtmasse gesamtgewicht",
    **{axis: " ".join((axis, *(f"{p}{axis} {axis}{p}" for p in ("cg", "cog", "com")))) for axis in "xyz"},
    "count": "count qty quantity pieces pcs anzahl stück stückzahl menge",
    "growth": "growth mga growthallowance massgrowthallowance contingency margin zuschlag massenzuschlag reserve",
    "group": "group subsystem gruppe baugruppe",
    "maturity": "maturity reife reifegrad",
    "limit": "limit masslimit grenze massengrenze",
    "error": "error",
    **{entry: entry for entry in _TENSOR},
}
_KNOWN = {word: column for column, words in _SYNONYMS.items() for word in words.split()}
_DIMENSIONS: dict[str, Dimension] = dict.fromkeys(("mass", "unit mass", "total mass", "limit", "growth"), (1, 0))
_DIMENSIONS |= dict.fromkeys("xyz", (0, 1)) | dict.fromkeys(_TENSOR, (1, 2))
#: Columns without numbers.
TEXTS = ("name", "group", "maturity")
_MASSES = ("mass", "unit mass", "total mass")
#: Columns that may be bare, and the unit that they have then.
_BARE = {"kg": (*_MASSES, "limit"), "m": tuple("xyz"), "kg m2": _TENSOR}
#: A number and the unit behind it.
_WITH_UNIT = regex(r"([+−-]?[\d.,]++(?:[eE][+−-]?\d++)?+)\s*(%|[\"']|[^\W\d_].*)")
_UNIT = regex(r"(.*?)\s*(?:\[\s*(.*?)\s*\]|\(\s*(.*?)\s*\)|\s(?:in|/)\s+(\S+))", re.DOTALL)
#: Words in the name of a row that is a sum of others.
_TOTALS = regex(
    r"(?:.*[\W\d_])?(?:sub-?total|totals?|sum|(?:zwischen|teil|gesamt)?summe|gesamt(?:masse)?|(?:gesamt)?ergebnis|insgesamt|overall|[Σ∑])(?:[\W\d_].*)?",
    re.DOTALL | re.IGNORECASE,
)
#: Titles of columns that change what the others mean, and what to do.
_UNREAD = {
    "unit": ("unit units einheit einheiten massunit lengthunit", "write the units into the titles, as in 'mass [g]'"),
    "turn": ("roll pitch yaw rpy orientation rotation quaternion", "give the tensor along the axes of the table"),
    "parent": ("parent elternteil", "remove it, and rows that have parts of their own"),
    "level": ("level indent ebene stufe", "remove it, and rows that have parts of their own"),
}
#: Of a stated total: half a unit of its last digit, and the rounding of the sum.
_ROUNDING = 1e-12
#: Share by which a sum of rows may differ from them, since a table has few digits; that ten numbers agree so well is no chance.
_DIGITS = 5e-3
COLUMNS = "name, mass [kg], x [m], y [m], z [m], and for bodies that are no points Ixx … Iyz [kg m2]"


@dataclass(frozen=True)
class _Column:
    """Place of a column, its title, and the unit that it states."""

    at: int
    title: str
    unit: str = ""


@dataclass(frozen=True)
class Row:
    """The cells of a row, and its place, ``file:line``."""

    cells: Sequence[str]
    place: str

    def text(self, column: _Column | None) -> str:
        """A cell without the blanks around it; empty where there is none."""
        return self.cells[column.at].strip() if column is not None and column.at < len(self.cells) else ""


def recognises(text: str) -> bool:
    """Whether a text begins with the titles of a mass, and of a name or a place in space; plane points may have masses, too."""
    lines = [line for line in split_lines(text[: 1 << 14].removeprefix("\ufeff")) if line.strip()][:2]
    head = lines[-1:] if lines and named_separator(lines[0]) else lines[:1]
    return has_titles([cell for line in head for cell in next(csv.reader([line], delimiter=_separator(line)), [])])


def has_titles(cells: Iterable[str]) -> bool:
    """Like `recognises`, of the cells of a row."""
    found = {_title(cell)[0] for cell in cells}
    return bool(found & set(_MASSES)) and ("z" in found or ("name" in found and "x" not in found))


def column_of(title: str) -> str | None:
    """The column that a title means, None for one that is not read."""
    return _title(title)[0]


def read(text: str, path: str) -> FileBodies:
    """The bodies of a table, in the order of its rows.

    Raises
    ------
    ReadError
        Naming the line and the column: codes ``missing-column``, ``two-columns``, ``bad-csv``, ``bad-number``, ``decimal-comma``,
        ``unknown-unit``, ``wrong-dimension``, ``count-of-mass``, ``wrong-total``, ``unread-column``.
    """
    rows = _rows(text.removeprefix("\ufeff"), path)
    if not rows:
        raise ReadError(f"{path}: the table is empty", code="missing-column", hint=f"expected: {COLUMNS}")
    header = [cell.strip() for cell in rows[0].cells]
    while header and not header[-1]:
        header.pop()
    return bodies_of(header, rows[1:], path, from_csv_cell, rows[0].place)


def _rows(text: str, path: str) -> list[Row]:
    """All rows that have a filled cell."""
    first, _, rest = text.partition("\n")
    said = named_separator(first.rstrip("\r"))
    start, text = (1, rest) if said else (0, text)
    head = next((line for line in split_lines(text[: 1 << 16]) if line.strip()), "")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=said or _separator(head), strict=True)
    try:
        return [Row(row, f"{path}:{start + reader.line_num}") for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise ReadError(f"{path}:{start + reader.line_num}: is not CSV: {error}", code="bad-csv") from error


def _separator(head: str) -> str:
    """Separator of the titles: the first of semicolon, tab and comma that stands outside quotes and brackets."""
    bare = re.sub(r'"[^"]*"|\[[^\]]*\]|\([^)]*\)', "", head)
    return next((mark for mark in ";\t" if mark in bare), ",")


def _title(title: str) -> tuple[str | None, str | None]:
    """The column that a title means, None for an unknown one, and its unit."""
    match = _UNIT.fullmatch(title.strip())
    name, unit = (match[1], match[2] or match[3] or match[4]) if match else (title, None)
    return _KNOWN.get(_word(name)), unit


def _word(title: str) -> str:
    return re.sub(r"[\s._-]", "", title).lower()


def _unread(header: Sequence[str], path: str) -> Iterator[tuple[str, _Column, ReadError]]:
    """The columns that change what the others mean: what they state, where they are, and why they are refused."""
    for at, title in enumerate(header):
        for meaning, (words, hint) in _UNREAD.items():
            if _word(_UNIT.sub(r"\1", title)) in words.split():
                what = f"{path}: the column {quote(title)} is not read, and changes what the others mean"
                yield meaning, _Column(at, title), ReadError(what, code="unread-column", hint=hint)


def _columns(header: Sequence[str], path: str) -> dict[str, _Column]:
    """The columns that are known, with the factors of their units."""
    found: dict[str, _Column] = {}
    for at, title in enumerate(header):
        name, unit = _title(title)
        if name is None:
            continue
        if name in found and name == "name":
            continue
        if name in found:
            what = f"{path}: the columns {quote(found[name].title)} and {quote(title)} are both {name}"
            raise ReadError(what, code="two-columns", hint="rename one of them")
        found[name] = _Column(at, title, unit or "" if name in _DIMENSIONS else "")
        _factor(name, found[name].unit, f"{path}: column {quote(title)}")
    masses = [name for name in _MASSES if name in found]
    wanted = ["mass" if not masses else masses[0], "x", "y", "z", *(_TENSOR if set(_TENSOR) & set(found) else ())]
    if missing := next((name for name in wanted if name not in found), None):
        shown = missing if missing not in _TENSOR else missing.capitalize()
        raise ReadError(f"{path}: has no column {shown!r}", code="missing-column", hint=f"expected: {COLUMNS}")
    if len(masses) > 1 and (others := {"unit mass", "total mass"} - set(masses)):
        one, other = (quote(found[name].title) for name in masses[:2])
        what = f"{path}: the columns {one} and {other} are both masses"
        raise ReadError(what, code="two-columns", hint=f"rename one, or name the other {others.pop()}")
    return found


def _factor(name: str, unit: str, place: str) -> Fraction:
    """Factor of a unit to SI: that of the numbers of a column, or a share."""
    if not unit or (name == "growth" and unit.strip() == "%"):
        return Fraction(1, 100) if unit else Fraction(1)
    with as_read_error(place):
        return factor_of(unit, _DIMENSIONS[name])


def _split(cell: str) -> tuple[str, str]:
    """The number of a cell, and the unit behind it."""
    match = _WITH_UNIT.fullmatch(cell)
    return (match[1], match[2]) if match else (cell, "")


def bodies_of(
    header: Sequence[str],
    rows: Sequence[Row],
    path: str,
    unescaped: Callable[[str], str],
    place: str = "",
    above: Iterable[str] = (),
) -> FileBodies:
    """The bodies of rows below a header; names as `unescaped` makes them. What stands `above` the header has no unit for it."""
    columns = _columns(header, place or f"{path}:1")
    table = _Table(columns, len(header), unescaped)
    rows = [table.filled(row) for row in rows]
    for meaning, column, error in _unread(header, place or f"{path}:1"):
        if table.is_changed(meaning, column, rows):
            raise error
    table.has_commas = has_decimal_commas(*table.numbers(rows))
    sums = {row.place for k, row in enumerate(rows) if table.is_sum(row, is_first=k == 0)} if len(rows) > 1 else set()
    found = [(row, table.body(row) if row.place not in sums and table.has_mass(row) else None) for row in rows]
    bodies = [body for _, body in found if body is not None]
    if not math.isfinite(sum(abs(body.properties.mass) for body in bodies)):
        raise ReadError(f"{path}: the sum of the masses is too large for a double-precision number", code="bad-number")
    without = [row for row in rows if row.place not in sums and not table.has_mass(row)]
    points = sum(not body.stated.tensor.any() for body in bodies if body.stated is not None)
    remarks = [f"{path}: {plural(points, 'row')} without a tensor: point masses"] if points else []
    bare = [unit for unit in _BARE if bodies and table.is_bare(unit, rows)]
    if bare and (title := next((text for text in above if is_unit(_title(text)[1] or "")), None)) is not None:
        what = f"{place}: {quote(title)} above the titles may be the unit of those without one"
        raise ReadError(what, code="unread-column", hint="write the units into the titles, as in 'x [mm]'")
    general = tuple([f"{place or path}: no unit in the header: {' and '.join(bare)}"] if bare else [])
    remarks += general
    limits: dict[str, float] = {}
    remarks += table.check_sums(found, limits)
    names = tuple(table.name(row) or row.place for row in without)
    if "error" in columns:  # rows of `massprops compute` that are those of an error, or of a section without a mass
        return FileBodies(bodies, names, tuple(remarks), limits=limits, general=general)
    remarks += [
        f"{row.place}: {quote(name)} has no numbers: left out" for row, name in zip(without, names, strict=True)
    ]
    return FileBodies(bodies, (), tuple(remarks), limits=limits, general=general)


@dataclass
class _Table:
    """How the rows of a table are read."""

    columns: dict[str, _Column]
    width: int
    unescaped: Callable[[str], str]
    has_commas: bool = False
    parts: Sequence[tuple[Row, NamedBody]] = ()
    half_units: dict[str, Array] = field(default_factory=dict)

    def is_bare(self, unit: str, rows: Sequence[Row]) -> bool:
        """Whether a number that is not 0 stands without a unit, and is taken to be in this one."""
        bare = [c for name in _BARE[unit] if (c := self.columns.get(name)) and not c.unit]
        cells = (row.text(column) for row in rows for column in bare)
        return any(cell.strip("+-−0.,") and not _split(cell)[1] for cell in cells)

    def filled(self, row: Row) -> Row:
        """A row with a cell for each title; cells that a spreadsheet left out may be missing, but none of numbers."""
        needed = 1 + max(c.at for name, c in self.columns.items() if name in ("x", "y", "z", *_MASSES, *_TENSOR))
        beyond = [cell for cell in row.cells[self.width :] if cell.strip()]
        has_numbers = any(row.text(c) for name, c in self.columns.items() if name in _DIMENSIONS)
        if beyond or (has_numbers and len(row.cells) < needed):
            what = f"{row.place}: has {len(row.cells)} columns, the header has {self.width}"
            hint = "is a decimal comma or a comma in a name not quoted?" if beyond else "is the line cut off?"
            raise ReadError(what, code="bad-csv", hint=hint)
        return row

    def name(self, row: Row) -> str | None:
        """The name as the cell has it."""
        column = self.columns.get("name")
        cell = row.cells[column.at] if column is not None and column.at < len(row.cells) else ""
        return self.unescaped(cell) or None

    def has_mass(self, row: Row) -> bool:
        """Whether a row states a body; one with a place alone is refused."""
        if any(row.text(self.columns.get(name)) for name in _MASSES):
            return True
        is_placed = any(row.text(c) for name, c in self.columns.items() if name in _DIMENSIONS)
        if is_placed and "error" not in self.columns:
            raise ReadError(f"{row.place}: has no mass", code="bad-number", hint="state it, or remove the row")
        return False

    def is_sum(self, row: Row, *, is_first: bool) -> bool:
        """Whether the name of a row says that it is a sum; the first one with a tensor is a body."""
        return not (is_first and self.tensor(row)) and _TOTALS.fullmatch(self.name(row) or "") is not None

    def tensor(self, row: Row) -> list[str]:
        """The entries of the tensor that a row states."""
        return [entry for entry in _TENSOR if row.text(self.columns.get(entry))]

    def is_changed(self, meaning: str, column: _Column, rows: Sequence[Row]) -> bool:
        """Whether a column that is not read changes what a row states: its units, its axes, or what its mass is part of."""
        if meaning == "level":
            levels = [number(row.text(column) or "0", row.place, column.title) for row in rows if self.has_mass(row)]
            return any(a < b for a, b in pairwise(levels))
        told = {row.text(column) for row in rows} - {""}
        if meaning == "parent":
            return any(self.name(row) in told for row in rows if self.has_mass(row))
        return (
            bool(told) if meaning == "unit" else any(row.text(column).strip("0., ") for row in rows if self.tensor(row))
        )

    def numbers(self, rows: Iterable[Row]) -> tuple[list[str], Callable[[str], str]]:
        """The cells that have numbers, and the place of a cell."""
        columns = [c for name, c in self.columns.items() if name in _DIMENSIONS or name == "count"]
        cells = [(_split(cell)[0], row.place) for row in rows for c in columns if (cell := row.text(c))]
        return [cell for cell, _ in cells], lambda token: next(place for cell, place in cells if cell == token)

    def value(self, row: Row, name: str) -> float:
        """A number in SI; a share of growth is that of 1."""
        column, factor = self.columns[name], self._factor(row, name)
        value = self._plain(_split(row.text(column))[0], row, column)
        return value if factor == 1 else float(Fraction(repr(value)) * factor)

    def _factor(self, row: Row, name: str) -> Fraction:
        """Factor of the unit that a cell or its title states."""
        column, cell = self.columns[name], _split(row.text(self.columns[name]))[1]
        factor = _factor(name, cell or column.unit, f"{row.place}: {column.title}")
        if cell and column.unit and factor != _factor(name, column.unit, ""):
            what = f"{row.place}: {quote(row.text(column))} has another unit than its title, {quote(column.title)}"
            raise ReadError(what, code="two-units", hint="correct one of them")
        return factor

    def _plain(self, text: str, row: Row, column: _Column) -> float:
        text = text.replace("−", "-")
        return number(text.replace(",", ".") if self.has_commas else text, row.place, column.title)

    def mass(self, row: Row) -> tuple[float, int]:
        """Mass of all pieces of a row, and how many they are."""
        count = self._count(row)
        stated = {name: self.value(row, name) for name in _MASSES if row.text(self.columns.get(name))}
        if "unit mass" in stated:
            mass = count * stated["unit mass"]
            other = next((value for name, value in stated.items() if name != "unit mass"), mass)
            if abs(mass - other) > 1e-6 * abs(mass):
                what = f"{row.place}: {count} × {stated['unit mass']!r} kg are not {other!r} kg"
                raise ReadError(what, code="count-of-mass", hint="correct one of them")
            return mass, count
        if "mass" in stated and count != 1:
            what = f"{row.place}: of {count} pieces, {quote(self.columns['mass'].title)} may be that of one or of all"
            raise ReadError(what, code="count-of-mass", hint="name the column 'unit mass' or 'total mass'")
        return next(iter(stated.values())), count

    def _count(self, row: Row) -> int:
        column = self.columns.get("count")
        if column is None or not row.text(column):
            return 1
        count = self._plain(row.text(column), row, column)
        if count < 1 or count != int(count):
            what = f"{row.place}: {column.title} is {row.text(column)}, expected a whole number from 1"
            raise ReadError(what, code="bad-number", hint="correct it, or remove the row")
        return int(count)

    def body(self, row: Row) -> NamedBody:
        """The body of a row: a point mass, or with a tensor of all its pieces."""
        mass, count = self.mass(row)
        x, y, z = (self.value(row, axis) for axis in "xyz")
        given = self.tensor(row)
        if given and len(given) != len(_TENSOR):
            missing = next(entry for entry in _TENSOR if entry not in given)
            what = f"{row.place}: {missing.capitalize()} is empty, and other entries of the tensor are not"
            raise ReadError(what, code="bad-number", hint="give all six; a point mass has none")
        if given and count > 1:
            what = f"{row.place}: {count} pieces with a tensor"
            raise ReadError(what, code="count-of-mass", hint="give each piece a row, with its own place")
        tensor = symmetric(*(self.value(row, entry) if given else 0.0 for entry in _TENSOR))
        stated = Inertial(mass, Pose.from_xyz_rpy((x, y, z)), tensor)
        return replace(NamedBody.of(self.name(row), stated, row.place, "csv"), budget=self._budget(row, mass))

    def _budget(self, row: Row, mass: float) -> ItemBudget | None:
        """Statements of a row about the mass budget."""
        texts = {name: row.text(self.columns.get(name)) for name in ("growth", "group", "maturity", "limit")}
        if not any(texts.values()):
            return None
        limit = self.value(row, "limit") if texts["limit"] else None
        growth = self._growth(row, mass) if texts["growth"] else 0.0
        return ItemBudget(growth, texts["maturity"], texts["group"] or None, limit)

    def _growth(self, row: Row, mass: float) -> float:
        """Growth as a share of a mass, whether the cell states a mass or a share."""
        column, value = self.columns["growth"], self.value(row, "growth")
        most = 1.0 if self._is_share(row) else mass
        if not 0.0 <= value <= abs(most):
            what = f"{row.place}: {column.title} is {row.text(column)}, expected at most the mass, and not below 0"
            raise ReadError(what, code="bad-number", hint="for example 15%, 0.15 or 0.2 kg")
        return value / most if most else 0.0

    def _is_share(self, row: Row) -> bool:
        """Whether a growth is a share of the mass."""
        column = self.columns["growth"]
        return (_split(row.text(column))[1] or column.unit).strip() in ("", "%")

    def _half_unit(self, row: Row, name: str) -> tuple[int, float]:
        """Decimals of a number, and half a unit of the last one in SI."""
        self.value(row, name)  # it is a number
        digits, _, exponent = _split(row.text(self.columns[name]))[0].replace(",", ".").lower().partition("e")
        count = len(digits.partition(".")[2])
        place = (int(exponent.replace("−", "-") or 0) if digits.strip("+-−.0") else 0) - count  # 0e9 is 0
        return count, 0.5 * float(f"1e{place}") * float(self._factor(row, name))

    def _half_units(self, name: str) -> Array:
        """Decimals of the numbers of a column, −1 for an empty cell, and half a unit of the last one, of each row of a body."""
        if name not in self.half_units:
            column = self.columns[name]
            found = [self._half_unit(r, name) if r.text(column) else (-1, 0.0) for r, _ in self.parts]
            self.half_units[name] = np.array(found, float).reshape(-1, 2).T
        return self.half_units[name]

    def _rounding(self, row: Row, name: str, of: slice, weights: Array) -> float:
        """Rounding of the rows of a sum, in a column that shows all numbers with as many decimals; a copy of one row has none."""
        decimals, halves = self._half_units(name)[:, of]
        if [*weights] == [1] or (decimals[decimals >= 0] != self._half_unit(row, name)[0]).any():
            return 0.0
        return float((halves * np.abs(weights)).sum())

    @cached_property
    def _numbers(self) -> tuple[Array, ...]:
        """Masses, centres and tensors of all bodies, the mass by which each may grow, and its pieces."""
        rows = [(b.properties, b.budget, self._count(row)) for row, b in self.parts]
        centers, tensors = np.array([p.com for p, _, _ in rows]), np.array([p.inertia for p, _, _ in rows])
        masses, pieces = np.array([(p.mass, count) for p, _, count in rows], float).reshape(-1, 2).T
        growths = masses * np.array([budget.growth if budget else 0.0 for _, budget, _ in rows])
        return masses, centers.reshape(-1, 3), tensors.reshape(-1, 3, 3), growths, pieces

    def _stated_mass(self, row: Row) -> str:
        """The column in which a sum states its mass."""
        return next(n for n in ("total mass", "mass", "unit mass") if row.text(self.columns.get(n)))

    def _expected(self, row: Row, of: slice) -> Iterator[tuple[str, float, str, float, float]]:
        """Numbers that a sum of some bodies may state: column, value and unit; the rounding of the rows; the size of what is added."""
        masses, centers, tensors, growths, pieces = (numbers[of] for numbers in self._numbers)
        stated = self._stated_mass(row)
        weights = pieces if stated == "unit mass" else np.ones(len(masses))
        total, off = math.fsum(masses), self._rounding(row, stated, of, weights)
        yield stated, total, "kg", off, float(np.abs(masses).sum())
        if not total:  # there is no centre
            return
        center, shares = masses @ centers / total, masses / total
        for axis, x, places in zip("xyz", center.tolist(), centers.T, strict=True):
            if row.text(self.columns[axis]):
                far = off / abs(total) * float(np.abs(places - x).max())
                yield axis, x, "m", self._rounding(row, axis, of, shares) + far, float(np.abs(places * shares).sum())
        if self.tensor(row):
            tensor = (tensors + point_inertia(masses, centers - center)).sum(axis=0)
            size = float(np.abs(tensor).max())
            yield from ((entry, float(tensor[ENTRIES[entry]]), "kg m²", 0.0, size) for entry in self.tensor(row))
        if row.text(self.columns.get("growth")):
            growth = math.fsum(growths)
            value, weights = (growth / total, shares) if self._is_share(row) else (growth, np.ones(len(masses)))
            filled = [r for r, _ in self.parts[of] if r.text(self.columns["growth"])]
            is_alike = all(self._is_share(r) == self._is_share(row) for r in filled)  # else no digits compare
            yield "growth", value, "", self._rounding(row, "growth", of, weights) if is_alike else 0.0, value

    def _wrong_sum(self, row: Row, of: slice) -> tuple[ReadError | None, bool]:
        """Error of the first number that is not that of the sum of some bodies; whether one is so but for the rounding of the rows."""
        is_rounded = False
        for name, right, unit, off, size in self._expected(row, of):
            column, value = self.columns[name], self.value(row, name)
            own = 1.02 * self._half_unit(row, name)[1] + _ROUNDING * abs(size)
            if abs(value - right) > own + off:
                named = quote(self.name(row) or "")
                what = f"{row.place}: the name {named} is that of a sum, and no body is above it"
                if of.stop:
                    what = f"{row.place}: {named} states {value:.6g} {unit}".rstrip()
                    what += f" in {quote(column.title)}, and the rows above it have {right:.6g} {unit}".rstrip()
                hint = "correct or remove it; give it another name if it is a part"
                return ReadError(what, code="wrong-total", hint=hint), False
            is_rounded |= abs(value - right) > own
        return None, is_rounded

    def _summed(self, row: Row, end: int, starts: Sequence[int]) -> tuple[int, ReadError | None, bool]:
        """Where the rows begin that a row is the sum of, exactly rather than but for their rounding; and the error of one that is none."""
        tried: list[tuple[int, ReadError | None, bool]] = []
        for start in self._near(row, end, (starts[-1], starts[0], *starts[-2:0:-1])) or starts[:1]:
            tried.append((start, *self._wrong_sum(row, slice(start, end))))
            if tried[-1][1:] == (None, False):
                break
        return min(tried, key=lambda found: (found[1] is not None, found[2], found[0]))

    def _near(self, row: Row, end: int, starts: Sequence[int]) -> list[int]:
        """The starts from which the masses up to `end` may add up to that of a row, and few others: to look at all takes long."""
        stated, (masses, *_, pieces) = self._stated_mass(row), self._numbers
        halves = self._half_units(stated)[1] * (pieces if stated == "unit mass" else 1)
        rest, off, size = (x[end - 1 :: -1].cumsum() for x in (masses, halves, np.abs(masses)))
        room = 1.1 * (self._half_unit(row, stated)[1] + off) + 1e-9 * size
        is_near = np.abs(self.value(row, stated) - rest) <= room
        return [start for start in starts if start < end and is_near[end - 1 - start]]

    def check_sums(self, rows: Sequence[tuple[Row, NamedBody | None]], limits: dict[str, float]) -> Iterator[str]:
        """Compare stated sums, which are no bodies, with all rows above them or those since another sum, a heading or another group.

        Their `limits` are added.
        """
        self.parts = [(row, body) for row, body in rows if body is not None]
        starts, end, weight, group = [0], 0, 0.0, None
        for row, body in rows:
            if body is not None:
                if self._is_like_sum(row, body, end, weight):
                    what = f"{quote(body.name or '')} has the mass and centre of the {end} rows above it"
                    yield f"{row.place}: {what}, and is counted; if it is their sum, name it 'total'"
                if group not in (None, group := row.text(self.columns.get("group"))):
                    starts.append(end)
                end, weight = end + 1, weight + body.properties.mass
            elif self.has_mass(row):
                start, wrong, is_rounded = self._summed(row, end, [k for k in starts if k < end] or [0])
                if wrong is not None:
                    raise wrong
                if row.text(self.columns.get("limit")):
                    of = self._limited(row, start, end)
                    limits[of] = min(limits.get(of, math.inf), self.value(row, "limit"))
                yield _sum_remark(row.place, self.name(row), end - start, " but for rounding" if is_rounded else "")
            if body is None:  # a sum, or the heading of the rows below it
                starts.append(end)

    def _is_like_sum(self, row: Row, body: NamedBody, end: int, mass: float) -> bool:
        """Whether a point mass has the numbers of all rows above it, which have this mass."""
        if self.tensor(row) or end < 2 or not math.isclose(body.properties.mass, mass, rel_tol=0.01):
            return False
        return self._wrong_sum(row, slice(end))[0] is None

    def _limited(self, row: Row, start: int, end: int) -> str:
        """Name of the group whose limit a row of a sum states; empty for that of the whole."""
        groups = [body.budget.group if body.budget else None for _, body in self.parts]
        if (start, end) == (0, len(groups)):
            return ""
        group, count = groups[start], end - start
        if group is None or not count == groups[start:end].count(group) == groups.count(group):
            what = f"{row.place}: {quote(self.name(row) or '')} states a limit, and the rows that it is the sum of are no group"
            hint = "give these rows, and no others, one name in a column 'group'"
            raise ReadError(what, code="wrong-total", hint=hint)
        return group


def without_sums(contents: FileBodies) -> FileBodies:
    """The contents without bodies that are the sum of those above them, as the last row of `compute` is that of its parts."""
    kept: list[NamedBody] = []
    start, weight, said = 0, 0.0, []
    for body in contents.bodies:
        mass = body.properties.mass
        is_near = body.dialect == "csv" and math.isclose(mass, weight, rel_tol=2 * _DIGITS)  # few are: all take long
        if is_near and len(kept) - start > 1 and _are_one(body.properties, *(b.properties for b in kept[start:])):
            said.append(_sum_remark(body.place, body.name, len(kept) - start))
            start, weight = len(kept), 0.0
        else:
            kept.append(body)
            weight += mass
    return replace(contents, bodies=kept, remarks=(*contents.remarks, *said)) if said else contents


def _are_one(b: MassProperties, first: MassProperties, *others: MassProperties) -> bool:
    """Whether a body with a tensor is the sum of the others, but for the digits that a table has.

    Not of others with one centre: then masses and tensors in proportion agree by chance.
    """
    if not b.inertia.any() or not np.ptp([first.com, *(x.com for x in others)], axis=0).any():
        return False
    a = sum(others, start=first)
    pairs = ((a.mass, b.mass), (a.com, b.com), (a.inertia, b.inertia))
    return all(np.abs(x - y).max() <= _DIGITS * np.abs(x).max() for x, y in pairs)


def _sum_remark(place: str, name: str | None, count: int, rounding: str = "") -> str:
    """Remark on a row that is the sum of so many above it."""
    rows = "row" if count == 1 else plural(count, "row")
    return f"{place}: {quote(name or '')} is the sum of the {rows} above it{rounding}, and no body"
