"""One scheduler for threads, processes and foreign executors: bounded work ahead; errors of the executor and of the work are kept apart."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor

import pytest

from massprops import ReadError
from massprops.scheduling import results

pytestmark = pytest.mark.usefixtures("forked")


def _slow_first(n: int) -> int:
    import time

    time.sleep(0.1 if n == 0 else 0)
    return n


def _fails_at_3(n: int) -> int:
    if n == 3:
        raise MemoryError("no more")
    return n


def _deadly(n: int) -> int:
    if n % 10 == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    if n < 0:
        os._exit(n + 3)
    return n


def test_tasks_are_taken_as_workers_become_free() -> None:
    taken = 0

    def endless() -> Iterator[int]:
        nonlocal taken
        while True:
            yield taken
            taken += 1

    with ThreadPoolExecutor(2) as threads:
        for executor in (2, threads):
            taken = 0
            found = results(_slow_first, endless(), executor)
            assert [next(found) for _ in range(500)] == list(range(500))
            assert taken < 500 + 200  # what waits for the first task is bounded, too
            found.close()


def test_an_error_of_the_work_is_raised_at_its_place_in_the_order() -> None:
    with ThreadPoolExecutor(2) as threads:
        for executor in (2, threads):
            found = results(_fails_at_3, range(100), executor)
            assert [next(found) for _ in range(3)] == [0, 1, 2]
            with pytest.raises(MemoryError, match="no more"):
                next(found)


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
def test_a_killed_worker_costs_the_one_task_that_it_was_at() -> None:
    found = results(_deadly, range(40), 2, lambda n, error: f"{n}: {error}")
    killed = "the process that worked on it was killed by signal 9; is there enough memory? try jobs=1"
    assert list(found) == [f"{n}: {killed}" if n % 10 == 3 else n for n in range(40)]
    with pytest.raises(ReadError, match="killed by signal 9"):
        list(results(_deadly, range(40), 2))
    left = results(_deadly, [-2, -3], 2, lambda _, error: str(error).partition(";")[0][-11:])
    assert list(left) == ["exit code 1", "exit code 0"]


class _Lossy(Executor):
    """An executor that gives up on every task with an exception of its own, as those of clusters do."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def submit(self, *_: object) -> Future:
        future: Future = Future()
        future.set_exception(self.error)
        return future


def test_errors_of_the_executor_itself_are_those_of_the_task_or_of_the_run() -> None:
    message = r"the process that worked on it was lost: LookupError\('three .*'\); is there enough memory\?"
    with pytest.raises(ReadError, match=message):
        list(results(_deadly, [1], _Lossy(LookupError("three workers are gone"))))
    ended = ThreadPoolExecutor(1)
    ended.shutdown()
    for executor in (ended, _Lossy(CancelledError())):
        with pytest.raises(ReadError, match=r"the executor has stopped working: (cannot .*|CancelledError); start it"):
            list(results(_deadly, [1], executor))
