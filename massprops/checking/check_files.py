"""Many files, checked: in several processes if that is worth it, the results in the order of the files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from massprops.checking.check_file import Checker
from massprops.checking.report import Checked
from massprops.formats.inertial.opening import Address

#: Files for each call of another process: the overhead of a call is shared, and the last one is not waited for long.
BATCH = 8
#: Bytes below which one process is done before a second has started.
WORTHWHILE = 2_000_000


def check_files(
    names: Sequence[str], checker: Checker, jobs: int, progress: Callable[[int, int], None] | None = None
) -> list[Checked]:
    """What was found about every file, in their order.

    Parameters
    ----------
    names : sequence of str
        Files, or ``file#link``.
    checker : Checker
        How.
    jobs : int
        Processes; the result does not depend on it.
    progress : callable
        Called with the files that are done and their number.
    """
    found: list[Checked] = []
    for done, outcomes in enumerate(_each(names, checker, jobs), 1):
        found += outcomes
        if progress is not None:
            progress(done, len(names))
    return found


def _each(names: Sequence[str], checker: Checker, jobs: int) -> Iterator[list[Checked]]:
    if jobs == 1 or len(names) == 1 or sum(map(_size, names)) < WORTHWHILE:
        yield from map(checker.check, names)
        return
    from massprops.measurement.parallel import pool

    batches = [names[i : i + BATCH] for i in range(0, len(names), BATCH)]
    with pool(min(jobs, len(batches))) as workers:
        for task in [workers.submit(_batch, batch, checker) for batch in batches]:
            yield from task.result()


def _batch(names: Sequence[str], checker: Checker) -> list[list[Checked]]:
    return [checker.check(name) for name in names]


def _size(name: str) -> int:
    try:
        return Path(Address.parse(name).path).stat().st_size
    except (OSError, ValueError):  # it is told when the file is read
        return 0
