"""Many files: outcomes of all of them in any executor, bounded work ahead, and one killed worker costs one file."""

from __future__ import annotations

import concurrent.futures
import os
import signal
from pathlib import Path

import pytest
from cases import refused
from oracles import moved, tetrahedron, write_binary_stl

from massprops import InvalidGeometry, InvalidInput, ReadError, measure, measure_many
from massprops.fleet.many import Outcome, Task, for_each
from massprops.measurement.options import Options


@pytest.fixture
def parts(tmp_path: Path) -> list[Path]:
    """Six tetrahedra at different places, and between them a file that is open and one that does not exist."""
    files = [write_binary_stl(tmp_path / f"{i}.stl", moved(tetrahedron(), (i, -i, 0))) for i in range(6)]
    return [*files[:3], write_binary_stl(tmp_path / "open.stl", tetrahedron()[1:]), tmp_path / "none.stl", *files[3:]]


@pytest.mark.usefixtures("forked")
def test_every_executor_gives_what_measure_gives_in_order(parts: list[Path]) -> None:
    def told(outcome: Outcome) -> object:
        assert (outcome.measurement is None) != (outcome.error is None)
        return outcome.error.to_dict() if outcome.error else outcome.result().to_dict()

    expected = []
    for path in parts:
        try:
            expected.append(measure(path, density=7800).to_dict())
        except (InvalidGeometry, ReadError) as error:
            expected.append(error.to_dict())
    assert [type(e.error) for e in measure_many(parts)].count(InvalidGeometry) == 1
    with concurrent.futures.ThreadPoolExecutor(3) as threads:
        for how in ({}, {"jobs": 2}, {"executor": threads}):
            found = list(measure_many(iter(parts), density=7800, **how))
            assert [o.path for o in found] == list(map(str, parts))
            assert list(map(told, found)) == expected
            loose = measure_many(parts, density=7800, ordered=False, **how)
            assert sorted(o.path for o in loose) == sorted(map(str, parts))


def test_options_are_checked_before_any_file_is_read() -> None:
    assert "density" in refused(InvalidInput, measure_many, ["none.stl"], density=-1)
    wrong = [*(("jobs", jobs) for jobs in (0, -1, 1.5)), ("executor", "two"), ("layers", "wall"), ("max_bytes", "1")]
    for name, value in wrong:
        with pytest.raises(InvalidInput, match=r"jobs must be|executor must be|layers must be|max_bytes must be"):
            list(measure_many(["none.stl"], **{name: value}))
    with pytest.raises(InvalidInput, match=r"paths must be several files, got one: 'none\.stl'; give a list"):
        measure_many("none.stl")
    assert "paths must be several files, got 5" in refused(InvalidInput, measure_many, 5)
    with pytest.raises(InvalidInput, match=r"paths must be names of files, got 5"):
        list(measure_many([5]))
    with pytest.raises(InvalidInput, match=r"there is no argument 'densty'; did you mean density\?"):
        measure_many(["none.stl"], densty=1)
    with pytest.raises(InvalidInput, match=r"there is no argument 'progres'; did you mean progress\?"):
        measure("none.stl", progres=print)
    (outcome,) = measure_many(["none.stl"])
    assert "none.stl: no such file" in refused(ReadError, outcome.result)


def test_a_limit_of_size_holds_in_every_process(parts: list[Path]) -> None:
    text = parts[0].with_suffix(".obj")
    text.write_text("v 0 0 0\n" * 40)
    for jobs in (1, 2):
        found = measure_many([*parts[:4], text, text], jobs=jobs, max_bytes=250)
        # binary STL is read in parts, so that no limit applies: of a text it does
        assert [o.error and o.error.code for o in found] == [None] * 3 + ["open-edges", "too-large", "too-large"]


def _deadly(task: Task) -> str:
    if task.path == "deadly":
        os.kill(os.getpid(), signal.SIGKILL)
    return task.path


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
@pytest.mark.usefixtures("forked")
def test_a_killed_worker_costs_the_one_file_that_it_was_at() -> None:
    names = [f"{i}" for i in range(100)]
    names[70] = "deadly"  # in a batch with others, which are measured again
    tasks = [Task(name, Options()) for name in names]
    found = for_each(_deadly, tasks, 2, lambda task, error: f"{task.path}: {error.code}")
    assert list(found) == [*names[:70], "deadly: worker-killed", *names[71:]]
    with concurrent.futures.ProcessPoolExecutor(1) as pool, pytest.raises(ReadError, match="executor has stopped"):
        list(for_each(_deadly, tasks, pool, lambda task, _error: task.path))
