"""Many files, checked: in several processes if that is worth it, the results in the order of the files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath

from massprops.checking.check_file import Checker
from massprops.checking.report import Checked, Subject
from massprops.errors import ReadError
from massprops.formats.inertial.opening import Address

#: Bytes below which one process is done before a second has started.
WORTHWHILE = 2_000_000


def check_files(names: Sequence[str], checker: Checker, jobs: int) -> Iterator[list[Checked]]:
    """What was found about every file, in their order, each as soon as it and those before it are done.

    Parameters
    ----------
    names : sequence of str
        Files, or ``file#link``.
    checker : Checker
        How.
    jobs : int
        Processes; the result does not depend on it.
    """
    if jobs == 1 or len(names) == 1 or sum(map(_size, names)) < WORTHWHILE:
        return map(checker.check, names)
    from massprops.measurement.parallel import in_order

    return in_order(checker.check, names, jobs, _lost)


def _lost(name: str, error: ReadError) -> list[Checked]:
    return [Checked(Subject(PurePath(name).as_posix()), error=error.at(name))]


def _size(name: str) -> int:
    try:
        return Path(Address.parse(name).path).stat().st_size
    except (OSError, ValueError):  # reported when the file is read
        return 0
