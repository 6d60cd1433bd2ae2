"""The mesh of a measurement has its numbers: what was filled, turned and united is in it; or there is none, and the error says why."""

from __future__ import annotations

import copy
import os
import pickle
import sys
from functools import partial
from pathlib import Path
from typing import Any

import cases
import numpy as np
import pytest
from cases import each
from damage import BODIES, COMPOUNDS, DAMAGES, planted
from oracles import box, moved, write_binary_stl
from step_files import needs_kernel

from massprops import InvalidGeometry, InvalidInput, Measurement, Pose, ReadError, measure, measure_many
from massprops.errors import result_or_error
from massprops.formats.mesh.writing import obj_bytes

refused = partial(cases.refused, InvalidInput)
BOX = box((0, 0, 0), (2, 3, 4))
OPEN = BOX[1:]


def agree(one: Measurement, other: Measurement, **off: float) -> None:
    size = float(np.ptp(one.bounds, axis=0).max())
    tolerance = {"rel": 1e-12} | off
    assert other.moments.measure == pytest.approx(one.moments.measure, **tolerance)
    assert other.center_of_mass == pytest.approx(one.center_of_mass, abs=1e-12 * size)
    second, other_second = (m.moments.recentred().central_second() for m in (one, other))
    assert other_second == pytest.approx(second, abs=1e-11 * float(np.abs(second).max()))


@pytest.mark.parametrize("damage", [*DAMAGES, *COMPOUNDS])
def test_a_mended_mesh_has_the_numbers_of_the_measurement(damage: str) -> None:
    """Whatever was done to a damaged body, turned and moved at random: its mesh needs no repair but is the same body."""
    meshes = 0
    for seed, body in enumerate(["torus", "bracket"] if damage in COMPOUNDS else BODIES):
        triangles, _ = planted(damage, body, np.random.default_rng(seed))
        try:
            found = measure(triangles, units="mm", repair="full", max_uncertainty="30 %")
        except InvalidGeometry:
            continue
        mesh = result_or_error(found.to_trimesh)
        if isinstance(mesh, Exception):
            assert "which is an estimate" in str(mesh)
            assert found.grade == "estimated"
            continue
        meshes += 1
        assert mesh.units == "mm"
        again = measure(mesh, repair="none", on_inverted="flip", nested="cavity")
        agree(found, again)
    assert meshes


@each(
    ("triangles", "options"),
    [
        (OPEN, {"on_open": "hull"}),
        (OPEN, {"on_open": "integrate"}),
        (OPEN, {"on_open": "shell"}),
        (OPEN, {"kind": "sheet"}),
        (BOX, {"kind": "sheet"}),
        (BOX, {"kind": "wall", "thickness": 0.1, "density": 1000}),
        (np.concatenate([BOX, moved(BOX, [1, 1, 1])]), {"on_overlap": "count"}),
        (np.concatenate([BOX, BOX]), {"verify": "none"}),
        (BOX, {"pose": Pose.from_xyz_rpy([1, 2, 3], [0.1, 0.2, 0.3])}),
        (BOX, {"density": lambda points: 1 + points[:, 0] ** 2}),
    ],
)
def test_the_same_policies_give_the_same_numbers_again(triangles: Any, options: dict[str, Any]) -> None:
    found = measure(triangles, units="m", **options)
    agree(found, measure(found.to_trimesh(), **options))


def test_a_hull_is_a_solid_of_its_own() -> None:
    hull = measure(OPEN, units="m", on_open="hull").to_trimesh()
    assert measure(hull).volume == pytest.approx(24, rel=1e-12)
    assert measure(hull).grade == "proved"


def test_the_unit_is_that_of_the_file_and_the_axes_are_its_own(tmp_path: Path) -> None:
    path = write_binary_stl(tmp_path / "box.stl", BOX)
    placed = measure(path, units="in", pose=Pose.from_xyz_rpy([1, 2, 3], [0, 0, 0]), density=1000)
    mesh = placed.to_trimesh()
    assert mesh.units == "in"
    assert mesh.bounds.tolist() == [[0, 0, 0], [2, 3, 4]]
    assert measure(path).to_trimesh().units is None  # nobody stated it
    mesh.units = "mm"
    assert measure(mesh).to_trimesh().units == "mm"
    assert measure(mesh, override_units="cm").to_trimesh().units == "cm"


def test_a_union_is_one_body() -> None:
    pytest.importorskip("manifold3d")
    found = measure(np.concatenate([BOX, moved(BOX, [1, 1, 1])]), units="m", on_overlap="union")
    again = measure(found.to_trimesh())
    agree(found, again)
    assert again.volume == pytest.approx(24 + 24 - 1 * 2 * 3, rel=1e-12)
    assert again.grade in ("proved", "certified")


def test_an_estimate_has_no_triangles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "manifold3d", None)
    found = measure(np.concatenate([BOX, moved(BOX, [1, 1, 1])]), units="m", on_overlap="union")
    assert refused(found.to_trimesh) == (
        "array: no triangles bound what was measured, which is an estimate, or certified by its edges alone; mend the mesh first"
    )


def test_pieces_are_one_mesh(tmp_path: Path) -> None:
    pieces = [str(write_binary_stl(tmp_path / f"{i}.stl", part)) for i, part in enumerate((BOX[:5], BOX[5:]))]
    found = measure(pieces, together=True, units="mm")
    agree(found, measure(found.to_trimesh()))


def test_sections_and_parts_have_no_mesh(tmp_path: Path) -> None:
    section = measure([[0, 0], [1, 0], [0, 1]], thickness=1, density=1)
    assert "a section has no triangles; plot it" in refused(section.to_trimesh)
    path = tmp_path / "two.obj"
    one = obj_bytes(BOX.reshape(-1, 3), np.arange(36).reshape(-1, 3)).decode()
    two = obj_bytes(BOX.reshape(-1, 3) + 10, np.arange(36, 72).reshape(-1, 3)).decode()
    path.write_text(f"o one\n{one}o two\n{two}")
    assert "it was measured part by part; measure one part: FILE#NAME" in refused(
        measure(path, list_parts=True).to_trimesh
    )
    agree(measure(path, units="m"), measure(measure(path, units="m").to_trimesh()))
    with path.open("rb") as stream:
        assert "standard input cannot be read again" in refused(measure("-", stdin=stream, format="obj").to_trimesh)


def test_a_source_that_has_changed_is_refused(tmp_path: Path) -> None:
    path = write_binary_stl(tmp_path / "box.stl", BOX)
    found = measure(path, units="mm")
    times = path.stat()
    write_binary_stl(path, moved(BOX, [0, 0, 1]))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))  # not by its time, nor by its size
    error = cases.raised(ReadError, found.to_trimesh)
    assert (error.code, str(error)) == (
        "changed-file",
        f"{path}: it has changed since it was measured; measure it again",
    )
    write_binary_stl(path, BOX)
    agree(found, measure(found.to_trimesh()))
    path.unlink()
    assert cases.raised(ReadError, found.to_trimesh).code == "missing-file"
    array = BOX.copy()
    found = measure(array, units="m")
    for factor in (1 + 1e-9, -1):  # another body; no body
        array[:, :, 2] *= factor
        assert cases.raised(ReadError, found.to_trimesh).code == "changed-file"


def test_copies_are_equal_and_what_is_stored_knows_no_source(tmp_path: Path) -> None:
    found = measure(BOX, units="m", density=lambda points: 1 + points[:, 0])  # a function that nothing can store
    stored = pickle.loads(pickle.dumps(found))  # noqa: S301  # our own
    for other in (copy.copy(found), copy.deepcopy(found), stored):
        assert other == found
        assert hash(other) == hash(found)
    copy.deepcopy(found).bounds[:] = 7
    assert found == stored  # a copy has arrays of its own
    assert copy.deepcopy([found])[0].to_trimesh().volume == pytest.approx(found.volume)
    assert "does not know its source; measure it again" in refused(stored.to_trimesh)
    path = write_binary_stl(tmp_path / "box.stl", BOX)
    (outcome,) = measure_many([path], units="mm")
    assert outcome.result() == measure(path, units="mm")
    assert "does not know its source" in refused(outcome.result().to_trimesh)


@needs_kernel
def test_exact_surfaces_give_the_triangles_near_them() -> None:
    from OCP.BRepPrimAPI import BRepPrimAPI_MakeCylinder

    found = measure(BRepPrimAPI_MakeCylinder(10, 20).Shape())
    mesh = found.to_trimesh()
    assert mesh.units == "mm"
    near = measure(mesh)
    assert near.volume == pytest.approx(found.volume, rel=0.02)
    assert near.volume < found.volume * (1 - 1e-6)  # inside the round wall
