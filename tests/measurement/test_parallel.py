"""Several processes on one large file: the same numbers, bit for bit."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from oracles import bumpy_torus, reversed_facets, rotated, write_binary_stl

import massprops.measurement.parallel
from massprops import InvalidGeometry, ReadError, measure
from massprops.formats.registry import open_mesh
from massprops.mesh.source import CHUNK


@pytest.fixture(autouse=True)
def everything_is_shared_out(monkeypatch):
    monkeypatch.setattr(massprops.measurement.parallel, "WORTHWHILE", 1)


def large_torus() -> np.ndarray:
    """More than four chunks, the last of them short."""
    torus = rotated(bumpy_torus(220, 80))
    assert len(torus) % CHUNK
    assert len(torus) > 4 * CHUNK
    return torus


def told(path: Path, jobs: int, **options) -> str:
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
            with pytest.raises(kind) as caught:
                told(part, jobs, repair="none")
            errors.append((str(caught.value), caught.value.code))
        assert errors[0] == errors[1]


def test_a_pass_may_begin_at_any_chunk(tmp_path):
    torus = large_torus().astype(np.float32)
    with open_mesh(write_binary_stl(tmp_path / "torus.stl", torus)) as mesh:
        for first in range(6):
            rest = [np.empty((0, 3, 3)), *mesh.chunks(first)]
            assert np.array_equal(np.concatenate(rest), torus[first * CHUNK :])


def test_files_that_are_read_whole_are_not_shared_out(tmp_path):
    # each process would read all of it, which takes longer than the work
    path = tmp_path / "part.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    with open_mesh(path) as mesh:
        assert massprops.measurement.parallel.in_slices(mesh, str(path), None, 2) is mesh
    with open_mesh(write_binary_stl(tmp_path / "part.stl", bumpy_torus())) as mesh:
        assert massprops.measurement.parallel.in_slices(mesh, str(path), None, 2).mapper is not None
