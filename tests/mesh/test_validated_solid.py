"""What is measured when the surface is not that of a body: nothing, unless the caller names a policy; and then it is said.

Modules tested: `mesh/validated_solid`, `mesh/enclosed_solid`, `mesh/policies`, `mesh/opposite_facets`,
`mesh/repair/convex_hull`.
"""

from __future__ import annotations

import functools
import math
import sys

import numpy as np
import oracles
import pytest
from cases import each, raised, refused
from hypothesis import given, reject
from hypothesis import strategies as st

import massprops
from massprops import Finding, InvalidGeometry, InvalidInput
from massprops.mesh.opposite_facets import opposite_facets

#: What is said about surfaces as they are.
measure = functools.partial(massprops.measure, repair="none")

EPSILON = 2.0**-53
CUBE = oracles.box()  # facets 0, 1: x = 0; 2, 3: x = 1
OPEN = CUBE[2:]
OPEN_EDGES = "4 of 17 edges belong to one face only, in 1 loop, 1.41 m wide, near (0, 0.5, 0.5) m"
#: Sums of a dozen terms of order one, divided and multiplied a few times.
DOZEN = 16 * EPSILON

radii = st.lists(st.floats(0.25, 4), min_size=14, max_size=14)


def refusal(source, **options) -> InvalidGeometry:
    return raised(InvalidGeometry, measure, source, **options)


def codes(result) -> list[tuple[str, str]]:
    return [(f.code, f.severity) for f in result.findings]


# --- refused ---------------------------------------------------------------------------------------------------------


def test_an_open_surface_is_refused_with_the_hole_and_the_way_out():
    error = refusal(OPEN)
    assert str(error) == (
        f"array: open-edges: {OPEN_EDGES}; the volume is not defined for an open surface; {error.hint}"
    )
    answer = "repair='full' gives 1 m³"
    assert (error.code, error.hint, error.exit_code) == ("open-edges", f"{answer}, or see on_open=", 4)
    assert error.findings == (
        Finding("open-edges", "error", OPEN_EDGES, value=4, limit=0, where=(0.0, 0.5, 0.5)),
        Finding("repairable", "info", answer, value=1.0),
    )


SAFE = "repair='safe' gives {} m³, or see {}="
TURNED, TWICE = np.concatenate([CUBE[:1, ::-1], CUBE[1:]]), np.concatenate([CUBE, CUBE[:1]])
OPPOSITE = "are traversed twice in the same direction: adjacent faces have opposite orientation"


@each(
    ("triangles", "said"),
    [
        (TURNED, f"inconsistent-winding: 3 of 18 edges {OPPOSITE}"),
        (TWICE, "non-manifold-edges: 3 of 18 edges join three faces or more without cancelling"),
    ],
)
def test_a_surface_whose_facets_do_not_fit_together_is_refused(triangles, said):
    place = "in 1 loop, 1.41 m wide, near (0, 0.5, 0.5) m"
    assert (
        str(refusal(triangles))
        == f"array: {said}, {place}; the integral is not that of a body; {SAFE.format(1, 'on_open')}"
    )


def test_several_defects_are_all_told_and_the_first_gives_the_code():
    error = refusal(np.concatenate([OPEN, oracles.moved(TURNED, (3, 0, 0))]))
    assert str(error) == (
        "array: open-edges: 4 of 35 edges belong to one face only, in 1 loop, 1.41 m wide, near (0, 0.5, 0.5) m; "
        "inconsistent-winding: 3 of 35 edges are traversed twice in the same direction: adjacent faces have opposite "
        "orientation, in 1 loop, 1.41 m wide, near (3, 0.5, 0.5) m; the volume is not defined for an open surface; "
        + SAFE.format(2, "on_open")
    )
    assert error.code == "open-edges"
    assert [f.code for f in error.findings] == ["open-edges", "inconsistent-winding", "repairable"]


def test_a_hole_in_millimetres_is_told_in_metres():
    error = refusal(1000 * OPEN, units="mm")
    assert error.findings[0].message == OPEN_EDGES
    assert error.findings[0].where == (0.0, 0.5, 0.5)


def test_an_inside_out_body_is_refused_with_its_negative_volume():
    error = refusal(oracles.reversed_facets(2 * CUBE))
    assert str(error) == (
        "array: inverted-surface: the surface is closed but inside out: its volume is -8 m³; mass and inertia would be "
        f"negative; {SAFE.format(8, 'on_inverted')}"
    )
    assert error.code == "inverted-surface"
    assert error.findings[0].value == pytest.approx(-8, rel=DOZEN, abs=0)
    assert error.findings[0].limit == 0


def test_an_inside_out_volume_is_told_in_cubic_metres():
    assert "its volume is -1.63871e-05 m³" in str(refusal(oracles.reversed_facets(CUBE), units="in"))  # 0.0254³


ANTIBODY = np.concatenate([CUBE, oracles.moved(oracles.reversed_facets(CUBE), (3, 0, 0))])
SKIN = oracles.moved(oracles.rotated([[t, t[::-1]] for t in oracles.tetrahedron()]).reshape(-1, 3, 3), (99, 7, 1))
SKIN_AREA = np.linalg.norm(np.cross(SKIN[:, 1] - SKIN[:, 0], SKIN[:, 2] - SKIN[:, 0]), axis=1).sum() / 2


@each(
    ("triangles", "area", "code"),
    [
        ([[[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 0, 0], [0, 1, 0], [1, 0, 0]]], "1", "double-sided"),
        (np.zeros((4, 3, 3)), "0", "zero-volume"),
        ([[[0, 0, 0], [1, 1, 1], [2, 2, 2]], [[2, 2, 2], [1, 1, 1], [0, 0, 0]]], "0", "zero-volume"),
        (ANTIBODY, "12", "zero-volume"),
        (SKIN, f"{SKIN_AREA:.4g}", "double-sided"),
    ],
)
def test_a_closed_surface_around_nothing_is_refused(triangles, area, code):
    error = refusal(np.asarray(triangles, dtype=float), verify="closed")
    sides = f"every facet is there twice, once for each side ({area} m² in all), so the sides enclose nothing"
    empty = f"the surface is closed but encloses no volume (its area is {area} m²)"
    said = {
        "zero-volume": f"{empty}; there is no body to measure; no repair gives it a volume; export a solid with an inside",
        "double-sided": f"{sides}; there is no volume between them; no repair gives it a volume; export one side only, or see repair=",
    }
    if triangles is SKIN:
        volume = abs(np.linalg.det(SKIN[::2] - SKIN[0, 0]).sum()) / 6
        said[code] = f"{sides}; there is no volume between them; repair='safe' gives {volume:.4g} m³"
    assert str(error) == f"array: {code}: {said[code]}"
    assert error.code == code
    assert error.findings[0] == Finding(code, "error", error.findings[0].message, value=0, limit=0)


def test_what_no_repair_changes_is_said_once():
    """Two halves of a flat square against two others, and a point, which is dropped: there is nothing inside before and after."""
    a, b, c, d = [0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]
    error = refusal([[a, b, c], [a, c, d], [b, a, d], [b, d, c], [a, a, a]], repair="safe")
    assert str(error).count("zero-volume") == 1


def test_without_any_check_there_is_still_no_centre_of_nothing():
    flat = oracles.box((0, 0, 0), (1, 1, 0))
    caught = raised(InvalidGeometry, measure, flat, verify="none", density=1.0)
    assert caught.code == "zero-volume"
    assert str(caught).startswith("array: zero-volume: the volume is exactly 0, so nothing has a centre; ")
    assert caught.hint == "export a solid with an inside"


@pytest.mark.parametrize("thickness", [1e-3, 1e-6, 1e-9])
def test_foil_has_a_volume(thickness):
    # A nanometre on a metre is far above the rounding of the sum.
    assert measure(oracles.box((0, 0, 0), (1, 1, thickness))).volume == pytest.approx(
        thickness, rel=1e-15 / thickness + DOZEN
    )


@each("verify", ["xray", "closed"])
@each("offset", [0, 1e3, 1e6])
def test_a_double_sided_surface_is_refused_by_name_wherever_it_is(offset, verify):
    # About its own first vertex nothing of the offset is left in the sum.
    skin = oracles.moved(oracles.bumpy_torus(), (offset, -offset, offset / 3))
    sides = np.concatenate([skin, np.roll(oracles.reversed_facets(skin), 1, axis=1)])
    error = refusal(np.random.default_rng(1).permutation(sides), verify=verify)
    assert error.code == "double-sided"
    area = f"{measure(oracles.bumpy_torus()).area * 2:.4g}"
    if offset == 0:
        assert str(error) == (
            f"array: double-sided: every facet is there twice, once for each side ({area} m² in all), so the sides enclose "
            f"nothing; there is no volume between them; {error.hint}"
        )
        assert error.hint.startswith(f"repair='safe' gives {measure(oracles.bumpy_torus()).volume:.4g} m³")
    # one facet more, and it is not that
    assert (
        refusal(np.concatenate([sides, CUBE, oracles.reversed_facets(CUBE) @ np.diag([1, 1, -1])[::-1]])).code
        != "double-sided"
    )


SHEETS_IN_A_CUBE = [np.array([[[x, 0.2, 0.2], [x, 0.8, 0.2], [x, 0.2, 0.8]]]) for x in np.linspace(0.1, 0.9, 25)]


@pytest.mark.parametrize("count", [2, 25])
def test_sheets_inside_a_body_are_reported_and_not_counted_in_its_area(count):
    """Each facet with its reverse encloses nothing: the volume is right, and the area was not."""
    inside = [t for sheet in SHEETS_IN_A_CUBE[-count:] for t in (sheet, oracles.reversed_facets(sheet))]
    result = measure(np.concatenate([CUBE, *inside]))
    assert result.grade == "proved"
    assert result.volume == pytest.approx(1, rel=DOZEN)
    assert result.area == pytest.approx(6, rel=DOZEN)
    (found,) = (f for f in result.findings if f.code == "internal-sheets")
    area = 2 * count * 0.18
    assert found.value == pytest.approx(area, rel=1e-12)
    assert found.message == (
        f"{count} pairs of facets lie back to back inside the body: {area:.4g} m² are left out of the area"
    )


def test_copies_and_single_facets_are_no_pairs():
    """Of two copies one way and one the other, the first copy has an opposite; which corner comes first says nothing."""
    facet, other = CUBE[:1], CUBE[1:2]
    back = np.roll(oracles.reversed_facets(facet), 1, axis=1)
    chunks = [np.concatenate([facet, other]), np.concatenate([facet, back])]
    assert opposite_facets(lambda: chunks)[0].tolist() == [True, False, False, True]
    assert not opposite_facets(lambda: [CUBE])[0].any()
    pinched = np.stack([CUBE[0, [0, 1, 1]], CUBE[0, [1, 1, 0]]])
    paired, double = opposite_facets(lambda: [np.concatenate([facet, pinched, back])])
    assert (paired.tolist(), double) == ([True, False, False, True], True)
    assert not opposite_facets(lambda: [pinched])[1]


def test_a_volume_within_the_rounding_of_its_coordinates_is_no_certificate():
    """Single-precision coordinates of size 1 are off by 3e-8 each: the volume of a foil of a micrometre is known to a tenth only."""

    def foil(thickness):
        return np.asarray(oracles.box((-0.3, -0.3, 0), (0.7, 0.7, thickness))).astype(np.float32)

    for verify in ("closed", "xray"):
        thick, thin = (measure(foil(t), verify=verify) for t in (1e-5, 1e-6))
        assert (thick.grade, thin.grade) == ("closed", "estimated")
        (found,) = (f for f in thin.findings if f.code == "coarse-coordinates")
        # up to 2⁻²⁵ in each coordinate, over both sides of one square metre
        assert found.value == pytest.approx(2 * math.sqrt(3) * 2**-25 / 1e-6, rel=1e-3)
        assert thin.uncertainty.volume >= found.value * thin.volume
        # of 10 µm it is 1 %: below the limit of an estimate, and worth knowing
        (found,) = (f for f in measure(foil(9e-6), verify=verify).findings if f.code == "coarse-coordinates")
        assert (found.severity, found.limit) == ("info", 0.01)
        assert not [f for f in measure(foil(2e-5), verify=verify).findings if f.code == "coarse-coordinates"]
        (found,) = (f for f in measure(foil(1e-8), verify=verify).findings if f.code == "coarse-coordinates")
        assert found.message == "coordinates are rounded to ± 3e-08 m, so the volume can be off by 10.3 times its size"


def test_a_volume_with_impossible_moments_is_refused():
    # A large cube and, beside it, a smaller one inside out: closed, a positive volume, and no body.
    both = np.concatenate([CUBE, oracles.moved(oracles.reversed_facets(0.5 * CUBE), (1.25, 0.25, 0.25))])
    v, d = 1 - 1 / 8, 1.25 + 0.25 - 0.5
    across = (1 - 1 / 32) / 12
    along = across - (1 / 8) / v * d**2  # −m₁m₂/(m₁ − m₂) d²
    moments = sorted([2 * across, across + along, across + along])
    a, b, c = (f"{x:.6g}" for x in moments)
    assert moments[0] > 0 > along
    error = refusal(both, verify="closed")
    assert error.code == "triangle-inequality"
    assert str(error) == (
        f"array: triangle-inequality: principal moments ({a}, {b}, {c}) kg m²: {a} + {b} < {c} by "
        f"{-100 * (2 * along) / (2 * across):.6g} %, so no mass distribution has this inertia; so the surface crosses itself or "
        "is partly inside out; mend the export"
    )
    assert [f.code for f in error.findings] == ["triangle-inequality", "pseudo-inertia"]


def test_a_negative_moment_is_refused():
    both = np.concatenate([CUBE, oracles.moved(oracles.reversed_facets(0.9 * CUBE), (3, 0, 0))])
    error = refusal(both, verify="closed")
    assert error.code == "not-positive-definite"
    assert error.message.endswith("; so the surface crosses itself or is partly inside out")


def test_a_self_crossing_band_with_an_impossible_integral_is_refused():
    # A figure of eight, swept: one lobe counts −1. The lobes are 4 and 3 wide, so the volume stays positive.
    lobes = [(0, 0), (4, 4), (4, 0), (0, 4 - 1 / 4)]
    crossed = oracles.prism(lobes, 1, fan=True)
    moments = oracles.exact_moments(crossed)
    flipped = crossed if moments.measure > 0 else oracles.reversed_facets(crossed)
    assert abs(moments.measure) > 0
    assert refusal(flipped, verify="closed").message.endswith("; so the surface crosses itself or is partly inside out")


@each("on_open", ["error", "integrate", "hull", "shell"])
@each("on_inverted", ["error", "flip"])
def test_policies_leave_a_valid_body_alone(on_open, on_inverted):
    plain, with_policy = (
        measure(oracles.tetrahedron(), units="m", **policies)
        for policies in ({}, {"on_open": on_open, "on_inverted": on_inverted})
    )
    assert with_policy.to_dict() == plain.to_dict()
    assert (plain.method, plain.grade, plain.findings) == ("exact", "proved", ())


@each("triangles", [CUBE, OPEN, oracles.reversed_facets(CUBE)])
@each(
    ("options", "message"),
    [
        ({"on_open": "shel"}, "on_open must be one of error, integrate, hull, shell, got 'shel'"),
        ({"on_open": None}, "on_open must be one of error, integrate, hull, shell, got None"),
        ({"on_inverted": "turn"}, "on_inverted must be one of error, flip, got 'turn'"),
        ({"on_overlap": "join"}, "on_overlap must be one of error, count, union, got 'join'"),
        ({"nested": "hole"}, "nested must be one of ask, cavity, body, got 'hole'"),
        ({"verify": "all"}, "verify must be one of none, closed, xray, proof, auto, got 'all'"),
        *(({"lines": n}, f"lines must be from 1 to 2000, got {n}") for n in (0, -1, 2001)),
    ],
)
def test_a_policy_of_no_known_name_is_refused_whether_needed_or_not(triangles, options, message):
    # A slip of the pen must not become "flip".
    assert refused(InvalidInput, measure, triangles, **options) == message


# --- flip ------------------------------------------------------------------------------------------------------------


def test_a_flip_is_told():
    result = measure(oracles.reversed_facets(2 * CUBE), on_inverted="flip")
    said = "the surface is closed but inside out: its volume is -8 m³; all faces were turned round"
    assert result.findings == (Finding("inverted-surface", "warning", said, value=-result.volume, limit=0),)


def test_flipping_does_not_close_a_surface():
    assert refusal(oracles.reversed_facets(OPEN), on_inverted="flip").code == "open-edges"


# --- integrate -------------------------------------------------------------------------------------------------------


def test_an_open_cube_is_integrated_about_the_middle_of_its_bounds():
    # The five pyramids over the faces that are there: 5/6; with a unit vector area missing, over an extent of one.
    result = measure(oracles.moved(OPEN, (10, 20, 30)), density=60, on_open="integrate")
    assert result.volume == pytest.approx(5 / 6, rel=DOZEN, abs=0)
    assert result.mass == pytest.approx(50, rel=DOZEN, abs=0)
    # The missing pyramid (1/6, its centroid 3/8 towards −x) seen from the middle: what is left moves the other way.
    assert result.center_of_mass == pytest.approx([10.5 + (1 / 6 * 3 / 8) / (5 / 6), 20.5, 30.5], rel=DOZEN, abs=0)
    assert (result.method, result.grade) == ("exact", "unverified")
    # the flat hole hides the pyramid over it, 1/6, over 5/6
    edges = OPEN_EDGES.replace("(0, 0.5, 0.5)", "(10, 20.5, 30.5)")
    integral = "the open surface was integrated about the middle of its bounds: the volume can be off by 20 %"
    assert result.findings == (
        Finding("open-edges", "warning", edges, value=4, limit=0, where=(10.0, 20.5, 30.5)),
        Finding("open-integral", "warning", integral, value=pytest.approx(0.2, rel=DOZEN, abs=0)),
    )


def said_of(shape) -> tuple[float, float]:
    """The volume of an open surface integrated as it is, and the share of it that it can be off."""
    result = measure(shape, on_open="integrate")
    (said,) = (f.value for f in result.findings if f.code == "open-integral")
    return result.volume, said


@given(radii, st.integers(0, 23))
def test_an_open_integral_is_off_by_no_more_than_was_said(r, facet):
    whole = oracles.star_body(r)
    try:
        volume, said = said_of(np.delete(whole, facet, axis=0))
    except InvalidGeometry:
        reject()  # nothing was said
    assert abs(volume - measure(whole).volume) <= said * volume * (1 + 1e-12)


@pytest.mark.parametrize("scipy_is_there", [True, False])
@pytest.mark.parametrize("missing", ["caps", "one patch", "two patches"])
def test_a_large_hole_is_bounded_by_what_it_can_hide(missing, scipy_is_there, monkeypatch):
    """A prism without its caps is a third off: moving the reference point changed nothing, and 0.00 % was said."""
    angles = np.linspace(0, 2 * np.pi, 10, endpoint=False)
    ring = np.column_stack([np.cos(angles), np.sin(angles)])
    if missing == "caps":
        whole = np.asarray(oracles.prism(ring, 2.5), dtype=float)
        walls = np.ptp(whole[..., 2], axis=1) > 0
        kept = whole[walls]
    else:
        whole = oracles.bumpy_torus(24, 18)
        kept = np.delete(whole, [*range(10, 30), *([300, 301, 302] if missing == "two patches" else [])], axis=0)
    if not scipy_is_there:
        monkeypatch.setitem(sys.modules, "scipy.spatial", None)
    volume, said = said_of(kept)
    off = abs(volume - measure(whole).volume) / volume
    assert 0 < off <= said * (1 + 1e-12)
    if missing == "caps":
        assert off == pytest.approx(0.5, rel=1e-12)  # two thirds of the volume are left


def test_an_open_integral_that_is_no_body_is_refused_for_that():
    # Of the cubes only the six pyramids of the second count in full; the first is inside out.
    both = np.concatenate([CUBE, oracles.moved(oracles.reversed_facets(0.5 * CUBE), (1.25, 0.25, 0.25))])[1:]
    error = refusal(both, on_open="integrate")
    assert error.message.endswith(
        "; so too much of the surface is missing or turned round for its integral to be that of a body"
    )


def test_an_open_surface_without_a_positive_integral_is_refused():
    assert str(refusal(oracles.reversed_facets(OPEN), on_open="integrate")) == (
        "array: zero-volume: the integral over the open surface is not positive; there is no body to measure; "
        "repair='full' gives 1 m³"
    )


# --- hull ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keep", [slice(2, None), slice(None, None, 2)])
def test_the_hull_of_most_of_a_convex_body_is_the_body(keep):
    pytest.importorskip("scipy", reason="the convex hull needs the extra")
    body = oracles.rotated(oracles.prism([(0, 0), (5, 0), (6, 2), (3, 4), (0, 3)], 2))
    # Taken apart, every corner is still there; Qhull may split the faces otherwise.
    part = body[keep]
    assert len(np.unique(part.reshape(-1, 3), axis=0)) == 10
    result, exact = measure(part, density=2, on_open="hull"), oracles.exact_body(body)
    # The rotated faces are not quite plane: coordinates are off by EPSILON × 8 over an area of 80.
    slack = 80 * 16 * EPSILON * 8
    assert result.volume == pytest.approx(float(exact.volume), rel=0, abs=slack)
    assert np.abs(result.center_of_mass - oracles.floats(exact.centroid)).max() <= slack
    assert np.abs(result.inertia - 2 * oracles.floats(exact.inertia)).max() <= 2 * slack * 8**2
    assert (result.method, result.grade) == ("hull", "unverified")


def test_the_hull_is_told():
    pytest.importorskip("scipy", reason="the convex hull needs the extra")
    result = measure(OPEN, on_open="hull")
    assert result.volume == pytest.approx(1, rel=DOZEN, abs=0)
    assert [(f.code, f.severity, f.message) for f in result.findings] == [
        ("open-edges", "warning", OPEN_EDGES),
        ("convex-hull", "warning", "measured is the convex hull, which is larger than the body"),
    ]


def test_the_hull_of_an_inside_out_scrap_looks_outward():
    pytest.importorskip("scipy", reason="the convex hull needs the extra")
    assert measure(oracles.reversed_facets(OPEN), on_open="hull").volume == pytest.approx(1, rel=DOZEN, abs=0)


@given(radii, st.integers(0, 23))
def test_the_hull_holds_the_body(r, facet):
    pytest.importorskip("scipy", reason="the convex hull needs the extra")
    body = oracles.star_body(r)
    hull = measure(np.delete(body, facet, axis=0), on_open="hull")
    assert hull.volume >= measure(body).volume * (1 - 1e-12)  # the hull's facets are merged within Qhull's own rounding


def test_points_in_a_plane_have_no_hull():
    pytest.importorskip("scipy", reason="the convex hull needs the extra")
    error = refusal(CUBE[:2], on_open="hull")
    assert str(error) == (
        "array: the vertices have no convex hull with a volume: they lie in one plane or nearly; "
        "choose on_open='shell' for a sheet"
    )
    assert error.code == "zero-volume"


# --- shell -----------------------------------------------------------------------------------------------------------


def slit_cube(side=1.0):
    """A whole cube that is not closed, and so a sheet: one corner of one facet is off by the least that doubles allow."""
    cube = side * CUBE
    cube[0, 0, 0] = np.nextafter(0.0, 1.0)
    return cube


@pytest.mark.parametrize("side", [1.0, 0.25])
def test_a_shell_of_a_cube_has_the_inertia_of_the_hollow_cube(side):
    # I = 5/18 m a² about its centre, as any handbook has it; mass = 6 a² times the area density.
    result = measure(slit_cube(side), area_density=2, on_open="shell")
    mass = 12 * side**2
    assert result.mass == pytest.approx(mass, rel=DOZEN, abs=0)
    assert result.area == pytest.approx(6 * side**2, rel=DOZEN, abs=0)
    assert result.center_of_mass == pytest.approx([side / 2] * 3, rel=DOZEN, abs=0)
    assert np.abs(result.inertia - 5 / 18 * mass * side**2 * np.eye(3)).max() <= 8 * DOZEN * mass * side**2
    assert (result.method, result.grade, result.volume) == ("shell", "unverified", None)
    assert result.to_dict()["volume"] is None


def test_a_shell_is_told():
    result = measure(OPEN, on_open="shell")
    assert [(f.code, f.severity, f.message) for f in result.findings] == [
        ("open-edges", "warning", OPEN_EDGES),
        ("thin-shell", "info", "measured is the surface itself, as a sheet without thickness"),
    ]
    assert (result.density, result.mass, result.properties) == (None, None, None)


def test_a_sheet_has_the_moments_of_its_triangle():
    # ∫ x xᵀ = A/12 (Σ pᵢpᵢᵀ + s sᵀ), the textbook lamina, about its centroid A/12 Σ (pᵢ − c)(pᵢ − c)ᵀ.
    triangle = np.array([[[1.0, 2, 3], [7, -1, 2], [0, 5, -4]]])
    result = measure(triangle, area_density=3, on_open="shell")
    p = triangle[0]
    area = np.linalg.norm(np.cross(p[1] - p[0], p[2] - p[0])) / 2
    arms = p - p.mean(axis=0)
    second = 3 * area / 12 * arms.T @ arms
    inertia = np.trace(second) * np.eye(3) - second
    assert result.mass == pytest.approx(3 * area, rel=DOZEN, abs=0)
    assert np.abs(result.inertia - inertia).max() <= DOZEN * np.abs(inertia).max()
    assert codes(result) == [("open-edges", "warning"), ("thin-shell", "info"), ("degenerate-rank", "info")]


@pytest.mark.parametrize("units", ["m", "mm", "in"])
def test_thickness_times_density_is_the_area_density(units):
    # Thickness is in metres whatever the file is in.
    by_area = measure(OPEN, area_density=7.8, units=units, on_open="shell")
    for matter in ({"density": 7800}, {"density": "7.8 g/cm3"}):
        by_thickness = measure(OPEN, **matter, thickness="1 mm", units=units, on_open="shell")
        assert by_thickness.mass == pytest.approx(by_area.mass, rel=4 * EPSILON, abs=0)
        assert by_thickness.density == pytest.approx(7.8, rel=4 * EPSILON, abs=0)


def test_a_sheet_in_millimetres_scales_with_the_square():
    metres, millimetres = (measure(OPEN, area_density=2, units=u, on_open="shell") for u in ("m", "mm"))
    assert millimetres.mass == pytest.approx(1e-6 * metres.mass, rel=8 * EPSILON, abs=0)
    assert millimetres.area == pytest.approx(millimetres.moments.measure, rel=8 * EPSILON, abs=0)
    scale = np.abs(metres.inertia).max()
    assert np.abs(millimetres.inertia - 1e-12 * metres.inertia).max() <= 16 * EPSILON * 1e-12 * scale


def test_a_sheet_with_a_mass_spreads_it_over_its_area():
    result = measure(OPEN, mass=10, on_open="shell")
    assert result.density == pytest.approx(2, rel=DOZEN, abs=0)  # five faces
    assert result.mass == pytest.approx(10, rel=2 * EPSILON, abs=0)


@pytest.mark.parametrize("matter", [{"area_density": 2}, {"density": 2, "thickness": 1}, {"thickness": 1}])
@pytest.mark.parametrize("source", ["closed", "integrate", "hull"])
def test_a_solid_is_not_measured_with_the_properties_of_a_sheet(matter, source):
    if source == "hull":
        pytest.importorskip("scipy", reason="the hull is taken by scipy")
    triangles, on_open = OPEN, source
    reason, remedy = "the body is measured as a solid", ", or measure the surface itself with on_open='shell'"
    if source == "closed":  # asking for a shell would change nothing
        triangles, on_open = CUBE, "error" if "density" in matter else "shell"
        reason, remedy = "the surface is closed: it is measured as a solid", ""
    assert refused(InvalidInput, measure, triangles, on_open=on_open, **matter) == (
        f"an area density or a thickness describes a sheet, and {reason}; give density=, material= or mass={remedy}"
    )


# --- named policies, never two numbers -------------------------------------------------------------------------------
