"""A planted mistake is named, by the numbers that it gives back, and no mistake is named of a correct inertial.

Modules tested: `diagnosis/evidence`, `diagnosis/common_mistakes`, `diagnosis/twins`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from boxes import box_reference
from cases import each

import massprops
from massprops.diagnosis.common_mistakes import all_mistakes, correction, entries_of, is_isotropic, last_digits
from massprops.diagnosis.evidence import RankedMistake, likely_mistakes
from massprops.diagnosis.reference import Reference, inertial_of
from massprops.diagnosis.robot_links import LinkOptions, measured_links, reference_of_link
from massprops.diagnosis.twins import OtherLink
from massprops.formats.inertial.inertial import Inertial, symmetric
from massprops.frames import Pose
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.tensors import point_inertia


def parts(count: int) -> Iterator[tuple[Inertial, Reference]]:
    """Boxes of 2 cm and up, turned by 10° to 40° about every axis, and meshes whose edges are up to 0.4 % off."""
    rng = np.random.default_rng(18)
    for _ in range(count):
        edges = 0.02 * np.cumprod([1.0, *rng.uniform(1.4, 3.0, 2)])
        signs = rng.choice([-1.0, 1.0], (2, 3))
        pose = Pose.from_xyz_rpy(signs[0] * [0.041237, 0.070129, 0.102313], signs[1] * rng.uniform(0.2, 0.7, 3))
        body = box_reference(edges, pose).body(2000 * float(edges.prod()))
        rounded = np.vectorize(lambda x: float(f"{x:.6g}"))
        stated = inertial_of(MassProperties(body.mass, rounded(body.com), rounded(body.inertia)))
        yield stated, box_reference(edges * (1 + rng.uniform(-0.004, 0.004, 3)), pose)


def with_entry(stated: Inertial, k: int, value: float) -> Inertial:
    return replace(stated, tensor=symmetric(*(value if i == k else x for i, x in enumerate(entries_of(stated.tensor)))))


def planted(stated: Inertial) -> dict[str, Inertial]:
    """One of each kind, made without the code that finds it."""
    i, m, c = stated.tensor, stated.mass, stated.frame.translation
    turn = np.array([[0.0, 1, 0], [0, 0, 1], [1, 0, 0]])
    shift = point_inertia(m, c)
    at = {"z": Pose(np.eye(3), c * [1, 1, -1]), "mm": Pose(np.eye(3), 1000 * c), "yx": Pose(np.eye(3), c[[1, 0, 2]])}
    return {
        "all signs": replace(stated, tensor=2 * np.diag(np.diag(i)) - i),
        **{f"sign of {k}": with_entry(stated, k, -entries_of(i)[k]) for k in (3, 4, 5)},
        **{f"decimal point of {k}": with_entry(stated, k, 10 * entries_of(i)[k]) for k in range(6)},
        "axes": replace(stated, tensor=turn @ i @ turn.T),
        "moments alone": replace(stated, tensor=np.diag(np.linalg.eigvalsh(i))),
        "no products": replace(stated, tensor=np.diag(np.diag(i))),
        "about the origin": replace(stated, tensor=i + shift),
        "subtracted twice": replace(stated, tensor=i - shift),
        "grams": replace(stated, mass=1000 * m),
        "g mm²": replace(stated, tensor=1e9 * i),
        "mass of ten": replace(stated, mass=10 * m),
        **dict(copied_from_a_dialog(stated)),
        **{f"centre {name}": replace(stated, frame=frame) for name, frame in at.items()},
    }


def copied_from_a_dialog(stated: Inertial) -> Iterator[tuple[str, Inertial]]:
    """Units × sign × point: what a dialog shows in g, mm or lb, in, typed without a conversion of the inertia, the mass too, or all."""
    for name, kg, metre in (("g mm²", 1e-3, 1e-3), ("lb in²", 0.45359237, 0.0254), ("kg m²", 1.0, 1.0)):
        for sign, origin in product((1, -1), (False, True)):
            shown = stated.tensor + origin * point_inertia(stated.mass, stated.frame.translation)
            shown = (shown * np.where(np.eye(3), 1, sign)) / (kg * metre**2)
            typed = replace(stated, tensor=shown)
            if (sign < 0) + origin + (metre < 1) > 1:
                yield f"{name}, {sign}, {origin}", typed
            if metre < 1:
                both = replace(typed, mass=stated.mass / kg)
                yield f"mass and {name}, {sign}, {origin}", both
                yield (
                    f"all in {name}, {sign}, {origin}",
                    replace(both, frame=Pose(np.eye(3), stated.frame.translation / metre)),
                )


def gives_back(likely: list[RankedMistake], stated: Inertial) -> bool:
    first = likely[0].mistake.corrected
    return (
        first.mass == pytest.approx(stated.mass, rel=1e-9)
        and first.frame.translation == pytest.approx(stated.frame.translation, rel=1e-9)
        # corrections that take products or axes from the geometry are as far off as it is: edges by 0.4 %, moments by twice that
        and float(np.abs(first.tensor - stated.tensor).max()) <= 0.02 * float(np.abs(stated.tensor).max())
    )


def test_the_first_mistake_that_is_named_gives_the_right_numbers_back() -> None:
    seen = 0
    for stated, reference in parts(3):
        assert likely_mistakes(stated, reference) == []
        for kind, wrong in planted(stated).items():
            if np.abs(wrong.tensor - stated.tensor).max() < 0.05 * np.abs(stated.tensor).max() and "of" in kind:
                continue  # as little as the mesh is off
            seen += 1
            likely = likely_mistakes(wrong, reference)
            assert likely, kind
            assert gives_back(likely, stated), (kind, likely[0].mistake.words)
    assert seen > 40


def along_principal_axes(stated: Inertial) -> Inertial:
    """The same body as USD, glTF and MJCF state it: moments, and a right-handed frame."""
    moments, axes = np.linalg.eigh(stated.tensor)
    axes[:, 2] *= np.linalg.det(axes)
    return replace(stated, tensor=np.diag(moments), frame=Pose(axes, stated.frame.translation), diagonal=True)


def test_mistakes_in_products_are_named_alike_in_principal_moments_with_axes() -> None:
    """The products of R D Rᵀ have the same slips as those of a tensor that is written, with the same correction."""
    for stated, reference in parts(1):
        assert likely_mistakes(along_principal_axes(stated), reference) == []
        for kind, wrong in planted(stated).items():
            written, turned = (likely_mistakes(one, reference) for one in (wrong, along_principal_axes(wrong)))
            assert [m.mistake.kind for m in turned[:1]] == [m.mistake.kind for m in written[:1]], kind
            for one, same in zip(written[:1], turned[:1], strict=True):
                assert same.words == one.words
                np.testing.assert_allclose(
                    same.mistake.corrected.properties.inertia,
                    one.mistake.corrected.properties.inertia,
                    atol=1e-9 * np.abs(wrong.tensor).max(),
                )


def test_a_slip_of_the_axes_is_named_and_gives_them_back() -> None:
    """A conjugated quaternion, w at the other end, moments in another order along right axes, and axes left out."""
    for stated, reference in parts(6):
        right = along_principal_axes(stated)
        w, x, y, z = right.frame.to_quaternion_wxyz()
        turns = {
            "inverted": ((w, -x, -y, -z), "wrong-axes"),
            "w last, and is read with w first": ((x, y, z, w), "wrong-axes"),
            "w first, and is read with w last": ((z, w, x, y), "wrong-axes"),
            "without their axes": ((1, 0, 0, 0), "missing-axes"),
        }
        for words, (wxyz, kind) in turns.items():
            frame = Pose.from_quaternion(wxyz=wxyz, translation=stated.frame.translation)
            (first, *_) = likely_mistakes(replace(right, frame=frame), reference)
            assert (first.mistake.kind, words in first.words) == (kind, True), first.words
            off = np.abs(first.mistake.corrected.properties.inertia - stated.tensor).max()
            assert (
                off <= 0.01 * np.abs(stated.tensor).max()
            )  # missing axes are those of the geometry, which is 0.4 % off
        exchanged = replace(right, tensor=right.tensor[[1, 0, 2]][:, [1, 0, 2]])
        (first, *_) = likely_mistakes(exchanged, reference)
        assert first.mistake.kind in ("permuted-axes", "swapped-entries"), first.words
        np.testing.assert_allclose(
            first.mistake.corrected.properties.inertia, stated.tensor, atol=1e-9 * right.tensor.max()
        )


def test_one_mistake_that_is_enough_needs_no_second_one() -> None:
    """Products of 0.3 % of the moments, of either sign: in g mm² only the unit is named; where the products count, both are."""
    for angle, kinds in ((0.003, {"wrong-unit"}), (0.4, {"several-mistakes"})):
        pose, edges = (
            Pose.from_xyz_rpy([0.04, 0.07, 0.1], [angle, 1.3 * angle, -angle]),
            0.02 * np.array([1.0, 2.0, 3.5]),
        )
        reference = box_reference(edges, pose)
        right = reference.body(2000 * float(edges.prod()))
        tensor = 1e9 * (2 * np.diag(np.diag(right.inertia)) - right.inertia)
        wrong = replace(inertial_of(right), tensor=tensor)
        assert {one.mistake.kind for one in likely_mistakes(wrong, reference)[:1]} == kinds


def test_mistakes_in_the_geometry_are_named_as_such() -> None:
    """The mesh in mm, or placed in the link by a pose that the inertial does not have; and the inertial of another link."""
    for stated, reference in parts(3):
        assert likely_mistakes(stated, reference.scaled(1000))[0].mistake.kind == "mesh-scale"
        pose = Pose.from_xyz_rpy([0.05, 0, 0.03], [0.3, -0.5, 1.1])
        moved = Reference(reference.moments.moved(pose.rotation, pose.translation), reference.extent, (), pose)
        (first, *_) = likely_mistakes(stated, moved)
        assert (first.mistake.kind, first.mistake.about) == ("mesh-frame", "all")
        shift = Pose.from_xyz_rpy([0.05, 0.02, 0.03])  # of the centre alone: the tensor is the same
        moved = Reference(reference.moments.moved(np.eye(3), shift.translation), reference.extent, (), shift)
        (first, *_) = likely_mistakes(stated, moved)
        assert (first.mistake.kind, first.mistake.about) == ("mesh-frame", "centre")
        assert first.mistake.centre.tolist() == (stated.frame.translation + shift.translation).tolist()
        own = box_reference(np.array([0.05, 0.06, 0.07]), Pose.from_xyz_rpy([0.3, 0.1, 0.2]))
        (copied, *_) = likely_mistakes(stated, own, {"arm": OtherLink(None, reference)})
        assert (copied.mistake.kind, copied.mistake.words) == ("other-link", "it is the inertial of the link 'arm'")


def test_mass_nearer_to_the_centre_hides_no_wrong_sign() -> None:
    """A common factor of all entries says nothing about signs: it is no mistake, and costs less than half of the evidence for one."""
    pose = Pose.from_xyz_rpy([0.04, 0.07, 0.1], [0.06, -0.05, 0.07])
    edges = 0.02 * np.array([1.0, 2.0, 3.5])
    stated = inertial_of(box_reference(edges, pose).body(2000 * float(edges.prod())))
    dense, reference = replace(stated, tensor=0.97 * stated.tensor), box_reference(edges * [1.003, 0.998, 1.001], pose)
    assert likely_mistakes(dense, reference) == []
    for k in (4, 5):
        (even, *_), (first, *_) = (
            likely_mistakes(with_entry(one, k, -entries_of(one.tensor)[k]), reference) for one in (stated, dense)
        )
        assert gives_back([first], dense)
        assert first.score > even.score / 2


def test_a_tensor_is_not_nearer_than_the_mass_is_uniform() -> None:
    """Link 6 of the public xArm 6, and the box of its flange: 5.4 % apart and 1.6 % if two axes change, with the centre 5 mm away."""
    reference = box_reference(np.array([0.0642, 0.0684, 0.0272]), Pose(np.eye(3), [0, 0, -0.0044]))

    def at(z: float) -> list[RankedMistake]:
        tensor = np.diag([4.5293e-5, 4.8111e-5, 7.9715e-5])
        return likely_mistakes(inertial_of(MassProperties(0.1096, [0, 0.00064, z], tensor)), reference)

    assert at(-0.00952) == []
    assert {one.mistake.kind for one in at(-0.0044)} == {"permuted-axes", "swapped-entries"}


def test_names_of_the_same_numbers_are_one_correction() -> None:
    """Where one product alone is not 0, its sign, all signs and a half turn are the same: their odds are added."""
    pose = Pose.from_xyz_rpy([0.04, 0.07, 0.1], [0.3, 0, 0])
    edges = 0.02 * np.array([1.0, 2.0, 3.5])
    stated = inertial_of(box_reference(edges, pose).body(2000 * float(edges.prod())))
    (first, *others) = likely_mistakes(with_entry(stated, 5, -entries_of(stated.tensor)[5]), box_reference(edges, pose))
    same = [one for one in others if one.mistake.is_like(first.mistake, 1e-6)]
    assert {"one-sign", "products-sign"} <= {one.mistake.kind for one in (first, *same)}
    assert {round(one.score, 9) for one in same} == {round(first.score, 9)}


def mirrored(stated: Inertial, reference: Reference) -> OtherLink:
    """The same part on the other side, y to −y."""
    mirror = np.diag([1.0, -1.0, 1.0])
    frame = Pose(np.eye(3), mirror @ stated.frame.translation)
    other = Reference(reference.moments.mapped(mirror, np.zeros(3)), reference.extent, (), Pose.identity())
    return OtherLink(Inertial(stated.mass, frame, mirror @ stated.tensor @ mirror), other)


def test_the_same_part_on_the_other_side_confirms_a_sign() -> None:
    """The mesh alone, which is off by half of a product, cannot tell the sign; a part that states what is stated says nothing."""
    pose = Pose.from_xyz_rpy([0.04, 0.07, 0.1], [0.03, -0.02, 0.04])
    edges = 0.02 * np.array([1.0, 2.0, 3.5])
    stated = inertial_of(box_reference(edges, pose).body(2000 * float(edges.prod())))
    reference = box_reference(edges * [1.03, 0.98, 1.02], pose)
    right = mirrored(stated, reference)
    for k in (3, 4, 5):
        wrong = with_entry(stated, k, -entries_of(stated.tensor)[k])
        assert not any(one.mistake.twin for one in likely_mistakes(wrong, reference))
        (first, *_) = likely_mistakes(wrong, reference, {"right": right})
        assert gives_back([first], stated)
        assert first.mistake.words.endswith("has the wrong sign, as stated for the same part in link 'right'")
        as_wrong = {"right": right, "other": OtherLink(wrong, reference)}
        assert not any(one.mistake.twin for one in likely_mistakes(wrong, reference, as_wrong))
        assert likely_mistakes(stated, reference, {"right": mirrored(wrong, reference)}) == []


def test_zeros_at_the_end_are_digits_where_others_have_them() -> None:
    """0.00003 beside 0.000088 was printed to six places; 12 beside 3.4e-05 to two digits."""
    assert last_digits([3e-05, 8.8e-05, -1e-06, 0.0]) == pytest.approx([1e-06] * 4)
    assert last_digits([12.0, 3.4e-05, 0.2]) == pytest.approx([1.0, 1e-06, 0.01])
    assert last_digits([0.0, 0.0]) == [0.0, 0.0]


def likelihood(gap: np.ndarray, true: np.ndarray, digits: np.ndarray, factor: float) -> float:
    """Σ (D/√n)⁻ⁿ / Π w over both weights w, entry by entry; of a common change of up to 10 % one `factor`-th counts."""
    total, n = 0.0, len(gap)
    for share in (0.1, 0.5):
        w = np.array([math.hypot(t, share) for t in true])
        squares = sum((g * g + d * d / 12) / v**2 for g, d, v in zip(gap, digits, w, strict=True))
        along, size = abs(gap @ (true / w**2)) / np.linalg.norm(true / w), np.linalg.norm(true / w)
        squares += max(along / factor, along - (factor > 1) * 0.1 * size) ** 2 - along**2
        total += math.hypot(math.sqrt(squares / n), 1e-3) ** -n / math.prod(w)
    return math.log(total)


def log_likelihood(one: Inertial, wrong: Inertial, reference: Reference, entries: int) -> float:
    """The likelihood of a tensor, of which so many entries are evidence, of a centre and of a density."""
    twice = np.array([1, 1, 1, 2, 2, 2]) ** 0.5
    true, turn = reference.body(one.mass).inertia, one.frame.rotation
    true = np.array(entries_of(turn.T @ true @ turn)) * twice
    gap, norm = np.array(entries_of(one.tensor)) * twice - true, np.linalg.norm(true)
    digits = np.array(last_digits(entries_of(wrong.tensor))) * twice / np.linalg.norm(wrong.tensor)
    centre, middle = one.frame.translation / reference.size, reference.centroid / reference.size
    place = np.full(3, min(last_digits(wrong.frame.translation.tolist()))) / reference.size
    density = (math.log(one.mass / reference.moments.measure / 1800) / 1.3) ** 2 / 2
    of_tensor = likelihood(gap / norm, true / norm, digits, 3.0)
    return entries / 6 * of_tensor + likelihood(centre - middle, middle, place, 1.0) - min(density, 20)


def test_no_hypothesis_is_what_is_stated() -> None:
    """Nor with the centre on an axis, whose other coordinates have no sign."""
    for stated, reference in parts(2):
        for zeros in ([1, 1, 1], [1, 0, 0]):
            one = replace(stated, frame=Pose(np.eye(3), stated.frame.translation * zeros))
            tried = [m for m, _ in all_mistakes(one, reference)]
            assert not any(m.is_like(correction(one), 0.0) for m in tried)
            assert [m.kind for m in tried].count("permuted-axes") == 23


def test_a_score_is_the_logarithm_of_the_odds_of_the_mistake() -> None:
    """Of mistakes in tensors, centres and masses: what the likelihoods of the numbers with and without it are, and its share."""
    kinds, place = set(), Pose(np.eye(3), np.array([0.04, 0.07, 0.1]))
    cube = box_reference(np.full(3, 0.05), place)
    for stated, reference in (*parts(2), (Inertial(0.25, place, 0.25 * 0.05**2 / 6 * np.eye(3)), cube)):
        for wrong in planted(stated).values():
            shares = [(m, share) for m, share in all_mistakes(wrong, reference) if not m.geometry]
            for one in likely_mistakes(wrong, reference):
                alike = [share for m, share in shares if m.is_like(one.mistake, 1e-6)]
                if len(alike) == 1:
                    kinds.add((one.mistake.kind, reference is cube))
                    entries = max((1 if is_isotropic(wrong) else 6) - one.mistake.free, 0)
                    right, found = (
                        log_likelihood(k, wrong, reference, entries) for k in (one.mistake.corrected, wrong)
                    )
                    assert one.score == pytest.approx(right - found + math.log(alike[0]), rel=1e-6), one.mistake.words
    assert len(kinds) > 9, kinds


def robot_of_two(poses: tuple[Pose, Pose], edges: np.ndarray, left: Inertial, right: Inertial) -> str:
    """Two boxes, each with its pose in its link."""

    def text(values: np.ndarray) -> str:
        return " ".join(f"{x:.12g}" for x in values)

    def link(name: str, one: Inertial, pose: Pose) -> str:
        xx, yy, zz, xy, xz, yz = (f"{x:.9g}" for x in entries_of(one.tensor))
        r = pose.rotation
        rpy = np.array([math.atan2(r[2, 1], r[2, 2]), -math.asin(r[2, 0]), math.atan2(r[1, 0], r[0, 0])])
        return (
            f'<link name="{name}"><inertial><origin xyz="{text(one.frame.translation)}"/><mass value="{one.mass:.9g}"/>'
            f'<inertia ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="{xy}" ixz="{xz}" iyz="{yz}"/></inertial><visual>'
            f'<origin xyz="{text(pose.translation)}" rpy="{text(rpy)}"/><geometry><box size="{text(edges)}"/></geometry></visual></link>'
        )

    joint = '<joint name="j" type="fixed"><parent link="left"/><child link="right"/></joint>'
    return f'<robot name="r">{link("left", left, poses[0])}{link("right", right, poses[1])}{joint}</robot>'


#: Slips in the tensor or the mass of one of two twins.
OF_TWINS = {
    "products": lambda m, i: (m, 2 * np.diag(np.diag(i)) - i),
    "a sign": lambda m, i: (m, i * np.where(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]]), -1, 1)),
    "1000 times": lambda m, i: (m, 1000 * i),
    "a thousandth": lambda m, i: (m, i / 1000),
    "grams": lambda m, i: (1000 * m, i),
    "cyclic": lambda m, i: (m, i[[1, 2, 0]][:, [1, 2, 0]]),
    "x for y": lambda m, i: (m, i[[1, 0, 2]][:, [1, 0, 2]]),
    "Ixx for Izz": lambda m, i: (m, i + (i[2, 2] - i[0, 0]) * np.diag([1, 0, -1])),
    "right": lambda m, i: (m, i),
}


@each("slip", OF_TWINS)
def test_a_twin_is_evidence_whatever_the_density(slip: str, tmp_path: Path) -> None:
    """Boxes with lumps, one turned and moved, and also mirrored: of the two the wrong one is named, by the right numbers."""
    rng, path = np.random.default_rng(len(slip)), tmp_path / "r.urdf"
    for mirror in (np.eye(3), np.diag([1.0, -1, 1])):
        edges, lumps = rng.uniform(0.05, 0.3, 3), rng.uniform(0.05, 0.3, 3)
        mass, places = 1000 * float(edges.prod()), rng.uniform(-0.4, 0.4, (3, 3)) * edges
        bodies = [
            MassProperties.from_moments(box_reference(edges, Pose.identity()).moments, mass=mass),
            *(MassProperties(mass * s, p, np.zeros((3, 3))) for s, p in zip(lumps, places, strict=True)),
        ]
        part = inertial_of(sum(bodies[1:], bodies[0]))
        poses = tuple(Pose.from_xyz_rpy(rng.uniform(-0.1, 0.1, 3), rng.uniform(-1.2, 1.2, 3)) for _ in range(2))
        left, right = (
            Inertial(part.mass, Pose(np.eye(3), pose.apply(m @ part.frame.translation)), r @ part.tensor @ r.T)
            for pose, m in zip(poses, (np.eye(3), mirror), strict=True)
            for r in (pose.rotation @ m,)
        )
        wrong_mass, wrong = OF_TWINS[slip](right.mass, right.tensor)
        path.write_text(
            robot_of_two(poses, edges, left, replace(right, mass=wrong_mass, tensor=wrong)), encoding="utf-8"
        )
        first, second = measured_links(path, LinkOptions())
        found = [
            likely_mistakes(x.link.body.stated, reference_of_link(x.geometry), x.others)
            for x in (first, second)
            if x.link.body
        ]
        assert found[0] == []
        if slip == "right":
            assert found[1] == []
        else:
            assert "as stated for the same part in link 'left'" in found[1][0].words
            assert found[1][0].mistake.mass == pytest.approx(right.mass, rel=1e-8)
            assert np.abs(found[1][0].mistake.tensor - right.tensor).max() < 1e-6 * np.abs(right.tensor).max()


def test_a_twin_with_negative_moments_is_the_wrong_one(tmp_path: Path) -> None:
    """Its second moments are those of no body, of which no logarithm is taken; the twin with the other sign is right."""
    tensor = symmetric(0.0111234, 0.00854321, 0.00432123, 0.000312345, 0.000212345, 0.000112345)
    left, right = (Inertial(1.0, Pose.identity(), sign * tensor) for sign in (1, -1))
    path, poses = tmp_path / "r.urdf", (Pose.identity(), Pose.identity())
    path.write_text(robot_of_two(poses, np.array([0.1, 0.2, 0.3]), left, right), encoding="utf-8")
    found = {c.subject.place: c for c in massprops.check(path).checked}
    assert found["left"].status != "failed"
    assert {f.code for f in found["right"].findings} >= {"not-positive-definite"}
    assert not any("not uniform" in f.message for f in found["right"].findings)


@each("mass", ["1e200", "1e-200"])
def test_numbers_near_the_largest_are_explained_without_warnings_of_numpy(mass: str, tmp_path: Path) -> None:
    """An error where numpy warns: `explain` printed such warnings, and LAPACK its own lines, among its own."""
    tensor = symmetric(0.0111234, 0.00854321, 0.00432123, 0.000312345, 0.000212345, 0.000112345)
    left, right = (Inertial(float(mass), Pose.from_xyz_rpy([0.01, 0, 0.01]), sign * tensor) for sign in (1, -1))
    path, poses = tmp_path / "r.urdf", (Pose.identity(), Pose.identity())
    path.write_text(robot_of_two(poses, np.array([0.1, 0.2, 0.3]), left, right), encoding="utf-8")
    assert massprops.explain(f"{path}#right").report.mass == float(mass)
