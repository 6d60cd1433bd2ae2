"""SVG: every shape and command against closed forms, every spelling against every other, every refusal by element."""

from __future__ import annotations

import math

import numpy as np
import pytest
from cases import each
from planar_reading import area, codes, read, refusal

import massprops

#: Areas are sums over some thousand points: their rounding, and what parabolas leave out.
SUMS = 1e-12


def page(body: str, attributes: str = 'width="100mm" height="100mm" viewBox="0 -100 100 100"') -> str:
    # by default the bottom of the page is y = 0, so that y' = −y
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" {attributes}>{body}</svg>'
    )


def path(data: str) -> str:
    return page(f'<path d="{data}"/>')


def areas(text: str, **request) -> list[float]:
    return [area(ring) for ring in read(text, "p.svg", **request).rings]


def ends(text: str) -> list[tuple[float, float]]:
    """Where the curves begin, and where the last one ends."""
    return [
        tuple(p.tolist())
        for ring in read(text, "p.svg").rings
        for p in (*(c.start for c in ring.curves), ring.curves[-1].end)
    ]


# --- shapes ------------------------------------------------------------------------------------------------------------


@each(
    ("shape", "size"),
    [
        ('<rect x="3" y="4" width="5" height="7"/>', 35),
        ('<rect width="5" height="7" rx="1" ry="2"/>', 35 - (4 - math.pi) * 1 * 2),
        ('<rect width="5" height="7" rx="1"/>', 35 - (4 - math.pi)),
        ('<rect width="5" height="7" ry="2" rx="auto"/>', 35 - (4 - math.pi) * 4),
        ('<rect width="4" height="4" rx="9"/>', math.pi * 4),
        ('<rect width="25%" height="10%"/>', 250),
        ('<rect width="1in" height="96"/>', 96 * 96),
        ('<circle cx="50" cy="60" r="3"/>', math.pi * 9),
        ('<circle r="10%"/>', math.pi * 100),
        ('<ellipse cx="1" cy="2" rx="3" ry="4"/>', math.pi * 12),
        ('<ellipse rx="3"/>', math.pi * 9),
        ('<polygon points="0,0 4,0 4,3"/>', 6),
        ('<polygon points="0 0 4-0 4 3"/>', 6),
        ('<polyline points="0,0 4,0 4,3"/>', 6),
        ('<path d="M0 0H4V3z"/>', 6),
    ],
)
def test_basic_shapes_have_their_textbook_areas(shape: str, size: float) -> None:
    (found,) = areas(page(shape))
    assert found == pytest.approx(-size, rel=SUMS)  # clockwise once y is up, as all of them are drawn


@each(
    ("x", "y", "width", "height", "radius"),
    [(60.0, 92.819, 14.8, 66.514, 66.514), (98.939, 75.0, 70.981, 19.3, 9.65), (68.76, 95.587, 61.75, 3.0, 61.75)],
)
def test_slots_do_not_cross_themselves_by_rounding(
    x: float, y: float, width: float, height: float, radius: float, tmp_path
) -> None:
    """x + r and x + width − r are one place where the corners meet, whichever is larger in floating point."""
    shape = f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{radius}"/>'
    (tmp_path / "slot.svg").write_text(page(shape), encoding="utf-8")
    slot = massprops.measure(tmp_path / "slot.svg")
    rx, ry = min(radius, width / 2), min(radius, height / 2)
    assert slot.section is not None
    assert slot.section.area * 1e6 == pytest.approx(width * height - (4 - math.pi) * rx * ry, rel=SUMS)


def test_a_circle_is_one_arc_and_not_a_polygon() -> None:
    (ring,) = read(page('<circle cx="5" cy="6" r="3"/>'), "p.svg").rings
    (arc,) = ring.curves
    assert (arc.center.tolist(), arc.circular_radius, arc.whole, ring.closing) == ([5, -6], 3, True, "closed")


# --- path commands -----------------------------------------------------------------------------------------------------

ABSOLUTE = "M10 20 L30 20 H40 V50 C40 60 30 70 20 60 S5 50 10 45 Q12 40 8 35 T10 30 A5 3 30 1 0 6 22 Z"
RELATIVE = "m10 20 l20 0 h10 v30 c0 10-10 20-20 10 s-15-10-10-15 q2-5-2-10 t2-5 a5 3 30 1 0-4-8 z"
COMPACT = "M10,20 30,20H40V50C40 60 30 70 20 60S5 50 10 45Q12 40 8 35T10 30A5 3 30 106 22z"
SPELLED = "M10 20 L30 20 L40 20 L40 50 C40 60 30 70 20 60 C10 50 5 50 10 45 Q12 40 8 35 Q4 30 10 30 A5 3 30 1 0 6 22 Z"


@each("data", [RELATIVE, COMPACT, SPELLED, ABSOLUTE.replace(" ", "\n\t"), ABSOLUTE.replace("20 ", "2.0e+1 ")])
def test_every_spelling_of_a_path_is_the_same_outline(data: str) -> None:
    # smooth curves, implied lines, relative points, packed flags: each must mean what it stands for
    (one,), (two,) = (read(path(d), "p.svg").rings for d in (ABSOLUTE, data))
    assert [type(c) for c in one.curves] == [type(c) for c in two.curves]
    for a, b in zip(one.curves, two.curves, strict=True):
        np.testing.assert_allclose(
            a.flattened(1e-3), b.flattened(1e-3), rtol=0, atol=1e-13
        )  # sums of a few numbers near 50


@each(("large", "sweep"), [(0, 0), (0, 1), (1, 0), (1, 1)])
@each("tilt", [0, 37])
def test_the_four_arcs_between_two_points_are_circular_segments(large: int, sweep: int, tilt: float) -> None:
    r, chord = 5.0, 6.0
    angle = 2 * math.asin(chord / 2 / r)
    angle = 2 * math.pi - angle if large else angle
    size = r * r / 2 * (angle - math.sin(angle))
    (found,) = areas(path(f"M10 10 A{r} {r} {tilt} {large} {sweep} {10 + chord} 10 Z"))
    assert found == pytest.approx(-size if sweep else size, rel=SUMS)


def test_arcs_that_are_too_small_grow_and_those_without_radius_are_lines() -> None:
    assert areas(path("M0 0 A1 1 0 0 1 10 0 Z")) == pytest.approx([-math.pi * 25 / 2], rel=SUMS)
    assert areas(path("M0 0 A0 9 0 0 1 10 0 L10 5 Z")) == [-25.0]
    assert areas(path("M0 0 A3 3 0 0 1 0 0 L10 0 L10 5 Z")) == [-25.0]


def test_a_parabola_has_two_thirds_of_its_triangle() -> None:
    assert areas(path("M0 0 Q5 10 10 0 Z")) == pytest.approx([100 / 3], rel=SUMS)


def test_subpaths_begin_where_the_one_before_was_closed() -> None:
    assert ends(path("M1 1h2v2zl-1 0 0-1z m5 5h1v1z")) == [(1, -1), (3, -3), (1, -1), (0, 0), (6, -6), (7, -7)]


@each(("smooth", "curve"), [("S 7 3 9 0", "C 5 0 7 3 9 0"), ("T 9 0", "Q 5 0 9 0")])
@each("before", ["C 1 1 2 2 3 0 L 5 0", "Q 1 1 3 0 H 5", "L 5 0", "A 1 1 0 0 0 5 0"])
def test_only_a_curve_of_its_kind_is_gone_on_with(smooth: str, curve: str, before: str) -> None:
    one, two = (read(path(f"M0 0 {before} {last} z"), "p.svg").rings[0].curves[-1] for last in (smooth, curve))
    assert one.control.tolist() == two.control.tolist()


def test_neighbouring_curves_share_their_ends_bit_for_bit() -> None:
    body = f'<g transform="rotate(17.3) skewX(11) scale(1.1 0.7)"><path d="{ABSOLUTE}"/></g>'
    for ring in read(page(body), "p.svg").rings:
        for one, two in zip(ring.curves[:-1], ring.curves[1:], strict=True):
            assert one.end.tobytes() == two.start.tobytes()


# --- where shapes are --------------------------------------------------------------------------------------------------


def degrees(angle: float) -> np.ndarray:
    c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def shift(x: float, y: float) -> np.ndarray:
    return np.array([[1, 0, x], [0, 1, y], [0, 0, 1.0]])


@each(
    ("text", "matrix"),
    [
        ("matrix(1 2 3 4 5 6)", np.array([[1, 3, 5], [2, 4, 6], [0, 0, 1.0]])),
        ("translate(3)", shift(3, 0)),
        ("translate(3, -4)", shift(3, -4)),
        ("scale(2)", np.diag([2.0, 2, 1])),
        ("scale(2 -3)", np.diag([2.0, -3, 1])),
        ("rotate(30)", degrees(30)),
        ("rotate(90)", np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])),
        ("rotate(30 5 6)", shift(5, 6) @ degrees(30) @ shift(-5, -6)),
        ("skewX(20)", np.array([[1, math.tan(math.radians(20)), 0], [0, 1, 0], [0, 0, 1]])),
        ("skewY(20)", np.array([[1, 0, 0], [math.tan(math.radians(20)), 1, 0], [0, 0, 1]])),
        ("translate(1 2)rotate(30),scale(2 3)", shift(1, 2) @ degrees(30) @ np.diag([2.0, 3, 1])),
        ("none", np.eye(3)),
        ("", np.eye(3)),
    ],
)
@each(
    "form",
    ['<g transform="{}"><path d="{}"/></g>', '<path transform="{}" d="{}"/>', '<path style="transform:{}" d="{}"/>'],
)
def test_transforms_are_the_matrices_of_the_specification(text: str, matrix: np.ndarray, form: str) -> None:
    corners = [(1, 2), (7, 3), (5, 9)]
    expected = [(matrix @ [x, y, 1])[:2] * [1, -1] for x, y in corners]
    data = "M" + " ".join(f"{x},{y}" for x, y in corners) + "Z"
    (ring,) = read(page(form.format(text, data)), "p.svg").rings
    np.testing.assert_allclose(ring.curves[0].points, expected, rtol=0, atol=1e-13)  # two rotations of numbers near 10


def test_a_quarter_turn_keeps_every_bit() -> None:
    (ring,) = read(page('<path transform="rotate(90)" d="M0.1 0.2 7.3 0.4 0.5 9.7Z"/>'), "p.svg").rings
    assert ring.curves[0].points.tolist() == [[-0.2, -0.1], [-0.4, -7.3], [-9.7, -0.5]]


@each(("origin", "about"), [
    ("1 2", (1, 2)), ("1px 2", (1, 2)), ("1px 2px 9px", (1, 2)), ("1in 1mm", (96, 96 / 25.4)), ("10% 20%", (10, 40)),
    ("5", (5, 100)), ("left", (0, 100)), ("bottom", (50, 200)), ("top right", (100, 0)), ("center center", (50, 100)),
])  # fmt: skip
@pytest.mark.parametrize("how", ['transform-origin="{}"', 'style="transform-origin: {}"'])
def test_a_transform_about_a_point_is_one_between_two_translations(how: str, origin: str, about: tuple) -> None:
    """CSS Transforms 1, section 6; the box that percentages are of is at the origin of the user units, whatever the viewBox."""
    size = 'width="100mm" height="200mm" viewBox="-7 -9 100 200"'
    turn = "matrix(1 2 3 -4 5 6)"
    x, y = about
    drawn = '<path {} d="M1 2 7 3 5 9Z"/>'
    found = [
        read(page(drawn.format(given), size), "p.svg").rings[0].curves[0].points
        for given in (
            f'transform="{turn}" {how.format(origin)}',
            f'transform="translate({x} {y}) {turn} translate({-x} {-y})"',
        )
    ]
    np.testing.assert_allclose(*found, rtol=0, atol=1e-11)  # sums of numbers near 1000


@each("given", [
    'transform-origin="50% 50%" transform-box="fill-box"', 'style="transform-origin: initial"', 'transform-origin="3 4"',
    'style="transform-box: fill-box; transform-origin: center"',
])  # fmt: skip
@pytest.mark.parametrize("moved", ["", 'transform="translate(3 4)"', 'transform="rotate(90) rotate(270)"'])
def test_a_translation_is_the_same_about_every_point(given: str, moved: str) -> None:
    body = f"<g {{}} {moved}>{CORNER}</g>"
    found = [read(page(body.format(g)), "p.svg").rings[0].curves[0].points for g in (given, "")]
    assert found[0].tolist() == found[1].tolist()


CORNER = '<rect x="1" y="1" width="3" height="4"/>'


def test_areas_grow_by_the_determinant_and_mirrors_turn_them_round() -> None:
    for shape in ('<circle r="3"/>', f'<path d="{ABSOLUTE}"/>', '<rect width="3" height="4" rx="1"/>'):
        (plain,) = areas(page(shape))
        (mapped,) = areas(page(f'<g transform="matrix(1 2 3 -4 5 6)">{shape}</g>'))
        assert mapped == pytest.approx(-10 * plain, rel=1e-11)


@each(
    "body",
    [
        '<g transform="translate(20 30)"><g transform="scale(2)"><rect x="1" y="1" width="3" height="4"/></g></g>',
        '<defs><rect id="r" x="1" y="1" width="3" height="4"/></defs><use href="#r" transform="translate(20 30) scale(2)"/>',
        '<defs><g id="r" transform="scale(2)"><rect x="1" y="1" width="3" height="4"/></g></defs><use xlink:href="#r" x="20" y="30"/>',
        f'<symbol id="s" viewBox="1 1 6 8">{CORNER}</symbol><use href="#s" x="22" y="32" width="12" height="16"/>',
        (
            f'<defs><svg id="s" x="5" y="9" viewBox="1 1 6 8">{CORNER}</svg></defs>'
            '<use href="#s" x="17" y="23" width="12" height="16"/>'
        ),
        '<svg x="22" y="32" width="12" height="16" viewBox="1 1 6 8"><rect x="1" y="1" width="50%" height="50%"/></svg>',
        f'<svg x="22" y="32" width="12" height="99" viewBox="1 1 6 8" preserveAspectRatio="xMinYMin">{CORNER}</svg>',
        '<switch><rect systemLanguage="xx" width="1" height="1"/><g transform="translate(22 32)"><rect width="6" height="8"/></g></switch>',
        '<a><rect x="22" y="32" width="6" height="8"/></a>',
        '<defs><rect id="r" width="6" height="8"/><use id="u" href="#r" x="20"/></defs><use href="#u" x="2" y="32"/>',
    ],
)
def test_every_way_to_place_a_rectangle_is_the_same_rectangle(body: str) -> None:
    (ring,) = read(page(body), "p.svg").rings
    np.testing.assert_allclose(ring.curves[0].bounds(), [[22, -40], [28, -32]], rtol=1e-15)


@each(
    ("attributes", "unit", "scale"),
    [
        ('width="100mm" height="100mm" viewBox="0 0 100 100"', "mm", 1),
        ('width="10cm" height="100mm" viewBox="0 0 50 50"', "mm", 2),
        ('width="400Q" viewBox="0 0 50 50"', "mm", 2),
        ('height="1in" viewBox="0 0 10 10"', "in", 0.1),
        ('width="72pt" height="6pc" viewBox="0 0 10 10"', "in", 0.1),
        ('width="1in" height="1in"', "in", 1 / 96),
        ('width="25.4mm" height="25.4mm"', "mm", 25.4 / 96),
        ('width="100" height="100" viewBox="0 0 50 50"', None, 1),
        ('width="100%" height="100%" viewBox="0 0 50 50"', None, 1),
        ("", None, 1),
    ],
)
def test_lengths_are_those_that_the_page_states(attributes: str, unit: str | None, scale: float) -> None:
    source = read(page('<rect width="3" height="4"/>', attributes), "p.svg")
    assert source.unit == unit
    assert ("no-physical-size" in codes(source)) == (unit is None)
    assert area(source.rings[0]) == pytest.approx(-12 * scale**2, rel=1e-15)


def test_a_page_that_leaves_room_centres_its_drawing() -> None:
    text = page('<rect width="10" height="10"/>', 'width="10mm" height="20mm" viewBox="0 0 10 10"')
    assert read(text, "p.svg").rings[0].curves[0].bounds().tolist() == [[0, 5], [10, 15]]
    stretched = text.replace("viewBox", 'preserveAspectRatio="none" viewBox')
    assert areas(stretched) == [-200.0]


@each(("attributes", "bottom", "top"), [
    ('width="100mm" height="50mm" viewBox="0 0 100 50"', 50, 48),
    ('width="100mm" height="50mm" viewBox="-10 -20 200 100"', 50, 39),  # 0.5 mm a unit, 22 units below the top
    ('viewBox="0 10 30 40"', 50, 48),
    ('width="30" height="40"', 40, 38),
    ('width="30in" height="2in"', 2, 2 - 2 / 96),
    ('width="100mm" viewBox="0 0 200 100"', 50, 49),
    ("", 0, -2),
])  # fmt: skip
def test_y_is_measured_from_the_bottom_of_the_page(attributes: str, bottom: float, top: float) -> None:
    source = read(page('<rect x="1" y="2" width="3" height="4"/>', attributes), "p.svg")
    assert source.rings[0].curves[0].bounds()[1, 1] == pytest.approx(top, rel=1e-14)
    (said,) = [f.message for f in source.findings if f.code == "y-turned-up"]
    assert (f"{bottom} − y, from the bottom of the page" in said) == bool(bottom)


def test_a_rounded_page_is_remarked_on() -> None:
    source = read(
        page('<rect width="9" height="9"/>', 'width="210mm" height="297mm" viewBox="0 0 793.7 1122.52"'), "p.svg"
    )
    (finding,) = [f for f in source.findings if f.code == "uneven-page"]
    assert finding.value == pytest.approx(abs(210 / 793.7 / (297 / 1122.52) - 1), rel=1e-9)


@each(("attributes", "place", "beyond"), [
    ('width="100mm" height="50mm" viewBox="0 0 100 50"', 'x="97" y="2"', "1 of 2 shapes reach beyond the page, 0 of them with no part"),
    ('width="100mm" height="50mm" viewBox="0 0 100 50"', 'x="97" y="2"', "on it: rect 'far' on line 1 by 7 mm"),
    ('width="100mm" height="50mm" viewBox="0 0 200 100"', 'x="300" y="2"', "1 of them with no part on it: rect 'far' on line 1 by 55 mm"),
    ('width="96" height="50"', 'x="1" y="-13"', "by 13 user units"),
    ('viewBox="10 20 96 50"', 'x="20" y="80"', "by 20 user units"),
    ('width="10in" height="5in"', 'x="1920" y="2"', "by 10.1 in"),
])  # fmt: skip
def test_shapes_beyond_the_page_are_measured_with_a_warning(attributes: str, place: str, beyond: str) -> None:
    inner = '<rect x="12" y="22" width="9" height="9"/>'
    source = read(page(f'{inner}<rect id="far" {place} width="10" height="10"/>', attributes), "p.svg")
    (said,) = [f for f in source.findings if f.code == "clipping-ignored"]
    assert (said.severity, said.value) == ("warning", 1.0)
    assert beyond in said.message
    assert len(source.rings) == 2
    alone = read(page(inner, attributes), "p.svg")
    assert "clipping-ignored" not in codes(alone)
    np.testing.assert_array_equal(source.rings[0].curves[0].points, alone.rings[0].curves[0].points)


@each("attributes", [
    "", 'width="100%" height="100%"', 'width="200" height="50" viewBox="0 0 50 50"',
    'width="50mm" height="50mm" viewBox="0 0 100.0001 99.9999"', 'width="4in"',
    'width="1e-200" height="1e-200" viewBox="0 0 100 50"', 'width="0" height="0" viewBox="0 0 100 50"',
])  # fmt: skip
def test_a_shape_on_the_page_or_on_one_without_an_end_has_no_warning(attributes: str) -> None:
    """The page is all that pixels show, also beside a viewBox of another shape, and its size is rounded."""
    x = -75 if 'width="200"' in attributes else 0
    body = f'<rect x="{x}" width="{50 - x if x else 100}" height="50"/>'
    assert "clipping-ignored" not in codes(read(page(body, attributes), "p.svg"))


# --- what is drawn -----------------------------------------------------------------------------------------------------

VISIBLE = '<rect width="2" height="3"/>'


@each(
    "body",
    [
        '<g display="none"><rect width="9" height="9"/></g>',
        '<g style="display:none"><rect width="9" height="9"/></g>',
        '<g visibility="hidden"><rect width="9" height="9"/></g>',
        '<style>.no { display: none }</style><rect class="yes no" width="9" height="9"/>',
        '<style>/* rect{} */ #it, .x { visibility: hidden !important }</style><rect id="it" width="9" height="9"/>',
        '<style>#it{display:none} .no{display:inline} rect{display:inline}</style><rect id="it" class="no" width="9" height="9"/>',
        '<style>circle{display:none}</style><circle r="9"/>',
        '<style>.no{display:inline}</style><style>rect.no{display:none}</style><rect class="no" width="9" height="9"/>',
        '<defs><rect width="9" height="9"/></defs>',
        '<symbol><rect width="9" height="9"/></symbol>',
        '<mask><rect width="9" height="9"/></mask><clipPath><rect width="9" height="9"/></clipPath>',
        '<marker><rect width="9" height="9"/></marker><pattern><rect width="9" height="9"/></pattern>',
        '<metadata><rect width="9" height="9"/></metadata>',
        '<x:rect xmlns:x="http://example.org" width="9" height="9"/>',
    ],
)
def test_what_is_not_shown_is_not_measured(body: str) -> None:
    assert areas(page(body + VISIBLE)) == [-6.0]


NINE = 'width="9" height="9"'
STOPS = '<stop stop-opacity="0"/><stop offset="1" style="stop-color:#fff0"/>'


@each(
    "body",
    [
        f'<rect {NINE} fill-opacity="0"/>',
        f'<rect {NINE} fill-opacity="0%"/>',
        f'<rect {NINE} style="fill-opacity:.0"/>',
        f'<rect {NINE} style="fill-opacity:-1"/>',
        f'<g fill-opacity="0"><rect {NINE}/></g>',
        f'<g opacity="0"><g opacity="1"><rect {NINE}/></g></g>',
        f'<rect {NINE} opacity="0.0" stroke="black"/>',
        f'<svg opacity="0%"><rect {NINE}/></svg>',
        f'<defs><rect id="r" {NINE}/></defs><use href="#r" opacity="0"/><use href="#r" fill-opacity="0"/>',
        f'<symbol id="s" style="opacity:0"><rect {NINE}/></symbol><use href="#s"/>',
        f'<rect {NINE} fill="transparent"/>',
        f'<rect {NINE} fill="TRANSPARENT"/>',
        f'<rect {NINE} fill="rgba(1,2,3,0)"/>',
        f'<rect {NINE} fill="rgb(1 2 3 / 0%)"/>',
        f'<rect {NINE} fill="hsla(120, 50%, 50%, 0.0)"/>',
        f'<rect {NINE} style="fill:HSL(120 50% 50% / 0)"/>',
        f'<rect {NINE} fill="color(srgb 1 0 0 / 0)"/>',
        f'<rect {NINE} fill="#ff000000"/>',
        f'<rect {NINE} fill="#F000"/>',
        f'<g color="#1230"><rect {NINE} fill="currentColor"/></g>',
        f'<rect {NINE} fill="black" style="fill:none"/>',
        f'<style>.c {{ fill: none !important }}</style><rect class="c" {NINE} style="fill:red"/>',
        f'<style media="screen">.c {{ fill-opacity: 0 }}</style><rect class="c" {NINE} fill-opacity="1"/>',
        f'<rect {NINE} fill="url(#missing)"/>',
        f'<rect {NINE} fill="url(#missing) none"/>',
        f'<linearGradient id="g">{STOPS}</linearGradient><rect {NINE} fill="url(#g)"/>',
        f'<linearGradient id="g">{STOPS}</linearGradient><radialGradient id="h" href="#g"/><rect {NINE} fill="url(#h)"/>',
        f'<linearGradient id="g" color="transparent"><stop stop-color="currentColor"/></linearGradient><rect {NINE} fill="url(#g)"/>',
        f'<linearGradient id="g"><stop color="#0000" stop-color="currentColor"/></linearGradient><rect {NINE} fill="url(#g)"/>',
        f'<rect {NINE} style="filter: blur(2px) opacity(0)"/>',
        f'<g filter="opacity( 0% )"><rect {NINE}/></g>',
        f'<rect {NINE} visibility="collapse"/>',
        f'<rect {NINE} visibility="HIDDEN"/>',
        f'<svg width="8" height="8"><rect x="8" {NINE}/></svg>',
        f'<symbol id="s"><rect x="20" {NINE}/></symbol><use href="#s" x="5" width="20" height="9"/>',
    ],
)
def test_a_shape_that_cannot_be_seen_is_not_there(body: str) -> None:
    source = read(page(body + VISIBLE), "p.svg")
    assert [area(ring) for ring in source.rings] == [-6.0]


@each(
    "body",
    [
        f'<rect {NINE} fill-opacity="0.001"/>',
        f'<rect {NINE} fill-opacity="wrong"/>',
        f'<rect {NINE} opacity="1%"/>',
        f'<rect {NINE} filter="opacity(1%) drop-shadow(0 0 0)"/>',
        f'<linearGradient id="g"><stop stop-color="currentColor"/></linearGradient><rect {NINE} color="#0000" fill="url(#g)"/>',
        f'<svg width="9" height="9"><rect {NINE}/></svg>',
        f'<svg width="5" height="9" overflow="visible"><rect {NINE}/></svg>',
        f'<g transform="rotate(30)"><svg x="1" y="2" width="10" height="10" viewBox="0 0 10 10"><rect {NINE}/></svg></g>',
        f'<rect {NINE} fill="rgb(0,0,0)"/>',
        f'<rect {NINE} fill="#0001"/>',
        f'<rect {NINE} fill="#000000"/>',
        f'<rect {NINE} fill="rgba(0,0,0,1e-3)"/>',
        f'<g fill="none"><rect {NINE} fill="currentColor"/></g>',
        f'<g fill="none"><rect {NINE} style="fill:initial"/></g>',
        f'<g fill-opacity="0"><rect {NINE} fill-opacity="1"/></g>',
        f'<rect {NINE} fill="none" style="fill:red"/>',
        f'<style media="print">rect {{ fill: none }}</style><rect {NINE}/>',
        f'<rect {NINE} style="/* fill:none */ fill:red"/>',
        f"<style>@media (width > 9px) {{ text {{ font-size: 3pt }} }}</style><rect {NINE}/>",
        f'<rect {NINE} fill="url(#missing) red"/>',
        f'<linearGradient id="g"><stop stop-opacity="0"/><stop/></linearGradient><rect {NINE} fill="url(#g)"/>',
        f'<pattern id="g"><circle r="1"/></pattern><rect {NINE} fill="url(\'#g\')"/>',
        f'<rect {NINE} stroke="black" stroke-opacity="0"/>',
    ],
)
def test_a_shape_that_can_be_seen_is_measured(body: str) -> None:
    assert areas(page(body)) == [-81.0]


@each(
    "how", ['stroke="red" stroke-opacity="0"', 'stroke="red" stroke-width="0"', 'stroke="#0000"', 'style="stroke:none"']
)
def test_a_stroke_that_cannot_be_seen_is_no_outline(how: str) -> None:
    seen = '<rect width="2" height="3" fill="none" stroke="red"/>'
    for fill in ('fill="none"', 'fill-opacity="0"'):
        assert areas(page(f"<rect {NINE} {fill} {how}/>{seen}")) == [-6.0]
    assert "no shape with an area" in refusal(page(f'<rect {NINE} fill-opacity="0" {how}/>'), "p.svg")


@each(
    ("body", "what"),
    [
        ("<style>@media print { rect { fill: none } }</style>", "massprops does not follow conditions"),
        ('<style media="(max-width: 9px)">rect { fill: none }</style>', "massprops does not follow conditions"),
        (f'<rect {NINE} opacity="calc(1 - 1)"/>', "massprops reads numbers and percentages alone"),
        (f'<pattern id="a" href="#b"/><pattern id="b" href="#a"/><rect {NINE} fill="url(#a)"/>', "without an end"),
        (f'<rect {NINE} transform="rotate(9)" style="transform-box:fill-box"/>', "about a point of another box"),
        (f'<rect {NINE} transform="rotate(9)" transform-box="fill-box" transform-origin="1 2"/>', "of another box"),
        (f'<rect {NINE} transform="rotate(9)" transform-origin="initial"/>', "'initial' is no length"),
        (f'<rect {NINE} transform="rotate(9)" transform-origin="top bottom"/>', "which is no point"),
        (f"<rect {NINE} style=\"offset-path:path('M0 0h9')\"/>", "style sets 'offset-path'"),
    ],
)
def test_what_cannot_be_decided_is_refused(body: str, what: str) -> None:
    assert what in refusal(page(body + VISIBLE), "p.svg")


def test_a_visible_child_of_a_hidden_group_is_shown() -> None:
    assert areas(page(f'<g visibility="hidden"><g visibility="visible">{VISIBLE}</g></g>')) == [-6.0]


def test_filled_shapes_are_the_figure_and_outlines_where_nothing_is_filled() -> None:
    outline = '<rect width="9" height="9" style="fill:none;stroke:black"/>'
    both, lines = read(page(outline + VISIBLE), "p.svg"), read(page(outline), "p.svg")
    assert [area(r) for r in both.rings] == [-6.0]
    assert "skipped-outlines" in codes(both)
    assert [area(r) for r in lines.rings] == [-81.0]
    assert "unfilled-shapes" in codes(lines)


def test_open_outlines_are_closed_by_their_fill_alone() -> None:
    data = 'd="M0 0h4v3"'
    assert read(page(f"<path {data}/>"), "p.svg").rings[0].closing == "implied"
    assert read(page(f'<g fill="none"><path {data}/></g>'), "p.svg").rings[0].closing == "open"


FRAME = 'd="M0 0h9v9h-9zM3 3h3v3h-3z"'


@each(
    ("body", "rules", "size"),
    [
        (f"<path {FRAME}/>", ["nonzero"] * 2, 81),
        (f'<g fill-rule="evenodd"><path {FRAME}/></g>', ["evenodd"] * 2, 72),
        (f'<g fill-rule="evenodd"><path fill-rule="inherit" {FRAME}/></g>', ["evenodd"] * 2, 72),
        (f'<g fill-rule="evenodd"><path style="fill-rule:initial" {FRAME}/></g>', ["nonzero"] * 2, 81),
        ('<path d="M0 0h9v9h-9zM3 3v3h3v-3z"/>', ["nonzero"] * 2, 72),  # the inner one runs the other way
        (f'<path style="fill-rule:evenodd" {FRAME}/><rect x="20" width="2" height="3"/>', ["evenodd"] * 2 + [None], 78),
        (f'<path {FRAME}/><g transform="translate(20)" style="fill-rule:evenodd"><path {FRAME}/></g>',
         ["nonzero"] * 2 + ["evenodd"] * 2, 81 + 72),
        (f'<style>.e{{fill-rule:evenodd}}</style><path class="e" {FRAME}/><path transform="translate(20)" {FRAME}/>',
         ["evenodd"] * 2 + ["nonzero"] * 2, 72 + 81),
    ],
)  # fmt: skip
def test_each_path_is_filled_by_its_own_rule(tmp_path, body: str, rules: list[str | None], size: float) -> None:
    assert [ring.fill for ring in read(page(body), "p.svg").rings] == rules
    (tmp_path / "p.svg").write_text(page(body))
    found = massprops.measure(tmp_path / "p.svg")
    assert (found.area, found.grade) == (pytest.approx(size * 1e-6), "certified")
    assert massprops.measure(tmp_path / "p.svg", rings="nonzero").area >= found.area * (1 - 1e-12)


def test_shapes_are_polygons_and_top_groups_are_layers() -> None:
    source = read(page(f'<g id="one"><g id="in">{VISIBLE}</g></g>{VISIBLE}'), "p.svg")
    assert [(r.layer, r.polygon) for r in source.rings] == [("one", 0), ("", 1)]


def test_what_is_left_out_is_said() -> None:
    source = read(
        page(
            f'{VISIBLE}<text>A</text><line x2="3"/><rect width="0" height="1"/><g clip-path="url(#c)" fill="none">{VISIBLE}</g>'
        ),
        "p.svg",
    )
    messages = {f.code: f.message for f in source.findings}
    assert messages == {
        "y-turned-up": "y points down in SVG; it was turned up, y' = 100 − y, from the bottom of the page",
        "skipped-outlines": "1 shape without a fill was left out beside 1 filled one",
        "clipping-ignored": "clip paths and masks were not applied, to 1 element",
        "skipped-elements": "left out: 1 text, 1 line, 1 rect without extent",
    }


@pytest.mark.parametrize("how", ['clip-path="url(#c)"', 'style="mask: url(#c)"'])
def test_a_filled_shape_that_is_clipped_is_refused(how: str) -> None:
    """Its area is that inside the clip, and a warning beside a wrong number is read by nobody."""
    assert refusal(page(f'{VISIBLE}<g id="cut" {how}><g>{VISIBLE}</g></g>'), "p.svg") == (
        "p.svg: rect on line 1 is cut by the clip path, mask or viewport of g 'cut' on line 1, which is not followed;"
        " cut the shapes themselves, or release the clip"
    )


@pytest.mark.parametrize(
    "around",
    [
        '<svg id="cut" width="8" height="20">{}</svg>',
        '<g transform="rotate(45)"><svg id="cut" x="3" width="20" height="8.99">{}</svg></g>',
        '<symbol id="cut">{}</symbol><use href="#cut" width="8" height="8"/>',
        '<svg id="cut" width="20" height="20" viewBox="1 0 20 20">{}</svg>',
    ],
)
def test_a_filled_shape_that_a_viewport_cuts_is_refused(around: str) -> None:
    assert refusal(page(around.format(f"<g><rect {NINE}/></g>")), "p.svg").startswith(
        f"p.svg: rect on line 1 is cut by the clip path, mask or viewport of {'symbol' if 'symbol' in around else 'svg'} 'cut'"
    )


def test_a_shape_that_is_painted_over_another_is_no_hole_without_a_word(tmp_path) -> None:
    """The page shows 100 squares, and by the even-odd rule there are 96."""
    body = '<rect id="a" y="-10" width="10" height="10"/><rect id="b" x="4" y="-6" width="2" height="2"/>'
    (tmp_path / "p.svg").write_text(page(body))
    (tmp_path / "frame.svg").write_text(page('<path fill-rule="evenodd" d="M0 0h9v9h-9zM3 3h3v3h-3z"/>'))
    found = massprops.measure(tmp_path / "p.svg")
    assert (found.grade, [f.code for f in found.findings if f.severity == "warning"]) == ("closed", ["fill-rule"])
    assert massprops.measure(tmp_path / "frame.svg").grade == "certified"


def test_a_doctype_is_no_entity() -> None:
    doctype = '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">'
    assert areas(doctype + page(VISIBLE)) == [-6.0]


@each("codec", ["utf-8", "utf-8-sig", "utf-16"])
def test_every_encoding_is_read(codec: str) -> None:
    assert areas(page(VISIBLE + "<!-- naïve -->").encode(codec)) == [-6.0]


_AGAIN = "export the drawing again, as plain SVG"
_DAMAGED = "the file is damaged or cut off; export or copy it again"


@each(
    ("body", "message"),
    [
        ('<path d="M0 0 L foo 3 Z"/>', "path on line 1: 'foo 3' is no number"),
        ('<path id="a"\n d="M0 0 L 3"/>', "path 'a' on line 1: the path command L takes 2 numbers, and has 1"),
        ('\n<path d="L 3 4"/>', "path on line 2: path data begin with 'L', not with M"),
        ('<path d="M0 0 X3"/>', "path on line 1: 'X3' is no number"),
        ('<path d="M0 0 L1 1,"/>', "path on line 1: a number is missing after the last comma"),
        ('<path d="M0 0 A1 1 0 2 0 3 3"/>', "path on line 1: '2 0 3 3' is no flag, 0 or 1"),
        ('<path d="M0 0 L1e999 3"/>', "path on line 1: '1e999' is too large for a number"),
        (
            '<g transform="scale(1e300)"><path d="M0 0 L1e300 3"/></g>',
            "path on line 1: a coordinate is too large for a double-precision number",
        ),
        ('<polygon points="0 0 1 1 2"/>', "polygon on line 1: points has 5 numbers, and a point has two"),
        ('<polygon points="0,0 nan,1"/>', "polygon on line 1: 'nan,1' is no number"),
        ('<rect width="2furlong" height="1"/>', "rect on line 1: '2furlong' is no length; known units: mm cm Q in pt pc px"),
        ('<rect width="-2" height="1"/>', "rect on line 1: width is negative: -2.0"),
        ('<rect width="1,5" height="1"/>', "rect on line 1: '1,5' is no length"),
        ('<g transform="spin(3)"><rect width="1" height="1"/></g>', "g on line 1: there is no transform spin of 1 numbers"),
        ('<g transform="rotate(3deg)"/>', "g on line 1: 'deg' is no number"),
        ('<use href="#no"/>', "use on line 1: it refers to '#no', and there is no such element in the file"),
        (
            '<use href="other.svg#a"/>',
            "use on line 1: it refers to 'other.svg#a', and there is no such element in the file",
        ),
        ('<use id="u" href="#u"/>', "use 'u' on line 1: it refers to itself"),
        ('<g id="g"><use href="#g"/></g>', "use on line 1: it refers to itself"),
        (
            '<style>g > rect { display: none }</style><rect width="1" height="1"/>',
            "svg on line 1: the style sheet chooses 'g > rect', and massprops follows simple selectors alone",
        ),
        (
            '<rect style="width: 4px" height="1"/>',
            "rect on line 1: style sets 'width', and massprops follows geometry in attributes alone",
        ),
    ],
)  # fmt: skip
def test_bad_elements_are_refused_by_place(body: str, message: str) -> None:
    assert refusal(page(body), "p.svg") == f"p.svg: {message}; {_AGAIN}"


@each(
    ("text", "message"),
    [
        ("<svg><rect", f"p.svg:1: is not well-formed XML: unclosed token, column 6; {_DAMAGED}"),
        ("<svg>\n<g></svg>", f"p.svg:2: is not well-formed XML: mismatched tag, column 6; {_DAMAGED}"),
        (
            '<!DOCTYPE svg [\n<!ENTITY a "b">]><svg/>',
            "p.svg:2: the document declares an entity, 'a'; entities are not followed; save it as plain SVG",
        ),
        ("<html/>", "p.svg: the outermost element is not <svg>; is it another format?"),
        (
            page(""),
            "p.svg: no shape with an area, only nothing that is drawn; is the figure hidden, or in a definition that nothing uses?",
        ),
        (page("<text>A</text><text>B</text>"), "p.svg: no shape with an area, only 2 text; convert text to paths"),
        (
            page(VISIBLE, 'viewBox="0 0 9"'),
            f"p.svg: svg on line 1: viewBox is '0 0 9'; it has four numbers, and width and height are positive; {_AGAIN}",
        ),
        (page(VISIBLE, 'width="9em"'), f"p.svg: svg on line 1: the page is '9em' large; known units: mm cm Q in pt pc px; {_AGAIN}"),
        (page(VISIBLE, 'width="0mm"'), f"p.svg: svg on line 1: the page is '0mm' large, which leaves nothing; {_AGAIN}"),
        (page("<g>" * 300 + "</g>" * 300), f"p.svg:1: elements are nested more than 200 deep; {_DAMAGED}"),
    ],
)  # fmt: skip
def test_bad_files_are_refused(text: str, message: str) -> None:
    assert refusal(text, "p.svg") == message


def test_references_that_multiply_are_stopped() -> None:
    # ten levels of ten: 10¹⁰ rectangles from 114 elements, where 10 000 and ten times as many are allowed
    levels = "".join(f'<g id="g{i}">' + f'<use href="#g{i - 1}"/>' * 10 + "</g>" for i in range(1, 11))
    text = page(f'<defs><rect id="g0" width="0" height="1"/>{levels}</defs><use href="#g10"/>')
    assert "references make more than 11140 elements of the drawing" in refusal(text, "p.svg")
