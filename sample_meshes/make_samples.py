"""Make the sample meshes and the tables of their exact answers in README.md.

    python sample_meshes/make_samples.py [FOLDER]

Needs nothing but Python and gives the same bytes every time. Coordinates are whole 64ths of the file's unit, so single
precision and decimal text hold them exactly, and volume, centre and inertia are rational numbers: computed with
`fractions.Fraction` and printed whole. Shares no code with the package.
"""

from __future__ import annotations

import math
import struct
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from pathlib import Path

Point = tuple[Fraction, ...]
Triangle = tuple[Point, Point, Point]
Plane = tuple[int, int]  # a point of a face, in whole numbers of 1/GRID

GRID = 64
HERE = Path(__file__).resolve().parent


# --- faces with holes, as triangles of their own corners -------------------------------------------------------------


def turn(a: Plane, b: Plane, c: Plane) -> int:
    """Twice the signed area: positive when a, b, c turn left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def crosses(a: Plane, b: Plane, c: Plane, d: Plane) -> bool:
    """Whether two segments cross at a point inside both."""
    return turn(a, b, c) * turn(a, b, d) < 0 and turn(c, d, a) * turn(c, d, b) < 0


def cotangent(a: Plane, b: Plane, c: Plane) -> Fraction:
    """Of the angle at c: the smaller, the rounder the triangle (Delaunay's choice)."""
    dot = (a[0] - c[0]) * (b[0] - c[0]) + (a[1] - c[1]) * (b[1] - c[1])
    return Fraction(dot, turn(a, b, c))


def triangulated(loops: Sequence[Sequence[Plane]]) -> list[tuple[Plane, Plane, Plane]]:
    """A region left of its loops (the outer one counter-clockwise, holes clockwise), using no point but theirs.

    Gift wrapping: each directed edge that still has no triangle on its left gets the roundest one that crosses nothing
    and holds no point. What is left of the region is a polygon at every step, and in a polygon each edge has one.
    """
    points = sorted({point for loop in loops for point in loop})
    waiting = [edge for loop in loops for edge in pairwise([*loop, loop[0]])]
    segments, triangles = list(waiting), []
    while waiting:
        a, b = waiting.pop(0)
        c = _apex(a, b, points, segments)
        triangles.append((a, b, c))
        for p, q in ((b, c), (c, a)):
            if (p, q) in waiting:
                waiting.remove((p, q))
            else:
                waiting.append((q, p))
                segments.append((p, q))
    return triangles


def _apex(a: Plane, b: Plane, points: Sequence[Plane], segments: Sequence[tuple[Plane, Plane]]) -> Plane:
    candidates = sorted((cotangent(a, b, c), c) for c in points if turn(a, b, c) > 0)
    return next(c for _, c in candidates if _is_free(a, b, c, points, segments))


def _is_free(a: Plane, b: Plane, c: Plane, points: Sequence[Plane], segments: Sequence[tuple[Plane, Plane]]) -> bool:
    others = (p for p in points if p not in (a, b, c))
    if any(min(turn(a, b, p), turn(b, c, p), turn(c, a, p)) >= 0 for p in others):
        return False
    return not any(crosses(p, q, *segment) for p, q in ((b, c), (c, a)) for segment in segments)


# --- bodies ----------------------------------------------------------------------------------------------------------


def face(axis: int, at: int, loops: Sequence[Sequence[Plane]]) -> list[Triangle]:
    """The plane region x[axis] = at, facing up that axis where its outer loop is counter-clockwise.

    Loops are given in the two other axes, in cyclic order: (y, z), (z, x) or (x, y).
    """
    u, v = (axis + 1) % 3, (axis + 2) % 3

    def lifted(point: Plane) -> Point:
        values = {axis: at, u: point[0], v: point[1]}
        return tuple(Fraction(values[k], GRID) for k in range(3))

    return [tuple(map(lifted, triangle)) for triangle in triangulated(loops)]


def facing_down(triangles: Iterable[Triangle]) -> list[Triangle]:
    return [(c, b, a) for a, b, c in triangles]


def bore(ring: Sequence[Plane], bottom: int, top: int) -> list[Triangle]:
    """The wall of a hole along z, facing the hole; `ring` is counter-clockwise."""
    walls = []
    for (x0, y0), (x1, y1) in pairwise([*ring, ring[0]]):
        a, b, c, d = ((x1, y1, bottom), (x0, y0, bottom), (x0, y0, top), (x1, y1, top))
        walls += [(a, b, c), (a, c, d)]
    return [tuple(tuple(Fraction(x, GRID) for x in point) for point in triangle) for triangle in walls]


def circle(x: int, y: int, radius: int, corners: int) -> list[Plane]:
    """A counter-clockwise polygon, its corners rounded to the grid; arguments in the file's unit."""
    angles = [2 * math.pi * k / corners for k in range(corners)]
    return [(round(GRID * (x + radius * math.cos(a))), round(GRID * (y + radius * math.sin(a)))) for a in angles]


def rectangle(x0: int, y0: int, x1: int, y1: int) -> list[Plane]:
    return [(GRID * x, GRID * y) for x, y in ((x0, y0), (x1, y0), (x1, y1), (x0, y1))]


def tetrahedron(offset: Sequence[int] = (0, 0, 0)) -> list[Triangle]:
    a, b, c, d = (
        tuple(Fraction(x + t) for x, t in zip(corner, offset, strict=True))
        for corner in ((1, 2, 3), (7, -1, 2), (0, 5, -4), (3, 3, 9))
    )
    return [(a, c, b), (a, b, d), (b, c, d), (a, d, c)]


def box(lower: Sequence[Fraction | int], upper: Sequence[Fraction | int]) -> list[Triangle]:
    corners = [tuple(map(Fraction, corner)) for corner in product(*zip(lower, upper, strict=True))]
    quads = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    picked = [(p, q, r) for a, b, c, d in quads for p, q, r in ((a, b, c), (a, c, d))]
    return [(corners[p], corners[q], corners[r]) for p, q, r in picked]


#: The bracket's bores: the plain hole, and the narrow and the wide part of the counterbored one.
PLAIN, NARROW, WIDE = circle(28, 12, 5, 20), circle(60, 26, 4, 20), circle(60, 26, 7, 28)


@cache
def bracket() -> list[Triangle]:
    """An angle of 80 × 40 × 20: 8 thick, in the base plate two holes, one with a counterbore 3 deep."""
    profile = [(GRID * z, GRID * x) for z, x in ((0, 0), (20, 0), (20, 8), (8, 8), (8, 80), (0, 80))]
    below = [rectangle(0, 0, 80, 40), PLAIN[::-1], NARROW[::-1]]
    above = [rectangle(8, 0, 80, 40), PLAIN[::-1], WIDE[::-1]]
    return [
        *facing_down(face(2, 0, below)),
        *face(2, GRID * 8, above),
        *face(2, GRID * 5, [WIDE, NARROW[::-1]]),
        *bore(PLAIN, 0, GRID * 8),
        *bore(NARROW, 0, GRID * 5),
        *bore(WIDE, GRID * 5, GRID * 8),
        *face(1, GRID * 40, [profile]),
        *facing_down(face(1, 0, [profile])),
        *facing_down(face(0, 0, [rectangle(0, 0, 40, 20)])),
        *face(0, GRID * 8, [rectangle(0, 8, 40, 20)]),
        *face(0, GRID * 80, [rectangle(0, 0, 40, 8)]),
        *face(2, GRID * 20, [rectangle(0, 0, 8, 40)]),
    ]


def cavity() -> list[Triangle]:
    half = Fraction(1, 2)
    return [*box((0, 0, 0), (6, 5, 4)), *facing_down(box((1, 1, 1), (3, 2, 2 + half)))]


def overlap() -> list[Triangle]:
    return [*box((0, 0, 0), (4, 3, 2)), *box((3, 1, 1), (6, 4, 5))]


def without_one(triangles: list[Triangle]) -> list[Triangle]:
    return triangles[:-1]


def partly_flipped(triangles: list[Triangle]) -> list[Triangle]:
    return [*facing_down(triangles[:3]), *triangles[3:]]


# --- exact answers ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Answer:
    """Volume, centroid and central inertia (xx, yy, zz, xy, xz, yz; Ixy = −∫xy) at unit density, in the file's unit."""

    volume: Fraction
    centre: tuple[Fraction, ...]
    inertia: tuple[Fraction, ...]


def answer(triangles: Iterable[Triangle]) -> Answer:
    """By tetrahedra with the origin: ∫xᵢxⱼ = det/120 · (Σₖ Σₘ pₖᵢ pₘⱼ + Σₖ pₖᵢ pₖⱼ)."""
    volume, first, second = Fraction(0), [Fraction(0)] * 3, [[Fraction(0)] * 3 for _ in range(3)]
    for a, b, c in triangles:
        det = sum(a[i] * (b[i - 2] * c[i - 1] - b[i - 1] * c[i - 2]) for i in range(3))
        total = [a[i] + b[i] + c[i] for i in range(3)]
        volume += det / 6
        for i in range(3):
            first[i] += det * total[i] / 24
            for j in range(3):
                second[i][j] += det * (total[i] * total[j] + sum(p[i] * p[j] for p in (a, b, c))) / 120
    centre = tuple(value / volume for value in first)
    s = [[second[i][j] - centre[i] * first[j] for j in range(3)] for i in range(3)]
    inertia = (s[1][1] + s[2][2], s[0][0] + s[2][2], s[0][0] + s[1][1], -s[0][1], -s[0][2], -s[1][2])
    return Answer(volume, centre, inertia)


# --- writers ---------------------------------------------------------------------------------------------------------


def number(value: Fraction) -> str:
    """Shortest decimal text, exact: the grid has at most six binary places."""
    return str(int(value)) if value.denominator == 1 else repr(float(value))


def normal(triangle: Triangle) -> tuple[float, float, float]:
    a, b, c = triangle
    (ux, uy, uz), (vx, vy, vz) = ([float(q - p) for p, q in zip(a, other, strict=True)] for other in (b, c))
    n = (uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx)
    return tuple(x / math.sqrt(sum(y * y for y in n)) + 0.0 for x in n)


def stl(triangles: Sequence[Triangle]) -> bytes:
    header = b"massprops sample".ljust(80) + struct.pack("<I", len(triangles))
    facets = (struct.pack("<12fH", *normal(t), *(float(x) for p in t for x in p), 0) for t in triangles)
    return header + b"".join(facets)


def stl_ascii(triangles: Sequence[Triangle]) -> bytes:
    lines = ["solid sample"]
    for triangle in triangles:
        lines += ["facet normal " + " ".join(f"{x:.9g}" for x in normal(triangle)), "  outer loop"]
        lines += ["    vertex " + " ".join(map(number, point)) for point in triangle]
        lines += ["  endloop", "endfacet"]
    return text([*lines, "endsolid sample"])


def obj(triangles: Sequence[Triangle]) -> bytes:
    points, faces = indexed(triangles)
    vertices = ["v " + " ".join(map(number, point)) for point in points]
    return text(["# massprops sample", *vertices, *("f " + " ".join(str(k + 1) for k in face) for face in faces)])


def ply(triangles: Sequence[Triangle]) -> bytes:
    points, faces = indexed(triangles)
    vertices = [" ".join(map(number, point)) for point in points]
    return ply_header("ascii", points, faces) + text([*vertices, *(f"3 {a} {b} {c}" for a, b, c in faces)])


def ply_little_endian(triangles: Sequence[Triangle]) -> bytes:
    return ply_binary(triangles, "binary_little_endian", "<")


def ply_big_endian(triangles: Sequence[Triangle]) -> bytes:
    return ply_binary(triangles, "binary_big_endian", ">")


def ply_binary(triangles: Sequence[Triangle], encoding: str, order: str) -> bytes:
    points, faces = indexed(triangles)
    body = [struct.pack(order + "3d", *map(float, point)) for point in points]
    body += [struct.pack(order + "B3i", 3, *face) for face in faces]
    return ply_header(encoding, points, faces) + b"".join(body)


def ply_header(encoding: str, points: Sequence[Point], faces: Sequence[tuple[int, ...]]) -> bytes:
    vertex = [f"element vertex {len(points)}", *(f"property double {axis}" for axis in "xyz")]
    facet = [f"element face {len(faces)}", "property list uchar int vertex_indices", "end_header"]
    return text(["ply", f"format {encoding} 1.0", "comment massprops sample", *vertex, *facet])


def indexed(triangles: Sequence[Triangle]) -> tuple[list[Point], list[tuple[int, ...]]]:
    points = sorted({point for triangle in triangles for point in triangle})
    index = {point: k for k, point in enumerate(points)}
    return points, [tuple(index[point] for point in triangle) for triangle in triangles]


def text(lines: Iterable[str]) -> bytes:
    return ("\n".join(lines) + "\n").encode("ascii")


# --- what there is ---------------------------------------------------------------------------------------------------

Writer = Callable[[Sequence[Triangle]], bytes]
IN_ALL_FORMATS: dict[str, Writer] = {".stl": stl, ".obj": obj, ".ply": ply}


@dataclass(frozen=True)
class Sample:
    """One body: its files, what it is, and the numbers to expect or the reason why it is refused."""

    name: str
    what: str
    triangles: list[Triangle]
    unit: str
    density: int
    refused: str = ""
    overlaps: bool = False
    more: tuple[tuple[str, Writer], ...] = ()

    @property
    def files(self) -> dict[str, Writer]:
        writers = {**IN_ALL_FORMATS, **dict(self.more)}
        return {self.name + ending: writer for ending, writer in writers.items()}


FAR = (8_400_000, -12_000_000, 16_000_000)  # 1.4 million diagonals away; below 2²⁴, so single precision holds it too

_EVERY_ENCODING = (
    ("_ascii.stl", stl_ascii),
    ("_little_endian.ply", ply_little_endian),
    ("_big_endian.ply", ply_big_endian),
)

SAMPLES = [
    Sample(
        "tetrahedron",
        "a skew tetrahedron (1,2,3) (7,−1,2) (0,5,−4) (3,3,9): six different entries in its tensor, none zero",
        tetrahedron(),
        "m",
        7800,
        more=_EVERY_ENCODING,
    ),
    Sample(
        "far_tetrahedron",
        "the same, 1.4 million of its own sizes from the origin: volume and inertia stay exactly what they were",
        tetrahedron(FAR),
        "m",
        7800,
        more=(("_little_endian.ply", ply_little_endian),),
    ),
    Sample(
        "bracket",
        "an aluminium angle of 80 × 40 × 20 mm, 8 mm thick, with a plain hole and a counterbored one (as polygons)",
        bracket(),
        "mm",
        2700,
        more=(("_ascii.stl", stl_ascii), ("_little_endian.ply", ply_little_endian)),
    ),
    Sample(
        "cavity",
        "a box of 6 × 5 × 4 with a closed cavity of 2 × 1 × 1.5 off its centre: an inner surface that faces inward",
        cavity(),
        "m",
        2700,
    ),
    Sample(
        "overlapping_boxes",
        "boxes of 4 × 3 × 2 and 3 × 3 × 4 that share 1 × 2 × 1: closed, so it has an integral, which counts the "
        "common part twice (60 instead of the 58 of the union); repaired by default to the union, refused with `--repair none` unless "
        "`--on-overlap` says what is meant",
        overlap(),
        "m",
        2700,
        overlaps=True,
    ),
    Sample(
        "open_bracket",
        "the bracket without one triangle",
        without_one(bracket()),
        "mm",
        2700,
        refused="a hole in the surface: the volume would depend on where the origin is",
    ),
    Sample(
        "inverted_bracket",
        "the bracket with every triangle turned round",
        facing_down(bracket()),
        "mm",
        2700,
        refused="closed, but inside out: volume and mass would be negative (`--on-inverted flip` gives the bracket)",
    ),
    Sample(
        "flipped_bracket",
        "the bracket with three triangles turned round",
        partly_flipped(bracket()),
        "mm",
        2700,
        refused="no hole, yet the facets do not agree which side is outside",
    ),
]


# --- README.md -------------------------------------------------------------------------------------------------------

BEGIN, END = "<!-- made by make_samples.py: begin -->\n", "<!-- made by make_samples.py: end -->\n"
QUANTITIES = ("V", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
UNITS = {"m": Fraction(1), "mm": Fraction(1, 1000)}


def tables() -> str:
    good = [sample for sample in SAMPLES if not sample.refused]
    return "\n".join([overview(), *map(numbers, good)])


def overview() -> str:
    lines = ["| files | what it is | unit | facets | answer |", "|---|---|---|---:|---|"]
    for sample in SAMPLES:
        files = " ".join(f"`{name}`" for name in sample.files)
        verdict = (
            f"the bracket, `repaired`; refused with `--repair none`: {sample.refused}" if sample.refused else "below"
        )
        lines.append(f"| {files} | {sample.what} | {sample.unit} | {len(sample.triangles)} | {verdict} |")
    return "\n".join(lines) + "\n"


def numbers(sample: Sample) -> str:
    exact, unit = answer(sample.triangles), UNITS[sample.unit]
    values = (exact.volume, *exact.centre, *exact.inertia)
    # Volume, centre and inertia scale with the third, first and fifth power of the length.
    lengths = (3, 1, 1, 1, *[5] * 6)
    weighted = (1, 1, 1, 1, *[sample.density] * 6)
    si = [value * unit**power * factor for value, power, factor in zip(values, lengths, weighted, strict=True)]
    rows = [f"| {q} | {exact} | {float(x)!r} |" for q, exact, x in zip(QUANTITIES, values, si, strict=True)]
    return "\n".join(
        [
            f"### {sample.name}",
            "",
            f"    {command(sample)}",
            "",
            f"| | exact, unit density, {sample.unit} | SI, at {sample.density} kg/m³ |",
            "|---|---|---|",
            *rows,
            f"| m | | {float(exact.volume * unit**3 * sample.density)!r} |",
            "",
        ]
    )


def command(sample: Sample) -> str:
    units = "" if sample.unit == "m" else f" --units {sample.unit}"
    policy = " --on-overlap count" if sample.overlaps else ""
    return f"massprops compute sample_meshes/{sample.name}.stl{units} --density {sample.density}{policy}"


def readme() -> str:
    """The README beside this script, its tables made anew."""
    before, rest = (HERE / "README.md").read_text(encoding="utf-8").split(BEGIN)
    _, after = rest.split(END)
    return before + BEGIN + "\n" + tables() + "\n" + END + after


def main(folder: Path = HERE) -> None:
    for sample in SAMPLES:
        for name, writer in sample.files.items():
            (folder / name).write_bytes(writer(sample.triangles))
    (folder / "README.md").write_bytes(readme().encode())


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
