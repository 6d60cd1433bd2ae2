"""A table of results on disk: CSV, JSON lines or Parquet, continued by later runs, and never left half written.

Rows are appended to a journal of JSON lines as they come: to the table itself if it is one of JSON lines, else to ``TABLE.journal``,
of which the table is made when a run ends or is interrupted: its rows then have the order of their paths. A process that is killed loses
the rows of the files that it is at; a last line without its end is cut off by the next run. A lock of the operating system, which ends
with its process, keeps other runs away.
"""

from __future__ import annotations

import csv
import errno
import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import chain, groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import IO, Any

from massprops.errors import InvalidInput, ReadError, needing
from massprops.fleet.columns import COLUMNS, SCHEMA, TIMING, Row, previous_row
from massprops.fleet.known_rows import KnownRows
from massprops.fleet.many import PreviousRow
from massprops.formats.escaping import csv_cell, csv_line, from_csv_cell
from massprops.formats.files import absolute_path, real_path, replacing

SUFFIXES = (".parquet", ".csv", ".jsonl")
#: Rows of a row group of Parquet, and of a piece of it: what is in memory as Python objects while the table is made.
_GROUP, _PIECE = 4096, 256
#: What every line of JSON begins with.
_BEGIN = b'{"path": "'
#: Seconds after which what was written is also forced onto the disk.
_SYNC = 2.0


class ResultsTable:
    """An open table, locked; see `open_table`. A run adds the rows of each file once, with the columns `TIMING` or without."""

    def __init__(self, path: Path, *, timing: bool = False) -> None:
        self.timing = timing
        self._kind = path.suffix.lower()
        self.path = path = absolute_path(path)  # a link stays a link
        if path.exists() and not path.is_file():
            raise OSError("it is not a file")
        if path.exists() and not os.access(path, os.W_OK):  # replacing it needs only the folder's permission
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        self._journal = path if self._kind == ".jsonl" else path.with_name(f"{path.name}.journal")
        self._end = self._rows = self._counted = 0
        self._last, self._in_order = b"", True
        self._known = KnownRows((row["path"], previous_row(row)) for row in self._wholes())
        self._new = self._replaced = 0
        self._stream = self._journal.open("ab")
        self._stream.truncate(self._end)
        self._synced = time.monotonic()

    @property
    def files(self) -> int:
        """Number of files that have rows."""
        return len(self._known) + self._new - self._replaced

    def known(self, path: str) -> PreviousRow | None:
        """Entry about a file from before this run."""
        return self._known.get(path)

    def append(self, path: str, lines: bytes) -> None:
        """Write the rows of a file, the last of which is that of the whole."""
        self._stream.write(lines)
        self._stream.flush()
        self._follow(path)
        self._new += 1
        self._replaced += self._known.replace(path)
        if time.monotonic() - self._synced > _SYNC:
            os.fsync(self._stream.fileno())
            self._synced = time.monotonic()

    def _wholes(self) -> Iterator[Row]:
        """The rows of whole files, in the table and then in the journal, whose complete lines are counted."""
        if self._journal != self.path and self.path.exists():
            rows = _READERS[self._kind](self.path, ("path", "part", *PreviousRow._fields))
            for row in rows:
                if "part" not in row:
                    self._follow(row["path"])
                    yield row
        for row, length in _lines(self._journal):
            self._end += length
            self._rows += 1
            if "part" not in row:
                self._counted += 1 + row.get("parts", 0)
                self._follow(row["path"])
                yield row

    def _follow(self, path: str) -> None:
        """Note whether the rows of a file stand behind those of the files before it."""
        place = _place(path)
        self._in_order &= self._last < place
        self._last = place

    def close(self) -> None:
        """Make the table of the journal: of each file its last row, in the order of the paths."""
        try:
            with self._stream:
                os.fsync(self._stream.fileno())
            self._finish()
        finally:
            if self._journal != self.path and not self._journal.stat().st_size:  # also on a full disk
                self._journal.unlink()

    def _finish(self) -> None:
        if self._journal == self.path:
            if self._rows > self._counted or not (self._known.are_current and self._in_order):
                self._replace(self._current())
        elif self._journal.stat().st_size or not self.path.exists():
            self._replace(self._current())
            os.truncate(self._journal, 0)

    def _current(self) -> Iterator[Row]:
        rows = self._last_rows()
        return rows if self._in_order else _sorted(rows, self.path.parent)

    def _last_rows(self) -> Iterator[Row]:
        """The rows that count, those of parts only before that of the whole: there is none where a run was killed."""
        old = _READERS[self._kind](self.path) if self._journal != self.path and self.path.exists() else ()
        number, parts = 0, []
        for row in chain(old, _read_jsonl(self._journal)):
            if "part" in row:
                parts.append(row)
                continue
            if self._known.stays(number):
                yield from (*parts[len(parts) - row.get("parts", 0) :], row)
            number, parts = number + 1, []

    def _replace(self, rows: Iterator[Row]) -> None:
        with replacing(self.path) as stream:
            _WRITERS[self._kind](stream, rows, _columns(self.timing))
            stream.flush()
            os.fsync(stream.fileno())


def _place(path: str) -> bytes:
    """Sort key of the rows of files as folders list them: by the names at each level."""
    return path.replace("/", "\0").encode("utf-8", "surrogatepass")


def _sorted(rows: Iterator[Row], folder: Path) -> Iterator[Row]:
    """Rows in the order of their paths, those of one file together; of each file only its place is in memory."""
    places: list[bytes] = []
    with tempfile.TemporaryFile(dir=folder) as spool:
        for path, group in groupby(rows, key=itemgetter("path")):
            places.append(b"%b\0%016x" % (_place(path), spool.tell()))
            spool.writelines(map(line_of, group))
            spool.write(b"\n")
        for place in sorted(places):
            spool.seek(int(place[-16:], 16))
            yield from map(json.loads, iter(spool.readline, b"\n"))


def _columns(timing: bool) -> list[str]:
    return [name for name in COLUMNS if timing or name not in TIMING]


@contextmanager
def open_table(path: Path, *, timing: bool = False) -> Iterator[ResultsTable]:
    """The table at a path, which is new if there is none, for as long as the context lasts; it is complete after an error, too.

    Raises
    ------
    InvalidInput
        If its suffix is not one of `SUFFIXES`, the file is no table of this version, it cannot be written, or another run writes it.
    MissingExtra
        If it is Parquet and pyarrow is not installed.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise InvalidInput(f"{path}: not a kind of table", hint=f"end its name in {', '.join(SUFFIXES)}")
    if path.suffix.lower() == ".parquet":
        _pyarrow()
    try:
        real_path(path)
    except ReadError as error:
        raise _unwritable(error.text, path) from error
    try:
        with _locked(absolute_path(path)):
            table = ResultsTable(path, timing=timing)
            try:
                yield table
            finally:
                table.close()
    except OSError as error:
        raise _unwritable(error.strerror or str(error), path) from error


def _unwritable(why: str, path: Path) -> InvalidInput:
    what = f"cannot be written: {why}"
    return InvalidInput(what, place=str(path), code="unwritable-output", hint="name another table")


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    name = path.with_name(f".{path.name}.lock")
    with ExitStack() as stack:
        stream = stack.enter_context(name.open("a+b"))
        try:
            _lock(stream)
            while sys.platform != "win32" and not _is_there(name, stream):  # the run before has ended and removed it
                stream = stack.enter_context(name.open("a+b"))
                _lock(stream)
        except (BlockingIOError, PermissionError) as error:
            what = "another run is writing this table"
            hint = "wait until it has ended, or name another table"
            raise InvalidInput(what, place=str(path), code="table-in-use", hint=hint) from error
        try:
            yield
        finally:
            if sys.platform == "win32":  # only a closed file can be removed, unless another run has it by now
                stack.close()
            with suppress(OSError):
                name.unlink()


def _is_there(name: Path, stream: IO[bytes]) -> bool:
    try:
        return os.path.samestat(name.stat(), os.fstat(stream.fileno()))
    except FileNotFoundError:
        return False


def _lock(stream: IO[bytes]) -> None:
    """Lock it for this process alone, not for those that are forked from it; OSError if another one has."""
    if sys.platform == "win32":
        import msvcrt

        stream.seek(0)  # it locks from here on, also beyond the end
        msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.lockf(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _no_table(path: Path, place: str = "", schema: object = "") -> InvalidInput:
    """The error of a file that is no table, or one of another version, which states its schema."""
    what = f"{path}{place}: not a table of massprops ({SCHEMA})"
    if re.fullmatch(r"massprops-table/\d+", str(schema)):
        what = f"{path}: a table of another version of massprops ({schema}, not {SCHEMA})"
    return InvalidInput(what, code="not-a-table", hint="name another table, or move this file away")


def _read_jsonl(path: Path, _wanted: Collection[str] = ()) -> Iterator[Row]:
    return (row for row, _ in _lines(path))


def _lines(path: Path) -> Iterator[tuple[Row, int]]:
    """The rows of JSON lines with their bytes, without a last line that was not written to its end."""
    if not path.exists():
        return
    with path.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            if not line.endswith(b"\n") and _BEGIN in (line[: len(_BEGIN)], line + _BEGIN[len(line) :]):
                return
            schema = None
            try:
                row = json.loads(line)
                schema = row["schema"]
                known = schema == SCHEMA and isinstance(row["path"], str)
            except (ValueError, TypeError, KeyError):
                known = False
            if not known:
                raise _no_table(path, f":{number}", schema)
            yield row, len(line)


def _write_jsonl(stream: IO[bytes], rows: Iterator[Row], columns: Collection[str]) -> None:
    for row in rows:
        stream.write(line_of({name: value for name, value in row.items() if name in columns}))


def line_of(row: Row) -> bytes:
    """A row as a line of JSON."""
    return json.dumps(row, allow_nan=False).encode() + b"\n"


def _read_csv(path: Path, _wanted: Collection[str] = ()) -> Iterator[Row]:
    with path.open(encoding="utf-8", newline="") as stream:
        reader = csv.reader(stream)
        columns = next(reader, [])
        if columns not in (_columns(timing=False), _columns(timing=True)):
            raise _no_table(path, schema=next(reader, [""])[-1])
        for cells in reader:
            if len(cells) != len(columns) or cells[-1] != SCHEMA:
                raise _no_table(path, f":{reader.line_num}", cells[-1])
            given = ((name, COLUMNS[name][0], cell) for name, cell in zip(columns, cells, strict=True) if cell)
            yield {name: kind(from_csv_cell(cell) if kind is str else cell) for name, kind, cell in given}


def _write_csv(stream: IO[bytes], rows: Iterator[Row], columns: Collection[str]) -> None:
    stream.write(csv_line(columns).encode())
    for row in rows:
        values = (row.get(name, "") for name in columns)
        stream.write(csv_line(csv_cell(v) if isinstance(v, str) else repr(v) for v in values).encode())


def _read_parquet(path: Path, wanted: Collection[str] = COLUMNS) -> Iterator[Row]:
    parquet = _pyarrow()[1]
    try:
        file = parquet.ParquetFile(path)
    except ValueError as error:
        raise _no_table(path) from error
    with file:
        schema = (file.schema_arrow.metadata or {}).get(b"schema", b"").decode(errors="replace")
        if schema != SCHEMA:
            raise _no_table(path, schema=schema)
        for batch in file.iter_batches(_PIECE, columns=list(wanted)):
            yield from ({n: v for n, v in row.items() if v is not None} for row in batch.to_pylist())


def _write_parquet(stream: IO[bytes], rows: Iterator[Row], columns: Collection[str]) -> None:
    pa, parquet = _pyarrow()
    types = {str: pa.string(), int: pa.int64(), float: pa.float64()}
    schema = pa.schema({name: types[COLUMNS[name][0]] for name in columns}, {"schema": SCHEMA})
    texts = [name for name in columns if COLUMNS[name][0] is str]  # numbers are all different
    parsing = pa.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")

    def piece() -> Any:
        """Table of the next rows, or None, by way of JSON: from objects pyarrow makes one with pandas, where that is installed."""
        lines = b"".join(map(line_of, islice(rows, _PIECE)))
        reading = pa.json.ReadOptions(use_threads=False, block_size=len(lines) or 1)
        return pa.json.read_json(pa.BufferReader(lines), reading, parsing) if lines else None

    pieces = iter(piece, None)
    with parquet.ParquetWriter(stream, schema, compression="zstd", use_dictionary=texts) as writer:
        while group := list(islice(pieces, _GROUP // _PIECE)):
            writer.write_table(pa.concat_tables(group))


def _pyarrow() -> tuple[Any, Any]:
    with needing("table", "Parquet needs pyarrow", ", or write .csv or .jsonl"):
        import pyarrow
        import pyarrow.json
        import pyarrow.parquet
    return pyarrow, pyarrow.parquet


_READERS = {".jsonl": _read_jsonl, ".csv": _read_csv, ".parquet": _read_parquet}
_WRITERS = {".jsonl": _write_jsonl, ".csv": _write_csv, ".parquet": _write_parquet}
