"""One geometry and one threshold: in every format, however the link is turned, and in `check`, `explain` and `fill`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cases import seeds
from random_robots import WRITERS, Numbers, RandomLink, RandomRobot, Solid, Written, frame, of_solid

import massprops
from massprops.diagnosis.robot_links import ComparedLink, LinkOptions, link_findings
from massprops.frames import Pose
from massprops.rigid_body.mass_properties import MassProperties
from massprops.rigid_body.shapes import box, cylinder

pytest.importorskip("pxr", reason="usd-core is not installable everywhere")

#: What a link is told for that has nothing to do with a mistake in one entry of its numbers, which only some axes have.
OF_THE_BODY = {
    "com-outside-bounds",
    "spread-outside-bounds",
    "inertia-too-large",
    "inertia-too-small",
    "implied-density",
}


def solid(kind: str, lengths: Sequence[float], pose: Pose) -> Solid:
    return Solid(kind, tuple(lengths), frame(pose.rotation, pose.translation))


def random_pose(rng: np.random.Generator, reach: float) -> Pose:
    q = rng.normal(size=4)
    return Pose(Pose.from_quaternion(xyzw=q / np.linalg.norm(q)).rotation, rng.normal(size=3) * reach)


def random_solids(rng: np.random.Generator, count: int) -> list[Solid]:
    """Solids that overlap, in no symmetric place."""
    counts = {"box": 3, "sphere": 1, "cylinder": 2}
    names = [str(rng.choice(list(counts))) for _ in range(count)]
    return [solid(n, rng.uniform(0.05, 0.2, size=counts[n]).tolist(), random_pose(rng, 0.03)) for n in names]


def compared(file: Written) -> ComparedLink:
    (found,) = (c for c in link_findings(file.path, None, LinkOptions()) if c.name in file.names)
    return found


def written(folder: Path, form: str, solids: Sequence[Solid], body: MassProperties, seed: int = 0) -> Written:
    """A robot of one link in a folder of its own."""
    (folder / form).mkdir(exist_ok=True)
    stated = Numbers(float(body.mass), body.com, body.inertia)
    link = RandomLink("a", tuple(solids), stated, stated, None, np.eye(4), fixed=False, seen=True, volume=0.0)
    return WRITERS[form](RandomRobot((link,)), folder / form, np.random.default_rng(seed))


@pytest.mark.parametrize("seed", seeds(1))
def test_a_link_that_is_turned_is_told_for_the_same(tmp_path: Path, seed: int) -> None:
    """Bounds are those of the solids, not of a box around each; the sizes behind percentages turn with the link, too."""
    rng = np.random.default_rng(seed)
    solids = random_solids(rng, 2)
    start = written(tmp_path, "urdf", solids, MassProperties(1, [0, 0, 0], np.eye(3)))
    uniform = massprops.fill(start.path, density=2000, links="all", mass_from="density")
    right = uniform.links[0].after
    assert right is not None
    told = set()
    for away, factor in ((0.0, 1.0), (0.4, 1.0), (0.0, 8.0), (0.02, 0.1)):
        body = MassProperties(right.mass, right.com + away * np.array([0.6, 0, 0.8]), factor * right.inertia)
        first = None
        for form in WRITERS:
            pose = random_pose(rng, 0.2) if first else Pose.identity()
            turned = [replace(s, at=frame(pose.rotation, pose.translation) @ s.at) for s in solids]
            file = written(tmp_path, form, turned, body.transformed(pose))
            found = compared(file)
            said = sorted((f.code, f.severity) for f in found.findings if f.code in OF_THE_BODY)
            numbers = [
                found.numbers[k] for k in ("volume", "centre_distance", "tensor_distance", "largest_moment_ratio")
            ]
            first = first or (said, numbers)
            # of a collision geometry alone nothing is an error
            assert said == sorted((code, level if file.seen[0] else "warning") for code, level in first[0]), form
            assert numbers == pytest.approx(first[1], rel=2e-3, abs=2e-3), form
        told |= {code for code, _ in first[0]} if first else set()
    assert told >= {"com-outside-bounds", "spread-outside-bounds", "inertia-too-small"}


@pytest.mark.parametrize("form", ["urdf", "sdf", "mjcf"])
def test_a_ball_is_a_ball_however_it_is_turned(tmp_path: Path, form: str) -> None:
    for angle in (0.0, 0.3, np.pi / 4):
        solids = [solid("sphere", [0.1], Pose.from_xyz_rpy([0, 0, 0], [0, 0, angle]))]
        file = written(tmp_path, form, solids, MassProperties(1.0, [0.125, 0, 0], 0.004 * np.eye(3)))
        assert "com-outside-bounds" in [f.code for f in compared(file).findings if f.severity == "error"], angle


@pytest.mark.parametrize("seed", seeds(1))
def test_check_explain_and_fill_have_one_geometry(tmp_path: Path, seed: int) -> None:
    """A body has its space once: overlapping solids are united by all, and the numbers of one agree for the others."""
    rng = np.random.default_rng(100 + seed)
    solids = random_solids(rng, 3)
    summed = sum(of_solid(s, 1.0).mass for s in solids)
    for form in WRITERS:
        file = written(tmp_path, form, solids, MassProperties(1.0, [0.01, 0.02, 0.03], np.diag([0.01, 0.02, 0.025])))
        filled = massprops.fill(file.path, density=2000, links="all", mass_from="density")
        (link,) = (x for x in filled.links if x.after is not None)
        assert link.solid is not None
        before = compared(file)
        explained = massprops.explain(f"{file.path}#a")
        united = link.solid.moments.measure
        assert before.numbers["volume"] == united < 0.999 * summed
        assert explained.comparison is not None
        shown = ("implied_density", "centre_distance", "tensor_distance")
        assert [before.numbers[k] for k in shown] == [explained.comparison.to_dict()[k] for k in shown]
        # what `fill` writes is the geometry for the others
        again = file.path.with_stem("again")
        again.write_bytes(filled.data)
        if form == "usd":  # a layer over the stage
            continue
        after, unneeded = compared(replace(file, path=again)), massprops.explain(f"{again}#a")
        assert max(float(after.numbers[k] or 0) for k in shown[1:]) < 1e-5  # the digits that its ± supports
        assert (unneeded.verdict, [f for f in after.findings if f.code != "implied-density"]) == ("unneeded", [])


BOX, ROD = box(0.1, 0.2, 0.3, density=1000), cylinder(0.05, 0.3, density=1000)
#: A shape with its lengths, its inertial, and the moments of a wrong formula; None: a sign of its products.
SLIPS = {
    "products-sign": ("box", [0.1, 0.2, 0.3], BOX, None),
    "no 1/12": ("box", [0.1, 0.2, 0.3], BOX, 12 * BOX.inertia.diagonal()),
    "of a tube": ("cylinder", [0.05, 0.3], ROD, ROD.inertia.diagonal() + ROD.mass * 0.05**2 / 4 * np.array([1, 1, 2])),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_what_check_names_explain_looks_for(slip: str, tmp_path: Path) -> None:
    """A mistake that changes the tensor by less than bodies differ from their geometry is named by both; so is a formula."""
    name, lengths, body, moments = SLIPS[slip]
    pose = Pose.from_xyz_rpy([0.04, 0.07, 0.1], [0.03, -0.02, 0.04])
    right = body.transformed(pose)
    wrong = MassProperties(right.mass, right.com, 2 * np.diag(right.inertia.diagonal()) - right.inertia)
    if moments is not None:
        wrong = MassProperties(body.mass, body.com, np.diag(moments)).transformed(pose)
    for form in WRITERS:
        file = written(tmp_path, form, [solid(name, lengths, pose)], wrong)
        found = compared(file)
        explained = massprops.explain(f"{file.path}#a")
        named = {f.code for f in found.findings if f.severity != "info"}
        assert {"products-sign" if moments is None else "formula-slip"} & named, (form, named)
        assert named - OF_THE_BODY <= {h.kind for h in explained.hypotheses}
        assert explained.verdict in ("unique", "ambiguous")


@pytest.mark.parametrize(
    ("form", "words"),
    [("urdf", 'scale="0.001'), ("sdf", "<scale>0.001"), ("usd", "metersPerUnit"), ("gltf", "in metres")],
)
def test_a_mesh_in_millimetres_is_mended_in_the_words_of_the_format(tmp_path: Path, form: str, words: str) -> None:
    large, body = solid("box", [1e3, 1e3, 1e3], Pose.identity()), MassProperties(1.0, [0, 0, 0], np.eye(3))
    (link,) = massprops.fill(
        written(tmp_path, form, [large], body).path, density=2700, links="all", mass_from="density"
    ).links
    assert link.error is not None
    assert words in str(link.error)
