"""`massprops compute --output-table`: many files into a table, with progress and a summary on stderr.

Tests: `tests/fleet/test_table.py`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from massprops.cli.options import FailOn, ManyFiles, worst
from massprops.cli.streams import cores, log, note, progress
from massprops.errors import InvalidInput, needing
from massprops.findings import reaches
from massprops.fleet.many import PreviousRow, Task
from massprops.fleet.run import Counts, measure_into
from massprops.fleet.table import open_table
from massprops.formats.escaping import plain
from massprops.formats.files import recording_opened


def into_table(bodies: Sequence[Task], many: ManyFiles, fail_on: FailOn) -> int:
    """Measure bodies, each once, into the table; the exit code is that of all, also of those that are unchanged."""
    path, named = str(many.output_table), {body.path for body in bodies}
    for name in (plain(body.path) for body in bodies if not body.path.isprintable()):
        if name in named:
            what = "is the name of two files, once the control characters in one of them are escaped"
            raise InvalidInput(what, place=name, hint="rename one of them, or --exclude it")
    statuses, counts = {0}, Counts()
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")  # that of pyarrow keeps what is freed
    # a table, which is opened first, is never an input: its columns say so
    with (
        recording_opened(asked=False),
        _executor(many) as executor,
        open_table(Path(path), timing=many.timing) as table,
    ):
        report = progress(files=True)
        try:
            for counts, known in measure_into(table, bodies, executor, send_files=many.send_files):
                statuses.add(status := _status(known, fail_on))
                report(counts.done, len(bodies), f"; failed: {_by_code(counts)}" if counts.failures else "")
                if many.fail_fast and status:
                    break
        finally:
            report(1, 1)
            if counts.done:
                (log if counts.failures else note)(_summary(path, counts, len(bodies), table.files))
    return worst(statuses)


def _status(known: PreviousRow, fail_on: FailOn) -> int:
    if known.error or not known.severity:
        return known.exit_code
    return int(reaches(known.severity, fail_on))


def _summary(path: str, counts: Counts, files: int, there: int) -> str:
    new = counts.done - counts.unchanged
    text = f"{path}: {there:,} file{'s' * (there != 1)}; {new:,} measured, {counts.unchanged:,} unchanged"
    if counts.done < files:
        text += f", {files - counts.done:,} left"
    if there > counts.done:
        text += f", {there - counts.done:,} of earlier runs"
    if counts.failures:
        text += f"; {counts.failures.total():,} failed: {_by_code(counts)}"
    return f"{text}; {counts.seconds:.1f} s, {counts.done / counts.seconds:.0f} files/s"


def _by_code(counts: Counts) -> str:
    return ", ".join(f"{code} {n:,}" for code, n in counts.failures.most_common())


@contextmanager
def _executor(many: ManyFiles) -> Iterator[int | Executor]:
    """Processes here, or the workers of a cluster."""
    if many.cluster is None:
        yield cores(many.jobs)
        return
    with needing("cluster", "--cluster needs distributed", ", or leave out --cluster"):
        from distributed import Client
        from distributed.comm.addressing import resolve_address
    try:
        resolve_address(many.cluster)  # else a client waits for a host that does not exist
        client: Any = Client(many.cluster, timeout=10, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        what = f"--cluster {many.cluster}: no scheduler answers: {error}"
        raise InvalidInput(
            what, hint="start one with 'dask scheduler', and workers with 'dask worker ADDRESS'"
        ) from error
    with client:
        workers = client.get_executor()
        workers._max_workers = max(1, sum(client.nthreads().values()))  # as pools of the standard library say it
        yield workers
