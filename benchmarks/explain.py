"""How often `explain` finds the mistake that was made: seeded bodies, each corrupted in every way, with and without a geometry.

    python benchmarks/explain.py [BODIES]

The table of docs/benchmarks.json is what this prints. Nothing here passes or fails.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from usage import words

from massprops.diagnosis import common_mistakes
from massprops.diagnosis.evidence import likely_mistakes
from massprops.diagnosis.explanation import explain_body, is_thick
from massprops.diagnosis.geometry_comparison import findings_of
from massprops.diagnosis.reference import Reference, inertial_of
from massprops.formats.bodies import NamedBody
from massprops.formats.inertial.inertial import Inertial
from massprops.frames import Pose
from massprops.moments.integrals import Moments
from massprops.rigid_body.extent import Extent
from massprops.rigid_body.mass_properties import MassProperties

DIGITS = 5
UNEVEN = 0.02
KINDS = "products_sign wrong_point other_units one_sign turned_axes other_order swapped_entries decimal_point negated_centre turned_centre"
COLUMNS = ("not noticed", "none", "only it", "among several", "only another", "only others")


def rounded(x: float) -> float:
    return float(f"{x:.{DIGITS - 1}e}")


def random_body(rng: np.random.Generator) -> tuple[MassProperties, Reference]:
    """A box of 2 to 40 cm edges and 300 to 8000 kg/m³, turned by some 30°, printed with five digits; and its geometry."""
    while True:
        edges = np.exp(rng.uniform(np.log(0.02), np.log(0.4), 3))
        density = np.exp(rng.uniform(np.log(300), np.log(8000)))
        pose = Pose.from_xyz_rpy(rng.normal(0, 0.1, 3), rng.normal(0, 0.5, 3))
        mass = float(density * edges.prod())
        true = MassProperties.from_second_moment(mass, [0, 0, 0], mass / 12 * np.diag(edges**2)).transformed(pose)
        entries = np.vectorize(rounded)(true.inertia)
        body = MassProperties(rounded(mass), np.vectorize(rounded)(true.com), entries)
        if is_thick(body.consistency()):
            return body, geometry(edges * (1 + rng.uniform(-UNEVEN, UNEVEN, 3)), pose)


def geometry(edges: np.ndarray, pose: Pose) -> Reference:
    """A box that is not quite the body's: parts are not quite uniform."""
    volume = float(edges.prod())
    moments = Moments(volume, np.zeros(3), volume / 12 * np.diag(edges**2), np.zeros(3))
    box = Extent.of_box(np.array([-edges, edges]) / 2).mapped(pose.rotation, pose.translation)
    return Reference(moments.moved(pose.rotation, pose.translation), lambda: box)


def corrupted(body: MassProperties, rng: np.random.Generator) -> Iterator[tuple[str, Inertial]]:
    """The body with one mistake of every kind made; most are their own opposites, or in pairs with them."""
    stated = inertial_of(body)
    for kind in KINDS.split():
        slips = list(getattr(common_mistakes, kind)(stated))
        if kind == "other_units":
            yield kind, units(stated, rng)
        elif slips:
            yield kind, slips[rng.integers(len(slips))].corrected


def units(stated: Inertial, rng: np.random.Generator) -> Inertial:
    """The inverse of what undoes it: grams, or a tensor in another unit."""
    factor = (None, 1e3, 1e4, 1e6, 1e7, 1e9)[rng.integers(6)]
    return (
        replace(stated, mass=stated.mass * 1000) if factor is None else replace(stated, tensor=stated.tensor * factor)
    )


def outcome(body: MassProperties, stated: Inertial, reference: Reference | None) -> str:
    named = NamedBody(None, stated.properties, stated=stated)
    found = explain_body(named, reference)
    if found.verdict in ("unneeded", "none"):
        return "not noticed" if found.verdict == "unneeded" else "none"
    right = any(near(h.body, body, 1e-4 if reference is None else 0.02) for h in found.hypotheses)
    if found.verdict == "unique":
        return "only it" if right else "only another"
    return "among several" if right else "only others"


def near(one: MassProperties, other: MassProperties, tolerance: float) -> bool:
    """A geometry cannot tell more than that it is about the same."""
    gap = np.abs(one.inertia - other.inertia).max() / np.abs(other.inertia).max()
    centre = np.allclose(one.com, other.com, rtol=0, atol=1e-9)
    return bool(gap <= tolerance) and abs(one.mass - other.mass) <= 1e-9 * other.mass and centre


def table(title: str, rows: dict[str, Counter[str]]) -> None:
    print(f"\n{title}\n\n| mistake | {' | '.join(COLUMNS)} |\n|---|{'---:|' * len(COLUMNS)}")
    for name, counts in rows.items():
        total = sum(counts.values())
        print(f"| {name.replace('_', ' ')} | {' | '.join(f'{100 * counts[c] / total:.0f} %' for c in COLUMNS)} |")


def false_alarms(bodies: int, rng: np.random.Generator) -> None:
    """Right inertials of bodies that are less and less like their geometry: how many get an error."""
    print(
        "\n| the body's edges differ from the geometry's by up to | get an error | a mistake is named |\n|---|---:|---:|"
    )
    for spread in (0.0, 0.02, 0.05, 0.1, 0.2, 0.3):
        errors = named = 0
        for _ in range(bodies):
            edges = np.exp(rng.uniform(np.log(0.02), np.log(0.4), 3))
            pose = Pose.from_xyz_rpy(rng.normal(0, 0.1, 3), rng.normal(0, 0.5, 3))
            other = edges * (1 + rng.uniform(-spread, spread, 3))
            mass = float(1000 * edges.prod())
            body = MassProperties.from_second_moment(mass, [0, 0, 0], mass / 12 * np.diag(other**2)).transformed(pose)
            reference = geometry(edges, pose)
            found = findings_of(inertial_of(body), reference)
            errors += any(f.severity == "error" for f in found)
            named += bool(likely_mistakes(inertial_of(body), reference))
        print(f"| {100 * spread:.0f} % | {100 * errors / bodies:.1f} % | {100 * named / bodies:.1f} % |")


def main(bodies: int = 300) -> None:
    rng = np.random.default_rng(20)
    without, beside = defaultdict(Counter), defaultdict(Counter)
    for _ in range(bodies):
        body, reference = random_body(rng)
        for rows, ref in ((without, None), (beside, reference)):
            rows["(none)"][outcome(body, inertial_of(body), ref)] += 1
            for name, stated in corrupted(body, rng):
                rows[name][outcome(body, stated, ref)] += 1
    print(f"{bodies} bodies, {DIGITS} digits, geometry uneven by up to {100 * UNEVEN:.0f} % in every edge")
    table("Without a geometry", without)
    table("With one", beside)
    false_alarms(bodies, rng)


if __name__ == "__main__":
    main(*map(int, words(__doc__)))
