"""Many files in any executor: batches of them are measured by each task, and an error is the outcome of its file alone."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, Unpack

from massprops.access import allowing
from massprops.declarations import public
from massprops.errors import InvalidInput, MasspropsError, ReadError, Remedy, require_count, require_type
from massprops.formats.files import recorded_results, within_limits
from massprops.measurement.options import Options, check_names
from massprops.measurement.pipeline import outcome_of
from massprops.measurement.result import Outcome

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from massprops.measurement.arguments import MeasureOptions
    from massprops.scheduling import Lost, Work

R = TypeVar("R")

#: A task measures at most so many files (four times as many on a cluster, where it costs more), of so many bytes together.
_FILES, _BYTES = 32, 4 << 20


class PreviousRow(NamedTuple):
    """Entry of a table about one file, as far as a later run needs it."""

    sha256: str
    settings: str
    exit_code: int
    error: str
    severity: str


class Task(NamedTuple):
    """One file to measure, or the `files` of one section or surface, under one name: how, in a digest too, the entry of a table about
    it, the bytes of its files by name where they are sent, and whether its rows state times.
    """

    path: str
    options: Options
    settings: str = ""
    known: PreviousRow | None = None
    contents: Mapping[str, bytes] | None = None
    files: tuple[str, ...] = ()
    timing: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its files."""
        return self.files or (self.path,)


def tasks_of(bodies: Iterable[tuple[str, tuple[str, ...]]], options: Mapping[str, Options]) -> list[Task]:
    """One task for each body, given with the files that are its pieces (none of a file that is one alone), and the options of each file.

    Raises
    ------
    InvalidInput
        If the options of pieces differ.
    """
    alone: dict[int, Options] = {}  # many files share one value
    tasks = []
    for name, files in bodies:
        own = options[files[0] if files else name]
        if other := next((f for f in files if options[f] is not own), None):
            what = f"the configuration has different settings for {files[0]} and {other}"
            raise InvalidInput(what, hint=Remedy("measure them alone, or use --no-config", python="measure them alone"))
        if own.together and not files:
            own = alone.setdefault(id(own), replace(own, together=False))
        tasks.append(Task(name, own, files=files))
    return tasks


def _options() -> Any:
    from massprops.measurement.arguments import MeasureOptions  # imported lazily

    return MeasureOptions


@public(_options, Options)
def measure_many(
    paths: Iterable[str | os.PathLike[str]],
    *,
    executor: Executor | None = None,
    jobs: int = 1,
    ordered: bool = True,
    max_bytes: int | None = None,
    allow_outside: bool = False,
    **options: Unpack[MeasureOptions],
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
    allow_outside : bool
        Whether glTF files may refer to files outside their folder.
    **options
        Those of `measure`, without `stdin` and `progress`; the same for all files. With `together` all are one body, or those of each
        stem that it means (``"link*"``: ``link5_0.obj``, ``link5_1.obj`` …), whose path is then ``link5``; all others are measured alone.

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
        what = f"must be several files, got one: {os.fspath(paths)!r}"
        raise InvalidInput(what, parameter="paths", hint="give a list")
    require_type(paths, Iterable, "paths", "several files")
    check_names(options)
    if executor is not None and not hasattr(executor, "submit"):
        what = f"must be an executor of concurrent.futures, got {executor!r:.80}"
        raise InvalidInput(what, parameter="executor")
    jobs, chosen = require_count(jobs, "jobs"), Options(**options, jobs=1)  # a file is measured by one worker
    names = map(_path_of, paths)
    if chosen.together:
        from massprops.measurement.pieces import bodies_of  # imported lazily

        files = [*names]
        tasks: Iterable[Task] = tasks_of(bodies_of(files, chosen.together, chosen.format), dict.fromkeys(files, chosen))
    else:
        tasks = (Task(name, chosen) for name in names)
    found = for_each(measure_task, tasks, executor or jobs, lost_outcome, ordered=ordered)
    return _each_within_limit(found, max_bytes, allow_outside)


def _path_of(path: str | os.PathLike[str]) -> str:
    require_type(path, str | os.PathLike, "paths", "names of files")
    return os.fspath(path)


def _each_within_limit(found: Iterator[R], max_bytes: int | None, allow_outside: bool) -> Iterator[R]:
    while True:
        # not across a yield: the caller's own limit holds there
        with within_limits(max_bytes, outside=allow_outside or None):
            outcome = next(found, None)
        if outcome is None:
            return
        yield outcome


def measure_task(task: Task, **how: Any) -> Outcome:
    """Measurement or error of a task; `how` as for `massprops.measurement.pipeline.measure_with`."""
    with allowing(contents=task.contents):
        return outcome_of(task.path, task.options, list(task.files) or None, **how)


def lost_outcome(task: Task, error: MasspropsError) -> Outcome:
    """Error of a file whose worker was killed."""
    return Outcome(task.path, None, error.at(task.path))


def for_each(
    work: Work[Task, R], tasks: Iterable[Task], executor: int | Executor, lost: Lost[Task, R], *, ordered: bool = True
) -> Iterator[R]:
    """The result of `work` for each file, like `massprops.scheduling.results`, with a batch of files in each task."""
    if executor == 1:
        yield from map(work, tasks)
        return
    from massprops.scheduling import workers_of  # imported lazily

    alone, most = (1, _FILES) if isinstance(executor, int) else (executor, 4 * _FILES)

    def one_by_one(batch: list[Task], error: ReadError) -> list[R]:
        """The results of a batch whose worker was killed: only the file that it was at is lost."""
        if len(batch) == 1 and alone == 1:
            return [lost(batch[0], error)]
        return list(recorded_results(work, batch, alone, lost))

    batches = _batches(tasks, workers_of(executor), most)
    for found in recorded_results(partial(_each, work), batches, executor, one_by_one, ordered=ordered):
        yield from found


def _each(work: Work[Task, R], batch: list[Task]) -> list[R]:
    return [work(task) for task in batch]


def _batches(tasks: Iterable[Task], workers: int, most: int) -> Iterator[list[Task]]:
    """Lists of files, with few in each at first, so that all workers have some."""
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
        if task.contents:
            return sum(map(len, task.contents.values()))
        return sum(os.stat(name).st_size for name in task.names)  # noqa: PTH116  # a third of the time of Path.stat
    except (OSError, ValueError):  # reported when the file is read
        return 0
