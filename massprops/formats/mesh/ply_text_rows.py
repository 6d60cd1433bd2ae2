"""The rows of an ASCII PLY file as tables: one line, one row. Only coordinates and lists of vertices are read, all else is counted.

Tests: `tests/formats/mesh/test_ply.py`.
"""

from __future__ import annotations

from array import array

import numpy as np

from massprops.errors import ReadError
from massprops.findings import Finding, count_finding
from massprops.formats.mesh.ply_header import MISCOUNTED, RECORD, TRUNCATED, Column, Element, Header, Table
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
        self._items = array("i")
        self._counts = array("i")
        self._longer, self._first_longer = 0, ReadError("")

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
        """Keeps what is needed of a row.

        Raises
        ------
        ReadError
            Codes ``bad-number``, ``bad-index``, ``bad-row``.
        """
        at = 0
        for i, column in enumerate(self.element.properties):
            if at >= len(words):
                raise self._miscounted(at + 1, len(words))
            count = 1
            if column.count:
                (count,) = self._whole(words[at : at + 1], f"the count of list {column.name}", 0)
                at += 1
            own = words[at : at + count]
            at += count
            if i == self._list:
                self._items.extend(self._whole(own, f"property {column.name}", -RECORD))
                self._counts.append(count)
            elif i in self._scalars:
                self._numbers.extend(self._numbers_of(own, f"property {column.name}"))
        if at != len(words):
            error = self._miscounted(at, len(words))
            if self._list or self.element.name != "face":
                raise error
            self._first_longer, self._longer = self._first_longer if self._longer else error, self._longer + 1

    def findings(self) -> list[Finding]:
        """The finding that all faces are followed by what the header does not state: old exporters leave it out there.

        Raises
        ------
        ReadError
            Some rows are longer than the header says, and some are not: then a count may be damaged.
        """
        if 0 < self._longer < self.element.rows:
            raise self._first_longer
        what = f"{plural(self._longer, 'row')} of element {self.element.name} go on with values that the header does not state"
        return count_finding(self._longer, "surplus-data", "warning", f"{what}; they were left out")

    def _numbers_of(self, words: list[bytes], what: str) -> list[float]:
        return self._file.numbers(words, f"{what} of element {self.element.name}:")

    def _whole(self, words: list[bytes], what: str, least: int) -> list[int]:
        values = self._numbers_of(words, what)
        for value in values:
            if not (least <= value < RECORD and value.is_integer()):
                kind = "count" if least == 0 else "number of a vertex"
                raise self._file.error(f"{what} is {value:.17g}, which is no {kind}", "bad-row", MISCOUNTED)
        return [int(value) for value in values]

    def _miscounted(self, needed: int, there: int) -> ReadError:
        more = "at least " if needed > there else ""
        what = f"a row of element {self.element.name} needs {more}{needed} values, but has {there}"
        return ReadError(f"{self._file.place}: {what}", code="bad-row", hint=MISCOUNTED)


def read_text_rows(lines: TextLines, header: Header) -> tuple[dict[str, Table], list[Finding]]:
    """All rows, by element, of a text behind its header, and findings about them.

    Raises
    ------
    ReadError
        Codes ``truncated-file``, ``surplus-data``, ``bad-number``, ``bad-row``.
    """
    tables: dict[str, Table] = {}
    findings: list[Finding] = []
    for element in header.elements:
        tables[element.name] = table = TextTable(lines, element)
        # A row without properties is an empty line, and empty lines are skipped.
        promised = element.rows * bool(element.properties)
        if (there := lines.read(promised, table.scan, table.add)) < promised:
            promise = f"the header promises {element.rows} rows of element {element.name}"
            what = f"{lines.name}: {promise}, but {there} are left"
            raise ReadError(what, code="truncated-file", hint=TRUNCATED)
        findings += table.findings()
    for _ in lines.rows_of_words():
        place = lines.place
        what = f"{place}: {plural(1 + lines.rest(), 'line')} after the last row that the header declares"
        raise ReadError(what, code="surplus-data", hint=MISCOUNTED)
    return tables, findings
