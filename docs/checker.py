"""Checker of certificates: `python checker.py part.stl mm part.cert.json` prints what is wrong and exits with 1, or with 0."""

import hashlib
import json
import re
import struct
import sys
from collections import Counter
from fractions import Fraction

TYPES = b"char uchar short ushort int uint float double int8 uint8 int16 uint16 int32 uint32 float32 float64"
CODES = dict(zip(TYPES.split(), "bBhHiIfd" * 2))
FACET = b"facet normal outer loop vertex vertex vertex endloop endfacet".split()
PROVED = ["every edge is cancelled by its reverse", "no facets cross", "the winding number is 0 or 1 everywhere"]


def stl(data):
    """Corners of an STL file, binary or text, and the numbers of the three of each facet."""
    if len(data) == 84 + 50 * int.from_bytes(data[80:84], "little"):
        corners = [n[i : i + 3] for n in struct.iter_unpack("<12x9f2x", data[84:]) for i in (0, 3, 6)]
    else:
        lines = [line for line in data.lower().splitlines() if not re.match(rb"\s*(end)?solid\b(?!.*\bvertex\b)", line)]
        words = b" ".join(lines).split()
        facets = [words[i : i + 21] for i in range(0, len(words), 21)]
        need(all([*f[:2], *f[5:8], *f[11:16:4], *f[19:]] == FACET for f in facets), "no STL file")
        corners = [f[i : i + 3] for f in facets for i in (8, 12, 16)]
    return corners, [(k, k + 1, k + 2) for k in range(0, len(corners), 3)]


def obj(data):
    """Points of an OBJ file and the numbers of those of each face, from 0; below 0 where there is none."""
    points, faces = [], []
    lines = [line.split(b"#")[0] for line in data.removeprefix(b"\xef\xbb\xbf").splitlines()]
    for line in re.sub(rb"\\\n", b" ", b"\n".join(lines)).splitlines():
        key, *row = line.split() or [b""]
        if key == b"v":
            points.append(row[:3])
        if key == b"f":
            numbers = [int(x.split(b"/")[0]) for x in row]
            faces.append([k + len(points) if k < 0 else k - 1 for k in numbers])
    return points, faces


def ply(data):
    """Points of a PLY file of any encoding, and the numbers of those of each face."""
    end = rb"(?:\r\n|\n|\r)"
    parts = re.fullmatch(rb"(?s)(ply%b(?:(?!end_header)[^\r\n]*%b)*)end_header[ \t]*%b(.*)" % (end, end, end), data)
    need(parts, "no header of a PLY file")
    head, body = parts.groups()
    rows = [row for row in map(bytes.split, head.splitlines()) if row and row[0] not in (b"comment", b"obj_info")]
    order = {b"ascii": "", b"binary_little_endian": "<", b"binary_big_endian": ">"}[rows[1][1]]
    words, at, points, faces, elements = iter(body.split()), 0, [], [], []
    for row in rows[2:]:
        elements.append((row, [])) if row[0] == b"element" else elements[-1][1].append(row)

    def take(kind):
        nonlocal at
        if not order:
            return next(words)
        at += struct.calcsize(order + CODES[kind])
        return struct.unpack_from(order + CODES[kind], body, at - struct.calcsize(order + CODES[kind]))[0]

    for (_, element, count), properties in elements:
        for _ in range(int(count)):
            one = {
                p[-1]: [take(p[3]) for _ in range(int(take(p[2])))] if p[1] == b"list" else take(p[1])
                for p in properties
            }
            if element == b"vertex":
                points.append([one[b"x"], one[b"y"], one[b"z"]])
            if element == b"face":
                faces.append([int(k) for k in one.get(b"vertex_indices") or one[b"vertex_index"]])
    need(next(words, None) is None if not order else at == len(body), "more than the header says")
    return points, faces


def need(right, what):
    """End with what is wrong, if something is."""
    if not right:
        sys.exit(what)


def text(value):
    """A value as JSON: 1, 1.0 and true are three texts."""
    return json.dumps(value, sort_keys=True)


def once(pairs):
    """Members of an object, of which no key is there twice."""
    need(len({key for key, _ in pairs}) == len(pairs), "a key twice")
    return dict(pairs)


if len(sys.argv) != 4:
    sys.exit("usage: python checker.py FILE UNIT CERTIFICATE")
name, unit, certificate = sys.argv[1:]
data = open(name, "rb").read()
try:
    stated = json.loads(
        open(certificate, "rb").read().decode("utf-8-sig"), object_pairs_hook=once, parse_constant=sys.exit
    )
except (ValueError, RecursionError) as error:
    sys.exit(f"no certificate: {error}")
need(isinstance(stated, dict), "no certificate")
points, faces = {"stl": stl, "obj": obj, "ply": ply}[name.lower()[-3:]](data)
need(faces and all(len(f) == 3 and min(f) >= 0 and max(f) < len(points) for f in faces), "no triangles of its points")
points = [tuple(Fraction(float(x)) for x in point) for point in points]
used = [x for f in faces for k in f for x in points[k] if x]
exponent = min((((x.numerator & -x.numerator).bit_length() - x.denominator.bit_length()) for x in used), default=0)
edges, sums = Counter(), [0] * 10
for face in faces:
    a, b, c = ([int(x / Fraction(2) ** exponent) for x in points[k]] for k in face)
    s = [sum(x) for x in zip(a, b, c)]
    det = sum(a[i] * (b[i - 2] * c[i - 1] - b[i - 1] * c[i - 2]) for i in range(3))
    second = [sum(p[i] * p[j] for p in (a, b, c, s)) for i in range(3) for j in range(i, 3)]
    sums = [total + det * x for total, x in zip(sums, [1, *s, *second])]
    for p, q in ((a, b), (b, c), (c, a)):
        edges[*p, *q], edges[*q, *p] = edges[*p, *q] + 1, edges[*q, *p] - 1
found = [str(x) for x in sums]
right = {
    "schema": "massprops-certificate/1",
    "sha256": hashlib.sha256(data).hexdigest(),
    "unit": unit,
    "facets": len(faces),
    "exponent": exponent,
    "integrals": {"6 V": found[0], "24 first": found[1:4], "120 second": found[4:]},
    "proved": PROVED,
}
wrong = [key for key in {**right, **stated} if text(stated.get(key)) != text(right.get(key))]
need(sums[0] > 0 and not any(edges.values()), "not closed, or inside out")
need(not wrong, "differs in " + ", ".join(wrong))
