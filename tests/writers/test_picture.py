"""Pictures of parts: what is under a pixel is what the geometry has there. No picture of our own is stored to compare with.

Modules tested: `report/picture/drawing`, `report/picture/part`, `report/picture/pillow`, `report/picture/plotting`,
`report/picture/raster`, `report/picture/scene`.
"""

from __future__ import annotations

import base64
import copy
import io
import itertools
import math
import pickle
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from cases import refused
from hypothesis import given
from hypothesis import strategies as st
from oracles import box, floats, generic_body, indexed, mapped, rotated, rotation, star_body, write_binary_stl
from PIL import Image
from places import ROOT

from massprops import Measurement, measure, plot, report
from massprops.errors import InvalidGeometry, InvalidInput, ReadError
from massprops.measurement import pipeline, sources
from massprops.measurement.options import Options
from massprops.measurement.output_units import OutputUnits
from massprops.mesh.proof import prove
from massprops.mesh.source import Triangles
from massprops.writers.picture import drawing, plotting
from massprops.writers.picture.drawing import VIEWS, Projection, draw
from massprops.writers.picture.overlap import overlap_strokes
from massprops.writers.picture.part import part_scene
from massprops.writers.picture.pillow import png, text_mask, text_width
from massprops.writers.picture.plotting import picture_of
from massprops.writers.picture.raster import Canvas
from massprops.writers.picture.scene import (
    AXES,
    DARK,
    LIGHT,
    LegendEntry,
    Look,
    Marker,
    Scene,
    Solid,
    ViewName,
    bounds_of,
)

#: Where front, top and right views look from: right and up in the picture, as columns of coordinates. Written down by hand.
RIGHT_AND_UP = {"front": (0, 2), "top": (0, 1), "right": (1, 2)}


def pixels(data: bytes) -> np.ndarray:
    """The image in a PNG file, shape (height, width, 3)."""
    with Image.open(io.BytesIO(data), formats=["PNG"]) as image:
        return np.asarray(image.convert("RGB"))


def cast(triangles: np.ndarray, across: np.ndarray, down: np.ndarray) -> np.ndarray:
    """Depths of triangles (n, 3, 3) [x, y, depth] under each point, shape (…, n); −∞ where there is none (Möller and Trumbore 1997)."""
    a, u, v = triangles[:, 0], triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    area = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        x, y = across[..., None] - a[:, 0], down[..., None] - a[:, 1]
        s, t = (x * v[:, 1] - y * v[:, 0]) / area, (u[:, 0] * y - u[:, 1] * x) / area
        return np.where((s >= 0) & (t >= 0) & (s + t <= 1), a[:, 2] + s * u[:, 2] + t * v[:, 2], -np.inf)


def drawn(triangles: np.ndarray, colours: np.ndarray, size: tuple[int, int], share: int = 10**9) -> Canvas:
    canvas = Canvas(*size, (255, 255, 255))
    for start in range(0, len(triangles), share):
        canvas.triangles(triangles[start : start + share], colours[start : start + share])
    return canvas


@pytest.mark.parametrize("name", VIEWS)
def test_every_pixel_has_the_nearest_surface_of_a_ray_caster(name: str) -> None:
    # silhouette, depth and colour of a body with a hole and a cavity, at every pixel centre
    body = generic_body()
    seen = Projection.fit(name, body.reshape(-1, 3), (5, 5, 110, 80))(body)
    colours = np.random.default_rng(1).integers(0, 255, (len(body), 3)).astype(np.uint8)
    canvas = drawn(seen, colours, (120, 90))
    depths = cast(seen, *np.meshgrid(np.arange(120) + 0.5, np.arange(90) + 0.5))
    expected = depths.max(axis=2)
    hit = expected > -np.inf
    assert np.array_equal(canvas.depth > -np.inf, hit)
    assert 0.1 < hit.mean() < 0.9
    # depths are single precision, and interpolated in it along a row
    tolerance = 4 * 2.0**-24 * np.abs(expected[hit]).max() + 1e-4
    assert np.abs(canvas.depth[hit] - expected[hit]).max() <= tolerance
    alone = hit & ((depths >= expected[..., None] - 2 * tolerance).sum(axis=2) == 1)  # on no edge
    assert alone.sum() > 0.8 * hit.sum()
    assert np.array_equal(canvas.image[alone], colours[depths.argmax(axis=2)][alone])
    assert (canvas.image[~hit] == 255).all()


@pytest.mark.parametrize("share", [1, 7, 100])
def test_the_picture_does_not_depend_on_how_triangles_are_shared_out(share: int) -> None:
    body = generic_body()
    seen = Projection.fit("iso", body.reshape(-1, 3), (0, 0, 60, 60))(body)
    colours = np.random.default_rng(1).integers(0, 256, (len(body), 3)).astype(np.uint8)
    whole, parts = drawn(seen, colours, (60, 60)), drawn(seen, colours, (60, 60), share)
    assert np.array_equal(whole.image, parts.image)
    assert np.array_equal(whole.depth, parts.depth)


def test_triangles_outside_the_canvas_and_degenerate_ones_do_no_harm() -> None:
    triangles = np.array(
        [
            [[-1e6, -1e6, 0], [1e6, -1e6, 0], [0, 1e6, 0]],  # covers all
            [[500, 500, 9], [600, 500, 9], [500, 600, 9]],  # outside
            [[3, 3, 9], [3, 3, 9], [3, 3, 9]],
            [[0, 5, 9], [9, 5, 9], [4, 5, 9.0]],
        ]
    )
    canvas = drawn(triangles, np.array([[1, 1, 1], [2, 2, 2], [3, 3, 3], [4, 4, 4]], np.uint8), (10, 10))
    assert set(canvas.image.reshape(-1).tolist()) <= {1, 4}
    assert (canvas.image[:4] == 1).all()


@pytest.mark.parametrize("shape", [(90, 120), (64, 34), (66, 2)])
def test_a_halved_canvas_has_the_mean_of_four_pixels_and_edges_where_the_slope_changes(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(3)
    canvas = Canvas(shape[1], shape[0], (255, 255, 255))
    drawn = np.zeros(shape, np.bool_)
    drawn[shape[0] // 3 : -5, shape[1] // 4 : shape[1] * 3 // 4 + 1] = True
    canvas.depth[drawn] = rng.integers(0, 3, drawn.sum()) * 0.4
    canvas.image[drawn] = rng.integers(0, 256, (drawn.sum(), 3))
    half = canvas.halve()
    fours = canvas.image.reshape(shape[0] // 2, 2, shape[1] // 2, 2, 3).astype(float).mean(axis=(1, 3))
    assert abs(half.image - fours).max() <= 0.5
    assert np.array_equal(half.depth, canvas.depth.reshape(shape[0] // 2, 2, shape[1] // 2, 2).max(axis=(1, 3)))
    before, depth = canvas.image.copy(), canvas.depth.astype(float)
    canvas.edges(0.5)
    changes = np.zeros(shape, np.bool_)
    for i, j in itertools.product(range(shape[0]), range(shape[1])):
        for di, dj in ((1, 0), (0, 1)):
            if depth[i, j] > -np.inf and di <= i < shape[0] - di and dj <= j < shape[1] - dj:
                changes[i, j] |= abs(depth[i - di, j - dj] + depth[i + di, j + dj] - 2 * depth[i, j]) > 0.6
    assert changes.any()
    assert np.array_equal(canvas.image, np.where(changes[..., None], before // 2, before))


def place(point: np.ndarray, bounds: np.ndarray, name: str, depth: np.ndarray) -> np.ndarray:
    """Column and row of a point, from the silhouette: its edges are those of the bounds."""
    across, up = RIGHT_AND_UP[name]
    rows, columns = np.nonzero(depth > -np.inf)
    share = (point - bounds[0]) / (bounds[1] - bounds[0])
    return np.array(
        [
            columns.min() + share[across] * (columns.max() + 1 - columns.min()),
            rows.max() + 1 - share[up] * (rows.max() + 1 - rows.min()),
        ]
    )


def scene(triangles: np.ndarray) -> tuple[Scene, Measurement]:
    measured = measure(indexed(triangles), density=1000)
    solid = Solid(lambda: [triangles], len(triangles))
    return part_scene("part", measured, solid, np.empty((0, 2, 3)), OutputUnits()), measured


def points(scene: Scene, layer: str) -> np.ndarray:
    """All points of the lines of a layer, shape (n, 3)."""
    return np.concatenate([s.points for s in scene.strokes if s.layer == layer])


STAR = rotated(star_body([1.0, 1.2, 0.8, 1.1, 1.3, 0.9, 1.0, 1.4, 1.5, 2.0, 0.9, 1.6, 1.1, 1.2]))


@pytest.mark.parametrize("name", RIGHT_AND_UP)
def test_the_mark_is_at_the_centre_of_mass(name: str) -> None:
    # its four quarters in turn, each three pixels from the centre
    shown, measured = scene(STAR)
    canvas = draw(shown, Look(show=["com"], views=[name], size=(400, 400)))
    column, row = place(measured.com, measured.bounds, name, canvas.depth)
    for right, below in itertools.product((1, -1), repeat=2):
        colour = LIGHT["background" if right == below else "ink"]
        assert tuple(canvas.image[round(row - 0.5 + 3 * below), round(column - 0.5 + 3 * right)]) == colour


@pytest.mark.parametrize("name", RIGHT_AND_UP)
def test_principal_axes_end_where_the_numbers_say(name: str) -> None:
    # of a block with edges a > b > c the smallest moment is about a; near its end the line has its colour, less of it behind the block
    turn = floats(rotation())
    block = mapped(box((-3, -2, -1), (3, 2, 1)), turn, (5, 6, 7))
    shown, measured = scene(block)
    canvas, plain = (draw(shown, Look(show=show, views=[name], size=(1000, 700))) for show in (["axes"], []))
    reach = 0.3 * float(np.linalg.norm(np.ptp(measured.bounds, axis=0)))
    for direction, colour in zip(turn.T, [np.array(LIGHT[axis]) for axis in AXES], strict=True):
        for share in (-0.98, 0.98):
            column, row = place(np.array([5, 6, 7]) + share * reach * direction, measured.bounds, name, canvas.depth)
            near = slice(int(row) - 3, int(row) + 4), slice(int(column) - 3, int(column) + 4)
            before, after = (c.image[near].reshape(-1, 3).astype(float) for c in (plain, canvas))
            share_of_line = ((after - before) * (colour - before)).sum(axis=1) / ((colour - before) ** 2).sum(axis=1)
            assert min(abs(share_of_line.max() - seen) for seen in (1, 0.45)) < 0.02  # in front, and behind
            best = int(share_of_line.argmax())
            assert after[best] == pytest.approx(before[best] + share_of_line[best] * (colour - before[best]), abs=2)
    assert [(e.words.split(" =")[0], e.colour) for e in shown.legend if e.layer == "axes"] == [(i, i) for i in AXES]


def test_the_box_of_a_block_is_the_block() -> None:
    corners = points(scene(box((1, 2, 3), (2, 4, 6)))[0], "box")
    assert corners.min(axis=0) == pytest.approx([1, 2, 3], abs=1e-12)
    assert corners.max(axis=0) == pytest.approx([2, 4, 6], abs=1e-12)


def test_the_ellipsoid_has_the_semi_axes_of_the_same_inertia() -> None:
    # a block with edges a, b, c: m (a² + b²)/12 = m (p² + q²)/5, so p = a √(5/12)
    circles = points(scene(box((-1, -2, -3), (1, 2, 3)))[0], "ellipsoid")
    assert circles.max(axis=0) == pytest.approx(np.array([2, 4, 6]) * math.sqrt(5 / 12), rel=1e-9)


def test_the_defects_of_an_open_box_are_drawn_and_no_number_is(tmp_path: Path) -> None:
    path = write_binary_stl(tmp_path / "open.stl", np.delete(box(), [2, 3], axis=0))  # without the face at x = 1
    picture = picture_of(str(path), Options(repair="none", units="m"), Look(views=("right",), show=("defects",)))
    assert isinstance(picture.refused, InvalidGeometry)
    assert [f.code for f in picture.findings] == ["open-edges", "repairable"]
    image = pixels(picture.data)
    red = np.argwhere((image == LIGHT["defect"]).all(axis=2))
    body = red[red[:, 0] < 840]  # below are the words of the legend
    # the loop is the outline of the square: as high as wide, and in its middle the numbered mark
    low, high = body.min(axis=0), body.max(axis=0)
    assert abs(np.ptp([low, high], axis=0) @ [1, -1]) <= 4
    middle = (low + high) // 2
    assert any(abs(p - middle).max() <= 14 for p in body)


def test_the_common_region_of_two_boxes_is_filled_and_outlined() -> None:
    # [0, 3] × [0, 2] × [0, 2] and [2, 4] × [0.5, 1.5] × [0.5, 3] have [2, 3] × [0.5, 1.5] × [0.5, 2] in common
    both = np.concatenate([box((0, 0, 0), (3, 2, 2)), box((2, 0.5, 0.5), (4, 1.5, 3))])
    with pytest.raises(InvalidGeometry) as refused:
        measure(both / 2, repair="none", units="m")
    strokes = list(overlap_strokes(Triangles("x", len(both), lambda: iter([both])), 0.5, refused.value.findings))
    filled, outline = (np.array([s.points for s in strokes if s.colour == c]) for c in ("overlap", "defect"))
    low, high = np.array([2, 0.5, 0.5]) / 2, np.array([3, 1.5, 2]) / 2
    for lines in (filled, outline):
        assert (lines >= low - 1e-9).all()
        assert (lines <= high + 1e-9).all()
    assert (np.ptp(filled, axis=(0, 1)) > 0.8 * (high - low)).all()
    # where the boxes cross: round the second one on the plane x = 3, and round it on z = 2, but for x > 3
    assert np.linalg.norm(np.diff(outline, axis=1), axis=2).sum() == pytest.approx((1 + 2 * 1.5 + 2 * 1 + 1) / 2)


def test_what_was_measured_is_drawn_and_reported_without_measuring_it_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []
    for module in (prove, pipeline, sources, plotting):
        for name in {"embedding_of", "measure_with"} & vars(module).keys():
            real = getattr(module, name)
            monkeypatch.setattr(
                module, name, lambda *a, real=real, name=name, **k: (calls.append(name), real(*a, **k))[1]
            )
    path = write_binary_stl(tmp_path / "two.stl", np.concatenate([box(), box((0.5, 0.5, 0.5), (1.5, 1.5, 1.5))]))
    # pairs are compared once, refused or not
    drawn = picture_of(str(path), Options(units="m", repair="none"), Look(size=(300, 225)))
    assert drawn.refused is not None
    assert (
        calls.count("measure_with") == 1 <= calls.count("embedding_of") <= 2
    )  # as read, then with its points numbered
    measured = measure(path, units="m")
    calls.clear()
    plot(measured, size=(300, 225))
    report(measured)
    assert calls == []
    write_binary_stl(path, box((0, 0, 0), (1, 1, 2)))
    with pytest.raises(ReadError, match="has changed since it was measured"):
        plot(measured)
    assert calls.count("measure_with") == 1


def test_pieces_of_a_line_that_follow_each_other_in_a_common_region_are_one_stroke() -> None:
    # w along a line through the middle is 1, 2, 3, 2, 1
    nested = np.concatenate([box((i, i, i), (9 - i, 9 - i, 9 - i)) for i in range(3)])
    ends = np.array([s.points for s in overlap_strokes(Triangles("x", len(nested), lambda: iter([nested])), 1.0, ())])
    assert len(ends) > 1000
    assert not {*map(tuple, ends[:, 0].tolist())} & {*map(tuple, ends[:, 1].tolist())}


@given(st.integers(1, 12), st.integers(0, 10**6))
def test_numbers_of_findings_do_not_cover_each_other(count: int, seed: int) -> None:
    at = np.random.default_rng(seed).uniform(0.4, 0.6, (count, 3))
    markers = [Marker(p, "defects", 9.0, str(i)) for i, p in enumerate(at)]
    pen = drawing._Pen(Canvas(400, 300, (255, 255, 255)), LIGHT, 9.5)
    taken = [(np.array([200.0, 150.0, 0.0]), 8.0)]
    for m in markers:
        pen._free_place(np.array([400.0, 300.0, 0.0]) * m.point, 8.0, taken)
    places = np.array([place[:2] for place, _ in taken])
    apart = np.linalg.norm(places[:, None] - places, axis=2)[~np.eye(len(places), dtype=bool)]
    assert apart.min() >= 16
    assert ((places >= 8) & (places <= [392, 292])).all()


@pytest.mark.parametrize("kind", ["svg", "pdf"])
def test_a_part_as_svg_or_pdf_holds_its_picture(tmp_path: Path, kind: str) -> None:
    path = str(write_binary_stl(tmp_path / "a<b>.stl", box()))
    look = Look(size=(200, 160), format=kind)  # type: ignore[arg-type]
    data = picture_of(path, Options(units="m"), look).data
    shown = pixels(picture_of(path, Options(units="m"), Look(size=(200, 160))).data)
    if kind == "svg":
        root = ET.fromstring(data)  # noqa: S314  # our own text
        href = next(e for e in root if e.tag.endswith("image")).get("href", "")
        assert np.array_equal(pixels(base64.b64decode(href.partition(",")[2])), shown)
    else:
        assert data.startswith(b"%PDF")
        start = data.index(b"\xff\xd8")
        with Image.open(io.BytesIO(data[start:])) as image:  # nearly: it is a JPEG
            assert abs(np.asarray(image.convert("RGB")).astype(int) - shown).mean() < 3


def test_a_surface_without_a_body_has_no_numbers() -> None:
    solid = Solid(lambda: [box()[2:]], 10)
    shown = part_scene("x", InvalidGeometry("it is open", code="open-edges"), solid, np.empty((0, 2, 3)), OutputUnits())
    assert (shown.title, shown.legend, shown.markers) == ("x: refused: open-edges", [], [])
    assert {stroke.layer for stroke in shown.strokes} == {"bounds"}


def test_a_face_seen_from_inside_has_a_colour_of_its_own() -> None:
    inward = box()[:, ::-1]
    for triangles, solid in ((box(), True), (inward, False)):
        shown = Scene("", np.array([[0.0] * 3, [1.0] * 3]), [Solid(lambda t=triangles: [t], 12)], OutputUnits())
        image = draw(shown, Look(views=["front"], size=(200, 200))).image
        red, _, blue = image[100, 100].astype(int)
        assert bool(blue > red) is solid


def test_four_views_have_one_scale() -> None:
    shown = Scene("", np.array([[0.0] * 3, [1.0, 2.0, 3.0]]), [Solid(lambda: [box((0, 0, 0), (1, 2, 3))], 12)], OutputUnits())  # fmt: skip
    canvas = draw(shown, Look(views=["front", "top", "right", "iso"], size=(480, 480), theme=DARK))
    quarters = [canvas.depth[i : i + 240, j : j + 240] > -np.inf for i in (0, 240) for j in (0, 240)]
    sizes = [(int(q.any(axis=0).sum()), int(q.any(axis=1).sum())) for q in quarters[:3]]
    (width, height), (also_width, depth), (also_depth, also_height) = sizes
    assert abs(width - also_width) <= 1
    assert abs(height - also_height) <= 1
    assert abs(depth - also_depth) <= 1
    assert height / width == pytest.approx(3, abs=0.05)
    assert tuple(canvas.image[0, 0]) == DARK["background"]


@pytest.mark.parametrize(
    ("view", "arms"),
    [
        ("front", {"x": (1, 0), "z": (0, 1)}),
        ("top", {"x": (1, 0), "y": (0, 1)}),
        ("right", {"y": (1, 0), "z": (0, 1)}),
        ("iso", {"x": (0.7071, -0.4082), "y": (0.7071, 0.4082), "z": (0, 0.8165)}),  # 1/√2, 1/√6, √(2/3)
    ],
)
def test_the_letters_of_the_triad_are_where_its_axes_point(
    view: ViewName, arms: dict[str, tuple[float, float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[str, np.ndarray] = {}
    monkeypatch.setattr(
        drawing._Pen,
        "text",
        lambda pen, words, left, top, _="": seen.update(
            {words: np.array([left + text_width(words, pen.letters) / 2, -top])}
        ),
    )
    draw(Scene("", np.array([[0.0] * 3, [1.0] * 3]), [], OutputUnits()), Look(views=[view], size=(400, 300)))
    assert arms.keys() == seen.keys() & {"x", "y", "z"}
    first, *others = arms
    for other in others:  # the arms are as long as two letters of 9.5 pixels, and each letter is half a letter farther
        expected = 2.5 * 9.5 * np.subtract(arms[other], arms[first])
        assert seen[other] - seen[first] == pytest.approx(expected, abs=6)


@pytest.mark.parametrize(
    ("size", "along", "legend"),
    [
        # a rod that the view sees as a level line fills the width, though the box along x, y and z would not fit
        ((400, 200), (1.0, 1.0, 0.0), 0),
        # one that it sees upright fills the height, beside a legend that would take a third of it
        ((400, 300), (-1.0, 1.0, 2.0), 8),
    ],
)
def test_a_long_thing_fills_the_picture(size: tuple[int, int], along: tuple[float, ...], legend: int) -> None:
    u = np.array(along) / np.linalg.norm(along)
    v = np.cross(u, [0.6, 0.0, 0.8])
    v /= np.linalg.norm(v)
    matrix = np.column_stack([u, v, np.cross(u, v), [3.0, 2.0, 1.0]])
    rod = Solid(lambda: [box((0, 0, 0), (1.0, 0.02, 0.02))], 12, matrix=matrix)
    shown = Scene("", bounds_of(rod.placed_chunks()), [rod], OutputUnits(), legend=[LegendEntry("words")] * legend)
    rows, columns = np.nonzero(draw(shown, Look(size=size)).depth > -np.inf)
    span, room = (np.ptp(rows), size[1]) if legend else (np.ptp(columns), size[0])
    assert 0.8 * room < span < room - 2 * 9.5


@pytest.mark.parametrize("direction", [(1.0, 0.0), (0.0, -1.0), (3.0, 4.0)])
def test_a_line_is_drawn_where_it_crosses_the_canvas_however_long_it_is(direction: tuple[float, ...]) -> None:
    """A needle seen along itself has principal axes of a million times the picture, which took 6 GB."""
    step = np.array([*direction, 0.0])
    canvases = [Canvas(60, 40, (255, 255, 255)) for _ in range(3)]
    for canvas, far in zip(canvases, (64.0, 2.0**40), strict=False):
        canvas.line(np.array([-1.0, 1.0])[:, None] * far * step + [30, 20, 0], (0, 0, 0), width=3.0, hidden=1.0)
    canvases[2].line(step * [[64], [2**40]] + [30, 20, 0], (0, 0, 0), width=3.0, hidden=1.0)  # beside it
    near, long, beside = (canvas.image.astype(int) for canvas in canvases)
    assert near.min() == 0
    assert np.array_equal(long, near)
    assert beside.min() == 255
    needle = indexed(mapped(box((0, 0, 0), (1, 1, 1)), np.diag([1e6, 1.0, 1.0])))
    assert pixels(plot(needle, view="right", size=(200, 200)).data).shape[:2] == (200, 200)


@pytest.mark.parametrize("size", [(100, 100), (400, 300), (480, 360), (1200, 900), (1800, 1350)])
def test_the_part_has_its_share_of_a_picture_of_any_size(size: tuple[int, int]) -> None:
    # letters and margins grow with the picture: the legend cannot push the part out of a small one
    shown, _ = scene(box((0, 0, 0), (3, 2, 2)))
    depth = draw(shown, Look(show=["axes", "com", "ellipsoid"], views=["front"], size=size)).depth
    assert (depth > -np.inf).any(axis=1).sum() > 0.25 * size[1]


def test_a_point_has_no_scale_and_its_finding_is_explained(tmp_path: Path) -> None:
    path = write_binary_stl(tmp_path / "point.stl", np.zeros((4, 3, 3)))
    picture = picture_of(str(path), Options(units="m"), Look(views=("front",), size=(400, 300)))
    image = pixels(picture.data)
    assert picture.refused is not None
    assert (image[40:200] == LIGHT["background"]).all()
    assert (image[200:] == LIGHT["defect"]).all(axis=2).any()


def test_a_file_of_pixels_is_read_back() -> None:
    image = np.random.default_rng(0).integers(0, 256, (17, 23, 3)).astype(np.uint8)
    assert np.array_equal(pixels(png(image)), image)
    few = image[:8, :8] // 64 * 64  # at most 64 colours: all of them are kept
    assert np.array_equal(pixels(png(few, small=True)), few)


def test_every_letter_looks_different_and_unknown_ones_are_boxes() -> None:
    letters = [*map(chr, range(33, 127)), *"²³⁴⁵·±°"]
    shapes = {text_mask(letter, 20).tobytes() for letter in letters}
    assert len(shapes) == len(letters)
    assert text_mask("字", 20).tobytes() == text_mask("漢", 20).tobytes() not in shapes
    mask, width = text_mask("(Wgj²)", 30), text_width("(Wgj²)", 30)
    assert mask.shape == (33, math.ceil(width) + 1)
    assert not mask[[0, -1]].any()  # nothing is cut off


@pytest.mark.parametrize(
    "letters",
    [
        "ÄÖÜäöüßẞØøÅåÆæÉéÈèÊêÇçÑñ¿¡",
        "ĄąĆćĘęŁłŃńŚśŹźŻżŠšŽžČčŘřŮůĞğİıŐőŰűȘșȚț",
        "ΓΔΘΛΞΠΣΦΨΩαβγδεζηθλμξπρσςφψω",
        "БГДЖЗИЙЛПФЦЧШЩЪЫЬЭЮЯбвгджзийклптфцчшщъыьэюяіїєґ",
        "−×√∞≈≤≥→ØΔ",
    ],
)
def test_letters_of_european_names_are_drawn(letters: str) -> None:
    # none is a box, none looks like another, none like its base letter
    context = "ß"  # so that all are of one typeface
    shapes = {c: text_mask(c + context, 24).tobytes() for c in [*letters, *"AaOoZzSsLlUuCcEeNn", "字"]}
    assert len({*shapes.values()}) == len(shapes)
    mask = text_mask(letters, 24)
    assert not mask[[0, -1]].any()  # no accent is cut off


def test_a_letter_and_its_accent_are_drawn_as_one() -> None:
    assert np.array_equal(text_mask("Gro\u0308ße", 24), text_mask("Größe", 24))
    assert text_width("Größe", 24) < 2 * text_width("Grose", 24)


@pytest.mark.parametrize("size", [(100, 100), (480, 360), (1200, 900)])
@pytest.mark.parametrize("letter", "Wiźж")
def test_no_text_is_wider_than_the_picture(size: tuple[int, int], letter: str) -> None:
    # letters are of different widths: lines are broken, and the title shortened, by pixels
    entries = [LegendEntry(words, "■") for words in (letter * 300, f"{letter * 3} " * 80)]
    shown = Scene(letter * 300, np.zeros((2, 3)), [], OutputUnits(), legend=entries)
    inked = (draw(shown, Look(size=size)).image != LIGHT["background"]).any(axis=(0, 2))
    share = 1 - np.flatnonzero(inked).max() / size[0]
    assert 0 < share < 0.25  # neither cut off nor far from the edge


@pytest.mark.parametrize("share", [4, 16])
def test_facets_over_each_other_are_drawn_coarser(share: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """196,000 facets that each cover a third of the picture would fill 10¹⁰ pixels: each pixel has one of those around it."""
    triangles = np.concatenate([np.array(box((0, 0, 0), (1, 1, 1)), float)] * 10)
    scene = Scene("x", np.array([[0.0, 0, 0], [1, 1, 1]]), [Solid([triangles].copy, len(triangles))], OutputUnits())
    look = Look(size=(320, 240), show=())
    fine = draw(scene, look).image
    count = []
    monkeypatch.setattr(drawing, "_MOST_PIXELS", 10 * 320 * 240 / share)
    monkeypatch.setattr(drawing, "Canvas", lambda *size: count.append(size[0] * size[1]) or Canvas(*size))
    coarse = draw(scene, look).image
    assert sum(count) <= 320 * 240 / share
    assert coarse.shape == fine.shape
    assert (coarse[10, 310] == fine[10, 310]).all()  # nothing is there
    same = (np.abs(coarse.astype(int) - fine).max(axis=2) < 3).mean()
    assert 0.8 < same < 1.0  # but for edges


def test_a_copy_of_a_picture_is_saved_in_every_format(tmp_path: Path) -> None:
    picture = plot(ROOT / "sample_meshes" / "bracket.stl", units="mm", size=(100, 100))
    for k, other in enumerate([copy.copy(picture), copy.deepcopy(picture), *copy.deepcopy([picture])]):
        for form in ("png", "svg", "pdf"):
            picture.save(tmp_path / f"own.{form}")
            assert other.save(tmp_path / f"{k}.{form}").read_bytes() == (tmp_path / f"own.{form}").read_bytes()
    stored = pickle.loads(pickle.dumps(picture))  # noqa: S301  # our own
    assert refused(InvalidInput, stored.save, tmp_path / "a.svg").endswith("is no .svg; choose .png")
