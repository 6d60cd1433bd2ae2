"""Measure the new and changed files of a run into a table, and count results and failures.

Tests: `tests/fleet/test_table.py`.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from massprops.errors import ReadError
from massprops.fleet.columns import Row, is_unchanged, previous_row, rows_of, settings_of
from massprops.fleet.many import PreviousRow, Task, for_each, lost_outcome, measure_task
from massprops.fleet.table import ResultsTable, line_of
from massprops.formats.escaping import plain
from massprops.measurement.options import Options


@dataclass
class Counts:
    """Numbers of files of a run that are done, unchanged and failed so far.

    Attributes
    ----------
    done, unchanged : int
        Files that are finished, and those among them that were not measured again.
    failures : Counter of str
        Files without a result, by the code of their error; those of unchanged rows, too.
    """

    done: int = 0
    unchanged: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    started: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """Since the beginning."""
        return time.monotonic() - self.started


class _FinishedFile(NamedTuple):
    """The rows of a file as lines of JSON; none if it is unchanged."""

    path: str
    known: PreviousRow
    lines: bytes


def measure_into(
    table: ResultsTable, bodies: Iterable[Task], executor: int | Executor, *, send_files: bool = False
) -> Iterator[tuple[Counts, PreviousRow]]:
    """Measure files into a table; after each file the counts so far, and what the table has of it.

    Parameters
    ----------
    table : ResultsTable
        Open.
    bodies : iterable of Task
        How each is measured; no path twice.
    executor : int or Executor
        See `massprops.scheduling.results`.
    send_files : bool
        Whether workers get the bytes of the files, instead of reading files of the same names.
    """
    counts = Counts()
    tasks = _tasks(bodies, table, send_files)
    for path, known, lines in for_each(_done, tasks, executor, _lost, ordered=False):
        if lines:
            table.append(path, lines)
        counts.done += 1
        counts.unchanged += not lines
        if known.error:
            counts.failures[known.error] += 1
        yield counts, known


def _tasks(bodies: Iterable[Task], table: ResultsTable, send: bool) -> Iterator[Task]:
    ready: dict[int, tuple[Options, Options, str]] = {}  # many files share one value
    for task in bodies:
        options = task.options
        if id(options) not in ready:
            ready[id(options)] = options, replace(options, hash=True), settings_of(options)
        _, hashing, settings = ready[id(options)]
        contents: dict[str, bytes] = {}
        for name in task.names if send else ():
            with suppress(OSError, ValueError):  # the worker finds no such file either, and says so
                contents[name] = Path(name).read_bytes()
        known = table.known(plain(task.path))
        yield Task(task.path, hashing, settings, known, contents or None, task.files, table.timing)


def _done(task: Task) -> _FinishedFile:
    if task.known is not None and is_unchanged(task, task.known):
        return _FinishedFile(plain(task.path), task.known, b"")
    before = _stamp(task)
    rows = rows_of(task, measure_task(task))
    if rows[-1].get("error") and _stamp(task) != before:  # the digest may be that of what was not read
        rows[-1].pop("sha256", None)
    return _of(rows)


def _stamp(task: Task) -> object:
    """Identity, size and time of its files, which show whether they were written meanwhile."""
    try:
        found = [os.stat(name) for name in task.names]  # noqa: PTH116  # a third of the time of Path.stat
    except (OSError, ValueError):
        return None
    return [(each.st_ino, each.st_size, each.st_mtime_ns) for each in found]


def _lost(task: Task, error: ReadError) -> _FinishedFile:
    return _of(rows_of(task, lost_outcome(task, error)))


def _of(rows: list[Row]) -> _FinishedFile:
    return _FinishedFile(rows[-1]["path"], previous_row(rows[-1]), b"".join(map(line_of, rows)))
