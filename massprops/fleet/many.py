"""Many files in any executor: batches of them are measured by each task, and an error is the outcome of its file alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple, TypeVar

from massprops.errors import InvalidInput, MasspropsError, ReadError, require_type
from massprops.formats.files import given_contents, size_limit
from massprops.measurement.options import Options, check_names
from massprops.measurement.parallel import Lost, Work, outcomes
from massprops.measurement.pipeline import outcome_of
from massprops.measurement.result import Outcome

R = TypeVar("R")

#: A task measures at most so many files (four times as many on a cluster, where it costs more), of so many bytes together.
_FILES, _BYTES = 32, 4 << 20
#: A file of more bytes is measured by all workers of an executor together.
_HUGE = 1 << 28


class Known(NamedTuple):
    """What a table has of a file."""

    sha256: str
    settings: str
    exit_code: int
    error: str
    severity: str


class Task(NamedTuple):
    """One file to measure: its name, how, in a digest too, what a table has of it, and its bytes where they are sent."""

    path: str
    options: Options
    settings: str = ""
    known: Known | None = None
    content: bytes | None = None


def measure_many(
    paths: Iterable[str | os.PathLike[str]],
    *,
    executor: Executor | None = None,
    jobs: int = 1,
    ordered: bool = True,
    max_bytes: int | None = None,
    **options: Any,
) -> Iterator[Outcome]:
    """Measure many files, in this process, in several ones, or wherever an executor works.

    >>> from massprops import measure_many
    >>> for outcome in measure_many(["none.stl", "nothing.stl"], density=1240):
    ...     print(outcome.path, outcome.error.code if outcome.error else outcome.measurement.mass)
    none.stl missing-file
    nothing.stl missing-file

    Parameters
    ----------
    paths : iterable of path
        Files; read as they are needed.
    executor : concurrent.futures.Executor, optional
        Where files are measured, for example that of a Dask cluster (``Client(…).get_executor()``). Its workers have to see the files under
        the same names.
    jobs : int
        Processes on this machine, without an executor.
    ordered : bool
        Whether outcomes come in the order of the files, or as they are ready.
    max_bytes : int, optional
        The largest file that is read, as for `measure`.
    **options
        Those of `measure`, without `stdin` and `progress`; the same for all files.

    Yields
    ------
    Outcome
        `path`, `measurement` or `error`, `seconds`; `result()` returns the measurement or raises the error. A bounded number of files is in
        work at a time, so paths and outcomes may be as many as there are.

    Raises
    ------
    InvalidInput
        If there is no such option, it breaks a rule, or what is given is no path.
    ReadError
        If the executor has stopped working.
    """
    if isinstance(paths, str | os.PathLike):
        raise InvalidInput(
            f"must be several files, got one: {os.fspath(paths)!r}", parameter="paths", hint="give a list"
        )
    require_type(paths, Iterable, "paths", "several files")
    check_names(options)
    crew = jobs if executor is None else executor
    chosen = replace(Options(**options, jobs=crew), jobs=1)  # `crew` is checked, too; a file is measured by one worker
    tasks = (Task(_named(path), chosen) for path in paths)
    return _limited(for_each(measured, tasks, crew, unmeasured, ordered=ordered), max_bytes)


def _named(path: str | os.PathLike[str]) -> str:
    require_type(path, str | os.PathLike, "paths", "names of files")
    return os.fspath(path)


def _limited(found: Iterator[R], max_bytes: int | None) -> Iterator[R]:
    while True:
        with size_limit(max_bytes):  # not across a yield: the caller's own limit holds there
            outcome = next(found, None)
        if outcome is None:
            return
        yield outcome


def measured(task: Task) -> Outcome:
    """The outcome of one file."""
    with given_contents({task.path: task.content} if task.content is not None else {}):
        return outcome_of(task.path, task.options)


def unmeasured(task: Task, error: MasspropsError) -> Outcome:
    """The outcome of a file whose worker was killed."""
    return Outcome(task.path, None, error.at(task.path))


def for_each(
    work: Work[Task, R], tasks: Iterable[Task], crew: int | Executor, lost: Lost[Task, R], *, ordered: bool = True
) -> Iterator[R]:
    """What `work` makes of each file: as `massprops.measurement.parallel.outcomes`, a batch of files in each task."""
    if crew == 1:
        yield from map(work, tasks)
        return
    is_local = isinstance(crew, int)
    workers, most = (crew, _FILES) if isinstance(crew, int) else (getattr(crew, "_max_workers", 64), 4 * _FILES)

    def in_batches(tasks: Iterable[Task]) -> Iterator[R]:
        for found in outcomes(partial(_each, work), _batches(tasks, workers, most), crew, _Lost, ordered=ordered):
            if not isinstance(found, _Lost):
                yield from found
                continue
            if is_local and len(found.batch) == 1:
                yield lost(found.batch[0], found.error)
                continue
            # a worker was killed: each file of its batch by itself, so that only the one that it was at is lost
            singles = ([task] for task in found.batch)
            for single in outcomes(partial(_each, work), singles, 1 if is_local else crew, _Lost):
                yield lost(single.batch[0], single.error) if isinstance(single, _Lost) else single[0]

    for is_huge, group in groupby(tasks, lambda t: not is_local and t.content is None and _size(t) > _HUGE):
        if is_huge:  # parts of it are given to the executor, one file after the other
            yield from (work(task._replace(options=replace(task.options, jobs=crew))) for task in group)
        else:
            yield from in_batches(group)


@dataclass(frozen=True)
class _Lost:
    """The files of a task whose worker was killed, and the error."""

    batch: list[Task]
    error: ReadError


def _each(work: Callable[[Task], R], batch: list[Task]) -> list[R] | _Lost:
    return [work(task) for task in batch]


def _batches(tasks: Iterable[Task], workers: int, most: int) -> Iterator[list[Task]]:
    """Few files in each at first, so that all workers have some."""
    batch: list[Task] = []
    total = count = 0
    for count, task in enumerate(tasks):
        batch.append(task)
        total += _size(task)
        if total > _BYTES or len(batch) >= min(most, 1 + count // (8 * workers)):
            yield batch
            batch, total = [], 0
    if batch:
        yield batch


def _size(task: Task) -> int:
    try:
        if task.content is not None:
            return len(task.content)
        return os.stat(task.path).st_size  # noqa: PTH116  # a third of the time of Path.stat
    except (OSError, ValueError):  # reported when the file is read
        return 0
