"""Several threads on one large mesh: the same numbers, bit for bit.

Modules tested: `mesh/source`, `mesh/integration`.
"""

from __future__ import annotations

import io
import itertools
import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from cases import raised
from oracles import bumpy_torus, reversed_facets, rotated, write_binary_stl

from massprops import InvalidGeometry, ReadError, measure, native
from massprops.formats.mesh.arrays import from_soup
from massprops.mesh import source
from massprops.mesh.proof import embedding
from massprops.mesh.source import CHUNK


def large_torus() -> np.ndarray:
    """More than four chunks, the last of them short."""
    torus = rotated(bumpy_torus(500, 140))
    assert len(torus) % CHUNK
    assert len(torus) > 4 * CHUNK
    return torus


def told(path: Path, jobs: int | None, **options) -> str:
    return json.dumps(measure(path, units="mm", density=7800, jobs=jobs, **options).to_dict())


@pytest.mark.parametrize("jobs", [2, 3, 20])
def test_the_result_is_the_same_to_the_last_bit(jobs, tmp_path):
    part = write_binary_stl(tmp_path / "torus.stl", large_torus())
    assert told(part, jobs) == told(part, 1)


def test_what_is_done_to_the_surface_is_the_same_too(tmp_path):
    inside_out = write_binary_stl(tmp_path / "torus.stl", reversed_facets(large_torus()))
    turned = told(inside_out, 2, on_inverted="flip")
    assert turned == told(inside_out, 1, on_inverted="flip")
    assert json.loads(turned)["grade"] == measure(reversed_facets(large_torus()), on_inverted="flip").grade
    two = np.concatenate([large_torus(), large_torus() + 0.1])
    overlapping = write_binary_stl(tmp_path / "two.stl", two)
    assert told(overlapping, 2, on_overlap="count") == told(overlapping, 1, on_overlap="count")


def test_errors_are_the_same_wherever_they_are(tmp_path):
    bad, open_ = large_torus(), large_torus()[:-1]
    bad[3 * CHUNK + 5, 1, 2] = np.nan
    for name, triangles, kind in (("nan.stl", bad, ReadError), ("open.stl", open_, InvalidGeometry)):
        part = write_binary_stl(tmp_path / name, triangles)
        errors = []
        for jobs in (1, 2):
            caught = raised(kind, told, part, jobs, repair="none")
            errors.append((str(caught), caught.code))
        assert errors[0] == errors[1]


def test_a_pipe_may_be_read_by_several_threads(tmp_path):
    part = write_binary_stl(tmp_path / "torus.stl", large_torus())
    piped = measure("-", units="mm", density=7800, jobs=2, stdin=io.BytesIO(part.read_bytes()), format="stl").to_dict()
    assert {**piped, "input": None} == {**json.loads(told(part, 1)), "input": None}


def test_chunks_of_any_size_are_given_with_the_triangles_before_them():
    sizes = [3, CHUNK, 1, 1, 700, 5]
    mesh = replace(from_soup(large_torus()), read_chunks=lambda: (np.zeros((n, 3, 3)) for n in sizes))
    for jobs in (1, 2):
        found = list(replace(mesh, jobs=jobs).map(lambda chunk, first: (first, len(chunk))))
        assert found == list(zip(itertools.accumulate(sizes, initial=0), sizes, strict=False))


def test_an_error_of_a_thread_is_raised_and_the_others_end():
    def fails(_chunk, first):
        if first:
            raise MemoryError("no more")

    with pytest.raises(MemoryError, match="no more"):
        list(replace(from_soup(large_torus()), jobs=2).map(fails))


@pytest.mark.parametrize(("processors", "facets", "threads"), [(4, 99, 4), (4, 100, 1), (64, 99, 16), (1, 99, 1)])
def test_all_processors_work_on_a_mesh_of_many_triangles(processors, facets, threads, tmp_path, monkeypatch):
    """With the same bytes, unless the user says how many."""
    part, used = write_binary_stl(tmp_path / "torus.stl", large_torus()), []
    expected = told(part, 1)
    monkeypatch.setattr(source, "processors", lambda: processors)
    monkeypatch.setattr(source, "_MANY", len(large_torus()) - 100 + facets)
    for module in (source, embedding):
        noted = partial(
            lambda name, work, tasks, jobs: used.append((name, jobs)) or itertools.starmap(work, tasks), module
        )
        monkeypatch.setattr(module, "in_threads", noted)
    assert told(part, None) == expected
    proved = {(embedding, threads)} if native.core() else set()  # numpy compares all pairs at once
    assert set(used) == {(source, threads), *proved}
