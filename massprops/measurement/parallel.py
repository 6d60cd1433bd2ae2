"""Work on the chunks of one large file in several processes; the results come back in the order of the file."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from typing import Any

from massprops.formats.files import State, allowed_size, check_unchanged, set_size_limit, state_of
from massprops.formats.registry import open_mesh
from massprops.mesh.boundary import adopt_keys, keys
from massprops.mesh.source import CHUNK, MeshSource, Numbered, numbered

#: Fewer triangles are done before the other processes have started.
WORTHWHILE = 2_000_000

#: Slices for each process: the last to finish is waited for.
_SLICES = 4


def pool(jobs: int) -> ProcessPoolExecutor:
    """Some processes: forked where that is safe and known, since it is at once; else started afresh."""
    forked = os.name == "posix" and "fork" in multiprocessing.get_all_start_methods() and threading.active_count() == 1
    context = multiprocessing.get_context("fork" if forked else "spawn")
    return ProcessPoolExecutor(jobs, mp_context=context, initializer=_prepare, initargs=(keys(), allowed_size()))


def _prepare(shared: Any, max_bytes: int | None) -> None:
    """What the first process holds beside its arguments: the keys of the boundary, and the largest size of a file."""
    adopt_keys(shared)
    if max_bytes is not None:
        set_size_limit(max_bytes)


def in_slices(mesh: MeshSource, path: str, format: str | None, jobs: int) -> MeshSource:
    """The same source, mapped by several processes that open the file themselves, if that is worth it.

    Where opening a file reads all of it, each of them would do so, which takes longer than the work.
    """
    whole = mesh.read_from is None or mesh.file is None or mesh.file.is_in_memory
    if jobs == 1 or whole or mesh.facets < WORTHWHILE:
        return mesh

    def mapper(work: Callable[[Numbered], Iterator[Any]]) -> Iterator[Any]:
        chunks = -(-mesh.facets // CHUNK)
        step = -(-chunks // (jobs * _SLICES))
        with pool(jobs) as workers:
            state = None if mesh.file is None else state_of(mesh.file.stream)
            tasks = [workers.submit(_slice, path, format, i, i + step, work, state) for i in range(0, chunks, step)]
            for task in tasks:
                yield from task.result()

    return replace(mesh, mapper=mapper)


def _slice(
    path: str,
    format: str | None,
    start: int,
    stop: int,
    work: Callable[[Numbered], Iterator[Any]],
    state: State | None,
) -> list[Any]:
    """What `work` makes of the chunks from `start` to `stop` of a file that is still in this state."""
    with open_mesh(path, format=format) as mesh:
        if state is not None and mesh.file is not None:
            check_unchanged(path, mesh.file.stream, state)
        chunks = itertools.islice(mesh.chunks(start), stop - start)
        return list(work(numbered(chunks, start * CHUNK)))
