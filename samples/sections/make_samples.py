"""Writes the sample sections beside this file, and prints their exact answers: `python samples/sections/make_samples.py`."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

HERE = Path(__file__).parent

#: An angle 60 × 40 × 5, mm.
ANGLE = [(0, 0), (40, 0), (40, 5), (5, 5), (5, 60), (0, 60)]
#: A plate with a triangular window that no symmetry makes simple, mm.
PLATE = [(0, 0), (50, 0), (50, 20), (30, 40), (0, 30)]
WINDOW = [(10, 5), (10, 20), (30, 10)]
#: A wedge of a wing of unit chord, with an open trailing edge, in the order of Selig.
WEDGE = [(1, 0.0125), (0.25, 0.0625), (0, 0), (0.25, -0.0625), (1, -0.0125)]
#: IPE 200: height, width, web, flange, root fillet, mm.
IPE = (200.0, 100.0, 5.6, 8.5, 12.0)

Point = tuple[float, float]


def csv(points: list[Point], separator: str = ",", header: str = "x,y\n") -> str:
    return header + "".join(f"{x}{separator}{y}\n" for x, y in points)


def ring(points: list[Point]) -> list[list[float]]:
    return [list(p) for p in [*points, points[0]]]


def wkt(*rings: list[Point]) -> str:
    return "POLYGON (" + ", ".join("(" + ", ".join(f"{x} {y}" for x, y in ring(r)) + ")" for r in rings) + ")\n"


def svg(*shapes: str) -> str:
    head = '<svg xmlns="http://www.w3.org/2000/svg" width="200mm" height="200mm" viewBox="0 -200 200 200">'
    return "\n  ".join([head, *shapes]) + "\n</svg>\n"


def svg_path(*rings: list[Point]) -> str:
    """The points turned down, as y points down there."""
    data = " ".join("M" + " L".join(f"{x},{-y}" for x, y in r) + " Z" for r in rings)
    return f'<path fill-rule="evenodd" d="{data}"/>'


def ipe(bulge: float = -math.tan(math.pi / 8)) -> list[tuple[float, float, float]]:
    """x, y and the bulge of the edge that follows: fillets are quarter turns clockwise."""
    h, b, tw, tf, r = IPE
    x, y = tw / 2, h / 2 - tf
    right = [(b / 2, -h / 2, 0), (b / 2, -y, 0), (x + r, -y, bulge), (x, -y + r, 0)]
    right += [(x, y - r, bulge), (x + r, y, 0), (b / 2, y, 0), (b / 2, h / 2, 0)]
    return right + [(-px, -py, k) for px, py, k in right]


def dxf(*rings: list[tuple[float, ...]]) -> str:
    """AutoCAD R12: POLYLINE with bulges, closed; $INSUNITS 4 is mm."""
    tags: list[tuple[int, object]] = [(0, "SECTION"), (2, "HEADER"), (9, "$ACADVER"), (1, "AC1009")]
    tags += [(9, "$INSUNITS"), (70, 4), (0, "ENDSEC"), (0, "SECTION"), (2, "ENTITIES")]
    for points in rings:
        tags += [(0, "POLYLINE"), (8, "0"), (66, 1), (10, 0.0), (20, 0.0), (30, 0.0), (70, 1)]
        for x, y, *bulge in points:
            tags += [(0, "VERTEX"), (8, "0"), (10, float(x)), (20, float(y)), (30, 0.0), (42, float(*bulge or [0.0]))]
        tags += [(0, "SEQEND"), (8, "0")]
    tags += [(0, "ENDSEC"), (0, "EOF")]
    return "".join(f"{code}\n{value}\n" for code, value in tags)


def samples() -> dict[str, str]:
    plate = {"outer": PLATE, "holes": [WINDOW]}
    geometry = {"type": "Polygon", "coordinates": [ring(PLATE), ring(WINDOW)]}
    return {
        "angle.csv": csv(ANGLE),
        "angle.tsv": csv(ANGLE, "\t", "x\ty\n"),
        "angle.txt": csv(ANGLE, ";", ""),
        "angle.xy": csv(ANGLE, "  ", ""),
        "angle.json": json.dumps(ANGLE) + "\n",
        "angle.wkt": wkt(ANGLE),
        "angle.svg": svg(svg_path(ANGLE)),
        "angle.dxf": dxf(ANGLE),
        "plate.json": json.dumps(plate) + "\n",
        "plate.geojson": json.dumps({"type": "Feature", "properties": {}, "geometry": geometry}) + "\n",
        "plate.wkt": wkt(PLATE, WINDOW),
        "plate.svg": svg(svg_path(PLATE, WINDOW)),
        "plate.dxf": dxf(PLATE, WINDOW),
        "wedge.dat": "wedge\n" + "".join(f"{x} {y}\n" for x, y in WEDGE),
        "ring.svg": svg('<circle cx="60" cy="0" r="40"/>', '<circle cx="60" cy="0" r="30"/>'),
        "ipe200.dxf": dxf(ipe()),
        "figure_eight.csv": csv([(0, 0), (20, 10), (20, 0), (0, 10)]),
    }


def exact(*rings: list[Point]) -> tuple[Fraction, ...]:
    """A, Cx, Cy, and Ixx, Iyy, Ixy about the centroid, by the sums of Lee; the first ring less the others."""
    sums = [Fraction(0)] * 6
    for k, points in enumerate(rings):
        own = [Fraction(0)] * 6
        corners = [(Fraction(str(x)), Fraction(str(y))) for x, y in points]  # as they are written
        for (x, y), (u, v) in pairwise([*corners, corners[0]]):
            c = x * v - u * y
            terms = (
                c / 2,
                (x + u) * c / 6,
                (y + v) * c / 6,
                (y * y + y * v + v * v) * c / 12,
                (x * x + x * u + u * u) * c / 12,
            )
            terms = (*terms, (2 * x * y + x * v + u * y + 2 * u * v) * c / 24)
            own = [a + b for a, b in zip(own, terms, strict=True)]
        sign = (1 if own[0] > 0 else -1) * (1 if k == 0 else -1)
        sums = [a + sign * b for a, b in zip(sums, own, strict=True)]
    a, sx, sy, xx, yy, xy = sums
    return a, sx / a, sy / a, xx - sy * sy / a, yy - sx * sx / a, xy - sx * sy / a


def exact_ring(outer: float, inner: float) -> tuple[float, ...]:
    """A, then Ixx = Iyy."""
    return math.pi * (outer**2 - inner**2), math.pi / 4 * (outer**4 - inner**4)


def exact_ipe() -> tuple[float, ...]:
    """A, Ixx, Iyy: flanges, web, and four fillets, each a square less a quarter disc.

    The fillet of side r has the area (1 − π/4) r²; from its corner, its first moment is that of the square
    less that of the quarter disc about the far corner, r³/2 − (π/4 − 1/3) r³, and its second r⁴/3 − (π/4 − 2/3 + π/16) r⁴.
    """
    h, b, tw, tf, r = IPE
    web = h - 2 * tf
    a, first, second = (1 - math.pi / 4) * r**2, (5 / 6 - math.pi / 4) * r**3, (1 - 5 * math.pi / 16) * r**4

    def fillet(distance: float, sense: int) -> float:
        """∫ (distance ± s)² over the fillet, s the distance from its corner."""
        return distance**2 * a + 2 * sense * distance * first + second

    xx = b * h**3 / 12 - (b - tw) * web**3 / 12 + 4 * fillet(web / 2, -1)
    yy = 2 * tf * b**3 / 12 + web * tw**3 / 12 + 4 * fillet(tw / 2, 1)
    return 2 * b * tf + web * tw + 4 * a, xx, yy


def main() -> None:
    for name, text in samples().items():
        (HERE / name).write_text(text, encoding="utf-8", newline="")
    for name, rings in {"angle": [ANGLE], "plate": [PLATE, WINDOW], "wedge": [WEDGE]}.items():
        print(name, *exact(*rings))
    print("ring", *exact_ring(40, 30))
    print("ipe200", *exact_ipe())


if __name__ == "__main__":
    main()
