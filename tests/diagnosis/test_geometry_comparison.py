"""An inertial against its geometry: what is explained is told with the mistake that was made, and what is not is left alone.

Modules tested: `diagnosis/geometry_comparison`, `diagnosis/link_geometry`, `diagnosis/robot_links`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import oracles
import pytest
from boxes import box_reference
from cases import each, refused
from console import run
from hypothesis import given
from hypothesis import strategies as st
from oracles import write_ascii_stl
from places import ROOT, script
from real_robots import ROBOTS, findings_of_links, known_links, needs_robots

from massprops.checking.rules import rules
from massprops.diagnosis.evidence import likely_mistakes
from massprops.diagnosis.explanation import explain
from massprops.diagnosis.geometry_comparison import Reference, compare, findings_against, findings_of, inertial_of
from massprops.diagnosis.link_geometry import _doubt, _is_doubt
from massprops.diagnosis.robot_links import ComparedLink, LinkOptions, link_findings
from massprops.diagnosis.twins import OtherLink
from massprops.errors import InvalidInput
from massprops.filling import fill
from massprops.findings import Finding
from massprops.frames import Pose
from massprops.measurement.pipeline import measure
from massprops.measurement.result import Measurement
from massprops.moments.integrals import Moments
from massprops.rigid_body.extent import Extent
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.shapes import box

#: A box of 4 × 8 × 20 cm, turned so that all products differ, away from the origin of the link: nothing about it is symmetric.
POSE = Pose.from_xyz_rpy([0.03, -0.05, 0.09], [0.4, -0.3, 0.9])
SIZE = np.array([0.04, 0.08, 0.2])
VOLUME = float(SIZE.prod())
PART = box(*SIZE, density=2700).transformed(POSE)


def reference(pose: Pose = POSE, size: np.ndarray = SIZE) -> Reference:
    return box_reference(size, pose)


def found(body: MassProperties, against: Reference | None = None) -> list[Finding]:
    return findings_of(inertial_of(body), against or reference())


def codes(body: MassProperties) -> list[tuple[str, str]]:
    return [(f.code, f.severity) for f in found(body)]


def with_tensor(tensor: np.ndarray, body: MassProperties = PART) -> MassProperties:
    return MassProperties(body.mass, body.com, tensor)


def with_centre(*centre: float) -> MassProperties:
    return MassProperties(PART.mass, centre, PART.inertia)


def test_the_part_itself_is_not_remarked_on() -> None:
    assert found(PART) == []
    c = compare(PART, reference())
    # rotating there and back costs a few roundings of the largest entry
    assert (c.density, c.centre, c.tensor) == pytest.approx((2700, 0, 0), rel=1e-12, abs=1e-12)
    assert c.ratios == pytest.approx((1, 1, 1), rel=1e-12)


def test_distances_are_what_they_are_said_to_be() -> None:
    ref = reference(Pose.identity())
    body = MassProperties(VOLUME * 1000, [0.03, 0, 0.04], 2 * box(*SIZE, density=1000).inertia)
    c = compare(body, ref)
    # 5 cm off, over the diagonal; twice the tensor is once itself too much
    assert c.centre == pytest.approx(0.05 / np.linalg.norm(SIZE), rel=1e-12)
    assert (c.tensor, *c.ratios) == pytest.approx((1, 2, 2, 2), rel=1e-12)


I = PART.inertia  # noqa: E741  # as the literature has it
M, C = PART.mass, PART.com
STEINER = M * (C @ C * np.eye(3) - np.outer(C, C))
CYCLE = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]], dtype=float)
NEGATED = 2 * np.diag(np.diag(I)) - I

MISTAKES = {
    "products-sign": with_tensor(NEGATED),
    "about-origin": with_tensor(I + STEINER),
    "permuted-axes": with_tensor(CYCLE @ I @ CYCLE.T),
    "missing-axes": with_tensor(np.diag(np.linalg.eigvalsh(I))),
    "centre-sign": with_centre(C[0], -C[1], C[2]),
    "centre-axes": with_centre(C[0], C[2], C[1]),
    "mass-is-density": MassProperties(2700, C, I),
}


@each("code", MISTAKES)
def test_the_mistake_that_was_made_is_the_one_that_is_reported(code: str) -> None:
    assert (code, "error") in codes(MISTAKES[code])
    others = set(MISTAKES) - {code}
    assert not others & {c for c, _ in codes(MISTAKES[code])}


@each("code", MISTAKES)
def test_the_value_is_how_far_the_numbers_are_from_the_geometry(code: str) -> None:
    """Of the diagonal of the bounds, or of the size of the tensor of a uniform body of the mass that is stated."""
    body = MISTAKES[code]
    (wrong,) = [f for f in found(body) if f.code == code]
    away, limit = np.linalg.norm(body.com - C) / reference().size, 0.02
    if code not in ("centre-sign", "centre-axes"):
        uniform = I * (body.mass / M)
        away, limit = np.linalg.norm(body.inertia - uniform) / np.linalg.norm(uniform), 0.05
    # the tensor is rotated there and back: a few roundings of its largest entry
    assert (wrong.value, wrong.limit) == pytest.approx((away, limit), rel=1e-9)


@each(
    ("body", "said"),
    [
        (with_tensor(I * 1e6), "the inertia is in kg mm²"),
        (with_tensor(I * 1e9), "the inertia is in g mm²"),
        (with_tensor(I * 1e7), "the inertia is in g cm²"),
        (MassProperties(M * 1000, C, I), "the mass is in g"),
        (MassProperties(M, C * 1000, I), "the centre of mass is in mm"),
        (with_tensor(I * 1e-6), "the inertia was divided by a million"),
    ],
)
def test_another_unit_is_named(body: MassProperties, said: str) -> None:
    (finding,) = [f for f in found(body) if f.code == "wrong-unit"]
    assert finding.severity == "error"
    assert finding.message.endswith(f" if {said}")


def test_a_pinned_message() -> None:
    wrong = found(MISTAKES["products-sign"])[0]
    distance = np.linalg.norm(NEGATED - I) / np.linalg.norm(I)
    assert wrong.value == pytest.approx(distance, rel=1e-9)
    text = f"the inertia differs from that of the geometry by {100 * distance:.2g} %, and by less than 1e-07 % if "
    assert wrong.message.startswith(text)
    assert wrong.message.endswith(" if the products of inertia have the other sign")


def test_shares_above_two_are_factors_in_messages() -> None:
    (large,) = [f for f in found(with_tensor(24 * I)) if f.code == "differs-from-geometry"]
    assert large.message.startswith("the inertia is 24 times as large as that of the geometry, and no common")


@pytest.mark.parametrize("centre", [(0.0, 0.03, 0.0), (0.02, -0.01, 0.05)], ids=str)
def test_any_centre_over_a_thousand_is_near_a_geometry_that_is_centred_at_the_origin(centre: tuple[float, ...]) -> None:
    # so that millimetres explain nothing there
    body = MassProperties(M, centre, box(*SIZE, mass=M).inertia)
    assert "wrong-unit" not in [f.code for f in found(body, reference(Pose.identity()))]


def test_a_centre_far_outside_a_centred_geometry_is_still_an_error() -> None:
    body = MassProperties(M, [0, 30, 0], box(*SIZE, mass=M).inertia)
    assert ("com-outside-bounds", "error") in [(f.code, f.severity) for f in found(body, reference(Pose.identity()))]


@pytest.mark.parametrize("angle", [0.003, 0.008])
def test_products_of_the_other_sign_are_seen_however_small_they_are(angle: float) -> None:
    # a part that is nearly aligned: its products are below the limit at which a difference is looked at
    ref = reference(Pose.from_xyz_rpy(rpy=[angle, -angle, angle]))
    true = ref.body(M).inertia
    wrong = MassProperties(M, [0, 0, 0], 2 * np.diag(np.diag(true)) - true)
    assert 1e-3 < compare(wrong, ref).tensor < 0.02
    assert [(f.code, f.severity) for f in found(wrong, ref)] == [("products-sign", "warning")]


def test_a_mistake_that_explains_less_than_half_of_a_difference_is_no_finding() -> None:
    # the other sign of small products (1.9 %), and moments 2 % off for reasons of their own
    ref = reference(Pose.from_xyz_rpy(rpy=[0.008, -0.008, 0.008]))
    true = ref.body(M).inertia
    wrong = MassProperties(M, [0, 0, 0], 2.02 * np.diag(np.diag(true)) - true)
    assert found(wrong, ref) == []


def test_a_mistake_that_leaves_much_of_a_difference_is_a_warning() -> None:
    """One of many mistakes comes nearer by chance; a sign leaves no more than parts differ from their meshes."""
    pose = Pose.from_xyz_rpy([0, 0, 0], [0, 0.07, 0])
    tensor = box(*SIZE, density=2700).transformed(pose).inertia
    other_sign = 2 * np.diag(np.diag(tensor)) - tensor
    for factor, severity in ((1.01, "error"), (1.04, "warning")):
        body = MassProperties(M, [0, 0, 0], other_sign * factor)
        difference = np.linalg.norm(body.inertia - tensor) / np.linalg.norm(tensor)
        assert 0.05 < difference < 0.3
        assert ("products-sign", severity) in [(f.code, f.severity) for f in found(body, reference(pose))]


def test_small_differences_that_no_mistake_explains_are_left_alone() -> None:
    for stretch in ([1.002, 1.0, 1.0], [1.0, 1.001, 0.999]):
        assert found(box(*SIZE * stretch, mass=M).transformed(POSE)) == []


def test_a_turn_that_is_no_right_angle_is_told_as_wrong_axes() -> None:
    turn = Pose.from_xyz_rpy(rpy=[0.7, 0.2, -0.5]).rotation
    assert ("wrong-axes", "error") in codes(with_tensor(turn @ I @ turn.T))


def test_what_lies_outside_its_geometry_is_an_error_whatever_the_density() -> None:
    assert ("com-outside-bounds", "error") in codes(with_centre(0.5, 0, 0))
    large = codes(with_tensor(20 * I))
    assert ("spread-outside-bounds", "error") in large
    assert ("inertia-too-large", "error") in large


def test_no_density_is_named_where_none_is_possible() -> None:
    """Sixty times the inertia of a cube is impossible inside it, and was said to be a density that is not uniform."""
    cube = reference(Pose.identity(), np.array([1.0, 1.0, 1.0]))
    told = {
        f.code: f.message
        for f in found(with_tensor(np.diag([10.0, 10.0, 10.01]), MassProperties(1, [0, 0, 0], np.eye(3))), cube)
    }
    assert "not uniform" not in told["differs-from-geometry"]
    assert "are 60 to 60.1 times" in told["inertia-too-large"]
    impossible = found(with_tensor(np.diag([0.3, 0.1, 0.1]), MassProperties(1, [0, 0, 0], np.eye(3))), cube)
    assert "differs-from-geometry" in {f.code for f in impossible}  # inside its hull, and 0.3 > 0.1 + 0.1
    assert not any("not uniform" in f.message for f in impossible)
    same = found(with_tensor(np.diag([11.0, 11.0, 11.0]), MassProperties(1, [0.1, 0, 0], np.eye(3))), cube)
    assert any("moments are 66 times" in f.message for f in same)


def test_a_weight_in_the_middle_of_a_cover_is_only_remarked_on() -> None:
    # not by a tenth, which would be a decimal point
    assert [s for _, s in codes(with_tensor(0.13 * I))] == ["warning", "info"]
    assert codes(with_tensor(0.13 * I))[0][0] == "inertia-too-small"


def test_a_light_placeholder_warns_and_a_heavy_one_fails() -> None:
    light = MassProperties(0.5, [0, 0, 0], 0.01 * np.eye(3))
    assert {("placeholder-inertia", "warning"), ("centre-at-origin", "warning")} <= set(codes(light))
    assert {s for _, s in codes(light)} == {"warning"}
    heavy = replace(light, mass=50.0)
    assert ("placeholder-inertia", "error") in codes(heavy)


def test_a_placeholder_of_more_than_ten_times_what_fits_inside_the_bounds_is_an_error() -> None:
    """Of 0.9 kg at the ends of the diagonal, 0.22 m, the moment is 0.0108 kg m²; a frame of 0.001 kg m² moves nothing."""
    for mass, moment, severity in (
        (0.05, 1.0, "error"),
        (0.9, 0.2, "error"),
        (0.9, 0.09, "warning"),
        (1e-3, 1e-3, "warning"),
    ):
        drawn = reference(Pose.identity())
        for against in (drawn, replace(drawn, is_simpler=True)):  # a collision shape cannot explain it either
            every = found(MassProperties(mass, [0, 0, 0], moment * np.eye(3)), against)
            assert every[0].severity == severity, (mass, moment)
            assert "placeholder-inertia" in [f.code for f in every]


def test_what_is_possible_with_the_collision_geometry_is_no_error() -> None:
    """A visual drawn smaller than the part: the collision geometry holds the rest; where neither holds the mass, it is an error."""
    bounds = np.array([[-0.5, -0.5, -0.5], [0.5, 0.5, 0.5]])
    ref = replace(reference(), around=lambda: Extent.of_box(bounds))
    for body, inside in ((with_centre(0.3, 0, 0), True), (with_centre(3, 0, 0), False)):
        alone, both = (next(f for f in found(body, r) if f.code == "com-outside-bounds") for r in (reference(), ref))
        assert (alone.severity, both.severity) == ("error", "warning" if inside else "error")
        assert both.message.endswith("the visual and the collision geometry together") == inside
    large = {f.code: f.severity for f in found(with_tensor(8 * I), ref)}
    assert large["spread-outside-bounds"] == large["inertia-too-large"] == "warning"


def test_a_placeholder_with_a_centre_far_outside_is_an_error() -> None:
    for away, severity in ((0.3, "warning"), (100.0, "error")):
        body = MassProperties(0.9, [away, 0, 0], 0.01 * np.eye(3))
        every = {f.code: f.severity for f in found(body, reference(Pose.identity()))}
        assert every["com-outside-bounds"] == severity, away


def test_one_number_and_a_shape_without_a_scale_name_no_scale() -> None:
    """A single number is within 5 % of that of a cube at one of the scales in every second decade; shapes are stated in metres."""
    cube = reference(Pose.identity(), np.array([0.01, 0.01, 0.01]))
    scaled = cube.scaled(1 / 0.0254).body(0.2)
    assert "mesh-scale" not in [f.code for f in found(scaled, cube)]
    thousand = reference().scaled(1000)
    assert "mesh-scale" in [f.code for f in found(PART, thousand)]
    assert "mesh-scale" not in [f.code for f in found(PART, replace(thousand, is_meshes=False))]


def test_one_number_beside_a_marker_names_no_mistake_of_size() -> None:
    """A cube of 1 cm that marks a frame: 2 to 5 kg are no density, and one number agrees with some power of ten by chance."""
    marker = replace(reference(Pose.identity(), np.array([0.01, 0.01, 0.01])), is_meshes=False)
    for mass, size in ((2.0, 10), (5.0, 0.1), (0.05, 100)):
        body = MassProperties(mass, [0, 0, 0], size * 1.02 * mass * 1e-4 / 6 * np.eye(3))
        assert {f.code for f in found(body, marker)} & {"decimal-point", "mesh-scale", "wrong-unit"} == set()


def test_the_inertial_of_another_link_is_a_hint_and_the_same_part_is_no_other() -> None:
    own = reference(Pose.from_xyz_rpy([0.1, 0.2, 0.3]), np.array([0.05, 0.06, 0.07]))
    stated = inertial_of(PART)
    copied = [f for f in findings_of(stated, own, {"arm": OtherLink(None, reference())}) if f.code == "other-link"]
    assert [f.severity for f in copied] == ["info"]
    # the same part drawn with other details, and a shape that stands for a part
    for other in (reference(size=SIZE * [1.0, 1.0, 1.08]), replace(reference(), is_meshes=False)):
        near = replace(own, is_meshes=True) if other.is_meshes is False else reference(size=SIZE * [1.0, 1.1, 1.0])
        assert "other-link" not in [f.code for f in findings_of(stated, near, {"arm": OtherLink(None, other)})]


def test_mistakes_with_the_same_numbers_are_both_named() -> None:
    """Where one product alone is not 0, one wrong sign and all signs are the same numbers: whoever made one of them reads its name."""
    ref = reference(Pose.from_xyz_rpy([0.04, 0.07, 0.1], [0.4, 0, 0]))
    right = ref.body(M)
    wrong = MassProperties(M, right.com, 2 * np.diag(np.diag(right.inertia)) - right.inertia)
    (named,) = (f for f in found(wrong, ref) if "products-sign" in f.code or f.code == "one-sign")
    ways = "the products of inertia have the other sign", "Iyz has the wrong sign"
    assert all(way in named.message for way in ways)
    assert "(the same numbers here" in named.message


def test_a_ball_is_no_placeholder_where_it_is_the_geometry() -> None:
    # three equal round moments, rightly
    cube = reference(Pose.identity(), np.array([0.1, 0.1, 0.1]))
    assert found(MassProperties(1.2, [0, 0, 0], 0.002 * np.eye(3)), cube) == []


def test_a_rod_and_a_plate_are_no_balls() -> None:
    """Two equal moments are not three: a placeholder is told for what it is."""
    stated = MassProperties(1.2, [0, 0, 0], 0.002 * np.eye(3))
    for size, isotropic in (
        ((0.1, 0.1, 0.101), True),
        ((0.1, 0.1, 0.12), False),
        ((0.02, 0.02, 0.2), False),
        ((0.2, 0.2, 0.01), False),
    ):
        against = reference(Pose.identity(), np.array(size))
        assert compare(stated, against).isotropic == isotropic
        assert ("placeholder-inertia" in [f.code for f in found(stated, against)]) != isotropic, size


def test_the_rounded_moments_of_a_ball_are_no_placeholder() -> None:
    # a ball of 5.5 cm and 0.18 kg: 2/5 m r² is 0.000218 kg m² about every axis, stated as 0.0002
    r = 0.055
    volume = 4 / 3 * np.pi * r**3
    moments = Moments(volume, np.zeros(3), volume * r**2 / 5 * np.eye(3), np.zeros(3))
    ball = Reference(moments, lambda: Extent.of_shape("sphere", {"radius": r}))
    stated = MassProperties(0.18, [0, 0, 0], 0.0002 * np.eye(3))
    assert compare(stated, ball).tensor > 0.05  # one digit is not enough to agree
    assert found(stated, ball) == []
    # but a number that no ball of this size has is still told
    heavy = MassProperties(0.18, [0, 0, 0], np.eye(3))
    assert "inertia-too-large" in [f.code for f in found(heavy, ball)]


def test_more_than_the_density_of_any_material_is_an_error_and_grams_are_named() -> None:
    # 1 t in 0.64 l, with the inertia that belongs to it
    body = PART.scaled_to_mass(1000.0)
    assert codes(body) == [("wrong-unit", "error")]  # that says the density, too
    grams = found(body)[0].message
    assert "1.56e+06 kg/m³, and 1.56e+03 kg/m³ if the mass is in g and the inertia in g m²" in grams
    assert grams.endswith(": 1 kg")


@pytest.mark.parametrize("marker", ["a light one", "a point", "in doubt"])
def test_a_geometry_that_is_too_small_for_its_mass_may_be_a_marker(marker: str) -> None:
    ref = reference(Pose.identity(), np.array([0.002, 0.002, 0.002]))
    own = ref.body(0.009 if marker == "a light one" else 5.0)
    body = MassProperties(5.0, own.com, np.zeros((3, 3))) if marker == "a point" else own
    ref = replace(ref, doubts=("it is open",)) if marker == "in doubt" else ref
    of_density = ("implied-density", "wrong-unit")  # a mass in grams says it, too
    assert [f.severity for f in found(body, ref) if f.code in of_density] == ["warning"]
    assert [f.severity for f in found(ref.body(5.0), replace(ref, doubts=())) if f.code in of_density] == ["error"]


def test_a_hollow_body_is_no_error_and_tonnes_are_named() -> None:
    """Less than 20 kg/m³: a thin shell has it, whose tensor is not that of the solid; one that has the tensor of the solid is in tonnes."""
    outer, wall, aluminium = np.array([0.4, 0.3, 0.2]), 2e-4, 2700.0
    inner, solid = outer - 2 * wall, reference(Pose.identity(), outer)
    masses = [aluminium * size.prod() for size in (outer, inner)]
    tensors = [box(*size, mass=mass).inertia for size, mass in zip((outer, inner), masses, strict=True)]
    sheet = MassProperties(masses[0] - masses[1], solid.centroid, tensors[0] - tensors[1])
    assert [(f.code, f.severity) for f in found(sheet, solid)] == [
        ("implied-density", "warning"),
        ("differs-from-geometry", "info"),
    ]
    light = found(solid.body(0.0648), solid)
    assert [(f.code, f.severity) for f in light] == [("wrong-unit", "warning")]
    assert light[0].message.endswith(" if the mass is in t and the inertia in t m²: 64.8 kg")


def test_a_mistake_is_reported_though_the_density_is_strange() -> None:
    # a thin cover drawn in place of a motor: the mass is not what is corrected
    heavy = with_tensor(NEGATED).scaled_to_mass(1000.0)
    assert [c for c, _ in codes(heavy)] == ["products-sign", "implied-density"]


#: Factors to kg, to kg m² and to m of units in which numbers are planted.
LB = 0.45359237
SLIPS = {
    "the mass is in g": (1e-3, 1, 1),
    "the mass is in t": (1e3, 1, 1),
    "the mass is in lb": (LB, 1, 1),
    "the inertia is in g mm²": (1, 1e-9, 1),
    "the inertia is in kg mm²": (1, 1e-6, 1),
    "the inertia is in lb in²": (1, LB * 0.0254**2, 1),
    "the mass is in g and the inertia in g m²": (1e-3, 1e-3, 1),
    "the mass is in t and the inertia in t m²": (1e3, 1e3, 1),
    "the mass is in t and the inertia in t mm²": (1e3, 1e-3, 1),
    "the mass is in g and the inertia in kg mm²": (1e-3, 1e-6, 1),
    "the numbers are in t, mm and t mm²": (1e3, 1e-3, 1e-3),
    "the numbers are in kg, mm and kg mm²": (1, 1e-6, 1e-3),
}


@pytest.mark.parametrize("density", [100, 800, 2700, 20000])
def test_units_are_named_with_the_right_numbers_at_any_density(density: float) -> None:
    rng = np.random.default_rng(density)
    ref = reference(Pose.from_xyz_rpy([0.3, 0.2, 0.1], rng.uniform(0.1, 0.9, 3)), rng.uniform(0.01, 0.4, 3))
    right = ref.body(density * ref.moments.measure)
    assert found(right, ref) == []
    for words, (mass, inertia, metre) in SLIPS.items():
        wrong = MassProperties(right.mass / mass, right.com / metre, right.inertia / inertia)
        first, *_ = likely_mistakes(inertial_of(wrong), ref)
        corrected = first.mistake.corrected.properties
        assert corrected.mass == pytest.approx(right.mass, rel=1e-9), words
        assert corrected.inertia == pytest.approx(right.inertia, rel=1e-9, abs=1e-12 * right.inertia.trace()), words
        assert corrected.com == pytest.approx(right.com, rel=1e-9), words
        assert "wrong-unit" in [f.code for f in found(wrong, ref)], words


def test_a_centre_that_is_mended_explains_no_tensor_that_is_a_million_times_off() -> None:
    wrong = MassProperties(PART.mass, PART.com * 1000, PART.inertia * np.diag([3e6, 1e6, 2e6]))
    assert likely_mistakes(inertial_of(wrong), reference()) == []


def test_a_body_without_mass_is_left_to_the_check_of_the_inertial() -> None:
    assert found(MassProperties(0.0, C, I)) == []
    with pytest.raises(InvalidInput, match=r"mass is 0\.0 kg; a positive mass is needed"):
        compare(MassProperties(0.0, C, I), reference())


def test_a_difference_that_a_mistake_only_lessens_is_not_explained_by_it() -> None:
    # moments 4.5 % off, for reasons of their own, and products so small that their sign hardly counts
    ref = reference(Pose.from_xyz_rpy(rpy=[0.02, 0.02, 0.02]))
    true = ref.body(M).inertia
    products = true - np.diag(np.diag(true))
    body = MassProperties(M, [0, 0, 0], 1.045 * np.diag(np.diag(true)) - 0.3 * products)
    assert compare(body, ref).tensor > 0.05  # it is looked at
    assert "products-sign" not in [f.code for f in found(body, ref)]


numbers = st.floats(-0.12, 0.12)


@given(st.lists(numbers, min_size=3, max_size=3), st.floats(300, 9000))
def test_a_density_that_is_somewhat_uneven_is_no_error(stretch: list[float], density: float) -> None:
    # the second moments of a part of several materials, up to 12 % along each axis: nobody made a mistake
    size = SIZE * (1 + np.array(stretch))
    body = box(*size, density=density).transformed(POSE)
    assert not [f for f in found(body) if f.severity == "error"]


@given(st.sampled_from(sorted(MISTAKES)), st.lists(st.floats(-0.005, 0.005), min_size=3, max_size=3))
def test_a_mistake_is_seen_though_the_geometry_is_coarse(code: str, stretch: list[float]) -> None:
    # chord tolerances and several materials: ½ % in every edge is 2.5 % of a moment at a given density, half of what explains
    size = SIZE * (1 + np.array(stretch))
    assert (code, "error") in [(f.code, f.severity) for f in found(MISTAKES[code], reference(POSE, size))]


@given(st.lists(st.floats(-3, 3), min_size=3, max_size=3))
def test_an_inertial_frame_of_its_own_changes_nothing(rpy: list[float]) -> None:
    turned = Pose.from_xyz_rpy(C, rpy)
    stated = replace(inertial_of(PART), frame=turned, tensor=turned.rotation.T @ I @ turned.rotation)
    stated = replace(stated, tensor=0.5 * (stated.tensor + stated.tensor.T))
    assert findings_of(stated, reference()) == []
    # taken about the origin before it was turned
    shifted = turned.rotation.T @ (I + STEINER) @ turned.rotation
    wrong = findings_of(replace(stated, tensor=0.5 * (shifted + shifted.T)), reference())
    assert "about-origin" in [f.code for f in wrong]


def test_a_measured_part_is_a_reference() -> None:
    corners, faces = oracles.box((0, 0, 0), SIZE).reshape(-1, 3), np.arange(36).reshape(-1, 3)
    part: Measurement = measure((corners, faces))
    body = box(*SIZE, density=2700).translated(SIZE / 2)
    assert findings_against(body, part) == []
    assert [f.code for f in findings_against(body.translated([0, 0, 0.5]), part)] == ["com-outside-bounds"]
    sheet = measure((corners, faces[:-1]), on_open="shell", area_density=1)
    with pytest.raises(InvalidInput, match="was measured as a sheet, and an inertial is compared with a solid"):
        findings_against(body, sheet)


# --- links -----------------------------------------------------------------------------------------------------------

GEOMETRY = '<visual><geometry><box size="0.04 0.08 0.2"/></geometry></visual>'
INERTIAL = '<inertial><mass value="{}"/><inertia ixx="{}" ixy="0" ixz="0" iyy="{}" iyz="0" izz="{}"/></inertial>'
RIGHT = box(0.04, 0.08, 0.2, mass=1.5).inertia.diagonal().tolist()


def checked(tmp_path: Path, *links: str, name: str | None = None, joints: str = ""):
    text = "\n".join(f'<link name="{n}">{link}</link>' for n, link in zip("abcdef", links, strict=False))
    path = tmp_path / "robot.urdf"
    path.write_text(f'<robot name="r">\n{text}\n{joints}</robot>', encoding="utf-8")
    return list(link_findings(str(path), name, LinkOptions()))


def test_every_link_is_checked_once_and_what_is_not_there_is_said(tmp_path: Path) -> None:
    fixed = '<joint name="j" type="fixed"><parent link="a"/><child link="e"/></joint>'
    results = checked(
        tmp_path,
        INERTIAL.format(1.5, *RIGHT) + GEOMETRY,
        GEOMETRY,
        INERTIAL.format(0, 0, 0, 0) + GEOMETRY,
        INERTIAL.format(0, 0, 0, 0),
        INERTIAL.format(0, 0, 0, 0),
        "",
        joints=fixed,
    )
    said = [[(f.code, f.severity) for f in c.findings] for c in results]
    assert said == [
        [],
        [("geometry-without-inertial", "warning")],
        [("massless-geometry", "warning")],
        [("massless-frame", "warning")],
        [("massless-frame", "info")],
        [],
    ]
    assert [(c.link.name, c.link.line) for c in results][:2] == [("a", 2), ("b", 3)]
    assert results[0].numbers["implied_density"] == pytest.approx(1.5 / VOLUME, rel=1e-12)


def test_one_link_by_name(tmp_path: Path) -> None:
    (only,) = checked(tmp_path, GEOMETRY, INERTIAL.format(1.5, *RIGHT[::-1]) + GEOMETRY, name="b")
    worst = only.findings[0]
    assert (worst.code, worst.severity) == ("permuted-axes", "error")
    assert "robot.urdf: has no link 'zz'" in refused(Exception, checked, tmp_path, GEOMETRY, name="zz")


def test_a_link_that_cannot_be_read_is_an_error_of_that_link(tmp_path: Path) -> None:
    bad, good = checked(tmp_path, INERTIAL.format("one", 1, 1, 1), INERTIAL.format(1.5, *RIGHT) + GEOMETRY)
    assert bad.link.error is not None
    assert (good.link.error, good.findings) == (None, ())


def test_a_link_is_not_held_against_a_part_of_its_geometry(tmp_path: Path) -> None:
    gone = '<visual><geometry><mesh filename="gone.stl"/></geometry></visual>'
    (only,) = checked(tmp_path, INERTIAL.format(1.5, *RIGHT[::-1]) + GEOMETRY + gone)
    assert [(f.code, f.severity) for f in only.findings] == [("missing-mesh", "warning")]
    assert "tensor_distance" not in only.numbers


@pytest.mark.parametrize("name", ["square.csv", "square.json", "square.svg", "square.wkt"])
def test_a_plane_section_is_not_the_mesh_of_a_link(tmp_path: Path, name: str) -> None:
    """Its area would be taken for a volume."""
    (tmp_path / name).write_text("0,0\n1,0\n1,1\n0,1\n")
    mesh = f'<visual><geometry><mesh filename="{name}"/></geometry></visual>'
    (only,) = checked(tmp_path, INERTIAL.format(1.5, *RIGHT[::-1]) + mesh)
    (found,) = only.findings
    assert (found.code, found.severity) == ("broken-mesh", "warning")
    assert f"{name}: is not a mesh file" in found.message
    assert "tensor_distance" not in only.numbers


def test_what_rests_on_an_open_mesh_says_so(tmp_path: Path) -> None:
    lid = box_triangles()[:-2]  # the last two are the top
    write_ascii_stl(tmp_path / "part.stl", lid)
    mesh = '<visual><geometry><mesh filename="part.stl"/></geometry></visual>'
    (only,) = checked(tmp_path, INERTIAL.format(1.5, *RIGHT[::-1]) + mesh)
    assert only.numbers["doubt"] is not None
    judged = [f for f in only.findings if f.severity != "info"]
    assert judged
    assert all(f.message.endswith(f" (in doubt: {only.numbers['doubt']})") for f in judged)


def test_an_open_mesh_is_measured_as_fill_measures_it(tmp_path: Path) -> None:
    write_ascii_stl(tmp_path / "part.stl", box_triangles()[:-2])
    mesh = '<visual><geometry><mesh filename="part.stl"/></geometry></visual>'
    (only,) = checked(tmp_path, INERTIAL.format(1.5, *RIGHT) + mesh)
    (filled,) = fill(tmp_path / "robot.urdf", density=1000, links="all").links
    assert filled.solid is not None
    # a lid of two triangles closes it: both have the volume of the box to a few roundings
    assert only.numbers["volume"] == pytest.approx(filled.solid.moments.measure, rel=1e-12)
    assert only.numbers["volume"] == pytest.approx(np.ptp(box_triangles().reshape(-1, 3), axis=0).prod(), rel=1e-6)


def test_a_visual_smaller_than_the_collision_geometry_warns_in_robots(tmp_path: Path) -> None:
    far = INERTIAL.format(1.5, *RIGHT).replace("<mass", '<origin xyz="0.15 0 0"/><mass')
    proxy = GEOMETRY.replace("visual", "collision").replace("0.04", "0.6")
    alone, both = checked(tmp_path, far + GEOMETRY, far + GEOMETRY + proxy)
    severity = [next(f.severity for f in one.findings if f.code == "com-outside-bounds") for one in (alone, both)]
    assert severity == ["error", "warning"]


@each("shape", ['<box size="0 0 0"/>', '<sphere radius="0"/>', '<cylinder radius="0" length="0"/>'])
def test_a_shape_without_extent_is_a_frame(tmp_path: Path, shape: str) -> None:
    frame = f"<visual><geometry>{shape}</geometry></visual>"
    joint = '<joint name="j" type="fixed"><parent link="b"/><child link="a"/></joint>'
    empty, real = checked(tmp_path, frame, INERTIAL.format(1.5, *RIGHT) + GEOMETRY + frame, joints=joint)
    assert (empty.findings, real.findings) == ((), ())
    assert fill(tmp_path / "robot.urdf", density=1000).links == ()


def test_a_shape_without_volume_is_an_error_at_its_own_line(tmp_path: Path) -> None:
    flat = '\n<visual><geometry><box size="0 1 1"/></geometry></visual>'
    (only,) = checked(tmp_path, flat)
    place = f"{tmp_path / 'robot.urdf'}:3"
    (broken,) = (f for f in only.findings if f.code == "broken-mesh")
    assert broken.message == f"the visual geometry at {place} is not measured: x must be positive, got 0.0 m"
    (left,) = fill(tmp_path / "robot.urdf", density=1000).links
    assert str(left.error) == f"{place}: x must be positive, got 0.0 m"


def test_a_collision_shape_in_the_place_of_the_visual_geometry_gives_no_errors(tmp_path: Path) -> None:
    """Whether that is missing or there is none; `explain` says the same."""
    wrong = INERTIAL.format(1.5, *RIGHT[::-1])
    proxy = GEOMETRY.replace("visual", "collision")
    gone = '<visual><geometry><mesh filename="gone.stl"/></geometry></visual>'
    seen, own, stand_in = checked(tmp_path, wrong + GEOMETRY, wrong + proxy, wrong + gone + proxy)
    judged = [f for f in stand_in.findings if f.code != "missing-mesh"]
    assert "error" in {f.severity for f in seen.findings}
    assert list(own.findings) == judged
    assert [f.code for f in judged] == [f.code for f in seen.findings]
    assert {f.severity for f in judged} == {"warning"}
    assert all("(in doubt: the collision geometry stands in for the visual one" in f.message for f in judged)
    assert list(explain(f"{tmp_path}/robot.urdf#{own.name}").findings) == judged
    done = run("explain", tmp_path / "robot.urdf")
    assert done.returncode == 1
    titles = {line.split()[0] for line in done.out.splitlines() if line.strip() and not line.startswith(" ")}
    assert titles >= {
        str(link.name) for link in (seen, own, stand_in)
    }  # the place behind a name may stand on the next line


@each(
    ("code", "share", "said"),
    [
        ("overlapping-bodies", 0.0076, "part.stl overlaps itself (0.76 % of its volume)"),
        ("nested-bodies", 6.6e-17, "part.stl has bodies inside each other"),
        ("overlapping-bodies", 23.4, "part.stl overlaps itself (23 times its volume)"),
        ("overlapping-bodies", 2.8e10, "part.stl overlaps itself (more than 1e6 times its volume)"),
        ("overlapping-bodies", 6.6e-17, None),
    ],
)
def test_doubts_are_stated_in_numbers_that_mean_something(code: str, share: float, said: str | None) -> None:
    noticed = Finding(code, "error", "", share)
    assert _is_doubt(noticed) == (said is not None)
    assert said is None or _doubt("part.stl", noticed) == said


def box_triangles() -> np.ndarray:
    return oracles.box((-0.02, -0.04, -0.1), (0.02, 0.04, 0.1))


def test_a_placeholder_without_geometry_is_said_too(tmp_path: Path) -> None:
    (only,) = checked(tmp_path, INERTIAL.format(0.1, 1, 1, 1))
    assert [(f.code, f.severity) for f in only.findings] == [("placeholder-inertia", "warning")]


# --- the corpus ------------------------------------------------------------------------------------------------------

#: What each mark of the corpus should be told as; any one of them will do. The mark of a mass of 0 is told by the check of the
#: inertial itself too.
KINDS = {
    "H_poi_negated": {"products-sign"},
    "H_principal_ok_orientation_wrong": {"wrong-axes", "missing-axes", "permuted-axes", "products-sign"},
    "inertia_all_zero": {"massless-frame"},
    "mass_zero": {"massless-frame"},
    "H_com_left_at_origin": {"centre-at-origin"},
    "inertia_too_big_for_geometry": {"inertia-too-large"},
    "round_isotropic_placeholder": {"placeholder-inertia"},
}


#: The links of this arm have products of the other sign; in link_2 they are so small that the tensor is only 1 % off.
TRUE_BUT = {"link_2": ["products-sign"]}


@needs_robots
def test_every_link_that_is_marked_as_broken_is_told_for_what_it_is_and_no_true_one_is_an_error() -> None:
    marked = true = 0
    for entry, c in compared_links():
        said = {f.code for f in c.findings}
        for flag in entry["flags"]:
            if flag == "GOLD_T":
                true += 1
                assert [f.code for f in c.findings if f.severity != "info"] == TRUE_BUT.get(entry["link"], []), entry
            else:
                marked += 1
                assert said & KINDS[flag], (entry["link"], flag, said)
    assert (true, marked) == (10, 20)


def compared_links() -> Iterator[tuple[dict[str, Any], ComparedLink]]:
    for entry in known_links():
        (found,) = (c for c in findings_of_links(entry["file"]) if c.link.name == entry["link"])
        yield entry, found


@needs_robots
def test_implied_densities_are_those_that_others_measured() -> None:
    # of links with one mesh, closed for trimesh too: elsewhere the volumes are of different things; what overlaps is not united there
    compared = 0
    for entry, c in compared_links():
        united = "overlaps itself" in (c.numbers.get("doubt") or "")
        if entry.get("watertight") and "so100" not in entry["file"] and not united:
            compared += 1
            # float32 meshes summed about other points, in another order
            assert c.numbers["implied_density"] == pytest.approx(entry["implied_density"], rel=1e-9)
    assert compared > 15


def test_every_code_has_its_help() -> None:
    text = (ROOT / "massprops" / "diagnosis" / "geometry_comparison.py").read_text(encoding="utf-8")
    others = {"wrong-axes", "wrong-unit", "one-sign", "shifted-twice", *(c for k in KINDS.values() for c in k)}
    assert set(MISTAKES) | others <= set(rules())
    assert "differs-from-geometry" in text


@needs_robots
def test_the_table_in_the_docs_is_what_is_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table = script(ROOT / "benchmarks" / "robots.py")
    monkeypatch.setattr(
        table, "link_findings", lambda robot, *_: findings_of_links(str(Path(robot).relative_to(ROBOTS)))
    )
    table.main(str(ROBOTS))
    printed = capsys.readouterr().out
    assert len(printed.splitlines()) > 40
    stated = json.loads((ROOT / "docs" / "benchmarks.json").read_text(encoding="utf-8"))
    (rows,) = [table["rows"] for s in stated if s["title"] == "Links of public robots" for table in s["tables"]]
    assert [[cell.strip() for cell in line.split("|")[1:-1]] for line in printed.splitlines()[2:]] == rows


def test_every_finding_of_the_family_is_in_the_docs() -> None:
    text = ROOT.joinpath("docs", "reference", "findings.md").read_text(encoding="utf-8")
    of_geometry = {code for code, rule in rules().items() if rule.family == "geometry"}
    assert {code for code in of_geometry if f"| `{code}` |" in text} == of_geometry
