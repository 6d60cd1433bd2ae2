"""Many small cases as one test, since pytest takes longer for each of a thousand tests than most of them; and errors and their texts."""

from __future__ import annotations

import contextlib
import functools
import inspect
import json
import os
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any

import pytest


def each(names: str | tuple[str, ...], values: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Like `pytest.mark.parametrize`, in one test; what fails says of which case. For tests without fixtures that keep a state."""
    single = isinstance(names, str) and "," not in names
    known = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    cases = [(value,) if single else tuple(value) for value in values]

    def over_all(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def run(**others: Any) -> None:
            assert cases, "no case, no test"
            for case in cases:
                given = dict(zip(known, case, strict=True))
                try:
                    test(**others, **given)
                except BaseException as error:
                    error.add_note(f"case: {', '.join(f'{name}={value!r}' for name, value in given.items())}")
                    raise

        signature = inspect.signature(test)
        left = [parameter for name, parameter in signature.parameters.items() if name not in known]
        run.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return run

    return over_all


def seeds(few: int) -> range:
    """Seeds of a random law: `few` in the suite; MASSPROPS_CASES of them, from MASSPROPS_FIRST_SEED on, where the law alone is run."""
    first = int(os.environ.get("MASSPROPS_FIRST_SEED", "0"))
    return range(first, first + int(os.environ.get("MASSPROPS_CASES", few)))


@contextlib.contextmanager
def plain_refusals() -> Iterator[None]:
    """Refusals without a remedy, for which all levels of repair are tried; for laws about what is answered. A decorator, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("massprops.mesh.repaired_solid._with_remedy", lambda _surface, _policies, refused: refused)
        yield


def in_this_process(module: str, argument: str, _limit: float, cwd: str = ".") -> tuple[Any, dict[str, Any]]:
    """Like `run_in_subprocess`, without the second that the start of a reader takes; for files at which it does not crash."""
    from massprops.access import Access, having
    from massprops.formats.files import note_opened, recording_opened

    with having(Access()), recording_opened() as opened, contextlib.chdir(cwd):
        about, arrays = import_module(module).main(argument)
    note_opened(opened)
    return json.loads(json.dumps(about)), arrays


def raised(error: type[Exception], call: Callable[..., object], *args: Any, **options: Any) -> Any:
    """The error that a call raises."""
    with pytest.raises(error) as caught:
        call(*args, **options)
    return caught.value


def refused(error: type[Exception], call: Callable[..., object], *args: Any, **options: Any) -> str:
    """Text of the error that a call raises."""
    return str(raised(error, call, *args, **options))
