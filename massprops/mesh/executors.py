"""Work in any executor of `concurrent.futures`: what the work raises is an answer, what the executor raises is an error of its own."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from typing import Any

from massprops.errors import ReadError

#: Whether a task succeeded, and its result or its exception.
Answer = tuple[bool, Any]


class WorkerLost(ReadError):
    """The process that worked on a task has ended."""

    default_code = "worker-killed"

    def __init__(self, how: str, place: str = "") -> None:
        hint = "is there enough memory? try --jobs 1"
        super().__init__(f"the process that worked on it was {how}", hint=hint, place=place)


def answer(work: Callable[..., Any], *task: Any) -> Answer:
    """What the work makes of a task, on the side of the worker."""
    try:
        return True, work(*task)
    except Exception as error:
        return False, error


def value(found: Answer) -> Any:
    """The result of an answer; its exception is raised."""
    good, result = found
    if not good:
        raise result
    return result


def give(executor: Executor, place: str, work: Callable[..., Any], *task: Any) -> Future[Answer]:
    """Give a task to an executor; the ReadError of one that takes no more work names the `place`, if there is one."""
    try:
        return executor.submit(answer, work, *task)
    except RuntimeError as error:  # BrokenExecutor is one, too
        raise _stopped(error, place) from error


def take(future: Future[Answer], place: str = "") -> Answer:
    """The answer, once it is there; ReadError where the executor has stopped, WorkerLost where the worker is gone."""
    try:
        return future.result()
    except (BrokenExecutor, CancelledError) as error:
        raise _stopped(error, place) from error
    except Exception as error:  # the work itself raises none here
        raise WorkerLost(f"lost: {error!r:.80}", place) from error


def _stopped(error: BaseException, place: str) -> ReadError:
    what = f"the executor has stopped working: {str(error) or type(error).__name__}"
    hint = "start it again, then start the run again"
    return ReadError(what, code="executor-stopped", hint=hint, place=place)
