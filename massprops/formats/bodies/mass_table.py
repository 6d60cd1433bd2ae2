"""Tables of bodies as they come: what this program wrote, what a spreadsheet made of it, and mass budgets kept in one.

Columns stand in any order, in English or German, with any unit in brackets; without one they are kg and m. A row is a point mass unless
it has all six entries of a tensor. Commas, semicolons or tabs separate the cells; numbers may have decimal commas.

Tests: `tests/formats/bodies/test_mass_table.py`.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from massprops.errors import ReadError, as_read_error
from massprops.formats.escaping import from_csv_cell
from massprops.formats.inertial.inertial import FileBodies, Inertial, ItemBudget, NamedBody, symmetric
from massprops.formats.inertial.numbers import number
from massprops.formats.spreadsheets import has_decimal_commas, named_separator
from massprops.formats.text import quote, split_lines
from massprops.frames import Pose
from massprops.units import Dimension, factor_of, parse_share
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
_MASSES = ("mass", "unit mass", "total mass")
_UNIT = regex(r"(.*?)\s*(?:\[\s*(.*?)\s*\]|\(\s*(.*?)\s*\)|\s(?:in|/)\s+(\S+))", re.DOTALL)
#: Words in the name of a row that is a sum of others.
_TOTALS = regex(
    r"(?:.*[\W\d_])?(?:sub-?total|totals?|sum|(?:zwischen|teil|gesamt)?summe|gesamt(?:masse)?)(?:[\W\d_].*)?",
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
COLUMNS = "name, mass [kg], x [m], y [m], z [m], and for bodies that are no points Ixx … Iyz [kg m2]"


@dataclass(frozen=True)
class _Column:
    """Place of a column, its title, and the factor of its unit to SI; None where the title states no unit."""

    at: int
    title: str
    factor: Fraction | None = None
    percent: bool = False


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


def is_known(title: str) -> bool:
    """Whether a title means a column that is read."""
    return _title(title)[0] is not None


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
        if percent := name == "growth" and unit is not None and unit.strip() == "%":
            unit = None
        factor = _factor(title, unit, _DIMENSIONS[name], path) if unit and name in _DIMENSIONS else None
        found[name] = _Column(at, title, factor, percent)
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


def _factor(title: str, unit: str, dimension: Dimension, path: str) -> Fraction:
    with as_read_error(f"{path}: column {quote(title)}"):
        return factor_of(unit, dimension)


def bodies_of(
    header: Sequence[str], rows: Sequence[Row], path: str, unescaped: Callable[[str], str], place: str = ""
) -> FileBodies:
    """The bodies of rows below a header; names as `unescaped` makes them."""
    columns = _columns(header, place or f"{path}:1")
    table = _Table(columns, len(header), unescaped)
    rows = [table.filled(row) for row in rows]
    for meaning, column, error in _unread(header, place or f"{path}:1"):
        if table.is_changed(meaning, column, rows):
            raise error
    table.has_commas = has_decimal_commas(*table.numbers(rows))
    sums = [row for row in rows if table.is_sum(row)] if len(rows) > 1 else []
    found = [(row, table.body(row) if row not in sums and table.has_mass(row) else None) for row in rows]
    bodies = [body for _, body in found if body is not None]
    without = [row for row in rows if row not in sums and not table.has_mass(row)]
    points = sum(not body.stated.tensor.any() for body in bodies if body.stated is not None)
    remarks = [f"{path}: {plural(points, 'row')} without a tensor: point masses"] if points else []
    remarks += [f"{place or path}: no unit in the header: kg and m"] if bodies and table.is_bare else []
    remarks += table.check_sums(found)
    names = tuple(table.name(row) or row.place for row in without)
    if "error" in columns:  # rows of `massprops compute` that are those of an error, or of a section without a mass
        return FileBodies(bodies, names, tuple(remarks))
    remarks += [
        f"{row.place}: {quote(name)} has no numbers: left out" for row, name in zip(without, names, strict=True)
    ]
    return FileBodies(bodies, (), tuple(remarks))


@dataclass
class _Table:
    """How the rows of a table are read."""

    columns: dict[str, _Column]
    width: int
    unescaped: Callable[[str], str]
    has_commas: bool = False

    @property
    def is_bare(self) -> bool:
        """Whether neither masses nor lengths have a unit."""
        return all(c.factor is None for name, c in self.columns.items() if name in (*_MASSES, "x", "y", "z"))

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

    def is_sum(self, row: Row) -> bool:
        """Whether the name of a row says that it is a sum; one with a tensor is a body."""
        return not self.tensor(row) and _TOTALS.fullmatch(self.name(row) or "") is not None

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
        cells = [(cell.removesuffix("%").strip(), row.place) for row in rows for c in columns if (cell := row.text(c))]
        return [cell for cell, _ in cells], lambda token: next(place for cell, place in cells if cell == token)

    def value(self, row: Row, name: str) -> float:
        """A number in SI."""
        column = self.columns[name]
        value = self._plain(row.text(column), row, column)
        return value if column.factor in (None, 1) else float(Fraction(repr(value)) * column.factor)

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
        growth = self._growth(texts["growth"], row, mass) if texts["growth"] else 0.0
        return ItemBudget(growth, texts["maturity"], texts["group"] or None, limit)

    def _growth(self, text: str, row: Row, mass: float) -> float:
        """Growth as a share of the mass: a mass if the title has its unit, else a share."""
        column = self.columns["growth"]
        if column.factor is not None:
            return self.value(row, "growth") / mass if mass else 0.0
        share = text.replace(",", ".") if self.has_commas else text
        share += "%" if column.percent and not share.endswith("%") else ""
        with as_read_error(row.place, "bad-number"):
            return parse_share(share, name=column.title, ends=True)

    def _wrong(self, row: Row, name: str, right: float, unit: str) -> ReadError | None:
        """Error where a number of the row of a sum is another than that of the rows above, to its digits."""
        column, value = self.columns[name], self.value(row, name)
        digits = row.text(column).replace(",", ".").lower().partition("e")[0].partition(".")[2]
        if abs(value - right) <= 0.51 * 10.0 ** -len(digits) * float(column.factor or 1) + _ROUNDING * abs(right):
            return None
        what = f"{row.place}: {quote(self.name(row) or '')} states {value:.6g} {unit} in {quote(column.title)}, "
        what += f"and the rows above it have {right:.6g} {unit}"
        return ReadError(what, code="wrong-total", hint="correct or remove it; give it another name if it is a part")

    def _wrong_sum(self, row: Row, bodies: Sequence[NamedBody]) -> ReadError | None:
        """Error of the first number that is not that of the sum of these bodies."""
        masses = [body.properties.mass for body in bodies]
        stated = next(n for n in ("total mass", "mass", "unit mass") if row.text(self.columns.get(n)))
        errors = [self._wrong(row, stated, sum(masses), "kg")]
        for i, axis in enumerate("xyz"):
            if row.text(self.columns.get(axis)) and sum(masses):  # else there is no centre
                first = sum(mass * float(body.properties.com[i]) for mass, body in zip(masses, bodies, strict=True))
                errors.append(self._wrong(row, axis, first / sum(masses), "m"))
        return next(filter(None, errors), None)

    def check_sums(self, rows: Sequence[tuple[Row, NamedBody | None]]) -> Iterator[str]:
        """Compare stated sums, which are no bodies, with all rows above them, or those since the last sum."""
        above: list[NamedBody] = []
        start = 0
        for row, body in rows:
            if body is not None:
                above.append(body)
            elif self.is_sum(row) and self.has_mass(row):
                wrong = self._wrong_sum(row, above)
                if wrong is not None and (start in (0, len(above)) or self._wrong_sum(row, above[start:]) is not None):
                    raise wrong
                yield sum_remark(row.place, self.name(row), len(above) if wrong is None else len(above) - start)
                start = len(above)


def sum_remark(place: str, name: str | None, count: int) -> str:
    """Remark on a row that is the sum of so many above it."""
    return f"{place}: {quote(name or '')} is the sum of the {plural(count, 'row')} above it, and no body"
