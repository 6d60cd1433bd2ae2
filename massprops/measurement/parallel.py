"""Work on many tasks in several processes or in any executor; results come in the order of the tasks, or as they are ready."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from queue import SimpleQueue
from typing import Any, TypeVar

from massprops.errors import ReadError
from massprops.formats.files import allowed_size, size_limit
from massprops.mesh.executors import Answer, WorkerLost, answer, give, take, value

T = TypeVar("T")
R = TypeVar("R")

#: Tasks that a process has at a time while there are many: it does not wait for the next one.
_AHEAD = 2
#: Tasks that are started beyond the first one whose result is not used yet, for each worker: so many results are in memory.
_WINDOW = 64
#: Tasks in work in an executor that does not say how many workers it has.
_IN_FLIGHT = 128
#: What makes a result of a task, and what makes the result of one whose process was killed.
Work = Callable[[T], R]
Lost = Callable[[T, ReadError], R]


def outcomes(
    work: Work[T, R], tasks: Iterable[T], crew: int | Executor, lost: Lost[T, R], *, ordered: bool = True
) -> Iterator[R]:
    """The results of `work` for the tasks, each as soon as it is ready; a bounded number of tasks and results is in memory.

    Parameters
    ----------
    work : callable
        An exception that it raises is raised here.
    tasks : iterable
        Read as workers become free.
    crew : int or Executor
        Number of processes, which end when the iterator is closed or this process dies; or where the work is done instead.
    lost : callable
        The result of a task whose process was killed, from the task and the error to report.
    ordered : bool
        Whether results come in the order of the tasks.

    Raises
    ------
    ReadError
        If the executor has stopped working.
    """
    source = enumerate(tasks)
    done: dict[int, Answer] = {}
    given = used = 0
    team = _Processes(work, lost, crew) if isinstance(crew, int) else _Futures(work, lost, crew)
    try:
        while True:
            for numbered in islice(source, max(0, min(team.room(), used + _WINDOW * team.size - given))):
                team.give(*numbered)
                given += 1
            if used == given:
                return
            done |= team.take()
            while done and (not ordered or used in done):
                found = done.pop(used if ordered else next(iter(done)))
                used += 1
                yield value(found)
    finally:
        team.end()


def _limited(work: Callable[[Any], Any], max_bytes: int | None, task: Any) -> Any:
    with size_limit(max_bytes):
        return work(task)


class _Futures:
    """Tasks in an executor."""

    def __init__(self, work: Work[Any, Any], lost: Lost[Any, Any], executor: Executor) -> None:
        self._work, self._lost, self._executor = work, lost, executor
        self.size = getattr(executor, "_max_workers", _IN_FLIGHT // _AHEAD)
        self._pending: dict[Future[Answer], tuple[int, Any]] = {}
        self._ready: SimpleQueue[Future[Answer]] = SimpleQueue()

    def room(self) -> int:
        return int(2 * _AHEAD * self.size - len(self._pending))  # a cluster is far away

    def give(self, number: int, task: Any) -> None:
        future = give(self._executor, "", _limited, self._work, allowed_size(), task)
        self._pending[future] = number, task
        future.add_done_callback(self._ready.put)

    def take(self) -> dict[int, Answer]:
        future = self._ready.get()
        number, task = self._pending.pop(future)
        try:
            return {number: take(future)}
        except WorkerLost as error:
            return {number: (True, self._lost(task, error))}

    def end(self) -> None:
        for future in self._pending:
            future.cancel()


class _Processes:
    """Tasks in processes of this machine; one that is killed costs only the task that it was at."""

    def __init__(self, work: Work[Any, Any], lost: Lost[Any, Any], jobs: int) -> None:
        self._work, self._lost, self.size = work, lost, jobs
        self._waiting: deque[tuple[int, Any]] = deque()
        self._workers: dict[Any, _Worker] = {}  # by connection

    def room(self) -> int:
        return 2 * _AHEAD * self.size + 1 - len(self._waiting)

    def give(self, number: int, task: Any) -> None:
        self._waiting.append((number, task))

    def take(self) -> dict[int, Answer]:
        while self._waiting and len(self._workers) < self.size:
            worker = _Worker.start(self._work)
            self._workers[worker.connection] = worker
            worker.feed(self._waiting, 1)
        # a second task for each while there are more than enough for all
        for worker in self._workers.values():
            worker.feed(self._waiting, _AHEAD if len(self._waiting) > _AHEAD * self.size else 1)
        found: dict[int, Answer] = {}
        for connection in wait(list(self._workers)):
            worker = self._workers[connection]
            try:
                answer = worker.connection.recv()
            except (EOFError, OSError):
                del self._workers[connection]
                worker.end()
                if worker.tasks:
                    number, task = worker.tasks.popleft()
                    found[number] = True, self._lost(task, WorkerLost(worker.cause()))
                    self._waiting.extendleft(reversed(worker.tasks))
            else:
                found[worker.tasks.popleft()[0]] = answer
        return found

    def end(self) -> None:
        for worker in self._workers.values():
            worker.end()


@dataclass
class _Worker:
    """A process, and the numbered tasks that it has, the current one first."""

    process: BaseProcess
    connection: Connection
    tasks: deque[tuple[int, Any]] = field(default_factory=deque)

    @classmethod
    def start(cls, work: Work[Any, Any]) -> _Worker:
        """A process: forked where that is safe and known, since it is at once; else started afresh."""
        forked = os.name == "posix" and "fork" in multiprocessing.get_all_start_methods()
        context = multiprocessing.get_context("fork" if forked and threading.active_count() == 1 else "spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs, work, allowed_size()), daemon=True)  # type: ignore[attr-defined]
        # a terminal sends SIGINT to all processes, and the parent alone decides: the child never sees it
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if hasattr(signal, "pthread_sigmask") else None
        try:
            process.start()
        finally:
            if mask is not None:
                signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        theirs.close()
        return cls(process, ours)

    def feed(self, waiting: deque[tuple[int, Any]], most: int) -> None:
        """Give it tasks until it has `most`."""
        while waiting and len(self.tasks) < most:
            self.tasks.append(waiting.popleft())
            try:
                self.connection.send(self.tasks[-1][1])
            except OSError:  # it has been killed: seen when its answer is read
                return

    def end(self) -> None:
        """Kill it."""
        self.process.kill()
        self.process.join()
        self.connection.close()

    def cause(self) -> str:
        """How it ended."""
        code = self.process.exitcode or 0
        return f"killed by signal {-code}" if code < 0 else f"ended with exit code {code}"


def _serve(connection: Connection, work: Work[Any, Any], max_bytes: int | None) -> None:
    """Answer tasks until the parent process closes the connection or dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_die_with_parent, daemon=True).start()
    while True:
        try:
            task = connection.recv()
        except (EOFError, OSError):
            return
        connection.send(answer(_limited, work, max_bytes, task))


def _die_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
