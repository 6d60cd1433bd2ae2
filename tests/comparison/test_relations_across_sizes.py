"""The relation of two bodies of any two sizes is the one that was planted, or none: each ± belongs to its own body.

Module tested: `diff/comparison`.
"""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from cases import seeds
from scipy.spatial import ConvexHull

import massprops
from massprops import Pose


def hull(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Corners and outward faces of a random convex body of size about 1, near the origin or beside it."""
    points = rng.normal(size=(rng.integers(5, 30), 3)) * rng.uniform(0.2, 1, 3)
    found = ConvexHull(points)
    points, faces = points[found.vertices], np.searchsorted(found.vertices, found.simplices)
    middle = points.mean(axis=0)
    a, b, c = points[faces].transpose(1, 0, 2)
    inward = (np.cross(b - a, c - a) * (a - middle)).sum(axis=1) < 0
    faces[inward] = faces[inward][:, ::-1]
    return points + rng.normal(size=3) * rng.choice([0, 3]), faces


def write(path: Path, points: np.ndarray, faces: np.ndarray) -> Path:
    """A binary STL, of float32, or an ASCII PLY, of float64, in metres."""
    if path.suffix == ".stl":
        body = np.zeros(len(faces), dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")])
        body["corners"] = points[faces]
        path.write_bytes(bytes(80) + struct.pack("<I", len(faces)) + body.tobytes())
        return path
    head = f"ply\nformat ascii 1.0\nelement vertex {len(points)}\n" + "".join(f"property double {x}\n" for x in "xyz")
    head += f"element face {len(faces)}\nproperty list uchar int vertex_indices\nend_header\n"
    rows = [" ".join(map(repr, p)) for p in points.tolist()] + [f"3 {a} {b} {c}" for a, b, c in faces.tolist()]
    path.write_text(head + "\n".join(rows) + "\n", encoding="ascii")
    return path


PLANTED = ("same", "moved", "mirrored", "other", "bent")


def test_the_relation_is_the_planted_one_or_none(tmp_path: Path) -> None:
    for seed in seeds(12):
        rng = np.random.default_rng(seed)
        points, faces = hull(rng)
        planted, scale = rng.choice(PLANTED), 10 ** rng.uniform(-6, 6) if rng.random() < 0.8 else 1.0
        image, turned = points.copy(), faces
        if planted == "other":
            image, turned = hull(rng)
        if planted == "bent":  # one corner further out
            k = rng.integers(len(points))
            image[k] += 0.3 * (points[k] - points.mean(axis=0))
        if planted == "mirrored":
            image, turned = image * [1, 1, -1], faces[:, ::-1]
        if planted in ("moved", "mirrored") or rng.random() < 0.5:
            planted = "moved" if planted == "same" else planted
            pose = Pose.from_xyz_rpy(rng.normal(size=3), rng.uniform(-3, 3, 3))
            image = image @ pose.rotation.T + pose.translation
        if rng.random() < 0.5:  # facets in another order
            turned = turned[rng.permutation(len(turned))]
        pair = [(points, faces), (image * scale, turned)]
        order = rng.permutation(2)
        files = [write(tmp_path / f"{i}{rng.choice(['.stl', '.ply'])}", *pair[k]) for i, k in enumerate(order)]
        scale = scale if order[0] == 0 else 1 / scale
        # the export's setting, as a share of the smaller body
        share = rng.choice([0, 1e-4, 1e-2])
        chord = share * min(float(np.ptp(p, axis=0).min()) for p, _ in pair)
        given = {} if chord == 0 else {"chord_tolerance": f"{float(chord)!r} m"}
        try:
            (found,) = massprops.diff(*files, **given)
        except massprops.InvalidInput as error:
            if chord and "leaves nothing certain" in str(error):  # of a flat body, or at its own scale
                continue
            raise
        relation = found.relation
        case = (seed, planted, scale, chord, [f.suffix for f in files], relation)
        if relation is None or relation.kind == "other":
            # exports without a tolerance, of one size, are recognised: a law that nothing is found would be empty
            assert planted in ("other", "bent") or chord or abs(np.log10(scale)) > 0.1, case
            continue
        if relation.kind == "alike" and share > 1e-3:
            continue  # the stated tolerance is as large as the difference: only second moments are said to agree
        assert planted not in ("other", "bent"), case
        assert relation.scale == pytest.approx(scale, rel=0.1), case
        if relation.kind != "alike" and not relation.several:
            assert relation.kind == planted or (relation.kind == "moved" and planted == "same"), case


def test_a_bracket_in_two_units_is_scaled_by_a_thousand(tmp_path: Path) -> None:
    points, faces = hull(np.random.default_rng(7))
    one, other = write(tmp_path / "mm.stl", 60 * points, faces), write(tmp_path / "m.stl", 0.06 * points, faces)
    for pair, scale in (((one, other), 1e-3), ((other, one), 1e3)):
        (found,) = massprops.diff(*pair)
        assert found.relation is not None
        assert (found.relation.kind, found.relation.evidence) == ("same", "facets")
        assert found.relation.scale == pytest.approx(scale, rel=1e-6)
