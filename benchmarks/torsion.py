"""Torsion by `--torsion` against closed forms and the tables of European sections: is the truth within the ±?

    python benchmarks/torsion.py

Closed forms of J: Roark's Formulas for Stress and Strain, table 10.1; the series of rectangles and the half circle: Timoshenko and Goodier,
Theory of Elasticity. Published numbers: Pilkey, Analysis and Design of Elastic Beams, examples 5.7, 5.14 and 6.3, and the custom section
in the tests of sectionproperties 3.0.2. Tables: EN 10365, which takes It from a formula with a term for the fillets, and
Iw = Iz (h − tf)² / 4 of thin walls.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import numpy as np
from usage import words

import massprops
from massprops.section.assemble import assemble
from massprops.section.curves import Curve, EllipticArc, Polyline
from massprops.section.properties import Section
from massprops.section.rings import PlanarSource, Ring
from massprops.section.torsion import Torsion, torsion_of

#: EN 10365: h, b, tw, tf, r in mm; It in cm⁴, Iw in 10³ cm⁶.
EUROPEAN = {
    "IPE 80": (80, 46, 3.8, 5.2, 5, 0.70, 0.12),
    "IPE 200": (200, 100, 5.6, 8.5, 12, 6.98, 12.99),
    "IPE 300": (300, 150, 7.1, 10.7, 15, 20.12, 125.9),
    "IPE 600": (600, 220, 12, 19, 24, 165.4, 2846),
    "HE 100 A": (96, 100, 5, 8, 12, 5.24, 2.58),
    "HE 200 B": (200, 200, 9, 15, 18, 59.28, 171.1),
    "HE 300 B": (300, 300, 11, 19, 27, 185.0, 1688),
}

#: The section; J, shear centre from the centroid or None, and Γ or "".
PUBLISHED = {
    "Pilkey 5.7, tube 8 × 0.25": (lambda: section(circle(4), circle(3.75)), 91.49, (), ""),
    "Pilkey 5.14, angle": (
        lambda: polygon([(-0.05, -2), (0.05, -2), (0.05, -0.05), (1, -0.05), (1, 0.05), (-0.05, 0.05)]), 0.00099, (), "",
    ),
    "Pilkey 6.3, channel": (
        lambda: polygon(
            [(-0.05, -2.05), (1, -2.05), (1, -1.95), (0.05, -1.95), (0.05, -0.05), (1, -0.05), (1, 0.05), (-0.05, 0.05)]
        ), 0.00133, (0.24937 - 0.62055, -1), "",
    ),
    "custom": (
        lambda: polygon(
            [(-10, 0), (110, 0), (100, 10), (55, 10), (55, 90), (100, 90), (110, 100), (110, 110),
             (-10, 110), (-10, 100), (0, 90), (45, 90), (45, 10), (-10, 10)]
        ), 347308.3, (51.37486, 67.95580), "7.53565e+09",
    ),
}  # fmt: skip


def section(*rings: Sequence[Curve]) -> Section:
    source = PlanarSource(
        "shape", "benchmark", "ascii", [Ring(tuple(curves), f"ring {k}") for k, curves in enumerate(rings)]
    )
    return assemble(source, source.rings, 1.0, "evenodd").section


def polygon(points: Sequence[tuple[float, float]]) -> Section:
    return massprops.measure(points).section


def i_section(h: float, b: float, tw: float, tf: float, r: float) -> Section:
    x, y = tw / 2, h / 2 - tf
    centres, begins = [(x + r, r - y), (x + r, y - r), (-x - r, y - r), (-x - r, r - y)], [-90, 180, 90, 0]
    arcs = [EllipticArc.circular(c, r, math.radians(a), -math.pi / 2) for c, a in zip(centres, begins, strict=True)]
    upper = Polyline(np.array([(x + r, y), (b / 2, y), (b / 2, h / 2), (-b / 2, h / 2), (-b / 2, y), (-x - r, y)]))
    webs = [Polyline(np.array([arcs[k].end, arcs[k + 1].start])) for k in (0, 2)]
    return section([arcs[0], webs[0], arcs[1], upper, arcs[2], webs[1], arcs[3], Polyline(-upper.points)])


def rectangle(a: float, b: float) -> float:
    """J of sides a × b."""
    return (
        a
        * b**3
        * (1 / 3 - 64 / math.pi**5 * b / a * sum(math.tanh(n * math.pi * a / 2 / b) / n**5 for n in range(1, 999, 2)))
    )


def circle(radius: float) -> list[Curve]:
    return [EllipticArc.circle((0, 0), radius)]


def ellipse(a: float, b: float) -> list[Curve]:
    return [EllipticArc.elliptic((0, 0), (a, 0.0), b / a)]


def main() -> None:
    closed = {
        "circle": (section(circle(1)), math.pi / 2),
        "ellipse 2:1": (section(ellipse(2, 1)), math.pi * 8 / 5),
        "equilateral triangle": (polygon([(0, 0), (1, 0), (0.5, math.sqrt(3) / 2)]), math.sqrt(3) / 80),
        "square": (polygon([(0, 0), (1, 0), (1, 1), (0, 1)]), rectangle(1, 1)),
        "rectangle 3:1": (polygon([(0, 0), (3, 0), (3, 1), (0, 1)]), rectangle(3, 1)),
        "rectangle 20:1": (polygon([(0, 0), (20, 0), (20, 1), (0, 1)]), rectangle(20, 1)),
        "half circle": (
            section([EllipticArc.circular((0, 0), 1, 0, math.pi), Polyline([[-1, 0], [1, 0]])]),
            math.pi / 2 - 4 / math.pi,
        ),
        "tube, wall 0.2 of the radius": (section(circle(1), circle(0.8)), math.pi / 2 * (1 - 0.8**4)),
        "tube, wall 0.05 of the radius": (section(circle(1), circle(0.95)), math.pi / 2 * (1 - 0.95**4)),
        "hollow ellipse, similar": (section(ellipse(2, 1), ellipse(1.6, 0.8)), math.pi * 8 / 5 * (1 - 0.8**4)),
    }
    print(f"{'closed form':32}{'J':>12}{'± %':>8}{'error %':>9}{'of ±':>6}{'elements':>10}{'s':>6}")
    held = 0
    for name, (found, truth) in closed.items():
        t, seconds = timed(found, name)
        off = t.constant - truth
        held += abs(off) <= t.constant_error
        print(
            f"{name:32}{t.constant:12.6g}{100 * t.constant_error / truth:8.4f}{100 * off / truth:9.4f}"
            f"{abs(off) / t.constant_error:6.2f}{t.elements:10}{seconds:6.1f}"
        )
    print(f"{held} of {len(closed)} within the ±\n")
    half, _ = closed["half circle"]
    t, _ = timed(half, "half circle")
    at, off = t.shear_center[1], t.shear_center_error[1]
    print(f"shear centre of the half circle: {at:.6f} ± {off:.1g}, 8 / (5 π) = {8 / (5 * math.pi):.6f}\n")
    print(f"{'published':32}{'J':>12}{'published':>12}{'shear centre':>26}{'published':>20}{'Γ':>13}{'published':>13}")
    for name, (found, constant, center, warping) in PUBLISHED.items():
        t, _ = timed(found(), name)
        shown = [" ".join(f"{x:.6g}" for x in c) for c in (t.shear_center, center)]
        print(
            f"{name:32}{t.constant:12.6g}{constant:12.6g}{shown[0]:>26}{shown[1]:>20}{t.warping_constant:13.6g}{warping:>13}"
        )
    print()
    titles = ("It cm⁴", "table", "%", "Iw 10³ cm⁶", "table", "%", "± It %", "± Iw %", "elements")
    print(f"{'EN 10365':12}" + "".join(f"{title:>12}" for title in titles))
    for name, (*size, it, iw) in EUROPEAN.items():
        t, _ = timed(i_section(*size), name)
        j, g = t.constant / 1e4, t.warping_constant / 1e9
        off = t.constant_error / t.constant, t.warping_constant_error / t.warping_constant
        numbers = (j, it, 100 * (j / it - 1), g, iw, 100 * (g / iw - 1), 100 * off[0], 100 * off[1], t.elements)
        print(f"{name:12}" + "".join(f"{x:12.4g}" for x in numbers))


def timed(found: Section, name: str) -> tuple[Torsion, float]:
    began = time.process_time()
    return torsion_of(found, name), time.process_time() - began


if __name__ == "__main__":
    words(__doc__)
    main()
