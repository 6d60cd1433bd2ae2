"""Work on many files in several processes; results come in the order of the files."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

from massprops.errors import ReadError
from massprops.formats.files import allowed_size, set_size_limit

T = TypeVar("T")
R = TypeVar("R")

#: Tasks that a process has at a time while there are many: it does not wait for the next one.
_AHEAD = 2


def in_order(work: Callable[[T], R], tasks: Sequence[T], jobs: int, lost: Callable[[T, ReadError], R]) -> Iterator[R]:
    """What `work` makes of the tasks, in their order, each as soon as it and those before it are done.

    Parameters
    ----------
    work : callable
        Sent to each process once; an exception that it raises is raised here.
    tasks : sequence
        Small values.
    jobs : int
        Processes. They end when the iterator is closed, however that happens, and when this process dies.
    lost : callable
        The result of a task whose process was killed, from the task and the error to report.
    """
    waiting = deque(range(len(tasks)))
    done: dict[int, tuple[bool, Any]] = {}
    workers: dict[Connection, _Worker] = {}
    try:
        for current in range(len(tasks)):
            while current not in done:
                while waiting and len(workers) < min(jobs, len(tasks)):
                    worker = _Worker.start(work)
                    workers[worker.connection] = worker
                    worker.feed(waiting, tasks, jobs)
                for connection in wait(list(workers)):
                    worker = workers[connection]  # type: ignore[index]  # only connections are waited for
                    try:
                        answer = worker.connection.recv()
                    except (EOFError, OSError):
                        del workers[worker.connection]
                        culprit = worker.end()
                        if culprit is not None:
                            waiting.extendleft(reversed(worker.tasks))
                            done[culprit] = True, lost(tasks[culprit], worker.loss())
                        continue
                    done[worker.tasks.popleft()] = answer
                    worker.feed(waiting, tasks, jobs)
            good, value = done.pop(current)
            if not good:
                raise value
            yield value
    finally:
        for worker in workers.values():
            worker.end()


@dataclass
class _Worker:
    """A process, and the numbers of the tasks that it has, the current one first."""

    process: BaseProcess
    connection: Connection
    tasks: deque[int] = field(default_factory=deque)

    @classmethod
    def start(cls, work: Callable[[Any], Any]) -> _Worker:
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

    def feed(self, waiting: deque[int], tasks: Sequence[Any], jobs: int) -> None:
        """Give it a task and, while there are enough for the others, the next one too."""
        while waiting and len(self.tasks) < (_AHEAD if len(waiting) > _AHEAD * jobs else 1):
            self.tasks.append(waiting.popleft())
            try:
                self.connection.send(tasks[self.tasks[-1]])
            except OSError:  # it has been killed: seen when its answer is read
                return

    def end(self) -> int | None:
        """Kill it; the number of the task that it was at."""
        self.process.kill()
        self.process.join()
        self.connection.close()
        return self.tasks.popleft() if self.tasks else None

    def loss(self) -> ReadError:
        """Why its task has no result."""
        code = self.process.exitcode or 0
        how = f"killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        return ReadError(
            f"the process that worked on it was {how}",
            code="worker-killed",
            hint="is there enough memory? try --jobs 1",
        )


def _serve(connection: Connection, work: Callable[[Any], Any], max_bytes: int | None) -> None:
    """Answer tasks until the parent process closes the connection or dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_die_with_parent, daemon=True).start()
    if max_bytes is not None:
        set_size_limit(max_bytes)
    while True:
        try:
            task = connection.recv()
        except (EOFError, OSError):
            return
        try:
            answer = True, work(task)
        except Exception as error:
            answer = False, error
        connection.send(answer)


def _die_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
