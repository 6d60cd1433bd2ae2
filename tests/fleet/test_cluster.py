"""A Dask cluster measures what processes here measure. `benchmarks/fleet.py --cluster` kills one of two workers."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from oracles import moved, tetrahedron, write_binary_stl

from massprops.cli import main
from massprops.fleet.table import _READERS


@pytest.fixture
def address() -> Iterator[str]:
    distributed = pytest.importorskip("distributed", reason="needs the extra")
    settings = {"n_workers": 1, "threads_per_worker": 2, "processes": False, "dashboard_address": None}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of a cluster in one process
        with distributed.LocalCluster(**settings, host="tcp://127.0.0.1") as cluster:
            yield cluster.scheduler_address


def test_rows_of_a_cluster_are_those_of_this_process(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "parts").mkdir()
    for i in range(5):
        write_binary_stl(tmp_path / "parts" / f"{i}.stl", moved(tetrahedron(), (i, 0, 0)))
    write_binary_stl(tmp_path / "parts" / "open.stl", tetrahedron()[1:])

    def table_of(table: str, *words: str) -> dict[str, dict[str, object]]:
        assert main(["compute", "parts", "-u", "mm", "--output-table", table, *words]) == 4
        rows = _READERS[".jsonl"](tmp_path / table)
        return {row["path"]: row for row in rows}

    expected = table_of("here.jsonl")
    assert len(expected) == 6
    assert table_of("there.jsonl", "--cluster", address) == expected
    assert table_of("sent.jsonl", "--cluster", address, "--send-files") == expected


def test_an_address_that_is_none_is_refused_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Else the client waits for it, and again when it ends, with a traceback."""
    pytest.importorskip("distributed", reason="needs the extra")
    for address in ("http://127.0.0.1:8786", "127.0.0.1"):
        assert main(["compute", "a.stl", "--output-table", str(tmp_path / "t.csv"), "--cluster", address]) == 2
        assert f"--cluster {address}: no scheduler answers: " in capsys.readouterr().err
