"""Meshes of MuJoCo: 16 bytes of counts, then vertices, normals, texture coordinates and faces."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from oracles import box

from massprops import ReadError, measure

CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 2) for z in (0, 3)], "<f4")
FACES = np.array(
    [[int((p == CORNERS).all(axis=1).argmax()) for p in t] for t in np.array(box((0, 0, 0), (1, 2, 3)))], "<i4"
)


def write(
    path: Path, points: np.ndarray = CORNERS, faces: np.ndarray = FACES, normals: int = 8, textures: int = 5
) -> Path:
    counts = np.array([len(points), normals, textures, len(faces)], "<i4")
    between = np.zeros(3 * normals + 2 * textures, "<f4")
    path.write_bytes(b"".join(part.tobytes() for part in (counts, points, between, faces)))
    return path


@pytest.mark.parametrize(("normals", "textures"), [(8, 5), (0, 0)])
def test_a_mesh_of_mujoco_is_its_facets(tmp_path: Path, normals: int, textures: int) -> None:
    found = measure(write(tmp_path / "a.msh", normals=normals, textures=textures))
    assert (found.volume, found.grade, found.input.format, found.input.facets) == (6, "proved", "msh", 12)
    assert found.center_of_mass.tolist() == [0.5, 1, 1.5]


def test_mujoco_reads_the_same_mesh(tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco", reason="compares with MuJoCo")
    path = write(tmp_path / "a.msh", CORNERS * np.float32(0.1), normals=8, textures=8)
    body = '<worldbody><body><geom type="mesh" mesh="a"/></body></worldbody>'
    text = f'<mujoco><asset><mesh name="a" file="{path}"/></asset>{body}</mujoco>'
    assert mujoco.MjModel.from_xml_string(text).body_mass[1] == pytest.approx(1000 * measure(path).volume, rel=1e-6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"faces": FACES[:0]}, "holds 8 points and no facets"),
        ({"faces": FACES + 1}, "refers to vertex 8, counted from 0, but its mesh has 8 vertices"),
        ({"faces": -FACES}, "but its mesh has 8 vertices"),
        ({"points": np.where(CORNERS == 3, np.float32("nan"), CORNERS)}, "vertex 1, counted from 0, is not finite"),
    ],
)
def test_damaged_meshes_are_refused(tmp_path: Path, change: dict[str, np.ndarray], message: str) -> None:
    with pytest.raises(ReadError, match=message):
        measure(write(tmp_path / "a.msh", **change))
