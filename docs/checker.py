"""Checker of certificates: `python checker.py part.stl part.cert.json` prints what is wrong and exits with 1, or with 0."""

import hashlib
import json
import struct
import sys
from collections import Counter
from fractions import Fraction


def read(data, name):
    """Points of an STL, OBJ or PLY file, and the numbers of the three of each triangle."""
    rows = [line.split() for line in data.split(b"\n")]
    if name.endswith(".obj"):
        points = [row[1:4] for row in rows if row[:1] == [b"v"]]
        return points, [[int(x.split(b"/")[0]) - 1 for x in row[1:]] for row in rows if row[:1] == [b"f"]]
    if name.endswith(".ply"):
        head, body = data.split(b"end_header\n", 1)
        n, rows = int(head.split(b"element vertex")[1].split()[0]), rows[len(head.splitlines()) + 1 :]
        if b"format ascii" in head:
            return rows[:n], [[int(x) for x in row[1:]] for row in rows[n:] if row]
        return [*struct.iter_unpack("<3f", body[: 12 * n])], [f[1:] for f in struct.iter_unpack("<B3i", body[12 * n :])]
    points = [row[1:] for row in rows if row[:1] == [b"vertex"]]
    points = points or [n[i : i + 3] for n in struct.iter_unpack("<12x9f2x", data[84:]) for i in (0, 3, 6)]
    return points, [(k, k + 1, k + 2) for k in range(0, len(points), 3)]


data, stated = open(sys.argv[1], "rb").read(), json.load(open(sys.argv[2]))
points, faces = read(data, sys.argv[1].lower())
unit, edges, sums = Fraction(2) ** max(-1100, min(stated["exponent"], 1100)), Counter(), [0] * 10
points = [tuple(Fraction(float(x)) / unit for x in point) for point in points]
for a, b, c in ([tuple(int(x) for x in points[i]) for i in face] for face in faces):
    s = [sum(x) for x in zip(a, b, c)]
    det = sum(a[i] * (b[i - 2] * c[i - 1] - b[i - 1] * c[i - 2]) for i in range(3))
    second = [sum(p[i] * p[j] for p in (a, b, c, s)) for i in range(3) for j in range(i, 3)]
    sums = [total + det * x for total, x in zip(sums, [1, *s, *second])]
    for p, q in ((a, b), (b, c), (c, a)):
        edges[p, q], edges[q, p] = edges[p, q] + 1, edges[q, p] - 1
found = [str(x) for x in sums]
wrong = {
    "another version": stated["schema"] != "massprops-certificate/1",
    "another file": stated["sha256"] != hashlib.sha256(data).hexdigest(),
    "another unit": any(x.denominator > 1 for point in points for x in point),
    "other integrals": stated["integrals"] != {"6 V": found[0], "24 first": found[1:4], "120 second": found[4:]},
    "not closed": any(edges.values()),
}
sys.exit(", ".join(name for name in wrong if wrong[name]) or None)
