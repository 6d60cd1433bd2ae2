"""The numbers of findings: for each code that has one, the value and the limit of an example that is worked out by hand."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import each
from console import run
from oracles import box
from places import ROOT

from massprops.checking.rules import rules


@dataclass(frozen=True)
class Example:
    """A file, what `check` is given beside its name, and the numbers of the finding."""

    name: str
    text: str | bytes
    value: float
    limit: float | None = None
    options: tuple[str, ...] = ("--units", "mm")


# --- meshes: in millimetres, so that a value in units of the file is seen ---------------------------------------------

BRICK = box((0, 0, 0), (2, 3, 5))
BRICK_VOLUME = 30e-9
BROKEN = ("--units", "mm", "--repair", "none")
#: Two facets, back to back, half of a rectangle of 1 × 2 mm each, inside of the brick.
SHEET = np.array([[[0.5, 0.5, 2], [1.5, 0.5, 2], [0.5, 2.5, 2]], [[0.5, 0.5, 2], [0.5, 2.5, 2], [1.5, 0.5, 2]]])


def stl(*parts: Any) -> str:
    facets = [f"facet normal 0 0 0 outer loop {corners(f)} endloop endfacet" for part in parts for f in part]
    return "\n".join(["solid", *facets, "endsolid"])


def corners(facet: Any) -> str:
    return " ".join(f"vertex {x!r} {y!r} {z!r}" for x, y, z in np.asarray(facet, dtype=float).tolist())


def binary_stl(facets: Any, promised: int) -> bytes:
    rows = b"".join(struct.pack("<12fH", 0, 0, 0, *np.ravel(f).tolist(), 0) for f in facets)
    return bytes(80) + struct.pack("<I", promised) + rows


def obj(facets: Any, *more: str) -> str:
    points = "\n".join(f"v {x} {y} {z}" for x, y, z in np.reshape(facets, (-1, 3)).tolist())
    faces = "\n".join(f"f {3 * i + 1} {3 * i + 2} {3 * i + 3}" for i in range(len(facets)))
    return "\n".join([points, faces, *more])


def ply(facets: Any, padding: int) -> bytes:
    head = (
        f"ply\nformat binary_little_endian 1.0\nelement vertex {3 * len(facets)}\nproperty double x\nproperty double y\n"
        f"property double z\nelement face {len(facets)}\nproperty list uchar int vertex_indices\nend_header\n"
    )
    rows = b"".join(struct.pack("<B3i", 3, 3 * i, 3 * i + 1, 3 * i + 2) for i in range(len(facets)))
    return head.encode() + np.asarray(facets, dtype="<f8").tobytes() + rows + bytes(padding)


#: The four faces of a tetrahedron with all corners in one plane.
FLAT = np.array([(0, 0, 0), (4, 0, 0), (1, 3, 0), (1, 1, 0)])[[(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]]
#: A facet that has one edge in common with two facets of the brick.
FIN = [[BRICK[0][0], BRICK[0][1], [-1, -1, -1]]]
MESHES = {
    "facet-count": Example("a.stl", binary_stl(BRICK, promised=5), 12, 5),
    "surplus-data": Example("a.ply", ply(BRICK, padding=3), 3),
    "unknown-statements": Example("a.obj", obj(BRICK, "hello 1", "hello 2", "world 1"), 3),
    "skipped-elements": Example("a.obj", obj(BRICK, "l 1 2", "l 2 3"), 2),
    "open-edges": Example("a.stl", stl(BRICK[:-1]), 3, 0, BROKEN),
    "inconsistent-winding": Example("a.stl", stl(BRICK[:-1], BRICK[-1:, ::-1]), 3, 0, BROKEN),
    "non-manifold-edges": Example("a.stl", stl(BRICK, FIN), 1, 0, BROKEN),
    "inverted-surface": Example("a.stl", stl(BRICK[:, ::-1]), -BRICK_VOLUME, 0),
    "zero-volume": Example("a.stl", stl(FLAT), 0, 0),
    "double-sided": Example("a.stl", stl(SHEET), 0, 0),
    "internal-sheets": Example("a.stl", stl(BRICK, SHEET), 2e-6, 0),
    "nested-bodies": Example("a.stl", stl(BRICK, box((0.5, 0.5, 1), (1.5, 1.5, 3))), 2e-9, 0),
    "repairable": Example("a.stl", stl(BRICK[:-1]), BRICK_VOLUME, None, BROKEN),
    "implausible-size": Example("a.stl", stl(4 * BRICK), 20, 10, ()),
    "implausible-density": Example("a.stl", stl(BRICK), 7.8, 20, ("--units", "mm", "--density", "7.8")),
    "unexpected-mass": Example("a.stl", stl(BRICK), 3e-5, 2e-5, ("--units", "mm", "--density", "1000", "--max-mass", "20mg")),
    "unexpected-volume": Example("a.stl", stl(BRICK), BRICK_VOLUME, 4e-8, ("--units", "mm", "--volume", "40mm3..50mm3")),
    "unexpected-density": Example("a.stl", stl(BRICK), 1000, 900, ("--units", "mm", "--density", "1000", "--density-range", "800..900")),
    "unexpected-center": Example("a.stl", stl(BRICK), 2.5e-3, 2e-3, ("--units", "mm", "--com-box", "0 0 0 9mm 9mm 2mm")),
    "unexpected-size": Example("a.stl", stl(BRICK), 5e-3, 4e-3, ("--units", "mm", "--max-size", "4mm")),
}  # fmt: skip

# --- inertials -------------------------------------------------------------------------------------------------------


def robot(
    mass: float, moments: Sequence[float], centre: str = "0 0 0", size: str | None = None, products: str = ""
) -> str:
    """A link of these numbers; its geometry, if any, is a box about the origin."""
    entries = " ".join(f'i{axis}{axis}="{float(m)!r}"' for axis, m in zip("xyz", moments, strict=True))
    geometry = f'<visual><geometry><box size="{size}"/></geometry></visual>' if size else ""
    rest = " ".join(f'{name}="0"' for name in ("ixy", "ixz", "iyz") if name not in products)
    inertial = f'<origin xyz="{centre}"/><mass value="{mass!r}"/><inertia {entries} {products} {rest}/>'
    return f'<robot name="r"><link name="a"><inertial>{inertial}</inertial>{geometry}</link></robot>'


#: Of a box of 0.2 × 0.3 × 0.6 m: its diagonal is 0.7 m, its volume 0.036 m³; at 1000 kg/m³ it has 36 kg and 3 (0.45, 0.4, 0.13) kg m².
BLOCK = "0.2 0.3 0.6"
BLOCK_MOMENTS = np.array([1.35, 1.2, 0.39])


def link(text: str, value: float, limit: float | None = None) -> Example:
    return Example("a.urdf", text, value, limit, ())


INERTIALS = {
    "quaternion-length": Example(
        "a.xml",
        '<mujoco><worldbody><body name="a"><inertial pos="0 0 0" mass="1" diaginertia="1 1.5 2" quat="3 0 0 4"/></body>'
        "</worldbody></mujoco>",
        5,
        1,
        (),
    ),
    "non-positive-mass": link(robot(-2, [1, 1, 1]), -2, 0),
    "not-positive-definite": link(robot(1, [-1, 2, 2]), -0.5, -1e-12),
    "triangle-inequality": link(robot(1, [1, 2, 4]), -0.25, -1e-12),
    "pseudo-inertia": link(robot(1, [1, 2, 4]), -0.2, -1e-12),
    "degenerate-rank": link(robot(1, [0, 2, 2]), 1, 3),
    "massless-geometry": link(robot(0, [0, 0, 0], size=BLOCK), 0, 0),
    "massless-frame": link(robot(0, [0, 0, 0]), 0, 0),
    "implied-density": link(robot(36e3, 100 * BLOCK_MOMENTS, size=BLOCK), 1e6, 25e3),
    "com-outside-bounds": link(robot(36, BLOCK_MOMENTS, centre="0 0 0.4", size=BLOCK), 0.1, 0.0),
    "inertia-too-large": link(robot(36, 5 * BLOCK_MOMENTS, size=BLOCK), 5),
    "inertia-too-small": link(robot(36, 0.01 * BLOCK_MOMENTS, size=BLOCK), 0.01),
    "placeholder-inertia": link(robot(36, [0.1, 0.1, 0.1], size=BLOCK), 0.1),
    "differs-from-geometry": link(robot(36, 1.5 * BLOCK_MOMENTS, size=BLOCK), 0.5, 0.1),
}

# --- sections --------------------------------------------------------------------------------------------------------


def rings(*points: list[list[float]]) -> str:
    return json.dumps([list(ring) for ring in points])


def svg(body: str) -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="10mm" height="10mm" viewBox="0 0 10 10">{body}</svg>'


SQUARE = [[0, 0], [4, 0], [4, 4], [0, 4]]
OUTLINE = '<rect width="2" height="3"/>'
SECTIONS = {
    "duplicate-points": Example("a.json", rings([[0, 0], [4, 0], [4, 0], [4, 4], [4, 4], [0, 4]]), 2),
    "spike": Example("a.json", rings([[0, 0], [4, 0], [4, 4], [6, 4], [4, 4], [0, 4]]), 1),
    "skipped-outlines": Example("a.svg", svg(OUTLINE + 3 * '<rect width="9" height="9" fill="none"/>'), 3, None, ()),
    "clipping-ignored": Example("a.svg", svg(OUTLINE + 2 * OUTLINE.replace("/>", ' fill="none" clip-path="url(#c)"/>')), 2, None, ()),
    "skipped-geometry": Example("a.wkt", "GEOMETRYCOLLECTION(POINT(1 1),LINESTRING(0 0,1 1),POLYGON((0 0,4 0,4 4,0 0)))", 2),
}  # fmt: skip

EXAMPLES = MESHES | INERTIALS | SECTIONS


@pytest.mark.parametrize("code", EXAMPLES)
def test_a_finding_states_what_was_measured_and_the_limit(code: str, tmp_path: Path) -> None:
    """A baseline counts a finding as worse by its value, and a CI job reads it: it is a number like any other."""
    e = EXAMPLES[code]
    (tmp_path / e.name).write_bytes(e.text if isinstance(e.text, bytes) else e.text.encode())
    done = run("check", e.name, *e.options, "-f", "json", cwd=tmp_path)
    found = [f for checked in done.result["checked"] for f in checked["findings"]]
    numbers = [(f["value"], f["limit"]) for f in found if f["code"] == code]
    assert len(numbers) == 1, found
    # sums of a dozen products, and one unit; the direction to a hull is found step by step
    assert numbers[0][0] == pytest.approx(e.value, rel=1e-5 if code == "com-outside-bounds" else 1e-9, abs=1e-24)
    if e.limit is not None:
        assert numbers[0][1] == pytest.approx(e.limit, rel=1e-9, abs=0)


#: Findings of the number of something that others assert beside its message, or of an estimate or a bound that is checked for holding
#: the truth, and in which file.
ELSEWHERE = {
    "skinned-mesh": "formats/mesh/test_collada.py",
    "coarse-coordinates": "mesh/test_validated_solid.py",
    "open-integral": "mesh/test_validated_solid.py",
    "overlapping-bodies": "mesh/test_winding_policy.py",
    "duplicate-facets": "mesh/test_winding_policy.py",
    "non-planar-faces": "mesh/test_triangulation.py",
    "changed-value": "checking/test_expected.py",
    "uneven-page": "formats/section/test_svg.py",
    "gap-closed": "measurement/test_section.py",
    "pieces-joined": "measurement/test_section.py",
    "rings-united": "measurement/test_section.py",
}


@each("code", ELSEWHERE)
def test_the_other_values_have_tests(code: str) -> None:
    text = (ROOT / "tests" / ELSEWHERE[code]).read_text(encoding="utf-8")
    assert code in text
    assert ".value" in text or ".relative" in text


def test_examples_are_of_the_catalogue() -> None:
    assert {*EXAMPLES, *ELSEWHERE} <= set(rules())
