"""Tasks in threads, in processes of this machine or in any executor: one bounded window, results in order or as they are ready.

Threads and foreign executors are those of `concurrent.futures`. Its `ProcessPoolExecutor` is not used: where a worker is killed while it
sends a result of 80 kB, a quarter of such pools never end, since all workers share one pipe. Here each has its own.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from massprops.access import Access, access, having
from massprops.errors import ReadError, Remedy

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

T = TypeVar("T")
R = TypeVar("R")

#: Tasks that a worker of this machine has at a time while there are many: it does not wait for the next one.
_AHEAD = 2
#: Seconds from one look for the parent to the next; and the kernel's number of the signal that a process is sent when its parent ends.
_LOOK, _PR_SET_PDEATHSIG = 0.5, 1
#: Workers of an executor that does not say how many it has.
_WORKERS = 64
#: Whether a task succeeded, and its result or its exception.
Answer = tuple[bool, Any]
#: What makes the result of a task, and what makes the result of one whose worker is lost.
Work = Callable[[T], R]
Lost = Callable[[T, ReadError], R]


class WorkerLost(ReadError):
    """The process that worked on a task has ended."""

    default_code = "worker-killed"

    def __init__(self, how: str) -> None:
        hint = Remedy("is there enough memory? try {}", "jobs=1")
        super().__init__(f"the process that worked on it was {how}", hint=hint)


def raise_lost(_task: object, error: ReadError) -> Any:
    """Raise the error of a lost worker, for work that cannot go on without the result."""
    raise error


def results(
    work: Work[T, R],
    tasks: Iterable[T],
    executor: int | Executor,
    lost: Lost[T, R] = raise_lost,
    *,
    ordered: bool = True,
    window: int = 64,
) -> Iterator[R]:
    """The results of `work` for the tasks, each as soon as it is ready; a bounded number of tasks and results is in memory.

    Parameters
    ----------
    work : callable
        An exception that it raises is raised here.
    tasks : iterable
        Read as workers become free.
    executor : int or Executor
        Number of processes, which end when the iterator is closed or this process dies; or where the work is done instead.
    lost : callable
        The result of a task whose worker is lost, from the task and the error to report.
    ordered : bool
        Whether results come in the order of the tasks.
    window : int
        Tasks that are started beyond the first one whose result is not used yet, for each worker.

    Raises
    ------
    ReadError
        If the executor has stopped working.
    """
    source, work = enumerate(tasks), partial(_within, access().of_worker(), work)
    done: dict[int, Answer] = {}
    given = taken = used = 0
    team = _Processes(work, lost, executor) if isinstance(executor, int) else _Futures(work, lost, executor)
    try:
        while True:
            room = min(2 * _AHEAD * team.size + taken, window * team.size + used) - given
            for numbered in islice(source, max(0, room)):
                team.give(*numbered)
                given += 1
            if used == given:
                return
            found = team.take()
            taken += len(found)
            done |= found
            while done and (not ordered or used in done):
                succeeded, result = done.pop(used if ordered else next(iter(done)))
                if not succeeded:
                    raise result
                used += 1
                yield result
    finally:
        team.end()


def workers_of(executor: int | Executor) -> int:
    """The number of processes, or of workers that an executor says it has."""
    return executor if isinstance(executor, int) else getattr(executor, "_max_workers", _WORKERS)


def _within(given: Access, work: Work[T, R], task: T) -> R:
    """The result of a task, with the limits, permissions and spelling of the process that waits for it."""
    with having(given):
        return work(task)


def _answer(work: Work[T, R], task: T) -> Answer:
    """The answer to a task, on the side of the worker: an exception of the work is one, and others are those of the executor."""
    try:
        return True, work(task)
    except Exception as error:
        return False, error


class _Futures:
    """Tasks in an executor."""

    def __init__(self, work: Work[Any, Any], lost: Lost[Any, Any], executor: Executor) -> None:
        self._work, self._lost, self._executor, self.size = work, lost, executor, workers_of(executor)
        self._pending: dict[Future[Answer], tuple[int, Any]] = {}
        self._ready: SimpleQueue[Future[Answer]] = SimpleQueue()

    def give(self, number: int, task: Any) -> None:
        try:
            future = self._executor.submit(_answer, self._work, task)
        except RuntimeError as error:  # BrokenExecutor is one, too
            raise _stopped(error) from error
        self._pending[future] = number, task
        future.add_done_callback(self._ready.put)

    def take(self) -> dict[int, Answer]:
        future = self._ready.get()
        number, task = self._pending.pop(future)
        try:
            return {number: future.result()}
        except (BrokenExecutor, CancelledError) as error:
            raise _stopped(error) from error
        except Exception as error:  # the work itself raises none here
            return {number: (True, self._lost(task, WorkerLost(f"lost: {error!r:.80}")))}

    def end(self) -> None:
        for future in self._pending:
            future.cancel()


def _stopped(error: BaseException) -> ReadError:
    what = f"the executor has stopped working: {str(error) or type(error).__name__}"
    return ReadError(what, code="executor-stopped", hint="start it again, then start the run again")


class _Processes:
    """Tasks in processes of this machine; one that is killed costs only the task that it was at."""

    def __init__(self, work: Work[Any, Any], lost: Lost[Any, Any], jobs: int) -> None:
        self._work, self._lost, self.size = work, lost, jobs
        self._waiting: deque[tuple[int, Any]] = deque()
        self._workers: dict[Any, _Worker] = {}  # by connection

    def give(self, number: int, task: Any) -> None:
        self._waiting.append((number, task))

    def take(self) -> dict[int, Answer]:
        from multiprocessing.connection import wait

        while self._waiting and len(self._workers) < self.size:
            worker = _Worker.start(self._work)
            self._workers[worker.connection] = worker
            worker.feed(self._waiting, 1)
        # a second task for each while there are more than enough for all
        for worker in self._workers.values():
            worker.feed(self._waiting, _AHEAD if len(self._waiting) > self.size else 1)
        found: dict[int, Answer] = {}
        for connection in wait(list(self._workers)):
            worker = self._workers[connection]
            try:
                answer = worker.connection.recv()
            except (EOFError, OSError):
                del self._workers[connection]
                cause = worker.end()
                if worker.tasks:
                    number, task = worker.tasks.popleft()
                    found[number] = True, self._lost(task, WorkerLost(cause))
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
        """Start a process: forked where that is safe and known, since it is at once; else afresh."""
        import multiprocessing

        forked = os.name == "posix" and "fork" in multiprocessing.get_all_start_methods()
        context = multiprocessing.get_context("fork" if forked and threading.active_count() == 1 else "spawn")
        ours, theirs = context.Pipe()
        # the kernel means the thread that starts a process: one that ends before its workers would end them
        parent = os.getpid() if threading.current_thread() is threading.main_thread() else None
        process = context.Process(target=_serve, args=(theirs, work, parent), daemon=True)  # type: ignore[attr-defined]
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

    def end(self) -> str:
        """Kill it; how it ended."""
        self.process.kill()
        self.process.join()
        self.connection.close()
        code = self.process.exitcode or 0
        return f"killed by signal {-code}" if code < 0 else f"ended with exit code {code}"


def end_with_parent(parent: int) -> None:
    """End this process, whatever it is at, when the process that started it ends, however that ends.

    Linux kills it when the thread that started it is no more, also where a library works without ever coming back to Python; elsewhere a
    thread looks for the parent.
    """
    if sys.platform == "linux":
        import ctypes

        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it has ended before this was asked for
        os.kill(os.getpid(), signal.SIGTERM)
    threading.Thread(target=_wait_for_end_of, args=(parent,), daemon=True).start()


def _wait_for_end_of(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK)
    os.kill(os.getpid(), signal.SIGTERM)


def _serve(connection: Connection, work: Work[Any, Any], parent: int | None) -> None:
    """Answer tasks until the parent process closes the connection or dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if parent is not None:
        end_with_parent(parent)
    else:
        threading.Thread(target=_die_with_parent, daemon=True).start()
    while True:
        try:
            task = connection.recv()
        except (EOFError, OSError):
            return
        connection.send(_answer(work, task))


def _die_with_parent() -> None:
    from multiprocessing import parent_process

    if (parent := parent_process()) is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
