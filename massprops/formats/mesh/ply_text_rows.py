"""The rows of an ASCII PLY file as tables: one line, one row. Only coordinates and lists of vertices are kept, all else is checked.

Tests: `tests/formats/mesh/test_ply.py`.
"""

from __future__ import annotations

import math
from array import array

import numpy as np

from massprops.errors import ReadError
from massprops.formats.mesh.ply_header import MISCOUNTED, RECORD, TRUNCATED, Column, Element, Header, Table
from massprops.formats.text import bad_number, is_numeric
from massprops.formats.text_lines import TextLines, extend, scan_table
from massprops.mesh.triangulation import Polygons
from massprops.wording import plural


class TextTable:
    """Coordinates of an element's rows side by side, and the values of its list of vertices in a row."""

    def __init__(self, lines: TextLines, element: Element) -> None:
        self.element = element
        self._file, self._first = lines, lines.rows
        self._scalars, self._list = element.kept_columns
        self._spans = np.array(element.spans(text=True), np.int32).tobytes()
        self._numbers = array("d")
        self._items: array[int] | array[float] = array("i")
        self._counts = array("i")

    def coordinates(self, columns: list[int]) -> Column:
        """See `Table`."""
        numbers = np.asarray(self._numbers).reshape(-1, len(self._scalars))
        return numbers if columns == self._scalars else numbers[:, [self._scalars.index(i) for i in columns]]

    def lists(self, column: int) -> Polygons:  # noqa: ARG002  # it has one list
        """See `Table`."""
        return Polygons.of_sizes(np.asarray(self._items), np.asarray(self._counts))

    def place(self, row: int, kind: str) -> str:
        """See `Table`."""
        return f"{self._file.place_of(self._first + row)}: {kind}"

    def scan(self, text: bytes, start: int, most: int) -> tuple[int, int] | None:
        """See `Scan`."""
        found = scan_table(text, start, most, self._spans)
        if found is None:
            return None
        end, numbers, items, counts = found
        extend(self._numbers, numbers)
        if self._list >= 0:
            extend(self._items, items)
            extend(self._counts, counts)
        return end, len(counts)

    def add(self, words: list[bytes]) -> None:
        """Checks a row and keeps what is needed of it.

        Raises
        ------
        ReadError
            Codes ``bad-number``, ``bad-row``.
        """
        values = self._values(words)
        at = 0
        for i, column in enumerate(self.element.properties):
            if at >= len(values):
                raise self._miscounted(at + 1, len(values))
            value = values[at]
            at += 1
            if column.count:
                if not (0 <= value < RECORD and value.is_integer()):
                    what = f"the list {column.name} has {value:g} values, which is no count"
                    raise self._file.error(what, "bad-row", MISCOUNTED)
                if i == self._list:
                    self._add_items(values[at : at + int(value)])
                at += int(value)
            elif i in self._scalars:
                self._numbers.append(value)
        if at != len(values):
            raise self._miscounted(at, len(values))

    def _values(self, words: list[bytes]) -> list[float]:
        """Numbers of a row, NaN and infinity too, as C prints them."""
        try:
            values = [float(word) for word in words]
            if b"_" not in b"".join(words):  # `float` takes 1_000
                return values
        except ValueError:
            pass
        values = []
        for word in words:
            token = word.decode(errors="replace")
            if not is_numeric(token):
                owner = _owner(self.element, values)
                raise bad_number(self._file.place, f"{owner} of element {self.element.name}:", token)
            values.append(float(token) if not {"#", "("} & {*token} else math.nan)  # 1.#QNAN, nan(ind)
        return values

    def _add_items(self, items: list[float]) -> None:
        if self._items.typecode == "i":
            try:
                whole = array("i", map(int, items))  # no NaN, and 32 bits
            except (ValueError, OverflowError):
                whole = array("i")
            if list(whole) != items:
                self._items = array("d", self._items)  # they are refused later, by what they are
        self._items.extend(whole if self._items.typecode == "i" else items)  # type: ignore[arg-type]
        self._counts.append(len(items))

    def _miscounted(self, needed: int, there: int) -> ReadError:
        more = "at least " if needed > there else ""
        what = f"a row of element {self.element.name} needs {more}{needed} values, but has {there}"
        return ReadError(f"{self._file.place}: {what}", code="bad-row", hint=MISCOUNTED)


def read_text_rows(lines: TextLines, header: Header) -> dict[str, Table]:
    """All rows, by element, of a text behind its header.

    Raises
    ------
    ReadError
        Codes ``truncated-file``, ``surplus-data``, ``bad-number``, ``bad-row``.
    """
    tables: dict[str, Table] = {}
    for element in header.elements:
        tables[element.name] = table = TextTable(lines, element)
        # A row without properties is an empty line, and empty lines are skipped.
        promised = element.rows * bool(element.properties)
        if (there := lines.read(promised, table.scan, table.add)) < promised:
            promise = f"the header promises {element.rows} rows of element {element.name}"
            what = f"{lines.name}: {promise}, but {there} are left"
            raise ReadError(what, code="truncated-file", hint=TRUNCATED)
    for _ in lines.rows_of_words():
        place = lines.place
        what = f"{place}: {plural(1 + lines.rest(), 'line')} after the last row that the header declares"
        raise ReadError(what, code="surplus-data", hint=MISCOUNTED)
    return tables


def _owner(element: Element, before: list[float]) -> str:
    """The property that the word after some others of a row belongs to, by the counts among them."""
    position, i = 0, len(before)
    for column in element.properties:
        if position == i and column.count:
            return f"the count of list {column.name}"
        count = before[position] if column.count else 0
        # a bad count is reported by itself
        position += 1 + (int(count) if 0 <= count < RECORD and count % 1 == 0 else 0)
        if i < position:
            return f"property {column.name}"
    return "a value after the last property"
