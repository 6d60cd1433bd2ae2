"""Filled glTF: right numbers, and no other byte changed."""

from __future__ import annotations

import json
import math
import re
import struct
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import each
from console import run

import massprops

sys.path.insert(0, str(Path(__file__).parents[1] / "formats" / "robot"))
from test_gltf_physics import KHR, MASS, MOMENTS, OMI, STATED, TURN, body, link, saved


def filled(path: Path, **how: Any) -> bytes:
    found = massprops.fill(
        path, **({"density": 1000, "links": "all", "geometry": "collision", "mass_from": "density"} | how)
    )
    assert [x.error for x in found.links] == [None] * len(found.links)
    return found.data


@each("indent", [None, 1, "\t"])
@each("extension", [KHR, OMI])
@each("motion", [{}, {"mass": 3}, STATED | {"linearVelocity": [1, 2, 3]}, {"inertiaDiagonal": [9, 9, 9], "mass": 0.5}])
def test_only_the_members_of_the_motion_change(
    tmp_path: Path, indent: Any, extension: str, motion: dict[str, Any]
) -> None:
    """The box by hand; the rest of the text is the same, and a second run changes nothing."""
    path = saved(tmp_path / "r.gltf", body(motion, extension=extension, name="ä “"), {"name": "b"})
    text = json.dumps(json.loads(path.read_text()), indent=indent, ensure_ascii=False)
    path.write_text(text, encoding="utf-8")
    data = filled(path).decode()
    tree, before = json.loads(data), json.loads(text)
    found = tree["nodes"][0]["extensions"][extension].pop("motion")
    own = before["nodes"][0]["extensions"][extension].pop("motion")
    assert tree == before
    numbers = [found.pop(key) for key in ("mass", "centerOfMass", "inertiaDiagonal", "inertiaOrientation")]
    assert found == {k: v for k, v in own.items() if k == "linearVelocity"}
    assert (numbers[0], sorted(numbers[2])) == (pytest.approx(MASS), pytest.approx(sorted(MOMENTS)))
    start, end = text.index('"motion"'), text.index('"collider"')
    assert data.startswith(text[:start])
    assert data.endswith(text[end:])
    if indent and motion:  # each on a line of its own, like what was there
        assert all(re.search(rf'\n[ \t]+"{key}": ', data) for key in ("mass", "centerOfMass", "inertiaOrientation"))
    path.write_text(data, encoding="utf-8")
    assert filled(path).decode() == data


def test_the_binary_chunk_stays_and_the_lengths_are_right(tmp_path: Path) -> None:
    for name in ("a", "ab", "abc", "abcd"):  # blanks of any number after the JSON
        path = saved(tmp_path / "r.glb", body({}, name=name), {"mesh": 0}, binary=True)
        before, after = path.read_bytes(), filled(path)
        magic, version, size, length, kind = struct.unpack("<4sIII4s", after[:20])
        assert (magic, version, size, length % 4, kind) == (b"glTF", 2, len(after), 0, b"JSON")
        assert after[20 + length :] == before[20 + struct.unpack("<I", before[12:16])[0] :]
        path.write_bytes(after)
        assert link(path, name).mass == pytest.approx(MASS)
        assert massprops.measure(path).volume == pytest.approx(1 / 6)


def test_a_mesh_in_the_scene_is_measured_in_the_frame_of_its_body(tmp_path: Path) -> None:
    """The tetrahedron, twice as large, its corner at (1, 0, 2) of a body that is turned and moved."""
    nodes = (
        body({}, None, rotation=TURN, translation=[5, 0, 0], children=[1]),
        {"name": "shape", "translation": [0, 0, 2], "children": [2]},
        {"mesh": 0, "scale": [2, 2, 2], "translation": [1, 0, 0]},
    )
    path = saved(tmp_path / "r.gltf", *nodes)
    path.write_bytes(filled(path, geometry="visual"))
    found = link(path).body
    assert found is not None
    assert found.properties.mass == pytest.approx(8000 / 6)
    np.testing.assert_allclose(found.properties.com, [1.5, 0.5, 2.5], rtol=1e-6)
    second = 32000 * (np.eye(3) + 1) / 120  # ∫ r rᵀ about the corner, of edge 2: ρ 2⁵/120 (1 + δ)
    arm = np.full(3, 0.5)
    central = second - 8000 / 6 * np.outer(arm, arm)
    np.testing.assert_allclose(found.properties.inertia, np.trace(central) * np.eye(3) - central, rtol=1e-6)


@each(
    "shape, volume, height, scale",
    [
        (1, math.pi * 0.01 * 0.5, 0.0, [2, 2, 2]),
        (2, math.pi * 0.09 * 0.4 / 3, -0.2, [2, 2, 2]),
        (2, math.pi * 0.09 * 0.4 / 3, 0.2, [2, -2, 2]),
        (2, math.pi * 0.09 * 0.4 / 3, -0.2, [-2, 2, 2]),
        (7, math.pi * 0.09 * 0.4 / 3, 0.2, [2, 2, 2]),
        (3, math.pi * 0.01 * 0.5 + 4 / 3 * math.pi * 0.001, 0.0, [2, 2, 2]),
    ],
)
def test_round_shapes_stand_along_y(tmp_path: Path, shape: int, volume: float, height: float, scale: list[int]) -> None:
    """A cone's centre is a quarter of its height above its base, which is half of it below the origin; all twice as large."""
    path = saved(tmp_path / "r.gltf", body({}, None, children=[1]), body(None, shape, scale=scale, name="s"))
    path.write_bytes(filled(path))
    found = link(path).body
    assert found is not None
    assert found.properties.mass == pytest.approx(8000 * volume)
    np.testing.assert_allclose(found.properties.com, [0, height, 0], atol=1e-12)
    ixx, iyy, izz = found.properties.inertia.diagonal()
    assert ixx == pytest.approx(izz)
    assert bool(iyy < ixx) == (shape not in (2, 7))


def test_what_cannot_be_filled_keeps_its_bytes(tmp_path: Path) -> None:
    path = saved(tmp_path / "r.gltf", body({}, 5), body({}, name="b", scale=[2, 2, 2]))
    before = path.read_bytes()
    done = run("fill", str(path), "--density", "1000", "--links", "all", "--in-place")
    assert done.returncode != 0
    assert path.read_bytes() == before
    assert "a capsule with two radii" in done.err + done.out
    assert "the node is scaled" in done.err + done.out
    saved(path, body({}))
    done = run("fill", str(path), "--density", "1000", "-o", str(tmp_path / "r.glb"))
    assert (done.returncode, "the robot stays .gltf" in done.err) == (2, True)
    done = run("fill", str(path), "--density", "1000", "--links", "all", "--provenance")
    assert done.returncode != 0
    assert "JSON has no comments" in " ".join((done.err + done.out).split())
    done = run("sample", str(path), "--n", "2", "--mass", "5%", "-o", str(tmp_path / "out"))
    assert (done.returncode, "of glTF and USD no samples are written" in done.err) == (2, True)
